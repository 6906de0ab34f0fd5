/* The runner: moments, deadlines, the stop flag, calls in between, reasons for what is missing. */
#include "tests/unit/parse_text.h"
#include "tests/unit/temp_tree.h"

#include "collectors/run.h"

#include <errno.h>
#include <time.h>

extern const struct nd_collector nd_collector_host, nd_collector_probed;

/* What the fake collectors saw. */
static struct {
	uint32_t parsed, once, live, between, finished, ended, firsts, lasts, moments[32];
	uint64_t again_ns;
	int rc;
	volatile int stop;
	uint32_t stop_at;
} seen;

static const struct nd_fact_def fake_facts[] = {
	{.name = "fake.count",
	 .on = ND_HOST,
	 .type = ND_T_NUMBER,
	 .unit = ND_U_COUNT,
	 .width = ND_COUNTER64,
	 .doc = "x"},
	{.name = "fake.never", .on = ND_HOST, .type = ND_T_NUMBER, .unit = ND_U_COUNT, .doc = "x"},
	{0},
};

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	char *line = nd_stream_line(s);
	uint64_t v;

	if (nd_ends(in->path, "once")) {
		seen.once++;
		return 0;
	}
	if (!line || !nd_parse_u64(nd_trim(line), 10, &v))
		return nd_parse_fail(in, s, e, "a number", line ? line : "nothing");
	seen.parsed++;
	nd_put_reading(f, 0, &fake_facts[0], v, in);
	return 0;
}

static int live(struct nd_live *l, struct nd_facts *f, struct nd_err *e)
{
	(void)f;
	if (l->between) {
		seen.between++;
		assert_false(l->first || l->last);
	} else {
		assert_int_equal(l->moment, seen.live);
		seen.live++;
		seen.firsts += l->first;
		seen.lasts += l->last;
	}
	if (!*l->state)
		*l->state = nd_alloc(1);
	if (seen.stop_at && seen.live == seen.stop_at)
		seen.stop = 1;
	l->again_ns = seen.again_ns;
	return seen.rc ? nd_fail(e, seen.rc, "refused by a test") : 0;
}

static void finish(struct nd_facts *f)
{
	(void)f;
	seen.finished++;
}

static void end(void *state)
{
	seen.ended += state != NULL;
	free(state);
}

static const struct nd_read fake_reads[] = {
	{"/proc/fake", 0},
	{"/proc/fake_once", ND_READ_ONCE},
	{"faketool -x", 0},
	{0},
};
static const struct nd_collector fake = {
	.name = "fake",
	.reads = fake_reads,
	.facts = fake_facts,
	.entities = {ND_NEIGH, ND_NO_KIND},
	.parse = parse,
	.live = live,
	.finish = finish,
	.end = end,
};
static const struct nd_read tool_reads[] = {{"othertool", 0}, {0}};
static const struct nd_collector tool = {
	/* the same facts from a tool's output; its entities are left out */
	.name = "tool",
	.reads = tool_reads,
	.facts = fake_facts,
	.parse = parse,
};
static const struct nd_collector *const list[] = {&nd_collector_host, &fake, &tool,
						  &nd_collector_probed, NULL};

struct bench {
	struct world w;
	struct temp_tree t;
	struct nd_source *s;
	struct nd_collect opt;
	int rc;
};

static void bench_open(struct bench *b)
{
	memset(&seen, 0, sizeof(seen));
	*b = (struct bench){.opt = {.stop = &seen.stop}};
	tree_make(&b->t);
	world_open(&b->w, list);
}

static void run_live(struct bench *b, double window)
{
	char proc[80], sys[80];

	snprintf(proc, sizeof(proc), "%s/proc", b->t.root);
	snprintf(sys, sizeof(sys), "%s/sys", b->t.root);
	b->s = nd_source_live(proc, sys);
	b->opt.window = window;
	b->rc = nd_collect_list(list, 4, b->s, b->w.facts, &b->opt, &b->w.err);
}

