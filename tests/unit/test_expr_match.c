/* Patterns: answers, groups, errors with their place, and limits instead of endless matches. */
#include "engine/rule/expr_match.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define BYTES(s) s, sizeof(s) - 1

static void test_match(void **state)
{
	static const struct {
		const char *pattern, *subject;
		size_t len;
		int want;
	} rows[] = {
		{"b+", BYTES("abbc"), 1},
		{"^b", BYTES("abbc"), 0},
		{"", BYTES(""), 1},
		{"x", BYTES(""), 0},
		{"(?i)LINK is down", BYTES("eth0: Link is Down"), 1},
		{"^.$", BYTES("\xc3\xa4"), 1},
		{"a", BYTES("\xff\xfe a \xc3"), 1},
		{"^a.b",
		 BYTES("a\xff"
		       "b"),
		 0},
		{"a.*b", BYTES("a\0b"), 1},
		{"\\xff", BYTES("\xff"), 0},
		{"^\\w+$", BYTES("abc\n"), 1},
		{"b$", BYTES("ab\xe2\x82"), 0},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		char err[128] = "";
		size_t at = 0;
		struct nd_pattern *p = nd_pattern_new(rows[i].pattern, err, sizeof(err), &at);

		assert_string_equal(err, "");
		assert_non_null(p);
		if (nd_pattern_match(p, rows[i].subject, rows[i].len) != rows[i].want)
			fail_msg("row %zu: %s", i, rows[i].pattern);
		nd_pattern_free(p);
	}
	nd_pattern_free(NULL);
}

static void test_bad_patterns(void **state)
{
	static const struct {
		const char *pattern;
		size_t at;
		const char *want;
	} rows[] = {
		{"a(b", 3, "missing closing parenthesis"},
		{"a)b", 1, "unmatched closing parenthesis"},
		{"ab[", 3, "missing terminating ] for character class"},
		{"x\\C", 3, "using \\C is disabled by the application"},
		{"a\xff", 1, "UTF-8 error: illegal byte (0xfe or 0xff)"},
	};
	char err[128], small[8];
	char *large = nd_alloc(4098);
	struct nd_pattern *p;
	size_t at = 0;

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		assert_null(nd_pattern_new(rows[i].pattern, err, sizeof(err), &at));
		assert_string_equal(err, rows[i].want);
		assert_int_equal(at, rows[i].at);
	}
	assert_null(nd_pattern_new("a(b", small, sizeof(small), &at));
	assert_string_equal(small, "missing");
	memset(large, 'a', 4096);
	p = nd_pattern_new(large, err, sizeof(err), &at);
	assert_non_null(p);
	nd_pattern_free(p);
	large[4096] = 'a';
	assert_null(nd_pattern_new(large, err, sizeof(err), &at));
	assert_string_equal(err, "longer than 4096 bytes");
	free(large);
}

static void expect_group(const struct nd_pattern *p, uint32_t i, const char *name, const char *want)
{
	const char *start = "";
	size_t len = 0;

	assert_string_equal(nd_pattern_group_name(p, i), name);
	assert_int_equal(nd_pattern_group(p, i, &start, &len), want != NULL);
	if (want) {
		assert_int_equal(len, strlen(want));
		assert_memory_equal(start, want, len);
	}
}

