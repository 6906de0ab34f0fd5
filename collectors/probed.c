/* Facts that only a probe gives, declared here so that rules can ask for them when no probe ran:
 * then they are known to be not sampled, and the report can name the probe that would answer. */
#include "collectors/collector.h"
#include "collectors/process.h"

#define NUMBER(n, kind, u, w, p, text)                                                             \
	{                                                                                          \
		.name = n, .on = kind, .type = ND_T_NUMBER, .unit = u, .width = w, .doc = text,    \
		.probe = p                                                                         \
	}
#define TEXT(n, kind, p, text)                                                                     \
	{                                                                                          \
		.name = n, .on = kind, .type = ND_T_TEXT, .doc = text, .probe = p                  \
	}
#define HIST(n, kind, p, text)                                                                     \
	{                                                                                          \
		.name = n, .on = kind, .type = ND_T_HIST, .unit = ND_U_SECONDS, .doc = text,       \
		.probe = p                                                                         \
	}

const struct nd_fact_def nd_process_facts[] = {
	[ND_P_COMM] = {.name = "comm",
		       .on = ND_PROCESS,
		       .type = ND_T_TEXT,
		       .doc = "command name of the process, at most 15 bytes",
		       .reproduce = "cat /proc/{key}/comm"},
	[ND_P_WALL] = NUMBER("wall", ND_PROCESS, ND_U_SECONDS, ND_GAUGE, "offcpu",
			     "time for which the process was watched, summed over its threads"),
	HIST("runq_wait", ND_HOST, "runqlat", "time from runnable to running, all threads"),
	TEXT("comm", ND_THREAD, "runqlat", "command name of the thread, at most 15 bytes"),
	TEXT("policy", ND_THREAD, "runqlat",
	     "scheduling policy: other, batch, idle, fifo, rr, deadline"),
	NUMBER("run_time", ND_THREAD, ND_U_SECONDS, ND_COUNTER64, "runqlat", "time spent on a CPU"),
	NUMBER("wait_time", ND_THREAD, ND_U_SECONDS, ND_COUNTER64, "runqlat",
	       "time spent runnable but waiting for a CPU"),
	NUMBER("timeslices", ND_THREAD, ND_U_COUNT, ND_COUNTER64, "runqlat",
	       "times it was put on a CPU"),
	HIST("runq_wait", ND_THREAD, "runqlat", "time from runnable to running"),
	TEXT("frames", ND_STACK, "offcpu", "kernel functions, innermost first, separated by ;"),
	NUMBER("time", ND_STACK, ND_U_SECONDS, ND_GAUGE, "offcpu",
	       "time that threads slept in this stack"),
	NUMBER("calls", ND_FUNCTION, ND_U_COUNT, ND_COUNTER64, "funclat", "calls of the function"),
	NUMBER("time", ND_FUNCTION, ND_U_SECONDS, ND_COUNTER64, "funclat",
	       "time within the function"),
	HIST("latency", ND_FUNCTION, "funclat", "time from entry to return"),
	NUMBER("cpu_share", ND_FUNCTION, ND_U_PERCENT, ND_GAUGE, "profile",
	       "share of the busy CPU time that was spent in it"),
	{0},
};

static void finish(struct nd_facts *f)
{
	static const struct {
		enum nd_kind kind;
		const char *probe;
	} kinds[] = {
		{ND_FUNCTION, "funclat"},
		{ND_STACK, "offcpu"},
		{ND_THREAD, "runqlat"},
	};
	uint32_t n;

	for (const struct nd_fact_def *d = nd_process_facts; d->name; d++) {
		if (d->probe)
			nd_fact_missing(f, d, ND_NOT_SAMPLED, "needs the %s probe", d->probe);
		else
			nd_fact_missing(f, d, ND_TOOL_OUTPUT_ABSENT,
					"nothing that was read names processes");
	}
	for (size_t i = 0; i < ND_ARRAY_LEN(kinds); i++) {
		nd_entities(f, kinds[i].kind, &n);
		if (n == 0)
			nd_kind_missing(f, kinds[i].kind, ND_NOT_SAMPLED, "needs the %s probe",
					kinds[i].probe);
	}
}

const struct nd_collector nd_collector_probed = {
	.name = "probed",
	.doc = "facts that only probes give",
	.facts = nd_process_facts,
	.entities = {ND_NO_KIND},
	.finish = finish,
};
