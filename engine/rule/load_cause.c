/* Causes as a tree concludes them, their fixes, and the notes and contradictions of a file. */
#include "engine/rule/rule.h"

const struct nd_yaml *nd_cause_key(const struct nd_cause *c, const char *key)
{
	const struct nd_yaml *own = nd_yaml_get(c->yaml, key);

	if (own || !c->like || strcmp(key, "narrows") == 0)
		return own;
	return nd_yaml_get(c->like, key);
}

void nd_load_causes(struct nd_loader *l, struct nd_rule *r)
{
	const struct nd_yaml *y = nd_named_of(l, r->yaml, "causes");

	if (!y)
		return;
	r->causes = nd_arena_alloc(&l->rules->arena, (y->n + 1) * sizeof(*r->causes));
	for (uint32_t i = 0; i < y->n; i++) {
		struct nd_cause *c = &r->causes[r->n_causes];
		const char *at = strchr(y->keys[i]->text, '@'), *like;

		if (!nd_keys(l, y->items[i], &nd_section_cause))
			continue;
		r->n_causes++;
		*c = (struct nd_cause){
			.name = y->keys[i]->text, .base = y->keys[i]->text, .yaml = y->items[i]};
		if (at) {
			c->base =
				nd_arena_strndup(&l->rules->arena, c->name, (size_t)(at - c->name));
			c->variant = at + 1;
		}
		like = nd_text_of(l, c->yaml, "like", false);
		c->like = like ? nd_yaml_get(y, like) : NULL;
		if (like && (!c->like || c->like->type != ND_YAML_MAP || c->like == c->yaml))
			nd_say(l, nd_yaml_get(c->yaml, "like"), 0, "no cause %s in this file",
			       like);
		c->narrows = nd_text_of(l, c->yaml, "narrows", false);
	}
}

static struct nd_code *optional_number(struct nd_loader *l, const struct nd_yaml *map,
				       const char *key, const struct nd_scope *s)
{
	const struct nd_yaml *y = map ? nd_yaml_get(map, key) : NULL;

	return y ? nd_number_of(l, y, s) : NULL;
}

static void load_accounts(struct nd_loader *l, struct nd_use *u, const struct nd_scope *s)
{
	const struct nd_yaml *y = nd_cause_key(u->cause, "accounts");

	if (!y || !nd_keys(l, y, &nd_section_accounts))
		return;
	u->delay = optional_number(l, y, "delay", s);
	u->touches = optional_number(l, y, "touches", s);
	u->share = optional_number(l, y, "share", s);
	u->share_of = nd_ctext_of(l, nd_yaml_get(y, "of"), s, false);
	if (u->delay && (u->delay->type.dims.time != 1 || u->delay->type.dims.data))
		nd_say(l, nd_yaml_get(y, "delay"), 0, "delay is a time");
	if (u->touches && (u->touches->type.dims.time || u->touches->type.dims.data))
		nd_say(l, nd_yaml_get(y, "touches"), 0, "touches is a share of the requests");
	if (u->share && (u->share->type.dims.time || u->share->type.dims.data))
		nd_say(l, nd_yaml_get(y, "share"), 0, "share is a share");
}

static void load_refutes(struct nd_loader *l, struct nd_use *u, const struct nd_scope *s)
{
	const struct nd_yaml *y = nd_cause_key(u->cause, "refute");

	if (!y)
		return;
	if (y->type != ND_YAML_LIST) {
		nd_say(l, y, 0, "refute is a list");
		return;
	}
	u->refutes = nd_arena_alloc(&l->rules->arena, (y->n + 1) * sizeof(*u->refutes));
	for (uint32_t i = 0; i < y->n; i++) {
		struct nd_refute *r = &u->refutes[u->n_refutes];
		const struct nd_yaml *then = nd_yaml_get(y->items[i], "then"),
				     *test = nd_yaml_get(y->items[i], "test");

		if (!nd_keys(l, y->items[i], &nd_section_refute))
			continue;
		nd_text_of(l, y->items[i], "because", true);
		if (!nd_text_of(l, y->items[i], "test", true))
			continue;
		u->n_refutes++;
		r->test = nd_question_of(l, test, s);
		r->because = nd_ctext_of(l, nd_yaml_get(y->items[i], "because"), s, false);
		r->cap = ND_NO_CAP;
		if (then && then->type == ND_YAML_MAP && nd_yaml_get(then, "cap"))
			r->cap = nd_word_of(l, nd_yaml_get(then, "cap"), nd_words_cap);
		else if (then)
			nd_say(l, then, 0, "expected {cap: likely} or {cap: suspected}");
	}
}

