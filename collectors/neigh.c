/* The neighbour tables, from rtnetlink: RTM_GETNEIGHTBL has their size, limits and statistics.
 *
 * The answer is the same in each network namespace, since there is one table for all. How many
 * entries are permanent only a listing tells (RTM_GETNEIGH), which shows one namespace; it is made
 * once, and only of a table that is larger than its first limit. */
#include "collectors/neigh.h"
#include "collectors/netlink.h"

#include <errno.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#define SOURCE "rtnetlink(7), as ip -s ntable shows it"
#define SHOW "ip -s ntable show name {key}"
#define LIST "ip neigh"

#define ROW(id, fact, shape, text, show)                                                           \
	[id] = {.name = (fact),                                                                    \
		.on = ND_NEIGH,                                                                    \
		.type = ND_T_NUMBER,                                                               \
		.unit = ND_U_COUNT,                                                                \
		.width = (shape),                                                                  \
		.doc = (text),                                                                     \
		.reproduce = (show)}
const struct nd_fact_def nd_neigh_facts[] = {
	[ND_NF_FAMILY] = {.name = "family",
			  .on = ND_NEIGH,
			  .type = ND_T_TEXT,
			  .doc = "IPv4 (ARP) or IPv6",
			  .reproduce = SHOW},
	[ND_NF_SYSCTL_ROOT] = {.name = "sysctl_root",
			       .on = ND_NEIGH,
			       .type = ND_T_TEXT,
			       .doc = "ipv4 or ipv6, as in the names of its sysctls",
			       .reproduce = SHOW},
	ROW(ND_NF_ENTRIES, "entries", ND_GAUGE, "neighbours of all namespaces in the table", SHOW),
	ROW(ND_NF_LISTED, "listed", ND_GAUGE,
	    "neighbours that a listing of one namespace shows: never more than entries", LIST),
	ROW(ND_NF_PERMANENT, "permanent", ND_GAUGE,
	    "permanent ones of these, which do not count against the limit since Linux 5.0", LIST),
	ROW(ND_NF_FAILED, "failed", ND_GAUGE, "those of these that do not answer", LIST),
	ROW(ND_NF_THRESH1, "gc_thresh1", ND_GAUGE, "entries that are never collected", SHOW),
	ROW(ND_NF_THRESH2, "gc_thresh2", ND_GAUGE, "entries above which making one collects others",
	    SHOW),
	ROW(ND_NF_THRESH3, "gc_thresh3", ND_GAUGE, "entries that may exist, in all namespaces",
	    SHOW),
	ROW(ND_NF_TABLE_FULLS, "table_fulls", ND_COUNTER64,
	    "new neighbours refused because the table was full", SHOW),
	ROW(ND_NF_FORCED_GCS, "forced_gcs", ND_COUNTER64,
	    "collections that had to be made at once to create an entry", SHOW),
	ROW(ND_NF_RES_FAILED, "res_failed", ND_COUNTER64,
	    "neighbours that did not answer when asked for their address", SHOW),
	ROW(ND_NF_DISCARDS, "unresolved_discards", ND_COUNTER64,
	    "packets dropped because too many waited for a neighbour's address", SHOW),
	[ND_NEIGH_FACTS] = {.name = NULL},
};
#undef ROW

static const char *const names[] = {"arp_cache", "ndisc_cache"};

nd_id nd_neigh_table(struct nd_facts *f, bool six, const struct nd_input *in)
{
	const nd_id id = nd_entity(f, ND_NEIGH, names[six]);

	nd_put_text(f, id, &nd_neigh_facts[ND_NF_FAMILY], six ? "IPv6" : "IPv4", in);
	nd_put_text(f, id, &nd_neigh_facts[ND_NF_SYSCTL_ROOT], six ? "ipv6" : "ipv4", in);
	return id;
}

void nd_neigh_put_count(struct nd_facts *f, bool six, const struct nd_neigh_count *c,
			const struct nd_input *in)
{
	const nd_id id = nd_neigh_table(f, six, in);

	nd_put_num(f, id, &nd_neigh_facts[ND_NF_LISTED], c->listed, in);
	nd_put_num(f, id, &nd_neigh_facts[ND_NF_PERMANENT], c->permanent, in);
	nd_put_num(f, id, &nd_neigh_facts[ND_NF_FAILED], c->failed, in);
}

/* ---- live ---- */

struct dump {
	struct nd_facts *f;
	struct nd_input in;
	bool large[2]; /* more entries than its first limit */
	struct nd_neigh_count count[2];
};

