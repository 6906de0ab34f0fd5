/* Byte buffers, strict parsing of numbers, streams of lines, and numbers as people read them. */
#ifndef ND_STR_H
#define ND_STR_H

#include "engine/core/base.h"

/* A growing byte buffer; s is always NUL-terminated once something was put. Zero is empty. */
struct nd_buf {
	char *s;
	size_t len, cap;
};
void nd_buf_put(struct nd_buf *b, const char *s, size_t n);
void nd_buf_puts(struct nd_buf *b, const char *s);
void nd_buf_putc(struct nd_buf *b, char c);
void nd_buf_printf(struct nd_buf *b, const char *fmt, ...) ND_PRINTF(2, 3);
void nd_buf_free(struct nd_buf *b);
const char *nd_buf_str(const struct nd_buf *b); /* "" when empty */

/* Strict parsing: the whole of s, no blanks, no sign where there can be none, in range; else false
 * and *out is untouched. base 10 or 16; hex takes no 0x prefix. */
bool nd_parse_u64(const char *s, int base, uint64_t *out);
bool nd_parse_i64(const char *s, int64_t *out);
bool nd_parse_f64(const char *s,
		  double *out); /* digits[.digits], optional leading minus; no exponent, inf, nan */

/* Cuts the next blank-separated word out of *line (which is modified and moved on); NULL at its end. */
char *nd_word(char **line);
/* The same with any of the given separators. */
char *nd_split(char **line, const char *separators);
char *nd_trim(char *s); /* without leading and trailing blanks; modifies s */
bool nd_starts(const char *s, const char *prefix);
bool nd_ends(const char *s, const char *suffix);
/* Nearest of n names to s by edit distance, or NULL if none is near. */
const char *nd_nearest(const char *s, const char *const *names, size_t n);

/* Lines of an input, one at a time, never the whole file in memory. A line longer than
 * ND_LINE_MAX is cut and counted. */
#define ND_LINE_MAX 65536
struct nd_stream;
struct nd_stream *nd_stream_fd(int fd); /* owns fd */
struct nd_stream *nd_stream_mem(const char *text, size_t len); /* borrows text */
/* The next line without its newline (valid until the next call, may be modified), or NULL at the end
 * or after a read error. Bytes of value 0 become '?'. */
char *nd_stream_line(struct nd_stream *s);
/* Up to n bytes as they are, for inputs that are no text; fewer only at the end or after a read error. */
size_t nd_stream_bytes(struct nd_stream *s, char *out, size_t n);
uint64_t nd_stream_lineno(const struct nd_stream *s); /* of the last line returned, from 1 */
int nd_stream_error(const struct nd_stream *s); /* 0, or the negative errno of a failed read */
bool nd_stream_cut(const struct nd_stream *s); /* some line was longer than ND_LINE_MAX */
bool nd_stream_unended(
	const struct nd_stream *s); /* the last line had no newline: a truncated file? */
void nd_stream_close(struct nd_stream *s);

/* What a number measures. Values are always held in base units: seconds, bytes, ratios (not
 * percent), events per second, bytes per second. */
enum nd_unit {
	ND_U_NONE,
	ND_U_COUNT,
	ND_U_SECONDS,
	ND_U_BYTES,
	ND_U_PERCENT,
	ND_U_PER_SECOND,
	ND_U_BYTES_PER_SECOND,
	ND_U_BITS_PER_SECOND
};
const char *nd_unit_name(
	enum nd_unit u); /* "1", "s", "B", "%", "/s", "B/s", "bit/s" as in JSON and the reference */

/* Three digits and a scaled unit for people: 43.9 ms, 12,178,939, 0.15 %, 1.2 GB, 300/s. */
void nd_print_human(struct nd_buf *b, double v, enum nd_unit u);
/* Plain decimal, shortest form that reads back equal; never exponent notation. */
void nd_print_plain(struct nd_buf *b, double v);

/* Quotes s for sh if it needs it. */
void nd_print_shell(struct nd_buf *b, const char *s);
#endif
