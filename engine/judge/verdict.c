/* What was not found: ruled out, open, not examined; and what follows from it all. */
#include "engine/judge/assemble.h"

#include <math.h>

/* The walk that came nearest to a cause that it did not conclude. */
struct lost_cause {
	const char *cause;
	const struct nd_walk *walk;
	uint32_t use;
	uint32_t others;
};
struct lost_causes {
	struct lost_cause *v;
	uint32_t n, cap;
};

static uint32_t depth_of(const struct nd_walk *w, uint32_t use)
{
	return w->lost[use].at == UINT32_MAX ? w->n_path : w->lost[use].at;
}

/* A longer path came nearer; of equals, one whose values are not all zero would be as good as any: the first stays. */
static void add_lost(struct lost_causes *l, const struct nd_walk *w, uint32_t use)
{
	const char *name = w->tree->uses[use].name;

	for (uint32_t i = 0; i < l->n; i++) {
		struct lost_cause *c = &l->v[i];

		if (strcmp(c->cause, name) != 0)
			continue;
		c->others += 1 + w->others;
		if (depth_of(w, use) > depth_of(c->walk, c->use)) {
			c->walk = w;
			c->use = use;
		}
		return;
	}
	ND_GROW(l->v, l->n, l->cap);
	l->v[l->n++] =
		(struct lost_cause){.cause = name, .walk = w, .use = use, .others = w->others};
}

static void collect(const struct nd_outcome *o, enum nd_fate fate, struct lost_causes *l)
{
	for (uint32_t i = 0; i < o->n_walks; i++) {
		for (uint32_t u = 0; u < o->walks[i].tree->n_uses; u++) {
			if (o->walks[i].lost[u].fate == fate &&
			    !nd_outcome_names(o, o->walks[i].tree->uses[u].name))
				add_lost(l, &o->walks[i], u);
		}
	}
}

static bool in_list(const struct lost_causes *l, const char *name)
{
	for (uint32_t i = 0; i < l->n; i++) {
		if (strcmp(l->v[i].cause, name) == 0)
			return true;
	}
	return false;
}

static const char *dup(struct nd_run *run, const char *s)
{
	return s ? nd_arena_strdup(run->arena, s) : NULL;
}

/* The fact's name without its kind: the entity stands before it or is the one that the sentence is about. */
static const char *short_name(struct nd_run *run, const struct nd_walk *w, const struct nd_used *u)
{
	const char *name = nd_used_name(run, w->tree->rule, u), *dot = strchr(name, '.');

	return dot ? dot + 1 : name;
}

/* "no: queue.max 0, backlog 128": for causes whose rule has no sentence of its own. */
static const char *plain_reason(struct nd_run *run, const struct nd_walk *w,
				const struct nd_answered *a)
{
	struct nd_buf b = {0};
	uint32_t shown = 0;
	const char *out;

	nd_buf_puts(&b, a->answer == ND_YES ? "yes" : "no");
	for (uint32_t i = 0; i < a->n_used && shown < 3; i++) {
		const struct nd_used *u = &a->used[i];
		struct nd_xtype t = {.t = ND_X_NUMBER};

		if (u->what != ND_USED_FACT || u->value.t != ND_R_NUMBER)
			continue;
		nd_unit_dims(nd_accessor_unit(nd_registry_def(nd_facts_registry(run->f), u->id),
					      u->accessor),
			     &t.dims, &t.number);
		nd_buf_printf(&b, "%s%s%s%s ", shown ? ", " : ": ",
			      u->on == w->self ? "" : nd_used_entity(run, u),
			      u->on == w->self ? "" : " ", short_name(run, w, u));
		nd_render_value(&b, &u->value, &t, run);
		shown++;
	}
	out = dup(run, nd_buf_str(&b));
	nd_buf_free(&b);
	return out;
}

