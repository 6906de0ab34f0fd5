/* What the judge found, as text that a table of rows can hold. */
#ifndef ND_JUDGE_VIEW_H
#define ND_JUDGE_VIEW_H

#include "tests/unit/judge_fixture.h"

struct outcome {
	const char *rule, *given, *want;
};

static inline void same_text(const char *got, const char *want, const char *what)
{
	if (got == want || (got && want && strcmp(got, want) == 0))
		return;
	fail_msg("%s:\n%s\nexpected\n%s", what, got ? got : "(nothing)", want ? want : "(nothing)");
}

static inline void put_missing(struct nd_buf *b, const struct nd_missing_fact *m, uint32_t n)
{
	nd_buf_puts(b, ":");
	for (uint32_t i = 0; i < n; i++)
		nd_buf_printf(b, " %s", m[i].fact);
	nd_buf_puts(b, n ? "\n" : " \n");
}

static inline void put_notes(struct nd_buf *b, const char *what, const struct nd_note *v,
			     uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		nd_buf_printf(b, "%s %s %s: %s", what, v[i].name, v[i].entity, v[i].says);
		if (v[i].others)
			nd_buf_printf(b, " +%u", v[i].others);
		nd_buf_putc(b, '\n');
	}
}

/* A line each: "CAUSE ENTITY WORD ROLE", "out CAUSE", "open CAUSE: FACTS", "unexamined TREE ENTITY: FACTS",
 * "contradiction NAME ENTITY: TEXT", "note …". */
static inline void put_findings(struct nd_buf *b, const struct nd_findings *r)
{
	for (uint32_t i = 0; i < r->n_findings; i++) {
		const struct nd_finding *f = &r->findings[i];

		nd_buf_printf(b, "%s %s %s %s\n", f->cause, f->entity, nd_word_name(f->word),
			      nd_role_name(f->role));
	}
	for (uint32_t i = 0; i < r->n_open; i++) {
		nd_buf_printf(b, "open %s", r->open[i].cause);
		put_missing(b, r->open[i].missing, r->open[i].n_missing);
	}
	for (uint32_t i = 0; i < r->n_ruled_out; i++)
		nd_buf_printf(b, "out %s\n", r->ruled_out[i].cause);
	for (uint32_t i = 0; i < r->n_unexamined; i++) {
		const struct nd_unexamined *u = &r->unexamined[i];

		nd_buf_printf(b, "unexamined %s%s%s", u->tree, u->entity ? " " : "",
			      u->entity ? u->entity : "");
		put_missing(b, u->missing, u->n_missing);
	}
	put_notes(b, "contradiction", r->contradictions, r->n_contradictions);
	put_notes(b, "note", r->notes, r->n_notes);
}

static inline void check_outcomes(const struct outcome *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct nd_buf got = {0};
		struct judged j;

		open_judged(&j, (const char *const[]){rows[i].rule, NULL}, rows[i].given);
		put_findings(&got, judge(&j));
		same_text(nd_buf_str(&got), rows[i].want, rows[i].given);
		nd_buf_free(&got);
		close_judged(&j);
	}
}
#endif
