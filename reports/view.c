/* Wording that all reports share.
 *
 * One place, so that the same fact reads the same in a terminal, a ticket and a browser. No
 * clock, no locale: moments are computed from the findings' epoch and offset. */
#include "reports/view.h"

#include <math.h>
#include <time.h>

#define SHARE_FROM 1 /* s: a share of less says nothing */
#define LAST_MOMENT 253402300799 /* 9999-12-31T23:59:59Z, the last that RFC 3339 can write */

bool nd_view_empty(const char *s)
{
	return !s || !*s;
}

/* Bytes that a sequence with this first byte has, or 0. */
static size_t sequence(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first >= 0xC2 && first < 0xE0)
		return 2;
	if ((first & 0xF0) == 0xE0)
		return 3;
	return (first & 0xF8) == 0xF0 ? 4 : 0;
}

size_t nd_view_decode(const char *s, uint32_t *point)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800,
					 0x10000}; /* shorter forms are invalid */
	size_t n = sequence((unsigned char)*s);
	uint32_t p = (unsigned char)*s;

	if (n > 1)
		p &= 0x7Fu >> n;
	for (size_t i = 1; i < n; i++) { /* the final NUL is no continuation byte */
		if (((unsigned char)s[i] & 0xC0) != 0x80)
			return 0;
		p = p << 6 | ((unsigned char)s[i] & 0x3Fu);
	}
	if (n == 0 || p < least[n] || p > 0x10FFFF || (p >= 0xD800 && p <= 0xDFFF))
		return 0;
	*point = p;
	return n;
}

bool nd_view_deceptive(uint32_t p)
{
	static const struct {
		uint32_t from, to;
	} ranges[] = {
		{0, 0x1F},	  {0x7F, 0x9F},	    {0xAD, 0xAD},     {0x61C, 0x61C},
		{0x180E, 0x180E}, {0x200B, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F},
		{0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE0FFF},
	};

	for (size_t i = 0; i < ND_ARRAY_LEN(ranges); i++)
		if (p >= ranges[i].from && p <= ranges[i].to)
			return true;
	return false;
}

void nd_view_clean(struct nd_buf *b, const char *s, enum nd_clean how)
{
	uint32_t p = 0;
	size_t n;

	for (; s && *s; s += n ? n : 1) {
		n = nd_view_decode(s, &p);
		if (!n)
			nd_buf_puts(b, ND_VIEW_REPLACEMENT);
		else if (p == '\n' || p == '\t')
			nd_buf_putc(b, how == ND_CLEAN_BLOCK ? *s : ' ');
		else if (nd_view_deceptive(p))
			nd_buf_printf(b, p < 0x80 ? "\\x%02X" : "\\u%04X", p);
		else
			nd_buf_put(b, s, n);
	}
}

void nd_view_cut(struct nd_buf *b, const char *s, size_t max)
{
	size_t n = s ? strnlen(s, max + 1) : 0;
	size_t word;

	if (!s || n <= max) {
		nd_buf_puts(b, s ? s : "");
		return;
	}
	for (word = max; word > max / 2 && s[word] != ' ';)
		word--;
	n = word > max / 2 ? word : max;
	while (n > 0 && ((unsigned char)s[n] & 0xC0) == 0x80)
		n--;
	nd_buf_put(b, s, n);
	nd_buf_puts(b, "…");
}

void nd_view_count(struct nd_buf *b, uint32_t n, const char *noun)
{
	nd_print_human(b, n, ND_U_COUNT);
	nd_buf_printf(b, " %s%s", noun, n == 1 ? "" : "s");
}

