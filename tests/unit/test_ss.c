/* Text of ss in its spellings, old and new, whole and broken. */
#include "collectors/collector.h"
#include "collectors/process.h"
#include "collectors/sock_conns.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

extern const struct nd_collector nd_collector_ss;

struct world {
	struct nd_registry *r;
	struct nd_facts *f;
	double row[64];
	const struct nd_table_def *table;
	uint32_t rows;
	struct nd_err e;
	int rc;
};

static void on_row(void *ctx, struct nd_facts *f, nd_id on, const struct nd_table_def *t,
		   const double *columns)
{
	struct world *w = ctx;

	(void)f;
	(void)on;
	assert_true(t->n_columns <= ND_ARRAY_LEN(w->row));
	w->table = t;
	memcpy(w->row, columns, t->n_columns * sizeof(*columns));
	w->rows++;
}

/* A column of the last row. */
static double column(const struct world *w, const char *name)
{
	for (uint32_t i = 0; i < w->table->n_columns; i++) {
		if (strcmp(w->table->columns[i].name, name) == 0)
			return w->row[i];
	}
	fail_msg("no column %s", name);
	return NAN;
}

static void world_open(struct world *w)
{
	*w = (struct world){0};
	w->r = nd_registry_new();
	nd_registry_add(w->r, nd_sock_facts);
	nd_registry_add(w->r, nd_conn_facts);
	nd_registry_add(w->r, nd_tcp_state_facts);
	nd_registry_add(w->r, nd_process_facts);
	w->f = nd_facts_new(w->r);
	nd_facts_on_row(w->f, on_row, w);
}

static void world_close(struct world *w)
{
	nd_facts_free(w->f);
	nd_registry_free(w->r);
}

static void read_bytes(struct world *w, const char *text, size_t len, double seconds)
{
	struct nd_input in = {.path = "ss.txt", .t_ns = (uint64_t)(seconds * 1e9), .netns = "host"};
	struct nd_stream *s = nd_stream_mem(text, len);

	w->rc = nd_collector_ss.parse(&in, s, w->f, &w->e);
	nd_stream_close(s);
}

static void read_text(struct world *w, const char *text)
{
	read_bytes(w, text, strlen(text), 1);
}

static struct nd_value get(struct world *w, enum nd_kind kind, const char *key, const char *fact,
			   enum nd_accessor a)
{
	nd_id id = nd_entity_find(w->f, kind, key);

	if (id == ND_NO_ENTITY)
		fail_msg("no %s:%s", nd_kinds[kind].name, key);
	return nd_get(w->f, id, nd_registry_find(w->r, kind, fact), a);
}

static void assert_num(struct nd_value v, double want)
{
	assert_int_equal(v.type, ND_V_NUMBER);
	assert_true(fabs(v.num - want) <= 1e-9 + fabs(want) * 1e-9);
}

static uint32_t count(struct world *w, enum nd_kind kind)
{
	uint32_t n;

	nd_entities(w->f, kind, &n);
	return n;
}

/* ---- listeners ---- */

#define OLD_HEADER "State      Recv-Q Send-Q Local Address:Port   Peer Address:Port\n"
#define NEW_HEADER "State  Recv-Q Send-Q Local Address:Port Peer Address:PortProcess\n"

