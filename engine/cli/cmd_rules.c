/* rules list, show, test, lint: for those who read and write rules. */
#include <errno.h>

#include "engine/cli/cmd.h"
#include "engine/cli/session.h"
#include "engine/judge/judge.h"

#define NAMES_MAX 256

int nd_cmd_rules_list(const struct nd_options *o, struct nd_buf *out)
{
	struct nd_session s;
	int status;

	nd_session_begin(&s);
	status = nd_session_rules_trusted(&s, o);
	for (uint32_t i = 0; status == 0 && i < nd_rules_count(s.rules); i++)
		nd_buf_printf(out, "%-24s %s\n", nd_rules_name(s.rules, i),
			      nd_rules_title(s.rules, i));
	nd_session_end(&s);
	return status;
}

/* Is the rule from one of these files or directories? Without any, all are meant. */
static bool is_from(const char *path, const char *const *dirs, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		size_t len = strlen(dirs[i]);

		if (nd_starts(path, dirs[i]) &&
		    (path[len] == '\0' || path[len] == '/' || (len && path[len - 1] == '/')))
			return true;
	}
	return n == 0;
}

static int put_file(const char *path, struct nd_buf *out)
{
	char chunk[16384];
	FILE *f = fopen(path, "re");
	size_t n;

	if (!f) {
		nd_error("%s: %s", path, strerror(errno));
		return ND_EXIT_INPUT;
	}
	while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
		nd_buf_put(out, chunk, n);
	fclose(f);
	return 0;
}

/* The text of a rule: of the file below --rules, or the one that was compiled in. */
static int put_rule(const struct nd_options *o, const char *path, struct nd_buf *out)
{
	const char *dir;
	uint32_t i = 0;

	while ((dir = nd_opt_next(o, ND_OPT_RULES, &i))) {
		if (is_from(path, &dir, 1))
			return put_file(path, out);
	}
	for (const struct nd_rules_file *b = nd_rules_builtin; b->path; b++) {
		if (strcmp(b->path, path) == 0)
			nd_buf_put(out, b->text, b->len);
	}
	return 0;
}

static int unknown_rule(const struct nd_rules *rules, const char *name)
{
	const char *names[NAMES_MAX], *near;
	uint32_t n = 0;

	while (n < nd_rules_count(rules) && n < NAMES_MAX) {
		names[n] = nd_rules_name(rules, n);
		n++;
	}
	near = nd_nearest(name, names, n);
	nd_error("there is no rule '%s'%s%s", name, near ? "; nearest is " : "",
		 near ? near : "; netdoctor rules list shows all");
	return ND_EXIT_USAGE;
}

int nd_cmd_rules_show(const struct nd_options *o, struct nd_buf *out)
{
	struct nd_session s;
	uint32_t i = 0;
	int status;

	nd_session_begin(&s);
	status = nd_session_rules_trusted(&s, o);
	if (status == 0) {
		while (i < nd_rules_count(s.rules) &&
		       strcmp(nd_rules_name(s.rules, i), o->args[0]) != 0)
			i++;
		status = i == nd_rules_count(s.rules) ? unknown_rule(s.rules, o->args[0])
						      : put_rule(o, nd_rules_path(s.rules, i), out);
	}
	nd_session_end(&s);
	return status;
}

int nd_cmd_rules_test(const struct nd_options *o, struct nd_buf *out)
{
	uint32_t passed = 0, failed = 0;
	struct nd_session s;
	int status;

	nd_session_begin(&s);
	status = nd_session_rules(&s, o, o->args, o->n_args, false);
	for (uint32_t i = 0; status == 0 && i < nd_rules_count(s.rules); i++) {
		if (is_from(nd_rules_path(s.rules, i), o->args, o->n_args))
			nd_ruletest(s.rules, nd_rules_name(s.rules, i),
				    nd_opt_given(o, ND_OPT_VERBOSE), out, &passed, &failed);
	}
	if (status == 0)
		nd_buf_printf(out, "%u passed, %u failed\n", passed, failed);
	nd_session_end(&s);
	return failed ? ND_EXIT_INPUT : status;
}

int nd_cmd_rules_lint(const struct nd_options *o, struct nd_buf *out)
{
	struct nd_session s;
	uint32_t n = 0;
	int status;

	nd_session_begin(&s);
	status = nd_session_rules(&s, o, o->args, o->n_args, true);
	for (uint32_t i = 0; i < nd_rules_count(s.rules); i++)
		n += is_from(nd_rules_path(s.rules, i), o->args, o->n_args);
	if (status == 0)
		nd_buf_printf(out, "%u rules without mistakes\n", n);
	nd_session_end(&s);
	return status;
}
