/* Lines of tcpdump in every spelling that people paste, and what the analyser makes of them. */
#include "tests/unit/parse_text.h"

extern const struct nd_collector nd_collector_tcpdump;
static const struct nd_collector *const c = &nd_collector_tcpdump;
static const struct nd_collector *const list[] = {&nd_collector_tcpdump, NULL};

#define PEER "198.51.100.21:80"
#define A "IP 192.0.2.3.24568 > 198.51.100.21.80: "
#define B "IP 198.51.100.21.80 > 192.0.2.3.24568: "

/* Feeds the text to a new world. */
static struct world of(const char *text)
{
	struct world w;

	world_open(&w, list);
	if (feed(&w, c, "tcpdump.txt", 0, text) != 0)
		fail_msg("%s", w.err.msg);
	return w;
}

static void expect(const struct world *w, const char *key, const char *fact, double v)
{
	assert_number(w, ND_PEER, key, fact, ND_BARE, v);
}

static void expect_absent(const struct world *w, const char *key, const char *fact)
{
	assert_int_equal(value(w, ND_PEER, key, fact, ND_BARE).type, ND_V_ABSENT);
}

static double median(const struct world *w, enum nd_kind kind, const char *key, const char *fact)
{
	struct nd_value v = value(w, kind, key, fact, ND_BARE);

	assert_int_equal(v.type, ND_V_HIST);
	assert_true(v.hist->n > 0);
	return v.hist->b[v.hist->n / 2].lo;
}

/* ---- spellings ---- */

static void expect_syns(const char *text, const char *key)
{
	struct world w = of(text);

	expect(&w, key, "pcap.connects", 1);
	expect(&w, key, "pcap.syn_retrans", 2);
	expect(&w, key, "pcap.syn_unanswered", 1);
	expect(&w, key, "pcap.client_mss", 1460);
	world_close(&w);
}

#define SYN(time)                                                                                  \
	time A "Flags [S], seq 416500297, win 29200, options [mss 1460,sackOK,nop,wscale 9], length 0\n"
#define OLD(time)                                                                                  \
	time A "S 416500297:416500297(0) win 5840 <mss 1460,sackOK,timestamp 7 0,nop,wscale 2> (DF)\n"
#define VERBOSE(time)                                                                                                \
	time "IP (tos 0x0, ttl 64, id 1, offset 0, flags [DF], proto TCP (6), length 52)\n"                          \
	     "    192.0.2.3.24568 > 198.51.100.21.80: Flags [S], cksum 0xe849 (correct), seq 416500297, win 29200, " \
	     "options [mss 1460,nop,wscale 9], length 0\n"
#define LINK(time)                                                                                           \
	time "00:16:3e:00:00:01 > 00:16:3e:00:00:02, ethertype IPv4 (0x0800), length 74: 192.0.2.3.24568 > " \
	     "198.51.100.21.80: Flags [S], seq 416500297, win 29200, options [mss 1460,nop,wscale 9], length 0\n"
#define SIX(time)                                                                                  \
	time "IP6 2001:db8::3.24568 > 2001:db8::21.80: Flags [S], seq 416500297, win 29200, options [mss 1460], length 0\n"
#define NAMED(time)                                                                                \
	time "IP client.example.24568 > web-1.example.http: Flags [S], seq 416500297, win 29200, options [mss 1460], length 0\n"
#define THREE(line) line("11:00:00.000001 ") line("11:00:01.010001 ") line("11:00:03.020001 ")

