/* Work that touches foreign bytes, in a process that can do nothing else (confine.c). */
#ifndef ND_CONFINE_H
#define ND_CONFINE_H

#include "engine/core/source.h"

/* Runs work in a child without rights and returns what it returned (0 to 255) with its output appended to out; a negative
 * errno when there was no child, or it did not end by itself. The files of s, a folder or NULL, are opened for the child
 * by this process, and no others. The child sees a copy of all memory: nothing it changes comes back. */
int nd_confined(struct nd_source *s, int (*work)(void *ctx, struct nd_buf *out), void *ctx,
		struct nd_buf *out, struct nd_err *e);

/* Inside: asks for the id-th file of the source. A descriptor for reading or a negative errno. */
int nd_confined_open(uint32_t id);
/* Is this process such a child? */
bool nd_is_confined(void);
#endif
