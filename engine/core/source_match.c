/* Matches the names of recorded files with what collectors ask for. No file is touched here.
 *
 * People, sosreport and scripts name the same output "netstat-s.txt", "netstat_-s" or "netstat
 * -s.log", and a copied tree may hang below any folder. A base name alone is trusted only outside
 * of trees: in a tree the place decides, else proc/net/stat/nf_conntrack would pass for
 * proc/net/nf_conntrack. */
#include "engine/core/source_impl.h"

#define SEPARATORS "-_ ."
#define MOMENT_MAX 1e9 /* seconds; a larger number behind the @ is part of the name */
#define WORDS_MAX 32

/* ---- stems ---- */

/* Takes "@SECONDS" off the end of name. */
static bool cut_moment(char *name, uint64_t *t_ns)
{
	char *at = strrchr(name, '@');
	double seconds;

	if (!at || at == name || at[1] == '-' || !nd_parse_f64(at + 1, &seconds) ||
	    seconds > MOMENT_MAX)
		return false;
	*t_ns = (uint64_t)(seconds * 1e9 + 0.5);
	*at = '\0';
	return true;
}

static bool cut_extension(char *name)
{
	static const char *const extensions[] = {".txt", ".log", ".out", ".text"};

	for (size_t i = 0; i < ND_ARRAY_LEN(extensions); i++) {
		size_t n = strlen(name), m = strlen(extensions[i]);

		if (n > m && nd_ends(name, extensions[i])) {
			name[n - m] = '\0';
			return true;
		}
	}
	return false;
}

/* ---- tools ---- */

/* The words behind a tool's name. Where the name keeps its dashes ("ss_-tin", "ss -tin"), an option
 * follows a dash that follows another separator; where it does not ("ss-tin"), options are the
 * first words that look like some. */
struct words {
	struct word {
		const char *s;
		size_t len;
		bool option;
	} w[WORDS_MAX];
	size_t n;
};

/* Letters, none of them twice: "tin" and not "state". */
static bool looks_like_options(const char *s, size_t len)
{
	if (len == 0 || len > 10)
		return false;
	for (size_t i = 0; i < len; i++) {
		bool letter = (s[i] >= 'a' && s[i] <= 'z') || (s[i] >= 'A' && s[i] <= 'Z');

		if (!(letter || (s[i] >= '0' && s[i] <= '9')) || memchr(s, s[i], i))
			return false;
	}
	return true;
}

static void split_words(const char *s, struct words *out)
{
	const bool dashed = strstr(s, "_-") || strstr(s, " -");
	bool leading = true;

	out->n = 0;
	while (*s && out->n < WORDS_MAX) {
		size_t gap = strspn(s, SEPARATORS);
		size_t len = strcspn(s + gap, SEPARATORS);
		const char *word = s + gap;
		bool option = looks_like_options(word, len);

		if (dashed)
			option = option && gap >= 2 && word[-1] == '-' && word[-2] != '-';
		else
			option = leading = leading && option;
		if (len)
			out->w[out->n++] = (struct word){word, len, option};
		s = word + len;
	}
}

static bool has_letter(const struct words *w, char c)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->w[i].option && memchr(w->w[i].s, c, w->w[i].len))
			return true;
	return false;
}

static bool has_word(const struct words *w, const char *s, size_t len)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->w[i].len == len && strncasecmp(w->w[i].s, s, len) == 0)
			return true;
	return false;
}

/* What follows the tool's name in a stem, or NULL if it is another tool's. */
static const char *behind_tool(const char *stem, const char *tool, size_t len)
{
	if (strncmp(stem, tool, len) != 0 || (stem[len] && !strchr(SEPARATORS, stem[len])))
		return NULL;
	return stem + len;
}

/* The option word of one pattern token is in the file name with each of its letters. */
static bool has_token(const struct words *w, const char *token, size_t len)
{
	if (token[0] != '-')
		return has_word(w, token, len);
	for (size_t i = 1; i < len; i++)
		if (!has_letter(w, token[i]))
			return false;
	return true;
}

/* Takes one token off the front of *rest: "-S" as exactly that word, "link" as that word. */
static bool take_token(const char **rest, const char *token, size_t len)
{
	const char *word = *rest + strspn(*rest, SEPARATORS);
	size_t n = strcspn(word, SEPARATORS);

	if (token[0] == '-') {
		token++;
		len--;
	}
	if (n != len || memcmp(word, token, len) != 0)
		return false;
	*rest = word + n;
	return true;
}

/* "ethtool -S *": token by token, and the raw rest of the name is what the * stands for. */
static bool match_with_arg(const char *tokens, const char *rest, char *arg, size_t size)
{
	bool option = false;
	size_t n;

	for (; *tokens != '*'; tokens += n + strspn(tokens + n, " ")) {
		n = strcspn(tokens, " ");
		option = option || tokens[0] == '-';
		if (!take_token(&rest, tokens, n))
			return false;
	}
	n = strspn(rest, SEPARATORS);
	if (n == 0 || !rest[n])
		return false;
	/* without an option in the pattern, "ethtool-S-eth0" and "ethtool_--phy_eth0" are not for
	 * us */
	if (!option &&
	    ((n >= 2 && rest[n - 1] == '-') || (rest[n + 1] && strchr(SEPARATORS, rest[n + 1]))))
		return false;
	return (size_t)snprintf(arg, size, "%s", rest + n) < size;
}

