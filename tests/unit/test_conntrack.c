/* Connection tracking from /proc and from `conntrack`: columns of old and new kernels, hexadecimal
 * rows, and when it is not there at all. */
#include "tests/unit/counter_input.h"

#include "collectors/conntrack.h"

#define HOSTS "tests/hosts/"
#define STAT "proc/net/stat/nf_conntrack"

extern const struct nd_collector nd_collector_conntrack, nd_collector_conntrack_tool;
extern const struct nd_collector nd_collector_sysctl;
static const struct nd_collector *const c = &nd_collector_conntrack;
static const struct nd_collector *const tool = &nd_collector_conntrack_tool;

static struct store new_store(void)
{
	return store_new(nd_conntrack_facts, nd_collector_sysctl.facts);
}

static void test_kernel_6_18(void **state)
{
	struct store s = new_store();

	(void)state;
	assert_int_equal(
		feed_file(&s, c, HOSTS "kernel-6.18/proc/sys/net/netfilter/nf_conntrack_count"), 0);
	assert_int_equal(
		feed_file(&s, c, HOSTS "kernel-6.18/proc/sys/net/netfilter/nf_conntrack_max"), 0);
	assert_int_equal(
		feed_file(&s, c, HOSTS "kernel-6.18/proc/sys/net/netfilter/nf_conntrack_buckets"),
		0);
	assert_int_equal(feed_file(&s, c, HOSTS "kernel-6.18/" STAT), 0);
	expect_num(&s, "conntrack.count", 64);
	expect_num(&s, "conntrack.max", 64);
	expect_num(&s, "conntrack.buckets", 262144);
	expect_num(&s, "conntrack.drop", 242);
	expect_num(&s, "conntrack.early_drop", 1);
	expect_num(&s, "conntrack.chain_too_long", 0);
	expect_num(&s, "conntrack.clash_resolve", 0);
	store_free(&s);
}

/* The eighth column was delete_list, the second searched: neither is what stands there today. */
static void test_kernel_4_18(void **state)
{
	struct store s = new_store();

	(void)state;
	assert_int_equal(feed_file(&s, c, HOSTS "kernel-4.18/" STAT), 0);
	expect_num(&s, "conntrack.count", 65422);
	expect_num(&s, "conntrack.drop", 195603 + 44371);
	expect_num(&s, "conntrack.early_drop", 118583 + 34890);
	expect_num(&s, "conntrack.insert_failed", 7);
	expect_num(&s, "conntrack.nat_ports_taken", 42);
	expect_num(&s, "conntrack.invalid", 743150 + 2004);
	expect_num(&s, "conntrack.search_restart", 22391652 + 1225447);
	expect_num(&s, "conntrack.error", 16);
	expect_missing(&s, "conntrack.chain_too_long", ND_NOT_ON_THIS_KERNEL);
	expect_missing(&s, "conntrack.clash_resolve", ND_NOT_ON_THIS_KERNEL);
	store_free(&s);
}

static void test_tool_as_proc(void **state)
{
	static const char *const hosts[] = {"kernel-6.18", "kernel-4.18"};

	(void)state;
	for (size_t h = 0; h < ND_ARRAY_LEN(hosts); h++) {
		struct store a = new_store(), b = new_store();
		char path[256];

		snprintf(path, sizeof(path), HOSTS "%s/" STAT, hosts[h]);
		assert_int_equal(feed_file(&a, c, path), 0);
		snprintf(path, sizeof(path), HOSTS "%s/conntrack-S.txt", hosts[h]);
		assert_int_equal(feed_file(&b, tool, path), 0);
		for (int i = ND_CT_COUNTERS; i < ND_CT_FACTS; i++) {
			const char *name = nd_conntrack_facts[i].name;
			struct nd_value v = ask(&a, name, ND_SEEN), w = ask(&b, name, ND_SEEN);

			assert_int_equal(v.type, w.type);
			if (v.type == ND_V_NUMBER)
				assert_true(v.num == w.num);
		}
		store_free(&a);
		store_free(&b);
	}
}

