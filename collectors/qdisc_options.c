/* What a queueing discipline was told to do, from its netlink options: how much it may hold, and the
 * rate to which it shapes. */
#include "collectors/netlink.h"
#include "collectors/qdisc.h"

#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>

/* Where a kind's options tell its limit: attribute (0: the options are one struct), place, unit. */
static const struct {
	const char *kind;
	uint16_t type;
	size_t offset;
	char unit;
} limits[] = {
	{"pfifo", 0, offsetof(struct tc_fifo_qopt, limit), 'p'},
	{"pfifo_head_drop", 0, offsetof(struct tc_fifo_qopt, limit), 'p'},
	{"bfifo", 0, offsetof(struct tc_fifo_qopt, limit), 'b'},
	{"sfq", 0, offsetof(struct tc_sfq_qopt, limit), 'p'},
	{"netem", 0, offsetof(struct tc_netem_qopt, limit), 'p'},
	{"fq_codel", TCA_FQ_CODEL_LIMIT, 0, 'p'},
	{"codel", TCA_CODEL_LIMIT, 0, 'p'},
	{"fq", TCA_FQ_PLIMIT, 0, 'p'},
	{"pie", TCA_PIE_LIMIT, 0, 'p'},
	{"fq_pie", TCA_FQ_PIE_LIMIT, 0, 'p'},
	{"hhf", TCA_HHF_BACKLOG_LIMIT, 0, 'p'},
	{"tbf", TCA_TBF_PARMS, offsetof(struct tc_tbf_qopt, limit), 'b'},
	{"red", TCA_RED_PARMS, offsetof(struct tc_red_qopt, limit), 'b'},
	{"choke", TCA_CHOKE_PARMS, offsetof(struct tc_red_qopt, limit), 'p'},
};

static void take_rate(struct nd_qdisc *q, const struct nd_nl_attr *options)
{
	const bool tbf = strcmp(q->kind, "tbf") == 0, cake = strcmp(q->kind, "cake") == 0;
	struct nd_nl_iter it = nd_nl_nested(options);
	struct nd_nl_attr a;
	uint32_t rate;

	while ((tbf || cake) && nd_nl_next(&it, &a)) {
		if (tbf && a.type == TCA_TBF_PARMS &&
		    nd_nl_u32_at(&a, offsetof(struct tc_tbf_qopt, rate.rate), &rate) && !q->rate)
			q->rate = rate; /* at most 4 GB/s; more have an attribute of their own */
		else if (a.type == (tbf ? TCA_TBF_RATE64 : TCA_CAKE_BASE_RATE64))
			(void)nd_nl_u64(&a, &q->rate);
	}
}

static void take_limit(struct nd_qdisc *q, const struct nd_nl_attr *options)
{
	for (size_t i = 0; i < ND_ARRAY_LEN(limits); i++) {
		struct nd_nl_iter it = nd_nl_nested(options);
		struct nd_nl_attr a = *options;
		bool found = limits[i].type == 0;
		uint32_t v;

		if (strcmp(limits[i].kind, q->kind) != 0)
			continue;
		while (!found && nd_nl_next(&it, &a))
			found = a.type == limits[i].type;
		if (found && nd_nl_u32_at(&a, limits[i].offset, &v))
			snprintf(q->limit, sizeof(q->limit), "%u%c", v, limits[i].unit);
	}
}

void nd_qdisc_options(struct nd_qdisc *q, const struct nd_nl_attr *options)
{
	take_limit(q, options);
	take_rate(q, options);
}
