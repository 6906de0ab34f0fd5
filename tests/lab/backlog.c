/* Overflows an accept queue on 127.0.0.1, or keeps it empty: backlog PORT BACKLOG CONNECTS SECONDS [accept]
 *
 * Listens, starts CONNECTS connections without waiting for them, and holds them. Without `accept` nobody
 * takes them: BACKLOG + 1 fit, the kernel drops the rest and their SYNs come again after a second. With
 * `accept` each is taken at once and they are made one after the other. */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CONNECTS_MAX 200
#define SECONDS_MAX 60

static volatile sig_atomic_t stopped;

static void on_signal(int sig)
{
	(void)sig;
	stopped = 1;
}

static long argument(char **argv, int i, long lo, long hi)
{
	char *end;
	long v = strtol(argv[i], &end, 10);

	if (*end || v < lo || v > hi) {
		fprintf(stderr, "backlog: expected %ld to %ld, found '%s'\n", lo, hi, argv[i]);
		exit(2);
	}
	return v;
}

static int start_connect(const struct sockaddr_in *a, bool wait)
{
	int fd = socket(AF_INET, SOCK_STREAM | (wait ? 0 : SOCK_NONBLOCK), 0);

	if (fd < 0 ||
	    (connect(fd, (const struct sockaddr *)a, sizeof(*a)) != 0 && errno != EINPROGRESS)) {
		perror("backlog: connect");
		exit(1);
	}
	return fd;
}

static int count_connected(const int *fds, int n)
{
	int connected = 0;

	for (int i = 0; i < n; i++) {
		struct pollfd p = {.fd = fds[i], .events = POLLOUT};

		connected += poll(&p, 1, 0) == 1 && (p.revents & POLLOUT) &&
			     !(p.revents & (POLLERR | POLLHUP));
	}
	return connected;
}

/* Makes connections one by one until the time is over, as a service in use. */
static unsigned long accept_them(int listener, const struct sockaddr_in *a, time_t end)
{
	unsigned long n = 0;

	while (!stopped && time(NULL) < end) {
		int c = start_connect(a, true), s = accept(listener, NULL, NULL);

		if (s >= 0)
			close(s);
		close(c);
		n++;
		usleep(10000);
	}
	return n;
}

int main(int argc, char **argv)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	struct sigaction act = {.sa_handler = on_signal};
	int fds[CONNECTS_MAX], listener, n, one = 1;
	time_t end;

	if (argc < 5) {
		fprintf(stderr, "usage: backlog PORT BACKLOG CONNECTS SECONDS [accept]\n");
		return 2;
	}
	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGINT, &act, NULL);
	a.sin_port = htons((unsigned short)argument(argv, 1, 1, 65535));
	n = (int)argument(argv, 3, 0, CONNECTS_MAX);
	end = time(NULL) + argument(argv, 4, 1, SECONDS_MAX);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (listener < 0 || bind(listener, (struct sockaddr *)&a, sizeof(a)) != 0 ||
	    listen(listener, (int)argument(argv, 2, 0, 65535)) != 0) {
		perror("backlog: listen");
		return 1;
	}
	if (argc > 5 && strcmp(argv[5], "accept") == 0) {
		printf("%lu connections accepted\n", accept_them(listener, &a, end));
		return 0;
	}
	for (int i = 0; i < n; i++)
		fds[i] = start_connect(&a, false);
	while (!stopped && time(NULL) < end)
		usleep(100000);
	printf("%d of %d connected\n", count_connected(fds, n), n);
	return 0;
}
