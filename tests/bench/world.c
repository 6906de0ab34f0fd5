/* The facts of the large host: 512 CPUs, 32 NICs with 512 queues, 4,064 virtual interfaces, 10,000 listeners. */
#include "tests/bench/bench.h"

#define WINDOW 10.0 /* s */

static uint64_t next_random(struct world *w)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return w->random;
}

uint64_t bench_pick(struct world *w, uint64_t lo, uint64_t hi)
{
	return lo + next_random(w) % (hi - lo);
}

static const struct nd_fact_def *def(const struct world *w, enum nd_kind on, const char *name)
{
	nd_fact_id id = nd_registry_find(w->r, on, name);

	if (id < 0) {
		fprintf(stderr, "FAIL no fact %s.%s\n", nd_kinds[on].name, name);
		exit(1);
	}
	return nd_registry_def(w->r, id);
}

static struct nd_input at(double seconds)
{
	return (struct nd_input){
		.path = "bench", .t_ns = (uint64_t)((seconds + 1) * 1e9), .netns = "host"};
}

/* A counter that grows by delta within the window. */
static void put_counter(struct world *w, nd_id on, const char *name, uint64_t delta)
{
	const struct nd_fact_def *d = def(w, nd_entity_kind(w->f, on), name);
	struct nd_input first = at(0), last = at(WINDOW);

	nd_put_reading(w->f, on, d, 1000000, &first);
	nd_put_reading(w->f, on, d, 1000000 + delta, &last);
}

static void put_num(struct world *w, nd_id on, const char *name, double v)
{
	struct nd_input in = at(WINDOW);

	nd_put_num(w->f, on, def(w, nd_entity_kind(w->f, on), name), v, &in);
}

static void put_text(struct world *w, nd_id on, const char *name, const char *v)
{
	struct nd_input in = at(WINDOW);

	nd_put_text(w->f, on, def(w, nd_entity_kind(w->f, on), name), v, &in);
}

/* The queues of all NICs end on the first half of the CPUs. */
static bool busy_cpu(uint32_t c)
{
	return c < CPUS / 2;
}

static void put_cpu(struct world *w, uint32_t c)
{
	nd_id on = nd_entity_num(w->f, ND_CPU, c);
	bool fault = c == FAULT_CPU;
	uint64_t packets = fault	 ? 20000000
			   : busy_cpu(c) ? bench_pick(w, 180000, 220000)
					 : bench_pick(w, 0, 900);

	w->cpu[c] = on;
	put_counter(w, on, "softnet.processed", packets);
	put_counter(w, on, "softnet.dropped", fault ? packets / 100 : 0);
	put_counter(w, on, "softnet.time_squeeze", fault ? 20000 : bench_pick(w, 0, 10));
	put_counter(w, on, "softnet.received_rps", 0);
	put_counter(w, on, "softnet.flow_limit", 0);
	put_counter(w, on, "softirq.net_rx", busy_cpu(c) ? 100000 : bench_pick(w, 0, 900));
	put_num(w, on, "softnet.queue", fault ? 900 : 0);
	put_num(w, on, "time.soft",
		fault	      ? 0.96
		: busy_cpu(c) ? (double)bench_pick(w, 10, 20) / 100
			      : 0.01);
	put_num(w, on, "time.idle", fault ? 0.01 : 0.7);
	put_num(w, on, "time.steal", 0);
	put_num(w, on, "node", c / (CPUS / 4));
}

static const char *const nic_counters[] = {
	"hw.rx_no_buffer_hint", "hw.rx_port_discards", "hw.rx_phy_errors", "hw.rx_alloc_failed",
	"hw.pause_rx",		"hw.pause_tx",	       "hw.tx_stalls"};
static const char *const iface_counters[] = {"rx.errors", "rx.missed",	"rx.fifo",   "rx.crc",
					     "tx.errors", "tx.dropped", "tx.carrier"};

static void put_queues(struct world *w, uint32_t nic)
{
	for (uint32_t q = 0; q < QUEUES_PER_NIC; q++) {
		uint32_t number = nic * QUEUES_PER_NIC + q;
		nd_id queue, irq = nd_entity_num(w->f, ND_IRQ, 100 + number);
		char key[64];

		snprintf(key, sizeof(key), "eth%u/rx-%u", nic, q);
		queue = nd_entity(w->f, ND_QUEUE, key);
		snprintf(key, sizeof(key), "rx-%u", q);
		put_text(w, queue, "name", key);
		put_text(w, queue, "direction", "rx");
		put_text(w, queue, "rps_mask", "0");
		snprintf(key, sizeof(key), "%u", number % (CPUS / 2));
		put_text(w, irq, "affinity_list", key);
		nd_relate(w->f, queue, ND_QUEUE_IFACE, w->iface[nic]);
		nd_relate(w->f, queue, ND_QUEUE_IRQ, irq);
		nd_relate_none(w->f, queue, ND_QUEUE_RPS_CPUS);
		nd_relate(w->f, irq, ND_IRQ_IFACE, w->iface[nic]);
		nd_relate(w->f, irq, ND_IRQ_CPUS, w->cpu[number % (CPUS / 2)]);
	}
}

