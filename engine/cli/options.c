/* Parses the command line by the tables of commands and options.
 *
 * getopt_long is not used: its messages name no neighbours ("did you mean"), and it accepts any prefix of a
 * name, which breaks scripts when an option is added. */
#include "engine/cli/options.h"

#include <ctype.h>
#include <unistd.h>

#include "engine/cli/cmd.h"

#define NAMES_MAX 64
#define DURATION_MAX_S (24 * 3600.0)

const struct nd_opt_row nd_opt_rows[ND_OPTS] = {
	[ND_OPT_FROM] =
		{"from", 0, "PATH", NULL,
		 "read recorded input instead of this host: a copied /proc and /sys, a sosreport or another archive, a "
		 "file of collect, outputs of tools, or a text in which they were pasted",
		 true},
	[ND_OPT_PCAP] = {"pcap", 0, "FILE", NULL,
			 "read a packet capture, pcap or pcapng, alone or beside --from", true},
	[ND_OPT_DURATION] = {"duration", 0, "TIME", "5s",
			     "how long to measure: 500ms, 5s, 1min; a bare number is seconds",
			     false},
	[ND_OPT_NETNS] = {"netns", 0, "NAME", NULL,
			  "look into this network namespace: a name of ip netns list, or a path",
			  false},
	[ND_OPT_PID] =
		{"pid", 0, "PID", NULL,
		 "look into the network namespace of this process, such as one of a container",
		 false},
	[ND_OPT_FORMAT] =
		{"format", 0, "NAME", NULL,
		 "form of the output; run: md, text or json, by default what the name of -o FILE ends with, else md; "
		 "rules show: text, mermaid, dot or yaml; rules lint: text, json or github",
		 false},
	[ND_OPT_OUTPUT] =
		{"output", 'o', "FILE", NULL,
		 "write to FILE, which appears only when it is complete; rules doc: to this directory",
		 false},
	[ND_OPT_RULES] = {"rules", 0, "DIR", NULL,
			  "rules that are added to those built in, or by name replace them", true},
	[ND_OPT_SET] = {"set", 0, "RULE.PARAM=VALUE", NULL,
			"another value for a threshold of a rule", true},
	[ND_OPT_SETTINGS] = {"settings", 0, "FILE", NULL,
			     "other values for thresholds, and more rules: a YAML file; by default "
			     "/etc/netdoctor/settings.yaml where there is one, /dev/null for none",
			     false},
	[ND_OPT_QUICK] = {"quick", 0, NULL, NULL,
			  "counters only, within 2s unless --duration is given", false},
	[ND_OPT_SAVE] =
		{"save", 0, "FILE", NULL,
		 "also keep what was measured in FILE, to be judged again with run --from FILE",
		 false},
	[ND_OPT_REDACT] = {"redact", 0, NULL, NULL,
			   "replace addresses and the names of hosts, users and interface aliases",
			   false},
	[ND_OPT_ONLY] = {"only", 0, "COLLECTOR", NULL, "only facts of this collector", true},
	[ND_OPT_JSON] = {"json", 0, NULL, NULL, "print JSON", false},
	[ND_OPT_STATS] = {"stats", 0, NULL, NULL, "what each collector read, and the time it took",
			  false},
	[ND_OPT_SCOPE] = {"scope", 0, "KIND", NULL,
			  "the kind of entity that the rule looks at, such as cpu or iface", false},
	[ND_OPT_FACT] = {"fact", 0, "FACT", NULL, "the fact that it asks about first", false},
	[ND_OPT_CAUSE] = {"cause", 0, "CAUSE", NULL,
			  "the cause that it concludes; by default the rule's name", false},
	[ND_OPT_BATCH] = {"batch", 0, NULL, NULL, "ask nothing, also on a terminal", false},
	[ND_OPT_FIX] = {"fix", 0, NULL, NULL,
			"mend what is mechanical, in place: misspelt names, missing quotes, blanks",
			false},
	[ND_OPT_STRICT] = {"strict", 0, NULL, NULL, "a warning counts as an error", false},
	[ND_OPT_QUIET] = {"quiet", 'q', NULL, NULL, "no progress, no warnings; errors only", false},
	[ND_OPT_VERBOSE] = {"verbose", 'v', NULL, NULL, "say more on stderr", false},
	[ND_OPT_NO_PROGRESS] = {"no-progress", 0, NULL, NULL,
				"no progress line, which is only shown on a terminal", false},
	[ND_OPT_COLOR] = {"color", 0, "WHEN", "auto",
			  "auto, always or never; no format has colours so far", false},
	[ND_OPT_HELP] = {"help", 'h', NULL, NULL, "how to use the command", false},
	[ND_OPT_VERSION] = {"version", 0, NULL, NULL, "the version", false},
};

