/* Output of top, of procps (old and new), busybox, in batch mode or copied from a terminal.
 *
 * Shares of CPU time stand behind a label ("Cpu(s):", "%Cpu3 :", "CPU:") as number and name in any
 * order of columns; a locale may write a comma for the point. A later frame adds a sample. procps up
 * to 3.2 ("Cpu(s):  0.3%us") shows in its first frame of batch mode the shares since boot; it is left
 * out when others follow, and what one such frame says is no more than a hint. The table of
 * processes is found by its header; with -H ("Threads:") its rows are threads. Samples:
 *
 * Cpu(s):  0.0%us,  0.0%sy,  0.0%ni, 35.5%id,  0.0%wa, 10.3%hi,  0.0%si, 54.3%st
 * %Cpu0  :   1.3 us,   0.7 sy,  0.0 ni, 97.0 id,  0.0 wa,  0.0 hi,  1.0 si,  0.0 st
 * CPU:   2% usr   1% sys   0% nic  96% idle   0% io   0% irq   0% sirq */
#include "collectors/cpu.h"
#include "collectors/task.h"

#include "collectors/process.h"

#include <ctype.h>
#include <math.h>

#define ROWS_MAX 4096u /* of processes, in one file */

struct file {
	const struct nd_input *in;
	struct nd_facts *f;
	uint32_t good, rows, frames;
	bool threads;
	bool old; /* procps up to 3.2 */
	struct nd_cpu_shares first; /* of its first frame */
	int pid, cpu, comm; /* columns of the table; negative: not there */
};

/* ---- shares ---- */

/* "54.3%st", "54.3 st", "96% idle" at *at: moves it behind, true if it was one. */
static bool take_share(const char **at, struct nd_cpu_shares *out)
{
	const char *s = *at;
	char number[16], label[16];
	size_t n = strspn(s, "0123456789");
	double v;
	int share;

	if (n && (s[n] == '.' || s[n] == ',') && isdigit((unsigned char)s[n + 1]))
		n += 1 + strspn(s + n + 1, "0123456789");
	if (n == 0 || n >= sizeof(number))
		return false;
	memcpy(number, s, n);
	number[n] = '\0';
	s += n;
	s += *s == '%';
	s += strspn(s, " \t");
	for (n = 0; n < sizeof(label) - 1 && isalpha((unsigned char)s[n]); n++)
		label[n] = s[n];
	label[n] = '\0';
	share = nd_cpu_label(label);
	if (share < 0 || !nd_percent(number, 1, &v))
		return false;
	nd_cpu_add(out, share, v);
	*at = s + n;
	return true;
}

/* The shares behind a label, up to the next label. *at is then behind them. */
static bool take_shares(const char **at, struct nd_cpu_shares *out)
{
	const char *s = *at;
	uint32_t n = 0;

	memset(out, 0, sizeof(*out));
	while (*s && *s != '%' && *s != 'C') {
		if (isdigit((unsigned char)*s) && take_share(&s, out))
			n++;
		else
			s++;
	}
	*at = s;
	return n >= 3;
}

/* "%Cpu3  : …", "Cpu(s): …", "CPU: …": 0 all, 1 one CPU, -1 none; *at is then behind the colon. */
static int take_label(const char **at, uint32_t *cpu)
{
	const char *s = *at;
	uint64_t v = 0;
	int kind = 0;

	s += *s == '%';
	if (strncasecmp(s, "cpu", 3) != 0)
		return -1;
	s += 3;
	if (nd_starts(s, "(s)")) {
		s += 3;
	} else if (isdigit((unsigned char)*s)) {
		for (kind = 1; isdigit((unsigned char)*s) && v < 100000; s++)
			v = v * 10 + (uint64_t)(*s - '0');
	}
	s += strspn(s, " \t");
	if (*s != ':' || v >= 65536)
		return -1;
	*at = s + 1;
	*cpu = (uint32_t)v;
	return kind;
}

static void put_first(struct file *x)
{
	if (x->frames == 1 || !x->old)
		nd_cpu_put_host(x->f, &x->first, x->in);
}

/* A line may hold two CPUs. */
static bool take_cpus(struct file *x, const char *line)
{
	const char *at = line;
	uint32_t cpu;
	bool any = false;

	while (*at) {
		int kind = take_label(&at, &cpu);
		struct nd_cpu_shares s;

		if (kind < 0) {
			if (!any)
				return false;
			at++;
			continue;
		}
		any = true;
		if (!take_shares(&at, &s))
			continue;
		x->good++;
		if (kind == 1) {
			nd_cpu_put(x->f, cpu, &s, x->in);
		} else if (x->frames++ == 0) {
			x->first = s;
			x->old = strstr(line, "%us") != NULL;
		} else {
			nd_cpu_put_host(x->f, &s, x->in);
		}
	}
	return any;
}

