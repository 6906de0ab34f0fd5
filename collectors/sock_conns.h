/* What all TCP connections together say, those without data too: how many are in which state, how many local ports
 * are in use towards each destination, and whose connections wait to be opened or closed.
 *
 * Ports run out for one local address, one remote address and one remote port at a time: each such triple is counted,
 * and a peer gets the number of its busiest local address. */
#ifndef ND_SOCK_CONNS_H
#define ND_SOCK_CONNS_H

#include "collectors/tcp_states.h"

extern const struct nd_fact_def nd_conn_facts[]; /* ends with name NULL */

struct nd_conns;
struct nd_conns *nd_conns_new(void);
void nd_conns_free(struct nd_conns *c); /* accepts NULL */
/* One socket of a list; listeners must come before the connections. */
void nd_conns_add(struct nd_conns *c, const struct nd_sock *s);
/* Connections to the ports of listeners that are known came in. Returns how many listeners there are. */
uint32_t nd_conns_known(struct nd_conns *c, const struct nd_facts *f, const struct nd_input *in);
/* No listener is known: the end with the lower port number is taken for the server. */
void nd_conns_guess(struct nd_conns *c, const struct nd_sock *s);
/* Puts the counts. After what groups the same list, so that its peers and listeners are known. whole: every socket was
 * listed; else that is taken from the states that are there, and what is not there may be unknown. */
void nd_conns_put(struct nd_conns *c, struct nd_facts *f, const struct nd_input *in, bool whole);

#endif
