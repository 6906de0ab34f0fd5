/* After a run: why the facts and kinds that nobody put are missing.
 *
 * The reason is one per fact, and several collectors may declare the same facts (a file and a
 * tool's output): so those that failed speak first, then those that found nothing, and last those
 * that read no such source at all, such as outputs of tools on a live host. */
#include "collectors/run.h"

#define DETAIL_BYTES 400
#define NAMES_MAX 4 /* of what it reads, in a sentence */

enum pass { FAILED, NOTHING, APART, PASSES };

static bool is_tool(const struct nd_read *r)
{
	return r->what[0] != '/';
}

static enum pass pass_of(const struct nd_run_entry *entry, bool live)
{
	const struct nd_read *r = entry->c->reads;

	if (entry->why != ND_PRESENT)
		return FAILED;
	if (live && entry->c->live)
		return NOTHING;
	for (; r && r->what; r++) {
		if (!live || !is_tool(r))
			return NOTHING;
	}
	return APART;
}

/* "no /proc/net/snmp, netstat -s or nstat in the input" */
static void write_absent(const struct nd_read *r, bool live, char *out, size_t size)
{
	uint32_t n = 0, all = 0;
	struct nd_buf b = {0};

	for (const struct nd_read *at = r; at && at->what; at++)
		all += !live || !is_tool(at);
	for (; r && r->what && n < NAMES_MAX; r++) {
		if (live && is_tool(r))
			continue;
		nd_buf_printf(&b, "%s%s", n == 0 ? "no " : n + 1 == all ? " or " : ", ", r->what);
		n++;
	}
	if (n < all)
		nd_buf_puts(&b, ", …");
	if (!live && n)
		nd_buf_puts(&b, " in the input");
	snprintf(out, size, "%s", nd_buf_str(&b));
	nd_buf_free(&b);
}

/* Why this collector gave nothing. */
static enum nd_missing reason_of(const struct nd_run_entry *entry, bool live, char *detail,
				 size_t size)
{
	const struct nd_collector *c = entry->c;

	if (entry->why != ND_PRESENT) {
		snprintf(detail, size, "%s", entry->status->why);
		return entry->why;
	}
	if (pass_of(entry, live) == APART) {
		snprintf(detail, size,
			 live ? "%s is read from recorded outputs only"
			      : "%s is measured live only",
			 c->name);
		return ND_TOOL_OUTPUT_ABSENT;
	}
	if (entry->existed == 0 && entry->calls == 0) {
		write_absent(c->reads, live, detail, size);
		return live ? ND_NOT_ON_THIS_KERNEL : ND_TOOL_OUTPUT_ABSENT;
	}
	snprintf(detail, size,
		 live ? "%s said nothing about it" : "not in what %s found in the input", c->name);
	return live ? ND_SILENT : ND_TOOL_OUTPUT_ABSENT;
}

static bool names_kind(const struct nd_collector *c, unsigned i)
{
	/* a list that was left out is all zeroes, which is the host; it always exists */
	return i < ND_ARRAY_LEN(c->entities) && c->entities[i] != ND_NO_KIND &&
	       c->entities[i] != ND_HOST;
}

static void read_kinds(const struct nd_run_entry *entries, uint32_t n, struct nd_facts *f,
		       bool *known)
{
	for (uint32_t i = 0; i < n; i++) {
		if (entries[i].status->inputs == 0)
			continue;
		for (unsigned k = 0; names_kind(entries[i].c, k); k++) {
			nd_kind_read(f, entries[i].c->entities[k]);
			known[entries[i].c->entities[k]] = true;
		}
	}
}

void nd_run_explain(struct nd_run_entry *entries, uint32_t n, struct nd_facts *f, bool live)
{
	bool known[ND_KINDS] = {false};
	char detail[DETAIL_BYTES];

	read_kinds(entries, n, f, known);
	for (unsigned pass = FAILED; pass < PASSES; pass++) {
		for (uint32_t i = 0; i < n; i++) {
			const struct nd_collector *c = entries[i].c;
			enum nd_missing why;

			if (pass_of(&entries[i], live) != pass)
				continue;
			why = reason_of(&entries[i], live, detail, sizeof(detail));
			for (const struct nd_fact_def *d = c->facts; d && d->name; d++)
				nd_fact_missing(f, d, why, "%s", detail);
			for (unsigned k = 0; names_kind(c, k); k++) {
				if (known[c->entities[k]])
					continue;
				nd_kind_missing(f, c->entities[k], why, "%s", detail);
				known[c->entities[k]] = true;
			}
		}
	}
}
