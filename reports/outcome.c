/* The end of a report: what was ruled out, what stayed open and why, what looks alarming and is not, and what the
 * look cost. A command that decides several causes is named once. */
#include "reports/page.h"
#include "reports/view.h"

#define LIST_MAX 20
#define NAMES_MAX 8
#define FACTS_MAX 4

/* ---- missing facts ---- */

static bool same_reason(const struct nd_missing_fact *a, const struct nd_missing_fact *b)
{
	return a->why == b->why && nd_page_same(a->detail, b->detail) &&
	       nd_page_same(a->probe, b->probe);
}

/* The facts of a row and why they are missing. */
struct lack {
	const struct nd_missing_fact *missing;
	uint32_t n;
};

static bool said(const struct lack *l, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (same_reason(&l->missing[k], &l->missing[i]))
			return true;
	return false;
}

static bool named(const struct lack *l, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (nd_page_same(l->missing[k].fact, l->missing[i].fact) &&
		    same_reason(&l->missing[k], &l->missing[i]))
			return true;
	return false;
}

/* "softnet.dropped, time.soft — no permission" for the facts that share the i-th's reason. */
static void reason(struct nd_pen *p, const struct lack *l, uint32_t i)
{
	struct nd_buf b = {0};
	uint32_t facts = 0;

	for (uint32_t k = i; k < l->n; k++) {
		if (!same_reason(&l->missing[k], &l->missing[i]) || named(l, k) ||
		    nd_view_empty(l->missing[k].fact))
			continue;
		if (facts++ >= FACTS_MAX)
			continue;
		nd_pen_say(p, facts > 1 ? ", " : "");
		nd_pen_name(p, l->missing[k].fact);
	}
	if (facts > FACTS_MAX)
		nd_pen_sayf(p, " and %u more", facts - FACTS_MAX);
	nd_pen_say(p, facts ? " — " : "");
	nd_view_missing(&b, l->missing[i].why, l->missing[i].detail, l->missing[i].probe);
	nd_page_say(p, &b);
}

static void lacking(struct nd_pen *p, const struct lack *l)
{
	uint32_t reasons = 0;

	for (uint32_t i = 0; i < l->n; i++) {
		if (said(l, i))
			continue;
		nd_pen_say(p, reasons++ ? "; " : " Missing: ");
		reason(p, l, i);
	}
	if (reasons)
		nd_pen_say(p, ".");
}

/* ---- sections ---- */

/* Did the same answer about the same entity rule out both? */
static bool same_answer(const struct nd_ruled_out *a, const struct nd_ruled_out *b)
{
	return strcmp(a->entity, b->entity) == 0 && a->because && b->because &&
	       strcmp(a->because, b->because) == 0 && a->since_boot == b->since_boot;
}

/* One line for all causes that one answer ruled out; false if an earlier line has this one. */
static bool ruled_out_line(struct nd_pen *p, const struct nd_findings *r, uint32_t i)
{
	const struct nd_ruled_out *x = &r->ruled_out[i];

	for (uint32_t k = 0; k < i; k++)
		if (same_answer(&r->ruled_out[k], x))
			return false;
	for (uint32_t k = i + 1; k < r->n_ruled_out; k++) {
		if (!same_answer(x, &r->ruled_out[k]))
			continue;
		nd_pen_name(p, r->ruled_out[k].cause);
		nd_pen_say(p, ", ");
	}
	nd_page_subject(p, x->cause, x->entity, x->others);
	nd_pen_say(p, ": ");
	if (nd_view_empty(x->because)) {
		nd_pen_say(p, "no to: ");
		nd_pen_say(p, x->ask);
	} else {
		nd_page_sentence(p, x->because);
	}
	nd_pen_say(p, x->since_boot ? " (Since boot.)" : "");
	nd_pen_item(p, 0);
	return true;
}

static void ruled_out(struct nd_pen *p, const struct nd_findings *r)
{
	uint32_t lines = 0, i = 0;

	if (r->n_ruled_out)
		nd_page_section(p, "Ruled out");
	for (; i < r->n_ruled_out && lines < LIST_MAX; i++)
		lines += ruled_out_line(p, r, i);
	if (i == r->n_ruled_out)
		return;
	nd_pen_sayf(p, "and %u more; the JSON report has them all.", r->n_ruled_out - i);
	nd_pen_item(p, 0);
}

/* Is this the first of the open causes with its next step? */
static bool new_next(const struct nd_findings *r, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (nd_page_same(r->open[k].next, r->open[i].next))
			return false;
	return !nd_view_empty(r->open[i].next);
}

