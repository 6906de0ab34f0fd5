/* /proc/softirqs: columns by name, CPUs that never were, wraps, and files that were cut. */
#include "tests/unit/parse_text.h"

#include <errno.h>

extern const struct nd_collector nd_collector_softirqs, nd_collector_host;
static const struct nd_collector *const list[] = {&nd_collector_host, &nd_collector_softirqs, NULL};
static const struct nd_collector *const c = &nd_collector_softirqs;

#define PATH "/proc/softirqs"
static const char whole[] = "                    CPU0       CPU2       CPU3       \n"
			    "          HI:          1          0          0\n"
			    "       TIMER:        100        200          0\n"
			    "      NET_TX:          3          4          0\n"
			    "      NET_RX:         10         20          0\n"
			    "       BLOCK:          5          6          0\n"
			    "    IRQ_POLL:          0          0          0\n"
			    "     TASKLET:          7          8          0\n"
			    "       SCHED:          9         11          0\n"
			    "     HRTIMER:         12         13          0\n"
			    "         RCU:         14         15          0\n";

static void every_row(void **state)
{
	static const struct {
		const char *fact;
		double cpu0, cpu2;
	} rows[] = {
		{"softirq.hi", 1, 0},	     {"softirq.timer", 100, 200},
		{"softirq.net_tx", 3, 4},    {"softirq.net_rx", 10, 20},
		{"softirq.block", 5, 6},     {"softirq.irq_poll", 0, 0},
		{"softirq.tasklet", 7, 8},   {"softirq.sched", 9, 11},
		{"softirq.hrtimer", 12, 13}, {"softirq.rcu", 14, 15},
	};
	struct world w;

	(void)state;
	world_open(&w, list);
	assert_int_equal(feed(&w, c, PATH, 0, whole), 0);
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		assert_number(&w, ND_CPU, "0", rows[i].fact, ND_TOTAL, rows[i].cpu0);
		assert_number(&w, ND_CPU, "2", rows[i].fact, ND_TOTAL, rows[i].cpu2);
	}
	c->finish(w.facts);
	assert_missing(&w, ND_CPU, "0", "softirq.net_rx.wait", ND_BARE, ND_NOT_SAMPLED);
	world_close(&w);
}

static void only_cpus_of_this_host(void **state)
{
	struct world w;

	(void)state;
	/* never ran anything: a possible CPU that is not there */
	world_open(&w, list);
	feed(&w, c, PATH, 0, whole);
	assert_int_equal(count(&w, ND_CPU), 2);
	assert_int_equal(nd_entity_find(w.facts, ND_CPU, "3"), ND_NO_ENTITY);
	world_close(&w);
	/* idle, but another file has shown it */
	world_open(&w, list);
	nd_entity(w.facts, ND_CPU, "3");
	feed(&w, c, PATH, 0, whole);
	assert_number(&w, ND_CPU, "3", "softirq.net_rx", ND_TOTAL, 0);
	world_close(&w);
	/* went offline: its old counts say nothing */
	world_open(&w, list);
	feed(&w, &nd_collector_host, "/sys/devices/system/cpu/online", 0, "0,3\n");
	feed(&w, c, PATH, 0, whole);
	assert_int_equal(count(&w, ND_CPU), 2);
	assert_int_equal(nd_entity_find(w.facts, ND_CPU, "2"), ND_NO_ENTITY);
	world_close(&w);
}

static void wraps_at_32_bits(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, list);
	feed(&w, c, PATH, 0, " CPU0\n NET_RX: 4294967290\n");
	feed(&w, c, PATH, 4, " CPU0\n NET_RX: 6\n");
	assert_number(&w, ND_CPU, "0", "softirq.net_rx", ND_DELTA, 12);
	assert_number(&w, ND_CPU, "0", "softirq.net_rx", ND_PEAK, 3);
	world_close(&w);
}

static void bad_files(void **state)
{
	static const struct {
		const char *text;
		int rc;
		const char *error;
	} rows[] = {
		{"", -EINVAL, "expected a header of CPU names, found 'none'"},
		{"hello\nworld\n", -EINVAL, "expected a header of CPU names"},
		{"CPU0 CPU1\n", -EINVAL, "expected rows such as NET_RX:, found 'none'"},
		{"CPU0 CPU1\nNET_RX: 1\n", -EINVAL,
		 ":2: expected one number for each CPU, found 'NET_RX:'"},
		{"CPU0 CPU1\nNET_RX: 1 2 3\n", -EINVAL, ":2: expected one number for each CPU"},
		{"CPU0 CPU1\nNET_RX: 1 x\n", -EINVAL, ":2: expected one number for each CPU"},
		{"CPU0 CPU9999\nNET_RX: 1 2\n", -EINVAL, "expected a header of CPU names"},
		{"$ cat /proc/softirqs\nCPU0 CPU1\nNET_RX: 1 2\nNEW: 3 4\n", 0, ""},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct world w;

		world_open(&w, list);
		assert_int_equal(feed(&w, c, PATH, 0, rows[i].text), rows[i].rc);
		if (!strstr(w.err.msg, rows[i].error))
			fail_msg("row %zu: %s", i, w.err.msg);
		world_close(&w);
	}
}

static void one_bad_row_is_one_missing_fact(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, list);
	assert_int_equal(feed(&w, c, PATH, 0, "CPU0 CPU1\nNET_TX: 1 2\nNET_RX: 3 "), 0);
	assert_number(&w, ND_CPU, "1", "softirq.net_tx", ND_TOTAL, 2);
	assert_missing(&w, ND_CPU, "0", "softirq.net_rx", ND_TOTAL, ND_TOOL_OUTPUT_ABSENT);
	world_close(&w);
}

static void survives_anything(void **state)
{
	(void)state;
	torture(list, c, PATH, NULL, "  CPU0 CPU1\nNET_RX: 10 20\nSCHED: 1 2\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row),
		cmocka_unit_test(only_cpus_of_this_host),
		cmocka_unit_test(wraps_at_32_bits),
		cmocka_unit_test(bad_files),
		cmocka_unit_test(one_bad_row_is_one_missing_fact),
		cmocka_unit_test(survives_anything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
