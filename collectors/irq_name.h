/* What the name of an interrupt says: the interface and the queues that it serves. */
#ifndef ND_IRQ_NAME_H
#define ND_IRQ_NAME_H

#include "engine/core/base.h"

#define ND_IFNAME_MAX 15 /* the kernel's IFNAMSIZ without its NUL */

struct nd_irq_name {
	char iface[ND_IFNAME_MAX + 1]; /* "" when the name does not hold one */
	bool marked; /* a queue's name; else just a word that may be an interface */
	bool usual; /* the interface's name follows a usual scheme: eth0, ens5f1, wlan0, … */
	int64_t rx, tx; /* number of the queue; negative: none */
};

/* True if the name speaks of an interface or of queues. */
bool nd_irq_name_parse(const char *name, struct nd_irq_name *out);
/* Is it a possible interface name of a usual scheme? */
bool nd_iface_name_usual(const char *name);
#endif
