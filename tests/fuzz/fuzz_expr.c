/* Any text as an expression, a range or a text with holes: parsed, checked against every fact that exists, evaluated.
 *
 * The first byte chooses the kind of the walked entity and what is read. What the checker promises of the type holds for
 * the value, the same question gets the same answer twice, and the quick way of asking agrees with the thorough one. */
#include "engine/judge/eval.h"
#include "engine/rule/expr_match.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/store.h"

enum reading { AS_EXPRESSION, AS_RANGE, AS_TEXT, READINGS };

struct world {
	struct store store;
	struct nd_rules *rules;
	uint32_t n_patterns;
};

static struct world *world(void)
{
	static struct world w;
	struct nd_buf messages = {0};

	if (w.rules)
		return &w;
	store_open(&w.store);
	w.rules = nd_rules_new(w.store.registry);
	for (const struct nd_rules_file *b = nd_rules_builtin; b->path; b++) {
		if (strstr(b->path, "/lib/"))
			nd_rules_add_text(w.rules, b->path, b->text, b->len, &messages);
	}
	FUZZ_CHECK(nd_rules_check(w.rules, &messages) == 0);
	nd_buf_free(&messages);
	w.n_patterns = w.rules->n_patterns;
	return &w;
}

static bool value_fits(const struct nd_code *c, const struct nd_result *r)
{
	if (r->t == ND_R_MISSING)
		return r->why != ND_PRESENT && r->why < ND_MISSINGS && r->detail;
	if (r->t == ND_R_ABSENT)
		return true;
	switch (c->type.t) {
	case ND_X_NUMBER: return r->t == ND_R_NUMBER && r->num == r->num;
	case ND_X_BOOL: return r->t == ND_R_BOOL;
	case ND_X_TEXT:
	case ND_X_WORDS:
	case ND_X_SAFE: return r->t == ND_R_TEXT && r->text;
	case ND_X_ENTITY: return r->t == ND_R_ENTITY;
	case ND_X_SET: return r->t == ND_R_SET;
	case ND_X_LIST: return r->t == ND_R_LIST;
	case ND_X_HIST: return r->t == ND_R_HIST && r->hist;
	case ND_X_RANGE: return r->t == ND_R_RANGE;
	}
	return false;
}

static void evaluate(struct world *w, const struct nd_code *c, nd_id self, struct nd_arena *arena)
{
	struct nd_run run = {.rules = w->rules, .f = w->store.facts, .arena = arena};
	uint64_t visits = 0;
	struct nd_eval e = {.run = &run,
			    .self = self,
			    .element = ND_NO_ENTITY,
			    .used = &run.used,
			    .visits = &visits};
	struct nd_result first = nd_eval(c, &e), second = nd_eval(c, &e), asked;

	FUZZ_CHECK(value_fits(c, &first));
	FUZZ_CHECK(first.t == second.t && (first.t != ND_R_NUMBER || first.num == second.num));
	if (c->type.t == ND_X_BOOL && visits < ND_MAX_VISITS / 4)
		FUZZ_CHECK(nd_ask(c, &e, &asked) == nd_ask_quickly(c, &e));
	for (uint32_t i = 0; i < run.used.n; i++) {
		nd_used_stale(&run.used.v[i]);
		nd_used_unknown(&run.used.v[i]);
	}
	nd_run_free(&run);
}

static void check(struct world *w, const struct nd_expr *x, enum nd_kind kind, const char *text,
		  struct nd_arena *arena)
{
	struct nd_scope s = {
		.rules = w->rules, .arena = arena, .this_kind = kind, .about_kind = ND_NO_KIND};
	struct nd_expr_error e = {.pos = UINT32_MAX};
	struct nd_code *c = nd_check(x, &s, &e);

	if (!c) {
		FUZZ_CHECK(*e.msg && e.pos <= strlen(text));
		return;
	}
	nd_code_finish(c, &s);
	for (uint32_t k = 0; kind != ND_NO_KIND && k < STORE_ENTITIES; k++)
		evaluate(w, c, w->store.ids[kind][k], arena);
	if (kind == ND_NO_KIND)
		evaluate(w, c, ND_NO_ENTITY, arena);
}

static void check_text(struct world *w, const char *text, enum nd_kind kind, struct nd_arena *arena)
{
	struct nd_expr_error e = {.pos = UINT32_MAX};
	struct nd_text t = {0};

	if (!nd_text_parse(arena, text, &t, &e)) {
		FUZZ_CHECK(*e.msg && e.pos <= strlen(text));
		return;
	}
	for (uint32_t i = 0; i < t.n; i++) {
		FUZZ_CHECK(!t.parts[i].literal == !!t.parts[i].expr);
		FUZZ_CHECK(t.parts[i].pos <= strlen(text));
		if (t.parts[i].expr)
			check(w, t.parts[i].expr, kind, text, arena);
	}
}

static void check_expr(struct world *w, const char *text, bool range, enum nd_kind kind,
		       struct nd_arena *arena)
{
	struct nd_expr_error e = {.pos = UINT32_MAX};
	const struct nd_expr *x = nd_expr_parse(arena, text, range, &e);

	if (x)
		check(w, x, kind, text, arena);
	else
		FUZZ_CHECK(*e.msg && e.pos <= strlen(text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct world *w = world();
	struct nd_arena arena = {0};
	enum nd_kind kind;
	enum reading how;
	char *text;

	if (size == 0)
		return 0;
	kind = (enum nd_kind)(data[0] % (ND_KINDS + 1));
	how = (enum reading)(data[0] / (ND_KINDS + 1) % READINGS);
	text = fuzz_text(data + 1, size - 1);
	if (how == AS_TEXT)
		check_text(w, text, kind, &arena);
	else
		check_expr(w, text, how == AS_RANGE, kind, &arena);
	while (w->rules->n_patterns > w->n_patterns)
		nd_pattern_free(w->rules->patterns[--w->rules->n_patterns]);
	nd_arena_free(&arena);
	free(text);
	return 0;
}
