/* Lists the files below a folder, with all that their names tell; contents are not read here.
 *
 * Links are resolved while walking and what leads out of the folder is listed as refused, so that
 * the report can name it. Fifos and devices are listed as refused too and never opened. */
#include "engine/core/source_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX 12
#define PATH_BYTES 4096

/* Where a walk is. */
struct place {
	const char *root; /* real path */
	const char *real; /* of this folder */
	const char *rel; /* "" or with a slash at its end */
	unsigned depth;
	bool linked; /* below a link: no other is followed */
	bool in_top; /* below a copy of /proc or /sys */
};

bool nd_is_inside(const char *path, const char *root)
{
	size_t n = strlen(root);

	return strncmp(path, root, n) == 0 &&
	       (path[n] == '/' || !path[n] || strcmp(root, "/") == 0);
}

/* rel without the "self/" of proc/self/net. */
static const char *as_tree(struct nd_tree *t, const char *rel)
{
	const char *at = strstr(rel, "proc/self/net/");

	if (!at || (at != rel && at[-1] != '/'))
		return rel;
	return nd_arena_printf(&t->arena, "%.*sproc/%s", (int)(at - rel), rel,
			       at + strlen("proc/self/"));
}

struct nd_file *nd_tree_file(struct nd_tree *t, const char *rel)
{
	const char *slash = strrchr(rel, '/');
	struct nd_stem stem;
	struct nd_file *x;

	ND_GROW(t->files, t->n_files, t->cap_files);
	x = &t->files[t->n_files++];
	memset(x, 0, sizeof(*x));
	nd_stem_of(slash ? slash + 1 : rel, &stem);
	x->id = t->n_ids++;
	x->rel = nd_arena_strdup(&t->arena, rel);
	x->tree = as_tree(t, x->rel);
	x->stem = nd_arena_strdup(&t->arena, stem.name);
	x->t_ns = stem.t_ns;
	x->interval = stem.interval;
	x->root = t->n_roots;
	x->why = ND_PRESENT;
	return x;
}

void nd_tree_refuse(struct nd_tree *t, struct nd_file *x, enum nd_missing why, const char *what)
{
	x->real = NULL;
	x->why = why;
	x->detail = nd_arena_printf(&t->arena, "%s: %s", x->rel, what);
}

/* A regular file, or the reason why this one is not read. real is without links, st is its state.
 */
static void add_regular(struct nd_tree *t, const char *rel, const char *real, const struct stat *st,
			bool linked)
{
	struct nd_file *x = nd_tree_file(t, rel);

	x->real = nd_arena_strdup(&t->arena, real);
	x->dev = st->st_dev;
	x->ino = st->st_ino;
	x->linked = linked;
	if (!S_ISREG(st->st_mode))
		nd_tree_refuse(t, x, ND_NOT_SAMPLED, "not a regular file");
}

static void add_top(struct nd_tree *t, bool is_proc, const char *real, const char *root)
{
	ND_GROW(t->tops, t->n_tops, t->cap_tops);
	t->tops[t->n_tops++] = (struct nd_top){is_proc ? "/proc" : "/sys", real, root};
}

static void walk(struct nd_tree *t, const struct place *p);

static void walk_into(struct nd_tree *t, const struct place *p, const char *name, const char *real,
		      bool linked)
{
	const bool is_proc = strcmp(name, "proc") == 0, is_sys = strcmp(name, "sys") == 0;
	char rel[PATH_BYTES];
	struct place q = *p;

	if ((size_t)snprintf(rel, sizeof(rel), "%s%s/", p->rel, name) >= sizeof(rel))
		return;
	if (p->depth + 1 > DEPTH_MAX) {
		nd_warn("%s: deeper than %d folders, not read", rel, DEPTH_MAX);
		return;
	}
	if ((is_proc || is_sys) && !p->in_top) {
		add_top(t, is_proc, nd_arena_strdup(&t->arena, real), p->root);
		q.in_top = true;
	}
	q.rel = rel;
	q.real = real;
	q.depth++;
	q.linked = p->linked || linked;
	walk(t, &q);
}

