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

#define GROUP(kind, how)                                                                                 \
	NUMBER("exchanges", kind, ND_U_COUNT, ND_COUNTER64,                                              \
	       "requests with their answers: data segments both ways", how),                             \
		NUMBER("min_rtt", kind, ND_U_SECONDS, ND_GAUGE,                                          \
		       "smallest round trip that the kernel saw", how),                                  \
		NUMBER("rtt", kind, ND_U_SECONDS, ND_GAUGE,                                              \
		       "smoothed round trip, mean of the sockets", how),                                 \
		NUMBER("connections", kind, ND_U_COUNT, ND_GAUGE, "established connections", how),       \
		NUMBER("rwnd_limited", kind, ND_U_PERCENT, ND_GAUGE,                                     \
		       "share of the sending time limited by the peer's window", how),                   \
		NUMBER("sndbuf_limited", kind, ND_U_PERCENT, ND_GAUGE,                                   \
		       "share of the sending time limited by the send buffer", how),                     \
		NUMBER("bytes.sent", kind, ND_U_BYTES, ND_COUNTER64,                                     \
		       "data sent, retransmissions included", how),                                      \
		NUMBER("bytes.retrans", kind, ND_U_BYTES, ND_COUNTER64, "data sent again", how),         \
		NUMBER("bytes.acked", kind, ND_U_BYTES, ND_COUNTER64,                                    \
		       "data that the peers acknowledged", how),                                         \
		NUMBER("bytes.received", kind, ND_U_BYTES, ND_COUNTER64, "data received", how),          \
		NUMBER("segs.sent", kind, ND_U_COUNT, ND_COUNTER64,                                      \
		       "data segments sent, retransmissions included", how),                             \
		NUMBER("segs.retrans", kind, ND_U_COUNT, ND_COUNTER64, "segments sent again",            \
		       how),                                                                             \
		NUMBER("segs.duplicates", kind, ND_U_COUNT, ND_COUNTER64,                                \
		       "segments that the peers reported as duplicates (DSACK)", how),                   \
		NUMBER("segs.ooo", kind, ND_U_COUNT, ND_COUNTER64,                                       \
		       "segments received out of order (5.4 and later)", how),                           \
		NUMBER("drops", kind, ND_U_COUNT, ND_COUNTER64,                                          \
		       "segments that its sockets dropped (skmem d)", how),                              \
		NUMBER("rto_time", kind, ND_U_SECONDS, ND_COUNTER64,                                     \
		       "time spent in retransmission timeouts (6.6 and later)", how),                    \
		NUMBER("recv_q", kind, ND_U_BYTES, ND_SAMPLED,                                           \
		       "received and not read, of the connection with most", how),                       \
		OTHER("recv_q.connection", kind, ND_T_TEXT, "which connection that is", how),            \
		NUMBER("send_q", kind, ND_U_BYTES, ND_SAMPLED,                                           \
		       "written and not acknowledged, of the connection with most", how),                \
		OTHER("send_q.connection", kind, ND_T_TEXT, "which connection that is", how),            \
		NUMBER("retries", kind, ND_U_COUNT, ND_SAMPLED,                                          \
		       "timeouts or window probes in a row without an answer, the most of a connection", \
		       how),                                                                             \
		NUMBER("rto", kind, ND_U_SECONDS, ND_SAMPLED,                                            \
		       "retransmission timeout, the longest of a connection", how),                      \
		NUMBER("heard", kind, ND_U_SECONDS, ND_SAMPLED,                                          \
		       "time since anything came, on the connection that was heard last", how),          \
		NUMBER("cwnd", kind, ND_U_COUNT, ND_SAMPLED,                                             \
		       "congestion window in segments, the smallest of a connection", how),              \
		NUMBER("mss", kind, ND_U_BYTES, ND_GAUGE,                                                \
		       "largest segment, the smallest of a connection", how),                            \
		NUMBER("pmtu", kind, ND_U_BYTES, ND_GAUGE,                                               \
		       "path MTU that the kernel assumes, the smallest of a connection", how),           \
		NUMBER("rcvbuf", kind, ND_U_BYTES, ND_GAUGE,                                             \
		       "limit of the receive buffer, the largest of a connection", how),                 \
		NUMBER("sndbuf", kind, ND_U_BYTES, ND_GAUGE,                                             \
		       "limit of the send buffer, the largest of a connection", how),                    \
		NUMBER("delivery_rate", kind, ND_U_BYTES_PER_SECOND, ND_SAMPLED,                         \
		       "rate at which data arrived lately, the largest of a connection", how),           \
		OTHER("congestion", kind, ND_T_TEXT, "congestion control of a connection", how),         \
		OTHER("local", kind, ND_T_BOOL, "both ends are on this host", how),                      \
		OTHER("route", kind, ND_T_WORDS, "how packets to it leave", "ip route get {key}"),       \
		PROBED("nodelay", kind, ND_T_NUMBER, ND_U_PERCENT, ND_GAUGE,                             \
		       "share of the sockets with TCP_NODELAY", "nagle"),                                \
		PROBED("holds", kind, ND_T_NUMBER, ND_U_COUNT, ND_COUNTER64,                             \
		       "small segments that waited for an ACK", "nagle"),                                \
		PROBED("hold_time", kind, ND_T_HIST, ND_U_SECONDS, ND_GAUGE,                             \
		       "how long they waited", "nagle")

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
	NUMBER("sockets", ND_LISTENER, ND_U_COUNT, ND_GAUGE,
	       "sockets that listen at this address and port; more than one with SO_REUSEPORT",
	       LISTEN_BY),
	NUMBER("waiting", ND_LISTENER, ND_U_COUNT, ND_GAUGE,
	       "connections that wait for accept at all of these; queue is that of the fullest",
	       LISTEN_BY),
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