void nd_view_headline(struct nd_buf *b, const struct nd_findings *r)
{
	const char *said = nd_view_empty(r->headline) ? "" : r->headline;
	const char *verdict = nd_verdict_name(r->verdict);

	if (r->verdict == ND_CAUSES && *said) {
		nd_buf_puts(b, said);
		return;
	}
	if (!nd_starts(said, verdict))
		nd_buf_printf(b, "%s%s", verdict, *said ? ": " : "");
	nd_buf_puts(b, said);
	if (!strstr(said, "examined")) {
		nd_buf_printf(b, "%s%u of ", *said ? "; " : ": ", r->examined);
		nd_view_count(b, r->of, "tree");
		nd_buf_puts(b, " could be examined");
	}
}

void nd_view_host(struct nd_buf *b, const struct nd_findings *r)
{
	nd_buf_puts(b, nd_view_empty(r->host_name) ? "Host unknown" : r->host_name);
	if (!nd_view_empty(r->kernel))
		nd_buf_printf(b, ", Linux %s", r->kernel);
	if (r->cpus) {
		nd_buf_puts(b, ", ");
		nd_view_count(b, r->cpus, "CPU");
	}
	if (isfinite(r->uptime) && r->uptime > 0) {
		nd_buf_puts(b, ", up ");
		nd_print_human(b, r->uptime, ND_U_SECONDS);
	}
	if (!nd_view_empty(r->netns))
		nd_buf_printf(b, "; network namespace %s", r->netns);
}

/* Broken-down UTC; false when out of range. Local time is had by adding its offset before. */
static bool civil(int64_t epoch_s, struct tm *tm)
{
	time_t t = (time_t)epoch_s;

	return epoch_s > 0 && epoch_s <= LAST_MOMENT && gmtime_r(&t, tm);
}

