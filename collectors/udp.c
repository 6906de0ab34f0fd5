/* /proc/net/udp and udp6: every UDP socket with its queue and its drops, on any kernel.
 *
 *   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode …
 *  466: 00000000:0035 00000000:0000 07 00000000:00000000 00:00000000 00000000   101        0 18334 …
 *
 * (… ref pointer drops). An address is 32-bit words in the machine's byte order, in hexadecimal;
 * "rx_queue" is the memory that the queued datagrams take, which is what the kernel compares with
 * the receive buffer. How large that buffer is, only sock_diag tells (udp_live.c). */
#include "collectors/udp.h"
#include "collectors/process.h"

#include <errno.h>
#include <math.h>
#include <sys/socket.h>

#define SHOW "ss -uanpm"

const struct nd_fact_def nd_udp_facts[] = {
	[ND_UDP_PROTO] = {.name = "proto",
			  .on = ND_SOCKET,
			  .type = ND_T_TEXT,
			  .doc = "protocol of the socket",
			  .reproduce = SHOW},
	[ND_UDP_ADDRESS] = {.name = "address",
			    .on = ND_SOCKET,
			    .type = ND_T_TEXT,
			    .doc = "local address and port",
			    .reproduce = SHOW},
	[ND_UDP_PORT] = {.name = "port",
			 .on = ND_SOCKET,
			 .type = ND_T_NUMBER,
			 .unit = ND_U_COUNT,
			 .doc = "local port",
			 .reproduce = SHOW},
	[ND_UDP_MEMBERS] = {.name = "members",
			    .on = ND_SOCKET,
			    .type = ND_T_NUMBER,
			    .unit = ND_U_COUNT,
			    .doc = "sockets that share this local address, as with SO_REUSEPORT",
			    .reproduce = SHOW},
	[ND_UDP_RCVBUF] =
		{.name = "rcvbuf",
		 .on = ND_SOCKET,
		 .type = ND_T_NUMBER,
		 .unit = ND_U_BYTES,
		 .doc = "receive buffer, twice what SO_RCVBUF asked for; the smallest of its sockets",
		 .reproduce = SHOW " (field rb)"},
	[ND_UDP_QUEUE] =
		{.name = "queue",
		 .on = ND_SOCKET,
		 .type = ND_T_NUMBER,
		 .unit = ND_U_BYTES,
		 .width = ND_SAMPLED,
		 .doc = "memory of the datagrams that wait to be read, in the fullest of its sockets",
		 .reproduce = SHOW " (Recv-Q)"},
	[ND_UDP_DROPS] =
		{.name = "drops",
		 .on = ND_SOCKET,
		 .type = ND_T_NUMBER,
		 .unit = ND_U_COUNT,
		 .width = ND_COUNTER64,
		 .doc = "datagrams dropped at its sockets since they were opened, mostly for a full receive buffer",
		 .reproduce = SHOW " (field d)"},
	[ND_UDP_FACTS] = {.name = NULL},
};

/* ---- the list ---- */

struct nd_udp_socket *nd_udp_new(struct nd_udp_list *l)
{
	struct nd_udp_socket *s;

	if (l->n >= ND_UDP_SOCKETS_MAX) {
		l->truncated = true;
		return NULL;
	}
	ND_GROW(l->v, l->n, l->cap);
	s = &l->v[l->n++];
	*s = (struct nd_udp_socket){.queue = NAN, .rcvbuf = NAN, .drops = NAN};
	return s;
}

void nd_udp_free(struct nd_udp_list *l)
{
	free(l->v);
	*l = (struct nd_udp_list){0};
}

