/* For tests: a directory of files that is made and removed again. */
#ifndef ND_TEMP_TREE_H
#define ND_TEMP_TREE_H

#include "engine/core/base.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

struct temp_tree {
	char root[64];
};

static inline void tree_make(struct temp_tree *t)
{
	snprintf(t->root, sizeof(t->root), "/tmp/nd-test-XXXXXX");
	if (!mkdtemp(t->root))
		abort();
}

/* The path of rel in the tree, with its directories made. Valid until the next call. */
static inline const char *tree_path(const struct temp_tree *t, const char *rel)
{
	static char path[512];
	char *slash;

	snprintf(path, sizeof(path), "%s/%s", t->root, rel);
	for (slash = strchr(path + strlen(t->root) + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	return path;
}

static inline void tree_file(const struct temp_tree *t, const char *rel, const char *text)
{
	FILE *f = fopen(tree_path(t, rel), "w");

	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		abort();
}

static inline void tree_link(const struct temp_tree *t, const char *rel, const char *target)
{
	if (symlink(target, tree_path(t, rel)) != 0)
		abort();
}

static inline int tree_remove_one(const char *path, const struct stat *st, int type,
				  struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void tree_remove(const struct temp_tree *t)
{
	nftw(t->root, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
#endif
