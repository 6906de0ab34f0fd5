/* How busy the CPUs are, from top of several ages, vmstat, iostat, sar and lscpu. */
#include "tests/unit/parse_text.h"

extern const struct nd_collector nd_collector_top, nd_collector_vmstat, nd_collector_mpstat;
extern const struct nd_collector nd_collector_pidstat, nd_collector_probed, nd_collector_cpu;
extern const struct nd_collector nd_collector_cpuidle;
static const struct nd_collector *const list[] = {&nd_collector_top,	&nd_collector_vmstat,
						  &nd_collector_mpstat, &nd_collector_pidstat,
						  &nd_collector_probed, NULL};
#define TOP (&nd_collector_top)
#define VMSTAT (&nd_collector_vmstat)

static const char old_top[] =
	"top - 17:03:41 up 5 days, 18 min,  1 user,  load average: 2.06, 1.79, 1.74\n"
	"Tasks:  92 total,   2 running,  90 sleeping,   0 stopped,   0 zombie\n"
	"Cpu(s):  0.0%us,  0.0%sy,  0.0%ni, 35.5%id,  0.0%wa, 10.3%hi,  0.0%si, 54.3%st\n"
	"Mem:   3843220k total,  1521580k used,  2321640k free,     2572k buffers\n"
	"\n  PID USER      PR  NI  VIRT  RES  SHR S %CPU %MEM    TIME+  COMMAND\n"
	"17511 root      20   0  9952 2376 1116 R  8.0  0.1 210:37.47 systemd-network\n"
	"    3 root      20   0     0    0    0 S  1.0  0.0  43:45.72 ksoftirqd/0\n";

static void assert_host(const struct world *w, const char *fact, enum nd_accessor a, double v)
{
	assert_number(w, ND_HOST, "", fact, a, v);
}

static void test_old_top(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, list);
	assert_int_equal(feed(&w, TOP, "top.txt", 0, old_top), 0);
	assert_host(&w, "cpu.time.steal", ND_MEAN, 0.543);
	assert_host(&w, "cpu.time.idle", ND_MEAN, 0.355);
	assert_host(&w, "cpu.time.irq", ND_MEAN, 0.103);
	assert_host(&w, "load.one", ND_BARE, 2.06);
	assert_host(&w, "load.fifteen", ND_BARE, 1.74);
	assert_host(&w, "run_queue", ND_MEAN, 2);
	assert_number(&w, ND_PROCESS, "17511", "cpu_use", ND_BARE, 0.08);
	assert_text(&w, ND_PROCESS, "3", "comm", "ksoftirqd/0");
	world_close(&w);
}

/* Frames are samples; the first of an old top is since boot, and left out when others follow. */
static void test_frames(void **state)
{
	static const char old[] = "Cpu(s):  1.0%us,  1.0%sy,  0.0%ni, 98.0%id,  0.0%wa\n"
				  "Cpu(s):  9.0%us,  1.0%sy,  0.0%ni, 90.0%id,  0.0%wa\n"
				  "Cpu(s):  9.0%us,  1.0%sy,  0.0%ni, 80.0%id,  0.0%wa\n";
	static const char new[] =
		"%Cpu(s):  1,0 us,  1,0 sy,  0,0 ni, 98,0 id,  0,0 wa,  0,0 hi,  0,0 si,  0,0 st\n"
		"%Cpu(s):  9,0 us,  1,0 sy,  0,0 ni, 90,0 id,  0,0 wa,  0,0 hi,  0,0 si,  0,0 st\n";
	struct world w;

	(void)state;
	world_open(&w, list);
	feed(&w, TOP, "top.txt", 0, old);
	assert_host(&w, "cpu.time.idle", ND_MEAN, 0.85);
	assert_host(&w, "cpu.time.idle", ND_SAMPLES, 2);
	world_close(&w);
	world_open(&w, list);
	feed(&w, TOP, "top.txt", 0, new);
	assert_host(&w, "cpu.time.idle", ND_MEAN, 0.94);
	world_close(&w);
}

