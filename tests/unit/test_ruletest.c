/* What a rule's tests say when they are wrong themselves, and when what they expect did not come: a table of tests, each with
 * every message and the caret. */
#include "tests/unit/judge_fixture.h"

#include <errno.h>

#define RULE                                                                                        \
	"rule: r\ntitle: t\n"                                                                       \
	"params: {most: {value: 3, origin: 'arith: x'}}\n"                                          \
	"tally: {held: {over: samples, where: left > 0}}\n"                                         \
	"logs: {a: {match: x}}\n"                                                                   \
	"scope: cpu\ntree:\n"                                                                       \
	"  - {ask: A, test: cpu.x > $most, if_no: {rule_out: 'x is {cpu.x}'}}\n"                    \
	"  - {ask: B, test: cpu.b, grade: decides, if_no: {rule_out: 'not b'}, if_unknown: next}\n" \
	"  - conclude: wide\n"                                                                      \
	"causes: {wide: {title: 'T {cpu}', because: 'B {cpu.x}', report: each}}\n"                  \
	"tests:\n"
/* A test whose facts are wrong; one that expects something of a cause that is found, likely. */
#define GIVEN(text) "  - name: n\n    given: " text "\n    expect: none\n"
#define FOUND(expect) "  - name: n\n    given: {cpu:1: {x: 4}}\n    expect: " expect "\n"
#define CARET(line, blanks) "    " line "\n    " blanks "^\n"
#define BLANK11 "           "

struct wrong {
	const char *test, *why;
	const char *place; /* for tests that are wrong: the line and a caret; else NULL */
};

