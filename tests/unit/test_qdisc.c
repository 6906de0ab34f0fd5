/* Queueing disciplines from netlink: messages as the kernel sends them and as it would not; and a
 * live namespace, where netlink and tc must tell the same. */
#include "tests/unit/qdisc_world.h"

#include "collectors/netdev.h"
#include "collectors/netlink.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <jansson.h>
#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

static const struct nd_collector *const c = &nd_collector_qdisc;

/* ---- messages ---- */

struct message {
	_Alignas(8) char b[1024];
};

static struct nlmsghdr *header(struct message *m)
{
	return (struct nlmsghdr *)(void *)m->b;
}

static void add(struct message *m, uint16_t type, const void *data, size_t len)
{
	struct nlattr a = {.nla_len = (uint16_t)(NLA_HDRLEN + len), .nla_type = type};
	size_t at = NLMSG_ALIGN(header(m)->nlmsg_len);

	assert_true(at + NLA_HDRLEN + len <= sizeof(m->b));
	memcpy(m->b + at, &a, sizeof(a));
	if (len)
		memcpy(m->b + at + NLA_HDRLEN, data, len);
	header(m)->nlmsg_len = (uint32_t)(at + NLA_HDRLEN + len);
}

static void begin(struct message *m, const char *kind, uint32_t handle, uint32_t parent)
{
	struct tcmsg tc = {.tcm_ifindex = 7, .tcm_handle = handle, .tcm_parent = parent};

	memset(m, 0, sizeof(*m));
	header(m)->nlmsg_type = RTM_NEWQDISC;
	header(m)->nlmsg_len = NLMSG_LENGTH(sizeof(tc));
	memcpy(m->b + NLMSG_HDRLEN, &tc, sizeof(tc));
	add(m, TCA_KIND, kind, strlen(kind) + 1);
}

/* Attributes up to the closing one go into one of this type. */
static size_t open_nest(struct message *m, uint16_t type)
{
	size_t at = NLMSG_ALIGN(header(m)->nlmsg_len);

	add(m, type, NULL, 0);
	return at;
}

static void close_nest(struct message *m, size_t at)
{
	const uint16_t len = (uint16_t)(header(m)->nlmsg_len - at);

	memcpy(m->b + at, &len, sizeof(len));
}

static void add_stats(struct message *m, uint64_t packets, const void *app, size_t len)
{
	const struct gnet_stats_basic basic = {.bytes = 1ull << 40, .packets = (uint32_t)packets};
	const struct gnet_stats_queue queue = {
		.qlen = 1, .backlog = 2, .drops = 3, .requeues = 4, .overlimits = 5};
	size_t stats = open_nest(m, TCA_STATS2);

	add(m, TCA_STATS_BASIC, &basic, sizeof(basic));
	if (packets > UINT32_MAX)
		add(m, TCA_STATS_PKT64, &packets, sizeof(packets));
	add(m, TCA_STATS_QUEUE, &queue, sizeof(queue));
	if (len)
		add(m, TCA_STATS_APP, app, len);
	close_nest(m, stats);
}

static struct message fq_codel(void)
{
	const struct tc_fq_codel_xstats x = {.qdisc_stats = {.drop_overlimit = 8, .ecn_mark = 6}};
	const struct tc_stats old = {.bytes = 9, .packets = 9, .drops = 9};
	const uint32_t limit = 10240, other = 1;
	struct message m;
	size_t options;

	begin(&m, "fq_codel", 0x80010000, TC_H_ROOT);
	options = open_nest(&m, TCA_OPTIONS);
	add(&m, TCA_FQ_CODEL_TARGET, &other, sizeof(other));
	add(&m, TCA_FQ_CODEL_LIMIT, &limit, sizeof(limit));
	close_nest(&m, options);
	add(&m, TCA_STATS, &old, sizeof(old));
	add_stats(&m, (1ull << 32) + 7, &x, sizeof(x));
	return m;
}

static void assert_told(const struct nd_qdisc *q, enum nd_qdisc_fact fact, uint64_t want)
{
	assert_true(q->has >> fact & 1);
	assert_int_equal(q->value[fact], want);
}

