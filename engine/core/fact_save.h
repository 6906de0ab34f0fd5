/* The store as text and back: what a capture holds beside the raw files (fact_save.c, fact_load.c). */
#ifndef ND_FACT_SAVE_H
#define ND_FACT_SAVE_H

#include "engine/core/fact.h"

#define ND_SAVE_MAGIC "netdoctor-facts"

/* How one collector fared. */
struct nd_save_status {
	const char *name, *why;
	uint32_t inputs, bad;
};
/* What is said of a run as a whole. Texts may be NULL. */
struct nd_save_meta {
	const char *version, *host_name, *netns, *netns_enter;
	int64_t started_s, ended_s; /* UTC */
	int32_t utc_offset_s;
	struct nd_save_status *statuses;
	uint32_t n_statuses;
};
struct nd_save_how {
	/* Appends what may be said of a text; NULL: all of it. */
	void (*filter)(void *ctx, const char *text, size_t len, struct nd_buf *out);
	void *ctx;
};

/* Appends all that f holds but the streamed rows, which nobody keeps; they may follow, by nd_save_row. */
void nd_facts_save(const struct nd_facts *f, const struct nd_save_meta *meta,
		   const struct nd_save_how *how, struct nd_buf *out);
void nd_save_row(struct nd_buf *out, nd_id on, const struct nd_table_def *table,
		 const double *columns);

/* Fills an empty store; rows go to its sink. The text is foreign: a line that cannot be is an error, a fact or kind that
 * is not known here is left out. 0, or a negative errno with e filled. */
int nd_facts_load(struct nd_facts *f, const char *text, size_t len, struct nd_err *e);
/* What was loaded says of its run; NULL: nothing was. */
const struct nd_save_meta *nd_facts_meta(const struct nd_facts *f);
#endif
