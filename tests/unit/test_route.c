/* Routes and rules, from the kernel's files and from the tools; which source checks are strict. */
#include "tests/unit/counter_input.h"

#include "collectors/route.h"

extern const struct nd_collector nd_collector_route, nd_collector_route6, nd_collector_route_tool,
	nd_collector_ip_rule, nd_collector_rp_filter;

static const char proc[] =
	"Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
	"eth0\t00000000\t010200C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n"
	"eth1\t00000000\t010200C0\t0003\t0\t0\t200\t00000000\t0\t0\t0\n"
	"eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
	"eth1\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
	"*\t0000000A\t00000000\t0200\t0\t0\t0\t000000FF\t0\t0\t0\n"
	"eth0\t0A0200C0\t00000000\t0005\t0\t0\t0\tFFFFFFFF\t0\t0\t0\n";
static const char ip_route[] =
	"$ ip route\r\n"
	"default via 192.0.2.1 dev eth0 proto dhcp metric 100 \r\n"
	"default via 192.0.2.1 dev eth1 proto dhcp metric 200 \r\n"
	"blackhole 10.0.0.0/8 \r\n"
	"192.0.2.0/24 dev eth0 proto kernel scope link src 192.0.2.2 \r\n"
	"192.0.2.0/24 dev eth1 proto kernel scope link src 192.0.2.3 linkdown \r\n"
	"192.0.2.10 dev eth0 scope link \r\n";
static const char route_n[] =
	"Kernel IP routing table\n"
	"Destination     Gateway         Genmask         Flags Metric Ref    Use Iface\n"
	"0.0.0.0         192.0.2.1       0.0.0.0         UG    100    0        0 eth0\n"
	"default         192.0.2.1       0.0.0.0         UG    0 0          0 eth1\n"
	"192.0.2.0       0.0.0.0         255.255.255.0   U     0      0        0 eth0\n"
	"192.0.2.0       *               255.255.255.0   U     0      0        0 eth1\n"
	"10.0.0.0        -               255.0.0.0       !     0      -        0 -\n"
	"192.0.2.10      0.0.0.0         255.255.255.255 UH    0      0        0 eth0\n";

static void expect_table(const struct store *s)
{
	expect_num(s, "routes.count", 6);
	expect_num(s, "routes.default", 2);
	expect_num(s, "routes.default_ifaces", 2);
	expect_text(s, "routes.default_names", "eth0, eth1");
	expect_num(s, "routes.shared", 1);
	expect_text(s, "routes.shared_names", "192.0.2.0/24 on eth0 and eth1");
	expect_num(s, "routes.refusing", 1);
}

/* The same table in three spellings. */
static void test_same(void **state)
{
	static const struct {
		const struct nd_collector *c;
		const char *path, *text;
	} rows[] = {
		{&nd_collector_route, "route", proc},
		{&nd_collector_route_tool, "ip-route.txt", ip_route},
		{&nd_collector_route_tool, "netstat-rn", route_n},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct store s = store_new(nd_route_facts, NULL);

		assert_int_equal(feed_text(&s, rows[i].c, rows[i].path, rows[i].text), 0);
		expect_table(&s);
		store_free(&s);
	}
}

static void test_ip_route(void **state)
{
	static const struct {
		const char *text;
		double defaults, count, six; /* -1: not said */
	} rows[] = {
		{"192.0.2.0/24 dev ens3 proto kernel scope link src 192.0.2.251\n", 0, 1, -1},
		{"default proto static \n\tnexthop via 192.0.2.1 dev eth0 weight 1\n"
		 "\tnexthop via 192.0.2.2 dev eth1 weight 1 dead linkdown\n"
		 "10.0.0.0/8 via 192.0.2.9 dev eth0\n",
		 1, 2, -1},
		{"default via 192.0.2.1 dev eth0 table 100\n"
		 "local 127.0.0.1 dev lo table local proto kernel scope host src 127.0.0.1\n"
		 "10.0.0.0/8 via 192.0.2.9 dev eth0 table main\n",
		 0, 1, -1},
		{"::1 dev lo proto kernel metric 256 pref medium\n"
		 "default via fe80::1 dev eth0 proto ra metric 100 pref medium\n",
		 -1, -1, 1},
		{"192.0.2.9 dev eth0 src 192.0.2.2 uid 0 \n    cache \n", -1, -1, -1},
		{"default via 192.0.2.1 dev tun0 dead linkdown\n", 0, 1, -1},
		{"ip: command not found\n", -1, -1, -1},
		{"unreachable fd00::/64 dev lo metric 1024 pref medium\n"
		 "multicast ff00::/8 dev eth0 table local metric 256 pref medium\n"
		 "default dev tun0 metric 1024 pref medium\n",
		 -1, -1, 1},
		{"unicast\n", -1, -1, -1},
		{"unicast default via 192.0.2.1 dev eth0\n", 1, 1, -1},
		{"unreachable default dev lo metric 4294967295 error -101\n", 0, 1, -1},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct store s = store_new(nd_route_facts, NULL);

		assert_int_equal(feed_text(&s, &nd_collector_route_tool, "ip-route", rows[i].text),
				 0);
		if (rows[i].defaults >= 0) {
			expect_num(&s, "routes.default", rows[i].defaults);
			expect_num(&s, "routes.count", rows[i].count);
		} else {
			expect_missing(&s, "routes.default", ND_NOT_SAMPLED);
		}
		if (rows[i].six >= 0)
			expect_num(&s, "routes6.default", rows[i].six);
		store_free(&s);
	}
}

