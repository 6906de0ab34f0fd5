/* What the parts of a report for people share, and their order.
 *
 * Sections without content are left out and long lists are cut: the JSON report has all of it.
 * */
#include "reports/page.h"
#include "reports/view.h"

#define ENTITY_MAX 80 /* bytes; keys hold what the system named */

void nd_page_say(struct nd_pen *p, struct nd_buf *b)
{
	nd_pen_say(p, nd_buf_str(b));
	nd_buf_free(b);
}

bool nd_page_same(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

/* Does s end a sentence already? */
static bool ended(const char *s)
{
	size_t n = strlen(s);

	return n == 0 || strchr(".!?:", s[n - 1]) || nd_ends(s, "…");
}

void nd_page_sentence(struct nd_pen *p, const char *s)
{
	if (nd_view_empty(s))
		return;
	nd_pen_rich(p, s);
	nd_pen_say(p, ended(s) ? "" : ".");
}

void nd_page_sentence_cut(struct nd_pen *p, const char *s, size_t most)
{
	struct nd_buf b = {0};

	nd_view_cut(&b, s, most);
	nd_page_sentence(p, nd_buf_str(&b));
	nd_buf_free(&b);
}

static const char *line_at_end(const char *s, const struct nd_missing_fact *list, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!nd_view_empty(list[i].reproduce) && nd_ends(s, list[i].reproduce))
			return list[i].reproduce;
	return NULL;
}

/* The line that shows a missing fact by hand, if s ends with it. */
static const char *command_at_end(const struct nd_findings *r, const char *s)
{
	const char *line = NULL;

	for (uint32_t i = 0; !line && i < r->n_open; i++)
		line = line_at_end(s, r->open[i].missing, r->open[i].n_missing);
	for (uint32_t i = 0; !line && i < r->n_unexamined; i++)
		line = line_at_end(s, r->unexamined[i].missing, r->unexamined[i].n_missing);
	return line;
}

void nd_page_step(struct nd_pen *p, const struct nd_findings *r, const char *s)
{
	const char *command = nd_view_empty(s) || strchr(s, '`') ? NULL : command_at_end(r, s);
	struct nd_buf before = {0};

	if (!command) {
		nd_page_sentence(p, s);
		return;
	}
	nd_buf_put(&before, s, strlen(s) - strlen(command));
	nd_page_say(p, &before);
	nd_pen_name(p, command); /* without a full stop, which would be copied with it */
}

void nd_page_entity(struct nd_pen *p, const char *entity)
{
	struct nd_buf b = {0};

	nd_view_cut(&b, nd_view_empty(entity) ? "?" : entity, ENTITY_MAX);
	nd_pen_name(p, nd_buf_str(&b));
	nd_buf_free(&b);
}

void nd_page_others(struct nd_pen *p, const struct nd_finding *f, uint32_t most)
{
	uint32_t others = f->n_entities > 1 ? f->n_entities - 1 : 0;
	uint32_t n = nd_page_shown(others, most);

	if (!others)
		return;
	if (most == 0) {
		nd_pen_sayf(p, "and on %u more", others);
		return;
	}
	nd_pen_say(p, "also on ");
	for (uint32_t i = 1; i <= n; i++) {
		if (i > 1)
			nd_pen_say(p, i == others ? " and " : ", ");
		nd_page_entity(p, f->entities[i]);
	}
	if (others > n)
		nd_pen_sayf(p, " and %u more", others - n);
}

void nd_page_fix_price(struct nd_pen *p, const struct nd_fix *fix, size_t most)
{
	static const char *const levels[] = {"low", "medium", "high"};
	bool level = false;

	for (size_t i = 0; fix->risk && i < ND_ARRAY_LEN(levels); i++)
		level |= nd_starts(fix->risk, levels[i]);
	if (!nd_view_empty(fix->risk)) {
		nd_pen_say(p, level ? " Risk " : " Risk: ");
		nd_page_sentence_cut(p, fix->risk, most);
	}
	if (!nd_view_empty(fix->disrupts)) {
		nd_pen_say(p, " Interrupts: ");
		nd_page_sentence_cut(p, fix->disrupts, most);
	} else if (fix->run) {
		nd_pen_say(p, " Interrupts nothing.");
	}
}

void nd_page_section(struct nd_pen *p, const char *s)
{
	nd_pen_say(p, s);
	nd_pen_heading(p, 2);
}

/* How many of n items a list shows: one item more beats a line that says "1 more". */
uint32_t nd_page_shown(uint32_t n, uint32_t most)
{
	return n > most + 1 ? most : n;
}

void nd_page_rest(struct nd_pen *p, uint32_t n, uint32_t most, unsigned depth)
{
	if (nd_page_shown(n, most) == n)
		return;
	nd_pen_sayf(p, "and %u more; the JSON report has them all.", n - most);
	nd_pen_item(p, depth);
}

/* "`cause` on cpu:22 and 3 others" */
void nd_page_subject(struct nd_pen *p, const char *what, const char *entity, uint32_t others)
{
	nd_pen_name(p, what);
	if (!nd_view_empty(entity)) {
		nd_pen_say(p, " on ");
		nd_page_entity(p, entity);
	}
	if (others)
		nd_pen_sayf(p, " and %u other%s", others, others == 1 ? "" : "s");
}

void nd_page_write(const struct nd_ink *ink, const struct nd_findings *r, struct nd_buf *out)
{
	struct nd_pen p = {.ink = ink, .out = out};

	nd_screen_write(ink, r, out);
	nd_detail_write(&p, r);
	nd_outcome_write(&p, r);
	nd_pen_free(&p);
}
