/* What becomes of sockets over several dumps. */
#include "tests/unit/sock_world.h"

#include <arpa/inet.h>
#include <sys/socket.h>

static struct nd_sock tcp(enum nd_tcp_state state, uint64_t id, const char *local, uint16_t lport,
			  const char *remote, uint16_t rport)
{
	struct nd_sock s = {.state = state, .id = id, .info = state != ND_TCP_LISTEN};

	s.local.family = s.remote.family = AF_INET;
	s.local.port = lport;
	s.remote.port = rport;
	assert_int_equal(inet_pton(AF_INET, local, s.local.ip), 1);
	assert_int_equal(inet_pton(AF_INET, remote, s.remote.ip), 1);
	for (unsigned i = 0; i < ND_SOCK_VALUES; i++)
		s.v[i] = NAN;
	return s;
}

static void begin(struct world *w, double seconds, bool whole)
{
	w->in.t_ns = (uint64_t)(seconds * 1e9);
	nd_socks_begin(w->k, &w->in, whole);
}

static void test_keys(void **state)
{
	static const struct {
		const char *ip;
		const char *key;
	} rows[] = {
		{"::1", "[::1]:80"},
		{"::", "[::]:80"},
		{"::ffff:192.0.2.1", "192.0.2.1:80"},
		{"fe80::1", "[fe80::1]:80"},
	};

	(void)state;
	for (unsigned i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct nd_sock_addr a = {.family = AF_INET6, .port = 80};
		char key[ND_SOCK_KEY_MAX];

		assert_int_equal(inet_pton(AF_INET6, rows[i].ip, a.ip), 1);
		nd_sock_key(&a, key);
		assert_string_equal(key, rows[i].key);
	}
}

/* ---- grouping ---- */

static void test_sums_only_grow(void **state)
{
	struct world w;
	struct nd_sock s = tcp(ND_TCP_ESTABLISHED, 1, "192.0.2.1", 40000, "192.0.2.7", 443);

	(void)state;
	world_open(&w);
	s.v[ND_SV_DATA_IN] = 100;
	s.v[ND_SV_DATA_OUT] = 200;
	begin(&w, 1, true);
	nd_socks_add(w.k, w.f, &s);
	nd_socks_end(w.k, w.f);
	begin(&w, 2, true); /* it goes on, and a second one comes: all of that one counts */
	s.v[ND_SV_DATA_IN] = 110;
	nd_socks_add(w.k, w.f, &s);
	s.id = 2;
	s.v[ND_SV_DATA_IN] = 7;
	nd_socks_add(w.k, w.f, &s);
	nd_socks_end(w.k, w.f);
	begin(&w, 3, true); /* both are gone */
	nd_socks_end(w.k, w.f);
	assert_num(get(&w, ND_PEER, "192.0.2.7:443", "exchanges", ND_TOTAL), 117);
	assert_num(get(&w, ND_PEER, "192.0.2.7:443", "exchanges", ND_DELTA), 17);
	assert_num(get(&w, ND_PEER, "192.0.2.7:443", "connections", ND_BARE), 0);
	assert_int_equal(get(&w, ND_PEER, "192.0.2.7:443", "local", ND_BARE).yes, false);
	world_close(&w);
}

