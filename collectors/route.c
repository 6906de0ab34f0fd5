/* /proc/net/route, ipv6_route and rt6_stats, and the number of routing rules from rtnetlink.
 *
 *	Iface	Destination	Gateway 	Flags	RefCnt	Use	Metric	Mask	…
 *	eth0	00000000	010200C0	0003	0	0	0	00000000
 *
 * The main table only, addresses in hexadecimal in the machine's byte order. ipv6_route has a line
 * a route without header, rt6_stats seven hexadecimal numbers of which the sixth counts against
 * net.ipv6.route.max_size. */
#include "collectors/route.h"
#include "collectors/netlink.h"
#include "collectors/snmp.h"

#include <errno.h>
#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <sys/socket.h>

#define FLAG_UP 0x1u
#define FLAG_GATEWAY 0x2u
#define FLAG_REJECT 0x200u
#define PRIORITY_MAIN 32766u /* and the one behind it: rules that every kernel makes */

#define ROW(id, fact, text, show)                                                                  \
	[id] = {.name = (fact),                                                                    \
		.on = ND_NETNS,                                                                    \
		.type = ND_T_NUMBER,                                                               \
		.unit = ND_U_COUNT,                                                                \
		.width = ND_GAUGE,                                                                 \
		.doc = (text),                                                                     \
		.reproduce = (show)}
#define NAMES(id, fact, text, show)                                                                \
	[id] = {.name = (fact),                                                                    \
		.on = ND_NETNS,                                                                    \
		.type = ND_T_TEXT,                                                                 \
		.doc = (text),                                                                     \
		.reproduce = (show)}
const struct nd_fact_def nd_route_facts[] = {
	ROW(ND_RT_COUNT, "routes.count", "IPv4 routes of the main table", "ip route | wc -l"),
	ROW(ND_RT_DEFAULT, "routes.default", "IPv4 default routes that can be used",
	    "ip route show default"),
	ROW(ND_RT_DEFAULT_IFACES, "routes.default_ifaces",
	    "interfaces that an IPv4 default route leaves by", "ip route show default"),
	NAMES(ND_RT_DEFAULT_NAMES, "routes.default_names", "their names", "ip route show default"),
	ROW(ND_RT_SHARED, "routes.shared", "IPv4 networks that more than one interface is in",
	    "ip route show scope link"),
	NAMES(ND_RT_SHARED_NAMES, "routes.shared_names", "the first of them, with two interfaces",
	      "ip route show scope link"),
	ROW(ND_RT_REFUSING, "routes.refusing",
	    "IPv4 routes that refuse: blackhole, unreachable, prohibit", "ip route"),
	ROW(ND_RT6_DEFAULT, "routes6.default", "IPv6 default routes that can be used",
	    "ip -6 route show default"),
	ROW(ND_RT6_CACHED, "routes6.cached",
	    "IPv6 destinations in memory, which count against net.ipv6.route.max_size",
	    "cut -d' ' -f6 /proc/net/rt6_stats"),
	ROW(ND_RT_RULES, "routes.rules", "IPv4 routing rules beside those that every kernel makes",
	    "ip rule"),
	[ND_ROUTE_FACTS] = {.name = NULL},
};
#undef ROW
#undef NAMES

/* ---- a table ---- */

void nd_routes_default(struct nd_routes *t, const char *iface)
{
	t->defaults++;
	for (uint32_t i = 0; i < t->n_default_ifaces; i++)
		if (iface && strcmp(t->default_ifaces[i], iface) == 0)
			return;
	if (iface && t->n_default_ifaces < ND_ARRAY_LEN(t->default_ifaces))
		snprintf(t->default_ifaces[t->n_default_ifaces++], ND_ROUTE_NAME, "%s", iface);
}

void nd_routes_link(struct nd_routes *t, uint32_t net, uint8_t bits, const char *iface)
{
	struct nd_route_link *l;

	if (t->n_links >= ND_ROUTE_LINKS_MAX)
		return;
	l = &t->links[t->n_links++];
	*l = (struct nd_route_link){.net = net, .bits = bits};
	snprintf(l->iface, sizeof(l->iface), "%s", iface);
}

/* Another interface in the same network, listed before this one. */
static const struct nd_route_link *twin(const struct nd_routes *t, uint32_t at)
{
	const struct nd_route_link *l = &t->links[at];

	for (uint32_t i = 0; i < at; i++)
		if (t->links[i].net == l->net && t->links[i].bits == l->bits &&
		    strcmp(t->links[i].iface, l->iface) != 0)
			return &t->links[i];
	return NULL;
}

