/* Lines of an input, from a descriptor or from memory, one at a time.
 *
 * One fixed buffer of a line's greatest length serves both: an input of any size costs the same
 * memory, and a line longer than that is cut, its rest skipped, and the cut remembered. */
#include "engine/core/str.h"

#include <errno.h>
#include <unistd.h>

#define READ_BYTES 65536u

struct nd_stream {
	int fd; /* -1: memory */
	int error;
	const char *text; /* memory: what is left; else the filled part of in[] */
	size_t left;
	uint64_t lineno;
	bool cut, unended, ended;
	char *in; /* READ_BYTES, for descriptors */
	char line[ND_LINE_MAX + 1];
};

struct nd_stream *nd_stream_fd(int fd)
{
	struct nd_stream *s = nd_alloc(sizeof(*s));

	s->fd = fd;
	s->in = nd_alloc(READ_BYTES);
	return s;
}

struct nd_stream *nd_stream_mem(const char *text, size_t len)
{
	struct nd_stream *s = nd_alloc(sizeof(*s));

	s->fd = -1;
	s->text = text;
	s->left = len;
	return s;
}

/* Reads on. False at the end: a plain end, an error (kept), or a descriptor that has nothing now.
 */
static bool fill(struct nd_stream *s)
{
	ssize_t n;

	if (s->fd < 0 || s->ended)
		return false;
	do {
		n = read(s->fd, s->in, READ_BYTES);
	} while (n < 0 && errno == EINTR);
	if (n <= 0) {
		s->ended = true;
		if (n < 0 && errno != EAGAIN)
			s->error = -errno;
		return false;
	}
	s->text = s->in;
	s->left = (size_t)n;
	return true;
}

/* Appends n bytes to the line, as far as there is room. */
static size_t append(struct nd_stream *s, size_t len, const char *from, size_t n)
{
	if (n > ND_LINE_MAX - len) {
		n = ND_LINE_MAX - len;
		s->cut = true;
	}
	memcpy(s->line + len, from, n);
	for (size_t i = len; i < len + n; i++)
		if (!s->line[i])
			s->line[i] = '?';
	return len + n;
}

char *nd_stream_line(struct nd_stream *s)
{
	bool any = false, complete = false;
	size_t len = 0;

	while (!complete && (s->left > 0 || fill(s))) {
		const char *end = memchr(s->text, '\n', s->left);
		size_t n = end ? (size_t)(end - s->text) : s->left;

		any = true;
		len = append(s, len, s->text, n);
		complete = end != NULL;
		n += complete;
		s->text += n;
		s->left -= n;
	}
	if (s->error || !any)
		return NULL;
	s->unended = !complete;
	if (complete && len > 0 && s->line[len - 1] == '\r') /* pasted from elsewhere */
		len--;
	s->line[len] = '\0';
	s->lineno++;
	return s->line;
}

size_t nd_stream_bytes(struct nd_stream *s, char *out, size_t n)
{
	size_t done = 0;

	while (done < n && (s->left > 0 || fill(s))) {
		size_t part = s->left < n - done ? s->left : n - done;

		memcpy(out + done, s->text, part);
		s->text += part;
		s->left -= part;
		done += part;
	}
	return done;
}

uint64_t nd_stream_lineno(const struct nd_stream *s)
{
	return s->lineno;
}

int nd_stream_error(const struct nd_stream *s)
{
	return s->error;
}

bool nd_stream_cut(const struct nd_stream *s)
{
	return s->cut;
}

bool nd_stream_unended(const struct nd_stream *s)
{
	return s->unended;
}

void nd_stream_close(struct nd_stream *s)
{
	if (!s)
		return;
	if (s->fd >= 0)
		close(s->fd);
	free(s->in);
	free(s);
}
