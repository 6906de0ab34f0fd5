/* What a dump becomes in facts: counters and gauges of groups and listeners, suspects, and the end of the run.
 *
 * Counters are put only after whole dumps: a dump that is filtered to suspects lists a part of the sockets,
 * and its sums would grow in steps that mean nothing. */
#include "collectors/sock_impl.h"
#include "collectors/owners.h"

#include <math.h>

#define ROWS_ENOUGH                                                                                \
	50u /* samples of a group in use before it is left alone: a share within 14 points */

static const struct {
	enum nd_group_fact fact;
	enum nd_sock_sum sum;
} counters[] = {
	{ND_G_EXCHANGES, ND_SS_EXCHANGES},
	{ND_G_BYTES_SENT, ND_SS_SENT},
	{ND_G_BYTES_RETRANS, ND_SS_RETRANS},
	{ND_G_BYTES_ACKED, ND_SS_ACKED},
	{ND_G_BYTES_RECEIVED, ND_SS_RECEIVED},
	{ND_G_SEGS_SENT, ND_SS_SEGS_SENT},
	{ND_G_SEGS_RETRANS, ND_SS_SEGS_RETRANS},
	{ND_G_SEGS_DUPLICATES, ND_SS_DUPLICATES},
	{ND_G_SEGS_OOO, ND_SS_OOO},
	{ND_G_DROPS, ND_SS_DROPS},
};

static bool knows(const struct nd_sock_group *g, enum nd_sock_sum sum)
{
	return (g->known >> sum) & 1;
}

static void put_group(struct nd_socks *k, struct nd_facts *f, struct nd_sock_group *g)
{
	enum nd_kind kind = g->peer ? ND_PEER : ND_SERVICE;
	bool met = g->gen == k->gen;

	if (!g->has_base && k->dumps == 0)
		memcpy(g->base, g->sum, sizeof(g->base)); /* what was before the run */
	g->has_base = true;
	for (unsigned i = 0; i < ND_ARRAY_LEN(counters); i++) {
		if (knows(g, counters[i].sum))
			nd_put_reading(f, g->id, nd_group_fact(kind, counters[i].fact),
				       (uint64_t)g->sum[counters[i].sum], &k->in);
	}
	nd_put_num(f, g->id, nd_group_fact(kind, ND_G_CONNECTIONS), met ? g->connections : 0,
		   &k->in);
	nd_put_bool(f, g->id, nd_group_fact(kind, ND_G_LOCAL), g->local, &k->in);
	if (met && g->rtts)
		nd_put_num(f, g->id, nd_group_fact(kind, ND_G_RTT), g->rtt_sum / g->rtts, &k->in);
	if (met)
		nd_sock_extremes_put(f, g, &k->in);
	if (!isnan(g->min_rtt))
		nd_put_num(f, g->id, nd_group_fact(kind, ND_G_MIN_RTT), g->min_rtt, &k->in);
}

static void put_listener(struct nd_socks *k, struct nd_facts *f, struct nd_sock_listener *l)
{
	if (l->gen != k->gen)
		return;
	nd_put_num(f, l->id, nd_listener_fact(ND_L_QUEUE), l->queue, &k->in);
	if (!k->whole)
		return;
	nd_put_num(f, l->id, nd_listener_fact(ND_L_SOCKETS), l->sockets, &k->in);
	nd_put_num(f, l->id, nd_listener_fact(ND_L_WAITING), l->waiting, &k->in);
	if (l->no_limit)
		nd_put_missing(f, l->id, nd_listener_fact(ND_L_BACKLOG), ND_TOOL_OUTPUT_ABSENT,
			       "%s does not show it: ss -ltn does", k->in.path);
	else
		nd_put_num(f, l->id, nd_listener_fact(ND_L_BACKLOG), l->backlog, &k->in);
	if (l->drops_known)
		nd_put_reading(f, l->id, nd_listener_fact(ND_L_DROPS), l->drops, &k->in);
}

void nd_socks_end(struct nd_socks *k, struct nd_facts *f)
{
	for (uint32_t i = 0; i < k->n_listeners; i++)
		put_listener(k, f, &k->listeners[i]);
	if (!k->whole)
		return;
	for (uint32_t i = 0; i < k->n_groups; i++)
		put_group(k, f, &k->groups[i]);
	if (k->truncated) {
		nd_kind_missing(f, ND_SERVICE, ND_BUDGET,
				"more than %u sockets: the rest was left out", ND_SOCKS_MAX);
		nd_kind_missing(f, ND_PEER, ND_BUDGET,
				"more than %u sockets: the rest was left out", ND_SOCKS_MAX);
	}
	k->whole_gen = k->gen;
	k->dumps++;
	if (k->dumps == 1)
		k->first_ns = k->t_ns;
}

