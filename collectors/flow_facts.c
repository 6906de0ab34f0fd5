/* The facts of captures, and how the sums of a server become them.
 *
 * A server is a service where the capture was made at its end, and a peer where it was made at the client's or where that
 * is not known: a reader of a stranger's capture looks at the server from outside. */
#include "collectors/flow_impl.h"

#include <math.h>

#define NUMBER(name, kind, unit, doc)                                                              \
	{                                                                                          \
		name, kind, ND_T_NUMBER, unit, ND_GAUGE, doc, NULL, NULL, 0                        \
	}
#define OTHER(name, kind, type, unit, doc)                                                         \
	{                                                                                          \
		name, kind, type, unit, ND_GAUGE, doc, NULL, NULL, 0                               \
	}

/* In the order of enum nd_flow_hist, enum nd_flow_who, and enum extra. */
#define SHARED(kind)                                                                               \
	OTHER("pcap.handshake_time", kind, ND_T_HIST, ND_U_SECONDS,                                \
	      "from the first SYN to the third packet of the handshake"),                          \
		OTHER("pcap.synack_time", kind, ND_T_HIST, ND_U_SECONDS,                           \
		      "from a SYN that was sent once to its SYN-ACK"),                             \
		OTHER("pcap.final_ack_time", kind, ND_T_HIST, ND_U_SECONDS,                        \
		      "from the SYN-ACK to the third packet"),                                     \
		OTHER("pcap.rto_time", kind, ND_T_HIST, ND_U_SECONDS,                              \
		      "silence before a retransmission by timeout"),                               \
		OTHER("pcap.hold_time", kind, ND_T_HIST, ND_U_SECONDS,                             \
		      "how long the late ACK let a small segment wait"),                           \
		OTHER("pcap.think_time", kind, ND_T_HIST, ND_U_SECONDS,                            \
		      "from the request's last byte to the answer's first, less the round trip"),  \
		OTHER("pcap.retrans_by", kind, ND_T_TEXT, ND_U_NONE,                               \
		      "who sends data again: the client, the server, both ends"),                  \
		OTHER("pcap.zero_window_by", kind, ND_T_TEXT, ND_U_NONE, "who shuts its window"),  \
		OTHER("pcap.reset_by", kind, ND_T_TEXT, ND_U_NONE, "who resets"),                  \
		OTHER("pcap.hold_by", kind, ND_T_TEXT, ND_U_NONE,                                  \
		      "who holds small segments back until an ACK comes"),                         \
		OTHER("pcap.stuck_by", kind, ND_T_TEXT, ND_U_NONE,                                 \
		      "whose large segments do not arrive"),                                       \
		NUMBER("pcap.min_rtt", kind, ND_U_SECONDS, "smallest round trip in the capture"),  \
		NUMBER("pcap.zero_window_time", kind, ND_U_SECONDS,                                \
		       "time with a shut window, of all connections"),                             \
		NUMBER("pcap.zero_window_max", kind, ND_U_SECONDS,                                 \
		       "longest time with a shut window"),                                         \
		NUMBER("pcap.silent_time", kind, ND_U_SECONDS,                                     \
		       "longest time that data was sent again without any answer"),                \
		NUMBER("pcap.idle_time", kind, ND_U_SECONDS,                                       \
		       "the latest silence of a minute or more before data"),                      \
		NUMBER("pcap.time", kind, ND_U_SECONDS, "time that the capture covers"),           \
		NUMBER("pcap.client_mss", kind, ND_U_BYTES,                                        \
		       "largest segment that the client said it takes"),                           \
		NUMBER("pcap.server_mss", kind, ND_U_BYTES,                                        \
		       "largest segment that the server said it takes"),                           \
		NUMBER("pcap.stuck_size", kind, ND_U_BYTES,                                        \
		       "payload of the segment that does not arrive"),                             \
		NUMBER("pcap.passed_size", kind, ND_U_BYTES,                                       \
		       "largest payload that was acknowledged"),                                   \
		NUMBER("pcap.path_mtu", kind, ND_U_BYTES,                                          \
		       "packet size that an ICMP message allows"),                                 \
		OTHER("pcap.outbound", kind, ND_T_BOOL, ND_U_NONE,                                 \
		      "the capture shows packets before this host's card completes them"),         \
		OTHER("pcap.tunnel", kind, ND_T_TEXT, ND_U_NONE,                                   \
		      "the tunnel that carries them, such as VXLAN")