static int by_name(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int by_address(const void *a, const void *b)
{
	const struct nd_sock_addr *x = &((const struct nd_udp_socket *)a)->local;
	const struct nd_sock_addr *y = &((const struct nd_udp_socket *)b)->local;
	int d = (int)x->port - (int)y->port;

	if (!d)
		d = (int)x->family - (int)y->family;
	if (!d)
		d = memcmp(x->ip, y->ip, sizeof(x->ip));
	if (!d)
		d = by_name(x->name, y->name);
	return d ? d : by_name(x->port_name, y->port_name);
}

/* ---- facts ---- */

static bool bigger(double a, double b)
{
	return isnan(b) || a > b; /* NaN itself is bigger than nothing */
}

/* All sockets of one address as one. */
static struct nd_udp_socket merged(const struct nd_udp_socket *v, uint32_t n)
{
	struct nd_udp_socket all = v[0];

	for (uint32_t i = 1; i < n; i++) {
		if (bigger(v[i].queue, all.queue))
			all.queue = v[i].queue;
		if (bigger(all.rcvbuf, v[i].rcvbuf) && !isnan(v[i].rcvbuf))
			all.rcvbuf = v[i].rcvbuf;
		all.drops += v[i].drops; /* one unknown makes the sum unknown */
	}
	return all;
}

static void put_owners(const struct nd_udp_socket *v, uint32_t n, nd_id to, struct nd_facts *f,
		       const struct nd_input *in)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < v[i].n_owners; k++) {
			const nd_id p = nd_entity_num(f, ND_PROCESS, v[i].owners[k].pid);

			nd_put_text(f, p, &nd_process_facts[ND_P_COMM], v[i].owners[k].comm, in);
			nd_relate(f, p, ND_PROCESS_NETNS, nd_entity(f, ND_NETNS, in->netns));
			nd_relate(f, to, ND_SOCKET_PROCESSES, p);
		}
}

static void put_address(const struct nd_sock_addr *a, nd_id id, const char *key, struct nd_facts *f,
			const struct nd_input *in)
{
	nd_put_text(f, id, &nd_udp_facts[ND_UDP_PROTO], "udp", in);
	nd_put_text(f, id, &nd_udp_facts[ND_UDP_ADDRESS], key, in);
	if (a->port)
		nd_put_num(f, id, &nd_udp_facts[ND_UDP_PORT], a->port, in);
	else
		nd_put_missing(f, id, &nd_udp_facts[ND_UDP_PORT], ND_PARSE_ERROR,
			       "%s: the port is a name", in->path);
	nd_relate(f, id, ND_SOCKET_NETNS, nd_entity(f, ND_NETNS, in->netns));
}

static void put_group(const struct nd_udp_socket *v, uint32_t n, struct nd_facts *f,
		      const struct nd_input *in, unsigned what)
{
	const struct nd_udp_socket all = merged(v, n);
	char key[ND_SOCK_KEY_MAX], full[ND_SOCK_KEY_MAX + 8];
	nd_id id;

	nd_sock_key(&all.local, key);
	snprintf(full, sizeof(full), "udp/%s", key);
	id = nd_entity_in(f, ND_SOCKET, full, in->netns);
	put_address(&all.local, id, key, f, in);
	if (!isnan(all.queue) && (what & ND_UDP_SAMPLE))
		nd_put_num(f, id, &nd_udp_facts[ND_UDP_QUEUE], all.queue, in);
	if (!isnan(all.rcvbuf))
		nd_put_num(f, id, &nd_udp_facts[ND_UDP_RCVBUF], all.rcvbuf, in);
	if (!(what & ND_UDP_MOMENT))
		return;
	nd_put_num(f, id, &nd_udp_facts[ND_UDP_MEMBERS], n, in);
	if (!isnan(all.drops))
		nd_put_reading(f, id, &nd_udp_facts[ND_UDP_DROPS], (uint64_t)all.drops, in);
	put_owners(v, n, id, f, in);
}

static uint32_t group_end(const struct nd_udp_list *l, uint32_t from)
{
	uint32_t end = from + 1;

	while (end < l->n && by_address(&l->v[from], &l->v[end]) == 0)
		end++;
	return end;
}

void nd_udp_put(struct nd_udp_list *l, struct nd_facts *f, const struct nd_input *in, unsigned what)
{
	uint32_t room = ND_UDP_ENTITIES_MAX;

	if (l->n)
		qsort(l->v, l->n, sizeof(*l->v), by_address);
	for (int idle = 0; idle <= 1; idle++)
		for (uint32_t i = 0, end; i < l->n; i = end) {
			struct nd_udp_socket all;

			end = group_end(l, i);
			all = merged(&l->v[i], end - i);
			if ((all.drops > 0 || all.queue > 0) == idle || !room)
				continue;
			room--;
			put_group(&l->v[i], end - i, f, in, what);
		}
	if (l->truncated)
		nd_kind_missing(f, ND_SOCKET, ND_BUDGET, "%s: more than %u sockets", in->path,
				ND_UDP_SOCKETS_MAX);
}

