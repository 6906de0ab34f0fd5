/* `nstat`: joined names, and what a counter that is not there means with and without -z. */
#include "tests/unit/counter_input.h"

#include "collectors/snmp.h"

#define HOST "tests/hosts/kernel-6.18/"

extern const struct nd_collector nd_collector_nstat, nd_collector_snmp;
static const struct nd_collector *const c = &nd_collector_nstat;

/* A whole output of `nstat -a`: more than twenty counters, from the first section to the last. */
static void whole_text(struct nd_buf *b, const char *extra)
{
	nd_buf_puts(b, "#kernel\nIpInReceives                    516                0.0\n"
		       "TcpInSegs 489 0.0\nIpExtInOctets 19632384 0.0\n");
	for (int i = 0; i < 20; i++)
		nd_buf_printf(b, "IcmpMsgOutType%d 1 0.0\n", i);
	nd_buf_puts(b, extra);
}

static void test_kernel_6_18_as_proc(void **state)
{
	static const char *const files[] = {HOST "proc/net/snmp", HOST "proc/net/netstat",
					    HOST "proc/net/snmp6"};
	struct store tool = store_new(nd_snmp_facts, NULL), proc = store_new(nd_snmp_facts, NULL);

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(files); i++)
		assert_int_equal(feed_file(&proc, &nd_collector_snmp, files[i]), 0);
	assert_int_equal(feed_file(&tool, c, HOST "nstat-az.txt"), 0);
	for (int i = 0; nd_snmp_rows[i].section; i++) {
		const char *name = nd_snmp_facts[i].name;

		if (nd_snmp_rows[i].since == ND_SNMP_GONE)
			expect_missing(&tool, name, ND_NOT_ON_THIS_KERNEL);
		else if (nd_snmp_facts[i].width == ND_GAUGE) /* nstat does not print these */
			expect_missing(&tool, name, ND_TOOL_OUTPUT_ABSENT);
		else
			expect_num(&tool, name, ask(&proc, name, plain(&proc, name)).num);
	}
	store_free(&tool);
	store_free(&proc);
}

static void test_lines(void **state)
{
	static const struct {
		const char *text, *fact;
		double num;
		enum nd_missing why;
	} rows[] = {
		{"#kernel\nTcpExtListenOverflows           12178939           0.0\n",
		 "tcp.listen_overflows", 12178939, 0},
		{"TcpExtListenOverflows 1 0.0\nTcpExtListenDrops 2 0.0", "tcp.listen_drops", 2, 0},
		{"TcpExtListenOverflows 1 0.0\nTcpExtListenDrops 2", "tcp.listen_drops", NAN,
		 ND_TRUNCATED},
		{"TcpExtListenDrops 2\n", "tcp.listen_drops", 2, 0},
		{"TcpExtListenDrops lots 0.0\nTcpInSegs 1 0.0\n", "tcp.listen_drops", NAN,
		 ND_PARSE_ERROR},
		{"Udp6InErrors 4 0.0\n", "udp6.in_errors", 4, 0},
		{"UdpInErrors 4 0.0\n", "udp.in_errors", 4, 0},
		{"UdpInErrors 4 0.0\n", "udp.no_ports", NAN, ND_TOOL_OUTPUT_ABSENT},
		{"UdpInErrors 0 0.0\n", "udp.no_ports", NAN, ND_TOOL_OUTPUT_ABSENT},
		{"UdpLiteInErrors 4 0.0\n", "udp.in_errors", NAN, ND_TOOL_OUTPUT_ABSENT},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct store s = store_new(nd_snmp_facts, NULL);

		assert_int_equal(feed_text(&s, c, "nstat-a.txt", rows[i].text), 0);
		if (isnan(rows[i].num))
			expect_missing(&s, rows[i].fact, rows[i].why);
		else
			expect_num(&s, rows[i].fact, rows[i].num);
		store_free(&s);
	}
}

