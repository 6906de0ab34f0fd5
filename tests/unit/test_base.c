/* Errors, allocation, the arena. */
#include "engine/core/base.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <unistd.h>

static void test_fail(void **state)
{
	struct nd_err e;

	(void)state;
	assert_int_equal(nd_fail(&e, -EINVAL, "line %d: %s", 7, "no"), -EINVAL);
	assert_string_equal(e.msg, "line 7: no");
	assert_int_equal(nd_fail(NULL, -EIO, "%s", "unheard"), -EIO);
}

static void test_wrap(void **state)
{
	struct nd_err e;
	char longest[2000];

	(void)state;
	nd_fail(&e, -1, "expected a number");
	assert_int_equal(nd_wrap(&e, -ENOENT, "%s:%d", "a.yaml", 3), -ENOENT);
	assert_string_equal(e.msg, "a.yaml:3: expected a number");
	assert_int_equal(nd_wrap(NULL, -EIO, "x"), -EIO);
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	nd_fail(&e, -1, "%s", longest);
	assert_int_equal(strlen(e.msg), sizeof(e.msg) - 1);
	nd_wrap(&e, -1, "front");
	assert_int_equal(strlen(e.msg), sizeof(e.msg) - 1);
	assert_memory_equal(e.msg, "front: xxx", 10);
}

/* What log calls leave in a file that stands in for stderr. */
static void logged(enum nd_log_level level, char *out, size_t size)
{
	FILE *f = tmpfile();
	int old = dup(STDERR_FILENO);
	size_t n;

	assert_non_null(f);
	fflush(stderr);
	dup2(fileno(f), STDERR_FILENO);
	nd_log_level = level;
	nd_warn("w%d", 1);
	nd_info("i%d", 2);
	fflush(stderr);
	dup2(old, STDERR_FILENO);
	close(old);
	nd_log_level = ND_LOG_WARN;
	rewind(f);
	n = fread(out, 1, size - 1, f);
	out[n] = '\0';
	fclose(f);
}

static void test_log_levels(void **state)
{
	static const struct {
		enum nd_log_level level;
		const char *text;
	} rows[] = {
		{ND_LOG_QUIET, ""},
		{ND_LOG_WARN, "netdoctor: warning: w1\n"},
		{ND_LOG_INFO, "netdoctor: warning: w1\nnetdoctor: i2\n"},
	};
	char text[200];

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		logged(rows[i].level, text, sizeof(text));
		assert_string_equal(text, rows[i].text);
	}
}

static void test_alloc(void **state)
{
	unsigned char *p = nd_alloc(100);
	char *s;

	(void)state;
	for (int i = 0; i < 100; i++)
		assert_int_equal(p[i], 0);
	p[99] = 7;
	p = nd_realloc(p, 100000);
	assert_int_equal(p[99], 7);
	free(p);
	free(nd_alloc(0));
	s = nd_strdup("abc");
	assert_string_equal(s, "abc");
	free(s);
}

static void test_grow(void **state)
{
	int *list = NULL;
	uint32_t n = 0, cap = 0;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		ND_GROW(list, n, cap);
		list[n++] = i;
	}
	assert_true(cap >= n);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(list[i], i);
	free(list);
}

static void test_arena_keeps_everything(void **state)
{
	struct nd_arena a = {0};
	unsigned char *p[2000];

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(p); i++) {
		size_t size = i % 97 == 0 ? 5000 : i % 40; /* some larger than a block */

		p[i] = nd_arena_alloc(&a, size);
		assert_int_equal((uintptr_t)p[i] % _Alignof(max_align_t), 0);
		for (size_t j = 0; j < size; j++)
			assert_int_equal(p[i][j], 0);
		memset(p[i], (int)(i % 251), size);
	}
	for (size_t i = 0; i < ND_ARRAY_LEN(p); i++)
		for (size_t j = 0; j < (i % 97 == 0 ? 5000 : i % 40); j++)
			assert_int_equal(p[i][j], i % 251);
	nd_arena_free(&a);
	assert_null(a.blocks);
	nd_arena_free(&a);
}

static void test_arena_strings(void **state)
{
	struct nd_arena a = {0};
	char *big;

	(void)state;
	assert_string_equal(nd_arena_strdup(&a, "abc"), "abc");
	assert_string_equal(nd_arena_strndup(&a, "abcdef", 3), "abc");
	assert_string_equal(nd_arena_strndup(&a, "ab", 300), "ab");
	assert_string_equal(nd_arena_printf(&a, "%s=%d", "x", 5), "x=5");
	big = nd_arena_printf(&a, "%300000d", 1);
	assert_int_equal(strlen(big), 300000);
	assert_string_equal(nd_arena_strdup(&a, "after"), "after");
	nd_arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fail),	      cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_log_levels),    cmocka_unit_test(test_alloc),
		cmocka_unit_test(test_grow),	      cmocka_unit_test(test_arena_keeps_everything),
		cmocka_unit_test(test_arena_strings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
