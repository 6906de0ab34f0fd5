/* /proc/stat: where each CPU's time went, and the NUMA node that each belongs to.
 *
 * Per-CPU lines of online CPUs: user nice system idle iowait irq softirq steal guest guest_nice, in
 * ticks of 1/100 s (USER_HZ); guest is already inside user. The ticks are counters; the shares of
 * the window are computed from their differences at every moment after the first. With one moment
 * there are only shares since boot, which say nothing about now: then the shares are missing. idle
 * and iowait can go back a little (they are computed from two clocks): such a reading counts as no
 * progress. Sample: "cpu1 1608 0 972 198270 521 0 26 62 0 0". */
#include "collectors/cpu.h"

#include "collectors/collector.h"
#include "collectors/cpulist.h"

#define TICKS(n, column, text)                                                                     \
	{                                                                                          \
		.name = "ticks." n, .on = ND_CPU, .type = ND_T_NUMBER, .unit = ND_U_COUNT,         \
		.width = ND_COUNTER64, .doc = "ticks of 10 ms spent in " text,                     \
		.reproduce = "awk '$1==\"cpu{key}\" {print $" column "}' /proc/stat"               \
	}
#define SHARE(n, text)                                                                             \
	{                                                                                          \
		.name = "time." n, .on = ND_CPU, .type = ND_T_NUMBER, .unit = ND_U_PERCENT,        \
		.doc = "share of the window spent " text, .reproduce = "mpstat -P {key} 5 1"       \
	}

#define SUM(n, text)                                                                               \
	{                                                                                          \
		.name = "cpu.time." n, .on = ND_HOST, .type = ND_T_NUMBER, .unit = ND_U_PERCENT,   \
		.width = ND_SAMPLED, .doc = "share of all CPUs' time spent " text,                 \
		.reproduce = "mpstat 5 1"                                                          \
	}
#define HOST_TICKS(n, column, text)                                                                \
	{                                                                                          \
		.name = "cpu.ticks." n, .on = ND_HOST, .type = ND_T_NUMBER, .unit = ND_U_COUNT,    \
		.width = ND_COUNTER64, .doc = "ticks of 10 ms of all CPUs spent in " text,         \
		.reproduce = "awk '$1==\"cpu\" {print " column "}' /proc/stat"                     \
	}
#define GAUGE(n, how, text, show)                                                                  \
	{                                                                                          \
		.name = n, .on = ND_HOST, .type = ND_T_NUMBER, .unit = ND_U_COUNT, .width = how,   \
		.doc = text, .reproduce = show                                                     \
	}

