/* Entities, whether their kinds were read, and the relations between them. */
#include "engine/core/fact_impl.h"

struct nd_facts *nd_facts_new(const struct nd_registry *r)
{
	struct nd_facts *f = nd_alloc(sizeof(*f));

	f->registry = r;
	f->columns = nd_alloc((nd_registry_count(r) + 1) * sizeof(*f->columns));
	for (uint32_t i = 0; i < nd_registry_count(r); i++)
		f->columns[i].def = nd_registry_def(r, (nd_fact_id)i);
	f->default_why = ND_NOT_SAMPLED;
	f->log_status = (struct nd_status){ND_NOT_SAMPLED, ""};
	for (unsigned k = 0; k < ND_KINDS; k++)
		f->kinds[k].status = (struct nd_status){ND_NOT_SAMPLED, ""};
	nd_entity(f, ND_HOST, "");
	nd_entity(f, ND_SYMPTOM, "");
	return f;
}

void nd_facts_free(struct nd_facts *f)
{
	if (!f)
		return;
	for (uint32_t i = 0; i < nd_registry_count(f->registry); i++)
		free(f->columns[i].cells);
	for (unsigned k = 0; k < ND_KINDS; k++) {
		free(f->kinds[k].ids);
		free(f->kinds[k].sorted);
	}
	for (unsigned r = 0; r < ND_RELATIONS * 2; r++) {
		struct nd_link_column *c = &f->links[r / 2][r % 2];

		for (uint32_t i = 0; i < c->n; i++)
			free(c->lists[i].ids);
		free(c->lists);
	}
	free(f->columns);
	free(f->entities);
	free(f->log);
	free(f->contradictions);
	nd_arena_free(&f->arena);
	free(f);
}

const struct nd_registry *nd_facts_registry(const struct nd_facts *f)
{
	return f->registry;
}

struct nd_arena *nd_facts_arena(struct nd_facts *f)
{
	return &f->arena;
}

static uint32_t hash_of(enum nd_kind kind, const char *key)
{
	uint32_t h = 2166136261u ^ (uint32_t)kind; /* FNV-1a */

	for (; *key; key++)
		h = (h ^ (unsigned char)*key) * 16777619u;
	return h % ND_HASH_SIZE;
}

nd_id nd_entity_find(const struct nd_facts *f, enum nd_kind kind, const char *key)
{
	uint32_t i = f->hash[hash_of(kind, key)];

	for (; i; i = f->entities[i - 1].next) {
		const struct nd_entity_row *e = &f->entities[i - 1];

		if (e->kind == kind && strcmp(e->key, key) == 0)
			return i - 1;
	}
	return ND_NO_ENTITY;
}

nd_id nd_entity(struct nd_facts *f, enum nd_kind kind, const char *key)
{
	nd_id id = nd_entity_find(f, kind, key);
	struct nd_kind_list *k = &f->kinds[kind];
	uint32_t h = hash_of(kind, key);

	if (id != ND_NO_ENTITY)
		return id;
	ND_GROW(f->entities, f->n_entities, f->cap_entities);
	ND_GROW(k->ids, k->n, k->cap);
	id = f->n_entities++;
	f->entities[id] = (struct nd_entity_row){
		.kind = kind,
		.slot = k->n,
		.key = nd_arena_strdup(&f->arena, key),
		.next = f->hash[h],
	};
	f->hash[h] = id + 1;
	k->ids[k->n++] = id;
	free(k->sorted);
	k->sorted = NULL;
	return id;
}

nd_id nd_entity_num(struct nd_facts *f, enum nd_kind kind, uint64_t key)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)key);
	return nd_entity(f, kind, text);
}

nd_id nd_entity_in(struct nd_facts *f, enum nd_kind kind, const char *key, const char *netns)
{
	char text[512];

	if (!netns || strcmp(netns, "host") == 0)
		return nd_entity(f, kind, key);
	snprintf(text, sizeof(text), "%s@%s", key, netns);
	return nd_entity(f, kind, text);
}

enum nd_kind nd_entity_kind(const struct nd_facts *f, nd_id id)
{
	return f->entities[id].kind;
}

const char *nd_entity_key(const struct nd_facts *f, nd_id id)
{
	return f->entities[id].key;
}

const char *nd_entity_name(const struct nd_facts *f, nd_id id)
{
	struct nd_entity_row *e = &f->entities[id];
	struct nd_facts *store = (struct nd_facts *)(uintptr_t)f; /* the cache is no change */

	if (!e->name)
		e->name = *e->key ? nd_arena_printf(&store->arena, "%s:%s", nd_kinds[e->kind].name,
						    e->key)
				  : nd_kinds[e->kind].name;
	return e->name;
}

uint32_t nd_entity_count(const struct nd_facts *f)
{
	return f->n_entities;
}

static int by_key(const void *a, const void *b, void *ctx)
{
	const struct nd_facts *f = ctx;
	const struct nd_entity_row *x = &f->entities[*(const nd_id *)a],
				   *y = &f->entities[*(const nd_id *)b];

	/* The target's own namespace comes first, whatever the others are called. */
	if (x->kind == ND_NETNS && (strcmp(x->key, "host") == 0) != (strcmp(y->key, "host") == 0))
		return strcmp(x->key, "host") == 0 ? -1 : 1;
	return strverscmp(x->key, y->key);
}

