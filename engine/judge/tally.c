/* Tallies: conditions of rules, counted while rows are streamed; no row is kept. */
#include "engine/judge/eval.h"
#include "engine/judge/judge.h"

struct count {
	double hits, rows;
};
struct counts { /* of one tally, by entity */
	struct count *v;
	uint32_t n;
};
struct tallies {
	const struct nd_rules *rules;
	struct counts *by_slot;
	uint32_t n;
};

static struct count *count_of(struct nd_facts *f, struct counts *c, nd_id on)
{
	if (on >= c->n) {
		uint32_t n = on + on / 2 + 64;
		struct count *more = nd_arena_alloc(nd_facts_arena(f), n * sizeof(*more));

		if (c->n)
			memcpy(more, c->v, c->n * sizeof(*more));
		c->v = more;
		c->n = n;
	}
	return &c->v[on];
}

static void on_row(void *ctx, struct nd_facts *f, nd_id on, const struct nd_table_def *table,
		   const double *columns)
{
	struct tallies *t = ctx;

	for (uint32_t i = 0; i < t->rules->n; i++) {
		const struct nd_rule *rule = t->rules->rules[i];

		for (uint32_t k = 0; k < rule->n_tallies; k++) {
			const struct nd_tally *tally = &rule->tallies[k];
			struct nd_result r;
			struct count *c;

			if (tally->table != table || !tally->where)
				continue;
			r = nd_eval_row(tally->where, columns);
			if (r.t ==
			    ND_R_MISSING) /* a row that cannot be judged counts on neither side */
				continue;
			c = count_of(f, &t->by_slot[tally->slot], on);
			c->rows++;
			c->hits += r.t == ND_R_BOOL && r.yes;
		}
	}
}

void nd_judge_watch(const struct nd_rules *rules, struct nd_facts *f)
{
	struct nd_arena *a = nd_facts_arena(f);
	struct tallies *t = nd_arena_alloc(a, sizeof(*t));

	t->rules = rules;
	t->n = rules->n_tallies;
	t->by_slot = nd_arena_alloc(a, (t->n + 1) * sizeof(*t->by_slot));
	nd_facts_on_row(f, on_row, t);
}

bool nd_tally_get(const struct nd_facts *f, uint32_t slot, nd_id on, double *hits, double *rows)
{
	const struct tallies *t = nd_facts_row_ctx(f);

	if (!t || slot >= t->n || on >= t->by_slot[slot].n || t->by_slot[slot].v[on].rows <= 0)
		return false;
	*hits = t->by_slot[slot].v[on].hits;
	*rows = t->by_slot[slot].v[on].rows;
	return true;
}

void nd_tally_put(struct nd_facts *f, const struct nd_rules *rules, uint32_t slot, nd_id on,
		  double hits, double rows)
{
	struct tallies *t = nd_facts_row_ctx(f);
	struct count *c;

	if (!t) {
		nd_judge_watch(rules, f);
		t = nd_facts_row_ctx(f);
	}
	c = count_of(f, &t->by_slot[slot], on);
	c->hits = hits;
	c->rows = rows;
}
