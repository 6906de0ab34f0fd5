/* What tests of the rule language share: a small registry of facts, rules from text with their messages, and the
 * type of a single expression or where it is wrong. */
#ifndef ND_RULE_FIXTURE_H
#define ND_RULE_FIXTURE_H

#include "engine/rule/rule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define GAUGE_OF(kind, what, of)                                                                   \
	{                                                                                          \
		.name = what, .on = kind, .unit = of, .width = ND_GAUGE                            \
	}
#define COUNTER_OF(kind, what, of)                                                                 \
	{                                                                                          \
		.name = what, .on = kind, .unit = of, .width = ND_COUNTER64                        \
	}

static const struct nd_fact_def rule_facts[] = {
	GAUGE_OF(ND_HOST, "span", ND_U_SECONDS),
	GAUGE_OF(ND_HOST, "memory", ND_U_BYTES),
	COUNTER_OF(ND_HOST, "forks", ND_U_COUNT),
	{.name = "release", .on = ND_HOST, .type = ND_T_TEXT},
	{.name = "ok", .on = ND_HOST, .type = ND_T_BOOL},
	{.name = "time.soft", .on = ND_CPU, .unit = ND_U_PERCENT, .width = ND_SAMPLED},
	COUNTER_OF(ND_CPU, "dropped", ND_U_COUNT),
	COUNTER_OF(ND_CPU, "processed", ND_U_COUNT),
	COUNTER_OF(ND_CPU, "busy", ND_U_SECONDS),
	COUNTER_OF(ND_CPU, "bytes", ND_U_BYTES),
	GAUGE_OF(ND_CPU, "node", ND_U_COUNT),
	GAUGE_OF(ND_CPU, "queued", ND_U_COUNT),
	GAUGE_OF(ND_CPU, "delay", ND_U_SECONDS),
	{.name = "idle_name", .on = ND_CPU, .type = ND_T_TEXT},
	{.name = "online", .on = ND_CPU, .type = ND_T_BOOL},
	{.name = "wait", .on = ND_CPU, .type = ND_T_HIST, .unit = ND_U_SECONDS},
	GAUGE_OF(ND_IFACE, "speed", ND_U_BITS_PER_SECOND),
	COUNTER_OF(ND_IFACE, "rx.bytes", ND_U_BYTES),
	{.name = "link_kind", .on = ND_IFACE, .type = ND_T_TEXT},
	{.name = "flags", .on = ND_IFACE, .type = ND_T_WORDS},
	{.name = "up", .on = ND_IFACE, .type = ND_T_BOOL},
	{.name = "managed", .on = ND_IRQ, .type = ND_T_BOOL},
	{.name = "affinity_list", .on = ND_IRQ, .type = ND_T_TEXT},
	{.name = "comm", .on = ND_PROCESS, .type = ND_T_TEXT},
	GAUGE_OF(ND_HOST, "sysctl.kernel.most", ND_U_COUNT),
	GAUGE_OF(ND_NETNS, "sysctl.net.queue", ND_U_COUNT),
	{0},
};
static const struct nd_column rule_columns[] = {{"notsent", ND_U_BYTES}, {"rtt", ND_U_SECONDS}};
static const enum nd_kind rule_row_kinds[] = {ND_CPU, ND_HOST, ND_NO_KIND};
static const struct nd_table_def rule_rows = {"samples", rule_row_kinds, rule_columns, 2, ""};

struct loaded {
	struct nd_registry *registry;
	struct nd_rules *rules;
	struct nd_buf messages;
	int errors;
};

static inline void open_loaded(struct loaded *l)
{
	*l = (struct loaded){.registry = nd_registry_new()};
	nd_registry_add(l->registry, rule_facts);
	nd_registry_add_table(l->registry, &rule_rows);
	l->rules = nd_rules_new(l->registry);
}

static inline void add_loaded(struct loaded *l, const char *path, const char *text)
{
	l->errors += nd_rules_add_text(l->rules, path, text, strlen(text), &l->messages);
}

static inline void check_loaded(struct loaded *l)
{
	l->errors += nd_rules_check(l->rules, &l->messages);
}

static inline void close_loaded(struct loaded *l)
{
	nd_buf_free(&l->messages);
	nd_rules_free(l->rules);
	nd_registry_free(l->registry);
}

/* One rule on CPUs whose params, lets, logs and tallies the expressions of a test may name. */
static inline void open_world(struct loaded *l)
{
	static const char library[] =
		"library: lib\nderive:\n"
		"  cpu.saturated: {value: cpu.time.soft > 80%}\n"
		"  iface.physical: {value: 'iface.link_kind == \"physical\"'}\n";
	static const char text[] =
		"rule: one\ntitle: t\nscope: cpu\n"
		"params:\n"
		"  share: {value: 5%, origin: 'arith: x'}\n"
		"  bare: {value: 80, origin: 'arith: x'}\n"
		"  long: {value: 5ms, origin: 'arith: x'}\n"
		"let:\n"
		"  busy: cpus[time.soft > $share]\n"
		"  late: cpu.delay\n"
		"logs:\n"
		"  down: {match: '(?<iface>\\w+): down (?<why>\\w+)'}\n"
		"  up: {match: 'up'}\n"
		"tally: {some: {over: samples, where: notsent > 2B}}\n"
		"tree:\n"
		"  - {ask: q, test: count($busy) > 0 and $late > 0, if_no: {rule_out: n}}\n"
		"  - conclude: c\n"
		"causes: {c: {title: t, because: b}}\n";

	open_loaded(l);
	add_loaded(l, "lib", library);
	add_loaded(l, "one", text);
	check_loaded(l);
	if (l->errors)
		print_message("%s", nd_buf_str(&l->messages));
	assert_int_equal(l->errors, 0);
}