static void test_listener_lines(void **state)
{
	static const struct {
		const char *text, *key, *address;
		double queue, backlog;
	} rows[] = {
		{OLD_HEADER "LISTEN     129    128      *:80       *:*\n", "tcp/0.0.0.0:80", "*",
		 129, 128},
		{"LISTEN 0 50 *:20880 *:*\n", "tcp/0.0.0.0:20880", "*", 0, 50},
		{"LISTEN 0 128 :::22 :::*\n", "tcp/[::]:22", "[::]", 0, 128},
		{NEW_HEADER "LISTEN 0 4 *:5601 *:*\n", "tcp/[::]:5601", "*", 0, 4},
		{"LISTEN 0 4 0.0.0.0:1 0.0.0.0:*\nLISTEN 0 5 *:2 *:*\n", "tcp/[::]:2", "*", 0, 5},
		{"LISTEN 0 128 [::]:80 [::]:*\n", "tcp/[::]:80", "[::]", 0, 128},
		{"LISTEN 0 128 127.0.0.53%lo:53 0.0.0.0:*\n", "tcp/127.0.0.53:53", "127.0.0.53", 0,
		 128},
		{"LISTEN 0 9 [fe80::1]%eth0:22 [::]:*\n", "tcp/[fe80::1]:22", "[fe80::1]", 0, 9},
		{"LISTEN 0 9 fe80::1%eth0:22 :::*\n", "tcp/[fe80::1]:22", "[fe80::1]", 0, 9},
		{"tcp   LISTEN 0 128 0.0.0.0:443 0.0.0.0:*\n", "tcp/0.0.0.0:443", "0.0.0.0", 0,
		 128},
		{"Recv-Q Send-Q Local Address:Port Peer Address:Port\n3 128 10.0.0.1:8080 *:*\n",
		 "tcp/10.0.0.1:8080", "10.0.0.1", 3, 128},
		{"LISTEN 0 128 *:http *:*\n", "tcp/0.0.0.0:http", "*", 0, 128},
	};

	(void)state;
	for (unsigned i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct world w;

		world_open(&w);
		read_text(&w, rows[i].text);
		assert_int_equal(w.rc, 0);
		assert_string_equal(get(&w, ND_LISTENER, rows[i].key, "address", ND_BARE).text,
				    rows[i].address);
		assert_num(get(&w, ND_LISTENER, rows[i].key, "queue", ND_BARE), rows[i].queue);
		assert_num(get(&w, ND_LISTENER, rows[i].key, "backlog", ND_BARE), rows[i].backlog);
		assert_int_equal(nd_related(w.f, nd_entity(w.f, ND_LISTENER, rows[i].key),
					    ND_LISTENER_NETNS, false)
					 .n,
				 1);
		world_close(&w);
	}
}

static void test_ports_by_name(void **state)
{
	struct world w;

	(void)state;
	world_open(&w);
	read_text(&w, "LISTEN 0 128 *:http *:*\n");
	assert_int_equal(get(&w, ND_LISTENER, "tcp/0.0.0.0:http", "port", ND_BARE).why,
			 ND_PARSE_ERROR);
	world_close(&w);
}

static void test_listener_memory_and_owner(void **state)
{
	struct world w;
	struct nd_links owners;

	(void)state;
	world_open(&w);
	read_text(
		&w, NEW_HEADER
		"LISTEN 0      128          0.0.0.0:80      0.0.0.0:*    users:((\"nginx: worker\",pid=7,fd=6),(\"nginx\",pid=8,fd=6)) ino:1596 sk:1 cgroup:/ <->\n"
		"\t skmem:(r0,rb131072,t0,tb16384,f0,w0,o0,bl0,d16) cubic cwnd:10\n"
		"LISTEN 0      50           0.0.0.0:81      0.0.0.0:*    users:((\"java\",4711,23))\n"
		"\t skmem:(r0,rb131072,t0,tb16384,f0,w0,o0)\n");
	assert_num(get(&w, ND_LISTENER, "tcp/0.0.0.0:80", "drops", ND_TOTAL), 16);
	assert_int_equal(get(&w, ND_LISTENER, "tcp/0.0.0.0:81", "drops", ND_TOTAL).type,
			 ND_V_MISSING);
	owners = nd_related(w.f, nd_entity(w.f, ND_LISTENER, "tcp/0.0.0.0:80"),
			    ND_LISTENER_PROCESSES, false);
	assert_int_equal(owners.n, 2);
	assert_string_equal(get(&w, ND_PROCESS, "7", "comm", ND_BARE).text, "nginx: worker");
	assert_string_equal(get(&w, ND_PROCESS, "8", "comm", ND_BARE).text, "nginx");
	assert_string_equal(get(&w, ND_PROCESS, "4711", "comm", ND_BARE).text, "java");
	world_close(&w);
}

/* ---- connections ---- */

/* iproute2 6.1 on 6.18, a client that writes its requests in two pieces. */
#define TAIL                                                                                                             \
	" cubic wscale:10,10 rto:224 rtt:20.5/19.9 ato:40 mss:32768 pmtu:65535 rcvmss:536 advmss:65483 cwnd:10 "         \
	"bytes_sent:37200 bytes_acked:37101 bytes_received:6200 segs_out:249 segs_in:126 data_segs_out:248 "             \
	"data_segs_in:124 send 128Mbps lastsnd:12 lastrcv:12 lastack:12 pacing_rate 255Mbps delivery_rate 29Gbps "       \
	"delivered:248 app_limited busy:5400ms rwnd_limited:1350ms(25.0%) unacked:1 rcv_space:65495 rcv_ssthresh:65495 " \
	"notsent:200 minrtt:0.009 snd_wnd:65536\n"

