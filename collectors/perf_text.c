/* Output of perf top, perf report and perf script: what the CPUs ran, and where packets were dropped.
 *
 * Rows of top and report: a share, or two ("Children" and then "Self", which counts), columns of any
 * kind, the mark [k] for the kernel, the symbol. Rows of one symbol and several programs are added;
 * of several reports behind one another the first counts.
 * Lines of a call graph and events that are no clock are left out. perf top before 3.x writes samples,
 * pcnt, function, DSO. perf script: a line per sample and the stack below it, whose first frame is
 * where it was; or one line of a tracepoint, of which skb:kfree_skb is read. Samples:
 *
 *   31.04%  [kernel]                                      [k] memcg_stat_show
 *   24.91%     0.00%  exe      [kernel.kallsyms]   [k] try_charge
 *   nginx 812 [003] 27475.438637:     250000 cpu-clock:
 *   swapper 0 [148] 27475.438637: skb:kfree_skb: … location=tcp_v4_rcv+0x4f reason: NO_SOCKET */
#include "collectors/profile.h"
#include "collectors/task.h"

#include <ctype.h>

#define DROPS_MAX 256u /* functions */
#define ORDER 0.005 /* rows of one report fall; perf top may show them a little out of order */

struct drop {
	char symbol[ND_SYMBOL_MAX], reason[64];
	uint64_t n;
};
struct file {
	const struct nd_input *in;
	struct nd_profile rows, samples;
	double total; /* samples of perf script */
	bool other_event; /* what follows counts no time */
	double last; /* share in front of the row before; 0: none. A larger one begins another report */
	bool want_frame; /* the next line is the first frame of a sample */
	struct drop *drops;
	uint32_t n_drops, cap;
};

static bool is_clock(const char *event)
{
	return strstr(event, "cycles") || strstr(event, "clock");
}

/* ---- top and report ---- */

/* "31.04%" at the start of *at: moves it behind. */
static bool take_percent(const char **at, double *out)
{
	char text[16];
	const char *s = *at + strspn(*at, " \t");
	size_t n = strspn(s, "0123456789.");

	if (n == 0 || n >= sizeof(text) - 1 || s[n] != '%')
		return false;
	memcpy(text, s, n);
	text[n] = '\0';
	*at = s + n + 1;
	return nd_percent(text, 1, out);
}

/* "  1234.00 12.3% tcp_v4_rcv   [kernel.kallsyms]" */
static bool take_old_row(struct file *x, char *line)
{
	struct nd_words w;
	char symbol[ND_SYMBOL_MAX];
	double samples, share;

	nd_words_cut(line, &w);
	if (w.n < 4 || !nd_parse_f64(w.w[0], &samples) || !nd_ends(w.w[1], "%") ||
	    !nd_percent(w.w[1], 1, &share) || !nd_symbol_clean(w.w[2], symbol, sizeof(symbol)))
		return false;
	if (strstr(w.w[3], "kernel") || w.w[3][0] == '[')
		nd_profile_add(&x->rows, symbol, share);
	return true;
}

static bool take_row(struct file *x, char *line)
{
	const char *at = line + strspn(line, " \t+-"), *mark;
	char symbol[ND_SYMBOL_MAX];
	double share, self;

	if (!take_percent(&at, &share))
		return take_old_row(x, line);
	if (strstr(at, "[k] ") || strstr(at, "[.] ")) {
		if (x->last > 0 && share > x->last + ORDER)
			x->other_event =
				true; /* before and after, good and bad: the first counts */
		x->last = share;
	}
	if (take_percent(&at, &self))
		share = self;
	mark = strstr(at, "[k] ");
	if (!mark)
		return strstr(at, "[.] ") != NULL; /* a program's */
	if (!nd_symbol_clean(mark + 4, symbol, sizeof(symbol)))
		return false;
	if (!x->other_event)
		nd_profile_add(&x->rows, symbol, share);
	return true;
}

/* "# Samples: 12K of event 'cpu-clock'", "Samples: 4K of event 'cycles', 4000 Hz, Event count" */
static bool take_event(struct file *x, const char *line)
{
	const char *at = strstr(line, "of event '");

	if (!at)
		return false;
	x->other_event = !is_clock(at) || x->rows.n;
	x->last = 0;
	return true;
}

/* ---- script ---- */

static void add_drop(struct file *x, const char *symbol, const char *reason)
{
	uint32_t i = 0;

	while (i < x->n_drops && strcmp(x->drops[i].symbol, symbol) != 0)
		i++;
	if (i == DROPS_MAX)
		return;
	if (i == x->n_drops) {
		ND_GROW(x->drops, x->n_drops, x->cap);
		memset(&x->drops[i], 0, sizeof(*x->drops));
		snprintf(x->drops[i].symbol, ND_SYMBOL_MAX, "%s", symbol);
		x->n_drops++;
	}
	x->drops[i].n++;
	snprintf(x->drops[i].reason, sizeof(x->drops->reason), "%.*s",
		 (int)strcspn(reason, " \t\r"), reason);
}

