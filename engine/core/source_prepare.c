/* Looks into recorded files whose names do not tell all: what an unnamed file is, which outputs a
 * pasted text holds, and when each was taken.
 *
 * A file in a copied tree is what its place says. Any other is read once in memory: prompts,
 * banners and dates cut it into parts that are files from then on. A name is believed unless the
 * content is clearly another output's; what neither name nor content tells stays unread. */
#include "engine/core/source_archive.h"
#include "engine/core/source_paste.h"

#include <errno.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_MAX (32u << 20) /* a larger file is one output, recognised by its beginning */
#define HEAD_BYTES 65536u
#define IFACE_MAX 15
#define SMALL_MAX (4 << 20) /* a member of an archive whose name tells nothing */

struct preparing {
	struct nd_tree *tree;
	const struct nd_known *known;
};

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

/* The length of an escape sequence of a terminal at s, 0: there is none. */
static size_t escape_length(const char *s, size_t n)
{
	size_t i = 2;

	if (n < 2 || s[0] != '\033')
		return 0;
	if (s[1] == '[') { /* CSI … letter */
		while (i < n && i < 32 && (s[i] < '@' || s[i] > '~'))
			i++;
		return i < n ? i + 1 : n;
	}
	if (s[1] == ']') { /* OSC … BEL or ESC \ */
		while (i < n && i < 256 && s[i] != '\a' && s[i] != '\033')
			i++;
		return i < n && s[i] == '\a' ? i + 1 : i;
	}
	return 2;
}

/* Takes out what terminals and browsers put in: colours, a byte order mark, blanks that do not
 * break. In place. Returns whether there was any. */
static bool clean(struct nd_buf *b)
{
	size_t to = 0, i = 0;

	if (b->len >= 3 && memcmp(b->s, "\xef\xbb\xbf", 3) == 0)
		i = 3;
	while (i < b->len) {
		size_t n = escape_length(b->s + i, b->len - i);

		if (n) {
			i += n;
		} else if (i + 1 < b->len && b->s[i] == '\xc2' && b->s[i + 1] == '\xa0') {
			b->s[to++] = ' ';
			i += 2;
		} else if (b->s[i] == '\b') {
			to -= to > 0 && b->s[to - 1] != '\n';
			i++;
		} else {
			b->s[to++] = b->s[i++];
		}
	}
	i = b->len;
	b->len = to;
	if (to < i)
		b->s[to] = '\0';
	return to != i;
}

/* Takes "> " off all lines of a text most of whose lines have it: an answer to a mail. In place. */
static bool unquote(struct nd_buf *b)
{
	size_t quoted = 0, lines = 0, to = 0;

	for (size_t i = 0; i < b->len;) {
		const char *end = memchr(b->s + i, '\n', b->len - i);

		quoted += b->s[i] == '>';
		lines += b->s[i] != '\n' && b->s[i] != '\r';
		i = end ? (size_t)(end - b->s) + 1 : b->len;
	}
	if (quoted * 2 <= lines)
		return false;
	for (size_t i = 0; i < b->len;) {
		const char *end = memchr(b->s + i, '\n', b->len - i);
		size_t next = end ? (size_t)(end - b->s) + 1 : b->len;

		while (i < next && b->s[i] == '>')
			i += i + 1 < next && b->s[i + 1] == ' ' ? 2 : 1;
		memmove(b->s + to, b->s + i, next - i);
		to += next - i;
		i = next;
	}
	b->len = to;
	b->s[to] = '\0';
	return true;
}

/* ---- names ---- */

static const char *base_of(const char *rel)
{
	const char *slash = strrchr(rel, '/');

	return slash ? slash + 1 : rel;
}

