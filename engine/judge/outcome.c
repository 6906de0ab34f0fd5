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

static struct nd_eval remark_eval(struct nd_run *run, const struct nd_rule *rule,
				  uint32_t rule_index, const struct nd_remark *m, nd_id on,
				  uint64_t *visits)
{
	struct nd_eval e = {.run = run,
			    .rule = rule,
			    .rule_index = rule_index,
			    .self = on,
			    .element = ND_NO_ENTITY,
			    .visits = visits};

	e.lets = nd_work(&e, (m->n_lets + 1) * sizeof(*e.lets));
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

static void add_hit(struct nd_remark_hit **hits, uint32_t *n, uint32_t *cap,
		    struct nd_remark_hit hit)
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

static void ask_remark(struct nd_run *run, struct nd_outcome *o, uint32_t rule_index,
		       const struct nd_remark *m, bool contradiction)
{
	const struct nd_rule *rule = run->rules->rules[rule_index];
	uint64_t *visits = nd_arena_alloc(run->arena,
					  sizeof(*visits)); /* its address is its own in this run */
	uint32_t n;
	nd_id *ids = ids_of(run, m->scope, &n);

	for (uint32_t i = 0; i < n; i++) {
		struct nd_remark_hit hit = {
			.remark = m, .rule = rule, .rule_index = rule_index, .on = ids[i]};
		struct nd_eval e;

		nd_arena_reset(&run->scratch);
		run->work = &run->scratch;
		e = remark_eval(run, rule, rule_index, m, ids[i], visits);
		if (nd_ask_quickly(m->test, &e) != ND_YES)
			continue;
		hit.says = nd_render_sentences(m->says, &e);
		if (contradiction) {
			distrust(run, m, ids[i]);
			add_hit(&o->contradictions, &o->n_contradictions, &o->cap_contradictions,
				hit);
		} else {
			add_hit(&o->notes, &o->n_notes, &o->cap_notes, hit);
		}
	}
	run->work = NULL;
}

/* Two walks of one tree that left the same behind: no finding, and the same answers to the same questions. */
static bool same_end(const struct nd_walk *a, const struct nd_walk *b)
{
	if (a->found >= 0 || b->found >= 0 || a->gated != b->gated ||
	    a->unexamined != b->unexamined || a->n_path != b->n_path)
		return false;
	for (uint32_t i = 0; i < a->n_path; i++) {
		if (a->path[i].node != b->path[i].node || a->path[i].answer != b->path[i].answer)
			return false;
	}
	for (uint32_t u = 0; u < a->tree->n_uses; u++) {
		if (a->lost[u].fate != b->lost[u].fate || a->lost[u].at != b->lost[u].at)
			return false;
	}
	return true;
}

static void keep_walk(struct nd_run *run, struct nd_outcome *o, const struct nd_walk *w,
		      enum nd_answer gate)
{
	ND_GROW(o->walks, o->n_walks, o->cap_walks);
	o->walks[o->n_walks] = *w;
	nd_walk(run, &o->walks[o->n_walks++], gate);
}

/* Most entities end like one before them: those are only counted. Others are walked again, now for the record. from: the
 * first walk of the tree. */
static void walk_one(struct nd_run *run, struct nd_outcome *o, uint32_t from, struct nd_walk *w,
		     enum nd_answer gate)
{
	uint64_t before = *w->visits, after;

	run->work = &run->scratch;
	run->trial = true;
	run->silent =
		run->n_distrusted == 0; /* a no that rests on distrusted facts ends otherwise */
	nd_walk(run, w, gate);
	run->trial = run->silent = false;
	run->work = NULL;
	for (uint32_t i = from; i < o->n_walks; i++) {
		if (same_end(&o->walks[i], w)) {
			o->walks[i].others++;
			return;
		}
	}
	after = *w->visits;
	*w->visits = before;
	keep_walk(run, o, w, gate);
	*w->visits = after > *w->visits ? after : *w->visits;
}

static void walk_all(struct nd_run *run, struct nd_outcome *o, struct nd_walk *w, const nd_id *ids,
		     uint32_t n)
{
	struct nd_eval e = nd_walk_eval(run, w);
	uint32_t from = o->n_walks, gated = UINT32_MAX;

	w->places = e.places = n > 1 ? n : 0;
	for (uint32_t i = 0; i < n; i++) {
		enum nd_answer gate = ND_YES;

		nd_arena_reset(&run->scratch);
		e.self = w->self = ids[i];
		e.place = w->place = i;
		if (w->tree->when) {
			run->work = &run->scratch;
			gate = nd_ask_quickly(w->tree->when, &e);
			run->work = NULL;
		}
		if (gate == ND_NO && gated != UINT32_MAX) {
			o->walks[gated].others++;
			continue;
		}
		if (gate == ND_NO)
			gated = o->n_walks;
		if (gate == ND_NO ||
		    o->n_walks - from <=
			    (gated != UINT32_MAX)) /* there is none yet that it could be like */
			keep_walk(run, o, w, gate);
		else
			walk_one(run, o, from, w, gate);
	}
}

static void walk_tree(struct nd_run *run, struct nd_outcome *o, uint32_t rule_index,
		      const struct nd_tree *t, uint64_t *visits)
{
	struct nd_status status = nd_kind_status(run->f, t->scope);
	struct nd_walk w = {.tree = t, .rule_index = rule_index, .visits = visits};
	uint32_t n;
	nd_id *ids = ids_of(run, t->scope, &n);

	if (n == 0 && status.why != ND_PRESENT) {
		ND_GROW(o->unread, o->n_unread, o->cap_unread);
		o->unread[o->n_unread].tree = t;
		o->unread[o->n_unread].rule_index = rule_index;
		o->unread[o->n_unread++].status = status;
		return;
	}
	walk_all(run, o, &w, ids, n);
}

/* Matches the patterns that name entities: what only the log knows of is then walked as well. */
static void name_logged(struct nd_run *run)
{
	for (uint32_t i = 0; i < run->rules->n_logs; i++) {
		const struct nd_log_pattern *p = run->rules->logs[i];
		bool names = false;

		for (uint32_t g = 0; g < p->n_groups; g++)
			names = names || p->group_kinds[g] != ND_NO_KIND;
		if (names)
			nd_log_rows_of(run, i);
	}
}

void nd_judge_run(struct nd_run *run, uint32_t only, struct nd_outcome *o)
{
	const struct nd_rules *rules = run->rules;
	uint64_t *visits = nd_arena_alloc(run->arena, (rules->n + 1) * sizeof(*visits));

	run->visits = visits;
	run->views = nd_arena_alloc(
		run->arena, (nd_registry_count(nd_facts_registry(run->f)) * ND_ACCESSORS + 1) *
				    sizeof(struct nd_view *));
	run->memos = nd_arena_alloc(run->arena, (rules->n_memos + 1) * sizeof(*run->memos));
	name_logged(run);
	for (uint32_t i = 0; i < rules->n; i++) {
		for (uint32_t k = 0;
		     k < rules->rules[i]->n_contradictions && (only == UINT32_MAX || only == i);
		     k++)
			ask_remark(run, o, i, &rules->rules[i]->contradictions[k], true);
	}
	nd_run_forget(run); /* now some facts are distrusted */
	for (uint32_t i = 0; i < rules->n; i++) {
		for (uint32_t k = 0;
		     k < rules->rules[i]->n_trees && (only == UINT32_MAX || only == i); k++)
			walk_tree(run, o, i, &rules->rules[i]->trees[k], &visits[i]);
	}
	nd_rank(run, o);
	for (uint32_t i = 0; i < rules->n; i++) {
		for (uint32_t k = 0;
		     k < rules->rules[i]->n_notes && (only == UINT32_MAX || only == i); k++)
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
