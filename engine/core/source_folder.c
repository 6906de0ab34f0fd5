/* Recorded files: a copied /proc and /sys, a sosreport, or a flat folder of tool outputs.
 *
 * The folder is walked once and only names are kept; contents are opened when a pattern asks, one
 * at a time. Nothing outside the folder is ever opened: links are resolved first, and what is then
 * opened must still be the file that was seen. Fifos and devices are never opened at all. */
#include "engine/core/confine_impl.h"
#include "engine/core/source_impl.h"
#include "engine/core/source_like.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES 4096
#define ARG_BYTES 512
#define SNIFF_BYTES 4096 /* a NUL within so many bytes makes a file binary */

struct folder {
	struct nd_source base;
	struct nd_tree tree; /* its files in order of time, then path */
	const char **unused;
};

static const struct nd_source_ops folder_ops;

static struct folder *folder_of(struct nd_source *s)
{
	return (struct folder *)s;
}

static int by_time(const void *a, const void *b)
{
	const struct nd_file *x = a, *y = b;

	if (x->t_ns != y->t_ns)
		return x->t_ns < y->t_ns ? -1 : 1;
	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	if (strcmp(x->rel, y->rel) != 0)
		return nd_natural_cmp(x->rel, y->rel);
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static void sort(struct nd_tree *t)
{
	if (t->n_files > 1)
		qsort(t->files, t->n_files, sizeof(*t->files), by_time);
}

int nd_source_folder_add(struct nd_source *s, const char *path, struct nd_err *e)
{
	struct nd_tree *t = &folder_of(s)->tree;
	int rc = nd_tree_add(t, path, e);

	sort(t);
	return rc;
}

/* ---- reading ---- */

/* Opens the very file that the walk saw. Negative errno. */
static int open_here(const struct nd_file *x)
{
	int fd = open(x->real, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) != 0 || st.st_dev != x->dev || st.st_ino != x->ino ||
	    !S_ISREG(st.st_mode)) {
		close(fd);
		return -ESTALE;
	}
	return fd;
}

/* The same, also where only the parent may open. */
static int open_seen(const struct nd_file *x)
{
	return nd_is_confined() ? nd_confined_open(x->id) : open_here(x);
}

/* What the beginning of a file shows to be wrong with it; ND_PRESENT: nothing. */
static enum nd_missing judge_head(const char *head, size_t n, const char **what)
{
	*what = n ? "binary data" : "empty file";
	if (n == 0)
		return ND_TRUNCATED;
	return memchr(head, '\0', n < SNIFF_BYTES ? n : SNIFF_BYTES) ? ND_PARSE_ERROR : ND_PRESENT;
}

static enum nd_missing sniff(int fd, const char **what)
{
	char head[SNIFF_BYTES];
	ssize_t n = pread(fd, head, sizeof(head), 0);

	if (n < 0) {
		*what = strerror(errno);
		return nd_missing_of(-errno);
	}
	return judge_head(head, (size_t)n, what);
}

/* The descriptor of a file that can be parsed, or -1 and x->why says why there is none. */
static int open_text(struct nd_tree *t, struct nd_file *x)
{
	enum nd_missing why;
	const char *what;
	int fd;

	if (x->why != ND_PRESENT)
		return -1;
	fd = open_seen(x);
	if (fd < 0) {
		nd_tree_refuse(t, x, nd_missing_of(fd), strerror(-fd));
		return -1;
	}
	why = x->binary ? ND_PRESENT : sniff(fd, &what);
	if (why == ND_PRESENT)
		return fd;
	close(fd);
	nd_tree_refuse(t, x, why, what);
	return -1;
}

static bool matches(const struct nd_file *x, const char *pattern, char *arg, size_t size)
{
	arg[0] = '\0';
	if (x->split)
		return false;
	if (x->as)
		return strcmp(x->as, pattern) == 0;
	if (x->tool)
		return pattern[0] != '/' && nd_match_tool(pattern, x->stem, arg, size);
	if (pattern[0] == '/' && x->given &&
	    nd_match_file(pattern, x->given, x->stem, true, arg, size))
		return true;
	if (pattern[0] == '/')
		return nd_match_file(pattern, x->tree, x->stem, false, arg, size);
	return nd_match_tool(pattern, x->stem, arg, size);
}

/* Was the same file handed out under another name for this pattern? A hard link is a recording of
 * its own (a second moment that looked the same), a symbolic link is not. */
