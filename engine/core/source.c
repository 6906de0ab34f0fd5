/* The door itself: passes calls to the kind of source, and holds what the kinds share.
 *
 * Every byte that a collector parses went through nd_hand_out, so that what fails is reported in
 * one place and in the same words for every kind of source. */
#include "engine/core/source_impl.h"

#include <dirent.h>
#include <errno.h>
#include <unistd.h>

#define TEE_MAX (32u << 20) /* a larger input is not kept */

bool nd_source_is_live(const struct nd_source *s)
{
	return strcmp(s->ops->name, "live") == 0;
}

const char *nd_source_name(const struct nd_source *s)
{
	const char *facts;
	size_t len;

	if (nd_source_capture((struct nd_source *)(uintptr_t)s, &facts, &len))
		return "bundle";
	return s->ops->name;
}

void nd_source_free(struct nd_source *s)
{
	if (s)
		s->ops->free(s);
}

int nd_source_each(struct nd_source *s, const struct nd_read *r, nd_input_fn *fn, void *ctx,
		   const struct nd_bad_input *bad)
{
	return s->ops->each(s, r, fn, ctx, bad);
}

int nd_source_text(struct nd_source *s, const char *path, char *out, size_t size)
{
	if (size == 0)
		return -EINVAL;
	out[0] = '\0';
	return s->ops->text(s, path, out, size);
}

int nd_source_link(struct nd_source *s, const char *path, char *out, size_t size)
{
	if (size == 0)
		return -EINVAL;
	out[0] = '\0';
	return s->ops->link(s, path, out, size);
}

int nd_source_names(struct nd_source *s, const char *path, char ***names)
{
	return nd_source_names_first(s, path, ND_NAMES_MAX, names);
}

int nd_source_names_first(struct nd_source *s, const char *path, uint32_t max, char ***names)
{
	*names = NULL;
	return s->ops->names(s, path, max, names);
}

