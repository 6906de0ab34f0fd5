/* Checks of whole files: their lines, what nobody uses, where thresholds come from; and the order of all checks. */
#include "engine/rule/lint.h"

#include "engine/rule/reads.h"

#define LINE_MAX_CHARS 120

/* ---- saying ---- */

struct nd_lint nd_lint_of_rule(const struct nd_rules *rules, const struct nd_rule *r,
			       struct nd_buf *messages)
{
	return (struct nd_lint){.rules = rules,
				.rule = r,
				.path = r->path,
				.text = r->text,
				.len = r->len,
				.messages = messages};
}

static void say(struct nd_lint *l, size_t at, const char *kind, const char *fmt, va_list ap)
	ND_PRINTF(4, 0);
static void say(struct nd_lint *l, size_t at, const char *kind, const char *fmt, va_list ap)
{
	char msg[1024];

	for (uint32_t i = 0; i < l->n_said; i++) {
		if (l->said[i].at == at && l->said[i].fmt == fmt)
			return;
	}
	if (l->n_said == ND_LINT_SHOWN)
		return;
	l->said[l->n_said].at = at;
	l->said[l->n_said++].fmt = fmt;
	vsnprintf(msg, sizeof(msg), fmt, ap);
	nd_yaml_message(l->messages, l->path, l->text, l->len, at, kind, msg);
}

static size_t place(const struct nd_lint *l, const struct nd_yaml *at, uint32_t i)
{
	return at->type == ND_YAML_TEXT ? nd_yaml_offset(at, l->text, l->len, i) : at->offset;
}

void nd_lint_error(struct nd_lint *l, const struct nd_yaml *at, uint32_t i, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(l, place(l, at, i), "error", fmt, ap);
	va_end(ap);
}

void nd_lint_warn(struct nd_lint *l, const struct nd_yaml *at, uint32_t i, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(l, place(l, at, i), "warning", fmt, ap);
	va_end(ap);
}

void nd_lint_warn_byte(struct nd_lint *l, size_t at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(l, at, "warning", fmt, ap);
	va_end(ap);
}

const struct nd_yaml *nd_lint_key(const struct nd_yaml *map, const char *key)
{
	for (uint32_t i = 0; map->type == ND_YAML_MAP && i < map->n; i++) {
		if (strcmp(map->keys[i]->text, key) == 0)
			return map->keys[i];
	}
	return map;
}

/* ---- lines ---- */

/* Bytes of literal blocks, in the order of the file: shell text, which cannot be folded. */
struct blocks {
	struct {
		size_t from, to;
	} * v;
	uint32_t n, cap;
};

static void find_blocks(const struct nd_lint *l, const struct nd_yaml *y, struct blocks *b)
{
	for (uint32_t i = 0; y->type != ND_YAML_TEXT && i < y->n; i++)
		find_blocks(l, y->items[i], b);
	if (y->type != ND_YAML_TEXT || !y->block || l->text[y->offset] != '|')
		return;
	ND_GROW(b->v, b->n, b->cap);
	b->v[b->n].from = y->offset;
	b->v[b->n++].to = nd_yaml_offset(y, l->text, l->len, strlen(y->text));
}

/* at rises from call to call. */
static bool in_block(const struct blocks *b, size_t at, uint32_t *next)
{
	while (*next < b->n && b->v[*next].to <= at)
		(*next)++;
	return *next < b->n && b->v[*next].from < at;
}

/* Length is a matter of what is read as prose and logic; tests are tables. */
static void check_line(struct nd_lint *l, size_t from, size_t to, bool is_table)
{
	size_t end = to, chars = 0, at = from;

	while (end > from && (l->text[end - 1] == ' ' || l->text[end - 1] == '\t'))
		end--;
	if (end < to)
		nd_lint_warn_byte(l, end, "blanks at the end of the line");
	for (; at < end; at++) {
		chars += ((unsigned char)l->text[at] & 0xc0) != 0x80;
		if (chars > LINE_MAX_CHARS)
			break;
	}
	if (at < end && !is_table)
		nd_lint_warn_byte(
			l, at,
			"more than %d characters in a line: fold the text with >-, or name a part of it under let",
			LINE_MAX_CHARS);
}