static const struct wrong mistakes[] = {
	{"  - expect: none\n", "a test has a name", CARET("  - expect: none", "    ")},
	{"  - just text\n", "a test has a name", CARET("  - just text", "    ")},
	{"  - name: n\n", "expect is missing", CARET("  - name: n", "    ")},
	{"  - name: n\n    gven: {}\n    expect: none\n", "unknown key \"gven\"; nearest is given",
	 CARET("    gven: {}", "    ")},
	{"  - name: n\n    like: m\n    expect: none\n", "like: no such test",
	 CARET("  - name: n", "    ")},
	{"  - name: n\n    window: soon\n    expect: none\n", "window: expected a time",
	 CARET("    expect: none", "            ")},
	{"  - name: n\n    case: x\n    expect: none\n", "case: x cannot be read here",
	 CARET("    expect: none", "            ")},
	{GIVEN("{cup:1: {x: 4}}"), "expected kind:key, such as cpu:3, found \"cup:1\"",
	 CARET("    given: {cup:1: {x: 4}}", BLANK11 " ")},
	{GIVEN("{cpu:1: {xx: 4}}"), "cpu has no fact xx",
	 CARET("    given: {cpu:1: {xx: 4}}", BLANK11 "         ")},
	{GIVEN("{cpu:1: {probd: 4}}"), "cpu has no fact probd; nearest is probed",
	 CARET("    given: {cpu:1: {probd: 4}}", BLANK11 "         ")},
	{GIVEN("{cpu:1: {xx.rate: 4}}"), "cpu has no fact xx",
	 CARET("    given: {cpu:1: {xx.rate: 4}}", BLANK11 "         ")},
	{GIVEN("{cpu:1: {x: many}}"), "expected a number with its unit",
	 CARET("    given: {cpu:1: {x: many}}", BLANK11 "            ")},
	{GIVEN("{cpu:1: {x: {missing: lazy}}}"), "not one of the reasons for a missing fact",
	 CARET("    given: {cpu:1: {x: {missing: lazy}}}", BLANK11 "                      ")},
	{GIVEN("{cpu:1: {d: 4}}"), "this is a counter: say .rate, .delta or {total: …}",
	 CARET("    given: {cpu:1: {d: 4}}", BLANK11 "            ")},
	{GIVEN("{cpu:1: {d: {sum: 4}}}"), "a counter is given as .total, .delta, .rate or .peak",
	 CARET("    given: {cpu:1: {d: {sum: 4}}}", BLANK11 "                  ")},
	{GIVEN("{cpu:1: {d.rate: x}}"), "expected a number with its unit",
	 CARET("    given: {cpu:1: {d.rate: x}}", BLANK11 "                 ")},
	{GIVEN("{cpu:1: {b: maybe}}"), "expected yes or no",
	 CARET("    given: {cpu:1: {b: maybe}}", BLANK11 "            ")},
	{GIVEN("{cpu:1: {s: [a]}}"), "expected text",
	 CARET("    given: {cpu:1: {s: [a]}}", BLANK11 "            ")},
	{GIVEN("{cpu:1: {h: 4}}"), "expected buckets: {1ms..2ms: 40}",
	 CARET("    given: {cpu:1: {h: 4}}", BLANK11 "            ")},
	{GIVEN("{cpu:1: {h: {1ms: 4}}}"), "expected a bucket a..b",
	 CARET("    given: {cpu:1: {h: {1ms: 4}}}", BLANK11 "             ")},
	{GIVEN("{cpu:1: {h: {1ms..x: 4}}}"), "expected a bucket a..b with units",
	 CARET("    given: {cpu:1: {h: {1ms..x: 4}}}", BLANK11 "             ")},
	{GIVEN("{cpu:1: {h: {1ms..2ms: x}}}"), "expected a number with its unit",
	 CARET("    given: {cpu:1: {h: {1ms..2ms: x}}}", BLANK11 "                       ")},
	{GIVEN("{iface:e: {irqs: [nothing]}}"), "expected an entity, kind:key",
	 CARET("    given: {iface:e: {irqs: [nothing]}}", BLANK11 "                  ")},
	{GIVEN("{cpu:1: {tally.hold: {hits: 1, rows: 2}}}"), "no tally hold in this rule",
	 CARET("    given: {cpu:1: {tally.hold: {hits: 1, rows: 2}}}", BLANK11 "         ")},
	{GIVEN("{cpu:1: {tally.held: {hits: 1}}}"), "a tally is given as {hits: 3, rows: 9}",
	 CARET("    given: {cpu:1: {tally.held: {hits: 1}}}", BLANK11 "                     ")},
	{GIVEN("{log: x}"), "expected a list of lines: [{age: 20s, text: \"…\"}]",
	 CARET("    given: {log: x}", BLANK11 "      ")},
	{GIVEN("{log: [{age: 20s}]}"), "a log line has text",
	 CARET("    given: {log: [{age: 20s}]}", BLANK11 "       ")},
	{GIVEN("{cpu:1: {samples: 3}}"), "expected rows: [{left: 1}, …]",
	 CARET("    given: {cpu:1: {samples: 3}}", BLANK11 "                  ")},
	{GIVEN("{cpu:1: {samples: [3]}}"), "a row is columns and their values",
	 CARET("    given: {cpu:1: {samples: [3]}}", BLANK11 "                   ")},
	{GIVEN("{cpu:1: {samples: [{lefft: 3}]}}"), "samples has no column lefft; nearest is left",
	 CARET("    given: {cpu:1: {samples: [{lefft: 3}]}}", BLANK11 "                    ")},
	{GIVEN("{cpu:1: {samples: [{left: x}]}}"), "expected a number with its unit",
	 CARET("    given: {cpu:1: {samples: [{left: x}]}}", BLANK11 "                          ")},
	{GIVEN("{iface:e: {samples: [{left: 3}]}}"), "iface has no fact samples",
	 CARET("    given: {iface:e: {samples: [{left: 3}]}}", BLANK11 "           ")},
	{GIVEN("{none: [cup]}"), "no kind of entity of this name",
	 CARET("    given: {none: [cup]}", BLANK11 "        ")},
	{GIVEN("{none: cpu}"), "none: a list of kinds",
	 CARET("    given: {none: cpu}", BLANK11 "       ")},
};

