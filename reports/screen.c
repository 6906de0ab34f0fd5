/* The first screen of a report: verdict, cause, the one fix to try, the next step.
 *
 * A tired reader must be able to stop after 24 lines. Texts differ in length from host to host,
 * so the screen is laid out with less and less room for each text until it fits; nothing is
 * lost, since the detail repeats every text in full. */
#include "reports/page.h"
#include "reports/view.h"

#include <ctype.h>

#define CAUSES_SHOWN 4

/* How much of each text the first screen takes. */
struct room {
	size_t headline, about, title, because, price, next; /* bytes */
	uint32_t entities;
	size_t rows; /* of commands */
};
static const struct room rooms[] = {
	{400, 200, 200, 400, 300, 500, 3, 6},
	{300, 180, 150, 250, 200, 300, 2, 4},
	{190, 96, 90, 180, 120, 280, 1, 3},
	{96, 96, 60, 90, 60, 180, 0, 2},
};

static void say_cut(struct nd_pen *p, const char *s, size_t most)
{
	struct nd_buf b = {0};

	nd_view_cut(&b, s, most);
	nd_page_say(p, &b);
}

/* Screen rows that s takes, long lines folded by the terminal. */
static size_t rows_of(const char *s, size_t columns)
{
	size_t rows = 0;
	size_t width = 0;

	for (; *s; s++) {
		if (*s == '\n') {
			rows += width > columns ? (width + columns - 1) / columns : 1;
			width = 0;
		} else {
			width += ((unsigned char)*s & 0xC0) != 0x80;
		}
	}
	return rows + (width + columns - 1) / columns;
}

static bool one_line(const char *s)
{
	const char *newline = strchr(s, '\n');

	return !newline || !newline[1];
}

static void about(struct nd_pen *p, const struct nd_findings *r, const struct room *room)
{
	struct nd_buf lines[3] = {{0}};

	nd_view_host(&lines[0], r);
	nd_buf_putc(&lines[0], '.');
	nd_view_window(&lines[1], r);
	nd_view_symptom(&lines[2], r->symptom);
	for (size_t i = 0; i < ND_ARRAY_LEN(lines); i++) {
		say_cut(p, nd_buf_str(&lines[i]), room->about);
		nd_pen_break(p);
		nd_buf_free(&lines[i]);
	}
	if (!nd_view_empty(r->netns)) {
		nd_pen_say(p, "Commands of this report belong into that namespace: ");
		nd_pen_code(p, r->netns_enter);
		nd_pen_break(p);
	}
	nd_pen_paragraph(p);
}

/* Does the text hold the entity, and not only one whose name is longer? */
static bool names(const char *s, const char *entity)
{
	size_t n = entity ? strlen(entity) : 0;

	for (; s && n > 0 && (s = strstr(s, entity)) != NULL; s++)
		if (!isalnum((unsigned char)s[n]))
			return true;
	return false;
}

/* "(confirmed, on cpu:22, also on cpu:3 and 4 more)"; no entity that the title names already. */
static void cause_word(struct nd_pen *p, const struct nd_finding *f, const struct room *room)
{
	nd_pen_sayf(p, " (%s", nd_word_name(f->word));
	if (!names(f->title, f->entity)) {
		nd_pen_say(p, ", on ");
		nd_page_entity(p, f->entity);
	}
	if (f->n_entities > 1) {
		nd_pen_say(p, ", ");
		nd_page_others(p, f, room->entities);
	}
	nd_pen_say(p, ")");
}

static void cause(struct nd_pen *p, const struct nd_finding *f, const struct room *room)
{
	struct nd_buf b = {0};

	nd_view_cut(&b, f->title, room->title);
	nd_pen_strong(p, nd_buf_str(&b));
	nd_buf_free(&b);
	cause_word(p, f, room);
	nd_pen_break(p);
	nd_page_sentence_cut(p, f->because, room->because);
	nd_view_size(&b, f);
	if (b.len > 0) {
		nd_pen_break(p);
		nd_pen_say(p, "Accounts for: ");
		say_cut(p, nd_buf_str(&b), room->because);
	}
	nd_buf_free(&b);
}

static void other_causes(struct nd_pen *p, const struct nd_findings *r)
{
	uint32_t n = nd_page_shown(r->n_findings, CAUSES_SHOWN);

	for (uint32_t i = 1; i < n; i++) {
		const struct nd_finding *f = &r->findings[i];

		nd_pen_say(p, i > 1 ? ", " : "Also found: ");
		nd_page_subject(p, f->cause, f->entity, 0);
		nd_pen_sayf(p, " (%s)", nd_word_name(f->word));
	}
	if (n > 1)
		nd_pen_say(p, n < r->n_findings ? "" : ".");
	if (n < r->n_findings)
		nd_pen_sayf(p, " and %u more.", r->n_findings - n);
}

static const struct nd_fix *first_offered(const struct nd_finding *f)
{
	for (uint32_t i = 0; i < f->n_fixes; i++)
		if (!f->fixes[i].not_offered)
			return &f->fixes[i];
	return NULL;
}

static bool fits(const char *s, const struct room *room)
{
	return rows_of(s, ND_SCREEN_COLUMNS) <= room->rows;
}

/* Half of the commands would be worse than none: what does not fit is left to the detail. */
static void fix_commands(struct nd_pen *p, const struct nd_fix *fix, const struct room *room)
{
	bool undo_fits = fix->undo && one_line(fix->undo) && fits(fix->undo, room);

	if (!fits(fix->run, room)) {
		nd_pen_say(p, " Its commands are long: see Fixes below.");
		nd_pen_paragraph(p);
		return;
	}
	nd_pen_paragraph(p);
	nd_pen_commands(p, -1, fix->run);
	if (nd_view_empty(fix->undo))
		return;
	nd_pen_say(p, "Undo: ");
	if (undo_fits)
		nd_pen_name(p, fix->undo);
	else
		nd_pen_say(p, "see Fixes below.");
	p->tight = true;
	nd_pen_paragraph(p);
}

