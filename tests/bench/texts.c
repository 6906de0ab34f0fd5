/* The rules: ten shapes as rules/ has them, with gates, lets, joins and fixes; numbers differ from rule to rule. */
#include "tests/bench/bench.h"

struct shape {
	enum nd_kind scope;
	uint32_t fault; /* CPU or NIC with the planted fault */
	double planted; /* what $measure is there, about */
	bool likely; /* a supports question caps the word */
	const char *when; /* or NULL */
	const char *let; /* further lets; $measure is one of them */
	const char *first; /* the questions before the deciding one, or "" */
	const char *last; /* those behind it */
	const char *fix;
};

#define FIX_RING                                                                                            \
	"        run: |\n          ethtool -G {iface.key} rx {min(iface.ring.rx.max, 2 * iface.ring.rx)}\n" \
	"        undo: |\n          ethtool -G {iface.key} rx {iface.ring.rx}\n        verify: $measure < $limit\n"
#define FIX_IRQS                                                                                                      \
	"        each:\n          irq: $queues.irq\n          target: cpus[node == only($nics).node and it != cpu]\n" \
	"        run: |\n          echo {$target.key} > /proc/irq/{$irq.key}/smp_affinity_list\n"                     \
	"        undo: |\n          echo {$irq.affinity_list} > /proc/irq/{$irq.key}/smp_affinity_list\n"             \
	"        verify: $measure < $limit\n"
#define FIX_BUDGET                                                                                     \
	"        advice: Double it.\n        sysctl:\n"                                                \
	"          net.core.netdev_budget: clamp(2 * host.sysctl.net.core.netdev_budget, 600, 1200)\n" \
	"        verify: $measure < $limit\n"
#define FIX_QUEUES                                                                                                              \
	"        each:\n          queue: $queues\n"                                                                             \
	"        run: |\n          echo {cpumask(take(16, cpus[node == $queue.iface.node and it != cpu]))} > "                  \
	"/sys/class/net/{$queue.iface.key}/queues/{$queue.name}/rps_cpus\n"                                                     \
	"        undo: |\n          echo {$queue.rps_mask} > /sys/class/net/{$queue.iface.key}/queues/{$queue.name}/rps_cpus\n" \
	"        verify: $measure < $limit\n"

