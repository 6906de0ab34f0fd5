/* Evaluation of the functions, found by their id: here those over sets and those that choose. */
#include "engine/judge/eval.h"
#include "engine/rule/func.h"

#include <math.h>

typedef struct nd_result result;

/* ---- sets ---- */

static result f_count(const struct nd_code *c, struct nd_eval *e)
{
	result s = nd_eval(c->args[0], e);

	if (s.t == ND_R_MISSING)
		return s;
	if (s.t == ND_R_HIST)
		return nd_number_result(nd_hist_count(s.hist), ND_B_WINDOW);
	for (uint32_t i = 0; s.t == ND_R_SET && i < s.n; i++) {
		if (s.items[i].why != ND_PRESENT)
			return nd_missing_result(s.items[i].why, s.items[i].detail);
	}
	for (uint32_t i = 0; s.t == ND_R_LIST && i < s.n; i++) {
		if (s.list[i].t == ND_R_MISSING)
			return s.list[i];
	}
	return nd_number_result(s.t == ND_R_ABSENT ? 0 : s.n, ND_B_STATE);
}

/* any, all, none: decided by the first yes (no for all), whatever else is unknown; the answer rests on a
 * member that is not stale if there is one. */
static result f_any(const struct nd_code *c, struct nd_eval *e)
{
	bool all = c->func->id == ND_F_ALL, found = false, best_clean = false;
	result set = nd_eval_set(c->args[0], c->of_age, e), unknown = {.t = ND_R_BOOL};
	struct nd_used_list *used = e->used;
	uint32_t start = used ? used->n : 0;
	bool empty = set.t == ND_R_ABSENT || (set.t == ND_R_SET && set.n == 0);

	if (set.t == ND_R_MISSING)
		return set;
	for (uint32_t i = 0; !empty && i < set.n && !best_clean; i++) {
		uint32_t from = used ? used->n : 0;
		result r;
		bool decides;

		if (!nd_visit(e))
			return nd_out_of_budget(e);
		r = set.items[i].why == ND_PRESENT
			    ? nd_eval_member(c->args[1], set.items[i].id, e)
			    : nd_missing_result(set.items[i].why, set.items[i].detail);
		if (r.t == ND_R_MISSING && unknown.t != ND_R_MISSING)
			unknown = r;
		decides = r.t == ND_R_ABSENT ? all : r.t == ND_R_BOOL && r.yes != all;
		if (!decides) {
			if (found) /* it rests on the one that was found */
				nd_used_cut(used, from, used ? used->n : 0);
			continue;
		}
		if (!found || nd_used_clean(used, from)) {
			best_clean = nd_used_clean(used, from);
			nd_used_cut(used, start, from); /* only this member's facts stay */
		} else if (used) {
			nd_used_cut(used, from, used->n);
		}
		found = true;
	}
	if (found)
		return nd_bool_result(c->func->id == ND_F_ANY);
	if (unknown.t == ND_R_MISSING)
		return unknown;
	return nd_bool_result(all ? !empty : c->func->id == ND_F_NONE);
}

static result f_argmax(const struct nd_code *c, struct nd_eval *e)
{
	result set = nd_eval(c->args[0], e), best = nd_absent_result();
	double top = 0;

	if (set.t != ND_R_SET)
		return set;
	for (uint32_t i = 0; i < set.n; i++) {
		result r;

		if (!nd_visit(e))
			return nd_out_of_budget(e);
		if (set.items[i].why != ND_PRESENT)
			return nd_missing_result(set.items[i].why, set.items[i].detail);
		r = nd_eval_member(c->args[1], set.items[i].id, e);
		if (r.t == ND_R_MISSING)
			return r;
		if (r.t == ND_R_ABSENT)
			continue;
		if (best.t == ND_R_ABSENT ||
		    (c->func->id == ND_F_ARGMAX ? r.num > top : r.num < top)) {
			best = (result){.t = ND_R_ENTITY, .id = set.items[i].id, .detail = ""};
			top = r.num;
		}
	}
	return best;
}

static result f_only(const struct nd_code *c, struct nd_eval *e)
{
	result set = nd_eval(c->args[0], e);

	if (set.t != ND_R_SET)
		return set;
	if (set.n == 1 && set.items[0].why != ND_PRESENT)
		return nd_missing_result(set.items[0].why, set.items[0].detail);
	if (set.n != 1)
		return nd_absent_result();
	return (result){.t = ND_R_ENTITY, .id = set.items[0].id, .detail = ""};
}

