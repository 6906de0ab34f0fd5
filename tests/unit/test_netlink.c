/* Netlink: bytes that no kernel would send, attributes of every length, and a dump of a live
 * kernel. */
#include "collectors/netlink.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/socket.h>

#define TYPE 77
#define SEQ 5

/* ---- buffers of messages ---- */

struct buffer {
	_Alignas(8) char b[512];
	size_t n;
};

static void add(struct buffer *b, uint16_t type, uint16_t flags, uint32_t seq, const void *data,
		size_t len)
{
	struct nlmsghdr h = {.nlmsg_len = (uint32_t)(NLMSG_HDRLEN + len),
			     .nlmsg_type = type,
			     .nlmsg_flags = flags,
			     .nlmsg_seq = seq};

	assert_true(b->n + NLMSG_ALIGN(h.nlmsg_len) <= sizeof(b->b));
	memcpy(b->b + b->n, &h, sizeof(h));
	if (len)
		memcpy(b->b + b->n + NLMSG_HDRLEN, data, len);
	b->n += NLMSG_ALIGN(h.nlmsg_len);
}

static int count(const struct nlmsghdr *h, void *ctx)
{
	assert_int_equal(h->nlmsg_type, TYPE);
	return ++*(int *)ctx == 99 ? -ECANCELED : 0;
}

static void test_walk(void **state)
{
	static const int32_t zero, refused = -EPERM, odd = 7;
	static const struct {
		const char *what;
		uint16_t type, flags;
		uint32_t seq;
		const void *data;
		size_t len;
		int rc, calls;
		bool changed, refused;
	} rows[] = {
		{"an answer", TYPE, 0, SEQ, "abcd", 4, 0, 1, false, false},
		{"an answer without payload", TYPE, 0, SEQ, "", 0, 0, 1, false, false},
		{"of another request", TYPE, 0, SEQ - 1, "abcd", 4, 0, 0, false, false},
		{"a disturbed dump", TYPE, NLM_F_DUMP_INTR, SEQ, "abcd", 4, 0, 1, true, false},
		{"no-op", NLMSG_NOOP, 0, SEQ, "", 0, 0, 0, false, false},
		{"overrun", NLMSG_OVERRUN, 0, SEQ, "", 0, -ENOBUFS, 0, false, false},
		{"the end", NLMSG_DONE, 0, SEQ, &zero, 4, 1, 0, false, false},
		{"the end of an old kernel", NLMSG_DONE, 0, SEQ, "", 0, 1, 0, false, false},
		{"the end of another", NLMSG_DONE, 0, SEQ + 1, &zero, 4, 0, 0, false, false},
		{"an end that says it failed", NLMSG_DONE, NLM_F_DUMP_INTR, SEQ, &refused, 4,
		 -EPERM, 0, true, true},
		{"refused", NLMSG_ERROR, 0, SEQ, &refused, 4, -EPERM, 0, false, true},
		{"an acknowledgement", NLMSG_ERROR, 0, SEQ, &zero, 4, 1, 0, false, false},
		{"an error above zero", NLMSG_ERROR, 0, SEQ, &odd, 4, 1, 0, false, false},
		{"an error without a number", NLMSG_ERROR, 0, SEQ, "", 0, -EBADMSG, 0, false,
		 false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buffer b = {.n = 0};
		int calls = 0;
		struct nd_nl_walk w = {.seq = SEQ, .fn = count, .ctx = &calls};

		add(&b, rows[i].type, rows[i].flags, rows[i].seq, rows[i].data, rows[i].len);
		if (nd_nl_walk(b.b, b.n, &w) != rows[i].rc || calls != rows[i].calls ||
		    w.changed != rows[i].changed || w.refused != rows[i].refused)
			fail_msg("%s", rows[i].what);
	}
}

static void test_walk_many(void **state)
{
	struct buffer b = {.n = 0};
	int calls = 0;
	struct nd_nl_walk w = {.seq = SEQ, .fn = count, .ctx = &calls};

	(void)state;
	add(&b, TYPE, 0, SEQ, "abc", 3); /* padded */
	add(&b, TYPE, 0, SEQ, "abcd", 4);
	add(&b, NLMSG_DONE, 0, SEQ, "\0\0\0", 4);
	add(&b, TYPE, 0, SEQ, "late", 4);
	assert_int_equal(nd_nl_walk(b.b, b.n, &w), 1);
	assert_int_equal(calls, 2);
	calls = 98; /* the next call ends it */
	assert_int_equal(nd_nl_walk(b.b, b.n, &w), -ECANCELED);
	assert_int_equal(calls, 99);
}

/* A message whose length does not fit the buffer, and buffers cut at each byte. */
static void test_walk_hostile(void **state)
{
	static const uint32_t lengths[] = {0,	 1,	    NLMSG_HDRLEN - 1, 21,
					   4096, INT32_MAX, UINT32_MAX - 3,   UINT32_MAX};
	struct buffer b = {.n = 0};
	int calls = 0;
	struct nd_nl_walk w = {.seq = SEQ, .fn = count, .ctx = &calls};

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		b.n = 0;
		add(&b, TYPE, 0, SEQ, "abcd", 4);
		memcpy(b.b, &lengths[i], sizeof(lengths[i]));
		assert_int_equal(nd_nl_walk(b.b, b.n, &w), -EBADMSG);
	}
	assert_int_equal(calls, 0);
	b.n = 0;
	add(&b, TYPE, 0, SEQ, "abcd", 4);
	for (size_t n = 1; n < b.n; n++) {
		char *exact = malloc(n); /* so that a read beyond it is seen */

		assert_non_null(exact);
		memcpy(exact, b.b, n);
		assert_int_equal(nd_nl_walk(exact, n, &w), -EBADMSG);
		free(exact);
	}
	assert_int_equal(nd_nl_walk(b.b, 0, &w), 0);
}

