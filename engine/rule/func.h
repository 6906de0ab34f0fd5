/* The functions of expressions as a table: the checker, the evaluation and the reference read it. */
#ifndef ND_FUNC_H
#define ND_FUNC_H

#include "engine/rule/code.h"

enum nd_func_id {
	ND_F_RATIO,
	ND_F_SHARE,
	ND_F_IMBALANCE,
	ND_F_SUM,
	ND_F_MEAN,
	ND_F_MEDIAN,
	ND_F_MIN,
	ND_F_MAX,
	ND_F_P50,
	ND_F_P90,
	ND_F_P95,
	ND_F_P99,
	ND_F_P999,
	ND_F_COUNT,
	ND_F_ANY,
	ND_F_ALL,
	ND_F_NONE,
	ND_F_ARGMAX,
	ND_F_ARGMIN,
	ND_F_ONLY,
	ND_F_TOP,
	ND_F_TAKE,
	ND_F_UNION,
	ND_F_COMMON,
	ND_F_WITHOUT,
	ND_F_KNOWN,
	ND_F_MODE,
	ND_F_FRACTION,
	ND_F_ABS,
	ND_F_CLAMP,
	ND_F_ROUND_UP,
	ND_F_POW2,
	ND_F_IF,
	ND_F_COALESCE,
	ND_F_PRESENT,
	ND_F_ABSENT,
	ND_F_CPUMASK,
	ND_F_CPULIST,
	ND_F_NAMES,
	ND_FUNCS
};
struct nd_func {
	const char *name;
	enum nd_func_id id;
	uint8_t min_args, max_args; /* 255: any number */
	/* Checks c->args (already checked, but for those after the first of a set function, which are checked inside the
	 * element) and sets c->type. */
	bool (*check)(struct nd_code *c, const struct nd_expr *x, const struct nd_scope *s,
		      struct nd_expr_error *e);
	bool set_first; /* further arguments are seen from the members of the first */
	const char *usage, *doc;
};
extern const struct nd_func nd_funcs[ND_FUNCS];
#endif
