/* Queues to programs that decide on packets (NFQUEUE), from /proc/net/netfilter/nfnetlink_queue.
 *
 * No header, a line a queue. Full means that the program reads too slowly: the kernel then drops
 * (sixth number), as it does when the program's netlink buffer is full (seventh). The eighth counts
 * what was handed over; 32 bits each, summed over the queues, so that a wrap or a queue that ends
 * shows as a reset.
 *
 *	queue port-id waiting mode range dropped user-dropped sequence 1
 *	    0  12873     0 2 65531     0     0   318043  1 */
#include "collectors/collector.h"
#include "collectors/snmp.h"

#include <errno.h>

#define FILE_ "/proc/net/netfilter/nfnetlink_queue"
#define COLUMNS 9

enum fact { QUEUES, WAITING, DROPPED, USER_DROPPED, PACKETS, WORST, FACTS };

#define FACT(index, n, w, text, column)                                                            \
	[index] = {.name = "nfqueue." n,                                                           \
		   .on = ND_NETNS,                                                                 \
		   .type = ND_T_NUMBER,                                                            \
		   .unit = ND_U_COUNT,                                                             \
		   .width = (w),                                                                   \
		   .doc = (text),                                                                  \
		   .reproduce = "awk '{n+=" column "} END {print n}' " FILE_}
static const struct nd_fact_def facts[FACTS + 1] = {
	FACT(QUEUES, "queues", ND_GAUGE, "queues to programs that decide on packets", "1"),
	FACT(WAITING, "waiting", ND_SAMPLED, "packets that wait for a program's decision", "$3"),
	FACT(DROPPED, "dropped", ND_COUNTER64, "packets dropped because a queue was full", "$6"),
	FACT(USER_DROPPED, "user_dropped", ND_COUNTER64,
	     "packets dropped because a program's netlink buffer was full", "$7"),
	FACT(PACKETS, "packets", ND_COUNTER64, "packets that were queued", "$8"),
	[WORST] = {.name = "nfqueue.worst",
		   .on = ND_NETNS,
		   .type = ND_T_TEXT,
		   .doc = "queue that dropped most, with the port id of its reader, mostly a pid",
		   .reproduce = "sort -nk6 " FILE_ " | tail -n 1"},
	{.name = NULL},
};

static const struct nd_read reads[] = {
	{FILE_, ND_READ_NETNS},
	{NULL, 0, NULL},
};

static bool read_row(char *line, uint64_t v[COLUMNS])
{
	for (int i = 0; i < COLUMNS; i++) {
		char *word = nd_word(&line);

		if (!word || !nd_parse_u64(word, 10, &v[i]) || v[i] > UINT32_MAX)
			return false;
	}
	return !nd_word(&line);
}

static void put(struct nd_facts *f, const struct nd_input *in, const uint64_t sum[COLUMNS],
		uint32_t queues, const char *worst)
{
	const nd_id ns = nd_entity(f, ND_NETNS, in->netns);

	nd_put_num(f, ns, &facts[QUEUES], queues, in);
	nd_put_num(f, ns, &facts[WAITING], (double)sum[2], in);
	nd_put_reading(f, ns, &facts[DROPPED], sum[5], in);
	nd_put_reading(f, ns, &facts[USER_DROPPED], sum[6], in);
	nd_put_reading(f, ns, &facts[PACKETS], sum[7], in);
	if (*worst)
		nd_put_text(f, ns, &facts[WORST], worst, in);
	else
		nd_put_absent(f, ns, &facts[WORST], in);
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	uint64_t sum[COLUMNS] = {0}, v[COLUMNS], most = 0;
	uint32_t queues = 0, lines = 0;
	char worst[64] = "", *line;

	while ((line = nd_stream_line(s))) {
		if (!line[strspn(line, " \t\r")])
			continue;
		lines++;
		if (!read_row(line, v))
			continue;
		queues++;
		for (int i = 0; i < COLUMNS; i++)
			sum[i] += v[i];
		if (queues == 1 || v[5] + v[6] > most) {
			most = v[5] + v[6];
			snprintf(worst, sizeof(worst), "queue %u of port id %u", (unsigned)v[0],
				 (unsigned)v[1]);
		}
	}
	if (nd_stream_error(s))
		return nd_fail(e, nd_stream_error(s), "%s: %s", in->path,
			       strerror(-nd_stream_error(s)));
	if (lines && !queues)
		return nd_parse_fail(in, s, e, "nine numbers a line", "something else");
	put(f, in, sum, queues, worst);
	return 0;
}

/* Without the module nothing can be queued. */
static int live(struct nd_live *l, struct nd_facts *f, struct nd_err *e)
{
	static const uint64_t none[COLUMNS];
	char text[64];

	(void)e;
	if (!l->first || l->between)
		return 0;
	if (nd_source_text(l->source, FILE_, text, sizeof(text)) == -ENOENT) {
		l->in.path = FILE_;
		put(f, &l->in, none, 0, "");
	}
	nd_netns_unread(l, f, facts, "no process through which it can be read");
	return 0;
}

const struct nd_collector nd_collector_nfqueue = {
	.name = "nfqueue",
	.doc = "queues of packets to programs: what waits and what was dropped",
	.reads = reads,
	.facts = facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
	.live = live,
};
