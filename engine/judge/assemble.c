/* From an outcome to the plain data that reports print.
 *
 * Every text is copied into the findings' arena: the facts may be gone when the report is written. */
#include "engine/judge/assemble.h"

#include <math.h>

#define MAX_VALUES 24

static const char *dup(struct nd_run *run, const char *s)
{
	return s ? nd_arena_strdup(run->arena, s) : NULL;
}

static enum nd_unit used_unit(const struct nd_run *run, const struct nd_used *u)
{
	if (u->what == ND_USED_FACT)
		return nd_accessor_unit(nd_registry_def(nd_facts_registry(run->f), u->id),
					u->accessor);
	return ND_U_COUNT;
}

static struct nd_value to_value(struct nd_run *run, const struct nd_result *r)
{
	struct nd_value v = {.type = ND_V_MISSING,
			     .basis = r->basis,
			     .why = r->why,
			     .detail = dup(run, r->detail ? r->detail : "")};

	if (r->t == ND_R_NUMBER) {
		v.type = ND_V_NUMBER;
		v.num = r->num;
	} else if (r->t == ND_R_BOOL) {
		v.type = ND_V_BOOL;
		v.yes = r->yes;
	} else if (r->t == ND_R_TEXT) {
		v.type = ND_V_TEXT;
		v.text = dup(run, r->text);
	} else if (r->t == ND_R_ABSENT) {
		v.type = ND_V_ABSENT;
	} else if (r->t == ND_R_HIST) {
		v.type = ND_V_HIST;
		v.hist = r->hist;
	}
	return v;
}

static bool same_used(const struct nd_used *a, const struct nd_used *b)
{
	return a->what == b->what && a->on == b->on && a->id == b->id &&
	       a->accessor == b->accessor && a->rows == b->rows && a->inverse == b->inverse;
}

bool nd_used_before(const struct nd_used *u, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++) {
		if (same_used(&u[k], &u[i]))
			return true;
	}
	return false;
}

static struct nd_evidence_value evidence_value(struct nd_run *run, const struct nd_rule *rule,
					       const struct nd_used *u)
{
	struct nd_evidence_value out = {.fact = nd_used_name(run, rule, u),
					.entity = dup(run, nd_used_entity(run, u)),
					.source = "",
					.reproduce = ""};

	out.value = to_value(run, &u->value);
	out.unit = used_unit(run, u);
	out.distrusted = u->distrusted;
	if (u->what == ND_USED_FACT) {
		out.source = dup(run, nd_get_source(run->f, u->on, u->id));
		out.reproduce = dup(run, nd_get_reproduce(run->f, u->on, u->id));
	}
	return out;
}

void nd_assemble_evidence(struct nd_run *run, const struct nd_walk *w, const struct nd_answered *a,
			  struct nd_eval *e, struct nd_evidence *out)
{
	const struct nd_rule *rule = w->tree->rule;
	struct nd_evidence_value *values =
		nd_arena_alloc(run->arena, (MAX_VALUES + 1) * sizeof(*values));

	*out = (struct nd_evidence){.ask = nd_render(a->node->ask, e),
				    .test = dup(run, a->node->test_text),
				    .answer = a->answer};
	out->grade = (enum nd_grade)a->node->grade;
	out->stale = a->stale;
	out->says = a->says;
	for (uint32_t i = 0; i < a->n_used; i++) {
		if (i < 512 && nd_used_before(a->used, i))
			continue;
		if (out->n_values == MAX_VALUES) {
			out->more_values++;
			continue;
		}
		values[out->n_values++] = evidence_value(run, rule, &a->used[i]);
	}
	out->values = values;
}

struct nd_missing_fact *nd_missing_facts(struct nd_run *run, const struct nd_rule *rule,
					 const struct nd_used *u, uint32_t n, uint32_t *count)
{
	struct nd_missing_fact *out = nd_arena_alloc(run->arena, (n + 1) * sizeof(*out));

	*count = 0;
	for (uint32_t i = 0; i < n && *count < MAX_VALUES; i++) {
		struct nd_missing_fact *m = &out[*count];

		if (!nd_used_unknown(&u[i]) || (i < 512 && nd_used_before(u, i)))
			continue;
		*m = (struct nd_missing_fact){.fact = nd_used_name(run, rule, &u[i]),
					      .entity = dup(run, nd_used_entity(run, &u[i]))};
		m->why = u[i].value.why;
		m->detail = dup(run, u[i].value.detail);
		m->reproduce = "";
		if (u[i].what == ND_USED_LOG)
			m->reproduce = m->collect = "dmesg";
		if (u[i].what == ND_USED_KIND)
			m->collect = nd_registry_collect_kind(nd_facts_registry(run->f),
							      (enum nd_kind)u[i].id);
		if (u[i].what == ND_USED_FACT) {
			m->collect = nd_registry_collect(nd_facts_registry(run->f), u[i].id);
			m->reproduce = dup(run, nd_get_reproduce(run->f, u[i].on, u[i].id));
			m->probe = nd_registry_def(nd_facts_registry(run->f), u[i].id)->probe;
		}
		(*count)++;
	}
	return out;
}

