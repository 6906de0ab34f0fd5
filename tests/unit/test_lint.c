/* What lint says of a rule that loads, to the caret. */
#include "tests/unit/lint_fixture.h"

#include "engine/judge/judge.h"

static bool all(void *ctx, const char *path)
{
	(void)ctx;
	return *path != '\0';
}

/* All that lint says of files, which must load. */
static char *said_of(const char *const *paths, const char *const *texts, size_t n, bool tests)
{
	struct nd_registry *r = registry();
	struct nd_rules *rules = nd_rules_new(r);
	struct nd_buf out = {0};

	for (size_t i = 0; i < n; i++)
		nd_rules_add_text(rules, paths[i], texts[i], strlen(texts[i]), &out);
	nd_rules_check(rules, &out);
	assert_string_equal(nd_buf_str(&out), "");
	nd_lint_rules(rules, all, NULL, &out);
	for (uint32_t i = 0; tests && i < nd_rules_count(rules); i++)
		nd_lint_tests(rules, i, NULL, &out);
	nd_rules_free(rules);
	nd_registry_free(r);
	return out.s ? out.s : nd_strdup("");
}

static char *said(const char *text, bool tests)
{
	const char *path = "base.yaml";

	return said_of(&path, &text, 1, tests);
}

static void expect_said(const struct row *rows, size_t n, bool tests)
{
	for (size_t i = 0; i < n; i++) {
		char *text = spoilt(rows[i].from, rows[i].to);
		char *got = said(text, tests);

		assert_string_equal(got, rows[i].want);
		free(got);
		free(text);
	}
}

static void test_nothing_to_say(void **state)
{
	char *got = said(base, true);

	(void)state;
	assert_string_equal(got, "");
	free(got);
}

#define NUMBER                                                                                     \
	"error: a number in a question: give it a name under params, with a value and an origin\n"
#define CONSTANT "warning: this asks no fact: its answer never changes\n"

static void test_questions(void **state)
{
	static const struct row rows[] = {
		{"test: $lost > $most", "test: $lost > $most and iface.mtu > 9B",
		 "base.yaml:12:41: " NUMBER "        test: $lost > $most and iface.mtu > 9B\n"
		 "                                            ^\n"},
		{"test: $lost > $most",
		 "test: >-\n      $lost > $most and\n      count(ifaces) in 3..10",
		 "base.yaml:14:24: " NUMBER "          count(ifaces) in 3..10\n"
		 "                           ^\n"},
		{"rx.packets.seen, $few)", "rx.packets.seen, $few) * 0.5",
		 "base.yaml:9:69: " NUMBER
		 "      lost: ratio(iface.rx.dropped.seen, iface.rx.packets.seen, $few) * 0.5\n"
		 "                                                                        ^\n"},
		{"verify: $lost < $most", "verify: $lost < $most + 1%",
		 "base.yaml:35:33: " NUMBER "            verify: $lost < $most + 1%\n"
		 "                                    ^\n"},
		{"iface.mtu < 2 *", "iface.mtu < 3 *",
		 "base.yaml:25:27: " NUMBER
		 "          - test: iface.mtu < 3 * iface.mtu - iface.mtu\n"
		 "                              ^\n"},
		{"scope: iface\n", "scope: iface\nwhen: host.hz > 90/s\n",
		 "base.yaml:8:17: " NUMBER "    when: host.hz > 90/s\n                    ^\n"},
		{"tests:\n", "notes:\n  n: {test: host.hz > 90/s, says: x}\ntests:\n",
		 "base.yaml:37:23: " NUMBER "      n: {test: host.hz > 90/s, says: x}\n"
		 "                          ^\n"},
		/* free numbers, and those that are keys */
		{"test: $lost > $most",
		 "test: $lost > $most and 2 * $lost < 100% and count(ifaces) < 10 and "
		 "cpu(3).time.soft > 0 and 0s < 1 / host.hz",
		 ""},
		{"test: $lost > $most", "test: $lost > $most and iface.rx.dropped.total > 0",
		 "base.yaml:12:38: error: .total counts since boot, however long that is: ask .delta, .rate or .seen\n"
		 "        test: $lost > $most and iface.rx.dropped.total > 0\n"
		 "                                         ^\n"},
		{"tests:\n",
		 "notes:\n  n: {test: iface.rx.dropped.total > 0, scope: iface, says: x}\ntests:\n",
		 ""},
		{"test: $lost > $most", "test: coalesce($lost, 0) > $most",
		 "base.yaml:12:27: error: missing is not zero: leave coalesce out, and the question is unknown with the reason\n"
		 "        test: coalesce($lost, 0) > $most\n"
		 "                              ^\n"},
		{"{$lost} of them", "{coalesce($lost, 0)} of them", ""},
		{"test: $lost > $most", "test: $lost > $most and any(known(ifaces), mtu > 0)",
		 "base.yaml:12:33: warning: known() drops what could not be read: a no of this question may rest on the rest\n"
		 "        test: $lost > $most and any(known(ifaces), mtu > 0)\n"
		 "                                    ^\n"},
		{"test: $lost > $most",
		 "test: $lost > $most and iface.rx.dropped.rate / iface.rx.packets.rate > $most",
		 "base.yaml:12:29: warning: a share of counters that may be small: ratio(a, b, floor) is unknown below the floor, and 0 where nothing happened\n"
		 "        test: $lost > $most and iface.rx.dropped.rate / iface.rx.packets.rate > $most\n"
		 "                                ^\n"},
		{"{$lost} of them", "{iface.rx.dropped.rate / iface.rx.packets.rate} of them", ""},
		{"iface.link_kind == \"physical\"", "$most > $most - $most",
		 "base.yaml:16:11: " CONSTANT "        test: $most > $most - $most\n"
		 "              ^\n"},
		{"iface.mtu < 2 * iface.mtu - iface.mtu", "false",
		 "base.yaml:25:15: " CONSTANT "          - test: false\n                  ^\n"},
		{"scope: iface\n", "scope: iface\nwhen: 1 < 2\n",
		 "base.yaml:8:7: " CONSTANT "    when: 1 < 2\n          ^\n"},
	};

	(void)state;
	expect_said(rows, ND_ARRAY_LEN(rows), false);
}

