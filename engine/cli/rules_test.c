/* rules test: the tests inside the rules, as text for people, as TAP, or as JUnit's XML for a CI's report. */
#include "engine/cli/cmd.h"
#include "engine/cli/rules_view.h"
#include "engine/cli/session.h"
#include "engine/judge/judge.h"

struct report {
	struct nd_buf *out;
	bool verbose;
	uint32_t n; /* tests so far */
	uint32_t passed, failed;
};

/* Each line of s with `indent` before it. */
static void put_lines(struct nd_buf *out, const char *indent, const char *s)
{
	while (*s) {
		size_t n = strcspn(s, "\n");

		nd_buf_printf(out, "%s%.*s\n", indent, (int)n, s);
		s += n + (s[n] == '\n');
	}
}

/* ---- text ---- */

static void text_each(void *ctx, const struct nd_test_result *t)
{
	struct report *r = ctx;

	if (!*t->why && r->verbose)
		nd_buf_printf(r->out, "ok %s: %s\n", t->rule, t->name);
	if (*t->why)
		nd_buf_printf(r->out, "not ok %s: %s\n  %s:%u: %s\n%s", t->rule, t->name, t->path,
			      t->line, t->why, t->trace);
}

static void text_close(const struct report *r)
{
	nd_buf_printf(r->out, "%u passed, %u failed\n", r->passed, r->failed);
}

/* ---- TAP 13: testanything.org/tap-version-13-specification.html ---- */

/* A # would begin a directive. */
static void tap_text(struct nd_buf *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '#' || *s == '\\')
			nd_buf_putc(out, '\\');
		nd_buf_putc(out, (unsigned char)*s < ' ' ? ' ' : *s);
	}
}

static void tap_each(void *ctx, const struct nd_test_result *t)
{
	struct report *r = ctx;

	if (r->n++ == 0)
		nd_buf_puts(r->out, "TAP version 13\n");
	nd_buf_printf(r->out, "%s %u - ", *t->why ? "not ok" : "ok", r->n);
	tap_text(r->out, t->rule);
	nd_buf_puts(r->out, ": ");
	tap_text(r->out, t->name);
	nd_buf_putc(r->out, '\n');
	if (!*t->why)
		return;
	nd_buf_puts(r->out, "  ---\n  message: ");
	nd_put_json_text(r->out, t->why); /* JSON's strings are YAML's */
	nd_buf_puts(r->out, "\n  at: ");
	nd_put_json_text(r->out, t->path);
	nd_buf_printf(r->out, "\n  line: %u\n", t->line);
	if (*t->trace) {
		nd_buf_puts(r->out, "  path: |\n");
		put_lines(r->out, "  ", t->trace);
	}
	nd_buf_puts(r->out, "  ...\n");
}

static void tap_close(const struct report *r)
{
	if (r->n == 0)
		nd_buf_puts(r->out, "TAP version 13\n");
	nd_buf_printf(r->out, "1..%u\n# %u passed, %u failed\n", r->n, r->passed, r->failed);
}

/* ---- JUnit: the elements that Jenkins, GitLab and GitHub's actions read ---- */

/* Also for attributes. XML 1.0 has no other control characters, not even as references. */
static void xml_text(struct nd_buf *out, const char *s)
{
	static const char *const names[128] = {
		['<'] = "&lt;",	  ['>'] = "&gt;",   ['&'] = "&amp;",
		['"'] = "&quot;", ['\n'] = "&#10;", ['\t'] = "&#9;",
	};

	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c < 128 && names[c])
			nd_buf_puts(out, names[c]);
		else
			nd_buf_putc(out, c < ' ' || c == 127 ? '?' : *s);
	}
}

static void xml_attribute(struct nd_buf *out, const char *name, const char *value)
{
	nd_buf_printf(out, " %s=\"", name);
	xml_text(out, value);
	nd_buf_putc(out, '"');
}

static void junit_each(void *ctx, const struct nd_test_result *t)
{
	struct report *r = ctx;

	r->n++;
	nd_buf_puts(r->out, "  <testcase");
	xml_attribute(r->out, "classname", t->rule);
	xml_attribute(r->out, "name", t->name);
	xml_attribute(r->out, "file", t->path);
	nd_buf_printf(r->out, " line=\"%u\"", t->line);
	if (!*t->why) {
		nd_buf_puts(r->out, "/>\n");
		return;
	}
	nd_buf_puts(r->out, ">\n    <failure");
	xml_attribute(r->out, "message", t->why);
	nd_buf_putc(r->out, '>');
	xml_text(r->out, t->trace);
	nd_buf_puts(r->out, "</failure>\n  </testcase>\n");
}

static void junit_close(const struct report *r)
{
	struct nd_buf cases = *r->out;

	*r->out = (struct nd_buf){0};
	nd_buf_printf(r->out,
		      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		      "<testsuite name=\"netdoctor rules\" tests=\"%u\" failures=\"%u\">\n",
		      r->n, r->failed);
	nd_buf_put(r->out, nd_buf_str(&cases), cases.len);
	nd_buf_puts(r->out, "</testsuite>\n");
	nd_buf_free(&cases);
}

/* ---- */

static const char *const formats[] = {"text", "tap", "junit"};
static const struct {
	void (*each)(void *ctx, const struct nd_test_result *t);
	void (*close)(const struct report *r); /* after the last test */
} writers[] = {
	{text_each, text_close},
	{tap_each, tap_close},
	{junit_each, junit_close},
};

int nd_cmd_rules_test(const struct nd_options *o, struct nd_buf *out)
{
	const int format = nd_opt_format(o, formats, ND_ARRAY_LEN(formats));
	struct report r = {.out = out, .verbose = nd_opt_given(o, ND_OPT_VERBOSE)};
	struct nd_session s;
	int status;

	if (format < 0)
		return ND_EXIT_USAGE;
	nd_session_begin(&s);
	status = nd_session_rules(&s, o, o->args, o->n_args, false);
	for (uint32_t i = 0; status == 0 && i < nd_rules_count(s.rules); i++) {
		const struct nd_test_hooks hooks = {writers[format].each, nd_session_read_case, &r};

		if (nd_rule_is_from(nd_rules_path(s.rules, i), o->args, o->n_args))
			nd_ruletest(s.rules, nd_rules_name(s.rules, i), &hooks, &r.passed,
				    &r.failed);
	}
	if (status == 0)
		writers[format].close(&r);
	nd_session_end(&s);
	return r.failed ? ND_EXIT_INPUT : status;
}
