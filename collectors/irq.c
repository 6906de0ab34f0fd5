/* Interrupts: how many, where they may go, where they really go, and whose they are.
 *
 * /proc/interrupts is decimal; its columns are the online CPUs, then come the chip, the chip's own
 * number and the names of the handlers:
 *
 *  91:       9163          0   PCI-MSI-edge      eth0-TxRx-3
 *  38:          1        316 PCI-MSIX-0000:00:03.0   1-edge      virtio2-input.0
 *
 * Counts are unsigned int per CPU, so that their sum loses 2^32 at a wrap, as 32-bit counters do.
 *
 * irq.cpus is the effective affinity, which on x86 is one CPU of those that the affinity allows.
 * Where no affinity was recorded it is what the interrupts did: the CPUs that got at least 1 % of
 * them each, if there were more than 1000 and these CPUs got 99 % of them. An interrupt that is not
 * moved stays where it is, so that is the affinity of the time that was counted; but it may have
 * been moved since. */
#include "collectors/irq.h"

#include <errno.h>
#include <limits.h>

#include "collectors/collector.h"
#include "collectors/cpulist.h"
#include "collectors/irq_name.h"

const struct nd_fact_def nd_irq_facts[] = {
	[ND_I_HANDLED] =
		{.name = "handled",
		 .on = ND_IRQ,
		 .type = ND_T_NUMBER,
		 .unit = ND_U_COUNT,
		 .width = ND_COUNTER32,
		 .doc = "times it came, on all CPUs; under load polling replaces interrupts",
		 .reproduce = "grep '^ *{key}:' /proc/interrupts"},
	[ND_I_NAME] = {.name = "name",
		       .on = ND_IRQ,
		       .type = ND_T_TEXT,
		       .doc = "names of its handlers",
		       .reproduce = "ls -d /proc/irq/{key}/*/"},
	[ND_I_BY_CPU] =
		{.name = "by_cpu",
		 .on = ND_IRQ,
		 .type = ND_T_TEXT,
		 .doc = "times it came on each CPU, as CPU:COUNT, without those where it never did",
		 .reproduce = "grep '^ *{key}:' /proc/interrupts"},
	[ND_I_AFFINITY] = {.name = "affinity_list",
			   .on = ND_IRQ,
			   .type = ND_T_TEXT,
			   .doc = "CPUs that it may go to",
			   .reproduce = "cat /proc/irq/{key}/smp_affinity_list"},
	[ND_I_MANAGED] = {.name = "managed",
			  .on = ND_IRQ,
			  .type = ND_T_BOOL,
			  .doc = "the kernel spreads it itself and refuses changes",
			  .reproduce = "grep MANAGED /sys/kernel/debug/irq/irqs/{key}"},
	{0},
};

#define MANY 1000.0 /* interrupts below which their place is chance */
#define SHARE_OF_ONE 0.01 /* of a CPU that counts as one of its CPUs */
#define SHARE_OF_ALL 0.99 /* that these CPUs must have got together */

/* ---- /proc/interrupts ---- */

struct header {
	uint32_t n;
	uint32_t cpus[ND_CPUS_MAX];
};

static bool parse_header(char *line, struct header *h)
{
	char *word;

	for (h->n = 0; (word = nd_word(&line)); h->n++) {
		if (h->n == ND_CPUS_MAX || !nd_cpu_from_name(word, &h->cpus[h->n]))
			return false;
	}
	return h->n > 0;
}

/* The handlers' names: behind the word that tells edge from level, else the last word. */
static char *names_of(char *rest)
{
	static const char *const triggers[] = {"edge", "level", "fasteoi", "Edge", "Level"};
	char *at = rest, *word, *last = NULL;

	while ((word = nd_word(&at))) {
		for (size_t i = 0; i < ND_ARRAY_LEN(triggers); i++) {
			size_t n = strlen(word), m = strlen(triggers[i]);

			if (nd_ends(word, triggers[i]) && (n == m || word[n - m - 1] == '-'))
				return nd_trim(at);
		}
		last = word;
	}
	return last;
}

