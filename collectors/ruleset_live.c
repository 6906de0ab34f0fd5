/* The rules of nftables, iptables-nft among them, from the running kernel: one dump, each rule by the names of
 * its expressions.
 *
 * Nothing is asked unless nf_tables is there already, since the question would load it. The tables of the
 * old iptables cannot be counted without copying them: where there are any, nothing is said, for
 * half of the rules would pass for all. What only a rule's words tell (repeats, random ports) stays unknown. */
#include "collectors/netlink.h"
#include "collectors/ruleset.h"
#include "collectors/snmp.h"
#include "collectors/sock_diag.h"

#include <errno.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nf_tables_compat.h>
#include <linux/netfilter/nfnetlink.h>
#include <sys/socket.h>

#define LEGACY "/proc/net/ip_tables_names"
#define RULES_MAX 1000000u

/* What an expression, or a match or target of iptables, is in the words of nft. */
static const struct {
	const char *name, *words;
} expressions[] = {
	{"masq", "masquerade"},	   {"nat", "dnat to"},	   {"redir", "redirect to"},
	{"ct", "ct state"},	   {"notrack", "notrack"}, {"queue", "queue num"},
	{"conntrack", "ct state"}, {"state", "ct state"},  {"MASQUERADE", "masquerade"},
	{"SNAT", "snat to"},	   {"DNAT", "dnat to"},	   {"REDIRECT", "redirect to"},
	{"NFQUEUE", "queue num"},  {"NOTRACK", "notrack"},
};

static void add_words(const struct nd_nl_attr *name, struct nd_buf *rule)
{
	char text[40];

	if (!nd_nl_text(name, text, sizeof(text)))
		return;
	for (size_t i = 0; i < ND_ARRAY_LEN(expressions); i++)
		if (strcmp(expressions[i].name, text) == 0)
			nd_buf_printf(rule, " %s", expressions[i].words);
}

/* One expression: its name, and for a match or target of iptables that one's name. */
static void take_expression(const struct nd_nl_attr *element, struct nd_buf *rule)
{
	struct nd_nl_iter it = nd_nl_nested(element);
	struct nd_nl_attr a, inner;
	char name[40] = "";

	while (nd_nl_next(&it, &a)) {
		if (a.type == NFTA_EXPR_NAME && nd_nl_text(&a, name, sizeof(name)))
			add_words(&a, rule);
		if (a.type != NFTA_EXPR_DATA ||
		    (strcmp(name, "match") != 0 && strcmp(name, "target") != 0))
			continue;
		for (struct nd_nl_iter data = nd_nl_nested(&a); nd_nl_next(&data, &inner);)
			if (inner.type == NFTA_MATCH_NAME) /* NFTA_TARGET_NAME is the same number */
				add_words(&inner, rule);
	}
}

int nd_ruleset_message(const struct nlmsghdr *h, void *ctx)
{
	struct nd_ruleset *set = ctx;
	struct nd_nl_iter it = nd_nl_attrs(h, sizeof(struct nfgenmsg)), list;
	char table[40] = "", chain[64] = "";
	struct nd_buf rule = {0};
	struct nd_nl_attr a, element;

	if (h->nlmsg_type != (NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_NEWRULE))
		return 0;
	if (set->n[ND_RS_RULES] >= RULES_MAX)
		return -E2BIG;
	while (nd_nl_next(&it, &a)) {
		if (a.type == NFTA_RULE_TABLE)
			nd_nl_text(&a, table, sizeof(table));
		else if (a.type == NFTA_RULE_CHAIN)
			nd_nl_text(&a, chain, sizeof(chain));
		else if (a.type == NFTA_RULE_EXPRESSIONS)
			for (list = nd_nl_nested(&a); nd_nl_next(&list, &element);)
				take_expression(&element, &rule);
	}
	nd_ruleset_add(set, table, chain, nd_buf_str(&rule));
	nd_buf_free(&rule);
	return 0;
}

static void forget(void *ctx)
{
	struct nd_ruleset *set = ctx;

	nd_ruleset_free(set);
	*set = (struct nd_ruleset){.whole = true, .by_name = true};
}

static void say_missing(struct nd_facts *f, enum nd_missing why, const char *detail)
{
	for (int i = 0; i < ND_RS_BRIDGED; i++)
		nd_fact_missing(f, &nd_ruleset_facts[i], why, "%s", detail);
}

/* Of no rules everything is known; of others what their words would tell is not. */
static void put_all(struct nd_facts *f, struct nd_ruleset *set, const struct nd_input *in)
{
	const nd_id ns = nd_entity(f, ND_NETNS, in->netns);

	set->by_name = set->n[ND_RS_RULES] > 0;
	nd_ruleset_put(f, set, in);
	if (!set->by_name)
		nd_put_absent(f, ns, &nd_ruleset_facts[ND_RS_CHAIN], in);
	for (int i = 0; i < ND_RS_BRIDGED; i++) /* gives way to a value */
		nd_put_missing(f, ns, &nd_ruleset_facts[i], ND_TOOL_OUTPUT_ABSENT,
			       "only iptables-save -c or nft list ruleset tells it");
}

int nd_ruleset_live(struct nd_live *l, struct nd_facts *f, struct nd_err *e)
{
	const struct nfgenmsg all = {.nfgen_family = AF_UNSPEC, .version = NFNETLINK_V0};
	struct nd_ruleset set = {.whole = true, .by_name = true};
	const struct nd_nl_request request = {NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_GETRULE,
					      &all,
					      sizeof(all),
					      nd_ruleset_message,
					      forget,
					      &set};
	struct nd_nl *nl = NULL;
	char text[64] = "";
	int rc;

	if (!l->first || l->between)
		return 0;
	nd_netns_unread(l, f, nd_ruleset_facts,
			"rules are read in the reader's own namespace only");
	rc = nd_source_text(l->source, LEGACY, text, sizeof(text));
	if (rc < 0 && rc != -ENOENT) {
		say_missing(f, ND_NO_PERMISSION, LEGACY " may not be read");
		return 0;
	}
	if (*nd_trim(text)) {
		say_missing(f, ND_TOOL_OUTPUT_ABSENT,
			    "there are tables of the old iptables: iptables-save shows them");
		return 0;
	}
	l->in.path = "netlink nf_tables";
	rc = nd_sock_would_autoload(l->source, "nf_tables")
		     ? 0
		     : nd_nl_dump_calm(&nl, NETLINK_NETFILTER, &request, e);
	if (rc >= 0)
		put_all(f, &set, &l->in);
	else
		say_missing(f, rc == -EPERM ? ND_NO_PERMISSION : ND_NOT_ON_THIS_KERNEL,
			    "nf_tables did not answer");
	nd_nl_close(nl);
	nd_ruleset_free(&set);
	return 0;
}