static bool is_named(const struct nd_known *k, const struct nd_file *x, const struct nd_read **by)
{
	char arg[ND_COMMAND_MAX];

	for (uint32_t i = 0; i < k->n; i++) {
		for (const struct nd_read *r = k->lists[i]; r && r->what; r++) {
			bool file = r->what[0] == '/';

			*by = r;
			if (file && x->given &&
			    nd_match_file(r->what, x->given, x->stem, true, arg, sizeof(arg)))
				return true;
			if (file && !x->tool &&
			    nd_match_file(r->what, x->tree, x->stem, false, arg, sizeof(arg)))
				return true;
			if (!file && nd_match_tool(r->what, x->stem, arg, sizeof(arg)))
				return true;
		}
	}
	*by = NULL;
	return false;
}

/* Do both go to one collector, which then finds out by itself? */
static bool same_reader(const struct nd_known *k, const struct nd_read *a, const struct nd_read *b)
{
	for (uint32_t i = 0; i < k->n; i++) {
		bool has_a = false, has_b = false;

		for (const struct nd_read *r = k->lists[i]; r && r->what; r++) {
			has_a |= strcmp(r->what, a->what) == 0;
			has_b |= strcmp(r->what, b->what) == 0;
		}
		if (has_a && has_b)
			return true;
	}
	return false;
}

/* Is it in a copy of /proc or /sys? There the place decides. */
static bool in_tree(const char *rel)
{
	return nd_starts(rel, "proc/") || nd_starts(rel, "sys/") || strstr(rel, "/proc/") ||
	       strstr(rel, "/sys/");
}

/* A word of the name that is an interface's: "stats-eth0", "before_ens1f0". */
static const char *iface_in(struct nd_arena *a, const char *name)
{
	static const char *const begin[] = {"eth", "ens",  "enp", "eno", "enx",	 "bond",
					    "em",  "wlan", "wlp", "ib",	 "team", "br",
					    "p1p", "p2p",  "net", "veth"};

	for (const char *s = name; *s;) {
		size_t n = strcspn(s, "-_ ,()[]");

		for (size_t i = 0; i < ND_ARRAY_LEN(begin); i++) {
			size_t len = strlen(begin[i]);

			if (n > len && n <= IFACE_MAX && strncmp(s, begin[i], len) == 0 &&
			    memchr("0123456789", s[len], 10))
				return nd_arena_strndup(a, s, n);
		}
		s += n;
		s += strspn(s, "-_ ,()[]");
	}
	return NULL;
}

void nd_tree_remark(struct nd_tree *t, bool read, const char *path, const char *says)
{
	ND_GROW(t->remarks, t->n_remarks, t->cap_remarks);
	t->remarks[t->n_remarks++] = (struct nd_source_remark){path, says, read};
}

/* How parsers, which look at the end of a path, and reports see it: "paste.txt:8/ss -tin", "x17.txt/ss". */
static const char *inside(struct nd_arena *a, const char *where, const char *name)
{
	char *path = nd_arena_printf(a, "%s%s%s", where, name[0] == '/' ? "" : "/", name);

	if (name[0] == '/')
		return path;
	for (char *p = path + strlen(where) + 1; *p; p++)
		*p = *p == '/' ? '_' : *p;
	return path;
}

/* Does it begin with "Settings for eth0:" or "Ring parameters for eth0:"? */
static bool names_iface(const char *text)
{
	const char *at = strstr(text, "for ");

	return at && at - text < 200;
}

/* From now on the file is the output of r. */
static void take_as(struct nd_tree *t, struct nd_file *x, const struct nd_read *r, const char *text,
		    const char *where)
{
	const char *star = strchr(r->what, '*'), *shown = r->what;

	x->as = r->what;
	if (star) { /* ethtool: some of its outputs name their interface */
		x->arg = iface_in(&t->arena, x->stem);
		if (!x->arg && !names_iface(text))
			x->arg = nd_arena_printf(&t->arena, "unnamed%u", t->n_remarks);
		shown = nd_arena_printf(&t->arena, "%.*s%s%s", (int)(star - r->what), r->what,
					x->arg ? x->arg : "", star + 1);
	}
	x->interval = strcmp(r->what, "nstat") == 0;
	x->shown = inside(&t->arena, where, shown);
	nd_tree_remark(t, true, where,
		       nd_arena_printf(&t->arena, "read as %s, by its content", r->what));
}

