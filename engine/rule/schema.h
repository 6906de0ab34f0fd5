/* The JSON Schema of rule files, for editors that complete and check YAML while it is typed. */
#ifndef ND_SCHEMA_H
#define ND_SCHEMA_H

#include "engine/core/fact.h"

void nd_rule_schema(const struct nd_registry *r, struct nd_buf *out);
#endif