static void check_lines(struct nd_lint *l, const struct nd_yaml *file)
{
	struct blocks blocks = {0};
	bool is_table = false;
	uint32_t block = 0;

	find_blocks(l, file, &blocks);

	for (size_t at = 0; at < l->len;) {
		const char *newline = memchr(l->text + at, '\n', l->len - at);
		size_t next = newline ? (size_t)(newline - l->text) + 1 : l->len;
		size_t end = newline ? next - 1 : next;

		if (end > at && l->text[end - 1] == '\r')
			end--;
		is_table = is_table || (end - at >= 6 && memcmp(l->text + at, "tests:", 6) == 0);
		check_line(l, at, end, is_table || in_block(&blocks, at, &block));
		at = next;
	}
	free(blocks.v);
}

/* ---- thresholds ---- */

static void check_origins(struct nd_lint *l, const struct nd_yaml *params)
{
	for (uint32_t i = 0; params && params->type == ND_YAML_MAP && i < params->n; i++) {
		const struct nd_yaml *origin = nd_yaml_get(params->items[i], "origin");

		if (origin && origin->type == ND_YAML_TEXT && nd_starts(origin->text, "guess:"))
			nd_lint_warn(l, origin, 0,
				     "a guess: measure it in the lab, or find a case or a source");
	}
}

/* ---- what nobody uses ---- */

static bool has_index(const uint32_t *v, uint32_t n, uint32_t i)
{
	while (n > 0 && v[n - 1] != i)
		n--;
	return n > 0;
}

static bool reads_param(const struct nd_reads *r, const struct nd_param *p)
{
	uint32_t n = r->n_params;

	while (n > 0 && r->params[n - 1] != p)
		n--;
	return n > 0;
}

static bool reads_let(const struct nd_reads *r, const struct nd_yaml *source)
{
	uint32_t n = r->n_lets;

	while (n > 0 && r->lets[n - 1]->source != source)
		n--;
	return n > 0;
}

static void check_lets(struct nd_lint *l, const struct nd_reads *r, const struct nd_yaml *lets)
{
	for (uint32_t i = 0; lets && lets->type == ND_YAML_MAP && i < lets->n; i++) {
		if (!reads_let(r, lets->items[i]))
			nd_lint_warn(
				l, lets->keys[i], 0,
				"$%s is used nowhere, and so was not even checked: use or remove it",
				lets->keys[i]->text);
	}
}

static void check_used(struct nd_lint *l)
{
	const struct nd_rule *rule = l->rule;
	const struct nd_yaml *y = rule->yaml, *trees = nd_yaml_get(y, "trees");
	struct nd_reads r = {0};

	nd_reads_rule(&r, rule);
	for (uint32_t i = 0; i < rule->n_params; i++) {
		if (!reads_param(&r, &rule->params[i]))
			nd_lint_warn(l, nd_lint_key(nd_yaml_get(y, "params"), rule->params[i].name),
				     0, "parameter %s is used nowhere: remove it",
				     rule->params[i].name);
	}
	check_lets(l, &r, nd_yaml_get(y, "let"));
	for (uint32_t i = 0; trees && trees->type == ND_YAML_MAP && i < trees->n; i++)
		check_lets(l, &r, nd_yaml_get(trees->items[i], "let"));
	for (uint32_t i = 0; i < rule->n_logs; i++) {
		if (!has_index(r.logs, r.n_logs, rule->logs[i].slot))
			nd_lint_warn(l, nd_lint_key(nd_yaml_get(y, "logs"), rule->logs[i].name), 0,
				     "log pattern %s is used nowhere: remove it",
				     rule->logs[i].name);
	}
	for (uint32_t i = 0; i < rule->n_tallies; i++) {
		if (!has_index(r.tallies, r.n_tallies, i))
			nd_lint_warn(l, nd_lint_key(nd_yaml_get(y, "tally"), rule->tallies[i].name),
				     0, "tally %s is counted for nobody: remove it",
				     rule->tallies[i].name);
	}
	nd_reads_free(&r);
}

/* ---- notes, contradictions, tallies ---- */

static void fresh_lets(struct nd_lint *l, uint32_t n)
{
	free(l->seen);
	l->seen = nd_alloc(n + 1);
}

static void check_remarks(struct nd_lint *l, const struct nd_remark *m, uint32_t n,
			  const char *section)
{
	const struct nd_yaml *y = nd_yaml_get(l->rule->yaml, section);

	for (uint32_t i = 0; i < n; i++) {
		const struct nd_yaml *test = nd_yaml_get(nd_yaml_get(y, m[i].name), "test");

		fresh_lets(l, m[i].n_lets);
		nd_lint_question(l, m[i].test, test, true);
		if (nd_lint_constant(m[i].test))
			nd_lint_warn(l, test, 0, "this asks no fact: its answer never changes");
	}
}

