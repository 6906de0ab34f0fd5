/* The contract of a collector, and the runner that calls all of them.
 *
 * A new collector is one file with `const struct nd_collector nd_collector_NAME` and one line in
 * collectors.def. It declares what it reads and which facts it can put. After a run the runner says for
 * every declared fact that nobody put why it is missing; a collector that fails never stops the others. */
#ifndef ND_COLLECTOR_H
#define ND_COLLECTOR_H

#include "engine/core/source.h"

/* What a live collector sees at one moment. */
struct nd_live {
	struct nd_source *source;
	struct nd_input in; /* ready to pass to nd_put_*: set .path; t_ns is now, netns "host" */
	uint32_t moment; /* 0, 1, 2, … the counters' moments; between them the same number again */
	bool first, last; /* the first call of the run; the last one */
	bool between; /* called because of again_ns, not for a moment */
	void **state; /* the collector's own, NULL at first; freed by .end */
	uint64_t
		again_ns; /* out: call me again after this long, before the next moment if need be; 0: at the next moment */
};

struct nd_collector {
	const char *name, *doc;
	const char *
		collect; /* the command whose saved output gives what it reads, for a reader who has none of it; or NULL */
	const struct nd_read *reads; /* ends with what NULL; may be NULL */
	const struct nd_fact_def *facts; /* ends with name NULL; may be NULL */
	const struct nd_table_def *table; /* rows that it streams, or NULL */
	enum nd_kind entities
		[4]; /* kinds that it alone makes: when it could not read, they are missing with its
	                                      reason, when it could, they are read. Ends with ND_NO_KIND or at 4 */
	/* Pure: text in, facts out. Called for each input of `reads`. */
	int (*parse)(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		     struct nd_err *e);
	/* Live only: netlink, ioctl, joins over sysfs; NULL if reading files is all. Called at each moment. */
	int (*live)(struct nd_live *l, struct nd_facts *f, struct nd_err *e);
	/* Once, after the last moment, live and from a folder: joins with what others put. May be NULL. */
	void (*finish)(struct nd_facts *f);
	void (*end)(void *state); /* frees *state; may be NULL */
};

extern const struct nd_collector *const nd_collectors[];
extern const uint32_t nd_collectors_n;

/* Puts every collector's facts and tables into the registry. */
void nd_collectors_register(struct nd_registry *r);

struct nd_collect {
	double window; /* live: seconds; at least six moments in it */
	volatile const int *stop; /* becomes nonzero on Ctrl-C: end the measuring now */
	void (*progress)(void *ctx, double elapsed, double window); /* may be NULL */
	void *progress_ctx;
};
/* Runs all collectors over the source. Returns the number of inputs that could be read, or negative errno. The
 * window really measured is fact host.window. */
int nd_collect(struct nd_source *s, struct nd_facts *f, const struct nd_collect *opt,
	       struct nd_err *e);

/* How one collector fared, for `netdoctor check` and the report: */
struct nd_collector_status {
	uint32_t inputs; /* read without error */
	uint32_t bad; /* failed */
	char why[256]; /* first failure: file, line, what was expected; or "" */
	double wall, cpu; /* seconds, all its calls together */
};
const struct nd_collector_status *nd_collect_status(uint32_t collector);

/* Helpers for parsers. */
/* -EINVAL with "PATH:LINE: expected …, found '…'". */
int nd_parse_fail(const struct nd_input *in, const struct nd_stream *s, struct nd_err *e,
		  const char *expected, const char *found);
#endif
