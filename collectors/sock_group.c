/* Grouping of TCP sockets: what a dump, live or in text, becomes in facts.
 *
 * A group's totals grow by what each socket gained since it was last seen; a socket that appears within
 * the run adds all it has, one that vanishes takes nothing away. Sockets are told apart by the kernel's
 * cookie; text has none, so each file counts as one sum of its own. */
#include "collectors/sock_impl.h"

#include <arpa/inet.h>
#include <math.h>

#define TICK_SLACK 1.0 /* shares of time are cut here: chrono times have the resolution of a tick */
#define MICRO 1e6 /* times are summed in microseconds */

struct nd_socks *nd_socks_new(const char *netns)
{
	struct nd_socks *k = nd_alloc(sizeof(*k));

	snprintf(k->netns, sizeof(k->netns), "%s", netns);
	return k;
}

void nd_socks_free(struct nd_socks *k)
{
	if (!k)
		return;
	free(k->groups);
	free(k->listeners);
	free(k->place);
	nd_sock_seen_free(&k->seen);
	free(k);
}

void nd_socks_listens(struct nd_socks *k, uint16_t port)
{
	k->listens[port / 64] |= 1ull << (port % 64);
}

static bool listens(const struct nd_socks *k, uint16_t port)
{
	return (k->listens[port / 64] >> (port % 64)) & 1;
}

void nd_socks_guess(struct nd_socks *k)
{
	k->guess = true;
}

void nd_socks_begin(struct nd_socks *k, const struct nd_input *in, bool whole)
{
	k->in = *in;
	k->before_ns = k->t_ns;
	k->t_ns = in->t_ns;
	k->whole = whole;
	k->gen++;
}

/* ---- addresses ---- */

static bool mapped(const struct nd_sock_addr *a)
{
	static const uint8_t prefix[12] = {[10] = 0xff, [11] = 0xff};

	return a->family == AF_INET6 && memcmp(a->ip, prefix, sizeof(prefix)) == 0;
}

static void host_text(const struct nd_sock_addr *a, char out[ND_SOCK_KEY_MAX])
{
	char ip[INET6_ADDRSTRLEN] = "?";

	if (a->family == AF_INET || mapped(a)) {
		inet_ntop(AF_INET, a->family == AF_INET ? a->ip : a->ip + 12, ip, sizeof(ip));
		snprintf(out, ND_SOCK_KEY_MAX, "%s", ip);
	} else if (a->family == AF_INET6) {
		inet_ntop(AF_INET6, a->ip, ip, sizeof(ip));
		snprintf(out, ND_SOCK_KEY_MAX, "[%s]", ip);
	} else {
		snprintf(out, ND_SOCK_KEY_MAX, "%.*s", 100, a->name ? a->name : "?");
	}
}

void nd_sock_key(const struct nd_sock_addr *a, char out[ND_SOCK_KEY_MAX])
{
	size_t at;

	host_text(a, out);
	at = strlen(out);
	if (a->port || !a->port_name)
		snprintf(out + at, ND_SOCK_KEY_MAX - at, ":%u", a->port);
	else
		snprintf(out + at, ND_SOCK_KEY_MAX - at, ":%.*s", 40, a->port_name);
}

static bool loopback(const struct nd_sock_addr *a)
{
	static const uint8_t one[16] = {[15] = 1};

	if (a->family == AF_INET6 && !mapped(a))
		return memcmp(a->ip, one, sizeof(one)) == 0;
	return a->family != 0 && a->ip[a->family == AF_INET ? 0 : 12] == 127;
}

static bool same_host(const struct nd_sock *s)
{
	const struct nd_sock_addr *l = &s->local, *r = &s->remote;

	return loopback(r) ||
	       (r->family && l->family == r->family && memcmp(l->ip, r->ip, sizeof(l->ip)) == 0);
}

/* ---- tables ---- */

static uint32_t *place_of(struct nd_socks *k, nd_id id)
{
	if (id >= k->n_place) {
		uint32_t n = id + id / 2 + 64;

		k->place = nd_realloc(k->place, n * sizeof(*k->place));
		memset(&k->place[k->n_place], 0, (n - k->n_place) * sizeof(*k->place));
		k->n_place = n;
	}
	return &k->place[id];
}

