/* Shares of CPU time by kernel function, from samples.
 *
 * A profile by a clock counts idle CPUs as well (in a virtual machine that is the only kind there is):
 * their share is taken out, so that a share is always one of the busy time. */
#include "collectors/profile.h"

#include "collectors/process.h"

#include <math.h>

#define ROWS_MAX 4096u
#define IDLE_MAX 0.999 /* with less left there is nothing to share out */

const struct nd_fact_def nd_profile_facts[] = {
	[ND_PROFILE_IDLE] = {.name = "profile.idle",
			     .on = ND_HOST,
			     .type = ND_T_NUMBER,
			     .unit = ND_U_PERCENT,
			     .doc = "share of a profile's samples that found the CPU idle",
			     .reproduce = "perf top"},
	[ND_PROFILE_DROPS] = {.name = "drops",
			      .on = ND_FUNCTION,
			      .type = ND_T_NUMBER,
			      .unit = ND_U_COUNT,
			      .width = ND_COUNTER64,
			      .doc = "packets that it threw away while a tool watched",
			      .reproduce = "perf record -e skb:kfree_skb -a sleep 10; perf script"},
	[ND_PROFILE_DROP_REASON] =
		{.name = "drop_reason",
		 .on = ND_FUNCTION,
		 .type = ND_T_TEXT,
		 .doc = "the kernel's reason for the last of these packets",
		 .reproduce = "perf record -e skb:kfree_skb -a sleep 10; perf script"},
	{0},
};

static bool is_idle(const char *symbol)
{
	static const char *const names[] = {
		"intel_idle",
		"intel_idle_irq",
		"native_safe_halt",
		"pv_native_safe_halt",
		"default_idle",
		"poll_idle",
		"acpi_idle_do_entry",
		"acpi_safe_halt",
		"mwait_idle",
		"mwait_idle_with_hints",
		"cpuidle_enter_state",
		"arch_cpu_idle",
		"cpu_do_idle",
		"do_idle",
		"haltpoll_enter_idle",
		"cpu_idle_poll",
		"io_idle",
		"default_idle_call",
	};

	for (size_t i = 0; i < ND_ARRAY_LEN(names); i++)
		if (strcmp(names[i], symbol) == 0)
			return true;
	return false;
}

void nd_profile_add(struct nd_profile *p, const char *symbol, double share)
{
	for (uint32_t i = 0; i < p->n; i++) {
		if (strcmp(p->rows[i].symbol, symbol) == 0) {
			p->rows[i].share += share;
			return;
		}
	}
	if (p->n == ROWS_MAX)
		return;
	ND_GROW(p->rows, p->n, p->cap);
	snprintf(p->rows[p->n].symbol, sizeof(p->rows->symbol), "%s", symbol);
	p->rows[p->n++].share = share;
}

void nd_profile_put(const struct nd_profile *p, double total, struct nd_facts *f,
		    const struct nd_input *in)
{
	double idle = 0;

	if (p->n == 0 || total <= 0)
		return;
	for (uint32_t i = 0; i < p->n; i++)
		idle += is_idle(p->rows[i].symbol) ? p->rows[i].share / total : 0;
	idle = fmin(idle, 1);
	nd_put_num(f, 0, &nd_profile_facts[ND_PROFILE_IDLE], idle, in);
	for (uint32_t i = 0; i < p->n && idle <= IDLE_MAX; i++) {
		const struct nd_profile_row *r = &p->rows[i];

		if (!is_idle(r->symbol))
			nd_put_num(f, nd_function_entity(f, r->symbol),
				   &nd_process_facts[ND_P_FUNCTION_CPU_SHARE],
				   fmin(1, r->share / total / (1 - idle)), in);
	}
}
