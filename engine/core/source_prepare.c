/* Looks into recorded files whose names do not tell all: what an unnamed file is, which outputs a
 * pasted text holds, and when each was taken.
 *
 * A file in a copied tree is what its place says. Any other is read once in memory: prompts,
 * banners and dates cut it into parts that are files from then on. A name is believed unless the
 * content is clearly another output's; what neither name nor content tells stays unread. */
#include "engine/core/fact_save.h"
#include "engine/core/source_archive.h"
#include "engine/core/source_paste.h"

#include <errno.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_MAX (32u << 20) /* a larger file is one output, recognised by its beginning */
#define HEAD_BYTES 65536u
#define FACTS_MAX (128u << 20) /* of a capture */
#define SMALL_MAX (4 << 20) /* a member of an archive whose name tells nothing */

/* ---- contents ---- */

/* Up to max bytes; false if it could not be read. */
static bool read_file(int fd, size_t max, struct nd_buf *b)
{
	char *chunk = nd_alloc(HEAD_BYTES);
	ssize_t n = 0;

	while (b->len < max) {
		size_t want = max - b->len < HEAD_BYTES ? max - b->len : HEAD_BYTES;

		n = read(fd, chunk, want);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		nd_buf_put(b, chunk, (size_t)n);
	}
	free(chunk);
	return n >= 0;
}

/* ---- files ---- */

static void keep_text(struct nd_tree *t, struct nd_file *x, const struct nd_buf *b)
{
	x->text = nd_arena_copy(&t->arena, nd_buf_str(b), b->len);
	x->len = b->len;
}

/* A file that is one output: by its name, or by its content if that is clearly another's. */
static void take_whole(struct nd_preparing *c, uint32_t file, const struct nd_read *by,
		       const struct nd_buf *b)
{
	struct nd_file *x = &c->tree->files[file];
	const struct nd_read *found;

	if (by && (!by->like || nd_is_like(by, nd_buf_str(b), b->len)))
		return;
	found = nd_recognise(c->known, nd_buf_str(b), b->len);
	if (!found || (by && nd_same_reader(c->known, found, by)))
		return;
	if (by && by->what[0] == '/' && !by->like) /* a name from /proc is rarely anything else */
		return;
	nd_file_take_as(c->tree, x, found, nd_buf_str(b), nd_base_of(x->rel));
}

/* ---- archives ---- */

/* Is it in a copy of /proc or /sys? There the place decides. */
static bool in_tree(const char *rel)
{
	return nd_starts(rel, "proc/") || nd_starts(rel, "sys/") || strstr(rel, "/proc/") ||
	       strstr(rel, "/sys/");
}

/* Folders of a sosreport and of a file system in which nothing is read but what has a name that we know. */
static bool in_bulk(const char *path)
{
	static const char *const bulk[] = {"/sos_",  "/var/",  "/etc/", "/usr/",  "/lib/",
					   "/boot/", "/run/",  "/dev/", "/root/", "/home/",
					   "/opt/",  "/proc/", "/sys/"};
	char in[ND_COMMAND_MAX * 4];

	snprintf(in, sizeof(in), "/%.900s", path);
	for (size_t i = 0; i < ND_ARRAY_LEN(bulk); i++)
		if (strstr(in, bulk[i]))
			return true;
	return false;
}

static bool is_wanted(void *ctx, const char *path, int64_t size)
{
	struct nd_preparing *c = ctx;
	const struct nd_read *by;
	struct nd_stem stem;
	struct nd_file x = {.rel = path, .tree = path};

	nd_stem_of(nd_base_of(path), &stem);
	x.stem = stem.name;
	if (strcmp(stem.name, "facts") == 0 || nd_ends(path, ".pcap") || nd_ends(path, ".pcapng") ||
	    nd_ends(path, ".cap"))
		return true;
	if (nd_file_is_named(c->known, &x, &by) || strcmp(stem.name, "date") == 0 ||
	    strcmp(stem.name, "hostname") == 0)
		return true;
	return !in_bulk(path) && size <= SMALL_MAX;
}

