/* Facts that only a probe gives, declared here so that rules can ask for them when no probe ran:
 * then they are known to be not sampled, and the report can name the probe that would answer. */
#include "collectors/collector.h"
#include "collectors/process.h"

#define NUMBER(n, kind, u, w, p, text)                                                             \
	{                                                                                          \
		.name = n, .on = kind, .type = ND_T_NUMBER, .unit = u, .width = w, .doc = text,    \
		.probe = p                                                                         \
	}
/* Also in /proc/PID/task/TID/schedstat, in nanoseconds. */
#define SCHEDSTAT(n, column, u, text)                                                              \
	{                                                                                          \
		.name = n, .on = ND_THREAD, .type = ND_T_NUMBER, .unit = u, .width = ND_COUNTER64, \
		.kernel_unit = (u) == ND_U_SECONDS ? 1e-9 : 0, .doc = text, .probe = "runqlat",    \
		.reproduce = "awk '{print $" #column "}' /proc/*/task/{key}/schedstat"             \
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
	[ND_P_HOST_RUNQ_WAIT] =
		HIST("runq_wait", ND_HOST, "runqlat", "time from runnable to running, all threads"),
	[ND_P_THREAD_COMM] =
		TEXT("comm", ND_THREAD, "runqlat", "command name of the thread, at most 15 bytes"),
	[ND_P_THREAD_POLICY] = TEXT("policy", ND_THREAD, "runqlat",
				    "scheduling policy: other, batch, idle, fifo, rr, deadline"),
	[ND_P_THREAD_RUN_TIME] = SCHEDSTAT("run_time", 1, ND_U_SECONDS, "time spent on a CPU"),
	[ND_P_THREAD_WAIT_TIME] = SCHEDSTAT("wait_time", 2, ND_U_SECONDS,
					    "time spent runnable but waiting for a CPU"),
	[ND_P_THREAD_SLICES] = SCHEDSTAT("timeslices", 3, ND_U_COUNT, "times it was put on a CPU"),
	[ND_P_THREAD_RUNQ_WAIT] =
		HIST("runq_wait", ND_THREAD, "runqlat", "time from runnable to running"),
	[ND_P_STACK_FRAMES] = TEXT("frames", ND_STACK, "offcpu",
				   "kernel functions, innermost first, separated by ;"),
	[ND_P_STACK_TIME] = NUMBER("time", ND_STACK, ND_U_SECONDS, ND_GAUGE, "offcpu",
				   "time that threads slept in this stack"),
	[ND_P_FUNCTION_CALLS] = NUMBER("calls", ND_FUNCTION, ND_U_COUNT, ND_COUNTER64, "funclat",
				       "calls of the function"),
	[ND_P_FUNCTION_TIME] = NUMBER("time", ND_FUNCTION, ND_U_SECONDS, ND_COUNTER64, "funclat",
				      "time within the function"),
	[ND_P_FUNCTION_LATENCY] =
		HIST("latency", ND_FUNCTION, "funclat", "time from entry to return"),
	[ND_P_FUNCTION_CPU_SHARE] =
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
