/* rules cover: what the tests of rules leave out, and which facts, causes and rules lack their counterpart. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <sys/stat.h>

#include "engine/cli/rules_view.h"
#include "engine/judge/judge.h"

#define CASES "tests/cases"
#define MAX_CASE (64 * 1024)

struct totals {
	uint32_t rules, branches, taken, causes, tested, without_case, without_references;
};

/* ---- the public incidents ---- */

struct cases {
	struct nd_arena arena;
	const char **causes; /* that some expect.yaml names */
	uint32_t n, cap;
	uint32_t folders;
};

static void add_case_cause(struct cases *c, const struct nd_yaml *y)
{
	if (!y || y->type != ND_YAML_TEXT)
		return;
	ND_GROW(c->causes, c->n, c->cap);
	c->causes[c->n++] = y->text;
}

static void read_case(struct cases *c, const char *path)
{
	char text[MAX_CASE];
	struct nd_buf messages = {0};
	const struct nd_yaml *y = NULL, *list;
	FILE *f = fopen(path, "re");
	size_t n;

	if (!f)
		return;
	n = fread(text, 1, sizeof(text), f);
	fclose(f);
	if (n < sizeof(text))
		y = nd_yaml_parse(&c->arena, path, nd_arena_strndup(&c->arena, text, n), n,
				  &messages);
	if (!y)
		nd_warn("%s: not understood: %s", path, nd_buf_str(&messages));
	nd_buf_free(&messages);
	if (!y || y->type != ND_YAML_MAP)
		return;
	c->folders++;
	list = nd_yaml_get(y, "expected");
	if (list && list->type == ND_YAML_MAP)
		add_case_cause(c, nd_yaml_get(list, "class"));
	list = nd_yaml_get(y, "acceptable");
	for (uint32_t i = 0; list && list->type == ND_YAML_LIST && i < list->n; i++)
		add_case_cause(c, list->items[i]);
}

static void read_cases(struct cases *c)
{
	char path[PATH_MAX];
	const struct dirent *d;
	DIR *dir = opendir(CASES);

	while (dir && (d = readdir(dir))) {
		if (d->d_name[0] == '.')
			continue;
		if ((size_t)snprintf(path, sizeof(path), CASES "/%s/expect.yaml", d->d_name) <
		    sizeof(path))
			read_case(c, path);
	}
	if (dir)
		closedir(dir);
}

static bool has_case(const struct cases *c, const char *cause)
{
	for (uint32_t i = 0; i < c->n; i++) {
		if (strcmp(c->causes[i], cause) == 0)
			return true;
	}
	return false;
}

/* ---- a rule ---- */

static const char *tree_of(const struct nd_rule *r, const char *tree)
{
	return strcmp(tree, "main") == 0 ? r->name : tree;
}

static void put_branches(const struct nd_rule *r, const struct nd_cover *c, struct totals *t,
			 struct nd_buf *out)
{
	for (uint32_t i = 0; i < c->n_branches; i++) {
		const struct nd_cover_branch *b = &c->branches[i];

		t->branches++;
		if (b->times) {
			t->taken++;
			continue;
		}
		nd_buf_printf(out, "  %s:%u: tree %s, no test answers %s: %s", r->path, b->line,
			      tree_of(r, b->tree), nd_answer_name(b->answer),
			      b->gate ? "(gate) " : "");
		nd_put_folded(out, b->ask);
		nd_buf_putc(out, '\n');
	}
}

static void put_causes(const struct nd_cover *c, const struct cases *cases, struct totals *t,
		       struct nd_buf *out)
{
	for (uint32_t i = 0; i < c->n_causes; i++) {
		const struct nd_cover_cause *x = &c->causes[i];

		t->causes++;
		t->tested += x->concluded && x->quiet && x->open;
		if (!x->concluded)
			nd_buf_printf(out, "  %s: no test concludes it\n", x->cause);
		if (!x->quiet)
			nd_buf_printf(out, "  %s: no test rules it out\n", x->cause);
		if (!x->open)
			nd_buf_printf(out, "  %s: no test leaves it open\n", x->cause);
		if (cases->folders && !has_case(cases, x->cause)) {
			t->without_case++;
			nd_buf_printf(out, "  %s: no case in " CASES "\n", x->cause);
		}
	}
}

