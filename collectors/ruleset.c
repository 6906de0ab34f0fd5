/* Netfilter's rules, counted one by one.
 *
 * What a packet pays is the chain that it walks, not the number of rules in all: a cluster has tens
 * of thousands of them in short chains. So the longest chain and rules that stand twice in theirs
 * are facts of their own. Several inputs may show the same table, or different ones: of each fact
 * the largest stays, a sum would count some twice. */
#include "collectors/ruleset.h"

#define SEEN_MAX (1u << 21)

#define SAVE "iptables-save | "
#define COUNT(index, fact, text, show)                                                             \
	[index] = {.name = (fact),                                                                 \
		   .on = ND_NETNS,                                                                 \
		   .type = ND_T_NUMBER,                                                            \
		   .unit = ND_U_COUNT,                                                             \
		   .width = ND_GAUGE,                                                              \
		   .doc = (text),                                                                  \
		   .reproduce = (show)}

const struct nd_fact_def nd_ruleset_facts[ND_RS_FACTS + 1] = {
	COUNT(ND_RS_RULES, "netfilter.rules", "rules of iptables or nftables that are shown",
	      SAVE "grep -c -- '-A '"),
	COUNT(ND_RS_NAT, "netfilter.rules.nat",
	      "rules in tables of translation: walked by the first packet of a connection only",
	      "iptables-save -t nat | grep -c -- '-A '"),
	COUNT(ND_RS_REPEATS, "netfilter.rules.repeated",
	      "rules that stand in their chain a second time, word for word",
	      SAVE "grep -- '-A ' | sort | uniq -d -c"),
	COUNT(ND_RS_LONGEST, "netfilter.chain.longest", "rules of the longest chain",
	      SAVE "awk '/^-A/ {n[$2]++} END {for (c in n) print n[c], c}' | sort -n | tail -n 1"),
	COUNT(ND_RS_LINES, "netfilter.lines",
	      "lines that a tool prints for the rules; more than there are rules",
	      "iptables -L -n -t nat | wc -l"),
	COUNT(ND_RS_NAT_RULES, "nat.rules",
	      "rules that translate addresses: MASQUERADE, SNAT, DNAT, REDIRECT",
	      "iptables-save -t nat | grep -cE 'MASQUERADE|SNAT|DNAT|REDIRECT'"),
	COUNT(ND_RS_RANDOM_FULLY, "nat.random_fully", "of these, that pick their port at random",
	      "iptables-save -t nat | grep -cE -- '--random-fully|fully-random'"),
	COUNT(ND_RS_STATEFUL, "netfilter.stateful",
	      "rules that ask connection tracking for a state",
	      SAVE "grep -cE 'ctstate|--state|ct state'"),
	COUNT(ND_RS_NOTRACK, "netfilter.notrack", "rules that keep packets from being tracked",
	      SAVE "grep -ciE 'notrack'"),
	COUNT(ND_RS_DROP_INVALID, "netfilter.drop_invalid",
	      "rules that drop what connection tracking calls invalid",
	      SAVE "grep -E 'INVALID.*DROP'"),
	COUNT(ND_RS_QUEUE, "netfilter.queue", "rules that hand packets to a program (NFQUEUE)",
	      SAVE "grep -c NFQUEUE"),
	COUNT(ND_RS_BYPASS, "netfilter.queue_bypass",
	      "of these, that let packets pass while no program listens",
	      SAVE "grep -c queue-bypass"),
	[ND_RS_FORWARD_DROPS] = {.name = "netfilter.forward_drops",
				 .on = ND_NETNS,
				 .type = ND_T_NUMBER,
				 .unit = ND_U_COUNT,
				 .width = ND_COUNTER64,
				 .doc = "packets that fell to the policy of FORWARD, DROP",
				 .reproduce = "iptables -L FORWARD -n -v -x | head -n 1"},
	[ND_RS_CHAIN] = {.name = "netfilter.chain.name",
			 .on = ND_NETNS,
			 .type = ND_T_TEXT,
			 .doc = "table and name of the longest chain",
			 .reproduce =
				 SAVE "awk '/^-A/ {n[$2]++} END {for (c in n) print n[c], c}'"},
	[ND_RS_FORWARD_POLICY] =
		{.name = "netfilter.forward_policy",
		 .on = ND_NETNS,
		 .type = ND_T_TEXT,
		 .doc = "what happens to forwarded packets that no rule decides on",
		 .reproduce = "iptables -S FORWARD | head -n 1"},
	COUNT(ND_RS_BRIDGED, "netfilter.bridged",
	      "1: bridged IPv4 packets pass the IP hooks of netfilter",
	      "sysctl net.bridge.bridge-nf-call-iptables"),
	{.name = NULL},
};

