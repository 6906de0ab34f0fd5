/* Bytes of a captured packet, from the link layer to TCP; shared by the decoder and the reader of files. */
#ifndef ND_PCAP_DECODE_H
#define ND_PCAP_DECODE_H

#include "collectors/flow.h"

/* Does the decoder know this link type (DLT_…, as in pcap/dlt.h)? */
bool nd_pcap_knows(int link);
/* Hands the packet, and what a tunnel in it carries, to the analyser. caplen bytes are there of the wirelen that were
 * sent. */
void nd_pcap_decode(struct nd_flows *w, int link, uint64_t t_ns, const uint8_t *data, size_t caplen,
		    size_t wirelen);
#endif