/* ---- parts ---- */

/* Was this command's output met before in the text? Then this is a later moment. */
static const struct nd_file *earlier(const struct nd_tree *t, uint32_t from, uint32_t before)
{
	const struct nd_file *x = &t->files[before];

	for (uint32_t i = before; i-- > from;) {
		const struct nd_file *y = &t->files[i];

		if (strcmp(y->stem, x->stem) == 0 && strcmp(y->tree, x->tree) == 0 &&
		    y->as == x->as &&
		    strcmp(y->netns ? y->netns : "", x->netns ? x->netns : "") == 0)
			return y;
	}
	return NULL;
}

static struct nd_file *add_part(struct nd_tree *t, const struct nd_file *of,
				const struct nd_part *p)
{
	struct nd_stem stem;
	struct nd_file *x;

	ND_GROW(t->files, t->n_files, t->cap_files);
	x = &t->files[t->n_files++];
	*x = (struct nd_file){.rel = of->rel, .t_ns = of->t_ns, .dev = of->dev, .ino = of->ino};
	x->why = ND_PRESENT;
	x->prepared = true;
	x->text = p->text;
	x->len = p->len;
	x->seq = p->line;
	x->root = of->root;
	x->order = of->order;
	x->netns = p->netns[0] ? p->netns : of->netns;
	x->filtered = p->filtered;
	nd_stem_of(base_of(p->name), &stem);
	if (strchr(p->name, '/') && !strchr(p->name, ' ')) {
		x->tree = p->name + (p->name[0] == '/');
		x->stem = nd_arena_strdup(&t->arena, stem.name);
	} else {
		x->tree = "";
		x->stem = p->name;
		x->tool = true;
		nd_stem_of(p->name, &stem);
		x->interval = stem.interval;
	}
	return x;
}

/* Gives a part without a command its file's own name. */
static void name_after_file(struct nd_file *x, const struct nd_file *of)
{
	x->stem = of->stem;
	x->tree = of->tree;
	x->given = of->given;
	x->interval = of->interval;
	x->tool = false;
}

/* Finds out what the part is. False: nobody reads it. */
static bool settle(struct preparing *c, struct nd_file *x, const struct nd_part *p,
		   const struct nd_file *of, bool of_named)
{
	const char *where = nd_arena_printf(&c->tree->arena, "%s:%u", base_of(of->rel), p->line);
	const struct nd_read *by, *found;

	if (p->name[0]) {
		x->shown = inside(&c->tree->arena, where, p->name);
		if (!p->changed && is_named(c->known, x, &by)) {
			found = by->like && !nd_is_like(by, p->text, p->len)
					? nd_recognise(c->known, p->text, p->len)
					: NULL;
			if (found && !same_reader(c->known, found, by))
				take_as(c->tree, x, found, p->text, where);
			return true;
		}
	} else if (of_named) {
		name_after_file(x, of);
		x->shown = nd_arena_printf(&c->tree->arena, "%s:%u/%s", of->rel, p->line,
					   base_of(of->rel));
		return true;
	}
	found = nd_recognise(c->known, p->text, p->len);
	if (!found)
		return false;
	take_as(c->tree, x, found, p->text, where);
	return true;
}

/* The host whose output is read: the first that a prompt names. */
static const char *main_host(const struct nd_parts *parts)
{
	for (uint32_t i = 0; i < parts->n; i++)
		if (parts->v[i].name[0] && parts->v[i].host[0])
			return parts->v[i].host;
	return "";
}

