/* /proc/net/snmp, netstat and snmp6: recorded files, and the same cut short and garbled. */
#include "tests/unit/counter_input.h"

#include "collectors/snmp.h"

#define HOSTS "tests/hosts/"

extern const struct nd_collector nd_collector_snmp;
static const struct nd_collector *const c = &nd_collector_snmp;

static void test_kernel_6_18(void **state)
{
	struct store s = store_new(nd_snmp_facts, NULL);

	(void)state;
	assert_int_equal(feed_file(&s, c, HOSTS "kernel-6.18/proc/net/snmp"), 0);
	assert_int_equal(feed_file(&s, c, HOSTS "kernel-6.18/proc/net/netstat"), 0);
	assert_int_equal(feed_file(&s, c, HOSTS "kernel-6.18/proc/net/snmp6"), 0);
	expect_num(&s, "tcp.listen_overflows", 12);
	expect_num(&s, "tcp.listen_drops", 12);
	expect_num(&s, "tcp.syn_retrans", 8);
	expect_num(&s, "tcp.timeouts", 8);
	expect_num(&s, "tcp.lost_retransmit", 4);
	expect_num(&s, "tcp.retrans_segs", 8);
	expect_num(&s, "tcp.out_segs", 12);
	expect_num(&s, "tcp.curr_estab", 0);
	expect_num(&s, "udp.in_errors", 92);
	expect_num(&s, "udp.rcvbuf_errors", 92);
	expect_num(&s, "udp.mem_errors", 0);
	expect_num(&s, "udp.no_ports", 58);
	expect_num(&s, "udp6.mem_errors", 0);
	expect_num(&s, "ip.out_discards", 242);
	expect_num(&s, "ip.rp_filter_drops", 0);
	expect_missing(&s, "tcp.paws_passive", ND_NOT_ON_THIS_KERNEL);
	store_free(&s);
}

/* Every counter of the table but the one that is gone is one of this kernel: none is misspelt. */
static void test_all_names_exist(void **state)
{
	struct store s = store_new(nd_snmp_facts, NULL);

	(void)state;
	feed_file(&s, c, HOSTS "kernel-6.18/proc/net/snmp");
	feed_file(&s, c, HOSTS "kernel-6.18/proc/net/netstat");
	feed_file(&s, c, HOSTS "kernel-6.18/proc/net/snmp6");
	for (int i = 0; nd_snmp_rows[i].section; i++) {
		const char *name = nd_snmp_facts[i].name;
		struct nd_value v = ask(&s, name, plain(&s, name));

		if ((v.type == ND_V_NUMBER) != (nd_snmp_rows[i].since != ND_SNMP_GONE))
			fail_msg("%s: %s", name, v.detail);
	}
	store_free(&s);
}

static void test_kernel_4_18(void **state)
{
	struct store s = store_new(nd_snmp_facts, NULL);

	(void)state;
	assert_int_equal(feed_file(&s, c, HOSTS "kernel-4.18/proc/net/snmp"), 0);
	assert_int_equal(feed_file(&s, c, HOSTS "kernel-4.18/proc/net/netstat"), 0);
	expect_num(&s, "udp.in_datagrams", 15312386);
	expect_num(&s, "udp.in_errors", 275584595);
	expect_num(&s, "udp.csum_errors", 271157055);
	expect_num(&s, "tcp.curr_estab", 352);
	expect_num(&s, "tcp.delayed_acks", 24510697);
	expect_num(&s, "tcp.listen_drops", 9110);
	expect_missing(&s, "udp.mem_errors", ND_NOT_ON_THIS_KERNEL);
	expect_missing(&s, "tcp.rcv_q_drop", ND_NOT_ON_THIS_KERNEL);
	expect_missing(&s, "tcp.zero_window_drop", ND_NOT_ON_THIS_KERNEL);
	expect_missing(&s, "udp6.in_errors", ND_TOOL_OUTPUT_ABSENT);
	store_free(&s);
}

