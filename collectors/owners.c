/* Which processes hold a socket, from the links in /proc/PID/fd.
 *
 * A server has its listeners among its lowest descriptors, below thousands of connections: the lowest of every process
 * are looked at first, and the others only while somebody's owner is still unknown. A process that holds
 * the same socket at a high number is then not named.
 *
 * The links say "socket:[INODE]" (proc(5)). Other users' processes need CAP_SYS_PTRACE; what was refused
 * is remembered, since then "nobody holds it" cannot be said. */
#include "collectors/owners.h"
#include "collectors/process.h"

#include <errno.h>

#define LOOK_AT_CLOCK 256 /* descriptors */
#define LOWEST 512u /* descriptors of a process that are looked at first */

struct scan {
	struct nd_source *s;
	struct nd_facts *f;
	const struct nd_input *in;
	struct nd_owner_want *w;
	uint32_t n;
	bool high; /* the descriptors beyond the lowest */
	uint32_t fds; /* looked at */
	uint32_t refused; /* processes whose descriptors may not be read */
	uint64_t until_ns;
	bool stopped; /* until_ns is over */
	char own_net[64]; /* namespace that this program is in */
};

static int by_inode(const void *a, const void *b)
{
	const struct nd_owner_want *x = a, *y = b;

	return (x->inode > y->inode) - (x->inode < y->inode);
}

/* First want of that inode, or n. */
static uint32_t find_want(const struct scan *c, uint64_t inode)
{
	uint32_t lo = 0, hi = c->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (c->w[mid].inode < inode)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < c->n && c->w[lo].inode == inode ? lo : c->n;
}

/* The inode of a link "socket:[1234]". */
static bool socket_inode(char *link, uint64_t *inode)
{
	static const char prefix[] = "socket:[";
	size_t len = strlen(link);

	if (!nd_starts(link, prefix) || link[len - 1] != ']')
		return false;
	link[len - 1] = '\0';
	return nd_parse_u64(link + sizeof(prefix) - 1, 10, inode);
}

static void make_threads(struct scan *c, const char *pid, nd_id process)
{
	char path[80], **names;
	int n;

	snprintf(path, sizeof(path), "/proc/%.20s/task", pid);
	n = nd_source_names(c->s, path, &names);
	if (n < 0) {
		nd_relate_missing_inverse(c->f, process, ND_THREAD_PROCESS,
					  n == -EACCES ? ND_NO_PERMISSION : ND_TIMED_OUT, "%s: %s",
					  path, strerror(-n));
		return;
	}
	for (int i = 0; i < n && i < (int)ND_OWNERS_THREADS_MAX; i++) {
		uint64_t tid;

		if (nd_parse_u64(names[i], 10, &tid))
			nd_relate(c->f, nd_entity_num(c->f, ND_THREAD, tid), ND_THREAD_PROCESS,
				  process);
	}
	nd_source_names_free(names, n);
}

/* Is the process in our network namespace? otherwise: the answer when that cannot be seen. */
static bool in_own_netns(struct scan *c, const char *pid, bool otherwise)
{
	char path[80], link[64];

	snprintf(path, sizeof(path), "/proc/%.20s/ns/net", pid);
	if (!*c->own_net || nd_source_link(c->s, path, link, sizeof(link)) != 0)
		return otherwise;
	return strcmp(link, c->own_net) == 0;
}

static nd_id make_process(struct scan *c, const char *pid)
{
	nd_id id = nd_entity(c->f, ND_PROCESS, pid);
	struct nd_input in = *c->in;
	char path[80], text[256];

	snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
	if (nd_source_text(c->s, path, text, sizeof(text)) == 0 && *nd_trim(text)) {
		in.path = path;
		nd_put_text(c->f, id, &nd_process_facts[ND_P_COMM], nd_trim(text), &in);
	}
	if (in_own_netns(c, pid, false))
		nd_relate(c->f, id, ND_PROCESS_NETNS, nd_entity(c->f, ND_NETNS, c->in->netns));
	return id;
}

