/* What a socket says now: a row of the table of samples, and the extremes of its group.
 *
 * Rules count rows by conditions on several figures of one socket ("window closed and nothing unread"), which
 * no sum over a group can tell. The extremes are there to print: how long the longest queue is, and whose. */
#include "collectors/sock_impl.h"

#include <math.h>

/* From here on it is worth to know whose socket it is: much is unread, or nothing answers. */
#define UNREAD_WORTH (32u * 1024)
#define RETRIES_WORTH 3

static const enum nd_kind table_on[] = {ND_SERVICE, ND_PEER, ND_NO_KIND};

/* The columns that are a figure as it stands: name, unit, figure. */
#define PLAIN(COLUMN)                                                                              \
	COLUMN("notsent", ND_U_BYTES, ND_SV_NOTSENT) /* written, not yet sent */                   \
	COLUMN("mss", ND_U_BYTES, ND_SV_MSS)                                                       \
	COLUMN("unacked", ND_U_COUNT, ND_SV_UNACKED) /* segments in flight */                      \
	COLUMN("cwnd", ND_U_COUNT, ND_SV_CWND) /* segments */                                      \
	COLUMN("last_send", ND_U_SECONDS, ND_SV_LAST_SEND) /* since the last data was sent */      \
	COLUMN("rtt", ND_U_SECONDS, ND_SV_RTT)                                                     \
	COLUMN("min_rtt", ND_U_SECONDS, ND_SV_MIN_RTT)                                             \
	COLUMN("last_recv", ND_U_SECONDS, ND_SV_LAST_RECV) /* since data came */                   \
	COLUMN("last_ack", ND_U_SECONDS, ND_SV_LAST_ACK) /* since anything came */                 \
	COLUMN("lost", ND_U_COUNT, ND_SV_LOST) /* taken for lost, not yet repaired */              \
	COLUMN("resent", ND_U_COUNT, ND_SV_RESENT) /* sent again, not yet acknowledged */          \
	COLUMN("sacked", ND_U_COUNT, ND_SV_SACKED) /* in flight, and arrived out of order */       \
	COLUMN("retries", ND_U_COUNT,                                                              \
	       ND_SV_RETRIES) /* timeouts or window probes unanswered in a row */                  \
	COLUMN("backoff", ND_U_COUNT, ND_SV_BACKOFF) /* doublings of the timer */                  \
	COLUMN("rto", ND_U_SECONDS, ND_SV_RTO)                                                     \
	COLUMN("ssthresh", ND_U_COUNT, ND_SV_SSTHRESH)                                             \
	COLUMN("pmtu", ND_U_BYTES, ND_SV_PMTU)                                                     \
	COLUMN("snd_wnd", ND_U_BYTES, ND_SV_SND_WND) /* the peer's window */                       \
	COLUMN("rcv_wnd", ND_U_BYTES, ND_SV_RCV_WND) /* the window advertised to the peer */       \
	COLUMN("rcv_ssthresh", ND_U_BYTES, ND_SV_RCV_SSTHRESH)                                     \
	COLUMN("rcv_rtt", ND_U_SECONDS, ND_SV_RCV_RTT)                                             \
	COLUMN("rcv_space", ND_U_BYTES, ND_SV_RCV_SPACE)                                           \
	COLUMN("rmem", ND_U_BYTES, ND_SV_RMEM) /* memory of the receive queues */                  \
	COLUMN("rcvbuf", ND_U_BYTES, ND_SV_RCVBUF) /* its limit */                                 \
	COLUMN("wmem", ND_U_BYTES, ND_SV_WMEM)                                                     \
	COLUMN("sndbuf", ND_U_BYTES, ND_SV_SNDBUF)                                                 \
	COLUMN("delivery_rate", ND_U_BYTES_PER_SECOND, ND_SV_DELIVERY_RATE)                        \
	COLUMN("pacing_rate", ND_U_BYTES_PER_SECOND, ND_SV_PACING_RATE)                            \
	COLUMN("app_limited", ND_U_COUNT, ND_SV_APP_LIMITED)                                       \
	COLUMN("timer", ND_U_COUNT,                                                                \
	       ND_SV_TIMER) /* 1 retransmission, 2 keepalive, 4 window probe */                    \
	COLUMN("timer_left", ND_U_SECONDS, ND_SV_TIMER_LEFT)                                       \
	COLUMN("bytes_sent", ND_U_BYTES, ND_SV_BYTES_SENT)                                         \
	COLUMN("bytes_retrans", ND_U_BYTES, ND_SV_BYTES_RETRANS)                                   \
	COLUMN("bytes_acked", ND_U_BYTES, ND_SV_BYTES_ACKED)                                       \
	COLUMN("bytes_received", ND_U_BYTES, ND_SV_BYTES_RECEIVED)                                 \
	COLUMN("segs_sent", ND_U_COUNT, ND_SV_DATA_OUT)                                            \
	COLUMN("segs_retrans", ND_U_COUNT, ND_SV_SEGS_RETRANS)                                     \
	COLUMN("duplicates", ND_U_COUNT, ND_SV_DSACK_DUPS)                                         \
	COLUMN("reordered", ND_U_COUNT, ND_SV_REORD_SEEN)                                          \
	COLUMN("ooo", ND_U_COUNT, ND_SV_RCV_OOO) /* received out of order */

