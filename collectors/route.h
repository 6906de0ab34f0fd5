/* What rules ask of the routing tables of a namespace: is there a default route, over how many
 * interfaces, is one network on two of them. Shared by /proc/net/route and the texts of the tools.
 *
 * The table itself is not kept: a router's has a million rows. */
#ifndef ND_ROUTE_H
#define ND_ROUTE_H

#include "collectors/collector.h"

enum nd_route_fact {
	ND_RT_COUNT,
	ND_RT_DEFAULT,
	ND_RT_DEFAULT_IFACES,
	ND_RT_DEFAULT_NAMES,
	ND_RT_SHARED,
	ND_RT_SHARED_NAMES,
	ND_RT_REFUSING,
	ND_RT6_DEFAULT,
	ND_RT6_CACHED,
	ND_RT_RULES,
	ND_ROUTE_FACTS
};
extern const struct nd_fact_def nd_route_facts[]; /* by nd_route_fact; ends with name NULL */

#define ND_ROUTES_MAX 20000u /* rows that are read of one table */
#define ND_ROUTE_LINKS_MAX 256u /* networks on an interface that are compared with each other */
#define ND_ROUTE_NAME 16u /* of an interface, with its end */

struct nd_route_link {
	uint32_t net; /* in the order of the network */
	uint8_t bits; /* of its mask */
	char iface[ND_ROUTE_NAME];
};
struct nd_routes {
	uint32_t n, defaults, refusing;
	char default_ifaces[8][ND_ROUTE_NAME];
	uint32_t n_default_ifaces;
	struct nd_route_link links[ND_ROUTE_LINKS_MAX];
	uint32_t n_links;
	bool truncated;
};
/* One usable route out of an interface (NULL: not said). */
void nd_routes_default(struct nd_routes *t, const char *iface);
void nd_routes_link(struct nd_routes *t, uint32_t net, uint8_t bits, const char *iface);
/* The IPv4 facts of a namespace from its whole main table. */
void nd_routes_put(const struct nd_routes *t, struct nd_facts *f, const struct nd_input *in);
#endif
