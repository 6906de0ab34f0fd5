/* What the kinds of source share inside: the table of operations, names in natural order, and the
 * matching of a folder's file names, which knows nothing of files and is therefore tested alone. */
#ifndef ND_SOURCE_IMPL_H
#define ND_SOURCE_IMPL_H

#include "engine/core/source.h"

struct nd_source_ops {
	const char *name; /* "live", "folder" */
	int (*each)(struct nd_source *s, const struct nd_read *r, nd_input_fn *fn, void *ctx,
		    const struct nd_bad_input *bad);
	int (*text)(struct nd_source *s, const char *path, char *out, size_t size);
	int (*link)(struct nd_source *s, const char *path, char *out, size_t size);
	int (*names)(struct nd_source *s, const char *path, uint32_t max, char ***names);
	uint64_t (*now)(const struct nd_source *s);
	const struct nd_netns *(*netns)(struct nd_source *s, uint32_t *n, struct nd_status *status);
	void (*prepare)(struct nd_source *s, const struct nd_read *const *lists, uint32_t n);
	const char *const *(*unused)(struct nd_source *s, uint32_t *n);
	const struct nd_source_remark *(*remarks)(struct nd_source *s, uint32_t *n);
	void (*free)(struct nd_source *s);
};
/* Embedded as the first member of each kind's own struct. */
struct nd_source {
	const struct nd_source_ops *ops;
};

#define ND_NAMES_MAX 131072 /* entries of one directory that are looked at */

/* Digits compare by value: cpu2 before cpu10. Differing strings never compare equal. */
int nd_natural_cmp(const char *a, const char *b);
/* Names in a directory without those that begin with a dot, sorted; takes fd. Negative errno. */
int nd_names_of_fd(int fd, uint32_t max, char ***names);
/* Reads a small file into out: NUL bytes become blanks, one newline at the end is taken off; takes
 * fd. */
int nd_text_of_fd(int fd, char *out, size_t size);
int nd_text_of_memory(const char *text, size_t len, char *out, size_t size);
/* The reason behind a negative errno. */
enum nd_missing nd_missing_of(int rc);
/* Tells `bad`, if there is one. */
void nd_report_bad(const struct nd_bad_input *bad, const char *path, enum nd_missing why,
		   const char *detail);
/* Hands one opened input to fn, with in->path and the rest filled; takes fd; reports what fails. */
void nd_hand_out(const struct nd_input *in, int fd, nd_input_fn *fn, void *ctx,
		 const struct nd_bad_input *bad);

/* ---- network namespaces of a live host (source_netns.c) ---- */
struct nd_netns_scan;
struct nd_netns_scan *nd_netns_scan_new(const char *proc);
/* What nd_source_netns promises. The list of the call before stays valid. */
const struct nd_netns *nd_netns_scan(struct nd_netns_scan *s, uint32_t *n,
				     struct nd_status *status);
/* Is the process that stands for namespace i still in it? A pid may have been given away. */
bool nd_netns_alive(const struct nd_netns_scan *s, uint32_t i);
/* A child that enters the namespace bound to path and sleeps until we end: its pid, or a negative errno. */
int64_t nd_keeper_start(const char *path);
void nd_keeper_end(int64_t pid);
void nd_netns_scan_free(struct nd_netns_scan *s);

/* ---- a folder's files (source_walk.c) ---- */
struct nd_file {
	const char *rel; /* inside the folder, as reports show it */
	const char *tree; /* the same as patterns see it: proc/self/net is proc/net */
	const char *given; /* the whole path, for a file that was named by itself; else NULL */
	uint32_t id; /* of the walk: does not change when files are sorted */
	const char *stem;
	const char *real; /* without links; NULL: not to be opened, why and detail say so */
	uint64_t t_ns;
	uint64_t dev, ino;
	bool interval, linked, used;
	enum nd_missing why;
	const char *detail;

