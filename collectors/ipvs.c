/* IPVS: services, real servers and connections, from /proc/net/ip_vs* or the text of ipvsadm.
 *
 * Both write a service's line and below it one line a real server, /proc with addresses in
 * hexadecimal, ipvsadm with one of several tables behind the address, told apart by the header. A
 * real server that is taken out stays in the list with weight 0 until its connections end, or
 * leaves it at once: then only the connections still name it.
 *
 *	TCP  198.51.100.241:80 rr
 *	  -> 198.51.100.106:80            Masq    0      5          14048
 *	TCP  C63364F1:0050 rr
 *	  -> C633646A:0050      Masq    0      5          14048 */
#include "collectors/ipvs.h"
#include "collectors/snmp.h"

#include <ctype.h>
#include <errno.h>

#define CONNS_MAX 200000u /* lines of a list of connections; beyond it counts are unknown */
#define LIST "/proc/net/ip_vs"

#define FACT(index, n, entity, form, u, w, text, show)                                             \
	[index] = {.name = (n),                                                                    \
		   .on = (entity),                                                                 \
		   .type = (form),                                                                 \
		   .unit = (u),                                                                    \
		   .width = (w),                                                                   \
		   .doc = (text),                                                                  \
		   .reproduce = (show)}
#define NUMBER(index, n, entity, text, show)                                                       \
	FACT(index, n, entity, ND_T_NUMBER, ND_U_COUNT, ND_GAUGE, text, show)
#define SECONDS(index, n, text)                                                                    \
	FACT(index, "ipvs.timeout." n, ND_NETNS, ND_T_NUMBER, ND_U_SECONDS, ND_GAUGE, text,        \
	     "ipvsadm -l --timeout")
#define WORD(index, n, form, text, show)                                                           \
	FACT(index, n, ND_BACKEND, form, ND_U_NONE, ND_GAUGE, text, show)
#define ROW "b={key}; ipvsadm -ln | grep -F \"${b##*/}\""
#define CONNS "b={key}; ipvsadm -lnc | grep -cF \"${b##*/}\""

const struct nd_fact_def nd_ipvs_facts[ND_VS_FACTS + 1] = {
	NUMBER(ND_VS_SERVICES, "ipvs.services", ND_NETNS, "virtual services of IPVS",
	       "grep -cE '^(TCP|UDP|SCTP|FWM)' " LIST),
	NUMBER(ND_VS_TRACKED, "ipvs.tracked", ND_NETNS, "connections that IPVS remembers",
	       "grep -vc ^Pro /proc/net/ip_vs_conn"),
	FACT(ND_VS_CONNS, "ipvs.conns", ND_NETNS, ND_T_NUMBER, ND_U_COUNT, ND_COUNTER64,
	     "connections that IPVS has scheduled", "cat /proc/net/ip_vs_stats"),
	SECONDS(ND_VS_TIMEOUT_TCP, "tcp", "idle time after which IPVS forgets a TCP connection"),
	SECONDS(ND_VS_TIMEOUT_FIN, "tcp_fin",
		"time for which IPVS remembers a TCP connection that ended"),
	SECONDS(ND_VS_TIMEOUT_UDP, "udp", "idle time after which IPVS forgets a UDP flow"),
	WORD(ND_VS_SERVICE, "service", ND_T_TEXT, "virtual service that it serves", ROW),
	WORD(ND_VS_VIRTUAL, "virtual", ND_T_TEXT, "address and port of that service", ROW),
	WORD(ND_VS_ADDRESS, "address", ND_T_TEXT, "its own address and port", ROW),
	WORD(ND_VS_LISTED, "listed", ND_T_BOOL,
	     "whether IPVS still lists it; no: only remembered connections name it", ROW),
	WORD(ND_VS_FORWARD, "forward", ND_T_TEXT, "Masq, Route, Tunnel or Local", ROW),
	NUMBER(ND_VS_WEIGHT, "weight", ND_BACKEND, "share of new connections; 0: none", ROW),
	NUMBER(ND_VS_ACTIVE, "active", ND_BACKEND, "established connections", ROW),
	NUMBER(ND_VS_INACTIVE, "inactive", ND_BACKEND,
	       "connections in other states, mostly ended ones that are remembered for a while",
	       ROW),
	FACT(ND_VS_BACKEND_CONNS, "conns", ND_BACKEND, ND_T_NUMBER, ND_U_COUNT, ND_COUNTER64,
	     "connections scheduled to it", "b={key}; ipvsadm -ln --stats | grep -F \"${b##*/}\""),
	NUMBER(ND_VS_OPEN, "tracked.open", ND_BACKEND,
	       "established connections to it in the list of connections", CONNS),
	NUMBER(ND_VS_CLOSED, "tracked.closed", ND_BACKEND,
	       "ended connections to it (FIN, TIME_WAIT, CLOSE) in the list of connections", CONNS),
	NUMBER(ND_VS_DATAGRAMS, "tracked.udp", ND_BACKEND,
	       "UDP flows to it in the list of connections", CONNS),
	{.name = NULL},
};

