/* Fixes: computed for this host, printed with their undo, never run.
 *
 * If a value that a command needs is missing, no command is printed but prose, and which value it was. */
#include "engine/judge/walk.h"

#include <math.h>

#define MAX_LOOPS 64

struct printer {
	const struct nd_fix_rule *rule;
	const struct nd_walk *walk;
	struct nd_run *run;
	struct nd_eval eval;
	const char *prefix; /* "ip netns exec pod1 ", or "" */
	const char *missing; /* first reason for prose */
	struct nd_buf lines[3]; /* run, undo, persist */
	bool no_persist;
};
enum { RUN, UNDO, PERSIST };

static void add_lines(struct printer *p, int to, const char *text)
{
	struct nd_buf *b = &p->lines[to];

	while (*text) {
		size_t n = strcspn(text, "\n");

		if (n) {
			nd_buf_puts(b, b->len ? "\n" : "");
			nd_buf_puts(b, to == PERSIST ? "" : p->prefix);
			nd_buf_put(b, text, n);
		}
		text += n + (text[n] == '\n');
	}
}

/* Which fact an evaluation lacked, and the line that shows it; NULL if none is to blame. */
static const char *lacking(struct printer *p, const struct nd_used_list *used)
{
	uint32_t n;
	const struct nd_used *all = nd_used_keep(p->run, used, &n);

	for (uint32_t i = 0; i < n; i++) {
		const struct nd_used *u = &all[i];
		const char *name, *of = "", *show = "";

		if (!nd_used_unknown(u))
			continue;
		name = nd_used_name(p->run, p->walk->tree->rule, u);
		if (u->what == ND_USED_FACT) {
			show = nd_get_reproduce(p->run->f, u->on, u->id);
			of = u->on == p->walk->self
				     ? ""
				     : nd_arena_printf(p->run->arena, " of %s",
						       nd_entity_name(p->run->f, u->on));
		}
		return nd_arena_printf(p->run->arena,
				       *show ? "%s%s is unknown: `%s`" : "%s%s is unknown", name,
				       of, show);
	}
	return NULL;
}

static void shell_lines(struct printer *p, int to, const struct nd_ctext *t)
{
	struct nd_used_list used = {0};
	const char *missing = NULL, *text, *fact;

	if (!t || (to == PERSIST && p->no_persist))
		return;
	p->eval.used = &used;
	text = nd_render_shell(t, &p->eval, &missing);
	p->eval.used = NULL;
	if (text) {
		add_lines(p, to, text);
	} else if (to == PERSIST) {
		p->no_persist = true;
	} else if (!p->missing) {
		fact = lacking(p, &used);
		p->missing = fact ? fact : missing;
	}
	free(used.v);
}

/* ---- loops ---- */

static bool loop_sets(struct printer *p, struct nd_result *sets)
{
	for (uint32_t i = 0; i < p->rule->n_loops; i++) {
		const char *why = NULL;

		struct nd_used_list used = {0};

		p->eval.used = &used;
		sets[i] = nd_eval(p->rule->loop_sets[i], &p->eval);
		p->eval.used = NULL;
		if (sets[i].t != ND_R_SET)
			p->missing = lacking(p, &used);
		if (sets[i].t != ND_R_SET && !p->missing)
			p->missing = nd_arena_printf(p->run->arena, "%s is unknown",
						     p->rule->loop_texts[i]);
		free(used.v);
		if (p->missing)
			return false;
		if (sets[i].n == 0)
			why = "none";
		for (uint32_t k = 0; !why && k < sets[i].n; k++)
			why = sets[i].items[k].why != ND_PRESENT ? "not known completely" : NULL;
		if (why) {
			p->missing = nd_arena_printf(p->run->arena, "%s is %s",
						     p->rule->loop_texts[i], why);
			return false;
		}
	}
	return true;
}

static void print_loops(struct printer *p)
{
	struct nd_result sets[16] = {{0}};
	nd_id now[16];

	if (p->rule->n_loops > ND_ARRAY_LEN(sets) || !loop_sets(p, sets))
		return;
	for (uint32_t i = 0; i < sets[0].n && i < MAX_LOOPS && !p->missing; i++) {
		for (uint32_t k = 0; k < p->rule->n_loops; k++)
			now[k] = sets[k].items[i % sets[k].n].id;
		p->eval.loops = now;
		shell_lines(p, RUN, p->rule->run);
		shell_lines(p, UNDO, p->rule->undo);
		shell_lines(p, PERSIST, p->rule->persist);
	}
	p->eval.loops = NULL;
}

