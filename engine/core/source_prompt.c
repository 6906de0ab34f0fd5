/* Finds the lines of a pasted text that are not output but say which output follows: prompts with a
 * command, set -x, banners, the marks of head and tail, fences, the header of watch.
 *
 * A line that is taken for one of these by mistake cuts an output in two, so the weaker a prompt
 * is, the more the command behind it must be one that people use on such hosts. */
#include "engine/core/source_paste.h"

#include <ctype.h>
#include <math.h>

#define PROMPT_MAX 120 /* bytes in front of the command */
#define BANNER_MAX 200
#define BANNER_WORDS_MAX 12

enum strength { WEAK, HOST_ONLY, STRONG }; /* "# ", "box:~ # ", "root@box:~# " */

bool nd_is_read(const struct nd_known *k, const char *name)
{
	const char *base = strrchr(name, '/');
	struct nd_stem stem;
	char arg[ND_COMMAND_MAX];

	nd_stem_of(base ? base + 1 : name, &stem);
	for (uint32_t i = 0; i < k->n; i++) {
		for (const struct nd_read *r = k->lists[i]; r && r->what; r++) {
			if (r->what[0] == '/' ? nd_match_file(r->what, name, stem.name, false, arg,
							      sizeof(arg))
					      : nd_match_tool(r->what, name, arg, sizeof(arg)))
				return true;
		}
	}
	return false;
}

/* ---- prompts ---- */

static bool is_sign(const char *s, const char *end, size_t *len)
{
	static const char *const signs[] = {"#", "$", "%", ">", "❯", "➜", "λ"};

	for (size_t i = 0; i < ND_ARRAY_LEN(signs); i++) {
		*len = strlen(signs[i]);
		if ((size_t)(end - s) >= *len && memcmp(s, signs[i], *len) == 0)
			return true;
	}
	return false;
}

/* The first sign that a blank or the end of the line follows. */
static const char *find_sign(const char *s, const char *end, size_t *len)
{
	for (const char *p = s; p < end && p - s < PROMPT_MAX; p++)
		if (is_sign(p, end, len) && (p + *len == end || p[*len] == ' ' || p[*len] == '\t'))
			return p;
	return NULL;
}

/* Does what stands in front of the sign look like a prompt, and how surely? */
static bool is_prompt(const char *s, size_t n, enum strength *strength)
{
	size_t word = 0, words = 0;
	bool at = false;

	while (n && s[n - 1] == ' ')
		n--;
	*strength = WEAK;
	if (n == 0)
		return true;
	if (s[0] == '[' && s[n - 1] == ']') { /* no "[ 12.3]": a log's line has no sign behind it */
		*strength = memchr(s, '@', n) ? STRONG : HOST_ONLY;
		return true;
	}
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		at = at || c == '@';
		word = c == ' ' ? 0 : word + 1;
		words += word == 1;
		if (c < 0x80 && !isalnum(c) && !strchr(" @:.~/_-+()[]{},|*", c))
			return false;
	}
	/* "12:01:33 root@box:~ ", "(venv) me@box dir ", "root@box:~/a b" */
	if (at && words <= 5 && memchr(s, '@', n) != s)
		*strength = STRONG;
	else if (words <= 2)
		*strength = HOST_ONLY;
	else
		return false;
	return true;
}

/* "root@box:~" → box */
static void take_host(const char *s, size_t n, char *out)
{
	const char *at = memchr(s, '@', n);
	size_t len;

	out[0] = '\0';
	if (!at)
		return;
	at++;
	len = strcspn(at, " :]#$%>)~/\n");
	if (len >= ND_PLACE_MAX)
		len = ND_PLACE_MAX - 1;
	if ((size_t)(at - s) + len <= n)
		snprintf(out, ND_PLACE_MAX, "%.*s", (int)len, at);
}

/* Is it a command, as surely as so weak a prompt needs? */
static bool accepts(enum strength strength, const struct nd_command *c, const char *s, size_t n,
		    char sign)
{
	bool wordlike = n && (islower((unsigned char)*s) || *s == '.' || *s == '/');

	if (strength == STRONG)
		return true;
	if (sign == '#' || sign == '>' || sign == '%') {
		if (!c->known)
			return false;
		/* a comment or a heading may begin with such a word: "# top talkers" */
		return strength == HOST_ONLY || c->options || c->loop || c->date ||
		       memchr(s, ' ', n) == NULL || c->netns[0];
	}
	return c->known || (strength == HOST_ONLY ? false : wordlike);
}

