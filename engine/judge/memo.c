/* What makes a thousand rules over thousands of entities cheap: values that are the same for every walk are computed
 * once a run, and gates, most of which say no, are asked without writing down why. */
#include "engine/judge/eval.h"
#include "engine/rule/func.h"

#include <math.h>

/* ---- once a run ---- */

static void compute(const struct nd_code *c, struct nd_eval *e, struct nd_memo *m)
{
	struct nd_run *run = e->run;
	struct nd_arena *work = run->work;
	struct nd_eval inner = *e;
	uint64_t before = *e->visits;

	inner.used = &m->used;
	inner.lets = NULL;
	inner.self = inner.element = ND_NO_ENTITY;
	inner.places = 0;
	run->work = NULL; /* it outlives the walk */
	m->value = nd_eval_plain(c, &inner);
	run->work = work;
	for (uint32_t i = 0; i < m->used.n; i++) {
		m->stale = m->stale || nd_used_stale(&m->used.v[i]);
		m->doubted = m->doubted || m->used.v[i].distrusted;
		m->unknown = m->unknown || nd_used_unknown(&m->used.v[i]);
	}
	m->cost = *e->visits - before;
	m->payer = e->visits;
	m->done = true;
}

static void forget(struct nd_memo *m)
{
	free(m->used.v);
	*m = (struct nd_memo){.done = false};
}

struct nd_result nd_eval_memo(const struct nd_code *c, struct nd_eval *e)
{
	struct nd_memo *m = &e->run->memos[c->memo - 1];
	struct nd_used u = {.what = ND_USED_MEMO, .memo = m};

	if (!m->done)
		compute(c, e, m);
	else if (m->payer != e->visits)
		*e->visits += m->cost;
	m->payer = e->visits;
	if (*e->visits > ND_MAX_VISITS) {
		if (m->cost <= ND_MAX_VISITS)
			forget(m); /* it may be worth its price to the next rule */
		return nd_out_of_budget(e);
	}
	if (e->used && m->used.n) {
		u.distrusted = m->doubted;
		u.value.t = m->unknown ? ND_R_MISSING : ND_R_BOOL;
		u.value.basis = m->stale ? ND_B_LIFETIME : ND_B_WINDOW;
		nd_use(e, &u);
	}
	return m->value;
}

void nd_run_forget(struct nd_run *run)
{
	for (uint32_t i = 0; run->memos && i < run->rules->n_memos; i++)
		forget(&run->memos[i]);
}

void nd_run_free(struct nd_run *run)
{
	uint32_t n_views =
		run->views ? nd_registry_count(nd_facts_registry(run->f)) * ND_ACCESSORS : 0;

	for (uint32_t i = 0; i < n_views; i++)
		free(run->views[i]);
	nd_run_forget(run);
	free(run->used.v);
	free(run->distrusted);
	nd_arena_free(&run->scratch);
}

static uint32_t count_used(const struct nd_used_list *l)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->n; i++)
		n += l->v[i].what == ND_USED_MEMO ? count_used(&l->v[i].memo->used) : 1;
	return n;
}

static void copy_used(const struct nd_used_list *l, struct nd_used *out, uint32_t *n)
{
	for (uint32_t i = 0; i < l->n; i++) {
		if (l->v[i].what == ND_USED_MEMO)
			copy_used(&l->v[i].memo->used, out, n);
		else
			out[(*n)++] = l->v[i];
	}
}

struct nd_used *nd_used_keep(struct nd_run *run, const struct nd_used_list *l, uint32_t *n)
{
	struct nd_used *out = nd_arena_alloc(run->arena, (count_used(l) + 1) * sizeof(*out));

	*n = 0;
	copy_used(l, out, n);
	return out;
}

/* ---- without evidence ---- */

/* As struct nd_result, in two registers. */
struct quick {
	uint8_t t, basis;
	bool yes;
	union {
		double num;
		const char *text;
	};
};

