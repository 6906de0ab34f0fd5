/* Text of `netstat -ant` and its like, old and new, whole and broken. */
#include "tests/unit/sock_world.h"

extern const struct nd_collector nd_collector_netstat_a;

static struct nd_err err;

static int read_text(struct world *w, const char *text, size_t len)
{
	struct nd_input in = {.path = "netstat-ant.txt", .netns = "host"};
	struct nd_stream *s = nd_stream_mem(text, len);
	int rc = nd_collector_netstat_a.parse(&in, s, w->f, &err);

	nd_stream_close(s);
	return rc;
}

static uint32_t count(struct world *w, enum nd_kind kind)
{
	uint32_t n;

	nd_entities(w->f, kind, &n);
	return n;
}

/* net-tools 1.60 and 2.10, as people paste them. */
static const char everything[] =
	"$ netstat -anteop\n"
	"Active Internet connections (servers and established)\n"
	"Proto Recv-Q Send-Q Local Address           Foreign Address         State       User       Inode      PID/Program name     Timer\n"
	"tcp        0      0 0.0.0.0:22              0.0.0.0:*               LISTEN      0          20591      811/sshd: /usr/sbin  off (0.00/0/0)\n"
	"tcp6     129      0 :::80                   :::*                    LISTEN      0          20593      812/java             off (0.00/0/0)\n"
	"tcp        0      0 192.0.2.1:22            198.51.100.7:51000      ESTABLISHED 0          31337      900/sshd: root@pts   keepalive (7193.21/0/0)\n"
	"tcp   318924  52630 192.0.2.1:43014         198.51.100.1:1514       ESTABLISHED 1000       31338      1234/java            on (0.20/3/0)\r\n"
	"tcp        0  90000 192.0.2.1:43015         198.51.100.1:1515       ESTABLISHED 1000       31339      1234/java            probe (12.75/0/9)\n"
	"tcp        1      0 192.0.2.1:43016         198.51.100.1:1516       CLOSE_WAIT  1000       31340      1234/java            off (0.00/0/0)\n"
	"tcp        0      0 192.0.2.1:43017         198.51.100.1:1517       TIME_WAIT   0          0          -                    timewait (41.11/0/0)\n"
	"udp        0      0 0.0.0.0:68              0.0.0.0:*                           0          15000      700/dhclient         off (0.00/0/0)\n"
	"Active UNIX domain sockets (servers and established)\n"
	"unix  2      [ ACC ]     STREAM     LISTENING     14023    1/init   /run/x\n";

static void test_everything(void **state)
{
	struct world w;

	(void)state;
	world_open(&w);
	assert_int_equal(read_text(&w, everything, sizeof(everything) - 1), 0);
	assert_int_equal(count(&w, ND_LISTENER), 2);
	assert_int_equal(count(&w, ND_SERVICE), 1);
	assert_int_equal(count(&w, ND_PEER), 3);
	assert_num(get(&w, ND_LISTENER, "tcp/[::]:80", "queue", ND_BARE), 129);
	assert_int_equal(get(&w, ND_LISTENER, "tcp/[::]:80", "backlog", ND_BARE).type,
			 ND_V_MISSING);
	assert_num(get(&w, ND_SERVICE, "22", "retries", ND_BARE), 0);
	assert_num(get(&w, ND_PEER, "198.51.100.1:1514", "recv_q", ND_BARE), 318924);
	assert_num(get(&w, ND_PEER, "198.51.100.1:1514", "send_q", ND_BARE), 52630);
	assert_num(get(&w, ND_PEER, "198.51.100.1:1514", "retries", ND_BARE), 3);
	assert_num(get(&w, ND_PEER, "198.51.100.1:1515", "retries", ND_BARE), 9);
	assert_string_equal(
		get(&w, ND_PEER, "198.51.100.1:1514", "recv_q.connection", ND_BARE).text,
		"192.0.2.1:43014 198.51.100.1:1514");
	assert_string_equal(get(&w, ND_PROCESS, "1234", "comm", ND_BARE).text, "java");
	assert_string_equal(get(&w, ND_PROCESS, "811", "comm", ND_BARE).text, "sshd");
	assert_int_equal(nd_kind_status(w.f, ND_LISTENER).why, ND_PRESENT);
	world_close(&w);
}

