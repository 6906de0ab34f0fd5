/* Looks into recorded files whose names do not tell all: what an unnamed file is, which outputs a
 * pasted text holds, and when each was taken.
 *
 * A file in a copied tree is what its place says. Any other is read once in memory: prompts,
 * banners and dates cut it into parts that are files from then on. A name is believed unless the
 * content is clearly another output's; what neither name nor content tells stays unread. */
#include "engine/core/source_paste.h"

#include <errno.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_MAX (32u << 20) /* a larger file is one output, recognised by its beginning */
#define HEAD_BYTES 65536u
#define IFACE_MAX 15

struct preparing {
	struct nd_tree *tree;
	const struct nd_known *known;
	double *dates; /* of files, s; NaN: none. Grows with the tree */
	uint32_t n_dates;
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

static void set_date(struct preparing *c, uint32_t i, double t)
{
	while (c->n_dates <= i) {
		c->dates = nd_realloc(c->dates, (c->n_dates + 64) * sizeof(*c->dates));
		for (uint32_t k = 0; k < 64; k++)
			c->dates[c->n_dates++] = NAN;
	}
	c->dates[i] = t;
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
			set_date(c, i, at);
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
	x->text = nd_arena_strndup(&t->arena, nd_buf_str(b), b->len);
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

static void prepare_one(struct preparing *c, uint32_t file,
			int (*open_file)(struct nd_tree *t, struct nd_file *x))
{
	struct nd_tree *t = c->tree;
	struct nd_file *x = &t->files[file];
	const struct nd_read *by = NULL;
	struct nd_buf b = {0};
	struct nd_parts parts = {0};
	struct stat st;
	bool named, dirty;
	int fd;

	x->prepared = true;
	named = is_named(c->known, x, &by);
	if (x->why != ND_PRESENT || (named && in_tree(x->rel)) ||
	    strcmp(x->rel, "expect.yaml") == 0)
		return;
	fd = open_file(t, x);
	if (fd < 0) {
		x = &t->files[file];
		if (!named && x->why != ND_NO_PERMISSION) { /* for the list of what was not read */
			x->why = ND_PRESENT;
			x->detail = NULL;
		}
		return;
	}
	if (fstat(fd, &st) == 0 && st.st_size > TEXT_MAX) {
		if (read_file(fd, HEAD_BYTES, &b))
			take_whole(c, file, by, &b);
	} else if (read_file(fd, TEXT_MAX, &b)) {
		dirty = clean(&b);
		dirty |= unquote(&b);
		nd_split_text(&t->arena, c->known, nd_buf_str(&b), b.len, &parts);
		if (dirty && b.len)
			keep_text(t, &t->files[file], &b);
		if (!parts.marked || !take_parts(c, file, &parts, named))
			take_whole(c, file, by, &b);
		free(parts.v);
	}
	close(fd);
	nd_buf_free(&b);
}

/* Dates as moments: seconds since the earliest. */
static void settle_dates(struct preparing *c)
{
	double least = INFINITY;

	for (uint32_t i = 0; i < c->n_dates; i++)
		least = c->dates[i] < least ? c->dates[i] : least;
	for (uint32_t i = 0; i < c->n_dates && i < c->tree->n_files; i++)
		if (!isnan(c->dates[i]))
			c->tree->files[i].t_ns += (uint64_t)((c->dates[i] - least) * 1e9);
}

void nd_tree_prepare(struct nd_tree *t, const struct nd_known *k,
		     int (*open_file)(struct nd_tree *t, struct nd_file *x))
{
	struct preparing c = {.tree = t, .known = k};

	for (uint32_t i = 0, n = t->n_files; i < n; i++)
		if (!t->files[i].prepared)
			prepare_one(&c, i, open_file);
	settle_dates(&c);
	free(c.dates);
}
