/* Facts of processes that more than one part puts: sockets name owners, probes measure them. */
#ifndef ND_PROCESS_H
#define ND_PROCESS_H

#include "engine/core/fact.h"

enum {
	ND_P_COMM,
	ND_P_WALL,
	ND_P_HOST_RUNQ_WAIT,
	ND_P_THREAD_COMM,
	ND_P_THREAD_POLICY,
	ND_P_THREAD_RUN_TIME,
	ND_P_THREAD_WAIT_TIME,
	ND_P_THREAD_SLICES,
	ND_P_THREAD_RUNQ_WAIT,
	ND_P_STACK_FRAMES,
	ND_P_STACK_TIME,
	ND_P_FUNCTION_CALLS,
	ND_P_FUNCTION_TIME,
	ND_P_FUNCTION_LATENCY,
	ND_P_FUNCTION_CPU_SHARE
};
/* Index it with the names above. Probes give them, and tools that measure the same. */
extern const struct nd_fact_def nd_process_facts[];
#endif
