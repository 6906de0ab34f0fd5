/* Queueing disciplines of the running host: what waits in front of each interface, and what was
 * dropped there.
 *
 * One dump a moment. The kernel sums what lies below: the root of mq or htb counts its children's
 * packets and drops again, so that a sum over all of an interface counts them twice. Its packets,
 * drops, overlimits and requeues are 32 bits wide; packets have a second attribute once they need
 * more. noqueue never queues and counts nothing. ingress and clsact are no queues either: packets
 * pass their filters, and what these throw away (policing, a program's verdict) stands in the
 * field for drops; it is a fact of its own here, since no queue was full. */
#include "collectors/qdisc.h"

#include "collectors/collector.h"
#include "collectors/netdev.h"
#include "collectors/netlink.h"

#include <errno.h>
#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#define QDISCS_MAX 16384 /* of one namespace */

/* ---- facts ---- */

#define SHOW "q={key}; tc -s qdisc show dev \"${q%%/*}\""
#define PLAIN(index, n, fact_type, text)                                                           \
	[index] = {.name = (n),                                                                    \
		   .on = ND_QDISC,                                                                 \
		   .type = (fact_type),                                                            \
		   .doc = (text),                                                                  \
		   .reproduce = SHOW}
#define NUMBER(index, n, what, how, text)                                                          \
	[index] = {.name = (n),                                                                    \
		   .on = ND_QDISC,                                                                 \
		   .type = ND_T_NUMBER,                                                            \
		   .unit = (what),                                                                 \
		   .width = (how),                                                                 \
		   .doc = (text),                                                                  \
		   .reproduce = SHOW}

const struct nd_fact_def nd_qdisc_facts[ND_QD_FACTS + 1] = {
	PLAIN(ND_QD_KIND, "kind", ND_T_TEXT, "fq_codel, pfifo_fast, htb, mq, noqueue, …"),
	PLAIN(ND_QD_ROOT, "root", ND_T_BOOL,
	      "whether all that the interface sends passes it; it counts what those below count"),
	PLAIN(ND_QD_LIMIT, "limit", ND_T_TEXT,
	      "most that may wait in it, in packets (1000p) or bytes (10240b)"),
	NUMBER(ND_QD_RATE, "rate", ND_U_BYTES_PER_SECOND, ND_GAUGE,
	       "rate to which it shapes; absent for kinds that do not shape as a whole"),
	NUMBER(ND_QD_SENT_PACKETS, "sent.packets", ND_U_COUNT, ND_COUNTER64,
	       "packets that left it; of ingress and clsact, that its filters saw"),
	NUMBER(ND_QD_SENT_BYTES, "sent.bytes", ND_U_BYTES, ND_COUNTER64, "bytes of these packets"),
	NUMBER(ND_QD_DROPS, "drops", ND_U_COUNT, ND_COUNTER32,
	       "packets dropped because it was full, or to signal congestion; absent where there "
	       "is no queue"),
	NUMBER(ND_QD_OVERLIMITS, "overlimits", ND_U_COUNT, ND_COUNTER32,
	       "times that a packet had to wait for a shaper's rate, or that a limit was met"),
	NUMBER(ND_QD_REQUEUES, "requeues", ND_U_COUNT, ND_COUNTER32,
	       "packets put back because the device could not take them"),
	NUMBER(ND_QD_BACKLOG, "backlog", ND_U_BYTES, ND_SAMPLED,
	       "bytes that wait in it; absent where there is no queue"),
	NUMBER(ND_QD_BACKLOG_PACKETS, "backlog.packets", ND_U_COUNT, ND_SAMPLED,
	       "packets that wait in it; absent where there is no queue"),
	NUMBER(ND_QD_ECN_MARKS, "ecn_marks", ND_U_COUNT, ND_COUNTER32,
	       "packets marked (ECN) instead of dropped; absent for kinds that never mark"),
	NUMBER(ND_QD_FILTER_DROPS, "filter_drops", ND_U_COUNT, ND_COUNTER32,
	       "packets that filters on ingress or clsact dropped, by policing or a program's "
	       "verdict"),
	{.name = NULL},
};

