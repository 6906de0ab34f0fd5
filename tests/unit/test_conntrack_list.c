/* Listings of tracked connections: both tools' lines, the other direction's tuple, cut and garbled texts. */
#include "tests/unit/parse_text.h"

extern const struct nd_collector nd_collector_conntrack_list;
static const struct nd_collector *const c = &nd_collector_conntrack_list;
static const struct nd_collector *const list[] = {&nd_collector_conntrack_list, NULL};

static const char tool[] =
	"tcp      6 431999 ESTABLISHED src=10.0.0.1 dst=10.0.0.2 sport=40000 dport=80 src=10.0.0.2 "
	"dst=10.0.0.1 sport=80 dport=40000 [ASSURED] mark=0 use=1\n"
	"tcp      6 99 TIME_WAIT src=10.0.0.1 dst=10.0.0.2 sport=40001 dport=80 src=10.0.0.2 "
	"dst=10.0.0.1 sport=80 dport=40001 [ASSURED] mark=0 use=1\n"
	"tcp      6 119 SYN_SENT src=10.0.0.1 dst=10.0.0.9 sport=40002 dport=80 [UNREPLIED] "
	"src=10.0.0.9 dst=10.0.0.1 sport=80 dport=40002 mark=0 use=1\n"
	"udp      17 29 src=10.0.0.1 dst=10.96.0.10 sport=5353 dport=53 [UNREPLIED] src=10.0.0.7 "
	"dst=10.0.0.1 sport=53 dport=5353 mark=0 use=1\n"
	"udp      17 29 src=10.0.0.1 dst=10.0.0.3 sport=53 dport=999 [UNREPLIED] src=10.0.0.3 "
	"dst=10.0.0.1 sport=999 dport=53 mark=0 use=1\n"
	"icmp     1 29 src=10.0.0.1 dst=10.0.0.3 type=8 code=0 id=1 src=10.0.0.3 dst=10.0.0.1 type=0 "
	"code=0 id=1 mark=0 use=1\n"
	"conntrack v1.4.6 (conntrack-tools): 6 flow entries have been shown.\n";
static const char proc[] =
	"ipv4     2 tcp      6 431999 ESTABLISHED src=10.0.0.1 dst=10.0.0.2 sport=40000 dport=80 "
	"src=10.0.0.2 dst=10.0.0.1 sport=80 dport=40000 [ASSURED] mark=0 zone=0 use=2\n"
	"ipv6     10 tcp      6 59 SYN_RECV src=fd00::1 dst=fd00::2 sport=40000 dport=80 src=fd00::2 "
	"dst=fd00::1 sport=80 dport=40000 mark=0 zone=0 use=2\n"
	"ipv4     2 tcp      6 59 CLOSE_WAIT src=10.0.0.1 dst=10.0.0.2 sport=40003 dport=80 "
	"src=10.0.0.2 dst=10.0.0.1 sport=80 dport=40003 [ASSURED] mark=0 zone=0 use=2\n";

static void test_tool(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, list);
	assert_int_equal(feed(&w, c, "conntrack -L", 1, tool), 0);
	assert_number(&w, ND_NETNS, "host", "conntrack.list.all", ND_BARE, 6);
	assert_number(&w, ND_NETNS, "host", "conntrack.list.tcp", ND_BARE, 3);
	assert_number(&w, ND_NETNS, "host", "conntrack.list.udp", ND_BARE, 2);
	assert_number(&w, ND_NETNS, "host", "conntrack.list.established", ND_BARE, 1);
	assert_number(&w, ND_NETNS, "host", "conntrack.list.time_wait", ND_BARE, 1);
	assert_number(&w, ND_NETNS, "host", "conntrack.list.syn_sent", ND_BARE, 1);
	assert_number(&w, ND_NETNS, "host", "conntrack.list.unreplied", ND_BARE, 3);
	assert_number(&w, ND_NETNS, "host", "conntrack.list.dns_unreplied", ND_BARE, 1);
	world_close(&w);
}

static void test_proc(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, list);
	assert_int_equal(feed(&w, c, "nf_conntrack", 1, proc), 0);
	assert_number(&w, ND_NETNS, "host", "conntrack.list.all", ND_BARE, 3);
	assert_number(&w, ND_NETNS, "host", "conntrack.list.syn_recv", ND_BARE, 1);
	assert_number(&w, ND_NETNS, "host", "conntrack.list.close_wait", ND_BARE, 1);
	assert_number(&w, ND_NETNS, "host", "conntrack.list.unreplied", ND_BARE, 0);
	world_close(&w);
}

static void test_none(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, list);
	assert_true(feed(&w, c, "conntrack -L", 1, "") < 0);
	assert_true(feed(&w, c, "conntrack -L", 1, "cpu=0 found=0 drop=1\n") < 0);
	assert_int_equal(
		feed(&w, c, "conntrack -L", 1,
		     "conntrack v1.4.6 (conntrack-tools): 0 flow entries have been shown.\n"),
		0);
	assert_number(&w, ND_NETNS, "host", "conntrack.list.all", ND_BARE, 0);
	assert_number(&w, ND_NETNS, "host", "conntrack.list.tcp", ND_BARE, 0);
	world_close(&w);
}

/* Its mere number says nothing of states. */
static void test_number(void **state)
{
	static const char *const texts[] = {
		"conntrack v1.4.6 (conntrack-tools): 1959 flow entries have been shown.\n",
		"1959\n", "  1959\n"};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(texts); i++) {
		struct world w;

		world_open(&w, list);
		assert_int_equal(feed(&w, c, "conntrack -L", 1, texts[i]), 0);
		assert_number(&w, ND_NETNS, "host", "conntrack.list.all", ND_BARE, 1959);
		assert_missing(&w, ND_NETNS, "host", "conntrack.list.tcp", ND_BARE, ND_NOT_SAMPLED);
		world_close(&w);
	}
}

static void test_hostile(void **state)
{
	(void)state;
	torture(list, c, "conntrack -L", NULL, tool);
	torture(list, c, "conntrack -L", NULL, proc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tool),	cmocka_unit_test(test_proc),
		cmocka_unit_test(test_none),	cmocka_unit_test(test_number),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
