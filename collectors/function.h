/* Kernel functions as entities: one name however a tool spells the symbol. */
#ifndef ND_FUNCTION_H
#define ND_FUNCTION_H

#include "engine/core/fact.h"

#define ND_SYMBOL_MAX 128

/* The function's own name, without what compilers and tools add: "foo.isra.22", "foo.part.0", "foo+0x4f0", "b'foo'",
 * "[k] foo", "nf_conntrack:foo". False if nothing is left that could be one. */
bool nd_symbol_clean(const char *text, char *out, size_t size);
/* The entity of a cleaned name. */
nd_id nd_function_entity(struct nd_facts *f, const char *symbol);
#endif
