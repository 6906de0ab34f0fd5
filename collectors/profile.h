/* Facts of profiles: what the CPUs were seen to run, and where packets were thrown away. */
#ifndef ND_PROFILE_H
#define ND_PROFILE_H

#include "collectors/collector.h"
#include "collectors/function.h"

enum { ND_PROFILE_IDLE, ND_PROFILE_DROPS, ND_PROFILE_DROP_REASON };
/* Index it with the names above. */
extern const struct nd_fact_def nd_profile_facts[];

/* Samples by symbol, while a profile is being read. Zero is empty; the array is the owner's to free. */
struct nd_profile {
	struct nd_profile_row {
		char symbol[ND_SYMBOL_MAX];
		double share; /* of all samples; or their number, until it is scaled */
	} * rows;
	uint32_t n, cap;
};
void nd_profile_add(struct nd_profile *p, const char *symbol, double share);
/* Puts the shares of kernel functions, of the time in which the CPUs were not idle. total is what all rows and the
 * rest add up to: 1 for shares. */
void nd_profile_put(const struct nd_profile *p, double total, struct nd_facts *f,
		    const struct nd_input *in);
#endif
