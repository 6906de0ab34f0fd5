/* The facts of a rule's test: YAML lines into a store, as a collector would have put them. */
#include "engine/judge/given_impl.h"

#include <math.h>

bool nd_giver_wrong(struct nd_giver *s, const struct nd_yaml *at, const char *fmt, ...)
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
size_t nd_giver_base(const char *fact)
{
	static const char *const ends[] = {".rate", ".delta", ".total", ".peak"};

	for (size_t i = 0; i < ND_ARRAY_LEN(ends); i++) {
		if (nd_ends(fact, ends[i]))
			return strlen(fact) - strlen(ends[i]);
	}
	return strlen(fact);
}

/* fact NULL: the whole value is the entity's. */
static bool same_line(const struct nd_given_line *l, const struct nd_yaml *entity,
		      const struct nd_yaml *fact)
{
	size_t n;

	if (strcmp(l->entity->text, entity->text) != 0 || !l->fact || !fact)
		return strcmp(l->entity->text, entity->text) == 0 && !l->fact && !fact;
	n = nd_giver_base(fact->text);
	return n == nd_giver_base(l->fact->text) && strncmp(l->fact->text, fact->text, n) == 0;
}

static void add_line(struct nd_given *g, uint32_t before, struct nd_given_line line)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < g->n; i++) { /* what an earlier map said of it is gone */
		if (i >= before || !same_line(&g->v[i], line.entity, line.fact))
			g->v[n++] = g->v[i];
	}
	g->n = n;
	ND_GROW(g->v, g->n, g->cap);
	g->v[g->n++] = line;
}

void nd_given_merge(struct nd_given *g, const struct nd_yaml *map)
{
	for (uint32_t i = 0; map && map->type == ND_YAML_MAP && i < map->n; i++) {
		const struct nd_yaml *entity = map->keys[i], *facts = map->items[i];

		if (strcmp(entity->text, "expect") == 0)
			continue;
		if (strcmp(entity->text, "log") == 0 || strcmp(entity->text, "none") == 0 ||
		    facts->type != ND_YAML_MAP || facts->n == 0) {
			add_line(g, g->n, (struct nd_given_line){entity, NULL, facts});
			continue;
		}
		for (uint32_t k = 0; k < facts->n; k++) {
			struct nd_given_line line = {entity, facts->keys[k], facts->items[k]};
			uint32_t before = g->n;

			/* several accessors of one counter in one map stay together */
			for (uint32_t j = 0; j < k; j++)
				before -= same_line(&line, entity, facts->keys[j]);
			add_line(g, before, line);
		}
	}
}

void nd_given_free(struct nd_given *g)
{
	free(g->v);
}

/* ---- entities and relations ---- */

/* "cpu:0-3": each; "host": the host. Returns how many ids, 0 if wrong. */
static uint32_t entities(struct nd_giver *s, const char *text, const struct nd_yaml *at,
			 nd_id out[256])
{
	const char *colon = strchr(text, ':');
	char kind[32];
	enum nd_kind k;
	uint64_t lo, hi;
	char *dash, range[64];

	snprintf(kind, sizeof(kind), "%.*s", colon ? (int)(colon - text) : (int)strlen(text), text);
	k = nd_kind_by_name(kind, false);
	if (k == ND_NO_KIND || (!colon && nd_kinds[k].plural)) {
		nd_giver_wrong(s, at, "expected kind:key, such as cpu:3, found \"%s\"", text);
		return 0;
	}
	snprintf(range, sizeof(range), "%s", colon ? colon + 1 : "");
	dash = strchr(range, '-');
	if (dash)
		*dash = '\0';
	if (dash && nd_kinds[k].number_key && nd_parse_u64(range, 10, &lo) &&
	    nd_parse_u64(dash + 1, 10, &hi) && lo <= hi && hi - lo < 256) {
		for (uint64_t i = lo; i <= hi; i++)
			out[i - lo] = nd_entity_num(s->run->f, k, i);
		return (uint32_t)(hi - lo + 1);
	}
	out[0] = nd_entity(s->run->f, k, colon ? colon + 1 : "");
	return 1;
}

static bool relation_named(enum nd_kind kind, const char *name, enum nd_relation *rel,
			   bool *inverse)
{
	for (unsigned r = 0; r < ND_RELATIONS; r++) {
		*inverse =
			!(nd_relations[r].from == kind && strcmp(nd_relations[r].name, name) == 0);
		*rel = (enum nd_relation)r;
		if (!*inverse ||
		    (nd_relations[r].to == kind && strcmp(nd_relations[r].inverse, name) == 0))
			return true;
	}
	return false;
}

