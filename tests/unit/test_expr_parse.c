/* The grammar of expressions, each error with its place, and limits. */
#include "engine/core/str.h"
#include "engine/rule/expr.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static const char *const op_names[] = {
	[ND_E_NUMBER] = "num",	    [ND_E_TEXT] = "text",     [ND_E_BOOL] = "bool",
	[ND_E_VAR] = "var",	    [ND_E_NAME] = "name",     [ND_E_DOT] = ".",
	[ND_E_FILTER] = "filter",   [ND_E_CALL] = "call",     [ND_E_NEG] = "neg",
	[ND_E_NOT] = "not",	    [ND_E_AND] = "and",	      [ND_E_OR] = "or",
	[ND_E_EQ] = "==",	    [ND_E_NE] = "!=",	      [ND_E_LT] = "<",
	[ND_E_LE] = "<=",	    [ND_E_GT] = ">",	      [ND_E_GE] = ">=",
	[ND_E_MATCH] = "=~",	    [ND_E_NOT_MATCH] = "!~",  [ND_E_IN] = "in",
	[ND_E_IN_LIST] = "in-list", [ND_E_NOT_IN] = "not-in", [ND_E_NOT_IN_LIST] = "not-in-list",
	[ND_E_RANGE] = "range",	    [ND_E_ADD] = "+",	      [ND_E_SUB] = "-",
	[ND_E_MUL] = "*",	    [ND_E_DIV] = "/",
};

static void dump(struct nd_buf *b, const struct nd_expr *e)
{
	if (!e) {
		nd_buf_putc(b, '_');
		return;
	}
	switch (e->op) {
	case ND_E_NUMBER:
		nd_print_plain(b, e->num);
		nd_buf_puts(b, e->unit);
		return;
	case ND_E_TEXT: nd_buf_printf(b, "\"%s\"", e->text); return;
	case ND_E_BOOL: nd_buf_puts(b, e->num > 0 ? "yes" : "no"); return;
	case ND_E_VAR: nd_buf_printf(b, "$%s", e->text); return;
	case ND_E_NAME: nd_buf_puts(b, e->text); return;
	case ND_E_DOT:
	case ND_E_FILTER:
	case ND_E_CALL:
	case ND_E_NEG:
	case ND_E_NOT:
	case ND_E_AND:
	case ND_E_OR:
	case ND_E_EQ:
	case ND_E_NE:
	case ND_E_LT:
	case ND_E_LE:
	case ND_E_GT:
	case ND_E_GE:
	case ND_E_MATCH:
	case ND_E_NOT_MATCH:
	case ND_E_IN:
	case ND_E_IN_LIST:
	case ND_E_NOT_IN:
	case ND_E_NOT_IN_LIST:
	case ND_E_RANGE:
	case ND_E_ADD:
	case ND_E_SUB:
	case ND_E_MUL:
	case ND_E_DIV: break;
	}
	nd_buf_printf(b, "(%s", op_names[e->op]);
	if (e->text)
		nd_buf_printf(b, " %s", e->text);
	if (e->a || e->op == ND_E_RANGE) {
		nd_buf_putc(b, ' ');
		dump(b, e->a);
	}
	if (e->b || e->op == ND_E_RANGE) {
		nd_buf_putc(b, ' ');
		dump(b, e->b);
	}
	for (uint32_t i = 0; i < e->n_args; i++) {
		nd_buf_putc(b, ' ');
		dump(b, e->args[i]);
	}
	nd_buf_putc(b, ')');
}

/* A node lies in its text, its parts lie in it, and it begins and ends with no blank. */
static void check_extent(const struct nd_expr *e, const char *text, uint32_t from, uint32_t to)
{
	if (!e)
		return;
	assert_true(from <= e->pos && e->pos < e->end && e->end <= to);
	assert_null(strchr(" \t\r\n", text[e->pos]));
	assert_null(strchr(" \t\r\n", text[e->end - 1]));
	check_extent(e->a, text, e->pos, e->end);
	check_extent(e->b, text, e->pos, e->end);
	for (uint32_t i = 0; i < e->n_args; i++)
		check_extent(e->args[i], text, e->pos, e->end);
}

