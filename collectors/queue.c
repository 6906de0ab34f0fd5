/* Receive and transmit queues of interfaces: steering masks, and the interrupt that serves each.
 *
 * The masks are hexadecimal, in groups of 32 CPUs, most significant first ("f,00000000"); zero is
 * off. Live and in a copied /sys the queues are the directories below /sys/class/net/IFACE/queues.
 * Elsewhere the names of interrupts tell of queues, but not that there are no others. */
#include <errno.h>
#include <limits.h>

#include "collectors/collector.h"
#include "collectors/cpulist.h"
#include "collectors/irq.h"
#include "collectors/irq_name.h"
#include "collectors/queue.h"

enum { F_NAME, F_DIRECTION, F_RPS, F_XPS };

#define SHOW(file) "q={key}; cat /sys/class/net/${q%%/*}/queues/${q#*/}/" file

static const struct nd_fact_def facts[] = {
	[F_NAME] = {.name = "name",
		    .on = ND_QUEUE,
		    .type = ND_T_TEXT,
		    .doc = "name of the queue within its interface, such as rx-3",
		    .reproduce = "q={key}; ls -d /sys/class/net/${q%%/*}/queues/${q#*/}"},
	[F_DIRECTION] = {.name = "direction", .on = ND_QUEUE, .type = ND_T_TEXT, .doc = "rx or tx"},
	[F_RPS] = {.name = "rps_mask",
		   .on = ND_QUEUE,
		   .type = ND_T_TEXT,
		   .doc = "mask of the CPUs that packets are steered to; 0: none (RPS is off)",
		   .reproduce = SHOW("rps_cpus")},
	[F_XPS] =
		{.name = "xps_mask",
		 .on = ND_QUEUE,
		 .type = ND_T_TEXT,
		 .doc = "mask of the CPUs that prefer this queue for sending; 0: none (XPS is off)",
		 .reproduce = SHOW("xps_cpus")},
	{0},
};

nd_id nd_queue(struct nd_facts *f, const char *iface, const char *direction, uint64_t number,
	       const struct nd_input *in)
{
	char key[ND_IFNAME_MAX + 32];
	const char *slash;
	nd_id q;

	snprintf(key, sizeof(key), "%s/%s-%llu", iface, direction, (unsigned long long)number);
	slash = strrchr(key, '/');
	q = nd_entity(f, ND_QUEUE, key);
	nd_put_text(f, q, &facts[F_NAME], slash + 1, in);
	nd_put_text(f, q, &facts[F_DIRECTION], direction, in);
	nd_relate(f, q, ND_QUEUE_IFACE, nd_entity(f, ND_IFACE, iface));
	return q;
}

static void put_rps(struct nd_facts *f, nd_id q, const char *mask, const struct nd_cpus *cpus,
		    const struct nd_input *in)
{
	nd_put_text(f, q, &facts[F_RPS], mask, in);
	nd_put_absent(f, q, &facts[F_XPS], in);
	nd_relate_none(f, q, ND_QUEUE_RPS_CPUS);
	for (uint32_t c = nd_cpus_next(cpus, 0); c < ND_CPUS_MAX; c = nd_cpus_next(cpus, c + 1))
		nd_relate(f, q, ND_QUEUE_RPS_CPUS, nd_entity_num(f, ND_CPU, c));
}

/* "eth0/3" into its parts; false when it is no such thing. */
static bool split_arg(const char *arg, char *iface, size_t size, uint64_t *number)
{
	const char *slash = strrchr(arg, '/');
	size_t n = slash ? (size_t)(slash - arg) : 0;

	if (n == 0 || n >= size || !nd_parse_u64(slash + 1, 10, number) || *number > 65535)
		return false;
	memcpy(iface, arg, n);
	iface[n] = '\0';
	return true;
}

/* /sys/class/net/IFACE/queues/rx-N/rps_cpus */
static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	char iface[ND_IFNAME_MAX + 1], *line;
	struct nd_cpus cpus;
	uint64_t number;

	if (!in->arg || !split_arg(in->arg, iface, sizeof(iface), &number))
		return nd_parse_fail(in, s, e, "a path with an interface and a queue", in->path);
	line = nd_stream_line(s);
	if (!line || !*nd_trim(line) || !nd_cpus_from_mask(line, &cpus))
		return nd_parse_fail(in, s, e, "a hexadecimal mask of CPUs",
				     line ? line : "nothing");
	put_rps(f, nd_queue(f, iface, "rx", number, in), nd_trim(line), &cpus, in);
	return 0;
}

/* A transmit queue. Interfaces with only one have no mask: reading it is refused with ENOENT. */
static void take_tx(struct nd_live *l, struct nd_facts *f, const char *iface, const char *name)
{
	struct nd_input in = l->in;
	char path[PATH_MAX], text[4096];
	uint64_t number;
	nd_id q;
	int rc;

	if (!nd_starts(name, "tx-") || !nd_parse_u64(name + 3, 10, &number))
		return;
	snprintf(path, sizeof(path), "/sys/class/net/%s/queues/%s/xps_cpus", iface, name);
	in.path = path;
	rc = nd_source_text(l->source, path, text, sizeof(text));
	q = nd_queue(f, iface, "tx", number, &in);
	nd_put_absent(f, q, &facts[F_RPS], &in);
	nd_relate_none(f, q, ND_QUEUE_RPS_CPUS);
	if (rc == 0)
		nd_put_text(f, q, &facts[F_XPS], nd_trim(text), &in);
	else if (rc == -ENOENT)
		nd_put_absent(f, q, &facts[F_XPS], &in);
	else
		nd_put_missing(f, q, &facts[F_XPS],
			       rc == -EACCES || rc == -EPERM ? ND_NO_PERMISSION
							     : ND_NOT_ON_THIS_KERNEL,
			       "%s: %s", path, strerror(-rc));
}

