/* The store of facts: what a counter says after several readings, whose word stands when two sources
 * speak, and why something is missing. */
#include "tests/unit/store_fixture.h"

static void same(const char *name, const char *got, const char *want)
{
	if (strcmp(got, want) != 0)
		fail_msg("%s: %s, expected %s", name, got, want);
}

static uint32_t contradictions(const struct store *s)
{
	uint32_t n;

	nd_facts_contradictions(s->f, &n);
	return n;
}

#define SINGLE "unknown: single-snapshot"
#define RESET "unknown: counter-reset"
#define NO_TOTAL "unknown: tool-output-absent"

struct reading {
	double s;
	uint64_t count;
};

static void test_counters(void **state)
{
	static const struct {
		const char *name;
		int fact;
		struct reading r[6];
		uint32_t n;
		const char *total, *delta, *rate, *peak, *seen;
		uint32_t contradictions;
	} rows[] = {
		{"one reading is a total of the lifetime",
		 C64,
		 {{5, 70}},
		 1,
		 "70 lifetime",
		 SINGLE,
		 SINGLE,
		 SINGLE,
		 "70 lifetime",
		 0},
		{"two make a window",
		 C64,
		 {{5, 70}, {15, 100}},
		 2,
		 "100 lifetime",
		 "30 window",
		 "3 window",
		 "3 window",
		 "30 window",
		 0},
		{"peak is that of the steepest part",
		 C64,
		 {{0, 0}, {4, 4}, {5, 24}, {10, 30}},
		 4,
		 "30 lifetime",
		 "30 window",
		 "3 window",
		 "20 window",
		 "30 window",
		 0},
		{"nothing happened",
		 C64,
		 {{0, 9}, {10, 9}},
		 2,
		 "9 lifetime",
		 "0 window",
		 "0 window",
		 "0 window",
		 "0 window",
		 0},
		{"64 bits do not wrap",
		 C64,
		 {{0, UINT64_MAX - 5}, {10, 4}},
		 2,
		 "4 lifetime",
		 RESET,
		 RESET,
		 RESET,
		 RESET,
		 0},
		{"a decrease spoils the whole window",
		 C64,
		 {{0, 9}, {5, 8}, {10, 90}},
		 3,
		 "90 lifetime",
		 RESET,
		 RESET,
		 RESET,
		 RESET,
		 0},
		{"32 bits wrap",
		 C32,
		 {{0, 0xfffffff0}, {10, 4}},
		 2,
		 "4 lifetime",
		 "20 window",
		 "2 window",
		 "2 window",
		 "20 window",
		 0},
		{"and wrap again",
		 C32,
		 {{0, 0xfffffff0}, {1, 0x70000000}, {2, 0xe0000000}, {4, 0}},
		 4,
		 "0 lifetime",
		 "4294967312 window",
		 "1073741828 window",
		 "1879048208 window",
		 "4294967312 window",
		 0},
		{"half the range is no wrap",
		 C32,
		 {{0, 0x80000000}, {10, 0}},
		 2,
		 "0 lifetime",
		 RESET,
		 RESET,
		 RESET,
		 RESET,
		 0},
		{"just under half is",
		 C32,
		 {{0, 0x80000001}, {1, 0}},
		 2,
		 "0 lifetime",
		 "2147483647 window",
		 "2147483647 window",
		 "2147483647 window",
		 "2147483647 window",
		 0},
		{"a small step back is a reset",
		 C32,
		 {{0, 100}, {10, 99}},
		 2,
		 "99 lifetime",
		 RESET,
		 RESET,
		 RESET,
		 RESET,
		 0},
		{"the same moment again: the first stays",
		 C64,
		 {{5, 70}, {5, 71}},
		 2,
		 "70 lifetime",
		 SINGLE,
		 SINGLE,
		 SINGLE,
		 "70 lifetime",
		 0},
		{"and a gross difference is told",
		 C64,
		 {{5, 70}, {5, 170}},
		 2,
		 "70 lifetime",
		 SINGLE,
		 SINGLE,
		 SINGLE,
		 "70 lifetime",
		 1},
		{"an earlier moment that comes late, too",
		 C64,
		 {{5, 70}, {15, 100}, {10, 90}},
		 3,
		 "100 lifetime",
		 "30 window",
		 "3 window",
		 "3 window",
		 "30 window",
		 0},
		{"the kernel's unit",
		 USEC,
		 {{0, 1000000}, {10, 6000000}},
		 2,
		 "6 lifetime",
		 "5 window",
		 "0.5 window",
		 "0.5 window",
		 "5 window",
		 0},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct store s = open_store();

		for (uint32_t k = 0; k < rows[i].n; k++) {
			struct nd_input in = at(rows[i].r[k].s, "/proc/x");

			nd_put_reading(s.f, s.cpu, &defs[rows[i].fact], rows[i].r[k].count, &in);
		}
		same(rows[i].name, show(&s, s.cpu, rows[i].fact, ND_TOTAL), rows[i].total);
		same(rows[i].name, show(&s, s.cpu, rows[i].fact, ND_DELTA), rows[i].delta);
		same(rows[i].name, show(&s, s.cpu, rows[i].fact, ND_RATE), rows[i].rate);
		same(rows[i].name, show(&s, s.cpu, rows[i].fact, ND_PEAK), rows[i].peak);
		same(rows[i].name, show(&s, s.cpu, rows[i].fact, ND_SEEN), rows[i].seen);
		assert_int_equal(contradictions(&s), rows[i].contradictions);
		close_store(&s);
	}
}