static inline struct nd_scope world_scope(struct loaded *l)
{
	struct nd_rule *r = l->rules->rules[0];

	return (struct nd_scope){
		.rules = l->rules,
		.arena = &l->rules->arena,
		.params = r->params,
		.n_params = r->n_params,
		.lets = r->trees[0].lets,
		.n_lets = r->trees[0].n_lets,
		.logs = r->logs,
		.n_logs = r->n_logs,
		.tallies = r->tallies,
		.n_tallies = r->n_tallies,
		.this_kind = ND_CPU,
		.about_kind = ND_NO_KIND,
	};
}

/* "a time", "a set of cpu", "list of a count"; or "4: what is wrong". */
static inline const char *type_of(const char *expr, const struct nd_scope *s, char *out,
				  size_t size)
{
	struct nd_expr_error e = {0};
	struct nd_code *c = nd_compile(expr, s, true, &e);
	struct nd_xtype member;
	char name[64];

	if (!c) {
		snprintf(out, size, "%u: %s", e.pos, e.msg);
	} else if (c->type.t == ND_X_LIST) {
		member = c->type;
		member.t = c->type.of;
		snprintf(out, size, "list of %s", nd_xtype_name(&member, name, sizeof(name)));
	} else {
		snprintf(out, size, "%s", nd_xtype_name(&c->type, name, sizeof(name)));
	}
	return out;
}

/* ---- rules that are wrong ---- */

#define RULE "rule: r\n"
#define HEAD "rule: r\ntitle: t\nscope: cpu\n"
#define TREE "tree:\n"
#define ASK "  - {ask: q, test: cpu.node > 0, if_no: {rule_out: n}}\n"
#define NODE(rest) "  - {ask: q, test: cpu.node > 0, " rest "}\n"
#define END "  - conclude: c\n"
#define CAUSES "causes:\n"
#define CAUSE "  c: {title: t, because: b}\n"
#define FIX(rest)                                                                                  \
	"  c:\n    title: t\n    because: b\n    fix:\n"                                           \
	"      - {title: f, tier: cure, risk: low, " rest "}\n"

/* A rule as a whole, or its parts, where NULL is what is right. */
struct rule_row {
	const char *name, *whole, *top, *tree, *causes;
	const char *want; /* "line:column: message" of each mistake, a line each */
};

/* Takes one message: its place and text go to `said`; its caret must stand at that place of the file. */
static inline const char *take_message(const char *at, const char *file, struct nd_buf *said)
{
	const char *place = strchr(at, ':') + 1, *text = strstr(at, "error: ");
	size_t shown;
	uint32_t line = 0, column = 0;
	const char *source, *caret, *of = file;

	assert_non_null(text);
	for (; *place != ':'; place++)
		line = line * 10 + (uint32_t)(*place - '0');
	for (place++; *place != ':'; place++)
		column = column * 10 + (uint32_t)(*place - '0');
	nd_buf_printf(said, "%s%u:%u: ", said->len ? "\n" : "", line, column);
	text += strlen("error: ");
	nd_buf_put(said, text, strcspn(text, "\n"));
	source = strchr(text, '\n') + 1;
	caret = strchr(source, '\n') + 1;
	while (--line)
		of = strchr(of, '\n') + 1;
	shown = strspn(caret, " ");
	if (!nd_starts(source + 4, "…")) { /* else it is cut on its left */
		assert_int_equal(shown + 1 - 4, column);
		assert_memory_equal(source + 4, of, strcspn(of, "\n"));
	}
	assert_int_equal(caret[shown], '^');
	return strchr(caret, '\n') + 1;
}

static inline void check_rules(const struct rule_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct rule_row *r = &rows[i];
		struct nd_buf file = {0}, said = {0};
		struct loaded l;

		if (r->whole)
			nd_buf_puts(&file, r->whole);
		else
			nd_buf_printf(&file, "%s%s%s%s%s%s", HEAD, r->top ? r->top : "", TREE,
				      r->tree ? r->tree : ASK END, CAUSES,
				      r->causes ? r->causes : CAUSE);
		open_loaded(&l);
		add_loaded(&l, "f", nd_buf_str(&file));
		check_loaded(&l);
		for (const char *at = nd_buf_str(&l.messages); *at;)
			at = take_message(at, nd_buf_str(&file), &said);
		if (strcmp(nd_buf_str(&said), r->want) != 0)
			fail_msg("%s says\n%s\nexpected\n%s", r->name, nd_buf_str(&said), r->want);
		assert_int_equal(l.errors == 0, *r->want == '\0');
		close_loaded(&l);
		nd_buf_free(&file);
		nd_buf_free(&said);
	}
}
#endif
