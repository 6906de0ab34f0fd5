/* Connection tracking from /proc: how full the table is, and what it refused.
 *
 * The limit and the hash table are the host's, the count and the counters a namespace's. Columns of
 * /proc/net/stat/nf_conntrack are found by the header: the second and the eighth changed their
 * meaning (searched, clashres; delete_list, chainlength). Numbers are hexadecimal, a row a possible
 * processor, each 32 bits wide and wrapping for itself, so that the sum is a counter of no such
 * width: a wrap shows as a reset. `entries` is the namespace's count, repeated on every row.
 *
 *	entries  clashres found new invalid ignore delete chainlength insert insert_failed drop
 *	0000ff1e  00000000 0000002a 00000000 00000003 00000000 00000000 00000000 00000000 00000000 0 */
#include "collectors/conntrack.h"
#include "collectors/snmp.h"

#include <errno.h>

#define SYSCTL "/proc/sys/net/netfilter/"
#define STAT "/proc/net/stat/nf_conntrack"
#define MODULE "/sys/module/nf_conntrack/"

#define COUNTER(index, fact, key, text)                                                            \
	[index] = {.name = "conntrack." fact,                                                      \
		   .on = ND_NETNS,                                                                 \
		   .type = ND_T_NUMBER,                                                            \
		   .unit = ND_U_COUNT,                                                             \
		   .width = ND_COUNTER64,                                                          \
		   .doc = (text),                                                                  \
		   .reproduce = "conntrack -S | grep -o '\\b" key "=[0-9]*'"}
#define GAUGE(index, fact, kind, text)                                                             \
	[index] = {.name = "conntrack." fact,                                                      \
		   .on = (kind),                                                                   \
		   .type = ND_T_NUMBER,                                                            \
		   .unit = ND_U_COUNT,                                                             \
		   .width = ND_GAUGE,                                                              \
		   .doc = (text),                                                                  \
		   .reproduce = "cat " SYSCTL "nf_conntrack_" fact}

const struct nd_fact_def nd_conntrack_facts[ND_CT_FACTS + 1] = {
	GAUGE(ND_CT_MAX, "max", ND_HOST, "most connections that a namespace may track"),
	GAUGE(ND_CT_BUCKETS, "buckets", ND_HOST,
	      "size of the hash table that all namespaces share"),
	GAUGE(ND_CT_COUNT, "count", ND_NETNS, "connections that this namespace tracks"),
	COUNTER(ND_CT_DROP, "drop", "drop",
		"packets of new connections refused: table full, no memory, or a clash"),
	COUNTER(ND_CT_EARLY_DROP, "early_drop", "early_drop",
		"tracked connections thrown out to make room, without a word in the log"),
	COUNTER(ND_CT_INSERT_FAILED, "insert_failed", "insert_failed",
		"new connections lost because another packet had made the same entry, or its chain "
		"was too long"),
	COUNTER(ND_CT_INSERT, "insert", "insert",
		"entries made by user space and helpers, not by packets"),
	COUNTER(ND_CT_NAT_PORTS_TAKEN, "nat_ports_taken", "found",
		"times the search for a free NAT port met one that was taken"),
	COUNTER(ND_CT_INVALID, "invalid", "invalid", "packets that could not be tracked"),
	COUNTER(ND_CT_CLASH_RESOLVE, "clash_resolve", "clash_resolve",
		"races for the same entry that were settled without loss"),
	COUNTER(ND_CT_CHAIN_TOO_LONG, "chain_too_long", "chaintoolong",
		"new connections refused because their hash chain was too long"),
	COUNTER(ND_CT_SEARCH_RESTART, "search_restart", "search_restart",
		"look-ups begun again because the chain changed under them: harmless"),
	COUNTER(ND_CT_ERROR, "error", "error", "bad ICMP and other packets that tracking refused"),
	{.name = NULL},
};

static const struct {
	const char *name;
	int fact;
} columns[] = {
	{"drop", ND_CT_DROP},
	{"early_drop", ND_CT_EARLY_DROP},
	{"insert_failed", ND_CT_INSERT_FAILED},
	{"insert", ND_CT_INSERT},
	{"found", ND_CT_NAT_PORTS_TAKEN},
	{"invalid", ND_CT_INVALID},
	{"clashres", ND_CT_CLASH_RESOLVE}, /* /proc */
	{"clash_resolve", ND_CT_CLASH_RESOLVE}, /* conntrack -S */
	{"chainlength", ND_CT_CHAIN_TOO_LONG},
	{"chaintoolong", ND_CT_CHAIN_TOO_LONG},
	{"search_restart", ND_CT_SEARCH_RESTART},
	{"icmp_error", ND_CT_ERROR},
	{"error", ND_CT_ERROR},
};

static const struct nd_read reads[] = {
	{SYSCTL "nf_conntrack_count", 0},
	{SYSCTL "nf_conntrack_max", ND_READ_ONCE},
	{MODULE "parameters/hashsize", ND_READ_ONCE}, /* the same number; the last one is named */
	{SYSCTL "nf_conntrack_buckets", ND_READ_ONCE},
	{STAT, ND_READ_NETNS, "entries *searched *found *insert_failed *drop *"},
	{NULL, 0},
};

