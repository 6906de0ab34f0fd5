/* Reports: golden files for each format, the first screen, and what hostile bytes may not do.
 *
 * GOLDEN=write in the environment rewrites tests/golden; review the difference. */
#include "reports/page.h"
#include "reports/report.h"
#include "reports/view.h"
#include "tests/unit/report_hostile.h"

#include <errno.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

extern const struct nd_report nd_report_md, nd_report_text, nd_report_json;
static const struct nd_report *const formats[] = {&nd_report_md, &nd_report_text, &nd_report_json};
static const struct nd_report *const prose_formats[] = {&nd_report_md, &nd_report_text};

static const char nasty[] =
	"a|b*c*_d_ `e` ``f`` <script>[g](h) &amp; $i$ ~~j~~ \\n\n# k\n- l\r\033[31mred\033[0m\x7F"
	" \xFF\xC0\xAF \xED\xA0\x80 \xE2\x80\xAE"
	"esrever\xE2\x80\x8B \xC2\x9B"
	"31m \xC3\xA9 \xE6\xBC\xA2 1. +";

/* ---- healthy, and healthy with a hole ---- */

static const struct nd_findings fixture_healthy = {
	ABOUT,
	.verdict = ND_HEALTHY,
	.headline = "no cause found; 44 of 44 trees could be examined",
	.examined = 44,
	.of = 44,
	LIST(ruled_out, full_ruled_out),
	.next = "if the latency comes and goes, run `netdoctor run --wait 10m`",
};

/* ---- inconclusive: a recorded folder, one moment, nothing found and much unread ---- */

static const struct nd_findings fixture_inconclusive = {
	.version = "0.1.0",
	.source = "folder",
	.symptom = "not-measurable",
	.verdict = ND_INCONCLUSIVE,
	.host_name = "",
	.kernel = "",
	.uptime = NAN,
	.headline = "no cause found; 8 of 9 trees could be examined",
	.examined = 8,
	.of = 9,
	LIST(ruled_out, full_ruled_out),
	LIST(open, full_open),
	LIST(unexamined, full_unexamined),
	.next = "collect `softnet_stat` twice, 10 s apart",
	.own_cpu = 0.004,
	.own_wall = 0.005,
};

/* ---- suspected only: what would confirm it comes before the fix ---- */

static const struct nd_findings fixture_suspected = {
	ABOUT,
	.verdict = ND_INCONCLUSIVE,
	.headline = "packet-loss-path on netns:host (suspected)",
	.examined = 44,
	.of = 44,
	.findings = full_findings + 1,
	.n_findings = 1,
	.next = "run `netdoctor run --deep` to see where they are lost",
};

/* ---- forty entities, and lists longer than any report shows ---- */

struct many {
	struct nd_findings r;
	char names[40][16];
	const char *entities[40];
	struct nd_finding findings[14];
	struct nd_ruled_out ruled_out[40];
	struct nd_unexamined unexamined[40];
	struct nd_fix fix;
};

static const struct nd_findings *many(struct many *m)
{
	static const struct nd_missing_fact missing[] = {
		{"iface.hw.rx_ring_full.seen", "iface:eth0", ND_NO_PERMISSION, "", "", NULL}};
	static const char long_run[] = "echo 1 > /a\necho 2 > /b\necho 3 > /c\necho 4 > /d\n"
				       "echo 5 > /e\necho 6 > /f\necho 7 > /g\necho 8 > /h\n";

	*m = (struct many){0};
	m->fix = (struct nd_fix){.tier = ND_CURE,
				 .title = "Spread the queues",
				 .risk = "low: none known",
				 .run = long_run,
				 .undo = long_run};
	for (uint32_t i = 0; i < 40; i++) {
		snprintf(m->names[i], sizeof(m->names[i]), "cpu:%u", i);
		m->entities[i] = m->names[i];
		m->ruled_out[i] = (struct nd_ruled_out){"some-cause", "some-rule", m->names[i], 0,
							"Is it?",     "it is not", false};
		m->unexamined[i] = (struct nd_unexamined){"some-rule", "tree", false,
							  m->names[i], 0,      N(missing)};
	}
	for (uint32_t i = 0; i < ND_ARRAY_LEN(m->findings); i++)
		m->findings[i] = (struct nd_finding){.cause = "softirq-single-cpu",
						     .rule = "receive-path",
						     .entity = m->names[i],
						     .entities = m->entities,
						     .n_entities = 40,
						     .word = ND_LIKELY,
						     .title = "Receive processing is saturated",
						     .because = "All of it is on few CPUs.",
						     .delay = NAN,
						     .touches = NAN,
						     .share = NAN,
						     .fit = NAN,
						     .fixes = &m->fix,
						     .n_fixes = 1};
	m->r = (struct nd_findings){ABOUT,
				    .verdict = ND_CAUSES,
				    .headline = "softirq-single-cpu on cpu:0 and 39 more (likely)",
				    .examined = 4,
				    .of = 44,
				    LIST(findings, m->findings),
				    LIST(ruled_out, m->ruled_out),
				    LIST(unexamined, m->unexamined),
				    .next = "spread the queues"};
	return &m->r;
}

