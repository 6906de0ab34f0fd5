/* Control groups and pressure stalls from text: files of both versions, lone, in a tree, behind one
 * another; and the limit that a count of periods tells of. */
#include "tests/unit/parse_text.h"

extern const struct nd_collector nd_collector_cgroup, nd_collector_psi;
extern const struct nd_collector nd_collector_cgroup_metrics;
static const struct nd_collector *const list[] = {&nd_collector_cgroup, &nd_collector_psi, NULL};
#define C (&nd_collector_cgroup)
#define PSI (&nd_collector_psi)

static const char v2_stat[] = "usage_usec 196963270\nuser_usec 1\nsystem_usec 2\nnr_periods 143\n"
			      "nr_throttled 137\nthrottled_usec 7103089\nnr_bursts 0\n";
static const char v1_stat[] = "nr_periods 10\nnr_throttled 9\nthrottled_time 450000000\n";

static void test_versions(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, list);
	feed(&w, C, "sys/fs/cgroup/system.slice/api.service/cpu.stat", 0, v2_stat);
	feed(&w, C, "sys/fs/cgroup/system.slice/api.service/cpu.max", 0, "50000 100000\n");
	feed(&w, C, "sys/fs/cgroup/cpu,cpuacct/docker/0123456789abcdef/cpu.stat", 0, v1_stat);
	feed(&w, C, "sys/fs/cgroup/cpu,cpuacct/docker/0123456789abcdef/cpu.cfs_quota_us", 0,
	     "-1\n");
	feed(&w, C, "sys/fs/cgroup/memory/docker/0123456789abcdef/memory.failcnt", 0, "12\n");
	feed(&w, C, "sys/fs/cgroup/memory/docker/0123456789abcdef/memory.limit_in_bytes", 0,
	     "9223372036854771712\n");
	nd_collector_cgroup.finish(w.facts);
	assert_number(&w, ND_CGROUP, "/system.slice/api.service", "cpu.throttled", ND_SEEN, 137);
	assert_number(&w, ND_CGROUP, "/system.slice/api.service", "cpu.throttled_time", ND_SEEN,
		      7.103089);
	assert_number(&w, ND_CGROUP, "/system.slice/api.service", "cpu.usage", ND_SEEN, 196.96327);
	assert_number(&w, ND_CGROUP, "/system.slice/api.service", "cpu.quota", ND_BARE, 0.05);
	assert_number(&w, ND_CGROUP, "/system.slice/api.service", "cpu.period", ND_BARE, 0.1);
	assert_text(&w, ND_CGROUP, "/system.slice/api.service", "unit", "api.service");
	assert_number(&w, ND_CGROUP, "/docker/0123456789abcdef", "cpu.throttled_time", ND_SEEN,
		      0.45);
	assert_number(&w, ND_CGROUP, "/docker/0123456789abcdef", "memory.max_hits", ND_SEEN, 12);
	assert_text(&w, ND_CGROUP, "/docker/0123456789abcdef", "runtime", "docker");
	assert_text(&w, ND_CGROUP, "/docker/0123456789abcdef", "container", "0123456789abcdef");
	assert_int_equal(
		value(&w, ND_CGROUP, "/docker/0123456789abcdef", "cpu.limited", ND_BARE).type,
		ND_V_BOOL);
	assert_false(value(&w, ND_CGROUP, "/docker/0123456789abcdef", "cpu.limited", ND_BARE).yes);
	assert_int_equal(
		value(&w, ND_CGROUP, "/docker/0123456789abcdef", "memory.max", ND_BARE).type,
		ND_V_ABSENT);
	world_close(&w);
}

