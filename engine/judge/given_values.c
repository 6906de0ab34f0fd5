/* Values of a test's facts: numbers with units, samples, buckets, counters, and the reasons for none. */
#include "engine/judge/given_impl.h"

#include <math.h>

static const struct nd_input test_input = {.path = "test", .netns = "host"};

bool nd_given_number(struct nd_run *run, const char *text, double *out)
{
	struct nd_scope s = {.rules = (struct nd_rules *)(uintptr_t)run->rules,
			     .arena = run->arena,
			     .this_kind = ND_NO_KIND,
			     .about_kind = ND_NO_KIND};
	struct nd_expr_error e;
	uint64_t visits = 0;
	struct nd_eval ev = {.run = run, .element = ND_NO_ENTITY, .visits = &visits};
	struct nd_code *c = nd_compile(text, &s, false, &e);
	struct nd_result r;

	if (!c || c->type.t != ND_X_NUMBER)
		return false;
	r = nd_eval(c, &ev);
	*out = r.num;
	return r.t == ND_R_NUMBER;
}

bool nd_giver_number(struct nd_giver *s, const struct nd_yaml *y, double *out)
{
	if (y->type == ND_YAML_TEXT && nd_given_number(s->run, y->text, out))
		return true;
	return nd_giver_wrong(s, y, "expected a number with its unit");
}

/* {missing: REASON}: 1; absent: 2; else 0; -1: wrong. */
int nd_giver_special(struct nd_giver *s, const struct nd_yaml *y, enum nd_missing *why)
{
	const struct nd_yaml *m;

	if (y->type == ND_YAML_TEXT)
		return strcmp(y->text, "absent") == 0 ? 2 : 0;
	m = y->type == ND_YAML_MAP ? nd_yaml_get(y, "missing") : NULL;
	if (!m)
		return 0;
	if (m->type == ND_YAML_TEXT && nd_missing_from_name(m->text, why))
		return 1;
	nd_giver_wrong(s, m, "not one of the reasons for a missing fact");
	return -1;
}

static bool put_hist(struct nd_giver *s, nd_id on, const struct nd_fact_def *d,
		     const struct nd_yaml *y)
{
	struct nd_hist h = {.b = nd_arena_alloc(s->run->arena, (y->n + 1) * sizeof(*h.b))};

	if (y->type != ND_YAML_MAP)
		return nd_giver_wrong(s, y, "expected buckets: {1ms..2ms: 40}");
	for (uint32_t i = 0; i < y->n; i++) {
		const char *key = y->keys[i]->text, *dots = strstr(key, "..");
		char lo[64];
		struct nd_bucket *b = &h.b[h.n++];

		if (!dots || (size_t)(dots - key) >= sizeof(lo))
			return nd_giver_wrong(s, y->keys[i], "expected a bucket a..b");
		snprintf(lo, sizeof(lo), "%.*s", (int)(dots - key), key);
		if (!nd_given_number(s->run, lo, &b->lo) ||
		    !nd_given_number(s->run, dots + 2, &b->hi))
			return nd_giver_wrong(s, y->keys[i], "expected a bucket a..b with units");
		if (!nd_giver_number(s, y->items[i], &b->count))
			return false;
	}
	nd_put_hist(s->run->f, on, d, &h, &test_input);
	return true;
}

static bool put_samples(struct nd_giver *s, nd_id on, const struct nd_fact_def *d,
			const struct nd_yaml *y)
{
	uint32_t n = y->type == ND_YAML_LIST ? y->n : 1;

	for (uint32_t i = 0; i < n; i++) {
		double v = 0;

		if (!nd_giver_number(s, y->type == ND_YAML_LIST ? y->items[i] : y, &v))
			return false;
		nd_put_num(s->run->f, on, d, v, &test_input);
	}
	return true;
}

static bool counter_part(struct nd_giver *s, const char *acc, const struct nd_yaml *y, double v[4])
{
	static const char *const names[] = {"total", "delta", "rate", "peak"};

	for (unsigned i = 0; i < 4; i++) {
		if (strcmp(acc, names[i]) != 0)
			continue;
		if (!nd_giver_number(s, y, &v[i]))
			return false;
		if (i == 1)
			v[2] = v[1] / s->g->window;
		if (i == 2)
			v[1] = v[2] * s->g->window;
		return true;
	}
	return nd_giver_wrong(s, y, "a counter is given as .total, .delta, .rate or .peak");
}

