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

/* The user behind sudo, or root when there is none. */
static uint64_t sudo_id(const char *variable)
{
	const char *text = getenv(variable);
	uint64_t id;

	return text && nd_parse_u64(text, 10, &id) ? id : 0;
}

static bool is_safe(const char *path)
{
	const char *why = NULL;
	struct stat st;

	if (stat(path, &st) != 0) {
		nd_error("--rules %s: %s", path, strerror(errno));
		return false;
	}
	if (st.st_uid != 0 && st.st_uid != sudo_id("SUDO_UID"))
		why = "belongs neither to root nor to the user of sudo";
	else if (st.st_mode & S_IWOTH)
		why = "can be written by everybody";
	else if ((st.st_mode & S_IWGRP) && st.st_gid != 0 && st.st_gid != sudo_id("SUDO_GID"))
		why = "can be written by its group";
	if (why)
		nd_error(
			"--rules %s: %s; root does not use such rules, since reports print their commands",
			path, why);
	return !why;
}

/* A file, or a directory with all its rules, to one level of lib/. */
static bool all_safe(const char *path, bool into_lib)
{
	char inside[PATH_BYTES];
	const struct dirent *d;
	struct stat st;
	bool safe = is_safe(path);
	DIR *dir;

	if (!safe || stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
		return safe;
	dir = opendir(path);
	if (!dir) {
		nd_error("--rules %s: %s", path, strerror(errno));
		return false;
	}
	while (safe && (d = readdir(dir))) {
		if ((size_t)snprintf(inside, sizeof(inside), "%s/%s", path, d->d_name) >=
		    sizeof(inside))
			safe = false;
		else if (nd_ends(d->d_name, ".yaml"))
			safe = is_safe(inside);
		else if (into_lib && strcmp(d->d_name, "lib") == 0)
			safe = all_safe(inside, false);
	}
	closedir(dir);
	return safe;
}

static int add_all(struct nd_rules *rules, const struct nd_options *o, const char *const *dirs,
		   uint32_t n, struct nd_buf *messages)
{
	const char *set;
	struct nd_err e;
	uint32_t i = 0;
	int errors = 0;

	for (const struct nd_rules_file *b = nd_rules_builtin; b->path; b++)
		errors += nd_rules_add_text(rules, b->path, b->text, b->len, messages);
	for (uint32_t k = 0; k < n; k++) {
		int rc = nd_rules_add_dir(rules, dirs[k], messages, &e);

		if (rc < 0) {
			nd_error("rules: %s", e.msg);
			return ND_EXIT_INPUT;
		}
		errors += rc;
	}
	while ((set = nd_opt_next(o, ND_OPT_SET, &i))) {
		if (nd_rules_set(rules, set, &e) < 0)
			return nd_usage_error(o->command, "%s", e.msg);
	}
	errors += nd_rules_check(rules, messages);
	return errors ? ND_EXIT_INPUT : 0;
}

int nd_session_load(struct nd_session *s, const struct nd_options *o, const char *const *dirs,
		    uint32_t n, struct nd_buf *messages)
{
	s->rules = nd_rules_new(s->registry);
	return add_all(s->rules, o, dirs, n, messages);
}

int nd_session_rules(struct nd_session *s, const struct nd_options *o, const char *const *dirs,
		     uint32_t n, bool warnings)
{
	struct nd_buf messages = {0};
	int status = nd_session_load(s, o, dirs, n, &messages);

	if (status || warnings)
		fputs(nd_buf_str(&messages), stderr);
	nd_buf_free(&messages);
	return status;
}

int nd_session_rules_trusted(struct nd_session *s, const struct nd_options *o)
{
	const char **dirs = nd_alloc((o->n_given + 1) * sizeof(*dirs));
	bool safe = true;
	uint32_t n = 0, i = 0;
	int status;

	while ((dirs[n] = nd_opt_next(o, ND_OPT_RULES, &i)))
		n++;
	for (uint32_t k = 0; k < n && safe && geteuid() == 0; k++)
		safe = all_safe(dirs[k], true);
	status =
		safe ? nd_session_rules(s, o, dirs, n, nd_log_level >= ND_LOG_INFO) : ND_EXIT_INPUT;
	free(dirs);
	return status;
}
