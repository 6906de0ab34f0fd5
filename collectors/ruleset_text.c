/* Rule sets as text: iptables-save, iptables -S, iptables -L in its forms, nft list ruleset, and the mere number of
 * lines.
 *
 *	*nat						iptables-save
 *	:FORWARD DROP [12:720]
 *	[3:180] -A PREROUTING -j KUBE-SERVICES
 *	Chain FORWARD (policy DROP 12 packets, 720 bytes)	iptables -L
 *	 pkts bytes target     prot opt in     out     source               destination
 *	    3   180 KUBE-SERVICES  all  --  any any anywhere anywhere
 *	table ip nat {					nft
 *		chain PREROUTING {
 *			counter packets 3 bytes 180 jump KUBE-SERVICES
 *
 * Counters, numbers and handles are taken off a rule, so that one that stands twice is seen. A
 * listing does not say which table it shows: its chains do. */
#include "collectors/ruleset.h"

#include <ctype.h>
#include <errno.h>

#define TIMES_MAX 200000u /* of one rule in the output of uniq -c */

enum form { NO_FORM, SAVED, LISTED, NFT };
struct reader {
	enum form form;
	struct nd_ruleset set;
	char table[40], chain[64];
	unsigned depth; /* nft: open braces */
	bool in_chain; /* nft: below "chain NAME {" */
	uint32_t skip; /* LISTED: columns in front of the rule (num, pkts, bytes) */
	bool any; /* something of a rule set was seen */
};

static void see_table(struct reader *r)
{
	/* two tables in one text: iptables-save without -t */
	if (r->form == SAVED && (r->set.nat || r->set.filter))
		r->set.whole = true;
	r->set.nat |= strcmp(r->table, "nat") == 0;
	r->set.filter |= strcmp(r->table, "filter") == 0;
}

/* ---- iptables-save, iptables -S ---- */

static void copy_word(char *out, size_t size, const char *s)
{
	snprintf(out, size, "%.*s", (int)strcspn(s, " \t({"), s);
}

