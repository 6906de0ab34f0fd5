/* The tests inside rule files: given facts, one run of that rule, and what was expected of it. */
#include "engine/judge/given.h"
#include "engine/judge/judge.h"
#include "engine/judge/ruletest.h"

struct suite {
	struct nd_rules *rules;
	uint32_t index; /* of the rule */
	bool verbose;
	struct nd_buf *out;
	uint32_t *passed, *failed;
	struct nd_cover *cover; /* NULL: nobody wants to know */
};

static const struct nd_yaml *test_named(const struct nd_yaml *tests, const char *name)
{
	for (uint32_t i = 0; i < tests->n; i++) {
		const struct nd_yaml *n = nd_yaml_get(tests->items[i], "name");

		if (n && n->type == ND_YAML_TEXT && strcmp(n->text, name) == 0)
			return tests->items[i];
	}
	return NULL;
}

static const char *text_at(const struct nd_yaml *map, const char *key)
{
	const struct nd_yaml *y = nd_yaml_get(map, key);

	return y && y->type == ND_YAML_TEXT ? y->text : NULL;
}

/* The facts of a test: those of the test it is like, then its own. False: `like` leads nowhere. */
static bool merge(const struct nd_yaml *tests, const struct nd_yaml *test, struct nd_given *g,
		  const char **window, unsigned depth)
{
	const char *like = text_at(test, "like");
	const struct nd_yaml *base = like ? test_named(tests, like) : NULL;

	if (like && (!base || depth > 16 || !merge(tests, base, g, window, depth + 1)))
		return false;
	nd_given_merge(g, nd_yaml_get(test, "given"));
	if (text_at(test, "window"))
		*window = text_at(test, "window");
	return true;
}

static void print_path(struct nd_buf *out, const struct nd_run *run, const struct nd_outcome *o)
{
	for (uint32_t i = 0; i < o->n_walks; i++) {
		const struct nd_walk *w = &o->walks[i];

		nd_buf_printf(out, "    %s, %s: %s\n",
			      strcmp(w->tree->name, "main") ? w->tree->name : w->tree->rule->name,
			      nd_entity_name(run->f, w->self),
			      w->gated	      ? "the gate says no"
			      : w->unexamined ? "the gate is unknown"
			      : w->found >= 0 ? nd_walk_use(w)->name
					      : "no finding");
		for (uint32_t k = 0; k < w->n_path; k++) {
			const struct nd_answered *a = &w->path[k];

			nd_buf_printf(out, "      line %u, %s, %s: %s\n", a->node->yaml->line,
				      nd_grade_name((enum nd_grade)a->node->grade),
				      nd_answer_name(a->answer), a->node->test_text);
			for (uint32_t u = 0; u < a->n_used && u < 8; u++) {
				const struct nd_used *x = &a->used[u];
				struct nd_xtype t = {.t = ND_X_NUMBER, .number = ND_N_COUNT};

				nd_buf_printf(out, "        %s %s = ", nd_used_entity(run, x),
					      nd_used_name(run, w->tree->rule, x));
				nd_render_value(out, &x->value, &t, run);
				nd_buf_putc(out, '\n');
			}
		}
	}
}

static void report(struct suite *s, const char *name, const struct nd_yaml *at, const char *why,
		   const struct nd_run *run, const struct nd_outcome *o)
{
	const struct nd_rule *rule = s->rules->rules[s->index];

	if (!*why) {
		(*s->passed)++;
		if (s->verbose)
			nd_buf_printf(s->out, "ok %s: %s\n", rule->name, name);
		return;
	}
	(*s->failed)++;
	nd_buf_printf(s->out, "not ok %s: %s\n  %s:%u: %s\n", rule->name, name, rule->path,
		      at->line, why);
	if (o)
		print_path(s->out, run, o);
}

