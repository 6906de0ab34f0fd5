/* inet_diag messages (uapi linux/inet_diag.h): struct inet_diag_msg, then attributes.
 *
 * tcp_info grows at its end with the kernel's age, and Debian's header knows less than new kernels send: a
 * row a field, read only when the attribute is long enough to hold it. */
#include "collectors/sock_diag.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/tcp.h>
#include <math.h>
#include <sys/socket.h>
#include <sys/utsname.h>

/* 6.6 appended behind snd_wnd: u32 rcv_wnd, u32 rehash, u16 total_rto, u16 total_rto_recoveries, u32 total_rto_time. */
#define RCV_WND (offsetof(struct tcp_info, tcpi_snd_wnd) + 4)
#define TOTAL_RTO_TIME (offsetof(struct tcp_info, tcpi_snd_wnd) + 16)
#define APP_LIMITED 7 /* the byte whose first bit is delivery_rate_app_limited */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define APP_LIMITED_BIT 0x80
#else
#define APP_LIMITED_BIT 0x01
#endif
#define NO_SSTHRESH 0x7fffffffu /* TCP_INFINITE_SSTHRESH: it has seen no loss yet */

#define STATE(s) (1u << (s))
/* Those with data or with a queue; TIME_WAIT and half-open ones would only cost. */
#define STATES                                                                                     \
	(STATE(ND_TCP_LISTEN) | STATE(ND_TCP_ESTABLISHED) | STATE(ND_TCP_FIN_WAIT1) |              \
	 STATE(ND_TCP_FIN_WAIT2) | STATE(ND_TCP_CLOSE_WAIT) | STATE(ND_TCP_LAST_ACK) |             \
	 STATE(ND_TCP_CLOSING))
#define STATES_REST (STATE(ND_TCP_SYN_SENT) | STATE(ND_TCP_SYN_RECV) | STATE(ND_TCP_TIME_WAIT))
#define EXT(a) (1u << ((a)-1))
#define FILTER_MAX ND_SOCK_FILTER_BYTES(128)

struct field {
	size_t offset, size;
	enum nd_sock_value value;
	double scale; /* to base units */
};
#define FIELD(name, value, scale)                                                                  \
	{                                                                                          \
		offsetof(struct tcp_info, name), sizeof(((struct tcp_info *)0)->name), value,      \
			scale                                                                      \
	}
