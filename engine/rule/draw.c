/* Trees as pictures: Mermaid, which Markdown viewers draw, and Graphviz. Both print one graph; they differ in a
 * table of shapes and in how a label is escaped. */
#include "engine/rule/graph.h"

#define LABEL_COLUMNS 36

/* ---- labels ---- */

/* Words, broken into lines of about LABEL_COLUMNS. */
static void wrapped(struct nd_buf *b, const char *text, const char *line_break,
		    void (*put)(struct nd_buf *b, char c))
{
	size_t at = 0;

	while (*text) {
		size_t n = strcspn(text, " \n\t");

		if (at && n)
			nd_buf_puts(b, at + n >= LABEL_COLUMNS ? line_break : " ");
		at = at && at + n >= LABEL_COLUMNS ? 0 : at;
		for (size_t i = 0; i < n; i++)
			put(b, text[i]);
		at += n ? n + 1 : 0;
		text += n + strspn(text + n, " \n\t");
	}
}

static void put_mermaid(struct nd_buf *b, char c)
{
	static const char special[] = "\"#<>&`|{}[]();";

	if (strchr(special, c))
		nd_buf_printf(b, "#%d;", c);
	else
		nd_buf_putc(b, c);
}

static void put_dot(struct nd_buf *b, char c)
{
	if (c == '"' || c == '\\')
		nd_buf_putc(b, '\\');
	nd_buf_putc(b, c);
}

static void vertex_text(struct nd_buf *b, const struct nd_tree *t, const struct nd_vertex *v)
{
	static const char *const grades[] = {"requires", "supports", "decides"};

	switch (v->shape) {
	case ND_SHAPE_GATE: nd_buf_puts(b, t->when_text); break;
	case ND_SHAPE_ASK:
		nd_ctext_source(b, v->node->ask);
		nd_buf_printf(b, " (%s)", grades[v->node->grade]);
		break;
	case ND_SHAPE_CAUSE: nd_buf_puts(b, v->use->name); break;
	case ND_SHAPE_RULED_OUT:
		nd_buf_puts(b, "ruled out: ");
		nd_ctext_source(b, v->because);
		break;
	case ND_SHAPE_OPEN: nd_buf_puts(b, "stays open"); break;
	case ND_SHAPE_CLOSED: nd_buf_puts(b, "not concerned"); break;
	case ND_SHAPE_UNEXAMINED: nd_buf_puts(b, "not examined"); break;
	case ND_SHAPES: break;
	}
}

static void arrow_text(struct nd_buf *b, const struct nd_arrow *a)
{
	static const char *const answers[] = {"no", "yes", "unknown"};
	static const char *const caps[] = {"at most suspected", "at most likely"};
	const char *sep = "";

	for (unsigned k = 0; k < 3 && a->answers != 7; k++) {
		unsigned answer = (const unsigned[]){1, 0, 2}[k];

		if (!(a->answers >> answer & 1))
			continue;
		nd_buf_printf(b, "%s%s", sep, answers[answer]);
		sep = ", ";
	}
	if (a->answers == 7)
		nd_buf_puts(b, "whatever the answer");
	if (a->cap != ND_NO_CAP)
		nd_buf_printf(b, ": %s", caps[a->cap]);
}

/* ---- the two languages ---- */

struct language {
	const char *line_break;
	void (*put)(struct nd_buf *b, char c);
	const char *before[ND_SHAPES], *after[ND_SHAPES];
	const char *arrow, *arrow_label, *arrow_end;
};

