/* The inside of confine.c and confine_drop.c. */
#ifndef ND_CONFINE_IMPL_H
#define ND_CONFINE_IMPL_H

#include "engine/core/confine.h"

/* Gives up everything for good. 0 or a negative errno: then nothing foreign may be touched. */
int nd_confine_drop(void);
/* Opens the id-th file of a folder in this process: what the child is given. */
int nd_source_open_id(struct nd_source *s, uint32_t id);
#endif
