/* Driver, counter name, meaning: the table, and how a name finds its row.
 *
 * Many drivers count one event twice, in total and by queue, or under an old and a new name. The
 * rows of one meaning are therefore alternatives: OR begins one that counts only when those above
 * it are not there; rows between two ORs are added. Names are from the drivers of Linux 4.19
 * to 6.18. */
#include "collectors/nicmap.h"

#include "engine/core/str.h"

#define ROWS_MAX 36
#define SIGNS_MAX 4
#define DRIVERS_MAX 6

struct row {
	const char *name; /* pattern for nd_nic_match */
	enum nd_nic_meaning meaning;
	bool otherwise; /* only when the rows of this meaning above found nothing */
};
struct nd_nic_map {
	const char *
		drivers[DRIVERS_MAX]; /* as ETHTOOL_GDRVINFO names them; the first stands for all */
	const char *signs[SIGNS_MAX]; /* without a name: the counters that tell it; none: never */
	bool any; /* one of the signs is enough */
	const char *no_ring_full; /* why there is no ND_NIC_RX_RING_FULL */
	struct row rows[ROWS_MAX];
};

#define RING ND_NIC_RX_RING_FULL
#define HINT ND_NIC_RX_NO_BUFFER_HINT
#define PORT ND_NIC_RX_PORT_DISCARDS
#define PHY ND_NIC_RX_PHY_ERRORS
#define ALLOC ND_NIC_RX_ALLOC_FAILED
#define DROPS ND_NIC_RX_DRIVER_DROPS
#define PAUSE_RX ND_NIC_PAUSE_RX
#define PAUSE_TX ND_NIC_PAUSE_TX
#define LATE ND_NIC_LATE_COLLISIONS
#define PAUSE_RX_TIME ND_NIC_PAUSE_RX_TIME
#define PAUSE_TX_TIME ND_NIC_PAUSE_TX_TIME
#define STALL ND_NIC_TX_STALLS
#define TIMEOUT ND_NIC_TX_TIMEOUTS
#define RESET ND_NIC_RESETS
#define OR true

/* What Intel's 1 and 10 Gbit/s drivers have in common. */
#define INTEL_MAC                                                                                  \
	{"rx_crc_errors", PHY, 0}, {"rx_flow_control_xoff", PAUSE_RX, 0},                          \
		{"tx_flow_control_xoff", PAUSE_TX, 0},                                             \
	{                                                                                          \
		"tx_timeout_count", TIMEOUT, 0                                                     \
	}
/* rx_no_buffer_count: no free descriptor, but the packet may still wait in the card's memory; it is
 * lost only when that is full too (rx_missed_errors). The queues' own drops are of multi-queue
 * mode, and not in it. */
#define INTEL_1G                                                                                   \
	INTEL_MAC, {"rx_missed_errors", RING, 0}, {"rx_no_buffer_count", HINT, 0},                 \
	{                                                                                          \
		"rx_align_errors", PHY, 0                                                          \
	}
#define LATE_1G                                                                                    \
	{"tx_abort_late_coll", LATE, 0},                                                           \
	{                                                                                          \
		"tx_window_errors", LATE, OR                                                       \
	}

#define ALLOWANCES                                                                                 \
	{"bw_in_allowance_exceeded", ND_NIC_BW_IN_EXCEEDED, 0},                                    \
		{"bw_out_allowance_exceeded", ND_NIC_BW_OUT_EXCEEDED, 0},                          \
		{"pps_allowance_exceeded", ND_NIC_PPS_EXCEEDED, 0},                                \
		{"conntrack_allowance_exceeded", ND_NIC_CONNTRACK_EXCEEDED, 0},                    \
	{                                                                                          \
		"linklocal_allowance_exceeded", ND_NIC_LINKLOCAL_EXCEEDED, 0                       \
	}

static const struct nd_nic_map maps[] = {
#include "collectors/nicmap.def"
};