#define VALUE_OF(name, unit, value) value,
#define COLUMN_OF(name, unit, value) {name, unit},

static const enum nd_sock_value plain[] = {PLAIN(VALUE_OF)};
/* Those that are computed, behind the plain ones. */
enum computed { RWND, BUSY, RECV_Q, SEND_Q, LOSS_BASED, RWND_LIMITED, COMPUTED };

#define COLUMNS (ND_ARRAY_LEN(plain) + COMPUTED)
static const struct nd_column columns[] = {
	PLAIN(COLUMN_OF){"rwnd", ND_U_BYTES}, /* room left in the peer's window */
	{"busy", ND_U_PERCENT}, /* of the time since the sample before, with unacknowledged data */
	{"recv_q", ND_U_BYTES}, /* received, not read */
	{"send_q", ND_U_BYTES}, /* written, not acknowledged */
	{"loss_based",
	 ND_U_COUNT}, /* 1: each loss shrinks cwnd, as with cubic; 0: bbr and its like */
	{"rwnd_limited", ND_U_PERCENT}, /* of its time with data to send, since it was made */
};
_Static_assert(ND_ARRAY_LEN(columns) == COLUMNS, "a column without its figure");

const struct nd_table_def nd_sock_table = {
	.name = "samples",
	.on = table_on,
	.columns = columns,
	.n_columns = COLUMNS,
	.doc = "one row for each connection at each sample",
};

static double or_zero(double v)
{
	return isnan(v) ? 0 : v;
}

/* 1: loss shrinks its window; 0: it goes by rates or delays; NaN: not known. */
static double loss_based(const char *congestion)
{
	static const char *const by_loss[] = {"cubic",	   "reno",     "bic",	"htcp",
					      "highspeed", "scalable", "hybla", "westwood",
					      "illinois",  "dctcp",    "yeah",	"veno"};

	if (!*congestion)
		return NAN;
	for (unsigned i = 0; i < ND_ARRAY_LEN(by_loss); i++) {
		if (strcmp(congestion, by_loss[i]) == 0)
			return 1;
	}
	return 0;
}

/* A small tail that waits is a reason to look closer. */
static void count_tail(struct nd_sock_group *g, const struct nd_sock *s)
{
	const double *v = s->v;

	if (!s->info)
		return;
	g->rows++;
	if (v[ND_SV_NOTSENT] > 0 && v[ND_SV_NOTSENT] < v[ND_SV_MSS] && v[ND_SV_UNACKED] >= 1) {
		g->hits++;
		nd_sock_inode(g->inodes, &g->n_inodes, s->inode);
	}
}

void nd_sock_row_put(struct nd_facts *f, struct nd_sock_group *g, const struct nd_sock *s,
		     double busy)
{
	const double *v = s->v;
	/* Send-Q is all that is written and not acknowledged: less the unsent, that is what is in flight. */
	double flight = fmax(0, s->wqueue - or_zero(v[ND_SV_NOTSENT]));
	double row[COLUMNS], *more = &row[ND_ARRAY_LEN(plain)];

	count_tail(g, s);
	if (!nd_rows_wanted(f))
		return;
	for (unsigned i = 0; i < ND_ARRAY_LEN(plain); i++)
		row[i] = v[plain[i]];
	/* fmax drops a NaN */
	more[RWND] = isnan(v[ND_SV_SND_WND]) ? NAN : fmax(0, v[ND_SV_SND_WND] - flight);
	more[BUSY] = busy;
	more[RECV_Q] = s->rqueue;
	more[SEND_Q] = s->wqueue;
	more[LOSS_BASED] = *s->congestion ? g->loss_based : NAN;
	more[RWND_LIMITED] = v[ND_SV_BUSY] > 0 ? v[ND_SV_RWND_LIMITED] / v[ND_SV_BUSY] : NAN;
	nd_put_row(f, g->id, &nd_sock_table, row);
}

