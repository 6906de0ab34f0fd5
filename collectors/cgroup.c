/* Control groups: which group a text speaks of, and the collector.
 *
 * A file may be a copy in its tree, a lone copy (then it is the group "/", as a container sees
 * itself), or several of them behind one another with their paths in front (grep, head, a prompt). */
#include "collectors/cgroup.h"

/* ---- groups ---- */

/* Text behind the last dash, without the suffix, if it looks like the id of a container. */
static bool container_id(const char *name, char *out, size_t size)
{
	const char *dash = strrchr(name, '-');
	const char *id = dash ? dash + 1 : name;
	size_t n = strspn(id, "0123456789abcdef");

	if (n < 12 || n >= size || (id[n] && strcmp(id + n, ".scope") != 0))
		return false;
	memcpy(out, id, n);
	out[n] = '\0';
	return true;
}

static const char *runtime_of(const char *path)
{
	static const struct {
		const char *part, *runtime;
	} known[] = {{"kubepods", "kubernetes"}, {"libpod", "podman"}, {"docker", "docker"}};

	for (size_t i = 0; i < ND_ARRAY_LEN(known); i++)
		if (strstr(path, known[i].part))
			return known[i].runtime;
	return NULL;
}

static void put_name(struct nd_facts *f, nd_id on, enum nd_cgroup_fact fact, const char *text,
		     const struct nd_input *in)
{
	if (text)
		nd_put_text(f, on, &nd_cgroup_facts[fact], text, in);
	else
		nd_put_absent(f, on, &nd_cgroup_facts[fact], in);
}

nd_id nd_cgroup_entity(struct nd_facts *f, const char *path, const struct nd_input *in)
{
	const char *last = strrchr(path, '/');
	char id[80];
	nd_id on;
	bool unit;

	last = last ? last + 1 : path;
	unit = nd_ends(last, ".service") || nd_ends(last, ".scope") || nd_ends(last, ".slice");
	on = nd_entity(f, ND_CGROUP, path);
	put_name(f, on, ND_CG_UNIT, unit ? last : NULL, in);
	put_name(f, on, ND_CG_CONTAINER, container_id(last, id, sizeof(id)) ? id : NULL, in);
	put_name(f, on, ND_CG_RUNTIME, runtime_of(path), in);
	return on;
}

/* "cpu,cpuacct", "memory", "unified": the first component of a version 1 tree. */
static bool is_controllers(const char *s, size_t n)
{
	static const char *const known[] = {"cpu",     "cpuacct", "memory", "cpuset", "blkio",
					    "unified", "systemd", "pids",   "io"};

	while (n > 0) {
		size_t len = 0;
		bool found = false;

		while (len < n && s[len] != ',')
			len++;
		for (size_t i = 0; i < ND_ARRAY_LEN(known) && !found; i++)
			found = strlen(known[i]) == len && memcmp(known[i], s, len) == 0;
		if (!found)
			return false;
		s += len < n ? len + 1 : len;
		n -= len < n ? len + 1 : len;
	}
	return true;
}

/* Is that not a folder but a pasted text, of which the copy is a part ("ticket.txt:12")? */
static bool is_file(const char *s, size_t n)
{
	static const char *const ends[] = {".txt", ".log", ".out", ".md", ".text"};

	if (memchr(s, ':', n))
		return true;
	for (size_t i = 0; i < ND_ARRAY_LEN(ends); i++) {
		size_t m = strlen(ends[i]);

		if (n > m && memcmp(s + n - m, ends[i], m) == 0)
			return true;
	}
	return false;
}

/* The group that a file's path tells: below fs/cgroup its place there, else the folder that it is in. A
 * word behind the file's name ("cpu.stat-api.txt") is a place, too, since two copies in one folder
 * are two groups. */
static void group_of(const char *path, char *out, size_t size)
{
	const char *root = strstr(path, "cgroup/"), *base = strrchr(path, '/');
	const char *from = root ? root + strlen("cgroup/") : path;
	size_t n, name;

	base = base ? base + 1 : path;
	if (from > base)
		from = base;
	n = strcspn(from, "/");
	if (root && from[n] && is_controllers(from, n))
		from += n + 1;
	n = base > from ? (size_t)(base - from) - 1 : 0;
	if (!root && is_file(from, n))
		n = 0;
	if (n == 0 && nd_cgroup_file_named(base, &name) >= 0) {
		from = base + name;
		from += strspn(from, "-_ .");
		n = strcspn(from, "@.");
		if (nd_starts(from, "txt") || nd_starts(from, "log") || nd_starts(from, "out"))
			n = 0;
	}
	snprintf(out, size, "/%.*s", n < size ? (int)n : 0, from);
}

/* ---- text ---- */

/* Where the lines that follow belong. */
struct place {
	int file; /* negative: none that is known */
	nd_id group;
	bool made;
};

static void enter(struct place *p, const char *path, struct nd_facts *f, const struct nd_input *in)
{
	char group[ND_CGROUP_PATH];
	const char *base = strrchr(path, '/');
	size_t n;

	p->file = nd_cgroup_file_named(base ? base + 1 : path, &n);
	if (p->file < 0)
		return;
	group_of(path, group, sizeof(group));
	p->group = nd_cgroup_entity(f, group, in);
	p->made = true;
}

