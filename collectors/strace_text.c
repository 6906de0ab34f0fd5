/* Output of strace -T, and of time: how long it took to read a control group's memory.stat.
 *
 * Before 5.3 the kernel adds that file up over all groups below and all CPUs, and the CPU takes no
 * packets meanwhile. strace shows what was read: memory.stat of version 1 begins with cache and rss, of
 * version 2 with anon and file. Nothing else of strace is used here. Samples:
 *
 * [pid 10436] <... read resumed> "cache 154234880\nrss 507904\nrss_h"..., 4096) = 658 <0.179438>
 * real    0m0.153s */
#include "collectors/collector.h"
#include "collectors/function.h"
#include "collectors/hist_text.h"
#include "collectors/process.h"

#include <math.h>

#define READER "memcg_stat_show" /* the function behind that file */
#define MAX_S 3600.0

/* Puts seconds into buckets between powers of two microseconds. */
static void add(struct nd_hist_text *h, double seconds)
{
	double us = fmax(1, seconds * 1e6);
	struct nd_bucket b = {ldexp(1e-6, ilogb(us)), ldexp(1e-6, ilogb(us) + 1), 1};

	nd_hist_text_add(h, &b);
}

/* "…"cache 0\nrss 0…"..., 4096) = 577 <0.228091>" */
static bool take_read(const char *line, double *out)
{
	const char *open = strrchr(line, '<');
	char text[24];
	size_t n;

	if (!open || !strstr(line, "read") ||
	    (!strstr(line, "\"cache ") && !strstr(line, "\"anon ")))
		return false;
	n = strspn(open + 1, "0123456789.");
	if (n == 0 || n >= sizeof(text) || open[1 + n] != '>')
		return false;
	memcpy(text, open + 1, n);
	text[n] = '\0';
	return nd_parse_f64(text, out) && *out >= 0 && *out < MAX_S;
}

/* "real    0m0.153s", below a command that read the file */
static bool take_time(char *line, double *out)
{
	char *word = nd_word(&line), *minutes, *rest;
	uint64_t m;

	if (!word || strcmp(word, "real") != 0 || !(minutes = nd_word(&line)))
		return false;
	rest = strchr(minutes, 'm');
	if (!rest)
		return false;
	*rest++ = '\0';
	rest[strcspn(rest, "s")] = '\0';
	if (!nd_parse_u64(minutes, 10, &m) || m > 60 || !nd_parse_f64(rest, out) || *out < 0)
		return false;
	*out += (double)m * 60;
	return *out < MAX_S;
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	bool file = strstr(in->path, "memory.stat") != NULL;
	struct nd_hist_text h = {.n = 0};
	double seconds;
	char *line;

	while ((line = nd_stream_line(s))) {
		file = file || strstr(line, "memory.stat") != NULL;
		if (take_read(line, &seconds) || (file && take_time(line, &seconds)))
			add(&h, seconds);
	}
	if (nd_stream_error(s))
		return nd_fail(e, nd_stream_error(s), "%s: %s", in->path,
			       strerror(-nd_stream_error(s)));
	if (h.n)
		nd_put_hist(f, nd_function_entity(f, READER),
			    &nd_process_facts[ND_P_FUNCTION_LATENCY], &(struct nd_hist){h.b, h.n},
			    in);
	return 0; /* other files and calls are no fault */
}

static const struct nd_read reads[] = {
	{"strace", 0,
	 "*read*\"cache *rss*= [0-9]* <[0-9]*.[0-9]*>\n\n*read*\"anon *file*= [0-9]* <[0-9]*.[0-9]*>"},
	{"memory.stat", 0, "real*[0-9]m[0-9]*s\nuser*[0-9]m[0-9]*s\n*memory.stat*"},
	{0},
};

const struct nd_collector nd_collector_strace_text = {
	.name = "strace_text",
	.doc = "how long it took to read memory.stat, from the output of strace -T and time",
	.reads = reads,
	.facts = nd_process_facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
};