static const struct language mermaid = {
	.line_break = "<br>",
	.put = put_mermaid,
	.before = {"{{\"", "[\"", "([\"", "[/\"", "[/\"", "[/\"", "[/\""},
	.after = {"\"}}", "\"]", "\"]):::cause", "\"/]", "\"/]", "\"/]", "\"/]"},
	.arrow = " -->",
	.arrow_label = "|\"",
	.arrow_end = "\"| ",
};
static const struct language dot = {
	.line_break = "\\n",
	.put = put_dot,
	.before = {" [shape=hexagon,label=\"", " [shape=box,label=\"",
		   " [shape=ellipse,style=bold,label=\"", " [shape=plaintext,label=\"",
		   " [shape=plaintext,label=\"", " [shape=plaintext,label=\"",
		   " [shape=plaintext,label=\""},
	.after = {"\"];", "\"];", "\"];", "\"];", "\"];", "\"];", "\"];"},
	.arrow = " -> ",
	.arrow_label = " [label=\"",
	.arrow_end = "\"];",
};

static void draw_arrow(const struct language *l, const struct nd_arrow *a, uint32_t index,
		       struct nd_buf *out)
{
	struct nd_buf text = {0};

	arrow_text(&text, a);
	nd_buf_printf(out, "    t%un%u%s", index, a->from, l->arrow);
	if (l == &dot)
		nd_buf_printf(out, "t%un%u", index, a->to);
	nd_buf_puts(out, l->arrow_label);
	wrapped(out, nd_buf_str(&text), l->line_break, l->put);
	nd_buf_puts(out, l->arrow_end);
	if (l != &dot)
		nd_buf_printf(out, "t%un%u", index, a->to);
	nd_buf_putc(out, '\n');
	nd_buf_free(&text);
}

static void draw_tree(const struct language *l, const struct nd_tree *t, uint32_t index,
		      struct nd_buf *out)
{
	struct nd_graph g;

	nd_graph_of(t, &g);
	for (uint32_t i = 0; i < g.n; i++) {
		struct nd_buf text = {0};

		vertex_text(&text, t, &g.v[i]);
		nd_buf_printf(out, "    t%un%u%s", index, i, l->before[g.v[i].shape]);
		wrapped(out, nd_buf_str(&text), l->line_break, l->put);
		nd_buf_printf(out, "%s\n", l->after[g.v[i].shape]);
		nd_buf_free(&text);
	}
	for (uint32_t i = 0; i < g.n;
	     i++) { /* in the order of the vertices, which places them well */
		for (uint32_t k = 0; k < g.n_arrows; k++) {
			if (g.arrows[k].from == i)
				draw_arrow(l, &g.arrows[k], index, out);
		}
	}
	nd_graph_free(&g);
}

static void draw(const struct language *l, const struct nd_rule *r, struct nd_buf *out)
{
	for (uint32_t i = 0; i < r->n_trees; i++) {
		const struct nd_tree *t = &r->trees[i];
		struct nd_buf title = {0};

		if (nd_tree_repeats(r, i))
			continue;
		if (l == &mermaid)
			nd_buf_printf(out, "  subgraph tree%u[\"", i);
		else
			nd_buf_printf(out, "  subgraph cluster_%u {\n    label=\"", i);
		nd_buf_printf(&title, "%s, for each ", nd_tree_title(t));
		nd_tree_scopes(&title, r, i);
		wrapped(out, nd_buf_str(&title), " ", l->put);
		nd_buf_free(&title);
		nd_buf_puts(out, l == &mermaid ? "\"]\n" : "\";\n");
		draw_tree(l, t, i, out);
		nd_buf_puts(out, l == &mermaid ? "  end\n" : "  }\n");
	}
}

void nd_draw_mermaid(const struct nd_rule *r, struct nd_buf *out)
{
	nd_buf_puts(out, "flowchart TD\n  classDef cause stroke-width:3px\n");
	draw(&mermaid, r, out);
}

void nd_draw_dot(const struct nd_rule *r, struct nd_buf *out)
{
	nd_buf_puts(out, "digraph \"");
	for (const char *p = r->name; *p; p++)
		put_dot(out, *p);
	nd_buf_puts(out, "\" {\n  node [fontname=\"sans-serif\"];\n");
	draw(&dot, r, out);
	nd_buf_puts(out, "}\n");
}
