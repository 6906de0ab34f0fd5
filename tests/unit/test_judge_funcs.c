/* Evaluation: every function of the language, log lines, tallies, and the limits. */
#include "tests/unit/judge_fixture.h"
#include "engine/rule/func.h"

/* ---- functions ---- */

static const char given_functions[] =
	"host: {x: 3, y: 8, w: 5ms, b: yes, c: no, d.delta: 30, e.delta: 100, s: absent,\n"
	"  h: {0ms..2ms: 10, 2ms..4ms: 970, 4ms..8ms: 20}}\n"
	"cpu:0: {x: 4, b: yes, s: up}\ncpu:1: {x: 1, b: no, s: up}\ncpu:2: {x: 9, b: yes, s: down}\n"
	"cpu:3: {x: absent, b: no, s: dormant}\ncpu:10: {x: 9, b: yes, s: other}\n"
	"irq:5: {x: 6, cpus: [cpu:0, cpu:1], h: {1ms..2ms: 9}}\n"
	"irq:6: {x: {missing: silent}, cpus: [cpu:1, cpu:2]}\n"
	"irq:7: {x: 1, cpus: absent}\n"
	"process:1: {comm: nginx}\nprocess:2: {comm: redis}\nprocess:3: {x: 1}\n"
	"process:4: {comm: nginx}\nprocess:5: {comm: postgres}\nprocess:6: {comm: mysqld}\n"
	"none: [queue]\n";