/* Behind "NN:": the counts, then the rest. NULL, or what was found instead of a number. */
static const char *take_irq(struct nd_facts *f, uint64_t number, char *line, const struct header *h,
			    const struct nd_input *in)
{
	struct nd_buf by_cpu = {0};
	uint64_t sum = 0, count;
	const char *found = NULL, *names;
	nd_id irq;

	for (uint32_t i = 0; i < h->n && !found; i++) {
		char *word = nd_word(&line);

		if (!word || !nd_parse_u64(word, 10, &count) || count > UINT32_MAX) {
			found = word ? word : "too few";
		} else if (count) {
			sum += count;
			nd_buf_printf(&by_cpu, "%s%u:%llu", by_cpu.len ? " " : "", h->cpus[i],
				      (unsigned long long)count);
		}
	}
	if (!found) {
		irq = nd_entity_num(f, ND_IRQ, number);
		names = names_of(line);
		nd_put_reading(f, irq, &nd_irq_facts[ND_I_HANDLED], sum, in);
		nd_put_text(f, irq, &nd_irq_facts[ND_I_BY_CPU], nd_buf_str(&by_cpu), in);
		if (names && *names)
			nd_put_text(f, irq, &nd_irq_facts[ND_I_NAME], names, in);
		else
			nd_put_absent(f, irq, &nd_irq_facts[ND_I_NAME], in);
	}
	nd_buf_free(&by_cpu);
	return found;
}

static int parse_interrupts(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
			    struct nd_err *e)
{
	struct header *h = nd_alloc(sizeof(*h));
	bool headed = false;
	uint32_t good = 0;
	int rc = 0;
	char *line;

	while ((line = nd_stream_line(s))) {
		char *name;
		const char *found;
		uint64_t number;
		size_t n;

		if (!headed) {
			headed = parse_header(line, h);
			continue;
		}
		name = nd_word(&line);
		n = name ? strlen(name) : 0;
		if (n < 2 || name[n - 1] != ':')
			continue;
		name[n - 1] = '\0';
		if (!nd_parse_u64(name, 10, &number)) /* NMI:, LOC: and the like */
			continue;
		found = take_irq(f, number, line, h, in);
		if (found)
			rc = nd_parse_fail(in, s, e, "one number for each CPU", found);
		else
			good++;
	}
	free(h);
	if (good)
		return 0;
	return rc ? rc
		  : nd_parse_fail(in, s, e,
				  headed ? "numbered interrupts" : "a header of CPU names", "none");
}

/* ---- affinity ---- */

static void relate_cpus(struct nd_facts *f, nd_id irq, const struct nd_cpus *cpus)
{
	for (uint32_t c = nd_cpus_next(cpus, 0); c < ND_CPUS_MAX; c = nd_cpus_next(cpus, c + 1))
		nd_relate(f, irq, ND_IRQ_CPUS, nd_entity_num(f, ND_CPU, c));
}

static bool cpus_known(const struct nd_facts *f, nd_id irq)
{
	struct nd_links l = nd_related(f, irq, ND_IRQ_CPUS, false);

	return l.why == ND_PRESENT && l.n > 0;
}

/* /proc/irq/N/effective_affinity_list, read first, and smp_affinity_list. An affinity may allow
 * CPUs that are offline; only CPUs that were seen are related. */
static int parse_affinity(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
			  struct nd_err *e)
{
	char *line = nd_stream_line(s);
	nd_id irq = nd_entity_find(f, ND_IRQ, in->arg);
	struct nd_cpus cpus, seen = {0};
	char key[16];

	if (irq == ND_NO_ENTITY || !line)
		return 0; /* allocated, but no interrupt */
	line = nd_trim(line);
	if (!nd_cpus_from_list(line, &cpus))
		return nd_parse_fail(in, s, e, "a list of CPUs", line);
	if (!nd_ends(in->path, "effective_affinity_list"))
		nd_put_text(f, irq, &nd_irq_facts[ND_I_AFFINITY], line, in);
	for (uint32_t c = nd_cpus_next(&cpus, 0); c < ND_CPUS_MAX; c = nd_cpus_next(&cpus, c + 1)) {
		snprintf(key, sizeof(key), "%u", c);
		if (nd_entity_find(f, ND_CPU, key) != ND_NO_ENTITY)
			seen.bits[c / 64] |= 1ull << (c % 64);
	}
	if (!cpus_known(f, irq))
		relate_cpus(f, irq, &seen);
	return 0;
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	return in->arg ? parse_affinity(in, s, f, e) : parse_interrupts(in, s, f, e);
}

/* Adds "CPU:COUNT …" times sign to counts; returns the sum of what was added. */
static double add_counts(double *counts, const char *text, double sign)
{
	char *copy = nd_strdup(text), *at = copy, *pair;
	double sum = 0;

	while ((pair = nd_word(&at))) {
		char *colon = strchr(pair, ':');
		uint64_t cpu, count;

		if (!colon)
			continue;
		*colon = '\0';
		if (!nd_parse_u64(pair, 10, &cpu) || cpu >= ND_CPUS_MAX ||
		    !nd_parse_u64(colon + 1, 10, &count))
			continue;
		counts[cpu] += sign * (double)count;
		sum += sign * (double)count;
	}
	free(copy);
	return sum;
}

