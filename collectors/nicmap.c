/* Driver, counter name, meaning: the table, and how a name finds its row.
 *
 * Many drivers count one event twice, in total and by queue, or under an old and a new name. The
 * rows of one meaning are therefore alternatives: OR begins one that counts only when those above
 * it are not there; rows between two ORs are added. Names are from the drivers of Linux 4.19
 * to 6.18. */
#include "collectors/nicmap.h"

#define ROWS_MAX 28
#define SIGNS_MAX 4
#define DRIVERS_MAX 4

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
#define LIMIT ND_NIC_ALLOWANCE_EXCEEDED
#define STALL ND_NIC_TX_STALLS
#define TIMEOUT ND_NIC_TX_TIMEOUTS
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

static const struct nd_nic_map maps[] = {
	{.drivers = {"ixgbe"},
	 .signs = {"rx_no_dma_resources"},
	 .rows = {INTEL_MAC,
		  {"rx_missed_errors", RING, 0},
		  {"rx_no_dma_resources", RING, 0}, /* the same loss in drop-enable mode */
		  {"rx_no_buffer_count", HINT, 0},
		  {"alloc_rx_page_failed", ALLOC, 0},
		  {"alloc_rx_buff_failed", ALLOC, 0},
		  {"tx_restart_queue", STALL, 0}}},
	{.drivers = {"igb", "igc"},
	 .signs = {"rx_missed_errors", "rx_no_buffer_count", "rx_queue_#_drops"},
	 .rows = {INTEL_1G,
		  {"rx_queue_#_drops", RING, 0},
		  {"rx_queue_#_alloc_failed", ALLOC, 0},
		  {"tx_queue_#_restart", STALL, 0}}},
	{.drivers = {"e1000e", "e1000"},
	 .signs = {"rx_missed_errors", "rx_no_buffer_count"},
	 .rows = {INTEL_1G, {"alloc_rx_buff_failed", ALLOC, 0}, {"tx_restart_queue", STALL, 0}}},
	/* port.rx_dropped was renamed to port.rx_discards, in 6.1 stable earlier than in 6.6 */
	{.drivers = {"i40e"},
	 .signs = {"port.rx_crc_errors", "port.rx_discards", "port.rx_dropped"},
	 .any = true,
	 .rows = {{"port.rx_discards", RING, 0},
		  {"port.rx_dropped", RING, OR},
		  {"veb.rx_discards", PORT, 0},
		  {"port.rx_crc_errors", PHY, 0},
		  {"rx_alloc_fail", ALLOC, 0},
		  {"rx_pg_alloc_fail", ALLOC, 0},
		  {"port.link_xoff_rx", PAUSE_RX, 0},
		  {"port.link_xoff_tx", PAUSE_TX, 0},
		  {"tx_busy", STALL, 0},
		  {"tx_stopped", STALL, 0},
		  {"port.tx_timeout", TIMEOUT, 0}}},
	{.drivers = {"ice"},
	 .signs = {"rx_crc_errors.nic", "rx_dropped.nic"},
	 .any = true,
	 .rows = {{"rx_dropped", RING, 0}, /* this interface's queues */
		  {"rx_dropped.nic", RING, 0}, /* the port's buffer, behind them */
		  {"rx_crc_errors.nic", PHY, 0},
		  {"rx_alloc_fail", ALLOC, 0},
		  {"rx_pg_alloc_fail", ALLOC, 0},
		  {"link_xoff_rx.nic", PAUSE_RX, 0},
		  {"link_xoff_tx.nic", PAUSE_TX, 0},
		  {"tx_busy", STALL, 0},
		  {"tx_restart", STALL, 0},
		  {"tx_timeout.nic", TIMEOUT, 0}}},
	{.drivers = {"mlx5_core", "mlx5e_rep"},
	 .signs = {"rx_out_of_buffer"},
	 .rows = {{"rx_out_of_buffer", RING, 0},
		  {"rx_discards_phy", PORT, 0},
		  {"rx_prio#_discards", PORT, OR},
		  {"rx_buffer_passed_thres_phy", HINT, 0},
		  {"rx_crc_errors_phy", PHY, 0},
		  {"rx_symbol_err_phy", PHY, 0},
		  {"rx_buff_alloc_err", ALLOC, 0},
		  {"rx#_buff_alloc_err", ALLOC, OR},
		  {"rx_pause_ctrl_phy", PAUSE_RX, 0},
		  {"rx_global_pause", PAUSE_RX, OR},
		  {"tx_pause_ctrl_phy", PAUSE_TX, 0},
		  {"tx_global_pause", PAUSE_TX, OR},
		  {"tx_queue_stopped", STALL, 0},
		  {"tx#_stopped", STALL, OR}}},
	/* one register under two names */
	{.drivers = {"mlx4_en", "mlx4_core"},
	 .rows = {{"rx_missed_errors", RING, 0},
		  {"rx_fifo_errors", RING, OR},
		  {"rx_crc_errors", PHY, 0},
		  {"tx_queue_stopped", STALL, 0},
		  {"tx_timeout", TIMEOUT, 0}}},
	/* counts the times that the driver found the ring empty, not packets */
	{.drivers = {"ena"},
	 .signs = {"bw_in_allowance_exceeded", "queue_#_rx_empty_rx_ring"},
	 .any = true,
	 .rows = {{"queue_#_rx_empty_rx_ring", RING, 0},
		  {"queue_#_rx_refil_partial", HINT, 0}, /* sic */
		  {"queue_#_rx_page_alloc_fail", ALLOC, 0},
		  {"queue_#_rx_skb_alloc_fail", ALLOC, 0},
		  {"bw_in_allowance_exceeded", LIMIT, 0},
		  {"bw_out_allowance_exceeded", LIMIT, 0},
		  {"pps_allowance_exceeded", LIMIT, 0},
		  {"conntrack_allowance_exceeded", LIMIT, 0},
		  {"linklocal_allowance_exceeded", LIMIT, 0},
		  {"queue_#_tx_queue_stop", STALL, 0},
		  {"tx_timeout", TIMEOUT, 0}}},
	{.drivers = {"virtio_net"},
	 .signs = {"rx#_kicks", "rx_queue_#_kicks", "rx_kicks"},
	 .any = true,
	 .no_ring_full = "virtio_net counts no ring overflow: look at tx_dropped of the tap "
			 "device on the host",
	 .rows = {{"rx_drops", DROPS, 0},
		  {"rx#_drops", DROPS, OR},
		  {"rx_queue_#_drops", DROPS, OR}, /* up to 6.6 */
		  {"tx_tx_timeouts", TIMEOUT, 0},
		  {"tx#_tx_timeouts", TIMEOUT, OR},
		  {"tx_queue_#_tx_timeouts", TIMEOUT, OR}}},
	{.drivers = {"bnxt_en"},
	 .signs = {"rx_total_ring_discards", "rx_fcs_err_frames", "rx_stat_discard"},
	 .any = true,
	 .rows = {{"rx_total_ring_discards", RING, 0},
		  {"[#]: rx_discards", RING, OR},
		  {"rx_discard_packets_cos#", RING, OR},
		  {"rx_stat_discard", RING, OR},
		  {"rx_buffer_passed_threshold", HINT, 0},
		  {"rx_fcs_err_frames", PHY, 0},
		  {"rx_pcs_symbol_err", PHY, 0},
		  {"rx_total_oom_discards", ALLOC, 0},
		  {"[#]: rx_buf_errors", ALLOC, OR},
		  {"rx_pause_frames", PAUSE_RX, 0},
		  {"tx_pause_frames", PAUSE_TX, 0}}},
	{.drivers = {"tg3"},
	 .signs = {"rx_discards", "rx_threshold_hit"},
	 .rows = {{"rx_discards", RING, 0},
		  {"rx_fcs_errors", PHY, 0},
		  {"rx_align_errors", PHY, 0},
		  {"rx_xoff_pause_rcvd", PAUSE_RX, 0},
		  {"tx_xoff_sent", PAUSE_TX, 0}}},
	{.drivers = {"bnx2x"},
	 .signs = {"rx_discards", "rx_phy_ip_err_discards"},
	 .rows = {{"rx_discards", RING, 0},
		  {"[#]: rx_discards", RING, OR},
		  {"rx_crc_errors", PHY, 0},
		  {"rx_align_errors", PHY, 0}}},
	{.drivers = {"hv_netvsc"},
	 .signs = {"rx_comp_busy"},
	 .no_ring_full =
		 "hv_netvsc counts no ring overflow: the virtual switch of the host drops unseen",
	 .rows = {{"rx_no_memory", ALLOC, 0},
		  {"rx_comp_busy", HINT, 0},
		  {"tx_busy", STALL, 0},
		  {"stop_queue", STALL, 0}}},
	{.drivers = {"gve", "gvnic"},
	 .signs = {"rx_no_buffers_posted[#]"},
	 .rows = {{"rx_no_buffers_posted[#]", RING, 0},
		  {"rx_queue_drop_cnt[#]", RING, OR},
		  {"rx_dropped_pkt[#]", DROPS, 0},
		  {"rx_skb_alloc_fail", ALLOC, 0},
		  {"rx_buf_alloc_fail", ALLOC, 0},
		  {"page_alloc_fail", ALLOC, 0},
		  {"tx_stop[#]", STALL, 0},
		  {"tx_timeouts", TIMEOUT, 0}}},
	{.drivers = {"r8169"},
	 .signs = {"rx_missed", "align_errors"},
	 .rows = {{"rx_missed", RING, 0}, {"align_errors", PHY, 0}}},
	/* the same names again for each queue; "drv dropped rx total" includes failed allocations
	 */
	{.drivers = {"vmxnet3"},
	 .signs = {"pkts rx OOB"},
	 .rows = {{"pkts rx OOB", RING, 0},
		  {"pkts rx err", PHY, 0},
		  {"drv dropped rx total", DROPS, 0},
		  {"rx buf alloc fail", ALLOC, 0},
		  {"ring full", STALL, 0},
		  {"pkts tx discard", STALL, 0},
		  {"tx timeout count", TIMEOUT, 0}}},
	{.drivers = {"mana"},
	 .signs = {"hc_rx_err_vport_disabled"},
	 .no_ring_full = "mana counts no ring overflow",
	 .rows = {{"stop_queue", STALL, 0}}},
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
		 {"*allowance_exceeded", LIMIT, 0},
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
