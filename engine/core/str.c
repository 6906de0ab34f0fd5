/* Byte buffers, strict parsing of numbers, and cutting lines into words.
 *
 * Numbers are parsed by hand: strtod and strtoull take blanks, signs, "inf" and a locale's comma,
 * all of which would turn a garbled input into a plausible fact. */
#include "engine/core/str.h"

#include <math.h>

#define BLANKS " \t\r\n\v\f"

static void buf_room(struct nd_buf *b, size_t n)
{
	size_t need = b->len + n + 1;
	size_t cap = b->cap ? b->cap : 64;

	if (need < n) /* wrapped: no such memory; the allocator says so */
		need = SIZE_MAX;
	if (need <= b->cap)
		return;
	while (cap < need)
		cap = cap > SIZE_MAX / 2 ? need : cap * 2;
	b->s = nd_realloc(b->s, cap);
	b->cap = cap;
}

void nd_buf_put(struct nd_buf *b, const char *s, size_t n)
{
	buf_room(b, n);
	if (n)
		memcpy(b->s + b->len, s, n);
	b->len += n;
	b->s[b->len] = '\0';
}

void nd_buf_puts(struct nd_buf *b, const char *s)
{
	nd_buf_put(b, s, strlen(s));
}

void nd_buf_putc(struct nd_buf *b, char c)
{
	nd_buf_put(b, &c, 1);
}

void nd_buf_printf(struct nd_buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	buf_room(b, (size_t)n);
	va_start(ap, fmt);
	vsnprintf(b->s + b->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->len += (size_t)n;
}

void nd_buf_free(struct nd_buf *b)
{
	free(b->s);
	*b = (struct nd_buf){0};
}

const char *nd_buf_str(const struct nd_buf *b)
{
	return b->s ? b->s : "";
}

/* The value of a digit, or 255. */
static unsigned digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	if (c >= 'A' && c <= 'F')
		return (unsigned)(c - 'A') + 10;
	return 255;
}

bool nd_parse_u64(const char *s, int base, uint64_t *out)
{
	const uint64_t b = (uint64_t)base;
	uint64_t v = 0;

	if ((base != 10 && base != 16) || !*s)
		return false;
	for (; *s; s++) {
		unsigned d = digit(*s);

		if (d >= b || v > (UINT64_MAX - d) / b)
			return false;
		v = v * b + d;
	}
	*out = v;
	return true;
}

bool nd_parse_i64(const char *s, int64_t *out)
{
	bool negative = *s == '-';
	uint64_t most = (uint64_t)INT64_MAX + (negative ? 1 : 0);
	uint64_t v;

	if (!nd_parse_u64(s + negative, 10, &v) || v > most)
		return false;
	*out = negative ? (int64_t)(0 - v) : (int64_t)v;
	return true;
}

/* strtod rounds correctly; what it may see is checked first. The process never sets a locale. */
bool nd_parse_f64(const char *s, double *out)
{
	const char *p = s + (*s == '-');
	const size_t whole = strspn(p, "0123456789");
	double v;

	if (whole == 0)
		return false;
	p += whole;
	if (*p == '.') {
		size_t decimals = strspn(p + 1, "0123456789");

		if (decimals == 0)
			return false;
		p += 1 + decimals;
	}
	if (*p)
		return false;
	v = strtod(s, NULL);
	if (isinf(v))
		return false; /* more digits than a double can hold */
	*out = v;
	return true;
}

char *nd_split(char **line, const char *separators)
{
	char *word, *end;

	if (!*line)
		return NULL;
	word = *line + strspn(*line, separators);
	if (!*word) {
		*line = word;
		return NULL;
	}
	end = word + strcspn(word, separators);
	if (*end)
		*end++ = '\0';
	*line = end;
	return word;
}

char *nd_word(char **line)
{
	return nd_split(line, BLANKS);
}

char *nd_trim(char *s)
{
	size_t n;

	s += strspn(s, BLANKS);
	n = strlen(s);
	while (n > 0 && strchr(BLANKS, s[n - 1]))
		n--;
	s[n] = '\0';
	return s;
}

bool nd_starts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool nd_ends(const char *s, const char *suffix)
{
	size_t n = strlen(s);
	size_t m = strlen(suffix);

	return m <= n && memcmp(s + n - m, suffix, m) == 0;
}

#define NEAREST_MAX 64 /* longer names are not compared: nobody misspells those by two letters */

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	unsigned m = a < b ? a : b;

	return m < c ? m : c;
}

/* Edits (insert, delete, replace, swap two neighbours) between a and b, three rows at a time. */
static unsigned edit_distance(const char *a, size_t n, const char *b, size_t m)
{
	unsigned rows[3][NEAREST_MAX + 1];
	unsigned *before = rows[0], *last = rows[1], *row = rows[2];

	for (size_t j = 0; j <= m; j++)
		last[j] = (unsigned)j;
	memcpy(before, last, (m + 1) * sizeof(*before));
	for (size_t i = 1; i <= n; i++) {
		unsigned *spare = before;

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= m; j++) {
			row[j] = min3(last[j] + 1, row[j - 1] + 1,
				      last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    before[j - 2] + 1 < row[j])
				row[j] = before[j - 2] + 1;
		}
		before = last;
		last = row;
		row = spare;
	}
	return last[m];
}

const char *nd_nearest(const char *s, const char *const *names, size_t n)
{
	const size_t len = strlen(s);
	const char *best = NULL;
	unsigned best_edits = UINT32_MAX;

	if (len > NEAREST_MAX)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		size_t m = strlen(names[i]);
		unsigned edits;

		if (m > NEAREST_MAX)
			continue;
		edits = edit_distance(s, len, names[i], m);
		/* near: a third of the letters at most, and never more than four */
		if (edits < best_edits && edits <= 4 && (size_t)edits * 3 <= (len > m ? len : m)) {
			best = names[i];
			best_edits = edits;
		}
	}
	return best;
}