static void test_shapes(void **state)
{
	static const char cpus[] =
		"%Cpu0  :   1.3 us,   0.7 sy,  0.0 ni, 97.0 id,  0.0 wa,  0.0 hi,  1.0 si,  0.0 st\n"
		"%Cpu1  :  0.0 us, 0.0 sy, 0.0 ni,100.0 id, 0.0 wa, 0.0 hi, 0.0 si, 0.0 st  %Cpu2  :  0.0 us, 0.0 sy, 0.0 ni, 40.0 id, 0.0 wa, 0.0 hi,60.0 si, 0.0 st\n";
	static const char busybox[] =
		"Mem: 123K used, 456K free\n"
		"CPU:   2% usr   1% sys   0% nic  93% idle   0% io   0% irq   4% sirq\n"
		"Load average: 0.10 0.01 0.05 1/92 4711\n"
		"  PID  PPID USER     STAT   VSZ %VSZ CPU %CPU COMMAND\n"
		"  812     1 root     S     1234   2%   0  12% {nginx} nginx\n";
	static const char threads[] =
		"Threads: 92 total,   7 running,  90 sleeping\n"
		"    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n"
		" 109765 user      20   0 1266496   6108   5196 R 100.3   0.3   0:15.57 api worker\n";
	struct world w;

	(void)state;
	world_open(&w, list);
	assert_int_equal(feed(&w, TOP, "top.txt", 0, cpus), 0);
	assert_number(&w, ND_CPU, "0", "time.soft", ND_BARE, 0.01);
	assert_number(&w, ND_CPU, "1", "time.idle", ND_BARE, 1);
	assert_number(&w, ND_CPU, "2", "time.soft", ND_BARE, 0.6);
	nd_collector_cpu.finish(w.facts);
	assert_host(&w, "cpu.time.idle", ND_MEAN, (0.97 + 1 + 0.4) / 3);
	assert_host(&w, "cpu_count", ND_BARE, 3);
	world_close(&w);
	world_open(&w, list);
	assert_int_equal(feed(&w, TOP, "top.txt", 0, busybox), 0);
	assert_host(&w, "cpu.time.soft", ND_MEAN, 0.04);
	assert_host(&w, "load.one", ND_BARE, 0.1);
	assert_number(&w, ND_PROCESS, "812", "cpu_use", ND_BARE, 0.12);
	assert_int_equal(feed(&w, TOP, "top-H.txt", 0, threads), 0);
	assert_number(&w, ND_THREAD, "109765", "cpu_share", ND_BARE, 1);
	assert_host(&w, "run_queue", ND_MEAN, 7);
	assert_true(feed(&w, TOP, "top.txt", 0, "nothing\n") < 0);
	world_close(&w);
}

static const char vmstat[] =
	"procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
	" r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
	" 3  1      0 123456   2048  98765    0    0     1     2  100  200 50 10 40  0  0\n"
	" 9  0      0 123456   2048  98765   77   88     1     2  100  200 20 30 10  5 35\n";

static void test_vmstat(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, list);
	assert_int_equal(feed(&w, VMSTAT, "vmstat.txt", 0, vmstat), 0);
	assert_host(&w, "run_queue", ND_MEAN, 6);
	assert_host(&w, "blocked", ND_MAX, 1);
	assert_host(&w, "cpu.time.steal", ND_MEAN, 0.35);
	assert_host(&w, "cpu.time.idle", ND_SAMPLES, 1);
	assert_true(feed(&w, VMSTAT, "vmstat.txt", 0, "nothing\n") < 0);
	world_close(&w);
}

