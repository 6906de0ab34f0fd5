/* Facts of processes that more than one part puts: sockets name owners, probes measure them. */
#ifndef ND_PROCESS_H
#define ND_PROCESS_H

#include "engine/core/fact.h"

enum { ND_P_COMM, ND_P_WALL };
/* Index it with the names above; the rows behind them are facts that only probes give. */
extern const struct nd_fact_def nd_process_facts[];
#endif
