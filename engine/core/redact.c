/* Redaction of a capture: addresses by their syntax, names by a list, each original by one stand-in.
 *
 * Stand-ins are addresses that are reserved for benchmarks and documentation, so that what is left
 * can still be read and joined: a peer stays one peer. Loopback, the unspecified address and masks
 * tell nobody's place and stay. */
#include "engine/core/redact.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <pwd.h>
#include <unistd.h>

#define WORD_MAX 64
#define HASH 4096u
#define USERS_MAX 4096
#define NAME_MIN 3 /* a shorter name is a word of everything */

struct known {
	struct known *next;
	const char *original, *stand_in;
};
struct nd_redactor {
	struct nd_arena arena;
	struct known *hash[HASH]; /* addresses as written */
	struct known *names;
	uint32_t v4, v6, mac, n_names;
};

static struct known **chain(struct nd_redactor *r, const char *s)
{
	uint32_t h = 2166136261u;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return &r->hash[h % HASH];
}

static const char *find(const struct known *k, const char *original)
{
	for (; k; k = k->next)
		if (strcmp(k->original, original) == 0)
			return k->stand_in;
	return NULL;
}

static const char *remember(struct nd_redactor *r, struct known **to, const char *original,
			    const char *stand_in)
{
	struct known *k = nd_arena_alloc(&r->arena, sizeof(*k));

	*k = (struct known){*to, nd_arena_strdup(&r->arena, original), stand_in};
	*to = k;
	return stand_in;
}

/* ---- addresses ---- */

static bool tells_nothing4(const unsigned char a[4])
{
	return a[0] == 127 || a[0] == 0 || a[0] == 255; /* loopback, any, masks */
}

static const char *stand_in4(struct nd_redactor *r, const char *word)
{
	struct known **to = chain(r, word);
	const char *s = find(*to, word);

	if (s)
		return s;
	r->v4++; /* 198.18.0.0/15 */
	return remember(r, to, word,
			nd_arena_printf(&r->arena, "198.%u.%u.%u", 18 + (r->v4 >> 16) % 2,
					(r->v4 >> 8) & 255, r->v4 & 255));
}

/* Equal addresses are written in different ways: they are known by their shortest. */
static const char *stand_in6(struct nd_redactor *r, const struct in6_addr *a)
{
	char word[INET6_ADDRSTRLEN];
	struct known **to;
	const char *s;

	if (!inet_ntop(AF_INET6, a, word, sizeof(word)))
		return "2001:db8::";
	to = chain(r, word);
	s = find(*to, word);
	if (s)
		return s;
	r->v6++;
	return remember(r, to, word,
			nd_arena_printf(&r->arena, "2001:db8::%x:%x", r->v6 >> 16, r->v6 & 0xffff));
}

static bool is_mac(const char *w, size_t n)
{
	if (n != 17)
		return false;
	for (size_t i = 0; i < n; i++)
		if (i % 3 == 2 ? w[i] != ':' && w[i] != '-' : !isxdigit((unsigned char)w[i]))
			return false;
	return true;
}

static const char *stand_in_mac(struct nd_redactor *r, const char *word)
{
	struct known **to;
	char low[18];
	const char *s;

	for (size_t i = 0; i < sizeof(low); i++)
		low[i] = word[i] == '-' ? ':' : (char)tolower((unsigned char)word[i]);
	if (strcmp(low, "00:00:00:00:00:00") == 0 || strcmp(low, "ff:ff:ff:ff:ff:ff") == 0)
		return NULL;
	to = chain(r, low);
	s = find(*to, low);
	if (s)
		return s;
	r->mac++;
	return remember(r, to, low,
			nd_arena_printf(&r->arena, "02:00:00:%02x:%02x:%02x", (r->mac >> 16) & 255,
					(r->mac >> 8) & 255, r->mac & 255));
}

/* The length of an IPv4 address at s: four numbers, and not a part of a longer row of them. */
static size_t take4(struct nd_redactor *r, const char *s, size_t n, struct nd_buf *out)
{
	unsigned char a[4];
	char word[16];
	size_t len = 0;

	while (len < n && len < 15 && (isdigit((unsigned char)s[len]) || s[len] == '.'))
		len++;
	while (len && s[len - 1] == '.')
		len--;
	if (len < 7 || (len < n && isdigit((unsigned char)s[len])))
		return 0;
	snprintf(word, sizeof(word), "%.*s", (int)len, s);
	if (inet_pton(AF_INET, word, a) != 1)
		return 0;
	nd_buf_puts(out, tells_nothing4(a) ? word : stand_in4(r, word));
	return len;
}

