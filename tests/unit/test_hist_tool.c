/* Histograms as BCC, libbpf-tools and bpftrace print them: bounds, units, what they measure, labels. */
#include "tests/unit/parse_text.h"

#include <math.h>

extern const struct nd_collector nd_collector_hist_tool, nd_collector_probed;
static const struct nd_collector *const list[] = {&nd_collector_hist_tool, &nd_collector_probed,
						  NULL};
#define C (&nd_collector_hist_tool)

static const char runqlat[] =
	"Tracing run queue latency... Hit Ctrl-C to end.\n^C\n"
	"     usecs               : count     distribution\n"
	"         0 -> 1          : 233      |***********                             |\n"
	"         2 -> 3          : 742      |************************************    |\n"
	"     16384 -> 32767      : 809      |****************************************|\r\n";
static const char funclatency[] =
	"Tracing 1 functions for \"unix_dgram_sendmsg\"... Hit Ctrl-C to end.\n"
	"     nsecs               : count     distribution\n"
	"    524288 -> 1048575    : 0        |                                        |\n"
	"   1048576 -> 2097151    : 3881     |****************************************|\n"
	"\navg = 1825567 nsecs, total: 7477526027 nsecs, count: 4096\n\nDetaching...\n";

static const struct nd_hist *hist(const struct world *w, enum nd_kind kind, const char *key,
				  const char *fact)
{
	struct nd_value v = value(w, kind, key, fact, ND_BARE);

	assert_int_equal(v.type, ND_V_HIST);
	return v.hist;
}

static void assert_bucket(const struct nd_hist *h, uint32_t i, double lo, double hi, double count)
{
	assert_true(i < h->n);
	assert_true(fabs(h->b[i].lo - lo) <= 1e-12 && fabs(h->b[i].hi - hi) <= 1e-12);
	assert_true(h->b[i].count == count);
}

static void test_bcc(void **state)
{
	const struct nd_hist *h;
	struct world w;

	(void)state;
	world_open(&w, list);
	assert_int_equal(feed(&w, C, "sched.txt", 0, runqlat), 0);
	h = hist(&w, ND_HOST, "", "runq_wait");
	assert_int_equal(h->n, 3);
	assert_bucket(h, 0, 0, 2e-6, 233);
	assert_bucket(h, 1, 2e-6, 4e-6, 742);
	assert_bucket(h, 2, 16384e-6, 32768e-6, 809);
	assert_int_equal(feed(&w, C, "x.txt", 0, funclatency), 0);
	h = hist(&w, ND_FUNCTION, "unix_dgram_sendmsg", "latency");
	assert_bucket(h, 1, 1048576e-9, 2097152e-9, 3881);
	assert_number(&w, ND_FUNCTION, "unix_dgram_sendmsg", "calls", ND_SEEN, 3881);
	world_close(&w);
}

/* What a histogram is, and its unit, from each of the places that can tell. */
static void test_subjects(void **state)
{
#define ROWS "[16, 32)  12 |@@@ |\n[1K, 2K)  3 |@ |\n"
#define BCC_ROWS "  16 -> 31 : 12 |** |\n  1024 -> 2047 : 3 |* |\n"
	static const struct {
		const char *path, *text;
		enum nd_kind kind;
		const char *key, *fact;
		double lo; /* of the second bucket, s */
	} rows[] = {
		{"runqlat.txt", BCC_ROWS, ND_HOST, "", "runq_wait", 1024e-6},
		{"runqlat-bpfcc_-m.txt", "     msecs  : count     distribution\n" BCC_ROWS, ND_HOST,
		 "", "runq_wait", 1024e-3},
		{"runqlat.bt.txt", "Tracing CPU scheduler... Hit Ctrl-C to end.\n\n@usecs: \n" ROWS,
		 ND_HOST, "", "runq_wait", 1024e-6},
		{"out.txt", "@runq_us:\n" ROWS, ND_HOST, "", "runq_wait", 1024e-6},
		{"funclatency-tcp_v4_rcv.txt", BCC_ROWS, ND_FUNCTION, "tcp_v4_rcv", "latency",
		 1024e-9},
		{"funclatency_-u_vfs_read.log", "  usecs : count distribution\n" BCC_ROWS,
		 ND_FUNCTION, "vfs_read", "latency", 1024e-6},
		{"bt.txt",
		 "# bpftrace -e 'kprobe:vfs_read { @s[tid] = nsecs; } kretprobe:vfs_read /@s[tid]/ "
		 "{ @ns[comm] = hist(nsecs - @s[tid]); delete(@s[tid]); }'\nAttaching 2 probes...\n"
		 "@ns[sshd]:\n" ROWS,
		 ND_FUNCTION, "vfs_read", "latency", 1024e-9},
		{"bpftrace.txt", "@us[kretprobe:inet_csk_accept]: \n" ROWS, ND_FUNCTION,
		 "inet_csk_accept", "latency", 1024e-6},
		{"lat.txt",
		 "Tracing soft irq event time... Hit Ctrl-C to end.\nsoftirq = net_rx\n"
		 "     usecs  : count     distribution\n" BCC_ROWS,
		 ND_FUNCTION, "net_rx_action", "latency", 1024e-6},
		{"f.txt",
		 "Tracing 2 functions for \"*sendmsg\"...\n\nFunction = b'unix_stream_sendmsg'\n"
		 "     nsecs  : count     distribution\n" BCC_ROWS,
		 ND_FUNCTION, "unix_stream_sendmsg", "latency", 1024e-9},
		{"biolatency.txt", "     usecs  : count     distribution\n" BCC_ROWS, ND_HOST, "",
		 "disk.wait", 1024e-6},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct world w;

		world_open(&w, list);
		if (feed(&w, C, rows[i].path, 0, rows[i].text) != 0)
			fail_msg("%s: %s", rows[i].path, w.err.msg);
		assert_bucket(hist(&w, rows[i].kind, rows[i].key, rows[i].fact), 1, rows[i].lo,
			      2 * rows[i].lo, 3);
		world_close(&w);
	}
}

