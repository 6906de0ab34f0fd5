/* The facts of listeners, services and peers, and the table of samples.
 *
 * Services and peers are two groupings of the same sockets and have the same facts, so their rows come
 * from one macro. Names follow the kernel's: tcp_info and the SKMEMINFO attribute of inet_diag. */
#include "collectors/sock_group.h"

#define NUMBER(name, kind, unit, width, doc, how)                                                  \
	{                                                                                          \
		name, kind, ND_T_NUMBER, unit, width, doc, how, NULL, 0                            \
	}
#define PROBED(name, kind, type, unit, width, doc, probe)                                          \
	{                                                                                          \
		name, kind, type, unit, width, doc, NULL, probe, 0                                 \
	}
#define OTHER(name, kind, type, doc, how)                                                          \
	{                                                                                          \
		name, kind, type, ND_U_NONE, ND_GAUGE, doc, how, NULL, 0                           \
	}

#define GROUP(kind, how)                                                                           \
	NUMBER("exchanges", kind, ND_U_COUNT, ND_COUNTER64,                                        \
	       "requests with their answers: data segments both ways", how),                       \
		NUMBER("min_rtt", kind, ND_U_SECONDS, ND_GAUGE,                                    \
		       "smallest round trip that the kernel saw", how),                            \
		NUMBER("rtt", kind, ND_U_SECONDS, ND_GAUGE,                                        \
		       "smoothed round trip, mean of the sockets", how),                           \
		NUMBER("connections", kind, ND_U_COUNT, ND_GAUGE, "established connections", how), \
		NUMBER("rwnd_limited", kind, ND_U_PERCENT, ND_GAUGE,                               \
		       "share of the sending time limited by the peer's window", how),             \
		NUMBER("sndbuf_limited", kind, ND_U_PERCENT, ND_GAUGE,                             \
		       "share of the sending time limited by the send buffer", how),               \
		NUMBER("bytes.sent", kind, ND_U_BYTES, ND_COUNTER64,                               \
		       "data sent, retransmissions included", how),                                \
		NUMBER("bytes.retrans", kind, ND_U_BYTES, ND_COUNTER64, "data sent again", how),   \
		NUMBER("rto_time", kind, ND_U_SECONDS, ND_COUNTER64,                               \
		       "time spent in retransmission timeouts (6.6 and later)", how),              \
		OTHER("local", kind, ND_T_BOOL, "both ends are on this host", how),                \
		OTHER("route", kind, ND_T_WORDS, "how packets to it leave", "ip route get {key}"), \
		PROBED("nodelay", kind, ND_T_NUMBER, ND_U_PERCENT, ND_GAUGE,                       \
		       "share of the sockets with TCP_NODELAY", "nagle"),                          \
		PROBED("holds", kind, ND_T_NUMBER, ND_U_COUNT, ND_COUNTER64,                       \
		       "small segments that waited for an ACK", "nagle"),                          \
		PROBED("hold_time", kind, ND_T_HIST, ND_U_SECONDS, ND_GAUGE,                       \
		       "how long they waited", "nagle"),                                           \
		NUMBER("pcap.packets", kind, ND_U_COUNT, ND_GAUGE, "packets in the capture",       \
		       NULL),                                                                      \
		NUMBER("pcap.bad_csum", kind, ND_U_COUNT, ND_GAUGE,                                \
		       "packets in the capture with a wrong checksum", NULL),                      \
		OTHER("pcap.outbound", kind, ND_T_BOOL, "the capture shows what this host sends",  \
		      NULL),                                                                       \
		OTHER("pcap.tunnel", kind, ND_T_TEXT,                                              \
		      "the tunnel that carries them, such as VXLAN", NULL)

#define LISTEN_BY "ss -ltnm"
const struct nd_fact_def nd_sock_facts[] = {
	OTHER("address", ND_LISTENER, ND_T_TEXT, "local address as ss prints it", LISTEN_BY),
	NUMBER("port", ND_LISTENER, ND_U_NONE, ND_GAUGE, "local port", LISTEN_BY),
	NUMBER("backlog", ND_LISTENER, ND_U_COUNT, ND_GAUGE,
	       "connections that may wait for accept (one more does)", LISTEN_BY),
	NUMBER("queue", ND_LISTENER, ND_U_COUNT, ND_SAMPLED, "connections that wait for accept",
	       LISTEN_BY),
	NUMBER("drops", ND_LISTENER, ND_U_COUNT, ND_COUNTER32,
	       "SYNs and handshakes it refused: its part of ListenDrops", LISTEN_BY),
	NUMBER("accepts", ND_LISTENER, ND_U_COUNT, ND_COUNTER64, "connections made to it",
	       "nstat -az TcpPassiveOpens"),
	PROBED("accept_wait", ND_LISTENER, ND_T_HIST, ND_U_SECONDS, ND_GAUGE,
	       "time from the handshake to accept", "acceptq"),
	GROUP(ND_SERVICE, "ss -tinm 'sport = :{key}'"),
	GROUP(ND_PEER, "ss -tinm dst {key}"),
	{0},
};
_Static_assert(ND_ARRAY_LEN(nd_sock_facts) == ND_LISTENER_FACTS + 2 * ND_GROUP_FACTS + 1,
	       "a fact without its number");

const struct nd_fact_def *nd_listener_fact(enum nd_listener_fact which)
{
	return &nd_sock_facts[which];
}

const struct nd_fact_def *nd_group_fact(enum nd_kind kind, enum nd_group_fact which)
{
	return &nd_sock_facts[ND_LISTENER_FACTS + (kind == ND_PEER ? ND_GROUP_FACTS : 0) +
			      (unsigned)which];
}

static const enum nd_kind table_on[] = {ND_SERVICE, ND_PEER, ND_NO_KIND};
static const struct nd_column table_columns[] = {
	{"notsent", ND_U_BYTES}, /* written, not yet sent */
	{"mss", ND_U_BYTES},	     {"unacked", ND_U_COUNT}, /* segments in flight */
	{"cwnd", ND_U_COUNT}, /* segments */
	{"last_send", ND_U_SECONDS}, /* since the last data was sent */
	{"rwnd", ND_U_BYTES}, /* room left in the peer's window */
	{"busy", ND_U_PERCENT}, /* of the time since the sample before, with unacknowledged data */
	{"rtt", ND_U_SECONDS},	     {"min_rtt", ND_U_SECONDS},
};
const struct nd_table_def nd_sock_table = {
	.name = "samples",
	.on = table_on,
	.columns = table_columns,
	.n_columns = ND_ARRAY_LEN(table_columns),
	.doc = "one row for each established socket at each sample",
};
