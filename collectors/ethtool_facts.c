/* The facts that a driver tells through ethtool, and how its counters become some of them. */
#include "collectors/ethtool.h"
#include "collectors/netdev.h"
#include "collectors/queue.h"

#define QUEUE_MAX 4095

#define HW(meaning, n, text)                                                                       \
	[ND_ET_HW + meaning] = {.name = "hw." n,                                                   \
				.on = ND_IFACE,                                                    \
				.type = ND_T_NUMBER,                                               \
				.unit = ND_U_COUNT,                                                \
				.width = ND_COUNTER64,                                             \
				.doc = text,                                                       \
				.reproduce = "ethtool -S {key}"}
#define PAUSE_TIME(meaning, n, text)                                                               \
	[ND_ET_HW + meaning] = {.name = "hw." n,                                                   \
				.on = ND_IFACE,                                                    \
				.type = ND_T_NUMBER,                                               \
				.unit = ND_U_SECONDS,                                              \
				.width = ND_COUNTER64,                                             \
				.doc = text,                                                       \
				.reproduce = "ethtool -S {key}",                                   \
				.kernel_unit = 1e-6}
#define TEXT(fact, n, what, option, text)                                                          \
	[fact] = {.name = n,                                                                       \
		  .on = ND_IFACE,                                                                  \
		  .type = what,                                                                    \
		  .doc = text,                                                                     \
		  .reproduce = "ethtool " option " {key}"}
#define MODES(fact, n, text)                                                                       \
	[fact] = {.name = n,                                                                       \
		  .on = ND_IFACE,                                                                  \
		  .type = ND_T_NUMBER,                                                             \
		  .unit = ND_U_BITS_PER_SECOND,                                                    \
		  .doc = text,                                                                     \
		  .reproduce = "ethtool {key}"}
#define DELAY(fact, n, text)                                                                       \
	[fact] = {.name = n,                                                                       \
		  .on = ND_IFACE,                                                                  \
		  .type = ND_T_NUMBER,                                                             \
		  .unit = ND_U_SECONDS,                                                            \
		  .doc = text,                                                                     \
		  .reproduce = "ethtool -c {key}"}
#define SIZE(fact, n, option, text)                                                                \
	[fact] = {.name = n,                                                                       \
		  .on = ND_IFACE,                                                                  \
		  .type = ND_T_NUMBER,                                                             \
		  .unit = ND_U_COUNT,                                                              \
		  .doc = text,                                                                     \
		  .reproduce = "ethtool " option " {key}"}

