/* Network interfaces of the running host: one link dump for counters and kinds, sysfs for what it lacks.
 *
 * IFLA_STATS64 and not /proc/net/dev, which adds up what must be told apart: its "drop" is rx_dropped (refused
 * by the stack, also frames for unknown protocols) plus rx_missed_errors (the card had no buffer). A device
 * in sysfs makes an interface physical, virtual machines' cards included; some drivers of real cards
 * (ipoib, wwan) name a link kind too, so the device decides first. */
#include "collectors/netdev.h"

#include "collectors/collector.h"
#include "collectors/netlink.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <sys/socket.h>

#define LINKS_MAX 16384 /* interfaces of one namespace */
#define TRIES 3		/* dumps, until one was not disturbed by links that came or went */

#define COUNTER(n, what, text)                                                                     \
	{ .name = n, .on = ND_IFACE, .type = ND_T_NUMBER, .unit = what, .width = ND_COUNTER64,      \
	  .doc = text, .reproduce = "ip -s -s link show dev {key}" }
#define SYSFS(n, fact_type, what, file, text)                                                      \
	{ .name = n, .on = ND_IFACE, .type = fact_type, .unit = what, .doc = text,                  \
	  .reproduce = "cat /sys/class/net/{key}/" file }

const struct nd_fact_def nd_netdev_facts[ND_IF_FACTS + 1] = {
	[ND_IF_LINK_KIND] = { .name = "link_kind",
			      .on = ND_IFACE,
			      .type = ND_T_TEXT,
			      .doc = "physical (also a virtual machine's card), loopback, veth, bridge, bond, "
				     "vlan, tun, ifb, vxlan, …, else virtual",
			      .reproduce = "ip -d link show dev {key}" },
	[ND_IF_DRIVER] = { .name = "driver",
			   .on = ND_IFACE,
			   .type = ND_T_TEXT,
			   .doc = "kernel driver of the device; absent when there is no device",
			   .reproduce = "ethtool -i {key}" },
	[ND_IF_NODE] = SYSFS("node", ND_T_NUMBER, ND_U_COUNT, "device/numa_node",
			     "NUMA node that the device is attached to; absent with one node"),
	[ND_IF_SPEED] = SYSFS("speed", ND_T_NUMBER, ND_U_BITS_PER_SECOND, "speed", "speed of the link"),
	[ND_IF_MTU] = SYSFS("mtu", ND_T_NUMBER, ND_U_BYTES, "mtu", "largest packet that it sends"),
	[ND_IF_STATE] = SYSFS("state", ND_T_TEXT, ND_U_NONE, "operstate",
			      "up, down, lowerlayerdown, dormant, …; unknown where the driver does not tell"),
	[ND_IF_RX_PACKETS] = COUNTER("rx.packets", ND_U_COUNT, "packets received"),
	[ND_IF_RX_BYTES] = COUNTER("rx.bytes", ND_U_BYTES, "bytes received"),
	[ND_IF_RX_ERRORS] = COUNTER("rx.errors", ND_U_COUNT, "damaged packets received, all reasons"),
	[ND_IF_RX_DROPPED] = COUNTER("rx.dropped", ND_U_COUNT,
				     "packets received and dropped, also for unknown protocols; ifconfig, "
				     "netstat -i and /proc/net/dev count rx.missed in it"),
	[ND_IF_RX_MISSED] = COUNTER("rx.missed", ND_U_COUNT,
				    "packets that the device dropped for lack of host buffers, where the driver tells"),
	[ND_IF_RX_FIFO] = COUNTER("rx.fifo", ND_U_COUNT, "packets lost to an overrun of the device's queue"),
	[ND_IF_RX_CRC] = COUNTER("rx.crc", ND_U_COUNT, "packets received with a wrong checksum of the frame"),
	[ND_IF_RX_NOHANDLER] = COUNTER("rx.nohandler", ND_U_COUNT,
				       "packets dropped on an inactive member of a bond or team"),
	[ND_IF_TX_PACKETS] = COUNTER("tx.packets", ND_U_COUNT, "packets sent"),
	[ND_IF_TX_BYTES] = COUNTER("tx.bytes", ND_U_BYTES, "bytes sent"),
	[ND_IF_TX_ERRORS] = COUNTER("tx.errors", ND_U_COUNT, "packets that could not be sent, all reasons"),
	[ND_IF_TX_DROPPED] = COUNTER("tx.dropped", ND_U_COUNT, "packets dropped on their way out by the device"),
	[ND_IF_TX_CARRIER] = COUNTER("tx.carrier", ND_U_COUNT, "packets lost on the way out to a missing carrier"),
	[ND_IF_CARRIER_CHANGES] = COUNTER("carrier.changes", ND_U_COUNT, "times that the link came or went"),
	[ND_IF_CARRIER_DOWNS] = COUNTER("carrier.downs", ND_U_COUNT, "times that the link went down"),
	{ 0 },
};

/* ---- shared with the readers of text ---- */