enum extra {
	E_RTT = ND_FLOW_HISTS + ND_FLOW_WHOS,
	E_ZERO_TIME,
	E_ZERO_MAX,
	E_SILENT_TIME,
	E_IDLE_TIME,
	E_TIME,
	E_CLIENT_MSS,
	E_SERVER_MSS,
	E_STUCK_SIZE,
	E_PASSED_SIZE,
	E_PATH_MTU,
	E_OUTBOUND,
	E_TUNNEL,
	EXTRAS
};
enum host_fact { H_PACKETS, H_SKIPPED, H_FLOWS, H_EVICTED, H_TIME, H_CUT, HOST_FACTS };

#define COUNT(id, name, doc) NUMBER("pcap." name, SIDE, ND_U_COUNT, doc),
const struct nd_fact_def nd_flow_facts[] = {
#define SIDE ND_SERVICE
#include "collectors/flow.def"
	SHARED(ND_SERVICE),
#undef SIDE
#define SIDE ND_PEER
#include "collectors/flow.def"
	SHARED(ND_PEER),
#undef SIDE
	NUMBER("pcap.packets", ND_HOST, ND_U_COUNT, "packets in the capture"),
	NUMBER("pcap.skipped", ND_HOST, ND_U_COUNT,
	       "packets and lines of the capture that are no IP or cannot be decoded"),
	NUMBER("pcap.flows", ND_HOST, ND_U_COUNT, "TCP connections in the capture"),
	NUMBER("pcap.evicted", ND_HOST, ND_U_COUNT,
	       "connections given up early because too many were open at one time"),
	NUMBER("pcap.time", ND_HOST, ND_U_SECONDS, "time that the capture covers"),
	OTHER("pcap.cut", ND_HOST, ND_T_TEXT, ND_U_NONE, "why the capture ends before its end"),
	{0},
};
#undef COUNT
#define KIND_FACTS (ND_FLOW_COUNTS + EXTRAS)
_Static_assert(ND_ARRAY_LEN(nd_flow_facts) == 2 * KIND_FACTS + HOST_FACTS + 1,
	       "a fact without its number");

struct putting {
	struct nd_facts *f;
	const struct nd_input *in;
	const struct nd_flows *w;
	const struct nd_flow_group *g;
	const struct nd_fact_def *facts; /* of the entity's kind */
	nd_id on;
	bool timed;
	double span;
};

static const struct nd_fact_def *extra(const struct putting *p, unsigned which)
{
	return &p->facts[ND_FLOW_COUNTS + which];
}

static void put_hist(const struct putting *p, unsigned which)
{
	const uint32_t *count = p->g->hist[which];
	struct nd_bucket b[ND_FLOW_BUCKETS];
	struct nd_hist h = {b, 0};

	for (uint32_t i = 0; count && i < ND_FLOW_BUCKETS; i++)
		if (count[i])
			b[h.n++] = (struct nd_bucket){(double)nd_flow_edges[i] / 1e9,
						      (double)nd_flow_edges[i + 1] / 1e9, count[i]};
	nd_put_hist(p->f, p->on, extra(p, which), &h, p->in);
}

static void put_who(const struct putting *p, unsigned which)
{
	const uint32_t *by = p->g->who[which];
	const struct nd_fact_def *d = extra(p, ND_FLOW_HISTS + which);
	uint64_t client = by[0], server = by[1];

	if (!client && !server)
		nd_put_absent(p->f, p->on, d, p->in);
	else
		nd_put_text(p->f, p->on, d,
			    client > 4 * server	  ? "the client"
			    : server > 4 * client ? "the server"
						  : "both ends",
			    p->in);
}

