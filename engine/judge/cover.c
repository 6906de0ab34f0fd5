/* What the tests of a rule reach: which answers they give to its questions, and how its causes fare.
 *
 * The judge counts entities that end alike instead of walking them, so the trees are walked here once more. */
#include "engine/judge/judge.h"
#include "engine/rule/func.h"
#include "engine/judge/ruletest.h"

static void add_branch(struct nd_cover *c, struct nd_cover_branch b, const struct nd_yaml *at)
{
	for (uint32_t i = 0; i < c->n_branches; i++) { /* a tree with several scopes */
		if (c->at[i] == at && c->branches[i].answer == b.answer)
			return;
	}
	if (c->n_branches == c->cap_branches) {
		uint32_t cap = c->cap_branches * 2 + 32;

		c->branches = nd_realloc(c->branches, cap * sizeof(*c->branches));
		c->at = nd_realloc(c->at, cap * sizeof(*c->at));
		c->cap_branches = cap;
	}
	c->at[c->n_branches] = at;
	c->branches[c->n_branches++] = b;
}

/* Can the question be unknown at all? Not what is known to have a value in the end. */
static bool can_be_unknown(const struct nd_code *c)
{
	if (c->op == ND_O_AND || c->op == ND_O_OR)
		return can_be_unknown(c->a) || can_be_unknown(c->b);
	if (c->op == ND_O_NOT)
		return can_be_unknown(c->a);
	if (c->op != ND_O_CALL)
		return true;
	if (c->func->id == ND_F_COALESCE)
		return c->args[c->n_args - 1]->op != ND_O_BOOL;
	return c->func->id != ND_F_PRESENT && c->func->id != ND_F_ABSENT;
}

static bool can_be(const struct nd_code *test, enum nd_answer a)
{
	return a != ND_UNKNOWN || !test || can_be_unknown(test);
}

static void add_nodes(struct nd_cover *c, const struct nd_tree *t, const struct nd_nodes *list)
{
	for (uint32_t i = 0; i < list->n; i++) {
		const struct nd_node *n = &list->v[i];
		const struct nd_yaml *ask = nd_yaml_get(n->yaml, "ask");

		for (int a = ND_NO; a <= ND_UNKNOWN && !n->conclusion; a++) {
			struct nd_cover_branch b = {.tree = t->name,
						    .line = n->yaml->line,
						    .answer = (enum nd_answer)a};

			b.ask = ask && ask->type == ND_YAML_TEXT ? ask->text : n->test_text;
			if (can_be(n->test, b.answer))
				add_branch(c, b, n->yaml);
			if (n->branch[a].way == ND_WAY_LIST)
				add_nodes(c, t, n->branch[a].list);
		}
	}
}

static void add_tree(struct nd_cover *c, const struct nd_tree *t)
{
	const struct nd_yaml *when = nd_yaml_get(t->yaml, "when");

	for (int a = ND_NO; a <= ND_UNKNOWN && when; a++) {
		if (!can_be(t->when, (enum nd_answer)a))
			continue;
		add_branch(c,
			   (struct nd_cover_branch){.tree = t->name,
						    .ask = t->when_text,
						    .line = when->line,
						    .gate = true,
						    .answer = (enum nd_answer)a},
			   when);
	}
	add_nodes(c, t, &t->nodes);
	for (uint32_t i = 0; i < t->n_branches; i++)
		add_nodes(c, t, &t->branches[i]);
}

static struct nd_cover_cause *cause_of(struct nd_cover *c, const char *name)
{
	for (uint32_t i = 0; i < c->n_causes; i++) {
		if (strcmp(c->causes[i].cause, name) == 0)
			return &c->causes[i];
	}
	ND_GROW(c->causes, c->n_causes, c->cap_causes);
	c->causes[c->n_causes] = (struct nd_cover_cause){.cause = name};
	return &c->causes[c->n_causes++];
}

struct nd_cover *nd_cover_new(const struct nd_rule *r)
{
	struct nd_cover *c = nd_alloc(sizeof(*c));

	for (uint32_t i = 0; i < r->n_trees; i++) {
		add_tree(c, &r->trees[i]);
		for (uint32_t u = 0; u < r->trees[i].n_uses; u++)
			cause_of(c, r->trees[i].uses[u].name);
	}
	return c;
}

void nd_cover_free(struct nd_cover *c)
{
	if (!c)
		return;
	free(c->branches);
	free(c->at);
	free(c->causes);
	free(c);
}

/* ---- watching a test ---- */

static void take(struct nd_cover *c, const struct nd_yaml *at, enum nd_answer a)
{
	for (uint32_t i = 0; i < c->n_branches; i++) {
		if (c->at[i] == at && c->branches[i].answer == a)
			c->branches[i].times++;
	}
}

static void see_walk(struct nd_cover *c, const struct nd_walk *w)
{
	for (uint32_t i = 0; i < w->n_path; i++)
		take(c, w->path[i].node->yaml, w->path[i].answer);
	for (uint32_t u = 0; u < w->tree->n_uses; u++) {
		struct nd_cover_cause *cause = cause_of(c, w->tree->uses[u].name);
		enum nd_fate fate = w->lost[u].fate;

		cause->concluded = cause->concluded || (w->found == (int)u && fate == ND_FATE_NONE);
		cause->quiet = cause->quiet || (fate == ND_FATE_RULED_OUT && w->n_path > 0);
		cause->open = cause->open || fate == ND_FATE_OPEN;
	}
}

/* Did an answer rule a cause out? */
static bool rules_out(const struct nd_walk *w)
{
	uint32_t u = 0;

	while (u < w->tree->n_uses && w->lost[u].fate != ND_FATE_RULED_OUT)
		u++;
	return w->n_path > 0 && u < w->tree->n_uses;
}

void nd_cover_see(struct nd_cover *c, struct nd_run *run, uint32_t rule)
{
	const struct nd_rule *r = run->rules->rules[rule];
	bool ruled_out = false, found = false;

	for (uint32_t i = 0; i < r->n_trees; i++) {
		const struct nd_tree *t = &r->trees[i];
		uint32_t n;
		const nd_id *ids = nd_entities(run->f, t->scope, &n);
		nd_id *all = nd_arena_alloc(run->arena, (n + 1) * sizeof(*all));

		if (n)
			memcpy(all, ids, n * sizeof(*all)); /* log lines may name new ones */
		for (uint32_t k = 0; k < n; k++) {
			struct nd_walk w = {.tree = t,
					    .rule_index = rule,
					    .self = all[k],
					    .visits = &run->visits[rule]};
			struct nd_eval e = nd_walk_eval(run, &w);
			enum nd_answer gate = ND_YES;

			e.lets = nd_work(&e, (t->n_lets + 1) * sizeof(*e.lets));
			if (t->when) {
				gate = nd_ask_quickly(t->when, &e);
				take(c, nd_yaml_get(t->yaml, "when"), gate);
			}
			nd_walk(run, &w, gate);
			see_walk(c, &w);
			ruled_out = ruled_out || rules_out(&w);
			found = found || (w.found >= 0 && w.lost[w.found].fate == ND_FATE_NONE);
		}
	}
	c->found_nothing = c->found_nothing || (ruled_out && !found);
}
