/* Evaluation of paths: entities, relations, facts, log lines, filters; over one entity or mapped over a set. */
#include "engine/judge/eval.h"

#include <math.h>

#include "engine/rule/expr_match.h"

static struct nd_result entity(nd_id id)
{
	return (struct nd_result){.t = ND_R_ENTITY, .id = id, .detail = ""};
}

static struct nd_result set_new(struct nd_eval *e, uint32_t cap)
{
	return (struct nd_result){.t = ND_R_SET,
				  .items = nd_work(e, (cap + 1) * sizeof(struct nd_item)),
				  .detail = ""};
}

static struct nd_item unknown_item(enum nd_missing why, const char *detail)
{
	return (struct nd_item){
		.id = ND_NO_ENTITY, .why = why == ND_PRESENT ? ND_SILENT : why, .detail = detail};
}

static struct nd_result from_value(const struct nd_value *v)
{
	static const enum nd_vt types[] = {
		[ND_V_MISSING] = ND_R_MISSING, [ND_V_ABSENT] = ND_R_ABSENT,
		[ND_V_NUMBER] = ND_R_NUMBER,   [ND_V_BOOL] = ND_R_BOOL,
		[ND_V_TEXT] = ND_R_TEXT,       [ND_V_HIST] = ND_R_HIST,
	};
	struct nd_result r = {.t = types[v->type],
			      .basis = v->basis,
			      .why = v->why,
			      .detail = v->detail ? v->detail : ""};

	if (v->type == ND_V_NUMBER)
		r.num = v->num;
	else if (v->type == ND_V_BOOL)
		r.yes = v->yes;
	else if (v->type == ND_V_TEXT)
		r.text = v->text;
	else if (v->type == ND_V_HIST)
		r.hist = v->hist;
	return r;
}

static bool distrusted(const struct nd_run *run, nd_id on, nd_fact_id fact)
{
	for (uint32_t i = 0; i < run->n_distrusted; i++) {
		const struct nd_distrusted *d = &run->distrusted[i];

		if (d->fact == fact && (d->on == on || d->on == ND_NO_ENTITY))
			return true;
	}
	return false;
}

/* ---- one step from one entity ---- */

struct nd_result nd_eval_fact(const struct nd_code *c, nd_id on, struct nd_eval *e)
{
	struct nd_value v = nd_get(e->run->f, on, c->fact, c->accessor);
	struct nd_result r = from_value(&v);
	struct nd_used u = {
		.what = ND_USED_FACT, .on = on, .id = c->fact, .accessor = c->accessor, .value = r};

	u.distrusted = distrusted(e->run, on, c->fact);
	nd_use(e, &u);
	return r;
}

static struct nd_result relation_of(const struct nd_code *c, nd_id on, struct nd_eval *e)
{
	struct nd_links l = nd_related(e->run->f, on, c->relation, c->inverse);
	bool many = c->inverse || nd_relations[c->relation].many;
	struct nd_result r;

	if (l.why != ND_PRESENT) {
		struct nd_used u = {.what = ND_USED_RELATION,
				    .on = on,
				    .id = (int32_t)c->relation,
				    .inverse = c->inverse};

		r = nd_missing_result(l.why, l.detail);
		u.value = r;
		nd_use(e, &u);
		return r;
	}
	if (!many)
		return l.n ? entity(l.ids[0]) : nd_absent_result();
	r = set_new(e, l.n);
	for (uint32_t i = 0; i < l.n; i++)
		r.items[r.n++] = (struct nd_item){.id = l.ids[i], .detail = ""};
	return r;
}

static struct nd_result key_of(const struct nd_code *c, nd_id on, struct nd_eval *e)
{
	const char *key = nd_entity_key(e->run->f, on);
	struct nd_result r = {.t = ND_R_TEXT, .text = key, .detail = ""};
	double v;

	if (!nd_kinds[c->kind].number_key)
		return r;
	return nd_parse_f64(key, &v) ? nd_number_result(v, ND_B_STATE)
				     : nd_missing_result(ND_PARSE_ERROR, "the key is no number");
}

static struct nd_result tally_of(const struct nd_code *c, nd_id on, struct nd_eval *e)
{
	const struct nd_tally *t = &e->rule->tallies[c->index];
	struct nd_used u = {.what = ND_USED_TALLY, .on = on, .id = c->index, .rows = c->rows};
	double hits, rows;

	u.value = nd_tally_get(e->run->f, t->slot, on, &hits, &rows)
			  ? nd_number_result(c->rows ? rows : hits, ND_B_WINDOW)
			  : nd_missing_result(ND_NOT_SAMPLED, "no sample of it was taken");
	nd_use(e, &u);
	return u.value;
}

