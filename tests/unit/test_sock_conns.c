/* Connections counted by state, destination and port: from ss, from netstat in its spellings, and broken. */
#include "collectors/process.h"
#include "collectors/sock_conns.h"
#include "tests/unit/counter_input.h"

extern const struct nd_collector nd_collector_ss, nd_collector_netstat_a;

static struct store new_store(void)
{
	struct store s = store_new(nd_sock_facts, nd_conn_facts);

	nd_facts_free(s.f);
	nd_registry_add(s.r, nd_tcp_state_facts);
	nd_registry_add(s.r, nd_process_facts);
	nd_registry_add_table(s.r, &nd_sock_table);
	s.f = nd_facts_new(s.r);
	return s;
}

static struct nd_value of(const struct store *s, enum nd_kind kind, const char *key,
			  const char *fact)
{
	const nd_id id = nd_entity_find(s->f, kind, key);

	if (id == ND_NO_ENTITY)
		fail_msg("no %s:%s", nd_kinds[kind].name, key);
	return nd_get(s->f, id, nd_registry_find(s->r, kind, fact), ND_BARE);
}

static void expect_of(const struct store *s, enum nd_kind kind, const char *key, const char *fact,
		      double want)
{
	const struct nd_value v = of(s, kind, key, fact);

	if (v.type != ND_V_NUMBER || v.num != want)
		fail_msg("%s:%s %s: expected %g, got %g", nd_kinds[kind].name, key, fact, want,
			 v.type == ND_V_NUMBER ? v.num : -1);
}

#define SS_HEADER "State  Recv-Q Send-Q Local Address:Port Peer Address:Port\n"
#define NETSTAT_HEADER                                                                             \
	"Active Internet connections (servers and established)\n"                                  \
	"Proto Recv-Q Send-Q Local Address           Foreign Address         State       PID/Program name\n"

static void test_ss(void **state)
{
	static const char text[] =
		SS_HEADER "LISTEN 0 128 0.0.0.0:80 0.0.0.0:*\n"
			  "LISTEN 0 64 [::]:8080 [::]:*\n"
			  "SYN-RECV 0 0 10.0.0.1:80 192.0.2.1:1001\n"
			  "SYN-RECV 0 0 10.0.0.1:80 192.0.2.1:1002\n"
			  "ESTAB 0 0 10.0.0.1:80 192.0.2.1:1003\n"
			  "CLOSE-WAIT 1 0 10.0.0.1:80 192.0.2.1:1004\n"
			  "ESTAB 0 0 10.0.0.1:40001 10.0.0.9:5432\n"
			  "TIME-WAIT 0 0 10.0.0.1:40002 10.0.0.9:5432\n"
			  "TIME-WAIT 0 0 [::ffff:10.0.0.1]:40003 [::ffff:10.0.0.9]:5432\n"
			  "TIME-WAIT 0 0 10.0.0.2:40003 10.0.0.9:5432\n"
			  "CLOSE-WAIT 1 0 10.0.0.2:40004 10.0.0.9:5432\n"
			  "SYN-SENT 0 1 10.0.0.1:40005 10.0.0.8:443\n"
			  "SYN-SENT 0 1 10.0.0.1:40006 10.0.0.8:443\n";
	struct store s = new_store();

	(void)state;
	assert_int_equal(feed_text(&s, &nd_collector_ss, "ss-ant", text), 0);
	expect_num(&s, "tcp.states.syn_recv", 2);
	expect_num(&s, "tcp.states.time_wait", 3);
	expect_num(&s, "tcp.states.close_wait", 2);
	expect_num(&s, "tcp.states.syn_sent", 2);
	expect_num(&s, "tcp.states.last_ack", 0);
	expect_num(&s, "tcp.states.listen", 2);
	expect_of(&s, ND_LISTENER, "tcp/0.0.0.0:80", "syn_recv", 2);
	expect_of(&s, ND_LISTENER, "tcp/[::]:8080", "syn_recv", 0);
	expect_of(&s, ND_SERVICE, "80", "close_wait", 1);
	expect_of(&s, ND_PEER, "10.0.0.9:5432", "ports", 3); /* from 10.0.0.1; 2 from 10.0.0.2 */
	expect_of(&s, ND_PEER, "10.0.0.9:5432", "close_wait", 1);
	expect_of(&s, ND_PEER, "10.0.0.8:443", "syn_sent", 2); /* known by its SYNs alone */
	store_free(&s);
}

