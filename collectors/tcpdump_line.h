/* One line of tcpdump's output as a packet; shared by the line's parser and the reader of whole texts. */
#ifndef ND_TCPDUMP_LINE_H
#define ND_TCPDUMP_LINE_H

#include "collectors/flow.h"

/* What the first line of -v says for the second one. */
struct nd_tcpdump_head {
	bool given;
	uint32_t l4_len; /* bytes of transport header and payload; 0: not said */
	uint8_t proto; /* 6, 17; 0: not said */
	enum nd_packet_dir dir;
};
/* "A > B: rest" at body, which is modified. False: it is no packet that matters here; p->kind is then undefined. Behind
 * GRE and IPIP it is the inner packet that counts. */
bool nd_tcpdump_packet(struct nd_flows *w, char *body, const struct nd_tcpdump_head *head,
		       struct nd_packet *p);
/* Numbers within text: digits at s, up to max. The character behind them, or NULL when there are none. */
const char *nd_tcpdump_number(const char *s, uint64_t max, uint64_t *out);
#endif