static void ruled_out(struct nd_run *run, const struct lost_causes *l,
		      const struct lost_causes *open, struct nd_findings *out)
{
	struct nd_ruled_out *v = nd_arena_alloc(run->arena, (l->n + 1) * sizeof(*v));

	for (uint32_t i = 0; i < l->n; i++) {
		const struct nd_walk *w = l->v[i].walk;
		const struct nd_lost *lost = &w->lost[l->v[i].use];
		struct nd_eval e = nd_walk_eval(run, w);
		struct nd_ruled_out *r = &v[out->n_ruled_out];

		if (in_list(open, l->v[i].cause))
			continue;
		*r = (struct nd_ruled_out){.cause = dup(run, l->v[i].cause),
					   .rule = dup(run, w->tree->rule->name),
					   .others = l->v[i].others};
		r->entity = dup(run, nd_entity_name(run->f, w->about));
		r->because = lost->because;
		r->ask = "";
		if (lost->at != UINT32_MAX) {
			const struct nd_answered *a = &w->path[lost->at];

			r->ask = nd_render(a->node->ask, &e);
			r->because = r->because ? r->because : plain_reason(run, w, a);
			r->since_boot = a->stale && !a->doubted;
		}
		out->n_ruled_out++;
	}
	out->ruled_out = v;
}

/* What would decide: the probe, else the line that shows the value, else a second look. */
static const char *next_step(struct nd_run *run, const struct nd_missing_fact *m, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (m[i].probe)
			return nd_arena_printf(run->arena,
					       "the `%s` probe would decide: it gives `%s`",
					       m[i].probe, m[i].fact);
	}
	for (uint32_t i = 0; i < n; i++) {
		if (m[i].why == ND_SINGLE_SNAPSHOT || m[i].why == ND_TOO_FEW_SAMPLES)
			return nd_arena_printf(
				run->arena,
				m[i].why == ND_SINGLE_SNAPSHOT
					? "take a second reading of `%s` some seconds later"
					: "measure longer: too few samples for `%s`",
				m[i].fact);
	}
	for (uint32_t i = 0; i < n; i++) {
		if (m[i].why == ND_MIXED_SPAN)
			return nd_arena_printf(
				run->arena,
				"read all of `%s` twice, some seconds apart: now its values are of different times",
				m[i].fact);
	}
	for (uint32_t i = 0; i < n; i++) {
		if (m[i].why == ND_BUDGET && !*m[i].reproduce)
			return "bound the sets that the rule walks through: it used up its budget of elements";
	}
	for (uint32_t i = 0; i < n; i++) {
		if (*m[i].reproduce)
			return nd_arena_printf(run->arena, "collect `%s`: `%s`", m[i].fact,
					       m[i].reproduce);
	}
	return n ? nd_arena_printf(run->arena, "find out `%s` of `%s`", m[0].fact, m[0].entity)
		 : "";
}

/* What some answer speaks for comes first; else the order stays. */
static void leads_first(struct nd_open *v, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		struct nd_open x = v[i];
		uint32_t k = i;

		for (; k > 0 && v[k - 1].yes == 0 && x.yes > 0; k--)
			v[k] = v[k - 1];
		v[k] = x;
	}
}

static void open_causes(struct nd_run *run, const struct lost_causes *l, struct nd_findings *out)
{
	struct nd_open *v = nd_arena_alloc(run->arena, (l->n + 1) * sizeof(*v));

	for (uint32_t i = 0; i < l->n; i++) {
		const struct nd_walk *w = l->v[i].walk;
		uint32_t at = w->lost[l->v[i].use].at;
		struct nd_eval e = nd_walk_eval(run, w);
		struct nd_open *o = &v[out->n_open++];

		*o = (struct nd_open){.cause = dup(run, l->v[i].cause),
				      .rule = dup(run, w->tree->rule->name),
				      .others = l->v[i].others,
				      .ask = ""};
		o->entity = dup(run, nd_entity_name(run->f, w->about));
		for (uint32_t k = 0; k < w->n_path && k <= at; k++)
			o->yes += w->path[k].answer == ND_YES &&
				  w->path[k].node->grade != ND_SUPPORTS;
		for (uint32_t k = at == UINT32_MAX ? 0 : at + 1; k-- > 0 && !o->n_missing;) {
			/* a no that leaves it open follows an unknown before it */
			const struct nd_answered *a = &w->path[k];

			if (a->answer != ND_UNKNOWN)
				continue;
			o->ask = nd_render(a->node->ask, &e);
			o->missing = nd_missing_facts(run, w->tree->rule, a->used, a->n_used,
						      &o->n_missing);
		}
		if (!*o->ask && at != UINT32_MAX)
			o->ask = nd_render(w->path[at].node->ask, &e);
		o->next = next_step(run, o->missing, o->n_missing);
	}
	leads_first(v, out->n_open);
	out->open = v;
}

