/* Text of tcpdump, as pasted: one line for each packet, or two with -v.
 *
 * What the times mean depends on how often -t was given, and only the lines together tell: clock times grow, differences
 * do not. So the first packets wait until that is decided. */
#include "collectors/collector.h"
#include "collectors/tcpdump_line.h"

#include <errno.h>
#include <math.h>

#define WAITING_MAX 128u
#define DAY_NS (86400 * ND_NSEC_PER_SEC)
#define STEP_NS (5000000ull) /* between packets without a time */

static const struct nd_read reads[] = {
	{"tcpdump", ND_READ_ONCE,
	 "* > *: Flags [[][FSRPUEWn.]*[]], *[ackseq]* [0-9]*\n\n* > *: [FSRP.]* [0-9]*:[0-9]*([0-9]*)* win [0-9]*\n\n"
	 "*IP* > *: ICMP * unreachable*\n\n* > *: *VXLAN, flags*\n\n*IP* > *: *UDP, *length [0-9]*\n\n"
	 "* > *: *[[]bad udp cksum *\n\n*listening on *, link-type *"},
	{NULL, 0, NULL},
};

enum time_kind { T_NONE, T_CLOCK, T_EPOCH, T_MICROS };
struct waiting {
	struct nd_packet p;
	uint64_t raw_ns;
};
struct reader {
	struct nd_flows *w;
	struct nd_tcpdump_head head; /* of a packet whose second line comes */
	uint64_t head_ns;
	enum time_kind kind; /* of the first time that was met */
	bool decided, deltas, timed;
	struct waiting *waiting;
	uint32_t n_waiting;
	uint64_t packets, sum_ns, day_ns, before_ns;
};

/* ---- times ---- */

/* ".123456" as ns. */
static const char *read_fraction(const char *s, uint64_t *ns)
{
	uint64_t unit = ND_NSEC_PER_SEC / 10;

	*ns = 0;
	if (*s != '.' || s[1] < '0' || s[1] > '9')
		return s;
	for (s++; *s >= '0' && *s <= '9'; s++, unit /= 10)
		*ns += (uint64_t)(*s - '0') * unit;
	return s;
}

/* Days since 1970 of a date; months as in the Gregorian calendar. */
static uint64_t days_of(uint64_t y, uint64_t m, uint64_t d)
{
	uint64_t shifted = m > 2 ? y : y - 1, month = m > 2 ? m - 3 : m + 9;

	return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + (153 * month + 2) / 5 +
	       d - 719469;
}

/* "2019-12-13 " at s: ns since 1970, and what is behind it. */
static const char *read_date(const char *s, uint64_t *ns)
{
	uint64_t y, m, d;
	const char *p = nd_tcpdump_number(s, 9999, &y);

	*ns = 0;
	if (!p || p != s + 4 || (*p != '-' && *p != '/') || y < 1970)
		return s;
	p = nd_tcpdump_number(p + 1, 12, &m);
	if (!p || (*p != '-' && *p != '/') || m < 1)
		return s;
	p = nd_tcpdump_number(p + 1, 31, &d);
	if (!p || (*p != ' ' && *p != 'T') || d < 1)
		return s;
	*ns = days_of(y, m, d) * DAY_NS;
	return p + 1;
}

/* The time at the line's beginning; what is behind it. T_NONE: there is none. */
static const char *read_time(const char *s, enum time_kind *kind, uint64_t *ns)
{
	uint64_t date, h, m, sec, fraction;
	const char *p = read_date(s, &date), *from = p;

	*kind = T_NONE;
	p = nd_tcpdump_number(p, 100000000000ull, &h);
	if (!p)
		return s;
	if (*p == ':' && h < 10000) {
		p = nd_tcpdump_number(p + 1, 59, &m);
		p = p && *p == ':' ? nd_tcpdump_number(p + 1, 60, &sec) : NULL;
		if (!p)
			return s;
		*kind = T_CLOCK;
		sec += h * 3600 + m * 60;
	} else {
		*kind = *p == '.' ? T_EPOCH : T_MICROS;
		sec = h;
		if (*kind == T_MICROS && (p - from < 6 || *p != ' '))
			*kind = T_NONE;
	}
	p = read_fraction(p, &fraction);
	if (*p && *p != ' ')
		*kind = T_NONE;
	if (*kind == T_NONE)
		return s;
	*ns = *kind == T_MICROS ? sec * 1000 : date + sec * ND_NSEC_PER_SEC + fraction;
	return p + strspn(p, " ");
}

