/* Sums over TCP sockets: the releases of `ss -s`, states in both orders and three spellings, and what is no sum; and
 * the numbers that the words of a sysctl become. */
#include "tests/unit/counter_input.h"

#include "collectors/sockstat.h"
#include "collectors/tcp_states.h"

extern const struct nd_collector nd_collector_tcp_sums, nd_collector_sysctl,
	nd_collector_sysctl_words;
static const struct nd_collector *const c = &nd_collector_tcp_sums;

static struct store new_store(void)
{
	return store_new(nd_tcp_state_facts, nd_sockstat_facts);
}

static void test_summary(void **state)
{
	static const struct {
		const char *text;
		double estab, orphan, tw;
	} rows[] = {
		/* iproute2 4.x, 5.x and 6.x */
		{"Total: 131 (kernel 0)\n"
		 "TCP:   14 (estab 1, closed 0, orphaned 10, synrecv 0, timewait 0/0), ports 0\n\n"
		 "Transport Total     IP        IPv6\nTCP\t  14        13        1\n",
		 1, 10, 0},
		{"Total: 1067\nTCP:   3305 (estab 211, closed 2981, orphaned 7, timewait 2980)\n",
		 211, 7, 2980},
		{"$ ss -s\r\nTotal: 5\r\nTCP:   36 (estab 30, closed 2, orphaned 0, synrecv 0, "
		 "timewait 2/0), ports 12\r\n",
		 30, 0, 2},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct store s = new_store();

		assert_int_equal(feed_text(&s, c, "ss-s.txt", rows[i].text), 0);
		expect_num(&s, "tcp.states.established", rows[i].estab);
		expect_num(&s, "tcp.sockets.orphan", rows[i].orphan);
		expect_num(&s, "tcp.sockets.tw", rows[i].tw);
		expect_num(&s, "tcp.states.time_wait", rows[i].tw);
		expect_missing(&s, "tcp.states.close_wait", ND_NOT_SAMPLED);
		store_free(&s);
	}
}

static void test_states(void **state)
{
	static const char *const texts[] = {
		"     10 CLOSING\n   1036 ESTABLISHED\n     46 LISTEN\n     20 SYN_RECV\n"
		"  12248 TIME_WAIT\n      7 CLOSE_WAIT\n      1 established)\n      1 Foreign\n",
		"ALL 13367\nCLOSING 10\nESTAB 1036\nLISTEN 46\nSYN-RECV 20\nTIME-WAIT 12248\nCLOSE-WAIT 7\n",
		"$ lsof -nPi | awk '{print $NF}' | sort | uniq -c\n 10 (CLOSING)\n 1036 (ESTABLISHED)\n"
		" 46 (LISTEN)\n 20 (SYN_RCVD)\n 12248 (TIME_WAIT)\n 7 (CLOSE_WAIT)\n",
		"CLOSING: 10\nESTABLISHED: 1036\nLISTEN: 46\nSYN_RECV: 20\nTIME_WAIT: 12248\nCLOSE_WAIT: 7\n",
		"  10 CLOSING -\n 1000 ESTABLISHED 7/nginx\n 36 ESTABLISHED 9/php\n 46 LISTEN 7/nginx\n"
		" 20 SYN_RECV -\n 12248 TIME_WAIT -\n 7 CLOSE_WAIT 9/php\n",
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(texts); i++) {
		struct store s = new_store();

		assert_int_equal(feed_text(&s, c, "netstat-states", texts[i]), 0);
		expect_num(&s, "tcp.states.established", 1036);
		expect_num(&s, "tcp.states.time_wait", 12248);
		expect_num(&s, "tcp.states.close_wait", 7);
		expect_num(&s, "tcp.states.syn_recv", 20);
		expect_num(&s, "tcp.states.closing", 10);
		expect_num(&s, "tcp.states.listen", 46);
		expect_num(&s, "tcp.states.syn_sent", 0); /* uniq shows no zeros */
		store_free(&s);
	}
}

