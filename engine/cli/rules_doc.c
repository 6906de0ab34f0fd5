/* rules doc: reference pages in Markdown, one a rule, one of all facts, and an index.
 *
 * Printed from the rules and the registry alone, so that the pages are the same on every host. */
#include <errno.h>
#include <limits.h>
#include <sys/stat.h>

#include "engine/cli/rules_view.h"
#include "engine/rule/graph.h"
#include "reports/view.h"

#define GENERATED                                                                                  \
	"\n---\nMade by `netdoctor rules doc`; changes belong into the rule or beside the collector.\n"

/* ---- Markdown ---- */

/* Prose: what Markdown or HTML would take for its own is escaped. cell: within a table. */
static void put_prose(struct nd_buf *out, const char *s, bool cell)
{
	struct nd_buf clean = {0}, line = {0};

	nd_put_folded(&line, s);
	nd_view_clean(&clean, nd_buf_str(&line), ND_CLEAN_LINE);
	for (const char *p = nd_buf_str(&clean); *p; p++) {
		if (strchr("\\`*_[]<>$", *p) || (cell && *p == '|'))
			nd_buf_putc(out, '\\');
		nd_buf_putc(out, *p);
	}
	nd_buf_free(&clean);
	nd_buf_free(&line);
}

static void put_code(struct nd_buf *out, const char *s, bool cell)
{
	struct nd_buf clean = {0}, line = {0};
	const char *fence;

	nd_put_folded(&line, s);
	nd_view_clean(&clean, nd_buf_str(&line), ND_CLEAN_LINE);
	fence = strchr(nd_buf_str(&clean), '`') ? "``" : "`";
	nd_buf_printf(out, "%s%s", fence, fence[1] ? " " : "");
	for (const char *p = nd_buf_str(&clean); *p; p++) {
		if (cell && *p == '|')
			nd_buf_putc(out, '\\');
		nd_buf_putc(out, *p);
	}
	nd_buf_printf(out, "%s%s", fence[1] ? " " : "", fence);
	nd_buf_free(&clean);
	nd_buf_free(&line);
}

static void put_block(struct nd_buf *out, const char *indent, const char *s)
{
	struct nd_buf clean = {0};

	nd_view_clean(&clean, s, ND_CLEAN_BLOCK);
	nd_buf_printf(out, "%s```sh\n", indent);
	for (const char *p = nd_buf_str(&clean); *p;) {
		size_t n = strcspn(p, "\n");

		nd_buf_printf(out, "%s%.*s\n", indent, (int)n, p);
		p += n + (p[n] == '\n');
	}
	nd_buf_printf(out, "%s```\n", indent);
	nd_buf_free(&clean);
}

/* ---- a rule's page ---- */

static void put_names(struct nd_buf *out, const struct nd_yaml *y, const char *says)
{
	uint32_t n = !y ? 0 : y->type == ND_YAML_LIST ? y->n : 1;

	for (uint32_t i = 0; i < n; i++) {
		const struct nd_yaml *one = y->type == ND_YAML_LIST ? y->items[i] : y;

		nd_buf_puts(out, i ? ", " : says);
		put_code(out, one->type == ND_YAML_TEXT ? one->text : "", false);
	}
	nd_buf_puts(out, n ? ".\n" : "");
}

