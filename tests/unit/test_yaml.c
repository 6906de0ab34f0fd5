/* YAML as structure: what is read, what is refused and with which words, and places to the byte. */
#include "engine/rule/yaml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* [a, b] and {k: v} with "quoted" and |block| scalars told apart. */
static void dump(struct nd_buf *b, const struct nd_yaml *y)
{
	if (y->type == ND_YAML_TEXT) {
		const char *mark = y->quoted ? "\"" : y->block ? "|" : "";

		nd_buf_printf(b, "%s%s%s", mark, y->text, mark);
		return;
	}
	nd_buf_putc(b, y->type == ND_YAML_LIST ? '[' : '{');
	for (uint32_t i = 0; i < y->n; i++) {
		nd_buf_puts(b, i ? ", " : "");
		if (y->type == ND_YAML_MAP) {
			dump(b, y->keys[i]);
			nd_buf_puts(b, ": ");
		}
		dump(b, y->items[i]);
	}
	nd_buf_putc(b, y->type == ND_YAML_LIST ? ']' : '}');
}

static void test_good(void **state)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{"a: 1\nb: [x, y]\n", "{a: 1, b: [x, y]}"},
		{"a:\n  - x\n  - {b: c}\n", "{a: [x, {b: c}]}"},
		{"a: no\nb: 0-3\nc: 12:30\nd: ~\ne:\nf: 1e3\n",
		 "{a: no, b: 0-3, c: 12:30, d: ~, e: , f: 1e3}"},
		{"a: 'it''s'\nb: \"x\\ty\\u00e4\"\n", "{a: \"it's\", b: \"x\ty\xc3\xa4\"}"},
		{"a: |\n  x\n   y\nb: >-\n  one\n  two\n", "{a: |x\n y\n|, b: |one two|}"},
		{"a: f(x) > 1   # note\n", "{a: f(x) > 1}"},
		{"{a: f(x, y)}", "{a: f(x, y): }"}, /* the author's comma */
		{"\xef\xbb\xbf"
		 "a: 1\n",
		 "{a: 1}"},
		{"a: 1\r\nb:\r\n  - x\r\n  - y\r\n", "{a: 1, b: [x, y]}"},
		{"a:\t1\nb: [x,\ty]\t# tab\n", "{a: 1, b: [x, y]}"},
		{"--- # start\na: 1\n...\n", "{a: 1}"},
		{"%YAML 1.1\n---\na: 1\n", "{a: 1}"},
		{"\"<<\": 1\n'*x': '&y'\n", "{\"<<\": 1, \"*x\": \"&y\"}"},
		{"a: {}\nb: []\n", "{a: {}, b: []}"},
		{"cpu:3: {time.soft: 2%, irqs: irq:9}\n", "{cpu:3: {time.soft: 2%, irqs: irq:9}}"},
		{"a: {cpu:0-3: x, cgroup:/a/b: $y}\n", "{a: {cpu:0-3: x, cgroup:/a/b: $y}}"},
		{"a: {b: 1}\nc: {b: 2}\n", "{a: {b: 1}, c: {b: 2}}"},
		{"just text", "just text"},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct nd_arena a = {0};
		struct nd_buf messages = {0}, got = {0};
		struct nd_yaml *y =
			nd_yaml_parse(&a, "f", rows[i].text, strlen(rows[i].text), &messages);

		assert_string_equal(nd_buf_str(&messages), "");
		assert_non_null(y);
		dump(&got, y);
		assert_string_equal(nd_buf_str(&got), rows[i].want);
		nd_buf_free(&got);
		nd_arena_free(&a);
	}
}

