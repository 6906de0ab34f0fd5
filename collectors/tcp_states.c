/* Counts of TCP connections by state; see tcp_states.h. */
#include "collectors/tcp_states.h"

#include <string.h>

#define FACT(state, text)                                                                          \
	{                                                                                          \
		.name = "tcp.states." state, .on = ND_NETNS, .type = ND_T_NUMBER,                  \
		.unit = ND_U_COUNT, .width = ND_GAUGE, .doc = (text),                              \
		.reproduce = "ss -Hant | awk '{ n[$1]++ } END { for (s in n) print s, n[s] }'"     \
	}
const struct nd_fact_def nd_tcp_state_facts[] = {
	FACT("established", "established TCP connections"),
	FACT("syn_sent", "connections opened from here whose SYN has no answer yet"),
	FACT("syn_recv",
	     "half-open connections: this host waits for the last ACK of the handshake"),
	FACT("fin_wait1", "closed here, and the peer has not acknowledged it"),
	FACT("fin_wait2", "closed here, and the peer has not closed its side"),
	FACT("time_wait", "connections in TIME_WAIT: closed, and the port rests for a minute"),
	FACT("close_wait", "closed by the peer, and the program here has not closed its side"),
	FACT("last_ack", "closed on both sides, and the peer has not acknowledged the last FIN"),
	FACT("listen", "listening TCP sockets"),
	FACT("closing", "closed on both sides at the same time"),
	{.name = NULL},
};

/* The fact of a state, or -1: a closed socket is none that counts. */
static int fact_of(enum nd_tcp_state state)
{
	switch (state) {
	case ND_TCP_ESTABLISHED: return 0;
	case ND_TCP_SYN_SENT: return 1;
	case ND_TCP_SYN_RECV: return 2;
	case ND_TCP_FIN_WAIT1: return 3;
	case ND_TCP_FIN_WAIT2: return 4;
	case ND_TCP_TIME_WAIT: return 5;
	case ND_TCP_CLOSE_WAIT: return 6;
	case ND_TCP_LAST_ACK: return 7;
	case ND_TCP_LISTEN: return 8;
	case ND_TCP_CLOSING: return 9;
	case ND_TCP_UNKNOWN:
	case ND_TCP_CLOSE: return -1;
	}
	return -1;
}

static const struct {
	const char *name; /* without dashes */
	enum nd_tcp_state state;
} names[] = {
	{"ESTAB", ND_TCP_ESTABLISHED},	   {"ESTABLISHED", ND_TCP_ESTABLISHED},
	{"VERBUNDEN", ND_TCP_ESTABLISHED}, /* netstat in German, which leaves the others */
	{"SYNSENT", ND_TCP_SYN_SENT},	   {"SYNRECV", ND_TCP_SYN_RECV},
	{"SYNRCVD", ND_TCP_SYN_RECV},	   {"SYNRECEIVED", ND_TCP_SYN_RECV},
	{"FINWAIT1", ND_TCP_FIN_WAIT1},	   {"FINWAIT2", ND_TCP_FIN_WAIT2},
	{"TIMEWAIT", ND_TCP_TIME_WAIT},	   {"CLOSEWAIT", ND_TCP_CLOSE_WAIT},
	{"LASTACK", ND_TCP_LAST_ACK},	   {"LISTEN", ND_TCP_LISTEN},
	{"LISTENING", ND_TCP_LISTEN},	   {"CLOSING", ND_TCP_CLOSING},
	{"CLOSED", ND_TCP_CLOSE},	   {"CLOSE", ND_TCP_CLOSE},
	{"UNCONN", ND_TCP_CLOSE},
};

enum nd_tcp_state nd_tcp_state_named(const char *s, size_t n)
{
	char plain[16];
	size_t len = 0;

	if (n > 2 && s[0] == '(' && s[n - 1] == ')') { /* lsof */
		s++;
		n -= 2;
	}
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '-' || s[i] == '_')
			continue;
		if (len + 1 >= sizeof(plain))
			return ND_TCP_UNKNOWN;
		plain[len++] = s[i];
	}
	plain[len] = '\0';
	for (size_t i = 0; i < ND_ARRAY_LEN(names); i++)
		if (strcmp(names[i].name, plain) == 0)
			return names[i].state;
	return ND_TCP_UNKNOWN;
}

/* Same output at another moment? Paths are compared without "@SECONDS" and what is behind it. */
static bool same_series(const char *a, const char *b)
{
	const size_t n = strcspn(a, "@");

	return n == strcspn(b, "@") && strncmp(a, b, n) == 0;
}

void nd_tcp_states_put(struct nd_facts *f, const struct nd_tcp_states *c, const struct nd_input *in)
{
	const nd_id ns = nd_entity(f, ND_NETNS, in->netns);

	for (int state = 0; state < ND_TCP_STATES; state++) {
		const int fact = fact_of((enum nd_tcp_state)state);
		const char *name = fact < 0 ? "" : nd_tcp_state_facts[fact].name;
		const nd_fact_id id = nd_registry_find(nd_facts_registry(f), ND_NETNS, name);

		if (id < 0 || (!c->seen[state] && !c->whole))
			continue;
		if (nd_get(f, ns, id, ND_BARE).type == ND_V_NUMBER &&
		    !same_series(nd_get_source(f, ns, id), in->path))
			continue;
		nd_put_num(f, ns, &nd_tcp_state_facts[fact], (double)c->n[state], in);
	}
}
