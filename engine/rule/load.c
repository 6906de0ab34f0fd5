/* A rule file and a library file: their own sections, in the order in which one needs the other. */
#include "engine/rule/rule.h"

#include "engine/rule/expr_match.h"

static const char *const origins[] = {
	"lab:", "case:", "kernel:", "kernel-doc:", "standard:", "arith", "guess:", NULL};

struct nd_scope nd_scope_of(struct nd_loader *l, enum nd_kind kind, struct nd_let *lets,
			    uint32_t n_lets)
{
	struct nd_scope s = {.rules = l->rules,
			     .arena = &l->rules->arena,
			     .this_kind = kind,
			     .about_kind = ND_NO_KIND};

	s.lets = lets;
	s.n_lets = n_lets;
	if (l->rule) {
		s.params = l->rule->params;
		s.n_params = l->rule->n_params;
		s.logs = l->rule->logs;
		s.n_logs = l->rule->n_logs;
		s.tallies = l->rule->tallies;
		s.n_tallies = l->rule->n_tallies;
	}
	return s;
}

static void check_origin(struct nd_loader *l, const struct nd_yaml *y)
{
	const char *origin = nd_text_of(l, y, "origin", false);

	if (!origin && nd_yaml_get(y, "origin"))
		return; /* it is no text: said */
	if (!origin) {
		nd_say(l, y, 0,
		       "origin is missing: where does this number come from? (lab: case: kernel: standard: arith: guess:)");
		return;
	}
	for (size_t i = 0; origins[i]; i++) {
		if (nd_starts(origin, origins[i]))
			return;
	}
	nd_say(l, nd_yaml_get(y, "origin"), 0,
	       "origin starts with lab: case: kernel: standard: arith: or guess:");
}

/* A number that is the same whatever the host: no fact, no entity. */
static bool constant(const struct nd_code *c)
{
	bool number = c->op == ND_O_NUMBER || c->op == ND_O_NEG || c->op == ND_O_ARITH;

	return number && (!c->a || constant(c->a)) && (!c->b || constant(c->b));
}

static struct nd_code *param_code(struct nd_loader *l, const struct nd_yaml *value,
				  const struct nd_setting *set)
{
	struct nd_scope none = nd_scope_of(l, ND_NO_KIND, NULL, 0);
	struct nd_expr_error e = {0};
	struct nd_code *own = nd_number_of(l, value, &none), *c;

	if (own && !constant(own)) {
		nd_say(l, value, 0, "a param is a number, not something that is measured");
		return NULL;
	}
	if (!own || !set)
		return own;
	c = nd_compile(strchr(set->assignment, '=') + 1, &none, false, &e);
	if (c && !constant(c))
		c = nd_check_fail(&e, 0, "not a number");
	if (!c || c->type.t != ND_X_NUMBER || !nd_same_dims(c->type.dims, own->type.dims) ||
	    (c->type.number == ND_N_PERCENT) != (own->type.number == ND_N_PERCENT)) {
		nd_setting_wrong(l, set, "%s: %s; the rule has %s",
				 strchr(set->assignment, '.') + 1, c ? "another unit" : e.msg,
				 value->text);
		return own;
	}
	return c;
}

void nd_load_params(struct nd_loader *l, const struct nd_yaml *map, struct nd_param **out,
		    uint32_t *n, const char *owner)
{
	if (!map || map->type != ND_YAML_MAP) {
		if (map)
			nd_say(l, map, 0, "params: names, each with value and origin");
		return;
	}
	*out = nd_arena_alloc(&l->rules->arena, (map->n + 1) * sizeof(**out));
	for (uint32_t i = 0; i < map->n; i++) {
		struct nd_param *p = &(*out)[*n];
		const struct nd_setting *set;
		const struct nd_yaml *value;

		if (!nd_keys(l, map->items[i], &nd_section_param))
			continue;
		value = nd_yaml_get(map->items[i], "value");
		if (!nd_text_of(l, map->items[i], "value", true))
			continue;
		check_origin(l, map->items[i]);
		p->name = map->keys[i]->text;
		p->source = value;
		set = nd_rules_setting(l->rules, owner, p->name);
		p->code = param_code(l, value, set);
		if (set) {
			p->set = strchr(set->assignment, '=') + 1;
			p->set_by = set->by;
		}
		(*n)++;
	}
}

