/* Limits that one sysctl writes as several words: tcp_mem in bytes, how many local ports and how many files there are.
 *
 * Rules compare numbers, fixes print the words: so the words stay as they are and the numbers are taken
 * from them when everything was read. tcp_mem is in pages; the size of a page is this machine's live and
 * taken to be 4096 in a recording, as for the memory in sockstat. */
#include "collectors/collector.h"

#include <unistd.h>

#define PAGE_BYTES 4096
#define PORTS 65536u

enum { MEM_LOW, MEM_PRESSURE, MEM_MAX, PAGE, PORT_FIRST, PORT_LAST, PORT_COUNT, FILES, FILES_MAX };

#define FACT(kind, fact, u, text, how)                                                             \
	{                                                                                          \
		.name = (fact), .on = (kind), .type = ND_T_NUMBER, .unit = (u), .width = ND_GAUGE, \
		.doc = (text), .reproduce = (how)                                                  \
	}
static const struct nd_fact_def facts[] = {
	FACT(ND_HOST, "tcp.mem.low", ND_U_BYTES, "first word of tcp_mem: below it nothing is done",
	     "sysctl net.ipv4.tcp_mem"),
	FACT(ND_HOST, "tcp.mem.pressure", ND_U_BYTES,
	     "second word of tcp_mem: above it buffers shrink", "sysctl net.ipv4.tcp_mem"),
	FACT(ND_HOST, "tcp.mem.max", ND_U_BYTES,
	     "third word of tcp_mem: above it memory is refused and orphans are killed",
	     "sysctl net.ipv4.tcp_mem"),
	FACT(ND_HOST, "page_size", ND_U_BYTES,
	     "bytes of a page, in which tcp_mem counts; 4096 in a recording", "getconf PAGESIZE"),
	FACT(ND_NETNS, "ports.low", ND_U_NONE, "first port that connect() picks",
	     "sysctl net.ipv4.ip_local_port_range"),
	FACT(ND_NETNS, "ports.high", ND_U_NONE, "last port that connect() picks",
	     "sysctl net.ipv4.ip_local_port_range"),
	FACT(ND_NETNS, "ports.range", ND_U_COUNT,
	     "ports that connect() can pick: the range without those reserved",
	     "sysctl net.ipv4.ip_local_port_range net.ipv4.ip_local_reserved_ports"),
	FACT(ND_HOST, "files.open", ND_U_COUNT,
	     "open files of all processes, sockets included: first word of file-nr",
	     "cat /proc/sys/fs/file-nr"),
	FACT(ND_HOST, "files.max", ND_U_COUNT,
	     "open files that all processes may have: last word of file-nr, file-max",
	     "cat /proc/sys/fs/file-nr"),
	{.name = NULL},
};

/* The n numbers of a text fact, and its value's origin; false when it is no such list. */
static bool numbers_of(const struct nd_facts *f, nd_id on, const char *fact, uint64_t *v, size_t n,
		       struct nd_input *in)
{
	const enum nd_kind kind = nd_entity_kind(f, on);
	const nd_fact_id id = nd_registry_find(nd_facts_registry(f), kind, fact);
	char text[128], *rest = text, *word;
	struct nd_value got;

	if (id < 0)
		return false;
	got = nd_get(f, on, id, ND_BARE);
	if (got.type != ND_V_TEXT)
		return false;
	snprintf(text, sizeof(text), "%s", got.text);
	*in = (struct nd_input){.path = nd_get_source(f, on, id), .netns = "host"};
	for (size_t i = 0; i < n; i++) {
		word = nd_word(&rest);
		if (!word || !nd_parse_u64(word, 10, &v[i]))
			return false;
	}
	return !nd_word(&rest);
}

