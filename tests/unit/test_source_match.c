/* Which file names a pattern takes, and what they tell: moments, options, interfaces. */
#include "engine/core/source_impl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void test_stems(void **state)
{
	static const struct {
		const char *base, *stem;
		double t;
		bool interval;
	} rows[] = {
		{"softnet_stat", "softnet_stat", 0, false},
		{"softnet_stat@0", "softnet_stat", 0, false},
		{"softnet_stat@10", "softnet_stat", 10, false},
		{"softnet_stat@1.5", "softnet_stat", 1.5, false},
		{"conntrack-S.txt@120", "conntrack-S", 120, false},
		{"conntrack-S@120.txt", "conntrack-S", 120, false},
		{"conntrack-S@0.5.log", "conntrack-S", 0.5, false},
		{"cpu.stat@14", "cpu.stat", 14, false},
		{"cpu.stat", "cpu.stat", 0, false},
		{"a.out", "a", 0, false},
		{"a.text", "a", 0, false},
		{"a.json", "a.json", 0, false},
		{".txt", ".txt", 0, false},
		{"eth0@if3", "eth0@if3", 0, false},
		{"x@-5", "x@-5", 0, false},
		{"x@99999999999", "x@99999999999", 0, false},
		{"@5", "@5", 0, false},
		{"x@3@4", "x@3", 4, false},
		{"nstat.txt", "nstat", 0, true},
		{"nstat@5", "nstat", 5, true},
		{"nstat-z.txt", "nstat-z", 0, true},
		{"nstat-az.txt", "nstat-az", 0, false},
		{"nstat_-zas", "nstat_-zas", 0, false},
		{"nstat -a.log", "nstat -a", 0, false},
		{"nstat-after.txt", "nstat-after", 0, true},
		{"nstat-start.txt", "nstat-start", 0, true},
		{"nstats.txt", "nstats", 0, false},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct nd_stem s;

		nd_stem_of(rows[i].base, &s);
		assert_string_equal(s.name, rows[i].stem);
		assert_true((double)s.t_ns == rows[i].t * 1e9);
		assert_int_equal(s.interval, rows[i].interval);
	}
}

static void test_tool_names(void **state)
{
	static const struct {
		const char *pattern, *stem;
		bool match;
		const char *arg;
	} rows[] = {
		{"netstat -s", "netstat-s", true, ""},
		{"netstat -s", "netstat_-s", true, ""},
		{"netstat -s", "netstat -s", true, ""},
		{"netstat -s", "netstat-su", true, ""},
		{"netstat -s", "netstat-ant", false, ""},
		{"netstat -s", "netstat", false, ""},
		{"netstat -s", "netstat-state-counts", false, ""},
		{"netstat -s", "netstat_-W_-neopa", false, ""},
		{"netstat -s", "netstat_--stats", false, ""},
		{"netstat -s", "netstats", false, ""},
		{"netstat -i", "netstat-i", true, ""},
		{"ss", "ss-ltn", true, ""},
		{"ss", "ss_-peaonmi", true, ""},
		{"ss", "ss", true, ""},
		{"ss", "sss", false, ""},
		{"ss -s", "ss-s", true, ""},
		{"ss -s", "ss-state-counts", false, ""},
		{"ss -ltn", "ss-tnl", true, ""},
		{"ss -ltn", "ss_-l_-t_-n", true, ""},
		{"ss -ltn", "ss-ant", false, ""},
		{"nstat", "nstat-az", true, ""},
		{"nstat -az", "nstat-az", true, ""},
		{"nstat -az", "nstat_-zas", true, ""},
		{"nstat -az", "nstat", false, ""},
		{"ip -s link", "ip-s-link", true, ""},
		{"ip -s link", "ip_-s_-d_link", true, ""},
		{"ip -s link", "ip-link", false, ""},
		{"ip -s link", "ip-s-neigh", false, ""},
		{"sysctl -a", "sysctl-a", true, ""},
		{"sysctl -a", "sysctl_-a", true, ""},
		{"tc -s qdisc", "tc-s-qdisc", true, ""},
		{"tc -s qdisc", "tc_-s_qdisc_show", true, ""},
		{"conntrack -S", "conntrack-S", true, ""},
		{"conntrack -S", "conntrack-s", false, ""},
		{"mpstat -P ALL", "mpstat-P-all", true, ""},
		{"runqlat", "runqlat-bpfcc", true, ""},
		{"ethtool -S *", "ethtool-S-eth0", true, "eth0"},
		{"ethtool -S *", "ethtool_-S_eth0", true, "eth0"},
		{"ethtool -S *", "ethtool -S eth0.100", true, "eth0.100"},
		{"ethtool -S *", "ethtool_-S_bond_0", true, "bond_0"},
		{"ethtool -S *", "ethtool-s-eth0", false, ""},
		{"ethtool -S *", "ethtool-S", false, ""},
		{"ethtool -S *", "ethtool-S-", false, ""},
		{"ethtool -S *", "ethtool-eth0", false, ""},
		{"ethtool -g *", "ethtool-g-eth0", true, "eth0"},
		{"ethtool -G *", "ethtool-g-eth0", false, ""},
		{"ethtool *", "ethtool_eth0", true, "eth0"},
		{"ethtool *", "ethtool-bond_0", true, "bond_0"},
		{"ethtool *", "ethtool_-S_eth0", false, ""},
		{"ethtool *", "ethtool-S-eth0", false, ""},
		{"ethtool *", "ethtool_--phy-statistics_eth0", false, ""},
		{"ethtool *", "ethtool", false, ""},
	};
	char arg[100];

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		bool match = nd_match_tool(rows[i].pattern, rows[i].stem, arg, sizeof(arg));

		if (match != rows[i].match)
			fail_msg("%s with %s", rows[i].pattern, rows[i].stem);
		if (match)
			assert_string_equal(arg, rows[i].arg);
	}
	assert_false(nd_match_tool("ethtool -S *", "ethtool-S-eth0123456", arg,
				   8)); /* no room for the name */
}

