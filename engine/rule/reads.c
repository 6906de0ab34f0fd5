/* Collects what checked expressions read.
 *
 * A threshold is known by the constant that it was compiled to: the checker hands out the same node wherever
 * the name is used. Lets and derived facts are entered once, so shared expressions cost nothing. */
#include "engine/rule/reads.h"

static void add_fact(struct nd_reads *r, nd_fact_id fact, enum nd_accessor a)
{
	for (uint32_t i = 0; i < r->n_facts; i++) {
		if (r->facts[i].fact == fact) {
			r->facts[i].accessors |= 1u << a;
			return;
		}
	}
	ND_GROW(r->facts, r->n_facts, r->cap_facts);
	r->facts[r->n_facts++] = (struct nd_read_fact){fact, 1u << a};
}

static void add_param(struct nd_reads *r, const struct nd_param *p)
{
	for (uint32_t i = 0; i < r->n_params; i++) {
		if (r->params[i] == p)
			return;
	}
	ND_GROW(r->params, r->n_params, r->cap_params);
	r->params[r->n_params++] = p;
}

static void find_param(struct nd_reads *r, const struct nd_code *c, const struct nd_param *params,
		       uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (params[i].code == c)
			add_param(r, &params[i]);
	}
}

static void add_log(struct nd_reads *r, uint32_t index)
{
	for (uint32_t i = 0; i < r->n_logs; i++) {
		if (r->logs[i] == index)
			return;
	}
	ND_GROW(r->logs, r->n_logs, r->cap_logs);
	r->logs[r->n_logs++] = index;
}

static void add_tally(struct nd_reads *r, uint32_t index)
{
	for (uint32_t i = 0; i < r->n_tallies; i++) {
		if (r->tallies[i] == index)
			return;
	}
	ND_GROW(r->tallies, r->n_tallies, r->cap_tallies);
	r->tallies[r->n_tallies++] = index;
}

/* False: it was entered before. */
static bool add_let(struct nd_reads *r, const struct nd_let *let)
{
	for (uint32_t i = 0; i < r->n_lets; i++) {
		if (r->lets[i] == let)
			return false;
	}
	ND_GROW(r->lets, r->n_lets, r->cap_lets);
	r->lets[r->n_lets++] = let;
	return true;
}

static bool add_derived(struct nd_reads *r, const struct nd_derived *d)
{
	for (uint32_t i = 0; i < r->n_derived; i++) {
		if (r->derived[i] == d)
			return false;
	}
	ND_GROW(r->derived, r->n_derived, r->cap_derived);
	r->derived[r->n_derived++] = d;
	return true;
}

void nd_reads_code(struct nd_reads *r, const struct nd_code *c)
{
	if (!c)
		return;
	if (r->rule)
		find_param(r, c, r->rule->params, r->rule->n_params);
	for (uint32_t i = 0; i < r->n_derived; i++)
		find_param(r, c, r->derived[i]->library->params, r->derived[i]->library->n_params);
	if (c->op == ND_O_FACT)
		add_fact(r, c->fact, c->accessor);
	if (c->op == ND_O_LOG)
		add_log(r, (uint32_t)c->index);
	if (c->op == ND_O_TALLY)
		add_tally(r, (uint32_t)c->index);
	if (c->op == ND_O_LET && add_let(r, c->let))
		nd_reads_code(r, c->let->code);
	if (c->op == ND_O_DERIVED && add_derived(r, c->derived))
		nd_reads_code(r, c->derived->code);
	nd_reads_code(r, c->a);
	nd_reads_code(r, c->b);
	for (uint32_t i = 0; i < c->n_args; i++)
		nd_reads_code(r, c->args[i]);
}

void nd_reads_text(struct nd_reads *r, const struct nd_ctext *t)
{
	for (uint32_t i = 0; t && i < t->n; i++)
		nd_reads_code(r, t->pieces[i].code);
}

static void add_nodes(struct nd_reads *r, const struct nd_nodes *list)
{
	for (uint32_t i = 0; i < list->n; i++) {
		const struct nd_node *n = &list->v[i];

		nd_reads_code(r, n->test);
		nd_reads_code(r, n->entity);
		nd_reads_text(r, n->ask);
		for (unsigned k = 0; k < 3 && !n->conclusion; k++) {
			nd_reads_text(r, n->branch[k].because);
			nd_reads_text(r, n->branch[k].says);
			if (n->branch[k].way == ND_WAY_LIST)
				add_nodes(r, n->branch[k].list);
		}
	}
}

void nd_reads_tree(struct nd_reads *r, const struct nd_tree *t)
{
	nd_reads_code(r, t->when);
	add_nodes(r, &t->nodes);
	for (uint32_t i = 0; i < t->n_branches; i++)
		add_nodes(r, &t->branches[i]);
}

static void add_fix(struct nd_reads *r, const struct nd_fix_rule *f)
{
	const struct nd_ctext *const texts[] = {f->title, f->risk,    f->disrupts, f->other, f->run,
						f->undo,  f->persist, f->restart,  f->advice};

	for (uint32_t i = 0; i < f->n_loops; i++)
		nd_reads_code(r, f->loop_sets[i]);
	for (size_t i = 0; i < ND_ARRAY_LEN(texts); i++)
		nd_reads_text(r, texts[i]);
	nd_reads_code(r, f->when);
	nd_reads_code(r, f->verify);
	nd_reads_code(r, f->inside);
	for (uint32_t i = 0; i < f->n_sysctls; i++) {
		nd_reads_text(r, f->sysctls[i].key);
		nd_reads_code(r, f->sysctls[i].value);
	}
}

static void add_use(struct nd_reads *r, const struct nd_use *u)
{
	nd_reads_text(r, u->title);
	nd_reads_text(r, u->because);
	nd_reads_text(r, u->share_of);
	nd_reads_code(r, u->delay);
	nd_reads_code(r, u->touches);
	nd_reads_code(r, u->share);
	nd_reads_code(r, u->worst_by);
	for (uint32_t i = 0; i < u->n_refutes; i++) {
		nd_reads_code(r, u->refutes[i].test);
		nd_reads_text(r, u->refutes[i].because);
	}
	for (uint32_t i = 0; i < u->n_fixes; i++)
		add_fix(r, &u->fixes[i]);
}

static void add_remarks(struct nd_reads *r, const struct nd_remark *m, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		nd_reads_code(r, m[i].test);
		nd_reads_text(r, m[i].says);
	}
}

void nd_reads_rule(struct nd_reads *r, const struct nd_rule *rule)
{
	r->rule = rule;
	for (uint32_t i = 0; i < rule->n_trees; i++)
		nd_reads_tree(r, &rule->trees[i]);
	for (uint32_t i = 0; i < rule->n_trees; i++) {
		for (uint32_t u = 0; u < rule->trees[i].n_uses; u++)
			add_use(r, &rule->trees[i].uses[u]);
	}
	for (uint32_t i = 0; i < rule->n_tallies; i++)
		nd_reads_code(r, rule->tallies[i].where);
	add_remarks(r, rule->notes, rule->n_notes);
	add_remarks(r, rule->contradictions, rule->n_contradictions);
}

void nd_reads_free(struct nd_reads *r)
{
	free(r->facts);
	free(r->params);
	free(r->lets);
	free(r->derived);
	free(r->logs);
	free(r->tallies);
}
