/* Text of ethtool: counters and their meaning, rings, channels, driver, speed; and the ioctls of
 * this host. */
#include "tests/unit/iface_input.h"

#include <errno.h>

#define HOST "tests/hosts/kernel-6.18/"
extern const struct nd_collector nd_collector_ethtool, nd_collector_netdev,
	nd_collector_netdev_tool;
static const struct nd_collector *const c = &nd_collector_ethtool;

static const char e1000e[] = "NIC statistics:\n"
			     "     rx_packets: 176715090074\n"
			     "     tx_packets: 88349116734\n"
			     "     rx_crc_errors: 0\n"
			     "     rx_no_buffer_count: 830920320\n"
			     "     rx_missed_errors: 1228956027\n"
			     "     alloc_rx_buff_failed: 2000\n"
			     "     rx_dma_failed: 0\n";
static const char vmxnet3[] = "NIC statistics:\n"
			      "  Tx Queue#: 0\n"
			      "    ucast pkts tx: 10\n"
			      "    ring full: 3\n"
			      "  Rx Queue#: 0\n"
			      "    pkts rx OOB: 7\n"
			      "    drv dropped rx total: 9\n"
			      "       rx buf alloc fail: 2\n"
			      "  Rx Queue#: 1\n"
			      "    pkts rx OOB: 30\n"
			      "  tx timeout count: 1\n";
static const char by_heading[] = "NIC statistics:\n"
				 "     rx_missed: 5\n"
				 "     temperature: -3\n"
				 "     link: up\n"
				 "  queue[0]:\n"
				 "    rx_missed: 2\n"
				 "  queue[1]:\n"
				 "    rx_missed: 3\n"
				 "     last_missed: 9\n";
static const char rings[] = "Ring parameters for eth1:\n"
			    "Pre-set maximums:\n"
			    "RX:\t\t4096\n"
			    "RX Mini:\t0\n"
			    "RX Jumbo:\t0\n"
			    "TX:\t\t2048\n"
			    "Current hardware settings:\n"
			    "RX:\t\t256\n"
			    "RX Mini:\t0\n"
			    "RX Jumbo:\t0\n"
			    "TX:\t\t512\n"
			    "RX Buf Len:\t\tn/a\n";

/* What each driver's counters become, with and without the driver's name. */
static void test_counters(void **state)
{
	static const struct {
		const char *driver, *text, *map;
		double full, hint, alloc; /* negative: missing */
	} rows[] = {
		{NULL, e1000e, "e1000e (by counter names)", 1228956027, 830920320, 2000},
		{"e1000e", e1000e, "e1000e (by driver)", 1228956027, 830920320, 2000},
		{"igb", e1000e, "igb (by driver)", 1228956027, 830920320, -1},
		{NULL, vmxnet3, "vmxnet3 (by counter names)", 37, -1, 2},
		{NULL, by_heading, "unknown driver (by pattern)", 5, -1, -1},
		{"newnic", by_heading, "newnic (by pattern)", 5, -1, -1},
		{"newnic",
		 "NIC statistics:\n  queue[0]:\n    rx_missed: 2\n  queue[1]:\n    rx_missed: 3\n",
		 "newnic (by pattern)", 5, -1, -1},
		{NULL, "     rx_errors: 13551\n     port.rx_crc_errors: 13551\n",
		 "i40e (by counter names)", -1, -1, -1},
		{"bnxt_en", "NIC statistics:\n     [0]: rx_discards: 4\n     [1]: rx_discards: 5\n",
		 "bnxt_en (by driver)", 9, -1, -1},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct store s = store_new();
		char info[64];

		snprintf(info, sizeof(info), "driver: %s\nversion: 1\n",
			 rows[i].driver ? rows[i].driver : "");
		if (rows[i].driver)
			assert_int_equal(feed_text(&s, c, "ethtool-i-eth0", "eth0", info), 0);
		assert_int_equal(feed_text(&s, c, "ethtool-S-eth0", "eth0", rows[i].text), 0);
		expect_text(&s, "eth0", "hw.map", rows[i].map);
		if (rows[i].full >= 0)
			expect_num(&s, "eth0", "hw.rx_ring_full", rows[i].full);
		else
			assert_int_equal(ask_total(&s, "eth0", "hw.rx_ring_full").type,
					 ND_V_MISSING);
		if (rows[i].hint >= 0)
			expect_num(&s, "eth0", "hw.rx_no_buffer_hint", rows[i].hint);
		if (rows[i].alloc >= 0)
			expect_num(&s, "eth0", "hw.rx_alloc_failed", rows[i].alloc);
		else
			assert_int_equal(ask_total(&s, "eth0", "hw.rx_alloc_failed").type,
					 ND_V_MISSING);
		store_free(&s);
	}
}

