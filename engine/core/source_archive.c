/* Members of an archive as recorded files, in memory: nothing is unpacked to disk.
 *
 * Only tar and zip, and single compressed files, are understood, whatever the name says. Every size
 * has a limit, of a member, of all that is kept, and of all that is unpacked on the way, so that a
 * bomb costs seconds and not the host; what was read before a limit or a defect is still used. Paths
 * are taken apart and never opened, links are followed only within the archive. */
#include "engine/core/source_archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MEMBER_MAX (128u << 20) /* the rest of a longer one is not read */
#define KEPT_MAX (256u << 20) /* of one run */
#define UNPACKED_MAX (2ull << 30)
#define MEMBERS_MAX 200000 /* looked at, kept or not */
#define PATH_BYTES 1024
#define DEPTH_MAX 2 /* an archive in an archive, and no deeper */
#define CPU_MAX_S 30
#define BLOCK_BYTES 65536u

struct unpacking {
	struct nd_tree *tree;
	const struct nd_archive_want *want;
	const char *name; /* of the archive, as reports show it */
	struct archive *a;
	unsigned depth;
	uint64_t unpacked;
	uint32_t seen;
	clock_t started;
	const char *stopped; /* why it was given up */
};

bool nd_is_archive(const char *head, size_t n)
{
	static const struct {
		size_t at, len;
		const char *magic;
	} magics[] = {
		{0, 2, "\x1f\x8b"},
		{0, 6,
		 "\xfd"
		 "7zXZ\0"},
		{0, 4, "\x28\xb5\x2f\xfd"},
		{0, 3, "BZh"},
		{0, 4, "PK\x03\x04"},
		{257, 5, "ustar"},
		{0, 4, "\x04\x22\x4d\x18"},
	};

	for (size_t i = 0; i < ND_ARRAY_LEN(magics); i++)
		if (n >= magics[i].at + magics[i].len &&
		    memcmp(head + magics[i].at, magics[i].magic, magics[i].len) == 0)
			return true;
	return false;
}

static void remark(struct unpacking *u, const char *path, const char *says)
{
	struct nd_arena *a = &u->tree->arena;

	nd_tree_remark(u->tree, false,
		       path ? nd_arena_printf(a, "%s/%.200s", u->name, path)
			    : nd_arena_strdup(a, u->name),
		       nd_arena_strdup(a, says));
}

/* "./a//b" → "a/b". False: a path that leads out of the archive, or is too long. */
static bool clean_path(const char *path, char *out, size_t size)
{
	size_t n = 0;

	if (*path == '/')
		return false;
	while (*path) {
		size_t len = strcspn(path, "/");

		if (len == 2 && path[0] == '.' && path[1] == '.')
			return false;
		if (len && !(len == 1 && *path == '.')) {
			if (n + len + 2 > size)
				return false;
			if (n)
				out[n++] = '/';
			memcpy(out + n, path, len);
			n += len;
		}
		path += len + (path[len] == '/');
	}
	out[n] = '\0';
	return n > 0;
}

/* The path that a link at `path` leads to, within the archive. */
static bool resolve(const char *path, const char *target, char *out, size_t size)
{
	char joined[2 * PATH_BYTES];
	const char *slash = strrchr(path, '/');
	size_t n = 0;

	if (*target == '/')
		return false;
	if ((size_t)snprintf(joined, sizeof(joined), "%.*s%s", slash ? (int)(slash + 1 - path) : 0,
			     path, target) >= sizeof(joined))
		return false;
	out[0] = '\0';
	for (const char *p = joined; *p;) {
		size_t len = strcspn(p, "/");

		if (len == 2 && memcmp(p, "..", 2) == 0) {
			if (n == 0)
				return false;
			while (n && out[n - 1] != '/')
				n--;
			n -= n > 0;
		} else if (len && !(len == 1 && *p == '.')) {
			if (n + len + 2 > size)
				return false;
			if (n)
				out[n++] = '/';
			memcpy(out + n, p, len);
			n += len;
		}
		out[n] = '\0';
		p += len + (p[len] == '/');
	}
	return n > 0;
}

