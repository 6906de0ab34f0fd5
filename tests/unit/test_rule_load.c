/* Rule files: limits of size and depth, wordings by kind, carets within holes, and whole directories. */
#include "tests/unit/rule_fixture.h"
#include "tests/unit/temp_tree.h"

#include <errno.h>

#define CHAIN "more than 64 lets and derived facts that need each other in a chain"
#define WEIGHT "more than 10,000 operations when its lets and derived facts are written out"
#define NOD "cpu has no fact or relation \"nod\"; nearest is node"
#define GOOD(name) "rule: " name "\ntitle: t\nscope: cpu\n" TREE ASK END CAUSES CAUSE

static const struct rule_row rules[] = {
	{"hole behind blanks", .causes = "  c: {title: \"a {  cpu.nod }\", because: b}\n",
	 .want = "8:24: cpu has no fact or relation \"nod\"; nearest is node"},
	{"hole over lines",
	 .causes = "  c:\n    title: >-\n      a {\n      cpu.nod}\n    because: b\n",
	 .want = "11:11: cpu has no fact or relation \"nod\"; nearest is node"},
	{"second hole", .causes = "  c: {title: \"{{ {cpu.node} {cpu.nod}\", because: b}\n",
	 .want = "8:34: cpu has no fact or relation \"nod\"; nearest is node"},
	{"hole with a log line", .top = "logs: {a: {match: x}}\n",
	 .causes = "  c: {title: \"{only(host.log.a)}\", because: b}\n",
	 .want = "9:15: a log line has no name: print its text, age or a group"},
	{"long path in a filter",
	 .tree = "  - ask: q\n"
		 "    test: count(cpus[a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q]) > 0\n"
		 "    if_no: {rule_out: n}\n" END,
	 .want = "6:22: a path of more than 16 names"},
	{"share", .causes = "  c: {title: t, because: b, accounts: {share: cpu.delay}}\n",
	 .want = "8:47: share is a share"},
	{"title list", .causes = "  c: {title: [t], because: b}\n", .want = "8:14: expected text"},
	{"explains map", .causes = "  c: {title: t, because: b, explains: [x, {y: z}]}\n",
	 .want = "8:43: expected text"},
	{"cause text", .causes = "  c: x\n",
	 .want = "8:6: expected keys and values here, such as \"title: …\"\n"
		 "1:1: cause c is concluded, but not declared under causes"},
	{"worst_by list", .causes = "  c: {title: t, because: b, worst_by: [cpu.node]}\n",
	 .want = "8:39: expected an expression"},
	{"param text", .top = "params: {p: 5}\n",
	 .want = "4:13: expected keys and values here, such as \"value: …\""},
	{"param list", .top = "params: {p: {value: [5], origin: \"lab: x\"}}\n",
	 .want = "4:21: value must be text"},
	{"origin list", .top = "params: {p: {value: 5, origin: [x]}}\n",
	 .want = "4:32: origin must be text"},
	{"log text", .top = "logs: {a: x}\n",
	 .want = "4:11: expected keys and values here, such as \"match: …\""},
	{"tally no where", .top = "tally: {a: {over: samples}}\n",
	 .want = "4:12: where is missing"},
	{"branches text", .top = "branches: x\n",
	 .want = "4:11: branches: names and lists of nodes"},
	{"branch text", .top = "branches: {x: y}\n", .tree = NODE("if_no: {go: x}") END,
	 .want = "4:15: expected a list of nodes\n"
		 "4:12: a way through this branch ends without conclude, rule_out, go or open"},
	{"go list", .tree = NODE("if_no: {go: [x]}") END,
	 .want = "5:46: no branch of this name under branches"},
	{"go to what ends nowhere behind a list",
	 .tree = NODE("if_no: {do: [{ask: w, test: cpu.online, if_no: {go: y}}]}") END,
	 .want = "5:86: no branch of this name under branches"},
	{"list that ends",
	 .tree = NODE("if_no: [{ask: w, test: cpu.online, grade: supports}, "
		      "{conclude: c}]") END,
	 .want = ""},
	{"unreachable in a list",
	 .tree = NODE("if_no: [{ask: w, test: cpu.online, if_no: open, if_yes: {conclude: c}}, "
		      "{conclude: c}]") END,
	 .want = "5:106: nothing reaches this node: every answer before it ends the walk"},
	{"node text", .tree = ASK "  - x\n" END,
	 .want = "6:5: expected keys and values here, such as \"ask: …\""},
	{"each text", .causes = FIX("disrupts: no, verify: cpu.online, each: x, run: x, undo: y"),
	 .want = "12:83: each: names and sets"},
	{"sysctl text", .causes = FIX("disrupts: no, verify: cpu.online, sysctl: x"),
	 .want = "12:85: sysctl: keys and expressions"},
	{"fix of a text", .causes = "  c: {title: t, because: b, fix: [x]}\n",
	 .want = "8:35: expected keys and values here, such as \"title: …\""},
	{"refute of a text", .causes = "  c: {title: t, because: b, refute: [x]}\n",
	 .want = "8:38: expected keys and values here, such as \"test: …\""},
	{"distrust of one",
	 .top = "contradictions: {n: {test: host.ok, says: x, distrust: node}}\n",
	 .want = "4:56: no fact node (kind.name, without accessor)"},
	{"wording by kind", .causes = CAUSE "  c@cpu: {like: c, title: \"{cpu}\"}\n",
	 .want = "8:6: cause c is never concluded"},
	{"wording of no scope", .causes = CAUSE "  c@irq: {like: c, title: \"{irq}\"}\n",
	 .want = "9:10: cause c@irq is never concluded"},
};

