/* What other collectors ask about the host. */
#ifndef ND_HOST_H
#define ND_HOST_H

#include "collectors/cpulist.h"
#include "engine/core/fact.h"

/* The online CPUs, as far as they were read before; else *out is empty and the answer false. */
bool nd_host_online(const struct nd_facts *f, struct nd_cpus *out);
/* Seconds since boot, as far as they were read before; else false. */
bool nd_host_uptime(const struct nd_facts *f, double *out);
/* What both readers of the kernel's log tell about it, its end first. */
extern const struct nd_fact_def nd_kernel_log_facts[];
#endif