static const struct {
	const char *text, *want;
} refused_rows[] = {
	{"", "f:1:1: error: the file is empty\n    \n    ^\n"},
	{"# only this\n", "f:1:1: error: the file is empty\n    # only this\n    ^\n"},
	{"---\n", "f:1:1: error: the file is empty\n    ---\n    ^\n"},
	{"a: &x 1\n", "f:1:4: error: anchors are refused: write the value out, or use like:\n"
		      "    a: &x 1\n       ^\n"},
	{"a: &x [1]\n", "f:1:4: error: anchors are refused: write the value out, or use like:\n"
			"    a: &x [1]\n       ^\n"},
	{"a: 1\nb: *a\n",
	 "f:2:4: error: aliases are refused: write the value out, or in quotes if it "
	 "begins with *\n    b: *a\n       ^\n"},
	{"a:\n  <<: {b: 1}\n", "f:2:3: error: '<<' is refused: write the keys out, or use like:\n"
			       "      <<: {b: 1}\n      ^\n"},
	{"a: !!str 1\n",
	 "f:1:4: error: tags are refused: every value is text\n    a: !!str 1\n       ^\n"},
	{"a: ! 1\n", "f:1:4: error: tags are refused: every value is text\n    a: ! 1\n       ^\n"},
	{"a: !x {b: 1}\n", "f:1:4: error: tags are refused: every value is text\n"
			   "    a: !x {b: 1}\n       ^\n"},
	{"%TAG ! x\n---\na: 1\n", "f:1:1: error: tags are refused: every value is text\n"
				  "    %TAG ! x\n    ^\n"},
	{"a: 1\nb: 2\na: 3\n",
	 "f:3:1: error: second key 'a', the first is in line 1\n    a: 3\n    ^\n"},
	{"x:\n  a: 1\n  \"a\": 3\n", "f:3:3: error: second key 'a', the first is in line 2\n"
				     "      \"a\": 3\n      ^\n"},
	{"x: {c: 1, a: 2, b: 3, a: 4, c: 5}\n",
	 "f:1:23: error: second key 'a', the first is in line 1\n"
	 "    x: {c: 1, a: 2, b: 3, a: 4, c: 5}\n                          ^\n"},
	{"a: 1\n---\nb: 2\n",
	 "f:2:1: error: a second document: a file holds one\n    ---\n    ^\n"},
	{"[a]: 1\n", "f:1:1: error: a key must be text, this is a list\n    [a]: 1\n    ^\n"},
	{"? {a: b}\n: 1\n",
	 "f:1:3: error: a key must be text, this is a map\n    ? {a: b}\n      ^\n"},
	{"a: \"x\\0y\"\n",
	 "f:1:4: error: a text with the character 0\n    a: \"x\\0y\"\n       ^\n"},
	{"a: x\xe2\x80\xa8y\n", "f:1:5: error: an invisible line break (U+2028): remove it\n"
				"    a: x\xe2\x80\xa8y\n        ^\n"},
	{"a: b: c\n",
	 "f:1:5: error: mapping values are not allowed in this context: a ': ' inside a "
	 "value "
	 "without quotes, or a key that is indented wrongly\n    a: b: c\n        ^\n"},
	{"a:\n\t- x\n", "f:2:1: error: found character that cannot start any token, while "
			"scanning for the "
			"next token that starts in line 2: a value cannot start with this "
			"character: put it "
			"in quotes; indent with spaces, not tabs\n    \t- x\n    ^\n"},
	{"a: {b: 1\nc: 2\n",
	 "f:2:2: error: did not find expected ',' or '}', while parsing a flow mapping "
	 "that "
	 "starts in line 1: a value inside { } that needs quotes, or a '}' too few\n"
	 "    c: 2\n     ^\n"},
	{"a: 'x\n\n",
	 "f:1:6: error: found unexpected end of stream, while scanning a quoted scalar "
	 "that starts "
	 "in line 1: quotes or a bracket that nothing closes\n    a: 'x\n         ^\n"},
	{"\xef\xbb\xbf"
	 "\xc3\xa4: 1\r\n\xc3\xa4\xc3\xb6: @x\r\n",
	 "f:2:5: error: found character that cannot start any token, while scanning for "
	 "the next token that "
	 "starts in line 2: a value cannot start with this character: put it in quotes; "
	 "indent with "
	 "spaces, not tabs\n    \xc3\xa4\xc3\xb6: @x\n        ^\n"},
	{"a: \"\xff\"\n", "f:1:5: error: invalid leading UTF-8 octet\n    a: \"?\"\n        ^\n"},
	{"a: \x01\n", "f:1:4: error: control characters are not allowed\n    a: ?\n       ^\n"},
};