const struct nd_fact_def nd_ethtool_facts[ND_ET_FACTS + 2] = {
	HW(ND_NIC_RX_RING_FULL, "rx_ring_full",
	   "packets that the NIC dropped because no receive buffer was free (ena: times that it "
	   "found none)"),
	HW(ND_NIC_RX_NO_BUFFER_HINT, "rx_no_buffer_hint",
	   "times that receive buffers ran short, not yet a loss"),
	HW(ND_NIC_RX_PORT_DISCARDS, "rx_port_discards",
	   "packets dropped in the port's own memory: the host's bus or the whole card was too "
	   "slow"),
	HW(ND_NIC_RX_PHY_ERRORS, "rx_phy_errors",
	   "damaged frames: cable, transceiver or the other end"),
	HW(ND_NIC_RX_ALLOC_FAILED, "rx_alloc_failed",
	   "receive buffers that could not be allocated"),
	HW(ND_NIC_RX_DRIVER_DROPS, "rx_driver_drops", "packets that the driver itself dropped"),
	HW(ND_NIC_LATE_COLLISIONS, "late_collisions",
	   "frames that collided after their first 64 bytes: half duplex here, full duplex at the "
	   "other end"),
	HW(ND_NIC_PAUSE_RX, "pause_rx", "pause frames received: the other end asked us to wait"),
	HW(ND_NIC_PAUSE_TX, "pause_tx", "pause frames sent: we could not take more"),
	PAUSE_TIME(ND_NIC_PAUSE_RX_TIME, "pause_rx_time",
		   "time that pause frames kept this port from sending"),
	PAUSE_TIME(ND_NIC_PAUSE_TX_TIME, "pause_tx_time",
		   "time that this port kept the other end from sending"),
	HW(ND_NIC_BW_IN_EXCEEDED, "bw_in_exceeded",
	   "packets held or dropped since they exceeded the instance's bandwidth for receiving"),
	HW(ND_NIC_BW_OUT_EXCEEDED, "bw_out_exceeded",
	   "packets held or dropped since they exceeded the instance's bandwidth for sending"),
	HW(ND_NIC_PPS_EXCEEDED, "pps_exceeded",
	   "packets held or dropped since they exceeded the instance's packets per second"),
	HW(ND_NIC_CONNTRACK_EXCEEDED, "conntrack_exceeded",
	   "packets dropped since the instance's security group tracks no more connections"),
	HW(ND_NIC_LINKLOCAL_EXCEEDED, "linklocal_exceeded",
	   "packets dropped since they exceeded the rate to the cloud's local services (DNS, "
	   "time, metadata)"),
	HW(ND_NIC_TX_STALLS, "tx_stalls", "times that a transmit queue was full and had to stop"),
	HW(ND_NIC_TX_TIMEOUTS, "tx_timeouts", "times that a transmit queue hung and was reset"),
	HW(ND_NIC_RESETS, "resets", "faults for which the driver started the card anew"),
	[ND_ET_MAP] = {.name = "hw.map",
		       .on = ND_IFACE,
		       .type = ND_T_TEXT,
		       .doc = "how the driver's counters were understood: by driver, by counter "
			      "names, by pattern",
		       .reproduce = "ethtool -i {key}"},
	SIZE(ND_ET_RING_RX, "ring.rx", "-g", "receive descriptors of each queue"),
	SIZE(ND_ET_RING_RX_MAX, "ring.rx.max", "-g",
	     "most receive descriptors that the driver allows"),
	SIZE(ND_ET_RING_TX, "ring.tx", "-g", "transmit descriptors of each queue"),
	SIZE(ND_ET_RING_TX_MAX, "ring.tx.max", "-g",
	     "most transmit descriptors that the driver allows"),
	SIZE(ND_ET_CHANNELS, "channels", "-l", "receive queues in use"),
	SIZE(ND_ET_CHANNELS_MAX, "channels.max", "-l",
	     "most receive queues that the driver allows"),
	TEXT(ND_ET_DUPLEX, "duplex", ND_T_TEXT, "", "full or half"),
	TEXT(ND_ET_AUTONEG, "autoneg", ND_T_BOOL, "",
	     "whether it agrees with the other end on speed and duplex"),
	TEXT(ND_ET_PORT, "port", ND_T_TEXT, "",
	     "kind of its connector: Twisted Pair, FIBRE, Direct Attach Copper, …"),
	TEXT(ND_ET_LINK, "link_detected", ND_T_BOOL, "", "whether there is a link"),
	MODES(ND_ET_SUPPORTED, "speed.supported", "fastest speed that the card can"),
	MODES(ND_ET_ADVERTISED, "speed.advertised", "fastest speed that it offers the other end"),
	MODES(ND_ET_PARTNER, "speed.partner",
	      "fastest speed that the other end offers, where the driver tells"),
	TEXT(ND_ET_PAUSE_RX, "pause.rx", ND_T_BOOL, "-a", "whether it obeys pause frames"),
	TEXT(ND_ET_PAUSE_TX, "pause.tx", ND_T_BOOL, "-a", "whether it sends pause frames"),
	TEXT(ND_ET_RX_CSUM, "offload.rx_checksum", ND_T_BOOL, "-k",
	     "whether the card checks checksums"),
	TEXT(ND_ET_TX_CSUM, "offload.tx_checksum", ND_T_BOOL, "-k",
	     "whether the card fills in checksums"),
	TEXT(ND_ET_TSO, "offload.tso", ND_T_BOOL, "-k", "whether the card cuts TCP segments"),
	TEXT(ND_ET_GRO, "offload.gro", ND_T_BOOL, "-k",
	     "whether the kernel merges received packets"),
	TEXT(ND_ET_GRO_HW, "offload.gro_hw", ND_T_BOOL, "-k",
	     "whether the card merges received packets as GRO does"),
	TEXT(ND_ET_LRO, "offload.lro", ND_T_BOOL, "-k",
	     "whether the card merges received packets, losing how they were"),
	TEXT(ND_ET_TUNNEL, "offload.udp_tunnel", ND_T_BOOL, "-k",
	     "whether the card cuts TCP segments within UDP tunnels (VXLAN, Geneve)"),
	TEXT(ND_ET_ADAPTIVE_RX, "coalesce.adaptive_rx", ND_T_BOOL, "-c",
	     "whether the driver chooses the delay of interrupts by itself"),
	DELAY(ND_ET_RX_USECS, "coalesce.rx", "longest that an interrupt waits for more packets"),
	DELAY(ND_ET_TX_USECS, "coalesce.tx",
	      "longest that an interrupt waits for more packets to be sent"),
	[ND_ET_QUEUE_PACKETS] = {.name = "packets",
				 .on = ND_QUEUE,
				 .type = ND_T_NUMBER,
				 .unit = ND_U_COUNT,
				 .width = ND_COUNTER64,
				 .doc = "packets that passed the queue, as the driver counts them",
				 .reproduce = "q={key}; ethtool -S ${q%%/*}"},
	{0},
};

