/* Finds the network namespaces of a live host, each with one process to read it through.
 *
 * A thread that entered another namespace still sees the old one in /proc/net, while /proc/PID/net
 * is always that of PID. So a namespace is read through a process in it; one that has a name but no
 * process gets a child of ours (source_keeper.c). Facts from the kernel: /proc/PID/ns/net is
 * a link that reads "net:[4026531840]", the number is the inode of the namespace in nsfs; `ip netns
 * add` bind-mounts that inode on a file in /run/netns. Reading another user's link needs
 * CAP_SYS_PTRACE; where it is refused, the inode of /proc/PID/net/dev tells whether the process is in a
 * namespace that is known: each namespace has a proc entry of its own, numbered from the same pool
 * (proc_alloc_inum in fs/proc/generic.c), and looking at it needs no right. */
#include "engine/core/source_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#define NETNS_MAX 512
#define KEEPERS_MAX 64
#define REFRESH_NS ND_NSEC_PER_SEC
#define REFRESH_SHARE 20 /* and never more than 1/20 of the time goes into scanning */

struct space {
	uint64_t inode;
	uint64_t entry; /* inode of its /proc/PID/net/dev; 0: not looked at */
	uint64_t pid; /* 0: none */
	const char *name;
};
/* One scan's results. Two are kept, so that the list handed out before stays valid. */
struct scan {
	struct nd_arena arena;
	struct nd_netns list[NETNS_MAX];
	struct space space[NETNS_MAX];
	uint32_t n;
	uint32_t refused, processes, unpeopled;
	bool full;
	struct nd_status status;
};
struct nd_netns_scan {
	char *proc;
	struct scan *now, *before;
	uint64_t next_ns; /* monotonic; no scan before */
	int64_t keepers[KEEPERS_MAX]; /* processes of ours in namespaces that have none */
	uint32_t n_keepers;
};

static uint64_t monotonic_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * ND_NSEC_PER_SEC + (uint64_t)t.tv_nsec;
}

struct nd_netns_scan *nd_netns_scan_new(const char *proc)
{
	struct nd_netns_scan *s = nd_alloc(sizeof(*s));

	s->proc = nd_strdup(proc);
	s->now = nd_alloc(sizeof(*s->now));
	s->before = nd_alloc(sizeof(*s->before));
	return s;
}

void nd_netns_scan_free(struct nd_netns_scan *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->n_keepers; i++)
		nd_keeper_end(s->keepers[i]);
	nd_arena_free(&s->now->arena);
	nd_arena_free(&s->before->arena);
	free(s->now);
	free(s->before);
	free(s->proc);
	free(s);
}

/* The inode in a link such as net:[4026531840]; 0 or a negative errno. */
static int link_inode(int dir, const char *path, uint64_t *inode)
{
	char text[64];
	ssize_t n = readlinkat(dir, path, text, sizeof(text) - 1);

	if (n < 0)
		return -errno;
	if (n < 7 || text[n - 1] != ']' || memcmp(text, "net:[", 5) != 0)
		return -EINVAL;
	text[n - 1] = '\0';
	return nd_parse_u64(text + 5, 10, inode) ? 0 : -EINVAL;
}

static struct space *find(struct scan *c, uint64_t inode)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (c->space[i].inode == inode)
			return &c->space[i];
	return NULL;
}

static void add(struct scan *c, uint64_t inode, uint64_t pid, const char *name)
{
	struct space *known = find(c, inode);

	if (known) {
		if (!known->name && name)
			known->name = nd_arena_strdup(&c->arena, name);
		return;
	}
	if (c->n == NETNS_MAX) {
		c->full = true;
		return;
	}
	c->space[c->n++] =
		(struct space){inode, 0, pid, name ? nd_arena_strdup(&c->arena, name) : NULL};
}

/* The inode of /proc/PID/net/dev, or 0. */
static uint64_t entry_of(int proc, uint64_t pid)
{
	struct stat st;
	char path[64];

	snprintf(path, sizeof(path), "%llu/net/dev", (unsigned long long)pid);
	return fstatat(proc, path, &st, 0) == 0 ? st.st_ino : 0;
}

