/* Queueing disciplines from tc's text: recorded, of one device, of all kinds; cut and garbled. */
#include "tests/unit/qdisc_world.h"

#include <errno.h>

#define HOST "tests/hosts/kernel-6.18/"
#define SHAPED "tests/cases/C057/tc-s-qdisc.txt"

/* A recorded file; free it. */
static char *slurp(const char *path)
{
	char *text = nd_alloc(65536);
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	assert_true(fread(text, 1, 65535, file) > 0 && feof(file));
	fclose(file);
	return text;
}

static void feed_file(struct world *w, const char *path)
{
	char *text = slurp(path);

	world_open(w, both);
	assert_int_equal(feed(w, tool, path, 0, text), 0);
	free(text);
}

static void test_shaped(void **state)
{
	struct world w;

	(void)state;
	feed_file(&w, SHAPED);
	assert_int_equal(count(&w, ND_QDISC), 3);
	assert_int_equal(list_status(&w), ND_PRESENT);
	assert_text(&w, ND_QDISC, "eth0.2/1", "kind", "htb");
	assert_true(value(&w, ND_QDISC, "eth0.2/1", "root", ND_BARE).yes);
	assert_q(&w, "eth0.2/1", "sent.bytes", 195450545);
	assert_q(&w, "eth0.2/1", "sent.packets", 2252952);
	assert_q(&w, "eth0.2/1", "drops", 213);
	assert_q(&w, "eth0.2/1", "overlimits", 65672);
	assert_q(&w, "eth0.2/1", "requeues", 0);
	assert_int_equal(type_of(&w, "eth0.2/1", "limit"), ND_V_ABSENT);
	assert_int_equal(type_of(&w, "eth0.2/1", "ecn_marks"), ND_V_ABSENT);
	assert_int_equal(type_of(&w, "eth0.2/1", "filter_drops"), ND_V_ABSENT);
	assert_text(&w, ND_QDISC, "eth0.2/120", "kind", "fq_codel");
	assert_text(&w, ND_QDISC, "eth0.2/120", "limit", "1001p");
	assert_false(value(&w, ND_QDISC, "eth0.2/120", "root", ND_BARE).yes);
	assert_q(&w, "eth0.2/120", "ecn_marks", 1);
	assert_q(&w, "eth0.2/110", "ecn_marks", 0);
	assert_q(&w, "eth0.2/120", "backlog", 0);
	assert_q(&w, "eth0.2/120", "backlog.packets", 0);
	assert_string_equal(iface_of(&w, "eth0.2/120"), "eth0.2");
	world_close(&w);
}

static void test_rate(void **state)
{
	static const struct {
		const char *options;
		double rate; /* bytes per second; 0: absent; -1: not told */
	} rows[] = {
		{"tbf 8001: dev eth0 root refcnt 2 rate 1Mbit burst 5Kb lat 50ms", 125000},
		{"tbf 8001: dev eth0 root refcnt 2 rate 512Kbit burst 5Kb limit 9Kb", 64000},
		{"tbf 8001: dev eth0 root refcnt 2 rate 800bit burst 5Kb limit 9Kb", 100},
		{"tbf 8001: dev eth0 root refcnt 2 burst 5Kb limit 9Kb", -1},
		{"tbf 8001: dev eth0 root refcnt 2 rate xMbit burst 5Kb limit 9Kb", -1},
		{"cake 8001: dev eth0 root refcnt 2 bandwidth 2.5Gbit diffserv3", 312500000},
		{"cake 8001: dev eth0 root refcnt 2 bandwidth unlimited diffserv3", 0},
		{"pfifo_fast 8001: dev eth0 root refcnt 2 bands 3 rate 1Mbit", 0},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct world w;
		char text[256];

		world_open(&w, both);
		snprintf(text, sizeof(text), "qdisc %s\n", rows[i].options);
		assert_int_equal(feed(&w, tool, "tc-qdisc.txt", 0, text), 0);
		if (rows[i].rate > 0)
			assert_number(&w, ND_QDISC, "eth0/8001", "rate", ND_BARE, rows[i].rate);
		else if (type_of(&w, "eth0/8001", "rate") !=
			 (rows[i].rate < 0 ? ND_V_MISSING : ND_V_ABSENT))
			fail_msg("row %zu", i);
		world_close(&w);
	}
}