/* "DROP [12:720]" or "DROP 12 packets, 720 bytes)" of the chain FORWARD. */
static void take_policy(struct reader *r, const char *chain, const char *rest)
{
	char word[24];
	uint64_t v;

	if (strcmp(chain, "FORWARD") != 0 || (*r->table && strcmp(r->table, "filter") != 0))
		return;
	snprintf(r->set.forward_policy, sizeof(r->set.forward_policy), "%.*s",
		 (int)strspn(rest, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"), rest);
	r->set.has_forward = *r->set.forward_policy != '\0';
	rest += strcspn(rest, " )");
	rest += strspn(rest, " [");
	snprintf(word, sizeof(word), "%.*s", (int)strspn(rest, "0123456789"), rest);
	if (nd_parse_u64(word, 10, &v) && !isalpha((unsigned char)rest[strlen(word)])) {
		r->set.forward_counted = true;
		r->set.n[ND_RS_FORWARD_DROPS] = v;
	}
}

/* "2210 -A CHAIN …", as sort | uniq -c prints a rule that stands there so often. Moves the line behind the number. */
static uint32_t take_times(char **line)
{
	const size_t n = strspn(*line, "0123456789");
	char digits[8];
	uint64_t v;

	if (n == 0 || n >= sizeof(digits) || !nd_starts(*line + n, " -A "))
		return 1;
	snprintf(digits, sizeof(digits), "%.*s", (int)n, *line);
	if (!nd_parse_u64(digits, 10, &v) || v == 0 || v > TIMES_MAX)
		return 1;
	*line += n + 1;
	return (uint32_t)v;
}

static bool read_saved(struct reader *r, char *line)
{
	uint32_t times = take_times(&line);
	char *rest;

	if (*line == '*' && islower((unsigned char)line[1]) && !strchr(line, ' ')) {
		copy_word(r->table, sizeof(r->table), line + 1);
		r->form = SAVED;
		see_table(r);
		return true;
	}
	if (*line == ':' && strchr(line, ' ')) {
		copy_word(r->chain, sizeof(r->chain), line + 1);
		take_policy(r, r->chain, strchr(line, ' ') + 1);
		return true;
	}
	if (nd_starts(line, "-P ")) {
		rest = line + 3;
		copy_word(r->chain, sizeof(r->chain), rest);
		r->set.filter |= strcmp(r->chain, "FORWARD") == 0;
		if (strchr(rest, ' '))
			take_policy(r, r->chain, strchr(rest, ' ') + 1);
		return true;
	}
	if (nd_starts(line, "-N "))
		return true;
	if (*line == '[' && strstr(line, "] -A "))
		line = strstr(line, "] -A ") + 2;
	if (!nd_starts(line, "-A "))
		return false;
	rest = line + 3;
	copy_word(r->chain, sizeof(r->chain), rest);
	while (times--)
		nd_ruleset_add(&r->set, r->table, r->chain, rest + strlen(r->chain));
	return true;
}

/* ---- iptables -L ---- */

/* The table that has this chain among its own. */
static void guess_table(struct reader *r, const char *chain)
{
	if (strcmp(chain, "PREROUTING") == 0)
		snprintf(r->table, sizeof(r->table), "nat");
	else if (strcmp(chain, "FORWARD") == 0 || strcmp(chain, "INPUT") == 0)
		snprintf(r->table, sizeof(r->table), "%s",
			 strcmp(r->table, "nat") == 0 && strcmp(chain, "INPUT") == 0 ? "nat"
										     : "filter");
}

static bool read_listed(struct reader *r, char *line)
{
	const char *policy;

	if (nd_starts(line, "Chain ") && strchr(line, '(')) {
		copy_word(r->chain, sizeof(r->chain), line + strlen("Chain "));
		guess_table(r, r->chain);
		see_table(r);
		policy = strstr(line, "(policy ");
		if (policy)
			take_policy(r, r->chain, policy + strlen("(policy "));
		r->form = LISTED;
		return true;
	}
	if (r->form != LISTED || !*r->chain)
		return false;
	if (strstr(line, "target") && strstr(line, "prot") && strstr(line, "source")) {
		r->skip = (nd_starts(line, "num") ? 1 : 0) + (strstr(line, "pkts") ? 2 : 0);
		return true;
	}
	for (uint32_t i = 0; i < r->skip; i++)
		if (!nd_word(&line))
			return true;
	if (*nd_trim(line))
		nd_ruleset_add(&r->set, r->table, r->chain, nd_trim(line));
	return true;
}

/* ---- nft ---- */

/* Takes "packets 3 bytes 180" out of a rule. */
static void strip(char *rule)
{
	char *at, *end;

	while ((at = strstr(rule, "packets "))) {
		end = at + strlen("packets ");
		end += strspn(end, "0123456789");
		if (nd_starts(end, " bytes ")) {
			end += strlen(" bytes ");
			end += strspn(end, "0123456789");
		}
		memmove(at, end, strlen(end) + 1);
	}
}

static void open_nft(struct reader *r, const char *line)
{
	const char *rest = line;

	r->depth++;
	if (nd_starts(line, "table ")) {
		rest += strlen("table ");
		snprintf(r->table, sizeof(r->table), "%.*s", (int)(strcspn(rest, "{")), rest);
		nd_trim(r->table);
	} else if (nd_starts(line, "chain ")) {
		copy_word(r->chain, sizeof(r->chain), line + strlen("chain "));
		r->in_chain = true;
	} else {
		r->in_chain = false; /* a set, a map */
	}
}

static bool read_nft(struct reader *r, char *line)
{
	char *handle = strstr(line, " # handle ");
	size_t n;

	if (handle && (r->form == NFT || nd_starts(line, "table ")))
		*handle = '\0';
	n = strlen(line);
	if (nd_starts(line, "table ") && n && line[n - 1] == '{') {
		r->form = NFT;
		r->set.whole = true;
		r->depth = 0;
		open_nft(r, line);
		return true;
	}
	if (r->form != NFT)
		return false;
	if (r->depth == 1 && n && line[n - 1] == '{') {
		open_nft(r, line);
	} else if (*line == '}') {
		r->depth -= r->depth > 0;
		r->in_chain = false;
	} else if (r->depth == 2 && r->in_chain && n && !nd_starts(line, "type ") &&
		   !nd_starts(line, "policy ") && *line != '#') {
		strip(line);
		nd_ruleset_add(&r->set, r->table, r->chain, line);
	}
	return true;
}

/* ---- one input ---- */

/* "164757", perhaps with the name of the file that wc counted. */
static bool read_lines(struct reader *r, char *line)
{
	char *word = nd_word(&line);
	uint64_t v;

	if (!word || !nd_parse_u64(word, 10, &v) || v == 0)
		return false;
	r->set.n[ND_RS_LINES] = v;
	return true;
}

static void read_line(struct reader *r, char *line)
{
	line = nd_trim(line);
	if (!*line || nd_starts(line, "# "))
		return;
	r->any |= read_nft(r, line) || read_saved(r, line) || read_listed(r, line);
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	struct reader r = {.form = NO_FORM};
	char number[32] = "", *line;
	int rc = 0;

	while ((line = nd_stream_line(s))) {
		if (!r.any && isdigit((unsigned char)*nd_trim(line)) && !*number)
			snprintf(number, sizeof(number), "%.31s", nd_trim(line));
		read_line(&r, line);
	}
	if (!r.any && *number)
		r.any = read_lines(&r, number);
	if (nd_stream_error(s))
		rc = nd_fail(e, nd_stream_error(s), "%s: %s", in->path,
			     strerror(-nd_stream_error(s)));
	else if (!r.any)
		rc = nd_parse_fail(in, s, e, "rules of iptables or nft, or a number of lines",
				   "neither");
	else
		nd_ruleset_put(f, &r.set, in);
	nd_ruleset_free(&r.set);
	return rc;
}

static const struct nd_read reads[] = {
	{"iptables", 0,
	 "Chain * (policy *)\n*target*prot*opt*source*destination*\n\nChain * (* references)\n"
	 "*target*prot*opt*source*destination*\n\n[*]filter\n:*[[]*:*]\n\n[*]nat\n:*[[]*:*]\n\n"
	 "[*]mangle\n:*[[]*:*]\n\n[*]raw\n:*[[]*:*]\n\n-P INPUT *\n-P FORWARD *"},
	{"ip6tables", 0, NULL},
	{"nft", 0, "table * {\n*chain * {"},
	{NULL, 0, NULL},
};

const struct nd_collector nd_collector_ruleset = {
	.name = "ruleset",
	.doc = "rules of iptables and nftables: how many, how long their chains are",
	.reads = reads,
	.facts = nd_ruleset_facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
	.live = nd_ruleset_live,
	.finish = nd_ruleset_finish,
};
