/* Names and dotted paths: from a word in a rule to an entity, a relation, a fact.
 *
 * A path is walked from its root, each step taking as many of the dotted names as the longest fact of
 * that kind has; over a set a step maps, and a relation to many flattens. */
#include "engine/rule/code.h"

#define MAX_NAMES 16

/* The dotted names that are still to be taken. */
struct names {
	const char *v[MAX_NAMES];
	uint32_t pos[MAX_NAMES];
	uint32_t n, at;
};

/* The type of a step's value when it is taken from an entity, or from each of a set. */
static struct nd_xtype mapped(const struct nd_code *from, struct nd_xtype one)
{
	if (from->type.t == ND_X_ENTITY)
		return one;
	if (one.t == ND_X_ENTITY || one.t == ND_X_SET) {
		one.t = ND_X_SET;
		return one;
	}
	one.of = one.t;
	one.t = ND_X_LIST;
	return one;
}

static struct nd_code *step_new(const struct nd_scope *s, enum nd_op op, struct nd_code *from,
				uint32_t pos, struct nd_xtype one)
{
	struct nd_code *c = nd_code_new(s, op, pos, mapped(from, one));

	c->a = from;
	c->kind = from->type.kind;
	return c;
}

/* ---- facts ---- */

static bool accessor_of(const struct nd_fact_def *d, const char *word, enum nd_accessor *out)
{
	for (unsigned a = ND_BARE + 1; a < ND_ACCESSORS; a++) {
		if (strcmp(word, nd_accessor_name((enum nd_accessor)a)) == 0 &&
		    nd_accessor_fits(d, (enum nd_accessor)a)) {
			*out = (enum nd_accessor)a;
			return true;
		}
	}
	return false;
}

static struct nd_xtype fact_type(const struct nd_fact_def *d, enum nd_accessor a)
{
	static const enum nd_xt plain[] = {
		[ND_T_NUMBER] = ND_X_NUMBER, [ND_T_TEXT] = ND_X_TEXT, [ND_T_WORDS] = ND_X_WORDS,
		[ND_T_BOOL] = ND_X_BOOL,     [ND_T_HIST] = ND_X_HIST,
	};
	struct nd_xtype t = {.t = plain[d->type]};

	nd_unit_dims(nd_accessor_unit(d, a), &t.dims, &t.number);
	if (a == ND_SEEN || a == ND_TOTAL)
		t.number = ND_N_SEEN;
	if ((a == ND_RATE || a == ND_PEAK) && d->unit == ND_U_SECONDS)
		t.number = ND_N_RATIO;
	return t;
}

static struct nd_code *fact_step(struct nd_code *from, nd_fact_id id, struct names *n,
				 const struct nd_scope *s, struct nd_expr_error *e)
{
	const struct nd_fact_def *d = nd_registry_def(nd_rules_registry(s->rules), id);
	enum nd_accessor a = ND_BARE;
	struct nd_code *c;
	uint32_t pos = n->pos[n->at ? n->at - 1 : 0];

	if (n->at < n->n && accessor_of(d, n->v[n->at], &a))
		n->at++;
	if (!nd_accessor_fits(d, a))
		return nd_check_fail(
			e, pos, "%s.%s is a counter: say .rate, .peak, .delta, .seen or .total",
			nd_kinds[d->on].name, d->name);
	c = step_new(s, ND_O_FACT, from, pos, fact_type(d, a));
	c->fact = id;
	c->accessor = a;
	return c;
}

static struct nd_code *derived_step(struct nd_code *from, struct nd_derived *d,
				    const struct names *n, const struct nd_scope *s,
				    struct nd_expr_error *e)
{
	struct nd_code *inner = nd_rules_compile_derived(s->rules, d, e), *c;
	uint32_t pos = n->pos[n->at - 1];

	if (!inner) {
		e->pos = pos;
		return NULL;
	}
	if (!nd_rules_chain(s->rules, d->chain))
		return nd_check_fail(e, pos, ND_CHAIN_HELP);
	c = step_new(s, ND_O_DERIVED, from, pos, inner->type);
	c->type.literal = c->type.zero = false;
	c->derived = d;
	return c;
}

