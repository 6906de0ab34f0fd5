/* Evaluation: constants, logic, comparison and arithmetic.
 *
 * Total by construction: an expression's depth is bounded by the parser, the number of elements visited
 * by nd_visit; nothing here can fail otherwise than by an unknown. What a yes or no rests on is kept
 * in the used list, and only that: the other side of an `or` that is yes proves nothing. */
#include "engine/judge/eval.h"

#include <math.h>

#include "engine/rule/expr_match.h"

struct nd_result nd_missing_result(enum nd_missing why, const char *detail)
{
	return (struct nd_result){.t = ND_R_MISSING, .why = why, .detail = detail ? detail : ""};
}

struct nd_result nd_absent_result(void)
{
	return (struct nd_result){.t = ND_R_ABSENT, .detail = ""};
}

struct nd_result nd_number_result(double v, enum nd_basis b)
{
	return (struct nd_result){.t = ND_R_NUMBER, .basis = b, .num = v, .detail = ""};
}

struct nd_result nd_bool_result(bool yes)
{
	return (struct nd_result){.t = ND_R_BOOL, .yes = yes, .detail = ""};
}

bool nd_basis_mix(enum nd_basis a, enum nd_basis b, enum nd_basis *out)
{
	bool span_a = a == ND_B_WINDOW || a == ND_B_INTERVAL || a == ND_B_LIFETIME;
	bool span_b = b == ND_B_WINDOW || b == ND_B_INTERVAL || b == ND_B_LIFETIME;

	*out = span_a ? a : span_b ? b : a > b ? a : b;
	return !(span_a && span_b && a != b);
}

bool nd_visit(struct nd_eval *e)
{
	return ++*e->visits <= ND_MAX_VISITS;
}

struct nd_result nd_out_of_budget(struct nd_eval *e)
{
	struct nd_used u = {.what = ND_USED_BUDGET};

	u.value = nd_missing_result(ND_BUDGET, "the rule looks at more than 1,000,000 of them");
	nd_use(e, &u);
	return u.value;
}

/* ---- what was used ---- */

void nd_use(struct nd_eval *e, const struct nd_used *u)
{
	if (!e->used)
		return;
	ND_GROW(e->used->v, e->used->n, e->used->cap);
	e->used->v[e->used->n++] = *u;
}

void nd_use_room(struct nd_eval *e, uint32_t n)
{
	struct nd_used_list *l = e->used;

	if (!l || l->cap - l->n >= n)
		return;
	l->cap = l->n + n > l->cap + l->cap / 2 ? l->n + n : l->cap + l->cap / 2;
	l->v = nd_realloc(l->v, l->cap * sizeof(*l->v));
}

bool nd_used_stale(const struct nd_used *u)
{
	return u->distrusted || u->value.basis == ND_B_LIFETIME || u->value.basis == ND_B_INTERVAL;
}

bool nd_used_unknown(const struct nd_used *u)
{
	return u->value.t == ND_R_MISSING;
}

static uint32_t mark(const struct nd_eval *e)
{
	return e->used ? e->used->n : 0;
}

void nd_used_cut(struct nd_used_list *l, uint32_t from, uint32_t to)
{
	if (!l || to <= from)
		return;
	memmove(&l->v[from], &l->v[to], (l->n - to) * sizeof(*l->v));
	l->n -= to - from;
}

static bool clean_between(const struct nd_used_list *l, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; l && i < to; i++) {
		if (nd_used_stale(&l->v[i]))
			return false;
	}
	return true;
}

bool nd_used_clean(const struct nd_used_list *l, uint32_t from)
{
	return clean_between(l, from, l ? l->n : 0);
}

/* ---- logic ---- */

static bool is_answer(const struct nd_result *r, bool yes)
{
	return r->t == ND_R_ABSENT ? !yes : r->t == ND_R_BOOL && r->yes == yes;
}

