/* Queueing disciplines from the text of `tc -s qdisc`, with or without -d.
 *
 * A first line names one, the lines below it count; numbers are found by the word beside them, for
 * kinds add lines of their own and -d adds words. For a single interface tc leaves "dev NAME" out,
 * and then only the file's name can tell which it was. Sizes are printed as 12Kb when that is less
 * than 16 bytes off. The last word of a text without a newline at its end may have been cut and is
 * left out.
 *
 *	qdisc fq_codel 120: dev eth0.2 parent 1:12 limit 1001p flows 1024 quantum 300 target 14ms
 *	 Sent 182216717 bytes 2225671 pkt (dropped 213, overlimits 0 requeues 0)
 *	 backlog 0b 0p requeues 0
 *	  maxpacket 3028 drop_overlimit 0 new_flow_count 232568 ecn_mark 1 */
#include "collectors/qdisc.h"

#include "collectors/collector.h"
#include "collectors/netdev.h"

#include <errno.h>
#include <linux/pkt_sched.h>

#define QDISCS_MAX 16384
#define BETWEEN " \t\r(),"

struct reader {
	const struct nd_input *in;
	struct nd_stream *s;
	struct nd_facts *f;
	char dev[IFNAMSIZ]; /* what the file's name says, or "" */
	struct nd_qdisc q;
	bool open; /* q was begun */
	bool counted; /* its lines of statistics began */
	bool garbled; /* one of its numbers was none */
	uint32_t seen;
};

/* Was the word in front of rest perhaps longer? Only the last one of a text without a newline. */
static bool may_be_cut(const struct reader *r, const char *rest)
{
	return !*rest && nd_stream_unended(r->s);
}

/* ---- words ---- */

/* "12", "12b", "12Kb", "3Mb": bytes. */
static bool parse_size(const char *word, uint64_t *out)
{
	static const struct {
		const char *suffix;
		double bytes;
	} units[] = {{"Gb", 1 << 30}, {"Mb", 1 << 20}, {"Kb", 1 << 10}, {"b", 1}, {"", 1}};
	char digits[24];
	double v;

	for (size_t i = 0; i < ND_ARRAY_LEN(units); i++) {
		size_t n = strlen(word) - strlen(units[i].suffix);

		if (!nd_ends(word, units[i].suffix) || n >= sizeof(digits))
			continue;
		memcpy(digits, word, n);
		digits[n] = '\0';
		if (!nd_parse_f64(digits, &v) || v < 0 || v * units[i].bytes > UINT32_MAX)
			return false;
		*out = (uint64_t)(v * units[i].bytes + 0.5);
		return true;
	}
	return false;
}

/* "12p": packets. */
static bool parse_packets(const char *word, uint64_t *out)
{
	char digits[24];
	size_t n = strlen(word);

	if (n < 2 || n > sizeof(digits) || word[n - 1] != 'p')
		return false;
	memcpy(digits, word, n - 1);
	digits[n - 1] = '\0';
	return nd_parse_u64(digits, 10, out) && *out <= UINT32_MAX;
}

/* "8001:", "1:12", ":2", in hexadecimal. */
static bool parse_class(const char *word, uint32_t *out)
{
	const char *colon = strchr(word, ':');
	uint64_t major = 0, minor = 0;
	char text[8];

	if (!colon || colon - word >= (ptrdiff_t)sizeof(text) || !word[1])
		return false;
	memcpy(text, word, (size_t)(colon - word));
	text[colon - word] = '\0';
	if ((*text && !nd_parse_u64(text, 16, &major)) ||
	    (colon[1] && !nd_parse_u64(colon + 1, 16, &minor)))
		return false;
	if (major > UINT16_MAX || minor > UINT16_MAX)
		return false;
	*out = (uint32_t)(major << 16 | minor);
	return true;
}

static bool parse_kind(const char *word, char *out, size_t size)
{
	size_t n = strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789_-");

	if (n == 0 || word[n] || n >= size)
		return false;
	memcpy(out, word, n + 1);
	return true;
}

/* ---- one of them ---- */

/* tc prints a bare number where only packets can be meant. */
static void take_limit(struct nd_qdisc *q, const char *word)
{
	uint64_t v;

	if (parse_packets(word, &v) || nd_parse_u64(word, 10, &v))
		snprintf(q->limit, sizeof(q->limit), "%llup", (unsigned long long)v);
	else if (parse_size(word, &v))
		snprintf(q->limit, sizeof(q->limit), "%llub", (unsigned long long)v);
}

