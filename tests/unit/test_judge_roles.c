/* Several findings: one for all entities, who meets whom and plays which role, the order, and whether a
 * cause is large enough for the symptom. */
#include "tests/unit/judge_view.h"

#define ONE "rule: one\ntitle: t\n"

/* ---- report: together ---- */

#define TOGETHER(worst)                                                                            \
	ONE "scope: cpu\ntree:\n"                                                                  \
	    "  - {ask: r, test: cpu.x > 0, if_no: {rule_out: n}}\n"                                \
	    "  - {ask: d, test: cpu.b, grade: decides, if_no: {rule_out: n}, if_unknown: next}\n"  \
	    "  - {ask: s, test: cpu.c, grade: supports}\n"                                         \
	    "  - conclude: a\n"                                                                    \
	    "causes:\n  a:\n    report: together\n" worst "    title: 'worst {cpu}'\n"             \
	    "    because: '{count(found)} of them, about {about}, all {names(found)}'\n"

static void test_together(void **state)
{
	static const char by_x[] = TOGETHER("    worst_by: cpu.x\n"), plain[] = TOGETHER("");
	static const struct {
		const char *rule, *given, *found, *because;
		enum nd_word word;
	} rows[] = {
		{by_x, "cpu:0: {x: 1, b: yes}\ncpu:1: {x: 9, b: yes}\ncpu:2: {x: 4, b: yes}\n",
		 "cpu:1 cpu:2 cpu:0", "3 of them, about cpu:1, all cpu:1, cpu:2, cpu:0",
		 ND_CONFIRMED},
		/* the word is the strongest, and one of those that are sure speaks */
		{by_x, "cpu:0: {x: 1, b: yes}\ncpu:1: {x: 9}\ncpu:2: {x: 4, b: yes}\n",
		 "cpu:2 cpu:1 cpu:0", "3 of them, about cpu:2, all cpu:2, cpu:1, cpu:0",
		 ND_CONFIRMED},
		{by_x, "cpu:0: {x: 0, b: yes}\ncpu:1: {x: 9, b: no}\ncpu:2: {x: 4, b: yes}\n",
		 "cpu:2", "1 of them, about cpu:2, all cpu:2", ND_CONFIRMED},
		{by_x, "cpu:0: {x: 1}\ncpu:1: {x: 1, c: yes}\n", "cpu:1 cpu:0",
		 "2 of them, about cpu:1, all cpu:1, cpu:0", ND_LIKELY},
		{plain, "cpu:0: {x: 1}\ncpu:1: {x: 9, c: yes}\ncpu:2: {x: 4, b: yes}\n",
		 "cpu:2 cpu:1 cpu:0", "3 of them, about cpu:2, all cpu:2, cpu:1, cpu:0",
		 ND_CONFIRMED},
		{plain, "cpu:3: {x: 1}\ncpu:10: {x: 9}\n", "cpu:3 cpu:10",
		 "2 of them, about cpu:3, all cpu:3, cpu:10", ND_LIKELY},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct nd_buf found = {0};
		const struct nd_finding *f;
		struct judged j;

		open_judged(&j, (const char *const[]){rows[i].rule, NULL}, rows[i].given);
		assert_int_equal(judge(&j)->n_findings, 1);
		f = &j.out->findings[0];
		for (uint32_t k = 0; k < f->n_entities; k++)
			nd_buf_printf(&found, "%s%s", k ? " " : "", f->entities[k]);
		same_text(nd_buf_str(&found), rows[i].found, rows[i].given);
		same_text(f->because, rows[i].because, rows[i].given);
		assert_string_equal(f->entity, f->entities[0]);
		assert_string_equal(f->title + strlen("worst "), f->entity);
		assert_int_equal(f->word, rows[i].word);
		nd_buf_free(&found);
		close_judged(&j);
	}
}

/* ---- who meets whom ---- */