static void put_number(const struct putting *p, unsigned which, double v)
{
	nd_put_num(p->f, p->on, extra(p, which), v, p->in);
}

/* Zero stands for "none was seen". */
static void put_seen(const struct putting *p, unsigned which, double v)
{
	if (v > 0)
		put_number(p, which, v);
	else
		nd_put_absent(p->f, p->on, extra(p, which), p->in);
}

static void put_times(const struct putting *p)
{
	const struct nd_flow_group *g = p->g;

	for (unsigned i = 0; i < ND_FLOW_HISTS; i++)
		put_hist(p, i);
	if (g->rtt_ns)
		put_number(p, E_RTT, (double)g->rtt_ns / 1e9);
	else
		nd_put_missing(p->f, p->on, extra(p, E_RTT), ND_TOO_FEW_SAMPLES,
			       "the capture shows no data with its ACK");
	put_number(p, E_ZERO_TIME, (double)g->zero_ns / 1e9);
	put_number(p, E_ZERO_MAX, (double)g->zero_max_ns / 1e9);
	put_number(p, E_SILENT_TIME, (double)g->silent_max_ns / 1e9);
	put_seen(p, E_IDLE_TIME, (double)g->idle_ns / 1e9);
	put_number(p, E_TIME, p->span);
}

/* Counts that rest on times. */
static const bool needs_time[ND_FLOW_COUNTS] = {
	[ND_FC_RETRANS_FAST] = true, [ND_FC_RETRANS_RTO] = true, [ND_FC_RETRANS_TLP] = true,
	[ND_FC_REORDERED] = true,    [ND_FC_TIMER_HOLDS] = true, [ND_FC_COPIES] = true,
	[ND_FC_HOLDS] = true,	     [ND_FC_ACK_STORM] = true,	 [ND_FC_IDLE_RESETS] = true,
	[ND_FC_IDLE_SILENT] = true,
};

static void untimed(const struct putting *p)
{
	for (unsigned i = 0; i <= E_TIME; i++)
		if (i < ND_FLOW_HISTS || i >= E_RTT)
			nd_put_missing(p->f, p->on, extra(p, i), ND_TOOL_OUTPUT_ABSENT,
				       "its lines have no times");
}

static void put_count(const struct putting *p, unsigned which)
{
	const struct nd_fact_def *d = &p->facts[which];

	if (p->timed || !needs_time[which])
		nd_put_num(p->f, p->on, d, (double)p->g->count[which], p->in);
	else
		nd_put_missing(p->f, p->on, d, ND_TOOL_OUTPUT_ABSENT, "its lines have no times");
}

static void put_group(const struct putting *p)
{
	const struct nd_flow_group *g = p->g;

	for (unsigned i = 0; i < ND_FLOW_COUNTS; i++)
		put_count(p, i);
	if (p->timed)
		put_times(p);
	else
		untimed(p);
	for (unsigned i = 0; i < ND_FLOW_WHOS; i++)
		put_who(p, i);
	put_seen(p, E_CLIENT_MSS, g->mss[0]);
	put_seen(p, E_SERVER_MSS, g->mss[1]);
	put_seen(p, E_STUCK_SIZE, g->stuck_size);
	put_seen(p, E_PASSED_SIZE, g->passed);
	put_seen(p, E_PATH_MTU, g->mtu);
	nd_put_bool(p->f, p->on, extra(p, E_OUTBOUND), g->count[ND_FC_PARTIAL_CSUM] > 0, p->in);
	if (g->tunnel)
		nd_put_text(p->f, p->on, extra(p, E_TUNNEL), g->tunnel, p->in);
	else
		nd_put_absent(p->f, p->on, extra(p, E_TUNNEL), p->in);
}

/* ---- servers of one port become one service ---- */

