/* What each socket of a live dump had counted when it was last seen, so that its group grows by what it gained.
 *
 * A host may have 100,000 sockets, of which this is all that is kept: an index of 4 bytes a slot over records without
 * gaps, and the counts modulo 2^32 (times in microseconds), as no socket gains more between two samples. */
#include "collectors/sock_impl.h"

#define SLOTS_MIN 2048u /* a power of two */
#define HALF (1u << 31) /* a larger gain is a count that went back */

static uint32_t slot_of(const struct nd_sock_seen_table *t, uint64_t id)
{
	uint32_t i = (uint32_t)((id * 0x9E3779B97F4A7C15ull) >> 32) & (t->cap_slots - 1);

	while (t->slots[i] && t->v[t->slots[i] - 1].id != id)
		i = (i + 1) & (t->cap_slots - 1);
	return i;
}

/* Room for one more, without the sockets that were not seen since dump `since`. At most two slots of three are taken. */
static void make_room(struct nd_sock_seen_table *t, uint32_t since)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		if (t->v[i].gen >= since)
			t->v[n++] = t->v[i];
	}
	t->n = n;
	if (t->cap_slots == 0)
		t->cap_slots = SLOTS_MIN;
	while (t->cap_slots / 3 * 2 <= n + n / 8)
		t->cap_slots *= 2;
	free(t->slots);
	t->slots = nd_alloc(t->cap_slots * sizeof(*t->slots));
	for (uint32_t i = 0; i < n; i++)
		t->slots[slot_of(t, t->v[i].id)] = i + 1;
}

struct nd_sock_seen *nd_sock_seen_find(struct nd_sock_seen_table *t, uint64_t id)
{
	uint32_t at;

	if (t->next < t->n && t->v[t->next].id == id)
		return &t->v[t->next++];
	at = t->cap_slots ? t->slots[slot_of(t, id)] : 0;
	if (at)
		t->next = at; /* the one behind it */
	return at ? &t->v[at - 1] : NULL;
}

struct nd_sock_seen *nd_sock_seen_add(struct nd_sock_seen_table *t, uint64_t id, uint32_t since)
{
	if (t->n >= t->cap_slots / 3 * 2)
		make_room(t, since);
	if (t->n == t->cap) { /* a half more: doubling would leave much of it empty */
		t->cap += t->cap / 2 + SLOTS_MIN / 2;
		t->v = nd_realloc(t->v, t->cap * sizeof(*t->v));
	}
	t->v[t->n] = (struct nd_sock_seen){.id = id};
	t->slots[slot_of(t, id)] = ++t->n;
	return &t->v[t->n - 1];
}

void nd_sock_seen_free(struct nd_sock_seen_table *t)
{
	free(t->slots);
	free(t->v);
}

double nd_sock_seen_gain(struct nd_sock_seen *e, enum nd_sock_sum sum, double now)
{
	uint32_t count = (uint32_t)(uint64_t)now, gain = count - e->c[sum];

	e->c[sum] = count;
	return gain < HALF ? gain : 0;
}
