/* BPF programs, packet sockets and ftrace from texts. */
#include "tests/unit/parse_text.h"

extern const struct nd_collector nd_collector_observers;
static const struct nd_collector *const c = &nd_collector_observers;
static const struct nd_collector *const list[] = {&nd_collector_observers, NULL};

static const char counted[] =
	"3: cgroup_device  tag e3dbd137be8d6168  gpl\n"
	"\tloaded_at 2024-03-20T11:15:18+0000  uid 0\n"
	"\txlated 504B  jited 310B  memlock 4096B\n"
	"42: kprobe  name trace_in  tag 1a2b3c4d5e6f7a8b  gpl run_time_ns 3000000000 run_cnt 900\n"
	"\tloaded_at 2024-03-20T11:15:19+0000  uid 0\n"
	"43: tracing  name trace_out  tag 1a2b3c4d5e6f7a8c  gpl run_time_ns 1000000000 run_cnt 100\n"
	"\tloaded_at 2024-03-20T11:15:19+0000  uid 0\n";
static const char packets[] = "sk               RefCnt Type Proto  Iface R Rmem   User   Inode\n"
			      "ffff8ce2a4b5c800 3      3    0003   2     1 0      0      31337 \n"
			      "ffff8ce2a4b5c801 3      3    0003   2     0 0      0      31338 \n"
			      "ffff8ce2a4b5c802 3      2    0800   2     1 0      0      31339 \n";

static void test_programs(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, list);
	assert_int_equal(feed(&w, c, "bpftool prog", 1, counted), 0);
	assert_number(&w, ND_HOST, "", "bpf.programs", ND_BARE, 3);
	assert_number(&w, ND_HOST, "", "bpf.run_time", ND_TOTAL, 4);
	assert_number(&w, ND_HOST, "", "bpf.runs", ND_TOTAL, 1000);
	assert_text(&w, ND_HOST, "", "bpf.costliest", "42 (trace_in)");
	world_close(&w);
	world_open(&w, list); /* nobody counts the time: that is not zero */
	assert_int_equal(
		feed(&w, c, "bpftool prog", 1, "3: cgroup_device  tag e3dbd137be8d6168  gpl\n"), 0);
	assert_number(&w, ND_HOST, "", "bpf.programs", ND_BARE, 1);
	assert_missing(&w, ND_HOST, "", "bpf.run_time", ND_TOTAL, ND_NOT_SAMPLED);
	assert_true(feed(&w, c, "bpftool prog", 1, "no programs\n") < 0);
	world_close(&w);
}

static void test_files(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, list);
	assert_int_equal(feed(&w, c, "/proc/net/packet", 1, packets), 0);
	assert_number(&w, ND_NETNS, "host", "packet.sockets", ND_BARE, 1);
	assert_int_equal(feed(&w, c, "current_tracer", 1, "function_graph\n"), 0);
	assert_text(&w, ND_HOST, "", "ftrace.tracer", "function_graph");
	assert_int_equal(feed(&w, c, "tracing_on", 1, "1\n"), 0);
	assert_number(&w, ND_HOST, "", "ftrace.on", ND_BARE, 1);
	assert_int_equal(feed(&w, c, "set_event", 1, "sched:sched_switch\nnet:net_dev_xmit\n"), 0);
	assert_number(&w, ND_HOST, "", "ftrace.events", ND_BARE, 2);
	assert_int_equal(feed(&w, c, "set_event", 2, ""), 0);
	assert_number(&w, ND_HOST, "", "ftrace.events", ND_BARE, 0);
	world_close(&w);
}

static void test_hostile(void **state)
{
	(void)state;
	torture(list, c, "bpftool prog", NULL, counted);
	torture(list, c, "packet", NULL, packets);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
