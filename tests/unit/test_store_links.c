/* The store of facts: entities and their order, kinds that were read or not, relations from both ends,
 * where a value comes from, log lines, rows. */
#include "tests/unit/store_fixture.h"

/* ---- entities and kinds ---- */

static void keys(struct store *s, enum nd_kind kind, char *out, size_t size)
{
	uint32_t n;
	const nd_id *ids = nd_entities(s->f, kind, &n);

	*out = '\0';
	for (uint32_t i = 0; i < n; i++) {
		size_t len = strlen(out);

		snprintf(out + len, size - len, "%s%s", i ? " " : "", nd_entity_key(s->f, ids[i]));
	}
}

static void test_order(void **state)
{
	static const struct {
		enum nd_kind kind;
		const char *put[5], *want;
	} rows[] = {
		{ND_IRQ, {"10", "9", "100", "1"}, "1 9 10 100"},
		{ND_IFACE, {"eth10", "eth2", "bond0", "eth2@pod"}, "bond0 eth2 eth2@pod eth10"},
		{ND_NETNS, {"pod2", "alpha", "host", "4026531840"}, "host 4026531840 alpha pod2"},
		{ND_NETNS, {"b", "a"}, "a b"},
		{ND_IFACE, {"host", "a"}, "a host"},
		{ND_IFACE, {"eth0", "eth0", "eth0"}, "eth0"},
	};
	char got[200];

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct store s = open_store();

		for (size_t k = 0; k < ND_ARRAY_LEN(rows[i].put) && rows[i].put[k]; k++) {
			nd_entity(s.f, rows[i].kind, rows[i].put[k]);
			keys(&s, rows[i].kind, got, sizeof(got)); /* what is cached is renewed */
		}
		assert_string_equal(got, rows[i].want);
		close_store(&s);
	}
}

static void test_names(void **state)
{
	struct store s = open_store();
	nd_id eth = nd_entity_in(s.f, ND_IFACE, "eth0", "pod1");

	(void)state;
	assert_string_equal(nd_entity_name(s.f, 0), "host");
	assert_string_equal(nd_entity_name(s.f, s.cpu), "cpu:0");
	assert_string_equal(nd_entity_name(s.f, eth), "iface:eth0@pod1");
	assert_int_equal(nd_entity_in(s.f, ND_IFACE, "eth0@pod1", NULL), eth);
	assert_int_not_equal(nd_entity_in(s.f, ND_IFACE, "eth0", "host"), eth);
	assert_int_equal(nd_entity_find(s.f, ND_IFACE, "eth1"), ND_NO_ENTITY);
	assert_int_equal(nd_entity_find(s.f, ND_QUEUE, "eth0"), ND_NO_ENTITY);
	for (uint32_t i = 0; i < 5000; i++) /* more than the hash has chains */
		nd_entity_num(s.f, ND_IRQ, i);
	assert_string_equal(nd_entity_name(s.f, nd_entity_find(s.f, ND_IRQ, "4999")), "irq:4999");
	assert_int_equal(nd_entity_kind(s.f, eth), ND_IFACE);
	close_store(&s);
}

enum { UNREAD, READ, HAS, HAS_PART, FAILED, READ_THEN_FAILED };

static void test_kinds(void **state)
{
	static const struct {
		int how;
		enum nd_missing want;
		const char *detail;
	} rows[] = {
		{UNREAD, ND_NOT_SAMPLED, ""},
		{READ, ND_PRESENT, ""},
		{HAS, ND_PRESENT, ""},
		{HAS_PART, ND_TRUNCATED, "the list is cut"},
		{FAILED, ND_TRUNCATED, "the list is cut"},
		{READ_THEN_FAILED, ND_PRESENT, ""},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct store s = open_store();
		struct nd_status status;

		if (rows[i].how == READ || rows[i].how == READ_THEN_FAILED)
			nd_kind_read(s.f, ND_LISTENER);
		if (rows[i].how == HAS || rows[i].how == HAS_PART)
			nd_entity(s.f, ND_LISTENER, "tcp/*:1");
		if (rows[i].how >= HAS_PART)
			nd_kind_missing(s.f, ND_LISTENER, ND_TRUNCATED, "the list is %s", "cut");
		status = nd_kind_status(s.f, ND_LISTENER);
		assert_int_equal(status.why, rows[i].want);
		assert_string_equal(status.detail, rows[i].detail);
		close_store(&s);
	}
}

/* ---- relations ---- */

static void linked(struct store *s, nd_id on, enum nd_relation rel, bool inverse, const char *want)
{
	struct nd_links l = nd_related(s->f, on, rel, inverse);
	char got[200] = "";

	if (l.why != ND_PRESENT)
		snprintf(got, sizeof(got), "unknown: %s", nd_missing_name(l.why));
	for (uint32_t i = 0; i < l.n; i++) {
		size_t len = strlen(got);

		snprintf(got + len, sizeof(got) - len, "%s%s", i ? " " : "",
			 nd_entity_name(s->f, l.ids[i]));
	}
	assert_string_equal(got, want);
}