static void load_fixes(struct nd_loader *l, struct nd_use *u, const struct nd_scope *s)
{
	const struct nd_yaml *y = nd_cause_key(u->cause, "fix");

	if (!y)
		return;
	if (y->type != ND_YAML_LIST) {
		nd_say(l, y, 0, "fix is a list");
		return;
	}
	u->fixes = nd_arena_alloc(&l->rules->arena, (y->n + 1) * sizeof(*u->fixes));
	for (uint32_t i = 0; i < y->n; i++)
		nd_load_fix(l, y->items[i], s, &u->fixes[u->n_fixes++]);
}

void nd_load_use(struct nd_loader *l, struct nd_tree *t, struct nd_use *u, const struct nd_scope *s)
{
	const struct nd_cause *c = u->cause;
	const struct nd_yaml *report = nd_cause_key(c, "report");

	(void)t;
	u->title = nd_ctext_of(l, nd_cause_key(c, "title"), s, false);
	u->because = nd_ctext_of(l, nd_cause_key(c, "because"), s, false);
	if (!nd_cause_key(c, "title") || !nd_cause_key(c, "because"))
		nd_say(l, c->yaml, 0, "a cause needs a title and a because");
	u->together = report && nd_word_of(l, report, nd_words_report) == 1;
	if (nd_cause_key(c, "worst_by"))
		u->worst_by = nd_number_of(l, nd_cause_key(c, "worst_by"), s);
	load_accounts(l, u, s);
	load_refutes(l, u, s);
	load_fixes(l, u, s);
	u->explains = nd_texts_of(l, nd_cause_key(c, "explains"), &u->n_explains);
	u->amplifies = nd_texts_of(l, nd_cause_key(c, "amplifies"), &u->n_amplifies);
	u->excludes = nd_texts_of(l, nd_cause_key(c, "excludes"), &u->n_excludes);
	u->references = nd_texts_of(l, nd_cause_key(c, "references"), &u->n_references);
}

static void load_loops(struct nd_loader *l, const struct nd_yaml *y, struct nd_scope *s,
		       struct nd_fix_rule *out)
{
	struct nd_arena *a = &l->rules->arena;

	if (y->type != ND_YAML_MAP) {
		nd_say(l, y, 0, "each: names and sets");
		return;
	}
	out->loop_names = nd_arena_alloc(a, (y->n + 1) * sizeof(*out->loop_names));
	out->loop_kinds = nd_arena_alloc(a, (y->n + 1) * sizeof(*out->loop_kinds));
	out->loop_sets = nd_arena_alloc(a, (y->n + 1) * sizeof(*out->loop_sets));
	out->loop_texts = nd_arena_alloc(a, (y->n + 1) * sizeof(*out->loop_texts));
	s->loop_names = out->loop_names;
	s->loop_kinds = out->loop_kinds;
	for (uint32_t i = 0; i < y->n; i++) {
		struct nd_code *c = nd_code_of(l, y->items[i], s); /* may use the loops before it */

		if (!c)
			continue;
		if (c->type.t != ND_X_SET || c->type.kind == ND_NO_KIND) {
			nd_say(l, y->items[i], 0, "each needs a set of entities");
			continue;
		}
		out->loop_names[out->n_loops] = y->keys[i]->text;
		out->loop_kinds[out->n_loops] = c->type.kind;
		out->loop_texts[out->n_loops] = y->items[i]->text;
		out->loop_sets[out->n_loops++] = c;
		s->n_loops = out->n_loops;
	}
}

