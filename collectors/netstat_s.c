/* `netstat -s`, -su, -st: the protocol counters as English phrases, or as "Name: number" for those
 * that net-tools has no phrase for.
 *
 * A phrase means something only within its section ("packets received" is in Udp and Udp6), its
 * spelling differs between releases, and most lines are left out when zero. Left out is taken for
 * zero only when the output is whole: people paste excerpts, and a zero that nobody saw would rule
 * out a cause.
 *
 *	TcpExt:
 *	    12178939 times the listen queue of a socket overflowed
 *	    TCPLossProbes: 211831 */
#include "collectors/snmp.h"

#include <errno.h>

static const struct nd_read reads[] = {
	{"netstat -s", 0,
	 "TcpExt:\n\nTcp:\n\nUdp:\n\nIp:\n\n"
	 "[0-9]* times the listen queue of a socket overflowed\n\n[0-9]* SYNs to LISTEN sockets *\n\n"
	 "[0-9]* segments retransmi*ted\n\n[0-9]* packets pruned from receive queue *\n\n"
	 "[0-9]* packets collapsed in receive queue *\n\n[0-9]* packet receive errors"},
	{NULL, 0},
};

#define MAX_WORDS 24 /* the longest phrase has 15 */
#define MAX_SECTION 16

/* The sections that a whole output has. */
static const char *const whole[] = {"Ip", "Tcp", "Udp", "TcpExt"};

struct state {
	const struct nd_input *in;
	struct nd_facts *f;
	struct nd_snmp_seen seen;
	char section[MAX_SECTION];
	bool has[ND_ARRAY_LEN(whole)];
	bool after; /* a section follows TcpExt: its end is here too */
	bool ip_end; /* IpExt is there down to the counters by ECN mark, of which one always moves */
	bool udp6;
};

/* Words of kernels before 4.18: prequeue went in 4.14, FACK in 4.15. */
static const char *const old_words[] = {"prequeue", "FACK", "forward retransmits",
					"PAWSPassive:", "passive connections rejected"};

/* Length of a word without the endings that vary: a plural s, a full stop. */
static size_t stem(const char *w, size_t len)
{
	if (len && w[len - 1] == '.')
		len--;
	if (len > 1 && w[len - 1] == 's')
		len--;
	return len;
}

/* If it is this phrase, the index of the word at the place of #; else -1. */
static int match(const char *phrase, char *const *words, uint32_t n)
{
	int number = -1;

	for (uint32_t i = 0; i < n; i++) {
		const size_t len = strcspn(phrase, " ");
		const size_t mine = stem(phrase, len);

		if (!len)
			return -1;
		if (*phrase == '#')
			number = (int)i;
		else if (mine != stem(words[i], strlen(words[i])) ||
			 strncmp(phrase, words[i], mine) != 0)
			return -1;
		phrase += len + (phrase[len] == ' ');
	}
	return *phrase ? -1 : number;
}

static void enter_section(struct state *st, const char *word, size_t len)
{
	if (len >= sizeof(st->section))
		len = 0; /* none of ours */
	memcpy(st->section, word, len);
	st->section[len] = '\0';
	st->after |= st->has[ND_ARRAY_LEN(whole) - 1];
	for (size_t i = 0; i < ND_ARRAY_LEN(whole); i++)
		st->has[i] |= strcmp(st->section, whole[i]) == 0;
	st->udp6 |= strcmp(st->section, "Udp6") == 0;
}

/* What grep left has no headings: a name that only one section has still tells its own. */
static int only_row(const char *name)
{
	int found = -1;

	for (int i = 0; nd_snmp_rows[i].section; i++) {
		if (strcmp(nd_snmp_rows[i].name, name) != 0)
			continue;
		if (found >= 0)
			return -1;
		found = i;
	}
	return found;
}

/* "TCPLossProbes: 211831" */
static bool raw(struct state *st, char **words, bool unended)
{
	const size_t len = strlen(words[0]);
	int row;

	if (words[0][len - 1] != ':' || len == 1)
		return false;
	words[0][len - 1] = '\0';
	row = st->section[0] ? nd_snmp_find(st->section, strlen(st->section), words[0])
			     : only_row(words[0]);
	if (row < 0 && !st->section[0])
		return false;
	if (row >= 0)
		nd_snmp_put(st->f, row, words[1], unended, st->in, &st->seen);
	return true;
}

