/* The kernel's log as text: output of dmesg or journalctl -k, or a file of syslog.
 *
 * Lines begin with a time since boot, a date, or nothing:
 *   [ 1356.296930] r8125 …          seconds since boot
 *   [Tue Nov 20 22:30:22 2018] …    dmesg -T
 *   Sep 14 14:04:50 host kernel: …  syslog, journalctl; perhaps with a time since boot behind it
 *   2026-12-01T00:07:55,123+00:00 … dmesg --time-format iso, newer syslog
 * Nobody knows when the text was taken, unless the uptime beside it tells. So the age of a line
 * counts from the last line of the same sort of time: it is a lower bound. */
#include <errno.h>
#include <time.h>

#include "collectors/collector.h"
#include "collectors/host.h"

#define LINES_MAX 20000 /* the last ones */
#define YEAR_S (366.0 * 86400) /* of 2000, which stands for a year that was not said */

enum clock { NO_CLOCK, SINCE_BOOT, DATE, DATE_NO_YEAR, CLOCKS };
struct line {
	enum clock clock;
	double time; /* s */
	char *text; /* owned */
};
struct log {
	struct line *lines; /* a ring of LINES_MAX */
	uint32_t n, cap, next;
};

/* ---- times ---- */

static int month_of(const char *s)
{
	static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	const char *at = strlen(s) == 3 ? strstr(names, s) : NULL;

	return at && (at - names) % 3 == 0 ? (int)(at - names) / 3 : -1;
}

/* n digits at s, any number up to 9 if n is 0; moves s behind them. */
static bool take_digits(const char **s, size_t n, int *out)
{
	size_t have = strspn(*s, "0123456789");
	int v = 0;

	if (have == 0 || have > 9 || (n && have < n))
		return false;
	for (size_t i = 0; i < (n ? n : have); i++)
		v = v * 10 + (*(*s)++ - '0');
	*out = v;
	return true;
}

static bool take_char(const char **s, const char *set)
{
	if (!**s || !strchr(set, **s))
		return false;
	(*s)++;
	return true;
}

/* "22:30:22" with or without decimals; the rest of the word is skipped. */
static bool take_clock(const char **s, struct tm *t, double *fraction)
{
	int digits;

	if (!take_digits(s, 2, &t->tm_hour) || !take_char(s, ":") ||
	    !take_digits(s, 2, &t->tm_min) || !take_char(s, ":") || !take_digits(s, 2, &t->tm_sec))
		return false;
	*fraction = 0;
	if (take_char(s, ".,")) {
		const char *from = *s;

		if (!take_digits(s, 0, &digits))
			return false;
		*fraction = digits;
		for (; from < *s; from++)
			*fraction /= 10;
	}
	return t->tm_hour < 24 && t->tm_min < 60 && t->tm_sec < 61;
}

static double seconds_of(struct tm *t, double fraction)
{
	return (double)timegm(t) + fraction;
}

/* "Tue Nov 20 22:30:22 2018", "Nov 20 22:30:22" or "2018-11-20T22:30:22…" at s; what is behind is
 * returned, NULL if it is something else. */
static const char *take_date(const char *s, struct line *l)
{
	struct tm t = {.tm_year = 100}; /* 2000: any year with a 29th of February */
	char month[4] = "";
	double fraction;
	int year;

	if (strspn(s, "0123456789") == 4 && s[4] == '-') {
		if (!take_digits(&s, 4, &year) || !take_char(&s, "-") ||
		    !take_digits(&s, 2, &t.tm_mon) || !take_char(&s, "-") ||
		    !take_digits(&s, 2, &t.tm_mday) || !take_char(&s, "T ") ||
		    !take_clock(&s, &t, &fraction))
			return NULL;
		t.tm_year = year - 1900;
		t.tm_mon -= 1;
		l->clock = DATE;
		l->time = seconds_of(&t, fraction);
		return s + strcspn(s, " ]"); /* the zone: the same in all lines */
	}
	if (strspn(s, "MTWFSadehirnotuy") == 3 && s[3] == ' ') /* day of the week */
		s += 4;
	snprintf(month, sizeof(month), "%.3s", s);
	t.tm_mon = month_of(month);
	if (t.tm_mon < 0)
		return NULL;
	s += 3 + strspn(s + 3, " ");
	if (!take_digits(&s, 0, &t.tm_mday) || !take_char(&s, " ") ||
	    !take_clock(&s, &t, &fraction))
		return NULL;
	l->clock = DATE_NO_YEAR;
	if (*s == ' ' && strspn(s + 1, "0123456789") == 4 &&
	    (s[5] == ']' || s[5] == ' ' || !s[5])) {
		s++;
		if (!take_digits(&s, 4, &year))
			return NULL;
		t.tm_year = year - 1900;
		l->clock = DATE;
	}
	l->time = seconds_of(&t, fraction);
	return s;
}

