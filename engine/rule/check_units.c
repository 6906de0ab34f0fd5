/* Units and types: which numbers go together, what comes of calculating with them, what types are called. */
#include "engine/rule/code.h"

enum nd_kind nd_kind_by_name(const char *name, bool plural)
{
	for (unsigned k = 0; k < ND_KINDS; k++) {
		const char *has = plural ? nd_kinds[k].plural : nd_kinds[k].name;

		if (has && strcmp(has, name) == 0)
			return (enum nd_kind)k;
	}
	return ND_NO_KIND;
}

bool nd_same_dims(struct nd_dims a, struct nd_dims b)
{
	return a.time == b.time && a.data == b.data;
}

void nd_unit_dims(enum nd_unit u, struct nd_dims *dims, enum nd_number_kind *kind)
{
	static const struct nd_dims all[] = {
		[ND_U_NONE] = {0, 0},
		[ND_U_COUNT] = {0, 0},
		[ND_U_SECONDS] = {1, 0},
		[ND_U_BYTES] = {0, 1},
		[ND_U_PERCENT] = {0, 0},
		[ND_U_PER_SECOND] = {-1, 0},
		[ND_U_BYTES_PER_SECOND] = {-1, 1},
		[ND_U_BITS_PER_SECOND] = {-1, 1},
	};

	*dims = all[u];
	*kind = u == ND_U_PERCENT ? ND_N_PERCENT : ND_N_COUNT;
}

static const char *number_name(const struct nd_xtype *t)
{
	static const struct {
		struct nd_dims dims;
		const char *name;
	} names[] = {{{1, 0}, "a time"},
		     {{-1, 0}, "a rate (/s)"},
		     {{0, 1}, "bytes"},
		     {{-1, 1}, "bytes per second"}};

	for (size_t i = 0; i < ND_ARRAY_LEN(names); i++) {
		if (nd_same_dims(names[i].dims, t->dims))
			return names[i].name;
	}
	if (t->dims.time || t->dims.data)
		return "a number of mixed units";
	return t->number == ND_N_PERCENT ? "a percentage"
	       : t->number == ND_N_RATIO ? "a ratio"
	       : t->number == ND_N_SEEN	 ? "a count of .seen"
					 : "a count";
}

const char *nd_xtype_name(const struct nd_xtype *t, char *out, size_t size)
{
	static const char *const plain[] = {
		[ND_X_NUMBER] = "",
		[ND_X_BOOL] = "a question",
		[ND_X_TEXT] = "text",
		[ND_X_WORDS] = "words",
		[ND_X_SAFE] = "a CPU list",
		[ND_X_ENTITY] = "",
		[ND_X_SET] = "",
		[ND_X_LIST] = "a list of values",
		[ND_X_HIST] = "a histogram",
		[ND_X_RANGE] = "a range",
	};
	const char *kind = t->kind < ND_KINDS ? nd_kinds[t->kind].name : "log lines";

	if (t->t == ND_X_NUMBER)
		snprintf(out, size, "%s", number_name(t));
	else if (t->t == ND_X_SET)
		snprintf(out, size, "a set of %s", kind);
	else
		snprintf(out, size, "%s", t->t == ND_X_ENTITY ? kind : plain[t->t]);
	return out;
}

/* Two of a kind in an error message. */
void *nd_check_mismatch(struct nd_expr_error *e, uint32_t pos, const char *what,
			const struct nd_code *a, const struct nd_code *b)
{
	char x[64], y[64];

	return nd_check_fail(e, pos, "cannot %s %s and %s", what,
			     nd_xtype_name(&a->type, x, sizeof(x)),
			     nd_xtype_name(&b->type, y, sizeof(y)));
}