static void test_message(void **state)
{
	struct message m = fq_codel();
	struct nd_qdisc q;

	(void)state;
	assert_true(nd_qdisc_message(header(&m), &q));
	assert_int_equal(q.ifindex, 7);
	assert_int_equal(q.handle, 0x80010000);
	assert_true(q.parent == TC_H_ROOT);
	assert_string_equal(q.kind, "fq_codel");
	assert_string_equal(q.limit, "10240p");
	assert_told(&q, ND_QD_SENT_BYTES, 1ull << 40);
	assert_told(&q, ND_QD_SENT_PACKETS, (1ull << 32) + 7);
	assert_told(&q, ND_QD_BACKLOG_PACKETS, 1);
	assert_told(&q, ND_QD_BACKLOG, 2);
	assert_told(&q, ND_QD_DROPS, 3);
	assert_told(&q, ND_QD_REQUEUES, 4);
	assert_told(&q, ND_QD_OVERLIMITS, 5);
	assert_told(&q, ND_QD_ECN_MARKS, 6);
}

/* The kind's own statistics and options: place of the marks and of the limit. */
static void test_kinds(void **state)
{
	static const struct tc_codel_xstats codel = {.drop_overlimit = 9, .ecn_mark = 6};
	static const struct tc_pie_xstats pie = {.maxq = 9, .ecn_mark = 6};
	static const struct tc_fq_pie_xstats fq_pie = {.overmemory = 9, .ecn_mark = 6};
	static const struct tc_red_xstats red = {.early = 9, .marked = 6};
	static const struct tc_sfb_xstats sfb = {.childdrop = 9, .marked = 6};
	static const struct tc_fifo_qopt fifo = {.limit = 77};
	static const struct tc_netem_qopt netem = {.latency = 9, .limit = 77};
	static const struct {
		const char *kind;
		const void *app;
		size_t len;
		bool marks;
		const void *options;
		size_t options_len;
		const char *limit;
	} rows[] = {
		{"codel", &codel, sizeof(codel), true, "", 0, ""},
		{"pie", &pie, sizeof(pie), true, "", 0, ""},
		{"pie", &pie, sizeof(pie) - 8, false, "", 0, ""},
		{"fq_pie", &fq_pie, sizeof(fq_pie), true, "", 0, ""},
		{"red", &red, sizeof(red), true, "", 0, ""},
		{"choke", &red, sizeof(red), true, "", 0, ""},
		{"sfb", &sfb, sizeof(sfb), true, "", 0, ""},
		{"htb", &red, sizeof(red), false, "", 0, ""},
		{"pfifo", "", 0, false, &fifo, sizeof(fifo), "77p"},
		{"bfifo", "", 0, false, &fifo, sizeof(fifo), "77b"},
		{"bfifo", "", 0, false, &fifo, 3, ""},
		{"netem", "", 0, false, &netem, sizeof(netem), "77p"},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct message m;
		struct nd_qdisc q;

		begin(&m, rows[i].kind, 0x10000, 0x20003);
		add(&m, TCA_OPTIONS, rows[i].options, rows[i].options_len);
		add_stats(&m, 1, rows[i].app, rows[i].len);
		assert_true(nd_qdisc_message(header(&m), &q));
		assert_int_equal(q.has >> ND_QD_ECN_MARKS & 1, rows[i].marks);
		assert_int_equal(q.value[ND_QD_ECN_MARKS], rows[i].marks ? 6 : 0);
		assert_string_equal(q.limit, rows[i].limit);
	}
}

static void test_cake(void **state)
{
	static const uint32_t marked[] = {UINT32_MAX, 5};
	struct message m, alone;
	struct nd_qdisc q;
	size_t tins, tin;

	(void)state;
	begin(&alone, "none", 0, 0); /* the list, to be put into a whole one */
	header(&alone)->nlmsg_len = NLMSG_HDRLEN;
	tins = open_nest(&alone, TCA_CAKE_STATS_TIN_STATS);
	for (size_t i = 0; i < ND_ARRAY_LEN(marked); i++) {
		tin = open_nest(&alone, (uint16_t)(i + 1));
		add(&alone, TCA_CAKE_TIN_STATS_DROPPED_PACKETS, "\7\0\0", 4);
		add(&alone, TCA_CAKE_TIN_STATS_ECN_MARKED_PACKETS, &marked[i], sizeof(marked[i]));
		close_nest(&alone, tin);
	}
	close_nest(&alone, tins);
	begin(&m, "cake", 0x80010000, TC_H_ROOT);
	add_stats(&m, 1, alone.b + NLMSG_HDRLEN, header(&alone)->nlmsg_len - NLMSG_HDRLEN);
	assert_true(nd_qdisc_message(header(&m), &q));
	assert_told(&q, ND_QD_ECN_MARKS, 4);
}

