/* Text of ss (iproute2): `ss -tin`, `ss -ltnm`, `ss -ant`, `ss -tnpoe` and their like.
 *
 * The options decide the columns, and the file rarely says which they were: each line is read by what its
 * words are. A line of figures below a socket's line belongs to it (with -O it is the same line):
 *   ESTAB 0 0 127.0.0.1:5599 127.0.0.1:57324 users:(("nginx",pid=7,fd=3)) ino:12535 sk:3
 *   	 cubic wscale:7,7 rto:204 rtt:0.084/0.046 mss:65483 cwnd:10 unacked:1 notsent:120 lastsnd:12 busy:44ms
 * ss leaves out what is zero. Sums of states and `ss -s` are recognised by having no such line.
 *
 * Which side of a connection is the server is known when the listeners are. ss prints those first, but a sorted file
 * may not: a batch of lines is kept before its connections are grouped, so a million sockets need no more memory. */
#include "collectors/collector.h"
#include "collectors/process.h"
#include "collectors/sock_conns.h"
#include "collectors/sock_text.h"
#include "collectors/ss_figures.h"
#include "collectors/udp.h"

#include <errno.h>
#include <math.h>

#define PROCESSES_MAX 8u /* owners kept per socket */
#define BATCH 8192u /* sockets kept until they are grouped */

struct owner {
	uint64_t pid;
	char comm[32];
};
struct row {
	struct nd_sock s;
	struct owner *owners; /* or NULL */
	uint32_t n_owners;
	bool stateless; /* the state is a guess */
};
struct text {
	const struct nd_input *in;
	struct nd_facts *f;
	struct row *rows; /* of the batch */
	uint32_t n, cap;
	struct nd_socks *socks; /* NULL until the first batch is full, or all is read */
	struct nd_conns *conns; /* with it */
	uint64_t grouped, connections; /* sockets of earlier batches; of these, no listeners */
	bool header,
		modern; /* modern: prints 0.0.0.0 for any IPv4 address, so that * means both families */
	bool open; /* a line of figures may follow */
	uint64_t bad_line; /* the first line that looked like a socket and was none, or 0 */
	char bad[64];
};

/* ---- words ---- */

static bool state_of(const char *word, enum nd_tcp_state *out)
{
	*out = nd_tcp_state_named(word, strlen(word));
	return *out != ND_TCP_UNKNOWN;
}

/* users:(("nginx",pid=12,fd=6),("nginx",pid=13,fd=6)), in older versions ("nginx",12,6). */
static void parse_users(struct row *r, const char *at)
{
	while ((at = strstr(at, "(\"")) != NULL && r->n_owners < PROCESSES_MAX) {
		const char *comm = at + 2, *end = strstr(comm, "\",");
		struct owner o = {0};
		char digits[16] = "";
		size_t n;

		if (!end || (size_t)(end - comm) >= sizeof(o.comm))
			return;
		memcpy(o.comm, comm, (size_t)(end - comm));
		at = end + 2;
		if (nd_starts(at, "pid="))
			at += 4;
		n = strspn(at, "0123456789");
		if (n < sizeof(digits))
			memcpy(digits, at, n);
		if (!nd_parse_u64(digits, 10, &o.pid))
			continue;
		r->owners = nd_realloc(r->owners, (r->n_owners + 1) * sizeof(*r->owners));
		r->owners[r->n_owners++] = o;
	}
}

/* ---- groups ---- */

static void relate_owners(struct nd_facts *f, const struct nd_input *in, const struct row *r,
			  nd_id to)
{
	static const enum nd_relation by_kind[ND_KINDS] = {
		[ND_LISTENER] = ND_LISTENER_PROCESSES,
		[ND_SERVICE] = ND_SERVICE_PROCESSES,
		[ND_PEER] = ND_PEER_PROCESSES,
	};

	for (uint32_t i = 0; i < r->n_owners; i++) {
		nd_id p = nd_entity_num(f, ND_PROCESS, r->owners[i].pid);

		nd_put_text(f, p, &nd_process_facts[ND_P_COMM], r->owners[i].comm, in);
		nd_relate(f, p, ND_PROCESS_NETNS, nd_entity(f, ND_NETNS, in->netns));
		nd_relate(f, to, by_kind[nd_entity_kind(f, to)], p);
	}
}

