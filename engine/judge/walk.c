/* Walking a tree: the answers, what each made unreachable, and the word that follows from them. */
#include "engine/judge/walk.h"

#include <math.h>

/* Lists that are being walked, innermost last; each with the node that comes next. */
struct stack {
	const struct nd_nodes *list[64];
	uint32_t next[64];
	uint32_t n;
};

static uint64_t reachable(const struct stack *s)
{
	uint64_t out = 0;
	bool ends = false;

	for (uint32_t i = s->n; i-- > 0 && !ends;)
		out |= nd_reach(s->list[i], s->next[i], &ends);
	return out;
}

static void lose(struct nd_walk *w, uint64_t before, uint64_t after, enum nd_fate fate, uint32_t at,
		 const char *because)
{
	for (uint32_t u = 0; u < w->tree->n_uses; u++) {
		if (!(before >> u & 1) || after >> u & 1 || w->lost[u].fate != ND_FATE_NONE)
			continue;
		w->lost[u] = (struct nd_lost){fate, at, because};
	}
}

static void lower(struct nd_walk *w, int cap, const char *why)
{
	if (cap == ND_NO_CAP || (w->cap != ND_NO_CAP && w->cap <= cap))
		return;
	w->cap = cap;
	w->cap_why = why;
}

static bool any_stale(const struct nd_used_list *l, bool *doubted)
{
	bool stale = false;

	for (uint32_t i = 0; i < l->n; i++) {
		stale = stale || nd_used_stale(&l->v[i]);
		*doubted = *doubted || l->v[i].distrusted;
	}
	return stale;
}

/* A sentence of the walk. */
static const char *say(const struct nd_ctext *t, struct nd_eval *e)
{
	return t && !e->run->trial ? nd_render_sentences(t, e) : NULL;
}

/* Which causes could follow a yes, given what comes behind the question. */
static uint64_t after_yes(const struct nd_branch *yes, const struct stack *s)
{
	bool ends;
	uint64_t out = nd_branch_reach(yes, &ends);

	return ends ? out : out | reachable(s);
}

/* An unknown that no fact is to blame for, such as a share of too few events: the question itself says why. */
static void blame_question(struct nd_eval *e, const char *test, const struct nd_result *r)
{
	const struct nd_used_list *used = e->used;
	struct nd_used u = {.what = ND_USED_QUESTION, .on = e->self, .key = test, .value = *r};

	for (uint32_t i = 0; i < used->n; i++) {
		if (nd_used_unknown(&used->v[i]))
			return;
	}
	nd_use(e, &u);
}

static struct nd_answered *ask(struct nd_walk *w, const struct nd_node *n, const struct stack *s,
			       struct nd_eval *e)
{
	struct nd_used_list *used = &e->run->used;
	struct nd_answered *a;
	struct nd_result r;
	const struct nd_branch *b;

	if (w->n_path == w->cap_path) {
		struct nd_answered *more = nd_work(e, (w->cap_path * 2 + 3) * sizeof(*more));

		if (w->n_path)
			memcpy(more, w->path, w->n_path * sizeof(*more));
		w->path = more;
		w->cap_path = w->cap_path * 2 + 3;
	}
	a = &w->path[w->n_path++];
	*a = (struct nd_answered){.node = n};
	used->n = 0;
	e->used = e->run->silent ? NULL : used;
	a->answer = e->run->silent ? nd_ask_quickly(n->test, e) : nd_ask(n->test, e, &r);
	if (a->answer == ND_UNKNOWN && !e->run->silent)
		blame_question(e, n->test_text, &r);
	if (!e->run->trial)
		a->used = nd_used_keep(e->run, used, &a->n_used);
	e->used = NULL;
	a->stale = any_stale(used, &a->doubted);
	b = &n->branch[a->answer];
	a->chose = a->answer == ND_NO &&
		   (b->way == ND_WAY_GO || b->way == ND_WAY_CONCLUDE || b->way == ND_WAY_LIST);
	a->could = e->run->trial ? 0 : after_yes(&n->branch[ND_YES], s);
	a->says = say(b->says, e);
	return a;
}

/* Follows a branch. False: the walk ends here. */
static bool follow(struct nd_walk *w, const struct nd_answered *a, struct stack *s, uint64_t before,
		   struct nd_eval *e)
{
	const struct nd_branch *b = &a->node->branch[a->answer];
	bool doubtful = a->answer == ND_UNKNOWN || (a->answer == ND_NO && a->doubted);
	enum nd_fate fate = doubtful ? ND_FATE_OPEN : ND_FATE_RULED_OUT;
	uint32_t at = w->n_path - 1;

