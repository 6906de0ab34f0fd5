/* The mutants of a rule file: each replaces one piece of its text. */
#ifndef ND_MUTATE_PLAN_H
#define ND_MUTATE_PLAN_H

#include "engine/rule/rules.h"

struct mutant {
	size_t from, to; /* bytes of the file that are replaced */
	const char *by;
	uint32_t line;
	const char *name; /* "trees.ring.tree[0].test op 1 [> -> >=]" */
};
struct plan { /* everything lives in the arena, but v */
	struct nd_arena arena;
	const struct nd_rules_file *file;
	struct mutant *v;
	uint32_t n, cap;
};

/* All mutants of a file. False with a message on standard output if it is no YAML; to be freed all the same. */
bool plan_make(struct plan *p, const struct nd_rules_file *file);
void plan_free(struct plan *p);
#endif
