/* `netstat -s`: the phrases of old and new net-tools, and when a missing line means zero. */
#include "tests/unit/counter_input.h"

#include "collectors/snmp.h"

#define HOSTS "tests/hosts/"
#define WHOLE_HEAD                                                                                 \
	"Ip:\n    5 total packets received\nTcp:\n    5 segments received\nUdp:\n    5 packets "   \
	"sent\n"

extern const struct nd_collector nd_collector_netstat_s, nd_collector_snmp;
static const struct nd_collector *const c = &nd_collector_netstat_s;

/* One line within one section. */
static void test_phrases(void **state)
{
	static const struct {
		const char *section, *line, *fact;
		double num;
	} rows[] = {
		{"Tcp", "    5333 segments retransmited", "tcp.retrans_segs", 5333},
		{"Tcp", "    5333 segments retransmitted", "tcp.retrans_segs", 5333},
		{"Tcp", "    5333 segments send out", "tcp.out_segs", 5333},
		{"Tcp", "    5333 segments sent out", "tcp.out_segs", 5333},
		{"Tcp", "    12 bad segments received.", "tcp.in_errs", 12},
		{"Tcp", "    12 active connections openings", "tcp.active_opens", 12},
		{"Tcp", "    12 active connection openings", "tcp.active_opens", 12},
		{"Tcp", "    1 passive opens", "tcp.passive_opens", 1},
		{"Tcp", "    4 connections established", "tcp.curr_estab", 4},
		{"Tcp", "    InCsumErrors: 8", "tcp.in_csum_errors", 8},
		{"Udp", "    2139 packets to unknown port received.", "udp.no_ports", 2139},
		{"Udp", "    275593336 packet receive errors", "udp.in_errors", 275593336},
		{"Udp", "    33861296 packet receive errors    <---- HERE", "udp.in_errors",
		 33861296},
		{"Ip", "    Forwarding: 2", "ip.forwarding", 2},
		{"Ip", "    1234126 packets reassembled ok", "ip.reasm_oks", 1234126},
		{"Udp", "    RcvbufErrors: 4427540", "udp.rcvbuf_errors", 4427540},
		{"Udp", "    9 receive buffer errors", "udp.rcvbuf_errors", 9},
		{"Udp", "    1 packet received", "udp.in_datagrams", 1},
		{"Udp", "    MemErrors: 3", "udp.mem_errors", 3},
		{"Udp6", "    9 packet receive errors", "udp6.in_errors", 9},
		{"TcpExt", "    12178939 times the listen queue of a socket overflowed",
		 "tcp.listen_overflows", 12178939},
		{"TcpExt", "    12247395 SYNs to LISTEN sockets dropped", "tcp.listen_drops",
		 12247395},
		{"TcpExt", "    7 SYNs to LISTEN sockets ignored", "tcp.listen_drops", 7},
		{"TcpExt", "    1 SYN to LISTEN sockets dropped", "tcp.listen_drops", 1},
		{"TcpExt", "    Quick ack mode was activated 6953799 times", "tcp.delayed_ack_lost",
		 6953799},
		{"TcpExt", "    TCP ran low on memory 2 times", "tcp.memory_pressures", 2},
		{"TcpExt", "    1742135 other TCP timeouts", "tcp.timeouts", 1742135},
		{"TcpExt", "    TCPTimeouts: 1742135", "tcp.timeouts", 1742135},
		{"TcpExt", "    TCPLossProbes: 211831", "tcp.loss_probes", 211831},
		{"TcpExt", "    35624 DSACKs received", "tcp.dsack_recv", 35624},
		{"TcpExt", "    TCPDSACKRecv: 35624", "tcp.dsack_recv", 35624},
		{"TcpExt", "    24510697 delayed acks sent", "tcp.delayed_acks", 24510697},
		{"TcpExt", "    2685 delayed acks further delayed because of locked socket",
		 "tcp.delayed_ack_locked", 2685},
		{"TcpExt", "    6 packets pruned from receive queue", "tcp.rcv_pruned", 6},
		{"TcpExt",
		 "    6 packets pruned from receive queue because of socket buffer overrun",
		 "tcp.prune_called", 6},
		{"TcpExt", "    9 packets rejects in established connections because of timestamp",
		 "tcp.paws_estab", 9},
		{"TcpExt",
		 "    9 packetes rejected in established connections because of timestamp",
		 "tcp.paws_estab", 9},
		{"TcpExt", "    18446744073709551615 fast retransmits", "tcp.fast_retrans",
		 18446744073709551615.0},
		{"TcpExt", "\t3 retransmits in slow start\r", "tcp.slow_start_retrans", 3},
		{"TcpExt", "    IPReversePathFilter: 77", "ip.rp_filter_drops", 77},
		{"Ip", "    83596 packet reassembles failed", "ip.reasm_fails", 83596},
		{"Ip", "    83596 packet reassemblies failed", "ip.reasm_fails", 83596},
		{"Ip", "    30 dropped because of missing route", "ip.out_no_routes", 30},
		{"IpExt", "    InNoRoutes: 4", "ip.in_no_routes", 4},
		{"IpExt", "    InCEPkts: 12", "ip.in_ce", 12},
		{"TcpExt", "    286 bad SACK blocks received", "tcp.sack_reneging", 286},
		{"TcpExt", "    64529 timeouts after SACK recovery", "tcp.sack_failures", 64529},
		{"TcpExt", "    3510 timeouts after reno fast retransmit", "tcp.reno_failures",
		 3510},
		{"TcpExt", "    19702 timeouts in loss state", "tcp.loss_failures", 19702},
		{"TcpExt", "    TCPTimeouts: 36", "tcp.timeouts", 36},
		{"TcpExt", "    285857 SACK retransmits failed", "tcp.sack_recovery_fail", 285857},
		{"TcpExt", "    64464 forward retransmits", "tcp.forward_retrans", 64464},
		{"TcpExt", "    Detected reordering 320 times using reno fast retransmit",
		 "tcp.reno_reorder", 320},
		{"TcpExt", "    Detected reordering 8 times using FACK", "tcp.fack_reorder", 8},
		{"TcpExt", "    19 congestion windows fully recovered without slow start",
		 "tcp.full_undo", 19},
		{"TcpExt", "    19 congestion windows fully recovered", "tcp.full_undo", 19},
		{"TcpExt", "    3 congestion window recovered without slow start using DSACK",
		 "tcp.dsack_undo", 3},
		{"TcpExt",
		 "    675 congestion windows recovered without slow start after partial ack",
		 "tcp.loss_undo", 675},
		{"TcpExt", "    30 congestion windows partially recovered using Hoe heuristic",
		 "tcp.partial_undo", 30},
		{"TcpExt", "    11 ICMP packets dropped because socket was locked",
		 "tcp.lock_dropped_icmps", 11},
		{"TcpExt", "    2 ICMP packets dropped because they were out-of-window",
		 "tcp.out_of_window_icmps", 2},
		{"TcpExt", "    TCPACKSkippedPAWS: 1", "tcp.ack_skipped_paws", 1},
		{"TcpExt", "    1307 times the listen queue of a socket overflowed  # watch this",
		 "tcp.listen_overflows", 1307},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct store s = store_new(nd_snmp_facts, NULL);
		char text[256];

		snprintf(text, sizeof(text), "%s:\n%s\n", rows[i].section, rows[i].line);
		assert_int_equal(feed_text(&s, c, "netstat-s.txt", text), 0);
		expect_num(&s, rows[i].fact, rows[i].num);
		store_free(&s);
	}
}

