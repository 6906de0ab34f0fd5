/* Stacks with the time that threads slept in them, or with samples: offcputime, and folded stacks.
 *
 * offcputime prints each stack innermost frame first, kernel before user behind "--", then the
 * thread, then microseconds; folded lines begin with the program, outermost first, and end with a
 * number: microseconds when the name or the first line tells of off-CPU time, samples of a CPU
 * otherwise; without a number a line is one sample. Only kernel frames are kept. Frames below one that only user space has are cut off by
 * the "--" or by the mark _[k]; an unmarked folded line keeps what looks like a kernel symbol.
 *
 *     finish_task_switch
 *     schedule
 *     inet_csk_accept
 *     -                nginx (1234)
 *         12345
 *
 * nginx;main;entry_SYSCALL_64;do_syscall_64;inet_csk_accept;schedule 12345 */
#include "collectors/profile.h"

#include "collectors/process.h"

#define STACKS_MAX 2048u
#define FRAMES_BYTES 1024
#define FOLDED_FRAMES 128

struct stack {
	char frames[FRAMES_BYTES];
	uint64_t pid;
	bool has_pid;
	double seconds;
};
struct file {
	struct stack *s, now;
	uint32_t n, cap, good;
	bool off_cpu; /* folded numbers are microseconds of sleep */
	bool user; /* behind the "--" of a stack */
	struct nd_profile samples;
	double total;
};

static void add_stack(struct file *x, const struct stack *s)
{
	x->good++;
	if (!s->frames[0])
		return; /* user frames alone */
	for (uint32_t i = 0; i < x->n; i++) {
		if (x->s[i].pid == s->pid && strcmp(x->s[i].frames, s->frames) == 0) {
			x->s[i].seconds += s->seconds;
			return;
		}
	}
	if (x->n == STACKS_MAX)
		return;
	ND_GROW(x->s, x->n, x->cap);
	x->s[x->n++] = *s;
}

static void add_frame(struct stack *s, const char *symbol)
{
	size_t n = strlen(s->frames);

	if (n + strlen(symbol) + 2 > sizeof(s->frames))
		return;
	snprintf(s->frames + n, sizeof(s->frames) - n, "%s%s", n ? ";" : "", symbol);
}

/* ---- offcputime ---- */

/* "-                nginx (1234)" */
static bool take_owner(struct file *x, const char *line)
{
	const char *open = strrchr(line, '(');
	char digits[24];
	size_t n;

	if (!nd_starts(line, "- ") || !open)
		return false;
	n = strspn(open + 1, "0123456789");
	if (n == 0 || n >= sizeof(digits) || open[1 + n] != ')')
		return false;
	memcpy(digits, open + 1, n);
	digits[n] = '\0';
	x->now.has_pid = nd_parse_u64(digits, 10, &x->now.pid);
	return x->now.has_pid;
}

/* A line of the long form, already trimmed. */
static void take_long(struct file *x, char *line)
{
	char symbol[ND_SYMBOL_MAX];
	uint64_t us;

	if (take_owner(x, line))
		return;
	if (x->now.has_pid && nd_parse_u64(line, 10, &us)) {
		x->now.seconds = (double)us / 1e6;
		add_stack(x, &x->now);
		memset(&x->now, 0, sizeof(x->now));
		x->user = false;
		return;
	}
	if (strcmp(line, "--") == 0 || strcmp(line, "-") == 0)
		x->user = true;
	else if (!x->user && !strchr(line, ' ') && nd_symbol_clean(line, symbol, sizeof(symbol)))
		add_frame(&x->now, symbol);
}

/* ---- folded ---- */

static bool is_kernel_symbol(const char *s)
{
	return s[0] &&
	       strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") ==
		       strlen(s);
}

