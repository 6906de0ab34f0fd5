/* softnet_stat: every generation of columns, offline CPUs, wraps, and files that were cut. */
#include "tests/unit/parse_text.h"

#include <errno.h>
#include <unistd.h>

extern const struct nd_collector nd_collector_softnet, nd_collector_host;
static const struct nd_collector *const list[] = {&nd_collector_host, &nd_collector_softnet, NULL};
static const struct nd_collector *const c = &nd_collector_softnet;

#define Z "00000000 "
#define Z6 Z Z Z Z Z Z
#define PATH "/proc/net/softnet_stat"

static void columns_by_generation(void **state)
{
	static const struct {
		const char *text;
		double rps, flow, queue; /* negative: missing, not-on-this-kernel */
	} rows[] = {
		{"0000000a 0000000b 0000000c\n", -1, -1, -1},
		{"0000000a 0000000b 0000000c " Z6 "\n", -1, -1, -1},
		{"0000000a 0000000b 0000000c " Z6 "0000000d\n", 13, -1, -1},
		{"0000000a 0000000b 0000000c " Z6 "0000000d 0000000e\n", 13, 14, -1},
		{"0000000a 0000000b 0000000c " Z6 "0000000d 0000000e 00000010 00000000\n", 13, 14,
		 16},
		{"0000000a 0000000b 0000000c " Z6
		 "0000000d 0000000e 00000010 00000000 00000004 00000011\n",
		 13, 14, 21},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct world w;

		world_open(&w, list);
		assert_int_equal(feed(&w, c, PATH, 0, rows[i].text), 0);
		assert_number(&w, ND_CPU, "0", "softnet.processed", ND_TOTAL, 10);
		assert_number(&w, ND_CPU, "0", "softnet.dropped", ND_TOTAL, 11);
		assert_number(&w, ND_CPU, "0", "softnet.time_squeeze", ND_TOTAL, 12);
		if (rows[i].rps < 0)
			assert_missing(&w, ND_CPU, "0", "softnet.received_rps", ND_TOTAL,
				       ND_NOT_ON_THIS_KERNEL);
		else
			assert_number(&w, ND_CPU, "0", "softnet.received_rps", ND_TOTAL,
				      rows[i].rps);
		if (rows[i].flow < 0)
			assert_missing(&w, ND_CPU, "0", "softnet.flow_limit", ND_TOTAL,
				       ND_NOT_ON_THIS_KERNEL);
		else
			assert_number(&w, ND_CPU, "0", "softnet.flow_limit", ND_TOTAL,
				      rows[i].flow);
		if (rows[i].queue < 0)
			assert_missing(&w, ND_CPU, "0", "softnet.queue", ND_BARE,
				       ND_NOT_ON_THIS_KERNEL);
		else
			assert_number(&w, ND_CPU, "0", "softnet.queue", ND_BARE, rows[i].queue);
		world_close(&w);
	}
}

static void cpu_of_a_line(void **state)
{
	static const char old[] = "00000001 " Z Z "\n00000002 " Z Z "\n00000003 " Z Z "\n";
	struct world w;

	(void)state;
	/* by its own column, which is hexadecimal */
	world_open(&w, list);
	assert_int_equal(feed(&w, c, PATH, 0, "00000007 " Z Z Z6 Z Z Z "00000010\n"), 0);
	assert_int_equal(count(&w, ND_CPU), 1);
	assert_number(&w, ND_CPU, "16", "softnet.processed", ND_TOTAL, 7);
	world_close(&w);
	/* by line, when nobody knows which are online */
	world_open(&w, list);
	assert_int_equal(feed(&w, c, PATH, 0, old), 0);
	assert_number(&w, ND_CPU, "2", "softnet.processed", ND_TOTAL, 3);
	world_close(&w);
	/* the n-th online CPU, when that is known */
	world_open(&w, list);
	assert_int_equal(
		feed(&w, &nd_collector_host, "/sys/devices/system/cpu/online", 0, "0,2-3\n"), 0);
	assert_int_equal(feed(&w, c, PATH, 0, old), 0);
	assert_number(&w, ND_CPU, "2", "softnet.processed", ND_TOTAL, 2);
	assert_number(&w, ND_CPU, "3", "softnet.processed", ND_TOTAL, 3);
	assert_int_equal(nd_entity_find(w.facts, ND_CPU, "1"), ND_NO_ENTITY);
	world_close(&w);
	/* more lines than online CPUs */
	world_open(&w, list);
	feed(&w, &nd_collector_host, "/sys/devices/system/cpu/online", 0, "0-1\n");
	assert_int_equal(feed(&w, c, PATH, 0, old), 0);
	assert_int_equal(count(&w, ND_CPU), 2);
	assert_non_null(strstr(w.err.msg, PATH ":3: expected one line for each online CPU"));
	world_close(&w);
}