void nd_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("netdoctor: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
}

int nd_usage_error(const struct nd_command *c, const char *fmt, ...)
{
	struct nd_buf usage = {0};
	va_list ap;

	va_start(ap, fmt);
	fputs("netdoctor: ", stderr);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	if (c)
		nd_usage(&usage, c);
	else
		nd_buf_puts(
			&usage,
			"usage: netdoctor COMMAND [OPTIONS]; netdoctor help lists the commands\n");
	fprintf(stderr, "\n%s", nd_buf_str(&usage));
	nd_buf_free(&usage);
	return ND_EXIT_USAGE;
}

/* ---- what was given ---- */

bool nd_opt_given(const struct nd_options *o, enum nd_opt opt)
{
	uint32_t i = 0;

	return nd_opt_next(o, opt, &i) != NULL;
}

const char *nd_opt_text(const struct nd_options *o, enum nd_opt opt)
{
	const char *last = nd_opt_rows[opt].value, *v;
	uint32_t i = 0;

	while ((v = nd_opt_next(o, opt, &i)))
		last = v;
	return last;
}

const char *nd_opt_next(const struct nd_options *o, enum nd_opt opt, uint32_t *i)
{
	while (*i < o->n_given) {
		const struct nd_given *g = &o->given[(*i)++];

		if (g->opt == opt)
			return g->value;
	}
	return NULL;
}

bool nd_parse_duration(const char *s, double *seconds)
{
	static const struct {
		const char *suffix;
		double factor;
	} units[] = {{"", 1}, {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"m", 60}, {"h", 3600}};
	size_t n = strspn(s, "0123456789.");
	char number[32];
	double v;

	if (n == 0 || n >= sizeof(number))
		return false;
	memcpy(number, s, n);
	number[n] = '\0';
	if (!nd_parse_f64(number, &v))
		return false;
	for (size_t i = 0; i < ND_ARRAY_LEN(units); i++) {
		if (strcmp(s + n, units[i].suffix) == 0 && v * units[i].factor <= DURATION_MAX_S) {
			*seconds = v * units[i].factor;
			return true;
		}
	}
	return false;
}

/* ---- commands ---- */

static const struct nd_command *find_command(const char *name)
{
	for (const struct nd_command *c = nd_commands; c->name; c++) {
		if (strcmp(c->name, name) == 0)
			return c;
	}
	return NULL;
}

/* "rules" of "rules list": is it the first word of commands with two? */
static bool is_group(const char *word)
{
	size_t n = strlen(word);

	for (const struct nd_command *c = nd_commands; c->name; c++) {
		if (strncmp(c->name, word, n) == 0 && c->name[n] == ' ')
			return true;
	}
	return false;
}

/* "unknown command 'rnu'; nearest is 'run'". within: only commands of this group, or "". */
static int unknown_command(const char *within, const char *word)
{
	const char *names[NAMES_MAX], *near;
	size_t n = 0, skip = *within ? strlen(within) + 1 : 0;

	for (const struct nd_command *c = nd_commands; c->name && n < NAMES_MAX; c++) {
		if (!skip || (nd_starts(c->name, within) && c->name[skip - 1] == ' '))
			names[n++] = c->name + skip;
	}
	if (!skip) {
		names[n++] = "rules";
		names[n++] = "facts";
	}
	near = nd_nearest(word, names, n);
	if (near)
		return nd_usage_error(NULL, "unknown command '%s%s%s'; nearest is '%s%s%s'", within,
				      skip ? " " : "", word, within, skip ? " " : "", near);
	return nd_usage_error(NULL, "unknown command '%s%s%s'", within, skip ? " " : "", word);
}