static void unpack(struct nd_preparing *c, uint32_t file, int fd)
{
	struct nd_tree *t = c->tree;
	const struct nd_file of = t->files[file];
	const char *base = nd_base_of(of.rel);
	size_t n = strlen(base);
	struct nd_archive_want want = {
		.wanted = is_wanted, .ctx = c, .root = of.given ? of.root : ++t->n_roots};
	const char *dot = strrchr(base, '.');

	/* "netstat-s.txt.gz" is netstat-s.txt */
	want.raw_name =
		nd_arena_strndup(&t->arena, base, dot && dot > base ? (size_t)(dot - base) : n);
	t->files[file].split = t->files[file].used = true;
	nd_archive_read(t, base, &(struct nd_archive_bytes){of.text, of.len, fd}, &want, 0);
}

/* ---- moments ---- */

static void take_moment(struct nd_file *x, const struct nd_moment *m)
{
	if (m->date > 0)
		x->date = m->date;
	else
		x->order = m->order;
}

/* What its name, and the folders it is in, say of when it was taken. */
static void name_moment(struct nd_preparing *c, struct nd_file *x)
{
	char cut[ND_STEM_MAX], part[ND_STEM_MAX];
	const struct nd_read *by;
	struct nd_file y = *x;
	struct nd_moment m;
	bool named = nd_file_is_named(c->known, x, &by);

	for (const char *p = x->rel, *slash; (slash = strchr(p, '/')); p = slash + 1) {
		snprintf(part, sizeof(part), "%.*s", (int)(slash - p < 200 ? slash - p : 200), p);
		if (nd_moment_of(part, &m) ||
		    (nd_moment_cut(part, false, cut, sizeof(cut), &m) && m.date > 0))
			take_moment(x, &m);
	}
	if ((named && strchr(by->what, '*')) || x->t_ns ||
	    !nd_moment_cut(x->stem, true, cut, sizeof(cut), &m))
		return;
	y.stem = cut;
	if (!nd_file_is_named(c->known, &y, &by) || strchr(by->what, '*'))
		return;
	x->stem = nd_arena_strdup(&c->tree->arena, cut);
	take_moment(x, &m);
}

/* Of files that only have an order, all but the first of their kind come some time later. */
static void settle_orders(struct nd_tree *t)
{
	for (uint32_t i = 0; i < t->n_files; i++) {
		struct nd_file *x = &t->files[i];

		for (uint32_t k = 0; x->order && !x->untimed && k < t->n_files; k++) {
			const struct nd_file *y = &t->files[k];

			x->untimed = y->order && y->order < x->order && y->t_ns == x->t_ns &&
				     !y->split && strcmp(y->stem, x->stem) == 0 && y->as == x->as;
		}
	}
}

/* ---- one file ---- */

/* The content as far as it is looked at; whole: all of it. */
static bool load(const struct nd_file *x, int fd, struct nd_buf *b, bool *whole)
{
	struct stat st;

	*whole = true;
	if (x->text) {
		*whole = x->len <= TEXT_MAX;
		nd_buf_put(b, x->text, *whole ? x->len : HEAD_BYTES);
		return true;
	}
	if (fstat(fd, &st) != 0)
		return false;
	*whole = st.st_size <= (off_t)TEXT_MAX;
	return read_file(fd, *whole ? TEXT_MAX : HEAD_BYTES, b);
}

static bool is_binary(const struct nd_buf *b)
{
	return b->len && memchr(b->s, '\0', b->len < 4096 ? b->len : 4096);
}