bool nd_netdev_name_ok(const char *name)
{
	size_t n = strlen(name);

	if (n == 0 || n >= IF_NAMESIZE || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return false;
	for (; *name; name++)
		if ((unsigned char)*name <= ' ' || *name == '/' || *name == ':' || *name == 0x7f)
			return false;
	return true;
}

nd_id nd_netdev_entity(struct nd_facts *f, const char *name, const struct nd_input *in)
{
	nd_id on = nd_entity_in(f, ND_IFACE, name, in->netns);
	struct nd_links known = nd_related(f, on, ND_IFACE_NETNS, false);

	if (known.why != ND_PRESENT || known.n == 0)
		nd_relate(f, on, ND_IFACE_NETNS, nd_entity(f, ND_NETNS, in->netns ? in->netns : "host"));
	return on;
}

void nd_netdev_put_speed(struct nd_facts *f, nd_id on, const char *text, const struct nd_input *in)
{
	int64_t mbit = -1;

	if (*text && !nd_parse_i64(text, &mbit))
		nd_put_missing(f, on, &nd_netdev_facts[ND_IF_SPEED], ND_PARSE_ERROR, "%s: expected Mbit/s, found '%.40s'",
			       in->path, text);
	else if (mbit <= 0 || mbit >= UINT32_MAX)
		nd_put_missing(f, on, &nd_netdev_facts[ND_IF_SPEED], ND_NOT_ON_THIS_KERNEL,
			       "the link is down, or its driver tells no speed");
	else
		nd_put_num(f, on, &nd_netdev_facts[ND_IF_SPEED], (double)mbit * 1e6 / 8, in);
}

void nd_netdev_put_node(struct nd_facts *f, nd_id on, const char *text, const struct nd_input *in)
{
	int64_t node;

	if (!nd_parse_i64(text, &node))
		nd_put_missing(f, on, &nd_netdev_facts[ND_IF_NODE], ND_PARSE_ERROR, "%s: expected a number, found '%.40s'",
			       in->path, text);
	else if (node < 0)
		nd_put_absent(f, on, &nd_netdev_facts[ND_IF_NODE], in);
	else
		nd_put_num(f, on, &nd_netdev_facts[ND_IF_NODE], (double)node, in);
}

static const struct {
	const char *name;
	enum nd_netdev_fact fact;
} files[] = {
	{ "speed", ND_IF_SPEED },
	{ "numa_node", ND_IF_NODE },
	{ "mtu", ND_IF_MTU },
	{ "operstate", ND_IF_STATE },
	{ "carrier_changes", ND_IF_CARRIER_CHANGES },
	{ "carrier_down_count", ND_IF_CARRIER_DOWNS },
};

/* "…/class/net/eth0/device/numa_node", perhaps with a moment or a suffix behind it. */
static bool fact_of_path(const char *path, enum nd_netdev_fact *fact)
{
	const char *base = strrchr(path, '/');

	if (!base || !strstr(path, "net/"))
		return false;
	base++;
	for (size_t i = 0; i < ND_ARRAY_LEN(files); i++) {
		char behind = '?';

		*fact = files[i].fact;
		if (nd_starts(base, files[i].name))
			behind = base[strlen(files[i].name)];
		if (behind == '\0' || behind == '@' || behind == '.')
			return true;
	}
	return false;
}

static bool put_file(struct nd_facts *f, nd_id on, enum nd_netdev_fact fact, const char *text, const struct nd_input *in)
{
	uint64_t v;

	if (fact == ND_IF_SPEED)
		nd_netdev_put_speed(f, on, text, in); /* empty: reading it fails while the link is down */
	else if (fact == ND_IF_NODE)
		nd_netdev_put_node(f, on, text, in);
	else if (fact == ND_IF_STATE && *text)
		nd_put_text(f, on, &nd_netdev_facts[fact], text, in);
	else if (fact == ND_IF_STATE || !nd_parse_u64(text, 10, &v))
		return false;
	else if (fact == ND_IF_MTU)
		nd_put_num(f, on, &nd_netdev_facts[fact], (double)v, in);
	else
		nd_put_reading(f, on, &nd_netdev_facts[fact], v, in);
	return true;
}

int nd_netdev_file(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f, struct nd_err *e)
{
	enum nd_netdev_fact fact;
	char nothing[] = "";
	char *line;

	if (!in->arg || !fact_of_path(in->path, &fact))
		return 1;
	if (!nd_netdev_name_ok(in->arg))
		return nd_parse_fail(in, s, e, "an interface's name in the path", in->arg);
	line = nd_stream_line(s);
	line = nd_trim(line ? line : nothing);
	if (!put_file(f, nd_netdev_entity(f, in->arg, in), fact, line, in))
		return nd_parse_fail(in, s, e, fact == ND_IF_STATE ? "a state" : "a number", line);
	return 0;
}

/* ---- messages ---- */

#define STAT(fact, field) { fact, offsetof(struct rtnl_link_stats64, field) }
static const struct {
	enum nd_netdev_fact fact;
	size_t offset; /* of a u64 */
} stats[] = {
	STAT(ND_IF_RX_PACKETS, rx_packets),	 STAT(ND_IF_RX_BYTES, rx_bytes),
	STAT(ND_IF_RX_ERRORS, rx_errors),	 STAT(ND_IF_RX_DROPPED, rx_dropped),
	STAT(ND_IF_RX_MISSED, rx_missed_errors), STAT(ND_IF_RX_FIFO, rx_fifo_errors),
	STAT(ND_IF_RX_CRC, rx_crc_errors),	 STAT(ND_IF_RX_NOHANDLER, rx_nohandler), /* 4.6 */
	STAT(ND_IF_TX_PACKETS, tx_packets),	 STAT(ND_IF_TX_BYTES, tx_bytes),
	STAT(ND_IF_TX_ERRORS, tx_errors),	 STAT(ND_IF_TX_DROPPED, tx_dropped),
	STAT(ND_IF_TX_CARRIER, tx_carrier_errors),
};

/* RFC 2863 by number, as sysfs names them. */
static const char *const states[] = { "unknown", "notpresent", "down", "lowerlayerdown", "testing", "dormant", "up" };

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
			snprintf(l->kind, sizeof(l->kind), "virtual"); /* longer than any that we know */
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
	*out = (struct nd_netdev_link){ .index = (uint32_t)info.ifi_index, .loopback = info.ifi_type == ARPHRD_LOOPBACK };
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

/* All links, from a dump that nothing disturbed if there is one within TRIES. */
static int dump(struct nd_nl **nl, struct links *links, struct nd_err *e)
{
	const struct ifinfomsg all = { .ifi_family = AF_UNSPEC };
	int rc = 0;

	if (!*nl)
		*nl = nd_nl_open(NETLINK_ROUTE, &rc, e);
	if (!*nl)
		return rc;
	rc = ND_NL_CHANGED;
	for (int i = 0; i < TRIES && rc == ND_NL_CHANGED; i++) {
		links->n = 0;
		rc = nd_nl_dump(*nl, RTM_GETLINK, &all, sizeof(all), collect, links, e);
	}
	if (rc < 0) {
		nd_nl_close(*nl);
		*nl = NULL;
	}
	return rc;
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
	static const char *const places[] = { "device/numa_node", "device/../numa_node" };
	char path[128], text[32];

	l->in.path = path;
	for (unsigned i = 0; i < ND_ARRAY_LEN(places); i++) {
		snprintf(path, sizeof(path), "/sys/class/net/%s/%s", name, places[i]);
		if (nd_source_text(l->source, path, text, sizeof(text)) == 0) {
			nd_netdev_put_node(f, on, nd_trim(text), &l->in);
			return;
		}
	}
	nd_put_missing(f, on, &nd_netdev_facts[ND_IF_NODE], ND_NOT_ON_THIS_KERNEL, "%s tells no NUMA node", path);
}

/* What does not move, when an interface is seen for the first time. */
static void put_still(struct nd_live *l, struct nd_facts *f, nd_id on, const struct nd_netdev_link *link)
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
			    link->loopback ? "loopback" : device ? "physical" : kind, &l->in);
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