static void test_spellings(void **state)
{
	(void)state;
	expect_syns(THREE(SYN), PEER);
	expect_syns(THREE(OLD), PEER);
	expect_syns(THREE(VERBOSE), PEER);
	expect_syns(THREE(LINK), PEER);
	expect_syns(THREE(SIX), "[2001:db8::21]:80");
	expect_syns(THREE(NAMED), "web-1.example:80");
	expect_syns(SYN("1573991234.000001 ") SYN("1573991235.010001 ") SYN("1573991237.020001 "),
		    PEER);
	expect_syns(SYN("2019-12-13 23:59:59.000001 ") SYN("2019-12-14 00:00:00.010001 ")
			    SYN("2019-12-14 00:00:02.020001 "),
		    PEER);
	expect_syns(
		"# tcpdump -ni any port 80\n"
		"listening on any, link-type LINUX_SLL2 (Linux cooked v2), snapshot length 262144\r\n" SYN(
			"23:59:59.000001 eth0  Out ") SYN("00:00:00.010001 eth0  Out ")
			SYN("00:00:02.020001 eth0  Out ") "3 packets captured\n",
		PEER);
	expect_syns(SYN(" 00:00:00.000000 ") SYN(" 00:00:01.010000 ") SYN(" 00:00:00.990000 "),
		    PEER); /* -ttt */
}

/* -ttt and -ttttt look alike while the steps grow: the senders' own clock tells. */
static void test_differences(void **state)
{
#define STAMP(time, ts)                                                                            \
	time A "Flags [S], seq 1, win 1, options [mss 1460,sackOK,TS val " ts " ecr 0], length 0\n"
	struct world w = of(STAMP("00:00:00.000000 ", "5000") STAMP("00:00:01.000000 ", "6000")
				    STAMP("00:00:02.000000 ", "8000"));

	(void)state;
	expect(&w, PEER, "pcap.time", 3);
	world_close(&w);
	w = of(STAMP("00:00:00.000000 ", "5000") STAMP("00:00:01.000000 ", "6000")
		       STAMP("00:00:03.000000 ", "8000"));
	expect(&w, PEER, "pcap.time", 3);
	world_close(&w);
}

static void test_without_times(void **state)
{
	struct world w = of(SYN("") SYN("") SYN(""));

	(void)state;
	expect(&w, PEER, "pcap.syn_retrans", 2);
	assert_missing(&w, ND_PEER, PEER, "pcap.holds", ND_BARE, ND_TOOL_OUTPUT_ABSENT);
	assert_missing(&w, ND_PEER, PEER, "pcap.time", ND_BARE, ND_TOOL_OUTPUT_ABSENT);
	world_close(&w);
}

/* ---- what connections show ---- */

#define SHAKE                                                                                      \
	"11:00:00.000000 " A                                                                       \
	"Flags [S], seq 1000, win 29200, options [mss 1460,sackOK], length 0\n"                    \
	"11:00:00.000300 " B                                                                       \
	"Flags [S.], seq 9000, ack 1001, win 28960, options [mss 1460,sackOK], length 0\n"         \
	"11:00:00.000320 " A "Flags [.], ack 1, win 229, length 0\n"

static void test_handshake(void **state)
{
	struct world w = of(SHAKE);

	(void)state;
	expect(&w, PEER, "pcap.handshakes", 1);
	expect(&w, PEER, "pcap.syn_unanswered", 0);
	expect(&w, PEER, "pcap.min_rtt", 0.00032);
	assert_true(median(&w, ND_PEER, PEER, "pcap.synack_time") == 0.0003);
	world_close(&w);
	w = of("11:00:00.000000 " A "Flags [S], seq 1000, win 29200, length 0\n"
	       "11:00:00.000300 " B "Flags [R.], seq 0, ack 1001, win 0, length 0\n");
	expect(&w, PEER, "pcap.syn_refused", 1);
	expect(&w, PEER, "pcap.syn_unanswered", 0);
	expect(&w, PEER, "pcap.resets", 0);
	world_close(&w);
}

/* The SYN-ACK's sender is this host: it is a service, and the client's ends are not told apart. */
static void test_service(void **state)
{
	struct world w =
		of("11:00:00.000000 eth0  In  " A "Flags [S], seq 1, win 9, length 0\n"
		   "11:00:00.000010 eth0  Out " B "Flags [S.], seq 1, ack 2, win 9, length 0\n"
		   "11:00:00.030010 eth0  In  " A "Flags [.], ack 1, win 9, length 0\n");

	(void)state;
	assert_number(&w, ND_SERVICE, "80", "pcap.handshakes", ND_BARE, 1);
	assert_int_equal(count(&w, ND_PEER), 0);
	world_close(&w);
}

