/* Neighbour tables: statistics of the kernel, listings in all spellings, limits. */
#include "tests/unit/counter_input.h"

#include "collectors/neigh.h"

extern const struct nd_collector nd_collector_neigh_stat, nd_collector_neigh_list,
	nd_collector_ntable, nd_collector_arping;

static const struct nd_fact_def host_facts[] = {
	{"sysctl.net.ipv4.neigh.default.gc_thresh3", ND_HOST, ND_T_NUMBER, ND_U_COUNT, ND_GAUGE,
	 "of the test", NULL, NULL, 0},
	{0},
};

static struct nd_value of(const struct store *s, const char *table, enum nd_neigh_fact fact)
{
	const struct nd_fact_def *d = &nd_neigh_facts[fact];
	const nd_id id = nd_entity_find(s->f, ND_NEIGH, table);

	if (id == ND_NO_ENTITY)
		fail_msg("no table %s", table);
	return nd_get(s->f, id, nd_registry_find(s->r, ND_NEIGH, d->name),
		      d->width == ND_COUNTER64 ? ND_SEEN : ND_BARE);
}

static void expect(const struct store *s, const char *table, enum nd_neigh_fact fact, double want)
{
	const struct nd_value v = of(s, table, fact);

	if (v.type != ND_V_NUMBER || v.num != want)
		fail_msg("%s %s: %.15g (type %d), expected %.15g", table, nd_neigh_facts[fact].name,
			 v.num, v.type, want);
}

/* Linux 6.18: entries is the same in each line, the others are summed; numbers are hexadecimal. */
static const char stat_new[] =
	"entries  allocs   destroys hash_grows lookups  hits     res_failed rcv_probes_mcast "
	"rcv_probes_ucast periodic_gc_runs forced_gc_runs unresolved_discards table_fulls\n"
	"00000537 00000045 00000040 00000002   0000010e 00000000 00000010   00000000         "
	"00000000         00000000         00000003       00000001            0000000a\n"
	"00000537 00000050 00000041 00000002   0000010d 00000007 00000011   00000000         "
	"00000000         00000395         00000004       00000000            0000000b\n";
/* 3.10: no table_fulls */
static const char stat_old[] =
	"entries  allocs destroys hash_grows  lookups hits  res_failed  rcv_probes_mcast "
	"rcv_probes_ucast  periodic_gc_runs forced_gc_runs unresolved_discards\n"
	"00000010  00000020 00000010 00000000  0000010e 00000000  00000000  00000000 00000000  "
	"00000000 00000000 00000000\n";

static void test_stat(void **state)
{
	const struct nd_collector *c = &nd_collector_neigh_stat;
	struct store s = store_new(nd_neigh_facts, NULL);

	(void)state;
	assert_int_equal(feed_text(&s, c, "arp_cache", stat_new), 0);
	assert_int_equal(feed_text(&s, c, "proc/net/stat/ndisc_cache", stat_old), 0);
	expect(&s, "arp_cache", ND_NF_ENTRIES, 1335);
	expect(&s, "arp_cache", ND_NF_TABLE_FULLS, 21);
	expect(&s, "arp_cache", ND_NF_RES_FAILED, 33);
	expect(&s, "arp_cache", ND_NF_FORCED_GCS, 7);
	expect(&s, "ndisc_cache", ND_NF_ENTRIES, 16);
	assert_int_equal(of(&s, "ndisc_cache", ND_NF_TABLE_FULLS).why, ND_NOT_ON_THIS_KERNEL);
	assert_string_equal(of(&s, "ndisc_cache", ND_NF_FAMILY).text, "IPv6");
	store_free(&s);
}

/* Of a file that ends early no sum is whole. */
static void test_stat_cut(void **state)
{
	const struct nd_collector *c = &nd_collector_neigh_stat;

	(void)state;
	for (size_t n = strcspn(stat_new, "\n") + 2; n < strlen(stat_new) - 1; n++) {
		struct store s = store_new(nd_neigh_facts, NULL);

		if (stat_new[n - 1] != '\n') {
			assert_int_equal(feed(&s, c, "arp_cache", stat_new, n, 0), 0);
			assert_int_equal(of(&s, "arp_cache", ND_NF_TABLE_FULLS).why, ND_TRUNCATED);
		}
		store_free(&s);
	}
	for (size_t i = 0; i < 2; i++) {
		struct store s = store_new(nd_neigh_facts, NULL);

		assert_int_equal(feed_text(&s, c, "arp_cache", i ? "entries lookups\n" : "12\n"),
				 -EINVAL);
		store_free(&s);
	}
}