/* Queues of an interface without a device have no interrupt. */
static void relate_virtual(struct nd_live *l, struct nd_facts *f, const char *iface)
{
	char path[PATH_MAX], target[PATH_MAX];
	struct nd_links queues;
	nd_id id = nd_entity_find(f, ND_IFACE, iface);

	snprintf(path, sizeof(path), "/sys/class/net/%s/device", iface);
	if (id == ND_NO_ENTITY ||
	    nd_source_link(l->source, path, target, sizeof(target)) != -ENOENT)
		return;
	queues = nd_related(f, id, ND_QUEUE_IFACE, true);
	for (uint32_t i = 0; i < queues.n; i++)
		nd_relate_none(f, queues.ids[i], ND_QUEUE_IRQ);
}

static int live(struct nd_live *l, struct nd_facts *f, struct nd_err *e)
{
	char path[PATH_MAX], **ifaces, **names;
	int n;

	if (!l->first)
		return 0;
	n = nd_source_names(l->source, "/sys/class/net", &ifaces);
	if (n < 0)
		return nd_fail(e, n, "/sys/class/net: %s", strerror(-n));
	for (int i = 0; i < n; i++) {
		int m;

		snprintf(path, sizeof(path), "/sys/class/net/%s/queues", ifaces[i]);
		m = nd_source_names(l->source, path, &names);
		for (int k = 0; k < m; k++)
			take_tx(l, f, ifaces[i], names[k]);
		if (m >= 0)
			nd_source_names_free(names, m);
		relate_virtual(l, f, ifaces[i]);
	}
	nd_source_names_free(ifaces, n);
	return 0;
}

/* Relates a queue to its interrupt. make: the queue is new when nobody has seen it. */
/* NOLINTNEXTLINE(readability-function-size): a queue is named by three of them */
static void relate_queue(struct nd_facts *f, nd_id irq, const char *iface, const char *direction,
			 int64_t number, bool make, const struct nd_input *in)
{
	char key[ND_IFNAME_MAX + 32];
	nd_id q;

	if (number < 0)
		return;
	snprintf(key, sizeof(key), "%s/%s-%lld", iface, direction, (long long)number);
	q = nd_entity_find(f, ND_QUEUE, key);
	if (q == ND_NO_ENTITY && make)
		q = nd_queue(f, iface, direction, (uint64_t)number, in);
	if (q != ND_NO_ENTITY)
		nd_relate(f, q, ND_QUEUE_IRQ, irq);
}

/* The queues that an interrupt's name tells of. */
static void relate_irq(struct nd_facts *f, nd_id irq, nd_fact_id name_id)
{
	struct nd_value name = nd_get(f, irq, name_id, ND_BARE);
	struct nd_links owner = nd_related(f, irq, ND_IRQ_IFACE, false);
	struct nd_input in = {.path = nd_get_source(f, irq, name_id), .netns = "host"};
	struct nd_irq_name n;
	const char *iface;

	if (name.type != ND_V_TEXT || owner.n == 0 || !nd_irq_name_parse(name.text, &n))
		return;
	iface = nd_entity_key(f, owner.ids[0]);
	if (strlen(iface) > ND_IFNAME_MAX)
		return;
	relate_queue(f, irq, iface, "rx", n.rx, n.marked, &in);
	relate_queue(f, irq, iface, "tx", n.tx, n.marked, &in);
}

static void finish(struct nd_facts *f)
{
	nd_fact_id name =
		nd_registry_find(nd_facts_registry(f), ND_IRQ, nd_irq_facts[ND_I_NAME].name);
	const nd_id *list;
	nd_id *irqs;
	uint32_t n;

	if (name < 0)
		return;
	list = nd_entities(f, ND_IRQ, &n);
	irqs = nd_alloc((n + 1) * sizeof(*irqs)); /* the list moves when entities are made */
	if (n)
		memcpy(irqs, list, n * sizeof(*irqs));
	for (uint32_t i = 0; i < n; i++)
		relate_irq(f, irqs[i], name);
	free(irqs);
	list = nd_entities(f, ND_QUEUE, &n);
	for (uint32_t i = 0; i < n; i++) {
		if (nd_related(f, list[i], ND_QUEUE_IRQ, false).why != ND_PRESENT)
			nd_relate_missing(f, list[i], ND_QUEUE_IRQ, ND_AMBIGUOUS_SOURCE,
					  "no interrupt's name tells that it serves this queue");
	}
}

static const struct nd_read reads[] = {
	{"/sys/class/net/*/queues/rx-*/rps_cpus", ND_READ_ONCE},
	{0},
};

const struct nd_collector nd_collector_queue = {
	.name = "queue",
	.doc = "receive and transmit queues: steering masks and interrupts",
	.collect = "grep . /sys/class/net/*/queues/*/rps_cpus",
	.reads = reads,
	.facts = facts,
	.entities = {ND_QUEUE, ND_NO_KIND},
	.parse = parse,
	.live = live,
	.finish = finish,
};
