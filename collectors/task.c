/* What top, pidstat, perf sched and runqslower have in common. */
#include "collectors/task.h"

#define NUMBER(n, kind, u, text, show)                                                             \
	{                                                                                          \
		.name = n, .on = kind, .type = ND_T_NUMBER, .unit = u, .doc = text,                \
		.reproduce = show                                                                  \
	}

const struct nd_fact_def nd_task_facts[] = {
	[ND_TASK_PROCESS_CPU] = NUMBER("cpu_use", ND_PROCESS, ND_U_COUNT,
				       "CPUs that it used: 0.5 is half of the time of one",
				       "pidstat -u -p {key} 5 1"),
	[ND_TASK_PROCESS_WAIT] = NUMBER("wait_share", ND_PROCESS, ND_U_PERCENT,
					"time that it was ready to run, but waited for a CPU",
					"pidstat -u -p {key} 5 1"),
	[ND_TASK_THREAD_CPU] = NUMBER("cpu_share", ND_THREAD, ND_U_PERCENT, "CPU time that it used",
				      "top -H -b -n 2 -p {key}"),
	[ND_TASK_THREAD_WAIT] =
		NUMBER("wait_share", ND_THREAD, ND_U_PERCENT,
		       "time that it was ready to run, but waited for a CPU", "pidstat -u -t 5 1"),
	[ND_TASK_WAITS] = NUMBER("waits", ND_THREAD, ND_U_COUNT,
				 "times it was put on a CPU while a tool watched",
				 "perf sched record sleep 10; perf sched latency -p"),
	[ND_TASK_MEAN_WAIT] = NUMBER("mean_wait", ND_THREAD, ND_U_SECONDS,
				     "mean time from runnable to running while a tool watched",
				     "perf sched record sleep 10; perf sched latency -p"),
	[ND_TASK_LONGEST_WAIT] =
		NUMBER("longest_wait", ND_THREAD, ND_U_SECONDS,
		       "longest time from runnable to running while a tool watched",
		       "perf sched record sleep 10; perf sched latency -p"),
	[ND_TASK_SLOW_TIME] = NUMBER(
		"slow_wait_time", ND_THREAD, ND_U_SECONDS,
		"sum of its waits for a CPU that were long enough to be listed", "runqslower 2000"),
	[ND_TASK_SLOW_SPAN] =
		NUMBER("slow_wait_span", ND_HOST, ND_U_SECONDS,
		       "time from the first to the last of the listed waits", "runqslower 2000"),
	{0},
};

void nd_words_cut(char *line, struct nd_words *out)
{
	out->n = 0;
	while (out->n < ND_COLUMNS_MAX && (out->w[out->n] = nd_word(&line)))
		out->n++;
}

int nd_words_find(const struct nd_words *head, const char *a, const char *b)
{
	for (uint32_t i = 0; i < head->n; i++)
		if (strcmp(head->w[i], a) == 0 || (b && strcmp(head->w[i], b) == 0))
			return (int)i;
	return -1;
}

bool nd_percent(const char *word, double most, double *out)
{
	char text[32];
	size_t n = strlen(word);
	double v;

	if (n == 0 || n >= sizeof(text))
		return false;
	memcpy(text, word, n + 1);
	if (text[n - 1] == '%')
		text[n - 1] = '\0';
	for (char *c = text; *c; c++)
		if (*c == ',')
			*c = '.';
	if (!nd_parse_f64(text, &v) || v < 0 || v > most * 101)
		return false;
	*out = v / 100;
	return true;
}