static void put_shared(const struct nd_routes *t, nd_id ns, struct nd_facts *f,
		       const struct nd_input *in)
{
	char text[80] = "";
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->n_links; i++) {
		const struct nd_route_link *l = &t->links[i], *other = twin(t, i);

		if (!other)
			continue;
		if (!n++)
			snprintf(text, sizeof(text), "%u.%u.%u.%u/%u on %s and %s", l->net >> 24,
				 l->net >> 16 & 255, l->net >> 8 & 255, l->net & 255, l->bits,
				 other->iface, l->iface);
	}
	nd_put_num(f, ns, &nd_route_facts[ND_RT_SHARED], n, in);
	nd_put_text(f, ns, &nd_route_facts[ND_RT_SHARED_NAMES], text, in);
}

static void put_default_names(const struct nd_routes *t, nd_id ns, struct nd_facts *f,
			      const struct nd_input *in)
{
	struct nd_buf b = {0};

	for (uint32_t i = 0; i < t->n_default_ifaces; i++)
		nd_buf_printf(&b, "%s%s", i ? ", " : "", t->default_ifaces[i]);
	nd_put_text(f, ns, &nd_route_facts[ND_RT_DEFAULT_NAMES], nd_buf_str(&b), in);
	nd_buf_free(&b);
}

void nd_routes_put(const struct nd_routes *t, struct nd_facts *f, const struct nd_input *in)
{
	const nd_id ns = nd_entity(f, ND_NETNS, in->netns);

	if (t->truncated) {
		for (int i = ND_RT_COUNT; i <= ND_RT_REFUSING; i++)
			nd_put_missing(f, ns, &nd_route_facts[i], ND_BUDGET,
				       "%s: more than %u routes", in->path, ND_ROUTES_MAX);
		return;
	}
	nd_put_num(f, ns, &nd_route_facts[ND_RT_COUNT], t->n, in);
	nd_put_num(f, ns, &nd_route_facts[ND_RT_DEFAULT], t->defaults, in);
	nd_put_num(f, ns, &nd_route_facts[ND_RT_DEFAULT_IFACES], t->n_default_ifaces, in);
	nd_put_num(f, ns, &nd_route_facts[ND_RT_REFUSING], t->refusing, in);
	put_default_names(t, ns, f, in);
	put_shared(t, ns, f, in);
}

/* ---- /proc/net/route ---- */

static bool hex32(const char *word, uint32_t *out)
{
	uint64_t v;

	if (!word || !nd_parse_u64(word, 16, &v) || v > UINT32_MAX)
		return false;
	*out = (uint32_t)v;
	return true;
}

enum { R_IFACE, R_NET, R_GATEWAY, R_FLAGS, R_MASK = 7, R_MAX };

static bool proc_line(struct nd_routes *t, char *line)
{
	uint32_t net, flags, mask, n = 0;
	char *w[R_MAX], *word;

	while (n < R_MAX && (word = nd_word(&line)))
		w[n++] = word;
	if (n < R_MAX || !hex32(w[R_NET], &net) || !hex32(w[R_FLAGS], &flags) ||
	    !hex32(w[R_MASK], &mask))
		return false;
	t->n++;
	net = ntohl(net);
	mask = ntohl(mask);
	if (flags & FLAG_REJECT)
		t->refusing++;
	else if (mask == 0 && (flags & FLAG_UP))
		nd_routes_default(t, w[R_IFACE]);
	else if (!(flags & FLAG_GATEWAY) && mask != UINT32_MAX)
		nd_routes_link(t, net, (uint8_t)__builtin_popcount(mask), w[R_IFACE]);
	return true;
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	struct nd_routes *t = nd_alloc(sizeof(*t));
	bool header = false;
	char *line;
	int rc;

	while (!t->truncated && (line = nd_stream_line(s))) {
		header |= nd_starts(line, "Iface");
		t->truncated = t->n >= ND_ROUTES_MAX;
		if (!nd_stream_unended(s))
			proc_line(t, line);
	}
	rc = nd_stream_error(s);
	if (rc)
		nd_fail(e, rc, "%s: %s", in->path, strerror(-rc));
	else if (!header && !t->n)
		rc = nd_parse_fail(in, s, e, "a header 'Iface Destination …'", "none");
	else
		nd_routes_put(t, f, in);
	free(t);
	return rc;
}

static const struct nd_read reads[] = {
	{"/proc/net/route", ND_READ_NETNS | ND_READ_ONCE,
	 "Iface*Destination*Gateway *Flags*RefCnt*"},
	{NULL, 0, NULL},
};

/* ---- IPv6 ---- */

/* "DEST LEN SRC LEN GATEWAY METRIC REF USE FLAGS IFACE", all but the last hexadecimal. */
static int parse_routes6(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
			 struct nd_err *e)
{
	const nd_id ns = nd_entity(f, ND_NETNS, in->netns);
	uint32_t n = 0, defaults = 0;
	char *line;
	int rc;

