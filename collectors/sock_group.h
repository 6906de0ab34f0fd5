/* TCP sockets grouped for the rules: listeners, services (by local port) and peers (by remote address
 * and port), with the facts of each. Shared by the live dump and the text of ss.
 *
 * A socket belongs to a service when its local port has a listener, else to a peer. Totals of a group
 * are sums over every socket seen, the gone ones too, so that they only grow. */
#ifndef ND_SOCK_GROUP_H
#define ND_SOCK_GROUP_H

#include "engine/core/fact.h"

#define ND_SOCKS_MAX 200000u /* sockets in one dump or file */
#define ND_SOCK_GROUPS_MAX 4096u /* services, and as many peers, and listeners */
#define ND_SOCK_INODES_MAX                                                                         \
	8u /* descriptors remembered per group or listener for the owner look-up */

enum nd_tcp_state { /* the kernel's numbers, include/net/tcp_states.h */
		    ND_TCP_UNKNOWN,
		    ND_TCP_ESTABLISHED,
		    ND_TCP_SYN_SENT,
		    ND_TCP_SYN_RECV,
		    ND_TCP_FIN_WAIT1,
		    ND_TCP_FIN_WAIT2,
		    ND_TCP_TIME_WAIT,
		    ND_TCP_CLOSE,
		    ND_TCP_CLOSE_WAIT,
		    ND_TCP_LAST_ACK,
		    ND_TCP_LISTEN,
		    ND_TCP_CLOSING,
};

/* What tcp_info, SKMEMINFO or ss say of one socket, in base units (s, B, B/s); NaN: not said. */
enum nd_sock_value {
	ND_SV_MSS,
	ND_SV_UNACKED, /* segments in flight */
	ND_SV_CWND, /* segments */
	ND_SV_NOTSENT,
	ND_SV_LAST_SEND,
	ND_SV_RTT,
	ND_SV_MIN_RTT,
	ND_SV_SND_WND,
	ND_SV_LAST_RECV,
	ND_SV_LAST_ACK,
	ND_SV_LOST, /* segments taken for lost and not yet repaired */
	ND_SV_RESENT, /* segments sent again and not yet acknowledged */
	ND_SV_SACKED, /* segments in flight that arrived out of order */
	ND_SV_RETRIES, /* timeouts, or window probes, in a row without an answer */
	ND_SV_BACKOFF, /* doublings of the timer */
	ND_SV_RTO,
	ND_SV_RTTVAR,
	ND_SV_SSTHRESH,
	ND_SV_PMTU,
	ND_SV_RCV_MSS,
	ND_SV_ADVMSS,
	ND_SV_ATO,
	ND_SV_REORDERING, /* segments that may overtake one another before a loss is assumed */
	ND_SV_RCV_RTT,
	ND_SV_RCV_SPACE,
	ND_SV_RCV_SSTHRESH,
	ND_SV_RCV_WND, /* the window that this host advertises */
	ND_SV_RMEM, /* memory of the receive queues, and its limit */
	ND_SV_RCVBUF,
	ND_SV_WMEM, /* memory of the send queue, and its limit */
	ND_SV_SNDBUF,
	ND_SV_BACKLOG,
	ND_SV_DROPS, /* 32 bits */
	ND_SV_DELIVERY_RATE,
	ND_SV_PACING_RATE,
	ND_SV_APP_LIMITED, /* 1: the rate above is the program's, not the path's */
	ND_SV_TIMER, /* enum nd_sock_timer */
	ND_SV_TIMER_LEFT,
	ND_SV_DATA_IN, /* from here on: since the connection was made */
	ND_SV_DATA_OUT,
	ND_SV_SEGS_IN,
	ND_SV_SEGS_OUT,
	ND_SV_SEGS_RETRANS,
	ND_SV_DSACK_DUPS, /* segments that the peer reported as duplicates */
	ND_SV_REORD_SEEN,
	ND_SV_RCV_OOO, /* segments received out of order */
	ND_SV_DELIVERED,
	ND_SV_DELIVERED_CE,
	ND_SV_BYTES_ACKED,
	ND_SV_BYTES_RECEIVED,
	ND_SV_BYTES_SENT,
	ND_SV_BYTES_RETRANS,
	ND_SV_BUSY,
	ND_SV_RWND_LIMITED,
	ND_SV_SNDBUF_LIMITED,
	ND_SV_RTO_TIME,
	ND_SOCK_VALUES
};
/* The timer that runs, in the kernel's numbers (inet_diag's idiag_timer). */
enum nd_sock_timer { ND_ST_NONE, ND_ST_RETRANSMIT, ND_ST_KEEPALIVE, ND_ST_TIMEWAIT, ND_ST_PERSIST };