static const struct {
	enum nd_func_id id;
	const char *expr, *want;
} calls[] = {
	{ND_F_RATIO, "ratio(host.d.delta, host.e.delta, 20)", "0.3"},
	{ND_F_RATIO, "ratio(host.d.delta, host.e.delta, 100)", "0.3"},
	{ND_F_RATIO, "ratio(host.d.delta, host.e.delta, 101)", "unknown: too-few-samples"},
	{ND_F_RATIO, "ratio(host.x - 3, host.e.delta, 101)", "0"},
	{ND_F_RATIO, "ratio(host.x, host.x - 3, 0)", "unknown: too-few-samples"},
	{ND_F_RATIO, "ratio(host.p, host.e.delta, 1)", "unknown: not-sampled"},
	{ND_F_RATIO, "ratio(cpu(3).x, host.e.delta, 1)", "absent"},
	{ND_F_RATIO, "ratio(host.e.delta, cpu(3).x, 1)", "absent"},
	{ND_F_SHARE, "share(host.x, cpus.x)", "0.1304347826"},
	{ND_F_SHARE, "share(host.x, queues.x)", "unknown: too-few-samples"},
	{ND_F_SHARE, "share(host.x, irqs.x)", "unknown: silent"},
	{ND_F_SHARE, "share(cpu(3).x, cpus.x)", "absent"},
	{ND_F_IMBALANCE, "imbalance(cpus.x)", "1.565217391"},
	{ND_F_IMBALANCE, "imbalance(cpus, x)", "1.565217391"},
	{ND_F_IMBALANCE, "imbalance(cpus, x - x)", "unknown: too-few-samples"},
	{ND_F_IMBALANCE, "imbalance(queues.x)", "absent"},
	{ND_F_SUM, "sum(cpus.x)", "23"},
	{ND_F_SUM, "sum(cpus, 2 * x)", "46"},
	{ND_F_SUM, "sum(queues.x)", "0"},
	{ND_F_SUM, "sum(irqs.x)", "unknown: silent"},
	{ND_F_SUM, "sum(irq(9).cpus.x)", "0"},
	{ND_F_MEAN, "mean(cpus.x)", "5.75"},
	{ND_F_MEAN, "mean(queues.x)", "absent"},
	{ND_F_MEAN, "mean(host.h)", "0.00304"},
	{ND_F_MEDIAN, "median(cpus.x)", "4"},
	{ND_F_MEDIAN, "median(cpus[b], x)", "9"},
	{ND_F_MEDIAN, "median(queues.x)", "absent"},
	{ND_F_MIN, "min(cpus.x)", "1"},
	{ND_F_MIN, "min(host.x, host.y, 2)", "2"},
	{ND_F_MIN, "min(host.x, cpu(3).x)", "3"},
	{ND_F_MIN, "min(host.x, host.p)", NULL}, /* another unit */
	{ND_F_MIN, "min(host.x, irq(6).x)", "unknown: silent"},
	{ND_F_MIN, "min(queues.x)", "absent"},
	{ND_F_MAX, "max(cpus, x)", "9"},
	{ND_F_MAX, "max(host.x, host.y)", "8"},
	{ND_F_MAX, "max(0 - host.x, 0 - host.y)", "-3"},
	{ND_F_MAX, "max(cpu(3).x, cpu(3).x)", "absent"},
	{ND_F_MAX, "max(host.h)", "0.008"},
	{ND_F_P50, "p50(host.h)", "0.003"},
	{ND_F_P50, "p50(irq(5).h)", "unknown: too-few-samples"},
	{ND_F_P50, "p50(cpus.x)", "4"},
	{ND_F_P90, "p90(host.h)", "0.003"},
	{ND_F_P90, "p90(cpus.x)", "9"},
	{ND_F_P95, "p95(host.h)", "0.003"},
	{ND_F_P99, "p99(host.h)", "0.006"},
	{ND_F_P99, "p99(irq(7).h)", "unknown: not-sampled"},
	{ND_F_P999, "p999(host.h)", "unknown: too-few-samples"},
	{ND_F_P999, "p999(cpus.x)", "9"},
	{ND_F_COUNT, "count(cpus)", "5"},
	{ND_F_COUNT, "count(cpus.x)", "4"},
	{ND_F_COUNT, "count(host.h)", "1000"},
	{ND_F_COUNT, "count(queues)", "0"},
	{ND_F_COUNT, "count(irq(9).cpus)", "0"},
	{ND_F_ANY, "any(cpus, x > 8)", "yes"},
	{ND_F_ALL, "all(cpus[b], x > 3)", "yes"},
	{ND_F_NONE, "none(cpus, x > 9)", "yes"},
	{ND_F_ARGMAX, "argmax(cpus, x)", "cpu:2"}, /* of equals the lowest id */
	{ND_F_ARGMAX, "argmax(queues, x)", "absent"},
	{ND_F_ARGMAX, "argmax(irqs, x)", "unknown: silent"},
	{ND_F_ARGMIN, "argmin(cpus, x)", "cpu:1"},
	{ND_F_ONLY, "only(cpus[x == 4])", "cpu:0"},
	{ND_F_ONLY, "only(cpus[x == 9])", "absent"},
	{ND_F_ONLY, "only(queues)", "absent"},
	{ND_F_ONLY, "only(irqs[x > 7])", "unknown: silent"},
	{ND_F_TOP, "top(2, cpus, x)", "{cpu:2 cpu:10}"},
	{ND_F_TOP, "top(9, cpus, x)", "{cpu:2 cpu:10 cpu:0 cpu:1}"},
	{ND_F_TOP, "top(0, cpus, x)", "{}"},
	{ND_F_TOP, "top(host.x - 9, cpus, x)", "{}"},
	{ND_F_TOP, "top(1, irqs, x)", "unknown: silent"},
	{ND_F_TAKE, "take(2, cpus)", "{cpu:0 cpu:1}"},
	{ND_F_TAKE, "take(9, irqs)", "{irq:5 irq:6 irq:7}"},
	{ND_F_TAKE, "take(host.x - 9, irqs)", "{}"},
	{ND_F_UNION, "union(irq(5).cpus, irq(6).cpus)", "{cpu:0 cpu:1 cpu:2}"},
	{ND_F_UNION, "union(irq(9).cpus, irq(6).cpus)", "{cpu:1 cpu:2}"},
	{ND_F_UNION, "union(irqs[x > 7], irqs[x > 5])", "{?silent irq:5 ?silent}"},
	{ND_F_COMMON, "common(irq(5).cpus, irq(6).cpus)", "{cpu:1}"},
	{ND_F_COMMON, "common(irq(5).cpus, irq(9).cpus)", "{}"},
	{ND_F_WITHOUT, "without(irq(5).cpus, irq(6).cpus)", "{cpu:0}"},
	{ND_F_WITHOUT, "without(irq(5).cpus, cpu(1))", "{cpu:0}"},
	{ND_F_WITHOUT, "without(irq(5).cpus, cpu(77))", "{cpu:0 cpu:1}"},
	{ND_F_KNOWN, "known(irqs[x > 0])", "{irq:5 irq:7}"},
	{ND_F_MODE, "mode(host.h)", "0.003"},
	{ND_F_MODE, "mode(irq(7).h)", "unknown: not-sampled"},
	{ND_F_FRACTION, "fraction(host.h, 2ms..4ms)", "0.97"},
	{ND_F_FRACTION, "fraction(host.h, 4ms..)", "0.02"},
	{ND_F_FRACTION, "fraction(host.h, 1ms..)", "~0.995"},
	{ND_F_FRACTION, "fraction(irq(5).h, 1ms..)", "unknown: too-few-samples"},
	{ND_F_ABS, "abs(host.x - host.y)", "5"},
	{ND_F_ABS, "abs(irq(6).x)", "unknown: silent"},
	{ND_F_CLAMP, "clamp(host.x, 4, 9)", "4"},
	{ND_F_CLAMP, "clamp(host.x, 1, 2)", "2"},
	{ND_F_CLAMP, "clamp(host.x, 1, 9)", "3"},
	{ND_F_CLAMP, "clamp(cpu(3).x, 1, 9)", "absent"},
	{ND_F_ROUND_UP, "round_up(host.y, 5)", "10"},
	{ND_F_ROUND_UP, "round_up(10, 5)", "10"},
	{ND_F_ROUND_UP, "round_up(host.y, host.x - 3)", "8"},
	{ND_F_POW2, "pow2(host.x)", "4"},
	{ND_F_POW2, "pow2(host.y)", "8"},
	{ND_F_POW2, "pow2(0)", "1"},
	{ND_F_POW2, "pow2(9)", "16"},
	{ND_F_IF, "if(host.b, host.x, host.y)", "3"},
	{ND_F_IF, "if(host.c, host.x, host.y)", "8"},
	{ND_F_IF, "if(host.p > 1%, host.x, host.y)", "unknown: not-sampled"},
	{ND_F_COALESCE, "coalesce(irq(6).x, host.y)", "8"},
	{ND_F_COALESCE, "coalesce(cpu(3).x, irq(6).x, host.x)", "3"},
	{ND_F_COALESCE, "coalesce(cpu(3).x, irq(6).x)", "unknown: silent"},
	{ND_F_PRESENT, "present(host.x)", "yes"},
	{ND_F_PRESENT, "present(host.s)", "no"},
	{ND_F_PRESENT, "present(irq(6).x)", "no"},
	{ND_F_ABSENT, "absent(host.s)", "yes"},
	{ND_F_ABSENT, "absent(host.x)", "no"},
	{ND_F_ABSENT, "absent(irq(6).x)", "no"},
	{ND_F_CPUMASK, "cpumask(cpus)", "40f"},
	{ND_F_CPUMASK, "cpumask(cpus[x > 99])", "0"},
	{ND_F_CPULIST, "cpulist(cpus)", "0-3,10"},
	{ND_F_CPULIST, "cpulist(irq(6).cpus)", "1-2"},
	{ND_F_CPULIST, "cpulist(cpus[x == 9])", "2,10"},
	{ND_F_CPULIST, "cpulist(irqs.cpus)", "0-2"},
	{ND_F_NAMES, "names(irqs)", "irq:5, irq:6, irq:7"},
	{ND_F_NAMES, "names(processes)", "nginx, redis, process:3 and 2 more"},
	{ND_F_NAMES, "names(cpus.s)", "up, down, dormant and 1 more"},
	{ND_F_NAMES, "names(queues)", "absent"},
};

