/* The functions of the language: one row each, with what it takes and what comes out. */
#include "engine/rule/code.h"
#include "engine/rule/func.h"

typedef const struct nd_expr nd_x;
typedef const struct nd_scope nd_s;

static bool fail(struct nd_expr_error *e, nd_x *x, const char *what)
{
	nd_check_fail(e, x->pos, "%s", what);
	return false;
}

static struct nd_xtype plain(struct nd_xtype t)
{
	t.literal = t.zero = false;
	return t;
}

static struct nd_xtype number_of(enum nd_number_kind k)
{
	return (struct nd_xtype){.t = ND_X_NUMBER, .number = k};
}

/* The type of a list's member. */
static struct nd_xtype member(struct nd_xtype list)
{
	list.t = list.of;
	return list;
}

static bool same_numbers(struct nd_code *c, nd_x *x, struct nd_expr_error *e)
{
	uint32_t real = 0; /* one that is no bare number says what they are */

	for (uint32_t i = 1; i < c->n_args && c->args[real]->type.number == ND_N_PLAIN; i++)
		real = c->args[i]->type.zero ? real : i;
	for (uint32_t i = 0; i < c->n_args; i++) {
		if (c->args[i]->type.t != ND_X_NUMBER)
			return fail(e, x->args[i], "numbers are needed here");
		if (!nd_same_unit(&c->args[i]->type, &c->args[real]->type))
			return fail(e, x->args[i], "all must have one unit");
	}
	c->type = plain(c->args[real]->type);
	return true;
}

/* (list) or (set, number) or (histogram); min and max also (a, b, …). */
static bool check_aggregate(struct nd_code *c, nd_x *x, nd_s *s, struct nd_expr_error *e)
{
	const struct nd_xtype *t = &c->args[0]->type;
	enum nd_func_id f = c->func->id;

	(void)s;
	if (t->t == ND_X_NUMBER && (f == ND_F_MIN || f == ND_F_MAX) && c->n_args >= 2)
		return same_numbers(c, x, e);
	if (t->t == ND_X_HIST && c->n_args == 1 && f != ND_F_SUM && f != ND_F_MIN &&
	    f != ND_F_IMBALANCE) {
		c->type = number_of(t->number);
		c->type.dims = t->dims;
		return true;
	}
	if (t->t == ND_X_LIST && t->of == ND_X_NUMBER && c->n_args == 1) {
		c->type = plain(member(*t));
	} else if (t->t == ND_X_SET && c->n_args == 2) {
		if (c->args[1]->type.t != ND_X_NUMBER)
			return fail(e, x->args[1], "a number of each member is needed here");
		c->type = plain(c->args[1]->type);
	} else {
		return fail(e, x,
			    "it takes a list of numbers, or a set and a number of each member");
	}
	if (f == ND_F_IMBALANCE)
		c->type = number_of(ND_N_RATIO);
	return true;
}

static bool check_ratio(struct nd_code *c, nd_x *x, nd_s *s, struct nd_expr_error *e)
{
	const struct nd_xtype *a = &c->args[0]->type, *b = &c->args[1]->type,
			      *floor = &c->args[2]->type;
	unsigned pair = 1u << a->number | 1u << b->number;

	(void)s;
	if (a->t != ND_X_NUMBER || b->t != ND_X_NUMBER || floor->t != ND_X_NUMBER)
		return fail(e, x, "ratio(number, number, floor)");
	if (pair == (1u << ND_N_SEEN | 1u << ND_N_COUNT) && !a->dims.time && !b->dims.time)
		return fail(e, x, ".seen and a count of the window span different times");
	if (!nd_same_unit(floor, b))
		return fail(e, x->args[2], "the floor has the unit of the second number");
	c->type = number_of(ND_N_RATIO);
	if (!nd_combine_dims(a->dims, b->dims, -1, &c->type.dims, x->pos, e))
		return false;
	if (c->type.dims.time || c->type.dims.data)
		c->type.number = ND_N_COUNT;
	return true;
}

