/* Network interfaces of the running host: one link dump for counters and kinds, sysfs for what it
 * lacks.
 *
 * IFLA_STATS64 and not /proc/net/dev, which adds up what must be told apart: its "drop" is
 * rx_dropped (refused by the stack, also frames for unknown protocols) plus rx_missed_errors (the
 * card had no buffer). A device in sysfs makes an interface physical, virtual machines' cards
 * included; some drivers of real cards (ipoib, wwan) name a link kind too, so the device decides
 * first. */
#include "collectors/netdev.h"

#include "collectors/collector.h"
#include "collectors/netlink.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if_arp.h>
#include <sys/socket.h>

#define LINKS_MAX 16384 /* interfaces of one namespace */

/* ---- messages ---- */

#define STAT(fact, field)                                                                          \
	{                                                                                          \
		fact, offsetof(struct rtnl_link_stats64, field)                                    \
	}
static const struct {
	enum nd_netdev_fact fact;
	size_t offset; /* of a u64 */
} stats[] = {
	STAT(ND_IF_RX_PACKETS, rx_packets),	   STAT(ND_IF_RX_BYTES, rx_bytes),
	STAT(ND_IF_RX_ERRORS, rx_errors),	   STAT(ND_IF_RX_DROPPED, rx_dropped),
	STAT(ND_IF_RX_MISSED, rx_missed_errors),   STAT(ND_IF_RX_FIFO, rx_fifo_errors),
	STAT(ND_IF_RX_CRC, rx_crc_errors),	   STAT(ND_IF_RX_NOHANDLER, rx_nohandler), /* 4.6 */
	STAT(ND_IF_TX_PACKETS, tx_packets),	   STAT(ND_IF_TX_BYTES, tx_bytes),
	STAT(ND_IF_TX_ERRORS, tx_errors),	   STAT(ND_IF_TX_DROPPED, tx_dropped),
	STAT(ND_IF_TX_CARRIER, tx_carrier_errors),
};

/* RFC 2863 by number, as sysfs names them. */
static const char *const states[] = {"unknown", "notpresent", "down", "lowerlayerdown",
				     "testing", "dormant",    "up"};

static void take_counter(struct nd_netdev_link *l, enum nd_netdev_fact fact, uint64_t v)
{
	l->counter[fact] = v;
	l->has |= 1u << fact;
}

static void take_stats(struct nd_netdev_link *l, const struct nd_nl_attr *a)
{
	for (unsigned i = 0; i < ND_ARRAY_LEN(stats); i++) {
		uint64_t v;

		if (stats[i].offset + sizeof(v) > a->len)
			continue;
		memcpy(&v, (const char *)a->data + stats[i].offset, sizeof(v));
		take_counter(l, stats[i].fact, v);
	}
}

static void take_kind(struct nd_netdev_link *l, const struct nd_nl_attr *info)
{
	struct nd_nl_iter it = nd_nl_nested(info);
	struct nd_nl_attr a;

	while (nd_nl_next(&it, &a))
		if (a.type == IFLA_INFO_KIND && !nd_nl_text(&a, l->kind, sizeof(l->kind)))
			snprintf(l->kind, sizeof(l->kind),
				 "virtual"); /* longer than any that we know */
}

static void take_attribute(struct nd_netdev_link *l, const struct nd_nl_attr *a)
{
	uint32_t v32;
	uint8_t v8;

	if (a->type == IFLA_IFNAME)
		(void)nd_nl_text(a, l->name, sizeof(l->name)); /* checked by the caller */
	else if (a->type == IFLA_STATS64)
		take_stats(l, a);
	else if (a->type == IFLA_LINKINFO)
		take_kind(l, a);
	else if (a->type == IFLA_PARENT_DEV_NAME) /* 5.14 */
		l->parent = true;
	else if (a->type == IFLA_OPERSTATE && nd_nl_u8(a, &v8) && v8 < ND_ARRAY_LEN(states))
		snprintf(l->state, sizeof(l->state), "%s", states[v8]);
	else if (a->type == IFLA_MTU && nd_nl_u32(a, &v32))
		l->mtu = v32;
	else if (a->type == IFLA_MASTER && nd_nl_u32(a, &v32))
		l->master = v32;
	else if (a->type == IFLA_CARRIER_CHANGES && nd_nl_u32(a, &v32))
		take_counter(l, ND_IF_CARRIER_CHANGES, v32);
	else if (a->type == IFLA_CARRIER_DOWN_COUNT && nd_nl_u32(a, &v32)) /* 4.16 */
		take_counter(l, ND_IF_CARRIER_DOWNS, v32);
}

