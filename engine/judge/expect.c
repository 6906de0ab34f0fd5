/* What a rule's test expects: each key is one check over the outcome. */
#include "engine/judge/given.h"
#include "engine/judge/ruletest.h"

#include <math.h>

#include "engine/rule/expr_match.h"

struct checker {
	struct nd_run *run;
	const struct nd_outcome *o;
	const struct nd_yaml *expect;
	const struct nd_walk *w; /* the expected finding, if it is there */
	struct nd_buf why;
	struct nd_buf fixes; /* "run: …", "prose: …" lines of the finding */
};
static const char *const words[] = {"suspected", "likely", "confirmed", NULL};

static const char *const of_words[] = {"word", "at_least", "at_most"};

static void complain(struct checker *c, const char *fmt, ...) ND_PRINTF(2, 3);
static void complain(struct checker *c, const char *fmt, ...)
{
	char text[700];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	nd_buf_printf(&c->why, "%s%s", c->why.len ? "; " : "", text);
}

static uint32_t texts(const struct nd_yaml *y, const char *out[64])
{
	uint32_t n = 0;

	if (y && y->type == ND_YAML_TEXT)
		out[n++] = y->text;
	for (uint32_t i = 0; y && y->type == ND_YAML_LIST && i < y->n && n < 64; i++) {
		if (y->items[i]->type == ND_YAML_TEXT)
			out[n++] = y->items[i]->text;
	}
	return n;
}

static const char *value(struct checker *c, const char *key)
{
	const struct nd_yaml *y =
		c->expect->type == ND_YAML_MAP ? nd_yaml_get(c->expect, key) : NULL;

	return y && y->type == ND_YAML_TEXT ? y->text : NULL;
}

static int word_index(const char *word)
{
	for (int i = 0; words[i]; i++) {
		if (strcmp(words[i], word) == 0)
			return i;
	}
	return -1;
}

static bool has_cause(const struct nd_rules *rules, const char *name)
{
	for (uint32_t i = 0; i < rules->n; i++) {
		for (uint32_t k = 0; k < rules->rules[i]->n_causes; k++) {
			if (strcmp(rules->rules[i]->causes[k].base, name) == 0)
				return true;
		}
	}
	return false;
}

static bool lost(const struct nd_outcome *o, const char *cause, enum nd_fate fate)
{
	if (nd_outcome_names(o, cause))
		return false;
	for (uint32_t i = 0; i < o->n_walks; i++) {
		for (uint32_t u = 0; u < o->walks[i].tree->n_uses; u++) {
			if (o->walks[i].lost[u].fate == fate &&
			    strcmp(o->walks[i].tree->uses[u].name, cause) == 0)
				return true;
		}
	}
	return false;
}

static bool tree_has(const struct nd_tree *t, const char *cause)
{
	for (uint32_t u = 0; u < t->n_uses; u++) {
		if (!cause || strcmp(t->uses[u].name, cause) == 0)
			return true;
	}
	return false;
}

/* cause NULL: is anything unexamined? */
static bool unexamined(const struct nd_outcome *o, const char *cause)
{
	if (cause && nd_outcome_names(o, cause))
		return false;
	for (uint32_t i = 0; i < o->n_unread; i++) {
		if (tree_has(o->unread[i].tree, cause))
			return true;
	}
	for (uint32_t i = 0; i < o->n_walks; i++) {
		if (o->walks[i].unexamined && tree_has(o->walks[i].tree, cause))
			return true;
	}
	return false;
}

static const char *any_open(const struct nd_outcome *o)
{
	for (uint32_t i = 0; i < o->n_walks; i++) {
		for (uint32_t u = 0; u < o->walks[i].tree->n_uses; u++) {
			if (o->walks[i].lost[u].fate == ND_FATE_OPEN &&
			    !nd_outcome_names(o, o->walks[i].tree->uses[u].name))
				return o->walks[i].tree->uses[u].name;
		}
	}
	return NULL;
}

static void say_found(struct checker *c)
{
	for (uint32_t i = 0; i < c->o->n_found; i++)
		complain(c, "found %s on %s (%s)", nd_walk_use(c->o->found[i])->name,
			 nd_entity_name(c->run->f, c->o->found[i]->about),
			 nd_word_name(c->o->found[i]->word));
}

/* ---- the finding ---- */

