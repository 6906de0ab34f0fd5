/* IPVS from /proc and from ipvsadm: services, servers, connections, in each of its tables. */
#include "tests/unit/parse_text.h"

#include "collectors/ipvs.h"

extern const struct nd_collector nd_collector_ipvs;
static const struct nd_collector *const c = &nd_collector_ipvs;
static const struct nd_collector *const list[] = {&nd_collector_ipvs, NULL};

#define OLD "tcp/198.51.100.241:80/198.51.100.106:80"
static const char plain[] =
	"IP Virtual Server version 1.2.1 (size=4096)\n"
	"Prot LocalAddress:Port Scheduler Flags\n"
	"  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn\n"
	"TCP  198.51.100.241:80 rr persistent 10800\n"
	"  -> 198.51.100.106:80            Masq    0      5          14048     \n"
	"  -> 198.51.100.107:80            Masq    1      2          243       \n"
	"UDP  [fd00::a]:53 wlc\n"
	"  -> [fd00:10::7]:53              Route   3      0          9\n"
	"FWM  7 sh\n"
	"  -> 198.51.100.9:0               Tunnel  1      1          2\n";
static const char proc[] =
	"IP Virtual Server version 1.2.1 (size=4096)\n"
	"Prot LocalAddress:Port Scheduler Flags\n"
	"  -> RemoteAddress:Port Forward Weight ActiveConn InActConn\n"
	"TCP  C63364F1:0050 rr  \n"
	"  -> C633646A:0050      Masq    0      5          14048     \n"
	"  -> C633646B:0050      Masq    1      2          243       \n"
	"UDP  [fd00:0000:0000:0000:0000:0000:0000:000a]:0035 wlc \n"
	"  -> [fd00:0010:0000:0000:0000:0000:0000:0007]:0035      Route   3      0          9\n"
	"FWM  00000007 sh \n"
	"  -> C6336409:0000      Tunnel  1      1          2\n";
static const char stats[] =
	"IP Virtual Server version 1.2.1 (size=4096)\n"
	"Prot LocalAddress:Port               Conns   InPkts  OutPkts  InBytes OutBytes\n"
	"  -> RemoteAddress:Port\n"
	"TCP  198.51.100.241:80                 111     2220     1110     999K     888K\n"
	"  -> 198.51.100.106:80                  61     1220      610     500K     400K\n"
	"  -> 198.51.100.107:80                 12M     1000      500     499K     488K\n";
static const char conns[] =
	"IPVS connection entries\n"
	"pro expire state       source             virtual            destination\n"
	"TCP 14:46  ESTABLISHED 10.0.0.1:45678     198.51.100.241:80  198.51.100.106:80\n"
	"TCP 01:59  TIME_WAIT   10.0.0.1:45679     198.51.100.241:80  198.51.100.106:80\n"
	"TCP 01:58  FIN_WAIT    10.0.0.1:45680     198.51.100.241:80  198.51.100.106:80\n"
	"TCP 00:58  NONE        10.0.0.1:0         198.51.100.241:80  198.51.100.106:80\n"
	"UDP 04:58  UDP         10.0.0.1:5353      10.96.0.10:53      198.51.100.8:53\n";
static const char proc_conns[] =
	"Pro FromIP   FPrt ToIP     TPrt DestIP   DPrt State       Expires PEName PEData\n"
	"TCP 0A000001 B26E C63364F1 0050 C633646A 0050 ESTABLISHED     886\n"
	"TCP 0A000001 B26F C63364F1 0050 C633646A 0050 TIME_WAIT       119\n"
	"TCP 0A000001 B270 C63364F1 0050 C633646A 0050 FIN_WAIT        118\n"
	"UDP 0A000001 14E9 0A60000A 0035 C6336408 0035 UDP             298\n";

static void test_list(void **state)
{
	static const char *const texts[] = {plain, proc};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(texts); i++) {
		struct world w;

		world_open(&w, list);
		assert_int_equal(feed(&w, c, "ipvsadm -ln", 1, texts[i]), 0);
		assert_number(&w, ND_NETNS, "host", "ipvs.services", ND_BARE, 3);
		assert_int_equal(count(&w, ND_BACKEND), 4);
		assert_number(&w, ND_BACKEND, OLD, "weight", ND_BARE, 0);
		assert_number(&w, ND_BACKEND, OLD, "active", ND_BARE, 5);
		assert_number(&w, ND_BACKEND, OLD, "inactive", ND_BARE, 14048);
		assert_text(&w, ND_BACKEND, OLD, "forward", "Masq");
		assert_text(&w, ND_BACKEND, OLD, "service", "tcp/198.51.100.241:80");
		assert_text(&w, ND_BACKEND, OLD, "virtual", "198.51.100.241:80");
		assert_text(&w, ND_BACKEND, OLD, "address", "198.51.100.106:80");
		assert_true(value(&w, ND_BACKEND, OLD, "listed", ND_BARE).yes);
		assert_number(&w, ND_BACKEND, "udp/[fd00::a]:53/[fd00:10::7]:53", "weight", ND_BARE,
			      3);
		assert_number(&w, ND_BACKEND,
			      i ? "fwm/00000007/198.51.100.9:0" : "fwm/7/198.51.100.9:0", "active",
			      ND_BARE, 1);
		world_close(&w);
	}
}