static void test_why_missing(void **state)
{
	static const struct {
		const char *driver, *text, *fact;
		enum nd_missing why;
		const char *words;
	} rows[] = {
		{"virtio_net", "     rx_drops: 4\n", "hw.rx_ring_full", ND_NOT_ON_THIS_KERNEL,
		 "tap device on the host"},
		{"virtio_net", "     rx_drops: 4\n", "hw.tx_timeouts", ND_TOOL_OUTPUT_ABSENT,
		 "shows none of the counters"},
		{"igb", "     rx_crc_errors: 4\n", "hw.rx_ring_full", ND_TOOL_OUTPUT_ABSENT,
		 "that igb has"},
		{"igb", "     rx_crc_errors: 4\n", "hw.bw_in_exceeded", ND_NOT_ON_THIS_KERNEL,
		 "driver igb has no counter"},
		{"newnic", "     rx_things: 4\n", "hw.rx_ring_full", ND_NOT_ON_THIS_KERNEL,
		 "driver newnic has no counter known"},
		{NULL, "     rx_things: 4\n", "hw.rx_ring_full", ND_NOT_ON_THIS_KERNEL,
		 "driver (unknown) has no"},
		{NULL, "no stats available\n", "hw.rx_ring_full", ND_NOT_ON_THIS_KERNEL,
		 "no stats available"},
		{NULL,
		 "Ring parameters for eth0:\nCannot get device ring settings: Operation not "
		 "supported\n",
		 "ring.rx", ND_NOT_ON_THIS_KERNEL, "Operation not supported"},
		{NULL,
		 "Channel parameters for eth0:\nCannot get device channel parameters\n: Operation "
		 "not supported\n",
		 "channels", ND_NOT_ON_THIS_KERNEL, "Cannot get"},
		{NULL, "Ring parameters for eth0:\nCurrent hardware settings:\nRX:\t\tn/a\n",
		 "ring.rx", ND_NOT_ON_THIS_KERNEL, "does not tell"},
		{NULL, "Settings for eth0:\n\tSpeed: Unknown!\n", "speed", ND_NOT_ON_THIS_KERNEL,
		 "no speed"},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct store s = store_new();
		char info[64];

		snprintf(info, sizeof(info), "driver: %s\n", rows[i].driver ? rows[i].driver : "");
		if (rows[i].driver)
			assert_int_equal(feed_text(&s, c, "ethtool-i-eth0", "eth0", info), 0);
		if (feed_text(&s, c, "ethtool-S-eth0", "eth0", rows[i].text))
			fail_msg("row %zu: %s", i, s.e.msg);
		expect_missing(&s, "eth0", rows[i].fact, rows[i].why, rows[i].words);
		store_free(&s);
	}
}

/* A gap at one moment does not hide the counter of another. */
static void test_moments(void **state)
{
	struct store s = store_new();
	struct nd_value v;

	(void)state;
	assert_int_equal(
		feed(&s, c, "ethtool-S-eth0@0", "eth0", "     rx_out_of_buffer: 5\n", 25, 0), 0);
	assert_int_equal(
		feed(&s, c, "ethtool-S-eth0@10", "eth0", "     rx_out_of_buffer: 25\n", 26, 10), 0);
	v = ask(&s, "eth0", "hw.rx_ring_full", ND_RATE);
	assert_true(v.type == ND_V_NUMBER && v.num == 2);
	store_free(&s);
}

static void test_packets(void **state)
{
	struct store s = store_new();

	(void)state;
	assert_int_equal(feed_text(&s, c, "ethtool-S-eth0", "eth0", e1000e), 0);
	expect_num(&s, "eth0", "rx.packets", 176715090074);
	expect_num(&s, "eth0", "tx.packets", 88349116734);
	store_free(&s);
}

static void test_rings(void **state)
{
	struct store s = store_new();

	(void)state;
	assert_int_equal(feed_text(&s, c, "ethtool-g-eth0", "eth0", rings), 0);
	expect_num(&s, "eth1", "ring.rx", 256); /* the heading inside outweighs the file's name */
	expect_num(&s, "eth1", "ring.rx.max", 4096);
	expect_num(&s, "eth1", "ring.tx", 512);
	expect_num(&s, "eth1", "ring.tx.max", 2048);
	expect_unsaid(&s, "eth0", "ring.rx");
	store_free(&s);
}

