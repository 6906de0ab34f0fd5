/* Interfaces from text: the formats of old and new tools, what they fold, and what was cut. */
#include "tests/unit/iface_input.h"

#include <errno.h>

#define HOST "tests/hosts/kernel-6.18/"
extern const struct nd_collector nd_collector_netdev_tool;
static const struct nd_collector *const c = &nd_collector_netdev_tool;

static const char ifconfig_old[] =
	"eth1      Link encap:Ethernet  HWaddr 02:00:00:00:00:02\n"
	"          inet addr:192.0.2.10  Bcast:192.0.2.255  Mask:255.255.255.0\n"
	"          UP BROADCAST RUNNING MULTICAST  MTU:1500  Metric:1\n"
	"          RX packets:176715630438 errors:2 dropped:1228956027 overruns:3 frame:2\n"
	"          TX packets:88349116734 errors:4 dropped:5 overruns:0 carrier:6\n"
	"          collisions:0 txqueuelen:1000 \n"
	"          RX bytes:116977383432813 (106.3 TiB)  TX bytes:85829051863672 (78.0 TiB)\n"
	"          Interrupt:177 Memory:fb6e0000-fb700000 \n"
	"\n"
	"eth1:1    Link encap:Ethernet  HWaddr 02:00:00:00:00:02\n"
	"          UP BROADCAST RUNNING MULTICAST  MTU:9000  Metric:1\n"
	"\n"
	"lo        Link encap:Local Loopback\n"
	"          RX packets:7 errors:0 dropped:0 overruns:0 frame:0\n";
static const char ifconfig_new[] =
	"eth1: flags=4163<UP,BROADCAST,RUNNING,MULTICAST>  mtu 1500\n"
	"        inet 192.0.2.10  netmask 255.255.255.0  broadcast 192.0.2.255\n"
	"        ether 02:00:00:00:00:02  txqueuelen 1000  (Ethernet)\n"
	"        RX packets 176715630438  bytes 116977383432813 (106.3 TiB)\n"
	"        RX errors 2  dropped 1228956027  overruns 3  frame 2\n"
	"        TX packets 88349116734  bytes 85829051863672 (78.0 TiB)\n"
	"        TX errors 4  dropped 5 overruns 0  carrier 6  collisions 0\n"
	"\n"
	"eth1:1: flags=4163<UP,BROADCAST,RUNNING,MULTICAST>  mtu 9000\n"
	"\n"
	"lo: flags=73<UP,LOOPBACK,RUNNING>  mtu 65536\n"
	"        RX packets 7  bytes 0 (0.0 B)\n";
static const char netstat_old[] =
	"Kernel Interface table\n"
	"Iface       MTU Met    RX-OK RX-ERR RX-DRP RX-OVR    TX-OK TX-ERR TX-DRP TX-OVR Flg\n"
	"eth1       1500   0 176715630438      2 1228956027      3 88349116734      4      5      "
	"0 BMRU\n"
	"eth1:1     1500   0      - no statistics available -                        BMRU\n"
	"lo        65536   0        7      0      0      0        7      0      0      0 LRU\n";
static const char netstat_new[] =
	"Kernel Interface table\n"
	"Iface      MTU    RX-OK RX-ERR RX-DRP RX-OVR    TX-OK TX-ERR TX-DRP TX-OVR Flg\n"
	"eth1      1500 176715630438      2 1228956027 3    88349116734      4      5      0 BMRU\n"
	"lo       65536        7      0      0 0             7      0      0      0 LRU\n";
static const char proc_dev[] =
	"Inter-|   Receive                                                |  Transmit\n"
	" face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs "
	"drop fifo colls carrier compressed\n"
	"    lo:       0       7    0    0    0     0          0         0        0       7    0   "
	" 0    0     0       0          0\n"
	"  eth1:116977383432813 176715630438    2 1228956027    3     2          0         9 "
	"85829051863672 88349116734    4    5    0     0       6          0\n";