static const struct field fields[] = {
	FIELD(tcpi_backoff, ND_SV_BACKOFF, 1),
	FIELD(tcpi_rto, ND_SV_RTO, 1e-6),
	FIELD(tcpi_ato, ND_SV_ATO, 1e-6),
	FIELD(tcpi_snd_mss, ND_SV_MSS, 1),
	FIELD(tcpi_rcv_mss, ND_SV_RCV_MSS, 1),
	FIELD(tcpi_unacked, ND_SV_UNACKED, 1),
	FIELD(tcpi_sacked, ND_SV_SACKED, 1),
	FIELD(tcpi_lost, ND_SV_LOST, 1),
	FIELD(tcpi_retrans, ND_SV_RESENT, 1),
	FIELD(tcpi_last_data_sent, ND_SV_LAST_SEND, 1e-3),
	FIELD(tcpi_last_data_recv, ND_SV_LAST_RECV, 1e-3),
	FIELD(tcpi_last_ack_recv, ND_SV_LAST_ACK, 1e-3),
	FIELD(tcpi_pmtu, ND_SV_PMTU, 1),
	FIELD(tcpi_rcv_ssthresh, ND_SV_RCV_SSTHRESH, 1),
	FIELD(tcpi_rtt, ND_SV_RTT, 1e-6),
	FIELD(tcpi_rttvar, ND_SV_RTTVAR, 1e-6),
	FIELD(tcpi_snd_ssthresh, ND_SV_SSTHRESH, 1),
	FIELD(tcpi_snd_cwnd, ND_SV_CWND, 1),
	FIELD(tcpi_advmss, ND_SV_ADVMSS, 1),
	FIELD(tcpi_reordering, ND_SV_REORDERING, 1),
	FIELD(tcpi_rcv_rtt, ND_SV_RCV_RTT, 1e-6),
	FIELD(tcpi_rcv_space, ND_SV_RCV_SPACE, 1),
	FIELD(tcpi_total_retrans, ND_SV_SEGS_RETRANS, 1),
	FIELD(tcpi_pacing_rate, ND_SV_PACING_RATE, 1),
	FIELD(tcpi_bytes_acked, ND_SV_BYTES_ACKED, 1),
	FIELD(tcpi_bytes_received, ND_SV_BYTES_RECEIVED, 1),
	FIELD(tcpi_segs_out, ND_SV_SEGS_OUT, 1),
	FIELD(tcpi_segs_in, ND_SV_SEGS_IN, 1),
	FIELD(tcpi_notsent_bytes, ND_SV_NOTSENT, 1),
	FIELD(tcpi_min_rtt, ND_SV_MIN_RTT, 1e-6),
	FIELD(tcpi_data_segs_in, ND_SV_DATA_IN, 1),
	FIELD(tcpi_data_segs_out, ND_SV_DATA_OUT, 1),
	FIELD(tcpi_delivery_rate, ND_SV_DELIVERY_RATE, 1),
	FIELD(tcpi_busy_time, ND_SV_BUSY, 1e-6),
	FIELD(tcpi_rwnd_limited, ND_SV_RWND_LIMITED, 1e-6),
	FIELD(tcpi_sndbuf_limited, ND_SV_SNDBUF_LIMITED, 1e-6),
	FIELD(tcpi_delivered, ND_SV_DELIVERED, 1),
	FIELD(tcpi_delivered_ce, ND_SV_DELIVERED_CE, 1),
	FIELD(tcpi_bytes_sent, ND_SV_BYTES_SENT, 1),
	FIELD(tcpi_bytes_retrans, ND_SV_BYTES_RETRANS, 1),
	FIELD(tcpi_dsack_dups, ND_SV_DSACK_DUPS, 1),
	FIELD(tcpi_reord_seen, ND_SV_REORD_SEEN, 1),
	FIELD(tcpi_rcv_ooopack, ND_SV_RCV_OOO, 1),
	FIELD(tcpi_snd_wnd, ND_SV_SND_WND, 1),
	{RCV_WND, sizeof(uint32_t), ND_SV_RCV_WND, 1},
	{TOTAL_RTO_TIME, sizeof(uint32_t), ND_SV_RTO_TIME, 1e-3},
};