/* A small tail waited, or it is in use and has too few samples to say that none did. */
static bool suspected(const struct nd_sock_group *g)
{
	return g->hits > 0 ||
	       (g->rows < ROWS_ENOUGH && g->sum[ND_SS_EXCHANGES] > g->base[ND_SS_EXCHANGES]);
}

uint32_t nd_socks_suspects(const struct nd_socks *k, struct nd_sock_port *ports, uint32_t n)
{
	uint32_t have = 0;

	for (uint32_t i = 0; i < k->n_listeners && have < n; i++) {
		if (k->listeners[i].queue > 0 && k->listeners[i].port)
			ports[have++] = (struct nd_sock_port){k->listeners[i].port, false};
	}
	for (unsigned hit = 1; hit <= 1; hit--) { /* those with hits first */
		for (uint32_t i = 0; i < k->n_groups && have < n; i++) {
			const struct nd_sock_group *g = &k->groups[i];

			if (suspected(g) && (g->hits > 0) == (hit == 1) && g->port)
				ports[have++] = (struct nd_sock_port){g->port, g->peer};
		}
	}
	return have;
}

static uint32_t want(const uint64_t *inodes, uint32_t n_inodes, struct nd_owner_want like,
		     struct nd_owner_want *w, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n_inodes && i < n; i++) {
		w[i] = like;
		w[i].inode = inodes[i];
	}
	return i;
}

uint32_t nd_socks_wanted(struct nd_socks *k, struct nd_facts *f, struct nd_owner_want *w,
			 uint32_t n)
{
	uint32_t have = 0;

	for (uint32_t i = 0; i < k->n_listeners && have < n; i++) {
		struct nd_sock_listener *l = &k->listeners[i];
		struct nd_owner_want like = {
			.entity = l->id, .relation = ND_LISTENER_PROCESSES, .threads = true};

		have += want(l->inodes, l->n_inodes, like, w + have, n - have);
	}
	for (uint32_t i = 0; i < k->n_groups; i++) {
		struct nd_sock_group *g = &k->groups[i];
		struct nd_owner_want like = {.entity = g->id,
					     .relation = g->peer ? ND_PEER_PROCESSES
								 : ND_SERVICE_PROCESSES};

		if (g->n_inodes == 0)
			nd_relate_missing(f, g->id, like.relation, ND_NOT_SAMPLED,
					  "owners are looked up for suspects only");
		else
			have += want(g->inodes, g->n_inodes, like, w + have, n - have);
	}
	return have;
}

/* A share of the time with unacknowledged data since the first dump; all of it when there was but one. */
static void put_share(struct nd_facts *f, const struct nd_sock_group *g, enum nd_group_fact fact,
		      enum nd_sock_sum sum, const struct nd_input *in)
{
	const struct nd_fact_def *d = nd_group_fact(g->peer ? ND_PEER : ND_SERVICE, fact);
	double busy = g->sum[ND_SS_BUSY] - g->base[ND_SS_BUSY];

	if (!knows(g, ND_SS_BUSY))
		nd_put_missing(f, g->id, d, ND_TOOL_OUTPUT_ABSENT,
			       "%s does not say how long it was busy", in->path);
	else if (busy <= 0)
		nd_put_missing(f, g->id, d, ND_TOO_FEW_SAMPLES,
			       "it had nothing to send while we looked");
	else
		nd_put_num(f, g->id, d, fmin(1, (g->sum[sum] - g->base[sum]) / busy), in);
}

void nd_socks_last(struct nd_socks *k, struct nd_facts *f, const struct nd_input *in)
{
	double seconds = (double)(k->t_ns - k->first_ns) / 1e9;

	for (uint32_t i = 0; i < k->n_groups; i++) {
		struct nd_sock_group *g = &k->groups[i];
		const struct nd_fact_def *d =
			nd_group_fact(g->peer ? ND_PEER : ND_SERVICE, ND_G_RTO_TIME);
		double delta = g->sum[ND_SS_RTO] - g->base[ND_SS_RTO];
		bool window = k->dumps > 1 && seconds > 0;

		if (k->dumps == 1)
			memset(g->base, 0,
			       sizeof(g->base)); /* one look: since the connections were made */
		put_share(f, g, ND_G_RWND_LIMITED, ND_SS_RWND, in);
		put_share(f, g, ND_G_SNDBUF_LIMITED, ND_SS_SNDBUF, in);
		if (knows(g, ND_SS_RTO))
			nd_put_counter(f, g->id,
				       nd_registry_find(nd_facts_registry(f), d->on, d->name),
				       g->sum[ND_SS_RTO], window ? delta : NAN,
				       window ? delta / seconds : NAN, NAN, in);
		else
			nd_put_missing(f, g->id, d,
				       k->seen.n ? ND_NOT_ON_THIS_KERNEL : ND_TOOL_OUTPUT_ABSENT,
				       "%s does not give it (tcp_info has it from 6.6 on)",
				       in->path);
	}
}

