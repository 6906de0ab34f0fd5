/* rules why: how one cause was found, or where it was left, on each entity. The exit status is that of run, for
 * this cause alone. */
#include "engine/cli/rules_view.h"
#include "engine/judge/judge.h"
#include "reports/view.h"

#define SHOWN 20
#define QUICK_S 2.0

static void put_clean(struct nd_buf *out, const char *s)
{
	nd_view_clean(out, s ? s : "", ND_CLEAN_LINE);
}

static const char *basis_of(const struct nd_evidence_value *v)
{
	static const char *const words[] = {[ND_B_NONE] = "a constant",
					    [ND_B_STATE] = "true now",
					    [ND_B_WINDOW] = "in the window",
					    [ND_B_INTERVAL] = "the tool's own interval",
					    [ND_B_LIFETIME] = "since boot"};

	return v->value.type == ND_V_MISSING || v->value.type == ND_V_ABSENT
		       ? ""
		       : words[v->value.basis];
}

/* "      softnet.dropped.delta = 1,137; in the window; from /proc/net/softnet_stat", then the line that shows it. */
static void put_value(struct nd_buf *out, const struct nd_evidence_value *v, const char *entity,
		      bool by_hand)
{
	struct nd_evidence_value plain = *v;
	struct nd_buf text = {0};

	plain.value.basis = ND_B_NONE; /* said in words of its own */
	nd_view_value(&text, &plain);
	nd_buf_puts(out, "       ");
	if (strcmp(v->entity, entity) != 0) {
		put_clean(out, v->entity);
		nd_buf_putc(out, ' ');
	}
	put_clean(out, v->fact);
	nd_buf_puts(out, " = ");
	put_clean(out, nd_buf_str(&text));
	nd_buf_free(&text);
	if (*basis_of(v))
		nd_buf_printf(out, "; %s", basis_of(v));
	if (*v->source) {
		nd_buf_puts(out, "; from ");
		put_clean(out, v->source);
	}
	if (by_hand && *v->reproduce) {
		nd_buf_puts(out, "\n           by hand: ");
		put_clean(out, v->reproduce);
	}
	nd_buf_putc(out, '\n');
}

/* The same fact of another entity was shown already, with the line that shows it. */
static bool repeats(const struct nd_evidence *e, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++) {
		if (strcmp(e->values[k].fact, e->values[i].fact) == 0)
			return true;
	}
	return false;
}

static void put_values(struct nd_buf *out, const struct nd_evidence *e, const char *names,
		       const char *entity)
{
	nd_buf_puts(out, "     ");
	nd_put_folded(out, e->test);
	nd_buf_putc(out, '\n');
	if (*names) {
		nd_buf_puts(out, "     ");
		put_clean(out, names);
		nd_buf_putc(out, '\n');
	}
	for (uint32_t i = 0; i < e->n_values; i++)
		put_value(out, &e->values[i], entity,
			  !repeats(e, i) || nd_log_level >= ND_LOG_INFO);
	if (e->more_values)
		nd_buf_printf(out, "       and %u more values\n", e->more_values);
}

static void put_answer(struct nd_buf *out, const struct nd_why_walk *w, uint32_t i)
{
	const struct nd_evidence *e = &w->path[i];

	nd_buf_printf(out, "  %u. ", i + 1);
	put_clean(out, e->ask);
	nd_buf_printf(out, " %s (%s)%s\n", nd_answer_name(e->answer), nd_grade_name(e->grade),
		      e->stale ? ", by old or doubtful values" : "");
	put_values(out, e, w->names[i], w->entity);
	if (e->says) {
		nd_buf_puts(out, "     ");
		put_clean(out, e->says);
		nd_buf_putc(out, '\n');
	}
	if (i != w->left)
		return;
	nd_buf_printf(out, "     %s here", w->end == ND_WHY_OPEN ? "left open" : "ruled out");
	if (w->left_because) {
		nd_buf_puts(out, ": ");
		put_clean(out, w->left_because);
	}
	nd_buf_putc(out, '\n');
}

static void put_verdict(struct nd_buf *out, const struct nd_why_walk *w)
{
	static const char *const words[] = {[ND_WHY_FOUND] = "found",
					    [ND_WHY_OPEN] = "open: a fact is missing",
					    [ND_WHY_RULED_OUT] = "ruled out",
					    [ND_WHY_UNEXAMINED] =
						    "not examined: the gate is unknown",
					    [ND_WHY_GATED] = "not concerned: the gate is closed"};

	nd_buf_putc(out, '\n');
	put_clean(out, w->entity);
	nd_buf_printf(out, ": %s", words[w->end]);
	if (w->end == ND_WHY_FOUND)
		nd_buf_printf(out, ", %s, %s", nd_word_name(w->word), nd_role_name(w->role));
	if (w->end != ND_WHY_FOUND && w->left != UINT32_MAX)
		nd_buf_printf(out, ", at question %u", w->left + 1);
	nd_buf_printf(out, " (rule %s", w->rule);
	if (strcmp(w->tree, "main") != 0)
		nd_buf_printf(out, ", tree %s", w->tree);
	nd_buf_puts(out, ")\n");
}

static void put_line(struct nd_buf *out, const char *label, const char *text)
{
	if (!text || !*text)
		return;
	nd_buf_printf(out, "  %s", label);
	put_clean(out, text);
	nd_buf_putc(out, '\n');
}

