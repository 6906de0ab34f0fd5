/* What is changed in a rule, one place at a time: thresholds, grades, branches, comparisons, causes' relations, fixes'
 * preconditions.
 *
 * The places are those of the YAML tree, so that only what the language reads is changed, never a comment or a text
 * for people, and the rest of the file stays as it is. */
#include "tests/mutate/plan.h"

#include "engine/rule/lex.h"
#include "engine/rule/yaml.h"

#define SHOWN 40 /* bytes of a text in a mutant's name */

/* ---- places ---- */

static size_t end_of_text(const struct plan *p, const struct nd_yaml *y)
{
	return nd_yaml_offset(y, p->file->text, p->file->len, strlen(y->text)) + y->quoted;
}

/* Behind the last byte of a value. */
static size_t end_of(const struct plan *p, const struct nd_yaml *y)
{
	const char *s = p->file->text;
	size_t at = y->offset + 1;
	bool flow;

	if (y->type == ND_YAML_TEXT)
		return end_of_text(p, y);
	flow = s[y->offset] == '[' || s[y->offset] == '{';
	if (y->n)
		at = end_of(p, y->items[y->n - 1]);
	while (flow && at < p->file->len && s[at] != ']' && s[at] != '}')
		at += s[at] == '#' ? strcspn(s + at, "\n") : 1;
	return at + flow;
}

static const char *shown(struct plan *p, const char *s, size_t n)
{
	size_t cut = n > SHOWN ? SHOWN : n;
	char *out;

	while (cut < n && cut > 0 && ((unsigned char)s[cut] & 0xc0) == 0x80)
		cut--;
	out = nd_arena_printf(&p->arena, "%.*s%s", (int)cut, s, cut < n ? "…" : "");
	for (size_t i = 0; out[i]; i++)
		out[i] = out[i] == '\n' || out[i] == '\t' ? ' ' : out[i];
	return out;
}

static void add(struct plan *p, size_t from, size_t to, const char *by, const char *name)
{
	struct mutant m = {.from = from, .to = to, .by = by, .name = name, .line = 1};

	for (size_t i = 0; i < from; i++)
		m.line += p->file->text[i] == '\n';
	ND_GROW(p->v, p->n, p->cap);
	p->v[p->n++] = m;
}

static void replace(struct plan *p, const struct nd_yaml *y, const char *by, const char *where)
{
	const char *s = p->file->text;
	size_t end = end_of(p, y);

	if (end - y->offset == strlen(by) && memcmp(s + y->offset, by, strlen(by)) == 0)
		return;
	add(p, y->offset, end, by,
	    nd_arena_printf(&p->arena, "%s [%s -> %s]", where,
			    shown(p, s + y->offset, end - y->offset), by));
}

/* A key that stood for its default: written in front of the first key of a map. */
static void insert(struct plan *p, const struct nd_yaml *map, const char *line, const char *name)
{
	const struct nd_yaml *first = map->keys[0];
	bool flow = p->file->text[map->offset] == '{';
	const char *by =
		flow ? nd_arena_printf(&p->arena, "%s, ", line)
		     : nd_arena_printf(&p->arena, "%s\n%*s", line, (int)first->column - 1, "");

	add(p, first->offset, first->offset, by, name);
}

/* Item i of a list, or key i of a map with its value, is left out. */
static void leave_out(struct plan *p, const struct nd_yaml *y, uint32_t i, const char *name)
{
	struct nd_yaml **starts = y->type == ND_YAML_MAP ? y->keys : y->items;
	bool flow = p->file->text[y->offset] == '[' || p->file->text[y->offset] == '{';

	if (i + 1 < y->n)
		add(p, starts[i]->offset, starts[i + 1]->offset, "", name);
	else if (i > 0)
		add(p, end_of(p, y->items[i - 1]), end_of(p, y->items[i]), "", name);
	else
		add(p, flow ? y->offset + 1 : y->offset, end_of(p, y->items[0]), flow ? "" : "[]",
		    name);
}

/* ---- what is changed ---- */

static void params(struct plan *p, const struct nd_yaml *all)
{
	static const struct {
		double by;
		const char *name;
	} factors[] = {{2, "doubled"}, {0.5, "halved"}};

	for (uint32_t i = 0; all && i < all->n; i++) {
		const struct nd_yaml *y = nd_yaml_get(all->items[i], "value");
		size_t digits = y ? strspn(y->text, "0123456789.") : 0;
		double v;

		if (!digits || !nd_parse_f64(nd_arena_strndup(&p->arena, y->text, digits), &v) ||
		    v == 0)
			continue;
		for (size_t k = 0; k < ND_ARRAY_LEN(factors); k++) {
			struct nd_buf b = {0};

			nd_print_plain(&b, v * factors[k].by);
			nd_buf_puts(&b, y->text + digits);
			replace(p, y, nd_arena_strdup(&p->arena, nd_buf_str(&b)),
				nd_arena_printf(&p->arena, "params.%s %s", all->keys[i]->text,
						factors[k].name));
			nd_buf_free(&b);
		}
	}
}