/* A list without TIME-WAIT may be the one that leaves it out: how many ports are in use is unknown. */
static void test_part(void **state)
{
	struct store s = new_store();

	(void)state;
	assert_int_equal(feed_text(&s, &nd_collector_ss, "ss-tn",
				   SS_HEADER "ESTAB 0 0 10.0.0.1:40001 10.0.0.9:5432\n"),
			 0);
	expect_num(&s, "tcp.states.established", 1);
	expect_missing(&s, "tcp.states.time_wait", ND_NOT_SAMPLED);
	assert_int_equal(of(&s, ND_PEER, "10.0.0.9:5432", "ports").type, ND_V_MISSING);
	expect_of(&s, ND_PEER, "10.0.0.9:5432", "close_wait", 0);
	store_free(&s);
	s = new_store(); /* what a state filter lists has no state */
	assert_int_equal(feed_text(&s, &nd_collector_ss, "ss-x",
				   "Recv-Q Send-Q Local Address:Port Peer Address:Port\n"
				   "0 0 10.0.0.1:40001 10.0.0.9:5432\n"),
			 0);
	expect_missing(&s, "tcp.states.established", ND_NOT_SAMPLED);
	store_free(&s);
	s = new_store(); /* the first lines of many */
	assert_int_equal(feed_text(&s, &nd_collector_ss, "ss-tan",
				   SS_HEADER "TIME-WAIT 0 0 127.0.0.1:29993 127.0.0.1:4567\n"
					     "TIME-WAIT 0 0 127.0.0.1:28522 127.0.0.1:4567\n"),
			 0);
	expect_missing(&s, "tcp.states.time_wait", ND_NOT_SAMPLED);
	store_free(&s);
}

static void test_netstat(void **state)
{
	static const char *const texts[] = {
		NETSTAT_HEADER
		"tcp        0      0 0.0.0.0:80              0.0.0.0:*               LISTEN      812/nginx: master \n"
		"tcp        3      0 127.0.0.1:9000          0.0.0.0:*               LISTEN      -\n"
		"tcp        1      0 10.0.0.1:80             192.0.2.1:1004          CLOSE_WAIT  813/nginx: worker \n"
		"tcp        0      0 10.0.0.1:80             192.0.2.1:1005          SYN_RECV    -\n"
		"tcp6       0      0 ::ffff:10.0.0.1:40001   ::ffff:10.0.0.9:5432    TIME_WAIT   -\n"
		"udp        0      0 0.0.0.0:68              0.0.0.0:*                           600/dhclient\n"
		"Active UNIX domain sockets (servers and established)\n"
		"unix  2      [ ]         DGRAM                    13445    600/x\n",
		"$ netstat -nat\r\n" NETSTAT_HEADER
		"tcp 0 0 0.0.0.0:80 0.0.0.0:* LISTEN 0 12345 812/nginx\r\n"
		"tcp 3 0 127.0.0.1:9000 0.0.0.0:* LISTEN 0 12346 -\r\n"
		"tcp 1 0 10.0.0.1:80 192.0.2.1:1004 CLOSE_WAIT 33 12347 813/nginx\r\n"
		"tcp 0 0 10.0.0.1:80 192.0.2.1:1005 SYN_RECV 0 0 -\r\n"
		"tcp 0 0 10.0.0.1:40001 10.0.0.9:5432 TIME_WAIT 0 0 -\r\n",
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(texts); i++) {
		struct store s = new_store();
		struct nd_value v;

		assert_int_equal(feed_text(&s, &nd_collector_netstat_a, "netstat-antp", texts[i]),
				 0);
		expect_num(&s, "tcp.states.listen", 2);
		expect_num(&s, "tcp.states.close_wait", 1);
		expect_num(&s, "tcp.states.syn_recv", 1);
		expect_num(&s, "tcp.states.time_wait", 1);
		expect_missing(&s, "tcp.states.established", ND_NOT_SAMPLED);
		expect_of(&s, ND_LISTENER, "tcp/0.0.0.0:80", "queue", 0);
		expect_of(&s, ND_LISTENER, "tcp/127.0.0.1:9000", "queue", 3);
		expect_of(&s, ND_LISTENER, "tcp/0.0.0.0:80", "syn_recv", 1);
		v = of(&s, ND_LISTENER, "tcp/127.0.0.1:9000", "backlog");
		assert_int_equal(v.type, ND_V_MISSING);
		assert_int_equal(v.why, ND_TOOL_OUTPUT_ABSENT);
		assert_string_equal(of(&s, ND_PROCESS, "812", "comm").text, "nginx");
		expect_of(&s, ND_SERVICE, "80", "close_wait", 1);
		store_free(&s);
	}
}

