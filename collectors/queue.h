/* A queue by its place, as all who know of one name it. */
#ifndef ND_QUEUE_H
#define ND_QUEUE_H

#include "engine/core/fact.h"

/* The queue, made to exist with what its name says. direction is "rx" or "tx". */
nd_id nd_queue(struct nd_facts *f, const char *iface, const char *direction, uint64_t number,
	       const struct nd_input *in);
#endif
