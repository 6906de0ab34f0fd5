/* How one cause fared on every entity: the whole walk, also where it ended without a finding.
 *
 * The judge keeps one walk for all entities that end alike, and no values of gates that say no. This walks the
 * trees of the one cause once more, for each entity, and keeps everything; what contradictions and the ranking
 * say comes from a judgement of all rules before. */
#include <math.h>

#include "engine/judge/assemble.h"
#include "engine/judge/judge.h"
#include "engine/rule/reads.h"

struct candidate {
	struct nd_walk w;
	uint32_t use; /* of the tree: the cause that is asked for */
	enum nd_why_end end;
	struct nd_evidence *gate;
	double worst;
	uint32_t order;
};
struct asker {
	struct nd_run run;
	struct nd_outcome o;
	struct nd_why *out;
	struct candidate *v;
	uint32_t n, cap;
};

/* "$dropped = 0.15 %, $drop_share = 0.01%": the names in a question, and their values here. */
static const char *names_of(struct asker *s, const struct nd_walk *w, const struct nd_code *test)
{
	struct nd_reads r = {.rule = w->tree->rule};
	struct nd_eval e = nd_walk_eval(&s->run, w);
	struct nd_buf b = {0};
	const char *out, *sep = "";

	e.lets = nd_work(&e, (w->tree->n_lets + 1) * sizeof(*e.lets));
	nd_reads_code(&r, test);
	for (uint32_t i = 0; i < r.n_lets; i++) {
		struct nd_result v;

		if (r.lets[i]->code->type.t == ND_X_HIST || r.lets[i]->code->type.t == ND_X_RANGE)
			continue;
		v = nd_eval(r.lets[i]->code, &e);
		nd_buf_printf(&b, "%s$%s = ", sep, r.lets[i]->name);
		nd_render_value(&b, &v, &r.lets[i]->code->type, &s->run);
		sep = ", ";
	}
	for (uint32_t i = 0; i < r.n_params; i++) {
		nd_buf_printf(&b, "%s$%s = %s", sep, r.params[i]->name,
			      r.params[i]->set ? r.params[i]->set : r.params[i]->source->text);
		sep = ", ";
	}
	out = nd_arena_strdup(s->run.arena, nd_buf_str(&b));
	nd_buf_free(&b);
	nd_reads_free(&r);
	return out;
}

/* ---- walking ---- */

/* The gate's answer with what it rests on. */
static enum nd_answer ask_gate(struct asker *s, struct nd_walk *w, struct nd_evidence **evidence)
{
	struct nd_eval e = nd_walk_eval(&s->run, w);
	struct nd_used_list used = {0};
	struct nd_node gate = {.test = w->tree->when, .test_text = w->tree->when_text};
	struct nd_answered a = {.node = &gate};
	struct nd_result r;

	if (!w->tree->when)
		return ND_YES;
	e.lets = nd_work(&e, (w->tree->n_lets + 1) * sizeof(*e.lets));
	e.used = &used;
	a.answer = nd_ask(w->tree->when, &e, &r);
	e.used = NULL;
	a.used = nd_used_keep(&s->run, &used, &a.n_used);
	free(used.v);
	*evidence = nd_arena_alloc(s->run.arena, sizeof(**evidence));
	nd_assemble_evidence(&s->run, w, &a, &e, *evidence);
	return a.answer;
}

/* What the ranking made of the walk: its role, and whether another finding replaced it. */
static void take_ranking(const struct asker *s, struct nd_walk *w)
{
	for (uint32_t i = 0; i < s->o.n_walks; i++) {
		const struct nd_walk *x = &s->o.walks[i];

		if (x->tree != w->tree || x->self != w->self || x->found != w->found ||
		    x->found < 0)
			continue;
		w->role = x->role;
		w->dropped = x->dropped;
		w->members = x->members;
		w->n_members = x->n_members;
		w->lost[w->found] = x->lost[x->found];
		return;
	}
}

