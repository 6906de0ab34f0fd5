/* Strict numbers, words, lines, and numbers as text: every edge that a hostile input may try. */
#include "engine/core/str.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <unistd.h>

static void test_buf(void **state)
{
	struct nd_buf b = {0};

	(void)state;
	assert_string_equal(nd_buf_str(&b), "");
	nd_buf_puts(&b, "ab");
	nd_buf_putc(&b, 'c');
	nd_buf_put(&b, "def", 2);
	nd_buf_put(&b, NULL, 0);
	nd_buf_printf(&b, "-%0200d", 5);
	assert_int_equal(b.len, 206);
	assert_memory_equal(b.s, "abcde-000", 9);
	assert_int_equal(b.s[b.len], '\0');
	for (int i = 0; i < 10000; i++)
		nd_buf_putc(&b, 'x');
	assert_int_equal(strlen(b.s), 10206);
	nd_buf_free(&b);
	assert_null(b.s);
	nd_buf_free(&b);
}

static void test_parse_u64(void **state)
{
	static const struct {
		const char *s;
		int base;
		bool ok;
		uint64_t v;
	} rows[] = {
		{"0", 10, true, 0},
		{"007", 10, true, 7},
		{"18446744073709551615", 10, true, UINT64_MAX},
		{"18446744073709551616", 10, false, 0},
		{"99999999999999999999999", 10, false, 0},
		{"", 10, false, 0},
		{" 1", 10, false, 0},
		{"1 ", 10, false, 0},
		{"+1", 10, false, 0},
		{"-1", 10, false, 0},
		{"1a", 10, false, 0},
		{"ff", 16, true, 255},
		{"FF", 16, true, 255},
		{"ffffffffffffffff", 16, true, UINT64_MAX},
		{"10000000000000000", 16, false, 0},
		{"0xff", 16, false, 0},
		{"g", 16, false, 0},
		{"1", 8, false, 0},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		uint64_t v = 42;

		assert_int_equal(nd_parse_u64(rows[i].s, rows[i].base, &v), rows[i].ok);
		assert_int_equal(v, rows[i].ok ? rows[i].v : 42);
	}
}

static void test_parse_i64(void **state)
{
	static const struct {
		const char *s;
		bool ok;
		int64_t v;
	} rows[] = {
		{"-0", true, 0},
		{"-12", true, -12},
		{"9223372036854775807", true, INT64_MAX},
		{"9223372036854775808", false, 0},
		{"-9223372036854775808", true, INT64_MIN},
		{"-9223372036854775809", false, 0},
		{"-", false, 0},
		{"--1", false, 0},
		{"", false, 0},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		int64_t v = 42;

		assert_int_equal(nd_parse_i64(rows[i].s, &v), rows[i].ok);
		assert_int_equal(v, rows[i].ok ? rows[i].v : 42);
	}
}

static void test_parse_f64(void **state)
{
	static const struct {
		const char *s;
		bool ok;
		double v;
	} rows[] = {
		{"1", true, 1},	    {"0.25", true, 0.25},  {"-3.5", true, -3.5},
		{"1e3", false, 0},  {"inf", false, 0},	   {"nan", false, 0},
		{".5", false, 0},   {"5.", false, 0},	   {"1,5", false, 0},
		{" 1", false, 0},   {"1 ", false, 0},	   {"+1", false, 0},
		{"0x10", false, 0}, {"1.2.3", false, 0},   {"-", false, 0},
		{"", false, 0},	    {"000.10", true, 0.1}, {"0.1e1", false, 0},
	};
	char digits[402];
	double v = 42;

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		v = 42;
		assert_int_equal(nd_parse_f64(rows[i].s, &v), rows[i].ok);
		assert_true(v == (rows[i].ok ? rows[i].v : 42));
	}
	memset(digits, '9', 400);
	digits[400] = '\0';
	assert_false(nd_parse_f64(digits, &v)); /* more than a double holds */
}

