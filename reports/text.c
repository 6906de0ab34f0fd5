/* The report as plain text for a terminal: at most 100 columns but for commands, which are
 * never broken. No colour here. Nothing from the system reaches the terminal raw. */
#include "reports/page.h"
#include "reports/pen.h"
#include "reports/report.h"
#include "reports/view.h"

#define COMMAND_INDENT 4

static void prose(struct nd_buf *line, const char *s)
{
	nd_view_clean(line, s, ND_CLEAN_LINE);
}

static void name(struct nd_buf *line, const char *s)
{
	struct nd_buf clean = {0};

	nd_view_clean(&clean, s, ND_CLEAN_LINE);
	nd_pen_glue(line, nd_buf_str(&clean));
	nd_buf_free(&clean);
}

static void code(struct nd_buf *line, const char *s)
{
	nd_buf_putc(line, '`');
	name(line, s);
	nd_buf_putc(line, '`');
}

static void first(struct nd_buf *out, const char *word, size_t n)
{
	nd_buf_put(out, word, n);
}

static void commands(struct nd_buf *out, unsigned indent, const char *s)
{
	struct nd_buf clean = {0};

	nd_view_clean(&clean, s, ND_CLEAN_BLOCK);
	nd_pen_indent(out, indent + COMMAND_INDENT, nd_buf_str(&clean));
	nd_buf_free(&clean);
}

static const struct nd_ink ink = {
	.line_end = "",
	.strong = "",
	.prose = prose,
	.name = name,
	.code = code,
	.first = first,
	.heading_below = {0, '=', '-', 0},
	.commands = commands,
};

static int write_text(const struct nd_findings *r, struct nd_buf *out)
{
	nd_page_write(&ink, r, out);
	return 0;
}

const struct nd_report nd_report_text = {
	.name = "text",
	.suffix = ".text",
	.doc = "plain text, for a terminal",
	.write = write_text,
};