static const struct rule_row whole[] = {
	{"wording for each of two kinds",
	 .whole = RULE "title: t\nscope: [cpu, host]\n" TREE
		       "  - {ask: q, test: present(this), if_no: {rule_out: n}}\n" END CAUSES CAUSE
		       "  c@host: {like: c, title: \"{host.release} {cpu}\"}\n",
	 .want = "9:45: cpu is not what is walked here (host): name a relation, or the set cpus"},
	{"title list", .whole = RULE "title: [t]\nnotes: {n: {test: host.ok, says: x}}\n",
	 .want = "2:8: title must be text"},
	{"version list", .whole = "version: [1]\n" RULE,
	 .want = "1:10: language version 1 is the only one this program knows"},
	{"empty name", .whole = "rule: ''\n",
	 .want = "1:1: expected \"rule: NAME\" (or \"library: NAME\")"},
	{"library param", .whole = "library: l\nparams: {p: {value: 5%}}\n",
	 .want = "2:13: origin is missing: where does this number come from? (lab: case: kernel: standard: arith: guess:)"},
	{"library unknown key", .whole = "library: l\ncauses: {}\n",
	 .want = "2:1: unknown key \"causes\""},
	{"derived of a let", .whole = "library: l\nderive: {cpu.x: {value: $p > 5}}\n",
	 .want = "2:25: no $p here"},
	{"derived text", .whole = "library: l\nderive: {cpu.x: y}\n",
	 .want = "2:17: expected keys and values here, such as \"value: …\""},
};

static void test_parts(void **state)
{
	(void)state;
	check_rules(rules, ND_ARRAY_LEN(rules));
}

static void test_whole(void **state)
{
	(void)state;
	check_rules(whole, ND_ARRAY_LEN(whole));
}

/* An error deep inside is said at its own place, whatever stands around it. */
static void test_inner_errors(void **state)
{
	static const struct {
		const char *expr, *want;
	} rows[] = {
		{"cpu.nod =~ 'x'", "4: " NOD},
		{"cpu.nod in (\"a\")", "4: " NOD},
		{"cpu.nod in 1..2", "4: " NOD},
		{"cpu.node in 1..cpu.nod", "19: " NOD},
		{"cpu.nod..3", "4: " NOD},
		{"1..cpu.nod", "7: " NOD},
		{"-cpu.nod", "5: " NOD},
		{"not (cpu.nod > 0)", "9: " NOD},
		{"(cpu.node + cpu.nod) * 2 > 0", "16: " NOD},
		{"max(1, cpu.nod)", "11: " NOD},
		{"cpus[cpu(nod).online]", "9: " NOD},
		{"only(cpus.nod)", "10: " NOD},
		{"host.nod.irqs[managed]", "5: host has no fact or relation \"nod.irqs\""},
		{"host.release in 1..3", "0: cannot look for text and a range"},
		{"5/h * cpu.delay", "a count"},
		{"cpu.delay / 2 * 3", "a time"},
	};
	struct loaded l;
	struct nd_scope s;
	char got[600];

	(void)state;
	open_world(&l);
	s = world_scope(&l);
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		if (strcmp(type_of(rows[i].expr, &s, got, sizeof(got)), rows[i].want) != 0)
			fail_msg("%s is %s, expected %s", rows[i].expr, got, rows[i].want);
	}
	close_loaded(&l);
}