static const struct {
	const char *text, *want;
} good_rows[] = {
	/* atoms */
	{"1", "1"},
	{"0.25", "0.25"},
	{"5ms", "5ms"},
	{"80%", "80%"},
	{"10/s", "10/s"},
	{"3%/s", "3%/s"},
	{"5Mbit/s", "5Mbit/s"},
	{"90/min", "90/min"},
	{"1GiB/h", "1GiB/h"},
	{"2d", "2d"},
	{"true", "yes"},
	{"false", "no"},
	{"$share", "$share"},
	{"$in", "$in"},
	{"it", "it"},
	{"_x9", "_x9"},
	{" \t\r\n x \n", "x"},
	{"\"a\\\\b\\\"c\\nd\\te\"", "\"a\\b\"c\nd\te\""},
	{"'a\\b\"c'", "\"a\\b\"c\""},
	{"''", "\"\""},
	{"\"\"", "\"\""},
	{"'ä'", "\"ä\""},
	/* paths, filters, calls */
	{"cpu.time.soft", "(. soft (. time cpu))"},
	{"a.in.not.b", "(. b (. not (. in a)))"},
	{"a[b == 1].c[d]", "(filter (. c (filter a (== b 1))) d)"},
	{"f()", "(call f)"},
	{"f(a, 1.., ..2, 3..4)", "(call f a (range 1 _) (range _ 2) (range 3 4))"},
	{"iface(\"lo\").x", "(. x (call iface \"lo\"))"},
	{"f (a)", "(call f a)"},
	{"f(a)[b]", "(filter (call f a) b)"},
	{"(a).b", "(. b a)"},
	/* numbers beside dots, slashes and words */
	{"1..2", "1"},
	{"x in 1..2", "(in x (range 1 2))"},
	{"x in 1ms..2ms", "(in x (range 1ms 2ms))"},
	{"x in 1/s..2/s", "(in x (range 1/s 2/s))"},
	{"2/host.x", "(/ 2 (. x host))"},
	{"2/min(a, b)", "(/ 2 (call min a b))"},
	{"2/min", "2/min"},
	{"2/h.x", "(/ 2 (. x h))"},
	{"10 / s", "(/ 10 s)"},
	{"x/10/s", "(/ x 10/s)"},
	{"1/s/2", "(/ 1/s 2)"},
	{"2/sum(a)", "(/ 2 (call sum a))"},
	/* precedence */
	{"a + b * c", "(+ a (* b c))"},
	{"(a + b) * c", "(* (+ a b) c)"},
	{"a - b - c", "(- (- a b) c)"},
	{"a.sysctl.fs.file-max - b-c", "(- (- (. file-max (. fs (. sysctl a))) b) c)"},
	{"sysctl.file-nr-x", "(. file-nr-x sysctl)"},
	{"a.sysctls.b-c", "(- (. b (. sysctls a)) c)"},
	{"a.sysctl-b", "(- (. sysctl a) b)"},
	{"a / b / c * d", "(* (/ (/ a b) c) d)"},
	{"-a * b", "(* (neg a) b)"},
	{"a*-b", "(* a (neg b))"},
	{"--a", "(neg (neg a))"},
	{"-a.b", "(neg (. b a))"},
	{"a - -1", "(- a (neg 1))"},
	{"a or b and c", "(or a (and b c))"},
	{"a and b or c and d", "(or (and a b) (and c d))"},
	{"not a and b", "(and (not a) b)"},
	{"not not a", "(not (not a))"},
	{"not a == b", "(not (== a b))"},
	{"a + 1 < b * 2", "(< (+ a 1) (* b 2))"},
	{"a or b or c", "(or (or a b) c)"},
	{"a==b", "(== a b)"},
	{"a!=b", "(!= a b)"},
	{"a<=b", "(<= a b)"},
	{"a>=b", "(>= a b)"},
	{"a>b", "(> a b)"},
	{"a<-1", "(< a (neg 1))"},
	{"(a < b) == (c < d)", "(== (< a b) (< c d))"},
	/* matching and membership */
	{"a =~ '^x\\d'", "(=~ ^x\\d a \"^x\\d\")"},
	{"a.b !~ \"x\" and c", "(and (!~ x (. b a) \"x\") c)"},
	{"a in (\"x\")", "(in-list a \"x\")"},
	{"a in (\"x\", 'y', \"z\")", "(in-list a \"x\" \"y\" \"z\")"},
	{"a not in (\"x\") or b", "(or (not-in-list a \"x\") b)"},
	{"a in b.c", "(in a (. c b))"},
	{"a not in b", "(not-in a b)"},
	{"a in (b)", "(in a b)"},
	{"a in 1..", "(in a (range 1 _))"},
	{"a in ..2 and b", "(and (in a (range _ 2)) b)"},
	{"a in 1.. or b", "(or (in a (range 1 _)) b)"},
	{"a + 1 in $x..$y * 2", "(in (+ a 1) (range $x (* $y 2)))"},
	{"c[a in 1..]", "(filter c (in a (range 1 _)))"},
	{"(a in ..-1)", "(in a (range _ (neg 1)))"},
};