/* Links to folders that a copied tree needs: /sys/class/net/NAME and /proc/net. All others would
 * only lead to the same files again, in sysfs many times over. */
static bool is_wanted_link(const struct place *p, const char *name)
{
	return !p->linked && (nd_ends(p->rel, "class/net/") ||
			      (strcmp(name, "net") == 0 && nd_ends(p->rel, "proc/")));
}

static void walk_link(struct nd_tree *t, const struct place *p, const char *name, const char *path,
		      const char *rel)
{
	char real[PATH_MAX];
	struct stat st;

	if (!realpath(path, real) || stat(real, &st) != 0) {
		nd_tree_refuse(t, nd_tree_file(t, rel), ND_NOT_SAMPLED, "link leads to nothing");
		return;
	}
	if (!nd_is_inside(real, p->root)) {
		nd_tree_refuse(t, nd_tree_file(t, rel), ND_NOT_SAMPLED,
			       "link leads out of the folder, not followed");
		return;
	}
	if (!S_ISDIR(st.st_mode))
		add_regular(t, rel, real, &st, true);
	else if (is_wanted_link(p, name))
		walk_into(t, p, name, real, true);
}

static void walk_entry(struct nd_tree *t, const struct place *p, const char *name)
{
	char path[PATH_BYTES], rel[PATH_BYTES];
	struct stat st;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", p->real, name) >= sizeof(path) ||
	    (size_t)snprintf(rel, sizeof(rel), "%s%s", p->rel, name) >= sizeof(rel) ||
	    lstat(path, &st) != 0)
		return;
	if (S_ISLNK(st.st_mode))
		walk_link(t, p, name, path, rel);
	else if (S_ISDIR(st.st_mode))
		walk_into(t, p, name, path, false);
	else
		add_regular(t, rel, path, &st, p->linked);
}

static void walk(struct nd_tree *t, const struct place *p)
{
	int fd = open(p->real, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char **names = NULL;
	int n = fd < 0 ? -errno : nd_names_of_fd(fd, ND_NAMES_MAX, &names);

	if (n < 0)
		nd_warn("%s: %s", p->rel[0] ? p->rel : p->real, strerror(-n));
	for (int i = 0; names && i < n; i++) {
		if (t->n_files >= ND_FILES_MAX) {
			if (!t->full)
				nd_warn("%s: more than %d files, the rest is not read", p->root,
					ND_FILES_MAX);
			t->full = true;
			break;
		}
		walk_entry(t, p, names[i]);
	}
	if (n > 0)
		nd_source_names_free(names, n);
}

static int add_folder(struct nd_tree *t, const char *path, const char *real, struct nd_err *e)
{
	struct place p = {.root = nd_arena_strdup(&t->arena, real), .real = real, .rel = ""};
	const char *base = strrchr(real, '/') + 1;
	int fd = open(real, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0) {
		int rc = -errno;

		return nd_fail(e, rc, "%s: %s", path, strerror(-rc));
	}
	close(fd);
	p.in_top = strcmp(base, "proc") == 0 || strcmp(base, "sys") == 0;
	if (p.in_top)
		add_top(t, base[0] == 'p', p.root, p.root);
	walk(t, &p);
	return 0;
}

int nd_tree_add(struct nd_tree *t, const char *path, struct nd_err *e)
{
	const char *slash = strrchr(path, '/');
	char real[PATH_MAX];
	struct stat st;

	if (!realpath(path, real) || stat(real, &st) != 0) {
		int rc = -errno;

		return nd_fail(e, rc, "%s: %s", path, strerror(-rc));
	}
	t->n_roots++;
	if (S_ISDIR(st.st_mode))
		return add_folder(t, path, real, e);
	add_regular(t, slash ? slash + 1 : path, real, &st, false);
	t->files[t->n_files - 1].given = nd_arena_strdup(&t->arena, path);
	return 0;
}

void nd_tree_free(struct nd_tree *t)
{
	nd_arena_free(&t->arena);
	free(t->files);
	free(t->tops);
	free(t->links);
	free(t->remarks);
}
