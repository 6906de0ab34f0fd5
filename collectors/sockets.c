/* TCP sockets of this namespace from the kernel: sock_diag with INET_DIAG_INFO and SKMEMINFO (sock_diag(7)).
 *
 * A whole dump walks the hash tables of the kernel, so it is made at the counters' moments and a few times
 * more; between them only suspected ports are asked for, and the kernel does the filtering. The pace follows
 * the cost: a dump is made at most every 20 times its own duration. A request would load the tcp_diag
 * module where it is not built in: then nothing is asked and the reason is given. */
#include "collectors/collector.h"
#include "collectors/netlink.h"
#include "collectors/snmp.h"
#include "collectors/owners.h"
#include "collectors/sock_conns.h"
#include "collectors/sock_diag.h"
#include "collectors/sock_group.h"

#include <errno.h>

#define PERIOD_MIN_NS (100 * 1000 * 1000ull)
#define COST 20 /* a dump's time is at most one part in so many */
#define WHOLE_ROUNDS 3 /* dumps between moments that still list everything */
#define SUSPECTS_MAX 64u /* ports in one filter; with more, everything is listed */
#define WANTS_MAX 2048u /* sockets whose owners are looked up at once */
#define SOURCE "sock_diag(7), as ss -tinm shows it"

struct state {
	struct nd_nl *nl;
	struct nd_socks *socks;
	struct nd_conns *conns; /* while all states are listed, else NULL */
	struct nd_facts *f; /* of the present call */
	uint32_t rounds; /* dumps between moments */
	uint32_t count; /* sockets of the present dump */
	uint64_t period_ns;
	bool failed; /* the reason was given */
};

/* Why there are no sockets: for the kinds and for each of their facts. */
static int give_up(struct state *st, enum nd_missing why, const char *detail)
{
	static const enum nd_kind kinds[] = {ND_LISTENER, ND_SERVICE, ND_PEER};
	static const struct nd_fact_def *const all[] = {nd_sock_facts, nd_conn_facts,
							nd_tcp_state_facts};

	st->failed = true;
	for (unsigned i = 0; i < ND_ARRAY_LEN(kinds); i++)
		nd_kind_missing(st->f, kinds[i], why, "%s", detail);
	for (unsigned i = 0; i < ND_ARRAY_LEN(all); i++)
		for (const struct nd_fact_def *d = all[i]; d->name; d++)
			if (!d->probe)
				nd_fact_missing(st->f, d, why, "%s", detail);
	return 0;
}

/* ---- dumps ---- */

static int on_socket(const struct nlmsghdr *h, void *ctx)
{
	struct state *st = ctx;
	struct nd_sock s;
	size_t len;
	const void *msg = nd_nl_payload(h, 0, &len);

	if (st->count < ND_SOCKS_MAX && msg && nd_sock_from_diag(msg, len, &s)) {
		st->count++;
		nd_socks_add(st->socks, st->f, &s);
		if (st->conns)
			nd_conns_add(st->conns, &s);
	}
	return 0;
}

static int dump(struct state *st, struct nd_live *l, bool whole, const void *filter,
		size_t filter_len, struct nd_err *e)
{
	uint64_t start = nd_source_now(l->source), took;
	int rc;

	st->count = 0;
	l->in.t_ns = start;
	nd_socks_begin(st->socks, &l->in, whole);
	rc = nd_sock_dump(st->nl, filter, filter_len, on_socket, st, e);
	nd_socks_end(st->socks, st->f);
	took = nd_source_now(l->source) - start;
	st->period_ns = took * COST > PERIOD_MIN_NS ? took * COST : PERIOD_MIN_NS;
	return rc;
}

/* How many wait to be listed beyond those with data; unknown is few. */
static double waiting(const struct state *st)
{
	const nd_id ns = nd_entity_find(st->f, ND_NETNS, "host");
	const nd_fact_id tw =
		nd_registry_find(nd_facts_registry(st->f), ND_NETNS, "tcp.sockets.tw");
	struct nd_value v;

	if (ns == ND_NO_ENTITY || tw < 0)
		return 0;
	v = nd_get(st->f, ns, tw, ND_BARE);
	return v.type == ND_V_NUMBER ? v.num : 0;
}

static int on_rest(const struct nlmsghdr *h, void *ctx)
{
	struct state *st = ctx;
	struct nd_sock s;
	size_t len;
	const void *msg = nd_nl_payload(h, 0, &len);

	if (msg && nd_sock_from_diag(msg, len, &s))
		nd_conns_add(st->conns, &s);
	return ++st->count > ND_SOCKS_MAX ? -E2BIG : 0;
}

/* The states that every socket has are not counted, since not all sockets were listed. */
static void uncounted(struct state *st, enum nd_missing why, const char *detail)
{
	for (const struct nd_fact_def *d = nd_tcp_state_facts; d->name; d++)
		nd_fact_missing(st->f, d, why, "%s", detail);
	for (const struct nd_fact_def *d = nd_conn_facts; d->name; d++)
		nd_fact_missing(st->f, d, why, "%s", detail);
}