/* Every function has a row, whatever is added to the language. */
static void test_functions(void **state)
{
	uint32_t seen[ND_FUNCS] = {0};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(calls); i++) {
		const char *name = nd_funcs[calls[i].id].name;

		assert_int_equal(strncmp(calls[i].expr, name, strlen(name)), 0);
		assert_int_equal(calls[i].expr[strlen(name)], '(');
		if (!calls[i].want)
			continue;
		seen[calls[i].id]++;
		CHECK(given_functions, "host", ((struct row[]){{calls[i].expr, calls[i].want}}));
	}
	for (unsigned i = 0; i < ND_FUNCS; i++) {
		assert_int_equal(nd_funcs[i].id, i);
		if (!seen[i])
			fail_msg("function %s has no row in this test", nd_funcs[i].name);
	}
}

static void test_masks(void **state)
{
	(void)state;
	CHECK("cpu:0-3: {x: 1}\ncpu:35: {x: 1}\n", "host",
	      ((struct row[]){{"cpumask(cpus)", "8,0000000f"}, {"cpulist(cpus)", "0-3,35"}}));
	CHECK("cpu:31-64: {x: 1}\n", "host",
	      ((struct row[]){{"cpumask(cpus)", "1,ffffffff,80000000"}}));
	CHECK("cpu:1: {x: {missing: silent}}\n", "host",
	      ((struct row[]){{"cpulist(cpus[x > 1])", "unknown: silent"}}));
}

