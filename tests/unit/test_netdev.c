/* Link messages as the kernel sends them, and as it would not; and the live dump against sysfs and
 * `ip`. */
#include "tests/unit/iface_input.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if_arp.h>

extern const struct nd_collector nd_collector_netdev, nd_collector_netdev_tool;
static const struct nd_collector *const c = &nd_collector_netdev;

/* ---- messages ---- */

struct message {
	_Alignas(8) char b[1024];
};

static struct nlmsghdr *header(struct message *m)
{
	return (struct nlmsghdr *)(void *)m->b;
}

static void begin(struct message *m, uint16_t type, int index, uint16_t arp_type)
{
	struct ifinfomsg info = {.ifi_index = index, .ifi_type = arp_type};

	memset(m, 0, sizeof(*m));
	header(m)->nlmsg_type = type;
	header(m)->nlmsg_len = NLMSG_LENGTH(sizeof(info));
	memcpy(m->b + NLMSG_HDRLEN, &info, sizeof(info));
}

static void add(struct message *m, uint16_t type, const void *data, size_t len)
{
	struct nlattr a = {.nla_len = (uint16_t)(NLA_HDRLEN + len), .nla_type = type};
	size_t at = NLMSG_ALIGN(header(m)->nlmsg_len);

	assert_true(at + NLA_HDRLEN + len <= sizeof(m->b));
	memcpy(m->b + at, &a, sizeof(a));
	memcpy(m->b + at + NLA_HDRLEN, data, len);
	header(m)->nlmsg_len = (uint32_t)(at + NLA_HDRLEN + len);
}

static void add_u32(struct message *m, uint16_t type, uint32_t v)
{
	add(m, type, &v, sizeof(v));
}

static struct message veth(void)
{
	static const struct rtnl_link_stats64 stats = {.rx_packets = 1ull << 40,
						       .tx_packets = 2,
						       .rx_missed_errors = 3,
						       .rx_dropped = 4,
						       .rx_nohandler = 5,
						       .tx_carrier_errors = 6};
	static const struct {
		struct nlattr a;
		char kind[8];
	} info = {{9, IFLA_INFO_KIND}, "veth"};
	struct message m;

	begin(&m, RTM_NEWLINK, 7, ARPHRD_ETHER);
	add(&m, IFLA_IFNAME, "veth7", 6);
	add_u32(&m, IFLA_MTU, 1500);
	add_u32(&m, IFLA_MASTER, 3);
	add(&m, IFLA_OPERSTATE, "\6", 1);
	add_u32(&m, IFLA_CARRIER_CHANGES, 9);
	add_u32(&m, IFLA_CARRIER_DOWN_COUNT, 4);
	add(&m, IFLA_STATS64, &stats, sizeof(stats));
	add(&m, IFLA_LINKINFO | NLA_F_NESTED, &info, sizeof(info));
	return m;
}

static void test_message(void **state)
{
	struct message m = veth();
	struct nd_netdev_link l;

	(void)state;
	assert_true(nd_netdev_link(header(&m), &l));
	assert_int_equal(l.index, 7);
	assert_int_equal(l.master, 3);
	assert_string_equal(l.name, "veth7");
	assert_string_equal(l.kind, "veth");
	assert_string_equal(l.state, "up");
	assert_int_equal(l.mtu, 1500);
	assert_false(l.loopback || l.parent);
	assert_true(l.counter[ND_IF_RX_PACKETS] == 1ull << 40);
	assert_int_equal(l.counter[ND_IF_TX_PACKETS], 2);
	assert_int_equal(l.counter[ND_IF_RX_MISSED], 3);
	assert_int_equal(l.counter[ND_IF_RX_DROPPED], 4);
	assert_int_equal(l.counter[ND_IF_RX_NOHANDLER], 5);
	assert_int_equal(l.counter[ND_IF_TX_CARRIER], 6);
	assert_int_equal(l.counter[ND_IF_CARRIER_CHANGES], 9);
	assert_int_equal(l.counter[ND_IF_CARRIER_DOWNS], 4);
	begin(&m, RTM_NEWLINK, 1, ARPHRD_LOOPBACK);
	add(&m, IFLA_IFNAME, "lo", 3);
	add(&m, IFLA_PARENT_DEV_NAME, "0000:00:03.0", 13);
	assert_true(nd_netdev_link(header(&m), &l));
	assert_true(l.loopback && l.parent);
	assert_int_equal(l.has, 0);
}

/* A kernel before 4.6 sends a shorter struct: what is not there is not zero. */
static void test_short_stats(void **state)
{
	struct rtnl_link_stats64 stats = {.rx_packets = 1, .tx_packets = 2};
	struct message m;
	struct nd_netdev_link l;

	(void)state;
	begin(&m, RTM_NEWLINK, 7, ARPHRD_ETHER);
	add(&m, IFLA_IFNAME, "eth0", 5);
	add(&m, IFLA_STATS64, &stats, offsetof(struct rtnl_link_stats64, rx_nohandler));
	assert_true(nd_netdev_link(header(&m), &l));
	assert_true(l.has >> ND_IF_TX_CARRIER & 1);
	assert_false(l.has >> ND_IF_RX_NOHANDLER & 1);
}

static void test_not_a_link(void **state)
{
	static const char *const names[] = {"",	   ".",	  "..",	  "a/b",
					    "a b", "a:1", "a\tb", "0123456789abcdef"};
	struct message m;
	struct nd_netdev_link l;

	(void)state;
	begin(&m, RTM_DELLINK, 7, ARPHRD_ETHER);
	add(&m, IFLA_IFNAME, "eth0", 5);
	assert_false(nd_netdev_link(header(&m), &l));
	for (size_t i = 0; i < ND_ARRAY_LEN(names); i++) {
		begin(&m, RTM_NEWLINK, 7, ARPHRD_ETHER);
		add(&m, IFLA_IFNAME, names[i], strlen(names[i]) + 1);
		if (nd_netdev_link(header(&m), &l))
			fail_msg("'%s' was taken for an interface", names[i]);
	}
}

