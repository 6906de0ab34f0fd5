/* The figures that ss prints about a socket, in the spellings of its releases, whole and pasted. */
#include "tests/unit/sock_world.h"

extern const struct nd_collector nd_collector_ss;

static void read_text(struct world *w, const char *text)
{
	struct nd_stream *s = nd_stream_mem(text, strlen(text));
	struct nd_err e;

	assert_int_equal(nd_collector_ss.parse(&w->in, s, w->f, &e), 0);
	nd_stream_close(s);
}

/* Everything that a line of figures says: the far end of a connection that hangs, iproute2 6. */
static const char stuck[] =
	"ESTAB    0      186408    198.51.100.48:6945   192.0.2.146:35432    timer:(on,35sec,0)\n"
	"\t skmem:(r0,rb2420208,t0,tb332800,f3032,w332840,o0,bl0,d7) ts sack cubic wscale:7,7 rto:120000 rtt:0.066/0.015 ato:40 mss:1434 pmtu:1486 rcvmss:536 advmss:1434 cwnd:1 ssthresh:2 bytes_sent:1852143 bytes_retrans:1707732 bytes_acked:102223 bytes_received:613144 segs_out:70712 segs_in:70622 data_segs_out:2941 data_segs_in:67774 send 174Mbps lastsnd:84760 lastrcv:1638 lastack:1638 pacing_rate 6.64Gbps delivery_rate 6.98Gbps delivered:107 busy:346940689ms rwnd_limited:209ms(0.0%) unacked:32 retrans:1/2834 lost:1 sacked:31 rcv_rtt:362445 rcv_space:64677 rcv_ssthresh:66234 notsent:144220 minrtt:0.044 rcv_wnd:66304\n";

struct expected {
	const char *name;
	double want;
};
static void assert_columns(const struct world *w, const struct expected *e, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double v = column(w, e[i].name);

		if (isnan(e[i].want) ? !isnan(v) : !(fabs(v - e[i].want) < 1e-9 + e[i].want * 1e-9))
			fail_msg("%s is %g, expected %g", e[i].name, v, e[i].want);
	}
}

static const struct expected stuck_columns[] = {
	{"timer", 1},
	{"timer_left", 35},
	{"retries", 0},
	{"rmem", 0},
	{"rcvbuf", 2420208},
	{"wmem", 332840},
	{"sndbuf", 332800},
	{"rto", 120},
	{"rtt", 66e-6},
	{"min_rtt", 44e-6},
	{"mss", 1434},
	{"pmtu", 1486},
	{"cwnd", 1},
	{"ssthresh", 2},
	{"bytes_sent", 1852143},
	{"bytes_retrans", 1707732},
	{"bytes_acked", 102223},
	{"bytes_received", 613144},
	{"segs_sent", 2941},
	{"segs_retrans", 2834},
	{"resent", 1},
	{"lost", 1},
	{"sacked", 31},
	{"unacked", 32},
	{"duplicates", 0},
	{"reordered", 0},
	{"backoff", 0},
	{"last_send", 84.76},
	{"last_recv", 1.638},
	{"last_ack", 1.638},
	{"delivery_rate", 6.98e9 / 8},
	{"pacing_rate", 6.64e9 / 8},
	{"app_limited", 0},
	{"rcv_rtt", 362.445},
	{"rcv_space", 64677},
	{"rcv_ssthresh", 66234},
	{"rcv_wnd", 66304},
	{"snd_wnd", NAN},
	{"ooo", NAN},
	{"notsent", 144220},
	{"loss_based", 1},
	{"recv_q", 0},
	{"send_q", 186408},
	{"rwnd_limited", 0.209 / 346940.689},
};

static void test_all_figures(void **state)
{
	struct world w;

	(void)state;
	world_open(&w);
	read_text(&w, stuck);
	assert_columns(&w, stuck_columns, ND_ARRAY_LEN(stuck_columns));
	assert_num(get(&w, ND_SERVICE, "6945", "segs.retrans", ND_TOTAL), 2834);
	assert_num(get(&w, ND_SERVICE, "6945", "segs.duplicates", ND_TOTAL), 0);
	assert_num(get(&w, ND_SERVICE, "6945", "bytes.acked", ND_TOTAL), 102223);
	assert_num(get(&w, ND_SERVICE, "6945", "drops", ND_TOTAL), 7);
	assert_num(get(&w, ND_SERVICE, "6945", "send_q", ND_BARE), 186408);
	assert_num(get(&w, ND_SERVICE, "6945", "heard", ND_BARE), 1.638);
	assert_num(get(&w, ND_SERVICE, "6945", "rto", ND_BARE), 120);
	assert_num(get(&w, ND_SERVICE, "6945", "pmtu", ND_BARE), 1486);
	assert_string_equal(get(&w, ND_SERVICE, "6945", "congestion", ND_BARE).text, "cubic");
	assert_string_equal(get(&w, ND_SERVICE, "6945", "send_q.connection", ND_BARE).text,
			    "198.51.100.48:6945 192.0.2.146:35432");
	assert_int_equal(get(&w, ND_SERVICE, "6945", "segs.ooo", ND_TOTAL).type, ND_V_MISSING);
	world_close(&w);
}