static void run_one(struct suite *s, const char *name, struct nd_given *g, const char *window,
		    const struct nd_yaml *expect)
{
	struct nd_rules *rules = s->rules;
	const struct nd_rule *rule = rules->rules[s->index];
	struct nd_arena arena = {0};
	struct nd_facts *f = nd_facts_new(nd_rules_registry(rules));
	struct nd_run run = {.rules = rules,
			     .f = f,
			     .arena = &arena,
			     .log_override = nd_given_log,
			     .override_ctx = g};
	struct nd_outcome o = {0};
	const struct nd_yaml *at = expect;
	char why[2048] = "";

	g->window = 10;
	if (window && !nd_given_number(&run, window, &g->window))
		snprintf(why, sizeof(why), "window: expected a time");
	if (!*why && nd_given_apply(g, &run, rule, &at, why, sizeof(why))) {
		nd_judge_run(&run, s->index, &o);
		nd_expect(&run, &o, expect, why, sizeof(why));
		if (s->cover)
			nd_cover_see(s->cover, &run, s->index);
		at = expect;
		report(s, name, at, why, &run, &o);
	} else {
		report(s, name, at ? at : expect, why, &run, NULL);
	}
	nd_outcome_free(&o);
	nd_run_free(&run);
	nd_facts_free(f);
	nd_arena_free(&arena);
}

static void run_rows(struct suite *s, const struct nd_yaml *tests, const struct nd_yaml *test,
		     const char *name)
{
	const struct nd_yaml *rows = nd_yaml_get(test, "rows");
	uint32_t n = rows && rows->type == ND_YAML_LIST ? rows->n : 1;

	for (uint32_t i = 0; i < n; i++) {
		const struct nd_yaml *row =
			rows && rows->type == ND_YAML_LIST ? rows->items[i] : NULL;
		const struct nd_yaml *expect = nd_yaml_get(row ? row : test, "expect");
		struct nd_given g = {0};
		const char *window = NULL;
		char label[300];

		snprintf(label, sizeof(label), row ? "%s [%u]" : "%s", name, i + 1);
		if (!expect)
			report(s, label, row ? row : test, "expect is missing", NULL, NULL);
		else if (nd_yaml_get(test, "case"))
			report(s, label, test, "case: folders are run with run --from, not here",
			       NULL, NULL);
		else if (!merge(tests, test, &g, &window, 0))
			report(s, label, test, "like: no such test", NULL, NULL);
		else {
			if (row)
				nd_given_merge(&g, row);
			run_one(s, label, &g, window, expect);
		}
		nd_given_free(&g);
	}
}

static void run_rule(struct suite *s)
{
	const struct nd_rule *rule = s->rules->rules[s->index];
	const struct nd_yaml *tests = nd_yaml_get(rule->yaml, "tests");

	if (!tests || tests->type != ND_YAML_LIST || tests->n == 0) {
		report(s, "tests", rule->yaml, "a rule needs tests", NULL, NULL);
		return;
	}
	for (uint32_t i = 0; i < tests->n; i++) {
		const char *name = text_at(tests->items[i], "name");

		if (tests->items[i]->type == ND_YAML_MAP && name)
			run_rows(s, tests, tests->items[i], name);
		else
			report(s, "tests", tests->items[i], "a test has a name", NULL, NULL);
	}
}

void nd_ruletest(struct nd_rules *rules, const char *only, bool verbose, struct nd_buf *out,
		 uint32_t *passed, uint32_t *failed)
{
	for (uint32_t r = 0; r < rules->n; r++) {
		struct suite s = {.rules = rules,
				  .index = r,
				  .verbose = verbose,
				  .out = out,
				  .passed = passed,
				  .failed = failed};

		if (!only || strcmp(only, rules->rules[r]->name) == 0)
			run_rule(&s);
	}
}

struct nd_cover *nd_ruletest_cover(struct nd_rules *rules, uint32_t rule)
{
	struct nd_cover *cover = nd_cover_new(rules->rules[rule]);
	uint32_t passed = 0, failed = 0;
	struct nd_buf out = {0};
	struct suite s = {.rules = rules,
			  .index = rule,
			  .out = &out,
			  .passed = &passed,
			  .failed = &failed,
			  .cover = cover};

	run_rule(&s);
	cover->passed = passed;
	cover->failed = failed;
	nd_buf_free(&out);
	return cover;
}