static void put_fix(struct nd_buf *out, const struct nd_yaml *fix)
{
	static const struct {
		const char *key, *says;
	} texts[] = {{"risk", "Risk"},
		     {"disrupts", "Interrupts"},
		     {"else", "Otherwise"},
		     {"restart", "To be restarted"},
		     {"advice", "In words"}},
	  codes[] = {{"when", "Offered when"}, {"verify", "It helped when"}},
	  shells[] = {{"run", "Run"}, {"undo", "Undo"}, {"persist", "To keep it"}};
	const struct nd_yaml *sysctl = nd_yaml_get(fix, "sysctl");

	nd_buf_puts(out, "- **");
	put_prose(out, nd_key_text(fix, "title"), false);
	nd_buf_printf(out, "** (%s)\n", nd_key_text(fix, "tier"));
	for (size_t i = 0; i < ND_ARRAY_LEN(texts); i++) {
		if (!*nd_key_text(fix, texts[i].key))
			continue;
		nd_buf_printf(out, "  - %s: ", texts[i].says);
		put_prose(out, nd_key_text(fix, texts[i].key), false);
		nd_buf_putc(out, '\n');
	}
	for (size_t i = 0; i < ND_ARRAY_LEN(codes); i++) {
		if (!*nd_key_text(fix, codes[i].key))
			continue;
		nd_buf_printf(out, "  - %s: ", codes[i].says);
		put_code(out, nd_key_text(fix, codes[i].key), false);
		nd_buf_putc(out, '\n');
	}
	for (uint32_t i = 0; sysctl && sysctl->type == ND_YAML_MAP && i < sysctl->n; i++) {
		nd_buf_puts(out, "  - Set ");
		put_code(out, sysctl->keys[i]->text, false);
		nd_buf_puts(out, " to ");
		put_code(out, sysctl->items[i]->text, false);
		nd_buf_putc(out, '\n');
	}
	for (size_t i = 0; i < ND_ARRAY_LEN(shells); i++) {
		if (!*nd_key_text(fix, shells[i].key))
			continue;
		nd_buf_printf(out, "  - %s:\n\n", shells[i].says);
		put_block(out, "    ", nd_key_text(fix, shells[i].key));
		nd_buf_putc(out, '\n');
	}
}

static void put_cause(struct nd_buf *out, const struct nd_cause *c)
{
	const struct nd_yaml *fix = nd_cause_key(c, "fix"), *title = nd_cause_key(c, "title"),
			     *because = nd_cause_key(c, "because");

	nd_buf_printf(out, "\n### %s\n\n", c->base);
	if (c->variant)
		nd_buf_printf(out, "As found on a %s.\n\n", c->variant);
	put_prose(out, title ? title->text : "", false);
	nd_buf_puts(out, ".\n\n> ");
	put_prose(out, because ? because->text : "", false);
	nd_buf_puts(out, "\n\n");
	put_names(out, nd_cause_key(c, "narrows"), "A special case of ");
	put_names(out, nd_cause_key(c, "explains"), "Explains ");
	put_names(out, nd_cause_key(c, "amplifies"), "Makes worse ");
	put_names(out, nd_cause_key(c, "excludes"), "Excludes ");
	if (fix && fix->type == ND_YAML_LIST && fix->n)
		nd_buf_puts(out, "\nWhat to do:\n\n");
	for (uint32_t i = 0; fix && fix->type == ND_YAML_LIST && i < fix->n; i++)
		put_fix(out, fix->items[i]);
}

static void put_way(struct nd_buf *out, const struct nd_tree *t, const struct nd_branch *b,
		    const char *answer)
{
	nd_buf_printf(out, "%s: ", answer);
	switch (b->way) {
	case ND_WAY_NEXT: nd_buf_puts(out, "goes on"); break;
	case ND_WAY_OPEN: nd_buf_puts(out, "stays open"); break;
	case ND_WAY_LIST: nd_buf_puts(out, "asks what follows first"); break;
	case ND_WAY_GO: nd_buf_printf(out, "branch `%s`", b->go); break;
	case ND_WAY_CONCLUDE: nd_buf_printf(out, "`%s`", t->uses[b->use].name); break;
	case ND_WAY_RULE_OUT: nd_buf_puts(out, "ruled out"); break;
	}
	if (b->cap != ND_NO_CAP)
		nd_buf_printf(out, ", at most %s", nd_words_cap[b->cap]);
}