/* A process whose link may not be read: in a namespace that is known, or in one more. False: not to be told. */
static bool place_refused(struct scan *c, int proc, uint64_t pid)
{
	uint64_t entry = entry_of(proc, pid);

	if (!entry)
		return false;
	for (uint32_t i = 0; i < c->n; i++) {
		if (!c->space[i].entry && c->space[i].pid)
			c->space[i].entry = entry_of(proc, c->space[i].pid);
		if (c->space[i].entry == entry)
			return true;
	}
	add(c, entry, pid, NULL);
	return true;
}

static void scan_processes(struct scan *c, const char *proc)
{
	int fd = open(proc, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	uint64_t pid, inode = 0, *refused = NULL;
	uint32_t n_refused = 0, cap_refused = 0;
	char path[64];

	if (!d) {
		if (fd >= 0)
			close(fd);
		c->refused++;
		return;
	}
	while ((e = readdir(d))) {
		int rc;

		if (!nd_parse_u64(e->d_name, 10, &pid))
			continue;
		snprintf(path, sizeof(path), "%llu/ns/net", (unsigned long long)pid);
		rc = link_inode(fd, path, &inode);
		c->processes +=
			rc != -ENOENT && rc != -ESRCH; /* not a process that ended meanwhile */
		if (rc == 0)
			add(c, inode, pid, NULL);
		if (rc != -EACCES && rc != -EPERM)
			continue;
		ND_GROW(refused, n_refused, cap_refused);
		refused[n_refused++] = pid;
	}
	for (uint32_t i = 0; i < n_refused; i++)
		c->refused += !place_refused(c, fd, refused[i]);
	free(refused);
	closedir(d);
}

/* Names of namespaces. only_known: gives names to those that were found and adds none. */
static void scan_names(struct scan *c, const char *dir, bool only_known)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char **names = NULL;
	int n = fd < 0 ? 0 : nd_names_of_fd(fcntl(fd, F_DUPFD_CLOEXEC, 0), ND_NAMES_MAX, &names);

	for (int i = 0; i < n; i++) {
		int file = openat(fd, names[i], O_PATH | O_CLOEXEC | O_NOFOLLOW);
		struct statfs fs;
		struct stat st;

		if (file < 0)
			continue;
		/* a name left over from a namespace that is gone is a plain file; "host" is taken
		 */
		if (fstatfs(file, &fs) == 0 && fs.f_type == NSFS_MAGIC && fstat(file, &st) == 0 &&
		    (!only_known || find(c, st.st_ino)))
			add(c, st.st_ino, 0, strcmp(names[i], "host") == 0 ? NULL : names[i]);
		close(file);
	}
	if (n > 0)
		nd_source_names_free(names, n);
	if (fd >= 0)
		close(fd);
}

static int by_name(const void *a, const void *b)
{
	return nd_natural_cmp(((const struct space *)a)->name, ((const struct space *)b)->name);
}

static void judge_completeness(struct scan *c)
{
	c->status = (struct nd_status){ND_PRESENT, ""};
	if (c->full)
		c->status = (struct nd_status){
			ND_BUDGET,
			nd_arena_printf(&c->arena, "more than %d network namespaces", NETNS_MAX)};
	else if (c->refused)
		c->status = (struct nd_status){
			ND_NO_PERMISSION,
			nd_arena_printf(&c->arena,
					"/proc/PID/ns/net of %u of %u processes may not be read",
					c->refused, c->processes)};
	else if (c->unpeopled)
		c->status = (struct nd_status){
			ND_NOT_SAMPLED,
			nd_arena_printf(
				&c->arena,
				"%u named network namespace%s no process to read %s through",
				c->unpeopled, c->unpeopled == 1 ? " has" : "s have",
				c->unpeopled == 1 ? "it" : "them")};
}