/* ---- kinds ---- */

#define BIT(fact) (1u << (fact))
#define HOOK (BIT(ND_QD_SENT_PACKETS) | BIT(ND_QD_SENT_BYTES) | BIT(ND_QD_FILTER_DROPS))
#define MARKING (BIT(ND_QD_FACTS) - 1 - BIT(ND_QD_FILTER_DROPS))
#define QUEUE (MARKING & ~BIT(ND_QD_ECN_MARKS))
#define TREE (QUEUE & ~BIT(ND_QD_LIMIT)) /* what waits, waits in those below */

/* What each can have; a kind that is not here is taken for a queue that may mark. */
static const struct {
	const char *kind;
	uint32_t facts;
} kinds[] = {
	{"noqueue", 0},	    {"ingress", HOOK}, {"clsact", HOOK}, {"pfifo_fast", QUEUE},
	{"pfifo", QUEUE},   {"bfifo", QUEUE},  {"tbf", QUEUE},	 {"pfifo_head_drop", QUEUE},
	{"skbprio", QUEUE}, {"plug", QUEUE},   {"etf", QUEUE},	 {"mq", TREE},
	{"mqprio", TREE},   {"prio", TREE},    {"multiq", TREE}, {"htb", TREE},
	{"hfsc", TREE},	    {"drr", TREE},     {"qfq", TREE},	 {"ets", TREE},
	{"taprio", TREE},   {"cbs", TREE},
};

/* Where the kernel tells the marked packets: behind this many bytes of the kind's own statistics;
 * cake has them in a list instead. pie's were shorter in old kernels, and end before this place. */
static const struct {
	const char *kind, *word;
	size_t offset;
} marks[] = {
	{"fq_codel", "ecn_mark", offsetof(struct tc_fq_codel_xstats, qdisc_stats.ecn_mark)},
	{"codel", "ecn_mark", offsetof(struct tc_codel_xstats, ecn_mark)},
	{"pie", "ecn_mark", offsetof(struct tc_pie_xstats, ecn_mark)},
	{"fq_pie", "ecn_mark", offsetof(struct tc_fq_pie_xstats, ecn_mark)},
	{"red", "marked", offsetof(struct tc_red_xstats, marked)},
	{"choke", "marked", offsetof(struct tc_choke_xstats, marked)},
	{"sfb", "marked", offsetof(struct tc_sfb_xstats, marked)},
};

static uint32_t facts_of(const char *kind)
{
	for (size_t i = 0; i < ND_ARRAY_LEN(kinds); i++)
		if (strcmp(kinds[i].kind, kind) == 0)
			return kinds[i].facts;
	return MARKING;
}

const char *nd_qdisc_marks_word(const char *kind)
{
	for (size_t i = 0; i < ND_ARRAY_LEN(marks); i++)
		if (strcmp(marks[i].kind, kind) == 0)
			return marks[i].word;
	return NULL;
}

/* ---- putting ---- */

void nd_qdisc_take(struct nd_qdisc *q, enum nd_qdisc_fact fact, uint64_t v)
{
	if (q->has & BIT(fact))
		return;
	q->has |= BIT(fact);
	q->value[fact] = v;
}

/* As tc writes it: "8001:2", ":2", "8001:". */
static void print_class(uint32_t id, char *out, size_t size)
{
	if (TC_H_MAJ(id) == 0)
		snprintf(out, size, ":%x", TC_H_MIN(id));
	else if (TC_H_MIN(id) == 0)
		snprintf(out, size, "%x:", TC_H_MAJ(id) >> 16);
	else
		snprintf(out, size, "%x:%x", TC_H_MAJ(id) >> 16, TC_H_MIN(id));
}