static void test_lists(void **state)
{
	static const struct {
		const char *path, *text;
		double listed, permanent, failed, six; /* six: listed of IPv6; -1: none */
	} rows[] = {
		{"ip-neigh.txt",
		 "10.0.0.7 dev eth0 lladdr 52:54:00:12:34:56 REACHABLE\n"
		 "10.0.0.8 dev eth0  FAILED\n"
		 "10.0.0.9 dev eth0 lladdr 52:54:00:12:34:57 ref 1 used 3/1/3 probes 4 STALE\n"
		 "10.244.1.0 dev flannel.1 lladdr 52:54:00:12:34:58 PERMANENT\n"
		 "fe80::1 dev eth0 lladdr 52:54:00:12:34:59 router STALE\n",
		 4, 1, 1, 1},
		{"arp-an",
		 "$ arp -an\r\n"
		 "? (10.0.0.7) at 52:54:00:12:34:56 [ether] on eth0\r\n"
		 "? (10.0.0.8) at <incomplete> on eth0\r\n"
		 "gw.example (10.0.0.9) at 52:54:00:12:34:57 [ether] PERM on eth0\r\n",
		 3, 1, 1, -1},
		{"arp",
		 "IP address       HW type     Flags       HW address            Mask     Device\n"
		 "10.0.0.7         0x1         0x2         52:54:00:12:34:56     *        eth0\n"
		 "10.0.0.8         0x1         0x0         00:00:00:00:00:00     *        eth0\n"
		 "10.0.0.9         0x1         0x6         52:54:00:12:34:57     *        eth0\n",
		 3, 1, 1, -1},
		{"arp-n.txt",
		 "Address                  HWtype  HWaddress           Flags Mask            "
		 "Iface\n"
		 "10.0.0.7                 ether   52:54:00:12:34:56   C                     "
		 "eth0\n"
		 "10.0.0.8                         (incomplete)                              "
		 "eth0\n"
		 "10.0.0.9                 ether   52:54:00:12:34:57   CM                    "
		 "eth0\n",
		 3, 1, 1, -1},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct store s = store_new(nd_neigh_facts, NULL);

		assert_int_equal(
			feed_text(&s, &nd_collector_neigh_list, rows[i].path, rows[i].text), 0);
		expect(&s, "arp_cache", ND_NF_LISTED, rows[i].listed);
		expect(&s, "arp_cache", ND_NF_PERMANENT, rows[i].permanent);
		expect(&s, "arp_cache", ND_NF_FAILED, rows[i].failed);
		if (rows[i].six >= 0)
			expect(&s, "ndisc_cache", ND_NF_LISTED, rows[i].six);
		else
			assert_int_equal(nd_entity_find(s.f, ND_NEIGH, "ndisc_cache"),
					 ND_NO_ENTITY);
		store_free(&s);
	}
}

