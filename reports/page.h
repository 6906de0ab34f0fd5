/* The structure of a report that people read, the same in every such format. */
#ifndef ND_PAGE_H
#define ND_PAGE_H

#include "engine/judge/finding.h"
#include "reports/pen.h"

/* Rows of a first screen, at ND_SCREEN_COLUMNS: verdict, cause, the one fix, the next step. */
#define ND_SCREEN_ROWS 24
#define ND_SCREEN_COLUMNS 100

void nd_page_write(const struct nd_ink *ink, const struct nd_findings *r, struct nd_buf *out);

/* Its parts, in this order. */
void nd_screen_write(const struct nd_ink *ink, const struct nd_findings *r, struct nd_buf *out);
void nd_detail_write(struct nd_pen *p, const struct nd_findings *r);
void nd_outcome_write(struct nd_pen *p, const struct nd_findings *r);
void nd_wanted_write(struct nd_pen *p, const struct nd_findings *r); /* of that: what is missing */

/* ---- what the parts share; all but the first two put into the open line ---- */
void nd_page_section(struct nd_pen *p, const char *s);
/* "and 4 more", as an item, when n items were too many to show. */
void nd_page_rest(struct nd_pen *p, uint32_t n, uint32_t most, unsigned depth);
/* How many of n items a list shows: one item more beats a line that says "1 more". */
uint32_t nd_page_shown(uint32_t n, uint32_t most);
/* Says the buffer and frees it. */
void nd_page_say(struct nd_pen *p, struct nd_buf *b);
/* A sentence, commands between backticks, with its full stop; the second cut at so many bytes. */
void nd_page_sentence(struct nd_pen *p, const char *s);
void nd_page_sentence_cut(struct nd_pen *p, const char *s, size_t most);
/* A next step: a sentence, whose command, if it stands at its end, stays whole. */
void nd_page_step(struct nd_pen *p, const struct nd_findings *r, const char *s);
void nd_page_entity(struct nd_pen *p, const char *entity);
/* "also on cpu:3 and 4 more"; nothing for a finding on one entity. */
void nd_page_others(struct nd_pen *p, const struct nd_finding *f, uint32_t most);
/* "cause on cpu:22 and 3 others" */
void nd_page_subject(struct nd_pen *p, const char *what, const char *entity, uint32_t others);
/* " Risk low: … Interrupts nothing." */
void nd_page_fix_price(struct nd_pen *p, const struct nd_fix *fix, size_t most);
/* Nothing speaks for it: what its first question reads was not there. */
bool nd_page_unasked(const struct nd_open *x);
bool nd_page_same(const char *a, const char *b); /* NULL is the empty text */
#endif
