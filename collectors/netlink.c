/* Dumps over netlink.
 *
 * The messages of a buffer are walked by a function of their own that knows no socket, so that
 * bytes which no kernel would send can be tried on it. A socket whose dump was left half-read
 * cannot be used again (the kernel answers EBUSY, and its remaining answers would be taken for
 * those of the next one), so it is shut. */
#include "collectors/netlink.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define TRIES 3 /* dumps, until one was not disturbed by what came or went */

#define BUFFER_BYTES                                                                               \
	(256u * 1024) /* the kernel fills at most 32 KiB at once unless one message is larger */
#define ANSWER_SECONDS 1
#define REQUEST_BYTES 4096

struct nd_nl {
	int fd; /* -1: shut */
	uint32_t seq;
	char *buf;
};

struct nd_nl *nd_nl_open(int protocol, int *rc, struct nd_err *e)
{
	const struct timeval patience = {.tv_sec = ANSWER_SECONDS};
	const int bytes = BUFFER_BYTES;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
	struct nd_nl *nl;

	if (fd < 0) {
		int err = errno;

		if (rc)
			*rc = -err;
		nd_fail(e, -err, "netlink socket of protocol %d: %s", protocol, strerror(err));
		return NULL;
	}
	/* Both only make it better: a dump that would block for ever does not exist in any kernel
	 * that we know. */
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	nl = nd_alloc(sizeof(*nl));
	nl->fd = fd;
	nl->buf = nd_alloc(BUFFER_BYTES);
	if (rc)
		*rc = 0;
	return nl;
}

static void shut(struct nd_nl *nl)
{
	if (nl->fd >= 0)
		close(nl->fd);
	nl->fd = -1;
}

void nd_nl_close(struct nd_nl *nl)
{
	if (!nl)
		return;
	shut(nl);
	free(nl->buf);
	free(nl);
}

/* ---- messages ---- */

/* The errno at the start of NLMSG_ERROR and (since 2.6.35 or so) of NLMSG_DONE: 0 or negative. */
static int message_error(const char *data, size_t len)
{
	int32_t code = 0;

	if (len >= sizeof(code))
		memcpy(&code, data, sizeof(code));
	return code < 0 && code > -4096 ? code : 0;
}

/* One message: 0 go on, 1 the dump ends, or negative errno. */
static int walk_one(const struct nlmsghdr *h, struct nd_nl_walk *w)
{
	const char *data = (const char *)h + NLMSG_HDRLEN;
	size_t len = h->nlmsg_len - NLMSG_HDRLEN;
	int rc;

	if (h->nlmsg_seq != w->seq)
		return 0;
	if (h->nlmsg_flags & NLM_F_DUMP_INTR)
		w->changed = true;
	switch (h->nlmsg_type) {
	case NLMSG_NOOP: return 0;
	case NLMSG_OVERRUN: return -ENOBUFS;
	case NLMSG_ERROR:
	case NLMSG_DONE:
		if (h->nlmsg_type == NLMSG_ERROR && len < sizeof(int32_t))
			return -EBADMSG;
		rc = message_error(data, len);
		w->refused = rc < 0;
		return rc < 0 ? rc : 1;
	default: /* a type of the protocol */ rc = w->fn(h, w->ctx); return rc < 0 ? rc : 0;
	}
}

int nd_nl_walk(const void *buf, size_t len, struct nd_nl_walk *w)
{
	const char *at = buf;

	while (len >= NLMSG_HDRLEN) {
		const struct nlmsghdr *h = (const struct nlmsghdr *)(const void *)at;
		size_t step;
		int rc;

		if (h->nlmsg_len < NLMSG_HDRLEN || h->nlmsg_len > len)
			return -EBADMSG;
		rc = walk_one(h, w);
		if (rc != 0)
			return rc;
		step = NLMSG_ALIGN((size_t)h->nlmsg_len);
		if (step >= len)
			return 0;
		at += step;
		len -= step;
	}
	return len ? -EBADMSG : 0;
}

/* ---- dumps ---- */