nd_id nd_qdisc_entity(struct nd_facts *f, const struct nd_qdisc *q, const struct nd_input *in)
{
	char key[64], parent[16];
	nd_id on;

	if (TC_H_MAJ(q->handle) || q->parent == TC_H_ROOT || q->parent == TC_H_UNSPEC) {
		snprintf(key, sizeof(key), "%s/%x", q->dev, TC_H_MAJ(q->handle) >> 16);
	} else {
		print_class(q->parent, parent, sizeof(parent));
		snprintf(key, sizeof(key), "%s/0@%s", q->dev, parent);
	}
	on = nd_entity_in(f, ND_QDISC, key, in->netns);
	nd_relate(f, on, ND_QDISC_IFACE, nd_netdev_entity(f, q->dev, in));
	return on;
}

static void put_number(struct nd_facts *f, nd_id on, enum nd_qdisc_fact i, uint64_t v,
		       const struct nd_input *in)
{
	if (nd_qdisc_facts[i].width == ND_SAMPLED)
		nd_put_num(f, on, &nd_qdisc_facts[i], (double)v, in);
	else
		nd_put_reading(f, on, &nd_qdisc_facts[i], v, in);
}

void nd_qdisc_put(struct nd_facts *f, const struct nd_qdisc *q, const struct nd_input *in,
		  enum nd_missing why, const char *detail)
{
	const nd_id on = nd_qdisc_entity(f, q, in);
	const uint32_t can = facts_of(q->kind);

	nd_put_text(f, on, &nd_qdisc_facts[ND_QD_KIND], q->kind, in);
	nd_put_bool(f, on, &nd_qdisc_facts[ND_QD_ROOT], q->parent == TC_H_ROOT, in);
	if (!(can & BIT(ND_QD_LIMIT)))
		nd_put_absent(f, on, &nd_qdisc_facts[ND_QD_LIMIT], in);
	else if (q->limit[0])
		nd_put_text(f, on, &nd_qdisc_facts[ND_QD_LIMIT], q->limit, in);
	else
		nd_put_missing(f, on, &nd_qdisc_facts[ND_QD_LIMIT], why, "%s", detail);
	if (q->rate)
		nd_put_num(f, on, &nd_qdisc_facts[ND_QD_RATE], (double)q->rate, in);
	else if (strcmp(q->kind, "tbf") == 0)
		nd_put_missing(f, on, &nd_qdisc_facts[ND_QD_RATE], why, "%s", detail);
	else
		nd_put_absent(f, on, &nd_qdisc_facts[ND_QD_RATE], in);
	for (int i = ND_QD_SENT_PACKETS; i < ND_QD_FACTS; i++) {
		const int told = i == ND_QD_FILTER_DROPS ? ND_QD_DROPS : i;

		if (!(can & BIT(i)))
			nd_put_absent(f, on, &nd_qdisc_facts[i], in);
		else if (q->has & BIT(told))
			put_number(f, on, i, q->value[told], in);
		else
			nd_put_missing(f, on, &nd_qdisc_facts[i], why, "%s", detail);
	}
}

/* ---- messages ---- */

/* A number in a struct. */
struct field {
	enum nd_qdisc_fact fact;
	size_t offset, size;
};
#define FIELD(fact, type, member)                                                                  \
	{                                                                                          \
		fact, offsetof(struct type, member), sizeof(((struct type *)0)->member)            \
	}
static const struct field basic[] = {
	FIELD(ND_QD_SENT_BYTES, gnet_stats_basic, bytes),
	FIELD(ND_QD_SENT_PACKETS, gnet_stats_basic, packets),
};
static const struct field queue[] = {
	FIELD(ND_QD_BACKLOG_PACKETS, gnet_stats_queue, qlen),
	FIELD(ND_QD_BACKLOG, gnet_stats_queue, backlog),
	FIELD(ND_QD_DROPS, gnet_stats_queue, drops),
	FIELD(ND_QD_REQUEUES, gnet_stats_queue, requeues),
	FIELD(ND_QD_OVERLIMITS, gnet_stats_queue, overlimits),
};
static const struct field old[] = {
	FIELD(ND_QD_SENT_BYTES, tc_stats, bytes),     FIELD(ND_QD_SENT_PACKETS, tc_stats, packets),
	FIELD(ND_QD_DROPS, tc_stats, drops),	      FIELD(ND_QD_OVERLIMITS, tc_stats, overlimits),
	FIELD(ND_QD_BACKLOG_PACKETS, tc_stats, qlen), FIELD(ND_QD_BACKLOG, tc_stats, backlog),
};

