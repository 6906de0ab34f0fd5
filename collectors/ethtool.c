/* Counters, rings and channels as the driver gives them, from recorded text of ethtool; and what
 * they mean.
 *
 * A file is known by its content, its interface by the heading inside ("Ring parameters for eth0:")
 * or, where ethtool prints none, by the file's name. `ethtool -i` is read first, because the driver
 * decides what its counters mean. Only names are known to be stable, their order and number are
 * not. */
#include "collectors/ethtool.h"

#include "collectors/netdev.h"

#include <errno.h>

#define COUNTERS_MAX 65536
#define NAME_BYTES 128

#define HW(meaning, n, text)                                                                       \
	[ND_ET_HW + meaning] = {.name = "hw." n,                                                   \
				.on = ND_IFACE,                                                    \
				.type = ND_T_NUMBER,                                               \
				.unit = ND_U_COUNT,                                                \
				.width = ND_COUNTER64,                                             \
				.doc = text,                                                       \
				.reproduce = "ethtool -S {key}"}
#define SIZE(fact, n, option, text)                                                                \
	[fact] = {.name = n,                                                                       \
		  .on = ND_IFACE,                                                                  \
		  .type = ND_T_NUMBER,                                                             \
		  .unit = ND_U_COUNT,                                                              \
		  .doc = text,                                                                     \
		  .reproduce = "ethtool " option " {key}"}

const struct nd_fact_def nd_ethtool_facts[ND_ET_FACTS + 1] = {
	HW(ND_NIC_RX_RING_FULL, "rx_ring_full",
	   "packets that the NIC dropped because no receive buffer was free (ena: times that it "
	   "found none)"),
	HW(ND_NIC_RX_NO_BUFFER_HINT, "rx_no_buffer_hint",
	   "times that receive buffers ran short, not yet a loss"),
	HW(ND_NIC_RX_PORT_DISCARDS, "rx_port_discards",
	   "packets dropped in the port's own memory: the host's bus or the whole card was too "
	   "slow"),
	HW(ND_NIC_RX_PHY_ERRORS, "rx_phy_errors",
	   "damaged frames: cable, transceiver or the other end"),
	HW(ND_NIC_RX_ALLOC_FAILED, "rx_alloc_failed",
	   "receive buffers that could not be allocated"),
	HW(ND_NIC_RX_DRIVER_DROPS, "rx_driver_drops", "packets that the driver itself dropped"),
	HW(ND_NIC_PAUSE_RX, "pause_rx", "pause frames received: the other end asked us to wait"),
	HW(ND_NIC_PAUSE_TX, "pause_tx", "pause frames sent: we could not take more"),
	HW(ND_NIC_ALLOWANCE_EXCEEDED, "allowance_exceeded",
	   "packets queued or dropped by the cloud's limits for this instance"),
	HW(ND_NIC_TX_STALLS, "tx_stalls", "times that a transmit queue was full and had to stop"),
	HW(ND_NIC_TX_TIMEOUTS, "tx_timeouts", "times that a transmit queue hung and was reset"),
	[ND_ET_MAP] = {.name = "hw.map",
		       .on = ND_IFACE,
		       .type = ND_T_TEXT,
		       .doc = "how the driver's counters were understood: by driver, by counter "
			      "names, by pattern",
		       .reproduce = "ethtool -i {key}"},
	SIZE(ND_ET_RING_RX, "ring.rx", "-g", "receive descriptors of each queue"),
	SIZE(ND_ET_RING_RX_MAX, "ring.rx.max", "-g",
	     "most receive descriptors that the driver allows"),
	SIZE(ND_ET_RING_TX, "ring.tx", "-g", "transmit descriptors of each queue"),
	SIZE(ND_ET_RING_TX_MAX, "ring.tx.max", "-g",
	     "most transmit descriptors that the driver allows"),
	SIZE(ND_ET_CHANNELS, "channels", "-l", "receive queues in use"),
	SIZE(ND_ET_CHANNELS_MAX, "channels.max", "-l",
	     "most receive queues that the driver allows"),
	{0},
};