/* A namespace that has a name but no process gets one of ours, where we may. */
static void people(struct nd_netns_scan *s, struct space *p)
{
	static const char *const dirs[] = {"/run/netns", "/var/run/netns"};

	for (size_t i = 0; i < ND_ARRAY_LEN(dirs) && !p->pid && s->n_keepers < KEEPERS_MAX; i++) {
		char path[4096];
		int64_t pid;

		snprintf(path, sizeof(path), "%s/%s", dirs[i], p->name);
		pid = nd_keeper_start(path);
		if (pid <= 0)
			continue;
		p->pid = (uint64_t)pid;
		s->keepers[s->n_keepers++] = pid;
	}
}

/* Fills in the list: the target's own first, the others in the order of their names. */
static void publish(struct scan *c)
{
	for (uint32_t i = 1; i < c->n; i++)
		if (!c->space[i].name)
			c->space[i].name = nd_arena_printf(&c->arena, "%llu",
							   (unsigned long long)c->space[i].inode);
	if (c->n > 2)
		qsort(c->space + 1, c->n - 1, sizeof(c->space[0]), by_name);
	c->list[0] = (struct nd_netns){"host", "/proc/self/net"};
	for (uint32_t i = 1; i < c->n; i++) {
		struct space *p = &c->space[i];

		c->list[i].name = p->name;
		c->list[i].proc_net = NULL;
		if (p->pid)
			c->list[i].proc_net = nd_arena_printf(&c->arena, "/proc/%llu/net",
							      (unsigned long long)p->pid);
		else
			c->unpeopled++;
	}
	judge_completeness(c);
}

static void rescan(struct nd_netns_scan *s, struct scan *c)
{
	char path[4096];
	uint64_t own = 0; /* no namespace has inode 0 */
	struct stat st;
	bool foreign;

	nd_arena_free(&c->arena);
	memset(c, 0, sizeof(*c));
	snprintf(path, sizeof(path), "%s/self/ns/net", s->proc);
	(void)link_inode(AT_FDCWD, path, &own);
	add(c, own, 0, "host");
	snprintf(path, sizeof(path), "%s/self/net/dev", s->proc);
	c->space[0].entry = stat(path, &st) == 0 ? st.st_ino : 0;
	scan_processes(c, s->proc);
	/* another proc is a host's, seen from a container: ours may hold names that are not the
	 * host's */
	foreign = strcmp(s->proc, "/proc") != 0;
	if (foreign) {
		snprintf(path, sizeof(path), "%s/1/root/run/netns", s->proc);
		scan_names(c, path, false);
	}
	scan_names(c, "/run/netns", foreign);
	scan_names(c, "/var/run/netns", foreign);
	for (uint32_t i = 1; i < c->n && !foreign; i++)
		if (!c->space[i].pid && c->space[i].name)
			people(s, &c->space[i]);
	publish(c);
}

const struct nd_netns *nd_netns_scan(struct nd_netns_scan *s, uint32_t *n, struct nd_status *status)
{
	uint64_t start = monotonic_ns();

	if (start >= s->next_ns) {
		struct scan *c = s->before;
		uint64_t took;

		s->before = s->now;
		s->now = c;
		rescan(s, c);
		took = monotonic_ns() - start;
		s->next_ns = start + (took * REFRESH_SHARE > REFRESH_NS ? took * REFRESH_SHARE
									: REFRESH_NS);
	}
	*n = s->now->n;
	if (status)
		*status = s->now->status;
	return s->now->list;
}

bool nd_netns_alive(const struct nd_netns_scan *s, uint32_t i)
{
	const struct space *p = &s->now->space[i];
	char path[4096];
	uint64_t inode = 0;
	struct stat st;

	if (i == 0)
		return true;
	if (!p->pid)
		return false;
	snprintf(path, sizeof(path), "%s/%llu/ns/net", s->proc, (unsigned long long)p->pid);
	if (link_inode(AT_FDCWD, path, &inode) == 0)
		return inode == p->inode;
	snprintf(path, sizeof(path), "%s/%llu/net/dev", s->proc, (unsigned long long)p->pid);
	return stat(path, &st) == 0 && st.st_ino == p->inode;
}
