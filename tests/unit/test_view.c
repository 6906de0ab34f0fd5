/* What the reports share: escaping and layout as the formats print it, and the wording. */
#include "reports/report.h"
#include "reports/view.h"
#include "tests/unit/report_hostile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

extern const struct nd_report nd_report_md, nd_report_text;
static const struct nd_report *const prose_formats[] = {&nd_report_md, &nd_report_text};

/* ---- layout and escaping ---- */

static void test_text_width(void **state)
{
	static char s[600];
	static struct hostile h;
	struct nd_buf out = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(s) - 1; i++)
		s[i] = i % 200 == 150 ? ' ' : 'y';
	hostile(&h, s);
	h.findings[0].n_evidence = h.findings[0].n_fixes = h.findings[0].n_related = 0;
	h.findings[0].cause = h.open[0].cause = h.ruled_out[0].cause = h.notes[0].name = "c";
	h.inputs[0].path = h.unexamined[0].rule = h.unexamined[0].tree = "r";
	h.missing[0] = (struct nd_missing_fact){"f", "e", ND_BUDGET, s, "", NULL};
	h.r.headline = "c";
	assert_int_equal(nd_report_text.write(&h.r, &out), 0);
	for (char *rest = out.s, *line; (line = nd_split(&rest, "\n")) != NULL;)
		if (strlen(line) > 100)
			fail_msg("%zu columns: %s", strlen(line), line);
	nd_buf_free(&out);
}

static void test_commands_are_whole(void **state)
{
	static const char run[] =
		"cat /a/very/long/path/that/goes/on/and/on/and/on | awk '{ print $1, $2, $3 }' "
		"| sort -k 1,1 | head -n 1\nb \\\n  c";
	struct nd_fix fix = {.tier = ND_CURE, .title = "t", .run = run, .undo = "printf '```\\n'"};
	struct nd_finding f = {.cause = "c",
			       .entity = "e",
			       .title = "t",
			       .because = "b",
			       .fixes = &fix,
			       .n_fixes = 1};
	struct nd_findings r = {
		.verdict = ND_CAUSES, .headline = "h", .findings = &f, .n_findings = 1};
	struct nd_buf out = {0};

	(void)state;
	assert_int_equal(nd_report_text.write(&r, &out), 0);
	assert_non_null(strstr(
		out.s,
		"        cat /a/very/long/path/that/goes/on/and/on/and/on | awk '{ print $1, $2, $3 }' "
		"| sort -k 1,1 | head -n 1\n"));
	assert_non_null(strstr(out.s, "        b \\\n          c\n"));
	nd_buf_free(&out);
	assert_int_equal(nd_report_md.write(&r, &out), 0);
	assert_non_null(strstr(out.s, "    ````sh\n    printf '```\\n'\n    ````\n"));
	assert_non_null(strstr(out.s, "Undo: ````printf '```\\n'````\n"));
	nd_buf_free(&out);
}

