/* A tree as a graph: where each answer leads, lists and branches resolved. What pictures are drawn from. */
#ifndef ND_GRAPH_H
#define ND_GRAPH_H

#include "engine/rule/rule.h"

enum nd_shape {
	ND_SHAPE_GATE,
	ND_SHAPE_ASK,
	ND_SHAPE_CAUSE,
	ND_SHAPE_RULED_OUT,
	ND_SHAPE_OPEN,
	ND_SHAPE_CLOSED,
	ND_SHAPE_UNEXAMINED,
	ND_SHAPES
};
struct nd_vertex {
	enum nd_shape shape;
	const struct nd_node *node; /* ASK */
	const struct nd_use *use; /* CAUSE */
	const struct nd_ctext *because; /* RULED_OUT */
};
struct nd_arrow {
	uint32_t from, to;
	unsigned answers; /* bits 0 no, 1 yes, 2 unknown */
	int cap; /* ND_NO_CAP, or as in struct nd_branch */
};
struct nd_graph {
	struct nd_vertex *v; /* v[0] is where it begins */
	uint32_t n, cap;
	struct nd_arrow *arrows;
	uint32_t n_arrows, cap_arrows;
};
void nd_graph_of(const struct nd_tree *t, struct nd_graph *out);
void nd_graph_free(struct nd_graph *g);

/* A tree with several scopes is one tree a scope; only the first of them need be shown. */
bool nd_tree_repeats(const struct nd_rule *r, uint32_t tree);
/* "service and each peer"; of the tree and those that repeat it. */
void nd_tree_scopes(struct nd_buf *b, const struct nd_rule *r, uint32_t tree);
/* The tree's name, or the rule's if it has but one. */
const char *nd_tree_title(const struct nd_tree *t);
/* The text as it was written: holes in their braces. */
void nd_ctext_source(struct nd_buf *b, const struct nd_ctext *t);
/* All trees of a rule, for Mermaid (as in Markdown) and for Graphviz. */
void nd_draw_mermaid(const struct nd_rule *r, struct nd_buf *out);
void nd_draw_dot(const struct nd_rule *r, struct nd_buf *out);
#endif