static void test_stats(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, list);
	assert_int_equal(feed(&w, c, "ipvsadm -ln --stats", 1, stats), 0);
	assert_number(&w, ND_BACKEND, OLD, "conns", ND_TOTAL, 61);
	assert_number(&w, ND_BACKEND, "tcp/198.51.100.241:80/198.51.100.107:80", "conns", ND_TOTAL,
		      12e6);
	assert_missing(&w, ND_BACKEND, OLD, "weight", ND_BARE, ND_NOT_SAMPLED);
	world_close(&w);
	world_open(&w, list); /* rates are no totals */
	assert_int_equal(feed(&w, c, "ipvsadm -ln --rate", 1,
			      "Prot LocalAddress:Port                 CPS    InPPS   OutPPS\n"
			      "  -> RemoteAddress:Port\n"
			      "TCP  198.51.100.241:80                   9       20       11\n"
			      "  -> 198.51.100.106:80                   9       20       11\n"),
			 0);
	assert_missing(&w, ND_BACKEND, OLD, "conns", ND_TOTAL, ND_NOT_SAMPLED);
	world_close(&w);
}

static void test_conns(void **state)
{
	static const char *const texts[] = {conns, proc_conns};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(texts); i++) {
		struct world w;

		world_open(&w, list);
		assert_int_equal(feed(&w, c, "ip_vs", 1, plain), 0);
		assert_int_equal(feed(&w, c, "ip_vs_conn", 1, texts[i]), 0);
		c->finish(w.facts);
		assert_number(&w, ND_BACKEND, OLD, "tracked.open", ND_BARE, 1);
		assert_number(&w, ND_BACKEND, OLD, "tracked.closed", ND_BARE, 2);
		assert_number(&w, ND_BACKEND, OLD, "tracked.udp", ND_BARE, 0);
		assert_number(&w, ND_BACKEND, "tcp/198.51.100.241:80/198.51.100.107:80",
			      "tracked.open", ND_BARE, 0);
		assert_number(&w, ND_BACKEND, "udp/10.96.0.10:53/198.51.100.8:53", "tracked.udp",
			      ND_BARE, 1);
		assert_number(&w, ND_NETNS, "host", "ipvs.tracked", ND_BARE, i ? 4 : 5);
		assert_true(value(&w, ND_BACKEND, OLD, "listed", ND_BARE).yes);
		assert_false(value(&w, ND_BACKEND, "udp/10.96.0.10:53/198.51.100.8:53", "listed",
				   ND_BARE)
				     .yes);
		world_close(&w);
	}
}

/* Without the list of services nobody knows what is listed. */
static void test_conns_alone(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, list);
	assert_int_equal(feed(&w, c, "ipvsadm -lnc", 1, conns), 0);
	c->finish(w.facts);
	assert_missing(&w, ND_BACKEND, OLD, "listed", ND_BARE, ND_NOT_SAMPLED);
	world_close(&w);
}

static void test_small(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, list);
	assert_int_equal(
		feed(&w, c, "ipvsadm -l --timeout", 1, "Timeout (tcp tcpfin udp): 900 120 300\n"),
		0);
	assert_number(&w, ND_NETNS, "host", "ipvs.timeout.tcp", ND_BARE, 900);
	assert_number(&w, ND_NETNS, "host", "ipvs.timeout.tcp_fin", ND_BARE, 120);
	assert_number(&w, ND_NETNS, "host", "ipvs.timeout.udp", ND_BARE, 300);
	assert_int_equal(feed(&w, c, "/proc/net/ip_vs_stats", 1,
			      "   Total Incoming Outgoing         Incoming         Outgoing\n"
			      "   Conns  Packets  Packets            Bytes            Bytes\n"
			      "      B2      1A2      1A1             FF00             FF01\n\n"),
			 0);
	assert_number(&w, ND_NETNS, "host", "ipvs.conns", ND_TOTAL, 0xb2);
	assert_true(feed(&w, c, "ipvsadm", 1, "nothing of ours\n") < 0);
	assert_true(feed(&w, c, "/proc/net/ip_vs_stats", 1, "nothing\n") < 0);
	assert_true(feed(&w, c, "ipvsadm", 1, "") < 0);
	world_close(&w);
	world_open(&w, list); /* a number may have been cut */
	assert_int_equal(feed(&w, c, "ipvsadm -ln", 1,
			      "TCP  198.51.100.241:80 rr\n"
			      "  -> 198.51.100.106:80            Masq    0      5          140"),
			 0);
	assert_number(&w, ND_BACKEND, OLD, "active", ND_BARE, 5);
	assert_missing(&w, ND_BACKEND, OLD, "inactive", ND_BARE, ND_TRUNCATED);
	world_close(&w);
}

static void test_hostile(void **state)
{
	static const char *const texts[] = {plain, proc, stats, conns, proc_conns};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(texts); i++)
		torture(list, c, "ipvsadm", NULL, texts[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),  cmocka_unit_test(test_stats),
		cmocka_unit_test(test_conns), cmocka_unit_test(test_conns_alone),
		cmocka_unit_test(test_small), cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