static void test_bpftrace_bounds(void **state)
{
	static const char text[] = "@runqlat_us:\n(..., 0)  1 |@|\n[0]  4 |@ |\n[1]  5 |@ |\n"
				   "[2, 4)  6 |@ |\n[1M, 2M)  7 |@ |\n[2M, ...)  8 |@ |\n";
	const struct nd_hist *h;
	struct world w;

	(void)state;
	world_open(&w, list);
	assert_int_equal(feed(&w, C, "bpftrace.txt", 0, text), 0);
	h = hist(&w, ND_HOST, "", "runq_wait");
	assert_int_equal(h->n, 6);
	assert_true(isinf(h->b[0].lo) && h->b[0].hi == 0);
	assert_bucket(h, 1, 0, 1e-6, 4);
	assert_bucket(h, 2, 1e-6, 2e-6, 5);
	assert_bucket(h, 3, 2e-6, 4e-6, 6);
	assert_bucket(h, 4, 1048576e-6, 2097152e-6, 7);
	assert_true(isinf(h->b[5].hi) && h->b[5].count == 8);
	world_close(&w);
}

/* Threads by their pid, the idle task left out, intervals added, repeated maps replaced. */
static void test_labels(void **state)
{
	static const char by_pid[] = "pid = 12929 nginx\n     usecs  : count     distribution\n"
				     "  16 -> 31 : 12 |** |\n\npid = 0 swapper/1\n"
				     "     usecs  : count     distribution\n  32 -> 63 : 99 |** |\n"
				     "\npid = 12929 nginx\n     usecs  : count     distribution\n"
				     "  16 -> 31 : 5 |** |\n  64 -> 127 : 1 |** |\n";
	static const char grown[] =
		"@runq_us:\n[16, 32)  12 |@@@ |\n\n@runq_us:\n[16, 32)  20 |@@@ |\n"
		"[32, 64)  1 |@ |\n";
	static const char fresh[] =
		"@runq_us:\n[16, 32)  12 |@@@ |\n\n@runq_us:\n[16, 32)  9 |@@@ |\n";
	struct world w;

	(void)state;
	world_open(&w, list);
	assert_int_equal(feed(&w, C, "runqlat-P.txt", 0, by_pid), 0);
	assert_bucket(hist(&w, ND_THREAD, "12929", "runq_wait"), 0, 16e-6, 32e-6, 17);
	assert_bucket(hist(&w, ND_HOST, "", "runq_wait"), 1, 64e-6, 128e-6, 1);
	assert_int_equal(hist(&w, ND_HOST, "", "runq_wait")->n, 2);
	assert_text(&w, ND_THREAD, "12929", "comm", "nginx");
	assert_int_equal(count(&w, ND_THREAD), 1);
	assert_int_equal(feed(&w, C, "bpftrace.txt", 1, grown), 0);
	assert_bucket(hist(&w, ND_HOST, "", "runq_wait"), 0, 16e-6, 32e-6, 20);
	assert_int_equal(feed(&w, C, "bpftrace.txt", 2, fresh), 0);
	assert_bucket(hist(&w, ND_HOST, "", "runq_wait"), 0, 16e-6, 32e-6, 21);
	world_close(&w);
}

static void test_lengths(void **state)
{
	static const char text[] =
		"Sampling run queue length... Hit Ctrl-C to end.\n"
		"     runqlen       : count     distribution\n"
		"        0          : 1068     |****************************************|\n"
		"        1          : 642      |************************                |\n";
	struct world w;

	(void)state;
	world_open(&w, list);
	assert_int_equal(feed(&w, C, "runqlen.txt", 0, text), 0);
	assert_bucket(hist(&w, ND_HOST, "", "runq_length"), 1, 1, 2, 642);
	world_close(&w);
}

/* No name tells what it is: nothing is put, and a sentence says what to do. */
static void test_unknown(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, list);
	assert_true(feed(&w, C, "hist.txt", 0, "@x[nginx]:\n[16, 32)  12 |@@@ |\n") < 0);
	assert_non_null(strstr(w.err.msg, "@x[nginx]"));
	assert_true(feed(&w, C, "hist.txt", 0, "@usecs:\n[16, 32)  12 |@@@ |\n") < 0);
	assert_true(feed(&w, C, "funclatency.txt", 0, "  4 -> 7 : 3 |*|\n") < 0);
	assert_true(feed(&w, C, "runqlat.txt", 0, "nothing\n") < 0);
	assert_int_equal(feed(&w, C, "softirqs.txt", 0, "   CPU0\nHI: 3\n"), 0);
	assert_int_equal(count(&w, ND_FUNCTION), 0);
	world_close(&w);
}

static void test_hostile(void **state)
{
	(void)state;
	torture(list, C, "runqlat.txt", NULL, runqlat + 60);
	torture(list, C, "x.txt", NULL,
		"Tracing 1 functions for \"ab_c\"\n nsecs : count\n 1 -> 3 : 8 |*|\n"
		"avg = 1 nsecs, total: 7 nsecs, count: 4\n");
	torture(list, C, "bpftrace.txt", NULL,
		"kretprobe:a_b { @ns[comm] = hist(1); }\n@ns[sshd, 4]:\n[1K, 2K) 3 |@|\n(..., 0) 1 |@|\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bcc),
		cmocka_unit_test(test_subjects),
		cmocka_unit_test(test_bpftrace_bounds),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
