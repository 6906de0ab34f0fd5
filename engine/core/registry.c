/* The registry of facts and tables: const data from all parsers, found by name and by address.
 *
 * A collector passes the address of its own definition with each put; the tables are kept sorted by
 * address, so that this becomes an id in a handful of comparisons. */
#include "engine/core/fact_impl.h"

#define NAME_HASH 1024u

struct nd_fact_table {
	const struct nd_fact_def *defs;
	uint32_t n, base;
	const char *collect;
};
struct nd_registry {
	struct nd_fact_table *tables; /* by address */
	uint32_t n_tables, cap_tables;
	const struct nd_fact_def **defs; /* by id */
	uint32_t *next; /* by id: the next of its hash chain + 1 */
	uint32_t n_defs, cap_defs, cap_next;
	uint32_t hash[NAME_HASH]; /* id + 1; 0: none */
	const struct nd_table_def **streams;
	uint32_t n_streams, cap_streams;
};

const struct nd_kind_def nd_kinds[ND_KINDS] = {
#define ND_KIND(id, name, plural, number, doc) [id] = {name, plural, number, doc},
#define ND_RELATION(id, from, name, to, many, inverse)
#include "engine/core/kinds.def"
#undef ND_KIND
#undef ND_RELATION
};

const struct nd_relation_def nd_relations[ND_RELATIONS] = {
#define ND_KIND(id, name, plural, number, doc)
#define ND_RELATION(id, from, name, to, many, inverse) [id] = {from, name, to, many, inverse},
#include "engine/core/kinds.def"
#undef ND_KIND
#undef ND_RELATION
};

static const char *const missing_names[ND_MISSINGS] = {
	[ND_PRESENT] = "present",
	[ND_NO_PERMISSION] = "no-permission",
	[ND_NOT_ON_THIS_KERNEL] = "not-on-this-kernel",
	[ND_NOT_BUILT] = "not-built",
	[ND_NOT_SAMPLED] = "not-sampled",
	[ND_TOO_FEW_SAMPLES] = "too-few-samples",
	[ND_TOOL_OUTPUT_ABSENT] = "tool-output-absent",
	[ND_PARSE_ERROR] = "parse-error",
	[ND_BUDGET] = "budget",
	[ND_TIMED_OUT] = "timed-out",
	[ND_TRUNCATED] = "truncated",
	[ND_COUNTER_RESET] = "counter-reset",
	[ND_SINGLE_SNAPSHOT] = "single-snapshot",
	[ND_MIXED_SPAN] = "mixed-span",
	[ND_AMBIGUOUS_SOURCE] = "ambiguous-source",
	[ND_SILENT] = "silent",
};

const char *nd_missing_name(enum nd_missing m)
{
	return m < ND_MISSINGS ? missing_names[m] : "?";
}

bool nd_missing_from_name(const char *name, enum nd_missing *out)
{
	for (unsigned i = ND_PRESENT + 1; i < ND_MISSINGS; i++) {
		if (strcmp(name, missing_names[i]) == 0) {
			*out = (enum nd_missing)i;
			return true;
		}
	}
	return false;
}

const char *nd_basis_name(enum nd_basis b)
{
	static const char *const names[] = {"none", "state", "window", "interval", "lifetime"};

	return names[b];
}

static const char *const accessor_names[ND_ACCESSORS] = {
	[ND_BARE] = "",	    [ND_TOTAL] = "total", [ND_DELTA] = "delta", [ND_RATE] = "rate",
	[ND_PEAK] = "peak", [ND_SEEN] = "seen",	  [ND_FIRST] = "first", [ND_CHANGE] = "change",
	[ND_MIN] = "min",   [ND_MEAN] = "mean",	  [ND_MAX] = "max",	[ND_SAMPLES] = "samples",
};

const char *nd_accessor_name(enum nd_accessor a)
{
	return accessor_names[a];
}

bool nd_accessor_fits(const struct nd_fact_def *d, enum nd_accessor a)
{
	static const unsigned counter =
		1u << ND_TOTAL | 1u << ND_DELTA | 1u << ND_RATE | 1u << ND_PEAK | 1u << ND_SEEN;
	static const unsigned gauge = 1u << ND_BARE | 1u << ND_FIRST | 1u << ND_CHANGE;
	static const unsigned sampled =
		1u << ND_MIN | 1u << ND_MEAN | 1u << ND_MAX | 1u << ND_SAMPLES;
	unsigned offers = 1u << ND_BARE;

	if (d->type == ND_T_TEXT || d->type == ND_T_BOOL || d->type == ND_T_WORDS)
		offers |= 1u << ND_FIRST;
	if (d->type == ND_T_NUMBER) {
		static const unsigned by_width[] = {
			[ND_GAUGE] = gauge,
			[ND_SAMPLED] = gauge | sampled,
			[ND_COUNTER32] = counter,
			[ND_COUNTER64] = counter,
		};
		offers = by_width[d->width];
	}
	return offers >> a & 1;
}