static void test_connection_forms(void **state)
{
	static const char *const forms[] = {
		"ESTAB 0 300 127.0.0.1:57324 127.0.0.1:5599\n\t" TAIL,
		"ESTAB 0 300 127.0.0.1:57324 127.0.0.1:5599 " TAIL,
		"LISTEN 0 4 127.0.0.1:5599 0.0.0.0:*\nESTAB 0 300 127.0.0.1:57324 127.0.0.1:5599 timer:(on,200ms,0) ino:5 sk:2 <->\n\t ts sack" TAIL,
		"Netid State Recv-Q Send-Q Local Address:Port Peer Address:Port\ntcp ESTAB 0 300 127.0.0.1:57324 127.0.0.1:5599\n\t" TAIL,
		"Recv-Q Send-Q Local Address:Port Peer Address:Port\n0 300 127.0.0.1:57324 127.0.0.1:5599\n\t" TAIL,
	};
	static const struct {
		const char *name;
		double want;
	} columns[] = {
		{"notsent", 200}, {"mss", 32768},	{"unacked", 1},
		{"cwnd", 10},	  {"last_send", 0.012}, {"rwnd", 65436},
		{"busy", NAN},	  {"rtt", 0.0205},	{"min_rtt", 9e-6},
	};

	(void)state;
	for (unsigned i = 0; i < ND_ARRAY_LEN(forms); i++) {
		struct world w;

		world_open(&w);
		read_text(&w, forms[i]);
		assert_int_equal(w.rows, 1);
		for (unsigned c = 0; c < ND_ARRAY_LEN(columns); c++) {
			double v = column(&w, columns[c].name);

			assert_true(isnan(columns[c].want) ? isnan(v)
							   : fabs(v - columns[c].want) < 1e-9);
		}
		assert_num(get(&w, ND_PEER, "127.0.0.1:5599", "exchanges", ND_TOTAL), 124);
		assert_num(get(&w, ND_PEER, "127.0.0.1:5599", "bytes.sent", ND_TOTAL), 37200);
		assert_num(get(&w, ND_PEER, "127.0.0.1:5599", "min_rtt", ND_BARE), 9e-6);
		assert_num(get(&w, ND_PEER, "127.0.0.1:5599", "rwnd_limited", ND_BARE), 0.25);
		assert_true(get(&w, ND_PEER, "127.0.0.1:5599", "local", ND_BARE).yes);
		world_close(&w);
	}
}

/* The lines of a socket whose peer does not read: no busy time is printed, only the share. */
static void test_share_without_busy(void **state)
{
	struct world w;

	(void)state;
	world_open(&w);
	read_text(
		&w,
		"ESTAB 0 3899264 192.0.2.109:32400 198.51.100.20:50000 timer:(persist,1min13sec,0)\n"
		"\t bbr backoff:9 mss:1448 cwnd:346 bytes_sent:157091065 rwnd_limited:146880ms(95.7%) retrans:0/1 notsent:3899264\n");
	assert_true(fabs(get(&w, ND_SERVICE, "32400", "rwnd_limited", ND_BARE).num - 0.957) < 1e-6);
	/* 157 MB and no segment counted: this ss does not print them */
	assert_int_equal(get(&w, ND_SERVICE, "32400", "exchanges", ND_TOTAL).type, ND_V_MISSING);
	assert_false(get(&w, ND_SERVICE, "32400", "local", ND_BARE).yes);
	world_close(&w);
}

static void test_sides(void **state)
{
	static const struct {
		const char *text;
		enum nd_kind kind;
		const char *key;
	} rows[] = {
		{"LISTEN 0 4 *:5599 *:*\nESTAB 0 0 10.0.0.1:5599 10.0.0.2:22\n", ND_SERVICE,
		 "5599"},
		{"ESTAB 0 0 10.0.0.1:5599 10.0.0.2:22\nLISTEN 0 4 *:5599 *:*\n", ND_SERVICE,
		 "5599"},
		{"LISTEN 0 4 *:1 *:*\nESTAB 0 0 10.0.0.1:22 10.0.0.2:5599\n", ND_PEER,
		 "10.0.0.2:5599"},
		{"ESTAB 0 0 10.0.0.1:22 10.0.0.2:5599\n", ND_SERVICE,
		 "22"}, /* nothing listens: the lower port serves */
		{"ESTAB 0 0 10.0.0.1:5599 10.0.0.2:22\n", ND_PEER, "10.0.0.2:22"},
		{"ESTAB 0 0 [::ffff:10.0.0.1]:5599 [::ffff:10.0.0.2]:22\n", ND_PEER, "10.0.0.2:22"},
		{"ESTAB 0 0 2001:db8::1:5599 2001:db8::2:22\n", ND_PEER, "[2001:db8::2]:22"},
		{"CLOSE-WAIT 1 0 10.0.0.1:5599 10.0.0.2:22\n", ND_PEER, "10.0.0.2:22"},
		{"ESTAB 0 0 a.example:5599 b.example:ssh\n", ND_PEER, "b.example:ssh"},
	};

	(void)state;
	for (unsigned i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct world w;

		world_open(&w);
		read_text(&w, rows[i].text);
		assert_int_equal(count(&w, rows[i].kind), 1);
		if (nd_entity_find(w.f, rows[i].kind, rows[i].key) == ND_NO_ENTITY)
			fail_msg("no %s in %s", rows[i].key, rows[i].text);
		world_close(&w);
	}
}