struct ranked {
	struct nd_item item;
	double v;
	uint32_t order;
};

static int by_rank(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->v != y->v)
		return x->v < y->v ? 1 : -1;
	return x->order < y->order ? -1 : 1;
}

static result f_top(const struct nd_code *c, struct nd_eval *e)
{
	result n = nd_eval(c->args[0], e), set = nd_eval(c->args[1], e);
	struct ranked *all;
	uint32_t count = 0;

	if (n.t != ND_R_NUMBER || set.t != ND_R_SET)
		return n.t != ND_R_NUMBER ? n : set;
	all = nd_work(e, (set.n + 1) * sizeof(*all));
	for (uint32_t i = 0; i < set.n; i++) {
		result r = set.items[i].why == ND_PRESENT
				   ? nd_eval_member(c->args[2], set.items[i].id, e)
				   : nd_missing_result(set.items[i].why, set.items[i].detail);

		if (!nd_visit(e))
			return nd_out_of_budget(e);
		if (r.t == ND_R_MISSING)
			return r;
		if (r.t == ND_R_NUMBER)
			all[count++] = (struct ranked){set.items[i], r.num, i};
	}
	qsort(all, count, sizeof(*all), by_rank);
	set.n = n.num < count ? (uint32_t)fmax(0, n.num) : count;
	set.items = nd_work(e, (set.n + 1) * sizeof(*set.items));
	for (uint32_t i = 0; i < set.n; i++)
		set.items[i] = all[i].item;
	return set;
}

static result f_take(const struct nd_code *c, struct nd_eval *e)
{
	result n = nd_eval(c->args[0], e), set = nd_eval(c->args[1], e);

	if (n.t != ND_R_NUMBER || set.t != ND_R_SET)
		return n.t != ND_R_NUMBER ? n : set;
	if (n.num < set.n)
		set.n = (uint32_t)fmax(0, n.num);
	return set;
}

static result f_sets(const struct nd_code *c, struct nd_eval *e)
{
	result a = nd_eval(c->args[0], e), b = nd_eval(c->args[1], e), out = a;
	struct nd_id_set in_a = {0}, in_b = {0};
	struct nd_item one;
	const struct nd_item *hidden = NULL;
	enum nd_func_id f = c->func->id;

	if (a.t == ND_R_MISSING || b.t == ND_R_MISSING)
		return a.t == ND_R_MISSING ? a : b;
	if (b.t == ND_R_ENTITY) {
		one = (struct nd_item){.id = b.id, .detail = ""};
		b = (result){.t = ND_R_SET, .items = &one, .n = 1};
	}
	for (uint32_t i = 0; i < b.n && !hidden; i++)
		hidden = b.items[i].why != ND_PRESENT ? &b.items[i] : NULL;
	out.t = ND_R_SET;
	out.items = nd_work(e, (a.n + b.n + 1) * sizeof(*out.items));
	out.n = 0;
	for (uint32_t i = 0; i < a.n; i++) {
		bool known = a.items[i].why == ND_PRESENT;
		bool both = known && nd_id_set_has(&in_b, &b, a.items[i].id, e);

		if (f != ND_F_UNION && known && !both && hidden) /* it may be one of those */
			out.items[out.n++] = *hidden;
		else if (f == ND_F_UNION || (f == ND_F_COMMON) == both || (!known && b.n))
			out.items[out.n++] = a.items[i];
	}
	for (uint32_t i = 0; f == ND_F_UNION && i < b.n; i++) {
		if (b.items[i].why != ND_PRESENT || !nd_id_set_has(&in_a, &a, b.items[i].id, e))
			out.items[out.n++] = b.items[i];
	}
	return out;
}

