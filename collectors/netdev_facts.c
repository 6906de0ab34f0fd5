/* The facts of an interface, whoever tells them, and the single values that sysfs holds of one.
 *
 * Live they come from netlink where it has them; a copied /sys and the few that netlink lacks are
 * read here. */
#include "collectors/netdev.h"

#include "collectors/collector.h"

#include <net/if.h>

#define COUNTER(n, what, text)                                                                     \
	{                                                                                          \
		.name = n, .on = ND_IFACE, .type = ND_T_NUMBER, .unit = what,                      \
		.width = ND_COUNTER64, .doc = text, .reproduce = "ip -s -s link show dev {key}"    \
	}
#define SYSFS(n, fact_type, what, file, text)                                                      \
	{                                                                                          \
		.name = n, .on = ND_IFACE, .type = fact_type, .unit = what, .doc = text,           \
		.reproduce = "cat /sys/class/net/{key}/" file                                      \
	}

const struct nd_fact_def nd_netdev_facts[ND_IF_FACTS + 1] = {
	[ND_IF_LINK_KIND] = {.name = "link_kind",
			     .on = ND_IFACE,
			     .type = ND_T_TEXT,
			     .doc = "physical (also a virtual machine's card), loopback, veth, "
				    "bridge, bond, "
				    "vlan, tun, ifb, vxlan, …, else virtual",
			     .reproduce = "ip -d link show dev {key}"},
	[ND_IF_DRIVER] = {.name = "driver",
			  .on = ND_IFACE,
			  .type = ND_T_TEXT,
			  .doc = "kernel driver of the device; absent when there is no device",
			  .reproduce = "ethtool -i {key}"},
	[ND_IF_NODE] = SYSFS("node", ND_T_NUMBER, ND_U_COUNT, "device/numa_node",
			     "NUMA node that the device is attached to; absent with one node"),
	[ND_IF_SPEED] =
		SYSFS("speed", ND_T_NUMBER, ND_U_BITS_PER_SECOND, "speed", "speed of the link"),
	[ND_IF_MTU] = SYSFS("mtu", ND_T_NUMBER, ND_U_BYTES, "mtu", "largest packet that it sends"),
	[ND_IF_STATE] = SYSFS(
		"state", ND_T_TEXT, ND_U_NONE, "operstate",
		"up, down, lowerlayerdown, dormant, …; unknown where the driver does not tell"),
	[ND_IF_RX_PACKETS] = COUNTER("rx.packets", ND_U_COUNT, "packets received"),
	[ND_IF_RX_BYTES] = COUNTER("rx.bytes", ND_U_BYTES, "bytes received"),
	[ND_IF_RX_ERRORS] =
		COUNTER("rx.errors", ND_U_COUNT, "damaged packets received, all reasons"),
	[ND_IF_RX_DROPPED] =
		COUNTER("rx.dropped", ND_U_COUNT,
			"packets received and dropped, also for unknown protocols; ifconfig, "
			"netstat -i and /proc/net/dev count rx.missed in it"),
	[ND_IF_RX_MISSED] = COUNTER(
		"rx.missed", ND_U_COUNT,
		"packets that the device dropped for lack of host buffers, where the driver tells"),
	[ND_IF_RX_FIFO] =
		COUNTER("rx.fifo", ND_U_COUNT, "packets lost to an overrun of the device's queue"),
	[ND_IF_RX_CRC] = COUNTER("rx.crc", ND_U_COUNT,
				 "packets received with a wrong checksum of the frame"),
	[ND_IF_RX_FRAME] =
		COUNTER("rx.frame", ND_U_COUNT,
			"packets received damaged or of a wrong length; what ifconfig and "
			"/proc/net/dev call frame"),
	[ND_IF_RX_NOHANDLER] = COUNTER("rx.nohandler", ND_U_COUNT,
				       "packets dropped on an inactive member of a bond or team"),
	[ND_IF_TX_PACKETS] = COUNTER("tx.packets", ND_U_COUNT, "packets sent"),
	[ND_IF_TX_BYTES] = COUNTER("tx.bytes", ND_U_BYTES, "bytes sent"),
	[ND_IF_TX_ERRORS] =
		COUNTER("tx.errors", ND_U_COUNT, "packets that could not be sent, all reasons"),
	[ND_IF_TX_DROPPED] =
		COUNTER("tx.dropped", ND_U_COUNT, "packets dropped on their way out by the device"),
	[ND_IF_TX_CARRIER] = COUNTER("tx.carrier", ND_U_COUNT,
				     "packets lost on the way out to a missing carrier"),
	[ND_IF_CARRIER_CHANGES] =
		COUNTER("carrier.changes", ND_U_COUNT, "times that the link came or went"),
	[ND_IF_CARRIER_DOWNS] =
		COUNTER("carrier.downs", ND_U_COUNT, "times that the link went down"),
	{0},
};

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
		nd_relate(f, on, ND_IFACE_NETNS,
			  nd_entity(f, ND_NETNS, in->netns ? in->netns : "host"));
	return on;
}

void nd_netdev_put_speed(struct nd_facts *f, nd_id on, const char *text, const struct nd_input *in)
{
	int64_t mbit = -1;

	if (*text && !nd_parse_i64(text, &mbit))
		nd_put_missing(f, on, &nd_netdev_facts[ND_IF_SPEED], ND_PARSE_ERROR,
			       "%s: expected Mbit/s, found '%.40s'", in->path, text);
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
		nd_put_missing(f, on, &nd_netdev_facts[ND_IF_NODE], ND_PARSE_ERROR,
			       "%s: expected a number, found '%.40s'", in->path, text);
	else if (node < 0)
		nd_put_absent(f, on, &nd_netdev_facts[ND_IF_NODE], in);
	else
		nd_put_num(f, on, &nd_netdev_facts[ND_IF_NODE], (double)node, in);
}

static const struct {
	const char *name;
	enum nd_netdev_fact fact;
} files[] = {
	{"speed", ND_IF_SPEED},
	{"numa_node", ND_IF_NODE},
	{"mtu", ND_IF_MTU},
	{"operstate", ND_IF_STATE},
	{"carrier_changes", ND_IF_CARRIER_CHANGES},
	{"carrier_down_count", ND_IF_CARRIER_DOWNS},
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

static bool put_file(struct nd_facts *f, nd_id on, enum nd_netdev_fact fact, const char *text,
		     const struct nd_input *in)
{
	uint64_t v;

	if (fact == ND_IF_SPEED)
		nd_netdev_put_speed(f, on, text,
				    in); /* empty: reading it fails while the link is down */
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

int nd_netdev_file(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		   struct nd_err *e)
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
