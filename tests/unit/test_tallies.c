/* The conditions of the built-in rules over sockets, on lines as ss prints them: from the text to what a row counts for, on
 * both sides of each threshold. The rules' own tests give rows. */
#include "collectors/collector.h"
#include "engine/judge/eval.h"
#include "engine/judge/judge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

extern const struct nd_collector nd_collector_ss;

struct line {
	const char *columns; /* Recv-Q, Send-Q, and what stands behind the addresses */
	const char *figures; /* or NULL: printed without -i */
	char want; /* y, n, or ? when the row does not say */
};
struct tally {
	const char *rule, *name;
	struct line lines[16]; /* ends with columns NULL */
};

static const struct tally tallies[] = {
	{"receive-window",
	 "unread",
	 {{"32768 0", NULL, 'y'},
	  {"32767 0", NULL, 'n'},
	  {"32768 0", "skmem:(r50000,rb100000) cubic cwnd:10", 'y'},
	  {"32768 0", "skmem:(r49999,rb100000) cubic cwnd:10", 'n'},
	  {0}}},
	{"receive-window",
	 "waited",
	 {{"32768 0", "cubic cwnd:10 lastrcv:1000", 'y'},
	  {"32768 0", "cubic cwnd:10 lastrcv:999", 'n'},
	  {"32767 0", "cubic cwnd:10 lastrcv:1000", 'n'},
	  {"32768 0", NULL, '?'},
	  {0}}},
	{"receive-window",
	 "closed",
	 {{"0 9 timer:(persist,200ms,0)", NULL, 'y'},
	  {"0 9 timer:(persist,200ms,2)", NULL, 'y'},
	  {"0 9 timer:(persist,200ms,3)", NULL, 'n'},
	  {"0 0 timer:(persist,200ms,0)", NULL, 'n'},
	  {"0 9 timer:(on,200ms,0)", NULL, 'n'},
	  {"0 9 timer:(keepalive,9sec,0)", NULL, 'n'},
	  {"0 9", NULL, '?'},
	  {"0 9", "cubic cwnd:10 backoff:1 notsent:9", 'y'},
	  {"0 9", "cubic cwnd:10 backoff:1 notsent:9 unacked:1", 'n'},
	  {"0 9", "cubic cwnd:10 backoff:1", 'n'},
	  {"0 9", "cubic cwnd:10 notsent:9", 'n'},
	  {"0 9 timer:(persist,200ms,2)", "cubic cwnd:10 lastack:120000", 'y'},
	  {"0 9 timer:(persist,200ms,2)", "cubic cwnd:10 lastack:120001", 'n'},
	  {0}}},
	{"receive-window",
	 "closed_long",
	 {{"0 9 timer:(persist,200ms,0)", "cubic cwnd:10 backoff:3 notsent:9", 'y'},
	  {"0 9 timer:(persist,200ms,0)", "cubic cwnd:10 backoff:2 notsent:9", '?'},
	  {"0 9 timer:(persist,200ms,0)", "cubic cwnd:10 busy:100ms rwnd_limited:51ms(51%)", 'y'},
	  {"0 9 timer:(persist,200ms,0)", "cubic cwnd:10 busy:100ms rwnd_limited:50ms(50%)", 'n'},
	  {"0 9 timer:(persist,1sec,0)", NULL, 'y'},
	  {"0 9 timer:(persist,999ms,0)", NULL, '?'},
	  {"0 9 timer:(persist,1sec,3)", NULL, 'n'},
	  {"0 9 timer:(on,1sec,0)", "cubic cwnd:10 backoff:3 notsent:9", 'n'},
	  {"0 9", "cubic cwnd:10 backoff:3 notsent:9", 'y'},
	  {"0 0", "cubic cwnd:10 backoff:3", 'n'},
	  {"0 9 timer:(persist,1sec,0)", "cubic cwnd:10 lastack:120001", 'n'},
	  {0}}},
	{"receive-window",
	 "window_bound",
	 {{"0 9", "cubic cwnd:9 unacked:1 notsent:9 minrtt:10 busy:100ms rwnd_limited:51ms(51%)",
	   'y'},
	  {"0 9", "cubic cwnd:9 unacked:1 notsent:9 minrtt:9.9 busy:100ms rwnd_limited:51ms(51%)",
	   'n'},
	  {"0 9", "cubic cwnd:9 unacked:1 notsent:9 minrtt:10 busy:100ms rwnd_limited:50ms(50%)",
	   'n'},
	  {"0 9", "cubic cwnd:9 unacked:1 minrtt:10 busy:100ms rwnd_limited:51ms(51%)", 'n'},
	  {"0 9", "cubic cwnd:9 notsent:9 minrtt:10 busy:100ms rwnd_limited:51ms(51%)", 'n'},
	  {"0 9 timer:(persist,1sec,0)",
	   "cubic cwnd:9 unacked:1 notsent:9 minrtt:10 busy:100ms rwnd_limited:51ms(51%)", 'n'},
	  {"0 9 timer:(on,1sec,0)",
	   "cubic cwnd:9 unacked:1 notsent:9 minrtt:10 busy:100ms rwnd_limited:51ms(51%)", 'y'},
	  {"0 9", NULL, '?'},
	  {0}}},
	{"receive-window",
	 "stuck",
	 {{"0 0", "skmem:(r90000,rb100000) cubic cwnd:10", 'y'},
	  {"0 0", "skmem:(r89999,rb100000) cubic cwnd:10", 'n'},
	  {"1 0", "skmem:(r90000,rb100000) cubic cwnd:10", 'n'},
	  {"0 0", "skmem:(r0,rb0) cubic cwnd:10", 'n'},
	  {"0 0", "cubic cwnd:10", '?'},
	  {0}}},
	{"connection-loss",
	 "gone",
	 {{"0 9 timer:(on,26sec,6)", NULL, 'y'},
	  {"0 9 timer:(on,13sec,5)", NULL, 'n'},
	  {"0 9 timer:(persist,26sec,6)", NULL, 'y'},
	  {"0 0 timer:(on,26sec,6)", NULL, 'n'},
	  {"0 9 timer:(on,26sec,6)", "cubic cwnd:1 lastack:10000", 'y'},
	  {"0 9 timer:(on,26sec,6)", "cubic cwnd:1 lastack:9999", 'n'},
	  {"0 9", "cubic cwnd:1 backoff:6 lastack:10000", 'y'},
	  {"0 9", "cubic cwnd:1 backoff:5 lastack:10000", 'n'},
	  {"0 9 timer:(persist,26sec,0)", "cubic cwnd:1 backoff:6 lastack:10000", 'n'},
	  {"0 9 timer:(persist,26sec", "cubic cwnd:1 backoff:6 lastack:10000", 'n'},
	  {"0 9 timer:(on,26sec", "cubic cwnd:1 backoff:6 lastack:10000", 'y'},
	  {"0 9", NULL, '?'},
	  {0}}},
	{"connection-loss",
	 "gone_after_idle",
	 {{"0 9 timer:(on,26sec,6)", "cubic cwnd:1 rto:26000 lastack:292000", 'y'},
	  {"0 9 timer:(on,26sec,6)", "cubic cwnd:1 rto:26000 lastack:291999", 'n'},
	  {"0 9 timer:(on,13sec,5)", "cubic cwnd:1 rto:13000 lastack:292000", 'n'},
	  {"0 9 timer:(on,26sec,6)", NULL, '?'},
	  {0}}},
	{"connection-loss",
	 "large_only",
	 {{"0 2000",
	   "cubic rtt:9/1 cwnd:1 mss:1448 backoff:3 unacked:2 bytes_acked:700 bytes_received:900",
	   'y'},
	  {"0 2000",
	   "cubic rtt:9/1 cwnd:1 mss:1448 backoff:2 unacked:2 bytes_acked:700 bytes_received:900",
	   'n'},
	  {"0 2000",
	   "cubic rtt:9/1 cwnd:1 mss:1448 backoff:3 unacked:2 sacked:1 bytes_acked:700 bytes_received:900",
	   'n'},
	  {"0 2000",
	   "cubic rtt:9/1 cwnd:1 mss:1000 backoff:3 unacked:2 bytes_acked:700 bytes_received:900",
	   'y'},
	  {"0 2000",
	   "cubic rtt:9/1 cwnd:1 mss:999 backoff:3 unacked:2 bytes_acked:700 bytes_received:900",
	   'n'},
	  {"0 1447",
	   "cubic rtt:9/1 cwnd:1 mss:1448 backoff:3 unacked:2 bytes_acked:700 bytes_received:900",
	   'n'},
	  {"0 2000",
	   "cubic rtt:9/1 cwnd:1 mss:1448 backoff:3 unacked:2 bytes_acked:1448 bytes_received:900",
	   'n'},
	  {"0 2000",
	   "cubic rtt:9/1 cwnd:1 mss:1448 backoff:3 unacked:2 bytes_sent:9000 bytes_acked:700",
	   'n'},
	  {"0 2000", "cubic rtt:9/1 cwnd:1 mss:1448 backoff:3 bytes_acked:700 bytes_received:900",
	   'n'},
	  {"0 2000", "cubic rtt:9/1 cwnd:1 mss:1448 backoff:3 unacked:2", '?'},
	  {0}}},
	{"connection-loss",
	 "head_refused",
	 {{"0 9", "cubic cwnd:1 rto:10000 lastack:9999 sacked:1 lost:1 unacked:2", 'y'},
	  {"0 9", "cubic cwnd:1 rto:9999 lastack:99 sacked:1 lost:1 unacked:2", 'n'},
	  {"0 9", "cubic cwnd:1 rto:10000 lastack:10000 sacked:1 lost:1 unacked:2", 'n'},
	  {"0 9", "cubic cwnd:1 rto:10000 lastack:99 lost:1 unacked:2", 'n'},
	  {"0 9", "cubic cwnd:1 rto:10000 lastack:99 sacked:1 unacked:2", 'n'},
	  {0}}},
	{"connection-loss",
	 "losing_now",
	 {{"0 9", "cubic cwnd:1 lost:1", 'y'},
	  {"0 9", "cubic cwnd:1 retrans:1/7", 'y'},
	  {"0 9", "cubic cwnd:1 retrans:0/7", 'n'},
	  {"0 9", NULL, '?'},
	  {0}}},
	{"connection-loss",
	 "collapsed",
	 {{"0 9", "cubic cwnd:25 mss:1448 minrtt:30 ssthresh:7 notsent:9", 'y'},
	  {"0 9", "cubic cwnd:26 mss:1448 minrtt:30 ssthresh:7 notsent:9", 'n'},
	  {"0 9", "cubic cwnd:25 mss:1448 minrtt:29.9 ssthresh:7 notsent:9", 'n'},
	  {"0 9", "cubic cwnd:51 mss:1448 minrtt:60 ssthresh:7 notsent:9", 'y'},
	  {"0 9", "bbr cwnd:25 mss:1448 minrtt:30 ssthresh:7 notsent:9", 'n'},
	  {"0 9", "cubic cwnd:25 mss:1448 minrtt:30 ssthresh:7", 'n'},
	  {"0 9", "cubic cwnd:25 mss:1448 minrtt:30 notsent:9", '?'},
	  {"0 9",
	   "cubic cwnd:25 mss:1448 minrtt:30 ssthresh:7 notsent:9 busy:100ms rwnd_limited:51ms(51%)",
	   'n'},
	  {"0 9",
	   "cubic cwnd:25 mss:1448 minrtt:30 ssthresh:7 notsent:9 busy:100ms rwnd_limited:50ms(50%)",
	   'y'},
	  {0}}},
	{"send-pace",
	 "restarted",
	 {{"0 90000",
	   "cubic minrtt:20 cwnd:10 mss:1000 ssthresh:20 unacked:10 notsent:9 bytes_acked:20001",
	   'y'},
	  {"0 90000",
	   "cubic minrtt:20 cwnd:10 mss:1000 ssthresh:19 unacked:10 notsent:9 bytes_acked:20001",
	   'n'},
	  {"0 90000",
	   "cubic minrtt:19.9 cwnd:10 mss:1000 ssthresh:20 unacked:10 notsent:9 bytes_acked:20001",
	   'n'},
	  {"0 90000",
	   "cubic minrtt:20 cwnd:10 mss:1000 ssthresh:20 unacked:9 notsent:9 bytes_acked:20001",
	   'n'},
	  {"0 90000", "cubic minrtt:20 cwnd:10 mss:1000 ssthresh:20 unacked:10 bytes_acked:20001",
	   'n'},
	  {"0 90000",
	   "cubic minrtt:20 cwnd:10 mss:1000 ssthresh:20 unacked:10 notsent:9 bytes_acked:20000",
	   'n'},
	  {"0 90000",
	   "cubic minrtt:20 cwnd:10 mss:1000 ssthresh:20 unacked:10 notsent:9 bytes_acked:20001 retrans:0/1",
	   'n'},
	  {"0 90000", "cubic minrtt:20 cwnd:10 mss:1000 unacked:10 notsent:9 bytes_acked:20001",
	   '?'},
	  {0}}},
	{"send-pace",
	 "first_flight",
	 {{"0 90000", "cubic minrtt:20 cwnd:10 mss:1000 unacked:10 notsent:9 bytes_acked:10000",
	   'y'},
	  {"0 90000", "cubic minrtt:20 cwnd:11 mss:1000 unacked:11 notsent:9 bytes_acked:10000",
	   'n'},
	  {"0 90000", "cubic minrtt:19.9 cwnd:10 mss:1000 unacked:10 notsent:9 bytes_acked:10000",
	   'n'},
	  {"0 90000", "cubic minrtt:20 cwnd:10 mss:1000 unacked:9 notsent:9 bytes_acked:10000",
	   'n'},
	  {"0 90000", "cubic minrtt:20 cwnd:10 mss:1000 unacked:10 bytes_acked:10000", 'n'},
	  {"0 90000", "cubic minrtt:20 cwnd:10 mss:1000 unacked:10 notsent:9 bytes_acked:10001",
	   'n'},
	  {"0 90000",
	   "cubic minrtt:20 cwnd:10 mss:1000 unacked:10 notsent:9 bytes_acked:10000 retrans:0/1",
	   'n'},
	  {0}}},
};

