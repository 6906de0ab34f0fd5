/* What one TCP segment tells beside those before it: handshakes, answers, segments sent again, windows, holds.
 *
 * A capture is seen from one point of the path, often not an end, and may begin in the middle. So a copy of bytes that
 * passed before is a loss behind that point, bytes that arrive late into a hole are a loss before it, and a hole that is
 * acknowledged without either was lost by the capture itself. Times are compared with the smallest round trip that the
 * connection itself showed, never with a fixed one alone. */
#include "collectors/flow_impl.h"

#define COPY_NS (1 * ND_MSEC) /* the same packet met on two interfaces */
#define REORDER_NS                                                                                 \
	(3 * ND_MSEC) /* a packet overtaken is not that late; half a round trip if that is more */
#define TIMEOUT_NS                                                                                 \
	(150 * ND_MSEC) /* below TCP_RTO_MIN, 200 ms, with room for a clock tick and rtt 0 */
#define ACK_LATE_NS (20 * ND_MSEC) /* half of TCP_DELACK_MIN */
#define DELACK_MIN_NS (39 * ND_MSEC) /* TCP_DELACK_MIN, HZ/25, less what the way takes */
#define DELACK_MAX_NS (212 * ND_MSEC) /* TCP_DELACK_MAX, HZ/5, and a tick where HZ is 100 */
#define AT_ONCE_NS (3 * ND_MSEC) /* what follows an ACK that soon was waiting for it */
#define IDLE_NS (60 * 1000 * ND_MSEC)
#define STORM 50u

struct segment {
	struct nd_flows *w;
	struct nd_flow *x;
	struct nd_flow_group *g;
	struct nd_half *h, *o; /* who sends it, the other one */
	const struct nd_packet *p;
	unsigned from;
	uint32_t seq, end, ack;
	uint64_t t;
};

static void add(const struct segment *s, enum nd_flow_count which)
{
	s->g->count[which]++;
}

static void blame(const struct segment *s, enum nd_flow_who what)
{
	s->g->who[what][s->from == s->x->server]++;
}

static int32_t ahead(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b);
}

static uint32_t distance(uint32_t a, uint32_t b)
{
	int32_t d = ahead(a, b);

	return d < 0 ? -(uint32_t)d : (uint32_t)d;
}

/* tcpdump prints the first numbers of a connection as they are and counts the later ones from these. */
static uint32_t unwrap(const struct nd_half *h, uint32_t v, uint32_t expected)
{
	return distance(v + h->base, expected) < distance(v, expected) ? v + h->base : v;
}

static void frame(struct segment *s)
{
	const struct nd_packet *p = s->p;
	struct nd_half *h = s->h, *o = s->o;

	s->seq = p->seq;
	s->ack = p->ack;
	if (p->has_seq && p->printed && (h->has_seq || h->has_acked))
		s->seq = unwrap(h, p->seq, h->has_seq ? h->next : h->acked);
	if (p->has_ack && p->printed && (o->has_seq || o->has_acked))
		s->ack = unwrap(o, p->ack, o->has_seq ? o->next : o->acked);
	if (p->has_seq && !h->has_seq) {
		h->base = h->has_acked ? h->base : s->seq;
		h->next = s->seq + ((p->flags & ND_TH_SYN) != 0);
		h->has_seq = true;
	}
	if (p->has_ack && !o->has_seq && !o->has_acked)
		o->base = s->ack - 1;
	s->end = s->seq + p->len;
}

/* ---- the handshake ---- */

/* One more SYN or SYN-ACK of this side, and what it says of it. False: the capture has the same one twice. */
static bool count_syn(struct segment *s)
{
	if (s->h->syns && s->t - s->h->last_ns < COPY_NS) {
		add(s, ND_FC_COPIES);
		return false;
	}
	if (s->h->syns < UINT8_MAX)
		s->h->syns++;
	s->h->syn = true;
	s->h->mss = s->p->mss;
	s->h->wscale = s->p->wscale;
	return true;
}

static void on_syn(struct segment *s)
{
	struct nd_flow *x = s->x;

	if (!count_syn(s))
		return;
	if (s->h->syns > 1) {
		add(s, ND_FC_SYN_RETRANS);
		return;
	}
	add(s, ND_FC_CONNECTS);
	x->syn_ns = s->t;
	x->ecn = s->p->flags & ND_TH_ECE;
}