/* "comm;outer;inner 12345" */
static bool take_folded(struct file *x, char *line)
{
	char *space = strrchr(line, ' '), *semicolon = strrchr(line, ';');
	char *frame[FOLDED_FRAMES], *at = line;
	struct stack s = {.pid = 0};
	uint32_t n = 0;
	bool marked = strstr(line, "_[k]") != NULL;
	uint64_t v = 1; /* a line per sample: stackcollapse-perf-ordered.pl */

	if (!semicolon || semicolon == line)
		return false;
	if (space > semicolon && nd_parse_u64(space + 1, 10, &v))
		*space = '\0';
	else if (x->off_cpu || space > semicolon)
		return false;
	while (n < FOLDED_FRAMES && (frame[n] = nd_split(&at, ";")))
		n++;
	for (uint32_t i = n; i-- > 1;) { /* the first is the program */
		char symbol[ND_SYMBOL_MAX];
		bool kernel = marked ? nd_ends(frame[i], "_[k]") : is_kernel_symbol(frame[i]);

		if (!kernel)
			break;
		if (marked)
			frame[i][strlen(frame[i]) - strlen("_[k]")] = '\0';
		if (nd_symbol_clean(frame[i], symbol, sizeof(symbol)))
			add_frame(&s, symbol);
	}
	x->total += (double)v;
	if (x->off_cpu) {
		s.seconds = (double)v / 1e6;
		add_stack(x, &s);
	} else {
		s.frames[strcspn(s.frames, ";")] = '\0';
		if (s.frames[0])
			nd_profile_add(&x->samples, s.frames, (double)v);
		x->good++;
	}
	return true;
}

/* ---- together ---- */

static void put(const struct file *x, struct nd_facts *f, const struct nd_input *in)
{
	for (uint32_t i = 0; i < x->n; i++) {
		const struct stack *s = &x->s[i];
		nd_id on;
		char key[32];

		snprintf(key, sizeof(key), "%s%u", s->has_pid ? "p" : "f", i + 1);
		on = nd_entity(f, ND_STACK, key);
		nd_put_text(f, on, &nd_process_facts[ND_P_STACK_FRAMES], s->frames, in);
		nd_put_num(f, on, &nd_process_facts[ND_P_STACK_TIME], s->seconds, in);
		if (s->has_pid)
			nd_relate(f, on, ND_STACK_PROCESS, nd_entity_num(f, ND_PROCESS, s->pid));
	}
	nd_profile_put(&x->samples, x->total, f, in);
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	const char *base = strrchr(in->path, '/');
	struct file x = {.off_cpu = strcasestr(base ? base : in->path, "off") != NULL};
	int rc = 0;
	char *line;

	while ((line = nd_stream_line(s))) {
		line = nd_trim(line);
		if (strcasestr(line, "off-CPU"))
			x.off_cpu = true;
		else if (*line && !take_folded(&x, line))
			take_long(&x, line);
	}
	put(&x, f, in);
	if (nd_stream_error(s))
		rc = nd_fail(e, nd_stream_error(s), "%s: %s", in->path,
			     strerror(-nd_stream_error(s)));
	else if (!x.good)
		rc = nd_parse_fail(in, s, e, "stacks of offcputime, or folded ones", "none");
	free(x.s);
	free(x.samples.rows);
	return rc;
}

static const struct nd_read reads[] = {
	{"offcputime", 0,
	 "Tracing off-CPU time *\n\n*;*;*schedule [0-9]*\n*;do_syscall_64;*\n\n"
	 "*;*;finish_task_switch [0-9]*\n*;do_syscall_64;*\n\n*;*;*schedule [0-9]*\n\n*;*;finish_task_switch [0-9]*"},
	{"offcpu", 0, NULL},
	{"profile", 0, NULL},
	{"stacks", 0, "*;do_syscall_64;*;*\n\n*;net_rx_action;*;*\n\n*;entry_SYSCALL_64*;*;*"},
	{0},
};

const struct nd_collector nd_collector_stack_text = {
	.name = "stack_text",
	.doc = "where threads slept, or ran, from the output of offcputime and folded stacks",
	.reads = reads,
	.facts = nd_profile_facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
};