static bool take_prompt(const char *s, size_t n, struct nd_marker *m)
{
	const char *const end = s + n;
	enum strength strength;
	size_t len;
	const char *sign = find_sign(s, end, &len), *command;

	if (!sign && n > 2 && s[0] == '#' && islower((unsigned char)s[1])) { /* "#netstat -s" */
		nd_command_of(s + 1, n - 1, &m->command);
		m->kind = m->command.known && m->command.options ? ND_MARK_PROMPT : ND_MARK_NONE;
		return m->kind != ND_MARK_NONE;
	}
	if (!sign || !is_prompt(s, (size_t)(sign - s), &strength))
		return false;
	command = sign + len;
	while (command < end && (*command == ' ' || *command == '\t'))
		command++;
	if (len > 1 && command < end && (*command == '~' || *command == '/')) { /* "➜  ~ ss" */
		while (command < end && *command != ' ')
			command++;
		while (command < end && *command == ' ')
			command++;
	}
	if (command == end) {
		m->kind = strength == STRONG ? ND_MARK_PROMPT : ND_MARK_NONE;
	} else {
		nd_command_of(command, (size_t)(end - command), &m->command);
		if (accepts(strength, &m->command, command, (size_t)(end - command), *sign))
			m->kind = ND_MARK_PROMPT;
	}
	if (m->kind == ND_MARK_NONE)
		return false;
	take_host(s, (size_t)(sign - s), m->host);
	(void)nd_clock_of(s, (size_t)(sign - s), &m->clock);
	return true;
}

/* set -x: "+ ss -tin", "++ date" */
static bool take_trace(const char *s, size_t n, struct nd_marker *m)
{
	size_t plus = 0;

	while (plus < n && s[plus] == '+')
		plus++;
	if (plus == 0 || plus > 4 || plus + 2 > n || s[plus] != ' ')
		return false;
	nd_command_of(s + plus + 1, n - plus - 1, &m->command);
	if (!m->command.known)
		return false;
	m->kind = ND_MARK_PROMPT;
	return true;
}

/* ---- banners ---- */

/* Takes words off both ends that only decorate; *n is the length that is left, the result how much was taken. */
static size_t undecorate(const char **s, size_t *n)
{
	static const char decoration[] = "-=*#~_+`:\"'|<> \t";
	static const char *const openings[] = {
		"output of ", "output from ", "output: ", "command: ", "cmd: ",
		"running ",   "run: ",	      "file: ",	  "$ ",	       "# "};
	size_t before = *n;

	for (bool again = true; again;) {
		again = false;
		while (*n && strchr(decoration, **s)) {
			(*s)++;
			(*n)--;
		}
		for (size_t i = 0; i < ND_ARRAY_LEN(openings); i++) {
			size_t len = strlen(openings[i]);

			if (*n > len && strncasecmp(*s, openings[i], len) == 0) {
				*s += len;
				*n -= len;
				again = true;
			}
		}
	}
	while (*n && strchr(decoration, (*s)[*n - 1]))
		(*n)--;
	return before - *n;
}

/* A banner's command is short, and all of its words are a command's: letters of prose are not. */
static bool is_banner(const struct nd_known *k, const struct nd_command *c, const char *s, size_t n,
		      size_t decorated, bool alone)
{
	size_t words = 1;

	for (size_t i = 1; i < n; i++)
		words += s[i] == ' ' && s[i - 1] != ' ';
	if (n == 0 || n > BANNER_MAX || words > BANNER_WORDS_MAX || !c->name[0] ||
	    s[n - 1] == '.' || s[n - 1] == ',')
		return false;
	if (nd_starts(s, "/proc/") || nd_starts(s, "/sys/"))
		return words == 1 && (decorated || alone) && !memchr(s, ':', n);
	if (!c->known)
		return decorated >= 6 && words == 1 && n > 4 && nd_is_read(k, c->name);
	if (c->options)
		return decorated || alone;
	return decorated >= 4 && words <= 3 && nd_is_read(k, c->name);
}

