/* Places in a YAML file: messages with a caret, and from a character of a scalar back to the file.
 *
 * libyaml keeps no map from a scalar's text to the file, so nd_yaml_offset reads the scalar again
 * and counts the bytes that each part of the source gives; the folding below follows libyaml's. */
#include "engine/rule/yaml.h"

#define SHOWN_CHARS 120u /* of a source line */
#define BEFORE_CARET 80u /* of these before the caret at most, if the line is longer */
#define EXTRA_SPACES "    "

static bool continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

static bool ends_line(const char *s, size_t len, size_t at)
{
	return at >= len || s[at] == '\n' || s[at] == '\r';
}

/* Bytes of the character at s[at], as far as it is well-formed UTF-8; else 0. */
static size_t utf8_length(const char *s, size_t len, size_t at)
{
	unsigned char c = (unsigned char)s[at];
	size_t n = c < 0x80		   ? 1
		   : c >= 0xc2 && c < 0xe0 ? 2
		   : c >= 0xe0 && c < 0xf0 ? 3
		   : c >= 0xf0 && c < 0xf5 ? 4
					   : 0;

	if (n > len - at)
		return 0;
	for (size_t i = 1; i < n; i++)
		if (!continues(s[at + i]))
			return 0;
	return n;
}

/* One character as it may go to a terminal. */
static void put_char(struct nd_buf *out, const char *s, size_t at, size_t n)
{
	unsigned char c = (unsigned char)s[at];
	bool control =
		c < 0x20 || c == 0x7f || (c == 0xc2 && n == 2 && (unsigned char)s[at + 1] < 0xa0);

	if (c == '\t' && n == 1)
		nd_buf_putc(out, '\t');
	else if (n == 0 || control)
		nd_buf_putc(out, '?');
	else
		nd_buf_put(out, s + at, n);
}

/* A message may quote the file: it stays one line, and no terminal obeys it. */
static void put_text(struct nd_buf *out, const char *s)
{
	size_t len = strlen(s), n;

	for (size_t at = 0; at < len; at += n ? n : 1) {
		n = utf8_length(s, len, at);
		put_char(out, s, at, n);
	}
}

/* The line that begins at from, and below it a caret under byte `at`. */
static void put_source(struct nd_buf *out, const char *text, size_t len, size_t from, size_t at)
{
	size_t column = 0, skip, i, n;
	struct nd_buf under = {0};

	for (i = from; i < at; i++)
		column += !continues(text[i]);
	skip = column > BEFORE_CARET ? column - BEFORE_CARET : 0;
	for (i = from; skip > 0 && i < at; skip--)
		for (i++; i < at && continues(text[i]);)
			i++;
	nd_buf_puts(out, i > from ? EXTRA_SPACES "…" : EXTRA_SPACES);
	nd_buf_puts(&under, i > from ? EXTRA_SPACES " " : EXTRA_SPACES);
	for (size_t shown = 0; !ends_line(text, len, i) && shown < SHOWN_CHARS; shown++) {
		n = utf8_length(text, len, i);
		put_char(out, text, i, n);
		if (i < at)
			nd_buf_putc(&under, text[i] == '\t' ? '\t' : ' ');
		i += n ? n : 1;
	}
	nd_buf_puts(out, ends_line(text, len, i) ? "\n" : "…\n");
	nd_buf_printf(out, "%s^\n", nd_buf_str(&under));
	nd_buf_free(&under);
}

/* NOLINTNEXTLINE(readability-function-size): a file is its path, text and length */
void nd_yaml_message(struct nd_buf *out, const char *path, const char *text, size_t len, size_t at,
		     const char *kind, const char *message)
{
	size_t from = len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	uint32_t line = 1, column = 1;

	if (at > len)
		at = len;
	for (size_t i = from; i < at; i++) {
		column += !continues(text[i]);
		if (text[i] != '\n')
			continue;
		line++;
		column = 1;
		from = i + 1;
	}
	nd_buf_printf(out, "%s:%u:%u: %s: ", path, line, column, kind);
	put_text(out, message);
	nd_buf_putc(out, '\n');
	put_source(out, text, len, from, at);
}