static void test_words(void **state)
{
	char line[] = "  a\tbb  ccc \r";
	char empty[] = "   ";
	char pairs[] = "a=1;;b=2";
	char *p = line;

	(void)state;
	assert_string_equal(nd_word(&p), "a");
	assert_string_equal(nd_word(&p), "bb");
	assert_string_equal(nd_word(&p), "ccc");
	assert_null(nd_word(&p));
	assert_null(nd_word(&p));
	p = empty;
	assert_null(nd_word(&p));
	p = NULL;
	assert_null(nd_word(&p));
	p = pairs;
	assert_string_equal(nd_split(&p, ";="), "a");
	assert_string_equal(nd_split(&p, ";="), "1");
	assert_string_equal(nd_split(&p, ";"), "b=2");
	assert_null(nd_split(&p, ";"));
}

static void test_trim_and_affixes(void **state)
{
	char a[] = " \t x y \n", b[] = "  ", c[] = "";

	(void)state;
	assert_string_equal(nd_trim(a), "x y");
	assert_string_equal(nd_trim(b), "");
	assert_string_equal(nd_trim(c), "");
	assert_true(nd_starts("abc", "ab"));
	assert_true(nd_starts("abc", ""));
	assert_false(nd_starts("a", "ab"));
	assert_true(nd_ends("abc", "bc"));
	assert_true(nd_ends("abc", ""));
	assert_false(nd_ends("c", "bc"));
}

static void test_nearest(void **state)
{
	static const char *const names[] = {"softnet.dropped", "softnet.squeezed", "rx.dropped",
					    "mtu"};
	static const struct {
		const char *s, *near;
	} rows[] = {
		{"softnet.droped", "softnet.dropped"},
		{"softnet.dropepd", "softnet.dropped"}, /* neighbours swapped */
		{"softnet.squezed", "softnet.squeezed"},
		{"mtu", "mtu"},
		{"mut", "mtu"},
		{"xyz", NULL},
		{"", NULL},
		{"conntrack.count", NULL},
		{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		 "a",
		 NULL},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		const char *near = nd_nearest(rows[i].s, names, ND_ARRAY_LEN(names));

		if (rows[i].near)
			assert_string_equal(near ? near : "(none)", rows[i].near);
		else
			assert_null(near);
	}
	assert_null(nd_nearest("x", NULL, 0));
}

static void test_lines_of_memory(void **state)
{
	static const char text[] = "one\ntwo\r\n\nnul\0byte\nlast";
	struct nd_stream *s = nd_stream_mem(text, sizeof(text) - 1);

	(void)state;
	assert_int_equal(nd_stream_lineno(s), 0);
	assert_string_equal(nd_stream_line(s), "one");
	assert_int_equal(nd_stream_lineno(s), 1);
	assert_string_equal(nd_stream_line(s), "two");
	assert_string_equal(nd_stream_line(s), "");
	assert_string_equal(nd_stream_line(s), "nul?byte");
	assert_false(nd_stream_unended(s));
	assert_string_equal(nd_stream_line(s), "last");
	assert_true(nd_stream_unended(s));
	assert_int_equal(nd_stream_lineno(s), 5);
	assert_null(nd_stream_line(s));
	assert_null(nd_stream_line(s));
	assert_int_equal(nd_stream_lineno(s), 5);
	assert_int_equal(nd_stream_error(s), 0);
	assert_false(nd_stream_cut(s));
	nd_stream_close(s);
	s = nd_stream_mem("", 0);
	assert_null(nd_stream_line(s));
	nd_stream_close(s);
	nd_stream_close(NULL);
}

static void test_long_lines(void **state)
{
	static const size_t lengths[] = {ND_LINE_MAX - 1, ND_LINE_MAX, ND_LINE_MAX + 1,
					 3 * ND_LINE_MAX};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(lengths); i++) {
		size_t n = lengths[i];
		char *text = nd_alloc(n + 6);
		struct nd_stream *s = nd_stream_mem(text, n + 6);
		char *line;

		memset(text, 'x', n);
		memcpy(text + n, "\nnext\n", 6);
		line = nd_stream_line(s);
		assert_int_equal(strlen(line), n > ND_LINE_MAX ? ND_LINE_MAX : n);
		assert_int_equal(nd_stream_cut(s), n > ND_LINE_MAX);
		assert_string_equal(nd_stream_line(s), "next");
		assert_int_equal(nd_stream_lineno(s), 2);
		assert_null(nd_stream_line(s));
		nd_stream_close(s);
		free(text);
	}
}