/* Two trees, cause l on kind A and r on kind B; l has `how` to do with r. */
static void roles_rule(struct nd_buf *b, const char *a, const char *o, const char *how)
{
	nd_buf_printf(b,
		      ONE
		      "trees:\n"
		      "  l: {scope: %s, tree: [{ask: q, test: %s.b, if_no: {rule_out: n}}, "
		      "{conclude: l}]}\n"
		      "  r: {scope: %s, tree: [{ask: q, test: %s.c, if_no: {rule_out: n}}, "
		      "{conclude: r}]}\n"
		      "causes: {l: {title: t, because: b, %s: [r]}, r: {title: t, because: b}}\n",
		      a, a, o, o, how);
}

static void test_meet(void **state)
{
	static const struct {
		const char *l, *r, *given; /* b: l holds, c: r holds */
		bool meet;
	} rows[] = {
		/* the same, related, related to a common third */
		{"cpu", "cpu", "cpu:0: {b: yes, c: yes}\n", true},
		{"cpu", "cpu", "cpu:0: {b: yes, c: no}\ncpu:1: {b: no, c: yes}\n", false},
		{"irq", "iface", "irq:1: {b: yes, iface: iface:a}\niface:a: {c: yes}\n", true},
		{"iface", "irq", "irq:1: {c: yes, iface: iface:a}\niface:a: {b: yes}\n", true},
		{"irq", "iface",
		 "irq:1: {b: yes, iface: iface:o}\niface:a: {c: yes}\niface:o: {c: no}\n", false},
		{"cpu", "queue",
		 "irq:1: {cpus: cpu:0}\ncpu:0: {b: yes}\nqueue:q: {c: yes, irq: irq:1}\n", true},
		{"cpu", "queue",
		 "irq:1: {cpus: cpu:1}\nirq:2: {cpus: cpu:0}\ncpu:0: {b: yes}\ncpu:1: {b: no}\n"
		 "queue:q: {c: yes, irq: irq:1}\n",
		 false},
		{"thread", "listener",
		 "thread:9: {b: yes, process: process:8}\n"
		 "listener:l: {c: yes, processes: process:8}\n",
		 true},
		{"cgroup", "thread",
		 "thread:9: {c: yes, process: process:8}\nprocess:8: {cgroup: cgroup:/}\n"
		 "cgroup:/: {b: yes}\n",
		 true},
		{"irq", "queue",
		 "irq:1: {b: yes, iface: iface:a}\nqueue:q: {c: yes, iface: iface:a}\n", true},
		/* not by a namespace; the host meets all */
		{"iface", "process",
		 "iface:a: {b: yes, netns: netns:n}\nprocess:1: {c: yes, netns: netns:n}\n", false},
		{"host", "process", "host: {b: yes}\nprocess:1: {c: yes}\n", true},
		{"process", "host", "host: {c: yes}\nprocess:1: {b: yes}\n", true},
		/* a namespace meets what does not belong to another one */
		{"netns", "iface", "netns:n: {b: yes}\niface:a: {c: yes, netns: netns:n}\n", true},
		{"iface", "netns", "netns:n: {c: yes}\niface:a: {b: yes, netns: netns:n}\n", true},
		{"netns", "iface",
		 "netns:n: {b: yes}\nnetns:o: {b: no}\niface:a: {c: yes, netns: netns:o}\n", false},
		{"netns", "cpu", "netns:n: {b: yes}\ncpu:0: {c: yes}\n", true},
		{"netns", "queue",
		 "netns:n: {b: yes}\niface:a: {netns: netns:n}\n"
		 "queue:q: {c: yes, iface: iface:a}\n",
		 true},
		{"netns", "queue",
		 "netns:n: {b: yes}\nnetns:o: {b: no}\niface:a: {netns: netns:o}\n"
		 "queue:q: {c: yes, iface: iface:a}\n",
		 false},
		{"netns", "netns", "netns:n: {b: yes, c: no}\nnetns:o: {b: no, c: yes}\n", false},
		{"netns", "netns", "netns:n: {b: yes, c: yes}\n", true},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows) * 2; i++) {
		bool amplifies = i % 2;
		struct nd_buf rule = {0}, got = {0}, want = {0};
		struct judged j;

		roles_rule(&rule, rows[i / 2].l, rows[i / 2].r,
			   amplifies ? "amplifies" : "explains");
		open_judged(&j, (const char *const[]){nd_buf_str(&rule), NULL}, rows[i / 2].given);
		judge(&j);
		assert_int_equal(j.out->n_findings, 2);
		for (uint32_t k = 0; k < 2; k++)
			nd_buf_printf(&got, "%s %s\n", j.out->findings[k].cause,
				      nd_role_name(j.out->findings[k].role));
		if (!rows[i / 2].meet)
			nd_buf_puts(&want, "l trigger\nr trigger\n");
		else
			nd_buf_puts(&want, amplifies ? "r trigger\nl amplifier\n"
						     : "l trigger\nr consequence\n");
		same_text(nd_buf_str(&got), nd_buf_str(&want), rows[i / 2].given);
		nd_buf_free(&rule);
		nd_buf_free(&got);
		nd_buf_free(&want);
		close_judged(&j);
	}
}

