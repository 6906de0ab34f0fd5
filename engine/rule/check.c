/* The checker: names, types and units of an expression, when the rule is loaded.
 *
 * A rule that passes cannot meet a type error when it is evaluated; what can still happen there is only
 * that a value is unknown or absent. */
#include "engine/rule/code.h"

#include <math.h>

#include "engine/rule/expr_match.h"

void *nd_check_fail(struct nd_expr_error *e, uint32_t pos, const char *fmt, ...)
{
	va_list ap;

	e->pos = pos;
	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	return NULL;
}

struct nd_code *nd_code_new(const struct nd_scope *s, enum nd_op op, uint32_t pos,
			    struct nd_xtype type)
{
	struct nd_code *c = nd_arena_alloc(s->arena, sizeof(*c));

	c->op = op;
	c->pos = pos;
	c->type = type;
	c->fact = -1;
	return c;
}

static const struct nd_xtype BOOL_TYPE = {.t = ND_X_BOOL};

static bool same_code(const struct nd_expr *a, const struct nd_expr *b)
{
	if (!a || !b)
		return a == b;
	if (a->op != b->op || a->num != b->num || a->n_args != b->n_args)
		return false;
	if (!a->text != !b->text || (a->text && strcmp(a->text, b->text) != 0))
		return false;
	for (uint32_t i = 0; i < a->n_args; i++) {
		if (!same_code(a->args[i], b->args[i]))
			return false;
	}
	return same_code(a->a, b->a) && same_code(a->b, b->b);
}

static bool is_text(const struct nd_code *c)
{
	return c->type.t == ND_X_TEXT || c->type.t == ND_X_WORDS;
}

static bool compare_fits(const struct nd_code *a, const struct nd_code *b, const struct nd_expr *x,
			 struct nd_expr_error *e)
{
	bool order = x->op != ND_E_EQ && x->op != ND_E_NE;

	if (a->type.t == ND_X_NUMBER && b->type.t == ND_X_NUMBER)
		return nd_numbers_fit(a, b, x->pos, e);
	if (!is_text(a) || !is_text(b)) {
		if (!nd_same_type(&a->type, &b->type))
			return nd_check_mismatch(e, x->pos, "compare", a, b);
	}
	if (a->type.t != ND_X_ENTITY && a->type.t != ND_X_BOOL && !is_text(a))
		return nd_check_mismatch(e, x->pos, "compare", a, b);
	if (order)
		return nd_check_fail(e, x->pos, "only numbers have an order: use == or !=");
	return true;
}

static struct nd_code *check_compare(const struct nd_expr *x, const struct nd_scope *s,
				     struct nd_expr_error *e)
{
	struct nd_code *c = nd_code_new(s, ND_O_COMPARE, x->pos, BOOL_TYPE);

	if (same_code(x->a, x->b))
		return nd_check_fail(
			e, x->pos,
			"both sides are the same: inside [ ] the walked entity is called this");
	c->index = (int)x->op;
	c->a = nd_check(x->a, s, e);
	c->b = c->a ? nd_check(x->b, s, e) : NULL;
	return c->b && compare_fits(c->a, c->b, x, e) ? c : NULL;
}

static struct nd_code *check_arith(const struct nd_expr *x, const struct nd_scope *s,
				   struct nd_expr_error *e)
{
	struct nd_code *c = nd_code_new(s, ND_O_ARITH, x->pos, (struct nd_xtype){.t = ND_X_NUMBER});
	bool ok;

	c->index = (int)x->op;
	c->a = nd_check(x->a, s, e);
	c->b = c->a ? nd_check(x->b, s, e) : NULL;
	if (!c->b)
		return NULL;
	if (c->a->type.t != ND_X_NUMBER || c->b->type.t != ND_X_NUMBER)
		return nd_check_mismatch(e, x->pos, "calculate with", c->a, c->b);
	ok = x->op == ND_E_ADD || x->op == ND_E_SUB ? nd_sum_type(c, x->pos, e)
						    : nd_product_type(c, x->pos, e);
	return ok ? c : NULL;
}

static struct nd_code *check_logic(const struct nd_expr *x, const struct nd_scope *s,
				   struct nd_expr_error *e)
{
	enum nd_op op = x->op == ND_E_AND ? ND_O_AND : x->op == ND_E_OR ? ND_O_OR : ND_O_NOT;
	struct nd_code *c = nd_code_new(s, op, x->pos, BOOL_TYPE);
	const struct nd_expr *sides[] = {x->a, x->b};
	struct nd_code **out[] = {&c->a, &c->b};
	char name[64];

	for (unsigned i = 0; i < 2; i++) {
		if (!sides[i])
			continue;
		*out[i] = nd_check(sides[i], s, e);
		if (!*out[i])
			return NULL;
		if ((*out[i])->type.t != ND_X_BOOL)
			return nd_check_fail(e, sides[i]->pos,
					     "and, or, not need questions, this is %s",
					     nd_xtype_name(&(*out[i])->type, name, sizeof(name)));
	}
	return c;
}

