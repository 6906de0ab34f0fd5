/* Connections counted by state, destination and local port; see sock_conns.h. */
#include "collectors/sock_conns.h"

#include <sys/socket.h>

#define TRIPLES_MAX 131072u /* a power of two; a host has hardly more destinations */
#define PORTS 65536u
#define PORTS_MANY 1000u /* so many make a peer worth a name that has no connection with data */
#define PEERS_NEW_MAX 512u

enum { CLOSE_WAIT_HERE, HALF_OPEN, PORTS_USED, SYN_SENT, CLOSE_WAIT_THERE };

#define FACT(kind, fact, text, how)                                                                \
	{                                                                                          \
		.name = (fact), .on = (kind), .type = ND_T_NUMBER, .unit = ND_U_COUNT,             \
		.width = ND_GAUGE, .doc = (text), .reproduce = (how)                               \
	}
const struct nd_fact_def nd_conn_facts[] = {
	FACT(ND_SERVICE, "close_wait", "connections that the client closed and the program did not",
	     "ss -Htn state close-wait 'sport = :{key}' | wc -l"),
	FACT(ND_LISTENER, "syn_recv",
	     "half-open connections to its port: the last ACK of the handshake is not there yet",
	     "ss -Htn state syn-recv"),
	FACT(ND_PEER, "ports",
	     "local ports in use towards it from one local address, the one with the most, in any "
	     "state",
	     "ss -Htan dst {key} | wc -l"),
	FACT(ND_PEER, "syn_sent", "connections to it whose SYN has no answer yet",
	     "ss -Htn state syn-sent dst {key} | wc -l"),
	FACT(ND_PEER, "close_wait", "connections that it closed and the program here did not",
	     "ss -Htn state close-wait dst {key} | wc -l"),
	{.name = NULL},
};

struct triple { /* IPv4 in the last four bytes, the rest as in ::ffff:0:0 */
	uint8_t remote[16], local[16];
	uint16_t port;
	bool used;
	uint32_t n, syn_sent, close_wait;
};
struct nd_conns {
	struct nd_tcp_states states;
	uint64_t listens[PORTS / 64];
	uint32_t half_open[PORTS], close_wait[PORTS]; /* by local port */
	struct triple *triples;
	uint32_t n, cap; /* cap: a power of two */
	bool full;
	bool all; /* every socket is listed, as far as can be told */
};

struct nd_conns *nd_conns_new(void)
{
	struct nd_conns *c = nd_alloc(sizeof(*c));

	c->cap = 256;
	c->triples = nd_alloc(c->cap * sizeof(*c->triples));
	return c;
}

void nd_conns_free(struct nd_conns *c)
{
	if (!c)
		return;
	free(c->triples);
	free(c);
}

static void now_listens(struct nd_conns *c, uint16_t port)
{
	c->listens[port / 64] |= 1ull << (port % 64);
}

static bool listens(const struct nd_conns *c, uint16_t port)
{
	return (c->listens[port / 64] >> (port % 64)) & 1;
}

/* ---- triples ---- */

static void address_of(const struct nd_sock_addr *a, uint8_t out[16])
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	if (a->family == AF_INET6) {
		memcpy(out, a->ip, 16);
		return;
	}
	memcpy(out, mapped, sizeof(mapped));
	memcpy(out + sizeof(mapped), a->ip, 4);
}

static bool same_triple(const struct triple *a, const struct triple *b)
{
	return a->port == b->port && memcmp(a->remote, b->remote, 16) == 0 &&
	       memcmp(a->local, b->local, 16) == 0;
}

static struct triple *slot_of(struct triple *table, uint32_t cap, const struct triple *key)
{
	uint64_t h = key->port;
	uint32_t i;

	for (unsigned b = 0; b < 16; b++)
		h = (h ^ key->remote[b] ^ ((uint64_t)key->local[b] << 8)) * 0x100000001b3ull;
	for (i = (uint32_t)(h >> 32) & (cap - 1); table[i].used && !same_triple(&table[i], key);)
		i = (i + 1) & (cap - 1);
	return &table[i];
}

static void grow(struct nd_conns *c)
{
	const uint32_t cap = c->cap * 2;
	struct triple *table = nd_alloc(cap * sizeof(*table));

	for (uint32_t i = 0; i < c->cap; i++)
		if (c->triples[i].used)
			*slot_of(table, cap, &c->triples[i]) = c->triples[i];
	free(c->triples);
	c->triples = table;
	c->cap = cap;
}

