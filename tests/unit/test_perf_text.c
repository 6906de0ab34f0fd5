/* Profiles, dropped packets and stacks from the text of perf, offcputime and folded stacks; counters of
 * memory stalls. */
#include "tests/unit/parse_text.h"

#include "collectors/function.h"

extern const struct nd_collector nd_collector_perf_text, nd_collector_stack_text;
extern const struct nd_collector nd_collector_probed, nd_collector_vm;
static const struct nd_collector *const list[] = {&nd_collector_perf_text, &nd_collector_stack_text,
						  &nd_collector_probed, &nd_collector_vm, NULL};
#define PERF (&nd_collector_perf_text)
#define STACK (&nd_collector_stack_text)
#define VM (&nd_collector_vm)

static void assert_share(const struct world *w, const char *symbol, double share)
{
	assert_number(w, ND_FUNCTION, symbol, "cpu_share", ND_BARE, share);
}

static void test_symbols(void **state)
{
	static const struct {
		const char *text, *symbol;
	} rows[] = {
		{"memcg_sum_events.isra.22", "memcg_sum_events"},
		{"tcp_v4_rcv+0x4f0", "tcp_v4_rcv"},
		{"b'vfs_read'", "vfs_read"},
		{"b\"vfs_read\"", "vfs_read"},
		{"[k] foo", "foo"},
		{"nf_conntrack:foo", "foo"},
		{"  __lock_sock ", "__lock_sock"},
		{"0xffff", NULL},
		{"", NULL},
	};
	char out[ND_SYMBOL_MAX];

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		assert_int_equal(nd_symbol_clean(rows[i].text, out, sizeof(out)),
				 rows[i].symbol != NULL);
		if (rows[i].symbol)
			assert_string_equal(out, rows[i].symbol);
	}
}

static const char top[] =
	"Samples: 4K of event 'cycles', 4000 Hz, Event count (approx.): 123\n"
	"Overhead  Shared Object  Symbol\n"
	"  31.04%  [kernel]                                      [k] memcg_stat_show\n"
	"  18.61%  [kernel]                                      [k] memcg_sum_events.isra.22\n"
	"   2.47%  redis-server                                  [.] readQueryFromClient\n";

static const char before_after[] = "before:\n  10.00%  [kernel]  [k] shrink_slab\n"
				   "   8.00%  [kernel]  [k] idr_find\nafter:\n"
				   "  60.00%  [kernel]  [k] shrink_slab\n";

static void test_rows(void **state)
{
	static const char report[] =
		"# Samples: 12K of event 'cpu-clock'\n# Children      Self  Command  Symbol\n"
		"    60.00%    60.00%  swapper  [kernel.kallsyms]   [k] native_safe_halt\n"
		"    24.91%     4.00%  exe      [kernel.kallsyms]   [k] try_charge\n"
		"            |\n            |--13.63%--try_to_free_mem_cgroup_pages\n"
		"    20.00%     6.00%  java     [kernel.kallsyms]   [k] try_charge       -      -\n"
		"# Samples: 12K of event 'page-faults'\n"
		"    90.00%  java     [kernel.kallsyms]   [k] do_page_fault\n";
	static const char old[] = "   samples  pcnt function          DSO\n"
				  "   123.00 12.3% tcp_v4_rcv        [kernel.kallsyms]\n"
				  "    23.00  2.3% malloc            /lib/libc.so\n";
	struct world w;

	(void)state;
	world_open(&w, list);
	assert_int_equal(feed(&w, PERF, "perf-top.txt", 0, top), 0);
	assert_share(&w, "memcg_stat_show", 0.3104);
	assert_share(&w, "memcg_sum_events", 0.1861);
	assert_int_equal(count(&w, ND_FUNCTION), 2);
	world_close(&w);
	world_open(&w, list);
	assert_int_equal(feed(&w, PERF, "perf-report.txt", 0, report), 0);
	assert_number(&w, ND_HOST, "", "profile.idle", ND_BARE, 0.6);
	assert_share(&w, "try_charge", 0.1 / 0.4);
	assert_int_equal(count(&w, ND_FUNCTION), 1);
	assert_int_equal(feed(&w, PERF, "perf-top.txt", 0, old), 0);
	assert_share(&w, "tcp_v4_rcv", 0.123);
	assert_int_equal(count(&w, ND_FUNCTION), 2);
	assert_true(feed(&w, PERF, "perf-top.txt", 0, "nothing\n") < 0);
	world_close(&w);
	world_open(&w, list);
	assert_int_equal(feed(&w, PERF, "perf-top.txt", 0, before_after), 0);
	assert_share(&w, "shrink_slab", 0.1);
	assert_share(&w, "idr_find", 0.08);
	world_close(&w);
}

static const char script[] =
	"nginx   812 [003] 27475.438637:     250000 cpu-clock:pppH: \n"
	"\tffffffff81a0 tcp_sendmsg+0xe ([kernel.kallsyms])\n"
	"\tffffffff81b0 inet_sendmsg+0xe ([kernel.kallsyms])\n\n"
	"nginx   812 [003] 27475.438638:     250000 cpu-clock:pppH: \n"
	"\t    7f81b0 main+0xe (/usr/sbin/nginx)\n\n"
	"swapper 0 [148] 27475.438637: skb:kfree_skb: ... location=tcp_v4_rcv+0x4f reason: NO_SOCKET\n"
	"swapper 0 [148] 27475.438638: skb:kfree_skb: ... location=tcp_v4_rcv+0x4f reason: NO_SOCKET\n"
	"swapper 0 [148] 27475.438639: skb:kfree_skb: skbaddr=0xff location=0xffffffff81\n";