/* "skb:kfree_skb: … location=tcp_v4_rcv+0x4f reason: NO_SOCKET"; old kernels tell neither. */
static bool take_drop(struct file *x, const char *line)
{
	const char *at = strstr(line, "skb:kfree_skb:"), *location, *reason;
	char symbol[ND_SYMBOL_MAX];

	if (!at)
		return false;
	location = strstr(at, "location=");
	reason = strstr(at, "reason: ");
	if (!location || strstr(location, "location=0x") == location ||
	    !nd_symbol_clean(location + strlen("location="), symbol, sizeof(symbol)))
		return true;
	add_drop(x, symbol, reason ? reason + strlen("reason: ") : "");
	return true;
}

/* "nginx 812 [003] 27475.438637:     250000 cpu-clock:pppH:": a sample whose stack follows. */
static bool take_sample(struct file *x, const char *line)
{
	const char *at = strchr(line, '[');
	size_t n;

	if (isspace((unsigned char)line[0]) && !at)
		return false;
	n = at ? strspn(at + 1, "0123456789") : 0;
	if (n == 0 || at[1 + n] != ']')
		return false;
	at += n + 2;
	at += strspn(at, " \t");
	n = strspn(at, "0123456789.");
	if (n < 3 || at[n] != ':')
		return false;
	x->want_frame = is_clock(at + n) && nd_ends(line, ":");
	x->total += x->want_frame;
	return true;
}

/* "	ffffffff81a0 native_safe_halt+0xe ([kernel.kallsyms])" */
static bool take_frame(struct file *x, char *line)
{
	struct nd_words w;
	char symbol[ND_SYMBOL_MAX];

	nd_words_cut(line, &w);
	if (w.n < 2 || strspn(w.w[0], "0123456789abcdef") != strlen(w.w[0]))
		return false;
	x->want_frame = false;
	if (strstr(w.w[w.n - 1], "kernel") && nd_symbol_clean(w.w[1], symbol, sizeof(symbol)))
		nd_profile_add(&x->samples, symbol, 1);
	return true;
}

/* ---- together ---- */

static bool take_line(struct file *x, char *line)
{
	char *text = nd_trim(line);

	if (!*text || take_event(x, text) || *text == '#' || *text == '|' || nd_starts(text, "--"))
		return false;
	if (take_drop(x, text) || take_sample(x, text))
		return true;
	if (x->want_frame)
		return take_frame(x, text);
	return take_row(x, text);
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	struct file x = {.in = in};
	struct nd_input interval = *in;
	bool any = false;
	int rc = 0;
	char *line;

	interval.interval = true;
	while ((line = nd_stream_line(s)))
		any |= take_line(&x, line);
	nd_profile_put(&x.rows, 1, f, in);
	nd_profile_put(&x.samples, x.total, f, in);
	for (uint32_t i = 0; i < x.n_drops; i++) {
		nd_id on = nd_function_entity(f, x.drops[i].symbol);

		nd_put_reading(f, on, &nd_profile_facts[ND_PROFILE_DROPS], x.drops[i].n, &interval);
		if (x.drops[i].reason[0])
			nd_put_text(f, on, &nd_profile_facts[ND_PROFILE_DROP_REASON],
				    x.drops[i].reason, in);
	}
	if (nd_stream_error(s))
		rc = nd_fail(e, nd_stream_error(s), "%s: %s", in->path,
			     strerror(-nd_stream_error(s)));
	else if (!any)
		rc = nd_parse_fail(in, s, e, "rows such as 31.04% [kernel] [k] tcp_v4_rcv", "none");
	free(x.rows.rows);
	free(x.samples.rows);
	free(x.drops);
	return rc;
}

static const struct nd_read reads[] = {
	{"perf top", 0, "*[0-9].[0-9][0-9]% *[[]k[]] [a-z_]*"},
	{"perf report", 0, NULL},
	{"perf script", 0,
	 "*skb:kfree_skb:*\n\n*[[][0-9]*[]] [0-9]*.[0-9]*: *cycles*:\n\n*[[][0-9]*[]] [0-9]*.[0-9]*: *clock*:"},
	{0},
};

const struct nd_collector nd_collector_perf_text = {
	.name = "perf_text",
	.doc = "what the CPUs ran, from the output of perf top, report and script",
	.reads = reads,
	.facts = nd_profile_facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
};
