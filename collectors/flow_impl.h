/* The inside of the flow analyser: a connection's two halves, the sums of a server, the table of connections. */
#ifndef ND_FLOW_IMPL_H
#define ND_FLOW_IMPL_H

#include "collectors/flow.h"

#define ND_MSEC 1000000ull

/* Numbers of a server, in the order of their facts. */
enum nd_flow_count {
#define COUNT(id, name, doc) ND_FC_##id,
#include "collectors/flow.def"
#undef COUNT
	ND_FLOW_COUNTS
};
/* Distributions of times. */
enum nd_flow_hist {
	ND_FH_HANDSHAKE,
	ND_FH_SYNACK,
	ND_FH_FINAL_ACK,
	ND_FH_RTO,
	ND_FH_HOLD,
	ND_FH_THINK,
	ND_FLOW_HISTS
};
/* Which end did it: events of the client and of the server. */
enum nd_flow_who {
	ND_FW_RETRANS,
	ND_FW_ZERO_WINDOW,
	ND_FW_RESET,
	ND_FW_HOLD,
	ND_FW_STUCK,
	ND_FLOW_WHOS
};

struct nd_half { /* what one end sends */
	uint32_t base; /* first sequence number; what printed numbers may be counted from */
	uint32_t next; /* behind the highest byte seen */
	uint32_t acked; /* behind the highest byte that the other end acknowledged */
	uint32_t last_seq, last_len; /* of the last new data */
	uint32_t last_tsval;
	uint32_t packets, segments;
	uint32_t win, run,
		storm; /* run: duplicate ACKs in a row that it sent; storm: nothing new by either end */
	uint32_t again_seq, again_len, tries; /* the segment that is sent again and again */
	uint32_t biggest, biggest_end,
		biggest_acked; /* payloads; end: of the latest of that size */
	uint32_t hole, hole_end; /* not seen yet, later bytes were; equal: none */
	uint32_t timed_end; /* a segment whose ACK is awaited, for the round trip */
	uint64_t timed_ns,
		rtt_ns; /* rtt: smallest from here to the other end and back; 0: unknown */
	uint64_t last_ns, data_ns, run_ns,
		hole_ns; /* last packet, last data, first of the run, hole seen */
	uint64_t zero_ns, zero_sum_ns; /* window shut since; in all */
	uint64_t silent_ns; /* when unanswered data was first sent */
	uint64_t ack_ns,
		ack_wait_ns; /* a pure ACK for all, and how long it had let the other end wait */
	uint16_t mss;
	int8_t wscale;
	bool has_seq, has_acked, syn, fin, timing, idle_before, sacked;
	uint8_t syns; /* SYNs or SYN-ACKs sent */
	uint32_t bad_open; /* packets with a wrong checksum that nothing answered so far */
};
struct nd_flow {
	struct nd_flow_addr addr[2];
	uint32_t port[2];
	uint32_t hash, chain; /* chain: next in the bucket, + 1 */
	uint32_t newer, older; /* by last packet */
	uint32_t group;
	struct nd_half half[2];
	uint64_t syn_ns, synack_ns, first_ns, last_ns;
	uint8_t server; /* which half */
	bool sure; /* the server was told by a handshake */
	bool established, closed, reset, reused, request_pending, ecn;
	bool ignored_accept;
};

#define ND_FLOW_BUCKETS 72
struct nd_flow_group {
	struct nd_flow_addr addr;
	uint32_t port;
	bool udp;
	uint64_t count[ND_FLOW_COUNTS];
	uint32_t *hist[ND_FLOW_HISTS];
	uint32_t who[ND_FLOW_WHOS][2]; /* client, server */
	uint32_t near[2]; /* evidence that the capture was made at the client, at the server */
	uint64_t rtt_ns, zero_ns, zero_max_ns, silent_max_ns, idle_ns; /* 0: none */
	uint32_t mss[2], stuck_size, mtu, passed;
	const char *tunnel;
	bool merged, timed;
};
struct nd_pair { /* a need-to-frag that was seen */
	struct nd_flow_addr from, to;
	uint32_t mtu;
};
#define ND_PAIRS_MAX 64u
struct nd_flows {
	struct nd_flow *flow;
	uint32_t *bucket; /* index + 1 */
	uint32_t n, cap, newest, oldest;
	struct nd_flow_group *group;
	uint32_t n_groups, cap_groups;
	uint32_t group_bucket[1024];
	uint32_t *group_chain;
	struct nd_arena names_arena;
	char **name;
	uint32_t n_names, cap_names;
	struct nd_pair pair[ND_PAIRS_MAX];
	uint32_t n_pairs;
	uint64_t packets, skipped, flows, evicted, first_ns, last_ns;
};

/* The times between which bucket i counts, ns. */
extern const uint64_t nd_flow_edges[ND_FLOW_BUCKETS + 1];
void nd_flow_sample(struct nd_flow_group *g, enum nd_flow_hist which, uint64_t ns);
/* The group of a server; the last one stands for all when there are too many. */
struct nd_flow_group *nd_flow_group(struct nd_flows *w, const struct nd_flow_addr *a, uint32_t port,
				    bool udp);
/* One TCP segment sent by half `from`. */
void nd_flow_segment(struct nd_flows *w, struct nd_flow *x, unsigned from,
		     const struct nd_packet *p);
/* What only the end of a connection tells. now: the capture's last moment. */
void nd_flow_end(struct nd_flows *w, struct nd_flow *x);
/* A half whose largest segment is sent again and again although smaller ones pass. */
bool nd_flow_is_stuck(const struct nd_half *h);
/* An address as text, as in the keys of peers. */
void nd_flow_key(const struct nd_flows *w, const struct nd_flow_addr *a, uint32_t port, char *out,
		 size_t size);
#endif