static bool is_repeated(const struct folder *f, const uint32_t *taken, uint32_t n,
			const struct nd_file *x)
{
	for (uint32_t i = 0; x->real && i < n; i++) {
		const struct nd_file *y = &f->tree.files[taken[i]];

		if (y->real && y->ino == x->ino && y->dev == x->dev && y->t_ns == x->t_ns &&
		    (x->linked || y->linked))
			return true;
	}
	return false;
}

static void hand_out_text(struct nd_tree *t, struct nd_file *x, const struct nd_input *in,
			  nd_input_fn *fn, void *ctx, const struct nd_bad_input *bad)
{
	const char *what;
	enum nd_missing why = x->binary ? ND_PRESENT : judge_head(x->text, x->len, &what);

	if (why == ND_PRESENT)
		nd_hand_out_text(in, x->text, x->len, fn, ctx, bad);
	else
		nd_report_bad(bad, in->path, why,
			      nd_arena_printf(&t->arena, "%s: %s", in->path, what));
}

static int folder_each(struct nd_source *s, const struct nd_read *r, nd_input_fn *fn, void *ctx,
		       const struct nd_bad_input *bad)
{
	struct folder *f = folder_of(s);
	uint32_t *taken = NULL;
	uint32_t n = 0, cap = 0;
	char arg[ARG_BYTES];

	for (uint32_t i = 0; i < f->tree.n_files; i++) {
		struct nd_file *x = &f->tree.files[i];
		struct nd_input in = {.path = x->shown ? x->shown : x->rel,
				      .t_ns = x->t_ns,
				      .interval = x->interval,
				      .untimed = x->untimed,
				      .filtered = x->filtered,
				      .netns = x->netns ? x->netns : "host"};
		int fd;

		if (!matches(x, r->what, arg, sizeof(arg)))
			continue;
		x->used = true;
		if (is_repeated(f, taken, n, x))
			continue;
		ND_GROW(taken, n, cap);
		taken[n++] = i;
		in.arg = x->arg ? x->arg : arg[0] ? arg : NULL;
		if (x->text) {
			hand_out_text(&f->tree, x, &in, fn, ctx, bad);
			continue;
		}
		fd = open_text(&f->tree, x);
		if (fd < 0)
			nd_report_bad(bad, x->rel, x->why, x->detail);
		else
			nd_hand_out(&in, fd, fn, ctx, bad);
	}
	free(taken);
	return (int)n;
}

int nd_source_open_id(struct nd_source *s, uint32_t id)
{
	const struct nd_tree *t = &folder_of(s)->tree;

	for (uint32_t i = 0; s->ops == &folder_ops && i < t->n_files; i++)
		if (t->files[i].id == id && t->files[i].why == ND_PRESENT && !t->files[i].text)
			return open_here(&t->files[i]);
	return -ENOENT;
}

/* ---- joins over a copied tree ---- */

/* The real path of a logical one within the i-th copied tree that holds it; false if none does.
 * keep_last leaves a link at the end as it is. */
static bool find_in_tops(const struct folder *f, const char *path, bool keep_last, char *out)
{
	for (uint32_t i = 0; i < f->tree.n_tops; i++) {
		const struct nd_top *t = &f->tree.tops[i];
		size_t n = strlen(t->prefix);
		char joined[PATH_BYTES], last[NAME_MAX + 2] = "";
		char *slash;

		if (strncmp(path, t->prefix, n) != 0 || (path[n] && path[n] != '/') ||
		    (size_t)snprintf(joined, sizeof(joined), "%s%s", t->real, path + n) >=
			    sizeof(joined))
			continue;
		slash = strrchr(joined, '/');
		if (keep_last && slash) {
			if ((size_t)snprintf(last, sizeof(last), "%s", slash) >= sizeof(last))
				continue;
			*slash = '\0';
		}
		if (!realpath(joined, out) || !nd_is_inside(out, t->root) ||
		    strlen(out) + strlen(last) >= PATH_MAX)
			continue;
		memcpy(out + strlen(out), last, strlen(last) + 1);
		return true;
	}
	return false;
}

