/* Causes of all rules together: names that no rule concludes but for a letter, and explanations in a circle. */
#include "engine/rule/lint.h"

struct cause {
	const char *name;
	uint32_t *explains, n, cap; /* indices */
	const char *narrows;
};
struct graph {
	struct cause *v;
	uint32_t n, cap;
	const char **names; /* of v, for the nearest one */
	uint32_t *from, *queue; /* of the search */
};

static int by_name(const void *a, const void *b)
{
	const struct cause *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static struct cause *find(const struct graph *g, const char *name)
{
	struct cause key = {.name = name};

	return g->n ? bsearch(&key, g->v, g->n, sizeof(*g->v), by_name) : NULL;
}

static void add_names(struct graph *g, const struct nd_tree *t)
{
	for (uint32_t u = 0; u < t->n_uses; u++) {
		if (!t->uses[u].cause)
			continue;
		ND_GROW(g->v, g->n, g->cap);
		g->v[g->n++] = (struct cause){.name = t->uses[u].name,
					      .narrows = t->uses[u].cause->narrows};
	}
}

static void drop_doubles(struct graph *g)
{
	uint32_t n = 0;

	if (g->n)
		qsort(g->v, g->n, sizeof(*g->v), by_name);
	for (uint32_t i = 0; i < g->n; i++) {
		if (n && strcmp(g->v[n - 1].name, g->v[i].name) == 0)
			continue;
		g->v[n++] = g->v[i];
	}
	g->n = n;
}

static void add_edge(struct graph *g, struct cause *from, const struct cause *to)
{
	uint32_t index = (uint32_t)(to - g->v);

	for (uint32_t i = 0; i < from->n; i++) {
		if (from->explains[i] == index)
			return;
	}
	ND_GROW(from->explains, from->n, from->cap);
	from->explains[from->n++] = index;
}

/* Who names a cause names its narrower ones, but for itself. */
static void add_edges(struct graph *g, const struct nd_use *u)
{
	struct cause *from = find(g, u->name);

	for (uint32_t i = 0; from && i < u->n_explains; i++) {
		const struct cause *to = find(g, u->explains[i]);

		if (to)
			add_edge(g, from, to);
		for (uint32_t k = 0; k < g->n; k++) {
			const struct cause *c = &g->v[k];

			if (c != from && c->narrows && strcmp(c->narrows, u->explains[i]) == 0)
				add_edge(g, from, c);
		}
	}
}

static void build(struct graph *g, const struct nd_rules *rules)
{
	for (uint32_t i = 0; i < rules->n; i++) {
		for (uint32_t t = 0; t < rules->rules[i]->n_trees; t++)
			add_names(g, &rules->rules[i]->trees[t]);
	}
	drop_doubles(g);
	for (uint32_t i = 0; i < rules->n; i++) {
		for (uint32_t t = 0; t < rules->rules[i]->n_trees; t++) {
			const struct nd_tree *tree = &rules->rules[i]->trees[t];

			for (uint32_t u = 0; u < tree->n_uses; u++)
				add_edges(g, &tree->uses[u]);
		}
	}
	g->names = nd_alloc((g->n + 1) * sizeof(*g->names));
	g->from = nd_alloc((g->n + 1) * sizeof(*g->from));
	g->queue = nd_alloc((g->n + 1) * sizeof(*g->queue));
	for (uint32_t i = 0; i < g->n; i++)
		g->names[i] = g->v[i].name;
}

static void graph_free(struct graph *g)
{
	for (uint32_t i = 0; i < g->n; i++)
		free(g->v[i].explains);
	free(g->v);
	free(g->names);
	free(g->from);
	free(g->queue);
}

/* ---- circles ---- */

/* The shortest way from a cause back to itself, as "a → b → a"; false if there is none. */
static bool circle(struct graph *g, uint32_t start, struct nd_buf *out)
{
	uint32_t head = 0, tail = 0, at = UINT32_MAX, path[32], n = 0;

	for (uint32_t i = 0; i < g->n; i++)
		g->from[i] = UINT32_MAX;
	for (g->queue[tail++] = start; head < tail && at == UINT32_MAX; head++) {
		const struct cause *c = &g->v[g->queue[head]];

		for (uint32_t i = 0; i < c->n && at == UINT32_MAX; i++) {
			uint32_t to = c->explains[i];

			if (to == start) {
				at = g->queue[head];
			} else if (g->from[to] == UINT32_MAX) {
				g->from[to] = g->queue[head];
				g->queue[tail++] = to;
			}
		}
	}
	if (at == UINT32_MAX)
		return false;
	for (; at != start && n < ND_ARRAY_LEN(path); at = g->from[at])
		path[n++] = at;
	nd_buf_puts(out, g->names[start]);
	while (n > 0)
		nd_buf_printf(out, " → %s", g->names[path[--n]]);
	nd_buf_printf(out, " → %s", g->names[start]);
	return true;
}

/* ---- names ---- */

static const char *const name_keys[] = {"explains", "amplifies", "excludes", "narrows"};

static void check_name(struct nd_lint *l, const struct graph *g, const struct nd_yaml *y)
{
	const char *near;

	if (y->type != ND_YAML_TEXT || find(g, y->text))
		return;
	near = nd_nearest(y->text, g->names, g->n);
	if (near)
		nd_lint_warn(l, y, 0, "no rule concludes %s; nearest is %s", y->text, near);
}

static void check_names(struct nd_lint *l, const struct graph *g, const struct nd_yaml *y)
{
	if (y && y->type == ND_YAML_TEXT)
		check_name(l, g, y);
	for (uint32_t i = 0; y && y->type == ND_YAML_LIST && i < y->n; i++)
		check_name(l, g, y->items[i]);
}

static void check_rule(struct nd_lint *l, struct graph *g)
{
	const struct nd_yaml *notes = nd_yaml_get(l->rule->yaml, "notes");

	for (uint32_t i = 0; i < l->rule->n_causes; i++) {
		const struct nd_cause *c = &l->rule->causes[i];
		const struct cause *node = find(g, c->base);
		const struct nd_yaml *explains = nd_cause_key(c, "explains");
		struct nd_buf way = {0};

		for (size_t k = 0; k < ND_ARRAY_LEN(name_keys); k++)
			check_names(l, g, nd_yaml_get(c->yaml, name_keys[k]));
		if (node && explains && circle(g, (uint32_t)(node - g->v), &way))
			nd_lint_error(l, explains, 0,
				      "an explanation in a circle: %s; one of them must let go",
				      nd_buf_str(&way));
		nd_buf_free(&way);
	}
	for (uint32_t i = 0; notes && notes->type == ND_YAML_MAP && i < notes->n; i++)
		check_names(l, g, nd_yaml_get(notes->items[i], "instead_of"));
}

void nd_lint_causes(const struct nd_rules *rules, nd_lint_wanted *wanted, void *ctx,
		    struct nd_buf *messages)
{
	struct graph g = {0};

	build(&g, rules);
	for (uint32_t i = 0; i < rules->n; i++) {
		struct nd_lint l = nd_lint_of_rule(rules, rules->rules[i], messages);

		if (wanted(ctx, l.path))
			check_rule(&l, &g);
	}
	graph_free(&g);
}