/* ---- roles of more than two ---- */

/* Causes l, m, r on one CPU, each with its own question and word: x > 1 confirmed, x == 1 suspected. */
#define TREE(name, fact)                                                                           \
	"  " name ": {scope: cpu, tree: [{ask: q, test: cpu." fact                                 \
	" > 0, if_no: {rule_out: n}}, {ask: d, test: cpu." fact                                    \
	" > 1, grade: decides, if_no: {conclude: " name "}, if_yes: {conclude: " name "}}]}\n"
#define SUSPECT(name, fact)                                                                        \
	"  " name ": {scope: cpu, tree: [{ask: q, test: cpu." fact                                 \
	".seen > 0, if_no: {rule_out: n}}, {conclude: " name "}]}\n"

static void test_roles(void **state)
{
#define THREE(l, m, r)                                                                             \
	ONE "trees:\n" TREE("l", "x") TREE("m", "y")                                               \
		SUSPECT("r", "d") "causes:\n  l: {title: t, because: b" l "}\n"                    \
				  "  m: {title: t, because: b" m "}\n  r: {title: t, because: b" r \
				  "}\n"
	static const char chain[] = THREE(", explains: [m]", ", explains: [r]", "");
	static const char both[] = THREE(", explains: [m]", ", amplifies: [r]", "");
	static const char wider[] = THREE(", explains: [wide]", ", narrows: wide", "");
	static const char old[] = THREE("", "", ", explains: [l]");
	static const char old_amplifies[] = THREE("", "", ", amplifies: [l]");
	static const struct outcome rows[] = {
		{chain, "cpu:0: {x: 2, y: 2, d.delta: 1}\n",
		 "l cpu:0 confirmed trigger\nm cpu:0 confirmed consequence\n"
		 "r cpu:0 likely consequence\n"},
		{chain, "cpu:0: {x: 0, y: 2, d.delta: 1}\n",
		 "m cpu:0 confirmed trigger\nr cpu:0 likely consequence\nout l\n"},
		/* what is explained is a consequence, whatever it makes worse */
		{both, "cpu:0: {x: 2, y: 2, d.delta: 1}\n",
		 "l cpu:0 confirmed trigger\nr cpu:0 likely trigger\n"
		 "m cpu:0 confirmed consequence\n"},
		{both, "cpu:0: {x: 0, y: 2, d.delta: 1}\n",
		 "r cpu:0 likely trigger\nm cpu:0 confirmed amplifier\nout l\n"},
		/* who names a cause names its narrower ones */
		{wider, "cpu:0: {x: 2, y: 2, d.delta: 0}\n",
		 "l cpu:0 confirmed trigger\nm cpu:0 confirmed consequence\nout r\n"},
		/* a suspicion does this to suspicions only */
		{old, "cpu:0: {x: 2, y: 0, d: {total: 4}}\n",
		 "l cpu:0 confirmed trigger\nr cpu:0 suspected trigger\nout m\n"},
		{old, "cpu:0: {x: 2, y: 0, d.delta: 4}\n",
		 "r cpu:0 likely trigger\nl cpu:0 confirmed consequence\nout m\n"},
		{old_amplifies, "cpu:0: {x: 2, y: 0, d: {total: 4}}\n",
		 "l cpu:0 confirmed trigger\nr cpu:0 suspected trigger\nout m\n"},
		{chain, "cpu:0: {x: 0, y: {missing: silent}, d: {total: 4}}\n",
		 "r cpu:0 suspected trigger\nopen m: cpu.y\nout l\n"},
	};
	struct judged j;

	(void)state;
	check_outcomes(rows, ND_ARRAY_LEN(rows));
	open_judged(&j, (const char *const[]){chain, NULL}, rows[0].given);
	judge(&j);
	assert_int_equal(j.out->findings[1].n_related, 2);
	assert_string_equal(j.out->findings[1].related[0].cause, "l");
	assert_string_equal(j.out->findings[1].related[0].how, "explains it");
	assert_string_equal(j.out->findings[1].related[1].cause, "r");
	assert_string_equal(j.out->findings[1].related[1].how, "is its consequence");
	close_judged(&j);
}