/* The longest of the coming names that is a fact of the kind; NULL without an error if there is none. */
static struct nd_code *longest_fact(struct nd_code *from, struct names *n, const struct nd_scope *s,
				    struct nd_expr_error *e)
{
	enum nd_kind kind = from->type.kind;
	char name[512];

	for (uint32_t take = n->n - n->at; take > 0; take--) {
		struct nd_derived *d;
		nd_fact_id id;
		size_t len = 0;

		for (uint32_t i = 0; i < take && len < sizeof(name); i++)
			len += (size_t)snprintf(name + len, sizeof(name) - len, "%s%s",
						i ? "." : "", n->v[n->at + i]);
		if (len >= sizeof(name))
			continue;
		d = nd_rules_derived(s->rules, kind, name);
		id = nd_registry_find(nd_rules_registry(s->rules), kind, name);
		if (!d && id < 0)
			continue;
		n->at += take;
		return d ? derived_step(from, d, n, s, e) : fact_step(from, id, n, s, e);
	}
	return NULL;
}

/* ---- logs and tallies ---- */

/* The file's own pattern, or else a library's. */
static const struct nd_log_pattern *log_named(const struct nd_scope *s, const char *name)
{
	for (uint32_t i = 0; i < s->n_logs; i++) {
		if (strcmp(s->logs[i].name, name) == 0)
			return &s->logs[i];
	}
	return nd_rules_library_log(s->rules, name);
}

static struct nd_code *log_step(struct nd_code *from, struct names *n, const struct nd_scope *s,
				struct nd_expr_error *e)
{
	const struct nd_log_pattern *p = log_named(s, n->v[n->at + 1]);
	enum nd_kind kind = from->type.kind;
	bool speaks = kind == ND_HOST;
	struct nd_code *c;

	if (!p)
		return nd_check_fail(e, n->pos[n->at + 1], "no log pattern \"%s\" under logs",
				     n->v[n->at + 1]);
	for (uint32_t g = 0; g < p->n_groups; g++)
		speaks |= p->group_kinds[g] == kind;
	if (!speaks)
		return nd_check_fail(e, n->pos[n->at + 1], "log pattern %s captures no (?<%s>…)",
				     p->name, nd_kinds[kind].name);
	c = step_new(s, ND_O_LOG, from, n->pos[n->at],
		     (struct nd_xtype){.t = ND_X_SET, .kind = ND_NO_KIND, .log = (int)p->slot});
	c->index = (int)p->slot;
	n->at += 2;
	return c;
}

static struct nd_code *column_step(struct nd_code *from, struct names *n, const struct nd_scope *s,
				   struct nd_expr_error *e)
{
	const struct nd_log_pattern *p = nd_rules_log(s->rules, (uint32_t)from->type.log);
	const char *name = n->v[n->at];
	struct nd_xtype one = {.t = ND_X_TEXT};
	struct nd_code *c;
	int index = strcmp(name, "age") == 0 ? -1 : strcmp(name, "text") == 0 ? -2 : -3;

	for (uint32_t g = 0; index == -3 && g < p->n_groups; g++) {
		if (strcmp(p->groups[g], name) == 0)
			index = (int)g;
	}
	if (index == -3)
		return nd_check_fail(
			e, n->pos[n->at],
			"a line of log pattern %s has age, text and its groups, not \"%s\"",
			p->name, name);
	if (index == -1)
		one = (struct nd_xtype){.t = ND_X_NUMBER, .dims = {1, 0}, .number = ND_N_COUNT};
	if (index >= 0 && p->group_kinds[index] != ND_NO_KIND)
		one = (struct nd_xtype){.t = ND_X_ENTITY, .kind = p->group_kinds[index]};
	c = step_new(s, ND_O_COLUMN, from, n->pos[n->at], one);
	c->index = index;
	n->at++;
	return c;
}