static double worst_of(struct asker *s, const struct nd_walk *w, const struct nd_use *u)
{
	struct nd_eval e = nd_walk_eval(&s->run, w);
	struct nd_result r;

	if (!u->worst_by)
		return -INFINITY;
	e.lets = nd_work(&e, (w->tree->n_lets + 1) * sizeof(*e.lets));
	r = nd_eval(u->worst_by, &e);
	return r.t == ND_R_NUMBER ? r.num : -INFINITY;
}

static enum nd_why_end end_of(const struct nd_walk *w, uint32_t use)
{
	if (w->gated)
		return ND_WHY_GATED;
	if (w->unexamined)
		return ND_WHY_UNEXAMINED;
	if (w->lost[use].fate == ND_FATE_OPEN)
		return ND_WHY_OPEN;
	return w->found == (int)use && w->lost[use].fate == ND_FATE_NONE ? ND_WHY_FOUND
									 : ND_WHY_RULED_OUT;
}

static void walk_entity(struct asker *s, const struct nd_tree *t, uint32_t rule, uint32_t use,
			nd_id id)
{
	struct candidate *c;
	enum nd_answer gate;

	ND_GROW(s->v, s->n, s->cap);
	c = &s->v[s->n];
	*c = (struct candidate){.use = use, .order = s->n++};
	c->w = (struct nd_walk){.tree = t,
				.rule_index = rule,
				.self = id,
				.about = id,
				.found = -1,
				.visits = &s->run.visits[rule]};
	s->run.visits[rule] = 0; /* nobody waits for these */
	gate = ask_gate(s, &c->w, &c->gate);
	nd_walk(&s->run, &c->w, gate);
	take_ranking(s, &c->w);
	if (!c->w.n_members) {
		c->w.members = nd_arena_alloc(s->run.arena, sizeof(*c->w.members));
		c->w.members[c->w.n_members++] = (struct nd_item){.id = c->w.about, .detail = ""};
	}
	c->end = end_of(&c->w, use);
	c->worst = c->end == ND_WHY_FOUND ? worst_of(s, &c->w, &t->uses[use]) : -INFINITY;
	s->out->ended[c->end]++;
}

static void add_unread(struct asker *s, const struct nd_tree *t, struct nd_status status)
{
	struct nd_why *out = s->out;

	if (out->n_unread == ND_ARRAY_LEN(out->unread))
		return;
	out->unread[out->n_unread].tree = nd_arena_strdup(s->run.arena, t->name);
	out->unread[out->n_unread].rule = nd_arena_strdup(s->run.arena, t->rule->name);
	out->unread[out->n_unread].kind = t->scope;
	out->unread[out->n_unread].why = status.why;
	out->unread[out->n_unread++].detail =
		nd_arena_strdup(s->run.arena, status.detail ? status.detail : "");
}

static void walk_tree(struct asker *s, const struct nd_tree *t, uint32_t rule, uint32_t use)
{
	struct nd_status status = nd_kind_status(s->run.f, t->scope);
	uint32_t n;
	const nd_id *ids = nd_entities(s->run.f, t->scope, &n);
	nd_id *all = nd_arena_alloc(s->run.arena, (n + 1) * sizeof(*all));

	s->out->known = true;
	if (n)
		memcpy(all, ids, n * sizeof(*all)); /* log lines may name new ones */
	else if (status.why != ND_PRESENT)
		add_unread(s, t, status);
	for (uint32_t i = 0; i < n; i++)
		walk_entity(s, t, rule, use, all[i]);
}

/* ---- the order: worst first ---- */

static uint32_t depth_of(const struct candidate *c)
{
	return c->w.lost && c->w.lost[c->use].at != UINT32_MAX ? c->w.lost[c->use].at + 1
							       : c->w.n_path;
}