/* A second reading of a scalar that stops at its byte `left`. */
struct reader {
	const char *s;
	size_t len, at; /* of the file */
	size_t left; /* bytes of the scalar's text before the one that is looked for */
	bool found;
	size_t start, end; /* of that byte's source */
};

/* The source from..to gives n bytes of text. */
static void gives(struct reader *r, size_t from, size_t to, size_t n)
{
	if (r->found)
		return;
	if (r->left >= n) {
		r->left -= n;
		return;
	}
	r->found = true;
	r->start = n == to - from ? from + r->left : from;
	r->end = n == to - from ? r->start + 1 : to;
}

static bool is_blank(const struct reader *r, size_t at)
{
	return at < r->len && (r->s[at] == ' ' || r->s[at] == '\t');
}

/* Bytes of the line break at `at`, or 0. */
static size_t break_length(const struct reader *r, size_t at)
{
	if (at >= r->len || (r->s[at] != '\n' && r->s[at] != '\r'))
		return 0;
	return r->s[at] == '\r' && at + 1 < r->len && r->s[at + 1] == '\n' ? 2 : 1;
}

/* Line breaks of a plain or quoted scalar: one is a space (nothing behind a backslash), each
 * further one a newline; the blanks around them are dropped. */
static void read_fold(struct reader *r, bool escaped)
{
	size_t first = r->at, n = break_length(r, r->at);
	bool more = false;

	r->at += n;
	for (;;) {
		size_t next = r->at;

		while (is_blank(r, next))
			next++;
		r->at = next;
		n = break_length(r, next);
		if (n == 0)
			break;
		gives(r, next, next + n, 1);
		more = true;
		r->at = next + n;
	}
	if (!more && !escaped)
		gives(r, first, first + 1, 1);
}

/* Text bytes that the escape \uXXXX at s+at (of n digits) stands for. */
static size_t hex_bytes(const struct reader *r, size_t at, size_t n)
{
	char digits[9] = "";
	uint64_t value = 0;

	if (r->len - at < n)
		return 1;
	memcpy(digits, r->s + at, n);
	if (!nd_parse_u64(digits, 16, &value))
		return 1;
	return value < 0x80 ? 1 : value < 0x800 ? 2 : value < 0x10000 ? 3 : 4;
}

/* The escape of a double-quoted scalar at r->at. */
static void read_escape(struct reader *r)
{
	static const struct {
		char c;
		size_t digits, bytes; /* bytes 0: depends on the digits */
	} special[] = {{'x', 2, 0}, {'u', 4, 0}, {'U', 8, 0}, {'N', 0, 2},
		       {'_', 0, 2}, {'L', 0, 3}, {'P', 0, 3}};
	size_t from = r->at, bytes = 1;
	char c = r->at + 1 < r->len ? r->s[r->at + 1] : '\0';

	if (break_length(r, from + 1)) {
		r->at++;
		read_fold(r, true);
		return;
	}
	r->at += 2;
	for (size_t i = 0; i < ND_ARRAY_LEN(special); i++) {
		if (special[i].c != c || r->at > r->len)
			continue;
		bytes = special[i].bytes ? special[i].bytes
					 : hex_bytes(r, r->at, special[i].digits);
		r->at += special[i].digits;
	}
	gives(r, from, r->at, bytes);
	if (r->found) { /* an escape is one thing, also where it has as many bytes as it stands for
			 */
		r->start = from;
		r->end = r->at;
	}
}

