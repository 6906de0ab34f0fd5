/* Where kinds, doubts and unknown members meet: what a cause is about when its entity has another kind than
 * the walked one, answers that rest on distrusted facts and lead on, words for the shell. */
#include "tests/unit/judge_view.h"

#define ONE "rule: one\ntitle: t\n"

/* ---- about ---- */

/* a is about the only CPU with x above 5, if there is one; else about the host. */
#define ABOUT                                                                                      \
	ONE "scope: host\ntree:\n"                                                                 \
	    "  - {ask: q, test: host.b, if_no: {rule_out: n}}\n"                                   \
	    "  - {conclude: a, entity: 'only(cpus[x > 5])'}\n"                                     \
	    "causes:\n  a:\n    title: '{about} {about.y} {names(found)}'\n    because: b\n"

static void test_about(void **state)
{
	static const char plain[] = ABOUT,
			  refuted[] = ABOUT
			  "    refute: [{test: about.y > 3, because: '{about} has {about.y}'}]\n",
			  measured[] =
				  ABOUT "    worst_by: about.y\n    report: together\n"
					"    accounts: {delay: about.w, share: 'max(found, p)'}\n";
	static const char none[] = "host: {b: yes}\ncpu:0: {x: 1, y: 7, w: 1s, p: 5%}\n",
			  second[] = "host: {b: yes}\ncpu:0: {x: 1, y: 9, w: 1s, p: 5%}\n"
				     "cpu:1: {x: 6, y: 2, w: 2s, p: 6%}\n",
			  high[] = "host: {b: yes}\ncpu:0: {x: 1, y: 2}\ncpu:1: {x: 6, y: 9}\n";
	static const struct {
		const char *rule, *given, *title; /* NULL: ruled out */
		double delay, share;
	} rows[] = {
		{plain, second, "cpu:1 2 cpu:1", NAN, NAN},
		/* the host is no CPU: no CPU stands in for it */
		{plain, none, "host none none", NAN, NAN},
		{refuted, second, "cpu:1 2 cpu:1", NAN, NAN},
		{refuted, high, NULL, NAN, NAN},
		{refuted, none, "host none none", NAN, NAN},
		{measured, second, "cpu:1 2 cpu:1", 2, .06},
		{measured, none, "host none none", NAN, NAN},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct judged j;

		open_judged(&j, (const char *const[]){rows[i].rule, NULL}, rows[i].given);
		judge(&j);
		if (!rows[i].title) {
			assert_int_equal(j.out->n_findings, 0);
			same_text(j.out->ruled_out[0].because, "cpu:1 has 9", rows[i].given);
		} else {
			const struct nd_finding *f = &j.out->findings[0];

			assert_int_equal(j.out->n_findings, 1);
			same_text(f->title, rows[i].title, rows[i].rule);
			assert_true(isnan(rows[i].delay) ? isnan(f->delay)
							 : f->delay == rows[i].delay);
			assert_true(isnan(rows[i].share) ? isnan(f->share)
							 : f->share == rows[i].share);
		}
		close_judged(&j);
	}
}

/* ---- doubts ---- */

/* A no that rests on a distrusted fact and leads on leaves open what it leads away from, as one that ends the
 * walk does. */
static void test_doubtful_ways(void **state)
{
#define DOUBT(no, tail)                                                                            \
	ONE "contradictions: {odd: {test: host.b, says: odd, distrust: [cpu.x]}}\n"                \
	    "scope: cpu\n" tail "tree:\n"                                                          \
	    "  - ask: q\n    test: cpu.x > 1\n    if_no: " no "\n    if_unknown: next\n"           \
	    "  - conclude: a\n"                                                                    \
	    "causes: {a: {title: t, because: b}, c: {title: t, because: b}}\n"
	static const char concluded
		[] = DOUBT("{conclude: c}", ""),
       list[] = DOUBT("[{ask: w, test: cpu.c, if_no: {rule_out: n}}, {conclude: c}]", ""),
       gone[] = DOUBT(
	       "{go: x}",
	       "branches: {x: [{ask: w, test: cpu.c, if_no: {rule_out: n}}, {conclude: c}]}\n");
	static const struct outcome rows[] = {
		{list, "host: {b: no}\ncpu:0: {x: 0, c: yes}\n", "c cpu:0 likely trigger\nout a\n"},
		{list, "host: {b: yes}\ncpu:0: {x: 0, c: yes}\n",
		 "c cpu:0 likely trigger\nopen a: \ncontradiction odd host: odd\n"},
		{gone, "host: {b: no}\ncpu:0: {x: 0, c: yes}\n", "c cpu:0 likely trigger\nout a\n"},
		{gone, "host: {b: yes}\ncpu:0: {x: 0, c: yes}\n",
		 "c cpu:0 likely trigger\nopen a: \ncontradiction odd host: odd\n"},
		{concluded, "host: {b: no}\ncpu:0: {x: 0}\n", "out c\nout a\n"},
		{concluded, "host: {b: yes}\ncpu:0: {x: 0}\n",
		 "open a: \nout c\ncontradiction odd host: odd\n"},
	};

	(void)state;
	check_outcomes(rows, ND_ARRAY_LEN(rows));
}

/* ---- who is excluded ---- */