/* The worst connection of a group speaks for it, and is named; the next dump starts anew. */
static void test_extremes(void **state)
{
	struct world w;
	struct nd_sock s = tcp(ND_TCP_ESTABLISHED, 1, "192.0.2.1", 40000, "192.0.2.7", 443);

	(void)state;
	world_open(&w);
	s.rqueue = 500;
	s.wqueue = 9;
	s.v[ND_SV_CWND] = 10;
	s.v[ND_SV_LAST_RECV] = 60;
	s.v[ND_SV_LAST_ACK] = 40;
	begin(&w, 1, true);
	nd_socks_add(w.k, w.f, &s);
	s.id = 2;
	s.local.port = 40001;
	s.rqueue = 700;
	s.wqueue = 0;
	s.v[ND_SV_CWND] = 3;
	s.v[ND_SV_LAST_ACK] = NAN;
	nd_socks_add(w.k, w.f, &s);
	nd_socks_end(w.k, w.f);
	assert_num(get(&w, ND_PEER, "192.0.2.7:443", "recv_q", ND_BARE), 700);
	assert_string_equal(get(&w, ND_PEER, "192.0.2.7:443", "recv_q.connection", ND_BARE).text,
			    "192.0.2.1:40001 192.0.2.7:443");
	assert_num(get(&w, ND_PEER, "192.0.2.7:443", "send_q", ND_BARE), 9);
	assert_num(get(&w, ND_PEER, "192.0.2.7:443", "cwnd", ND_BARE), 3);
	assert_num(get(&w, ND_PEER, "192.0.2.7:443", "heard", ND_BARE), 40);
	assert_int_equal(get(&w, ND_PEER, "192.0.2.7:443", "mss", ND_BARE).type, ND_V_MISSING);
	begin(&w, 2, true);
	s.rqueue = 0;
	nd_socks_add(w.k, w.f, &s);
	nd_socks_end(w.k, w.f);
	assert_num(get(&w, ND_PEER, "192.0.2.7:443", "recv_q", ND_BARE), 0);
	assert_num(get(&w, ND_PEER, "192.0.2.7:443", "recv_q", ND_MAX), 700);
	world_close(&w);
}

static void test_shares_of_the_window(void **state)
{
	struct world w;
	struct nd_sock s = tcp(ND_TCP_ESTABLISHED, 1, "192.0.2.1", 40000, "192.0.2.7", 443);

	(void)state;
	world_open(&w);
	s.v[ND_SV_BUSY] = 1000;
	s.v[ND_SV_RWND_LIMITED] = 900;
	s.v[ND_SV_SNDBUF_LIMITED] = 0;
	begin(&w, 1, true);
	nd_socks_add(w.k, w.f, &s);
	nd_socks_end(w.k, w.f);
	assert_true(isnan(column(&w, "busy"))); /* no sample before */
	begin(&w, 3, true);
	s.v[ND_SV_BUSY] = 1001;
	s.v[ND_SV_RWND_LIMITED] = 900.25;
	nd_socks_add(w.k, w.f, &s);
	nd_socks_end(w.k, w.f);
	assert_num((struct nd_value){.type = ND_V_NUMBER, .num = column(&w, "busy")}, 0.5);
	nd_socks_last(w.k, w.f, &w.in);
	assert_num(get(&w, ND_PEER, "192.0.2.7:443", "rwnd_limited", ND_BARE), 0.25);
	assert_num(get(&w, ND_PEER, "192.0.2.7:443", "sndbuf_limited", ND_BARE), 0);
	assert_int_equal(get(&w, ND_PEER, "192.0.2.7:443", "rto_time", ND_TOTAL).why,
			 ND_NOT_ON_THIS_KERNEL);
	world_close(&w);
}

static void test_idle_has_no_share(void **state)
{
	struct world w;
	struct nd_sock s = tcp(ND_TCP_ESTABLISHED, 1, "192.0.2.1", 40000, "192.0.2.7", 443);

	(void)state;
	world_open(&w);
	s.v[ND_SV_BUSY] = s.v[ND_SV_RWND_LIMITED] = 5;
	for (int i = 1; i <= 2; i++) {
		begin(&w, i, true);
		nd_socks_add(w.k, w.f, &s);
		nd_socks_end(w.k, w.f);
	}
	nd_socks_last(w.k, w.f, &w.in);
	assert_int_equal(get(&w, ND_PEER, "192.0.2.7:443", "rwnd_limited", ND_BARE).why,
			 ND_TOO_FEW_SAMPLES);
	world_close(&w);
}