bool nd_view_rfc3339(struct nd_buf *b, int64_t epoch_s)
{
	struct tm tm;

	if (!civil(epoch_s, &tm))
		return false;
	nd_buf_printf(b, "%04d-%02d-%02dT%02d:%02d:%02dZ", tm.tm_year + 1900, tm.tm_mon + 1,
		      tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
	return true;
}

/* "2026-07-20 12:00:00–12:00:05"; the date only where it differs from that of `day`. */
static void put_span(struct nd_buf *b, int64_t from_s, int64_t to_s, struct tm day)
{
	const int64_t moments[] = {from_s, to_s};
	struct tm tm;

	for (size_t i = 0; i < ND_ARRAY_LEN(moments); i++) {
		if ((i > 0 && to_s == from_s) || !civil(moments[i], &tm))
			continue;
		if (tm.tm_yday != day.tm_yday || tm.tm_year != day.tm_year)
			nd_buf_printf(b, "%s%04d-%02d-%02d ", i > 0 ? " – " : "", tm.tm_year + 1900,
				      tm.tm_mon + 1, tm.tm_mday);
		else
			nd_buf_puts(b, i > 0 ? "–" : "");
		nd_buf_printf(b, "%02d:%02d:%02d", tm.tm_hour, tm.tm_min, tm.tm_sec);
		day = tm;
	}
}

static void put_moments(struct nd_buf *b, const struct nd_findings *r)
{
	int64_t end_s = r->ended_s > r->started_s ? r->ended_s : r->started_s;
	int minutes = abs(r->utc_offset_s % 86400) / 60;
	struct tm day = {.tm_year = -1};

	if (!civil(r->started_s, &day) || !civil(end_s, &(struct tm){0}))
		return;
	nd_buf_puts(b, ": ");
	put_span(b, r->started_s, end_s, (struct tm){.tm_year = -1});
	nd_buf_puts(b, " UTC");
	if (!r->utc_offset_s) {
		nd_buf_puts(b, " (also local time)");
		return;
	}
	nd_buf_puts(b, " (");
	put_span(b, r->started_s + r->utc_offset_s, end_s + r->utc_offset_s, day);
	nd_buf_printf(b, " local, %c%02d:%02d)", r->utc_offset_s < 0 ? '-' : '+', minutes / 60,
		      minutes % 60);
}

void nd_view_window(struct nd_buf *b, const struct nd_findings *r)
{
	bool live = r->source && strcmp(r->source, "live") == 0;

	nd_buf_puts(b, live ? "Measured live" : "Read from recorded files");
	if (!live && !nd_view_empty(r->source))
		nd_buf_printf(b, " (%s)", r->source);
	if (isfinite(r->window) && r->window > 0) {
		nd_buf_puts(b, live ? " for " : ", a window of ");
		nd_print_human(b, r->window, ND_U_SECONDS);
	} else {
		nd_buf_puts(b, ", one moment only: counters run since boot");
	}
	put_moments(b, r);
	nd_buf_putc(b, '.');
}

void nd_view_symptom(struct nd_buf *b, const char *symptom)
{
	static const struct {
		const char *name, *says;
	} rows[] = {
		{"seen", "Symptom: seen in this window."},
		{"not-seen",
		 "Symptom: NOT seen in this window; what acts only in a spike may be missing."},
		{"not-measurable", "Symptom: not measured."},
	};

	for (size_t i = 0; symptom && i < ND_ARRAY_LEN(rows); i++) {
		if (strcmp(symptom, rows[i].name) == 0) {
			nd_buf_puts(b, rows[i].says);
			return;
		}
	}
	nd_buf_printf(b, "Symptom: %s.", nd_view_empty(symptom) ? "unknown" : symptom);
}

void nd_view_cost(struct nd_buf *b, const struct nd_findings *r)
{
	if (!isfinite(r->own_cpu) || !isfinite(r->own_wall) || r->own_wall <= 0)
		return;
	nd_buf_puts(b, "netdoctor itself used ");
	nd_print_human(b, r->own_cpu, ND_U_SECONDS);
	nd_buf_puts(b, " of CPU time in ");
	nd_print_human(b, r->own_wall, ND_U_SECONDS);
	if (r->own_wall >= SHARE_FROM) {
		nd_buf_puts(b, " (");
		nd_print_human(b, r->own_cpu / r->own_wall, ND_U_PERCENT);
		nd_buf_puts(b, " of one CPU)");
	}
	nd_buf_putc(b, '.');
}

const char *nd_view_fact(const char *fact, const char *entity)
{
	size_t kind = entity ? strcspn(entity, ":") : 0;

	if (!fact)
		return "";
	return kind && strncmp(fact, entity, kind) == 0 && fact[kind] == '.' ? fact + kind + 1
									     : fact;
}

static void put_hist(struct nd_buf *b, const struct nd_hist *h, enum nd_unit unit)
{
	static const struct {
		double q;
		const char *name;
	} rows[] = {{0.5, "P50"}, {0.99, "P99"}};
	double v = 0;

	nd_print_human(b, h ? nd_hist_count(h) : 0, ND_U_COUNT);
	nd_buf_puts(b, " samples");
	for (size_t i = 0; h && i < ND_ARRAY_LEN(rows); i++) {
		if (!nd_hist_quantile(h, rows[i].q, &v))
			continue;
		nd_buf_printf(b, ", %s ", rows[i].name);
		nd_print_human(b, v, unit);
	}
}

static const char *basis_words(enum nd_basis basis)
{
	static const char *const words[] = {
		[ND_B_NONE] = "",
		[ND_B_STATE] = "",
		[ND_B_WINDOW] = "",
		[ND_B_INTERVAL] = " since the tool's last run",
		[ND_B_LIFETIME] = " since boot",
	};

	return (unsigned)basis < ND_ARRAY_LEN(words) ? words[basis] : "";
}

void nd_view_value(struct nd_buf *b, const struct nd_evidence_value *v)
{
	switch (v->value.type) {
	case ND_V_MISSING:
		nd_buf_puts(b, "unknown (");
		nd_view_missing(b, v->value.why, v->value.detail, NULL);
		nd_buf_putc(b, ')');
		break;
	case ND_V_ABSENT: nd_buf_puts(b, "none"); break;
	case ND_V_NUMBER: nd_print_human(b, v->value.num, v->unit); break;
	case ND_V_BOOL: nd_buf_puts(b, v->value.yes ? "yes" : "no"); break;
	case ND_V_TEXT:
		nd_buf_puts(b, nd_view_empty(v->value.text) ? "\"\"" : v->value.text);
		break;
	case ND_V_HIST: put_hist(b, v->value.hist, v->unit); break;
	}
	if (v->value.type != ND_V_MISSING && v->value.type != ND_V_ABSENT)
		nd_buf_puts(b, basis_words(v->value.basis));
	if (v->distrusted)
		nd_buf_puts(b, ", doubtful: see the contradictions");
}

void nd_view_missing(struct nd_buf *b, enum nd_missing why, const char *detail, const char *probe)
{
	static const char *const words[ND_MISSINGS] = {
		[ND_PRESENT] = "unknown",
		[ND_NO_PERMISSION] = "no permission",
		[ND_NOT_ON_THIS_KERNEL] = "not on this kernel",
		[ND_NOT_BUILT] = "left out of this build",
		[ND_NOT_SAMPLED] = "not sampled",
		[ND_TOO_FEW_SAMPLES] = "too few samples",
		[ND_TOOL_OUTPUT_ABSENT] = "not among the recorded files",
		[ND_PARSE_ERROR] = "could not be understood",
		[ND_BUDGET] = "skipped to stay within the overhead budget",
		[ND_TIMED_OUT] = "took too long",
		[ND_TRUNCATED] = "the input is cut short",
		[ND_COUNTER_RESET] = "the counter was reset",
		[ND_SINGLE_SNAPSHOT] = "needs two readings, there is one",
		[ND_MIXED_SPAN] = "window and lifetime cannot be compared",
		[ND_AMBIGUOUS_SOURCE] = "two sources disagree",
		[ND_SILENT] = "its collector said nothing, which is a bug",
	};
	const char *says = (unsigned)why < ND_MISSINGS ? words[why] : words[ND_PRESENT];

	if (!nd_view_empty(probe))
		nd_buf_printf(b, "needs the %s probe (%s)", probe, says);
	else
		nd_buf_puts(b, says);
	if (!nd_view_empty(detail))
		nd_buf_printf(b, ": %s", detail);
}

/* Begins the next part of a list. */
static void part(struct nd_buf *b, size_t start, const char *s)
{
	nd_buf_printf(b, "%s%s", b->len > start ? "; " : "", s);
}

void nd_view_size(struct nd_buf *b, const struct nd_finding *f)
{
	size_t start = b->len;

	if (isfinite(f->delay)) {
		part(b, start, "delay ");
		nd_print_human(b, f->delay, ND_U_SECONDS);
		nd_buf_puts(b, " per affected request");
	}
	if (isfinite(f->touches)) {
		part(b, start, "touches ");
		nd_print_human(b, f->touches, ND_U_PERCENT);
		nd_buf_puts(b, " of requests");
	}
	if (isfinite(f->share)) {
		part(b, start, "");
		nd_print_human(b, f->share, ND_U_PERCENT);
		nd_buf_printf(b, " of %s",
			      nd_view_empty(f->share_of) ? "the symptom" : f->share_of);
	}
	if (f->too_small)
		part(b, start, "TOO SMALL to explain the symptom");
	if (isfinite(f->fit) &&
	    f->fit < 1) { /* 1 may also mean that there was no symptom to compare with */
		part(b, start, "at most ");
		nd_print_human(b, f->fit, ND_U_PERCENT);
		nd_buf_puts(b, " of the symptom");
	}
	if (b->len > start)
		nd_buf_putc(b, '.');
}

const char *nd_view_role(enum nd_role r)
{
	static const char *const words[] = {
		[ND_TRIGGER] = "a trigger",
		[ND_AMPLIFIER] = "an amplifier: makes another cause worse",
		[ND_CONSEQUENCE] = "a consequence of another cause",
	};

	return (unsigned)r < ND_ARRAY_LEN(words) ? words[r] : "?";
}