static void test_good(void **state)
{
	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(good_rows); i++) {
		struct nd_arena a = {0};
		struct nd_expr_error e = {0};
		struct nd_buf b = {0};
		bool range = strcmp(good_rows[i].text, "1..2") == 0;
		struct nd_expr *x = nd_expr_parse(&a, good_rows[i].text, range, &e);

		if (!x)
			fail_msg("%s: %u: %s", good_rows[i].text, e.pos, e.msg);
		check_extent(x, good_rows[i].text, 0, (uint32_t)strlen(good_rows[i].text));
		dump(&b, x);
		assert_string_equal(nd_buf_str(&b), range ? "(range 1 2)" : good_rows[i].want);
		nd_buf_free(&b);
		nd_arena_free(&a);
	}
}

#define UNITS                                                                                      \
	"units are ns us ms s min h d, B KiB MiB GiB kB MB GB, bit kbit Mbit Gbit, %, each also "  \
	"with /s /min /h"

static const struct {
	const char *text;
	uint32_t pos;
	const char *want;
} errors_rows[] = {
	{"", 0, "an empty expression"},
	{" \n", 0, "an empty expression"},
	/* comparisons */
	{"1 < a < 3", 6, "comparisons do not chain: write a < b and b < c"},
	{"a == b in c", 7, "comparisons do not chain: write a < b and b < c"},
	{"a in b == c", 7, "comparisons do not chain: write a < b and b < c"},
	{"a =~ 'x' != b", 9, "comparisons do not chain: write a < b and b < c"},
	{"x = y", 2, "'=' does not compare: write =="},
	{"a === b", 2, "'===' is no operator: write =="},
	{"a => b", 2, "'=>' is no operator: write >="},
	{"a <> b", 2, "'<>' is no operator: write !="},
	{"a == not b", 5, "'not' and what it negates need ( ) here"},
	{"a =~ b", 5,
	 "expected a pattern in quotes, found 'b'; patterns are compiled when the rule is loaded"},
	{"a !~", 4,
	 "expected a pattern in quotes, found the end; patterns are compiled when "
	 "the rule is loaded"},
	{"a ~ 'x'", 2, "'~' alone is no operator: write =~ or !~"},
	/* and, or, not */
	{"a && b", 2, "'&&' is no operator: write and"},
	{"a & b", 2, "'&' is no operator: write and"},
	{"a || b", 2, "'||' is no operator: write or"},
	{"a | b", 2, "'|' is no operator: write or (in texts it stands once, before the format)"},
	{"!a", 0, "'!' is no operator: write not"},
	{"a AND b", 2, "'AND' is no operator: write and"},
	{"f(a Or b)", 4, "'Or' is no operator: write or"},
	{"a is b", 2, "'is' is no operator: write =="},
	{"(a between 1)", 3, "'between' is no operator: write in a..b"},
	{"a ? b : c", 2, "'?' is no operator: write if(question, a, b)"},
	{"a and", 5, "expected a value, found the end"},
	{"or a", 0, "expected a value, found 'or'"},
	{"a not b", 6, "expected 'in' behind 'not', found 'b'; for questions write and not"},
	/* numbers */
	{"5msec", 1, "'msec' is no unit, nearest is ms; " UNITS},
	{"5KB", 1, "'KB' is no unit, nearest is kB; " UNITS},
	{"5m", 1, "'m' is no unit, nearest is min; " UNITS},
	{"5M", 1, "'M' is no unit, nearest is MB; " UNITS},
	{"5\xc2\xb5s", 1, "'\xc2\xb5s' is no unit, nearest is us; " UNITS},
	{"5gbit", 1, "'gbit' is no unit, nearest is Gbit; " UNITS},
	{"5Mbits", 1, "'Mbits' is no unit, nearest is Mbit; " UNITS},
	{"5pps", 1, "'pps' is no unit, nearest is /s; " UNITS},
	{"5xyz", 1, "'xyz' is no unit; " UNITS},
	{"5%%", 1, "'%%' is no unit; " UNITS},
	{"5ratio", 1, "'ratio' is no unit; " UNITS},
	{"1e9", 1, "numbers have no exponent: write the digits"},
	{"0x10", 1, "numbers are decimal: write the digits"},
	{"1_000", 1, "'_000' is no unit; " UNITS},
	{".5", 0, "a number starts with a digit: write 0.5, not .5"},
	{"5 ms", 2, "the unit stands directly behind the digits, as in 5ms"},
	{"f(5 ms)", 4, "the unit stands directly behind the digits, as in 5ms"},
	{"5 % 2", 2, "'%' belongs directly behind a number, as in 80%"},
	{"5ms.x", 3, "a literal has no parts: no '.' can follow it"},
	{"1.x", 1, "a literal has no parts: no '.' can follow it"},
	/* texts */
	{"a == \"x", 5, "a text without its closing \""},
	{"a == \"x\\", 5, "a text without its closing \""},
	{"'x", 0, "a text without its closing '"},
	{"a == \"x\\\"", 5, "a text without its closing \""},
	{"\"a\\d\"", 2, "escapes are \\\\ \\\" \\n \\t; in '…' a backslash stands for itself"},
	{"a =~ `x`", 5, "quotes are \"…\" or '…'"},
	{"a == \xe2\x80\x9cx\xe2\x80\x9d", 5, "quotes are \"…\" or '…', not typographic ones"},
	/* brackets and arguments */
	{"(a", 0, "'(' without its ')'"},
	{"b + (a + (c)", 4, "'(' without its ')'"},
	{"a[b", 1, "'[' without its ']'"},
	{"f(a", 1, "'(' without its ')'"},
	{"f(", 1, "'(' without its ')'"},
	{"a)", 1, "')' without its '('"},
	{"(a]", 2, "']' without its '['"},
	{"a]", 1, "']' without its '['"},
	{"()", 1, "expected a value, found ')'"},
	{"f(a,)", 4, "an argument is missing behind ','"},
	{"f(,a)", 2, "expected a value, found ','"},
	{"f(a b)", 4, "expected ',' or an operator, found 'b'"},
	{"a, b", 1, "a comma separates the arguments of a function; here is nothing to separate"},
	{"a.f(b)", 3, "only functions are called: f(x), not x.f()"},
	{"$f(b)", 2, "only functions are called, and a function is a single name"},
	{"a.", 2, "expected a name behind '.', found the end"},
	{"a.'b'", 2, "expected a name behind '.', found ''b''"},
	{"a.$b", 2, "expected a name behind '.', found '$b'"},
	{"a.1", 1, "a number starts with a digit: write 0.5, not .5"},
	{"$ a", 0, "a name must follow $ directly, as in $share"},
	{"$1", 0, "a name must follow $ directly, as in $share"},
	/* ranges and lists */
	{"1..2", 1, "a range stands behind 'in' or is a whole argument"},
	{"..2", 0, "a range stands behind 'in' or is a whole argument"},
	{"a in (1..2)", 7, "a range stands behind 'in', without ( ), or is a whole argument"},
	{"a in ..", 5, "a range needs one end at least: a.., ..b or a..b"},
	{"a in 1..2..3", 9, "a range stands behind 'in' or is a whole argument"},
	{"f(a < b..c)", 7, "a question cannot be the end of a range"},
	{"a[1..2]", 3, "a range stands behind 'in', without ( ), or is a whole argument"},
	{"a in (\"x\", b)", 11, "a list behind 'in' holds quoted texts"},
	{"a in (\"x\",", 5, "'(' without its ')'"},
	{"a in (1, 2)", 7,
	 "a comma separates the arguments of a function or texts in quotes, as in x in "
	 "(\"a\", \"b\")"},
	{"a in [\"x\"]", 5,
	 "'[' filters a set that stands before it; a list stands in ( ), behind 'in'"},
	{"a in (\"x\" \"y\")", 10, "expected ')' or an operator, found '\"y\"'"},
	{"a in", 4, "expected a value, found the end"},
	{"1\xe2\x80\xa6", 1, "'\xe2\x80\xa6' is no unit; " UNITS},
	{"a \xe2\x89\xa4 b", 2, "'≤' is no operator: write <="},
	/* what is left over */
	{"a b", 2, "expected an operator, found 'b'"},
	{"a $b", 2, "expected an operator, found '$b'"},
	{"a 'a text that is much longer than the rest'", 2,
	 "expected an operator, found ''a text that is much lon…'"},
	{"a + * b", 4, "expected a value, found '*'"},
	{"+a", 0, "'+' needs a value before it"},
	{"a # b", 2, "'#' means nothing in an expression"},
	{"a \x01", 2, "a control character (0x01)"},
	{"a {b}", 2, "'{' means nothing in an expression; holes belong into texts"},
	{"\xc3\xa4 > 1", 0,
	 "letters, digits and signs of ASCII only; other characters belong into quotes"},
	{"a\xc2\xa0> 1", 1, "a no-break space: write a plain one"},
	{"a @ b", 2, "'@' stands in ids only, and an id is text: write iface(\"eth0\")"},
};