/* Lines that look like one of ours and are not. */
static void test_not_a_phrase(void **state)
{
	static const struct {
		const char *section, *line, *fact;
		enum nd_missing why;
	} rows[] = {
		{"UdpLite", "    5 packets received", "udp.in_datagrams", ND_TOOL_OUTPUT_ABSENT},
		{"UdpLite", "    InErrors: 5", "udp.in_errors", ND_TOOL_OUTPUT_ABSENT},
		{"Udp", "    5 packets received twice", "udp.in_datagrams", ND_TOOL_OUTPUT_ABSENT},
		{"Udp", "    packets received", "udp.in_datagrams", ND_TOOL_OUTPUT_ABSENT},
		{"Udp", "    -5 packets received", "udp.in_datagrams", ND_PARSE_ERROR},
		{"Udp", "    many packets received", "udp.in_datagrams", ND_PARSE_ERROR},
		{"TcpExt", "    TCPLossProbes: 99999999999999999999", "tcp.loss_probes",
		 ND_PARSE_ERROR},
		{"Icmp", "    5 segments received", "tcp.in_segs", ND_TOOL_OUTPUT_ABSENT},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct store s = store_new(nd_snmp_facts, NULL);
		char text[256];

		snprintf(text, sizeof(text), "%s:\n%s\nIpExt:\n    InNoRoutes: 1\n",
			 rows[i].section, rows[i].line);
		assert_int_equal(feed_text(&s, c, "netstat-s.txt", text), 0);
		expect_missing(&s, rows[i].fact, rows[i].why);
		store_free(&s);
	}
}

static void test_zeros(void **state)
{
	static const struct {
		const char *text;
		bool zero; /* tcp.listen_overflows, which no line shows */
	} rows[] = {
		{WHOLE_HEAD "TcpExt:\n    3 fast retransmits\nIpExt:\n    InOctets: 5\n", true},
		{WHOLE_HEAD "TcpExt:\nIpExt:\n    InOctets: 5\n", true},
		{WHOLE_HEAD "TcpExt:\n    3 fast retransmits\n", false}, /* no end of TcpExt */
		{WHOLE_HEAD "TcpExt:\n    3 fast retransmits\nIpExt:\n    InOct", false},
		{WHOLE_HEAD, false},
		{"TcpExt:\n    3 fast retransmits\nIpExt:\n    InOctets: 5\n", false},
		{"Ip:\n    5 total packets received\nUdp:\n    5 packets sent\nTcpExt:\n    3 "
		 "fast "
		 "retransmits\nIpExt:\n    InOctets: 5\n",
		 false},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct store s = store_new(nd_snmp_facts, NULL);

		assert_int_equal(feed_text(&s, c, "netstat-s.txt", rows[i].text), 0);
		if (rows[i].zero)
			expect_num(&s, "tcp.listen_overflows", 0);
		else
			expect_missing(&s, "tcp.listen_overflows", ND_TOOL_OUTPUT_ABSENT);
		/* not every supported kernel has these, and only newer ones print IPv6 */
		expect_missing(&s, "tcp.rcv_q_drop", ND_TOOL_OUTPUT_ABSENT);
		expect_missing(&s, "udp.mem_errors", ND_TOOL_OUTPUT_ABSENT);
		expect_missing(&s, "tcp.paws_passive", ND_TOOL_OUTPUT_ABSENT);
		expect_missing(&s, "udp6.in_errors", ND_TOOL_OUTPUT_ABSENT);
		store_free(&s);
	}
}

