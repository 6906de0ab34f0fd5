/* Logs of programs: how often they say that a connection or a file could not be had.
 *
 * The kernel counts neither a connect() that found no local port nor an accept() that found no descriptor: only the
 * program knows, and it writes the C library's sentence for the error into its log. Lines are counted, not dated, so
 * that these counts are as old as the log. A bind() to an address that this host does not have gives the same error as
 * a connect() without a port, and is told apart by the word beside it.
 *
 *	connect() to 127.0.0.1:9000 failed (99: Cannot assign requested address) while connecting to upstream
 *	accept4() failed (24: Too many open files) */
#include "collectors/collector.h"

#include <errno.h>

enum { NO_PORT, NO_FILE, NO_FILE_HOST };

#define FACT(fact, text, how)                                                                      \
	{                                                                                          \
		.name = "app_errors." fact, .on = ND_HOST, .type = ND_T_NUMBER,                    \
		.unit = ND_U_COUNT, .width = ND_COUNTER64, .doc = (text), .reproduce = (how)       \
	}
static const struct nd_fact_def facts[] = {
	FACT("no_port", "lines of a program's log: no local port was free for a connection",
	     "grep -c 'annot assign requested address' LOG"),
	FACT("no_file", "lines of a program's log: it has as many files open as it may",
	     "grep -ci 'too many open files' LOG"),
	FACT("no_file_host",
	     "lines of a program's log: all processes together have as many files open as may be",
	     "grep -ci 'too many open files in system' LOG"),
	{.name = NULL},
};

/* A line that has `is`, and `with` or its alternative unless they are NULL, and not `without`. Compared without case. */
static const struct {
	const char *is, *with, *or_with, *without;
	int fact;
} phrases[] = {
	{"cannot assign requested address", "connect", "dial", "bind(", NO_PORT},
	{"can't assign requested address", "connect", "dial", "bind(", NO_PORT},
	{"no free ports", NULL, NULL, NULL, NO_PORT}, /* HAProxy */
	{"eaddrnotavail", "connect", NULL, "bind", NO_PORT}, /* Node.js */
	{"too many open files in system", NULL, NULL, NULL, NO_FILE_HOST},
	{"enfile", NULL, NULL, NULL, NO_FILE_HOST},
	{"too many open files", NULL, NULL, NULL, NO_FILE},
	{"no file descriptors available", NULL, NULL, NULL, NO_FILE}, /* musl */
	{"emfile", NULL, NULL, NULL, NO_FILE},
};

#define ANY_CASE_LIKE                                                                              \
	"*onnect*annot assign requested address*\n\n*dial*annot assign requested address*\n\n"     \
	"*EADDRNOTAVAIL*\n\n*[Tt]oo many open files*\n\n*accept*EMFILE*\n\n*no free ports*\n\n"    \
	"*No file descriptors available*"
static const struct nd_read reads[] = {
	{"error", 0, ANY_CASE_LIKE},
	{"errors", 0, NULL},
	{"app", 0, NULL},
	{"application", 0, NULL},
	{"nginx", 0, NULL},
	{"haproxy", 0, NULL},
	{NULL, 0},
};

static void lower(char *s)
{
	for (; *s; s++)
		if (*s >= 'A' && *s <= 'Z')
			*s = (char)(*s - 'A' + 'a');
}

/* The fact that a line in lower case counts for, or -1. */
static int fact_of(const char *line)
{
	for (size_t i = 0; i < ND_ARRAY_LEN(phrases); i++) {
		const char *with = phrases[i].with, *other = phrases[i].or_with;

		if (!strstr(line, phrases[i].is) ||
		    (phrases[i].without && strstr(line, phrases[i].without)))
			continue;
		if (!with || strstr(line, with) || (other && strstr(line, other)))
			return phrases[i].fact;
	}
	return -1;
}

/* Rules ask about ports for each namespace: with this alone there is the host's own. */
static void put(struct nd_facts *f, const struct nd_fact_def *fact, uint64_t lines,
		const struct nd_input *in)
{
	nd_entity(f, ND_NETNS, in->netns);
	nd_put_reading(f, nd_entity(f, ND_HOST, ""), fact, lines, in);
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	uint64_t n[ND_ARRAY_LEN(facts) - 1] = {0};
	char *line;
	int rc, fact;

	while ((line = nd_stream_line(s))) {
		lower(line);
		fact = fact_of(line);
		if (fact >= 0)
			n[fact]++;
	}
	rc = nd_stream_error(s);
	if (rc)
		return nd_fail(e, rc, "%s: %s", in->path, strerror(-rc));
	for (size_t i = 0; i < ND_ARRAY_LEN(n); i++)
		if (n[i]) /* a log that does not say so may be another program's */
			put(f, &facts[i], n[i], in);
	return 0;
}

const struct nd_collector nd_collector_app_log = {
	.name = "app_log",
	.doc = "errors in logs of programs that speak of ports and of open files",
	.reads = reads,
	.facts = facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
};