/* ---- sysctls ---- */

/* The namespace that a walked entity belongs to: itself, or its relation. */
static nd_id netns_of(const struct nd_run *run, nd_id on)
{
	enum nd_kind kind = nd_entity_kind(run->f, on);

	if (kind == ND_NETNS)
		return on;
	for (unsigned r = 0; r < ND_RELATIONS; r++) {
		if (nd_relations[r].from == kind && nd_relations[r].to == ND_NETNS) {
			struct nd_links l = nd_related(run->f, on, (enum nd_relation)r, false);

			return l.n ? l.ids[0] : ND_NO_ENTITY;
		}
	}
	return ND_NO_ENTITY;
}

/* The fact that holds the present value; false if nobody knows such a sysctl. */
static bool sysctl_fact(struct printer *p, const char *key, nd_id *on, nd_fact_id *id)
{
	char name[300];
	const struct nd_registry *reg = nd_facts_registry(p->run->f);

	snprintf(name, sizeof(name), "sysctl.%s", key);
	*on = netns_of(p->run, p->walk->self);
	*id = nd_registry_find(reg, ND_NETNS, name);
	if (*id >= 0)
		return *on != ND_NO_ENTITY;
	*on = 0;
	*id = nd_registry_find(reg, ND_HOST, name);
	return *id >= 0;
}

/* The value to set; false with p->missing said. */
static bool wanted(struct printer *p, const struct nd_sysctl_step *s, double *out)
{
	struct nd_used_list used = {0};
	struct nd_result want;

	p->eval.used = &used;
	want = nd_eval(s->value, &p->eval);
	p->eval.used = NULL;
	*out = want.num;
	if (want.t != ND_R_NUMBER && !p->missing)
		p->missing = lacking(p, &used);
	if (want.t != ND_R_NUMBER && !p->missing)
		p->missing = nd_arena_printf(p->run->arena, "%s is %s", s->value_text,
					     want.t == ND_R_ABSENT ? "none" : "unknown");
	free(used.v);
	return want.t == ND_R_NUMBER;
}

static void sysctl_step(struct printer *p, const struct nd_sysctl_step *s, struct nd_buf *persist)
{
	const char *missing = NULL, *key = nd_render_shell(s->key, &p->eval, &missing);
	struct nd_value has = {.type = ND_V_MISSING};
	nd_fact_id id;
	nd_id on;
	double want, unit, a, b;

	if (!key) {
		p->missing = p->missing ? p->missing : missing;
		return;
	}
	if (!wanted(p, s, &want))
		return;
	if (sysctl_fact(p, key, &on, &id))
		has = nd_get(p->run->f, on, id, ND_BARE);
	if (has.type != ND_V_NUMBER) {
		p->missing = p->missing
				     ? p->missing
				     : nd_arena_printf(p->run->arena, "sysctl %s is unknown", key);
		return;
	}
	unit = nd_registry_def(nd_facts_registry(p->run->f), id)->kernel_unit;
	a = round(want / (unit > 0 ? unit : 1));
	b = round(has.num / (unit > 0 ? unit : 1));
	if (a == b)
		return;
	add_lines(p, RUN, nd_arena_printf(p->run->arena, "sysctl -w %s=%.0f", key, a));
	add_lines(p, UNDO, nd_arena_printf(p->run->arena, "sysctl -w %s=%.0f", key, b));
	nd_buf_printf(persist, " '%s = %.0f'", key, a);
}

static void print_sysctls(struct printer *p)
{
	struct nd_buf persist = {0};
	const char *missing = NULL, *first = NULL;

	for (uint32_t i = 0; i < p->rule->n_sysctls; i++)
		sysctl_step(p, &p->rule->sysctls[i], &persist);
	if (persist.len && !p->missing &&
	    !*p->prefix) { /* files of /etc/sysctl.d speak of the first namespace only */
		first = nd_render_shell(p->rule->sysctls[0].key, &p->eval, &missing);
		first = first && strrchr(first, '.') ? strrchr(first, '.') + 1 : "sysctl";
		add_lines(p, PERSIST,
			  nd_arena_printf(p->run->arena,
					  "printf '%%s\\n'%s > /etc/sysctl.d/90-netdoctor-%s.conf",
					  nd_buf_str(&persist), first));
	}
	nd_buf_free(&persist);
}

/* ---- the rest ---- */

