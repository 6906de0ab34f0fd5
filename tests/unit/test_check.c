/* The checker: the type of every form that is accepted, and each message with the place that it points at. */
#include "tests/unit/rule_fixture.h"

struct row {
	const char *expr, *want; /* its type, or "place: message" */
};

#define SEEN_SPAN                                                                                  \
	".seen has no fixed time span: divide it by another .seen or by host.span, or compare it with 0"
#define COUNT_PERCENT "a count against a percentage: divide it by what it is a share of"
#define ONE_KIND "all values of coalesce must be of one kind and unit"
#define SPANS ".seen and a count of the window span different times"
#define COUNTER "cpu.dropped is a counter: say .rate, .peak, .delta, .seen or .total"
#define SAME "both sides are the same: inside [ ] the walked entity is called this"

/* Literals and ranges. */
static const struct row literals[] = {
	{"1", "a count"},
	{"5ms", "a time"},
	{"80%", "a percentage"},
	{"\"a\"", "text"},
	{"'a'", "text"},
	{"true", "a question"},
	{"1..2", "a range"},
	{"..5ms", "a range"},
	{"5ms..", "a range"},
	{"0..5ms", "a range"},
	{"1ms..2B", "0: cannot make a range of a time and bytes"},
};

/* What a path gives, over one entity and over a set. */
static const struct row paths[] = {
	{"cpu.time.soft", "a percentage"},
	{"this.time.soft", "a percentage"},
	{"about.time.soft", "a percentage"},
	{"found", "a set of cpu"},
	{"cpu", "cpu"},
	{"cpus", "a set of cpu"},
	{"cpus.time.soft", "list of a percentage"},
	{"cpu.key", "a count"},
	{"cpus.key", "list of a count"},
	{"cpu.irqs", "a set of irq"},
	{"cpu.irqs.iface", "a set of iface"},
	{"cpu.irqs.iface.speed", "list of bytes per second"},
	{"only(cpu.irqs).iface", "iface"},
	{"only(cpu.irqs).iface.speed", "bytes per second"},
	{"ifaces.up", "list of a question"},
	{"cpu.wait", "a histogram"},
	{"cpus.wait", "list of a histogram"},
	{"iface(\"eth0\").speed", "bytes per second"},
	{"cpu(3).node", "a count"},
	{"cpu.time.soft.max", "a percentage"},
	{"cpu.time.soft.samples", "a count"},
	{"cpu.dropped.rate", "a rate (/s)"},
	{"cpu.dropped.peak", "a rate (/s)"},
	{"cpu.dropped.delta", "a count"},
	{"cpu.dropped.seen", "a count of .seen"},
	{"cpu.dropped.total", "a count of .seen"},
	{"cpu.busy.rate", "a ratio"},
	{"cpu.busy.seen", "a time"},
	{"cpu.bytes.rate", "bytes per second"},
	{"cpu.bytes.delta", "bytes"},
	{"cpu.node.first", "a count"},
	{"cpu.node.change", "a count"},
	{"cpu.idle_name.first", "text"},
	{"iface(\"a\").flags", "words"},
	{"host.release", "text"},
	{"host.ok", "a question"},
	{"host.log.down", "a set of log lines"},
	{"host.log.down.age", "list of a time"},
	{"host.log.down.why", "list of text"},
	{"host.log.down.iface", "a set of iface"},
	{"host.log.down.text", "list of text"},
	{"cpu.tally.some.hits", "a count of .seen"},
	{"cpu.tally.some.rows", "a count of .seen"},
	{"cpu.saturated", "a question"},
	{"cpus.saturated", "list of a question"},
	{"cpus[saturated]", "a set of cpu"},
	{"cpu.irqs.iface[physical]", "a set of iface"},
	{"$share", "a percentage"},
	{"$busy", "a set of cpu"},
	{"$busy.irqs", "a set of irq"},
	{"$late", "a time"},
	{"symptom", "symptom"},
};

