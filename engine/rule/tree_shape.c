/* The shape of a tree: that every way through it ends, that every node is reached, and which causes lie ahead. */
#include "engine/rule/rule.h"

enum { NO, YES, UNKNOWN };

/* Does every way through it end the walk? A go has no return. */
static bool branch_ends(const struct nd_branch *b)
{
	return b->way == ND_WAY_LIST ? nd_list_ends(b->list) : b->way != ND_WAY_NEXT;
}

static bool node_ends(const struct nd_node *n)
{
	return n->conclusion || (branch_ends(&n->branch[NO]) && branch_ends(&n->branch[YES]) &&
				 branch_ends(&n->branch[UNKNOWN]));
}

bool nd_list_ends(const struct nd_nodes *list)
{
	for (uint32_t i = 0; i < list->n; i++) {
		if (node_ends(&list->v[i]))
			return true;
	}
	return false;
}

uint64_t nd_branch_reach(const struct nd_branch *b, bool *ends)
{
	*ends = b->way != ND_WAY_NEXT;
	if (b->way == ND_WAY_CONCLUDE)
		return 1ull << b->use;
	if (b->way == ND_WAY_LIST)
		*ends = b->list->ends;
	return b->way == ND_WAY_GO || b->way == ND_WAY_LIST ? b->list->reach : 0;
}

uint64_t nd_reach(const struct nd_nodes *list, uint32_t i, bool *ends)
{
	uint64_t out = 0;

	*ends = true;
	for (; i < list->n; i++) {
		const struct nd_node *n = &list->v[i];
		bool all = true, one;

		if (n->conclusion)
			return out | 1ull << n->use;
		for (unsigned k = 0; k < 3; k++) {
			out |= nd_branch_reach(&n->branch[k], &one);
			all = all && one;
		}
		if (all)
			return out;
	}
	*ends = false;
	return out;
}

/* Nodes behind one through which every way ends. */
static void check_reachable(struct nd_loader *l, const struct nd_nodes *list)
{
	for (uint32_t i = 0; i < list->n; i++) {
		for (unsigned k = 0; k < 3 && !list->v[i].conclusion; k++) {
			if (list->v[i].branch[k].way == ND_WAY_LIST)
				check_reachable(l, list->v[i].branch[k].list);
		}
		if (!list->v[i].conclusion && node_ends(&list->v[i]) && i + 1 < list->n) {
			nd_say(l, list->v[i + 1].yaml, 0,
			       "nothing reaches this node: every answer before it ends the walk");
			return;
		}
	}
}

/* What can be reached from each list, once: branches may share others, and walking each way would double with each. */
static void settle(struct nd_nodes *list)
{
	if (list->settled)
		return;
	list->settled = true;
	for (uint32_t i = 0; i < list->n; i++) {
		for (unsigned k = 0; k < 3 && !list->v[i].conclusion; k++) {
			const struct nd_branch *way = &list->v[i].branch[k];

			if (way->way == ND_WAY_GO || way->way == ND_WAY_LIST)
				settle(way->list);
		}
	}
	list->reach = nd_reach(list, 0, &list->ends);
}

/* A branch to which a go leads back while it is being walked, or NULL. */
static const struct nd_nodes *circle(struct nd_nodes *list)
{
	const struct nd_nodes *found = NULL;

	if (list->entered)
		return list->left ? NULL : list;
	list->entered = true;
	for (uint32_t i = 0; i < list->n; i++) {
		for (unsigned k = 0; k < 3 && !list->v[i].conclusion && !found; k++) {
			const struct nd_branch *way = &list->v[i].branch[k];

			if (way->way == ND_WAY_GO || way->way == ND_WAY_LIST)
				found = circle(way->list);
		}
	}
	list->left = true;
	return found;
}

void nd_check_shape(struct nd_loader *l, struct nd_tree *t)
{
	for (uint32_t i = 0; i < t->n_branches; i++) {
		const struct nd_nodes *c = circle(&t->branches[i]);

		if (c) {
			nd_say(l, c->yaml, 0, "go in a circle through branch %s", c->name);
			return; /* the checks below would not end */
		}
	}
	settle(&t->nodes);
	if (!nd_list_ends(&t->nodes))
		nd_say(l, t->nodes.yaml ? t->nodes.yaml : t->yaml, 0,
		       "a way through this tree ends without conclude, rule_out, go or open");
	check_reachable(l, &t->nodes);
	for (uint32_t i = 0; i < t->n_branches; i++) {
		settle(&t->branches[i]);
		if (!t->branches[i].used)
			nd_say(l, t->branches[i].yaml, 0, "no go leads to branch %s",
			       t->branches[i].name);
		if (!nd_list_ends(&t->branches[i]))
			nd_say(l, t->branches[i].yaml, 0,
			       "a way through this branch ends without conclude, rule_out, go or open");
		check_reachable(l, &t->branches[i]);
	}
}