static void related(struct nd_run *run, const struct nd_outcome *o, const struct nd_walk *w,
		    struct nd_finding *out)
{
	struct nd_related *v = nd_arena_alloc(run->arena, (o->n_found + 1) * sizeof(*v));
	const struct nd_use *u = nd_walk_use(w);

	for (uint32_t i = 0; i < o->n_found; i++) {
		const struct nd_walk *x = o->found[i];
		const struct nd_use *y = nd_walk_use(x);
		const char *how = NULL;

		for (uint32_t k = 0; x != w && k < u->n_explains; k++)
			how = strcmp(u->explains[k], y->name) == 0 && x->role == ND_CONSEQUENCE
				      ? "is its consequence"
				      : how;
		for (uint32_t k = 0; x != w && k < y->n_explains; k++)
			how = strcmp(y->explains[k], u->name) == 0 && w->role == ND_CONSEQUENCE
				      ? "explains it"
				      : how;
		for (uint32_t k = 0; x != w && k < y->n_amplifies; k++)
			how = strcmp(y->amplifies[k], u->name) == 0 && x->role == ND_AMPLIFIER
				      ? "makes it worse"
				      : how;
		if (how)
			v[out->n_related++] = (struct nd_related){
				dup(run, y->name), dup(run, nd_entity_name(run->f, x->about)), how};
	}
	out->related = v;
}

static void fixes(struct nd_run *run, const struct nd_walk *w, struct nd_finding *out)
{
	const struct nd_use *u = nd_walk_use(w);
	struct nd_fix *v = nd_arena_alloc(run->arena, (u->n_fixes + 1) * sizeof(*v));

	for (uint32_t i = 0; i < u->n_fixes; i++)
		nd_fix_print(&u->fixes[i], w, run, &v[out->n_fixes++]);
	out->fixes = v;
}

static void members(struct nd_run *run, const struct nd_walk *w, struct nd_finding *out)
{
	const char **v = nd_arena_alloc(run->arena, (w->n_members + 1) * sizeof(*v));

	for (uint32_t i = 0; i < w->n_members; i++)
		v[out->n_entities++] = dup(run, nd_entity_name(run->f, w->members[i].id));
	out->entities = v;
}

static const char **references(struct nd_run *run, const struct nd_walk *w, uint32_t *n)
{
	const struct nd_use *u = nd_walk_use(w);
	const struct nd_rule *r = w->tree->rule;
	const char **v =
		nd_arena_alloc(run->arena, (u->n_references + r->n_references + 1) * sizeof(*v));

	for (uint32_t i = 0; i < u->n_references; i++)
		v[(*n)++] = dup(run, u->references[i]);
	for (uint32_t i = 0; i < r->n_references; i++)
		v[(*n)++] = dup(run, r->references[i]);
	return v;
}

void nd_assemble_finding(struct nd_run *run, const struct nd_outcome *o, const struct nd_walk *w,
			 struct nd_finding *out)
{
	const struct nd_use *u = nd_walk_use(w);
	struct nd_eval e = nd_walk_eval(run, w);
	struct nd_evidence *path = nd_arena_alloc(run->arena, (w->n_path + 1) * sizeof(*path));

	*out = (struct nd_finding){.cause = dup(run, u->name),
				   .rule = dup(run, w->tree->rule->name),
				   .entity = dup(run, nd_entity_name(run->f, w->about))};
	out->word = w->word;
	out->role = w->role;
	out->supports = w->supports;
	out->title = nd_render(u->title, &e);
	out->because = nd_render_sentences(u->because, &e);
	out->cap = w->cap_why;
	out->delay = w->delay;
	out->touches = w->touches;
	out->share = w->share;
	out->fit = w->fit;
	out->too_small = w->fit < 0.2;
	out->share_of = u->share_of ? nd_render(u->share_of, &e) : NULL;
	for (uint32_t i = 0; i < w->n_path; i++)
		nd_assemble_evidence(run, w, &w->path[i], &e, &path[out->n_evidence++]);
	out->evidence = path;
	out->references = references(run, w, &out->n_references);
	members(run, w, out);
	fixes(run, w, out);
	related(run, o, w, out);
}