static void test_suspected_pair(void **state)
{
	static const char pair[] = ONE "trees:\n" SUSPECT("l", "d") SUSPECT(
		"r",
		"e") "causes:\n  l: {title: t, because: b, explains: [r]}\n  r: {title: t, because: b}\n";
	static const struct outcome rows[] = {
		{pair, "cpu:0: {d: {total: 4}, e: {total: 4}}\n",
		 "l cpu:0 suspected trigger\nr cpu:0 suspected consequence\n"},
		{pair, "cpu:0: {d: {total: 4}, e.delta: 4}\n",
		 "r cpu:0 likely trigger\nl cpu:0 suspected trigger\n"},
	};

	(void)state;
	check_outcomes(rows, ND_ARRAY_LEN(rows));
}

/* ---- order and size ---- */

/* Word, then fit (unknown after known), then supports, then the cause, then the entity's id. */
static void test_order(void **state)
{
#define SIZED                                                                                      \
	ONE "scope: cpu\ntree:\n"                                                                  \
	    "  - {ask: r, test: cpu.x > 0, if_no: {rule_out: n}}\n"                                \
	    "  - {ask: d, test: cpu.b, grade: decides, if_no: {rule_out: n}, if_unknown: next}\n"  \
	    "  - {ask: s, test: cpu.c, grade: supports}\n"                                         \
	    "  - {ask: w, test: cpu.y > 0, grade: requires, if_no: {conclude: o}, "                \
	    "if_unknown: {conclude: a}, if_yes: {conclude: a}}\n"                                  \
	    "causes:\n  a: {title: t, because: b, accounts: {delay: cpu.w}}\n"                     \
	    "  o: {title: t, because: b, accounts: {delay: cpu.w}}\n"
	static const struct {
		const char *given, *want;
	} rows[] = {
		{"cpu:0: {x: 1, y: 1}\ncpu:1: {x: 1, y: 1, b: yes}\n", "a cpu:1, a cpu:0"},
		{"symptom: {excess: 10ms}\ncpu:0: {x: 1, y: 1, w: 2ms}\ncpu:1: {x: 1, y: 1, w: 5ms}\n"
		 "cpu:2: {x: 1, y: 1}\n",
		 "a cpu:1, a cpu:0, a cpu:2"},
		{"symptom: {excess: 10ms}\ncpu:0: {x: 1, y: 1, w: 2ms, b: yes}\n"
		 "cpu:1: {x: 1, y: 1, w: 5ms}\n",
		 "a cpu:0, a cpu:1"},
		{"cpu:0: {x: 1, y: 1, c: no}\ncpu:1: {x: 1, y: 1}\ncpu:2: {x: 1, y: 1, c: yes}\n",
		 "a cpu:2, a cpu:1, a cpu:0"},
		{"cpu:0: {x: 1, y: 0}\ncpu:1: {x: 1, y: 1}\n", "a cpu:1, o cpu:0"},
		{"cpu:10: {x: 1, y: 1}\ncpu:9: {x: 1, y: 1}\n", "a cpu:9, a cpu:10"},
		{"symptom: {excess: 10ms}\ncpu:0: {x: 1, y: 1, w: 20ms}\n"
		 "cpu:1: {x: 1, y: 1, w: 90ms, c: yes}\n",
		 "a cpu:1, a cpu:0"}, /* both fit wholly */
	};
	static const char text[] = SIZED;

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct nd_buf got = {0};
		struct judged j;

		open_judged(&j, (const char *const[]){text, NULL}, rows[i].given);
		judge(&j);
		for (uint32_t k = 0; k < j.out->n_findings; k++)
			nd_buf_printf(&got, "%s%s %s", k ? ", " : "", j.out->findings[k].cause,
				      j.out->findings[k].entity);
		same_text(nd_buf_str(&got), rows[i].want, rows[i].given);
		nd_buf_free(&got);
		close_judged(&j);
	}
}