static void on_synack(struct segment *s)
{
	struct nd_flow *x = s->x;

	if (!count_syn(s))
		return;
	if (s->h->syns > 1) {
		add(s, ND_FC_SYNACK_RETRANS);
		if (x->established && s->o->data_ns && !x->ignored_accept) {
			x->ignored_accept = true;
			add(s, ND_FC_ACCEPT_IGNORED);
		}
		return;
	}
	x->synack_ns = s->t;
	if (x->ecn && (s->p->flags & ND_TH_ECE))
		add(s, ND_FC_ECN);
	if (s->o->syns && (s->o->wscale < 0) != (s->h->wscale < 0))
		add(s, ND_FC_WSCALE_LOST);
	if (s->o->syns == 1) {
		nd_flow_sample(s->g, ND_FH_SYNACK, s->t - x->syn_ns);
		s->o->rtt_ns = s->t - x->syn_ns;
	}
}

static void on_established(struct segment *s)
{
	struct nd_flow *x = s->x;
	uint64_t there, back = s->t - x->synack_ns;

	x->established = true;
	add(s, ND_FC_HANDSHAKES);
	if (s->o->syns == 1) {
		nd_flow_sample(s->g, ND_FH_FINAL_ACK, back);
		s->o->rtt_ns = back;
	}
	if (!x->syn_ns)
		return;
	nd_flow_sample(s->g, ND_FH_HANDSHAKE, s->t - x->syn_ns);
	there = x->synack_ns - x->syn_ns;
	s->g->near[0] += there > 4 * back && s->h->syns == 1;
	s->g->near[1] += back > 4 * there && s->o->syns == 1;
}

static void on_reset(struct segment *s)
{
	struct nd_flow *x = s->x;

	if (x->reset)
		return;
	x->reset = true;
	if (s->o->syns && !s->h->syns && s->o->packets == s->o->syns) {
		add(s, ND_FC_SYN_REFUSED);
		if (x->reused)
			add(s, ND_FC_SYN_REUSED);
	} else if (!s->h->fin && !s->o->fin) {
		add(s, ND_FC_RESETS);
		blame(s, ND_FW_RESET);
		if (s->o->idle_before && s->o->silent_ns)
			add(s, ND_FC_IDLE_RESETS);
	}
}

/* ---- acknowledgements ---- */

static void on_round_trip(struct segment *s)
{
	struct nd_half *o = s->o;

	if (!o->timing || ahead(s->ack, o->timed_end) < 0)
		return;
	o->timing = false;
	if (!o->rtt_ns || s->t - o->timed_ns < o->rtt_ns)
		o->rtt_ns = s->t - o->timed_ns;
}

static void on_progress(struct segment *s)
{
	struct nd_half *h = s->h, *o = s->o;
	uint64_t waited = o->data_ns ? s->t - o->data_ns : 0;

	o->acked = s->ack;
	o->has_acked = true;
	o->sacked = o->idle_before = false;
	o->silent_ns = 0;
	h->run = h->storm = o->storm = 0;
	if (o->tries && ahead(s->ack, o->again_seq) > 0)
		o->tries = 0;
	if (ahead(s->ack, o->biggest_end) >= 0)
		o->biggest_acked = o->biggest;
	if (o->hole != o->hole_end && ahead(s->ack, o->hole_end) >= 0)
		o->hole = o->hole_end; /* it was the capture that missed it */
	on_round_trip(s);
	s->g->count[ND_FC_BAD_ANSWERED] += o->bad_open;
	o->bad_open = 0;
	h->ack_ns = 0;
	if (!s->p->len && o->has_seq && s->ack == o->next && waited >= ACK_LATE_NS) {
		h->ack_ns = s->t;
		h->ack_wait_ns = waited;
	}
}

static void on_duplicate_ack(struct segment *s)
{
	struct nd_half *h = s->h, *o = s->o;

	if (s->p->len || s->p->win != h->win || (s->p->flags & (ND_TH_FIN | ND_TH_SYN)))
		return;
	if (o->has_seq && ahead(o->next, s->ack) > 0) {
		add(s, ND_FC_DUP_ACKS);
		if (!h->run++)
			h->run_ns = s->t;
	} else if (s->t - h->last_ns < 10 * ND_MSEC && ++h->storm == STORM) {
		add(s, ND_FC_ACK_STORM);
	}
}

static void on_ack(struct segment *s)
{
	const struct nd_packet *p = s->p;
	bool new_ack = !s->o->has_acked || ahead(s->ack, s->o->acked) > 0;

	if (p->sack && ahead(p->sack_right, p->ack) <= 0)
		add(s, ND_FC_DSACKS);
	if (new_ack)
		on_progress(s);
	else if (s->ack == s->o->acked)
		on_duplicate_ack(s);
	if (p->sack && ahead(p->sack_right, p->ack) > 0)
		s->o->sacked = true;
}

