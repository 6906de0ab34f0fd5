/* Mends a rule file by small patches of its text, so that comments and layout stay what they are.
 *
 * Nothing is believed: each patch is tried on a copy, the copy is loaded, and what did not make the mistake go away
 * is dropped. */
#include "engine/rule/mend.h"

#define TRIES_MAX 300u /* of a file: each one loads it */
#define ROUNDS_MAX 200u

/* What loading a text says. */
struct verdict {
	struct nd_arena arena;
	struct nd_yaml *yaml;
	struct nd_buf messages;
	uint32_t errors;
};

static void judge(const struct nd_mend *m, const char *text, size_t len, struct verdict *v)
{
	struct nd_rules *rules = nd_rules_new(m->registry);
	struct nd_buf none = {0};

	*v = (struct verdict){0};
	v->yaml = nd_yaml_parse(&v->arena, m->path, text, len, &none);
	nd_buf_free(&none);
	for (uint32_t i = 0; i < m->n_libraries; i++) {
		const struct nd_lint_library *lib = &m->libraries[i];

		if (strcmp(lib->path, m->path) != 0)
			nd_rules_add_text(rules, lib->path, lib->text, lib->len, &none);
	}
	v->errors = (uint32_t)nd_rules_add_text(rules, m->path, text, len, &v->messages);
	if (v->yaml)
		v->errors += (uint32_t)nd_rules_check(rules, &v->messages);
	for (uint32_t i = 0; i < rules->n; i++) {
		struct nd_lint l = nd_lint_of_rule(rules, rules->rules[i], &v->messages);

		v->errors += nd_lint_test_keys(&l);
	}
	nd_buf_free(&none);
	nd_rules_free(rules);
}

static void take(struct nd_mend *m, struct verdict *v)
{
	nd_arena_free(&m->arena);
	nd_buf_free(&m->messages);
	m->arena = v->arena;
	m->yaml = v->yaml;
	m->messages = v->messages;
	m->errors = v->errors;
}

static void drop(struct verdict *v)
{
	nd_arena_free(&v->arena);
	nd_buf_free(&v->messages);
}

/* The first message of the file itself. */
static bool first_message(const struct nd_buf *messages, struct nd_message *out)
{
	const char *at = nd_buf_str(messages);

	return nd_message_next(&at, out);
}

/* Of a file that could not be read: can it be read now, or is the mistake that stops it further down? */
static bool reads_further(const struct nd_mend *m, const struct verdict *v)
{
	struct nd_message before, after;

	if (v->yaml)
		return true;
	return first_message(&m->messages, &before) && first_message(&v->messages, &after) &&
	       after.line > before.line;
}

/* Is there still something to say about the place? */
static bool says(const struct nd_buf *messages, const struct nd_message *wrong)
{
	const char *at = nd_buf_str(messages);
	struct nd_message x;

	while (nd_message_next(&at, &x)) {
		if (x.line == wrong->line && x.column == wrong->column)
			return true;
	}
	return false;
}

/* A key that is right at last may show mistakes in what stands below it. */
static bool is_better(const struct nd_mend *m, const struct verdict *v,
		      const struct nd_message *wrong)
{
	static const char key[] = "unknown key ";

	if (!wrong)
		return reads_further(m, v);
	if (!v->yaml || says(&v->messages, wrong))
		return false;
	return v->errors <= m->errors ||
	       (wrong->text_len > strlen(key) && memcmp(wrong->text, key, strlen(key)) == 0);
}

bool nd_mend_try(struct nd_mend *m, size_t from, size_t to, const char *by,
		 const struct nd_message *wrong)
{
	struct nd_buf text = {0};
	struct verdict v;

	if (m->n_tries++ >= TRIES_MAX)
		return false;
	nd_buf_put(&text, nd_buf_str(&m->text), from);
	nd_buf_puts(&text, by);
	nd_buf_put(&text, m->text.s + to, m->text.len - to);
	judge(m, text.s, text.len, &v);
	if (!is_better(m, &v, wrong)) {
		drop(&v);
		nd_buf_free(&text);
		return false;
	}
	nd_buf_free(&m->text);
	m->text = text;
	take(m, &v);
	m->n_patches++;
	return true;
}

size_t nd_mend_place(const struct nd_mend *m, uint32_t line, uint32_t column)
{
	const char *s = nd_buf_str(&m->text);
	size_t at = nd_starts(s, "\xef\xbb\xbf") ? 3 : 0;

	for (; line > 1 && at < m->text.len; at++)
		line -= s[at] == '\n';
	for (; column > 1 && at < m->text.len && s[at] != '\n'; column--) {
		for (at++; at < m->text.len && ((unsigned char)s[at] & 0xc0) == 0x80;)
			at++;
	}
	return line > 1 || column > 1 ? m->text.len : at;
}

