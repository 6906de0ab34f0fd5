/* Bonds as the kernel's /proc/net/bonding tells them: how they spread what they send, and how each
 * member fares.
 *
 * The text has a part for the bond, perhaps one for LACP, and one for each member that begins with
 * "Slave Interface:"; "MII Status" and "Aggregator ID" are in both. The bond's name is that of the
 * file; a pasted text that nothing names still tells of its members. Samples: "Bonding Mode: IEEE
 * 802.3ad Dynamic link aggregation", "Transmit Hash Policy: layer3+4 (1)". */
#include "collectors/collector.h"
#include "collectors/netdev.h"

enum { F_MODE, F_HASH, F_PORTS, F_AGGREGATOR, F_STATUS, F_FAILURES, F_MEMBERS };

#define SHOW "grep -H . /proc/net/bonding/*"
#define FACT(i, n, what, how, text)                                                                \
	[i] = {.name = n,                                                                          \
	       .on = ND_IFACE,                                                                     \
	       .type = what,                                                                       \
	       .unit = (what) == ND_T_NUMBER ? ND_U_COUNT : ND_U_NONE,                             \
	       .width = how,                                                                       \
	       .doc = text,                                                                        \
	       .reproduce = SHOW}

static const struct nd_fact_def facts[] = {
	FACT(F_MODE, "bond.mode", ND_T_TEXT, ND_GAUGE,
	     "of a bond: balance-rr, active-backup, balance-xor, broadcast, 802.3ad, balance-tlb "
	     "or balance-alb"),
	FACT(F_HASH, "bond.hash", ND_T_TEXT, ND_GAUGE,
	     "of a bond: what of a packet chooses the member that sends it: layer2, layer2+3, "
	     "layer3+4, …"),
	FACT(F_PORTS, "bond.ports", ND_T_NUMBER, ND_GAUGE,
	     "of a bond with LACP: ports of the aggregator in use"),
	FACT(F_AGGREGATOR, "bond.aggregator", ND_T_NUMBER, ND_GAUGE,
	     "with LACP: the aggregator that a member belongs to, or that the bond uses"),
	FACT(F_STATUS, "bond.status", ND_T_TEXT, ND_GAUGE,
	     "up, down or going, as the bond sees itself or a member"),
	FACT(F_FAILURES, "bond.failures", ND_T_NUMBER, ND_COUNTER32,
	     "times that the bond found a member's link lost"),
	FACT(F_MEMBERS, "bond.members", ND_T_NUMBER, ND_GAUGE, "of a bond: its members"),
	{0},
};

/* What only a bond has, and no member. */
static const int of_bonds[] = {F_MODE, F_HASH, F_PORTS, F_MEMBERS};

struct reader {
	const struct nd_input *in;
	struct nd_stream *s;
	struct nd_facts *f;
	nd_id bond; /* ND_NO_ENTITY: the file does not name it */
	nd_id on; /* whom lines speak of, or ND_NO_ENTITY */
	bool cut; /* the last line has no end */
	uint32_t members;
	bool any;
};

/* Whether the value of the last line may have been longer. */
static bool usable(const struct reader *r)
{
	return r->on != ND_NO_ENTITY && !r->cut;
}

static void take_mode(struct reader *r, const char *value)
{
	static const struct {
		const char *begins, *mode;
	} modes[] = {
		{"load balancing (round-robin)", "balance-rr"},
		{"fault-tolerance (active-backup)", "active-backup"},
		{"load balancing (xor)", "balance-xor"},
		{"fault-tolerance (broadcast)", "broadcast"},
		{"IEEE 802.3ad", "802.3ad"},
		{"transmit load balancing", "balance-tlb"},
		{"adaptive load balancing", "balance-alb"},
	};

	for (size_t i = 0; i < ND_ARRAY_LEN(modes); i++)
		if (nd_starts(value, modes[i].begins))
			nd_put_text(r->f, r->on, &facts[F_MODE], modes[i].mode, r->in);
}

static void take_hash(struct reader *r, const char *value)
{
	char word[32];

	snprintf(word, sizeof(word), "%.*s", (int)strcspn(value, " "), value);
	nd_put_text(r->f, r->on, &facts[F_HASH], word, r->in);
}

static void put_count(struct reader *r, int fact, const char *value)
{
	uint64_t v;

	if (!nd_parse_u64(value, 10, &v) || v > UINT32_MAX)
		return;
	if (facts[fact].width == ND_COUNTER32)
		nd_put_reading(r->f, r->on, &facts[fact], v, r->in);
	else
		nd_put_num(r->f, r->on, &facts[fact], (double)v, r->in);
}

static void take_ports(struct reader *r, const char *value)
{
	put_count(r, F_PORTS, value);
}

static void take_aggregator(struct reader *r, const char *value)
{
	put_count(r, F_AGGREGATOR, value);
}

