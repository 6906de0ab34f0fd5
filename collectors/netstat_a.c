/* TCP sockets as netstat lists them: `netstat -ant`, `netstat -antp`, `netstat -ltn`, in the same groups as ss's.
 *
 *	Proto Recv-Q Send-Q Local Address           Foreign Address         State       PID/Program name
 *	tcp        0      0 0.0.0.0:80              0.0.0.0:*               LISTEN      812/nginx: master
 *	tcp6       1      0 10.0.0.7:8080           10.0.0.9:51234          CLOSE_WAIT  4711/java
 *
 * -o appends the timer, with the seconds left, retransmissions and probes: "on (0.20/3/0)", "probe (1.5/0/9)".
 * Recv-Q of a listener is the length of its accept queue, as in ss; the limit is not shown, Send-Q is always 0. BSD's
 * netstat -L has both, and what it prints for one is "waiting/incomplete/limit":
 *
 *	tcp4  193/0/128        *.80
 */
#include "collectors/collector.h"
#include "collectors/process.h"
#include "collectors/sock_conns.h"
#include "collectors/sock_text.h"

#include <errno.h>
#include <math.h>
#include <sys/socket.h>

#define QUEUE_NUMBERS 3

struct row {
	struct nd_sock s;
	uint64_t pid; /* 0: not shown */
	char comm[32];
};
struct text {
	const struct nd_input *in;
	struct nd_facts *f;
	struct row *rows;
	uint32_t n, cap;
	bool truncated;
	bool listeners, connections; /* the heading says that all of these are listed */
};

static const struct nd_read reads[] = {
	{"netstat", 0,
	 "*Recv-Q Send-Q *Local Address *Foreign Address*\n\ntcp* [0-9]* [0-9]* *:* *:* ESTABLISHED*\n\n"
	 "tcp* [0-9]* [0-9]* *:* *:* LISTEN*\n\ntcp* [0-9]*/[0-9]*/[0-9]* *.[0-9]*"},
	{NULL, 0},
};

static bool small(const char *word, uint32_t *out)
{
	uint64_t v;

	if (!word || !nd_parse_u64(word, 10, &v) || v > UINT32_MAX)
		return false;
	*out = (uint32_t)v;
	return true;
}

static struct nd_sock empty(enum nd_tcp_state state)
{
	struct nd_sock s = {.state = state};

	for (unsigned i = 0; i < ND_SOCK_VALUES; i++)
		s.v[i] = NAN;
	return s;
}

/* "812/nginx: master", "4711/java"; "-" where it may not be seen. */
static void owner_of(struct row *r, const char *word)
{
	const size_t digits = word ? strspn(word, "0123456789") : 0;
	char pid[16];

	if (digits == 0 || word[digits] != '/' || digits >= sizeof(pid))
		return;
	memcpy(pid, word, digits);
	pid[digits] = '\0';
	if (!nd_parse_u64(pid, 10, &r->pid))
		return;
	snprintf(r->comm, sizeof(r->comm), "%.*s", (int)strcspn(word + digits + 1, ":"),
		 word + digits + 1);
}

/* "on (0.20/3/0)": the word and the one behind it. */
static void timer_of(struct nd_sock *s, const char *name, char *numbers)
{
	static const struct {
		const char *name;
		enum nd_sock_timer timer;
	} names[] = {
		{"off", ND_ST_NONE},
		{"on", ND_ST_RETRANSMIT},
		{"keepalive", ND_ST_KEEPALIVE},
		{"timewait", ND_ST_TIMEWAIT},
		{"probe", ND_ST_PERSIST},
	};
	double v[QUEUE_NUMBERS]; /* seconds left, retransmissions, probes */

	for (unsigned i = 0; i < QUEUE_NUMBERS; i++) {
		const char *word = nd_split(&numbers, "(/)");

		if (!word || !nd_parse_f64(word, &v[i]))
			return;
	}
	for (unsigned i = 0; i < ND_ARRAY_LEN(names); i++) {
		enum nd_sock_timer timer = names[i].timer;

		if (strcmp(name, names[i].name) != 0)
			continue;
		s->v[ND_SV_TIMER] = timer;
		s->v[ND_SV_RETRIES] =
			timer == ND_ST_NONE ? 0 : v[timer == ND_ST_RETRANSMIT ? 1 : 2];
		if (timer != ND_ST_NONE)
			s->v[ND_SV_TIMER_LEFT] = v[0];
	}
}

/* -e puts user and inode before the owner, -o the timer behind it. */
static void rest_of(struct row *r, char *line)
{
	const char *before = "";
	char *word;

	while ((word = nd_word(&line))) {
		if (*word == '(')
			timer_of(&r->s, before, word);
		else if (r->pid == 0)
			owner_of(r, word);
		before = word;
	}
}

/* The columns behind the protocol. */
static bool socket_of(struct text *t, char *line, struct row *r)
{
	const char *recv_q = nd_word(&line), *send_q = nd_word(&line), *state;
	char *local = nd_word(&line), *remote = nd_word(&line);
	bool modern = true; /* "*" does not stand for IPv4 alone */
	struct nd_sock s;

	state = nd_word(&line);
	if (!state)
		return false;
	s = empty(nd_tcp_state_named(state, strlen(state)));
	if (s.state == ND_TCP_UNKNOWN || !small(recv_q, &s.rqueue) || !small(send_q, &s.wqueue) ||
	    !nd_sock_text_address(t->f, local, &modern, &s.local) ||
	    !nd_sock_text_address(t->f, remote, &modern, &s.remote))
		return false;
	s.no_limit = s.state == ND_TCP_LISTEN;
	*r = (struct row){.s = s};
	rest_of(r, line);
	return true;
}

