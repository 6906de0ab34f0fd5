/* Facts of interrupts, for whoever joins over them. */
#ifndef ND_IRQ_H
#define ND_IRQ_H

#include "engine/core/fact.h"

enum { ND_I_HANDLED, ND_I_NAME, ND_I_BY_CPU, ND_I_AFFINITY, ND_I_MANAGED };
extern const struct nd_fact_def nd_irq_facts[];
#endif
