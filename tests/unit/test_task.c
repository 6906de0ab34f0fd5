/* Who uses the CPUs and who waits for one: schedstat, pidstat, perf sched, runqslower. */
#include "tests/unit/parse_text.h"

extern const struct nd_collector nd_collector_schedstat, nd_collector_pidstat;
extern const struct nd_collector nd_collector_sched_tool, nd_collector_probed;
extern const struct nd_collector nd_collector_cpu;
static const struct nd_collector *const list[] = {&nd_collector_schedstat, &nd_collector_pidstat,
						  &nd_collector_cpu,	   &nd_collector_sched_tool,
						  &nd_collector_probed,	   NULL};
#define SCHEDSTAT (&nd_collector_schedstat)
#define PIDSTAT (&nd_collector_pidstat)
#define SCHED (&nd_collector_sched_tool)

static void test_schedstat(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, list);
	feed(&w, SCHEDSTAT, "proc/31/task/33/schedstat", 0, "7000000 2000000000 41\n");
	feed(&w, SCHEDSTAT, "proc/31/task/33/schedstat", 10, "9000000 5000000000 141\n");
	feed(&w, SCHEDSTAT, "proc/schedstat", 0,
	     "version 15\ntimestamp 1\ncpu0 0 0 0 0 0 0 98223 3000000000 17\n"
	     "domain0 3 0 0\ncpu1 0 0 0 0 0 0 1 2 3\n");
	assert_number(&w, ND_THREAD, "33", "wait_time", ND_DELTA, 3);
	assert_number(&w, ND_THREAD, "33", "run_time", ND_DELTA, 0.002);
	assert_number(&w, ND_THREAD, "33", "timeslices", ND_DELTA, 100);
	assert_number(&w, ND_CPU, "0", "wait_time", ND_SEEN, 3);
	assert_number(&w, ND_CPU, "0", "timeslices", ND_SEEN, 17);
	assert_true(feed(&w, SCHEDSTAT, "schedstat", 0, "version 14\ncpu0 0 0 0 0 0 0 9 3 17\n") <
		    0);
	assert_true(feed(&w, SCHEDSTAT, "proc/9/schedstat", 0, "1 2\n") < 0);
	world_close(&w);
}

static void test_pidstat(void **state)
{
	static const char text[] =
		"Linux 5.4.0 (host) \t11/02/2020 \t_x86_64_\t(8 CPU)\n\n"
		"10:02:11 AM   UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command\n"
		"10:02:12 AM     0      1234    1.00    2.00    0.00   11.00    3.00     1  nginx\n"
		"\nAverage:      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command\n"
		"Average:        0      1234    1.00    2.00    0.00   31.00    13.00     -  nginx\n";
	static const char threads[] =
		"10:02:11      UID      TGID       TID    %usr %system  %guest   %wait    %CPU   CPU  Command\n"
		"10:02:12     1000      2000         -    1,00    2,00    0,00    1,50  300,00     1  java\n"
		"10:02:12     1000         -      2001    1,00    2,00    0,00    7,00    3,00     1  |__java\n";
	static const char boot[] =
		"10:02:11      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command\n"
		"10:02:11     1000      2005    1,00    2,00    0,00    1,50    3,00     1  java\n";
	static const char dashed[] =
		"# Time        UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command\n"
		"10:02:11       1000      2006    1.00    2.00    0.00    2.50    3.00     1  java\n";
	struct world w;

	(void)state;
	world_open(&w, list);
	assert_int_equal(feed(&w, PIDSTAT, "pidstat.txt", 0, text), 0);
	assert_int_equal(feed(&w, PIDSTAT, "pidstat.txt", 0, threads), 0);
	assert_int_equal(feed(&w, PIDSTAT, "pidstat.txt", 0, boot), 0);
	assert_int_equal(feed(&w, PIDSTAT, "pidstat.txt", 0, dashed), 0);
	assert_number(&w, ND_PROCESS, "1234", "wait_share", ND_BARE, 0.31);
	assert_number(&w, ND_PROCESS, "1234", "cpu_use", ND_BARE, 0.13);
	assert_text(&w, ND_PROCESS, "1234", "comm", "nginx");
	assert_number(&w, ND_PROCESS, "2000", "cpu_use", ND_BARE, 3);
	assert_number(&w, ND_THREAD, "2001", "wait_share", ND_BARE, 0.07);
	assert_text(&w, ND_THREAD, "2001", "comm", "java");
	assert_int_equal(nd_entity_find(w.facts, ND_PROCESS, "2005"), ND_NO_ENTITY);
	assert_number(&w, ND_PROCESS, "2006", "wait_share", ND_BARE, 0.025);
	assert_true(feed(&w, PIDSTAT, "pidstat.txt", 0, "nothing\n") < 0);
	world_close(&w);
}