static struct triple *triple_of(struct nd_conns *c, const struct nd_sock *s)
{
	struct triple key = {.port = s->remote.port, .used = true}, *at;

	address_of(&s->remote, key.remote);
	address_of(&s->local, key.local);
	at = slot_of(c->triples, c->cap, &key);
	if (at->used)
		return at;
	if (c->n * 2 >= c->cap) {
		if (c->cap >= TRIPLES_MAX) {
			c->full = true;
			return NULL;
		}
		grow(c);
		at = slot_of(c->triples, c->cap, &key);
	}
	c->n++;
	*at = key;
	return at;
}

void nd_conns_add(struct nd_conns *c, const struct nd_sock *s)
{
	const bool numeric = s->local.family && s->remote.family && s->remote.port;
	struct triple *t;

	c->states.n[s->state]++;
	c->states.seen[s->state] = true;
	if (s->state == ND_TCP_LISTEN) {
		now_listens(c, s->local.port);
		return;
	}
	if (listens(c, s->local.port) || s->state == ND_TCP_SYN_RECV) {
		c->half_open[s->local.port] += s->state == ND_TCP_SYN_RECV;
		c->close_wait[s->local.port] += s->state == ND_TCP_CLOSE_WAIT;
		return;
	}
	t = numeric ? triple_of(c, s) : NULL;
	if (!t)
		return;
	t->n++;
	t->syn_sent += s->state == ND_TCP_SYN_SENT;
	t->close_wait += s->state == ND_TCP_CLOSE_WAIT;
}

/* ---- facts ---- */

static int by_remote(const void *a, const void *b)
{
	const struct triple *x = a, *y = b;
	const int order = memcmp(x->remote, y->remote, 16);

	return order ? order : (x->port > y->port) - (x->port < y->port);
}

static void key_of(const struct triple *t, const struct nd_input *in,
		   char out[ND_SOCK_KEY_MAX + 80])
{
	struct nd_sock_addr a = {.family = AF_INET6, .port = t->port};
	char key[ND_SOCK_KEY_MAX];

	memcpy(a.ip, t->remote, 16);
	nd_sock_key(&a, key);
	if (strcmp(in->netns, "host") == 0)
		snprintf(out, ND_SOCK_KEY_MAX + 80, "%s", key);
	else
		snprintf(out, ND_SOCK_KEY_MAX + 80, "%s@%.60s", key, in->netns);
}

/* One destination; sum has the counts of all its local addresses, n the largest of them. */
static void put_peer(struct nd_facts *f, const struct triple *sum, const struct nd_input *in,
		     bool all, uint32_t *made)
{
	char key[ND_SOCK_KEY_MAX + 80];
	nd_id id;

	key_of(sum, in, key);
	id = nd_entity_find(f, ND_PEER, key);
	if (id == ND_NO_ENTITY) {
		if ((sum->n < PORTS_MANY && !sum->syn_sent) || *made >= PEERS_NEW_MAX)
			return;
		++*made;
		id = nd_entity(f, ND_PEER, key);
		nd_relate(f, id, ND_PEER_NETNS, nd_entity(f, ND_NETNS, in->netns));
	}
	if (all || sum->n >= PORTS_MANY) /* so many say something, whatever is missing */
		nd_put_num(f, id, &nd_conn_facts[PORTS_USED], sum->n, in);
	nd_put_num(f, id, &nd_conn_facts[SYN_SENT], sum->syn_sent, in);
	nd_put_num(f, id, &nd_conn_facts[CLOSE_WAIT_THERE], sum->close_wait, in);
}

/* Peers that no socket of the list has: closed meanwhile, or known from another list. */
static void put_rest(struct nd_facts *f, const struct nd_input *in)
{
	const nd_id ns = nd_entity(f, ND_NETNS, in->netns);
	const struct nd_links all = nd_related(f, ns, ND_PEER_NETNS, true);
	nd_fact_id id;

	for (int i = PORTS_USED; i <= CLOSE_WAIT_THERE; i++) {
		id = nd_registry_find(nd_facts_registry(f), ND_PEER, nd_conn_facts[i].name);
		for (uint32_t k = 0; k < all.n; k++)
			if (nd_get(f, all.ids[k], id, ND_BARE).type == ND_V_MISSING)
				nd_put_num(f, all.ids[k], &nd_conn_facts[i], 0, in);
	}
}

