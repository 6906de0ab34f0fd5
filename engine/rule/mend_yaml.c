/* What is wrong with a file as YAML: keys but for a letter, values inside { } that a comma, a brace or ": " ends too
 * early, tabs that indent. */
#include "engine/rule/mend.h"

#define NAMES_MAX 64

/* ---- the message about a place ---- */

static bool message_at(const struct nd_mend *m, size_t at, struct nd_message *out)
{
	const char *next = nd_buf_str(&m->messages);

	while (nd_message_next(&next, out)) {
		if (out->line && nd_mend_place(m, out->line, out->column) == at)
			return true;
	}
	return false;
}

/* ---- keys ---- */

static bool is_key(const struct nd_section *s, const char *name)
{
	const struct nd_key *k = s->keys;

	while (k->name && strcmp(k->name, name) != 0)
		k++;
	return k->name != NULL;
}

static bool mend_key(struct nd_mend *m, const struct nd_section *s, const struct nd_yaml *key)
{
	const char *names[NAMES_MAX], *near;
	size_t n = 0, len = strlen(key->text);
	struct nd_message wrong;

	for (const struct nd_key *k = s->keys; k->name && n < NAMES_MAX; k++)
		names[n++] = k->name;
	near = nd_mend_nearest(key->text, names, n);
	if (!near || key->quoted || key->offset + len > m->text.len ||
	    memcmp(m->text.s + key->offset, key->text, len) != 0 ||
	    !message_at(m, key->offset, &wrong))
		return false;
	return nd_mend_try(m, key->offset, key->offset + len, near, &wrong);
}

static bool in_section(struct nd_mend *m, const struct nd_section *s, const struct nd_yaml *y);

static bool in_each(struct nd_mend *m, const struct nd_section *s, const struct nd_yaml *y,
		    enum nd_yaml_type type)
{
	for (uint32_t i = 0; s && y->type == type && i < y->n; i++) {
		if (in_section(m, s, y->items[i]))
			return true;
	}
	return false;
}

/* Rows of tests: what they give has names of its own. */
static bool in_rows(struct nd_mend *m, const struct nd_yaml *y)
{
	for (uint32_t i = 0; y->type == ND_YAML_LIST && i < y->n; i++) {
		const struct nd_yaml *expect = nd_yaml_get(y->items[i], "expect");

		if (expect && in_section(m, &nd_section_expect, expect))
			return true;
	}
	return false;
}

/* What stands behind a key that is known. */
static bool in_value(struct nd_mend *m, const struct nd_key *k, const struct nd_yaml *y)
{
	if (k->type == ND_KEY_NAMED)
		return in_each(m, k->of, y, ND_YAML_MAP);
	if (k->type == ND_KEY_LIST)
		return in_each(m, k->of, y, ND_YAML_LIST);
	if (k->type == ND_KEY_BRANCH)
		return in_each(m, &nd_section_node, y, ND_YAML_LIST) ||
		       in_section(m, &nd_section_branch, y);
	if (k->type == ND_KEY_SECTION || k->type == ND_KEY_EXPECT)
		return k->of && in_section(m, k->of, y);
	if (k->type == ND_KEY_ROWS)
		return in_rows(m, y);
	if (k->type != ND_KEY_BRANCHES)
		return false;
	for (uint32_t i = 0; y->type == ND_YAML_MAP && i < y->n; i++) {
		if (in_each(m, &nd_section_node, y->items[i], ND_YAML_LIST))
			return true;
	}
	return false;
}

static bool in_section(struct nd_mend *m, const struct nd_section *s, const struct nd_yaml *y)
{
	for (uint32_t i = 0; y->type == ND_YAML_MAP && i < y->n; i++) {
		if (!is_key(s, y->keys[i]->text) && mend_key(m, s, y->keys[i]))
			return true;
		for (const struct nd_key *k = s->keys; k->name; k++) {
			if (strcmp(k->name, y->keys[i]->text) == 0 && in_value(m, k, y->items[i]))
				return true;
		}
	}
	return false;
}

bool nd_mend_keys(struct nd_mend *m)
{
	if (!m->yaml)
		return false;
	return in_section(m,
			  nd_yaml_get(m->yaml, "library") ? &nd_section_library : &nd_section_rule,
			  m->yaml);
}

/* ---- quotes ---- */

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-';
}

/* ", name: " at s. */
static bool starts_key(const char *s)
{
	size_t n = 1 + strspn(s + 1, " ");
	size_t name = n;

	while (is_name(s[n]))
		n++;
	return *s == ',' && n > name && s[n] == ':' && s[n + 1] == ' ';
}

/* Behind the quoted text at s[at], or the end of the line. */
static size_t skip_quoted(const char *s, size_t at)
{
	char quote = s[at++];

	while (s[at] && s[at] != '\n' && s[at] != quote)
		at += quote == '"' && s[at] == '\\' && s[at + 1] ? 2 : 1;
	return s[at] == quote ? at + 1 : at;
}

/* Where a value inside { } ends if it is an expression or prose: at the bracket that closes none of its own, or before
 * the next key; at the end of the line it is none that can be mended. */
