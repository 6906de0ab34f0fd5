/* Trees: nodes and branches from YAML, and that every way through them ends. */
#include "engine/rule/rule.h"

static const char *const answer_keys[] = {"if_no", "if_yes", "if_unknown"};

enum { NO, YES, UNKNOWN };
enum { REQUIRES, SUPPORTS, DECIDES };

struct builder {
	struct nd_loader *l;
	struct nd_tree *tree;
	struct nd_scope scope;
};

static void load_nodes(struct builder *b, const struct nd_yaml *y, struct nd_nodes *out);

static uint32_t use_of(struct builder *b, const struct nd_yaml *y)
{
	struct nd_tree *t = b->tree;

	if (y->type != ND_YAML_TEXT) {
		nd_say(b->l, y, 0, "expected the name of a cause");
		return 0;
	}
	for (uint32_t i = 0; i < t->n_uses; i++) {
		if (strcmp(t->uses[i].name, y->text) == 0)
			return i;
	}
	if (t->n_uses == ND_MAX_USES) {
		nd_say(b->l, y, 0, "more than %d causes in one tree", ND_MAX_USES);
		return 0;
	}
	if (t->n_uses == t->cap_uses) {
		struct nd_use *more =
			nd_arena_alloc(&b->l->rules->arena, (t->cap_uses * 2 + 2) * sizeof(*more));

		if (t->n_uses)
			memcpy(more, t->uses, t->n_uses * sizeof(*more));
		t->uses = more;
		t->cap_uses = t->cap_uses * 2 + 2;
	}
	t->uses[t->n_uses] = (struct nd_use){.name = y->text, .about_kind = ND_NO_KIND};
	return t->n_uses++;
}

/* Its texts and tests speak of one kind of entity. */
static void concludes_on(struct builder *b, const struct nd_yaml *y, uint32_t use,
			 enum nd_kind kind)
{
	struct nd_use *u = &b->tree->uses[use];

	if (use >= b->tree->n_uses)
		return;
	if (u->about_kind != ND_NO_KIND && u->about_kind != kind)
		nd_say(b->l, y, 0, "%s is concluded about %s here, about %s before", u->name,
		       nd_kinds[kind].name, nd_kinds[u->about_kind].name);
	u->about_kind = kind;
}

static struct nd_nodes *find_branch(struct nd_tree *t, const char *name)
{
	for (uint32_t i = 0; i < t->n_branches; i++) {
		if (strcmp(t->branches[i].name, name) == 0)
			return &t->branches[i];
	}
	return NULL;
}

static void branch_list(struct builder *b, const struct nd_yaml *y, struct nd_branch *out)
{
	out->way = ND_WAY_LIST;
	out->list = nd_arena_alloc(&b->l->rules->arena, sizeof(*out->list));
	load_nodes(b, y, out->list);
}

static void branch_go(struct builder *b, const struct nd_yaml *y, struct nd_branch *out)
{
	out->way = ND_WAY_GO;
	out->go = y->text;
	out->list = y->type == ND_YAML_TEXT ? find_branch(b->tree, y->text) : NULL;
	if (!out->list) {
		nd_say(b->l, y, 0, "no branch of this name under branches");
		out->way = ND_WAY_OPEN;
		return;
	}
	out->list->used = true;
}

static void branch_map(struct builder *b, const struct nd_yaml *y, struct nd_branch *out)
{
	const struct nd_yaml *go = nd_yaml_get(y, "go"), *list = nd_yaml_get(y, "do");
	const struct nd_yaml *conclude = nd_yaml_get(y, "conclude"),
			     *out_ = nd_yaml_get(y, "rule_out");
	const struct nd_yaml *cap = nd_yaml_get(y, "cap"), *says = nd_yaml_get(y, "says");

	if (!nd_keys(b->l, y, &nd_section_branch))
		return;
	if (!!go + !!list + !!conclude + !!out_ > 1)
		nd_say(b->l, y, 0,
		       "more than one way on: choose one of go, do, conclude, rule_out");
	if (cap)
		out->cap = nd_word_of(b->l, cap, nd_words_cap);
	out->says = says ? nd_ctext_of(b->l, says, &b->scope, false) : NULL;
	if (go) {
		branch_go(b, go, out);
	} else if (list) {
		branch_list(b, list, out);
	} else if (conclude) {
		out->way = ND_WAY_CONCLUDE;
		out->use = use_of(b, conclude);
		concludes_on(b, conclude, out->use, b->tree->scope);
	} else if (out_) {
		out->way = ND_WAY_RULE_OUT;
		out->because = nd_ctext_of(b->l, out_, &b->scope, false);
	}
}

static void load_branch(struct builder *b, const struct nd_yaml *y, struct nd_branch *out)
{
	static const char *const words[] = {"next", "open", NULL};

	if (y->type == ND_YAML_LIST)
		branch_list(b, y, out);
	else if (y->type == ND_YAML_MAP)
		branch_map(b, y, out);
	else
		out->way = nd_word_of(b->l, y, words) == 1 ? ND_WAY_OPEN : ND_WAY_NEXT;
}