const nd_id *nd_entities(const struct nd_facts *f, enum nd_kind kind, uint32_t *n)
{
	struct nd_kind_list *k = (struct nd_kind_list *)(uintptr_t)&f->kinds[kind];

	*n = k->n;
	if (!k->sorted && k->n) {
		k->sorted = nd_alloc(k->n * sizeof(nd_id));
		memcpy(k->sorted, k->ids, k->n * sizeof(nd_id));
		qsort_r(k->sorted, k->n, sizeof(nd_id), by_key, (void *)(uintptr_t)f);
	}
	return k->sorted;
}

void nd_kind_read(struct nd_facts *f, enum nd_kind kind)
{
	f->kinds[kind].read = true;
}

void nd_kind_missing(struct nd_facts *f, enum nd_kind kind, enum nd_missing why, const char *fmt,
		     ...)
{
	struct nd_kind_list *k = &f->kinds[kind];
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (k->read && k->n == 0)
		return;
	k->status = (struct nd_status){why, nd_arena_strdup(&f->arena, text)};
}

struct nd_status nd_kind_status(const struct nd_facts *f, enum nd_kind kind)
{
	const struct nd_kind_list *k = &f->kinds[kind];
	struct nd_status known = {ND_PRESENT, ""};

	if (k->n == 0)
		return k->read ? known : k->status;
	/* Entities there: complete unless somebody said otherwise. */
	return k->status.why == ND_NOT_SAMPLED && !*k->status.detail ? known : k->status;
}

struct nd_link_list *nd_links_for(struct nd_facts *f, nd_id on, enum nd_relation rel, bool inverse)
{
	struct nd_link_column *c = &f->links[rel][inverse];
	uint32_t slot = f->entities[on].slot;

	if (slot >= c->n) {
		uint32_t n = slot + slot / 2 + 8;

		c->lists = nd_realloc(c->lists, n * sizeof(*c->lists));
		memset(&c->lists[c->n], 0, (n - c->n) * sizeof(*c->lists));
		c->n = n;
	}
	return &c->lists[slot];
}

static void link_add(struct nd_facts *f, nd_id on, enum nd_relation rel, bool inverse, nd_id to)
{
	struct nd_link_list *l = nd_links_for(f, on, rel, inverse);
	bool many = inverse || nd_relations[rel].many;

	if (l->state != ND_L_KNOWN ||
	    !many) /* a later answer replaces the former of a to-one relation */
		l->n = 0;
	l->state = ND_L_KNOWN;
	for (uint32_t i = 0; i < l->n; i++) {
		if (l->ids[i] == to)
			return;
	}
	ND_GROW(l->ids, l->n, l->cap);
	l->ids[l->n++] = to;
}

/* What is about to be related to another one leaves the one that it is related to. */
static void link_leave(struct nd_facts *f, nd_id from, enum nd_relation rel, nd_id to)
{
	const struct nd_link_list *was = nd_links_for(f, from, rel, false);
	struct nd_link_list *l;
	uint32_t n = 0;

	if (nd_relations[rel].many || was->state != ND_L_KNOWN || was->n == 0 || was->ids[0] == to)
		return;
	l = nd_links_for(f, was->ids[0], rel, true);
	for (uint32_t i = 0; i < l->n; i++) {
		if (l->ids[i] != from)
			l->ids[n++] = l->ids[i];
	}
	l->n = n;
}

void nd_relate(struct nd_facts *f, nd_id from, enum nd_relation rel, nd_id to)
{
	link_leave(f, from, rel, to);
	link_add(f, from, rel, false, to);
	link_add(f, to, rel, true, from);
}

static void link_none(struct nd_facts *f, nd_id on, enum nd_relation rel, bool inverse)
{
	struct nd_link_list *l = nd_links_for(f, on, rel, inverse);

	l->n = 0;
	l->state = ND_L_KNOWN;
}

void nd_relate_none(struct nd_facts *f, nd_id from, enum nd_relation rel)
{
	link_none(f, from, rel, false);
}

void nd_relate_none_inverse(struct nd_facts *f, nd_id to, enum nd_relation rel)
{
	link_none(f, to, rel, true);
}

void nd_links_set(struct nd_facts *f, nd_id on, enum nd_relation rel, bool inverse,
		  const nd_id *ids, uint32_t n)
{
	struct nd_link_list *l = nd_links_for(f, on, rel, inverse);

	link_none(f, on, rel, inverse);
	for (uint32_t i = 0; i < n; i++) {
		ND_GROW(l->ids, l->n, l->cap);
		l->ids[l->n++] = ids[i];
	}
}

static void link_missing(struct nd_link_list *l, enum nd_missing why, const char *detail)
{
	if (l->state == ND_L_KNOWN && l->n)
		return;
	l->state = ND_L_MISSING;
	l->why = why;
	l->detail = detail;
}

void nd_relate_missing(struct nd_facts *f, nd_id from, enum nd_relation rel, enum nd_missing why,
		       const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	link_missing(nd_links_for(f, from, rel, false), why, nd_arena_strdup(&f->arena, text));
}

void nd_relate_missing_inverse(struct nd_facts *f, nd_id to, enum nd_relation rel,
			       enum nd_missing why, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	link_missing(nd_links_for(f, to, rel, true), why, nd_arena_strdup(&f->arena, text));
}
