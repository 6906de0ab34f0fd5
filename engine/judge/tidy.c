/* Leaves out of a sentence what is not known, where the rest can stand without it.
 *
 * A rule writes one text for every host, and much of it may be unrecorded: "3,220 overflows (of unknown connections);
 * the limit is unknown." Nobody wants to read that. Brackets with an unknown value go, and so do clauses, which a
 * semicolon or a full stop ends, unless nothing would be left. The evidence lists every unknown value anyway. */
#include "engine/judge/walk.h"

#include <ctype.h>

#define CLAUSES_MAX 32

struct clause {
	const char *s;
	size_t len; /* without its end */
	bool unknown;
	bool stop; /* a full stop ends it, no semicolon */
};

/* Length of the bracket that begins at s, 0 if it is never closed. */
static size_t bracket(const char *s, bool *unknown)
{
	unsigned depth = 0;

	*unknown = false;
	for (size_t i = 0; s[i]; i++) {
		depth += s[i] == '(';
		*unknown |= s[i] == ND_UNKNOWN_MARK;
		if (s[i] == ')' && --depth == 0)
			return i + 1;
	}
	return 0;
}

/* Brackets in which something is unknown, with the blank before them. */
static void drop_brackets(const char *s, struct nd_buf *out)
{
	bool unknown;

	for (; *s; s++) {
		size_t n = *s == '(' ? bracket(s, &unknown) : 0;

		if (n == 0 || !unknown) {
			nd_buf_putc(out, *s);
			continue;
		}
		if (out->len && out->s[out->len - 1] == ' ')
			out->s[--out->len] = '\0';
		s += n - 1;
	}
}

/* A full stop or semicolon with a blank behind it, outside of brackets; or the end. */
static size_t clause_end(const char *s)
{
	int depth = 0;
	size_t i = 0;

	for (; s[i]; i++) {
		depth += (s[i] == '(') - (s[i] == ')');
		if (depth <= 0 && (s[i] == ';' || s[i] == '.') && (s[i + 1] == ' ' || !s[i + 1]))
			break;
	}
	return i;
}

static uint32_t split(const char *s, struct clause *v)
{
	uint32_t n = 0;

	while (*s && n < CLAUSES_MAX) {
		struct clause *c = &v[n++];

		*c = (struct clause){.s = s, .len = clause_end(s)};
		if (n == CLAUSES_MAX)
			c->len = strlen(s);
		c->unknown = memchr(s, ND_UNKNOWN_MARK, c->len) != NULL;
		c->stop = s[c->len] != ';';
		s += c->len + (s[c->len] != '\0');
		s += strspn(s, " ");
	}
	return n;
}

static void put_clause(struct nd_buf *out, const struct clause *c, bool begins)
{
	for (size_t i = 0; i < c->len; i++) {
		char ch = c->s[i];

		if (ch != ND_UNKNOWN_MARK)
			nd_buf_putc(out, begins && i == 0 ? (char)toupper((unsigned char)ch) : ch);
	}
}

void nd_tidy(const char *s, struct nd_buf *out)
{
	struct clause v[CLAUSES_MAX];
	struct nd_buf text = {0};
	uint32_t n, known = 0;
	bool begins = false, whole;

	drop_brackets(s, &text);
	n = split(nd_buf_str(&text), v);
	for (uint32_t i = 0; i < n; i++)
		known += !v[i].unknown;
	whole = known == 0 || known == n;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t next = i + 1;

		if (!whole && v[i].unknown)
			continue;
		put_clause(out, &v[i], begins || (i > 0 && out->len == 0));
		while (!whole && next < n && v[next].unknown)
			next++;
		/* what followed a semicolon begins a sentence when something between is gone */
		begins = v[i].stop || next != i + 1;
		if (next < n)
			nd_buf_puts(out, begins ? ". " : "; ");
		else if (n && s[0] && v[n - 1].s[v[n - 1].len])
			nd_buf_putc(out, '.');
		begins = begins && !v[i].stop;
	}
	nd_buf_free(&text);
}