/* The kernel's words of size bytes at data; it writes them in this machine's order. */
static uint64_t word_at(const char *data, size_t size)
{
	uint64_t wide;
	uint32_t narrow;

	if (size == 1)
		return (unsigned char)*data;
	if (size == sizeof(wide)) {
		memcpy(&wide, data, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, data, sizeof(narrow));
	return narrow;
}

/* What stands for "none yet": min_rtt of no sample is ~0, ssthresh of no loss is huge. */
static bool is_none(enum nd_sock_value value, uint64_t v)
{
	return (value == ND_SV_MIN_RTT && v == UINT32_MAX) ||
	       (value == ND_SV_SSTHRESH && v >= NO_SSTHRESH);
}

static void read_info(const char *data, size_t len, struct nd_sock *out)
{
	for (unsigned i = 0; i < ND_ARRAY_LEN(fields); i++) {
		const struct field *d = &fields[i];
		uint64_t v;

		if (d->offset + d->size > len)
			continue;
		v = word_at(data + d->offset, d->size);
		if (!is_none(d->value, v))
			out->v[d->value] = (double)v * d->scale;
	}
	if (len > APP_LIMITED)
		out->v[ND_SV_APP_LIMITED] = (data[APP_LIMITED] & APP_LIMITED_BIT) != 0;
	out->info = true;
}

/* The u32 of INET_DIAG_SKMEMINFO, in the order of SK_MEMINFO_*; newer kernels may append. */
static void read_memory(const char *data, size_t len, struct nd_sock *out)
{
	static const enum nd_sock_value order[] = {
		ND_SV_RMEM, ND_SV_RCVBUF,   ND_SOCK_VALUES, ND_SV_SNDBUF, ND_SOCK_VALUES,
		ND_SV_WMEM, ND_SOCK_VALUES, ND_SV_BACKLOG,  ND_SV_DROPS,
	};

	for (unsigned i = 0; i < ND_ARRAY_LEN(order) && (i + 1) * sizeof(uint32_t) <= len; i++) {
		if (order[i] != ND_SOCK_VALUES)
			out->v[order[i]] =
				(double)word_at(data + i * sizeof(uint32_t), sizeof(uint32_t));
	}
}

static void read_attribute(const struct nd_nl_attr *a, struct nd_sock *out)
{
	const char *data = a->data;

	if (a->type == INET_DIAG_INFO)
		read_info(data, a->len, out);
	else if (a->type == INET_DIAG_SKMEMINFO)
		read_memory(data, a->len, out);
	else if (a->type == INET_DIAG_CONG)
		snprintf(out->congestion, sizeof(out->congestion), "%.*s", (int)a->len, data);
	else if (a->type == INET_DIAG_SKV6ONLY && a->len >= 1)
		out->local.star = data[0] == 0; /* it listens on IPv4 too, if the address is :: */
}

static void read_address(uint8_t family, const __be32 *ip, __be16 port, struct nd_sock_addr *out)
{
	out->family = family;
	out->port = __builtin_bswap16(port);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	out->port = port;
#endif
	memcpy(out->ip, ip, family == AF_INET ? 4 : 16);
}

bool nd_sock_from_diag(const void *msg, size_t len, struct nd_sock *out)
{
	static const uint8_t any[16];
	struct inet_diag_msg m;
	struct nd_nl_iter it;
	struct nd_nl_attr a;

	if (len < sizeof(m))
		return false;
	memcpy(&m, msg, sizeof(m));
	if (m.idiag_family != AF_INET && m.idiag_family != AF_INET6)
		return false;
	*out = (struct nd_sock){
		.state = m.idiag_state <= ND_TCP_CLOSING ? m.idiag_state : ND_TCP_UNKNOWN,
		.id = (uint64_t)m.id.idiag_cookie[1] << 32 | m.id.idiag_cookie[0],
		.inode = m.idiag_inode,
		.rqueue = m.idiag_rqueue,
		.wqueue = m.idiag_wqueue,
	};
	for (unsigned i = 0; i < ND_SOCK_VALUES; i++)
		out->v[i] = NAN;
	out->v[ND_SV_TIMER] = m.idiag_timer;
	out->v[ND_SV_RETRIES] = m.idiag_timer == ND_ST_NONE ? 0 : m.idiag_retrans;
	if (m.idiag_timer != ND_ST_NONE)
		out->v[ND_SV_TIMER_LEFT] = m.idiag_expires * 1e-3;
	read_address(m.idiag_family, m.id.idiag_src, m.id.idiag_sport, &out->local);
	read_address(m.idiag_family, m.id.idiag_dst, m.id.idiag_dport, &out->remote);
	it = nd_nl_iter((const char *)msg + sizeof(m),
			len - sizeof(m)); /* its size is a multiple of four */
	while (nd_nl_next(&it, &a))
		read_attribute(&a, out);
	out->local.star &=
		m.idiag_family == AF_INET6 && memcmp(out->local.ip, any, sizeof(any)) == 0;
	return true;
}

/* A test of one port is five words: port >= p, port <= p (each an operation and a word whose `no` is the
 * port), and a jump past the end, which is yes. A failed test goes on behind its jump; behind the last one
 * four bytes past the end are no. */
size_t nd_sock_filter(const struct nd_sock_port *ports, uint32_t n, void *out, size_t size)
{
	const size_t each = ND_SOCK_FILTER_BYTES(1), total = n * each;
	struct inet_diag_bc_op *op = out;

	if (n == 0 || total > size || total > UINT16_MAX - each)
		return 0;
	for (uint32_t i = 0; i < n; i++, op += 5) {
		size_t left = total - i * each; /* bytes from here to the end */
		bool last = i == n - 1;
		unsigned char ge = ports[i].remote ? INET_DIAG_BC_D_GE : INET_DIAG_BC_S_GE;
		unsigned char le = ports[i].remote ? INET_DIAG_BC_D_LE : INET_DIAG_BC_S_LE;
		unsigned short next = (unsigned short)(last ? left + 4 : each);

		op[0] = (struct inet_diag_bc_op){ge, 8, next};
		op[1] = (struct inet_diag_bc_op){0, 0, ports[i].port};
		op[2] = (struct inet_diag_bc_op){le, 8, (unsigned short)(next - 8)};
		op[3] = (struct inet_diag_bc_op){0, 0, ports[i].port};
		op[4] = (struct inet_diag_bc_op){INET_DIAG_BC_JMP, 4, (unsigned short)(left - 16)};
	}
	return total;
}

/* The request of 2.6 names no family, and so one walk of the kernel's tables gives both; the newer
 * SOCK_DIAG_BY_FAMILY needs two, and walking empty buckets is most of the cost of a dump. */
int nd_sock_dump(struct nd_nl *nl, const void *filter, size_t filter_len, nd_nl_fn *fn, void *ctx,
		 struct nd_err *e)
{
	struct {
		struct inet_diag_req r;
		struct nlattr a;
		char filter[FILTER_MAX];
	} req = {
		.r = {.idiag_ext =
			      EXT(INET_DIAG_INFO) | EXT(INET_DIAG_CONG) | EXT(INET_DIAG_SKMEMINFO),
		      .idiag_states = STATES},
		.a = {.nla_len = (uint16_t)(sizeof(req.a) + filter_len),
		      .nla_type = INET_DIAG_REQ_BYTECODE},
	};
	size_t len = sizeof(req.r);
	int rc;

	if (filter_len > sizeof(req.filter))
		return nd_fail(e, -EMSGSIZE, "sock_diag: a filter of %zu bytes", filter_len);
	if (filter_len) {
		memcpy(req.filter, filter, filter_len);
		len += sizeof(req.a) + filter_len;
	}
	rc = nd_nl_dump(nl, &(struct nd_nl_request){TCPDIAG_GETSOCK, &req, len, fn, NULL, ctx}, e);
	if (rc < 0)
		return nd_wrap(e, rc, "TCP sockets");
	return 0; /* sockets came or went meanwhile: they always do */
}

/* Does a line of the file have that word? */
static bool file_names(const char *path, const char *word)
{
	char line[512];
	bool found = false;
	FILE *f = fopen(path, "re");

	while (f && !found && fgets(line, sizeof(line), f))
		found = strstr(line, word) != NULL;
	if (f)
		fclose(f);
	return found;
}

/* Only if the kernel has modules, and this one is neither loaded nor built in. */
bool nd_sock_would_autoload(struct nd_source *s, const char *module)
{
	struct utsname u;
	char text[256], file[64], **names;
	int n;

	snprintf(text, sizeof(text), "/sys/module/%.40s", module);
	n = nd_source_names(s, text, &names);
	if (n >= 0) {
		nd_source_names_free(names, n);
		return false;
	}
	if (uname(&u) != 0 || nd_source_text(s, "/proc/modules", text, sizeof(text)) != 0)
		return false; /* a kernel without modules */
	snprintf(text, sizeof(text), "/lib/modules/%.100s/modules.builtin", u.release);
	snprintf(file, sizeof(file), "/%.40s.ko", module);
	return !file_names(text, file);
}

int nd_sock_dump_rest(struct nd_nl *nl, nd_nl_fn *fn, void *ctx, struct nd_err *e)
{
	const struct inet_diag_req req = {.idiag_states = STATES_REST};
	const int rc = nd_nl_dump(
		nl, &(struct nd_nl_request){TCPDIAG_GETSOCK, &req, sizeof(req), fn, NULL, ctx}, e);

	return rc < 0 ? nd_wrap(e, rc, "TCP sockets") : 0;
}