/* A tool's own difference: no total, no rate, but something was seen. */
static void test_interval(void **state)
{
	struct store s = open_store();
	struct nd_input in = at(3, "nstat.txt");

	(void)state;
	in.interval = true;
	nd_put_reading(s.f, s.cpu, &defs[USEC], 2500000, &in);
	assert_string_equal(show(&s, s.cpu, USEC, ND_SEEN), "2.5 interval");
	assert_string_equal(show(&s, s.cpu, USEC, ND_TOTAL), NO_TOTAL);
	assert_string_equal(show(&s, s.cpu, USEC, ND_DELTA), SINGLE);
	assert_string_equal(show(&s, s.cpu, USEC, ND_RATE), SINGLE);
	assert_string_equal(show(&s, s.cpu, USEC, ND_PEAK), SINGLE);
	in = at(4, "/proc/net/netstat"); /* the total is no second reading of the difference */
	nd_facts_speaker(s.f, 1);
	nd_put_reading(s.f, s.cpu, &defs[USEC], 900000000, &in);
	assert_string_equal(show(&s, s.cpu, USEC, ND_SEEN), "2.5 interval");
	assert_int_equal(contradictions(&s), 0);
	close_store(&s);
}

static void test_whole_counters(void **state)
{
	static const struct {
		double total, delta, rate, peak;
		const char *want[5]; /* total, delta, rate, peak, seen */
	} rows[] = {
		{7, NAN, NAN, NAN, {"7 lifetime", SINGLE, SINGLE, SINGLE, "7 lifetime"}},
		{NAN,
		 20,
		 2,
		 NAN,
		 {"unknown: not-sampled", "20 window", "2 window", "unknown: not-sampled",
		  "20 window"}},
		{7, 20, 2, 5, {"7 lifetime", "20 window", "2 window", "5 window", "20 window"}},
		{NAN,
		 NAN,
		 NAN,
		 NAN,
		 {"unknown: not-sampled", "unknown: not-sampled", "unknown: not-sampled",
		  "unknown: not-sampled", "unknown: not-sampled"}},
	};
	static const enum nd_accessor by[] = {ND_TOTAL, ND_DELTA, ND_RATE, ND_PEAK, ND_SEEN};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct store s = open_store();
		struct nd_input in = at(0, "test");

		nd_put_counter(s.f, s.cpu, USEC, rows[i].total, rows[i].delta, rows[i].rate,
			       rows[i].peak, &in);
		for (size_t k = 0; k < ND_ARRAY_LEN(by); k++)
			assert_string_equal(show(&s, s.cpu, USEC, by[k]), rows[i].want[k]);
		close_store(&s);
	}
}

static void test_gauges(void **state)
{
	static const struct {
		double v[4];
		uint32_t n;
		const char *want[7]; /* bare, first, change, min, mean, max, samples */
	} rows[] = {
		{{3},
		 1,
		 {"3 state", "3 state", SINGLE, "3 state", "3 state", "3 state", "1 state"}},
		{{3, 1, 5, 2},
		 4,
		 {"2 state", "3 state", "-1 state", "1 state", "2.75 state", "5 state", "4 state"}},
		{{0, 0},
		 2,
		 {"0 state", "0 state", "0 state", "0 state", "0 state", "0 state", "2 state"}},
	};
	static const enum nd_accessor by[] = {ND_BARE, ND_FIRST, ND_CHANGE, ND_MIN,
					      ND_MEAN, ND_MAX,	 ND_SAMPLES};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct store s = open_store();

		for (uint32_t k = 0; k < rows[i].n; k++) {
			struct nd_input in = at(k, "/proc/x");

			nd_put_num(s.f, s.cpu, &defs[SAMPLED], rows[i].v[k], &in);
		}
		for (size_t k = 0; k < ND_ARRAY_LEN(by); k++)
			assert_string_equal(show(&s, s.cpu, SAMPLED, by[k]), rows[i].want[k]);
		close_store(&s);
	}
}