/* Moments of the parts from `first` on: dates are compared with those of other files later on. */
static void set_moments(struct preparing *c, uint32_t first, const double *t, bool absolute)
{
	struct nd_tree *tree = c->tree;
	double least = INFINITY;

	for (uint32_t i = first; i < tree->n_files; i++)
		least = t[i - first] < least ? t[i - first] : least;
	for (uint32_t i = first; i < tree->n_files; i++) {
		struct nd_file *x = &tree->files[i];
		const struct nd_file *y = earlier(tree, first, i);
		double at = t[i - first];

		if (isnan(at)) {
			x->untimed = y != NULL;
			x->t_ns = y ? y->t_ns : x->t_ns;
		} else if (absolute && at > 1e6) {
			x->date = at;
		} else {
			x->t_ns += (uint64_t)((at - least) * 1e9);
		}
	}
}

static void refuse_host(struct nd_tree *t, const struct nd_file *of, const struct nd_part *p)
{
	nd_tree_remark(t, false, nd_arena_printf(&t->arena, "%s:%u", base_of(of->rel), p->line),
		       nd_arena_printf(&t->arena,
				       "left out: %s ran on %s, another host than the first; "
				       "diagnose each by itself",
				       p->name[0] ? p->name : "this", p->host));
}

/* Replaces the file by its parts. False: none of them can be read, so it stays as it is. */
static bool take_parts(struct preparing *c, uint32_t file, const struct nd_parts *parts, bool named)
{
	struct nd_tree *t = c->tree;
	const uint32_t first = t->n_files;
	const struct nd_file of = t->files[file];
	const char *host = main_host(parts);
	double *times = nd_alloc((parts->n + 1) * sizeof(*times));

	for (uint32_t i = 0; i < parts->n; i++) {
		const struct nd_part *p = &parts->v[i];
		struct nd_file *x;

		if (p->host[0] && host[0] && strcmp(p->host, host) != 0) {
			refuse_host(t, &of, p);
			continue;
		}
		x = add_part(t, &of, p);
		if (settle(c, x, p, &of, named)) {
			times[t->n_files - 1 - first] = p->t;
			continue;
		}
		t->n_files--;
		if (p->name[0])
			nd_tree_remark(
				t, false,
				nd_arena_printf(&t->arena, "%s:%u", base_of(of.rel), p->line),
				nd_arena_printf(&t->arena, "not recognised: nothing here reads %s",
						p->name));
	}
	set_moments(c, first, times, parts->absolute);
	free(times);
	if (t->n_files == first)
		return false;
	t->files[file].split = t->files[file].used = true;
	return true;
}

/* ---- files ---- */

static void keep_text(struct nd_tree *t, struct nd_file *x, const struct nd_buf *b)
{
	x->text = nd_arena_copy(&t->arena, nd_buf_str(b), b->len);
	x->len = b->len;
}

/* A file that is one output: by its name, or by its content if that is clearly another's. */
static void take_whole(struct preparing *c, uint32_t file, const struct nd_read *by,
		       const struct nd_buf *b)
{
	struct nd_file *x = &c->tree->files[file];
	const struct nd_read *found;

	if (by && (!by->like || nd_is_like(by, nd_buf_str(b), b->len)))
		return;
	found = nd_recognise(c->known, nd_buf_str(b), b->len);
	if (!found || (by && same_reader(c->known, found, by)))
		return;
	if (by && by->what[0] == '/') /* a name from /proc is rarely anything else */
		return;
	take_as(c->tree, x, found, nd_buf_str(b), base_of(x->rel));
}

/* A text of Windows' tools: UTF-16 with its mark in front. In place: what is not ASCII becomes a question mark. */
static bool narrow(struct nd_buf *b)
{
	const bool little = b->len > 2 && memcmp(b->s, "\xff\xfe", 2) == 0;
	size_t to = 0;

	if (!little && !(b->len > 2 && memcmp(b->s, "\xfe\xff", 2) == 0))
		return false;
	for (size_t i = 2; i + 1 < b->len; i += 2) {
		char low = b->s[i + !little], high = b->s[i + little];

		b->s[to++] = high || (low & 0x80) || !low ? '?' : low;
	}
	b->len = to;
	b->s[to] = '\0';
	return true;
}

