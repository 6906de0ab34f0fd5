/* The command line as data: commands and options are rows of tables, --help is printed from them. */
#ifndef ND_OPTIONS_H
#define ND_OPTIONS_H

#include "engine/core/str.h"

enum nd_opt {
	ND_OPT_FROM,
	ND_OPT_PCAP,
	ND_OPT_DURATION,
	ND_OPT_NETNS,
	ND_OPT_PID,
	ND_OPT_FORMAT,
	ND_OPT_OUTPUT,
	ND_OPT_RULES,
	ND_OPT_SET,
	ND_OPT_SETTINGS,
	ND_OPT_QUICK,
	ND_OPT_SAVE,
	ND_OPT_REDACT,
	ND_OPT_ONLY,
	ND_OPT_JSON,
	ND_OPT_STATS,
	ND_OPT_SCOPE,
	ND_OPT_FACT,
	ND_OPT_CAUSE,
	ND_OPT_BATCH,
	ND_OPT_FIX,
	ND_OPT_STRICT,
	ND_OPT_QUIET,
	ND_OPT_VERBOSE,
	ND_OPT_NO_PROGRESS,
	ND_OPT_COLOR,
	ND_OPT_HELP,
	ND_OPT_VERSION,
	ND_OPTS
};

struct nd_opt_row {
	const char *name; /* without dashes */
	char letter; /* short form, or 0 */
	const char *arg; /* what stands for its value in the help; NULL: a flag */
	const char *value; /* default, or NULL */
	const char *help;
	bool many; /* may be repeated; otherwise the last one counts */
};
extern const struct nd_opt_row nd_opt_rows[ND_OPTS];

struct nd_options;
struct nd_command {
	const char *name; /* "run", "rules list" */
	const char *args; /* operands as the usage line shows them, or "" */
	const char *doc; /* one line */
	int (*run)(const struct nd_options *o, struct nd_buf *out);
	uint32_t takes; /* options: ND_TAKES(…) of each; ND_TAKES_ALWAYS need not be said */
	uint8_t args_min, args_max; /* number of operands */
};
#define ND_TAKES(opt) (1u << (opt))
#define ND_TAKES_ALWAYS                                                                            \
	(ND_TAKES(ND_OPT_QUIET) | ND_TAKES(ND_OPT_VERBOSE) | ND_TAKES(ND_OPT_COLOR) |              \
	 ND_TAKES(ND_OPT_HELP) | ND_TAKES(ND_OPT_VERSION))
extern const struct nd_command nd_commands[]; /* ends with name NULL; in main.c */

struct nd_given {
	enum nd_opt opt;
	const char *value; /* "" for flags */
};
/* A parsed command line. Texts are borrowed from argv. */
struct nd_options {
	const struct nd_command *command;
	struct nd_given *given; /* in the order of the command line */
	uint32_t n_given, cap_given;
	const char **args; /* operands */
	uint32_t n_args, cap_args;
};

/* Parses argv. Returns 0, or the status to exit with after the message was printed. Free in both cases. --help, --version
 * and `help` become commands of their own. */
int nd_options_parse(struct nd_options *o, int argc, char **argv);
void nd_options_free(struct nd_options *o);

bool nd_opt_given(const struct nd_options *o, enum nd_opt opt);
/* The value given last, else the default of the table, else NULL. */
const char *nd_opt_text(const struct nd_options *o, enum nd_opt opt);
/* --format as an index of names; 0 when it is not given. -1 after saying which there are. */
int nd_opt_format(const struct nd_options *o, const char *const *names, size_t n);
/* Steps through an option that may be repeated: *i begins at 0; NULL at the end. */
const char *nd_opt_next(const struct nd_options *o, enum nd_opt opt, uint32_t *i);

/* "5s", "500ms", "1min" (or "1m"), "1h"; a bare number is in seconds. */
bool nd_parse_duration(const char *s, double *seconds);

/* Appends how to use: all commands, or those whose name begins with `prefix`; false if there are none. */
bool nd_help(struct nd_buf *out, const char *prefix);
/* Appends "usage: netdoctor …" of one command. */
void nd_usage(struct nd_buf *out, const struct nd_command *c);

/* "netdoctor: message" on stderr, whatever the log level. */
void nd_error(const char *fmt, ...) ND_PRINTF(1, 2);
/* The same, followed by the usage line of the command; returns ND_EXIT_USAGE. */
int nd_usage_error(const struct nd_command *c, const char *fmt, ...) ND_PRINTF(2, 3);
#endif
