/* Lays out escaped text as paragraphs, lists and commands.
 *
 * Prose is broken at 96 columns in every format: a report is read in a terminal first, also as
 * markdown. Width is counted in code points; wide characters are not worth a table here. */
#include "reports/pen.h"

#define WIDTH 96
#define ITEM_INDENT 2

void nd_pen_free(struct nd_pen *p)
{
	nd_buf_free(&p->line);
}

static void put_blanks(struct nd_buf *b, unsigned n)
{
	while (n-- > 0)
		nd_buf_putc(b, ' ');
}

void nd_pen_glue(struct nd_buf *line, const char *s)
{
	nd_buf_putc(line, ND_PEN_WHOLE);
	for (; *s; s++)
		nd_buf_putc(line, *s == ' ' ? ND_PEN_GLUE : *s);
}

void nd_pen_indent(struct nd_buf *out, unsigned indent, const char *s)
{
	while (*s) {
		size_t n = strcspn(s, "\n");

		put_blanks(out, indent);
		nd_buf_put(out, s, n);
		nd_buf_putc(out, '\n');
		s += n + (s[n] == '\n');
	}
}

void nd_pen_say(struct nd_pen *p, const char *s)
{
	if (s)
		p->ink->prose(&p->line, s);
}

void nd_pen_sayf(struct nd_pen *p, const char *fmt, ...)
{
	char *s = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		s = NULL;
	va_end(ap);
	nd_pen_say(p, s);
	free(s);
}

void nd_pen_strong(struct nd_pen *p, const char *s)
{
	nd_buf_puts(&p->line, p->ink->strong);
	nd_pen_say(p, s);
	nd_buf_puts(&p->line, p->ink->strong);
}

void nd_pen_name(struct nd_pen *p, const char *s)
{
	if (s && *s)
		p->ink->name(&p->line, s);
}

void nd_pen_code(struct nd_pen *p, const char *s)
{
	if (s && *s)
		p->ink->code(&p->line, s);
}

/* The next backtick that has none beside it, or NULL. */
static const char *single_tick(const char *s)
{
	while ((s = strchr(s, '`')) != NULL) {
		size_t n = strspn(s, "`");

		if (n == 1)
			return s;
		s += n;
	}
	return NULL;
}

void nd_pen_rich(struct nd_pen *p, const char *s)
{
	struct nd_buf part = {0};

	for (bool code = false; s && *s; code = !code) {
		const char *tick = single_tick(s);
		bool pair =
			tick && (code || single_tick(tick + 1)); /* alone it is only a character */
		size_t n = pair ? (size_t)(tick - s) : strlen(s);

		part.len = 0;
		nd_buf_put(&part, s, n);
		if (n > 0)
			(code ? p->ink->code : p->ink->prose)(&p->line, nd_buf_str(&part));
		s += pair ? n + 1 : n;
	}
	nd_buf_free(&part);
}

void nd_pen_break(struct nd_pen *p)
{
	nd_buf_putc(&p->line, ND_PEN_BREAK);
}

/* ---- layout ---- */

struct word {
	const char *s;
	size_t n; /* bytes */
	size_t width; /* columns */
	bool whole; /* may not be cut */
	bool new_line; /* stands behind a break */
};

static bool next_word(const char **at, const char *end, struct word *w)
{
	const char *s = *at;

	*w = (struct word){0};
	for (; s < end && (*s == ' ' || *s == ND_PEN_BREAK); s++)
		w->new_line |= *s == ND_PEN_BREAK;
	w->s = s;
	for (; s < end && *s != ' ' && *s != ND_PEN_BREAK; s++) {
		w->whole |= *s == ND_PEN_WHOLE;
		w->width += *s != ND_PEN_WHOLE && ((unsigned char)*s & 0xC0) != 0x80;
	}
	w->n = (size_t)(s - w->s);
	*at = s;
	return w->n > 0;
}

