/* facts list, show, dump: the registry of what can be known, and what is known here and now. */
#include "engine/cli/cmd.h"
#include "engine/cli/rules_view.h"
#include "engine/cli/session.h"
#include "reports/view.h"

/* ---- printing ---- */

void nd_put_json_text(struct nd_buf *out, const char *s)
{
	struct nd_buf clean = {0};

	nd_view_clean(&clean, s, ND_CLEAN_LINE);
	nd_buf_putc(out, '"');
	for (const char *p = nd_buf_str(&clean); *p; p++) {
		if (*p == '"' || *p == '\\')
			nd_buf_putc(out, '\\');
		nd_buf_putc(out, *p);
	}
	nd_buf_putc(out, '"');
	nd_buf_free(&clean);
}

/* ,"key":"value" */
static void put_member(struct nd_buf *out, const char *key, const char *value)
{
	nd_buf_printf(out, ",\"%s\":", key);
	nd_put_json_text(out, value);
}

const char *nd_fact_name(const struct nd_fact_def *d, char out[ND_FACT_NAME_BYTES])
{
	snprintf(out, ND_FACT_NAME_BYTES, "%s.%s", nd_kinds[d->on].name, d->name);
	return out;
}

const char *nd_fact_type(const struct nd_fact_def *d)
{
	static const char *const types[] = {[ND_T_NUMBER] = "number",
					    [ND_T_TEXT] = "text",
					    [ND_T_WORDS] = "words",
					    [ND_T_BOOL] = "yes or no",
					    [ND_T_HIST] = "histogram"};
	static const char *const widths[] = {[ND_GAUGE] = "gauge",
					     [ND_SAMPLED] = "sampled gauge",
					     [ND_COUNTER32] = "counter, 32 bits",
					     [ND_COUNTER64] = "counter"};

	return d->type == ND_T_NUMBER ? widths[d->width] : types[d->type];
}

const char *nd_fact_unit(const struct nd_fact_def *d)
{
	return d->type == ND_T_NUMBER || d->type == ND_T_HIST ? nd_unit_name(d->unit) : "";
}

/* ---- list and show ---- */

static void list_row(const struct nd_fact_def *d, bool json, bool first, struct nd_buf *out)
{
	char name[ND_FACT_NAME_BYTES];

	if (!json) {
		nd_buf_printf(out, "%-44s %-16s %-5s %s\n", nd_fact_name(d, name), nd_fact_type(d),
			      nd_fact_unit(d), d->doc ? d->doc : "");
		return;
	}
	nd_buf_puts(out, first ? "\n{\"fact\":" : ",\n{\"fact\":");
	nd_put_json_text(out, nd_fact_name(d, name));
	put_member(out, "entity", nd_kinds[d->on].name);
	put_member(out, "type", nd_fact_type(d));
	put_member(out, "unit", nd_fact_unit(d));
	put_member(out, "doc", d->doc ? d->doc : "");
	put_member(out, "reproduce", d->reproduce ? d->reproduce : "");
	put_member(out, "probe", d->probe ? d->probe : "");
	nd_buf_putc(out, '}');
}

int nd_cmd_facts_list(const struct nd_options *o, struct nd_buf *out)
{
	bool json = nd_opt_given(o, ND_OPT_JSON), first = true;
	struct nd_session s;

	nd_session_begin(&s);
	if (json)
		nd_buf_putc(out, '[');
	for (int kind = 0; kind < ND_KINDS; kind++) {
		for (uint32_t i = 0; i < nd_registry_count(s.registry); i++) {
			const struct nd_fact_def *d = nd_registry_def(s.registry, (nd_fact_id)i);

			if (d->on != (enum nd_kind)kind)
				continue;
			list_row(d, json, first, out);
			first = false;
		}
	}
	if (json)
		nd_buf_puts(out, "\n]\n");
	nd_session_end(&s);
	return 0;
}