	lower(w, b->cap, a->says || b->cap == ND_NO_CAP ? a->says : say(a->node->ask, e));
	switch (b->way) {
	case ND_WAY_OPEN: lose(w, before, 0, ND_FATE_OPEN, at, NULL); return false;
	case ND_WAY_RULE_OUT: lose(w, before, 0, fate, at, say(b->because, e)); return false;
	case ND_WAY_CONCLUDE:
		lose(w, before, 1ull << b->use, fate, at, a->says);
		w->found = (int)b->use;
		return false;
	case ND_WAY_GO: /* no return */
	case ND_WAY_LIST:
		s->n = b->way == ND_WAY_GO ? 0 : s->n;
		s->list[s->n] = b->list;
		s->next[s->n++] = 0;
		break;
	case ND_WAY_NEXT: break;
	}
	lose(w, before, reachable(s), fate, at, a->says);
	return true;
}

static void conclude(struct nd_walk *w, const struct nd_node *n, struct nd_eval *e)
{
	struct nd_result r;

	w->found = (int)n->use;
	if (!n->entity)
		return;
	r = nd_eval(n->entity, e);
	if (r.t == ND_R_ENTITY)
		w->about = r.id;
}

static void walk_nodes(struct nd_walk *w, struct nd_eval *e)
{
	struct stack s = {.n = 1};

	s.list[0] = &w->tree->nodes;
	while (s.n) {
		uint32_t top = s.n - 1;
		const struct nd_node *n;
		const struct nd_answered *a;
		uint64_t before;

		if (s.next[top] >= s.list[top]->n) {
			s.n--;
			continue;
		}
		n = &s.list[top]->v[s.next[top]];
		if (n->conclusion) {
			conclude(w, n, e);
			return;
		}
		before = reachable(&s);
		s.next[top]++;
		a = ask(w, n, &s, e);
		if (!follow(w, a, &s, before, e) || s.n >= 63)
			return;
	}
}

/* ---- the word ---- */

/* Does this answer count for the cause, or did it merely choose the way to it? */
static bool counts(const struct nd_answered *a, int use)
{
	return !a->chose && !(a->answer == ND_UNKNOWN && !(a->could >> use & 1));
}

/* False: nothing said yes. */
static bool word_of(struct nd_walk *w)
{
	bool any_yes = false, requires_yes = true, fresh = false, old = false;

	w->supports = 0;
	for (uint32_t i = 0; i < w->n_path; i++) {
		const struct nd_answered *a = &w->path[i];
		bool yes = a->answer == ND_YES;

		any_yes = any_yes || yes;
		if (!counts(a, w->found))
			continue;
		if (a->node->grade == ND_SUPPORTS) {
			w->supports += yes - (a->answer == ND_NO);
			continue;
		}
		requires_yes = requires_yes && (yes || a->node->grade != ND_REQUIRES);
		fresh = fresh || (yes && a->node->grade == ND_DECIDES && !a->stale);
		old = old || (yes && a->stale);
	}
	w->word = !requires_yes || (old && !fresh) ? ND_SUSPECTED
		  : fresh && !old		   ? ND_CONFIRMED
						   : ND_LIKELY;
	if (w->cap != ND_NO_CAP && (int)w->word > w->cap)
		w->word = (enum nd_word)w->cap;
	else
		w->cap_why = NULL;
	return any_yes;
}

static double number_or_nan(const struct nd_code *c, struct nd_eval *e)
{
	struct nd_result r;

	if (!c)
		return NAN;
	r = nd_eval(c, e);
	return r.t == ND_R_NUMBER ? r.num : NAN;
}

/* A number of the symptom, if the user stated it or it was measured. */
static bool symptom(struct nd_run *run, const char *name, double *out)
{
	nd_fact_id id = nd_registry_find(nd_facts_registry(run->f), ND_SYMPTOM, name);
	struct nd_value v;

	if (id < 0)
		return false;
	v = nd_get(run->f, nd_entity_find(run->f, ND_SYMPTOM, ""), id, ND_BARE);
	*out = v.type == ND_V_NUMBER ? v.num : NAN;
	return v.type == ND_V_NUMBER;
}

