/* Reads the times that people leave between outputs: what `date` prints, and clocks in prompts.
 *
 * Only differences count, so zones are skipped: within one text they are the same. */
#include "engine/core/source_paste.h"

#include <math.h>
#include <time.h>

#define LINE_MAX_BYTES 80

static bool digits(const char **s, size_t least, size_t most, int *out)
{
	size_t n = strspn(*s, "0123456789");
	int v = 0;

	if (n < least || n > most)
		return false;
	for (size_t i = 0; i < n; i++)
		v = v * 10 + (*(*s)++ - '0');
	*out = v;
	return true;
}

/* "03:42:31" with or without decimals behind a point or comma; moves s behind. */
static bool clock_at(const char **s, struct tm *t, double *fraction)
{
	double scale = 0.1;

	*fraction = 0;
	if (!digits(s, 1, 2, &t->tm_hour) || *(*s)++ != ':' || !digits(s, 2, 2, &t->tm_min) ||
	    *(*s)++ != ':' || !digits(s, 2, 2, &t->tm_sec))
		return false;
	if ((**s == '.' || **s == ',') && (*s)[1] >= '0' && (*s)[1] <= '9')
		for ((*s)++; **s >= '0' && **s <= '9'; (*s)++) {
			*fraction += (**s - '0') * scale;
			scale /= 10;
		}
	return t->tm_hour < 24 && t->tm_min < 60 && t->tm_sec < 61;
}

static int month_of(const char *s)
{
	static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

	for (int m = 0; m < 12; m++)
		if (strncmp(names + 3 * m, s, 3) == 0)
			return m;
	return -1;
}

static void skip_blanks(const char **s)
{
	*s += strspn(*s, " \t");
}

/* The rest may be AM, PM, a zone, and a year if there was none: "AM UTC 2026". */
static bool take_rest(const char *s, struct tm *t, bool *year)
{
	for (unsigned words = 0; skip_blanks(&s), *s; words++) {
		size_t n = strcspn(s, " \t");

		if (words == 3)
			return false;
		if (n == 2 && (strncmp(s, "AM", 2) == 0 || strncmp(s, "PM", 2) == 0)) {
			t->tm_hour = t->tm_hour % 12 + (*s == 'P' ? 12 : 0);
		} else if (!*year && n == 4 && strspn(s, "0123456789") == 4) {
			const char *at = s;

			*year = digits(&at, 4, 4, &t->tm_year);
			t->tm_year -= 1900;
		} else if (n > 6 || strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ+-:0123456789") < n) {
			return false; /* no zone: CEST, +0200, +02:00 */
		}
		s += n;
	}
	return *year;
}

/* "Tue Dec  1 03:42:31 UTC 2026", "Tue 01 Dec 2026 03:42:31 AM UTC", "Tue Dec 1 03:42:31 2026" */
static bool spoken(const char *s, struct tm *t, double *fraction)
{
	static const char days[] = "MonTueWedThuFriSatSun";
	bool year = false, day = false;
	size_t n = strcspn(s, " ,");

	for (size_t i = 0; n == 3 && i < sizeof(days) - 1; i += 3)
		day |= strncmp(days + i, s, 3) == 0;
	if (!day)
		return false;
	s += n + strspn(s + n, " ,");
	t->tm_mon = month_of(s);
	if (t->tm_mon >= 0) {
		s += 3;
		skip_blanks(&s);
		if (!digits(&s, 1, 2, &t->tm_mday))
			return false;
	} else {
		if (!digits(&s, 1, 2, &t->tm_mday))
			return false;
		skip_blanks(&s);
		t->tm_mon = month_of(s);
		if (t->tm_mon < 0)
			return false;
		s += strcspn(s, " ");
		skip_blanks(&s);
		year = digits(&s, 4, 4, &t->tm_year);
		t->tm_year -= 1900;
		if (!year)
			return false;
	}
	skip_blanks(&s);
	return clock_at(&s, t, fraction) && take_rest(s, t, &year);
}

/* "2026-12-01T03:42:31+00:00", "2026-12-01 03:42:31" */
static bool iso(const char *s, struct tm *t, double *fraction)
{
	bool year = true;

	if (!digits(&s, 4, 4, &t->tm_year) || (*s != '-' && *s != '/') ||
	    (s++, !digits(&s, 2, 2, &t->tm_mon)) || (*s != '-' && *s != '/') ||
	    (s++, !digits(&s, 2, 2, &t->tm_mday)) || !strchr("T _", *s) || !*s++ ||
	    !clock_at(&s, t, fraction))
		return false;
	t->tm_year -= 1900;
	t->tm_mon -= 1;
	return take_rest(s, t, &year);
}

bool nd_date_of(const char *s, size_t len, double *seconds)
{
	char text[LINE_MAX_BYTES];
	struct tm t = {0};
	double fraction = 0;

	while (len && strchr(" \t\r=#*-", s[len - 1]))
		len--;
	while (len && strchr(" \t=#*-", *s)) {
		s++;
		len--;
	}
	if (len < 15 || len >= sizeof(text))
		return false;
	memcpy(text, s, len);
	text[len] = '\0';
	if (!spoken(text, &t, &fraction)) {
		t = (struct tm){0};
		if (!iso(text, &t, &fraction))
			return false;
	}
	if (t.tm_year < 70 || t.tm_year > 200 || t.tm_mon < 0 || t.tm_mon > 11 || t.tm_mday < 1 ||
	    t.tm_mday > 31)
		return false;
	*seconds = (double)timegm(&t) + fraction;
	return true;
}

bool nd_clock_of(const char *s, size_t len, double *seconds)
{
	for (size_t i = 0; i + 8 <= len; i++) {
		char text[32];
		const char *at = text;
		struct tm t = {0};
		double fraction;

		if (s[i] < '0' || s[i] > '9' ||
		    (i && ((s[i - 1] >= '0' && s[i - 1] <= '9') || s[i - 1] == ':')))
			continue;
		snprintf(text, sizeof(text), "%.*s", (int)(len - i < 20 ? len - i : 20), s + i);
		if (clock_at(&at, &t, &fraction) && *at != ':') {
			*seconds = t.tm_hour * 3600.0 + t.tm_min * 60.0 + t.tm_sec + fraction;
			return true;
		}
	}
	return false;
}