/* ---- shared ---- */

void nd_ethtool_resolve(struct nd_ethtool_set *set)
{
	set->map = nd_nic_map(set->driver, set->counters, set->n, &set->how);
	set->found = nd_nic_resolve(set->map, set->counters, set->n, set->meaning_of);
}

static void put_map(struct nd_facts *f, nd_id on, const struct nd_ethtool_set *set,
		    const struct nd_input *in)
{
	static const char *const how[] = {"driver", "counter names", "pattern"};
	const char *name = set->how == ND_NIC_BY_NAMES ? nd_nic_map_name(set->map) : set->driver;
	char text[96];

	snprintf(text, sizeof(text), "%.64s (by %s)", name ? name : "unknown driver",
		 how[set->how]);
	nd_put_text(f, on, &nd_ethtool_facts[ND_ET_MAP], text, in);
}

static void put_none(struct nd_facts *f, nd_id on, const struct nd_ethtool_set *set,
		     enum nd_nic_meaning m, const struct nd_input *in)
{
	const struct nd_fact_def *fact = &nd_ethtool_facts[ND_ET_HW + m];
	const char *name = set->driver ? set->driver : nd_nic_map_name(set->map);
	const char *blind = nd_nic_map_blind(set->map, m);

	if (blind)
		nd_put_missing(f, on, fact, ND_NOT_ON_THIS_KERNEL, "%s", blind);
	else if (set->how != ND_NIC_BY_PATTERN && nd_nic_map_has(set->map, m) && set->text)
		nd_put_missing(f, on, fact, ND_TOOL_OUTPUT_ABSENT,
			       "%s shows none of the counters that %s has for it", in->path, name);
	else
		nd_put_missing(f, on, fact, ND_NOT_ON_THIS_KERNEL,
			       "driver %s has no counter known to mean %s",
			       *name ? name : "(unknown)", fact->name);
}

void nd_ethtool_put(struct nd_facts *f, nd_id on, const struct nd_ethtool_set *set,
		    const struct nd_input *in)
{
	uint64_t sums[ND_NIC_MEANINGS + 1] = {0};

	for (uint32_t i = 0; i < set->n; i++)
		sums[set->meaning_of[i]] += set->counters[i].value;
	for (unsigned m = 0; m < ND_NIC_MEANINGS; m++) {
		if (set->found >> m & 1)
			nd_put_reading(f, on, &nd_ethtool_facts[ND_ET_HW + m], sums[m], in);
		else
			put_none(f, on, set, (enum nd_nic_meaning)m, in);
	}
	put_map(f, on, set, in);
}

void nd_ethtool_none(struct nd_facts *f, nd_id on, enum nd_missing why, const char *detail)
{
	for (unsigned m = 0; m <= ND_ET_MAP; m++)
		nd_put_missing(f, on, &nd_ethtool_facts[m], why, "%s", detail);
}

void nd_ethtool_put_size(struct nd_facts *f, nd_id on, enum nd_ethtool_fact fact, uint64_t v,
			 const struct nd_input *in)
{
	if (v)
		nd_put_num(f, on, &nd_ethtool_facts[fact], (double)v, in);
	else
		nd_put_missing(f, on, &nd_ethtool_facts[fact], ND_NOT_ON_THIS_KERNEL,
			       "the driver does not tell it");
}

void nd_ethtool_put_channels(struct nd_facts *f, nd_id on, const struct nd_ethtool_channels *c,
			     const struct nd_input *in)
{
	/* Drivers that can do both have either the one kind or the other in use: the maxima do not
	 * add up. */
	nd_ethtool_put_size(f, on, ND_ET_CHANNELS, c->combined + c->rx, in);
	nd_ethtool_put_size(f, on, ND_ET_CHANNELS_MAX,
			    c->combined || !c->rx ? c->combined_max : c->rx_max, in);
}

