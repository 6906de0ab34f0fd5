/* Makes a large capture of plausible connections, and times commands, for tests/bench/pcap.sh.
 *
 *	pcapgen make PACKETS	writes a pcap file to standard output
 *	pcapgen time COMMAND…	runs it with its output thrown away; prints wall ms and peak KiB
 *
 * Two thousand connections at a time ask and answer in turn; one answer in a hundred has a lost segment that is sent
 * again, each ends after fifty answers and another begins. Checksums are right, so that nothing is skipped. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CONNECTIONS 2000u
#define ANSWERS 50u
#define SEGMENT 200u

struct connection {
	uint32_t id, client_seq, server_seq;
	unsigned answers; /* 0: not open */
};

static struct connection connections[CONNECTIONS];
static uint64_t now_us = 1600000000000000ull, left;
static uint32_t next_id;

static void be16(uint8_t *d, unsigned v)
{
	d[0] = (uint8_t)(v >> 8);
	d[1] = (uint8_t)v;
}

static void be32(uint8_t *d, uint32_t v)
{
	be16(d, v >> 16);
	be16(d + 2, v & 0xffff);
}

static unsigned checksum(const uint8_t *d, size_t n, uint32_t sum)
{
	for (size_t i = 0; i + 1 < n; i += 2)
		sum += (uint32_t)d[i] << 8 | d[i + 1];
	if (n & 1)
		sum += (uint32_t)d[n - 1] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum & 0xffff;
}

static void put(const uint8_t *d, size_t n)
{
	uint32_t head[4] = {(uint32_t)(now_us / 1000000), (uint32_t)(now_us % 1000000), (uint32_t)n,
			    (uint32_t)n};

	fwrite(head, sizeof(head), 1, stdout);
	fwrite(d, n, 1, stdout);
}

/* One segment of c; from_server tells its direction. Data of len bytes. */
static void segment(const struct connection *c, int from_server, unsigned flags, uint32_t seq,
		    uint32_t ack, unsigned len)
{
	uint8_t d[14 + 20 + 32 + 2048] = {0}, *ip = d + 14, *tcp = ip + 20;
	const unsigned header = 32, total = 20 + header + len;
	const uint32_t client = 0x0a000000u + c->id / 50000, server = 0xc0a80001u + c->id % 40;
	const unsigned port = 10000 + c->id % 50000;

	if (!left)
		return;
	left--;
	now_us += 3;
	d[12] = 8;
	ip[0] = 0x45;
	be16(ip + 2, total);
	ip[8] = 64;
	ip[9] = 6;
	be32(ip + 12, from_server ? server : client);
	be32(ip + 16, from_server ? client : server);
	be16(ip + 10, checksum(ip, 20, 0));
	be16(tcp, from_server ? 443 : port);
	be16(tcp + 2, from_server ? port : 443);
	be32(tcp + 4, seq);
	be32(tcp + 8, ack);
	tcp[12] = (uint8_t)(header / 4 << 4);
	tcp[13] = (uint8_t)flags;
	be16(tcp + 14, 500);
	memcpy(tcp + 20, "\1\1\10\12", 4);
	be32(tcp + 24, (uint32_t)(now_us / 1000));
	memset(tcp + header, 'x', len);
	be16(tcp + 16,
	     checksum(tcp, header + len, 6 + header + len + (checksum(ip + 12, 8, 0) ^ 0xffff)));
	put(d, 14 + total);
}

static void begin(struct connection *c)
{
	*c = (struct connection){next_id++, 1000, 5000, ANSWERS};
	segment(c, 0, 2, c->client_seq++, 0, 0);
	segment(c, 1, 0x12, c->server_seq++, c->client_seq, 0);
	segment(c, 0, 0x10, c->client_seq, c->server_seq, 0);
}

static void answer(struct connection *c)
{
	const int lost = rand() % 100 == 0;
	const uint32_t hole = c->server_seq;

	segment(c, 0, 0x18, c->client_seq, c->server_seq, 120);
	c->client_seq += 120;
	for (int i = 0; i < 3; i++) {
		if (!lost || i)
			segment(c, 1, 0x18, c->server_seq, c->client_seq, SEGMENT);
		c->server_seq += SEGMENT;
		if (lost && i)
			segment(c, 0, 0x10, c->client_seq, hole, 0);
	}
	if (lost)
		segment(c, 1, 0x18, hole, c->client_seq, SEGMENT);
	segment(c, 0, 0x10, c->client_seq, c->server_seq, 0);
	if (--c->answers)
		return;
	segment(c, 0, 0x11, c->client_seq++, c->server_seq, 0);
	segment(c, 1, 0x11, c->server_seq++, c->client_seq, 0);
	segment(c, 0, 0x10, c->client_seq, c->server_seq, 0);
}

static int make(uint64_t packets)
{
	const uint32_t head[6] = {0xa1b2c3d4, 0x00040002, 0, 0, 262144, 1};

	left = packets;
	srand(1);
	fwrite(head, sizeof(head), 1, stdout);
	while (left) {
		struct connection *c = &connections[(unsigned)rand() % CONNECTIONS];

		if (c->answers)
			answer(c);
		else
			begin(c);
	}
	return fflush(stdout) != 0;
}

static int run(char **command)
{
	struct timespec from, to;
	struct rusage used;
	int status, null;
	pid_t pid;

	clock_gettime(CLOCK_MONOTONIC, &from);
	pid = fork();
	if (pid == 0) {
		null = open("/dev/null", O_WRONLY);
		dup2(null, 1);
		dup2(null, 2);
		execvp(command[0], command);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &used) < 0)
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &to);
	printf("%ld %ld\n",
	       (to.tv_sec - from.tv_sec) * 1000 + (to.tv_nsec - from.tv_nsec) / 1000000,
	       used.ru_maxrss);
	return !WIFEXITED(status) || WEXITSTATUS(status) == 127;
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "make") == 0)
		return make(strtoull(argv[2], NULL, 10));
	if (argc > 2 && strcmp(argv[1], "time") == 0)
		return run(argv + 2);
	fprintf(stderr, "usage: pcapgen make PACKETS | time COMMAND…\n");
	return 2;
}