/* Is this phrase the beginning of another? Then the end of the file may have made it one. */
static bool goes_on(const char *section, const char *phrase)
{
	const size_t len = strlen(phrase);

	for (const struct nd_snmp_row *r = nd_snmp_rows; r->section; r++)
		for (uint32_t p = 0; p < ND_SNMP_PHRASES && r->phrases[p]; p++)
			if (strcmp(r->section, section) == 0 && nd_starts(r->phrases[p], phrase) &&
			    r->phrases[p][len])
				return true;
	return false;
}

/* A phrase without a heading above it: the row, if it is one section's only; number is the word of the count. */
static int only_phrase(char *const *words, uint32_t n, int *number)
{
	int found = -1;

	for (int i = 0; nd_snmp_rows[i].section; i++) {
		const struct nd_snmp_row *r = &nd_snmp_rows[i];

		for (uint32_t p = 0; p < ND_SNMP_PHRASES && r->phrases[p]; p++) {
			const int at = match(r->phrases[p], words, n);

			if (at < 0)
				continue;
			if (found >= 0 && found != i)
				return -1;
			found = i;
			*number = at;
		}
	}
	return found;
}

static bool spoken(struct state *st, char **words, uint32_t n, bool unended)
{
	int number = 0, row = st->section[0] ? -1 : only_phrase(words, n, &number);

	if (row >= 0) {
		nd_snmp_put(st->f, row, words[number], unended, st->in, &st->seen);
		return true;
	}
	for (int i = 0; nd_snmp_rows[i].section; i++) {
		const struct nd_snmp_row *r = &nd_snmp_rows[i];

		if (strcmp(r->section, st->section) != 0)
			continue;
		for (uint32_t p = 0; p < ND_SNMP_PHRASES && r->phrases[p]; p++) {
			number = match(r->phrases[p], words, n);
			if (number < 0)
				continue;
			nd_snmp_put(st->f, i, words[number],
				    unended && goes_on(st->section, r->phrases[p]), st->in,
				    &st->seen);
			return true;
		}
	}
	return false;
}

/* "33861296 packet receive errors    <---- HERE": what somebody wrote beside it. */
static void cut_remark(char *line)
{
	static const char *const arrows[] = {"<-", "<=", "\xe2\x86\x90"};

	for (size_t i = 0; i < ND_ARRAY_LEN(arrows); i++) {
		char *at = strstr(line, arrows[i]);

		if (at)
			*at = '\0';
	}
}

static void one_line(struct state *st, char *line, bool unended)
{
	char *words[MAX_WORDS], *word;
	uint32_t n = 0;

	cut_remark(line);
	line[strcspn(line, "#")] = '\0'; /* what somebody wrote beside it; netstat prints none */
	st->ip_end |= strstr(line, "ECTPkts:") != NULL;
	for (size_t i = 0; i < ND_ARRAY_LEN(old_words); i++)
		st->seen.old |= strstr(line, old_words[i]) != NULL;
	while (n < MAX_WORDS && (word = nd_word(&line)))
		words[n++] = word;
	if (!n)
		return;
	if (n == 1 && nd_ends(words[0], ":"))
		enter_section(st, words[0], strlen(words[0]) - 1);
	else if ((n == 2 && raw(st, words, unended)) || spoken(st, words, n, unended))
		st->seen.counters++;
}

static bool is_whole(const struct state *st, const struct nd_stream *s)
{
	for (size_t i = 0; i < ND_ARRAY_LEN(whole); i++)
		if (!st->has[i])
			return false;
	return st->after && !st->in->filtered && !nd_stream_unended(s) && !nd_stream_cut(s) &&
	       !nd_stream_error(s);
}

/* May a line of this section have been left out for being zero? Udp6 is not printed by default. */
static bool was_printed(const struct state *st, const char *section)
{
	if (nd_ends(section, "6"))
		return st->udp6 && strcmp(section, "Udp6") == 0;
	return st->ip_end || strcmp(section, "IpExt") != 0;
}

/* What no line said. */
static void zeros(struct state *st)
{
	for (int i = 0; nd_snmp_rows[i].section; i++)
		if (!st->seen.row[i] && was_printed(st, nd_snmp_rows[i].section))
			nd_snmp_zero(st->f, i, st->in, &st->seen);
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	struct state st = {.in = in, .f = f};
	char *line;

	while ((line = nd_stream_line(s)))
		one_line(&st, line, nd_stream_unended(s));
	if (is_whole(&st, s))
		zeros(&st);
	return nd_snmp_end(in, s, f, &st.seen, "a section such as 'TcpExt:' with counters", e);
}

const struct nd_collector nd_collector_netstat_s = {
	.name = "netstat_s",
	.doc = "protocol counters from the output of netstat -s",
	.reads = reads,
	.facts = nd_snmp_facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
};
