/* `nstat`: the protocol counters by their joined names. With -z zeros are shown too; plain nstat
 * prints the difference to its own last call, which the source marks (`interval`).
 *
 *	#kernel
 *	TcpExtListenOverflows           12178939           0.0
 *
 * A counter that is not there is zero only if the output is whole and shows no zeros at all. */
#include "collectors/snmp.h"

#include <errno.h>

static const struct nd_read reads[] = {
	{"nstat", 0,
	 "#kernel\n\n[ITU][a-z]*[A-Z]*[a-zA-Z] *[0-9] *[0-9].[0-9]\nTcp[EAOIRP]* *[0-9].[0-9]"},
	{NULL, 0},
};

/* A host that can be reached shows at least so many counters; fewer is an excerpt. */
#define WHOLE_COUNTERS 20

struct state {
	const struct nd_input *in;
	struct nd_facts *f;
	struct nd_snmp_seen seen;
	bool zeros; /* printed with -z */
	bool ip, tcp, end; /* counters that every host has moved, the last section's too */
};

static void one_line(struct state *st, char *line, bool unended)
{
	char *name = nd_word(&line), *value = nd_word(&line), *rate = nd_word(&line);
	uint64_t v;
	int row;

	if (!value || name[0] == '#' || name[0] < 'A' || name[0] > 'Z')
		return;
	row = nd_snmp_find_joined(name);
	if (!nd_parse_u64(value, 10, &v) && row < 0)
		return; /* words, not a counter */
	st->seen.counters++;
	st->zeros |= nd_parse_u64(value, 10, &v) && v == 0;
	st->ip |= strcmp(name, "IpInReceives") == 0;
	st->tcp |= strcmp(name, "TcpInSegs") == 0;
	st->end |= strcmp(name, "IpExtInOctets") == 0;
	/* prequeue, FACK and forward retransmissions went before Linux 4.18 */
	st->seen.old |= strstr(name, "Prequeue") || strstr(name, "FACK") ||
			nd_ends(name, "ForwardRetrans") || nd_ends(name, "PAWSPassive");
	if (row >= 0)
		nd_snmp_put(st->f, row, value, unended && !rate, st->in, &st->seen);
}

static bool is_whole(const struct state *st, const struct nd_stream *s)
{
	return !st->in->filtered && st->seen.counters >= WHOLE_COUNTERS && st->ip && st->tcp &&
	       st->end && !nd_stream_unended(s) && !nd_stream_cut(s) && !nd_stream_error(s);
}

/* What a whole output does not show; nstat never shows what is no counter. */
static void rest(struct state *st)
{
	const nd_id ns = nd_entity(st->f, ND_NETNS, st->in->netns);

	for (int i = 0; nd_snmp_rows[i].section; i++) {
		if (st->seen.row[i] || nd_snmp_facts[i].width == ND_GAUGE)
			continue;
		if (st->zeros)
			nd_put_missing(st->f, ns, &nd_snmp_facts[i], ND_NOT_ON_THIS_KERNEL,
				       "not in %s, which shows zeros too", st->in->path);
		else
			nd_snmp_zero(st->f, i, st->in, &st->seen);
	}
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	struct state st = {.in = in, .f = f};
	char *line;

	while ((line = nd_stream_line(s)))
		one_line(&st, line, nd_stream_unended(s));
	if (is_whole(&st, s))
		rest(&st);
	return nd_snmp_end(in, s, f, &st.seen, "a counter such as 'IpInReceives 516 0.0'", e);
}

const struct nd_collector nd_collector_nstat = {
	.name = "nstat",
	.doc = "protocol counters from the output of nstat",
	.reads = reads,
	.facts = nd_snmp_facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
};