/* ---- the lines above ---- */

/* "load average: 2.06, 1.79, 1.74", busybox: "Load average: 0.00 0.01 0.05 1/92 4711" */
static bool take_load(struct file *x, char *line)
{
	char *at = strcasestr(line, "load average");
	double v;

	if (!at)
		return false;
	at += strcspn(at, ":");
	at += *at == ':';
	for (int i = 0; i < 3; i++) {
		char *word = nd_word(&at);
		size_t n = word ? strlen(word) : 0;

		if (n && word[n - 1] == ',')
			word[n - 1] = '\0';
		if (n)
			word[strcspn(word, ",")] = strchr(word, ',') ? '.' : '\0';
		if (!n || !nd_parse_f64(word, &v) || v < 0)
			break;
		nd_put_num(x->f, 0, &nd_cpu_time_facts[ND_HOST_LOAD_1 + i], v, x->in);
		x->good++;
	}
	return true;
}

/* "Tasks:  92 total,   2 running,  90 sleeping" */
static bool take_tasks(struct file *x, char *line)
{
	const bool threads = nd_starts(line, "Threads:");
	char *word, *before = NULL;
	uint64_t v;

	if (!threads && !nd_starts(line, "Tasks:"))
		return false;
	x->threads = threads;
	while ((word = nd_split(&line, " \t,"))) {
		if (before && nd_starts(word, "run") && nd_parse_u64(before, 10, &v))
			nd_put_num(x->f, 0, &nd_cpu_time_facts[ND_HOST_RUN_QUEUE], (double)v,
				   x->in);
		before = word;
	}
	return true;
}

/* ---- the table ---- */

static bool take_head(struct file *x, const struct nd_words *w)
{
	int pid = nd_words_find(w, "PID", NULL), comm = nd_words_find(w, "COMMAND", "Command");

	if (pid < 0 || comm < 0)
		return false;
	x->pid = pid;
	x->cpu = nd_words_find(w, "%CPU", "%Cpu");
	x->comm = comm;
	return true;
}

static void take_row(struct file *x, const struct nd_words *w)
{
	const bool thread = x->threads;
	const char *comm;
	char name[16];
	uint64_t pid;
	double v;
	nd_id on;

	if (x->cpu < 0 || x->comm >= (int)w->n || x->rows >= ROWS_MAX ||
	    !nd_parse_u64(w->w[x->pid], 10, &pid) || !nd_percent(w->w[x->cpu], 10000, &v))
		return;
	x->rows++;
	comm = w->w[x->comm];
	comm += strspn(comm, "`-|_ +");
	snprintf(name, sizeof(name), "%.15s", comm);
	on = nd_entity_num(x->f, thread ? ND_THREAD : ND_PROCESS, pid);
	nd_put_text(x->f, on, &nd_process_facts[thread ? ND_P_THREAD_COMM : ND_P_COMM], name,
		    x->in);
	nd_put_num(x->f, on, &nd_task_facts[thread ? ND_TASK_THREAD_CPU : ND_TASK_PROCESS_CPU],
		   thread ? fmin(v, 1) : v, x->in);
	x->good++;
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	struct file x = {.in = in, .f = f, .pid = -1};
	char *line;

	while ((line = nd_stream_line(s))) {
		struct nd_words w;

		line = nd_trim(line);
		if (take_cpus(&x, line) || take_load(&x, line) || take_tasks(&x, line))
			continue;
		nd_words_cut(line, &w);
		if (!take_head(&x, &w) && x.pid >= 0 && x.pid < (int)w.n)
			take_row(&x, &w);
	}
	put_first(&x);
	if (nd_stream_error(s))
		return nd_fail(e, nd_stream_error(s), "%s: %s", in->path,
			       strerror(-nd_stream_error(s)));
	return x.good ? 0 : nd_parse_fail(in, s, e, "lines of top", "none");
}

static const struct nd_read reads[] = {
	{"top", 0,
	 "*Cpu*us,*sy,*ni,*id,*wa*\n\n*PID *USER *%CPU *COMMAND*\n\nCPU: *% usr *% sys *% idle*"},
	{"uptime", 0, NULL},
	{"w", 0, NULL},
	{0},
};

const struct nd_collector nd_collector_top = {
	.name = "top",
	.doc = "CPU time of the host and its processes, from the output of top",
	.reads = reads,
	.facts = nd_cpu_time_facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
};