static void on_window(struct segment *s)
{
	struct nd_half *h = s->h;
	uint64_t shut;

	if (s->p->win == 0 && !h->zero_ns) {
		add(s, ND_FC_ZERO_WINDOWS);
		blame(s, ND_FW_ZERO_WINDOW);
		h->zero_ns = s->t;
	} else if (s->p->win > 0 && h->zero_ns) {
		shut = s->t - h->zero_ns;
		s->g->zero_ns += shut;
		s->g->zero_max_ns = shut > s->g->zero_max_ns ? shut : s->g->zero_max_ns;
		h->zero_ns = 0;
	}
	h->win = s->p->win;
}

/* ---- data ---- */

/* The payload of a full segment; 1448, that of Ethernet with timestamps, where no handshake told. */
static uint32_t full_size(const struct segment *s)
{
	uint32_t options = s->p->has_ts ? 12 : 0, mss = s->o->mss;

	return mss > 100 ? mss - options : 1448;
}

/* New data at once behind an ACK that was late: the ACK was waited for. Nagle's algorithm holds less than a segment, while
 * the end of what was sent before was less than one, too; a captured packet may hold several. */
static void on_hold(struct segment *s)
{
	struct nd_half *h = s->h, *o = s->o;
	uint64_t at_once = AT_ONCE_NS, ack_ns = o->ack_ns;
	uint32_t full = full_size(s);

	o->ack_ns = 0;
	if (o->rtt_ns && o->rtt_ns < ACK_LATE_NS && o->rtt_ns * 3 / 2 > at_once)
		at_once = o->rtt_ns * 3 / 2;
	if (!ack_ns || s->t - ack_ns > at_once || s->p->len >= full || h->last_len % full == 0)
		return;
	add(s, ND_FC_HOLDS);
	if (o->ack_wait_ns >= DELACK_MIN_NS && o->ack_wait_ns <= DELACK_MAX_NS)
		add(s, ND_FC_TIMER_HOLDS);
	blame(s, ND_FW_HOLD);
	nd_flow_sample(s->g, ND_FH_HOLD, o->ack_wait_ns);
}

static void on_turn(struct segment *s)
{
	struct nd_flow *x = s->x;
	uint64_t wait;

	if (s->from != x->server) {
		x->request_pending = true;
		return;
	}
	if (!x->request_pending || !s->o->data_ns)
		return;
	x->request_pending = false;
	add(s, ND_FC_EXCHANGES);
	wait = s->t - s->o->data_ns;
	nd_flow_sample(s->g, ND_FH_THINK, wait > s->o->rtt_ns ? wait - s->o->rtt_ns : 0);
}

static void on_ignored(struct segment *s)
{
	const uint32_t headers = s->x->addr[0].family == 6 ? 60 : 40;

	for (uint32_t i = 0; i < s->w->n_pairs; i++) {
		const struct nd_pair *q = &s->w->pair[i];

		if (q->mtu && s->p->len + headers > q->mtu &&
		    memcmp(&q->from, &s->x->addr[s->from], sizeof(q->from)) == 0 &&
		    memcmp(&q->to, &s->x->addr[!s->from], sizeof(q->to)) == 0)
			add(s, ND_FC_NEED_FRAG_IGNORED);
	}
}

static void on_new(struct segment *s)
{
	struct nd_half *h = s->h, *o = s->o;
	uint64_t before = h->last_ns > o->last_ns ? h->last_ns : o->last_ns;

	if (before && s->t - before >= IDLE_NS) {
		h->idle_before = true;
		s->g->idle_ns = s->t - before;
	}
	h->segments++;
	on_hold(s);
	on_turn(s);
	if (ahead(s->seq, h->next) > 0) {
		h->hole = h->next;
		h->hole_end = s->seq;
		h->hole_ns = s->t;
	}
	if (!h->timing) {
		h->timing = true;
		h->timed_end = s->end;
		h->timed_ns = s->t;
	}
	if (s->p->len >= h->biggest) {
		h->biggest = s->p->len;
		h->biggest_end = s->end;
	}
	h->next = s->end;
	h->last_seq = s->seq;
	h->last_len = s->p->len;
	h->last_tsval = s->p->tsval;
}

static bool is_copy(const struct segment *s)
{
	const struct nd_half *h = s->h;

	return s->seq == h->last_seq && s->p->len == h->last_len && s->t - h->data_ns < COPY_NS &&
	       (!s->p->has_ts || s->p->tsval == h->last_tsval) && s->o->run == 0;
}

