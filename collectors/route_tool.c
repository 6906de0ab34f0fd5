/* Routes and routing rules as the tools print them.
 *
 *	ip route		default via 192.0.2.1 dev eth0 proto dhcp metric 100
 *				192.0.2.0/24 dev eth0 proto kernel scope link src 192.0.2.251
 *	route -n, netstat -rn	0.0.0.0  192.0.2.1  0.0.0.0  UG  100  0  0 eth0
 *	ip rule			100:	from 192.0.2.251 lookup 100
 *
 * Of `ip route show table all` only the main table counts; `ip route get` is no table at all. */
#include "collectors/route.h"

#include <arpa/inet.h>
#include <errno.h>

#define WORDS_MAX 40

struct text {
	struct nd_routes v4;
	uint32_t defaults6, rows, rows6, rules, rule_rows;
	bool get; /* of one destination: ip route get */
	bool in_default; /* nexthop lines may follow */
	bool six; /* ip -6 */
};

static uint32_t split(char *line, char **w)
{
	char *word;
	uint32_t n = 0;

	while (n < WORDS_MAX && (word = nd_word(&line)))
		w[n++] = word;
	return n;
}

/* The word behind a key, or NULL. */
static const char *behind(char *const *w, uint32_t n, const char *key)
{
	for (uint32_t i = 0; i + 1 < n; i++)
		if (strcmp(w[i], key) == 0)
			return w[i + 1];
	return NULL;
}

static bool has(char *const *w, uint32_t n, const char *word)
{
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(w[i], word) == 0)
			return true;
	return false;
}

/* "192.0.2.0/24" as numbers. */
static bool network(const char *word, uint32_t *net, uint8_t *bits)
{
	char host[64];
	const char *slash = strchr(word, '/');
	struct in_addr a;
	uint64_t v;

	if (!slash || (size_t)(slash - word) >= sizeof(host) || !nd_parse_u64(slash + 1, 10, &v) ||
	    v > 32)
		return false;
	memcpy(host, word, (size_t)(slash - word));
	host[slash - word] = '\0';
	if (inet_pton(AF_INET, host, &a) != 1)
		return false;
	*net = ntohl(a.s_addr);
	*bits = (uint8_t)v;
	return true;
}

/* ---- ip route ---- */

static const char *const refusing[] = {"blackhole", "unreachable", "prohibit", "throw"};
static const char *const other_types[] = {"local", "broadcast", "multicast", "anycast", "nat"};

static bool one_of(const char *word, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(word, list[i]) == 0)
			return true;
	return false;
}

static bool is_destination(const char *word)
{
	const size_t len = strlen(word);

	return strcmp(word, "default") == 0 ||
	       (strspn(word, "0123456789abcdefABCDEF.:/") == len && strpbrk(word, ".:"));
}

static void nexthop(struct text *t, char *const *w, uint32_t n)
{
	const char *dev = behind(w, n, "dev");

	if (!t->in_default || !dev || has(w, n, "dead"))
		return;
	nd_routes_default(&t->v4, dev);
}

/* IPv6: an address with colons (a link's own never stands here), or a preference, or the name of the file says so. */
static bool is_six(const struct text *t, char *const *w, uint32_t n)
{
	bool six = t->six || has(w, n, "pref");

	for (uint32_t i = 0; i < n; i++)
		six |= strchr(w[i], ':') != NULL;
	return six;
}

static void ip_line(struct text *t, char *const *w, uint32_t n)
{
	const char *table = behind(w, n, "table"), *dev = behind(w, n, "dev");
	const bool usable = !has(w, n, "dead");
	const bool six = is_six(t, w, n);
	uint32_t net;
	uint8_t bits;

	if (six)
		t->rows6++;
	else
		t->rows++;
	t->in_default = false;
	if (table && strcmp(table, "main") != 0 && strcmp(table, "254") != 0)
		return;
	if (strcmp(w[0], "default") == 0 && six) {
		t->defaults6 += usable;
	} else if (strcmp(w[0], "default") == 0) {
		t->v4.n++;
		t->in_default = dev == NULL;
		if (dev && usable)
			nd_routes_default(&t->v4, dev);
	} else if (!six) {
		t->v4.n++;
		if (dev && !has(w, n, "via") && network(w[0], &net, &bits) && bits < 32)
			nd_routes_link(&t->v4, net, bits, dev);
	}
}

static bool route_line(struct text *t, char *line)
{
	char *words[WORDS_MAX], **w = words;
	uint32_t n = split(line, w);
	bool six;

	if (!n)
		return false;
	if (strcmp(w[0], "nexthop") == 0) {
		nexthop(t, w, n);
		return true;
	}
	if (n > 1 && one_of(w[0], refusing, ND_ARRAY_LEN(refusing)) && is_destination(w[1])) {
		six = is_six(t, w, n);
		t->v4.n += !six;
		t->v4.refusing += !six;
		t->rows += !six;
		t->rows6 += six;
		return true;
	}
	if (one_of(w[0], other_types, ND_ARRAY_LEN(other_types))) {
		six = is_six(t, w, n);
		t->rows += !six;
		t->rows6 += six;
		return true;
	}
	if (n > 1 && strcmp(w[0], "unicast") == 0) {
		w++;
		n--;
	}
	t->get |= strcmp(w[0], "cache") == 0 || behind(w, n, "uid") != NULL;
	if (n < 3 || !is_destination(w[0]) || !(has(w, n, "dev") || has(w, n, "proto")))
		return false;
	ip_line(t, w, n);
	return true;
}

