/* The lines of printed histograms.
 *
 *      usecs               : count     distribution
 *          4 -> 7          : 203      |**********      |        BCC: 4 <= x < 8
 *          3               : 12       |***             |        BCC, linear: 3 <= x < 4
 * [4, 8)               203 |@@@@@@@@@@            |             bpftrace: 4 <= x < 8
 * [1K, 2K)              27 |@                     |             1024 <= x < 2048
 * [0]                    4 |                      |             0 <= x < 1
 * (..., 0)               1 |                      |             x < 0 */
#include "collectors/hist_text.h"

#include <ctype.h>
#include <math.h>

double nd_time_unit(const char *word)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = {
		{"ns", 1e-9},
		{"nsec", 1e-9},
		{"nsecs", 1e-9},
		{"nanosecond", 1e-9},
		{"nanoseconds", 1e-9},
		{"us", 1e-6},
		{"usec", 1e-6},
		{"usecs", 1e-6},
		{"microsecond", 1e-6},
		{"microseconds", 1e-6},
		{"ms", 1e-3},
		{"msec", 1e-3},
		{"msecs", 1e-3},
		{"millisecond", 1e-3},
		{"milliseconds", 1e-3},
		{"s", 1},
		{"sec", 1},
		{"secs", 1},
		{"second", 1},
		{"seconds", 1},
	};

	for (size_t i = 0; i < ND_ARRAY_LEN(units); i++)
		if (strcasecmp(units[i].name, word) == 0)
			return units[i].seconds;
	return 0;
}

bool nd_hist_head(const char *line, char *unit, size_t size)
{
	const char *colon = strchr(line, ':');
	const char *word = line + strspn(line, " \t");
	size_t n = strcspn(word, " \t:(");

	if (!colon || n == 0 || n >= size || word + n > colon)
		return false;
	colon++;
	colon += strspn(colon, " \t");
	if (!nd_starts(colon, "count"))
		return false;
	memcpy(unit, word, n);
	unit[n] = '\0';
	return true;
}

/* "1024", "16K", "2M": moves *at behind it. */
static bool take_bound(const char **at, double *out)
{
	const char *s = *at + strspn(*at, " \t");
	char digits[32];
	size_t n = strspn(s, "0123456789");
	uint64_t v;
	double scale = 1;

	if (n == 0 || n >= sizeof(digits))
		return false;
	memcpy(digits, s, n);
	digits[n] = '\0';
	if (!nd_parse_u64(digits, 10, &v))
		return false;
	s += n;
	switch (*s) {
	case 'K': scale = 1024; break;
	case 'M': scale = 1024.0 * 1024; break;
	case 'G': scale = 1024.0 * 1024 * 1024; break;
	case 'T': scale = 1024.0 * 1024 * 1024 * 1024; break;
	}
	*at = s + (scale > 1);
	*out = (double)v * scale;
	return true;
}

static bool take_count(const char *at, double *out)
{
	const char *end;

	if (!take_bound(&at, out))
		return false;
	end = at + strspn(at, " \t\r");
	return !*end || *end == '|';
}

/* "[4, 8)  203 |", "[0]  4 |", "(..., 0)  1 |", "[1M, ...)  2 |" */
static bool take_bpftrace(const char *at, struct nd_bucket *out)
{
	bool open = *at == '(';

	at++;
	if (open) {
		if (!nd_starts(at, "..."))
			return false;
		at += 3;
		out->lo = -INFINITY;
	} else if (!take_bound(&at, &out->lo)) {
		return false;
	}
	if (*at == ']') {
		out->hi = out->lo + 1;
		return take_count(at + 1, &out->count);
	}
	if (*at++ != ',')
		return false;
	at += strspn(at, " \t");
	if (nd_starts(at, "...")) {
		at += 3;
		out->hi = INFINITY;
	} else if (!take_bound(&at, &out->hi)) {
		return false;
	}
	return (*at == ')' || *at == ']') && take_count(at + 1, &out->count) && out->hi > out->lo;
}

static bool take_bcc(const char *at, struct nd_bucket *out)
{
	if (!take_bound(&at, &out->lo))
		return false;
	at += strspn(at, " \t");
	out->hi = out->lo;
	if (nd_starts(at, "->")) {
		at += 2;
		if (!take_bound(&at, &out->hi))
			return false;
		at += strspn(at, " \t");
	}
	out->hi += 1;
	return *at == ':' && take_count(at + 1, &out->count) && out->hi > out->lo;
}

bool nd_hist_row(char *line, struct nd_bucket *out)
{
	const char *at = line + strspn(line, " \t");

	if (*at == '[' || *at == '(')
		return take_bpftrace(at, out);
	return isdigit((unsigned char)*at) && take_bcc(at, out);
}

bool nd_hist_text_add(struct nd_hist_text *h, const struct nd_bucket *row)
{
	uint32_t at = h->n;

	while (at > 0 && h->b[at - 1].lo >= row->hi)
		at--;
	if (at > 0 && h->b[at - 1].lo == row->lo && h->b[at - 1].hi == row->hi) {
		h->b[at - 1].count += row->count;
		return true;
	}
	if (h->n == ND_HIST_TEXT_BUCKETS || (at > 0 && h->b[at - 1].hi > row->lo))
		return false;
	memmove(&h->b[at + 1], &h->b[at], (h->n - at) * sizeof(*h->b));
	h->b[at] = *row;
	h->n++;
	return true;
}

bool nd_hist_average(char *line, double *average, double *total, uint64_t *count)
{
	char *words[9];
	uint32_t n = 0;
	double unit;

	if (!nd_starts(line + strspn(line, " \t"), "avg"))
		return false;
	while (n < ND_ARRAY_LEN(words) && (words[n] = nd_split(&line, " \t=:,")))
		n++;
	if (n < 8 || strcmp(words[3], "total") != 0 || strcmp(words[6], "count") != 0)
		return false;
	unit = nd_time_unit(words[2]);
	if (unit <= 0 || !nd_parse_f64(words[1], average) || !nd_parse_f64(words[4], total) ||
	    !nd_parse_u64(words[7], 10, count))
		return false;
	*average *= unit;
	*total *= unit;
	return true;
}