/* One side of a comparison of numbers against the other. */
static bool side_fits(const struct nd_xtype *x, const struct nd_xtype *y, uint32_t pos,
		      struct nd_expr_error *e)
{
	if (x->number == ND_N_PERCENT && y->literal && y->number == ND_N_PLAIN && !y->zero)
		return nd_check_fail(e, pos,
				     "a percentage against a bare number: did you mean %.15g%%?",
				     y->value);
	if (x->number == ND_N_COUNT && y->number == ND_N_PERCENT && !x->dims.time && !x->dims.data)
		return nd_check_fail(
			e, pos, "a count against a percentage: divide it by what it is a share of");
	if (x->number == ND_N_SEEN && y->number != ND_N_SEEN && !y->zero)
		return nd_check_fail(
			e, pos,
			".seen has no fixed time span: divide it by another .seen or by host.span, or compare it with 0");
	return true;
}

bool nd_same_unit(const struct nd_xtype *a, const struct nd_xtype *b)
{
	return a->zero || b->zero || nd_same_dims(a->dims, b->dims);
}

bool nd_same_type(const struct nd_xtype *a, const struct nd_xtype *b)
{
	if (a->t != b->t || a->kind != b->kind || a->log != b->log)
		return false;
	return (a->t != ND_X_LIST || a->of == b->of) && nd_same_unit(a, b);
}

bool nd_numbers_fit(const struct nd_code *a, const struct nd_code *b, uint32_t pos,
		    struct nd_expr_error *e)
{
	if (!nd_same_unit(&a->type, &b->type))
		return nd_check_mismatch(e, pos, "compare", a, b);
	return side_fits(&a->type, &b->type, pos, e) && side_fits(&b->type, &a->type, pos, e);
}

bool nd_sum_type(struct nd_code *c, uint32_t pos, struct nd_expr_error *e)
{
	const struct nd_xtype *a = &c->a->type, *b = &c->b->type;
	const char *what = c->index == ND_E_ADD ? "add" : "subtract";
	unsigned pair = 1u << a->number | 1u << b->number;

	if (!nd_same_unit(a, b))
		return nd_check_mismatch(e, pos, what, c->a, c->b);
	if (!a->dims.time && !a->dims.data &&
	    (pair == (1u << ND_N_PERCENT | 1u << ND_N_COUNT) ||
	     pair == (1u << ND_N_SEEN | 1u << ND_N_COUNT)))
		return nd_check_mismatch(e, pos, what, c->a, c->b);
	c->type = a->number != ND_N_PLAIN ? *a : *b;
	c->type.literal = c->type.zero = false;
	return true;
}

bool nd_combine_dims(struct nd_dims a, struct nd_dims b, int sign, struct nd_dims *out,
		     uint32_t pos, struct nd_expr_error *e)
{
	int time = a.time + sign * b.time, data = a.data + sign * b.data;

	if (abs(time) > INT8_MAX || abs(data) > INT8_MAX)
		return nd_check_fail(e, pos, "a unit to a power of more than %d", INT8_MAX);
	*out = (struct nd_dims){(int8_t)time, (int8_t)data};
	return true;
}

bool nd_product_type(struct nd_code *c, uint32_t pos, struct nd_expr_error *e)
{
	const struct nd_xtype *a = &c->a->type, *b = &c->b->type;
	bool times = c->index == ND_E_MUL;

	c->type = (struct nd_xtype){.t = ND_X_NUMBER};
	if (!nd_combine_dims(a->dims, b->dims, times ? 1 : -1, &c->type.dims, pos, e))
		return false;
	if (times) { /* the side that is a thing, not a share, says what the product is */
		bool share_a = a->number == ND_N_PLAIN || a->number == ND_N_PERCENT ||
			       a->number == ND_N_RATIO;

		c->type.number = !share_a		   ? a->number
				 : b->number == ND_N_PLAIN ? a->number
							   : b->number;
		return true;
	}
	if (!b->dims.time && !b->dims.data &&
	    ((a->number == ND_N_SEEN && b->number == ND_N_COUNT && !a->dims.time) ||
	     (a->number == ND_N_COUNT && b->number == ND_N_SEEN)))
		return nd_check_fail(e, pos,
				     ".seen and a count of the window span different times");
	if (b->number == ND_N_PLAIN)
		c->type.number = a->number;
	else
		c->type.number = c->type.dims.time || c->type.dims.data ? ND_N_COUNT : ND_N_RATIO;
	return true;
}