/* Kernels without the nested form, and statistics that are cut: what is not there is not zero. */
static void test_old_stats(void **state)
{
	const struct tc_stats old = {.bytes = 1,
				     .packets = 2,
				     .drops = 3,
				     .overlimits = 4,
				     .bps = 9,
				     .pps = 9,
				     .qlen = 5,
				     .backlog = 6};
	struct message m;
	struct nd_qdisc q;

	(void)state;
	begin(&m, "pfifo", 0, 0x10001);
	add(&m, TCA_STATS, &old, sizeof(old));
	assert_true(nd_qdisc_message(header(&m), &q));
	assert_told(&q, ND_QD_SENT_BYTES, 1);
	assert_told(&q, ND_QD_SENT_PACKETS, 2);
	assert_told(&q, ND_QD_DROPS, 3);
	assert_told(&q, ND_QD_OVERLIMITS, 4);
	assert_told(&q, ND_QD_BACKLOG_PACKETS, 5);
	assert_told(&q, ND_QD_BACKLOG, 6);
	assert_false(q.has >> ND_QD_REQUEUES & 1);
	begin(&m, "pfifo", 0, 0x10001);
	add(&m, TCA_STATS, &old, offsetof(struct tc_stats, overlimits));
	assert_true(nd_qdisc_message(header(&m), &q));
	assert_told(&q, ND_QD_DROPS, 3);
	assert_false(q.has >> ND_QD_OVERLIMITS & 1);
}

static void test_not_one(void **state)
{
	struct message m;
	struct nd_qdisc q;

	(void)state;
	m = fq_codel();
	header(&m)->nlmsg_type = RTM_DELQDISC;
	assert_false(nd_qdisc_message(header(&m), &q));
	header(&m)->nlmsg_type = RTM_NEWTCLASS;
	assert_false(nd_qdisc_message(header(&m), &q));
	begin(&m, "", 0, 0);
	assert_false(nd_qdisc_message(header(&m), &q));
	begin(&m, "0123456789abcdef", 0, 0);
	assert_false(nd_qdisc_message(header(&m), &q));
}

/* Each length that the header may claim, in a copy of just that size; and bytes overwritten. */
static void test_hostile_message(void **state)
{
	struct message m = fq_codel();
	const uint32_t len = header(&m)->nlmsg_len;
	uint64_t x = 88172645463325252ull;
	struct nd_qdisc q;

	(void)state;
	for (uint32_t n = NLMSG_HDRLEN; n < len; n++) {
		char *exact = nd_alloc(n);

		memcpy(exact, m.b, n);
		memcpy(exact, &n, sizeof(n));
		(void)nd_qdisc_message((const struct nlmsghdr *)(const void *)exact, &q);
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
		if (nd_qdisc_message(header(&bad), &q))
			assert_true(strnlen(q.kind, sizeof(q.kind)) < sizeof(q.kind));
	}
}

/* ---- live ---- */

static void read_live(struct world *w, uint32_t moments)
{
	struct nd_source *source = nd_source_live("/proc", "/sys");
	struct nd_input in = {.path = "", .netns = "host"};
	void *kept = NULL;

	world_open(w, both);
	nd_netdev_entity(w->facts, "m1", &in); /* as a dump of links would */
	for (uint32_t i = 0; i < moments; i++) {
		struct nd_live l = {.source = source, .moment = i, .first = i == 0, .state = &kept};

		in.t_ns = nd_source_now(source);
		l.in = in;
		if (c->live(&l, w->facts, &w->err))
			fail_msg("%s", w->err.msg);
	}
	c->end(kept);
	nd_source_free(source);
}

/* Packets that a shaper of one byte a second keeps, and drops when its queue is full. */
static void send_packets(int n)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)};
	char packet[1000] = "";
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0 && inet_pton(AF_INET, "192.0.2.2", &to.sin_addr) == 1);
	while (n-- > 0) /* the queue may refuse it: that is what is wanted */
		(void)!sendto(fd, packet, sizeof(packet), MSG_DONTWAIT, (struct sockaddr *)&to,
			      sizeof(to));
	close(fd);
}

static const char setup_commands[] =
	"exec 2>/dev/null; set -e; no6=/proc/sys/net/ipv6/conf/default/disable_ipv6;"
	"[ ! -e $no6 ] || echo 1 >$no6;" /* it would send packets of its own */
	"ip link set lo up;"
	"ip link add q.0 type veth peer name q1;"
	"ip link add m0 numtxqueues 2 type veth peer name m1;"
	"ip link set q.0 up; ip link set q1 up; ip link set m0 up;"
	"ip addr add 192.0.2.1/24 dev q.0;"
	"ip neigh add 192.0.2.2 lladdr 02:00:00:00:00:02 dev q.0;"
	"tc qdisc add dev q.0 root handle 8001: tbf rate 8bit burst 2k limit 6000;"
	"tc qdisc add dev q1 ingress;"
	"tc qdisc add dev m0 root handle 5: mq";