void nd_load_lets(struct nd_loader *l, const struct nd_yaml *file, const struct nd_yaml *tree,
		  struct nd_let **out, uint32_t *n)
{
	/* the tree's own come first, and are found first */
	const struct nd_yaml *maps[] = {tree && tree != file ? nd_yaml_get(tree, "let") : NULL,
					nd_yaml_get(file, "let")};
	uint32_t count = 0;

	for (unsigned m = 0; m < 2; m++) {
		if (maps[m] && maps[m]->type != ND_YAML_MAP)
			nd_say(l, maps[m], 0, "let: names and expressions");
		count += maps[m] && maps[m]->type == ND_YAML_MAP ? maps[m]->n : 0;
	}
	*out = nd_arena_alloc(&l->rules->arena, (count + 1) * sizeof(**out));
	for (unsigned m = 0; m < 2; m++) {
		for (uint32_t i = 0; maps[m] && maps[m]->type == ND_YAML_MAP && i < maps[m]->n;
		     i++) {
			(*out)[*n] = (struct nd_let){.name = maps[m]->keys[i]->text,
						     .source = maps[m]->items[i],
						     .slot = *n};
			(*n)++;
		}
	}
}

/* Of a let or a derived fact, which may be needed by others that are not complete yet. */
static struct nd_code *code_inside(struct nd_loader *l, const struct nd_yaml *source,
				   const struct nd_scope *s)
{
	struct nd_code *c = NULL;

	if (l->inside < ND_CHAIN_MAX) {
		l->inside++;
		c = nd_code_of(l, source, s);
		l->inside--;
	} else {
		nd_say(l, source, 0, "%s", ND_CHAIN_HELP);
	}
	return c;
}

struct nd_code *nd_rules_compile_let(struct nd_let *let, const struct nd_scope *s,
				     struct nd_expr_error *e)
{
	struct nd_loader *l = s->rules->loader;
	uint32_t chain = l->chain;
	struct nd_code *c;

	l->chain = 0;
	c = code_inside(l, let->source, s);
	let->chain = l->chain + 1;
	l->chain = chain;
	if (!c)
		nd_check_fail(e, 0, "an error in $%s", let->name);
	return c;
}

static void load_log(struct nd_loader *l, const char *name, const struct nd_yaml *y,
		     struct nd_log_pattern *out)
{
	const char *match;
	char err[256];
	size_t at;

	out->name = name;
	if (!nd_keys(l, y, &nd_section_log) || !(match = nd_text_of(l, y, "match", true)))
		return;
	out->pattern = nd_pattern_new(match, err, sizeof(err), &at);
	if (!out->pattern) {
		nd_say(l, nd_yaml_get(y, "match"), (uint32_t)at, "bad pattern: %s", err);
		return;
	}
	nd_rules_keep_pattern(l->rules, out->pattern);
	out->n_groups = nd_pattern_groups(out->pattern);
	out->groups = nd_arena_alloc(&l->rules->arena, (out->n_groups + 1) * sizeof(*out->groups));
	out->group_kinds =
		nd_arena_alloc(&l->rules->arena, (out->n_groups + 1) * sizeof(*out->group_kinds));
	for (uint32_t i = 0; i < out->n_groups; i++) {
		out->groups[i] = nd_pattern_group_name(out->pattern, i);
		out->group_kinds[i] = nd_kind_by_name(out->groups[i], false);
	}
}

static void load_logs(struct nd_loader *l, const struct nd_yaml *y, struct nd_log_pattern **out,
		      uint32_t *n)
{
	struct nd_rules *rules = l->rules;

	if (!y)
		return;
	*out = nd_arena_alloc(&rules->arena, (y->n + 1) * sizeof(**out));
	*n = y->n;
	for (uint32_t i = 0; i < y->n; i++) {
		load_log(l, y->keys[i]->text, y->items[i], &(*out)[i]);
		(*out)[i].slot = rules->n_logs;
		ND_GROW(rules->logs, rules->n_logs, rules->cap_logs);
		rules->logs[rules->n_logs++] = &(*out)[i];
	}
}

static const struct nd_table_def *table_named(const struct nd_registry *r, const char *name)
{
	for (uint32_t i = 0; i < nd_registry_tables(r); i++) {
		if (strcmp(nd_registry_table(r, i)->name, name) == 0)
			return nd_registry_table(r, i);
	}
	return NULL;
}