static void test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(refused_rows); i++) {
		struct nd_arena a = {0};
		struct nd_buf messages = {0};

		assert_null(nd_yaml_parse(&a, "f", refused_rows[i].text,
					  strlen(refused_rows[i].text), &messages));
		assert_string_equal(nd_buf_str(&messages), refused_rows[i].want);
		nd_buf_free(&messages);
		nd_arena_free(&a);
	}
}

/* NULL if text is read, else the message's first line. */
static char *first_line(const struct nd_buf *text)
{
	struct nd_arena a = {0};
	struct nd_buf messages = {0};
	struct nd_yaml *y = nd_yaml_parse(&a, "f", nd_buf_str(text), text->len, &messages);
	char *line = y ? NULL : nd_strdup(nd_buf_str(&messages));

	if (y)
		assert_string_equal(nd_buf_str(&messages), "");
	else
		line[strcspn(line, "\n")] = '\0';
	nd_buf_free(&messages);
	nd_arena_free(&a);
	return line;
}

static void expect_line(struct nd_buf *text, const char *want)
{
	char *line = first_line(text);

	if (want) {
		assert_non_null(line);
		assert_string_equal(line, want);
	} else {
		assert_null(line);
	}
	free(line);
	nd_buf_free(text);
}

static void test_limits(void **state)
{
	(void)state;
	for (uint32_t extra = 0; extra < 2; extra++) {
		struct nd_buf deep = {0}, wide = {0}, large = {0};

		for (uint32_t i = 0; i < 32 + extra; i++)
			nd_buf_putc(&deep, '[');
		for (uint32_t i = 0; i < 32 + extra; i++)
			nd_buf_putc(&deep, ']');
		expect_line(&deep, extra ? "f:1:33: error: more than 32 levels deep" : NULL);
		for (uint32_t i = 0; i < 19999 + extra; i++)
			nd_buf_puts(&wide, "- x\n");
		expect_line(&wide, extra ? "f:20000:3: error: more than 20000 nodes" : NULL);
		nd_buf_puts(&large, "a: 1\n#");
		while (large.len < 1048576 + extra)
			nd_buf_putc(&large, 'x');
		expect_line(&large,
			    extra ? "f:1:1: error: 1048577 bytes: a file has 1048576 at most"
				  : NULL);
	}
}

/* 10,000 keys in one map, the last one twice, all in one long line: still fast, and found. */
static void test_many_keys(void **state)
{
	struct nd_buf b = {0};

	(void)state;
	nd_buf_putc(&b, '{');
	for (int i = 0; i < 9990; i++)
		nd_buf_printf(&b, "key%d: %*d, ", i, 80, i);
	expect_line(&b, "f:1:907981: error: did not find expected node content, while parsing a "
			"flow node that "
			"starts in line 1");
	nd_buf_putc(&b, '{');
	for (int i = 0; i < 9990; i++)
		nd_buf_printf(&b, "key%d: 1, ", i);
	nd_buf_puts(&b, "key9989: 2}");
	expect_line(&b, "f:1:118772: error: second key 'key9989', the first is in line 1");
}

static const struct nd_yaml *find(const struct nd_yaml *y, const char *key)
{
	const struct nd_yaml *hit = nd_yaml_get(y, key);

	for (uint32_t i = 0; !hit && i < y->n; i++)
		hit = find(y->items[i], key);
	return hit;
}

static const struct nd_yaml *must_find(const struct nd_yaml *y, const char *key)
{
	const struct nd_yaml *hit = find(y, key);

	assert_non_null(hit);
	if (!hit) /* what the compiler cannot know of the line before */
		abort();
	return hit;
}

/* The scalar `k` of a file, and for some of its characters where they are: text and file position
 * are given as the rests that begin there. */