/* "  179.636034" up to the bracket. */
static bool take_uptime(const char *s, size_t n, double *out)
{
	char number[32];

	while (n && *s == ' ') {
		s++;
		n--;
	}
	if (n == 0 || n >= sizeof(number))
		return false;
	memcpy(number, s, n);
	number[n] = '\0';
	return nd_parse_f64(number, out) && *out >= 0;
}

/* A bracket with a time at s; what is behind it is returned, or NULL. */
static const char *take_bracket(const char *s, struct line *l)
{
	const char *end = *s == '[' ? strchr(s, ']') : NULL, *behind;

	if (!end)
		return NULL;
	if (take_uptime(s + 1, (size_t)(end - s) - 1, &l->time)) {
		l->clock = SINCE_BOOT;
	} else {
		behind = take_date(s + 1, l);
		if (!behind || behind != end)
			return NULL;
	}
	return end + 1 + strspn(end + 1, " ");
}

/* Parses a line; *text is where what the kernel said begins, NULL if the kernel did not say it. */
static void parse_line(const char *line, struct line *l, const char **text)
{
	struct line inner = {0};
	const char *behind, *kernel;

	*l = (struct line){0};
	if (*line == '<' && strchr(line, '>') &&
	    strspn(line + 1, "0123456789") > 0) /* dmesg -r: "<6>" */
		line = strchr(line, '>') + 1;
	*text = line;
	behind = take_bracket(line, l);
	if (!behind)
		behind = take_date(line, l);
	if (!behind) {
		l->clock = NO_CLOCK;
		kernel = strstr(line, "[");
		if (nd_starts(line, "kern ") && kernel &&
		    (behind = take_bracket(kernel, l))) /* dmesg -x */
			*text = behind;
		return;
	}
	*text = behind + strspn(behind, " ");
	if (l->clock == SINCE_BOOT || *line == '[')
		return;
	kernel = strstr(behind, "kernel: ");
	if (kernel) { /* "HOST kernel: [ts] text"; ts starts anew at each boot, the date does not */
		*text = kernel + strlen("kernel: ");
		behind = take_bracket(*text, &inner);
		*text = behind ? behind : *text;
	} else if (l->clock == DATE_NO_YEAR) {
		*text = NULL; /* a program's line */
	}
}

/* ---- the log ---- */

static void keep(struct log *log, const struct line *l, const char *text)
{
	struct line *at;

	if (log->n < LINES_MAX) {
		ND_GROW(log->lines, log->n, log->cap);
		at = &log->lines[log->n++];
	} else {
		at = &log->lines[log->next];
		log->next = (log->next + 1) % LINES_MAX;
		free(at->text);
	}
	*at = *l;
	at->text = nd_strdup(text);
}

static void put_end(const struct log *log, double end, const struct nd_input *in,
		    struct nd_facts *f)
{
	for (uint32_t i = 0; i < log->n; i++) {
		if (log->lines[i].clock != SINCE_BOOT)
			continue;
		nd_put_num(f, 0, &nd_kernel_log_facts[0], end, in);
		return;
	}
}