static const struct shape shapes[SHAPES] = {
	{ND_IFACE, FAULT_NIC, 0.02, false, "coalesce(iface.rx.packets.rate > $busy, true)",
	 "  measure: ratio(iface.hw.rx_ring_full.delta, iface.rx.packets.delta, $floor)\n", "",
	 "  - ask: Is the loss in the ring, not before it?\n    test: iface.hw.rx_port_discards.delta <= iface.hw.rx_ring_full.delta\n"
	 "    grade: supports\n    if_no: {cap: suspected}\n"
	 "  - ask: Can the ring grow?\n    test: iface.ring.rx < iface.ring.rx.max\n    grade: supports\n",
	 FIX_RING},
	{ND_IFACE, FAULT_NIC, 0.02, false,
	 "iface.link_kind == \"physical\" and coalesce(iface.rx.packets.rate > $busy, true)",
	 "  measure: ratio(iface.hw.rx_ring_full.seen, iface.rx.packets.seen, $floor)\n  queues: iface.queues[direction == \"rx\"]\n",
	 "  - ask: Has it several receive queues?\n    test: count($queues) >= 2\n    if_no: {rule_out: \"{count($queues)} queues\"}\n",
	 "  - ask: Do their interrupts end on busy CPUs?\n    test: any($queues.irq.cpus, softnet.processed.rate > $busy)\n"
	 "    if_no: {rule_out: its CPUs are idle}\n    if_unknown: next\n",
	 FIX_RING},
	{ND_IFACE, FAULT_NIC, 0.02, true,
	 "coalesce(iface.physical, true) and (coalesce(iface.hw.rx_ring_full.delta > 0, false) or coalesce(iface.rx.packets.peak > $busy, true))",
	 "  lost: iface.hw.rx_ring_full.seen + iface.rx.missed.seen\n  measure: ratio($lost, iface.rx.packets.seen, $floor)\n",
	 "  - ask: Does it work without damaged frames?\n    test: iface.rx.crc.delta == 0 and iface.rx.errors.delta == 0\n"
	 "    if_no: {rule_out: \"{iface.rx.crc.delta} damaged frames\"}\n",
	 "  - ask: Do buffers run short?\n    test: iface.hw.rx_no_buffer_hint.delta > 0\n    grade: supports\n    if_no: {cap: likely}\n",
	 FIX_RING},
	{ND_IFACE, FAULT_NIC, 0.02, false,
	 "iface.state == \"up\" and iface.hw.rx_ring_full.delta > 0 and iface.mtu >= 1280B",
	 "  measure: iface.hw.rx_ring_full.delta / iface.rx.packets.delta\n", "",
	 "  - ask: Does the card's own CPU drop as well?\n    test: any(iface.irqs.cpus, softnet.dropped.delta > 0)\n    grade: supports\n"
	 "    if_unknown: {cap: likely}\n",
	 FIX_RING},
	{ND_CPU, FAULT_CPU, 0.01, false, "coalesce(cpu.softnet.processed.rate > $busy, true)",
	 "  measure: ratio(cpu.softnet.dropped.seen, cpu.softnet.processed.seen, $floor)\n", "",
	 "  - ask: Was the queue seen more than half full?\n    test: cpu.softnet.queue.max > host.sysctl.net.core.netdev_max_backlog / 2\n"
	 "    grade: supports\n",
	 FIX_BUDGET},
	{ND_CPU, FAULT_CPU, 0.28, false,
	 "coalesce(cpu.softnet.processed.rate > $busy, true) and count(cpus) >= 2",
	 "  measure: share(cpu.softnet.processed.seen, cpus.softnet.processed.seen)\n  nics: cpu.irqs.iface\n"
	 "  queues: $nics.queues[direction == \"rx\"]\n",
	 "",
	 "  - test: cpu.softirq_saturated\n    if_no: {rule_out: \"{cpu.time.soft} is no load\"}\n    if_unknown: next\n"
	 "  - ask: Do the other CPUs have room?\n    test: mean(without(cpus, cpu), time.soft) < 30%\n"
	 "    if_no: {rule_out: the other CPUs are busy too}\n    if_unknown: next\n",
	 FIX_IRQS},
	{ND_CPU, FAULT_CPU, 0.2, false, "coalesce(cpu.softnet.processed.rate > $busy, true)",
	 "  measure: ratio(cpu.softnet.time_squeeze.seen, cpu.softirq.net_rx.seen, $floor)\n  queues: cpu.irqs.queues[direction == \"rx\"]\n",
	 "  - ask: Is it an online CPU that receives?\n    test: cpu.time.soft > 1%\n    if_no: {rule_out: \"{cpu.time.soft} in softirqs\"}\n",
	 "  - ask: Is it busier than most?\n    test: cpu.time.soft > 2 * mean(cpus, time.soft)\n    grade: supports\n"
	 "    if_no: {cap: suspected}\n",
	 FIX_QUEUES},
	{ND_CPU, FAULT_CPU, 0.96, false, NULL,
	 "  measure: cpu.time.soft\n  queues: cpu.irqs.queues\n",
	 "  - ask: Does it receive more than its share?\n    test: cpu.softnet.processed.delta > 2 * mean(cpus.softnet.processed.delta)\n"
	 "    if_no: {rule_out: \"{cpu.softnet.processed.delta} packets\"}\n",
	 "  - ask: Do several queues end on it?\n    test: count($queues) >= 2 and all($queues, cpu in irq.cpus)\n    grade: supports\n"
	 "  - ask: Do the cards lose packets?\n    test: any($queues.iface, hw.rx_ring_full.delta > $floor)\n    grade: supports\n",
	 FIX_QUEUES},
	{ND_CPU, FAULT_CPU, 0.96, false, "cpu.time.steal < 5% and cpu.time.idle < 90%",
	 "  measure: cpu.time.soft\n  queues: cpu.irqs.queues\n", "",
	 "  - ask: Is it alone with this?\n    test: count(cpus[time.soft > $limit]) <= 4\n    if_no: {rule_out: they are many}\n",
	 FIX_QUEUES},
	{ND_HOST, 0, 0.0028, false, NULL,
	 "  measure: ratio(sum(cpus, softnet.dropped.delta), sum(cpus.softnet.processed.delta), $floor)\n",
	 "  - ask: Do the cards receive?\n    test: any(ifaces[link_kind == \"physical\"], rx.packets.rate > $busy)\n"
	 "    if_no: {rule_out: no card receives}\n",
	 "  - ask: Are the interfaces free of errors?\n    test: sum(ifaces.rx.errors.delta) == 0\n    grade: supports\n",
	 FIX_BUDGET},
};

