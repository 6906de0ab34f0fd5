/* Sums over TCP sockets as text: `ss -s`, and states counted by awk, or by sort and uniq -c.
 *
 *	TCP:   14 (estab 1, closed 0, orphaned 10, synrecv 0, timewait 0/0), ports 0
 *
 *	  12248 TIME_WAIT          ESTAB 2232
 *
 * Nobody names such files alike, so the lines decide: a number and a state, in either order. A list of
 * sockets, which begins its lines with a state and a number too, has more words, or a header. "orphaned"
 * is the whole host's, as in sockstat; "closed" holds those in TIME_WAIT in some releases and is left
 * out. */
#include "collectors/sockstat.h"
#include "collectors/tcp_states.h"

#include "collectors/collector.h"

#include <errno.h>

#define WORDS_MAX 5u /* of a sum: a number, a state, and perhaps whose */
#define STATES_ENOUGH                                                                              \
	3u /* so many states make a list in which a state without sockets has no line */

static const struct nd_read reads[] = {
	{"ss", 0, "TCP: *(estab *"},
	{"netstat", 0,
	 "*[0-9] ESTAB*\n\nESTAB* [0-9]*[0-9]\n\n*[0-9] TIME[-_]WAIT*\n\nTIME[-_]WAIT [0-9]*[0-9]\n\n"
	 "*[0-9] CLOSE[-_]WAIT*\n\nCLOSE[-_]WAIT [0-9]*[0-9]"},
	{NULL, 0},
};

struct sums {
	struct nd_tcp_states states;
	bool listing; /* the header of a list of sockets was there */
};

/* "12/0)," → 12; digits alone may have been cut. */
static bool leading_count(char *word, uint64_t *v)
{
	const size_t digits = strspn(word, "0123456789");

	if (!word[digits])
		return false;
	word[digits] = '\0';
	return nd_parse_u64(word, 10, v);
}

/* The rest of ss -s's line behind "TCP:". */
static void summary(struct nd_facts *f, char *line, const struct nd_input *in,
		    struct nd_tcp_states *states)
{
	const nd_id ns = nd_entity(f, ND_NETNS, in->netns);
	char *key, *number;
	uint64_t v;

	while ((key = nd_word(&line))) {
		key += *key == '(';
		if (strcmp(key, "estab") != 0 && strcmp(key, "orphaned") != 0 &&
		    strcmp(key, "timewait") != 0)
			continue;
		number = nd_word(&line);
		if (!number || !leading_count(number, &v))
			return;
		if (*key == 'e') {
			states->n[ND_TCP_ESTABLISHED] = v;
			states->seen[ND_TCP_ESTABLISHED] = true;
		} else if (*key == 'o') {
			nd_put_num(f, nd_entity(f, ND_HOST, ""),
				   &nd_sockstat_facts[ND_SOCKSTAT_ORPHAN], (double)v, in);
		} else {
			nd_put_num(f, ns, &nd_sockstat_facts[ND_SOCKSTAT_TW], (double)v, in);
			states->n[ND_TCP_TIME_WAIT] = v;
			states->seen[ND_TCP_TIME_WAIT] = true;
		}
	}
}

/* "1036 ESTABLISHED", "ESTAB 2232", "12 CLOSE_WAIT 10.0.0.9:80" */
static void one_sum(struct sums *s, char *line)
{
	enum nd_tcp_state state;
	char *words[WORDS_MAX];
	uint32_t n = 0;
	bool first;
	uint64_t v;

	while (n < WORDS_MAX && (words[n] = nd_split(&line, " \t:=,|")))
		n++;
	if (n < 2 || n == WORDS_MAX)
		return;
	first = nd_parse_u64(words[0], 10, &v);
	if (!first && (n != 2 || !nd_parse_u64(words[1], 10, &v)))
		return;
	state = nd_tcp_state_named(words[first], strlen(words[first]));
	s->states.n[state] += v;
	s->states.seen[state] = true;
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	struct sums sums = {.listing = false};
	uint32_t kinds = 0;
	char *line;

	while ((line = nd_stream_line(s))) {
		line = nd_trim(line);
		sums.listing |= strstr(line, "Recv-Q") != NULL;
		if (nd_starts(line, "TCP:"))
			summary(f, line + strlen("TCP:"), in, &sums.states);
		else
			one_sum(&sums, line);
	}
	if (nd_stream_error(s))
		return nd_fail(e, nd_stream_error(s), "%s: %s", in->path,
			       strerror(-nd_stream_error(s)));
	for (int i = ND_TCP_ESTABLISHED; i < ND_TCP_STATES; i++)
		kinds += sums.states.seen[i];
	sums.states.whole = kinds >= STATES_ENOUGH;
	if (!sums.listing)
		nd_tcp_states_put(f, &sums.states, in);
	return 0; /* most outputs of these tools are no sums */
}

const struct nd_collector nd_collector_tcp_sums = {
	.name = "tcp_sums",
	.doc = "sums over TCP sockets: ss -s, and states counted from ss or netstat",
	.collect = "ss -s; ss -tan",
	.reads = reads,
	.facts = nd_tcp_state_facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
};