static void put_master(struct nd_facts *f, nd_id on, const struct nd_netdev_link *link, const struct links *links,
		       const struct nd_input *in)
{
	if (!link->master)
		nd_relate_none(f, on, ND_IFACE_MASTER);
	for (uint32_t i = 0; link->master && i < links->n; i++)
		if (links->l[i].index == link->master)
			nd_relate(f, on, ND_IFACE_MASTER, nd_netdev_entity(f, links->l[i].name, in));
}

static void put_link(struct nd_facts *f, nd_id on, const struct nd_netdev_link *link, const struct nd_input *in)
{
	for (unsigned i = ND_IF_RX_PACKETS; i < ND_IF_FACTS; i++) {
		if (link->has >> i & 1)
			nd_put_reading(f, on, &nd_netdev_facts[i], link->counter[i], in);
		else
			nd_put_missing(f, on, &nd_netdev_facts[i], ND_NOT_ON_THIS_KERNEL, "the kernel does not tell it");
	}
	nd_put_num(f, on, &nd_netdev_facts[ND_IF_MTU], link->mtu, in);
	if (link->state[0])
		nd_put_text(f, on, &nd_netdev_facts[ND_IF_STATE], link->state, in);
}

static bool is_known(const struct nd_facts *f, nd_id on)
{
	nd_fact_id id = nd_registry_find(nd_facts_registry(f), ND_IFACE, nd_netdev_facts[ND_IF_LINK_KIND].name);

	return nd_get(f, on, id, ND_BARE).type == ND_V_TEXT;
}

static int live(struct nd_live *l, struct nd_facts *f, struct nd_err *e)
{
	struct links links = { 0 };
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
		nd_kind_missing(f, ND_IFACE, ND_TRUNCATED, "only the first %d interfaces were read", LINKS_MAX);
	free(links.l);
	return rc < 0 ? rc : 0;
}

static void end(void *state)
{
	nd_nl_close(state);
}

const struct nd_collector nd_collector_netdev = {
	.name = "netdev",
	.doc = "network interfaces: kind, speed, packets, errors, drops, link losses",
	.facts = nd_netdev_facts,
	.entities = { ND_IFACE, ND_NO_KIND },
	.live = live,
	.end = end,
};
