/* What a question may not hold: numbers without an origin, totals since boot, zeros that stand for what is not known. */
#include "engine/rule/lint.h"
#include "engine/rule/func.h"

#define COUNTER_STEPS 200 /* of an expression whose lets are written out */

struct asked {
	struct nd_lint *l;
	const struct nd_yaml *at;
	bool notes; /* `.total` may stand here */
	bool compare; /* inside of a comparison */
};

static bool is_param(const struct nd_lint *l, const struct nd_code *c)
{
	const struct nd_param *p = l->rule ? l->rule->params : l->library->params;
	uint32_t n = l->rule ? l->rule->n_params : l->library->n_params;

	while (n > 0 && p[n - 1].code != c)
		n--;
	return n > 0;
}

/* Numbers that are arithmetic or logic, not thresholds. */
static bool is_free(const struct nd_code *c)
{
	double v = c->type.value;

	if (v == 0 || (v == 100 && c->type.number == ND_N_PERCENT && !c->type.dims.time))
		return true;
	return c->type.number == ND_N_PLAIN && (v == 1 || v == 2 || v == 10);
}

static void number(const struct asked *q, const struct nd_code *c)
{
	if (!is_free(c) && !is_param(q->l, c))
		nd_lint_error(
			q->l, q->at, c->pos,
			"a number in a question: give it a name under params, with a value and an origin");
}

/* Is it a count of events, or a sum of such? */
static bool counts_events(const struct nd_lint *l, const struct nd_code *c, uint32_t *steps)
{
	if (!c || ++*steps > COUNTER_STEPS)
		return false;
	if (c->op == ND_O_FACT)
		return nd_registry_def(l->rules->registry, c->fact)->width != ND_GAUGE &&
		       (c->accessor == ND_RATE || c->accessor == ND_DELTA ||
			c->accessor == ND_SEEN || c->accessor == ND_PEAK);
	if (c->op == ND_O_LET)
		return counts_events(l, c->let->code, steps);
	if (c->op == ND_O_CALL)
		return c->n_args > 0 && c->func->id == ND_F_SUM &&
		       counts_events(l, c->args[c->n_args - 1], steps);
	return (c->op == ND_O_ARITH || c->op == ND_O_NEG) &&
	       (counts_events(l, c->a, steps) || counts_events(l, c->b, steps));
}

static void division(const struct asked *q, const struct nd_code *c)
{
	uint32_t steps = 0;

	if (q->compare && c->index == ND_E_DIV && counts_events(q->l, c->a, &steps) &&
	    counts_events(q->l, c->b, &steps))
		nd_lint_warn(
			q->l, q->at, c->pos,
			"a share of counters that may be small: ratio(a, b, floor) is unknown below the floor, and 0 where nothing happened");
}

static void call(const struct asked *q, const struct nd_code *c)
{
	if (c->func->id == ND_F_KNOWN)
		nd_lint_warn(
			q->l, q->at, c->pos,
			"known() drops what could not be read: a no of this question may rest on the rest");
	for (uint32_t i = 1; c->func->id == ND_F_COALESCE && i < c->n_args; i++) {
		if (c->args[i]->type.literal && c->args[i]->num == 0)
			nd_lint_error(
				q->l, q->at, c->args[i]->pos,
				"missing is not zero: leave coalesce out, and the question is unknown with the reason");
	}
}

static void visit(const struct asked *q, const struct nd_code *c);

/* A let is looked at once as a part of questions, and once more as a part of comparisons. */
static void enter_let(const struct asked *q, const struct nd_let *let)
{
	struct asked inner = {q->l, let->source, q->notes, q->compare};
	uint8_t as = (uint8_t)(q->compare ? 3 : 1);

	if ((q->l->seen[let->slot] & as) == as)
		return;
	q->l->seen[let->slot] |= as;
	visit(&inner, let->code);
}

static void visit(const struct asked *q, const struct nd_code *c)
{
	struct asked inner = *q;

	if (!c)
		return;
	if (c->op == ND_O_NUMBER)
		number(q, c);
	else if (c->op == ND_O_LET)
		enter_let(q, c->let);
	else if (c->op == ND_O_CALL)
		call(q, c);
	else if (c->op == ND_O_ARITH)
		division(q, c);
	else if (c->op == ND_O_FACT && c->accessor == ND_TOTAL && !q->notes)
		nd_lint_error(
			q->l, q->at, c->pos,
			".total counts since boot, however long that is: ask .delta, .rate or .seen");
	inner.compare = q->compare || c->op == ND_O_COMPARE || c->op == ND_O_IN;
	if (c->op != ND_O_BY_KEY) /* a key is no threshold */
		visit(&inner, c->a);
	visit(&inner, c->b);
	for (uint32_t i = 0; i < c->n_args; i++)
		visit(&inner, c->args[i]);
}

void nd_lint_question(struct nd_lint *l, const struct nd_code *c, const struct nd_yaml *at,
		      bool notes)
{
	struct asked q = {l, at, notes, false};

	visit(&q, c);
}

bool nd_lint_constant(const struct nd_code *c)
{
	static const bool varies[] = {
		[ND_O_LET] = true,     [ND_O_LOOP] = true,   [ND_O_THIS] = true,
		[ND_O_ELEMENT] = true, [ND_O_ABOUT] = true,  [ND_O_FOUND] = true,
		[ND_O_ONE] = true,     [ND_O_ALL] = true,    [ND_O_BY_KEY] = true,
		[ND_O_ROW] = true,     [ND_O_ARITH] = false,
	};

	if (!c)
		return true;
	if (varies[c->op])
		return c->op == ND_O_LET && nd_lint_constant(c->let->code);
	for (uint32_t i = 0; i < c->n_args; i++) {
		if (!nd_lint_constant(c->args[i]))
			return false;
	}
	return nd_lint_constant(c->a) && nd_lint_constant(c->b);
}
