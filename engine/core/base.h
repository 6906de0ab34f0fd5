/* The ground under every file: errors, logging, allocation that cannot fail, an arena.
 *
 * A function that can fail returns 0 or a negative errno and fills struct nd_err; running out of
 * memory ends the process, because a diagnosis that goes on with half its facts would lie. */
#ifndef ND_BASE_H
#define ND_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ND_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define ND_ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define ND_NSEC_PER_SEC 1000000000ull

/* An error message; written once, where the cause is known, in the words of the user. */
struct nd_err {
	char msg[1024];
};

/* Writes the message and returns rc, so that `return nd_fail(e, -EINVAL, …)` reads well. */
int nd_fail(struct nd_err *e, int rc, const char *fmt, ...) ND_PRINTF(3, 4);
/* Puts "prefix: " in front of the message that is there; returns rc. */
int nd_wrap(struct nd_err *e, int rc, const char *fmt, ...) ND_PRINTF(3, 4);

enum nd_log_level { ND_LOG_QUIET, ND_LOG_WARN, ND_LOG_INFO };
extern enum nd_log_level nd_log_level;
void nd_warn(const char *fmt, ...) ND_PRINTF(1, 2); /* stderr, from ND_LOG_WARN on */
void nd_info(const char *fmt, ...) ND_PRINTF(1, 2); /* stderr, from ND_LOG_INFO on (-v) */

/* Allocation: zeroed, never NULL; the process ends with status 5 when there is no memory. */
void *nd_alloc(size_t size) __attribute__((malloc, returns_nonnull));
void *nd_realloc(void *p, size_t size) __attribute__((returns_nonnull));
char *nd_strdup(const char *s) __attribute__((malloc, returns_nonnull));

/* Makes room for one more element behind n; *cap grows by half. */
#define ND_GROW(ptr, n, cap)                                                                       \
	do {                                                                                       \
		if ((n) >= (cap)) {                                                                \
			(cap) = (cap) ? (cap) + (cap) / 2 + 1 : 8;                                 \
			(ptr) = nd_realloc((ptr), (size_t)(cap) * sizeof(*(ptr)));                 \
		}                                                                                  \
	} while (0)

/* Memory that dies together. Everything from one arena is freed by one call. */
struct nd_arena {
	struct nd_arena_block *blocks;
};
void *nd_arena_alloc(struct nd_arena *a, size_t size) __attribute__((returns_nonnull)); /* zeroed */
char *nd_arena_strdup(struct nd_arena *a, const char *s);
char *nd_arena_strndup(struct nd_arena *a, const char *s, size_t n);
/* n bytes, whatever they are, and a NUL behind them. */
char *nd_arena_copy(struct nd_arena *a, const char *bytes, size_t n);
char *nd_arena_printf(struct nd_arena *a, const char *fmt, ...) ND_PRINTF(2, 3);
void nd_arena_free(struct nd_arena *a);
/* Everything from it is gone, but some memory is kept for what comes next. */
void nd_arena_reset(struct nd_arena *a);

/* fortified headers define these two as macros, which clang would not poison */
#undef sprintf
#undef vsprintf
#pragma GCC poison strcpy strcat sprintf vsprintf strtok atoi atol atof sscanf gets
#endif
