/* Neighbour tables as text: the kernel's statistics, listings of neighbours, their mere number.
 *
 *	/proc/net/stat/arp_cache	a line of names, then hexadecimal lines, one a CPU; entries is
 *					the same in each of them
 *	ip neigh, arp, /proc/net/arp	a line a neighbour, of one namespace
 *	arp -an | wc -l			a number
 *	ip -s ntable			limits and statistics */
#include "collectors/neigh.h"

#include <errno.h>

#define NAMES_MAX 32
#define LINES_MAX 5000000u /* of a listing: no table has so many */

/* ---- /proc/net/stat ---- */

struct column {
	const char *name; /* in the file */
	enum nd_neigh_fact fact;
};
static const struct column columns[] = {
	{"entries", ND_NF_ENTRIES},	      {"res_failed", ND_NF_RES_FAILED},
	{"forced_gc_runs", ND_NF_FORCED_GCS}, {"unresolved_discards", ND_NF_DISCARDS},
	{"table_fulls", ND_NF_TABLE_FULLS},
};
struct sums {
	int place[NAMES_MAX]; /* of a word in a line: index into columns, or -1 */
	uint32_t n;
	bool has[ND_ARRAY_LEN(columns)];
	uint64_t v[ND_ARRAY_LEN(columns)];
	bool bad, rows;
};

static void read_names(struct sums *t, char *line)
{
	char *word;

	t->n = 0;
	while (t->n < NAMES_MAX && (word = nd_word(&line))) {
		t->place[t->n] = -1;
		for (size_t i = 0; i < ND_ARRAY_LEN(columns); i++)
			if (strcmp(columns[i].name, word) == 0) {
				t->place[t->n] = (int)i;
				t->has[i] = true;
			}
		t->n++;
	}
}

static void read_cpu(struct sums *t, char *line)
{
	char *word;
	uint64_t v;

	for (uint32_t i = 0; i < t->n; i++) {
		const int at = t->place[i];

		word = nd_word(&line);
		if (!word || !nd_parse_u64(word, 16, &v)) {
			t->bad = true;
			return;
		}
		if (at >= 0)
			t->v[at] = columns[at].fact == ND_NF_ENTRIES ? v : t->v[at] + v;
	}
	t->rows = true;
}

static bool says_six(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return strstr(name, "ndisc") || strchr(name, '6');
}

static void put_sums(const struct sums *t, struct nd_facts *f, const struct nd_input *in)
{
	const nd_id id = nd_neigh_table(f, says_six(in->path), in);

	for (size_t i = 0; i < ND_ARRAY_LEN(columns); i++) {
		const struct nd_fact_def *fact = &nd_neigh_facts[columns[i].fact];

		if (!t->has[i])
			nd_put_missing(f, id, fact, ND_NOT_ON_THIS_KERNEL, "%s has no column %s",
				       in->path, columns[i].name);
		else if (t->bad)
			nd_put_missing(f, id, fact, ND_TRUNCATED, "%s has a line that is too short",
				       in->path);
		else if (fact->width == ND_GAUGE)
			nd_put_num(f, id, fact, (double)t->v[i], in);
		else
			nd_put_reading(f, id, fact, t->v[i], in);
	}
}

static int parse_stat(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		      struct nd_err *e)
{
	struct sums t = {.n = 0};
	char *line;
	int rc;

	while ((line = nd_stream_line(s))) {
		if (strstr(line, "entries") && strstr(line, "lookups"))
			read_names(&t, line);
		else if (t.n && *nd_trim(line))
			read_cpu(&t, line);
	}
	t.bad |= nd_stream_unended(s);
	rc = nd_stream_error(s);
	if (rc)
		return nd_fail(e, rc, "%s: %s", in->path, strerror(-rc));
	if (!t.n || !(t.rows || t.bad))
		return nd_parse_fail(in, s, e, "names such as 'entries … lookups', and numbers",
				     "none");
	put_sums(&t, f, in);
	return 0;
}

/* ---- listings ---- */

struct listing {
	struct nd_neigh_count count[2];
	uint32_t rows;
	bool number; /* a line is nothing but a number: wc -l */
	uint64_t lines; /* that number */
};

