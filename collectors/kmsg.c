/* The kernel's log, live from /dev/kmsg.
 *
 * One read gives one record: "PRIORITY,SEQUENCE,MICROSECONDS,FLAGS[,…];TEXT", with further lines of
 * KEY=VALUE below it. The time is that of the local clock since boot, as CLOCK_MONOTONIC within
 * milliseconds. EPIPE means that records were overwritten before they were read: the next read goes
 * on behind them. The device is opened here and not through the source, because it is a queue of
 * records and no file. */
#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "collectors/collector.h"
#include "collectors/host.h"

#define DEVICE "/dev/kmsg"
#define RECORD_BYTES 16384 /* the kernel's records have at most 8 KiB */
#define RECORDS_MAX 20000
#define TIME_MAX_NS (200 * 1000000ull)
#define FACILITY_KERNEL 0 /* others were written by programs */

/* Puts one record; false when it has another form. */
static bool take_record(char *record, double now, const struct nd_input *in, struct nd_facts *f)
{
	char *text = strchr(record, ';'), *head = record, *word;
	uint64_t v[3];

	if (!text)
		return false;
	*text++ = '\0';
	text[strcspn(text, "\n")] = '\0';
	for (size_t i = 0; i < ND_ARRAY_LEN(v); i++) {
		word = nd_split(&head, ",");
		if (!word || !nd_parse_u64(word, 10, &v[i]))
			return false;
	}
	if (v[0] >> 3 == FACILITY_KERNEL) {
		double age = now - (double)v[2] / 1e6;

		nd_put_log(f, age > 0 ? age : 0, text, in);
	}
	return true;
}

static int read_all(int fd, const struct nd_live *l, struct nd_facts *f, struct nd_err *e)
{
	uint64_t start_ns = nd_source_now(l->source), bad = 0;
	char *record = nd_alloc(RECORD_BYTES);
	int rc = 0;

	for (uint32_t n = 0; n < RECORDS_MAX && nd_source_now(l->source) - start_ns < TIME_MAX_NS;
	     n++) {
		ssize_t got = read(fd, record, RECORD_BYTES - 1);

		if (got == 0 || (got < 0 && errno == EAGAIN))
			break;
		if (got < 0 && (errno == EPIPE || errno == EINTR ||
				errno == EINVAL)) /* overwritten; too long */
			continue;
		if (got < 0) {
			rc = nd_fail(e, -errno, "%s: %s", DEVICE, strerror(errno));
			break;
		}
		record[got] = '\0';
		bad += !take_record(record, (double)start_ns / 1e9, &l->in, f);
	}
	free(record);
	if (rc == 0)
		nd_put_num(f, 0, &nd_kernel_log_facts[0], (double)start_ns / 1e9, &l->in);
	if (rc == 0 && bad)
		nd_info("%s: %llu records of another form", DEVICE, (unsigned long long)bad);
	return rc;
}

static int live(struct nd_live *l, struct nd_facts *f, struct nd_err *e)
{
	int fd, rc;

	if (!l->last)
		return 0;
	l->in.path = DEVICE;
	fd = open(DEVICE, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	rc = fd < 0 ? nd_fail(e, -errno, "%s: %s", DEVICE, strerror(errno)) : read_all(fd, l, f, e);
	if (fd >= 0)
		close(fd);
	if (rc == 0)
		nd_log_read(f);
	else
		nd_log_missing(
			f, rc == -EPERM || rc == -EACCES ? ND_NO_PERMISSION : ND_NOT_ON_THIS_KERNEL,
			"%s", e->msg);
	return rc;
}

const struct nd_collector nd_collector_kmsg = {
	.name = "kmsg",
	.doc = "the kernel's log, live",
	.facts = nd_kernel_log_facts,
	.collect = "dmesg -T",
	.entities = {ND_NO_KIND},
	.live = live,
};
