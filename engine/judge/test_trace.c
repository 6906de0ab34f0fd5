/* What a failed test shows: the way each tree took, question by question, and where it parted from the expected one.
 *
 * The parting is the answer that put the expected cause out of reach, or that left a cause open where nothing
 * should be; the walk keeps both for its report. */
#include "engine/judge/ruletest.h"

#define VALUES_MAX 8 /* of one question */

/* The cause that the test is about: the one it wants found, left open or ruled out. NULL: none should be found. */
static const char *wanted(const struct nd_yaml *expect)
{
	static const char *const keys[] = {"cause", "open", "ruled_out"};

	for (size_t i = 0; i < ND_ARRAY_LEN(keys); i++) {
		const struct nd_yaml *y =
			expect->type == ND_YAML_MAP ? nd_yaml_get(expect, keys[i]) : NULL;

		if (y && y->type == ND_YAML_LIST && y->n)
			y = y->items[0];
		if (y && y->type == ND_YAML_TEXT && strcmp(y->text, "none") != 0)
			return y->text;
	}
	return NULL;
}

static const char *end_of(const struct nd_walk *w)
{
	if (w->gated)
		return "the gate says no";
	if (w->unexamined)
		return "the gate is unknown";
	return w->found >= 0 ? nd_walk_use(w)->name : "no finding";
}

static void put_values(struct nd_buf *out, const struct nd_run *run, const struct nd_walk *w,
		       const struct nd_used *used, uint32_t n)
{
	const struct nd_xtype plain = {.t = ND_X_NUMBER, .number = ND_N_COUNT};

	uint32_t shown = 0;

	for (uint32_t u = 0; u < n && shown < VALUES_MAX; u++) {
		if (nd_used_before(used, u))
			continue;
		shown++;
		nd_buf_printf(out, "        %s %s = ", nd_used_entity(run, &used[u]),
			      nd_used_name(run, w->tree->rule, &used[u]));
		nd_render_value(out, &used[u].value, &plain, run);
		nd_buf_putc(out, '\n');
	}
}

/* "  <- ruled out flap here", for each cause that mattered and was lost at this answer. */
static void put_parting(struct nd_buf *out, const struct nd_walk *w, uint32_t at, const char *cause)
{
	for (uint32_t u = 0; w->lost && u < w->tree->n_uses; u++) {
		const struct nd_lost *lost = &w->lost[u];
		const char *name = w->tree->uses[u].name;

		if (lost->fate == ND_FATE_NONE || lost->at != at)
			continue;
		if (cause && strcmp(cause, name) == 0)
			nd_buf_printf(out, "  <- parted here: %s %s",
				      lost->fate == ND_FATE_OPEN ? "left open" : "ruled out", name);
		else if (!cause && lost->fate == ND_FATE_OPEN)
			nd_buf_printf(out, "  <- left open %s", name);
	}
}

static void put_walk(struct nd_buf *out, const struct nd_run *run, const struct nd_walk *w,
		     const char *cause)
{
	const char *tree = strcmp(w->tree->name, "main") ? w->tree->name : w->tree->rule->name;

	nd_buf_printf(out, "    %s, %s: %s", tree, nd_entity_name(run->f, w->self), end_of(w));
	if (w->found >= 0 && (!cause || strcmp(cause, nd_walk_use(w)->name) != 0))
		nd_buf_printf(out, "  <- expected %s", cause ? cause : "no finding");
	nd_buf_putc(out, '\n');
	if (w->gated || w->unexamined)
		put_values(out, run, w, w->gate, w->n_gate);
	for (uint32_t k = 0; k < w->n_path; k++) {
		const struct nd_answered *a = &w->path[k];

		nd_buf_printf(out, "      line %u, %s, %s%s: %s", a->node->yaml->line,
			      nd_grade_name((enum nd_grade)a->node->grade),
			      nd_answer_name(a->answer), a->stale ? " (not of the window)" : "",
			      a->node->test_text);
		put_parting(out, w, k, cause);
		nd_buf_putc(out, '\n');
		put_values(out, run, w, a->used, a->n_used);
	}
}

void nd_test_trace(const struct nd_run *run, const struct nd_outcome *o,
		   const struct nd_yaml *expect, struct nd_buf *out)
{
	const char *cause = wanted(expect);

	for (uint32_t i = 0; i < o->n_walks; i++)
		put_walk(out, run, &o->walks[i], cause);
}

void nd_test_place(const struct nd_rule *rule, const struct nd_yaml *at, struct nd_buf *out)
{
	struct nd_buf message = {0};
	const char *newline;

	nd_yaml_message(&message, rule->path, rule->text, rule->len, at->offset, "error", "");
	newline = strchr(nd_buf_str(&message), '\n');
	nd_buf_puts(out, newline ? newline + 1 : "");
	nd_buf_free(&message);
}
