/* UDP sockets as ss and netstat print them.
 *
 *   UNCONN 0 0 127.0.0.53%lo:53 0.0.0.0:* users:(("systemd-resolve",pid=712,fd=12))
 *   	 skmem:(r0,rb212992,t0,tb212992,f0,w0,o0,bl0,d0)
 *   udp 213248 0 0.0.0.0:514 0.0.0.0:* 1234/rsyslogd
 *
 * ss prints the protocol only when several are asked for. A table without it is one of UDP if it has
 * a socket in state UNCONN, or if the name of the file has the option u and not t. */
#include "collectors/process.h"
#include "collectors/udp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>

enum tool { TOOL_SS, TOOL_NETSTAT };
struct text {
	const struct nd_input *in;
	struct nd_facts *f;
	enum tool tool;
	struct nd_udp_list list;
	uint32_t named; /* of those, whose line says udp */
	bool unconn; /* there is a state that TCP does not print */
	bool modern; /* prints 0.0.0.0 or brackets, so that * is an IPv6 socket for both families */
	bool header, open; /* a table was begun; a line of figures may follow */
};

/* ---- words ---- */

/* The number that s starts with, or NaN. */
static double leading(const char *s)
{
	char digits[24];
	const size_t n = strspn(s, "0123456789");
	uint64_t v;

	if (n == 0 || n >= sizeof(digits))
		return NAN;
	memcpy(digits, s, n);
	digits[n] = '\0';
	return nd_parse_u64(digits, 10, &v) ? (double)v : NAN;
}

/* skmem:(r0,rb212992,t0,tb212992,f4096,w0,o0,bl0,d17): d came with Linux 4.10. */
static void parse_skmem(struct nd_udp_socket *s, char *word)
{
	char *part;

	word += strlen("skmem:(");
	while ((part = nd_split(&word, ",)"))) {
		if (nd_starts(part, "rb"))
			s->rcvbuf = leading(part + 2);
		else if (part[0] == 'd')
			s->drops = leading(part + 1);
	}
}

static void add_owner(struct nd_udp_socket *s, const char *comm, size_t len, double pid)
{
	struct nd_udp_owner *o;

	if (isnan(pid) || s->n_owners >= ND_UDP_OWNERS_MAX || len >= sizeof(o->comm))
		return;
	o = &s->owners[s->n_owners++];
	*o = (struct nd_udp_owner){.pid = (uint64_t)pid};
	memcpy(o->comm, comm, len);
}

/* users:(("named",pid=712,fd=12),…); older versions: ("named",712,12). */
static void parse_users(struct nd_udp_socket *s, const char *at)
{
	while ((at = strstr(at, "(\"")) != NULL) {
		const char *comm = at + 2, *end = strstr(comm, "\",");

		if (!end)
			return;
		at = end + 2;
		add_owner(s, comm, (size_t)(end - comm),
			  leading(nd_starts(at, "pid=") ? at + 4 : at));
	}
}

static void figures(struct nd_udp_socket *s, char *rest)
{
	const char *users = strstr(rest, "users:((");
	char *w;

	if (users)
		parse_users(s, users);
	while ((w = nd_word(&rest))) {
		const char *slash = strchr(w, '/');

		if (nd_starts(w, "skmem:("))
			parse_skmem(s, w);
		else if (slash && strspn(w, "0123456789") == (size_t)(slash - w)) /* netstat -p */
			add_owner(s, slash + 1, strcspn(slash + 1, ":"), leading(w));
	}
}

/* "127.0.0.53%lo:53", "*:53", ":::53", "[::1]:53", "fe80::1%eth0:546", "[fe80::1]%eth0:546". */
static bool parse_address(struct text *t, char *word, struct nd_sock_addr *out)
{
	char *colon = strrchr(word, ':'), *zone;
	uint64_t port;
	size_t len;

	if (!colon || colon == word || !colon[1])
		return false;
	*colon = '\0';
	if (nd_parse_u64(colon + 1, 10, &port) && port <= UINT16_MAX)
		out->port = (uint16_t)port;
	else
		out->port_name = nd_arena_strdup(nd_facts_arena(t->f), colon + 1);
	zone = strchr(word, '%');
	if (zone)
		*zone = '\0';
	t->modern |= *word == '[' || strcmp(word, "0.0.0.0") == 0;
	len = strcspn(word, "]");
	if (*word == '[' && len > 1) {
		word[len] = '\0';
		word++;
	}
	out->star = strcmp(word, "*") == 0;
	if (out->star || inet_pton(AF_INET, word, out->ip) == 1)
		out->family = AF_INET;
	else if (inet_pton(AF_INET6, word, out->ip) == 1)
		out->family = AF_INET6;
	else
		out->name = nd_arena_strdup(nd_facts_arena(t->f), word);
	return true;
}

/* Recv-Q Send-Q Local Peer, and what else there is. */
static bool columns(struct text *t, struct nd_udp_socket *s, char *recv_q, char **rest)
{
	char *send_q = nd_word(rest), *local = nd_word(rest), *peer = nd_word(rest);
	uint64_t queue, v;

	if (!recv_q || !nd_parse_u64(recv_q, 10, &queue) || !send_q ||
	    !nd_parse_u64(send_q, 10, &v) || !local || !peer || !strchr(peer, ':'))
		return false;
	s->queue = (double)queue;
	return parse_address(t, local, &s->local);
}