static const struct {
	enum nd_token_type type;
	const char *sign, *others[3];
} operators[] = {
	{ND_TOK_GT, ">", {">=", "<"}}, {ND_TOK_GE, ">=", {">", "<"}},
	{ND_TOK_LT, "<", {"<=", ">"}}, {ND_TOK_LE, "<=", {"<", ">"}},
	{ND_TOK_EQ, "==", {"!="}},     {ND_TOK_NE, "!=", {"=="}},
	{ND_TOK_MATCH, "=~", {"!~"}},  {ND_TOK_NOT_MATCH, "!~", {"=~"}},
	{ND_TOK_AND, "and", {"or"}},   {ND_TOK_OR, "or", {"and"}},
};

/* Comparisons, `and` and `or` of an expression. */
static void expression(struct plan *p, const struct nd_yaml *y, const char *where)
{
	struct nd_expr_error e;
	struct nd_lexer lx = {.arena = &p->arena, .err = &e};
	struct nd_token t;
	uint32_t op = 0;

	if (!y || y->type != ND_YAML_TEXT)
		return;
	lx.s = y->text;
	while (nd_lex_next(&lx, &t) && t.type != ND_TOK_END) {
		for (size_t i = 0; i < ND_ARRAY_LEN(operators); i++) {
			const char *const *to = operators[i].others;
			size_t from = nd_yaml_offset(y, p->file->text, p->file->len, t.pos);

			op += operators[i].type == t.type;
			for (; operators[i].type == t.type && *to; to++)
				add(p, from, from + strlen(operators[i].sign), *to,
				    nd_arena_printf(&p->arena, "%s op %u [%s -> %s]", where, op,
						    operators[i].sign, *to));
		}
	}
}

static void expressions(struct plan *p, const struct nd_yaml *map, const char *where)
{
	for (uint32_t i = 0; map && i < map->n; i++)
		expression(p, map->items[i],
			   nd_arena_printf(&p->arena, "%s.%s", where, map->keys[i]->text));
}

static void grade(struct plan *p, const struct nd_yaml *node, const char *where)
{
	static const char *const grades[] = {"requires", "decides", "supports"};
	const struct nd_yaml *y = nd_yaml_get(node, "grade");

	for (size_t i = 0; i < ND_ARRAY_LEN(grades); i++) {
		if (y)
			replace(p, y, grades[i], nd_arena_printf(&p->arena, "%s.grade", where));
		else if (i > 0)
			insert(p, node, nd_arena_printf(&p->arena, "grade: %s", grades[i]),
			       nd_arena_printf(&p->arena, "%s.grade [(requires) -> %s]", where,
					       grades[i]));
	}
}

static void nodes(struct plan *p, const struct nd_yaml *list, const char *where);

/* What a branch adds to its way: without it. A cap or a sentence alone is `next`, which is tried anyway. */
static void without_extras(struct plan *p, const struct nd_yaml *y, const char *where)
{
	for (uint32_t i = 0; y->type == ND_YAML_MAP && y->n > 1 && i < y->n; i++) {
		const char *key = y->keys[i]->text;

		if (strcmp(key, "cap") == 0 || strcmp(key, "says") == 0)
			leave_out(p, y, i,
				  nd_arena_printf(&p->arena, "%s.%s [left out]", where, key));
	}
}

static void branch(struct plan *p, const struct nd_yaml *node, const char *key, const char *where)
{
	static const char *const ways[] = {"next", "open"};
	const struct nd_yaml *y = nd_yaml_get(node, key), *inner;
	bool supports;

	where = nd_arena_printf(&p->arena, "%s.%s", where, key);
	if (y) {
		for (size_t i = 0; i < ND_ARRAY_LEN(ways); i++)
			replace(p, y, ways[i], where);
		without_extras(p, y, where);
		inner = y->type == ND_YAML_MAP ? nd_yaml_get(y, "do") : y;
		if (inner && inner->type == ND_YAML_LIST)
			nodes(p, inner, where);
		return;
	}
	inner = nd_yaml_get(node, "grade");
	supports = inner && strcmp(inner->text, "supports") == 0;
	for (size_t i = 0; i < ND_ARRAY_LEN(ways); i++) {
		bool is = (i == 0) == (supports || strcmp(key, "if_yes") == 0);

		if (!is)
			insert(p, node, nd_arena_printf(&p->arena, "%s: %s", key, ways[i]),
			       nd_arena_printf(&p->arena, "%s [(%s) -> %s]", where, ways[1 - i],
					       ways[i]));
	}
}

static void nodes(struct plan *p, const struct nd_yaml *list, const char *where)
{
	static const char *const branches[] = {"if_yes", "if_no", "if_unknown"};

	for (uint32_t i = 0; list && i < list->n; i++) {
		const struct nd_yaml *node = list->items[i];
		const char *here = nd_arena_printf(&p->arena, "%s[%u]", where, i);

		if (nd_yaml_get(node, "conclude"))
			continue;
		expression(p, nd_yaml_get(node, "test"),
			   nd_arena_printf(&p->arena, "%s.test", here));
		grade(p, node, here);
		for (size_t k = 0; k < ND_ARRAY_LEN(branches); k++)
			branch(p, node, branches[k], here);
	}
}

