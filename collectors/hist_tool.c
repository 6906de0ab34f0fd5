/* Histograms from BCC tools, libbpf-tools and bpftrace: runqlat, funclatency, softirqs, biolatency, …
 *
 * They put the facts that our own probes put. A histogram says nothing of what it measures but its
 * unit; that comes from the tool's first line, from the file's name, from a map's name (@runq_us),
 * or from the script when that was pasted with its output. What no name tells stays out, with a
 * sentence. A label of a pid above a histogram makes it that thread's; the idle threads (pid 0,
 * swapper) wait for nothing and are left out. Histograms of one label are added: -T and intervals
 * print each interval for itself; one that holds all of the earlier one (a map printed repeatedly
 * without clear) replaces it. */
#include "collectors/hist_subject.h"

#include "collectors/process.h"

#include <errno.h>

#define HOST 0 /* the entity's id */
#define SECTIONS_MAX 512u /* labels in one file */

enum { F_RUNQ_LENGTH, F_DISK_WAIT };

static const struct nd_fact_def facts[] = {
	[F_RUNQ_LENGTH] = {.name = "runq_length",
			   .on = ND_HOST,
			   .type = ND_T_HIST,
			   .unit = ND_U_COUNT,
			   .doc = "threads that wait for a CPU, sampled on each CPU",
			   .reproduce = "runqlen 10 1"},
	[F_DISK_WAIT] = {.name = "disk.wait",
			 .on = ND_HOST,
			 .type = ND_T_HIST,
			 .unit = ND_U_SECONDS,
			 .doc = "time from issue to completion of disk requests",
			 .reproduce = "biolatency 10 1"},
	{0},
};

/* One histogram with its label. */
struct section {
	struct nd_hist_label label;
	struct nd_hist_text h;
	double scale; /* seconds, or 1 for counts; 0: unknown */
};
struct file {
	const struct nd_input *in;
	struct nd_hist_subject subject;
	struct section *all, now;
	uint32_t n, cap;
	bool any, unknown; /* a histogram was read; one without a known meaning */
	char what[80]; /* the latter's name */
};

/* ---- from sections to facts ---- */

/* Sums of what stands in b and in a; false if they have no bounds in common. */
static bool merge(struct nd_hist_text *a, const struct nd_hist_text *b)
{
	bool grown = b->n >= a->n;

	for (uint32_t i = 0; grown && i < a->n; i++) {
		uint32_t k = 0;

		while (k < b->n && b->b[k].lo != a->b[i].lo)
			k++;
		grown = k < b->n && b->b[k].count >= a->b[i].count;
	}
	if (grown) {
		*a = *b;
		return true;
	}
	for (uint32_t i = 0; i < b->n; i++)
		if (!nd_hist_text_add(a, &b->b[i]))
			return false;
	return true;
}

static void scaled(const struct section *s, struct nd_hist_text *out)
{
	*out = s->h;
	for (uint32_t i = 0; i < out->n; i++) {
		out->b[i].lo *= s->scale;
		out->b[i].hi *= s->scale;
	}
}

static void put_hist(struct nd_facts *f, nd_id on, const struct nd_fact_def *fact,
		     const struct section *s, const struct nd_input *in)
{
	struct nd_hist_text h;

	scaled(s, &h);
	nd_put_hist(f, on, fact, &(struct nd_hist){h.b, h.n}, in);
}

static void put_function(struct nd_facts *f, const struct section *s, const struct nd_input *in)
{
	nd_id on = nd_function_entity(f, s->label.function);
	struct nd_input interval = *in;
	double n = 0;

	interval.interval = true;
	for (uint32_t i = 0; i < s->h.n; i++)
		n += s->h.b[i].count;
	put_hist(f, on, &nd_process_facts[ND_P_FUNCTION_LATENCY], s, in);
	nd_put_reading(f, on, &nd_process_facts[ND_P_FUNCTION_CALLS], (uint64_t)n, &interval);
}

static void put_thread(struct nd_facts *f, const struct section *s, const struct nd_input *in)
{
	nd_id on = nd_entity_num(f, ND_THREAD, s->label.pid);

	put_hist(f, on, &nd_process_facts[ND_P_THREAD_RUNQ_WAIT], s, in);
	if (s->label.comm[0])
		nd_put_text(f, on, &nd_process_facts[ND_P_THREAD_COMM], s->label.comm, in);
}

/* The sum of all labels is the host's. */
static void put_host(struct file *x, struct nd_facts *f, enum nd_hist_what what,
		     const struct nd_fact_def *fact)
{
	struct nd_hist_text h, *sum = nd_alloc(sizeof(*sum));
	bool ok = true;

	for (uint32_t i = 0; i < x->n && ok; i++) {
		const struct section *s = &x->all[i];

		if (s->label.what != what || s->label.idle)
			continue;
		scaled(s, &h);
		for (uint32_t k = 0; k < h.n && ok; k++)
			ok = nd_hist_text_add(sum, &h.b[k]);
	}
	if (ok && sum->n)
		nd_put_hist(f, HOST, fact, &(struct nd_hist){sum->b, sum->n}, x->in);
	free(sum);
}

