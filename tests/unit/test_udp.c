/* UDP sockets: /proc/net/udp, and the texts of ss and netstat of several generations. */
#include "tests/unit/counter_input.h"

#include "collectors/process.h"
#include "collectors/udp.h"

extern const struct nd_collector nd_collector_udp, nd_collector_udp_ss, nd_collector_udp_netstat;

/* Linux 6.18; the socket of the second line is full and has dropped. */
static const char proc[] =
	"   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  "
	"timeout inode ref pointer drops            \n"
	" 3750: 00000000:C895 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        "
	"0 1284078 2 00000000c249be0b 0       \n"
	" 7067: 0100007F:158A 00000000:0000 07 00000000:0001FE00 00:00000000 00000000     0        "
	"0 1284077 2 0000000007e5b9c1 778     \n"
	" 7067: 0100007F:158A 0200007F:0035 01 00000000:00000100 00:00000000 00000000     0        "
	"0 1284079 2 0000000007e5b9c2 -1\n";
static const char proc6[] =
	"  sl  local_address                         remote_address                        st "
	"tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops\n"
	"  466: 00000000000000000000000001000000:0035 00000000000000000000000000000000:0000 07 "
	"00000000:00000000 00:00000000 00000000   101        0 18334 2 0000000000000000 5\n";
/* iproute2 6.15, 4.x and 3.x */
static const char ss_new[] = "State  Recv-Q Send-Q Local Address:Port  Peer Address:PortProcess\n"
			     "UNCONN 0      0            0.0.0.0:51349      0.0.0.0:*    "
			     "users:((\"rsyslogd\",pid=812,fd=5),(\"in:imudp\",pid=813,fd=5))\n"
			     "\t skmem:(r0,rb212992,t0,tb212992,f0,w0,o0,bl0,d0)\n"
			     "UNCONN 130560 0          127.0.0.53%lo:53       0.0.0.0:*   \n"
			     "\t skmem:(r130560,rb131072,t0,tb212992,f512,w0,o0,bl0,d818)\n"
			     "UNCONN 0      0                  *:443              *:*   \n"
			     "ESTAB  0      0      [fe80::1]%eth0:546 [fe80::2]:547 \n";
static const char ss_old[] =
	"Netid  State      Recv-Q Send-Q     Local Address:Port       Peer Address:Port   \r\n"
	"udp    UNCONN     213376 0                      *:514                   *:*      "
	"users:((\"rsyslogd\",812,5)) skmem:(r213376,rb212992,t0,tb212992,f0,w0,o0)\r\n"
	"udp    UNCONN     0      0                     :::514                  :::*\r\n"
	"tcp    LISTEN     0      128                    *:22                    *:*\r\n";
static const char netstat[] =
	"Active Internet connections (servers and established)\n"
	"Proto Recv-Q Send-Q Local Address           Foreign Address         State       "
	"PID/Program name\n"
	"tcp        0      0 0.0.0.0:22              0.0.0.0:*               LISTEN      "
	"701/sshd\n"
	"udp   213248      0 0.0.0.0:514             0.0.0.0:*                           "
	"1234/rsyslogd\n"
	"udp6       0      0 :::123                  :::*                                -\n";

static struct store open_store(void)
{
	return store_new(nd_udp_facts, nd_process_facts);
}

static struct nd_value of(const struct store *s, const char *key, enum nd_udp_fact fact,
			  enum nd_accessor a)
{
	const nd_id id = nd_entity_find(s->f, ND_SOCKET, key);

	if (id == ND_NO_ENTITY)
		fail_msg("no socket %s", key);
	return nd_get(s->f, id, nd_registry_find(s->r, ND_SOCKET, nd_udp_facts[fact].name), a);
}

static void expect(const struct store *s, const char *key, enum nd_udp_fact fact, double want)
{
	const struct nd_value v = of(s, key, fact, fact == ND_UDP_DROPS ? ND_SEEN : ND_BARE);

	if (v.type != ND_V_NUMBER || v.num != want)
		fail_msg("%s %s: %.15g (type %d), expected %.15g", key, nd_udp_facts[fact].name,
			 v.num, v.type, want);
}

static void expect_none(const struct store *s, const char *key, enum nd_udp_fact fact)
{
	assert_int_equal(of(s, key, fact, fact == ND_UDP_DROPS ? ND_SEEN : ND_BARE).type,
			 ND_V_MISSING);
}