/* Digits, dots, colons and hexadecimal letters: an address, and which. */
static bool is_address(const char *w, bool *six)
{
	const size_t len = strlen(w);

	*six = strchr(w, ':') != NULL;
	if (len < 2 || strspn(w, *six ? "0123456789abcdefABCDEF:." : "0123456789.") != len)
		return false;
	return *six || (strchr(w, '.') && w[0] != '.');
}

/* "10.0.0.7 dev eth0 lladdr 52:54:00:12:34:56 REACHABLE", with -s figures between. */
static bool ip_line(struct listing *l, char *const *w, uint32_t n)
{
	struct nd_neigh_count *c;
	bool six;

	if (n < 4 || strcmp(w[1], "dev") != 0 || !is_address(w[0], &six))
		return false;
	c = &l->count[six];
	c->listed++;
	for (uint32_t i = 3; i < n; i++) {
		c->permanent += strcmp(w[i], "PERMANENT") == 0;
		c->failed += strcmp(w[i], "FAILED") == 0 || strcmp(w[i], "INCOMPLETE") == 0;
	}
	return true;
}

/* "? (10.0.0.7) at 52:54:00:12:34:56 [ether] on eth0", "… at <incomplete> on eth0", "… PERM on …" */
static bool bsd_line(struct listing *l, char *const *w, uint32_t n)
{
	struct nd_neigh_count *c = &l->count[0];

	if (n < 4 || w[1][0] != '(' || !nd_ends(w[1], ")") || strcmp(w[2], "at") != 0)
		return false;
	c->listed++;
	c->failed += strcmp(w[3], "<incomplete>") == 0;
	for (uint32_t i = 4; i < n; i++)
		c->permanent += strcmp(w[i], "PERM") == 0;
	return true;
}

/* /proc/net/arp: "10.0.0.7 0x1 0x2 52:54:00:12:34:56 * eth0"; flag 2: complete, 4: permanent.
 * arp -n: "10.0.0.7 ether 52:54:00:12:34:56 C eth0", "10.0.0.8 (incomplete) eth0". */
static bool table_line(struct listing *l, char *const *w, uint32_t n)
{
	struct nd_neigh_count *c = &l->count[0];
	const bool proc = n == 6 && nd_starts(w[1], "0x") && nd_starts(w[2], "0x");
	const bool arp = n >= 5 && strcmp(w[1], "ether") == 0;
	const bool incomplete = n == 3 && strcmp(w[1], "(incomplete)") == 0;
	uint64_t flags;

	if (proc && nd_parse_u64(w[2] + 2, 16, &flags)) {
		c->failed += !(flags & 2);
		c->permanent += (flags & 4) != 0;
	} else if (arp) {
		c->permanent += strchr(w[3], 'M') != NULL;
	} else if (incomplete) {
		c->failed++;
	} else {
		return false;
	}
	c->listed++;
	return true;
}

static void list_line(struct listing *l, char *line)
{
	char *w[16], *word;
	uint32_t n = 0;
	uint64_t v;

	while (n < ND_ARRAY_LEN(w) && (word = nd_word(&line)))
		w[n++] = word;
	if (n == 1 && nd_parse_u64(w[0], 10, &v) && v < LINES_MAX) {
		l->number = true;
		l->lines = v;
	} else if (ip_line(l, w, n) || bsd_line(l, w, n) || table_line(l, w, n)) {
		l->rows++;
	}
}

static void put_listing(const struct listing *l, struct nd_facts *f, const struct nd_input *in)
{
	for (int six = 0; six <= 1; six++)
		if (l->count[six].listed || (!six && !l->count[1].listed))
			nd_neigh_put_count(f, six != 0, &l->count[six], in);
}

static int parse_list(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		      struct nd_err *e)
{
	struct listing l = {.rows = 0};
	char *line;
	int rc;

	while ((line = nd_stream_line(s)))
		if (!nd_stream_unended(s) || l.rows == 0)
			list_line(&l, line);
	rc = nd_stream_error(s);
	if (rc)
		return nd_fail(e, rc, "%s: %s", in->path, strerror(-rc));
	if (l.rows)
		put_listing(&l, f, in);
	else if (l.number)
		nd_put_num(f, nd_neigh_table(f, says_six(in->path), in),
			   &nd_neigh_facts[ND_NF_LISTED], (double)l.lines, in);
	return 0;
}