/* Ports that another file of the same namespace lists as listening. */
static uint32_t known_listeners(struct nd_facts *f, const struct nd_input *in, struct nd_socks *k)
{
	nd_fact_id port = nd_registry_find(nd_facts_registry(f), ND_LISTENER,
					   nd_listener_fact(ND_L_PORT)->name);
	nd_id netns = nd_entity(f, ND_NETNS, in->netns);
	struct nd_links all = nd_related(f, netns, ND_LISTENER_NETNS, true);

	for (uint32_t i = 0; i < all.n; i++) {
		struct nd_value v = nd_get(f, all.ids[i], port, ND_BARE);

		if (v.type == ND_V_NUMBER)
			nd_socks_listens(k, (uint16_t)v.num);
	}
	return all.n;
}

static void add_rows(struct text *t, struct nd_socks *k, bool listeners)
{
	for (uint32_t i = 0; i < t->n; i++) {
		struct row *r = &t->rows[i];
		nd_id to;

		if ((r->s.state == ND_TCP_LISTEN) != listeners)
			continue;
		nd_ss_complete(&r->s);
		to = nd_socks_add(k, t->f, &r->s);
		if (to != ND_NO_ENTITY)
			relate_owners(t->f, t->in, r, to);
	}
}

/* Those without data count too; what a state filter listed has no state. */
static void count_batch(struct text *t)
{
	const bool listeners = nd_conns_known(t->conns, t->f, t->in) > 0;
	struct nd_sock s;

	for (uint32_t i = 0; i < t->n && !listeners; i++)
		nd_conns_guess(t->conns, &t->rows[i].s);
	for (uint32_t i = 0; i < t->n; i++) {
		s = t->rows[i].s;
		s.state = t->rows[i].stateless ? ND_TCP_UNKNOWN : s.state;
		nd_conns_add(t->conns, &s);
	}
}

/* Listeners first: of the batches before they are known already. */
static void group_batch(struct text *t)
{
	bool first = !t->socks;

	if (first) {
		t->socks = nd_socks_new(t->in->netns);
		t->conns = nd_conns_new();
		nd_socks_begin(t->socks, t->in, true);
	}
	add_rows(t, t->socks, true);
	if (first && known_listeners(t->f, t->in, t->socks) == 0)
		nd_socks_guess(t->socks);
	add_rows(t, t->socks, false);
	count_batch(t);
	for (uint32_t i = 0; i < t->n; i++) {
		t->connections += t->rows[i].s.state != ND_TCP_LISTEN;
		free(t->rows[i].owners);
	}
	t->grouped += t->n;
	t->n = 0;
	t->open = false;
}

/* ---- lines ---- */

/* Returns whether there was one. */
static bool figures_of(struct row *r, char *rest)
{
	char *users = strstr(rest, "users:(("), *word, *next;
	bool any = users != NULL;

	if (users)
		parse_users(r, users);
	for (word = nd_word(&rest); word; word = next) {
		next = nd_word(&rest);
		any |= nd_ss_figure(&r->s, word, next ? next : "");
	}
	return any;
}

static void remember_bad(struct text *t, const struct nd_stream *s, const char *found)
{
	if (t->bad_line)
		return;
	t->bad_line = nd_stream_lineno(s);
	snprintf(t->bad, sizeof(t->bad), "%s", found);
}

