/* Holds many established TCP connections on loopback, both ends, and a UDP socket: hold CONNECTIONS. Each process takes as many as
 * its descriptors allow; addresses 127.0.0.2 and on keep ports from running out. Prints "ready", and holds until it is killed. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define EACH 9000 /* connections of one process: two descriptors each */
#define PORT 5600

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* As many descriptors as are allowed. */
static void raise_limit(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) == 0) {
		r.rlim_cur = r.rlim_max;
		setrlimit(RLIMIT_NOFILE, &r);
	}
}

static void hold_udp(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(PORT)};
	int u = socket(AF_INET, SOCK_DGRAM, 0);

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (u < 0 || bind(u, (struct sockaddr *)&a, sizeof(a)) != 0)
		die("bind a UDP socket");
}

static void hold(unsigned worker, unsigned n)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(PORT)};
	int l = socket(AF_INET, SOCK_STREAM, 0);

	a.sin_addr.s_addr = htonl(0x7f000002u + worker);
	if (l < 0 || bind(l, (struct sockaddr *)&a, sizeof(a)) != 0 || listen(l, 64) != 0)
		die("listen");
	for (unsigned i = 0; i < n; i++) {
		int c = socket(AF_INET, SOCK_STREAM, 0);

		if (c < 0 || connect(c, (struct sockaddr *)&a, sizeof(a)) != 0)
			die("connect");
		if (accept(l, NULL, NULL) < 0)
			die("accept");
	}
}

int main(int argc, char **argv)
{
	unsigned total = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1000;
	int up[2];
	char c;

	raise_limit();
	hold_udp();
	if (pipe(up) != 0)
		die("pipe");
	for (unsigned worker = 0; worker * EACH < total; worker++) {
		unsigned n = total - worker * EACH < EACH ? total - worker * EACH : EACH;
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (pid > 0)
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		hold(worker, n);
		if (write(up[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(up[1]);
	for (unsigned worker = 0; worker * EACH < total; worker++) {
		if (read(up[0], &c, 1) != 1)
			die("a worker failed");
	}
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