/* ---- attributes ---- */

static void test_attributes(void **state)
{
	static const struct {
		struct nlattr one;
		uint32_t value;
		struct nlattr two;
		char text[8];
	} bytes = {{8, 1}, 42, {9, 2 | NLA_F_NESTED}, "eth0"};
	struct nd_nl_iter it = nd_nl_iter(&bytes, sizeof(bytes));
	struct nd_nl_attr a;
	char text[8], tight[4];
	uint32_t v32 = 0;
	uint64_t v64 = 1;
	uint8_t v8 = 0;

	(void)state;
	assert_true(nd_nl_next(&it, &a));
	assert_int_equal(a.type, 1);
	assert_true(nd_nl_u32(&a, &v32) && v32 == 42);
	assert_true(nd_nl_u8(&a, &v8));
	assert_false(nd_nl_u64(&a, &v64));
	assert_int_equal(v64, 1);
	assert_true(nd_nl_next(&it, &a));
	assert_int_equal(a.type, 2);
	assert_int_equal(a.len, 5);
	assert_true(nd_nl_text(&a, text, sizeof(text)));
	assert_string_equal(text, "eth0");
	assert_false(nd_nl_text(&a, tight, sizeof(tight)));
	assert_false(nd_nl_next(&it, &a));
	a.len = 0;
	assert_false(nd_nl_text(&a, text, sizeof(text)));
	a.len = 3; /* a string without its NUL */
	assert_true(nd_nl_text(&a, text, sizeof(text)));
	assert_string_equal(text, "eth");
}

static void test_attributes_hostile(void **state)
{
	static const uint16_t lengths[] = {0, 1, 3, 9, 100, UINT16_MAX};
	struct nd_nl_attr a;

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct nlattr bad[2] = {{lengths[i], 1}, {4, 2}};
		struct nd_nl_iter it = nd_nl_iter(bad, sizeof(bad));

		assert_false(nd_nl_next(&it, &a));
		assert_false(nd_nl_next(&it, &a)); /* and it stays at its end */
	}
	for (size_t n = 0; n < 4; n++) {
		struct nd_nl_iter it = nd_nl_iter("\4\0\1", n);

		assert_false(nd_nl_next(&it, &a));
	}
}