/* The last time of each clock; since boot it is now, if the uptime is known and not before. */
static void find_ends(const struct log *log, const struct nd_facts *f, double end[CLOCKS])
{
	double uptime;

	for (uint32_t i = 0; i < log->n; i++) {
		const struct line *l = &log->lines[(log->next + i) % log->n];

		end[l->clock] = l->time;
	}
	if (nd_host_uptime(f, &uptime) && uptime > end[SINCE_BOOT])
		end[SINCE_BOOT] = uptime;
}

static void put_all(struct log *log, const struct nd_input *in, struct nd_facts *f)
{
	double end[CLOCKS] = {0};

	find_ends(log, f, end);
	put_end(log, end[SINCE_BOOT], in, f);
	for (uint32_t i = 0; i < log->n; i++) {
		struct line *l = &log->lines[(log->next + i) % log->n];
		double age = end[l->clock] - l->time;

		if (l->clock == DATE_NO_YEAR && age < -86400) /* December, read in January */
			age += YEAR_S;
		nd_put_log(f, l->clock == NO_CLOCK ? -1 : age > 0 ? age : 0, l->text, in);
	}
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	struct log log = {0};
	const char *text;
	struct line l;
	char *line;

	(void)e;
	while ((line = nd_stream_line(s))) {
		parse_line(line, &l, &text);
		if (text && *text)
			keep(&log, &l, text);
	}
	put_all(&log, in, f);
	for (uint32_t i = 0; i < log.n; i++)
		free(log.lines[i].text);
	free(log.lines);
	nd_log_read(f);
	return 0;
}

/* Live it was /dev/kmsg that said why there is no log. */
static void finish(struct nd_facts *f)
{
	struct nd_status status;
	uint32_t n;

	nd_log(f, &n, &status);
	if (status.why != ND_PRESENT && !*status.detail)
		nd_log_missing(f, ND_TOOL_OUTPUT_ABSENT,
			       "no output of dmesg or journalctl -k that can be read");
}

const struct nd_fact_def nd_kernel_log_facts[] = {
	{.name = "kernel_log.end",
	 .on = ND_HOST,
	 .type = ND_T_NUMBER,
	 .unit = ND_U_SECONDS,
	 .doc = "time since boot to which the ages of the kernel's log lines count back",
	 .reproduce = "dmesg | tail -n 1"},
	{0},
};

static const struct nd_read reads[] = {
	{"dmesg", 0,
	 "*nf_conntrack: table full, dropping packet*\n\n*neighbo[u]*r table overflow!\n\n*neighbor table overflow!\n\n"
	 "*TCP: *SYN flooding on port*\n\n*NETDEV WATCHDOG: *timed out*\n\n*TCP: time wait bucket table overflow*\n\n"
	 "*TCP: out of memory -- consider tuning tcp_mem\n\n*TCP: too many orphaned sockets\n\n"
	 "*: NIC Link is Down\n\n*: NIC Link is Up*\n\n*: hw csum failure\n\n"
	 "ena 0000:*: Found a Tx that wasn't completed on time*\n\n*Detected * Unit Hang*\n\n"
	 "[[] *[0-9].[0-9][0-9][0-9][0-9][0-9][0-9][]] *\n\n"
	 "[[][0-9]*[0-9].[0-9][0-9][0-9][0-9][0-9][0-9][]] *\n\n"
	 "<[0-9]*>[[]*[0-9].[0-9][0-9][0-9][0-9][0-9][0-9][]] *\n\n"
	 "[[][MTWFS][ouehra][neduitn] [JFMASOND][a-z][a-z] *[0-9]:[0-9][0-9]:[0-9][0-9] "
	 "[12][0-9][0-9][0-9][]] *"},
	{"journalctl -k", 0,
	 "[JFMASONDTW][a-z][a-z] *[0-9]:[0-9][0-9]:[0-9][0-9] * kernel: *\n\n"
	 "[12][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T* kernel: *"},
	{"kern", 0},
	{"messages", 0},
	{"syslog", 0},
	{"logread", 0},
	{0},
};

const struct nd_collector nd_collector_dmesg = {
	.name = "dmesg",
	.doc = "the kernel's log, from the output of dmesg or journalctl -k or from kern.log",
	.reads = reads,
	.facts = nd_kernel_log_facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
	.finish = finish,
};