/* The CPUs that the interrupts went to in the window, or with one moment since boot. */
static void derive_cpus(struct nd_facts *f, nd_id irq, nd_fact_id by_cpu, double *counts)
{
	struct nd_value first = nd_get(f, irq, by_cpu, ND_FIRST),
			last = nd_get(f, irq, by_cpu, ND_BARE);
	struct nd_cpus cpus = {0};
	double sum, held = 0;

	if (last.type != ND_V_TEXT || first.type != ND_V_TEXT)
		return;
	memset(counts, 0, ND_CPUS_MAX * sizeof(*counts));
	sum = add_counts(counts, last.text, 1);
	if (strcmp(first.text, last.text) != 0)
		sum += add_counts(counts, first.text, -1);
	for (uint32_t c = 0; c < ND_CPUS_MAX && sum > MANY; c++) {
		if (counts[c] < sum * SHARE_OF_ONE)
			continue;
		cpus.bits[c / 64] |= 1ull << (c % 64);
		held += counts[c];
	}
	if (sum > MANY && held >= sum * SHARE_OF_ALL)
		relate_cpus(f, irq, &cpus);
	else
		nd_relate_missing(f, irq, ND_IRQ_CPUS, ND_TOOL_OUTPUT_ABSENT,
				  "no affinity was recorded, and the interrupts do not show one");
}

/* ---- whose it is ---- */

/* Relates the interrupt to the interface in its name. any: also to one that nobody has seen. */
static void relate_by_name(struct nd_facts *f, nd_id irq, const char *name, bool any)
{
	struct nd_irq_name n;
	nd_id iface;

	if (!nd_irq_name_parse(name, &n) || !n.iface[0])
		return;
	iface = nd_entity_find(f, ND_IFACE, n.iface);
	if (iface == ND_NO_ENTITY && (!any || !(n.marked || n.usual)))
		return;
	nd_relate(f, irq, ND_IRQ_IFACE,
		  iface == ND_NO_ENTITY ? nd_entity(f, ND_IFACE, n.iface) : iface);
}

/* Handlers that share an interrupt are separated by ", ". */
static void relate_by_names(struct nd_facts *f, nd_id irq, nd_fact_id name, bool any)
{
	struct nd_value v = nd_get(f, irq, name, ND_BARE);
	char *copy, *at, *one;

	if (v.type != ND_V_TEXT)
		return;
	at = copy = nd_strdup(v.text);
	while ((one = nd_split(&at, ",")))
		relate_by_name(f, irq, nd_trim(one), any);
	free(copy);
}

/* The interrupts in a directory of /sys belong to this interface. */
static void relate_msi(struct nd_live *l, struct nd_facts *f, const char *ifname,
		       const char *directory)
{
	char path[PATH_MAX], **names;
	int n;

	snprintf(path, sizeof(path), "/sys/class/net/%s/%s", ifname, directory);
	n = nd_source_names(l->source, path, &names);
	for (int i = 0; i < n; i++) {
		nd_id irq = nd_entity_find(f, ND_IRQ, names[i]);

		if (irq != ND_NO_ENTITY)
			nd_relate(f, irq, ND_IRQ_IFACE, nd_entity(f, ND_IFACE, ifname));
	}
	if (n >= 0)
		nd_source_names_free(names, n);
}

/* virtio devices hang below the PCI device that has the interrupts. 0 or a negative errno. */
static int relate_devices(struct nd_live *l, struct nd_facts *f)
{
	char path[PATH_MAX], text[PATH_MAX], **names;
	int n = nd_source_names(l->source, "/sys/class/net", &names);

	for (int i = 0; i < n; i++) {
		nd_id irq;

		nd_entity(f, ND_IFACE, names[i]);
		relate_msi(l, f, names[i], "device/msi_irqs");
		snprintf(path, sizeof(path), "/sys/class/net/%s/device", names[i]);
		if (nd_source_link(l->source, path, text, sizeof(text)) == 0 &&
		    strstr(text, "virtio"))
			relate_msi(l, f, names[i], "device/../msi_irqs");
		snprintf(path, sizeof(path), "/sys/class/net/%s/device/irq",
			 names[i]); /* without MSI */
		if (nd_source_text(l->source, path, text, sizeof(text)) != 0)
			continue;
		irq = nd_entity_find(f, ND_IRQ, nd_trim(text));
		if (irq != ND_NO_ENTITY)
			nd_relate(f, irq, ND_IRQ_IFACE, nd_entity(f, ND_IFACE, names[i]));
	}
	if (n >= 0)
		nd_source_names_free(names, n);
	return n < 0 ? n : 0;
}

