/* The kernel's log: all forms of time, ages, and what is no line of the kernel. */
#include "tests/unit/parse_text.h"

#include "collectors/run.h"

#include <fcntl.h>
#include <unistd.h>

extern const struct nd_collector nd_collector_host, nd_collector_kmsg, nd_collector_dmesg;
static const struct nd_collector *const list[] = {&nd_collector_host, &nd_collector_kmsg,
						  &nd_collector_dmesg, NULL};
static const struct nd_collector *const c = &nd_collector_dmesg;

#define NONE (-1.0)

static const struct {
	const char *text;
	double ages[3];
	const char *last; /* text of the last line; NULL: no line */
} form_rows[] = {
	{"[  179.636034] one\n[  180.5] two\n[  181.636034] three\n", {2, 1.136034, 0}, "three"},
	{"<6>[  1.5] one\n<4>[  2.5] two\n", {1, 0}, "two"},
	{"[Tue Nov 20 22:30:22 2018] one\n[Wed Nov 21 22:30:22 2018] two\n", {86400, 0}, "two"},
	{"Sep 14 14:04:50 h kernel: igc: down\nSep 14 14:04:57 h kernel: [ 12.5] igc: up\n",
	 {7, 0},
	 "igc: up"},
	/* a boot between: the date counts, not the time since boot */
	{"Sep 14 14:00:00 h kernel: [9999.0] a\nSep 14 14:01:00 h kernel: [ 1.0] b\n",
	 {60, 0},
	 "b"},
	/* over the end of a year; and a leap day */
	{"Dec 31 23:59:50 h kernel: a\nJan  1 00:00:05 h kernel: b\n", {15, 0}, "b"},
	{"Feb 29 00:00:00 h kernel: a\nFeb 29 00:00:01 h kernel: b\n", {1, 0}, "b"},
	{"2026-12-01T00:07:55,250000+00:00 one\n2026-12-01T00:08:00,500000+00:00 two\n",
	 {5.25, 0},
	 "two"},
	{"2026-12-01T00:07:55.25+00:00 h kernel: one\n2026-12-01T00:07:56.25+00:00 h kernel: two\n",
	 {1, 0},
	 "two"},
	{"kern  :warn  : [  10.0] one\nkern  :info  : [  12.0] two\n", {2, 0}, "two"},
	{"arp_cache: neighbor table overflow!\n", {NONE}, "arp_cache: neighbor table overflow!"},
	{"[not a time] text\n", {NONE}, "[not a time] text"},
	/* each clock has its own end */
	{"plain\n[ 5.0] a\n[ 7.0] b\n", {NONE, 2, 0}, "b"},
	/* programs' lines are not the kernel's */
	{"Sep 14 14:04:50 h sshd[1]: nf_conntrack: table full\n", {NONE}, NULL},
	{"\n\n", {NONE}, NULL},
	{"", {NONE}, NULL},
};

static void forms(void **state)
{
	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(form_rows); i++) {
		const struct nd_log_line *log;
		struct nd_status status;
		struct world w;
		uint32_t n;

		world_open(&w, list);
		assert_int_equal(feed(&w, c, "dmesg.txt", 0, form_rows[i].text), 0);
		log = nd_log(w.facts, &n, &status);
		assert_int_equal(status.why, ND_PRESENT);
		assert_int_equal(n > 0, form_rows[i].last != NULL);
		for (uint32_t k = 0; k < n; k++) {
			double off = log[k].age - form_rows[i].ages[k];

			if (off < -1e-6 || off > 1e-6)
				fail_msg("row %zu, line %u: age %g", i, k, log[k].age);
		}
		if (n)
			assert_string_equal(log[n - 1].text, form_rows[i].last);
		world_close(&w);
	}
}

