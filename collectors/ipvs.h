/* The facts of IPVS, the kernel's load balancer: services, real servers, connections. */
#ifndef ND_IPVS_H
#define ND_IPVS_H

#include "collectors/collector.h"

enum nd_ipvs_fact {
	ND_VS_SERVICES, /* of a namespace */
	ND_VS_TRACKED,
	ND_VS_CONNS,
	ND_VS_TIMEOUT_TCP,
	ND_VS_TIMEOUT_FIN,
	ND_VS_TIMEOUT_UDP,
	ND_VS_SERVICE, /* of a backend */
	ND_VS_VIRTUAL,
	ND_VS_ADDRESS,
	ND_VS_LISTED,
	ND_VS_FORWARD,
	ND_VS_WEIGHT,
	ND_VS_ACTIVE,
	ND_VS_INACTIVE,
	ND_VS_BACKEND_CONNS,
	ND_VS_OPEN,
	ND_VS_CLOSED,
	ND_VS_DATAGRAMS,
	ND_VS_FACTS
};
extern const struct nd_fact_def nd_ipvs_facts[ND_VS_FACTS + 1]; /* ends with name NULL */

/* "C0A80001:01BB" and "[2001:0db8:…]:0050" of /proc/net/ip_vs as people write them; other texts unchanged. False if
 * it is no address with a port or does not fit. */
bool nd_ipvs_address(const char *word, char *out, size_t size);

/* One line of a connection list, /proc/net/ip_vs_conn or `ipvsadm -lnc`. */
struct nd_ipvs_conn {
	char protocol[8], virtual_[64], real[64], state[16];
};
bool nd_ipvs_conn_line(char *line, struct nd_ipvs_conn *out);

/* The entity of a real server; protocol in lower case. */
nd_id nd_ipvs_backend(struct nd_facts *f, const char *protocol, const char *virtual_,
		      const char *real, const struct nd_input *in);
#endif