static void run_folder(struct bench *b)
{
	b->s = nd_source_folder(b->t.root, &b->w.err);
	assert_non_null(b->s);
	b->rc = nd_collect_list(list, 4, b->s, b->w.facts, &b->opt, &b->w.err);
}

static void bench_close(struct bench *b)
{
	world_close(&b->w);
	nd_source_free(b->s);
	tree_remove(&b->t);
}

static void assert_why(const struct bench *b, const char *fact, enum nd_missing why,
		       const char *detail)
{
	struct nd_value v = value(&b->w, ND_HOST, "", fact, ND_BARE);

	assert_int_equal(v.type, ND_V_MISSING);
	assert_string_equal(nd_missing_name(v.why), nd_missing_name(why));
	if (!strstr(v.detail, detail))
		fail_msg("%s: '%s' is not in '%s'", fact, detail, v.detail);
}

static void assert_kind(const struct bench *b, enum nd_kind kind, enum nd_missing why,
			const char *detail)
{
	struct nd_status s = nd_kind_status(b->w.facts, kind);

	assert_string_equal(nd_missing_name(s.why), nd_missing_name(why));
	if (!strstr(s.detail, detail))
		fail_msg("'%s' is not in '%s'", detail, s.detail);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void six_moments_in_a_short_window(void **state)
{
	struct bench b;
	struct nd_value v;

	(void)state;
	bench_open(&b);
	tree_file(&b.t, "proc/fake", "7\n");
	tree_file(&b.t, "proc/fake_once", "7\n");
	tree_file(&b.t, "proc/uptime", "1000.5 3.0\n");
	run_live(&b, 0.25);
	assert_int_equal(seen.parsed, 6);
	assert_int_equal(seen.once, 1);
	assert_int_equal(seen.live, 6);
	assert_int_equal(seen.firsts, 1);
	assert_int_equal(seen.lasts, 1);
	assert_int_equal(seen.between, 0);
	assert_int_equal(seen.finished, 1);
	assert_int_equal(seen.ended, 1);
	v = value(&b.w, ND_HOST, "", "window", ND_BARE);
	assert_int_equal(v.type, ND_V_NUMBER);
	assert_true(v.num > 0.24 && v.num < 0.5);
	assert_number(&b.w, ND_HOST, "", "span", ND_BARE, v.num);
	assert_number(&b.w, ND_HOST, "", "fake.count", ND_DELTA, 0);
	/* 6 of fake, the one, 6 calls of its live; 6 of uptime and of the host's live */
	assert_int_equal(b.rc, 6 + 1 + 6 + 6 + 6);
	assert_int_equal(nd_collect_status(1)->inputs, 13);
	assert_int_equal(nd_collect_status(1)->bad, 0);
	assert_true(nd_collect_status(1)->wall > 0 && nd_collect_status(1)->cpu >= 0);
	bench_close(&b);
}

static void a_moment_a_second_in_a_long_window(void **state)
{
	struct bench b;
	double start;

	(void)state;
	bench_open(&b);
	run_live(&b, 5.9 / 1000); /* as short as it may be: still six */
	assert_int_equal(seen.live, 6);
	bench_close(&b);
	bench_open(&b);
	seen.stop_at = 2; /* the second is due after one second, not after a fifth of the window */
	start = now();
	run_live(&b, 12);
	assert_int_equal(seen.live, 3);
	assert_true(now() - start > 0.9 && now() - start < 2);
	bench_close(&b);
}

static void no_window_is_one_moment(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b);
	tree_file(&b.t, "proc/fake", "7\n");
	tree_file(&b.t, "proc/uptime", "1000.5 3.0\n");
	run_live(&b, 0);
	assert_int_equal(seen.live, 1);
	assert_int_equal(seen.firsts, 1);
	assert_int_equal(seen.lasts, 1);
	assert_why(&b, "window", ND_SINGLE_SNAPSHOT, "one moment");
	assert_number(&b.w, ND_HOST, "", "span", ND_BARE, 1000.5);
	bench_close(&b);
}