static void put_nic(struct world *w, uint32_t i)
{
	nd_id on = w->iface[i];
	uint64_t packets = bench_pick(w, 800000, 900000);

	put_text(w, on, "link_kind", "physical");
	put_counter(w, on, "rx.packets", packets);
	put_counter(w, on, "hw.rx_ring_full", i == FAULT_NIC ? packets / 50 : bench_pick(w, 0, 8));
	for (size_t k = 0; k < ND_ARRAY_LEN(nic_counters); k++)
		put_counter(w, on, nic_counters[k], 0);
	put_num(w, on, "node", i % 4);
	put_num(w, on, "ring.rx", 1024);
	put_num(w, on, "ring.rx.max", 8192);
	put_num(w, on, "channels", QUEUES_PER_NIC);
	put_num(w, on, "channels.max", 64);
	put_queues(w, i);
}

/* One virtual interface in twenty carries traffic. */
static void put_veth(struct world *w, uint32_t i)
{
	static const char *const absent[] = {"hw.rx_ring_full", "ring.rx", "ring.rx.max",
					     "channels", "channels.max"};
	nd_id on = w->iface[i];
	struct nd_input in = at(WINDOW);

	put_text(w, on, "link_kind", "veth");
	put_counter(w, on, "rx.packets",
		    i % 20 == 0 ? bench_pick(w, 100000, 200000) : bench_pick(w, 0, 2000));
	for (size_t k = 0; k < ND_ARRAY_LEN(nic_counters); k++)
		nd_put_absent(w->f, on, def(w, ND_IFACE, nic_counters[k]), &in);
	for (size_t k = 0; k < ND_ARRAY_LEN(absent); k++)
		nd_put_absent(w->f, on, def(w, ND_IFACE, absent[k]), &in);
	nd_relate_none_inverse(w->f, on, ND_QUEUE_IFACE);
	nd_relate_none_inverse(w->f, on, ND_IRQ_IFACE);
}

static void put_host(struct world *w)
{
	put_num(w, 0, "window", WINDOW);
	put_num(w, 0, "span", WINDOW);
	put_num(w, 0, "hz", 1000);
	put_num(w, 0, "sysctl.net.core.netdev_max_backlog", 1000);
	put_num(w, 0, "sysctl.net.core.netdev_budget", 300);
}

void bench_fill(struct world *w)
{
	nd_id space = nd_entity(w->f, ND_NETNS, "host");

	put_host(w);
	for (uint32_t c = 0; c < CPUS; c++)
		put_cpu(w, c);
	for (uint32_t c = CPUS / 2; c < CPUS; c++)
		nd_relate_none_inverse(w->f, w->cpu[c], ND_IRQ_CPUS);
	for (uint32_t i = 0; i < IFACES; i++) {
		char name[32];

		snprintf(name, sizeof(name), i < NICS ? "eth%u" : "veth%u", i);
		w->iface[i] = nd_entity(w->f, ND_IFACE, name);
		nd_relate(w->f, w->iface[i], ND_IFACE_NETNS, space);
		put_text(w, w->iface[i], "state", "up");
		put_num(w, w->iface[i], "mtu", 1500);
		put_counter(w, w->iface[i], "tx.packets", bench_pick(w, 0, 2000));
		put_counter(w, w->iface[i], "rx.dropped", 0);
		for (size_t k = 0; k < ND_ARRAY_LEN(iface_counters); k++)
			put_counter(w, w->iface[i], iface_counters[k], 0);
		if (i < NICS)
			put_nic(w, i);
		else
			put_veth(w, i);
	}
}

void bench_fill_listeners(struct world *w)
{
	nd_id space = nd_entity(w->f, ND_NETNS, "host");

	put_num(w, space, "sysctl.net.core.somaxconn", 4096);
	for (uint32_t i = 0; i < LISTENERS; i++) {
		char key[64];
		nd_id on, process = nd_entity_num(w->f, ND_PROCESS, 1000 + i);

		snprintf(key, sizeof(key), "tcp/10.%u.%u.1:%u", i >> 8, i & 255, 1000 + i);
		on = nd_entity(w->f, ND_LISTENER, key);
		nd_relate(w->f, on, ND_LISTENER_NETNS, space);
		nd_relate(w->f, on, ND_LISTENER_PROCESSES, process);
		nd_relate_none_inverse(w->f, process, ND_THREAD_PROCESS);
		put_text(w, on, "address", "10.0.0.1");
		put_num(w, on, "port", 1000 + i);
		put_num(w, on, "backlog", i == FAULT_LISTENER ? 128 : 4096);
		put_num(w, on, "queue", i == FAULT_LISTENER ? 129 : i % 3);
		put_counter(w, on, "drops", i == FAULT_LISTENER ? 500 : 0);
		put_counter(w, on, "accepts", i == FAULT_LISTENER ? 20000 : 100);
	}
}