bool nd_netdev_link(const struct nlmsghdr *h, struct nd_netdev_link *out)
{
	struct ifinfomsg info;
	const void *data = nd_nl_payload(h, sizeof(info), NULL);
	struct nd_nl_iter it;
	struct nd_nl_attr a;

	if (h->nlmsg_type != RTM_NEWLINK || !data)
		return false;
	memcpy(&info, data, sizeof(info));
	*out = (struct nd_netdev_link){.index = (uint32_t)info.ifi_index,
				       .loopback = info.ifi_type == ARPHRD_LOOPBACK};
	it = nd_nl_attrs(h, sizeof(info));
	while (nd_nl_next(&it, &a))
		take_attribute(out, &a);
	return nd_netdev_name_ok(out->name);
}

/* ---- live ---- */

struct links {
	struct nd_netdev_link *l;
	uint32_t n, cap;
	bool full;
};

static int collect(const struct nlmsghdr *h, void *ctx)
{
	struct links *links = ctx;
	struct nd_netdev_link one;

	if (!nd_netdev_link(h, &one))
		return 0;
	if (links->n == LINKS_MAX) {
		links->full = true;
		return 0;
	}
	ND_GROW(links->l, links->n, links->cap);
	links->l[links->n++] = one;
	return 0;
}

static void forget(void *ctx)
{
	struct links *links = ctx;

	links->n = 0;
	links->full = false;
}

static int dump(struct nd_nl **nl, struct links *links, struct nd_err *e)
{
	const struct ifinfomsg all = {.ifi_family = AF_UNSPEC};
	const struct nd_nl_request request = {RTM_GETLINK, &all,   sizeof(all),
					      collect,	   forget, links};

	return nd_nl_dump_calm(nl, NETLINK_ROUTE, &request, e);
}

static bool has_device(struct nd_live *l, const struct nd_netdev_link *link)
{
	char path[128], target[512];

	snprintf(path, sizeof(path), "/sys/class/net/%s/device", link->name);
	return nd_source_link(l->source, path, target, sizeof(target)) == 0 || link->parent;
}

static void put_driver(struct nd_live *l, struct nd_facts *f, nd_id on, const char *name)
{
	char path[128], target[512];
	const char *base;

	snprintf(path, sizeof(path), "/sys/class/net/%s/device/driver", name);
	if (nd_source_link(l->source, path, target, sizeof(target)) != 0)
		return; /* ethtool may know it */
	base = strrchr(target, '/');
	l->in.path = path;
	nd_put_text(f, on, &nd_netdev_facts[ND_IF_DRIVER], base ? base + 1 : target, &l->in);
}

/* virtio's device has no node of its own; that of the bus device around it counts. */
static void put_node(struct nd_live *l, struct nd_facts *f, nd_id on, const char *name)
{
	static const char *const places[] = {"device/numa_node", "device/../numa_node"};
	char path[128], text[32];

	l->in.path = path;
	for (unsigned i = 0; i < ND_ARRAY_LEN(places); i++) {
		snprintf(path, sizeof(path), "/sys/class/net/%s/%s", name, places[i]);
		if (nd_source_text(l->source, path, text, sizeof(text)) == 0) {
			nd_netdev_put_node(f, on, nd_trim(text), &l->in);
			return;
		}
	}
	nd_put_missing(f, on, &nd_netdev_facts[ND_IF_NODE], ND_NOT_ON_THIS_KERNEL,
		       "%s tells no NUMA node", path);
}

