/* The table of drivers: each counter finds its meaning, nothing is counted twice. */
#include "collectors/nicmap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define COUNTERS 12

static void test_match(void **state)
{
	static const struct {
		const char *pattern, *name;
		bool fits;
	} rows[] = {
		{"rx_missed", "rx_missed", true},
		{"rx_missed", "rx_missed_errors", false},
		{"rx_missed_errors", "rx_missed", false},
		{"rx_queue_#_drops", "rx_queue_0_drops", true},
		{"rx_queue_#_drops", "rx_queue_127_drops", true},
		{"rx_queue_#_drops", "rx_queue__drops", false},
		{"rx_queue_#_drops", "rx_queue_x_drops", false},
		{"rx_no_buffers_posted[#]", "rx_no_buffers_posted[12]", true},
		{"[#]: rx_discards", "[3]: rx_discards", true},
		{"tx_stop#", "tx_stop7", true},
		{"tx_stop#", "tx_stop", false},
		{"#", "#", false},
		{"*", "", true},
		{"*", "anything", true},
		{"*", "queue2", false},
		{"rx*missed*", "rx_missed", true},
		{"rx*missed*", "rx_frames_missed_total", true},
		{"rx*missed*", "rx_missed_2", false},
		{"rx*missed*", "tx_missed", false},
		{"*rx*#*missed*", "rx3_missed", true},
		{"*rx*#*missed*", "q_rx12.missed_x", true},
		{"*ab*ab", "abab", true},
		{"*ab*ab", "ababa", false},
		{"", "", true},
		{"", "x", false},
		{"x", "", false},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++)
		if (nd_nic_match(rows[i].pattern, rows[i].name) != rows[i].fits)
			fail_msg("'%s' and '%s'", rows[i].pattern, rows[i].name);
}

struct sums {
	uint64_t v[ND_NIC_MEANINGS + 1];
	uint32_t found;
	enum nd_nic_how how;
	const struct nd_nic_map *map;
};

static struct sums sums_of(const char *driver, const struct nd_nic_counter *c, uint32_t n)
{
	struct sums s = {.found = 0};
	uint8_t meaning[COUNTERS];

	s.map = nd_nic_map(driver, c, n, &s.how);
	s.found = nd_nic_resolve(s.map, c, n, meaning);
	for (uint32_t i = 0; i < n; i++) {
		assert_true(meaning[i] <= ND_NIC_MEANINGS);
		s.v[meaning[i]] += c[i].value;
	}
	return s;
}

static uint32_t length(const struct nd_nic_counter *c)
{
	uint32_t n = 0;

	while (n < COUNTERS && c[n].name)
		n++;
	return n;
}

