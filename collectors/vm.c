/* Stalls of memory allocation: /proc/vmstat, and how transparent huge pages are set.
 *
 * compact_stall counts allocations that compacted memory themselves instead of going on, the sum of
 * allocstall_* (before 4.10 one allocstall) those that reclaimed pages themselves; both cost the
 * allocating task milliseconds. A kernel without CONFIG_COMPACTION has no compact_*. Samples:
 * "compact_stall 1234", "allocstall_normal 17"; "always [madvise] never". */
#include "collectors/collector.h"

#define HOST 0 /* the entity's id */

enum { COMPACT_STALLS, DIRECT_RECLAIMS, SWAP_IN, SWAP_OUT, HUGE_FALLBACKS, THP, THP_DEFRAG };

#define COUNT(n, pattern, text)                                                                    \
	{                                                                                          \
		.name = "vm." n, .on = ND_HOST, .type = ND_T_NUMBER, .unit = ND_U_COUNT,           \
		.width = ND_COUNTER64, .doc = text,                                                \
		.reproduce = "grep -E '^" pattern "' /proc/vmstat"                                 \
	}
#define SETTING(n, file, text)                                                                     \
	{                                                                                          \
		.name = n, .on = ND_HOST, .type = ND_T_TEXT, .doc = text,                          \
		.reproduce = "cat /sys/kernel/mm/transparent_hugepage/" file                       \
	}

static const struct nd_fact_def facts[] = {
	[COMPACT_STALLS] = COUNT("compact_stalls", "compact_stall",
				 "allocations that had to compact memory themselves"),
	[DIRECT_RECLAIMS] = COUNT("direct_reclaims", "allocstall",
				  "allocations that had to reclaim memory themselves"),
	[SWAP_IN] = COUNT("swap_ins", "pswpin", "pages read back from swap"),
	[SWAP_OUT] = COUNT("swap_outs", "pswpout", "pages written to swap"),
	[HUGE_FALLBACKS] = COUNT("huge_fallbacks", "thp_fault_fallback",
				 "page faults that found no huge page"),
	[THP] = SETTING("vm.thp", "enabled",
			"who gets transparent huge pages: always, madvise, never"),
	[THP_DEFRAG] = SETTING(
		"vm.thp_defrag", "defrag",
		"who compacts memory for one: always, defer, defer+madvise, madvise, never"),
	{0},
};

static const struct {
	const char *key;
	int fact;
	bool prefix; /* all keys that begin so are added */
} keys[] = {
	{"compact_stall", COMPACT_STALLS, false},
	{"allocstall", DIRECT_RECLAIMS, true},
	{"pswpin", SWAP_IN, false},
	{"pswpout", SWAP_OUT, false},
	{"thp_fault_fallback", HUGE_FALLBACKS, false},
};

static int parse_vmstat(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
			struct nd_err *e)
{
	uint64_t sum[ND_ARRAY_LEN(keys)] = {0}, v;
	bool have[ND_ARRAY_LEN(keys)] = {false}, any = false;
	char *line;

	while ((line = nd_stream_line(s))) {
		char *key = nd_word(&line), *value = key ? nd_word(&line) : NULL;

		if (!value || !nd_parse_u64(value, 10, &v))
			continue;
		any = any || nd_starts(key, "nr_");
		for (size_t i = 0; i < ND_ARRAY_LEN(keys); i++) {
			if (keys[i].prefix ? !nd_starts(key, keys[i].key)
					   : strcmp(key, keys[i].key) != 0)
				continue;
			sum[i] += v;
			have[i] = any = true;
		}
	}
	if (nd_stream_error(s))
		return nd_fail(e, nd_stream_error(s), "%s: %s", in->path,
			       strerror(-nd_stream_error(s)));
	for (size_t i = 0; i < ND_ARRAY_LEN(keys); i++) {
		if (have[i])
			nd_put_reading(f, HOST, &facts[keys[i].fact], sum[i], in);
		else if (any)
			nd_put_missing(f, HOST, &facts[keys[i].fact], ND_NOT_ON_THIS_KERNEL,
				       "%s has no %s", in->path, keys[i].key);
	}
	/* the tool of this name prints a table: another collector's */
	return 0;
}

/* "always [madvise] never" */
static int parse_setting(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
			 struct nd_err *e)
{
	char *line = nd_stream_line(s);
	char *open = line ? strchr(line, '[') : NULL, *end = open ? strchr(open, ']') : NULL;
	const bool defrag = strstr(in->path, "defrag") != NULL;

	if (!end)
		return nd_parse_fail(in, s, e, "one of several words in brackets",
				     line ? line : "nothing");
	*end = '\0';
	nd_put_text(f, HOST, &facts[defrag ? THP_DEFRAG : THP], open + 1, in);
	return 0;
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	const char *base = strrchr(in->path, '/');

	base = base ? base + 1 : in->path;
	return nd_starts(base, "enabled") || nd_starts(base, "defrag") ? parse_setting(in, s, f, e)
								       : parse_vmstat(in, s, f, e);
}

static const struct nd_read reads[] = {
	{"/proc/vmstat", 0,
	 "nr_free_pages [0-9]*\npgfault [0-9]*\n\ncompact_stall [0-9]*\ncompact_fail [0-9]*"},
	{"/sys/kernel/mm/transparent_hugepage/enabled", ND_READ_ONCE, NULL},
	{"/sys/kernel/mm/transparent_hugepage/defrag", ND_READ_ONCE, NULL},
	{0},
};

const struct nd_collector nd_collector_vm = {
	.name = "vm",
	.doc = "stalls of memory allocation; transparent huge pages",
	.collect = "cat /proc/vmstat",
	.reads = reads,
	.facts = facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
};