struct nd_sock_addr {
	uint8_t family; /* AF_INET, AF_INET6, or 0: only the name is known */
	bool star; /* ss prints the address as "*" */
	uint16_t port; /* 0: none, or only the name is known */
	uint8_t ip[16];
	const char *name; /* family 0: address as printed */
	const char *port_name; /* port 0: port as printed */
};
struct nd_sock {
	enum nd_tcp_state state;
	bool info; /* tcp_info was given */
	struct nd_sock_addr local, remote;
	uint64_t id; /* the kernel's cookie; 0: unknown, as in text */
	uint64_t inode;
	uint32_t rqueue, wqueue; /* a listener's: waiting connections and their limit */
	char congestion[16]; /* congestion control, or "" */
	bool no_limit; /* a listener whose limit the tool does not show */
	double v[ND_SOCK_VALUES];
};

extern const struct nd_fact_def
	nd_sock_facts[]; /* of listener, service and peer; ends with name NULL */
extern const struct nd_table_def
	nd_sock_table; /* "samples": a row for each established socket and sample */

/* Facts of nd_sock_facts: those of listeners first, then the same list for services and for peers. */
enum nd_listener_fact {
	ND_L_ADDRESS,
	ND_L_PORT,
	ND_L_BACKLOG,
	ND_L_QUEUE,
	ND_L_DROPS,
	ND_L_ACCEPTS,
	ND_L_ACCEPT_WAIT,
	ND_L_SOCKETS,
	ND_L_WAITING,
	ND_LISTENER_FACTS
};
enum nd_group_fact {
	ND_G_EXCHANGES,
	ND_G_MIN_RTT,
	ND_G_RTT,
	ND_G_CONNECTIONS,
	ND_G_RWND_LIMITED,
	ND_G_SNDBUF_LIMITED,
	ND_G_BYTES_SENT,
	ND_G_BYTES_RETRANS,
	ND_G_BYTES_ACKED,
	ND_G_BYTES_RECEIVED,
	ND_G_SEGS_SENT,
	ND_G_SEGS_RETRANS,
	ND_G_SEGS_DUPLICATES,
	ND_G_SEGS_OOO,
	ND_G_DROPS,
	ND_G_RTO_TIME,
	ND_G_RECV_Q,
	ND_G_RECV_Q_OF,
	ND_G_SEND_Q,
	ND_G_SEND_Q_OF,
	ND_G_RETRIES,
	ND_G_RTO,
	ND_G_HEARD,
	ND_G_CWND,
	ND_G_MSS,
	ND_G_PMTU,
	ND_G_RCVBUF,
	ND_G_SNDBUF,
	ND_G_DELIVERY_RATE,
	ND_G_CONGESTION,
	ND_G_LOCAL,
	ND_G_ROUTE,
	ND_G_NODELAY,
	ND_G_HOLDS,
	ND_G_HOLD_TIME,
	ND_GROUP_FACTS
};
const struct nd_fact_def *nd_listener_fact(enum nd_listener_fact which);
const struct nd_fact_def *nd_group_fact(enum nd_kind kind,
					enum nd_group_fact which); /* ND_SERVICE or ND_PEER */

struct nd_socks;
/* Groups of one network namespace; netns is copied. */
struct nd_socks *nd_socks_new(const char *netns);
void nd_socks_free(struct nd_socks *k);

/* One dump: begin, add for each socket, end. `whole` says that it lists every socket, and is a moment for
 * counters; else only samples and queues are taken. `in` must live until the end. Listeners come first in
 * the kernel's order and must come first in any other. */
void nd_socks_begin(struct nd_socks *k, const struct nd_input *in, bool whole);
/* The sockets of a port that listens now or did before belong to a service. */
void nd_socks_listens(struct nd_socks *k, uint16_t port);
/* No listener was listed: the end with the lower port number is taken for the server. */
void nd_socks_guess(struct nd_socks *k);
/* Returns the entity of its group or listener, or ND_NO_ENTITY when it has none (states without data, limits). */
nd_id nd_socks_add(struct nd_socks *k, struct nd_facts *f, const struct nd_sock *s);
void nd_socks_end(struct nd_socks *k, struct nd_facts *f);

/* Ports worth a closer look: a small tail was seen waiting, a listener's queue is not empty, or too few samples
 * of sockets in use. Returns how many, at most n. */
struct nd_sock_port {
	uint16_t port;
	bool remote; /* the other end's port */
};
uint32_t nd_socks_suspects(const struct nd_socks *k, struct nd_sock_port *ports, uint32_t n);

/* Sockets whose owners are worth a look-up: listeners, and those of groups where a small tail waited. The relation
 * of other groups is marked as not sampled. Returns how many, at most n. */
struct nd_owner_want;
uint32_t nd_socks_wanted(struct nd_socks *k, struct nd_facts *f, struct nd_owner_want *w,
			 uint32_t n);

/* What only the end of the run knows: shares over the window, and times as counters. */
void nd_socks_last(struct nd_socks *k, struct nd_facts *f, const struct nd_input *in);
/* Collectors' finish: connections accepted, where the namespace's counter speaks for a single listener. */
void nd_socks_finish(struct nd_facts *f);

/* "192.0.2.7:443", "[::1]:80"; an IPv4 address mapped into IPv6 is written as IPv4. */
#define ND_SOCK_KEY_MAX 160
void nd_sock_key(const struct nd_sock_addr *a, char out[ND_SOCK_KEY_MAX]);
#endif
