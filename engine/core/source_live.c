/* The running host: expands patterns over /proc and /sys and opens what they name.
 *
 * Every open is read-only and non-blocking, so that neither a fifo nor an endless file can hold a
 * run up. What does not exist is not reported: most kernels lack most files, and each collector
 * knows what the absence of its own means. */
#include "engine/core/source_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PER_NETNS "/proc/net/" /* a link to self/net: the target's own namespace */
#define OPEN_FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
#define INPUTS_MAX 65536 /* of one pattern */
#define ARG_MAX_BYTES 512
#define PATH_BYTES 4096

struct live {
	struct nd_source base;
	char *proc, *sys;
	struct nd_netns_scan *netns;
};

static struct live *live_of(struct nd_source *s)
{
	return (struct live *)s;
}

static uint64_t live_now(const struct nd_source *s)
{
	struct timespec t;

	(void)s;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * ND_NSEC_PER_SEC + (uint64_t)t.tv_nsec;
}

/* Joins a and b; 0 or -ENAMETOOLONG. */
static int join(char *out, size_t size, const char *a, const char *b)
{
	int n = snprintf(out, size, "%s%s", a, b);

	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

/* Where a path written with /proc or /sys really is. */
static int locate(const struct live *l, const char *path, char *out, size_t size)
{
	if (nd_starts(path, "/proc/") || strcmp(path, "/proc") == 0)
		return join(out, size, l->proc, path + strlen("/proc"));
	if (nd_starts(path, "/sys/") || strcmp(path, "/sys") == 0)
		return join(out, size, l->sys, path + strlen("/sys"));
	return join(out, size, "", path);
}

/* A descriptor of the file at the logical path, or a negative errno. */
static int open_at(const struct live *l, const char *path)
{
	char real[PATH_BYTES];
	int rc = locate(l, path, real, sizeof(real));
	struct stat st;
	int fd;

	if (rc)
		return rc;
	fd = open(real, OPEN_FLAGS);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		close(fd);
		return -EISDIR;
	}
	return fd;
}

/* One walk of a pattern. */
struct walk {
	struct live *live;
	nd_input_fn *fn;
	void *ctx;
	const struct nd_bad_input *bad;
	const char *netns;
	int found;
};

static void report_refused(const struct walk *w, const char *path, int rc)
{
	char detail[PATH_BYTES + 128];

	snprintf(detail, sizeof(detail), "%s: %s", path, strerror(-rc));
	nd_report_bad(w->bad, path, nd_missing_of(rc), detail);
}

static void take(struct walk *w, const char *path, const char *arg)
{
	struct nd_input in = {.path = path, .netns = w->netns, .arg = arg[0] ? arg : NULL};
	int fd = open_at(w->live, path);

	switch (fd) {
	case -ENOENT:
	case -ENOTDIR:
	case -EISDIR:
	case -ESRCH: /* a process that has ended */ return;
	}
	w->found++;
	if (w->found > INPUTS_MAX) {
		if (fd >= 0)
			close(fd);
		if (w->found == INPUTS_MAX + 1)
			nd_report_bad(w->bad, path, ND_BUDGET,
				      "more than 65536 files of this kind");
		return;
	}
	if (fd < 0) {
		report_refused(w, path, fd);
		return;
	}
	in.t_ns = live_now(&w->live->base);
	nd_hand_out(&in, fd, w->fn, w->ctx, w->bad);
}

static void expand(struct walk *w, const char *done, const char *rest, const char *arg);

/* Goes on with one name that the star of a component matches. */
static void expand_name(struct walk *w, const char *done, const char *rest, const char *arg,
			const char *name)
{
	char path[PATH_BYTES], longer[ARG_MAX_BYTES];
	size_t n = strcspn(rest, "/");
	const char *from;
	size_t len;
	int put;

	if (!nd_match_star(rest, n, name, strlen(name), &from, &len))
		return;
	put = snprintf(longer, sizeof(longer), "%s%s%.*s", arg, arg[0] ? "/" : "", (int)len, from);
	if (put < 0 || (size_t)put >= sizeof(longer))
		return;
	put = snprintf(path, sizeof(path), "%s/%s", done, name);
	if (put < 0 || (size_t)put >= sizeof(path))
		return;
	expand(w, path, rest[n] ? rest + n : "", longer);
}

