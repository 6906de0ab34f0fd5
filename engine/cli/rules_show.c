/* rules show: a rule as a tree that a person can read, as a picture, or as its file. */
#include "engine/cli/rules_view.h"
#include "engine/judge/finding.h"
#include "engine/rule/graph.h"
#include "reports/view.h"

#define STEP 2 /* columns of indentation */
#define MAX_DEPTH 40

/* ---- questions ---- */

struct page {
	const struct nd_rules *rules;
	const struct nd_rule *rule;
	struct nd_buf *out;
};

static void indent(const struct page *p, unsigned depth)
{
	nd_buf_printf(p->out, "%*s", (int)(depth * STEP), "");
}

static void put_quoted(const struct page *p, const struct nd_ctext *t)
{
	struct nd_buf text = {0};

	nd_ctext_source(&text, t);
	nd_buf_putc(p->out, '"');
	nd_put_folded(p->out, nd_buf_str(&text));
	nd_buf_putc(p->out, '"');
	nd_buf_free(&text);
}

/* "with $busy = 1000/s, $few = 2": the thresholds of one expression. */
static void put_thresholds(const struct page *p, unsigned depth, const struct nd_code *c)
{
	struct nd_reads r = {.rule = p->rule};
	const char *sep = "with ";

	nd_reads_code(&r, c);
	if (r.n_params)
		indent(p, depth);
	for (uint32_t i = 0; i < r.n_params; i++) {
		nd_buf_printf(p->out, "%s$%s = %s", sep, r.params[i]->name,
			      nd_param_text(r.params[i]));
		sep = ", ";
	}
	nd_buf_puts(p->out, r.n_params ? "\n" : "");
	nd_reads_free(&r);
}

static void put_nodes(const struct page *p, const struct nd_tree *t, const struct nd_nodes *list,
		      unsigned depth);

static void put_way(const struct page *p, const struct nd_tree *t, const struct nd_branch *b)
{
	switch (b->way) {
	case ND_WAY_NEXT: nd_buf_puts(p->out, "goes on"); break;
	case ND_WAY_OPEN: nd_buf_puts(p->out, "stays open"); break;
	case ND_WAY_LIST: nd_buf_puts(p->out, "asks first:"); break;
	case ND_WAY_GO: nd_buf_printf(p->out, "goes to branch %s", b->go); break;
	case ND_WAY_CONCLUDE: nd_buf_printf(p->out, "concludes %s", t->uses[b->use].name); break;
	case ND_WAY_RULE_OUT:
		nd_buf_puts(p->out, "ruled out: ");
		put_quoted(p, b->because);
		break;
	}
	if (b->cap != ND_NO_CAP)
		nd_buf_printf(p->out, ", at most %s", nd_words_cap[b->cap]);
	if (b->says) {
		nd_buf_puts(p->out, ", and says ");
		put_quoted(p, b->says);
	}
	nd_buf_putc(p->out, '\n');
}

static void put_question(const struct page *p, const struct nd_tree *t, const struct nd_node *n,
			 unsigned number, unsigned depth)
{
	static const char *const answers[] = {"no", "yes", "unknown"};

	indent(p, depth);
	nd_buf_printf(p->out, "%u. ", number);
	if (n->ask) {
		struct nd_buf text = {0};

		nd_ctext_source(&text, n->ask);
		nd_put_folded(p->out, nd_buf_str(&text));
		nd_buf_free(&text);
	}
	nd_buf_putc(p->out, '\n');
	indent(p, depth + 2);
	nd_buf_printf(p->out, "%s: ", nd_grade_name((enum nd_grade)n->grade));
	nd_put_folded(p->out, n->test_text);
	nd_buf_putc(p->out, '\n');
	put_thresholds(p, depth + 2, n->test);
	for (unsigned k = 0; k < 3; k++) {
		unsigned answer = (const unsigned[]){ND_YES, ND_NO, ND_UNKNOWN}[k];
		const struct nd_branch *b = &n->branch[answer];

		indent(p, depth + 2);
		nd_buf_printf(p->out, "%s: ", answers[answer]);
		put_way(p, t, b);
		if (b->way == ND_WAY_LIST && depth < MAX_DEPTH)
			put_nodes(p, t, b->list, depth + 3);
	}
}

static void put_nodes(const struct page *p, const struct nd_tree *t, const struct nd_nodes *list,
		      unsigned depth)
{
	for (uint32_t i = 0; i < list->n; i++) {
		const struct nd_node *n = &list->v[i];
		const char *entity = nd_key_text(n->yaml, "entity");

		if (!n->conclusion) {
			put_question(p, t, n, i + 1, depth);
			continue;
		}
		indent(p, depth);
		nd_buf_printf(p->out, "%u. concludes %s%s%s\n", i + 1, t->uses[n->use].name,
			      *entity ? " on " : "", entity);
	}
}