/* Files of one number, by the last part of their name. */
static const struct {
	const char *name;
	enum nd_conntrack_fact fact;
} files[] = {
	{"nf_conntrack_count", ND_CT_COUNT},
	{"nf_conntrack_max", ND_CT_MAX},
	{"nf_conntrack_buckets", ND_CT_BUCKETS},
	{"hashsize", ND_CT_BUCKETS},
};

int nd_conntrack_column(const char *name)
{
	for (size_t i = 0; i < ND_ARRAY_LEN(columns); i++)
		if (strcmp(columns[i].name, name) == 0)
			return columns[i].fact;
	return -1;
}

void nd_conntrack_add(struct nd_conntrack_sums *sums, int fact, uint64_t v)
{
	if (sums->last[fact] == sums->rows)
		return;
	sums->last[fact] = sums->rows;
	sums->had[fact]++;
	sums->sum[fact] = fact == ND_CT_COUNT ? v : sums->sum[fact] + v; /* the count is repeated */
}

void nd_conntrack_put(struct nd_facts *f, const struct nd_conntrack_sums *sums,
		      const struct nd_input *in)
{
	const nd_id ns = nd_entity(f, ND_NETNS, in->netns);

	for (int i = ND_CT_COUNTERS; i < ND_CT_FACTS; i++) {
		const struct nd_fact_def *fact = &nd_conntrack_facts[i];

		if (sums->cut)
			nd_put_missing(f, ns, fact, ND_TRUNCATED,
				       "%s ends within a row; more processors may follow",
				       in->path);
		else if (sums->had[i] == sums->rows)
			nd_put_reading(f, ns, fact, sums->sum[i], in);
		else if (sums->had[i])
			nd_put_missing(f, ns, fact, ND_TRUNCATED, "%s: %u of %u processors lack it",
				       in->path, sums->rows - sums->had[i], sums->rows);
		else
			nd_put_missing(f, ns, fact, ND_NOT_ON_THIS_KERNEL, "%s has no such counter",
				       in->path);
	}
}

/* Where a fact is put: on the host, or on a namespace. */
static nd_id entity_of(struct nd_facts *f, const struct nd_fact_def *fact, const char *netns)
{
	return nd_entity(f, fact->on, fact->on == ND_HOST ? "" : netns);
}

static bool is_count_file(const char *path)
{
	return strstr(path, files[0].name) != NULL;
}

/* The count on the rows, for a namespace whose nf_conntrack_count nobody can read. */
static void put_entries(struct nd_facts *f, uint64_t entries, const struct nd_input *in)
{
	const struct nd_fact_def *fact = &nd_conntrack_facts[ND_CT_COUNT];
	const nd_fact_id id = nd_registry_find(nd_facts_registry(f), ND_NETNS, fact->name);
	const nd_id ns = nd_entity(f, ND_NETNS, in->netns);

	if (id < 0 || !is_count_file(nd_get_source(f, ns, id)))
		nd_put_num(f, ns, fact, (double)entries, in);
}

/* Columns of the header line, as counters; -1 others. */
#define MAX_COLUMNS 32
struct header {
	int fact[MAX_COLUMNS];
	uint32_t n;
};

static void read_header(struct header *h, char *line)
{
	char *word;

	while (h->n < MAX_COLUMNS && (word = nd_word(&line)))
		h->fact[h->n++] =
			strcmp(word, "entries") == 0 ? ND_CT_COUNT : nd_conntrack_column(word);
}

/* One processor's row. What is no number does not count as had. */
static void read_row(const struct header *h, char *line, struct nd_conntrack_sums *sums)
{
	char *word;
	uint64_t v;

	sums->rows++;
	for (uint32_t i = 0; i < h->n && (word = nd_word(&line)); i++) {
		const int fact = h->fact[i];

		if (fact >= 0 && nd_parse_u64(word, 16, &v) && v <= UINT32_MAX)
			nd_conntrack_add(sums, fact, v);
	}
}

static int parse_stat(char *line, const struct nd_input *in, struct nd_stream *s,
		      struct nd_facts *f, struct nd_err *e)
{
	struct header h = {.n = 0};
	struct nd_conntrack_sums sums = {.rows = 0};

	read_header(&h, line);
	while ((line = nd_stream_line(s)))
		if (line[strspn(line, " \t\r")])
			read_row(&h, line, &sums);
	if (nd_stream_error(s))
		return nd_fail(e, nd_stream_error(s), "%s: %s", in->path,
			       strerror(-nd_stream_error(s)));
	if (!sums.rows)
		return nd_parse_fail(in, s, e, "a row for each processor", "none");
	sums.cut = nd_stream_unended(s);
	nd_conntrack_put(f, &sums, in);
	if (sums.had[ND_CT_COUNT] && !sums.cut)
		put_entries(f, sums.sum[ND_CT_COUNT], in);
	return 0;
}

