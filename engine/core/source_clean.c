/* Takes out of a pasted text what terminals, browsers, mail and Windows put in. All in place; each
 * says whether there was anything. */
#include "engine/core/source_paste.h"

/* The length of an escape sequence of a terminal at s, 0: there is none. */
static size_t escape_length(const char *s, size_t n)
{
	size_t i = 2;

	if (n < 2 || s[0] != '\033')
		return 0;
	if (s[1] == '[') { /* CSI … letter */
		while (i < n && i < 32 && (s[i] < '@' || s[i] > '~'))
			i++;
		return i < n ? i + 1 : n;
	}
	if (s[1] == ']') { /* OSC … BEL or ESC \ */
		while (i < n && i < 256 && s[i] != '\a' && s[i] != '\033')
			i++;
		return i < n && s[i] == '\a' ? i + 1 : i;
	}
	return 2;
}

/* Takes out what terminals and browsers put in: colours, a byte order mark, blanks that do not
 * break. In place. Returns whether there was any. */
bool nd_clean_terminal(struct nd_buf *b)
{
	size_t to = 0, i = 0;

	if (b->len >= 3 && memcmp(b->s, "\xef\xbb\xbf", 3) == 0)
		i = 3;
	while (i < b->len) {
		size_t n = escape_length(b->s + i, b->len - i);

		if (n) {
			i += n;
		} else if (i + 1 < b->len && b->s[i] == '\xc2' && b->s[i + 1] == '\xa0') {
			b->s[to++] = ' ';
			i += 2;
		} else if (b->s[i] == '\b') {
			to -= to > 0 && b->s[to - 1] != '\n';
			i++;
		} else {
			b->s[to++] = b->s[i++];
		}
	}
	i = b->len;
	b->len = to;
	if (to < i)
		b->s[to] = '\0';
	return to != i;
}

/* Takes "> " off all lines of a text most of whose lines have it: an answer to a mail. In place. */
bool nd_clean_quotes(struct nd_buf *b)
{
	size_t quoted = 0, lines = 0, to = 0;

	for (size_t i = 0; i < b->len;) {
		const char *end = memchr(b->s + i, '\n', b->len - i);

		quoted += b->s[i] == '>';
		lines += b->s[i] != '\n' && b->s[i] != '\r';
		i = end ? (size_t)(end - b->s) + 1 : b->len;
	}
	if (quoted * 2 <= lines)
		return false;
	for (size_t i = 0; i < b->len;) {
		const char *end = memchr(b->s + i, '\n', b->len - i);
		size_t next = end ? (size_t)(end - b->s) + 1 : b->len;

		while (i < next && b->s[i] == '>')
			i += i + 1 < next && b->s[i + 1] == ' ' ? 2 : 1;
		memmove(b->s + to, b->s + i, next - i);
		to += next - i;
		i = next;
	}
	b->len = to;
	b->s[to] = '\0';
	return true;
}

/* A text of Windows' tools: UTF-16 with its mark in front. In place: what is not ASCII becomes a question mark. */
bool nd_clean_wide(struct nd_buf *b)
{
	const bool little = b->len > 2 && memcmp(b->s, "\xff\xfe", 2) == 0;
	size_t to = 0;

	if (!little && !(b->len > 2 && memcmp(b->s, "\xfe\xff", 2) == 0))
		return false;
	for (size_t i = 2; i + 1 < b->len; i += 2) {
		char low = b->s[i + !little], high = b->s[i + little];

		b->s[to++] = high || (low & 0x80) || !low ? '?' : low;
	}
	b->len = to;
	b->s[to] = '\0';
	return true;
}