static struct nd_result log_of(const struct nd_code *c, nd_id on, struct nd_eval *e)
{
	struct nd_log_rows *rows = nd_log_rows_of(e->run, (uint32_t)c->index);
	const struct nd_log_pattern *p = e->run->rules->logs[c->index];
	struct nd_used u = {.what = ND_USED_LOG, .on = on, .id = c->index};
	struct nd_result r;

	if (rows->status.why != ND_PRESENT) {
		u.value = nd_missing_result(rows->status.why, rows->status.detail);
		nd_use(e, &u);
		return u.value;
	}
	r = set_new(e, rows->n);
	for (uint32_t i = 0; i < rows->n; i++) {
		bool speaks = nd_entity_kind(e->run->f, on) == ND_HOST;

		for (uint32_t g = 0; g < p->n_groups && !speaks; g++)
			speaks = rows->v[i].groups[g].t == ND_R_ENTITY &&
				 rows->v[i].groups[g].id == on;
		if (speaks)
			r.items[r.n++] = (struct nd_item){.id = i, .detail = ""};
	}
	u.value = nd_number_result(r.n, ND_B_LIFETIME); /* a line of whatever age */
	nd_use(e, &u);
	return r;
}

static struct nd_result column_of(const struct nd_code *c, nd_id row, struct nd_eval *e)
{
	const struct nd_log_rows *rows = nd_log_rows_of(e->run, (uint32_t)c->a->type.log);
	const struct nd_log_row *r = &rows->v[row];
	struct nd_result text = {.t = ND_R_TEXT, .text = r->text, .detail = ""};

	if (c->index == -2)
		return text;
	if (c->index >= 0)
		return r->groups[c->index];
	return r->age >= 0 ? nd_number_result(r->age, ND_B_STATE)
			   : nd_missing_result(ND_PARSE_ERROR, "a log line without a time");
}

static struct nd_result derived_of(const struct nd_code *c, nd_id on, struct nd_eval *e)
{
	struct nd_eval inner = *e;

	inner.self = on;
	inner.places = 0;
	inner.element = ND_NO_ENTITY;
	inner.lets = NULL;
	return nd_eval(c->derived->code, &inner);
}

static struct nd_result step_of(const struct nd_code *c, nd_id on, struct nd_eval *e)
{
	static struct nd_result (*const by[])(const struct nd_code *, nd_id, struct nd_eval *) = {
		[ND_O_FACT] = nd_eval_fact,  [ND_O_RELATION] = relation_of,
		[ND_O_KEY] = key_of,	     [ND_O_TALLY] = tally_of,
		[ND_O_LOG] = log_of,	     [ND_O_COLUMN] = column_of,
		[ND_O_DERIVED] = derived_of,
	};

	return by[c->op](c, on, e);
}

/* ---- mapping over a set ---- */

/* A set that is being made. */
struct unique {
	struct nd_result set;
	uint32_t cap;
	struct nd_id_set ids;
};

static void add_unique(struct unique *u, struct nd_item item, struct nd_eval *e)
{
	struct nd_result *set = &u->set;

	if (item.why == ND_PRESENT && nd_id_set_has(&u->ids, set, item.id, e))
		return;
	if (set->n == u->cap) {
		struct nd_item *more = nd_work(e, (u->cap * 2 + 8) * sizeof(*more));

		if (set->n)
			memcpy(more, set->items, set->n * sizeof(*more));
		set->items = more;
		u->cap = u->cap * 2 + 8;
	}
	set->items[set->n++] = item;
}

static struct nd_result map_to_set(const struct nd_code *c, const struct nd_result *from,
				   struct nd_eval *e)
{
	struct unique out = {.set = set_new(e, from->n), .cap = from->n};

	for (uint32_t i = 0; i < from->n; i++) {
		struct nd_result r;

		if (!nd_visit(e))
			return nd_out_of_budget(e);
		if (from->items[i].why != ND_PRESENT) {
			add_unique(&out, from->items[i], e);
			continue;
		}
		r = step_of(c, from->items[i].id, e);
		if (r.t == ND_R_MISSING)
			add_unique(&out, unknown_item(r.why, r.detail), e);
		else if (r.t == ND_R_ENTITY)
			add_unique(&out, (struct nd_item){.id = r.id, .detail = ""}, e);
		for (uint32_t k = 0; r.t == ND_R_SET && k < r.n; k++)
			add_unique(&out, r.items[k], e);
	}
	return out.set;
}

static struct nd_result map_to_list(const struct nd_code *c, const struct nd_result *from,
				    struct nd_eval *e)
{
	struct nd_result out = {.t = ND_R_LIST, .detail = ""};

