/* Percentiles and shares, at the edges of "too few". */
#include "engine/core/hist.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Four buckets: 0..1, 1..2, 2..4, 4..infinity. */
static struct nd_hist hist_of(struct nd_bucket *b, double c0, double c1, double c2, double c3)
{
	b[0] = (struct nd_bucket){0, 1, c0};
	b[1] = (struct nd_bucket){1, 2, c1};
	b[2] = (struct nd_bucket){2, 4, c2};
	b[3] = (struct nd_bucket){4, INFINITY, c3};
	return (struct nd_hist){b, 4};
}

static bool is_near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

static void test_count_and_mean(void **state)
{
	struct nd_bucket b[4];
	struct nd_hist h = hist_of(b, 1, 2, 3, 4);
	struct nd_hist none = {NULL, 0};

	(void)state;
	assert_true(is_near(nd_hist_count(&h), 10));
	assert_true(is_near(nd_hist_mean(&h), (0.5 + 2 * 1.5 + 3 * 3 + 4 * 4) / 10));
	assert_true(is_near(nd_hist_count(&none), 0));
	assert_true(is_near(nd_hist_mean(&none), 0));
}

static void test_quantile(void **state)
{
	static const struct {
		double c[4], q;
		bool known;
		double value;
	} rows[] = {
		{{300, 0, 0, 0}, 0.99, true, 0.5}, /* 3 / 0.01 samples: just enough */
		{{299, 0, 0, 0}, 0.99, false, 0},
		{{3000, 0, 0, 0}, 0.999, true, 0.5},
		{{2999, 0, 0, 0}, 0.999, false, 0},
		{{10, 0, 0, 0}, 0.5, true, 0.5},
		{{9, 0, 0, 0}, 0.5, false, 0},
		{{9, 0, 0, 0}, 0, false, 0},
		{{500, 490, 10, 0},
		 0.99,
		 true,
		 1.5}, /* exactly at the bound: the lower bucket holds it */
		{{500, 489, 11, 0}, 0.99, true, 3},
		{{0, 0, 0, 1000}, 0.5, true, 4}, /* an open bucket: its lower bound */
		{{5, 0, 5, 0}, 1, true, 3},
		{{0, 20, 5, 0}, 0, true, 1.5},
		{{100, 0, 0, 0}, -0.1, false, 0},
		{{100, 0, 0, 0}, 1.1, false, 0},
		{{0, 0, 0, 0}, 0.5, false, 0},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct nd_bucket b[4];
		struct nd_hist h =
			hist_of(b, rows[i].c[0], rows[i].c[1], rows[i].c[2], rows[i].c[3]);
		double v = -1;

		assert_int_equal(nd_hist_quantile(&h, rows[i].q, &v), rows[i].known);
		assert_true(is_near(v, rows[i].known ? rows[i].value : -1));
	}
	{
		struct nd_bucket b[4];
		struct nd_hist h = hist_of(b, 100, 0, 0, 0);
		double v;

		assert_false(nd_hist_quantile(&h, NAN, &v));
	}
}

static void test_fraction(void **state)
{
	static const struct {
		double c[4], lo, hi;
		bool known;
		double value;
		bool cut;
	} rows[] = {
		{{5, 5, 10, 0}, 0, 1, true, 0.25, false},
		{{5, 5, 10, 0}, 0, 2, true, 0.5, false},
		{{5, 5, 10, 0}, 2, 3, true, 0.25, true},
		{{5, 5, 10, 0}, 1, 3, true, 0.5, true},
		{{5, 5, 10, 0}, 0, INFINITY, true, 1, false},
		{{5, 5, 0, 10}, 8, 16, true, 0.25, true}, /* in an open bucket: half, and said so */
		{{5, 5, 10, 0}, 100, 200, true, 0, false}, /* only an empty bucket is cut */
		{{5, 4, 0, 0}, 0, 1, false, 0, false},
		{{50, 0, 0, 0}, 2, 1, false, 0, false},
		{{50, 0, 0, 0}, 0.25, 0.75, true, 0.5, true},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct nd_bucket b[4];
		struct nd_hist h =
			hist_of(b, rows[i].c[0], rows[i].c[1], rows[i].c[2], rows[i].c[3]);
		double v = -1;
		bool cut = true;

		assert_int_equal(nd_hist_fraction(&h, rows[i].lo, rows[i].hi, &v, &cut),
				 rows[i].known);
		assert_true(is_near(v, rows[i].known ? rows[i].value : -1));
		assert_int_equal(cut, rows[i].cut);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_count_and_mean),
		cmocka_unit_test(test_quantile),
		cmocka_unit_test(test_fraction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