/* Each counter has a value of its own, so that a sum tells which were taken. */
static const struct {
	const char *driver, *map;
	enum nd_nic_how how;
	struct nd_nic_counter c[COUNTERS];
	enum nd_nic_meaning meaning;
	uint64_t sum;
} sums[] = {
	{"igb",
	 "igb",
	 ND_NIC_BY_DRIVER,
	 {{"rx_missed_errors", 1},
	  {"rx_no_buffer_count", 2},
	  {"rx_queue_0_drops", 4},
	  {"rx_queue_1_drops", 8}},
	 ND_NIC_RX_RING_FULL,
	 13},
	{"igc", "igb", ND_NIC_BY_DRIVER, {{"rx_no_buffer_count", 2}}, ND_NIC_RX_NO_BUFFER_HINT, 2},
	{NULL,
	 "igb",
	 ND_NIC_BY_NAMES,
	 {{"rx_missed_errors", 1}, {"rx_no_buffer_count", 2}, {"rx_queue_0_drops", 4}},
	 ND_NIC_RX_RING_FULL,
	 5},
	{NULL,
	 "e1000e",
	 ND_NIC_BY_NAMES,
	 {{"rx_missed_errors", 1}, {"rx_no_buffer_count", 2}},
	 ND_NIC_RX_RING_FULL,
	 1},
	{"e1000e",
	 "e1000e",
	 ND_NIC_BY_DRIVER,
	 {{"rx_crc_errors", 1},
	  {"rx_align_errors", 2},
	  {"rx_frame_errors", 4},
	  {"rx_csum_offload_errors", 8}},
	 ND_NIC_RX_PHY_ERRORS,
	 3},
	{"ixgbe",
	 "ixgbe",
	 ND_NIC_BY_DRIVER,
	 {{"rx_missed_errors", 1}, {"rx_no_dma_resources", 2}, {"rx_no_buffer_count", 4}},
	 ND_NIC_RX_RING_FULL,
	 3},
	{NULL,
	 "ixgbe",
	 ND_NIC_BY_NAMES,
	 {{"rx_missed_errors", 1}, {"rx_no_buffer_count", 2}, {"rx_no_dma_resources", 4}},
	 ND_NIC_RX_RING_FULL,
	 5},
	{"i40e",
	 "i40e",
	 ND_NIC_BY_DRIVER,
	 {{"rx_dropped", 1}, {"port.rx_dropped", 2}, {"veb.rx_discards", 4}},
	 ND_NIC_RX_RING_FULL,
	 2},
	{"i40e",
	 "i40e",
	 ND_NIC_BY_DRIVER,
	 {{"port.rx_dropped", 2}, {"port.rx_discards", 4}},
	 ND_NIC_RX_RING_FULL,
	 4},
	{NULL,
	 "i40e",
	 ND_NIC_BY_NAMES,
	 {{"rx_crc_errors", 1}, {"port.rx_crc_errors", 2}},
	 ND_NIC_RX_PHY_ERRORS,
	 2},
	{"ice",
	 "ice",
	 ND_NIC_BY_DRIVER,
	 {{"rx_dropped", 1}, {"rx_dropped.nic", 2}},
	 ND_NIC_RX_RING_FULL,
	 3},
	{"mlx5_core",
	 "mlx5_core",
	 ND_NIC_BY_DRIVER,
	 {{"rx_out_of_buffer", 1}, {"rx_steer_missed_packets", 2}, {"rx_discards_phy", 4}},
	 ND_NIC_RX_RING_FULL,
	 1},
	{NULL,
	 "mlx5_core",
	 ND_NIC_BY_NAMES,
	 {{"rx_out_of_buffer", 1}, {"rx_discards_phy", 2}, {"rx_prio0_discards", 4}},
	 ND_NIC_RX_PORT_DISCARDS,
	 2},
	{"mlx5_core",
	 "mlx5_core",
	 ND_NIC_BY_DRIVER,
	 {{"rx_prio0_discards", 1}, {"rx_prio3_discards", 2}},
	 ND_NIC_RX_PORT_DISCARDS,
	 3},
	{"mlx5_core",
	 "mlx5_core",
	 ND_NIC_BY_DRIVER,
	 {{"tx_pause_ctrl_phy", 1}, {"tx_global_pause", 1}},
	 ND_NIC_PAUSE_TX,
	 1},
	{"mlx4_en",
	 "mlx4_en",
	 ND_NIC_BY_DRIVER,
	 {{"rx_missed_errors", 7}, {"rx_fifo_errors", 7}},
	 ND_NIC_RX_RING_FULL,
	 7},
	{NULL,
	 "ena",
	 ND_NIC_BY_NAMES,
	 {{"bw_in_allowance_exceeded", 1},
	  {"pps_allowance_exceeded", 2},
	  {"conntrack_allowance_available", 4}},
	 ND_NIC_PPS_EXCEEDED,
	 2},
	{"ena",
	 "ena",
	 ND_NIC_BY_DRIVER,
	 {{"bw_in_allowance_exceeded", 1}, {"bw_out_allowance_exceeded", 2}},
	 ND_NIC_BW_OUT_EXCEEDED,
	 2},
	{"mlx5_core",
	 "mlx5_core",
	 ND_NIC_BY_DRIVER,
	 {{"rx_pause_ctrl_phy", 1}, {"rx_prio3_pause", 2}, {"rx_global_pause", 4}},
	 ND_NIC_PAUSE_RX,
	 3},
	{"mlx5_core",
	 "mlx5_core",
	 ND_NIC_BY_DRIVER,
	 {{"tx_prio0_pause_duration", 1},
	  {"tx_prio3_pause_duration", 2},
	  {"rx_prio3_pause_duration", 4}},
	 ND_NIC_PAUSE_TX_TIME,
	 3},
	{"bnx2",
	 "bnx2",
	 ND_NIC_BY_DRIVER,
	 {{"rx_fw_discards", 1}, {"rx_ftq_discards", 2}, {"rx_filtered_packets", 4}},
	 ND_NIC_RX_RING_FULL,
	 3},
	{NULL,
	 "atlantic",
	 ND_NIC_BY_NAMES,
	 {{"InDroppedDma", 1}, {"InErrors", 2}},
	 ND_NIC_RX_RING_FULL,
	 1},
	{NULL,
	 "mvneta",
	 ND_NIC_BY_NAMES,
	 {{"rx_discard", 1}, {"rx_overrun", 2}, {"bad_crc_event", 4}},
	 ND_NIC_RX_RING_FULL,
	 3},
	{"r8125", "r8169", ND_NIC_BY_DRIVER, {{"rx_missed", 1}}, ND_NIC_RX_RING_FULL, 1},
	{"e1000e",
	 "e1000e",
	 ND_NIC_BY_DRIVER,
	 {{"tx_abort_late_coll", 1}, {"tx_window_errors", 1}},
	 ND_NIC_LATE_COLLISIONS,
	 1},
	{"newnic",
	 "",
	 ND_NIC_BY_PATTERN,
	 {{"rx_pause_frames", 1}, {"tx_pause_frames", 2}, {"mac_rx_xoff", 4}},
	 ND_NIC_PAUSE_RX,
	 1},
	{NULL,
	 "ena",
	 ND_NIC_BY_NAMES,
	 {{"queue_0_rx_empty_rx_ring", 1},
	  {"queue_1_rx_empty_rx_ring", 2},
	  {"queue_0_rx_drops", 4}},
	 ND_NIC_RX_RING_FULL,
	 3},
	{"virtio_net",
	 "virtio_net",
	 ND_NIC_BY_DRIVER,
	 {{"rx_drops", 3}, {"rx0_drops", 1}, {"rx1_drops", 2}, {"rx0_xdp_drops", 9}},
	 ND_NIC_RX_DRIVER_DROPS,
	 3},
	{NULL,
	 "virtio_net",
	 ND_NIC_BY_NAMES,
	 {{"rx_queue_0_kicks", 9}, {"rx_queue_0_drops", 1}, {"rx_queue_1_drops", 2}},
	 ND_NIC_RX_DRIVER_DROPS,
	 3},
	{"bnxt_en",
	 "bnxt_en",
	 ND_NIC_BY_DRIVER,
	 {{"[0]: rx_discards", 1}, {"[1]: rx_discards", 2}, {"rx_total_ring_discards", 3}},
	 ND_NIC_RX_RING_FULL,
	 3},
	{"bnxt_en",
	 "bnxt_en",
	 ND_NIC_BY_DRIVER,
	 {{"[0]: rx_discards", 1}, {"[1]: rx_discards", 2}},
	 ND_NIC_RX_RING_FULL,
	 3},
	{"tg3", "tg3", ND_NIC_BY_DRIVER, {{"rx_discards", 1}}, ND_NIC_RX_RING_FULL, 1},
	{"bnx2x",
	 "bnx2x",
	 ND_NIC_BY_DRIVER,
	 {{"rx_discards", 3}, {"[0]: rx_discards", 3}},
	 ND_NIC_RX_RING_FULL,
	 3},
	{"hv_netvsc",
	 "hv_netvsc",
	 ND_NIC_BY_DRIVER,
	 {{"rx_no_memory", 1}},
	 ND_NIC_RX_ALLOC_FAILED,
	 1},
	{"gve",
	 "gve",
	 ND_NIC_BY_DRIVER,
	 {{"rx_no_buffers_posted[0]", 1},
	  {"rx_no_buffers_posted[1]", 2},
	  {"rx_queue_drop_cnt[0]", 4}},
	 ND_NIC_RX_RING_FULL,
	 3},
	{"r8169", "r8169", ND_NIC_BY_DRIVER, {{"rx_missed", 1}}, ND_NIC_RX_RING_FULL, 1},
	{"vmxnet3",
	 "vmxnet3",
	 ND_NIC_BY_DRIVER,
	 {{"pkts rx OOB", 1}, {"drv dropped rx total", 4}, {"pkts rx OOB", 2}},
	 ND_NIC_RX_RING_FULL,
	 3},
	{"mana", "mana", ND_NIC_BY_DRIVER, {{"stop_queue", 1}}, ND_NIC_TX_STALLS, 1},
	{"newnic",
	 "",
	 ND_NIC_BY_PATTERN,
	 {{"rx_no_buffer_drops", 1}, {"rx_missed", 2}, {"rx0_missed", 2}},
	 ND_NIC_RX_RING_FULL,
	 2},
	{NULL,
	 "",
	 ND_NIC_BY_PATTERN,
	 {{"rx0_missed", 1}, {"rx1_missed", 2}},
	 ND_NIC_RX_RING_FULL,
	 3},
	{NULL, "", ND_NIC_BY_PATTERN, {{"rx_OOB", 1}}, ND_NIC_RX_RING_FULL, 1},
	{NULL,
	 "",
	 ND_NIC_BY_PATTERN,
	 {{"rx_crc_errors", 1}, {"rx_errors", 2}},
	 ND_NIC_RX_PHY_ERRORS,
	 1},
	{NULL, "", ND_NIC_BY_PATTERN, {{"pps_allowance_exceeded", 1}}, ND_NIC_PPS_EXCEEDED, 1},
};