/* others: further entities of the tree that stand behind this one. NULL: it is there already. */
static struct nd_unexamined *unexamined_of(struct nd_findings *out, struct nd_unexamined *v,
					   const struct nd_tree *t, uint32_t others,
					   struct nd_run *run)
{
	const char *name = strcmp(t->name, "main") == 0 ? t->rule->name : t->name;

	for (uint32_t i = 0; i < out->n_unexamined; i++) {
		if (strcmp(v[i].rule, t->rule->name) == 0 && strcmp(v[i].tree, name) == 0) {
			v[i].others += 1 + others;
			return NULL;
		}
	}
	v[out->n_unexamined] = (struct nd_unexamined){.rule = dup(run, t->rule->name),
						      .tree = dup(run, name),
						      .core = t->rule->core,
						      .others = others};
	return &v[out->n_unexamined++];
}

static void unexamined(struct nd_run *run, const struct nd_outcome *o, struct nd_findings *out)
{
	struct nd_unexamined *v = nd_arena_alloc(run->arena,
						 (o->n_unread + o->n_walks + 1) * sizeof(*v)),
			     *u;

	for (uint32_t i = 0; i < o->n_unread; i++) {
		struct nd_used kind = {.what = ND_USED_KIND,
				       .id = (int32_t)o->unread[i].tree->scope};

		kind.value = nd_missing_result(o->unread[i].status.why, o->unread[i].status.detail);
		u = unexamined_of(out, v, o->unread[i].tree, 0, run);
		if (u)
			u->missing = nd_missing_facts(run, o->unread[i].tree->rule, &kind, 1,
						      &u->n_missing);
	}
	for (uint32_t i = 0; i < o->n_walks; i++) {
		const struct nd_walk *w = &o->walks[i];

		if (!w->unexamined || !(u = unexamined_of(out, v, w->tree, w->others, run)))
			continue;
		u->entity = dup(run, nd_entity_name(run->f, w->self));
		u->missing =
			nd_missing_facts(run, w->tree->rule, w->gate, w->n_gate, &u->n_missing);
	}
	out->unexamined = v;
}

static struct nd_note *remarks(struct nd_run *run, const struct nd_remark_hit *hits, uint32_t n,
			       uint32_t extra)
{
	struct nd_note *v = nd_arena_alloc(run->arena, (n + extra + 1) * sizeof(*v));

	for (uint32_t i = 0; i < n; i++)
		v[i] = (struct nd_note){
			dup(run, hits[i].remark->name), dup(run, hits[i].rule->name),
			dup(run, nd_entity_name(run->f, hits[i].on)), hits[i].says, hits[i].others};
	return v;
}

static void contradictions(struct nd_run *run, const struct nd_outcome *o, struct nd_findings *out)
{
	uint32_t n;
	const char *const *stored = nd_facts_contradictions(run->f, &n);
	struct nd_note *v = remarks(run, o->contradictions, o->n_contradictions, n);

	for (uint32_t i = 0; i < n; i++)
		v[o->n_contradictions + i] =
			(struct nd_note){"two-sources", "", "host", dup(run, stored[i]), 0};
	out->contradictions = v;
	out->n_contradictions = o->n_contradictions + n;
}

