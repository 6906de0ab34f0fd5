/* Rule files: what the loader refuses of causes, fixes, notes and libraries. */
#include "tests/unit/rule_fixture.h"

static const struct rule_row rules[] = {
	{"never concluded", .causes = CAUSE "  d: {title: t, because: b}\n",
	 .want = "9:6: cause d is never concluded"},
	{"not declared", .tree = ASK "  - conclude: d\n",
	 .want = "1:1: cause d is concluded, but not declared under causes\n"
		 "8:6: cause c is never concluded"},
	{"conclude with test", .tree = ASK "  - {conclude: c, test: cpu.online}\n",
	 .want = "6:25: a node that concludes asks nothing"},
	{"conclude map", .tree = ASK "  - {conclude: {a: b}}\n",
	 .want = "6:16: expected the name of a cause\n"
		 "8:6: cause c is never concluded"},
	{"entity number", .tree = ASK "  - {conclude: c, entity: cpu.node}\n",
	 .want = "6:27: expected one entity, such as argmax(cpus, time.soft)"},
	{"entity set", .tree = ASK "  - {conclude: c, entity: cpus}\n",
	 .want = "6:27: expected one entity, such as argmax(cpus, time.soft)"},
	{"two kinds",
	 .tree = NODE("if_no: {conclude: c}") "  - {conclude: c, entity: only(cpu.irqs)}\n",
	 .want = "6:27: c is concluded about irq here, about cpu before"},
	{"cause keys", .causes = "  c: {title: t, because: b, becuse: x}\n",
	 .want = "8:29: unknown key \"becuse\"; nearest is because"},
	{"cause without because", .causes = "  c: {title: t}\n",
	 .want = "8:6: a cause needs a title and a because"},
	{"cause like nothing", .causes = "  c: {like: d, title: t, because: b}\n",
	 .want = "8:13: no cause d in this file"},
	{"cause like", .tree = NODE("if_no: {conclude: d}") END, .causes = CAUSE "  d: {like: c}\n",
	 .want = ""},
	{"cause like itself", .causes = "  c: {like: c, title: t, because: b}\n",
	 .want = "8:13: no cause c in this file"},
	{"text hole", .causes = "  c: {title: \"{cpu.nod}\", because: b}\n",
	 .want = "8:20: cpu has no fact or relation \"nod\"; nearest is node"},
	{"text brace", .causes = "  c: {title: \"a } b\", because: b}\n",
	 .want = "8:17: '}' without '{': write }} for a brace"},
	{"text hist", .causes = "  c: {title: \"{cpu.wait}\", because: b}\n",
	 .want = "8:15: a histogram cannot be printed: print its p50, p99 or count"},
	{"text unit", .causes = "  c: {title: \"{cpu.delay | MB}\", because: b}\n",
	 .want = "8:15: MB does not fit this number"},
	{"text format",
	 .causes = "  c: {title: \"{cpu.delay | .1 ms} {cpu.time.soft | %} {{x}}\", because: b}\n",
	 .want = ""},
	{"accounts delay", .causes = "  c: {title: t, because: b, accounts: {delay: cpu.node}}\n",
	 .want = "8:47: delay is a time"},
	{"accounts touches",
	 .causes = "  c: {title: t, because: b, accounts: {touches: cpu.delay}}\n",
	 .want = "8:49: touches is a share of the requests"},
	{"accounts key", .causes = "  c: {title: t, because: b, accounts: {dely: cpu.delay}}\n",
	 .want = "8:40: unknown key \"dely\"; nearest is delay"},
	{"refute",
	 .causes =
		 "  c: {title: t, because: b, refute: [{test: cpu.online, because: x}, {test: cpu.online, because: x, then: {cap: likely}}]}\n",
	 .want = ""},
	{"refute text", .causes = "  c: {title: t, because: b, refute: x}\n",
	 .want = "8:37: refute is a list"},
	{"refute no because",
	 .causes = "  c: {title: t, because: b, refute: [{test: cpu.online}]}\n",
	 .want = "8:38: because is missing"},
	{"refute then",
	 .causes =
		 "  c: {title: t, because: b, refute: [{test: cpu.online, because: x, then: stop}]}\n",
	 .want = "8:75: expected {cap: likely} or {cap: suspected}"},
	{"report", .causes = "  c: {title: t, because: b, report: all}\n",
	 .want = "8:37: expected one of each, together"},
	{"worst_by", .causes = "  c: {title: t, because: b, worst_by: cpu.online}\n",
	 .want = "8:39: expected a number, this is a question"},
	{"fix ok", .causes = FIX("advice: x"), .want = ""},
	{"fix nothing", .causes = FIX("restart: x"),
	 .want = "12:9: a fix needs run, sysctl or advice"},
	{"fix no undo", .causes = FIX("disrupts: no, run: x, verify: cpu.online"),
	 .want = "12:9: run needs undo"},
	{"fix no verify", .causes = FIX("disrupts: no, run: x, undo: y"),
	 .want = "12:9: run and sysctl need verify: the question that shows that it worked"},
	{"fix no disrupts", .causes = FIX("run: x, undo: y, verify: cpu.online"),
	 .want = "12:9: disrupts is missing: what is interrupted, or no"},
	{"fix no else", .causes = FIX("advice: x, when: cpu.online"),
	 .want = "12:9: when needs else: why the fix is not offered"},
	{"fix no risk",
	 .causes = "  c:\n"
		   "    title: t\n"
		   "    because: b\n"
		   "    fix: [{advice: x}]\n",
	 .want = "11:11: title is missing\n"
		 "11:11: risk is missing\n"
		 "11:11: tier is missing: stop-gap, cure or last-resort"},
	{"fix tier",
	 .causes = "  c:\n"
		   "    title: t\n"
		   "    because: b\n"
		   "    fix: [{title: f, risk: r, tier: best, advice: x}]\n",
	 .want = "11:37: expected one of stop-gap, cure, last-resort"},
	{"fix text", .causes = "  c: {title: t, because: b, fix: x}\n",
	 .want = "8:34: fix is a list"},
	{"fix sysctl unknown",
	 .causes = FIX("disrupts: no, verify: cpu.online, sysctl: {net.nothing: 5}"),
	 .want = "12:86: no kernel that is known here has sysctl net.nothing"},
	{"fix sysctl",
	 .causes = FIX(
		 "disrupts: no, verify: cpu.online, sysctl: {kernel.most: 5, net.queue: 2 * cpu.node}"),
	 .want = ""},
	{"fix each",
	 .causes = FIX(
		 "disrupts: no, verify: cpu.online, each: {i: cpu.irqs}, run: \"echo {$i.key}\", undo: \"echo {$i.affinity_list}\""),
	 .want = ""},
	{"fix each entity",
	 .causes = FIX("disrupts: no, verify: cpu.online, each: {i: cpu}, run: x, undo: y"),
	 .want = "12:87: each needs a set of entities"},
	/* a let is computed once, whoever uses it first */
	{"fix loop in let", .top = "let: {k: $i.key}\n",
	 .causes = FIX(
		 "disrupts: no, verify: cpu.online, each: {i: cpu.irqs}, undo: y, run: \"x {$k}\""),
	 .want = "4:10: no $i here\n13:116: $k has an error of its own"},
	{"fix loop in verify",
	 .causes = FIX("disrupts: no, verify: $i.managed, each: {i: cpu.irqs}, run: x, undo: y"),
	 .want = "12:65: no $i here"},
	{"fix inside",
	 .causes = FIX("disrupts: no, verify: cpu.online, inside: cpu, run: x, undo: y"),
	 .want = "12:85: inside names a netns"},
	{"quoted text",
	 .causes =
		 FIX("disrupts: no, verify: cpu.online, undo: y, run: \"echo '{cpu.idle_name}'\""),
	 .want = "12:98: inside quotes only numbers, CPU lists and masks may be filled in"},
	{"quoted number",
	 .causes = FIX(
		 "disrupts: no, verify: cpu.online, undo: y, run: \"echo '{cpu.node} {cpulist(cpus)}'\""),
	 .want = ""},
	{"escaped quote",
	 .causes = FIX(
		 "disrupts: no, verify: cpu.online, undo: y, run: 'echo \"a\\\" {cpu.idle_name}\"'"),
	 .want = "12:102: inside quotes only numbers, CPU lists and masks may be filled in"},
	{"escaped quote outside",
	 .causes =
		 FIX("disrupts: no, verify: cpu.online, undo: y, run: 'echo \\\" {cpu.idle_name}'"),
	 .want = ""},
	{"note", .top = "notes: {n: {test: cpus[online], says: x}}\n",
	 .want = "4:23: did not find expected ',' or '}', while parsing a flow mapping that starts in line 4: a value inside { } that needs quotes, or a '}' too few"},
	{"note scope", .top = "notes: {n: {scope: [cpu, host], test: host.ok, says: x}}\n",
	 .want = "4:20: no kind of entity of this name"},
	{"note scope unknown", .top = "notes: {n: {scope: cpux, test: host.ok, says: x}}\n",
	 .want = "4:20: no kind of entity of this name"},
	{"note text", .top = "notes: x\n", .want = "4:8: notes: names, and what belongs to each"},
	{"contradiction",
	 .top = "contradictions: {n: {scope: cpu, test: cpu.online, says: x, distrust: [cpu.dropped, cpu.dropped.rate, node]}}\n",
	 .want = "4:85: no fact cpu.dropped.rate (kind.name, without accessor)\n"
		 "4:103: no fact node (kind.name, without accessor)"},
	{"nodes 65",
	 .tree = ASK ASK ASK ASK ASK ASK ASK ASK ASK ASK ASK ASK ASK ASK ASK ASK ASK ASK ASK ASK ASK
		 ASK ASK ASK ASK ASK ASK ASK ASK ASK ASK ASK ASK ASK ASK ASK ASK ASK ASK ASK ASK ASK
			 ASK ASK ASK ASK ASK ASK ASK ASK ASK ASK ASK ASK ASK ASK ASK ASK ASK ASK ASK
				 ASK ASK ASK END,
	 .want = "5:3: 65 nodes, at most 64 stand in one list\n"
		 "1:1: a way through this tree ends without conclude, rule_out, go or open\n"
		 "71:6: cause c is never concluded"},
	{"references map", .top = "references: {a: b}\n", .want = "4:13: expected text"},
};

