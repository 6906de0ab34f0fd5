/* The files of a control group: CPU quota and how often it stopped the group, memory limit, stalls.
 *
 * Version 2 has everything in one directory, cpu.stat in microseconds; version 1 has a tree per
 * controller, cpu.stat's throttled_time and cpuacct.usage in nanoseconds. A quota of "max", or -1, is
 * none; a cpu.stat that counts no periods belongs to a group without one. Samples:
 * "nr_throttled 137", "50000 100000" (cpu.max), "some avg10=0.00 avg60=0.00 avg300=0.00 total=9". */
#include "collectors/cgroup.h"
#include "collectors/psi.h"

#define DIR "/sys/fs/cgroup{key}/"
#define CPU_SHOW "cat " DIR "cpu.stat /sys/fs/cgroup/cpu{key}/cpu.stat 2>/dev/null"
#define QUOTA_SHOW "cat " DIR "cpu.max /sys/fs/cgroup/cpu{key}/cpu.cfs_quota_us 2>/dev/null"
#define NUMBER(n, u, w, scale, text, show)                                                         \
	{                                                                                          \
		.name = n, .on = ND_CGROUP, .type = ND_T_NUMBER, .unit = u, .width = w,            \
		.kernel_unit = scale, .doc = text, .reproduce = show                               \
	}
#define TIME(n, text, show) NUMBER(n, ND_U_SECONDS, ND_COUNTER64, 1e-6, text, show)
#define COUNT(n, text, show) NUMBER(n, ND_U_COUNT, ND_COUNTER64, 0, text, show)
#define TEXT(n, text)                                                                              \
	{                                                                                          \
		.name = n, .on = ND_CGROUP, .type = ND_T_TEXT, .doc = text,                        \
		.reproduce = "systemd-cgls -k --no-pager {key}"                                    \
	}

const struct nd_fact_def nd_cgroup_facts[ND_CG_FACTS + 1] = {
	[ND_CG_LIMITED] = {.name = "cpu.limited",
			   .on = ND_CGROUP,
			   .type = ND_T_BOOL,
			   .doc = "has a CPU quota of its own",
			   .reproduce = QUOTA_SHOW},
	[ND_CG_QUOTA] =
		NUMBER("cpu.quota", ND_U_SECONDS, ND_GAUGE, 0,
		       "CPU time that it may use per period; absent without a quota", QUOTA_SHOW),
	[ND_CG_PERIOD] = NUMBER("cpu.period", ND_U_SECONDS, ND_GAUGE, 0,
				"length of a quota's period; absent without a quota", QUOTA_SHOW),
	[ND_CG_PERIODS] = COUNT("cpu.periods", "quota periods in which it ran", CPU_SHOW),
	[ND_CG_THROTTLED] =
		COUNT("cpu.throttled", "periods in which it had used up its quota", CPU_SHOW),
	[ND_CG_THROTTLED_TIME] =
		TIME("cpu.throttled_time",
		     "time for which it was stopped, summed over the CPUs it ran on", CPU_SHOW),
	[ND_CG_USAGE] = TIME("cpu.usage", "CPU time that it used", CPU_SHOW),
	[ND_CG_UNIT] = TEXT("unit", "its systemd unit; absent if its name is none"),
	[ND_CG_RUNTIME] =
		TEXT("runtime", "who made it: docker, podman, kubernetes; absent for others"),
	[ND_CG_CONTAINER] = TEXT("container", "its container's id; absent if its name has none"),
	[ND_CG_MEM_CURRENT] =
		NUMBER("memory.current", ND_U_BYTES, ND_SAMPLED, 0,
		       "memory that it uses, page cache included", "cat " DIR "memory.current"),
	[ND_CG_MEM_MAX] =
		NUMBER("memory.max", ND_U_BYTES, ND_GAUGE, 0,
		       "memory that it may use; absent without a limit", "cat " DIR "memory.max"),
	[ND_CG_MEM_HIGH_HITS] =
		COUNT("memory.high_hits",
		      "times that its tasks were made to reclaim at its soft limit, memory.high",
		      "cat " DIR "memory.events"),
	[ND_CG_MEM_MAX_HITS] =
		COUNT("memory.max_hits", "times that it was about to exceed its memory limit",
		      "cat " DIR "memory.events"),
	[ND_CG_PRESSURE_CPU] = TIME("pressure.cpu.some",
				    "time in which at least one of its tasks waited for a CPU",
				    "cat " DIR "cpu.pressure"),
	[ND_CG_PRESSURE_MEM] = TIME("pressure.memory.some",
				    "time in which at least one of its tasks waited for memory",
				    "cat " DIR "memory.pressure"),
	[ND_CG_PRESSURE_MEM_FULL] = TIME("pressure.memory.full",
					 "time in which all of its tasks waited for memory at once",
					 "cat " DIR "memory.pressure"),
	[ND_CG_PRESSURE_IO] = TIME("pressure.io.some",
				   "time in which at least one of its tasks waited for a disk",
				   "cat " DIR "io.pressure"),
	{.name = NULL},
};