static void test_recorded(void **state)
{
	static const char *const nothing[] = {"sent.packets", "sent.bytes", "drops",
					      "overlimits",   "requeues",   "backlog",
					      "ecn_marks",    "limit",	    "backlog.packets"};
	struct world w;

	(void)state;
	feed_file(&w, HOST "tc_-s_-d_qdisc_show.txt");
	assert_int_equal(count(&w, ND_QDISC), 9);
	for (size_t i = 0; i < ND_ARRAY_LEN(nothing); i++)
		assert_int_equal(type_of(&w, "lo/0", nothing[i]), ND_V_ABSENT);
	/* no queue, but filters that threw packets away */
	assert_q(&w, "peer0/ffff", "sent.packets", 9);
	assert_q(&w, "peer0/ffff", "filter_drops", 7);
	for (size_t i = 2; i < ND_ARRAY_LEN(nothing); i++)
		assert_int_equal(type_of(&w, "peer0/ffff", nothing[i]), ND_V_ABSENT);
	assert_q(&w, "eth0/5", "sent.packets", 9); /* mq adds up its two */
	assert_q(&w, "eth0/0@5:1", "sent.packets", 8);
	assert_q(&w, "eth0/0@5:2", "sent.packets", 1);
	assert_string_equal(iface_of(&w, "eth0/0@5:2"), "eth0");
	assert_q(&w, "eth0.2/110", "backlog", 19872);
	assert_q(&w, "eth0.2/110", "backlog.packets", 16);
	assert_q(&w, "eth0.2/110", "drops", 42);
	assert_text(&w, ND_QDISC, "eth0.2/110", "limit", "20000b");
	assert_unknown(&w, "peer0/8005", "limit", ND_TOOL_OUTPUT_ABSENT); /* told as a latency */
	world_close(&w);
}

/* tc leaves the device out when it was asked for one only. */
static void test_one_device(void **state)
{
	static const struct {
		const char *path, *iface;
	} rows[] = {
		{HOST "tc_-s_qdisc_show_dev_eth0.2.txt", "eth0.2"},
		{"sos/tc_-s_qdisc_show_dev_eth0.2", "eth0.2"},
		{"tc-s-qdisc-show-dev-eth0.txt@10", "eth0"},
		{"tc -s qdisc show dev bond_0@10.log", "bond_0"},
		{"tc-s-qdisc-dev-dev.txt", "dev"},
		{"tc-s-qdisc.txt", NULL},
		{"dev/tc-s-qdisc.txt", NULL},
		{"tc-s-qdisc-mydev-eth0.txt", NULL},
		{"tc-s-qdisc-show-dev-0123456789abcdef.txt", NULL},
	};
	char *text = slurp(rows[0].path), key[64];

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct world w;
		int rc;

		world_open(&w, both);
		rc = feed(&w, tool, rows[i].path, 0, text);
		assert_int_equal(rc, rows[i].iface ? 0 : -EINVAL);
		if (rows[i].iface) {
			snprintf(key, sizeof(key), "%s/110", rows[i].iface);
			assert_q(&w, key, "drops", 42);
			assert_string_equal(iface_of(&w, key), rows[i].iface);
		} else {
			assert_non_null(strstr(w.err.msg, "dev NAME"));
		}
		world_close(&w);
	}
	free(text);
}

