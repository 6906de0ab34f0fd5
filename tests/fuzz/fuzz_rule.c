/* Any bytes as a rule file: loaded beside the libraries that are compiled in, checked, and if it is one, its tests
 * are run. Whatever is wrong with it has a message that names file, line and column. */
#include "collectors/collector.h"
#include "engine/judge/judge.h"
#include "tests/fuzz/fuzz.h"

static const struct nd_registry *registry(void)
{
	static struct nd_registry *r;

	if (!r) {
		r = nd_registry_new();
		nd_collectors_register(r);
	}
	return r;
}

static void add_libraries(struct nd_rules *rules, struct nd_buf *messages)
{
	for (const struct nd_rules_file *b = nd_rules_builtin; b->path; b++) {
		if (strstr(b->path, "/lib/"))
			nd_rules_add_text(rules, b->path, b->text, b->len, messages);
	}
}

/* Each error is "PATH:LINE:COLUMN: error: …". */
static void check_messages(const struct nd_buf *messages, int errors)
{
	const char *at = nd_buf_str(messages);
	int said = 0;

	for (; (at = strstr(at, "fuzz.yaml:")); at++) {
		const char *p = at + strlen("fuzz.yaml:");
		size_t line = strspn(p, "0123456789"), column;

		if (line == 0 || p[line] != ':')
			continue;
		column = strspn(p + line + 1, "0123456789");
		said += column && nd_starts(p + line + 1 + column, ": error: ");
	}
	FUZZ_CHECK(said >= errors || said > 100);
}

static void said(void *ctx, const struct nd_test_result *t)
{
	if (*t->why)
		nd_buf_printf(ctx, "%s: %s: %s\n%s", t->rule, t->name, t->why, t->trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nd_rules *rules = nd_rules_new(registry());
	struct nd_buf messages = {0}, out = {0};
	uint32_t passed = 0, failed = 0;
	char *text = fuzz_text(data, size);
	int errors;

	add_libraries(rules, &messages);
	FUZZ_CHECK(messages.len == 0);
	errors = nd_rules_add_text(rules, "fuzz.yaml", text, size, &messages);
	if (errors == 0)
		errors = nd_rules_check(rules, &messages);
	check_messages(&messages, errors);
	if (errors == 0) {
		nd_ruletest(rules, NULL, &(struct nd_test_hooks){said, NULL, &out}, &passed,
			    &failed);
		FUZZ_CHECK(nd_rules_count(rules) == 0 || passed + failed > 0);
		FUZZ_CHECK(!failed == !out.len);
	}
	nd_buf_free(&out);
	nd_buf_free(&messages);
	nd_rules_free(rules);
	free(text);
	return 0;
}