static void load_sysctls(struct nd_loader *l, const struct nd_yaml *y, const struct nd_scope *s,
			 struct nd_fix_rule *out)
{
	if (y->type != ND_YAML_MAP) {
		nd_say(l, y, 0, "sysctl: keys and expressions");
		return;
	}
	out->sysctls = nd_arena_alloc(&l->rules->arena, (y->n + 1) * sizeof(*out->sysctls));
	for (uint32_t i = 0; i < y->n; i++) {
		struct nd_sysctl_step *step = &out->sysctls[out->n_sysctls++];
		char name[300];

		step->key = nd_ctext_of(l, y->keys[i], s, true);
		step->value = nd_number_of(l, y->items[i], s);
		step->value_text = y->items[i]->type == ND_YAML_TEXT ? y->items[i]->text : "";
		snprintf(name, sizeof(name), "sysctl.%s", y->keys[i]->text);
		if (!strchr(name, '{') && nd_registry_find(l->rules->registry, ND_HOST, name) < 0 &&
		    nd_registry_find(l->rules->registry, ND_NETNS, name) < 0)
			nd_say(l, y->keys[i], 0, "no kernel that is known here has sysctl %s",
			       y->keys[i]->text);
	}
}

static void check_fix(struct nd_loader *l, const struct nd_yaml *y)
{
	bool run = nd_yaml_get(y, "run"), sysctl = nd_yaml_get(y, "sysctl");

	nd_text_of(l, y, "title", true);
	nd_text_of(l, y, "risk", true);
	if (!nd_yaml_get(y, "tier"))
		nd_say(l, y, 0, "tier is missing: stop-gap, cure or last-resort");
	if (!run && !sysctl && !nd_yaml_get(y, "advice"))
		nd_say(l, y, 0, "a fix needs run, sysctl or advice");
	if ((run || sysctl) && !nd_yaml_get(y, "disrupts"))
		nd_say(l, y, 0, "disrupts is missing: what is interrupted, or no");
	if (run && !nd_yaml_get(y, "undo"))
		nd_say(l, y, 0, "run needs undo");
	if ((run || sysctl) && !nd_yaml_get(y, "verify"))
		nd_say(l, y, 0,
		       "run and sysctl need verify: the question that shows that it worked");
	if (nd_yaml_get(y, "when") && !nd_yaml_get(y, "else"))
		nd_say(l, y, 0, "when needs else: why the fix is not offered");
}

void nd_load_fix(struct nd_loader *l, const struct nd_yaml *y, const struct nd_scope *s,
		 struct nd_fix_rule *out)
{
	struct nd_scope loops = *s;
	const struct nd_yaml *each, *verify;
	struct {
		const char *key;
		struct nd_ctext **to;
		bool shell;
	} texts[] = {
		{"title", &out->title, false},
		{"risk", &out->risk, false},
		{"disrupts", &out->disrupts, false},
		{"else", &out->other, false},
		{"restart", &out->restart, false},
		{"advice", &out->advice, false},
		{"run", &out->run, true},
		{"undo", &out->undo, true},
		{"persist", &out->persist, true},
	};

	if (!nd_keys(l, y, &nd_section_fix))
		return;
	check_fix(l, y);
	each = nd_yaml_get(y, "each");
	verify = nd_yaml_get(y, "verify");
	if (nd_yaml_get(y, "tier"))
		out->tier = nd_word_of(l, nd_yaml_get(y, "tier"), nd_words_tier);
	out->tier = out->tier < 0 ? 0 : out->tier;
	if (each)
		load_loops(l, each, &loops, out);
	for (size_t i = 0; i < ND_ARRAY_LEN(texts); i++)
		*texts[i].to = nd_ctext_of(l, nd_yaml_get(y, texts[i].key),
					   texts[i].shell ? &loops : s, texts[i].shell);
	if (nd_yaml_get(y, "when"))
		out->when = nd_question_of(l, nd_yaml_get(y, "when"), s);
	if (verify) {
		out->verify = nd_question_of(l, verify, s);
		out->verify_text = verify->type == ND_YAML_TEXT ? verify->text : NULL;
	}
	if (nd_yaml_get(y, "inside"))
		out->inside = nd_code_of(l, nd_yaml_get(y, "inside"), s);
	if (out->inside &&
	    (out->inside->type.t != ND_X_ENTITY || out->inside->type.kind != ND_NETNS))
		nd_say(l, nd_yaml_get(y, "inside"), 0, "inside names a netns");
	if (nd_yaml_get(y, "sysctl"))
		load_sysctls(l, nd_yaml_get(y, "sysctl"), s, out);
}

