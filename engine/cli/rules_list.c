/* rules list: the rules in a line each, or with everything about them as JSON. */
#include "engine/cli/rules_view.h"
#include "engine/judge/walk.h"
#include "engine/rule/graph.h"
#include "reports/view.h"

/* ---- JSON ---- */

struct json {
	struct nd_buf *out;
	bool first; /* of the array or object that is being written */
};

static void item(struct json *j)
{
	nd_buf_puts(j->out, j->first ? "" : ",");
	j->first = false;
}

static void key(struct json *j, const char *name)
{
	item(j);
	nd_buf_printf(j->out, "\"%s\":", name);
}

static void text(struct json *j, const char *name, const char *value)
{
	key(j, name);
	nd_put_json_text(j->out, value);
}

static void begin(struct json *j, char bracket)
{
	nd_buf_putc(j->out, bracket);
	j->first = true;
}

static void end(struct json *j, char bracket)
{
	nd_buf_putc(j->out, bracket);
	j->first = false;
}

static void put_param(struct json *j, const struct nd_yaml *file, const struct nd_param *p,
		      const char *library)
{
	item(j);
	begin(j, '{');
	text(j, "name", p->name);
	text(j, "value", nd_param_text(p));
	if (p->code && p->code->op == ND_O_NUMBER) {
		key(j, "number"); /* in base units */
		nd_print_plain(j->out, p->code->num);
		text(j, "unit", nd_unit_name(nd_type_unit(&p->code->type)));
	}
	text(j, "origin", nd_param_key(file, p, "origin"));
	if (library)
		text(j, "library", library);
	key(j, "set");
	nd_buf_puts(j->out, p->set ? "true" : "false");
	end(j, '}');
}

static void put_params(struct json *j, const struct nd_rule *r, const struct nd_reads *reads)
{
	key(j, "thresholds");
	begin(j, '[');
	for (uint32_t i = 0; i < r->n_params; i++)
		put_param(j, r->yaml, &r->params[i], NULL);
	for (uint32_t i = 0; i < reads->n_params; i++) {
		for (uint32_t k = 0; k < reads->n_derived; k++) {
			const struct nd_library *lib = reads->derived[k]->library;
			const struct nd_param *p = reads->params[i];

			if (p < lib->params || p >= lib->params + lib->n_params)
				continue;
			put_param(j, lib->yaml, p, lib->name);
			break;
		}
	}
	end(j, ']');
}

static void put_trees(struct json *j, const struct nd_rule *r)
{
	key(j, "trees");
	begin(j, '[');
	for (uint32_t i = 0; i < r->n_trees; i++) {
		const struct nd_tree *t = &r->trees[i];

		item(j);
		begin(j, '{');
		text(j, "name", nd_tree_title(t));
		text(j, "scope", nd_kinds[t->scope].name);
		key(j, "causes");
		begin(j, '[');
		for (uint32_t u = 0; u < t->n_uses; u++) {
			item(j);
			nd_put_json_text(j->out, t->uses[u].name);
		}
		end(j, ']');
		end(j, '}');
	}
	end(j, ']');
}

static void put_causes(struct json *j, const struct nd_rule *r)
{
	key(j, "causes");
	begin(j, '[');
	for (uint32_t i = 0; i < r->n_causes; i++) {
		if (!nd_cause_first(r, i))
			continue;
		item(j);
		nd_put_json_text(j->out, r->causes[i].base);
	}
	end(j, ']');
}

static void put_facts(struct json *j, const struct nd_reads *reads, const struct nd_registry *reg)
{
	char name[ND_FACT_NAME_BYTES];

	key(j, "facts");
	begin(j, '[');
	for (uint32_t i = 0; i < reads->n_facts; i++) {
		item(j);
		nd_put_json_text(j->out,
				 nd_fact_name(nd_registry_def(reg, reads->facts[i].fact), name));
	}
	end(j, ']');
	key(j, "probes");
	begin(j, '[');
	for (uint32_t i = 0; i < reads->n_facts; i++) {
		const char *probe = nd_registry_def(reg, reads->facts[i].fact)->probe;
		bool before = !probe;

		for (uint32_t k = 0; k < i && !before; k++) {
			const char *other = nd_registry_def(reg, reads->facts[k].fact)->probe;

			before = other && strcmp(other, probe) == 0;
		}
		if (before)
			continue;
		item(j);
		nd_put_json_text(j->out, probe);
	}
	end(j, ']');
}

