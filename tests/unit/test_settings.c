/* Other values for thresholds: --set and the settings file, to the caret. */
#include "tests/unit/rule_fixture.h"

#include <errno.h>

static double param(const struct loaded *l, uint32_t rule, const char *name)
{
	const struct nd_rule *r = l->rules->rules[rule];

	for (uint32_t i = 0; i < r->n_params; i++) {
		if (strcmp(r->params[i].name, name) == 0)
			return r->params[i].code->num;
	}
	fail_msg("no parameter %s", name);
	return 0;
}

static void test_set(void **state)
{
	static const struct {
		const char *set, *want; /* what is said; "" for nothing */
		double wait, share, lib;
	} rows[] = {
		{"r.wait=9ms", "", 9e-3, .05, .8},
		{"r.wait=2s", "", 2, .05, .8},
		{"r.share=7%", "", 5e-3, .07, .8},
		{"lib.hot=90%", "", 5e-3, .05, .9},
		{"r.wait=9", "--set: error: wait=9: another unit; the rule has 5ms\n", 5e-3, .05,
		 .8},
		{"r.wait=9B", "--set: error: wait=9B: another unit; the rule has 5ms\n", 5e-3, .05,
		 .8},
		{"r.share=7", "--set: error: share=7: another unit; the rule has 5%\n", 5e-3, .05,
		 .8},
		{"r.wait=9 ms",
		 "--set: error: wait=9 ms: the unit stands directly behind the digits, as in 5ms; the rule has 5ms\n",
		 5e-3, .05, .8},
		{"r.wait=host.span",
		 "--set: error: wait=host.span: not a number; the rule has 5ms\n", 5e-3, .05, .8},
		{"r.wiat=9ms",
		 "--set: error: no rule has the parameter r.wiat; nearest is r.wait\n", 5e-3, .05,
		 .8},
		{"q.wait=9ms",
		 "--set: error: no rule has the parameter q.wait; nearest is r.wait\n", 5e-3, .05,
		 .8},
	};
	static const char rule[] =
		HEAD "params:\n  wait: {value: 5ms, origin: 'lab: x'}\n"
		     "  share: {value: 5%, origin: 'lab: x'}\n" TREE ASK END CAUSES CAUSE;
	static const char library[] =
		"library: lib\nparams: {hot: {value: 80%, origin: 'lab: x'}}\n";

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct nd_err e = {0};
		struct loaded l;

		open_loaded(&l);
		add_loaded(&l, "f", rule);
		add_loaded(&l, "lib", library);
		assert_int_equal(nd_rules_set(l.rules, rows[i].set, &e), 0);
		check_loaded(&l);
		assert_string_equal(nd_buf_str(&l.messages), rows[i].want);
		assert_int_equal(l.errors, *rows[i].want ? 1 : 0);
		assert_true(param(&l, 0, "wait") == rows[i].wait);
		assert_true(param(&l, 0, "share") == rows[i].share);
		assert_true(l.rules->libraries[0]->params[0].code->num == rows[i].lib);
		close_loaded(&l);
	}
}

static void test_set_twice(void **state)
{
	struct nd_err e = {0};
	struct loaded l;

	(void)state;
	open_loaded(&l);
	add_loaded(&l, "f",
		   HEAD "params: {p: {value: 5, origin: 'lab: x'}}\n" TREE ASK END CAUSES CAUSE);
	assert_int_equal(nd_rules_set(l.rules, "r.p=6", &e), 0);
	assert_int_equal(nd_rules_set(l.rules, "r.p=7", &e), 0);
	check_loaded(&l);
	assert_int_equal(l.errors, 0);
	assert_true(param(&l, 0, "p") == 7);
	close_loaded(&l);
}

