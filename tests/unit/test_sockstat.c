/* /proc/net/sockstat: the two scopes on one line, pages, and lines cut short. */
#include "tests/unit/counter_input.h"

#include <unistd.h>

extern const struct nd_collector nd_collector_sockstat;
static const struct nd_collector *const c = &nd_collector_sockstat;

static const char text[] = "sockets: used 4224\n"
			   "TCP: inuse 7106 orphan 4614 tw 326428 alloc 7142 mem 8559\n"
			   "UDP: inuse 325 mem 229\n"
			   "UDPLITE: inuse 1\n"
			   "RAW: inuse 2\n"
			   "FRAG: inuse 3 memory 5120\n";

static void test_numbers(void **state)
{
	struct store s = store_new(c->facts, NULL);

	(void)state;
	assert_int_equal(feed_text(&s, c, "sockstat", text), 0);
	expect_num(&s, "tcp.sockets.inuse", 7106);
	expect_num(&s, "tcp.sockets.tw", 326428);
	expect_num(&s, "tcp.sockets.orphan", 4614);
	expect_num(&s, "tcp.sockets.alloc", 7142);
	expect_num(&s, "udp.sockets.inuse", 325);
	expect_num(&s, "frag.mem", 5120);
	if (sysconf(_SC_PAGESIZE) == 4096) { /* else a recording's memory is not known */
		expect_num(&s, "tcp.sockets.mem", 8559 * 4096.0);
		expect_num(&s, "udp.sockets.mem", 229 * 4096.0);
	}
	store_free(&s);
}

/* Another namespace's file speaks of its own sockets and of the host's memory. */
static void test_scopes(void **state)
{
	struct nd_input in = {.path = "/proc/7/net/sockstat", .netns = "pod"};
	struct store s = store_new(c->facts, NULL);
	struct nd_stream *stream = nd_stream_mem(text, strlen(text));
	nd_id pod;

	(void)state;
	assert_int_equal(c->parse(&in, stream, s.f, &s.e), 0);
	nd_stream_close(stream);
	pod = nd_entity_find(s.f, ND_NETNS, "pod");
	assert_int_not_equal(pod, ND_NO_ENTITY);
	assert_true(
		nd_get(s.f, pod, nd_registry_find(s.r, ND_NETNS, "tcp.sockets.tw"), ND_BARE).num ==
		326428);
	expect_num(&s, "tcp.sockets.orphan", 4614);
	expect_missing(&s, "tcp.sockets.tw", ND_NOT_SAMPLED); /* of "host" */
	store_free(&s);
}

static void test_bad(void **state)
{
	static const struct {
		const char *text;
		int rc;
		enum nd_missing tw;
	} rows[] = {
		{"TCP: inuse 1 orphan 0 tw 32", 0, ND_TOOL_OUTPUT_ABSENT},
		{"TCP: inuse 1 orphan 0 tw\n", 0, ND_TOOL_OUTPUT_ABSENT},
		{"TCP: inuse 1 tw -2\n", 0, ND_PARSE_ERROR},
		{"TCP6: inuse 1 tw 2\n", -EINVAL, ND_NOT_SAMPLED},
		{"", -EINVAL, ND_NOT_SAMPLED},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct store s = store_new(c->facts, NULL);

		assert_int_equal(feed_text(&s, c, "sockstat", rows[i].text), rows[i].rc);
		if (rows[i].rc)
			assert_non_null(strstr(s.e.msg, "TCP: inuse"));
		expect_missing(&s, "tcp.sockets.tw", rows[i].tw);
		store_free(&s);
	}
}

static void test_hostile(void **state)
{
	(void)state;
	cut_everywhere(c, c->facts, NULL, "tests/hosts/kernel-6.18/proc/net/sockstat", 1, false);
	garble(c, c->facts, NULL, "tests/hosts/kernel-6.18/proc/net/sockstat");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_scopes),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