/* "193/0/128  *.80" behind BSD's protocol. */
static bool bsd_queue(struct text *t, char *line, struct row *r)
{
	char *numbers = nd_word(&line), *local = nd_word(&line), *dot;
	uint32_t v[QUEUE_NUMBERS];
	bool modern = false; /* "*" is any IPv4 address */

	if (!numbers || !local)
		return false;
	for (unsigned i = 0; i < QUEUE_NUMBERS; i++)
		if (!small(nd_split(&numbers, "/"), &v[i]))
			return false;
	dot = strrchr(local, '.');
	if (!dot || *nd_trim(numbers))
		return false;
	*dot = ':';
	*r = (struct row){.s = empty(ND_TCP_LISTEN)};
	r->s.rqueue = v[0];
	r->s.wqueue = v[2];
	return nd_sock_text_address(t->f, local, &modern, &r->s.local);
}

static void keep(struct text *t, const struct row *r)
{
	if (t->n >= ND_SOCKS_MAX) {
		t->truncated = true;
		return;
	}
	ND_GROW(t->rows, t->n, t->cap);
	t->rows[t->n++] = *r;
}

static void one_line(struct text *t, char *line)
{
	char *rest = line, *copy;
	const char *proto = nd_word(&rest);
	struct row r;

	if (!proto || !nd_starts(proto, "tcp") || strlen(proto) > strlen("tcp46"))
		return;
	copy = nd_strdup(rest);
	if (socket_of(t, rest, &r) || bsd_queue(t, copy, &r))
		keep(t, &r);
	free(copy);
}

/* "Active Internet connections (w/o servers)", "(only servers)", "(servers and established)". */
static void heading(struct text *t, const char *line)
{
	if (!strstr(line, "Active Internet connections"))
		return;
	t->listeners |= strstr(line, "servers") && !strstr(line, "w/o");
	t->connections |= !strstr(line, "only servers");
}

static void relate_owner(const struct text *t, const struct row *r, nd_id to)
{
	static const enum nd_relation by_kind[ND_KINDS] = {
		[ND_LISTENER] = ND_LISTENER_PROCESSES,
		[ND_SERVICE] = ND_SERVICE_PROCESSES,
		[ND_PEER] = ND_PEER_PROCESSES,
	};
	nd_id p;

	if (to == ND_NO_ENTITY || r->pid == 0)
		return;
	p = nd_entity_num(t->f, ND_PROCESS, r->pid);
	nd_put_text(t->f, p, &nd_process_facts[ND_P_COMM], r->comm, t->in);
	nd_relate(t->f, p, ND_PROCESS_NETNS, nd_entity(t->f, ND_NETNS, t->in->netns));
	nd_relate(t->f, to, by_kind[nd_entity_kind(t->f, to)], p);
}

/* Listeners first, in the groups and in the counts. */
static void put_all(struct text *t)
{
	struct nd_socks *k = nd_socks_new(t->in->netns);
	struct nd_conns *c = nd_conns_new();
	bool listeners = nd_conns_known(c, t->f, t->in) > 0;

	nd_socks_begin(k, t->in, true);
	for (uint32_t i = 0; i < t->n; i++)
		if (t->rows[i].s.state == ND_TCP_LISTEN) {
			relate_owner(t, &t->rows[i], nd_socks_add(k, t->f, &t->rows[i].s));
			nd_conns_add(c, &t->rows[i].s);
			listeners = true;
		}
	if (!listeners)
		nd_socks_guess(k);
	for (uint32_t i = 0; i < t->n && !listeners; i++)
		nd_conns_guess(c, &t->rows[i].s);
	for (uint32_t i = 0; i < t->n; i++)
		if (t->rows[i].s.state != ND_TCP_LISTEN) {
			relate_owner(t, &t->rows[i], nd_socks_add(k, t->f, &t->rows[i].s));
			nd_conns_add(c, &t->rows[i].s);
		}
	nd_socks_end(k, t->f);
	nd_socks_last(k, t->f, t->in);
	nd_conns_put(c, t->f, t->in, false);
	nd_conns_free(c);
	nd_socks_free(k);
}

/* An empty list is an answer too. */
static void mark_read(const struct text *t)
{
	bool connections = t->connections;

	for (uint32_t i = 0; i < t->n; i++)
		connections |= t->rows[i].s.state != ND_TCP_LISTEN;
	if (t->listeners)
		nd_kind_read(t->f, ND_LISTENER);
	if (connections) {
		nd_kind_read(t->f, ND_SERVICE);
		nd_kind_read(t->f, ND_PEER);
	}
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	struct text t = {.in = in, .f = f};
	char *line;
	int rc;

	while ((line = nd_stream_line(s))) {
		heading(&t, line);
		one_line(&t, line);
	}
	if (t.n)
		put_all(&t);
	mark_read(&t);
	if (t.truncated) {
		nd_kind_missing(f, ND_PEER, ND_BUDGET, "%s: more than %u sockets", in->path,
				ND_SOCKS_MAX);
		nd_kind_missing(f, ND_SERVICE, ND_BUDGET, "%s: more than %u sockets", in->path,
				ND_SOCKS_MAX);
	}
	free(t.rows);
	rc = nd_stream_error(s);
	return rc ? nd_fail(e, rc, "%s: %s", in->path, strerror(-rc))
		  : 0; /* netstat has other outputs */
}

const struct nd_collector nd_collector_netstat_a = {
	.name = "netstat_a",
	.doc = "TCP sockets as netstat lists them: listeners, services and peers",
	.reads = reads,
	.facts = nd_conn_facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
};