static void load_tallies(struct nd_loader *l, struct nd_rule *r, const struct nd_yaml *y)
{
	if (!y)
		return;
	r->tallies = nd_arena_alloc(&l->rules->arena, (y->n + 1) * sizeof(*r->tallies));
	for (uint32_t i = 0; i < y->n; i++) {
		struct nd_tally *t = &r->tallies[r->n_tallies++];
		struct nd_scope s = nd_scope_of(l, ND_NO_KIND, NULL, 0);
		const char *over;

		t->name = y->keys[i]->text;
		if (!nd_keys(l, y->items[i], &nd_section_tally) ||
		    !(over = nd_text_of(l, y->items[i], "over", true)) ||
		    !nd_text_of(l, y->items[i], "where", true))
			continue;
		t->table = table_named(l->rules->registry, over);
		if (!t->table) {
			nd_say(l, nd_yaml_get(y->items[i], "over"), 0,
			       "no streamed table of this name");
			continue;
		}
		s.row = t->table;
		t->where = nd_question_of(l, nd_yaml_get(y->items[i], "where"), &s);
		t->slot = l->rules->n_tallies++;
	}
}

/* One tree for each kind of a scope list. */
static void load_scopes(struct nd_loader *l, struct nd_rule *r, const struct nd_yaml *y,
			const char *name)
{
	const struct nd_yaml *scope = nd_yaml_get(y, "scope");
	bool seen[ND_KINDS] = {false};
	bool list = scope && scope->type == ND_YAML_LIST;
	uint32_t n = list ? scope->n : 1;

	if (!scope) {
		nd_say(l, y, 0, "scope is missing: the kind of entity that the tree walks");
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct nd_yaml *one = list ? scope->items[i] : scope;
		enum nd_kind k = ND_NO_KIND;

		if (one->type == ND_YAML_TEXT)
			k = nd_kind_by_name(one->text, false);
		if (k == ND_NO_KIND) {
			nd_say(l, one, 0, "no kind of entity \"%s\"", one->text ? one->text : "");
		} else if (seen[k]) {
			nd_say(l, one, 0, "%s stands twice in the scope", one->text);
		} else {
			seen[k] = true;
			nd_load_tree(l, r, y, name, k);
		}
	}
}

/* Each kind once for each tree. */
static uint32_t trees_at_most(const struct nd_yaml *y)
{
	const struct nd_yaml *trees = nd_yaml_get(y, "trees");

	return (1 + (trees && trees->type == ND_YAML_MAP ? trees->n : 0)) * ND_KINDS;
}

static void load_trees(struct nd_loader *l, struct nd_rule *r)
{
	const struct nd_yaml *trees = nd_named_of(l, r->yaml, "trees");
	const struct nd_yaml *tree = nd_yaml_get(r->yaml, "tree");

	if (trees && tree)
		nd_say(l, tree, 0, "a file has either one tree or trees");
	if (!nd_yaml_get(r->yaml, "trees") && !tree && !nd_yaml_get(r->yaml, "notes") &&
	    !nd_yaml_get(r->yaml, "contradictions"))
		nd_say(l, r->yaml, 0, "a rule has a tree or trees, notes or contradictions");
	r->trees = nd_arena_alloc(&l->rules->arena, trees_at_most(r->yaml) * sizeof(*r->trees));
	if (tree)
		load_scopes(l, r, r->yaml, "main");
	for (uint32_t i = 0; trees && i < trees->n; i++)
		load_scopes(l, r, trees->items[i], trees->keys[i]->text);
	for (uint32_t i = 0; i < r->n_causes; i++) {
		if (!r->causes[i].concluded)
			nd_say(l, r->causes[i].yaml, 0, "cause %s is never concluded",
			       r->causes[i].name);
	}
}