struct world {
	struct nd_registry *registry;
	struct nd_rules *rules;
};

static int setup(void **state)
{
	static struct world w;
	struct nd_buf messages = {0};

	w.registry = nd_registry_new();
	nd_collectors_register(w.registry);
	w.rules = nd_rules_new(w.registry);
	for (const struct nd_rules_file *f = nd_rules_builtin; f->path; f++)
		assert_int_equal(nd_rules_add_text(w.rules, f->path, f->text, f->len, &messages),
				 0);
	if (nd_rules_check(w.rules, &messages))
		fail_msg("%s", nd_buf_str(&messages));
	nd_buf_free(&messages);
	*state = &w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	nd_rules_free(w->rules);
	nd_registry_free(w->registry);
	return 0;
}

static uint32_t slot_of(const struct nd_rules *rules, const struct tally *t)
{
	for (uint32_t i = 0; i < rules->n; i++) {
		const struct nd_rule *r = rules->rules[i];

		for (uint32_t k = 0; k < r->n_tallies && strcmp(r->name, t->rule) == 0; k++) {
			if (strcmp(r->tallies[k].name, t->name) == 0)
				return r->tallies[k].slot;
		}
	}
	fail_msg("no tally %s of %s", t->name, t->rule);
	return 0;
}

/* What the tally says of one connection. */
static char answer(const struct world *w, uint32_t slot, const struct line *l)
{
	struct nd_input in = {.path = "ss-tinoem", .netns = "host"};
	struct nd_facts *f = nd_facts_new(w->registry);
	struct nd_buf text = {0};
	char columns[64], *rest = columns, *recv_q, *send_q;
	double hits = 0, rows = 0;
	struct nd_stream *s;
	struct nd_err e;
	bool known;

	snprintf(columns, sizeof(columns), "%s", l->columns);
	recv_q = nd_word(&rest);
	send_q = nd_word(&rest);
	nd_buf_printf(&text, "ESTAB %s %s 192.0.2.1:40000 192.0.2.9:443 %s\n", recv_q, send_q,
		      rest);
	if (l->figures)
		nd_buf_printf(&text, "\t %s\n", l->figures);
	nd_judge_watch(w->rules, f);
	s = nd_stream_mem(nd_buf_str(&text), text.len);
	assert_int_equal(nd_collector_ss.parse(&in, s, f, &e), 0);
	known = nd_tally_get(f, slot, nd_entity_find(f, ND_PEER, "192.0.2.9:443"), &hits, &rows);
	nd_stream_close(s);
	nd_buf_free(&text);
	nd_facts_free(f);
	return !known ? '?' : hits > 0 ? 'y' : 'n';
}

static void test_lines(void **state)
{
	const struct world *w = *state;

	for (unsigned i = 0; i < ND_ARRAY_LEN(tallies); i++) {
		const struct tally *t = &tallies[i];
		uint32_t slot = slot_of(w->rules, t);

		for (const struct line *l = t->lines; l->columns; l++) {
			char got = answer(w, slot, l);

			if (got != l->want)
				fail_msg("%s.%s of '%s' '%s' is %c, expected %c", t->rule, t->name,
					 l->columns, l->figures ? l->figures : "", got, l->want);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
	};

	return cmocka_run_group_tests_name("tallies", tests, setup, teardown);
}
