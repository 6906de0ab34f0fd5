/* Replaces what tells who and where in texts: the same original always by the same stand-in (redact.c). */
#ifndef ND_REDACT_H
#define ND_REDACT_H

#include "engine/core/str.h"

struct nd_redactor;
/* The names that this host itself knows: its own, those of its users, aliases of its interfaces. */
struct nd_redactor *nd_redactor_new(void);
struct nd_redactor *nd_redactor_empty(void); /* knows no names */
/* A name to be replaced wherever it stands as a word. class: "host", "user", "alias". */
void nd_redact_name(struct nd_redactor *r, const char *class, const char *name);
/* Appends text with addresses (IPv4, IPv6, Ethernet) and names replaced. */
void nd_redact(void *redactor, const char *text, size_t len, struct nd_buf *out);
void nd_redactor_free(struct nd_redactor *r);
#endif