static void test_bsd(void **state)
{
	struct store s = new_store();

	(void)state;
	assert_int_equal(feed_text(&s, &nd_collector_netstat_a, "netstat-Lan",
				   "Current listen queue sizes (qlen/incqlen/maxqlen)\n"
				   "Proto Listen                           Local Address\n"
				   "tcp4  193/0/128                        *.80\n"
				   "tcp6  0/0/128                          ::1.9000\n"
				   "unix  0/0/5                            /var/run/x\n"),
			 0);
	expect_of(&s, ND_LISTENER, "tcp/0.0.0.0:80", "queue", 193);
	expect_of(&s, ND_LISTENER, "tcp/0.0.0.0:80", "backlog", 128);
	expect_of(&s, ND_LISTENER, "tcp/[::1]:9000", "queue", 0);
	store_free(&s);
}

/* Many destinations, and a number of ports near the whole range. */
static void test_many(void **state)
{
	struct nd_input in = {.path = "test", .netns = "host"};
	struct nd_conns *c = nd_conns_new();
	struct store s = new_store();
	struct nd_sock k = {.state = ND_TCP_TIME_WAIT};

	(void)state;
	k.local.family = k.remote.family = 2;
	for (uint32_t i = 0; i < 70000; i++) {
		k.local.port = (uint16_t)(1024 + i % 60000);
		k.remote.port = 443;
		memcpy(k.remote.ip, &i, sizeof(i));
		nd_conns_add(c, &k);
	}
	memset(k.remote.ip, 9, 4);
	for (uint32_t i = 0; i < 28232; i++)
		nd_conns_add(c, &k);
	nd_conns_put(c, s.f, &in, true);
	expect_num(&s, "tcp.states.time_wait", 98232);
	expect_num(&s, "tcp.states.established", 0);
	nd_conns_free(c);
	nd_conns_free(NULL);
	store_free(&s);
}

static void test_broken(void **state)
{
	static const char *const texts[] = {
		"",
		"tcp\n",
		"tcp 0\ntcp 0 0\ntcp 0 0 1.2.3.4:80\ntcp 0 0 1.2.3.4:80 5.6.7.8:9\n",
		"tcp -1 0 1.2.3.4:80 5.6.7.8:9 LISTEN\ntcp 0 99999999999 1.2.3.4:80 5.6.7.8:9 LISTEN\n",
		"tcp 0 0 : :: LISTEN\ntcp 0 0 1.2.3.4: 5.6.7.8: LISTEN\ntcp x y z\x01\xff\n",
		"tcp4 1/2 *.80\ntcp4 1/2/3\ntcp4 // *.80\ntcp4 1/2/3/4 *.80\ntcp4 1/2/3 80\n",
		"TcpExt:\n    12 times the listen queue of a socket overflowed\n",
		"Kernel Interface table\nIface MTU RX-OK\neth0 1500 12\n",
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(texts); i++) {
		struct store s = new_store();
		uint32_t n;

		assert_int_equal(feed_text(&s, &nd_collector_netstat_a, "netstat", texts[i]), 0);
		nd_entities(s.f, ND_LISTENER, &n);
		assert_int_equal(n, 0);
		store_free(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ss),	cmocka_unit_test(test_part),
		cmocka_unit_test(test_netstat), cmocka_unit_test(test_bsd),
		cmocka_unit_test(test_many),	cmocka_unit_test(test_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
