/* The facts of a rule's test: YAML lines into a store, as a collector would have put them. */
#include "engine/judge/given.h"

#include <math.h>

struct giver {
	struct nd_given *g;
	struct nd_run *run;
	const struct nd_rule *rule;
	const struct nd_yaml *at;
	char *why;
	size_t size;
	struct side { /* relations that were said, by side */
		nd_id on;
		enum nd_relation rel;
		bool inverse;
		const struct nd_yaml *value;
		nd_id *ids;
		uint32_t n;
	} *sides;
	uint32_t n_sides, cap_sides;
};
static const struct nd_input test_input = { .path = "test", .netns = "host" };

static bool wrong(struct giver *s, const struct nd_yaml *at, const char *fmt, ...) ND_PRINTF(3, 4);
static bool wrong(struct giver *s, const struct nd_yaml *at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s->why, s->size, fmt, ap);
	va_end(ap);
	s->at = at;
	return false;
}

/* ---- merging ---- */

/* "x.delta" and "x.rate" speak of the same fact. */
static size_t base_length(const char *fact)
{
	static const char *const ends[] = { ".rate", ".delta", ".total", ".peak" };

	for (size_t i = 0; i < ND_ARRAY_LEN(ends); i++) {
		if (nd_ends(fact, ends[i]))
			return strlen(fact) - strlen(ends[i]);
	}
	return strlen(fact);
}

static bool same_line(const struct nd_given_line *l, const char *entity, const char *fact)
{
	size_t n;

	if (strcmp(l->entity, entity) != 0 || !l->fact || !fact)
		return strcmp(l->entity, entity) == 0 && !l->fact && !fact;
	n = base_length(fact);
	return n == base_length(l->fact) && strncmp(l->fact, fact, n) == 0;
}

static void add_line(struct nd_given *g, uint32_t before, const char *entity, const char *fact, const struct nd_yaml *value)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < g->n; i++) { /* what an earlier map said of it is gone */
		if (i >= before || !same_line(&g->v[i], entity, fact))
			g->v[n++] = g->v[i];
	}
	g->n = n;
	ND_GROW(g->v, g->n, g->cap);
	g->v[g->n++] = (struct nd_given_line){ entity, fact, value };
}

void nd_given_merge(struct nd_given *g, const struct nd_yaml *map)
{
	for (uint32_t i = 0; map && map->type == ND_YAML_MAP && i < map->n; i++) {
		const char *entity = map->keys[i]->text;
		const struct nd_yaml *facts = map->items[i];

		if (strcmp(entity, "expect") == 0)
			continue;
		if (strcmp(entity, "log") == 0 || strcmp(entity, "none") == 0 || facts->type != ND_YAML_MAP) {
			add_line(g, g->n, entity, NULL, facts);
			continue;
		}
		if (facts->n == 0)
			add_line(g, g->n, entity, NULL, facts);
		for (uint32_t k = 0; k < facts->n; k++) {
			uint32_t before = g->n;

			/* several accessors of one counter in one map stay together */
			for (uint32_t j = 0; j < k; j++)
				before -= same_line(&(struct nd_given_line){ entity, facts->keys[j]->text, NULL }, entity, facts->keys[k]->text);
			add_line(g, before, entity, facts->keys[k]->text, facts->items[k]);
		}
	}
}

void nd_given_free(struct nd_given *g)
{
	free(g->v);
}

/* ---- values ---- */

bool nd_given_number(struct nd_run *run, const char *text, double *out)
{
	struct nd_scope s = { .rules = (struct nd_rules *)(uintptr_t)run->rules, .arena = run->arena, .this_kind = ND_NO_KIND, .about_kind = ND_NO_KIND };
	struct nd_expr_error e;
	uint64_t visits = 0;
	struct nd_eval ev = { .run = run, .element = ND_NO_ENTITY, .visits = &visits };
	struct nd_code *c = nd_compile(text, &s, false, &e);
	struct nd_result r;

	if (!c || c->type.t != ND_X_NUMBER)
		return false;
	r = nd_eval(c, &ev);
	*out = r.num;
	return r.t == ND_R_NUMBER;
}

