/* What a redacted text no longer tells, and that it still tells one from another. */
#include "engine/core/redact.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void test_texts(void **state)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{"peer:203.0.113.9:5432", "peer:198.18.0.1:5432"},
		{"203.0.113.9 and 203.0.113.10", "198.18.0.1 and 198.18.0.2"},
		{"203.0.113.9", "198.18.0.1"}, /* the same as above */
		{"(203.0.113.9).", "(198.18.0.1)."},
		{"tcp/0.0.0.0:80 127.0.0.1 255.255.255.0",
		 "tcp/0.0.0.0:80 127.0.0.1 255.255.255.0"},
		{"kernel 6.1.0-18 5.10.0.1234", "kernel 6.1.0-18 5.10.0.1234"},
		{"1.2.3.4.5", "1.2.3.4.5"},
		{"rate 12.5 at 10:02:11", "rate 12.5 at 10:02:11"},
		{"tcp/[2a00:1450::8b]:443", "tcp/[2001:db8::0:1]:443"},
		{"2a00:1450:0:0:0:0:0:8b", "2001:db8::0:1"}, /* the same, spelt out */
		{"::1 and :: and fe80::1%eth0", "::1 and :: and 2001:db8::0:2%eth0"},
		{"::ffff:203.0.113.9", "2001:db8::0:3"},
		{"3c:fd:fe:12:34:56 3C-FD-FE-12-34-56", "02:00:00:00:00:01 02:00:00:00:00:01"},
		{"ff:ff:ff:ff:ff:ff", "ff:ff:ff:ff:ff:ff"},
		{"host web1 says web1.example.com, web10 not",
		 "host host1 says host1.example.com, web10 not"},
		{"WEB1: user alice's shell", "host1: user user2's shell"},
		{"uplink-to-acme", "alias3"},
		{"root@localhost", "root@localhost"},
		{"", ""},
	};
	struct nd_redactor *r = nd_redactor_new();

	(void)state;
	nd_redactor_free(r);
	r = nd_redactor_empty();
	nd_redact_name(r, "host", "web1");
	nd_redact_name(r, "user", "alice");
	nd_redact_name(r, "alias", "uplink-to-acme");
	nd_redact_name(r, "user", "root");
	nd_redact_name(r, "user", "ab");
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct nd_buf out = {0};

		nd_redact(r, rows[i].text, strlen(rows[i].text), &out);
		assert_string_equal(nd_buf_str(&out), rows[i].want);
		nd_buf_free(&out);
	}
	nd_redactor_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_texts)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