/* ---- text ---- */

enum section { STATS, RINGS, CHANNELS, INFO, SETTINGS, OTHER };

struct reader {
	const struct nd_input *in;
	struct nd_stream *s;
	struct nd_facts *f;
	nd_id on; /* ND_NO_ENTITY: no interface is known yet */
	enum section section;
	bool maxima; /* of rings and channels: the part above the current settings */
	bool any; /* something was understood */

	struct nd_arena names;
	struct nd_nic_counter *counters;
	uint32_t n, cap;
	char heading[NAME_BYTES]; /* "queue[0]:" without a value, in front of deeper lines */
	size_t indent; /* of the heading */

	struct nd_ethtool_channels channels;
	uint32_t channel_lines;
};

static const struct {
	const char *begins;
	enum section section;
	bool named; /* the interface follows */
} headings[] = {
	{"NIC statistics:", STATS, false},
	{"Ring parameters for ", RINGS, true},
	{"Channel parameters for ", CHANNELS, true},
	{"Settings for ", SETTINGS, true},
	{"driver:", INFO, false},
	{"Coalesce parameters for ", OTHER, true},
	{"Features for ", OTHER, true},
	{"Pause parameters for ", OTHER, true},
	{"Standard stats for ", OTHER, true},
};

static const char *driver_of(const struct nd_facts *f, nd_id on)
{
	nd_fact_id id = nd_registry_find(nd_facts_registry(f), ND_IFACE,
					 nd_netdev_facts[ND_IF_DRIVER].name);
	struct nd_value v = nd_get(f, on, id, ND_BARE);

	return v.type == ND_V_TEXT ? v.text : NULL;
}

static void flush_stats(struct reader *r)
{
	static const struct {
		const char *name;
		enum nd_netdev_fact fact;
	} plain[] = {{"rx_packets", ND_IF_RX_PACKETS}, {"tx_packets", ND_IF_TX_PACKETS}};
	struct nd_ethtool_set set = {
		.driver = driver_of(r->f, r->on), .counters = r->counters, .n = r->n, .text = true};

	set.meaning_of = nd_alloc(r->n);
	nd_ethtool_resolve(&set);
	nd_ethtool_put(r->f, r->on, &set, r->in);
	free(set.meaning_of);
	for (uint32_t i = 0; i < r->n; i++)
		for (size_t k = 0; k < ND_ARRAY_LEN(plain); k++)
			if (strcmp(r->counters[i].name, plain[k].name) == 0)
				nd_put_reading(r->f, r->on, &nd_netdev_facts[plain[k].fact],
					       r->counters[i].value, r->in);
}

/* Puts what was gathered about an interface before another begins. */
static void flush(struct reader *r)
{
	if (r->n && r->on != ND_NO_ENTITY)
		flush_stats(r);
	if (r->channel_lines && r->on != ND_NO_ENTITY)
		nd_ethtool_put_channels(r->f, r->on, &r->channels, r->in);
	r->n = 0;
	r->heading[0] = '\0';
	r->channel_lines = 0;
	r->channels = (struct nd_ethtool_channels){0};
}

/* True when the line begins a section; a name in it outweighs that of the file. */
static bool take_heading(struct reader *r, char *line)
{
	for (size_t i = 0; i < ND_ARRAY_LEN(headings); i++) {
		char *name = line + strlen(headings[i].begins);

		if (!nd_starts(line, headings[i].begins))
			continue;
		flush(r);
		r->section = headings[i].section;
		r->maxima = false;
		if (!headings[i].named)
			return r->section != INFO; /* its first line is a value */
		name[strcspn(name, ": \t")] = '\0';
		r->on = nd_netdev_name_ok(name) ? nd_netdev_entity(r->f, name, r->in)
						: ND_NO_ENTITY;
		return true;
	}
	return false;
}

