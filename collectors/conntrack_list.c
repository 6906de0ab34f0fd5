/* The tracked connections themselves, from `conntrack -L` or a copy of /proc/net/nf_conntrack: what the
 * table is full of.
 *
 * Read from recordings only: live it would walk the whole table. How many there are in all stays
 * the business of nf_conntrack_count, since a listing may have been filtered or cut; what it shows
 * is a lower bound.
 *
 *	tcp      6 431999 ESTABLISHED src=10.0.0.1 dst=10.0.0.2 sport=4 dport=80 src=… [ASSURED] mark=0 use=1
 *	ipv4     2 udp      17 29 src=10.0.0.1 dst=10.0.0.2 sport=4 dport=53 [UNREPLIED] src=… */
#include "collectors/collector.h"

#include <ctype.h>
#include <errno.h>

enum fact {
	ALL,
	TCP,
	UDP,
	ESTABLISHED,
	TIME_WAIT,
	SYN_SENT,
	SYN_RECV,
	CLOSE_WAIT,
	UNREPLIED,
	DNS,
	FACTS
};

#define LISTED(index, n, text, pattern)                                                            \
	[index] = {.name = "conntrack.list." n,                                                    \
		   .on = ND_NETNS,                                                                 \
		   .type = ND_T_NUMBER,                                                            \
		   .unit = ND_U_COUNT,                                                             \
		   .width = ND_GAUGE,                                                              \
		   .doc = (text),                                                                  \
		   .reproduce = "conntrack -L 2>/dev/null | grep -c '" pattern "'"}
static const struct nd_fact_def facts[FACTS + 1] = {
	LISTED(ALL, "all", "tracked connections in the listing, which may be a part of all",
	       "src="),
	LISTED(TCP, "tcp", "listed TCP connections", "^tcp"),
	LISTED(UDP, "udp", "listed UDP flows", "^udp"),
	LISTED(ESTABLISHED, "established", "listed TCP connections in ESTABLISHED",
	       " ESTABLISHED "),
	LISTED(TIME_WAIT, "time_wait", "listed TCP connections in TIME_WAIT", " TIME_WAIT "),
	LISTED(SYN_SENT, "syn_sent", "listed TCP connections in SYN_SENT: not answered yet",
	       " SYN_SENT "),
	LISTED(SYN_RECV, "syn_recv", "listed TCP connections in SYN_RECV: half open", " SYN_RECV "),
	LISTED(CLOSE_WAIT, "close_wait", "listed TCP connections in CLOSE_WAIT", " CLOSE_WAIT "),
	LISTED(UNREPLIED, "unreplied", "listed flows that only one side has sent to",
	       "\\[UNREPLIED\\]"),
	LISTED(DNS, "dns_unreplied", "listed UDP flows to port 53 without an answer",
	       "udp.*dport=53 .*\\[UNREPLIED\\]"),
	{.name = NULL},
};

static const struct {
	const char *word;
	enum fact fact;
} words[] = {
	{"ESTABLISHED", ESTABLISHED}, {"TIME_WAIT", TIME_WAIT},	  {"SYN_SENT", SYN_SENT},
	{"SYN_RECV", SYN_RECV},	      {"CLOSE_WAIT", CLOSE_WAIT}, {"[UNREPLIED]", UNREPLIED},
};

/* "tcp 6" or "ipv4 2 tcp 6": the protocol, and line moves behind it; NULL if it is no entry. */
static const char *take_protocol(char **line)
{
	char *name = nd_word(line), *number = nd_word(line);
	uint64_t v;

	if (name && (strcmp(name, "ipv4") == 0 || strcmp(name, "ipv6") == 0)) {
		name = nd_word(line);
		number = nd_word(line);
	}
	if (!name || !number || !isalpha((unsigned char)*name) || !nd_parse_u64(number, 10, &v) ||
	    v > UINT8_MAX)
		return NULL;
	return name;
}

/* One line; false if it is none of an entry. */
static bool read_entry(char *line, uint32_t n[FACTS])
{
	const char *protocol = take_protocol(&line);
	bool dns = false, unreplied = false, tuple = false, first = true;
	const bool udp = protocol && strcmp(protocol, "udp") == 0;
	char *word;

	if (!protocol || !strstr(line, "src=") || !strstr(line, "dst="))
		return false;
	n[ALL]++;
	n[TCP] += strcmp(protocol, "tcp") == 0;
	n[UDP] += udp;
	while ((word = nd_word(&line))) {
		for (size_t i = 0; i < ND_ARRAY_LEN(words); i++)
			n[words[i].fact] += strcmp(word, words[i].word) == 0;
		unreplied |= strcmp(word, "[UNREPLIED]") == 0;
		first &= !(tuple && nd_starts(word, "src=")); /* the second is the answer's */
		tuple |= nd_starts(word, "src=");
		dns |= first && strcmp(word, "dport=53") == 0;
	}
	n[DNS] += udp && dns && unreplied;
	return true;
}

/* The number of entries that stands for the listing: "… 1959 flow entries have been shown.", or what wc -l made of it. */
static bool number_alone(char *line, uint64_t *out)
{
	const char *shown = strstr(line, " flow entries have been shown");
	const char *at = shown;
	char digits[24];

	if (!shown)
		return nd_parse_u64(line + strspn(line, " "), 10, out) && *out <= UINT32_MAX;
	while (at > line && isdigit((unsigned char)at[-1]))
		at--;
	snprintf(digits, sizeof(digits), "%.*s", (int)(shown - at), at);
	return nd_parse_u64(digits, 10, out) && *out <= UINT32_MAX;
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	const nd_id ns = nd_entity(f, ND_NETNS, in->netns);
	uint32_t n[FACTS] = {0};
	uint64_t number;
	bool told = false;
	char *line;

	while ((line = nd_stream_line(s))) {
		if (!told && number_alone(line, &number))
			told = true;
		else
			read_entry(line, n);
	}
	if (nd_stream_error(s))
		return nd_fail(e, nd_stream_error(s), "%s: %s", in->path,
			       strerror(-nd_stream_error(s)));
	if (n[ALL] == 0 && told && number > 0) { /* no states without lines */
		nd_put_num(f, ns, &facts[ALL], (double)number, in);
		return 0;
	}
	if (n[ALL] == 0 && !told)
		return nd_parse_fail(in, s, e, "connections: 'tcp 6 …', 'ipv4 2 tcp 6 …'", "none");
	for (int i = 0; i < FACTS; i++)
		nd_put_num(f, ns, &facts[i], n[i], in);
	return 0;
}

static const struct nd_read reads[] = {
	{"conntrack -L", 0,
	 "tcp *src=*dst=*sport=*dport=*src=*\n\nudp *src=*dst=*sport=*dport=*src=*\n\nipv[46] *src=*dst=*src=*"},
	{NULL, 0, NULL},
};

const struct nd_collector nd_collector_conntrack_list = {
	.name = "conntrack_list",
	.doc = "tracked connections by state, from a recorded listing",
	.reads = reads,
	.facts = facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
};
