/* Texts with holes: parts, formats, and each error with its place in the whole text. */
#include "engine/core/str.h"
#include "engine/rule/expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define UNITS                                                                                      \
	"units are ns us ms s min h d, B KiB MiB GiB kB MB GB, bit kbit Mbit Gbit, %, each also "  \
	"with /s /min /h"

static void dump_text(struct nd_buf *b, const struct nd_text *t, const char *text)
{
	for (uint32_t i = 0; i < t->n; i++) {
		const struct nd_text_part *p = &t->parts[i];

		if (p->literal) {
			nd_buf_printf(b, "<%u:%s>", p->pos, p->literal);
			continue;
		}
		assert_int_equal(text[p->pos], '{');
		assert_true(p->expr->pos == 0 && p->expr->end == strlen(p->source));
		nd_buf_printf(b, "[%u:%s", p->pos, p->source);
		if (p->format_unit)
			nd_buf_printf(b, "|%s", p->format_unit);
		if (p->format_digits >= 0)
			nd_buf_printf(b, "|.%d", p->format_digits);
		nd_buf_putc(b, ']');
	}
}

static void test_texts(void **state)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{"", ""},
		{"plain", "<0:plain>"},
		{"{a}", "[0:a]"},
		{"{a}{b}", "[0:a][3:b]"},
		{"CPU {cpu} at { $share | % }.", "<0:CPU >[4:cpu]<9: at >[13:$share|%]<27:.>"},
		{"{{x}} {{{a}}}", "<0:{x} {>[8:a]<11:}>"},
		{"{a | ms}", "[0:a|ms]"},
		{"{a|.1}", "[0:a|.1]"},
		{"{a | ms .2}", "[0:a|ms|.2]"},
		{"{a | .2 ms}", "[0:a|ms|.2]"},
		{"{a | .0%}", "[0:a|%|.0]"},
		{"{a | Mbit/s}", "[0:a|Mbit/s]"},
		{"{a|Mbit/s.3}", "[0:a|Mbit/s|.3]"},
		{"{if(a == \"}\", '|', \"\\\"}\")}", "[0:if(a == \"}\", '|', \"\\\"}\")]"},
		{"echo '{a}' > \"{b}\"\n", "<0:echo '>[6:a]<9:' > \">[14:b]<17:\"\n>"},
		{"it's {a}", "<0:it's >[5:a]"},
		{"{\n  a\n}", "[0:a]"},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct nd_arena a = {0};
		struct nd_expr_error e = {0};
		struct nd_buf b = {0};
		struct nd_text t;

		if (!nd_text_parse(&a, rows[i].text, &t, &e))
			fail_msg("%s: %u: %s", rows[i].text, e.pos, e.msg);
		dump_text(&b, &t, rows[i].text);
		assert_string_equal(nd_buf_str(&b), rows[i].want);
		nd_buf_free(&b);
		nd_arena_free(&a);
	}
}

static void test_text_errors(void **state)
{
	static const struct {
		const char *text;
		uint32_t pos;
		const char *want;
	} rows[] = {
		{"a {b", 2, "'{' without '}': write {{ for a brace"},
		{"a } b", 2, "'}' without '{': write }} for a brace"},
		{"{a}}", 3, "'}' without '{': write }} for a brace"},
		{"awk '{}'", 5, "an empty hole: write {{ and }} for braces"},
		{"{ | ms}", 0, "an empty hole: write {{ and }} for braces"},
		{"a {  b + }", 8, "expected a value, found the end"},
		{"a {b = c}", 5, "'=' does not compare: write =="},
		{"a {b || c}", 5, "'||' is no operator: write or"},
		{"a {b's}", 4, "a text without its closing ' in the hole"},
		{"{a|}", 3, "a format must follow '|': a unit (ms), digits (.1), or both"},
		{"{a | msec}", 5,
		 "'msec' is no format, nearest is ms; a format is a unit, digits (.1), or "
		 "both; " UNITS},
		{"{a | x | y}", 5,
		 "'x | y' is no format; a format is a unit, digits (.1), or both; " UNITS},
		{"{a | .x}", 5, "a dot and one digit say how many decimals, as in .1"},
		{"{a | ms.12}", 5, "a dot and one digit say how many decimals, as in .1"},
		{"{a | ms.1s}", 5,
		 "'ms.1s' is no format; a format is a unit, digits (.1), or both; " UNITS},
		{"{1..2}", 2, "a range stands behind 'in' or is a whole argument"},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct nd_arena a = {0};
		struct nd_expr_error e = {0};
		struct nd_text t;

		if (nd_text_parse(&a, rows[i].text, &t, &e))
			fail_msg("accepted: %s", rows[i].text);
		assert_string_equal(e.msg, rows[i].want);
		if (e.pos != rows[i].pos)
			fail_msg("%s: at %u, not %u: %s", rows[i].text, e.pos, rows[i].pos, e.msg);
		nd_arena_free(&a);
	}
}

static uint32_t random_next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

/* Whatever the text: parts that are complete, or an error whose place lies in the text. */
static bool parse_any(const char *text)
{
	struct nd_arena a = {0};
	struct nd_expr_error e = {0};
	struct nd_text t;
	bool good = nd_text_parse(&a, text, &t, &e);

	assert_true(good || (e.msg[0] && e.pos <= strlen(text)));
	for (uint32_t i = 0; good && i < t.n; i++) {
		const struct nd_text_part *p = &t.parts[i];

		assert_true(p->literal ? *p->literal != '\0' : p->expr && p->source);
		assert_true(i == 0 || p->pos > p[-1].pos);
	}
	nd_arena_free(&a);
	return good;
}

static void test_mutations(void **state)
{
	static const char seed_text[] =
		"In {$share | .1%} of {{its}} periods {cgroup} stood for {if(a == \"}\", "
		"$stall, 2 * x.y) | ms}, see {names($irqs[b =~ '|'].iface)}.";
	static const char bytes[] = "{{}}|||\"'.$% =a1m\\";
	uint64_t seed = 11;
	uint32_t good = 0;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		char text[sizeof(seed_text)];
		size_t len = sizeof(seed_text) - 1;

		memcpy(text, seed_text, sizeof(seed_text));
		for (uint32_t n = 1 + random_next(&seed) % 3; n > 0; n--)
			text[random_next(&seed) % len] =
				bytes[random_next(&seed) % (sizeof(bytes) - 1)];
		if (random_next(&seed) % 8 == 0)
			text[random_next(&seed) % len] = '\0';
		good += parse_any(text);
	}
	assert_true(good > 1000 && good < 19000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_text_errors),
		cmocka_unit_test(test_mutations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
