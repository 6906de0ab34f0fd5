/* Rule files: what the loader refuses, and where it says that it is. Sections, params, lets, trees. */
#include "tests/unit/rule_fixture.h"

static const struct rule_row rules[] = {
	{"whole", .want = ""},
	{"unknown key", .top = "scop: x\n", .want = "4:1: unknown key \"scop\"; nearest is scope"},
	{"unknown key far", .top = "zzzzzz: x\n", .want = "4:1: unknown key \"zzzzzz\""},
	{"tree and trees",
	 .top = "trees: {x: {scope: cpu, tree: [{ask: q, test: cpu.node > 0, if_no: open}, {conclude: c}]}}\n",
	 .want = "6:3: a file has either one tree or trees"},
	{"core odd", .top = "core: maybe\n", .want = "4:7: expected one of no, yes, false, true"},
	{"when", .top = "when: cpu.node\n",
	 .want = "4:7: expected a question (yes or no), this is a count"},
	{"let text", .top = "let: x\n", .want = "4:6: let: names and expressions"},
	{"params text", .top = "params: x\n",
	 .want = "4:9: params: names, each with value and origin"},
	{"param no origin", .top = "params: {p: {value: 5%}}\n",
	 .want = "4:13: origin is missing: where does this number come from? (lab: case: kernel: standard: arith: guess:)"},
	{"param bad origin", .top = "params: {p: {value: 5%, origin: \"I feel so\"}}\n",
	 .want = "4:34: origin starts with lab: case: kernel: standard: arith: or guess:"},
	{"param no value", .top = "params: {p: {origin: \"lab: x\"}}\n",
	 .want = "4:13: value is missing"},
	{"param measured", .top = "params: {p: {value: host.span, origin: \"lab: x\"}}\n",
	 .want = "4:21: a param is a number, not something that is measured"},
	{"param of a wrong one",
	 .top = "params: {p: {value: host.span, origin: \"lab: x\"}, q: {value: $p, origin: \"lab: x\"}}\n",
	 .want = "4:21: a param is a number, not something that is measured\n"
		 "4:62: $p has an error of its own"},
	{"param text value", .top = "params: {p: {value: \"'a'\", origin: \"lab: x\"}}\n",
	 .want = "4:22: expected a number, this is text"},
	{"param unknown key", .top = "params: {p: {value: 1, origin: \"lab: x\", dok: x}}\n",
	 .want = "4:42: unknown key \"dok\"; nearest is doc"},
	{"param of param",
	 .top = "params: {p: {value: 2, origin: \"lab: x\"}, q: {value: $p * 3, origin: \"arith: x\"}}\n",
	 .want = ""},
	{"logs text", .top = "logs: x\n", .want = "4:7: logs: names, and what belongs to each"},
	{"log bad pattern", .top = "logs: {a: {match: 'a(b'}}\n",
	 .want = "4:23: bad pattern: missing closing parenthesis"},
	{"log no match", .top = "logs: {a: {}}\n", .want = "4:11: match is missing"},
	{"tally no table", .top = "tally: {a: {over: nothing, where: rtt > 0}}\n",
	 .want = "4:19: no streamed table of this name"},
	{"tally bad column", .top = "tally: {a: {over: samples, where: rttt > 0}}\n",
	 .want = "4:35: a row of samples has no column \"rttt\""},
	{"tally no question", .top = "tally: {a: {over: samples, where: rtt}}\n",
	 .want = "4:35: expected a question (yes or no), this is a time"},
	{"tally entity", .top = "tally: {a: {over: samples, where: 'rtt > cpu(1).delay'}}\n",
	 .want = "4:42: only the columns of samples are known here"},
	{"ask missing", .tree = "  - {test: cpu.node > 0, if_no: open}\n" END,
	 .want = "5:5: ask is missing: the question in words, put so that yes speaks for the cause"},
	{"test missing", .tree = "  - {ask: q, if_no: open}\n" END,
	 .want = "5:5: test is missing: a node has a test, or it concludes"},
	{"test no question", .tree = "  - {ask: q, test: cpu.node, if_no: open}\n" END,
	 .want = "5:20: expected a question (yes or no), this is a count"},
	{"comma", .tree = "  - {ask: q, test: max(cpu.node, cpu.queued) > 0, if_no: open}\n" END,
	 .want = "5:34: a comma inside { } ended the value before this: put the expression in quotes or on a line of its own\n"
		 "5:23: '(' without its ')'"},
	{"no if_no", .tree = "  - {ask: q, test: cpu.node > 0}\n" END,
	 .want = "5:5: if_no is missing: a question that requires or decides says what no does"},
	{"if_no next", .tree = NODE("if_no: next") END,
	 .want = "5:41: if_no goes on: then the question only supports"},
	{"if_no only cap", .tree = NODE("if_no: {cap: likely}") END,
	 .want = "5:41: if_no goes on: then the question only supports"},
	{"decides if_no next", .tree = NODE("grade: decides, if_no: next") END,
	 .want = "5:57: if_no goes on: then the question only supports"},
	{"supports ends", .tree = ASK NODE("grade: supports, if_no: open") END,
	 .want = "6:58: a supports question goes on, whatever the answer; one that ends or turns the walk requires or decides"},
	{"supports rule_out", .tree = ASK NODE("grade: supports, if_no: {rule_out: x}") END,
	 .want = "6:58: a supports question goes on, whatever the answer; one that ends or turns the walk requires or decides"},
	{"supports concludes", .tree = ASK NODE("grade: supports, if_yes: {conclude: c}") END,
	 .want = "6:59: a supports question goes on, whatever the answer; one that ends or turns the walk requires or decides"},
	{"supports cap", .tree = ASK NODE("grade: supports, if_no: {cap: likely, says: x}") END,
	 .want = ""},
	{"rule_out on yes", .tree = NODE("if_no: open, if_yes: {rule_out: x}") END,
	 .want = "5:55: yes speaks for the cause: turn the question round\n"
		 "6:5: nothing reaches this node: every answer before it ends the walk"},
	{"rule_out on unknown", .tree = NODE("if_no: open, if_unknown: {rule_out: x}") END,
	 .want = "5:59: unknown rules nothing out: use open or next"},
	{"two ways", .tree = NODE("if_no: {rule_out: x, conclude: c}") END,
	 .want = "5:41: more than one way on: choose one of go, do, conclude, rule_out"},
	{"bad grade", .tree = NODE("grade: maybe, if_no: open") END,
	 .want = "5:41: expected one of requires, supports, decides"},
	{"bad cap", .tree = NODE("if_no: open, if_yes: {cap: confirmed}") END,
	 .want = "5:61: expected one of suspected, likely"},
	{"cap nothing", .tree = NODE("if_no: open, if_unknown: {cap: suspected}") END, .want = ""},
	{"bad branch word", .tree = NODE("if_no: stop") END,
	 .want = "5:41: expected one of next, open\n"
		 "5:41: if_no goes on: then the question only supports"},
	{"unknown branch key", .tree = NODE("if_no: {ruleout: x}") END,
	 .want = "5:42: unknown key \"ruleout\"; nearest is rule_out\n"
		 "5:41: if_no goes on: then the question only supports"},
	{"unknown node key", .tree = NODE("if_no: open, if_on: x") END,
	 .want = "5:47: unknown key \"if_on\"; nearest is if_no"},
	{"go nowhere", .tree = NODE("if_no: {go: x}") END,
	 .want = "5:46: no branch of this name under branches"},
	{"go",
	 .top = "branches:\n"
		"  x: [{conclude: c}]\n",
	 .tree = NODE("if_no: {go: x}") END, .want = ""},
	{"unused branch",
	 .top = "branches:\n"
		"  x: [{conclude: c}]\n",
	 .want = "5:3: no go leads to branch x"},
	{"go circle",
	 .top = "branches:\n"
		"  x:\n"
		"    - {ask: a, test: cpu.online, if_no: {go: y}}\n"
		"    - conclude: c\n"
		"  y:\n"
		"    - {ask: a, test: cpu.online, if_no: {go: x}}\n"
		"    - conclude: c\n",
	 .tree = NODE("if_no: {go: x}") END, .want = "5:3: go in a circle through branch x"},
	{"go self",
	 .top = "branches:\n"
		"  x:\n"
		"    - {ask: a, test: cpu.online, if_no: {go: x}}\n"
		"    - conclude: c\n",
	 .tree = NODE("if_no: {go: x}") END, .want = "5:3: go in a circle through branch x"},
	{"branch without end",
	 .top = "branches:\n"
		"  x:\n"
		"    - {ask: a, test: cpu.online, if_no: open}\n",
	 .tree = NODE("if_no: {go: x}") END,
	 .want = "5:3: a way through this branch ends without conclude, rule_out, go or open"},
	{"tree without end",
	 .tree = ASK NODE("if_no: open") "  - {ask: z, test: cpu.online, grade: supports}\n",
	 .causes = CAUSE,
	 .want = "5:3: a way through this tree ends without conclude, rule_out, go or open\n"
		 "9:6: cause c is never concluded"},
	{"unreachable", .tree = NODE("if_no: open, if_yes: {conclude: c}") END,
	 .want = "6:5: nothing reaches this node: every answer before it ends the walk"},
	{"behind conclude", .tree = ASK END END,
	 .want = "7:5: nothing reaches this node: the one before it concludes"},
};