/* ---- golden files ---- */

static char *read_all(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct nd_buf b = {0};
	char part[4096];
	size_t n;

	if (!f)
		return NULL;
	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		nd_buf_put(&b, part, n);
	fclose(f);
	nd_buf_puts(&b, "");
	return b.s;
}

static void compare(const char *name, const struct nd_report *format, const struct nd_findings *r)
{
	const char *write = getenv("GOLDEN");
	struct nd_buf out = {0};
	char path[256];
	char *expected;
	FILE *f;

	snprintf(path, sizeof(path), "tests/golden/%s%s", name, format->suffix);
	assert_int_equal(format->write(r, &out), 0);
	if (write && strcmp(write, "write") == 0) {
		f = fopen(path, "wb");
		assert_non_null(f);
		assert_int_equal(fwrite(out.s, 1, out.len, f), out.len);
		assert_int_equal(fclose(f), 0);
	}
	expected = read_all(path);
	if (!expected)
		fail_msg("%s cannot be read: %s", path, strerror(errno));
	if (strcmp(expected, nd_buf_str(&out)) != 0)
		print_error("%s differs; GOLDEN=write rewrites it\n", path);
	assert_string_equal(nd_buf_str(&out), expected);
	free(expected);
	nd_buf_free(&out);
}

static void test_golden(void **state)
{
	static struct hostile h;
	static struct many m;
	const struct {
		const char *name;
		const struct nd_findings *r;
	} rows[] = {
		{"full", &fixture_full},
		{"healthy", &fixture_healthy},
		{"inconclusive", &fixture_inconclusive},
		{"suspected", &fixture_suspected},
		{"hostile", hostile(&h, nasty)},
		{"many", many(&m)},
	};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++)
		for (size_t f = 0; f < ND_ARRAY_LEN(formats); f++)
			compare(rows[i].name, formats[f], rows[i].r);
}

/* ---- first screen ---- */

/* Ends the text after 24 rows of 100 columns, long lines folded. */
static void keep_screen(char *s)
{
	size_t rows = 0;
	size_t width = 0;

	for (; *s && rows < ND_SCREEN_ROWS; s++) {
		if (*s == '\n') {
			rows += width > ND_SCREEN_COLUMNS
					? (width + ND_SCREEN_COLUMNS - 1) / ND_SCREEN_COLUMNS
					: 1;
			width = 0;
		} else if (((unsigned char)*s & 0xC0) != 0x80) {
			width++;
		}
	}
	*s = '\0';
}

static void assert_on_screen(const struct nd_findings *r, const char *const *wanted)
{
	for (size_t f = 0; f < ND_ARRAY_LEN(prose_formats); f++) {
		struct nd_buf out = {0};

		assert_int_equal(prose_formats[f]->write(r, &out), 0);
		keep_screen(out.s);
		for (size_t i = 0; wanted[i]; i++)
			if (!strstr(out.s, wanted[i]))
				fail_msg("%s: not on the first screen: %s\n%s",
					 prose_formats[f]->name, wanted[i], out.s);
		nd_buf_free(&out);
	}
}

static void test_first_screen(void **state)
{
	static struct many m;

	(void)state;
	assert_on_screen(
		&fixture_full,
		(const char *const[]){"softnet-backlog-drop on cpu:22 (confirmed)\n", "web-7",
				      "12:00:00–12:00:05 UTC", "14:00:00–14:00:05", "Symptom: seen",
				      "Per-CPU backlog overflows", "delay 44 ms",
				      "sysctl -w net.core.netdev_max_backlog=2000\n",
				      "sysctl -w net.core.netdev_max_backlog=1000", "Risk low",
				      "Next:", "netdoctor run --port 443", NULL});
	assert_on_screen(
		&fixture_healthy,
		(const char *const[]){"healthy: no cause found; 44 of 44 trees could be examined\n",
				      "Next:", "--wait 10m", NULL});
	assert_on_screen(&fixture_inconclusive,
			 (const char *const[]){
				 "inconclusive: no cause found; 8 of 9 trees could be examined\n",
				 "1 tree stayed unexamined", "softnet-time-squeeze",
				 "runqueue-delay", "one moment only", "Next:", "softnet_stat",
				 NULL});
	assert_on_screen(&fixture_suspected, (const char *const[]){"inconclusive: ", "suspected",
								   "Next:", "Fix:", NULL});
	assert_on_screen(many(&m),
			 (const char *const[]){"(likely)", "Spread the queues", "see Fixes below",
					       "Next:", "spread", NULL});
}

