/* Pressure stall information of the whole host: how long tasks waited for a CPU, memory, a disk.
 *
 * Kernels since 4.20 count it; some distributions switch it off until psi=1 is given at boot: then the
 * files are not there, or cannot be read. Stalled time is a counter, its rate the share of the
 * window. avg10 is the kernel's own share of about the last ten seconds, and all that one reading
 * can tell of now. Sample: "some avg10=0.22 avg60=0.17 avg300=1.11 total=58761459". */
#include "collectors/psi.h"

#include "collectors/collector.h"

#define HOST 0 /* the entity's id */

enum {
	CPU,
	MEM,
	MEM_FULL,
	IO,
	IO_FULL,
	CPU_RECENT,
	MEM_RECENT,
	MEM_FULL_RECENT,
	IO_RECENT,
	IO_FULL_RECENT
};
#define RECENT CPU_RECENT

#define TIME(n, file, text)                                                                        \
	{                                                                                          \
		.name = "pressure." n, .on = ND_HOST, .type = ND_T_NUMBER, .unit = ND_U_SECONDS,   \
		.width = ND_COUNTER64, .kernel_unit = 1e-6, .doc = "time in which " text,          \
		.reproduce = "cat /proc/pressure/" file                                            \
	}
#define SHARE(n, file, text)                                                                       \
	{                                                                                          \
		.name = "pressure." n ".recent", .on = ND_HOST, .type = ND_T_NUMBER,               \
		.unit = ND_U_PERCENT, .width = ND_SAMPLED,                                         \
		.doc = "share of about the last ten seconds in which " text,                       \
		.reproduce = "cat /proc/pressure/" file                                            \
	}
#define ONE "at least one task waited for "
#define ALL "all busy tasks waited at once for "

static const struct nd_fact_def facts[] = {
	[CPU] = TIME("cpu.some", "cpu", ONE "a CPU"),
	[MEM] = TIME("memory.some", "memory", ONE "memory"),
	[MEM_FULL] = TIME("memory.full", "memory", ALL "memory"),
	[IO] = TIME("io.some", "io", ONE "a disk"),
	[IO_FULL] = TIME("io.full", "io", ALL "a disk"),
	[CPU_RECENT] = SHARE("cpu.some", "cpu", ONE "a CPU"),
	[MEM_RECENT] = SHARE("memory.some", "memory", ONE "memory"),
	[MEM_FULL_RECENT] = SHARE("memory.full", "memory", ALL "memory"),
	[IO_RECENT] = SHARE("io.some", "io", ONE "a disk"),
	[IO_FULL_RECENT] = SHARE("io.full", "io", ALL "a disk"),
	{0},
};

bool nd_psi_line(char *line, struct nd_psi *out)
{
	char *word = nd_word(&line);
	bool any = false;
	double percent;

	if (!word || (strcmp(word, "some") != 0 && strcmp(word, "full") != 0))
		return false;
	*out = (struct nd_psi){.full = *word == 'f'};
	while ((word = nd_word(&line))) {
		if (nd_starts(word, "avg10=") && nd_parse_f64(word + strlen("avg10="), &percent) &&
		    percent >= 0 && percent <= 100)
			out->avg10 = percent / 100;
		else if (nd_starts(word, "total="))
			any = nd_parse_u64(word + strlen("total="), 10, &out->total_us);
	}
	return any;
}

/* Which resource a path, a heading or a prompt line names; NULL: none. */
static const char *resource_of(const char *text)
{
	static const char *const names[] = {"cpu", "memory", "io"};
	const char *at = strstr(text, "pressure");

	for (size_t i = 0; i < ND_ARRAY_LEN(names); i++) {
		size_t n = strlen(names[i]);
		const char *found = strstr(at ? at : text, names[i]);

		if (found && !strchr("abcdefghijklmnopqrstuvwxyz", found[n] ? found[n] : '.'))
			return names[i];
	}
	return NULL;
}

static bool take(const char *resource, char *line, const struct nd_input *in, struct nd_facts *f)
{
	struct nd_psi p;
	int fact;

	if (!resource || !nd_psi_line(line, &p))
		return false;
	if (*resource == 'c' && p.full)
		return true; /* of no meaning for the whole host */
	fact = *resource == 'c' ? CPU : *resource == 'm' ? MEM : IO;
	fact += p.full;
	nd_put_reading(f, HOST, &facts[fact], p.total_us, in);
	nd_put_num(f, HOST, &facts[fact + RECENT], p.avg10, in);
	return true;
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	const char *resource = resource_of(in->path), *before = NULL;
	uint32_t good = 0;
	char *line;

	while ((line = nd_stream_line(s))) {
		char *at = strstr(line, "some avg10=");
		char *row = at ? at : strstr(line, "full avg10=");

		if (!row) {
			const char *named = strstr(line, "pressure") ? resource_of(line) : NULL;

			resource = named ? named : resource;
			before = named ? NULL : before;
			continue;
		}
		if (row != line && row[-1] == ':') { /* grep's "PATH:" */
			row[-1] = '\0';
			resource = resource_of(line);
			before = NULL;
		}
		if (row == at && resource == before)
			resource = NULL; /* the next of several files, and nothing says which */
		if (row == at)
			before = resource;
		good += take(resource, row, in, f);
	}
	if (nd_stream_error(s))
		return nd_fail(e, nd_stream_error(s), "%s: %s", in->path,
			       strerror(-nd_stream_error(s)));
	return good ? 0 : nd_parse_fail(in, s, e, "lines such as some avg10=0.00", "none");
}

static const struct nd_read reads[] = {
	{"/proc/pressure/cpu", 0, NULL},
	{"/proc/pressure/memory", 0, NULL},
	{"/proc/pressure/io", 0, NULL},
	{"pressure", 0, "*some avg10=* total=*"},
	{"psi", 0, NULL},
	{0},
};

const struct nd_collector nd_collector_psi = {
	.name = "psi",
	.doc = "time that tasks waited for a CPU, memory, a disk",
	.collect = "grep . /proc/pressure/*",
	.reads = reads,
	.facts = facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
};
