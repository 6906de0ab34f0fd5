/* Packets of a capture, grouped into connections while they stream by, and what their timing tells.
 *
 * Both front ends, the binary one over libpcap and the one that reads tcpdump's lines, decode a packet into struct
 * nd_packet and know nothing of connections; the analyser knows nothing of files. Memory is bounded by the connections
 * that are open at one time, never by the length of the capture: the oldest one makes room and is counted. */
#ifndef ND_FLOW_H
#define ND_FLOW_H

#include "engine/core/fact.h"

#define ND_FLOWS_MAX 16384u /* open at one time */
#define ND_FLOW_GROUPS_MAX 4096u /* servers: address and port */
#define ND_FLOW_NAMES_MAX 2048u /* host and service names of tcpdump without -n */
#define ND_PORT_NAMED 0x10000u /* a port at or above it is a name: the rest is its number */

/* An address; family 0: a name, whose number is in the first four bytes. */
struct nd_flow_addr {
	uint8_t family; /* 4, 6, or 0 */
	uint8_t ip[16];
};

enum nd_tcp_flag {
	ND_TH_FIN = 1,
	ND_TH_SYN = 2,
	ND_TH_RST = 4,
	ND_TH_PSH = 8,
	ND_TH_ACK = 16,
	ND_TH_URG = 32,
	ND_TH_ECE = 64,
	ND_TH_CWR = 128,
};
enum nd_csum {
	ND_CSUM_UNKNOWN, /* not printed, cut off, or a fragment */
	ND_CSUM_GOOD,
	ND_CSUM_PARTIAL, /* the sum of the pseudo header: the card completes it after the capture */
	ND_CSUM_BAD,
};
enum nd_packet_dir { ND_DIR_UNKNOWN, ND_DIR_IN, ND_DIR_OUT };
enum nd_packet_kind { ND_PK_OTHER, ND_PK_TCP, ND_PK_UDP, ND_PK_NEED_FRAG, ND_PK_UNREACHABLE };

struct nd_packet {
	uint64_t t_ns; /* any origin */
	enum nd_packet_kind kind;
	enum nd_packet_dir dir;
	enum nd_csum csum;
	struct nd_flow_addr src, dst;
	uint32_t sport, dport;
	const char *tunnel; /* of UDP: what it carries, such as "VXLAN"; NULL: nothing known */
	/* need-to-frag and unreachable: src is who says it, dst to whom, target where the packet could not go */
	struct nd_flow_addr target;
	uint32_t mtu;
	/* TCP */
	bool printed; /* numbers may be counted from the first of the connection, as tcpdump prints them */
	bool has_seq, has_ack, has_win, has_ts, dsack, sack;
	uint8_t flags;
	int8_t wscale; /* -1: not offered */
	uint16_t mss; /* 0: not offered */
	uint32_t seq, ack, win, tsval, len; /* len: payload bytes on the wire */
	uint32_t sack_left, sack_right; /* of the first block */
};

struct nd_flows;
struct nd_flows *nd_flows_new(void);
void nd_flows_free(struct nd_flows *w);
/* The number of a name, for nd_flow_addr and ports; full: 0, which is the name "?". */
uint32_t nd_flows_name(struct nd_flows *w, const char *name, size_t len);
void nd_flows_packet(struct nd_flows *w, const struct nd_packet *p);
/* Packets that are not IP, or cannot be decoded. */
void nd_flows_skipped(struct nd_flows *w);
/* Ends all connections and puts the facts. cut: why the capture ends where it does, or NULL when it is whole; timed:
 * packets had times. What another capture has told of the same server stays. */
void nd_flows_put(struct nd_flows *w, struct nd_facts *f, const struct nd_input *in,
		  const char *cut, bool timed);

extern const struct nd_fact_def nd_flow_facts[]; /* ends with name NULL */
#endif