static void look_into(struct nd_preparing *c, uint32_t file, const struct nd_read *by, int fd)
{
	struct nd_tree *t = c->tree;
	struct nd_buf b = {0};
	struct nd_parts parts = {0};
	bool whole, dirty;

	if (!load(&t->files[file], fd, &b, &whole)) {
		nd_buf_free(&b);
		return;
	}
	dirty = nd_clean_wide(&b);
	if (is_binary(&b) || b.len == 0) {
		nd_buf_free(&b);
		return;
	}
	dirty |= nd_clean_terminal(&b);
	dirty |= nd_clean_quotes(&b);
	if (whole)
		nd_split_text(&t->arena, c->known, nd_buf_str(&b), b.len, &parts);
	if (whole && dirty)
		keep_text(t, &t->files[file], &b);
	if (!parts.marked || !nd_take_parts(c, file, &parts, by != NULL))
		take_whole(c, file, by, &b);
	free(parts.v);
	nd_buf_free(&b);
}

static void close_if(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* The facts of a capture: they stand for all that is beside them. */
static bool take_capture(struct nd_preparing *c, uint32_t file, const char *head, size_t n, int fd)
{
	struct nd_file *x = &c->tree->files[file];
	struct nd_buf b = {0};

	if (c->tree->facts || strcmp(nd_base_of(x->rel), "facts") != 0 ||
	    n <= strlen(ND_SAVE_MAGIC) ||
	    strncmp(head, ND_SAVE_MAGIC "\t", strlen(ND_SAVE_MAGIC) + 1) != 0)
		return false;
	x->used = x->split = true;
	if (!x->text && read_file(fd, FACTS_MAX, &b))
		keep_text(c->tree, x, &b);
	nd_buf_free(&b);
	c->tree->facts = x->text;
	c->tree->facts_len = x->len;
	return x->text != NULL;
}

static void prepare_one(struct nd_preparing *c, uint32_t file, nd_open_file *open_file)
{
	struct nd_tree *t = c->tree;
	struct nd_file *x = &t->files[file];
	const struct nd_read *by = NULL, *by_bytes;
	char head[512];
	ssize_t n;
	int fd = -1;

	x->prepared = true;
	if (x->why != ND_PRESENT || strcmp(x->rel, "expect.yaml") == 0 ||
	    (nd_file_is_named(c->known, x, &by) && in_tree(x->rel)))
		return;
	name_moment(c, x);
	(void)nd_file_is_named(c->known, x, &by);
	if (!x->text) {
		fd = open_file(x);
		if (fd < 0)
			return; /* said when somebody asks for it */
		n = pread(fd, head, sizeof(head), 0);
	} else {
		n = x->len < sizeof(head) ? (ssize_t)x->len : (ssize_t)sizeof(head);
		memcpy(head, x->text, (size_t)n);
	}
	by_bytes = n > 0 ? nd_recognise_binary(c->known, head, (size_t)n) : NULL;
	if (n > 0 && take_capture(c, file, head, (size_t)n, fd))
		return close_if(fd);
	if (by_bytes) {
		x->as = by_bytes->what;
		x->binary = true;
	} else if (n > 0 && nd_is_archive(head, (size_t)n) && !x->packed) {
		unpack(c, file, fd);
	} else if (n > 0) {
		look_into(c, file, by, fd);
	}
	close_if(fd);
}

/* Dates as moments: seconds since the earliest. */
static void settle_dates(struct nd_preparing *c)
{
	double least = INFINITY;

	for (uint32_t i = 0; i < c->tree->n_files; i++) {
		const struct nd_file *x = &c->tree->files[i];

		if (x->date > 0 && x->date < least)
			least = x->date;
	}
	for (uint32_t i = 0; i < c->tree->n_files; i++) {
		struct nd_file *x = &c->tree->files[i];

		if (x->date > 0)
			x->t_ns += (uint64_t)((x->date - least) * 1e9);
		x->date = 0;
	}
}

void nd_tree_prepare(struct nd_tree *t, const struct nd_known *k, nd_open_file *open_file)
{
	struct nd_preparing c = {.tree = t, .known = k};

	for (uint32_t i = 0; i < t->n_files; i++)
		if (!t->files[i].prepared)
			prepare_one(&c, i, open_file);
	settle_dates(&c);
	settle_orders(t);
	nd_tree_settle_roots(t, open_file);
}