/* A verdict without a next step of its own gets the usual one; a command at the end stays whole. */
static void test_next_step(void **state)
{
	struct nd_findings r = fixture_full;

	(void)state;
	r.next = NULL;
	assert_on_screen(&r,
			 (const char *const[]){"Next:", "`all(found, softnet.dropped.delta == 0)`.",
					       "it worked", NULL});
	r = fixture_healthy;
	r.next = "";
	assert_on_screen(&r, (const char *const[]){"Next:", "`netdoctor run` again then.", NULL});
	r = fixture_inconclusive;
	r.next = full_open[2].next;
	assert_on_screen(
		&r, (const char *const[]){"Next:", "sysctl net.netfilter.nf_conntrack_max", NULL});
	r.next = NULL;
	assert_on_screen(&r, (const char *const[]){"Next:", "and compare.", NULL});
}

/* However long the texts are, the fix and the next step are on it. */
static void test_first_screen_of_long_texts(void **state)
{
	static struct hostile h;
	static char s[20000];
	static const size_t lengths[] = {100, 300, 1000, 5000, 19999};

	(void)state;
	for (size_t i = 0; i < ND_ARRAY_LEN(lengths); i++) {
		for (size_t k = 0; k < lengths[i]; k++)
			s[k] = k % 7 == 6 && i % 2 == 0 ? ' ' : 'x';
		s[lengths[i]] = '\0';
		assert_on_screen(hostile(&h, s),
				 (const char *const[]){"xxx", "Try this", "Next:", NULL});
	}
}

/* ---- hostile texts ---- */

/* Nothing but newlines (and tabs in commands) may reach a terminal, and the text is UTF-8. */
static void assert_harmless(const char *s, int byte)
{
	json_t *utf8 = json_string(s); /* NULL unless the text is valid UTF-8 */

	for (const unsigned char *c = (const unsigned char *)s; *c; c++)
		if ((*c < 0x20 && *c != '\n' && (*c != '\t' || byte != '\t')) || *c == 0x7F)
			fail_msg("byte 0x%02X is there raw, from 0x%02X", *c, (unsigned)byte);
	for (const char *c = s; (c = strchr(c, '\xC2')) != NULL; c++)
		assert_true((unsigned char)c[1] >= 0xA0); /* no C1 controls */
	assert_non_null(utf8);
	json_decref(utf8);
}

static void test_every_byte(void **state)
{
	static struct hostile h;

	(void)state;
	for (int byte = 1; byte < 256; byte++) {
		const char s[] = {'a', (char)byte, 'b', (char)byte, (char)byte, 0};

		hostile(&h, s);
		for (size_t f = 0; f < ND_ARRAY_LEN(formats); f++) {
			struct nd_buf out = {0};

			assert_int_equal(formats[f]->write(&h.r, &out), 0);
			assert_int_equal(strlen(out.s), out.len);
			assert_harmless(out.s, byte);
			nd_buf_free(&out);
		}
	}
}

static void test_json_keeps_texts(void **state)
{
	static const char s[] = "quote \" slash \\ tab \t newline \n esc \033 bell \a del \x7F";
	static struct hostile h;
	struct nd_buf out = {0};
	json_t *root;

	(void)state;
	assert_int_equal(nd_report_json.write(hostile(&h, s), &out), 0);
	root = json_loads(out.s, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	assert_string_equal(
		json_string_value(json_object_get(
			json_array_get(json_object_get(root, "findings"), 0), "because")),
		s);
	assert_true(json_is_null(json_object_get(json_object_get(root, "host"), "uptime_s")));
	assert_true(json_is_integer(json_object_get(root, "window_s")));
	json_decref(root);
	nd_buf_free(&out);
}

static void test_empty_findings(void **state)
{
	static const struct nd_findings nothing;

	(void)state;
	for (size_t f = 0; f < ND_ARRAY_LEN(formats); f++) {
		struct nd_buf out = {0};

		assert_int_equal(formats[f]->write(&nothing, &out), 0);
		assert_non_null(strstr(out.s, "healthy: 0 of 0 trees could be examined"));
		nd_buf_free(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_first_screen),
		cmocka_unit_test(test_next_step),
		cmocka_unit_test(test_first_screen_of_long_texts),
		cmocka_unit_test(test_every_byte),
		cmocka_unit_test(test_json_keeps_texts),
		cmocka_unit_test(test_empty_findings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
