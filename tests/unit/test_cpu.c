/* /proc/stat and mpstat: shares of the window, never of the time since boot; and sets of CPUs. */
#include "tests/unit/parse_text.h"

#include "collectors/cpulist.h"

#include <errno.h>

extern const struct nd_collector nd_collector_cpu, nd_collector_mpstat;
static const struct nd_collector *const list[] = {&nd_collector_cpu, &nd_collector_mpstat, NULL};
static const struct nd_collector *const c = &nd_collector_cpu;
static const struct nd_collector *const m = &nd_collector_mpstat;

static void one_reading_is_no_share(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, list);
	assert_int_equal(
		feed(&w, c, "/proc/stat", 0, "cpu  9 9 9 9\ncpu0 1 2 3 4 5 6 7 8 0 0\nintr 1 2\n"),
		0);
	assert_int_equal(count(&w, ND_CPU), 1);
	assert_number(&w, ND_CPU, "0", "ticks.steal", ND_TOTAL, 8);
	assert_missing(&w, ND_CPU, "0", "time.soft", ND_BARE, ND_SINGLE_SNAPSHOT);
	assert_missing(&w, ND_CPU, "0", "time.idle", ND_BARE, ND_SINGLE_SNAPSHOT);
	world_close(&w);
}

static void shares_of_the_window(void **state)
{
	static const struct {
		const char *fact;
		double share;
	} rows[] = {
		{"time.user", 0.15},   {"time.system", 0.1}, {"time.idle", 0.4},
		{"time.iowait", 0.05}, {"time.irq", 0.02},   {"time.soft", 0.25},
		{"time.steal", 0.03},
	};
	struct world w;

	(void)state;
	world_open(&w, list);
	feed(&w, c, "/proc/stat", 0, "cpu3 1000 0 1000 1000 1000 1000 1000 1000 500 0\n");
	feed(&w, c, "/proc/stat", 1, "cpu3 1099 0 1000 1000 1000 1000 1000 1000 599 0\n");
	feed(&w, c, "/proc/stat", 2,
	     "cpu3 1100 50 1100 1400 1050 1020 1250 1030 600 0\n"); /* guest is in user */
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++)
		assert_number(&w, ND_CPU, "3", rows[i].fact, ND_BARE, rows[i].share);
	world_close(&w);
}

static void idle_may_go_back_a_little(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, list);
	feed(&w, c, "/proc/stat", 0, "cpu0 0 0 0 1000 50 0 0 0\n");
	feed(&w, c, "/proc/stat", 1, "cpu0 50 0 0 998 49 0 0 0\n");
	assert_number(&w, ND_CPU, "0", "time.user", ND_BARE, 1);
	assert_number(&w, ND_CPU, "0", "time.idle", ND_BARE, 0);
	feed(&w, c, "/proc/stat", 2, "cpu0 50 0 0 1050 50 0 0 0\n");
	assert_number(&w, ND_CPU, "0", "time.user", ND_BARE, 0.5);
	world_close(&w);
	/* a CPU that was offline meanwhile */
	world_open(&w, list);
	feed(&w, c, "/proc/stat", 0, "cpu0 0 0 0 100000 50 0 0 0\n");
	feed(&w, c, "/proc/stat", 1, "cpu0 10 0 0 20 50 0 0 0\n");
	assert_missing(&w, ND_CPU, "0", "time.idle", ND_BARE, ND_COUNTER_RESET);
	world_close(&w);
	/* nothing was counted */
	world_open(&w, list);
	feed(&w, c, "/proc/stat", 0, "cpu0 1 2 3 4 5 6 7 8\n");
	feed(&w, c, "/proc/stat", 1, "cpu0 1 2 3 4 5 6 7 8\n");
	assert_int_equal(value(&w, ND_CPU, "0", "time.idle", ND_BARE).type, ND_V_MISSING);
	world_close(&w);
}

static void old_kernels_have_fewer_columns(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, list);
	feed(&w, c, "/proc/stat", 0, "cpu0 0 0 0 0\n");
	feed(&w, c, "/proc/stat", 1, "cpu0 25 0 25 50\n");
	assert_number(&w, ND_CPU, "0", "time.idle", ND_BARE, 0.5);
	assert_int_equal(value(&w, ND_CPU, "0", "time.steal", ND_BARE).type, ND_V_MISSING);
	world_close(&w);
}

static void bad_stat(void **state)
{
	static const struct {
		const char *text, *error;
	} rows[] = {
		{"", "expected lines such as cpu0, found 'none'"},
		{"cpu 1 2 3 4\n", "expected lines such as cpu0"},
		{"cpu0 1 2 3\n", ":1: expected numbers of ticks, found 'too few'"},
		{"cpu0 1 2 -3 4\n", ":1: expected numbers of ticks, found '-3'"},
		{"cpu99999 1 2 3 4\n", "expected lines such as cpu0"},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct world w;

		world_open(&w, list);
		assert_int_equal(feed(&w, c, "/proc/stat", 0, rows[i].text), -EINVAL);
		assert_non_null(strstr(w.err.msg, rows[i].error));
		assert_int_equal(count(&w, ND_CPU), 0);
		world_close(&w);
	}
}

