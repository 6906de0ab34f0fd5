/* /proc/net/sockstat: how many sockets there are, and the memory they hold.
 *
 * One line mixes two scopes: inuse and tw are the namespace's, orphan, alloc and mem the host's, so
 * the latter go to the host whatever namespace the file came from. mem is in pages; the size of a
 * page is not in the file. Live it is asked of the kernel, from a recording it is taken to be 4096.
 *
 *	TCP: inuse 7106 orphan 4614 tw 326428 alloc 7142 mem 8559
 *	FRAG: inuse 0 memory 0 */
#include "collectors/snmp.h"
#include "collectors/sockstat.h"

#include <errno.h>
#include <unistd.h>

#define PATH "/proc/net/sockstat"
#define PAGE_BYTES 4096

static const struct nd_read reads[] = {
	{PATH, ND_READ_NETNS, "sockets: used [0-9]*\n\nTCP: inuse [0-9]* orphan *"},
	{NULL, 0},
};

enum scale { ONE, PAGES };

#define FACT(kind, fact, u, text)                                                                  \
	{                                                                                          \
		.name = (fact), .on = (kind), .type = ND_T_NUMBER, .unit = (u), .width = ND_GAUGE, \
		.doc = (text), .reproduce = "cat " PATH                                            \
	}
const struct nd_fact_def nd_sockstat_facts[] = {
	FACT(ND_NETNS, "tcp.sockets.inuse", ND_U_COUNT,
	     "TCP over IPv4 sockets, listening or connected"),
	FACT(ND_NETNS, "tcp.sockets.tw", ND_U_COUNT, "connections in TIME_WAIT"),
	FACT(ND_HOST, "tcp.sockets.orphan", ND_U_COUNT,
	     "TCP sockets that no process holds any more"),
	FACT(ND_HOST, "tcp.sockets.alloc", ND_U_COUNT,
	     "TCP sockets of all namespaces and both families"),
	FACT(ND_HOST, "tcp.sockets.mem", ND_U_BYTES,
	     "memory charged to TCP's limit tcp_mem, in whole pages; in a recording a page counts "
	     "as 4096 bytes"),
	FACT(ND_NETNS, "udp.sockets.inuse", ND_U_COUNT, "UDP over IPv4 sockets"),
	FACT(ND_HOST, "udp.sockets.mem", ND_U_BYTES,
	     "memory charged to UDP's limit udp_mem, in whole pages; in a recording a page counts "
	     "as 4096 bytes"),
	FACT(ND_NETNS, "frag.mem", ND_U_BYTES,
	     "memory held by IPv4 fragments that wait for the rest"),
	{.name = NULL},
};

/* Row i is fact i. */
static const struct {
	const char *section, *word;
	enum scale scale;
} rows[] = {
	{"TCP:", "inuse", ONE}, {"TCP:", "tw", ONE},	  {"TCP:", "orphan", ONE},
	{"TCP:", "alloc", ONE}, {"TCP:", "mem", PAGES},	  {"UDP:", "inuse", ONE},
	{"UDP:", "mem", PAGES}, {"FRAG:", "memory", ONE},
};

_Static_assert(ND_ARRAY_LEN(rows) + 1 == ND_ARRAY_LEN(nd_sockstat_facts), "a row is a fact");

struct state {
	const struct nd_input *in;
	struct nd_facts *f;
	double page; /* bytes; 0: leave out what is in pages */
	bool seen[ND_ARRAY_LEN(rows)];
	bool any;
};

static void put(struct state *st, size_t row, const char *number)
{
	const struct nd_fact_def *fact = &nd_sockstat_facts[row];
	const nd_id on = nd_entity(st->f, fact->on, fact->on == ND_HOST ? "" : st->in->netns);
	const double scale = rows[row].scale == PAGES ? st->page : 1;
	uint64_t v;

	st->seen[row] = true;
	st->any = true;
	if (scale == 0)
		return;
	if (nd_parse_u64(number, 10, &v))
		nd_put_num(st->f, on, fact, (double)v * scale, st->in);
	else
		nd_put_missing(st->f, on, fact, ND_PARSE_ERROR,
			       "%s: expected a number, found '%.40s'", st->in->path, number);
}

static void one_line(struct state *st, char *line, bool unended)
{
	const char *section = nd_word(&line);
	const char *word, *number;

	while (section && (word = nd_word(&line)) && (number = nd_word(&line))) {
		if (unended && !*line)
			return; /* the number may be cut */
		for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++)
			if (strcmp(rows[i].section, section) == 0 &&
			    strcmp(rows[i].word, word) == 0)
				put(st, i, number);
	}
}

static int parse_with(double page, const struct nd_input *in, struct nd_stream *s,
		      struct nd_facts *f, struct nd_err *e)
{
	struct state st = {.in = in, .f = f, .page = page};
	char *line;

	while ((line = nd_stream_line(s)))
		one_line(&st, line, nd_stream_unended(s));
	if (nd_stream_error(s))
		return nd_fail(e, nd_stream_error(s), "%s: %s", in->path,
			       strerror(-nd_stream_error(s)));
	if (!st.any)
		return nd_parse_fail(in, s, e, "'TCP: inuse …'", "none");
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++)
		if (!st.seen[i])
			nd_fact_missing(f, &nd_sockstat_facts[i], ND_TOOL_OUTPUT_ABSENT,
					"%s does not show it", in->path);
	return 0;
}

/* On a machine with other pages this cannot know whose numbers they are; live() puts them then. */
static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	return parse_with(sysconf(_SC_PAGESIZE) == PAGE_BYTES ? PAGE_BYTES : 0, in, s, f, e);
}

static int live(struct nd_live *l, struct nd_facts *f, struct nd_err *e)
{
	const long page = sysconf(_SC_PAGESIZE);
	struct nd_input in = l->in;
	char text[1024];
	struct nd_stream *s;
	int rc;

	if (l->first && !l->between)
		nd_netns_unread(l, f, nd_sockstat_facts,
				"no process through which its sockets can be counted");
	if (page == PAGE_BYTES || l->between)
		return 0;
	rc = nd_source_text(l->source, PATH, text, sizeof(text));
	if (rc)
		return nd_fail(e, rc, "%s: %s", PATH, strerror(-rc));
	in.path = PATH;
	s = nd_stream_mem(text, strlen(text));
	rc = parse_with((double)page, &in, s, f, e);
	nd_stream_close(s);
	return rc;
}

const struct nd_collector nd_collector_sockstat = {
	.name = "sockstat",
	.doc = "numbers of sockets and the memory they hold",
	.collect = "cat /proc/net/sockstat",
	.reads = reads,
	.facts = nd_sockstat_facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
	.live = live,
};
