/* Resolves where the answers of a tree lead. Every node stands in one list, and every list is entered from one
 * place or by go, which has no return: so a node has one continuation, and is one vertex. */
#include "engine/rule/graph.h"

#define MAX_VERTICES 4096

/* What comes behind a list when it runs out. */
struct rest {
	const struct nd_nodes *list;
	uint32_t next;
	const struct rest *behind;
};

static uint32_t add_vertex(struct nd_graph *g, struct nd_vertex v)
{
	for (uint32_t i = 0; i < g->n; i++) {
		const struct nd_vertex *has = &g->v[i];

		if (has->shape == v.shape && has->node == v.node && has->use == v.use &&
		    has->because == v.because)
			return i;
	}
	ND_GROW(g->v, g->n, g->cap);
	g->v[g->n] = v;
	return g->n++;
}

/* Answers that lead to the same place share an arrow. */
static void add_arrow(struct nd_graph *g, struct nd_arrow a)
{
	for (uint32_t i = 0; i < g->n_arrows; i++) {
		struct nd_arrow *has = &g->arrows[i];

		if (has->from == a.from && has->to == a.to && has->cap == a.cap) {
			has->answers |= a.answers;
			return;
		}
	}
	ND_GROW(g->arrows, g->n_arrows, g->cap_arrows);
	g->arrows[g->n_arrows++] = a;
}

static uint32_t place(struct nd_graph *g, const struct nd_tree *t, const struct rest *at);

static uint32_t target(struct nd_graph *g, const struct nd_tree *t, const struct nd_branch *b,
		       const struct rest *behind)
{
	struct rest into = {b->list, 0, b->way == ND_WAY_LIST ? behind : NULL};

	switch (b->way) {
	case ND_WAY_OPEN: break;
	case ND_WAY_CONCLUDE:
		return add_vertex(
			g, (struct nd_vertex){.shape = ND_SHAPE_CAUSE, .use = &t->uses[b->use]});
	case ND_WAY_RULE_OUT:
		return add_vertex(
			g, (struct nd_vertex){.shape = ND_SHAPE_RULED_OUT, .because = b->because});
	case ND_WAY_NEXT: return place(g, t, behind);
	case ND_WAY_LIST:
	case ND_WAY_GO: return place(g, t, &into);
	}
	return add_vertex(g, (struct nd_vertex){.shape = ND_SHAPE_OPEN});
}

/* The vertex where a walk stands that comes here; its own arrows are made when it is met first. */
static uint32_t place(struct nd_graph *g, const struct nd_tree *t, const struct rest *at)
{
	const struct nd_node *n;
	struct rest behind;
	uint32_t me, before;

	while (at && at->next >= at->list->n)
		at = at->behind;
	if (!at || g->n >= MAX_VERTICES)
		return add_vertex(g, (struct nd_vertex){.shape = ND_SHAPE_OPEN});
	n = &at->list->v[at->next];
	if (n->conclusion)
		return add_vertex(
			g, (struct nd_vertex){.shape = ND_SHAPE_CAUSE, .use = &t->uses[n->use]});
	before = g->n;
	me = add_vertex(g, (struct nd_vertex){.shape = ND_SHAPE_ASK, .node = n});
	if (me < before)
		return me;
	behind = (struct rest){at->list, at->next + 1, at->behind};
	for (unsigned k = 0; k < 3; k++) {
		unsigned answer = (const unsigned[]){1, 0, 2}[k]; /* yes first */
		uint32_t to = target(g, t, &n->branch[answer], &behind);

		add_arrow(g, (struct nd_arrow){me, to, 1u << answer, n->branch[answer].cap});
	}
	return me;
}

void nd_graph_of(const struct nd_tree *t, struct nd_graph *out)
{
	struct rest all = {&t->nodes, 0, NULL};
	uint32_t first;

	*out = (struct nd_graph){0};
	if (!t->when) {
		place(out, t, &all);
		return;
	}
	add_vertex(out, (struct nd_vertex){.shape = ND_SHAPE_GATE});
	first = place(out, t, &all);
	add_arrow(out, (struct nd_arrow){0, first, 2, ND_NO_CAP});
	add_arrow(out, (struct nd_arrow){
			       0, add_vertex(out, (struct nd_vertex){.shape = ND_SHAPE_CLOSED}), 1,
			       ND_NO_CAP});
	add_arrow(out, (struct nd_arrow){
			       0, add_vertex(out, (struct nd_vertex){.shape = ND_SHAPE_UNEXAMINED}),
			       4, ND_NO_CAP});
}

void nd_graph_free(struct nd_graph *g)
{
	free(g->v);
	free(g->arrows);
}

bool nd_tree_repeats(const struct nd_rule *r, uint32_t tree)
{
	for (uint32_t i = 0; i < tree; i++) {
		if (r->trees[i].yaml == r->trees[tree].yaml)
			return true;
	}
	return false;
}

void nd_tree_scopes(struct nd_buf *b, const struct nd_rule *r, uint32_t tree)
{
	const char *sep = "";

	for (uint32_t i = tree; i < r->n_trees; i++) {
		if (r->trees[i].yaml != r->trees[tree].yaml)
			continue;
		nd_buf_printf(b, "%s%s", sep, nd_kinds[r->trees[i].scope].name);
		sep = " and each ";
	}
}

const char *nd_tree_title(const struct nd_tree *t)
{
	return strcmp(t->name, "main") == 0 ? t->rule->name : t->name;
}

static void put_literal(struct nd_buf *b, const char *s)
{
	for (; *s; s++) {
		nd_buf_putc(b, *s);
		if (*s == '{' || *s == '}')
			nd_buf_putc(b, *s);
	}
}

void nd_ctext_source(struct nd_buf *b, const struct nd_ctext *t)
{
	for (uint32_t i = 0; t && i < t->n; i++) {
		const struct nd_text_piece *p = &t->pieces[i];

		if (p->literal) {
			put_literal(b, p->literal);
			continue;
		}
		nd_buf_printf(b, "{%s", p->source);
		if (p->unit || p->digits >= 0)
			nd_buf_printf(b, " | %s", p->unit ? p->unit : "");
		if (p->digits >= 0)
			nd_buf_printf(b, "%s.%d", p->unit ? " " : "", p->digits);
		nd_buf_putc(b, '}');
	}
}
