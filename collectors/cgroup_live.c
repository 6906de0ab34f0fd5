/* The running host's control groups: those of the processes that listen, and all above them.
 *
 * Which groups there are is settled at the first moment, from /proc/PID/cgroup ("0::/a/b" in version
 * 2, "4:cpu,cpuacct:/a/b" in version 1); a limit may sit on any of the ancestors. Later moments read
 * only what moves, and nothing of groups without a quota but their stalls. memory.stat is never read:
 * that alone can hold a CPU for long. A process in another cgroup namespace is shown with "/..". */
#include "collectors/cgroup.h"

#include <errno.h>

#define GROUPS_MAX 256u
#define PROCESSES_MAX 512u
#define ROOT "/sys/fs/cgroup"
#define TEXT_BYTES 4096

struct group {
	char path[ND_CGROUP_PATH];
	nd_id on;
	bool unlimited; /* it had no CPU quota at the first moment */
};
struct state {
	const char *cpu_root, *memory_root; /* where the trees of these controllers are */
	uint32_t n, seen; /* groups; processes looked at */
	struct group groups[GROUPS_MAX];
};

/* Reads DIR/GROUP/NAME: true if it said something. */
static bool read_file(struct nd_live *l, struct nd_facts *f, const char *root,
		      const struct group *g, const char *name)
{
	char path[ND_CGROUP_PATH + 128], text[TEXT_BYTES], *at = text, *line;
	struct nd_input in = l->in;
	size_t len;
	const int file = nd_cgroup_file_named(name, &len);
	bool any = false;

	snprintf(path, sizeof(path), "%s%s%s%s", root, g->path, g->path[1] ? "/" : "", name);
	if (nd_source_text(l->source, path, text, sizeof(text)) != 0)
		return false;
	in.path = path;
	in.t_ns = nd_source_now(l->source);
	while ((line = nd_split(&at, "\n")))
		any |= nd_cgroup_line(f, g->on, file, line, &in);
	return any;
}

static bool has_dir(struct nd_live *l, const char *path)
{
	char **names;
	int n = nd_source_names(l->source, path, &names);

	if (n < 0)
		return false;
	nd_source_names_free(names, n);
	return true;
}

static const char *find_root(struct nd_live *l, const char *const *roots)
{
	for (; *roots; roots++)
		if (has_dir(l, *roots))
			return *roots;
	return ROOT;
}

/* ---- the first moment ---- */

static struct group *find_group(struct state *st, const char *path)
{
	for (uint32_t i = 0; i < st->n; i++)
		if (strcmp(st->groups[i].path, path) == 0)
			return &st->groups[i];
	return NULL;
}

static nd_id add_group(struct state *st, struct nd_facts *f, const char *path,
		       const struct nd_input *in)
{
	struct group *g = find_group(st, path);

	if (g)
		return g->on;
	if (st->n == GROUPS_MAX)
		return ND_NO_ENTITY;
	g = &st->groups[st->n++];
	snprintf(g->path, sizeof(g->path), "%s", path);
	g->on = nd_cgroup_entity(f, path, in);
	return g->on;
}

/* The group and all above it. */
static nd_id add_chain(struct state *st, struct nd_facts *f, const char *path,
		       const struct nd_input *in)
{
	char at[ND_CGROUP_PATH];
	nd_id first, below;

	snprintf(at, sizeof(at), "%s", path);
	first = below = add_group(st, f, at, in);
	while (below != ND_NO_ENTITY && at[1]) {
		char *slash = strrchr(at, '/');
		nd_id above;

		slash[slash == at] = '\0';
		above = add_group(st, f, at, in);
		if (above != ND_NO_ENTITY)
			nd_relate(f, below, ND_CGROUP_PARENT, above);
		below = above;
	}
	if (below != ND_NO_ENTITY)
		nd_relate_none(f, below, ND_CGROUP_PARENT);
	return first;
}

/* Does a line of /proc/PID/cgroup name the controller of CPU quotas? *path is its group. */
static bool is_cpu_line(char *line, bool *v2, char **path)
{
	char *controllers = strchr(line, ':'), *end;

	if (!controllers)
		return false;
	controllers++;
	end = strchr(controllers, ':');
	if (!end || end[1] != '/')
		return false;
	*end = '\0';
	*path = end + 1;
	*v2 = nd_starts(line, "0:");
	if (*v2)
		return true;
	for (char *word; (word = nd_split(&controllers, ","));)
		if (strcmp(word, "cpu") == 0)
			return true;
	return false;
}