/* For drivers that nobody has described here: what such counters are mostly called. */
static const struct nd_nic_map patterns = {
	.rows = {{"rx*missed*", RING, 0},
		 {"rx*out_of_buffer*", RING, OR},
		 {"rx*no_buf*", RING, OR},
		 {"*rx*OOB*", RING, OR},
		 {"*rx*#*missed*", RING, OR},
		 {"*#*rx*missed*", RING, OR},
		 {"*rx*#*no_buf*", RING, OR},
		 {"*#*rx*no_buf*", RING, OR},
		 {"*rx*#*out_of_buffer*", RING, OR},
		 {"rx_crc_err*", PHY, 0},
		 {"rx_fcs_err*", PHY, OR},
		 {"*rx*crc*err*", PHY, OR},
		 {"rx*alloc*fail*", ALLOC, 0},
		 {"alloc_rx*fail*", ALLOC, OR},
		 {"rx*#*alloc*fail*", ALLOC, OR},
		 {"*tx*late*col*", LATE, 0},
		 {"rx_pause*", PAUSE_RX, 0},
		 {"*rx*pause_frames", PAUSE_RX, OR},
		 {"*rx*xoff*", PAUSE_RX, OR},
		 {"*xoff_rx*", PAUSE_RX, OR},
		 {"tx_pause*", PAUSE_TX, 0},
		 {"*tx*pause_frames", PAUSE_TX, OR},
		 {"*tx*xoff*", PAUSE_TX, OR},
		 {"*xoff_tx*", PAUSE_TX, OR},
		 ALLOWANCES,
		 {"tx_timeout*", TIMEOUT, 0}},
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool nd_nic_match(const char *pattern, const char *name)
{
	const char *star = NULL,
		   *resume =
			   NULL; /* where to try again, with one character more for the last star */

	while (*name || *pattern) {
		if (*pattern == '#' && is_digit(*name)) {
			for (pattern++; is_digit(*name); name++)
				;
		} else if (*pattern == '*') {
			star = ++pattern;
			resume = name;
		} else if (*pattern && *pattern == *name && *pattern != '#') {
			pattern++;
			name++;
		} else if (star && *resume && !is_digit(*resume)) {
			pattern = star;
			name = ++resume;
		} else {
			return false;
		}
	}
	return true;
}

bool nd_nic_queue(const char *name, bool *tx, uint32_t *queue)
{
	/* '#' is the queue */
	static const struct {
		const char *rx, *tx;
	} names[] = {
		{"rx_queue_#_packets", "tx_queue_#_packets"},
		{"rx-#.packets", "tx-#.packets"},
		{"rx-#.rx_packets", "tx-#.tx_packets"},
		{"rx#_packets", "tx#_packets"},
		{"queue_#_rx_cnt", "queue_#_tx_cnt"},
		{"rx_packets[#]", "tx_packets[#]"},
		{"[#]: rx_ucast_packets", "[#]: tx_ucast_packets"},
		{"#: rcv_pkts", "#: xmit_pkts"},
		{"Queue[#] InPackets", "Queue[#] OutPackets"},
		{"rxq#: rx_pkts", "txq#: tx_pkts"},
		{"q#_rx_pkt_n", "q#_tx_pkt_n"},
		{"q#_rx_packets", "q#_tx_packets"},
		{"rxq#_packets", "txq#_packets"},
	};
	char digits[8];
	uint64_t v;
	size_t n;

	for (size_t i = 0; i < ND_ARRAY_LEN(names); i++) {
		*tx = nd_nic_match(names[i].tx, name);
		if (!*tx && !nd_nic_match(names[i].rx, name))
			continue;
		name += strcspn(name, "0123456789");
		n = strspn(name, "0123456789");
		if (n >= sizeof(digits))
			return false;
		memcpy(digits, name, n);
		digits[n] = '\0';
		if (!nd_parse_u64(digits, 10, &v))
			return false;
		*queue = (uint32_t)v;
		return true;
	}
	return false;
}

static bool has_sign(const char *sign, const struct nd_nic_counter *counters, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (nd_nic_match(sign, counters[i].name))
			return true;
	return false;
}

static bool has_signs(const struct nd_nic_map *map, const struct nd_nic_counter *counters,
		      uint32_t n)
{
	for (unsigned i = 0; i < SIGNS_MAX && map->signs[i]; i++)
		if (has_sign(map->signs[i], counters, n) == map->any)
			return map->any;
	return map->signs[0] && !map->any;
}

static bool is_for(const struct nd_nic_map *map, const char *driver)
{
	for (unsigned i = 0; i < DRIVERS_MAX && map->drivers[i]; i++)
		if (strcmp(map->drivers[i], driver) == 0)
			return true;
	return false;
}

const struct nd_nic_map *nd_nic_map(const char *driver, const struct nd_nic_counter *counters,
				    uint32_t n, enum nd_nic_how *how)
{
	*how = ND_NIC_BY_DRIVER;
	for (unsigned i = 0; driver && i < ND_ARRAY_LEN(maps); i++)
		if (is_for(&maps[i], driver))
			return &maps[i];
	*how = ND_NIC_BY_NAMES;
	for (unsigned i = 0; !driver && i < ND_ARRAY_LEN(maps); i++)
		if (has_signs(&maps[i], counters, n))
			return &maps[i];
	*how = ND_NIC_BY_PATTERN;
	return &patterns;
}

const char *nd_nic_map_name(const struct nd_nic_map *map)
{
	return map->drivers[0] ? map->drivers[0] : "";
}

const char *nd_nic_map_blind(const struct nd_nic_map *map, enum nd_nic_meaning m)
{
	return m == ND_NIC_RX_RING_FULL ? map->no_ring_full : NULL;
}

bool nd_nic_map_has(const struct nd_nic_map *map, enum nd_nic_meaning m)
{
	for (unsigned i = 0; i < ROWS_MAX && map->rows[i].name; i++)
		if (map->rows[i].meaning == m)
			return true;
	return false;
}

uint32_t nd_nic_resolve(const struct nd_nic_map *map, const struct nd_nic_counter *counters,
			uint32_t n, uint8_t *meaning_of)
{
	uint32_t found = 0,
		 closed =
			 0; /* meanings with a counter; those whose further alternatives are idle */

	memset(meaning_of, ND_NIC_MEANINGS, n);
	for (unsigned r = 0; r < ROWS_MAX && map->rows[r].name; r++) {
		const struct row *row = &map->rows[r];
		const uint32_t bit = 1u << row->meaning;

		if (row->otherwise)
			closed |= found & bit;
		if (closed & bit)
			continue;
		for (uint32_t i = 0; i < n; i++) {
			if (meaning_of[i] == ND_NIC_MEANINGS &&
			    nd_nic_match(row->name, counters[i].name)) {
				meaning_of[i] = (uint8_t)row->meaning;
				found |= bit;
			}
		}
	}
	return found;
}