/* Those that the attribute is too short for are not told. */
static void take_fields(struct nd_qdisc *q, const struct nd_nl_attr *a, const struct field *fields,
			size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *at = a->data;
		uint64_t v64;
		uint32_t v32;

		if (!at || fields[i].offset + fields[i].size > a->len)
			continue;
		memcpy(&v32, at + fields[i].offset, sizeof(v32));
		v64 = v32;
		if (fields[i].size == sizeof(v64))
			memcpy(&v64, at + fields[i].offset, sizeof(v64));
		nd_qdisc_take(q, fields[i].fact, v64);
	}
}

/* cake marks in each of its tins; the sum of counters of 32 bits is one of 32 bits. */
static void take_cake(struct nd_qdisc *q, const struct nd_nl_attr *app)
{
	struct nd_nl_iter stats = nd_nl_nested(app);
	struct nd_nl_attr list, tin, a;
	uint32_t sum = 0, v;

	while (nd_nl_next(&stats, &list)) {
		struct nd_nl_iter tins = nd_nl_nested(&list);
		bool any = false;

		while (list.type == TCA_CAKE_STATS_TIN_STATS && nd_nl_next(&tins, &tin)) {
			struct nd_nl_iter it = nd_nl_nested(&tin);

			while (nd_nl_next(&it, &a)) {
				if (a.type != TCA_CAKE_TIN_STATS_ECN_MARKED_PACKETS ||
				    !nd_nl_u32(&a, &v))
					continue;
				sum += v;
				any = true;
			}
		}
		if (any)
			nd_qdisc_take(q, ND_QD_ECN_MARKS, sum);
	}
}

static void take_marks(struct nd_qdisc *q, const struct nd_nl_attr *app)
{
	uint32_t v;

	if (strcmp(q->kind, "cake") == 0)
		take_cake(q, app);
	for (size_t i = 0; i < ND_ARRAY_LEN(marks); i++)
		if (strcmp(marks[i].kind, q->kind) == 0 && nd_nl_u32_at(app, marks[i].offset, &v))
			nd_qdisc_take(q, ND_QD_ECN_MARKS, v);
}

static void take_stats(struct nd_qdisc *q, const struct nd_nl_attr *stats)
{
	struct nd_nl_iter it = nd_nl_nested(stats);
	struct nd_nl_attr a;
	uint64_t packets = 0;
	bool whole = false;

	while (nd_nl_next(&it, &a)) {
		if (a.type == TCA_STATS_BASIC)
			take_fields(q, &a, basic, ND_ARRAY_LEN(basic));
		else if (a.type == TCA_STATS_QUEUE)
			take_fields(q, &a, queue, ND_ARRAY_LEN(queue));
		else if (a.type == TCA_STATS_APP)
			take_marks(q, &a);
		else if (a.type == TCA_STATS_PKT64 && nd_nl_u64(&a, &packets))
			whole = true;
	}
	if (whole) { /* only sent when 32 bits do not hold it */
		q->has |= BIT(ND_QD_SENT_PACKETS);
		q->value[ND_QD_SENT_PACKETS] = packets;
	}
}

bool nd_qdisc_message(const struct nlmsghdr *h, struct nd_qdisc *out)
{
	struct tcmsg tc;
	const void *data = nd_nl_payload(h, sizeof(tc), NULL);
	struct nd_nl_attr a, found[TCA_MAX + 1] = {{0}};
	struct nd_nl_iter it;

	if (h->nlmsg_type != RTM_NEWQDISC || !data)
		return false;
	memcpy(&tc, data, sizeof(tc));
	*out = (struct nd_qdisc){.ifindex = (uint32_t)tc.tcm_ifindex,
				 .handle = tc.tcm_handle,
				 .parent = tc.tcm_parent};
	it = nd_nl_attrs(h, sizeof(tc));
	while (nd_nl_next(&it, &a))
		if (a.type <= TCA_MAX)
			found[a.type] = a;
	if (!nd_nl_text(&found[TCA_KIND], out->kind, sizeof(out->kind)))
		return false;
	/* the kind is known only now; the newer form of the statistics goes first */
	nd_qdisc_options(out, &found[TCA_OPTIONS]);
	take_stats(out, &found[TCA_STATS2]);
	take_fields(out, &found[TCA_STATS], old, ND_ARRAY_LEN(old));
	return true;
}

