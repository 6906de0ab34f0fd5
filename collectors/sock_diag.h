/* The messages of inet_diag: from the kernel's bytes to struct nd_sock, and filters that the kernel runs. */
#ifndef ND_SOCK_DIAG_H
#define ND_SOCK_DIAG_H

#include "collectors/netlink.h"
#include "collectors/sock_group.h"
#include "engine/core/source.h"

/* Would asking for the sockets of this module ("tcp_diag", "udp_diag") make the kernel load it? */
bool nd_sock_would_autoload(struct nd_source *s, const char *module);

/* One answer of a dump: the message behind the netlink header, len bytes of unknown origin. False: too short. */
bool nd_sock_from_diag(const void *msg, size_t len, struct nd_sock *out);

/* INET_DIAG_REQ_BYTECODE that lets through sockets with one of these ports at that end. Returns its length in
 * bytes, 0 when there is no room for it. */
size_t nd_sock_filter(const struct nd_sock_port *ports, uint32_t n, void *out, size_t size);
#define ND_SOCK_FILTER_BYTES(n) ((n)*20u)

/* Asks the kernel for the TCP sockets, IPv4 and IPv6, that have data or listen; through the filter (NULL, 0: all),
 * over a socket of NETLINK_SOCK_DIAG. Listeners come first. fn gets each answer; what it returns below 0 ends the
 * dump. Returns 0, or a negative errno with e filled; -ENOENT: the kernel has no such diag. */
int nd_sock_dump(struct nd_nl *nl, const void *filter, size_t filter_len, nd_nl_fn *fn, void *ctx,
		 struct nd_err *e);
/* The same for those without data: half open on either side, and TIME_WAIT. Addresses and states are all they have. */
int nd_sock_dump_rest(struct nd_nl *nl, nd_nl_fn *fn, void *ctx, struct nd_err *e);
#endif
