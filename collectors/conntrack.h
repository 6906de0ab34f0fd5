/* The facts of connection tracking, which /proc, `conntrack` and `sysctl -a` all give. */
#ifndef ND_CONNTRACK_H
#define ND_CONNTRACK_H

#include "collectors/collector.h"

enum nd_conntrack_fact {
	ND_CT_MAX,
	ND_CT_BUCKETS,
	ND_CT_COUNT,
	ND_CT_COUNTERS, /* from here on: sums over the processors */
	ND_CT_DROP = ND_CT_COUNTERS,
	ND_CT_EARLY_DROP,
	ND_CT_INSERT_FAILED,
	ND_CT_INSERT,
	ND_CT_NAT_PORTS_TAKEN,
	ND_CT_INVALID,
	ND_CT_CLASH_RESOLVE,
	ND_CT_CHAIN_TOO_LONG,
	ND_CT_SEARCH_RESTART,
	ND_CT_ERROR,
	ND_CT_FACTS
};
extern const struct nd_fact_def nd_conntrack_facts[ND_CT_FACTS + 1]; /* ends with name NULL */

/* Sums of per-processor counters while the rows are read. A counter is known only if every row had
 * it. */
struct nd_conntrack_sums {
	uint64_t sum[ND_CT_FACTS];
	uint32_t rows;
	bool cut; /* the input ends within a row: those of other processors may be missing */
	uint32_t had[ND_CT_FACTS]; /* rows with this counter */
	uint32_t last[ND_CT_FACTS]; /* the last of them, from 1 */
};
/* Adds a counter of the row that `rows` has counted; only the first of that name in a row counts.
 */
void nd_conntrack_add(struct nd_conntrack_sums *sums, int fact, uint64_t v);
/* Which counter a column of /proc/net/stat/nf_conntrack or a key of `conntrack -S` is, or -1. */
int nd_conntrack_column(const char *name);
/* Puts the sums; what no row had is not on this kernel, what some rows lacked is missing. */
void nd_conntrack_put(struct nd_facts *f, const struct nd_conntrack_sums *sums,
		      const struct nd_input *in);

#endif