/* ---- log lines and tallies ---- */

static void test_logs(void **state)
{
	static const char logs[] =
		"logs:\n"
		"  down: {match: '(?<iface>[a-z0-9]+): Link is Down \\((?<why>\\w+)\\)'}\n";
	static const char given[] = "log:\n"
				    "  - {age: 5s, text: 'eth0: Link is Down (cable)'}\n"
				    "  - {age: 500s, text: 'eth0: Link is Down (peer)'}\n"
				    "  - {text: 'eth1: Link is Down (cable)'}\n"
				    "  - {age: 3s, text: 'eth2: Link is Up'}\n"
				    "iface:eth0: {x: 1}\niface:eth1: {x: 1}\niface:eth2: {x: 1}\n";
	static const struct row host[] = {
		{"count(host.log.down)", "3"},
		{"host.log.down.why", "[cable peer cable]"},
		{"host.log.down.iface", "{iface:eth0 iface:eth1}"},
		{"count(host.log.down[why == 'cable'])", "2"},
		{"count(host.log.down[age < 60s])", "unknown: parse-error"},
		{"count(known(host.log.down[age < 60s]))", "1"},
		{"any(host.log.down, age < 60s)", "yes"},
		{"any(host.log.down, age < 1s)", "unknown: parse-error"},
		{"max(host.log.down, age)", "unknown: parse-error"},
		{"names(host.log.down.text)",
		 "eth0: Link is Down (cable), eth0: Link is Down (peer), eth1: Link is Down (cable)"},
	};
	static const struct row eth0[] = {
		{"count(iface.log.down)", "2"},
		{"count(iface.log.down[age < 60s])", "1"},
		{"max(iface.log.down, age)", "500"},
	};
	struct evaluated v;

	(void)state;
	check_rows(given, "host", host, ND_ARRAY_LEN(host), logs);
	check_rows(given, "iface:eth0", eth0, ND_ARRAY_LEN(eth0), logs);
	check_rows(given, "iface:eth2", (struct row[]){{"count(iface.log.down)", "0"}}, 1, logs);
	check_rows("host: {x: 1}\n", "host",
		   (struct row[]){{"count(host.log.down) > 0", "unknown: not-sampled"}}, 1, logs);
	check_rows("host: {x: 1}\nlog: {missing: no-permission}\n", "host",
		   (struct row[]){{"count(host.log.down) > 0", "unknown: no-permission"}}, 1, logs);
	v = evaluate(given, "iface:eth0", "count(iface.log.down) > 0", logs);
	assert_true(v.stale); /* lines of whatever age */
	v = evaluate(given, "iface:eth0", "count(iface.log.down[age < 60s]) > 0", logs);
	assert_false(v.stale);
	v = evaluate(given, "iface:eth0", "any(iface.log.down, age < 60s)", logs);
	assert_false(v.stale);
	v = evaluate(given, "iface:eth0", "count(iface.log.down[why == 'cable']) > 0", logs);
	assert_true(v.stale);
}