static void test_channels(void **state)
{
	static const struct {
		const char *max_rx, *max_combined, *rx, *combined;
		double now, most; /* negative: missing */
	} rows[] = {
		{"n/a", "8", "n/a", "4", 4, 8},	      {"0", "8", "0", "8", 8, 8},
		{"37", "74", "0", "8", 8, 74}, /* both kinds possible: those in use count */
		{"37", "74", "8", "0", 8, 37},	      {"4", "0", "2", "0", 2, 4},
		{"n/a", "n/a", "n/a", "n/a", -1, -1},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct store s = store_new();
		char text[512];

		snprintf(text, sizeof(text),
			 "Channel parameters for eth0:\nPre-set "
			 "maximums:\nRX:\t\t%s\nTX:\t\t9\nOther:\t\t1\nCombined:\t%s\n"
			 "Current hardware "
			 "settings:\nRX:\t\t%s\nTX:\t\t9\nOther:\t\t1\nCombined:\t%s\n",
			 rows[i].max_rx, rows[i].max_combined, rows[i].rx, rows[i].combined);
		assert_int_equal(feed_text(&s, c, "ethtool-l-eth0", "eth0", text), 0);
		if (rows[i].now < 0) {
			expect_missing(&s, "eth0", "channels", ND_NOT_ON_THIS_KERNEL, NULL);
			expect_missing(&s, "eth0", "channels.max", ND_NOT_ON_THIS_KERNEL, NULL);
		} else {
			expect_num(&s, "eth0", "channels", rows[i].now);
			expect_num(&s, "eth0", "channels.max", rows[i].most);
		}
		store_free(&s);
	}
}

/* Packets of each queue, and of all from them where the driver has no total. */
static void test_queues(void **state)
{
	struct store s = store_new();
	nd_fact_id id = nd_registry_find(s.r, ND_QUEUE, "packets");
	nd_id q;

	(void)state;
	assert_int_equal(feed_text(&s, c, "ethtool-S-eth0", "eth0",
				   "NIC statistics:\n     queue_0_rx_cnt: 5\n"
				   "     queue_1_rx_cnt: 30\n     queue_0_tx_cnt: 7\n"),
			 0);
	expect_num(&s, "eth0", "rx.packets", 35);
	expect_num(&s, "eth0", "tx.packets", 7);
	q = nd_entity_find(s.f, ND_QUEUE, "eth0/rx-1");
	assert_true(q != ND_NO_ENTITY && id >= 0);
	assert_true(nd_get(s.f, q, id, ND_TOTAL).num == 30);
	store_free(&s);
}

/* Counters that nothing names belong to the only interface there is, else to one of their own. */
static void test_nameless(void **state)
{
	static const char text[] = "NIC statistics:\n     rx_crc_errors: 5\n";
	struct store s = store_new();

	(void)state;
	assert_int_equal(feed_text(&s, &nd_collector_netdev_tool, "ifconfig", NULL,
				   "lo        Link encap:Local Loopback\n          RX packets:7\n\n"
				   "eth7      Link encap:Ethernet\n          RX packets:7\n"),
			 0);
	assert_int_equal(feed_text(&s, c, "stats", NULL, text), 0);
	expect_num(&s, "eth7", "hw.rx_phy_errors", 5);
	store_free(&s);
	s = store_new();
	assert_int_equal(feed_text(&s, c, "stats", NULL, text), 0);
	expect_num(&s, "unnamed0", "hw.rx_phy_errors", 5);
	store_free(&s);
}

static void test_refused(void **state)
{
	static const struct {
		const char *arg, *text;
	} rows[] = {
		{"eth0", ""},
		{"eth0", "command not found\n"},
		{"eth0", "NIC statistics:\n"},
		{"eth0", "NIC statistics:\n     rx_missed_errors: 1e5\n"},
		{NULL, "NIC statistics:\n     name: value\n"},
		{"eth0", "NIC statistics:\n     rx_missed_errors: 5"}, /* 5 or 53? */
		{NULL, "Ring parameters for a/b:\nCurrent hardware settings:\nRX:\t5\n"},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct store s = store_new();

		if (feed_text(&s, c, "ethtool-S-eth0", rows[i].arg, rows[i].text) != -EINVAL)
			fail_msg("row %zu was taken", i);
		assert_non_null(strstr(s.e.msg, "expected output of ethtool"));
		store_free(&s);
	}
}

