/* What a server's connections sum up to, and what only the end of a connection tells. */
#include "collectors/flow_impl.h"

#include "collectors/sock_group.h"

#include <sys/socket.h>

#define US 1000ull
#define ANSWER_NS                                                                                  \
	(3000 *                                                                                    \
	 ND_MSEC) /* a SYN that is not answered for this long is lost or refused in silence */
#define SILENT_TRIES 3u
#define STUCK_TRIES 2u
#define BIG_BYTES 500u /* the least MTU of IPv4, 576, less the headers */

/* Fine about the delayed-ACK timers, 40 and 200 ms, and the first SYN retry. */
const uint64_t nd_flow_edges[ND_FLOW_BUCKETS + 1] = {
	0,
	1 * US,
	2 * US,
	5 * US,
	10 * US,
	20 * US,
	50 * US,
	100 * US,
	200 * US,
	300 * US,
	500 * US,
	700 * US,
	1 * ND_MSEC,
	1500 * US,
	2 * ND_MSEC,
	3 * ND_MSEC,
	4 * ND_MSEC,
	5 * ND_MSEC,
	7 * ND_MSEC,
	10 * ND_MSEC,
	15 * ND_MSEC,
	20 * ND_MSEC,
	25 * ND_MSEC,
	30 * ND_MSEC,
	35 * ND_MSEC,
	38 * ND_MSEC,
	39 * ND_MSEC,
	40 * ND_MSEC,
	41 * ND_MSEC,
	42 * ND_MSEC,
	43 * ND_MSEC,
	44 * ND_MSEC,
	45 * ND_MSEC,
	46 * ND_MSEC,
	48 * ND_MSEC,
	50 * ND_MSEC,
	55 * ND_MSEC,
	60 * ND_MSEC,
	70 * ND_MSEC,
	80 * ND_MSEC,
	100 * ND_MSEC,
	120 * ND_MSEC,
	150 * ND_MSEC,
	170 * ND_MSEC,
	190 * ND_MSEC,
	198 * ND_MSEC,
	200 * ND_MSEC,
	202 * ND_MSEC,
	204 * ND_MSEC,
	208 * ND_MSEC,
	215 * ND_MSEC,
	250 * ND_MSEC,
	300 * ND_MSEC,
	350 * ND_MSEC,
	400 * ND_MSEC,
	500 * ND_MSEC,
	700 * ND_MSEC,
	900 * ND_MSEC,
	1000 * ND_MSEC,
	1100 * ND_MSEC,
	1500 * ND_MSEC,
	2000 * ND_MSEC,
	3000 * ND_MSEC,
	3500 * ND_MSEC,
	5000 * ND_MSEC,
	7000 * ND_MSEC,
	10000 * ND_MSEC,
	15000 * ND_MSEC,
	31000 * ND_MSEC,
	63000 * ND_MSEC,
	120000 * ND_MSEC,
	600000 * ND_MSEC,
	1000000000 * ND_MSEC,
};

void nd_flow_sample(struct nd_flow_group *g, enum nd_flow_hist which, uint64_t ns)
{
	uint32_t lo = 0, hi = ND_FLOW_BUCKETS;

	if (!g->hist[which])
		g->hist[which] = nd_alloc(ND_FLOW_BUCKETS * sizeof(uint32_t));
	while (hi - lo > 1) {
		uint32_t mid = (lo + hi) / 2;

		if (ns >= nd_flow_edges[mid])
			lo = mid;
		else
			hi = mid;
	}
	if (g->hist[which][lo] < UINT32_MAX)
		g->hist[which][lo]++;
}

bool nd_flow_is_stuck(const struct nd_half *h)
{
	return h->tries >= STUCK_TRIES && h->again_len >= BIG_BYTES &&
	       h->biggest_acked < h->again_len && h->sacked;
}

static void end_of_syn(struct nd_flows *w, struct nd_flow *x, struct nd_flow_group *g)
{
	const struct nd_half *client = &x->half[!x->server], *server = &x->half[x->server];

	if (!client->syns || server->packets || client->packets != client->syns)
		return;
	if (client->syns < 2 && w->last_ns - x->syn_ns < ANSWER_NS)
		return;
	g->count[ND_FC_SYN_UNANSWERED]++;
	g->count[ND_FC_SYN_REUSED] += x->reused;
}

static void end_of_half(struct nd_flow *x, struct nd_flow_group *g, unsigned from)
{
	struct nd_half *h = &x->half[from];
	const struct nd_half *o = &x->half[!from];
	uint64_t silent = h->silent_ns && h->data_ns > h->silent_ns ? h->data_ns - h->silent_ns : 0;
	uint64_t shut = h->zero_ns ? x->last_ns - h->zero_ns : 0;

	g->zero_ns += shut;
	g->zero_max_ns = shut > g->zero_max_ns ? shut : g->zero_max_ns;
	g->mss[from == x->server] = h->mss ? h->mss : g->mss[from == x->server];
	if (nd_flow_is_stuck(h)) {
		g->count[ND_FC_BIG_STUCK]++;
		g->stuck_size = h->again_len;
		g->who[ND_FW_STUCK][from == x->server]++;
		return;
	}
	if (h->biggest_acked > g->passed)
		g->passed = h->biggest_acked;
	if (h->tries < SILENT_TRIES || !o->packets || x->reset || o->zero_ns ||
	    o->last_ns > h->silent_ns)
		return;
	g->count[ND_FC_SILENT]++;
	g->count[ND_FC_IDLE_SILENT] += h->idle_before;
	g->silent_max_ns = silent > g->silent_max_ns ? silent : g->silent_max_ns;
}

void nd_flow_end(struct nd_flows *w, struct nd_flow *x)
{
	struct nd_flow_group *g = &w->group[x->group];
	const struct nd_half *a = &x->half[0], *b = &x->half[1];
	uint64_t rtt = a->rtt_ns + b->rtt_ns;

	g->count[ND_FC_FLOWS]++;
	end_of_syn(w, x, g);
	if ((!a->packets && b->packets > b->syns) || (!b->packets && a->packets > a->syns))
		g->count[ND_FC_ONE_SIDED]++;
	end_of_half(x, g, 0);
	end_of_half(x, g, 1);
	if (rtt && (!g->rtt_ns || rtt < g->rtt_ns))
		g->rtt_ns = rtt;
}

void nd_flow_key(const struct nd_flows *w, const struct nd_flow_addr *a, uint32_t port, char *out,
		 size_t size)
{
	struct nd_sock_addr s = {0};
	char key[ND_SOCK_KEY_MAX];
	uint32_t name;

	s.family = a->family == 6 ? AF_INET6 : a->family == 4 ? AF_INET : 0;
	memcpy(s.ip, a->ip, sizeof(s.ip));
	memcpy(&name, a->ip, sizeof(name));
	if (!s.family)
		s.name = w->name[name < w->n_names ? name : 0];
	if (port >= ND_PORT_NAMED) {
		name = port - ND_PORT_NAMED;
		s.port_name = w->name[name < w->n_names ? name : 0];
	} else {
		s.port = (uint16_t)port;
	}
	nd_sock_key(&s, key);
	snprintf(out, size, "%s", key);
}