static void test_errors(void **state)
{
	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(errors_rows); i++) {
		struct nd_arena a = {0};
		struct nd_expr_error e = {0};

		if (nd_expr_parse(&a, errors_rows[i].text, false, &e))
			fail_msg("accepted: %s", errors_rows[i].text);
		assert_string_equal(e.msg, errors_rows[i].want);
		if (e.pos != errors_rows[i].pos)
			fail_msg("%s: at %u, not %u: %s", errors_rows[i].text, e.pos,
				 errors_rows[i].pos, e.msg);
		nd_arena_free(&a);
	}
}

/* prefix, n times middle, x, n times suffix */
static void expect_depth(const char *middle, const char *suffix, uint32_t n, bool good)
{
	struct nd_arena a = {0};
	struct nd_expr_error e = {0};
	struct nd_buf b = {0};
	const struct nd_expr *x;

	for (uint32_t i = 0; i < n; i++)
		nd_buf_puts(&b, middle);
	nd_buf_putc(&b, 'x');
	for (uint32_t i = 0; i < n; i++)
		nd_buf_puts(&b, suffix);
	x = nd_expr_parse(&a, b.s, false, &e);
	if (!x != !good)
		fail_msg("%s … %s, %u times: %s", middle, suffix, n, e.msg);
	if (!good)
		assert_string_equal(e.msg, "more than 64 levels deep: put a part of it into a let");
	nd_buf_free(&b);
	nd_arena_free(&a);
}

