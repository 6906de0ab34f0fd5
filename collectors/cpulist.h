/* Sets of CPUs, as the kernel writes them: lists ("0-3,8") and hexadecimal masks ("f,00000000"). */
#ifndef ND_CPULIST_H
#define ND_CPULIST_H

#include "engine/core/base.h"

#define ND_CPUS_MAX 8192u /* the kernel's own largest NR_CPUS (x86-64) */

struct nd_cpus {
	uint64_t bits[ND_CPUS_MAX / 64];
};

/* Both take the whole text, blanks around it allowed, and fail on anything else: then *out is
 * empty. An empty text is the empty set. */
bool nd_cpus_from_list(const char *text, struct nd_cpus *out);
/* Groups of 32 bits, most significant first, separated by commas. */
bool nd_cpus_from_mask(const char *text, struct nd_cpus *out);

bool nd_cpus_has(const struct nd_cpus *c, uint64_t cpu);
uint32_t nd_cpus_count(const struct nd_cpus *c);
/* The first CPU >= from, or ND_CPUS_MAX: to go on, from is the last one + 1. */
uint32_t nd_cpus_next(const struct nd_cpus *c, uint32_t from);
/* The n-th CPU of the set, from 0, or ND_CPUS_MAX. */
uint32_t nd_cpus_nth(const struct nd_cpus *c, uint32_t n);

/* The number behind "CPU" or "cpu" of a column head, whole word; false for anything else. */
bool nd_cpu_from_name(const char *name, uint32_t *cpu);
#endif
