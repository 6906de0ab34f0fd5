/* rules lint: every mistake that can be found without a host, as text, JSON, or annotations of GitHub.
 *
 * Loading says what is an error whoever uses the rule; here is added what only its author wants to know. */
#include "engine/cli/cmd.h"
#include "engine/cli/lint.h"
#include "engine/cli/rules_view.h"
#include "engine/cli/session.h"
#include "engine/judge/judge.h"

struct report {
	struct nd_message *v; /* sorted */
	uint32_t n, cap;
	uint32_t errors, warnings, rules;
	bool strict;
};

/* ---- gathering ---- */

static int by_place(const void *a, const void *b)
{
	const struct nd_message *x = a, *y = b;
	size_t n = x->path_len < y->path_len ? x->path_len : y->path_len;
	int c = memcmp(x->path, y->path, n);

	if (c || x->path_len != y->path_len)
		return c ? c : x->path_len < y->path_len ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->column != y->column)
		return x->column < y->column ? -1 : 1;
	return x->all < y->all ? -1 : x->all > y->all;
}

static bool same(const struct nd_message *a, const struct nd_message *b)
{
	return a->all_len == b->all_len && memcmp(a->all, b->all, a->all_len) == 0;
}

/* With --strict a warning is an error. */
static bool is_error(const struct report *r, const struct nd_message *m)
{
	return m->error || r->strict;
}

static void gather(struct report *r, const struct nd_buf *messages)
{
	const char *at = nd_buf_str(messages);
	struct nd_message m;
	uint32_t n = 0;

	while (nd_message_next(&at, &m)) {
		ND_GROW(r->v, r->n, r->cap);
		r->v[r->n++] = m;
	}
	if (r->n)
		qsort(r->v, r->n, sizeof(*r->v), by_place);
	for (uint32_t i = 0; i < r->n; i++) {
		if (n && same(&r->v[n - 1], &r->v[i]))
			continue;
		r->v[n++] = r->v[i];
		if (is_error(r, &r->v[i]))
			r->errors++;
		else
			r->warnings++;
	}
	r->n = n;
}

/* ---- writing ---- */

static void put_summary(const struct report *r, struct nd_buf *out)
{
	nd_buf_printf(out, "%u error%s, %u warning%s in %u rule%s\n", r->errors,
		      r->errors == 1 ? "" : "s", r->warnings, r->warnings == 1 ? "" : "s", r->rules,
		      r->rules == 1 ? "" : "s");
}

static void put_text(const struct report *r, struct nd_buf *out)
{
	for (uint32_t i = 0; i < r->n; i++)
		nd_buf_put(out, r->v[i].all, r->v[i].all_len);
	put_summary(r, out);
}

static void put_json_part(struct nd_buf *out, const char *s, size_t n)
{
	struct nd_buf text = {0};

	nd_buf_put(&text, s, n);
	nd_put_json_text(out, nd_buf_str(&text));
	nd_buf_free(&text);
}

/* The source line as it is shown, without what it is shown behind. */
static void put_json_source(struct nd_buf *out, const struct nd_message *m)
{
	size_t indent = m->source_len < 4 ? m->source_len : 4;
	const char *from = m->source + indent;
	const char *newline = memchr(from, '\n', m->source_len - indent);

	put_json_part(out, from, newline ? (size_t)(newline - from) : m->source_len - indent);
}

static void put_json(const struct report *r, struct nd_buf *out)
{
	nd_buf_printf(out, "{\"errors\": %u, \"warnings\": %u, \"rules\": %u, \"messages\": [",
		      r->errors, r->warnings, r->rules);
	for (uint32_t i = 0; i < r->n; i++) {
		const struct nd_message *m = &r->v[i];

		nd_buf_printf(out, "%s\n  {\"path\": ", i ? "," : "");
		put_json_part(out, m->path, m->path_len);
		if (m->line)
			nd_buf_printf(out, ", \"line\": %u, \"column\": %u", m->line, m->column);
		nd_buf_printf(out, ", \"severity\": \"%s\", \"message\": ",
			      is_error(r, m) ? "error" : "warning");
		put_json_part(out, m->text, m->text_len);
		if (m->line) {
			nd_buf_puts(out, ", \"source\": ");
			put_json_source(out, m);
		}
		nd_buf_putc(out, '}');
	}
	nd_buf_puts(out, r->n ? "\n]}\n" : "]}\n");
}