static bool add_side(struct nd_giver *s, nd_id on, enum nd_relation rel, bool inverse,
		     const struct nd_yaml *y)
{
	struct side side = {.on = on, .rel = rel, .inverse = inverse, .value = y};
	uint32_t n = y->type == ND_YAML_LIST ? y->n : 1, at = 0;
	enum nd_missing why;
	nd_id ids[256];

	side.ids = nd_arena_alloc(s->run->arena, (n + 1) * 256 * sizeof(*side.ids));
	for (uint32_t i = 0; i < n && !nd_giver_special(s, y, &why); i++) {
		const struct nd_yaml *one = y->type == ND_YAML_LIST ? y->items[i] : y;
		uint32_t count = one->type == ND_YAML_TEXT ? entities(s, one->text, one, ids) : 0;

		if (!count)
			return count || nd_giver_wrong(s, one, "expected an entity, kind:key");
		memcpy(&side.ids[side.n], ids, count * sizeof(*ids));
		side.n += count;
	}
	while (at < s->n_sides && !(s->sides[at].on == on && s->sides[at].rel == rel &&
				    s->sides[at].inverse == inverse))
		at++;
	if (at == s->n_sides) {
		ND_GROW(s->sides, s->n_sides, s->cap_sides);
		s->n_sides++;
	}
	s->sides[at] = side;
	return true;
}