static struct nd_code *tally_step(struct nd_code *from, struct names *n, const struct nd_scope *s,
				  struct nd_expr_error *e)
{
	const char *name = n->v[n->at + 1], *what = n->v[n->at + 2];
	struct nd_code *c;

	for (uint32_t i = 0; i < s->n_tallies; i++) {
		if (strcmp(s->tallies[i].name, name) != 0)
			continue;
		if (strcmp(what, "hits") != 0 && strcmp(what, "rows") != 0)
			break;
		c = step_new(s, ND_O_TALLY, from, n->pos[n->at],
			     (struct nd_xtype){.t = ND_X_NUMBER, .number = ND_N_SEEN});
		c->index = (int)i;
		c->rows = *what == 'r';
		n->at += 3;
		return c;
	}
	return nd_check_fail(e, n->pos[n->at + 1],
			     "no tally %s.%s: a tally of this file, with .hits or .rows", name,
			     what);
}

/* ---- steps ---- */

static struct nd_code *relation_step(struct nd_code *from, struct names *n,
				     const struct nd_scope *s)
{
	for (unsigned r = 0; r < ND_RELATIONS; r++) {
		const struct nd_relation_def *d = &nd_relations[r];
		bool forward = d->from == from->type.kind && strcmp(d->name, n->v[n->at]) == 0;
		bool back = !forward && d->to == from->type.kind &&
			    strcmp(d->inverse, n->v[n->at]) == 0;
		struct nd_code *c;

		if (!forward && !back)
			continue;
		c = step_new(s, ND_O_RELATION, from, n->pos[n->at],
			     (struct nd_xtype){.t = back || d->many ? ND_X_SET : ND_X_ENTITY,
					       .kind = back ? d->from : d->to});
		c->relation = (enum nd_relation)r;
		c->inverse = back;
		n->at++;
		return c;
	}
	return NULL;
}

static struct nd_code *key_step(struct nd_code *from, struct names *n, const struct nd_scope *s)
{
	struct nd_xtype t = {.t = nd_kinds[from->type.kind].number_key ? ND_X_NUMBER : ND_X_TEXT,
			     .number = ND_N_COUNT};

	n->at++;
	return step_new(s, ND_O_KEY, from, n->pos[n->at - 1], t);
}

static struct nd_code *one_step(struct nd_code *from, struct names *n, const struct nd_scope *s,
				struct nd_expr_error *e)
{
	uint32_t left = n->n - n->at;
	struct nd_code *c;

	if (from->type.kind == ND_NO_KIND)
		return column_step(from, n, s, e);
	if (left >= 2 && strcmp(n->v[n->at], "log") == 0)
		return log_step(from, n, s, e);
	if (left >= 3 && strcmp(n->v[n->at], "tally") == 0)
		return tally_step(from, n, s, e);
	if (strcmp(n->v[n->at], "key") == 0)
		return key_step(from, n, s);
	c = relation_step(from, n, s);
	if (c)
		return c;
	e->msg[0] = '\0';
	c = longest_fact(from, n, s, e);
	if (c || e->msg[0])
		return c;
	return nd_check_unknown(from->type.kind, &n->v[n->at], n->n - n->at, n->pos[n->at], s, e);
}

static struct nd_code *steps(struct nd_code *from, struct names *n, const struct nd_scope *s,
			     struct nd_expr_error *e)
{
	while (from && n->at < n->n) {
		if (from->type.t != ND_X_ENTITY && from->type.t != ND_X_SET)
			return nd_check_fail(
				e, n->pos[n->at],
				"nothing can follow here: \".%s\" needs an entity or a set before it",
				n->v[n->at]);
		from = one_step(from, n, s, e);
	}
	return from;
}

/* ---- roots ---- */

static struct nd_code *root_new(const struct nd_scope *s, enum nd_op op, uint32_t pos, enum nd_xt t,
				enum nd_kind kind)
{
	struct nd_code *c = nd_code_new(s, op, pos, (struct nd_xtype){.t = t, .kind = kind});