static const struct {
	const char *file, *in_text, *in_file;
} offset_rows[] = {
	{"k: abc def\n", "abc def", "abc def\n"},
	{"k: abc def\n", "c def", "c def\n"},
	{"k: abc def\n", "", "\n"},
	{"k: abc   # note\n", "", "   # note\n"},
	{"\xef\xbb\xbfk: abc\n", "bc", "bc\n"},
	{"k: \xc3\xa4\xc3\xb6x\n", "x", "x\n"},
	{"k: abc\n   def\n\n   ghi\n", " def\nghi", "\n   def\n\n   ghi\n"},
	{"k: abc\n   def\n\n   ghi\n", "def\nghi", "def\n\n   ghi\n"},
	{"k: abc\n   def\n\n   ghi\n", "\nghi", "\n   ghi\n"},
	{"k: abc\n   def\n\n   ghi\n", "ghi", "ghi\n"},
	{"k: abc \r\n  def\r\n", "def", "def\r\n"},
	{"{k: a > 1 and\n    b < 2, x: 1}\n", "b < 2", "b < 2, x: 1}\n"},
	{"{x: 1, k: {a: 'x'}}\n", "never", ""},
	{"k: 'it''s so'\n", "it's so", "it''s so'\n"},
	{"k: 'it''s so'\n", "'s so", "''s so'\n"},
	{"k: 'it''s so'\n", "s so", "s so'\n"},
	{"k: 'it''s so'\n", "", "'\n"},
	{"k: 'abc  \n\n   def'\n", "\ndef", "\n   def'\n"},
	{"k: 'abc  \n\n   def'\n", "def", "def'\n"},
	{"k: ''\n", "", "'\n"},
	{"k: \"double \\\" esc\"\n", "\" esc", "\\\" esc\"\n"},
	{"k: \"double \\\" esc\"\n", " esc", " esc\"\n"},
	{"k: \"a\\x41\\u00e4\\U0001F600\\Lz\\_y\"\n", "z\xc2\xa0y", "z\\_y\"\n"},
	{"k: \"a\\x41\\u00e4\\U0001F600\\Lz\\_y\"\n", "y", "y\"\n"},
	{"k: \"a\\x41\\u00e4\\U0001F600\\Lz\\_y\"\n",
	 "A\xc3\xa4\xf0\x9f\x98\x80\xe2\x80\xa8z\xc2\xa0y", "\\x41\\u00e4\\U0001F600\\Lz\\_y\"\n"},
	{"k: \"abc \\\n   def\\n\n  ghi\"\n", "def\n ghi", "def\\n\n  ghi\"\n"},
	{"k: \"abc \\\n   def\\n\n  ghi\"\n", "ghi", "ghi\"\n"},
	{"k: \"abc\\\n\n   def\"\n", "def", "def\"\n"},
	{"k: \"a\\\\\"\n", "\\", "\\\\\"\n"},
	{"k: |\n  abc\n   def\n\n  ghi\n", "abc\n def\n\nghi\n", "abc\n   def\n\n  ghi\n"},
	{"k: |\n  abc\n   def\n\n  ghi\n", " def\n\nghi\n", " def\n\n  ghi\n"},
	{"k: |\n  abc\n   def\n\n  ghi\n", "\nghi\n", "\n  ghi\n"},
	{"k: |\n  abc\n   def\n\n  ghi\n", "ghi\n", "ghi\n"},
	{"k: |\n  abc\n   def\n\n  ghi\n", "", ""},
	{"k: |2 # note\n    abc\n   def\n", "  abc\n def\n", "  abc\n   def\n"},
	{"k: |2 # note\n    abc\n   def\n", "def\n", "def\n"},
	{"k: |+\n\n\n  abc\n\n", "abc\n\n", "abc\n\n"},
	{"k: |\r\n  abc\r\n  def\r\n", "def\n", "def\r\n"},
	{"a:\n  - k: |-\n      x\n      y\n    z: 1\n", "y", "y\n    z: 1\n"},
	{"k: >-\n  one\n  two\n\n  three\n", "two\nthree", "two\n\n  three\n"},
	{"k: >-\n  one\n  two\n\n  three\n", " two\nthree", "\n  two\n\n  three\n"},
	{"k: >-\n  one\n  two\n\n  three\n", "\nthree", "\n  three\n"},
	{"k: >-\n  one\n  two\n\n  three\n", "three", "three\n"},
	{"k: >-\n  one\n  two\n\n  three\n", "", "\n"},
	{"k: >-\n  one\n    in\n    on\n  two\n", "in\n  on\ntwo", "in\n    on\n  two\n"},
	{"k: >-\n  one\n    in\n    on\n  two\n", "on\ntwo", "on\n  two\n"},
	{"k: >-\n  one\n    in\n    on\n  two\n", "two", "two\n"},
	{"k: >-\n  one\n    in\n\n\n  two\n  six", "two six", "two\n  six"},
	{"k: >-\n  one\n    in\n\n\n  two\n  six", "six", "six"},
	{"k: >\n\n\n  one\n  two\nz: 1\n", "two\n", "two\nz: 1\n"},
	{"k: >\n  one\n\nz: 1\n", "\n", "\n\nz: 1\n"},
	{"k: >+\n  one\n\n\nz: 1\n", "\n", "\nz: 1\n"},
};