static void test_tool_lines(void **state)
{
	static const struct {
		const char *text, *fact;
		double num;
		enum nd_missing why;
	} rows[] = {
		{"64\n", "conntrack.count", 64, 0},
		{"entries\t\t\t65530\nearly_drop              1234\n", "conntrack.count", 65530, 0},
		{"entries\t\t\t65530\nearly_drop              1234\n", "conntrack.early_drop", 1234,
		 0},
		{"drop 7\nearly_drop              1234", "conntrack.early_drop", NAN,
		 ND_NOT_ON_THIS_KERNEL},
		{"conntrack v1.4.6 (conntrack-tools): \n64\n", "conntrack.count", 64, 0},
		{"cpu=0   \tfound=1 drop=2 \n", "conntrack.drop", 2, 0},
		{"cpu=0 drop=2 \ncpu=1 drop=3 \n", "conntrack.drop", 5, 0},
		{"cpu=0 drop=4294967295 \ncpu=1 drop=1 \n", "conntrack.drop", 4294967296.0, 0},
		{"cpu=0 drop=4294967296 \n", "conntrack.drop", NAN, ND_NOT_ON_THIS_KERNEL},
		{"cpu=0 drop=2 early_drop=7 \ncpu=1 drop=3 early_drop=1", "conntrack.drop", 5, 0},
		{"cpu=0 drop=2 early_drop=7 \ncpu=1 drop=3 early_drop=1", "conntrack.early_drop",
		 NAN, ND_TRUNCATED},
		{"cpu=0 drop=2 early_drop=7 \ncpu=1 drop=3 ear", "conntrack.drop", NAN,
		 ND_TRUNCATED},
		{"cpu=0 drop=2 early_drop=7 \ncp", "conntrack.drop", NAN, ND_TRUNCATED},
		{"cpu=0 drop=2 early_drop=7", "conntrack.drop", NAN, ND_TRUNCATED},
		{"cpu=0 drop=2 early_drop=7 \ncpu=1 drop=3 ear", "conntrack.early_drop", NAN,
		 ND_TRUNCATED},
		{"cpu=0 drop=2 \ncpu=1 drop=3", "conntrack.drop", NAN, ND_TRUNCATED},
		{"cpu=0 drop=2 \ncpu=1 drop=x \n", "conntrack.drop", NAN, ND_TRUNCATED},
		{"cpu=0 drop=2 \ncpu=1 found=1 \ncpu=2 drop=1 drop=1 \n", "conntrack.drop", NAN,
		 ND_TRUNCATED},
		{"cpu=0 drop=2 \n", "conntrack.chain_too_long", NAN, ND_NOT_ON_THIS_KERNEL},
		{"cpu=0 chaintoolong=2 \n", "conntrack.chain_too_long", 2, 0},
		{"cpu=0 clash_resolve=9 \n", "conntrack.clash_resolve", 9, 0},
		{"cpu=0 found=9 \n", "conntrack.nat_ports_taken", 9, 0},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct store s = new_store();

		assert_int_equal(feed_text(&s, tool, "conntrack-S.txt", rows[i].text), 0);
		if (isnan(rows[i].num))
			expect_missing(&s, rows[i].fact, rows[i].why);
		else
			expect_num(&s, rows[i].fact, rows[i].num);
		store_free(&s);
	}
}

static void test_two_moments(void **state)
{
	static const char a[] = "cpu=0 drop=4294967290 \ncpu=1 drop=5 \n";
	static const char b[] = "cpu=0 drop=4294967292 \ncpu=1 drop=8 \n";
	static const char wrapped[] = "cpu=0 drop=3 \ncpu=1 drop=9 \n";
	struct store s = new_store();

	(void)state;
	feed(&s, tool, "conntrack-S.txt@0", a, strlen(a), 0);
	feed(&s, tool, "conntrack-S.txt@10", b, strlen(b), 10);
	expect_num(&s, "conntrack.drop", 5);
	/* one processor's counter wrapped: the sum cannot tell by how much */
	feed(&s, tool, "conntrack-S.txt@20", wrapped, strlen(wrapped), 20);
	expect_missing(&s, "conntrack.drop", ND_COUNTER_RESET);
	store_free(&s);
}

/* Of another namespace only the rows tell the count; of the own one the file does. */
static void test_count(void **state)
{
	static const char stat[] = "entries drop\n00000010 1\n00000010 1\n";
	struct nd_input in = {.path = "/proc/7/net/stat/nf_conntrack", .netns = "pod"};
	struct store s = new_store();
	struct nd_stream *stream = nd_stream_mem(stat, strlen(stat));

	(void)state;
	assert_int_equal(c->parse(&in, stream, s.f, &s.e), 0);
	nd_stream_close(stream);
	assert_true(nd_get(s.f, nd_entity_find(s.f, ND_NETNS, "pod"),
			   nd_registry_find(s.r, ND_NETNS, "conntrack.count"), ND_BARE)
			    .num == 16);
	feed_text(&s, c, "/proc/sys/net/netfilter/nf_conntrack_count", "17\n");
	feed_text(&s, c, "/proc/net/stat/nf_conntrack", stat);
	expect_num(&s, "conntrack.count", 17);
	store_free(&s);
}

