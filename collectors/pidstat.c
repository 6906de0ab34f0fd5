/* Output of pidstat: CPU time of each process or thread, and how long it waited for a CPU.
 *
 * Columns are found by name, counted from UID, since the time in front of it is one word or two, or
 * "Average:"; -h has "# Time" in its header and one word in its rows. %wait is there since sysstat
 * 11.5. A later row replaces an earlier one, so the average at the end counts. Without an interval the
 * rows have the header's own time and stand for the process's whole life: they are left out.
 *
 * 10:02:11 AM   UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command
 * 10:02:12 AM     0      1234    1.00    2.00    0.00   31.00    3.00     1  nginx */
#include "collectors/task.h"

#include "collectors/cpu.h"
#include "collectors/process.h"

#include <math.h>

struct table {
	uint32_t lead; /* words in front of UID */
	int pid, tid, cpu, wait, comm; /* columns behind UID; negative: not there */
	char when[32];
	bool on;
};

static void write_when(char *out, size_t size, const struct nd_words *w, uint32_t n)
{
	snprintf(out, size, "%s %s", n > 0 ? w->w[0] : "", n > 1 ? w->w[1] : "");
}

static int behind(const struct nd_words *w, uint32_t uid, const char *a, const char *b)
{
	int at = nd_words_find(w, a, b);

	return at < 0 ? -1 : at - (int)uid;
}

/* A header: the words UID, PID or TGID, Command. */
static bool take_head(const struct nd_words *w, struct table *t)
{
	int uid = nd_words_find(w, "UID", "USER"), comm = nd_words_find(w, "Command", NULL);

	if (uid < 0 || comm < uid)
		return false;
	*t = (struct table){.on = true, .lead = (uint32_t)uid};
	t->pid = behind(w, t->lead, "PID", "TGID");
	t->tid = behind(w, t->lead, "TID", NULL);
	t->cpu = behind(w, t->lead, "%CPU", NULL);
	t->wait = behind(w, t->lead, "%wait", NULL);
	t->comm = comm - uid;
	write_when(t->when, sizeof(t->when), w, t->lead);
	if (t->lead && strcmp(w->w[0], "#") == 0)
		t->lead--;
	return true;
}

static const char *word_at(const struct nd_words *w, const struct table *t, int column)
{
	uint32_t lead = w->n && strcmp(w->w[0], "Average:") == 0 ? 1 : t->lead;

	return column < 0 || lead + (uint32_t)column >= w->n ? NULL : w->w[lead + (uint32_t)column];
}

static bool take_row(const struct nd_words *w, const struct table *t, struct nd_facts *f,
		     const struct nd_input *in)
{
	const char *pid = word_at(w, t, t->pid), *tid = word_at(w, t, t->tid);
	const char *cpu = word_at(w, t, t->cpu), *wait = word_at(w, t, t->wait);
	const char *comm = word_at(w, t, t->comm);
	const bool thread = tid && strcmp(tid, "-") != 0;
	char when[32];
	uint64_t id;
	double v;
	nd_id on;

	if (!comm || !nd_parse_u64(thread ? tid : pid ? pid : "", 10, &id))
		return false;
	write_when(when, sizeof(when), w, t->lead);
	if (strcmp(when, t->when) == 0 && strpbrk(when, "0123456789"))
		return true; /* since the process began */
	comm += strspn(comm, "|_");
	on = nd_entity_num(f, thread ? ND_THREAD : ND_PROCESS, id);
	nd_put_text(f, on, &nd_process_facts[thread ? ND_P_THREAD_COMM : ND_P_COMM], comm, in);
	if (cpu && nd_percent(cpu, 10000, &v))
		nd_put_num(f, on, &nd_task_facts[thread ? ND_TASK_THREAD_CPU : ND_TASK_PROCESS_CPU],
			   v, in);
	if (wait && nd_percent(wait, 10000, &v))
		nd_put_num(f, on,
			   &nd_task_facts[thread ? ND_TASK_THREAD_WAIT : ND_TASK_PROCESS_WAIT], v,
			   in);
	return true;
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	struct table t = {0};
	uint32_t good = 0;
	char *line;

	while ((line = nd_stream_line(s))) {
		struct nd_words w;

		if (nd_cpu_banner(line, f, in))
			continue;
		nd_words_cut(line, &w);
		if (!take_head(&w, &t) && t.on)
			good += take_row(&w, &t, f, in);
	}
	if (nd_stream_error(s))
		return nd_fail(e, nd_stream_error(s), "%s: %s", in->path,
			       strerror(-nd_stream_error(s)));
	return good ? 0 : nd_parse_fail(in, s, e, "rows below UID, PID, …, Command", "none");
}

static const struct nd_read reads[] = {
	{"pidstat", 0, "*UID *PID *Command"},
	{0},
};

const struct nd_collector nd_collector_pidstat = {
	.name = "pidstat",
	.doc = "CPU time and waits of processes and threads, from the output of pidstat",
	.reads = reads,
	.facts = nd_task_facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
};
