/* Functions whose result is a number: sums and percentiles of many, shares, and what is done to one. */
#include "engine/judge/eval.h"
#include "engine/rule/func.h"

#include <math.h>

typedef struct nd_result result;

static result too_few(const char *why)
{
	return nd_missing_result(ND_TOO_FEW_SAMPLES, why);
}

/* ---- numbers of a list, or of each member of a set ---- */

struct numbers {
	double *v;
	uint32_t n;
	enum nd_basis basis;
	result bad; /* t MISSING or ABSENT: why there are none */
};

static bool add_number(struct numbers *out, const result *r)
{
	if (r->t == ND_R_ABSENT)
		return true;
	if (r->t == ND_R_MISSING) {
		out->bad = *r;
		return false;
	}
	if (!nd_basis_mix(out->basis, r->basis, &out->basis)) {
		out->bad = nd_missing_result(
			ND_MIXED_SPAN, "some values are of the window, others of a longer time");
		return false;
	}
	out->v[out->n++] = r->num;
	return true;
}

static bool numbers_of_set(const struct nd_code *c, const result *set, struct numbers *out,
			   struct nd_eval *e)
{
	for (uint32_t i = 0; i < set->n; i++) {
		result r;

		if (!nd_visit(e)) {
			out->bad = nd_out_of_budget(e);
			return false;
		}
		r = set->items[i].why == ND_PRESENT
			    ? nd_eval_member(c->args[1], set->items[i].id, e)
			    : nd_missing_result(set->items[i].why, set->items[i].detail);
		if (!add_number(out, &r))
			return false;
	}
	return true;
}