static struct nd_code *check_match(const struct nd_expr *x, const struct nd_scope *s,
				   struct nd_expr_error *e)
{
	struct nd_code *c = nd_code_new(s, ND_O_MATCH, x->pos, BOOL_TYPE);
	char err[256];
	size_t at;

	c->rows = x->op == ND_E_NOT_MATCH;
	c->a = nd_check(x->a, s, e);
	if (!c->a)
		return NULL;
	if (!is_text(c->a))
		return nd_check_fail(e, x->a->pos, "=~ needs text on its left");
	c->pattern = nd_pattern_new(x->text, err, sizeof(err), &at);
	if (!c->pattern)
		return nd_check_fail(e, x->b ? x->b->pos + 1 + (uint32_t)at : x->pos,
				     "bad pattern: %s", err);
	nd_rules_keep_pattern(s->rules, c->pattern);
	return c;
}

static bool in_fits(const struct nd_code *c, const struct nd_expr *x, struct nd_expr_error *e)
{
	const struct nd_xtype *a = &c->a->type, *b = &c->b->type;

	if (b->t == ND_X_RANGE) {
		if (a->t != ND_X_NUMBER)
			return nd_check_mismatch(e, x->pos, "look for", c->a, c->b);
		return (!c->b->a || nd_numbers_fit(c->a, c->b->a, x->b->a->pos, e)) &&
		       (!c->b->b || nd_numbers_fit(c->a, c->b->b, x->b->b->pos, e));
	}
	if (b->t == ND_X_SET) {
		if (a->t == ND_X_ENTITY && a->kind == b->kind && a->log == b->log)
			return true;
		return nd_check_mismatch(e, x->pos, "look for", c->a, c->b);
	}
	return nd_check_fail(e, x->b->pos,
			     "in needs a range (a..b), a set, or texts in parentheses");
}

static struct nd_code *check_in(const struct nd_expr *x, const struct nd_scope *s,
				struct nd_expr_error *e)
{
	bool list = x->op == ND_E_IN_LIST || x->op == ND_E_NOT_IN_LIST;
	struct nd_code *c = nd_code_new(s, list ? ND_O_IN_LIST : ND_O_IN, x->pos, BOOL_TYPE);

	c->rows = x->op == ND_E_NOT_IN || x->op == ND_E_NOT_IN_LIST;
	c->a = nd_check(x->a, s, e);
	if (!c->a)
		return NULL;
	if (!list) {
		c->b = nd_check(x->b, s, e);
		return c->b && in_fits(c, x, e) ? c : NULL;
	}
	if (!is_text(c->a))
		return nd_check_fail(e, x->a->pos, "in (…) needs text on its left");
	c->n_args = x->n_args;
	c->args = nd_arena_alloc(s->arena, (x->n_args + 1) * sizeof(*c->args));
	for (uint32_t i = 0; i < x->n_args; i++) {
		c->args[i] = nd_check(x->args[i], s, e);
		if (!c->args[i])
			return NULL;
	}
	return c;
}

static struct nd_code *check_range(const struct nd_expr *x, const struct nd_scope *s,
				   struct nd_expr_error *e)
{
	struct nd_code *c = nd_code_new(s, ND_O_RANGE, x->pos, (struct nd_xtype){.t = ND_X_RANGE});

	if (x->a && !(c->a = nd_check(x->a, s, e)))
		return NULL;
	if (x->b && !(c->b = nd_check(x->b, s, e)))
		return NULL;
	if ((c->a && c->a->type.t != ND_X_NUMBER) || (c->b && c->b->type.t != ND_X_NUMBER))
		return nd_check_fail(e, x->pos, "a range needs numbers on its sides");
	if (c->a && c->b && !nd_same_unit(&c->a->type, &c->b->type))
		return nd_check_mismatch(e, x->pos, "make a range of", c->a, c->b);
	if (c->a)
		c->type.dims = c->a->type.dims;
	if (c->b && (!c->a || c->a->type.zero)) /* 0 takes the unit of the other side */
		c->type.dims = c->b->type.dims;
	c->type.zero = (!c->a || c->a->type.zero) && (!c->b || c->b->type.zero);
	return c;
}

struct nd_code *nd_check_element(const struct nd_expr *x, const struct nd_scope *s,
				 struct nd_xtype set, struct nd_expr_error *e)
{
	struct nd_scope inner = *s;

	inner.in_element = true;
	inner.element = set.kind;
	inner.element_log = set.log;
	return nd_check(x, &inner, e);
}

static struct nd_code *check_filter(const struct nd_expr *x, const struct nd_scope *s,
				    struct nd_expr_error *e)
{
	struct nd_code *c = nd_code_new(s, ND_O_FILTER, x->pos, BOOL_TYPE);

