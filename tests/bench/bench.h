/* A large host whose faults are known, and rules that look for them. */
#ifndef ND_BENCH_H
#define ND_BENCH_H

#include "engine/core/fact.h"

#define CPUS 512u
#define NICS 32u
#define QUEUES_PER_NIC 16u
#define IFACES 4096u
#define LISTENERS 10000u

/* The planted faults. */
#define FAULT_CPU 22u
#define FAULT_NIC 3u
#define FAULT_LISTENER 77u

struct world {
	struct nd_registry *r;
	struct nd_facts *f;
	nd_id cpu[CPUS], iface[IFACES];
	uint64_t random;
};

/* lo up to hi - 1 */
uint64_t bench_pick(struct world *w, uint64_t lo, uint64_t hi);
/* CPUs, interfaces, queues; then the listeners. */
void bench_fill(struct world *w);
void bench_fill_listeners(struct world *w);

/* Rules are numbered; every SHAPES-th looks for the same thing, with its own thresholds. */
#define SHAPES 10u
void bench_write_rule(struct world *w, uint32_t i, struct nd_buf *b);
enum nd_kind bench_scope(uint32_t i);
uint32_t bench_fault(uint32_t i); /* CPU or NIC that rule i looks for; 0 for the host */
bool bench_fires(uint32_t i); /* its threshold lies below the planted fault */
bool bench_only_likely(uint32_t i); /* a supports question caps its word */
#endif
