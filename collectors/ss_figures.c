/* The figures that ss prints about a socket with -i, -m, -e and -o, in the spellings of its releases.
 *
 * Each is a word KEY:VALUE, some two words; what is zero is mostly left out. Some traps of the text:
 *   timer:(on,1.980ms,3)   1.98 s: a dot stands between seconds and milliseconds; 980ms alone is 0.98 s
 *   retrans:1/2834         not yet acknowledged / in all
 *   rwnd_limited:146880ms(95.7%)   busy may be missing beside it */
#include "collectors/ss_figures.h"

#include <math.h>

/* A figure "KEY:NUMBER", maybe followed by a unit, or by a second figure behind a slash. */
struct figure {
	const char *key;
	enum nd_sock_value value, second; /* ND_SOCK_VALUES: not kept */
	double scale;
};
#define ONE ND_SOCK_VALUES
static const struct figure figures[] = {
	{"mss:", ND_SV_MSS, ONE, 1},
	{"rcvmss:", ND_SV_RCV_MSS, ONE, 1},
	{"advmss:", ND_SV_ADVMSS, ONE, 1},
	{"pmtu:", ND_SV_PMTU, ONE, 1},
	{"rto:", ND_SV_RTO, ONE, 1e-3},
	{"rtt:", ND_SV_RTT, ND_SV_RTTVAR, 1e-3},
	{"minrtt:", ND_SV_MIN_RTT, ONE, 1e-3},
	{"ato:", ND_SV_ATO, ONE, 1e-3},
	{"backoff:", ND_SV_BACKOFF, ONE, 1},
	{"cwnd:", ND_SV_CWND, ONE, 1},
	{"ssthresh:", ND_SV_SSTHRESH, ONE, 1},
	{"unacked:", ND_SV_UNACKED, ONE, 1},
	{"retrans:", ND_SV_RESENT, ND_SV_SEGS_RETRANS, 1},
	{"lost:", ND_SV_LOST, ONE, 1},
	{"sacked:", ND_SV_SACKED, ONE, 1},
	{"reordering:", ND_SV_REORDERING, ONE, 1},
	{"reord_seen:", ND_SV_REORD_SEEN, ONE, 1},
	{"dsack_dups:", ND_SV_DSACK_DUPS, ONE, 1},
	{"rcv_ooopack:", ND_SV_RCV_OOO, ONE, 1},
	{"notsent:", ND_SV_NOTSENT, ONE, 1},
	{"lastsnd:", ND_SV_LAST_SEND, ONE, 1e-3},
	{"lastrcv:", ND_SV_LAST_RECV, ONE, 1e-3},
	{"lastack:", ND_SV_LAST_ACK, ONE, 1e-3},
	{"rcv_rtt:", ND_SV_RCV_RTT, ONE, 1e-3},
	{"rcv_space:", ND_SV_RCV_SPACE, ONE, 1},
	{"rcv_ssthresh:", ND_SV_RCV_SSTHRESH, ONE, 1},
	{"rcv_wnd:", ND_SV_RCV_WND, ONE, 1},
	{"snd_wnd:", ND_SV_SND_WND, ONE, 1},
	{"segs_in:", ND_SV_SEGS_IN, ONE, 1},
	{"segs_out:", ND_SV_SEGS_OUT, ONE, 1},
	{"data_segs_in:", ND_SV_DATA_IN, ONE, 1},
	{"data_segs_out:", ND_SV_DATA_OUT, ONE, 1},
	{"delivered:", ND_SV_DELIVERED, ONE, 1},
	{"delivered_ce:", ND_SV_DELIVERED_CE, ONE, 1},
	{"busy:", ND_SV_BUSY, ONE, 1e-3},
	{"rwnd_limited:", ND_SV_RWND_LIMITED, ONE, 1e-3},
	{"sndbuf_limited:", ND_SV_SNDBUF_LIMITED, ONE, 1e-3},
	{"bytes_sent:", ND_SV_BYTES_SENT, ONE, 1},
	{"bytes_retrans:", ND_SV_BYTES_RETRANS, ONE, 1},
	{"bytes_acked:", ND_SV_BYTES_ACKED, ONE, 1},
	{"bytes_received:", ND_SV_BYTES_RECEIVED, ONE, 1},
};

