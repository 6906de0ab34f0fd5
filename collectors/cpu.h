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
	ND_CPU_NODE,
	ND_HOST_USER, /* the same shares of all CPUs together, sampled */
	ND_HOST_SYSTEM,
	ND_HOST_SOFT,
	ND_HOST_IRQ,
	ND_HOST_STEAL,
	ND_HOST_IDLE,
	ND_HOST_IOWAIT,
	ND_HOST_TICKS_ALL,
	ND_HOST_TICKS_IDLE,
	ND_HOST_TICKS_STEAL,
	ND_HOST_RUN_QUEUE,
	ND_HOST_BLOCKED,
	ND_HOST_LOAD_1,
	ND_HOST_LOAD_5,
	ND_HOST_LOAD_15,
	ND_HOST_CPUS,
	ND_HOST_DISK_AWAIT,
	ND_HOST_DISK_BUSY
};
#define ND_CPU_SHARES (ND_CPU_IOWAIT + 1)
/* What a line of some tool says of a CPU, or of all: shares as ratios. */
struct nd_cpu_shares {
	double share[ND_CPU_SHARES];
	bool have[ND_CPU_SHARES];
};
/* The share that a label of any tool names ("us", "%usr", "id", "sirq", "%iowait"), or -1. */
int nd_cpu_label(const char *label);
/* Adds to a share; what is not told stays missing. */
void nd_cpu_add(struct nd_cpu_shares *s, int share, double ratio);
/* Puts a sample of all CPUs together. */
void nd_cpu_put_host(struct nd_facts *f, const struct nd_cpu_shares *s, const struct nd_input *in);
/* "Linux 5.4.0 (host)  11/02/2020  _x86_64_  (8 CPU)", the first line of sysstat's tools. */
bool nd_cpu_banner(const char *line, struct nd_facts *f, const struct nd_input *in);
/* Puts the shares of one CPU. */
void nd_cpu_put(struct nd_facts *f, uint32_t cpu, const struct nd_cpu_shares *s,
		const struct nd_input *in);

/* Shares are ratios (0..1) of the window. Index it with the names above. */
extern const struct nd_fact_def nd_cpu_time_facts[];
#endif