static bool put_counter(struct nd_giver *s, nd_id on, nd_fact_id id, const char *acc,
			const struct nd_yaml *y)
{
	double v[4] = {NAN, NAN, NAN, NAN};
	static const enum nd_accessor accs[] = {ND_TOTAL, ND_DELTA, ND_RATE, ND_PEAK};

	for (unsigned i = 0; i < 4; i++) { /* .peak beside .delta */
		struct nd_value has = nd_get(s->run->f, on, id, accs[i]);

		if (acc && strcmp(acc, "peak") == 0 && has.type == ND_V_NUMBER)
			v[i] = has.num;
	}
	if (acc && !counter_part(s, acc, y, v))
		return false;
	if (!acc && y->type != ND_YAML_MAP)
		return nd_giver_wrong(s, y, "this is a counter: say .rate, .delta or {total: …}");
	for (uint32_t i = 0; !acc && i < y->n; i++) {
		if (!counter_part(s, y->keys[i]->text, y->items[i], v))
			return false;
	}
	nd_put_counter(s->run->f, on, id, v[0], v[1], v[2], v[3], &test_input);
	return true;
}

static bool put_flag(struct nd_giver *s, nd_id on, const struct nd_fact_def *d,
		     const struct nd_yaml *y)
{
	static const char *const words[] = {"no", "yes", "false", "true", "off", "on"};

	for (size_t i = 0; i < ND_ARRAY_LEN(words); i++) {
		if (strcmp(y->text, words[i]) == 0) {
			nd_put_bool(s->run->f, on, d, i % 2, &test_input);
			return true;
		}
	}
	return nd_giver_wrong(s, y, "expected yes or no");
}

static bool put_plain(struct nd_giver *s, nd_id on, const struct nd_fact_def *d,
		      const struct nd_yaml *y)
{
	if (d->type == ND_T_HIST)
		return put_hist(s, on, d, y);
	if (d->type == ND_T_NUMBER)
		return put_samples(s, on, d, y);
	if (y->type != ND_YAML_TEXT)
		return nd_giver_wrong(s, y, "expected text");
	if (d->type == ND_T_BOOL)
		return put_flag(s, on, d, y);
	else
		nd_put_text(s->run->f, on, d, y->text, &test_input);
	return true;
}

static bool no_fact(struct nd_giver *s, enum nd_kind kind, const struct nd_given_line *l)
{
	char name[256];
	const char *near;

	snprintf(name, sizeof(name), "%.*s", (int)nd_giver_base(l->fact->text), l->fact->text);
	near = nd_nearest_fact(nd_facts_registry(s->run->f), kind, name);
	return nd_giver_wrong(s, l->fact, "%s has no fact %s%s%s", nd_kinds[kind].name, name,
			      near ? "; nearest is " : "", near ? near : "");
}

bool nd_giver_fact(struct nd_giver *s, nd_id on, const struct nd_given_line *l)
{
	const char *name = l->fact->text;
	const struct nd_yaml *y = l->value;
	const struct nd_registry *reg = nd_facts_registry(s->run->f);
	enum nd_kind kind = nd_entity_kind(s->run->f, on);
	nd_fact_id id = nd_registry_find(reg, kind, name);
	const struct nd_fact_def *d;
	enum nd_missing why;
	const char *acc = NULL;
	size_t n = nd_giver_base(name);
	int sp;

	if (id < 0 && name[n]) {
		id = nd_registry_find(reg, kind, nd_arena_strndup(s->run->arena, name, n));
		acc = name + n + 1;
	}
	if (id < 0)
		return no_fact(s, kind, l);
	d = nd_registry_def(reg, id);
	if (!acc || strcmp(acc, "peak") != 0)
		nd_forget(s->run->f, on, id);
	sp = nd_giver_special(s, y, &why);
	if (sp < 0)
		return false;
	if (sp == 1)
		nd_put_missing(s->run->f, on, d, why, "%s", "");
	else if (sp == 2)
		nd_put_absent(s->run->f, on, d, &test_input);
	else if (d->type == ND_T_NUMBER && (d->width == ND_COUNTER32 || d->width == ND_COUNTER64))
		return put_counter(s, on, id, acc, y);
	else
		return put_plain(s, on, d, y);
	return true;
}
