/* The kernel's side: filters that it runs, and the live collector on this host's loopback. */
#include "tests/unit/sock_world.h"

#include "collectors/sock_diag.h"

#include <arpa/inet.h>
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

extern const struct nd_collector nd_collector_sockets;

struct pair {
	int listener, client, server;
	uint16_t port;
};

static void pair_open(struct pair *p, int backlog)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t len = sizeof(a);

	p->listener = socket(AF_INET, SOCK_STREAM, 0);
	p->client = socket(AF_INET, SOCK_STREAM, 0);
	if (p->listener < 0 || p->client < 0 ||
	    bind(p->listener, (struct sockaddr *)&a, sizeof(a)) != 0 ||
	    listen(p->listener, backlog) != 0 ||
	    getsockname(p->listener, (struct sockaddr *)&a, &len) != 0 ||
	    connect(p->client, (struct sockaddr *)&a, sizeof(a)) != 0)
		skip(); /* no loopback here */
	p->server = accept(p->listener, NULL, NULL);
	assert_true(p->server >= 0);
	p->port = ntohs(a.sin_port);
}

static void pair_close(struct pair *p)
{
	close(p->client);
	close(p->server);
	close(p->listener);
}

struct counts {
	uint16_t ports[3];
	uint32_t local[3], remote[3], all;
};

static int count_socket(const struct nlmsghdr *h, void *ctx)
{
	struct counts *c = ctx;
	struct nd_sock s;
	size_t len;
	const void *msg = nd_nl_payload(h, 0, &len);

	assert_true(nd_sock_from_diag(msg, len, &s));
	c->all++;
	for (unsigned i = 0; i < ND_ARRAY_LEN(c->ports); i++) {
		c->local[i] += s.local.port == c->ports[i];
		c->remote[i] += s.remote.port == c->ports[i];
	}
	return 0;
}

static void count_dump(struct counts *c, const struct nd_sock_port *ports, uint32_t n)
{
	uint32_t filter[64];
	size_t len = nd_sock_filter(ports, n, filter, sizeof(filter));
	struct nd_err e = {""};
	struct nd_nl *nl = nd_nl_open(NETLINK_SOCK_DIAG, NULL, &e);
	int rc;

	if (!nl)
		skip();
	assert_int_equal(len, ND_SOCK_FILTER_BYTES(n));
	c->all = 0;
	memset(c->local, 0, sizeof(c->local));
	memset(c->remote, 0, sizeof(c->remote));
	rc = nd_sock_dump(nl, n ? filter : NULL, len, count_socket, c, &e);
	nd_nl_close(nl);
	if (rc == -ENOENT)
		skip(); /* no tcp_diag */
	assert_string_equal(e.msg, "");
	assert_int_equal(rc, 0);
}

static void test_kernel_filters(void **state)
{
	struct pair p[3];
	struct counts c = {0};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		pair_open(&p[i], 4);
		c.ports[i] = p[i].port;
	}
	count_dump(&c, NULL, 0);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(c.local[i], 2); /* the listener and the accepted end */
		assert_int_equal(c.remote[i], 1);
	}
	count_dump(&c, (struct nd_sock_port[]){{p[0].port, false}, {p[2].port, true}}, 2);
	assert_int_equal(c.local[0], 2);
	assert_int_equal(c.remote[2], 1);
	assert_int_equal(c.all, 3); /* and nothing else */
	count_dump(&c, (struct nd_sock_port[]){{p[1].port, false}}, 1);
	assert_int_equal(c.local[1], 2);
	assert_int_equal(c.all, 2);
	for (unsigned i = 0; i < 3; i++)
		pair_close(&p[i]);
}

static void test_filter_limits(void **state)
{
	struct nd_sock_port ports[4] = {{1, false}};
	uint32_t small[4];

	(void)state;
	assert_int_equal(nd_sock_filter(ports, 4, small, sizeof(small)), 0);
	assert_int_equal(nd_sock_filter(ports, 0, small, sizeof(small)), 0);
}

static void test_live(void **state)
{
	struct world w;
	struct pair p;
	struct nd_source *s = nd_source_live("/proc", "/sys");
	struct nd_err e = {""};
	void *own = NULL;
	char key[64], pid[16];
	struct nd_links owners;

	(void)state;
	pair_open(&p, 7);
	world_open(&w);
	for (uint32_t i = 0; i < 2; i++) {
		struct nd_live l = {.source = s,
				    .in = {.netns = "host", .t_ns = nd_source_now(s)},
				    .moment = i,
				    .first = i == 0,
				    .last = i == 1,
				    .state = &own};
		char byte = 'x';

		assert_int_equal(nd_collector_sockets.live(&l, w.f, &e), 0);
		assert_true(l.again_ns >= 100000000);
		assert_int_equal(write(p.client, &byte, 1), 1);
		assert_int_equal(read(p.server, &byte, 1), 1);
		assert_int_equal(write(p.server, &byte, 1), 1);
		assert_int_equal(read(p.client, &byte, 1), 1);
	}
	nd_collector_sockets.finish(w.f);
	nd_collector_sockets.end(own);
	snprintf(key, sizeof(key), "tcp/127.0.0.1:%u", p.port);
	assert_num(get(&w, ND_LISTENER, key, "backlog", ND_BARE), 7);
	assert_num(get(&w, ND_LISTENER, key, "queue", ND_MAX), 0);
	assert_num(get(&w, ND_LISTENER, key, "drops", ND_DELTA), 0);
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	owners = nd_related(w.f, nd_entity(w.f, ND_LISTENER, key), ND_LISTENER_PROCESSES, false);
	assert_int_equal(owners.n, 1);
	assert_string_equal(nd_entity_key(w.f, owners.ids[0]), pid);
	assert_int_equal(nd_related(w.f, owners.ids[0], ND_THREAD_PROCESS, true).n, 1);
	assert_int_equal(get(&w, ND_PROCESS, pid, "comm", ND_BARE).type, ND_V_TEXT);
	snprintf(key, sizeof(key), "127.0.0.1:%u", p.port);
	assert_num(get(&w, ND_PEER, key, "exchanges", ND_DELTA), 1);
	assert_true(get(&w, ND_PEER, key, "min_rtt", ND_BARE).num < 1);
	assert_true(get(&w, ND_PEER, key, "local", ND_BARE).yes);
	snprintf(key, sizeof(key), "%u", p.port);
	assert_num(get(&w, ND_SERVICE, key, "exchanges", ND_DELTA), 1);
	world_close(&w);
	nd_source_free(s);
	pair_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel_filters),
		cmocka_unit_test(test_filter_limits),
		cmocka_unit_test(test_live),
	};

	return cmocka_run_group_tests_name("sock_live", tests, NULL, NULL);
}