static void put_json(struct json *j, const struct nd_rule *r, const struct nd_registry *reg)
{
	struct nd_reads reads = {0};

	nd_reads_rule(&reads, r);
	item(j);
	nd_buf_putc(j->out, '\n');
	begin(j, '{');
	text(j, "rule", r->name);
	text(j, "title", r->title ? r->title : "");
	text(j, "path", r->path);
	key(j, "core");
	nd_buf_puts(j->out, r->core ? "true" : "false");
	put_causes(j, r);
	put_trees(j, r);
	put_params(j, r, &reads);
	put_facts(j, &reads, reg);
	end(j, '}');
	nd_reads_free(&reads);
}

/* ---- text ---- */

/* -v: what a list in a terminal can bear of it. */
static void put_more(const struct nd_rule *r, const struct nd_registry *reg, struct nd_buf *out)
{
	struct nd_reads reads = {0};
	const char *sep = "  causes: ";

	nd_reads_rule(&reads, r);
	for (uint32_t i = 0; i < r->n_causes; i++) {
		if (!nd_cause_first(r, i))
			continue;
		nd_buf_printf(out, "%s%s", sep, r->causes[i].base);
		sep = ", ";
	}
	nd_buf_puts(out, "\n");
	for (uint32_t i = 0; i < r->n_trees; i++) {
		if (nd_tree_repeats(r, i))
			continue;
		nd_buf_printf(out, "  tree %s, for each ", nd_tree_title(&r->trees[i]));
		nd_tree_scopes(out, r, i);
		nd_buf_putc(out, '\n');
	}
	for (uint32_t i = 0; i < r->n_params; i++)
		nd_buf_printf(out, "  $%s = %s (%s)\n", r->params[i].name,
			      nd_param_text(&r->params[i]),
			      nd_param_key(r->yaml, &r->params[i], "origin"));
	sep = "  reads: ";
	for (uint32_t i = 0; i < reads.n_facts; i++) {
		const struct nd_fact_def *d = nd_registry_def(reg, reads.facts[i].fact);

		nd_buf_printf(out, "%s%s.%s", sep, nd_kinds[d->on].name, d->name);
		sep = ", ";
	}
	nd_buf_puts(out, "\n  probes needed: ");
	nd_put_probes(&reads, reg, out);
	nd_buf_puts(out, "\n");
	nd_reads_free(&reads);
}

static void put_line(const struct nd_rule *r, struct nd_buf *out)
{
	nd_buf_printf(out, "%-24s %-5s %s\n", r->name, r->core ? "core" : "",
		      r->title ? r->title : "");
}

int nd_cmd_rules_list(const struct nd_options *o, struct nd_buf *out)
{
	bool json = nd_opt_given(o, ND_OPT_JSON), more = nd_opt_given(o, ND_OPT_VERBOSE);
	struct nd_session s;
	struct nd_buf page = {0};
	struct json j = {out, true};
	int status;

	nd_session_begin(&s);
	status = nd_session_rules_trusted(&s, o);
	if (status == 0 && json)
		begin(&j, '[');
	for (uint32_t i = 0; status == 0 && i < nd_rules_count(s.rules); i++) {
		if (json) {
			put_json(&j, s.rules->rules[i], s.registry);
			continue;
		}
		put_line(s.rules->rules[i], &page);
		if (more)
			put_more(s.rules->rules[i], s.registry, &page);
	}
	if (status == 0 && json)
		nd_buf_puts(out, "\n]\n");
	nd_view_clean(out, nd_buf_str(&page), ND_CLEAN_BLOCK);
	nd_buf_free(&page);
	nd_session_end(&s);
	return status;
}