static void test_fit(void **state)
{
#define FITS(accounts)                                                                             \
	ONE "scope: cpu\ntree:\n  - {ask: r, test: cpu.b, if_no: {rule_out: n}}\n"                 \
	    "  - conclude: a\ncauses:\n  a: {title: t, because: b" accounts "}\n"
#define CPU "cpu:0: {b: yes, w: 4ms, p: 1%}\n"
	static const char delay[] = FITS(", accounts: {delay: cpu.w}");
	static const char touches[] = FITS(", accounts: {touches: cpu.p}");
	static const char both[] = FITS(", accounts: {delay: cpu.w, touches: cpu.p}");
	static const char share[] = FITS(", accounts: {share: cpu.p, of: 'the {cpu}'}");
	static const char none[] = FITS("");
	static const struct {
		const char *rule, *given;
		double fit; /* negative: unknown */
		bool small;
	} rows[] = {
		{delay, CPU, 1, false},
		{delay, CPU "symptom: {excess: 8ms}\n", 0.5, false},
		{delay, CPU "symptom: {excess: 4ms}\n", 1, false},
		{delay, CPU "symptom: {excess: 1ms}\n", 1, false},
		{delay, CPU "symptom: {excess: 20ms}\n", 0.2, false},
		{delay, CPU "symptom: {excess: 40ms}\n", 0.1, true},
		{delay, CPU "symptom: {excess: 0ms}\n", 1, false},
		{delay, "cpu:0: {b: yes}\nsymptom: {excess: 8ms}\n", -1, false},
		{delay, "cpu:0: {b: yes}\n", 1, false},
		{touches, CPU "symptom: {percentile: 96%}\n", 0.25, false},
		{touches, CPU "symptom: {percentile: 99%}\n", 1, false},
		{touches, CPU "symptom: {percentile: 50%}\n", 0.02, true},
		{touches, CPU "symptom: {excess: 40ms}\n", 1, false},
		{both, CPU "symptom: {excess: 8ms, percentile: 98%}\n", 0.25, false},
		{both, "cpu:0: {b: yes, p: 1%}\nsymptom: {excess: 8ms, percentile: 98%}\n", -1,
		 false},
		{share, CPU "symptom: {excess: 8ms}\n", -1, false},
		{none, CPU "symptom: {excess: 8ms}\n", -1, false},
	};
	struct judged j;

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		double fit;

		open_judged(&j, (const char *const[]){rows[i].rule, NULL}, rows[i].given);
		fit = judge(&j)->findings[0].fit;
		if (isnan(fit) != (rows[i].fit < 0) ||
		    (!isnan(fit) && fabs(fit - rows[i].fit) > 1e-9))
			fail_msg("%s: fit %g, expected %g", rows[i].given, fit, rows[i].fit);
		assert_int_equal(j.out->findings[0].too_small, rows[i].small);
		close_judged(&j);
	}
	open_judged(&j, (const char *const[]){share, NULL}, CPU);
	assert_true(judge(&j)->findings[0].share == 0.01);
	assert_string_equal(j.out->findings[0].share_of, "the cpu:0");
	close_judged(&j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_together), cmocka_unit_test(test_meet),
		cmocka_unit_test(test_roles),	 cmocka_unit_test(test_suspected_pair),
		cmocka_unit_test(test_order),	 cmocka_unit_test(test_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