/* ethtool's own complaints, when they went into the same file. */
static bool take_refusal(struct reader *r, const char *line)
{
	static const struct {
		const char *holds;
		enum nd_ethtool_fact from, to;
	} refusals[] = {
		{"no stats available", ND_ET_HW, ND_ET_MAP},
		{"Cannot get device ring settings", ND_ET_RING_RX, ND_ET_RING_TX_MAX},
		{"Cannot get device channel parameters", ND_ET_CHANNELS, ND_ET_CHANNELS_MAX},
	};

	for (size_t i = 0; i < ND_ARRAY_LEN(refusals); i++) {
		if (!strstr(line, refusals[i].holds))
			continue;
		for (int k = (int)refusals[i].from; k <= (int)refusals[i].to; k++)
			nd_put_missing(r->f, r->on, &nd_ethtool_facts[k], ND_NOT_ON_THIS_KERNEL,
				       "ethtool says: %.100s", line);
		r->any = true;
		return true;
	}
	return false;
}

static void take_counter(struct reader *r, const char *name, size_t indent, const char *value)
{
	uint64_t v;

	if (!*value && indent < NAME_BYTES) {
		snprintf(r->heading, sizeof(r->heading), "%.*s", NAME_BYTES - 2, name);
		r->indent = indent;
		return;
	}
	if (r->heading[0] && indent <= r->indent)
		r->heading[0] = '\0';
	if (!nd_parse_u64(value, 10, &v) || r->n == COUNTERS_MAX || strlen(name) >= NAME_BYTES)
		return; /* some drivers print words, or signed levels */
	ND_GROW(r->counters, r->n, r->cap);
	r->counters[r->n].name = r->heading[0]
					 ? nd_arena_printf(&r->names, "%s %s", r->heading, name)
					 : nd_arena_strdup(&r->names, name);
	r->counters[r->n++].value = v;
	r->any = true;
}

static void take_ring(struct reader *r, const char *name, const char *value)
{
	static const enum nd_ethtool_fact facts[2][2] = {{ND_ET_RING_RX, ND_ET_RING_RX_MAX},
							 {ND_ET_RING_TX, ND_ET_RING_TX_MAX}};
	const bool tx = strcmp(name, "TX") == 0;
	uint64_t v = 0;

	if ((!tx && strcmp(name, "RX") != 0) ||
	    (strcmp(value, "n/a") != 0 && !nd_parse_u64(value, 10, &v)))
		return;
	nd_ethtool_put_size(r->f, r->on, facts[tx][r->maxima], v, r->in);
	r->any = true;
}

static void take_channel(struct reader *r, const char *name, const char *value)
{
	const bool combined = strcmp(name, "Combined") == 0;
	struct nd_ethtool_channels *c = &r->channels;
	uint64_t *now = combined ? &c->combined : &c->rx;
	uint64_t *most = combined ? &c->combined_max : &c->rx_max;
	uint64_t v = 0;

	if ((!combined && strcmp(name, "RX") != 0) ||
	    (strcmp(value, "n/a") != 0 && !nd_parse_u64(value, 10, &v)))
		return;
	*(r->maxima ? most : now) = v;
	r->channel_lines += !r->maxima && combined; /* the last line: the section is whole */
	r->any = true;
}

static void take_setting(struct reader *r, const char *name, char *value)
{
	if (r->section == INFO && strcmp(name, "driver") == 0 && *value) {
		nd_put_text(r->f, r->on, &nd_netdev_facts[ND_IF_DRIVER], value, r->in);
		r->any = true;
	} else if (r->section == SETTINGS && strcmp(name, "Speed") == 0) {
		size_t digits = strspn(value, "0123456789");

		if (digits == 0 || strcmp(value + digits, "Mb/s") == 0) {
			value[digits] = '\0'; /* "Unknown!" becomes empty */
			nd_netdev_put_speed(r->f, r->on, value, r->in);
			r->any = true;
		}
	} else if (r->section == SETTINGS) {
		r->any = true;
	}
}