/* At most `width` columns of a word that is too long for any line; the rest is the next word. */
static void cut_word(struct word *w, const char **at, size_t width)
{
	size_t columns = 0;
	size_t n;

	for (n = 0; n < w->n; n++) {
		columns += ((unsigned char)w->s[n] & 0xC0) != 0x80;
		if (columns > width)
			break;
	}
	*at = w->s + n;
	w->n = n;
	w->width = width;
}

/* Writes a word without its marks. */
static void put_word(struct nd_pen *p, const struct word *w, bool first)
{
	struct nd_buf plain = {0};

	for (size_t i = 0; i < w->n; i++)
		if (w->s[i] != ND_PEN_WHOLE)
			nd_buf_putc(&plain, w->s[i] == ND_PEN_GLUE ? ' ' : w->s[i]);
	if (first && !w->whole)
		p->ink->first(p->out, nd_buf_str(&plain), plain.len);
	else
		nd_buf_puts(p->out, nd_buf_str(&plain));
	nd_buf_free(&plain);
}

/* Breaks the open line into lines, all but the first behind `indent` blanks; `column` is where the
 * first begins. Empties it. */
static void flow(struct nd_pen *p, unsigned indent, size_t column)
{
	const char *at = nd_buf_str(&p->line);
	const char *end = at + p->line.len;
	bool first = true;
	struct word w;

	while (next_word(&at, end, &w)) {
		if (!w.whole && w.width > WIDTH - indent)
			cut_word(&w, &at, WIDTH - indent);
		if (!first && (w.new_line || column + 1 + w.width > WIDTH)) {
			nd_buf_printf(p->out, "%s\n", w.new_line ? p->ink->line_end : "");
			put_blanks(p->out, indent);
			column = indent;
			first = true;
		}
		if (!first)
			nd_buf_putc(p->out, ' ');
		put_word(p, &w, first);
		column += w.width + !first;
		first = false;
	}
	nd_buf_putc(p->out, '\n');
	p->line.len = 0;
}

static void begin(struct nd_pen *p, bool apart)
{
	if (apart && p->out->len > 0)
		nd_buf_putc(p->out, '\n');
}

/* The open line as a single one. */
static void put_unbroken(struct nd_pen *p)
{
	for (size_t i = 0; i < p->line.len; i++) {
		char c = p->line.s[i];

		if (c != ND_PEN_WHOLE)
			nd_buf_putc(p->out, c == ND_PEN_GLUE || c == ND_PEN_BREAK ? ' ' : c);
	}
	nd_buf_putc(p->out, '\n');
	p->line.len = 0;
}

static size_t widest_line(const char *s)
{
	size_t widest = 0;
	size_t width = 0;

	for (; *s; s++) {
		width = *s == '\n' ? 0 : width + (((unsigned char)*s & 0xC0) != 0x80);
		widest = width > widest ? width : widest;
	}
	return widest;
}

void nd_pen_heading(struct nd_pen *p, unsigned level)
{
	const char *before = p->ink->heading_before[level];
	char below = p->ink->heading_below[level];
	size_t start, width;

	begin(p, true);
	start = p->out->len;
	if (before) {
		nd_buf_puts(p->out, before);
		put_unbroken(p);
	} else {
		flow(p, 0, 0);
	}
	if (below) {
		width = widest_line(p->out->s + start);
		for (size_t i = 0; i < width; i++)
			nd_buf_putc(p->out, below);
		nd_buf_putc(p->out, '\n');
	}
	p->apart = true;
}

void nd_pen_paragraph(struct nd_pen *p)
{
	begin(p, !p->tight);
	flow(p, 0, 0);
	p->apart = true;
	p->tight = false;
}

void nd_pen_item(struct nd_pen *p, unsigned depth)
{
	begin(p, p->apart);
	put_blanks(p->out, depth * ITEM_INDENT);
	nd_buf_puts(p->out, "- ");
	flow(p, (depth + 1) * ITEM_INDENT, (depth + 1) * ITEM_INDENT);
	p->apart = false;
}

void nd_pen_commands(struct nd_pen *p, int depth, const char *s)
{
	p->ink->commands(p->out, (unsigned)(depth + 1) * ITEM_INDENT, s);
	p->apart = depth < 0;
}