void nd_rules_load_rule(struct nd_loader *l, struct nd_rule *r)
{
	static const char *const flags[] = {"no", "yes", "false", "true", NULL};
	const struct nd_yaml *core;

	l->rule = r;
	l->path = r->path;
	l->text = r->text;
	l->len = r->len;
	if (!nd_keys(l, r->yaml, &nd_section_rule))
		return;
	r->title = nd_text_of(l, r->yaml, "title", true);
	r->about = nd_text_of(l, r->yaml, "about", false);
	core = nd_yaml_get(r->yaml, "core");
	r->core = core && nd_word_of(l, core, flags) % 2 == 1;
	nd_load_params(l, nd_yaml_get(r->yaml, "params"), &r->params, &r->n_params, r->name);
	load_logs(l, nd_named_of(l, r->yaml, "logs"), &r->logs, &r->n_logs);
	load_tallies(l, r, nd_named_of(l, r->yaml, "tally"));
	nd_load_causes(l, r);
	load_trees(l, r);
	nd_load_remarks(l, r, "notes");
	nd_load_remarks(l, r, "contradictions");
	r->references = nd_texts_of(l, nd_yaml_get(r->yaml, "references"), &r->n_references);
}

void nd_rules_load_library(struct nd_loader *l, struct nd_library *lib)
{
	const struct nd_yaml *y;

	l->rule = NULL;
	l->path = lib->path;
	l->text = lib->text;
	l->len = lib->len;
	if (!nd_keys(l, lib->yaml, &nd_section_library))
		return;
	nd_load_params(l, nd_yaml_get(lib->yaml, "params"), &lib->params, &lib->n_params,
		       lib->name);
	load_logs(l, nd_named_of(l, lib->yaml, "logs"), &lib->logs, &lib->n_logs);
	y = nd_named_of(l, lib->yaml, "derive");
	if (!y)
		return;
	lib->derived = nd_arena_alloc(&l->rules->arena, (y->n + 1) * sizeof(*lib->derived));
	for (uint32_t i = 0; i < y->n; i++) {
		struct nd_derived *d = &lib->derived[lib->n_derived];
		const char *name = y->keys[i]->text, *dot = strchr(name, '.');
		char kind[64] = "";

		if (dot && (size_t)(dot - name) < sizeof(kind))
			snprintf(kind, sizeof(kind), "%.*s", (int)(dot - name), name);
		*d = (struct nd_derived){.on = nd_kind_by_name(kind, false), .library = lib};
		if (d->on == ND_NO_KIND) {
			nd_say(l, y->keys[i], 0,
			       "expected kind.name, such as cpu.softirq_saturated");
			continue;
		}
		d->name = dot + 1;
		if (nd_registry_find(l->rules->registry, d->on, d->name) >= 0)
			nd_say(l, y->keys[i], 0,
			       "%s is a fact already: a derived one may not hide it", name);
		if (!nd_keys(l, y->items[i], &nd_section_derived) ||
		    !nd_text_of(l, y->items[i], "value", true))
			continue;
		d->source = nd_yaml_get(y->items[i], "value");
		d->ask = nd_text_of(l, y->items[i], "ask", false);
		d->doc = nd_text_of(l, y->items[i], "doc", false);
		lib->n_derived++;
	}
}

bool nd_rules_chain(struct nd_rules *rules, uint32_t n)
{
	struct nd_loader *l = rules->loader;

	if (l && n > l->chain)
		l->chain = n;
	return n <= ND_CHAIN_MAX;
}

/* Compiled when first used; the messages then speak of the library's file. */
struct nd_code *nd_rules_compile_derived(struct nd_rules *rules, struct nd_derived *d,
					 struct nd_expr_error *e)
{
	struct nd_loader *l = rules->loader, saved; /* NULL once the rules are checked */
	struct nd_scope s;

	if (d->code)
		return d->code;
	if (d->checking)
		return nd_check_fail(e, 0, "%s.%s needs itself", nd_kinds[d->on].name, d->name);
	if (d->failed)
		return nd_check_fail(e, 0, "%s.%s has an error of its own", nd_kinds[d->on].name,
				     d->name);
	saved = *l;
	l->chain = 0;
	l->rule = NULL;
	l->path = d->library->path;
	l->text = d->library->text;
	l->len = d->library->len;
	s = nd_scope_of(l, d->on, NULL, 0);
	s.params = d->library->params;
	s.n_params = d->library->n_params;
	d->checking = true;
	d->code = code_inside(l, d->source, &s);
	d->checking = false;
	d->failed = !d->code;
	d->chain = l->chain + 1;
	saved.errors = l->errors;
	*l = saved;
	if (!d->code)
		nd_check_fail(e, 0, "%s.%s has an error of its own", nd_kinds[d->on].name, d->name);
	return d->code;
}