/* The columns behind the state: Recv-Q Send-Q Local Peer, and what else there is. */
static bool parse_columns(struct text *t, struct nd_sock *s, char *recv_q, char **rest,
			  const char **found)
{
	char *send_q = nd_word(rest), *local = nd_word(rest), *peer = nd_word(rest);
	uint64_t r, q;

	*found = recv_q ? recv_q : "the end of the line";
	if (!recv_q || !nd_parse_u64(recv_q, 10, &r) || r > UINT32_MAX)
		return false;
	*found = send_q ? send_q : "the end of the line";
	if (!send_q || !nd_parse_u64(send_q, 10, &q) || q > UINT32_MAX)
		return false;
	*found = "the end of the line";
	if (!local || !peer)
		return false;
	s->rqueue = (uint32_t)r;
	s->wqueue = (uint32_t)q;
	*found = local;
	if (!nd_sock_text_address(t->f, local, &t->modern, &s->local))
		return false;
	*found = peer;
	return nd_sock_text_address(t->f, peer, &t->modern, &s->remote);
}

/* A state filter makes ss leave the column out: then only a peer without a port is a listener. */
static enum nd_tcp_state state_by_peer(const struct nd_sock *s)
{
	return s->remote.port_name && strcmp(s->remote.port_name, "*") == 0 ? ND_TCP_LISTEN
									    : ND_TCP_ESTABLISHED;
}

static struct row *new_row(struct text *t)
{
	struct row *r;

	ND_GROW(t->rows, t->n, t->cap);
	r = &t->rows[t->n];
	*r = (struct row){0};
	for (unsigned i = 0; i < ND_SOCK_VALUES; i++)
		r->s.v[i] = NAN;
	return r;
}

/* Words that open a socket's line: a protocol, a state, or Recv-Q when there is no state. */
static void parse_socket(struct text *t, const struct nd_stream *s, char *line)
{
	enum nd_tcp_state state = ND_TCP_UNKNOWN;
	char *word = nd_word(&line);
	bool numeric, known;
	const char *found;
	struct row *r;
	uint64_t q;

	t->open = false;
	if (!word)
		return;
	if (strcmp(word, "tcp") == 0)
		word = nd_word(&line);
	numeric = word && nd_parse_u64(word, 10, &q);
	known = word && state_of(word, &state);
	if (!word || (!numeric && !known))
		return; /* a header, another protocol, or no output of ss */
	if (t->n == BATCH)
		group_batch(t);
	r = new_row(t);
	if (!parse_columns(t, &r->s, known ? nd_word(&line) : word, &line, &found)) {
		if (known && t->header) /* else sums of states look like this: "ESTAB 2232" */
			remember_bad(t, s, found);
		return;
	}
	r->s.state = known ? state : state_by_peer(&r->s);
	r->stateless = !known;
	t->n++;
	t->open = true;
	figures_of(r, line);
}

/* The socket whose figures the line has: it does not begin with what begins a socket. Pasted lines may have lost their
 * blanks, been wrapped, or been indented as a whole. NULL: none. */
static struct row *row_of(const struct text *t, const char *line)
{
	static const char *const netids[] = {"tcp",   "udp",   "raw",	"nl",	 "u_str", "u_dgr",
					     "u_seq", "p_raw", "p_dgr", "icmp6", "sctp",  "mptcp",
					     "dccp",  "tipc",  "v_str", "v_dgr", "xdp",	  "???"};
	char first[32] = "";
	enum nd_tcp_state state;
	uint64_t q;

	line += strspn(line, " \t");
	snprintf(first, sizeof(first), "%.*s", (int)strcspn(line, " \t"), line);
	for (unsigned i = 0; i < ND_ARRAY_LEN(netids); i++) {
		if (*first == *netids[i] && strcmp(first, netids[i]) == 0)
			return NULL;
	}
	if (!t->open || !t->n || !*first || state_of(first, &state) || nd_parse_u64(first, 10, &q))
		return NULL;
	return &t->rows[t->n - 1];
}