static void test_relations(void **state)
{
	struct store s = open_store();
	nd_id a = nd_entity_num(s.f, ND_IRQ, 1), b = nd_entity_num(s.f, ND_IRQ, 2);
	nd_id c1 = nd_entity_num(s.f, ND_CPU, 1), eth = nd_entity(s.f, ND_IFACE, "eth0");

	(void)state;
	linked(&s, a, ND_IRQ_CPUS, false, "unknown: not-sampled");
	linked(&s, s.cpu, ND_IRQ_CPUS, true, "unknown: not-sampled");
	nd_relate(s.f, a, ND_IRQ_CPUS, s.cpu);
	nd_relate(s.f, a, ND_IRQ_CPUS, c1);
	nd_relate(s.f, a, ND_IRQ_CPUS, c1); /* once */
	nd_relate(s.f, b, ND_IRQ_CPUS, c1);
	linked(&s, a, ND_IRQ_CPUS, false, "cpu:0 cpu:1");
	linked(&s, c1, ND_IRQ_CPUS, true, "irq:1 irq:2");
	nd_relate_none(s.f, a, ND_IRQ_IFACE);
	linked(&s, a, ND_IRQ_IFACE, false, "");
	nd_relate(s.f, a, ND_IRQ_IFACE, eth);
	linked(&s, a, ND_IRQ_IFACE, false, "iface:eth0");
	linked(&s, eth, ND_IRQ_IFACE, true, "irq:1");
	nd_relate_missing(s.f, a, ND_IRQ_IFACE, ND_NO_PERMISSION,
			  "closed"); /* what is known stays */
	linked(&s, a, ND_IRQ_IFACE, false, "iface:eth0");
	nd_relate_missing(s.f, b, ND_IRQ_IFACE, ND_NO_PERMISSION, "closed");
	linked(&s, b, ND_IRQ_IFACE, false, "unknown: no-permission");
	assert_string_equal(nd_related(s.f, b, ND_IRQ_IFACE, false).detail, "closed");
	nd_relate_none_inverse(s.f, eth, ND_QUEUE_IFACE);
	linked(&s, eth, ND_QUEUE_IFACE, true, "");
	nd_relate_missing_inverse(s.f, eth, ND_PEER_IFACE, ND_TIMED_OUT, "slow");
	linked(&s, eth, ND_PEER_IFACE, true, "unknown: timed-out");
	close_store(&s);
}

/* To one: the later answer replaces the former, seen from both ends. */
static void test_moved(void **state)
{
	struct store s = open_store();
	nd_id eth = nd_entity(s.f, ND_IFACE, "eth0"), lo = nd_entity(s.f, ND_IFACE, "lo");
	nd_id a = nd_entity(s.f, ND_NETNS, "a"), b = nd_entity(s.f, ND_NETNS, "b");

	(void)state;
	nd_relate(s.f, eth, ND_IFACE_NETNS, a);
	nd_relate(s.f, lo, ND_IFACE_NETNS, a);
	nd_relate(s.f, eth, ND_IFACE_NETNS, b);
	linked(&s, eth, ND_IFACE_NETNS, false, "netns:b");
	linked(&s, b, ND_IFACE_NETNS, true, "iface:eth0");
	linked(&s, a, ND_IFACE_NETNS, true, "iface:lo");
	close_store(&s);
}

static void test_nobody_names_it(void **state)
{
	struct store s = open_store();
	nd_id eth = nd_entity(s.f, ND_IFACE, "eth0");

	(void)state;
	nd_kind_read(s.f, ND_QUEUE); /* there are no queues at all */
	linked(&s, eth, ND_QUEUE_IFACE, true, "");
	linked(&s, eth, ND_QDISC_IFACE, true, "unknown: not-sampled");
	nd_entity(s.f, ND_QUEUE, "eth1/rx-0"); /* one whose interface nobody said */
	linked(&s, eth, ND_QUEUE_IFACE, true, "unknown: not-sampled");
	close_store(&s);
}

static void test_links_set(void **state)
{
	struct store s = open_store();
	nd_id a = nd_entity_num(s.f, ND_IRQ, 1), c1 = nd_entity_num(s.f, ND_CPU, 1);

	(void)state;
	nd_relate(s.f, a, ND_IRQ_CPUS, s.cpu);
	nd_links_set(s.f, a, ND_IRQ_CPUS, false, &c1, 1);
	linked(&s, a, ND_IRQ_CPUS, false, "cpu:1");
	linked(&s, s.cpu, ND_IRQ_CPUS, true, "irq:1"); /* the other side is left alone */
	linked(&s, c1, ND_IRQ_CPUS, true, "unknown: not-sampled");
	nd_links_set(s.f, a, ND_IRQ_CPUS, false, NULL, 0);
	linked(&s, a, ND_IRQ_CPUS, false, "");
	close_store(&s);
}