/* ---- what was seen ---- */

struct nd_ruleset_slot {
	uint64_t key; /* 0: free */
	uint64_t n;
};

static uint64_t hash(uint64_t h, const char *s)
{
	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 1099511628211ull; /* FNV-1a */
	return (h ^ 0xff) * 1099511628211ull;
}

static struct nd_ruleset_slot *slot_of(const struct nd_ruleset *r, uint64_t key)
{
	uint32_t i = (uint32_t)(key >> 7) & (r->cap - 1);

	while (r->slots[i].key && r->slots[i].key != key)
		i = (i + 1) & (r->cap - 1);
	return &r->slots[i];
}

static void grow(struct nd_ruleset *r)
{
	struct nd_ruleset old = *r;

	r->cap = old.cap ? 2 * old.cap : 1024;
	r->slots = nd_alloc(r->cap * sizeof(*r->slots));
	for (uint32_t i = 0; i < old.cap; i++)
		if (old.slots[i].key)
			*slot_of(r, old.slots[i].key) = old.slots[i];
	free(old.slots);
}

/* How often this one was seen, now included; 0 when there is no room to remember it. */
static uint64_t see(struct nd_ruleset *r, uint64_t key)
{
	struct nd_ruleset_slot *slot;

	if (r->used >= SEEN_MAX) {
		r->full = true;
		return 0;
	}
	if (2 * r->used >= r->cap)
		grow(r);
	slot = slot_of(r, key ? key : 1);
	if (!slot->key) {
		slot->key = key ? key : 1;
		r->used++;
	}
	return ++slot->n;
}

/* ---- one rule ---- */

/* Any of the words, separated by '|', in the rule. */
static bool has(const char *rule, const char *words)
{
	while (*words) {
		const size_t n = strcspn(words, "|");

		if (memmem(rule, strlen(rule), words, n))
			return true;
		words += n + (words[n] == '|');
	}
	return false;
}

static const struct {
	enum nd_ruleset_fact fact;
	const char *any, *also; /* NULL: nothing more */
} marks[] = {
	{ND_RS_NAT_RULES, "MASQUERADE|SNAT|DNAT|REDIRECT|masquerade|snat to|dnat to|redirect to",
	 NULL},
	{ND_RS_RANDOM_FULLY, "--random-fully|random-fully|fully-random", NULL},
	{ND_RS_STATEFUL,
	 "ctstate|--state|ct state|state RELATED|state NEW|state INVALID|state ESTAB", NULL},
	{ND_RS_NOTRACK, "NOTRACK|notrack", NULL},
	{ND_RS_DROP_INVALID, "INVALID|ct state invalid|invalid : drop", "DROP|drop"},
	{ND_RS_QUEUE, "NFQUEUE|queue num|queue to|queue flags|-j QUEUE", NULL},
	{ND_RS_BYPASS, "queue-bypass|bypass", "NFQUEUE|queue"},
};

void nd_ruleset_add(struct nd_ruleset *r, const char *table, const char *chain, const char *rule)
{
	const uint64_t place = hash(hash(14695981039346656037ull, table), chain);
	const bool nat = strcmp(table, "nat") == 0 || nd_ends(table, " nat");
	uint64_t n;

	r->n[ND_RS_RULES]++;
	r->n[ND_RS_NAT] += nat;
	for (size_t i = 0; i < ND_ARRAY_LEN(marks); i++)
		r->n[marks[i].fact] +=
			has(rule, marks[i].any) && (!marks[i].also || has(rule, marks[i].also));
	n = see(r, place);
	if (n > r->n[ND_RS_LONGEST]) {
		r->n[ND_RS_LONGEST] = n;
		snprintf(r->longest, sizeof(r->longest), "%.30s%s%.30s", table, *table ? "/" : "",
			 chain);
	}
	r->n[ND_RS_REPEATS] += see(r, hash(place, rule)) > 1;
}