static void test_offset(void **state)
{
	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(offset_rows); i++) {
		struct nd_arena a = {0};
		struct nd_buf messages = {0};
		const char *file = offset_rows[i].file;
		size_t len = strlen(file), at;
		const struct nd_yaml *k = nd_yaml_parse(&a, "f", file, len, &messages);

		assert_non_null(k);
		k = must_find(k, "k");
		if (k->type != ND_YAML_TEXT) { /* not text: its start, whatever is asked */
			assert_true(nd_yaml_offset(k, file, len, 3) == k->offset);
			nd_arena_free(&a);
			continue;
		}
		if (!nd_ends(k->text, offset_rows[i].in_text))
			fail_msg("\"%s\" does not end in \"%s\"", k->text, offset_rows[i].in_text);
		at = nd_yaml_offset(k, file, len, strlen(k->text) - strlen(offset_rows[i].in_text));
		assert_true(at <= len);
		assert_string_equal(file + at, offset_rows[i].in_file);
		nd_arena_free(&a);
	}
}

static void test_places(void **state)
{
	static const char file[] =
		"\xef\xbb\xbf\xc3\xa4: {k: 'x', y: [1,\n  z]}\nq: >-\n  text\n\xc3\xb6: \"u\"\n";
	static const struct {
		const char *key;
		uint32_t line, column;
		bool quoted, block;
		const char *in_file;
	} rows[] = {
		{"k", 1, 8, true, false, "'x'"},
		{"y", 1, 16, false, false, "[1,"},
		{"q", 3, 4, false, true, ">-"},
		{"\xc3\xb6", 5, 4, true, false, "\"u\""},
	};
	struct nd_arena a = {0};
	struct nd_buf messages = {0};
	struct nd_yaml *y = nd_yaml_parse(&a, "f", file, strlen(file), &messages);

	(void)state;
	assert_non_null(y);
	assert_true(y->line == 1 && y->column == 1 && y->offset == 3);
	assert_null(nd_yaml_get(y, "k"));
	assert_null(nd_yaml_get(nd_yaml_get(y, "q"), "k"));
	assert_null(nd_yaml_get(NULL, "k"));
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		const struct nd_yaml *v = must_find(y, rows[i].key);

		assert_int_equal(v->line, rows[i].line);
		assert_int_equal(v->column, rows[i].column);
		assert_int_equal(v->quoted, rows[i].quoted);
		assert_int_equal(v->block, rows[i].block);
		assert_true(nd_starts(file + v->offset, rows[i].in_file));
	}
	nd_arena_free(&a);
}

