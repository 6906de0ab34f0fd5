/* The report as markdown: for tickets and chats, and still pleasant as raw text.
 *
 * No tables: their rows cannot hold commands and are unreadable in a terminal. Escaping follows
 * CommonMark with GitHub's additions; characters that can only be active in some places are
 * escaped just there, so that names like tcp_mem stay as they are. */
#include "reports/page.h"
#include "reports/pen.h"
#include "reports/report.h"
#include "reports/view.h"

#include <ctype.h>

#define FENCE_MIN 3

static bool word_byte(char c)
{
	return isalnum((unsigned char)c);
}

/* Is the character that stands between these two active? */
static bool active(char before, char c, char after)
{
	switch (c) {
	case '_': return !word_byte(before) || !word_byte(after); /* snake_case is no emphasis */
	case '#': return before == ' ' || !before;
	case '\\':
	case '`':
	case '*':
	case '[':
	case '|':
	case '~':
	case '$': return true;
	default: return false;
	}
}

static void prose(struct nd_buf *line, const char *s)
{
	struct nd_buf clean = {0};
	const char *c;

	nd_view_clean(&clean, s, ND_CLEAN_LINE);
	c = nd_buf_str(&clean);
	for (size_t i = 0; c[i]; i++) {
		if (c[i] == '<')
			nd_buf_puts(line, "&lt;");
		else if (c[i] == '&' && (word_byte(c[i + 1]) || c[i + 1] == '#'))
			nd_buf_puts(line, "&amp;");
		else
			nd_buf_printf(line, "%s%c",
				      active(i > 0 ? c[i - 1] : 0, c[i], c[i + 1]) ? "\\" : "",
				      c[i]);
	}
	nd_buf_free(&clean);
}

static size_t longest_ticks(const char *s)
{
	size_t most = 0;

	while (*s) {
		size_t n = strspn(s, "`");

		most = n > most ? n : most;
		s += n > 0 ? n : 1;
	}
	return most;
}

static void put_ticks(struct nd_buf *b, size_t n)
{
	while (n-- > 0)
		nd_buf_putc(b, '`');
}

/* A code span: a longer run of backticks than any inside; a blank on both sides that the reader's
 * renderer takes off again where the content itself begins or ends with one. */
static void code(struct nd_buf *line, const char *s)
{
	struct nd_buf clean = {0};
	size_t ticks;
	const char *pad;

	nd_view_clean(&clean, s, ND_CLEAN_LINE);
	if (clean.len > 0) {
		ticks = longest_ticks(clean.s) + 1;
		pad = strchr("` ", clean.s[0]) || strchr("` ", clean.s[clean.len - 1]) ? " " : "";
		nd_buf_putc(line, ND_PEN_WHOLE);
		put_ticks(line, ticks);
		nd_pen_glue(line, pad);
		nd_pen_glue(line, clean.s);
		nd_pen_glue(line, pad);
		put_ticks(line, ticks);
	}
	nd_buf_free(&clean);
}

/* A word that begins a line may not look like a list, a heading's underline, a quote or a table. */
static void first(struct nd_buf *out, const char *word, size_t n)
{
	size_t digits = strspn(word, "0123456789");

	if (word[0] == '>' || strspn(word, "-+=:") == n) {
		nd_buf_printf(out, "\\%s", word);
	} else if (digits > 0 && digits + 1 == n && (word[digits] == '.' || word[digits] == ')')) {
		nd_buf_put(out, word, digits);
		nd_buf_printf(out, "\\%c", word[digits]);
	} else {
		nd_buf_puts(out, word);
	}
}

static void commands(struct nd_buf *out, unsigned indent, const char *s)
{
	struct nd_buf clean = {0};
	struct nd_buf fence = {0};
	size_t ticks;

	nd_view_clean(&clean, s, ND_CLEAN_BLOCK);
	ticks = longest_ticks(nd_buf_str(&clean)) + 1;
	put_ticks(&fence, ticks < FENCE_MIN ? FENCE_MIN : ticks);
	nd_buf_printf(out, "%*s%ssh\n", (int)indent, "", nd_buf_str(&fence));
	nd_pen_indent(out, indent, nd_buf_str(&clean));
	nd_buf_printf(out, "%*s%s\n", (int)indent, "", nd_buf_str(&fence));
	nd_buf_free(&fence);
	nd_buf_free(&clean);
}

static const struct nd_ink ink = {
	.line_end = "  ", /* a line break also when rendered */
	.strong = "**",
	.prose = prose,
	.name = code,
	.code = code,
	.first = first,
	.heading_before = {NULL, "# ", "## ", "### "},
	.commands = commands,
};

static int write_md(const struct nd_findings *r, struct nd_buf *out)
{
	nd_page_write(&ink, r, out);
	return 0;
}

const struct nd_report nd_report_md = {
	.name = "md",
	.suffix = ".md",
	.doc = "markdown, for tickets and chats",
	.write = write_md,
};
