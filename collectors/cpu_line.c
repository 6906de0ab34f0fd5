/* Shares of CPU time by the labels that tools print, and samples of all CPUs together. */
#include "collectors/cpu.h"

#include <math.h>

int nd_cpu_label(const char *label)
{
	static const struct {
		const char *label;
		int share;
	} labels[] = {
		{"us", ND_CPU_USER},	 {"ni", ND_CPU_USER},	 {"usr", ND_CPU_USER},
		{"user", ND_CPU_USER},	 {"nic", ND_CPU_USER},	 {"nice", ND_CPU_USER},
		{"guest", ND_CPU_USER},	 {"gnice", ND_CPU_USER}, {"gu", ND_CPU_USER},
		{"sy", ND_CPU_SYSTEM},	 {"sys", ND_CPU_SYSTEM}, {"system", ND_CPU_SYSTEM},
		{"id", ND_CPU_IDLE},	 {"idle", ND_CPU_IDLE},	 {"wa", ND_CPU_IOWAIT},
		{"io", ND_CPU_IOWAIT},	 {"iow", ND_CPU_IOWAIT}, {"iowait", ND_CPU_IOWAIT},
		{"hi", ND_CPU_IRQ},	 {"irq", ND_CPU_IRQ},	 {"si", ND_CPU_SOFT},
		{"sirq", ND_CPU_SOFT},	 {"soft", ND_CPU_SOFT},	 {"st", ND_CPU_STEAL},
		{"steal", ND_CPU_STEAL},
	};

	if (*label == '%')
		label++;
	for (size_t i = 0; i < ND_ARRAY_LEN(labels); i++)
		if (strcasecmp(labels[i].label, label) == 0)
			return labels[i].share;
	return -1;
}

void nd_cpu_add(struct nd_cpu_shares *s, int share, double ratio)
{
	s->have[share] = true;
	s->share[share] = fmin(1, s->share[share] + ratio);
}

void nd_cpu_put_host(struct nd_facts *f, const struct nd_cpu_shares *s, const struct nd_input *in)
{
	for (int i = 0; i < ND_CPU_SHARES; i++)
		if (s->have[i])
			nd_put_num(f, 0, &nd_cpu_time_facts[ND_HOST_USER + i], s->share[i], in);
}

void nd_cpu_put(struct nd_facts *f, uint32_t cpu, const struct nd_cpu_shares *s,
		const struct nd_input *in)
{
	nd_id on = nd_entity_num(f, ND_CPU, cpu);

	for (int i = 0; i < ND_CPU_SHARES; i++)
		if (s->have[i])
			nd_put_num(f, on, &nd_cpu_time_facts[i], s->share[i], in);
}

bool nd_cpu_banner(const char *line, struct nd_facts *f, const struct nd_input *in)
{
	const char *end = strstr(line, " CPU)"), *at = end;
	char number[16];
	uint64_t v;

	if (!end || !nd_starts(line, "Linux "))
		return false;
	while (at > line && at[-1] >= '0' && at[-1] <= '9')
		at--;
	if (at == end || (size_t)(end - at) >= sizeof(number))
		return false;
	memcpy(number, at, (size_t)(end - at));
	number[end - at] = '\0';
	if (nd_parse_u64(number, 10, &v) && v > 0)
		nd_put_num(f, 0, &nd_cpu_time_facts[ND_HOST_CPUS], (double)v, in);
	return true;
}