static struct nd_code *sum_of(struct nd_code *list, nd_s *s)
{
	struct nd_code *sum = nd_code_new(s, ND_O_CALL, list->pos, plain(member(list->type)));

	sum->func = &nd_funcs[ND_F_SUM];
	sum->args = nd_arena_alloc(s->arena, sizeof(*sum->args));
	sum->args[0] = list;
	sum->n_args = 1;
	return sum;
}

static bool check_share(struct nd_code *c, nd_x *x, nd_s *s, struct nd_expr_error *e)
{
	const struct nd_xtype *a = &c->args[0]->type, *b = &c->args[1]->type;

	if (a->t != ND_X_NUMBER || b->t != ND_X_LIST || b->of != ND_X_NUMBER ||
	    !nd_same_dims(a->dims, b->dims))
		return fail(e, x, "share(number, list of numbers of the same unit)");
	c->args[1] = sum_of(c->args[1], s); /* which a run remembers, whatever x depends on */
	c->type = number_of(ND_N_RATIO);
	return true;
}

static bool check_count(struct nd_code *c, nd_x *x, nd_s *s, struct nd_expr_error *e)
{
	enum nd_xt t = c->args[0]->type.t;

	(void)s;
	c->type = number_of(ND_N_COUNT);
	return t == ND_X_SET || t == ND_X_LIST || t == ND_X_HIST ||
	       fail(e, x, "count needs a set, a list or a histogram");
}

static bool check_any(struct nd_code *c, nd_x *x, nd_s *s, struct nd_expr_error *e)
{
	(void)s;
	if (c->args[0]->type.t != ND_X_SET || c->args[1]->type.t != ND_X_BOOL)
		return fail(e, x, "it takes a set and a question about its members");
	c->of_age = nd_mentions_age(x->args[1]);
	c->type = (struct nd_xtype){.t = ND_X_BOOL};
	return true;
}

static bool check_arg(struct nd_code *c, nd_x *x, nd_s *s, struct nd_expr_error *e)
{
	(void)s;
	if (c->args[0]->type.t != ND_X_SET || c->args[1]->type.t != ND_X_NUMBER)
		return fail(e, x, "it takes a set and a number of each member");
	c->type = c->args[0]->type;
	c->type.t = ND_X_ENTITY;
	return true;
}

static bool check_top(struct nd_code *c, nd_x *x, nd_s *s, struct nd_expr_error *e)
{
	bool take = c->func->id == ND_F_TAKE;

	/* The set is the second argument: the third is seen from its members. */
	if (c->args[0]->type.t != ND_X_NUMBER || c->args[1]->type.t != ND_X_SET)
		return fail(e, x,
			    take ? "take(number, set)" : "top(number, set, number of each member)");
	if (!take) {
		c->args[2] = nd_check_element(x->args[2], s, c->args[1]->type, e);
		if (!c->args[2])
			return false;
		if (c->args[2]->type.t != ND_X_NUMBER)
			return fail(e, x->args[2], "a number of each member is needed here");
	}
	c->type = c->args[1]->type;
	return true;
}

static bool check_only(struct nd_code *c, nd_x *x, nd_s *s, struct nd_expr_error *e)
{
	(void)s;
	c->type = c->args[0]->type;
	if (c->type.t != ND_X_SET)
		return fail(e, x, "only needs a set");
	c->type.t = ND_X_ENTITY;
	return true;
}

static bool check_known(struct nd_code *c, nd_x *x, nd_s *s, struct nd_expr_error *e)
{
	(void)s;
	c->type = c->args[0]->type;
	return c->type.t == ND_X_SET || c->type.t == ND_X_LIST ||
	       fail(e, x, "known needs a set or a list");
}