/* ---- /proc/net/udp ---- */

/* 8 or 32 hexadecimal digits: one or four words in the machine's byte order. */
static bool parse_ip(const char *hex, struct nd_sock_addr *out)
{
	const size_t len = strlen(hex);

	if (len != 8 && len != 32)
		return false;
	out->family = len == 8 ? AF_INET : AF_INET6;
	for (size_t i = 0; i < len / 8; i++) {
		char word[9];
		uint64_t v;
		uint32_t narrow;

		memcpy(word, hex + i * 8, 8);
		word[8] = '\0';
		if (!nd_parse_u64(word, 16, &v))
			return false;
		narrow = (uint32_t)v;
		memcpy(out->ip + i * 4, &narrow, 4);
	}
	return true;
}

static bool parse_local(char *word, struct nd_sock_addr *out)
{
	char *colon = strchr(word, ':');
	uint64_t port;

	if (!colon)
		return false;
	*colon = '\0';
	if (!parse_ip(word, out) || !nd_parse_u64(colon + 1, 16, &port) || port > UINT16_MAX)
		return false;
	out->port = (uint16_t)port;
	return true;
}

/* Older kernels print the count with a sign. */
static double parse_drops(const char *word)
{
	int64_t v;

	return word && nd_parse_i64(word, &v) ? (double)(uint32_t)v : NAN;
}

enum { W_SL, W_LOCAL, W_REMOTE, W_STATE, W_QUEUES, W_INODE = 9, W_DROPS = 12, W_MAX };

bool nd_udp_proc_line(char *line, struct nd_udp_socket *out)
{
	char *w[W_MAX], *word, *rx;
	uint64_t v;
	uint32_t n = 0;

	while (n < W_MAX && (word = nd_word(&line)))
		w[n++] = word;
	if (n <= W_INODE || !nd_ends(w[W_SL], ":") || !parse_local(w[W_LOCAL], &out->local))
		return false;
	rx = strchr(w[W_QUEUES], ':');
	if (!rx || !nd_parse_u64(rx + 1, 16, &v))
		return false;
	out->queue = (double)v;
	if (nd_parse_u64(w[W_INODE], 10, &v))
		out->inode = v;
	out->drops = parse_drops(n > W_DROPS ? w[W_DROPS] : NULL);
	return true;
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	struct nd_udp_list l = {0};
	bool header = false;
	char *line;
	int rc;

	while ((line = nd_stream_line(s))) {
		struct nd_udp_socket one = {.rcvbuf = NAN}, *slot;

		header |= strstr(line, "local_address") != NULL;
		if (nd_stream_unended(s) || !nd_udp_proc_line(line, &one))
			continue; /* of a line that was cut, the last number may be wrong */
		slot = nd_udp_new(&l);
		if (slot)
			*slot = one;
	}
	rc = nd_stream_error(s);
	if (rc)
		nd_fail(e, rc, "%s: %s", in->path, strerror(-rc));
	else if (!l.n && !header)
		rc = nd_parse_fail(in, s, e, "a header with 'local_address', or a socket", "none");
	if (!rc) {
		nd_kind_read(f, ND_SOCKET);
		nd_udp_put(&l, f, in, ND_UDP_SAMPLE | ND_UDP_MOMENT);
	}
	nd_udp_free(&l);
	return rc;
}

static const struct nd_read reads[] = {
	{"/proc/net/udp", ND_READ_NETNS, "*sl  local_address*rx_queue*drops*\n*: ????????:???? *"},
	{"/proc/net/udp6", ND_READ_NETNS,
	 "*sl  local_address*rx_queue*drops*\n*: ????????????????????????????????:???? *"},
	{NULL, 0, NULL},
};
const struct nd_collector nd_collector_udp;
const struct nd_collector nd_collector_udp = {
	.name = "udp",
	.doc = "UDP sockets of /proc/net: what waits to be read, and what was dropped",
	.collect = "ss -uanmp",
	.reads = reads,
	.facts = nd_udp_facts,
	.entities = {ND_SOCKET, ND_NO_KIND},
	.parse = parse,
	.live = nd_udp_live,
};