void nd_sock_inode(uint64_t *inodes, uint32_t *n, uint64_t inode)
{
	for (uint32_t i = 0; i < *n; i++) {
		if (inodes[i] == inode)
			return;
	}
	if (inode && *n < ND_SOCK_INODES_MAX)
		inodes[(*n)++] = inode;
}

/* The entity of that key, or ND_NO_ENTITY when there are too many of its kind already. */
static nd_id limited_entity(struct nd_socks *k, struct nd_facts *f, enum nd_kind kind,
			    const char *key, uint32_t n)
{
	char full[ND_SOCK_KEY_MAX + 80];

	if (strcmp(k->netns, "host") == 0)
		snprintf(full, sizeof(full), "%s", key);
	else
		snprintf(full, sizeof(full), "%s@%s", key, k->netns);
	if (n >= ND_SOCK_GROUPS_MAX && nd_entity_find(f, kind, full) == ND_NO_ENTITY) {
		nd_kind_missing(f, kind, ND_BUDGET, "more than %u of them: the rest was left out",
				ND_SOCK_GROUPS_MAX);
		return ND_NO_ENTITY;
	}
	return nd_entity(f, kind, full);
}

/* Sockets that share a port (SO_REUSEPORT) are one listener: its fullest queue, the sum of its drops. */
static void count_listener(struct nd_sock_listener *l, uint32_t gen, const struct nd_sock *s)
{
	l->no_limit = s->no_limit;
	if (l->gen != gen || (s->no_limit && s->rqueue > l->queue) ||
	    (double)s->rqueue * l->backlog > (double)l->queue * s->wqueue) {
		l->queue = s->rqueue;
		l->backlog = s->wqueue;
	}
	if (l->gen != gen) {
		l->drops = l->sockets = l->waiting = 0;
		l->drops_known = true;
	}
	l->sockets++;
	l->waiting += s->rqueue;
	l->gen = gen;
	if (isnan(s->v[ND_SV_DROPS]))
		l->drops_known = false;
	else
		l->drops += (uint32_t)s->v[ND_SV_DROPS];
	nd_sock_inode(l->inodes, &l->n_inodes, s->inode);
}

static void relate_listener(struct nd_socks *k, struct nd_facts *f,
			    const struct nd_sock_listener *l)
{
	nd_relate(f, l->id, ND_LISTENER_NETNS, nd_entity(f, ND_NETNS, k->netns));
	for (uint32_t i = 0; i < k->n_groups; i++) {
		if (!k->groups[i].peer && k->groups[i].port == l->port)
			nd_relate(f, k->groups[i].id, ND_SERVICE_LISTENERS, l->id);
	}
}

static void relate_group(struct nd_socks *k, struct nd_facts *f, const struct nd_sock_group *g)
{
	nd_relate(f, g->id, g->peer ? ND_PEER_NETNS : ND_SERVICE_NETNS,
		  nd_entity(f, ND_NETNS, k->netns));
	for (uint32_t i = 0; i < k->n_listeners && !g->peer; i++) {
		if (k->listeners[i].port == g->port)
			nd_relate(f, g->id, ND_SERVICE_LISTENERS, k->listeners[i].id);
	}
}

static nd_id add_listener(struct nd_socks *k, struct nd_facts *f, const struct nd_sock *s)
{
	char key[ND_SOCK_KEY_MAX], full[ND_SOCK_KEY_MAX + 4];
	struct nd_sock_listener *l;
	uint32_t *p;
	nd_id id;

	nd_sock_key(&s->local, key);
	snprintf(full, sizeof(full), "tcp/%s", key);
	if (s->local.port)
		nd_socks_listens(k, s->local.port);
	id = limited_entity(k, f, ND_LISTENER, full, k->n_listeners);
	if (id == ND_NO_ENTITY)
		return id;
	p = place_of(k, id);
	if (!*p) {
		ND_GROW(k->listeners, k->n_listeners, k->cap_listeners);
		k->listeners[k->n_listeners++] =
			(struct nd_sock_listener){.id = id, .port = s->local.port};
		*p = k->n_listeners;
		relate_listener(k, f, &k->listeners[*p - 1]);
		host_text(&s->local, key);
		nd_put_text(f, id, nd_listener_fact(ND_L_ADDRESS), s->local.star ? "*" : key,
			    &k->in);
		if (s->local.port)
			nd_put_num(f, id, nd_listener_fact(ND_L_PORT), s->local.port, &k->in);
		else
			nd_put_missing(f, id, nd_listener_fact(ND_L_PORT), ND_PARSE_ERROR,
				       "%s: the port is a name: use ss -n", k->in.path);
	}
	l = &k->listeners[*p - 1];
	count_listener(l, k->gen, s);
	return id;
}