	while (n <= ND_ROUTES_MAX && (line = nd_stream_line(s))) {
		char *w[10], *word;
		uint32_t have = 0, flags;

		while (have < ND_ARRAY_LEN(w) && (word = nd_word(&line)))
			w[have++] = word;
		if (have < ND_ARRAY_LEN(w) || strlen(w[0]) != 32 || !hex32(w[8], &flags))
			continue;
		n++;
		defaults += strcmp(w[1], "00") == 0 && strspn(w[0], "0") == 32 &&
			    (flags & FLAG_UP) && !(flags & FLAG_REJECT) && strcmp(w[9], "lo") != 0;
	}
	rc = nd_stream_error(s);
	if (rc)
		return nd_fail(e, rc, "%s: %s", in->path, strerror(-rc));
	if (n > ND_ROUTES_MAX && !defaults)
		nd_put_missing(f, ns, &nd_route_facts[ND_RT6_DEFAULT], ND_BUDGET,
			       "%s: more than %u routes", in->path, ND_ROUTES_MAX);
	else
		nd_put_num(f, ns, &nd_route_facts[ND_RT6_DEFAULT], defaults, in);
	return 0;
}

/* "0009 0006 0011 0007 0000 0c4e 0004" */
static int parse_stats6(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
			struct nd_err *e)
{
	const nd_id ns = nd_entity(f, ND_NETNS, in->netns);
	char *line = nd_stream_line(s), *word = NULL;
	uint32_t v;

	for (int i = 0; line && i < 6; i++)
		word = nd_word(&line);
	if (!line || !*line || !hex32(word, &v)) /* the seventh shows that the sixth is whole */
		return nd_parse_fail(in, s, e, "seven hexadecimal numbers", word ? word : "none");
	nd_put_num(f, ns, &nd_route_facts[ND_RT6_CACHED], v, in);
	return 0;
}

static int parse6(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		  struct nd_err *e)
{
	return strstr(in->path, "rt6_stats") ? parse_stats6(in, s, f, e)
					     : parse_routes6(in, s, f, e);
}

static const struct nd_read reads6[] = {
	{"/proc/net/ipv6_route", ND_READ_NETNS | ND_READ_ONCE, NULL},
	{"/proc/net/rt6_stats", ND_READ_NETNS, NULL},
	{NULL, 0, NULL},
};

/* ---- live: the rules ---- */

static int on_rule(const struct nlmsghdr *h, void *ctx)
{
	struct nd_nl_iter it = nd_nl_attrs(h, sizeof(struct fib_rule_hdr));
	uint32_t *n = ctx, priority = 0;
	struct nd_nl_attr a;

	while (nd_nl_next(&it, &a))
		if (a.type == FRA_PRIORITY)
			(void)nd_nl_u32(&a, &priority);
	*n += priority != 0 && priority != PRIORITY_MAIN && priority != PRIORITY_MAIN + 1;
	return 0;
}

static void forget(void *ctx)
{
	*(uint32_t *)ctx = 0;
}

static int live(struct nd_live *l, struct nd_facts *f, struct nd_err *e)
{
	struct fib_rule_hdr ask = {.family = AF_INET};
	const nd_id ns = nd_entity(f, ND_NETNS, l->in.netns);
	struct nd_nl *nl = NULL;
	uint32_t n = 0;
	const struct nd_nl_request r = {RTM_GETRULE, &ask, sizeof(ask), on_rule, forget, &n};
	int rc;

	if (!l->first || l->between)
		return 0;
	nd_netns_unread(l, f, nd_route_facts, "its routing rules cannot be asked from here");
	l->in.path = "rtnetlink(7), as ip rule shows it";
	rc = nd_nl_dump_calm(&nl, NETLINK_ROUTE, &r, e);
	nd_nl_close(nl);
	if (rc >= 0)
		nd_put_num(f, ns, &nd_route_facts[ND_RT_RULES], n, &l->in);
	else if (rc == -EOPNOTSUPP) /* a kernel without policy routing */
		nd_put_num(f, ns, &nd_route_facts[ND_RT_RULES], 0, &l->in);
	return rc == -EOPNOTSUPP || rc > 0 ? 0 : rc;
}

const struct nd_collector nd_collector_route;
const struct nd_collector nd_collector_route = {
	.name = "route",
	.doc = "IPv4 routes and rules: default routes, networks on several interfaces",
	.collect = "ip route; ip rule",
	.reads = reads,
	.facts = nd_route_facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
	.live = live,
};
const struct nd_collector nd_collector_route6;
const struct nd_collector nd_collector_route6 = {
	.name = "route6",
	.doc = "IPv6 default routes, and destinations in memory",
	.reads = reads6,
	.facts = nd_route_facts,
	.entities = {ND_NO_KIND},
	.parse = parse6,
};