static void count_trees(const struct nd_run *run, struct nd_findings *out)
{
	for (uint32_t i = 0; i < run->rules->n; i++)
		out->of += run->rules->rules[i]->n_trees;
	out->examined = out->of > out->n_unexamined ? out->of - out->n_unexamined : 0;
}

/* What would make the first finding surer: the first unknown on its path that somebody could answer. */
static const char *confirming_step(struct nd_run *run, const struct nd_outcome *o)
{
	const struct nd_walk *w = o->n_found ? o->found[0] : NULL;

	if (!w || w->word == ND_CONFIRMED)
		return NULL;
	for (unsigned strong = 0; strong < 2;
	     strong++) { /* what decides or is required comes first */
		for (uint32_t i = 0; i < w->n_path; i++) {
			const struct nd_answered *a = &w->path[i];
			struct nd_missing_fact *m;
			uint32_t n;

			if (a->answer != ND_UNKNOWN ||
			    (a->node->grade == ND_SUPPORTS) != (strong == 1))
				continue;
			m = nd_missing_facts(run, w->tree->rule, a->used, a->n_used, &n);
			if (n)
				return next_step(run, m, n);
		}
	}
	return NULL;
}

/* Can anybody ever answer it here? What the host's kernel or driver does not offer, and nothing speaks for, is a blind
 * spot of this host: it is listed, and no host with such a card would ever be healthy if it counted. */
static bool is_blind_spot(const struct nd_open *x)
{
	for (uint32_t i = 0; i < x->n_missing; i++) {
		if (x->missing[i].why != ND_NOT_ON_THIS_KERNEL)
			return false;
	}
	return x->yes == 0 && x->n_missing > 0;
}

static void decide(struct nd_run *run, const struct nd_outcome *o, struct nd_findings *out)
{
	bool core_missing = false;
	uint32_t open = 0;
	const struct nd_finding *first = out->n_findings ? &out->findings[0] : NULL;

	for (uint32_t i = 0; i < out->n_unexamined; i++)
		core_missing = core_missing || out->unexamined[i].core;
	for (uint32_t i = 0; i < out->n_open; i++)
		open += !is_blind_spot(&out->open[i]);
	out->verdict = first || open || core_missing ? ND_INCONCLUSIVE : ND_HEALTHY;
	for (uint32_t i = 0; first && i < out->n_findings; i++) {
		if (first[i].word >= ND_LIKELY)
			out->verdict = ND_CAUSES;
	}
	if (first)
		out->headline = nd_arena_printf(run->arena, "%s on %s (%s)", first->cause,
						first->entity, nd_word_name(first->word));
	else if (open)
		out->headline = nd_arena_printf(
			run->arena,
			"no cause found, %u could not be ruled out; %u of %u trees could be examined",
			open, out->examined, out->of);
	else
		out->headline = nd_arena_printf(run->arena,
						"no cause found; %u of %u trees could be examined",
						out->examined, out->of);
	out->next = confirming_step(run, o);
	for (uint32_t i = 0; !out->next && out->verdict == ND_INCONCLUSIVE && i < out->n_open;
	     i++) {
		if (!is_blind_spot(&out->open[i]))
			out->next = out->open[i].next;
	}
	for (uint32_t i = 0; !out->next && out->verdict == ND_INCONCLUSIVE && i < out->n_unexamined;
	     i++) {
		if (out->unexamined[i].n_missing)
			out->next = next_step(run, out->unexamined[i].missing,
					      out->unexamined[i].n_missing);
	}
}

void nd_assemble_rest(struct nd_run *run, const struct nd_outcome *o, struct nd_findings *out)
{
	struct lost_causes gone = {0}, open = {0};

	collect(o, ND_FATE_OPEN, &open);
	collect(o, ND_FATE_RULED_OUT, &gone);
	ruled_out(run, &gone, &open, out);
	open_causes(run, &open, out);
	unexamined(run, o, out);
	out->notes = remarks(run, o->notes, o->n_notes, 0);
	out->n_notes = o->n_notes;
	contradictions(run, o, out);
	count_trees(run, out);
	decide(run, o, out);
	free(gone.v);
	free(open.v);
}