bool nd_match_tool(const char *pattern, const char *stem, char *arg, size_t size)
{
	const size_t tool = strcspn(pattern, " ");
	const char *tokens = pattern + tool + strspn(pattern + tool, " ");
	const char *rest = behind_tool(stem, pattern, tool);
	struct words w;
	size_t n;

	if (size)
		arg[0] = '\0';
	if (!rest)
		return false;
	if (strchr(tokens, '*'))
		return match_with_arg(tokens, rest, arg, size);
	split_words(rest, &w);
	for (; *tokens; tokens += n + strspn(tokens + n, " ")) {
		n = strcspn(tokens, " ");
		if (!has_token(&w, tokens, n))
			return false;
	}
	return true;
}

/* nstat prints what changed since it last ran, unless -a asks for the counters themselves. Only
 * letters that nstat knows make an option word: "nstat-after.txt" is not nstat -a. */
static bool is_interval(const char *stem)
{
	const char *rest = behind_tool(stem, "nstat", strlen("nstat"));
	struct words w;

	if (!rest)
		return false;
	split_words(rest, &w);
	for (size_t i = 0; i < w.n; i++)
		if (w.w[i].option && memchr(w.w[i].s, 'a', w.w[i].len) &&
		    strspn(w.w[i].s, "adhjnprstVz") >= w.w[i].len)
			return false;
	return true;
}

void nd_stem_of(const char *base, struct nd_stem *out)
{
	bool timed = false;

	memset(out, 0, sizeof(*out));
	snprintf(out->name, sizeof(out->name), "%s", base);
	for (;;) {
		if (!timed && cut_moment(out->name, &out->t_ns))
			timed = true;
		else if (!cut_extension(out->name))
			break;
	}
	out->interval = is_interval(out->name);
}

/* ---- files ---- */

bool nd_match_star(const char *pattern, size_t pn, const char *s, size_t sn, const char **from,
		   size_t *len)
{
	const char *star = memchr(pattern, '*', pn);
	size_t before, after;

	*from = s;
	*len = 0;
	if (!star)
		return pn == sn && memcmp(pattern, s, pn) == 0;
	before = (size_t)(star - pattern);
	after = pn - before - 1;
	if (sn <= before + after || memcmp(pattern, s, before) != 0 ||
	    memcmp(star + 1, s + sn - after, after) != 0)
		return false;
	*from = s + before;
	*len = sn - before - after;
	return true;
}

/* The last component of the n bytes at s. */
static const char *last_component(const char *s, size_t n)
{
	const char *slash = memrchr(s, '/', n);

	return slash ? slash + 1 : s;
}

/* What the stars of a pattern stood for, joined with slashes. */
struct arg {
	char *s;
	size_t size;
};

/* Puts what a star stood for in front of arg, since paths are compared from their ends. */
static bool prepend(const struct arg *arg, const char *from, size_t len)
{
	size_t old = strlen(arg->s);
	size_t slash = old ? 1 : 0;

	if (len + slash + old >= arg->size)
		return false;
	memmove(arg->s + len + slash, arg->s, old + 1);
	memcpy(arg->s, from, len);
	if (slash)
		arg->s[len] = '/';
	return true;
}

/* Compares the components of pattern (n bytes) and path from their ends; the path's last component
 * is given as stem. What is left of the path in front of the match is *front bytes long. */
static bool match_tail(const char *pattern, size_t pn, const char *path, const char *stem,
		       size_t *front, const struct arg *arg)
{
	size_t left = (size_t)(last_component(path, strlen(path)) - path);
	const char *s = stem;
	size_t sn = strlen(stem);

	arg->s[0] = '\0';
	for (;;) {
		const char *p = last_component(pattern, pn);
		size_t pl = pn - (size_t)(p - pattern);
		const char *from;
		size_t len;

		if (!nd_match_star(p, pl, s, sn, &from, &len))
			return false;
		if (memchr(p, '*', pl) && !prepend(arg, from, len))
			return false;
		*front = left;
		if (p == pattern)
			return true;
		if (left == 0)
			return false;
		pn = (size_t)(p - pattern) - 1;
		s = last_component(path, left - 1);
		sn = left - 1 - (size_t)(s - path);
		left = (size_t)(s - path);
	}
}

/* Do the first n bytes of a path hold a component that makes it a place in a tree: proc, sys, or
 * one of the pattern's own folders? */
static bool in_tree(const char *path, size_t n, const char *pattern)
{
	while (n > 0) {
		size_t len = (size_t)((const char *)memchr(path, '/', n) - path);
		char word[ND_STEM_MAX + 2];
		int put = snprintf(word, sizeof(word), "/%.*s/", (int)len, path);

		if ((size_t)put < sizeof(word) &&
		    (strcmp(word, "/proc/") == 0 || strcmp(word, "/sys/") == 0 ||
		     strstr(pattern, word)))
			return true;
		path += len + 1;
		n -= len + 1;
	}
	return false;
}

bool nd_match_file(const char *pattern, const char *rel, const char *stem, bool exact, char *arg,
		   size_t size)
{
	const char *whole = pattern + 1; /* without the slash in front */
	const char *inner = strchr(whole, '/');
	const char *base = strrchr(pattern, '/') + 1;
	const struct arg stars = {arg, size};
	size_t front = 0;

	if (size == 0)
		return false;
	arg[0] = '\0';
	if (match_tail(whole, strlen(whole), rel, stem, &front, &stars))
		return true;
	/* a folder that is itself a copy of /proc or /sys: the first component is not there */
	if (inner && strchr(inner + 1, '/') &&
	    match_tail(inner + 1, strlen(inner + 1), rel, stem, &front, &stars) &&
	    !in_tree(rel, front, "/proc/sys/"))
		return true;
	arg[0] = '\0';
	if (exact || strchr(pattern, '*') || strcmp(base, stem) != 0)
		return false;
	return !in_tree(rel, (size_t)(last_component(rel, strlen(rel)) - rel), pattern);
}
