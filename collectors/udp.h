/* UDP sockets as `socket` entities: shared by the reader of /proc/net/udp and the text of ss and
 * netstat.
 *
 * Sockets of one local address are one entity: with SO_REUSEPORT they are one service, and a
 * client's connected sockets are told apart by their ports anyway. */
#ifndef ND_UDP_H
#define ND_UDP_H

#include "collectors/collector.h"
#include "collectors/sock_group.h"

#define ND_UDP_SOCKETS_MAX 65536u /* in one input */
#define ND_UDP_ENTITIES_MAX 2048u /* those that dropped or hold something come first */
#define ND_UDP_OWNERS_MAX 4u /* kept per socket of a text */

enum nd_udp_fact {
	ND_UDP_PROTO,
	ND_UDP_ADDRESS,
	ND_UDP_PORT,
	ND_UDP_MEMBERS,
	ND_UDP_RCVBUF,
	ND_UDP_QUEUE,
	ND_UDP_DROPS,
	ND_UDP_FACTS
};
extern const struct nd_fact_def nd_udp_facts[]; /* by nd_udp_fact; ends with name NULL */

struct nd_udp_owner {
	uint64_t pid;
	char comm[32];
};
/* One socket; NaN: not said. */
struct nd_udp_socket {
	struct nd_sock_addr local;
	double queue, rcvbuf; /* B of memory, headers and all, as the kernel counts both */
	double drops; /* since it was opened */
	uint64_t inode; /* 0: not said */
	struct nd_udp_owner owners[ND_UDP_OWNERS_MAX];
	uint32_t n_owners;
};
struct nd_udp_list {
	struct nd_udp_socket *v;
	uint32_t n, cap;
	bool truncated; /* there were more than ND_UDP_SOCKETS_MAX */
};
/* A place for one more, with nothing known of it; NULL when there are too many. */
struct nd_udp_socket *nd_udp_new(struct nd_udp_list *l);
void nd_udp_free(struct nd_udp_list *l);

/* Which of the facts an input speaks of. */
enum nd_udp_put {
	ND_UDP_SAMPLE = 1, /* the queue */
	ND_UDP_MOMENT = 2, /* drops, number of sockets, owners */
};
/* Groups the sockets by local address (reordering the list) and puts their facts. */
void nd_udp_put(struct nd_udp_list *l, struct nd_facts *f, const struct nd_input *in,
		unsigned what);

/* Does the name of a file say that it is the output of ss for UDP alone, such as "ss-uanp.txt"? */
bool nd_udp_only(const char *path);

/* One socket's line of /proc/net/udp or udp6. False: it is none. */
bool nd_udp_proc_line(char *line, struct nd_udp_socket *out);
/* The collector's live part: samples between the moments, receive buffers, owners of suspects. */
int nd_udp_live(struct nd_live *l, struct nd_facts *f, struct nd_err *e);
#endif