static void test_hold(void **state)
{
	struct world w = of(
		SHAKE "11:00:00.001000 " A "Flags [P.], seq 1:101, ack 1, win 229, length 100\n"
		      "11:00:00.041500 " B "Flags [.], ack 101, win 229, length 0\n"
		      "11:00:00.041600 " A "Flags [P.], seq 101:301, ack 1, win 229, length 200\n"
		      "11:00:00.042000 " B "Flags [P.], seq 1:51, ack 301, win 229, length 50\n");

	(void)state;
	expect(&w, PEER, "pcap.holds", 1);
	expect(&w, PEER, "pcap.exchanges", 1);
	expect(&w, PEER, "pcap.retrans", 0);
	assert_text(&w, ND_PEER, PEER, "pcap.hold_by", "the client");
	assert_true(median(&w, ND_PEER, PEER, "pcap.hold_time") == 0.040);
	world_close(&w);
	/* a program that waits by itself sends long after the ACK, and a full segment was not held by Nagle */
	w = of(SHAKE "11:00:00.001000 " A "Flags [P.], seq 1:101, ack 1, win 229, length 100\n"
		     "11:00:00.041500 " B "Flags [.], ack 101, win 229, length 0\n"
		     "11:00:00.055000 " A "Flags [P.], seq 101:301, ack 1, win 229, length 200\n"
		     "11:00:00.096000 " B "Flags [.], ack 301, win 229, length 0\n"
		     "11:00:00.096100 " A
		     "Flags [P.], seq 301:1761, ack 1, win 229, length 1460\n");
	expect(&w, PEER, "pcap.holds", 0);
	world_close(&w);
}

static void test_timeout(void **state)
{
	struct world w = of(
		SHAKE "11:00:00.001000 " A "Flags [P.], seq 1:101, ack 1, win 229, length 100\n"
		      "11:00:00.205000 " A "Flags [P.], seq 1:101, ack 1, win 229, length 100\n"
		      "11:00:00.205300 " B
		      "Flags [.], ack 101, win 229, options [nop,nop,sack 1 {1:101}], length 0\n");

	(void)state;
	expect(&w, PEER, "pcap.retrans", 1);
	expect(&w, PEER, "pcap.retrans_rto", 1);
	expect(&w, PEER, "pcap.dsacks", 1);
	expect(&w, PEER, "pcap.silent", 0);
	assert_true(median(&w, ND_PEER, PEER, "pcap.rto_time") == 0.204);
	world_close(&w);
}

#define FAST                                                                                       \
	SHAKE "11:00:00.001000 " B "Flags [.], seq 1:1449, ack 1, win 229, length 1448\n"          \
	      "11:00:00.001010 " B "Flags [.], seq 2897:4345, ack 1, win 229, length 1448\n"       \
	      "11:00:00.001020 " A                                                                 \
	      "Flags [.], ack 1449, win 229, options [nop,nop,sack 1 {2897:4345}], length 0\n"

static void test_lost_or_overtaken(void **state)
{
	struct world w = of(FAST "11:00:00.001500 " B
				 "Flags [.], seq 1449:2897, ack 1, win 229, length 1448\n");

	(void)state;
	expect(&w, PEER, "pcap.reordered", 1);
	expect(&w, PEER, "pcap.retrans", 0);
	world_close(&w);
	w = of(FAST "11:00:00.021500 " B "Flags [.], seq 1449:2897, ack 1, win 229, length 1448\n");
	expect(&w, PEER, "pcap.lost_before", 1);
	expect(&w, PEER, "pcap.retrans", 1);
	assert_text(&w, ND_PEER, PEER, "pcap.retrans_by", "the server");
	world_close(&w);
	w = of(FAST "11:00:00.021500 " A
		    "Flags [.], ack 4345, win 229, length 0\n"); /* the capture missed it */
	expect(&w, PEER, "pcap.retrans", 0);
	expect(&w, PEER, "pcap.lost_before", 0);
	world_close(&w);
}

