/* Recognises an output by its first lines, for files whose names do not tell what they are.
 *
 * A collector's read says by shell patterns which lines only this output has. All lines of one
 * alternative must be met; the alternative that fixes the most characters wins, because a header
 * says more than a line that looks like a counter. Nothing is guessed from a name or from the order
 * of files: an output that no pattern knows stays unread, and the report says so. */
#include "engine/core/source_like.h"

#define LINES_MAX 160 /* people paste greetings and prompts in front */
#define HEAD_BYTES 65536
#define LINE_BYTES 400 /* a longer line is compared up to here */

/* Does the set of characters that begins at p ("[a-f0-9]", "[!x]") have c? *end is behind it. */
static bool in_set(const char *p, const char *end_of_pattern, char c, const char **end)
{
	bool negated = p + 1 < end_of_pattern && p[1] == '!', found = false;
	const char *q = p + 1 + negated;

	for (bool first = true; q < end_of_pattern && (*q != ']' || first); first = false) {
		if (q + 2 < end_of_pattern && q[1] == '-' && q[2] != ']') {
			found |= c >= q[0] && c <= q[2];
			q += 3;
		} else {
			found |= *q++ == c;
		}
	}
	*end = q < end_of_pattern ? q + 1 : q;
	return found != negated;
}

/* One character of the pattern at p against c; *next is the pattern behind it. */
static bool one(const char *p, const char *end, char c, const char **next)
{
	if (*p == '[')
		return in_set(p, end, c, next);
	*next = p + 1;
	return *p == '?' || *p == c;
}

/* Takes back only the last star: time is at most the product of both lengths. */
bool nd_glob(const char *pattern, size_t pn, const char *s, size_t n)
{
	const char *p = pattern, *const pe = pattern + pn, *const se = s + n;
	const char *star = NULL, *resume = s, *next;

	while (s < se) {
		if (p < pe && *p == '*') {
			star = ++p;
			resume = s;
		} else if (p < pe && one(p, pe, *s, &next)) {
			p = next;
			s++;
		} else if (star) {
			p = star;
			s = ++resume;
		} else {
			return false;
		}
	}
	while (p < pe && *p == '*')
		p++;
	return p == pe;
}

/* How many characters a pattern fixes. */
static uint32_t weight(const char *p, size_t n)
{
	const char *const end = p + n, *next;
	uint32_t w = 0;

	for (; p < end; p = next) {
		(void)one(p, end, '\0', &next);
		w += *p != '*' && *p != '?';
	}
	return w;
}

struct head {
	const char *line[LINES_MAX];
	uint16_t len[LINES_MAX];
	uint32_t n;
};

static void cut_lines(const char *text, size_t len, struct head *h)
{
	const char *const end = text + (len < HEAD_BYTES ? len : HEAD_BYTES);

	for (h->n = 0; text < end && h->n < LINES_MAX;) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		const char *from = text;
		size_t n = (size_t)((stop ? stop : end) - text);

		text += n + 1;
		while (n && (*from == ' ' || *from == '\t')) {
			from++;
			n--;
		}
		n = n > LINE_BYTES ? LINE_BYTES : n;
		while (n && strchr(" \t\r", from[n - 1]))
			n--;
		if (!n)
			continue;
		h->line[h->n] = from;
		h->len[h->n++] = (uint16_t)n;
	}
}

static bool met(const struct head *h, const char *pattern, size_t n)
{
	for (uint32_t i = 0; i < h->n; i++)
		if (nd_glob(pattern, n, h->line[i], h->len[i]))
			return true;
	return false;
}

/* The weight of one alternative, up to a blank line or the end; 0: a pattern of it is not met. */
static uint32_t alternative(const struct head *h, const char **like)
{
	const char *p = *like;
	uint32_t w = 0;
	bool all = true;

	for (;;) {
		size_t n = strcspn(p, "\n");

		all = all && n && met(h, p, n);
		w += weight(p, n);
		p += n;
		if (!*p || p[1] == '\n' || !p[1])
			break;
		p++;
	}
	*like = p + strspn(p, "\n");
	return all ? w : 0;
}

static uint32_t best_alternative(const struct head *h, const char *like)
{
	uint32_t best = 0;

	while (*like) {
		uint32_t w = alternative(h, &like);

		best = w > best ? w : best;
	}
	return best;
}

bool nd_is_like(const struct nd_read *r, const char *text, size_t len)
{
	struct head h;

	if (!r->like || (r->flags & ND_READ_BINARY))
		return false;
	cut_lines(text, len, &h);
	return best_alternative(&h, r->like) > 0;
}

const struct nd_read *nd_recognise(const struct nd_known *k, const char *text, size_t len)
{
	const struct nd_read *found = NULL;
	uint32_t best = 0;
	struct head h;

	cut_lines(text, len, &h);
	for (uint32_t i = 0; i < k->n; i++) {
		for (const struct nd_read *r = k->lists[i]; r && r->what; r++) {
			bool lines = r->like && !(r->flags & ND_READ_BINARY);
			uint32_t w = lines ? best_alternative(&h, r->like) : 0;

			if (w > best) {
				best = w;
				found = r;
			}
		}
	}
	return found;
}

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Do the bytes begin with these, given in hex up to a newline or the end? */
static bool begins_with(const char *head, size_t len, const char *hex)
{
	size_t n = 0;

	for (; hex_digit(hex[0]) >= 0 && hex_digit(hex[1]) >= 0; hex += 2, n++)
		if (n >= len || (uint8_t)head[n] != hex_digit(hex[0]) * 16 + hex_digit(hex[1]))
			return false;
	return n > 0;
}

const struct nd_read *nd_recognise_binary(const struct nd_known *k, const char *head, size_t len)
{
	for (uint32_t i = 0; i < k->n; i++) {
		for (const struct nd_read *r = k->lists[i]; r && r->what; r++) {
			if (!(r->flags & ND_READ_BINARY))
				continue;
			for (const char *p = r->like; p && *p;
			     p += strcspn(p, "\n"), p += *p == '\n')
				if (begins_with(head, len, p))
					return r;
		}
	}
	return NULL;
}
