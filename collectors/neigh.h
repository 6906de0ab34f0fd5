/* Neighbour tables as `neigh` entities: one for ARP and one for IPv6, each shared by all network
 * namespaces of the host. Shared by the live reader and the texts. */
#ifndef ND_NEIGH_FACTS_H
#define ND_NEIGH_FACTS_H

#include "collectors/collector.h"

enum nd_neigh_fact {
	ND_NF_FAMILY,
	ND_NF_SYSCTL_ROOT,
	ND_NF_ENTRIES,
	ND_NF_LISTED,
	ND_NF_PERMANENT,
	ND_NF_FAILED,
	ND_NF_THRESH1,
	ND_NF_THRESH2,
	ND_NF_THRESH3,
	ND_NF_TABLE_FULLS,
	ND_NF_FORCED_GCS,
	ND_NF_RES_FAILED,
	ND_NF_DISCARDS,
	ND_NEIGH_FACTS
};
extern const struct nd_fact_def nd_neigh_facts[]; /* by nd_neigh_fact; ends with name NULL */

/* The table's entity, with its family: "arp_cache" or "ndisc_cache". */
nd_id nd_neigh_table(struct nd_facts *f, bool six, const struct nd_input *in);

/* What one namespace's listing shows; those that do not count against the limit apart. */
struct nd_neigh_count {
	uint32_t listed, permanent, failed;
};
void nd_neigh_put_count(struct nd_facts *f, bool six, const struct nd_neigh_count *c,
			const struct nd_input *in);

/* Collectors' finish: limits from sysctls, and tables that only the kernel's log speaks of. */
void nd_neigh_finish(struct nd_facts *f);
#endif
