/* tcpsynbl of BCC and of bpftrace, tcpconnlat with its options, and broken ones. */
#include "tests/unit/counter_input.h"

extern const struct nd_collector nd_collector_handshake_tool;
static const struct nd_collector *const c = &nd_collector_handshake_tool;

/* Samples of the histogram that lie in lo..hi; -1: there is none. */
static double between(const struct store *s, enum nd_kind kind, const char *key, const char *fact,
		      double lo, double hi)
{
	const nd_id id = nd_entity_find(s->f, kind, key);
	struct nd_value v;
	double n = 0;

	if (id == ND_NO_ENTITY)
		return -1;
	v = nd_get(s->f, id, nd_registry_find(s->r, kind, fact), ND_BARE);
	if (v.type != ND_V_HIST)
		return -1;
	for (uint32_t i = 0; i < v.hist->n; i++)
		if (v.hist->b[i].lo >= lo && v.hist->b[i].lo < hi)
			n += v.hist->b[i].count;
	return n;
}

static void test_backlog(void **state)
{
	static const char *const texts[] = {
		"Tracing SYN backlog size. Ctrl-C to end.\n^C\n\nbacklog_max = 500L\n"
		"     backlog             : count     distribution\n"
		"         0 -> 1          : 961      |****************************************|\n"
		"         2 -> 3          : 1        |                                        |\n\n"
		"backlog_max = 128\n"
		"     backlog             : count     distribution\n"
		"         0 -> 1          : 39       |*******                                 |\n"
		"        64 -> 127        : 7        |*                                       |\n"
		"       128 -> 255        : 5        |*                                       |\n",
		"Attaching 2 probes...\nTracing SYN backlog size. Ctrl-C to end.\n^C\n"
		"@backlog[500]: \n[0]                  961 |@@@@@@@@@@|\n[2, 4)                 1 |          |\n\n"
		"@backlog[128]: \n[0]                   39 |@@        |\n[64, 128)              7 |          |\n"
		"[128, 256)             5 |          |\n",
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(texts); i++) {
		struct store s = store_new(c->facts, NULL);

		assert_int_equal(feed_text(&s, c, "tcpsynbl", texts[i]), 0);
		assert_true(between(&s, ND_NETNS, "host", "tcp.accept_fill", 0, 0.05) == 1001);
		assert_true(between(&s, ND_NETNS, "host", "tcp.accept_fill", 0.45, 0.55) == 7);
		assert_true(between(&s, ND_NETNS, "host", "tcp.accept_fill", 1, 9) == 5);
		store_free(&s);
	}
}

static void test_connects(void **state)
{
	static const char text[] =
		"PID    COMM         IP SADDR            LPORT DADDR            DPORT LAT(ms)\n"
		"1201   wget         4  10.0.0.1         40001 192.0.2.7        443   8.14\n"
		"1201   my cmd       4  10.0.0.1         40002 192.0.2.7        443   1003.14\n"
		"1202   x            4  10.0.0.1         40003 192.0.2.7        443   3000\n"
		"1203   y            6  ::1              40004 ::1              80    0.05\n"
		"1204   z            4  10.0.0.1         40005 192.0.2.7        443   999999999\n";
	struct store s = store_new(c->facts, NULL);

	(void)state;
	assert_int_equal(feed_text(&s, c, "tcpconnlat", text), 0);
	assert_true(between(&s, ND_PEER, "192.0.2.7:443", "connect_time", 0, 0.5) == 1);
	assert_true(between(&s, ND_PEER, "192.0.2.7:443", "connect_time", 0.5, 1.4) == 1);
	assert_true(between(&s, ND_PEER, "192.0.2.7:443", "connect_time", 2, 3.4) == 1);
	assert_true(between(&s, ND_PEER, "192.0.2.7:443", "connect_time", 10, 99) == 1);
	assert_true(between(&s, ND_PEER, "[::1]:80", "connect_time", 0, 0.1) == 1);
	store_free(&s);
}

static void test_broken(void **state)
{
	static const char *const texts[] = {
		"",
		"backlog_max = \n 0 -> 1 : 5 |*|\n",
		"backlog_max = 0\n 0 -> 1 : 5 |*|\n",
		" 0 -> 1 : 5 |*|\n@backlog[]: \n[0] 5 |@|\n@backlog[x]\n",
		"DADDR LAT(ms)\n\n1\n1 2\n1 x 4 a b c d\n1 x 4 1.2.3.4 5.6.7.8 80 -5\n\xff\x01\n",
		"DADDR LAT(ms)\n1 x 4 1.2.3.4 5.6.7.8 99999 5\n",
		"DADDR LAT(ms)\n: : 1\n:: 0 1\n1.2.3.4 0 2\n",
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(texts); i++) {
		struct store s = store_new(c->facts, NULL);
		uint32_t n;

		assert_int_equal(feed_text(&s, c, "tcpsynbl", texts[i]), 0);
		assert_true(between(&s, ND_NETNS, "host", "tcp.accept_fill", 0, 99) == -1);
		nd_entities(s.f, ND_PEER, &n);
		assert_int_equal(n, 0);
		store_free(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_backlog),
		cmocka_unit_test(test_connects),
		cmocka_unit_test(test_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