static const struct wrong expectations[] = {
	{FOUND("clera"), "expect: none, clear, or what is expected", NULL},
	{FOUND("[none]"), "expect: none, clear, or what is expected", NULL},
	{FOUND("{}"), "expect: none, clear, or what is expected", NULL},
	{FOUND("{cuase: wide}"), "unknown expectation cuase; nearest is cause", NULL},
	{FOUND("{cause: wdie}"), "cause: no rule has the cause wdie", NULL},
	{FOUND("{not: other}"), "not: no rule has the cause other", NULL},
	{FOUND("{cause: wide, word: sure}"),
	 "word: expected suspected, likely or confirmed, found sure", NULL},
	{FOUND("none"), "found wide on cpu:1 (likely)", NULL},
	{FOUND("clear"), "found wide on cpu:1 (likely)", NULL},
	{FOUND("{cause: none}"), "found wide on cpu:1 (likely)", NULL},
	{FOUND("{not: wide}"), "found wide", NULL},
	{FOUND("{cause: wide, entity: cpu:2}"),
	 "expected wide on cpu:2; found wide on cpu:1 (likely)", NULL},
	{FOUND("{cause: wide, word: confirmed}"), "word is likely, expected confirmed", NULL},
	{FOUND("{cause: wide, at_least: confirmed}"), "word is likely, expected at least confirmed",
	 NULL},
	{FOUND("{cause: wide, at_most: suspected}"), "word is likely, expected at most suspected",
	 NULL},
	{FOUND("{cause: wide, role: amplifier}"), "role is trigger, expected amplifier", NULL},
	{FOUND("{cause: wide, supports: 1}"), "supports is 0, expected 1", NULL},
	{FOUND("{cause: wide, found: [cpu:1, cpu:2]}"), "found 1 entities, expected 2", NULL},
	{FOUND("{cause: wide, found: cpu:2}"), "entity 1 is cpu:1, expected cpu:2", NULL},
	{FOUND("{cause: wide, delay: 1ms}"), "delay is nan, expected 1ms", NULL},
	{FOUND("{cause: wide, delay: long}"), "delay: expected a number or a range", NULL},
	{FOUND("{open: wide}"), "wide is not open", NULL},
	{FOUND("{ruled_out: wide}"), "wide is not ruled out", NULL},
	{FOUND("{unexamined: wide}"), "unexamined: not wide", NULL},
	{FOUND("{consequences: wide}"), "consequences: no wide", NULL},
	{FOUND("{notes: n}"), "notes: no n", NULL},
	{FOUND("{contradictions: n}"), "contradictions: no n", NULL},
	{FOUND("{cause: wide, prints: rm}"), "not printed: rm; printed:", NULL},
	{FOUND("{cause: wide, says: other}"), "says: expected other, found: T cpu:1 B 4", NULL},
	{FOUND("{cause: wide, fixes: [f]}"), "fix \"f\" is not offered", NULL},
	{FOUND("{cause: wide, not_offered: f}"), "fix \"f\" is not there", NULL},
	{"  - {name: n, given: {cpu:1: {x: 3}}, expect: {cause: wide}}\n",
	 "expected wide; it is ruled out", NULL},
	{"  - {name: n, given: {cpu:1: {y: 3}}, expect: {cause: wide}}\n",
	 "expected wide; it is open", NULL},
	{"  - {name: n, given: {cpu:1: {y: 3}}, expect: {open: none}}\n", "wide is open", NULL},
	{"  - {name: n, given: {cpu:1: {y: 3}}, expect: clear}\n", "wide is open", NULL},
	{"  - {name: n, given: {iface:e: {x: 3}}, expect: clear}\n", "a tree is unexamined", NULL},
	{"  - {name: n, given: {iface:e: {x: 3}}, expect: {unexamined: none}}\n",
	 "unexamined: not none", NULL},
};

static void keep(void *ctx, const struct nd_test_result *t)
{
	nd_buf_printf(ctx, "%s\n%s", t->why, t->trace);
}

/* place: what follows the message must be the place, to the byte. */
static void check_wrong(const struct wrong *rows, size_t n, bool place)
{
	size_t differ = 0;

	for (size_t i = 0; i < n; i++) {
		char rule[4096], want[1024];
		const char *texts[] = {rule, NULL};
		uint32_t passed = 0, failed = 0;
		struct nd_buf got = {0};
		struct judged j;

		snprintf(rule, sizeof(rule), "%s%s", RULE, rows[i].test);
		snprintf(want, sizeof(want), "%s\n%s", rows[i].why, place ? rows[i].place : "");
		open_judged(&j, texts, NULL);
		nd_ruletest(j.rules, NULL, &(struct nd_test_hooks){keep, NULL, &got}, &passed,
			    &failed);
		if (!place)
			got.s[strcspn(got.s, "\n") + 1] = '\0';
		if (strcmp(nd_buf_str(&got), want) != 0) {
			print_message("%s: got\n%sexpected\n%s", rows[i].test, nd_buf_str(&got),
				      want);
			differ++;
		}
		assert_int_equal(passed, 0);
		assert_int_equal(failed, 1);
		nd_buf_free(&got);
		close_judged(&j);
	}
	assert_int_equal(differ, 0);
}

static void test_mistakes(void **state)
{
	(void)state;
	check_wrong(mistakes, ND_ARRAY_LEN(mistakes), true);
}

static void test_expectations(void **state)
{
	(void)state;
	check_wrong(expectations, ND_ARRAY_LEN(expectations), false);
}

