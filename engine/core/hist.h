/* Histograms: what probes and tools give as buckets, and percentiles of them. */
#ifndef ND_HIST_H
#define ND_HIST_H

#include "engine/core/base.h"

struct nd_bucket {
	double lo, hi; /* base units, lo <= x < hi */
	double count;
};
struct nd_hist {
	struct nd_bucket *b; /* ascending, not overlapping; owned by whoever made it */
	uint32_t n;
};

double nd_hist_count(const struct nd_hist *h);
double nd_hist_mean(const struct nd_hist *h); /* of bucket middles; 0 when empty */
/* The middle of the bucket that holds quantile q (0..1). False when there are too few samples:
 * fewer than 3 / (1 - q), at least 10. */
bool nd_hist_quantile(const struct nd_hist *h, double q, double *out);
/* Share of the samples within lo..hi; a bucket that the range cuts is prorated and sets *cut.
 * False below 10 samples. */
bool nd_hist_fraction(const struct nd_hist *h, double lo, double hi, double *out, bool *cut);
#endif
