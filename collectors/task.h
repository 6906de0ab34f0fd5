/* Facts of processes and threads that tools print: who uses the CPUs, and who waits for one. */
#ifndef ND_TASK_H
#define ND_TASK_H

#include "collectors/collector.h"

enum {
	ND_TASK_PROCESS_CPU,
	ND_TASK_PROCESS_WAIT,
	ND_TASK_THREAD_CPU,
	ND_TASK_THREAD_WAIT,
	ND_TASK_WAITS,
	ND_TASK_MEAN_WAIT,
	ND_TASK_LONGEST_WAIT,
	ND_TASK_SLOW_TIME,
	ND_TASK_SLOW_SPAN
};
/* Index it with the names above. */
extern const struct nd_fact_def nd_task_facts[];

#define ND_COLUMNS_MAX 32
/* A line in words. */
struct nd_words {
	char *w[ND_COLUMNS_MAX];
	uint32_t n;
};
/* Cuts the line, which is modified and must outlive the words. */
void nd_words_cut(char *line, struct nd_words *out);
/* The column with one of two names (b may be NULL), or -1. */
int nd_words_find(const struct nd_words *head, const char *a, const char *b);
/* "13.25", "13,25" or "13.25%" as a ratio; false if it is none, or above the most (1 is 100 %). */
bool nd_percent(const char *word, double most, double *out);
#endif
