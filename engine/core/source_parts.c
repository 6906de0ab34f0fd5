/* Which output a file or a part of a pasted text is: by its command, its name, or its content; and
 * the parts of a text as files of their own, each with its moment. */
#include "engine/core/source_paste.h"

#include <math.h>

#define IFACE_MAX 15

const char *nd_base_of(const char *rel)
{
	const char *slash = strrchr(rel, '/');

	return slash ? slash + 1 : rel;
}

bool nd_file_is_named(const struct nd_known *k, const struct nd_file *x, const struct nd_read **by)
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
bool nd_same_reader(const struct nd_known *k, const struct nd_read *a, const struct nd_read *b)
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
			    s[len] >= '0' && s[len] <= '9')
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
void nd_file_take_as(struct nd_tree *t, struct nd_file *x, const struct nd_read *r,
		     const char *text, const char *where)
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
	nd_stem_of(nd_base_of(p->name), &stem);
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
static bool settle(struct nd_preparing *c, struct nd_file *x, const struct nd_part *p,
		   const struct nd_file *of, bool of_named)
{
	const char *where = nd_arena_printf(&c->tree->arena, "%s:%u", nd_base_of(of->rel), p->line);
	const struct nd_read *by, *found;

	if (p->name[0]) {
		x->shown = inside(&c->tree->arena, where, p->name);
		if (!p->changed && !p->mixed && nd_file_is_named(c->known, x, &by)) {
			found = by->like && !nd_is_like(by, p->text, p->len)
					? nd_recognise(c->known, p->text, p->len)
					: NULL;
			if (found && !nd_same_reader(c->known, found, by))
				nd_file_take_as(c->tree, x, found, p->text, where);
			return true;
		}
	} else if (of_named) {
		name_after_file(x, of);
		x->shown = nd_arena_printf(&c->tree->arena, "%s:%u/%s", of->rel, p->line,
					   nd_base_of(of->rel));
		return true;
	}
	found = p->mixed ? NULL : nd_recognise(c->known, p->text, p->len);
	if (!found)
		return false;
	nd_file_take_as(c->tree, x, found, p->text, where);
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
static void set_moments(struct nd_preparing *c, uint32_t first, const double *t, bool absolute)
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
	nd_tree_remark(t, false, nd_arena_printf(&t->arena, "%s:%u", nd_base_of(of->rel), p->line),
		       nd_arena_printf(&t->arena,
				       "left out: %s ran on %s, another host than the first; "
				       "diagnose each by itself",
				       p->name[0] ? p->name : "this", p->host));
}

/* Replaces the file by its parts. False: none of them can be read, so it stays as it is. */
bool nd_take_parts(struct nd_preparing *c, uint32_t file, const struct nd_parts *parts, bool named)
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
				nd_arena_printf(&t->arena, "%s:%u", nd_base_of(of.rel), p->line),
				nd_arena_printf(&t->arena,
						p->mixed ? "left out: several outputs of %s run "
							   "together, print a date between them"
							 : "not recognised: nothing here reads %s",
						p->name));
	}
	set_moments(c, first, times, parts->absolute);
	free(times);
	if (t->n_files == first)
		return false;
	t->files[file].split = t->files[file].used = true;
	return true;
}