/* and: decided by a no; or: decided by a yes. The decision rests on one side, a fresh one if there is. */
static struct nd_result eval_logic(const struct nd_code *c, struct nd_eval *e)
{
	bool decides = c->op == ND_O_OR;
	uint32_t n0 = mark(e), n1, n2;
	struct nd_result a = nd_eval(c->a, e), b;

	n1 = mark(e);
	if (is_answer(&a, decides) && clean_between(e->used, n0, n1))
		return a;
	b = nd_eval(c->b, e);
	n2 = mark(e);
	if (is_answer(&b, decides) && (!is_answer(&a, decides) || clean_between(e->used, n1, n2))) {
		nd_used_cut(e->used, n0, n1);
		return b;
	}
	if (is_answer(&a, decides)) {
		nd_used_cut(e->used, n1, n2);
		return a;
	}
	if (a.t == ND_R_MISSING)
		return a;
	return b.t == ND_R_MISSING ? b : nd_bool_result(!decides);
}

static struct nd_result eval_not(const struct nd_code *c, struct nd_eval *e)
{
	struct nd_result a = nd_eval(c->a, e);

	if (a.t == ND_R_ABSENT)
		return nd_bool_result(true);
	if (a.t == ND_R_BOOL)
		a.yes = !a.yes;
	return a;
}

/* ---- comparison ---- */

/* If a side is unknown the answer is; if one is absent it is no. True: *out is the answer. */
static bool settled(const struct nd_result *a, const struct nd_result *b, struct nd_result *out)
{
	if (a->t == ND_R_MISSING || b->t == ND_R_MISSING) {
		*out = a->t == ND_R_MISSING ? *a : *b;
		return true;
	}
	if (a->t == ND_R_ABSENT || b->t == ND_R_ABSENT) {
		*out = nd_bool_result(false);
		return true;
	}
	return false;
}

static bool equal(const struct nd_result *a, const struct nd_result *b)
{
	if (a->t == ND_R_NUMBER)
		return a->num == b->num;
	if (a->t == ND_R_TEXT)
		return strcmp(a->text, b->text) == 0;
	return a->t == ND_R_ENTITY ? a->id == b->id : a->yes == b->yes;
}

static struct nd_result eval_compare(const struct nd_code *c, struct nd_eval *e)
{
	struct nd_result a = nd_eval(c->a, e), b = nd_eval(c->b, e), out;
	enum nd_basis basis;

	if (settled(&a, &b, &out))
		return out;
	if (a.t == ND_R_NUMBER && !nd_basis_mix(a.basis, b.basis, &basis))
		return nd_missing_result(ND_MIXED_SPAN,
					 "one side is of the window, the other of a longer time");
	switch (c->index) {
	case ND_E_EQ: return nd_bool_result(equal(&a, &b));
	case ND_E_NE: return nd_bool_result(!equal(&a, &b));
	case ND_E_LT: return nd_bool_result(a.num < b.num);
	case ND_E_LE: return nd_bool_result(a.num <= b.num);
	case ND_E_GT: return nd_bool_result(a.num > b.num);
	default: return nd_bool_result(a.num >= b.num);
	}
}

static struct nd_result eval_match(const struct nd_code *c, struct nd_eval *e)
{
	struct nd_result a = nd_eval(c->a, e);
	int rc;

	if (a.t == ND_R_MISSING)
		return a;
	if (a.t == ND_R_ABSENT)
		return nd_bool_result(false);
	rc = nd_pattern_match(c->pattern, a.text, strlen(a.text));
	if (rc < 0)
		return nd_missing_result(ND_BUDGET, "the pattern took too many steps");
	return nd_bool_result((rc == 1) != c->rows);
}

static struct nd_result in_set(const struct nd_result *a, const struct nd_result *set)
{
	const struct nd_item *unknown = NULL;

	for (uint32_t i = 0; i < set->n; i++) {
		if (set->items[i].why == ND_PRESENT && set->items[i].id == a->id)
			return nd_bool_result(true);
		if (set->items[i].why != ND_PRESENT)
			unknown = &set->items[i];
	}
	return unknown ? nd_missing_result(unknown->why, unknown->detail) : nd_bool_result(false);
}

