/* Output of mpstat -P ALL: where each CPU's time went in an interval that the tool measured.
 *
 * Columns are found by name, counted from the CPU column, because the time in front of it is one
 * word, two ("03:50:10 AM") or "Average:". A later report replaces an earlier one, so the average
 * at the end counts. Without an interval mpstat prints shares since boot, under a header with the
 * same time as the rows; these say nothing about now. guest is not inside usr here. Tables of
 * interrupts have a CPU column, too, but no %idle.
 *
 * 03:50:09 CPU  %usr %nice  %sys %iowait %irq %soft %steal %guest %gnice %idle
 * 03:50:10   0 14.00  0.00 28.00    0.00 0.00 49.00   0.00   0.00   0.00  9.00 */
#include "collectors/collector.h"
#include "collectors/cpu.h"
#include "collectors/cpulist.h"

#define COLUMNS_MAX 32
#define NO_SHARE UINT32_MAX

struct table {
	uint32_t n; /* columns behind CPU; 0: no table of shares */
	uint32_t share[COLUMNS_MAX]; /* ND_CPU_… or NO_SHARE */
	char when[32]; /* what stands in front of CPU */
};

static uint32_t share_of(const char *name)
{
	static const struct {
		const char *name;
		uint32_t share;
	} names[] = {
		{"%usr", ND_CPU_USER},	    {"%user", ND_CPU_USER},	{"%nice", ND_CPU_USER},
		{"%guest", ND_CPU_USER},    {"%gnice", ND_CPU_USER},	{"%sys", ND_CPU_SYSTEM},
		{"%system", ND_CPU_SYSTEM}, {"%soft", ND_CPU_SOFT},	{"%irq", ND_CPU_IRQ},
		{"%steal", ND_CPU_STEAL},   {"%iowait", ND_CPU_IOWAIT}, {"%idle", ND_CPU_IDLE},
	};

	for (size_t i = 0; i < ND_ARRAY_LEN(names); i++) {
		if (strcmp(names[i].name, name) == 0)
			return names[i].share;
	}
	return NO_SHARE;
}

/* Cuts a line into words; returns their number, at most max. */
static uint32_t words_of(char *line, char **words, uint32_t max)
{
	uint32_t n = 0;

	while (n < max && (words[n] = nd_word(&line)))
		n++;
	return n;
}

static void write_when(char *out, size_t size, char **words, uint32_t n)
{
	snprintf(out, size, "%s %s", n > 0 ? words[0] : "", n > 1 ? words[1] : "");
}

/* Takes a header: true if the line is one, of whatever table. */
static bool take_header(char **words, uint32_t n, struct table *t)
{
	bool idle = false;
	uint32_t at = 0;

	while (at < n && strcmp(words[at], "CPU") != 0)
		at++;
	if (at == n)
		return false;
	*t = (struct table){0};
	for (uint32_t i = at + 1; i < n && t->n < COLUMNS_MAX; i++) {
		t->share[t->n++] = share_of(words[i]);
		idle = idle || strcmp(words[i], "%idle") == 0;
	}
	if (!idle)
		t->n = 0;
	write_when(t->when, sizeof(t->when), words, at);
	return true;
}

/* "13.25", or "13,25" where the locale has it so: as a ratio. */
static bool parse_percent(char *word, double *out)
{
	char *comma = strchr(word, ',');

	if (comma)
		*comma = '.';
	if (!nd_parse_f64(word, out) || *out < 0 || *out > 101)
		return false;
	*out /= 100;
	return true;
}

/* The row "all". */
struct row {
	const double *sum;
	const bool *have;
	const char *when, *header; /* what stands in front of it, and of its header */
};