static void test_room_in_the_window(void **state)
{
	static const struct {
		double snd_wnd, notsent;
		uint32_t wqueue;
		double room;
	} rows[] = {
		{65536, 200, 300, 65436},
		{50, 200, 300, 0},
		{NAN, 200, 300, NAN},
		{100, 0, 100, 0},
	};

	(void)state;
	for (unsigned i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct world w;
		struct nd_sock s = tcp(ND_TCP_ESTABLISHED, 1, "127.0.0.1", 40000, "127.0.0.1", 443);

		world_open(&w);
		s.wqueue = rows[i].wqueue;
		s.v[ND_SV_SND_WND] = rows[i].snd_wnd;
		s.v[ND_SV_NOTSENT] = rows[i].notsent;
		begin(&w, 1, true);
		nd_socks_add(w.k, w.f, &s);
		nd_socks_end(w.k, w.f);
		assert_int_equal(w.rows, 1);
		assert_true(isnan(rows[i].room) ? isnan(column(&w, "rwnd"))
						: column(&w, "rwnd") == rows[i].room);
		assert_true(get(&w, ND_PEER, "127.0.0.1:443", "local", ND_BARE).yes);
		world_close(&w);
	}
}

static void test_listeners(void **state)
{
	struct world w;
	struct nd_sock s = tcp(ND_TCP_LISTEN, 1, "0.0.0.0", 443, "0.0.0.0", 0), c;
	struct nd_sock_port ports[4];

	(void)state;
	world_open(&w);
	for (int i = 0; i < 2; i++) { /* two sockets share the port; the drops of one wrap around */
		begin(&w, 1 + i, true);
		s.wqueue = 128;
		s.rqueue = 3;
		s.v[ND_SV_DROPS] = i ? 5 : UINT32_MAX - 4;
		nd_socks_add(w.k, w.f, &s);
		s.rqueue = 129;
		s.v[ND_SV_DROPS] = 100;
		nd_socks_add(w.k, w.f, &s);
		c = tcp(ND_TCP_ESTABLISHED, 9, "192.0.2.1", 443, "192.0.2.7", 40000);
		nd_socks_add(w.k, w.f, &c);
		nd_socks_end(w.k, w.f);
	}
	assert_num(get(&w, ND_LISTENER, "tcp/0.0.0.0:443", "queue", ND_MAX), 129);
	assert_num(get(&w, ND_LISTENER, "tcp/0.0.0.0:443", "backlog", ND_BARE), 128);
	assert_num(get(&w, ND_LISTENER, "tcp/0.0.0.0:443", "port", ND_BARE), 443);
	assert_num(get(&w, ND_LISTENER, "tcp/0.0.0.0:443", "drops", ND_DELTA), 10);
	assert_num(get(&w, ND_SERVICE, "443", "connections", ND_BARE), 1);
	assert_int_equal(
		nd_related(w.f, nd_entity(w.f, ND_SERVICE, "443"), ND_SERVICE_LISTENERS, false).n,
		1);
	assert_int_equal(nd_socks_suspects(w.k, ports, 4), 1);
	assert_int_equal(ports[0].port, 443);
	world_close(&w);
}

static void test_suspects(void **state)
{
	struct world w;
	struct nd_sock tail = tcp(ND_TCP_ESTABLISHED, 1, "127.0.0.1", 40000, "127.0.0.1", 5599),
		       quiet = tail;
	struct nd_sock_port ports[4];

	(void)state;
	world_open(&w);
	tail.v[ND_SV_NOTSENT] = 200;
	tail.v[ND_SV_MSS] = 65483;
	tail.v[ND_SV_UNACKED] = 1;
	quiet.id = 2;
	quiet.remote.port = 5600;
	begin(&w, 1, true);
	nd_socks_add(w.k, w.f, &tail);
	nd_socks_add(w.k, w.f, &quiet);
	nd_socks_end(w.k, w.f);
	assert_int_equal(nd_socks_suspects(w.k, ports, 4), 1);
	assert_int_equal(ports[0].port, 5599);
	assert_true(ports[0].remote);
	begin(&w, 2, true); /* now it has traffic and too few samples to be acquitted */
	quiet.v[ND_SV_DATA_IN] = quiet.v[ND_SV_DATA_OUT] = 10;
	nd_socks_add(w.k, w.f, &quiet);
	nd_socks_end(w.k, w.f);
	assert_int_equal(nd_socks_suspects(w.k, ports, 4), 2);
	assert_int_equal(nd_socks_suspects(w.k, ports, 1), 1);
	world_close(&w);
}

