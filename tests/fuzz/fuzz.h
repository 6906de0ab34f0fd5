/* What the fuzz targets share: the entry that libFuzzer and replay.c call, and checks that abort.
 *
 * A target is one file, fuzz_NAME.c, with corpus/NAME/ beside it; fuzz.sh and the Makefile find both by name.
 * State that lasts between inputs must not depend on them, or a finding could not be replayed alone. */
#ifndef ND_FUZZ_H
#define ND_FUZZ_H

#include "engine/core/base.h"

/* Returns 0 always; a finding ends the process. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(condition)                                                                      \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);  \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/* A copy with a NUL behind it and nothing more, so that reading on is seen; free it. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = nd_alloc(size + 1);

	if (size)
		memcpy(text, data, size);
	return text;
}
#endif