/* These have a head of their own. */
static const struct rule_row whole[] = {
	{"not a map",
	 .whole = "- a\n"
		  "- b\n",
	 .want = "1:1: expected a rule: keys and values"},
	{"no name", .whole = "title: t\n",
	 .want = "1:1: expected \"rule: NAME\" (or \"library: NAME\")"},
	{"version", .whole = "version: 2\n" RULE,
	 .want = "1:10: language version 1 is the only one this program knows"},
	{"no title", .whole = RULE "scope: cpu\n" TREE ASK END CAUSES CAUSE,
	 .want = "1:1: title is missing"},
	{"no scope", .whole = RULE "title: t\n" TREE ASK END CAUSES CAUSE,
	 .want = "1:1: scope is missing: the kind of entity that the tree walks\n"
		 "7:6: cause c is never concluded"},
	{"no kind",
	 .whole = RULE "title: t\n"
		       "scope: cpux\n" TREE ASK END CAUSES CAUSE,
	 .want = "3:8: no kind of entity \"cpux\"\n"
		 "8:6: cause c is never concluded"},
	{"scope twice",
	 .whole = RULE "title: t\n"
		       "scope: [cpu, host, cpu]\n" TREE
		       "  - {ask: q, test: host.span > 0, if_no: {rule_out: n}}\n" END CAUSES CAUSE,
	 .want = "3:20: cpu stands twice in the scope"},
	{"scope map",
	 .whole = RULE "title: t\n"
		       "scope: {a: b}\n" TREE ASK END CAUSES CAUSE,
	 .want = "3:8: no kind of entity \"\"\n"
		 "8:6: cause c is never concluded"},
	{"trees text",
	 .whole = RULE "title: t\n"
		       "trees: x\n",
	 .want = "3:8: trees: names, and what belongs to each"},
	{"tree missing in trees",
	 .whole = RULE "title: t\n"
		       "trees: {x: {scope: cpu}}\n",
	 .want = "3:12: tree is missing"},
	{"nothing", .whole = RULE "title: t\n",
	 .want = "1:1: a rule has a tree or trees, notes or contradictions"},
	{"tree text", .whole = HEAD "tree: x\n",
	 .want = "4:7: expected a list of nodes\n"
		 "1:1: a way through this tree ends without conclude, rule_out, go or open"},
	{"let bad",
	 .whole = HEAD "let: {a: cpu.nod > 0}\n" TREE
		       "  - {ask: q, test: $a, if_no: {rule_out: n}}\n" END CAUSES CAUSE,
	 .want = "4:14: cpu has no fact or relation \"nod\"; nearest is node\n"
		 "6:20: $a has an error of its own"},
	{"let circle",
	 .whole = HEAD "let: {a: $b, b: $a}\n" TREE
		       "  - {ask: q, test: $a, if_no: {rule_out: n}}\n" END CAUSES CAUSE,
	 .want = "4:17: $a needs itself\n"
		 "4:10: $b has an error of its own\n"
		 "6:20: $a has an error of its own"},
	{"let about",
	 .whole = HEAD "let: {a: about.node}\n" TREE
		       "  - {ask: q, test: $a > 0, if_no: {rule_out: n}}\n" END CAUSES CAUSE,
	 .want = "4:10: about is known when a cause is concluded, a let is computed before: write it in the texts\n"
		 "6:20: $a has an error of its own"},
	{"let tree over file",
	 .whole = RULE "title: t\n"
		       "let: {a: 1}\n"
		       "trees:\n"
		       "  x:\n"
		       "    scope: cpu\n"
		       "    let: {a: cpu.online}\n"
		       "    tree:\n"
		       "      - {ask: q, test: $a, if_no: {rule_out: n}}\n"
		       "      - conclude: c\n" CAUSES CAUSE,
	 .want = ""},
	{"test unit",
	 .whole = HEAD TREE "  - ask: q\n"
			    "    test: cpu.time.soft > 80\n"
			    "    if_no: open\n" END CAUSES CAUSE,
	 .want = "6:11: a percentage against a bare number: did you mean 80%?"},
	{"test folded",
	 .whole = HEAD TREE "  - ask: q\n"
			    "    test: >-\n"
			    "      cpu.node > 0 and\n"
			    "      cpu.droped.rate > 0\n"
			    "    if_no: open\n" END CAUSES CAUSE,
	 .want = "8:11: cpu has no fact or relation \"droped\"; nearest is dropped"},
	{"test quoted",
	 .whole = HEAD TREE "  - ask: q\n"
			    "    test: \"cpu.idle_name == \\\"x\\\" and cpu.droped.rate > 0\"\n"
			    "    if_no: open\n" END CAUSES CAUSE,
	 .want = "6:43: cpu has no fact or relation \"droped\"; nearest is dropped"},
	{"if_no list weak",
	 .whole =
		 HEAD TREE "  - ask: q\n"
			   "    test: cpu.node > 0\n"
			   "    if_no:\n"
			   "      - {ask: w, test: cpu.online, grade: supports}\n" END CAUSES CAUSE,
	 .want = "8:7: if_no leads on without another requires or decides: then the question only supports"},
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

/* The later file of a name takes the place of the earlier one; what that had said is no error any more. */
static void test_replace(void **state)
{
	struct loaded l;

	(void)state;
	open_loaded(&l);
	add_loaded(&l, "a/r.yaml", HEAD "scope_: x\n");
	add_loaded(&l, "z", "rule: z\ntitle: z\nscope: cpu\n" TREE ASK END CAUSES CAUSE);
	add_loaded(&l, "b/r.yaml", "rule: r\ntitle: other\nscope: cpu\n" TREE ASK END CAUSES CAUSE);
	check_loaded(&l);
	assert_int_equal(l.errors, 0);
	assert_int_equal(nd_rules_count(l.rules), 2);
	assert_string_equal(nd_rules_name(l.rules, 0), "r");
	assert_string_equal(nd_rules_title(l.rules, 0), "other");
	assert_string_equal(nd_rules_path(l.rules, 0), "b/r.yaml");
	assert_string_equal(nd_rules_name(l.rules, 1), "z");
	close_loaded(&l);
}

static void test_file_name(void **state)
{
	struct loaded l;

	(void)state;
	open_loaded(&l);
	add_loaded(&l, "rules/s.yaml", HEAD);
	assert_string_equal(
		nd_buf_str(&l.messages),
		"rules/s.yaml:1:7: error: the file is called s.yaml: name and file name must be equal\n"
		"    rule: r\n          ^\n");
	close_loaded(&l);
}

/* A long list of mistakes is cut; a long scope is no place to write to. */
static void test_many_mistakes(void **state)
{
	struct nd_buf file = {0};
	struct loaded l;
	uint32_t lines = 0;

	(void)state;
	nd_buf_puts(&file, "rule: r\ntitle: t\nscope: [cpu");
	for (unsigned i = 0; i < 3000; i++)
		nd_buf_puts(&file, ", cpu");
	nd_buf_printf(&file, "]\n%s%s%s%s%s", TREE, ASK, END, CAUSES, CAUSE);
	open_loaded(&l);
	add_loaded(&l, "f", nd_buf_str(&file));
	check_loaded(&l);
	assert_int_equal(l.errors, 3000);
	assert_int_equal(l.rules->rules[0]->n_trees, 1);
	for (const char *at = nd_buf_str(&l.messages); *at; at = strchr(at, '\n') + 1)
		lines++;
	assert_int_equal(lines, 3 * 101);
	assert_non_null(strstr(nd_buf_str(&l.messages),
			       "more mistakes follow: they are shown when those above are mended"));
	close_loaded(&l);
	nd_buf_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),	      cmocka_unit_test(test_whole),
		cmocka_unit_test(test_replace),	      cmocka_unit_test(test_file_name),
		cmocka_unit_test(test_many_mistakes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