static bool check_sets(struct nd_code *c, nd_x *x, nd_s *s, struct nd_expr_error *e)
{
	const struct nd_xtype *a = &c->args[0]->type, *b = &c->args[1]->type;

	(void)s;
	c->type = *a;
	if (a->t != ND_X_SET || (b->t != ND_X_SET && b->t != ND_X_ENTITY) || a->kind != b->kind ||
	    a->log != b->log)
		return fail(e, x, "it takes a set, and a set or an entity of the same kind");
	return true;
}

static bool check_hist(struct nd_code *c, nd_x *x, nd_s *s, struct nd_expr_error *e)
{
	(void)s;
	c->type = number_of(ND_N_COUNT);
	c->type.dims = c->args[0]->type.dims;
	c->type.number = c->args[0]->type.number;
	return c->args[0]->type.t == ND_X_HIST || fail(e, x, "it needs a histogram");
}

static bool check_fraction(struct nd_code *c, nd_x *x, nd_s *s, struct nd_expr_error *e)
{
	const struct nd_xtype *h = &c->args[0]->type, *r = &c->args[1]->type;

	(void)s;
	c->type = number_of(ND_N_PERCENT);
	if (h->t != ND_X_HIST || r->t != ND_X_RANGE || !nd_same_unit(h, r))
		return fail(e, x, "fraction(histogram, a..b), both of one unit");
	return true;
}

static bool check_numbers(struct nd_code *c, nd_x *x, nd_s *s, struct nd_expr_error *e)
{
	(void)s;
	return same_numbers(c, x, e);
}

static bool check_if(struct nd_code *c, nd_x *x, nd_s *s, struct nd_expr_error *e)
{
	const struct nd_xtype *a = &c->args[1]->type, *b = &c->args[2]->type;

	(void)s;
	c->type = plain(a->zero ? *b : *a);
	if (c->args[0]->type.t != ND_X_BOOL)
		return fail(e, x->args[0], "if needs a question first");
	if (!nd_same_type(a, b))
		return fail(e, x, "both answers of if must be of one kind and unit");
	return true;
}

static bool check_coalesce(struct nd_code *c, nd_x *x, nd_s *s, struct nd_expr_error *e)
{
	struct nd_xtype a = c->args[0]->type;

	(void)s;
	for (uint32_t i = 1; i < c->n_args; i++) {
		const struct nd_xtype *b = &c->args[i]->type;

		if (!nd_same_type(&a, b))
			return fail(e, x->args[i],
				    "all values of coalesce must be of one kind and unit");
		a = a.zero ? *b : a;
	}
	c->type = plain(a);
	return true;
}

static bool check_present(struct nd_code *c, nd_x *x, nd_s *s, struct nd_expr_error *e)
{
	(void)x;
	(void)s;
	(void)e;
	c->type = (struct nd_xtype){.t = ND_X_BOOL};
	return true;
}

static bool check_cpus(struct nd_code *c, nd_x *x, nd_s *s, struct nd_expr_error *e)
{
	const struct nd_xtype *a = &c->args[0]->type;

	(void)s;
	c->type = (struct nd_xtype){.t = ND_X_SAFE};
	return (a->t == ND_X_SET && a->kind == ND_CPU) || fail(e, x, "it needs a set of CPUs");
}

static bool check_names(struct nd_code *c, nd_x *x, nd_s *s, struct nd_expr_error *e)
{
	const struct nd_xtype *a = &c->args[0]->type;

	(void)s;
	c->type = (struct nd_xtype){.t = ND_X_TEXT};
	if ((a->t == ND_X_SET && a->kind != ND_NO_KIND) ||
	    (a->t == ND_X_LIST && a->of == ND_X_TEXT))
		return true;
	return fail(e, x, "names needs a set, or a list of texts");
}

#define AGGREGATE(name, id, doc)                                                                   \
	{                                                                                          \
		name, id, 1, 255, check_aggregate, true, name "(list | set, number)", doc          \
	}