#define HEAD "qdisc fq_codel 0: dev eth0 root refcnt 2 limit 10240p flows 1024\n"
#define SENT " Sent 10 bytes 2 pkt (dropped 3, overlimits 4 requeues 5) \n"
#define BACK " backlog 0b 0p requeues 5\n"
static void test_lines(void **state)
{
	static const struct {
		const char *text, *key, *fact;
		double num; /* negative: missing */
		enum nd_missing why;
	} rows[] = {
		{HEAD SENT BACK, "eth0/0", "drops", 3, 0},
		{HEAD SENT BACK, "eth0/0", "requeues", 5, 0},
		{HEAD SENT BACK, "eth0/0", "ecn_marks", -1, ND_TOOL_OUTPUT_ABSENT},
		{HEAD SENT BACK "  maxpacket 0 drop_overlimit 0 new_flow_count 0 ecn_mark 6\n",
		 "eth0/0", "ecn_marks", 6, 0},
		{HEAD SENT BACK "  ecn_mark 6", "eth0/0", "ecn_marks", -1, ND_TRUNCATED},
		{HEAD SENT BACK "  ecn_mark x\n", "eth0/0", "ecn_marks", -1, ND_PARSE_ERROR},
		{HEAD SENT " backlog 12Kb 8p requeues 0\n", "eth0/0", "backlog", 12288, 0},
		{HEAD SENT " backlog 3Mb 2000p requeues 0\n", "eth0/0", "backlog", 3145728, 0},
		{HEAD SENT " backlog 1514b 1p requeues 0\n", "eth0/0", "backlog.packets", 1, 0},
		{HEAD SENT " rate 8bit 1pps backlog 7b 1p requeues 0 \n", "eth0/0", "backlog", 7,
		 0},
		{HEAD SENT " backlog 12Kb 8", "eth0/0", "backlog", -1, ND_TRUNCATED},
		{HEAD SENT " backlog 12Kb 8p", "eth0/0", "backlog", 12288, 0},
		{HEAD SENT " backlog -1b 8p requeues 0\n", "eth0/0", "backlog", -1, ND_PARSE_ERROR},
		{HEAD SENT " backlog 1b 4294967296p requeues 0\n", "eth0/0", "backlog.packets", -1,
		 ND_PARSE_ERROR},
		{HEAD, "eth0/0", "drops", -1, ND_TOOL_OUTPUT_ABSENT},
		{HEAD " Sent 10 bytes 2 pkt (dropped 31", "eth0/0", "drops", -1, ND_TRUNCATED},
		{HEAD " Sent 10 bytes 2 pkt (dropped 31", "eth0/0", "sent.packets", 2, 0},
		{HEAD " Sent 10 bytes 2 pkt (dropped 4294967296, overlimits 4 requeues 5)\n",
		 "eth0/0", "drops", -1, ND_PARSE_ERROR},
		{HEAD " Sent 18446744073709551615 bytes 4294967296 pkt (dropped 0, overlimits 0 "
		      "requeues 0)\n",
		 "eth0/0", "sent.packets", 4294967296, 0},
		{HEAD " Sent 10 bytes 2 pkts (dropped 3, overlimits 4) \n", "eth0/0", "requeues",
		 -1, ND_TOOL_OUTPUT_ABSENT},
		{HEAD "Sent 10 bytes 2 pkt (dropped 3, overlimits 4 requeues 5)\r\n", "eth0/0",
		 "requeues", 5, 0},
		/* what follows belongs to another */
		{HEAD "class htb 1:1 root\n" SENT, "eth0/0", "drops", -1, ND_TOOL_OUTPUT_ABSENT},
		{HEAD "  class htb 1:1 root\n" SENT, "eth0/0", "drops", -1, ND_TOOL_OUTPUT_ABSENT},
		{HEAD "qdixc x 0: dev eth1\n" SENT, "eth0/0", "drops", -1, ND_TOOL_OUTPUT_ABSENT},
		{"$ tc -s qdisc\nqdisc pfifo 8001: dev a.b offloaded parent 1:a limit 1000p\n" SENT,
		 "a.b/8001", "drops", 3, 0},
		{"qdisc fq_codel 0: dev eth0 parent :3 limit 10240p\n" SENT, "eth0/0@:3", "drops",
		 3, 0},
		{"qdisc pfifo_fast 0: dev root root refcnt 2\n" SENT, "root/0", "drops", 3, 0},
		{"qdisc x 0: dev e parent 1:2 mode root dev f\n" SENT, "e/0@1:2", "drops", 3, 0},
		{"qdisc pie 2: dev e root\n" SENT "  pkts_in 1 overlimit 7 dropped 9 maxq 3 "
		 "ecn_mark 8\n",
		 "e/2", "drops", 3, 0},
		{"qdisc pie 2: dev e root\n" SENT "  pkts_in 1 overlimit 7 dropped 9 maxq 3 "
		 "ecn_mark 8\n",
		 "e/2", "ecn_marks", 8, 0},
		{"qdisc red 2: dev e root limit 60Kb\n" SENT "  marked 4 early 1 pdrop 0 other 0\n",
		 "e/2", "ecn_marks", 4, 0},
		{"qdisc cake 2: dev e root\n" SENT "  drops    1   0   0\n  marks    1   20  3\n",
		 "e/2", "ecn_marks", 24, 0},
		{"qdisc cake 2: dev e root\n" SENT "  marks    1   20  3", "e/2", "ecn_marks", -1,
		 ND_TRUNCATED},
		{"qdisc cake 2: dev e root\n" SENT "  marks    1   zz  3\n", "e/2", "ecn_marks", -1,
		 ND_PARSE_ERROR},
		{"qdisc cake 2: dev e root\n" SENT "  marks \n", "e/2", "ecn_marks", -1,
		 ND_TOOL_OUTPUT_ABSENT},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct world w;

		world_open(&w, both);
		if (feed(&w, tool, "tc-s-qdisc.txt", 0, rows[i].text))
			fail_msg("row %zu: %s", i, w.err.msg);
		if (nd_entity_find(w.facts, ND_QDISC, rows[i].key) == ND_NO_ENTITY)
			fail_msg("row %zu: no %s", i, rows[i].key);
		if (rows[i].num < 0)
			assert_unknown(&w, rows[i].key, rows[i].fact, rows[i].why);
		else
			assert_q(&w, rows[i].key, rows[i].fact, rows[i].num);
		world_close(&w);
	}
}

