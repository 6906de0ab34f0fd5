/* What ss says of a socket with -i, -m, -e and -o. */
#ifndef ND_SS_FIGURES_H
#define ND_SS_FIGURES_H

#include "collectors/sock_group.h"

/* One word, such as "cwnd:10"; next is the word behind it, or "". False when it is none of these. */
bool nd_ss_figure(struct nd_sock *s, const char *word, const char *next);
/* When all words of a socket were read: what ss left out since it is zero. */
void nd_ss_complete(struct nd_sock *s);

#endif