/* struct ndt_stats, of 64-bit numbers; table_fulls is the last since Linux 4.3. */
static const struct {
	size_t offset;
	enum nd_neigh_fact fact;
} stats[] = {
	{offsetof(struct ndt_stats, ndts_res_failed), ND_NF_RES_FAILED},
	{offsetof(struct ndt_stats, ndts_forced_gc_runs), ND_NF_FORCED_GCS},
	{offsetof(struct ndt_stats, ndts_table_fulls), ND_NF_TABLE_FULLS},
};

static void put_stats(struct dump *d, nd_id id, const struct nd_nl_attr *a)
{
	for (size_t i = 0; i < ND_ARRAY_LEN(stats); i++) {
		const struct nd_fact_def *fact = &nd_neigh_facts[stats[i].fact];
		uint64_t v;

		if (stats[i].offset + sizeof(v) > a->len) {
			nd_put_missing(d->f, id, fact, ND_NOT_ON_THIS_KERNEL,
				       "its statistics are shorter");
			continue;
		}
		memcpy(&v, (const char *)a->data + stats[i].offset, sizeof(v));
		nd_put_reading(d->f, id, fact, v, &d->in);
	}
}

static int on_table(const struct nlmsghdr *h, void *ctx)
{
	static const struct {
		uint16_t type;
		enum nd_neigh_fact fact;
	} limits[] = {{NDTA_THRESH1, ND_NF_THRESH1},
		      {NDTA_THRESH2, ND_NF_THRESH2},
		      {NDTA_THRESH3, ND_NF_THRESH3}};
	struct dump *d = ctx;
	struct nd_nl_iter it = nd_nl_attrs(h, sizeof(struct ndtmsg));
	struct nd_nl_attr a;
	char name[32] = "";
	uint32_t v, first = UINT32_MAX, entries = 0;
	nd_id id = ND_NO_ENTITY;
	bool six;

	while (nd_nl_next(&it, &a)) {
		if (a.type == NDTA_NAME && nd_nl_text(&a, name, sizeof(name)) &&
		    (strcmp(name, names[0]) == 0 || strcmp(name, names[1]) == 0))
			id = nd_neigh_table(d->f, strcmp(name, names[1]) == 0, &d->in);
		if (id == ND_NO_ENTITY)
			continue; /* the name comes first */
		for (size_t i = 0; i < ND_ARRAY_LEN(limits); i++)
			if (a.type == limits[i].type && nd_nl_u32(&a, &v)) {
				nd_put_num(d->f, id, &nd_neigh_facts[limits[i].fact], v, &d->in);
				first = i ? first : v;
			}
		if (a.type == NDTA_CONFIG && a.len >= sizeof(struct ndt_config)) {
			memcpy(&entries,
			       (const char *)a.data + offsetof(struct ndt_config, ndtc_entries),
			       sizeof(entries));
			nd_put_num(d->f, id, &nd_neigh_facts[ND_NF_ENTRIES], entries, &d->in);
		}
		if (a.type == NDTA_STATS)
			put_stats(d, id, &a);
	}
	six = strcmp(name, names[1]) == 0;
	d->large[six] |= id != ND_NO_ENTITY && entries > first;
	return 0;
}

static int on_neighbour(const struct nlmsghdr *h, void *ctx)
{
	struct dump *d = ctx;
	const struct ndmsg *m = nd_nl_payload(h, sizeof(*m), NULL);
	struct nd_neigh_count *c;

	if (!m || (m->ndm_family != AF_INET && m->ndm_family != AF_INET6) ||
	    (m->ndm_state & NUD_NOARP))
		return 0;
	c = &d->count[m->ndm_family == AF_INET6];
	c->listed++;
	c->permanent += (m->ndm_state & NUD_PERMANENT) != 0;
	c->failed += (m->ndm_state & (NUD_FAILED | NUD_INCOMPLETE)) != 0;
	return 0;
}

static void forget(void *ctx)
{
	struct dump *d = ctx;

	memset(d->count, 0, sizeof(d->count));
}

static void nothing(void *ctx)
{
	(void)ctx;
}