static const char ip_old[] =
	"1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN \n"
	"    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00\n"
	"    RX: bytes  packets  errors  dropped overrun mcast   \n"
	"    0          7        0       0       0       0       \n"
	"    TX: bytes  packets  errors  dropped carrier collsns \n"
	"    0          7        0       0       0       0       \n"
	"2: eth1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq master bond0 state UP qlen "
	"1000\n"
	"    link/ether 02:00:00:00:00:02 brd ff:ff:ff:ff:ff:ff\n"
	"    RX: bytes  packets  errors  dropped overrun mcast   \n"
	"    116977383432813 176715630438 2       11       3       9       \n"
	"    RX errors: length   crc     frame   fifo    missed\n"
	"               0        8       0       3       1228956016       \n"
	"    TX: bytes  packets  errors  dropped carrier collsns \n"
	"    85829051863672 88349116734 4       5       6       0       \n";

/* The same interface, whatever tells of it. */
static void test_formats(void **state)
{
	static const struct {
		const char *path, *text;
		bool bytes, carrier;
	} rows[] = {
		{"ifconfig.txt", ifconfig_old, true, true},
		{"ifconfig -a", ifconfig_new, true, true},
		{"netstat-i", netstat_old, false, false},
		{"netstat-i", netstat_new, false, false},
		{"proc/net/dev", proc_dev, true, true},
		{"ip-s-s-link", ip_old, true, true},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct store s = store_new();
		bool ip = rows[i].text == ip_old;

		if (feed_text(&s, c, rows[i].path, NULL, rows[i].text))
			fail_msg("%s", s.e.msg);
		expect_num(&s, "eth1", "rx.packets", 176715630438);
		expect_num(&s, "eth1", "rx.errors", 2);
		expect_num(&s, "eth1", "rx.dropped", ip ? 11 : 1228956027);
		expect_num(&s, "eth1", "rx.fifo", 3);
		expect_num(&s, "eth1", "tx.packets", 88349116734);
		expect_num(&s, "eth1", "tx.errors", 4);
		expect_num(&s, "eth1", "tx.dropped", 5);
		expect_num(&s, "lo", "rx.packets", 7);
		expect_text(&s, "lo", "link_kind", "loopback");
		expect_unsaid(&s, "eth1", "link_kind");
		if (rows[i].bytes) {
			expect_num(&s, "eth1", "rx.bytes", 116977383432813);
			expect_num(&s, "eth1", "tx.bytes", 85829051863672);
		}
		if (rows[i].carrier)
			expect_num(&s, "eth1", "tx.carrier", 6);
		if (rows[i].text != proc_dev)
			expect_num(&s, "eth1", "mtu", 1500);
		if (!ip)
			expect_unsaid(&s, "eth1", "rx.missed");
		store_free(&s);
	}
}

static void test_ip(void **state)
{
	static const char names[] =
		"3: eth1.7@eth1: <UP> mtu 1400 state LOWERLAYERDOWN\n"
		"    link/ether 02:00:00:00:00:02 brd ff:ff:ff:ff:ff:ff promiscuity 0\n"
		"    vlan protocol 802.1Q id 7 <REORDER_HDR> addrgenmode eui64\n"
		"4: eth2: <UP> mtu 9000\n"
		"    link/ether 02:00:00:00:00:02 promiscuity 0 parentbus pci parentdev "
		"0000:02:00.0 \n"
		"    bond_slave state ACTIVE mii_status UP\n"
		"    RX:  bytes packets errors dropped  missed   mcast\n"
		"         1.2G     532      0       1      2       0\n"
		"    altname veth\n";
	struct store s = store_new();

	(void)state;
	assert_int_equal(feed_text(&s, c, "ip-s-s-link", NULL, ip_old), 0);
	expect_num(&s, "eth1", "rx.missed", 1228956016);
	expect_num(&s, "eth1", "rx.crc", 8);
	expect_text(&s, "eth1", "state", "up");
	assert_string_equal(master_of(&s, "eth1"), "bond0");
	assert_string_equal(master_of(&s, "lo"), "");
	store_free(&s);
	s = store_new();
	assert_int_equal(feed_text(&s, c, "ip -h -d link", NULL, names), 0);
	assert_non_null(strstr(s.e.msg, "1.2G")); /* -h rounds: no number */
	expect_unsaid(&s, "eth2", "rx.packets");
	expect_text(&s, "eth1.7", "link_kind", "vlan");
	expect_text(&s, "eth1.7", "state", "lowerlayerdown");
	expect_num(&s, "eth1.7", "mtu", 1400);
	expect_text(&s, "eth2", "link_kind", "physical");
	store_free(&s);
}