static void test_zeros(void **state)
{
	static const struct {
		const char *extra;
		enum nd_missing overflows, probes; /* ND_PRESENT: 0 */
	} rows[] = {
		{"", ND_PRESENT, ND_PRESENT},
		{"TcpExtListenDro", ND_TOOL_OUTPUT_ABSENT, ND_TOOL_OUTPUT_ABSENT},
		{"TcpOutRsts 0 0.0\n", ND_NOT_ON_THIS_KERNEL, ND_NOT_ON_THIS_KERNEL},
		{"TcpExtTCPPrequeued 7 0.0\n", ND_PRESENT, ND_TOOL_OUTPUT_ABSENT},
		{"TcpExtTCPFACKReorder 7 0.0\n", ND_PRESENT, ND_TOOL_OUTPUT_ABSENT},
		{"TcpExtPAWSPassive 96305 0.0\n", ND_PRESENT, ND_TOOL_OUTPUT_ABSENT},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct store s = store_new(nd_snmp_facts, NULL);
		struct nd_buf b = {0};

		whole_text(&b, rows[i].extra);
		assert_int_equal(feed(&s, c, "nstat-a.txt", b.s, b.len, 0), 0);
		if (rows[i].overflows == ND_PRESENT)
			expect_num(&s, "tcp.listen_overflows", 0);
		else
			expect_missing(&s, "tcp.listen_overflows", rows[i].overflows);
		if (rows[i].probes == ND_PRESENT)
			expect_num(&s, "tcp.loss_probes", 0);
		else
			expect_missing(&s, "tcp.loss_probes", rows[i].probes);
		expect_missing(&s, "tcp.curr_estab", ND_TOOL_OUTPUT_ABSENT);
		nd_buf_free(&b);
		store_free(&s);
	}
}

/* Twenty lines without the first or the last section are an excerpt. */
static void test_long_excerpt(void **state)
{
	static const char *const without[] = {"IpInReceives", "TcpInSegs", "IpExtInOctets"};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(without); i++) {
		struct store s = store_new(nd_snmp_facts, NULL);
		struct nd_buf b = {0};

		whole_text(&b, "");
		*strstr(b.s, without[i]) = 'X';
		assert_int_equal(feed(&s, c, "nstat-a.txt", b.s, b.len, 0), 0);
		expect_missing(&s, "tcp.listen_overflows", ND_TOOL_OUTPUT_ABSENT);
		nd_buf_free(&b);
		store_free(&s);
	}
}

static void test_interval(void **state)
{
	static const char text[] = "#kernel\nTcpRetransSegs 1471 0.0\n";
	struct nd_input in = {.path = "nstat.txt", .netns = "host", .interval = true};
	struct store s = store_new(nd_snmp_facts, NULL);
	struct nd_stream *stream = nd_stream_mem(text, strlen(text));
	struct nd_value v;

	(void)state;
	assert_int_equal(c->parse(&in, stream, s.f, &s.e), 0);
	nd_stream_close(stream);
	v = ask(&s, "tcp.retrans_segs", ND_SEEN);
	assert_int_equal(v.type, ND_V_NUMBER);
	assert_int_equal(v.basis, ND_B_INTERVAL);
	assert_true(v.num == 1471);
	assert_int_equal(ask(&s, "tcp.retrans_segs", ND_TOTAL).type, ND_V_MISSING);
	store_free(&s);
}

static void test_not_ours(void **state)
{
	static const char *const texts[] = {"", "#kernel\n", "nstat: command not found\n",
					    "Cannot open file\n"};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(texts); i++) {
		struct store s = store_new(nd_snmp_facts, NULL);

		assert_int_equal(feed_text(&s, c, "nstat.txt", texts[i]), -EINVAL);
		assert_non_null(strstr(s.e.msg, "IpInReceives"));
		store_free(&s);
	}
}

static void test_hostile(void **state)
{
	(void)state;
	cut_everywhere(c, nd_snmp_facts, NULL, HOST "nstat-az.txt", 13, false);
	garble(c, nd_snmp_facts, NULL, HOST "nstat-az.txt");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel_6_18_as_proc),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_zeros),
		cmocka_unit_test(test_long_excerpt),
		cmocka_unit_test(test_interval),
		cmocka_unit_test(test_not_ours),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
