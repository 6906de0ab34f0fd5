/* Moments that people write into the names of files and folders: a date, or only an order.
 *
 * "softnet_stat-20230105-101500" has a time; "netstat-s-before" and "-after" have an order, from
 * which an increase follows but no rate. A number alone ("ss-1") is an order only where the name
 * without it is an output's, for eth0.100 and bond_0 end with numbers, too. */
#include "engine/core/source_paste.h"

#include <time.h>

#define SEPARATORS "-_. "
#define DIGITS_MAX 14

/* Two digits at d in base ten. */
static int pair(const char *d)
{
	return (d[0] - '0') * 10 + d[1] - '0';
}

/* All of s as a date with a time, or as a date alone (*day). */
static bool date_of(const char *s, double *date, uint32_t *day)
{
	char d[DIGITS_MAX + 1];
	size_t n = 0, i;
	struct tm t = {0};

	for (i = 0; s[i]; i++) {
		if (s[i] >= '0' && s[i] <= '9') {
			if (n == DIGITS_MAX)
				return false;
			d[n++] = s[i];
		} else if (!strchr("-_T:.Z ", s[i])) {
			return false;
		}
	}
	d[n] = '\0';
	*date = 0;
	*day = 0;
	if (n == 10 && i == 10 && d[0] == '1') /* seconds since 1970, till 2033 */
		return nd_parse_f64(d, date);
	if (n != 8 && n != 12 && n != 14)
		return false;
	t.tm_year = pair(d) * 100 + pair(d + 2) - 1900;
	t.tm_mon = pair(d + 4) - 1;
	t.tm_mday = pair(d + 6);
	if (t.tm_year < 90 || t.tm_year > 200 || t.tm_mon < 0 || t.tm_mon > 11 || t.tm_mday < 1 ||
	    t.tm_mday > 31)
		return false;
	if (n == 8) {
		*day = (uint32_t)(t.tm_year * 372 + t.tm_mon * 31 + t.tm_mday);
		return true;
	}
	t.tm_hour = pair(d + 8);
	t.tm_min = pair(d + 10);
	t.tm_sec = n == 14 ? pair(d + 12) : 0;
	*date = (double)timegm(&t);
	return t.tm_hour < 24 && t.tm_min < 60 && t.tm_sec < 61;
}

static bool order_of(const char *s, uint32_t *order)
{
	static const struct {
		const char *word;
		uint32_t order;
	} words[] = {{"before", 1}, {"after", 2},   {"pre", 1},	   {"post", 2},	   {"start", 1},
		     {"begin", 1},  {"end", 2},	    {"stop", 2},   {"first", 1},   {"second", 2},
		     {"third", 3},  {"last", 99},   {"old", 1},	   {"new", 2},	   {"then", 1},
		     {"now", 2},    {"initial", 1}, {"final", 99}, {"earlier", 1}, {"later", 2}};
	uint64_t n;

	for (size_t i = 0; i < ND_ARRAY_LEN(words); i++) {
		if (strcasecmp(s, words[i].word) == 0) {
			*order = words[i].order;
			return true;
		}
	}
	if (s[0] == 't' && nd_parse_u64(s + 1, 10, &n) && n < 100) {
		*order = (uint32_t)n + 1;
		return true;
	}
	return false;
}

bool nd_moment_of(const char *text, struct nd_moment *out)
{
	uint32_t day = 0;

	*out = (struct nd_moment){0};
	if (date_of(text, &out->date, &day) && (out->date > 0 || day)) {
		out->order = day;
		return true;
	}
	return order_of(text, &out->order);
}

bool nd_moment_cut(const char *name, bool numbers, char *out, size_t size, struct nd_moment *m)
{
	for (const char *p = name + 1; *name && *p; p++) {
		size_t n = strlen(p);
		uint64_t number;
		bool found;

		if (!strchr(SEPARATORS, p[-1]) || strchr(SEPARATORS, *p))
			continue;
		found = nd_moment_of(p, m);
		if (!found && numbers && n <= 2 && p[-1] != '.' && nd_parse_u64(p, 10, &number)) {
			m->order = (uint32_t)number + 1;
			found = true;
		}
		if (found && (size_t)(p - name) < size) {
			snprintf(out, size, "%.*s", (int)(p - name - 1), name);
			while (*out && strchr(SEPARATORS, out[strlen(out) - 1]))
				out[strlen(out) - 1] = '\0';
			return *out != '\0';
		}
	}
	return false;
}