const char *nd_mend_nearest(const char *s, const char *const *names, size_t n)
{
	const char **back = nd_alloc((n + 1) * sizeof(*back)), *first, *last;

	for (size_t i = 0; i < n; i++)
		back[i] = names[n - 1 - i];
	/* of those that are equally near the first one is told */
	first = nd_nearest(s, names, n);
	last = nd_nearest(s, back, n);
	free(back);
	return first && strcmp(first, last) == 0 ? first : NULL;
}

/* ---- blanks ---- */

static bool same_meaning(const struct nd_yaml *a, const struct nd_yaml *b)
{
	if (a->type != b->type || a->n != b->n)
		return false;
	if (a->type == ND_YAML_TEXT)
		return strcmp(a->text, b->text) == 0;
	for (uint32_t i = 0; i < a->n; i++) {
		if (a->type == ND_YAML_MAP && strcmp(a->keys[i]->text, b->keys[i]->text) != 0)
			return false;
		if (!same_meaning(a->items[i], b->items[i]))
			return false;
	}
	return true;
}

/* The text without the blanks at ends of lines, or without those of one line (the byte `only` in them). */
static uint32_t without_blanks(const struct nd_buf *text, size_t only, struct nd_buf *out)
{
	uint32_t n = 0;
	size_t at = 0, end, next;

	while (at < text->len) {
		const char *newline = memchr(text->s + at, '\n', text->len - at);
		size_t stop = newline ? (size_t)(newline - text->s) : text->len;

		next = newline ? stop + 1 : stop;
		if (stop > at && text->s[stop - 1] == '\r')
			stop--;
		for (end = stop; end > at && strchr(" \t", text->s[end - 1]);)
			end--;
		if (only != SIZE_MAX && (only < end || only >= stop))
			end = stop;
		n += end < stop;
		nd_buf_put(out, text->s + at, end - at);
		nd_buf_put(out, text->s + stop, next - stop);
		at = next;
	}
	return n;
}

/* False: the file would mean something else, and is as it was. */
static bool cut_blanks(struct nd_mend *m, size_t only)
{
	struct nd_buf text = {0}, none = {0};
	struct nd_arena arena = {0};
	uint32_t n = without_blanks(&m->text, only, &text);
	const struct nd_yaml *y =
		n ? nd_yaml_parse(&arena, m->path, text.s, text.len, &none) : NULL;
	bool ok = y && same_meaning(m->yaml, y);

	if (ok) {
		nd_buf_free(&m->text);
		m->text = text;
		m->n_patches += n;
	} else {
		nd_buf_free(&text);
	}
	nd_buf_free(&none);
	nd_arena_free(&arena);
	return ok || n == 0;
}

/* Blanks are content in the lines of a block: those stay. */
static void mend_blanks(struct nd_mend *m)
{
	size_t at = m->text.len;
	bool last = true; /* what comes next, seen from the back, ends a line */

	if (!m->yaml || cut_blanks(m, SIZE_MAX))
		return;
	for (uint32_t tries = 0; at > 0 && tries < TRIES_MAX; at--) {
		char c = m->text.s[at - 1];
		bool blank = c == ' ' || c == '\t';

		if (blank && last) {
			cut_blanks(m, at - 1);
			tries++;
		}
		last = c == '\n' || c == '\r';
	}
}

uint32_t nd_lint_fix(const struct nd_registry *registry, const struct nd_lint_library *libraries,
		     uint32_t n, const char *path, struct nd_buf *text)
{
	static bool (*const finders[])(struct nd_mend *) = {nd_mend_syntax, nd_mend_keys,
							    nd_mend_quotes, nd_mend_names};
	struct nd_mend m = {
		.registry = registry, .libraries = libraries, .n_libraries = n, .path = path};
	struct verdict v;
	bool more = true;

	m.text = *text;
	judge(&m, nd_buf_str(&m.text), m.text.len, &v);
	take(&m, &v);
	for (uint32_t rounds = 0; more && rounds < ROUNDS_MAX; rounds++) {
		more = false;
		for (size_t i = 0; i < ND_ARRAY_LEN(finders) && !more && m.errors; i++)
			more = finders[i](&m);
	}
	mend_blanks(&m);
	nd_arena_free(&m.arena);
	nd_buf_free(&m.messages);
	*text = m.text;
	return m.n_patches;
}