/* What does not move, when an interface is seen for the first time. */
static void put_still(struct nd_live *l, struct nd_facts *f, nd_id on,
		      const struct nd_netdev_link *link)
{
	const bool device = !link->loopback && has_device(l, link);
	const char *kind = link->kind[0] ? link->kind : "virtual";
	char path[128], text[32] = "";
	bool sysfs;

	snprintf(path, sizeof(path), "/sys/class/net/%s/ifindex", link->name);
	sysfs = nd_source_text(l->source, path, text, sizeof(text)) == 0;
	l->in.path = ND_NETDEV_NETLINK;
	if (!device && !link->loopback && !link->kind[0] && !sysfs)
		nd_put_missing(f, on, &nd_netdev_facts[ND_IF_LINK_KIND], ND_NO_PERMISSION,
			       "%s cannot be read: is there a device behind it?", path);
	else
		nd_put_text(f, on, &nd_netdev_facts[ND_IF_LINK_KIND],
			    link->loopback ? "loopback"
			    : device	   ? "physical"
					   : kind,
			    &l->in);
	if (!device && sysfs) {
		nd_put_absent(f, on, &nd_netdev_facts[ND_IF_DRIVER], &l->in);
		nd_put_absent(f, on, &nd_netdev_facts[ND_IF_NODE], &l->in);
	} else if (device) {
		put_driver(l, f, on, link->name);
		put_node(l, f, on, link->name);
	}
	snprintf(path, sizeof(path), "/sys/class/net/%s/speed", link->name);
	if (nd_source_text(l->source, path, text, sizeof(text)) != 0)
		text[0] = '\0';
	l->in.path = path;
	nd_netdev_put_speed(f, on, nd_trim(text), &l->in);
	l->in.path = ND_NETDEV_NETLINK;
}

static void put_master(struct nd_facts *f, nd_id on, const struct nd_netdev_link *link,
		       const struct links *links, const struct nd_input *in)
{
	if (!link->master)
		nd_relate_none(f, on, ND_IFACE_MASTER);
	for (uint32_t i = 0; link->master && i < links->n; i++)
		if (links->l[i].index == link->master)
			nd_relate(f, on, ND_IFACE_MASTER,
				  nd_netdev_entity(f, links->l[i].name, in));
}

static void put_link(struct nd_facts *f, nd_id on, const struct nd_netdev_link *link,
		     const struct nd_input *in)
{
	for (unsigned i = ND_IF_RX_PACKETS; i < ND_IF_FACTS; i++) {
		if (i == ND_IF_RX_FRAME)
			continue; /* a sum that others make; the kernel gives its parts */
		if (link->has >> i & 1)
			nd_put_reading(f, on, &nd_netdev_facts[i], link->counter[i], in);
		else
			nd_put_missing(f, on, &nd_netdev_facts[i], ND_NOT_ON_THIS_KERNEL,
				       "the kernel does not tell it");
	}
	nd_put_num(f, on, &nd_netdev_facts[ND_IF_MTU], link->mtu, in);
	if (link->state[0])
		nd_put_text(f, on, &nd_netdev_facts[ND_IF_STATE], link->state, in);
}

static bool is_known(const struct nd_facts *f, nd_id on)
{
	nd_fact_id id = nd_registry_find(nd_facts_registry(f), ND_IFACE,
					 nd_netdev_facts[ND_IF_LINK_KIND].name);

	return nd_get(f, on, id, ND_BARE).type == ND_V_TEXT;
}

static int live(struct nd_live *l, struct nd_facts *f, struct nd_err *e)
{
	struct links links = {0};
	int rc = dump((struct nd_nl **)l->state, &links, e);

	l->in.path = ND_NETDEV_NETLINK;
	for (uint32_t i = 0; rc >= 0 && i < links.n; i++) {
		nd_id on = nd_netdev_entity(f, links.l[i].name, &l->in);

		if (!is_known(f, on))
			put_still(l, f, on, &links.l[i]);
		put_link(f, on, &links.l[i], &l->in);
		put_master(f, on, &links.l[i], &links, &l->in);
	}
	if (links.full)
		nd_kind_missing(f, ND_IFACE, ND_TRUNCATED, "only the first %d interfaces were read",
				LINKS_MAX);
	free(links.l);
	return rc < 0 ? rc : 0;
}

static void end(void *state)
{
	nd_nl_close(state);
}

/* rtnetlink has the sum of what ifconfig counts apart. */
static void finish(struct nd_facts *f)
{
	nd_fact_missing(f, &nd_netdev_facts[ND_IF_RX_FRAME], ND_TOOL_OUTPUT_ABSENT,
			"only ifconfig and a copied /proc/net/dev tell it");
}

const struct nd_collector nd_collector_netdev = {
	.name = "netdev",
	.doc = "network interfaces: kind, speed, packets, errors, drops, link losses",
	.collect = "ip -s -s -d link",
	.facts = nd_netdev_facts,
	.entities = {ND_IFACE, ND_NO_KIND},
	.live = live,
	.finish = finish,
	.end = end,
};