static void put_nodes(struct nd_buf *out, const struct nd_tree *t, const struct nd_nodes *list,
		      unsigned depth)
{
	static const char *const grades[] = {"requires", "supports", "decides"};

	for (uint32_t i = 0; i < list->n; i++) {
		const struct nd_node *n = &list->v[i];
		struct nd_buf text = {0};

		nd_buf_printf(out, "%*s%u. ", (int)depth * 3, "", i + 1);
		if (n->conclusion) {
			nd_buf_printf(out, "Concludes `%s`.\n", t->uses[n->use].name);
			continue;
		}
		nd_ctext_source(&text, n->ask);
		put_prose(out, nd_buf_str(&text), false);
		nd_buf_free(&text);
		nd_buf_printf(out, " *(%s)*<br>", grades[n->grade]);
		put_code(out, n->test_text, false);
		nd_buf_puts(out, "<br>");
		put_way(out, t, &n->branch[1], "yes");
		put_way(out, t, &n->branch[0], "; no");
		put_way(out, t, &n->branch[2], "; unknown");
		nd_buf_puts(out, ".\n");
		for (unsigned k = 0; k < 3 && depth < 16; k++) {
			if (n->branch[k].way == ND_WAY_LIST)
				put_nodes(out, t, n->branch[k].list, depth + 1);
		}
	}
}

static void put_tree(struct nd_buf *out, const struct nd_rule *r, uint32_t index)
{
	const struct nd_tree *t = &r->trees[index];
	struct nd_reads reads = {.rule = r};

	nd_buf_printf(out, "\n### %s, for each ", nd_tree_title(t));
	nd_tree_scopes(out, r, index);
	nd_buf_puts(out, "\n\n");
	if (t->when) {
		nd_buf_puts(out, "Only if ");
		put_code(out, t->when_text, false);
		nd_buf_puts(out, ".\n\n");
	}
	nd_reads_tree(&reads, t);
	for (uint32_t i = 0; i < reads.n_lets; i++) {
		nd_buf_printf(out, "- `$%s` = ", reads.lets[i]->name);
		put_code(out, reads.lets[i]->source->text, false);
		nd_buf_putc(out, '\n');
	}
	nd_buf_puts(out, reads.n_lets ? "\n" : "");
	nd_reads_free(&reads);
	put_nodes(out, t, &t->nodes, 0);
	for (uint32_t i = 0; i < t->n_branches; i++) {
		nd_buf_printf(out, "\nBranch `%s`:\n\n", t->branches[i].name);
		put_nodes(out, t, &t->branches[i], 0);
	}
}

static void put_remarks(struct nd_buf *out, const struct nd_rule *r, const char *section,
			const char *title, const struct nd_remark *m, uint32_t n)
{
	const struct nd_yaml *y = nd_yaml_get(r->yaml, section);

	if (n)
		nd_buf_printf(out, "\n## %s\n\n", title);
	for (uint32_t i = 0; i < n; i++) {
		const struct nd_yaml *one = nd_yaml_get(y, m[i].name);

		nd_buf_printf(out, "- **%s**: ", m[i].name);
		put_prose(out, nd_key_text(one, "says"), false);
		nd_buf_printf(out, "<br>For each %s, if ", nd_kinds[m[i].scope].name);
		put_code(out, nd_key_text(one, "test"), false);
		nd_buf_putc(out, '\n');
	}
}

static void put_param_row(struct nd_buf *out, const struct nd_yaml *file, const struct nd_param *p)
{
	const char *doc = nd_param_key(file, p, "doc");

	nd_buf_printf(out, "| `%s` | ", p->name);
	put_code(out, nd_param_text(p), true);
	nd_buf_puts(out, " | ");
	put_prose(out, nd_param_key(file, p, "origin"), true);
	nd_buf_puts(out, *doc ? "; " : "");
	put_prose(out, doc, true);
	nd_buf_puts(out, " |\n");
}