/* What share of the symptom it can explain: 1 when no symptom is known ("size not checked"). */
static void size_up(struct nd_walk *w, const struct nd_use *u, struct nd_eval *e)
{
	double excess, percentile, fit = 1;

	w->delay = number_or_nan(u->delay, e);
	w->touches = number_or_nan(u->touches, e);
	w->share = number_or_nan(u->share, e);
	w->fit = NAN;
	if (!u->delay && !u->touches)
		return;
	if (u->delay && symptom(e->run, "excess", &excess) && excess > 0)
		fit *= isnan(w->delay) ? NAN : fmin(1, w->delay / excess);
	if (u->touches && symptom(e->run, "percentile", &percentile) && percentile < 1)
		fit *= isnan(w->touches) ? NAN : fmin(1, w->touches / (1 - percentile));
	w->fit = fit;
}

static bool refuted(struct nd_walk *w, const struct nd_use *u, struct nd_eval *e)
{
	for (uint32_t i = 0; i < u->n_refutes; i++) {
		const struct nd_refute *r = &u->refutes[i];
		struct nd_result v;
		enum nd_answer a = nd_ask(r->test, e, &v);
		const char *because = nd_render(r->because, e);

		if (a == ND_NO)
			continue;
		if (a == ND_UNKNOWN) {
			lower(w, ND_LIKELY,
			      nd_arena_printf(
				      e->run->arena,
				      "it could not be checked whether this speaks against it: %s",
				      because));
			continue;
		}
		if (r->cap != ND_NO_CAP) {
			lower(w, r->cap, because);
			continue;
		}
		w->lost[w->found] = (struct nd_lost){ND_FATE_RULED_OUT, UINT32_MAX, because};
		w->found = -1;
		return true;
	}
	return false;
}

static bool has_unknown(const struct nd_walk *w)
{
	for (uint32_t i = 0; i < w->n_path; i++) {
		if (w->path[i].answer == ND_UNKNOWN)
			return true;
	}
	return false;
}

static void settle(struct nd_walk *w, struct nd_eval *e)
{
	const struct nd_use *u = &w->tree->uses[w->found];

	w->alone = (struct nd_item){.id = w->about, .detail = ""};
	e->found = &w->alone;
	e->n_found = 1;
	if (refuted(w, u, e))
		return;
	if (!word_of(w)) {
		w->lost[w->found] =
			(struct nd_lost){has_unknown(w) ? ND_FATE_OPEN : ND_FATE_RULED_OUT,
					 w->n_path ? w->n_path - 1 : UINT32_MAX, NULL};
		w->found = -1;
		return;
	}
	size_up(w, u, e);
}

/* What it is that the gate does not know. */
static void explain_gate(struct nd_walk *w, struct nd_eval *e)
{
	struct nd_result r;

	e->run->used.n = 0;
	e->used = &e->run->used;
	nd_ask(w->tree->when, e, &r);
	blame_question(e, w->tree->when_text, &r);
	e->used = NULL;
	w->gate = nd_used_keep(e->run, &e->run->used, &w->n_gate);
}

struct nd_eval nd_walk_eval(struct nd_run *run, const struct nd_walk *w)
{
	struct nd_eval e = {.run = run,
			    .rule = w->tree->rule,
			    .rule_index = w->rule_index,
			    .self = w->self,
			    .element = ND_NO_ENTITY};

	e.visits = w->visits;
	e.place = w->place;
	e.places = w->places;
	e.found = w->n_members ? w->members : &w->alone;
	e.n_found = w->n_members ? w->n_members : w->found >= 0;
	return e;
}

const struct nd_use *nd_walk_use(const struct nd_walk *w)
{
	return w->found < 0 ? NULL : &w->tree->uses[w->found];
}

void nd_walk(struct nd_run *run, struct nd_walk *w, enum nd_answer gate)
{
	struct nd_eval e;

	*w = (struct nd_walk){.tree = w->tree,
			      .rule_index = w->rule_index,
			      .self = w->self,
			      .about = w->self,
			      .place = w->place,
			      .places = w->places,
			      .found = -1,
			      .cap = ND_NO_CAP,
			      .visits = w->visits};
	w->delay = w->touches = w->share = w->fit = NAN;
	w->gated = gate == ND_NO;
	w->unexamined = gate == ND_UNKNOWN;
	e = nd_walk_eval(run, w);
	w->lost = nd_work(&e, (w->tree->n_uses + 1) * sizeof(*w->lost));
	e.lets = nd_work(&e, (w->tree->n_lets + 1) * sizeof(*e.lets));
	if (gate == ND_UNKNOWN && !run->trial)
		explain_gate(w, &e);
	if (gate != ND_YES)
		return;
	walk_nodes(w, &e);
	if (w->found >= 0 && !run->trial)
		settle(w, &e);
}
