/* Evaluation: yes, no and unknown; absent; spans of time; paths and filters over sets of which not all is
 * known. */
#include "tests/unit/judge_fixture.h"

/* ---- three values ---- */

/* Questions that answer yes, no, unknown, absent. */
static const char answers[] = "irq:1: {b: yes, c: no, s: absent, w: absent}\n";
static const char *const literal[] = {"irq.b", "irq.c", "irq.x > 0", "irq.s == 'a'"};

static void test_logic(void **state)
{
	enum { Y, N, U, A, ALL };
	static const char *const and_[ALL][ALL] = {
		{"yes", "no", "?", "no"},
		{"no", "no", "no", "no"},
		{"?", "no", "?", "no"},
		{"no", "no", "no", "no"},
	};
	static const char *const or_[ALL][ALL] = {
		{"yes", "yes", "yes", "yes"},
		{"yes", "no", "?", "no"},
		{"yes", "?", "?", "?"},
		{"yes", "no", "?", "no"},
	};
	static const char *const not_[ALL] = {"no", "yes", "?", "yes"};
	char expr[100];

	(void)state;
	for (unsigned a = 0; a < ALL; a++) {
		const char *want = *not_[a] == '?' ? "unknown: not-sampled" : not_[a];

		snprintf(expr, sizeof(expr), "not %s", literal[a]);
		CHECK(answers, "irq:1", ((struct row[]){{expr, want}}));
		for (unsigned b = 0; b < ALL; b++) {
			want = and_[a][b];
			want = *want == '?' ? "unknown: not-sampled" : want;
			snprintf(expr, sizeof(expr), "%s and %s", literal[a], literal[b]);
			CHECK(answers, "irq:1", ((struct row[]){{expr, want}}));
			want = or_[a][b];
			want = *want == '?' ? "unknown: not-sampled" : want;
			snprintf(expr, sizeof(expr), "%s or %s", literal[a], literal[b]);
			CHECK(answers, "irq:1", ((struct row[]){{expr, want}}));
		}
	}
}

/* Members that answer yes, no, unknown; in whatever mixture. */
static void test_quantifiers(void **state)
{
	static const struct {
		const char *cpus, *any, *all, *none;
	} rows[] = {
		{"none: [cpu]\n", "no", "no", "yes"},
		{"cpu:0: {b: yes}\n", "yes", "yes", "no"},
		{"cpu:0: {b: no}\n", "no", "no", "yes"},
		{"cpu:0: {c: no}\n", "?", "?", "?"},
		{"cpu:0: {b: yes}\ncpu:1: {b: no}\n", "yes", "no", "no"},
		{"cpu:0: {c: no}\ncpu:1: {b: yes}\n", "yes", "?", "no"},
		{"cpu:0: {c: no}\ncpu:1: {b: no}\n", "?", "no", "?"},
		{"cpu:0: {c: no}\ncpu:1: {b: no}\ncpu:2: {b: yes}\n", "yes", "no", "no"},
		{"cpu:0: {b: absent}\n", "no", "no", "yes"},
		{"cpu:0: {b: absent}\ncpu:1: {b: yes}\n", "yes", "no", "no"},
		{"irq:1: {x: 1}\n", "?", "?", "?"}, /* nobody read the CPUs */
	};
	static const char *const calls[] = {"any(cpus, b)", "all(cpus, b)", "none(cpus, b)"};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		const char *want[] = {rows[i].any, rows[i].all, rows[i].none};

		for (unsigned k = 0; k < 3; k++) {
			const char *full = *want[k] == '?' ? "unknown: not-sampled" : want[k];

			CHECK(rows[i].cpus, "host", ((struct row[]){{calls[k], full}}));
		}
	}
}