/* Cuts the command out of the operands that were collected so far. */
static int take_command(struct nd_options *o)
{
	char name[NAMES_MAX];
	uint32_t words = 1;

	if (o->n_args == 0)
		return nd_usage_error(NULL, "a command is missing");
	if (is_group(o->args[0])) {
		if (o->n_args < 2)
			return nd_usage_error(
				NULL, "'%s' needs a second word; netdoctor help %s lists them",
				o->args[0], o->args[0]);
		snprintf(name, sizeof(name), "%s %s", o->args[0], o->args[1]);
		words = 2;
	} else {
		snprintf(name, sizeof(name), "%s", o->args[0]);
	}
	o->command = find_command(name);
	if (!o->command)
		return words == 2 ? unknown_command(o->args[0], o->args[1])
				  : unknown_command("", o->args[0]);
	o->n_args -= words;
	memmove(o->args, o->args + words, o->n_args * sizeof(*o->args));
	return 0;
}

/* ---- options ---- */

static void give(struct nd_options *o, enum nd_opt opt, const char *value)
{
	ND_GROW(o->given, o->n_given, o->cap_given);
	o->given[o->n_given++] = (struct nd_given){opt, value};
}

static int unknown_option(const char *word, size_t len)
{
	const char *names[ND_OPTS], *near;
	char name[NAMES_MAX];

	for (int i = 0; i < ND_OPTS; i++)
		names[i] = nd_opt_rows[i].name;
	snprintf(name, sizeof(name), "%.*s", (int)(len < sizeof(name) ? len : sizeof(name) - 1),
		 word);
	near = nd_nearest(name, names, ND_OPTS);
	if (near)
		return nd_usage_error(NULL, "unknown option '--%s'; nearest is '--%s'", name, near);
	return nd_usage_error(NULL, "unknown option '--%s'", name);
}

/* argv[*i] is "--name", "--name=value"; the value may be the next word. */
static int take_long(struct nd_options *o, int argc, char **argv, int *i)
{
	const char *word = argv[*i] + 2, *eq = strchr(word, '=');
	size_t n = eq ? (size_t)(eq - word) : strlen(word);
	int opt = 0;

	while (opt < ND_OPTS &&
	       (strlen(nd_opt_rows[opt].name) != n || strncmp(nd_opt_rows[opt].name, word, n) != 0))
		opt++;
	if (opt == ND_OPTS)
		return unknown_option(word, n);
	if (!nd_opt_rows[opt].arg && eq)
		return nd_usage_error(NULL, "--%s takes no value", nd_opt_rows[opt].name);
	if (nd_opt_rows[opt].arg && !eq && *i + 1 >= argc)
		return nd_usage_error(NULL, "--%s needs %s", nd_opt_rows[opt].name,
				      nd_opt_rows[opt].arg);
	give(o, (enum nd_opt)opt, !nd_opt_rows[opt].arg ? "" : eq ? eq + 1 : argv[++*i]);
	return 0;
}

/* argv[*i] is "-q", "-qv", "-oFILE" or "-o". */
static int take_short(struct nd_options *o, int argc, char **argv, int *i)
{
	for (const char *p = argv[*i] + 1; *p; p++) {
		int opt = 0;

		while (opt < ND_OPTS && nd_opt_rows[opt].letter != *p)
			opt++;
		if (opt == ND_OPTS)
			return nd_usage_error(NULL, "unknown option '-%c'",
					      isprint((unsigned char)*p) ? *p : '?');
		if (!nd_opt_rows[opt].arg) {
			give(o, (enum nd_opt)opt, "");
			continue;
		}
		if (!p[1] && *i + 1 >= argc)
			return nd_usage_error(NULL, "-%c needs %s", *p, nd_opt_rows[opt].arg);
		give(o, (enum nd_opt)opt, p[1] ? p + 1 : argv[++*i]);
		break;
	}
	return 0;
}

