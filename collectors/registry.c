/* The list of collectors, from collectors.def; nothing else. */
#include "collectors/collector.h"

#define ND_COLLECTOR(name) extern const struct nd_collector nd_collector_##name;
#include "collectors/collectors.def"
#undef ND_COLLECTOR

#define ND_COLLECTOR(name) &nd_collector_##name,
const struct nd_collector *const nd_collectors[] = {
#include "collectors/collectors.def"
};
#undef ND_COLLECTOR
const uint32_t nd_collectors_n = ND_ARRAY_LEN(nd_collectors);

void nd_collectors_register(struct nd_registry *r)
{
	for (uint32_t i = 0; i < nd_collectors_n; i++) {
		if (nd_collectors[i]->facts)
			nd_registry_add_from(r, nd_collectors[i]->facts, nd_collectors[i]->collect);
		if (nd_collectors[i]->table)
			nd_registry_add_table(r, nd_collectors[i]->table);
	}
}
