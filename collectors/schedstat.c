/* How long threads wait for a CPU: the scheduler's own sums, per thread and per CPU.
 *
 * /proc/PID/task/TID/schedstat holds three numbers: time on a CPU and time runnable but waiting, both
 * in ns, and how often it was put on a CPU; /proc/PID/schedstat is the main thread alone. Live only
 * threads of processes that listen are read, with the CPUs they may run on. /proc/schedstat has the
 * same sums per CPU as the last three of its first nine fields since version 15 of its format, in
 * kernels built with CONFIG_SCHEDSTATS; they count only while kernel.sched_schedstats or a task's
 * accounting is on. Samples: "7354871 120931 41", "cpu0 0 0 0 0 0 0 98223 1822 17". */
#include "collectors/collector.h"
#include "collectors/cpulist.h"
#include "collectors/process.h"

#include <errno.h>

#define THREADS_MAX 2048u /* looked at in a moment */
#define VERSION_MIN 15

enum { F_CPU_WAIT, F_CPU_SLICES };

static const struct nd_fact_def facts[] = {
	[F_CPU_WAIT] = {.name = "wait_time",
			.on = ND_CPU,
			.type = ND_T_NUMBER,
			.unit = ND_U_SECONDS,
			.width = ND_COUNTER64,
			.kernel_unit = 1e-9,
			.doc = "time that threads waited for this CPU, summed over them",
			.reproduce = "awk '$1==\"cpu{key}\" {print $9}' /proc/schedstat"},
	[F_CPU_SLICES] = {.name = "timeslices",
			  .on = ND_CPU,
			  .type = ND_T_NUMBER,
			  .unit = ND_U_COUNT,
			  .width = ND_COUNTER64,
			  .doc = "times that a thread was put on this CPU",
			  .reproduce = "awk '$1==\"cpu{key}\" {print $10}' /proc/schedstat"},
	{0},
};

/* ---- one thread ---- */

/* "7354871 120931 41" */
static bool take_thread(struct nd_facts *f, nd_id thread, char *line, const struct nd_input *in)
{
	static const int fact[] = {ND_P_THREAD_RUN_TIME, ND_P_THREAD_WAIT_TIME, ND_P_THREAD_SLICES};
	uint64_t v[ND_ARRAY_LEN(fact)];

	for (size_t i = 0; i < ND_ARRAY_LEN(fact); i++) {
		char *word = nd_word(&line);

		if (!word || !nd_parse_u64(word, 10, &v[i]))
			return false;
	}
	if (nd_word(&line))
		return false;
	for (size_t i = 0; i < ND_ARRAY_LEN(fact); i++)
		nd_put_reading(f, thread, &nd_process_facts[fact[i]], v[i], in);
	return true;
}

/* The number that is the n-th component from the end of a path, 0 being the file itself. */
static bool number_at(const char *path, unsigned n, uint64_t *out)
{
	char text[32];
	const char *end = path + strlen(path), *at;

	for (;; n--) {
		size_t len;

		for (at = end; at > path && at[-1] != '/'; at--)
			;
		len = (size_t)(end - at);
		if (n == 0) {
			if (len == 0 || len >= sizeof(text))
				return false;
			memcpy(text, at, len);
			text[len] = '\0';
			return nd_parse_u64(text, 10, out);
		}
		if (at == path)
			return false;
		end = at - 1;
	}
}

/* ---- text ---- */

/* "cpu0 0 0 0 0 0 0 98223 1822 17" behind its name. */
static bool take_cpu(struct nd_facts *f, uint32_t cpu, char *line, const struct nd_input *in)
{
	uint64_t v[9];
	nd_id on;

	for (size_t i = 0; i < ND_ARRAY_LEN(v); i++) {
		char *word = nd_word(&line);

		if (!word || !nd_parse_u64(word, 10, &v[i]))
			return false;
	}
	on = nd_entity_num(f, ND_CPU, cpu);
	nd_put_reading(f, on, &facts[F_CPU_WAIT], v[7], in);
	nd_put_reading(f, on, &facts[F_CPU_SLICES], v[8], in);
	return true;
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	uint64_t version = VERSION_MIN, tid;
	const bool task = number_at(in->path, 1, &tid);
	uint32_t good = 0, number;
	char *line;

	while ((line = nd_stream_line(s))) {
		char *at = line, *name;

		if (task) {
			good += take_thread(f, nd_entity_num(f, ND_THREAD, tid), line, in);
			continue;
		}
		name = nd_word(&at);
		if (name && strcmp(name, "version") == 0 && (name = nd_word(&at)) &&
		    nd_parse_u64(name, 10, &version))
			continue;
		if (name && version >= VERSION_MIN && nd_cpu_from_name(name, &number))
			good += take_cpu(f, number, at, in);
	}
	if (nd_stream_error(s))
		return nd_fail(e, nd_stream_error(s), "%s: %s", in->path,
			       strerror(-nd_stream_error(s)));
	return good ? 0
		    : nd_parse_fail(in, s, e, "lines of /proc/schedstat, or PID in the path",
				    "none");
}