/* Which side is this host: the server when the local port listens. */
static bool is_service(const struct nd_socks *k, const struct nd_sock *s)
{
	if (!s->local.port)
		return false;
	if (listens(k, s->local.port))
		return true;
	return k->guess && s->remote.port && !listens(k, s->remote.port) &&
	       s->local.port < s->remote.port;
}

/* Index of the group that the socket belongs to, made when it is new; UINT32_MAX: none. */
static uint32_t group_of(struct nd_socks *k, struct nd_facts *f, const struct nd_sock *s)
{
	bool peer = !is_service(k, s);
	enum nd_kind kind = peer ? ND_PEER : ND_SERVICE;
	char key[ND_SOCK_KEY_MAX];
	uint32_t *p;
	nd_id id;

	if (peer)
		nd_sock_key(&s->remote, key);
	else
		snprintf(key, sizeof(key), "%u", s->local.port);
	id = limited_entity(k, f, kind, key, k->n_of[peer]);
	if (id == ND_NO_ENTITY)
		return UINT32_MAX;
	p = place_of(k, id);
	if (!*p) {
		ND_GROW(k->groups, k->n_groups, k->cap_groups);
		k->groups[k->n_groups++] = (struct nd_sock_group){
			.id = id,
			.peer = peer,
			.local = true,
			.port = peer ? s->remote.port : s->local.port,
			.min_rtt = NAN,
		};
		k->n_of[peer]++;
		*p = k->n_groups;
		relate_group(k, f, &k->groups[*p - 1]);
	}
	k->groups[*p - 1].local &= same_host(s);
	return *p - 1;
}

/* ---- one socket ---- */

/* What of a socket is summed up, in its own unit; times, which the kernel counts in microseconds at best, in those. */
static const struct {
	enum nd_sock_sum sum;
	enum nd_sock_value value;
	double factor;
} sums[] = {
	{ND_SS_BUSY, ND_SV_BUSY, MICRO},
	{ND_SS_RWND, ND_SV_RWND_LIMITED, MICRO},
	{ND_SS_SNDBUF, ND_SV_SNDBUF_LIMITED, MICRO},
	{ND_SS_SENT, ND_SV_BYTES_SENT, 1},
	{ND_SS_RETRANS, ND_SV_BYTES_RETRANS, 1},
	{ND_SS_RTO, ND_SV_RTO_TIME, MICRO},
	{ND_SS_ACKED, ND_SV_BYTES_ACKED, 1},
	{ND_SS_RECEIVED, ND_SV_BYTES_RECEIVED, 1},
	{ND_SS_SEGS_SENT, ND_SV_DATA_OUT, 1},
	{ND_SS_SEGS_RETRANS, ND_SV_SEGS_RETRANS, 1},
	{ND_SS_DUPLICATES, ND_SV_DSACK_DUPS, 1},
	{ND_SS_OOO, ND_SV_RCV_OOO, 1},
	{ND_SS_DROPS, ND_SV_DROPS, 1},
};

static double or_zero(double v)
{
	return isnan(v) ? 0 : v;
}

