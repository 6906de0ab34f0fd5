/* A small world for tests of the judge: facts with one-letter names on every kind that matters, rules as
 * text, facts given as in a rule's own tests. */
#ifndef ND_JUDGE_FIXTURE_H
#define ND_JUDGE_FIXTURE_H

#include "engine/judge/given.h"
#include "engine/judge/judge.h"
#include "engine/judge/walk.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* b c: questions · x y: counts · w: a time · p: a sampled percentage · d e: counters · s: text · h: a
 * histogram of times */
#define LETTERS(kind)                                                                              \
	{.name = "b", .on = kind, .type = ND_T_BOOL},                                              \
		{.name = "c", .on = kind, .type = ND_T_BOOL},                                      \
		{.name = "x", .on = kind, .unit = ND_U_COUNT, .width = ND_GAUGE},                  \
		{.name = "y", .on = kind, .unit = ND_U_COUNT, .width = ND_GAUGE},                  \
		{.name = "w", .on = kind, .unit = ND_U_SECONDS, .width = ND_GAUGE},                \
		{.name = "p", .on = kind, .unit = ND_U_PERCENT, .width = ND_SAMPLED},              \
		{.name = "d", .on = kind, .unit = ND_U_COUNT, .width = ND_COUNTER64},              \
		{.name = "e", .on = kind, .unit = ND_U_COUNT, .width = ND_COUNTER64},              \
		{.name = "s", .on = kind, .type = ND_T_TEXT},                                      \
	{                                                                                          \
		.name = "h", .on = kind, .type = ND_T_HIST, .unit = ND_U_SECONDS                   \
	}

static const struct nd_fact_def fixture_facts[] = {
	LETTERS(ND_HOST),
	LETTERS(ND_NETNS),
	LETTERS(ND_CPU),
	LETTERS(ND_IFACE),
	LETTERS(ND_QUEUE),
	LETTERS(ND_IRQ),
	LETTERS(ND_LISTENER),
	LETTERS(ND_SERVICE),
	LETTERS(ND_PROCESS),
	LETTERS(ND_THREAD),
	LETTERS(ND_CGROUP),
	{.name = "window", .on = ND_HOST, .unit = ND_U_SECONDS, .width = ND_GAUGE},
	{.name = "span", .on = ND_HOST, .unit = ND_U_SECONDS, .width = ND_GAUGE},
	{.name = "uptime", .on = ND_HOST, .unit = ND_U_SECONDS, .width = ND_GAUGE},
	{.name = "kernel.release", .on = ND_HOST, .type = ND_T_TEXT},
	{.name = "excess", .on = ND_SYMPTOM, .unit = ND_U_SECONDS, .width = ND_GAUGE},
	{.name = "percentile", .on = ND_SYMPTOM, .unit = ND_U_PERCENT, .width = ND_GAUGE},
	{.name = "comm", .on = ND_PROCESS, .type = ND_T_TEXT},
	{.name = "argv", .on = ND_PROCESS, .type = ND_T_WORDS},
	{.name = "probed",
	 .on = ND_CPU,
	 .unit = ND_U_COUNT,
	 .width = ND_GAUGE,
	 .reproduce = "cat /probed",
	 .probe = "spy"},
	{.name = "shown",
	 .on = ND_CPU,
	 .unit = ND_U_COUNT,
	 .width = ND_GAUGE,
	 .reproduce = "cat /cpu/{key}/shown"},
	{.name = "sysctl.kernel.most", .on = ND_HOST, .unit = ND_U_COUNT, .width = ND_GAUGE},
	{.name = "sysctl.net.queue", .on = ND_NETNS, .unit = ND_U_COUNT, .width = ND_GAUGE},
	{.name = "sysctl.net.usecs",
	 .on = ND_NETNS,
	 .unit = ND_U_SECONDS,
	 .width = ND_GAUGE,
	 .kernel_unit = 1e-6},
	{0},
};
static const struct nd_column fixture_columns[] = {{"left", ND_U_COUNT}, {"right", ND_U_COUNT}};
static const enum nd_kind fixture_kinds[] = {ND_CPU, ND_HOST, ND_NO_KIND};
static const struct nd_table_def fixture_rows = {"samples", fixture_kinds, fixture_columns, 2, ""};