static void put_walk(struct nd_buf *out, const struct nd_why_walk *w)
{
	put_verdict(out, w);
	if (w->end == ND_WHY_FOUND) {
		put_line(out, "", w->title);
		put_line(out, "", w->because);
		put_line(out, "about ", strcmp(w->about, w->entity) ? w->about : "");
		put_line(out, "no surer: ", w->cap);
	}
	if (w->gate) {
		nd_buf_printf(out, "  gate: %s\n", nd_answer_name(w->gate->answer));
		put_values(out, w->gate, w->gate_names, w->entity);
	}
	for (uint32_t i = 0; i < w->n_path; i++)
		put_answer(out, w, i);
	if (w->left == UINT32_MAX)
		put_line(out,
			 w->end == ND_WHY_OPEN ? "left open: " : "ruled out: ", w->left_because);
	put_line(out, "the walk concluded instead: ", w->instead);
}

static void put_unread(struct nd_buf *out, const struct nd_why *w)
{
	for (uint32_t i = 0; i < w->n_unread; i++) {
		struct nd_buf why = {0};

		nd_view_missing(&why, w->unread[i].why, w->unread[i].detail, NULL);
		nd_buf_printf(out,
			      "\nrule %s: not examined, no %s could be read: ", w->unread[i].rule,
			      nd_kinds[w->unread[i].kind].name);
		put_clean(out, nd_buf_str(&why));
		nd_buf_putc(out, '\n');
		nd_buf_free(&why);
	}
}

static void put_why(struct nd_buf *out, const char *cause, const struct nd_why *w)
{
	static const char *const words[] = {"found", "open", "ruled out", "not examined",
					    "not concerned"};
	uint32_t all = 0;
	const char *sep = ": ";

	for (int i = 0; i < ND_WHY_ENDS; i++)
		all += w->ended[i];
	nd_buf_printf(out, "%s, asked ", cause);
	nd_view_count(out, all, "time");
	for (int i = 0; i < ND_WHY_ENDS; i++) {
		if (!w->ended[i])
			continue;
		nd_buf_printf(out, "%s%u %s", sep, w->ended[i], words[i]);
		sep = ", ";
	}
	nd_buf_putc(out, '\n');
	put_unread(out, w);
	for (uint32_t i = 0; i < w->n_walks; i++)
		put_walk(out, &w->walks[i]);
	if (all > w->n_walks)
		nd_buf_printf(out, "\nand %u more\n", all - w->n_walks);
}

static int status_of(const struct nd_why *w)
{
	for (uint32_t i = 0; i < w->n_walks; i++) {
		if (w->walks[i].end == ND_WHY_FOUND && w->walks[i].word >= ND_LIKELY)
			return ND_EXIT_CAUSES;
	}
	return w->ended[ND_WHY_FOUND] || w->ended[ND_WHY_OPEN] || w->ended[ND_WHY_UNEXAMINED] ||
			       w->n_unread
		       ? ND_EXIT_INCONCLUSIVE
		       : ND_EXIT_HEALTHY;
}

/* ---- the cause's name ---- */

struct names {
	const char **v;
	uint32_t n, cap;
};

static void add_causes(struct names *names, const struct nd_rule *r)
{
	for (uint32_t i = 0; i < r->n_causes; i++) {
		ND_GROW(names->v, names->n, names->cap);
		names->v[names->n++] = r->causes[i].base;
	}
}

/* 0, or the status to exit with. */
static int check_cause(const struct nd_rules *rules, const char *cause)
{
	struct names all = {0};
	const char *near;
	uint32_t i = 0;
	bool there;

	for (uint32_t k = 0; k < rules->n; k++)
		add_causes(&all, rules->rules[k]);
	while (i < all.n && strcmp(all.v[i], cause) != 0)
		i++;
	there = i < all.n;
	near = there ? NULL : nd_nearest(cause, all.v, all.n);
	if (!there)
		nd_error("no rule concludes the cause '%s'%s%s", cause, near ? "; nearest is " : "",
			 near ? near : "; netdoctor rules list -v shows all");
	free(all.v);
	return there ? 0 : ND_EXIT_USAGE;
}

struct explaining {
	struct nd_session *s;
	const char *cause;
};

static int put_explained(void *ctx, struct nd_buf *out)
{
	const struct explaining *x = ctx;
	struct nd_why *w = nd_why(x->s->rules, x->s->facts, x->cause, SHOWN);
	int status;

	put_why(out, x->cause, w);
	status = status_of(w);
	nd_why_free(w);
	return status;
}

static int explain(struct nd_session *s, const struct nd_options *o, struct nd_buf *out)
{
	struct explaining x = {s, o->args[0]};
	double window = QUICK_S;

	if (nd_opt_given(o, ND_OPT_DURATION))
		nd_parse_duration(nd_opt_text(o, ND_OPT_DURATION), &window);
	nd_judge_watch(s->rules, s->facts);
	return nd_session_show(s, o, window, put_explained, &x, out);
}

int nd_cmd_rules_why(const struct nd_options *o, struct nd_buf *out)
{
	struct nd_session s;
	int status;

	nd_session_begin(&s);
	status = nd_session_rules_trusted(&s, o);
	if (status == 0)
		status = check_cause(s.rules, o->args[0]);
	if (status == 0)
		status = nd_session_open(&s, o);
	if (status == 0)
		status = explain(&s, o, out);
	nd_session_end(&s);
	return status;
}
