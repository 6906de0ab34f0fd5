/* Sets of CPUs as the kernel writes them, parsed strictly: a list that is half understood would
 * move interrupts to the wrong processors. */
#include "collectors/cpulist.h"

#include "engine/core/str.h"

static void set_add(struct nd_cpus *c, uint64_t cpu)
{
	c->bits[cpu / 64] |= 1ull << (cpu % 64);
}

/* "8" or "0-3" */
static bool add_range(struct nd_cpus *c, char *range)
{
	char *dash = strchr(range, '-');
	uint64_t lo, hi;

	if (dash)
		*dash = '\0';
	if (!nd_parse_u64(range, 10, &lo) || !nd_parse_u64(dash ? dash + 1 : range, 10, &hi))
		return false;
	if (lo > hi || hi >= ND_CPUS_MAX)
		return false;
	for (; lo <= hi; lo++)
		set_add(c, lo);
	return true;
}

bool nd_cpus_from_list(const char *text, struct nd_cpus *out)
{
	char *copy = nd_strdup(text), *at = nd_trim(copy), *range;
	bool ok = true;

	*out = (struct nd_cpus){0};
	while (ok && (range = nd_split(&at, ",")))
		ok = add_range(out, range);
	free(copy);
	if (!ok)
		*out = (struct nd_cpus){0};
	return ok;
}

bool nd_cpus_from_mask(const char *text, struct nd_cpus *out)
{
	char *copy = nd_strdup(text), *whole = nd_trim(copy), *comma;
	uint64_t group;
	uint32_t at = 0; /* lowest CPU of the group; groups are taken from the end */
	bool ok = true, more = *whole != '\0';

	*out = (struct nd_cpus){0};
	while (ok && more) {
		comma = strrchr(whole, ',');
		more = comma != NULL;
		ok = nd_parse_u64(comma ? comma + 1 : whole, 16, &group) && group <= UINT32_MAX &&
		     (group == 0 || at < ND_CPUS_MAX);
		for (uint32_t bit = 0; ok && bit < 32; bit++) {
			if (group >> bit & 1)
				set_add(out, at + bit);
		}
		at += at < ND_CPUS_MAX ? 32 : 0;
		if (comma)
			*comma = '\0';
	}
	free(copy);
	if (!ok)
		*out = (struct nd_cpus){0};
	return ok;
}

bool nd_cpus_has(const struct nd_cpus *c, uint64_t cpu)
{
	return cpu < ND_CPUS_MAX && (c->bits[cpu / 64] >> (cpu % 64) & 1);
}

uint32_t nd_cpus_count(const struct nd_cpus *c)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < ND_ARRAY_LEN(c->bits); i++)
		n += (uint32_t)__builtin_popcountll(c->bits[i]);
	return n;
}

uint32_t nd_cpus_next(const struct nd_cpus *c, uint32_t from)
{
	while (from < ND_CPUS_MAX && !nd_cpus_has(c, from))
		from = c->bits[from / 64] >> (from % 64) ? from + 1 : (from / 64 + 1) * 64;
	return from < ND_CPUS_MAX ? from : ND_CPUS_MAX;
}

uint32_t nd_cpus_nth(const struct nd_cpus *c, uint32_t n)
{
	uint32_t cpu = nd_cpus_next(c, 0);

	while (n-- > 0 && cpu < ND_CPUS_MAX)
		cpu = nd_cpus_next(c, cpu + 1);
	return cpu;
}

bool nd_cpu_from_name(const char *name, uint32_t *cpu)
{
	uint64_t v;

	if (!nd_starts(name, "CPU") && !nd_starts(name, "cpu"))
		return false;
	if (!nd_parse_u64(name + 3, 10, &v) || v >= ND_CPUS_MAX)
		return false;
	*cpu = (uint32_t)v;
	return true;
}