/* What the numbers behind a real server's address are. */
enum table { PLAIN, STATS, OTHER };
static const struct {
	const char *word;
	enum table table;
} headers[] = {
	{"InActConn", PLAIN}, {"InPkts", STATS},     {"InPPS", OTHER},
	{"CPS", OTHER},	      {"Uthreshold", OTHER}, {"PersistConn", OTHER},
};

struct tally {
	uint32_t open, closed, udp;
};
struct reader {
	const struct nd_input *in;
	struct nd_facts *f;
	enum table table;
	char protocol[8], service[64]; /* the one whose servers follow, or "" */
	uint32_t services, conns;
	bool list; /* a header, a service: it is a list of services */
	bool conn_list;
	struct tally *tally; /* by entity */
	nd_id n_tally;
};

nd_id nd_ipvs_backend(struct nd_facts *f, const char *protocol, const char *virtual_,
		      const char *real, const struct nd_input *in)
{
	char key[160], service[80];
	nd_id on;

	snprintf(service, sizeof(service), "%s/%s", protocol, virtual_);
	snprintf(key, sizeof(key), "%s/%s", service, real);
	on = nd_entity_in(f, ND_BACKEND, key, in->netns);
	nd_relate(f, on, ND_BACKEND_NETNS, nd_entity(f, ND_NETNS, in->netns));
	nd_put_text(f, on, &nd_ipvs_facts[ND_VS_SERVICE], service, in);
	nd_put_text(f, on, &nd_ipvs_facts[ND_VS_VIRTUAL], virtual_, in);
	nd_put_text(f, on, &nd_ipvs_facts[ND_VS_ADDRESS], real, in);
	return on;
}

/* ---- services ---- */

/* "111", and "111K" where the column was too narrow: then it is not exact. */
static bool parse_count(const char *word, uint64_t *out)
{
	static const char suffixes[] = "KMGT";
	char digits[24];
	size_t n = strlen(word);
	const char *at = n ? strchr(suffixes, word[n - 1]) : NULL;
	uint64_t v, factor = 1;

	if (n == 0 || n >= sizeof(digits))
		return false;
	snprintf(digits, sizeof(digits), "%s", word);
	if (at) {
		digits[n - 1] = '\0';
		for (const char *s = suffixes; s <= at; s++)
			factor *= 1000;
	}
	if (!nd_parse_u64(digits, 10, &v) || v > UINT64_MAX / factor)
		return false;
	*out = v * factor;
	return true;
}

static void put_plain(struct reader *r, nd_id on, char **w)
{
	static const enum nd_ipvs_fact order[] = {ND_VS_WEIGHT, ND_VS_ACTIVE, ND_VS_INACTIVE};
	uint64_t v;

	nd_put_text(r->f, on, &nd_ipvs_facts[ND_VS_FORWARD], w[0], r->in);
	for (size_t i = 0; i < ND_ARRAY_LEN(order); i++) {
		const struct nd_fact_def *fact = &nd_ipvs_facts[order[i]];

		if (w[i + 1] && nd_parse_u64(w[i + 1], 10, &v) && v <= UINT32_MAX)
			nd_put_num(r->f, on, fact, (double)v, r->in);
		else
			nd_put_missing(r->f, on, fact, ND_TRUNCATED, "%s: the line is cut",
				       r->in->path);
	}
}