static int by_worst(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	if (x->end == ND_WHY_FOUND && x->w.word != y->w.word)
		return x->w.word > y->w.word ? -1 : 1;
	if (x->end == ND_WHY_FOUND && x->worst != y->worst)
		return x->worst > y->worst ? -1 : 1;
	if (depth_of(x) != depth_of(y)) /* who came farther was nearer */
		return depth_of(x) > depth_of(y) ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* ---- plain data ---- */

static void fill_found(struct asker *s, const struct candidate *c, struct nd_why_walk *out)
{
	const struct nd_use *u = &c->w.tree->uses[c->use];
	struct nd_eval e = nd_walk_eval(&s->run, &c->w);

	e.lets = nd_work(&e, (c->w.tree->n_lets + 1) * sizeof(*e.lets));
	out->word = c->w.word;
	out->role = c->w.role;
	out->cap = c->w.cap_why;
	out->title = nd_render(u->title, &e);
	out->because = nd_render_sentences(u->because, &e);
	out->about = nd_arena_strdup(s->run.arena, nd_entity_name(s->run.f, c->w.about));
}

static void fill_lost(struct asker *s, const struct candidate *c, struct nd_why_walk *out)
{
	const struct nd_lost *lost = &c->w.lost[c->use];
	const struct nd_use *instead = nd_walk_use(&c->w);

	if (lost->fate != ND_FATE_NONE) {
		out->left = lost->at;
		out->left_because = lost->because;
	}
	if (instead && c->w.found != (int)c->use)
		out->instead = nd_arena_strdup(s->run.arena, instead->name);
}

static void fill(struct asker *s, const struct candidate *c, struct nd_why_walk *out)
{
	const struct nd_walk *w = &c->w;
	struct nd_evidence *path = nd_arena_alloc(s->run.arena, (w->n_path + 1) * sizeof(*path));
	const char **names = nd_arena_alloc(s->run.arena, (w->n_path + 1) * sizeof(*names));
	struct nd_eval e = nd_walk_eval(&s->run, w);

	*out = (struct nd_why_walk){.end = c->end, .left = UINT32_MAX, .gate = c->gate};
	out->rule = nd_arena_strdup(s->run.arena, w->tree->rule->name);
	out->tree = nd_arena_strdup(s->run.arena, w->tree->name);
	out->entity = nd_arena_strdup(s->run.arena, nd_entity_name(s->run.f, w->self));
	out->gate_names = w->tree->when ? names_of(s, w, w->tree->when) : "";
	for (uint32_t i = 0; i < w->n_path; i++) {
		nd_assemble_evidence(&s->run, w, &w->path[i], &e, &path[i]);
		names[i] = names_of(s, w, w->path[i].node->test);
	}
	out->path = path;
	out->names = names;
	out->n_path = w->n_path;
	if (c->end == ND_WHY_FOUND)
		fill_found(s, c, out);
	else if (c->end != ND_WHY_GATED && c->end != ND_WHY_UNEXAMINED)
		fill_lost(s, c, out);
}

struct nd_why *nd_why(const struct nd_rules *rules, struct nd_facts *f, const char *cause,
		      uint32_t max)
{
	struct nd_why *out = nd_alloc(sizeof(*out));
	struct asker s = {.run = {.rules = rules, .f = f, .arena = &out->arena}, .out = out};
	struct nd_why_walk *walks;

	nd_judge_run(&s.run, UINT32_MAX, &s.o);
	for (uint32_t i = 0; i < rules->n; i++) {
		const struct nd_rule *r = rules->rules[i];

		for (uint32_t k = 0; k < r->n_trees; k++) {
			for (uint32_t u = 0; u < r->trees[k].n_uses; u++) {
				if (strcmp(r->trees[k].uses[u].name, cause) == 0)
					walk_tree(&s, &r->trees[k], i, u);
			}
		}
	}
	if (s.n)
		qsort(s.v, s.n, sizeof(*s.v), by_worst);
	walks = nd_arena_alloc(&out->arena, ((size_t)max + 1) * sizeof(*walks));
	for (uint32_t i = 0; i < s.n && i < max; i++)
		fill(&s, &s.v[i], &walks[out->n_walks++]);
	out->walks = walks;
	free(s.v);
	nd_outcome_free(&s.o);
	nd_run_free(&s.run);
	return out;
}

void nd_why_free(struct nd_why *w)
{
	if (!w)
		return;
	nd_arena_free(&w->arena);
	free(w);
}