/* ---- route -n, netstat -rn ---- */

static uint8_t mask_bits(const char *word, bool *ok)
{
	struct in_addr a;

	*ok = inet_pton(AF_INET, word, &a) == 1;
	return *ok ? (uint8_t)__builtin_popcount(a.s_addr) : 0;
}

static bool table_line(struct text *t, char *line)
{
	char *w[WORDS_MAX];
	const uint32_t n = split(line, w);
	struct in_addr net;
	uint8_t bits;
	bool ok, any;

	if (n < 8 || !strpbrk(w[3], "UG!"))
		return false;
	bits = mask_bits(w[2], &ok);
	any = strcmp(w[0], "default") == 0 || strcmp(w[0], "0.0.0.0") == 0;
	if (!ok)
		return false;
	t->rows++;
	t->v4.n++;
	if (strchr(w[3], '!'))
		t->v4.refusing++;
	else if (any && bits == 0)
		nd_routes_default(&t->v4, w[n - 1]);
	else if (!strchr(w[3], 'G') && bits < 32 && inet_pton(AF_INET, w[0], &net) == 1)
		nd_routes_link(&t->v4, ntohl(net.s_addr), bits, w[n - 1]);
	return true;
}

/* ---- the whole ---- */

static int parse_routes(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
			struct nd_err *e)
{
	struct text *t = nd_alloc(sizeof(*t));
	const char *slash = strrchr(in->path, '/');
	bool table = false, cut = false;
	char *line;
	int rc;

	t->six = strstr(slash ? slash : in->path, "-6") != NULL;

	while (!t->v4.truncated && (line = nd_stream_line(s))) {
		table |= strstr(line, "Genmask") != NULL;
		cut |= nd_stream_unended(s) && *line == ' ';
		t->v4.truncated = t->v4.n >= ND_ROUTES_MAX;
		if (table)
			table_line(t, line);
		else
			route_line(t, line);
	}
	rc = nd_stream_error(s);
	if (rc)
		nd_fail(e, rc, "%s: %s", in->path, strerror(-rc));
	if (!rc && !t->get && (t->rows || table) && !cut)
		nd_routes_put(&t->v4, f, in);
	if (!rc && !t->get && t->rows6)
		nd_put_num(f, nd_entity(f, ND_NETNS, in->netns), &nd_route_facts[ND_RT6_DEFAULT],
			   t->defaults6, in);
	free(t);
	return rc;
}

/* "32766:	from all lookup main" */
static int parse_rules(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		       struct nd_err *e)
{
	uint32_t n = 0, own = 0;
	char *line;
	int rc;

	while ((line = nd_stream_line(s))) {
		char *priority = nd_word(&line);
		uint64_t v;

		if (!priority || !nd_ends(priority, ":"))
			continue;
		priority[strlen(priority) - 1] = '\0';
		if (!nd_parse_u64(priority, 10, &v))
			continue;
		n++;
		own += v != 0 && v != 32766 && v != 32767;
	}
	rc = nd_stream_error(s);
	if (rc)
		return nd_fail(e, rc, "%s: %s", in->path, strerror(-rc));
	if (!n)
		return nd_parse_fail(in, s, e, "'PRIORITY: from …'", "none");
	nd_put_num(f, nd_entity(f, ND_NETNS, in->netns), &nd_route_facts[ND_RT_RULES], own, in);
	return 0;
}

static const struct nd_read route_reads[] = {
	{"ip route", 0, "*/* dev * scope link *"},
	{"ip r", 0, NULL},
	{"route", 0, "Destination *Gateway *Genmask *Flags *Iface"},
	{"netstat -r", 0, NULL},
	{NULL, 0, NULL},
};
static const struct nd_read rule_reads[] = {
	{"ip rule", 0, "*: *from * lookup *"},
	{NULL, 0, NULL},
};
const struct nd_collector nd_collector_route_tool;
const struct nd_collector nd_collector_route_tool = {
	.name = "route_tool",
	.doc = "routes from ip route, route and netstat -r",
	.reads = route_reads,
	.facts = nd_route_facts,
	.entities = {ND_NO_KIND},
	.parse = parse_routes,
};
const struct nd_collector nd_collector_ip_rule;
const struct nd_collector nd_collector_ip_rule = {
	.name = "ip_rule",
	.doc = "routing rules from ip rule",
	.reads = rule_reads,
	.facts = nd_route_facts,
	.entities = {ND_NO_KIND},
	.parse = parse_rules,
};
