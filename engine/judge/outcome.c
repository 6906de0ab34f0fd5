/* One run over all rules: contradictions first, then the trees, the ranking, the notes. */
#include "engine/judge/walk.h"

/* Entities of a kind as a copy: log lines may name new ones while we walk. */
static nd_id *ids_of(struct nd_run *run, enum nd_kind kind, uint32_t *n)
{
	const nd_id *ids = nd_entities(run->f, kind, n);
	nd_id *copy = nd_arena_alloc(run->arena, (*n + 1) * sizeof(*copy));

	if (*n)
		memcpy(copy, ids, *n * sizeof(*copy));
	return copy;
}

static struct nd_eval remark_eval(struct nd_run *run, const struct nd_rule *rule, uint32_t rule_index, const struct nd_remark *m, nd_id on, uint64_t *visits)
{
	struct nd_eval e = { .run = run, .rule = rule, .rule_index = rule_index, .self = on, .element = ND_NO_ENTITY, .visits = visits };

	e.lets = nd_arena_alloc(run->arena, (m->n_lets + 1) * sizeof(*e.lets));
	return e;
}

static void distrust(struct nd_run *run, const struct nd_remark *m, nd_id on)
{
	for (uint32_t i = 0; i < m->n_distrust; i++) {
		bool own = m->distrust[i].kind == m->scope && m->scope != ND_HOST;

		ND_GROW(run->distrusted, run->n_distrusted, run->cap_distrusted);
		run->distrusted[run->n_distrusted++] = (struct nd_distrusted){
			.kind = m->distrust[i].kind,
			.on = own ? on : ND_NO_ENTITY,
			.fact = m->distrust[i].fact,
		};
	}
}

static void add_hit(struct nd_remark_hit **hits, uint32_t *n, uint32_t *cap, struct nd_remark_hit hit)
{
	for (uint32_t i = 0; i < *n; i++) {
		if ((*hits)[i].remark == hit.remark) {
			(*hits)[i].others++;
			return;
		}
	}
	ND_GROW(*hits, *n, *cap);
	(*hits)[(*n)++] = hit;
}

static void ask_remark(struct nd_run *run, struct nd_outcome *o, uint32_t rule_index, const struct nd_remark *m, bool contradiction)
{
	const struct nd_rule *rule = run->rules->rules[rule_index];
	uint64_t visits = 0;
	uint32_t n;
	nd_id *ids = ids_of(run, m->scope, &n);

	for (uint32_t i = 0; i < n; i++) {
		struct nd_eval e = remark_eval(run, rule, rule_index, m, ids[i], &visits);
		struct nd_remark_hit hit = { .remark = m, .rule = rule, .rule_index = rule_index, .on = ids[i] };
		struct nd_result r;

		if (nd_ask(m->test, &e, &r) != ND_YES)
			continue;
		hit.says = nd_render(m->says, &e);
		if (contradiction) {
			distrust(run, m, ids[i]);
			add_hit(&o->contradictions, &o->n_contradictions, &o->cap_contradictions, hit);
		} else {
			add_hit(&o->notes, &o->n_notes, &o->cap_notes, hit);
		}
	}
}

static void walk_tree(struct nd_run *run, struct nd_outcome *o, uint32_t rule_index, const struct nd_tree *t, uint64_t *visits)
{
	struct nd_status status = nd_kind_status(run->f, t->scope);
	uint32_t n;
	nd_id *ids = ids_of(run, t->scope, &n);

	if (n == 0 && status.why != ND_PRESENT) {
		ND_GROW(o->unread, o->n_unread, o->cap_unread);
		o->unread[o->n_unread].tree = t;
		o->unread[o->n_unread].rule_index = rule_index;
		o->unread[o->n_unread++].status = status;
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		ND_GROW(o->walks, o->n_walks, o->cap_walks);
		nd_walk(run, t, rule_index, ids[i], visits, &o->walks[o->n_walks++]);
	}
}

void nd_judge_run(struct nd_run *run, uint32_t only, struct nd_outcome *o)
{
	const struct nd_rules *rules = run->rules;
	uint64_t *visits = nd_arena_alloc(run->arena, (rules->n + 1) * sizeof(*visits));

	run->logs = nd_arena_alloc(run->arena, (rules->n + 1) * sizeof(*run->logs));
	for (uint32_t i = 0; i < rules->n; i++) {
		for (uint32_t k = 0; k < rules->rules[i]->n_contradictions && (only == UINT32_MAX || only == i); k++)
			ask_remark(run, o, i, &rules->rules[i]->contradictions[k], true);
	}
	for (uint32_t i = 0; i < rules->n; i++) {
		for (uint32_t k = 0; k < rules->rules[i]->n_trees && (only == UINT32_MAX || only == i); k++)
			walk_tree(run, o, i, &rules->rules[i]->trees[k], &visits[i]);
	}
	nd_rank(run, o);
	for (uint32_t i = 0; i < rules->n; i++) {
		for (uint32_t k = 0; k < rules->rules[i]->n_notes && (only == UINT32_MAX || only == i); k++)
			ask_remark(run, o, i, &rules->rules[i]->notes[k], false);
	}
}

void nd_outcome_free(struct nd_outcome *o)
{
	free(o->walks);
	free(o->unread);
	free(o->notes);
	free(o->contradictions);
}
