/* What the judge says of a walk: the word, caps, refutations, what is ruled out and what stays open, and
 * the verdict over all of it. */
#include "tests/unit/judge_view.h"

/* ---- the word ---- */

/* Questions as grade and answer: R requires, D decides, S supports; y yes, o yes from the lifetime, n no,
 * z no from the lifetime, u unknown; then L or S: what a yes caps the word to. */
static void build(const char *path, struct nd_buf *rule, struct nd_buf *given)
{
	static const char *const grades[] = {
		['R'] = "requires", ['D'] = "decides", ['S'] = "supports"};
	static const char *const facts[] = {['y'] = "d.delta: 5",
					    ['o'] = "d: {total: 5}",
					    ['n'] = "d.delta: 0",
					    ['z'] = "d: {total: 0}",
					    ['u'] = "d: {missing: silent}"};
	unsigned i = 0;

	nd_buf_puts(rule, "rule: one\ntitle: t\nscope: host\ntree:\n");
	while (*path) {
		nd_buf_printf(rule, "  - {ask: q%u, test: 'cpu(%u).d.seen > 0', grade: %s", i, i,
			      grades[(unsigned char)path[0]]);
		if (path[0] != 'S')
			nd_buf_puts(rule, ", if_no: {rule_out: 'no it is'}, if_unknown: next");
		if (path[2] == 'L' || path[2] == 'S')
			nd_buf_printf(rule, ", if_yes: {cap: %s}",
				      path[2] == 'L' ? "likely" : "suspected");
		nd_buf_puts(rule, "}\n");
		nd_buf_printf(given, "cpu:%u: {%s}\n", i++, facts[(unsigned char)path[1]]);
		path += strcspn(path, " ");
		path += strspn(path, " ");
	}
	nd_buf_puts(rule, "  - conclude: a\ncauses: {a: {title: t, because: b}}\n");
}

