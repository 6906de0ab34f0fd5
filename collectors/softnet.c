/* /proc/net/softnet_stat: what the receive softirq did on each online CPU, and where it gave up.
 *
 * The file has no header: a line per online CPU of 8-digit hexadecimal columns, which grew in time:
 *   9-11  up to 5.9
 *   13    5.10: + backlog length, CPU number
 *   15    6.6: + input queue, process queue (their sum is the backlog length)
 *
 * Without the CPU number the n-th line is the n-th online CPU, which is not CPU n when one is
 * offline. All columns are u32 and wrap. Every network namespace shows the same numbers, so it is
 * read once. Sample (6.1):
 *
 * 00358fe3 00006283 00000000 00000000 … 00000000 000855fc 00000000 00000000 00000000 */
#include "collectors/collector.h"
#include "collectors/cpulist.h"
#include "collectors/host.h"

#include <errno.h>

enum { F_PROCESSED, F_DROPPED, F_SQUEEZE, F_RPS, F_FLOW_LIMIT, F_QUEUE };

/* By CPU number where the line has one, else by line; in decimal. */
#define SHOW(column)                                                                               \
	"printf '%d\\n' 0x$(awk -v c=$(printf %08x {key}) '(NF<13 ? NR=={key}+1 : $13 \"\" == c) " \
	"{print $" column "}' /proc/net/softnet_stat)"
#define COUNTER(n, column, text)                                                                   \
	{                                                                                          \
		.name = "softnet." n, .on = ND_CPU, .type = ND_T_NUMBER, .unit = ND_U_COUNT,       \
		.width = ND_COUNTER32, .doc = text, .reproduce = SHOW(column)                      \
	}

static const struct nd_fact_def facts[] = {
	[F_PROCESSED] =
		COUNTER("processed", "1", "packets taken into the stack on this CPU, after GRO"),
	[F_DROPPED] = COUNTER(
		"dropped", "2",
		"packets refused because this CPU's backlog queue was full or by the flow limit"),
	[F_SQUEEZE] = COUNTER(
		"time_squeeze", "3",
		"receive runs that ended with work left: budget or time was used up; no loss"),
	[F_RPS] = COUNTER("received_rps", "10",
			  "interrupts from other CPUs to process packets steered here"),
	[F_FLOW_LIMIT] =
		COUNTER("flow_limit", "11", "packets dropped by the flow limit, a part of dropped"),
	[F_QUEUE] = {.name = "softnet.queue",
		     .on = ND_CPU,
		     .type = ND_T_NUMBER,
		     .unit = ND_U_COUNT,
		     .width = ND_SAMPLED,
		     .doc = "packets waiting in this CPU's backlog queue",
		     .reproduce = SHOW("12")},
	{0},
};

#define HEX4 "[0-9a-f][0-9a-f][0-9a-f][0-9a-f]"
#define HEX8 HEX4 HEX4

#define COLUMNS_MIN 3
#define COLUMNS_MAX 32 /* later kernels may add; what we do not know is not read */
enum {
	C_PROCESSED,
	C_DROPPED,
	C_SQUEEZE,
	C_RPS = 9,
	C_FLOW_LIMIT,
	C_BACKLOG,
	C_CPU,
	C_INPUT,
	C_PROCESS
};

struct row {
	uint64_t v[COLUMNS_MAX];
	uint32_t n;
};

/* Every column is eight digits: anything else is another file, or was cut. */
static const char *parse_row(char *line, struct row *r)
{
	char *word;

	for (r->n = 0; (word = nd_word(&line)); r->n++) {
		if (r->n == COLUMNS_MAX)
			return NULL;
		if (strlen(word) != 8 || !nd_parse_u64(word, 16, &r->v[r->n]))
			return word;
	}
	return NULL;
}

static void put_row(struct nd_facts *f, nd_id cpu, const struct row *r, const struct nd_input *in)
{
	nd_put_reading(f, cpu, &facts[F_PROCESSED], r->v[C_PROCESSED], in);
	nd_put_reading(f, cpu, &facts[F_DROPPED], r->v[C_DROPPED], in);
	nd_put_reading(f, cpu, &facts[F_SQUEEZE], r->v[C_SQUEEZE], in);
	if (r->n > C_RPS)
		nd_put_reading(f, cpu, &facts[F_RPS], r->v[C_RPS], in);
	else
		nd_put_missing(f, cpu, &facts[F_RPS], ND_NOT_ON_THIS_KERNEL, "%s has %u columns",
			       in->path, r->n);
	if (r->n > C_FLOW_LIMIT)
		nd_put_reading(f, cpu, &facts[F_FLOW_LIMIT], r->v[C_FLOW_LIMIT], in);
	else
		nd_put_missing(f, cpu, &facts[F_FLOW_LIMIT], ND_NOT_ON_THIS_KERNEL,
			       "%s has %u columns", in->path, r->n);
	if (r->n > C_PROCESS)
		nd_put_num(f, cpu, &facts[F_QUEUE], (double)(r->v[C_INPUT] + r->v[C_PROCESS]), in);
	else if (r->n > C_CPU)
		nd_put_num(f, cpu, &facts[F_QUEUE], (double)r->v[C_BACKLOG], in);
	else
		nd_put_missing(f, cpu, &facts[F_QUEUE], ND_NOT_ON_THIS_KERNEL,
			       "%s has %u columns; the queue's length came with Linux 5.10",
			       in->path, r->n);
}

/* The CPU of the index-th good line, or ND_CPUS_MAX. */
static uint64_t cpu_of(const struct row *r, uint32_t index, const struct nd_cpus *online)
{
	if (r->n > C_CPU)
		return r->v[C_CPU];
	return nd_cpus_count(online) ? nd_cpus_nth(online, index) : index;
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	struct nd_cpus online, seen = {0};
	uint32_t index = 0, good = 0, columns = 0;
	int rc = 0;
	char *line;

	nd_host_online(f, &online);
	for (; (line = nd_stream_line(s)); index++) {
		struct row r;
		const char *found;
		uint64_t cpu;

		if (!*nd_trim(line)) {
			index--;
			continue;
		}
		found = parse_row(line, &r);
		columns = r.n > columns ? r.n : columns;
		if (found || r.n < COLUMNS_MIN ||
		    r.n < columns) { /* shorter than those above: cut */
			rc = nd_parse_fail(in, s, e, "columns of 8 hexadecimal digits",
					   found ? found : "too few");
			continue;
		}
		cpu = cpu_of(&r, index, &online);
		if (cpu >= ND_CPUS_MAX || nd_cpus_has(&seen, cpu)) {
			rc = nd_parse_fail(in, s, e, "one line for each online CPU", "another one");
			continue;
		}
		seen.bits[cpu / 64] |= 1ull << (cpu % 64);
		put_row(f, nd_entity_num(f, ND_CPU, cpu), &r, in);
		good++;
	}
	if (good)
		return 0;
	return rc ? rc : nd_parse_fail(in, s, e, "columns of 8 hexadecimal digits", "nothing");
}

static const struct nd_read reads[] = {
	{"/proc/net/softnet_stat", 0, HEX8 " " HEX8 " " HEX8 " 00000000 00000000 *"}, {0}};

const struct nd_collector nd_collector_softnet = {
	.name = "softnet",
	.doc = "receive softirq by CPU: packets, backlog drops, exhausted budgets",
	.collect = "cat /proc/net/softnet_stat",
	.reads = reads,
	.facts = facts,
	.entities = {ND_CPU, ND_NO_KIND},
	.parse = parse,
};