static void the_fix(struct nd_pen *p, const struct nd_findings *r, const struct room *room)
{
	const struct nd_finding *f = &r->findings[0];
	const struct nd_fix *fix = first_offered(f);

	if (!fix) {
		nd_pen_strong(p, "Fix:");
		nd_pen_say(p, f->n_fixes
				      ? " none can be offered on this host, the reasons are below."
				      : " none is known for this cause.");
		nd_pen_paragraph(p);
		return;
	}
	nd_pen_strong(p, r->verdict == ND_CAUSES ? "Try this" : "If that confirms it, try this");
	nd_pen_sayf(p, " (%s): ", nd_tier_name(fix->tier));
	nd_page_sentence_cut(p, fix->title, room->title);
	nd_page_fix_price(p, fix, room->price);
	if (!nd_view_empty(fix->run)) {
		fix_commands(p, fix, room);
		return;
	}
	if (!nd_view_empty(fix->advice)) {
		nd_pen_break(p);
		nd_page_sentence_cut(p, fix->advice, room->because);
	}
	if (!nd_view_empty(fix->missing)) {
		nd_pen_break(p);
		nd_pen_say(p, "No command: ");
		nd_page_sentence_cut(p, fix->missing, room->price);
	}
	nd_pen_paragraph(p);
}

/* What follows from the verdict alone, when there is no fact to ask for. */
static void usual_step(struct nd_pen *p, const struct nd_findings *r)
{
	const struct nd_fix *fix = r->n_findings ? first_offered(&r->findings[0]) : NULL;

	if (r->verdict == ND_HEALTHY) {
		nd_pen_rich(p, "if it is slow at other times, run `netdoctor run` again then.");
	} else if (fix && !nd_view_empty(fix->verify)) {
		nd_pen_rich(p, "after the fix run `netdoctor run` again; it worked if ");
		nd_pen_code(p, fix->verify);
		nd_pen_say(p, ".");
	} else {
		nd_pen_rich(p, "after a change run `netdoctor run` again and compare.");
	}
}

static void next_step(struct nd_pen *p, const struct nd_findings *r, const struct room *room)
{
	nd_pen_strong(p, "Next:");
	nd_pen_say(p, " ");
	if (nd_view_empty(r->next))
		usual_step(p, r);
	else if (strlen(r->next) <= room->next)
		nd_page_step(p, r, r->next);
	else
		nd_page_sentence_cut(p, r->next, room->next);
	nd_pen_paragraph(p);
}

/* Without a finding: what there is to say instead. */
static void no_cause(struct nd_pen *p, const struct nd_findings *r)
{
	struct nd_buf b = {0};
	uint32_t asked = 0, n;

	while (asked < r->n_open && !nd_page_unasked(&r->open[asked]))
		asked++;
	n = asked < CAUSES_SHOWN ? asked : CAUSES_SHOWN;
	if (r->examined < r->of || r->n_unexamined) {
		nd_view_count(&b, r->of > r->examined ? r->of - r->examined : r->n_unexamined,
			      "tree");
		nd_pen_strong(p, "Not everything could be looked at:");
		nd_pen_sayf(p, " %s stayed unexamined. ", nd_buf_str(&b));
		nd_buf_free(&b);
	}
	if (n > 0)
		nd_pen_say(p, "Neither found nor ruled out: ");
	for (uint32_t i = 0; i < n; i++) {
		nd_pen_say(p, i > 0 ? ", " : "");
		nd_page_entity(p, r->open[i].cause);
	}
	if (n > 0) {
		nd_pen_say(p, asked > n ? "" : ".");
		if (asked > n)
			nd_pen_sayf(p, " and %u more.", asked - n);
	}
	if (p->line.len > 0)
		nd_pen_paragraph(p);
}

static void screen(struct nd_pen *p, const struct nd_findings *r, const struct room *room)
{
	struct nd_buf b = {0};

	nd_view_headline(&b, r);
	say_cut(p, nd_buf_str(&b), room->headline);
	nd_buf_free(&b);
	nd_pen_heading(p, 1);
	about(p, r, room);
	if (!r->n_findings) {
		no_cause(p, r);
		next_step(p, r, room);
		return;
	}
	cause(p, &r->findings[0], room);
	nd_pen_break(p);
	if (room->entities > 0)
		other_causes(p, r);
	nd_pen_paragraph(p);
	if (r->verdict != ND_CAUSES) /* what is only suspected is confirmed first */
		next_step(p, r, room);
	the_fix(p, r, room);
	if (r->verdict == ND_CAUSES)
		next_step(p, r, room);
}

void nd_screen_write(const struct nd_ink *ink, const struct nd_findings *r, struct nd_buf *out)
{
	struct nd_buf tried = {0};
	struct nd_pen p = {.ink = ink, .out = &tried};

	for (size_t i = 0; i < ND_ARRAY_LEN(rooms); i++) {
		nd_buf_free(&tried);
		tried = (struct nd_buf){0};
		screen(&p, r, &rooms[i]);
		if (rows_of(nd_buf_str(&tried), ND_SCREEN_COLUMNS) <= ND_SCREEN_ROWS)
			break;
	}
	nd_buf_puts(out, nd_buf_str(&tried));
	nd_buf_free(&tried);
	nd_pen_free(&p);
}