static void put_lets(const struct page *p, const struct nd_tree *t)
{
	struct nd_reads r = {.rule = p->rule};

	nd_reads_tree(&r, t);
	for (uint32_t i = 0; i < r.n_lets; i++) {
		indent(p, 1);
		nd_buf_printf(p->out, "$%s = ", r.lets[i]->name);
		nd_put_folded(p->out, r.lets[i]->source->text);
		nd_buf_putc(p->out, '\n');
	}
	for (uint32_t i = 0; i < r.n_derived; i++) {
		indent(p, 1);
		nd_buf_printf(p->out, "%s.%s = ", nd_kinds[r.derived[i]->on].name,
			      r.derived[i]->name);
		nd_put_folded(p->out, r.derived[i]->source->text);
		nd_buf_printf(p->out, " (library %s)\n", r.derived[i]->library->name);
	}
	nd_reads_free(&r);
}

static void put_tree(const struct page *p, uint32_t index)
{
	const struct nd_tree *t = &p->rule->trees[index];

	nd_buf_printf(p->out, "\ntree %s, for each ", nd_tree_title(t));
	nd_tree_scopes(p->out, p->rule, index);
	nd_buf_putc(p->out, '\n');
	if (t->when) {
		nd_buf_puts(p->out, "  only if ");
		nd_put_folded(p->out, t->when_text);
		nd_buf_putc(p->out, '\n');
		put_thresholds(p, 2, t->when);
		nd_buf_puts(p->out, "    no: not concerned; unknown: not examined\n");
	}
	put_lets(p, t);
	put_nodes(p, t, &t->nodes, 1);
	for (uint32_t i = 0; i < t->n_branches; i++) {
		nd_buf_printf(p->out, "  branch %s\n", t->branches[i].name);
		put_nodes(p, t, &t->branches[i], 2);
	}
}

/* ---- the rest of the rule ---- */

static void put_list(const struct page *p, const struct nd_cause *c, const char *key,
		     const char *says)
{
	const struct nd_yaml *y = nd_cause_key(c, key);

	if (!y || (y->type == ND_YAML_LIST && !y->n))
		return;
	nd_buf_printf(p->out, "    %s ", says);
	for (uint32_t i = 0; i < (y->type == ND_YAML_LIST ? y->n : 1); i++)
		nd_buf_printf(p->out, "%s%s", i ? ", " : "",
			      y->type == ND_YAML_LIST ? y->items[i]->text : y->text);
	nd_buf_putc(p->out, '\n');
}

static void put_cause(const struct page *p, const struct nd_cause *c)
{
	const struct nd_yaml *title = nd_cause_key(c, "title"), *fix = nd_cause_key(c, "fix");
	const struct nd_yaml *refute = nd_cause_key(c, "refute");

	nd_buf_printf(p->out, "  %s: ", c->name);
	nd_put_folded(p->out, title && title->type == ND_YAML_TEXT ? title->text : "");
	nd_buf_putc(p->out, '\n');
	put_list(p, c, "narrows", "is a special case of");
	put_list(p, c, "explains", "explains");
	put_list(p, c, "amplifies", "makes worse");
	put_list(p, c, "excludes", "excludes");
	for (uint32_t i = 0; refute && refute->type == ND_YAML_LIST && i < refute->n; i++) {
		nd_buf_puts(p->out, "    not if ");
		nd_put_folded(p->out, nd_key_text(refute->items[i], "test"));
		nd_buf_putc(p->out, '\n');
	}
	for (uint32_t i = 0; fix && fix->type == ND_YAML_LIST && i < fix->n; i++) {
		nd_buf_printf(p->out, "    %s: ", nd_key_text(fix->items[i], "tier"));
		nd_put_folded(p->out, nd_key_text(fix->items[i], "title"));
		nd_buf_putc(p->out, '\n');
	}
}

static void put_params(const struct page *p, const struct nd_reads *r)
{
	nd_buf_puts(p->out, p->rule->n_params ? "\nthresholds\n" : "");
	for (uint32_t i = 0; i < p->rule->n_params; i++) {
		const struct nd_param *m = &p->rule->params[i];

		nd_buf_printf(p->out, "  $%-16s %-10s %s", m->name, nd_param_text(m),
			      nd_param_key(p->rule->yaml, m, "origin"));
		if (m->set)
			nd_buf_printf(p->out, " (changed by %s)", m->set_by);
		nd_buf_putc(p->out, '\n');
	}
	for (uint32_t i = 0; i < r->n_derived; i++) {
		const struct nd_library *lib = r->derived[i]->library;
		bool before = false;

		for (uint32_t k = 0; k < i; k++)
			before = before || r->derived[k]->library == lib;
		for (uint32_t k = 0; k < lib->n_params && !before; k++)
			nd_buf_printf(p->out, "  $%-16s %-10s %s (library %s)\n",
				      lib->params[k].name, nd_param_text(&lib->params[k]),
				      nd_param_key(lib->yaml, &lib->params[k], "origin"),
				      lib->name);
	}
}

