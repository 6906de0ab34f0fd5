/* Wording that all reports share: values with their unit, missing facts as sentences, moments.
 *
 * Everything here appends raw text to a buffer; only nd_view_clean makes it safe to show, and every
 * format calls it on whatever it prints. NULL is the empty text throughout. */
#ifndef ND_VIEW_H
#define ND_VIEW_H

#include "engine/judge/finding.h"

enum nd_clean {
	ND_CLEAN_LINE, /* newlines and tabs are blanks, other control characters become visible */
	ND_CLEAN_BLOCK, /* newlines and tabs stay */
};
/* Invalid bytes become U+FFFD; control bytes \x1B; C1, bidirectional and invisible characters
 * \u202E. */
void nd_view_clean(struct nd_buf *b, const char *s, enum nd_clean how);
/* Bytes of the valid UTF-8 character at s, which is not its end, and its code point; 0: none. */
size_t nd_view_decode(const char *s, uint32_t *point);
/* Does this character change how its neighbours look, or is it invisible, or a control? */
bool nd_view_deceptive(uint32_t point);
#define ND_VIEW_REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD, for what is no UTF-8 */

bool nd_view_empty(const char *s);
/* At most max bytes of s, cut between words where there are any, with an ellipsis. */
void nd_view_cut(struct nd_buf *b, const char *s, size_t max);
/* "1 tree", "3 trees". */
void nd_view_count(struct nd_buf *b, uint32_t n, const char *noun);

/* Line one: never "healthy" without how much could be examined. */
void nd_view_headline(struct nd_buf *b, const struct nd_findings *r);
/* "web-7, Linux 6.1.0, 32 CPUs, up 41 d"; what is unknown is left out. */
void nd_view_host(struct nd_buf *b, const struct nd_findings *r);
/* How and when it was measured, in UTC and local time. */
void nd_view_window(struct nd_buf *b, const struct nd_findings *r);
void nd_view_symptom(struct nd_buf *b, const char *symptom);
/* RFC 3339 in UTC; false (and nothing put) when the moment is unknown. */
bool nd_view_rfc3339(struct nd_buf *b, int64_t epoch_s);
/* What netdoctor itself used: CPU and wall time; nothing put when unknown. */
void nd_view_cost(struct nd_buf *b, const struct nd_findings *r);

/* "softnet.dropped.delta" for cpu.softnet.dropped.delta on cpu:22: the kind is in the entity. */
const char *nd_view_fact(const char *fact, const char *entity);
/* "1,137 since boot", "yes", "none", "unknown (no permission)". */
void nd_view_value(struct nd_buf *b, const struct nd_evidence_value *v);
/* "not on this kernel: needs 5.7", "needs the softirq probe (not sampled)". */
void nd_view_missing(struct nd_buf *b, enum nd_missing why, const char *detail, const char *probe);
/* What the finding accounts for, in a sentence; nothing put when nothing is known. */
void nd_view_size(struct nd_buf *b, const struct nd_finding *f);
const char *nd_view_role(enum nd_role r);
#endif