static void test_groups(void **state)
{
	char err[128];
	size_t at = 0, len = 0;
	const char *start = NULL;
	struct nd_pattern *p = nd_pattern_new(
		"(?<iface>[\\w.@-]+):? (x)?(?:NIC )?Link is (?<down>Down)?(?<up>Up)?", err,
		sizeof(err), &at);

	(void)state;
	assert_non_null(p);
	assert_int_equal(nd_pattern_groups(p), 3);
	assert_false(nd_pattern_group(p, 0, &start, &len)); /* no match yet */
	assert_int_equal(nd_pattern_match(p, BYTES("mlx5 eth0.7@if3: NIC Link is Down")), 1);
	expect_group(p, 0, "down", "Down");
	expect_group(p, 1, "iface", "eth0.7@if3");
	expect_group(p, 2, "up", NULL);
	assert_null(nd_pattern_group_name(p, 3));
	assert_false(nd_pattern_group(p, 3, &start, &len));
	assert_int_equal(nd_pattern_match(p, BYTES("eth0 Link is Up")), 1);
	expect_group(p, 0, "down", NULL);
	expect_group(p, 1, "iface", "eth0");
	assert_int_equal(nd_pattern_match(p, BYTES("nothing")), 0);
	expect_group(p, 1, "iface", NULL);
	nd_pattern_free(p);

	p = nd_pattern_new("(?J)a(?<k>\\d)|b(?<k>\\w)|c", err, sizeof(err), &at);
	assert_non_null(p);
	assert_int_equal(nd_pattern_groups(p), 1);
	assert_int_equal(nd_pattern_match(p, BYTES("bz")), 1);
	expect_group(p, 0, "k", "z");
	assert_int_equal(nd_pattern_match(p, BYTES("a7")), 1);
	expect_group(p, 0, "k", "7");
	assert_int_equal(nd_pattern_match(p, BYTES("c")), 1);
	expect_group(p, 0, "k", NULL);
	nd_pattern_free(p);

	p = nd_pattern_new("(plain)", err, sizeof(err), &at);
	assert_non_null(p);
	assert_int_equal(nd_pattern_groups(p), 0);
	nd_pattern_free(p);
}

static void test_limits(void **state)
{
	static const char *const patterns[] = {
		"^(a+)+$", /* steps */
		"^(?:a|b)*(?!a)c", /* depth */
		"^(?:(a)|b)*$", /* depth, with a group to restore */
		"(*LIMIT_MATCH=900000000)^(a+)+$", /* a pattern cannot lift the limit */
		"^(a(?1)?)*$",
	};
	enum { SUBJECT = 60000 };
	char *subject = nd_alloc(SUBJECT + 1);

	(void)state;
	memset(subject, 'a', SUBJECT);
	subject[SUBJECT - 1] = '!';
	for (size_t i = 0; i < ND_ARRAY_LEN(patterns); i++) {
		char err[128];
		size_t at = 0, len = 0;
		const char *start = NULL;
		struct nd_pattern *p = nd_pattern_new(patterns[i], err, sizeof(err), &at);

		assert_non_null(p);
		if (nd_pattern_match(p, subject, SUBJECT) != -1)
			fail_msg("%s ended", patterns[i]);
		assert_false(nd_pattern_group(p, 0, &start, &len));
		nd_pattern_free(p);
	}
	free(subject);
}

/* Any bytes are a safe subject: the answer is one of three. */
static void test_any_bytes(void **state)
{
	char err[128];
	size_t at = 0;
	struct nd_pattern *p =
		nd_pattern_new("(?<w>\\w+)[^a]*?(?<rest>\\x{e4}|z)\\b", err, sizeof(err), &at);
	uint64_t seed = 3;
	uint32_t hits = 0;

	(void)state;
	assert_non_null(p);
	for (int round = 0; round < 5000; round++) {
		char subject[48];

		for (size_t i = 0; i < sizeof(subject); i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			subject[i] = "abz \xc3\xa4\xff\xe2\x82\xf0\x9f\0-"[(seed >> 33) % 13];
		}
		if (nd_pattern_match(p, subject, sizeof(subject)) == 1) {
			const char *start = NULL;
			size_t len = 0;

			assert_true(nd_pattern_group(p, 1, &start, &len));
			assert_true(start >= subject && len > 0 &&
				    start + len <= subject + sizeof(subject));
			hits++;
		}
	}
	assert_true(hits > 100);
	nd_pattern_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_match),	  cmocka_unit_test(test_bad_patterns),
		cmocka_unit_test(test_groups),	  cmocka_unit_test(test_limits),
		cmocka_unit_test(test_any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