static bool out_of_time(struct unpacking *u)
{
	if (!u->stopped && (double)(clock() - u->started) / CLOCKS_PER_SEC > CPU_MAX_S)
		u->stopped = "takes longer than 30 s to unpack, the rest is not read";
	if (!u->stopped && u->unpacked > UNPACKED_MAX)
		u->stopped = "unpacks to more than 2 GB, the rest is not read";
	return u->stopped != NULL;
}

/* The content of the present member, at most max bytes. False: it is cut or damaged. */
static bool read_member(struct unpacking *u, struct nd_buf *b, size_t max)
{
	char *block = nd_alloc(BLOCK_BYTES);
	la_ssize_t n = 1;

	while (b->len < max && !out_of_time(u)) {
		size_t want = max - b->len < BLOCK_BYTES ? max - b->len : BLOCK_BYTES;

		n = archive_read_data(u->a, block, want);
		if (n <= 0)
			break;
		u->unpacked += (uint64_t)n;
		nd_buf_put(b, block, (size_t)n);
	}
	free(block);
	return n == 0 || (b->len == max && n > 0);
}

static void keep(struct unpacking *u, const char *path, struct nd_buf *b, bool whole)
{
	struct nd_tree *t = u->tree;
	struct nd_file *x;

	if (t->kept + b->len > KEPT_MAX) {
		u->stopped = "holds more than 256 MB to be looked at, the rest is not read";
		return;
	}
	if (t->n_files >= ND_FILES_MAX) {
		u->stopped = "holds too many files, the rest is not read";
		return;
	}
	t->kept += b->len;
	x = nd_tree_file(t, path);
	x->text = nd_arena_copy(&t->arena, nd_buf_str(b), b->len);
	x->len = b->len;
	x->shown = nd_arena_printf(&t->arena, "%s/%s", u->name, path);
	x->packed = true;
	x->filtered = !whole;
	x->root = u->want->root;
	if (!whole)
		remark(u, path, "damaged or too large: only its beginning is read");
}

static void take_regular(struct unpacking *u, const char *path, int64_t size)
{
	struct nd_buf b = {0};
	bool whole;

	if (!u->want->wanted(u->want->ctx, path, size))
		return;
	whole = read_member(u, &b, MEMBER_MAX);
	if (whole && b.len == MEMBER_MAX) {
		char more;

		whole = archive_read_data(u->a, &more, 1) == 0;
	}
	if (b.len && nd_is_archive(b.s, b.len)) {
		char name[PATH_BYTES];

		snprintf(name, sizeof(name), "%s/%.500s", u->name, path);
		if (u->depth + 1 < DEPTH_MAX)
			nd_archive_read(u->tree, name, &(struct nd_archive_bytes){b.s, b.len, -1},
					u->want, u->depth + 1);
		else
			remark(u, path, "an archive in an archive in an archive, not read");
	} else {
		keep(u, path, &b, whole);
	}
	nd_buf_free(&b);
}

static void take_link(struct unpacking *u, const char *path, const char *target)
{
	struct nd_tree *t = u->tree;
	char to[PATH_BYTES];

	if (!target || !resolve(path, target, to, sizeof(to)) || t->n_links >= ND_FILES_MAX)
		return;
	ND_GROW(t->links, t->n_links, t->cap_links);
	t->links[t->n_links++] =
		(struct nd_link){nd_arena_strdup(&t->arena, path), nd_arena_strdup(&t->arena, to)};
}