/* ---- lines ---- */

static bool is_state(const char *word)
{
	return strcmp(word, "UNCONN") == 0 || strcmp(word, "ESTAB") == 0;
}

/* "udp", "udp6" of netstat, and "udp" of ss; not udplite, and no word of prose. */
static bool is_udp(const char *word)
{
	return strcmp(word, "udp") == 0 || strcmp(word, "udp6") == 0 || strcmp(word, "udp4") == 0;
}

static void socket_line(struct text *t, char *line)
{
	struct nd_udp_socket one = {.queue = NAN, .rcvbuf = NAN, .drops = NAN}, *slot;
	char *word = nd_word(&line);
	bool named = word && is_udp(word), unconn = false;

	t->open = false;
	if (named)
		word = nd_word(&line);
	if (word && t->tool == TOOL_SS && is_state(word)) {
		unconn = strcmp(word, "UNCONN") == 0;
		word = nd_word(&line);
	} else if (!named) {
		return;
	}
	if (!columns(t, &one, word, &line))
		return;
	slot = nd_udp_new(&t->list);
	if (!slot)
		return;
	*slot = one;
	figures(slot, line);
	t->named += named;
	t->unconn |= unconn;
	t->open = true;
}

/* Off with the last word of a file that ends within it. */
static void cut_word(char *line)
{
	char *blank = strrchr(line, ' ');

	*(blank ? blank : line) = '\0';
}

static void one_line(struct text *t, char *line, bool unended)
{
	const bool indented = *line == ' ' || *line == '\t';

	if (unended)
		cut_word(line);
	if (strstr(line, "Recv-Q") && strstr(line, "Local Address"))
		t->header = true;
	else if (indented && t->open)
		figures(&t->list.v[t->list.n - 1], line);
	else if (!indented || t->tool == TOOL_SS)
		socket_line(t, line);
}

/* ---- the whole ---- */

bool nd_udp_only(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *word = name + 2;
	size_t len;

	if (!nd_starts(name, "ss"))
		return false;
	word += strspn(word, "-_ ");
	len = strcspn(word, "-_ .@");
	return len && strspn(word, "aeilmnopuwHOr46") == len && memchr(word, 'u', len);
}

/* Is what has no protocol in its line UDP? */
static bool all_udp(const struct text *t)
{
	return t->named == t->list.n || (!t->named && (t->unconn || nd_udp_only(t->in->path)));
}

/* Old versions print * for any IPv4 address; newer ones only for an IPv6 socket that takes both. */
static void resolve_stars(struct text *t)
{
	for (uint32_t i = 0; t->modern && i < t->list.n; i++)
		if (t->list.v[i].local.star)
			t->list.v[i].local.family = AF_INET6;
}

static int parse_as(enum tool tool, const struct nd_input *in, struct nd_stream *s,
		    struct nd_facts *f, struct nd_err *e)
{
	struct text t = {.in = in, .f = f, .tool = tool};
	char *line;
	int rc;

	while ((line = nd_stream_line(s)))
		one_line(&t, line, nd_stream_unended(s));
	rc = nd_stream_error(s);
	if (rc) {
		nd_fail(e, rc, "%s: %s", in->path, strerror(-rc));
	} else if (t.list.n && all_udp(&t)) {
		resolve_stars(&t);
		nd_kind_read(f, ND_SOCKET);
		nd_udp_put(&t.list, f, in, ND_UDP_SAMPLE | ND_UDP_MOMENT);
	} else if (t.header && nd_udp_only(in->path)) {
		nd_kind_read(f, ND_SOCKET); /* an empty list is an answer */
	}
	nd_udp_free(&t.list);
	return rc;
}

static int parse_ss(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		    struct nd_err *e)
{
	return parse_as(TOOL_SS, in, s, f, e);
}

static int parse_netstat(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
			 struct nd_err *e)
{
	return parse_as(TOOL_NETSTAT, in, s, f, e);
}

static const struct nd_read ss_reads[] = {
	{"ss", 0, "*Recv-Q*Send-Q*Local Address:Port*"},
	{NULL, 0, NULL},
};
static const struct nd_read netstat_reads[] = {
	{"netstat", 0, "Proto Recv-Q Send-Q Local Address*Foreign Address*"},
	{NULL, 0, NULL},
};
const struct nd_collector nd_collector_udp_ss;
const struct nd_collector nd_collector_udp_ss = {
	.name = "udp_ss",
	.doc = "UDP sockets as ss prints them",
	.reads = ss_reads,
	.facts = nd_udp_facts,
	.entities = {ND_NO_KIND},
	.parse = parse_ss,
};
const struct nd_collector nd_collector_udp_netstat;
const struct nd_collector nd_collector_udp_netstat = {
	.name = "udp_netstat",
	.doc = "UDP sockets as netstat prints them",
	.reads = netstat_reads,
	.facts = nd_udp_facts,
	.entities = {ND_NO_KIND},
	.parse = parse_netstat,
};