static bool number(struct giver *s, const struct nd_yaml *y, double *out)
{
	if (y->type == ND_YAML_TEXT && nd_given_number(s->run, y->text, out))
		return true;
	return wrong(s, y, "expected a number with its unit");
}

/* {missing: REASON}: 1; absent: 2; else 0; -1: wrong. */
static int special(struct giver *s, const struct nd_yaml *y, enum nd_missing *why)
{
	const struct nd_yaml *m;

	if (y->type == ND_YAML_TEXT)
		return strcmp(y->text, "absent") == 0 ? 2 : 0;
	m = y->type == ND_YAML_MAP ? nd_yaml_get(y, "missing") : NULL;
	if (!m)
		return 0;
	if (m->type == ND_YAML_TEXT && nd_missing_from_name(m->text, why))
		return 1;
	wrong(s, m, "not one of the reasons for a missing fact");
	return -1;
}

static bool put_hist(struct giver *s, nd_id on, const struct nd_fact_def *d, const struct nd_yaml *y)
{
	struct nd_hist h = { .b = nd_arena_alloc(s->run->arena, (y->n + 1) * sizeof(*h.b)) };

	if (y->type != ND_YAML_MAP)
		return wrong(s, y, "expected buckets: {1ms..2ms: 40}");
	for (uint32_t i = 0; i < y->n; i++) {
		const char *key = y->keys[i]->text, *dots = strstr(key, "..");
		char lo[64];
		struct nd_bucket *b = &h.b[h.n++];

		if (!dots || (size_t)(dots - key) >= sizeof(lo))
			return wrong(s, y->keys[i], "expected a bucket a..b");
		snprintf(lo, sizeof(lo), "%.*s", (int)(dots - key), key);
		if (!nd_given_number(s->run, lo, &b->lo) || !nd_given_number(s->run, dots + 2, &b->hi))
			return wrong(s, y->keys[i], "expected a bucket a..b with units");
		if (!number(s, y->items[i], &b->count))
			return false;
	}
	nd_put_hist(s->run->f, on, d, &h, &test_input);
	return true;
}

static bool put_samples(struct giver *s, nd_id on, const struct nd_fact_def *d, const struct nd_yaml *y)
{
	uint32_t n = y->type == ND_YAML_LIST ? y->n : 1;

	for (uint32_t i = 0; i < n; i++) {
		double v = 0;

		if (!number(s, y->type == ND_YAML_LIST ? y->items[i] : y, &v))
			return false;
		nd_put_num(s->run->f, on, d, v, &test_input);
	}
	return true;
}

static bool counter_part(struct giver *s, const char *acc, const struct nd_yaml *y, double v[4])
{
	static const char *const names[] = { "total", "delta", "rate", "peak" };

	for (unsigned i = 0; i < 4; i++) {
		if (strcmp(acc, names[i]) != 0)
			continue;
		if (!number(s, y, &v[i]))
			return false;
		if (i == 1)
			v[2] = v[1] / s->g->window;
		if (i == 2)
			v[1] = v[2] * s->g->window;
		return true;
	}
	return wrong(s, y, "a counter is given as .total, .delta, .rate or .peak");
}

static bool put_counter(struct giver *s, nd_id on, nd_fact_id id, const char *acc, const struct nd_yaml *y)
{
	double v[4] = { NAN, NAN, NAN, NAN };
	static const enum nd_accessor accs[] = { ND_TOTAL, ND_DELTA, ND_RATE, ND_PEAK };

	for (unsigned i = 0; i < 4; i++) { /* .peak beside .delta */
		struct nd_value has = nd_get(s->run->f, on, id, accs[i]);

		if (acc && strcmp(acc, "peak") == 0 && has.type == ND_V_NUMBER)
			v[i] = has.num;
	}
	if (acc && !counter_part(s, acc, y, v))
		return false;
	if (!acc && y->type != ND_YAML_MAP)
		return wrong(s, y, "this is a counter: say .rate, .delta or {total: …}");
	for (uint32_t i = 0; !acc && i < y->n; i++) {
		if (!counter_part(s, y->keys[i]->text, y->items[i], v))
			return false;
	}
	nd_put_counter(s->run->f, on, id, v[0], v[1], v[2], v[3], &test_input);
	return true;
}