static result f_known(const struct nd_code *c, struct nd_eval *e)
{
	uint32_t start = e->used ? e->used->n : 0;
	result s = nd_eval(c->args[0], e), out = s;

	out.n = 0;
	if (s.t == ND_R_MISSING) {
		nd_used_cut(e->used, start, e->used ? e->used->n : 0);
		return (result){.t = c->type.t == ND_X_SET ? ND_R_SET : ND_R_LIST, .detail = ""};
	}
	if (s.t == ND_R_SET)
		out.items = nd_work(e, (s.n + 1) * sizeof(*out.items));
	else
		out.list = nd_work(e, (s.n + 1) * sizeof(*out.list));
	for (uint32_t i = 0; i < s.n; i++) {
		if (s.t == ND_R_SET && s.items[i].why == ND_PRESENT)
			out.items[out.n++] = s.items[i];
		if (s.t == ND_R_LIST && s.list[i].t != ND_R_MISSING)
			out.list[out.n++] = s.list[i];
	}
	return out;
}

/* ---- choosing ---- */

static result f_if(const struct nd_code *c, struct nd_eval *e)
{
	result q = nd_eval(c->args[0], e);

	if (q.t == ND_R_MISSING)
		return q;
	return nd_eval(c->args[q.t == ND_R_BOOL && q.yes ? 1 : 2], e);
}

static result f_coalesce(const struct nd_code *c, struct nd_eval *e)
{
	result r = nd_absent_result();

	for (uint32_t i = 0; i < c->n_args; i++) {
		uint32_t start = e->used ? e->used->n : 0;

		r = nd_eval(c->args[i], e);
		if (r.t != ND_R_MISSING && r.t != ND_R_ABSENT)
			return r;
		if (i + 1 < c->n_args)
			nd_used_cut(e->used, start, e->used ? e->used->n : 0);
	}
	return r;
}

static result f_present(const struct nd_code *c, struct nd_eval *e)
{
	uint32_t start = e->used ? e->used->n : 0;
	result r = nd_eval(c->args[0], e);
	bool known = r.t != ND_R_MISSING;

	if (!known) /* never unknown itself: what is missing is no evidence against it */
		nd_used_cut(e->used, start, e->used ? e->used->n : 0);
	if (c->func->id == ND_F_ABSENT)
		return nd_bool_result(r.t == ND_R_ABSENT);
	return nd_bool_result(known && r.t != ND_R_ABSENT);
}

typedef result func_fn(const struct nd_code *, struct nd_eval *);

struct nd_result nd_eval_call(const struct nd_code *c, struct nd_eval *e)
{
	static func_fn *const by[ND_FUNCS] = {
		[ND_F_RATIO] = nd_f_ratio,
		[ND_F_SHARE] = nd_f_share,
		[ND_F_IMBALANCE] = nd_f_aggregate,
		[ND_F_SUM] = nd_f_aggregate,
		[ND_F_MEAN] = nd_f_aggregate,
		[ND_F_MEDIAN] = nd_f_aggregate,
		[ND_F_MIN] = nd_f_aggregate,
		[ND_F_MAX] = nd_f_aggregate,
		[ND_F_P50] = nd_f_aggregate,
		[ND_F_P90] = nd_f_aggregate,
		[ND_F_P95] = nd_f_aggregate,
		[ND_F_P99] = nd_f_aggregate,
		[ND_F_P999] = nd_f_aggregate,
		[ND_F_COUNT] = f_count,
		[ND_F_ANY] = f_any,
		[ND_F_ALL] = f_any,
		[ND_F_NONE] = f_any,
		[ND_F_ARGMAX] = f_argmax,
		[ND_F_ARGMIN] = f_argmax,
		[ND_F_ONLY] = f_only,
		[ND_F_TOP] = f_top,
		[ND_F_TAKE] = f_take,
		[ND_F_UNION] = f_sets,
		[ND_F_COMMON] = f_sets,
		[ND_F_WITHOUT] = f_sets,
		[ND_F_KNOWN] = f_known,
		[ND_F_MODE] = nd_f_mode,
		[ND_F_FRACTION] = nd_f_fraction,
		[ND_F_ABS] = nd_f_number,
		[ND_F_CLAMP] = nd_f_number,
		[ND_F_ROUND_UP] = nd_f_number,
		[ND_F_POW2] = nd_f_number,
		[ND_F_IF] = f_if,
		[ND_F_COALESCE] = f_coalesce,
		[ND_F_PRESENT] = f_present,
		[ND_F_ABSENT] = f_present,
		[ND_F_CPUMASK] = nd_f_cpus,
		[ND_F_CPULIST] = nd_f_cpus,
		[ND_F_NAMES] = nd_f_names,
	};

	return by[c->func->id](c, e);
}
