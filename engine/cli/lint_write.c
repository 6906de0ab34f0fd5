/* Writes mended rule files. What is written is the file that was read: no link is followed, nothing that another user
 * could have put there is written by root, and the new text takes the old one's place at once. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/cli/cmd.h"
#include "engine/cli/lint.h"
#include "engine/rule/rules.h"

#define FILE_MAX (1024 * 1024)

struct mender {
	const struct nd_registry *registry;
	struct nd_lint_library *libraries; /* what the files may use */
	uint32_t n, cap;
	struct nd_arena arena;
	bool only_read; /* looks for libraries */
};

static int refuse(const char *path, const char *why)
{
	nd_error("--fix %s: %s", path, why);
	return ND_EXIT_INPUT;
}

/* ---- reading ---- */

/* The user behind sudo, or root when there is none. */
static uint64_t sudo_user(void)
{
	const char *text = getenv("SUDO_UID");
	uint64_t id;

	return text && nd_parse_u64(text, 10, &id) ? id : 0;
}

/* May root write what stands there? */
static const char *not_ours(const struct stat *st)
{
	if (geteuid() != 0)
		return NULL;
	if (st->st_uid != 0 && st->st_uid != sudo_user())
		return "belongs to another user: root does not write it";
	if (st->st_mode & S_IWOTH)
		return "can be written by everybody: root does not write it";
	return NULL;
}

/* 0 with the text, or a status. */
static int read_all(const char *path, struct stat *st, struct nd_buf *text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char chunk[16384];
	ssize_t n = 0;

	if (fd < 0)
		return refuse(path,
			      errno == ELOOP ? "is a link: give the file itself" : strerror(errno));
	if (fstat(fd, st) != 0 || !S_ISREG(st->st_mode)) {
		close(fd);
		return refuse(path, "is no file");
	}
	while (text->len <= FILE_MAX && (n = read(fd, chunk, sizeof(chunk))) > 0)
		nd_buf_put(text, chunk, (size_t)n);
	close(fd);
	if (n < 0)
		return refuse(path, "cannot be read");
	return text->len > FILE_MAX ? refuse(path, "is too long for a rule") : 0;
}

/* ---- writing ---- */

/* Beside the file, so that it can take its place. */
static int write_beside(const char *path, const struct stat *st, const struct nd_buf *text)
{
	char beside[PATH_MAX];
	int fd, rc;

	if ((size_t)snprintf(beside, sizeof(beside), "%s.XXXXXX", path) >= sizeof(beside))
		return refuse(path, "the name is too long");
	fd = mkostemp(beside, O_CLOEXEC);
	if (fd < 0)
		return refuse(path, strerror(errno));
	rc = nd_write_all(fd, text);
	if (rc == 0 && (st->st_uid != geteuid() || st->st_gid != getegid()) &&
	    fchown(fd, st->st_uid, st->st_gid) != 0)
		rc = -errno;
	if (rc == 0 && fchmod(fd, st->st_mode & 07777) != 0)
		rc = -errno;
	if (rc == 0 && fsync(fd) != 0)
		rc = -errno;
	if (close(fd) != 0 && rc == 0)
		rc = -errno;
	if (rc == 0 && rename(beside, path) != 0)
		rc = -errno;
	if (rc < 0) {
		unlink(beside);
		refuse(path, strerror(-rc));
		return ND_EXIT_OWN;
	}
	return 0;
}

static const char *folder_not_ours(const char *path)
{
	char folder[PATH_MAX];
	const char *slash = strrchr(path, '/');
	struct stat st;

	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path + 1) : 1,
		 slash ? path : ".");
	if (stat(folder, &st) != 0)
		return strerror(errno);
	if (st.st_mode & S_ISVTX) /* others cannot put a file of theirs in its place */
		st.st_mode &= ~(mode_t)S_IWOTH;
	return not_ours(&st)
		       ? "is in a folder that another user can write: root does not write there"
		       : NULL;
}

static int mend_file(struct mender *m, const char *path)
{
	struct nd_buf text = {0};
	const char *why;
	struct stat st;
	int status = read_all(path, &st, &text);
	uint32_t n;

	if (status == 0 && m->only_read) {
		ND_GROW(m->libraries, m->n, m->cap);
		m->libraries[m->n++] = (struct nd_lint_library){
			nd_arena_strdup(&m->arena, path),
			nd_arena_strndup(&m->arena, nd_buf_str(&text), text.len), text.len};
	} else if (status == 0) {
		n = nd_lint_fix(m->registry, m->libraries, m->n, path, &text);
		why = n ? not_ours(&st) : NULL;
		why = n && !why ? folder_not_ours(path) : why;
		if (why)
			status = refuse(path, why);
		else if (n)
			status = write_beside(path, &st, &text);
		if (n && status == 0)
			fprintf(stderr, "%s: mended %u place%s\n", path, n, n == 1 ? "" : "s");
	}
	nd_buf_free(&text);
	return status;
}

/* ---- folders ---- */

static int is_rule_file(const struct dirent *d)
{
	return d->d_name[0] != '.' && nd_ends(d->d_name, ".yaml");
}

static int mend_folder(struct mender *m, const char *folder)
{
	struct dirent **names;
	int n = scandir(folder, &names, is_rule_file, alphasort), status = 0;

	if (n < 0)
		return refuse(folder, strerror(errno));
	for (int i = 0; i < n; i++) {
		char path[PATH_MAX];

		if (status == 0 && (size_t)snprintf(path, sizeof(path), "%s/%s", folder,
						    names[i]->d_name) < sizeof(path))
			status = mend_file(m, path);
		free(names[i]);
	}
	free(names);
	return status;
}

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* lib/ of a folder: its libraries are read before anything is mended. */
static int mend_path(struct mender *m, const char *path)
{
	char lib[PATH_MAX];
	int status = 0;

	if (!is_folder(path))
		return m->only_read ? 0 : mend_file(m, path);
	snprintf(lib, sizeof(lib), "%s/lib", path);
	if (is_folder(lib))
		status = mend_folder(m, lib);
	return status || m->only_read ? status : mend_folder(m, path);
}

int nd_lint_mend(const struct nd_registry *registry, const char *const *paths, uint32_t n)
{
	struct mender m = {.registry = registry};
	int status = 0;

	for (const struct nd_rules_file *b = nd_rules_builtin; b->path; b++) {
		if (!strstr(b->path, "/lib/"))
			continue;
		ND_GROW(m.libraries, m.n, m.cap);
		m.libraries[m.n++] = (struct nd_lint_library){b->path, b->text, b->len};
	}
	for (unsigned pass = 0; pass < 2; pass++) {
		m.only_read = pass == 0;
		for (uint32_t i = 0; i < n && status == 0; i++)
			status = mend_path(&m, paths[i]);
	}
	free(m.libraries);
	nd_arena_free(&m.arena);
	return status;
}
