/* `conntrack -S` and `conntrack -C`: the counters of each processor, and the number of connections. Tools before
 * 1.2.1 print one line a counter, summed over the processors.
 *
 * Keys differ between releases of tool and kernel, so each is found by its name, and one that a cut
 * line lacks makes the sum unknown instead of too small.
 *
 *	cpu=0   	found=0 invalid=137 insert=0 insert_failed=0 drop=0 early_drop=0 error=0
 *	early_drop              1234						old */
#include "collectors/conntrack.h"

#include <ctype.h>
#include <errno.h>

static const struct nd_read reads[] = {
	{"conntrack -S", 0, "cpu=[0-9]*found=*insert_failed=*\n\ncpu=[0-9]*searched=*found=*"},
	{"conntrack -C", 0},
	{NULL, 0},
};

/* One line. Returns how many keys it had; of the last one the end of the file may have cut the value. */
static uint32_t read_cpu(char *line, bool unended, struct nd_conntrack_sums *sums)
{
	uint32_t keys = 0;
	char *word;
	uint64_t v;

	sums->rows++;
	while ((word = nd_word(&line))) {
		char *equals = strchr(word, '=');
		int fact;

		if (!equals)
			continue;
		keys++;
		*equals = '\0';
		fact = nd_conntrack_column(word);
		if (fact >= 0 && !(unended && !*line) && nd_parse_u64(equals + 1, 10, &v) &&
		    v <= UINT32_MAX)
			nd_conntrack_add(sums, fact, v);
	}
	return keys;
}

/* "early_drop  1234". The sum may be of any size, so a counter here is of no width of its own. */
static bool read_sum(char *line, bool unended, struct nd_conntrack_sums *sums)
{
	char *key = nd_word(&line), *number = nd_word(&line);
	int fact;
	uint64_t v;

	if (!key || !number || nd_word(&line) || unended || !nd_parse_u64(number, 10, &v))
		return false;
	fact = strcmp(key, "entries") == 0 ? ND_CT_COUNT : nd_conntrack_column(key);
	if (fact < 0)
		return false;
	sums->rows = 1;
	nd_conntrack_add(sums, fact, v);
	return true;
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	struct nd_conntrack_sums sums = {.rows = 0};
	bool counted = false;
	uint32_t keys, keys_before = 0;
	uint64_t count = 0;
	char *line, *copy;
	bool sum;

	while ((line = nd_stream_line(s))) {
		line += strspn(line, " \t");
		if (nd_starts(line, "cpu=")) {
			keys = read_cpu(line, nd_stream_unended(s), &sums);
			/* a text that was pasted may lack the last newline, but not half of a line */
			sums.cut = nd_stream_unended(s) && keys < keys_before;
			sums.cut |= nd_stream_unended(s) && sums.rows == 1;
			keys_before = keys;
		} else if (*line && nd_stream_unended(s) && nd_starts("cpu=", line)) {
			sums.cut = true;
		} else if (keys_before == 0 && isalpha((unsigned char)*line)) {
			copy = nd_strdup(line);
			sum = read_sum(copy, nd_stream_unended(s), &sums);
			free(copy);
			if (sum && sums.had[ND_CT_COUNT] && !counted) {
				counted = true;
				count = sums.sum[ND_CT_COUNT];
			}
		} else if (!counted) {
			counted = nd_parse_u64(nd_trim(line), 10, &count);
		}
	}
	if (nd_stream_error(s))
		return nd_fail(e, nd_stream_error(s), "%s: %s", in->path,
			       strerror(-nd_stream_error(s)));
	if (!sums.rows && !counted)
		return nd_parse_fail(in, s, e, "'cpu=0 found=…' or a number of connections",
				     "neither");
	if (sums.rows)
		nd_conntrack_put(f, &sums, in);
	if (counted)
		nd_put_num(f, nd_entity(f, ND_NETNS, in->netns), &nd_conntrack_facts[ND_CT_COUNT],
			   (double)count, in);
	return 0;
}

const struct nd_collector nd_collector_conntrack_tool = {
	.name = "conntrack_tool",
	.doc = "connection tracking from the output of conntrack -S and conntrack -C",
	.reads = reads,
	.facts = nd_conntrack_facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
};
