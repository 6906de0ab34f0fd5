/* A small store of facts for expressions: of each kind three entities, and for each fact that any collector declares
 * something different on each of them: a value, nothing, absent, or missing with a reason. */
#ifndef ND_FUZZ_STORE_H
#define ND_FUZZ_STORE_H

#include "collectors/collector.h"

#define STORE_ENTITIES 3u

struct store {
	struct nd_registry *registry;
	struct nd_facts *facts;
	nd_id ids[ND_KINDS][STORE_ENTITIES];
};

static inline void store_entities(struct store *s)
{
	static const char *const keys[STORE_ENTITIES] = {"eth0", "tcp/0.0.0.0:443", "pod1@netns"};

	for (int kind = 0; kind < ND_KINDS; kind++) {
		const struct nd_kind_def *d = &nd_kinds[kind];

		for (uint32_t i = 0; i < STORE_ENTITIES; i++) {
			if (d->number_key)
				s->ids[kind][i] =
					nd_entity_num(s->facts, (enum nd_kind)kind, i * 11);
			else
				s->ids[kind][i] = nd_entity(s->facts, (enum nd_kind)kind,
							    d->plural ? keys[i] : "");
		}
	}
	nd_kind_missing(s->facts, ND_PEER, ND_BUDGET, "not all were read");
}

static inline void store_relations(struct store *s)
{
	for (int rel = 0; rel < ND_RELATIONS; rel++) {
		const struct nd_relation_def *d = &nd_relations[rel];
		nd_id *from = s->ids[d->from], *to = s->ids[d->to];

		nd_relate(s->facts, from[0], (enum nd_relation)rel, to[0]);
		if (d->many)
			nd_relate(s->facts, from[0], (enum nd_relation)rel, to[2]);
		nd_relate_none(s->facts, from[1], (enum nd_relation)rel);
		if (rel % 2)
			nd_relate_missing(s->facts, from[2], (enum nd_relation)rel,
					  ND_NO_PERMISSION, "not allowed");
	}
}

static inline void store_number(struct nd_facts *f, nd_id on, const struct nd_fact_def *d,
				uint32_t salt, const struct nd_input *first)
{
	static const double gauges[] = {0, 1, 0.5, 44e-3, 1e9, 128, 65535.5};
	struct nd_input second = *first;

	second.t_ns += 10 * ND_NSEC_PER_SEC;
	if (d->width == ND_GAUGE || d->width == ND_SAMPLED) {
		nd_put_num(f, on, d, gauges[salt % ND_ARRAY_LEN(gauges)], first);
		if (d->width == ND_SAMPLED)
			nd_put_num(f, on, d, gauges[(salt + 1) % ND_ARRAY_LEN(gauges)], &second);
		return;
	}
	nd_put_reading(f, on, d, salt * 1000, first);
	if (salt % 3) /* else: since boot */
		nd_put_reading(f, on, d, salt * 1000 + salt % 7 * 100, &second);
}

static inline void store_value(struct nd_facts *f, nd_id on, const struct nd_fact_def *d,
			       uint32_t salt, const struct nd_input *in)
{
	static const char *const texts[] = {"", "mlx5_core", "eth0; rm -rf /", "\xff\xfe {x}"};
	static struct nd_bucket buckets[] = {{0, 1e-3, 900}, {1e-3, 4e-3, 90}, {0.1, 0.2, 10}};
	static const struct nd_hist hist = {buckets, ND_ARRAY_LEN(buckets)}, few = {buckets + 2, 1};

	switch (d->type) {
	case ND_T_NUMBER: store_number(f, on, d, salt, in); break;
	case ND_T_BOOL: nd_put_bool(f, on, d, salt % 2, in); break;
	case ND_T_TEXT:
	case ND_T_WORDS: nd_put_text(f, on, d, texts[salt % ND_ARRAY_LEN(texts)], in); break;
	case ND_T_HIST: nd_put_hist(f, on, d, salt % 2 ? &hist : &few, in); break;
	}
}

static inline void store_open(struct store *s)
{
	struct nd_input in = {.path = "fuzz", .netns = "host", .t_ns = ND_NSEC_PER_SEC};

	s->registry = nd_registry_new();
	nd_collectors_register(s->registry);
	s->facts = nd_facts_new(s->registry);
	store_entities(s);
	store_relations(s);
	for (uint32_t i = 0; i < nd_registry_count(s->registry); i++) {
		const struct nd_fact_def *d = nd_registry_def(s->registry, (nd_fact_id)i);

		for (uint32_t k = 0; k < STORE_ENTITIES; k++) {
			nd_id on = s->ids[d->on][k];
			uint32_t salt = i * STORE_ENTITIES + k;

			if (salt % 11 == 5)
				nd_put_missing(s->facts, on, d, ND_NO_PERMISSION, "not allowed");
			else if (salt % 11 == 8)
				nd_put_absent(s->facts, on, d, &in);
			else if (salt % 11)
				store_value(s->facts, on, d, salt, &in);
		}
	}
	nd_put_log(s->facts, 3, "nf_conntrack: table full, dropping packet", &in);
	nd_put_log(s->facts, -1, "eth0: NETDEV WATCHDOG", &in);
}
#endif