static void put_peers(struct nd_conns *c, struct nd_facts *f, const struct nd_input *in)
{
	struct triple *list = nd_alloc((c->n + 1) * sizeof(*list));
	uint32_t n = 0, made = 0;

	for (uint32_t i = 0; i < c->cap; i++)
		if (c->triples[i].used)
			list[n++] = c->triples[i];
	qsort(list, n, sizeof(*list), by_remote);
	for (uint32_t i = 0; i < n;) {
		struct triple sum = list[i];

		for (i++; i < n && by_remote(&sum, &list[i]) == 0; i++) {
			sum.n = list[i].n > sum.n ? list[i].n : sum.n;
			sum.syn_sent += list[i].syn_sent;
			sum.close_wait += list[i].close_wait;
		}
		put_peer(f, &sum, in, c->all, &made);
	}
	free(list);
	if (c->all)
		put_rest(f, in);
}

/* The port that a number is kept for: of a listener by its fact, of a service by its key. */
static bool port_of(const struct nd_facts *f, nd_id id, nd_fact_id fact, uint16_t *port)
{
	char digits[8];
	struct nd_value v;
	uint64_t n;

	if (fact >= 0) {
		v = nd_get(f, id, fact, ND_BARE);
		if (v.type != ND_V_NUMBER)
			return false;
		*port = (uint16_t)v.num;
		return true;
	}
	snprintf(digits, sizeof(digits), "%.*s", (int)strcspn(nd_entity_key(f, id), "@"),
		 nd_entity_key(f, id));
	if (!nd_parse_u64(digits, 10, &n) || n >= PORTS)
		return false;
	*port = (uint16_t)n;
	return true;
}

static void put_ports(const struct nd_conns *c, struct nd_facts *f, const struct nd_input *in,
		      enum nd_relation of, const uint32_t *counts, const struct nd_fact_def *fact)
{
	const nd_id ns = nd_entity(f, ND_NETNS, in->netns);
	const struct nd_links all = nd_related(f, ns, of, true);
	const nd_fact_id by = of == ND_LISTENER_NETNS
				      ? nd_registry_find(nd_facts_registry(f), ND_LISTENER, "port")
				      : -1;
	uint16_t port;

	for (uint32_t i = 0; i < all.n; i++)
		if (port_of(f, all.ids[i], by, &port) && (c->all || counts[port]))
			nd_put_num(f, all.ids[i], fact, counts[port], in);
}

uint32_t nd_conns_known(struct nd_conns *c, const struct nd_facts *f, const struct nd_input *in)
{
	const nd_id ns = nd_entity_find(f, ND_NETNS, in->netns);
	const nd_fact_id by = nd_registry_find(nd_facts_registry(f), ND_LISTENER, "port");
	struct nd_links all;
	uint16_t port;

	if (ns == ND_NO_ENTITY || by < 0)
		return 0;
	all = nd_related(f, ns, ND_LISTENER_NETNS, true);
	for (uint32_t i = 0; i < all.n; i++)
		if (port_of(f, all.ids[i], by, &port))
			now_listens(c, port);
	return all.n;
}

void nd_conns_guess(struct nd_conns *c, const struct nd_sock *s)
{
	if (s->local.port && s->local.port < s->remote.port)
		now_listens(c, s->local.port);
}

void nd_conns_put(struct nd_conns *c, struct nd_facts *f, const struct nd_input *in, bool whole)
{
	const bool *seen = c->states.seen;

	/* states that ss leaves out unless asked for all, beside those that every list has */
	c->all = whole || ((seen[ND_TCP_TIME_WAIT] || seen[ND_TCP_SYN_RECV]) &&
			   (seen[ND_TCP_LISTEN] || seen[ND_TCP_ESTABLISHED]));
	if (!c->all && c->states.n[ND_TCP_TIME_WAIT] < PORTS_MANY) /* somebody's few first lines */
		c->states.seen[ND_TCP_TIME_WAIT] = false;
	c->states.whole = whole || (c->all && seen[ND_TCP_LISTEN] && seen[ND_TCP_ESTABLISHED]);
	nd_tcp_states_put(f, &c->states, in);
	put_peers(c, f, in);
	put_ports(c, f, in, ND_LISTENER_NETNS, c->half_open, &nd_conn_facts[HALF_OPEN]);
	put_ports(c, f, in, ND_SERVICE_NETNS, c->close_wait, &nd_conn_facts[CLOSE_WAIT_HERE]);
	if (c->full)
		nd_fact_missing(f, &nd_conn_facts[PORTS_USED], ND_BUDGET,
				"more than %u destinations: the rest was left out",
				TRIPLES_MAX / 2);
}
