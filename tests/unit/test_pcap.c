/* Capture files made byte by byte: formats, link types, tunnels, checksums, and what is cut or spoilt. */
#include "tests/unit/parse_text.h"

extern const struct nd_collector nd_collector_pcap;
static const struct nd_collector *const c = &nd_collector_pcap;
static const struct nd_collector *const list[] = {&nd_collector_pcap, NULL};

#define PEER "198.51.100.21:80"
enum { EN10MB = 1, RAW = 101, SLL = 113, SLL2 = 276, LOOPBACK = 0, PPP = 9 };

static void put16(struct nd_buf *b, unsigned v)
{
	nd_buf_putc(b, (char)(v >> 8));
	nd_buf_putc(b, (char)v);
}

static void put32(struct nd_buf *b, uint32_t v)
{
	put16(b, v >> 16);
	put16(b, v & 0xffff);
}

static void zeros(struct nd_buf *b, size_t n)
{
	while (n--)
		nd_buf_putc(b, 0);
}

/* ---- packets ---- */

/* A SYN from 192.0.2.3:4000 to 198.51.100.21:80 with this checksum. */
static void put_tcp(struct nd_buf *b, uint32_t seq, unsigned csum)
{
	put16(b, 4000);
	put16(b, 80);
	put32(b, seq);
	put32(b, 0);
	put16(b, 0x6002);
	put16(b, 29200);
	put16(b, csum);
	put16(b, 0);
	put32(b, 0x020405b4); /* mss 1460 */
}

static void put_ip(struct nd_buf *b, unsigned proto, unsigned payload, unsigned fragment)
{
	put16(b, 0x4500);
	put16(b, 20 + payload);
	put16(b, 1);
	put16(b, fragment);
	put16(b, 64 << 8 | proto);
	put16(b, 0);
	put32(b, 0xc0000203);
	put32(b, 0xc6336415);
}

static void put_syn(struct nd_buf *b, uint32_t seq, unsigned csum)
{
	put_ip(b, 6, 24, 0x4000);
	put_tcp(b, seq, csum);
}

/* What the segment's checksum has to be: seq 1. */
#define GOOD 0x29d9u
#define PARTIAL 0xec6au /* addresses, 6 and 24 */

/* ---- files ---- */

static void begin(struct nd_buf *b, uint32_t link)
{
	put32(b, 0xa1b2c3d4);
	put32(b, 0x00020004);
	zeros(b, 8);
	put32(b, 65535);
	put32(b, link);
}

static void record(struct nd_buf *b, uint32_t seconds, const struct nd_buf *packet, size_t cut)
{
	size_t n = packet->len < cut ? packet->len : cut;

	put32(b, seconds);
	put32(b, 0);
	put32(b, (uint32_t)n);
	put32(b, (uint32_t)packet->len);
	nd_buf_put(b, packet->s, n);
}

static int feed_bytes(struct world *w, const char *s, size_t n)
{
	struct nd_input in = {.path = "a.pcap", .netns = "host"};
	struct nd_stream *stream = nd_stream_mem(s, n);
	int rc = c->parse(&in, stream, w->facts, &w->err);

	nd_stream_close(stream);
	return rc;
}

static void expect(const struct world *w, const char *fact, double v)
{
	assert_number(w, ND_PEER, PEER, fact, ND_BARE, v);
}

/* A capture of one packet twice, 2 s apart: a SYN that is sent again. */
static void expect_syn(uint32_t link, const struct nd_buf *packet)
{
	struct nd_buf b = {0};
	struct world w;

	begin(&b, link);
	record(&b, 1000, packet, SIZE_MAX);
	record(&b, 1002, packet, SIZE_MAX);
	world_open(&w, list);
	if (feed_bytes(&w, b.s, b.len) != 0)
		fail_msg("link %u: %s", link, w.err.msg);
	expect(&w, "pcap.connects", 1);
	expect(&w, "pcap.syn_retrans", 1);
	expect(&w, "pcap.client_mss", 1460);
	assert_number(&w, ND_HOST, "", "pcap.skipped", ND_BARE, 0);
	world_close(&w);
	nd_buf_free(&b);
}