static int send_request(struct nd_nl *nl, uint16_t type, const void *payload, size_t len)
{
	struct nlmsghdr *h = (struct nlmsghdr *)(void *)nl->buf;
	const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	size_t all = NLMSG_HDRLEN + len;
	ssize_t n;

	if (len > REQUEST_BYTES)
		return -EMSGSIZE;
	memset(h, 0, NLMSG_HDRLEN);
	h->nlmsg_len = (uint32_t)all;
	h->nlmsg_type = type;
	h->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	h->nlmsg_seq = ++nl->seq;
	if (len)
		memcpy(nl->buf + NLMSG_HDRLEN, payload, len);
	do {
		n = sendto(nl->fd, nl->buf, all, 0, (const struct sockaddr *)&kernel,
			   sizeof(kernel));
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

/* One datagram of the kernel's into the buffer: its length, or negative errno. */
static ssize_t receive(struct nd_nl *nl)
{
	for (;;) {
		struct sockaddr_nl from = {0};
		socklen_t size = sizeof(from);
		ssize_t n = recvfrom(nl->fd, nl->buf, BUFFER_BYTES, MSG_TRUNC,
				     (struct sockaddr *)&from, &size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN || errno == EWOULDBLOCK ? -ETIMEDOUT : -errno;
		if (size != sizeof(from) || from.nl_pid != 0) /* not from the kernel */
			continue;
		if (n == 0)
			return -EBADMSG;
		return (size_t)n > BUFFER_BYTES ? -EMSGSIZE : n;
	}
}

int nd_nl_dump(struct nd_nl *nl, const struct nd_nl_request *r, struct nd_err *e)
{
	struct nd_nl_walk w = {.fn = r->fn, .ctx = r->ctx};
	struct nd_err before = {""};
	int rc;

	if (nl->fd < 0)
		return nd_fail(e, -EBADF, "netlink: the socket is shut after a dump that failed");
	if (e) {
		before = *e;
		e->msg[0] = '\0';
	}
	rc = send_request(nl, r->type, r->payload, r->len);
	w.seq = nl->seq;
	while (rc == 0) {
		ssize_t n = receive(nl);

		rc = n < 0 ? (int)n : nd_nl_walk(nl->buf, (size_t)n, &w);
	}
	if (rc > 0) {
		if (e)
			*e = before;
		return w.changed ? ND_NL_CHANGED : ND_NL_WHOLE;
	}
	if (!w.refused)
		shut(nl);
	if (e && !e->msg[0]) /* else the callback has said it */
		nd_fail(e, rc, "netlink dump of type %u: %s", r->type, strerror(-rc));
	return rc;
}

int nd_nl_dump_calm(struct nd_nl **nl, int protocol, const struct nd_nl_request *r,
		    struct nd_err *e)
{
	int rc = 0;

	if (!*nl)
		*nl = nd_nl_open(protocol, &rc, e);
	if (!*nl)
		return rc;
	rc = ND_NL_CHANGED;
	for (int i = 0; i < TRIES && rc == ND_NL_CHANGED; i++) {
		r->forget(r->ctx);
		rc = nd_nl_dump(*nl, r, e);
	}
	if (rc < 0) {
		nd_nl_close(*nl);
		*nl = NULL;
	}
	return rc;
}

const void *nd_nl_payload(const struct nlmsghdr *h, size_t n, size_t *len)
{
	size_t have = h->nlmsg_len < NLMSG_HDRLEN ? 0 : h->nlmsg_len - NLMSG_HDRLEN;

	if (have < n)
		return NULL;
	if (len)
		*len = have;
	return (const char *)h + NLMSG_HDRLEN;
}

/* ---- attributes ---- */

struct nd_nl_iter nd_nl_iter(const void *data, size_t len)
{
	return (struct nd_nl_iter){.at = data, .left = len};
}

struct nd_nl_iter nd_nl_attrs(const struct nlmsghdr *h, size_t skip)
{
	size_t len = 0;
	const char *data;

	skip = NLMSG_ALIGN(skip);
	data = nd_nl_payload(h, skip, &len);
	return data ? nd_nl_iter(data + skip, len - skip) : nd_nl_iter("", 0);
}

struct nd_nl_iter nd_nl_nested(const struct nd_nl_attr *a)
{
	return nd_nl_iter(a->data, a->len);
}

bool nd_nl_next(struct nd_nl_iter *it, struct nd_nl_attr *a)
{
	struct nlattr h;
	size_t step;

	if (it->left < NLA_HDRLEN)
		return false;
	memcpy(&h, it->at, sizeof(h));
	if (h.nla_len < NLA_HDRLEN || h.nla_len > it->left) {
		it->left = 0;
		return false;
	}
	a->type = h.nla_type & NLA_TYPE_MASK;
	a->data = it->at + NLA_HDRLEN;
	a->len = h.nla_len - (size_t)NLA_HDRLEN;
	step = NLA_ALIGN((size_t)h.nla_len);
	if (step > it->left) /* the last one may lack its padding */
		step = it->left;
	it->at += step;
	it->left -= step;
	return true;
}

static bool number(const struct nd_nl_attr *a, void *out, size_t size)
{
	if (a->len < size)
		return false;
	memcpy(out, a->data, size);
	return true;
}

bool nd_nl_u8(const struct nd_nl_attr *a, uint8_t *out)
{
	return number(a, out, sizeof(*out));
}

bool nd_nl_u32_at(const struct nd_nl_attr *a, size_t offset, uint32_t *out)
{
	if (!a->data || offset > a->len || a->len - offset < sizeof(*out))
		return false;
	memcpy(out, (const char *)a->data + offset, sizeof(*out));
	return true;
}

bool nd_nl_u32(const struct nd_nl_attr *a, uint32_t *out)
{
	return number(a, out, sizeof(*out));
}

bool nd_nl_u64(const struct nd_nl_attr *a, uint64_t *out)
{
	return number(a, out, sizeof(*out));
}

bool nd_nl_text(const struct nd_nl_attr *a, char *out, size_t size)
{
	size_t n = a->len ? strnlen(a->data, a->len) : 0;

	if (n == 0 || n >= size)
		return false;
	memcpy(out, a->data, n);
	out[n] = '\0';
	return true;
}
