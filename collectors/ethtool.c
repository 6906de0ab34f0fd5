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
#define NAMELESS "unnamed0" /* as a pasted text without a name is called */

/* ---- text ---- */

enum section { STATS, RINGS, CHANNELS, INFO, SETTINGS, FEATURES, PAUSE, COALESCE, OTHER };

struct reader {
	const struct nd_input *in;
	struct nd_stream *s;
	struct nd_facts *f;
	nd_id on; /* ND_NO_ENTITY: no interface is known yet */
	enum section section;
	bool maxima; /* of rings and channels: the part above the current settings */
	bool any; /* something was understood */
	bool named; /* some heading spoke of an interface */

	struct nd_arena names;
	struct nd_nic_counter *counters;
	uint32_t n, cap;
	char heading[NAME_BYTES]; /* "queue[0]:" without a value, in front of deeper lines */
	size_t indent; /* of the heading */

	struct nd_ethtool_channels channels;
	uint32_t channel_lines;
	struct nd_ethtool_modes modes; /* of the settings, that go on over several lines */
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
	{"Coalesce parameters for ", COALESCE, true},
	{"Features for ", FEATURES, true},
	{"Offload parameters for ", FEATURES, true}, /* before 3.0 */
	{"Pause parameters for ", PAUSE, true},
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
	struct nd_ethtool_set set = {
		.driver = driver_of(r->f, r->on), .counters = r->counters, .n = r->n, .text = true};

	set.meaning_of = nd_alloc(r->n);
	nd_ethtool_resolve(&set);
	nd_ethtool_put(r->f, r->on, &set, r->in);
	free(set.meaning_of);
}

/* Whose text it is, if neither it nor the file's name tells: the only interface that others know of
 * beside loopback, else one of its own. */
static nd_id nameless(struct nd_facts *f, const struct nd_input *in)
{
	nd_id only = ND_NO_ENTITY;
	uint32_t n, found = 0;
	const nd_id *ids = nd_entities(f, ND_IFACE, &n);

	for (uint32_t i = 0; i < n; i++) {
		if (strcmp(nd_entity_key(f, ids[i]), "lo") == 0)
			continue;
		only = ids[i];
		found++;
	}
	return found == 1 ? only : nd_netdev_entity(f, NAMELESS, in);
}

/* Puts what was gathered about an interface before another begins. */
static void flush(struct reader *r)
{
	if (r->n && r->on == ND_NO_ENTITY)
		r->on = nameless(r->f, r->in);
	if (r->n)
		flush_stats(r);
	if (r->channel_lines && r->on != ND_NO_ENTITY)
		nd_ethtool_put_channels(r->f, r->on, &r->channels, r->in);
	if (r->on != ND_NO_ENTITY)
		nd_ethtool_put_modes(r->f, r->on, &r->modes, r->in);
	r->modes = (struct nd_ethtool_modes){.list = -1};
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
		r->named = r->named || headings[i].named;
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

static void take_info(struct reader *r, const char *name, const char *value)
{
	if (strcmp(name, "driver") != 0 || !*value)
		return;
	nd_put_text(r->f, r->on, &nd_netdev_facts[ND_IF_DRIVER], value, r->in);
	r->any = true;
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
	if (!value || cut)
		return;
	if (r->on == ND_NO_ENTITY && (r->section != STATS || r->named))
		return;
	if (r->on != ND_NO_ENTITY && take_refusal(r, name))
		return;
	*value++ = '\0';
	value = nd_trim(value);
	name = nd_trim(name);
	r->any = r->any || (r->section >= SETTINGS && r->section <= COALESCE);
	switch (r->section) {
	case STATS: take_counter(r, name, indent, value); break;
	case RINGS: take_ring(r, name, value); break;
	case CHANNELS: take_channel(r, name, value); break;
	case INFO: take_info(r, name, value); break;
	case SETTINGS: nd_ethtool_setting(r->f, r->on, &r->modes, name, value, r->in); break;
	case FEATURES: nd_ethtool_feature(r->f, r->on, name, value, r->in); break;
	case PAUSE: nd_ethtool_pause(r->f, r->on, name, value, r->in); break;
	case COALESCE: nd_ethtool_coalesce(r->f, r->on, name, value, r->in); break;
	case OTHER: break;
	}
}

/* "ethtool-S.txt": the S is no interface. */
static bool is_option(const char *arg)
{
	return arg[0] && !arg[1] && strchr("SgliackmxnT", arg[0]);
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	struct reader r = {.in = in,
			   .s = s,
			   .f = f,
			   .on = ND_NO_ENTITY,
			   .section = STATS,
			   .modes = {.list = -1}};
	char *line;
	int rc = 0;

	if (in->arg && nd_netdev_name_ok(in->arg) && !is_option(in->arg))
		r.on = nd_netdev_entity(f, in->arg, in);
	while ((line = nd_stream_line(s))) {
		if (take_heading(&r, line)) {
			r.any = r.any || r.section == OTHER;
			continue;
		}
		if (r.on != ND_NO_ENTITY && !strchr(line, ':'))
			(void)(take_refusal(&r, nd_trim(line)) ||
			       nd_ethtool_more_modes(&r.modes, line));
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
		for (unsigned k = 0; k < ND_ET_DUPLEX; k++)
			nd_put_absent(f, ids[i], &nd_ethtool_facts[k], &in);
	}
}

static const struct nd_read reads[] = {
	{"ethtool -i *", 0, /* before -S: whose counters they are */
	 "driver: *\nversion:*\nfirmware-version:*\n\ndriver: *\nbus-info:*\n\n"
	 "driver: *\nversion:*"},
	{"ethtool -k *", 0, "Features for *:\n\nOffload parameters for *:"},
	{"ethtool -a *", 0, "Pause parameters for *:"},
	{"ethtool -c *", 0, "Coalesce parameters for *:"},
	{"ethtool -S *", 0,
	 "NIC statistics:\n\nrx_[a-z_0-9]*: [0-9]*\ntx_[a-z_0-9]*: [0-9]*\n\nrx_[a-z_0-9]*errors: [0-9]*"
	 "\n\nbw_[a-z]*_allowance_exceeded: [0-9]*\n\npps_allowance_exceeded: [0-9]*"
	 "\n\nlinklocal_allowance_exceeded: [0-9]*\n\nrx_[a-z_]*_phy: [0-9]*"
	 "\n\nport.rx_[a-z_]*: [0-9]*\n\nqueue_[0-9]*_rx_[a-z_]*: [0-9]*"},
	{"ethtool -g *", 0, "Ring parameters for *"},
	{"ethtool -l *", 0, "Channel parameters for *"},
	{"ethtool *", 0, "Settings for *:"},
	{NULL, 0},
};

const struct nd_collector nd_collector_ethtool = {
	.name = "ethtool",
	.doc = "drivers' own counters of network cards, ring sizes and channels",
	.collect = "ethtool -S IFACE; ethtool -g IFACE",
	.reads = reads,
	.facts = nd_ethtool_facts,
	.entities = {ND_IFACE, ND_NO_KIND},
	.parse = parse,
	.live = nd_ethtool_live,
	.finish = finish,
	.end = nd_ethtool_end,
};