/* ---- packets ---- */

static void emit(struct reader *r, struct nd_packet *p, uint64_t raw_ns)
{
	if (!r->timed) {
		r->sum_ns += STEP_NS;
		p->t_ns = r->sum_ns;
	} else if (r->deltas) {
		r->sum_ns += raw_ns;
		p->t_ns = r->sum_ns;
	} else {
		if (raw_ns + DAY_NS / 2 < r->before_ns)
			r->day_ns += DAY_NS;
		r->before_ns = raw_ns;
		p->t_ns = r->day_ns + raw_ns;
	}
	nd_flows_packet(r->w, p);
}

/* How far the senders' own clocks, in ms as Linux counts them, went between the first and the last packet of one of
 * them; negative: not told. */
static double own_clock(const struct reader *r, double *sum, double *last)
{
	const struct waiting *a = r->waiting, *b;

	*sum = 0;
	for (uint32_t i = 1; i < r->n_waiting; i++)
		*sum += (double)r->waiting[i].raw_ns / 1e9;
	b = &r->waiting[r->n_waiting - 1];
	*last = (double)(b->raw_ns - a->raw_ns) / 1e9;
	if (!a->p.has_ts || !b->p.has_ts || memcmp(&a->p.src, &b->p.src, sizeof(a->p.src)) != 0)
		return -1;
	return (double)(b->p.tsval - a->p.tsval) / 1e3;
}

/* Times near midnight that go back are differences to the packet before. */
static void decide(struct reader *r)
{
	uint32_t back = 0, early = 0;
	double clock, sum, last;

	r->decided = true;
	for (uint32_t i = 0; i < r->n_waiting; i++) {
		early += r->waiting[i].raw_ns < 3600 * ND_NSEC_PER_SEC;
		back += i && r->waiting[i].raw_ns + 1000 < r->waiting[i - 1].raw_ns;
	}
	if (r->kind == T_MICROS) {
		r->deltas = true;
	} else if (early == r->n_waiting && r->n_waiting > 1) {
		clock = own_clock(r, &sum, &last);
		r->deltas = back * 8 > r->n_waiting ||
			    (!back && clock >= 0 && fabs(clock - sum) < fabs(clock - last));
	}
	for (uint32_t i = 0; i < r->n_waiting; i++)
		emit(r, &r->waiting[i].p, r->waiting[i].raw_ns);
}

static void take(struct reader *r, struct nd_packet *p, uint64_t raw_ns)
{
	r->packets++;
	if (r->decided) {
		emit(r, p, raw_ns);
		return;
	}
	r->waiting[r->n_waiting++] = (struct waiting){*p, raw_ns};
	if (r->n_waiting == WAITING_MAX)
		decide(r);
}

/* ---- lines ---- */

/* "IP (tos 0x0, ttl 64, …, proto TCP (6), length 52)", "IP6 (flowlabel …, payload length: 40)", behind link-level
 * addresses too: what it says of the packet whose second line comes. */
static bool read_head(const char *s, struct nd_tcpdump_head *h)
{
	const char *four = strstr(s, "(tos "), *six = strstr(s, "payload length: "), *at;
	uint64_t v;

	if (four) {
		at = strstr(four, ", length ");
		if (at && nd_tcpdump_number(at + 9, 1u << 20, &v) && v > 20)
			h->l4_len = (uint32_t)v - 20;
	} else if (six && strstr(s, "hlim ")) {
		if (nd_tcpdump_number(six + 16, 1u << 20, &v))
			h->l4_len = (uint32_t)v;
	} else {
		return false;
	}
	h->proto = strstr(s, "proto TCP") || strstr(s, "header TCP")   ? 6
		   : strstr(s, "proto UDP") || strstr(s, "header UDP") ? 17
								       : 0;
	h->given = true;
	return true;
}