static void take_line(struct reader *r, char *line)
{
	size_t indent = strspn(line, " \t");
	bool cut = nd_stream_unended(r->s);
	char *name = nd_trim(line), *value;

	if (nd_starts(name, "Pre-set maximums") || nd_starts(name, "Current hardware settings")) {
		r->maxima = *name == 'P';
		return;
	}
	value = strrchr(name, ':');
	if (!value || r->on == ND_NO_ENTITY || take_refusal(r, name) || cut)
		return;
	*value++ = '\0';
	value = nd_trim(value);
	name = nd_trim(name);
	switch (r->section) {
	case STATS: take_counter(r, name, indent, value); break;
	case RINGS: take_ring(r, name, value); break;
	case CHANNELS: take_channel(r, name, value); break;
	case INFO:
	case SETTINGS: take_setting(r, name, value); break;
	case OTHER: break;
	}
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	struct reader r = {.in = in, .s = s, .f = f, .on = ND_NO_ENTITY, .section = STATS};
	char *line;
	int rc = 0;

	if (in->arg && nd_netdev_name_ok(in->arg))
		r.on = nd_netdev_entity(f, in->arg, in);
	while ((line = nd_stream_line(s))) {
		if (take_heading(&r, line)) {
			r.any = r.any || r.section == OTHER;
			continue;
		}
		if (r.on != ND_NO_ENTITY && !strchr(line, ':'))
			(void)take_refusal(&r, nd_trim(line));
		else
			take_line(&r, line);
	}
	flush(&r);
	if (!r.any)
		rc = nd_parse_fail(in, s, e,
				   "output of ethtool -S, -g, -l, -i or ethtool, and an interface "
				   "in the file's name",
				   "nothing of it");
	free(r.counters);
	nd_arena_free(&r.names);
	return rc;
}

/* ---- both ---- */

/* What is not a device has neither rings nor counters of hardware: known, not missing. */
static void finish(struct nd_facts *f)
{
	nd_fact_id kind = nd_registry_find(nd_facts_registry(f), ND_IFACE,
					   nd_netdev_facts[ND_IF_LINK_KIND].name);
	uint32_t n;
	const nd_id *ids = nd_entities(f, ND_IFACE, &n);

	for (uint32_t i = 0; kind >= 0 && i < n; i++) {
		struct nd_value v = nd_get(f, ids[i], kind, ND_BARE);
		const struct nd_input in = {.path = nd_get_source(f, ids[i], kind),
					    .netns = "host"};

		if (v.type != ND_V_TEXT || strcmp(v.text, "physical") == 0)
			continue;
		for (unsigned k = 0; k < ND_ET_FACTS; k++)
			nd_put_absent(f, ids[i], &nd_ethtool_facts[k], &in);
	}
}

static const struct nd_read reads[] = {
	{"ethtool -i *", 0, /* before -S: whose counters they are */
	 "driver: *\nversion:*\nfirmware-version:*\n\ndriver: *\nbus-info:*\n\n"
	 "driver: *\nversion:*"},
	{"ethtool -S *", 0,
	 "NIC statistics:\n\nrx_[a-z_0-9]*: [0-9]*\ntx_[a-z_0-9]*: [0-9]*\n\nrx_[a-z_0-9]*errors: [0-9]*"},
	{"ethtool -g *", 0, "Ring parameters for *"},
	{"ethtool -l *", 0, "Channel parameters for *"},
	{"ethtool *", 0, "Settings for *:"},
	{NULL, 0},
};

const struct nd_collector nd_collector_ethtool = {
	.name = "ethtool",
	.doc = "drivers' own counters of network cards, ring sizes and channels",
	.reads = reads,
	.facts = nd_ethtool_facts,
	.entities = {ND_IFACE, ND_NO_KIND},
	.parse = parse,
	.live = nd_ethtool_live,
	.finish = finish,
	.end = nd_ethtool_end,
};