/* The caret stands at the name that is wrong. */
static const struct row wrong_paths[] = {
	{"cpu.dropped", "4: " COUNTER},
	{"cpus.dropped", "5: " COUNTER},
	{"cpu.dropped > 0", "4: " COUNTER},
	{"cpu.droped.rate", "4: cpu has no fact or relation \"droped\"; nearest is dropped"},
	{"cpu.node.rate",
	 "9: nothing can follow here: \".rate\" needs an entity or a set before it"},
	{"cpu.wait.rate",
	 "9: nothing can follow here: \".rate\" needs an entity or a set before it"},
	{"cpu.time.soft.rate",
	 "14: nothing can follow here: \".rate\" needs an entity or a set before it"},
	{"cpu.nonsense", "4: cpu has no fact or relation \"nonsense\""},
	{"cpu.irq", "4: cpu has no fact or relation \"irq\"; nearest is irqs"},
	{"cpus.irqs.ifaces", "10: irq has no fact or relation \"ifaces\"; nearest is iface"},
	{"iface.speed",
	 "0: iface is not what is walked here (cpu): name a relation, or the set ifaces"},
	{"cpux", "0: unknown name \"cpux\"; nearest is cpu"},
	{"hosts", "0: unknown name \"hosts\"; nearest is host"},
	{"nonsense", "0: unknown name \"nonsense\" (params and lets are written $name)"},
	{"$nothing", "0: no $nothing here"},
	{"$shar", "0: no $shar here; nearest is $share"},
	{"cpu.node.node",
	 "9: nothing can follow here: \".node\" needs an entity or a set before it"},
	{"cpu.key.x", "8: nothing can follow here: \".x\" needs an entity or a set before it"},
	{"\"a\".x", "3: a literal has no parts: no '.' can follow it"},
	{"cpu.log.down", "8: log pattern down captures no (?<cpu>…)"},
	{"host.log.sideways", "9: no log pattern \"sideways\" under logs"},
	{"host.log.down.what",
	 "14: a line of log pattern down has age, text and its groups, not \"what\""},
	{"host.log.down.age.x",
	 "18: nothing can follow here: \".x\" needs an entity or a set before it"},
	{"cpu.tally.some.misses",
	 "10: no tally some.misses: a tally of this file, with .hits or .rows"},
	{"cpu.tally.other.hits",
	 "10: no tally other.hits: a tally of this file, with .hits or .rows"},
	{"host.log", "5: host has no fact or relation \"log\""},
	{"cpu.tally", "4: cpu has no fact or relation \"tally\""},
	{"it", "0: unknown name \"it\" (params and lets are written $name)"},
	{"1 + it", "4: unknown name \"it\" (params and lets are written $name)"},
	{"a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r", "0: a path of more than 16 names"},
};

/* Units of a comparison, and what has an order. */
static const struct row compare[] = {
	{"cpu.time.soft > 80", "0: a percentage against a bare number: did you mean 80%?"},
	{"cpu.time.soft > 80%", "a question"},
	{"cpu.time.soft > 0", "a question"},
	{"80 < cpu.time.soft", "0: a percentage against a bare number: did you mean 80%?"},
	{"cpu.time.soft > $bare", "0: a percentage against a bare number: did you mean 80%?"},
	{"cpu.node > 5%", "0: " COUNT_PERCENT},
	{"5% < cpu.node", "0: " COUNT_PERCENT},
	{"cpu.node > $share", "0: " COUNT_PERCENT},
	{"cpu.delay > 5", "0: cannot compare a time and a count"},
	{"cpu.delay > 0", "a question"},
	{"cpu.delay > 5ms", "a question"},
	{"cpu.delay > 0ms", "a question"},
	{"cpu.dropped.rate > 40ms", "0: cannot compare a rate (/s) and a time"},
	{"cpu.dropped.rate > 40", "0: cannot compare a rate (/s) and a count"},
	{"cpu.dropped.rate > 40/s", "a question"},
	{"cpu.dropped.rate > 0", "a question"},
	{"cpu.dropped.rate > cpu.dropped.total",
	 "0: cannot compare a rate (/s) and a count of .seen"},
	{"cpu.dropped.seen > 1000", "0: " SEEN_SPAN},
	{"cpu.dropped.seen > 0", "a question"},
	{"cpu.dropped.seen > cpu.processed.seen", "a question"},
	{"cpu.dropped.seen > cpu.processed.delta", "0: " SEEN_SPAN},
	{"1000 < cpu.dropped.seen", "0: " SEEN_SPAN},
	{"cpu.dropped.seen > $bare", "0: " SEEN_SPAN},
	{"cpu.dropped.seen / host.span > 5/s", "a question"},
	{"cpu.dropped.seen / cpu.processed.seen > 5%", "a question"},
	{"cpu.dropped.total > 5", "0: " SEEN_SPAN},
	{"cpu.busy.rate > 5%", "a question"},
	{"cpu.busy.rate > 0.5", "a question"},
	{"cpu.bytes.rate > 5MB/s", "a question"},
	{"iface(\"a\").speed > 10Gbit/s", "a question"},
	{"iface(\"a\").speed > 10MB/s", "a question"},
	{"host.release == \"6.1\"", "a question"},
	{"host.release > \"6.1\"", "0: only numbers have an order: use == or !="},
	{"host.release == 6", "0: cannot compare text and a count"},
	{"host.ok == true", "a question"},
	{"host.ok > true", "0: only numbers have an order: use == or !="},
	{"cpu == cpu(3)", "a question"},
	{"cpu == iface(\"a\")", "0: cannot compare cpu and iface"},
	{"cpu < cpu(3)", "0: only numbers have an order: use == or !="},
	{"cpus == cpus[online]", "0: cannot compare a set of cpu and a set of cpu"},
	{"cpu.wait == cpu.wait", "0: " SAME},
	{"cpu.wait == cpu(1).wait", "0: cannot compare a histogram and a histogram"},
	{"cpu.node == cpu.node", "0: " SAME},
	{"cpus[node == node]", "5: " SAME},
	{"count(cpus[node == this.node]) > 1", "a question"},
	{"cpu.node == $late", "0: cannot compare a count and a time"},
	{"iface(\"a\").flags == \"up\"", "a question"},
	{"iface(\"a\").flags == host.release", "a question"},
};