static const struct shape *shape_of(uint32_t i)
{
	return &shapes[i % SHAPES];
}

enum nd_kind bench_scope(uint32_t i)
{
	return shape_of(i)->scope;
}

uint32_t bench_fault(uint32_t i)
{
	return shape_of(i)->fault;
}

bool bench_only_likely(uint32_t i)
{
	return shape_of(i)->likely;
}

/* One rule in twenty has its threshold below the planted fault. */
bool bench_fires(uint32_t i)
{
	return i / SHAPES % 20 == 7;
}

void bench_write_rule(struct world *w, uint32_t i, struct nd_buf *b)
{
	const struct shape *s = shape_of(i);
	double limit = s->planted * (bench_fires(i)	? 0.5
				     : s->planted > 0.5 ? 1.02
							: (double)bench_pick(w, 130, 300) / 100);
	const char *scope = nd_kinds[s->scope].name;

	nd_buf_printf(
		b,
		"version: 1\nrule: bench-%04u\ntitle: Something waits or is lost at a %s\nparams:\n",
		i, scope);
	nd_buf_printf(b, "  busy: {value: %llu/s, origin: \"arith: generated\"}\n",
		      (unsigned long long)bench_pick(w, 800, 1200));
	nd_buf_printf(b, "  floor: {value: %llu, origin: \"arith: generated\"}\n",
		      (unsigned long long)bench_pick(w, 900, 10000));
	nd_buf_printf(b, "  limit: {value: %.4f%%, origin: \"arith: generated\"}\n", limit * 100);
	nd_buf_printf(b, "scope: %s\n", scope);
	if (s->when)
		nd_buf_printf(b, "when: >-\n  %s\n", s->when);
	nd_buf_printf(b, "let:\n%stree:\n%s", s->let, s->first);
	nd_buf_printf(
		b,
		"  - ask: Is it as much as %llu times the usual?\n    test: $measure > $limit\n    grade: decides\n",
		(unsigned long long)bench_pick(w, 2, 9));
	nd_buf_printf(
		b,
		"    if_no: {rule_out: \"it is {$measure} for {%s}\"}\n%s  - conclude: fault-%04u\n",
		scope, s->last, i);
	nd_buf_printf(
		b,
		"causes:\n  fault-%04u:\n    title: \"Something is lost at {%s}\"\n    because: >-\n"
		"      {$measure} is more than {$limit}, so what comes to {%s} is not served in time.\n",
		i, scope, scope);
	nd_buf_printf(
		b,
		"    accounts:\n      share: $measure\n      of: the packets\n    fix:\n      - title: Make room\n        tier: cure\n"
		"        risk: \"low: more memory\"\n        disrupts: no\n%s",
		s->fix);
}