static uint32_t sockets(const struct store *s)
{
	uint32_t n;

	nd_entities(s->f, ND_SOCKET, &n);
	return n;
}

static void test_proc(void **state)
{
	const struct nd_collector *c = &nd_collector_udp;
	struct store s = open_store();

	(void)state;
	assert_int_equal(feed_text(&s, c, "udp", proc), 0);
	assert_int_equal(feed_text(&s, c, "udp6", proc6), 0);
	assert_int_equal(sockets(&s), 3);
	expect(&s, "udp/0.0.0.0:51349", ND_UDP_DROPS, 0);
	expect(&s, "udp/127.0.0.1:5514", ND_UDP_MEMBERS, 2);
	expect(&s, "udp/127.0.0.1:5514", ND_UDP_QUEUE, 0x1fe00); /* of the fullest */
	expect(&s, "udp/127.0.0.1:5514", ND_UDP_DROPS, 778 + 4294967295.0);
	expect(&s, "udp/127.0.0.1:5514", ND_UDP_PORT, 5514);
	expect(&s, "udp/[::1]:53", ND_UDP_DROPS, 5);
	expect_none(&s, "udp/[::1]:53", ND_UDP_RCVBUF);
	assert_string_equal(of(&s, "udp/[::1]:53", ND_UDP_ADDRESS, ND_BARE).text, "[::1]:53");
	store_free(&s);
}

/* Two moments make a window; the header alone is a host without UDP sockets. */
static void test_moments(void **state)
{
	const struct nd_collector *c = &nd_collector_udp;
	struct store s = open_store();
	char *later = nd_strdup(proc);

	(void)state;
	memcpy(strstr(later, "778  "), "1778 ", 5);
	assert_int_equal(feed(&s, c, "udp@0", proc, strlen(proc), 0), 0);
	assert_int_equal(feed(&s, c, "udp@10", later, strlen(later), 10), 0);
	assert_true(of(&s, "udp/127.0.0.1:5514", ND_UDP_DROPS, ND_RATE).num == 100);
	store_free(&s);
	free(later);

	s = open_store();
	assert_int_equal(feed(&s, c, "udp", proc, strcspn(proc, "\n") + 1, 0), 0);
	assert_int_equal(nd_kind_status(s.f, ND_SOCKET).why, ND_PRESENT);
	assert_int_equal(sockets(&s), 0);
	store_free(&s);

	s = open_store();
	assert_int_equal(feed_text(&s, c, "udp", "udp\n"), -EINVAL);
	assert_non_null(strstr(s.e.msg, "local_address"));
	store_free(&s);
}

static void test_ss_new(void **state)
{
	struct store s = open_store();
	nd_id owner;

	(void)state;
	assert_int_equal(feed_text(&s, &nd_collector_udp_ss, "ss-uanpm.txt", ss_new), 0);
	assert_int_equal(sockets(&s), 4);
	expect(&s, "udp/127.0.0.53:53", ND_UDP_DROPS, 818);
	expect(&s, "udp/127.0.0.53:53", ND_UDP_RCVBUF, 131072);
	expect(&s, "udp/127.0.0.53:53", ND_UDP_QUEUE, 130560);
	expect_none(&s, "udp/[::]:443", ND_UDP_DROPS); /* no skmem there */
	expect(&s, "udp/[fe80::1]:546", ND_UDP_MEMBERS, 1);
	owner = nd_entity_find(s.f, ND_PROCESS, "812");
	assert_int_not_equal(owner, ND_NO_ENTITY);
	assert_int_equal(nd_related(s.f, nd_entity_find(s.f, ND_SOCKET, "udp/0.0.0.0:51349"),
				    ND_SOCKET_PROCESSES, false)
				 .n,
			 2);
	store_free(&s);
}

static void test_ss_old(void **state)
{
	struct store s = open_store();

	(void)state;
	assert_int_equal(feed_text(&s, &nd_collector_udp_ss, "ss-anpm", ss_old), 0);
	assert_int_equal(sockets(&s), 2);
	expect(&s, "udp/0.0.0.0:514", ND_UDP_QUEUE, 213376);
	expect(&s, "udp/0.0.0.0:514", ND_UDP_RCVBUF, 212992);
	expect_none(&s, "udp/0.0.0.0:514", ND_UDP_DROPS);
	expect(&s, "udp/[::]:514", ND_UDP_QUEUE, 0);
	assert_int_not_equal(nd_entity_find(s.f, ND_PROCESS, "812"), ND_NO_ENTITY);
	store_free(&s);
}

