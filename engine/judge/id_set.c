/* Which entities are in a set: a bit for each, made once the set is too large to be searched. Without it, mapping and
 * comparing sets of n members would take n² steps that no budget sees. */
#include "engine/judge/eval.h"

#define SEARCHED 16u /* members */
#define BITS 64u

static void put(struct nd_id_set *s, nd_id id, struct nd_eval *e)
{
	uint32_t word = id / BITS;

	if (word >= s->n_words) {
		uint32_t n = word + word / 2 + 1;
		uint64_t *more = nd_work(e, n * sizeof(*more));

		if (s->n_words)
			memcpy(more, s->words, s->n_words * sizeof(*more));
		s->words = more;
		s->n_words = n;
	}
	s->words[word] |= 1ull << id % BITS;
}

bool nd_id_set_has(struct nd_id_set *s, const struct nd_result *set, nd_id id, struct nd_eval *e)
{
	if (set->n > SEARCHED) {
		for (; s->seen < set->n; s->seen++) {
			if (set->items[s->seen].why == ND_PRESENT)
				put(s, set->items[s->seen].id, e);
		}
		return id / BITS < s->n_words && s->words[id / BITS] >> id % BITS & 1;
	}
	for (uint32_t i = 0; i < set->n; i++) {
		if (set->items[i].why == ND_PRESENT && set->items[i].id == id)
			return true;
	}
	return false;
}