/* Before Linux 4.18 a counter that is not shown may not exist. */
static void test_zeros_of_old_kernels(void **state)
{
	static const char text[] = WHOLE_HEAD "TcpExt:\n    274 packets directly queued to recvmsg "
					      "prequeue.\nIpExt:\n    InOctets: 5\n";
	struct store s = store_new(nd_snmp_facts, NULL);

	(void)state;
	assert_int_equal(feed_text(&s, c, "netstat-s.txt", text), 0);
	expect_num(&s, "tcp.listen_overflows", 0);
	expect_missing(&s, "tcp.loss_probes", ND_TOOL_OUTPUT_ABSENT);
	expect_missing(&s, "tcp.syn_retrans", ND_TOOL_OUTPUT_ABSENT);
	store_free(&s);
}

/* IpExt may be cut too: its end shows in the counters by ECN mark. */
static void test_zeros_of_ipext(void **state)
{
	struct store cut = store_new(nd_snmp_facts, NULL), whole = store_new(nd_snmp_facts, NULL);

	(void)state;
	feed_text(&cut, c, "netstat-s.txt", WHOLE_HEAD "TcpExt:\nIpExt:\n    InOctets: 5\n");
	feed_text(&whole, c, "netstat-s.txt",
		  WHOLE_HEAD "TcpExt:\nIpExt:\n    InOctets: 5\n    InNoECTPkts: 5\n");
	expect_missing(&cut, "ip.in_csum_errors", ND_TOOL_OUTPUT_ABSENT);
	expect_num(&whole, "ip.in_csum_errors", 0);
	store_free(&cut);
	store_free(&whole);
}

/* The tool's text of a host and the same host's /proc give the same numbers. */
static void test_same_as_proc(void **state)
{
	static const char *const hosts[] = {"kernel-6.18", "kernel-4.18"};
	uint32_t compared = 0;

	(void)state;
	for (size_t h = 0; h < ND_ARRAY_LEN(hosts); h++) {
		struct store tool = store_new(nd_snmp_facts, NULL);
		struct store proc = store_new(nd_snmp_facts, NULL);
		static const char *const files[] = {"proc/net/snmp", "proc/net/netstat"};
		char path[256];

		for (size_t i = 0; i < ND_ARRAY_LEN(files); i++) {
			snprintf(path, sizeof(path), HOSTS "%s/%s", hosts[h], files[i]);
			assert_int_equal(feed_file(&proc, &nd_collector_snmp, path), 0);
		}
		snprintf(path, sizeof(path), HOSTS "%s/netstat-s.txt", hosts[h]);
		assert_int_equal(feed_file(&tool, c, path), 0);
		for (int i = 0; nd_snmp_rows[i].section; i++) {
			const char *name = nd_snmp_facts[i].name;
			struct nd_value v = ask(&tool, name, plain(&tool, name));

			if (v.type != ND_V_NUMBER)
				continue;
			expect_num(&proc, name, v.num);
			compared++;
		}
		store_free(&tool);
		store_free(&proc);
	}
	assert_true(compared > 180);
}

static void test_not_ours(void **state)
{
	static const char *const texts[] = {"", "Active Internet connections\nProto Recv-Q\n",
					    "Tcp:\n", ":\n: 5\n"};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(texts); i++) {
		struct store s = store_new(nd_snmp_facts, NULL);

		assert_int_equal(feed_text(&s, c, "netstat-s.txt", texts[i]), -EINVAL);
		assert_non_null(strstr(s.e.msg, "TcpExt:"));
		store_free(&s);
	}
}

static void test_hostile(void **state)
{
	static const char *const files[] = {HOSTS "kernel-6.18/netstat-s.txt",
					    HOSTS "kernel-4.18/netstat-s.txt"};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(files); i++) {
		cut_everywhere(c, nd_snmp_facts, NULL, files[i], 1, false);
		garble(c, nd_snmp_facts, NULL, files[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_phrases),	       cmocka_unit_test(test_not_a_phrase),
		cmocka_unit_test(test_zeros),	       cmocka_unit_test(test_zeros_of_old_kernels),
		cmocka_unit_test(test_zeros_of_ipext), cmocka_unit_test(test_same_as_proc),
		cmocka_unit_test(test_not_ours),       cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