static int folder_text(struct nd_source *s, const char *path, char *out, size_t size)
{
	struct folder *f = folder_of(s);
	char real[PATH_MAX], arg[ARG_BYTES];
	struct stat st;
	int fd;

	for (uint32_t i = f->tree.n_files;
	     path[0] == '/' && i-- > 0;) { /* the latest moment first */
		struct nd_file *x = &f->tree.files[i];

		if (x->split || x->tool ||
		    !nd_match_file(path, x->tree, x->stem, true, arg, sizeof(arg)))
			continue;
		x->used = true;
		if (x->text)
			return nd_text_of_memory(x->text, x->len, out, size);
		fd = open_text(&f->tree, x);
		if (fd >= 0)
			return nd_text_of_fd(fd, out, size);
		return x->why == ND_NO_PERMISSION ? -EACCES : x->why == ND_TRUNCATED ? 0 : -EINVAL;
	}
	if (!find_in_tops(f, path, false, real) || stat(real, &st) != 0 || !S_ISREG(st.st_mode))
		return -ENOENT;
	fd = open(real, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
	return fd < 0 ? -errno : nd_text_of_fd(fd, out, size);
}

static int folder_link(struct nd_source *s, const char *path, char *out, size_t size)
{
	char real[PATH_MAX];
	ssize_t n;

	if (!find_in_tops(folder_of(s), path, true, real))
		return -ENOENT;
	n = readlink(real, out, size - 1);
	if (n < 0)
		return -errno;
	out[n] = '\0';
	return 0;
}

static int folder_names(struct nd_source *s, const char *path, uint32_t max, char ***names)
{
	char real[PATH_MAX];
	int fd;

	if (!find_in_tops(folder_of(s), path, false, real))
		return -ENOENT;
	fd = open(real, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	return fd < 0 ? -errno : nd_names_of_fd(fd, max, names);
}

/* ---- the rest ---- */

static void folder_prepare(struct nd_source *s, const struct nd_read *const *lists, uint32_t n)
{
	struct nd_tree *t = &folder_of(s)->tree;
	const struct nd_known k = {lists, n};

	nd_tree_prepare(t, &k, open_seen);
	sort(t);
}

bool nd_source_capture(struct nd_source *s, const char **facts, size_t *len)
{
	const struct nd_tree *t = &folder_of(s)->tree;

	if (s->ops != &folder_ops || !t->facts)
		return false;
	*facts = t->facts;
	*len = t->facts_len;
	return true;
}

static const struct nd_source_remark *folder_remarks(struct nd_source *s, uint32_t *n)
{
	*n = folder_of(s)->tree.n_remarks;
	return folder_of(s)->tree.remarks;
}

static uint64_t folder_now(const struct nd_source *s)
{
	const struct folder *f = (const struct folder *)s;

	return f->tree.n_files ? f->tree.files[f->tree.n_files - 1].t_ns : 0;
}

static const struct nd_netns *folder_netns(struct nd_source *s, uint32_t *n,
					   struct nd_status *status)
{
	static const struct nd_netns host = {"host", "/proc/net"};

	(void)s;
	*n = 1;
	if (status)
		*status = (struct nd_status){ND_TOOL_OUTPUT_ABSENT,
					     "a folder tells of one namespace only"};
	return &host;
}

static const char *const *folder_unused(struct nd_source *s, uint32_t *n)
{
	struct folder *f = folder_of(s);
	uint32_t k = 0;

	free(f->unused);
	f->unused = nd_alloc((f->tree.n_files + 1) * sizeof(*f->unused));
	for (uint32_t i = 0; i < f->tree.n_files; i++) {
		const struct nd_file *x = &f->tree.files[i];

		if (!x->used && !f->tree.facts && strcmp(x->rel, "expect.yaml") != 0 &&
		    !nd_ends(x->rel, "/expect.yaml"))
			f->unused[k++] = x->shown ? x->shown : x->rel;
	}
	*n = k;
	return f->unused;
}

static void folder_free(struct nd_source *s)
{
	struct folder *f = folder_of(s);

	nd_tree_free(&f->tree);
	free(f->unused);
	free(f);
}

static const struct nd_source_ops folder_ops = {
	.name = "folder",
	.each = folder_each,
	.text = folder_text,
	.link = folder_link,
	.names = folder_names,
	.now = folder_now,
	.netns = folder_netns,
	.prepare = folder_prepare,
	.unused = folder_unused,
	.remarks = folder_remarks,
	.free = folder_free,
};

struct nd_source *nd_source_folder(const char *path, struct nd_err *e)
{
	struct folder *f = nd_alloc(sizeof(*f));

	f->base.ops = &folder_ops;
	if (nd_source_folder_add(&f->base, path, e) == 0)
		return &f->base;
	folder_free(&f->base);
	return NULL;
}