/* What a note says, as the formats print it. */
static void test_prose(void **state)
{
	static const struct {
		const char *says, *md, *text;
	} rows[] = {
		{"tcp_mem and _x_", "tcp_mem and \\_x\\_.", "tcp_mem and _x_."},
		{"a*b*c", "a\\*b\\*c.", "a*b*c."},
		{"<b>&lt;", "&lt;b>&amp;lt;.", "<b>&lt;."},
		{"R&D & x", "R&amp;D & x.", "R&D & x."},
		{"[a](http://b) ![c](d)", "\\[a](http://b) !\\[c](d).", "[a](http://b) ![c](d)."},
		{"a|b ~~c~~ $d$", "a\\|b \\~\\~c\\~\\~ \\$d\\$.", "a|b ~~c~~ $d$."},
		{"one\ntwo\tthree  four", "one two three four.", "one two three four."},
		{"\033[31m\r\x7F", "\\\\x1B\\[31m\\\\x0D\\\\x7F.", "\\x1B[31m\\x0D\\x7F."},
		{"\xFF\xC0\xAF|\xE2\x82",
		 "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\\|\xEF\xBF\xBD\xEF\xBF\xBD.",
		 "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD|\xEF\xBF\xBD\xEF\xBF\xBD."},
		{"\xE2\x80\xAEx\xE2\x81\xA6y\xC2\x9Bz", "\\\\u202Ex\\\\u2066y\\\\u009Bz.",
		 "\\u202Ex\\u2066y\\u009Bz."},
		{"run `a  b` now", "run `a  b` now.", "run `a  b` now."},
		{"``a`` `b", "\\`\\`a\\`\\` \\`b.", "``a`` `b."},
		{"one ` only", "one \\` only.", "one ` only."},
		{"Sure?", "Sure?\n", "Sure?\n"},
		{"\xC3\xA9\xE6\xBC\xA2\xF0\x9F\x98\x80", "\xC3\xA9\xE6\xBC\xA2\xF0\x9F\x98\x80.",
		 "\xC3\xA9\xE6\xBC\xA2\xF0\x9F\x98\x80."},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		const struct nd_note note = {.name = "n", .entity = "host", .says = rows[i].says};
		const struct nd_findings r = {.notes = &note, .n_notes = 1};

		for (size_t f = 0; f < ND_ARRAY_LEN(prose_formats); f++) {
			struct nd_buf out = {0};
			const char *wanted = f == 0 ? rows[i].md : rows[i].text;

			assert_int_equal(prose_formats[f]->write(&r, &out), 0);
			if (!strstr(out.s, wanted))
				fail_msg("row %zu, %s: no %s in\n%s", i, prose_formats[f]->name,
					 wanted, out.s);
			nd_buf_free(&out);
		}
	}
}

/* A word that wrapping brings to the front of a line must not become a mark. */
static void test_first_word(void **state)
{
	static const struct {
		const char *word, *md;
	} rows[] = {{"-", "\n  \\- "},	   {"+", "\n  \\+ "},	  {"===", "\n  \\=== "},
		    {"12.", "\n  12\\. "}, {"7)", "\n  7\\) "},	  {">x", "\n  \\>x "},
		    {"#", "\n  \\# "},	   {":--", "\n  \\:-- "}, {"-5", "\n  -5 "},
		    {"1.5", "\n  1.5 "}};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		struct nd_buf says = {0};
		struct nd_buf out = {0};
		struct nd_note note = {.name = "n"};
		const struct nd_findings r = {.notes = &note, .n_notes = 1};

		nd_buf_printf(&says, "%088d %s rest", 1, rows[i].word);
		note.says = says.s;
		assert_int_equal(nd_report_md.write(&r, &out), 0);
		if (!strstr(out.s, rows[i].md))
			fail_msg("%s: no %s in\n%s", rows[i].word, rows[i].md, out.s);
		nd_buf_free(&out);
		nd_buf_free(&says);
	}
}

/* ---- wording ---- */

static void assert_view(struct nd_buf *b, const char *expected)
{
	assert_string_equal(nd_buf_str(b), expected);
	nd_buf_free(b);
	*b = (struct nd_buf){0};
}

static void test_window(void **state)
{
	static const struct {
		int64_t from_s, to_s;
		int32_t offset_s;
		double window;
		const char *source, *says;
	} rows[] = {
		{1784548800, 1784548805, 0, 5, "live",
		 "Measured live for 5 s: 2026-07-20 12:00:00–12:00:05 UTC "
		 "(also local time)."},
		{1784548800, 1784548805, 7200, 5, "live",
		 "Measured live for 5 s: 2026-07-20 12:00:00–12:00:05 UTC "
		 "(14:00:00–14:00:05 local, +02:00)."},
		{1784591998, 1784592003, -12600, 5, "live",
		 "Measured live for 5 s: 2026-07-20 23:59:58 – 2026-07-21 00:00:03 UTC "
		 "(20:29:58–20:30:03 local, -03:30)."},
		{1784591990, 1784591995, 19800, 5, "live",
		 "Measured live for 5 s: 2026-07-20 23:59:50–23:59:55 UTC "
		 "(2026-07-21 05:29:50–05:29:55 local, +05:30)."},
		{0, 0, 0, 0, "folder",
		 "Read from recorded files (folder), one moment only: counters run since boot."},
		{0, 0, 0, 10, "bundle", "Read from recorded files (bundle), a window of 10 s."},
		{INT64_MAX, INT64_MAX, 0, 10, "live", "Measured live for 10 s."},
		{1, INT64_MAX, 0, 10, "live", "Measured live for 10 s."},
		{-5, -4, INT32_MIN, NAN, NULL,
		 "Read from recorded files, one moment only: counters run since boot."},
	};
	struct nd_buf b = {0};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		const struct nd_findings r = {.started_s = rows[i].from_s,
					      .ended_s = rows[i].to_s,
					      .utc_offset_s = rows[i].offset_s,
					      .window = rows[i].window,
					      .source = rows[i].source};

		nd_view_window(&b, &r);
		assert_view(&b, rows[i].says);
	}
}