static void node_of_seen_cpus(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, list);
	feed(&w, c, "/proc/stat", 0, "cpu0 1 2 3 4\ncpu5 1 2 3 4\n");
	assert_int_equal(feed_arg(&w, c, "node1/cpulist", "1", 0, "4-7\n"), 0);
	assert_number(&w, ND_CPU, "5", "node", ND_BARE, 1);
	assert_int_equal(count(&w, ND_CPU), 2);
	assert_int_equal(feed_arg(&w, c, "node1/cpulist", "1", 0, "4-\n"), -EINVAL);
	assert_int_equal(feed_arg(&w, c, "nodex/cpulist", "x", 0, "4\n"), -EINVAL);
	world_close(&w);
}

#define HEAD "CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n"

static void mpstat_forms(void **state)
{
	static const struct {
		const char *text;
		double user, soft, idle; /* of CPU 1 */
	} rows[] = {
		{"03:50:09 " HEAD "03:50:10 all 1 0 0 0 0 1 0 0 0 98\n"
		 "03:50:10   1   11.00 0.00 19.00 0.00 0.00 46.00 0.00 0.00 0.00 24.00\n",
		 0.11, 0.46, 0.24},
		/* twelve hours */
		{"11:59:59 AM " HEAD
		 "12:00:00 PM   1   1.00 2.00 3.00 0.00 0.00 4.00 0.00 5.00 6.00 79.00\n",
		 0.14, 0.04, 0.79},
		/* the average of several reports is the last word */
		{"10:00:00 " HEAD
		 "10:00:01 1 10.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 90.00\n\n"
		 "10:00:01 " HEAD
		 "10:00:02 1 30.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 70.00\n\n"
		 "Average: " HEAD
		 "Average: 1 20.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 80.00\n",
		 0.2, 0, 0.8},
		/* in another language, with a decimal comma */
		{"10:00:00 " HEAD "10:00:01 1 10,00 0,00 0,00 0,00 0,00 0,00 0,00 0,00 0,00 90,00\n"
		 "Durchschn.: " HEAD
		 "Durchschn.: 1 12,50 0,00 0,00 0,00 0,00 2,50 0,00 0,00 0,00 85,00\n",
		 0.125, 0.025, 0.85},
		/* sysstat 7: other names, other order, a column that is no share */
		{"10:00:00 CPU %user %nice %system %iowait %irq %soft %idle intr/s\n"
		 "10:00:01 1 5.00 0.00 1.00 0.00 0.00 9.00 85.00 1000.00\n",
		 0.05, 0.09, 0.85},
		/* tables of interrupts have a CPU column, too */
		{"10:00:00 " HEAD
		 "10:00:01 1 5.00 0.00 1.00 0.00 0.00 9.00 0.00 0.00 0.00 85.00\n\n"
		 "10:00:00 CPU intr/s\n10:00:01 1 77.00\n\n"
		 "10:00:00 CPU HI/s TIMER/s NET_TX/s NET_RX/s BLOCK/s\n"
		 "10:00:01 1 0.00 1.00 2.00 3.00 4.00\n",
		 0.05, 0.09, 0.85},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct world w;

		world_open(&w, list);
		assert_int_equal(feed(&w, m, "mpstat.txt", 0, rows[i].text), 0);
		assert_int_equal(count(&w, ND_CPU), 1);
		assert_number(&w, ND_CPU, "1", "time.user", ND_BARE, rows[i].user);
		assert_number(&w, ND_CPU, "1", "time.soft", ND_BARE, rows[i].soft);
		assert_number(&w, ND_CPU, "1", "time.idle", ND_BARE, rows[i].idle);
		world_close(&w);
	}
}

static void mpstat_without_interval_is_since_boot(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, list);
	assert_int_equal(feed(&w, m, "mpstat.txt", 0,
			      "03:50:09 " HEAD
			      "03:50:09 1 11.00 0.00 19.00 0.00 0.00 46.00 0.00 0.00 0.00 24.00\n"),
			 0);
	assert_missing(&w, ND_CPU, "1", "time.soft", ND_BARE, ND_SINGLE_SNAPSHOT);
	world_close(&w);
}