/* What an answer rests on: one side or member, one that is not stale if there is one. */
static void test_rests_on(void **state)
{
	static const char given[] = "host: {x: 1, y: 1, d: {total: 9}, e.delta: 4, w: absent}\n"
				    "cpu:0: {d: {total: 9}, e: {total: 2}}\n"
				    "cpu:1: {d.delta: 5, e.delta: 9}\n"
				    "cpu:2: {d: {missing: silent}}\n";
	static const struct {
		const char *expr, *want;
		bool stale;
		uint32_t used;
	} rows[] = {
		{"host.d.seen > 0", "yes", true, 1},
		{"host.x > 0", "yes", false, 1},
		{"host.d.seen > 0 or host.x > 0", "yes", false, 1},
		{"host.x > 0 or host.d.seen > 0", "yes", false, 1},
		{"host.d.seen > 0 or host.x > 2", "yes", true, 1},
		{"host.x > 2 or host.d.seen > 0", "yes", true, 1},
		{"host.d.seen > 0 and host.x > 0", "yes", true, 2},
		{"host.d.seen == 0 and host.x > 2", "no", false, 1},
		{"host.d.seen == 0 and host.x > 0", "no", true, 1},
		{"host.x > 2 and host.d.seen == 0", "no", false, 1},
		{"host.s == 'a' or host.x > 0", "yes", false, 1},
		{"any(cpus, d.seen > 0)", "yes", false, 1},
		{"any(cpus, d.seen > e.seen)", "yes", true, 2},
		{"all(cpus, d.seen == 0)", "no", false, 1},
		{"all(cpus, d.seen < e.seen)", "no", true, 2},
		{"all(known(cpus[d.seen > 0]), d.seen > 0)", "yes", true, 5},
		{"coalesce(host.d.seen, host.e.seen)", "9", true, 1},
		{"coalesce(host.p, host.x)", "1", false, 1},
		{"present(host.p)", "no", false, 0},
		{"present(host.d.seen)", "yes", true, 1},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct evaluated v = evaluate(given, "host", rows[i].expr, NULL);

		if (strcmp(v.text, rows[i].want) != 0 || v.stale != rows[i].stale ||
		    v.used != rows[i].used)
			fail_msg("%s: %s, %s, %u used", rows[i].expr, v.text,
				 v.stale ? "stale" : "fresh", v.used);
	}
}

/* ---- absent, spans, comparisons ---- */

static void test_absent(void **state)
{
	static const struct row rows[] = {
		{"irq.x > 0", "no"},
		{"irq.x != 3", "no"},
		{"not (irq.x > 0)", "yes"},
		{"irq.x == 3", "no"},
		{"irq.x in 1..3", "no"},
		{"irq.x not in 1..3", "no"},
		{"3 in irq.x..9", "no"},
		{"irq.s == 'a'", "no"},
		{"irq.s != 'a'", "no"},
		{"irq.s =~ 'a'", "no"},
		{"irq.s !~ 'a'", "no"},
		{"irq.s in ('a', 'b')", "no"},
		{"irq.s not in ('a', 'b')", "no"},
		{"irq.x + 1", "absent"},
		{"1 - irq.x", "absent"},
		{"irq.x * irq.y", "unknown: not-sampled"},
		{"irq.y * irq.x", "unknown: not-sampled"},
		{"-irq.x", "absent"},
		{"irq.x / 0", "absent"},
		{"irq.x > irq.y", "unknown: not-sampled"},
		{"irq.b", "absent"},
		{"not irq.b", "yes"},
		{"if(irq.b, 1, 2)", "2"},
		{"irq.iface", "absent"},
		{"irq.iface.x", "absent"},
		{"irq.iface.x > 3", "no"},
		{"count(irq.iface.queues)", "0"},
		{"irq.iface.netns.s", "absent"},
		{"irq.iface == iface('eth0')", "unknown: not-sampled"},
		{"irq.iface == irq(1).iface", "no"},
		{"iface('eth0').x > 0", "unknown: not-sampled"},
		{"irq(2)", "absent"},
		{"irq(1)", "irq:1"},
		{"cpu(0)", "unknown: not-sampled"},
		{"function('tcp_v4_rcv')", "unknown: not-sampled"},
	};

	(void)state;
	CHECK("irq:1: {x: absent, s: absent, b: absent, iface: absent}\n", "irq:1", rows);
}