static void test_other_types(void **state)
{
	struct nd_bucket b[] = {{0, 1, 4}, {1, 2, 8}};
	struct nd_hist h = {b, 2};
	struct store s = open_store();
	struct nd_input in = at(0, "x");

	(void)state;
	nd_put_text(s.f, s.cpu, &defs[TEXT], "up", &in);
	nd_put_text(s.f, s.cpu, &defs[TEXT], "down", &in);
	nd_put_bool(s.f, s.cpu, &defs[YES], true, &in);
	nd_put_bool(s.f, s.cpu, &defs[YES], false, &in);
	nd_put_hist(s.f, s.cpu, &defs[HIST], &h, &in);
	b[0].count = 100; /* the store has a copy */
	assert_string_equal(show(&s, s.cpu, TEXT, ND_FIRST), "up");
	assert_string_equal(show(&s, s.cpu, TEXT, ND_BARE), "down");
	assert_string_equal(show(&s, s.cpu, YES, ND_FIRST), "yes");
	assert_string_equal(show(&s, s.cpu, YES, ND_BARE), "no");
	assert_string_equal(show(&s, s.cpu, HIST, ND_BARE), "12 samples");
	close_store(&s);
}

/* ---- two sources ---- */

static void test_two_sources(void **state)
{
	static const struct {
		int fact;
		double first, second;
		uint32_t contradictions;
	} rows[] = {
		{GAUGE, 10, 10, 0}, {GAUGE, 10, 20, 0}, {GAUGE, 10, 20.5, 1}, {GAUGE, 10, 4.9, 1},
		{GAUGE, 0, 1, 1},   {GAUGE, 5, 0, 1},	{GAUGE, 0, 0, 0},     {C64, 10, 19, 0},
		{C64, 10, 21, 1},   {C64, 0, 3, 1},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct store s = open_store();
		double v[] = {rows[i].first, rows[i].second};
		char want[32];

		for (uint32_t k = 0; k < 2; k++) {
			struct nd_input in = at(k, k ? "second" : "first");

			nd_facts_speaker(s.f, k);
			if (rows[i].fact == GAUGE)
				nd_put_num(s.f, s.cpu, &defs[GAUGE], v[k], &in);
			else
				nd_put_reading(s.f, s.cpu, &defs[C64], (uint64_t)v[k], &in);
		}
		snprintf(want, sizeof(want), "%g %s", v[0],
			 rows[i].fact == GAUGE ? "state" : "lifetime");
		assert_string_equal(
			show(&s, s.cpu, rows[i].fact, rows[i].fact == GAUGE ? ND_BARE : ND_TOTAL),
			want);
		assert_string_equal(nd_get_source(s.f, s.cpu, rows[i].fact), "first");
		assert_int_equal(contradictions(&s), rows[i].contradictions);
		close_store(&s);
	}
}

static void test_contradiction_text(void **state)
{
	struct store s = open_store();
	struct nd_input a = at(0, "/proc/a"), b = at(1, "b.txt");
	uint32_t n;
	const char *const *said;

	(void)state;
	nd_put_num(s.f, s.cpu, &defs[GAUGE], 3, &a);
	nd_facts_speaker(s.f, 1);
	nd_put_num(s.f, s.cpu, &defs[GAUGE], 30, &b);
	nd_put_num(s.f, s.cpu, &defs[GAUGE], 30, &b); /* once is enough */
	said = nd_facts_contradictions(s.f, &n);
	assert_int_equal(n, 1);
	assert_string_equal(said[0], "cpu:0.gauge is 3 in /proc/a and 30 in b.txt");
	close_store(&s);
}

/* What the first source does not know, the second may say; and a value is never taken back. */
static void test_who_stays(void **state)
{
	struct store s = open_store();
	struct nd_input in = at(0, "x");

	(void)state;
	nd_put_missing(s.f, s.cpu, &defs[GAUGE], ND_NO_PERMISSION, "closed");
	assert_string_equal(show(&s, s.cpu, GAUGE, ND_BARE), "unknown: no-permission");
	nd_put_absent(s.f, s.cpu, &defs[GAUGE], &in);
	assert_string_equal(show(&s, s.cpu, GAUGE, ND_BARE), "absent");
	nd_put_missing(s.f, s.cpu, &defs[GAUGE], ND_NO_PERMISSION, "closed");
	assert_string_equal(show(&s, s.cpu, GAUGE, ND_BARE), "absent");
	nd_facts_speaker(s.f, 1);
	nd_put_num(s.f, s.cpu, &defs[GAUGE], 4, &in);
	assert_string_equal(show(&s, s.cpu, GAUGE, ND_BARE), "4 state");
	nd_put_absent(s.f, s.cpu, &defs[GAUGE], &in);
	nd_put_missing(s.f, s.cpu, &defs[GAUGE], ND_TRUNCATED, "cut");
	assert_string_equal(show(&s, s.cpu, GAUGE, ND_BARE), "4 state");
	nd_forget(s.f, s.cpu, GAUGE);
	assert_string_equal(show(&s, s.cpu, GAUGE, ND_BARE), "unknown: not-sampled");
	nd_put_num(s.f, s.cpu, &defs[GAUGE], 6, &in);
	assert_string_equal(show(&s, s.cpu, GAUGE, ND_FIRST), "6 state");
	assert_int_equal(contradictions(&s), 0);
	close_store(&s);
}