static bool find_prefix(struct printer *p)
{
	struct nd_result r;
	const char *name;

	p->prefix = "";
	if (!p->rule->inside)
		return true;
	r = nd_eval(p->rule->inside, &p->eval);
	if (r.t != ND_R_ENTITY) {
		p->missing = "its network namespace is unknown";
		return false;
	}
	name = nd_entity_key(p->run->f, r.id);
	if (name[strspn(name, "0123456789")] == '\0') { /* known by its inode only */
		p->missing = nd_arena_printf(
			p->run->arena,
			"network namespace %s has no name: enter it through one of its processes (`nsenter -n -t PID`)",
			name);
		return false;
	}
	if (strcmp(name, "host") != 0) {
		struct nd_buf b = {0};

		nd_buf_puts(&b, "ip netns exec ");
		nd_print_shell(&b, name);
		p->prefix = nd_arena_printf(p->run->arena, "%s ", nd_buf_str(&b));
		nd_buf_free(&b);
	}
	return true;
}

/* The verify question as it stands, with the params' values in place of their names. */
static const char *verify_text(struct printer *p)
{
	const struct nd_rule *rule = p->walk->tree->rule;
	const char *s = p->rule->verify_text;
	struct nd_buf b = {0};
	const char *out;

	if (!s)
		return NULL;
	while (*s) {
		size_t n = 0;
		const char *value = NULL;

		if (*s == '$') {
			n = 1 +
			    strspn(s + 1,
				   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
			for (uint32_t i = 0; i < rule->n_params; i++) {
				const struct nd_param *q = &rule->params[i];

				if (strlen(q->name) == n - 1 && strncmp(q->name, s + 1, n - 1) == 0)
					value = q->set ? q->set : q->source->text;
			}
		}
		if (value)
			nd_buf_puts(&b, value);
		else
			nd_buf_put(&b, s, n ? n : 1);
		s += n ? n : 1;
	}
	out = nd_arena_strdup(p->run->arena, nd_buf_str(&b));
	nd_buf_free(&b);
	return out;
}

static const char *lines_of(struct printer *p, int which)
{
	if (p->missing || !p->lines[which].len || (which == PERSIST && p->no_persist))
		return NULL;
	return nd_arena_strdup(p->run->arena, nd_buf_str(&p->lines[which]));
}

/* "no" means that nothing is interrupted. */
static const char *disrupts(struct printer *p)
{
	const char *s = p->rule->disrupts ? nd_render(p->rule->disrupts, &p->eval) : NULL;

	return s && strcmp(s, "no") == 0 ? NULL : s;
}

/* True: not offered. */
static bool declined(struct printer *p, struct nd_fix *out)
{
	struct nd_result r;
	enum nd_answer a;

	if (!p->rule->when)
		return false;
	a = nd_ask(p->rule->when, &p->eval, &r);
	if (a == ND_NO)
		out->not_offered = nd_render(p->rule->other, &p->eval);
	return a == ND_NO;
}

static void fill(struct printer *p, struct nd_fix *out)
{
	bool commands = p->rule->run || p->rule->n_sysctls;

	out->risk = nd_render(p->rule->risk, &p->eval);
	out->disrupts = disrupts(p);
	out->restart = p->rule->restart ? nd_render(p->rule->restart, &p->eval) : NULL;
	out->run = lines_of(p, RUN);
	out->undo = lines_of(p, UNDO);
	out->persist = lines_of(p, PERSIST);
	out->verify = commands && out->run ? verify_text(p) : NULL;
	if (!out->run)
		out->advice = p->rule->advice ? nd_render_sentences(p->rule->advice, &p->eval)
			      : commands      ? out->title
					      : NULL;
	out->missing = p->missing;
	if (commands && !out->run && !p->missing)
		out->not_offered = "the values are as it would set them already";
}

void nd_fix_print(const struct nd_fix_rule *rule, const struct nd_walk *w, struct nd_run *run,
		  struct nd_fix *out)
{
	struct printer p = {.rule = rule, .walk = w, .run = run, .eval = nd_walk_eval(run, w)};

	*out = (struct nd_fix){.tier = (enum nd_tier)rule->tier};
	out->title = nd_render(rule->title, &p.eval);
	if (declined(&p, out))
		return;
	if (find_prefix(&p)) {
		if (rule->n_loops) {
			print_loops(&p);
		} else {
			shell_lines(&p, RUN, rule->run);
			shell_lines(&p, UNDO, rule->undo);
		}
		if (rule->n_sysctls)
			print_sysctls(&p);
		if (!rule->n_loops)
			shell_lines(&p, PERSIST, rule->persist);
	}
	fill(&p, out);
	for (unsigned i = 0; i < 3; i++)
		nd_buf_free(&p.lines[i]);
}
