/* Percentiles and shares of histograms.
 *
 * A quantile is the middle of its bucket: between two bounds nothing is known, and a middle that
 * repeats exactly is better than an interpolation that looks precise. */
#include "engine/core/hist.h"

#include <math.h>

#define FEWEST_SAMPLES 10.0
#define SAMPLES_BEYOND 3.0 /* a percentile needs so many samples above it */

double nd_hist_count(const struct nd_hist *h)
{
	double sum = 0;

	for (uint32_t i = 0; i < h->n; i++)
		sum += h->b[i].count;
	return sum;
}

/* An open last bucket (hi infinite) stands for its lower bound. */
static double middle(const struct nd_bucket *b)
{
	if (isinf(b->hi))
		return b->lo;
	if (isinf(b->lo))
		return b->hi;
	return b->lo + (b->hi - b->lo) / 2;
}

double nd_hist_mean(const struct nd_hist *h)
{
	double sum = 0;
	double n = nd_hist_count(h);

	for (uint32_t i = 0; i < h->n; i++)
		sum += middle(&h->b[i]) * h->b[i].count;
	return n > 0 ? sum / n : 0;
}

bool nd_hist_quantile(const struct nd_hist *h, double q, double *out)
{
	double n = nd_hist_count(h);
	double seen = 0;
	double need;
	const struct nd_bucket *last = NULL;

	if (!(q >= 0 && q <= 1))
		return false;
	/* q = 1 is the largest one: no sample lies beyond it, so the floor alone applies. The
	 * tolerance keeps 1 - 0.99 (a hair below 0.01) from asking for a 301st sample. */
	need = q < 1 ? SAMPLES_BEYOND / (1 - q) : FEWEST_SAMPLES;
	if (n < FEWEST_SAMPLES || n < need * (1 - 1e-9))
		return false;
	for (uint32_t i = 0; i < h->n; i++) {
		if (!(h->b[i].count > 0))
			continue;
		last = &h->b[i];
		seen += last->count;
		if (seen >= q * n * (1 - 1e-12))
			break;
	}
	if (!last)
		return false;
	*out = middle(last);
	return true;
}

/* The part of bucket b that lies within lo..hi, 0..1. */
static double overlap(const struct nd_bucket *b, double lo, double hi)
{
	double from = b->lo > lo ? b->lo : lo;
	double to = b->hi < hi ? b->hi : hi;

	if (b->lo >= lo && b->hi <= hi)
		return 1;
	if (!(to > from))
		return 0;
	/* Nothing says where in an open bucket its samples are; half is as wrong either way. */
	if (isinf(b->hi - b->lo))
		return 0.5;
	return (to - from) / (b->hi - b->lo);
}

bool nd_hist_fraction(const struct nd_hist *h, double lo, double hi, double *out, bool *cut)
{
	double n = nd_hist_count(h);
	double in = 0;

	if (cut)
		*cut = false;
	if (!(n >= FEWEST_SAMPLES) || !(lo <= hi))
		return false;
	for (uint32_t i = 0; i < h->n; i++) {
		double part = overlap(&h->b[i], lo, hi);

		in += part * h->b[i].count;
		if (cut && part > 0 && part < 1 && h->b[i].count > 0)
			*cut = true;
	}
	*out = in / n;
	return true;
}