#define UNLIMITED (1ull << 60) /* bytes; version 1 writes a number close to 2^63 for no limit */
#define SEPARATORS " \t=:,\"{}"

/* What a line is put on. */
struct target {
	struct nd_facts *f;
	nd_id on;
	const struct nd_input *in;
};

static void put_count(const struct target *t, enum nd_cgroup_fact fact, uint64_t v)
{
	nd_put_reading(t->f, t->on, &nd_cgroup_facts[fact], v, t->in);
}

/* ---- files ---- */

/* "nr_periods 143": keys of all files that have some. */
static const struct {
	const char *key;
	enum nd_cgroup_fact fact;
	uint64_t divisor; /* from the file's unit to the fact's */
} keys[] = {
	{"nr_periods", ND_CG_PERIODS, 1},
	{"nr_throttled", ND_CG_THROTTLED, 1},
	{"throttled_usec", ND_CG_THROTTLED_TIME, 1},
	{"throttled_time", ND_CG_THROTTLED_TIME, 1000},
	{"usage_usec", ND_CG_USAGE, 1},
};

static bool take_stat(const struct target *t, char *line)
{
	char *key = nd_split(&line, SEPARATORS), *value = key ? nd_split(&line, SEPARATORS) : NULL;
	uint64_t v;

	if (!value || !nd_parse_u64(value, 10, &v))
		return false;
	for (size_t i = 0; i < ND_ARRAY_LEN(keys); i++) {
		if (strcmp(keys[i].key, key) == 0) {
			put_count(t, keys[i].fact, v / keys[i].divisor);
			return true;
		}
	}
	/* known, but not of use here */
	return nd_starts(key, "user") || nd_starts(key, "system") || nd_starts(key, "nr_") ||
	       nd_starts(key, "burst") || nd_starts(key, "core_sched") || nd_starts(key, "wait");
}

static bool take_events(const struct target *t, char *line)
{
	char *key = nd_split(&line, SEPARATORS), *value = key ? nd_split(&line, SEPARATORS) : NULL;
	uint64_t v;

	if (!value || !nd_parse_u64(value, 10, &v))
		return false;
	if (strcmp(key, "high") == 0)
		put_count(t, ND_CG_MEM_HIGH_HITS, v);
	else if (strcmp(key, "max") == 0)
		put_count(t, ND_CG_MEM_MAX_HITS, v);
	return true;
}

static void put_limited(const struct target *t, bool limited)
{
	nd_put_bool(t->f, t->on, &nd_cgroup_facts[ND_CG_LIMITED], limited, t->in);
	for (int i = ND_CG_QUOTA; !limited && i <= ND_CG_THROTTLED_TIME; i++)
		nd_put_absent(t->f, t->on, &nd_cgroup_facts[i], t->in);
}

static bool put_us(const struct target *t, enum nd_cgroup_fact fact, const char *word)
{
	uint64_t us;

	if (!word || !nd_parse_u64(word, 10, &us) || us == 0 || us > 1000000000000ull)
		return false;
	nd_put_num(t->f, t->on, &nd_cgroup_facts[fact], (double)us / 1e6, t->in);
	return true;
}

static bool take_quota(const struct target *t, char *line)
{
	char *quota = nd_word(&line);

	if (!quota)
		return false;
	if (strcmp(quota, "max") == 0 || strcmp(quota, "-1") == 0) {
		put_limited(t, false);
		return true;
	}
	if (!put_us(t, ND_CG_QUOTA, quota))
		return false;
	put_limited(t, true);
	return true;
}