/* One member. */
static void take(struct unpacking *u, struct archive_entry *e)
{
	const char *raw = archive_entry_pathname(e);
	char path[PATH_BYTES];

	if (archive_format(u->a) == ARCHIVE_FORMAT_RAW)
		raw = u->want->raw_name;
	if (!raw || !clean_path(raw, path, sizeof(path))) {
		if (raw && strcmp(raw, ".") != 0 && strcmp(raw, "./") != 0)
			remark(u, raw, "leads out of the archive, not read");
		return;
	}
	if (archive_entry_hardlink(e))
		return; /* the same bytes under another name */
	switch (archive_entry_filetype(e)) {
	case AE_IFREG:
		take_regular(u, path, archive_entry_size_is_set(e) ? archive_entry_size(e) : -1);
		break;
	case AE_IFLNK: take_link(u, path, archive_entry_symlink(e)); break;
	}
}

static int open_archive(struct unpacking *u, const struct nd_archive_bytes *bytes)
{
	struct archive *a = u->a;

	archive_read_support_format_tar(a);
	archive_read_support_format_gnutar(a);
	archive_read_support_format_zip(a);
	archive_read_support_format_raw(a);
	archive_read_support_filter_gzip(a);
	archive_read_support_filter_bzip2(a);
	archive_read_support_filter_xz(a);
	archive_read_support_filter_zstd(a);
	archive_read_support_filter_lz4(a);
	return bytes->s ? archive_read_open_memory(a, bytes->s, bytes->len)
			: archive_read_open_fd(a, bytes->fd, BLOCK_BYTES);
}

static const char *error_of(struct archive *a)
{
	const char *s = archive_error_string(a);

	return s ? s : "damaged";
}

/* Symbolic links to folders that patterns need, as the walk over a folder follows them. */
static bool is_wanted_link(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && ((slash - path >= 13 && memcmp(slash - 13, "sys/class/net", 13) == 0) ||
			 (strcmp(slash, "/net") == 0 && slash - path >= 4 &&
			  memcmp(slash - 4, "proc", 4) == 0));
}

static void alias(struct nd_tree *t, uint32_t first_file, const struct nd_link *l)
{
	size_t n = strlen(l->to);

	for (uint32_t i = first_file, end = t->n_files; i < end; i++) {
		const struct nd_file of = t->files[i];
		bool below = strncmp(of.rel, l->to, n) == 0 && of.rel[n] == '/';
		struct nd_file *x;

		if (t->n_files >= ND_FILES_MAX ||
		    (strcmp(of.rel, l->to) != 0 && !(below && is_wanted_link(l->path))))
			continue;
		x = nd_tree_file(t, nd_arena_printf(&t->arena, "%s%s", l->path, of.rel + n));
		x->text = of.text;
		x->len = of.len;
		x->shown = of.shown;
		x->packed = true;
		x->filtered = of.filtered;
		x->root = of.root;
	}
}

void nd_archive_read(struct nd_tree *t, const char *name, const struct nd_archive_bytes *bytes,
		     const struct nd_archive_want *want, unsigned depth)
{
	struct unpacking u = {.tree = t, .want = want, .name = name, .depth = depth};
	const uint32_t first_file = t->n_files, first_link = t->n_links;
	struct archive_entry *e;
	int rc;

	u.started = clock();
	u.a = archive_read_new();
	if (!u.a)
		return;
	rc = open_archive(&u, bytes);
	while (rc >= ARCHIVE_WARN && !out_of_time(&u)) {
		rc = archive_read_next_header(u.a, &e);
		if (rc == ARCHIVE_EOF || rc < ARCHIVE_WARN)
			break;
		if (++u.seen > MEMBERS_MAX)
			u.stopped = "has more than 200,000 members, the rest is not read";
		else
			take(&u, e);
	}
	if (u.stopped)
		remark(&u, NULL, u.stopped);
	else if (rc < ARCHIVE_WARN)
		remark(&u, NULL,
		       nd_arena_printf(&t->arena, "not read to its end: %.200s", error_of(u.a)));
	archive_read_free(u.a);
	for (uint32_t i = first_link, n = t->n_links; i < n; i++)
		alias(t, first_file, &(struct nd_link){t->links[i].path, t->links[i].to});
}
