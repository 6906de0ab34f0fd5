/* From walks to ranked findings: together, excluded, roles, order. */
#include "engine/judge/walk.h"

#include <math.h>

/* Negative: a is stronger. */
static int strength(const struct nd_walk *a, const struct nd_walk *b)
{
	if (a->word != b->word)
		return (int)b->word - (int)a->word;
	return b->supports - a->supports;
}

static const char *cause_of(const struct nd_walk *w)
{
	return nd_walk_use(w)->name;
}

/* The finding is of this cause, or of a special case of it. */
static bool is_a(const struct nd_walk *w, const char *cause)
{
	const char *wider = nd_walk_use(w)->cause->narrows;

	return strcmp(cause_of(w), cause) == 0 || (wider && strcmp(wider, cause) == 0);
}

bool nd_outcome_names(const struct nd_outcome *o, const char *cause)
{
	for (uint32_t i = 0; i < o->n_found; i++) {
		if (is_a(o->found[i], cause))
			return true;
	}
	return false;
}

static bool names_any(const struct nd_walk *w, const char *const *list, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (is_a(w, list[i]))
			return true;
	}
	return false;
}

/* Same cause and entity from two trees: the stronger stays. */
static void drop_doubles(struct nd_outcome *o)
{
	for (uint32_t i = 0; i < o->n_found; i++) {
		for (uint32_t k = i + 1; k < o->n_found; k++) {
			struct nd_walk *a = o->found[i], *b = o->found[k];

			if (a->dropped || b->dropped || a->about != b->about ||
			    strcmp(cause_of(a), cause_of(b)) != 0)
				continue;
			if (strength(a, b) <= 0)
				b->dropped = true;
			else
				a->dropped = true;
		}
	}
}

static double worst(struct nd_run *run, const struct nd_walk *w)
{
	const struct nd_use *u = nd_walk_use(w);
	struct nd_eval e = nd_walk_eval(run, w);
	struct nd_result r;

	if (!u->worst_by)
		return -INFINITY;
	r = nd_eval(u->worst_by, &e);
	return r.t == ND_R_NUMBER ? r.num : -INFINITY;
}

struct member {
	struct nd_walk *walk;
	double worst;
	uint32_t order;
};

static int by_worst(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	int s = strength(x->walk, y->walk);

	if (x->worst != y->worst)
		return x->worst < y->worst ? 1 : -1;
	return s ? s : x->order < y->order ? -1 : 1;
}

/* One finding for all entities: the worst speaks, with the strongest word among them. */
static void gather(struct nd_run *run, struct nd_outcome *o, uint32_t from)
{
	struct nd_walk *w = o->found[from];
	struct member *m = nd_arena_alloc(run->arena, o->n_found * sizeof(*m));
	uint32_t n = 0;
	enum nd_word word = w->word;

	for (uint32_t i = from; i < o->n_found; i++) {
		struct nd_walk *x = o->found[i];

		if (x->dropped || x->tree != w->tree || x->found != w->found)
			continue;
		m[n] = (struct member){x, worst(run, x), n};
		n++;
		word = x->word > word ? x->word : word;
		x->dropped = true;
	}
	qsort(m, n, sizeof(*m), by_worst);
	w = m[0].walk;
	for (uint32_t i = 0; i < n && w->word < word; i++) /* the worst of those that are sure */
		w = m[i].walk->word == word ? m[i].walk : w;
	w->dropped = false;
	w->members = nd_arena_alloc(run->arena, (n + 1) * sizeof(*w->members));
	w->members[w->n_members++] = (struct nd_item){.id = w->about, .detail = ""};
	for (uint32_t i = 0; i < n; i++) {
		if (m[i].walk != w)
			w->members[w->n_members++] =
				(struct nd_item){.id = m[i].walk->about, .detail = ""};
	}
}

static void put_together(struct nd_run *run, struct nd_outcome *o)
{
	for (uint32_t i = 0; i < o->n_found; i++) {
		struct nd_walk *w = o->found[i];

		if (w->dropped || w->n_members)
			continue;
		if (nd_walk_use(w)->together) {
			gather(run, o, i);
			continue;
		}
		w->members = nd_arena_alloc(run->arena, sizeof(*w->members));
		w->members[w->n_members++] = (struct nd_item){.id = w->about, .detail = ""};
	}
}

/* On the same entity the weaker of the two is ruled out; if they are equal, the one that is named. */
static void exclude(struct nd_run *run, struct nd_outcome *o)
{
	for (uint32_t i = 0; i < o->n_found; i++) {
		struct nd_walk *a = o->found[i];
		const struct nd_use *u = nd_walk_use(a);

		for (uint32_t k = 0; k < o->n_found && !a->dropped; k++) {
			struct nd_walk *b = o->found[k], *loser;

			if (a == b || b->dropped || a->about != b->about ||
			    !names_any(b, u->excludes, u->n_excludes))
				continue;
			loser = strength(b, a) < 0 ? a : b;
			loser->dropped = true;
			loser->lost[loser->found] =
				(struct nd_lost){ND_FATE_RULED_OUT, UINT32_MAX, NULL};
			loser->lost[loser->found].because = nd_arena_printf(
				run->arena, "%s explains the same and is better supported",
				cause_of(loser == a ? b : a));
		}
	}
}

static void compact(struct nd_outcome *o)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < o->n_found; i++) {
		if (!o->found[i]->dropped)
			o->found[n++] = o->found[i];
	}
	o->n_found = n;
}

/* ---- roles ---- */