static void uptime_makes_ages_whole(void **state)
{
	static const struct {
		const char *uptime;
		double age; /* of the last line */
	} rows[] = {
		{"1000.00 5.00\n", 500},
		{"400.00 5.00\n", 0}, /* from before: the last line is later */
		{" 10:02:11 up 12 days,  3:04,  1 user,  load average: 0.1, 0.2, 0.3\n",
		 12 * 86400 + 3 * 3600 + 240 - 500},
		{"top - 17:03:41 up 5 days, 18 min,  1 user,  load average: 2.06\n",
		 5 * 86400 + 18 * 60 - 500},
		{"up 1 day, 2 hours, 3 minutes\n", 86400 + 7200 + 180 - 500},
		{" 10:02:11 up 59 min,  1 user\n", 59 * 60 - 500},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		const struct nd_log_line *log;
		struct nd_status status;
		struct world w;
		uint32_t n;

		world_open(&w, list);
		assert_int_equal(feed(&w, &nd_collector_host, "uptime.txt", 0, rows[i].uptime), 0);
		feed(&w, c, "dmesg.txt", 0, "[ 490.0] a\n[ 500.0] b\n");
		log = nd_log(w.facts, &n, &status);
		assert_int_equal(n, 2);
		assert_true(log[1].age > rows[i].age - 1e-6 && log[1].age < rows[i].age + 1e-6);
		assert_true(log[0].age > log[1].age);
		world_close(&w);
	}
}

/* From when the ages count back: the last line, or the uptime beside it; dates do not tell. */
static void end_of_the_log(void **state)
{
	static const char *const reader = "Fri Dec 31 12:41:02 2021 kern.info kernel: [ 58.5] a\n";
	struct world w;

	(void)state;
	world_open(&w, list);
	feed(&w, c, "dmesg.txt", 0, "[ 490.0] a\n[ 500.5] b\n");
	assert_number(&w, ND_HOST, "", "kernel_log.end", ND_BARE, 500.5);
	world_close(&w);
	world_open(&w, list);
	assert_int_equal(feed(&w, &nd_collector_host, "uptime.txt", 0, "1000.00 5.00\n"), 0);
	feed(&w, c, "dmesg.txt", 0, "[ 490.0] a\n");
	assert_number(&w, ND_HOST, "", "kernel_log.end", ND_BARE, 1000);
	world_close(&w);
	world_open(&w, list);
	feed(&w, c, "logread.txt", 0, reader);
	assert_missing(&w, ND_HOST, "", "kernel_log.end", ND_BARE, ND_NOT_SAMPLED);
	world_close(&w);
}

static void only_the_last_lines_are_kept(void **state)
{
	const struct nd_log_line *log;
	struct nd_buf b = {0};
	struct nd_status status;
	struct world w;
	uint32_t n;

	(void)state;
	for (int i = 0; i < 20007; i++)
		nd_buf_printf(&b, "[ %d.000000] line %d\n", i, i);
	world_open(&w, list);
	feed(&w, c, "dmesg.txt", 0, nd_buf_str(&b));
	log = nd_log(w.facts, &n, &status);
	assert_int_equal(n, 20000);
	assert_string_equal(log[0].text, "line 7");
	assert_string_equal(log[n - 1].text, "line 20006");
	assert_true(log[n - 1].age == 0 && log[0].age == 19999);
	nd_buf_free(&b);
	world_close(&w);
}

static void no_log_says_so(void **state)
{
	struct nd_status status;
	struct world w;
	uint32_t n;

	(void)state;
	world_open(&w, list);
	c->finish(w.facts);
	nd_log(w.facts, &n, &status);
	assert_int_equal(n, 0);
	assert_int_equal(status.why, ND_TOOL_OUTPUT_ABSENT);
	world_close(&w);
	/* whoever knows better was first */
	world_open(&w, list);
	nd_log_missing(w.facts, ND_NO_PERMISSION, "/dev/kmsg: Operation not permitted");
	c->finish(w.facts);
	nd_log(w.facts, &n, &status);
	assert_int_equal(status.why, ND_NO_PERMISSION);
	world_close(&w);
}

