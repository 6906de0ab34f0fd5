/* The inside of the store, shared by the files that put and those that read. */
#ifndef ND_FACT_IMPL_H
#define ND_FACT_IMPL_H

#include "engine/core/fact.h"

enum nd_cell_state { ND_C_EMPTY, ND_C_VALUE, ND_C_ABSENT, ND_C_MISSING };

/* One fact of one entity. */
struct nd_cell {
	enum nd_cell_state state;
	enum nd_missing why; /* ND_C_MISSING */
	const char *detail, *source;
	uint32_t speaker; /* who put it */
	uint32_t n; /* readings or samples */
	uint64_t first_ns, last_ns;
	bool interval; /* a difference of unknown length */
	bool reset; /* went backwards */
	bool untimed; /* the time between its readings is not known */
	bool fixed; /* put by nd_put_counter: x holds */
	union {
		struct {
			double first, last, min, max, sum;
		} gauge;
		struct {
			uint64_t last, delta;
			double peak; /* per second; negative: none yet */
		} count;
		struct {
			double total, delta, rate, peak; /* NaN: unset */
		} x;
		struct {
			const char *first, *last;
		} text;
		struct {
			bool first, last;
		} yes;
		const struct nd_hist *hist;
	};
};
struct nd_column_store {
	const struct nd_fact_def *def;
	struct nd_cell *cells; /* indexed by the entity's slot in its kind */
	uint32_t n;
	bool explained; /* nd_fact_missing was called */
	enum nd_missing why;
	const char *detail;
};
struct nd_entity_row {
	enum nd_kind kind;
	uint32_t slot;
	const char *key, *name;
	uint32_t next; /* hash chain */
};
struct nd_kind_list {
	nd_id *ids; /* by slot */
	uint32_t n, cap;
	nd_id *sorted; /* NULL: has to be made again */
	bool read;
	struct nd_status status;
};
enum nd_link_state { ND_L_UNSET, ND_L_KNOWN, ND_L_MISSING };
struct nd_link_list {
	nd_id *ids;
	uint32_t n, cap;
	enum nd_link_state state;
	enum nd_missing why;
	const char *detail;
};
struct nd_link_column {
	struct nd_link_list *lists; /* by slot */
	uint32_t n;
};

/* Texts that many entities have, such as "up": one copy of each. */
struct nd_text {
	struct nd_text *next;
	char s[];
};
#define ND_TEXT_CHAINS 512u

#define ND_HASH_SIZE 4096u
struct nd_facts {
	const struct nd_registry *registry;
	struct nd_arena arena;
	struct nd_column_store *columns; /* by fact id */
	struct nd_entity_row *entities;
	uint32_t n_entities, cap_entities;
	uint32_t hash[ND_HASH_SIZE]; /* entity + 1; 0: none */
	struct nd_kind_list kinds[ND_KINDS];
	struct nd_text *texts[ND_TEXT_CHAINS];
	struct nd_link_column links[ND_RELATIONS][2];
	struct nd_log_line *log;
	uint32_t n_log, cap_log;
	bool log_read;
	struct nd_status log_status;
	const char **contradictions;
	uint32_t n_contradictions, cap_contradictions;
	nd_row_sink *sink;
	void *sink_ctx;
	nd_row_sink *recorder;
	void *recorder_ctx;
	struct nd_save_meta *meta; /* of the capture that it was read from, or NULL */
	uint32_t speaker;
	enum nd_missing default_why;
};

nd_fact_id nd_registry_id(const struct nd_registry *r, const struct nd_fact_def *def);
/* The cell, grown to exist; or NULL if the fact is not registered or not for this kind (aborts in debug builds). */
struct nd_cell *nd_cell_for(struct nd_facts *f, nd_id on, const struct nd_fact_def *def);
static inline const struct nd_cell *nd_cell_of(const struct nd_facts *f, nd_id on, nd_fact_id fact)
{
	const struct nd_column_store *c = &f->columns[fact];
	uint32_t slot = f->entities[on].slot;

	return slot < c->n ? &c->cells[slot] : NULL;
}
struct nd_link_list *nd_links_for(struct nd_facts *f, nd_id on, enum nd_relation rel, bool inverse);
#endif