const struct nd_func nd_funcs[ND_FUNCS] = {
	{"ratio", ND_F_RATIO, 3, 3, check_ratio, false, "ratio(a, b, floor)",
	 "a / b; 0 if a is 0; too-few-samples while b < floor"},
	{"share", ND_F_SHARE, 2, 2, check_share, false, "share(x, list)", "x / sum of the list"},
	{"imbalance", ND_F_IMBALANCE, 1, 2, check_aggregate, true, "imbalance(list | set, number)",
	 "largest / mean"},
	AGGREGATE("sum", ND_F_SUM, "sum; of nothing 0"),
	AGGREGATE("mean", ND_F_MEAN, "mean; of nothing absent"),
	AGGREGATE("median", ND_F_MEDIAN, "median; of nothing absent"),
	AGGREGATE("min", ND_F_MIN, "smallest; of nothing absent"),
	AGGREGATE("max", ND_F_MAX, "largest; of nothing absent"),
	AGGREGATE("p50", ND_F_P50, "50th percentile"),
	AGGREGATE("p90", ND_F_P90, "90th percentile"),
	AGGREGATE("p95", ND_F_P95, "95th percentile"),
	AGGREGATE("p99", ND_F_P99, "99th percentile"),
	AGGREGATE("p999", ND_F_P999, "99.9th percentile"),
	{"count", ND_F_COUNT, 1, 1, check_count, false, "count(set | list | histogram)",
	 "how many"},
	{"any", ND_F_ANY, 2, 2, check_any, true, "any(set, question)",
	 "does one member answer yes"},
	{"all", ND_F_ALL, 2, 2, check_any, true, "all(set, question)",
	 "do all members answer yes; no if there is none"},
	{"none", ND_F_NONE, 2, 2, check_any, true, "none(set, question)", "not any"},
	{"argmax", ND_F_ARGMAX, 2, 2, check_arg, true, "argmax(set, number)",
	 "the member with the largest number"},
	{"argmin", ND_F_ARGMIN, 2, 2, check_arg, true, "argmin(set, number)",
	 "the member with the smallest number"},
	{"only", ND_F_ONLY, 1, 1, check_only, false, "only(set)", "the single member, else absent"},
	{"top", ND_F_TOP, 3, 3, check_top, false, "top(n, set, number)",
	 "the n members with the largest numbers"},
	{"take", ND_F_TAKE, 2, 2, check_top, false, "take(n, set)", "the first n members"},
	{"union", ND_F_UNION, 2, 2, check_sets, false, "union(set, set)", "members of either"},
	{"common", ND_F_COMMON, 2, 2, check_sets, false, "common(set, set)", "members of both"},
	{"without", ND_F_WITHOUT, 2, 2, check_sets, false, "without(set, set | entity)",
	 "members of the first only"},
	{"known", ND_F_KNOWN, 1, 1, check_known, false, "known(set | list)",
	 "without its unknown members"},
	{"mode", ND_F_MODE, 1, 1, check_hist, false, "mode(histogram)",
	 "middle of the fullest bucket"},
	{"fraction", ND_F_FRACTION, 2, 2, check_fraction, false, "fraction(histogram, a..b)",
	 "share of the samples in the range"},
	{"abs", ND_F_ABS, 1, 1, check_numbers, false, "abs(x)", "without its sign"},
	{"clamp", ND_F_CLAMP, 3, 3, check_numbers, false, "clamp(x, lo, hi)",
	 "x, but at least lo and at most hi"},
	{"round_up", ND_F_ROUND_UP, 2, 2, check_numbers, false, "round_up(x, step)",
	 "the next multiple of step"},
	{"pow2", ND_F_POW2, 1, 1, check_numbers, false, "pow2(x)",
	 "smallest power of two that is not below x"},
	{"if", ND_F_IF, 3, 3, check_if, false, "if(question, a, b)", "a on yes, b on no"},
	{"coalesce", ND_F_COALESCE, 2, 255, check_coalesce, false, "coalesce(a, b, …)",
	 "the first that is known"},
	{"present", ND_F_PRESENT, 1, 1, check_present, false, "present(x)",
	 "is it known and there"},
	{"absent", ND_F_ABSENT, 1, 1, check_present, false, "absent(x)",
	 "is it known not to exist"},
	{"cpumask", ND_F_CPUMASK, 1, 1, check_cpus, false, "cpumask(cpus)",
	 "as in rps_cpus: f,00000000"},
	{"cpulist", ND_F_CPULIST, 1, 1, check_cpus, false, "cpulist(cpus)", "0-3,8"},
	{"names", ND_F_NAMES, 1, 1, check_names, false, "names(set | list)", "a, b, c and 4 more"},
};

