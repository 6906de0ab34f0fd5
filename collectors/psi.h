/* Pressure stall information: the same two lines in /proc/pressure and in a control group. */
#ifndef ND_PSI_H
#define ND_PSI_H

#include "engine/core/fact.h"

/* "some avg10=0.22 avg60=0.17 avg300=1.11 total=58761459" */
struct nd_psi {
	bool full; /* all tasks stalled at once; else at least one */
	double avg10; /* ratio of the last ten seconds */
	uint64_t total_us; /* stalled since boot */
};
/* False if the line is none. Modifies it. */
bool nd_psi_line(char *line, struct nd_psi *out);
#endif