#define MAX_LINKS 4096
/* The entity and all that it is related to. */
static uint32_t links_of(const struct nd_run *run, nd_id on, nd_id *out)
{
	enum nd_kind kind = nd_entity_kind(run->f, on);
	uint32_t n = 0;

	out[n++] = on;
	for (unsigned r = 0; r < ND_RELATIONS * 2; r++) {
		bool inverse = r % 2;
		struct nd_links l;

		if ((inverse ? nd_relations[r / 2].to : nd_relations[r / 2].from) != kind)
			continue;
		l = nd_related(run->f, on, (enum nd_relation)(r / 2), inverse);
		for (uint32_t i = 0; i < l.n && n < MAX_LINKS; i++)
			out[n++] = l.ids[i];
	}
	return n;
}

static nd_id space_of(const struct nd_run *run, nd_id on)
{
	nd_id all[MAX_LINKS];
	uint32_t n = links_of(run, on, all);

	for (uint32_t i = 0; i < n; i++) {
		if (nd_entity_kind(run->f, all[i]) == ND_NETNS)
			return all[i];
	}
	for (uint32_t i = 1; i < n; i++) { /* a queue belongs to its interface's */
		enum nd_kind k = nd_entity_kind(run->f, all[i]);
		enum nd_relation r = k == ND_IFACE	? ND_IFACE_NETNS
				     : k == ND_LISTENER ? ND_LISTENER_NETNS
							: ND_PROCESS_NETNS;
		struct nd_links l;

		if (k != ND_IFACE && k != ND_LISTENER && k != ND_PROCESS)
			continue;
		l = nd_related(run->f, all[i], r, false);
		if (l.n)
			return l.ids[0];
	}
	return ND_NO_ENTITY;
}

/* Do two findings meet: same entity, related ones, or ones related to a common third (no namespace)? host meets all;
 * a netns all that does not belong to another one. */
static bool meet(const struct nd_run *run, nd_id a, nd_id b)
{
	nd_id x[MAX_LINKS], y[MAX_LINKS];
	uint32_t n, m;

	if (a == b || nd_entity_kind(run->f, a) == ND_HOST || nd_entity_kind(run->f, b) == ND_HOST)
		return true;
	for (unsigned side = 0; side < 2; side++) {
		nd_id space = side ? b : a, other = side ? a : b, in;

		if (nd_entity_kind(run->f, space) != ND_NETNS)
			continue;
		in = space_of(run, other);
		if (in == ND_NO_ENTITY || in == space)
			return true;
	}
	n = links_of(run, a, x);
	m = links_of(run, b, y);
	for (uint32_t i = 0; i < n; i++) {
		enum nd_kind kind = nd_entity_kind(run->f, x[i]);

		for (uint32_t k = 0; k < m; k++) {
			if (x[i] == y[k] &&
			    ((kind != ND_NETNS && kind != ND_HOST) || x[i] == a || x[i] == b))
				return true;
		}
	}
	return false;
}

/* A suspected finding does this to suspected ones only. */
static bool acts_on(const struct nd_run *run, const struct nd_walk *a, const struct nd_walk *b,
		    const char *const *list, uint32_t n)
{
	if (a == b || !names_any(b, list, n))
		return false;
	if (a->word == ND_SUSPECTED && b->word != ND_SUSPECTED)
		return false;
	return meet(run, a->about, b->about);
}

static void roles(struct nd_run *run, struct nd_outcome *o)
{
	for (uint32_t i = 0; i < o->n_found; i++) {
		struct nd_walk *a = o->found[i];
		const struct nd_use *u = nd_walk_use(a);

		for (uint32_t k = 0; k < o->n_found; k++) {
			if (acts_on(run, a, o->found[k], u->explains, u->n_explains))
				o->found[k]->role = ND_CONSEQUENCE;
		}
	}
	for (uint32_t i = 0; i < o->n_found; i++) {
		struct nd_walk *a = o->found[i];
		const struct nd_use *u = nd_walk_use(a);

		for (uint32_t k = 0; k < o->n_found && a->role == ND_TRIGGER; k++) {
			if (acts_on(run, a, o->found[k], u->amplifies, u->n_amplifies))
				a->role = ND_AMPLIFIER;
		}
	}
}

struct order_ctx {
	const struct nd_run *run;
};

static int by_rank(const void *x, const void *y, void *ctx)
{
	const struct nd_walk *a = *(struct nd_walk *const *)x, *b = *(struct nd_walk *const *)y;
	const struct order_ctx *c = ctx;
	int names;

	if (a->role != b->role)
		return (int)a->role - (int)b->role;
	if (a->word != b->word)
		return (int)b->word - (int)a->word;
	if (isnan(a->fit) != isnan(b->fit))
		return isnan(a->fit) ? 1 : -1;
	if (!isnan(a->fit) && a->fit != b->fit)
		return a->fit < b->fit ? 1 : -1;
	if (a->supports != b->supports)
		return b->supports - a->supports;
	names = strcmp(cause_of(a), cause_of(b));
	return names ? names
		     : strverscmp(nd_entity_name(c->run->f, a->about),
				  nd_entity_name(c->run->f, b->about));
}

void nd_rank(struct nd_run *run, struct nd_outcome *o)
{
	struct order_ctx ctx = {run};

	o->found = nd_arena_alloc(run->arena, (o->n_walks + 1) * sizeof(*o->found));
	o->n_found = 0;
	for (uint32_t i = 0; i < o->n_walks; i++) {
		if (o->walks[i].found >= 0)
			o->found[o->n_found++] = &o->walks[i];
	}
	drop_doubles(o);
	compact(o);
	put_together(run, o);
	compact(o);
	exclude(run, o);
	compact(o);
	roles(run, o);
	if (o->n_found)
		qsort_r(o->found, o->n_found, sizeof(*o->found), by_rank, &ctx);
}