const struct nd_fact_def nd_cpu_time_facts[] = {
	[ND_CPU_USER] = SHARE("user", "in user programs and guests, nice ones included"),
	[ND_CPU_SYSTEM] = SHARE("system", "in the kernel on behalf of programs"),
	[ND_CPU_SOFT] = SHARE("soft", "in softirqs, ksoftirqd included"),
	[ND_CPU_IRQ] = SHARE("irq", "in interrupt handlers"),
	[ND_CPU_STEAL] = SHARE("steal", "runnable, but not run by the hypervisor"),
	[ND_CPU_IDLE] = SHARE("idle", "idle, without waiting for a disk"),
	[ND_CPU_IOWAIT] = SHARE("iowait", "idle while a disk request was under way"),
	[ND_CPU_TICKS_USER] = TICKS("user", "2", "user programs"),
	[ND_CPU_TICKS_NICE] = TICKS("nice", "3", "user programs with a lowered priority"),
	[ND_CPU_TICKS_SYSTEM] = TICKS("system", "4", "the kernel on behalf of programs"),
	[ND_CPU_TICKS_IDLE] = TICKS("idle", "5", "idleness"),
	[ND_CPU_TICKS_IOWAIT] = TICKS("iowait", "6", "idleness while a disk request was under way"),
	[ND_CPU_TICKS_IRQ] = TICKS("irq", "7", "interrupt handlers"),
	[ND_CPU_TICKS_SOFT] = TICKS("soft", "8", "softirqs"),
	[ND_CPU_TICKS_STEAL] = TICKS("steal", "9", "waiting for the hypervisor"),
	[ND_CPU_NODE] = {.name = "node",
			 .on = ND_CPU,
			 .type = ND_T_NUMBER,
			 .unit = ND_U_COUNT,
			 .doc = "NUMA node of the CPU",
			 .reproduce = "ls -d /sys/devices/system/cpu/cpu{key}/node*"},
	[ND_HOST_USER] = SUM("user", "in user programs and guests, nice ones included"),
	[ND_HOST_SYSTEM] = SUM("system", "in the kernel on behalf of programs"),
	[ND_HOST_SOFT] = SUM("soft", "in softirqs, ksoftirqd included"),
	[ND_HOST_IRQ] = SUM("irq", "in interrupt handlers"),
	[ND_HOST_STEAL] = SUM("steal", "runnable, but not run by the hypervisor"),
	[ND_HOST_IDLE] = SUM("idle", "idle, without waiting for a disk"),
	[ND_HOST_IOWAIT] = SUM("iowait", "idle while a disk request was under way"),
	[ND_HOST_TICKS_ALL] = HOST_TICKS("all", "$2+$3+$4+$5+$6+$7+$8+$9", "anything"),
	[ND_HOST_TICKS_IDLE] = HOST_TICKS("idle", "$5", "idleness"),
	[ND_HOST_TICKS_STEAL] = HOST_TICKS("steal", "$9", "waiting for the hypervisor"),
	[ND_HOST_RUN_QUEUE] = GAUGE("run_queue", ND_SAMPLED, "tasks that run or wait for a CPU",
				    "grep procs_running /proc/stat"),
	[ND_HOST_BLOCKED] = GAUGE("blocked", ND_SAMPLED, "tasks that sleep for a disk",
				  "grep procs_blocked /proc/stat"),
	[ND_HOST_LOAD_1] = GAUGE("load.one", ND_GAUGE,
				 "mean of tasks that run, wait for a CPU or for a disk: 1 minute",
				 "cat /proc/loadavg"),
	[ND_HOST_LOAD_5] =
		GAUGE("load.five", ND_GAUGE, "the same of 5 minutes", "cat /proc/loadavg"),
	[ND_HOST_LOAD_15] =
		GAUGE("load.fifteen", ND_GAUGE, "the same of 15 minutes", "cat /proc/loadavg"),
	[ND_HOST_CPUS] = GAUGE("cpu_count", ND_GAUGE, "CPUs that are online", "nproc --all"),
	[ND_HOST_DISK_AWAIT] =
		{.name = "disk.await",
		 .on = ND_HOST,
		 .type = ND_T_NUMBER,
		 .unit = ND_U_SECONDS,
		 .width = ND_SAMPLED,
		 .doc = "mean time of requests to the slowest disk, queueing included",
		 .reproduce = "iostat -xz 5 2"},
	[ND_HOST_DISK_BUSY] = {.name = "disk.busy",
			       .on = ND_HOST,
			       .type = ND_T_NUMBER,
			       .unit = ND_U_PERCENT,
			       .width = ND_SAMPLED,
			       .doc = "share of the time in which that disk had requests",
			       .reproduce = "iostat -xz 5 2"},
	{0},
};

#define HOST 0 /* the entity's id */
#define FIRST_TICKS ND_CPU_TICKS_USER
#define N_TICKS (ND_CPU_TICKS_STEAL - ND_CPU_TICKS_USER + 1)
#define TICKS_MIN 4 /* user nice system idle: what the oldest kernels have */
#define BACKWARDS_MAX                                                                              \
	1000 /* ticks; more is a CPU that went offline and came back with new clocks */

static const unsigned share_of[N_TICKS] = {
	/* the share that each column of ticks belongs to */
	ND_CPU_USER,   ND_CPU_USER, ND_CPU_SYSTEM, ND_CPU_IDLE,
	ND_CPU_IOWAIT, ND_CPU_IRQ,  ND_CPU_SOFT,   ND_CPU_STEAL,
};

/* One reading of /proc/stat. */
struct reading {
	const struct nd_input *in;
	nd_fact_id ids[N_TICKS]; /* of the ticks, looked up once */
};

/* Puts a reading; of the two that can go back a little, the larger of it and the one before. */
static void put_ticks(struct nd_facts *f, nd_id cpu, unsigned column, uint64_t ticks,
		      const struct reading *r)
{
	const unsigned fact = FIRST_TICKS + column;
	struct nd_value before = nd_get(f, cpu, r->ids[column], ND_TOTAL);

	if ((fact == ND_CPU_TICKS_IDLE || fact == ND_CPU_TICKS_IOWAIT) &&
	    before.type == ND_V_NUMBER) {
		double back = before.num - (double)ticks;

		if (back > 0 && back <= BACKWARDS_MAX)
			ticks = (uint64_t)before.num;
	}
	nd_put_reading(f, cpu, &nd_cpu_time_facts[fact], ticks, r->in);
}

