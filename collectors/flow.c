/* The table of connections: finds or makes the one of a packet, ends the oldest when there are too many, and files what
 * is no TCP (UDP checksums, ICMP errors) with the server it speaks of. */
#include "collectors/flow_impl.h"

#define BUCKETS (1u << 16) /* of connections */
#define GROUP_BUCKETS 1024u
#define NONE UINT32_MAX

struct nd_flows *nd_flows_new(void)
{
	struct nd_flows *w = nd_alloc(sizeof(*w));

	w->bucket = nd_alloc(BUCKETS * sizeof(*w->bucket));
	w->newest = w->oldest = NONE;
	nd_flows_name(w, "?", 1);
	return w;
}

void nd_flows_free(struct nd_flows *w)
{
	if (!w)
		return;
	for (uint32_t i = 0; i < w->n_groups; i++)
		for (unsigned k = 0; k < ND_FLOW_HISTS; k++)
			free(w->group[i].hist[k]);
	free(w->group);
	free(w->group_chain);
	free(w->flow);
	free(w->bucket);
	free(w->name);
	nd_arena_free(&w->names_arena);
	free(w);
}

uint32_t nd_flows_name(struct nd_flows *w, const char *name, size_t len)
{
	for (uint32_t i = w->n_names; i-- > 0;)
		if (strncmp(w->name[i], name, len) == 0 && !w->name[i][len])
			return i;
	if (w->n_names >= ND_FLOW_NAMES_MAX)
		return 0;
	ND_GROW(w->name, w->n_names, w->cap_names);
	w->name[w->n_names] = nd_arena_strndup(&w->names_arena, name, len);
	return w->n_names++;
}

void nd_flows_skipped(struct nd_flows *w)
{
	w->skipped++;
}

/* ---- servers ---- */

static uint32_t mix(uint32_t h, uint32_t v)
{
	h = (h ^ v) * 0x9e3779b1u;
	return h ^ h >> 15;
}

static uint32_t hash_end(const struct nd_flow_addr *a, uint32_t port)
{
	uint32_t word[4], h = mix(a->family, port);

	memcpy(word, a->ip, sizeof(word));
	for (unsigned i = 0; i < (a->family == 6 ? 4u : 1u); i++)
		h = mix(h, word[i]);
	return h;
}

