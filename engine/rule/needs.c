/* Which parts of an expression are the same for every walk, so that one evaluation a run is enough.
 *
 * "Is this CPU's share of all packets large?" asks for the sum over all CPUs once per CPU: without a memory a rule over
 * n entities costs n². A part is remembered if it depends on nothing of the walk, looks at many entities, and stands
 * where it is evaluated more than once: at the top, beside something that does depend on the walk, or inside [ ]. Log
 * lines are left alone: what they stand on depends on the filter around them. */
#include "engine/rule/rule.h"
#include "engine/rule/func.h"

#define PER_WALK                                                                                   \
	(ND_NEEDS_THIS | ND_NEEDS_ELEMENT | ND_NEEDS_LOOP | ND_NEEDS_FOUND | ND_NEEDS_ROW |        \
	 ND_NEEDS_LOG)

static uint8_t own_needs(const struct nd_code *c)
{
	switch ((int)c->op) {
	case ND_O_THIS: return ND_NEEDS_THIS;
	case ND_O_ELEMENT: return ND_NEEDS_ELEMENT;
	case ND_O_LOOP: return ND_NEEDS_LOOP;
	case ND_O_ABOUT:
	case ND_O_FOUND: return ND_NEEDS_THIS | ND_NEEDS_FOUND;
	case ND_O_ROW: return ND_NEEDS_ROW;
	case ND_O_LOG:
	case ND_O_COLUMN: return ND_NEEDS_LOG;
	default: return 0;
	}
}

/* Is argument i seen from the members of a set? */
static bool from_members(const struct nd_code *c, uint32_t i)
{
	if (c->op != ND_O_CALL)
		return false;
	if (c->func->id == ND_F_TOP)
		return i == 2;
	return c->func->set_first && i > 0 && c->args[0]->type.t == ND_X_SET;
}

static bool same_each_walk(const struct nd_code *c)
{
	return !(c->needs & PER_WALK);
}

/* ---- one memory for all that ask the same ---- */

static const struct nd_code *behind_lets(const struct nd_code *c)
{
	while (c && c->op == ND_O_LET)
		c = c->let->code;
	return c;
}

static uint32_t mix(uint32_t h, uint32_t v)
{
	return (h ^ v) * 16777619u;
}

static uint32_t hash_of(const struct nd_code *c)
{
	uint32_t h = 2166136261u, bits[2];

	c = behind_lets(c);
	if (!c)
		return h;
	memcpy(bits, &c->num, sizeof(bits));
	h = mix(mix(mix(h, c->op), (uint32_t)c->fact), c->kind);
	h = mix(mix(mix(h, c->accessor), bits[0]), bits[1]);
	h = mix(mix(mix(h, c->func ? c->func->id : ND_FUNCS), c->relation), (uint32_t)c->index);
	h = mix(mix(h, hash_of(c->a)), hash_of(c->b));
	for (uint32_t i = 0; i < c->n_args; i++)
		h = mix(h, hash_of(c->args[i]));
	return h ^ h >> 15;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Tallies are numbered by rule. */
static bool same_code(const struct nd_code *a, const struct nd_code *b)
{
	a = behind_lets(a);
	b = behind_lets(b);
	if (!a || !b)
		return a == b;
	if (a->op != b->op || a->op == ND_O_TALLY || a->index != b->index || a->rows != b->rows ||
	    a->of_age != b->of_age)
		return false;
	if (a->num != b->num || a->kind != b->kind || a->fact != b->fact ||
	    a->accessor != b->accessor)
		return false;
	if (a->relation != b->relation || a->inverse != b->inverse || a->func != b->func ||
	    a->pattern != b->pattern)
		return false;
	if (a->derived != b->derived || a->n_args != b->n_args || !same_text(a->text, b->text))
		return false;
	for (uint32_t i = 0; i < a->n_args; i++) {
		if (!same_code(a->args[i], b->args[i]))
			return false;
	}
	return same_code(a->a, b->a) && same_code(a->b, b->b);
}

static uint32_t slot_for(const struct nd_code *c, struct nd_rules *rules)
{
	uint32_t hash = hash_of(c),
		 *chain = &rules->memo_chains[hash % ND_ARRAY_LEN(rules->memo_chains)];

	for (uint32_t i = *chain; i; i = rules->memos[i - 1].next) {
		if (rules->memos[i - 1].hash == hash && same_code(rules->memos[i - 1].code, c))
			return i;
	}
	ND_GROW(rules->memos, rules->n_memos, rules->cap_memos);
	rules->memos[rules->n_memos++] =
		(struct nd_memo_key){.code = c, .hash = hash, .next = *chain};
	*chain = rules->n_memos;
	return *chain;
}

static void remember(struct nd_code *c, struct nd_rules *rules)
{
	if (!c->memo && c->many && same_each_walk(c) && c->op != ND_O_LET)
		c->memo = slot_for(c, rules);
}

/* Other rules are likely to ask for it within something else. */
static bool worth_sharing(const struct nd_code *c)
{
	return c->op == ND_O_FILTER || c->op == ND_O_CALL;
}

/* Stops growing behind the limit. */
static void add_weight(struct nd_code *c, const struct nd_code *part)
{
	if (c->weight <= ND_WEIGHT_MAX)
		c->weight += part->weight;
}

static void learn(struct nd_code *c, const struct nd_code *part, bool member)
{
	c->needs |= member ? part->needs & (uint8_t)~ND_NEEDS_ELEMENT : part->needs;
	c->many = c->many || part->many;
	add_weight(c, part);
}

/* rules: NULL if nothing is to be remembered. A part of which it is not yet clear that it stands alone is left to its
 * owner. */
static void finish(struct nd_code *c, struct nd_rules *rules)
{
	struct nd_code *two[] = {c->a, c->b};

	c->needs = own_needs(c);
	c->weight = 1;
	c->many = c->op == ND_O_ALL || (c->op == ND_O_RELATION && c->type.t == ND_X_SET);
	if (c->op == ND_O_LET)
		learn(c, c->let->code, false);
	if (c->op == ND_O_DERIVED) {
		c->many = c->many || c->derived->code->many;
		add_weight(c, c->derived->code);
	}
	for (unsigned i = 0; i < 2; i++) {
		if (!two[i])
			continue;
		finish(two[i], rules);
		learn(c, two[i], c->op == ND_O_FILTER && i == 1);
	}
	for (uint32_t i = 0; i < c->n_args; i++) {
		finish(c->args[i], rules);
		learn(c, c->args[i], from_members(c, i));
	}
	for (unsigned i = 0; rules && i < 2; i++) {
		if (two[i] && (!same_each_walk(c) || worth_sharing(two[i]) ||
			       (c->op == ND_O_FILTER && i == 1)))
			remember(two[i], rules);
	}
	for (uint32_t i = 0; rules && i < c->n_args; i++) {
		if (!same_each_walk(c) || worth_sharing(c->args[i]) || from_members(c, i))
			remember(c->args[i], rules);
	}
}

void nd_code_finish(struct nd_code *c, const struct nd_scope *s)
{
	/* A library's facts belong to all rules: what one of them has paid for must not be free for the next. */
	struct nd_rules *rules = s->rules->loader && s->rules->loader->rule ? s->rules : NULL;

	finish(c, rules);
	if (rules)
		remember(c, rules);
}