static void put_all(struct file *x, struct nd_facts *f)
{
	for (uint32_t i = 0; i < x->n; i++) {
		const struct section *s = &x->all[i];

		if (s->label.what == ND_HIST_FUNCTION)
			put_function(f, s, x->in);
		else if (s->label.what == ND_HIST_RUNQ && s->label.has_pid && !s->label.idle)
			put_thread(f, s, x->in);
	}
	put_host(x, f, ND_HIST_RUNQ, &nd_process_facts[ND_P_HOST_RUNQ_WAIT]);
	put_host(x, f, ND_HIST_RUNQ_LENGTH, &facts[F_RUNQ_LENGTH]);
	put_host(x, f, ND_HIST_DISK, &facts[F_DISK_WAIT]);
}

/* ---- reading ---- */

static bool same_label(const struct nd_hist_label *a, const struct nd_hist_label *b)
{
	return a->what == b->what && a->has_pid == b->has_pid && a->pid == b->pid &&
	       a->idle == b->idle && strcmp(a->comm, b->comm) == 0 &&
	       strcmp(a->function, b->function) == 0;
}

/* Keeps it with those of its label. */
static void keep(struct file *x, const struct section *s)
{
	uint32_t i = 0;

	while (i < x->n && !same_label(&x->all[i].label, &s->label))
		i++;
	if (i < x->n) {
		merge(&x->all[i].h, &s->h);
	} else if (x->n < SECTIONS_MAX) {
		ND_GROW(x->all, x->n, x->cap);
		x->all[x->n++] = *s;
	}
}

/* Ends the histogram that is being read, if there is one. */
static void end_section(struct file *x)
{
	struct section *s = &x->now;

	if (s->h.n) {
		x->any = true;
		nd_hist_resolve(&x->subject, &s->label, &s->scale);
		if (s->label.what == ND_HIST_UNKNOWN || s->scale <= 0) {
			x->unknown = true;
			snprintf(x->what, sizeof(x->what), "%.79s", s->label.map);
		} else {
			keep(x, s);
		}
	}
	memset(s, 0, sizeof(*s));
}

static void take_line(struct file *x, char *line)
{
	struct section *s = &x->now;
	char unit[32];
	struct nd_bucket row;
	double average, total;
	uint64_t count;

	if (nd_hist_row(line, &row)) {
		nd_hist_text_add(&s->h, &row);
		return;
	}
	if (nd_hist_average(line, &average, &total, &count))
		return; /* the rows say as much */
	if (s->h.n && *nd_trim(line))
		end_section(x);
	if (nd_hist_head(line, unit, sizeof(unit))) {
		s->scale = nd_time_unit(unit);
		if (strcmp(unit, "runqlen") == 0) {
			s->label.what = ND_HIST_RUNQ_LENGTH;
			s->scale = 1;
		}
		return;
	}
	if (!nd_hist_label_line(line, &s->label))
		nd_hist_subject_line(&x->subject, line);
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	struct file x = {.in = in};
	int rc = 0;
	char *line;

	nd_hist_subject_path(&x.subject, in->path);
	while ((line = nd_stream_line(s)))
		take_line(&x, line);
	end_section(&x);
	put_all(&x, f);
	if (nd_stream_error(s))
		rc = nd_fail(e, nd_stream_error(s), "%s: %s", in->path,
			     strerror(-nd_stream_error(s)));
	else if (x.unknown && x.n == 0)
		rc = nd_fail(e, -EINVAL,
			     "%s: a histogram%s%s that nothing says the meaning or unit of: name "
			     "the file after its tool (runqlat, funclatency-FUNCTION)",
			     in->path, x.what[0] ? " " : "", x.what);
	else if (!x.any && !x.subject.shared)
		rc = nd_parse_fail(in, s, e, "a histogram, as '4 -> 7 : 203'", "none");
	free(x.all);
	return rc;
}

static const struct nd_read reads[] = {
	{"runqlat", 0, "*: count *distribution*"},
	{"runqlen", 0, NULL},
	{"funclatency", 0, NULL},
	{"funclat", 0, NULL},
	{"softirqs", 0, NULL},
	{"biolatency", 0, NULL},
	{"bpftrace", 0, "@*\n*[[(]*[])]* |*|"},
	{0},
};

const struct nd_collector nd_collector_hist_tool = {
	.name = "hist_tool",
	.doc = "histograms of BCC tools and bpftrace",
	.reads = reads,
	.facts = facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
};
