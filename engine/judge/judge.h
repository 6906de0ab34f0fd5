/* Facts and rules in, findings out. Pure: no I/O, no clock. */
#ifndef ND_JUDGE_H
#define ND_JUDGE_H

#include "engine/judge/finding.h"
#include "engine/rule/rules.h"

/* Counts the rules' tallies while rows are streamed; call before collecting. The tallies belong to f. */
void nd_judge_watch(const struct nd_rules *rules, struct nd_facts *f);

/* What only the caller knows; copied into the findings. Members as in struct nd_findings. */
struct nd_judge_about {
	const char *version, *source, *host_name;
	int64_t started_s, ended_s;
	int32_t utc_offset_s;
	double own_cpu, own_wall;
};
/* Never NULL. Free with nd_findings_free. */
struct nd_findings *nd_judge(const struct nd_rules *rules, struct nd_facts *f, const struct nd_judge_about *about);
void nd_findings_free(struct nd_findings *r);

/* The tests inside the rule files. Appends a line per failing test with the path that the tree took; with verbose a
 * line per passing test too. Counts are added to *passed and *failed. only: the name of one rule, or NULL. */
void nd_ruletest(struct nd_rules *rules, const char *only, bool verbose, struct nd_buf *out, uint32_t *passed, uint32_t *failed);
#endif
