/* For tests of both collectors of queueing disciplines: asking what they put on one. */
#ifndef ND_TEST_QDISC_WORLD_H
#define ND_TEST_QDISC_WORLD_H

#include "tests/unit/parse_text.h"

#include "collectors/qdisc.h"

extern const struct nd_collector nd_collector_qdisc, nd_collector_qdisc_tool;
static const struct nd_collector *const tool = &nd_collector_qdisc_tool;
static const struct nd_collector *const both[] = {&nd_collector_qdisc, &nd_collector_qdisc_tool,
						  NULL};

static inline void assert_q(const struct world *w, const char *key, const char *fact, double want)
{
	nd_fact_id id = nd_registry_find(w->registry, ND_QDISC, fact);
	bool gauge = nd_registry_def(w->registry, id)->width == ND_SAMPLED;

	assert_number(w, ND_QDISC, key, fact, gauge ? ND_BARE : ND_TOTAL, want);
}

static inline enum nd_vtype type_of(const struct world *w, const char *key, const char *fact)
{
	return value(w, ND_QDISC, key, fact, ND_BARE).type;
}

static inline void assert_unknown(const struct world *w, const char *key, const char *fact,
				  enum nd_missing why)
{
	assert_missing(w, ND_QDISC, key, fact, ND_BARE, why);
}

static inline const char *iface_of(const struct world *w, const char *key)
{
	struct nd_links l = nd_related(w->facts, nd_entity_find(w->facts, ND_QDISC, key),
				       ND_QDISC_IFACE, false);

	assert_int_equal(l.n, 1);
	return nd_entity_key(w->facts, l.ids[0]);
}

static inline enum nd_missing list_status(const struct world *w)
{
	return nd_kind_status(w->facts, ND_QDISC).why;
}

/* What the part has, the whole has too: what was cut may be missing, never other. */
static inline void assert_part_of(const struct world *part, const struct world *whole, size_t at)
{
	uint32_t n;
	const nd_id *ids = nd_entities(part->facts, ND_QDISC, &n);

	for (uint32_t i = 0; i < n; i++) {
		const char *key = nd_entity_key(part->facts, ids[i]);

		if (nd_entity_find(whole->facts, ND_QDISC, key) == ND_NO_ENTITY)
			fail_msg("cut at %zu: made %s", at, key);
		for (const struct nd_fact_def *d = nd_qdisc_facts; d->name; d++) {
			enum nd_accessor a = d->width >= ND_COUNTER32 ? ND_TOTAL : ND_BARE;
			struct nd_value p = value(part, ND_QDISC, key, d->name, a),
					v = value(whole, ND_QDISC, key, d->name, a);

			if (p.type == ND_V_MISSING)
				continue;
			if (p.type != v.type || (p.type == ND_V_NUMBER && p.num != v.num) ||
			    (p.type == ND_V_BOOL && p.yes != v.yes) ||
			    (p.type == ND_V_TEXT && strcmp(p.text, v.text) != 0))
				fail_msg("cut at %zu: %s.%s differs", at, key, d->name);
		}
	}
}

#endif