static void test_others(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, list);
	feed(&w, VMSTAT, "iostat.txt", 0,
	     "Linux 5.4.0 (h) \t11/02/2020 \t_x86_64_\t(8 CPU)\n\n"
	     "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n"
	     "           1.00    0.00    2.00    0.50    0.00   96.50\n\nDevice tps\nsda 1\n\n"
	     "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n"
	     "           1.00    0.00    2.00   40.50    0.00   56.50\n");
	assert_host(&w, "cpu_count", ND_BARE, 8);
	assert_host(&w, "cpu.time.iowait", ND_MEAN, 0.405);
	feed(&w, VMSTAT, "iostat-xz.txt", 0,
	     "Device:         rrqm/s   wrqm/s     r/s     w/s  await r_await w_await  svctm  %util\n"
	     "sda               0.00     1.00    2.00    3.00   900.00    1.00  2.00   0.10   1.00\n\n"
	     "Device:         rrqm/s   wrqm/s     r/s     w/s  await r_await w_await  svctm  %util\n"
	     "sda               0.00     1.00    2.00    3.00   70.00    1.00  90.00   0.10   99.60\n"
	     "sdb               0.00     1.00    2.00    3.00   2.00    1.00  2.00   0.10   3.00\n");
	assert_host(&w, "disk.await", ND_MEAN, 0.09);
	assert_host(&w, "disk.busy", ND_MEAN, 0.996);
	assert_host(&w, "disk.await", ND_SAMPLES, 1);
	feed(&w, VMSTAT, "sar-q.txt", 0,
	     "10:00:01 AM  runq-sz  plist-sz   ldavg-1   ldavg-5  ldavg-15   blocked\n"
	     "10:10:01 AM       12       300      5.50      4.50      3.50         2\n"
	     "Average:          10       300      5.50      4.50      3.50         1\n");
	assert_host(&w, "run_queue", ND_MEAN, 12);
	assert_host(&w, "load.five", ND_BARE, 4.5);
	assert_host(&w, "blocked", ND_MEAN, 2);
	feed(&w, VMSTAT, "loadavg", 0, "2.06 1.79 1.74 3/456 4711\n");
	assert_host(&w, "load.one", ND_BARE, 2.06);
	feed(&w, VMSTAT, "lscpu.txt", 0, "Architecture: x86_64\nCPU(s):              16\n");
	assert_host(&w, "cpu_count", ND_BARE, 16);
	feed(&w, &nd_collector_mpstat, "sar-u.txt", 0,
	     "12:00:01 AM     CPU     %user     %nice   %system   %iowait    %steal     %idle\n"
	     "12:10:01 AM     all      1.00      0.00      2.00     40.50     20.00     36.50\n"
	     "Average:        all      9.00      0.00      2.00     40.50     20.00     36.50\n");
	assert_host(&w, "cpu.time.steal", ND_BARE, 0.2);
	world_close(&w);
}

static const char idle_info[] =
	"CPUidle driver: intel_idle\nCPUidle governor: menu\nanalyzing CPU 0:\n\n"
	"Number of idle states: 3\nAvailable idle states: POLL C1 C6\n"
	"POLL:\nFlags/Description: CPUIDLE CORE POLL IDLE\nLatency: 0\nUsage: 11\nDuration: 3\n"
	"C6 (DISABLED) :\nFlags/Description: MWAIT 0x20\nLatency: 133\nUsage: 9\nDuration: 3\n"
	"C1:\nFlags/Description: MWAIT 0x00\nLatency: 2\nUsage: 77\nDuration: 3\n"
	"analyzing CPU 1:\nC6:\nLatency: 133\nUsage: 2345\n";

static void test_idle_states(void **state)
{
	static const struct nd_collector *const idle[] = {&nd_collector_cpuidle, NULL};
	struct world w;

	(void)state;
	world_open(&w, idle);
	assert_int_equal(feed(&w, &nd_collector_cpuidle, "cpupower.txt", 0, idle_info), 0);
	assert_number(&w, ND_CPU, "0", "idle.latency", ND_BARE, 2e-6);
	assert_number(&w, ND_CPU, "0", "idle.entries", ND_SEEN, 77);
	assert_text(&w, ND_CPU, "0", "idle.state", "C1");
	assert_number(&w, ND_CPU, "1", "idle.latency", ND_BARE, 133e-6);
	assert_true(feed(&w, &nd_collector_cpuidle, "cpupower.txt", 0, "nothing\n") < 0);
	world_close(&w);
	torture(idle, &nd_collector_cpuidle, "cpupower", NULL, idle_info + 200);
}

static void test_hostile(void **state)
{
	(void)state;
	torture(list, TOP, "top.txt", NULL, old_top + 150);
	torture(list, TOP, "top.txt", NULL,
		"%Cpu0 : 1,3 us, 0.7 sy, 0 ni %Cpu1 :\nThreads: 3 running\n");
	torture(list, VMSTAT, "vmstat.txt", NULL, vmstat + 80);
	torture(list, VMSTAT, "lscpu.txt", NULL, "CPU(s): 16\n2.06 1.79 1.74 3/456 4711\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_old_top), cmocka_unit_test(test_frames),
		cmocka_unit_test(test_shapes),	cmocka_unit_test(test_vmstat),
		cmocka_unit_test(test_others),	cmocka_unit_test(test_idle_states),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