static void test_file_names(void **state)
{
	static const struct {
		const char *pattern, *rel, *stem;
		bool match;
		const char *arg;
	} rows[] = {
		{"/proc/net/softnet_stat", "softnet_stat@0", "softnet_stat", true, ""},
		{"/proc/net/softnet_stat", "proc/net/softnet_stat", "softnet_stat", true, ""},
		{"/proc/net/softnet_stat", "sos-x/proc/net/softnet_stat", "softnet_stat", true, ""},
		{"/proc/net/softnet_stat", "net/softnet_stat", "softnet_stat", true, ""},
		{"/proc/net/softnet_stat", "any/where/softnet_stat", "softnet_stat", true, ""},
		{"/proc/net/softnet_stat", "softnet", "softnet", false, ""},
		{"/proc/net/nf_conntrack", "proc/net/stat/nf_conntrack", "nf_conntrack", false, ""},
		{"/proc/net/nf_conntrack", "net/stat/nf_conntrack", "nf_conntrack", false, ""},
		{"/proc/net/stat/nf_conntrack", "proc/net/stat/nf_conntrack", "nf_conntrack", true,
		 ""},
		{"/proc/net/snmp", "proc/1/net/snmp", "snmp", false, ""},
		{"/proc/stat", "proc/1/stat", "stat", false, ""},
		{"/proc/stat", "proc/stat", "stat", true, ""},
		{"/proc/stat", "stat", "stat", true, ""},
		{"/sys/class/net/*/speed", "sys/class/net/eth0/speed", "speed", true, "eth0"},
		{"/sys/class/net/*/speed", "class/net/eth0/speed", "speed", true, "eth0"},
		{"/sys/class/net/*/speed", "a/sys/class/net/eth0.5/speed", "speed", true, "eth0.5"},
		{"/sys/class/net/*/speed", "speed", "speed", false, ""},
		{"/sys/class/net/*/speed", "sys/class/net/speed", "speed", false, ""},
		{"/sys/class/net/*/queues/*/rps_cpus", "sys/class/net/e0/queues/rx-1/rps_cpus",
		 "rps_cpus", true, "e0/rx-1"},
		{"/sys/class/net/*/queues/rx-*/rps_cpus", "sys/class/net/e0/queues/rx-1/rps_cpus",
		 "rps_cpus", true, "e0/1"},
		{"/sys/class/net/*/queues/rx-*/rps_cpus", "sys/class/net/e0/queues/tx-1/rps_cpus",
		 "rps_cpus", false, ""},
		{"/sys/fs/cgroup/cpu.stat", "cpu.stat", "cpu.stat", true, ""},
		{"/proc/sys/net/core/somaxconn", "sys/net/core/somaxconn", "somaxconn", true, ""},
	};
	char arg[100];

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		bool match = nd_match_file(rows[i].pattern, rows[i].rel, rows[i].stem, false, arg,
					   sizeof(arg));

		if (match != rows[i].match)
			fail_msg("%s with %s", rows[i].pattern, rows[i].rel);
		if (match)
			assert_string_equal(arg, rows[i].arg);
	}
	assert_false(nd_match_file("/proc/stat", "stat", "stat", true, arg, sizeof(arg)));
	assert_false(nd_match_file("/sys/class/net/*/speed", "sys/class/net/eth0123456/speed",
				   "speed", false, arg, 8));
}

static void test_natural_order(void **state)
{
	static const char *const sorted[] = {"",     "cpu",    "cpu2",	"cpu10",
					     "eth0", "eth0.5", "eth00", "eth1"};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(sorted); i++)
		for (size_t j = 0; j < ND_ARRAY_LEN(sorted); j++) {
			int c = nd_natural_cmp(sorted[i], sorted[j]);

			if (strcmp(sorted[i], "eth00") == 0 || strcmp(sorted[j], "eth00") == 0)
				assert_int_equal(c == 0, i == j);
			else
				assert_int_equal((c > 0) - (c < 0), (i > j) - (i < j));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stems),
		cmocka_unit_test(test_tool_names),
		cmocka_unit_test(test_file_names),
		cmocka_unit_test(test_natural_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