static void test_limits(void **state)
{
	static const struct {
		const char *options, *limit; /* NULL: missing */
	} rows[] = {
		{"pfifo 1: dev e root limit 1000p", "1000p"},
		{"bfifo 1: dev e root limit 10Kb", "10240b"},
		{"bfifo 1: dev e root limit 20000b", "20000b"},
		{"netem 1: dev e root limit 1000 delay 10ms", "1000p"},
		{"fq 1: dev e root limit 10000p flow_limit 100p", "10000p"},
		{"fq_codel 1: dev e root limit 10240p memory_limit 32Mb", "10240p"},
		{"tbf 1: dev e root rate 1Mbit burst 4Kb lat 50ms", NULL},
		{"pfifo 1: dev limit root limit 7p", "7p"},
		{"pfifo 1: dev e root limit x", NULL},
	};
	char text[256];

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		const char *key = strstr(rows[i].options, "dev limit") ? "limit/1" : "e/1";
		struct world w;

		world_open(&w, both);
		snprintf(text, sizeof(text), "qdisc %s \n" SENT BACK, rows[i].options);
		assert_int_equal(feed(&w, tool, "tc-s-qdisc.txt", 0, text), 0);
		if (rows[i].limit)
			assert_text(&w, ND_QDISC, key, "limit", rows[i].limit);
		else
			assert_unknown(&w, key, "limit", ND_TOOL_OUTPUT_ABSENT);
		world_close(&w);
	}
}

/* A text that repeats itself: times between its rounds are not known, so the first one stays. */
static void test_repeated(void **state)
{
	struct world w;
	uint32_t n;

	(void)state;
	world_open(&w, both);
	feed(&w, tool, "tc-s-qdisc.txt", 0,
	     HEAD SENT BACK HEAD " Sent 90 bytes 9 pkt (dropped 9, overlimits 9 requeues 9)\n"
				 " backlog 700b 1p requeues 0\n");
	assert_q(&w, "eth0/0", "drops", 3);
	assert_q(&w, "eth0/0", "backlog", 0);
	nd_facts_contradictions(w.facts, &n);
	assert_int_equal(n, 0);
	world_close(&w);
}

/* drops wrap at 32 bits; packets, which older kernels wrap, do not pretend to. */
static void test_two_moments(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, both);
	feed(&w, tool, "tc-s-qdisc.txt@0", 0,
	     HEAD " Sent 10 bytes 4294967290 pkt (dropped 4294967290, overlimits 0 requeues 0)\n"
		  " backlog 3000b 2p requeues 0\n");
	feed(&w, tool, "tc-s-qdisc.txt@10", 10,
	     HEAD " Sent 60 bytes 4 pkt (dropped 4, overlimits 0 requeues 0)\n"
		  " backlog 1000b 1p requeues 0\n");
	assert_number(&w, ND_QDISC, "eth0/0", "drops", ND_DELTA, 10);
	assert_number(&w, ND_QDISC, "eth0/0", "sent.bytes", ND_RATE, 5);
	assert_missing(&w, ND_QDISC, "eth0/0", "sent.packets", ND_DELTA, ND_COUNTER_RESET);
	assert_number(&w, ND_QDISC, "eth0/0", "backlog", ND_MEAN, 2000);
	assert_number(&w, ND_QDISC, "eth0/0", "backlog.packets", ND_MAX, 2);
	world_close(&w);
}