static void stop_ends_with_one_last_moment(void **state)
{
	struct bench b;
	double start = now();

	(void)state;
	bench_open(&b);
	seen.stop_at = 2;
	run_live(&b, 5);
	assert_int_equal(seen.live, 3);
	assert_int_equal(seen.lasts, 1);
	assert_int_equal(seen.ended, 1);
	assert_true(now() - start < 1.5); /* the second moment is due after a second */
	bench_close(&b);
	/* stopped before it began */
	bench_open(&b);
	seen.stop = 1;
	run_live(&b, 5);
	assert_int_equal(seen.live, 1);
	assert_int_equal(seen.firsts, 1);
	assert_int_equal(seen.lasts, 1);
	bench_close(&b);
}

static void calls_between_moments(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b);
	seen.again_ns = 10 * 1000000;
	tree_file(&b.t, "proc/fake", "7\n");
	run_live(&b, 0.5);
	assert_int_equal(seen.live, 6);
	assert_int_equal(seen.parsed, 6); /* files are not read in between */
	assert_in_range(seen.between, 10, 50);
	bench_close(&b);
}

static void live_reasons(void **state)
{
	static const struct {
		const char *file; /* content of /proc/fake, or NULL */
		int rc; /* of live */
		enum nd_missing why;
		const char *detail;
		bool read; /* the kind */
	} rows[] = {
		{"7\n", 0, ND_SILENT, "fake said nothing about it", true},
		{NULL, 0, ND_SILENT, "fake said nothing about it", true},
		{"x\n", 0, ND_PARSE_ERROR, "/proc/fake:1: expected a number, found 'x'", true},
		{NULL, -EPERM, ND_NO_PERMISSION, "refused by a test", false},
		{NULL, -ENOENT, ND_NOT_ON_THIS_KERNEL, "refused by a test", false},
		{NULL, -ETIMEDOUT, ND_TIMED_OUT, "refused by a test", false},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct bench b;

		bench_open(&b);
		seen.rc = rows[i].rc;
		if (rows[i].file)
			tree_file(&b.t, "proc/fake", rows[i].file);
		run_live(&b, 0);
		assert_why(&b, "fake.never", rows[i].why, rows[i].detail);
		assert_kind(&b, ND_NEIGH, rows[i].read ? ND_PRESENT : rows[i].why,
			    rows[i].read ? "" : rows[i].detail);
		assert_int_equal(nd_collect_status(1)->bad > 0, rows[i].why != ND_SILENT);
		assert_why(&b, "runq_wait", ND_NOT_SAMPLED, "needs the runqlat probe");
		bench_close(&b);
	}
}

static void live_without_the_file(void **state)
{
	static const struct nd_collector files = {.name = "files",
						  .reads = fake_reads,
						  .facts = fake_facts,
						  .entities = {ND_NEIGH, ND_NO_KIND},
						  .parse = parse};
	static const struct nd_collector *const only[] = {&files, &tool, NULL};
	struct nd_collect opt = {.window = 0};
	struct bench b;

	(void)state;
	bench_open(&b);
	b.s = nd_source_live(b.t.root, b.t.root);
	assert_int_equal(nd_collect_list(only, 2, b.s, b.w.facts, &opt, &b.w.err), 0);
	assert_why(&b, "fake.never", ND_NOT_ON_THIS_KERNEL, "no /proc/fake or /proc/fake_once");
	assert_kind(&b, ND_NEIGH, ND_NOT_ON_THIS_KERNEL, "no /proc/fake");
	bench_close(&b);
}