static void test_lines(void **state)
{
	static const struct {
		const char *text, *fact;
		double num; /* NaN: missing, for this reason: */
		enum nd_missing why;
	} rows[] = {
		{"Udp: InDatagrams NoPorts\nUdp: 7 3\n", "udp.no_ports", 3, 0},
		{"Udp: NoPorts InDatagrams\nUdp: 7 3\n", "udp.no_ports", 7, 0},
		{"UdpLite: NoPorts\nUdpLite: 7\nUdp: NoPorts\nUdp: 9\n", "udp.no_ports", 9, 0},
		{"UdpLite: NoPorts\nUdpLite: 7\n", "udp.no_ports", NAN, ND_TOOL_OUTPUT_ABSENT},
		{"Tcp: MaxConn InSegs\nTcp: -1 18446744073709551615\n", "tcp.in_segs",
		 18446744073709551615.0, 0},
		{"Tcp: InSegs\nTcp: 18446744073709551616\n", "tcp.in_segs", NAN, ND_PARSE_ERROR},
		{"Tcp: InSegs\nTcp: -3\n", "tcp.in_segs", NAN, ND_PARSE_ERROR},
		{"Tcp: InSegs\nTcp: 0x10\n", "tcp.in_segs", NAN, ND_PARSE_ERROR},
		{"Tcp: InSegs OutSegs\nTcp: 5\n", "tcp.out_segs", NAN, ND_TRUNCATED},
		{"Tcp: InSegs OutSegs\nTcp: 5 6", "tcp.in_segs", 5, 0},
		{"Tcp: InSegs OutSegs\nTcp: 5 6", "tcp.out_segs", NAN, ND_TRUNCATED},
		{"Tcp: InSegs\nTcp: 5\n", "tcp.out_segs", NAN, ND_NOT_ON_THIS_KERNEL},
		{"Tcp: InSegs\nUdp: NoPorts\nUdp: 4\n", "udp.no_ports", 4, 0},
		{"Udp: NoPorts\nUdp: 4\nTcp: InSegs\n", "tcp.in_segs", NAN, ND_TOOL_OUTPUT_ABSENT},
		{"Udp6NoPorts \t 12\n", "udp6.no_ports", 12, 0},
		{"Udp6NoPorts \t 12\nUdp6InErrors 9", "udp6.in_errors", NAN, ND_TRUNCATED},
		{"Udp6NoPorts \t 12\n", "udp6.mem_errors", NAN, ND_NOT_ON_THIS_KERNEL},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct store s = store_new(nd_snmp_facts, NULL);

		assert_int_equal(feed_text(&s, c, "snmp", rows[i].text), 0);
		if (isnan(rows[i].num))
			expect_missing(&s, rows[i].fact, rows[i].why);
		else
			expect_num(&s, rows[i].fact, rows[i].num);
		store_free(&s);
	}
}

static void test_two_moments(void **state)
{
	static const char first[] = "Udp: InErrors\nUdp: 4294967290\n";
	static const char second[] = "Udp: InErrors\nUdp: 4294967301\n";
	struct store s = store_new(nd_snmp_facts, NULL);

	(void)state;
	assert_int_equal(feed(&s, c, "snmp@0", first, strlen(first), 0), 0);
	assert_int_equal(feed(&s, c, "snmp@10", second, strlen(second), 10), 0);
	expect_num(&s, "udp.in_errors", 11);
	assert_int_equal(ask(&s, "udp.in_errors", ND_SEEN).basis, ND_B_WINDOW);
	store_free(&s);
}

static void test_not_ours(void **state)
{
	static const char *const texts[] = {"", "\n", "hello world\n", "Udp:\nUdp:\n", "Udp: A\n"};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(texts); i++) {
		struct store s = store_new(nd_snmp_facts, NULL);

		assert_int_equal(feed_text(&s, c, "snmp.txt", texts[i]), -EINVAL);
		assert_non_null(strstr(s.e.msg, "snmp.txt"));
		assert_non_null(strstr(s.e.msg, "line of counters"));
		store_free(&s);
	}
}

static void test_hostile(void **state)
{
	static const char *const files[] = {
		HOSTS "kernel-6.18/proc/net/snmp", HOSTS "kernel-6.18/proc/net/netstat",
		HOSTS "kernel-6.18/proc/net/snmp6", HOSTS "kernel-4.18/proc/net/snmp"};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(files); i++) {
		cut_everywhere(c, nd_snmp_facts, NULL, files[i], 3, false);
		garble(c, nd_snmp_facts, NULL, files[i]);
	}
}

static void test_reproduce(void **state)
{
	(void)state;
	for (int i = 0; nd_snmp_rows[i].section; i++) {
		char want[128];

		snprintf(want, sizeof(want), "nstat -az %s%s", nd_snmp_rows[i].section,
			 nd_snmp_rows[i].name);
		assert_string_equal(nd_snmp_facts[i].reproduce, want);
		assert_int_equal(nd_snmp_find_joined(want + strlen("nstat -az ")), i);
		assert_int_equal(nd_snmp_find(nd_snmp_rows[i].section,
					      strlen(nd_snmp_rows[i].section),
					      nd_snmp_rows[i].name),
				 i);
	}
	assert_int_equal(nd_snmp_find_joined("TcpExtNoSuch"), -1);
	assert_int_equal(nd_snmp_find("Tcp", 2, "InSegs"), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel_6_18), cmocka_unit_test(test_all_names_exist),
		cmocka_unit_test(test_kernel_4_18), cmocka_unit_test(test_lines),
		cmocka_unit_test(test_two_moments), cmocka_unit_test(test_not_ours),
		cmocka_unit_test(test_hostile),	    cmocka_unit_test(test_reproduce),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