static bool same_addr(const struct nd_flow_addr *a, const struct nd_flow_addr *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static uint32_t new_group(struct nd_flows *w)
{
	uint32_t cap = w->cap_groups;

	ND_GROW(w->group, w->n_groups, w->cap_groups);
	if (cap != w->cap_groups)
		w->group_chain =
			nd_realloc(w->group_chain, w->cap_groups * sizeof(*w->group_chain));
	memset(&w->group[w->n_groups], 0, sizeof(*w->group));
	return w->n_groups++;
}

struct nd_flow_group *nd_flow_group(struct nd_flows *w, const struct nd_flow_addr *a, uint32_t port,
				    bool udp)
{
	uint32_t b = hash_end(a, port) % GROUP_BUCKETS;
	struct nd_flow_group *g;
	uint32_t i;

	for (i = w->group_bucket[b]; i; i = w->group_chain[i - 1]) {
		g = &w->group[i - 1];
		if (g->port == port && g->udp == udp && same_addr(&g->addr, a))
			return g;
	}
	if (w->n_groups >= ND_FLOW_GROUPS_MAX)
		return &w->group[w->n_groups - 1];
	i = new_group(w);
	g = &w->group[i];
	g->addr = *a;
	g->port = port;
	g->udp = udp;
	w->group_chain[i] = w->group_bucket[b];
	w->group_bucket[b] = i + 1;
	return g;
}

/* ---- connections ---- */

static void unlink_age(struct nd_flows *w, uint32_t i)
{
	struct nd_flow *x = &w->flow[i];

	if (x->newer != NONE)
		w->flow[x->newer].older = x->older;
	else
		w->newest = x->older;
	if (x->older != NONE)
		w->flow[x->older].newer = x->newer;
	else
		w->oldest = x->newer;
}

static void link_newest(struct nd_flows *w, uint32_t i)
{
	struct nd_flow *x = &w->flow[i];

	x->newer = NONE;
	x->older = w->newest;
	if (w->newest != NONE)
		w->flow[w->newest].newer = i;
	else
		w->oldest = i;
	w->newest = i;
}

static void unlink_bucket(struct nd_flows *w, uint32_t i)
{
	uint32_t *at = &w->bucket[w->flow[i].hash % BUCKETS];

	while (*at && *at != i + 1)
		at = &w->flow[*at - 1].chain;
	if (*at)
		*at = w->flow[i].chain;
}

/* A place for a new connection: a free one, or that of the one that was silent for the longest time. */
static uint32_t take_place(struct nd_flows *w)
{
	uint32_t i = w->oldest;

	if (w->n < ND_FLOWS_MAX) {
		ND_GROW(w->flow, w->n, w->cap);
		return w->n++;
	}
	nd_flow_end(w, &w->flow[i]);
	w->evicted++;
	unlink_age(w, i);
	unlink_bucket(w, i);
	return i;
}

static void restart(struct nd_flow *x, uint64_t t_ns)
{
	memset(x->half, 0, sizeof(x->half));
	x->half[0].wscale = x->half[1].wscale = -1;
	x->syn_ns = x->synack_ns = 0;
	x->first_ns = x->last_ns = t_ns;
	x->sure = x->established = x->closed = x->reset = x->request_pending = x->ecn = false;
	x->ignored_accept = false;
}

/* Without a handshake the end with the port that programs choose by themselves is the client. */
static uint8_t guess_server(const struct nd_flow *x)
{
	static const uint32_t ephemeral = 32768;
	uint32_t a = x->port[0], b = x->port[1];

	if (a >= ND_PORT_NAMED || b >= ND_PORT_NAMED)
		return a >= ND_PORT_NAMED ? 0 : 1;
	if ((a < ephemeral) != (b < ephemeral))
		return a < ephemeral ? 0 : 1;
	return a <= b ? 0 : 1;
}

static void set_group(struct nd_flows *w, struct nd_flow *x)
{
	const struct nd_flow_group *g =
		nd_flow_group(w, &x->addr[x->server], x->port[x->server], false);

	x->group = (uint32_t)(g - w->group);
}

static void set_server(struct nd_flows *w, struct nd_flow *x, const struct nd_packet *p,
		       unsigned from)
{
	bool synack = (p->flags & ND_TH_ACK) != 0;

	x->server = synack ? (uint8_t)from : (uint8_t)!from;
	x->sure = true;
	set_group(w, x);
}

static struct nd_flow *make(struct nd_flows *w, const struct nd_packet *p, uint32_t hash)
{
	uint32_t i = take_place(w);
	struct nd_flow *x = &w->flow[i];

	memset(x, 0, sizeof(*x));
	restart(x, p->t_ns);
	x->addr[0] = p->src;
	x->addr[1] = p->dst;
	x->port[0] = p->sport;
	x->port[1] = p->dport;
	x->hash = hash;
	x->chain = w->bucket[hash % BUCKETS];
	w->bucket[hash % BUCKETS] = i + 1;
	link_newest(w, i);
	x->server = guess_server(x);
	set_group(w, x);
	w->flows++;
	return x;
}

static struct nd_flow *find(struct nd_flows *w, const struct nd_packet *p, uint32_t hash,
			    unsigned *from)
{
	for (uint32_t i = w->bucket[hash % BUCKETS]; i; i = w->flow[i - 1].chain) {
		struct nd_flow *x = &w->flow[i - 1];

		if (x->hash != hash)
			continue;
		for (*from = 0; *from < 2; ++*from)
			if (x->port[*from] == p->sport && x->port[!*from] == p->dport &&
			    same_addr(&x->addr[*from], &p->src) &&
			    same_addr(&x->addr[!*from], &p->dst))
				return x;
	}
	return NULL;
}

/* A SYN with another first number: the ports are used again. */
static bool is_new_life(const struct nd_flow *x, unsigned from, const struct nd_packet *p)
{
	const struct nd_half *h = &x->half[from];

	return (p->flags & (ND_TH_SYN | ND_TH_ACK)) == ND_TH_SYN && p->has_seq &&
	       (x->closed || x->reset || (h->syn && h->base != p->seq) ||
		(h->packets && !h->syn && h->data_ns));
}

static void on_tcp(struct nd_flows *w, const struct nd_packet *p)
{
	uint32_t hash = hash_end(&p->src, p->sport) + hash_end(&p->dst, p->dport);
	unsigned from = 0;
	struct nd_flow *x = find(w, p, hash, &from);
	bool syn = p->flags & ND_TH_SYN;

	if (!x) {
		x = make(w, p, hash);
		from = 0;
	} else if (is_new_life(x, from, p)) {
		bool was_closed = x->closed;

		nd_flow_end(w, x);
		restart(x, p->t_ns);
		x->reused = was_closed;
		w->flows++;
	}
	if (syn && !x->sure)
		set_server(w, x, p, from);
	if (w->newest != (uint32_t)(x - w->flow)) {
		unlink_age(w, (uint32_t)(x - w->flow));
		link_newest(w, (uint32_t)(x - w->flow));
	}
	nd_flow_segment(w, x, from, p);
}

/* ---- others ---- */

static void on_udp(struct nd_flows *w, const struct nd_packet *p)
{
	bool wrong = p->csum == ND_CSUM_BAD || p->csum == ND_CSUM_PARTIAL;
	struct nd_flow_group *g;

	if (!wrong && !p->tunnel)
		return;
	g = nd_flow_group(w, &p->dst, p->dport, true);
	g->count[ND_FC_PACKETS]++;
	g->count[ND_FC_BAD_CSUM] += wrong;
	g->count[ND_FC_PARTIAL_CSUM] += p->csum == ND_CSUM_PARTIAL;
	g->near[0] += p->dir == ND_DIR_OUT || p->csum == ND_CSUM_PARTIAL;
	if (p->tunnel)
		g->tunnel = p->tunnel;
}

static void on_need_frag(struct nd_flows *w, const struct nd_packet *p)
{
	struct nd_pair *pair = NULL;

	for (uint32_t i = 0; i < w->n_pairs && !pair; i++)
		if (same_addr(&w->pair[i].from, &p->dst) && same_addr(&w->pair[i].to, &p->target))
			pair = &w->pair[i];
	if (!pair && w->n_pairs < ND_PAIRS_MAX)
		pair = &w->pair[w->n_pairs++];
	if (!pair)
		return;
	*pair = (struct nd_pair){p->dst, p->target, p->mtu};
	for (uint32_t i = w->newest, n = 0; i != NONE && n < 64; i = w->flow[i].older, n++) {
		const struct nd_flow *x = &w->flow[i];
		struct nd_flow_group *g = &w->group[x->group];

		for (unsigned from = 0; from < 2; from++)
			if (same_addr(&x->addr[from], &p->dst) &&
			    same_addr(&x->addr[!from], &p->target)) {
				g->count[ND_FC_NEED_FRAG]++;
				g->mtu = p->mtu;
				return;
			}
	}
}

static void on_unreachable(struct nd_flows *w, const struct nd_packet *p)
{
	for (uint32_t i = w->newest, n = 0; i != NONE && n < 64; i = w->flow[i].older, n++) {
		const struct nd_flow *x = &w->flow[i];

		for (unsigned from = 0; from < 2; from++)
			if (same_addr(&x->addr[from], &p->dst) &&
			    same_addr(&x->addr[!from], &p->target)) {
				w->group[x->group].count[ND_FC_UNREACHABLE]++;
				return;
			}
	}
}

void nd_flows_packet(struct nd_flows *w, const struct nd_packet *p)
{
	if (!w->packets++)
		w->first_ns = p->t_ns;
	w->last_ns = p->t_ns > w->last_ns ? p->t_ns : w->last_ns;
	switch (p->kind) {
	case ND_PK_TCP: on_tcp(w, p); break;
	case ND_PK_UDP: on_udp(w, p); break;
	case ND_PK_NEED_FRAG: on_need_frag(w, p); break;
	case ND_PK_UNREACHABLE: on_unreachable(w, p); break;
	case ND_PK_OTHER: break;
	}
}