struct judged {
	struct nd_registry *registry;
	struct nd_rules *rules;
	struct nd_facts *f;
	struct nd_arena arena;
	struct nd_given given;
	struct nd_findings *out; /* NULL until judge() */
};

static inline void load(struct judged *j, const char *const *texts)
{
	struct nd_buf messages = {0};
	int errors = 0;

	for (; *texts; texts++)
		errors += nd_rules_add_text(j->rules, "fixture", *texts, strlen(*texts), &messages);
	errors += nd_rules_check(j->rules, &messages);
	if (errors)
		print_message("%s", nd_buf_str(&messages));
	nd_buf_free(&messages);
	assert_int_equal(errors, 0);
}

/* Facts as in a rule's test: "cpu:0: {x: 3}", a line each. */
static inline void give(struct judged *j, const char *text)
{
	struct nd_run run = {.rules = j->rules, .f = j->f, .arena = &j->arena};
	struct nd_buf messages = {0};
	const struct nd_yaml *map = nd_yaml_parse(&j->arena, "given", text, strlen(text),
						  &messages),
			     *at;
	char why[512] = "";

	if (!map)
		print_message("%s", nd_buf_str(&messages));
	assert_non_null(map);
	nd_given_merge(&j->given, map);
	if (!nd_given_apply(&j->given, &run, j->rules->rules[0], &at, why, sizeof(why)))
		fail_msg("%s: %s", text, why);
	nd_buf_free(&messages);
	nd_run_free(&run);
}

/* texts: rules and libraries, up to NULL; the first rule's tallies and logs may be given. */
static inline void open_judged(struct judged *j, const char *const *texts, const char *given)
{
	*j = (struct judged){.registry = nd_registry_new(), .given = {.window = 10}};
	nd_registry_add(j->registry, fixture_facts);
	nd_registry_add_table(j->registry, &fixture_rows);
	j->rules = nd_rules_new(j->registry);
	load(j, texts);
	j->f = nd_facts_new(j->registry);
	if (given)
		give(j, given);
}

static inline void close_judged(struct judged *j)
{
	nd_findings_free(j->out);
	nd_given_free(&j->given);
	nd_facts_free(j->f);
	nd_rules_free(j->rules);
	nd_registry_free(j->registry);
	nd_arena_free(&j->arena);
}

static inline const struct nd_findings *judge(struct judged *j)
{
	static const struct nd_judge_about about = {.version = "1", .source = "live"};

	nd_findings_free(j->out);
	j->out = nd_judge(j->rules, j->f, &about);
	return j->out;
}

/* "cpu:3" or "host". */
static inline nd_id entity_named(const struct judged *j, const char *name)
{
	const char *colon = strchr(name, ':');
	char kind[32];
	nd_id id;

	snprintf(kind, sizeof(kind), "%.*s", colon ? (int)(colon - name) : 31, name);
	id = nd_entity_find(j->f, nd_kind_by_name(kind, false), colon ? colon + 1 : "");
	assert_int_not_equal(id, ND_NO_ENTITY);
	return id;
}

/* ---- the value of one expression ---- */

struct evaluated {
	char text[400]; /* "3", "yes", "absent", "unknown: silent", "{cpu:0 ?silent}", "[1 2]" */
	bool stale; /* what it rests on */
	uint32_t used; /* how many facts that is */
	enum nd_basis basis;
	uint64_t visits;
};