/* Inverses follow, except where the other side was said itself. */
static bool apply_sides(struct nd_giver *s)
{
	struct nd_facts *f = s->run->f;

	for (uint32_t i = 0; i < s->n_sides; i++) {
		struct side *x = &s->sides[i];

		for (uint32_t k = 0; k < x->n; k++)
			nd_relate(f, x->inverse ? x->ids[k] : x->on, x->rel,
				  x->inverse ? x->on : x->ids[k]);
	}
	for (uint32_t i = 0; i < s->n_sides; i++) {
		struct side *x = &s->sides[i];
		enum nd_missing why;
		int sp = nd_giver_special(s, x->value, &why);

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

static bool put_logs(struct nd_giver *s, const char *pattern, const struct nd_yaml *y)
{
	struct nd_log_rows *rows;
	enum nd_missing why;
	int sp = nd_giver_special(s, y, &why);

	if (sp < 0 || s->g->n_logs == ND_ARRAY_LEN(s->g->logs))
		return sp >= 0 && nd_giver_wrong(s, y, "too many log patterns in one test");
	s->g->logs[s->g->n_logs].pattern = pattern;
	rows = &s->g->logs[s->g->n_logs++].rows;
	*rows = (struct nd_log_rows){.done = true, .status = {sp == 1 ? why : ND_PRESENT, ""}};
	if (sp)
		return true;
	if (y->type != ND_YAML_LIST)
		return nd_giver_wrong(s, y, "expected a list of lines: [{age: 20s, text: \"…\"}]");
	rows->v = nd_arena_alloc(s->run->arena, (y->n + 1) * sizeof(*rows->v));
	for (uint32_t i = 0; i < y->n; i++) {
		const struct nd_yaml *text = nd_yaml_get(y->items[i], "text"),
				     *age = nd_yaml_get(y->items[i], "age");
		struct nd_log_row *row = &rows->v[rows->n++];

		row->age = -1;
		if (!text || text->type != ND_YAML_TEXT)
			return nd_giver_wrong(s, y->items[i], "a log line has text");
		row->text = text->text;
		if (age && !nd_giver_number(s, age, &row->age))
			return false;
	}
	return true;
}

struct nd_log_rows *nd_given_log(void *ctx, const struct nd_log_pattern *p)
{
	static struct nd_log_rows unread = {.status = {ND_NOT_SAMPLED, ""}};
	struct nd_given *g = ctx;
	struct nd_log_rows *all = g->recorded ? NULL : &unread;

	for (uint32_t i = 0; i < g->n_logs; i++) {
		if (strcmp(g->logs[i].pattern, p->name) == 0)
			return &g->logs[i].rows;
		if (!*g->logs[i].pattern)
			all = &g->logs[i].rows;
	}
	return all;
}

static bool put_tally(struct nd_giver *s, nd_id on, const struct nd_given_line *l)
{
	const char *name = l->fact->text + strlen("tally.");
	const struct nd_yaml *y = l->value;
	const struct nd_yaml *hits = nd_yaml_get(y, "hits"), *rows = nd_yaml_get(y, "rows");
	double h = 0, r = 0;

	for (uint32_t i = 0; i < s->rule->n_tallies; i++) {
		if (strcmp(s->rule->tallies[i].name, name) != 0)
			continue;
		if (!hits || !rows)
			return nd_giver_wrong(s, y, "a tally is given as {hits: 3, rows: 9}");
		if (!nd_giver_number(s, hits, &h) || !nd_giver_number(s, rows, &r))
			return false;
		nd_tally_put(s->run->f, s->run->rules, s->rule->tallies[i].slot, on, h, r);
		return true;
	}
	return nd_giver_wrong(s, l->fact, "no tally %s in this rule", name);
}

/* The streamed table of that name, if the kind has one; else NULL. */
static const struct nd_table_def *table_of(struct nd_giver *s, enum nd_kind kind, const char *name)
{
	const struct nd_registry *r = nd_facts_registry(s->run->f);

	for (uint32_t i = 0; i < nd_registry_tables(r); i++) {
		const struct nd_table_def *t = nd_registry_table(r, i);

		for (const enum nd_kind *k = t->on; strcmp(t->name, name) == 0 && *k != ND_NO_KIND;
		     k++) {
			if (*k == kind)
				return t;
		}
	}
	return NULL;
}

static bool put_row(struct nd_giver *s, nd_id on, const struct nd_table_def *t,
		    const struct nd_yaml *y)
{
	double *row = nd_arena_alloc(s->run->arena, t->n_columns * sizeof(*row));
	const char **names = nd_arena_alloc(s->run->arena, t->n_columns * sizeof(*names)), *near;

	for (uint32_t c = 0; c < t->n_columns; c++) {
		names[c] = t->columns[c].name;
		row[c] = NAN;
	}
	if (y->type != ND_YAML_MAP)
		return nd_giver_wrong(s, y, "a row is columns and their values");
	for (uint32_t i = 0; i < y->n; i++) {
		uint32_t c = 0;

		while (c < t->n_columns && strcmp(names[c], y->keys[i]->text) != 0)
			c++;
		near = nd_nearest(y->keys[i]->text, names, t->n_columns);
		if (c == t->n_columns)
			return nd_giver_wrong(s, y->keys[i], "%s has no column %s%s%s", t->name,
					      y->keys[i]->text, near ? "; nearest is " : "",
					      near ? near : "");
		if (!nd_giver_number(s, y->items[i], &row[c]))
			return false;
	}
	nd_put_row(s->run->f, on, t, row);
	return true;
}

/* Rows as a collector streams them: the tallies count them. */
static bool put_rows(struct nd_giver *s, nd_id on, const struct nd_table_def *t,
		     const struct nd_yaml *y)
{
	if (y->type != ND_YAML_LIST)
		return nd_giver_wrong(s, y, "expected rows: [{%s: 1}, …]", t->columns[0].name);
	for (uint32_t i = 0; i < y->n; i++) {
		if (!put_row(s, on, t, y->items[i]))
			return false;
	}
	return true;
}

static bool put_line(struct nd_giver *s, const struct nd_given_line *l, nd_id on)
{
	const struct nd_table_def *table =
		table_of(s, nd_entity_kind(s->run->f, on), l->fact->text);
	enum nd_relation rel;
	bool inverse;

	if (table)
		return put_rows(s, on, table, l->value);

	if (nd_starts(l->fact->text, "log."))
		return put_logs(s, l->fact->text + 4, l->value);
	if (nd_starts(l->fact->text, "tally."))
		return put_tally(s, on, l);
	if (relation_named(nd_entity_kind(s->run->f, on), l->fact->text, &rel, &inverse))
		return add_side(s, on, rel, inverse, l->value);
	return nd_giver_fact(s, on, l);
}

static bool none_of(struct nd_giver *s, const struct nd_yaml *y)
{
	for (uint32_t i = 0; i < (y->type == ND_YAML_LIST ? y->n : 0); i++) {
		enum nd_kind k = y->items[i]->type == ND_YAML_TEXT
					 ? nd_kind_by_name(y->items[i]->text, false)
					 : ND_NO_KIND;

		if (k == ND_NO_KIND)
			return nd_giver_wrong(s, y->items[i], "no kind of entity of this name");
		nd_kind_read(s->run->f, k);
	}
	return y->type == ND_YAML_LIST || nd_giver_wrong(s, y, "none: a list of kinds");
}

static bool apply_line(struct nd_giver *s, const struct nd_given_line *l)
{
	nd_id ids[256] = {0};
	uint32_t n;

	if (strcmp(l->entity->text, "log") == 0 && !l->fact)
		return put_logs(s, "", l->value);
	if (strcmp(l->entity->text, "none") == 0 && !l->fact)
		return none_of(s, l->value);
	n = entities(s, l->entity->text, l->entity, ids);
	for (uint32_t i = 0; l->fact && i < n; i++) {
		if (!put_line(s, l, ids[i]))
			return false;
	}
	return n > 0;
}

static const struct nd_input test_input = {.path = "test", .netns = "host"};

static void put_window(struct nd_giver *s)
{
	static const char *const names[] = {"window", "span"};

	for (size_t i = 0; i < ND_ARRAY_LEN(names); i++) {
		nd_fact_id id = nd_registry_find(nd_facts_registry(s->run->f), ND_HOST, names[i]);

		if (id >= 0)
			nd_put_num(s->run->f, 0, nd_registry_def(nd_facts_registry(s->run->f), id),
				   s->g->window, &test_input);
	}
}

bool nd_given_apply(struct nd_given *g, struct nd_run *run, const struct nd_rule *rule,
		    const struct nd_yaml **at, char *why, size_t size)
{
	struct nd_giver s = {.g = g, .run = run, .rule = rule, .why = why, .size = size};
	bool ok = true;

	if (!g->recorded)
		put_window(&s);
	for (uint32_t i = 0; i < g->n && ok; i++)
		ok = apply_line(&s, &g->v[i]);
	ok = ok && apply_sides(&s);
	*at = s.at;
	free(s.sides);
	return ok;
}
