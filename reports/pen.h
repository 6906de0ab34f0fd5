/* Lays out escaped text as paragraphs, lists and commands; a format says how each is marked.
 *
 * What a format puts on a line is final but for these marks, which no escaped text can contain.
 * They let one wrapping serve all formats and keep it from ever breaking a command. */
#ifndef ND_PEN_H
#define ND_PEN_H

#include "engine/core/str.h"

#define ND_PEN_GLUE '\x1F' /* a blank at which the line may not be broken */
#define ND_PEN_WHOLE '\x1D' /* no width: the word it stands in may not be broken, however long */
#define ND_PEN_BREAK '\x1E' /* begins a new line */
#define ND_PEN_LEVELS 4 /* of headings; 0 is unused */

/* One format. Texts come in raw; each function escapes what it appends. */
struct nd_ink {
	const char *line_end; /* of a line that ends at a forced break, not just for width */
	const char *strong; /* stands on both sides of what is stressed */
	void (*prose)(struct nd_buf *line, const char *s); /* a sentence or a part of one */
	void (*name)(struct nd_buf *line,
		     const char *s); /* a name or command that stands by itself; never broken */
	void (*code)(struct nd_buf *line,
		     const char *s); /* a command within a sentence; never broken */
	/* Writes the first word of a line, so that the format cannot take it for a mark. */
	void (*first)(struct nd_buf *out, const char *word, size_t n);
	/* Headings of level 1..3: a mark before them, on one line, or one that underlines
	 * them, or 0. */
	const char *heading_before[ND_PEN_LEVELS];
	char heading_below[ND_PEN_LEVELS];
	/* Commands of one or more lines, behind so many blanks. */
	void (*commands)(struct nd_buf *out, unsigned indent, const char *s);
};

struct nd_pen {
	const struct nd_ink *ink;
	struct nd_buf *out; /* borrowed */
	struct nd_buf line; /* the open paragraph, item or heading */
	bool apart; /* an item that comes next needs an empty line before it */
	bool tight; /* a paragraph that comes next needs none */
};
void nd_pen_free(struct nd_pen *p);

/* Parts of the open line. */
void nd_pen_say(struct nd_pen *p, const char *s);
void nd_pen_sayf(struct nd_pen *p, const char *fmt, ...) ND_PRINTF(2, 3);
void nd_pen_strong(struct nd_pen *p, const char *s);
void nd_pen_name(struct nd_pen *p, const char *s);
void nd_pen_code(struct nd_pen *p, const char *s);
void nd_pen_rich(struct nd_pen *p,
		 const char *s); /* a sentence with its commands between backticks */
void nd_pen_break(struct nd_pen *p);

/* End the open line as one of these. depth counts the lists around the item, from 0. */
void nd_pen_heading(struct nd_pen *p, unsigned level);
void nd_pen_paragraph(struct nd_pen *p);
void nd_pen_item(struct nd_pen *p, unsigned depth);
/* Commands under the item of this depth, or (negative) under a paragraph. */
void nd_pen_commands(struct nd_pen *p, int depth, const char *s);

/* For the formats' own use: writes each line of s, whose last needs no newline, behind so many
 * blanks. */
void nd_pen_indent(struct nd_buf *out, unsigned indent, const char *s);
/* For the formats' own use: appends s with its blanks made unbreakable. */
void nd_pen_glue(struct nd_buf *line, const char *s);
#endif