/* Plain (quote 0) and quoted scalars. */
static void read_flow(struct reader *r, char quote)
{
	while (!r->found && r->at < r->len) {
		size_t from = r->at;

		while (is_blank(r, r->at))
			r->at++;
		if (break_length(r, r->at)) {
			read_fold(r, false);
		} else if (r->at > from) {
			gives(r, from, r->at, r->at - from);
		} else if (quote == '"' && r->s[from] == '\\') {
			read_escape(r);
		} else {
			r->at += quote == '\'' && r->s[from] == '\'' ? 2 : 1;
			gives(r, from, r->at, 1);
		}
	}
}

static size_t count_spaces(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && s[n] == ' ')
		n++;
	return n;
}

/* Spaces before the lines of a block: those of its first line with content, less those it has in
 * the text. */
static size_t block_indent(const struct reader *r, const char *text)
{
	size_t at = r->at, in_file, in_text;

	for (;;) {
		in_file = count_spaces(r->s + at, r->len - at);
		if (!break_length(r, at + in_file))
			break;
		at += in_file + break_length(r, at + in_file);
	}
	for (;;) {
		in_text = count_spaces(text, strlen(text));
		if (text[in_text] != '\n')
			break;
		text += in_text + 1;
	}
	return in_file > in_text ? in_file - in_text : 0;
}

/* Skips the indentation of a line of a block; false if it has less. */
static bool skip_indent(struct reader *r, size_t indent)
{
	for (; indent > 0 && r->at < r->len && r->s[r->at] == ' '; indent--)
		r->at++;
	return indent == 0 && r->at < r->len;
}

/* The breaks behind a line of a folded block: the first one alone is a space, unless one of the
 * lines beside it starts with a blank; with empty lines behind it gives nothing. */
static void read_block_breaks(struct reader *r, size_t indent, bool folds)
{
	size_t first = r->at, n = break_length(r, first), count = 0, empty;
	struct reader ahead;
	bool goes_on;

	r->at += n;
	goes_on = skip_indent(r, indent);
	for (ahead = *r; (empty = break_length(&ahead, ahead.at)) > 0; count++) {
		ahead.at += empty;
		goes_on = skip_indent(&ahead, indent);
	}
	folds = folds && goes_on && !is_blank(&ahead, ahead.at);
	if (!folds || count == 0)
		gives(r, first, first + n, 1);
	for (; count > 0; count--) {
		n = break_length(r, r->at);
		gives(r, r->at, r->at + n, 1);
		r->at += n;
		skip_indent(r, indent);
	}
}

static void read_block(struct reader *r, const char *text, bool folded)
{
	size_t indent, n;
	bool blank;

	while (!ends_line(r->s, r->len, r->at)) /* the rest of the header */
		r->at++;
	r->at += break_length(r, r->at);
	indent = block_indent(r, text);
	skip_indent(r, indent);
	while ((n = break_length(r, r->at)) > 0) {
		gives(r, r->at, r->at + n, 1);
		r->at += n;
		skip_indent(r, indent);
	}
	while (!r->found && r->at < r->len) {
		size_t from = r->at;

		blank = is_blank(r, from);
		while (!ends_line(r->s, r->len, r->at))
			r->at++;
		gives(r, from, r->at, r->at - from);
		read_block_breaks(r, indent, folded && !blank);
	}
}

size_t nd_yaml_offset(const struct nd_yaml *scalar, const char *text, size_t len, size_t i)
{
	struct reader r = {.s = text, .len = len, .at = scalar->offset};
	size_t n;
	bool behind;
	char mark;

	if (scalar->type != ND_YAML_TEXT || scalar->offset >= len)
		return scalar->offset < len ? scalar->offset : len;
	n = strlen(scalar->text);
	mark = scalar->quoted || scalar->block ? text[scalar->offset] : '\0';
	behind = i >= n;
	if (n == 0)
		return scalar->offset + scalar->quoted;
	r.left = behind ? n - 1 : i;
	r.at += mark != '\0';
	if (scalar->block)
		read_block(&r, scalar->text, mark == '>');
	else
		read_flow(&r, mark);
	if (!r.found)
		return r.at < len ? r.at : len;
	return behind ? r.end : r.start;
}