/* Who names the wider cause means its special cases too. */
static void test_excludes_narrower(void **state)
{
	static const char text[] = ONE
		"trees:\n"
		"  l: {scope: cpu, tree: [{ask: q, test: cpu.b, grade: decides, if_no: {rule_out: n}}, "
		"{conclude: l}]}\n"
		"  r: {scope: cpu, tree: [{ask: q, test: cpu.c, if_no: {rule_out: n}}, "
		"{ask: w, test: cpu.x > 0, if_no: {conclude: wide}}, {conclude: narrow}]}\n"
		"causes:\n"
		"  l: {title: t, because: b, excludes: wide}\n"
		"  wide: {title: t, because: b}\n"
		"  narrow: {title: t, because: b, narrows: wide}\n";
	static const struct outcome rows[] = {
		{text, "cpu:0: {b: yes, c: yes, x: 0}\n",
		 "l cpu:0 confirmed trigger\nout wide\nout narrow\n"},
		{text, "cpu:0: {b: yes, c: yes, x: 1}\n",
		 "l cpu:0 confirmed trigger\nout wide\nout narrow\n"},
		{text, "cpu:0: {b: no, c: yes, x: 1}\n", "narrow cpu:0 likely trigger\nout l\n"},
	};

	(void)state;
	check_outcomes(rows, ND_ARRAY_LEN(rows));
}

/* ---- sets of which not all is known ---- */

/* Whether a CPU is among the unknown members of the other set, nobody knows. */
static void test_unknown_in_other_set(void **state)
{
	static const char given[] = "cpu:0: {x: 1}\ncpu:1: {x: 9}\ncpu:2: {x: {missing: silent}}\n"
				    "irq:1: {cpus: [cpu:0, cpu:1]}\nirq:2: {cpus: absent}\n";
	static const struct {
		const char *expr, *want;
	} rows[] = {
		{"without(irq(1).cpus, cpus[x > 5])", "{?silent}"},
		{"common(irq(1).cpus, cpus[x > 5])", "{?silent cpu:1}"},
		{"union(irq(1).cpus, cpus[x > 5])", "{cpu:0 cpu:1 ?silent}"},
		{"without(irq(1).cpus, known(cpus[x > 5]))", "{cpu:0}"},
		{"without(cpus[x > 5], irq(1).cpus)", "{?silent}"},
		{"common(cpus[x > 5], irq(1).cpus)", "{cpu:1 ?silent}"},
		{"without(irq(2).cpus, cpus[x > 5])", "{}"},
		{"without(irq(1).cpus, irq(2).cpus)", "{cpu:0 cpu:1}"},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++)
		same_text(evaluate(given, "host", rows[i].expr, NULL).text, rows[i].want,
			  rows[i].expr);
}

/* ---- words ---- */

/* Several words for the shell, and nothing but words. */
static void test_words_in_shell(void **state)
{
	static const char text[] =
		ONE "scope: process\ntree:\n"
		    "  - {ask: q, test: process.b, if_no: {rule_out: n}}\n  - conclude: a\n"
		    "causes:\n  a:\n    title: '{process.argv}'\n    because: b\n    fix:\n"
		    "      - {title: f, tier: cure, risk: low, disrupts: no, verify: process.b,\n"
		    "         run: 'run {process.argv}', undo: undo}\n";
	static const struct {
		const char *argv, *run;
	} rows[] = {
		{"4096 87380 6291456", "run 4096 87380 6291456"},
		{"via 192.0.2.1 dev eth0", "run via 192.0.2.1 dev eth0"},
		{"a\tb  c ", "run a b c"},
		{"a; reboot", "run 'a;' reboot"},
		{"$(reboot) `x` 'y", "run '$(reboot)' '`x`' ''\\''y'"},
		{"a\nb > c", "run a b '>' c"},
		{"one", "run one"},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct nd_input in = {.path = "x", .netns = "host"};
		struct judged j;
		nd_id on;

		open_judged(&j, (const char *const[]){text, NULL}, "process:1: {b: yes}\n");
		on = nd_entity_num(j.f, ND_PROCESS, 1);
		nd_put_text(j.f, on,
			    nd_registry_def(j.registry,
					    nd_registry_find(j.registry, ND_PROCESS, "argv")),
			    rows[i].argv, &in);
		judge(&j);
		same_text(j.out->findings[0].fixes[0].run, rows[i].run, rows[i].argv);
		same_text(j.out->findings[0].title, rows[i].argv, rows[i].argv);
		close_judged(&j);
	}
}

/* What this kernel or driver cannot tell, and nothing speaks for, is listed, and leaves a healthy host healthy. */
static void test_blind_spot(void **state)
{
	static const char *const texts[] = {"rule: r\ntitle: t\nscope: cpu\ntree:\n"
					    "  - {ask: A, test: cpu.x > 0, if_no: {rule_out: no}}\n"
					    "  - {ask: B, test: cpu.y > 0, if_no: {rule_out: no}}\n"
					    "  - conclude: c\n"
					    "causes: {c: {title: T, because: B, report: each}}\n",
					    NULL};
	static const struct {
		const char *given;
		enum nd_verdict verdict;
		uint32_t open;
	} rows[] = {
		{"cpu:0: {x: {missing: not-on-this-kernel}, y: 0}", ND_HEALTHY, 1},
		{"cpu:0: {x: {missing: tool-output-absent}, y: 0}", ND_INCONCLUSIVE, 1},
		{"cpu:0: {x: 1, y: {missing: not-on-this-kernel}}", ND_INCONCLUSIVE, 1},
		{"cpu:0: {x: 0, y: {missing: not-on-this-kernel}}", ND_HEALTHY, 0},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		const struct nd_findings *r;
		struct judged j;

		open_judged(&j, texts, rows[i].given);
		r = judge(&j);
		assert_int_equal(r->verdict, rows[i].verdict);
		assert_int_equal(r->n_open, rows[i].open);
		close_judged(&j);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blind_spot),
		cmocka_unit_test(test_about),
		cmocka_unit_test(test_doubtful_ways),
		cmocka_unit_test(test_excludes_narrower),
		cmocka_unit_test(test_unknown_in_other_set),
		cmocka_unit_test(test_words_in_shell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