static bool take_banner(const struct nd_known *k, const char *s, size_t n, bool alone,
			struct nd_marker *m)
{
	size_t len = n, decorated;
	const char *at = s;

	if (n > BANNER_MAX)
		return false;
	decorated = undecorate(&at, &len);
	if (len == 0)
		return false;
	if (*at == '/' && !memchr(at, ' ', len)) {
		m->command = (struct nd_command){.options = true};
		snprintf(m->command.name, sizeof(m->command.name), "%.*s", (int)len, at);
	} else {
		nd_command_of(at, len, &m->command);
		if (!m->command.name[0] || m->command.netns[0])
			decorated += decorated > 0;
	}
	if (!is_banner(k, &m->command, at, len, decorated, alone))
		return false;
	m->kind = ND_MARK_BANNER;
	return true;
}

/* Prose in front of a fence: "The output of `netstat -s` is". */
static bool take_quoted(const struct nd_known *k, const char *s, size_t n, struct nd_marker *m)
{
	const char *open = memchr(s, '`', n), *close;

	close = open ? memchr(open + 1, '`', n - (size_t)(open + 1 - s)) : NULL;
	if (!close || close == open + 1)
		return false;
	nd_command_of(open + 1, (size_t)(close - open - 1), &m->command);
	if (!m->command.known || !nd_is_read(k, m->command.name))
		return false;
	m->kind = ND_MARK_MENTION;
	return true;
}

/* "Every 1.0s: ss -s        box: Tue Dec  1 03:42:31 2026" */
static bool take_watch(const char *s, size_t n, struct nd_marker *m)
{
	const char *colon, *end = s + n, *gap;
	double date;

	if (n < 12 || memcmp(s, "Every ", 6) != 0)
		return false;
	colon = memmem(s, n < 24 ? n : 24, "s: ", 3);
	if (!colon)
		return false;
	colon += 3;
	gap = memmem(colon, (size_t)(end - colon), "  ", 2);
	for (const char *p = end - 1; p > colon; p--) {
		if (p[0] == ' ' && nd_date_of(p, (size_t)(end - p), &date)) {
			m->clock = date;
			if (!gap || gap > p)
				gap = p;
			break;
		}
	}
	nd_command_of(colon, (size_t)((gap ? gap : end) - colon), &m->command);
	m->kind = ND_MARK_WATCH;
	return true;
}

static bool take_fence(const char *s, size_t n, struct nd_marker *m)
{
	bool fence = n >= 3 && (memcmp(s, "```", 3) == 0 || memcmp(s, "~~~", 3) == 0) &&
		     !memchr(s + 3, '`', n - 3);

	/* of Jira, of HTML */
	fence = fence || (n >= 8 && memcmp(s, "{noformat", 9 > n ? n : 9) == 0) ||
		(n >= 5 && memcmp(s, "{code", 5) == 0) || (n >= 4 && memcmp(s, "<pre", 4) == 0) ||
		(n >= 5 && memcmp(s, "</pre", 5) == 0);
	if (fence)
		m->kind = ND_MARK_FENCE;
	return fence;
}

void nd_mark_of(const struct nd_known *k, const char *line, size_t len, bool alone,
		struct nd_marker *m)
{
	*m = (struct nd_marker){.kind = ND_MARK_NONE, .clock = NAN};
	while (m->indent < len && (line[m->indent] == ' ' || line[m->indent] == '\t'))
		m->indent++;
	line += m->indent;
	len -= m->indent;
	while (len && strchr(" \t\r", line[len - 1]))
		len--;
	if (len == 0 || len > 4096)
		return;
	if (take_fence(line, len, m) || take_watch(line, len, m) || take_trace(line, len, m) ||
	    take_prompt(line, len, m) || take_banner(k, line, len, alone, m) ||
	    (memchr(line, '`', len) && take_quoted(k, line, len, m)))
		return;
	*m = (struct nd_marker){.kind = ND_MARK_NONE, .clock = NAN};
}