static void parse_line(struct text *t, const struct nd_stream *s, char *line)
{
	struct row *open = row_of(t, line);

	if (strstr(line, "Recv-Q") && strstr(line, "Local Address")) {
		t->header = true;
		t->modern |= strstr(line, "Process") != NULL; /* iproute2 5.3 and later */
		t->open = false;
	} else if (!open) {
		parse_socket(t, s, line);
	} else if (!figures_of(open, line) && *line != ' ' && *line != '\t') {
		t->open = false; /* a prompt, prose */
	}
}

/* ---- the whole ---- */

/* An empty list is an answer too: of listeners with -l, else of connections. */
static void mark_read(const struct text *t)
{
	const char *slash = strrchr(t->in->path, '/'), *name = slash ? slash + 1 : t->in->path;
	const char *l = memchr(name, 'l', strcspn(name, ".@"));
	bool nothing = t->grouped == 0 && t->header;

	if (nothing && l)
		nd_kind_read(t->f, ND_LISTENER);
	if (t->connections || (nothing && !l)) {
		nd_kind_read(t->f, ND_SERVICE);
		nd_kind_read(t->f, ND_PEER);
	}
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	struct text t = {.in = in, .f = f};
	char *line;
	int rc = 0;

	if (nd_udp_only(in->path)) /* connected ones have the same states */
		return 0;
	while ((line = nd_stream_line(s)) != NULL)
		parse_line(&t, s, line);
	if (t.n)
		group_batch(&t);
	if (t.socks) {
		nd_socks_end(t.socks, f);
		nd_socks_last(t.socks, f, in);
		nd_conns_put(t.conns, f, in, false);
		nd_conns_free(t.conns);
		nd_socks_free(t.socks);
	}
	mark_read(&t);
	if (nd_stream_error(s) < 0)
		rc = nd_fail(e, nd_stream_error(s), "%s: %s", in->path,
			     strerror(-nd_stream_error(s)));
	else if (t.grouped == 0 && t.bad_line)
		rc = nd_fail(e, -EINVAL,
			     "%s:%llu: expected Recv-Q Send-Q Local:Port Peer:Port, found '%s'",
			     in->path, (unsigned long long)t.bad_line, t.bad);
	free(t.rows);
	return rc;
}

/* A header without Netid may be of UDP: only what TCP has tells. */
#define HEADER "*Recv-Q *Send-Q *Local Address*Peer Address*\n"
#define LIKE                                                                                       \
	"Netid *State *Recv-Q *Send-Q *\n\n" HEADER "LISTEN *\n\n" HEADER "TIME-WAIT *\n\n" HEADER \
	"CLOSE-WAIT *\n\n" HEADER "SYN-*\n\n" HEADER "FIN-WAIT*\n\n" HEADER                        \
	"LAST-ACK *\n\n" HEADER "tcp *\n\n" HEADER "* rto:[0-9]*\n\n" HEADER "*timer:(*\n\n"       \
	"LISTEN *[0-9] *[0-9] *:* *:*\n\n"                                                         \
	"tcp *[A-Z] *[0-9] *[0-9] *:* *:*\n\n"                                                     \
	"TIME-WAIT *[0-9] *[0-9] *:* *:*\n\n"                                                      \
	"[ELTFSC][ISYAL][A-Z-]* *[0-9] *[0-9] *:[0-9]* *:[0-9]* *timer:(*\n\n"                     \
	"* rto:[0-9]* *rtt:[0-9]*\n\nTCP: *[0-9] (estab [0-9]*, closed [0-9]*"

static const struct nd_read reads[] = {{"ss", 0, LIKE}, {0}};
const struct nd_collector nd_collector_ss;
const struct nd_collector nd_collector_ss = {
	.name = "ss",
	.doc = "TCP sockets as ss prints them: listeners, services and peers",
	.reads = reads,
	.facts = nd_sock_facts,
	.table = &nd_sock_table,
	.entities = {ND_NO_KIND},
	.parse = parse,
	.finish = nd_socks_finish,
};
