/* facts dump: reads a source and prints every entity with its facts, for those who wonder what a rule saw.
 *
 * A line is one accessed value: entity, fact, value, basis, source. What is missing is printed too, once per fact,
 * with its reason: that nothing is there is what one usually looks for. */
#include "engine/cli/cmd.h"
#include "engine/cli/session.h"
#include "reports/view.h"

#define NAMES_MAX 128

struct dump {
	const struct nd_options *o;
	struct nd_facts *facts;
	const struct nd_registry *registry;
	struct nd_buf *out;
	bool json, first;
};

static void put_text(struct dump *d, const char *s)
{
	nd_view_clean(d->out, s, ND_CLEAN_LINE);
}

/* "key":"value", after a comma unless it is the first member. */
static void put_member(struct dump *d, const char *key, const char *value)
{
	nd_buf_printf(d->out, "%s\"%s\":", d->out->s[d->out->len - 1] == '{' ? "" : ",", key);
	nd_put_json_text(d->out, value);
}

static void open_row(struct dump *d)
{
	if (d->json)
		nd_buf_puts(d->out, d->first ? "\n{" : ",\n{");
	d->first = false;
}

/* ---- values ---- */

static void put_json_value(struct dump *d, const struct nd_value *v)
{
	switch (v->type) {
	case ND_V_NUMBER:
		nd_buf_puts(d->out, ",\"value\":");
		nd_print_plain(d->out, v->num);
		break;
	case ND_V_BOOL: nd_buf_printf(d->out, ",\"value\":%s", v->yes ? "true" : "false"); break;
	case ND_V_TEXT: put_member(d, "value", v->text); break;
	case ND_V_HIST:
		nd_buf_puts(d->out, ",\"samples\":");
		nd_print_plain(d->out, nd_hist_count(v->hist));
		break;
	case ND_V_ABSENT: nd_buf_puts(d->out, ",\"absent\":true"); break;
	case ND_V_MISSING:
		put_member(d, "missing", nd_missing_name(v->why));
		put_member(d, "detail", v->detail ? v->detail : "");
		break;
	}
}

static void put_value(struct dump *d, nd_id on, const char *fact, const struct nd_value *v,
		      enum nd_unit unit, const char *source)
{
	const char *entity = nd_entity_name(d->facts, on);
	struct nd_evidence_value shown = {
		.fact = fact, .entity = entity, .value = *v, .unit = unit};

	open_row(d);
	if (d->json) {
		put_member(d, "entity", entity);
		put_member(d, "fact", fact);
		put_json_value(d, v);
		put_member(d, "unit", v->type == ND_V_NUMBER ? nd_unit_name(unit) : "");
		put_member(d, "basis", nd_basis_name(v->basis));
		put_member(d, "source", source);
		nd_buf_putc(d->out, '}');
		return;
	}
	put_text(d, entity);
	nd_buf_printf(d->out, "\t%s\t", fact);
	if (v->type == ND_V_NUMBER)
		nd_print_human(d->out, v->num, unit);
	else if (v->type == ND_V_TEXT)
		put_text(d, v->text);
	else
		nd_view_value(d->out, &shown);
	nd_buf_printf(d->out, "\t%s\t", nd_basis_name(v->basis));
	put_text(d, source);
	nd_buf_putc(d->out, '\n');
}

/* All accessors that have a value; if none has, the reason of the first. */
static void put_fact(struct dump *d, nd_id on, nd_fact_id id)
{
	const struct nd_fact_def *def = nd_registry_def(d->registry, id);
	const char *source = nd_get_source(d->facts, on, id);
	struct nd_value first = {.type = ND_V_MISSING};
	bool any = false, asked = false;

	for (int i = 0; i < ND_ACCESSORS; i++) {
		enum nd_accessor a = (enum nd_accessor)i;
		const char *accessor = nd_accessor_name(a);
		struct nd_value v;
		char name[256];

		if (!nd_accessor_fits(def, a) || a == ND_SEEN || a == ND_FIRST || a == ND_CHANGE)
			continue;
		v = nd_get(d->facts, on, id, a);
		if (!asked)
			first = v;
		asked = true;
		if (v.type == ND_V_MISSING)
			continue;
		any = true;
		snprintf(name, sizeof(name), "%s%s%s", def->name, *accessor ? "." : "", accessor);
		put_value(d, on, name, &v, nd_accessor_unit(def, a), source);
		if (v.type == ND_V_ABSENT)
			break;
	}
	if (!any)
		put_value(d, on, def->name, &first, def->unit, source);
}

/* ---- what to print ---- */

static bool has_fact(const struct nd_collector *c, const struct nd_fact_def *def)
{
	const struct nd_fact_def *t = c->facts;

	while (t && t->name && t != def && !(t->on == def->on && strcmp(t->name, def->name) == 0))
		t++;
	return t && t->name;
}

static const struct nd_collector *find_collector(const char *name)
{
	for (uint32_t i = 0; i < nd_collectors_n; i++) {
		if (strcmp(nd_collectors[i]->name, name) == 0)
			return nd_collectors[i];
	}
	return NULL;
}

static bool is_wanted(const struct nd_options *o, const struct nd_fact_def *def)
{
	const char *name;
	uint32_t i = 0;

	if (!nd_opt_given(o, ND_OPT_ONLY))
		return true;
	while ((name = nd_opt_next(o, ND_OPT_ONLY, &i))) {
		const struct nd_collector *c = find_collector(name);

		if (c && has_fact(c, def))
			return true;
	}
	return false;
}