/* At the ends of the run: all states, for counts. Those without data are listed in a dump of their own, which asks for
 * nothing but their addresses, unless they are too many for it. */
static int dump_ends(struct state *st, struct nd_live *l, struct nd_err *e)
{
	const bool many = waiting(st) > ND_SOCKS_MAX;
	int rc;

	st->conns = nd_conns_new();
	rc = dump(st, l, true, NULL, 0, e);
	st->count = 0;
	if (rc == 0 && !many && nd_sock_dump_rest(st->nl, on_rest, st, e) == 0)
		nd_conns_put(st->conns, st->f, &l->in, true);
	else
		uncounted(st, ND_BUDGET, many ? "too many sockets are in TIME_WAIT" : e->msg);
	nd_conns_free(st->conns);
	st->conns = NULL;
	return rc;
}

/* Between moments: everything a few times, then only what is suspected. */
static int sample(struct state *st, struct nd_live *l, struct nd_err *e)
{
	struct nd_sock_port ports[SUSPECTS_MAX + 1];
	uint32_t filter[ND_SOCK_FILTER_BYTES(SUSPECTS_MAX) / sizeof(uint32_t)];
	uint32_t n;

	if (st->rounds++ < WHOLE_ROUNDS)
		return dump(st, l, false, NULL, 0, e);
	n = nd_socks_suspects(st->socks, ports, ND_ARRAY_LEN(ports));
	if (n == 0)
		return 0;
	if (n > SUSPECTS_MAX)
		return dump(st, l, false, NULL, 0, e);
	return dump(st, l, false, filter, nd_sock_filter(ports, n, filter, sizeof(filter)), e);
}

static void look_up_owners(struct state *st, struct nd_live *l)
{
	struct nd_owner_want *w = nd_alloc(WANTS_MAX * sizeof(*w));

	nd_owners_relate(l->source, st->f, &l->in, w,
			 nd_socks_wanted(st->socks, st->f, w, WANTS_MAX));
	free(w);
}

static enum nd_missing why_of(int rc)
{
	if (rc == -ENOENT || rc == -EPROTONOSUPPORT)
		return ND_NOT_ON_THIS_KERNEL;
	return rc == -EPERM || rc == -EACCES ? ND_NO_PERMISSION
	       : rc == -ETIMEDOUT	     ? ND_TIMED_OUT
					     : ND_PARSE_ERROR;
}

static int start(struct nd_live *l, struct nd_facts *f, struct nd_err *e)
{
	struct state *st = *l->state = nd_alloc(sizeof(*st));
	int rc;

	st->f = f;
	st->socks = nd_socks_new(l->in.netns);
	if (nd_sock_would_autoload(l->source, "tcp_diag"))
		return give_up(st, ND_NOT_ON_THIS_KERNEL,
			       "tcp_diag is not loaded: modprobe tcp_diag, or give ss output");
	st->nl = nd_nl_open(NETLINK_SOCK_DIAG, &rc, e);
	if (st->nl)
		return 0;
	give_up(st, why_of(rc), e->msg);
	return rc;
}

static int live(struct nd_live *l, struct nd_facts *f, struct nd_err *e)
{
	int rc = *l->state ? 0 : start(l, f, e);
	struct state *st = *l->state;

	if (rc < 0 || st->failed)
		return rc;
	st->f = f;
	l->in.path = SOURCE;
	if (l->between)
		rc = sample(st, l, e);
	else if (l->first || l->last)
		rc = dump_ends(st, l, e);
	else
		rc = dump(st, l, true, NULL, 0, e);
	if (rc < 0) {
		give_up(st, why_of(rc), e->msg);
		return rc;
	}
	if (l->first) {
		nd_netns_unread(l, f, nd_tcp_state_facts,
				"sock_diag shows the sockets of the reader's own only");
		nd_kind_read(f, ND_LISTENER);
		nd_kind_read(f, ND_SERVICE);
		nd_kind_read(f, ND_PEER);
	}
	if (l->first || l->last) /* first: later collectors watch the servers' threads and groups */
		look_up_owners(st, l);
	if (l->last)
		nd_socks_last(st->socks, f, &l->in);
	l->again_ns = st->period_ns;
	return 0;
}

static void end(void *state)
{
	struct state *st = state;

	if (st) {
		nd_nl_close(st->nl);
		nd_socks_free(st->socks);
	}
	free(st);
}

const struct nd_collector nd_collector_sockets;
const struct nd_collector nd_collector_sockets = {
	.name = "sockets",
	.doc = "TCP sockets from the kernel: listeners, services and peers, sampled between the counters' moments",
	.collect = "ss -tinmpe; ss -ltnmpe",
	.facts = nd_sock_facts,
	.table = &nd_sock_table,
	.entities = {ND_NO_KIND},
	.live = live,
	.finish = nd_socks_finish,
	.end = end,
};
