/* What a run is about, beyond the host itself. */
#ifndef ND_TARGET_H
#define ND_TARGET_H

#include "engine/cli/options.h"
#include "engine/core/source.h"

struct nd_target {
	char name[256]; /* of the network namespace; "": our own */
	char enter[300]; /* the command for a shell in it */
};
/* Moves the process to where --netns or --pid point, before anything is read. 0, or the status to exit with after the
 * message. */
int nd_target_enter(const struct nd_options *o, struct nd_target *t);
#endif