/* The drops that other tools show include what the card missed; when the two are known apart, they
 * stay so. */
static void test_folded_drop(void **state)
{
	struct store s = store_new();
	uint32_t n;

	(void)state;
	assert_int_equal(feed_text(&s, c, "ip-s-s-link", NULL, ip_old), 0);
	assert_int_equal(feed_text(&s, c, "proc/net/dev", NULL, proc_dev), 0);
	assert_int_equal(feed_text(&s, c, "ifconfig", NULL, ifconfig_new), 0);
	expect_num(&s, "eth1", "rx.dropped", 11);
	nd_facts_contradictions(s.f, &n);
	assert_int_equal(n, 0);
	store_free(&s);
}

static void test_moments(void **state)
{
	static const char head[] = "Iface MTU RX-OK RX-ERR RX-DRP Flg\n";
	struct store s = store_new();
	struct nd_value v;

	(void)state;
	for (int i = 0; i < 3; i++) {
		char text[128];

		snprintf(text, sizeof(text), "%seth0 1500 %d 0 %d BMRU\n", head, 100 + 100 * i,
			 i * i);
		assert_int_equal(feed(&s, c, "netstat-i", NULL, text, strlen(text), 10 * i), 0);
	}
	v = ask(&s, "eth0", "rx.packets", ND_DELTA);
	assert_true(v.type == ND_V_NUMBER && v.num == 200);
	v = ask(&s, "eth0", "rx.dropped", ND_PEAK);
	assert_true(v.type == ND_V_NUMBER && v.num == 0.3);
	store_free(&s);
}

static void test_files(void **state)
{
	static const struct {
		const char *path, *text, *fact;
		double num; /* negative: not a number */
		const char *words;
	} rows[] = {
		{"sys/class/net/eth0/speed", "10000\n", "speed", 1.25e9, NULL},
		{"sys/class/net/eth0/speed@10.txt", "2500", "speed", 312500000, NULL},
		{"sys/class/net/eth0/speed", "-1\n", "speed", -1, "no speed"},
		{"sys/class/net/eth0/speed", "4294967295\n", "speed", -1, "no speed"},
		{"sys/class/net/eth0/speed", "", "speed", -1, "no speed"},
		{"sys/class/net/eth0/speed", "fast\n", "speed", -1, "'fast'"},
		{"sys/class/net/eth0/device/numa_node", "1\n", "node", 1, NULL},
		{"sys/class/net/eth0/mtu", "9000\n", "mtu", 9000, NULL},
		{"sys/class/net/eth0/carrier_changes", "5\n", "carrier.changes", 5, NULL},
		{"sys/class/net/eth0/carrier_down_count", "2\n", "carrier.downs", 2, NULL},
	};
	struct store s;

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		s = store_new();
		assert_int_equal(feed_text(&s, c, rows[i].path, "eth0", rows[i].text), 0);
		if (rows[i].num >= 0)
			expect_num(&s, "eth0", rows[i].fact, rows[i].num);
		else
			expect_missing(&s, "eth0", rows[i].fact,
				       ask_total(&s, "eth0", rows[i].fact).why, rows[i].words);
		store_free(&s);
	}
	s = store_new();
	assert_int_equal(feed_text(&s, c, "sys/class/net/eth0/device/numa_node", "eth0", "-1\n"),
			 0);
	assert_int_equal(ask_total(&s, "eth0", "node").type, ND_V_ABSENT);
	assert_int_equal(feed_text(&s, c, "sys/class/net/eth0/operstate", "eth0", "down\n"), 0);
	expect_text(&s, "eth0", "state", "down");
	assert_int_equal(feed_text(&s, c, "sys/class/net/eth0/mtu", "eth0", "\n"), -EINVAL);
	assert_int_equal(feed_text(&s, c, "sys/class/net/eth0/operstate", "eth0", ""), -EINVAL);
	assert_int_equal(feed_text(&s, c, "sys/class/net/a b/mtu", "a b", "1500\n"), -EINVAL);
	store_free(&s);
}