	c->kind = kind;
	return c;
}

static struct nd_code *row_column(const struct nd_expr *root, const struct nd_scope *s,
				  struct nd_expr_error *e)
{
	for (uint32_t i = 0; i < s->row->n_columns; i++) {
		struct nd_xtype t = {.t = ND_X_NUMBER};
		struct nd_code *c;

		if (strcmp(s->row->columns[i].name, root->text) != 0)
			continue;
		nd_unit_dims(s->row->columns[i].unit, &t.dims, &t.number);
		c = nd_code_new(s, ND_O_ROW, root->pos, t);
		c->index = (int)i;
		return c;
	}
	return nd_check_fail(e, root->pos, "a row of %s has no column \"%s\"", s->row->name,
			     root->text);
}

static struct nd_code *walked_root(const struct nd_expr *root, const struct nd_scope *s,
				   struct nd_expr_error *e)
{
	enum nd_kind about = s->about_kind != ND_NO_KIND ? s->about_kind : s->this_kind;
	enum nd_kind kind = nd_kind_by_name(root->text, false),
		     all = nd_kind_by_name(root->text, true);
	const char *near;
	const char *names[2 * ND_KINDS];
	uint32_t n = 0;

	if (s->this_kind != ND_NO_KIND) {
		if (strcmp(root->text, "this") == 0 || kind == s->this_kind)
			return root_new(s, ND_O_THIS, root->pos, ND_X_ENTITY, s->this_kind);
		if (s->in_let && (!strcmp(root->text, "about") || !strcmp(root->text, "found")))
			return nd_check_fail(
				e, root->pos,
				"%s is known when a cause is concluded, a let is computed before: write it in the texts",
				root->text);
		if (strcmp(root->text, "about") == 0)
			return root_new(s, ND_O_ABOUT, root->pos, ND_X_ENTITY, about);
		if (strcmp(root->text, "found") == 0)
			return root_new(s, ND_O_FOUND, root->pos, ND_X_SET, about);
	}
	if (kind == ND_HOST || kind == ND_SYMPTOM)
		return root_new(s, ND_O_ONE, root->pos, ND_X_ENTITY, kind);
	if (kind != ND_NO_KIND)
		return nd_check_fail(
			e, root->pos,
			"%s is not what is walked here (%s): name a relation, or the set %s",
			root->text,
			s->this_kind == ND_NO_KIND ? "nothing" : nd_kinds[s->this_kind].name,
			nd_kinds[kind].plural);
	if (all != ND_NO_KIND)
		return root_new(s, ND_O_ALL, root->pos, ND_X_SET, all);
	for (unsigned k = 0; k < ND_KINDS; k++) {
		names[n++] = nd_kinds[k].name;
		if (nd_kinds[k].plural)
			names[n++] = nd_kinds[k].plural;
	}
	near = nd_nearest(root->text, names, n);
	return nd_check_fail(e, root->pos, "unknown name \"%s\"%s%s%s", root->text,
			     near ? "; nearest is " : "", near ? near : "",
			     near ? "" : " (params and lets are written $name)");
}

static bool names_a_root(const char *text)
{
	return nd_kind_by_name(text, false) != ND_NO_KIND ||
	       nd_kind_by_name(text, true) != ND_NO_KIND || strcmp(text, "this") == 0 ||
	       strcmp(text, "found") == 0 || strcmp(text, "about") == 0;
}

/* Inside […] a bare name is first a fact or relation of the member. */
static struct nd_code *name_path(const struct nd_expr *root, struct names *n,
				 const struct nd_scope *s, struct nd_expr_error *e)
{
	struct nd_code *element, *c;
	struct names own = *n;

	if (s->row)
		return row_column(root, s, e);
	if (!s->in_element)
		return steps(walked_root(root, s, e), n, s, e);
	element = root_new(s, ND_O_ELEMENT, root->pos, ND_X_ENTITY, s->element);
	element->type.log = s->element_log;
	if (strcmp(root->text, "it") == 0)
		return steps(element, n, s, e);
	if (own.n >= MAX_NAMES)
		return nd_check_fail(e, root->pos, "a path of more than %d names", MAX_NAMES);
	memmove(&own.v[1], &own.v[0], own.n * sizeof(own.v[0]));
	memmove(&own.pos[1], &own.pos[0], own.n * sizeof(own.pos[0]));
	own.v[0] = root->text;
	own.pos[0] = root->pos;
	own.n++;
	c = steps(element, &own, s, e);
	if (c || !names_a_root(root->text))
		return c;
	return steps(walked_root(root, s, e), n, s, e);
}

