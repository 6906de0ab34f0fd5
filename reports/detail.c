/* Each cause in full: what it is, how large, the questions that lead to it with their values,
 * the fixes.
 *
 * A line that shows a number by hand is printed once per cause, below the first value that it
 * shows. */
#include "reports/page.h"
#include "reports/view.h"

#define FINDINGS_MAX 10 /* told in full; the others get a line */
#define LIST_MAX 20
#define ENTITIES_MAX 8
#define VALUES_MAX 8
#define TEST_MAX 200 /* bytes */

/* ---- evidence ---- */

/* Was this line shown for an earlier value of the finding? Then once is enough. */
static bool shown_before(const struct nd_finding *f, uint32_t question, uint32_t value)
{
	const char *line = f->evidence[question].values[value].reproduce;

	for (uint32_t q = 0; q <= question; q++) {
		uint32_t n = nd_page_shown(f->evidence[q].n_values, VALUES_MAX);

		for (uint32_t v = 0; v < (q == question ? value : n); v++)
			if (nd_page_same(f->evidence[q].values[v].reproduce, line))
				return true;
	}
	return false;
}

static void value(struct nd_pen *p, const struct nd_evidence_value *v, bool reproduce)
{
	struct nd_buf b = {0};

	if (!nd_view_empty(v->entity)) {
		nd_page_entity(p, v->entity);
		nd_pen_say(p, " ");
	}
	nd_pen_say(p, nd_view_fact(v->fact, v->entity));
	nd_pen_say(p, ": ");
	nd_view_value(&b, v);
	nd_page_say(p, &b);
	if (!nd_view_empty(v->source)) {
		nd_pen_say(p, " (");
		nd_pen_say(p, v->source);
		nd_pen_say(p, ")");
	}
	if (reproduce && !nd_view_empty(v->reproduce)) {
		nd_pen_break(p);
		nd_pen_name(p, v->reproduce);
	}
	nd_pen_item(p, 1);
}

static void question(struct nd_pen *p, const struct nd_evidence *e)
{
	static const char *const weights[] = {
		[ND_REQUIRES] = "", [ND_SUPPORTS] = "only supports, ", [ND_DECIDES] = "decides, "};
	const char *grade = (unsigned)e->grade < ND_ARRAY_LEN(weights) ? weights[e->grade] : "";
	struct nd_buf b = {0};

	nd_pen_strong(p, nd_answer_name(e->answer));
	if (e->stale)
		nd_pen_sayf(p, " (%son old or doubtful numbers)", grade);
	else if (*grade)
		nd_pen_sayf(p, " (%.*s)", (int)strlen(grade) - 2, grade);
	nd_pen_say(p, ": ");
	nd_pen_say(p, e->ask);
	if (!nd_view_empty(e->test)) {
		nd_pen_say(p, " ");
		nd_view_cut(&b, e->test, TEST_MAX);
		nd_pen_code(p, nd_buf_str(&b));
		nd_buf_free(&b);
	}
	if (!nd_view_empty(e->says)) {
		nd_pen_break(p);
		nd_page_sentence(p, e->says);
	}
	nd_pen_item(p, 0);
}

static void evidence(struct nd_pen *p, const struct nd_finding *f)
{
	if (!f->n_evidence)
		return;
	nd_pen_say(p, "Evidence");
	nd_pen_heading(p, 3);
	for (uint32_t q = 0; q < f->n_evidence; q++) {
		const struct nd_evidence *e = &f->evidence[q];
		uint32_t n = nd_page_shown(e->n_values, VALUES_MAX);

		question(p, e);
		for (uint32_t v = 0; v < n; v++)
			value(p, &e->values[v], !shown_before(f, q, v));
		if (e->n_values - n + e->more_values) {
			nd_pen_sayf(p, "and %u more values", e->n_values - n + e->more_values);
			nd_pen_item(p, 1);
		}
	}
}

/* ---- fixes ---- */

static void labelled(struct nd_pen *p, const char *label, const char *commands)
{
	if (nd_view_empty(commands))
		return;
	nd_pen_say(p, label);
	nd_pen_item(p, 1);
	nd_pen_commands(p, 1, commands);
}

static void remark(struct nd_pen *p, const char *label, const char *s)
{
	if (nd_view_empty(s))
		return;
	nd_pen_say(p, label);
	nd_page_sentence(p, s);
	nd_pen_item(p, 1);
}

static void fix(struct nd_pen *p, const struct nd_fix *x)
{
	nd_pen_strong(p, nd_tier_name(x->tier));
	nd_pen_say(p, x->not_offered ? " (not offered): " : ": ");
	nd_page_sentence(p, x->title);
	if (x->not_offered) {
		nd_pen_say(p, " Why: ");
		nd_page_sentence(p, x->not_offered);
		nd_pen_item(p, 0);
		return;
	}
	nd_page_fix_price(p, x, SIZE_MAX - 1);
	nd_pen_item(p, 0);
	remark(p, "", x->advice);
	remark(p, "Why there is no command: ", x->missing);
	labelled(p, "Run:", x->run);
	labelled(p, "Undo:", x->undo);
	labelled(p, "Keep after a reboot:", x->persist);
	remark(p, "Restart: ", x->restart);
	if (!nd_view_empty(x->verify)) {
		nd_pen_say(p, "It worked if ");
		nd_pen_code(p, x->verify);
		nd_pen_item(p, 1);
	}
}