static void test_links(void **state)
{
	struct nd_buf p = {0};

	(void)state;
	put_syn(&p, 1, GOOD);
	expect_syn(RAW, &p);
	p.len = 0;
	zeros(&p, 12);
	put16(&p, 0x88a8);
	put32(&p, 0x00018100);
	put32(&p, 0x00020800);
	put_syn(&p, 1, GOOD);
	expect_syn(EN10MB, &p);
	p.len = 0;
	put16(&p, 4); /* went out */
	zeros(&p, 12);
	put16(&p, 0x0800);
	put_syn(&p, 1, GOOD);
	expect_syn(SLL, &p);
	p.len = 0;
	put16(&p, 0x0800);
	zeros(&p, 18);
	p.s[10] = 4;
	put_syn(&p, 1, GOOD);
	expect_syn(SLL2, &p);
	p.len = 0;
	put32(&p, 2);
	put_syn(&p, 1, GOOD);
	expect_syn(LOOPBACK, &p);
	p.len = 0;
	put32(&p, 0xff030021);
	put_syn(&p, 1, GOOD);
	expect_syn(PPP, &p);
	nd_buf_free(&p);
}

static void test_tunnels(void **state)
{
	struct nd_buf p = {0};

	(void)state;
	put_ip(&p, 4, 44, 0);
	put_syn(&p, 1, GOOD);
	expect_syn(RAW, &p);
	p.len = 0;
	put_ip(&p, 47, 52, 0);
	put32(&p, 0x20000800); /* with a key */
	put32(&p, 7);
	put_syn(&p, 1, GOOD);
	expect_syn(RAW, &p);
	p.len = 0;
	put_ip(&p, 17, 74, 0);
	put32(&p, 4000u << 16 | 4789);
	put32(&p, 74u << 16); /* no checksum */
	put32(&p, 0x08000000);
	put32(&p, 0x00100000);
	zeros(&p, 12);
	put16(&p, 0x0800);
	put_syn(&p, 1, GOOD);
	expect_syn(RAW, &p);
	nd_buf_free(&p);
}

/* ---- checksums ---- */

static void expect_sum(unsigned csum, size_t cut, double bad, double partial)
{
	struct nd_buf b = {0}, p = {0};
	struct world w;

	put_syn(&p, 1, csum);
	begin(&b, RAW);
	record(&b, 1000, &p, cut);
	world_open(&w, list);
	assert_int_equal(feed_bytes(&w, b.s, b.len), 0);
	expect(&w, "pcap.bad_csum", bad);
	expect(&w, "pcap.partial_csum", partial);
	world_close(&w);
	nd_buf_free(&b);
	nd_buf_free(&p);
}

static void test_checksums(void **state)
{
	(void)state;
	expect_sum(GOOD, SIZE_MAX, 0, 0);
	expect_sum(0x1234, SIZE_MAX, 1, 0);
	expect_sum(PARTIAL, SIZE_MAX, 1, 1);
	expect_sum(0x1234, 42, 0, 0); /* cut within the options: not judged */
}

static void test_fragment(void **state)
{
	struct nd_buf b = {0}, p = {0};
	struct world w;

	(void)state;
	put_ip(&p, 6, 24, 100);
	put_tcp(&p, 1, 0);
	begin(&b, RAW);
	record(&b, 1000, &p, SIZE_MAX);
	world_open(&w, list);
	assert_int_equal(feed_bytes(&w, b.s, b.len), 0);
	assert_int_equal(count(&w, ND_PEER), 0);
	assert_number(&w, ND_HOST, "", "pcap.skipped", ND_BARE, 0);
	world_close(&w);
	nd_buf_free(&b);
	nd_buf_free(&p);
}

/* ---- damage ---- */

