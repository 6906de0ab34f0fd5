/* Sysctls from single files and from the text of `sysctl -a`, in base units. */
#include "tests/unit/counter_input.h"

#include "collectors/conntrack.h"

#define HOST "tests/hosts/kernel-6.18/"

extern const struct nd_collector nd_collector_sysctl;
static const struct nd_collector *const c = &nd_collector_sysctl;

static struct store new_store(void)
{
	return store_new(c->facts, nd_conntrack_facts);
}

static void test_kernel_6_18(void **state)
{
	struct store s = new_store();

	(void)state;
	assert_int_equal(feed_file(&s, c, HOST "sysctl-a.txt"), 0);
	expect_num(&s, "sysctl.net.core.somaxconn", 4096);
	expect_num(&s, "sysctl.net.core.netdev_max_backlog", 1000);
	expect_num(&s, "sysctl.net.core.netdev_budget_usecs", 0.008);
	expect_num(&s, "sysctl.net.ipv4.neigh.default.gc_thresh3", 1024);
	expect_num(&s, "sysctl.net.ipv6.neigh.default.gc_thresh2", 512);
	expect_num(&s, "sysctl.net.netfilter.nf_conntrack_max", 64);
	expect_num(&s, "sysctl.net.netfilter.nf_conntrack_buckets", 262144);
	expect_num(&s, "sysctl.net.netfilter.nf_conntrack_tcp_timeout_established", 432000);
	expect_num(&s, "conntrack.max", 64);
	expect_num(&s, "conntrack.count", 64);
	expect_num(&s, "conntrack.buckets", 262144);
	expect_text(&s, "sysctl.net.ipv4.ip_local_port_range", "32768 60999");
	expect_text(&s, "sysctl.net.ipv4.ip_local_reserved_ports", "");
	expect_missing(&s, "sysctl.net.ipv4.tcp_tw_recycle", ND_TOOL_OUTPUT_ABSENT);
	store_free(&s);
}

/* Gone from the kernel, or of a module that the recorded host had not loaded. */
static bool is_elsewhere(const char *name)
{
	return strcmp(name, "sysctl.net.ipv4.tcp_tw_recycle") == 0 ||
	       nd_starts(name, "sysctl.net.ipv4.vs.") || nd_starts(name, "sysctl.net.bridge.");
}

/* Every other sysctl of the table is one of this kernel: none is misspelt. */
static void test_all_names_exist(void **state)
{
	struct store s = new_store();
	uint32_t n = 0;

	(void)state;
	feed_file(&s, c, HOST "sysctl-a.txt");
	for (const struct nd_fact_def *d = c->facts; d->name; d++, n++) {
		bool there = ask(&s, d->name, ND_BARE).type != ND_V_MISSING;

		if (there == is_elsewhere(d->name))
			fail_msg("%s", d->name);
		/* the file that is read live is the same key */
		assert_true(nd_starts(c->reads[n].what, "/proc/sys/"));
		for (size_t i = 0; d->name[strlen("sysctl.") + i]; i++) {
			char want = c->reads[n].what[strlen("/proc/sys/") + i];

			assert_int_equal(d->name[strlen("sysctl.") + i], want == '/' ? '.' : want);
		}
	}
	assert_string_equal(c->reads[n].what, "sysctl -a");
	store_free(&s);
}