static void test_headline(void **state)
{
	static const struct {
		enum nd_verdict verdict;
		const char *headline, *says;
	} rows[] = {
		{ND_CAUSES, "x on cpu:1 (likely)", "x on cpu:1 (likely)"},
		{ND_HEALTHY, "no cause found; 8 of 9 trees could be examined",
		 "healthy: no cause found; 8 of 9 trees could be examined"},
		{ND_HEALTHY, "healthy", "healthy; 8 of 9 trees could be examined"},
		{ND_HEALTHY, NULL, "healthy: 8 of 9 trees could be examined"},
		{ND_INCONCLUSIVE, "inconclusive: nothing seen",
		 "inconclusive: nothing seen; 8 of 9 trees could be examined"},
	};
	struct nd_buf b = {0};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		const struct nd_findings r = {.verdict = rows[i].verdict,
					      .headline = rows[i].headline,
					      .examined = 8,
					      .of = 9};

		nd_view_headline(&b, &r);
		assert_view(&b, rows[i].says);
	}
}

static void test_missing_words(void **state)
{
	struct nd_buf b = {0};

	(void)state;
	nd_view_missing(&b, ND_NOT_SAMPLED, "", "softirq");
	assert_view(&b, "needs the softirq probe (not sampled)");
	nd_view_missing(&b, ND_NO_PERMISSION, "run as root", NULL);
	assert_view(&b, "no permission: run as root");
	for (unsigned why = ND_PRESENT; why < ND_MISSINGS; why++) {
		nd_view_missing(&b, (enum nd_missing)why, NULL, NULL);
		assert_true(b.len > 5);
		nd_buf_free(&b);
		b = (struct nd_buf){0};
	}
}

static void test_cut(void **state)
{
	static const struct {
		const char *s;
		size_t max;
		const char *says;
	} rows[] = {
		{"short", 5, "short"},
		{"two words", 6, "two wo…"},
		{"three short words", 12, "three short…"},
		{"\xC3\xA9\xC3\xA9", 3, "\xC3\xA9…"},
		{"", 0, ""},
		{"x", 0, "…"},
		{NULL, 3, ""},
	};
	struct nd_buf b = {0};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++) {
		nd_view_cut(&b, rows[i].s, rows[i].max);
		assert_view(&b, rows[i].says);
	}
}

static void test_enum_names(void **state)
{
	(void)state;
	assert_string_equal(nd_word_name(ND_CONFIRMED), "confirmed");
	assert_string_equal(nd_word_name(ND_SUSPECTED), "suspected");
	assert_string_equal(nd_role_name(ND_CONSEQUENCE), "consequence");
	assert_string_equal(nd_answer_name(ND_UNKNOWN), "unknown");
	assert_string_equal(nd_grade_name(ND_DECIDES), "decides");
	assert_string_equal(nd_tier_name(ND_LAST_RESORT), "last-resort");
	assert_string_equal(nd_verdict_name(ND_INCONCLUSIVE), "inconclusive");
	assert_string_equal(nd_word_name((enum nd_word)99), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_width),    cmocka_unit_test(test_commands_are_whole),
		cmocka_unit_test(test_prose),	      cmocka_unit_test(test_first_word),
		cmocka_unit_test(test_window),	      cmocka_unit_test(test_headline),
		cmocka_unit_test(test_missing_words), cmocka_unit_test(test_cut),
		cmocka_unit_test(test_enum_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