/* What decides them, each step once with the causes it decides. */
static void next_steps(struct nd_pen *p, const struct nd_findings *r, uint32_t n)
{
	bool any = false;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t causes = 0;

		if (!new_next(r, i))
			continue;
		if (!any) {
			nd_pen_say(p, "What would decide them:");
			nd_pen_paragraph(p);
		}
		any = true;
		for (uint32_t k = i; k < n; k++) {
			if (!nd_page_same(r->open[k].next, r->open[i].next) ||
			    causes++ >= NAMES_MAX)
				continue;
			nd_pen_say(p, causes > 1 ? ", " : "");
			nd_pen_name(p, r->open[k].cause);
		}
		if (causes > NAMES_MAX)
			nd_pen_sayf(p, " and %u more", causes - NAMES_MAX);
		nd_pen_say(p, ": ");
		nd_page_step(p, r, r->open[i].next);
		nd_pen_item(p, 0);
	}
}

/* The line that shows one of the missing facts by hand, unless the next step says it anyway. */
static void by_hand(struct nd_pen *p, const struct nd_open *x)
{
	for (uint32_t k = 0; k < x->n_missing; k++) {
		const char *line = x->missing[k].reproduce;

		if (nd_view_empty(line) || (x->next && strstr(x->next, line)))
			continue;
		nd_pen_say(p, " See for yourself:");
		nd_pen_break(p);
		nd_pen_name(p, line);
		return;
	}
}

/* Those of which something is known; of the others nd_wanted_write tells. They come first. */
static void open_causes(struct nd_pen *p, const struct nd_findings *r)
{
	uint32_t asked = 0, n;

	while (asked < r->n_open && !nd_page_unasked(&r->open[asked]))
		asked++;
	n = nd_page_shown(asked, LIST_MAX);
	if (n)
		nd_page_section(p, "Neither found nor ruled out");
	for (uint32_t i = 0; i < n; i++) {
		const struct nd_open *x = &r->open[i];
		const struct lack lack = {x->missing, x->n_missing};

		nd_page_subject(p, x->cause, x->entity, x->others);
		nd_pen_say(p, ": ");
		nd_pen_say(p, x->ask);
		lacking(p, &lack);
		by_hand(p, x);
		nd_pen_item(p, 0);
	}
	nd_page_rest(p, asked, LIST_MAX, 0);
	next_steps(p, r, n);
}

static void notes(struct nd_pen *p, const char *title, const struct nd_note *list, uint32_t n)
{
	if (n)
		nd_page_section(p, title);
	for (uint32_t i = 0; i < nd_page_shown(n, LIST_MAX); i++) {
		nd_page_subject(p, list[i].name, list[i].entity, list[i].others);
		nd_pen_say(p, ": ");
		nd_page_sentence(p, list[i].says);
		nd_pen_item(p, 0);
	}
	nd_page_rest(p, n, LIST_MAX, 0);
}

static void inputs(struct nd_pen *p, const struct nd_findings *r)
{
	if (r->n_inputs)
		nd_page_section(p, "Inputs that could not be used");
	for (uint32_t i = 0; i < nd_page_shown(r->n_inputs, LIST_MAX); i++) {
		nd_pen_name(p, r->inputs[i].path);
		nd_pen_say(p, ": ");
		nd_page_sentence(p, r->inputs[i].says);
		nd_pen_item(p, 0);
	}
	nd_page_rest(p, r->n_inputs, LIST_MAX, 0);
}

static void coverage(struct nd_pen *p, const struct nd_findings *r)
{
	struct nd_buf b = {0};

	nd_page_section(p, "Coverage and cost");
	nd_buf_printf(&b, "%u of ", r->examined);
	nd_view_count(&b, r->of, "tree");
	nd_buf_puts(&b, " examined. ");
	nd_view_cost(&b, r);
	if (!nd_view_empty(r->version))
		nd_buf_printf(&b, " Version %s.", r->version);
	nd_page_say(p, &b);
	nd_pen_paragraph(p);
}

void nd_outcome_write(struct nd_pen *p, const struct nd_findings *r)
{
	ruled_out(p, r);
	open_causes(p, r);
	nd_wanted_write(p, r);
	notes(p, "Alarming but harmless", r->notes, r->n_notes);
	notes(p, "Contradictions", r->contradictions, r->n_contradictions);
	inputs(p, r);
	coverage(p, r);
}