static void test_sums(void **state)
{
	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(sums); i++) {
		struct sums s = sums_of(sums[i].driver, sums[i].c, length(sums[i].c));

		if (!(s.found >> sums[i].meaning & 1) || s.v[sums[i].meaning] != sums[i].sum)
			fail_msg("row %zu: %s: sum %llu, expected %llu", i, sums[i].c[0].name,
				 (unsigned long long)s.v[sums[i].meaning],
				 (unsigned long long)sums[i].sum);
		assert_string_equal(nd_nic_map_name(s.map), sums[i].map);
		assert_int_equal(s.how, sums[i].how);
	}
}

/* What looks alike and means something else. */
static void test_nothing_found(void **state)
{
	static const struct {
		const char *driver;
		struct nd_nic_counter c[COUNTERS];
	} rows[] = {
		{"virtio_net", {{"rx_drops", 1}, {"rx_missed_errors", 2}}},
		{"hv_netvsc", {{"rx_no_memory", 1}, {"rx_comp_busy", 2}}},
		{"mlx5_core", {{"rx_discards_phy", 1}, {"rx_steer_missed_packets", 2}}},
		{NULL, {{"tx_missed", 1}, {"total_missed_irqs", 2}, {"rx_csum_errors", 4}}},
		{NULL, {{"rx_packets", 1}}},
		{NULL, {{NULL, 0}}},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++)
		if (sums_of(rows[i].driver, rows[i].c, length(rows[i].c)).found >>
			    ND_NIC_RX_RING_FULL &
		    1)
			fail_msg("row %zu", i);
}