static void test_spans(void **state)
{
	static const char given[] = "host: {d: {total: 80}, e.delta: 20, x: 4}\n"
				    "cpu:0: {d: {total: 8}, e.delta: 2}\ncpu:1: {d.delta: 8}\n";
	static const struct row rows[] = {
		{"host.d.seen / host.e.seen", "unknown: mixed-span"},
		{"host.e.seen + host.d.seen", "unknown: mixed-span"},
		{"host.d.seen > host.e.seen", "unknown: mixed-span"},
		{"host.d.seen == host.e.seen", "unknown: mixed-span"},
		{"ratio(host.d.seen, host.e.seen, 1)", "unknown: mixed-span"},
		{"ratio(host.e.seen, host.d.seen, 1)", "unknown: mixed-span"},
		{"host.d.seen / host.d.seen", "1"},
		{"host.e.delta / host.x", "5"}, /* a state goes with every span */
		{"host.d.seen / host.span", "8"},
		{"host.d.seen * 2 > 3 * host.d.seen", "no"},
		{"sum(cpus.d.seen)", "unknown: mixed-span"},
		{"sum(cpus, d.seen)", "unknown: mixed-span"},
		{"max(cpus.d.seen)", "unknown: mixed-span"},
		{"imbalance(cpus.d.seen)", "unknown: mixed-span"},
		{"share(host.e.seen, cpus.d.seen)", "unknown: mixed-span"},
		{"max(host.d.seen, host.e.seen)", "unknown: mixed-span"},
		{"(host.d.seen + host.d.seen) / host.e.seen", "unknown: mixed-span"},
		{"host.d.rate > 0", "unknown: single-snapshot"},
		{"host.e.rate", "2"},
	};

	(void)state;
	CHECK(given, "host", rows);
	assert_int_equal(evaluate(given, "host", "host.e.delta / host.x", NULL).basis, ND_B_WINDOW);
	assert_int_equal(evaluate(given, "host", "host.d.seen / host.span", NULL).basis,
			 ND_B_LIFETIME);
	assert_int_equal(evaluate(given, "host", "host.x / 2", NULL).basis, ND_B_STATE);
	assert_int_equal(evaluate(given, "host", "3 / 2", NULL).basis, ND_B_NONE);
}

static void test_numbers(void **state)
{
	static const struct row rows[] = {
		{"host.x / (host.x - 4)", "unknown: too-few-samples"}, /* division by zero */
		{"0 / 0", "unknown: too-few-samples"},
		{"host.y * host.y", "unknown: too-few-samples"}, /* no finite number */
		{"2 + 3 * 4 - 1", "13"},
		{"-(host.x - 6)", "2"},
		{"8 / 2 / 2", "2"},
		{"host.x in 4..9", "yes"},
		{"host.x in ..4", "yes"},
		{"host.x in 5..", "no"},
		{"host.x not in 5..", "yes"},
		{"host.x in 4..4", "yes"},
		{"host.x == 4 and host.x != 5 and host.x >= 4 and host.x <= 4 and not (host.x < 4)",
		 "yes"},
		{"host.w > 2ms", "yes"},
		{"host.w == 3000us", "yes"},
		{"host.p.max", "0.5"},
		{"host.p.min == 20%", "yes"},
		{"host.p.mean", "0.35"},
		{"host.p.samples", "2"},
		{"host.p.change > 0", "yes"},
		{"host.p.first", "0.2"},
		{"host.s == 'it'", "yes"},
		{"host.s < 'x'", NULL},
		{"host.s in ('a', 'it')", "yes"},
		{"host.s not in ('a', 'it')", "no"},
		{"host.s =~ '^i.$'", "yes"},
		{"host.s !~ '^i.$'", "no"},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		if (rows[i].want)
			check_rows("host: {x: 4, y: 99999999999999999999999999999999999999999999999"
				   "99999999999999999999999999999999999999999999999999999999999999"
				   "9999999999999999999999999999999999999999999999999999, w: 3ms, "
				   "p: [20%, 50%], s: it}\n",
				   "host", &rows[i], 1, NULL);
	}
}

/* ---- paths, filters ---- */

static const char joined[] = "cpu:0: {x: 1, irqs: [irq:1, irq:2]}\n"
			     "cpu:1: {x: 5, irqs: irq:2}\n"
			     "cpu:2: {x: absent, irqs: absent}\n"
			     "cpu:3: {x: {missing: silent}, irqs: {missing: no-permission}}\n"
			     "irq:1: {iface: iface:eth0}\n"
			     "irq:2: {iface: iface:eth0}\n"
			     "irq:3: {iface: absent}\n"
			     "irq:4: {iface: {missing: timed-out}}\n"
			     "iface:eth0: {x: 7}\n";

