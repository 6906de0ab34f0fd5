/* The inside of the grouping, shared by the file that adds sockets and the one that puts facts. */
#ifndef ND_SOCK_IMPL_H
#define ND_SOCK_IMPL_H

#include "collectors/sock_group.h"

/* Cumulative figures of a socket that a group sums up. */
enum nd_sock_sum {
	ND_SS_EXCHANGES,
	ND_SS_BUSY,
	ND_SS_RWND,
	ND_SS_SNDBUF,
	ND_SS_SENT,
	ND_SS_RETRANS,
	ND_SS_RTO,
	ND_SS_ACKED,
	ND_SS_RECEIVED,
	ND_SS_SEGS_SENT,
	ND_SS_SEGS_RETRANS,
	ND_SS_DUPLICATES,
	ND_SS_OOO,
	ND_SS_DROPS,
	ND_SOCK_SUMS
};

/* Figures of a moment, of which a group keeps the largest or the smallest of its sockets. */
enum nd_sock_extreme {
	ND_SX_RECV_Q,
	ND_SX_SEND_Q,
	ND_SX_RETRIES,
	ND_SX_RTO,
	ND_SX_HEARD,
	ND_SX_CWND,
	ND_SX_MSS,
	ND_SX_PMTU,
	ND_SX_RCVBUF,
	ND_SX_SNDBUF,
	ND_SX_DELIVERY_RATE,
	ND_SOCK_EXTREMES
};

#define ND_SOCK_PAIR_MAX 96 /* "192.0.2.7:443 192.0.2.9:40000", cut when longer */

struct nd_sock_group {
	nd_id id;
	bool peer, local;
	uint16_t port;
	bool has_base;
	uint32_t known; /* bits by enum nd_sock_sum: a socket said it */
	double extreme[ND_SOCK_EXTREMES]; /* of this dump; NaN: no socket said it */
	char recv_of[ND_SOCK_PAIR_MAX], send_of[ND_SOCK_PAIR_MAX]; /* whose queue is the largest */
	char congestion[16];
	double loss_based; /* of that one: 1, 0, or NaN */
	double sum[ND_SOCK_SUMS], base[ND_SOCK_SUMS]; /* base: as of the first dump */
	uint32_t rows, hits; /* samples, and those with a small tail waiting */
	double min_rtt;
	uint32_t connections, rtts; /* of this dump */
	double rtt_sum;
	uint32_t gen; /* last dump that met it */
	uint64_t inodes[ND_SOCK_INODES_MAX];
	uint32_t n_inodes;
};
struct nd_sock_listener {
	nd_id id;
	uint16_t port;
	uint32_t gen, queue, backlog, drops;
	uint32_t sockets, waiting; /* all at this address; queue is the fullest's */
	bool drops_known, no_limit;
	uint64_t inodes[ND_SOCK_INODES_MAX];
	uint32_t n_inodes;
};
struct nd_sock_seen {
	uint64_t id;
	uint32_t group, gen; /* gen: the last dump that showed it */
	uint32_t c[ND_SOCK_SUMS]; /* modulo 2^32; times in microseconds */
};
struct nd_sock_seen_table { /* zeros: empty */
	struct nd_sock_seen *v;
	uint32_t n, cap;
	uint32_t *slots, cap_slots;
	uint32_t next; /* the kernel dumps in one order: where the next one was the last time */
};
struct nd_socks {
	char netns[64];
	struct nd_input in;
	bool whole, guess, truncated;
	uint32_t gen, dumps; /* dumps: whole ones */
	uint64_t t_ns, before_ns,
		first_ns; /* of this dump, the one before and the first whole one */
	uint64_t listens[65536 / 64];
	struct nd_sock_group *groups;
	uint32_t n_groups, cap_groups, n_of[2];
	struct nd_sock_listener *listeners;
	uint32_t n_listeners, cap_listeners;
	uint32_t *place; /* entity → index of its group or listener, + 1 */
	uint32_t n_place;
	struct nd_sock_seen_table seen;
	uint32_t whole_gen; /* the whole dump before this one */
};
/* Remembers a descriptor for the owner look-up, each once. */
void nd_sock_inode(uint64_t *inodes, uint32_t *n, uint64_t inode);

/* sock_seen.c: what it had counted. NULL: not seen. */
struct nd_sock_seen *nd_sock_seen_find(struct nd_sock_seen_table *t, uint64_t id);
/* A new one, with zeros. Sockets that were not seen since dump `since` may be forgotten; what was found before may move. */
struct nd_sock_seen *nd_sock_seen_add(struct nd_sock_seen_table *t, uint64_t id, uint32_t since);
/* By how much the count grew to `now`, in its own unit, which is kept. */
double nd_sock_seen_gain(struct nd_sock_seen *e, enum nd_sock_sum sum, double now);
void nd_sock_seen_free(struct nd_sock_seen_table *t);

/* sock_row.c: what a dump says of a socket now. */
void nd_sock_row_put(struct nd_facts *f, struct nd_sock_group *g, const struct nd_sock *s,
		     double busy);
void nd_sock_extremes_clear(struct nd_sock_group *g);
void nd_sock_extremes_add(struct nd_sock_group *g, const struct nd_sock *s);
void nd_sock_extremes_put(struct nd_facts *f, const struct nd_sock_group *g,
			  const struct nd_input *in);
#endif
