/* Facts of CPUs that /proc/stat and mpstat both give. */
#ifndef ND_CPU_H
#define ND_CPU_H

#include "engine/core/fact.h"

enum {
	ND_CPU_USER,
	ND_CPU_SYSTEM,
	ND_CPU_SOFT,
	ND_CPU_IRQ,
	ND_CPU_STEAL,
	ND_CPU_IDLE,
	ND_CPU_IOWAIT,
	ND_CPU_TICKS_USER,
	ND_CPU_TICKS_NICE,
	ND_CPU_TICKS_SYSTEM,
	ND_CPU_TICKS_IDLE,
	ND_CPU_TICKS_IOWAIT,
	ND_CPU_TICKS_IRQ,
	ND_CPU_TICKS_SOFT,
	ND_CPU_TICKS_STEAL,
	ND_CPU_NODE
};
/* Shares are ratios (0..1) of the window. Index it with the names above. */
extern const struct nd_fact_def nd_cpu_time_facts[];
#endif