	nd_use_room(e, from->n);
	out.list = nd_work(e, (from->n + 1) * sizeof(*out.list));
	for (uint32_t i = 0; i < from->n; i++) {
		struct nd_result r;

		if (!nd_visit(e))
			return nd_out_of_budget(e);
		r = from->items[i].why == ND_PRESENT
			    ? step_of(c, from->items[i].id, e)
			    : nd_missing_result(from->items[i].why, from->items[i].detail);
		if (r.t != ND_R_ABSENT)
			out.list[out.n++] = r;
	}
	return out;
}

/* What a cause is about is the walked entity if its own was absent: that may be of another kind. */
static bool other_kind(const struct nd_code *from, nd_id id, const struct nd_eval *e)
{
	return from->op == ND_O_ABOUT && nd_entity_kind(e->run->f, id) != from->kind;
}

static struct nd_result eval_step(const struct nd_code *c, struct nd_eval *e)
{
	struct nd_result from;

	if (c->a->op == ND_O_THIS || c->a->op == ND_O_ELEMENT)
		return step_of(c, c->a->op == ND_O_THIS ? e->self : e->element, e);
	from = nd_eval(c->a, e);
	if (from.t == ND_R_ENTITY && other_kind(c->a, from.id, e))
		return nd_absent_result();
	if (from.t == ND_R_ENTITY)
		return step_of(c, from.id, e);
	if (from.t != ND_R_SET)
		return from; /* unknown or absent */
	return c->type.t == ND_X_SET ? map_to_set(c, &from, e) : map_to_list(c, &from, e);
}

/* ---- roots ---- */

static struct nd_result all_of(enum nd_kind kind, struct nd_eval *e)
{
	struct nd_status status = nd_kind_status(e->run->f, kind);
	struct nd_result r;
	const nd_id *ids;
	uint32_t n;

	ids = nd_entities(e->run->f, kind, &n);
	if (status.why != ND_PRESENT) {
		struct nd_used u = {.what = ND_USED_KIND, .on = 0, .id = (int32_t)kind};

		u.value = nd_missing_result(status.why, status.detail);
		nd_use(e, &u);
		if (n == 0)
			return u.value;
	}
	r = set_new(e, n + 1);
	for (uint32_t i = 0; i < n; i++)
		r.items[r.n++] = (struct nd_item){.id = ids[i], .detail = ""};
	if (status.why != ND_PRESENT)
		r.items[r.n++] = unknown_item(status.why, status.detail);
	return r;
}

static struct nd_result by_key(const struct nd_code *c, struct nd_eval *e)
{
	struct nd_result k = nd_eval(c->a, e);
	struct nd_status status = nd_kind_status(e->run->f, c->kind);
	struct nd_used u = {.what = ND_USED_MEMBER, .id = (int32_t)c->kind};
	char text[64];
	nd_id id;

	if (k.t == ND_R_MISSING || k.t == ND_R_ABSENT)
		return k;
	if (k.t == ND_R_NUMBER)
		snprintf(text, sizeof(text), "%.0f", k.num);
	id = nd_entity_find(e->run->f, c->kind, k.t == ND_R_NUMBER ? text : k.text);
	if (id != ND_NO_ENTITY)
		return entity(id);
	/* A function that nobody watched is unknown; others are absent if their kind was read. */
	if (status.why == ND_PRESENT && c->kind != ND_FUNCTION)
		return nd_absent_result();
	u.key = nd_arena_strdup(e->run->arena, k.t == ND_R_NUMBER ? text : k.text);
	u.value = nd_missing_result(status.why == ND_PRESENT ? ND_NOT_SAMPLED : status.why,
				    status.detail);
	nd_use(e, &u);
	return u.value;
}

static struct nd_result found_set(const struct nd_code *c, struct nd_eval *e)
{
	struct nd_item self = {.id = e->self, .detail = ""};
	const struct nd_item *found = e->n_found ? e->found : &self;
	uint32_t n = e->n_found ? e->n_found : 1;
	struct nd_result r = set_new(e, n);

	for (uint32_t i = 0; i < n; i++) {
		if (nd_entity_kind(e->run->f, found[i].id) == c->kind)
			r.items[r.n++] = found[i];
	}
	return r;
}

/* ---- filters ---- */

/* A filter that bounds the age of log lines does not stand on the lifetime. */
struct nd_result nd_eval_set(const struct nd_code *set, bool of_age, struct nd_eval *e)
{
	uint32_t from = e->used ? e->used->n : 0;
	struct nd_result r = nd_eval(set, e);

	for (uint32_t i = from; of_age && e->used && i < e->used->n; i++) {
		struct nd_used *u = &e->used->v[i];

		if (u->what == ND_USED_LOG && u->value.t == ND_R_NUMBER)
			u->value.basis = ND_B_STATE;
	}
	return r;
}

