/* Loads rules for a command, and refuses those that anybody could have written when we run as root.
 *
 * A report prints commands from rules for its reader to paste into a root shell. */
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/cli/cmd.h"
#include "engine/cli/session.h"

#define PATH_BYTES 4096
#define SETTINGS "/etc/netdoctor/settings.yaml" /* where there is one, and none is named */

/* The user behind sudo, or root when there is none. */
static uint64_t sudo_id(const char *variable)
{
	const char *text = getenv(variable);
	uint64_t id;

	return text && nd_parse_u64(text, 10, &id) ? id : 0;
}

/* what: the option that names the path. */
static bool is_safe(const char *what, const char *path)
{
	const char *why = NULL;
	struct stat st;

	if (stat(path, &st) != 0) {
		nd_error("%s %s: %s", what, path, strerror(errno));
		return false;
	}
	if (st.st_uid != 0 && st.st_uid != sudo_id("SUDO_UID"))
		why = "belongs neither to root nor to the user of sudo";
	else if (st.st_mode & S_IWOTH)
		why = "can be written by everybody";
	else if ((st.st_mode & S_IWGRP) && st.st_gid != 0 && st.st_gid != sudo_id("SUDO_GID"))
		why = "can be written by its group";
	if (why && S_ISCHR(st.st_mode)) /* /dev/null */
		why = NULL;
	if (why)
		nd_error(
			"%s %s: %s; root does not use such rules, since reports print their commands",
			what, path, why);
	return !why;
}

/* A file, or a directory with all its rules, to one level of lib/. */
static bool all_safe(const char *what, const char *path, bool into_lib)
{
	char inside[PATH_BYTES];
	const struct dirent *d;
	struct stat st;
	bool safe = is_safe(what, path);
	DIR *dir;

	if (!safe || stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
		return safe;
	dir = opendir(path);
	if (!dir) {
		nd_error("%s %s: %s", what, path, strerror(errno));
		return false;
	}
	while (safe && (d = readdir(dir))) {
		if ((size_t)snprintf(inside, sizeof(inside), "%s/%s", path, d->d_name) >=
		    sizeof(inside))
			safe = false;
		else if (nd_ends(d->d_name, ".yaml"))
			safe = is_safe(what, inside);
		else if (into_lib && strcmp(d->d_name, "lib") == 0)
			safe = all_safe(what, inside, false);
	}
	closedir(dir);
	return safe;
}

/* Rules are being gathered: from the program, the settings file, the command line. */
struct gathering {
	struct nd_rules *rules;
	const struct nd_options *o;
	struct nd_buf *messages;
	bool careful; /* what others could have written is refused */
	int errors;
};

/* 0, or the status to exit with, message printed. */
static int add_dir(struct gathering *g, const char *what, const char *dir)
{
	struct nd_err e;
	int rc;

	if (g->careful && geteuid() == 0 && !all_safe(what, dir, true))
		return ND_EXIT_INPUT;
	rc = nd_rules_add_dir(g->rules, dir, g->messages, &e);
	if (rc < 0) {
		nd_error("rules: %s", e.msg);
		return ND_EXIT_INPUT;
	}
	g->errors += rc;
	return 0;
}

/* The settings file, and the rules it names; a relative path begins where the file is. */
static int add_settings(struct gathering *g)
{
	const char *given = nd_opt_text(g->o, ND_OPT_SETTINGS), *path = given ? given : SETTINGS;
	const char *slash = strrchr(path, '/');
	struct nd_settings settings;
	struct nd_buf text = {0};
	struct nd_err e;
	int rc, status = 0;

	if (!given && access(path, F_OK) != 0)
		return 0;
	if (g->careful && geteuid() == 0 && !is_safe("--settings", path))
		return ND_EXIT_INPUT;
	rc = nd_rules_read_file(path, &text, &e);
	if (rc == 0) {
		g->errors += nd_rules_add_settings(g->rules, path, nd_buf_str(&text), text.len,
						   &settings, g->messages);
		for (uint32_t i = 0; i < settings.n_rules && status == 0; i++) {
			char dir[PATH_BYTES];

			snprintf(dir, sizeof(dir), "%.*s%s",
				 *settings.rules[i] == '/' || !slash ? 0 : (int)(slash - path) + 1,
				 path, settings.rules[i]);
			status = add_dir(g, "--settings", dir);
		}
	} else {
		nd_error("--settings %s", e.msg);
		status = ND_EXIT_INPUT;
	}
	nd_buf_free(&text);
	return status;
}

static int add_all(struct gathering *g, const char *const *dirs, uint32_t n)
{
	const char *set;
	struct nd_err e;
	uint32_t i = 0;
	int status = 0;

	for (const struct nd_rules_file *b = nd_rules_builtin; b->path; b++)
		g->errors += nd_rules_add_text(g->rules, b->path, b->text, b->len, g->messages);
	if (g->o->command->takes & ND_TAKES(ND_OPT_SETTINGS))
		status = add_settings(g);
	for (uint32_t k = 0; k < n && status == 0; k++)
		status = add_dir(g, "--rules", dirs[k]);
	while (status == 0 && (set = nd_opt_next(g->o, ND_OPT_SET, &i))) {
		if (nd_rules_set(g->rules, set, &e) < 0)
			status = nd_usage_error(g->o->command, "%s", e.msg);
	}
	if (status)
		return status;
	g->errors += nd_rules_check(g->rules, g->messages);
	return g->errors ? ND_EXIT_INPUT : 0;
}

int nd_session_load(struct nd_session *s, const struct nd_options *o, const char *const *dirs,
		    uint32_t n, struct nd_buf *messages)
{
	struct gathering g = {.o = o, .messages = messages};

	s->rules = g.rules = nd_rules_new(s->registry);
	return add_all(&g, dirs, n);
}

static int load_and_say(struct nd_session *s, struct gathering *g, const char *const *dirs,
			uint32_t n, bool warnings)
{
	struct nd_buf messages = {0};
	int status;

	s->rules = g->rules = nd_rules_new(s->registry);
	g->messages = &messages;
	status = add_all(g, dirs, n);
	if (status || warnings)
		fputs(nd_buf_str(&messages), stderr);
	g->messages = NULL;
	nd_buf_free(&messages);
	return status;
}

int nd_session_rules(struct nd_session *s, const struct nd_options *o, const char *const *dirs,
		     uint32_t n, bool warnings)
{
	struct gathering g = {.o = o};

	return load_and_say(s, &g, dirs, n, warnings);
}

int nd_session_rules_trusted(struct nd_session *s, const struct nd_options *o)
{
	const char **dirs = nd_alloc((o->n_given + 1) * sizeof(*dirs));
	struct gathering g = {.o = o, .careful = true};
	uint32_t n = 0, i = 0;
	int status;

	while ((dirs[n] = nd_opt_next(o, ND_OPT_RULES, &i)))
		n++;
	status = load_and_say(s, &g, dirs, n, nd_log_level >= ND_LOG_INFO);
	free(dirs);
	return status;
}