static void test_lines_of_descriptor(void **state)
{
	char head[100001];
	struct nd_stream *s;
	char *line;
	int fd[2];

	(void)state;
	assert_int_equal(pipe2(fd, O_CLOEXEC | O_NONBLOCK), 0);
	assert_int_equal(write(fd[1], "a\nbc\nd", 6), 6);
	s = nd_stream_fd(fd[0]);
	assert_string_equal(nd_stream_line(s), "a");
	assert_string_equal(nd_stream_line(s), "bc");
	assert_string_equal(nd_stream_line(s), "d"); /* the writer is there and silent: an end */
	assert_true(nd_stream_unended(s));
	assert_null(nd_stream_line(s));
	assert_int_equal(nd_stream_error(s), 0);
	nd_stream_close(s);
	close(fd[1]);

	s = nd_stream_fd(open(".", O_RDONLY | O_CLOEXEC | O_DIRECTORY));
	assert_null(nd_stream_line(s));
	assert_int_equal(nd_stream_error(s), -EISDIR);
	nd_stream_close(s);

	{ /* lines across the borders of the buffer */
		FILE *f = tmpfile();

		memset(head, 'y', sizeof(head) - 1);
		head[60000] = '\n';
		head[sizeof(head) - 1] = '\0';
		fputs(head, f);
		fflush(f);
		lseek(fileno(f), 0, SEEK_SET);
		s = nd_stream_fd(dup(fileno(f)));
		line = nd_stream_line(s);
		assert_int_equal(strlen(line), 60000);
		line = nd_stream_line(s);
		assert_int_equal(strlen(line), 39999);
		assert_null(nd_stream_line(s));
		assert_false(nd_stream_cut(s));
		nd_stream_close(s);
		fclose(f);
	}
}

static void test_print_human(void **state)
{
	static const struct {
		double v;
		enum nd_unit u;
		const char *text;
	} rows[] = {
		{0.0439, ND_U_SECONDS, "43.9 ms"},
		{0.008, ND_U_SECONDS, "8 ms"},
		{9000, ND_U_SECONDS, "2.5 h"},
		{0, ND_U_SECONDS, "0 s"},
		{-0.0, ND_U_SECONDS, "0 s"},
		{-1e-300, ND_U_SECONDS, "0 s"},
		{999.6e-6, ND_U_SECONDS, "1 ms"},
		{999.4e-6, ND_U_SECONDS, "999 us"},
		{2e-9, ND_U_SECONDS, "2 ns"},
		{1e-10, ND_U_SECONDS, "0.1 ns"},
		{59, ND_U_SECONDS, "59 s"},
		{90, ND_U_SECONDS, "1.5 min"},
		{86400 * 400.0, ND_U_SECONDS, "400 d"},
		{-0.25, ND_U_SECONDS, "-250 ms"},
		{12178939, ND_U_COUNT, "12,178,939"},
		{999, ND_U_COUNT, "999"},
		{1000, ND_U_COUNT, "1,000"},
		{-1234567, ND_U_COUNT, "-1,234,567"},
		{12.345, ND_U_COUNT, "12.3"},
		{1234.5, ND_U_COUNT, "1,230"},
		{999999999999999.0, ND_U_COUNT, "999,999,999,999,999"},
		{18446744073709551615.0, ND_U_COUNT, "18,400,000,000,000,000,000"},
		{1e300, ND_U_COUNT, "1e+300"},
		{8080, ND_U_NONE, "8080"},
		{0.000123456, ND_U_NONE, "0.000123"},
		{5e-324, ND_U_NONE, "0"},
		{0.00148, ND_U_PERCENT, "0.148 %"},
		{0.91, ND_U_PERCENT, "91 %"},
		{0.07, ND_U_PERCENT, "7 %"},
		{1, ND_U_PERCENT, "100 %"},
		{0, ND_U_PERCENT, "0 %"},
		{3240, ND_U_PER_SECOND, "3,240/s"},
		{0.31415, ND_U_PER_SECOND, "0.314/s"},
		{1.25e9, ND_U_BITS_PER_SECOND, "10 Gbit/s"},
		{12.5e6, ND_U_BITS_PER_SECOND, "100 Mbit/s"},
		{0, ND_U_BITS_PER_SECOND, "0 bit/s"},
		{1023, ND_U_BYTES, "1,023 B"},
		{1024, ND_U_BYTES, "1 KiB"},
		{1536, ND_U_BYTES, "1.5 KiB"},
		{212992, ND_U_BYTES, "208 KiB"},
		{6291456, ND_U_BYTES, "6 MiB"},
		{3.3e9, ND_U_BYTES, "3.07 GiB"},
		{1048576, ND_U_BYTES_PER_SECOND, "1 MiB/s"},
		{NAN, ND_U_SECONDS, "unknown"},
		{INFINITY, ND_U_BYTES, "infinite"},
		{-INFINITY, ND_U_BYTES, "-infinite"},
	};
	struct nd_buf b = {0};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		b.len = 0;
		nd_print_human(&b, rows[i].v, rows[i].u);
		assert_string_equal(b.s, rows[i].text);
	}
	nd_buf_free(&b);
}