/* One fact of all entities of a kind, in the order in which they are walked: many gates read it, one after the other. */
struct nd_view {
	uint32_t n;
	struct quick v[];
};

static struct quick ask(const struct nd_code *c, struct nd_eval *e);

static struct quick answer(bool yes)
{
	return (struct quick){.t = ND_R_BOOL, .yes = yes};
}

static struct quick from_full(const struct nd_code *c, struct nd_eval *e)
{
	struct nd_result r = nd_eval(c, e);
	struct quick q = {.t = (uint8_t)r.t, .basis = (uint8_t)r.basis, .yes = r.yes};

	if (r.t == ND_R_TEXT)
		q.text = r.text;
	else
		q.num = r.num;
	return q;
}

static struct quick get(const struct nd_code *c, const struct nd_facts *f, nd_id on)
{
	struct nd_value v = nd_get(f, on, c->fact, c->accessor);
	struct quick q = {.basis = (uint8_t)v.basis};

	switch (v.type) {
	case ND_V_MISSING:
	case ND_V_HIST: q.t = ND_R_MISSING; break;
	case ND_V_ABSENT: q.t = ND_R_ABSENT; break;
	case ND_V_NUMBER:
		q.t = ND_R_NUMBER;
		q.num = v.num;
		break;
	case ND_V_BOOL:
		q.t = ND_R_BOOL;
		q.yes = v.yes;
		break;
	case ND_V_TEXT:
		q.t = ND_R_TEXT;
		q.text = v.text;
		break;
	}
	return q;
}

/* NULL: log lines have named new entities, and places are not what they were. */
static const struct nd_view *view_of(const struct nd_code *c, const struct nd_eval *e)
{
	struct nd_view **at = &e->run->views[(uint32_t)c->fact * ND_ACCESSORS + c->accessor];
	const nd_id *ids;
	uint32_t n;

	if (*at && (*at)->n == e->places)
		return *at;
	ids = nd_entities(e->run->f, nd_entity_kind(e->run->f, e->self), &n);
	if (n != e->places)
		return NULL;
	free(*at);
	*at = nd_alloc(sizeof(**at) + n * sizeof((*at)->v[0]));
	(*at)->n = n;
	for (uint32_t i = 0; i < n; i++)
		(*at)->v[i] = get(c, e->run->f, ids[i]);
	return *at;
}

static struct quick fact(const struct nd_code *c, struct nd_eval *e)
{
	const struct nd_view *view;

	if (c->type.t == ND_X_HIST || (c->a->op != ND_O_THIS && c->a->op != ND_O_ELEMENT))
		return from_full(c, e);
	if (c->a->op == ND_O_ELEMENT)
		return get(c, e->run->f, e->element);
	view = e->places ? view_of(c, e) : NULL;
	return view ? view->v[e->place] : get(c, e->run->f, e->self);
}

static bool decides(struct quick a, bool yes)
{
	return a.t == ND_R_ABSENT ? !yes : a.t == ND_R_BOOL && a.yes == yes;
}

static struct quick logic(const struct nd_code *c, struct nd_eval *e)
{
	bool or = c->op == ND_O_OR;
	struct quick a = ask(c->a, e), b;

	if (decides(a, or))
		return a;
	b = ask(c->b, e);
	if (decides(b, or) || a.t != ND_R_MISSING)
		return decides(b, or) || b.t == ND_R_MISSING ? b : answer(! or);
	return a;
}

static struct quick compare(const struct nd_code *c, struct nd_eval *e)
{
	struct quick a = ask(c->a, e), b = ask(c->b, e);
	enum nd_basis basis;