static void test_limits(void **state)
{
	static const struct {
		const char *before, *after;
	} rows[] = {
		{"(", ")"}, {"not ", ""}, {"-", ""},	 {"f(", ")"}, {"", "[x]"},
		{"", ".x"}, {"", " + x"}, {"", " or x"}, {"x[", "]"}, {"x * (", ")"},
	};
	struct nd_arena a = {0};
	struct nd_expr_error e = {0};
	char text[4098];

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		expect_depth(rows[i].before, rows[i].after, 63, true);
		expect_depth(rows[i].before, rows[i].after, 64, false);
	}
	memset(text, ' ', sizeof(text));
	text[0] = 'x';
	text[4096] = '\0';
	assert_non_null(nd_expr_parse(&a, text, false, &e));
	text[4096] = ' ';
	text[4097] = '\0';
	assert_null(nd_expr_parse(&a, text, false, &e));
	assert_string_equal(e.msg, "longer than 4096 bytes: put a part of it into a let");
	nd_arena_free(&a);
}

static uint32_t random_next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

/* Whatever the text: a tree whose places are right, or an error whose place lies in the text. */
static bool parse_any(const char *text)
{
	struct nd_arena a = {0};
	struct nd_expr_error e = {0};
	struct nd_expr *x = nd_expr_parse(&a, text, true, &e);
	uint32_t len = (uint32_t)strlen(text);

	check_extent(x, text, 0, len);
	assert_true(x || (e.msg[0] && e.pos <= len));
	nd_arena_free(&a);
	return x != NULL;
}

static void test_mutations(void **state)
{
	static const char seed_text[] =
		"count(cpus[any(irqs.iface, physical) and time.soft + 2 * time.irq > 80%]) >= $few "
		"or p99(thread.runq_wait) in 5ms..2.5s and -x.rate / 10/s != 3 "
		"and (comm =~ '^a\\d+' or comm not in (\"b\\n\", 'c'))";
	static const char bytes[] = " .,()[]{}|$\"'\\=!~<>+-*/%&0159abemnostKMB\n\xc3\xa4\x01";
	static const char *const words[] = {
		" and ", " or ", " not ", " in ", "..", "==", "=~", "ms", "/s", "[x]", "f("};
	uint64_t seed = 7;
	uint32_t good = 0;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		char text[sizeof(seed_text) + 8];
		size_t len = sizeof(seed_text) - 1;

		memcpy(text, seed_text, sizeof(seed_text));
		for (uint32_t n = 1 + random_next(&seed) % 4; n > 0; n--)
			text[random_next(&seed) % len] =
				bytes[random_next(&seed) % (sizeof(bytes) - 1)];
		if (random_next(&seed) % 4 == 0) {
			const char *word = words[random_next(&seed) % ND_ARRAY_LEN(words)];

			memcpy(text + random_next(&seed) % (len - 6), word, strlen(word));
		}
		if (random_next(&seed) % 8 == 0)
			text[random_next(&seed) % len] = '\0';
		good += parse_any(text);
	}
	assert_true(good > 1000 && good < 19000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_mutations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
