/* What the ways through a tree tell: conclusions that nothing speaks for, questions and caps without effect; and the
 * questions of causes and their fixes. */
#include "engine/rule/lint.h"

enum { NO, YES, UNKNOWN };
enum { REQUIRES, SUPPORTS, DECIDES };
enum { SUSPECTED, LIKELY };

/* The questions that were asked on the way here, the last one first. */
struct way {
	const struct nd_node *node;
	const struct way *before;
};
struct walk {
	struct nd_lint *l;
	const struct nd_tree *tree;
	uint32_t decides; /* questions of the tree */
};

static const char *const answer_keys[] = {"if_no", "if_yes", "if_unknown"};

static uint32_t count_decides(const struct nd_nodes *list)
{
	uint32_t out = 0;

	for (uint32_t i = 0; i < list->n; i++) {
		const struct nd_node *n = &list->v[i];

		out += !n->conclusion && n->grade == DECIDES;
		for (unsigned k = 0; k < 3 && !n->conclusion; k++) {
			if (n->branch[k].way == ND_WAY_LIST)
				out += count_decides(n->branch[k].list);
		}
	}
	return out;
}

/* ---- a question ---- */

static bool same_end(const struct nd_branch *a, const struct nd_branch *b)
{
	return a->way == b->way && a->cap == b->cap && !a->says && !b->says &&
	       a->way != ND_WAY_LIST && a->way != ND_WAY_RULE_OUT && a->use == b->use &&
	       a->list == b->list;
}

static void check_question(struct walk *w, const struct nd_node *n, const struct way *before)
{
	const struct nd_yaml *test = nd_yaml_get(n->yaml, "test");

	nd_lint_question(w->l, n->test, test, false);
	if (nd_lint_constant(n->test)) {
		nd_lint_warn(w->l, test, 0, "this asks no fact: its answer never changes");
		return;
	}
	for (; before; before = before->before) {
		if (strcmp(before->node->test_text, n->test_text) != 0)
			continue;
		nd_lint_warn(w->l, test, 0,
			     "this question changes nothing: line %u has asked it on the way here",
			     before->node->yaml->line);
		return;
	}
	if (n->grade == REQUIRES && same_end(&n->branch[NO], &n->branch[YES]) &&
	    same_end(&n->branch[NO], &n->branch[UNKNOWN]))
		nd_lint_warn(
			w->l, n->yaml, 0,
			"this question changes nothing: every answer leads to the same place; as a hint it has grade: supports");
}

/* ---- caps ---- */

/* Causes that can be concluded after an answer; `behind` are those of what comes behind the question. */
static uint64_t after(const struct nd_branch *b, uint64_t behind)
{
	bool ends;
	uint64_t out = nd_branch_reach(b, &ends);

	return ends ? out : out | behind;
}

/* Why the cap of a branch has no effect, or NULL. */
static const char *idle_cap(const struct walk *w, const struct nd_node *n, unsigned answer,
			    uint64_t behind)
{
	const struct nd_branch *b = &n->branch[answer];
	bool counts = answer == UNKNOWN && n->grade != SUPPORTS &&
		      !(after(b, behind) & ~after(&n->branch[YES], behind));

	if (b->way == ND_WAY_OPEN || b->way == ND_WAY_RULE_OUT)
		return "the walk ends here without a finding";
	if (b->cap == LIKELY && w->decides == 0)
		return "no question of this tree decides, so that no finding is more than likely";
	if (counts && n->grade == REQUIRES)
		return "an unknown of a question that is required does as much";
	if (counts && b->cap == LIKELY && w->decides == 1)
		return "an unknown of the only question that decides does as much";
	return NULL;
}

static void check_caps(struct walk *w, const struct nd_node *n, uint64_t behind)
{
	for (unsigned k = 0; k < 3; k++) {
		const char *why;

		if (n->branch[k].cap == ND_NO_CAP)
			continue;
		why = idle_cap(w, n, k, behind);
		if (why)
			nd_lint_warn(w->l, nd_yaml_get(nd_yaml_get(n->yaml, answer_keys[k]), "cap"),
				     0, "this cap changes nothing: %s", why);
	}
}