/* The way of each tree, and where it parted. */
static void test_trace(void **state)
{
	static const struct {
		const char *test, *want;
	} rows[] = {
		{"  - {name: n, given: {cpu:1: {x: 3}}, expect: {cause: wide}}\n",
		 "expected wide; it is ruled out\n"
		 "    r, cpu:1: no finding\n"
		 "      line 8, requires, no: cpu.x > $most  <- parted here: ruled out wide\n"
		 "        cpu:1 cpu.x = 3\n"},
		{"  - {name: n, given: {cpu:1: {y: 3}}, expect: clear}\n",
		 "wide is open\n"
		 "    r, cpu:1: no finding\n"
		 "      line 8, requires, unknown: cpu.x > $most  <- left open wide\n"
		 "        cpu:1 cpu.x = unknown (not sampled)\n"},
		{"  - {name: n, given: {cpu:1: {x: 9, b: yes}}, expect: none}\n",
		 "found wide on cpu:1 (confirmed)\n"
		 "    r, cpu:1: wide  <- expected no finding\n"
		 "      line 8, requires, yes: cpu.x > $most\n"
		 "        cpu:1 cpu.x = 9\n"
		 "      line 9, decides, yes: cpu.b\n"
		 "        cpu:1 cpu.b = yes\n"},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		char rule[4096];
		const char *texts[] = {rule, NULL};
		uint32_t passed = 0, failed = 0;
		struct nd_buf got = {0};
		struct judged j;

		snprintf(rule, sizeof(rule), "%s%s", RULE, rows[i].test);
		open_judged(&j, texts, NULL);
		nd_ruletest(j.rules, "r", &(struct nd_test_hooks){keep, NULL, &got}, &passed,
			    &failed);
		assert_string_equal(nd_buf_str(&got), rows[i].want);
		nd_buf_free(&got);
		close_judged(&j);
	}
}

static int read_case(void *ctx, const char *path, struct nd_facts *f, struct nd_err *e)
{
	static const struct nd_input in = {.path = "recorded", .netns = "host"};
	nd_fact_id x = nd_registry_find(nd_facts_registry(f), ND_CPU, "x");

	(void)ctx;
	if (strcmp(path, "fixture") == 0)
		return nd_fail(e, -ENOENT, "nothing there");
	assert_string_equal(path, "recorded"); /* the rule's file has no directory */
	nd_put_num(f, nd_entity_num(f, ND_CPU, 7), nd_registry_def(nd_facts_registry(f), x), 5,
		   &in);
	return 0;
}

/* Recorded facts, with and without given ones on top, and a recording that is not there. */
static void test_case(void **state)
{
	static const char *const texts[] = {
		RULE "  - {name: n, case: recorded, expect: {cause: wide, entity: cpu:7}}\n"
		     "  - {name: m, like: n, given: {cpu:7: {x: 2}}, expect: clear}\n"
		     "  - {name: o, case: fixture, expect: clear}\n",
		NULL};
	uint32_t passed = 0, failed = 0;
	struct nd_buf got = {0};
	struct judged j;

	(void)state;
	open_judged(&j, texts, NULL);
	nd_ruletest(j.rules, NULL, &(struct nd_test_hooks){keep, read_case, &got}, &passed,
		    &failed);
	assert_int_equal(passed, 2);
	assert_int_equal(failed, 1);
	assert_non_null(strstr(nd_buf_str(&got), "case: nothing there\n"));
	nd_buf_free(&got);
	close_judged(&j);
}

/* Rows are counted by the tallies; what a row does not say is unknown. */
static void test_rows(void **state)
{
	static const char *const texts[] = {
		"rule: r\ntitle: t\nparams: {most: {value: 3, origin: 'arith: x'}}\n"
		"tally: {held: {over: samples, where: left > $most}}\n"
		"scope: cpu\ntree:\n"
		"  - {ask: A, test: cpu.tally.held.hits / cpu.tally.held.rows > 50%, if_no: {rule_out: no}}\n"
		"  - conclude: c\n"
		"causes: {c: {title: T, because: B, report: each}}\n"
		"tests:\n"
		"  - {name: a, given: {cpu:1: {samples: [{left: 4}, {left: 3}, {left: 5, right: 1}]}}, expect: {cause: c}}\n"
		"  - {name: b, given: {cpu:1: {samples: [{left: 3}, {right: 9}, {left: 4}]}}, expect: clear}\n"
		"  - {name: c, like: a, given: {cpu:1: {samples: [{left: 1}]}}, expect: clear}\n"
		"  - {name: d, given: {cpu:1: {x: 1}}, expect: {open: c}}\n",
		NULL};
	uint32_t passed = 0, failed = 0;
	struct nd_buf got = {0};
	struct judged j;

	(void)state;
	open_judged(&j, texts, NULL);
	nd_ruletest(j.rules, NULL, &(struct nd_test_hooks){keep, NULL, &got}, &passed, &failed);
	if (failed)
		print_message("%s", nd_buf_str(&got));
	assert_int_equal(passed, 4);
	assert_int_equal(failed, 0);
	nd_buf_free(&got);
	close_judged(&j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mistakes), cmocka_unit_test(test_expectations),
		cmocka_unit_test(test_trace),	 cmocka_unit_test(test_case),
		cmocka_unit_test(test_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
