/* Text of ethtool about the link and its settings: plain, -k, -a, -c. */
#include "tests/unit/iface_input.h"

extern const struct nd_collector nd_collector_ethtool;
static const struct nd_collector *const c = &nd_collector_ethtool;

static void test_settings(void **state)
{
	struct store s = store_new();

	(void)state;
	assert_int_equal(feed_text(&s, c, "ethtool-eth0", "eth0",
				   "Settings for eth0:\n\tSpeed: 10000Mb/s\n\tDuplex: Full\n"),
			 0);
	expect_num(&s, "eth0", "speed", 1.25e9);
	store_free(&s);
}

static const char settings[] = "Settings for eth0:\n"
			       "\tSupported ports: [ TP ]\n"
			       "\tSupported link modes:   10baseT/Half 10baseT/Full\n"
			       "\t                        100baseT/Half 100baseT/Full\n"
			       "\t                        1000baseT/Full\n"
			       "\tSupported pause frame use: Symmetric\n"
			       "\tSupports auto-negotiation: Yes\n"
			       "\tAdvertised link modes:  10baseT/Half 10baseT/Full\n"
			       "\t                        100baseT/Full\n"
			       "\tAdvertised auto-negotiation: Yes\n"
			       "\tLink partner advertised link modes:  Not reported\n"
			       "\tSpeed: 100Mb/s\n"
			       "\tDuplex: Half\n"
			       "\tPort: Twisted Pair\n"
			       "\tAuto-negotiation: off\n"
			       "\tLink detected: no (No cable)\n";

static void expect_bool(const struct store *s, const char *fact, bool want)
{
	struct nd_value v = ask_total(s, "eth0", fact);

	if (v.type != ND_V_BOOL || v.yes != want)
		fail_msg("%s", fact);
}

static void test_link(void **state)
{
	struct store s = store_new();

	(void)state;
	assert_int_equal(feed_text(&s, c, "ethtool-eth0", "eth0", settings), 0);
	expect_num(&s, "eth0", "speed", 100e6 / 8);
	expect_num(&s, "eth0", "speed.supported", 1e9 / 8);
	expect_num(&s, "eth0", "speed.advertised", 100e6 / 8);
	expect_missing(&s, "eth0", "speed.partner", ND_NOT_ON_THIS_KERNEL, "no such modes");
	expect_text(&s, "eth0", "duplex", "half");
	expect_text(&s, "eth0", "port", "Twisted Pair");
	expect_bool(&s, "autoneg", false);
	expect_bool(&s, "link_detected", false);
	store_free(&s);
}

/* -k of new and old tools, -a, -c. */
static void test_options(void **state)
{
	struct store s = store_new();

	(void)state;
	assert_int_equal(
		feed_text(&s, c, "ethtool-k-eth0", "eth0",
			  "Features for eth0:\nrx-checksumming: on\ntx-checksumming: off\n"
			  "\ttx-checksum-ipv4: off [fixed]\ntcp-segmentation-offload: off\n"
			  "generic-receive-offload: on\nlarge-receive-offload: off [fixed]\n"
			  "rx-gro-hw: off [requested on]\ntx-udp_tnl-segmentation: on\n"),
		0);
	expect_bool(&s, "offload.rx_checksum", true);
	expect_bool(&s, "offload.tx_checksum", false);
	expect_bool(&s, "offload.tso", false);
	expect_bool(&s, "offload.gro", true);
	expect_bool(&s, "offload.lro", false);
	expect_bool(&s, "offload.gro_hw", false);
	expect_bool(&s, "offload.udp_tunnel", true);
	store_free(&s);

	s = store_new();
	assert_int_equal(feed_text(&s, c, "old", NULL,
				   "Offload parameters for eth0:\nrx-checksumming: on\n"
				   "tcp segmentation offload: on\ngeneric-receive-offload: off\n"
				   "Pause parameters for eth0:\nAutonegotiate:\ton\nRX:\t\ton\n"
				   "TX:\t\toff\nTX negotiated:\ton\n"
				   "Coalesce parameters for eth0:\nAdaptive RX: on  TX: off\n"
				   "rx-usecs: 8\ntx-usecs: n/a\n"),
			 0);
	expect_bool(&s, "offload.tso", true);
	expect_bool(&s, "offload.gro", false);
	expect_bool(&s, "pause.rx", true);
	expect_bool(&s, "pause.tx", true);
	expect_bool(&s, "coalesce.adaptive_rx", true);
	expect_num(&s, "eth0", "coalesce.rx", 8e-6);
	expect_unsaid(&s, "eth0", "coalesce.tx");
	store_free(&s);
}

static void test_garbled(void **state)
{
	(void)state;
	garble(c, "x", "eth0", settings, strlen(settings));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_settings),
		cmocka_unit_test(test_link),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_garbled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
