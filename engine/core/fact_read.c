/* Reading the store: values with what they stand on, provenance, and relations from both ends. */
#include "engine/core/fact_impl.h"

#include <math.h>

static struct nd_value missing(enum nd_missing why, const char *detail)
{
	return (struct nd_value){.type = ND_V_MISSING, .why = why, .detail = detail ? detail : ""};
}

static struct nd_value number(double v, enum nd_basis basis)
{
	return (struct nd_value){.type = ND_V_NUMBER, .basis = basis, .detail = "", .num = v};
}

/* A counter put whole, by a rule's test or a replay. */
static struct nd_value get_fixed(const struct nd_cell *c, enum nd_accessor a)
{
	double v = a == ND_TOTAL  ? c->x.total
		   : a == ND_RATE ? c->x.rate
		   : a == ND_PEAK ? c->x.peak
				  : c->x.delta;

	if (a == ND_SEEN && isnan(v) && !isnan(c->x.total))
		return number(c->x.total, ND_B_LIFETIME);
	if (isnan(v))
		return missing(a == ND_TOTAL || isnan(c->x.total) ? ND_NOT_SAMPLED
								  : ND_SINGLE_SNAPSHOT,
			       "");
	return number(v, a == ND_TOTAL ? ND_B_LIFETIME : ND_B_WINDOW);
}

/* scale: one count of the source in base units. */
static struct nd_value get_counter(const struct nd_cell *c, enum nd_accessor a, double scale)
{
	double seconds = (double)(c->last_ns - c->first_ns) / 1e9;

	if (c->fixed)
		return get_fixed(c, a);
	if (a == ND_TOTAL)
		return c->interval ? missing(ND_TOOL_OUTPUT_ABSENT,
					     "the tool printed a difference, not the total")
				   : number((double)c->count.last * scale, ND_B_LIFETIME);
	if (c->interval)
		return a == ND_SEEN
			       ? number((double)c->count.last * scale, ND_B_INTERVAL)
			       : missing(ND_SINGLE_SNAPSHOT, "a difference over an unknown time");
	if (c->reset)
		return missing(ND_COUNTER_RESET, "it went backwards within the window");
	if (c->n < 2)
		return a == ND_SEEN ? number((double)c->count.last * scale, ND_B_LIFETIME)
				    : missing(ND_SINGLE_SNAPSHOT, "one reading has no rate");
	if (c->untimed)
		return a == ND_PEAK || a == ND_RATE
			       ? missing(ND_SINGLE_SNAPSHOT,
					 "nobody knows how long passed between its readings")
			       : number((double)c->count.delta * scale, ND_B_INTERVAL);
	if (a == ND_PEAK)
		return number(c->count.peak * scale, ND_B_WINDOW);
	return number((double)c->count.delta * scale / (a == ND_RATE ? seconds : 1), ND_B_WINDOW);
}

static struct nd_value get_gauge(const struct nd_cell *c, enum nd_accessor a)
{
	if (a == ND_CHANGE && c->n < 2)
		return missing(ND_SINGLE_SNAPSHOT, "one reading has no change");
	const double by[ND_ACCESSORS] = {
		[ND_BARE] = c->gauge.last,
		[ND_FIRST] = c->gauge.first,
		[ND_MIN] = c->gauge.min,
		[ND_MAX] = c->gauge.max,
		[ND_MEAN] = c->gauge.sum / c->n,
		[ND_CHANGE] = c->gauge.last - c->gauge.first,
		[ND_SAMPLES] = c->n,
	};
	return number(by[a], ND_B_STATE);
}

struct nd_value nd_get(const struct nd_facts *f, nd_id on, nd_fact_id fact, enum nd_accessor a)
{
	const struct nd_fact_def *d = f->columns[fact].def;
	const struct nd_cell *c = nd_cell_of(f, on, fact);
	struct nd_value v = {.basis = ND_B_STATE, .detail = ""};