static bool has_strong(const struct nd_nodes *list)
{
	for (uint32_t i = 0; i < list->n; i++) {
		if (!list->v[i].conclusion && list->v[i].grade != SUPPORTS)
			return true;
	}
	return false;
}

/* What the grade forbids its branches to do. */
static void check_branches(struct builder *b, const struct nd_node *n, const struct nd_yaml *y)
{
	const struct nd_branch *no = &n->branch[NO], *unknown = &n->branch[UNKNOWN];

	if (n->branch[YES].way == ND_WAY_RULE_OUT)
		nd_say(b->l, nd_yaml_get(y, "if_yes"), 0,
		       "yes speaks for the cause: turn the question round");
	if (unknown->way == ND_WAY_RULE_OUT)
		nd_say(b->l, nd_yaml_get(y, "if_unknown"), 0,
		       "unknown rules nothing out: use open or next");
	if (n->grade == SUPPORTS) {
		for (unsigned i = 0; i < 3; i++) {
			if (n->branch[i].way != ND_WAY_NEXT)
				nd_say(b->l, nd_yaml_get(y, answer_keys[i]), 0,
				       "a supports question goes on, whatever the answer; one that ends or turns the walk requires or decides");
		}
		return;
	}
	if (!nd_yaml_get(y, "if_no"))
		nd_say(b->l, y, 0,
		       "if_no is missing: a question that requires or decides says what no does");
	else if (no->way == ND_WAY_NEXT)
		nd_say(b->l, nd_yaml_get(y, "if_no"), 0,
		       "if_no goes on: then the question only supports");
	else if (no->way == ND_WAY_LIST && !has_strong(no->list) && !nd_list_ends(no->list))
		nd_say(b->l, nd_yaml_get(y, "if_no"), 0,
		       "if_no leads on without another requires or decides: then the question only supports");
}

/* A derived fact brings its own wording. */
static const char *own_wording(const struct nd_code *test)
{
	return test && test->op == ND_O_DERIVED ? test->derived->ask : NULL;
}

static struct nd_ctext *plain_text(struct nd_loader *l, const char *text)
{
	struct nd_ctext *t = nd_arena_alloc(&l->rules->arena, sizeof(*t));

	t->pieces = nd_arena_alloc(&l->rules->arena, sizeof(*t->pieces));
	t->pieces[0] = (struct nd_text_piece){.literal = text, .digits = -1};
	t->n = 1;
	return t;
}

static void load_question(struct builder *b, const struct nd_yaml *y, struct nd_node *n)
{
	const struct nd_yaml *ask = nd_yaml_get(y, "ask"), *test = nd_yaml_get(y, "test"),
			     *grade = nd_yaml_get(y, "grade");

	if (!test) {
		nd_say(b->l, y, 0, "test is missing: a node has a test, or it concludes");
		return;
	}
	n->test = nd_question_of(b->l, test, &b->scope);
	n->test_text = test->type == ND_YAML_TEXT ? test->text : "";
	if (ask)
		n->ask = nd_ctext_of(b->l, ask, &b->scope, false);
	else if (own_wording(n->test))
		n->ask = plain_text(b->l, own_wording(n->test));
	else
		nd_say(b->l, y, 0,
		       "ask is missing: the question in words, put so that yes speaks for the cause");
	if (grade)
		n->grade = nd_word_of(b->l, grade, nd_words_grade);
	n->grade = n->grade < 0 ? REQUIRES : n->grade;
	for (unsigned i = 0; i < 3; i++) {
		const struct nd_yaml *at = nd_yaml_get(y, answer_keys[i]);

		n->branch[i].cap = ND_NO_CAP;
		if (at)
			load_branch(b, at, &n->branch[i]);
		else if (i == UNKNOWN && n->grade != SUPPORTS)
			n->branch[i].way = ND_WAY_OPEN;
	}
	check_branches(b, n, y);
}

static void load_conclusion(struct builder *b, const struct nd_yaml *y, struct nd_node *n)
{
	static const char *const asking[] = {"ask",   "test",	"grade",
					     "if_no", "if_yes", "if_unknown"};
	const struct nd_yaml *entity = nd_yaml_get(y, "entity"),
			     *cause = nd_yaml_get(y, "conclude");

	for (size_t i = 0; i < ND_ARRAY_LEN(asking); i++) {
		if (nd_yaml_get(y, asking[i]))
			nd_say(b->l, nd_yaml_get(y, asking[i]), 0,
			       "a node that concludes asks nothing");
	}
	n->conclusion = true;
	n->use = use_of(b, cause);
	if (!entity) {
		concludes_on(b, cause, n->use, b->tree->scope);
		return;
	}
	n->entity = nd_code_of(b->l, entity, &b->scope);
	if (!n->entity)
		return;
	if (n->entity->type.t != ND_X_ENTITY || n->entity->type.kind == ND_NO_KIND)
		nd_say(b->l, entity, 0, "expected one entity, such as argmax(cpus, time.soft)");
	else
		concludes_on(b, entity, n->use, n->entity->type.kind);
}