/* ---- ip ntable ---- */

static const struct column words[] = {
	{"thresh1", ND_NF_THRESH1},	    {"thresh2", ND_NF_THRESH2},
	{"thresh3", ND_NF_THRESH3},	    {"entries", ND_NF_ENTRIES},
	{"res_failed", ND_NF_RES_FAILED},   {"forced_gc_runs", ND_NF_FORCED_GCS},
	{"table_fulls", ND_NF_TABLE_FULLS},
};

static void pair(struct nd_facts *f, nd_id id, const char *name, const char *number,
		 const struct nd_input *in)
{
	uint64_t v;

	if (!nd_parse_u64(number, 10, &v))
		return;
	for (size_t i = 0; i < ND_ARRAY_LEN(words); i++) {
		const struct nd_fact_def *fact = &nd_neigh_facts[words[i].fact];

		if (strcmp(words[i].name, name) != 0)
			continue;
		if (fact->width == ND_GAUGE)
			nd_put_num(f, id, fact, (double)v, in);
		else
			nd_put_reading(f, id, fact, v, in);
	}
}

/* "inet arp_cache " begins a table, "    dev eth0" says that what follows is one interface's. */
static int parse_ntable(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
			struct nd_err *e)
{
	nd_id id = ND_NO_ENTITY;
	char *line;
	int rc;

	while ((line = nd_stream_line(s))) {
		const bool cut = nd_stream_unended(s);
		char *word, *last = NULL;

		if (nd_starts(line, "inet"))
			id = nd_neigh_table(f, nd_starts(line, "inet6"), in);
		while (id != ND_NO_ENTITY && (word = nd_word(&line))) {
			if (strcmp(word, "dev") == 0)
				id = ND_NO_ENTITY;
			else if (last && !(cut && !*line))
				pair(f, id, last, word, in);
			last = word;
		}
	}
	rc = nd_stream_error(s);
	return rc ? nd_fail(e, rc, "%s: %s", in->path, strerror(-rc)) : 0;
}

static const struct nd_read stat_reads[] = {
	{"/proc/net/stat/arp_cache", 0, "entries *allocs *destroys *hash_grows *"},
	{"/proc/net/stat/ndisc_cache", 0, NULL},
	{NULL, 0, NULL},
};
static const struct nd_read list_reads[] = {
	{"ip neigh", 0, "* dev * lladdr *"},
	{"ip neighbour", 0, NULL},
	{"ip neighbor", 0, NULL},
	{"ip n", 0, NULL},
	{"arp", 0, "*(*) at * on *"},
	{"/proc/net/arp", 0, "IP address *HW type *Flags *HW address*"},
	{NULL, 0, NULL},
};
static const struct nd_read ntable_reads[] = {
	{"ip ntable", 0, "inet* arp_cache*\n*thresh1 * thresh2 * thresh3 *"},
	{NULL, 0, NULL},
};
const struct nd_collector nd_collector_neigh_stat;
const struct nd_collector nd_collector_neigh_stat = {
	.name = "neigh_stat",
	.doc = "neighbour tables from /proc/net/stat",
	.reads = stat_reads,
	.facts = nd_neigh_facts,
	.entities = {ND_NO_KIND},
	.parse = parse_stat,
};
const struct nd_collector nd_collector_neigh_list;
const struct nd_collector nd_collector_neigh_list = {
	.name = "neigh_list",
	.doc = "neighbours from ip neigh, arp and /proc/net/arp",
	.reads = list_reads,
	.facts = nd_neigh_facts,
	.entities = {ND_NO_KIND},
	.parse = parse_list,
};
const struct nd_collector nd_collector_ntable;
const struct nd_collector nd_collector_ntable = {
	.name = "ntable",
	.doc = "neighbour tables from ip ntable",
	.reads = ntable_reads,
	.facts = nd_neigh_facts,
	.entities = {ND_NO_KIND},
	.parse = parse_ntable,
};
