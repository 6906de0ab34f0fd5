/* /proc/net/snmp, netstat and snmp6: the protocol counters of a network namespace.
 *
 * The kernel adds names in the middle of a line from release to release, so every number is found
 * by its name: a line of names and a line of values, with the same prefix, are read together.
 *
 *	Udp: InDatagrams NoPorts InErrors
 *	Udp: 26 0 0
 *
 * snmp6 has one "Udp6InErrors 0" a line. IPv6's UDP counters are facts of their own, as in the
 * kernel; TCP's include both families. */
#include "collectors/snmp.h"

#include <errno.h>

#define ND_SNMP(fact, section, name, width, since, doc, ...)                                       \
	{section, name, ND_SNMP_##since, {__VA_ARGS__}},
const struct nd_snmp_row nd_snmp_rows[] = {
#include "collectors/snmp.def"
	{.section = NULL},
};
#undef ND_SNMP

#define ND_SNMP(fact, section, snmp_name, behaviour, since, text, ...)                             \
	{.name = (fact),                                                                           \
	 .on = ND_NETNS,                                                                           \
	 .type = ND_T_NUMBER,                                                                      \
	 .unit = ND_U_COUNT,                                                                       \
	 .width = (behaviour),                                                                     \
	 .doc = (text),                                                                            \
	 .reproduce = "nstat -az " section snmp_name},
const struct nd_fact_def nd_snmp_facts[] = {
#include "collectors/snmp.def"
	{.name = NULL},
};
#undef ND_SNMP

_Static_assert(ND_ARRAY_LEN(nd_snmp_rows) <= ND_SNMP_MAX, "nd_snmp_seen is too small");
_Static_assert(ND_ARRAY_LEN(nd_snmp_rows) == ND_ARRAY_LEN(nd_snmp_facts), "a row is a fact");

static const struct nd_read reads[] = {
	{"/proc/net/snmp", ND_READ_NETNS,
	 "Ip: Forwarding *\n\nTcp: RtoAlgorithm *\n\nUdp: InDatagrams *"},
	{"/proc/net/netstat", ND_READ_NETNS, "TcpExt: SyncookiesSent *\n\nIpExt: InNoRoutes *"},
	{"/proc/net/snmp6", ND_READ_NETNS, "Ip6InReceives *[0-9]\nIp6InDiscards *[0-9]"},
	{NULL, 0},
};

/* The sections that snmp6 has: one file, so that a counter which is not there is none of this kernel's. */
static const char *const of_snmp6[] = {"Ip6", "Udp6"};

int nd_snmp_find(const char *section, size_t len, const char *name)
{
	for (int i = 0; nd_snmp_rows[i].section; i++) {
		const struct nd_snmp_row *r = &nd_snmp_rows[i];

		if (strncmp(r->section, section, len) == 0 && !r->section[len] &&
		    strcmp(r->name, name) == 0)
			return i;
	}
	return -1;
}

int nd_snmp_find_joined(const char *joined)
{
	for (int i = 0; nd_snmp_rows[i].section; i++) {
		const struct nd_snmp_row *r = &nd_snmp_rows[i];

		if (nd_starts(joined, r->section) &&
		    strcmp(joined + strlen(r->section), r->name) == 0)
			return i;
	}
	return -1;
}

void nd_snmp_put(struct nd_facts *f, int row, const char *number, bool cut,
		 const struct nd_input *in, struct nd_snmp_seen *seen)
{
	const struct nd_fact_def *fact = &nd_snmp_facts[row];
	const nd_id ns = nd_entity(f, ND_NETNS, in->netns);
	uint64_t v;

	seen->row[row] = true;
	if (cut)
		nd_put_missing(f, ns, fact, ND_TRUNCATED, "%s ends within this number", in->path);
	else if (!nd_parse_u64(number, 10, &v))
		nd_put_missing(f, ns, fact, ND_PARSE_ERROR,
			       "%s: expected a number for %s%s, found '%.40s'", in->path,
			       nd_snmp_rows[row].section, nd_snmp_rows[row].name, number);
	else if (fact->width == ND_GAUGE)
		nd_put_num(f, ns, fact, (double)v, in);
	else
		nd_put_reading(f, ns, fact, v, in);
}

void nd_snmp_zero(struct nd_facts *f, int row, const struct nd_input *in,
		  const struct nd_snmp_seen *seen)
{
	const nd_id ns = nd_entity(f, ND_NETNS, in->netns);
	const enum nd_snmp_since since = nd_snmp_rows[row].since;

	if (since == ND_SNMP_ANY || (since == ND_SNMP_V418 && !seen->old))
		nd_put_reading(f, ns, &nd_snmp_facts[row], 0, in);
	else
		nd_fact_missing(f, &nd_snmp_facts[row], ND_TOOL_OUTPUT_ABSENT,
				"not in %s, which leaves out zeros; but not every kernel has it",
				in->path);
}

static void unseen(struct nd_facts *f, const struct nd_input *in, const struct nd_snmp_seen *seen)
{
	for (int i = 0; nd_snmp_rows[i].section; i++)
		if (!seen->row[i])
			nd_fact_missing(f, &nd_snmp_facts[i], ND_TOOL_OUTPUT_ABSENT,
					"%s does not show it", in->path);
}

int nd_snmp_end(const struct nd_input *in, const struct nd_stream *s, struct nd_facts *f,
		const struct nd_snmp_seen *seen, const char *expected, struct nd_err *e)
{
	int rc = nd_stream_error(s);

	if (seen->counters)
		unseen(f, in, seen);
	if (rc)
		return nd_fail(e, rc, "%s: %s", in->path, strerror(-rc));
	return seen->counters ? 0 : nd_parse_fail(in, s, e, expected, "none");
}

/* A section that the input has: what it lacks there, this kernel does not have, or it was cut off.
 */
static void section_rest(struct nd_facts *f, const char *section, size_t len, bool cut,
			 const struct nd_input *in, struct nd_snmp_seen *seen)
{
	for (int i = 0; nd_snmp_rows[i].section; i++) {
		const struct nd_snmp_row *r = &nd_snmp_rows[i];

		if (seen->row[i] || strncmp(r->section, section, len) != 0 || r->section[len])
			continue;
		seen->row[i] = true;
		nd_put_missing(f, nd_entity(f, ND_NETNS, in->netns), &nd_snmp_facts[i],
			       cut ? ND_TRUNCATED : ND_NOT_ON_THIS_KERNEL,
			       "no %s among the %s counters of %s", r->name, r->section, in->path);
	}
}

/* A line of names and the line of values below it. unended: the file stops there. */
static void pair(struct nd_facts *f, char *names, char *values, bool unended,
		 const struct nd_input *in, struct nd_snmp_seen *seen)
{
	const char *section = names;
	const size_t len = strcspn(names, ":");
	char *name;
	bool cut = false;

	names += len + 1;
	values += len + 1;
	while ((name = nd_word(&names))) {
		char *value = nd_word(&values);
		const int row = nd_snmp_find(section, len, name);

		seen->counters++;
		cut |= !value || (unended && !*values);
		if (row >= 0)
			nd_snmp_put(f, row, value ? value : "", cut, in, seen);
	}
	section_rest(f, section, len, cut, in, seen);
}

/* One "Udp6InErrors  0" of snmp6. */
static void single(struct nd_facts *f, char *line, bool unended, const struct nd_input *in,
		   struct nd_snmp_seen *seen)
{
	char *name = nd_word(&line), *value = nd_word(&line);
	uint64_t v;
	int row;

	if (!name || !value || (!unended && !nd_parse_u64(value, 10, &v)))
		return;
	seen->counters++;
	row = nd_snmp_find_joined(name);
	if (row >= 0)
		nd_snmp_put(f, row, value, unended, in, seen);
}

static bool same_prefix(const char *a, const char *b)
{
	const size_t len = strcspn(a, ":");

	return a[len] && strncmp(a, b, len + 1) == 0;
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	struct nd_snmp_seen seen = {.counters = 0};
	struct nd_buf names = {0};
	bool six = false;
	char *line;
	int rc;

	while ((line = nd_stream_line(s))) {
		const size_t word = strcspn(line, " \t");

		if (names.len && same_prefix(names.s, line)) {
			pair(f, names.s, line, nd_stream_unended(s), in, &seen);
			nd_buf_free(&names);
		} else if (word && line[word - 1] == ':') {
			nd_buf_free(&names);
			nd_buf_puts(&names, line);
		} else {
			six = six || nd_starts(line, "Ip6") || nd_starts(line, "Udp6");
			single(f, line, nd_stream_unended(s), in, &seen);
		}
	}
	rc = nd_stream_error(s);
	for (size_t i = 0; six && i < ND_ARRAY_LEN(of_snmp6); i++)
		section_rest(f, of_snmp6[i], strlen(of_snmp6[i]), rc || nd_stream_unended(s), in,
			     &seen);
	if (rc)
		nd_fail(e, rc, "%s: %s", in->path, strerror(-rc));
	else if (seen.counters)
		unseen(f, in, &seen);
	else
		rc = nd_parse_fail(in, s, e, "a line of counters such as 'Udp: InDatagrams'",
				   nd_buf_str(&names));
	nd_buf_free(&names);
	return rc;
}

void nd_netns_unread(const struct nd_live *l, struct nd_facts *f, const struct nd_fact_def *facts,
		     const char *why)
{
	struct nd_status status;
	uint32_t n;
	const struct nd_netns *ns = nd_source_netns(l->source, &n, &status);

	for (uint32_t i = 1; i < n; i++) {
		const nd_id id = nd_entity(f, ND_NETNS, ns[i].name);

		for (const struct nd_fact_def *d = facts; d->name; d++)
			if (d->on == ND_NETNS)
				nd_put_missing(f, id, d, ND_NOT_SAMPLED, "namespace %s: %s",
					       ns[i].name, why);
	}
}

/* A kernel without IPv6 has no snmp6 file: there is nothing to count, which is not the same as
 * unread. */
static int live(struct nd_live *l, struct nd_facts *f, struct nd_err *e)
{
	struct nd_input in = l->in;
	char text[16];

	(void)e;
	if (!l->first || l->between)
		return 0;
	nd_netns_unread(l, f, nd_snmp_facts, "no process through which its counters can be read");
	if (nd_source_text(l->source, "/proc/net/snmp6", text, sizeof(text)) != -ENOENT)
		return 0;
	in.path = "/proc/net/snmp6";
	for (int i = 0; nd_snmp_rows[i].section; i++)
		if (nd_ends(nd_snmp_rows[i].section, "6"))
			nd_put_absent(f, nd_entity(f, ND_NETNS, in.netns), &nd_snmp_facts[i], &in);
	return 0;
}

const struct nd_collector nd_collector_snmp = {
	.name = "snmp",
	.doc = "protocol counters of IP, TCP and UDP, for each network namespace",
	.collect = "nstat -az",
	.reads = reads,
	.facts = nd_snmp_facts,
	.entities = {ND_NETNS, ND_NO_KIND},
	.parse = parse,
	.live = live,
};