static void put_tables(struct nd_buf *out, const struct nd_rule *r, const struct nd_registry *reg)
{
	struct nd_reads reads = {0};
	char name[ND_FACT_NAME_BYTES];

	nd_reads_rule(&reads, r);
	nd_buf_puts(out, r->n_params
				 ? "\n## Thresholds\n\n| name | value | origin |\n|---|---|---|\n"
				 : "");
	for (uint32_t i = 0; i < r->n_params; i++)
		put_param_row(out, r->yaml, &r->params[i]);
	if (r->n_params)
		nd_buf_printf(out, "\nAnother value for a run: `--set %s.%s=VALUE`.\n", r->name,
			      r->params[0].name);
	nd_buf_puts(out,
		    reads.n_facts ? "\n## Facts\n\n| fact | type | probe |\n|---|---|---|\n" : "");
	for (uint32_t i = 0; i < reads.n_facts; i++) {
		const struct nd_fact_def *d = nd_registry_def(reg, reads.facts[i].fact);

		nd_buf_printf(out, "| [`%s`](../facts.md#%s) | %s | %s |\n", nd_fact_name(d, name),
			      nd_kinds[d->on].name, nd_fact_type(d), d->probe ? d->probe : "");
	}
	nd_reads_free(&reads);
}

static void put_page(struct nd_buf *out, const struct nd_rule *r, const struct nd_registry *reg)
{
	nd_buf_printf(out, "# %s\n\n", r->name);
	put_prose(out, r->title ? r->title : "", false);
	nd_buf_puts(out,
		    r->core ? ". A core rule: no host is called healthy unless it was examined.\n"
			    : ".\n");
	if (r->about) {
		nd_buf_putc(out, '\n');
		put_prose(out, r->about, false);
		nd_buf_putc(out, '\n');
	}
	nd_buf_puts(out, r->n_trees ? "\n```mermaid\n" : "");
	if (r->n_trees) {
		nd_draw_mermaid(r, out);
		nd_buf_puts(out, "```\n\n## What it finds\n");
	}
	for (uint32_t i = 0; i < r->n_causes; i++)
		put_cause(out, &r->causes[i]);
	nd_buf_puts(out, r->n_trees ? "\n## Questions\n" : "");
	for (uint32_t i = 0; i < r->n_trees; i++) {
		if (!nd_tree_repeats(r, i))
			put_tree(out, r, i);
	}
	put_remarks(out, r, "notes", "Alarming, but harmless", r->notes, r->n_notes);
	put_remarks(out, r, "contradictions", "What cannot be", r->contradictions,
		    r->n_contradictions);
	put_tables(out, r, reg);
	nd_buf_puts(out, r->n_references ? "\n## References\n\n" : "");
	for (uint32_t i = 0; i < r->n_references; i++) {
		nd_buf_puts(out, "- ");
		put_prose(out, r->references[i], false);
		nd_buf_putc(out, '\n');
	}
	nd_buf_puts(out, GENERATED);
}

/* ---- the other pages ---- */

static void put_index(struct nd_buf *out, const struct nd_rules *rules)
{
	nd_buf_puts(out, "# Rules\n\n| rule | about | causes |\n|---|---|---|\n");
	for (uint32_t i = 0; i < rules->n; i++) {
		const struct nd_rule *r = rules->rules[i];
		const char *sep = "";

		nd_buf_printf(out, "| [%s](%s.md) | ", r->name, r->name);
		put_prose(out, r->title ? r->title : "", true);
		nd_buf_puts(out, " | ");
		for (uint32_t k = 0; k < r->n_causes; k++) {
			if (!nd_cause_first(r, k))
				continue;
			nd_buf_printf(out, "%s`%s`", sep, r->causes[k].base);
			sep = ", ";
		}
		nd_buf_puts(out, " |\n");
	}
	nd_buf_puts(out, "\nThe facts that they read are in [facts](../facts.md).\n" GENERATED);
}

