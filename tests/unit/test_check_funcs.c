/* The checker: what each function takes and gives, and what it says when it gets something else. */
#include "tests/unit/rule_fixture.h"
#include "engine/rule/func.h"

struct row {
	const char *expr, *want; /* its type, or "place: message" */
};

#define AGGREGATE "it takes a list of numbers, or a set and a number of each member"
#define TWO_SETS "it takes a set, and a set or an entity of the same kind"
#define ONE_KIND "all values of coalesce must be of one kind and unit"
#define IF_KIND "both answers of if must be of one kind and unit"
#define SPANS ".seen and a count of the window span different times"

/* What each function takes and gives. */
static const struct row functions[] = {
	{"nofunc(1)", "0: no function \"nofunc\""},
	{"summ(cpus.node)", "0: no function \"summ\"; nearest is sum"},
	{"sum()", "0: 0 arguments, expected sum(list | set, number)"},
	{"sum(cpus)", "0: " AGGREGATE},
	{"sum(cpus, node, node)", "0: " AGGREGATE},
	{"sum(cpus.node)", "a count"},
	{"sum(cpus, node)", "a count"},
	{"sum(cpus, online)", "10: a number of each member is needed here"},
	{"sum(cpus.online)", "0: " AGGREGATE},
	{"sum(cpu.wait)", "0: " AGGREGATE},
	{"mean(cpu.wait)", "a time"},
	{"median(cpu.wait)", "a time"},
	{"min(cpu.wait)", "0: " AGGREGATE},
	{"max(cpu.wait)", "a time"},
	{"p99(cpu.wait)", "a time"},
	{"p99(cpus, wait)", "10: a number of each member is needed here"},
	{"p99(cpus.wait)", "0: " AGGREGATE},
	{"min(cpu.node)", "0: " AGGREGATE},
	{"min(cpu.node, cpu.queued)", "a count"},
	{"min(cpu.node, cpu.delay)", "14: all must have one unit"},
	{"min(cpu.delay, 0)", "a time"},
	{"max(cpu.delay, 0)", "a time"},
	{"max(0, cpu.delay)", "a time"},
	{"max(cpu.node, \"a\")", "14: numbers are needed here"},
	{"max(cpu.time.soft, 5%)", "a percentage"},
	{"imbalance(cpus.node)", "a ratio"},
	{"imbalance(cpus, node)", "a ratio"},
	{"imbalance(cpu.wait)", "0: " AGGREGATE},
	{"ratio(cpu.dropped.seen, cpu.processed.seen, 10)", "a ratio"},
	{"ratio(cpu.dropped.seen, cpu.processed.delta, 10)", "0: " SPANS},
	{"ratio(cpu.dropped.delta, cpu.processed.delta, 5ms)",
	 "46: the floor has the unit of the second number"},
	{"ratio(cpu.busy.delta, host.span, 0)", "a ratio"},
	{"ratio(cpu.busy.delta, host.span, 1ms)", "a ratio"},
	{"ratio(cpu.busy.delta, cpu.dropped.delta, 10)", "a time"},
	{"ratio(cpu.node, cpus, 1)", "0: ratio(number, number, floor)"},
	{"ratio(1, 2)", "0: 2 arguments, expected ratio(a, b, floor)"},
	{"share(cpu.node, cpus.node)", "a ratio"},
	{"share(cpu.node, cpus.delay)", "0: share(number, list of numbers of the same unit)"},
	{"share(cpu.node, cpu.node)", "0: share(number, list of numbers of the same unit)"},
	{"share(cpus.node, cpus.node)", "0: share(number, list of numbers of the same unit)"},
	{"count(cpus)", "a count"},
	{"count(cpus.node)", "a count"},
	{"count(cpu.wait)", "a count"},
	{"count(cpu.node)", "0: count needs a set, a list or a histogram"},
	{"count(cpus, online)", "0: 2 arguments, expected count(set | list | histogram)"},
	{"any(cpus, online)", "a question"},
	{"any(cpus, node)", "0: it takes a set and a question about its members"},
	{"any(cpu.node, online)",
	 "14: unknown name \"online\" (params and lets are written $name)"},
	{"any(cpu, online)", "9: unknown name \"online\" (params and lets are written $name)"},
	{"all(cpus, node > 1)", "a question"},
	{"none(cpus, online)", "a question"},
	{"argmax(cpus, node)", "cpu"},
	{"argmax(cpus, online)", "0: it takes a set and a number of each member"},
	{"argmax(cpus.node)", "0: 1 argument, expected argmax(set, number)"},
	{"argmin(cpus, node).node", "a count"},
	{"only(cpus)", "cpu"},
	{"only(cpu)", "0: only needs a set"},
	{"only(cpu.node)", "0: only needs a set"},
	{"top(3, cpus, node)", "a set of cpu"},
	{"top(cpus, 3, node)", "0: top(number, set, number of each member)"},
	{"top(3, cpus, online)", "13: a number of each member is needed here"},
	{"top(3, cpus, nonsense)", "13: cpu has no fact or relation \"nonsense\""},
	{"take(3, cpus)", "a set of cpu"},
	{"take(cpus, 3)", "0: take(number, set)"},
	{"take(3, cpu)", "0: take(number, set)"},
	{"union(cpus, cpus[online])", "a set of cpu"},
	{"union(cpus, ifaces)", "0: " TWO_SETS},
	{"union(cpus, cpu)", "a set of cpu"},
	{"union(cpu, cpus)", "0: " TWO_SETS},
	{"common(cpus, 3)", "0: " TWO_SETS},
	{"common(cpus, cpus[online])", "a set of cpu"},
	{"without(cpus, cpu)", "a set of cpu"},
	{"without(cpus, ifaces)", "0: " TWO_SETS},
	{"known(cpus)", "a set of cpu"},
	{"known(cpus.node)", "list of a count"},
	{"known(cpu)", "0: known needs a set or a list"},
	{"mode(cpu.wait)", "a time"},
	{"mode(cpu.node)", "0: it needs a histogram"},
	{"fraction(cpu.wait, 1ms..2ms)", "a percentage"},
	{"fraction(cpu.wait, 1ms..)", "a percentage"},
	{"fraction(cpu.wait, 1..2)", "0: fraction(histogram, a..b), both of one unit"},
	{"fraction(cpu.wait, 0..2ms)", "a percentage"},
	{"fraction(cpu.node, 1..2)", "0: fraction(histogram, a..b), both of one unit"},
	{"fraction(cpu.wait, 1ms)", "0: fraction(histogram, a..b), both of one unit"},
	{"abs(cpu.delay)", "a time"},
	{"abs(cpus)", "4: numbers are needed here"},
	{"clamp(cpu.node, 1, 9)", "a count"},
	{"clamp(cpu.delay, 1, 9)", "17: all must have one unit"},
	{"clamp(cpu.delay, 0, 9ms)", "a time"},
	{"clamp(1, 2)", "0: 2 arguments, expected clamp(x, lo, hi)"},
	{"round_up(cpu.node, 5)", "a count"},
	{"round_up(cpu.delay, 5)", "20: all must have one unit"},
	{"pow2(cpu.node)", "a count"},
	{"pow2(\"a\")", "5: numbers are needed here"},
	{"if(cpu.online, 1, 2)", "a count"},
	{"if(cpu.node, 1, 2)", "3: if needs a question first"},
	{"if(cpu.online, cpu.delay, 0)", "a time"},
	{"if(cpu.online, cpu.delay, 1)", "0: " IF_KIND},
	{"if(cpu.online, cpu, iface(\"a\"))", "0: " IF_KIND},
	{"if(cpu.online, \"a\", \"b\")", "text"},
	{"if(cpu.online, cpus.node, cpus.idle_name)", "0: " IF_KIND},
	{"coalesce(cpu.node)", "0: 1 argument, expected coalesce(a, b, …)"},
	{"coalesce(cpu.node, 1)", "a count"},
	{"coalesce(cpu.delay, 0)", "a time"},
	{"coalesce(cpu.delay, 1)", "20: " ONE_KIND},
	{"coalesce(cpu.node, \"a\")", "19: " ONE_KIND},
	{"coalesce(cpus.node, cpus.idle_name)", "20: " ONE_KIND},
	{"coalesce(cpu.time.soft, 80)", "a percentage"},
	{"present(cpu.node)", "a question"},
	{"present()", "0: 0 arguments, expected present(x)"},
	{"absent(1, 2)", "0: 2 arguments, expected absent(x)"},
	{"none(cpus, node)", "0: it takes a set and a question about its members"},
	{"all(ifaces, 1)", "0: it takes a set and a question about its members"},
	{"argmin(ifaces)", "0: 1 argument, expected argmin(set, number)"},
	{"median(cpus.idle_name)", "0: " AGGREGATE},
	{"median(cpus, node)", "a count"},
	{"mean(ifaces)", "0: " AGGREGATE},
	{"mean(cpus.delay)", "a time"},
	{"p50(cpus.node)", "a count"},
	{"p50(cpus)", "0: " AGGREGATE},
	{"p90(cpu.wait)", "a time"},
	{"p90(1)", "0: " AGGREGATE},
	{"p95(cpus, delay)", "a time"},
	{"p95(cpu.online)", "0: " AGGREGATE},
	{"p999(cpu.wait)", "a time"},
	{"p999(\"a\")", "0: " AGGREGATE},
	{"min(cpus.node)", "a count"},
	{"max(cpus, node)", "a count"},
	{"max(cpus)", "0: " AGGREGATE},
	{"absent(cpus)", "a question"},
	{"cpumask(cpus)", "a CPU list"},
	{"cpumask(ifaces)", "0: it needs a set of CPUs"},
	{"cpulist(cpu.irqs)", "0: it needs a set of CPUs"},
	{"cpulist(cpus[online])", "a CPU list"},
	{"cpulist(cpu)", "0: it needs a set of CPUs"},
	{"names(cpus)", "text"},
	{"names(cpus.idle_name)", "text"},
	{"names(cpus.node)", "0: names needs a set, or a list of texts"},
	{"names(cpu)", "0: names needs a set, or a list of texts"},
	{"cpu(\"x\")", "cpu"},
	{"cpu(online)", "4: unknown name \"online\" (params and lets are written $name)"},
	{"cpu(true)", "4: a key is text or a number"},
	{"cpu(cpu)", "4: a key is text or a number"},
	{"host(\"x\")", "0: no function \"host\""},
	{"iface()", "0: 0 arguments, expected iface(key)"},
	{"iface(\"a\", \"b\")", "0: 2 arguments, expected iface(key)"},
	{"union(host.log.down, host.log.up)", "0: " TWO_SETS},
	{"if(cpu.online, host.log.down, host.log.up)", "0: " IF_KIND},
	{"coalesce(host.log.down, host.log.up)", "24: " ONE_KIND},
	{"common(host.log.up, host.log.down).why", "0: " TWO_SETS},
	{"argmax(host.log.down, age)", "log lines"},
	{"argmax(host.log.down, age).why", "text"},
	{"argmax(host.log.down, age) == argmax(host.log.up, age)",
	 "0: cannot compare log lines and log lines"},
	{"argmax(host.log.down, age) in host.log.up",
	 "0: cannot look for log lines and a set of log lines"},
	{"names(host.log.down)", "0: names needs a set, or a list of texts"},
	{"only(host.log.down).iface", "iface"},
	{"host.log.down.iface.up", "list of a question"},
	{"host.log.down[any(cpus, online)]", "a set of log lines"},
	{"cpus[any(host.log.down, iface.up)]", "a set of cpu"},
	{"-0", "a count"},
	{"-$share", "a percentage"},
	{"cpu.time.soft > -80", "a question"},
	{"cpu.time.soft > -(80)", "a question"},
};