static bool take_period(const struct target *t, char *line)
{
	return put_us(t, ND_CG_PERIOD, nd_word(&line));
}

/* "50000 100000", "max 100000" */
static bool take_max(const struct target *t, char *line)
{
	char *quota = nd_word(&line), *period = nd_word(&line);

	if (!quota || !take_quota(t, quota))
		return false;
	if (period)
		put_us(t, ND_CG_PERIOD, period);
	return true;
}

static bool take_usage(const struct target *t, char *line)
{
	char *word = nd_word(&line);
	uint64_t ns;

	if (!word || !nd_parse_u64(word, 10, &ns))
		return false;
	put_count(t, ND_CG_USAGE, ns / 1000);
	return true;
}

static bool take_memory(const struct target *t, char *line)
{
	char *word = nd_word(&line);
	uint64_t v;

	if (!word || !nd_parse_u64(word, 10, &v))
		return false;
	nd_put_num(t->f, t->on, &nd_cgroup_facts[ND_CG_MEM_CURRENT], (double)v, t->in);
	return true;
}

static bool take_memory_max(const struct target *t, char *line)
{
	char *word = nd_word(&line);
	uint64_t v = UNLIMITED;

	if (!word || (strcmp(word, "max") != 0 && !nd_parse_u64(word, 10, &v)))
		return false;
	if (v >= UNLIMITED)
		nd_put_absent(t->f, t->on, &nd_cgroup_facts[ND_CG_MEM_MAX], t->in);
	else
		nd_put_num(t->f, t->on, &nd_cgroup_facts[ND_CG_MEM_MAX], (double)v, t->in);
	return true;
}

static bool take_fails(const struct target *t, char *line)
{
	char *word = nd_word(&line);
	uint64_t v;

	if (!word || !nd_parse_u64(word, 10, &v))
		return false;
	put_count(t, ND_CG_MEM_MAX_HITS, v);
	return true;
}

static bool take_pressure_cpu(const struct target *t, char *line)
{
	struct nd_psi p;

	if (!nd_psi_line(line, &p))
		return false;
	if (!p.full)
		put_count(t, ND_CG_PRESSURE_CPU, p.total_us);
	return true;
}

static bool take_pressure_memory(const struct target *t, char *line)
{
	struct nd_psi p;

	if (!nd_psi_line(line, &p))
		return false;
	put_count(t, p.full ? ND_CG_PRESSURE_MEM_FULL : ND_CG_PRESSURE_MEM, p.total_us);
	return true;
}

static bool take_pressure_io(const struct target *t, char *line)
{
	struct nd_psi p;

	if (!nd_psi_line(line, &p))
		return false;
	if (!p.full)
		put_count(t, ND_CG_PRESSURE_IO, p.total_us);
	return true;
}

static const struct {
	const char *name;
	bool (*take)(const struct target *t, char *line);
} files[] = {
	{"cpu.stat", take_stat},
	{"cpu_stat", take_stat},
	{"cpu.max", take_max},
	{"cpu.cfs_quota_us", take_quota},
	{"cpu.cfs_period_us", take_period},
	{"cpuacct.usage", take_usage},
	{"memory.current", take_memory},
	{"memory.usage_in_bytes", take_memory},
	{"memory.max", take_memory_max},
	{"memory.limit_in_bytes", take_memory_max},
	{"memory.events", take_events},
	{"memory.failcnt", take_fails},
	{"cpu.pressure", take_pressure_cpu},
	{"memory.pressure", take_pressure_memory},
	{"io.pressure", take_pressure_io},
};

int nd_cgroup_file_named(const char *s, size_t *len)
{
	for (size_t i = 0; i < ND_ARRAY_LEN(files); i++) {
		*len = strlen(files[i].name);
		if (strncmp(s, files[i].name, *len) == 0 &&
		    (!s[*len] || strchr("-_ .@:=", s[*len])) && !nd_starts(s + *len, ".local"))
			return (int)i;
	}
	*len = 0;
	return -1;
}

bool nd_cgroup_line(struct nd_facts *f, nd_id group, int file, char *line,
		    const struct nd_input *in)
{
	const struct target t = {f, group, in};

	return file >= 0 && files[file].take(&t, line);
}
