/* The facts of /proc/net/sockstat, which `ss -s` shows a part of. */
#ifndef ND_SOCKSTAT_H
#define ND_SOCKSTAT_H

#include "engine/core/fact.h"

enum nd_sockstat_fact {
	ND_SOCKSTAT_INUSE,
	ND_SOCKSTAT_TW,
	ND_SOCKSTAT_ORPHAN,
	ND_SOCKSTAT_ALLOC,
	ND_SOCKSTAT_MEM,
};
extern const struct nd_fact_def nd_sockstat_facts[]; /* ends with name NULL */

#endif
