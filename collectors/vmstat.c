/* Output of vmstat, iostat, sar -q, lscpu and nproc, and /proc/loadavg: how busy all CPUs together are.
 *
 * vmstat's first row, and iostat's first block, stand for the time since boot; only the numbers of
 * tasks that run (r) or sleep for a disk (b) are of that moment. A row with other columns than its
 * header is left out. Samples:
 *
 *  r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
 *  3  0      0 123456   2048  98765    0    0     1     2  100  200 50 10 40  0  0
 * avg-cpu:  %user   %nice %system %iowait  %steal   %idle
 *            1.00    0.00    2.00    0.50    0.00   96.50
 * 10:00:01  runq-sz  plist-sz   ldavg-1   ldavg-5  ldavg-15   blocked
 * 2.06 1.79 1.74 3/456 4711 */
#include "collectors/cpu.h"
#include "collectors/task.h"

#define LOAD_MAX 1e6

enum table { NO_TABLE, VMSTAT, IOSTAT, IOSTAT_X, SAR_Q };

struct file {
	const struct nd_input *in;
	struct nd_facts *f;
	enum table table;
	char head[1024]; /* the header's words */
	struct nd_words columns;
	uint32_t rows, good;
	uint32_t blocks; /* of disks; the first stands for the time since boot */
	double await, busy; /* of this block's slowest disk, s and ratio; negative: none yet */
};

static void put(struct file *x, int fact, double v)
{
	nd_put_num(x->f, 0, &nd_cpu_time_facts[fact], v, x->in);
	x->good++;
}

static enum table table_of(const struct nd_words *w)
{
	if (nd_words_find(w, "us", NULL) >= 0 && nd_words_find(w, "id", NULL) >= 0 &&
	    nd_words_find(w, "r", NULL) >= 0)
		return VMSTAT;
	if (nd_words_find(w, "avg-cpu:", NULL) == 0)
		return IOSTAT;
	if (w->n > 4 && nd_starts(w->w[0], "Device") && nd_words_find(w, "%util", NULL) > 0)
		return IOSTAT_X;
	return nd_words_find(w, "runq-sz", NULL) >= 0 ? SAR_Q : NO_TABLE;
}

/* The slowest disk of the block that ends here. */
static void end_block(struct file *x)
{
	if (x->blocks > 1 && x->await >= 0) {
		put(x, ND_HOST_DISK_AWAIT, x->await);
		put(x, ND_HOST_DISK_BUSY, x->busy > 1 ? 1 : x->busy);
	}
	x->await = -1;
}

static bool take_head(struct file *x, const char *line)
{
	struct nd_words w;
	char copy[sizeof(x->head)];
	enum table table;

	snprintf(copy, sizeof(copy), "%s", line);
	nd_words_cut(copy, &w);
	table = table_of(&w);
	if (table == NO_TABLE)
		return false;
	end_block(x);
	x->blocks += table == IOSTAT_X;
	if (table != x->table && table != IOSTAT_X && x->table != IOSTAT_X)
		x->rows = 0;
	x->table = table;
	snprintf(x->head, sizeof(x->head), "%s", line);
	nd_words_cut(x->head, &x->columns);
	return true;
}

/* The number in a column, counted from the end: the time in front may be one word or two. */
static bool number_in(const struct file *x, const struct nd_words *row, const char *column,
		      double *out)
{
	int at = nd_words_find(&x->columns, column, NULL);
	int place = at + (int)row->n - (int)x->columns.n;
	char *comma;

	if (at < 0 || place < 0 || place >= (int)row->n)
		return false;
	comma = strchr(row->w[place], ',');
	if (comma)
		*comma = '.';
	return nd_parse_f64(row->w[place], out) && *out >= 0 && *out <= LOAD_MAX;
}

static void put_shares(struct file *x, const struct nd_words *row)
{
	static const char *const names[] = {"us",      "sy",	  "id",	    "wa",
					    "st",      "gu",	  "%user",  "%nice",
					    "%system", "%iowait", "%steal", "%idle"};
	struct nd_cpu_shares s = {{0}};
	double v;

	for (size_t i = 0; i < ND_ARRAY_LEN(names); i++)
		if (number_in(x, row, names[i], &v) && v <= 101)
			nd_cpu_add(&s, nd_cpu_label(names[i]), v / 100);
	if (s.have[ND_CPU_IDLE])
		nd_cpu_put_host(x->f, &s, x->in);
}

/* "r" and "b" of vmstat stand first, whatever a time behind the row adds. */
static void take_vmstat(struct file *x, struct nd_words *row)
{
	double r, b, id;

	if (row->n < x->columns.n)
		return;
	row->n = x->columns.n; /* -t: the time behind */
	if (!number_in(x, row, "r", &r) || !number_in(x, row, "b", &b) ||
	    !number_in(x, row, "id", &id))
		return;
	put(x, ND_HOST_RUN_QUEUE, r);
	put(x, ND_HOST_BLOCKED, b);
	if (x->rows++ > 0)
		put_shares(x, row);
}

