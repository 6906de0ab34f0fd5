/* Which processes hold a socket: descriptor links in /proc/PID/fd against the socket's inode.
 *
 * One pass over all processes answers for all sockets that are asked for; it costs microseconds per
 * descriptor, so ask for listeners and suspects only. */
#ifndef ND_OWNERS_H
#define ND_OWNERS_H

#include "engine/core/source.h"

#define ND_OWNERS_MS_MAX 500u /* a pass ends after this long */
#define ND_OWNERS_THREADS_MAX 256u /* threads made known per process */

struct nd_owner_want {
	uint64_t inode;
	nd_id entity; /* who asks: a listener, service or peer */
	enum nd_relation relation; /* its relation to processes */
	bool threads; /* make the threads of its owners known too */
	bool found; /* out */
};

/* Fills the relations, and makes process entities with comm and namespace. What cannot be found becomes a
 * missing relation with its reason. w is sorted by inode. */
void nd_owners_relate(struct nd_source *s, struct nd_facts *f, const struct nd_input *in,
		      struct nd_owner_want *w, uint32_t n);
#endif
