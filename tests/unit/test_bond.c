/* /proc/net/bonding as kernels print it: LACP, active-backup, old; cut, garbled and empty. */
#include "tests/unit/parse_text.h"

#include "collectors/netdev.h"

#include <errno.h>

extern const struct nd_collector nd_collector_bond, nd_collector_netdev_tool;
static const struct nd_collector *const c = &nd_collector_bond;
static const struct nd_collector *const both[] = {&nd_collector_bond, &nd_collector_netdev_tool,
						  NULL};

#define HEAD "Ethernet Channel Bonding Driver: v3.7.1 (April 27, 2011)\n\n"
static const char lacp[] = HEAD "Bonding Mode: IEEE 802.3ad Dynamic link aggregation\n"
				"Transmit Hash Policy: layer2+3 (2)\n"
				"MII Status: up\n"
				"MII Polling Interval (ms): 100\n"
				"\n"
				"802.3ad info\n"
				"LACP rate: slow\n"
				"Active Aggregator Info:\n"
				"\tAggregator ID: 1\n"
				"\tNumber of ports: 1\n"
				"\tPartner Mac Address: 00:00:5e:00:53:01\n"
				"\n"
				"Slave Interface: eth0\n"
				"MII Status: up\n"
				"Speed: 10000 Mbps\n"
				"Duplex: full\n"
				"Link Failure Count: 3\n"
				"Permanent HW addr: 00:00:5e:00:53:02\n"
				"Aggregator ID: 1\n"
				"\n"
				"Slave Interface: eth1\n"
				"MII Status: going down\n"
				"Speed: Unknown\n"
				"Link Failure Count: 0\n"
				"Aggregator ID: 2\n";
static const char backup[] = "Ethernet Channel Bonding Driver: v3.4.0-1 (October 7, 2008)\r\n\r\n"
			     "Bonding Mode: fault-tolerance (active-backup)\r\n"
			     "Primary Slave: None\r\n"
			     "Currently Active Slave: net0\r\n"
			     "MII Status: up\r\n"
			     "\r\n"
			     "Slave Interface: net0\r\n"
			     "MII Status: up\r\n"
			     "Link Failure Count: 2\r\n";

static void test_lacp(void **state)
{
	struct world w;
	struct nd_links master;

	(void)state;
	world_open(&w, both);
	assert_int_equal(feed_arg(&w, c, "bond0", "bond0", 0, lacp), 0);
	assert_text(&w, ND_IFACE, "bond0", "bond.mode", "802.3ad");
	assert_text(&w, ND_IFACE, "bond0", "bond.hash", "layer2+3");
	assert_text(&w, ND_IFACE, "bond0", "bond.status", "up");
	assert_text(&w, ND_IFACE, "bond0", "link_kind", "bond");
	assert_number(&w, ND_IFACE, "bond0", "bond.ports", ND_BARE, 1);
	assert_number(&w, ND_IFACE, "bond0", "bond.aggregator", ND_BARE, 1);
	assert_number(&w, ND_IFACE, "bond0", "bond.members", ND_BARE, 2);
	assert_text(&w, ND_IFACE, "eth1", "bond.status", "going");
	assert_number(&w, ND_IFACE, "eth1", "bond.aggregator", ND_BARE, 2);
	assert_number(&w, ND_IFACE, "eth0", "bond.failures", ND_TOTAL, 3);
	assert_number(&w, ND_IFACE, "eth0", "speed", ND_BARE, 1.25e9);
	assert_int_equal(value(&w, ND_IFACE, "eth0", "bond.mode", ND_BARE).type, ND_V_ABSENT);
	master = nd_related(w.facts, nd_entity_find(w.facts, ND_IFACE, "eth1"), ND_IFACE_MASTER,
			    false);
	assert_int_equal(master.n, 1);
	assert_string_equal(nd_entity_key(w.facts, master.ids[0]), "bond0");
	world_close(&w);
}

/* An old kernel, with the line ends of a mail; and a text that does not name its bond. */
static void test_backup(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, both);
	assert_int_equal(feed_arg(&w, c, "bond1", "bond1", 0, backup), 0);
	assert_text(&w, ND_IFACE, "bond1", "bond.mode", "active-backup");
	assert_number(&w, ND_IFACE, "net0", "bond.failures", ND_TOTAL, 2);
	world_close(&w);
	world_open(&w, both);
	assert_int_equal(feed(&w, c, "pasted", 0, lacp), 0);
	assert_text(&w, ND_IFACE, "eth0", "bond.status", "up");
	assert_int_equal(count(&w, ND_IFACE), 2);
	world_close(&w);
}

/* What is known to be something else is no bond, and in none. */
static void test_others(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, both);
	assert_int_equal(
		feed(&w, &nd_collector_netdev_tool, "ip-d-link.txt", 0,
		     "2: eth0: <UP> mtu 1500 qdisc mq state UP\n"
		     "    link/ether 02:00:00:00:00:01 parentbus pci parentdev 0000:00:03.0\n"),
		0);
	c->finish(w.facts);
	assert_int_equal(value(&w, ND_IFACE, "eth0", "bond.members", ND_BARE).type, ND_V_ABSENT);
	assert_int_equal(value(&w, ND_IFACE, "eth0", "bond.status", ND_BARE).type, ND_V_ABSENT);
	world_close(&w);
}

static void test_refused(void **state)
{
	static const char *const texts[] = {"", "\n", "no bond here\n", "Bonding Mode\n",
					    "Slave Interfaces: eth0\n"};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(texts); i++) {
		struct world w;

		world_open(&w, both);
		if (feed_arg(&w, c, "bond0", "bond0", 0, texts[i]) != -EINVAL)
			fail_msg("row %zu was taken", i);
		assert_non_null(strstr(w.err.msg, "expected 'Ethernet Channel"));
		world_close(&w);
	}
}

/* A number that may have lost its last digit is not taken, nor the number of members. */
static void test_cut(void **state)
{
	struct world w;
	char text[sizeof(lacp)];
	char *at;

	(void)state;
	memcpy(text, lacp, sizeof(lacp));
	at = strstr(text, "Link Failure Count: 3");
	at[strlen("Link Failure Count: 3")] = '\0';
	world_open(&w, both);
	assert_int_equal(feed_arg(&w, c, "bond0", "bond0", 0, text), 0);
	assert_missing(&w, ND_IFACE, "eth0", "bond.failures", ND_TOTAL, ND_NOT_SAMPLED);
	assert_missing(&w, ND_IFACE, "bond0", "bond.members", ND_BARE, ND_NOT_SAMPLED);
	world_close(&w);
}

static void test_torture(void **state)
{
	(void)state;
	torture(both, c, "bond0", "bond0", lacp);
	torture(both, c, "pasted", NULL, backup);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lacp),   cmocka_unit_test(test_backup),
		cmocka_unit_test(test_others), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_cut),    cmocka_unit_test(test_torture),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