static void test_payload(void **state)
{
	struct buffer b = {.n = 0};
	const struct nlmsghdr *h = (const struct nlmsghdr *)(const void *)b.b;
	struct nlmsghdr broken = {.nlmsg_len = 3};
	struct nd_nl_iter it;
	struct nd_nl_attr a;
	size_t len = 0;

	(void)state;
	add(&b, TYPE, 0, SEQ, "abcd\5\0\7\0x", 9);
	assert_non_null(nd_nl_payload(h, 9, &len));
	assert_int_equal(len, 9);
	assert_null(nd_nl_payload(h, 10, NULL));
	assert_null(nd_nl_payload(&broken, 1, NULL));
	it = nd_nl_attrs(h, 3); /* the fixed part is padded to 4 */
	assert_true(nd_nl_next(&it, &a));
	assert_int_equal(a.type, 7);
	assert_int_equal(a.len, 1);
	it = nd_nl_attrs(h, 64);
	assert_false(nd_nl_next(&it, &a));
}

/* ---- a live kernel ---- */

static int find_loopback(const struct nlmsghdr *h, void *ctx)
{
	const struct ifinfomsg *info = nd_nl_payload(h, sizeof(*info), NULL);

	if (info && info->ifi_index == 1)
		*(bool *)ctx = true;
	return 0;
}

static int stop_at_once(const struct nlmsghdr *h, void *ctx)
{
	(void)h;
	(void)ctx;
	return -ECANCELED;
}

static int dump(struct nd_nl *nl, uint16_t type, const void *payload, size_t len, nd_nl_fn *fn,
		void *ctx, struct nd_err *e)
{
	return nd_nl_dump(nl, &(struct nd_nl_request){type, payload, len, fn, NULL, ctx}, e);
}

static void test_dump(void **state)
{
	const struct ifinfomsg all = {.ifi_family = AF_UNSPEC};
	struct nd_err e = {""};
	bool found = false;
	int rc = 1;
	struct nd_nl *nl = nd_nl_open(NETLINK_ROUTE, &rc, &e);

	(void)state;
	if (!nl) /* no netlink in this sandbox: the reason must be told */
		fail_msg("%s", e.msg);
	assert_int_equal(rc, 0);
	assert_true(dump(nl, RTM_GETLINK, &all, sizeof(all), find_loopback, &found, &e) >= 0);
	assert_true(found);
	/* a request that the kernel refuses leaves the socket usable */
	rc = dump(nl, RTM_GETLINK + 4000, &all, sizeof(all), find_loopback, &found, &e);
	assert_int_equal(rc, -EOPNOTSUPP);
	assert_non_null(strstr(e.msg, "netlink dump of type"));
	found = false;
	assert_true(dump(nl, RTM_GETLINK, &all, sizeof(all), find_loopback, &found, &e) >= 0);
	assert_true(found);
	/* one that was left half-read does not */
	assert_int_equal(dump(nl, RTM_GETLINK, &all, sizeof(all), stop_at_once, NULL, &e),
			 -ECANCELED);
	assert_int_equal(dump(nl, RTM_GETLINK, &all, sizeof(all), find_loopback, &found, &e),
			 -EBADF);
	nd_nl_close(nl);
	nd_nl_close(NULL);
}

static void test_limits(void **state)
{
	static const char large[8192];
	struct nd_err e = {""};
	int rc = 0;
	struct nd_nl *nl;

	(void)state;
	assert_null(nd_nl_open(4000, &rc, &e));
	assert_int_equal(rc, -EPROTONOSUPPORT);
	assert_non_null(strstr(e.msg, "protocol 4000"));
	nl = nd_nl_open(NETLINK_ROUTE, NULL, &e);
	assert_non_null(nl);
	assert_int_equal(dump(nl, RTM_GETLINK, large, sizeof(large), stop_at_once, NULL, &e),
			 -EMSGSIZE);
	nd_nl_close(nl);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_walk),
		cmocka_unit_test(test_walk_many),
		cmocka_unit_test(test_walk_hostile),
		cmocka_unit_test(test_attributes),
		cmocka_unit_test(test_attributes_hostile),
		cmocka_unit_test(test_payload),
		cmocka_unit_test(test_dump),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
