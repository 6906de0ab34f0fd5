/* A temporary folder for a test, and what nd_source_each hands out from a source, as text. */
#ifndef ND_TEST_SOURCE_FIXTURE_H
#define ND_TEST_SOURCE_FIXTURE_H

#include "engine/core/source_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOBODY 65534
#define WITH_DIR(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

/* ---- a temporary folder ---- */

static char dir[64];

static inline int setup(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/nd-test-source-XXXXXX");
	return mkdtemp(dir) && chmod(dir, 0755) == 0 ? 0 : -1;
}

static inline int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static inline int teardown(void **state)
{
	(void)state;
	return nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static inline const char *in_dir(const char *rel)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/%s", dir, rel);
	return path;
}

static inline void make_parents(const char *rel)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s", in_dir(rel));
	for (char *p = path + strlen(dir) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(path, 0755);
		*p = '/';
	}
}

static inline void put_bytes(const char *rel, const char *bytes, size_t n)
{
	FILE *f;

	make_parents(rel);
	f = fopen(in_dir(rel), "w");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
}

static inline void put(const char *rel, const char *text)
{
	put_bytes(rel, text, strlen(text));
}

static inline void put_link(const char *target, const char *rel)
{
	make_parents(rel);
	assert_int_equal(symlink(target, in_dir(rel)), 0);
}

/* ---- what each() hands out, as text ---- */

static inline int show(void *ctx, const struct nd_input *in, struct nd_stream *s, struct nd_err *e)
{
	struct nd_buf *b = ctx;
	const char *line = nd_stream_line(s);

	nd_buf_printf(b, "%s", in->path);
	if (in->t_ns)
		nd_buf_printf(b, " t=%g", (double)in->t_ns / 1e9);
	if (in->interval)
		nd_buf_puts(b, " interval");
	if (strcmp(in->netns, "host") != 0)
		nd_buf_printf(b, " netns=%s", in->netns);
	if (in->arg)
		nd_buf_printf(b, " arg=%s", in->arg);
	if (line && strcmp(line, "refuse") == 0)
		return nd_fail(e, -EINVAL, "%s:1: expected sense", in->path);
	nd_buf_putc(b, '\n');
	return 0;
}

static inline void show_bad(void *ctx, const char *path, enum nd_missing why, const char *detail)
{
	static const char *const names[ND_MISSINGS] = {
		[ND_NO_PERMISSION] = "no-permission",
		[ND_NOT_SAMPLED] = "not-sampled",
		[ND_PARSE_ERROR] = "parse-error",
		[ND_TRUNCATED] = "truncated",
	};

	nd_buf_printf(ctx, "BAD %s %s (%s)\n", path, names[why], detail);
}

static struct nd_buf seen;

/* The result is good until the next call. Live times differ on each run and are checked to be
 * there. */
static inline const char *each(struct nd_source *s, const char *what, unsigned flags)
{
	const struct nd_read r = {what, flags};
	struct nd_bad_input bad = {show_bad, &seen};
	int n, lines = 0;

	nd_buf_free(&seen);
	nd_buf_puts(&seen, "");
	n = nd_source_each(s, &r, show, &seen, &bad);
	for (const char *p = seen.s; (p = strchr(p, '\n')); p++)
		lines++;
	assert_int_equal(n, lines);
	return seen.s;
}
#endif