static void wraps_at_32_bits(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, list);
	feed(&w, c, PATH, 0, "fffffff0 ffffffff " Z "\n");
	feed(&w, c, PATH, 2, "00000010 00000001 " Z "\n");
	assert_number(&w, ND_CPU, "0", "softnet.processed", ND_DELTA, 32);
	assert_number(&w, ND_CPU, "0", "softnet.processed", ND_RATE, 16);
	assert_number(&w, ND_CPU, "0", "softnet.dropped", ND_DELTA, 2);
	world_close(&w);
}

static void bad_lines(void **state)
{
	static const struct {
		const char *text;
		int rc;
		uint32_t cpus;
		const char *error;
	} rows[] = {
		{"", -EINVAL, 0, ":0: expected columns of 8 hexadecimal digits, found 'nothing'"},
		{"cat: /proc/net/softnet_stat: No such file\n", -EINVAL, 0,
		 ":1: expected columns of 8"},
		{"00000001 00000002\n", -EINVAL, 0, "found 'too few'"},
		{"0000000g " Z Z "\n", -EINVAL, 0, "found '0000000g'"},
		{"100000000 " Z Z "\n", -EINVAL, 0, "found '100000000'"},
		/* cut within a word, and between two */
		{"00000001 " Z Z "00000000\n00000002 " Z "000", 0, 1, ":2: expected columns"},
		{"00000001 " Z Z "00000000\n00000002 " Z Z, 0, 1, ":2: expected columns"},
		{"\n00000001 " Z Z "\n\n00000002 " Z Z "\n", 0, 2, ""},
		/* the same CPU twice */
		{Z Z Z Z6 Z Z Z "00000000\n" Z Z Z Z6 Z Z Z "00000000\n", 0, 1,
		 ":2: expected one line"},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct world w;

		world_open(&w, list);
		assert_int_equal(feed(&w, c, PATH, 0, rows[i].text), rows[i].rc);
		assert_int_equal(count(&w, ND_CPU), rows[i].cpus);
		if (!strstr(w.err.msg, rows[i].error) || (!*rows[i].error && *w.err.msg))
			fail_msg("row %zu: %s", i, w.err.msg);
		world_close(&w);
	}
}

static void survives_anything(void **state)
{
	(void)state;
	torture(list, c, PATH, NULL,
		"0000000a 0000000b 0000000c " Z6 "0000000d 0000000e 00000010 00000001\n" Z Z Z
		"\n");
}

/* The line that a sceptic types gives the number that we have, whatever shell is there. */
static void reproduce_works(void **state)
{
	static const char text[] =
		"00000001 " Z Z Z6 Z Z Z "0000000a\n000000ff " Z Z Z6 Z Z Z "0000000b\n";
	char path[] = "/tmp/nd-softnet-XXXXXX", line[64] = "";
	struct nd_buf command = {0};
	struct world w;
	const char *show, *at;
	int fd = mkstemp(path);
	FILE *p;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	world_open(&w, list);
	assert_int_equal(feed(&w, c, PATH, 0, text), 0);
	show = nd_get_reproduce(w.facts, nd_entity_find(w.facts, ND_CPU, "11"),
				nd_registry_find(w.registry, ND_CPU, "softnet.processed"));
	at = strstr(show, PATH);
	assert_non_null(at);
	nd_buf_printf(&command, "%.*s%s%s", (int)(at - show), show, path, at + strlen(PATH));
	p = popen(nd_buf_str(&command), "r");
	assert_non_null(p);
	assert_non_null(fgets(line, sizeof(line), p));
	assert_int_equal(pclose(p), 0);
	assert_string_equal(line, "255\n");
	unlink(path);
	nd_buf_free(&command);
	world_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_by_generation), cmocka_unit_test(cpu_of_a_line),
		cmocka_unit_test(wraps_at_32_bits),	 cmocka_unit_test(bad_lines),
		cmocka_unit_test(survives_anything),	 cmocka_unit_test(reproduce_works),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