	c->a = nd_check(x->a, s, e);
	if (!c->a)
		return NULL;
	if (c->a->type.t != ND_X_SET)
		return nd_check_fail(e, x->pos, "[ ] filters a set of entities");
	c->b = nd_check_element(x->b, s, c->a->type, e);
	if (!c->b)
		return NULL;
	if (c->b->type.t != ND_X_BOOL)
		return nd_check_fail(e, x->b->pos, "a filter needs a question");
	c->of_age = nd_mentions_age(x->b);
	c->type = c->a->type;
	return c;
}

bool nd_mentions_age(const struct nd_expr *x)
{
	if (!x)
		return false;
	if (x->op == ND_E_NAME && strcmp(x->text, "age") == 0)
		return true;
	for (uint32_t i = 0; i < x->n_args; i++) {
		if (nd_mentions_age(x->args[i]))
			return true;
	}
	return nd_mentions_age(x->a) || nd_mentions_age(x->b);
}

static struct nd_code *check_number(const struct nd_expr *x, const struct nd_scope *s,
				    struct nd_expr_error *e)
{
	struct nd_xtype t = {
		.t = ND_X_NUMBER, .literal = true, .zero = x->num == 0, .value = x->num};
	struct nd_code *c;
	double factor, inverse;

	if (!nd_expr_unit(x->unit, &factor, &t.dims, &t.number))
		return nd_check_fail(e, x->pos, "unknown unit %s", x->unit);
	t.zero = t.zero && t.number == ND_N_PLAIN;
	c = nd_code_new(s, ND_O_NUMBER, x->pos, t);
	/* 95 % is 95 / 100, not 95 x 0.01, which is a little more */
	inverse = factor < 1 ? round(1 / factor) : 0;
	c->num = inverse > 0 && fabs(inverse * factor - 1) < 1e-9 ? x->num / inverse
								  : x->num * factor;
	return c;
}

static struct nd_code *check_literal(const struct nd_expr *x, const struct nd_scope *s,
				     struct nd_expr_error *e)
{
	struct nd_code *c;

	if (x->op == ND_E_NUMBER)
		return check_number(x, s, e);
	c = nd_code_new(s, x->op == ND_E_TEXT ? ND_O_TEXT : ND_O_BOOL, x->pos,
			(struct nd_xtype){.t = x->op == ND_E_TEXT ? ND_X_TEXT : ND_X_BOOL});
	c->text = x->text;
	c->num = x->num;
	return c;
}

static struct nd_code *check_negative(const struct nd_expr *x, const struct nd_scope *s,
				      struct nd_expr_error *e)
{
	struct nd_code *c = nd_code_new(s, ND_O_NEG, x->pos, BOOL_TYPE);

	c->a = nd_check(x->a, s, e);
	if (!c->a)
		return NULL;
	if (c->a->type.t != ND_X_NUMBER)
		return nd_check_fail(e, x->pos, "- needs a number");
	c->type = c->a->type;
	c->type.literal = false;
	return c;
}

struct nd_code *nd_check(const struct nd_expr *x, const struct nd_scope *s, struct nd_expr_error *e)
{
	static struct nd_code *(*const by[])(const struct nd_expr *, const struct nd_scope *,
					     struct nd_expr_error *) = {
		[ND_E_NUMBER] = check_literal, [ND_E_TEXT] = check_literal,
		[ND_E_BOOL] = check_literal,   [ND_E_VAR] = nd_check_path,
		[ND_E_NAME] = nd_check_path,   [ND_E_DOT] = nd_check_path,
		[ND_E_FILTER] = check_filter,  [ND_E_CALL] = nd_check_call,
		[ND_E_NEG] = check_negative,   [ND_E_NOT] = check_logic,
		[ND_E_AND] = check_logic,      [ND_E_OR] = check_logic,
		[ND_E_EQ] = check_compare,     [ND_E_NE] = check_compare,
		[ND_E_LT] = check_compare,     [ND_E_LE] = check_compare,
		[ND_E_GT] = check_compare,     [ND_E_GE] = check_compare,
		[ND_E_MATCH] = check_match,    [ND_E_NOT_MATCH] = check_match,
		[ND_E_IN] = check_in,	       [ND_E_IN_LIST] = check_in,
		[ND_E_NOT_IN] = check_in,      [ND_E_NOT_IN_LIST] = check_in,
		[ND_E_RANGE] = check_range,    [ND_E_ADD] = check_arith,
		[ND_E_SUB] = check_arith,      [ND_E_MUL] = check_arith,
		[ND_E_DIV] = check_arith,
	};

	return by[x->op](x, s, e);
}

struct nd_code *nd_compile(const char *text, const struct nd_scope *s, bool allow_range,
			   struct nd_expr_error *e)
{
	struct nd_expr *x = nd_expr_parse(s->arena, text, allow_range, e);
	struct nd_code *c = x ? nd_check(x, s, e) : NULL;

	if (!c)
		return NULL;
	nd_code_finish(c, s);
	return c->weight <= ND_WEIGHT_MAX ? c : nd_check_fail(e, 0, ND_WEIGHT_HELP);
}