static void test_lines(void **state)
{
	static const struct {
		const char *text, *fact;
		double num;
		enum nd_missing why;
	} rows[] = {
		{"net.core.somaxconn = 128\n", "sysctl.net.core.somaxconn", 128, 0},
		{"net.core.somaxconn=128\n", "sysctl.net.core.somaxconn", 128, 0},
		{"net/core/somaxconn = 128\n", "sysctl.net.core.somaxconn", 128, 0},
		{"a = 1\nnet.core.busy_poll = 50\n", "sysctl.net.core.busy_poll", 50e-6, 0},
		{"net.core.netdev_budget_usecs = 2000\n", "sysctl.net.core.netdev_budget_usecs",
		 0.002, 0},
		{"sysctl: permission denied on key 'net.ipv4.x'\nnet.core.somaxconn = 7\n",
		 "sysctl.net.core.somaxconn", 7, 0},
		{"net.nf_conntrack_max = 65536\n", "conntrack.max", 65536, 0},
		{"net.core.somaxconn = 12", "sysctl.net.core.somaxconn", NAN, ND_TRUNCATED},
		{"net.netfilter.nf_conntrack_max = 12", "conntrack.max", NAN, ND_NOT_SAMPLED},
		{"net.core.somaxconn = -1\n", "sysctl.net.core.somaxconn", NAN, ND_PARSE_ERROR},
		{"net.core.somaxconn = \n", "sysctl.net.core.somaxconn", NAN, ND_PARSE_ERROR},
		{"net.core.somaxconnx = 1\n", "sysctl.net.core.somaxconn", NAN,
		 ND_TOOL_OUTPUT_ABSENT},
		{"see net.core.somaxconn = 1\nb = 1\n", "sysctl.net.core.somaxconn", NAN,
		 ND_TOOL_OUTPUT_ABSENT},
		{"net.ipv4.conf.eth0/100.rp_filter = 1\n", "sysctl.net.ipv4.conf.all.rp_filter",
		 NAN, ND_TOOL_OUTPUT_ABSENT},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct store s = new_store();

		assert_int_equal(feed_text(&s, c, "sysctl-a.txt", rows[i].text), 0);
		if (isnan(rows[i].num))
			expect_missing(&s, rows[i].fact, rows[i].why);
		else
			expect_num(&s, rows[i].fact, rows[i].num);
		store_free(&s);
	}
}

static void test_single_files(void **state)
{
	static const struct {
		const char *path, *text, *fact;
		double num;
	} rows[] = {
		{"/proc/sys/net/core/somaxconn", "4096\n", "sysctl.net.core.somaxconn", 4096},
		{"host1/proc/sys/net/core/somaxconn", "4096\n", "sysctl.net.core.somaxconn", 4096},
		{"somaxconn", "4096\n", "sysctl.net.core.somaxconn", 4096},
		{"host1/somaxconn.txt@0", "4096", "sysctl.net.core.somaxconn", 4096},
		{"/proc/sys/net/ipv6/neigh/default/gc_thresh1", "128\n",
		 "sysctl.net.ipv6.neigh.default.gc_thresh1", 128},
		{"/proc/sys/net/core/netdev_budget_usecs", "8000\n",
		 "sysctl.net.core.netdev_budget_usecs", 0.008},
		{"host1/max_size", "4096\n", "sysctl.net.ipv6.route.max_size", 4096},
		{"gc_thresh1", "128\n", NULL, 0}, /* of which family? */
		{"xsomaxconn", "128\n", NULL, 0},
		{"sysctl-a.txt", "128\n", NULL, 0},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct store s = new_store();
		int rc = feed_text(&s, c, rows[i].path, rows[i].text);

		assert_int_equal(rc, rows[i].fact ? 0 : -EINVAL);
		if (rows[i].fact)
			expect_num(&s, rows[i].fact, rows[i].num);
		else
			assert_non_null(strstr(s.e.msg, "key = value"));
		store_free(&s);
	}
}

static void test_words(void **state)
{
	struct store s = new_store();

	(void)state;
	assert_int_equal(feed_text(&s, c, "/proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456\n"),
			 0);
	assert_int_equal(feed_text(&s, c, "/proc/sys/net/ipv4/ip_local_reserved_ports", "\n"), 0);
	expect_text(&s, "sysctl.net.ipv4.tcp_rmem", "4096 131072 6291456");
	expect_text(&s, "sysctl.net.ipv4.ip_local_reserved_ports", "");
	store_free(&s);
}

/* A fix writes the kernel's own unit: value in base units over kernel_unit. */
static void test_kernel_unit(void **state)
{
	(void)state;
	for (const struct nd_fact_def *d = c->facts; d->name; d++) {
		assert_true(d->kernel_unit == 1 || d->kernel_unit == 1e-6);
		assert_true((d->kernel_unit == 1e-6) ==
			    (nd_ends(d->name, "_usecs") || strstr(d->name, ".busy_") != NULL));
	}
}

static void test_hostile(void **state)
{
	(void)state;
	cut_everywhere(c, c->facts, nd_conntrack_facts, HOST "sysctl-a.txt", 5, false);
	garble(c, c->facts, nd_conntrack_facts, HOST "sysctl-a.txt");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel_6_18), cmocka_unit_test(test_all_names_exist),
		cmocka_unit_test(test_lines),	    cmocka_unit_test(test_single_files),
		cmocka_unit_test(test_words),	    cmocka_unit_test(test_kernel_unit),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