void nd_ruleset_free(struct nd_ruleset *r)
{
	free(r->slots);
	r->slots = NULL;
	r->cap = r->used = 0;
}

/* ---- facts ---- */

static bool known(const struct nd_facts *f, nd_id ns, enum nd_ruleset_fact i, double *v)
{
	const nd_fact_id id =
		nd_registry_find(nd_facts_registry(f), ND_NETNS, nd_ruleset_facts[i].name);
	const struct nd_value old = nd_get(f, ns, id, ND_BARE);

	*v = old.type == ND_V_NUMBER ? old.num : 0;
	return old.type == ND_V_NUMBER;
}

/* Could the tables that were shown have had it? */
static bool shown(const struct nd_ruleset *r, enum nd_ruleset_fact i)
{
	static const bool by_words[ND_RS_NUMBERS] = {[ND_RS_REPEATS] = true,
						     [ND_RS_RANDOM_FULLY] = true,
						     [ND_RS_DROP_INVALID] = true,
						     [ND_RS_BYPASS] = true};

	if (r->by_name && by_words[i])
		return false;
	switch ((int)i) {
	case ND_RS_NAT:
	case ND_RS_NAT_RULES:
	case ND_RS_RANDOM_FULLY: return r->nat || r->whole;
	case ND_RS_STATEFUL:
	case ND_RS_DROP_INVALID: return r->filter || r->whole;
	case ND_RS_QUEUE:
	case ND_RS_BYPASS:
	case ND_RS_NOTRACK: return r->whole || r->n[i] > 0;
	case ND_RS_LINES: return false;
	default: return true;
	}
}

static void put_policy(struct nd_facts *f, nd_id ns, const struct nd_ruleset *r,
		       const struct nd_input *in)
{
	if (r->has_forward)
		nd_put_text(f, ns, &nd_ruleset_facts[ND_RS_FORWARD_POLICY], r->forward_policy, in);
	if (r->forward_counted)
		nd_put_reading(
			f, ns, &nd_ruleset_facts[ND_RS_FORWARD_DROPS],
			strcmp(r->forward_policy, "DROP") == 0 ? r->n[ND_RS_FORWARD_DROPS] : 0, in);
}

void nd_ruleset_put(struct nd_facts *f, const struct nd_ruleset *r, const struct nd_input *in)
{
	const nd_id ns = nd_entity(f, ND_NETNS, in->netns);
	double old;

	put_policy(f, ns, r, in);
	if (r->n[ND_RS_LINES] &&
	    (!known(f, ns, ND_RS_LINES, &old) || (double)r->n[ND_RS_LINES] > old))
		nd_put_num(f, ns, &nd_ruleset_facts[ND_RS_LINES], (double)r->n[ND_RS_LINES], in);
	if (r->n[ND_RS_LINES])
		return; /* mere lines */
	for (int i = 0; i < ND_RS_FORWARD_DROPS; i++) {
		if (!shown(r, i) || (known(f, ns, i, &old) && (double)r->n[i] <= old))
			continue;
		nd_put_num(f, ns, &nd_ruleset_facts[i], (double)r->n[i], in);
		if (i == ND_RS_LONGEST && *r->longest)
			nd_put_text(f, ns, &nd_ruleset_facts[ND_RS_CHAIN], r->longest, in);
	}
}

void nd_ruleset_finish(struct nd_facts *f)
{
	const nd_fact_id sysctl = nd_registry_find(nd_facts_registry(f), ND_NETNS,
						   "sysctl.net.bridge.bridge-nf-call-iptables");
	uint32_t n;
	const nd_id *all = nd_entities(f, ND_NETNS, &n);

	for (uint32_t i = 0; sysctl >= 0 && i < n; i++) {
		const struct nd_value v = nd_get(f, all[i], sysctl, ND_BARE);
		const struct nd_input in = {.path = nd_get_source(f, all[i], sysctl),
					    .netns = nd_entity_key(f, all[i])};

		if (v.type == ND_V_NUMBER)
			nd_put_num(f, all[i], &nd_ruleset_facts[ND_RS_BRIDGED], v.num, &in);
		else if (v.type == ND_V_MISSING)
			nd_put_missing(f, all[i], &nd_ruleset_facts[ND_RS_BRIDGED], v.why, "%s",
				       v.detail);
	}
}