static void test_print_plain(void **state)
{
	static const struct {
		double v;
		const char *text;
	} rows[] = {
		{0, "0"},
		{-0.0, "0"},
		{1, "1"},
		{-2.5, "-2.5"},
		{0.1, "0.1"},
		{1e21, "1000000000000000000000"},
		{1e-7, "0.0000001"},
		{0.30000000000000004, "0.30000000000000004"},
		{123456.789, "123456.789"},
		{18446744073709551615.0, "18446744073709552000"},
		{NAN, "NaN"},
		{INFINITY, "+Inf"},
		{-INFINITY, "-Inf"},
		{9007199254740991.0, "9007199254740991"},
		{100, "100"},
	};
	static const double back[] = {
		1.0 / 3, 5e-324,    2.2250738585072014e-308, 1.7976931348623157e308,
		1e22,	 0.1 + 0.7, 4503599627370496.5,	     1e15 + 0.3};
	struct nd_buf b = {0};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		b.len = 0;
		nd_print_plain(&b, rows[i].v);
		assert_string_equal(b.s, rows[i].text);
	}
	for (size_t i = 0; i < ND_ARRAY_LEN(back); i++) {
		double v = 0;

		b.len = 0;
		nd_print_plain(&b, back[i]);
		assert_true(nd_parse_f64(b.s, &v)); /* so there is no exponent in it */
		assert_true(v == back[i]);
	}
	nd_buf_free(&b);
}

static void test_units(void **state)
{
	static const char *const names[] = {"1", "1", "s", "B", "%", "/s", "B/s", "bit/s"};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(names); i++)
		assert_string_equal(nd_unit_name((enum nd_unit)i), names[i]);
}

static void test_print_shell(void **state)
{
	static const struct {
		const char *s, *text;
	} rows[] = {
		{"eth0", "eth0"},
		{"net.core.somaxconn=4096", "net.core.somaxconn=4096"},
		{"", "''"},
		{"a b", "'a b'"},
		{"it's", "'it'\\''s'"},
		{"$(reboot)", "'$(reboot)'"},
		{"a;b", "'a;b'"},
		{"~", "'~'"},
		{"new\nline", "'new\nline'"},
		{"\xc3\xa9", "'\xc3\xa9'"},
	};
	struct nd_buf b = {0};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		b.len = 0;
		nd_print_shell(&b, rows[i].s);
		assert_string_equal(b.s, rows[i].text);
	}
	nd_buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buf),	    cmocka_unit_test(test_parse_u64),
		cmocka_unit_test(test_parse_i64),   cmocka_unit_test(test_parse_f64),
		cmocka_unit_test(test_words),	    cmocka_unit_test(test_trim_and_affixes),
		cmocka_unit_test(test_nearest),	    cmocka_unit_test(test_lines_of_memory),
		cmocka_unit_test(test_long_lines),  cmocka_unit_test(test_lines_of_descriptor),
		cmocka_unit_test(test_print_human), cmocka_unit_test(test_print_plain),
		cmocka_unit_test(test_units),	    cmocka_unit_test(test_print_shell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