/* What a file that is too long to be written here says: its first message, without the path. */
static void first_message(const struct nd_buf *file, char *out, size_t size, int *errors)
{
	struct nd_buf said = {0};
	struct loaded l;

	open_loaded(&l);
	add_loaded(&l, "f", nd_buf_str(file));
	check_loaded(&l);
	*errors = l.errors;
	if (l.errors)
		take_message(nd_buf_str(&l.messages), nd_buf_str(file), &said);
	snprintf(out, size, "%s", nd_buf_str(&said));
	nd_buf_free(&said);
	close_loaded(&l);
}

/* n lets, the first of which needs the second, and so on. */
static void put_lets(struct nd_buf *file, unsigned n, const char *each, const char *last)
{
	nd_buf_puts(file, HEAD "let:\n");
	for (unsigned i = 0; i + 1 < n; i++) {
		nd_buf_printf(file, "  a%u: ", i);
		nd_buf_printf(file, "%s$a%u", each, i + 1);
		if (*each)
			nd_buf_printf(file, " + $a%u", i + 1);
		nd_buf_putc(file, '\n');
	}
	nd_buf_printf(file, "  a%u: %s\n", n - 1, last);
	nd_buf_puts(file,
		    TREE "  - {ask: q, test: $a0 > 0, if_no: {rule_out: n}}\n" END CAUSES CAUSE);
}

static void test_chains(void **state)
{
	static const struct {
		unsigned lets;
		const char *each, *want;
	} rows[] = {
		{64, "", ""},
		{65, "", "69:8: " CHAIN},
		{10, "$a9 + ", ""},
		{14, "$a13 + ", "7:7: " WEIGHT},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct nd_buf file = {0};
		char got[600];
		int errors;

		put_lets(&file, rows[i].lets, rows[i].each, "cpu.node");
		first_message(&file, got, sizeof(got), &errors);
		assert_string_equal(got, rows[i].want);
		assert_int_equal(errors != 0, *rows[i].want != '\0');
		nd_buf_free(&file);
	}
}

static void test_derived_chain(void **state)
{
	(void)state;
	for (unsigned n = 64; n <= 65; n++) {
		struct nd_buf file = {0};
		char got[600];
		int errors;

		nd_buf_puts(&file, "library: l\nderive:\n");
		for (unsigned i = 0; i + 1 < n; i++)
			nd_buf_printf(&file, "  cpu.d%u: {value: cpu.d%u}\n", i, i + 1);
		nd_buf_printf(&file, "  cpu.d%u: {value: cpu.node}\n", n - 1);
		first_message(&file, got, sizeof(got), &errors);
		assert_string_equal(got, n == 64 ? "" : "67:20: " CHAIN);
		assert_int_equal(errors != 0, n > 64);
		nd_buf_free(&file);
	}
}

/* The same when the longest part is there already: each was compiled before the one that needs it. */
static void test_chain_of_known(void **state)
{
	struct nd_buf lets = {0}, derived = {0};
	char got[600];
	int errors;

	(void)state;
	nd_buf_puts(&lets, HEAD "when: $a63 > 0\nlet:\n  a0: cpu.node\n");
	nd_buf_puts(&derived, "library: l\nderive:\n  cpu.d0: {value: cpu.node}\n");
	for (unsigned i = 1; i < 65; i++) {
		nd_buf_printf(&lets, "  a%u: $a%u\n", i, i - 1);
		nd_buf_printf(&derived, "  cpu.d%u: {value: cpu.d%u}\n", i, i - 1);
	}
	nd_buf_puts(&derived, "  cpu.d65: {value: cpu.d64}\n");
	nd_buf_puts(&lets,
		    TREE "  - {ask: q, test: $a64 > 0, if_no: {rule_out: n}}\n" END CAUSES CAUSE);
	first_message(&lets, got, sizeof(got), &errors);
	assert_string_equal(got, "72:20: " CHAIN);
	first_message(&derived, got, sizeof(got), &errors);
	assert_string_equal(got, "68:24: " CHAIN);
	assert_int_equal(errors, 1);
	nd_buf_free(&lets);
	nd_buf_free(&derived);
}