/* ---- archives ---- */

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
	struct preparing *c = ctx;
	const struct nd_read *by;
	struct nd_stem stem;
	struct nd_file x = {.rel = path, .tree = path};

	nd_stem_of(base_of(path), &stem);
	x.stem = stem.name;
	if (is_named(c->known, &x, &by) || strcmp(stem.name, "date") == 0 ||
	    strcmp(stem.name, "hostname") == 0)
		return true;
	return !in_bulk(path) && size <= SMALL_MAX;
}

static void unpack(struct preparing *c, uint32_t file, int fd)
{
	struct nd_tree *t = c->tree;
	const struct nd_file of = t->files[file];
	const char *base = base_of(of.rel);
	size_t n = strlen(base);
	struct nd_archive_want want = {
		.wanted = is_wanted, .ctx = c, .root = of.given ? of.root : ++t->n_roots};
	const char *dot = strrchr(base, '.');

	/* "netstat-s.txt.gz" is netstat-s.txt */
	want.raw_name =
		nd_arena_strndup(&t->arena, base, dot && dot > base ? (size_t)(dot - base) : n);
	t->files[file].split = t->files[file].used = true;
	nd_archive_read(t, base, of.text, of.len, of.text ? -1 : fd, &want, 0);
}

/* ---- one file ---- */

/* The content as far as it is looked at; whole: all of it. */
static bool load(const struct nd_file *x, int fd, struct nd_buf *b, bool *whole)
{
	struct stat st;

	*whole = true;
	if (x->text) {
		nd_buf_put(b, x->text, x->len);
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

static void look_into(struct preparing *c, uint32_t file, const struct nd_read *by, int fd)
{
	struct nd_tree *t = c->tree;
	struct nd_buf b = {0};
	struct nd_parts parts = {0};
	bool whole, dirty;

	if (!load(&t->files[file], fd, &b, &whole)) {
		nd_buf_free(&b);
		return;
	}
	dirty = narrow(&b);
	if (is_binary(&b) || b.len == 0) {
		nd_buf_free(&b);
		return;
	}
	dirty |= clean(&b);
	dirty |= unquote(&b);
	if (whole)
		nd_split_text(&t->arena, c->known, nd_buf_str(&b), b.len, &parts);
	if (whole && dirty)
		keep_text(t, &t->files[file], &b);
	if (!parts.marked || !take_parts(c, file, &parts, by != NULL))
		take_whole(c, file, by, &b);
	free(parts.v);
	nd_buf_free(&b);
}

static void prepare_one(struct preparing *c, uint32_t file, nd_open_file *open_file)
{
	struct nd_tree *t = c->tree;
	struct nd_file *x = &t->files[file];
	const struct nd_read *by = NULL;
	char head[512];
	ssize_t n;
	int fd = -1;

	x->prepared = true;
	if (x->why != ND_PRESENT || strcmp(x->rel, "expect.yaml") == 0 ||
	    (is_named(c->known, x, &by) && in_tree(x->rel)))
		return;
	if (!x->text) {
		fd = open_file(x);
		if (fd < 0)
			return; /* said when somebody asks for it */
		n = pread(fd, head, sizeof(head), 0);
	} else {
		n = x->len < sizeof(head) ? (ssize_t)x->len : (ssize_t)sizeof(head);
		memcpy(head, x->text, (size_t)n);
	}
	if (n > 0 && nd_is_archive(head, (size_t)n) && !x->packed)
		unpack(c, file, fd);
	else if (n > 0)
		look_into(c, file, by, fd);
	if (fd >= 0)
		close(fd);
}

/* Dates as moments: seconds since the earliest. */
static void settle_dates(struct preparing *c)
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
	struct preparing c = {.tree = t, .known = k};

	for (uint32_t i = 0; i < t->n_files; i++)
		if (!t->files[i].prepared)
			prepare_one(&c, i, open_file);
	settle_dates(&c);
	nd_tree_settle_roots(t, open_file);
}