/* An IPv6 or Ethernet address at s. */
static size_t take6(struct nd_redactor *r, const char *s, size_t n, struct nd_buf *out)
{
	static const struct in6_addr any, one = IN6ADDR_LOOPBACK_INIT;
	char word[WORD_MAX];
	const char *mac = NULL;
	struct in6_addr a;
	size_t len = 0, colons = 0;

	while (len < n && len < WORD_MAX - 1 &&
	       (isxdigit((unsigned char)s[len]) || strchr(":.-", s[len])) && s[len])
		colons += s[len++] == ':';
	if (len >= 17 && is_mac(s, 17)) {
		snprintf(word, sizeof(word), "%.17s", s);
		mac = stand_in_mac(r, word);
		nd_buf_puts(out, mac ? mac : word);
		return 17;
	}
	/* the longest beginning that is an address: a port or a full stop may follow */
	for (; len >= 2 && colons >= 2; len--) {
		snprintf(word, sizeof(word), "%.*s", (int)len, s);
		if (inet_pton(AF_INET6, word, &a) != 1)
			continue;
		if (memcmp(&a, &any, sizeof(a)) == 0 || memcmp(&a, &one, sizeof(a)) == 0)
			nd_buf_puts(out, word);
		else
			nd_buf_puts(out, stand_in6(r, &a));
		return len;
	}
	return 0;
}

/* ---- names ---- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static size_t take_name(struct nd_redactor *r, const char *s, size_t n, struct nd_buf *out)
{
	for (const struct known *k = r->names; k; k = k->next) {
		size_t len = strlen(k->original);

		if (len <= n && strncasecmp(s, k->original, len) == 0 &&
		    (len == n || !is_word(s[len]))) {
			nd_buf_puts(out, k->stand_in);
			return len;
		}
	}
	return 0;
}

void nd_redact(void *redactor, const char *text, size_t len, struct nd_buf *out)
{
	struct nd_redactor *r = redactor;

	for (size_t i = 0; i < len;) {
		bool start = i == 0 || !is_word(text[i - 1]);
		size_t n = 0;

		if (start && (i == 0 || text[i - 1] != '.') && isdigit((unsigned char)text[i]))
			n = take4(r, text + i, len - i, out);
		if (!n && start && (isxdigit((unsigned char)text[i]) || text[i] == ':'))
			n = take6(r, text + i, len - i, out);
		if (!n && start)
			n = take_name(r, text + i, len - i, out);
		if (!n)
			nd_buf_putc(out, text[i++]);
		i += n;
	}
}

void nd_redact_name(struct nd_redactor *r, const char *class, const char *name)
{
	static const char *const plain[] = {"root", "localhost", "nobody", "host", "lo"};

	for (size_t i = 0; i < ND_ARRAY_LEN(plain); i++)
		if (strcmp(name, plain[i]) == 0)
			return;
	if (strlen(name) < NAME_MIN || find(r->names, name))
		return;
	remember(r, &r->names, name, nd_arena_printf(&r->arena, "%s%u", class, ++r->n_names));
}

static void add_host(struct nd_redactor *r)
{
	char name[256] = "";

	if (gethostname(name, sizeof(name) - 1) != 0)
		return;
	/* the short name stands within the long one: that one is looked for first */
	if (strchr(name, '.')) {
		char longer[256];

		snprintf(longer, sizeof(longer), "%s", name);
		*strchr(name, '.') = '\0';
		nd_redact_name(r, "host", name);
		nd_redact_name(r, "host", longer);
		return;
	}
	nd_redact_name(r, "host", name);
}

struct nd_redactor *nd_redactor_empty(void)
{
	return nd_alloc(sizeof(struct nd_redactor));
}

struct nd_redactor *nd_redactor_new(void)
{
	struct nd_redactor *r = nd_redactor_empty();
	const struct passwd *p;

	setpwent();
	for (unsigned i = 0; i < USERS_MAX && (p = getpwent()); i++)
		if (p->pw_uid >= 1000)
			nd_redact_name(r, "user", p->pw_name);
	endpwent();
	add_host(r);
	return r;
}

void nd_redactor_free(struct nd_redactor *r)
{
	if (!r)
		return;
	nd_arena_free(&r->arena);
	free(r);
}