	if (!c || c->state == ND_C_EMPTY) {
		const struct nd_column_store *column = &f->columns[fact];

		return column->explained ? missing(column->why, column->detail)
					 : missing(f->default_why, "");
	}
	if (c->state == ND_C_MISSING)
		return missing(c->why, c->detail);
	if (c->state == ND_C_ABSENT) {
		v.type = ND_V_ABSENT;
		return v;
	}
	switch (d->type) {
	case ND_T_NUMBER:
		return d->width == ND_COUNTER32 || d->width == ND_COUNTER64
			       ? get_counter(c, a, d->kernel_unit > 0 ? d->kernel_unit : 1)
			       : get_gauge(c, a);
	case ND_T_TEXT:
	case ND_T_WORDS:
		v.type = ND_V_TEXT;
		v.text = a == ND_FIRST ? c->text.first : c->text.last;
		return v;
	case ND_T_BOOL:
		v.type = ND_V_BOOL;
		v.yes = a == ND_FIRST ? c->yes.first : c->yes.last;
		return v;
	case ND_T_HIST:
		v.type = ND_V_HIST;
		v.basis = ND_B_WINDOW;
		v.hist = c->hist;
		return v;
	}
	return missing(ND_SILENT, "");
}

const char *nd_get_source(const struct nd_facts *f, nd_id on, nd_fact_id fact)
{
	const struct nd_cell *c = nd_cell_of(f, on, fact);

	return c && c->source ? c->source : "";
}

const char *nd_get_reproduce(struct nd_facts *f, nd_id on, nd_fact_id fact)
{
	const char *t = nd_registry_def(f->registry, fact)->reproduce;
	const char *hole = t ? strstr(t, "{key}") : NULL;
	struct nd_buf b = {0};
	const char *out;

	if (!t)
		return "";
	for (; hole; t = hole + 5, hole = strstr(t, "{key}")) {
		nd_buf_put(&b, t, (size_t)(hole - t));
		nd_print_shell(&b, nd_entity_key(f, on));
	}
	nd_buf_puts(&b, t);
	out = nd_arena_strdup(&f->arena, nd_buf_str(&b));
	nd_buf_free(&b);
	return out;
}

/* A group, its parent, and so on up; made when first asked. */
static void fill_chain(struct nd_facts *f, nd_id group, struct nd_link_list *l)
{
	nd_id at = group;

	l->state = ND_L_KNOWN;
	for (unsigned depth = 0; depth < 64; depth++) {
		struct nd_link_list *up;

		ND_GROW(l->ids, l->n, l->cap);
		l->ids[l->n++] = at;
		up = nd_links_for(f, at, ND_CGROUP_PARENT, false);
		if (up->state != ND_L_KNOWN || up->n == 0)
			return;
		at = up->ids[0];
	}
}

struct nd_links nd_related(const struct nd_facts *f, nd_id on, enum nd_relation rel, bool inverse)
{
	struct nd_facts *store =
		(struct nd_facts *)(uintptr_t)f; /* lists are made to exist, not changed */
	struct nd_link_list *l = nd_links_for(store, on, rel, inverse);

	if (rel == ND_CGROUP_CHAIN && !inverse && l->state == ND_L_UNSET) {
		fill_chain(store, on, l);
		l = nd_links_for(store, on, rel, inverse);
	}
	if (l->state == ND_L_KNOWN)
		return (struct nd_links){l->ids, l->n, ND_PRESENT, ""};
	if (l->state == ND_L_MISSING)
		return (struct nd_links){NULL, 0, l->why, l->detail};
	/* Nobody on the other side names it. If that side was read, there is none. */
	if (inverse && f->kinds[nd_relations[rel].from].read &&
	    f->kinds[nd_relations[rel].from].n == 0)
		return (struct nd_links){NULL, 0, ND_PRESENT, ""};
	return (struct nd_links){NULL, 0, f->default_why, ""};
}