/* ---- lists ---- */

/* strong: a question that requires or decides was asked before. behind: causes that can be concluded behind the list. */
static void check_list(struct walk *w, const struct nd_nodes *list, bool strong, uint64_t behind,
		       const struct way *before)
{
	struct way ways[64]; /* as many nodes stand in a list at most */

	for (uint32_t i = 0; i < list->n && i < ND_ARRAY_LEN(ways); i++) {
		const struct nd_node *n = &list->v[i];
		bool ends;
		uint64_t rest;

		if (n->conclusion) {
			if (!strong)
				nd_lint_error(
					w->l, nd_lint_key(n->yaml, "conclude"), 0,
					"nothing speaks for %s here: a question that requires or decides must come before it",
					w->tree->uses[n->use].name);
			return;
		}
		rest = nd_reach(list, i + 1, &ends);
		rest |= ends ? 0 : behind;
		check_question(w, n, before);
		check_caps(w, n, rest);
		ways[i] = (struct way){n, before};
		before = &ways[i];
		strong = strong || n->grade != SUPPORTS;
		for (unsigned k = 0; k < 3; k++) {
			if (n->branch[k].way == ND_WAY_LIST)
				check_list(w, n->branch[k].list, strong, rest, before);
		}
	}
}

/* ---- causes ---- */

static void question_of(struct nd_lint *l, const struct nd_code *c, const struct nd_yaml *map,
			const char *key)
{
	const struct nd_yaml *y = nd_yaml_get(map, key);

	if (c && y)
		nd_lint_question(l, c, y, false);
}

static bool is_many(enum nd_kind k)
{
	return k == ND_CPU || k == ND_QUEUE || k == ND_IRQ || k == ND_THREAD;
}

static void check_use(struct nd_lint *l, const struct nd_tree *t, const struct nd_use *u)
{
	const struct nd_yaml *refute = nd_cause_key(u->cause, "refute");
	const struct nd_yaml *fix = nd_cause_key(u->cause, "fix");
	enum nd_kind about = u->about_kind == ND_NO_KIND ? t->scope : u->about_kind;

	for (uint32_t i = 0; i < u->n_refutes; i++) {
		question_of(l, u->refutes[i].test, refute->items[i], "test");
		if (nd_lint_constant(u->refutes[i].test))
			nd_lint_warn(l, nd_yaml_get(refute->items[i], "test"), 0,
				     "this asks no fact: its answer never changes");
	}
	for (uint32_t i = 0; i < u->n_fixes; i++) {
		question_of(l, u->fixes[i].when, fix->items[i], "when");
		question_of(l, u->fixes[i].verify, fix->items[i], "verify");
	}
	if (is_many(about) && !nd_cause_key(u->cause, "report"))
		nd_lint_warn(
			l, nd_lint_key(nd_yaml_get(l->rule->yaml, "causes"), u->cause->name), 0,
			"a host has many %s: say whether each is reported, or all together (report: each, or together with worst_by)",
			nd_kinds[about].plural);
}

void nd_lint_tree(struct nd_lint *l, const struct nd_tree *t)
{
	const struct nd_yaml *when = nd_yaml_get(t->yaml, "when");
	struct walk w = {.l = l, .tree = t, .decides = count_decides(&t->nodes)};

	for (uint32_t i = 0; i < t->n_branches; i++)
		w.decides += count_decides(&t->branches[i]);
	if (t->when) {
		nd_lint_question(l, t->when, when, false);
		if (nd_lint_constant(t->when))
			nd_lint_warn(l, when, 0, "this asks no fact: its answer never changes");
	}
	check_list(&w, &t->nodes, false, 0, NULL);
	for (uint32_t i = 0; i < t->n_branches;
	     i++) /* only a question that turns the walk goes there */
		check_list(&w, &t->branches[i], true, 0, NULL);
	for (uint32_t i = 0; i < t->n_uses; i++)
		check_use(l, t, &t->uses[i]);
}
