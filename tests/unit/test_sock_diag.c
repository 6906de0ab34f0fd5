/* inet_diag messages: whole, of kernels of another age, and garbled. */
#include "tests/unit/sock_world.h"

#include "collectors/sock_diag.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/tcp.h>
#include <sys/socket.h>

struct message {
	struct inet_diag_msg m;
	struct nlattr a;
	char info[280];
};

static struct message a_message(void)
{
	struct message x = {
		.m = {.idiag_family = AF_INET,
		      .idiag_state = ND_TCP_ESTABLISHED,
		      .idiag_wqueue = 150,
		      .idiag_inode = 7},
		.a = {.nla_len = sizeof(x.a) + sizeof(x.info), .nla_type = INET_DIAG_INFO},
	};
	struct tcp_info t = {.tcpi_snd_mss = 1448,
			     .tcpi_rtt = 20500,
			     .tcpi_backoff = 9,
			     .tcpi_rto = 204000,
			     .tcpi_lost = 2,
			     .tcpi_retrans = 1,
			     .tcpi_sacked = 31,
			     .tcpi_last_ack_recv = 1638,
			     .tcpi_snd_ssthresh = 0x7fffffff,
			     .tcpi_total_retrans = 2834,
			     .tcpi_bytes_acked = 102223,
			     .tcpi_delivery_rate = 1000000,
			     .tcpi_delivery_rate_app_limited = 1,
			     .tcpi_dsack_dups = 5,
			     .tcpi_min_rtt = UINT32_MAX,
			     .tcpi_busy_time = 44000};
	uint32_t rto_time = 1200;

	x.m.id.idiag_sport = htons(5599);
	x.m.id.idiag_dport = htons(443);
	x.m.id.idiag_src[0] = htonl(0x7f000001);
	x.m.id.idiag_dst[0] = htonl(0xc0000207);
	x.m.id.idiag_cookie[0] = 3;
	x.m.id.idiag_cookie[1] = 1;
	memcpy(x.info, &t, offsetof(struct tcp_info, tcpi_snd_wnd) + 4);
	memcpy(x.info + offsetof(struct tcp_info, tcpi_snd_wnd) + 16, &rto_time, sizeof(rto_time));
	return x;
}

static void test_message(void **state)
{
	struct message x = a_message();
	struct nd_sock s;
	char key[ND_SOCK_KEY_MAX];

	(void)state;
	assert_true(nd_sock_from_diag(&x, sizeof(x), &s));
	assert_true(s.info);
	assert_int_equal(s.id, (1ull << 32) + 3);
	assert_int_equal(s.local.port, 5599);
	assert_int_equal(s.inode, 7);
	nd_sock_key(&s.remote, key);
	assert_string_equal(key, "192.0.2.7:443");
	assert_true(s.v[ND_SV_MSS] == 1448);
	assert_true(fabs(s.v[ND_SV_RTT] - 0.0205) < 1e-9);
	assert_true(fabs(s.v[ND_SV_BUSY] - 0.044) < 1e-9);
	assert_true(fabs(s.v[ND_SV_RTO_TIME] - 1.2) < 1e-9);
	assert_true(isnan(s.v[ND_SV_MIN_RTT]));
	assert_true(isnan(s.v[ND_SV_DROPS]));
	assert_true(s.v[ND_SV_BACKOFF] == 9);
	assert_true(fabs(s.v[ND_SV_RTO] - 0.204) < 1e-9);
	assert_true(s.v[ND_SV_LOST] == 2 && s.v[ND_SV_RESENT] == 1 && s.v[ND_SV_SACKED] == 31);
	assert_true(fabs(s.v[ND_SV_LAST_ACK] - 1.638) < 1e-9);
	assert_true(isnan(s.v[ND_SV_SSTHRESH])); /* it saw no loss */
	assert_true(s.v[ND_SV_SEGS_RETRANS] == 2834 && s.v[ND_SV_DSACK_DUPS] == 5);
	assert_true(s.v[ND_SV_BYTES_ACKED] == 102223);
	assert_true(s.v[ND_SV_DELIVERY_RATE] == 1e6 && s.v[ND_SV_APP_LIMITED] == 1);
	assert_true(s.v[ND_SV_RCV_WND] == 0);
}

