/* How deep CPUs sleep when idle, and who chooses their clock: cpuidle and cpufreq.
 *
 * The states' directories list exit latency in us, whether somebody disabled it, and how often it was
 * entered. Only the deepest enabled state matters: that is how late a CPU can wake up. It is settled at
 * the first moment; later only its counter is read. A virtual machine has no states, and no clock of
 * its own. cpupower idle-info prints the same for one CPU or several. Sample:
 *
 * analyzing CPU 0:
 * C6:
 * Flags/Description: MWAIT 0x20
 * Latency: 133
 * Usage: 2345 */
#include "collectors/collector.h"
#include "collectors/cpulist.h"

#include <errno.h>

#define CPUS_MAX 256u
#define STATES_MAX 16u
#define DIR "/sys/devices/system/cpu/cpu"

enum { LATENCY, STATE, ENTRIES, GOVERNOR };

static const struct nd_fact_def facts[] = {
	[LATENCY] =
		{.name = "idle.latency",
		 .on = ND_CPU,
		 .type = ND_T_NUMBER,
		 .unit = ND_U_SECONDS,
		 .doc = "exit latency of the deepest idle state that is enabled; absent if the CPU "
			"has no states",
		 .reproduce = "grep . " DIR "{key}/cpuidle/state*/latency"},
	[STATE] = {.name = "idle.state",
		   .on = ND_CPU,
		   .type = ND_T_TEXT,
		   .doc = "name of that state",
		   .reproduce = "grep . " DIR "{key}/cpuidle/state*/name"},
	[ENTRIES] = {.name = "idle.entries",
		     .on = ND_CPU,
		     .type = ND_T_NUMBER,
		     .unit = ND_U_COUNT,
		     .width = ND_COUNTER64,
		     .doc = "times that the CPU went into that state",
		     .reproduce = "grep . " DIR "{key}/cpuidle/state*/usage"},
	[GOVERNOR] = {.name = "governor",
		      .on = ND_CPU,
		      .type = ND_T_TEXT,
		      .doc = "what chooses the CPU's clock: performance, powersave, schedutil, …; "
			     "absent if nothing does",
		      .reproduce = "cat " DIR "{key}/cpufreq/scaling_governor"},
	{0},
};

/* ---- live ---- */

struct state {
	uint32_t n;
	struct deepest {
		nd_id cpu;
		uint32_t number, state;
	} deepest[CPUS_MAX];
};

/* The number in CPU's file of that state; false if there is none. */
static bool read_number(struct nd_live *l, uint32_t cpu, uint32_t state, const char *name,
			uint64_t *out)
{
	char path[96], text[64];

	snprintf(path, sizeof(path), DIR "%u/cpuidle/state%u/%s", cpu, state, name);
	return nd_source_text(l->source, path, text, sizeof(text)) == 0 &&
	       nd_parse_u64(nd_trim(text), 10, out);
}

static void find_deepest(struct nd_live *l, struct nd_facts *f, struct state *st, nd_id cpu,
			 uint32_t number)
{
	uint64_t latency, disabled, most = 0;
	struct nd_input in = l->in;
	char path[96], text[64];
	bool any = false;
	uint32_t best = 0;

	in.path = "/sys/devices/system/cpu/cpu*/cpuidle";
	for (uint32_t s = 0; s < STATES_MAX && read_number(l, number, s, "latency", &latency);
	     s++) {
		if (read_number(l, number, s, "disable", &disabled) && disabled)
			continue;
		if (!any || latency >= most)
			best = s;
		most = latency > most ? latency : most;
		any = true;
	}
	if (!any) {
		nd_put_absent(f, cpu, &facts[LATENCY], &in);
		nd_put_absent(f, cpu, &facts[STATE], &in);
		nd_put_absent(f, cpu, &facts[ENTRIES], &in);
		return;
	}
	nd_put_num(f, cpu, &facts[LATENCY], (double)most / 1e6, &in);
	snprintf(path, sizeof(path), DIR "%u/cpuidle/state%u/name", number, best);
	if (nd_source_text(l->source, path, text, sizeof(text)) == 0)
		nd_put_text(f, cpu, &facts[STATE], nd_trim(text), &in);
	st->deepest[st->n++] = (struct deepest){cpu, number, best};
}

static void find_governor(struct nd_live *l, struct nd_facts *f, nd_id cpu, uint32_t number)
{
	char path[96], text[64];
	struct nd_input in = l->in;
	int rc;

	snprintf(path, sizeof(path), DIR "%u/cpufreq/scaling_governor", number);
	in.path = path;
	rc = nd_source_text(l->source, path, text, sizeof(text));
	if (rc == 0 && *nd_trim(text))
		nd_put_text(f, cpu, &facts[GOVERNOR], nd_trim(text), &in);
	else if (rc == -ENOENT)
		nd_put_absent(f, cpu, &facts[GOVERNOR], &in);
}

