/* Texts with holes: "CPU {cpu} at {$share | %.1}".
 *
 * A hole ends at the first '}' outside of quotes, and its format begins at the first single '|'
 * there, so that texts inside an expression may hold both. */
#include "engine/rule/lex.h"

#include "engine/core/str.h"

struct text_parser {
	struct nd_arena *arena;
	const char *s; /* the whole text */
	struct nd_text *out;
	uint32_t room; /* of out->parts */
	struct nd_expr_error *err;
};

static struct nd_text_part *push(struct text_parser *p, size_t pos)
{
	struct nd_text_part *part;

	if (p->out->n == p->room) {
		struct nd_text_part *parts;

		p->room = p->room ? 2 * p->room : 4;
		parts = nd_arena_alloc(p->arena, p->room * sizeof(*parts));
		if (p->out->n)
			memcpy(parts, p->out->parts, p->out->n * sizeof(*parts));
		p->out->parts = parts;
	}
	part = &p->out->parts[p->out->n++];
	*part = (struct nd_text_part){.format_digits = -1, .pos = (uint32_t)pos};
	return part;
}

/* A literal from at to the next hole or the end; moves *at on. */
static bool parse_literal(struct text_parser *p, size_t *at)
{
	const char *s = p->s;
	size_t from = *at, end = from, n = 0;
	char *literal;

	while (s[end] && !(s[end] == '{' && s[end + 1] != '{')) {
		bool brace = s[end] == '{' || s[end] == '}';

		if (s[end] == '}' && s[end + 1] != '}')
			return nd_expr_fail(p->err, (uint32_t)end,
					    "'}' without '{': write }} for a brace");
		end += brace ? 2 : 1;
	}
	if (end == from)
		return true;
	literal = nd_arena_alloc(p->arena, end - from + 1);
	for (size_t i = from; i < end; i++) {
		literal[n++] = s[i];
		if (s[i] == '{' || s[i] == '}')
			i++;
	}
	push(p, from)->literal = literal;
	*at = end;
	return true;
}

/* The byte behind the quoted text that begins at `at`, or of the text's end. */
static size_t skip_quoted(const char *s, size_t at)
{
	char quote = s[at++];

	while (s[at] && s[at] != quote)
		at += quote == '"' && s[at] == '\\' && s[at + 1] ? 2 : 1;
	return s[at] ? at + 1 : at;
}

/* The ends of the expression and of the whole hole, whose inside starts at from. */
static bool hole_ends(struct text_parser *p, size_t from, size_t *bar, size_t *close)
{
	const char *s = p->s;
	size_t at = from;

	*bar = SIZE_MAX;
	while (s[at] && s[at] != '}') {
		if (s[at] == '"' || s[at] == '\'') {
			size_t quote = at;

			at = skip_quoted(s, at);
			if (!s[at])
				return nd_expr_fail(p->err, (uint32_t)quote,
						    "a text without its closing %c in the hole",
						    s[quote]);
			continue;
		}
		if (s[at] == '|' && s[at + 1] == '|')
			at++; /* the expression's parser has words for it */
		else if (s[at] == '|' && *bar == SIZE_MAX)
			*bar = at;
		at++;
	}
	*close = at;
	if (*bar == SIZE_MAX)
		*bar = at;
	if (!s[at])
		return nd_expr_fail(p->err, (uint32_t)from - 1,
				    "'{' without '}': write {{ for a brace");
	return true;
}

/* FORMAT: a unit, digits (".1"), or both in either order. */
static bool parse_format(struct text_parser *p, size_t from, size_t end, struct nd_text_part *part)
{
	char *s = nd_trim(nd_arena_strndup(p->arena, p->s + from, end - from));
	uint32_t pos = (uint32_t)(from + strspn(p->s + from, " \t\r\n"));
	char *dot = strchr(s, '.');
	struct nd_dims dims;
	enum nd_number_kind kind;
	double factor;
	char shown[ND_LEX_SHOWN];
	const char *meant;

	if (dot) {
		if (dot[1] < '0' || dot[1] > '9' || (dot[2] >= '0' && dot[2] <= '9'))
			return nd_expr_fail(p->err, pos,
					    "a dot and one digit say how many decimals, as in .1");
		part->format_digits = dot[1] - '0';
		if (dot == s)
			s += 2;
		else if (!dot[2])
			*dot = '\0';
		s = nd_trim(s);
		if (!*s)
			return true;
	}
	if (*s && nd_expr_unit(s, &factor, &dims, &kind)) {
		part->format_unit = s;
		return true;
	}
	if (!*s)
		return nd_expr_fail(p->err, pos,
				    "a format must follow '|': a unit (ms), digits (.1), or both");
	meant = nd_help_unit(s);
	return nd_expr_fail(
		p->err, pos,
		"%s is no format%s%s; a format is a unit, digits (.1), or both; " ND_UNITS_HELP,
		nd_help_quote(s, strlen(s), shown), meant ? ", nearest is " : "",
		meant ? meant : "");
}

/* The hole that begins at the brace *at; moves *at on. */
static bool parse_hole(struct text_parser *p, size_t *at)
{
	size_t from = *at + 1, bar = 0, close = 0, skip;
	struct nd_text_part *part;
	char *source;

	if (!hole_ends(p, from, &bar, &close))
		return false;
	skip = strspn(p->s + from, " \t\r\n");
	if (from + skip >= bar)
		return nd_expr_fail(p->err, (uint32_t)*at,
				    "an empty hole: write {{ and }} for braces");
	from += skip;
	source = nd_trim(nd_arena_strndup(p->arena, p->s + from, bar - from));
	part = push(p, *at);
	part->source = source;
	part->expr = nd_expr_parse(p->arena, source, false, p->err);
	if (!part->expr) {
		p->err->pos += (uint32_t)from;
		return false;
	}
	*at = close + 1;
	return bar == close || parse_format(p, bar + 1, close, part);
}

bool nd_text_parse(struct nd_arena *a, const char *text, struct nd_text *out,
		   struct nd_expr_error *e)
{
	struct text_parser p = {.arena = a, .s = text, .out = out, .err = e};
	size_t at = 0;

	*out = (struct nd_text){0};
	if (strnlen(text, UINT32_MAX) == UINT32_MAX)
		return nd_expr_fail(e, 0, "the text is too long");
	while (text[at])
		if (!parse_literal(&p, &at) || (text[at] && !parse_hole(&p, &at)))
			return false;
	return true;
}
