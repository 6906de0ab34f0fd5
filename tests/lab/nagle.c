/* Makes the Nagle and delayed-ACK stall on 127.0.0.1, or its healthy twins: nagle PORT SECONDS wwr|nodelay|single
 *
 * A child serves, the parent asks. A request is a head and a body; `wwr` writes them in two calls, so that
 * the body waits until the head is acknowledged and the server delays that; `nodelay` does the same with
 * TCP_NODELAY, and `single` writes both in one call. At the end: exchanges and their median time. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HEAD 100
#define BODY 200
#define ANSWER 50
#define SECONDS_MAX 60
#define TIMES_MAX 4096 /* latencies kept for the median: the last ones */

static volatile sig_atomic_t stopped;

static void on_signal(int sig)
{
	(void)sig;
	stopped = 1;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool read_all(int fd, size_t len)
{
	char buf[512];

	while (len) {
		ssize_t n = read(fd, buf, len < sizeof(buf) ? len : sizeof(buf));

		if (n <= 0)
			return false;
		len -= (size_t)n;
	}
	return true;
}

static int serve(int listener)
{
	static const char answer[ANSWER];
	int fd = accept(listener, NULL, NULL);

	if (fd < 0)
		return 1;
	while (read_all(fd, HEAD + BODY) &&
	       write(fd, answer, sizeof(answer)) == (ssize_t)sizeof(answer))
		;
	close(fd);
	return 0;
}

static bool ask(int fd, bool one_call)
{
	static const char request[HEAD + BODY];

	if (one_call)
		return write(fd, request, sizeof(request)) == (ssize_t)sizeof(request) &&
		       read_all(fd, ANSWER);
	return write(fd, request, HEAD) == HEAD && write(fd, request + HEAD, BODY) == BODY &&
	       read_all(fd, ANSWER);
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int run_client(const struct sockaddr_in *to, double seconds, const char *mode)
{
	static double times[TIMES_MAX];
	bool one_call = strcmp(mode, "single") == 0;
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
	unsigned long n = 0;
	double start = now(), before, median;
	size_t kept;

	if (fd < 0 || connect(fd, (const struct sockaddr *)to, sizeof(*to)) != 0) {
		perror("nagle: connect");
		return 1;
	}
	if (strcmp(mode, "nodelay") == 0)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	while (!stopped && (before = now()) < start + seconds && ask(fd, one_call)) {
		times[n++ % TIMES_MAX] = now() - before;
		if (strcmp(mode, "wwr") != 0)
			usleep(1000); /* as busy as a service, not a benchmark */
	}
	close(fd);
	kept = n < TIMES_MAX ? n : TIMES_MAX;
	qsort(times, kept, sizeof(times[0]), by_value);
	median = kept ? times[kept / 2] : 0;
	printf("%s: %lu exchanges, median %.3f ms\n", mode, n, median * 1e3);
	return n ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	struct sigaction act = {.sa_handler = on_signal};
	long port = argc > 1 ? strtol(argv[1], NULL, 10) : 0,
	     seconds = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
	const char *mode = argc > 3 ? argv[3] : "";
	int listener, one = 1, rc;
	pid_t child;

	if (port < 1 || port > 65535 || seconds < 1 || seconds > SECONDS_MAX ||
	    (strcmp(mode, "wwr") != 0 && strcmp(mode, "nodelay") != 0 &&
	     strcmp(mode, "single") != 0)) {
		fprintf(stderr, "usage: nagle PORT SECONDS(1-%d) wwr|nodelay|single\n",
			SECONDS_MAX);
		return 2;
	}
	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGINT, &act, NULL);
	a.sin_port = htons((unsigned short)port);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (listener < 0 || bind(listener, (struct sockaddr *)&a, sizeof(a)) != 0 ||
	    listen(listener, 16) != 0) {
		perror("nagle: listen");
		return 1;
	}
	child = fork();
	if (child == 0)
		_exit(serve(listener)); /* ends with the connection */
	if (child < 0) {
		perror("nagle: fork");
		return 1;
	}
	close(listener);
	rc = run_client(&a, (double)seconds, mode);
	if (rc)
		kill(child, SIGKILL); /* may still wait for its client */
	waitpid(child, NULL, 0);
	return rc;
}