static void test_bad(void **state)
{
	static const struct {
		const char *path, *text, *message;
	} rows[] = {
		{"nf_conntrack_max", "", "found none"},
		{"nf_conntrack_max", "lots\n", "a number"},
		{"nf_conntrack_max", "-1\n", "a number"},
		{"something", "5\n", "conntrack"},
		{"nf_conntrack", "entries  searched found\n", "a row for each"},
		{"nf_conntrack", "ipv4     2 tcp      6 431999 ESTABLISHED src=192.0.2.1\n",
		 "a number"},
	};
	struct store s = new_store();

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		assert_int_equal(feed_text(&s, c, rows[i].path, rows[i].text), -EINVAL);
		assert_non_null(strstr(s.e.msg, rows[i].message));
	}
	assert_int_equal(feed_text(&s, tool, "conntrack-S.txt", "command not found\n"), -EINVAL);
	assert_non_null(strstr(s.e.msg, "cpu=0"));
	store_free(&s);
}

/* A tree of /proc without it is a host without it; a flat folder without it says nothing. */
static void test_not_there(void **state)
{
	static const struct {
		const char *backlog, *syncookies;
		bool absent;
	} rows[] = {
		{"copy/proc/sys/net/core/netdev_max_backlog",
		 "copy/proc/sys/net/ipv4/tcp_syncookies", true},
		{"netdev_max_backlog", "tcp_syncookies", false},
		{"copy/proc/sys/net/core/netdev_max_backlog", "tcp_syncookies", false},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct store s = new_store();

		feed_text(&s, &nd_collector_sysctl, rows[i].backlog, "1000\n");
		feed_text(&s, &nd_collector_sysctl, rows[i].syncookies, "1\n");
		c->finish(s.f);
		if (rows[i].absent) {
			assert_int_equal(ask(&s, "conntrack.max", ND_BARE).type, ND_V_ABSENT);
			assert_int_equal(ask(&s, "conntrack.count", ND_BARE).type, ND_V_ABSENT);
			assert_int_equal(ask(&s, "conntrack.drop", ND_SEEN).type, ND_V_ABSENT);
		} else {
			expect_missing(&s, "conntrack.max", ND_NOT_SAMPLED);
			expect_missing(&s, "conntrack.drop", ND_NOT_SAMPLED);
		}
		store_free(&s);
	}
}

/* With tracking in the tree, what it lacks is not there by chance. */
static void test_partly_there(void **state)
{
	struct store s = new_store();

	(void)state;
	feed_text(&s, &nd_collector_sysctl, "copy/proc/sys/net/core/netdev_max_backlog", "1000\n");
	feed_text(&s, &nd_collector_sysctl, "copy/proc/sys/net/ipv4/tcp_syncookies", "1\n");
	feed_text(&s, c, "copy/proc/sys/net/netfilter/nf_conntrack_max", "65536\n");
	c->finish(s.f);
	expect_num(&s, "conntrack.max", 65536);
	expect_missing(&s, "conntrack.count", ND_NOT_SAMPLED);
	store_free(&s);
}

static void test_hostile(void **state)
{
	(void)state;
	cut_everywhere(c, nd_conntrack_facts, nd_collector_sysctl.facts, HOSTS "kernel-4.18/" STAT,
		       1, true);
	garble(c, nd_conntrack_facts, nd_collector_sysctl.facts, HOSTS "kernel-4.18/" STAT);
	cut_everywhere(tool, nd_conntrack_facts, nd_collector_sysctl.facts,
		       HOSTS "kernel-4.18/conntrack-S.txt", 1, true);
	garble(tool, nd_conntrack_facts, nd_collector_sysctl.facts,
	       HOSTS "kernel-4.18/conntrack-S.txt");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel_6_18),  cmocka_unit_test(test_kernel_4_18),
		cmocka_unit_test(test_tool_as_proc), cmocka_unit_test(test_tool_lines),
		cmocka_unit_test(test_two_moments),  cmocka_unit_test(test_count),
		cmocka_unit_test(test_bad),	     cmocka_unit_test(test_not_there),
		cmocka_unit_test(test_partly_there), cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
