/* Output of perf sched latency, perf sched timehist and runqslower: who waited how long for a CPU.
 *
 * latency has a row per thread with mean and longest delay; rows "comm:(12)" sum several threads of
 * unknown number and are left out. timehist has a row per run, from which the histogram is made that
 * a probe would give; runqslower only lists waits above a limit: how many others there were is not
 * known, so these make no histogram. Samples:
 *
 *   redis-server:4711   |  1234.567 ms |  4567 | avg:  0.012 ms | max:  3.456 ms | max at: 12.3 s
 *   79371.874569 [0011]  gcc[31949]                          0.014      0.000      1.148
 *   04:30:31 cadvisor         18380            6891 */
#include "collectors/task.h"

#include "collectors/hist_text.h"
#include "collectors/process.h"

#include <math.h>

#define THREADS_MAX 512u

/* A thread that rows speak of. */
struct thread {
	uint64_t tid;
	char comm[32];
	struct nd_hist_text waits; /* timehist: in s */
	double longest, sum; /* runqslower: s */
};
struct file {
	struct thread *t;
	uint32_t n, cap, good;
	struct nd_hist_text all; /* timehist: of all threads but the idle ones */
	double first, last; /* s of the day, of runqslower's rows; negative: none */
};

static struct thread *thread_of(struct file *x, uint64_t tid, const char *comm)
{
	for (uint32_t i = x->n; i-- > 0;)
		if (x->t[i].tid == tid)
			return &x->t[i];
	if (x->n == THREADS_MAX)
		return NULL;
	ND_GROW(x->t, x->n, x->cap);
	memset(&x->t[x->n], 0, sizeof(*x->t));
	x->t[x->n].tid = tid;
	snprintf(x->t[x->n].comm, sizeof(x->t->comm), "%.31s", comm);
	return &x->t[x->n++];
}

/* ---- perf sched latency ---- */

/* "  redis-server:4711   ": cuts the name off its number. */
static bool name_and_number(char *text, char **name, uint64_t *tid)
{
	char *colon;

	text = nd_trim(text);
	colon = strrchr(text, ':');
	if (!colon || !nd_parse_u64(colon + 1, 10, tid))
		return false;
	*colon = '\0';
	*name = text;
	return true;
}

/* "avg:    0.012 ms": seconds. */
static bool time_field(char *text, const char *label, double *out)
{
	char *word = nd_word(&text), *unit;

	if (word && nd_starts(word, label)) {
		word += strlen(label);
		if (*word == ':')
			word++;
		if (!*word)
			word = nd_word(&text);
	}
	unit = word ? nd_word(&text) : NULL;
	if (!word || !unit || !nd_parse_f64(word, out) || *out < 0)
		return false;
	*out *= nd_time_unit(unit);
	return true;
}

static bool take_latency(char *line, struct nd_facts *f, const struct nd_input *in)
{
	char *field[5], *name;
	double run, mean, longest;
	uint64_t tid, waits;
	nd_id on;

	for (size_t i = 0; i < ND_ARRAY_LEN(field); i++)
		if (!(field[i] = nd_split(&line, "|")))
			return false;
	if (!name_and_number(field[0], &name, &tid) || !time_field(field[1], "", &run) ||
	    !nd_parse_u64(nd_trim(field[2]), 10, &waits) || !time_field(field[3], "avg", &mean) ||
	    !time_field(field[4], "max", &longest))
		return false;
	on = nd_entity_num(f, ND_THREAD, tid);
	nd_put_text(f, on, &nd_process_facts[ND_P_THREAD_COMM], name, in);
	nd_put_num(f, on, &nd_task_facts[ND_TASK_WAITS], (double)waits, in);
	nd_put_num(f, on, &nd_task_facts[ND_TASK_MEAN_WAIT], mean, in);
	nd_put_num(f, on, &nd_task_facts[ND_TASK_LONGEST_WAIT], longest, in);
	return true;
}

/* ---- perf sched timehist ---- */

/* The bucket between powers of two, in us, that seconds fall in. */
static struct nd_bucket bucket_of(double seconds)
{
	double us = seconds * 1e6;
	int power = us < 1 ? 0 : ilogb(us);

	return (struct nd_bucket){us < 1 ? 0 : ldexp(1e-6, power),
				  ldexp(1e-6, us < 1 ? 0 : power + 1), 1};
}

/* "79371.874569 [0011]  gcc[31949/31940]  0.014  0.000  1.148": time, CPU, task, three times in ms */
static bool take_timehist(struct nd_words *w, struct file *x)
{
	char *task, *open, *end;
	struct nd_bucket b;
	struct thread *t;
	uint64_t tid;
	double time, wait, delay, run;

	if (w->n < 6 || !nd_parse_f64(w->w[0], &time) || w->w[1][0] != '[' ||
	    !nd_parse_f64(w->w[w->n - 3], &wait) || !nd_parse_f64(w->w[w->n - 2], &delay) ||
	    !nd_parse_f64(w->w[w->n - 1], &run) || delay < 0)
		return false;
	task = w->w[w->n - 4];
	open = strrchr(task, '[');
	if (!open || nd_starts(task, "<idle>"))
		return open != NULL || strcmp(task, "<idle>") == 0;
	*open = '\0';
	end = open + 1 + strcspn(open + 1, "/]");
	*end = '\0';
	if (!nd_parse_u64(open + 1, 10, &tid))
		return false;
	b = bucket_of(delay / 1e3);
	nd_hist_text_add(&x->all, &b);
	t = thread_of(x, tid, task);
	if (t)
		nd_hist_text_add(&t->waits, &b);
	return true;
}