	/* found out by looking inside (source_prepare.c) */
	const char *text; /* the content, where it is not the file's own bytes; NULL: it is */
	size_t len;
	const char *as; /* the pattern whose output its content is; NULL: by its name */
	const char *arg; /* what the pattern's * stands for, or NULL */
	const char *shown; /* how parsers and reports see it: "paste.txt:8/ss -tin"; NULL: rel */
	const char *netns; /* NULL: the target's own */
	uint32_t seq; /* among parts of one file */
	bool prepared, split, tool; /* split: its parts are files; tool: stem is a command */
	bool untimed, filtered;
	bool packed; /* a member of an archive */
	bool binary; /* known by its first bytes: may hold any */
	uint32_t root; /* which of the things that were given it came from */
	uint32_t order; /* among files of one moment: before the path decides */
	double date; /* its moment as a date, s; 0: none */
};
/* A symbolic link within an archive: both paths are without ".." */
struct nd_link {
	const char *path, *to;
};
#define ND_FILES_MAX 20000
/* A folder that is a copy of /proc or /sys. */
struct nd_top {
	const char *prefix; /* "/proc" or "/sys" */
	const char *real;
	const char *root; /* of the folder it is in */
};
struct nd_tree {
	struct nd_arena arena;
	struct nd_file *files;
	uint32_t n_files, cap_files;
	struct nd_top *tops;
	uint32_t n_tops, cap_tops;
	struct nd_link *links;
	uint32_t n_links, cap_links;
	uint32_t n_roots, n_ids;
	const char *facts; /* of a capture; NULL: none */
	size_t facts_len;
	uint64_t kept; /* bytes of members of archives */
	struct nd_source_remark *remarks;
	uint32_t n_remarks, cap_remarks;
	bool full;
};
/* Adds what is at path; contents are not read. Negative errno when there is nothing that can be
 * listed. */
int nd_tree_add(struct nd_tree *t, const char *path, struct nd_err *e);
/* One more file, with all that its name tells. */
struct nd_file *nd_tree_file(struct nd_tree *t, const char *rel);
/* From now on the file is not opened, for this reason. */
void nd_tree_refuse(struct nd_tree *t, struct nd_file *x, enum nd_missing why, const char *what);
/* Looks into the files that were not prepared yet: recognises, splits, names moments. open gives a
 * descriptor of a file that may be read, or -1. */
struct nd_known;
typedef int nd_open_file(const struct nd_file *x);
void nd_tree_prepare(struct nd_tree *t, const struct nd_known *k, nd_open_file *open_file);
/* Several captures of one host are several moments; those of another host are left out. */
void nd_tree_settle_roots(struct nd_tree *t, nd_open_file *open_file);
void nd_tree_remark(struct nd_tree *t, bool read, const char *path, const char *says);
bool nd_is_inside(const char *path, const char *root); /* both without links */
void nd_tree_free(struct nd_tree *t);

/* From now on each opened input is read whole and shown to fn first; NULL ends that. A capture needs it. */
void nd_source_tee(void (*fn)(void *ctx, const struct nd_input *in, const char *text, size_t len),
		   void *ctx);
/* The same for what is in memory. */
void nd_hand_out_text(const struct nd_input *in, const char *text, size_t len, nd_input_fn *fn,
		      void *ctx, const struct nd_bad_input *bad);

/* ---- names of recorded files (source_match.c) ---- */
#define ND_STEM_MAX 256
/* A file's base name without extension and @SECONDS. */
struct nd_stem {
	char name[ND_STEM_MAX];
	uint64_t t_ns; /* 0 when the name states no moment */
	bool interval; /* output of an nstat that was not asked for absolute values */
};
void nd_stem_of(const char *base, struct nd_stem *out);
/* Does the file at rel (path inside its folder) with this stem match the pattern? What a * stood
 * for is written to arg, "" when the pattern has none. exact: only as a copy of the tree, never by
 * base name. */
bool nd_match_file(const char *pattern, const char *rel, const char *stem, bool exact, char *arg,
		   size_t size);
bool nd_match_tool(const char *pattern, const char *stem, char *arg, size_t size);
/* One component against one with at most one *; *from and *len tell what the * stood for. */
bool nd_match_star(const char *pattern, size_t pn, const char *s, size_t sn, const char **from,
		   size_t *len);
#endif
