/* The inside of given.c and given_values.c. */
#ifndef ND_GIVEN_IMPL_H
#define ND_GIVEN_IMPL_H

#include "engine/judge/given.h"

struct nd_giver {
	struct nd_given *g;
	struct nd_run *run;
	const struct nd_rule *rule;
	const struct nd_yaml *at;
	char *why;
	size_t size;
	struct side { /* relations that were said, by side */
		nd_id on;
		enum nd_relation rel;
		bool inverse;
		const struct nd_yaml *value;
		nd_id *ids;
		uint32_t n;
	} * sides;
	uint32_t n_sides, cap_sides;
};

/* False, with the reason and its place kept. */
bool nd_giver_wrong(struct nd_giver *s, const struct nd_yaml *at, const char *fmt, ...)
	ND_PRINTF(3, 4);
/* Length of a fact's name without .rate, .delta, .total, .peak. */
size_t nd_giver_base(const char *fact);
bool nd_giver_number(struct nd_giver *s, const struct nd_yaml *y, double *out);
/* {missing: REASON}: 1; absent: 2; else 0; -1: wrong. */
int nd_giver_special(struct nd_giver *s, const struct nd_yaml *y, enum nd_missing *why);
bool nd_giver_fact(struct nd_giver *s, nd_id on, const struct nd_given_line *l);
#endif