/* A hole is an expression too: its lets count, written out. */
static void test_heavy_hole(void **state)
{
	struct nd_buf file = {0};
	char got[600];
	int errors;

	(void)state;
	nd_buf_puts(&file, HEAD "let:\n  a0: cpu.node + cpu.node\n");
	for (unsigned i = 1; i < 11; i++)
		nd_buf_printf(&file, "  a%u: $a%u + $a%u\n", i, i - 1, i - 1);
	nd_buf_puts(&file, TREE ASK END CAUSES "  c: {title: t, because: \"{$a10 + $a10}\"}\n");
	first_message(&file, got, sizeof(got), &errors);
	assert_string_equal(got, "20:27: " WEIGHT);
	assert_int_equal(errors, 1);
	nd_buf_free(&file);
}

/* A unit to a power that its exponent cannot hold would come round to another unit. */
static void test_powers(void **state)
{
	static const struct {
		unsigned doubled;
		const char *last, *want;
	} rows[] = {
		{6, "$a6", "cannot compare a number of mixed units and a time"},
		{7, "$a7", "a unit to a power of more than 127"},
		{6, "ratio(1 / $a6, $a6 * $a5, 0)", "a unit to a power of more than 127"},
		{6, "ratio($a6, $a6, 0) * cpu.delay", ""},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct nd_buf file = {0};
		char got[600];
		int errors;

		nd_buf_puts(&file, HEAD "let:\n  a0: cpu.delay\n");
		for (unsigned k = 1; k <= rows[i].doubled; k++)
			nd_buf_printf(&file, "  a%u: $a%u * $a%u\n", k, k - 1, k - 1);
		nd_buf_printf(
			&file,
			TREE
			"  - {ask: q, test: '%s > 5ms', if_no: {rule_out: n}}\n" END CAUSES CAUSE,
			rows[i].last);
		first_message(&file, got, sizeof(got), &errors);
		if (*rows[i].want)
			assert_non_null(strstr(got, rows[i].want));
		else
			assert_string_equal(got, "");
		nd_buf_free(&file);
	}
}

/* A tree knows its causes as bits of one word. */
static void test_many_causes(void **state)
{
	(void)state;
	for (unsigned n = 63; n <= 65; n++) {
		struct nd_buf file = {0};
		struct loaded l;

		nd_buf_puts(&file, HEAD TREE);
		for (unsigned i = 0; i + 1 < n; i += 2)
			nd_buf_printf(
				&file,
				"  - {ask: q, test: cpu.online, if_no: [{ask: p, test: cpu.node > %u, "
				"if_no: {conclude: c%u}}, {conclude: c%u}]}\n",
				i, i, i + 2 < n ? i + 1 : i);
		nd_buf_printf(&file, "  - conclude: c%u\n" CAUSES, n - 1);
		for (unsigned i = 0; i < n; i++)
			nd_buf_printf(&file, "  c%u: {title: t, because: b}\n", i);
		open_loaded(&l);
		add_loaded(&l, "f", nd_buf_str(&file));
		check_loaded(&l);
		if (n <= 64) {
			assert_string_equal(nd_buf_str(&l.messages), "");
			assert_int_equal(l.rules->rules[0]->trees[0].n_uses, n);
		} else {
			assert_non_null(
				strstr(nd_buf_str(&l.messages), "more than 64 causes in one tree"));
		}
		close_loaded(&l);
		nd_buf_free(&file);
	}
}

/* A derived fact alone brings its own words; anything beside it needs new ones. */
static void test_own_wording(void **state)
{
	static const char library[] = "library: lib\nderive:\n"
				      "  cpu.hot: {value: cpu.time.soft > 80%, ask: Is it hot?}\n"
				      "  cpu.cold: {value: cpu.time.soft < 1%}\n";
	static const struct {
		const char *test, *ask, *want;
	} rows[] = {
		{"cpu.hot", "Is it hot?", ""},
		{"(cpu.hot)", "Is it hot?", ""},
		{"not cpu.hot", NULL, "ask is missing"},
		{"cpu.cold", NULL, "ask is missing"},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct nd_buf file = {0};
		struct loaded l;

		nd_buf_printf(&file,
			      HEAD TREE "  - {test: %s, if_no: {rule_out: n}}\n" END CAUSES CAUSE,
			      rows[i].test);
		open_loaded(&l);
		add_loaded(&l, "lib", library);
		add_loaded(&l, "f", nd_buf_str(&file));
		check_loaded(&l);
		assert_int_equal(l.errors, *rows[i].want ? 1 : 0);
		if (rows[i].ask)
			assert_string_equal(
				l.rules->rules[0]->trees[0].nodes.v[0].ask->pieces[0].literal,
				rows[i].ask);
		else
			assert_non_null(strstr(nd_buf_str(&l.messages), rows[i].want));
		close_loaded(&l);
		nd_buf_free(&file);
	}
}