static struct nd_code *check_by_key(nd_x *x, nd_s *s, struct nd_expr_error *e)
{
	enum nd_kind kind = nd_kind_by_name(x->text, false);
	struct nd_code *c;

	if (kind != ND_NO_KIND && nd_kinds[kind].plural && x->n_args != 1)
		return nd_check_fail(e, x->pos, "%u argument%s, expected %s(key)", x->n_args,
				     x->n_args == 1 ? "" : "s", x->text);
	if (kind != ND_NO_KIND && s->row)
		return nd_check_fail(e, x->pos, "only the columns of %s are known here",
				     s->row->name);
	if (kind == ND_NO_KIND || !nd_kinds[kind].plural) {
		const char *names[ND_FUNCS], *near;

		for (unsigned i = 0; i < ND_FUNCS; i++)
			names[i] = nd_funcs[i].name;
		near = nd_nearest(x->text, names, ND_FUNCS);
		return nd_check_fail(e, x->pos, "no function \"%s\"%s%s", x->text,
				     near ? "; nearest is " : "", near ? near : "");
	}
	c = nd_code_new(s, ND_O_BY_KEY, x->pos, (struct nd_xtype){.t = ND_X_ENTITY, .kind = kind});
	c->kind = kind;
	c->a = nd_check(x->args[0], s, e);
	if (!c->a)
		return NULL;
	if (c->a->type.t != ND_X_TEXT && c->a->type.t != ND_X_NUMBER)
		return nd_check_fail(e, x->args[0]->pos, "a key is text or a number");
	return c;
}

static const struct nd_func *find(const char *name)
{
	for (unsigned i = 0; i < ND_FUNCS; i++) {
		if (strcmp(nd_funcs[i].name, name) == 0)
			return &nd_funcs[i];
	}
	return NULL;
}

struct nd_code *nd_check_call(const struct nd_expr *x, const struct nd_scope *s,
			      struct nd_expr_error *e)
{
	const struct nd_func *f = find(x->text);
	struct nd_code *c;

	if (!f)
		return check_by_key(x, s, e);
	if (x->n_args < f->min_args || x->n_args > f->max_args)
		return nd_check_fail(e, x->pos, "%u argument%s, expected %s", x->n_args,
				     x->n_args == 1 ? "" : "s", f->usage);
	c = nd_code_new(s, ND_O_CALL, x->pos, (struct nd_xtype){.t = ND_X_BOOL});
	c->func = f;
	c->n_args = x->n_args;
	c->args = nd_arena_alloc(s->arena, x->n_args * sizeof(*c->args));
	for (uint32_t i = 0; i < x->n_args; i++) {
		if (f->id == ND_F_TOP && i == 2)
			break; /* check_top looks at it */
		if (i > 0 && f->set_first && c->args[0]->type.t == ND_X_SET)
			c->args[i] = nd_check_element(x->args[i], s, c->args[0]->type, e);
		else
			c->args[i] = nd_check(x->args[i], s, e);
		if (!c->args[i])
			return NULL;
	}
	return f->check(c, x, s, e) ? c : NULL;
}
