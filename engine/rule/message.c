/* Reads messages back: "path:line:column: error: text", the source line, a caret; the latter two begin with blanks. */
#include "engine/rule/lint.h"

#define INDENT "    "

/* The number before s[end], behind a ':'; *end is then where that ':' stands. */
static bool number_before(const char *s, size_t *end, uint32_t *out)
{
	size_t from = *end;
	char digits[11] = "";
	uint64_t value;

	while (from > 0 && s[from - 1] >= '0' && s[from - 1] <= '9')
		from--;
	if (from == *end || *end - from >= sizeof(digits) || from < 2 || s[from - 1] != ':')
		return false;
	memcpy(digits, s + from, *end - from);
	if (!nd_parse_u64(digits, 10, &value) || value > UINT32_MAX)
		return false;
	*out = (uint32_t)value;
	*end = from - 1;
	return true;
}

/* A first line, without its newline: where does ": error: " stand, with a place before it? */
static bool head(const char *line, size_t len, struct nd_message *out)
{
	static const char *const kinds[] = {": warning: ", ": error: "};

	for (size_t at = 1; at < len; at++) {
		for (unsigned k = 0; k < 2; k++) {
			size_t n = strlen(kinds[k]), end = at;

			if (len - at < n || memcmp(line + at, kinds[k], n) != 0)
				continue;
			*out = (struct nd_message){.path = line, .error = k == 1};
			if (!number_before(line, &end, &out->column) ||
			    !number_before(line, &end, &out->line)) {
				end = at;
				out->line = out->column = 0;
			}
			out->path_len = end;
			out->text = line + at + n;
			out->text_len = len - at - n;
			return true;
		}
	}
	return false;
}

static size_t line_length(const char *s)
{
	return strcspn(s, "\n");
}

bool nd_message_next(const char **at, struct nd_message *out)
{
	const char *s = *at;
	size_t n;
	bool found = false;

	while (*s && !found) {
		n = line_length(s);
		found = !nd_starts(s, INDENT) && head(s, n, out);
		if (found)
			out->all = s;
		s += s[n] ? n + 1 : n;
	}
	if (!found) {
		*at = s;
		return false;
	}
	out->source = s;
	for (unsigned lines = 0; out->line && lines < 2 && nd_starts(s, INDENT); lines++) {
		n = line_length(s);
		s += s[n] ? n + 1 : n;
	}
	out->source_len = (size_t)(s - out->source);
	out->all_len = (size_t)(s - out->all);
	*at = s;
	return true;
}