	if (a.t == ND_R_MISSING || b.t == ND_R_MISSING)
		return (struct quick){.t = ND_R_MISSING};
	if (a.t == ND_R_ABSENT || b.t == ND_R_ABSENT)
		return answer(false);
	if (a.t == ND_R_TEXT)
		return answer((strcmp(a.text, b.text) == 0) == (c->index == ND_E_EQ));
	if (!nd_basis_mix((enum nd_basis)a.basis, (enum nd_basis)b.basis, &basis))
		return (struct quick){.t = ND_R_MISSING};
	switch (c->index) {
	case ND_E_EQ: return answer(a.num == b.num);
	case ND_E_NE: return answer(a.num != b.num);
	case ND_E_LT: return answer(a.num < b.num);
	case ND_E_LE: return answer(a.num <= b.num);
	case ND_E_GT: return answer(a.num > b.num);
	default: return answer(a.num >= b.num);
	}
}

static struct quick coalesce(const struct nd_code *c, struct nd_eval *e)
{
	struct quick r = {.t = ND_R_ABSENT};

	for (uint32_t i = 0; i < c->n_args; i++) {
		r = ask(c->args[i], e);
		if (r.t != ND_R_MISSING && r.t != ND_R_ABSENT)
			return r;
	}
	return r;
}

static struct quick derived(const struct nd_code *c, struct nd_eval *e)
{
	struct nd_let_memo *lets = e->lets;
	struct quick q;

	if (c->a->op != ND_O_THIS)
		return from_full(c, e);
	e->lets = NULL;
	q = ask(c->derived->code, e);
	e->lets = lets;
	return q;
}

static struct quick ratio(const struct nd_code *c, struct nd_eval *e)
{
	struct quick v[3];
	enum nd_basis basis;

	for (unsigned i = 0; i < 3; i++)
		v[i] = ask(c->args[i], e);
	for (unsigned i = 0; i < 3; i++) {
		if (v[i].t == ND_R_MISSING)
			return v[i];
	}
	for (unsigned i = 0; i < 3; i++) {
		if (v[i].t == ND_R_ABSENT)
			return v[i];
	}
	if (!nd_basis_mix((enum nd_basis)v[0].basis, (enum nd_basis)v[1].basis, &basis))
		return (struct quick){.t = ND_R_MISSING};
	if (v[0].num != 0 && (v[1].num < v[2].num || v[1].num == 0))
		return (struct quick){.t = ND_R_MISSING};
	return (struct quick){.t = ND_R_NUMBER,
			      .basis = (uint8_t)basis,
			      .num = v[0].num == 0 ? 0 : v[0].num / v[1].num};
}

static struct quick ask(const struct nd_code *c, struct nd_eval *e)
{
	bool compares =
		c->op == ND_O_COMPARE && (c->a->type.t == ND_X_NUMBER || c->a->type.t == ND_X_TEXT);

	if (c->memo)
		return from_full(c, e);
	if (c->op == ND_O_NUMBER)
		return (struct quick){.t = ND_R_NUMBER, .num = c->num};
	if (c->op == ND_O_TEXT)
		return (struct quick){.t = ND_R_TEXT, .text = c->text};
	if (c->op == ND_O_FACT)
		return fact(c, e);
	if (compares)
		return compare(c, e);
	if (c->op == ND_O_AND || c->op == ND_O_OR)
		return logic(c, e);
	if (c->op == ND_O_DERIVED)
		return derived(c, e);
	if (c->op == ND_O_LET && !c->let->code->many)
		return ask(c->let->code, e);
	if (c->op == ND_O_CALL && c->func->id == ND_F_COALESCE)
		return coalesce(c, e);
	if (c->op == ND_O_CALL && c->func->id == ND_F_RATIO)
		return ratio(c, e);
	return from_full(c, e);
}

enum nd_answer nd_ask_quickly(const struct nd_code *c, struct nd_eval *e)
{
	struct nd_used_list *used = e->used;
	struct quick q;

	e->used = NULL;
	q = ask(c, e);
	e->used = used;
	if (q.t == ND_R_MISSING)
		return ND_UNKNOWN;
	return q.t == ND_R_BOOL && q.yes ? ND_YES : ND_NO;
}