static inline void put_result(struct nd_buf *b, const struct nd_result *r, const struct nd_facts *f)
{
	switch (r->t) {
	case ND_R_MISSING: nd_buf_printf(b, "unknown: %s", nd_missing_name(r->why)); return;
	case ND_R_ABSENT: nd_buf_puts(b, "absent"); return;
	case ND_R_NUMBER: nd_buf_printf(b, "%s%.10g", r->cut ? "~" : "", r->num); return;
	case ND_R_BOOL: nd_buf_puts(b, r->yes ? "yes" : "no"); return;
	case ND_R_TEXT: nd_buf_puts(b, r->text); return;
	case ND_R_HIST: nd_buf_printf(b, "%g samples", nd_hist_count(r->hist)); return;
	case ND_R_ENTITY: nd_buf_puts(b, nd_entity_name(f, r->id)); return;
	case ND_R_RANGE: nd_buf_printf(b, "%g..%g", r->num, r->hi); return;
	case ND_R_SET:
		for (uint32_t i = 0; i < r->n; i++)
			nd_buf_printf(b, "%s%s%s", i ? " " : "{",
				      r->items[i].why == ND_PRESENT ? "" : "?",
				      r->items[i].why == ND_PRESENT
					      ? nd_entity_name(f, r->items[i].id)
					      : nd_missing_name(r->items[i].why));
		nd_buf_puts(b, r->n ? "}" : "{}");
		return;
	case ND_R_LIST:
		nd_buf_putc(b, '[');
		for (uint32_t i = 0; i < r->n; i++) {
			nd_buf_puts(b, i ? " " : "");
			put_result(b, &r->list[i], f);
		}
		nd_buf_putc(b, ']');
		return;
	}
}

static inline void evaluate_let(struct judged *j, const char *on, struct evaluated *out)
{
	struct nd_run run = {.rules = j->rules, .f = j->f, .arena = &j->arena};
	const struct nd_code *c = j->rules->rules[0]->trees[0].lets[0].code;
	struct nd_eval e = {.run = &run, .rule = j->rules->rules[0], .element = ND_NO_ENTITY};
	struct nd_buf b = {0};
	struct nd_result r, again;

	run.log_override = nd_given_log;
	run.override_ctx = &j->given;
	run.memos = nd_arena_alloc(&j->arena, (j->rules->n_memos + 1) * sizeof(*run.memos));
	run.views = nd_arena_alloc(&j->arena, (nd_registry_count(j->registry) * ND_ACCESSORS + 1) *
						      sizeof(struct nd_view *));
	e.self = entity_named(j, on);
	e.visits = &out->visits;
	e.used = &run.used;
	out->visits = 0;
	r = nd_eval(c, &e);
	out->basis = r.basis;
	nd_used_keep(&run, &run.used, &out->used);
	out->stale = !nd_used_clean(&run.used, 0);
	put_result(&b, &r, j->f);
	snprintf(out->text, sizeof(out->text), "%s", nd_buf_str(&b));
	if (c->type.t == ND_X_BOOL && r.why != ND_BUDGET)
		assert_int_equal(nd_ask_quickly(c, &e), nd_ask(c, &e, &again));
	nd_buf_free(&b);
	nd_run_free(&run);
}

/* The value of an expression that is walked for `on`. more: further sections of the rule, or NULL. */
static inline struct evaluated evaluate(const char *given, const char *on, const char *expr,
					const char *more)
{
	static const char tree[] =
		"tree:\n"
		"  - {ask: is it, test: present($v), if_no: {rule_out: it is not}}\n"
		"  - conclude: c\n"
		"causes: {c: {title: t, because: b}}\n";
	struct nd_buf b = {0};
	struct evaluated out;
	struct judged j;

	nd_buf_printf(&b, "rule: one\ntitle: t\nscope: %.*s\nlet:\n  v: >-\n    %s\n%s%s",
		      (int)strcspn(on, ":"), on, expr, more ? more : "", tree);
	open_judged(&j, (const char *const[]){nd_buf_str(&b), NULL}, given);
	evaluate_let(&j, on, &out);
	close_judged(&j);
	nd_buf_free(&b);
	return out;
}

struct row {
	const char *expr, *want;
};

static inline void check_rows(const char *given, const char *on, const struct row *rows, size_t n,
			      const char *more)
{
	for (size_t i = 0; i < n; i++) {
		struct evaluated v = evaluate(given, on, rows[i].expr, more);

		if (strcmp(v.text, rows[i].want) != 0)
			fail_msg("%s: %s, expected %s", rows[i].expr, v.text, rows[i].want);
	}
}
#define CHECK(given, on, rows) check_rows(given, on, rows, ND_ARRAY_LEN(rows), NULL)
#endif