/* "512Kbit", "1Gbit": bits per second by thousands; "unlimited" is no rate. */
static void take_rate(struct nd_qdisc *q, const char *word)
{
	static const struct {
		const char *suffix;
		double bytes;
	} units[] = {{"Gbit", 125e6}, {"Mbit", 125e3}, {"Kbit", 125}, {"bit", 0.125}};
	char digits[24];
	double v;

	for (size_t i = 0; i < ND_ARRAY_LEN(units); i++) {
		if (!nd_ends(word, units[i].suffix))
			continue;
		snprintf(digits, sizeof(digits), "%.*s",
			 (int)(strlen(word) - strlen(units[i].suffix)), word);
		if (nd_parse_f64(digits, &v) && v > 0 && v * units[i].bytes < 1e15)
			q->rate = (uint64_t)(v * units[i].bytes);
		return;
	}
}

static bool is_told(const struct reader *r, nd_id on)
{
	nd_fact_id id = nd_registry_find(nd_facts_registry(r->f), ND_QDISC,
					 nd_qdisc_facts[ND_QD_KIND].name);

	return strcmp(nd_get_source(r->f, on, id), r->in->path) == 0;
}

/* Puts the one that was begun, unless the same text has told it before: its first round stays. */
static void finish(struct reader *r, bool cut)
{
	enum nd_missing why = ND_TOOL_OUTPUT_ABSENT;
	char detail[256];

	if (!r->open)
		return;
	r->open = false;
	if (is_told(r, nd_qdisc_entity(r->f, &r->q, r->in)))
		return;
	if (cut)
		why = ND_TRUNCATED;
	else if (r->garbled)
		why = ND_PARSE_ERROR;
	snprintf(detail, sizeof(detail),
		 cut	      ? "%.200s ends at it or before"
		 : r->garbled ? "%.200s holds no number there"
		 : r->counted ? "%.200s does not tell it"
			      : "%.200s was recorded without -s",
		 r->in->path);
	nd_qdisc_put(r->f, &r->q, r->in, why, detail);
}

static bool begin_parent(struct reader *r, const char *key, const char *word)
{
	if (strcmp(key, "parent") == 0)
		return parse_class(word, &r->q.parent);
	if (strcmp(word, "root") == 0)
		r->q.parent = TC_H_ROOT;
	return true;
}

/* What follows "qdisc KIND HANDLE". True when all that names it was there, and well formed. */
static bool begin_rest(struct reader *r, char *line, const char **bad)
{
	bool options = false; /* these may hold any word; "limit" is one of them */
	const char *key = "";
	char *word;

	snprintf(r->q.dev, sizeof(r->q.dev), "%s", r->dev);
	while ((word = nd_word(&line)) && !may_be_cut(r, line)) {
		*bad = word;
		if (strcmp(key, "dev") == 0 && !options) {
			if (!nd_netdev_name_ok(word))
				return false;
			snprintf(r->q.dev, sizeof(r->q.dev), "%s", word);
		} else if (!options && !begin_parent(r, key, word)) {
			return false;
		} else if (strcmp(key, "limit") == 0 && !r->q.limit[0]) {
			take_limit(&r->q, word);
		} else if (options && !r->q.rate &&
			   ((strcmp(key, "rate") == 0 && strcmp(r->q.kind, "tbf") == 0) ||
			    (strcmp(key, "bandwidth") == 0 && strcmp(r->q.kind, "cake") == 0))) {
			take_rate(&r->q, word);
		}
		options = options || r->q.parent != TC_H_UNSPEC;
		key = word;
	}
	*bad = word ? word : "nothing";
	return r->q.dev[0] && (r->q.parent != TC_H_UNSPEC || !nd_stream_unended(r->s));
}

static int begin(struct reader *r, char *line, struct nd_err *e)
{
	const char *expected = "'qdisc KIND HANDLE: dev NAME'";
	char *kind, *handle;
	const char *bad;

	(void)nd_word(&line); /* "qdisc" */
	kind = nd_word(&line);
	handle = nd_word(&line);
	r->q = (struct nd_qdisc){.handle = 0};
	r->open = r->counted = r->garbled = false;
	if (!kind || !parse_kind(kind, r->q.kind, sizeof(r->q.kind)))
		return nd_parse_fail(r->in, r->s, e, expected, kind ? kind : "nothing");
	if (!handle || !nd_ends(handle, ":") || !parse_class(handle, &r->q.handle))
		return nd_parse_fail(r->in, r->s, e, expected, handle ? handle : "nothing");
	if (!begin_rest(r, line, &bad))
		return nd_parse_fail(r->in, r->s, e, expected, bad);
	if (++r->seen > QDISCS_MAX)
		return nd_fail(e, -E2BIG, "%s: only the first %d were read", r->in->path,
			       QDISCS_MAX);
	r->open = true;
	return 0;
}