/* "-> ADDRESS:PORT …", behind the arrow. */
static void read_server(struct reader *r, char *rest, bool unended)
{
	char *w[6] = {NULL}, *word, address[64];
	size_t n = 0;
	uint64_t v;
	nd_id on;

	while (n < 5 && (word = nd_word(&rest)))
		w[n++] = word;
	if (unended && n) /* the last word may be half of one */
		w[--n] = NULL;
	if (n == 0 || !*r->service || !nd_ipvs_address(w[0], address, sizeof(address)))
		return;
	on = nd_ipvs_backend(r->f, r->protocol, r->service, address, r->in);
	nd_put_bool(r->f, on, &nd_ipvs_facts[ND_VS_LISTED], true, r->in);
	if (w[1] && isalpha((unsigned char)w[1][0]))
		put_plain(r, on, w + 1);
	else if (w[1] && r->table == STATS && parse_count(w[1], &v))
		nd_put_reading(r->f, on, &nd_ipvs_facts[ND_VS_BACKEND_CONNS], v, r->in);
}

static bool is_service(const char *word)
{
	static const char *const kinds[] = {"TCP", "UDP", "SCTP", "FWM"};

	for (size_t i = 0; i < ND_ARRAY_LEN(kinds); i++)
		if (strcmp(kinds[i], word) == 0)
			return true;
	return false;
}

/* "TCP 10.96.0.1:443 rr persistent 10800" or "FWM 1 wlc". */
static bool read_service(struct reader *r, char *line)
{
	char *kind = nd_word(&line), *address = nd_word(&line);

	if (!kind || !address || !is_service(kind))
		return false;
	for (size_t i = 0; i <= strlen(kind); i++)
		r->protocol[i] = (char)tolower((unsigned char)kind[i]);
	if (!nd_ipvs_address(address, r->service, sizeof(r->service)))
		snprintf(r->service, sizeof(r->service), "%.60s", address);
	r->services++;
	r->list = true;
	return true;
}

static bool read_header(struct reader *r, const char *line)
{
	if (strstr(line, "RemoteAddress:Port") || strstr(line, "LocalAddress:Port") ||
	    strstr(line, "IP Virtual Server version")) {
		r->list = true;
		for (size_t i = 0; i < ND_ARRAY_LEN(headers); i++)
			if (strstr(line, headers[i].word))
				r->table = headers[i].table;
		return true;
	}
	if (strstr(line, "IPVS connection entries") || strstr(line, "FromIP") ||
	    strstr(line, "pro expire state")) {
		r->conn_list = true;
		return true;
	}
	return false;
}

/* ---- timeouts and totals ---- */

/* "Timeout (tcp tcpfin udp): 900 120 300" */
static bool read_timeouts(struct reader *r, char *line)
{
	static const enum nd_ipvs_fact order[] = {ND_VS_TIMEOUT_TCP, ND_VS_TIMEOUT_FIN,
						  ND_VS_TIMEOUT_UDP};
	const nd_id ns = nd_entity(r->f, ND_NETNS, r->in->netns);
	char *colon = strchr(line, ':'), *word;
	uint64_t v;

	if (!nd_starts(line, "Timeout (tcp") || !colon)
		return false;
	line = colon + 1;
	for (size_t i = 0; i < ND_ARRAY_LEN(order) && (word = nd_word(&line)); i++)
		if (nd_parse_u64(word, 10, &v) && v <= UINT32_MAX)
			nd_put_num(r->f, ns, &nd_ipvs_facts[order[i]], (double)v, r->in);
	return true;
}