/* Each length that the header may claim, in a copy of just that size; and bytes that were
 * overwritten. */
static void test_hostile(void **state)
{
	struct message m = veth();
	const uint32_t len = header(&m)->nlmsg_len;
	uint64_t x = 88172645463325252ull;
	struct nd_netdev_link l;

	(void)state;
	for (uint32_t n = NLMSG_HDRLEN; n < len; n++) {
		char *exact = nd_alloc(n);

		memcpy(exact, m.b, n);
		memcpy(exact, &n, sizeof(n));
		(void)nd_netdev_link((const struct nlmsghdr *)(const void *)exact, &l);
		free(exact);
	}
	for (int round = 0; round < 20000; round++) {
		struct message bad = m;

		for (int i = 0; i < 6; i++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			bad.b[NLMSG_HDRLEN + x % (len - NLMSG_HDRLEN)] = (char)(x >> 32);
		}
		if (nd_netdev_link(header(&bad), &l))
			assert_true(nd_netdev_name_ok(l.name));
	}
}

/* ---- live ---- */

static void read_live(struct store *s, struct nd_source *source, uint32_t moments)
{
	void *kept = NULL;

	for (uint32_t i = 0; i < moments; i++) {
		struct nd_live l = {.source = source, .moment = i, .first = i == 0, .state = &kept};

		l.in = (struct nd_input){
			.path = "", .t_ns = nd_source_now(source), .netns = "host"};
		if (c->live(&l, s->f, &s->e))
			fail_msg("%s", s->e.msg);
	}
	c->end(kept);
}

static void test_live(void **state)
{
	struct nd_source *source = nd_source_live("/proc", "/sys");
	struct store s = store_new();
	struct nd_value delta;
	char text[64];
	nd_id lo;

	(void)state;
	read_live(&s, source, 2);
	expect_text(&s, "lo", "link_kind", "loopback");
	expect_num(&s, "lo", "rx.missed", 0);
	assert_int_equal(ask_total(&s, "lo", "driver").type, ND_V_ABSENT);
	delta = ask(&s, "lo", "rx.packets", ND_DELTA);
	assert_true(delta.type == ND_V_NUMBER && delta.num >= 0);
	assert_string_equal(master_of(&s, "lo"), "");
	lo = nd_entity_find(s.f, ND_IFACE, "lo");
	assert_string_equal(nd_entity_key(s.f, nd_related(s.f, lo, ND_IFACE_NETNS, false).ids[0]),
			    "host");
	if (nd_source_text(source, "/sys/class/net/lo/mtu", text, sizeof(text)) == 0)
		expect_num(&s, "lo", "mtu", strtod(text, NULL));
	nd_source_free(source);
	store_free(&s);
}

static int feed_proc(void *ctx, const struct nd_input *in, struct nd_stream *stream,
		     struct nd_err *e)
{
	struct store *s = ctx;

	return nd_collector_netdev_tool.parse(in, stream, s->f, e);
}

/* Live and from text, the same facts: the interfaces that moved nothing between the two must agree.
 */
static void test_parity(void **state)
{
	static const char *const same[] = {"rx.packets", "rx.bytes", "rx.errors", "rx.fifo",
					   "tx.packets", "tx.bytes", "tx.errors", "tx.dropped"};
	const struct nd_read dev = {"/proc/net/dev", 0};
	struct nd_source *source = nd_source_live("/proc", "/sys");
	struct store before = store_new(), text = store_new(), after = store_new();
	uint32_t n, compared = 0;
	const nd_id *ids;

	(void)state;
	read_live(&before, source, 1);
	assert_int_equal(nd_source_each(source, &dev, feed_proc, &text, NULL), 1);
	read_live(&after, source, 1);
	ids = nd_entities(before.f, ND_IFACE, &n);
	for (uint32_t i = 0; i < n; i++) {
		const char *name = nd_entity_key(before.f, ids[i]);

		if (nd_entity_find(after.f, ND_IFACE, name) == ND_NO_ENTITY ||
		    nd_entity_find(text.f, ND_IFACE, name) == ND_NO_ENTITY)
			continue; /* it came or went */
		for (size_t k = 0; k < ND_ARRAY_LEN(same); k++) {
			double low = ask_total(&before, name, same[k]).num,
			       high = ask_total(&after, name, same[k]).num;
			struct nd_value v = ask_total(&text, name, same[k]);

			if (v.type != ND_V_NUMBER || v.num < low || v.num > high)
				fail_msg("%s.%s is not within %.15g..%.15g", name, same[k], low,
					 high);
			compared++;
		}
	}
	assert_true(compared >= ND_ARRAY_LEN(same)); /* lo at least */
	/* where netlink has spoken, /proc/net/dev keeps silent: its drops are folded */
	ids = nd_entities(after.f, ND_IFACE, &n);
	nd_facts_speaker(after.f, 1);
	assert_int_equal(nd_source_each(source, &dev, feed_proc, &after, NULL), 1);
	nd_facts_contradictions(after.f, &n);
	assert_int_equal(n, 0);
	nd_source_free(source);
	store_free(&before);
	store_free(&text);
	store_free(&after);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_message),	   cmocka_unit_test(test_short_stats),
		cmocka_unit_test(test_not_a_link), cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_live),	   cmocka_unit_test(test_parity),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
