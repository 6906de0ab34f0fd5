/* What people paste: several outputs in one text, with prompts, banners and dates between them. */
#ifndef ND_SOURCE_PASTE_H
#define ND_SOURCE_PASTE_H

#include "engine/core/source_impl.h"
#include "engine/core/source_like.h"

#define ND_COMMAND_MAX 240
#define ND_PLACE_MAX 64

/* ---- command lines (source_command.c) ---- */
struct nd_command {
	char name
		[ND_COMMAND_MAX]; /* "ss -tin"; of a file that was printed its path; "": none that prints */
	char netns[ND_PLACE_MAX]; /* where it ran, "": where the shell is */
	bool known; /* the first word is a command that people use on such hosts */
	bool options; /* it has an option, or a path below /proc or /sys */
	bool filtered; /* lines were taken away: grep, head */
	bool changed; /* the output is no longer this tool's: awk, wc, or several outputs in one */
	bool loop; /* it ran more than once: watch, while, or named twice */
	bool watch; /* each run replaces the one before on the screen: what is pasted is one */
	bool date; /* prints the date too */
	double sleep_s; /* between two runs in a loop, else when it is done; 0: none */
};
/* Understands one line as a shell would, as far as that tells whose output follows. */
void nd_command_of(const char *text, size_t len, struct nd_command *out);

/* ---- times (source_date.c) ---- */
/* The line as the whole output of `date`, or an ISO time: seconds on a clock that is the same within one text (its zone
 * is not looked at). False: it is something else. */
bool nd_date_of(const char *s, size_t len, double *seconds);
/* The first HH:MM:SS at s as seconds of the day. */
bool nd_clock_of(const char *s, size_t len, double *seconds);

/* ---- moments in names (source_moment.c) ---- */
struct nd_moment {
	double date; /* s since 1970; 0: there is only an order */
	uint32_t order; /* 0: none */
};
/* All of text is a date or a word such as before. */
bool nd_moment_of(const char *text, struct nd_moment *out);
/* Takes one off the end of a name: "ss-after" → "ss". numbers: "ss-2", too. */
bool nd_moment_cut(const char *name, bool numbers, char *out, size_t size, struct nd_moment *m);

/* ---- lines between outputs (source_prompt.c) ---- */
enum nd_mark {
	ND_MARK_NONE,
	ND_MARK_PROMPT,
	ND_MARK_BANNER,
	ND_MARK_MENTION, /* of a command, in prose: of use if a fence follows */
	ND_MARK_FENCE,
	ND_MARK_WATCH
};
struct nd_marker {
	enum nd_mark kind;
	struct nd_command command; /* name "" at an empty prompt */
	char host[ND_PLACE_MAX]; /* that a prompt names, "": none */
	double clock; /* in the prompt or header, s; NaN: none */
	size_t indent;
};
/* alone: the line before is blank or there is none; the known tools are those of k. */
void nd_mark_of(const struct nd_known *k, const char *line, size_t len, bool alone,
		struct nd_marker *out);
/* Is there a read whose name this command has? */
bool nd_is_read(const struct nd_known *k, const char *name);

/* ---- the text as parts (source_split.c) ---- */
struct nd_part {
	const char *name; /* the command or path, "": text that nothing names */
	const char *netns, *host; /* "" */
	const char *text; /* NUL-terminated */
	size_t len;
	uint32_t line; /* where it begins, from 1 */
	bool filtered, changed;
	bool mixed; /* a loop's outputs that nothing divides: of several moments or things */
	double t; /* s, on the clock of the text; NaN: unknown */
};
struct nd_parts {
	struct nd_part *v;
	uint32_t n, cap;
	bool marked; /* there was something that divides; else there is one part, the whole text */
	bool absolute; /* times are dates, not seconds since the first */
};
/* Parts come in order; all is in the arena. */
void nd_split_text(struct nd_arena *a, const struct nd_known *k, const char *text, size_t len,
		   struct nd_parts *out);

/* ---- what a text brings with it (source_clean.c): each works in place and says whether there was any ---- */
bool nd_clean_terminal(
	struct nd_buf *b); /* colours, backspaces, a byte order mark, blanks that do not break */
bool nd_clean_quotes(struct nd_buf *b); /* "> " in front of most lines */
bool nd_clean_wide(
	struct nd_buf *b); /* UTF-16 with a byte order mark: ASCII, what is not becomes '?' */

/* ---- files and parts (source_parts.c) ---- */
struct nd_preparing {
	struct nd_tree *tree;
	const struct nd_known *known;
};
const char *nd_base_of(const char *rel);
/* Does its name, place or command say what it is? *by is the first read that thinks so. */
bool nd_file_is_named(const struct nd_known *k, const struct nd_file *x, const struct nd_read **by);
/* Do both go to one collector, which then finds out by itself? */
bool nd_same_reader(const struct nd_known *k, const struct nd_read *a, const struct nd_read *b);
/* From now on the file is the output of r; where: how remarks call it. */
void nd_file_take_as(struct nd_tree *t, struct nd_file *x, const struct nd_read *r,
		     const char *text, const char *where);
/* Replaces the file by its parts; named: its own name says what text without a command is. False: none of them can be
 * read, so it stays as it is. */
bool nd_take_parts(struct nd_preparing *c, uint32_t file, const struct nd_parts *parts, bool named);
#endif