/* What a line with tcp_info leaves out when it is zero. */
static const enum nd_sock_value omitted[] = {
	ND_SV_UNACKED,	ND_SV_NOTSENT,	      ND_SV_LAST_SEND,	  ND_SV_LAST_RECV,
	ND_SV_LAST_ACK, ND_SV_DATA_IN,	      ND_SV_DATA_OUT,	  ND_SV_RWND_LIMITED,
	ND_SV_RESENT,	ND_SV_SNDBUF_LIMITED, ND_SV_SEGS_RETRANS, ND_SV_LOST,
	ND_SV_SACKED,	ND_SV_BACKOFF,
};
/* What is left out when it is zero by those who print another figure, which came with it or after it. */
static const struct {
	enum nd_sock_value value, with;
} since[] = {
	{ND_SV_BYTES_RETRANS, ND_SV_BYTES_SENT},  {ND_SV_DSACK_DUPS, ND_SV_BYTES_SENT},
	{ND_SV_REORD_SEEN, ND_SV_BYTES_SENT},	  {ND_SV_BYTES_ACKED, ND_SV_BYTES_SENT},
	{ND_SV_BYTES_RECEIVED, ND_SV_BYTES_SENT}, {ND_SV_RCV_OOO, ND_SV_SND_WND},
	{ND_SV_APP_LIMITED, ND_SV_DELIVERY_RATE},
};

/* The number that s starts with; false when there is none. end: what follows it. */
static bool leading_number(const char *s, double *out, const char **end)
{
	char digits[32];
	size_t n = strspn(s, "0123456789.");

	if (n == 0 || n >= sizeof(digits))
		return false;
	memcpy(digits, s, n);
	digits[n] = '\0';
	if (end)
		*end = s + n;
	return nd_parse_f64(digits, out);
}

/* busy is left out too when a limited time and its share are all that is there: 146880ms(95.7%). */
static void share_to_busy(struct nd_sock *s, const char *word)
{
	const char *open = strchr(word, '(');
	double percent, limited;

	if (isnan(s->v[ND_SV_BUSY]) && open && leading_number(open + 1, &percent, NULL) &&
	    percent > 0 && leading_number(strchr(word, ':') + 1, &limited, NULL))
		s->v[ND_SV_BUSY] = limited * 1e-3 / (percent / 100);
}

/* "skmem:(r0,rb2420208,t0,tb332800,f3032,w332840,o0,bl0,d0)", in older releases "mem:(r0,w0,f0,t0)". */
static void parse_memory(struct nd_sock *s, const char *at)
{
	static const struct {
		const char *key;
		enum nd_sock_value value;
	} keys[] = {
		{"r", ND_SV_RMEM}, {"rb", ND_SV_RCVBUF},  {"tb", ND_SV_SNDBUF},
		{"w", ND_SV_WMEM}, {"bl", ND_SV_BACKLOG}, {"d", ND_SV_DROPS},
	};

	for (; *at; at += strcspn(at, ","), at += *at == ',') {
		size_t n = strspn(at, "abcdefghijklmnopqrstuvwxyz");
		double v;

		for (unsigned i = 0; i < ND_ARRAY_LEN(keys); i++) {
			if (strlen(keys[i].key) == n && strncmp(at, keys[i].key, n) == 0 &&
			    leading_number(at + n, &v, NULL))
				s->v[keys[i].value] = v;
		}
	}
}

/* "1min13sec", "9.876ms" (seconds and milliseconds), "35sec", "045ms"; seconds, NaN when it is none. */
static double parse_span(const char *at)
{
	double sum = 0, v;
	const char *end;

	for (; *at && *at != ',' && *at != ')'; at = end) {
		if (!leading_number(at, &v, &end))
			return NAN;
		if (nd_starts(end, "min")) {
			sum += v * 60;
			end += 3;
		} else if (nd_starts(end, "sec")) {
			sum += v;
			end += 3;
		} else if (nd_starts(end, "ms")) {
			sum += memchr(at, '.', (size_t)(end - at)) ? v : v * 1e-3;
			end += 2;
		} else {
			return NAN;
		}
	}
	return sum;
}

/* "(on,200ms,0)", "(persist,1min13sec,0)", "(keepalive,119min,0)". */
static void parse_timer(struct nd_sock *s, const char *at)
{
	static const struct {
		const char *name;
		enum nd_sock_timer timer;
	} names[] = {
		{"on,", ND_ST_RETRANSMIT},
		{"keepalive,", ND_ST_KEEPALIVE},
		{"timewait,", ND_ST_TIMEWAIT},
		{"persist,", ND_ST_PERSIST},
	};

	for (unsigned i = 0; i < ND_ARRAY_LEN(names); i++) {
		const char *span = at + strlen(names[i].name), *count;
		double v;

		if (!nd_starts(at, names[i].name))
			continue;
		s->v[ND_SV_TIMER] = names[i].timer;
		s->v[ND_SV_TIMER_LEFT] = parse_span(span);
		count = strchr(span, ',');
		if (count && leading_number(count + 1, &v, NULL))
			s->v[ND_SV_RETRIES] = v;
	}
}