static void ask_managed(struct nd_live *l, struct nd_facts *f, nd_id irq)
{
	struct nd_input in = l->in;
	char path[PATH_MAX], text[4096];
	int rc;

	snprintf(path, sizeof(path), "/sys/kernel/debug/irq/irqs/%s", nd_entity_key(f, irq));
	rc = nd_source_text(l->source, path, text, sizeof(text));
	in.path = path;
	if (rc == 0)
		nd_put_bool(f, irq, &nd_irq_facts[ND_I_MANAGED],
			    strstr(text, "IRQD_AFFINITY_MANAGED") != NULL, &in);
	else
		nd_put_missing(f, irq, &nd_irq_facts[ND_I_MANAGED],
			       rc == -EACCES || rc == -EPERM ? ND_NO_PERMISSION
							     : ND_NOT_ON_THIS_KERNEL,
			       "%s: %s", path, strerror(-rc));
}

/* Once, when /proc/interrupts was read for the last time: devices may come and go. */
static int live(struct nd_live *l, struct nd_facts *f, struct nd_err *e)
{
	nd_fact_id name =
		nd_registry_find(nd_facts_registry(f), ND_IRQ, nd_irq_facts[ND_I_NAME].name);
	const nd_id *irqs;
	uint32_t n;
	int rc;

	if (!l->last)
		return 0;
	rc = relate_devices(l, f);
	if (rc < 0)
		return nd_fail(e, rc, "/sys/class/net: %s", strerror(-rc));
	irqs = nd_entities(f, ND_IRQ, &n); /* only interfaces are made meanwhile, and they exist */
	for (uint32_t i = 0; i < n; i++) {
		ask_managed(l, f, irqs[i]);
		if (nd_related(f, irqs[i], ND_IRQ_IFACE, false).n == 0)
			relate_by_names(f, irqs[i], name, false);
		if (nd_related(f, irqs[i], ND_IRQ_IFACE, false).n == 0)
			nd_relate_none(f, irqs[i], ND_IRQ_IFACE);
	}
	return 0;
}

static void finish(struct nd_facts *f)
{
	const struct nd_registry *r = nd_facts_registry(f);
	nd_fact_id by_cpu = nd_registry_find(r, ND_IRQ, nd_irq_facts[ND_I_BY_CPU].name);
	nd_fact_id name = nd_registry_find(r, ND_IRQ, nd_irq_facts[ND_I_NAME].name);
	double *counts = nd_alloc(ND_CPUS_MAX * sizeof(*counts));
	uint32_t n;
	const nd_id *sorted = nd_entities(f, ND_IRQ, &n);
	nd_id *irqs = nd_alloc((n + 1) * sizeof(*irqs)); /* the list moves when entities are made */

	if (n)
		memcpy(irqs, sorted, n * sizeof(*irqs));
	for (uint32_t i = 0; i < n; i++) {
		struct nd_links l = nd_related(f, irqs[i], ND_IRQ_IFACE, false);

		if (!cpus_known(f, irqs[i]))
			derive_cpus(f, irqs[i], by_cpu, counts);
		if (l.why == ND_PRESENT)
			continue; /* found or excluded on the live host */
		relate_by_names(f, irqs[i], name, true);
		nd_relate_missing(f, irqs[i], ND_IRQ_IFACE, ND_TOOL_OUTPUT_ABSENT,
				  "its name does not hold an interface");
	}
	free(irqs);
	free(counts);
	nd_fact_missing(f, &nd_irq_facts[ND_I_AFFINITY], ND_TOOL_OUTPUT_ABSENT,
			"no /proc/irq/*/smp_affinity_list that can be read");
	nd_fact_missing(f, &nd_irq_facts[ND_I_MANAGED], ND_TOOL_OUTPUT_ABSENT,
			"no /sys/kernel/debug/irq/irqs/* that can be read");
}

static const struct nd_read reads[] = {
	{"/proc/interrupts", 0,
	 "CPU[0-9]* *CPU[0-9]*\n[0-9]*: *[0-9] *[0-9]*\n\nCPU0*\nLOC: *\n\nCPU[0-9]*\nNMI: *\n\nCPU[0-9]*\n[0-9]*: * *-*\n\n"
	 "[0-9]*: *[0-9] *MSI*-*"},
	{"/proc/irq/*/effective_affinity_list", ND_READ_ONCE},
	{"/proc/irq/*/smp_affinity_list", ND_READ_ONCE},
	{0},
};

const struct nd_collector nd_collector_irq = {
	.name = "irq",
	.doc = "interrupts: counts, affinity, and the interface that each belongs to",
	.collect = "cat /proc/interrupts",
	.reads = reads,
	.facts = nd_irq_facts,
	.entities = {ND_IRQ, ND_NO_KIND},
	.parse = parse,
	.live = live,
	.finish = finish,
};