static void take_failures(struct reader *r, const char *value)
{
	put_count(r, F_FAILURES, value);
}

static void take_status(struct reader *r, const char *value)
{
	nd_put_text(r->f, r->on, &facts[F_STATUS], nd_starts(value, "going") ? "going" : value,
		    r->in);
}

static void take_speed(struct reader *r, const char *value)
{
	size_t n = strspn(value, "0123456789");
	char mbit[24];

	if (r->on == r->bond || strcmp(value + n, " Mbps") != 0)
		return; /* "Unknown" */
	snprintf(mbit, sizeof(mbit), "%.*s", (int)n, value);
	nd_netdev_put_speed(r->f, r->on, mbit, r->in);
}

static void begin_member(struct reader *r, const char *name)
{
	r->on = ND_NO_ENTITY;
	r->any = true;
	if (!nd_netdev_name_ok(name) || r->cut)
		return;
	r->on = nd_netdev_entity(r->f, name, r->in);
	r->members++;
	for (size_t i = 0; i < ND_ARRAY_LEN(of_bonds); i++)
		nd_put_absent(r->f, r->on, &facts[of_bonds[i]], r->in);
	if (r->bond != ND_NO_ENTITY)
		nd_relate(r->f, r->on, ND_IFACE_MASTER, r->bond);
}

static void take_line(struct reader *r, char *line)
{
	static const struct {
		const char *name;
		void (*take)(struct reader *r, const char *value);
	} lines[] = {
		{"Bonding Mode", take_mode},	       {"Transmit Hash Policy", take_hash},
		{"Number of ports", take_ports},       {"Aggregator ID", take_aggregator},
		{"MII Status", take_status},	       {"Speed", take_speed},
		{"Link Failure Count", take_failures},
	};
	char *name = nd_trim(line), *value = strchr(name, ':');

	if (!value)
		return;
	*value++ = '\0';
	value = nd_trim(value);
	r->any = r->any || nd_starts(name, "Ethernet Channel Bonding Driver");
	if (strcmp(name, "Slave Interface") == 0)
		begin_member(r, value);
	for (size_t i = 0; usable(r) && *value && i < ND_ARRAY_LEN(lines); i++) {
		if (strcmp(name, lines[i].name) != 0)
			continue;
		lines[i].take(r, value);
		r->any = true;
	}
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	struct reader r = {.in = in, .s = s, .f = f, .bond = ND_NO_ENTITY, .on = ND_NO_ENTITY};
	char *line;

	if (in->arg && nd_netdev_name_ok(in->arg))
		r.bond = r.on = nd_netdev_entity(f, in->arg, in);
	while ((line = nd_stream_line(s))) {
		r.cut = nd_stream_unended(s);
		take_line(&r, line);
	}
	if (!r.any)
		return nd_parse_fail(in, s, e, "'Ethernet Channel Bonding Driver:' and its members",
				     "nothing of it");
	if (r.bond == ND_NO_ENTITY)
		return 0;
	nd_put_text(f, r.bond, &nd_netdev_facts[ND_IF_LINK_KIND], "bond", in);
	if (!r.cut)
		nd_put_num(f, r.bond, &facts[F_MEMBERS], r.members, in);
	return 0;
}

/* Of what is no bond, and in none. */
static void finish(struct nd_facts *f)
{
	nd_fact_id kind = nd_registry_find(nd_facts_registry(f), ND_IFACE,
					   nd_netdev_facts[ND_IF_LINK_KIND].name);
	uint32_t n;
	const nd_id *ids = nd_entities(f, ND_IFACE, &n);

	for (uint32_t i = 0; kind >= 0 && i < n; i++) {
		struct nd_value v = nd_get(f, ids[i], kind, ND_BARE);
		struct nd_links master = nd_related(f, ids[i], ND_IFACE_MASTER, false);
		const struct nd_input in = {.path = nd_get_source(f, ids[i], kind),
					    .netns = "host"};

		if (v.type != ND_V_TEXT || strcmp(v.text, "bond") == 0)
			continue;
		for (size_t k = 0; k < ND_ARRAY_LEN(of_bonds); k++)
			nd_put_absent(f, ids[i], &facts[of_bonds[k]], &in);
		if (master.why != ND_PRESENT || master.n)
			continue;
		nd_put_absent(f, ids[i], &facts[F_AGGREGATOR], &in);
		nd_put_absent(f, ids[i], &facts[F_STATUS], &in);
		nd_put_absent(f, ids[i], &facts[F_FAILURES], &in);
	}
}

static const struct nd_read reads[] = {
	{"/proc/net/bonding/*", 0, "Ethernet Channel Bonding Driver: *"},
	{NULL, 0},
};

const struct nd_collector nd_collector_bond = {
	.name = "bond",
	.doc = "bonds and their members, from /proc/net/bonding",
	.reads = reads,
	.facts = facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
	.finish = finish,
};