static void put_fact_row(struct nd_buf *out, const struct nd_fact_def *d)
{
	nd_buf_printf(out, "| `%s` | %s | %s | ", d->name, nd_fact_type(d), nd_fact_unit(d));
	put_prose(out, d->doc ? d->doc : "", true);
	nd_buf_puts(out, " | ");
	nd_put_collectors(d, out);
	if (d->probe)
		nd_buf_printf(out, " (probe %s)", d->probe);
	nd_buf_puts(out, " | ");
	if (d->reproduce)
		put_code(out, d->reproduce, true);
	nd_buf_puts(out, " |\n");
}

static void put_facts(struct nd_buf *out, const struct nd_registry *reg)
{
	nd_buf_puts(
		out,
		"# Facts\n\nEverything that rules can ask for. The kind stands before the name: "
		"`cpu.softnet.dropped.delta`. Of a counter rules take `.delta`, `.rate`, `.seen`, "
		"`.peak`; see `netdoctor facts show NAME`.\n");
	for (int k = 0; k < ND_KINDS; k++) {
		bool first = true;

		for (uint32_t i = 0; i < nd_registry_count(reg); i++) {
			const struct nd_fact_def *d = nd_registry_def(reg, (nd_fact_id)i);

			if (d->on != (enum nd_kind)k)
				continue;
			if (first)
				nd_buf_printf(out,
					      "\n## %s\n\nOf %s.\n\n"
					      "| name | type | unit | meaning | from | by hand |\n"
					      "|---|---|---|---|---|---|\n",
					      nd_kinds[k].name, nd_kinds[k].doc);
			first = false;
			put_fact_row(out, d);
		}
	}
	nd_buf_puts(out, GENERATED);
}

/* ---- writing ---- */

static int make_dir(const char *path)
{
	if (mkdir(path, 0777) == 0 || errno == EEXIST)
		return 0;
	nd_error("%s: %s", path, strerror(errno));
	return ND_EXIT_OWN;
}

static int write_page(const char *dir, const char *name, struct nd_buf *page)
{
	char path[PATH_MAX];
	int status = ND_EXIT_OWN;

	if (strchr(name, '/'))
		nd_error("rule '%s': a page cannot have this name", name);
	else if ((size_t)snprintf(path, sizeof(path), "%s/%s.md", dir, name) < sizeof(path))
		status = nd_write_file(path, page);
	else
		nd_error("%s/%s.md: %s", dir, name, strerror(ENAMETOOLONG));
	nd_buf_free(page);
	*page = (struct nd_buf){0};
	return status;
}

static int write_all(const struct nd_session *s, const char *dir)
{
	struct nd_buf page = {0};
	char below[PATH_MAX];
	int status = make_dir(dir);

	if ((size_t)snprintf(below, sizeof(below), "%s/rules", dir) >= sizeof(below)) {
		nd_error("%s: %s", dir, strerror(ENAMETOOLONG));
		return ND_EXIT_OWN;
	}
	if (status == 0)
		status = make_dir(below);
	for (uint32_t i = 0; status == 0 && i < s->rules->n; i++) {
		put_page(&page, s->rules->rules[i], s->registry);
		status = write_page(below, s->rules->rules[i]->name, &page);
	}
	if (status)
		return status;
	put_index(&page, s->rules);
	status = write_page(below, "README", &page);
	if (status == 0) {
		put_facts(&page, s->registry);
		status = write_page(dir, "facts", &page);
	}
	return status;
}

int nd_cmd_rules_doc(const struct nd_options *o, struct nd_buf *out)
{
	const char *dir = nd_opt_text(o, ND_OPT_OUTPUT);
	struct nd_session s;
	int status;

	if (!dir && nd_opt_given(o, ND_OPT_RULES)) /* docs/ is for the rules that are built in */
		return nd_usage_error(o->command, "rules doc --rules needs -o DIR");
	nd_session_begin(&s);
	status = nd_session_rules_trusted(&s, o);
	if (status == 0)
		status = write_all(&s, dir ? dir : "docs");
	if (status == 0)
		nd_buf_printf(out, "%u rules and %u facts\n", s.rules->n,
			      nd_registry_count(s.registry));
	nd_session_end(&s);
	return status;
}
