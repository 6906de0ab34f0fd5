/* Patterns of rules (PCRE2), with limits, so that no pattern and no subject can hold up a run.
 *
 * A pattern is compiled once, when the rule is loaded. Subjects may be any bytes: what is no
 * UTF-8 in them matches nothing. Only expr_match.c uses pcre2.h. */
#ifndef ND_EXPR_MATCH_H
#define ND_EXPR_MATCH_H

#include "engine/core/base.h"

struct nd_pattern;

/* NULL with the message in err (err_size bytes) and in *offset the byte of the pattern where it is
 * wrong. */
struct nd_pattern *nd_pattern_new(const char *pattern, char *err, size_t err_size, size_t *offset);
void nd_pattern_free(struct nd_pattern *p); /* NULL is fine */

/* 1: it matches somewhere in the subject; 0: it does not; -1: unknown, a limit was hit (`budget`).
 * The subject is borrowed until the next match. Not for two threads at once. */
int nd_pattern_match(struct nd_pattern *p, const char *subject, size_t len);

/* Named groups, each name once, sorted by name. */
uint32_t nd_pattern_groups(const struct nd_pattern *p);
const char *nd_pattern_group_name(const struct nd_pattern *p, uint32_t i);
/* What group i caught in the last match (which was 1), as a part of its subject; false if the
 * group had no part in it. */
bool nd_pattern_group(const struct nd_pattern *p, uint32_t i, const char **start, size_t *len);
#endif
