/* Slow reads of memory.stat, as strace and time show them. */
#include "tests/unit/parse_text.h"

#include <math.h>

extern const struct nd_collector nd_collector_strace_text;
static const struct nd_collector *const list[] = {&nd_collector_strace_text, NULL};
#define C (&nd_collector_strace_text)

static const char trace[] =
	"[pid 10436] <... futex resumed> )       = 0 <0.156784>\n"
	"[pid 10436] <... read resumed> \"cache 154234880\\nrss 507904\\nrss_h\"..., 4096) = 658 <0.179438>\n"
	"read(7, \"anon 4096\\nfile 0\\n\"..., 4096) = 577 <0.000020>\n"
	"read(7, \"GET / HTTP\"..., 4096) = 577 <0.500000>\n";

static const struct nd_hist *reads(const struct world *w)
{
	struct nd_value v = value(w, ND_FUNCTION, "memcg_stat_show", "latency", ND_BARE);

	assert_int_equal(v.type, ND_V_HIST);
	return v.hist;
}

static void test_strace(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, list);
	assert_int_equal(feed(&w, C, "strace-T.txt", 0, trace), 0);
	assert_int_equal(reads(&w)->n, 2);
	assert_true(fabs(reads(&w)->b[0].lo - 16e-6) < 1e-12);
	assert_true(fabs(reads(&w)->b[1].lo - 0.131072) < 1e-12);
	assert_true(fabs(reads(&w)->b[1].hi - 0.262144) < 1e-12);
	world_close(&w);
}

static void test_time(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, list);
	assert_int_equal(feed(&w, C, "cat.txt", 0,
			      "$ time cat /sys/fs/cgroup/memory/memory.stat >/dev/null\n\n"
			      "real\t1m0.153s\nuser\t0m0.000s\nsys\t0m0.152s\n"),
			 0);
	assert_true(fabs(reads(&w)->b[0].lo - 33.554432) < 1e-9);
	world_close(&w);
	world_open(&w, list);
	assert_int_equal(feed(&w, C, "make.txt", 0, "$ time make\nreal\t1m0.153s\n"), 0);
	assert_int_equal(count(&w, ND_FUNCTION), 0);
	world_close(&w);
}

static void test_hostile(void **state)
{
	(void)state;
	torture(list, C, "strace", NULL, trace + 56);
	torture(list, C, "memory.stat", NULL, "real\t1m0.153s\nuser\t0m0.000s\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strace),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