static void find_expected(struct checker *c, const char *cause)
{
	const char *entity = value(c, "entity");

	for (uint32_t i = 0; i < c->o->n_found && !c->w; i++) {
		const struct nd_walk *w = c->o->found[i];
		const char *wider = nd_walk_use(w)->cause->narrows;

		if (strcmp(nd_walk_use(w)->name, cause) != 0 &&
		    (!wider || strcmp(wider, cause) != 0))
			continue;
		if (!entity || strcmp(nd_entity_name(c->run->f, w->about), entity) == 0)
			c->w = w;
	}
	if (!c->w) {
		complain(c, "expected %s%s%s", cause, entity ? " on " : "", entity ? entity : "");
		say_found(c);
		if (lost(c->o, cause, ND_FATE_OPEN))
			complain(c, "it is open");
		if (lost(c->o, cause, ND_FATE_RULED_OUT))
			complain(c, "it is ruled out");
		return;
	}
	if (c->w->role == ND_TRIGGER && c->o->found[0] != c->w)
		complain(c, "%s comes first", nd_walk_use(c->o->found[0])->name);
}

static void check_words(struct checker *c)
{
	const char *word = value(c, "word"), *least = value(c, "at_least"),
		   *most = value(c, "at_most"), *role = value(c, "role");
	const char *supports = value(c, "supports");
	double n;

	if (word && word_index(word) != (int)c->w->word)
		complain(c, "word is %s, expected %s", nd_word_name(c->w->word), word);
	if (least && (int)c->w->word < word_index(least))
		complain(c, "word is %s, expected at least %s", nd_word_name(c->w->word), least);
	if (most && (int)c->w->word > word_index(most))
		complain(c, "word is %s, expected at most %s", nd_word_name(c->w->word), most);
	if (role && strcmp(role, nd_role_name(c->w->role)) != 0)
		complain(c, "role is %s, expected %s", nd_role_name(c->w->role), role);
	if (supports && nd_parse_f64(supports, &n) && c->w->supports != (int)n)
		complain(c, "supports is %d, expected %s", c->w->supports, supports);
}

static void check_members(struct checker *c)
{
	const char *want[64];
	uint32_t n = texts(nd_yaml_get(c->expect, "found"), want);

	if (n && n != c->w->n_members)
		complain(c, "found %u entities, expected %u", c->w->n_members, n);
	for (uint32_t i = 0; i < n && i < c->w->n_members; i++) {
		if (strcmp(want[i], nd_entity_name(c->run->f, c->w->members[i].id)) != 0)
			complain(c, "entity %u is %s, expected %s", i + 1,
				 nd_entity_name(c->run->f, c->w->members[i].id), want[i]);
	}
}

static void check_number(struct checker *c, const char *key, double has)
{
	const char *want = value(c, key), *dots = want ? strstr(want, "..") : NULL;
	char lo[64];
	double a, b;

	if (!want)
		return;
	snprintf(lo, sizeof(lo), "%.*s", dots ? (int)(dots - want) : (int)strlen(want), want);
	if (!nd_given_number(c->run, lo, &a) || (dots && !nd_given_number(c->run, dots + 2, &b))) {
		complain(c, "%s: expected a number or a range", key);
		return;
	}
	if (isnan(has) ||
	    (dots ? has < a || has > b : fabs(has - a) > 0.005 * fmax(1e-9, fabs(has))))
		complain(c, "%s is %g, expected %s", key, has, want);
}

static void print_lines(struct nd_buf *b, const char *prefix, const char *text)
{
	while (text && *text) {
		size_t n = strcspn(text, "\n");

		nd_buf_printf(b, "%s: %.*s\n", prefix, (int)n, text);
		text += n + (text[n] == '\n');
	}
}

static bool in_list(const char *name, const char *const *list, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (strcmp(list[i], name) == 0)
			return true;
	}
	return false;
}