static int parse_number(char *line, const struct nd_input *in, struct nd_stream *s,
			struct nd_facts *f, struct nd_err *e)
{
	const char *slash = strrchr(in->path, '/');
	const char *base = slash ? slash + 1 : in->path;
	char *text = nd_trim(line);
	uint64_t v;

	if (!nd_parse_u64(text, 10, &v))
		return nd_parse_fail(in, s, e, "a number", text);
	for (size_t i = 0; i < ND_ARRAY_LEN(files); i++) {
		const struct nd_fact_def *fact = &nd_conntrack_facts[files[i].fact];

		if (!nd_starts(base, files[i].name))
			continue;
		nd_put_num(f, entity_of(f, fact, in->netns), fact, (double)v, in);
		return 0;
	}
	return nd_fail(e, -EINVAL, "%s: expected a file of conntrack", in->path);
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	char *line = nd_stream_line(s);

	if (!line)
		return nd_fail(e, nd_stream_error(s) ? nd_stream_error(s) : -EINVAL,
			       "%s: expected a line, found none", in->path);
	if (strstr(line, "entries"))
		return parse_stat(line, in, s, f, e);
	return parse_number(line, in, s, f, e);
}

static bool gone(struct nd_live *l, const char *path)
{
	char text[64];

	return nd_source_text(l->source, path, text, sizeof(text)) == -ENOENT;
}

/* No tracking on this host: nothing is counted because there is nothing. */
static void put_none(struct nd_facts *f, const char *netns, const struct nd_input *in)
{
	for (int i = 0; i < ND_CT_FACTS; i++) {
		const struct nd_fact_def *fact = &nd_conntrack_facts[i];

		nd_put_absent(f, entity_of(f, fact, netns), fact, in);
	}
}

/* Which namespaces there are, read or not: a sum over them must know what it lacks. */
static int live(struct nd_live *l, struct nd_facts *f, struct nd_err *e)
{
	const struct nd_netns *ns;
	struct nd_status status;
	struct nd_input in = l->in;
	uint32_t n;
	bool none;

	(void)e;
	if (!l->first || l->between)
		return 0;
	none = gone(l, SYSCTL "nf_conntrack_max") && gone(l, STAT) &&
	       gone(l, MODULE "parameters/hashsize");
	in.path = SYSCTL;
	ns = nd_source_netns(l->source, &n, &status);
	for (uint32_t i = 0; none && i < n; i++)
		put_none(f, ns[i].name, &in);
	nd_netns_unread(l, f, nd_conntrack_facts, "no process through which it can be read");
	if (status.why != ND_PRESENT)
		nd_kind_missing(f, ND_NETNS, status.why, "%s", status.detail);
	/* gives way to a value; else it is said why there is none though there is tracking */
	for (int i = ND_CT_MAX; !none && i <= ND_CT_BUCKETS; i++)
		nd_put_missing(f, nd_entity(f, ND_HOST, ""), &nd_conntrack_facts[i],
			       ND_NO_PERMISSION,
			       "connections are tracked, but " SYSCTL " may not be read from here");
	return 0;
}

/* Was this read from a tree of /proc, whole or copied? */
static bool from_tree(const struct nd_facts *f, enum nd_kind kind, const char *key,
		      const char *name)
{
	const nd_id on = nd_entity_find(f, kind, key);
	const nd_fact_id id = nd_registry_find(nd_facts_registry(f), kind, name);

	return on != ND_NO_ENTITY && id >= 0 && strstr(nd_get_source(f, on, id), "proc/sys/net/") &&
	       !nd_source_is_pasted(nd_get_source(f, on, id));
}

/* A copied tree with the other settings of the network and none of tracking comes from a host
 * without it. A flat folder says nothing by what it lacks, and live() knows better. */
static void finish(struct nd_facts *f)
{
	const nd_fact_id max =
		nd_registry_find(nd_facts_registry(f), ND_HOST, nd_conntrack_facts[ND_CT_MAX].name);
	const struct nd_value v = nd_get(f, nd_entity(f, ND_HOST, ""), max, ND_BARE);
	const struct nd_input in = {.path = "proc/sys/net", .netns = "host"};
	const bool unsaid =
		v.type == ND_V_MISSING &&
		(v.why == ND_TOOL_OUTPUT_ABSENT || v.why == ND_NOT_SAMPLED || v.why == ND_SILENT);

	if (unsaid && from_tree(f, ND_HOST, "", "sysctl.net.core.netdev_max_backlog") &&
	    from_tree(f, ND_NETNS, "host", "sysctl.net.ipv4.tcp_syncookies"))
		put_none(f, in.netns, &in);
}

const struct nd_collector nd_collector_conntrack = {
	.name = "conntrack",
	.doc = "connection tracking: how full the table is, and what it refused",
	.collect = "conntrack -S; conntrack -C; sysctl -a",
	.reads = reads,
	.facts = nd_conntrack_facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
	.live = live,
	.finish = finish,
};