enum nd_unit nd_accessor_unit(const struct nd_fact_def *d, enum nd_accessor a)
{
	if (a == ND_SAMPLES)
		return ND_U_COUNT;
	if (a != ND_RATE && a != ND_PEAK)
		return d->unit;
	if (d->unit == ND_U_SECONDS)
		return ND_U_PERCENT; /* seconds per second: a share of the time */
	return d->unit == ND_U_BYTES ? ND_U_BYTES_PER_SECOND : ND_U_PER_SECOND;
}

static uint32_t name_hash(enum nd_kind on, const char *name)
{
	uint32_t h = 2166136261u ^ (uint32_t)on; /* FNV-1a */

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	return h % NAME_HASH;
}

struct nd_registry *nd_registry_new(void)
{
	return nd_alloc(sizeof(struct nd_registry));
}

void nd_registry_free(struct nd_registry *r)
{
	if (!r)
		return;
	free(r->tables);
	free(r->defs);
	free(r->next);
	free(r->streams);
	free(r);
}

void nd_registry_add(struct nd_registry *r, const struct nd_fact_def *table)
{
	nd_registry_add_from(r, table, NULL);
}

void nd_registry_add_from(struct nd_registry *r, const struct nd_fact_def *table,
			  const char *collect)
{
	uint32_t at = 0;
	struct nd_fact_table t = {.defs = table, .base = r->n_defs, .collect = collect};

	while (at < r->n_tables && r->tables[at].defs < table)
		at++;
	if (at < r->n_tables && r->tables[at].defs == table)
		return;
	for (; table[t.n].name; t.n++) {
		uint32_t h = name_hash(table[t.n].on, table[t.n].name);

		ND_GROW(r->defs, r->n_defs, r->cap_defs);
		ND_GROW(r->next, r->n_defs, r->cap_next);
		r->next[r->n_defs] = r->hash[h];
		r->defs[r->n_defs++] = &table[t.n];
		r->hash[h] = r->n_defs;
	}
	ND_GROW(r->tables, r->n_tables, r->cap_tables);
	memmove(&r->tables[at + 1], &r->tables[at], (r->n_tables - at) * sizeof(t));
	r->tables[at] = t;
	r->n_tables++;
}

const char *nd_registry_collect(const struct nd_registry *r, nd_fact_id id)
{
	for (uint32_t i = 0; i < r->n_tables; i++) {
		const struct nd_fact_table *t = &r->tables[i];

		if ((uint32_t)id >= t->base && (uint32_t)id - t->base < t->n)
			return t->collect;
	}
	return NULL;
}

const char *nd_registry_collect_kind(const struct nd_registry *r, enum nd_kind kind)
{
	for (uint32_t id = 0; id < r->n_defs; id++) {
		const char *collect =
			r->defs[id]->on == kind ? nd_registry_collect(r, (nd_fact_id)id) : NULL;

		if (collect)
			return collect;
	}
	return NULL;
}

void nd_registry_add_table(struct nd_registry *r, const struct nd_table_def *table)
{
	for (uint32_t i = 0; i < r->n_streams; i++) {
		if (r->streams[i] == table)
			return;
	}
	ND_GROW(r->streams, r->n_streams, r->cap_streams);
	r->streams[r->n_streams++] = table;
}

uint32_t nd_registry_count(const struct nd_registry *r)
{
	return r->n_defs;
}

const struct nd_fact_def *nd_registry_def(const struct nd_registry *r, nd_fact_id id)
{
	return r->defs[id];
}

uint32_t nd_registry_tables(const struct nd_registry *r)
{
	return r->n_streams;
}

const struct nd_table_def *nd_registry_table(const struct nd_registry *r, uint32_t i)
{
	return r->streams[i];
}

nd_fact_id nd_registry_find(const struct nd_registry *r, enum nd_kind on, const char *name)
{
	for (uint32_t i = r->hash[name_hash(on, name)]; i; i = r->next[i - 1]) {
		if (r->defs[i - 1]->on == on && strcmp(r->defs[i - 1]->name, name) == 0)
			return (nd_fact_id)i - 1;
	}
	return -1;
}

nd_fact_id nd_registry_id(const struct nd_registry *r, const struct nd_fact_def *def)
{
	uint32_t lo = 0, hi = r->n_tables;

	while (lo < hi) { /* the last table that starts at or before def */
		uint32_t mid = (lo + hi) / 2;

		if (r->tables[mid].defs <= def)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0 || def >= r->tables[lo - 1].defs + r->tables[lo - 1].n)
		return -1;
	return (nd_fact_id)(r->tables[lo - 1].base + (uint32_t)(def - r->tables[lo - 1].defs));
}