static void test_too_many_groups(void **state)
{
	struct world w;
	struct nd_status st;
	uint32_t n;

	(void)state;
	world_open(&w);
	begin(&w, 1, true);
	for (uint32_t i = 0; i < ND_SOCK_GROUPS_MAX + 10; i++) {
		struct nd_sock s = tcp(ND_TCP_ESTABLISHED, i + 1, "192.0.2.1", 40000, "192.0.2.7",
				       (uint16_t)(i + 1));

		assert_int_equal(nd_socks_add(w.k, w.f, &s) == ND_NO_ENTITY,
				 i >= ND_SOCK_GROUPS_MAX);
	}
	nd_socks_end(w.k, w.f);
	nd_entities(w.f, ND_PEER, &n);
	assert_int_equal(n, ND_SOCK_GROUPS_MAX);
	st = nd_kind_status(w.f, ND_PEER);
	assert_int_equal(st.why, ND_BUDGET);
	world_close(&w);
}

/* Many dumps with new sockets each time: the table must not fill up with those that are gone. */
static void test_churn(void **state)
{
	struct world w;

	(void)state;
	world_open(&w);
	for (uint64_t id = 1; id <= 20000; id += 100) {
		begin(&w, (double)id, true);
		for (uint64_t i = id; i < id + 100; i++) {
			struct nd_sock s =
				tcp(ND_TCP_ESTABLISHED, i, "192.0.2.1", 40000, "192.0.2.7", 443);

			s.v[ND_SV_DATA_IN] = s.v[ND_SV_DATA_OUT] = 3;
			assert_true(nd_socks_add(w.k, w.f, &s) != ND_NO_ENTITY);
		}
		nd_socks_end(w.k, w.f);
	}
	assert_num(get(&w, ND_PEER, "192.0.2.7:443", "exchanges", ND_TOTAL), 60000);
	world_close(&w);
}

static void test_accepts(void **state)
{
	struct world w;
	struct nd_sock s = tcp(ND_TCP_LISTEN, 1, "127.0.0.1", 80, "0.0.0.0", 0);

	(void)state;
	for (int listeners = 1; listeners <= 2; listeners++) {
		world_open(&w);
		for (int moment = 1; moment <= 2; moment++) {
			begin(&w, moment, true);
			for (int i = 0; i < listeners; i++) {
				s.local.port = (uint16_t)(80 + i);
				nd_socks_add(w.k, w.f, &s);
			}
			nd_socks_end(w.k, w.f);
			nd_put_reading(w.f, nd_entity(w.f, ND_NETNS, "host"), netns_facts,
				       (uint64_t)(100 * moment), &w.in);
		}
		nd_socks_finish(w.f);
		if (listeners == 1) {
			assert_num(get(&w, ND_LISTENER, "tcp/127.0.0.1:80", "accepts", ND_DELTA),
				   100);
			assert_num(get(&w, ND_LISTENER, "tcp/127.0.0.1:80", "accepts", ND_TOTAL),
				   200);
		} else {
			assert_int_equal(
				get(&w, ND_LISTENER, "tcp/127.0.0.1:80", "accepts", ND_DELTA).why,
				ND_NOT_SAMPLED);
		}
		assert_int_equal(
			get(&w, ND_LISTENER, "tcp/127.0.0.1:80", "accept_wait", ND_BARE).why,
			ND_NOT_SAMPLED);
		world_close(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_sums_only_grow),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_shares_of_the_window),
		cmocka_unit_test(test_idle_has_no_share),
		cmocka_unit_test(test_room_in_the_window),
		cmocka_unit_test(test_listeners),
		cmocka_unit_test(test_suspects),
		cmocka_unit_test(test_too_many_groups),
		cmocka_unit_test(test_churn),
		cmocka_unit_test(test_accepts),
	};

	return cmocka_run_group_tests_name("sockets", tests, NULL, NULL);
}