/* ---- runqslower ---- */

/* "04:30:31" */
static bool time_of_day(const char *word, double *out)
{
	char text[16];
	uint64_t part[3];
	char *at = text;

	if (strlen(word) >= sizeof(text))
		return false;
	memcpy(text, word, strlen(word) + 1);
	for (int i = 0; i < 3; i++) {
		char *digits = nd_split(&at, ":");

		if (!digits || !nd_parse_u64(digits, 10, &part[i]) || part[i] > 60)
			return false;
	}
	*out = (double)(part[0] * 3600 + part[1] * 60 + part[2]);
	return true;
}

/* The first two numbers behind the name are the thread and the wait in us. */
static bool take_slow(struct nd_words *w, struct file *x)
{
	uint64_t tid, us;
	char comm[64] = "";
	struct thread *t;
	uint32_t i = 2;
	double when;

	if (w->n < 4 || !time_of_day(w->w[0], &when))
		return false;
	while (i + 1 < w->n &&
	       !(nd_parse_u64(w->w[i], 10, &tid) && nd_parse_u64(w->w[i + 1], 10, &us)))
		i++;
	if (i + 1 >= w->n)
		return false;
	for (uint32_t k = 1; k < i; k++)
		snprintf(comm + strlen(comm), sizeof(comm) - strlen(comm), "%s%.31s",
			 k > 1 ? " " : "", w->w[k]);
	x->first = x->first < 0 ? when : x->first;
	x->last = when;
	if (tid == 0)
		return true; /* the idle task */
	t = thread_of(x, tid, comm);
	if (t) {
		t->longest = fmax(t->longest, (double)us / 1e6);
		t->sum += (double)us / 1e6;
	}
	return true;
}

/* ---- together ---- */

static void put(const struct file *x, struct nd_facts *f, const struct nd_input *in)
{
	for (uint32_t i = 0; i < x->n; i++) {
		const struct thread *t = &x->t[i];
		nd_id on = nd_entity_num(f, ND_THREAD, t->tid);

		nd_put_text(f, on, &nd_process_facts[ND_P_THREAD_COMM], t->comm, in);
		if (t->waits.n) {
			struct nd_hist_text h = t->waits;

			nd_put_hist(f, on, &nd_process_facts[ND_P_THREAD_RUNQ_WAIT],
				    &(struct nd_hist){h.b, h.n}, in);
		}
		if (t->longest > 0) {
			nd_put_num(f, on, &nd_task_facts[ND_TASK_LONGEST_WAIT], t->longest, in);
			nd_put_num(f, on, &nd_task_facts[ND_TASK_SLOW_TIME], t->sum, in);
		}
	}
	if (x->all.n) {
		struct nd_hist_text h = x->all;

		nd_put_hist(f, 0, &nd_process_facts[ND_P_HOST_RUNQ_WAIT],
			    &(struct nd_hist){h.b, h.n}, in);
	}
	if (x->first >= 0) /* the clock has whole seconds */
		nd_put_num(f, 0, &nd_task_facts[ND_TASK_SLOW_SPAN],
			   fmod(x->last - x->first + 86400, 86400) + 1, in);
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	struct file x = {.first = -1};
	int rc = 0;
	char *line;

	while ((line = nd_stream_line(s))) {
		struct nd_words w;

		if (strchr(line, '|')) {
			x.good += take_latency(line, f, in);
			continue;
		}
		nd_words_cut(line, &w);
		x.good += take_timehist(&w, &x) || take_slow(&w, &x);
	}
	put(&x, f, in);
	if (nd_stream_error(s))
		rc = nd_fail(e, nd_stream_error(s), "%s: %s", in->path,
			     strerror(-nd_stream_error(s)));
	else if (!x.good)
		rc = nd_parse_fail(in, s, e, "rows of perf sched latency, timehist or runqslower",
				   "none");
	free(x.t);
	return rc;
}

static const struct nd_read reads[] = {
	{"runqslower", 0, "TIME *COMM *ID *LAT(us)*"},
	{"perf sched", 0, "*Task *|*Runtime ms *|*Switches *|*"},
	{"perf timehist", 0, "*time *cpu *task name *wait time *sch delay *run time*"},
	{0},
};

const struct nd_collector nd_collector_sched_tool = {
	.name = "sched_tool",
	.doc = "waits for a CPU, from the output of perf sched and runqslower",
	.reads = reads,
	.facts = nd_task_facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
};
