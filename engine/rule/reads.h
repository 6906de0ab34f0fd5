/* What a rule reads: facts, thresholds, lets and derived facts, in the order of their first use. */
#ifndef ND_READS_H
#define ND_READS_H

#include "engine/rule/rule.h"

struct nd_read_fact {
	nd_fact_id fact;
	uint32_t accessors; /* bit for each enum nd_accessor */
};
/* Zero is empty. What it points to belongs to the rules. */
struct nd_reads {
	const struct nd_rule *rule; /* whose thresholds are looked for; NULL: of libraries only */
	struct nd_read_fact *facts;
	uint32_t n_facts, cap_facts;
	const struct nd_param **params;
	uint32_t n_params, cap_params;
	const struct nd_let **lets;
	uint32_t n_lets, cap_lets;
	const struct nd_derived **derived;
	uint32_t n_derived, cap_derived;
	uint32_t *logs, n_logs, cap_logs; /* of the rule: log patterns and tallies, by index */
	uint32_t *tallies, n_tallies, cap_tallies;
};
/* Adds what an expression, a text, a tree's gate and questions, or a whole rule with its fixes and notes reads.
 * NULL adds nothing. */
void nd_reads_code(struct nd_reads *r, const struct nd_code *c);
void nd_reads_text(struct nd_reads *r, const struct nd_ctext *t);
void nd_reads_tree(struct nd_reads *r, const struct nd_tree *t);
void nd_reads_rule(struct nd_reads *r, const struct nd_rule *rule);
void nd_reads_free(struct nd_reads *r);
#endif