/* A sample of all CPUs; not the average at the end, if there were others, nor shares since boot. */
static void put_all(const struct row *row, const struct nd_input *in, struct nd_facts *f)
{
	struct nd_cpu_shares s = {{0}};
	const bool average = !strpbrk(row->when, "0123456789");
	nd_fact_id id = nd_registry_find(nd_facts_registry(f), ND_HOST, "cpu.time.idle");

	if (average ? nd_get(f, 0, id, ND_BARE).type == ND_V_NUMBER
		    : strcmp(row->when, row->header) == 0)
		return;
	for (int i = 0; i < ND_CPU_SHARES; i++)
		if (row->have[i])
			nd_cpu_add(&s, i, row->sum[i]);
	nd_cpu_put_host(f, &s, in);
}

/* A row: 1: a CPU was put, 0: nothing to put, negative: malformed, and *found is what. */
static int take_row(char **words, uint32_t n, const struct table *t, const struct nd_input *in,
		    struct nd_facts *f, const char **found)
{
	double sum[ND_CPU_IOWAIT + 1] = {0};
	bool have[ND_CPU_IOWAIT + 1] = {false};
	uint32_t at = n - t->n - 1;
	uint64_t number = 0;
	char when[32];
	nd_id cpu;
	const bool all = n > t->n && strcmp(words[at], "all") == 0;

	if (n <= t->n || (!all && (!nd_parse_u64(words[at], 10, &number) || number >= ND_CPUS_MAX)))
		return 0; /* prompts, a banner */
	for (uint32_t i = 0; i < t->n; i++) {
		double v;

		if (t->share[i] == NO_SHARE)
			continue;
		if (!parse_percent(words[at + 1 + i], &v)) {
			*found = words[at + 1 + i];
			return -1;
		}
		sum[t->share[i]] += v;
		have[t->share[i]] = true;
	}
	write_when(when, sizeof(when), words, at);
	if (all) {
		put_all(&(struct row){sum, have, when, t->when}, in, f);
		return 0;
	}
	cpu = nd_entity_num(f, ND_CPU, number);
	for (unsigned s = ND_CPU_USER; s <= ND_CPU_IOWAIT; s++) {
		if (strcmp(when, t->when) == 0 &&
		    strpbrk(when, "0123456789")) /* no average, in any language */
			nd_put_missing(f, cpu, &nd_cpu_time_facts[s], ND_SINGLE_SNAPSHOT,
				       "%s: without an interval it prints shares since boot",
				       in->path);
		else if (have[s])
			nd_put_num(f, cpu, &nd_cpu_time_facts[s], sum[s] > 1 ? 1 : sum[s], in);
	}
	return 1;
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	char *words[COLUMNS_MAX + 4], *line;
	struct table t = {0};
	bool tables = false;
	uint32_t good = 0;
	int rc = 0;

	while ((line = nd_stream_line(s))) {
		uint32_t n;
		const char *found = NULL;
		int got;

		if (nd_cpu_banner(line, f, in))
			continue;
		n = words_of(line, words, ND_ARRAY_LEN(words));
		if (take_header(words, n, &t)) {
			tables = tables || t.n;
			continue;
		}
		if (n == 0 || t.n == 0)
			continue;
		got = take_row(words, n, &t, in, f, &found);
		if (got > 0)
			good++;
		else if (got < 0)
			rc = nd_parse_fail(in, s, e, "a percentage", found);
	}
	if (!tables)
		return nd_parse_fail(in, s, e, "a table with the columns CPU and %idle", "none");
	return good ? 0 : rc; /* only "all": nothing about a CPU, and no fault */
}

static const struct nd_read reads[] = {
	{"mpstat", 0, "*CPU *%usr *%soft *%idle*\n\n*CPU *%user *%soft *%idle*"},
	{"sar -u", 0, "*CPU *%user *%nice *%system *%iowait *%steal *%idle"},
	{"sar -P", 0, NULL},
	{"sar cpu", 0, NULL},
	{0},
};

const struct nd_collector nd_collector_mpstat = {
	.name = "mpstat",
	.doc = "where each CPU's time went, from the output of mpstat -P ALL",
	.reads = reads,
	.facts = nd_cpu_time_facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
};