static bool has_references(const struct nd_rule *r)
{
	for (uint32_t i = 0; i < r->n_causes; i++) {
		const struct nd_yaml *y = nd_cause_key(&r->causes[i], "references");

		if (y && (y->type != ND_YAML_LIST || y->n))
			return true;
	}
	return r->n_references > 0;
}

static void put_rule(struct nd_rules *rules, uint32_t index, const struct cases *cases,
		     struct totals *t, struct nd_buf *out)
{
	const struct nd_rule *r = rules->rules[index];
	struct nd_cover *c = nd_ruletest_cover(rules, index, &nd_case_hooks);
	struct nd_buf gaps = {0};

	t->rules++;
	if (c->failed)
		nd_buf_printf(&gaps, "  %u of its tests fail: netdoctor rules test\n", c->failed);
	put_branches(r, c, t, &gaps);
	put_causes(c, cases, t, &gaps);
	if (!has_references(r)) {
		t->without_references++;
		nd_buf_puts(&gaps, "  no references\n");
	}
	nd_buf_printf(out, "%s: %u tests%s\n", r->name, c->passed + c->failed,
		      gaps.len ? "" : ", nothing is left out");
	nd_buf_put(out, nd_buf_str(&gaps), gaps.len);
	nd_buf_free(&gaps);
	nd_cover_free(c);
}

/* ---- facts ---- */

static void put_unread_facts(const struct nd_rules *rules, bool list, struct nd_buf *out)
{
	const struct nd_registry *reg = nd_rules_registry(rules);
	uint32_t n = nd_registry_count(reg), unread = 0;
	bool *read = nd_alloc(n + 1);
	char name[ND_FACT_NAME_BYTES];

	for (uint32_t i = 0; i < rules->n; i++) {
		struct nd_reads r = {0};

		nd_reads_rule(&r, rules->rules[i]);
		for (uint32_t k = 0; k < r.n_facts; k++)
			read[r.facts[k].fact] = true;
		nd_reads_free(&r);
	}
	for (uint32_t i = 0; i < n; i++) {
		if (read[i])
			continue;
		unread++;
		if (list)
			nd_buf_printf(out, "  %s: no rule reads it\n",
				      nd_fact_name(nd_registry_def(reg, (nd_fact_id)i), name));
	}
	nd_buf_printf(out, "%u of %u facts are read by no rule%s\n", unread, n,
		      list || !unread ? "" : "; -v lists them");
	free(read);
}

static void put_totals(const struct totals *t, const struct cases *cases, struct nd_buf *out)
{
	nd_buf_printf(out, "%u of %u branches are taken by a test\n", t->taken, t->branches);
	nd_buf_printf(out, "%u of %u causes are concluded, ruled out and left open by tests\n",
		      t->tested, t->causes);
	if (cases->folders)
		nd_buf_printf(out, "%u of %u causes have a case among the %u in " CASES "\n",
			      t->causes - t->without_case, t->causes, cases->folders);
	nd_buf_printf(out, "%u of %u rules have references\n", t->rules - t->without_references,
		      t->rules);
}

int nd_cmd_rules_cover(const struct nd_options *o, struct nd_buf *out)
{
	struct nd_session s;
	struct cases cases = {0};
	struct totals t = {0};
	int status;

	nd_session_begin(&s);
	status = nd_session_rules(&s, o, o->args, o->n_args, false);
	if (status == 0)
		read_cases(&cases);
	for (uint32_t i = 0; status == 0 && i < s.rules->n; i++) {
		if (nd_rule_is_from(s.rules->rules[i]->path, o->args, o->n_args))
			put_rule(s.rules, i, &cases, &t, out);
	}
	if (status == 0) {
		put_totals(&t, &cases, out);
		put_unread_facts(s.rules, nd_opt_given(o, ND_OPT_VERBOSE), out);
	}
	free(cases.causes);
	nd_arena_free(&cases.arena);
	nd_session_end(&s);
	return status;
}