static int check_only(const struct nd_options *o)
{
	const char *names[NAMES_MAX], *name, *near;
	uint32_t i = 0, n = 0;

	for (uint32_t k = 0; k < nd_collectors_n && n < NAMES_MAX; k++)
		names[n++] = nd_collectors[k]->name;
	while ((name = nd_opt_next(o, ND_OPT_ONLY, &i))) {
		if (find_collector(name))
			continue;
		near = nd_nearest(name, names, n);
		return nd_usage_error(o->command, "--only %s: there is no such collector%s%s", name,
				      near ? "; nearest is " : "",
				      near ? near : "; netdoctor check lists them");
	}
	return 0;
}

static void put_relations(struct dump *d, nd_id on)
{
	for (int r = 0; r < ND_RELATIONS; r++) {
		struct nd_links l;

		if (nd_relations[r].from != nd_entity_kind(d->facts, on))
			continue;
		l = nd_related(d->facts, on, (enum nd_relation)r, false);
		for (uint32_t i = 0; l.why == ND_PRESENT && i < l.n; i++) {
			open_row(d);
			if (d->json) {
				put_member(d, "entity", nd_entity_name(d->facts, on));
				put_member(d, "relation", nd_relations[r].name);
				put_member(d, "to", nd_entity_name(d->facts, l.ids[i]));
				nd_buf_putc(d->out, '}');
				continue;
			}
			put_text(d, nd_entity_name(d->facts, on));
			nd_buf_printf(d->out, "\t%s\t-> ", nd_relations[r].name);
			put_text(d, nd_entity_name(d->facts, l.ids[i]));
			nd_buf_puts(d->out, "\t\t\n");
		}
	}
}

static void put_kind(struct dump *d, enum nd_kind kind)
{
	struct nd_status st = nd_kind_status(d->facts, kind);
	uint32_t n;
	const nd_id *ids = nd_entities(d->facts, kind, &n);

	if (st.why != ND_PRESENT && !nd_opt_given(d->o, ND_OPT_ONLY)) {
		struct nd_value v = {.type = ND_V_MISSING, .why = st.why, .detail = st.detail};
		struct nd_evidence_value shown = {.fact = "", .entity = "", .value = v};

		open_row(d);
		if (d->json) {
			put_member(d, "entity", nd_kinds[kind].name);
			put_json_value(d, &v);
			nd_buf_putc(d->out, '}');
		} else {
			nd_buf_printf(d->out, "%s:*\t*\t", nd_kinds[kind].name);
			nd_view_value(d->out, &shown);
			nd_buf_puts(d->out, "\t\t\n");
		}
	}
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t k = 0; k < nd_registry_count(d->registry); k++) {
			const struct nd_fact_def *def = nd_registry_def(d->registry, (nd_fact_id)k);

			if (def->on == kind && is_wanted(d->o, def))
				put_fact(d, ids[i], (nd_fact_id)k);
		}
		if (!nd_opt_given(d->o, ND_OPT_ONLY))
			put_relations(d, ids[i]);
	}
}

static void put_stats(struct nd_buf *out)
{
	nd_buf_printf(out, "%-16s %7s %5s %10s %10s\n", "collector", "inputs", "bad", "wall",
		      "cpu");
	for (uint32_t i = 0; i < nd_collectors_n; i++) {
		const struct nd_collector_status *st = nd_collect_status(i);
		struct nd_buf why = {0};

		nd_view_clean(&why, st->why, ND_CLEAN_LINE);
		nd_buf_printf(out, "%-16s %7u %5u %8.1fms %8.1fms %s\n", nd_collectors[i]->name,
			      st->inputs, st->bad, st->wall * 1e3, st->cpu * 1e3, nd_buf_str(&why));
		nd_buf_free(&why);
	}
}

/* What was read as something that its name does not say, and what was left out. */
static void put_remarks(struct dump *d, struct nd_source *source)
{
	uint32_t n;
	const struct nd_source_remark *remarks = nd_source_remarks(source, &n);

	for (uint32_t i = 0; i < n; i++) {
		open_row(d);
		if (d->json) {
			put_member(d, "input", remarks[i].path);
			put_member(d, "says", remarks[i].says);
			nd_buf_putc(d->out, '}');
			continue;
		}
		nd_buf_puts(d->out, "input\t");
		put_text(d, remarks[i].path);
		nd_buf_putc(d->out, '\t');
		put_text(d, remarks[i].says);
		nd_buf_puts(d->out, "\t\t\n");
	}
}

static void put_all(struct dump *d, struct nd_source *source)
{
	if (d->json)
		nd_buf_putc(d->out, '[');
	for (int kind = 0; kind < ND_KINDS; kind++)
		put_kind(d, (enum nd_kind)kind);
	if (!nd_opt_given(d->o, ND_OPT_ONLY))
		put_remarks(d, source);
	if (d->json)
		nd_buf_puts(d->out, "\n]\n");
}

struct dumping {
	const struct nd_options *o;
	struct nd_session *s;
};

static int put_dump(void *ctx, struct nd_buf *out)
{
	const struct dumping *x = ctx;
	struct dump d = {.o = x->o,
			 .facts = x->s->facts,
			 .registry = x->s->registry,
			 .out = out,
			 .json = nd_opt_given(x->o, ND_OPT_JSON),
			 .first = true};

	if (nd_opt_given(x->o, ND_OPT_STATS))
		put_stats(out);
	else
		put_all(&d, x->s->source);
	return 0;
}

int nd_cmd_facts_dump(const struct nd_options *o, struct nd_buf *out)
{
	struct dumping d = {.o = o};
	struct nd_session s;
	double window = 0;
	int status = check_only(o);

	if (status)
		return status;
	nd_parse_duration(nd_opt_text(o, ND_OPT_DURATION), &window);
	nd_session_begin(&s);
	d.s = &s;
	status = nd_session_open(&s, o);
	if (status == 0)
		status = nd_session_show(&s, o, window, put_dump, &d, out);
	nd_session_end(&s);
	return status;
}