static void take_iostat(struct file *x, struct nd_words *row)
{
	double idle;

	if (row->n + 1 != x->columns.n || !number_in(x, row, "%idle", &idle))
		return;
	x->good++;
	if (x->rows++ > 0)
		put_shares(x, row);
	x->columns.n = 0; /* one row a header */
}

/* "sda 0.00 3.00 … 12.50 … 99.60": await in ms; newer versions have it for reads and writes apart. */
static void take_disk(struct file *x, const struct nd_words *row)
{
	static const char *const names[] = {"await", "r_await", "w_await"};
	double v, await = -1, busy;

	if (row->n != x->columns.n || !number_in(x, row, "%util", &busy))
		return;
	for (size_t i = 0; i < ND_ARRAY_LEN(names); i++)
		if (number_in(x, row, names[i], &v) && v / 1e3 > await)
			await = v / 1e3;
	x->good++;
	if (await > x->await) {
		x->await = await;
		x->busy = busy / 100;
	}
}

static void take_sar(struct file *x, const struct nd_words *row)
{
	double v;

	if (row->n < 5 || strcmp(row->w[0], "Average:") == 0)
		return;
	if (number_in(x, row, "runq-sz", &v))
		put(x, ND_HOST_RUN_QUEUE, v);
	if (number_in(x, row, "blocked", &v))
		put(x, ND_HOST_BLOCKED, v);
	if (number_in(x, row, "ldavg-1", &v))
		put(x, ND_HOST_LOAD_1, v);
	if (number_in(x, row, "ldavg-5", &v))
		put(x, ND_HOST_LOAD_5, v);
	if (number_in(x, row, "ldavg-15", &v))
		put(x, ND_HOST_LOAD_15, v);
}

/* "2.06 1.79 1.74 3/456 4711" */
static bool take_loadavg(struct file *x, const struct nd_words *w)
{
	double load[3];
	uint64_t running;

	if (w->n != 5 || !strchr(w->w[3], '/'))
		return false;
	w->w[3][strcspn(w->w[3], "/")] = '\0';
	for (int i = 0; i < 3; i++)
		if (!nd_parse_f64(w->w[i], &load[i]) || load[i] < 0)
			return false;
	if (!nd_parse_u64(w->w[3], 10, &running))
		return false;
	for (int i = 0; i < 3; i++)
		put(x, ND_HOST_LOAD_1 + i, load[i]);
	put(x, ND_HOST_RUN_QUEUE, (double)running);
	return true;
}

/* "CPU(s):              8", of lscpu; or the number alone, of nproc */
static bool take_count(struct file *x, const struct nd_words *w)
{
	const bool lscpu = w->n == 2 && strcmp(w->w[0], "CPU(s):") == 0;
	uint64_t v;

	if (!lscpu && !(w->n == 1 && strstr(x->in->path, "nproc")))
		return false;
	if (!nd_parse_u64(w->w[w->n - 1], 10, &v) || v == 0 || v > 65536)
		return false;
	put(x, ND_HOST_CPUS, (double)v);
	return true;
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	struct file x = {.in = in, .f = f, .await = -1};
	char *line;

	while ((line = nd_stream_line(s))) {
		struct nd_words w;

		if (nd_cpu_banner(line, f, in)) {
			x.good++;
			continue;
		}
		if (take_head(&x, line)) {
			x.good++;
			continue;
		}
		nd_words_cut(line, &w);
		if (w.n == 0 || take_loadavg(&x, &w) || take_count(&x, &w))
			continue;
		switch (x.table) {
		case VMSTAT: take_vmstat(&x, &w); break;
		case IOSTAT: take_iostat(&x, &w); break;
		case IOSTAT_X: take_disk(&x, &w); break;
		case SAR_Q: take_sar(&x, &w); break;
		case NO_TABLE: break;
		}
	}
	end_block(&x);
	if (nd_stream_error(s))
		return nd_fail(e, nd_stream_error(s), "%s: %s", in->path,
			       strerror(-nd_stream_error(s)));
	return x.good ? 0 : nd_parse_fail(in, s, e, "rows of vmstat, iostat, sar or lscpu", "none");
}

static const struct nd_read reads[] = {
	{"/proc/loadavg", 0, NULL},
	{"vmstat", 0, "r *b *swpd *free *us *sy *id *wa*"},
	{"iostat", 0, "avg-cpu: *%user *%nice *%system *%iowait *%idle\n\nDevice*await*%util"},
	{"sar -q", 0, "*runq-sz *plist-sz *ldavg-1 *"},
	{"lscpu", 0, "Architecture: *\nCPU(s): *"},
	{"nproc", 0, NULL},
	{0},
};

const struct nd_collector nd_collector_vmstat = {
	.name = "vmstat",
	.doc = "how busy the CPUs are, from /proc/loadavg and the output of vmstat, iostat, sar and lscpu",
	.reads = reads,
	.facts = nd_cpu_time_facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
};