static void test_tallies(void **state)
{
	static const char text[] =
		"rule: one\ntitle: t\nscope: cpu\nlet: {v: cpu.tally.uneven.hits}\n"
		"tally: {uneven: {over: samples, where: left > 2 and left != right}}\n"
		"tree:\n  - {ask: q, test: present($v), if_no: {rule_out: n}}\n"
		"  - conclude: c\ncauses: {c: {title: t, because: b}}\n";
	static const double rows[][2] = {{3, 1},   {3, 3},   {9, 2},  {1, 2},
					 {NAN, 2}, {5, NAN}, {1, NAN}};
	static const struct row shared[] = {
		{"cpu.tally.some.hits", "3"},
		{"ratio(cpu.tally.some.hits, cpu.tally.some.rows, 2)", "0.3333333333"},
	};
	double hits, n;
	struct judged j;
	nd_id cpu;

	(void)state;
	open_judged(&j, (const char *const[]){text, NULL}, NULL);
	cpu = nd_entity_num(j.f, ND_CPU, 4);
	nd_judge_watch(j.rules, j.f);
	assert_false(nd_tally_get(j.f, 0, cpu, &hits, &n));
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++)
		nd_put_row(j.f, cpu, &fixture_rows, rows[i]);
	assert_true(nd_tally_get(j.f, 0, cpu, &hits, &n));
	assert_true(hits == 2 && n == 5); /* a row that cannot be judged counts on neither side */
	assert_false(nd_tally_get(j.f, 0, 0, &hits, &n));
	assert_false(nd_tally_get(j.f, 1, cpu, &hits, &n));
	close_judged(&j);
	check_rows("cpu:0: {tally.some: {hits: 3, rows: 9}}\n", "cpu:0", shared, 2,
		   "tally: {some: {over: samples, where: left > 2}}\n");
	check_rows("cpu:0: {x: 1}\n", "cpu:0",
		   (struct row[]){{"cpu.tally.some.hits > 0", "unknown: not-sampled"}}, 1,
		   "tally: {some: {over: samples, where: left > 2}}\n");
}

/* ---- limits ---- */

static void test_visits(void **state)
{
	struct evaluated v;
	struct judged j;
	static const char text[] = "rule: one\ntitle: t\nscope: host\n"
				   "let: {v: 'count(cpus[any(cpus, x < 0 and x < 0)]) > 0'}\n"
				   "tree:\n  - {ask: q, test: present($v), if_no: {rule_out: n}}\n"
				   "  - conclude: c\ncauses: {c: {title: t, because: b}}\n";
	static const char inner[] = "rule: one\ntitle: t\nscope: host\n"
				    "let: {v: 'any(cpus, any(irqs, x < 0))'}\n"
				    "tree:\n  - {ask: q, test: $v, if_no: {rule_out: n}}\n"
				    "  - conclude: c\ncauses: {c: {title: t, because: b}}\n";

	(void)state;
	open_judged(&j, (const char *const[]){text, NULL}, "cpu:0-255: {x: 1}\n");
	evaluate_let(&j, "host", &v);
	assert_string_equal(v.text, "no"); /* the inner question is the same for all: asked once */
	assert_in_range(v.visits, 256, 2000);
	close_judged(&j);

	open_judged(&j, (const char *const[]){inner, NULL}, NULL);
	for (uint32_t c = 0; c < 1001; c++) {
		nd_id cpu = nd_entity_num(j.f, ND_CPU, c), all[1000];

		for (uint32_t i = 0; i < 1000; i++) {
			struct nd_input in = {.path = "x", .netns = "host"};

			all[i] = nd_entity_num(j.f, ND_IRQ, i);
			nd_put_num(j.f, all[i],
				   &fixture_facts[nd_registry_find(j.registry, ND_IRQ, "x")], 1,
				   &in);
		}
		nd_links_set(j.f, cpu, ND_IRQ_CPUS, true, all, 1000);
	}
	evaluate_let(&j, "host", &v);
	assert_string_equal(v.text, "unknown: budget");
	assert_in_range(v.visits, ND_MAX_VISITS, ND_MAX_VISITS + 2000);
	assert_int_equal(judge(&j)->n_open, 1);
	assert_int_equal(j.out->open[0].missing[j.out->open[0].n_missing - 1].why, ND_BUDGET);
	close_judged(&j);
}

/* A pattern that would try for ever gives up. */
static void test_pattern_limit(void **state)
{
	char given[200];

	(void)state;
	snprintf(given, sizeof(given), "host: {s: '%s!'}\n",
		 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
	CHECK(given, "host",
	      ((struct row[]){{"host.s =~ '^(a+)+$'", "unknown: budget"},
			      {"host.s !~ '^(a+)+$'", "unknown: budget"},
			      {"host.s =~ '^a+!$'", "yes"}}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions), cmocka_unit_test(test_masks),
		cmocka_unit_test(test_logs),	  cmocka_unit_test(test_tallies),
		cmocka_unit_test(test_visits),	  cmocka_unit_test(test_pattern_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