/* The timer is in the message itself; buffers and congestion control are attributes of their own. */
static void test_attributes(void **state)
{
	static const struct {
		uint8_t timer, retrans;
		uint32_t expires;
		double left, retries;
	} rows[] = {
		{0, 3, 7, NAN, 0}, {1, 3, 7000, 7, 3}, {2, 1, 500, 0.5, 1}, {4, 0, 73000, 73, 0}};
	struct {
		struct inet_diag_msg m;
		struct nlattr mem;
		uint32_t words[9];
		struct nlattr cong;
		char name[8];
	} x = {
		.m = {.idiag_family = AF_INET, .idiag_state = ND_TCP_ESTABLISHED},
		.mem = {.nla_len = sizeof(x.mem) + sizeof(x.words),
			.nla_type = INET_DIAG_SKMEMINFO},
		.words = {11, 12, 13, 14, 15, 16, 17, 18, 19},
		.cong = {.nla_len = sizeof(x.cong) + 4, .nla_type = INET_DIAG_CONG},
		.name = "bbr",
	};
	struct nd_sock s;

	(void)state;
	for (unsigned i = 0; i < ND_ARRAY_LEN(rows); i++) {
		x.m.idiag_timer = rows[i].timer;
		x.m.idiag_retrans = rows[i].retrans;
		x.m.idiag_expires = rows[i].expires;
		assert_true(nd_sock_from_diag(&x, sizeof(x), &s));
		assert_true(s.v[ND_SV_TIMER] == rows[i].timer);
		assert_true(s.v[ND_SV_RETRIES] == rows[i].retries);
		assert_true(isnan(rows[i].left) ? isnan(s.v[ND_SV_TIMER_LEFT])
						: s.v[ND_SV_TIMER_LEFT] == rows[i].left);
	}
	assert_true(s.v[ND_SV_RMEM] == 11 && s.v[ND_SV_RCVBUF] == 12 && s.v[ND_SV_SNDBUF] == 14);
	assert_true(s.v[ND_SV_WMEM] == 16 && s.v[ND_SV_BACKLOG] == 18 && s.v[ND_SV_DROPS] == 19);
	assert_string_equal(s.congestion, "bbr");
	x.mem.nla_len =
		sizeof(x.mem) + 8; /* kernels before 4.6 have no drops: what is there is read */
	assert_true(nd_sock_from_diag(&x, sizeof(x.m) + x.mem.nla_len, &s));
	assert_true(s.v[ND_SV_RCVBUF] == 12 && isnan(s.v[ND_SV_DROPS]));
}

/* A kernel of another age sends less of tcp_info: what is not there is unknown, not zero. */
static void test_short_info(void **state)
{
	struct message x = a_message();
	struct nd_sock s;

	(void)state;
	x.a.nla_len = (uint16_t)(sizeof(x.a) + offsetof(struct tcp_info, tcpi_snd_wnd));
	assert_true(nd_sock_from_diag(&x, sizeof(x.m) + x.a.nla_len, &s));
	assert_true(s.v[ND_SV_BYTES_SENT] == 0);
	assert_true(isnan(s.v[ND_SV_SND_WND]));
	assert_true(isnan(s.v[ND_SV_RTO_TIME]));
}

static void test_garbled_message(void **state)
{
	struct message x = a_message();
	struct nd_sock s;
	char *copy;

	(void)state;
	for (size_t len = 0; len <= sizeof(x);
	     len++) { /* in a block of its own, so that a sanitizer sees each byte too far */
		copy = malloc(len + 1);
		assert_non_null(copy);
		memcpy(copy, &x, len);
		assert_int_equal(nd_sock_from_diag(copy, len, &s), len >= sizeof(x.m));
		if (len < sizeof(x))
			assert_true(len < sizeof(x.m) || isnan(s.v[ND_SV_MSS]));
		free(copy);
	}
	x.m.idiag_family = 99;
	assert_false(nd_sock_from_diag(&x, sizeof(x), &s));
	x.m.idiag_family = AF_INET;
	x.m.idiag_state = 200;
	assert_true(nd_sock_from_diag(&x, sizeof(x), &s));
	assert_int_equal(s.state, ND_TCP_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_message),
		cmocka_unit_test(test_attributes),
		cmocka_unit_test(test_short_info),
		cmocka_unit_test(test_garbled_message),
	};

	return cmocka_run_group_tests_name("sock_diag", tests, NULL, NULL);
}