/* These have a head of their own. */
static const struct rule_row whole[] = {
	{"entity log",
	 .whole = RULE "title: t\n"
		       "scope: host\n"
		       "logs: {a: {match: x}}\n" TREE "  - {ask: q, test: host.ok, if_no: open}\n"
		       "  - {conclude: c, entity: only(host.log.a)}\n" CAUSES CAUSE,
	 .want = "7:27: expected one entity, such as argmax(cpus, time.soft)"},
	{"only notes",
	 .whole = RULE "title: t\n"
		       "notes: {n: {test: host.ok, says: x}}\n",
	 .want = ""},
	{"library",
	 .whole = "library: l\n"
		  "params: {p: {value: 5%, origin: \"lab: x\"}}\n"
		  "derive:\n"
		  "  cpu.hot: {value: cpu.time.soft > $p}\n",
	 .want = ""},
	{"library circle",
	 .whole = "library: l\n"
		  "derive:\n"
		  "  cpu.a: {value: cpu.b}\n"
		  "  cpu.b: {value: cpu.a}\n",
	 .want = "4:22: cpu.a needs itself\n"
		 "3:22: cpu.b has an error of its own"},
	{"library bad name",
	 .whole = "library: l\n"
		  "derive:\n"
		  "  hot: {value: cpu.online}\n",
	 .want = "3:3: expected kind.name, such as cpu.softirq_saturated"},
	{"library hides",
	 .whole = "library: l\n"
		  "derive:\n"
		  "  cpu.online: {value: cpu.node > 0}\n",
	 .want = "3:3: cpu.online is a fact already: a derived one may not hide it"},
	{"library no value",
	 .whole = "library: l\n"
		  "derive:\n"
		  "  cpu.x: {ask: q}\n",
	 .want = "3:10: value is missing"},
	{"library error",
	 .whole = "library: l\n"
		  "derive:\n"
		  "  cpu.x: {value: cpu.nod > 0}\n",
	 .want = "3:22: cpu has no fact or relation \"nod\"; nearest is node"},
	{"library text",
	 .whole = "library: l\n"
		  "derive: x\n",
	 .want = "2:9: derive: names, and what belongs to each"},
	{"library and rule", .whole = "library: l\n" RULE, .want = "2:1: unknown key \"rule\""},
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
