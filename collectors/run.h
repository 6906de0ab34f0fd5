/* The runner over any list of collectors, and how it explains what is missing. */
#ifndef ND_RUN_H
#define ND_RUN_H

#include "collectors/collector.h"

/* nd_collect over a list of one's own. Statuses are those of this list until the next run. */
int nd_collect_list(const struct nd_collector *const *list, uint32_t n, struct nd_source *s,
		    struct nd_facts *f, const struct nd_collect *opt, struct nd_err *e);

/* One collector within a run. */
struct nd_run_entry {
	const struct nd_collector *c;
	struct nd_collector_status *status;
	enum nd_missing why; /* of the first failure; ND_PRESENT: none */
	uint32_t existed; /* inputs that were there, readable or not */
	uint32_t calls; /* of live that succeeded */
	void *state;
	uint64_t due_ns; /* wants to be called again then; 0: at the next moment */
};
/* Says for every declared fact and kind why it is missing, should it be. */
void nd_run_explain(struct nd_run_entry *entries, uint32_t n, struct nd_facts *f, bool live);
/* What a failure is called. */
enum nd_missing nd_run_reason(int rc);
#endif