static struct nd_result eval_in(const struct nd_code *c, struct nd_eval *e)
{
	struct nd_result a = nd_eval(c->a, e), b = nd_eval(c->b, e), out;

	if (settled(&a, &b, &out))
		return out;
	out = b.t == ND_R_RANGE ? nd_bool_result(a.num >= b.num && a.num <= b.hi) : in_set(&a, &b);
	if (c->rows && out.t == ND_R_BOOL)
		out.yes = !out.yes;
	return out;
}

static struct nd_result eval_in_list(const struct nd_code *c, struct nd_eval *e)
{
	struct nd_result a = nd_eval(c->a, e);
	bool found = false;

	if (a.t == ND_R_MISSING)
		return a;
	if (a.t == ND_R_ABSENT)
		return nd_bool_result(false);
	for (uint32_t i = 0; i < c->n_args; i++)
		found = found || strcmp(a.text, c->args[i]->text) == 0;
	return nd_bool_result(found != c->rows);
}

/* ---- numbers ---- */

static struct nd_result eval_range(const struct nd_code *c, struct nd_eval *e)
{
	struct nd_result lo = c->a ? nd_eval(c->a, e) : nd_number_result(-INFINITY, ND_B_NONE);
	struct nd_result hi = c->b ? nd_eval(c->b, e) : nd_number_result(INFINITY, ND_B_NONE);

	if (lo.t != ND_R_NUMBER)
		return lo;
	if (hi.t != ND_R_NUMBER)
		return hi;
	lo.t = ND_R_RANGE;
	lo.hi = hi.num;
	return lo;
}

static struct nd_result eval_arith(const struct nd_code *c, struct nd_eval *e)
{
	struct nd_result a = nd_eval(c->a, e), b = nd_eval(c->b, e);
	enum nd_basis basis;
	double v;

	if (a.t == ND_R_MISSING)
		return a;
	if (b.t == ND_R_MISSING)
		return b;
	if (a.t == ND_R_ABSENT || b.t == ND_R_ABSENT)
		return nd_absent_result();
	if (!nd_basis_mix(a.basis, b.basis, &basis))
		return nd_missing_result(ND_MIXED_SPAN,
					 "one side is of the window, the other of a longer time");
	if (c->index == ND_E_DIV && b.num == 0)
		return nd_missing_result(ND_TOO_FEW_SAMPLES, "division by zero");
	v = c->index == ND_E_ADD   ? a.num + b.num
	    : c->index == ND_E_SUB ? a.num - b.num
	    : c->index == ND_E_MUL ? a.num * b.num
				   : a.num / b.num;
	if (!isfinite(v))
		return nd_missing_result(ND_TOO_FEW_SAMPLES, "no finite number");
	return nd_number_result(v, basis);
}

static struct nd_result eval_neg(const struct nd_code *c, struct nd_eval *e)
{
	struct nd_result a = nd_eval(c->a, e);

	a.num = -a.num;
	return a;
}

static struct nd_result eval_constant(const struct nd_code *c, struct nd_eval *e)
{
	struct nd_result r = {.t = ND_R_TEXT, .text = c->text, .detail = ""};

	(void)e;
	if (c->op == ND_O_NUMBER)
		return nd_number_result(c->num, ND_B_NONE);
	return c->op == ND_O_BOOL ? nd_bool_result(c->num != 0) : r;
}

/* A let is computed once a walk; later uses rest on the same facts. */
static struct nd_result eval_let(const struct nd_code *c, struct nd_eval *e)
{
	struct nd_eval outer = *e;
	struct nd_let_memo *m = e->lets && !c->let->code->memo ? &e->lets[c->let->slot] : NULL;
	struct nd_used_list own = {0};
	uint32_t from;