/* /proc/net/ip_vs_stats: below two lines of names the totals in hexadecimal, connections first. */
static int parse_stats(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		       struct nd_err *e)
{
	char *line, *word;
	uint64_t v;

	while ((line = nd_stream_line(s))) {
		word = nd_word(&line);
		if (!word || !nd_word(&line) || !nd_parse_u64(word, 16, &v))
			continue;
		nd_put_reading(f, nd_entity(f, ND_NETNS, in->netns), &nd_ipvs_facts[ND_VS_CONNS], v,
			       in);
		return 0;
	}
	return nd_parse_fail(in, s, e, "a line of totals", "none");
}

/* ---- connections ---- */

static void count_conn(struct reader *r, const struct nd_ipvs_conn *c)
{
	static const char *const open[] = {"ESTABLISHED"};
	static const char *const closed[] = {"TIME_WAIT", "FIN_WAIT", "CLOSE", "CLOSE_WAIT",
					     "LAST_ACK"};
	nd_id on;

	if (strcmp(c->state, "NONE") == 0) /* a template of persistence */
		return;
	on = nd_ipvs_backend(r->f, c->protocol, c->virtual_, c->real, r->in);
	if (on >= r->n_tally) {
		const nd_id n = on + on / 2 + 64;

		r->tally = nd_realloc(r->tally, n * sizeof(*r->tally));
		memset(r->tally + r->n_tally, 0, (n - r->n_tally) * sizeof(*r->tally));
		r->n_tally = n;
	}
	for (size_t i = 0; i < ND_ARRAY_LEN(open); i++)
		r->tally[on].open += strcmp(c->state, open[i]) == 0;
	for (size_t i = 0; i < ND_ARRAY_LEN(closed); i++)
		r->tally[on].closed += strcmp(c->state, closed[i]) == 0;
	r->tally[on].udp += strcmp(c->protocol, "udp") == 0;
}

static void put_tracked(struct reader *r, nd_id on, const struct tally *t)
{
	const struct {
		enum nd_ipvs_fact fact;
		uint32_t n;
	} rows[] = {{ND_VS_OPEN, t->open}, {ND_VS_CLOSED, t->closed}, {ND_VS_DATAGRAMS, t->udp}};

	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		const struct nd_fact_def *fact = &nd_ipvs_facts[rows[i].fact];

		if (r->conns > CONNS_MAX)
			nd_put_missing(r->f, on, fact, ND_TRUNCATED,
				       "only the first %u connections were read", CONNS_MAX);
		else
			nd_put_num(r->f, on, fact, rows[i].n, r->in);
	}
}

/* Every backend that is known has its number, none included. */
static void put_conns(struct reader *r)
{
	const nd_id ns = nd_entity(r->f, ND_NETNS, r->in->netns);
	static const struct tally none;
	uint32_t n;
	const nd_id *all = nd_entities(r->f, ND_BACKEND, &n);

	for (uint32_t i = 0; i < n; i++) {
		struct nd_links home = nd_related(r->f, all[i], ND_BACKEND_NETNS, false);

		if (home.n == 1 && home.ids[0] == ns)
			put_tracked(r, all[i], all[i] < r->n_tally ? &r->tally[all[i]] : &none);
	}
	if (r->conns <= CONNS_MAX)
		nd_put_num(r->f, ns, &nd_ipvs_facts[ND_VS_TRACKED], r->conns, r->in);
}

/* ---- one input ---- */

static bool read_line(struct reader *r, char *line, bool unended)
{
	struct nd_ipvs_conn c;
	char *copy;
	bool conn;

	line = nd_trim(line);
	if (read_header(r, line) || read_timeouts(r, line))
		return true;
	if (nd_starts(line, "->")) {
		read_server(r, line + 2, unended);
		return true;
	}
	copy = nd_strdup(line);
	conn = nd_ipvs_conn_line(copy, &c);
	free(copy);
	if (conn && ++r->conns <= CONNS_MAX && !unended)
		count_conn(r, &c);
	r->conn_list |= conn;
	return conn || (!r->conn_list && read_service(r, line));
}