/* The device of this machine, as far as it lets us. */
static void live_device(void **state)
{
	static const struct nd_collector *const only[] = {&nd_collector_kmsg, NULL};
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	struct nd_source *s = nd_source_live("/proc", "/sys");
	struct nd_collect opt = {.window = 0};
	const struct nd_log_line *log;
	struct nd_status status;
	struct world w;
	uint32_t n;

	(void)state;
	world_open(&w, list);
	assert_int_equal(nd_collect_list(only, 1, s, w.facts, &opt, &w.err), fd >= 0);
	log = nd_log(w.facts, &n, &status);
	assert_int_equal(status.why == ND_PRESENT, fd >= 0);
	assert_int_equal(*status.detail != '\0', fd < 0);
	for (uint32_t i = 0; i < n; i++) {
		assert_true(log[i].age >= 0);
		assert_null(strchr(log[i].text, '\n'));
		if (i)
			assert_true(log[i].age <=
				    log[i - 1].age + 1); /* in order, but for CPUs' clocks */
	}
	if (fd >= 0)
		close(fd);
	world_close(&w);
	nd_source_free(s);
}

static void host_inputs(void **state)
{
	static const struct {
		const char *path, *text;
		int rc;
		const char *release; /* NULL: none */
		double hz;
	} rows[] = {
		{"uname-a.txt", "Linux box 5.10.0-8-amd64 #1 SMP Debian x86_64 GNU/Linux\n", 0,
		 "5.10.0-8-amd64", 0},
		{"uname-r.txt", "6.1.0\n", 0, "6.1.0", 0},
		{"proc/version", "Linux version 6.18.44-x (b@c) #1 SMP\n", 0, "6.18.44-x", 0},
		{"uname.txt", "command not found\n", -22, NULL, 0},
		{"boot/config-6.1.0",
		 "CONFIG_NO_HZ=y\n# CONFIG_HZ_100 is not set\nCONFIG_HZ=1000\n", 0, NULL, 1000},
		{"config.txt", "something else\n", 0, NULL, 0},
		{"config-x", "CONFIG_HZ=0\n", 0, NULL, 0},
		{"uptime", "garbage\n", -22, NULL, 0},
		{"top.txt", "  PID USER\n", 0, NULL, 0},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct world w;

		world_open(&w, list);
		assert_int_equal(feed(&w, &nd_collector_host, rows[i].path, 0, rows[i].text),
				 rows[i].rc);
		if (rows[i].release)
			assert_text(&w, ND_HOST, "", "kernel.release", rows[i].release);
		else
			assert_missing(&w, ND_HOST, "", "kernel.release", ND_BARE, ND_NOT_SAMPLED);
		if (rows[i].hz > 0)
			assert_number(&w, ND_HOST, "", "hz", ND_BARE, rows[i].hz);
		else
			assert_missing(&w, ND_HOST, "", "hz", ND_BARE, ND_NOT_SAMPLED);
		world_close(&w);
	}
}

static void survives_anything(void **state)
{
	(void)state;
	torture(list, c, "dmesg", NULL,
		"[  1.5] one\n[Tue Nov 20 22:30:22 2018] two\nSep 14 14:04:57 h kernel: [ 1.2] x\n"
		"2026-12-01T00:07:55,25+00:00 z\nkern  :info  : [ 1.0] q\n<6>[ 2.0] r\n");
	torture(list, &nd_collector_host, "uptime", NULL,
		" 10:02:11 up 12 days,  3:04,  1 user\n1.0 2.0\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms),	  cmocka_unit_test(uptime_makes_ages_whole),
		cmocka_unit_test(end_of_the_log), cmocka_unit_test(only_the_last_lines_are_kept),
		cmocka_unit_test(no_log_says_so), cmocka_unit_test(live_device),
		cmocka_unit_test(host_inputs),	  cmocka_unit_test(survives_anything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