static void test_six(void **state)
{
	static const char table[] =
		"fd000000000000000000000000000000 40 00000000000000000000000000000000 00 "
		"00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth0\n"
		"00000000000000000000000000000000 00 00000000000000000000000000000000 00 "
		"fd000000000000000000000000000001 00000400 00000002 00000000 00000003     eth0\n"
		"00000000000000000000000000000000 00 00000000000000000000000000000000 00 "
		"00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo\n";
	const struct nd_collector *c = &nd_collector_route6;
	struct store s = store_new(nd_route_facts, NULL);

	(void)state;
	assert_int_equal(feed_text(&s, c, "ipv6_route", table), 0);
	expect_num(&s, "routes6.default", 1);
	assert_int_equal(feed_text(&s, c, "rt6_stats", "0009 0006 0011 0007 0000 0c4e 0004\n"), 0);
	expect_num(&s, "routes6.cached", 0xc4e);
	assert_int_equal(feed_text(&s, c, "rt6_stats", "0009 0006 0011 0007 0000 0c"), -EINVAL);
	store_free(&s);
}

static void test_rules(void **state)
{
	static const char text[] = "0:\tfrom all lookup local\n"
				   "100:\tfrom 192.0.2.3 lookup 100\n"
				   "32766:\tfrom all lookup main\n"
				   "32767:\tfrom all lookup default\n";
	struct store s = store_new(nd_route_facts, NULL);

	(void)state;
	assert_int_equal(feed_text(&s, &nd_collector_ip_rule, "ip-rule", text), 0);
	expect_num(&s, "routes.rules", 1);
	assert_int_equal(feed_text(&s, &nd_collector_ip_rule, "ip-rule", "none\n"), -EINVAL);
	store_free(&s);
}

/* The larger of the interface's own value and that of `all` counts; `default` is for later ones. */
static void test_rp_filter(void **state)
{
	static const struct {
		const char *text;
		double strict;
		const char *names;
	} rows[] = {
		{"net.ipv4.conf.all.rp_filter = 0\nnet.ipv4.conf.default.rp_filter = 1\n"
		 "net.ipv4.conf.eth0.rp_filter = 1\nnet.ipv4.conf.eth1.rp_filter = 2\n"
		 "net.ipv4.conf.lo.rp_filter = 1\n",
		 1, "eth0"},
		{"net.ipv4.conf.all.rp_filter = 1\nnet.ipv4.conf.eth0.rp_filter = 0\n"
		 "net.ipv4.conf.eth0/100.rp_filter = 1\nnet.ipv4.conf.eth1.rp_filter = 2\n",
		 2, "eth0.100, eth0"},
		{"net/ipv4/conf/all/rp_filter=2\nnet/ipv4/conf/eth0.100/rp_filter=1\n", 0, ""},
	};
	const struct nd_collector *c = &nd_collector_rp_filter;

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct store s = store_new(c->facts, NULL);

		assert_int_equal(feed_text(&s, c, "sysctl-a", rows[i].text), 0);
		expect_num(&s, "rp_filter.strict", rows[i].strict);
		expect_text(&s, "rp_filter.names", rows[i].names);
		store_free(&s);
	}
}

static void test_hostile(void **state)
{
	static const struct {
		const struct nd_collector *c;
		const char *path, *text;
	} rows[] = {
		{&nd_collector_route, "route", proc},
		{&nd_collector_route_tool, "ip-route.txt", ip_route},
		{&nd_collector_route_tool, "netstat-rn", route_n},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++)
		for (size_t n = 0; n < strlen(rows[i].text); n++) {
			struct store s = store_new(nd_route_facts, NULL);

			if (feed(&s, rows[i].c, rows[i].path, rows[i].text, n, 0))
				assert_true(strlen(s.e.msg) > 0);
			store_free(&s);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),	  cmocka_unit_test(test_ip_route),
		cmocka_unit_test(test_six),	  cmocka_unit_test(test_rules),
		cmocka_unit_test(test_rp_filter), cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