#define IDLE "warning: this cap changes nothing: "

static void test_trees(void **state)
{
	static const struct row rows[] = {
		{"    grade: decides\n    if_no: {rule_out: \"it lost {max($lost, 0)}\"}",
		 "    grade: supports",
		 "base.yaml:18:5: error: nothing speaks for base here: a question that requires or decides must come before it\n"
		 "      - conclude: base\n        ^\n"},
		{"iface.link_kind == \"physical\"", "$lost > $most",
		 "base.yaml:16:11: warning: this question changes nothing: line 11 has asked it on the way here\n"
		 "        test: $lost > $most\n              ^\n"},
		{"    grade: supports\n    if_no: {cap: suspected}\n",
		 "    if_no: {cap: suspected, rule_out: x}\n",
		 "base.yaml:17:18: " IDLE "the walk ends here without a finding\n"
		 "        if_no: {cap: suspected, rule_out: x}\n"
		 "                     ^\n"},
		{"    grade: decides\n", "", ""},
		{"    grade: decides\n", "    if_unknown: {cap: suspected}\n",
		 "base.yaml:13:23: " IDLE "an unknown of a question that is required does as much\n"
		 "        if_unknown: {cap: suspected}\n                          ^\n"},
		{"    grade: decides\n", "    grade: decides\n    if_unknown: {cap: likely}\n",
		 "base.yaml:14:23: " IDLE
		 "an unknown of the only question that decides does as much\n"
		 "        if_unknown: {cap: likely}\n                          ^\n"},
		{"    grade: decides\n", "    grade: decides\n    if_unknown: {cap: suspected}\n",
		 ""},
	};

	(void)state;
	expect_said(rows, ND_ARRAY_LEN(rows), false);
}

/* A question that only turns the walk, in whatever direction it would have gone. */
static const char turns[] = "rule: base\n"
			    "title: x\n"
			    "scope: cpu\n"
			    "tree:\n"
			    "  - ask: Is it on?\n"
			    "    test: cpu.softnet.dropped.delta > 0\n"
			    "    if_yes: {conclude: base}\n"
			    "    if_no: {conclude: base}\n"
			    "    if_unknown: {conclude: base}\n"
			    "causes:\n"
			    "  base: {title: x, because: y}\n";

