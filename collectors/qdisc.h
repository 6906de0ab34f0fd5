/* The facts of a queueing discipline, from netlink and from tc's text, and how one becomes an
 * entity.
 *
 * The key is DEV/MAJOR in hexadecimal, "eth0/8001". The kernel gives its default queues no number:
 * the root is then "eth0/0", and one below another has its place in the key, "eth0/0@8001:2", for
 * as a rule there are several such. */
#ifndef ND_QDISC_H
#define ND_QDISC_H

#include "engine/core/fact.h"

#include <net/if.h>

enum nd_qdisc_fact {
	ND_QD_KIND,
	ND_QD_ROOT,
	ND_QD_LIMIT,
	ND_QD_RATE,
	ND_QD_SENT_PACKETS, /* from here on numbers */
	ND_QD_SENT_BYTES,
	ND_QD_DROPS,
	ND_QD_OVERLIMITS,
	ND_QD_REQUEUES,
	ND_QD_BACKLOG,
	ND_QD_BACKLOG_PACKETS,
	ND_QD_ECN_MARKS,
	ND_QD_FILTER_DROPS,
	ND_QD_FACTS
};
extern const struct nd_fact_def nd_qdisc_facts[ND_QD_FACTS + 1];

/* What the live collector gives as its source. */
#define ND_QDISC_NETLINK "rtnetlink RTM_GETQDISC"

/* One of them, as a source tells it. */
struct nd_qdisc {
	uint32_t ifindex; /* netlink only */
	char dev[IFNAMSIZ], kind[IFNAMSIZ];
	uint32_t handle, parent; /* TC_H_ROOT: it is the root; 0: not told */
	char limit[32]; /* "1000p", "10240b"; "" when not told */
	uint64_t rate; /* bytes per second of its shaper; 0: not told, or none */
	uint32_t has; /* a bit for each number that was told */
	uint64_t value[ND_QD_FACTS];
};

/* Takes a number, if it is the first for this fact. */
void nd_qdisc_take(struct nd_qdisc *q, enum nd_qdisc_fact fact, uint64_t v);
/* The word in tc's text in front of the number of marked packets, or NULL when this kind has none.
 */
const char *nd_qdisc_marks_word(const char *kind);
/* The entity, with the relation to its interface. */
nd_id nd_qdisc_entity(struct nd_facts *f, const struct nd_qdisc *q, const struct nd_input *in);
/* Puts all facts. Numbers that this kind cannot have are absent; others that were not told are
 * missing, with this reason and detail. */
void nd_qdisc_put(struct nd_facts *f, const struct nd_qdisc *q, const struct nd_input *in,
		  enum nd_missing why, const char *detail);

/* Fills in limit and rate of a kind that is known (qdisc_options.c). */
struct nd_nl_attr;
void nd_qdisc_options(struct nd_qdisc *q, const struct nd_nl_attr *options);

/* From RTM_NEWQDISC, all but the name of the interface. False: not one, or too short to be one. */
struct nlmsghdr;
bool nd_qdisc_message(const struct nlmsghdr *h, struct nd_qdisc *out);
#endif