static void test_netstat(void **state)
{
	struct store s = open_store();

	(void)state;
	assert_int_equal(feed_text(&s, &nd_collector_udp_netstat, "netstat-anp", netstat), 0);
	assert_int_equal(sockets(&s), 2);
	expect(&s, "udp/0.0.0.0:514", ND_UDP_QUEUE, 213248);
	expect_none(&s, "udp/0.0.0.0:514", ND_UDP_DROPS);
	assert_int_not_equal(nd_entity_find(s.f, ND_PROCESS, "1234"), ND_NO_ENTITY);
	store_free(&s);
}

/* A table without protocol or UNCONN is TCP's unless the name of the file says otherwise. */
static void test_whose_table(void **state)
{
	static const char text[] = "State Recv-Q Send-Q Local Address:Port Peer Address:Port\n"
				   "ESTAB 0 0 192.0.2.1:40000 192.0.2.2:53\n";
	static const char statistics[] = "Udp:\n    15312436 packets received\n";
	struct store s = open_store();

	(void)state;
	assert_int_equal(feed_text(&s, &nd_collector_udp_ss, "ss-tan", text), 0);
	assert_int_equal(sockets(&s), 0);
	assert_int_equal(feed_text(&s, &nd_collector_udp_netstat, "netstat-su", statistics), 0);
	assert_int_not_equal(nd_kind_status(s.f, ND_SOCKET).why, ND_PRESENT);
	assert_int_equal(feed_text(&s, &nd_collector_udp_ss, "ss-uan", text), 0);
	assert_int_equal(sockets(&s), 1);
	store_free(&s);
}

/* Cut anywhere: what is there has the numbers of the whole. */
static void cut(const struct nd_collector *c, const char *path, const char *text)
{
	struct store whole = open_store();
	uint32_t n;

	feed_text(&whole, c, path, text);
	for (size_t len = 0; len < strlen(text); len++) {
		struct store part = open_store();
		const nd_id *ids;

		feed(&part, c, path, text, len, 0);
		ids = nd_entities(part.f, ND_SOCKET, &n);
		for (uint32_t i = 0; i < n; i++)
			for (enum nd_udp_fact k = ND_UDP_RCVBUF; k <= ND_UDP_QUEUE; k++) {
				const char *key = nd_entity_key(part.f, ids[i]);
				const struct nd_value p = of(&part, key, k, ND_BARE);

				if (p.type == ND_V_NUMBER)
					assert_true(p.num == of(&whole, key, k, ND_BARE).num);
			}
		store_free(&part);
	}
	store_free(&whole);
}

static void test_cut(void **state)
{
	(void)state;
	cut(&nd_collector_udp, "udp", proc);
	cut(&nd_collector_udp, "udp6", proc6);
	cut(&nd_collector_udp_ss, "ss-uanpm", ss_new);
	cut(&nd_collector_udp_ss, "ss-anpm", ss_old);
	cut(&nd_collector_udp_netstat, "netstat-anp", netstat);
}

/* Of many sockets those that dropped something are kept. */
static void test_many(void **state)
{
	struct nd_udp_list l = {0};
	struct store s = open_store();
	const struct nd_input in = {.path = "test", .netns = "host"};

	(void)state;
	for (uint32_t i = 0; i < ND_UDP_SOCKETS_MAX; i++) {
		struct nd_udp_socket *one = nd_udp_new(&l);

		one->local.family = 2;
		one->local.port = (uint16_t)i;
		one->drops = i == 65535 ? 7 : 0;
	}
	assert_null(nd_udp_new(&l));
	nd_udp_put(&l, s.f, &in, ND_UDP_MOMENT);
	assert_int_equal(sockets(&s), ND_UDP_ENTITIES_MAX);
	expect(&s, "udp/0.0.0.0:65535", ND_UDP_DROPS, 7);
	nd_udp_free(&l);
	store_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_proc),	cmocka_unit_test(test_moments),
		cmocka_unit_test(test_ss_new),	cmocka_unit_test(test_ss_old),
		cmocka_unit_test(test_netstat), cmocka_unit_test(test_whose_table),
		cmocka_unit_test(test_cut),	cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
