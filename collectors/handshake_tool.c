/* Two BCC tools that watch connections being made.
 *
 * tcpsynbl prints, for each limit of a listen queue, how long the queue was whenever a handshake ended. Its name speaks
 * of SYNs, but what it reads is the accept queue. All listeners are put into one histogram of how full the queue was;
 * a bucket counts at its lower end, so that a queue is never said to have been fuller than it was:
 *
 *	backlog_max = 500L
 *	     backlog             : count     distribution
 *	         0 -> 1          : 961      |****************************************|
 *
 * tcpconnlat has a line for each connect(), from the SYN to its answer:
 *
 *	PID    COMM         IP SADDR            DADDR            DPORT LAT(ms)
 *	1201   wget         4  10.153.223.157   52.37.148.135    80    8.14 */
#include "collectors/collector.h"
#include "collectors/hist_text.h"
#include "collectors/sock_text.h"

#include <errno.h>
#include <math.h>

#define PEERS_MAX 1024u

enum { FILL, CONNECT_TIME };

static const struct nd_fact_def facts[] = {
	[FILL] = {.name = "tcp.accept_fill",
		  .on = ND_NETNS,
		  .type = ND_T_HIST,
		  .unit = ND_U_PERCENT,
		  .doc = "how full the accept queue was when a handshake ended, of all listeners",
		  .reproduce = "tcpsynbl"},
	[CONNECT_TIME] = {.name = "connect_time",
			  .on = ND_PEER,
			  .type = ND_T_HIST,
			  .unit = ND_U_SECONDS,
			  .doc = "time from the SYN to its answer",
			  .reproduce = "tcpconnlat"},
	{.name = NULL},
};

static const struct nd_read reads[] = {
	{"tcpsynbl", 0,
	 "backlog_max = [0-9]*\n\n@backlog[[][0-9]*[]]:*\n\nTracing SYN backlog size*"},
	{"tcpconnlat", 0, "*PID *COMM *DADDR *DPORT *LAT(ms)*"},
	{NULL, 0},
};

/* Shares of the limit, and seconds; what is more is in the last bucket. The SYN's retries (1, 3, 7 s; up to 6.6 also 2, 4, 5) are in buckets of their own. */
static const double fills[] = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 2};
static const double times[] = {0,   1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 0.1,
			       0.2, 0.5,  0.9,	1.5,  2.5,  3.5,  4.5,	6.5,  7.5,  15,	  130};
#define BOUNDS_MAX 24

/* Counts between bounds. */
struct bins {
	struct nd_bucket b[BOUNDS_MAX];
	uint32_t n;
	bool any;
};
struct peer {
	char key[ND_SOCK_KEY_MAX];
	struct bins times;
};

static void bins_init(struct bins *b, const double *bounds, uint32_t n)
{
	*b = (struct bins){.n = n - 1};
	for (uint32_t i = 0; i + 1 < n; i++)
		b->b[i] = (struct nd_bucket){.lo = bounds[i], .hi = bounds[i + 1]};
}

static void bins_add(struct bins *b, double v, double count)
{
	for (uint32_t i = 0; i < b->n; i++)
		if (v < b->b[i].hi || i + 1 == b->n) {
			b->b[i].count += count;
			b->any = true;
			return;
		}
}

/* Puts the buckets up to the last that is not empty. */
static void bins_put(struct nd_facts *f, nd_id on, const struct nd_fact_def *fact, struct bins *b,
		     const struct nd_input *in)
{
	struct nd_hist h = {.b = b->b, .n = b->n};

	while (h.n && h.b[h.n - 1].count == 0)
		h.n--;
	if (b->any)
		nd_put_hist(f, on, fact, &h, in);
}

/* ---- tcpsynbl ---- */