static void count_again(struct segment *s)
{
	struct nd_half *h = s->h, *o = s->o;
	uint64_t gap = s->t - h->data_ns;
	bool asked = o->run >= 3 || (o->run && h->sacked);

	add(s, ND_FC_RETRANS);
	blame(s, ND_FW_RETRANS);
	h->timing = false; /* Karn: whose ACK it is cannot be told */
	if (h->tries && h->again_seq == s->seq) {
		h->tries++;
	} else {
		h->tries = 1;
		h->again_seq = s->seq;
	}
	h->again_len = s->p->len;
	if (asked && (gap < TIMEOUT_NS || s->t - o->last_ns < 5 * ND_MSEC)) {
		add(s, ND_FC_RETRANS_FAST);
	} else if (gap >= TIMEOUT_NS) {
		add(s, ND_FC_RETRANS_RTO);
		nd_flow_sample(s->g, ND_FH_RTO, gap);
	} else if (s->end == h->next) {
		add(s, ND_FC_RETRANS_TLP);
	}
}

static void on_late(struct segment *s)
{
	struct nd_half *h = s->h;
	uint64_t limit = h->rtt_ns / 2 > REORDER_NS ? h->rtt_ns / 2 : REORDER_NS;

	if (s->seq == h->hole)
		h->hole = ahead(s->end, h->hole_end) >= 0 ? h->hole_end : s->end;
	if (s->t - h->hole_ns < limit) {
		add(s, ND_FC_REORDERED);
		return;
	}
	add(s, ND_FC_LOST_BEFORE);
	count_again(s);
}

static void on_old(struct segment *s)
{
	struct nd_half *h = s->h, *o = s->o;

	if (o->zero_ns)
		add(s, ND_FC_WINDOW_PROBES);
	else if (s->p->len == 1 && h->has_acked && h->acked == h->next)
		return; /* keep-alive */
	else if (is_copy(s))
		add(s, ND_FC_COPIES);
	else if (h->hole != h->hole_end && ahead(s->seq, h->hole) >= 0 &&
		 ahead(s->end, h->hole_end) <= 0)
		on_late(s);
	else
		count_again(s);
}

static void on_data(struct segment *s)
{
	struct nd_half *h = s->h;

	add(s, ND_FC_DATA_SEGMENTS);
	if (s->w->n_pairs)
		on_ignored(s);
	if (!h->silent_ns)
		h->silent_ns = s->t ? s->t : 1;
	if (ahead(s->end, h->next) > 0)
		on_new(s);
	else
		on_old(s);
	h->data_ns = s->t ? s->t : 1;
}

/* ---- all ---- */

static void on_any(struct segment *s)
{
	const struct nd_packet *p = s->p;
	bool server = s->from == s->x->server;
	bool wrong = p->csum == ND_CSUM_BAD || p->csum == ND_CSUM_PARTIAL;

	add(s, ND_FC_PACKETS);
	s->g->count[ND_FC_BAD_CSUM] += wrong;
	s->g->count[ND_FC_PARTIAL_CSUM] += p->csum == ND_CSUM_PARTIAL;
	s->h->bad_open += wrong;
	if (p->dir != ND_DIR_UNKNOWN)
		s->g->near[server == (p->dir == ND_DIR_OUT)] += 1000;
	else if (p->csum == ND_CSUM_PARTIAL)
		s->g->near[server] += 10;
	if (p->tunnel)
		s->g->tunnel = p->tunnel;
}

void nd_flow_segment(struct nd_flows *w, struct nd_flow *x, unsigned from,
		     const struct nd_packet *p)
{
	struct segment s = {.w = w,
			    .x = x,
			    .g = &w->group[x->group],
			    .h = &x->half[from],
			    .o = &x->half[!from],
			    .p = p,
			    .from = from,
			    .t = p->t_ns};
	bool syn = p->flags & ND_TH_SYN, acks = p->flags & ND_TH_ACK;

	on_any(&s);
	frame(&s);
	if (s.t < s.h->last_ns) /* captures of several CPUs are not quite in order */
		s.t = s.h->last_ns;
	if (s.t < s.o->last_ns)
		s.t = s.o->last_ns;
	if (p->flags & ND_TH_RST) {
		on_reset(&s);
	} else if (syn) {
		if (acks)
			on_synack(&s);
		else
			on_syn(&s);
	} else {
		if (!x->established && from != x->server && acks && s.o->syns)
			on_established(&s);
		if (p->has_win)
			on_window(&s);
		if (p->has_ack)
			on_ack(&s);
		if (p->len && p->has_seq)
			on_data(&s);
		s.h->fin |= (p->flags & ND_TH_FIN) != 0;
		x->closed = s.h->fin && s.o->fin;
	}
	s.h->packets++;
	s.h->last_ns = x->last_ns = s.t;
}
