/* Units: factors, dimensions and kinds. */
#include "engine/core/str.h"
#include "engine/rule/expr.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void test_units(void **state)
{
	static const struct {
		const char *unit;
		double factor;
		int time, data;
		enum nd_number_kind kind;
	} rows[] = {
		{"", 1, 0, 0, ND_N_PLAIN},
		{"ns", 1e-9, 1, 0, ND_N_COUNT},
		{"us", 1e-6, 1, 0, ND_N_COUNT},
		{"ms", 1e-3, 1, 0, ND_N_COUNT},
		{"s", 1, 1, 0, ND_N_COUNT},
		{"min", 60, 1, 0, ND_N_COUNT},
		{"h", 3600, 1, 0, ND_N_COUNT},
		{"d", 86400, 1, 0, ND_N_COUNT},
		{"B", 1, 0, 1, ND_N_COUNT},
		{"KiB", 1024, 0, 1, ND_N_COUNT},
		{"MiB", 1048576, 0, 1, ND_N_COUNT},
		{"GiB", 1073741824, 0, 1, ND_N_COUNT},
		{"kB", 1e3, 0, 1, ND_N_COUNT},
		{"MB", 1e6, 0, 1, ND_N_COUNT},
		{"GB", 1e9, 0, 1, ND_N_COUNT},
		{"bit", 0.125, 0, 1, ND_N_COUNT},
		{"kbit", 125, 0, 1, ND_N_COUNT},
		{"Mbit", 125e3, 0, 1, ND_N_COUNT},
		{"Gbit", 125e6, 0, 1, ND_N_COUNT},
		{"%", 0.01, 0, 0, ND_N_PERCENT},
		{"1", 1, 0, 0, ND_N_COUNT},
		{"ratio", 1, 0, 0, ND_N_RATIO},
		{"/s", 1, -1, 0, ND_N_COUNT},
		{"/min", 1.0 / 60, -1, 0, ND_N_COUNT},
		{"/h", 1.0 / 3600, -1, 0, ND_N_COUNT},
		{"%/s", 0.01, -1, 0, ND_N_COUNT},
		{"ms/s", 1e-3, 0, 0, ND_N_COUNT},
		{"Mbit/s", 125e3, -1, 1, ND_N_COUNT},
		{"MiB/min", 1048576.0 / 60, -1, 1, ND_N_COUNT},
	};
	static const char *const unknown[] = {"m",     "S",  "/",  "/d",  "s/",
					      "s/s/s", "%%", " s", "kib", "pkt"};
	struct nd_dims d = {0, 0};
	enum nd_number_kind kind = ND_N_SEEN;
	double factor = 0;

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		assert_true(nd_expr_unit(rows[i].unit, &factor, &d, &kind));
		assert_true(fabs(factor - rows[i].factor) <= 1e-15 * rows[i].factor);
		assert_int_equal(d.time, rows[i].time);
		assert_int_equal(d.data, rows[i].data);
		assert_int_equal(kind, rows[i].kind);
	}
	for (size_t i = 0; i < ND_ARRAY_LEN(unknown); i++)
		assert_false(nd_expr_unit(unknown[i], &factor, &d, &kind));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_units)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