/* "backlog_max = 500L", bpftrace's "@backlog[128]: "; 0: another line. */
static double limit_of(const char *line)
{
	const char *at = strstr(line, "backlog_max = ");
	char digits[16];
	size_t n;
	double v;

	if (at)
		at += strlen("backlog_max = ");
	else if ((at = strstr(line, "@backlog[")))
		at += strlen("@backlog[");
	n = at ? strspn(at, "0123456789") : 0;
	if (n == 0 || n >= sizeof(digits))
		return 0;
	memcpy(digits, at, n);
	digits[n] = '\0';
	return nd_parse_f64(digits, &v) ? v : 0;
}

/* ---- tcpconnlat ---- */

/* The peer of an address and a port as words; ND_NO_ENTITY if they are none. */
static struct peer *peer_of(struct peer *peers, uint32_t *n, struct nd_facts *f, const char *ip,
			    const char *port)
{
	struct nd_sock_addr a = {.family = 0};
	char word[ND_SOCK_KEY_MAX], key[ND_SOCK_KEY_MAX];
	bool modern = true;

	snprintf(word, sizeof(word), strchr(ip, ':') ? "[%.80s]:%.10s" : "%.80s:%.10s", ip, port);
	if (!nd_sock_text_address(f, word, &modern, &a) || !a.family || !a.port)
		return NULL;
	nd_sock_key(&a, key);
	for (uint32_t i = *n; i > 0; i--)
		if (strcmp(peers[i - 1].key, key) == 0)
			return &peers[i - 1];
	if (*n >= PEERS_MAX)
		return NULL;
	snprintf(peers[*n].key, sizeof(peers[*n].key), "%s", key);
	bins_init(&peers[*n].times, times, ND_ARRAY_LEN(times));
	return &peers[(*n)++];
}

/* Its last words are address, port and milliseconds, whatever options put before them. */
static void connect_line(struct peer *peers, uint32_t *n, struct nd_facts *f, char *line)
{
	const char *last[3] = {NULL, NULL, NULL}, *word;
	struct peer *p;
	double ms;

	while ((word = nd_word(&line))) {
		last[0] = last[1];
		last[1] = last[2];
		last[2] = word;
	}
	if (!last[0] || !nd_parse_f64(last[2], &ms) || ms < 0)
		return;
	p = peer_of(peers, n, f, last[0], last[1]);
	if (p)
		bins_add(&p->times, ms / 1e3, 1);
}

/* ---- both ---- */

static void put_peers(struct peer *peers, uint32_t n, struct nd_facts *f, const struct nd_input *in)
{
	const nd_id ns = nd_entity(f, ND_NETNS, in->netns);

	for (uint32_t i = 0; i < n; i++) {
		const nd_id id = nd_entity_in(f, ND_PEER, peers[i].key, in->netns);

		if (nd_related(f, id, ND_PEER_NETNS, false).n == 0)
			nd_relate(f, id, ND_PEER_NETNS, ns);
		bins_put(f, id, &facts[CONNECT_TIME], &peers[i].times, in);
	}
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	struct peer *peers = nd_alloc(PEERS_MAX * sizeof(*peers));
	bool connects = false;
	uint32_t n = 0;
	double limit = 0, now;
	struct nd_bucket row;
	struct bins fill;
	char *line;
	int rc;

	bins_init(&fill, fills, ND_ARRAY_LEN(fills));
	while ((line = nd_stream_line(s))) {
		now = limit_of(line);
		limit = now > 0 ? now : limit;
		connects |= strstr(line, "DADDR") && strstr(line, "LAT(");
		if (now > 0)
			continue;
		if (connects)
			connect_line(peers, &n, f, line);
		else if (limit > 0 && nd_hist_row(line, &row))
			bins_add(&fill, fmax(row.lo, 0) / limit, row.count);
	}
	bins_put(f, nd_entity(f, ND_NETNS, in->netns), &facts[FILL], &fill, in);
	put_peers(peers, n, f, in);
	free(peers);
	rc = nd_stream_error(s);
	return rc ? nd_fail(e, rc, "%s: %s", in->path, strerror(-rc)) : 0;
}

const struct nd_collector nd_collector_handshake_tool = {
	.name = "handshake_tool",
	.doc = "connections being made: tcpsynbl and tcpconnlat",
	.reads = reads,
	.facts = facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
};
