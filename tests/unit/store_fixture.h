/* A store with a few facts of every shape on one CPU. */
#ifndef ND_STORE_FIXTURE_H
#define ND_STORE_FIXTURE_H

#include "engine/core/fact.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { C64, C32, USEC, GAUGE, SAMPLED, PERCENT, TEXT, YES, HIST, SHOWN, PLAIN, FACTS };
static const struct nd_fact_def defs[FACTS + 1] = {
	[C64] = {.name = "c64", .on = ND_CPU, .unit = ND_U_COUNT, .width = ND_COUNTER64},
	[C32] = {.name = "c32", .on = ND_CPU, .unit = ND_U_COUNT, .width = ND_COUNTER32},
	[USEC] = {.name = "usec",
		  .on = ND_CPU,
		  .unit = ND_U_SECONDS,
		  .width = ND_COUNTER64,
		  .kernel_unit = 1e-6},
	[GAUGE] = {.name = "gauge", .on = ND_CPU, .unit = ND_U_COUNT, .width = ND_GAUGE},
	[SAMPLED] = {.name = "sampled", .on = ND_CPU, .unit = ND_U_COUNT, .width = ND_SAMPLED},
	[PERCENT] = {.name = "percent", .on = ND_CPU, .unit = ND_U_PERCENT, .width = ND_SAMPLED},
	[TEXT] = {.name = "text", .on = ND_CPU, .type = ND_T_TEXT},
	[YES] = {.name = "yes", .on = ND_CPU, .type = ND_T_BOOL},
	[HIST] = {.name = "hist", .on = ND_CPU, .type = ND_T_HIST, .unit = ND_U_SECONDS},
	[SHOWN] = {.name = "shown",
		   .on = ND_IFACE,
		   .unit = ND_U_COUNT,
		   .width = ND_GAUGE,
		   .reproduce = "cat /sys/{key}/a /sys/{key}/b"},
	[PLAIN] = {.name = "plain", .on = ND_IFACE, .unit = ND_U_COUNT, .width = ND_GAUGE},
};

struct store {
	struct nd_registry *r;
	struct nd_facts *f;
	nd_id cpu;
	char text[160];
};

static inline struct store open_store(void)
{
	struct store s = {.r = nd_registry_new()};

	nd_registry_add(s.r, defs);
	s.f = nd_facts_new(s.r);
	s.cpu = nd_entity_num(s.f, ND_CPU, 0);
	return s;
}

static inline void close_store(struct store *s)
{
	nd_facts_free(s->f);
	nd_registry_free(s->r);
}

static inline struct nd_input at(double seconds, const char *path)
{
	return (struct nd_input){.path = path, .t_ns = (uint64_t)(seconds * 1e9), .netns = "host"};
}

/* "21 window", "yes state", "absent", "unknown: counter-reset". */
static inline const char *show(struct store *s, nd_id on, int fact, enum nd_accessor a)
{
	struct nd_value v = nd_get(s->f, on, (nd_fact_id)fact, a);

	switch (v.type) {
	case ND_V_MISSING:
		snprintf(s->text, sizeof(s->text), "unknown: %s", nd_missing_name(v.why));
		break;
	case ND_V_ABSENT: snprintf(s->text, sizeof(s->text), "absent"); break;
	case ND_V_NUMBER:
		snprintf(s->text, sizeof(s->text), "%.10g %s", v.num, nd_basis_name(v.basis));
		break;
	case ND_V_BOOL: snprintf(s->text, sizeof(s->text), v.yes ? "yes" : "no"); break;
	case ND_V_TEXT: snprintf(s->text, sizeof(s->text), "%s", v.text); break;
	case ND_V_HIST:
		snprintf(s->text, sizeof(s->text), "%g samples", nd_hist_count(v.hist));
		break;
	}
	return s->text;
}
#endif