void nd_put_collectors(const struct nd_fact_def *d, struct nd_buf *out)
{
	const char *sep = "";

	for (uint32_t i = 0; i < nd_collectors_n; i++) {
		const struct nd_fact_def *t = nd_collectors[i]->facts;

		while (t && t->name && t != d && !(t->on == d->on && strcmp(t->name, d->name) == 0))
			t++;
		if (!t || !t->name)
			continue;
		nd_buf_printf(out, "%s%s", sep, nd_collectors[i]->name);
		sep = ", ";
	}
}

static void show(const struct nd_fact_def *d, struct nd_buf *out)
{
	char name[ND_FACT_NAME_BYTES];
	const char *sep = "";

	nd_buf_printf(out, "%s\n  %s\n", nd_fact_name(d, name), d->doc ? d->doc : "");
	nd_buf_printf(out, "  %s%s%s, of %s\n", nd_fact_type(d), *nd_fact_unit(d) ? ", in " : "",
		      nd_fact_unit(d), nd_kinds[d->on].doc);
	nd_buf_puts(out, "  in rules: ");
	for (int a = 0; a < ND_ACCESSORS; a++) {
		const char *accessor = nd_accessor_name((enum nd_accessor)a);

		if (!nd_accessor_fits(d, (enum nd_accessor)a))
			continue;
		nd_buf_printf(out, "%s%s%s%s", sep, name, *accessor ? "." : "", accessor);
		sep = ", ";
	}
	nd_buf_puts(out, "\n  collectors: ");
	nd_put_collectors(d, out);
	if (d->probe)
		nd_buf_printf(out, "\n  probe: %s", d->probe);
	if (d->reproduce)
		nd_buf_printf(out, "\n  by hand: %s", d->reproduce);
	nd_buf_putc(out, '\n');
}

/* "cpu.softnet.dropped", with any accessor behind it, or without the kind if that is enough. */
static bool is_meant(const struct nd_fact_def *d, const char *asked)
{
	char full[ND_FACT_NAME_BYTES];
	const char *names[] = {nd_fact_name(d, full), d->name};

	for (size_t i = 0; i < ND_ARRAY_LEN(names); i++) {
		size_t n = strlen(names[i]);

		if (strncmp(asked, names[i], n) != 0)
			continue;
		for (int a = 0; a < ND_ACCESSORS; a++) {
			const char *accessor = nd_accessor_name((enum nd_accessor)a);

			if (nd_accessor_fits(d, (enum nd_accessor)a) && asked[n] == '.' &&
			    strcmp(asked + n + 1, accessor) == 0)
				return true;
		}
		if (!asked[n])
			return true;
	}
	return false;
}

static int unknown_fact(const struct nd_registry *r, const char *asked)
{
	uint32_t facts = nd_registry_count(r), n = 0;
	const char **names = nd_alloc((2 * (size_t)facts + 1) * sizeof(*names)), *near;
	struct nd_arena arena = {0};
	char full[ND_FACT_NAME_BYTES];

	for (uint32_t i = 0; i < facts; i++) {
		const struct nd_fact_def *d = nd_registry_def(r, (nd_fact_id)i);

		names[n++] = nd_arena_strdup(&arena, nd_fact_name(d, full));
		names[n++] = d->name;
	}
	near = nd_nearest(asked, names, n);
	nd_error("there is no fact '%s'%s%s", asked, near ? "; nearest is " : "",
		 near ? near : "; netdoctor facts list shows all");
	nd_arena_free(&arena);
	free(names);
	return ND_EXIT_USAGE;
}

int nd_cmd_facts_show(const struct nd_options *o, struct nd_buf *out)
{
	struct nd_session s;
	uint32_t found = 0;
	int status = 0;

	nd_session_begin(&s);
	for (uint32_t i = 0; i < nd_registry_count(s.registry); i++) {
		const struct nd_fact_def *d = nd_registry_def(s.registry, (nd_fact_id)i);

		if (!is_meant(d, o->args[0]))
			continue;
		if (found++)
			nd_buf_putc(out, '\n');
		show(d, out);
	}
	if (!found)
		status = unknown_fact(s.registry, o->args[0]);
	nd_session_end(&s);
	return status;
}