static bool is_totals(const char *path)
{
	return strstr(path, "ip_vs_stats") != NULL;
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	struct reader r = {.in = in, .f = f};
	bool any = false;
	char *line;
	int rc = 0;

	if (is_totals(in->path))
		return parse_stats(in, s, f, e);
	while (r.conns <= CONNS_MAX && (line = nd_stream_line(s)))
		any |= read_line(&r, line, nd_stream_unended(s));
	if (nd_stream_error(s))
		rc = nd_fail(e, nd_stream_error(s), "%s: %s", in->path,
			     strerror(-nd_stream_error(s)));
	else if (!any)
		rc = nd_parse_fail(in, s, e, "services or connections of IPVS", "neither");
	if (rc == 0 && r.list)
		nd_put_num(f, nd_entity(f, ND_NETNS, in->netns), &nd_ipvs_facts[ND_VS_SERVICES],
			   r.services, in);
	if (rc == 0 && r.conn_list)
		put_conns(&r);
	free(r.tally);
	return rc;
}

/* No such file: there is no IPVS here, and that is known. Its timeouts only the tool tells. */
static int live(struct nd_live *l, struct nd_facts *f, struct nd_err *e)
{
	const nd_id ns = nd_entity(f, ND_NETNS, l->in.netns);
	char text[64];

	(void)e;
	if (!l->first || l->between)
		return 0;
	l->in.path = LIST;
	if (nd_source_text(l->source, LIST, text, sizeof(text)) == -ENOENT) {
		nd_kind_read(f, ND_BACKEND);
		nd_put_num(f, ns, &nd_ipvs_facts[ND_VS_SERVICES], 0, &l->in);
		for (int i = ND_VS_TRACKED; i <= ND_VS_TIMEOUT_UDP; i++)
			nd_put_absent(f, ns, &nd_ipvs_facts[i], &l->in);
	}
	for (int i = ND_VS_TIMEOUT_TCP; i <= ND_VS_TIMEOUT_UDP; i++)
		nd_put_missing(f, ns, &nd_ipvs_facts[i], ND_TOOL_OUTPUT_ABSENT,
			       "ipvsadm -l --timeout shows it");
	nd_netns_unread(l, f, nd_ipvs_facts, "no process through which it can be read");
	return 0;
}

/* What only connections name is not listed any more, if the list was read. */
static void finish(struct nd_facts *f)
{
	const nd_fact_id services = nd_registry_find(nd_facts_registry(f), ND_NETNS,
						     nd_ipvs_facts[ND_VS_SERVICES].name);
	const nd_fact_id listed = nd_registry_find(nd_facts_registry(f), ND_BACKEND,
						   nd_ipvs_facts[ND_VS_LISTED].name);
	uint32_t n;
	const nd_id *all = nd_entities(f, ND_BACKEND, &n);

	for (uint32_t i = 0; i < n; i++) {
		struct nd_links home = nd_related(f, all[i], ND_BACKEND_NETNS, false);
		struct nd_input in = {.path = "ipvsadm -ln"};

		if (home.n != 1 || nd_get(f, all[i], listed, ND_BARE).type == ND_V_BOOL ||
		    nd_get(f, home.ids[0], services, ND_BARE).type != ND_V_NUMBER)
			continue;
		in.netns = nd_entity_key(f, home.ids[0]);
		nd_put_bool(f, all[i], &nd_ipvs_facts[ND_VS_LISTED], false, &in);
	}
}

static const struct nd_read reads[] = {
	{LIST, ND_READ_NETNS},
	{LIST "_stats", ND_READ_NETNS},
	{LIST "_conn", ND_READ_NETNS | ND_READ_ONCE},
	{"ipvsadm", 0, "*-> RemoteAddress:Port*\n\n*pro expire state*source*destination*"},
	{NULL, 0, NULL},
};

const struct nd_collector nd_collector_ipvs = {
	.name = "ipvs",
	.doc = "IPVS: services, real servers and remembered connections",
	.reads = reads,
	.facts = nd_ipvs_facts,
	.entities = {ND_BACKEND, ND_NO_KIND},
	.parse = parse,
	.live = live,
	.finish = finish,
};