static void put_fact(const struct page *p, const struct nd_read_fact *f)
{
	const struct nd_fact_def *d = nd_registry_def(nd_rules_registry(p->rules), f->fact);
	bool counts = !*nd_fact_unit(d) || strcmp(nd_fact_unit(d), "1") == 0;
	char name[ND_FACT_NAME_BYTES];

	nd_buf_printf(p->out, "  %s", nd_fact_name(d, name));
	for (int a = 0; a < ND_ACCESSORS; a++) {
		if (f->accessors >> a & 1 && a != ND_BARE)
			nd_buf_printf(p->out, " .%s", nd_accessor_name((enum nd_accessor)a));
	}
	nd_buf_printf(p->out, ": %s%s%s; from ", nd_fact_type(d), counts ? "" : " in ",
		      counts ? "" : nd_fact_unit(d));
	nd_put_collectors(d, p->out);
	if (d->probe)
		nd_buf_printf(p->out, "; needs the %s probe", d->probe);
	nd_buf_putc(p->out, '\n');
	if (d->reproduce)
		nd_buf_printf(p->out, "    by hand: %s\n", d->reproduce);
}

static void put_remarks(const struct page *p, const char *section, const struct nd_remark *m,
			uint32_t n)
{
	const struct nd_yaml *y = nd_yaml_get(p->rule->yaml, section);

	if (n)
		nd_buf_printf(p->out, "\n%s\n", section);
	for (uint32_t i = 0; i < n; i++) {
		nd_buf_printf(p->out, "  %s, for each %s: ", m[i].name, nd_kinds[m[i].scope].name);
		nd_put_folded(p->out, nd_key_text(nd_yaml_get(y, m[i].name), "test"));
		nd_buf_putc(p->out, '\n');
	}
}

static void put_text(const struct page *p)
{
	const struct nd_rule *r = p->rule;
	const struct nd_registry *reg = nd_rules_registry(p->rules);
	struct nd_reads reads = {0};
	struct nd_buf probes = {0};

	nd_reads_rule(&reads, r);
	nd_buf_printf(p->out, "%s: %s\n%s%s\n", r->name, r->title ? r->title : "", r->path,
		      r->core ? "; core: no host is called healthy without it" : "");
	for (uint32_t i = 0; i < r->n_trees; i++) {
		if (!nd_tree_repeats(r, i))
			put_tree(p, i);
	}
	nd_buf_puts(p->out, r->n_causes ? "\ncauses\n" : "");
	for (uint32_t i = 0; i < r->n_causes; i++)
		put_cause(p, &r->causes[i]);
	put_remarks(p, "notes", r->notes, r->n_notes);
	put_remarks(p, "contradictions", r->contradictions, r->n_contradictions);
	put_params(p, &reads);
	nd_buf_puts(p->out, reads.n_facts ? "\nfacts\n" : "");
	for (uint32_t i = 0; i < reads.n_facts; i++)
		put_fact(p, &reads.facts[i]);
	nd_put_probes(&reads, reg, &probes);
	nd_buf_printf(p->out, "\nprobes needed: %s\n", probes.len ? nd_buf_str(&probes) : "none");
	nd_buf_free(&probes);
	nd_reads_free(&reads);
}

/* ---- formats ---- */

static void put_mermaid(const struct page *p)
{
	nd_draw_mermaid(p->rule, p->out);
}

static void put_dot(const struct page *p)
{
	nd_draw_dot(p->rule, p->out);
}

static void put_yaml(const struct page *p)
{
	nd_buf_put(p->out, p->rule->text, p->rule->len);
}

static const char *const formats[] = {"text", "mermaid", "dot", "yaml"};
static void (*const writers[])(const struct page *p) = {put_text, put_mermaid, put_dot, put_yaml};

int nd_cmd_rules_show(const struct nd_options *o, struct nd_buf *out)
{
	struct nd_session s;
	struct nd_buf page = {0};
	int format = nd_opt_format(o, formats, ND_ARRAY_LEN(formats)), status, i;

	if (format < 0)
		return ND_EXIT_USAGE;
	nd_session_begin(&s);
	i = nd_rule_named(&s, o, &status);
	if (i >= 0) {
		struct page p = {s.rules, s.rules->rules[i], &page};

		writers[format](&p);
		if (writers[format] == put_yaml) /* byte for byte */
			nd_buf_put(out, nd_buf_str(&page), page.len);
		else
			nd_view_clean(out, nd_buf_str(&page), ND_CLEAN_BLOCK);
	}
	nd_buf_free(&page);
	nd_session_end(&s);
	return status;
}