static void test_places(void **state)
{
	static const struct {
		const char *path, *text, *group;
		double throttled;
	} rows[] = {
		{"cpu.stat", v2_stat, "/", 137},
		{"cpu.stat.txt", v2_stat, "/", 137},
		{"cpu.stat@14", v2_stat, "/", 137},
		{"cpu.stat-api.txt", v2_stat, "/api", 137},
		{"web/cpu.stat", v2_stat, "/web", 137},
		{"notes.txt", v2_stat, "/", 137},
		{"a/ticket.txt/cpu.stat", v2_stat, "/", 137},
		{"ticket:12/cpu.stat", v2_stat, "/", 137},
		{"notes.txt",
		 "$ cat /sys/fs/cgroup/a.slice/cpu.stat\nnr_periods 9\nnr_throttled 4\n",
		 "/a.slice", 4},
		{"cgroup.txt",
		 "==> /sys/fs/cgroup/a/cpu.max <==\nmax 100000\n\n"
		 "==> /sys/fs/cgroup/a/cpu.stat <==\nnr_periods 9\nnr_throttled 3\n",
		 "/a", 3},
		{"cgroup.txt",
		 "/sys/fs/cgroup/cpu/b/cpu.stat:nr_periods 9\r\n/sys/fs/cgroup/cpu/b/cpu.stat:nr_throttled 2\r\n",
		 "/b", 2},
		{"cgroup.txt", "cpu.max: 10000 100000\ncpu.stat:\nnr_throttled: 8\n", "/", 8},
		{"proc.txt", "root@pod:/# cat /sys/fs/cgroup/cpu.stat\nnr_throttled 7\n", "/", 7},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct world w;

		world_open(&w, list);
		assert_int_equal(feed(&w, C, rows[i].path, 0, rows[i].text), 0);
		assert_number(&w, ND_CGROUP, rows[i].group, "cpu.throttled", ND_SEEN,
			      rows[i].throttled);
		world_close(&w);
	}
}

/* Two readings of one file are a window; the limit is inferred from what is counted. */
static void test_limits(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, list);
	feed(&w, C, "cpu.stat@0", 0,
	     "usage_usec 1\nnr_periods 5\nnr_throttled 0\nthrottled_usec 0\n");
	feed(&w, C, "cpu.stat@14", 14, v2_stat);
	feed(&w, C, "x/cpu.stat", 0, "usage_usec 1\nuser_usec 1\nsystem_usec 0\n");
	feed(&w, C, "y/cpu.stat", 0, "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n");
	feed(&w, C, "z/memory.max", 0, "1048576\n");
	feed(&w, C, "z/memory.events", 0, "low 0\nhigh 3\nmax 5\noom 0\noom_kill 0\n");
	feed(&w, C, "z/memory.pressure", 0,
	     "some avg10=0.00 avg60=0.00 avg300=0.00 total=5000\n"
	     "full avg10=0.00 avg60=0.00 avg300=0.00 total=2000\n");
	feed(&w, C, "z/memory.current", 0, "1000\n");
	nd_collector_cgroup.finish(w.facts);
	assert_number(&w, ND_CGROUP, "/", "cpu.periods", ND_DELTA, 138);
	assert_number(&w, ND_CGROUP, "/", "cpu.throttled_time", ND_DELTA, 7.103089);
	assert_true(value(&w, ND_CGROUP, "/", "cpu.limited", ND_BARE).yes);
	assert_int_equal(value(&w, ND_CGROUP, "/x", "cpu.limited", ND_BARE).type, ND_V_BOOL);
	assert_false(value(&w, ND_CGROUP, "/x", "cpu.limited", ND_BARE).yes);
	assert_false(value(&w, ND_CGROUP, "/y", "cpu.limited", ND_BARE).yes);
	assert_missing(&w, ND_CGROUP, "/z", "cpu.limited", ND_BARE, ND_TOOL_OUTPUT_ABSENT);
	assert_number(&w, ND_CGROUP, "/z", "memory.high_hits", ND_SEEN, 3);
	assert_number(&w, ND_CGROUP, "/z", "memory.max", ND_BARE, 1048576);
	assert_number(&w, ND_CGROUP, "/z", "memory.current", ND_BARE, 1000);
	assert_number(&w, ND_CGROUP, "/z", "pressure.memory.some", ND_SEEN, 0.005);
	assert_number(&w, ND_CGROUP, "/z", "pressure.memory.full", ND_SEEN, 0.002);
	world_close(&w);
}