static void test_turns(void **state)
{
	char *got = said(turns, false);

	(void)state;
	assert_string_equal(
		got,
		"base.yaml:5:5: warning: this question changes nothing: every answer leads to the same place; as a hint it has grade: supports\n"
		"      - ask: Is it on?\n        ^\n"
		"base.yaml:11:3: warning: a host has many cpus: say whether each is reported, or all together (report: each, or together with worst_by)\n"
		"      base: {title: x, because: y}\n      ^\n");
	free(got);
}

static void test_files(void **state)
{
	static const struct row rows[] = {
		{"arith: fewer", "guess: fewer",
		 "base.yaml:6:29: warning: a guess: measure it in the lab, or find a case or a source\n"
		 "      few: {value: 20, origin: \"guess: fewer are noise\"}\n"
		 "                                ^\n"},
		{"scope: iface\n", "  more: {value: 1, origin: arith}\nscope: iface\n",
		 "base.yaml:7:3: warning: parameter more is used nowhere: remove it\n"
		 "      more: {value: 1, origin: arith}\n      ^\n"},
		{"let:\n", "let:\n  nobody: nonsense(\n",
		 "base.yaml:9:3: warning: $nobody is used nowhere, and so was not even checked: use or remove it\n"
		 "      nobody: nonsense(\n      ^\n"},
		{"let:\n", "logs: {line: {match: a}}\nlet:\n",
		 "base.yaml:8:8: warning: log pattern line is used nowhere: remove it\n"
		 "    logs: {line: {match: a}}\n           ^\n"},
		{"scope: iface\n", "tally: {rows: {over: samples, where: mss > 0}}\nscope: iface\n",
		 "base.yaml:7:9: warning: tally rows is counted for nobody: remove it\n"
		 "    tally: {rows: {over: samples, where: mss > 0}}\n            ^\n"},
		{"causes:\n", "notes: {n: {scope: host, test: 1 > 0, says: x}}\ncauses:\n",
		 "base.yaml:20:32: warning: this asks no fact: its answer never changes\n"
		 "    notes: {n: {scope: host, test: 1 > 0, says: x}}\n"
		 "                                   ^\n"},
		{"scope: iface\n", "scope: iface \t\n",
		 "base.yaml:7:13: warning: blanks at the end of the line\n"
		 "    scope: iface \t\n                ^\n"},
		{"scope: iface\n", "scope: iface\r\n", ""},
		{"title: A rule to be spoilt\n",
		 "title: >-\n"
		 "  12345678 1012345678 2012345678 3012345678 4012345678 5012345678 6012345678 7012345678 "
		 "8012345678 9012345678 10123456789\n",
		 "base.yaml:4:121: warning: more than 120 characters in a line: fold the text with >-, or name a part of it under let\n"
		 "    …678 4012345678 5012345678 6012345678 7012345678 8012345678 9012345678 10123456789\n"
		 "                                                                                     ^\n"},
		/* shell text cannot be folded */
		{"          echo {iface.key}\n",
		 "          echo 12345678 1012345678 2012345678 3012345678 4012345678 5012345678 6012345678 7012345678 "
		 "8012345678 9012345678\n",
		 ""},
		{"    because: \"{$lost}", "    explains: [nic-ring, bas]\n    because: \"{$lost}",
		 "base.yaml:23:26: warning: no rule concludes bas; nearest is base\n"
		 "        explains: [nic-ring, bas]\n                             ^\n"},
		{"    because: \"{$lost}", "    explains: base\n    because: \"{$lost}",
		 "base.yaml:23:15: error: an explanation in a circle: base → base; one of them must let go\n"
		 "        explains: base\n                  ^\n"},
		{"{cause: base}", "{cause: base, wrod: likely}",
		 "base.yaml:40:68: error: unknown key \"wrod\"; nearest is word\n"
		 "          - {iface:eth0: {rx.dropped.delta: 80}, expect: {cause: base, wrod: likely}}\n"
		 "                                                                       ^\n"},
	};

	(void)state;
	expect_said(rows, ND_ARRAY_LEN(rows), false);
}