static void tree(struct plan *p, const struct nd_yaml *y, const char *prefix)
{
	const struct nd_yaml *branches = nd_yaml_get(y, "branches");

	expression(p, nd_yaml_get(y, "when"), nd_arena_printf(&p->arena, "%swhen", prefix));
	expressions(p, nd_yaml_get(y, "let"), nd_arena_printf(&p->arena, "%slet", prefix));
	nodes(p, nd_yaml_get(y, "tree"), nd_arena_printf(&p->arena, "%stree", prefix));
	for (uint32_t i = 0; branches && i < branches->n; i++)
		nodes(p, branches->items[i],
		      nd_arena_printf(&p->arena, "%sbranches.%s", prefix, branches->keys[i]->text));
}

/* explains, amplifies, excludes. */
static void relations(struct plan *p, const struct nd_yaml *y, const char *where)
{
	if (y && y->type == ND_YAML_TEXT)
		add(p, y->offset, end_of(p, y), "[]",
		    nd_arena_printf(&p->arena, "%s [%s left out]", where, y->text));
	for (uint32_t i = 0; y && y->type == ND_YAML_LIST && i < y->n; i++)
		leave_out(p, y, i,
			  nd_arena_printf(&p->arena, "%s [%s left out]", where, y->items[i]->text));
}

/* A fix is offered when it was not, and the other way round. */
static void negate(struct plan *p, const struct nd_yaml *y, const char *where)
{
	struct nd_buf b = {0};

	if (!y)
		return;
	nd_buf_puts(&b, "\"not (");
	for (const char *s = y->text; *s; s++)
		nd_buf_printf(&b, "%s%c", *s == '"' || *s == '\\' ? "\\" : "", *s);
	nd_buf_puts(&b, ")\"");
	add(p, y->offset, end_of(p, y), nd_arena_strdup(&p->arena, nd_buf_str(&b)),
	    nd_arena_printf(&p->arena, "%s [negated]", where));
	nd_buf_free(&b);
}

static void causes(struct plan *p, const struct nd_yaml *all)
{
	static const char *const lists[] = {"explains", "amplifies", "excludes"};

	for (uint32_t i = 0; all && i < all->n; i++) {
		const struct nd_yaml *c = all->items[i], *fix = nd_yaml_get(c, "fix");
		const struct nd_yaml *refute = nd_yaml_get(c, "refute");
		const char *name = all->keys[i]->text;

		for (size_t k = 0; k < ND_ARRAY_LEN(lists); k++)
			relations(p, nd_yaml_get(c, lists[k]),
				  nd_arena_printf(&p->arena, "causes.%s.%s", name, lists[k]));
		for (uint32_t k = 0; refute && k < refute->n; k++) {
			const char *where =
				nd_arena_printf(&p->arena, "causes.%s.refute[%u]", name, k);
			const struct nd_yaml *then = nd_yaml_get(refute->items[k], "then");

			expression(p, nd_yaml_get(refute->items[k], "test"), where);
			for (uint32_t t = 0; then && t < refute->items[k]->n; t++) {
				if (refute->items[k]->items[t] == then)
					leave_out(p, refute->items[k], t,
						  nd_arena_printf(&p->arena, "%s.then [left out]",
								  where));
			}
		}
		for (uint32_t k = 0; fix && k < fix->n; k++)
			negate(p, nd_yaml_get(fix->items[k], "when"),
			       nd_arena_printf(&p->arena, "causes.%s.fix[%u].when", name, k));
	}
}

static void tests_of(struct plan *p, const struct nd_yaml *y, const char *section, const char *key)
{
	const struct nd_yaml *all = nd_yaml_get(y, section);

	for (uint32_t i = 0; all && i < all->n; i++)
		expression(
			p, nd_yaml_get(all->items[i], key),
			nd_arena_printf(&p->arena, "%s.%s.%s", section, all->keys[i]->text, key));
}

bool plan_make(struct plan *p, const struct nd_rules_file *file)
{
	struct nd_buf messages = {0};
	const struct nd_yaml *y, *trees;

	*p = (struct plan){.file = file};
	y = nd_yaml_parse(&p->arena, file->path, file->text, file->len, &messages);
	fputs(nd_buf_str(&messages), stdout);
	nd_buf_free(&messages);
	if (!y)
		return false;
	params(p, nd_yaml_get(y, "params"));
	tree(p, y, "");
	trees = nd_yaml_get(y, "trees");
	for (uint32_t i = 0; trees && i < trees->n; i++)
		tree(p, trees->items[i],
		     nd_arena_printf(&p->arena, "trees.%s.", trees->keys[i]->text));
	causes(p, nd_yaml_get(y, "causes"));
	tests_of(p, y, "notes", "test");
	tests_of(p, y, "contradictions", "test");
	tests_of(p, y, "derive", "value");
	return true;
}

void plan_free(struct plan *p)
{
	nd_arena_free(&p->arena);
	free(p->v);
}