/* property: also what ends a property in GitHub's workflow commands. */
static void put_escaped(struct nd_buf *out, const char *s, size_t n, bool property)
{
	for (size_t i = 0; i < n; i++) {
		if (strchr(property ? "%\r\n:," : "%\r\n", s[i]))
			nd_buf_printf(out, "%%%02X", (unsigned)s[i]);
		else
			nd_buf_putc(out, s[i]);
	}
}

static void put_github(const struct report *r, struct nd_buf *out)
{
	for (uint32_t i = 0; i < r->n; i++) {
		const struct nd_message *m = &r->v[i];

		nd_buf_puts(out, is_error(r, m) ? "::error " : "::warning ");
		if (m->line) {
			nd_buf_puts(out, "file=");
			put_escaped(out, m->path, m->path_len, true);
			nd_buf_printf(out, ",line=%u,col=%u", m->line, m->column);
		} else {
			nd_buf_puts(out, "title=");
			put_escaped(out, m->path, m->path_len, true);
		}
		nd_buf_puts(out, "::");
		put_escaped(out, m->text, m->text_len, false);
		nd_buf_putc(out, '\n');
	}
	put_summary(r, out);
}

static const char *const formats[] = {"text", "json", "github"};
static void (*const writers[])(const struct report *r, struct nd_buf *out) = {put_text, put_json,
									      put_github};

/* ---- checking ---- */

/* Files that are meant and were loaded: what is said of those with errors would only be what follows from them. */
struct meant {
	const struct nd_options *o;
	const struct nd_buf *errors; /* of loading */
};

static bool is_meant(void *ctx, const char *path)
{
	const struct meant *m = ctx;
	const char *at = nd_buf_str(m->errors);
	size_t n = strlen(path);
	struct nd_message e;

	if (!nd_rule_is_from(path, m->o->args, m->o->n_args))
		return false;
	while (nd_message_next(&at, &e)) {
		if (e.path_len == n && memcmp(e.path, path, n) == 0)
			return false;
	}
	return true;
}

/* Tests are only run when everything was loaded. */
static void check(const struct nd_session *s, struct meant *m, bool loaded, struct nd_buf *messages)
{
	nd_lint_rules(s->rules, is_meant, m, messages);
	for (uint32_t i = 0; i < s->rules->n; i++) {
		if (!is_meant(m, s->rules->rules[i]->path))
			continue;
		nd_lint_shell(s->rules, s->rules->rules[i], messages);
		if (loaded)
			nd_lint_tests(s->rules, i, &nd_case_hooks, messages);
	}
}

static int lint(struct nd_session *s, const struct nd_options *o, int format, struct nd_buf *out)
{
	struct report r = {.strict = nd_opt_given(o, ND_OPT_STRICT)};
	struct nd_buf errors = {0}, messages = {0};
	struct meant m = {o, &errors};
	int status = nd_session_load(s, o, o->args, o->n_args, &errors);

	if (status == 0 || (status == ND_EXIT_INPUT && errors.len))
		check(s, &m, status == 0, &messages);
	for (uint32_t i = 0; i < nd_rules_count(s->rules); i++)
		r.rules += nd_rule_is_from(nd_rules_path(s->rules, i), o->args, o->n_args);
	nd_buf_put(&messages, nd_buf_str(&errors), errors.len);
	gather(&r, &messages);
	if (status == 0 || r.errors) /* else it was said on stderr why nothing could be read */
		writers[format](&r, out);
	nd_buf_free(&messages);
	nd_buf_free(&errors);
	free(r.v);
	return status ? status : r.errors ? ND_EXIT_INPUT : 0;
}

int nd_cmd_rules_lint(const struct nd_options *o, struct nd_buf *out)
{
	int format = nd_opt_format(o, formats, ND_ARRAY_LEN(formats)), status = 0;
	struct nd_session s;

	if (format < 0)
		return ND_EXIT_USAGE;
	if (nd_opt_given(o, ND_OPT_FIX) && o->n_args == 0)
		return nd_usage_error(
			o->command, "--fix needs files: rules that are built in stay as they are");
	nd_session_begin(&s);
	if (nd_opt_given(o, ND_OPT_FIX))
		status = nd_lint_mend(s.registry, o->args, o->n_args);
	if (status == 0)
		status = lint(&s, o, format, out);
	nd_session_end(&s);
	return status;
}
