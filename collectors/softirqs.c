/* /proc/softirqs: how often each softirq handler ran on each CPU.
 *
 * Decimal, a header of CPU names, one row per softirq. The columns are the *possible* CPUs: those
 * that were never online are zero in all rows, and are no CPUs of this host. Counts are runs of the
 * handler, not packets, and are unsigned int in the kernel (they wrap at 2^32). */
#include "collectors/collector.h"
#include "collectors/cpulist.h"
#include "collectors/host.h"

#include <errno.h>

#define SHOW(row)                                                                                  \
	"awk -v c=CPU{key} 'NR==1 {for (i=1; i<=NF; i++) if ($i==c) n=i+1} $1==\"" row             \
	":\" {print $n}' "                                                                         \
	"/proc/softirqs"
#define COUNTER(n, row, text)                                                                      \
	{                                                                                          \
		.name = "softirq." n, .on = ND_CPU, .type = ND_T_NUMBER, .unit = ND_U_COUNT,       \
		.width = ND_COUNTER32, .doc = text, .reproduce = SHOW(row)                         \
	}

enum {
	F_HI,
	F_TIMER,
	F_NET_TX,
	F_NET_RX,
	F_BLOCK,
	F_IRQ_POLL,
	F_TASKLET,
	F_SCHED,
	F_HRTIMER,
	F_RCU,
	ROWS,
	F_WAIT = ROWS
};

static const char *const row_names[ROWS] = {
	[F_HI] = "HI:",		  [F_TIMER] = "TIMER:", [F_NET_TX] = "NET_TX:",
	[F_NET_RX] = "NET_RX:",	  [F_BLOCK] = "BLOCK:", [F_IRQ_POLL] = "IRQ_POLL:",
	[F_TASKLET] = "TASKLET:", [F_SCHED] = "SCHED:", [F_HRTIMER] = "HRTIMER:",
	[F_RCU] = "RCU:",
};

static const struct nd_fact_def facts[] = {
	[F_HI] = COUNTER("hi", "HI", "runs of the high-priority tasklet handler"),
	[F_TIMER] = COUNTER("timer", "TIMER", "runs of the timer handler"),
	[F_NET_TX] = COUNTER("net_tx", "NET_TX", "runs of the transmit handler"),
	[F_NET_RX] = COUNTER("net_rx", "NET_RX",
			     "runs of the receive handler; one run is 1 to some 300 packets"),
	[F_BLOCK] = COUNTER("block", "BLOCK", "runs of the block device completion handler"),
	[F_IRQ_POLL] = COUNTER("irq_poll", "IRQ_POLL", "runs of the interrupt polling handler"),
	[F_TASKLET] = COUNTER("tasklet", "TASKLET", "runs of the tasklet handler"),
	[F_SCHED] = COUNTER("sched", "SCHED", "runs of the load balancing handler"),
	[F_HRTIMER] = COUNTER("hrtimer", "HRTIMER", "runs of the high-resolution timer handler"),
	[F_RCU] = COUNTER("rcu", "RCU", "runs of the RCU callback handler"),
	[F_WAIT] = {.name = "softirq.net_rx.wait",
		    .on = ND_CPU,
		    .type = ND_T_HIST,
		    .unit = ND_U_SECONDS,
		    .doc = "time from the raise of the receive softirq to its handler's start",
		    .probe = "softirq"},
	{0},
};

struct matrix {
	uint32_t n; /* columns */
	uint32_t cpus[ND_CPUS_MAX]; /* the CPU of each column */
	uint64_t *counts; /* ROWS x n */
	bool have[ROWS];
};

/* "        CPU0       CPU1 …" */
static bool parse_header(char *line, struct matrix *m)
{
	char *word;

	for (m->n = 0; (word = nd_word(&line)); m->n++) {
		if (m->n == ND_CPUS_MAX || !nd_cpu_from_name(word, &m->cpus[m->n]))
			return false;
	}
	return m->n > 0;
}

static int row_index(const char *name)
{
	for (int i = 0; i < ROWS; i++) {
		if (strcmp(row_names[i], name) == 0)
			return i;
	}
	return -1;
}

/* Fills the row's counts; false when the line does not have one number for each CPU. */
static bool parse_counts(char *line, uint32_t n, uint64_t *counts)
{
	uint32_t i = 0;
	char *word;

	for (; (word = nd_word(&line)); i++) {
		if (i == n || !nd_parse_u64(word, 10, &counts[i]))
			return false;
	}
	return i == n;
}

/* Is the column a CPU of this host? */
static bool exists(const struct nd_facts *f, const struct matrix *m, uint32_t column,
		   const struct nd_cpus *online)
{
	char key[16];

	if (nd_cpus_count(online))
		return nd_cpus_has(online, m->cpus[column]);
	snprintf(key, sizeof(key), "%u", m->cpus[column]);
	if (nd_entity_find(f, ND_CPU, key) != ND_NO_ENTITY)
		return true;
	for (uint32_t r = 0; r < ROWS; r++) {
		if (m->have[r] && m->counts[r * m->n + column])
			return true;
	}
	return false;
}

static void put_all(struct nd_facts *f, const struct matrix *m, const struct nd_input *in)
{
	struct nd_cpus online;

	nd_host_online(f, &online);
	for (uint32_t c = 0; c < m->n; c++) {
		nd_id cpu;

		if (!exists(f, m, c, &online))
			continue;
		cpu = nd_entity_num(f, ND_CPU, m->cpus[c]);
		for (uint32_t r = 0; r < ROWS; r++) {
			if (m->have[r])
				nd_put_reading(f, cpu, &facts[r], m->counts[r * m->n + c], in);
			else
				nd_put_missing(f, cpu, &facts[r], ND_TOOL_OUTPUT_ABSENT,
					       "%s has no good row %s", in->path, row_names[r]);
		}
	}
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	struct matrix *m = nd_alloc(sizeof(*m));
	bool headed = false;
	int rc = 0, good = 0;
	char *line, *name;

	while ((line = nd_stream_line(s))) {
		int row;

		if (!headed) { /* lines above the header are a shell's prompt or empty */
			headed = parse_header(line, m);
			if (headed)
				m->counts = nd_alloc((size_t)m->n * ROWS * sizeof(*m->counts));
			continue;
		}
		name = nd_word(&line);
		row = name ? row_index(name) : -1;
		if (row < 0)
			continue;
		m->have[row] = parse_counts(line, m->n, &m->counts[(uint32_t)row * m->n]);
		if (m->have[row])
			good++;
		else
			rc = nd_parse_fail(in, s, e, "one number for each CPU", name);
	}
	if (good) {
		put_all(f, m, in);
		rc = 0;
	} else if (!rc) {
		rc = nd_parse_fail(in, s, e,
				   headed ? "rows such as NET_RX:" : "a header of CPU names",
				   "none");
	}
	free(m->counts);
	free(m);
	return rc;
}

static void finish(struct nd_facts *f)
{
	nd_fact_missing(f, &facts[F_WAIT], ND_NOT_SAMPLED, "needs the softirq probe");
}

static const struct nd_read reads[] = {{"/proc/softirqs", 0, "NET_RX: *[0-9]*"}, {0}};

const struct nd_collector nd_collector_softirqs = {
	.name = "softirqs",
	.doc = "runs of each softirq handler by CPU",
	.collect = "cat /proc/softirqs",
	.reads = reads,
	.facts = facts,
	.entities = {ND_CPU, ND_NO_KIND},
	.parse = parse,
	.finish = finish,
};