/* "174Mbps" and "6.64Gbps", in bytes per second. */
static bool parse_rate(const char *word, double *out)
{
	static const struct {
		const char *unit;
		double scale;
	} units[] = {
		{"bps", 1}, {"Kbps", 1e3}, {"Mbps", 1e6}, {"Gbps", 1e9}, {"Tbps", 1e12},
	};
	const char *end;
	double v;

	if (!leading_number(word, &v, &end))
		return false;
	for (unsigned i = 0; i < ND_ARRAY_LEN(units); i++) {
		size_t n = strlen(units[i].unit);

		if (strncmp(end, units[i].unit, n) == 0 && (!end[n] || end[n] == '/')) {
			*out = v * units[i].scale / 8;
			return true;
		}
	}
	return false;
}

/* Words without a number: flags, the congestion control, and the names of rates. */
static bool plain_word(struct nd_sock *s, const char *word, const char *next)
{
	static const char *const flags[] = {"ts", "sack", "ecn", "ecnseen", "fastopen", "send"};
	double rate;

	if (strcmp(word, "app_limited") == 0) {
		s->v[ND_SV_APP_LIMITED] = 1;
		return true;
	}
	if (strcmp(word, "pacing_rate") == 0 || strcmp(word, "delivery_rate") == 0) {
		if (parse_rate(next, &rate))
			s->v[*word == 'p' ? ND_SV_PACING_RATE : ND_SV_DELIVERY_RATE] = rate;
		return true;
	}
	for (unsigned i = 0; i < ND_ARRAY_LEN(flags); i++) {
		if (strcmp(word, flags[i]) == 0)
			return true;
	}
	/* the congestion control stands before the first figure of tcp_info */
	if (!s->info && !*s->congestion && *word >= 'a' && *word <= 'z' &&
	    strlen(word) < sizeof(s->congestion) && strchr(next, ':') && !strpbrk(word, ":(/.@")) {
		snprintf(s->congestion, sizeof(s->congestion), "%s", word);
		return true;
	}
	return false;
}

static bool number(struct nd_sock *s, const struct figure *g, const char *word)
{
	const char *end;
	double v;

	if (!leading_number(word + strlen(g->key), &v, &end))
		return false;
	s->v[g->value] = v * g->scale;
	if (g->second != ONE && *end == '/' && leading_number(end + 1, &v, NULL))
		s->v[g->second] = v * g->scale;
	s->info |= g->value == ND_SV_CWND || g->value == ND_SV_RTT;
	if (g->value == ND_SV_RWND_LIMITED || g->value == ND_SV_SNDBUF_LIMITED)
		share_to_busy(s, word);
	return true;
}

/* Words are many, and most keys begin with another letter. */
static bool is_key(const char *word, const char *key)
{
	return *word == *key && nd_starts(word, key);
}

bool nd_ss_figure(struct nd_sock *s, const char *word, const char *next)
{
	uint64_t inode;

	if (is_key(word, "skmem:(") || is_key(word, "mem:(")) {
		parse_memory(s, strchr(word, '(') + 1);
		return true;
	}
	if (is_key(word, "timer:(")) {
		parse_timer(s, word + 7);
		return true;
	}
	if (is_key(word, "ino:") && nd_parse_u64(word + 4, 10, &inode)) {
		s->inode = inode;
		return true;
	}
	for (unsigned i = 0; i < ND_ARRAY_LEN(figures); i++) {
		if (is_key(word, figures[i].key))
			return number(s, &figures[i], word);
	}
	return plain_word(s, word, next) || nd_starts(word, "users:((");
}

void nd_ss_complete(struct nd_sock *s)
{
	bool no_segments = isnan(s->v[ND_SV_DATA_IN]) && isnan(s->v[ND_SV_DATA_OUT]);

	if (!s->info)
		return;
	for (unsigned i = 0; i < ND_ARRAY_LEN(omitted); i++) {
		if (isnan(s->v[omitted[i]]))
			s->v[omitted[i]] = 0;
	}
	if (no_segments && s->v[ND_SV_BYTES_SENT] > 0) /* not zero: this ss does not print them */
		s->v[ND_SV_DATA_IN] = s->v[ND_SV_DATA_OUT] = NAN;
	for (unsigned i = 0; i < ND_ARRAY_LEN(since); i++) {
		if (isnan(s->v[since[i].value]) && !isnan(s->v[since[i].with]))
			s->v[since[i].value] = 0;
	}
}