static bool value_end(const char *s, size_t from, size_t *end)
{
	char open[32];
	size_t depth = 0, at = from;

	for (; s[at] && s[at] != '\n'; at++) {
		const char *pair = strchr("{}[]()", s[at]);
		size_t which = pair ? (size_t)(pair - "{}[]()") : 0;

		if (s[at] == '"' || (s[at] == '\'' && at > from && !is_name(s[at - 1]))) {
			at = skip_quoted(s, at) - 1;
		} else if (pair && which % 2 == 0) {
			if (depth == sizeof(open))
				return false;
			open[depth++] = s[at];
		} else if (pair && depth > 0) {
			depth--;
		} else if ((pair && s[at] != ')') || (depth == 0 && starts_key(s + at))) {
			break;
		}
	}
	for (*end = at; *end > from && s[*end - 1] == ' ';)
		(*end)--;
	return s[at] && s[at] != '\n' && *end > from;
}

/* The bytes as a quoted text that means them. */
static void put_quoted(struct nd_buf *out, const char *s, size_t n)
{
	char quote = memchr(s, '"', n) || memchr(s, '\\', n) ? '\'' : '"';

	nd_buf_putc(out, quote);
	for (size_t i = 0; i < n; i++) {
		nd_buf_putc(out, s[i]);
		if (s[i] == '\'' && quote == '\'')
			nd_buf_putc(out, '\'');
	}
	nd_buf_putc(out, quote);
}

static bool quote(struct nd_mend *m, size_t from, size_t end, const struct nd_message *wrong)
{
	struct nd_buf by = {0};
	bool ok;

	put_quoted(&by, m->text.s + from, end - from);
	ok = nd_mend_try(m, from, end, by.s, wrong);
	nd_buf_free(&by);
	return ok;
}

/* A comma made keys without a value of the rest of the text before them. */
static bool mend_commas(struct nd_mend *m, const struct nd_yaml *y)
{
	for (uint32_t i = 0; i + 1 < y->n; i++) {
		const struct nd_yaml *v = y->items[i], *rest = y->items[i + 1];
		struct nd_message wrong;
		size_t end;

		if (v->type != ND_YAML_TEXT || v->quoted || v->block || !*v->text ||
		    rest->type != ND_YAML_TEXT || rest->quoted || *rest->text)
			continue;
		if (value_end(m->text.s, v->offset, &end) && end > y->keys[i + 1]->offset &&
		    message_at(m, y->keys[i + 1]->offset, &wrong) &&
		    quote(m, v->offset, end, &wrong))
			return true;
	}
	return false;
}

static bool commas_in(struct nd_mend *m, const struct nd_yaml *y)
{
	if (y->type == ND_YAML_MAP && m->text.s[y->offset] == '{' && mend_commas(m, y))
		return true;
	for (uint32_t i = 0; y->type != ND_YAML_TEXT && i < y->n; i++) {
		if (commas_in(m, y->items[i]))
			return true;
	}
	return false;
}

bool nd_mend_quotes(struct nd_mend *m)
{
	return m->yaml && commas_in(m, m->yaml);
}

/* ---- files that are no YAML ---- */

/* Values inside { } of one line, the innermost last. */
static bool quote_values(struct nd_mend *m, size_t line, size_t end)
{
	const char *s = m->text.s;

	for (size_t at = line; at < end; at++) {
		size_t name = at + 1, to;

		if (s[at] != '{' && s[at] != ',')
			continue;
		name += strspn(s + name, " ");
		for (to = name; is_name(s[to]);)
			to++;
		if (to == name || s[to] != ':' || s[to + 1] != ' ')
			continue;
		name = to + 1 + strspn(s + to + 1, " ");
		if (s[name] != '"' && s[name] != '\'' && value_end(s, name, &to) &&
		    quote(m, name, to, NULL))
			return true;
	}
	return false;
}

/* Tabs that indent, as many spaces as make the file readable. */
static bool indent_line(struct nd_mend *m, size_t line)
{
	static const char *const widths[] = {"  ", "    ", "        "};
	const char *s = m->text.s;
	size_t end = line + strspn(s + line, " \t");
	bool ok = false;

	if (!memchr(s + line, '\t', end - line))
		return false;
	for (size_t i = 0; i < ND_ARRAY_LEN(widths) && !ok; i++) {
		struct nd_buf by = {0};

		for (size_t at = line; at < end; at++)
			nd_buf_puts(&by, s[at] == '\t' ? widths[i] : " ");
		ok = nd_mend_try(m, line, end, by.s, NULL);
		nd_buf_free(&by);
	}
	return ok;
}

bool nd_mend_syntax(struct nd_mend *m)
{
	const char *at = nd_buf_str(&m->messages);
	struct nd_message wrong;
	size_t line, end;

	if (m->yaml || !nd_message_next(&at, &wrong) || !wrong.line)
		return false;
	for (uint32_t back = 0; back < 2 && back < wrong.line;
	     back++) { /* some end in the next line */
		line = nd_mend_place(m, wrong.line - back, 1);
		end = line + strcspn(m->text.s + line, "\n");
		if (indent_line(m, line) || quote_values(m, line, end))
			return true;
	}
	return false;
}