static void test_words(void **state)
{
	static const struct {
		const char *path, *want;
		int supports;
		const char *cap; /* why the word is no higher */
	} rows[] = {
		{"Ry Dy", "confirmed", 0, NULL},
		{"Dy", "confirmed", 0, NULL},
		{"Dy Ry", "confirmed", 0, NULL},
		{"Dy Dy", "confirmed", 0, NULL},
		{"Dy Du", "confirmed", 0, NULL},
		{"Du Dy", "confirmed", 0, NULL},
		{"Dy Sn", "confirmed", -1, NULL},
		{"Dy So", "confirmed", 1, NULL}, /* a hint need not be fresh */
		{"Ry", "likely", 0, NULL},
		{"Ry Ry", "likely", 0, NULL},
		{"Ry Du", "likely", 0, NULL},
		{"Ry Sy Sy Sn Su", "likely", 1, NULL},
		{"Ry Su", "likely", 0, NULL},
		{"Ro Dy", "likely", 0, NULL}, /* a full queue now lifts an old counter */
		{"Dy Ro", "likely", 0, NULL},
		{"Dy Do", "likely", 0, NULL},
		{"Ro Dy Du", "likely", 0, NULL},
		{"Ro", "suspected", 0, NULL},
		{"Do", "suspected", 0, NULL},
		{"Ro Do", "suspected", 0, NULL},
		{"Ro Du", "suspected", 0, NULL},
		{"Ry Do", "suspected", 0, NULL},
		{"Ro Ry", "suspected", 0, NULL},
		{"Ru Dy", "suspected", 0, NULL},
		{"Ru Ry", "suspected", 0, NULL},
		{"Ru Ry Dy", "suspected", 0, NULL},
		{"Ru Sy", "suspected", 1, NULL},
		{"Du Sy", "likely", 1, NULL}, /* no requires, decides unknown, a yes on the path */
		{"Ru So", "suspected", 1, NULL},
		{"Ru", "open", 0, NULL},
		{"Du", "open", 0, NULL},
		{"Ru Du", "open", 0, NULL},
		{"Ru Sn", "open", 0, NULL},
		{"Du Su", "open", 0, NULL},
		{"Rn", "ruled out", 0, NULL},
		{"Rz", "ruled out", 0, NULL}, /* since boot */
		{"Ry Dn", "ruled out", 0, NULL},
		{"Ru Dn", "ruled out", 0, NULL},
		{"Du Rz Sy", "ruled out", 0, NULL},
		/* caps */
		{"DyL", "likely", 0, "q0"},
		{"DyS", "suspected", 0, "q0"},
		{"DyL RyS", "suspected", 0, "q1"},
		{"DyS RyL", "suspected", 0, "q0"},
		{"RyL", "likely", 0, NULL}, /* no higher anyway */
		{"RoL", "suspected", 0, NULL},
		{"Dy SyL", "likely", 1, "q1"},
		{"Dy SnL", "confirmed", -1, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct nd_buf rule = {0}, given = {0};
		const struct nd_findings *r;
		const char *got;
		struct judged j;

		build(rows[i].path, &rule, &given);
		open_judged(&j, (const char *const[]){nd_buf_str(&rule), NULL}, nd_buf_str(&given));
		r = judge(&j);
		assert_int_equal(r->n_findings + r->n_open + r->n_ruled_out, 1);
		got = r->n_findings ? nd_word_name(r->findings[0].word)
		      : r->n_open   ? "open"
				    : "ruled out";
		if (strcmp(got, rows[i].want) != 0)
			fail_msg("%s: %s, expected %s", rows[i].path, got, rows[i].want);
		if (r->n_findings) {
			assert_int_equal(r->findings[0].supports, rows[i].supports);
			same_text(r->findings[0].cap, rows[i].cap, rows[i].path);
		}
		if (r->n_ruled_out)
			assert_int_equal(r->ruled_out[0].since_boot,
					 strchr(rows[i].path, 'z') != NULL);
		close_judged(&j);
		nd_buf_free(&rule);
		nd_buf_free(&given);
	}
}

/* ---- whole outcomes ---- */

#define ONE "rule: one\ntitle: t\n"
#define PLAIN "{title: t, because: b}"
#define ASK(test) "{ask: q, test: '" test "', if_no: {rule_out: 'no {host.x}'}}"
#define CPU_TREE ONE "scope: cpu\ntree:\n  - " ASK("cpu.b") "\n  - conclude: a\n"

/* An answer that only chose the way counts for nothing: a no that led on, an unknown whose yes could not
 * have led here. */
static void test_choosing(void **state)
{
	static const char fork[] =
		ONE "scope: cpu\ntree:\n"
		    "  - {ask: r, test: cpu.x > 0, grade: decides, if_no: {rule_out: n}}\n"
		    "  - {ask: which, test: cpu.b, if_yes: {conclude: a}, if_no: {conclude: o}, "
		    "if_unknown: {conclude: o}}\n"
		    "causes: {a: " PLAIN ", o: " PLAIN "}\n";
	static const char lists[] =
		ONE "scope: cpu\ntree:\n"
		    "  - {ask: r, test: cpu.b, if_no: {go: other}, if_unknown: {go: other}}\n"
		    "  - {ask: s, test: cpu.c, grade: decides, if_no: {rule_out: 'not a'}}\n"
		    "  - conclude: a\n"
		    "branches:\n  other:\n"
		    "    - {ask: t, test: cpu.x > 0, grade: decides, if_no: {rule_out: 'not o'}}\n"
		    "    - conclude: o\n"
		    "causes: {a: " PLAIN ", o: " PLAIN "}\n";
	static const char nested[] =
		ONE "scope: cpu\ntree:\n"
		    "  - ask: r\n    test: cpu.b\n    if_no: open\n    if_unknown:\n"
		    "      - {ask: s, test: cpu.c, if_no: {rule_out: 'not a'}}\n"
		    "  - {ask: t, test: cpu.x > 0, grade: decides, if_no: {rule_out: 'not a'}}\n"
		    "  - conclude: a\n"
		    "causes: {a: " PLAIN "}\n";
	static const struct outcome rows[] = {
		{fork, "cpu:0: {x: 1, b: yes}\n", "a cpu:0 confirmed trigger\nout o\n"},
		{fork, "cpu:0: {x: 1, b: no}\n", "o cpu:0 confirmed trigger\nout a\n"},
		{fork, "cpu:0: {x: 1}\n", "o cpu:0 confirmed trigger\nopen a: cpu.b\n"},
		{fork, "cpu:0: {b: yes}\n", "open o: cpu.x\nopen a: cpu.x\n"},
		{fork, "cpu:0: {x: 0}\n", "out o\nout a\n"},
		{lists, "cpu:0: {b: yes, c: yes}\n", "a cpu:0 confirmed trigger\nout o\n"},
		{lists, "cpu:0: {b: no, x: 1}\n", "o cpu:0 confirmed trigger\nout a\n"},
		{lists, "cpu:0: {x: 1}\n", "o cpu:0 confirmed trigger\nopen a: cpu.b\n"},
		{lists, "cpu:0: {x: 0}\n", "open a: cpu.b\nout o\n"},
		{lists, "cpu:0: {b: yes, c: no}\n", "out o\nout a\n"},
		{nested, "cpu:0: {b: yes, x: 1}\n", "a cpu:0 confirmed trigger\n"},
		{nested, "cpu:0: {c: yes, x: 1}\n", "a cpu:0 suspected trigger\n"},
		{nested, "cpu:0: {c: no, x: 1}\n", "out a\n"},
		{nested, "cpu:0: {b: no, x: 1}\n", "open a: \n"},
	};

	(void)state;
	check_outcomes(rows, ND_ARRAY_LEN(rows));
}

static void test_refute(void **state)
{
#define REFUTED(then)                                                                                                \
	CPU_TREE                                                                                                     \
	"causes:\n  a:\n    title: t\n    because: b\n    refute:\n      - {test: cpu.c, because: 'it is cold'" then \
	"}\n"
	static const char plain[] = REFUTED("");
	static const char capped[] = REFUTED(", then: {cap: suspected}");
	static const struct outcome rows[] = {
		{plain, "cpu:0: {b: yes, c: no}\n", "a cpu:0 likely trigger\n"},
		{plain, "cpu:0: {b: yes, c: absent}\n", "a cpu:0 likely trigger\n"},
		{plain, "cpu:0: {b: yes, c: yes}\n", "out a\n"},
		{plain, "cpu:0: {b: no}\n", "out a\n"},
		{capped, "cpu:0: {b: yes, c: yes}\n", "a cpu:0 suspected trigger\n"},
		{capped, "cpu:0: {b: yes, c: no}\n", "a cpu:0 likely trigger\n"},
		{capped, "cpu:0: {b: yes}\n", "a cpu:0 likely trigger\n"},
	};
	static const char decided[] = ONE
		"scope: cpu\ntree:\n"
		"  - {ask: q, test: cpu.b, grade: decides, if_no: {rule_out: n}}\n"
		"  - conclude: a\n"
		"causes: {a: {title: t, because: b, refute: [{test: cpu.c, because: it is cold}]}}\n";
	struct judged j;

	(void)state;
	check_outcomes(rows, ND_ARRAY_LEN(rows));
	open_judged(&j, (const char *const[]){decided, NULL}, "cpu:0: {b: yes}\n");
	assert_int_equal(judge(&j)->findings[0].word, ND_LIKELY); /* not checked: at most likely */
	assert_non_null(strstr(j.out->findings[0].cap, "it is cold"));
	close_judged(&j);
	open_judged(&j, (const char *const[]){decided, NULL}, "cpu:0: {b: yes, c: yes}\n");
	assert_string_equal(judge(&j)->ruled_out[0].because, "it is cold");
	assert_string_equal(j.out->ruled_out[0].ask, "");
	close_judged(&j);
}

static void test_excludes(void **state)
{
#define TWO(first, second)                                                                         \
	ONE "trees:\n"                                                                             \
	    "  l: {scope: cpu, tree: [{ask: q, test: cpu.b, grade: " first                         \
	    ", if_no: {rule_out: n}}, {conclude: a}]}\n"                                           \
	    "  r: {scope: cpu, tree: [{ask: q, test: cpu.c, grade: " second                        \
	    ", if_no: {rule_out: n}}, {conclude: o}]}\n"                                           \
	    "causes: {a: {title: t, because: b, excludes: [o]}, o: " PLAIN "}\n"
	static const char equal[] = TWO("requires", "requires"),
			  weaker[] = TWO("requires", "decides");
	static const char stronger[] = TWO("decides", "requires");
	static const struct outcome rows[] = {
		{equal, "cpu:0: {b: yes, c: yes}\n", "a cpu:0 likely trigger\nout o\n"},
		{stronger, "cpu:0: {b: yes, c: yes}\n", "a cpu:0 confirmed trigger\nout o\n"},
		{weaker, "cpu:0: {b: yes, c: yes}\n", "o cpu:0 confirmed trigger\nout a\n"},
		{equal, "cpu:0: {b: no, c: yes}\n", "o cpu:0 likely trigger\nout a\n"},
		{equal, "cpu:0: {b: yes, c: no}\ncpu:1: {b: no, c: yes}\n",
		 "a cpu:0 likely trigger\no cpu:1 likely trigger\n"},
	};

	(void)state;
	check_outcomes(rows, ND_ARRAY_LEN(rows));
}

/* The same cause and entity from two trees: the stronger stays. */
static void test_doubles(void **state)
{
#define SAME(first, second)                                                                        \
	ONE "trees:\n"                                                                             \
	    "  l: {scope: cpu, tree: [{ask: q, test: cpu.b, grade: " first                         \
	    ", if_no: {rule_out: n}}, {conclude: a}]}\n"                                           \
	    "  r: {scope: cpu, tree: [{ask: q, test: cpu.c, grade: " second                        \
	    ", if_no: {rule_out: n}}, {conclude: a}]}\n"                                           \
	    "causes: {a: " PLAIN "}\n"
	static const char a[] = SAME("requires", "decides"), b[] = SAME("decides", "requires");
	static const struct outcome rows[] = {
		{a, "cpu:0: {b: yes, c: yes}\n", "a cpu:0 confirmed trigger\n"},
		{b, "cpu:0: {b: yes, c: yes}\n", "a cpu:0 confirmed trigger\n"},
		{a, "cpu:0: {b: yes}\n", "a cpu:0 likely trigger\n"},
		{a, "cpu:0: {b: no}\n", "open a: cpu.c\n"},
	};

	(void)state;
	check_outcomes(rows, ND_ARRAY_LEN(rows));
}

/* ---- not found ---- */

static void test_gates(void **state)
{
#define GATED(core)                                                                                \
	ONE core "scope: cpu\nwhen: cpu.b\ntree:\n  - " ASK(                                       \
		"cpu.x > 0") "\n  - conclude: a\ncauses: {a: " PLAIN "}\n"
	static const char gated[] = GATED(""), core[] = GATED("core: yes\n");
	static const struct outcome rows[] = {
		{gated, "cpu:0: {b: yes, x: 1}\n", "a cpu:0 likely trigger\n"},
		{gated, "cpu:0: {b: no, x: 1}\n", ""},
		{gated, "cpu:0: {b: absent, x: 1}\n", ""},
		{gated, "cpu:0: {x: 1}\n", "unexamined one cpu:0: cpu.b\n"},
		{gated, "cpu:0: {x: 1}\ncpu:1: {b: yes, x: 1}\n",
		 "a cpu:1 likely trigger\nunexamined one cpu:0: cpu.b\n"},
		{gated, "host: {x: 1}\n", "unexamined one: cpus\n"},
		{gated, "none: [cpu]\n", ""},
		{core, "cpu:0: {b: yes, x: 0}\n", "out a\n"},
	};
	static const struct {
		const char *rule, *given;
		enum nd_verdict verdict;
		const char *headline;
	} verdicts[] = {
		{gated, "cpu:0: {b: no}\n", ND_HEALTHY,
		 "no cause found; 1 of 1 trees could be examined"},
		{gated, "cpu:0: {x: 1}\n", ND_HEALTHY,
		 "no cause found; 0 of 1 trees could be examined"},
		{core, "cpu:0: {x: 1}\n", ND_INCONCLUSIVE,
		 "no cause found; 0 of 1 trees could be examined"},
		{core, "host: {x: 1}\n", ND_INCONCLUSIVE,
		 "no cause found; 0 of 1 trees could be examined"},
		{core, "cpu:0: {b: no}\n", ND_HEALTHY,
		 "no cause found; 1 of 1 trees could be examined"},
		{gated, "cpu:0: {b: yes}\n", ND_INCONCLUSIVE,
		 "no cause found, 1 could not be ruled out; 1 of 1 trees could be examined"},
		{gated, "cpu:0: {b: yes, x: 0}\n", ND_HEALTHY,
		 "no cause found; 1 of 1 trees could be examined"},
		{gated, "cpu:0: {b: yes, x: 1}\n", ND_CAUSES, "a on cpu:0 (likely)"},
	};

	(void)state;
	check_outcomes(rows, ND_ARRAY_LEN(rows));
	for (size_t i = 0; i < ND_ARRAY_LEN(verdicts); i++) {
		struct judged j;

		open_judged(&j, (const char *const[]){verdicts[i].rule, NULL}, verdicts[i].given);
		assert_int_equal(judge(&j)->verdict, verdicts[i].verdict);
		assert_string_equal(j.out->headline, verdicts[i].headline);
		close_judged(&j);
	}
}

/* A suspicion alone is no verdict. */
static void test_suspicion(void **state)
{
	static const char old[] = ONE "scope: cpu\ntree:\n  - " ASK(
		"cpu.d.seen > 0") "\n  - conclude: a\ncauses: {a: " PLAIN "}\n";
	struct judged j;

	(void)state;
	open_judged(&j, (const char *const[]){old, NULL}, "cpu:0: {d: {total: 4}}\n");
	assert_int_equal(judge(&j)->verdict, ND_INCONCLUSIVE);
	assert_string_equal(j.out->headline, "a on cpu:0 (suspected)");
	assert_true(j.out->findings[0].evidence[0].stale);
	assert_string_equal(j.out->findings[0].evidence[0].values[0].fact, "cpu.d.seen");
	close_judged(&j);
}

/* Of many entities the one that came nearest is shown; what is open is not ruled out. */
static void test_nearest(void **state)
{
	static const char deep[] = ONE
		"scope: cpu\ntree:\n  - {ask: \"first of {cpu}\", test: cpu.b, if_no: {rule_out: 'no b'}}\n"
		"  - {ask: \"second of {cpu}\", test: cpu.x > 4, if_no: {rule_out: 'x is {cpu.x}'}}\n"
		"  - conclude: a\ncauses: {a: " PLAIN "}\n";
	const struct nd_findings *r;
	struct judged j;

	(void)state;
	open_judged(
		&j, (const char *const[]){deep, NULL},
		"cpu:0: {b: no}\ncpu:1: {b: yes, x: 3}\ncpu:2: {b: no}\ncpu:3: {b: yes, x: 2}\n");
	r = judge(&j);
	assert_int_equal(r->n_ruled_out, 1);
	assert_string_equal(r->ruled_out[0].entity, "cpu:1");
	assert_string_equal(r->ruled_out[0].because, "x is 3");
	assert_string_equal(r->ruled_out[0].ask, "second of cpu:1");
	assert_int_equal(r->ruled_out[0].others, 3);
	close_judged(&j);
	open_judged(&j, (const char *const[]){deep, NULL},
		    "cpu:0: {b: {missing: no-permission}}\ncpu:1: {b: yes, x: 3}\n");
	r = judge(&j);
	assert_int_equal(r->n_ruled_out, 0);
	assert_int_equal(r->n_open, 1);
	assert_string_equal(r->open[0].entity, "cpu:0");
	assert_int_equal(r->open[0].missing[0].why, ND_NO_PERMISSION);
	close_judged(&j);
}

/* ---- contradictions, notes, next ---- */

static void test_distrust(void **state)
{
	static const char text[] = ONE
		"contradictions:\n"
		"  odd: {scope: cpu, test: cpu.x > cpu.y, says: '{cpu} is odd', distrust: [cpu.x]}\n"
		"  all: {test: host.b, says: host is odd, distrust: [cpu.x]}\n"
		"notes: {calm: {scope: cpu, test: cpu.c, says: '{cpu} is calm'}}\n"
		"scope: cpu\ntree:\n"
		"  - {ask: q, test: cpu.x > 1, grade: decides, if_no: {rule_out: n}}\n"
		"  - conclude: a\ncauses: {a: " PLAIN "}\n";
	static const struct outcome rows[] = {
		{text, "cpu:0: {x: 2, y: 9}\nhost: {b: no}\n", "a cpu:0 confirmed trigger\n"},
		{text, "cpu:0: {x: 2, y: 1}\nhost: {b: no}\n",
		 "a cpu:0 suspected trigger\ncontradiction odd cpu:0: cpu:0 is odd\n"},
		{text, "cpu:0: {x: 2, y: 1}\ncpu:1: {x: 2, y: 9}\nhost: {b: no}\n",
		 "a cpu:1 confirmed trigger\na cpu:0 suspected trigger\n"
		 "contradiction odd cpu:0: cpu:0 is odd\n"},
		{text, "cpu:0: {x: 2, y: 9}\nhost: {b: yes}\n",
		 "a cpu:0 suspected trigger\ncontradiction all host: host is odd\n"},
		{text, "cpu:0: {x: 1, y: 9}\nhost: {b: no}\n", "out a\n"},
		{text, "cpu:0: {x: 1, y: 9}\nhost: {b: yes}\n",
		 "open a: \ncontradiction all host: host is odd\n"}, /* a doubtful no */
		{text, "cpu:0: {x: 0, y: 9, c: yes}\ncpu:1: {x: 0, c: yes}\nhost: {b: no}\n",
		 "out a\nnote calm cpu:0: cpu:0 is calm +1\n"},
		{text, "cpu:0: {x: 0, y: {missing: silent}}\n", "out a\n"},
	};

	(void)state;
	check_outcomes(rows, ND_ARRAY_LEN(rows));
}

static void test_next(void **state)
{
#define NEXT(test)                                                                                 \
	ONE "scope: cpu\ntree:\n  - {ask: q, test: '" test                                         \
	    "', if_no: {rule_out: n}}\n  - conclude: a\ncauses: {a: " PLAIN "}\n"
	static const struct {
		const char *rule, *given, *want;
	} rows[] = {
		{NEXT("cpu.probed > 0"), "cpu:7: {x: 1}\n",
		 "the `spy` probe would decide: it gives `cpu.probed`"},
		{NEXT("cpu.shown > 0"), "cpu:7: {x: 1}\n",
		 "collect `cpu.shown`: `cat /cpu/7/shown`"},
		{NEXT("cpu.d.rate > 0/s"), "cpu:7: {d: {total: 3}}\n",
		 "take a second reading of `cpu.d.rate` some seconds later"},
		{NEXT("p99(cpu.h) > 1ms"), "cpu:7: {h: {1ms..2ms: 5}}\n",
		 "measure longer: too few samples for `p99(cpu.h) > 1ms`"},
		{NEXT("ratio(cpu.d.seen, cpu.e.seen, 20) > 5%"),
		 "cpu:7: {d.delta: 1, e.delta: 9}\n",
		 "measure longer: too few samples for `ratio(cpu.d.seen, cpu.e.seen, 20) > 5%`"},
		{NEXT("cpu.d.seen > cpu.e.seen"), "cpu:7: {d: {total: 1}, e.delta: 9}\n",
		 "read all of `cpu.d.seen > cpu.e.seen` twice, some seconds apart: now its values are "
		 "of different times"},
		{NEXT("cpu.x > 0"), "cpu:7: {b: yes}\n", "find out `cpu.x` of `cpu:7`"},
		{NEXT("cpu.x > 0"), "cpu:7: {x: 0}\n", NULL},
		{NEXT("cpu.x > 0"), "cpu:7: {x: 1}\n", NULL},
	};
	static const char unsure[] = ONE
		"scope: cpu\ntree:\n  - {ask: q, test: cpu.x > 0, if_no: {rule_out: n}}\n"
		"  - {ask: s, test: cpu.shown > 0, grade: supports}\n"
		"  - {ask: d, test: cpu.probed > 0, grade: decides, if_no: {rule_out: n}, if_unknown: next}\n"
		"  - conclude: a\ncauses: {a: " PLAIN "}\n";
	struct judged j;

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		open_judged(&j, (const char *const[]){rows[i].rule, NULL}, rows[i].given);
		same_text(judge(&j)->next, rows[i].want, rows[i].given);
		close_judged(&j);
	}
	open_judged(&j, (const char *const[]){unsure, NULL}, "cpu:7: {x: 1}\n");
	assert_string_equal(judge(&j)->next, "the `spy` probe would decide: it gives `cpu.probed`");
	close_judged(&j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),	  cmocka_unit_test(test_choosing),
		cmocka_unit_test(test_refute),	  cmocka_unit_test(test_excludes),
		cmocka_unit_test(test_doubles),	  cmocka_unit_test(test_gates),
		cmocka_unit_test(test_suspicion), cmocka_unit_test(test_nearest),
		cmocka_unit_test(test_distrust),  cmocka_unit_test(test_next),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
