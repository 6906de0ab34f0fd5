/* The facts of an interface that more than one source can tell, and how its name becomes an entity.
 */
#ifndef ND_NETDEV_H
#define ND_NETDEV_H

#include "engine/core/fact.h"

enum nd_netdev_fact {
	ND_IF_LINK_KIND,
	ND_IF_DRIVER,
	ND_IF_NODE,
	ND_IF_SPEED,
	ND_IF_MTU,
	ND_IF_STATE,
	ND_IF_RX_PACKETS,
	ND_IF_RX_BYTES,
	ND_IF_RX_ERRORS,
	ND_IF_RX_DROPPED,
	ND_IF_RX_MISSED,
	ND_IF_RX_FIFO,
	ND_IF_RX_CRC,
	ND_IF_RX_FRAME,
	ND_IF_RX_NOHANDLER,
	ND_IF_TX_PACKETS,
	ND_IF_TX_BYTES,
	ND_IF_TX_ERRORS,
	ND_IF_TX_DROPPED,
	ND_IF_TX_CARRIER,
	ND_IF_CARRIER_CHANGES,
	ND_IF_CARRIER_DOWNS,
	ND_IF_FACTS
};
extern const struct nd_fact_def nd_netdev_facts[ND_IF_FACTS + 1];

/* What the live collector gives as its source. */
#define ND_NETDEV_NETLINK "rtnetlink RTM_GETLINK"

/* Could a kernel have given an interface this name? */
bool nd_netdev_name_ok(const char *name);
/* The interface of that name in the input's namespace, with the relation to it. */
nd_id nd_netdev_entity(struct nd_facts *f, const char *name, const struct nd_input *in);
/* The text of /sys/class/net/X/speed: Mbit/s; -1, 4294967295 or empty when the link is down or has
 * none. */
void nd_netdev_put_speed(struct nd_facts *f, nd_id on, const char *text, const struct nd_input *in);
/* The text of /sys/class/net/X/device/numa_node: -1 on a machine with one memory node. */
void nd_netdev_put_node(struct nd_facts *f, nd_id on, const char *text, const struct nd_input *in);

/* Reads one file of /sys/class/net/X when the path says that it is one: 1 when not, else 0 or
 * negative errno. */
struct nd_stream;
int nd_netdev_file(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		   struct nd_err *e);

/* One interface of a link dump. */
struct nlmsghdr;
struct nd_netdev_link {
	uint32_t index, master; /* master 0: none */
	char name[16], kind[16], state[16];
	bool loopback, parent; /* parent: the kernel names a device behind it */
	uint32_t mtu;
	uint32_t has; /* a bit for each counter fact that the kernel gave */
	uint64_t counter[ND_IF_FACTS];
};
/* From RTM_NEWLINK. False: not an interface, or too short to be one. */
bool nd_netdev_link(const struct nlmsghdr *h, struct nd_netdev_link *out);
#endif