static void test_paths(void **state)
{
	static const struct row rows[] = {
		{"cpus", "{cpu:0 cpu:1 cpu:2 cpu:3}"},
		{"cpus.x", "[1 5 unknown: silent]"},
		{"cpus.irqs", "{irq:1 irq:2 ?no-permission}"},
		{"cpus.irqs.iface", "{iface:eth0 ?no-permission}"},
		{"cpus.irqs.iface.x", "[7 unknown: no-permission]"},
		{"irqs.iface", "{iface:eth0 ?timed-out}"},
		{"cpu(0).irqs", "{irq:1 irq:2}"},
		{"cpu(2).irqs", "{}"},
		{"cpu(3).irqs", "unknown: no-permission"},
		{"cpu(9).irqs", "absent"},
		{"irq(3).iface.x", "absent"},
		{"irq(4).iface.x", "unknown: timed-out"},
		{"iface('eth0').irqs", "{irq:1 irq:2}"},
		{"iface('eth0').irqs.cpus", "{cpu:0 cpu:1}"},
		{"cpus[x > 2]", "{cpu:1 ?silent}"},
		{"cpus[x > 0][x > 2]", "{cpu:1 ?silent}"},
		{"cpus[not (x > 2)]", "{cpu:0 cpu:2 ?silent}"},
		{"cpus[present(x)]", "{cpu:0 cpu:1}"},
		{"cpus[absent(x)]", "{cpu:2}"},
		{"cpus[irq(2) in irqs]", "{cpu:0 cpu:1 ?no-permission}"},
		{"cpus[key == 1]", "{cpu:1}"},
		{"cpus[it == cpu(1)]", "{cpu:1}"},
		{"known(cpus[x > 2])", "{cpu:1}"},
		{"known(cpus.x)", "[1 5]"},
		{"known(cpu(3).irqs)", "{}"},
		{"count(known(cpus[x > 0]))", "2"},
		{"count(cpus[x > 0])", "unknown: silent"},
		{"count(cpus.x)", "unknown: silent"},
		{"sum(cpus.x)", "unknown: silent"},
		{"sum(known(cpus.x))", "6"},
		{"max(cpus, x)", "unknown: silent"},
		{"max(known(cpus[x > 0]), x)", "5"},
		{"argmax(cpus, x)", "unknown: silent"},
		{"count(cpus.irqs)", "unknown: no-permission"},
		{"queues", "unknown: not-sampled"},
		{"queues.x", "unknown: not-sampled"},
		{"count(queues)", "unknown: not-sampled"},
		{"sum(queues.x)", "unknown: not-sampled"},
		{"irq(1) in cpus.irqs", "yes"},
		{"irq(3) in cpus.irqs", "unknown: no-permission"},
		{"irq(3) in cpu(0).irqs", "no"},
		{"irq(3) not in cpu(0).irqs", "yes"},
		{"irq(1) not in cpus.irqs", "no"},
		{"iface('nope')", "absent"},
		{"iface('eth0').key", "eth0"},
		{"cpus.key", "[0 1 2 3]"},
	};

	(void)state;
	CHECK(joined, "host", rows);
}

/* A kind of which not all members could be read has one unknown member more. */
static void test_incomplete_kind(void **state)
{
	static const char text[] = "rule: one\ntitle: t\nlet: {v: 'cpus[x > 0]'}\nscope: host\n"
				   "tree:\n  - {ask: q, test: present($v), if_no: {rule_out: n}}\n"
				   "  - conclude: c\ncauses: {c: {title: t, because: b}}\n";
	struct evaluated v;
	struct judged j;

	(void)state;
	open_judged(&j, (const char *const[]){text, NULL}, "cpu:0: {x: 1}\ncpu:1: {x: 0}\n");
	nd_kind_missing(j.f, ND_CPU, ND_TRUNCATED, "cut");
	evaluate_let(&j, "host", &v);
	assert_string_equal(v.text, "{cpu:0 ?truncated}");
	close_judged(&j);
}

/* In [ ] a bare name is the element's, $name the walked entity's. */
static void test_names_inside(void **state)
{
	static const struct row rows[] = {
		{"cpus[x > $mine]", "{cpu:2}"},
		{"cpus[x > cpu.x]", "{cpu:2}"},
		{"cpus[x > this.x]", "{cpu:2}"},
		{"count(cpus[any(irqs, x > 1)])", "1"},
		{"cpus[any(irqs, x == $mine)]", "{cpu:2}"},
	};

	(void)state;
	check_rows("cpu:0: {x: 1, irqs: irq:1}\ncpu:1: {x: 4, irqs: irq:1}\n"
		   "cpu:2: {x: 9, irqs: [irq:1, irq:4]}\nirq:1: {x: 0}\nirq:4: {x: 4}\n",
		   "cpu:1", rows, ND_ARRAY_LEN(rows), "  mine: cpu.x\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_logic),	     cmocka_unit_test(test_quantifiers),
		cmocka_unit_test(test_rests_on),     cmocka_unit_test(test_absent),
		cmocka_unit_test(test_spans),	     cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_paths),	     cmocka_unit_test(test_incomplete_kind),
		cmocka_unit_test(test_names_inside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