static void load_nodes(struct builder *b, const struct nd_yaml *y, struct nd_nodes *out)
{
	if (y->type != ND_YAML_LIST || y->n == 0) {
		nd_say(b->l, y, 0, "expected a list of nodes");
		return;
	}
	if (y->n > 64) {
		nd_say(b->l, y, 0, "%u nodes, at most 64 stand in one list", y->n);
		return;
	}
	out->v = nd_arena_alloc(&b->l->rules->arena, y->n * sizeof(*out->v));
	out->yaml = y;
	for (uint32_t i = 0; i < y->n; i++) {
		struct nd_node *n = &out->v[out->n];

		if (!nd_keys(b->l, y->items[i], &nd_section_node))
			continue;
		n->yaml = y->items[i];
		out->n++;
		if (!nd_yaml_get(y->items[i], "conclude")) {
			load_question(b, y->items[i], n);
			continue;
		}
		load_conclusion(b, y->items[i], n);
		if (i + 1 < y->n)
			nd_say(b->l, y->items[i + 1], 0,
			       "nothing reaches this node: the one before it concludes");
	}
}

static void load_branches(struct builder *b, const struct nd_yaml *y)
{
	struct nd_tree *t = b->tree;

	if (!y || y->type != ND_YAML_MAP) {
		if (y)
			nd_say(b->l, y, 0, "branches: names and lists of nodes");
		return;
	}
	t->branches = nd_arena_alloc(&b->l->rules->arena, (y->n + 1) * sizeof(*t->branches));
	t->n_branches = y->n; /* all names first: a go may lead forward */
	for (uint32_t i = 0; i < y->n; i++)
		t->branches[i] = (struct nd_nodes){.name = y->keys[i]->text, .yaml = y->keys[i]};
	for (uint32_t i = 0; i < y->n; i++) {
		load_nodes(b, y->items[i], &t->branches[i]);
		t->branches[i].yaml = y->keys[i];
	}
}

/* The wording for this kind of scope, or the general one. */
static struct nd_cause *cause_for(struct nd_rule *r, const struct nd_tree *t, const char *name)
{
	struct nd_cause *general = NULL;

	for (uint32_t i = 0; i < r->n_causes; i++) {
		struct nd_cause *c = &r->causes[i];

		if (strcmp(c->base, name) != 0)
			continue;
		if (c->variant && strcmp(c->variant, nd_kinds[t->scope].name) == 0)
			return c;
		if (!c->variant)
			general = c;
	}
	return general;
}

static void load_uses(struct builder *b)
{
	struct nd_tree *t = b->tree;

	for (uint32_t i = 0; i < t->n_uses; i++) {
		struct nd_cause *c = cause_for(b->l->rule, t, t->uses[i].name);
		struct nd_scope s = b->scope;

		if (!c) {
			nd_say(b->l, t->yaml, 0,
			       "cause %s is concluded, but not declared under causes",
			       t->uses[i].name);
			continue;
		}
		c->concluded = true;
		t->uses[i].cause = c;
		s.about_kind = t->uses[i].about_kind;
		nd_load_use(b->l, t, &t->uses[i], &s);
	}
}

void nd_load_tree(struct nd_loader *l, struct nd_rule *r, const struct nd_yaml *y, const char *name,
		  enum nd_kind scope)
{
	struct nd_tree *t = &r->trees[r->n_trees];
	const struct nd_yaml *nodes = nd_yaml_get(y, "tree"), *when = nd_yaml_get(y, "when");
	struct builder b = {.l = l, .tree = t};

	*t = (struct nd_tree){.name = name, .rule = r, .scope = scope, .yaml = y};
	if (y != r->yaml && !nd_keys(l, y, &nd_section_tree))
		return;
	if (!nodes) {
		nd_say(l, y, 0, "tree is missing");
		return;
	}
	r->n_trees++;
	nd_load_lets(l, r->yaml, y, &t->lets, &t->n_lets);
	b.scope = nd_scope_of(l, scope, t->lets, t->n_lets);
	if (when) {
		t->when = nd_question_of(l, when, &b.scope);
		t->when_text = when->type == ND_YAML_TEXT ? when->text : "";
	}
	load_branches(&b, nd_yaml_get(y, "branches"));
	load_nodes(&b, nodes, &t->nodes);
	for (uint32_t i = 0; i < t->n_branches;
	     i++) /* a go may have been met before its list was read */
		t->branches[i].yaml = nd_yaml_get(y, "branches")->keys[i];
	nd_check_shape(l, t);
	load_uses(&b);
}