static void test_script(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, list);
	assert_int_equal(feed(&w, PERF, "perf-script.txt", 0, script), 0);
	assert_share(&w, "tcp_sendmsg", 0.5);
	assert_text(&w, ND_FUNCTION, "tcp_v4_rcv", "drop_reason", "NO_SOCKET");
	assert_number(&w, ND_FUNCTION, "tcp_v4_rcv", "drops", ND_SEEN, 2);
	assert_int_equal(count(&w, ND_FUNCTION), 2);
	world_close(&w);
}

static const char offcpu[] =
	"Tracing off-CPU time (us) of all threads by user + kernel stack... Hit Ctrl-C to end.\n^C\n"
	"    finish_task_switch\n    schedule\n    __lock_sock\n    inet_csk_accept\n    --\n"
	"    accept\n    -                nginx (1234)\n        2000000\n\n"
	"    b'schedule'\n    b'inet_csk_accept'\n    -                b'nginx' (1234)\n        500000\n";

static void test_stacks(void **state)
{
	static const char folded[] =
		"nginx;main;accept;entry_SYSCALL_64;inet_csk_accept;__lock_sock;schedule 3000000\n";
	static const char ordered[] =
		"cadvisor;[cadvisor];[cadvisor];do_syscall_64;seq_read;memcg_stat_show;mem_cgroup_iter\n"
		"ksoftirqd/11;ret_from_fork;run_ksoftirqd;__do_softirq;net_rx_action\n";
	static const char marked[] = "nginx;main_[u];tcp_sendmsg_[k];ip_output_[k] 30\n"
				     "nginx;main_[u] 10\n";
	struct world w;

	(void)state;
	world_open(&w, list);
	assert_int_equal(feed(&w, STACK, "offcputime.txt", 0, offcpu), 0);
	assert_text(&w, ND_STACK, "p1", "frames",
		    "finish_task_switch;schedule;__lock_sock;inet_csk_accept");
	assert_number(&w, ND_STACK, "p1", "time", ND_BARE, 2);
	assert_text(&w, ND_STACK, "p2", "frames", "schedule;inet_csk_accept");
	assert_int_equal(nd_related(w.facts, nd_entity_find(w.facts, ND_STACK, "p1"),
				    ND_STACK_PROCESS, false)
				 .n,
			 1);
	assert_int_equal(feed(&w, STACK, "offcpu.folded", 0, folded), 0);
	assert_text(&w, ND_STACK, "f1", "frames",
		    "schedule;__lock_sock;inet_csk_accept;entry_SYSCALL_64;accept;main");
	assert_number(&w, ND_STACK, "f1", "time", ND_BARE, 3);
	assert_int_equal(feed(&w, STACK, "stacks.txt", 0, marked), 0);
	assert_share(&w, "ip_output", 0.75);
	world_close(&w);
	world_open(&w, list);
	assert_int_equal(feed(&w, STACK, "stacks.txt", 0, ordered), 0);
	assert_share(&w, "mem_cgroup_iter", 0.5);
	assert_share(&w, "net_rx_action", 0.5);
	assert_true(feed(&w, STACK, "offcputime.txt", 0, "nothing\n") < 0);
	world_close(&w);
}

static void test_memory(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, list);
	feed(&w, VM, "proc/vmstat", 0,
	     "nr_free_pages 1\nallocstall_dma 1\nallocstall_normal 4\ncompact_stall 7\npswpin 1\n");
	feed(&w, VM, "proc/vmstat", 5,
	     "nr_free_pages 1\nallocstall_dma 1\nallocstall_normal 9\ncompact_stall 17\npswpin 1\n");
	feed(&w, VM, "sys/kernel/mm/transparent_hugepage/enabled", 0, "always [madvise] never\n");
	feed(&w, VM, "defrag", 0, "[always] defer never\n");
	assert_number(&w, ND_HOST, "", "vm.direct_reclaims", ND_DELTA, 5);
	assert_number(&w, ND_HOST, "", "vm.compact_stalls", ND_DELTA, 10);
	assert_missing(&w, ND_HOST, "", "vm.swap_outs", ND_SEEN, ND_NOT_ON_THIS_KERNEL);
	assert_text(&w, ND_HOST, "", "vm.thp", "madvise");
	assert_text(&w, ND_HOST, "", "vm.thp_defrag", "always");
	assert_true(feed(&w, VM, "enabled", 0, "nothing\n") < 0);
	assert_int_equal(feed(&w, VM, "vmstat.txt", 0, "r b swpd\n1 2 3\n"), 0);
	world_close(&w);
}

static void test_hostile(void **state)
{
	(void)state;
	torture(list, PERF, "perf-top.txt", NULL, top + 60);
	torture(list, PERF, "perf-script.txt", NULL, script);
	torture(list, STACK, "offcputime.txt", NULL, offcpu + 80);
	torture(list, STACK, "offcpu", NULL, "n;a_[k];b_[k] 30\nm;c;d_e 7\n");
	torture(list, VM, "vmstat", NULL, "nr_free 1\nallocstall_dma 4\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_symbols), cmocka_unit_test(test_rows),
		cmocka_unit_test(test_script),	cmocka_unit_test(test_stacks),
		cmocka_unit_test(test_memory),	cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
