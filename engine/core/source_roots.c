/* Several captures in one run: two sosreports of one host are two moments, and of two hosts they
 * are two diagnoses.
 *
 * How far apart they were taken is told by what `date` printed then, else by /proc/uptime if both
 * are of one boot. Captures that tell neither complement each other and count as one moment. */
#include "engine/core/source_paste.h"

#include <errno.h>
#include <math.h>
#include <unistd.h>

#define ROOTS_MAX 64
#define SMALL_BYTES 8192
#define BOOT_SLACK_S 5 /* /proc/stat's btime moves with corrections of the clock */

struct root {
	uint32_t given; /* which of the arguments or archives */
	const char *folder; /* of a sosreport within it, or "" */
	size_t folder_len;
	double date, uptime, btime; /* NaN: not told */
	char host[ND_PLACE_MAX];
};
struct roots {
	struct root v[ROOTS_MAX];
	uint32_t n;
};

static struct root *root_of(struct roots *r, const struct nd_file *x)
{
	bool sos = nd_starts(x->rel, "sosreport");
	size_t len = sos ? strcspn(x->rel, "/") : 0;

	for (uint32_t i = 0; i < r->n; i++) {
		const struct root *v = &r->v[i];

		if (v->given == x->root && v->folder_len == len &&
		    strncmp(v->folder, x->rel, len) == 0)
			return &r->v[i];
	}
	if (r->n == ROOTS_MAX)
		return NULL;
	r->v[r->n] = (struct root){x->root, x->rel, len, NAN, NAN, NAN, ""};
	return &r->v[r->n++];
}

/* The beginning of a file as text. False: it cannot be read. */
static bool text_of(const struct nd_file *x, nd_open_file *open_file, char *out, size_t size)
{
	size_t n = x->len < size - 1 ? x->len : size - 1;
	ssize_t got;
	int fd;

	if (x->text) {
		memcpy(out, x->text, n);
		out[n] = '\0';
		return true;
	}
	fd = x->why == ND_PRESENT ? open_file(x) : -1;
	if (fd < 0)
		return false;
	got = read(fd, out, size - 1);
	close(fd);
	out[got > 0 ? got : 0] = '\0';
	return got > 0;
}

static void take_date(struct root *r, char *text)
{
	char *line;

	while (isnan(r->date) && (line = nd_split(&text, "\n")))
		(void)nd_date_of(line, strlen(line), &r->date);
}

static void take_uptime(struct root *r, char *text)
{
	char *word = nd_word(&text);

	if (word)
		(void)nd_parse_f64(word, &r->uptime);
}

static void take_btime(struct root *r, char *text)
{
	char *at = strstr(text, "\nbtime ");

	if (!at)
		return;
	at += strlen("\nbtime ");
	at[strcspn(at, "\n")] = '\0';
	(void)nd_parse_f64(at, &r->btime);
}

static void take_host(struct root *r, char *text)
{
	char *word = nd_word(&text);

	if (word)
		snprintf(r->host, sizeof(r->host), "%.*s", (int)strcspn(word, "."), word);
}

static void learn(struct root *r, const struct nd_file *x, nd_open_file *open_file)
{
	static const struct {
		const char *ends; /* the path */
		void (*take)(struct root *r, char *text);
	} rows[] = {{"/date", take_date},
		    {"/proc/uptime", take_uptime},
		    {"/proc/stat", take_btime},
		    {"/hostname", take_host}};
	char path[512], text[SMALL_BYTES * 8];

	snprintf(path, sizeof(path), "/%.500s", x->rel);
	if (nd_ends(path, ".txt"))
		path[strlen(path) - 4] = '\0';
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++)
		if (nd_ends(path, rows[i].ends) && text_of(x, open_file, text, sizeof(text)))
			rows[i].take(r, text);
}

static bool same_boot(const struct roots *r)
{
	for (uint32_t i = 0; i < r->n; i++)
		if (isnan(r->v[i].uptime) || !(isnan(r->v[i].btime) || isnan(r->v[0].btime) ||
					       fabs(r->v[i].btime - r->v[0].btime) <= BOOT_SLACK_S))
			return false;
	return true;
}

static bool all_dated(const struct roots *r)
{
	for (uint32_t i = 0; i < r->n; i++)
		if (isnan(r->v[i].date))
			return false;
	return true;
}

/* Where to the files of a root move in time; false: it stays. */
static bool offset_of(const struct roots *r, const struct root *of, double *out)
{
	bool boot = same_boot(r);
	double least = INFINITY;

	if (!boot && !all_dated(r))
		return false;
	for (uint32_t i = 0; i < r->n; i++) {
		double at = boot ? r->v[i].uptime : r->v[i].date;

		least = at < least ? at : least;
	}
	*out = (boot ? of->uptime : of->date) - least;
	return true;
}

static bool is_other_host(const struct roots *r, const struct root *of)
{
	const struct root *first = NULL;

	for (uint32_t i = 0; i < r->n; i++)
		if (r->v[i].host[0] && (!first || r->v[i].given < first->given))
			first = &r->v[i];
	return first && of->host[0] && strcmp(of->host, first->host) != 0;
}

/* Takes out what is another host's, so that the rest can be compared. */
static void leave_out(struct nd_tree *t, struct roots *r)
{
	bool said[ROOTS_MAX] = {false};

	for (uint32_t i = 0; i < t->n_files; i++) {
		struct root *v = t->files[i].split ? NULL : root_of(r, &t->files[i]);

		if (!v || !is_other_host(r, v))
			continue;
		t->files[i].split = t->files[i].used = true;
		if (!said[v - r->v])
			nd_tree_remark(
				t, false,
				nd_arena_strdup(&t->arena, t->files[i].shown ? t->files[i].shown
									     : t->files[i].rel),
				nd_arena_printf(&t->arena,
						"left out, with all that came with it: it is of "
						"host %s; diagnose each host by itself",
						v->host));
		said[v - r->v] = true;
	}
}

void nd_tree_settle_roots(struct nd_tree *t, nd_open_file *open_file)
{
	struct roots *all = nd_alloc(sizeof(*all)), *kept = nd_alloc(sizeof(*kept));

	for (uint32_t i = 0; i < t->n_files; i++) {
		const struct nd_file *x = &t->files[i];
		struct root *r = x->split ? NULL : root_of(all, x);

		if (r && !x->as && !x->tool)
			learn(r, x, open_file);
	}
	leave_out(t, all);
	for (uint32_t i = 0; i < all->n; i++)
		if (!is_other_host(all, &all->v[i]))
			kept->v[kept->n++] = all->v[i];
	for (uint32_t i = 0; kept->n > 1 && i < t->n_files; i++) {
		struct root *r = t->files[i].split ? NULL : root_of(kept, &t->files[i]);
		double offset;

		if (r && offset_of(kept, r, &offset))
			t->files[i].t_ns += (uint64_t)(offset * 1e9);
	}
	free(all);
	free(kept);
}