static struct nd_result eval_filter(const struct nd_code *c, struct nd_eval *e)
{
	struct nd_result set = nd_eval_set(c->a, c->of_age, e), out;

	if (set.t == ND_R_ABSENT)
		return set_new(e, 0);
	if (set.t != ND_R_SET)
		return set;
	nd_use_room(e, set.n);
	out = set_new(e, set.n);
	for (uint32_t i = 0; i < set.n; i++) {
		struct nd_result r;

		if (!nd_visit(e))
			return nd_out_of_budget(e);
		if (set.items[i].why != ND_PRESENT) {
			out.items[out.n++] = set.items[i];
			continue;
		}
		r = nd_eval_member(c->b, set.items[i].id, e);
		if (r.t == ND_R_MISSING)
			out.items[out.n++] = unknown_item(r.why, r.detail);
		else if (r.t == ND_R_BOOL && r.yes)
			out.items[out.n++] = set.items[i];
	}
	return out;
}

struct nd_result nd_eval_path(const struct nd_code *c, struct nd_eval *e)
{
	switch ((int)c->op) {
	case ND_O_THIS: return entity(e->self);
	case ND_O_ELEMENT: return entity(e->element);
	case ND_O_LOOP: return entity(e->loops[c->index]);
	case ND_O_ABOUT: return entity(e->n_found ? e->found[0].id : e->self);
	case ND_O_FOUND: return found_set(c, e);
	case ND_O_ONE: return entity(nd_entity_find(e->run->f, c->kind, ""));
	case ND_O_ALL: return all_of(c->kind, e);
	case ND_O_BY_KEY: return by_key(c, e);
	case ND_O_FILTER: return eval_filter(c, e);
	default: return eval_step(c, e);
	}
}

/* ---- log lines ---- */

static void log_groups(struct nd_run *run, const struct nd_log_pattern *p, struct nd_log_row *row)
{
	row->groups = nd_arena_alloc(run->arena, (p->n_groups + 1) * sizeof(*row->groups));
	for (uint32_t g = 0; g < p->n_groups; g++) {
		const char *start;
		size_t len;

		row->groups[g] = nd_absent_result();
		if (!nd_pattern_group(p->pattern, g, &start, &len))
			continue;
		start = nd_arena_strndup(run->arena, start, len);
		if (p->group_kinds[g] != ND_NO_KIND)
			row->groups[g] = entity(nd_entity(run->f, p->group_kinds[g], start));
		else
			row->groups[g] =
				(struct nd_result){.t = ND_R_TEXT, .text = start, .detail = ""};
	}
}

static void log_match(struct nd_run *run, const struct nd_log_pattern *p, struct nd_log_rows *rows,
		      const struct nd_log_rows *given)
{
	uint32_t n, cap = 0;
	struct nd_status status = given ? given->status : (struct nd_status){ND_PRESENT, ""};
	const struct nd_log_line *lines =
		nd_log(run->f, &n, given ? &(struct nd_status){0} : &status);

	rows->status = status;
	n = given ? given->n : n;
	for (uint32_t i = 0; i < n && status.why == ND_PRESENT && p->pattern; i++) {
		struct nd_log_row row =
			given ? given->v[i]
			      : (struct nd_log_row){lines[i].age, lines[i].text, NULL};

		int rc = nd_pattern_match(p->pattern, row.text, strlen(row.text));

		if (rc < 0) { /* whether this line counts is not known, and so is how many do */
			rows->status = (struct nd_status){
				ND_BUDGET, "a log line took too many steps to match"};
			return;
		}
		if (rc == 0)
			continue;
		log_groups(run, p, &row);
		if (rows->n == cap) {
			struct nd_log_row *more =
				nd_arena_alloc(run->arena, (cap * 2 + 16) * sizeof(*more));

			if (rows->n)
				memcpy(more, rows->v, rows->n * sizeof(*more));
			rows->v = more;
			cap = cap * 2 + 16;
		}
		rows->v[rows->n++] = row;
	}
}

struct nd_log_rows *nd_log_rows_of(struct nd_run *run, uint32_t slot)
{
	const struct nd_log_pattern *p = run->rules->logs[slot];
	struct nd_log_rows *rows;

	if (!run->logs)
		run->logs =
			nd_arena_alloc(run->arena, (run->rules->n_logs + 1) * sizeof(*run->logs));
	rows = &run->logs[slot];
	if (!rows->done) {
		rows->done = true;
		log_match(run, p, rows,
			  run->log_override ? run->log_override(run->override_ctx, p) : NULL);
	}
	return rows;
}