/* ---- shared ---- */

void nd_ethtool_resolve(struct nd_ethtool_set *set)
{
	set->map = nd_nic_map(set->driver, set->counters, set->n, &set->how);
	set->found = nd_nic_resolve(set->map, set->counters, set->n, set->meaning_of);
}

static void put_map(struct nd_facts *f, nd_id on, const struct nd_ethtool_set *set,
		    const struct nd_input *in)
{
	static const char *const how[] = {"driver", "counter names", "pattern"};
	const char *name = set->how == ND_NIC_BY_NAMES ? nd_nic_map_name(set->map) : set->driver;
	char text[96];

	snprintf(text, sizeof(text), "%.64s (by %s)", name ? name : "unknown driver",
		 how[set->how]);
	nd_put_text(f, on, &nd_ethtool_facts[ND_ET_MAP], text, in);
}

static void put_none(struct nd_facts *f, nd_id on, const struct nd_ethtool_set *set,
		     enum nd_nic_meaning m, const struct nd_input *in)
{
	const struct nd_fact_def *fact = &nd_ethtool_facts[ND_ET_HW + m];
	const char *name = set->driver ? set->driver : nd_nic_map_name(set->map);
	const char *blind = nd_nic_map_blind(set->map, m);

	if (blind)
		nd_put_missing(f, on, fact, ND_NOT_ON_THIS_KERNEL, "%s", blind);
	else if (set->how != ND_NIC_BY_PATTERN && nd_nic_map_has(set->map, m) && set->text)
		nd_put_missing(f, on, fact, ND_TOOL_OUTPUT_ABSENT,
			       "%s shows none of the counters that %s has for it", in->path, name);
	else
		nd_put_missing(f, on, fact, ND_NOT_ON_THIS_KERNEL,
			       "driver %s has no counter known to mean %s",
			       *name ? name : "(unknown)", fact->name);
}