static struct nd_code *let_code(struct nd_let *l, const struct nd_expr *x, const struct nd_scope *s,
				struct nd_expr_error *e)
{
	struct nd_scope outer = *s;
	struct nd_code *c;

	if (l->checking)
		return nd_check_fail(e, x->pos, "$%s needs itself", l->name);
	if (!l->code && !l->failed) {
		outer.in_element = false;
		outer.n_loops = 0; /* it is computed once for all that use it */
		outer.in_let = true;
		l->checking = true;
		l->code = nd_rules_compile_let(l, &outer, e);
		l->checking = false;
		l->failed = !l->code;
	}
	if (!l->code)
		return nd_check_fail(e, x->pos, "$%s has an error of its own", l->name);
	if (!nd_rules_chain(s->rules, l->chain))
		return nd_check_fail(e, x->pos, ND_CHAIN_HELP);
	c = nd_code_new(s, ND_O_LET, x->pos, l->code->type);
	c->type.literal = c->type.zero = false;
	c->let = l;
	return c;
}

static struct nd_code *variable(const struct nd_expr *x, const struct nd_scope *s,
				struct nd_expr_error *e)
{
	const char *names[256];
	const char *near;
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n_loops; i++) {
		if (strcmp(s->loop_names[i], x->text) == 0) {
			struct nd_code *c =
				root_new(s, ND_O_LOOP, x->pos, ND_X_ENTITY, s->loop_kinds[i]);

			c->index = (int)i;
			return c;
		}
	}
	for (uint32_t i = 0; i < s->n_lets; i++) {
		if (strcmp(s->lets[i].name, x->text) == 0)
			return let_code(&s->lets[i], x, s, e);
		if (n < ND_ARRAY_LEN(names))
			names[n++] = s->lets[i].name;
	}
	for (uint32_t i = 0; i < s->n_params; i++) {
		if (strcmp(s->params[i].name, x->text) == 0)
			return s->params[i].code
				       ? s->params[i].code
				       : nd_check_fail(e, x->pos, "$%s has an error of its own",
						       x->text);
		if (n < ND_ARRAY_LEN(names))
			names[n++] = s->params[i].name;
	}
	near = nd_nearest(x->text, names, n);
	return nd_check_fail(e, x->pos, "no $%s here%s%s", x->text, near ? "; nearest is $" : "",
			     near ? near : "");
}

struct nd_code *nd_check_path(const struct nd_expr *x, const struct nd_scope *s,
			      struct nd_expr_error *e)
{
	struct names n = {.n = 0};
	const struct nd_expr *root = x;
	struct nd_code *from;
	uint32_t depth = 0;

	for (; root->op == ND_E_DOT; root = root->a)
		depth++;
	if (depth > MAX_NAMES)
		return nd_check_fail(e, x->pos, "a path of more than %d names", MAX_NAMES);
	n.n = depth;
	for (root = x; root->op == ND_E_DOT; root = root->a) {
		depth--;
		n.v[depth] = root->text;
		/* of the name itself; with ( ) around it the end is theirs */
		n.pos[depth] = root->pos == root->a->pos ? root->end - (uint32_t)strlen(root->text)
							 : root->a->end + 1;
	}
	if (root->op == ND_E_NAME)
		return name_path(root, &n, s, e);
	from = root->op == ND_E_VAR ? variable(root, s, e) : nd_check(root, s, e);
	return steps(from, &n, s, e);
}