static void put_mem(struct nd_facts *f)
{
	struct nd_input in;
	uint64_t pages[3];
	double page = PAGE_BYTES;

	if (!numbers_of(f, 0, "sysctl.net.ipv4.tcp_mem", pages, ND_ARRAY_LEN(pages), &in))
		return;
	if (nd_starts(in.path, "/proc/"))
		page = (double)sysconf(_SC_PAGESIZE);
	for (size_t i = 0; i < ND_ARRAY_LEN(pages); i++)
		nd_put_num(f, 0, &facts[MEM_LOW + i], (double)pages[i] * page, &in);
	nd_put_num(f, 0, &facts[PAGE], page, &in);
}

/* How many ports of a list like "8080,9000-9010" are in first..last. */
static uint32_t reserved_in(const char *list, uint64_t first, uint64_t last)
{
	uint8_t *is = nd_alloc(PORTS);
	char *text = nd_strdup(list), *rest = text, *part;
	uint32_t n = 0;

	while ((part = nd_split(&rest, ", "))) {
		char *dash = strchr(part, '-');
		uint64_t a, b;

		if (dash)
			*dash = '\0';
		if (!nd_parse_u64(part, 10, &a) || !nd_parse_u64(dash ? dash + 1 : part, 10, &b) ||
		    b >= PORTS)
			continue;
		for (; a <= b; a++)
			is[a] = 1;
	}
	for (uint64_t p = first; p <= last; p++)
		n += is[p];
	free(text);
	free(is);
	return n;
}

static void put_ports(struct nd_facts *f, nd_id netns)
{
	const nd_fact_id list = nd_registry_find(nd_facts_registry(f), ND_NETNS,
						 "sysctl.net.ipv4.ip_local_reserved_ports");
	struct nd_value reserved = {.type = ND_V_MISSING};
	struct nd_input in;
	uint64_t v[2];
	double n;

	if (!numbers_of(f, netns, "sysctl.net.ipv4.ip_local_port_range", v, ND_ARRAY_LEN(v), &in) ||
	    v[0] > v[1] || v[1] >= PORTS)
		return;
	if (list >= 0)
		reserved = nd_get(f, netns, list, ND_BARE);
	n = (double)(v[1] - v[0] + 1);
	if (reserved.type == ND_V_TEXT)
		n -= reserved_in(reserved.text, v[0], v[1]);
	nd_put_num(f, netns, &facts[PORT_FIRST], (double)v[0], &in);
	nd_put_num(f, netns, &facts[PORT_LAST], (double)v[1], &in);
	nd_put_num(f, netns, &facts[PORT_COUNT], n, &in);
}

static void put_files(struct nd_facts *f)
{
	struct nd_input in;
	uint64_t v[3]; /* allocated, unused (0 since Linux 2.6), most */

	if (!numbers_of(f, 0, "sysctl.fs.file-nr", v, ND_ARRAY_LEN(v), &in))
		return;
	nd_put_num(f, 0, &facts[FILES], (double)v[0], &in);
	nd_put_num(f, 0, &facts[FILES_MAX], (double)v[2], &in);
}

static void finish(struct nd_facts *f)
{
	struct nd_status log;
	const nd_id *ids;
	uint32_t n;

	nd_log(f, &n, &log);
	if (n) /* what the kernel logs of TCP is asked about for each namespace, and every host has one */
		nd_entity(f, ND_NETNS, "host");
	ids = nd_entities(f, ND_NETNS, &n);
	put_mem(f);
	put_files(f);
	for (uint32_t i = 0; i < n; i++)
		put_ports(f, ids[i]);
	for (const struct nd_fact_def *d = facts; d->name; d++)
		nd_fact_missing(f, d, ND_TOOL_OUTPUT_ABSENT, "%s was not read",
				d->on == ND_NETNS	       ? "net.ipv4.ip_local_port_range"
				: nd_starts(d->name, "files.") ? "fs.file-nr"
							       : "net.ipv4.tcp_mem");
}

const struct nd_collector nd_collector_sysctl_words = {
	.name = "sysctl_words",
	.doc = "limits of TCP's memory, local ports and open files, from the words of sysctls",
	.collect = "sysctl -a",
	.facts = facts,
	.entities = {ND_NO_KIND},
	.finish = finish,
};
