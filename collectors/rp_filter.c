/* Which interfaces check strictly where a packet's source would be routed to: the larger of the
 * interface's own rp_filter and that of `all` counts (1 strict, 2 loose).
 *
 * Kept as a number and names of the namespace, since a text of sysctls must not make interfaces
 * known that no listing shows. */
#include "collectors/collector.h"

#include <errno.h>

#define DIR "/proc/sys/net/ipv4/conf"
#define PREFIX "net.ipv4.conf."
#define SUFFIX ".rp_filter"
#define IFACES_MAX 4096u
#define NAMES_SHOWN 4u

enum { F_STRICT, F_NAMES };
static const struct nd_fact_def facts[] = {
	[F_STRICT] =
		{.name = "rp_filter.strict",
		 .on = ND_NETNS,
		 .type = ND_T_NUMBER,
		 .unit = ND_U_COUNT,
		 .width = ND_GAUGE,
		 .doc = "interfaces that drop packets whose source is routed elsewhere (rp_filter 1)",
		 .reproduce = "sysctl -ar 'conf.*\\.rp_filter'"},
	[F_NAMES] = {.name = "rp_filter.names",
		     .on = ND_NETNS,
		     .type = ND_T_TEXT,
		     .doc = "names of these interfaces, the first of them",
		     .reproduce = "sysctl -ar 'conf.*\\.rp_filter'"},
	{.name = NULL},
};

struct found {
	uint64_t all;
	bool all_known;
	char (*strict)[16]; /* own value 1 */
	uint32_t n, n_off; /* n_off: own value 0, strict if `all` is 1 */
	char off[NAMES_SHOWN][16];
};

static void add(struct found *x, const char *iface, uint64_t value)
{
	if (strcmp(iface, "all") == 0) {
		x->all = value;
		x->all_known = true;
	} else if (strcmp(iface, "default") != 0 && strcmp(iface, "lo") != 0) {
		if (value == 1 && x->n < NAMES_SHOWN)
			snprintf(x->strict[x->n], sizeof(*x->strict), "%s", iface);
		if (value == 0 && x->n_off < NAMES_SHOWN)
			snprintf(x->off[x->n_off], sizeof(x->off[0]), "%s", iface);
		x->n += value == 1;
		x->n_off += value == 0;
	}
}

static void put(const struct found *x, struct nd_facts *f, const struct nd_input *in)
{
	const nd_id ns = nd_entity(f, ND_NETNS, in->netns);
	const uint32_t n = x->all > 1 ? 0 : x->n + (x->all == 1 ? x->n_off : 0);
	struct nd_buf b = {0};

	for (uint32_t i = 0; x->all <= 1 && i < x->n && i < NAMES_SHOWN; i++)
		nd_buf_printf(&b, "%s%s", b.len ? ", " : "", x->strict[i]);
	for (uint32_t i = 0; x->all == 1 && i < x->n_off && i < NAMES_SHOWN; i++)
		nd_buf_printf(&b, "%s%s", b.len ? ", " : "", x->off[i]);
	nd_put_num(f, ns, &facts[F_STRICT], n, in);
	nd_put_text(f, ns, &facts[F_NAMES], nd_buf_str(&b), in);
	nd_buf_free(&b);
}

/* "net.ipv4.conf.eth0.rp_filter = 1", "net/ipv4/conf/eth0.100/rp_filter=1" */
static bool key_line(struct found *x, char *line)
{
	char *equals = strchr(line, '='), *key, *end;
	uint64_t v;

	if (!equals)
		return false;
	*equals = '\0';
	key = nd_trim(line);
	if (!nd_parse_u64(nd_trim(equals + 1), 10, &v))
		return false;
	if (strchr(key, '/') && (!strchr(key, '.') || strchr(key, '/') < strchr(key, '.')))
		for (char *c = key; *c; c++)
			*c = *c == '/' ? '.' : *c == '.' ? '/' : *c;
	if (!nd_starts(key, PREFIX) || !nd_ends(key, SUFFIX) ||
	    strlen(key) <= strlen(PREFIX SUFFIX))
		return false;
	key += strlen(PREFIX);
	end = key + strlen(key) - strlen(SUFFIX);
	*end = '\0';
	for (char *c = key; *c; c++)
		*c = *c == '/' ? '.' : *c; /* an interface with a dot in its name */
	add(x, key, v);
	return true;
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	char strict[NAMES_SHOWN][16];
	struct found x = {.strict = strict};
	bool cut = false;
	char *line;
	int rc;

	while ((line = nd_stream_line(s))) {
		cut = nd_stream_unended(s);
		if (!cut)
			(void)key_line(&x, line);
	}
	rc = nd_stream_error(s);
	if (rc)
		return nd_fail(e, rc, "%s: %s", in->path, strerror(-rc));
	if (x.all_known && !(cut && x.n + x.n_off == 0))
		put(&x, f, in);
	return 0;
}

static int live(struct nd_live *l, struct nd_facts *f, struct nd_err *e)
{
	char strict[NAMES_SHOWN][16], path[128], text[32], **names;
	struct found x = {.strict = strict};
	uint64_t v;
	int n;

	if (!l->first || l->between)
		return 0;
	n = nd_source_names(l->source, DIR, &names);
	if (n < 0)
		return nd_fail(e, n, "%s: %s", DIR, strerror(-n));
	for (int i = 0; i < n && i < (int)IFACES_MAX; i++) {
		snprintf(path, sizeof(path), DIR "/%.60s/rp_filter", names[i]);
		if (nd_source_text(l->source, path, text, sizeof(text)) == 0 &&
		    nd_parse_u64(nd_trim(text), 10, &v))
			add(&x, names[i], v);
	}
	nd_source_names_free(names, n);
	l->in.path = DIR;
	put(&x, f, &l->in);
	return 0;
}

static const struct nd_read reads[] = {
	{"sysctl -a", 0, NULL},
	{NULL, 0, NULL},
};
const struct nd_collector nd_collector_rp_filter;
const struct nd_collector nd_collector_rp_filter = {
	.name = "rp_filter",
	.doc = "which interfaces check strictly where a packet's source is routed to",
	.collect = "sysctl -a",
	.reads = reads,
	.facts = facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
	.live = live,
};