/* The number of wc -l, with or without the command before it; no other text is a listing. */
static void test_number(void **state)
{
	static const struct {
		const char *path, *text, *table;
	} rows[] = {
		{"arp-an-wc.txt", "1335\n", "arp_cache"},
		{"arp", "# arp -an | wc -l\n1335", "arp_cache"},
		{"ip-6-neigh-wc", "1335\n", "ndisc_cache"},
		{"arp-an.txt", "arp: command not found\n", NULL},
		{"arp_cache", "00000010  00000020\n", NULL},
		{"ip-neigh", "", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct store s = store_new(nd_neigh_facts, NULL);
		uint32_t n;

		assert_int_equal(
			feed_text(&s, &nd_collector_neigh_list, rows[i].path, rows[i].text), 0);
		if (rows[i].table)
			expect(&s, rows[i].table, ND_NF_LISTED, 1335);
		nd_entities(s.f, ND_NEIGH, &n);
		assert_int_equal(n, rows[i].table != NULL);
		store_free(&s);
	}
}

static void test_ntable(void **state)
{
	static const char text[] =
		"inet arp_cache \n"
		"    thresh1 128 thresh2 512 thresh3 1024 gc_int 30000 \n"
		"    config key_len 4 entry_size 336 entries 16 \n"
		"    stats allocs 63 destroys 47 hash_grows 2 \n"
		"        lookups 540 hits 7 res_failed 2 \n"
		"        periodic_gc_runs 917 forced_gc_runs 5 table_fulls 3 \n\n"
		"inet arp_cache \n"
		"    dev eth0 \n"
		"    refcnt 1 entries 9 thresh3 7 \n\n"
		"inet6 ndisc_cache \n"
		"    thresh1 128 thresh2 512 thresh3 2048 gc_int 30000 \n";
	struct store s = store_new(nd_neigh_facts, NULL);

	(void)state;
	assert_int_equal(feed_text(&s, &nd_collector_ntable, "ip-s-ntable", text), 0);
	expect(&s, "arp_cache", ND_NF_THRESH3, 1024);
	expect(&s, "arp_cache", ND_NF_ENTRIES, 16);
	expect(&s, "arp_cache", ND_NF_TABLE_FULLS, 3);
	expect(&s, "arp_cache", ND_NF_RES_FAILED, 2);
	expect(&s, "ndisc_cache", ND_NF_THRESH3, 2048);
	store_free(&s);
	s = store_new(nd_neigh_facts, NULL);
	feed(&s, &nd_collector_ntable, "ip-s-ntable", text, strlen("inet arp_cache \n thresh1 12"),
	     0);
	assert_int_equal(of(&s, "arp_cache", ND_NF_THRESH1).type, ND_V_MISSING);
	store_free(&s);
}

/* The sysctl is the table's limit; a line of the log makes known which table. */
static void test_finish(void **state)
{
	const struct nd_input in = {.path = "sysctl-a", .netns = "host"};
	struct store s = store_new(nd_neigh_facts, host_facts);

	(void)state;
	nd_put_log(s.f, -1, "ICMPv6: ndisc_cache: neighbor table overflow!", &in);
	nd_put_log(s.f, -1, "an unrelated table overflow", &in);
	nd_put_num(s.f, nd_entity(s.f, ND_HOST, ""), &host_facts[0], 4096, &in);
	nd_neigh_finish(s.f);
	expect(&s, "arp_cache", ND_NF_THRESH3, 4096);
	assert_int_not_equal(nd_entity_find(s.f, ND_NEIGH, "ndisc_cache"), ND_NO_ENTITY);
	store_free(&s);
}

/* Both programs of that name; one address of several is the one with the most answers. */
static void test_arping(void **state)
{
	static const char text[] =
		"ARPING 192.168.82.2 from 192.168.82.1 ens256\n"
		"Unicast reply from 192.168.82.2 [00:50:56:9C:14:D9] 0.833ms\n"
		"Unicast reply from 192.168.82.2 [00:50:56:9c:14:d9] 0.702ms\n"
		"60 bytes from 00:50:56:9c:88:ce (192.168.82.2): index=0 time=1.000 msec\n"
		"60 bytes from 00:50:56:9c:88:ce (192.168.82.3): index=0 time=1.000 msec\n"
		"Unicast reply from 192.168.82.2 [00:50:56\nSent 3 probes (1 broadcast(s))\n";
	const struct nd_collector *c = &nd_collector_arping;
	struct store s = store_new(c->facts, NULL);

	(void)state;
	assert_int_equal(feed_text(&s, c, "arping", text), 0);
	expect_num(&s, "arping.answers", 2);
	expect_text(&s, "arping.address", "192.168.82.2");
	store_free(&s);
	s = store_new(c->facts, NULL);
	assert_int_equal(feed_text(&s, c, "arping", "Sent 3 probes\n"), 0);
	expect_missing(&s, "arping.answers", ND_NOT_SAMPLED);
	store_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stat),   cmocka_unit_test(test_stat_cut),
		cmocka_unit_test(test_lists),  cmocka_unit_test(test_number),
		cmocka_unit_test(test_ntable), cmocka_unit_test(test_finish),
		cmocka_unit_test(test_arping),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