static void check_all(const struct row *rows, size_t n)
{
	struct loaded l;
	struct nd_scope s;
	char got[600];

	open_world(&l);
	s = world_scope(&l);
	for (size_t i = 0; i < n; i++) {
		type_of(rows[i].expr, &s, got, sizeof(got));
		if (strcmp(got, rows[i].want) != 0)
			fail_msg("%s is %s, expected %s", rows[i].expr, got, rows[i].want);
	}
	close_loaded(&l);
}

static void test_functions(void **state)
{
	(void)state;
	check_all(functions, ND_ARRAY_LEN(functions));
}

/* Every function has a row that is accepted and one that is not, whatever is added to the language. */
static void test_every_function(void **state)
{
	(void)state;
	for (unsigned f = 0; f < ND_FUNCS; f++) {
		size_t n = strlen(nd_funcs[f].name);
		unsigned good = 0, bad = 0;

		for (size_t i = 0; i < ND_ARRAY_LEN(functions); i++) {
			bool error = functions[i].want[0] >= '0' && functions[i].want[0] <= '9';

			if (strncmp(functions[i].expr, nd_funcs[f].name, n) != 0 ||
			    functions[i].expr[n] != '(')
				continue;
			good += !error;
			bad += error;
		}
		if (!good || (!bad && strcmp(nd_funcs[f].name, "present") != 0 &&
			      strcmp(nd_funcs[f].name, "absent") != 0))
			fail_msg("%s has %u rows that pass and %u that fail", nd_funcs[f].name,
				 good, bad);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_every_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
