/* PCRE2 behind limits.
 *
 * Subjects come from foreign machines. UTF mode with "invalid UTF is allowed" makes any bytes safe,
 * and the interpreter is used, not the JIT: its limits count steps, so the same pattern and subject
 * end the same way on every machine. */
#include "engine/rule/expr_match.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#define PATTERN_BYTES_MAX 4096u
#define MATCH_STEPS_MAX 100000u
#define MATCH_DEPTH_MAX 1000u
#define MATCH_HEAP_KIB_MAX 2048u

#ifdef PCRE2_MATCH_INVALID_UTF
#define PATTERN_UTF (PCRE2_UTF | PCRE2_MATCH_INVALID_UTF)
#else
#define PATTERN_UTF 0u /* before PCRE2 10.34: bytes, which are safe as well */
#endif

struct nd_pattern {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *limits;
	const char *subject; /* of the last match that was 1, else NULL */
	/* PCRE2's table: entries of entry_size bytes, the group's number in two and then its name
	 */
	const unsigned char *table;
	uint32_t n_entries, entry_size;
	uint32_t *groups; /* the first entry of each name */
	uint32_t n_groups;
};

static const char *entry_name(const struct nd_pattern *p, uint32_t entry)
{
	return (const char *)p->table + (size_t)entry * p->entry_size + 2;
}

/* The table is sorted by name; a name is there twice if the pattern allowed that with (?J). */
static void find_groups(struct nd_pattern *p)
{
	pcre2_pattern_info(p->code, PCRE2_INFO_NAMECOUNT, &p->n_entries);
	if (p->n_entries == 0)
		return;
	pcre2_pattern_info(p->code, PCRE2_INFO_NAMEENTRYSIZE, &p->entry_size);
	pcre2_pattern_info(p->code, PCRE2_INFO_NAMETABLE, &p->table);
	p->groups = nd_alloc(p->n_entries * sizeof(*p->groups));
	for (uint32_t i = 0; i < p->n_entries; i++)
		if (i == 0 || strcmp(entry_name(p, i), entry_name(p, i - 1)) != 0)
			p->groups[p->n_groups++] = i;
}

static pcre2_code *compile(const char *pattern, char *err, size_t err_size, size_t *offset)
{
	const uint32_t options = PATTERN_UTF | PCRE2_NEVER_BACKSLASH_C;
	const size_t n = strnlen(pattern, PATTERN_BYTES_MAX + 1);
	unsigned char text[256];
	int code = 0;
	PCRE2_SIZE at = 0;
	pcre2_code *re;

	*offset = 0;
	if (n > PATTERN_BYTES_MAX) {
		snprintf(err, err_size, "longer than %u bytes", PATTERN_BYTES_MAX);
		return NULL;
	}
	re = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, options, &code, &at, NULL);
	if (re)
		return re;
	if (pcre2_get_error_message(code, text, sizeof(text)) < 0)
		snprintf((char *)text, sizeof(text), "error %d", code);
	snprintf(err, err_size, "%s", (const char *)text);
	*offset = at < n ? at : n; /* PCRE2 may count beyond the end */
	return NULL;
}

struct nd_pattern *nd_pattern_new(const char *pattern, char *err, size_t err_size, size_t *offset)
{
	pcre2_code *code = compile(pattern, err, err_size, offset);
	struct nd_pattern *p;

	if (!code)
		return NULL;
	p = nd_alloc(sizeof(*p));
	p->code = code;
	p->data = pcre2_match_data_create_from_pattern(code, NULL);
	p->limits = pcre2_match_context_create(NULL);
	if (!p->data || !p->limits) {
		snprintf(err, err_size, "out of memory");
		nd_pattern_free(p);
		return NULL;
	}
	pcre2_set_match_limit(p->limits, MATCH_STEPS_MAX);
	pcre2_set_depth_limit(p->limits, MATCH_DEPTH_MAX);
	pcre2_set_heap_limit(p->limits, MATCH_HEAP_KIB_MAX);
	find_groups(p);
	return p;
}

void nd_pattern_free(struct nd_pattern *p)
{
	if (!p)
		return;
	pcre2_match_context_free(p->limits);
	pcre2_match_data_free(p->data);
	pcre2_code_free(p->code);
	free(p->groups);
	free(p);
}

int nd_pattern_match(struct nd_pattern *p, const char *subject, size_t len)
{
	int rc = pcre2_match(p->code, (PCRE2_SPTR)subject, len, 0, 0, p->data, p->limits);

	p->subject = rc > 0 ? subject : NULL;
	if (rc == PCRE2_ERROR_NOMATCH)
		return 0;
	return rc > 0 ? 1 : -1; /* every other error is a limit or lack of memory */
}

uint32_t nd_pattern_groups(const struct nd_pattern *p)
{
	return p->n_groups;
}

const char *nd_pattern_group_name(const struct nd_pattern *p, uint32_t i)
{
	return i < p->n_groups ? entry_name(p, p->groups[i]) : NULL;
}

bool nd_pattern_group(const struct nd_pattern *p, uint32_t i, const char **start, size_t *len)
{
	const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(p->data);
	const uint32_t n = pcre2_get_ovector_count(p->data);
	uint32_t last;

	if (!p->subject || i >= p->n_groups)
		return false;
	last = i + 1 < p->n_groups ? p->groups[i + 1] : p->n_entries;
	for (uint32_t entry = p->groups[i]; entry < last; entry++) {
		const unsigned char *e = p->table + (size_t)entry * p->entry_size;
		uint32_t group = (uint32_t)e[0] << 8 | e[1];

		if (group >= n || ends[2 * group] == PCRE2_UNSET ||
		    ends[2 * group] > ends[2 * group + 1])
			continue;
		*start = p->subject + ends[2 * group];
		*len = ends[2 * group + 1] - ends[2 * group];
		return true;
	}
	return false;
}