static int live(struct nd_live *l, struct nd_facts *f, struct nd_err *e)
{
	struct state *st = *l->state;
	uint64_t number, entries;

	(void)e;
	if (l->between)
		return 0;
	if (!st) {
		uint32_t n;
		const nd_id *cpus = nd_entities(f, ND_CPU, &n);

		*l->state = st = nd_alloc(sizeof(*st));
		for (uint32_t i = 0; i < n && i < CPUS_MAX; i++) {
			if (!nd_parse_u64(nd_entity_key(f, cpus[i]), 10, &number))
				continue;
			find_deepest(l, f, st, cpus[i], (uint32_t)number);
			find_governor(l, f, cpus[i], (uint32_t)number);
		}
	}
	for (uint32_t i = 0; i < st->n; i++) {
		const struct deepest *d = &st->deepest[i];
		struct nd_input in = l->in;

		in.path = "/sys/devices/system/cpu/cpu*/cpuidle/state*/usage";
		in.t_ns = nd_source_now(l->source);
		if (read_number(l, d->number, d->state, "usage", &entries))
			nd_put_reading(f, d->cpu, &facts[ENTRIES], entries, &in);
	}
	return 0;
}

static void end(void *state)
{
	free(state);
}

/* ---- text ---- */

/* One CPU of cpupower's output. */
struct text {
	struct nd_facts *f;
	const struct nd_input *in;
	nd_id cpu;
	bool any, has_cpu, disabled, has_latency;
	char name[32], best_name[32];
	uint64_t latency, best_latency, best_entries;
};

static void end_cpu(struct text *x)
{
	if (x->has_cpu && x->any) {
		nd_put_num(x->f, x->cpu, &facts[LATENCY], (double)x->best_latency / 1e6, x->in);
		nd_put_text(x->f, x->cpu, &facts[STATE], x->best_name, x->in);
		nd_put_reading(x->f, x->cpu, &facts[ENTRIES], x->best_entries, x->in);
	}
	x->any = false;
}

/* "analyzing CPU 0:", "CPU 0:" */
static bool take_cpu(struct text *x, char *line)
{
	char *at = strstr(line, "CPU ");
	uint64_t v;

	if (!at || (at != line && !nd_starts(line, "analyzing")))
		return false;
	at += strlen("CPU ");
	at[strcspn(at, ":")] = '\0';
	if (!nd_parse_u64(nd_trim(at), 10, &v) || v >= ND_CPUS_MAX)
		return false;
	end_cpu(x);
	x->cpu = nd_entity_num(x->f, ND_CPU, v);
	x->has_cpu = true;
	x->name[0] = '\0';
	return true;
}

static void take_line(struct text *x, char *line)
{
	char *colon = strrchr(line, ':'), *key = line, *value;
	uint64_t v;

	if (take_cpu(x, line) || !colon)
		return;
	*colon = '\0';
	value = nd_trim(colon + 1);
	key = nd_trim(key);
	if (!*value) { /* "C6:", "C6 (DISABLED) :" */
		x->disabled = strstr(key, "DISABLED") != NULL;
		x->has_latency = false;
		snprintf(x->name, sizeof(x->name), "%.*s", (int)strcspn(key, " "), key);
	} else if (x->name[0] && strcmp(key, "Latency") == 0) {
		x->has_latency = nd_parse_u64(value, 10, &x->latency);
	} else if (x->has_latency && strcmp(key, "Usage") == 0 && !x->disabled &&
		   nd_parse_u64(value, 10, &v) && (!x->any || x->latency >= x->best_latency)) {
		x->any = true;
		x->best_latency = x->latency;
		x->best_entries = v;
		snprintf(x->best_name, sizeof(x->best_name), "%s", x->name);
	}
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	struct text x = {.f = f, .in = in};
	char *line;

	while ((line = nd_stream_line(s)))
		take_line(&x, nd_trim(line));
	end_cpu(&x);
	if (nd_stream_error(s))
		return nd_fail(e, nd_stream_error(s), "%s: %s", in->path,
			       strerror(-nd_stream_error(s)));
	return x.has_cpu ? 0 : nd_parse_fail(in, s, e, "idle states below a line CPU 0:", "none");
}

static const struct nd_read reads[] = {
	{"cpupower idle-info", 0, "CPUidle driver: *\nLatency: [0-9]*"},
	{0},
};

const struct nd_collector nd_collector_cpuidle = {
	.name = "cpuidle",
	.doc = "idle states of the CPUs, and what chooses their clock",
	.reads = reads,
	.facts = facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
	.live = live,
	.end = end,
};