static void test_cut_file(void **state)
{
	struct nd_buf b = {0}, p = {0};
	struct world w;

	(void)state;
	put_syn(&p, 1, GOOD);
	begin(&b, RAW);
	record(&b, 1000, &p, SIZE_MAX);
	record(&b, 1002, &p, SIZE_MAX);
	nd_log_level = ND_LOG_QUIET;
	world_open(&w, list);
	assert_int_equal(feed_bytes(&w, b.s, b.len - 5), 0);
	expect(&w, "pcap.connects", 1);
	expect(&w, "pcap.syn_retrans", 0);
	assert_int_equal(value(&w, ND_HOST, "", "pcap.cut", ND_BARE).type, ND_V_TEXT);
	world_close(&w);
	world_open(&w, list);
	assert_int_equal(feed_bytes(&w, b.s, b.len), 0);
	assert_int_equal(value(&w, ND_HOST, "", "pcap.cut", ND_BARE).type, ND_V_ABSENT);
	world_close(&w);
	world_open(&w, list);
	assert_true(feed_bytes(&w, b.s, 24) < 0); /* no packet */
	assert_true(feed_bytes(&w, b.s, 10) < 0);
	assert_true(feed_bytes(&w, b.s, 0) < 0);
	assert_true(feed_bytes(&w, "hello, world, no capture", 24) < 0);
	world_close(&w);
	nd_buf_free(&b);
	nd_buf_free(&p);
}

static void test_unknown_link(void **state)
{
	struct nd_buf b = {0}, p = {0};
	struct world w;

	(void)state;
	put_syn(&p, 1, GOOD);
	begin(&b, 147);
	record(&b, 1000, &p, SIZE_MAX);
	world_open(&w, list);
	assert_true(feed_bytes(&w, b.s, b.len) < 0);
	assert_non_null(strstr(w.err.msg, "link type 147"));
	world_close(&w);
	nd_buf_free(&b);
	nd_buf_free(&p);
}

/* Every byte spoilt, every length. */
static void test_torture(void **state)
{
	struct nd_buf b = {0}, p = {0};
	struct world w;
	char *copy;

	(void)state;
	nd_log_level = ND_LOG_QUIET;
	put_ip(&p, 17, 74, 0);
	put32(&p, 4000u << 16 | 4789);
	put32(&p, 74u << 16);
	zeros(&p, 20);
	put16(&p, 0x0800);
	put_syn(&p, 1, GOOD);
	begin(&b, RAW);
	record(&b, 1000, &p, SIZE_MAX);
	copy = nd_alloc(b.len);
	for (size_t i = 0; i < b.len; i++) {
		static const char spoilers[] = {0, 1, 0x7f, (char)0xff};

		for (size_t k = 0; k < sizeof(spoilers); k++) {
			memcpy(copy, b.s, b.len);
			copy[i] = spoilers[k];
			world_open(&w, list);
			feed_bytes(&w, copy, b.len);
			feed_bytes(&w, copy, i);
			world_close(&w);
		}
	}
	free(copy);
	nd_buf_free(&b);
	nd_buf_free(&p);
}

/* More connections than are kept: the oldest make room and are counted. */
static void test_many(void **state)
{
	struct nd_buf b = {0}, p = {0};
	struct world w;
	const uint32_t n = 20000;

	(void)state;
	begin(&b, RAW);
	for (uint32_t i = 0; i < n; i++) {
		p.len = 0;
		put_syn(&p, 1, GOOD);
		p.s[14] = (char)(i >> 8);
		p.s[15] = (char)i;
		record(&b, 1000, &p, SIZE_MAX);
	}
	world_open(&w, list);
	assert_int_equal(feed_bytes(&w, b.s, b.len), 0);
	expect(&w, "pcap.connects", n);
	expect(&w, "pcap.flows", n);
	assert_number(&w, ND_HOST, "", "pcap.evicted", ND_BARE, n - 16384);
	world_close(&w);
	nd_buf_free(&b);
	nd_buf_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_links),	  cmocka_unit_test(test_tunnels),
		cmocka_unit_test(test_checksums), cmocka_unit_test(test_fragment),
		cmocka_unit_test(test_cut_file),  cmocka_unit_test(test_unknown_link),
		cmocka_unit_test(test_torture),	  cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