static void test_chain(void **state)
{
	struct store s = open_store();
	nd_id root = nd_entity(s.f, ND_CGROUP, "/"), a = nd_entity(s.f, ND_CGROUP, "/a");
	nd_id b = nd_entity(s.f, ND_CGROUP, "/a/b"), loop = nd_entity(s.f, ND_CGROUP, "/loop");

	(void)state;
	nd_relate(s.f, b, ND_CGROUP_PARENT, a);
	nd_relate(s.f, a, ND_CGROUP_PARENT, root);
	nd_relate_none(s.f, root, ND_CGROUP_PARENT);
	linked(&s, b, ND_CGROUP_CHAIN, false, "cgroup:/a/b cgroup:/a cgroup:/");
	linked(&s, root, ND_CGROUP_CHAIN, false, "cgroup:/");
	nd_relate(s.f, loop, ND_CGROUP_PARENT, loop); /* a hostile answer ends, too */
	assert_in_range(nd_related(s.f, loop, ND_CGROUP_CHAIN, false).n, 1, 64);
	close_store(&s);
}

/* ---- provenance, logs, rows ---- */

static void test_provenance(void **state)
{
	struct store s = open_store();
	nd_id eth = nd_entity(s.f, ND_IFACE, "e'$(x)"), ok = nd_entity(s.f, ND_IFACE, "eth0");
	struct nd_input in = at(0, "/sys/a");

	(void)state;
	assert_string_equal(nd_get_source(s.f, ok, SHOWN), "");
	nd_put_num(s.f, ok, &defs[SHOWN], 1, &in);
	assert_string_equal(nd_get_source(s.f, ok, SHOWN), "/sys/a");
	assert_string_equal(nd_get_reproduce(s.f, ok, SHOWN), "cat /sys/eth0/a /sys/eth0/b");
	assert_string_equal(nd_get_reproduce(s.f, eth, SHOWN),
			    "cat /sys/'e'\\''$(x)'/a /sys/'e'\\''$(x)'/b");
	assert_string_equal(nd_get_reproduce(s.f, ok, PLAIN), "");
	close_store(&s);
}

static void test_log(void **state)
{
	struct store s = open_store();
	struct nd_input in = at(0, "dmesg");
	struct nd_status status;
	const struct nd_log_line *lines;
	uint32_t n;

	(void)state;
	nd_log(s.f, &n, &status);
	assert_int_equal(n, 0);
	assert_int_equal(status.why, ND_NOT_SAMPLED);
	nd_log_missing(s.f, ND_NO_PERMISSION, "dmesg_restrict is %d", 1);
	nd_log(s.f, &n, &status);
	assert_int_equal(status.why, ND_NO_PERMISSION);
	assert_string_equal(status.detail, "dmesg_restrict is 1");
	nd_log_read(s.f);
	nd_log(s.f, &n, &status);
	assert_int_equal(status.why, ND_PRESENT);
	nd_put_log(s.f, 20, "b", &in);
	nd_put_log(s.f, -1, "a", &in);
	lines = nd_log(s.f, &n, &status);
	assert_int_equal(n, 2);
	assert_string_equal(lines[0].text, "b");
	assert_true(lines[1].age < 0);
	close_store(&s);
}

static void count_row(void *ctx, struct nd_facts *f, nd_id on, const struct nd_table_def *table,
		      const double *columns)
{
	(void)f;
	(void)on;
	(void)table;
	*(double *)ctx += columns[0];
}

static void test_rows(void **state)
{
	static const struct nd_column columns[] = {{"x", ND_U_COUNT}};
	static const enum nd_kind on[] = {ND_CPU, ND_NO_KIND};
	static const struct nd_table_def table = {"samples", on, columns, 1, ""};
	struct store s = open_store();
	double sum = 0, v = 2;

	(void)state;
	nd_put_row(s.f, s.cpu, &table, &v); /* nobody listens */
	assert_null(nd_facts_row_ctx(s.f));
	nd_facts_on_row(s.f, count_row, &sum);
	nd_put_row(s.f, s.cpu, &table, &v);
	nd_put_row(s.f, s.cpu, &table, &v);
	assert_true(sum == 4);
	assert_ptr_equal(nd_facts_row_ctx(s.f), &sum);
	close_store(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),	   cmocka_unit_test(test_names),
		cmocka_unit_test(test_kinds),	   cmocka_unit_test(test_relations),
		cmocka_unit_test(test_moved),	   cmocka_unit_test(test_nobody_names_it),
		cmocka_unit_test(test_links_set),  cmocka_unit_test(test_chain),
		cmocka_unit_test(test_provenance), cmocka_unit_test(test_log),
		cmocka_unit_test(test_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
