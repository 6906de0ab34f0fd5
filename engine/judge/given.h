/* Facts that a rule's test gives. */
#ifndef ND_GIVEN_H
#define ND_GIVEN_H

#include "engine/judge/eval.h"

/* One line of a `given`: of an entity (or of "log", "none"), one fact. Later lines override earlier ones of the same name. */
struct nd_given_line {
	const struct nd_yaml *entity; /* the keys of the YAML, with their places */
	const struct nd_yaml *fact; /* NULL: the whole value is the entity's (log, none) */
	const struct nd_yaml *value;
};
struct nd_given {
	struct nd_given_line *v;
	uint32_t n, cap;
	double window; /* s */
	bool recorded; /* on top of a recording, with its own window; its log lines count where none are given */
	/* filled by nd_given_apply: lines of log patterns by name */
	struct {
		const char *pattern; /* "": all */
		struct nd_log_rows rows;
	} logs[32];
	uint32_t n_logs;
};
void nd_given_merge(struct nd_given *g, const struct nd_yaml *map);
/* False with *why filled: the test itself is wrong. */
bool nd_given_apply(struct nd_given *g, struct nd_run *run, const struct nd_rule *rule,
		    const struct nd_yaml **at, char *why, size_t size);
/* A number as in expressions: "43ms", "90/s"; false if it is none. */
bool nd_given_number(struct nd_run *run, const char *text, double *out);
/* "kind:key" to an entity that exists or not; ND_NO_ENTITY if there is none or the kind is unknown. */
struct nd_log_rows *nd_given_log(void *ctx, const struct nd_log_pattern *p);
void nd_given_free(struct nd_given *g);
#endif