/* Listeners in one file, connections in another: `ss -ltn` and `ss -tin`, as people take them. */
static void test_two_files(void **state)
{
	struct world w;

	(void)state;
	world_open(&w);
	read_text(&w, "LISTEN 0 128 0.0.0.0:50000 0.0.0.0:*\n");
	read_text(&w, "ESTAB 0 0 10.0.0.1:50000 10.0.0.2:22\n");
	assert_int_equal(count(&w, ND_SERVICE), 1);
	assert_int_equal(count(&w, ND_PEER), 0);
	world_close(&w);
}

static void test_two_moments(void **state)
{
	static const char first[] =
		"ESTAB 0 0 10.0.0.1:40000 10.0.0.2:22\n\t cubic cwnd:10 data_segs_out:10 data_segs_in:20\n";
	static const char second[] =
		"ESTAB 0 0 10.0.0.1:40000 10.0.0.2:22\n\t cubic cwnd:10 data_segs_out:30 data_segs_in:40\n";
	struct world w;

	(void)state;
	world_open(&w);
	read_bytes(&w, first, sizeof(first) - 1, 0);
	read_bytes(&w, second, sizeof(second) - 1, 10);
	assert_num(get(&w, ND_PEER, "10.0.0.2:22", "exchanges", ND_RATE), 2);
	world_close(&w);
}

/* Is an empty list of it an answer? */
static void test_empty_lists(void **state)
{
	static const struct {
		const char *path, *text;
		enum nd_missing listeners, peers;
	} rows[] = {
		{"a/ss-ltn.txt", OLD_HEADER, ND_PRESENT, ND_TOOL_OUTPUT_ABSENT},
		{"ss -tin@10.log", OLD_HEADER, ND_TOOL_OUTPUT_ABSENT, ND_PRESENT},
		{"ss-ltn", "LISTEN 0 128 *:80 *:*\n", ND_PRESENT, ND_TOOL_OUTPUT_ABSENT},
		{"ss-tn", "ESTAB 0 0 10.0.0.1:22 10.0.0.2:5599\n", ND_TOOL_OUTPUT_ABSENT,
		 ND_PRESENT},
		{"ss-s", "Total: 131 (kernel 0)\n", ND_TOOL_OUTPUT_ABSENT, ND_TOOL_OUTPUT_ABSENT},
	};

	(void)state;
	for (unsigned i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct nd_input in = {.path = rows[i].path, .netns = "host"};
		struct nd_stream *s = nd_stream_mem(rows[i].text, strlen(rows[i].text));
		struct world w;

		world_open(&w);
		assert_int_equal(nd_collector_ss.parse(&in, s, w.f, &w.e), 0);
		nd_collector_ss.finish(w.f);
		assert_int_equal(nd_kind_status(w.f, ND_LISTENER).why, rows[i].listeners);
		assert_int_equal(nd_kind_status(w.f, ND_PEER).why, rows[i].peers);
		nd_stream_close(s);
		world_close(&w);
	}
}

/* ---- what is not ours ---- */