/* ---- directories ---- */

static void test_directory(void **state)
{
	struct temp_tree t;
	struct nd_err e = {0};
	struct loaded l;
	char want[200];

	(void)state;
	tree_make(&t);
	tree_file(&t, "lib/l.yaml", "library: l\nderive: {cpu.x: {value: cpu.node > 0}}\n");
	tree_file(&t, "b.yaml", GOOD("b"));
	tree_file(&t, "a.yaml", GOOD("a"));
	tree_file(&t, "other.yaml", GOOD("elsewhere"));
	tree_file(&t, ".hidden.yaml", "- no\n");
	tree_file(&t, "notes.txt", "- no\n");
	open_loaded(&l);
	l.errors += nd_rules_add_dir(l.rules, t.root, &l.messages, &e);
	assert_int_equal(l.errors, 1);
	snprintf(want, sizeof(want), "%s/other.yaml:1:7: error: the file is called other.yaml",
		 t.root);
	assert_true(nd_starts(nd_buf_str(&l.messages), want));
	check_loaded(&l);
	assert_int_equal(l.errors, 1);
	assert_int_equal(nd_rules_count(l.rules), 2);
	assert_string_equal(nd_rules_name(l.rules, 0), "a");
	assert_string_equal(nd_rules_name(l.rules, 1), "b");
	assert_int_equal(l.rules->n_libraries, 1);
	close_loaded(&l);
	tree_remove(&t);
}

static void test_no_directory(void **state)
{
	struct temp_tree t;
	struct nd_err e = {0};
	struct loaded l;
	char want[200];

	(void)state;
	tree_make(&t);
	tree_file(&t, "one.yaml", GOOD("one"));
	open_loaded(&l);
	assert_int_equal(nd_rules_add_dir(l.rules, tree_path(&t, "one.yaml"), &l.messages, &e), 0);
	assert_int_equal(nd_rules_count(l.rules), 1); /* a file is taken too */
	snprintf(want, sizeof(want),
		 "%s/none: No such file or directory: expected a directory of rule files", t.root);
	assert_int_equal(nd_rules_add_dir(l.rules, tree_path(&t, "none"), &l.messages, &e),
			 -ENOENT);
	assert_string_equal(e.msg, want);
	tree_link(&t, "gone.yaml", "nowhere");
	assert_int_equal(nd_rules_add_dir(l.rules, t.root, &l.messages, &e), -ENOENT);
	snprintf(want, sizeof(want), "%s/gone.yaml: No such file or directory", t.root);
	assert_string_equal(e.msg, want);
	close_loaded(&l);
	tree_remove(&t);
}

/* The later library of a name takes the place of the earlier one, with its facts. */
static void test_library_replaced(void **state)
{
	struct loaded l;

	(void)state;
	open_loaded(&l);
	add_loaded(&l, "a/l.yaml", "library: l\nderive: {cpu.x: {value: cpu.nod}}\n");
	add_loaded(&l, "b/l.yaml", "library: l\nderive: {cpu.y: {value: cpu.online}}\n");
	check_loaded(&l);
	assert_string_equal(nd_buf_str(&l.messages), "");
	assert_int_equal(l.rules->n_libraries, 1);
	assert_null(nd_rules_derived(l.rules, ND_CPU, "x"));
	assert_non_null(nd_rules_derived(l.rules, ND_CPU, "y"));
	close_loaded(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_chains),
		cmocka_unit_test(test_derived_chain),
		cmocka_unit_test(test_many_causes),
		cmocka_unit_test(test_own_wording),
		cmocka_unit_test(test_directory),
		cmocka_unit_test(test_no_directory),
		cmocka_unit_test(test_library_replaced),
		cmocka_unit_test(test_inner_errors),
		cmocka_unit_test(test_chain_of_known),
		cmocka_unit_test(test_heavy_hole),
		cmocka_unit_test(test_powers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