static void add_process(struct state *st, struct nd_live *l, struct nd_facts *f, nd_id process)
{
	char path[64], text[TEXT_BYTES], *at = text, *line, group[ND_CGROUP_PATH] = "";
	struct nd_input in = l->in;
	bool v1 = false;
	nd_id on;

	snprintf(path, sizeof(path), "/proc/%.20s/cgroup", nd_entity_key(f, process));
	if (nd_source_text(l->source, path, text, sizeof(text)) != 0) {
		nd_relate_missing(f, process, ND_PROCESS_CGROUP, ND_NO_PERMISSION,
				  "%s cannot be read", path);
		return;
	}
	while ((line = nd_split(&at, "\n"))) {
		char *found;
		bool v2;

		if (is_cpu_line(line, &v2, &found) && (!v2 || !v1)) {
			snprintf(group, sizeof(group), "%s", found);
			v1 = v1 || !v2;
		}
	}
	if (!group[0] || nd_starts(group, "/..")) {
		nd_relate_missing(f, process, ND_PROCESS_CGROUP, ND_NOT_SAMPLED,
				  "%s: its group is not below the one that is seen here", path);
		return;
	}
	in.path = path;
	on = add_chain(st, f, group, &in);
	if (on != ND_NO_ENTITY)
		nd_relate(f, process, ND_PROCESS_CGROUP, on);
	else
		nd_relate_missing(f, process, ND_PROCESS_CGROUP, ND_BUDGET, "more than %u groups",
				  GROUPS_MAX);
}

static void read_limits(struct state *st, struct nd_live *l, struct nd_facts *f)
{
	for (uint32_t i = 0; i < st->n; i++) {
		struct group *g = &st->groups[i];
		const struct nd_registry *r = nd_facts_registry(f);
		struct nd_value v;

		if (!read_file(l, f, st->cpu_root, g, "cpu.max") &&
		    read_file(l, f, st->cpu_root, g, "cpu.cfs_quota_us"))
			read_file(l, f, st->cpu_root, g, "cpu.cfs_period_us");
		if (!read_file(l, f, st->memory_root, g, "memory.max"))
			read_file(l, f, st->memory_root, g, "memory.limit_in_bytes");
		v = nd_get(f, g->on, nd_registry_find(r, ND_CGROUP, "cpu.limited"), ND_BARE);
		g->unlimited = v.type == ND_V_BOOL && !v.yes;
	}
}

static struct state *first(struct nd_live *l, struct nd_facts *f)
{
	static const char *const cpu[] = {ROOT "/cpu", ROOT "/cpu,cpuacct", NULL};
	static const char *const memory[] = {ROOT "/memory", NULL};
	struct state *st = nd_alloc(sizeof(*st));
	uint32_t n_listeners;
	const nd_id *listeners = nd_entities(f, ND_LISTENER, &n_listeners);
	nd_id *processes = nd_alloc(sizeof(*processes) * PROCESSES_MAX);

	*l->state = st;
	st->cpu_root = find_root(l, cpu);
	st->memory_root = find_root(l, memory);
	for (uint32_t i = 0; i < n_listeners; i++) {
		struct nd_links owners = nd_related(f, listeners[i], ND_LISTENER_PROCESSES, false);

		for (uint32_t k = 0; k < owners.n && st->seen < PROCESSES_MAX; k++) {
			uint32_t j = 0;

			while (j < st->seen && processes[j] != owners.ids[k])
				j++;
			if (j == st->seen)
				processes[st->seen++] = owners.ids[k];
		}
	}
	for (uint32_t i = 0; i < st->seen; i++)
		add_process(st, l, f, processes[i]);
	free(processes);
	return st;
}

/* ---- every moment ---- */

int nd_cgroup_live(struct nd_live *l, struct nd_facts *f, struct nd_err *e)
{
	struct state *st = *l->state;

	(void)e;
	if (l->between)
		return 0;
	if (!st) {
		st = first(l, f);
		read_limits(st, l, f);
		if (st->seen == 0)
			nd_kind_missing(f, ND_CGROUP, ND_NOT_SAMPLED,
					"no process is known that listens");
	}
	for (uint32_t i = 0; i < st->n; i++) {
		const struct group *g = &st->groups[i];

		if (!g->unlimited)
			read_file(l, f, st->cpu_root, g, "cpu.stat");
		if (!read_file(l, f, st->memory_root, g, "memory.events"))
			read_file(l, f, st->memory_root, g, "memory.failcnt");
		if (!read_file(l, f, st->memory_root, g, "memory.current"))
			read_file(l, f, st->memory_root, g, "memory.usage_in_bytes");
		if (strcmp(st->cpu_root, st->memory_root) == 0) { /* version 2 */
			read_file(l, f, ROOT, g, "cpu.pressure");
			read_file(l, f, ROOT, g, "memory.pressure");
			read_file(l, f, ROOT, g, "io.pressure");
		}
	}
	return 0;
}

void nd_cgroup_live_end(void *state)
{
	free(state);
}