/* The kernel does not count per listener: where there is only one, the namespace's counter is its own. */
static void put_accepts(struct nd_facts *f, nd_id listener, nd_id netns)
{
	const struct nd_registry *r = nd_facts_registry(f);
	const struct nd_fact_def *d = nd_listener_fact(ND_L_ACCEPTS);
	nd_fact_id from = nd_registry_find(r, ND_NETNS, "tcp.passive_opens");
	const enum nd_accessor which[] = {ND_TOTAL, ND_DELTA, ND_RATE, ND_PEAK};
	struct nd_value first = {.why = ND_SILENT, .detail = ""};
	double v[ND_ARRAY_LEN(which)];
	struct nd_input in = {.netns = "host"};
	bool any = false;

	for (unsigned i = 0; i < ND_ARRAY_LEN(which); i++) {
		struct nd_value got = {.type = ND_V_MISSING, .why = ND_SILENT, .detail = ""};

		if (from >= 0 && netns != ND_NO_ENTITY)
			got = nd_get(f, netns, from, which[i]);
		v[i] = got.type == ND_V_NUMBER ? got.num : NAN;
		any |= got.type == ND_V_NUMBER;
		if (i == 0)
			first = got;
	}
	if (!any) {
		nd_put_missing(f, listener, d, first.why, "TcpPassiveOpens of the namespace: %s",
			       first.detail);
		return;
	}
	in.path = nd_get_source(f, netns, from);
	nd_put_counter(f, listener, nd_registry_find(r, ND_LISTENER, d->name), v[0], v[1], v[2],
		       v[3], &in);
}

/* What neither the kernel's dump nor ss can say, and kinds that nobody has read. */
static void explain(struct nd_facts *f)
{
	static const enum nd_kind kinds[] = {ND_LISTENER, ND_SERVICE, ND_PEER};

	for (unsigned i = 0; i < ND_ARRAY_LEN(kinds); i++) {
		struct nd_status st = nd_kind_status(f, kinds[i]);

		if (st.why == ND_NOT_SAMPLED && !*st.detail)
			nd_kind_missing(f, kinds[i], ND_TOOL_OUTPUT_ABSENT,
					"no ss output lists them");
	}
	for (const struct nd_fact_def *d = nd_sock_facts; d->name; d++) {
		if (d->probe)
			nd_fact_missing(f, d, ND_NOT_SAMPLED, "needs the %s probe", d->probe);
		else if (strcmp(d->name, "route") == 0)
			nd_fact_missing(f, d, ND_NOT_SAMPLED, "routes are looked up by hand");
	}
}

/* The listener of this very host that a peer is, or NO_ENTITY: the same address and port, or all addresses of loopback. */
static nd_id own_listener(const struct nd_facts *f, const char *peer)
{
	static const struct {
		const char *loopback, *any;
	} wild[] = {{"127.", "0.0.0.0"},
		    {"127.", "*"},
		    {"127.", "[::]"},
		    {"[::1]", "[::]"},
		    {"[::1]", "*"}};
	const char *port = strrchr(peer, ':');
	char key[ND_SOCK_KEY_MAX + 80];
	nd_id id;

	snprintf(key, sizeof(key), "tcp/%s", peer);
	id = nd_entity_find(f, ND_LISTENER, key);
	for (size_t i = 0; i < ND_ARRAY_LEN(wild) && id == ND_NO_ENTITY && port; i++) {
		if (!nd_starts(peer, wild[i].loopback))
			continue;
		snprintf(key, sizeof(key), "tcp/%s%s", wild[i].any, port);
		id = nd_entity_find(f, ND_LISTENER, key);
	}
	return id;
}

static void relate_own(struct nd_facts *f)
{
	uint32_t n;
	const nd_id *peers = nd_entities(f, ND_PEER, &n);

	for (uint32_t i = 0; i < n; i++) {
		nd_id listener = own_listener(f, nd_entity_key(f, peers[i]));

		if (listener != ND_NO_ENTITY && !nd_related(f, peers[i], ND_PEER_LISTENER, false).n)
			nd_relate(f, peers[i], ND_PEER_LISTENER, listener);
	}
}

void nd_socks_finish(struct nd_facts *f)
{
	uint32_t n;
	const nd_id *ids = nd_entities(f, ND_LISTENER, &n);

	explain(f);
	relate_own(f);
	for (uint32_t i = 0; i < n; i++) {
		struct nd_links own = nd_related(f, ids[i], ND_LISTENER_NETNS, false);
		nd_id netns = own.n ? own.ids[0] : ND_NO_ENTITY;
		uint32_t same =
			netns == ND_NO_ENTITY ? 0 : nd_related(f, netns, ND_LISTENER_NETNS, true).n;

		if (same == 1)
			put_accepts(f, ids[i], netns);
		else
			nd_put_missing(f, ids[i], nd_listener_fact(ND_L_ACCEPTS), ND_NOT_SAMPLED,
				       "accepts per listener need the accept probe");
	}
}