static char *output_of(const char *command)
{
	char *text = nd_alloc(65536);
	FILE *p = popen(command, "r");

	assert_non_null(p);
	assert_true(fread(text, 1, 65535, p) > 0);
	assert_int_equal(pclose(p), 0);
	return text;
}

static double number_of(const json_t *q, const char *name)
{
	const json_t *v = json_object_get(q, name);

	assert_true(json_is_integer(v));
	return (double)json_integer_value(v);
}

/* One of tc's list: the key that it must have, and its numbers in what was read. */
static void compare_json(const struct world *w, const json_t *q)
{
	static const char *const names[][2] = {
		{"bytes", "sent.bytes"},    {"packets", "sent.packets"},  {"drops", "drops"},
		{"backlog", "backlog"},	    {"overlimits", "overlimits"}, {"requeues", "requeues"},
		{"qlen", "backlog.packets"}};
	const char *dev = json_string_value(json_object_get(q, "dev"));
	const char *kind = json_string_value(json_object_get(q, "kind"));
	const char *handle = json_string_value(json_object_get(q, "handle"));
	const char *parent = json_string_value(json_object_get(q, "parent"));
	char key[64];

	if (parent && strcmp(handle, "0:") == 0)
		snprintf(key, sizeof(key), "%s/0@%s", dev, parent);
	else
		snprintf(key, sizeof(key), "%s/%.*s", dev, (int)strcspn(handle, ":"), handle);
	assert_text(w, ND_QDISC, key, "kind", kind);
	assert_string_equal(iface_of(w, key), dev);
	assert_int_equal(value(w, ND_QDISC, key, "root", ND_BARE).yes, !parent);
	for (size_t i = 0; i < ND_ARRAY_LEN(names); i++) {
		if (strcmp(kind, "noqueue") == 0 || (strcmp(kind, "ingress") == 0 && i > 1))
			assert_int_equal(type_of(w, key, names[i][1]), ND_V_ABSENT);
		else
			assert_q(w, key, names[i][1], number_of(q, names[i][0]));
	}
}

static void check_namespace(void)
{
	char *json, *text;
	struct world live, told;
	struct nd_links none;
	json_t *list;

	send_packets(20);
	usleep(100000);
	text = output_of("tc -s qdisc show");
	read_live(&live, 2);
	json = output_of("tc -s -j qdisc show");
	list = json_loads(json, 0, NULL);
	assert_int_equal(json_array_size(list), count(&live, ND_QDISC));
	assert_int_equal(count(&live, ND_QDISC), 7);
	for (size_t i = 0; i < json_array_size(list); i++)
		compare_json(&live, json_array_get(list, i));
	assert_text(&live, ND_QDISC, "q.0/8001", "limit", "6000b");
	assert_number(&live, ND_QDISC, "q.0/8001", "rate", ND_BARE, 1);
	assert_true(value(&live, ND_QDISC, "q.0/8001", "drops", ND_TOTAL).num >= 10);
	assert_true(value(&live, ND_QDISC, "q.0/8001", "backlog", ND_BARE).num > 4000);
	assert_number(&live, ND_QDISC, "q.0/8001", "drops", ND_DELTA, 0);
	/* the text tells the same, but for the limit, which it prints as a time */
	world_open(&told, both);
	assert_int_equal(feed(&told, tool, "tc-s-qdisc.txt", 0, text), 0);
	assert_int_equal(count(&told, ND_QDISC), 7);
	assert_part_of(&told, &live, strlen(text));
	/* m1 is down: it has none, and that is known */
	none = nd_related(live.facts, nd_entity_find(live.facts, ND_IFACE, "m1"), ND_QDISC_IFACE,
			  true);
	assert_true(none.why == ND_PRESENT && none.n == 0);
	world_close(&told);
	world_close(&live);
	json_decref(list);
	free(json);
	free(text);
}

/* In a network namespace of its own, which is gone with it. */
static void test_live(void **state)
{
	int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);

	(void)state;
	if (home < 0 || unshare(CLONE_NEWNET) != 0) {
		print_message("needs the right to make namespaces\n");
		skip();
	}
	if (system(setup_commands) != 0) {
		assert_int_equal(setns(home, CLONE_NEWNET), 0);
		close(home);
		print_message("needs ip, tc, veth, tbf, mq and ingress\n");
		skip();
	}
	check_namespace();
	assert_int_equal(setns(home, CLONE_NEWNET), 0);
	close(home);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_message), cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_cake),	cmocka_unit_test(test_old_stats),
		cmocka_unit_test(test_not_one), cmocka_unit_test(test_hostile_message),
		cmocka_unit_test(test_live),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
