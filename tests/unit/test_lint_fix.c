/* What rules lint --fix mends, and what it leaves alone; and messages as data. */
#include "tests/unit/lint_fixture.h"

/* ---- messages as data ---- */

static void test_messages(void **state)
{
	static const char text[] =
		"a:b.yaml:12:3: error: x: warning: y\n    source: error: z\n      ^\n"
		"no message\n"
		"--set: error: no rule has a.b=1\n"
		"c.yaml:1:1: warning: last\n    c\n    ^\n";
	static const struct {
		const char *path, *text, *source;
		uint32_t line, column;
		bool error;
	} want[] = {
		{"a:b.yaml", "x: warning: y", "    source: error: z\n      ^\n", 12, 3, true},
		{"--set", "no rule has a.b=1", "", 0, 0, true},
		{"c.yaml", "last", "    c\n    ^\n", 1, 1, false},
	};
	const char *at = text;
	struct nd_message m;

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(want); i++) {
		assert_true(nd_message_next(&at, &m));
		assert_int_equal(m.path_len, strlen(want[i].path));
		assert_memory_equal(m.path, want[i].path, m.path_len);
		assert_int_equal(m.text_len, strlen(want[i].text));
		assert_memory_equal(m.text, want[i].text, m.text_len);
		assert_int_equal(m.source_len, strlen(want[i].source));
		assert_memory_equal(m.source, want[i].source, m.source_len);
		assert_int_equal(m.line, want[i].line);
		assert_int_equal(m.column, want[i].column);
		assert_int_equal(m.error, want[i].error);
		assert_ptr_equal(m.all + m.all_len, at);
	}
	assert_false(nd_message_next(&at, &m));
	assert_int_equal(*at, '\0');
}

static void test_no_messages(void **state)
{
	static const char *const texts[] = {
		"", "\n\n", ": error: x\n", "    a:1:1: error: x\n", "a:1:1: note: x\n", ":error"};
	struct nd_message m;

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(texts); i++) {
		const char *at = texts[i];

		assert_false(nd_message_next(&at, &m));
	}
}

/* ---- --fix ---- */

static char *mended(const char *text, uint32_t *patches)
{
	struct nd_registry *r = registry();
	struct nd_buf out = {0};

	nd_buf_puts(&out, text);
	*patches = nd_lint_fix(r, NULL, 0, "base.yaml", &out);
	nd_registry_free(r);
	return out.s ? out.s : nd_strdup("");
}

/* Each is mended into base, byte for byte. */
static void test_mends(void **state)
{
	static const struct {
		const char *from, *to;
		uint32_t patches;
	} rows[] = {
		{"title: A rule", "titel: A rule", 1},
		{"if_no: {cap", "if_now: {cap", 1},
		{"{cap:", "{cpa:", 1},
		{"params:", "parms:", 1},
		{"{value: 5%", "{valeu: 5%", 1},
		{"refute:", "refut:", 1},
		{"- test: iface.mtu", "- tset: iface.mtu", 1},
		{"verify:", "verifi:", 1},
		{"- name: lost", "- nmae: lost", 1},
		{"{open: base}", "{opne: base}", 1},
		{"iface.link_kind", "iface.link_knid", 1},
		{"iface.mtu - iface.mtu", "iface.mtu - iface.mut", 1},
		{"iface.link_kind", "ifcae.link_kind", 1},
		{"iface.rx.dropped.seen, iface.rx.packets.seen",
		 "iface.rx.droped.seen, iface.rx.pakets.seen", 2},
		{"iface.rx.dropped.seen,", "iface.rx.dropped.sene,", 1},
		{"ratio(", "raito(", 1},
		{"lost < $most", "lost < $msot", 1},
		{"{$lost} of them", "{$lsot} of them", 1},
		{"{iface.key}", "{iface.kye}", 1},
		{"{rule_out: \"it lost {max($lost, 0)}\"}", "{rule_out: it lost {max($lost, 0)}}",
		 1},
		{"  lost: ratio(", "\tlost: ratio(", 1},
		{"    grade: supports", "\tgrade: supports", 1},
		{"physical\"\n", "physical\" \t\n", 1},
		{"# a comment\n", "# a comment \n", 1},
		{"title: A rule to be spoilt\nparams:", "titel: A rule to be spoilt\nparms:   ", 3},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		char *text = spoilt(rows[i].from, rows[i].to);
		uint32_t n;
		char *got = mended(text, &n);

		assert_string_equal(got, base);
		assert_int_equal(n, rows[i].patches);
		free(got);
		free(text);
	}
}

