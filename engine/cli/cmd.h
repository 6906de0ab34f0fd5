/* The subcommands: each is one function that writes its output into a buffer and returns the exit status. */
#ifndef ND_CMD_H
#define ND_CMD_H

#include "engine/cli/options.h"
#include "engine/core/str.h"

/* Exit status; scripts rely on it. */
enum nd_exit {
	ND_EXIT_HEALTHY = 0,
	ND_EXIT_CAUSES = 1, /* a cause is likely or confirmed */
	ND_EXIT_USAGE = 2,
	ND_EXIT_INCONCLUSIVE = 3,
	ND_EXIT_INPUT = 4, /* bad rules, or nothing could be read */
	ND_EXIT_OWN = 5, /* cannot write, or a bug */
	ND_EXIT_ABORT = 130, /* the second Ctrl-C */
};

/* What is put into out goes to standard output, also when the status is not 0. Errors go to stderr by nd_error. */
int nd_cmd_run(const struct nd_options *o, struct nd_buf *out);
int nd_cmd_rules_list(const struct nd_options *o, struct nd_buf *out);
int nd_cmd_rules_show(const struct nd_options *o, struct nd_buf *out);
int nd_cmd_rules_why(const struct nd_options *o, struct nd_buf *out);
int nd_cmd_rules_cover(const struct nd_options *o, struct nd_buf *out);
int nd_cmd_rules_new(const struct nd_options *o, struct nd_buf *out);
int nd_cmd_rules_doc(const struct nd_options *o, struct nd_buf *out);
int nd_cmd_rules_schema(const struct nd_options *o, struct nd_buf *out);
int nd_cmd_rules_test(const struct nd_options *o, struct nd_buf *out);
int nd_cmd_rules_lint(const struct nd_options *o, struct nd_buf *out);
int nd_cmd_facts_list(const struct nd_options *o, struct nd_buf *out);
int nd_cmd_facts_show(const struct nd_options *o, struct nd_buf *out);
int nd_cmd_facts_dump(const struct nd_options *o, struct nd_buf *out);
int nd_cmd_collect(const struct nd_options *o, struct nd_buf *out);
int nd_cmd_check(const struct nd_options *o, struct nd_buf *out);
int nd_cmd_help(const struct nd_options *o, struct nd_buf *out);
int nd_cmd_version(const struct nd_options *o, struct nd_buf *out);

/* All of b to fd; 0 or a negative errno. */
int nd_write_all(int fd, const struct nd_buf *b);
/* All of b to a file, which appears only when it is complete; what is there already is replaced, but a fifo or device
 * is written into. 0, or the status to exit with after the message was printed. */
int nd_write_file(const char *file, const struct nd_buf *b);
/* Said before the measuring and not after it: can FILE be written? NULL and "-" are standard output. The status to exit
 * with after the message was printed, or 0. */
int nd_check_place(const char *file);
/* Appends s as a JSON string, without control characters. */
void nd_put_json_text(struct nd_buf *out, const char *s);
#endif