static void check_fixes(struct checker *c)
{
	const struct nd_use *u = nd_walk_use(c->w);
	const char *want[64], *offered[64], *refused[64];
	uint32_t n_offered = 0, n_refused = 0, n;

	for (uint32_t i = 0; i < u->n_fixes && i < 64; i++) {
		struct nd_fix f;

		nd_fix_print(&u->fixes[i], c->w, c->run, &f);
		if (f.not_offered) {
			nd_buf_printf(&c->fixes, "not offered: %s: %s\n", f.title, f.not_offered);
			refused[n_refused++] = f.title;
			continue;
		}
		offered[n_offered++] = f.title;
		print_lines(&c->fixes, "run", f.run);
		print_lines(&c->fixes, "undo", f.undo);
		print_lines(&c->fixes, "persist", f.persist);
		if (f.missing)
			nd_buf_printf(&c->fixes, "prose: %s (%s)\n", f.advice ? f.advice : f.title,
				      f.missing);
		else if (!f.run)
			nd_buf_printf(&c->fixes, "advice: %s\n", f.advice);
	}
	n = texts(nd_yaml_get(c->expect, "fixes"), want);
	for (uint32_t i = 0; i < n; i++) {
		if (!in_list(want[i], offered, n_offered))
			complain(c, "fix \"%s\" is not offered", want[i]);
	}
	n = texts(nd_yaml_get(c->expect, "not_offered"), want);
	for (uint32_t i = 0; i < n; i++) {
		if (!in_list(want[i], refused, n_refused))
			complain(c, "fix \"%s\" is %s", want[i],
				 in_list(want[i], offered, n_offered) ? "offered" : "not there");
	}
	n = texts(nd_yaml_get(c->expect, "prints"), want);
	for (uint32_t i = 0; i < n; i++) {
		if (!strstr(nd_buf_str(&c->fixes), want[i]))
			complain(c, "not printed: %s; printed:\n%s", want[i],
				 nd_buf_str(&c->fixes));
	}
}

static void check_says(struct checker *c)
{
	const char *want = value(c, "says");
	struct nd_eval e = nd_walk_eval(c->run, c->w);
	const struct nd_use *u = nd_walk_use(c->w);
	struct nd_pattern *p;
	char err[128];
	const char *text;
	size_t at;

	if (!want)
		return;
	p = nd_pattern_new(want, err, sizeof(err), &at);
	text = nd_arena_printf(c->run->arena, "%s %s", nd_render(u->title, &e),
			       nd_render_sentences(u->because, &e));
	if (!p || nd_pattern_match(p, text, strlen(text)) != 1)
		complain(c, p ? "says: expected %s, found: %s" : "says: %s: %s", want,
			 p ? text : err);
	nd_pattern_free(p);
}

static void check_finding(struct checker *c)
{
	check_words(c);
	check_members(c);
	check_number(c, "delay", c->w->delay);
	check_number(c, "touches", c->w->touches);
	check_number(c, "share", c->w->share);
	check_number(c, "fit", c->w->fit);
	check_fixes(c);
	check_says(c);
}

/* ---- the rest of the outcome ---- */

static void check_open(struct checker *c)
{
	const char *want[64];
	uint32_t n = texts(nd_yaml_get(c->expect, "open"), want);

	if (n == 1 && strcmp(want[0], "none") == 0) {
		if (any_open(c->o))
			complain(c, "%s is open", any_open(c->o));
	} else {
		for (uint32_t i = 0; i < n; i++) {
			if (!lost(c->o, want[i], ND_FATE_OPEN))
				complain(c, "%s is not open", want[i]);
		}
	}
	n = texts(nd_yaml_get(c->expect, "unexamined"), want);
	for (uint32_t i = 0; i < n; i++) {
		if (strcmp(want[i], "none") == 0 ? unexamined(c->o, NULL)
						 : !unexamined(c->o, want[i]))
			complain(c, "unexamined: not %s", want[i]);
	}
}

static void check_absent(struct checker *c)
{
	const char *want[64];
	uint32_t n = texts(nd_yaml_get(c->expect, "ruled_out"), want);

	for (uint32_t i = 0; i < n; i++) {
		if (!lost(c->o, want[i], ND_FATE_RULED_OUT))
			complain(c, "%s is not ruled out", want[i]);
	}
	n = texts(nd_yaml_get(c->expect, "not"), want);
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t k = 0; k < c->o->n_found; k++) {
			if (strcmp(nd_walk_use(c->o->found[k])->name, want[i]) == 0)
				complain(c, "found %s", want[i]);
		}
	}
}