static bool is_service(const struct nd_flow_group *g)
{
	return !g->udp && g->port && g->port < ND_PORT_NAMED && g->near[1] > 2 * g->near[0];
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void merge(struct nd_flow_group *to, const struct nd_flow_group *g)
{
	for (unsigned i = 0; i < ND_FLOW_COUNTS; i++)
		to->count[i] += g->count[i];
	for (unsigned i = 0; i < ND_FLOW_HISTS; i++) {
		if (g->hist[i] && !to->hist[i])
			to->hist[i] = nd_alloc(ND_FLOW_BUCKETS * sizeof(uint32_t));
		for (unsigned k = 0; g->hist[i] && k < ND_FLOW_BUCKETS; k++)
			to->hist[i][k] += g->hist[i][k];
	}
	for (unsigned i = 0; i < ND_FLOW_WHOS; i++) {
		to->who[i][0] += g->who[i][0];
		to->who[i][1] += g->who[i][1];
	}
	if (g->rtt_ns && (!to->rtt_ns || g->rtt_ns < to->rtt_ns))
		to->rtt_ns = g->rtt_ns;
	to->zero_ns += g->zero_ns;
	to->zero_max_ns = most(to->zero_max_ns, g->zero_max_ns);
	to->silent_max_ns = most(to->silent_max_ns, g->silent_max_ns);
	to->idle_ns = most(to->idle_ns, g->idle_ns);
	to->passed = (uint32_t)most(to->passed, g->passed);
	to->stuck_size = (uint32_t)most(to->stuck_size, g->stuck_size);
	to->mtu = g->mtu ? g->mtu : to->mtu;
}

static void merge_services(struct nd_flows *w)
{
	uint32_t *first = nd_alloc(65536 * sizeof(*first));

	for (uint32_t i = 0; i < w->n_groups; i++) {
		struct nd_flow_group *g = &w->group[i];

		if (!is_service(g))
			continue;
		if (!first[g->port]) {
			first[g->port] = i + 1;
			continue;
		}
		merge(&w->group[first[g->port] - 1], g);
		g->merged = true;
	}
	free(first);
}

/* ---- all ---- */

static void put_host(const struct putting *p, const char *cut)
{
	const struct nd_fact_def *d = &nd_flow_facts[2 * KIND_FACTS];
	const struct nd_flows *w = p->w;

	nd_put_num(p->f, 0, &d[H_PACKETS], (double)w->packets, p->in);
	nd_put_num(p->f, 0, &d[H_SKIPPED], (double)w->skipped, p->in);
	nd_put_num(p->f, 0, &d[H_FLOWS], (double)w->flows, p->in);
	nd_put_num(p->f, 0, &d[H_EVICTED], (double)w->evicted, p->in);
	if (p->timed)
		nd_put_num(p->f, 0, &d[H_TIME], p->span, p->in);
	if (cut)
		nd_put_text(p->f, 0, &d[H_CUT], cut, p->in);
	else
		nd_put_absent(p->f, 0, &d[H_CUT], p->in);
}

static bool is_told(const struct putting *p)
{
	nd_fact_id id = nd_registry_find(nd_facts_registry(p->f), p->facts->on, p->facts->name);

	return id >= 0 && nd_get(p->f, p->on, id, ND_BARE).type == ND_V_NUMBER;
}

void nd_flows_put(struct nd_flows *w, struct nd_facts *f, const struct nd_input *in,
		  const char *cut, bool timed)
{
	struct putting p = {.f = f, .in = in, .w = w, .timed = timed};
	char key[256];

	p.span = (double)(w->last_ns - w->first_ns) / 1e9;
	for (uint32_t i = w->oldest; i != UINT32_MAX; i = w->flow[i].newer)
		nd_flow_end(w, &w->flow[i]);
	merge_services(w);
	for (uint32_t i = 0; i < w->n_groups; i++) {
		p.g = &w->group[i];
		if (p.g->merged)
			continue;
		if (is_service(p.g)) {
			p.facts = nd_flow_facts;
			p.on = nd_entity_num(f, ND_SERVICE, p.g->port);
		} else {
			nd_flow_key(w, &p.g->addr, p.g->port, key, sizeof(key));
			p.facts = nd_flow_facts + KIND_FACTS;
			p.on = nd_entity_in(f, ND_PEER, key, in->netns);
		}
		if (!is_told(&p))
			put_group(&p);
	}
	put_host(&p, cut);
}