static void no_share(struct nd_facts *f, nd_id cpu, enum nd_missing why, const char *detail)
{
	for (unsigned s = ND_CPU_USER; s <= ND_CPU_IOWAIT; s++)
		nd_put_missing(f, cpu, &nd_cpu_time_facts[s], why, "%s", detail);
}

/* The shares from the first moment to this one. */
static void put_shares(struct nd_facts *f, nd_id cpu, unsigned columns, const struct reading *r)
{
	double by_share[ND_CPU_IOWAIT + 1] = {0}, total = 0;

	for (unsigned i = 0; i < columns; i++) {
		struct nd_value d = nd_get(f, cpu, r->ids[i], ND_DELTA);

		if (d.type != ND_V_NUMBER) {
			no_share(f, cpu, d.why,
				 d.why == ND_SINGLE_SNAPSHOT
					 ? "one reading has only shares since boot"
					 : d.detail);
			return;
		}
		by_share[share_of[i]] += d.num;
		total += d.num;
	}
	if (total <= 0) {
		no_share(f, cpu, ND_TOO_FEW_SAMPLES, "no tick was counted");
		return;
	}
	for (unsigned s = ND_CPU_USER; s <= ND_CPU_IOWAIT; s++) {
		if (s == ND_CPU_STEAL && columns < N_TICKS)
			nd_put_missing(f, cpu, &nd_cpu_time_facts[s], ND_NOT_ON_THIS_KERNEL,
				       "%s has no steal", r->in->path);
		else
			nd_put_num(f, cpu, &nd_cpu_time_facts[s], by_share[s] / total, r->in);
	}
}

/* "cpu1 1608 0 …": NULL, or what was found instead of a number. */
static const char *take_cpu(char *line, uint32_t number, const struct reading *r,
			    struct nd_facts *f)
{
	uint64_t ticks[N_TICKS];
	unsigned n = 0;
	nd_id cpu;
	char *word;

	for (; n < N_TICKS && (word = nd_word(&line)); n++) {
		if (!nd_parse_u64(word, 10, &ticks[n]))
			return word;
	}
	if (n < TICKS_MIN)
		return "too few";
	cpu = nd_entity_num(f, ND_CPU, number);
	for (unsigned i = 0; i < n; i++)
		put_ticks(f, cpu, i, ticks[i], r);
	put_shares(f, cpu, n, r);
	return NULL;
}

/* "cpu  1608 0 …": the sum of all. */
static void take_sum(char *line, const struct reading *r, struct nd_facts *f)
{
	uint64_t ticks[N_TICKS] = {0}, all = 0;
	unsigned n = 0;
	char *word;

	while (n < N_TICKS && (word = nd_word(&line)) && nd_parse_u64(word, 10, &ticks[n]))
		all += ticks[n++];
	if (n < TICKS_MIN)
		return;
	nd_put_reading(f, HOST, &nd_cpu_time_facts[ND_HOST_TICKS_ALL], all, r->in);
	nd_put_reading(f, HOST, &nd_cpu_time_facts[ND_HOST_TICKS_IDLE],
		       ticks[ND_CPU_TICKS_IDLE - FIRST_TICKS], r->in);
	if (n == N_TICKS)
		nd_put_reading(f, HOST, &nd_cpu_time_facts[ND_HOST_TICKS_STEAL],
			       ticks[ND_CPU_TICKS_STEAL - FIRST_TICKS], r->in);
}

/* "procs_running 3", "procs_blocked 0" */
static bool take_procs(const char *name, char *line, const struct reading *r, struct nd_facts *f)
{
	const bool running = strcmp(name, "procs_running") == 0;
	char *word;
	uint64_t v;

	if (!running && strcmp(name, "procs_blocked") != 0)
		return false;
	word = nd_word(&line);
	if (word && nd_parse_u64(word, 10, &v))
		nd_put_num(f, HOST,
			   &nd_cpu_time_facts[running ? ND_HOST_RUN_QUEUE : ND_HOST_BLOCKED],
			   (double)v, r->in);
	return true;
}