/* Does the command take what was given, and as many operands? */
static int check_given(const struct nd_options *o)
{
	const struct nd_command *c = o->command;

	for (uint32_t i = 0; i < o->n_given; i++) {
		if (!((c->takes | ND_TAKES_ALWAYS) & ND_TAKES(o->given[i].opt)))
			return nd_usage_error(c, "%s does not take --%s", c->name,
					      nd_opt_rows[o->given[i].opt].name);
	}
	if (o->n_args < c->args_min)
		return nd_usage_error(c, "%s needs %s", c->name, c->args);
	if (o->n_args > c->args_max)
		return nd_usage_error(c, "%s: nothing was expected behind it, found '%s'", c->name,
				      o->args[c->args_max]);
	return 0;
}

static int check_values(const struct nd_options *o)
{
	static const char *const when[] = {"auto", "always", "never"};
	const char *color = nd_opt_text(o, ND_OPT_COLOR),
		   *duration = nd_opt_text(o, ND_OPT_DURATION);
	size_t i = 0;
	double seconds;

	while (i < ND_ARRAY_LEN(when) && strcmp(when[i], color) != 0)
		i++;
	if (i == ND_ARRAY_LEN(when))
		return nd_usage_error(o->command, "--color %s: expected auto, always or never",
				      color);
	if (!nd_parse_duration(duration, &seconds) || seconds < 0.1)
		return nd_usage_error(
			o->command,
			"--duration %s: expected a time from 100ms to 24h, such as 500ms, 5s, 1min",
			duration);
	return 0;
}

/* --help and --version win over whatever else is wrong with the line. */
static bool take_over(struct nd_options *o)
{
	if (nd_opt_given(o, ND_OPT_HELP))
		o->command = find_command("help");
	else if (nd_opt_given(o, ND_OPT_VERSION))
		o->command = find_command("version");
	return o->command != NULL;
}

int nd_opt_format(const struct nd_options *o, const char *const *names, size_t n)
{
	const char *want = nd_opt_text(o, ND_OPT_FORMAT), *near;
	struct nd_buf all = {0};

	for (size_t i = 0; i < n; i++) {
		if (!want || strcmp(names[i], want) == 0) {
			nd_buf_free(&all);
			return (int)i;
		}
		nd_buf_printf(&all, "%s%s", i == 0 ? "" : i + 1 < n ? ", " : " or ", names[i]);
	}
	near = nd_nearest(want, names, n);
	if (near)
		nd_usage_error(o->command, "unknown format '%s'; nearest is %s", want, near);
	else
		nd_usage_error(o->command, "unknown format '%s': expected %s", want,
			       nd_buf_str(&all));
	nd_buf_free(&all);
	return -1;
}

int nd_options_parse(struct nd_options *o, int argc, char **argv)
{
	bool only_args = false;
	int rc = 0;

	o->args = nd_alloc(((size_t)argc + 1) * sizeof(*o->args));
	for (int i = 1; i < argc && rc == 0; i++) {
		if (!only_args && strcmp(argv[i], "--") == 0)
			only_args = true;
		else if (!only_args && nd_starts(argv[i], "--"))
			rc = take_long(o, argc, argv, &i);
		else if (!only_args && argv[i][0] == '-' && argv[i][1])
			rc = take_short(o, argc, argv, &i);
		else
			o->args[o->n_args++] = argv[i];
	}
	if (rc || take_over(o))
		return rc;
	rc = take_command(o);
	if (rc == 0)
		rc = check_given(o);
	if (rc == 0)
		rc = check_values(o);
	if (rc == 0 && nd_opt_given(o, ND_OPT_QUIET))
		nd_log_level = ND_LOG_QUIET;
	else if (rc == 0 && nd_opt_given(o, ND_OPT_VERBOSE))
		nd_log_level = ND_LOG_INFO;
	return rc;
}

void nd_options_free(struct nd_options *o)
{
	free(o->given);
	free(o->args);
}
