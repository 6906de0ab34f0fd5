/* The expectations of a rule's test against an outcome. */
#ifndef ND_RULETEST_H
#define ND_RULETEST_H

#include "engine/judge/walk.h"

/* Appends to why what is not as expected; leaves it empty if all is. */
void nd_expect(struct nd_run *run, const struct nd_outcome *o, const struct nd_yaml *expect,
	       char *why, size_t size);

/* Appends the way that each tree took, a line for a question, and marks where it parted from what was expected. */
void nd_test_trace(const struct nd_run *run, const struct nd_outcome *o,
		   const struct nd_yaml *expect, struct nd_buf *out);

/* Appends the line of the rule's file that is wrong, and a caret under it. */
void nd_test_place(const struct nd_rule *rule, const struct nd_yaml *at, struct nd_buf *out);

/* What a rule's tests reach (cover.c): begin, look at the facts of each test once they were judged, free. */
struct nd_cover *nd_cover_new(const struct nd_rule *r);
void nd_cover_see(struct nd_cover *c, struct nd_run *run, uint32_t rule);
#endif
