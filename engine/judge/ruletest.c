/* The tests inside rule files: given facts, one run of that rule, and what was expected of it. */
#include <limits.h>

#include "engine/judge/given.h"
#include "engine/judge/judge.h"
#include "engine/judge/ruletest.h"

struct suite {
	struct nd_rules *rules;
	uint32_t index; /* of the rule */
	const struct nd_test_hooks *hooks; /* or NULL */
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

/* Where the facts of a test come from, beside what is given. */
struct variant {
	const char *window, *folder; /* NULL: not said */
};

/* The facts of a test: those of the test it is like, then its own. False: `like` leads nowhere. */
static bool merge(const struct nd_yaml *tests, const struct nd_yaml *test, struct nd_given *g,
		  struct variant *v, unsigned depth)
{
	const char *like = text_at(test, "like");
	const struct nd_yaml *base = like ? test_named(tests, like) : NULL;

	if (like && (!base || depth > 16 || !merge(tests, base, g, v, depth + 1)))
		return false;
	nd_given_merge(g, nd_yaml_get(test, "given"));
	if (text_at(test, "window"))
		v->window = text_at(test, "window");
	if (text_at(test, "case"))
		v->folder = text_at(test, "case");
	return true;
}

/* o: what came out, or NULL when the test itself is wrong. */
static void report(struct suite *s, const char *name, const struct nd_yaml *at, const char *why,
		   const struct nd_run *run, const struct nd_outcome *o)
{
	const struct nd_rule *rule = s->rules->rules[s->index];
	struct nd_test_result t = {.rule = rule->name,
				   .name = name,
				   .path = rule->path,
				   .line = at->line,
				   .why = why,
				   .trace = ""};
	struct nd_buf trace = {0};

	(*(*why ? s->failed : s->passed))++;
	if (!s->hooks || !s->hooks->each)
		return;
	if (*why && o)
		nd_test_trace(run, o, at, &trace);
	else if (*why)
		nd_test_place(rule, at, &trace);
	t.trace = nd_buf_str(&trace);
	s->hooks->each(s->hooks->ctx, &t);
	nd_buf_free(&trace);
}

/* The recording of a test, beside the rule's file. False: *why says what is wrong. */
static bool read_case(struct suite *s, const char *folder, struct nd_facts *f, char *why,
		      size_t size)
{
	const char *file = s->rules->rules[s->index]->path, *slash = strrchr(file, '/');
	char path[PATH_MAX];
	struct nd_err e = {0};

	if (folder[0] == '/' || !slash)
		snprintf(path, sizeof(path), "%s", folder);
	else
		snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - file), file, folder);
	if (!s->hooks || !s->hooks->read_case)
		snprintf(why, size, "case: %s cannot be read here", folder);
	else if (s->hooks->read_case(s->hooks->ctx, path, f, &e) < 0)
		snprintf(why, size, "case: %s", e.msg);
	return !*why;
}

/* A misspelt key would leave out what it was to say. */
static bool check_keys(const struct nd_yaml *test, const struct nd_yaml **at, char *why,
		       size_t size)
{
	const struct nd_yaml *key;
	const char *near;
	uint32_t i = 0;

	key = nd_unknown_key(test, &nd_section_test, &i, &near);
	if (!key)
		return true;
	snprintf(why, size, "unknown key \"%s\"%s%s", key->text, near ? "; nearest is " : "",
		 near ? near : "");
	*at = key;
	return false;
}

/* What is wrong with a test, or was not as it expects; and where. */
struct complaint {
	char why[2048];
	const struct nd_yaml *at;
};

/* Facts, given ones on top of recorded ones. False: the test is wrong, see c. */
static bool prepare(struct suite *s, const struct variant *v, struct nd_given *g,
		    struct nd_run *run, struct complaint *c)
{
	g->window = 10;
	if (v->window && !nd_given_number(run, v->window, &g->window)) {
		snprintf(c->why, sizeof(c->why), "window: expected a time");
		return false;
	}
	nd_judge_watch(s->rules, run->f);
	if (v->folder) {
		g->recorded = true;
		if (!read_case(s, v->folder, run->f, c->why, sizeof(c->why)))
			return false;
	}
	return nd_given_apply(g, run, s->rules->rules[s->index], &c->at, c->why, sizeof(c->why));
}

static void run_one(struct suite *s, const char *name, const struct variant *v, struct nd_given *g,
		    const struct nd_yaml *expect)
{
	struct nd_arena arena = {0};
	struct nd_facts *f = nd_facts_new(nd_rules_registry(s->rules));
	struct nd_run run = {.rules = s->rules,
			     .f = f,
			     .arena = &arena,
			     .log_override = nd_given_log,
			     .override_ctx = g};
	struct nd_outcome o = {0};
	struct complaint c = {.why = "", .at = expect};

	if (prepare(s, v, g, &run, &c)) {
		nd_judge_run(&run, s->index, &o);
		nd_expect(&run, &o, expect, c.why, sizeof(c.why));
		if (s->cover)
			nd_cover_see(s->cover, &run, s->index);
		report(s, name, expect, c.why, &run, &o);
	} else {
		report(s, name, c.at ? c.at : expect, c.why, &run, NULL);
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
		struct variant v = {0};
		char label[300];

		snprintf(label, sizeof(label), row ? "%s [%u]" : "%s", name, i + 1);
		if (!expect)
			report(s, label, row ? row : test, "expect is missing", NULL, NULL);
		else if (!merge(tests, test, &g, &v, 0))
			report(s, label, test, "like: no such test", NULL, NULL);
		else {
			if (row)
				nd_given_merge(&g, row);
			run_one(s, label, &v, &g, expect);
		}
		nd_given_free(&g);
	}
}

static void run_rule(struct suite *s)
{
	const struct nd_rule *rule = s->rules->rules[s->index];
	const struct nd_yaml *tests = nd_yaml_get(rule->yaml, "tests"), *at;
	char why[300];

	if (!tests || tests->type != ND_YAML_LIST || tests->n == 0) {
		report(s, "tests", rule->yaml, "a rule needs tests", NULL, NULL);
		return;
	}
	for (uint32_t i = 0; i < tests->n; i++) {
		const char *name = text_at(tests->items[i], "name");

		if (tests->items[i]->type != ND_YAML_MAP || !name)
			report(s, "tests", tests->items[i], "a test has a name", NULL, NULL);
		else if (!check_keys(tests->items[i], &at, why, sizeof(why)))
			report(s, name, at, why, NULL, NULL);
		else
			run_rows(s, tests, tests->items[i], name);
	}
}

void nd_ruletest(struct nd_rules *rules, const char *only, const struct nd_test_hooks *h,
		 uint32_t *passed, uint32_t *failed)
{
	for (uint32_t r = 0; r < rules->n; r++) {
		struct suite s = {
			.rules = rules, .index = r, .hooks = h, .passed = passed, .failed = failed};

		if (!only || strcmp(only, rules->rules[r]->name) == 0)
			run_rule(&s);
	}
}

struct nd_cover *nd_ruletest_cover(struct nd_rules *rules, uint32_t rule,
				   const struct nd_test_hooks *h)
{
	struct nd_cover *cover = nd_cover_new(rules->rules[rule]);
	uint32_t passed = 0, failed = 0;
	struct suite s = {.rules = rules,
			  .index = rule,
			  .hooks = h,
			  .passed = &passed,
			  .failed = &failed,
			  .cover = cover};

	run_rule(&s);
	cover->passed = passed;
	cover->failed = failed;
	return cover;
}