static void test_same_packet_twice(void **state)
{
	struct world w = of(SHAKE "11:00:00.001000 eth0 In " A
				  "Flags [P.], seq 1:101, ack 1, win 229, length 100\n"
				  "11:00:00.001020 br0 In " A
				  "Flags [P.], seq 1:101, ack 1, win 229, length 100\n");
	struct nd_value v = value(&w, ND_HOST, "", "pcap.packets", ND_BARE);

	(void)state;
	assert_true(v.num == 5);
	world_close(&w);
}

static void test_zero_window(void **state)
{
	struct world w =
		of(SHAKE "11:00:00.001000 " B "Flags [.], seq 1:1449, ack 1, win 229, length 1448\n"
			 "11:00:00.001100 " A "Flags [.], ack 1449, win 0, length 0\n"
			 "11:00:00.301100 " B "Flags [.], seq 1448:1449, ack 1, win 229, length 1\n"
			 "11:00:00.301200 " A "Flags [.], ack 1449, win 0, length 0\n"
			 "11:00:02.001100 " A "Flags [.], ack 1449, win 229, length 0\n");

	(void)state;
	expect(&w, PEER, "pcap.zero_windows", 1);
	expect(&w, PEER, "pcap.window_probes", 1);
	expect(&w, PEER, "pcap.zero_window_max", 2);
	expect(&w, PEER, "pcap.retrans", 0);
	assert_text(&w, ND_PEER, PEER, "pcap.zero_window_by", "the client");
	world_close(&w);
}

static void test_idle(void **state)
{
	struct world w =
		of(SHAKE "11:06:00.001000 " A "Flags [P.], seq 1:101, ack 1, win 229, length 100\n"
			 "11:06:00.001100 " B "Flags [R], seq 9001, win 0, length 0\n");

	(void)state;
	expect(&w, PEER, "pcap.idle_resets", 1);
	expect(&w, PEER, "pcap.resets", 1);
	assert_text(&w, ND_PEER, PEER, "pcap.reset_by", "the server");
	world_close(&w);
	w = of(SHAKE "11:06:00.001000 " A "Flags [P.], seq 1:101, ack 1, win 229, length 100\n"
		     "11:06:00.205000 " A "Flags [P.], seq 1:101, ack 1, win 229, length 100\n"
		     "11:06:00.613000 " A "Flags [P.], seq 1:101, ack 1, win 229, length 100\n"
		     "11:06:01.429000 " A "Flags [P.], seq 1:101, ack 1, win 229, length 100\n");
	expect(&w, PEER, "pcap.idle_silent", 1);
	expect(&w, PEER, "pcap.silent", 1);
	expect(&w, PEER, "pcap.silent_time", 1.428);
	world_close(&w);
}

static void test_big(void **state)
{
#define BIG(time) time B "Flags [.], seq 1:1449, ack 1, win 229, length 1448\n"
#define TOO_BIG(time)                                                                              \
	time "IP 203.0.113.1 > 198.51.100.21: ICMP 192.0.2.3 unreachable - need to frag (mtu 1400), length 556\n"
	struct world w = of(SHAKE BIG(
		"11:00:00.001000 ") "11:00:00.001010 " B
				    "Flags [P.], seq 1449:1500, ack 1, win 229, length 51\n"
				    "11:00:00.001100 " A
				    "Flags [.], ack 1, win 229, options [nop,nop,sack 1 {1449:1500}], length 0\n" TOO_BIG(
					    "11:00:00.001200 ") BIG("11:00:00.210000 ")
					    BIG("11:00:00.620000 "));

	(void)state;
	expect(&w, PEER, "pcap.big_stuck", 1);
	expect(&w, PEER, "pcap.stuck_size", 1448);
	expect(&w, PEER, "pcap.need_frag", 1);
	expect(&w, PEER, "pcap.need_frag_ignored", 2);
	expect(&w, PEER, "pcap.path_mtu", 1400);
	assert_text(&w, ND_PEER, PEER, "pcap.stuck_by", "the server");
	world_close(&w);
}

