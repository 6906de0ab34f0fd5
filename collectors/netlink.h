/* Dumps over netlink: one request, many answers, each attribute bounds-checked.
 *
 * Written by hand because libmnl has no static library, and we need no more than dumps: a request
 * that the kernel answers with messages up to NLMSG_DONE. Sending one never changes anything. */
#ifndef ND_NETLINK_H
#define ND_NETLINK_H

#include "engine/core/base.h"

#include <linux/netlink.h>

struct nd_nl;

/* A socket of a netlink protocol (NETLINK_ROUTE, NETLINK_SOCK_DIAG, …) in the calling thread's
 * network namespace. NULL with e filled when the kernel has none (rc: negative errno, may be NULL).
 */
struct nd_nl *nd_nl_open(int protocol, int *rc, struct nd_err *e);
void nd_nl_close(struct nd_nl *nl); /* accepts NULL */

/* Called for each answer; what it returns below 0 ends the dump and is its result. */
typedef int nd_nl_fn(const struct nlmsghdr *h, void *ctx);

/* What a dump can return beside a negative errno. */
enum nd_nl_end {
	ND_NL_WHOLE,
	ND_NL_CHANGED, /* entries came or went meanwhile: some may be missing or doubled
			  (NLM_F_DUMP_INTR) */
};

/* One dump: what is asked, and who takes the answers. */
struct nd_nl_request {
	uint16_t type;
	const void *payload; /* a fixed header, then attributes */
	size_t len;
	nd_nl_fn *fn;
	void (*forget)(
		void *ctx); /* before each try of nd_nl_dump_calm: what came before is void */
	void *ctx; /* of both */
};

/* Sends the request and hands every answer to its fn. Negative errno with e filled: the kernel's own refusal (-ENOENT: no such handler;
 * -EPERM), -ETIMEDOUT after 1 s without an answer, -EBADMSG for bytes that make no sense, or what
 * fn returned (then e is fn's). After anything negative but a refusal the socket is shut and each
 * later dump returns -EBADF: open another. */
int nd_nl_dump(struct nd_nl *nl, const struct nd_nl_request *r, struct nd_err *e);
/* A dump that nothing disturbed, if there is one within three tries; else the last, ND_NL_CHANGED.
 * *nl is opened for the protocol if it is NULL, and closed and NULL again after an error. */
int nd_nl_dump_calm(struct nd_nl **nl, int protocol, const struct nd_nl_request *r,
		    struct nd_err *e);

/* The payload of a message if it has at least n bytes, else NULL; *len (may be NULL) is its whole
 * length. */
const void *nd_nl_payload(const struct nlmsghdr *h, size_t n, size_t *len);

/* Attributes, one after another. data and len of unknown origin; data is valid as long as the
 * message is. */
struct nd_nl_attr {
	uint16_t type; /* without the nested and byte-order flags */
	const void *data;
	size_t len;
};
struct nd_nl_iter {
	const char *at;
	size_t left;
};
/* The attributes behind a fixed header of `skip` bytes; none when the message is shorter. */
struct nd_nl_iter nd_nl_attrs(const struct nlmsghdr *h, size_t skip);
struct nd_nl_iter nd_nl_nested(const struct nd_nl_attr *a);
struct nd_nl_iter nd_nl_iter(const void *data, size_t len);
/* False at the end, and at an attribute whose length makes no sense: what follows it is lost. */
bool nd_nl_next(struct nd_nl_iter *it, struct nd_nl_attr *a);

/* Values in host byte order; false when the attribute is shorter. A longer one is read from its
 * start. */
bool nd_nl_u8(const struct nd_nl_attr *a, uint8_t *out);
bool nd_nl_u32(const struct nd_nl_attr *a, uint32_t *out);
/* A u32 at this place of an attribute. */
bool nd_nl_u32_at(const struct nd_nl_attr *a, size_t offset, uint32_t *out);
bool nd_nl_u64(const struct nd_nl_attr *a, uint64_t *out);
/* Copies a string (with or without its NUL) to out; false when empty or too long for it. */
bool nd_nl_text(const struct nd_nl_attr *a, char *out, size_t size);

/* The messages of one received buffer, for dumps and tests: 0 more to come, 1 NLMSG_DONE was seen,
 * or negative errno. Messages of another sequence number are passed over; *changed is set by
 * NLM_F_DUMP_INTR. *refused (may be NULL) is set when the negative errno is the kernel's own
 * answer. */
struct nd_nl_walk {
	uint32_t seq;
	nd_nl_fn *fn;
	void *ctx;
	bool changed, refused;
};
int nd_nl_walk(const void *buf, size_t len, struct nd_nl_walk *w);
#endif
