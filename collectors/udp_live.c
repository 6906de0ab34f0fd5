/* What live reading adds to /proc/net/udp: more samples of the queues, the receive buffers, and the
 * processes of the sockets that lose datagrams.
 *
 * A buffer's size is only in sock_diag (INET_DIAG_SKMEMINFO). Where asking would load the udp_diag
 * module it stays unknown, and the fact says so. */
#include "collectors/owners.h"
#include "collectors/sock_diag.h"
#include "collectors/udp.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/sock_diag.h>
#include <math.h>
#include <netinet/in.h>

#define TEXT_BYTES (1024u * 1024) /* of one file, about 8,000 sockets; the rest is not sampled */
#define PERIOD_MIN_NS (100 * 1000 * 1000ull)
#define COST 20 /* sampling takes at most one part in so many of the time */
#define SKMEM_RCVBUF 1 /* place of SK_MEMINFO_RCVBUF among the u32 of INET_DIAG_SKMEMINFO */
#define WANTS_MAX 256u
#define SOURCE "sock_diag(7), as ss -uanm shows it"

/* Both files as they stand now; false: neither could be read. */
static bool read_now(struct nd_live *l, struct nd_udp_list *out)
{
	static const char *const paths[] = {"/proc/net/udp", "/proc/net/udp6"};
	char *text = nd_alloc(TEXT_BYTES), *line;
	bool any = false;

	for (size_t i = 0; i < ND_ARRAY_LEN(paths); i++) {
		struct nd_stream *s;
		size_t len;

		if (nd_source_text(l->source, paths[i], text, TEXT_BYTES) != 0)
			continue;
		any = true;
		len = strlen(text);
		if (len < TEXT_BYTES - 1) /* whole: its last line was an ended one */
			text[len++] = '\n';
		s = nd_stream_mem(text, len);
		while ((line = nd_stream_line(s))) {
			struct nd_udp_socket one = {.rcvbuf = NAN}, *slot;

			if (nd_stream_unended(s) || !nd_udp_proc_line(line, &one))
				continue;
			slot = nd_udp_new(out);
			if (slot)
				*slot = one;
		}
		nd_stream_close(s);
	}
	free(text);
	return any;
}

static void sample(struct nd_live *l, struct nd_facts *f)
{
	const uint64_t start = nd_source_now(l->source);
	struct nd_udp_list list = {0};
	uint64_t took;

	l->in.t_ns = start;
	l->in.path = "/proc/net/udp";
	if (read_now(l, &list))
		nd_udp_put(&list, f, &l->in, ND_UDP_SAMPLE);
	nd_udp_free(&list);
	took = nd_source_now(l->source) - start;
	l->again_ns = took * COST > PERIOD_MIN_NS ? took * COST : PERIOD_MIN_NS;
}

/* ---- receive buffers ---- */

static int on_socket(const struct nlmsghdr *h, void *ctx)
{
	struct nd_udp_list *list = ctx;
	struct nd_udp_socket *slot;
	struct nd_sock s;
	struct nd_nl_iter it;
	struct nd_nl_attr a;
	uint32_t mem;
	size_t len;
	const void *msg = nd_nl_payload(h, sizeof(struct inet_diag_msg), &len);

	if (!msg || !nd_sock_from_diag(msg, len, &s))
		return 0;
	slot = nd_udp_new(list);
	if (!slot)
		return 0;
	slot->local = s.local;
	it = nd_nl_attrs(h, sizeof(struct inet_diag_msg));
	while (nd_nl_next(&it, &a))
		if (a.type == INET_DIAG_SKMEMINFO && a.len >= (SKMEM_RCVBUF + 1) * sizeof(mem)) {
			memcpy(&mem, (const char *)a.data + SKMEM_RCVBUF * sizeof(mem),
			       sizeof(mem));
			slot->rcvbuf = mem;
		}
	return 0;
}

static int dump(struct nd_udp_list *list, struct nd_err *e)
{
	static const uint8_t families[] = {AF_INET, AF_INET6};
	int rc;
	struct nd_nl *nl = nd_nl_open(NETLINK_SOCK_DIAG, &rc, e);

	for (size_t i = 0; nl && rc >= 0 && i < ND_ARRAY_LEN(families); i++) {
		struct inet_diag_req_v2 r = {
			.sdiag_family = families[i],
			.sdiag_protocol = IPPROTO_UDP,
			.idiag_ext = 1u << (INET_DIAG_SKMEMINFO - 1),
			.idiag_states = ~0u,
		};
		const struct nd_nl_request request = {SOCK_DIAG_BY_FAMILY, &r,	 sizeof(r),
						      on_socket,	   NULL, list};

		rc = nd_nl_dump(nl, &request, e);
	}
	nd_nl_close(nl);
	return rc;
}

static void buffers(struct nd_live *l, struct nd_facts *f)
{
	const struct nd_fact_def *fact = &nd_udp_facts[ND_UDP_RCVBUF];
	struct nd_udp_list list = {0};
	struct nd_err e = {""};

	l->in.path = SOURCE;
	if (nd_sock_would_autoload(l->source, "udp_diag")) {
		nd_fact_missing(f, fact, ND_NOT_ON_THIS_KERNEL,
				"udp_diag is not loaded: run ss -uanpm once, or give its output");
	} else if (dump(&list, &e) < 0) {
		nd_fact_missing(f, fact, ND_NOT_ON_THIS_KERNEL, "%s", e.msg);
	} else {
		nd_udp_put(&list, f, &l->in, 0);
	}
	nd_udp_free(&list);
}

/* ---- owners ---- */

static bool suspect(struct nd_facts *f, nd_id id)
{
	const nd_fact_id drops =
		nd_registry_find(nd_facts_registry(f), ND_SOCKET, nd_udp_facts[ND_UDP_DROPS].name);
	const struct nd_value v = nd_get(f, id, drops, ND_SEEN);

	return v.type == ND_V_NUMBER && v.num > 0;
}

static void owners(struct nd_live *l, struct nd_facts *f)
{
	struct nd_owner_want *w = nd_alloc(WANTS_MAX * sizeof(*w));
	struct nd_udp_list list = {0};
	uint32_t n = 0;

	read_now(l, &list);
	for (uint32_t i = 0; i < list.n && n < WANTS_MAX; i++) {
		char key[ND_SOCK_KEY_MAX], full[ND_SOCK_KEY_MAX + 8];
		nd_id id;

		nd_sock_key(&list.v[i].local, key);
		snprintf(full, sizeof(full), "udp/%s", key);
		id = nd_entity_find(f, ND_SOCKET, full);
		if (id == ND_NO_ENTITY || !list.v[i].inode || !suspect(f, id))
			continue;
		w[n++] = (struct nd_owner_want){
			.inode = list.v[i].inode,
			.entity = id,
			.relation = ND_SOCKET_PROCESSES,
		};
	}
	nd_owners_relate(l->source, f, &l->in, w, n);
	free(w);
	nd_udp_free(&list);
}

int nd_udp_live(struct nd_live *l, struct nd_facts *f, struct nd_err *e)
{
	(void)e;
	if (l->first && !l->between)
		buffers(l, f);
	if (l->last)
		owners(l, f);
	sample(l, f);
	return 0;
}