/* One line, as from grep -c, tells of its state alone. */
static void test_excerpt(void **state)
{
	struct store s = new_store();

	(void)state;
	assert_int_equal(feed_text(&s, c, "netstat", "4031 CLOSE_WAIT\n"), 0);
	expect_num(&s, "tcp.states.close_wait", 4031);
	expect_missing(&s, "tcp.states.established", ND_NOT_SAMPLED);
	/* what another output said first stays; the same one at another moment goes on */
	assert_int_equal(feed_text(&s, c, "other", "5 CLOSE_WAIT\n"), 0);
	expect_num(&s, "tcp.states.close_wait", 4031);
	assert_int_equal(feed(&s, c, "netstat@60", "4100 CLOSE_WAIT\n", 16, 60), 0);
	expect_num(&s, "tcp.states.close_wait", 4100);
	store_free(&s);
}

static void test_no_sums(void **state)
{
	static const char *const texts[] = {
		"",
		"State  Recv-Q Send-Q Local Address:Port Peer Address:Port\nESTAB 0\nTIME-WAIT 0\nLISTEN 1\n",
		"tcp  0  0 10.0.0.1:80  10.0.0.2:3345  ESTABLISHED\n",
		"ESTAB 0 0 10.0.0.1:80 10.0.0.2:3345\n",
		"TcpExt:\n    12 times the listen queue of a socket overflowed\n",
		"TCP: inuse 7106 orphan 4614 tw 326428 alloc 7142 mem 8559\n",
		"TCP:   14 (estab 1",
		"ESTABLISHED\n12\n\x01\xff\xfe\n-5 ESTABLISHED\n1e3 LISTEN\n99999999999999999999 LISTEN\n",
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(texts); i++) {
		struct store s = new_store();

		assert_int_equal(feed_text(&s, c, "ss-x", texts[i]), 0);
		for (const struct nd_fact_def *d = nd_tcp_state_facts; d->name; d++)
			expect_missing(&s, d->name, ND_NOT_SAMPLED);
		store_free(&s);
	}
}

static void test_limits(void **state)
{
	static const char text[] = "net.ipv4.tcp_mem = 188319\t251092\t376638\n"
				   "net.ipv4.ip_local_port_range = 32768\t60999\n"
				   "net.ipv4.ip_local_reserved_ports = 80,40000-40009,60999-61005\n"
				   "fs.file-nr = 9344\t0\t1620000\n";
	struct store s = store_new(nd_collector_sysctl.facts, nd_collector_sysctl_words.facts);

	(void)state;
	assert_int_equal(feed_text(&s, &nd_collector_sysctl, "sysctl-a", text), 0);
	nd_collector_sysctl_words.finish(s.f);
	expect_num(&s, "tcp.mem.low", 188319 * 4096.0);
	expect_num(&s, "tcp.mem.pressure", 251092 * 4096.0);
	expect_num(&s, "tcp.mem.max", 376638 * 4096.0);
	expect_num(&s, "page_size", 4096);
	expect_num(&s, "ports.low", 32768);
	expect_num(&s, "ports.high", 60999);
	expect_num(&s, "ports.range", 28232 - 11);
	expect_num(&s, "files.open", 9344);
	expect_num(&s, "files.max", 1620000);
	store_free(&s);
}

static void test_bad_limits(void **state)
{
	static const char *const texts[] = {
		"net.ipv4.tcp_mem = 188319 251092\nnet.ipv4.ip_local_port_range = 60999 32768\n",
		"net.ipv4.tcp_mem = 1 2 x\nnet.ipv4.ip_local_port_range = 1 65536\n",
		"net.ipv4.tcp_mem = 1 2 3 4\nnet.ipv4.ip_local_port_range =\n",
		"net.core.somaxconn = 128\n",
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(texts); i++) {
		struct store s =
			store_new(nd_collector_sysctl.facts, nd_collector_sysctl_words.facts);

		assert_int_equal(feed_text(&s, &nd_collector_sysctl, "sysctl-a", texts[i]), 0);
		nd_collector_sysctl_words.finish(s.f);
		expect_missing(&s, "tcp.mem.max", ND_TOOL_OUTPUT_ABSENT);
		expect_missing(&s, "ports.range", ND_TOOL_OUTPUT_ABSENT);
		store_free(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_summary), cmocka_unit_test(test_states),
		cmocka_unit_test(test_excerpt), cmocka_unit_test(test_no_sums),
		cmocka_unit_test(test_limits),	cmocka_unit_test(test_bad_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