/* and, or, not. */
static const struct row logic[] = {
	{"cpu.online and cpu.node", "15: and, or, not need questions, this is a count"},
	{"cpu.node and cpu.online", "0: and, or, not need questions, this is a count"},
	{"not cpu.node", "4: and, or, not need questions, this is a count"},
	{"cpu.online or \"a\"", "14: and, or, not need questions, this is text"},
	{"not cpu.online and true", "a question"},
};

/* Patterns, ranges, sets, lists of texts. */
static const struct row match_in[] = {
	{"host.release =~ '6\\.1'", "a question"},
	{"host.release !~ '6\\.1'", "a question"},
	{"cpu.node =~ 'x'", "0: =~ needs text on its left"},
	{"host.release =~ '(a'", "19: bad pattern: missing closing parenthesis"},
	{"host.release =~ 'a('", "19: bad pattern: missing closing parenthesis"},
	{"iface(\"a\").flags =~ 'x'", "a question"},
	{"host.release in (\"a\", \"b\")", "a question"},
	{"host.release not in (\"a\", \"b\")", "a question"},
	{"cpu.node in (\"a\", \"b\")", "0: in (…) needs text on its left"},
	{"cpu.node in 1..3", "a question"},
	{"cpu.delay in 1ms..3ms", "a question"},
	{"cpu.delay in 1..3", "13: cannot compare a time and a count"},
	{"cpu.delay in 0..3ms", "a question"},
	{"cpu.time.soft in 80..90", "17: a percentage against a bare number: did you mean 80%?"},
	{"cpu.time.soft in 80%..90%", "a question"},
	{"cpu.node in 1%..3%", "12: " COUNT_PERCENT},
	{"cpu.dropped.seen in 5..9", "20: " SEEN_SPAN},
	{"cpu in cpus", "a question"},
	{"cpu in cpus[online]", "a question"},
	{"cpu in ifaces", "0: cannot look for cpu and a set of iface"},
	{"cpu.node in cpus", "0: cannot look for a count and a set of cpu"},
	{"host.release in host.release",
	 "16: in needs a range (a..b), a set, or texts in parentheses"},
	{"cpu in cpu(3)", "7: in needs a range (a..b), a set, or texts in parentheses"},
	{"\"a\"..\"b\"", "0: a range needs numbers on its sides"},
	{"cpu.node in 1..cpu.delay", "12: cannot make a range of a count and a time"},
};

/* What comes of calculating. */
static const struct row arithmetic[] = {
	{"cpu.delay + 5", "0: cannot add a time and a count"},
	{"cpu.delay + 5ms", "a time"},
	{"cpu.delay + 0", "a time"},
	{"cpu.time.soft + cpu.node", "0: cannot add a percentage and a count"},
	{"cpu.time.soft + 5", "a percentage"},
	{"cpu.node - cpu.dropped.seen", "0: cannot subtract a count and a count of .seen"},
	{"cpu.dropped.seen - cpu.processed.seen", "a count of .seen"},
	{"cpu.delay * cpu.dropped.rate", "a count"},
	{"cpu.delay / cpu(1).delay", "a ratio"},
	{"cpu.delay * 2", "a time"},
	{"2 * cpu.delay", "a time"},
	{"cpu.delay * cpu.delay", "a number of mixed units"},
	{"cpu.delay / cpu.node", "a time"},
	{"1 / cpu.delay", "a rate (/s)"},
	{"cpu.dropped.delta / cpu.dropped.seen", "0: " SPANS},
	{"cpu.dropped.seen / cpu.dropped.delta", "0: " SPANS},
	{"cpu.busy.seen / cpu.dropped.seen", "a time"},
	{"\"a\" + 1", "0: cannot calculate with text and a count"},
	{"cpu + 1", "0: cannot calculate with cpu and a count"},
	{"cpus + 1", "0: cannot calculate with a set of cpu and a count"},
	{"-cpu.delay", "a time"},
	{"-cpus", "0: - needs a number"},
	{"-\"a\"", "0: - needs a number"},
	{"cpu.time.soft * cpu.node", "a count"},
	{"cpu.node * 50%", "a count"},
	{"5% * 2", "a percentage"},
};

