/* The facts of netfilter's rules, whatever tool shows them: how many, how long the longest chain is, and which
 * of them matter to tracking, translation and queues. */
#ifndef ND_RULESET_H
#define ND_RULESET_H

#include "collectors/collector.h"

enum nd_ruleset_fact {
	ND_RS_RULES,
	ND_RS_NAT,
	ND_RS_REPEATS,
	ND_RS_LONGEST,
	ND_RS_LINES,
	ND_RS_NAT_RULES,
	ND_RS_RANDOM_FULLY,
	ND_RS_STATEFUL,
	ND_RS_NOTRACK,
	ND_RS_DROP_INVALID,
	ND_RS_QUEUE,
	ND_RS_BYPASS,
	ND_RS_FORWARD_DROPS,
	ND_RS_CHAIN,
	ND_RS_FORWARD_POLICY,
	ND_RS_BRIDGED,
	ND_RS_FACTS
};
extern const struct nd_fact_def nd_ruleset_facts[ND_RS_FACTS + 1]; /* ends with name NULL */

#define ND_RS_NUMBERS ND_RS_CHAIN /* the facts before it are counts */

/* A rule set while its rules are read, one after another. Zero is empty; free it. */
struct nd_ruleset {
	uint64_t n[ND_RS_NUMBERS];
	bool nat, filter, whole; /* which tables were shown; whole: all that there are */
	bool by_name; /* only names of expressions were read: what words alone tell is not known */
	bool has_forward; /* a FORWARD chain with its policy was seen */
	bool forward_counted; /* … and with a counter */
	char forward_policy[16], longest[64];
	struct nd_ruleset_slot *slots; /* rules and chains that were seen, by hash */
	uint32_t used, cap;
	bool full; /* too many to remember: repeats and chains are lower bounds */
};
/* One rule of a chain: its text without counters and handles, in iptables' or nft's words. The table may be "". */
void nd_ruleset_add(struct nd_ruleset *r, const char *table, const char *chain, const char *rule);
void nd_ruleset_free(struct nd_ruleset *r);
/* Puts what was counted; where another input gave more, that stays. What belongs to a table that was not shown stays
 * unknown. */
void nd_ruleset_put(struct nd_facts *f, const struct nd_ruleset *r, const struct nd_input *in);

/* Live: the rules of nftables, at the first moment. */
int nd_ruleset_live(struct nd_live *l, struct nd_facts *f, struct nd_err *e);
/* One message of its dump; ctx is the struct nd_ruleset. -E2BIG past a million rules. */
struct nlmsghdr;
int nd_ruleset_message(const struct nlmsghdr *h, void *ctx);
/* After the last moment: whether bridged packets pass the rules, from the sysctl whose name no rule can write. */
void nd_ruleset_finish(struct nd_facts *f);

#endif
