/* Which output a text is, told by its content (source_like.c). */
#ifndef ND_SOURCE_LIKE_H
#define ND_SOURCE_LIKE_H

#include "engine/core/source.h"

/* All that collectors read: lists as in struct nd_collector, each ending with what NULL. */
struct nd_known {
	const struct nd_read *const *lists;
	uint32_t n;
};

/* The read whose `like` the first lines meet best, the earlier one of equals; NULL: none does. */
const struct nd_read *nd_recognise(const struct nd_known *k, const char *text, size_t len);
/* The read whose first bytes these are; NULL: none. */
const struct nd_read *nd_recognise_binary(const struct nd_known *k, const char *head, size_t len);
/* Do the first lines meet this one's? */
bool nd_is_like(const struct nd_read *r, const char *text, size_t len);
/* A shell pattern (* ? [a-z] [!x]) of pn bytes against all of the n bytes at s. */
bool nd_glob(const char *pattern, size_t pn, const char *s, size_t n);
#endif