static bool put_queue(struct nd_facts *f, nd_id iface, const struct nd_nic_counter *c,
		      const struct nd_input *in)
{
	bool tx;
	uint32_t number;
	nd_id q;

	if (!nd_nic_queue(c->name, &tx, &number) || number > QUEUE_MAX)
		return false;
	q = nd_queue(f, nd_entity_key(f, iface), tx ? "tx" : "rx", number, in);
	nd_put_reading(f, q, &nd_ethtool_facts[ND_ET_QUEUE_PACKETS], c->value, in);
	return true;
}

/* Packets in all: of a driver that tells only those of each queue, their sum. */
static void put_packets(struct nd_facts *f, nd_id on, const struct nd_ethtool_set *set,
			const struct nd_input *in)
{
	static const enum nd_netdev_fact facts[2] = {ND_IF_RX_PACKETS, ND_IF_TX_PACKETS};
	static const char *const names[2] = {"rx_packets", "tx_packets"};
	uint64_t sum[2] = {0}, total[2] = {0};
	bool any[2] = {false}, whole[2] = {false}, tx;
	uint32_t queue;

	for (uint32_t i = 0; i < set->n; i++) {
		const struct nd_nic_counter *c = &set->counters[i];

		for (int k = 0; k < 2; k++)
			if (strcmp(c->name, names[k]) == 0) {
				whole[k] = true;
				total[k] = c->value;
			}
		if (nd_nic_queue(c->name, &tx, &queue)) {
			any[tx] = true;
			sum[tx] += c->value;
		}
	}
	for (int k = 0; k < 2; k++)
		if (any[k] || whole[k])
			nd_put_reading(f, on, &nd_netdev_facts[facts[k]],
				       whole[k] ? total[k] : sum[k], in);
}

void nd_ethtool_put(struct nd_facts *f, nd_id on, const struct nd_ethtool_set *set,
		    const struct nd_input *in)
{
	uint64_t sums[ND_NIC_MEANINGS + 1] = {0};
	bool queues = false;

	for (uint32_t i = 0; i < set->n; i++)
		sums[set->meaning_of[i]] += set->counters[i].value;
	for (unsigned m = 0; m < ND_NIC_MEANINGS; m++) {
		if (set->found >> m & 1)
			nd_put_reading(f, on, &nd_ethtool_facts[ND_ET_HW + m], sums[m], in);
		else
			put_none(f, on, set, (enum nd_nic_meaning)m, in);
	}
	for (uint32_t i = 0; i < set->n; i++)
		queues = put_queue(f, on, &set->counters[i], in) || queues;
	if (!queues)
		nd_fact_missing(f, &nd_ethtool_facts[ND_ET_QUEUE_PACKETS], ND_NOT_ON_THIS_KERNEL,
				"no counter of the driver is known to tell it");
	if (set->text)
		put_packets(f, on, set, in);
	put_map(f, on, set, in);
}

void nd_ethtool_none(struct nd_facts *f, nd_id on, enum nd_missing why, const char *detail)
{
	for (unsigned m = 0; m <= ND_ET_MAP; m++)
		nd_put_missing(f, on, &nd_ethtool_facts[m], why, "%s", detail);
}

void nd_ethtool_put_size(struct nd_facts *f, nd_id on, enum nd_ethtool_fact fact, uint64_t v,
			 const struct nd_input *in)
{
	if (v)
		nd_put_num(f, on, &nd_ethtool_facts[fact], (double)v, in);
	else
		nd_put_missing(f, on, &nd_ethtool_facts[fact], ND_NOT_ON_THIS_KERNEL,
			       "the driver does not tell it");
}

void nd_ethtool_put_channels(struct nd_facts *f, nd_id on, const struct nd_ethtool_channels *c,
			     const struct nd_input *in)
{
	/* Drivers that can do both have either the one kind or the other in use: the maxima do not
	 * add up. */
	nd_ethtool_put_size(f, on, ND_ET_CHANNELS, c->combined + c->rx, in);
	nd_ethtool_put_size(f, on, ND_ET_CHANNELS_MAX,
			    c->combined || !c->rx ? c->combined_max : c->rx_max, in);
}