static void test_recording(void **state)
{
	static const char *const files[] = {"ethtool_-i_eth0.txt", "ethtool_-S_eth0.txt",
					    "ethtool_-g_eth0.txt", "ethtool_-l_eth0.txt",
					    "ethtool_eth0.txt"};
	struct store s = store_new();

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(files); i++) {
		char path[128];

		snprintf(path, sizeof(path), HOST "%s", files[i]);
		if (feed_file(&s, c, path, "eth0"))
			fail_msg("%s", s.e.msg);
	}
	expect_text(&s, "eth0", "driver", "virtio_net");
	expect_text(&s, "eth0", "hw.map", "virtio_net (by driver)");
	expect_num(&s, "eth0", "hw.rx_driver_drops", 0);
	expect_num(&s, "eth0", "hw.tx_timeouts", 0);
	expect_missing(&s, "eth0", "hw.rx_ring_full", ND_NOT_ON_THIS_KERNEL, "tx_dropped");
	expect_num(&s, "eth0", "ring.rx", 256);
	expect_num(&s, "eth0", "ring.rx.max", 256);
	expect_num(&s, "eth0", "channels", 1);
	expect_num(&s, "eth0", "channels.max", 1);
	expect_missing(&s, "eth0", "speed", ND_NOT_ON_THIS_KERNEL, NULL);
	store_free(&s);
}

/* What is known to be no device has no ring: that is an answer. */
static void test_finish(void **state)
{
	struct store s = store_new();

	(void)state;
	assert_int_equal(feed_text(&s, &nd_collector_netdev_tool, "ifconfig", NULL,
				   "lo        Link encap:Local Loopback\n          RX packets:7\n\n"
				   "eth0      Link encap:Ethernet\n          RX packets:7\n"),
			 0);
	c->finish(s.f);
	assert_int_equal(ask_total(&s, "lo", "ring.rx").type, ND_V_ABSENT);
	assert_int_equal(ask_total(&s, "lo", "hw.rx_ring_full").type, ND_V_ABSENT);
	expect_unsaid(&s, "eth0", "ring.rx");
	store_free(&s);
}

static void test_cut_and_garbled(void **state)
{
	static const char *const texts[] = {vmxnet3, by_heading, rings};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(texts); i++)
		garble(c, "x", "eth0", texts[i], strlen(texts[i]));
	cut_everywhere(c, "x", "eth0", rings, strlen(rings));
}

/* Live: the cards of this host, if it has any; nothing else is asked. */
static void test_live(void **state)
{
	static const struct nd_collector *const both[] = {&nd_collector_netdev,
							  &nd_collector_ethtool};
	struct nd_source *source = nd_source_live("/proc", "/sys");
	struct store s = store_new();
	void *kept[2] = {NULL, NULL};
	uint32_t n;
	const nd_id *ids;

	(void)state;
	for (uint32_t moment = 0; moment < 2; moment++) {
		for (int k = 0; k < 2; k++) {
			struct nd_live l = {.source = source,
					    .moment = moment,
					    .first = moment == 0,
					    .state = &kept[k]};

			l.in = (struct nd_input){
				.path = "", .t_ns = nd_source_now(source), .netns = "host"};
			nd_facts_speaker(s.f, (uint32_t)k);
			if (both[k]->live(&l, s.f, &s.e))
				fail_msg("%s", s.e.msg);
		}
	}
	c->finish(s.f);
	ids = nd_entities(s.f, ND_IFACE, &n);
	for (uint32_t i = 0; i < n; i++) {
		const char *name = nd_entity_key(s.f, ids[i]);
		struct nd_value kind = ask_total(&s, name, "link_kind"),
				map = ask_total(&s, name, "hw.map");

		if (kind.type != ND_V_TEXT)
			continue;
		if (strcmp(kind.text, "physical") != 0)
			assert_int_equal(map.type, ND_V_ABSENT);
		else if (map.type == ND_V_TEXT) /* else a reason */
			assert_non_null(strstr(map.text, "(by "));
		else
			assert_true(map.type == ND_V_MISSING && map.detail[0]);
	}
	for (int k = 0; k < 2; k++)
		both[k]->end(kept[k]);
	nd_source_free(source);
	store_free(&s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counters), cmocka_unit_test(test_why_missing),
		cmocka_unit_test(test_moments),	 cmocka_unit_test(test_packets),
		cmocka_unit_test(test_rings),	 cmocka_unit_test(test_channels),

		cmocka_unit_test(test_queues),	 cmocka_unit_test(test_nameless),
		cmocka_unit_test(test_refused),	 cmocka_unit_test(test_recording),
		cmocka_unit_test(test_finish),	 cmocka_unit_test(test_cut_and_garbled),
		cmocka_unit_test(test_live),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