static void test_tests(void **state)
{
	static const struct row rows[] = {
		{"      - {iface:eth0: {rx.dropped.delta: 9}, expect: none}\n", "",
		 "base.yaml:36:1: error: no test asks and finds nothing: give the facts of a host that is busy and healthy, and expect: none\n"
		 "    tests:\n    ^\n"},
		{"      - {iface:eth0: {rx.dropped.delta: 80}, expect: {cause: base}}\n", "",
		 "base.yaml:21:3: error: no test concludes base: give the facts of a host that has it, and expect: {cause: base}\n"
		 "      base:\n      ^\n"},
		{"      - {iface:eth0: {rx.dropped: {missing: no-permission}}, expect: {open: base}}\n",
		 "",
		 "base.yaml:21:3: error: no test leaves base open: take a fact away that decides it (missing: no-permission), and expect: {open: base}\n"
		 "      base:\n      ^\n"},
		{"{cause: base}", "{cause: none}",
		 "base.yaml:36:1: error: 1 of the tests fail: netdoctor rules test shows them\n"
		 "    tests:\n    ^\n"},
	};

	(void)state;
	expect_said(rows, ND_ARRAY_LEN(rows), true);
}

static void test_without_tests(void **state)
{
	char *text = nd_strdup(base), *got;

	(void)state;
	strstr(text, "tests:\n  -")[0] = '\0';
	got = said(text, true);
	assert_string_equal(
		got,
		"base.yaml:2:1: error: tests are missing: one that concludes, one of a busy host where nothing is found, one where a deciding fact is missing\n"
		"    rule: base\n    ^\n");
	free(got);
	free(text);
}

/* Causes of several files, and a narrower one that stands for the wider. */
static void test_circle(void **state)
{
	static const char *const paths[] = {"a.yaml", "b.yaml"};
	static const char *const texts[] = {
		"rule: a\ntitle: x\nscope: host\n"
		"tree: [{ask: x, test: host.hz > 0, if_no: open}, {conclude: a}]\n"
		"causes: {a: {title: x, because: y, explains: wide}}\n",
		"rule: b\ntitle: x\nscope: host\n"
		"tree: [{ask: x, test: host.hz > 0, if_no: open, if_yes: {conclude: wide}, if_unknown: {conclude: narrow}}]\n"
		"causes:\n"
		"  wide: {title: x, because: y}\n"
		"  narrow: {title: x, because: y, narrows: wide, explains: [wide, a]}\n",
	};
	char *got = said_of(paths, texts, 2, false);

	(void)state;
	assert_string_equal(
		got,
		"a.yaml:5:46: error: an explanation in a circle: a → narrow → a; one of them must let go\n"
		"    causes: {a: {title: x, because: y, explains: wide}}\n"
		"                                                 ^\n"
		"b.yaml:7:59: error: an explanation in a circle: narrow → a → narrow; one of them must let go\n"
		"      narrow: {title: x, because: y, narrows: wide, explains: [wide, a]}\n"
		"                                                              ^\n");
	free(got);
}

static void test_library(void **state)
{
	static const char *const path = "lib.yaml";
	static const char *const text =
		"library: lib\nparams: {a: {value: 1%, origin: arith}, b: {value: 1%, origin: \"guess: x\"}}\n"
		"derive:\n  cpu.hot: {value: cpu.time.soft > $a and cpu.time.irq > 7%}\n";
	char *got = said_of(&path, &text, 1, false);

	(void)state;
	assert_string_equal(
		got,
		"lib.yaml:2:65: warning: a guess: measure it in the lab, or find a case or a source\n"
		"    params: {a: {value: 1%, origin: arith}, b: {value: 1%, origin: \"guess: x\"}}\n"
		"                                                                    ^\n"
		"lib.yaml:2:41: warning: parameter b is used nowhere: remove it\n"
		"    params: {a: {value: 1%, origin: arith}, b: {value: 1%, origin: \"guess: x\"}}\n"
		"                                            ^\n"
		"lib.yaml:4:58: " NUMBER
		"      cpu.hot: {value: cpu.time.soft > $a and cpu.time.irq > 7%}\n"
		"                                                             ^\n");
	free(got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_to_say), cmocka_unit_test(test_questions),
		cmocka_unit_test(test_trees),	       cmocka_unit_test(test_turns),
		cmocka_unit_test(test_files),	       cmocka_unit_test(test_tests),
		cmocka_unit_test(test_without_tests),  cmocka_unit_test(test_circle),
		cmocka_unit_test(test_library),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