/* Filters. */
static const struct row filters[] = {
	{"cpus[node]", "5: a filter needs a question"},
	{"cpu[online]", "0: [ ] filters a set of entities"},
	{"5[true]", "0: [ ] filters a set of entities"},
	{"cpus[online][node > 1]", "a set of cpu"},
	{"host.log.down[age < 60s]", "a set of log lines"},
	{"host.log.down[why == \"x\"]", "a set of log lines"},
	{"host.log.down[iface.up]", "a set of log lines"},
	{"cpus[irqs]", "5: a filter needs a question"},
	{"cpus[any(irqs, managed)]", "a set of cpu"},
	{"cpus[it == this]", "a set of cpu"},
};

/* A bare 0 fits all; lines of one log pattern are none of another. */
static const struct row zero[] = {
	{"cpus[online].droped.rate > 0",
	 "13: cpu has no fact or relation \"droped\"; nearest is dropped"},
	{"(cpu.droped).rate", "5: cpu has no fact or relation \"droped\"; nearest is dropped"},
	{"cpu.delay in 0..0", "a question"},
	{"cpu.delay in ..3ms", "a question"},
	{"cpu.delay in 3ms..", "a question"},
	{"cpu.delay in cpu.delay..5ms", "a question"},
	{"cpu.delay in 1ms..0", "a question"},
	{"cpu.time.soft in 0..80%", "a question"},
	{"clamp(0, cpu.delay, 5ms)", "a time"},
	{"coalesce(0, cpu.delay)", "a time"},
	{"coalesce(0, cpu.delay, 1)", "23: " ONE_KIND},
	{"if(cpu.online, 0, cpu.delay)", "a time"},
	{"0 + cpu.delay", "a time"},
	{"0 - cpu.node", "a count"},
	{"iface(\"a\").flags in (\"a\", \"b\")", "a question"},
	{"argmax(host.log.down, age) == argmax(host.log.down[age < 5s], age)", "a question"},
	{"argmax(host.log.down, age) in host.log.down", "a question"},
	{"cpu.dropped.seen in 0..cpu.processed.seen", "a question"},
	{"-cpu.dropped.seen > 0", "a question"},
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

static void test_literals(void **state)
{
	(void)state;
	check_all(literals, ND_ARRAY_LEN(literals));
}

static void test_paths(void **state)
{
	(void)state;
	check_all(paths, ND_ARRAY_LEN(paths));
}

static void test_wrong_paths(void **state)
{
	(void)state;
	check_all(wrong_paths, ND_ARRAY_LEN(wrong_paths));
}

static void test_compare(void **state)
{
	(void)state;
	check_all(compare, ND_ARRAY_LEN(compare));
}

static void test_logic(void **state)
{
	(void)state;
	check_all(logic, ND_ARRAY_LEN(logic));
}

static void test_match_in(void **state)
{
	(void)state;
	check_all(match_in, ND_ARRAY_LEN(match_in));
}

static void test_arithmetic(void **state)
{
	(void)state;
	check_all(arithmetic, ND_ARRAY_LEN(arithmetic));
}

static void test_filters(void **state)
{
	(void)state;
	check_all(filters, ND_ARRAY_LEN(filters));
}

static void test_zero(void **state)
{
	(void)state;
	check_all(zero, ND_ARRAY_LEN(zero));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_literals),    cmocka_unit_test(test_paths),
		cmocka_unit_test(test_wrong_paths), cmocka_unit_test(test_compare),
		cmocka_unit_test(test_logic),	    cmocka_unit_test(test_match_in),
		cmocka_unit_test(test_arithmetic),  cmocka_unit_test(test_filters),
		cmocka_unit_test(test_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