/* Expands the first component with a star behind `done`; rest begins with a slash or is empty. */
static void expand(struct walk *w, const char *done, const char *rest, const char *arg)
{
	char path[PATH_BYTES];
	const char *star = strchr(rest, '*');
	const char *component;
	char **names = NULL;
	int n;

	if (!star) {
		if (join(path, sizeof(path), done, rest) == 0)
			take(w, path, arg);
		return;
	}
	for (component = star; component[-1] != '/'; component--)
		;
	n = snprintf(path, sizeof(path), "%s%.*s", done, (int)(component - 1 - rest), rest);
	if (n < 0 || (size_t)n >= sizeof(path))
		return;
	n = w->live->base.ops->names(&w->live->base, path, ND_NAMES_MAX, &names);
	if (n == -EACCES || n == -EPERM) {
		w->found++;
		report_refused(w, path, n);
	}
	for (int i = 0; i < n; i++)
		expand_name(w, path, component, arg, names[i]);
	if (n > 0)
		nd_source_names_free(names, n);
}

/* The files of another namespace, through a process in it. */
static void each_of_namespace(struct walk *w, const struct nd_netns *ns, const char *rest)
{
	char path[PATH_BYTES];

	w->netns = ns->name;
	if (join(path, sizeof(path), ns->proc_net, rest) == 0)
		expand(w, "", path, "");
}

static int live_each(struct nd_source *s, const struct nd_read *r, nd_input_fn *fn, void *ctx,
		     const struct nd_bad_input *bad)
{
	struct live *l = live_of(s);
	struct walk w = {.live = l, .fn = fn, .ctx = ctx, .bad = bad, .netns = "host"};
	const struct nd_netns *ns;
	uint32_t n;

	if (r->what[0] != '/')
		return 0;
	expand(&w, "", r->what, "");
	if (!(r->flags & ND_READ_NETNS) || !nd_starts(r->what, PER_NETNS))
		return w.found;
	ns = nd_netns_scan(l->netns, &n, NULL);
	for (uint32_t i = 1; i < n; i++)
		if (nd_netns_alive(l->netns, i))
			each_of_namespace(&w, &ns[i], r->what + strlen(PER_NETNS) - 1);
	return w.found;
}

static int live_text(struct nd_source *s, const char *path, char *out, size_t size)
{
	int fd = open_at(live_of(s), path);

	return fd < 0 ? fd : nd_text_of_fd(fd, out, size);
}

static int live_link(struct nd_source *s, const char *path, char *out, size_t size)
{
	char real[PATH_BYTES];
	int rc = locate(live_of(s), path, real, sizeof(real));
	ssize_t n;

	if (rc)
		return rc;
	n = readlink(real, out, size - 1);
	if (n < 0)
		return -errno;
	out[n] = '\0';
	return 0;
}

static int live_names(struct nd_source *s, const char *path, uint32_t max, char ***names)
{
	char real[PATH_BYTES];
	int rc = locate(live_of(s), path, real, sizeof(real));
	int fd;

	if (rc)
		return rc;
	fd = open(real, OPEN_FLAGS | O_DIRECTORY);
	return fd < 0 ? -errno : nd_names_of_fd(fd, max, names);
}

static const struct nd_netns *live_netns(struct nd_source *s, uint32_t *n, struct nd_status *status)
{
	return nd_netns_scan(live_of(s)->netns, n, status);
}

static const char *const *live_unused(struct nd_source *s, uint32_t *n)
{
	(void)s;
	*n = 0;
	return NULL;
}

static void live_free(struct nd_source *s)
{
	struct live *l = live_of(s);

	nd_netns_scan_free(l->netns);
	free(l->proc);
	free(l->sys);
	free(l);
}

static const struct nd_source_ops live_ops = {
	.name = "live",
	.each = live_each,
	.text = live_text,
	.link = live_link,
	.names = live_names,
	.now = live_now,
	.netns = live_netns,
	.unused = live_unused,
	.free = live_free,
};

struct nd_source *nd_source_live(const char *proc, const char *sys)
{
	struct live *l = nd_alloc(sizeof(*l));

	l->base.ops = &live_ops;
	l->proc = nd_strdup(proc);
	l->sys = nd_strdup(sys);
	l->netns = nd_netns_scan_new(proc);
	return &l->base;
}