static void load_distrust(struct nd_loader *l, const struct nd_yaml *y, struct nd_remark *out)
{
	uint32_t n;
	const char **names = nd_texts_of(l, y, &n);

	out->distrust = nd_arena_alloc(&l->rules->arena, (n + 1) * sizeof(*out->distrust));
	for (uint32_t i = 0; i < n; i++) {
		const char *dot = strchr(names[i], '.');
		char kind[64];
		enum nd_kind k = ND_NO_KIND;
		nd_fact_id id = -1;

		if (dot && (size_t)(dot - names[i]) < sizeof(kind)) {
			snprintf(kind, sizeof(kind), "%.*s", (int)(dot - names[i]), names[i]);
			k = nd_kind_by_name(kind, false);
		}
		if (k != ND_NO_KIND)
			id = nd_registry_find(l->rules->registry, k, dot + 1);
		if (id < 0) {
			nd_say(l, y->type == ND_YAML_LIST && n == y->n ? y->items[i] : y, 0,
			       "no fact %s (kind.name, without accessor)", names[i]);
			continue;
		}
		out->distrust[out->n_distrust].kind = k;
		out->distrust[out->n_distrust++].fact = id;
	}
}

void nd_load_remarks(struct nd_loader *l, struct nd_rule *r, const char *section)
{
	bool notes = strcmp(section, "notes") == 0;
	const struct nd_section *keys = notes ? &nd_section_note : &nd_section_contradiction;
	const struct nd_yaml *y = nd_named_of(l, r->yaml, section);
	struct nd_remark *all;
	uint32_t n = 0;

	if (!y)
		return;
	all = nd_arena_alloc(&l->rules->arena, (y->n + 1) * sizeof(*all));
	for (uint32_t i = 0; i < y->n; i++) {
		const struct nd_yaml *m = y->items[i], *scope = nd_yaml_get(m, "scope");
		struct nd_remark *out = &all[n];
		struct nd_scope s;

		if (!nd_keys(l, m, keys) || !nd_text_of(l, m, "test", true) ||
		    !nd_text_of(l, m, "says", true))
			continue;
		n++;
		out->name = y->keys[i]->text;
		out->scope = !scope			   ? ND_HOST
			     : scope->type == ND_YAML_TEXT ? nd_kind_by_name(scope->text, false)
							   : ND_NO_KIND;
		if (out->scope == ND_NO_KIND) {
			nd_say(l, scope, 0, "no kind of entity of this name");
			out->scope = ND_HOST;
		}
		nd_load_lets(l, r->yaml, NULL, &out->lets, &out->n_lets);
		s = nd_scope_of(l, out->scope, out->lets, out->n_lets);
		out->test = nd_question_of(l, nd_yaml_get(m, "test"), &s);
		out->says = nd_ctext_of(l, nd_yaml_get(m, "says"), &s, false);
		out->instead_of = nd_texts_of(l, nd_yaml_get(m, "instead_of"), &out->n_instead_of);
		if (nd_yaml_get(m, "distrust"))
			load_distrust(l, nd_yaml_get(m, "distrust"), out);
	}
	if (notes) {
		r->notes = all;
		r->n_notes = n;
	} else {
		r->contradictions = all;
		r->n_contradictions = n;
	}
}