/* Adds to the group what the socket gained; a new one all that it has. Returns the time that it was busy meanwhile, s. */
static double sum_up(struct nd_sock_group *g, struct nd_sock_seen *e, const struct nd_sock *s,
		     bool is_new)
{
	double busy = 0;

	if (!isnan(s->v[ND_SV_DATA_IN])) {
		double pairs = fmin(s->v[ND_SV_DATA_IN], or_zero(s->v[ND_SV_DATA_OUT]));
		double gain = nd_sock_seen_gain(e, ND_SS_EXCHANGES, pairs);

		g->known |= 1u << ND_SS_EXCHANGES;
		g->sum[ND_SS_EXCHANGES] += is_new ? pairs : gain;
	}
	for (unsigned i = 0; i < ND_ARRAY_LEN(sums); i++) {
		double v = s->v[sums[i].value] * sums[i].factor, gain;

		if (isnan(v))
			continue;
		gain = nd_sock_seen_gain(e, sums[i].sum, v + 0.5);
		g->known |= 1u << sums[i].sum;
		g->sum[sums[i].sum] += (is_new ? v : gain) / sums[i].factor;
		if (sums[i].sum == ND_SS_BUSY)
			busy = gain / MICRO;
	}
	return busy;
}

static void add_to_group(struct nd_socks *k, struct nd_facts *f, struct nd_sock_group *g,
			 const struct nd_sock *s, double busy)
{
	if (g->gen != k->gen) {
		g->gen = k->gen;
		g->connections = g->rtts = 0;
		g->rtt_sum = 0;
		nd_sock_extremes_clear(g);
	}
	nd_sock_extremes_add(g, s);
	if (!isnan(s->v[ND_SV_MIN_RTT]))
		g->min_rtt = fmin(s->v[ND_SV_MIN_RTT], isnan(g->min_rtt) ? INFINITY : g->min_rtt);
	nd_sock_row_put(f, g, s, busy);
	if (s->state != ND_TCP_ESTABLISHED)
		return;
	g->connections++;
	if (s->v[ND_SV_RTT] > 0) {
		g->rtt_sum += s->v[ND_SV_RTT];
		g->rtts++;
	}
}

/* The socket's record; NULL: there are too many of them, or of their groups. */
static struct nd_sock_seen *find_seen(struct nd_socks *k, struct nd_facts *f,
				      const struct nd_sock *s, bool *is_new)
{
	struct nd_sock_seen *e = nd_sock_seen_find(&k->seen, s->id);
	uint32_t group;

	*is_new = !e;
	if (e)
		return e;
	if (k->seen.n >= ND_SOCKS_MAX) {
		k->truncated = true;
		return NULL;
	}
	group = group_of(k, f, s);
	if (group == UINT32_MAX)
		return NULL;
	e = nd_sock_seen_add(&k->seen, s->id, k->whole_gen);
	e->group = group;
	return e;
}

static nd_id add_connection(struct nd_socks *k, struct nd_facts *f, const struct nd_sock *s)
{
	struct nd_sock_seen alone = {.group = UINT32_MAX}, *e = &alone;
	double busy = NAN, gained;
	bool is_new = true;
	struct nd_sock_group *g;

	if (s->id)
		e = find_seen(k, f, s, &is_new);
	else
		alone.group = group_of(k, f, s);
	if (!e || e->group == UINT32_MAX)
		return ND_NO_ENTITY;
	g = &k->groups[e->group];
	gained = sum_up(g, e, s, is_new);
	if (!is_new && e->gen + 1 == k->gen && k->t_ns > k->before_ns && !isnan(s->v[ND_SV_BUSY]))
		busy = fmin(TICK_SLACK, gained / ((double)(k->t_ns - k->before_ns) / 1e9));
	e->gen = k->gen;
	add_to_group(k, f, g, s, busy);
	return g->id;
}

nd_id nd_socks_add(struct nd_socks *k, struct nd_facts *f, const struct nd_sock *s)
{
	switch (s->state) {
	case ND_TCP_LISTEN: return add_listener(k, f, s);
	case ND_TCP_ESTABLISHED:
	case ND_TCP_FIN_WAIT1:
	case ND_TCP_FIN_WAIT2:
	case ND_TCP_CLOSE_WAIT:
	case ND_TCP_LAST_ACK:
	case ND_TCP_CLOSING: return add_connection(k, f, s);
	case ND_TCP_UNKNOWN:
	case ND_TCP_SYN_SENT:
	case ND_TCP_SYN_RECV:
	case ND_TCP_TIME_WAIT:
	case ND_TCP_CLOSE: return ND_NO_ENTITY; /* they carry no data yet, or no longer */
	}
	return ND_NO_ENTITY;
}