static void test_impossible(void **state)
{
	static const struct {
		int fact;
		double v;
		bool good;
	} rows[] = {
		{GAUGE, -1, false},    {GAUGE, NAN, false},    {GAUGE, INFINITY, false},
		{GAUGE, 1e300, true},  {PERCENT, 1, true},     {PERCENT, 1.005, true},
		{PERCENT, 1.2, false}, {PERCENT, -0.1, false}, {GAUGE, 0, true},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct store s = open_store();
		struct nd_input in = at(0, "x");
		struct nd_value v;

		nd_put_num(s.f, s.cpu, &defs[rows[i].fact], rows[i].v, &in);
		v = nd_get(s.f, s.cpu, rows[i].fact, ND_BARE);
		assert_int_equal(v.type, rows[i].good ? ND_V_NUMBER : ND_V_MISSING);
		assert_int_equal(contradictions(&s), !rows[i].good);
		if (!rows[i].good)
			assert_int_equal(v.why, ND_PARSE_ERROR);
		nd_put_num(s.f, s.cpu, &defs[rows[i].fact], 0.5, &in); /* the next one is fine */
		assert_string_equal(show(&s, s.cpu, rows[i].fact, ND_BARE), "0.5 state");
		close_store(&s);
	}
}

/* ---- why something is missing ---- */

static void test_reasons(void **state)
{
	static const struct {
		enum nd_missing say[3];
		uint32_t n;
		const char *want;
	} rows[] = {
		{{0}, 0, "unknown: not-sampled"},
		{{ND_SILENT}, 1, "unknown: silent"},
		{{ND_TOOL_OUTPUT_ABSENT, ND_SILENT}, 2, "unknown: tool-output-absent"},
		{{ND_SILENT, ND_NO_PERMISSION}, 2, "unknown: no-permission"},
		{{ND_TOOL_OUTPUT_ABSENT, ND_NOT_BUILT}, 2, "unknown: not-built"},
		{{ND_NO_PERMISSION, ND_TOOL_OUTPUT_ABSENT}, 2, "unknown: no-permission"},
		{{ND_NO_PERMISSION, ND_PARSE_ERROR}, 2, "unknown: no-permission"},
		{{ND_SILENT, ND_TIMED_OUT, ND_NO_PERMISSION}, 3, "unknown: timed-out"},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct store s = open_store();
		nd_id other = nd_entity_num(s.f, ND_CPU, 1);

		for (uint32_t k = 0; k < rows[i].n; k++)
			nd_fact_missing(s.f, &defs[GAUGE], rows[i].say[k], "detail %u", k);
		assert_string_equal(show(&s, s.cpu, GAUGE, ND_BARE), rows[i].want);
		nd_put_missing(s.f, other, &defs[GAUGE], ND_TRUNCATED, "own");
		assert_string_equal(show(&s, other, GAUGE, ND_BARE), "unknown: truncated");
		assert_string_equal(nd_get(s.f, other, GAUGE, ND_BARE).detail, "own");
		assert_string_equal(show(&s, s.cpu, TEXT, ND_BARE), "unknown: not-sampled");
		close_store(&s);
	}
}

static void test_default_reason(void **state)
{
	struct store s = open_store();

	(void)state;
	nd_facts_default_reason(s.f, ND_TOOL_OUTPUT_ABSENT);
	assert_string_equal(show(&s, s.cpu, C64, ND_SEEN), "unknown: tool-output-absent");
	assert_int_equal(nd_related(s.f, s.cpu, ND_IRQ_CPUS, true).why, ND_TOOL_OUTPUT_ABSENT);
	close_store(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counters),	   cmocka_unit_test(test_interval),
		cmocka_unit_test(test_whole_counters),	   cmocka_unit_test(test_gauges),
		cmocka_unit_test(test_other_types),	   cmocka_unit_test(test_two_sources),
		cmocka_unit_test(test_contradiction_text), cmocka_unit_test(test_who_stays),
		cmocka_unit_test(test_impossible),	   cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_default_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