/* Quotes: what they look like depends on what is inside. */
static void test_quotes(void **state)
{
	static const struct row rows[] = {
		{"{rule_out: \"it lost {max($lost, 0)}\"}", "{rule_out: only: {$lost}, says: b}",
		 "{rule_out: \"only: {$lost}\", says: b}"},
		{"{rule_out: \"it lost {max($lost, 0)}\"}",
		 "{says: lost {max($lost, 0)}, rule_out: b}",
		 "{says: \"lost {max($lost, 0)}\", rule_out: b}"},
		{"  most: {value: 5%,", "  most: {value: max(5%, 4%),",
		 "  most: {value: \"max(5%, 4%)\","},
		{"tests:\n",
		 "notes:\n  n: {scope: iface, test: any(ifaces, link_kind == \"a\"), says: it's}\ntests:\n",
		 "notes:\n  n: {scope: iface, test: 'any(ifaces, link_kind == \"a\")', says: it's}\ntests:\n"},
		{"tests:\n",
		 "notes:\n  n: {test: any(ifaces, link_kind == 'a' or link_kind == \"b\"), says: x}\ntests:\n",
		 "notes:\n  n: {test: 'any(ifaces, link_kind == ''a'' or link_kind == \"b\")', says: x}\ntests:\n"},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		char *text = spoilt(rows[i].from, rows[i].to);
		char *want = spoilt(rows[i].from, rows[i].want);
		uint32_t n;
		char *got = mended(text, &n);

		assert_string_equal(got, want);
		assert_int_equal(n, 1);
		free(got);
		free(want);
		free(text);
	}
}

/* Two names are as near, none is, or a patch would not make it right: the bytes stay. */
static void test_leaves(void **state)
{
	static const struct row rows[] = {
		{"scope: iface\n", "scope: iface\n", ""},
		{"iface.rx.dropped.seen", "iface.xx.dropped.seen", ""},
		{"iface.link_kind", "iface.colour", ""},
		{"title: A rule", "whatever: A rule", ""},
		{"title: A rule", "\"titel\": A rule", ""},
		{"title: A rule", "title: A\ntitel: A rule", ""},
		{"iface.link_kind", "iface.mtu.maxx > 0 and iface.link_kind", ""},
		{"test: $lost > $most", "test: $lost >", ""},
		{"          echo {iface.key}\n", "          echo {iface.key}  \n", ""},
		{"params:", "params: {", ""},
		{"rule: base", "rule: bsae", ""},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		char *text = spoilt(rows[i].from, rows[i].to);
		uint32_t n;
		char *got = mended(text, &n);

		assert_string_equal(got, text);
		assert_int_equal(n, 0);
		free(got);
		free(text);
	}
}

/* Blanks in shell text are content; those of the other lines go all the same. */
static void test_blanks_in_blocks(void **state)
{
	static const char before[] = "rule: base  \ntitle: |\n  a  \n  b\nabout: x\t\n";
	uint32_t n;
	char *got = mended(before, &n);

	(void)state;
	assert_string_equal(got, "rule: base\ntitle: |\n  a  \n  b\nabout: x\n");
	assert_int_equal(n, 2);
	free(got);
}

/* Files cut anywhere, and with a byte changed: whatever comes out can be linted again, and nothing is lost of a file
 * that is not mended. */
static void test_damaged(void **state)
{
	const size_t len = sizeof(base) - 1;

	(void)state;
	for (size_t cut = 0; cut < len; cut += 61) {
		char *text = nd_strdup(base);
		uint32_t n;
		char *got;

		text[cut] = "\t}{,:\"'\xff"[cut % 8];
		text[cut + len / 4 < len ? cut + len / 4 : len] = '\0';
		got = mended(text, &n);
		if (n == 0)
			assert_string_equal(got, text);
		free(got);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_messages), cmocka_unit_test(test_no_messages),
		cmocka_unit_test(test_mends),	 cmocka_unit_test(test_quotes),
		cmocka_unit_test(test_leaves),	 cmocka_unit_test(test_blanks_in_blocks),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
