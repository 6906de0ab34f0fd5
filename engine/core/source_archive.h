/* Archives as folders (source_archive.c). */
#ifndef ND_SOURCE_ARCHIVE_H
#define ND_SOURCE_ARCHIVE_H

#include "engine/core/source_impl.h"

struct nd_archive_want {
	/* Is the member at path worth keeping? size is -1 when nobody knows. */
	bool (*wanted)(void *ctx, const char *path, int64_t size);
	void *ctx;
	const char *raw_name; /* of the one file that is only compressed */
	uint32_t root;
};

struct nd_archive_bytes {
	const char *s; /* NULL: those of fd */
	size_t len;
	int fd;
};

/* By the first bytes, of which 512 are enough. */
bool nd_is_archive(const char *head, size_t n);
/* Adds the members to the tree. What cannot be read becomes a remark. name: the archive's, as reports show it. */
void nd_archive_read(struct nd_tree *t, const char *name, const struct nd_archive_bytes *bytes,
		     const struct nd_archive_want *want, unsigned depth);
#endif
