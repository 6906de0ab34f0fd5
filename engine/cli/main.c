/* The table of subcommands, and the way from a command line to an exit status. */
#include <signal.h>
#include <unistd.h>

#include "engine/cli/cmd.h"

#define SEES                                                                                       \
	(ND_TAKES(ND_OPT_FROM) | ND_TAKES(ND_OPT_PCAP) | ND_TAKES(ND_OPT_DURATION) |               \
	 ND_TAKES(ND_OPT_NETNS) | ND_TAKES(ND_OPT_PID) | ND_TAKES(ND_OPT_NO_PROGRESS))
#define RUNS (SEES | ND_TAKES(ND_OPT_FORMAT) | ND_TAKES(ND_OPT_OUTPUT) | ND_TAKES(ND_OPT_QUICK))
#define COLLECTS                                                                                   \
	(ND_TAKES(ND_OPT_DURATION) | ND_TAKES(ND_OPT_NETNS) | ND_TAKES(ND_OPT_PID) |               \
	 ND_TAKES(ND_OPT_NO_PROGRESS) | ND_TAKES(ND_OPT_OUTPUT) | ND_TAKES(ND_OPT_REDACT))
#define SAVES (ND_TAKES(ND_OPT_SAVE) | ND_TAKES(ND_OPT_REDACT))
#define RULES ND_TAKES(ND_OPT_RULES)
#define SET ND_TAKES(ND_OPT_SET)
#define TUNED (RULES | SET | ND_TAKES(ND_OPT_SETTINGS))
#define JSON ND_TAKES(ND_OPT_JSON)
#define NEW                                                                                        \
	(ND_TAKES(ND_OPT_SCOPE) | ND_TAKES(ND_OPT_FACT) | ND_TAKES(ND_OPT_CAUSE) |                 \
	 ND_TAKES(ND_OPT_BATCH) | ND_TAKES(ND_OPT_OUTPUT))
#define LINT (SET | ND_TAKES(ND_OPT_FORMAT) | ND_TAKES(ND_OPT_FIX) | ND_TAKES(ND_OPT_STRICT))
#define DUMP (SEES | ND_TAKES(ND_OPT_ONLY) | ND_TAKES(ND_OPT_STATS) | JSON)

const struct nd_command nd_commands[] = {
	{"run", "", "measure, and report what is wrong, why, and what to do", nd_cmd_run,
	 RUNS | SAVES | TUNED, 0, 0},
	{"collect", "",
	 "measure now and keep it in -o FILE; judge it elsewhere with run --from FILE",
	 nd_cmd_collect, COLLECTS, 0, 0},
	{"check", "", "what can be read on this host, and what root would add", nd_cmd_check, 0, 0,
	 0},
	{"rules list", "", "the rules and what they are about; -v says more", nd_cmd_rules_list,
	 TUNED | JSON, 0, 0},
	{"rules show", "NAME", "a rule as a tree of questions, as a picture, or as its file",
	 nd_cmd_rules_show, TUNED | ND_TAKES(ND_OPT_FORMAT), 1, 1},
	{"rules why", "CAUSE", "measure, and say for each entity how the cause was found or left",
	 nd_cmd_rules_why, SEES | TUNED, 1, 1},
	{"rules test", "[DIR]…", "run the tests inside the rules", nd_cmd_rules_test,
	 SET | ND_TAKES(ND_OPT_FORMAT), 0, 255},
	{"rules lint", "[DIR|FILE]…", "look for mistakes in rules, and mend some",
	 nd_cmd_rules_lint, LINT, 0, 255},
	{"rules cover", "[DIR]…", "what the tests of rules leave out", nd_cmd_rules_cover, SET, 0,
	 255},
	{"rules new", "NAME", "a rule to begin with, which passes lint and its tests",
	 nd_cmd_rules_new, NEW, 1, 1},
	{"rules doc", "", "reference pages of all rules and facts, into docs/ or -o DIR",
	 nd_cmd_rules_doc, RULES | ND_TAKES(ND_OPT_OUTPUT), 0, 0},
	{"rules schema", "", "the JSON Schema of rule files, for editors", nd_cmd_rules_schema, 0,
	 0, 0},
	{"facts list", "", "every fact that rules can ask for", nd_cmd_facts_list, JSON, 0, 0},
	{"facts show", "NAME", "what a fact means and how to see it by hand", nd_cmd_facts_show, 0,
	 1, 1},
	{"facts dump", "", "measure, and print every fact", nd_cmd_facts_dump, DUMP, 0, 0},
	{"help", "[COMMAND]", "how to use a command", nd_cmd_help, 0, 0, 2},
	{"version", "", "the version", nd_cmd_version, 0, 0, 0},
	{0},
};

int main(int argc, char **argv)
{
	struct nd_options o = {0};
	struct nd_buf out = {0};
	int status, rc;

	signal(SIGPIPE, SIG_IGN); /* a write that fails is an error with a message */
	signal(SIGXFSZ, SIG_IGN);
	status = nd_options_parse(&o, argc, argv);
	status = status ? status : o.command->run(&o, &out);
	rc = nd_write_all(STDOUT_FILENO, &out);
	if (rc < 0)
		nd_error("standard output: %s", strerror(-rc));
	nd_buf_free(&out);
	nd_options_free(&o);
	return rc < 0 ? ND_EXIT_OWN : status;
}