static void folder_moments(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b);
	tree_file(&b.t, "fake@10", "7\n");
	tree_file(&b.t, "fake@14", "19\n");
	run_folder(&b);
	assert_int_equal(seen.live, 0);
	assert_int_equal(seen.finished, 1);
	assert_number(&b.w, ND_HOST, "", "fake.count", ND_RATE, 3);
	assert_number(&b.w, ND_HOST, "", "span", ND_BARE, 4);
	assert_float_equal(value(&b.w, ND_HOST, "", "window", ND_BARE).num,
			   value(&b.w, ND_HOST, "", "span", ND_BARE).num, 1e-9);
	assert_kind(&b, ND_NEIGH, ND_PRESENT, "");
	assert_int_equal(b.rc, 2);
	bench_close(&b);
}

static void folder_reasons(void **state)
{
	static const struct {
		const char *name, *text;
		enum nd_missing why;
		const char *detail;
	} rows[] = {
		{"other", "7\n", ND_TOOL_OUTPUT_ABSENT,
		 "no /proc/fake, /proc/fake_once or faketool -x in the input"},
		{"fake", "7\n", ND_TOOL_OUTPUT_ABSENT, "not in what fake found in the input"},
		{"fake", "x\n", ND_PARSE_ERROR, "fake:1: expected a number, found 'x'"},
		{"othertool", "x\n", ND_PARSE_ERROR,
		 "othertool:1: expected a number"}, /* of two, the one that failed */
		{"faketool-x.txt", "y\n", ND_PARSE_ERROR, "faketool-x.txt:1: expected a number"},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct bench b;

		bench_open(&b);
		tree_file(&b.t, rows[i].name, rows[i].text);
		run_folder(&b);
		assert_why(&b, "fake.never", rows[i].why, rows[i].detail);
		assert_why(&b, "span", ND_TOOL_OUTPUT_ABSENT, "no uptime");
		assert_why(&b, "uptime", ND_TOOL_OUTPUT_ABSENT, "no /proc/uptime");
		bench_close(&b);
	}
}

/* A value that one collector put is not lost to another's reason. */
static void values_stay(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b);
	tree_file(&b.t, "fake", "7\n");
	tree_file(&b.t, "othertool", "x\n");
	run_folder(&b);
	assert_number(&b.w, ND_HOST, "", "fake.count", ND_TOTAL, 7);
	assert_int_equal(nd_collect_status(1)->inputs, 1);
	assert_int_equal(nd_collect_status(2)->bad, 1);
	assert_string_equal(nd_collect_status(1)->why, "");
	bench_close(&b);
}

static void parse_fail_quotes(void **state)
{
	struct nd_input in = {.path = "P"};
	struct nd_stream *s = nd_stream_mem("a\nb\n", 4);
	struct nd_err e;

	(void)state;
	nd_stream_line(s);
	nd_stream_line(s);
	assert_int_equal(nd_parse_fail(&in, s, &e, "a number", "b"), -EINVAL);
	assert_string_equal(e.msg, "P:2: expected a number, found 'b'");
	nd_stream_close(s);
}

static uint32_t ticks;
static void on_progress(void *ctx, double elapsed, double window)
{
	assert_ptr_equal(ctx, &ticks);
	assert_true(elapsed >= 0 && elapsed <= window);
	ticks++;
}

static void progress_is_told(void **state)
{
	struct bench b;

	(void)state;
	ticks = 0;
	bench_open(&b);
	b.opt.progress = on_progress;
	b.opt.progress_ctx = &ticks;
	run_live(&b, 0.2);
	assert_true(ticks >= 5);
	bench_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(six_moments_in_a_short_window),
		cmocka_unit_test(a_moment_a_second_in_a_long_window),
		cmocka_unit_test(no_window_is_one_moment),
		cmocka_unit_test(stop_ends_with_one_last_moment),
		cmocka_unit_test(calls_between_moments),
		cmocka_unit_test(live_reasons),
		cmocka_unit_test(live_without_the_file),
		cmocka_unit_test(folder_moments),
		cmocka_unit_test(folder_reasons),
		cmocka_unit_test(values_stay),
		cmocka_unit_test(parse_fail_quotes),
		cmocka_unit_test(progress_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