static void mpstat_refusals(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, list);
	assert_int_equal(feed(&w, m, "mpstat.txt", 0, "bash: mpstat: command not found\n"),
			 -EINVAL);
	assert_non_null(strstr(w.err.msg, "expected a table with the columns CPU and %idle"));
	assert_int_equal(
		feed(&w, m, "mpstat.txt", 0, "1:00:00 " HEAD "1:00:01 all 0 0 0 0 0 0 0 0 0 100\n"),
		0);
	assert_int_equal(
		feed(&w, m, "mpstat.txt", 0, "1:00:00 " HEAD "1:00:01 1 x 0 0 0 0 0 0 0 0 100\n"),
		-EINVAL);
	assert_non_null(strstr(w.err.msg, ":2: expected a percentage, found 'x'"));
	assert_int_equal(
		feed(&w, m, "mpstat.txt", 0, "1:00:00 " HEAD "1:00:01 1 0 0 0 0 0 0 0 0 0 1000\n"),
		-EINVAL);
	assert_int_equal(count(&w, ND_CPU), 0);
	world_close(&w);
}

/* Of two sources the first in the list stays, but only if it knows. */
static void mpstat_fills_what_one_reading_cannot(void **state)
{
	static const char text[] = "1:00:00 " HEAD "1:00:01 0 40.00 0 0 0 0 0 0 0 0 60.00\n";
	struct world w;

	(void)state;
	world_open(&w, list);
	nd_facts_speaker(w.facts, 0);
	feed(&w, c, "/proc/stat", 0, "cpu0 0 0 0 0\n");
	nd_facts_speaker(w.facts, 1);
	feed(&w, m, "mpstat.txt", 0, text);
	assert_number(&w, ND_CPU, "0", "time.user", ND_BARE, 0.4);
	world_close(&w);
	world_open(&w, list);
	nd_facts_speaker(w.facts, 0);
	feed(&w, c, "/proc/stat", 0, "cpu0 0 0 0 0\n");
	feed(&w, c, "/proc/stat", 1, "cpu0 50 0 0 50\n");
	nd_facts_speaker(w.facts, 1);
	feed(&w, m, "mpstat.txt", 0, text);
	assert_number(&w, ND_CPU, "0", "time.user", ND_BARE, 0.5);
	world_close(&w);
}

static void sets_of_cpus(void **state)
{
	static const struct {
		bool mask;
		const char *text;
		bool ok;
		uint32_t count, first, last;
	} rows[] = {
		{false, "0-3,8\n", true, 5, 0, 8},
		{false, "", true, 0, 0, 0},
		{false, "8191", true, 1, 8191, 8191},
		{false, "8192", false, 0, 0, 0},
		{false, "3-1", false, 0, 0, 0},
		{false, "1,x", false, 0, 0, 0},
		{false, "0-99999999999999999999", false, 0, 0, 0},
		{true, "f", true, 4, 0, 3},
		{true, "ff00000", true, 8, 20, 27},
		{true, "f,00000000", true, 4, 32, 35},
		{true, "0", true, 0, 0, 0},
		{true, "00000000,00000001", true, 1, 0, 0},
		{true, "", true, 0, 0, 0},
		{true, "0xf", false, 0, 0, 0},
		{true, "100000000", false, 0, 0, 0},
		{true, "f,,1", false, 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct nd_cpus s;
		bool ok = rows[i].mask ? nd_cpus_from_mask(rows[i].text, &s)
				       : nd_cpus_from_list(rows[i].text, &s);
		uint32_t last = 0;

		assert_int_equal(ok, rows[i].ok);
		assert_int_equal(nd_cpus_count(&s), rows[i].count);
		if (!rows[i].count)
			continue;
		assert_int_equal(nd_cpus_next(&s, 0), rows[i].first);
		assert_int_equal(nd_cpus_nth(&s, rows[i].count - 1), rows[i].last);
		assert_int_equal(nd_cpus_nth(&s, rows[i].count), ND_CPUS_MAX);
		for (uint32_t k = nd_cpus_next(&s, 0); k < ND_CPUS_MAX; k = nd_cpus_next(&s, k + 1))
			last = k;
		assert_int_equal(last, rows[i].last);
		assert_true(nd_cpus_has(&s, last));
		assert_false(nd_cpus_has(&s, last + 1));
	}
}

static void survives_anything(void **state)
{
	(void)state;
	torture(list, c, "/proc/stat", NULL, "cpu  1 2 3 4\ncpu0 1 2 3 4 5 6 7 8\ncpu1 9 9 9 9\n");
	torture(list, m, "mpstat", NULL,
		"10:00:00 AM CPU %usr %soft %idle\n10:00:01 AM 1 5.00 9.00 86.00\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_reading_is_no_share),
		cmocka_unit_test(shares_of_the_window),
		cmocka_unit_test(idle_may_go_back_a_little),
		cmocka_unit_test(old_kernels_have_fewer_columns),
		cmocka_unit_test(bad_stat),
		cmocka_unit_test(node_of_seen_cpus),
		cmocka_unit_test(mpstat_forms),
		cmocka_unit_test(mpstat_without_interval_is_since_boot),
		cmocka_unit_test(mpstat_refusals),
		cmocka_unit_test(mpstat_fills_what_one_reading_cannot),
		cmocka_unit_test(sets_of_cpus),
		cmocka_unit_test(survives_anything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
