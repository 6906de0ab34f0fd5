/* What a driver's counters mean: every driver names its own, and the rules want one name for one
 * meaning. */
#ifndef ND_NICMAP_H
#define ND_NICMAP_H

#include "engine/core/base.h"

enum nd_nic_meaning {
	ND_NIC_RX_RING_FULL, /* packets that the NIC dropped because no receive buffer was free */
	ND_NIC_RX_NO_BUFFER_HINT, /* times that buffers were short, without loss yet */
	ND_NIC_RX_PORT_DISCARDS, /* packets dropped in the port's own memory or in the card's switch
				  */
	ND_NIC_RX_PHY_ERRORS, /* damaged frames: cable, transceiver, partner */
	ND_NIC_RX_ALLOC_FAILED, /* buffers that the driver could not allocate */
	ND_NIC_RX_DRIVER_DROPS, /* packets that the driver itself dropped */
	ND_NIC_LATE_COLLISIONS, /* of frames sent: only at half duplex, and there the sign of a
				   partner at full duplex */
	ND_NIC_PAUSE_RX,
	ND_NIC_PAUSE_TX,
	ND_NIC_PAUSE_RX_TIME, /* us that the port had to be silent */
	ND_NIC_PAUSE_TX_TIME, /* us that it kept the other end silent */
	ND_NIC_BW_IN_EXCEEDED, /* packets held or dropped by a limit that the cloud has for this
				  instance; the next four as well */
	ND_NIC_BW_OUT_EXCEEDED,
	ND_NIC_PPS_EXCEEDED,
	ND_NIC_CONNTRACK_EXCEEDED,
	ND_NIC_LINKLOCAL_EXCEEDED,
	ND_NIC_TX_STALLS, /* times that a transmit queue was full and stopped, or refused a packet
			   */
	ND_NIC_TX_TIMEOUTS,
	ND_NIC_RESETS, /* times that the driver started the card anew because of a fault */
	ND_NIC_MEANINGS
};

/* One counter of the driver, its name without blanks around it. */
struct nd_nic_counter {
	const char *name;
	uint64_t value;
};

struct nd_nic_map;
/* How the map was found. */
enum nd_nic_how { ND_NIC_BY_DRIVER, ND_NIC_BY_NAMES, ND_NIC_BY_PATTERN };

/* The map of a driver (NULL or unknown: by which counters it has, else by likely patterns). Never
 * NULL. */
const struct nd_nic_map *nd_nic_map(const char *driver, const struct nd_nic_counter *counters,
				    uint32_t n, enum nd_nic_how *how);
const char *nd_nic_map_name(const struct nd_nic_map *map); /* "igb"; "" for the patterns */
/* Why this driver has no such counter by design, as a sentence, or NULL when there is nothing to
 * say. */
const char *nd_nic_map_blind(const struct nd_nic_map *map, enum nd_nic_meaning m);
/* Has the map any name for it, whether or not the counters have it? */
bool nd_nic_map_has(const struct nd_nic_map *map, enum nd_nic_meaning m);

/* Which meaning each of n counters adds to: ND_NIC_MEANINGS for none. Depends on the names only, so
 * that it can be done once and used with later values. Returns the set of meanings found, a bit
 * each. */
uint32_t nd_nic_resolve(const struct nd_nic_map *map, const struct nd_nic_counter *counters,
			uint32_t n, uint8_t *meaning_of);

/* Packets of one queue, under the names that drivers give them: "rx_queue_3_packets". False: another
 * counter. */
bool nd_nic_queue(const char *name, bool *tx, uint32_t *queue);

/* Does name fit? '#' stands for digits, '*' for anything without digits. */
bool nd_nic_match(const char *pattern, const char *name);
#endif