static int parse_stat(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		      struct nd_err *e)
{
	struct reading r = {.in = in};
	uint32_t good = 0, number;
	int rc = 0;
	char *line;

	for (unsigned i = 0; i < N_TICKS; i++)
		r.ids[i] = nd_registry_find(nd_facts_registry(f), ND_CPU,
					    nd_cpu_time_facts[FIRST_TICKS + i].name);

	while ((line = nd_stream_line(s))) {
		char *name = nd_word(&line);
		const char *found;

		if (name && strcmp(name, "cpu") == 0)
			take_sum(line, &r, f);
		if (!name || take_procs(name, line, &r, f) || !nd_starts(name, "cpu") ||
		    !nd_cpu_from_name(name, &number))
			continue;
		found = take_cpu(line, number, &r, f);
		if (found)
			rc = nd_parse_fail(in, s, e, "numbers of ticks", found);
		else
			good++;
	}
	if (good)
		return 0;
	return rc ? rc : nd_parse_fail(in, s, e, "lines such as cpu0", "none");
}

/* /sys/devices/system/node/nodeN/cpulist: only for CPUs that were seen elsewhere; a node lists
 * offline ones. */
static int parse_node(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		      struct nd_err *e)
{
	char *line = nd_stream_line(s);
	struct nd_cpus cpus;
	uint64_t node;
	char key[16];

	if (!nd_parse_u64(in->arg, 10, &node))
		return nd_parse_fail(in, s, e, "a node's number", in->arg);
	if (!line || !nd_cpus_from_list(line, &cpus))
		return nd_parse_fail(in, s, e, "a list of CPUs", line ? line : "nothing");
	for (uint32_t c = nd_cpus_next(&cpus, 0); c < ND_CPUS_MAX; c = nd_cpus_next(&cpus, c + 1)) {
		nd_id cpu;

		snprintf(key, sizeof(key), "%u", c);
		cpu = nd_entity_find(f, ND_CPU, key);
		if (cpu != ND_NO_ENTITY)
			nd_put_num(f, cpu, &nd_cpu_time_facts[ND_CPU_NODE], (double)node, in);
	}
	return 0;
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	return in->arg ? parse_node(in, s, f, e) : parse_stat(in, s, f, e);
}

/* What no line told of all CPUs together is the mean of what each did. */
static void finish(struct nd_facts *f)
{
	static const struct nd_input in = {.path = "the mean of all CPUs", .netns = "host"};
	const struct nd_registry *r = nd_facts_registry(f);
	uint32_t n;
	const nd_id *cpus = nd_entities(f, ND_CPU, &n);

	for (int s = ND_CPU_USER; s <= ND_CPU_IOWAIT && n; s++) {
		const struct nd_fact_def *d = &nd_cpu_time_facts[ND_HOST_USER + s];
		nd_fact_id from = nd_registry_find(r, ND_CPU, nd_cpu_time_facts[s].name);
		nd_fact_id to = nd_registry_find(r, ND_HOST, d->name);
		double sum = 0;
		uint32_t known = 0;

		for (; known < n; known++) {
			struct nd_value v = nd_get(f, cpus[known], from, ND_BARE);

			if (v.type != ND_V_NUMBER)
				break;
			sum += v.num;
		}
		if (known == n && nd_get(f, HOST, to, ND_BARE).type == ND_V_MISSING)
			nd_put_num(f, HOST, d, sum / n, &in);
	}
	if (n && nd_get(f, HOST, nd_registry_find(r, ND_HOST, "cpu_count"), ND_BARE).type ==
			 ND_V_MISSING)
		nd_put_num(f, HOST, &nd_cpu_time_facts[ND_HOST_CPUS], n, &in);
	for (int i = ND_HOST_DISK_AWAIT; i <= ND_HOST_DISK_BUSY; i++)
		nd_fact_missing(f, &nd_cpu_time_facts[i], ND_TOOL_OUTPUT_ABSENT,
				"only the output of iostat -x tells it");
}

static const struct nd_read reads[] = {
	{"/proc/stat", 0, "cpu [0-9 ]*\ncpu0 [0-9 ]*\n\ncpu [0-9 ]*\nbtime [0-9]*"},
	{"/sys/devices/system/node/node*/cpulist", ND_READ_ONCE},
	{0},
};

const struct nd_collector nd_collector_cpu = {
	.name = "cpu",
	.doc = "where each CPU's time went; its NUMA node",
	.collect = "cat /proc/stat",
	.reads = reads,
	.facts = nd_cpu_time_facts,
	.entities = {ND_CPU, ND_NO_KIND},
	.parse = parse,
	.finish = finish,
};