/* A line that says of which file the text behind it is: "==> PATH <==", "# cat PATH", "PATH:text",
 * "cpu.max: 50000 100000". Returns what is left of the line, or NULL. */
static char *take_path(struct place *p, char *line, struct nd_facts *f, const struct nd_input *in)
{
	char *cat = strstr(line, "cat ");
	size_t n, known;

	if (nd_starts(line, "==> ") && nd_ends(line, " <==")) {
		line[strlen(line) - 4] = '\0';
		enter(p, line + 4, f, in);
		return NULL;
	}
	if (cat && (cat == line || strchr(" $#>", cat[-1]))) {
		enter(p, nd_trim(cat + 4), f, in);
		return NULL;
	}
	n = strcspn(line, ":= \t");
	if (line[n] && (line[0] == '/' || nd_cgroup_file_named(line, &known) >= 0)) {
		line[n] = '\0';
		enter(p, line, f, in);
		return line + n + 1;
	}
	if (!line[n] && (line[0] == '/' || nd_cgroup_file_named(line, &known) >= 0)) {
		enter(p, line, f, in);
		return NULL;
	}
	return line;
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	struct place p = {.file = -1};
	uint32_t good = 0;
	char *line;

	enter(&p, in->path, f, in);
	while ((line = nd_stream_line(s))) {
		char *rest = take_path(&p, nd_trim(line), f, in);

		if (!rest || !*nd_trim(rest))
			continue;
		if (p.file < 0 && nd_starts(rest, "nr_") &&
		    !p.made) /* known by its content alone */
			enter(&p, "cpu.stat", f, in);
		good += nd_cgroup_line(f, p.group, p.file, nd_trim(rest), in);
	}
	if (nd_stream_error(s))
		return nd_fail(e, nd_stream_error(s), "%s: %s", in->path,
			       strerror(-nd_stream_error(s)));
	return good ? 0
		    : nd_parse_fail(in, s, e, "lines of a control group's file, as nr_periods 5",
				    "none");
}

/* Without the limit's own file: periods are only counted while there is a quota. */
static void infer_limit(struct nd_facts *f, nd_id group)
{
	static const struct nd_input in = {.path = "cpu.stat counts quota periods",
					   .netns = "host"};
	const struct nd_registry *r = nd_facts_registry(f);
	struct nd_value limited =
		nd_get(f, group, nd_registry_find(r, ND_CGROUP, "cpu.limited"), ND_BARE);
	struct nd_value periods =
		nd_get(f, group, nd_registry_find(r, ND_CGROUP, "cpu.periods"), ND_TOTAL);
	struct nd_value usage =
		nd_get(f, group, nd_registry_find(r, ND_CGROUP, "cpu.usage"), ND_TOTAL);

	if (limited.type != ND_V_MISSING)
		return;
	if (periods.type == ND_V_NUMBER)
		nd_put_bool(f, group, &nd_cgroup_facts[ND_CG_LIMITED], periods.num > 0, &in);
	else if (usage.type == ND_V_NUMBER)
		nd_put_bool(f, group, &nd_cgroup_facts[ND_CG_LIMITED], false, &in);
}

static void finish(struct nd_facts *f)
{
	uint32_t n;
	const nd_id *groups = nd_entities(f, ND_CGROUP, &n);

	for (uint32_t i = 0; i < n; i++)
		infer_limit(f, groups[i]);
	for (const struct nd_fact_def *d = nd_cgroup_facts; d->name; d++)
		nd_fact_missing(f, d, ND_TOOL_OUTPUT_ABSENT, "that file of the group was not read");
}

static const struct nd_read reads[] = {
	{"cpu.stat", 0, "nr_periods *\nnr_throttled *"},
	{"cpu_stat", 0, NULL},
	{"cpu.max", 0, NULL},
	{"cpu.cfs_quota_us", 0, NULL},
	{"cpu.cfs_period_us", 0, NULL},
	{"cpuacct.usage", 0, NULL},
	{"memory.current", 0, NULL},
	{"memory.usage_in_bytes", 0, NULL},
	{"memory.max", 0, NULL},
	{"memory.limit_in_bytes", 0, NULL},
	{"memory.events", 0, NULL},
	{"memory.failcnt", 0, NULL},
	{"cpu.pressure", 0, NULL},
	{"memory.pressure", 0, NULL},
	{"io.pressure", 0, NULL},
	{0},
};

const struct nd_collector nd_collector_cgroup = {
	.name = "cgroup",
	.doc = "control groups: CPU quota, memory limit, stalls",
	.collect = "grep -r . /sys/fs/cgroup --include=cpu.stat --include=cpu.max",
	.reads = reads,
	.facts = nd_cgroup_facts,
	.entities = {ND_CGROUP, ND_NO_KIND},
	.parse = parse,
	.live = nd_cgroup_live,
	.finish = finish,
	.end = nd_cgroup_live_end,
};