/* ---- its numbers ---- */

static int take(struct reader *r, enum nd_qdisc_fact fact, const char *word, struct nd_err *e)
{
	const uint64_t most = nd_qdisc_facts[fact].width == ND_COUNTER64 ? UINT64_MAX : UINT32_MAX;
	uint64_t v;

	if (nd_parse_u64(word, 10, &v) && v <= most) {
		nd_qdisc_take(&r->q, fact, v);
		return 0;
	}
	r->garbled = true;
	return nd_parse_fail(r->in, r->s, e, "a number", word);
}

/*	Sent 182216717 bytes 2225671 pkt (dropped 213, overlimits 0 requeues 0) */
static int sent_line(struct reader *r, char *line, struct nd_err *e)
{
	static const struct {
		const char *word;
		enum nd_qdisc_fact fact;
		bool behind; /* the word follows its number */
	} words[] = {
		{"bytes", ND_QD_SENT_BYTES, true},	 {"pkt", ND_QD_SENT_PACKETS, true},
		{"pkts", ND_QD_SENT_PACKETS, true},	 {"dropped", ND_QD_DROPS, false},
		{"overlimits", ND_QD_OVERLIMITS, false}, {"requeues", ND_QD_REQUEUES, false},
	};
	const char *before = "";
	char *word;
	int rc = 0;

	while ((word = nd_split(&line, BETWEEN)) && !may_be_cut(r, line)) {
		for (size_t i = 0; i < ND_ARRAY_LEN(words); i++) {
			const char *name = words[i].behind ? word : before;
			const char *number = words[i].behind ? before : word;

			if (strcmp(name, words[i].word) == 0 && take(r, words[i].fact, number, e))
				rc = -EINVAL;
		}
		before = word;
	}
	return rc;
}

/*	[rate 0bit 0pps ]backlog 12Kb 8p requeues 0 */
static int backlog_line(struct reader *r, char *line, struct nd_err *e)
{
	uint64_t bytes, packets;
	char *word, *size;

	while ((word = nd_word(&line)) && strcmp(word, "backlog") != 0)
		;
	size = nd_word(&line);
	if (!size || may_be_cut(r, line))
		return 0;
	word = nd_word(&line);
	if (!word || (may_be_cut(r, line) && !nd_ends(word, "p")))
		return 0;
	if (!parse_size(size, &bytes) || !parse_packets(word, &packets)) {
		r->garbled = true;
		return nd_parse_fail(r->in, r->s, e, "a size and packets (0b 0p)", size);
	}
	nd_qdisc_take(&r->q, ND_QD_BACKLOG, bytes);
	nd_qdisc_take(&r->q, ND_QD_BACKLOG_PACKETS, packets);
	return 0;
}

/*	  marks            0        2        0            cake: one column for each tin */
static int cake_marks(struct reader *r, char *line, struct nd_err *e)
{
	uint64_t v;
	uint32_t sum = 0;
	bool any = false;
	char *word;

	for (; (word = nd_word(&line)); any = true) {
		if (may_be_cut(r, line))
			return 0;
		if (!nd_parse_u64(word, 10, &v) || v > UINT32_MAX) {
			r->garbled = true;
			return nd_parse_fail(r->in, r->s, e, "a number", word);
		}
		sum += (uint32_t)v; /* wraps as its parts do */
	}
	if (any)
		nd_qdisc_take(&r->q, ND_QD_ECN_MARKS, sum);
	return 0;
}

static int marks_line(struct reader *r, char *line, struct nd_err *e)
{
	const char *name = nd_qdisc_marks_word(r->q.kind);
	const char *before = "";
	char *word;
	int rc = 0;

	if (strcmp(r->q.kind, "cake") == 0 && nd_starts(line, "marks "))
		return cake_marks(r, line + strlen("marks"), e);
	while (name && (word = nd_word(&line)) && !may_be_cut(r, line)) {
		if (strcmp(before, name) == 0 && take(r, ND_QD_ECN_MARKS, word, e))
			rc = -EINVAL;
		before = word;
	}
	return rc;
}