/* ---- live ---- */

struct list {
	struct nd_qdisc *q;
	uint32_t n, cap;
	bool full;
};

static int collect(const struct nlmsghdr *h, void *ctx)
{
	struct list *list = ctx;
	struct nd_qdisc one;

	if (!nd_qdisc_message(h, &one))
		return 0;
	if (list->n == QDISCS_MAX) {
		list->full = true;
		return 0;
	}
	ND_GROW(list->q, list->n, list->cap);
	list->q[list->n++] = one;
	return 0;
}

static void forget(void *ctx)
{
	struct list *list = ctx;

	list->n = 0;
	list->full = false;
}

static int dump(struct nd_nl **nl, struct list *list, struct nd_err *e)
{
	const struct tcmsg all = {.tcm_family = AF_UNSPEC};
	const struct nd_nl_request request = {RTM_GETQDISC, &all,   sizeof(all),
					      collect,	    forget, list};

	return nd_nl_dump_calm(nl, NETLINK_ROUTE, &request, e);
}

/* Interfaces that are down have none: then the list of theirs is known, and empty. */
static void put_none(struct nd_facts *f, const struct nd_input *in)
{
	const nd_id ns = nd_entity(f, ND_NETNS, in->netns);
	uint32_t n;
	const nd_id *ifaces = nd_entities(f, ND_IFACE, &n);

	for (uint32_t i = 0; i < n; i++) {
		struct nd_links home = nd_related(f, ifaces[i], ND_IFACE_NETNS, false);

		if (home.n == 1 && home.ids[0] == ns &&
		    nd_related(f, ifaces[i], ND_QDISC_IFACE, true).why != ND_PRESENT)
			nd_relate_none_inverse(f, ifaces[i], ND_QDISC_IFACE);
	}
}

/* Those of an interface follow one another. One that is gone meanwhile has no name. */
static void put_all(struct nd_facts *f, const struct list *list, const struct nd_input *in)
{
	char name[IFNAMSIZ] = "";

	for (uint32_t i = 0; i < list->n; i++) {
		struct nd_qdisc *q = &list->q[i];

		if ((i == 0 || q->ifindex != q[-1].ifindex) && !if_indextoname(q->ifindex, name))
			name[0] = '\0';
		if (!nd_netdev_name_ok(name))
			continue;
		memcpy(q->dev, name, sizeof(q->dev));
		nd_qdisc_put(f, q, in, ND_NOT_ON_THIS_KERNEL,
			     "the kernel does not tell it for this kind");
	}
}

static int live(struct nd_live *l, struct nd_facts *f, struct nd_err *e)
{
	struct list list = {0};
	int rc = dump((struct nd_nl **)l->state, &list, e);

	l->in.path = ND_QDISC_NETLINK;
	if (rc >= 0)
		put_all(f, &list, &l->in);
	if (list.full)
		nd_kind_missing(f, ND_QDISC, ND_TRUNCATED, "only the first %d were read",
				QDISCS_MAX);
	else if (rc == ND_NL_WHOLE)
		put_none(f, &l->in);
	free(list.q);
	return rc < 0 ? rc : 0;
}

static void end(void *state)
{
	nd_nl_close(state);
}

const struct nd_collector nd_collector_qdisc = {
	.name = "qdisc",
	.doc = "queueing disciplines: what waits in front of each interface, drops, requeues",
	.collect = "tc -s qdisc",
	.facts = nd_qdisc_facts,
	.entities = {ND_QDISC, ND_NO_KIND},
	.live = live,
	.end = end,
};