/* The direction and the place of "IP" behind the time: "eth0  Out IP", "aa:bb:… > …, ethertype IPv4 (0x0800), length 74: ". */
static const char *read_prefix(const char *s, enum nd_packet_dir *dir)
{
	static const char *const ip[] = {"IP6 ", "IP ", NULL};
	const char *best = NULL;

	for (unsigned i = 0; ip[i] && !best; i++) {
		const char *at = strstr(s, ip[i]);

		if (at && (at == s || at[-1] == ' ') && at - s < 200)
			best = at;
	}
	if (best) {
		const char *in = strstr(s, "In "), *out = strstr(s, "Out ");

		if (in && in < best)
			*dir = ND_DIR_IN;
		else if (out && out < best)
			*dir = ND_DIR_OUT;
	}
	return best;
}

/* The packet behind the head where somebody has joined the two lines; NULL: it is not there. */
static const char *behind_head(const char *s)
{
	const char *pair = strstr(s, ") ");

	while (pair && !(pair[2] && strstr(pair + 2, ": ") && strstr(pair, " > ") &&
			 strcspn(pair + 2, " ,") < strcspn(pair + 2, ",")))
		pair = strstr(pair + 2, ") ");
	return pair ? pair + 2 : NULL;
}

static void read_line(struct reader *r, char *line)
{
	enum nd_packet_dir dir = r->head.dir;
	struct nd_packet p = {.t_ns = 0};
	enum time_kind kind;
	uint64_t ns = r->head_ns;
	const char *body, *ip;
	bool had_head = r->head.given;

	line += strspn(line, " \t");
	body = read_time(line, &kind, &ns);
	if (kind != T_NONE) {
		r->head = (struct nd_tcpdump_head){false, 0, 0, ND_DIR_UNKNOWN};
		r->timed = true;
		r->kind = r->kind == T_NONE ? kind : r->kind;
		had_head = false;
		dir = ND_DIR_UNKNOWN;
	}
	ip = read_prefix(body, &dir);
	if (kind == T_NONE && !had_head && ip != body)
		return;
	if ((ip || kind != T_NONE) && read_head(body, &r->head)) {
		r->head.dir = dir;
		r->head_ns = ns;
		body = behind_head(body);
		if (!body) /* it is on the next line */
			return;
		ip = NULL;
	}
	r->head.dir = dir;
	if (nd_tcpdump_packet(r->w, line + ((ip ? ip : body) - line), &r->head, &p))
		take(r, &p, ns);
	else if (kind != T_NONE)
		nd_flows_skipped(r->w);
	r->head_ns = ns; /* what a tunnel carries follows without a time */
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	struct reader r = {.w = nd_flows_new()};
	char *line;
	int rc = 0;

	r.waiting = nd_alloc(WAITING_MAX * sizeof(*r.waiting));
	while ((line = nd_stream_line(s)))
		read_line(&r, line);
	if (!r.decided && r.n_waiting)
		decide(&r);
	if (nd_stream_error(s))
		rc = nd_fail(e, nd_stream_error(s), "%s: %s", in->path,
			     strerror(-nd_stream_error(s)));
	else if (!r.packets)
		rc = nd_parse_fail(in, s, e, "lines of tcpdump such as 'IP A > B: Flags [S]…'",
				   "none");
	else
		nd_flows_put(r.w, f, in, NULL, r.timed);
	nd_flows_free(r.w);
	free(r.waiting);
	return rc;
}

const struct nd_collector nd_collector_tcpdump = {
	.name = "tcpdump",
	.doc = "connections from the lines that tcpdump prints",
	.reads = reads,
	.facts = nd_flow_facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
};