/* Older spellings: iproute2 3 and 4 print less, and know no bytes_sent. */
static void test_old_figures(void **state)
{
	static const struct expected e[] = {
		{"rmem", 12},		{"rcvbuf", NAN},     {"segs_retrans", 12},
		{"resent", 0},		{"lost", 2},	     {"rto", 0.204},
		{"bytes_retrans", NAN}, {"duplicates", NAN}, {"bytes_acked", NAN},
		{"loss_based", 0},	{"retries", 3},	     {"timer_left", 1.98},
		{"last_ack", 0},
	};
	struct world w;

	(void)state;
	world_open(&w);
	read_text(
		&w,
		"ESTAB 0 0 10.0.0.1:40000 10.0.0.2:22 timer:(on,1.980ms,3) uid:1000 ino:5 sk:2\n"
		"\t mem:(r12,w0,f4096,t0) ts sack bbr wscale:7,7 rto:204 rtt:4/2 ato:40 mss:1448 cwnd:10 ssthresh:7 send 11.7Mbps unacked:1 retrans:0/12 lost:2 rcv_space:14600\n");
	assert_columns(&w, e, ND_ARRAY_LEN(e));
	world_close(&w);
}

static void test_timers(void **state)
{
	static const struct {
		const char *text;
		double timer, left, retries;
	} rows[] = {
		{"timer:(on,200ms,0)", 1, 0.2, 0},
		{"timer:(on,045ms,15)", 1, 0.045, 15},
		{"timer:(on,1.980ms,3)", 1, 1.98, 3},
		{"timer:(on,35sec,0)", 1, 35, 0},
		{"timer:(persist,1min13sec,0)", 4, 73, 0},
		{"timer:(keepalive,119min,0)", 2, 7140, 0},
		{"timer:(timewait,59sec,0)", 3, 59, 0},
		{"timer:(on,soon,2)", 1, NAN, 2},
		{"timer:(on,200ms", 1, 0.2, NAN},
		{"timer:(off,200ms,0)", NAN, NAN, NAN},
		{"timer:(", NAN, NAN, NAN},
	};

	(void)state;
	for (unsigned i = 0; i < ND_ARRAY_LEN(rows); i++) {
		const struct expected e[] = {{"timer", rows[i].timer},
					     {"timer_left", rows[i].left},
					     {"retries", rows[i].retries}};
		char text[160];
		struct world w;

		snprintf(text, sizeof(text), "ESTAB 0 1 10.0.0.1:40000 10.0.0.2:22 %s\n",
			 rows[i].text);
		world_open(&w);
		read_text(&w, text);
		assert_columns(&w, e, ND_ARRAY_LEN(e));
		world_close(&w);
	}
}

/* Pasted lines: wrapped, indented as a whole, a prompt behind; and another protocol's figures. */
static void test_pasted(void **state)
{
	static const char *const texts[] = {
		"ESTAB 0 0 10.0.0.1:40000 10.0.0.2:22\ncubic rto:204\nrtt:4/2 cwnd:10\nlost:2\n",
		"    ESTAB 0 0 10.0.0.1:40001 10.0.0.2:22\n    \t cubic rtt:4/2 cwnd:10\n    ESTAB 0 0 10.0.0.1:40000 10.0.0.2:22\n    \t cubic rtt:4/2 cwnd:10 lost:2\n",
		"ESTAB 0 0 10.0.0.1:40000 10.0.0.2:22\n\t cubic rtt:4/2 cwnd:10 lost:2\nroot@host:~# ss -ui\nlost:9\n",
		"tcp ESTAB 0 0 10.0.0.1:40000 10.0.0.2:22 cubic rtt:4/2 cwnd:10 lost:2\nudp UNCONN 0 0 1.2.3.4:5 1.2.3.4:* skmem:(r9) lost:9\n",
		"ESTAB 0 0 10.0.0.1:40000 10.0.0.2:22\n\t cgroup:/a\n\t <->\n\t cubic rtt:4/2 cwnd:10 lost:2\n",
	};
	static const struct expected e[] = {
		{"lost", 2}, {"cwnd", 10}, {"rmem", NAN}, {"loss_based", 1}};

	(void)state;
	for (unsigned i = 0; i < ND_ARRAY_LEN(texts); i++) {
		struct world w;

		world_open(&w);
		read_text(&w, texts[i]);
		assert_columns(&w, e, ND_ARRAY_LEN(e));
		world_close(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_figures),
		cmocka_unit_test(test_old_figures),
		cmocka_unit_test(test_timers),
		cmocka_unit_test(test_pasted),
	};

	return cmocka_run_group_tests_name("ss_figures", tests, NULL, NULL);
}
