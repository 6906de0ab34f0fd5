/* What the pages about rules share: thresholds, facts and probes in words. */
#ifndef ND_RULES_VIEW_H
#define ND_RULES_VIEW_H

#include "engine/cli/cmd.h"
#include "engine/cli/session.h"
#include "engine/rule/reads.h"

/* ---- facts (cmd_facts.c) ---- */
#define ND_FACT_NAME_BYTES 256
const char *nd_fact_name(const struct nd_fact_def *d,
			 char out[ND_FACT_NAME_BYTES]); /* "cpu.softnet.dropped" */
const char *nd_fact_type(const struct nd_fact_def *d); /* "counter", "yes or no" */
const char *nd_fact_unit(const struct nd_fact_def *d); /* "s", or "" */
/* "softnet, cpu": the collectors that can put it. */
void nd_put_collectors(const struct nd_fact_def *d, struct nd_buf *out);

/* ---- rules (rules_view.c) ---- */
/* Index of the rule that the command line names, with the rules loaded; or -1 with *status set and a message. */
int nd_rule_named(struct nd_session *s, const struct nd_options *o, int *status);
/* Is entry i the first that speaks of its cause? NAME@KIND are wordings of NAME. */
bool nd_cause_first(const struct nd_rule *r, uint32_t i);
const char *nd_param_text(const struct nd_param *p); /* its value, as --set has it */
/* What a file says of its parameter: "origin", "doc"; or "". */
const char *nd_param_key(const struct nd_yaml *file, const struct nd_param *p, const char *key);
/* Text of a map's key, or "". */
const char *nd_key_text(const struct nd_yaml *map, const char *key);
/* "softirq (cpu.softirq.net_rx.wait), tcp (…)": probes without which the facts stay unknown; nothing if none. */
void nd_put_probes(const struct nd_reads *r, const struct nd_registry *reg, struct nd_buf *out);
/* Is the rule's file one of these, or in one of these directories? Without any, all are meant. */
bool nd_rule_is_from(const char *path, const char *const *dirs, uint32_t n);
/* The whole text on one line, blanks run together. */
void nd_put_folded(struct nd_buf *out, const char *text);
#endif
