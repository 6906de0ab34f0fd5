/* Sentences without what is not known. ? stands for the mark of an unknown value. */
#include "engine/judge/walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void test_tidy(void **state)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{"", ""},
		{"All is known.", "All is known."},
		{"No stop at its end", "No stop at its end"},
		{"One; two. Three", "One; two. Three"},
		{"?unknown of ?unknown entries are used.", "unknown of unknown entries are used."},
		{"?unknown here; ?unknown there.", "unknown here; unknown there."},
		{"129 waited; it refused ?unknown.", "129 waited."},
		{"It refused ?unknown; 129 waited.", "129 waited."},
		{"It refused ?unknown; so they wait; or go.", "So they wait; or go."},
		{"129 waited; it refused ?unknown; clients try again.",
		 "129 waited. Clients try again."},
		{"129 waited; it refused ?unknown. Clients try again.",
		 "129 waited. Clients try again."},
		{"A. B is ?unknown. C; d.", "A. C; d."},
		{"3,220 overflows (of ?unknown connections).", "3,220 overflows."},
		{"3,220 overflows (of ?unknown (or more) connections) since boot.",
		 "3,220 overflows since boot."},
		{"A (known) and (?unknown) and (b (c) d).", "A (known) and and (b (c) d)."},
		{"An open ( with ?unknown; and more.", "An open ( with unknown; and more."},
		{"At 3.14 s; ?unknown s. At 99.8 %.", "At 3.14 s. At 99.8 %."},
		{"In eth0.100: 7. In ?unknown: 8.", "In eth0.100: 7."},
		{"; ?unknown;; x", ". X"},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct nd_buf out = {0};
		char text[200];

		snprintf(text, sizeof(text), "%s", rows[i].text);
		for (char *c = text; *c; c++)
			*c = *c == '?' ? ND_UNKNOWN_MARK : *c;
		nd_tidy(text, &out);
		assert_string_equal(nd_buf_str(&out), rows[i].want);
		nd_buf_free(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_tidy)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
