/* Histograms that tools print: the lines of BCC, of libbpf-tools, and of bpftrace. */
#ifndef ND_HIST_TEXT_H
#define ND_HIST_TEXT_H

#include "engine/core/hist.h"
#include "engine/core/str.h"

#define ND_HIST_TEXT_BUCKETS 256

/* A histogram that is being read, in the tool's own unit until it is scaled. */
struct nd_hist_text {
	struct nd_bucket b[ND_HIST_TEXT_BUCKETS];
	uint32_t n;
};

/* Seconds of "usecs", "us", "msec", "nanoseconds"; 0 if the word is no unit of time. */
double nd_time_unit(const char *word);
/* "     usecs               : count     distribution": the unit's word, which may be any ("runqlen"). */
bool nd_hist_head(const char *line, char *unit, size_t size);
/* A row of either family: bounds lo <= x < hi in the tool's unit, and count. BCC prints the last whole number that
 * is in the bucket ("4 -> 7": 4 <= x < 8), bpftrace the bound itself ("[4, 8)"), with K for 1024. */
bool nd_hist_row(char *line, struct nd_bucket *out);
/* Adds a row; rows of one bound are summed. False when there are too many, or they overlap. */
bool nd_hist_text_add(struct nd_hist_text *h, const struct nd_bucket *row);
/* "avg = 1825567 nsecs, total: 7477526027 nsecs, count: 4096": BCC's last line. Seconds. */
bool nd_hist_average(char *line, double *average, double *total, uint64_t *count);
#endif
