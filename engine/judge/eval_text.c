/* Functions that make texts: CPU lists and masks, names of entities. */
#include "engine/judge/eval.h"
#include "engine/rule/func.h"

typedef struct nd_result result;

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* CPU numbers in order; false with *bad set. */
static bool cpus_of(const struct nd_code *c, struct nd_eval *e, uint32_t **out, uint32_t *n,
		    result *bad)
{
	result s = nd_eval(c->args[0], e);

	*bad = s;
	if (s.t != ND_R_SET)
		return false;
	*out = nd_work(e, (s.n + 1) * sizeof(**out));
	*n = 0;
	for (uint32_t i = 0; i < s.n; i++) {
		uint64_t cpu;

		if (s.items[i].why != ND_PRESENT) {
			*bad = nd_missing_result(s.items[i].why, s.items[i].detail);
			return false;
		}
		if (nd_parse_u64(nd_entity_key(e->run->f, s.items[i].id), 10, &cpu) && cpu < 65536)
			(*out)[(*n)++] = (uint32_t)cpu;
	}
	qsort(*out, *n, sizeof(**out), by_number);
	return true;
}

static void print_list(struct nd_buf *b, const uint32_t *cpus, uint32_t n)
{
	for (uint32_t i = 0, k; i < n; i = k + 1) {
		for (k = i; k + 1 < n && cpus[k + 1] == cpus[k] + 1; k++)
			;
		nd_buf_printf(b, i ? ",%u" : "%u", cpus[i]);
		if (k > i)
			nd_buf_printf(b, "-%u", cpus[k]);
	}
}

static void print_mask(struct nd_buf *b, const uint32_t *cpus, uint32_t n)
{
	uint32_t groups = n ? cpus[n - 1] / 32 + 1 : 1;

	for (uint32_t g = groups; g-- > 0;) { /* the highest 32 CPUs first */
		uint32_t mask = 0;

		for (uint32_t i = 0; i < n; i++)
			mask |= cpus[i] / 32 == g ? 1u << cpus[i] % 32 : 0;
		nd_buf_printf(b, g + 1 == groups ? "%x" : ",%08x", mask);
	}
}

struct nd_result nd_f_cpus(const struct nd_code *c, struct nd_eval *e)
{
	struct nd_buf b = {0};
	uint32_t *cpus, n;
	result r;

	if (!cpus_of(c, e, &cpus, &n, &r))
		return r;
	if (c->func->id == ND_F_CPULIST)
		print_list(&b, cpus, n);
	else
		print_mask(&b, cpus, n);
	r = (result){.t = ND_R_TEXT,
		     .text = nd_arena_strdup(e->run->arena, nd_buf_str(&b)),
		     .detail = ""};
	nd_buf_free(&b);
	return r;
}

/* What people call an entity: its command, its name, or its id. */
static const char *called(struct nd_eval *e, nd_id id)
{
	static const char *const names[] = {"comm", "name"};
	const struct nd_registry *reg = nd_facts_registry(e->run->f);

	for (size_t i = 0; i < ND_ARRAY_LEN(names); i++) {
		nd_fact_id fact = nd_registry_find(reg, nd_entity_kind(e->run->f, id), names[i]);
		struct nd_value v;

		if (fact < 0)
			continue;
		v = nd_get(e->run->f, id, fact, ND_BARE);
		if (v.type == ND_V_TEXT)
			return v.text;
	}
	return nd_kinds[nd_entity_kind(e->run->f, id)].number_key ? nd_entity_name(e->run->f, id)
								  : nd_entity_key(e->run->f, id);
}

static const char *name_at(const result *s, uint32_t i, struct nd_eval *e)
{
	if (s->t == ND_R_SET)
		return s->items[i].why == ND_PRESENT ? called(e, s->items[i].id) : NULL;
	return s->list[i].t == ND_R_TEXT ? s->list[i].text : NULL;
}

struct nd_result nd_f_names(const struct nd_code *c, struct nd_eval *e)
{
	result s = nd_eval(c->args[0], e);
	const char **seen;
	struct nd_buf b = {0};
	uint32_t n = 0;

	if (s.t == ND_R_MISSING)
		return s;
	seen = nd_work(e, (s.n + 1) * sizeof(*seen));
	for (uint32_t i = 0; i < s.n; i++) {
		const char *name = name_at(&s, i, e);
		bool dup = !name;

		for (uint32_t k = 0; k < n && !dup; k++)
			dup = strcmp(seen[k], name) == 0;
		if (dup)
			continue;
		if (n < 3)
			nd_buf_printf(&b, "%s%s", n ? ", " : "", name);
		seen[n++] = name;
	}
	if (n > 3)
		nd_buf_printf(&b, " and %u more", n - 3);
	s = n ? (result){.t = ND_R_TEXT,
			 .text = nd_arena_strdup(e->run->arena, nd_buf_str(&b)),
			 .detail = ""}
	      : nd_absent_result();
	nd_buf_free(&b);
	return s;
}