/* The sum that a card completes is no damage. */
static void test_checksums(void **state)
{
#define SUM(text)                                                                                      \
	"11:00:00.000000 IP (tos 0x0, ttl 64, id 1, offset 0, flags [DF], proto TCP (6), length 40)\n" \
	"    192.0.2.3.24568 > 198.51.100.21.80: Flags [.], cksum " text                               \
	", seq 1, ack 1, win 9, length 0\n"
	struct world w = of(SUM("0xab3f (incorrect -> 0x1234)"));

	(void)state;
	expect(&w, PEER, "pcap.bad_csum", 1);
	expect(&w, PEER, "pcap.partial_csum", 0);
	world_close(&w);
	/* c000 + 0203 + c633 + 6415 + 6 + 20 = 1ec65, folded ec66 */
	w = of(SUM("0xec66 (incorrect -> 0x1234)"));
	expect(&w, PEER, "pcap.bad_csum", 1);
	expect(&w, PEER, "pcap.partial_csum", 1);
	expect_absent(&w, PEER, "pcap.tunnel");
	world_close(&w);
}

static void test_tunnel(void **state)
{
	struct world w = of(
		"11:00:00.000000 IP 192.0.2.30.26898 > 192.0.2.10.4789: VXLAN, flags [I] (0x08), vni 1\n"
		"IP 198.51.100.1.4000 > 198.51.100.2.80: Flags [S], seq 1, win 9, length 0\n"
		"11:00:09.000000 IP 192.0.2.30 > 192.0.2.10: GREv0, length 60: IP 198.51.100.1.4001 > "
		"198.51.100.2.80: Flags [S], seq 1, win 9, length 0\n");

	(void)state;
	assert_text(&w, ND_PEER, "192.0.2.10:4789", "pcap.tunnel", "VXLAN");
	expect(&w, "198.51.100.2:80", "pcap.connects", 2);
	expect(&w, "198.51.100.2:80", "pcap.syn_unanswered", 1);
	world_close(&w);
}

/* One direction only, and a capture that begins in the middle: no loss, nothing unanswered. */
static void test_parts(void **state)
{
	struct world w =
		of("11:00:00.000000 " A "Flags [P.], seq 5000:5100, ack 77, win 229, length 100\n"
		   "11:00:01.000000 " A "Flags [P.], seq 100:200, ack 1, win 229, length 100\n"
		   "11:00:02.000000 " A "Flags [P.], seq 200:300, ack 1, win 229, length 100\n");

	(void)state;
	expect(&w, PEER, "pcap.one_sided", 1);
	expect(&w, PEER, "pcap.retrans", 0);
	expect(&w, PEER, "pcap.lost_before", 0);
	expect(&w, PEER, "pcap.syn_unanswered", 0);
	world_close(&w);
}

static void test_none(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, list);
	assert_true(feed(&w, c, "tcpdump.txt", 0, "") < 0);
	assert_true(feed(&w, c, "tcpdump.txt", 0, "listening on eth0\n0 packets captured\n") < 0);
	assert_true(feed(&w, c, "tcpdump.txt", 0, "$ cat a > b: c\n") < 0);
	world_close(&w);
}

static void test_torture(void **state)
{
	(void)state;
	torture(list, c, "tcpdump.txt", NULL, SHAKE OLD("11:00:01.000000 "));
	torture(list, c, "tcpdump.txt", NULL,
		VERBOSE("11:00:01.000000 ") TOO_BIG("11:00:02.000000 "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spellings),
		cmocka_unit_test(test_differences),
		cmocka_unit_test(test_without_times),
		cmocka_unit_test(test_handshake),
		cmocka_unit_test(test_service),
		cmocka_unit_test(test_hold),
		cmocka_unit_test(test_timeout),
		cmocka_unit_test(test_lost_or_overtaken),
		cmocka_unit_test(test_same_packet_twice),
		cmocka_unit_test(test_zero_window),
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_big),
		cmocka_unit_test(test_checksums),
		cmocka_unit_test(test_tunnel),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_torture),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