static void check_tallies(struct nd_lint *l)
{
	const struct nd_yaml *y = nd_yaml_get(l->rule->yaml, "tally");

	for (uint32_t i = 0; i < l->rule->n_tallies; i++)
		nd_lint_question(l, l->rule->tallies[i].where,
				 nd_yaml_get(nd_yaml_get(y, l->rule->tallies[i].name), "where"),
				 false);
}

/* ---- tests ---- */

/* The same words as of keys that loading looks at, for those who mend them. */
static uint32_t check_keys(struct nd_lint *l, const struct nd_yaml *map,
			   const struct nd_section *section)
{
	const struct nd_yaml *key;
	uint32_t wrong = 0, i = 0;
	const char *near;

	while ((key = nd_unknown_key(map, section, &i, &near))) {
		nd_lint_error(l, key, 0, "unknown key \"%s\"%s%s", key->text,
			      near ? "; nearest is " : "", near ? near : "");
		wrong++;
	}
	return wrong;
}

uint32_t nd_lint_test_keys(struct nd_lint *l)
{
	const struct nd_yaml *tests = nd_yaml_get(l->rule->yaml, "tests"), *rows;
	uint32_t wrong = 0;

	for (uint32_t i = 0; tests && tests->type == ND_YAML_LIST && i < tests->n; i++) {
		const struct nd_yaml *test = tests->items[i];

		wrong += check_keys(l, test, &nd_section_test);
		wrong += check_keys(l, nd_yaml_get(test, "expect"), &nd_section_expect);
		rows = nd_yaml_get(test, "rows");
		for (uint32_t k = 0; rows && rows->type == ND_YAML_LIST && k < rows->n; k++)
			wrong += check_keys(l, nd_yaml_get(rows->items[k], "expect"),
					    &nd_section_expect);
	}
	return wrong;
}

/* ---- files ---- */

static void check_rule(struct nd_lint *l)
{
	const struct nd_rule *r = l->rule;

	check_lines(l, r->yaml);
	check_origins(l, nd_yaml_get(r->yaml, "params"));
	check_used(l);
	check_tallies(l);
	nd_lint_test_keys(l);
	for (uint32_t i = 0; i < r->n_trees; i++) {
		fresh_lets(l, r->trees[i].n_lets);
		nd_lint_tree(l, &r->trees[i]);
	}
	check_remarks(l, r->notes, r->n_notes, "notes");
	check_remarks(l, r->contradictions, r->n_contradictions, "contradictions");
	free(l->seen);
	l->seen = NULL;
}

static bool holds(const struct nd_code *c, const struct nd_code *part)
{
	if (!c)
		return false;
	if (c == part || holds(c->a, part) || holds(c->b, part))
		return true;
	for (uint32_t i = 0; i < c->n_args; i++) {
		if (holds(c->args[i], part))
			return true;
	}
	return false;
}

static void check_library(struct nd_lint *l)
{
	const struct nd_library *lib = l->library;
	const struct nd_yaml *params = nd_yaml_get(lib->yaml, "params");

	check_lines(l, lib->yaml);
	check_origins(l, params);
	for (uint32_t i = 0; i < lib->n_params; i++) {
		bool used = false;

		for (uint32_t k = 0; k < lib->n_derived && !used; k++)
			used = holds(lib->derived[k].code, lib->params[i].code);
		if (!used)
			nd_lint_warn(l, nd_lint_key(params, lib->params[i].name), 0,
				     "parameter %s is used nowhere: remove it",
				     lib->params[i].name);
	}
	/* what a derived fact says, the questions say that use it */
	for (uint32_t i = 0; i < lib->n_derived; i++)
		nd_lint_question(l, lib->derived[i].code, lib->derived[i].source, false);
}

void nd_lint_rules(const struct nd_rules *rules, nd_lint_wanted *wanted, void *ctx,
		   struct nd_buf *messages)
{
	for (uint32_t i = 0; i < rules->n_libraries; i++) {
		struct nd_lint l = {.rules = rules,
				    .library = rules->libraries[i],
				    .path = rules->libraries[i]->path,
				    .text = rules->libraries[i]->text,
				    .len = rules->libraries[i]->len,
				    .messages = messages};

		if (wanted(ctx, l.path))
			check_library(&l);
	}
	for (uint32_t i = 0; i < rules->n; i++) {
		struct nd_lint l = nd_lint_of_rule(rules, rules->rules[i], messages);

		if (wanted(ctx, l.path))
			check_rule(&l);
	}
	nd_lint_causes(rules, wanted, ctx, messages);
}
