/* The parts of the assembly of findings. */
#ifndef ND_ASSEMBLE_H
#define ND_ASSEMBLE_H

#include "engine/judge/walk.h"

void nd_assemble_finding(struct nd_run *run, const struct nd_outcome *o, const struct nd_walk *w,
			 struct nd_finding *out);
/* One answer of a walk; e is the walk's. */
void nd_assemble_evidence(struct nd_run *run, const struct nd_walk *w, const struct nd_answered *a,
			  struct nd_eval *e, struct nd_evidence *out);
/* What is unknown among the used, once each. */
struct nd_missing_fact *nd_missing_facts(struct nd_run *run, const struct nd_rule *rule,
					 const struct nd_used *u, uint32_t n, uint32_t *count);
/* Causes that nobody found: ruled out, open; trees not examined; the verdict and the next step. */
void nd_assemble_rest(struct nd_run *run, const struct nd_outcome *o, struct nd_findings *out);
#endif