static void test_message(void **state)
{
	static const struct {
		const char *text;
		size_t at;
		const char *want;
	} rows[] = {
		{"a\tb: c\n", 5, "p:1:6: warning: m\n    a\tb: c\n     \t   ^\n"},
		{"one\ntwo\r\nthree", 6, "p:2:3: warning: m\n    two\n      ^\n"},
		{"one\ntwo", 99, "p:2:4: warning: m\n    two\n       ^\n"},
		{"a\x1b[31m\xc2\x9b\xff\xe2\x82z", 11,
		 "p:1:10: warning: m\n    a?[31m????z\n              ^\n"},
	};
	struct nd_buf b = {0}, text = {0};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		b.len = 0;
		nd_yaml_message(&b, "p", rows[i].text, strlen(rows[i].text), rows[i].at, "warning",
				"m");
		assert_string_equal(nd_buf_str(&b), rows[i].want);
	}
	for (int i = 0; i < 300; i++)
		nd_buf_puts(&text, i == 200 ? "X" : "\xc3\xa4");
	b.len = 0;
	nd_yaml_message(&b, "p", text.s, text.len, 400, "error", "m");
	assert_true(nd_starts(b.s, "p:1:201: error: m\n    \xe2\x80\xa6\xc3\xa4"));
	assert_non_null(strstr(b.s, "\xc3\xa4X\xc3\xa4"));
	assert_true(nd_ends(b.s, "\xc3\xa4\xe2\x80\xa6\n" /* 5 + 80 blanks */
				 "                                        "
				 "                                             ^\n"));
	nd_buf_free(&text);
	nd_buf_free(&b);
}

static uint32_t random_next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

/* Every letter and digit of every scalar but those of escapes stands in the file where
 * nd_yaml_offset says. */
static void check_offsets(const struct nd_yaml *y, const char *file, size_t len)
{
	for (uint32_t i = 0; i < y->n; i++) {
		if (y->keys)
			check_offsets(y->keys[i], file, len);
		check_offsets(y->items[i], file, len);
	}
	if (y->type != ND_YAML_TEXT)
		return;
	for (size_t i = 0; y->text[i]; i++) {
		size_t at = nd_yaml_offset(y, file, len, i);

		assert_true(at < len);
		if (strchr("abcdefghijklmnopqrstuvwxyz0123456789", y->text[i]) && file[at] != '\\')
			assert_int_equal(file[at], y->text[i]);
	}
	assert_true(nd_yaml_offset(y, file, len, SIZE_MAX) <= len);
}

static void test_mutations(void **state)
{
	static const char seed_file[] =
		"rule: x\nparams: {a: {value: 5%, origin: \"guess: \\u00e4\\\n   it\"}}\ntree:\n  "
		"- ask: 'Is it''s\n\n"
		"     so?'\n    test: >-\n      $a >\n        1ms\n\n      and b\n    run: |2\n    "
		"    echo {a}\n"
		"      sh\n    list: [a, b c,\n      d]\n  - conclude: plain text\n     goes on\n";
	static const char bytes[] = "\n\n\n    \t\r:-#&*!|>'\"%@`{}[],?\\<ab1\xc3\xa4\xff\x01";
	uint64_t seed = 42;
	uint32_t good = 0;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		char file[sizeof(seed_file)];
		struct nd_arena a = {0};
		struct nd_buf messages = {0};
		struct nd_yaml *y;
		size_t len = sizeof(seed_file) - 1;

		memcpy(file, seed_file, len);
		for (uint32_t n = 1 + random_next(&seed) % 3; n > 0; n--)
			file[random_next(&seed) % len] =
				bytes[random_next(&seed) % (sizeof(bytes) - 1)];
		if (random_next(&seed) % 8 == 0)
			len = random_next(&seed) % len;
		y = nd_yaml_parse(&a, "f", file, len, &messages);
		assert_true(!y == (messages.len > 0));
		if (y)
			check_offsets(y, file, len);
		good += y != NULL;
		nd_buf_free(&messages);
		nd_arena_free(&a);
	}
	assert_true(good > 2000 && good < 18000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),	cmocka_unit_test(test_refused),
		cmocka_unit_test(test_limits),	cmocka_unit_test(test_many_keys),
		cmocka_unit_test(test_offset),	cmocka_unit_test(test_places),
		cmocka_unit_test(test_message), cmocka_unit_test(test_mutations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
