/* A pattern in the first line, subjects in the lines behind it: compiled or refused with a place, matched within
 * limits, and every named group lies in its subject. */
#include "engine/rule/expr_match.h"
#include "engine/core/str.h"
#include "tests/fuzz/fuzz.h"

static volatile unsigned seen; /* so that reading a group's bytes is not optimised away */

static void check_groups(const struct nd_pattern *p, const char *subject, size_t len, int rc)
{
	for (uint32_t i = 0; i < nd_pattern_groups(p) + 1; i++) {
		const char *name = nd_pattern_group_name(p, i), *start = NULL;
		size_t n = 0;

		FUZZ_CHECK(!name == (i == nd_pattern_groups(p)));
		FUZZ_CHECK(!name || i == 0 || strcmp(nd_pattern_group_name(p, i - 1), name) < 0);
		if (!nd_pattern_group(p, i, &start, &n))
			continue;
		FUZZ_CHECK(rc == 1 && name);
		FUZZ_CHECK(start >= subject && n <= len && start + n <= subject + len);
		for (size_t k = 0; k < n; k++)
			seen += (unsigned char)start[k];
	}
}

static void match(struct nd_pattern *p, const char *subject, size_t len)
{
	int rc = nd_pattern_match(p, subject, len);

	FUZZ_CHECK(rc >= -1 && rc <= 1);
	check_groups(p, subject, len, rc);
	FUZZ_CHECK(nd_pattern_match(p, subject, len) == rc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
	size_t n = end ? (size_t)(end - data) : size, offset = SIZE_MAX;
	char *pattern = fuzz_text(data, n), err[200] = "";
	struct nd_pattern *p = nd_pattern_new(pattern, err, sizeof(err), &offset);

	FUZZ_CHECK(!p == !!*err);
	FUZZ_CHECK(p || offset <= strlen(pattern));
	for (unsigned lines = 0; p && end && lines < 8; lines++) {
		const uint8_t *from = end + 1;
		size_t left = (size_t)(data + size - from);
		char *subject;

		end = left ? memchr(from, '\n', left) : NULL;
		n = end ? (size_t)(end - from) : left;
		subject = nd_alloc(n ? n : 1); /* no NUL behind it: the length counts */
		if (n)
			memcpy(subject, from, n);
		match(p, subject, n);
		free(subject);
	}
	nd_pattern_free(p);
	free(pattern);
	return 0;
}