	outer.element = ND_NO_ENTITY;
	if (!m)
		return nd_eval(c->let->code, &outer);
	if (m->done) {
		for (uint32_t i = 0; i < m->n_used; i++)
			nd_use(e, &m->used[i]);
		return m->value;
	}
	if (!e->used && !e->run->silent)
		outer.used = &own;
	from = mark(&outer);
	m->value = nd_eval(c->let->code, &outer);
	m->done = true;
	m->n_used = mark(&outer) - from;
	if (m->n_used) {
		m->used = nd_work(e, m->n_used * sizeof(*m->used));
		memcpy(m->used, &outer.used->v[from], m->n_used * sizeof(*m->used));
	}
	free(own.v);
	return m->value;
}

typedef struct nd_result eval_fn(const struct nd_code *, struct nd_eval *);

struct nd_result nd_eval_plain(const struct nd_code *c, struct nd_eval *e)
{
	static eval_fn *const by[] = {
		[ND_O_NUMBER] = eval_constant,
		[ND_O_TEXT] = eval_constant,
		[ND_O_BOOL] = eval_constant,
		[ND_O_LET] = eval_let,
		[ND_O_LOOP] = nd_eval_path,
		[ND_O_THIS] = nd_eval_path,
		[ND_O_ELEMENT] = nd_eval_path,
		[ND_O_ABOUT] = nd_eval_path,
		[ND_O_FOUND] = nd_eval_path,
		[ND_O_ONE] = nd_eval_path,
		[ND_O_ALL] = nd_eval_path,
		[ND_O_BY_KEY] = nd_eval_path,
		[ND_O_FACT] = nd_eval_path,
		[ND_O_RELATION] = nd_eval_path,
		[ND_O_KEY] = nd_eval_path,
		[ND_O_TALLY] = nd_eval_path,
		[ND_O_LOG] = nd_eval_path,
		[ND_O_COLUMN] = nd_eval_path,
		[ND_O_ROW] = NULL,
		[ND_O_DERIVED] = nd_eval_path,
		[ND_O_FILTER] = nd_eval_path,
		[ND_O_CALL] = nd_eval_call,
		[ND_O_NEG] = eval_neg,
		[ND_O_NOT] = eval_not,
		[ND_O_AND] = eval_logic,
		[ND_O_OR] = eval_logic,
		[ND_O_COMPARE] = eval_compare,
		[ND_O_MATCH] = eval_match,
		[ND_O_IN] = eval_in,
		[ND_O_IN_LIST] = eval_in_list,
		[ND_O_RANGE] = eval_range,
		[ND_O_ARITH] = eval_arith,
	};

	if (c->op == ND_O_ROW) { /* loops holds the columns: see nd_eval_row */
		double v = ((const double *)(const void *)e->loops)[c->index];

		return isnan(v) ? nd_missing_result(ND_NOT_ON_THIS_KERNEL,
						    "a column that this source does not give")
				: nd_number_result(v, ND_B_WINDOW);
	}
	return by[c->op](c, e);
}

struct nd_result nd_eval(const struct nd_code *c, struct nd_eval *e)
{
	return c->memo ? nd_eval_memo(c, e) : nd_eval_plain(c, e);
}

struct nd_result nd_eval_row(const struct nd_code *where, const double *columns)
{
	uint64_t visits = 0;
	struct nd_eval e = {.loops = (const nd_id *)(const void *)columns,
			    .visits = &visits,
			    .element = ND_NO_ENTITY};

	return nd_eval(where, &e);
}

struct nd_result nd_eval_member(const struct nd_code *c, nd_id member, struct nd_eval *e)
{
	nd_id outer = e->element;
	struct nd_result r;

	e->element = member;
	r = nd_eval(c, e);
	e->element = outer;
	return r;
}

enum nd_answer nd_ask(const struct nd_code *c, struct nd_eval *e, struct nd_result *out)
{
	*out = nd_eval(c, e);
	if (out->t == ND_R_MISSING)
		return ND_UNKNOWN;
	return out->t == ND_R_BOOL && out->yes ? ND_YES : ND_NO;
}