static void test_ignored(void **state)
{
	static const char *const texts[] = {
		"",
		"Total: 131 (kernel 0)\nTCP:   14 (estab 1, closed 0, orphaned 10, synrecv 0, timewait 0/0), ports 0\n\nTransport Total IP IPv6\n*   0  - -\n",
		"ALL 360501\nSYN-SENT 6\nLAST-ACK 96\nESTAB 2232\nLISTEN 11\n",
		"Netid State Recv-Q Send-Q Local Address:Port Peer Address:Port\nudp UNCONN 0 0 0.0.0.0:53 0.0.0.0:*\nnl UNCONN 0 0 4:6498 *\nu_str ESTAB 0 0 * 17 * 18\n",
		"TIME-WAIT 0 0 192.0.2.28:80 198.51.100.37:5957\nSYN-RECV 0 0 192.0.2.28:80 198.51.100.37:5958\n",
	};

	(void)state;
	for (unsigned i = 0; i < ND_ARRAY_LEN(texts); i++) {
		struct world w;

		world_open(&w);
		read_text(&w, texts[i]);
		assert_int_equal(w.rc, 0);
		assert_int_equal(
			count(&w, ND_LISTENER) + count(&w, ND_SERVICE) + count(&w, ND_PEER), 0);
		world_close(&w);
	}
}

static void test_bad_lines(void **state)
{
	struct world w;

	(void)state;
	world_open(&w);
	read_text(&w, OLD_HEADER "LISTEN 0 abc *:80 *:*\n");
	assert_int_equal(w.rc, -22);
	assert_string_equal(w.e.msg,
			    "ss.txt:2: expected Recv-Q Send-Q Local:Port Peer:Port, found 'abc'");
	world_close(&w);
	world_open(&w); /* one bad line does not spoil the others */
	read_text(&w, OLD_HEADER "LISTEN 0 abc *:80 *:*\nLISTEN 0 128 *:81 *:*\nLISTEN 0 12");
	assert_int_equal(w.rc, 0);
	assert_int_equal(count(&w, ND_LISTENER), 1);
	world_close(&w);
}

/* Every prefix, and every single byte replaced: no crash, and nothing that a sanitizer minds. */
static void test_hostile(void **state)
{
	static const char text[] = NEW_HEADER
		"LISTEN 0 4 [::1]:80 *:* users:((\"x\",pid=7,fd=3))\n\t skmem:(r0,d16)\n"
		"ESTAB 0 3 fe80::1%e:57324 127.0.0.1:5599\n\t cwnd:1 rtt:1/2 mss:9 rwnd_limited:3ms(5%) busy:9ms\n";
	static const char bytes[] = "\n:%[](\"9 \xff";
	char copy[sizeof(text)];

	(void)state;
	for (size_t i = 0; i < sizeof(text); i++) {
		struct world w;

		world_open(&w);
		read_bytes(&w, text, i, 1);
		for (size_t b = 0; b < sizeof(bytes); b++) {
			memcpy(copy, text, sizeof(copy));
			copy[i] = bytes[b];
			read_bytes(&w, copy, sizeof(copy) - 1, 2 + (double)b);
		}
		assert_true(count(&w, ND_LISTENER) <= ND_ARRAY_LEN(bytes) + 1);
		world_close(&w);
	}
}

/* More than are kept at once: nobody is lost, and the listener of the first lines counts to the end. */
static void test_many(void **state)
{
	enum { MANY = 40001 };
	struct nd_buf text = {0};
	struct world w;

	(void)state;
	nd_buf_puts(&text, "State Recv-Q Send-Q Local Address:Port Peer Address:Port\n"
			   "LISTEN 0 128 0.0.0.0:40000 0.0.0.0:*\n");
	for (unsigned i = 0; i < MANY; i++)
		nd_buf_printf(
			&text,
			"ESTAB 0 0 10.0.0.1:40000 10.1.%u.%u:%u\n\t cubic rtt:2/1 mss:1448 cwnd:10 busy:1ms\n",
			i / 256, i % 256, 1024 + i);
	world_open(&w);
	read_bytes(&w, nd_buf_str(&text), text.len, 1);
	assert_int_equal(w.rc, 0);
	assert_true(get(&w, ND_SERVICE, "40000", "connections", ND_BARE).num == MANY);
	assert_int_equal(w.rows, MANY);
	assert_int_equal(count(&w, ND_PEER), 0);
	world_close(&w);
	nd_buf_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_listener_lines),
		cmocka_unit_test(test_ports_by_name),
		cmocka_unit_test(test_listener_memory_and_owner),
		cmocka_unit_test(test_connection_forms),
		cmocka_unit_test(test_share_without_busy),
		cmocka_unit_test(test_sides),
		cmocka_unit_test(test_two_files),
		cmocka_unit_test(test_two_moments),
		cmocka_unit_test(test_empty_lists),
		cmocka_unit_test(test_ignored),
		cmocka_unit_test(test_bad_lines),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests_name("ss", tests, NULL, NULL);
}
