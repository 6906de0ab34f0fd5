/* The record of what sockets had counted: gains modulo 2^32, order of dumps, and forgetting. */
#include "collectors/sock_impl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void test_gains(void **state)
{
	static const struct {
		double before, now, gain;
	} rows[] = {
		{0, 0, 0},
		{0, 7, 7},
		{7, 7, 0},
		{4294967295.0, 4294967296.0, 1}, /* past 2^32 */
		{4294967000.0, 4294968000.0, 1000},
		{1e13, 1e13 + 5, 5}, /* bytes of a long connection */
		{1e13, 1e13 + 2e9, 2e9},
		{9, 8, 0}, /* a count that went back */
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct nd_sock_seen e = {0};

		nd_sock_seen_gain(&e, ND_SS_SENT, rows[i].before);
		assert_true(nd_sock_seen_gain(&e, ND_SS_SENT, rows[i].now) == rows[i].gain);
		assert_true(nd_sock_seen_gain(&e, ND_SS_SENT, rows[i].now) == 0);
	}
}

/* Many sockets, found in the order of the dump and in any other. */
static void test_find(void **state)
{
	enum { MANY = 50000 };
	struct nd_sock_seen_table t = {0};

	(void)state;
	assert_null(nd_sock_seen_find(&t, 1));
	for (uint64_t id = 1; id <= MANY; id++) {
		struct nd_sock_seen *e = nd_sock_seen_add(&t, id * 4096, 0);

		e->gen = 1;
		e->group = (uint32_t)id;
	}
	for (unsigned round = 0; round < 2; round++) {
		for (uint64_t id = 1; id <= MANY; id++)
			assert_int_equal(nd_sock_seen_find(&t, id * 4096)->group, id);
	}
	for (uint64_t id = MANY; id >= 1; id--)
		assert_int_equal(nd_sock_seen_find(&t, id * 4096)->group, id);
	assert_null(nd_sock_seen_find(&t, 5));
	nd_sock_seen_free(&t);
}

/* Connections that come and go: the table holds those that live, not all that ever were. */
static void test_forgets(void **state)
{
	enum { LIVE = 1000, DUMPS = 200 };
	struct nd_sock_seen_table t = {0};

	(void)state;
	for (uint32_t gen = 1; gen <= DUMPS; gen++) {
		for (uint64_t i = 0; i < LIVE; i++)
			nd_sock_seen_add(&t, (uint64_t)gen * LIVE + i + 1, gen - 1)->gen = gen;
	}
	for (uint64_t i = 0; i < LIVE; i++)
		assert_non_null(nd_sock_seen_find(&t, (uint64_t)DUMPS * LIVE + i + 1));
	assert_true(t.n < 10 * LIVE);
	nd_sock_seen_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gains),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_forgets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