static void test_set_form(void **state)
{
	static const char *const bad[] = {"", "x", "a.b", "a=b", "a=b.c", ".b=1", "a.=1", "a.b="};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(bad); i++) {
		struct nd_err e = {0};
		char want[200];
		struct loaded l;

		open_loaded(&l);
		snprintf(want, sizeof(want),
			 "--set %s: expected rule.param=value, such as accept-queue.tiny=16",
			 bad[i]);
		assert_int_equal(nd_rules_set(l.rules, bad[i], &e), -EINVAL);
		assert_string_equal(e.msg, want);
		close_loaded(&l);
	}
}

/* A settings file, to the caret; what is right in a file that has mistakes counts too. */
static void test_settings(void **state)
{
	static const struct {
		const char *text, *want;
		double p; /* of rule r */
		uint32_t rules; /* directories */
	} rows[] = {
		{"", "", 5, 0},
		{" \n\n", "", 5, 0},
		{"set: {r.p: 6}\n", "", 6, 0},
		{"set:\n  r.p: 6\nrules: more\n", "", 6, 1},
		{"rules: [a, /b]\n", "", 5, 2},
		{"set: {r.p: 6ms}\n",
		 "s.yaml:1:7: error: p=6ms: another unit; the rule has 5\n    set: {r.p: 6ms}\n          ^\n",
		 5, 0},
		{"set: {r.q: 6}\n",
		 "s.yaml:1:7: error: no rule has the parameter r.q; nearest is r.p\n    set: {r.q: 6}\n          ^\n",
		 5, 0},
		{"set:\n  rp: 6\n",
		 "s.yaml:2:3: error: expected rule.param: value, such as accept-queue.tiny: 16\n      rp: 6\n      ^\n",
		 5, 0},
		{"set: {r.p: [6]}\n",
		 "s.yaml:1:12: error: expected a number with its unit\n    set: {r.p: [6]}\n               ^\n",
		 5, 0},
		{"set: 6\n",
		 "s.yaml:1:6: error: set: names, and what belongs to each\n    set: 6\n         ^\n",
		 5, 0},
		{"sets: {r.p: 6}\n",
		 "s.yaml:1:1: error: unknown key \"sets\"; nearest is set\n    sets: {r.p: 6}\n    ^\n",
		 5, 0},
		{"[a]\n",
		 "s.yaml:1:1: error: expected keys and values here, such as \"set: …\"\n    [a]\n    ^\n",
		 5, 0},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct nd_settings settings;
		struct loaded l;
		int errors;

		open_loaded(&l);
		add_loaded(&l, "f",
			   HEAD
			   "params: {p: {value: 5, origin: 'lab: x'}}\n" TREE ASK END CAUSES CAUSE);
		errors = nd_rules_add_settings(l.rules, "s.yaml", rows[i].text,
					       strlen(rows[i].text), &settings, &l.messages);
		check_loaded(&l);
		assert_string_equal(nd_buf_str(&l.messages), rows[i].want);
		assert_int_equal(errors + (int)l.errors, *rows[i].want ? 1 : 0);
		assert_true(param(&l, 0, "p") == rows[i].p);
		assert_int_equal(settings.n_rules, rows[i].rules);
		close_loaded(&l);
	}
}

/* --set comes after the file. */
static void test_set_over_settings(void **state)
{
	struct nd_settings settings;
	struct nd_err e = {0};
	struct loaded l;

	(void)state;
	open_loaded(&l);
	add_loaded(&l, "f",
		   HEAD "params: {p: {value: 5, origin: 'lab: x'}}\n" TREE ASK END CAUSES CAUSE);
	assert_int_equal(
		nd_rules_add_settings(l.rules, "s", "set: {r.p: 6}", 13, &settings, &l.messages),
		0);
	assert_int_equal(nd_rules_set(l.rules, "r.p=7", &e), 0);
	check_loaded(&l);
	assert_true(param(&l, 0, "p") == 7);
	assert_string_equal(l.rules->rules[0]->params[0].set_by, "--set");
	close_loaded(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set),
		cmocka_unit_test(test_set_twice),
		cmocka_unit_test(test_set_form),
		cmocka_unit_test(test_settings),
		cmocka_unit_test(test_set_over_settings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