static bool numbers_of(const struct nd_code *c, const result *first, struct numbers *out,
		       struct nd_eval *e)
{
	if (first->t == ND_R_MISSING) {
		out->bad = *first;
		return false;
	}
	if (first->t == ND_R_ABSENT)
		return true;
	out->v = nd_work(e, (first->n + 1) * sizeof(double));
	if (first->t == ND_R_SET)
		return numbers_of_set(c, first, out, e);
	for (uint32_t i = 0; i < first->n; i++) {
		if (!add_number(out, &first->list[i]))
			return false;
	}
	return true;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double quantile_of(enum nd_func_id f)
{
	switch ((int)f) {
	case ND_F_P90: return 0.9;
	case ND_F_P95: return 0.95;
	case ND_F_P99: return 0.99;
	case ND_F_P999: return 0.999;
	default: return 0.5;
	}
}

static result aggregate(enum nd_func_id f, struct numbers *l)
{
	double sum = 0, lo = INFINITY, hi = -INFINITY;

	for (uint32_t i = 0; i < l->n; i++) {
		sum += l->v[i];
		lo = l->v[i] < lo ? l->v[i] : lo;
		hi = l->v[i] > hi ? l->v[i] : hi;
	}
	if (f == ND_F_SUM)
		return nd_number_result(sum, l->basis);
	if (l->n == 0)
		return nd_absent_result();
	if (f == ND_F_MEAN)
		return nd_number_result(sum / l->n, l->basis);
	if (f == ND_F_MIN || f == ND_F_MAX)
		return nd_number_result(f == ND_F_MIN ? lo : hi, l->basis);
	if (f == ND_F_IMBALANCE)
		return sum > 0 ? nd_number_result(hi / (sum / l->n), l->basis)
			       : too_few("the sum is 0");
	qsort(l->v, l->n, sizeof(double), by_value);
	return nd_number_result(l->v[(uint32_t)fmax(0, ceil(quantile_of(f) * l->n) - 1)], l->basis);
}

static result of_hist(enum nd_func_id f, const struct nd_hist *h)
{
	double v;

	if (nd_hist_count(h) <= 0)
		return too_few("no samples");
	if (f == ND_F_MAX)
		return nd_number_result(h->b[h->n - 1].hi, ND_B_WINDOW);
	if (f == ND_F_MEAN)
		return nd_number_result(nd_hist_mean(h), ND_B_WINDOW);
	if (!nd_hist_quantile(h, quantile_of(f), &v))
		return too_few("too few samples for this percentile");
	return nd_number_result(v, ND_B_WINDOW);
}

/* min(a, b, …), max(a, b, …) */
static result extreme(const struct nd_code *c, struct nd_eval *e)
{
	bool largest = c->func->id == ND_F_MAX, found = false;
	double v, top = 0; /* a row's condition has no memory to work in: no list is made */
	struct numbers l = {.v = &v, .basis = ND_B_NONE};

	for (uint32_t i = 0; i < c->n_args; i++) {
		result r = nd_eval(c->args[i], e);

		l.n = 0;
		if (!add_number(&l, &r))
			return l.bad;
		if (l.n && (!found || (largest ? v > top : v < top))) {
			found = true;
			top = v;
		}
	}
	return found ? nd_number_result(top, l.basis) : nd_absent_result();
}

/* set.fact: straight from the facts. All of them are looked at, also behind one that is missing. */
static bool numbers_of_facts(const struct nd_code *list, struct numbers *out, struct nd_eval *e)
{
	result set = nd_eval(list->a, e);
	bool good = true;

	if (set.t != ND_R_SET)
		return numbers_of(list, &set, out, e);
	nd_use_room(e, set.n);
	out->v = nd_work(e, (set.n + 1) * sizeof(double));
	for (uint32_t i = 0; i < set.n; i++) {
		result r;

		if (!nd_visit(e)) {
			out->bad = nd_out_of_budget(e);
			return false;
		}
		r = set.items[i].why == ND_PRESENT
			    ? nd_eval_fact(list, set.items[i].id, e)
			    : nd_missing_result(set.items[i].why, set.items[i].detail);
		good = good && add_number(out, &r);
	}
	return good;
}

result nd_f_aggregate(const struct nd_code *c, struct nd_eval *e)
{
	struct numbers l = {.basis = ND_B_NONE};
	const struct nd_code *list = c->args[0];
	result first;

	if (list->type.t == ND_X_NUMBER)
		return extreme(c, e);
	if (list->type.t == ND_X_LIST && list->op == ND_O_FACT && !list->memo)
		return numbers_of_facts(list, &l, e) ? aggregate(c->func->id, &l) : l.bad;
	first = nd_eval(list, e);
	if (first.t == ND_R_HIST)
		return of_hist(c->func->id, first.hist);
	return numbers_of(c, &first, &l, e) ? aggregate(c->func->id, &l) : l.bad;
}

/* ---- shares ---- */

result nd_f_ratio(const struct nd_code *c, struct nd_eval *e)
{
	result a = nd_eval(c->args[0], e), b = nd_eval(c->args[1], e),
	       floor = nd_eval(c->args[2], e);
	enum nd_basis basis;

	if (a.t == ND_R_MISSING)
		return a;
	if (b.t == ND_R_MISSING)
		return b;
	if (floor.t == ND_R_MISSING)
		return floor;
	if (a.t == ND_R_ABSENT || b.t == ND_R_ABSENT || floor.t == ND_R_ABSENT)
		return nd_absent_result();
	if (!nd_basis_mix(a.basis, b.basis, &basis))
		return nd_missing_result(ND_MIXED_SPAN,
					 "one side is of the window, the other of a longer time");
	if (a.num == 0)
		return nd_number_result(0, basis);
	if (b.num < floor.num || b.num == 0)
		return too_few("fewer events than the floor of the ratio");
	return nd_number_result(a.num / b.num, basis);
}

result nd_f_share(const struct nd_code *c, struct nd_eval *e)
{
	result x = nd_eval(c->args[0], e),
	       sum = nd_eval(c->args[1], e); /* the checker put a sum around the list */

	if (x.t != ND_R_NUMBER)
		return x;
	if (sum.t != ND_R_NUMBER)
		return sum;
	if (!nd_basis_mix(x.basis, sum.basis, &x.basis))
		return nd_missing_result(ND_MIXED_SPAN,
					 "one side is of the window, the other of a longer time");
	if (sum.num == 0)
		return too_few("the sum is 0");
	return nd_number_result(x.num / sum.num, x.basis);
}

result nd_f_fraction(const struct nd_code *c, struct nd_eval *e)
{
	result h = nd_eval(c->args[0], e), r = nd_eval(c->args[1], e), out;
	double share;
	bool cut;

	if (h.t != ND_R_HIST)
		return h;
	if (r.t != ND_R_RANGE)
		return r;
	if (!nd_hist_fraction(h.hist, r.num, r.hi, &share, &cut))
		return too_few("fewer than 10 samples");
	out = nd_number_result(share, ND_B_WINDOW);
	out.cut = cut;
	return out;
}

result nd_f_mode(const struct nd_code *c, struct nd_eval *e)
{
	result h = nd_eval(c->args[0], e);
	uint32_t best = 0;

	if (h.t != ND_R_HIST)
		return h;
	if (h.hist->n == 0)
		return too_few("no samples");
	for (uint32_t i = 1; i < h.hist->n; i++)
		best = h.hist->b[i].count > h.hist->b[best].count ? i : best;
	return nd_number_result((h.hist->b[best].lo + h.hist->b[best].hi) / 2, ND_B_WINDOW);
}

/* ---- single numbers ---- */

result nd_f_number(const struct nd_code *c, struct nd_eval *e)
{
	result v[3] = {0};
	double x;

	for (uint32_t i = 0; i < c->n_args; i++) {
		v[i] = nd_eval(c->args[i], e);
		if (v[i].t != ND_R_NUMBER)
			return v[i];
	}
	x = v[0].num;
	if (c->func->id == ND_F_ABS)
		x = fabs(x);
	else if (c->func->id == ND_F_CLAMP)
		x = fmin(fmax(x, v[1].num), v[2].num);
	else if (c->func->id == ND_F_ROUND_UP)
		x = v[1].num > 0 ? ceil(x / v[1].num) * v[1].num : x;
	else
		x = exp2(ceil(log2(fmax(1, x))));
	return nd_number_result(x, v[0].basis);
}
