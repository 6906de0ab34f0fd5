/* What the subcommands share: the registry, the rules, a source, and the facts that were read from it. */
#ifndef ND_SESSION_H
#define ND_SESSION_H

#include "collectors/collector.h"
#include "engine/cli/options.h"
#include "engine/cli/target.h"
#include "engine/rule/rules.h"

struct nd_session {
	struct nd_registry *registry;
	struct nd_rules *rules; /* NULL: none were loaded */
	struct nd_source *source; /* NULL: nothing was read */
	struct nd_facts *facts;
	struct nd_target target;
	int64_t started_s, ended_s; /* UTC epoch of the window; 0 for a folder */
	int32_t utc_offset_s;
	uint64_t begun_ns; /* monotonic: when the session began */
	struct nd_bundle *bundle; /* a capture that is being made, or NULL */
	double begun_cpu; /* seconds of CPU that the process had taken then */
};

void nd_session_begin(struct nd_session *s);
void nd_session_end(struct nd_session *s);

/* Loads the rules that are built in, then those of the directories, then --set; checks all. Messages go to stderr:
 * errors always, warnings too if `warnings`. Returns 0 or the status to exit with. */
int nd_session_rules(struct nd_session *s, const struct nd_options *o, const char *const *dirs,
		     uint32_t n, bool warnings);
/* The same with the messages in a buffer, where nobody has seen them yet. */
int nd_session_load(struct nd_session *s, const struct nd_options *o, const char *const *dirs,
		    uint32_t n, struct nd_buf *messages);
/* nd_session_rules with the settings file and the directories of --rules. When netdoctor runs as root they must be safe to believe: the report
 * prints commands of theirs. */
int nd_session_rules_trusted(struct nd_session *s, const struct nd_options *o);

/* Opens --from or this host. Then reads it: `window` seconds live, or all there is in a folder. Return 0 or the status to
 * exit with, message printed. Ctrl-C ends the measuring; a second one the process, with status 130. */
int nd_session_open(struct nd_session *s, const struct nd_options *o);
int nd_session_collect(struct nd_session *s, const struct nd_options *o, double window);

/* As struct nd_test_hooks wants it: reads a recorded folder, or one file, into f. Needs no session and uses no ctx. */
int nd_session_read_case(void *ctx, const char *path, struct nd_facts *f, struct nd_err *e);
extern const struct nd_test_hooks nd_case_hooks; /* reads cases, and is silent */

/* Writes the capture that s->bundle has been making. 0 or the status to exit with, message printed. */
int nd_session_save(struct nd_session *s, const char *file);

/* Reads the source and calls show, which parses, judges or prints into out; all that touches foreign bytes happens in a
 * process without rights (engine/core/confine.h). Returns what show returned, or the status of what failed before. */
int nd_session_show(struct nd_session *s, const struct nd_options *o, double window,
		    int (*show)(void *ctx, struct nd_buf *out), void *ctx, struct nd_buf *out);

/* Seconds since it began, and seconds of CPU that the process took since then. */
double nd_session_wall(const struct nd_session *s);
double nd_session_cpu(const struct nd_session *s);
#endif
