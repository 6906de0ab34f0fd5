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
	ND_ET_DUPLEX, /* from here on also of what is no device */
	ND_ET_AUTONEG,
	ND_ET_PORT,
	ND_ET_LINK,
	ND_ET_SUPPORTED,
	ND_ET_ADVERTISED,
	ND_ET_PARTNER,
	ND_ET_PAUSE_RX,
	ND_ET_PAUSE_TX,
	ND_ET_RX_CSUM,
	ND_ET_TX_CSUM,
	ND_ET_TSO,
	ND_ET_GRO,
	ND_ET_GRO_HW,
	ND_ET_LRO,
	ND_ET_TUNNEL,
	ND_ET_ADAPTIVE_RX,
	ND_ET_RX_USECS,
	ND_ET_TX_USECS,
	ND_ET_FACTS,
	ND_ET_QUEUE_PACKETS = ND_ET_FACTS /* on a queue, the others on an interface */
};
extern const struct nd_fact_def nd_ethtool_facts[ND_ET_FACTS + 2];

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

/* The three lists of link modes, as "1000baseT/Full" names them: the fastest of each in Mbit/s. */
enum nd_ethtool_list { ND_ET_LIST_SUPPORTED, ND_ET_LIST_ADVERTISED, ND_ET_LIST_PARTNER };
struct nd_ethtool_modes {
	int list; /* of the last line: its next ones go on with it; -1: none */
	bool told[3];
	uint64_t mbit[3]; /* 0: not reported */
};
void nd_ethtool_add_modes(struct nd_ethtool_modes *m, enum nd_ethtool_list list, char *words);
/* A line without a name: more modes. False: nothing went before. */
bool nd_ethtool_more_modes(struct nd_ethtool_modes *m, char *line);
void nd_ethtool_put_modes(struct nd_facts *f, nd_id on, const struct nd_ethtool_modes *m,
			  const struct nd_input *in);

/* One "NAME: VALUE" of plain ethtool, -k, -a and -c; others than are known are left. value may be
 * modified. */
void nd_ethtool_setting(struct nd_facts *f, nd_id on, struct nd_ethtool_modes *m, const char *name,
			char *value, const struct nd_input *in);
void nd_ethtool_feature(struct nd_facts *f, nd_id on, const char *name, const char *value,
			const struct nd_input *in);
void nd_ethtool_pause(struct nd_facts *f, nd_id on, const char *name, const char *value,
		      const struct nd_input *in);
void nd_ethtool_coalesce(struct nd_facts *f, nd_id on, const char *name, const char *value,
			 const struct nd_input *in);

/* The live half (ethtool_live.c). */
int nd_ethtool_ask(int fd, const char *name, void *request); /* SIOCETHTOOL; negative errno */
/* Link, pause, offloads and coalescing (ethtool_link.c); what the driver does not tell is not put. */
void nd_ethtool_read_settings(int fd, const char *name, struct nd_facts *f, nd_id on,
			      struct nd_input *in);
int nd_ethtool_live(struct nd_live *l, struct nd_facts *f, struct nd_err *e);
void nd_ethtool_end(void *state);
#endif
