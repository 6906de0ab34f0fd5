/* What the two ways to a driver's numbers share: the ioctls of a live host and recorded text of
 * ethtool. */
#ifndef ND_ETHTOOL_H
#define ND_ETHTOOL_H

#include "collectors/collector.h"
#include "collectors/nicmap.h"

enum nd_ethtool_fact {
	ND_ET_HW, /* the first of ND_NIC_MEANINGS counters, in that order */
	ND_ET_MAP = ND_NIC_MEANINGS,
	ND_ET_RING_RX,
	ND_ET_RING_RX_MAX,
	ND_ET_RING_TX,
	ND_ET_RING_TX_MAX,
	ND_ET_CHANNELS,
	ND_ET_CHANNELS_MAX,
	ND_ET_FACTS
};
extern const struct nd_fact_def nd_ethtool_facts[ND_ET_FACTS + 1];

/* A driver's counters, and what they were found to mean. */
struct nd_ethtool_set {
	const char *driver; /* NULL: unknown */
	const struct nd_nic_map *map;
	enum nd_nic_how how;
	struct nd_nic_counter *counters;
	uint8_t *meaning_of; /* of each counter */
	uint32_t n, found; /* found: a bit for each meaning */
	bool text; /* a recording, that may hold less than the driver gave */
};
/* Chooses the map and resolves; counters, n, driver and meaning_of (n bytes) are filled. */
void nd_ethtool_resolve(struct nd_ethtool_set *set);
/* Puts the sum of each meaning, or why it is missing. */
void nd_ethtool_put(struct nd_facts *f, nd_id on, const struct nd_ethtool_set *set,
		    const struct nd_input *in);
/* All hw.* facts of an interface are missing. */
void nd_ethtool_none(struct nd_facts *f, nd_id on, enum nd_missing why, const char *detail);
/* A size of a ring; 0 when the driver has none to tell. */
void nd_ethtool_put_size(struct nd_facts *f, nd_id on, enum nd_ethtool_fact fact, uint64_t v,
			 const struct nd_input *in);
/* Receive channels: those that also send, and those that only receive. */
struct nd_ethtool_channels {
	uint64_t rx, combined, rx_max, combined_max;
};
void nd_ethtool_put_channels(struct nd_facts *f, nd_id on, const struct nd_ethtool_channels *c,
			     const struct nd_input *in);

/* The live half (ethtool_live.c). */
int nd_ethtool_live(struct nd_live *l, struct nd_facts *f, struct nd_err *e);
void nd_ethtool_end(void *state);
#endif
