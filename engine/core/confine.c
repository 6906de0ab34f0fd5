/* Two processes: one with the rights of who started us, which walks names, opens files and writes
 * the report's bytes to where they belong; and one without any, which parses, judges and renders.
 *
 * The first never looks into a foreign file. The second gets descriptors for reading, one at a time,
 * of exactly those files that the walk saw (SCM_RIGHTS over a socket pair; a request is the number
 * of a file, so a request for anything else cannot be said), and hands back bytes through a pipe.
 * Root may therefore diagnose an archive that a stranger sent. As an ordinary user the same happens,
 * so that there is one way and it is always tested. */
#include "engine/core/confine_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ASK_FD 3 /* in the child: the socket, and the pipe for what it prints */
#define OUT_FD 4
#define OUT_MAX (1ull << 30)
#define FDS_MAX 65536

static bool confined;

bool nd_is_confined(void)
{
	return confined;
}

/* ---- the child ---- */

int nd_confined_open(uint32_t id)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	int rc = 0, fd = -EPROTO;
	struct iovec iov = {&rc, sizeof(rc)};
	struct msghdr m = {.msg_iov = &iov,
			   .msg_iovlen = 1,
			   .msg_control = control.bytes,
			   .msg_controllen = sizeof(control.bytes)};
	ssize_t n;

	do {
		n = write(ASK_FD, &id, sizeof(id));
	} while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(id))
		return -EPROTO;
	do {
		n = recvmsg(ASK_FD, &m, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(rc))
		return -EPROTO;
	if (rc < 0)
		return rc;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
			memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

static void close_from(int first)
{
	struct rlimit most;

#ifdef SYS_close_range
	if (syscall(SYS_close_range, (unsigned)first, ~0u, 0) == 0)
		return;
#endif
	if (getrlimit(RLIMIT_NOFILE, &most) != 0 || most.rlim_cur > FDS_MAX)
		most.rlim_cur = FDS_MAX;
	for (int fd = first; fd < (int)most.rlim_cur; fd++)
		close(fd);
}

/* Both descriptors to their places, and no others stay: a netlink socket of root would be a right. */
static bool place(int ask, int out)
{
	int high_ask = fcntl(ask, F_DUPFD, OUT_FD + 1), high_out = fcntl(out, F_DUPFD, OUT_FD + 1);

	if (high_ask < 0 || high_out < 0 || dup2(high_ask, ASK_FD) < 0 ||
	    dup2(high_out, OUT_FD) < 0)
		return false;
	close_from(OUT_FD + 1);
	return true;
}

static int write_all(int fd, const char *s, size_t n)
{
	while (n) {
		ssize_t put = write(fd, s, n);

		if (put < 0 && errno != EINTR)
			return -errno;
		s += put > 0 ? put : 0;
		n -= put > 0 ? (size_t)put : 0;
	}
	return 0;
}

static void child(int ask, int out_fd, int (*work)(void *ctx, struct nd_buf *out), void *ctx)
	__attribute__((noreturn));
static void child(int ask, int out_fd, int (*work)(void *ctx, struct nd_buf *out), void *ctx)
{
	struct nd_buf out = {0};
	int rc;

	confined = true;
	if (!place(ask, out_fd) || nd_confine_drop() != 0) {
		fputs("netdoctor: rights could not be given up, nothing is read\n", stderr);
		_exit(5);
	}
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	rc = work(ctx, &out);
	fflush(stderr);
	if (write_all(OUT_FD, nd_buf_str(&out), out.len) != 0)
		rc = 5;
	nd_buf_free(&out);
	_exit(rc);
}

/* ---- the parent ---- */

/* Answers one request. False: nobody asks any more. */
static bool serve(struct nd_source *s, int ask)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {.bytes = {0}};
	uint32_t id;
	int rc = 0, fd;
	struct iovec iov = {&rc, sizeof(rc)};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};
	ssize_t n = recv(ask, &id, sizeof(id), 0);

	if (n < 0 && errno == EINTR)
		return true;
	if (n != (ssize_t)sizeof(id))
		return false;
	fd = s ? nd_source_open_id(s, id) : -ENOENT;
	if (fd < 0) {
		rc = fd;
	} else {
		struct cmsghdr *c = &control.align;

		m.msg_control = control.bytes;
		m.msg_controllen = sizeof(control.bytes);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	}
	do {
		n = sendmsg(ask, &m, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	if (fd >= 0)
		close(fd);
	return n > 0;
}

/* False at the end of what the child prints. */
static bool take_output(int in, struct nd_buf *out)
{
	char block[65536];
	ssize_t n = read(in, block, sizeof(block));

	if (n < 0 && errno == EINTR)
		return true;
	if (n <= 0 || out->len + (size_t)n > OUT_MAX)
		return false;
	nd_buf_put(out, block, (size_t)n);
	return true;
}

static void attend(struct nd_source *s, int ask, int in, struct nd_buf *out)
{
	struct pollfd p[2] = {{.fd = in, .events = POLLIN}, {.fd = ask, .events = POLLIN}};

	for (;;) {
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return;
		if (p[1].revents && !serve(s, ask))
			p[1].fd = -1; /* poll passes it over */
		if (p[0].revents && !take_output(in, out))
			return;
		p[0].revents = p[1].revents = 0;
	}
}

static int end_of(pid_t pid, struct nd_err *e)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return nd_fail(e, -errno, "the process that reads inputs is gone: %s",
				       strerror(errno));
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	return nd_fail(e, -ECHILD, "the process that reads inputs was ended by signal %d (%s)",
		       WTERMSIG(status), strsignal(WTERMSIG(status)));
}

int nd_confined(struct nd_source *s, int (*work)(void *ctx, struct nd_buf *out), void *ctx,
		struct nd_buf *out, struct nd_err *e)
{
	int ask[2] = {-1, -1}, pipe_fd[2] = {-1, -1}, rc;
	pid_t pid;

	tzset(); /* the child cannot read the zone */
	fflush(NULL);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ask) != 0 ||
	    pipe2(pipe_fd, O_CLOEXEC) != 0 || (pid = fork()) < 0) {
		rc = nd_fail(e, -errno, "no process to read inputs in: %s", strerror(errno));
		goto out;
	}
	if (pid == 0)
		child(ask[1], pipe_fd[1], work, ctx);
	close(ask[1]);
	close(pipe_fd[1]);
	ask[1] = pipe_fd[1] = -1;
	attend(s, ask[0], pipe_fd[0], out);
	close(ask[0]);
	close(pipe_fd[0]);
	ask[0] = pipe_fd[0] = -1;
	rc = end_of(pid, e);
out:
	for (int i = 0; i < 2; i++) {
		if (ask[i] >= 0)
			close(ask[i]);
		if (pipe_fd[i] >= 0)
			close(pipe_fd[i]);
	}
	return rc;
}