static void same_names(struct checker *c, const char *key, const char *const *has, uint32_t n_has)
{
	const struct nd_yaml *y = nd_yaml_get(c->expect, key);
	const char *want[64];
	uint32_t n = texts(y, want);

	for (uint32_t i = 0; y && i < n; i++) {
		if (!in_list(want[i], has, n_has))
			complain(c, "%s: no %s", key, want[i]);
	}
	for (uint32_t i = 0; y && i < n_has; i++) {
		if (!in_list(has[i], want, n))
			complain(c, "%s: %s was not expected", key, has[i]);
	}
}

static void check_sets(struct checker *c)
{
	const char *names[64];
	uint32_t n;

	for (unsigned role = ND_AMPLIFIER; role <= ND_CONSEQUENCE; role++) {
		n = 0;
		for (uint32_t i = 0; i < c->o->n_found && n < 64; i++) {
			if (c->o->found[i]->role == (enum nd_role)role)
				names[n++] = nd_walk_use(c->o->found[i])->name;
		}
		same_names(c, role == ND_AMPLIFIER ? "amplifiers" : "consequences", names, n);
	}
	for (n = 0; n < c->o->n_notes && n < 64; n++)
		names[n] = c->o->notes[n].remark->name;
	same_names(c, "notes", names, n);
	for (n = 0; n < c->o->n_contradictions && n < 64; n++)
		names[n] = c->o->contradictions[n].remark->name;
	same_names(c, "contradictions", names, n);
}

/* What is expected of causes that no rule has, or in words that do not exist, would never fail. */
static void check_names(struct checker *c)
{
	static const char *const of_causes[] = {"cause", "open",	 "unexamined", "ruled_out",
						"not",	 "consequences", "amplifiers"};
	const char *want[64];

	for (size_t i = 0; i < ND_ARRAY_LEN(of_causes); i++) {
		uint32_t n = texts(nd_yaml_get(c->expect, of_causes[i]), want);

		for (uint32_t k = 0; k < n; k++) {
			if (strcmp(want[k], "none") != 0 && !has_cause(c->run->rules, want[k]))
				complain(c, "%s: no rule has the cause %s", of_causes[i], want[k]);
		}
	}
	for (size_t i = 0; i < ND_ARRAY_LEN(of_words); i++) {
		const char *word = value(c, of_words[i]);

		if (word && word_index(word) < 0)
			complain(c, "%s: expected suspected, likely or confirmed, found %s",
				 of_words[i], word);
	}
}

static void check_keys(struct checker *c)
{
	const struct nd_yaml *key;
	const char *near;
	uint32_t i = 0;

	if (c->expect->n == 0)
		complain(c, "expect: none, clear, or what is expected");
	while ((key = nd_unknown_key(c->expect, &nd_section_expect, &i, &near)))
		complain(c, "unknown expectation %s%s%s", key->text, near ? "; nearest is " : "",
			 near ? near : "");
}

static void check_map(struct checker *c)
{
	const char *cause = value(c, "cause");

	check_keys(c);
	check_names(c);
	if (c->why.len)
		return; /* the test itself is wrong */
	if (cause && strcmp(cause, "none") == 0) {
		if (c->o->n_found)
			say_found(c);
	} else if (cause) {
		find_expected(c, cause);
	}
	if (c->w)
		check_finding(c);
	check_open(c);
	check_absent(c);
	check_sets(c);
}

/* `none`: no finding; `clear`: nor anything open or unexamined. */
static void check_word(struct checker *c)
{
	bool clear = strcmp(c->expect->text, "clear") == 0;

	if (!clear && strcmp(c->expect->text, "none") != 0) {
		complain(c, "expect: none, clear, or what is expected");
		return;
	}
	say_found(c);
	if (clear && any_open(c->o))
		complain(c, "%s is open", any_open(c->o));
	if (clear && unexamined(c->o, NULL))
		complain(c, "a tree is unexamined");
}

void nd_expect(struct nd_run *run, const struct nd_outcome *o, const struct nd_yaml *expect,
	       char *why, size_t size)
{
	struct checker c = {.run = run, .o = o, .expect = expect};

	if (expect->type == ND_YAML_MAP)
		check_map(&c);
	else if (expect->type == ND_YAML_TEXT)
		check_word(&c);
	else
		complain(&c, "expect: none, clear, or what is expected");
	snprintf(why, size, "%s", nd_buf_str(&c.why));
	nd_buf_free(&c.why);
	nd_buf_free(&c.fixes);
}
