/* How many TCP connections are in which state: the facts, and the names that tools give the states.
 *
 * ss writes TIME-WAIT, netstat TIME_WAIT, BSD's netstat SYN_RCVD: all are compared without their
 * dashes. */
#ifndef ND_TCP_STATES_H
#define ND_TCP_STATES_H

#include "collectors/sock_group.h"

#define ND_TCP_STATES (ND_TCP_CLOSING + 1)

/* One fact a state, of a network namespace; ends with name NULL. */
extern const struct nd_fact_def nd_tcp_state_facts[];

struct nd_tcp_states {
	uint64_t n[ND_TCP_STATES]; /* by enum nd_tcp_state */
	bool seen[ND_TCP_STATES];
	bool whole; /* what was not seen is zero */
};

/* The state that the n bytes at s name, in capitals, perhaps in brackets; else ND_TCP_UNKNOWN. */
enum nd_tcp_state nd_tcp_state_named(const char *s, size_t n);
/* Puts the counts. What another input said before stays: a list may be an excerpt, a sum is not. */
void nd_tcp_states_put(struct nd_facts *f, const struct nd_tcp_states *c,
		       const struct nd_input *in);

#endif