static void test_psi(void **state)
{
	static const char line[] = "some avg10=12.50 avg60=0.17 avg300=1.11 total=58761459\n"
				   "full avg10=1.00 avg60=0.00 avg300=0.00 total=1000000\n";
	struct world w;

	(void)state;
	world_open(&w, list);
	assert_int_equal(feed(&w, PSI, "proc/pressure/memory", 0, line), 0);
	assert_int_equal(feed(&w, PSI, "proc/pressure/cpu@5", 5, line), 0);
	assert_int_equal(feed(&w, PSI, "pressure.txt", 0,
			      "/proc/pressure/io:some avg10=50.00 avg60=0 avg300=0 total=7\n"),
			 0);
	assert_number(&w, ND_HOST, "", "pressure.memory.some.recent", ND_MEAN, 0.125);
	assert_number(&w, ND_HOST, "", "pressure.memory.full", ND_SEEN, 1);
	assert_number(&w, ND_HOST, "", "pressure.cpu.some", ND_SEEN, 58.761459);
	assert_number(&w, ND_HOST, "", "pressure.io.some.recent", ND_MEAN, 0.5);
	assert_int_equal(feed(&w, PSI, "pressure.txt", 0,
			      "$ head /proc/pressure/*\n==> /proc/pressure/cpu <==\n"
			      "some avg10=0.10 avg60=0.17 avg300=1.11 total=58761460\n"),
			 0);
	assert_true(feed(&w, PSI, "pressure.txt", 0, "none\n") < 0);
	world_close(&w);
	world_open(&w, list); /* cat of several files: which the second is, nothing says */
	assert_int_equal(feed(&w, PSI, "proc/pressure/cpu", 0,
			      "some avg10=12.50 avg60=0.17 avg300=1.11 total=7\n"
			      "some avg10=99.00 avg60=0.17 avg300=1.11 total=8\n"
			      "full avg10=99.00 avg60=0.17 avg300=1.11 total=8\n"),
			 0);
	assert_number(&w, ND_HOST, "", "pressure.cpu.some.recent", ND_MAX, 0.125);
	world_close(&w);
}

static const char metrics[] =
	"# HELP container_cpu_cfs_periods_total Number of elapsed enforcement period intervals.\n"
	"container_cpu_cfs_periods_total{container=\"app\",id=\"/k/x\",pod=\"web-1\"} 1.2e+03 1583229\n"
	"container_cpu_cfs_throttled_periods_total{container=\"app\",id=\"/k/x\",pod=\"web-1\"} 600\n"
	"container_cpu_cfs_throttled_seconds_total{container=\"app\",id=\"/k/x\",pod=\"web-1\"} 30.5\n"
	"container_cpu_cfs_periods_total{id=\"/system.slice/a.service\"} 7\n";
static const char docker[] =
	"{\"cpu_stats\":{\"cpu_usage\":{},\"throttling_data\":{\"periods\":120,\"throttled_periods\":30,"
	"\"throttled_time\":4500000}},\"precpu_stats\":{\"throttling_data\":{\"periods\":9}},\"name\":\"/web\"}\n";

static void test_metrics(void **state)
{
	const struct nd_collector *const c = &nd_collector_cgroup_metrics;
	struct world w;

	(void)state;
	world_open(&w, list);
	assert_int_equal(feed(&w, c, "metrics.txt", 0, metrics), 0);
	assert_int_equal(feed(&w, c, "docker.json", 0, docker), 0);
	assert_number(&w, ND_CGROUP, "/web-1/app", "cpu.periods", ND_SEEN, 1200);
	assert_number(&w, ND_CGROUP, "/web-1/app", "cpu.throttled", ND_SEEN, 600);
	assert_number(&w, ND_CGROUP, "/web-1/app", "cpu.throttled_time", ND_SEEN, 30.5);
	assert_number(&w, ND_CGROUP, "/system.slice/a.service", "cpu.periods", ND_SEEN, 7);
	assert_number(&w, ND_CGROUP, "/web", "cpu.periods", ND_SEEN, 120);
	assert_number(&w, ND_CGROUP, "/web", "cpu.throttled_time", ND_SEEN, 0.0045);
	assert_true(feed(&w, c, "metrics.txt", 0, "nothing\n") < 0);
	world_close(&w);
	torture(list, c, "metrics", NULL, metrics + 86);
	torture(list, c, "docker", NULL, docker);
}

static void test_hostile(void **state)
{
	(void)state;
	torture(list, C, "cpu.stat", NULL, v2_stat);
	torture(list, C, "cgroup.txt", NULL,
		"==> /sys/fs/cgroup/a/cpu.max <==\nmax 100000\n# cat cpu.stat\nnr_periods 9\n");
	torture(list, PSI, "cpu", NULL, "some avg10=0.22 avg60=0.17 avg300=1.11 total=58761459\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_versions), cmocka_unit_test(test_places),
		cmocka_unit_test(test_limits),	 cmocka_unit_test(test_psi),
		cmocka_unit_test(test_metrics),	 cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