static void test_bad(void **state)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{"", "no such line"},
		{"tc: command not found\n", "qdisc KIND HANDLE"},
		{"[{\"kind\":\"noqueue\",\"handle\":\"0:\"}]\n", "without -j"},
		{"qdisc\n", "no such line"},
		{"qdisc pfifo\n", "found 'nothing'"},
		{"qdisc pfifo 0 dev eth0 root\n", "found '0'"},
		{"qdisc pfifo 10000: dev eth0 root\n", "found '10000:'"},
		{"qdisc pfifo 1:2 dev eth0 root\n", "found '1:2'"},
		{"qdisc PFIFO 1: dev eth0 root\n", "found 'PFIFO'"},
		{"qdisc 0123456789abcdef 1: dev eth0 root\n", "found '0123456789abcdef'"},
		{"qdisc pfifo 1: root\n", "dev NAME"},
		{"qdisc pfifo 1: dev a/b root\n", "found 'a/b'"},
		{"qdisc pfifo 1: dev eth0 parent x\n", "found 'x'"},
		{"qdisc pfifo 1: dev eth0 parent :\n", "found ':'"},
		{"qdisc pfifo 1: dev eth0 parent 10000:1\n", "found '10000:1'"},
		{"qdisc pfifo 1: dev eth", "dev NAME"},
		{"qdisc pfifo 1: dev eth0 parent 1", "dev NAME"},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct world w;

		world_open(&w, both);
		assert_int_equal(feed(&w, tool, "tc-s-qdisc.txt", 0, rows[i].text), -EINVAL);
		if (!strstr(w.err.msg, rows[i].message))
			fail_msg("'%s' does not say '%s'", w.err.msg, rows[i].message);
		assert_int_equal(count(&w, ND_QDISC), 0);
		world_close(&w);
	}
}

/* A list that lost one says so, and the others are known. */
static void test_incomplete(void **state)
{
	static const struct {
		const char *text;
		enum nd_missing list;
		uint32_t n;
	} rows[] = {
		{HEAD SENT BACK, ND_PRESENT, 1},
		{HEAD SENT " backlog 0b 0p requeues 5", ND_PRESENT, 1},
		{HEAD SENT BACK "qdisc pfifo x: dev eth1 root\n" SENT BACK, ND_PARSE_ERROR, 1},
		{"qdisc pfifo x: dev eth1 root\n" SENT BACK HEAD SENT BACK, ND_PARSE_ERROR, 1},
		{HEAD SENT BACK "qdisc pfifo 1: dev et", ND_TRUNCATED, 1},
		{HEAD SENT BACK "qdisc pfifo 1: dev eth1 root refcnt 2 lim", ND_TRUNCATED, 2},
		{HEAD " Sent 10 bytes", ND_TRUNCATED, 1},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct world w;

		world_open(&w, both);
		assert_int_equal(feed(&w, tool, "tc-s-qdisc.txt", 0, rows[i].text), 0);
		if (list_status(&w) != rows[i].list)
			fail_msg("row %zu: %s", i, nd_missing_name(list_status(&w)));
		assert_int_equal(count(&w, ND_QDISC), rows[i].n);
		world_close(&w);
	}
}

static void test_cut(void **state)
{
	static const char *const files[] = {SHAPED, HOST "tc_-s_-d_qdisc_show.txt"};

	(void)state;
	for (size_t k = 0; k < ND_ARRAY_LEN(files); k++) {
		char *text = slurp(files[k]);
		struct world whole;

		feed_file(&whole, files[k]);
		for (size_t n = strlen(text); n-- > 0;) {
			struct world part;

			text[n] = '\0';
			world_open(&part, both);
			if (feed(&part, tool, files[k], 0, text))
				assert_true(strlen(part.err.msg) > 0);
			assert_part_of(&part, &whole, n);
			world_close(&part);
		}
		world_close(&whole);
		free(text);
	}
}

static void test_hostile(void **state)
{
	(void)state;
	torture(both, tool, "tc-s-qdisc.txt", NULL,
		"qdisc fq_codel 1: dev eth0.2 parent 1:11 limit 1001p ecn \n" SENT BACK
		"  maxpacket 942 ecn_mark 0\n  new_flows_len 1 old_flows_len 1\n"
		"qdisc cake 2: dev e root\n" SENT "  marks    1   20  3\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shaped),	    cmocka_unit_test(test_rate),
		cmocka_unit_test(test_recorded),    cmocka_unit_test(test_one_device),
		cmocka_unit_test(test_lines),	    cmocka_unit_test(test_limits),
		cmocka_unit_test(test_two_moments), cmocka_unit_test(test_repeated),
		cmocka_unit_test(test_bad),	    cmocka_unit_test(test_incomplete),
		cmocka_unit_test(test_cut),	    cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