static void test_refused(void **state)
{
	static const struct {
		const char *text, *words;
	} rows[] = {
		{"", "no interface"},
		{"\n   \n", "no interface"},
		{"[{\"ifindex\":1}]\n", "without -j"},
		{"lo               UNKNOWN        00:00:00:00:00:00 <LOOPBACK,UP>\n",
		 "expected ip link, ifconfig"},
		{"Iface MTU RX-OK\neth0 1500 x\n", "found 'x'"},
		{"Iface MTU RX-OK Flg\neth0 1500\n", "too few"},
		{"Kernel Interface table\neth0 1500 5\n", "begins with Iface"},
		{"Inter-|\neth0: 1 2 3\n", "two lines of header"},
		{"1: : <UP>\n", "an interface's name"},
		{"1: a/b: <UP>\n", "an interface's name"},
		{"1: averyverylongname0: <UP>\n", "an interface's name"},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct store s = store_new();
		int rc = feed_text(&s, c, "x", NULL, rows[i].text);

		if (!strstr(s.e.msg, rows[i].words))
			fail_msg("row %zu: %d '%s'", i, rc, s.e.msg);
		store_free(&s);
	}
}

/* One bad line spoils its interface, not the rest. */
static void test_goes_on(void **state)
{
	struct store s = store_new();

	(void)state;
	assert_int_equal(feed_text(&s, c, "netstat-i", NULL,
				   "Iface RX-OK RX-DRP Flg\neth0 5 ? BMRU\neth1 6 1 BMRU\n"),
			 0);
	expect_unsaid(&s, "eth0", "rx.packets");
	expect_num(&s, "eth1", "rx.dropped", 1);
	store_free(&s);
}

static void test_recording(void **state)
{
	struct store s = store_new();
	uint32_t n;

	(void)state;
	assert_int_equal(feed_file(&s, c, HOST "ip_-d_-s_-s_link.txt", NULL), 0);
	assert_int_equal(feed_file(&s, c, HOST "proc/net/dev", NULL), 0);
	expect_text(&s, "eth0", "link_kind", "physical");
	expect_text(&s, "lo", "link_kind", "loopback");
	expect_text(&s, "ifb0", "link_kind", "ifb");
	expect_text(&s, "br0", "link_kind", "bridge");
	expect_text(&s, "veth0", "link_kind", "veth");
	expect_text(&s, "veth1", "link_kind", "veth");
	assert_string_equal(master_of(&s, "veth0"), "br0");
	assert_string_equal(master_of(&s, "veth1"), "");
	expect_num(&s, "eth0", "rx.packets", 532);
	expect_num(&s, "eth0", "rx.missed", 0);
	expect_num(&s, "eth0", "carrier.changes", 2);
	nd_facts_contradictions(s.f, &n);
	assert_int_equal(n, 0);
	store_free(&s);
}

static void test_cut_and_garbled(void **state)
{
	static const char *const texts[] = {ifconfig_old, ifconfig_new, netstat_old,
					    netstat_new,  proc_dev,	ip_old};
	size_t len;
	char *text = slurp(HOST "ip_-d_-s_-s_link.txt", &len);

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(texts); i++) {
		cut_everywhere(c, "x", NULL, texts[i], strlen(texts[i]));
		garble(c, "x", NULL, texts[i], strlen(texts[i]));
	}
	garble(c, "x", NULL, text, len);
	free(text);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formats),		cmocka_unit_test(test_ip),
		cmocka_unit_test(test_folded_drop),	cmocka_unit_test(test_moments),
		cmocka_unit_test(test_files),		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_goes_on),		cmocka_unit_test(test_recording),
		cmocka_unit_test(test_cut_and_garbled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
