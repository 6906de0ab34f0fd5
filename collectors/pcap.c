/* Packet captures as files, pcap and pcapng, read by libpcap from the stream that the source hands out.
 *
 * libpcap gets the bytes through a cookie and never a path, so that a file in an archive or of a parent process without
 * rights is read like any other. What was read before a file ends too early is used, and the facts say so. */
#include "collectors/collector.h"
#include "collectors/pcap_decode.h"

#include <errno.h>
#include <pcap/pcap.h>

#define BUFFER_BYTES (1u << 18)

static const struct nd_read reads[] = {
	{"packet capture", ND_READ_ONCE | ND_READ_BINARY,
	 "a1b2c3d4\nd4c3b2a1\na1b23c4d\n4d3cb2a1\na1b2cd34\n34cdb2a1\n0a0d0d0a"},
	{NULL, 0, NULL},
};

static ssize_t from_stream(void *cookie, char *out, size_t n)
{
	struct nd_stream *s = cookie;
	size_t got = nd_stream_bytes(s, out, n);

	return got || !nd_stream_error(s) ? (ssize_t)got : -1;
}

/* NULL with why filled. */
static pcap_t *open_capture(struct nd_stream *s, char *why)
{
	const cookie_io_functions_t io = {.read = from_stream};
	FILE *file = fopencookie(s, "rb", io);
	pcap_t *p;

	if (!file) {
		snprintf(why, PCAP_ERRBUF_SIZE, "%s", strerror(errno));
		return NULL;
	}
	setvbuf(file, NULL, _IOFBF, BUFFER_BYTES);
	p = pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, why);
	if (!p)
		fclose(file);
	return p;
}

/* Returns the number of packets. */
static uint64_t read_packets(pcap_t *p, struct nd_flows *w, struct nd_buf *cut)
{
	const int link = pcap_datalink(p);
	struct pcap_pkthdr *h;
	const u_char *data;
	uint64_t n = 0;
	int rc;

	while ((rc = pcap_next_ex(p, &h, &data)) == 1) {
		uint64_t s = h->ts.tv_sec > 0 ? (uint64_t)h->ts.tv_sec : 0;
		uint64_t ns = h->ts.tv_usec > 0 ? (uint64_t)h->ts.tv_usec : 0;

		n++;
		if (s < UINT32_MAX && ns < ND_NSEC_PER_SEC)
			nd_pcap_decode(w, link, s * ND_NSEC_PER_SEC + ns, data, h->caplen, h->len);
		else
			nd_flows_skipped(w);
	}
	if (rc == PCAP_ERROR)
		nd_buf_printf(cut, "behind packet %llu: %s", (unsigned long long)n, pcap_geterr(p));
	return n;
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	char why[PCAP_ERRBUF_SIZE] = "";
	struct nd_buf cut = {0};
	pcap_t *p = open_capture(s, why);
	struct nd_flows *w;
	int rc = 0;

	if (!p)
		return nd_fail(e, -EINVAL, "%s: %s", in->path, why);
	if (!nd_pcap_knows(pcap_datalink(p))) {
		rc = nd_fail(e, -EINVAL,
			     "%s: link type %d does not carry IP as far as is known here", in->path,
			     pcap_datalink(p));
		pcap_close(p);
		return rc;
	}
	w = nd_flows_new();
	if (!read_packets(p, w, &cut))
		rc = nd_fail(e, -ENODATA, "%s: no packet in it%s%s", in->path, cut.len ? ": " : "",
			     nd_buf_str(&cut));
	else
		nd_flows_put(w, f, in, cut.len ? nd_buf_str(&cut) : NULL, true);
	if (!rc && cut.len)
		nd_warn("%s: %s; what was read before is used", in->path, nd_buf_str(&cut));
	nd_flows_free(w);
	nd_buf_free(&cut);
	pcap_close(p);
	return rc;
}

const struct nd_collector nd_collector_pcap = {
	.name = "pcap",
	.doc = "connections from packet captures, pcap and pcapng",
	.reads = reads,
	.facts = nd_flow_facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
};