static const char latency[] =
	" ---------------------------------------------------------------\n"
	"  Task                  |   Runtime ms  | Switches | Avg delay ms    | Max delay ms    |\n"
	"  redis-server:4711     |   1234.567 ms |     4567 | avg:    0.012 ms | max:    3.456 ms | max at:  12.3 s\n"
	"  kworker/0:1:17        |      0.100 ms |        3 | avg:   12.000 ms | max:   13.000 ms | max at:  12.3 s\n"
	"  chrome:(12)           |   1234.567 ms |     4567 | avg:    0.012 ms | max:    3.456 ms | max at:  12.3 s\n";
static const char timehist[] =
	"           time    cpu  task name                       wait time  sch delay   run time\n"
	"                        [tid/pid]                          (msec)     (msec)     (msec)\n"
	"--------------- ------  ------------------------------  ---------  ---------  ---------\n"
	"   79371.874569 [0011]  gcc[31949]                          0.014      5.000      1.148 \n"
	"   79371.874591 [0010]  <idle>                              0.000      9.000      0.024 \n"
	"   79371.874603 [0003]  migration/3[23/23]                  0.000      0.0005     0.005 \n";

static void test_perf_sched(void **state)
{
	const struct nd_hist *h;
	struct world w;

	(void)state;
	world_open(&w, list);
	assert_int_equal(feed(&w, SCHED, "perf-sched-latency.txt", 0, latency), 0);
	assert_number(&w, ND_THREAD, "4711", "waits", ND_BARE, 4567);
	assert_number(&w, ND_THREAD, "4711", "mean_wait", ND_BARE, 12e-6);
	assert_number(&w, ND_THREAD, "4711", "longest_wait", ND_BARE, 3.456e-3);
	assert_text(&w, ND_THREAD, "17", "comm", "kworker/0:1");
	assert_int_equal(count(&w, ND_THREAD), 2);
	assert_int_equal(feed(&w, SCHED, "perf-sched-timehist.txt", 0, timehist), 0);
	h = value(&w, ND_THREAD, "31949", "runq_wait", ND_BARE).hist;
	assert_int_equal(h->n, 1);
	assert_true(h->b[0].lo == 4096e-6 && h->b[0].hi == 8192e-6 && h->b[0].count == 1);
	h = value(&w, ND_HOST, "", "runq_wait", ND_BARE).hist;
	assert_int_equal(h->n, 2);
	assert_true(h->b[0].lo == 0 && h->b[0].hi == 1e-6);
	world_close(&w);
}

static const char slower[] = "Tracing run queue latency higher than 2000 us\n"
			     "TIME     COMM             PID           LAT(us)\n"
			     "23:59:58 kworker/20:2     6023             2264\n"
			     "23:59:59 my app           18380            6891\n"
			     "00:00:03 swapper/17       0                3533\n"
			     "00:00:07 my app           18380            7891 sshd 12\n";

static void test_runqslower(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, list);
	assert_int_equal(feed(&w, SCHED, "runqslower.txt", 0, slower), 0);
	assert_number(&w, ND_THREAD, "18380", "longest_wait", ND_BARE, 7.891e-3);
	assert_number(&w, ND_THREAD, "18380", "slow_wait_time", ND_BARE, 14.782e-3);
	assert_text(&w, ND_THREAD, "18380", "comm", "my app");
	assert_number(&w, ND_HOST, "", "slow_wait_span", ND_BARE, 10);
	assert_int_equal(count(&w, ND_THREAD), 2);
	assert_true(feed(&w, SCHED, "runqslower.txt", 0, "nothing\n") < 0);
	world_close(&w);
}

static void test_hostile(void **state)
{
	(void)state;
	torture(list, SCHED, "x", NULL, latency + 150);
	torture(list, SCHED, "x", NULL, timehist + 240);
	torture(list, SCHED, "x", NULL, slower + 96);
	torture(list, SCHEDSTAT, "proc/schedstat", NULL, "version 15\ncpu0 0 0 0 0 0 0 98 3 17\n");
	torture(list, SCHEDSTAT, "proc/3/schedstat", NULL, "1 2 3\n");
	torture(list, PIDSTAT, "pidstat", NULL,
		"10:02:11 UID TGID TID %wait %CPU Command\n10:02:12 0 - 4 31.00 3.00 |__nginx\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_schedstat),  cmocka_unit_test(test_pidstat),
		cmocka_unit_test(test_perf_sched), cmocka_unit_test(test_runqslower),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