/* ---- extremes ---- */

static const struct {
	enum nd_group_fact fact;
	bool smallest;
	enum nd_sock_value value; /* ND_SOCK_VALUES: computed */
} extremes[] = {
	[ND_SX_RECV_Q] = {ND_G_RECV_Q, false, ND_SOCK_VALUES},
	[ND_SX_SEND_Q] = {ND_G_SEND_Q, false, ND_SOCK_VALUES},
	[ND_SX_RETRIES] = {ND_G_RETRIES, false, ND_SV_RETRIES},
	[ND_SX_RTO] = {ND_G_RTO, false, ND_SV_RTO},
	[ND_SX_HEARD] = {ND_G_HEARD, true, ND_SOCK_VALUES},
	[ND_SX_CWND] = {ND_G_CWND, true, ND_SV_CWND},
	[ND_SX_MSS] = {ND_G_MSS, true, ND_SV_MSS},
	[ND_SX_PMTU] = {ND_G_PMTU, true, ND_SV_PMTU},
	[ND_SX_RCVBUF] = {ND_G_RCVBUF, false, ND_SV_RCVBUF},
	[ND_SX_SNDBUF] = {ND_G_SNDBUF, false, ND_SV_SNDBUF},
	[ND_SX_DELIVERY_RATE] = {ND_G_DELIVERY_RATE, false, ND_SV_DELIVERY_RATE},
};
_Static_assert(ND_ARRAY_LEN(extremes) == ND_SOCK_EXTREMES, "an extreme without its fact");

void nd_sock_extremes_clear(struct nd_sock_group *g)
{
	for (unsigned i = 0; i < ND_SOCK_EXTREMES; i++)
		g->extreme[i] = NAN;
	*g->recv_of = *g->send_of = '\0';
}

/* Did it become the group's extreme? */
static bool extend(struct nd_sock_group *g, enum nd_sock_extreme which, double v)
{
	double *have = &g->extreme[which];

	if (isnan(v) || (!isnan(*have) && (extremes[which].smallest ? v >= *have : v <= *have)))
		return false;
	*have = v;
	return true;
}

static void name_pair(char out[ND_SOCK_PAIR_MAX], const struct nd_sock *s)
{
	char local[ND_SOCK_KEY_MAX], remote[ND_SOCK_KEY_MAX];

	nd_sock_key(&s->local, local);
	nd_sock_key(&s->remote, remote);
	snprintf(out, ND_SOCK_PAIR_MAX, "%.46s %.46s", local, remote);
}

void nd_sock_extremes_add(struct nd_sock_group *g, const struct nd_sock *s)
{
	for (unsigned i = 0; i < ND_SOCK_EXTREMES; i++) {
		if (extremes[i].value != ND_SOCK_VALUES)
			extend(g, (enum nd_sock_extreme)i, s->v[extremes[i].value]);
	}
	extend(g, ND_SX_HEARD, fmin(s->v[ND_SV_LAST_RECV], s->v[ND_SV_LAST_ACK]));
	if (extend(g, ND_SX_RECV_Q, s->rqueue) && s->rqueue)
		name_pair(g->recv_of, s);
	if (extend(g, ND_SX_SEND_Q, s->wqueue) && s->wqueue)
		name_pair(g->send_of, s);
	if (*s->congestion && strcmp(g->congestion, s->congestion) != 0) {
		snprintf(g->congestion, sizeof(g->congestion), "%s", s->congestion);
		g->loss_based = loss_based(s->congestion);
	}
}

static void put_text(struct nd_facts *f, const struct nd_sock_group *g, enum nd_group_fact fact,
		     const char *text, const struct nd_input *in)
{
	if (*text)
		nd_put_text(f, g->id, nd_group_fact(g->peer ? ND_PEER : ND_SERVICE, fact), text,
			    in);
}

void nd_sock_extremes_put(struct nd_facts *f, const struct nd_sock_group *g,
			  const struct nd_input *in)
{
	enum nd_kind kind = g->peer ? ND_PEER : ND_SERVICE;

	for (unsigned i = 0; i < ND_SOCK_EXTREMES; i++) {
		if (!isnan(g->extreme[i]))
			nd_put_num(f, g->id, nd_group_fact(kind, extremes[i].fact), g->extreme[i],
				   in);
	}
	put_text(f, g, ND_G_RECV_Q_OF, g->recv_of, in);
	put_text(f, g, ND_G_SEND_Q_OF, g->send_of, in);
	put_text(f, g, ND_G_CONGESTION, g->congestion, in);
}