static void list(struct dump *d, struct nd_nl **nl)
{
	struct ndmsg ask = {.ndm_family = AF_UNSPEC};
	const struct nd_nl_request r = {RTM_GETNEIGH, &ask, sizeof(ask), on_neighbour, forget, d};
	struct nd_err ignored = {""};

	const bool wanted = d->large[0] || d->large[1];
	const int rc = wanted ? nd_nl_dump_calm(nl, NETLINK_ROUTE, &r, &ignored) : 0;

	for (int six = 0; six <= 1; six++) {
		const nd_id id = nd_neigh_table(d->f, six != 0, &d->in);

		if (d->large[six] && rc >= 0)
			nd_neigh_put_count(d->f, six != 0, &d->count[six], &d->in);
		for (int i = ND_NF_LISTED; i <= ND_NF_FAILED; i++)
			nd_put_missing(d->f, id, &nd_neigh_facts[i],
				       rc < 0 ? ND_TIMED_OUT : ND_NOT_SAMPLED, "%s",
				       rc < 0 ? ignored.msg : "a small table is not listed");
	}
}

static int live(struct nd_live *l, struct nd_facts *f, struct nd_err *e)
{
	struct dump d = {.f = f, .in = l->in};
	struct ndtmsg ask = {.ndtm_family = AF_UNSPEC};
	const struct nd_nl_request r = {RTM_GETNEIGHTBL, &ask, sizeof(ask), on_table, nothing, &d};
	struct nd_nl *nl = NULL;
	int rc;

	if (l->between)
		return 0;
	d.in.path = SOURCE;
	rc = nd_nl_dump_calm(&nl, NETLINK_ROUTE, &r, e);
	if (rc >= 0) {
		nd_kind_read(f, ND_NEIGH);
		if (l->last)
			list(&d, &nl);
	}
	nd_nl_close(nl);
	return rc < 0 ? rc : 0;
}

/* ---- the end ---- */

static struct nd_value number_of(struct nd_facts *f, enum nd_kind kind, nd_id on, const char *name)
{
	return nd_get(f, on, nd_registry_find(nd_facts_registry(f), kind, name), ND_BARE);
}

/* The limits as sysctls, where the table itself did not tell them. */
static void limits_from_sysctls(struct nd_facts *f, bool six)
{
	const struct nd_registry *r = nd_facts_registry(f);

	for (int i = 0; i < 3; i++) {
		const struct nd_fact_def *fact = &nd_neigh_facts[ND_NF_THRESH1 + i];
		struct nd_input in = {.netns = "host"};
		char name[64];
		nd_fact_id sysctl;
		struct nd_value v;
		nd_id id;

		snprintf(name, sizeof(name), "sysctl.net.ipv%c.neigh.default.gc_thresh%d",
			 six ? '6' : '4', i + 1);
		sysctl = nd_registry_find(r, ND_HOST, name);
		if (sysctl < 0)
			continue;
		v = nd_get(f, nd_entity(f, ND_HOST, ""), sysctl, ND_BARE);
		if (v.type != ND_V_NUMBER)
			continue;
		in.path = nd_get_source(f, nd_entity(f, ND_HOST, ""), sysctl);
		id = nd_neigh_table(f, six, &in);
		if (number_of(f, ND_NEIGH, id, fact->name).type != ND_V_NUMBER)
			nd_put_num(f, id, fact, v.num, &in);
	}
}

/* "arp_cache: neighbor table overflow!"; before Linux 3.x also "ipv4: Neighbour table overflow." */
static void tables_of_log(struct nd_facts *f)
{
	struct nd_input in = {.path = "the kernel's log", .netns = "host"};
	struct nd_status status;
	uint32_t n;
	const struct nd_log_line *lines = nd_log(f, &n, &status);
	bool seen[2] = {false, false};

	for (uint32_t i = 0; i < n; i++) {
		const char *text = lines[i].text;

		if (!strstr(text, "table overflow") ||
		    (!strstr(text, "eighbo") && !strstr(text, "_cache")))
			continue;
		seen[strstr(text, "ndisc") || strstr(text, "ipv6") || strstr(text, "IPv6")] = true;
	}
	for (int six = 0; six <= 1; six++)
		if (seen[six])
			nd_neigh_table(f, six != 0, &in);
}

void nd_neigh_finish(struct nd_facts *f)
{
	limits_from_sysctls(f, false);
	limits_from_sysctls(f, true);
	tables_of_log(f);
}

const struct nd_collector nd_collector_neigh;
const struct nd_collector nd_collector_neigh = {
	.name = "neigh",
	.doc = "neighbour tables of ARP and IPv6: size, limits, refusals",
	.collect = "ip -s neigh; sysctl -a",
	.facts = nd_neigh_facts,
	.entities = {ND_NEIGH, ND_NO_KIND},
	.live = live,
	.finish = nd_neigh_finish,
};