void nd_source_names_free(char **names, int n)
{
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

uint64_t nd_source_now(const struct nd_source *s)
{
	return s->ops->now(s);
}

const struct nd_netns *nd_source_netns(struct nd_source *s, uint32_t *n, struct nd_status *status)
{
	return s->ops->netns(s, n, status);
}

void nd_source_prepare(struct nd_source *s, const struct nd_read *const *lists, uint32_t n)
{
	if (s->ops->prepare)
		s->ops->prepare(s, lists, n);
}

const struct nd_source_remark *nd_source_remarks(struct nd_source *s, uint32_t *n)
{
	*n = 0;
	return s->ops->remarks ? s->ops->remarks(s, n) : NULL;
}

const char *const *nd_source_unused(struct nd_source *s, uint32_t *n)
{
	return s->ops->unused(s, n);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool nd_source_is_pasted(const char *path)
{
	for (const char *at = path; (at = strchr(at, ':')); at++) {
		size_t n = strspn(at + 1, "0123456789");

		if (n && at[1 + n] == '/')
			return true;
	}
	return false;
}

int nd_natural_cmp(const char *a, const char *b)
{
	const char *const a0 = a, *const b0 = b;

	while (*a && *b) {
		if (is_digit(*a) && is_digit(*b)) {
			size_t n, m;
			int c;

			a += strspn(a, "0");
			b += strspn(b, "0");
			n = strspn(a, "0123456789");
			m = strspn(b, "0123456789");
			if (n != m)
				return n < m ? -1 : 1;
			c = memcmp(a, b, n);
			if (c)
				return c;
			a += n;
			b += m;
			continue;
		}
		if (*a != *b)
			return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
		a++;
		b++;
	}
	if (*a || *b)
		return *a ? 1 : -1;
	return strcmp(a0, b0); /* 01 and 1 */
}

static int by_name(const void *a, const void *b)
{
	return nd_natural_cmp(*(char *const *)a, *(char *const *)b);
}

int nd_names_of_fd(int fd, uint32_t max, char ***names)
{
	DIR *d = fdopendir(fd);
	char **list = NULL;
	int n = 0, cap = 0, most = (int)(max < ND_NAMES_MAX ? max : ND_NAMES_MAX);
	struct dirent *e;

	if (!d) {
		int rc = -errno;

		close(fd);
		return rc;
	}
	while (n < most && (e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		ND_GROW(list, n, cap);
		list[n++] = nd_strdup(e->d_name);
	}
	closedir(d);
	if (n > 1)
		qsort(list, (size_t)n, sizeof(*list), by_name);
	*names = list;
	return n;
}

static void finish_text(char *out, size_t len)
{
	while (len > 0 && !out[len - 1]) /* cmdline and the device tree end with a NUL */
		len--;
	if (len > 0 && out[len - 1] == '\n')
		len--;
	for (size_t i = 0; i < len; i++)
		if (!out[i])
			out[i] = ' ';
	out[len] = '\0';
}

int nd_text_of_fd(int fd, char *out, size_t size)
{
	size_t len = 0;
	int rc = 0;

	while (len + 1 < size) {
		ssize_t n = read(fd, out + len, size - 1 - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			rc = -errno;
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	close(fd);
	if (rc)
		len = 0;
	finish_text(out, len);
	return rc;
}

int nd_text_of_memory(const char *text, size_t len, char *out, size_t size)
{
	len = len < size ? len : size - 1;
	memcpy(out, text, len);
	finish_text(out, len);
	return 0;
}

enum nd_missing nd_missing_of(int rc)
{
	return rc == -EACCES || rc == -EPERM ? ND_NO_PERMISSION : ND_NOT_SAMPLED;
}

void nd_report_bad(const struct nd_bad_input *bad, const char *path, enum nd_missing why,
		   const char *detail)
{
	if (bad && bad->fn)
		bad->fn(bad->ctx, path, why, detail);
}

/* An attribute that does not apply to this device now (speed of lo, of a link that is down) opens
 * and then refuses the read; that is the answer, not a fault. */
static bool not_applicable(int rc)
{
	return rc == -EINVAL || rc == -EOPNOTSUPP || rc == -ENODEV || rc == -ENXIO ||
	       rc == -ESRCH || rc == -ENOENT; /* xps_cpus of a card with one queue */
}

static void hand_out(const struct nd_input *in, struct nd_stream *s, nd_input_fn *fn, void *ctx,
		     const struct nd_bad_input *bad)
{
	struct nd_err e = {{0}};
	int rc = fn(ctx, in, s, &e);
	int failed = nd_stream_error(s);

	nd_stream_close(s);
	if (failed && !not_applicable(failed)) {
		nd_fail(&e, failed, "%s: %s", in->path, strerror(-failed));
		nd_report_bad(bad, in->path, nd_missing_of(failed), e.msg);
		return;
	}
	if (rc >= 0)
		return;
	if (!e.msg[0])
		nd_fail(&e, rc, "%s: %s", in->path, strerror(-rc));
	nd_report_bad(bad, in->path,
		      rc == -EACCES || rc == -EPERM ? ND_NO_PERMISSION : ND_PARSE_ERROR, e.msg);
}

static struct {
	void (*fn)(void *ctx, const struct nd_input *in, const char *text, size_t len);
	void *ctx;
} tee;

void nd_source_tee(void (*fn)(void *ctx, const struct nd_input *in, const char *text, size_t len),
		   void *ctx)
{
	tee.fn = fn;
	tee.ctx = ctx;
}

/* Reads all of fd, shows it to the tee, and hands it out from memory. False: it must be read as usual. */
static bool hand_out_shown(const struct nd_input *in, int fd, nd_input_fn *fn, void *ctx,
			   const struct nd_bad_input *bad)
{
	struct nd_buf b = {0};
	char block[65536];
	ssize_t n;

	while (b.len < TEE_MAX && ((n = read(fd, block, sizeof(block))) > 0 || errno == EINTR)) {
		if (n > 0)
			nd_buf_put(&b, block, (size_t)n);
		errno = 0;
	}
	if (n < 0 || b.len >= TEE_MAX) {
		nd_buf_free(&b);
		return lseek(fd, 0, SEEK_SET) != 0;
	}
	tee.fn(tee.ctx, in, nd_buf_str(&b), b.len);
	hand_out(in, nd_stream_mem(nd_buf_str(&b), b.len), fn, ctx, bad);
	nd_buf_free(&b);
	close(fd);
	return true;
}

void nd_hand_out(const struct nd_input *in, int fd, nd_input_fn *fn, void *ctx,
		 const struct nd_bad_input *bad)
{
	if (tee.fn && hand_out_shown(in, fd, fn, ctx, bad))
		return;
	hand_out(in, nd_stream_fd(fd), fn, ctx, bad);
}

void nd_hand_out_text(const struct nd_input *in, const char *text, size_t len, nd_input_fn *fn,
		      void *ctx, const struct nd_bad_input *bad)
{
	hand_out(in, nd_stream_mem(text, len), fn, ctx, bad);
}
