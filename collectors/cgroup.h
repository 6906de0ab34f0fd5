/* Facts of control groups: CPU quota, memory limit, stalls. Read from files that were copied, and live from the
 * groups of the processes that listen. */
#ifndef ND_CGROUP_H
#define ND_CGROUP_H

#include "collectors/collector.h"

enum nd_cgroup_fact {
	ND_CG_LIMITED,
	ND_CG_QUOTA,
	ND_CG_PERIOD,
	ND_CG_PERIODS,
	ND_CG_THROTTLED,
	ND_CG_THROTTLED_TIME,
	ND_CG_USAGE,
	ND_CG_UNIT,
	ND_CG_RUNTIME,
	ND_CG_CONTAINER,
	ND_CG_MEM_CURRENT,
	ND_CG_MEM_MAX,
	ND_CG_MEM_HIGH_HITS,
	ND_CG_MEM_MAX_HITS,
	ND_CG_PRESSURE_CPU,
	ND_CG_PRESSURE_MEM,
	ND_CG_PRESSURE_MEM_FULL,
	ND_CG_PRESSURE_IO,
	ND_CG_FACTS
};
extern const struct nd_fact_def nd_cgroup_facts[ND_CG_FACTS + 1];

#define ND_CGROUP_PATH 512 /* bytes of a group's path */

/* The group with this path, "/" and what lies below; its unit and its container are told by its name. */
nd_id nd_cgroup_entity(struct nd_facts *f, const char *path, const struct nd_input *in);
/* The file whose name s begins with (ended by a separator), and that name's length; negative: none. */
int nd_cgroup_file_named(const char *s, size_t *len);
/* Takes a line of that file: true if it said something. */
bool nd_cgroup_line(struct nd_facts *f, nd_id group, int file, char *line,
		    const struct nd_input *in);

/* Live: the groups of processes that own a listener, and all above them. */
int nd_cgroup_live(struct nd_live *l, struct nd_facts *f, struct nd_err *e);
void nd_cgroup_live_end(void *state);
#endif