static int detail(struct reader *r, char *line, struct nd_err *e)
{
	const bool sent = nd_starts(line, "Sent ");

	r->counted = r->counted || sent;
	if (sent)
		return sent_line(r, line, e);
	if (nd_starts(line, "backlog ") || nd_starts(line, "rate "))
		return r->q.has >> ND_QD_BACKLOG & 1 ? 0 : backlog_line(r, line, e);
	return marks_line(r, line, e);
}

/* ---- all of them ---- */

/* "…/tc_-s_qdisc_show_dev_eth0.txt@10": what follows "dev". */
static void name_from_path(const char *path, char *out, size_t size)
{
	static const char *const endings[] = {".txt", ".log", ".out", ".text"};
	const char *base = strrchr(path, '/');
	const char *at = base ? base + 1 : path;
	const char *found = NULL;
	char name[64];
	char *moment;

	for (; (at = strstr(at, "dev")); at++)
		if (at != path && strchr("-_ .", at[-1]) && at[3] && strchr("-_ ", at[3]))
			found = at + 4;
	if (!found || (size_t)snprintf(name, sizeof(name), "%s", found) >= sizeof(name))
		return;
	moment = strrchr(name, '@');
	if (moment)
		*moment = '\0';
	for (size_t i = 0; i < ND_ARRAY_LEN(endings); i++)
		if (nd_ends(name, endings[i]))
			name[strlen(name) - strlen(endings[i])] = '\0';
	if (nd_netdev_name_ok(name))
		snprintf(out, size, "%.*s", (int)size - 1, name);
}

/* One line. Negative errno: it says what it should not, and the reading goes on. */
static int read_line(struct reader *r, char *line, struct nd_err *e)
{
	const bool indented = *line == ' ' || *line == '\t';

	line += strspn(line, " \t");
	if (nd_starts(line, "qdisc ")) {
		finish(r, false);
		return begin(r, line, e);
	}
	if (!*line || *line == '\r' || !r->open)
		return 0;
	if (nd_starts(line, "class ") || nd_starts(line, "filter ") ||
	    (!indented && !nd_starts(line, "Sent ") && !nd_starts(line, "backlog "))) {
		finish(r, nd_stream_unended(r->s));
		return 0;
	}
	return detail(r, line, e);
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	struct reader r = {.in = in, .s = s, .f = f};
	struct nd_err first = {""};
	int rc = 0, bad = 0;
	bool cut;
	char *line;

	name_from_path(in->path, r.dev, sizeof(r.dev));
	while (rc != -E2BIG && (line = nd_stream_line(s))) {
		if (!r.seen && nd_starts(line, "[{"))
			return nd_parse_fail(in, s, e, "text (without -j)", "JSON");
		bad = read_line(&r, line, e);
		if (bad && !rc)
			first = *e;
		rc = bad == -E2BIG || !rc ? bad : rc;
	}
	/* text that was pasted may lack its last newline, but not half of what it tells */
	cut = nd_stream_unended(s) && (bad || !(r.q.has >> ND_QD_BACKLOG & 1));
	finish(&r, nd_stream_unended(s));
	if (nd_stream_error(s))
		return nd_fail(e, nd_stream_error(s), "%s: %s", in->path,
			       strerror(-nd_stream_error(s)));
	if (!r.seen)
		return rc ? rc
			  : nd_parse_fail(in, s, e, "'qdisc KIND HANDLE: dev NAME'",
					  "no such line");
	if (cut || rc == -E2BIG)
		nd_kind_missing(f, ND_QDISC, ND_TRUNCATED, "%s ends, or was left, within its list",
				in->path);
	else if (rc)
		nd_kind_missing(f, ND_QDISC, ND_PARSE_ERROR, "%s", first.msg);
	return 0;
}

static const struct nd_read reads[] = {
	{"tc qdisc", 0, "qdisc [a-z_]* [0-9a-f]*: *"},
	{NULL, 0},
};

const struct nd_collector nd_collector_qdisc_tool = {
	.name = "qdisc_tool",
	.doc = "queueing disciplines from the output of tc -s qdisc",
	.reads = reads,
	.facts = nd_qdisc_facts,
	.entities = {ND_QDISC, ND_NO_KIND},
	.parse = parse,
};