/* ---- live ---- */

/* The CPUs that it may run on, of the line "Cpus_allowed_list:\t0-3" of its status. */
static void take_cpus(struct nd_live *l, struct nd_facts *f, nd_id thread, const char *dir)
{
	static const char key[] = "Cpus_allowed_list:";
	char path[96], text[8192];
	struct nd_cpus cpus;
	char *line;

	snprintf(path, sizeof(path), "%s/status", dir);
	if (nd_source_text(l->source, path, text, sizeof(text)) != 0 || !(line = strstr(text, key)))
		return;
	line += strlen(key);
	line[strcspn(line, "\n")] = '\0';
	if (!nd_cpus_from_list(nd_trim(line), &cpus))
		return;
	for (uint32_t c = nd_cpus_next(&cpus, 0); c < ND_CPUS_MAX; c = nd_cpus_next(&cpus, c + 1)) {
		char name[16];
		nd_id cpu;

		snprintf(name, sizeof(name), "%u", c);
		cpu = nd_entity_find(f, ND_CPU,
				     name); /* the list may name CPUs that are not there */
		if (cpu != ND_NO_ENTITY)
			nd_relate(f, thread, ND_THREAD_CPUS, cpu);
	}
}

static void read_thread(struct nd_live *l, struct nd_facts *f, nd_id thread, nd_id process)
{
	char dir[64], path[96], text[256];
	struct nd_input in = l->in;
	int rc;

	snprintf(dir, sizeof(dir), "/proc/%.20s/task/%.20s", nd_entity_key(f, process),
		 nd_entity_key(f, thread));
	if (l->first) {
		take_cpus(l, f, thread, dir);
		snprintf(path, sizeof(path), "%s/comm", dir);
		in.path = path;
		if (nd_source_text(l->source, path, text, sizeof(text)) == 0 && *nd_trim(text))
			nd_put_text(f, thread, &nd_process_facts[ND_P_THREAD_COMM], nd_trim(text),
				    &in);
	}
	snprintf(path, sizeof(path), "%s/schedstat", dir);
	rc = nd_source_text(l->source, path, text, sizeof(text));
	in.path = path;
	in.t_ns = nd_source_now(l->source);
	if (rc == 0)
		take_thread(f, thread, nd_trim(text), &in);
	else if (l->first)
		for (int i = ND_P_THREAD_RUN_TIME; i <= ND_P_THREAD_SLICES; i++)
			nd_put_missing(f, thread, &nd_process_facts[i],
				       rc == -ENOENT ? ND_NOT_ON_THIS_KERNEL : ND_NO_PERMISSION,
				       "%s: %s", path, strerror(-rc));
}

static int live(struct nd_live *l, struct nd_facts *f, struct nd_err *e)
{
	uint32_t n;
	const nd_id *all = nd_entities(f, ND_THREAD, &n);
	nd_id *threads;

	(void)e;
	if (l->between || n == 0)
		return 0;
	n = n < THREADS_MAX ? n : THREADS_MAX;
	threads = nd_alloc(n * sizeof(*threads)); /* of its own: the list moves when one is made */
	memcpy(threads, all, n * sizeof(*threads));
	for (uint32_t i = 0; i < n; i++) {
		struct nd_links process = nd_related(f, threads[i], ND_THREAD_PROCESS, false);

		if (process.n == 1)
			read_thread(l, f, threads[i], process.ids[0]);
	}
	free(threads);
	return 0;
}

static void finish(struct nd_facts *f)
{
	for (int i = F_CPU_WAIT; i <= F_CPU_SLICES; i++)
		nd_fact_missing(
			f, &facts[i], ND_TOOL_OUTPUT_ABSENT,
			"no /proc/schedstat: the kernel is built without it, or it was not recorded");
}

static const struct nd_read reads[] = {
	{"/proc/schedstat", 0, "version 1[5-9]\ntimestamp *"},
	{"schedstat", 0, NULL}, /* in a copied tree, of a process or thread */
	{0},
};

const struct nd_collector nd_collector_schedstat = {
	.name = "schedstat",
	.doc = "how long threads of servers waited for a CPU",
	.collect = "pidstat -t -u 1 5",
	.reads = reads,
	.facts = facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
	.live = live,
	.finish = finish,
};