static void holds(struct scan *c, const char *pid, uint32_t at)
{
	uint64_t inode = c->w[at].inode;
	nd_id process = make_process(c, pid);
	bool threads = false;

	for (; at < c->n && c->w[at].inode == inode; at++) {
		c->w[at].found = true;
		threads |= c->w[at].threads;
		nd_relate(c->f, c->w[at].entity, c->w[at].relation, process);
	}
	if (threads)
		make_threads(c, pid, process);
}

static void scan_process(struct scan *c, const char *pid)
{
	char path[80], link[128], **names;
	int n;

	if (!in_own_netns(c, pid, true))
		return; /* a container's: it may hold a socket of ours, but hardly ever does */
	snprintf(path, sizeof(path), "/proc/%.20s/fd", pid);
	n = nd_source_names_first(c->s, path, c->high ? UINT32_MAX : LOWEST, &names);
	if (n < 0) {
		c->refused += n == -EACCES || n == -EPERM;
		return; /* else it has ended */
	}
	for (int i = c->high ? (int)LOWEST : 0; i < n && !c->stopped; i++) {
		uint64_t inode;
		uint32_t at;

		if (++c->fds % LOOK_AT_CLOCK == 0)
			c->stopped = nd_source_now(c->s) > c->until_ns;
		snprintf(path, sizeof(path), "/proc/%.20s/fd/%.20s", pid, names[i]);
		if (nd_source_link(c->s, path, link, sizeof(link)) != 0 ||
		    !socket_inode(link, &inode))
			continue;
		at = find_want(c, inode);
		if (at < c->n)
			holds(c, pid, at);
	}
	nd_source_names_free(names, n);
}

static bool all_found(const struct scan *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		if (!c->w[i].found)
			return false;
	}
	return true;
}

static void scan_all(struct scan *c, bool high)
{
	char **names;
	int count = nd_source_names(c->s, "/proc", &names);

	c->high = high;
	for (int i = 0; i < count && !c->stopped && !(high && all_found(c)); i++) {
		uint64_t pid;

		if (nd_parse_u64(names[i], 10, &pid))
			scan_process(c, names[i]);
	}
	if (count >= 0)
		nd_source_names_free(names, count);
}

/* Those that nobody seems to hold: refused, given up, or really nobody (in the kernel, or just closed). */
static void explain(struct scan *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		const struct nd_owner_want *w = &c->w[i];

		if (w->found)
			continue;
		if (c->refused)
			nd_relate_missing(c->f, w->entity, w->relation, ND_NO_PERMISSION,
					  "/proc/PID/fd of %u processes may not be read",
					  c->refused);
		else if (c->stopped)
			nd_relate_missing(c->f, w->entity, w->relation, ND_BUDGET,
					  "%u descriptors looked at in %u ms", c->fds,
					  ND_OWNERS_MS_MAX);
		else
			nd_relate_missing(c->f, w->entity, w->relation, ND_NOT_SAMPLED,
					  "no process that can be seen here holds the socket");
	}
}

void nd_owners_relate(struct nd_source *s, struct nd_facts *f, const struct nd_input *in,
		      struct nd_owner_want *w, uint32_t n)
{
	struct scan c = {.s = s,
			 .f = f,
			 .in = in,
			 .w = w,
			 .n = n,
			 .until_ns = nd_source_now(s) + ND_OWNERS_MS_MAX * 1000000ull};
	uint32_t refused;

	if (n == 0)
		return;
	qsort(w, n, sizeof(*w), by_inode);
	if (nd_source_link(s, "/proc/self/ns/net", c.own_net, sizeof(c.own_net)) != 0)
		c.own_net[0] = '\0';
	scan_all(&c, false);
	refused = c.refused;
	if (!all_found(&c))
		scan_all(&c, true);
	c.refused = refused; /* each once */
	explain(&c);
}
