/* The table of protocol counters, shared by everything that shows them: /proc/net, `netstat -s`,
 * `nstat`.
 *
 * One row a counter (snmp.def), so that a counter has the same fact whatever tool its number came
 * from. */
#ifndef ND_SNMP_H
#define ND_SNMP_H

#include "collectors/collector.h"

/* Which kernels have a counter: decides whether a line that a tool left out means 0. */
enum nd_snmp_since { ND_SNMP_ANY, ND_SNMP_V418, ND_SNMP_LATER, ND_SNMP_GONE };

#define ND_SNMP_PHRASES 3
struct nd_snmp_row {
	const char *section, *name; /* "TcpExt", "ListenDrops"; section NULL ends the table */
	enum nd_snmp_since since;
	const char *phrases[ND_SNMP_PHRASES]; /* of `netstat -s`, # for the number; NULL: none */
};
#define ND_SNMP_MAX 256 /* more than the table has rows */

extern const struct nd_snmp_row nd_snmp_rows[];
extern const struct nd_fact_def nd_snmp_facts[]; /* row i is fact i; ends with name NULL */

/* What one input said so far. */
struct nd_snmp_seen {
	bool row[ND_SNMP_MAX]; /* this counter, with a value or a reason of its own */
	uint32_t counters; /* how many counters, known or not */
	bool old; /* something that only kernels before 4.18 print */
};

/* The row of a counter, or -1. section need not end at len. */
int nd_snmp_find(const char *section, size_t len, const char *name);
/* The same by nstat's joined name, "TcpExtListenDrops". */
int nd_snmp_find_joined(const char *joined);
/* Puts a counter's number as it stands in the input; what is no number, or was cut, is missing. */
void nd_snmp_put(struct nd_facts *f, int row, const char *number, bool cut,
		 const struct nd_input *in, struct nd_snmp_seen *seen);
/* The row was left out because it is zero: 0 if every kernel that the input can come from has it.
 */
void nd_snmp_zero(struct nd_facts *f, int row, const struct nd_input *in,
		  const struct nd_snmp_seen *seen);
/* The end of a tool's text: what it did not show is said to be missing; a failed read, or not one counter, is an error
 * of the input as a whole. expected: what a counter looks like there. Returns what a parser returns. */
int nd_snmp_end(const struct nd_input *in, const struct nd_stream *s, struct nd_facts *f,
		const struct nd_snmp_seen *seen, const char *expected, struct nd_err *e);
/* Live: says of each other namespace why it has none of these facts; a value, whenever it comes,
 * replaces that. A namespace that ended, or that has no process, is one that was not read. */
void nd_netns_unread(const struct nd_live *l, struct nd_facts *f, const struct nd_fact_def *facts,
		     const char *why);

#endif