static void test_blind(void **state)
{
	static const char *const blind[] = {"virtio_net", "hv_netvsc", "mana"};
	enum nd_nic_how how;

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(blind); i++) {
		const struct nd_nic_map *map = nd_nic_map(blind[i], NULL, 0, &how);

		assert_non_null(strstr(nd_nic_map_blind(map, ND_NIC_RX_RING_FULL), blind[i]));
		assert_null(nd_nic_map_blind(map, ND_NIC_TX_STALLS));
		assert_false(nd_nic_map_has(map, ND_NIC_RX_RING_FULL));
	}
	assert_null(nd_nic_map_blind(nd_nic_map("igb", NULL, 0, &how), ND_NIC_RX_RING_FULL));
	assert_true(nd_nic_map_has(nd_nic_map("igb", NULL, 0, &how), ND_NIC_RX_RING_FULL));
}

static void test_queue(void **state)
{
	static const struct {
		const char *name;
		int tx; /* -1: of no queue */
		uint32_t queue;
	} rows[] = {
		{"rx_queue_3_packets", 0, 3}, {"tx_queue_12_packets", 1, 12},
		{"rx-0.packets", 0, 0},	      {"rx0_packets", 0, 0},
		{"queue_7_rx_cnt", 0, 7},     {"[2]: rx_ucast_packets", 0, 2},
		{"4: rcv_pkts", 0, 4},	      {"Queue[1] OutPackets", 1, 1},
		{"q5_rx_pkt_n", 0, 5},	      {"rx_packets", -1, 0},
		{"rx_prio0_packets", -1, 0},  {"rx_queue_3_bytes", -1, 0},
		{"rx_64_packets", -1, 0},     {"rx99999999999_packets", -1, 0},
	};
	bool tx;
	uint32_t queue;

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		bool found = nd_nic_queue(rows[i].name, &tx, &queue);

		if (found != (rows[i].tx >= 0) ||
		    (found && (tx != rows[i].tx || queue != rows[i].queue)))
			fail_msg("%s", rows[i].name);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_match), cmocka_unit_test(test_queue),
		cmocka_unit_test(test_sums),  cmocka_unit_test(test_nothing_found),
		cmocka_unit_test(test_blind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
