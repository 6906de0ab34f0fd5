/* Errors, logging, allocation that cannot fail, and the arena.
 *
 * Out of memory ends the process with status 5 at once: no caller has a branch for it, so none can
 * be wrong. The arena serves big requests from blocks of their own, which keeps a small arena
 * small. */
#include "engine/core/base.h"

#include <unistd.h>

#define OUT_OF_MEMORY_STATUS 5
#define ARENA_FIRST_BYTES 1024u
#define ARENA_MOST_BYTES 262144u

enum nd_log_level nd_log_level = ND_LOG_WARN;

int nd_fail(struct nd_err *e, int rc, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return rc;
	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	return rc;
}

int nd_wrap(struct nd_err *e, int rc, const char *fmt, ...)
{
	char old[sizeof(e->msg)];
	va_list ap;
	size_t n;

	if (!e)
		return rc;
	memcpy(old, e->msg, sizeof(old));
	old[sizeof(old) - 1] = '\0';
	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	n = strlen(e->msg);
	snprintf(e->msg + n, sizeof(e->msg) - n, ": %s", old);
	return rc;
}

static void log_line(const char *prefix, const char *fmt, va_list ap) ND_PRINTF(2, 0);
static void log_line(const char *prefix, const char *fmt, va_list ap)
{
	flockfile(stderr);
	fputs(prefix, stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	funlockfile(stderr);
}

void nd_warn(const char *fmt, ...)
{
	va_list ap;

	if (nd_log_level < ND_LOG_WARN)
		return;
	va_start(ap, fmt);
	log_line("netdoctor: warning: ", fmt, ap);
	va_end(ap);
}

void nd_info(const char *fmt, ...)
{
	va_list ap;

	if (nd_log_level < ND_LOG_INFO)
		return;
	va_start(ap, fmt);
	log_line("netdoctor: ", fmt, ap);
	va_end(ap);
}

static void no_memory(size_t size) __attribute__((noreturn));
static void no_memory(size_t size)
{
	fprintf(stderr, "netdoctor: out of memory (%zu bytes asked for)\n", size);
	_exit(OUT_OF_MEMORY_STATUS);
}

void *nd_alloc(size_t size)
{
	void *p = calloc(1, size ? size : 1);

	if (!p)
		no_memory(size);
	return p;
}

void *nd_realloc(void *p, size_t size)
{
	void *q = realloc(p, size ? size : 1);

	if (!q)
		no_memory(size);
	return q;
}

char *nd_strdup(const char *s)
{
	size_t n = strlen(s) + 1;
	char *p = nd_alloc(n);

	memcpy(p, s, n);
	return p;
}

/* The newest block is the first of the list; only it has room that is still handed out. */
struct nd_arena_block {
	struct nd_arena_block *next;
	size_t used, size; /* bytes of data */
	_Alignas(max_align_t) unsigned char data[];
};

static struct nd_arena_block *block_new(size_t size)
{
	struct nd_arena_block *b;

	if (size > SIZE_MAX - sizeof(*b))
		no_memory(size);
	b = nd_alloc(sizeof(*b) + size);
	b->size = size;
	return b;
}

void *nd_arena_alloc(struct nd_arena *a, size_t size)
{
	const size_t align = _Alignof(max_align_t);
	struct nd_arena_block *b = a->blocks;
	size_t want;

	if (size > SIZE_MAX - align)
		no_memory(size);
	size = size ? (size + align - 1) / align * align : align;
	if (b && b->size - b->used >= size) {
		b->used += size;
		return b->data + b->used - size;
	}
	want = b ? b->size * 2 : ARENA_FIRST_BYTES;
	if (want > ARENA_MOST_BYTES)
		want = ARENA_MOST_BYTES;
	if (size >= want) { /* a block of its own, behind the one that still has room */
		struct nd_arena_block *own = block_new(size);

		own->used = size;
		own->next = b ? b->next : NULL;
		if (b)
			b->next = own;
		else
			a->blocks = own;
		return own->data;
	}
	b = block_new(want);
	b->next = a->blocks;
	a->blocks = b;
	b->used = size;
	return b->data;
}

char *nd_arena_strndup(struct nd_arena *a, const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *p = nd_arena_alloc(a, len + 1);

	memcpy(p, s, len);
	return p;
}

char *nd_arena_strdup(struct nd_arena *a, const char *s)
{
	return nd_arena_strndup(a, s, strlen(s));
}

char *nd_arena_copy(struct nd_arena *a, const char *bytes, size_t n)
{
	char *out = nd_arena_alloc(a, n + 1);

	memcpy(out, bytes, n);
	return out;
}

char *nd_arena_printf(struct nd_arena *a, const char *fmt, ...)
{
	va_list ap;
	char *p;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		n = 0;
	p = nd_arena_alloc(a, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return p;
}

void nd_arena_reset(struct nd_arena *a)
{
	struct nd_arena_block *keep = a->blocks;
	struct nd_arena rest;

	if (!keep)
		return;
	rest.blocks = keep->next;
	nd_arena_free(&rest);
	keep->next = NULL;
	memset(keep->data, 0, keep->used);
	keep->used = 0;
}

void nd_arena_free(struct nd_arena *a)
{
	struct nd_arena_block *b = a->blocks;

	while (b) {
		struct nd_arena_block *next = b->next;

		free(b);
		b = next;
	}
	a->blocks = NULL;
}
