/* What a rule's tests leave out, so that it may be wrong without anybody noticing. Runs them. */
#include "engine/judge/judge.h"
#include "engine/rule/lint.h"

static const struct nd_yaml *key_of_cause(const struct nd_rule *r, const char *name)
{
	const struct nd_yaml *causes = nd_yaml_get(r->yaml, "causes");

	for (uint32_t i = 0; i < r->n_causes; i++) {
		if (strcmp(r->causes[i].base, name) == 0)
			return nd_lint_key(causes, r->causes[i].name);
	}
	return r->yaml;
}

static void check_causes(struct nd_lint *l, const struct nd_cover *c)
{
	for (uint32_t i = 0; i < c->n_causes; i++) {
		const char *name = c->causes[i].cause;
		const struct nd_yaml *at = key_of_cause(l->rule, name);

		if (!c->causes[i].concluded)
			nd_lint_error(
				l, at, 0,
				"no test concludes %s: give the facts of a host that has it, and expect: {cause: %s}",
				name, name);
		if (!c->causes[i].open)
			nd_lint_error(
				l, at, 0,
				"no test leaves %s open: take a fact away that decides it (missing: no-permission), and expect: {open: %s}",
				name, name);
	}
}

void nd_lint_tests(struct nd_rules *rules, uint32_t rule, const struct nd_test_hooks *h,
		   struct nd_buf *messages)
{
	const struct nd_rule *r = rules->rules[rule];
	const struct nd_yaml *tests = nd_yaml_get(r->yaml, "tests");
	struct nd_lint l = nd_lint_of_rule(rules, r, messages);
	struct nd_cover *c;

	if (!tests || tests->type != ND_YAML_LIST || tests->n == 0) {
		nd_lint_error(
			&l, tests ? nd_lint_key(r->yaml, "tests") : r->yaml, 0,
			"tests are missing: one that concludes, one of a busy host where nothing is found, one where a deciding fact is missing");
		return;
	}
	c = nd_ruletest_cover(rules, rule, h);
	if (c->failed)
		nd_lint_error(&l, nd_lint_key(r->yaml, "tests"), 0,
			      "%u of the tests fail: netdoctor rules test shows them", c->failed);
	check_causes(&l, c);
	if (c->n_causes && !c->found_nothing)
		nd_lint_error(
			&l, nd_lint_key(r->yaml, "tests"), 0,
			"no test asks and finds nothing: give the facts of a host that is busy and healthy, and expect: none");
	nd_cover_free(c);
}