static bool same_fix(const struct nd_fix *a, const struct nd_fix *b)
{
	return a->tier == b->tier && nd_page_same(a->title, b->title) &&
	       nd_page_same(a->run, b->run) && nd_page_same(a->undo, b->undo) &&
	       nd_page_same(a->persist, b->persist) && nd_page_same(a->advice, b->advice) &&
	       nd_page_same(a->missing, b->missing) &&
	       nd_page_same(a->not_offered, b->not_offered) && nd_page_same(a->verify, b->verify);
}

static bool same_fixes(const struct nd_finding *a, const struct nd_finding *b)
{
	if (a->n_fixes != b->n_fixes)
		return false;
	for (uint32_t i = 0; i < a->n_fixes; i++)
		if (!same_fix(&a->fixes[i], &b->fixes[i]))
			return false;
	return true;
}

/* Those of the finding with this index; what helps an earlier one just so is not repeated. */
static void fixes(struct nd_pen *p, const struct nd_findings *r, uint32_t index)
{
	const struct nd_finding *f = &r->findings[index];

	if (!f->n_fixes)
		return;
	for (uint32_t i = 0; i < index; i++) {
		if (!same_fixes(&r->findings[i], f))
			continue;
		nd_pen_sayf(p, "Fixes: the same as for %u.", i + 1);
		nd_pen_paragraph(p);
		return;
	}
	nd_pen_say(p, "Fixes");
	nd_pen_heading(p, 3);
	for (uint32_t i = 0; i < f->n_fixes; i++)
		fix(p, &f->fixes[i]);
}

/* ---- findings ---- */

static void related(struct nd_pen *p, const struct nd_finding *f)
{
	for (uint32_t i = 0; i < nd_page_shown(f->n_related, LIST_MAX); i++) {
		const struct nd_related *x = &f->related[i];

		nd_pen_say(p, i > 0 ? "; " : "Related: ");
		nd_page_subject(p, x->cause, x->entity, 0);
		nd_pen_say(p, nd_view_empty(x->how) ? "" : " ");
		nd_pen_say(p, x->how);
	}
	if (f->n_related) {
		nd_pen_say(p, ".");
		nd_pen_paragraph(p);
	}
}

static void finding(struct nd_pen *p, const struct nd_findings *r, uint32_t index)
{
	const struct nd_finding *f = &r->findings[index];
	struct nd_buf b = {0};

	nd_pen_sayf(p, "%u. ", index + 1);
	nd_pen_say(p, nd_view_empty(f->title) ? f->cause : f->title);
	nd_pen_heading(p, 2);
	nd_pen_name(p, f->cause);
	nd_pen_say(p, " on ");
	nd_page_entity(p, f->entity);
	nd_pen_say(p, f->n_entities > 1 ? ", " : "");
	nd_page_others(p, f, ENTITIES_MAX);
	nd_pen_say(p, ": ");
	nd_pen_strong(p, nd_word_name(f->word));
	nd_pen_sayf(p, ", %s.", nd_view_role(f->role));
	if (!nd_view_empty(f->cap)) {
		nd_pen_say(p, " Not more certain because: ");
		nd_page_sentence(p, f->cap);
	}
	nd_pen_paragraph(p);
	nd_page_sentence(p, f->because);
	nd_view_size(&b, f);
	if (b.len > 0) {
		nd_pen_break(p);
		nd_pen_say(p, "Accounts for: ");
		nd_page_say(p, &b);
	}
	nd_pen_paragraph(p);
	related(p, f);
	evidence(p, f);
	fixes(p, r, index);
	if (f->n_references) {
		nd_pen_say(p, "References");
		nd_pen_heading(p, 3);
	}
	for (uint32_t i = 0; i < f->n_references; i++) {
		nd_pen_say(p, f->references[i]);
		nd_pen_item(p, 0);
	}
}

void nd_detail_write(struct nd_pen *p, const struct nd_findings *r)
{
	uint32_t n = nd_page_shown(r->n_findings, FINDINGS_MAX);

	for (uint32_t i = 0; i < n; i++)
		finding(p, r, i);
	if (n == r->n_findings)
		return;
	nd_page_section(p, "More causes");
	for (uint32_t i = n; i < n + nd_page_shown(r->n_findings - n, LIST_MAX); i++) {
		const struct nd_finding *f = &r->findings[i];

		nd_page_subject(p, f->cause, f->entity, f->n_entities > 1 ? f->n_entities - 1 : 0);
		nd_pen_sayf(p, " (%s): ", nd_word_name(f->word));
		nd_page_sentence(p, f->title);
		nd_pen_item(p, 0);
	}
	nd_page_rest(p, r->n_findings - n, LIST_MAX, 0);
}