static bool put_plain(struct giver *s, nd_id on, const struct nd_fact_def *d, const struct nd_yaml *y)
{
	if (d->type == ND_T_HIST)
		return put_hist(s, on, d, y);
	if (d->type == ND_T_NUMBER)
		return put_samples(s, on, d, y);
	if (y->type != ND_YAML_TEXT)
		return wrong(s, y, "expected text");
	if (d->type == ND_T_BOOL)
		nd_put_bool(s->run->f, on, d, strcmp(y->text, "yes") == 0 || strcmp(y->text, "true") == 0 || strcmp(y->text, "on") == 0, &test_input);
	else
		nd_put_text(s->run->f, on, d, y->text, &test_input);
	return true;
}

static bool put_fact(struct giver *s, nd_id on, const char *name, const struct nd_yaml *y)
{
	const struct nd_registry *reg = nd_facts_registry(s->run->f);
	enum nd_kind kind = nd_entity_kind(s->run->f, on);
	nd_fact_id id = nd_registry_find(reg, kind, name);
	const struct nd_fact_def *d;
	enum nd_missing why;
	const char *acc = NULL;
	size_t n = base_length(name);
	int sp;

	if (id < 0 && name[n]) {
		id = nd_registry_find(reg, kind, nd_arena_strndup(s->run->arena, name, n));
		acc = name + n + 1;
	}
	if (id < 0)
		return wrong(s, y, "%s has no fact %s", nd_kinds[kind].name, name);
	d = nd_registry_def(reg, id);
	if (!acc || strcmp(acc, "peak") != 0)
		nd_forget(s->run->f, on, id);
	sp = special(s, y, &why);
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

/* ---- entities and relations ---- */

/* "cpu:0-3": each; "host": the host. Returns how many ids, 0 if wrong. */
static uint32_t entities(struct giver *s, const char *text, const struct nd_yaml *at, nd_id out[256])
{
	const char *colon = strchr(text, ':');
	char kind[32];
	enum nd_kind k;
	uint64_t lo, hi;
	char *dash, range[64];

	snprintf(kind, sizeof(kind), "%.*s", colon ? (int)(colon - text) : (int)strlen(text), text);
	k = nd_kind_by_name(kind, false);
	if (k == ND_NO_KIND || (!colon && nd_kinds[k].plural)) {
		wrong(s, at, "expected kind:key, such as cpu:3, found \"%s\"", text);
		return 0;
	}
	snprintf(range, sizeof(range), "%s", colon ? colon + 1 : "");
	dash = strchr(range, '-');
	if (dash)
		*dash = '\0';
	if (dash && nd_kinds[k].number_key && nd_parse_u64(range, 10, &lo) && nd_parse_u64(dash + 1, 10, &hi) && lo <= hi && hi - lo < 256) {
		for (uint64_t i = lo; i <= hi; i++)
			out[i - lo] = nd_entity_num(s->run->f, k, i);
		return (uint32_t)(hi - lo + 1);
	}
	out[0] = nd_entity(s->run->f, k, colon ? colon + 1 : "");
	return 1;
}

static bool relation_named(enum nd_kind kind, const char *name, enum nd_relation *rel, bool *inverse)
{
	for (unsigned r = 0; r < ND_RELATIONS; r++) {
		*inverse = !(nd_relations[r].from == kind && strcmp(nd_relations[r].name, name) == 0);
		*rel = (enum nd_relation)r;
		if (!*inverse || (nd_relations[r].to == kind && strcmp(nd_relations[r].inverse, name) == 0))
			return true;
	}
	return false;
}

static bool add_side(struct giver *s, nd_id on, enum nd_relation rel, bool inverse, const struct nd_yaml *y)
{
	struct side side = { .on = on, .rel = rel, .inverse = inverse, .value = y };
	uint32_t n = y->type == ND_YAML_LIST ? y->n : 1, at = 0;
	enum nd_missing why;
	nd_id ids[256];

	side.ids = nd_arena_alloc(s->run->arena, (n + 1) * 256 * sizeof(*side.ids));
	for (uint32_t i = 0; i < n && !special(s, y, &why); i++) {
		const struct nd_yaml *one = y->type == ND_YAML_LIST ? y->items[i] : y;
		uint32_t count = one->type == ND_YAML_TEXT ? entities(s, one->text, one, ids) : 0;

		if (!count)
			return count || wrong(s, one, "expected an entity, kind:key");
		memcpy(&side.ids[side.n], ids, count * sizeof(*ids));
		side.n += count;
	}
	while (at < s->n_sides && !(s->sides[at].on == on && s->sides[at].rel == rel && s->sides[at].inverse == inverse))
		at++;
	if (at == s->n_sides) {
		ND_GROW(s->sides, s->n_sides, s->cap_sides);
		s->n_sides++;
	}
	s->sides[at] = side;
	return true;
}

/* Inverses follow, except where the other side was said itself. */
static bool apply_sides(struct giver *s)
{
	struct nd_facts *f = s->run->f;

	for (uint32_t i = 0; i < s->n_sides; i++) {
		struct side *x = &s->sides[i];

		for (uint32_t k = 0; k < x->n; k++)
			nd_relate(f, x->inverse ? x->ids[k] : x->on, x->rel, x->inverse ? x->on : x->ids[k]);
	}
	for (uint32_t i = 0; i < s->n_sides; i++) {
		struct side *x = &s->sides[i];
		enum nd_missing why;
		int sp = special(s, x->value, &why);

		if (sp < 0)
			return false;
		nd_links_set(f, x->on, x->rel, x->inverse, x->ids, x->n);
		if (sp == 1 && x->inverse)
			nd_relate_missing_inverse(f, x->on, x->rel, why, "%s", "");
		else if (sp == 1)
			nd_relate_missing(f, x->on, x->rel, why, "%s", "");
	}
	return true;
}

/* ---- logs, tallies ---- */

static bool put_logs(struct giver *s, const char *pattern, const struct nd_yaml *y)
{
	struct nd_log_rows *rows;
	enum nd_missing why;
	int sp = special(s, y, &why);

	if (sp < 0 || s->g->n_logs == ND_ARRAY_LEN(s->g->logs))
		return sp >= 0 && wrong(s, y, "too many log patterns in one test");
	s->g->logs[s->g->n_logs].pattern = pattern;
	rows = &s->g->logs[s->g->n_logs++].rows;
	*rows = (struct nd_log_rows){ .done = true, .status = { sp == 1 ? why : ND_PRESENT, "" } };
	if (sp)
		return true;
	if (y->type != ND_YAML_LIST)
		return wrong(s, y, "expected a list of lines: [{age: 20s, text: \"…\"}]");
	rows->v = nd_arena_alloc(s->run->arena, (y->n + 1) * sizeof(*rows->v));
	for (uint32_t i = 0; i < y->n; i++) {
		const struct nd_yaml *text = nd_yaml_get(y->items[i], "text"), *age = nd_yaml_get(y->items[i], "age");
		struct nd_log_row *row = &rows->v[rows->n++];

		row->age = -1;
		if (!text || text->type != ND_YAML_TEXT)
			return wrong(s, y->items[i], "a log line has text");
		row->text = text->text;
		if (age && !number(s, age, &row->age))
			return false;
	}
	return true;
}

struct nd_log_rows *nd_given_log(void *ctx, const struct nd_rule *rule, uint32_t pattern)
{
	static struct nd_log_rows unread = { .status = { ND_NOT_SAMPLED, "" } };
	struct nd_given *g = ctx;
	struct nd_log_rows *all = &unread;

	for (uint32_t i = 0; i < g->n_logs; i++) {
		if (strcmp(g->logs[i].pattern, rule->logs[pattern].name) == 0)
			return &g->logs[i].rows;
		if (!*g->logs[i].pattern)
			all = &g->logs[i].rows;
	}
	return all;
}

static bool put_tally(struct giver *s, nd_id on, const char *name, const struct nd_yaml *y)
{
	const struct nd_yaml *hits = nd_yaml_get(y, "hits"), *rows = nd_yaml_get(y, "rows");
	double h = 0, r = 0;

	for (uint32_t i = 0; i < s->rule->n_tallies; i++) {
		if (strcmp(s->rule->tallies[i].name, name) != 0)
			continue;
		if (!hits || !rows)
			return wrong(s, y, "a tally is given as {hits: 3, rows: 9}");
		if (!number(s, hits, &h) || !number(s, rows, &r))
			return false;
		nd_tally_put(s->run->f, s->run->rules, s->rule->tallies[i].slot, on, h, r);
		return true;
	}
	return wrong(s, y, "no tally %s in this rule", name);
}

static bool put_line(struct giver *s, const struct nd_given_line *l, nd_id on)
{
	enum nd_relation rel;
	bool inverse;

	if (nd_starts(l->fact, "log."))
		return put_logs(s, l->fact + 4, l->value);
	if (nd_starts(l->fact, "tally."))
		return put_tally(s, on, l->fact + 6, l->value);
	if (relation_named(nd_entity_kind(s->run->f, on), l->fact, &rel, &inverse))
		return add_side(s, on, rel, inverse, l->value);
	return put_fact(s, on, l->fact, l->value);
}

static bool none_of(struct giver *s, const struct nd_yaml *y)
{
	for (uint32_t i = 0; i < (y->type == ND_YAML_LIST ? y->n : 0); i++) {
		enum nd_kind k = y->items[i]->type == ND_YAML_TEXT ? nd_kind_by_name(y->items[i]->text, false) : ND_NO_KIND;

		if (k == ND_NO_KIND)
			return wrong(s, y->items[i], "no kind of entity of this name");
		nd_kind_read(s->run->f, k);
	}
	return y->type == ND_YAML_LIST || wrong(s, y, "none: a list of kinds");
}

static bool apply_line(struct giver *s, const struct nd_given_line *l)
{
	nd_id ids[256] = { 0 };
	uint32_t n;

	if (strcmp(l->entity, "log") == 0 && !l->fact)
		return put_logs(s, "", l->value);
	if (strcmp(l->entity, "none") == 0 && !l->fact)
		return none_of(s, l->value);
	n = entities(s, l->entity, l->value, ids);
	for (uint32_t i = 0; l->fact && i < n; i++) {
		if (!put_line(s, l, ids[i]))
			return false;
	}
	return n > 0;
}

static void put_window(struct giver *s)
{
	static const char *const names[] = { "window", "span" };

	for (size_t i = 0; i < ND_ARRAY_LEN(names); i++) {
		nd_fact_id id = nd_registry_find(nd_facts_registry(s->run->f), ND_HOST, names[i]);

		if (id >= 0)
			nd_put_num(s->run->f, 0, nd_registry_def(nd_facts_registry(s->run->f), id), s->g->window, &test_input);
	}
}

bool nd_given_apply(struct nd_given *g, struct nd_run *run, const struct nd_rule *rule, const struct nd_yaml **at, char *why, size_t size)
{
	struct giver s = { .g = g, .run = run, .rule = rule, .why = why, .size = size };
	bool ok = true;

	put_window(&s);
	for (uint32_t i = 0; i < g->n && ok; i++)
		ok = apply_line(&s, &g->v[i]);
	ok = ok && apply_sides(&s);
	*at = s.at;
	free(s.sides);
	return ok;
}
