/* Any bytes as a capture file, and as packets behind the file format.
 *
 * The first byte chooses: 0 feeds the rest as a file to the collector; another names a link type, and the rest are
 * packets, each a length byte and so many bytes, 10 ms apart: so the decoder is reached without a valid file. */
#include "collectors/collector.h"
#include "collectors/pcap_decode.h"
#include "tests/fuzz/fuzz.h"

extern const struct nd_collector nd_collector_pcap;

static const int links[] = {1, 101, 113, 276, 0, 9, 108, 12};

static const struct nd_registry *registry(void)
{
	static struct nd_registry *r;

	if (!r) {
		r = nd_registry_new();
		nd_collectors_register(r);
		nd_log_level = ND_LOG_QUIET;
	}
	return r;
}

static void as_file(const uint8_t *data, size_t size, const struct nd_input *in, struct nd_facts *f)
{
	char *copy = fuzz_text(data, size);
	struct nd_stream *s = nd_stream_mem(copy, size);
	struct nd_err e = {""};
	int rc = nd_collector_pcap.parse(in, s, f, &e);

	FUZZ_CHECK(rc <= 0);
	FUZZ_CHECK(rc == 0 || *e.msg);
	nd_stream_close(s);
	free(copy);
}

static void as_packets(int link, const uint8_t *data, size_t size, const struct nd_input *in,
		       struct nd_facts *f)
{
	struct nd_flows *w = nd_flows_new();
	uint64_t t_ns = 0;

	while (size > 1) {
		size_t n = data[0] < size - 1 ? data[0] : size - 1;
		uint8_t *exact = nd_alloc(n ? n : 1); /* so that reading on is seen */

		memcpy(exact, data + 1, n);
		t_ns += 10000000;
		nd_pcap_decode(w, link, t_ns, exact, n, n + (data[0] & 3));
		free(exact);
		data += n + 1;
		size -= n + 1;
	}
	nd_flows_put(w, f, in, NULL, true);
	nd_flows_free(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct nd_input in = {.path = "fuzz.pcap", .netns = "host"};
	struct nd_facts *f;

	if (size < 1)
		return 0;
	f = nd_facts_new(registry());
	if (data[0] == 0)
		as_file(data + 1, size - 1, &in, f);
	else
		as_packets(links[data[0] % ND_ARRAY_LEN(links)], data + 1, size - 1, &in, f);
	nd_facts_free(f);
	return 0;
}
