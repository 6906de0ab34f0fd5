/* Words that ss and netstat share: addresses with ports. */
#ifndef ND_SOCK_TEXT_H
#define ND_SOCK_TEXT_H

#include "collectors/sock_group.h"

/* "127.0.0.1:80", "*:80", ":::80", "[::1]:80", "fe80::1%eth0:22", "host.example:https", "0.0.0.0:*". word is
 * modified; names are kept in the arena of f. *modern is set by what only ss since 5.3 prints (0.0.0.0 for any IPv4
 * address, so that * means both families). False: no such thing. */
bool nd_sock_text_address(struct nd_facts *f, char *word, bool *modern, struct nd_sock_addr *out);

#endif
