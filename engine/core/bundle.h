/* A capture: what was read and what it meant, in one file that another host can judge (bundle.c). */
#ifndef ND_BUNDLE_H
#define ND_BUNDLE_H

#include "engine/core/fact_save.h"
#include "engine/core/source.h"

struct nd_bundle;
/* Begins to keep the inputs of a live source and the rows that go into f; before the first is read. redact: names and
 * addresses are replaced, and files that are made of them are left out. */
struct nd_bundle *nd_bundle_begin(struct nd_source *s, struct nd_facts *f, bool redact);
/* The whole file. 0 or a negative errno. */
int nd_bundle_end(struct nd_bundle *b, const struct nd_save_meta *meta, struct nd_buf *out,
		  struct nd_err *e);
void nd_bundle_free(struct nd_bundle *b);
#endif