static void test_columns(void **state)
{
	static const struct {
		const char *line;
		double timer, left, retries;
	} rows[] = {
		{"tcp 5 7 10.0.0.1:40000 10.0.0.2:22 ESTABLISHED\n", NAN, NAN, NAN},
		{"tcp 5 7 10.0.0.1:40000 10.0.0.2:22 ESTABLISHED on (25.06/7/0)\n", 1, 25.06, 7},
		{"  tcp  5  7  10.0.0.1:40000  10.0.0.2:22  ESTABLISHED probe (1.50/0/12)\n", 4,
		 1.5, 12},
		{"tcp6 5 7 ::ffff:10.0.0.1:40000 ::ffff:10.0.0.2:22 ESTABLISHED off (0.00/0/0)\n",
		 0, NAN, 0},
		{"tcp 5 7 10.0.0.1:40000 10.0.0.2:22 ESTABLISHED root 77 5/a b on (0.2/1/0)\n", 1,
		 0.2, 1},
		{"tcp 5 7 10.0.0.1:40000 10.0.0.2:22 ESTABLISHED on (25.06/7\n", NAN, NAN, NAN},
		{"tcp 5 7 10.0.0.1:40000 10.0.0.2:22 ESTABLISHED on (x/7/0)\n", NAN, NAN, NAN},
		{"tcp 5 7 10.0.0.1:40000 10.0.0.2:22 ESTABLISHED unkn-9 (0.2/1/0)\n", NAN, NAN,
		 NAN},
	};

	(void)state;
	for (unsigned i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct world w;

		world_open(&w);
		read_text(&w, rows[i].line, strlen(rows[i].line));
		assert_int_equal(w.rows, 1);
		assert_true(column(&w, "recv_q") == 5 && column(&w, "send_q") == 7);
		assert_true(isnan(rows[i].timer) ? isnan(column(&w, "timer"))
						 : column(&w, "timer") == rows[i].timer);
		assert_true(isnan(rows[i].left) ? isnan(column(&w, "timer_left"))
						: column(&w, "timer_left") == rows[i].left);
		assert_true(isnan(rows[i].retries) ? isnan(column(&w, "retries"))
						   : column(&w, "retries") == rows[i].retries);
		assert_true(isnan(column(&w, "cwnd")));
		assert_int_equal(count(&w, ND_SERVICE) + count(&w, ND_PEER), 1);
		world_close(&w);
	}
}

/* Is an empty list of it an answer? */
static void test_empty_lists(void **state)
{
#define HEADER "Proto Recv-Q Send-Q Local Address Foreign Address State\n"
	static const struct {
		const char *text;
		enum nd_missing listeners, peers;
	} rows[] = {
		{"Active Internet connections (only servers)\n" HEADER, ND_PRESENT,
		 ND_TOOL_OUTPUT_ABSENT},
		{"Active Internet connections (w/o servers)\n" HEADER, ND_TOOL_OUTPUT_ABSENT,
		 ND_PRESENT},
		{"Active Internet connections (servers and established)\n" HEADER, ND_PRESENT,
		 ND_PRESENT},
		{HEADER, ND_TOOL_OUTPUT_ABSENT, ND_TOOL_OUTPUT_ABSENT},
		{"Ip:\n    5 total packets received\n", ND_TOOL_OUTPUT_ABSENT,
		 ND_TOOL_OUTPUT_ABSENT},
		{"", ND_TOOL_OUTPUT_ABSENT, ND_TOOL_OUTPUT_ABSENT},
	};

	(void)state;
	for (unsigned i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct world w;

		world_open(&w);
		assert_int_equal(read_text(&w, rows[i].text, strlen(rows[i].text)), 0);
		nd_socks_finish(w.f);
		assert_int_equal(nd_kind_status(w.f, ND_LISTENER).why, rows[i].listeners);
		assert_int_equal(nd_kind_status(w.f, ND_PEER).why, rows[i].peers);
		world_close(&w);
	}
}

/* Lines of other systems and protocols, and broken ones. */
static void test_ignored(void **state)
{
	static const char *const texts[] = {
		"tcp4       0      0  127.0.0.1.8080         *.*                    LISTEN\n",
		"tcp        0      0 10.0.0.1:40000\n",
		"tcp        x      0 10.0.0.1:40000 10.0.0.2:22 ESTABLISHED\n",
		"tcp        0      0 10.0.0.1:40000 10.0.0.2:22 WEIRD\n",
		"tcp        0      0 nowhere 10.0.0.2:22 ESTABLISHED\n",
		"udp        0      0 10.0.0.1:40000 10.0.0.2:22 ESTABLISHED\n",
		"    12 ESTABLISHED\n",
	};

	(void)state;
	for (unsigned i = 0; i < ND_ARRAY_LEN(texts); i++) {
		struct world w;

		world_open(&w);
		assert_int_equal(read_text(&w, texts[i], strlen(texts[i])), 0);
		assert_int_equal(
			count(&w, ND_LISTENER) + count(&w, ND_SERVICE) + count(&w, ND_PEER), 0);
		world_close(&w);
	}
}

/* Every prefix, and every single byte replaced. */
static void test_hostile(void **state)
{
	static const char bytes[] = "\n:(/9 \xff";
	char copy[sizeof(everything)];

	(void)state;
	for (size_t i = 0; i < sizeof(everything); i += 3) {
		struct world w;

		world_open(&w);
		read_text(&w, everything, i);
		for (size_t b = 0; b < sizeof(bytes); b++) {
			memcpy(copy, everything, sizeof(copy));
			copy[i] = bytes[b];
			read_text(&w, copy, sizeof(copy) - 1);
		}
		assert_true(count(&w, ND_LISTENER) <= 2 * (ND_ARRAY_LEN(bytes) + 1));
		world_close(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_everything),  cmocka_unit_test(test_columns),
		cmocka_unit_test(test_empty_lists), cmocka_unit_test(test_ignored),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests_name("netstat_a", tests, NULL, NULL);
}
