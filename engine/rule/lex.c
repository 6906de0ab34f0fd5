/* Tokens of rule expressions, and the units that numbers carry.
 *
 * Tokens are read one at a time, so that a mistake is reported where reading stopped and what
 * stands behind it costs nothing. */
#include "engine/rule/lex.h"

#include "engine/core/str.h"

struct unit_row {
	const char *name;
	double factor; /* one of it in base units: seconds, bytes, plain counts, ratios */
	struct nd_dims dims;
	enum nd_number_kind kind;
	bool literal; /* may stand behind the digits of a number */
};

static const struct unit_row units[] = {
	{"ns", 1e-9, {1, 0}, ND_N_COUNT, true},	       {"us", 1e-6, {1, 0}, ND_N_COUNT, true},
	{"ms", 1e-3, {1, 0}, ND_N_COUNT, true},	       {"s", 1, {1, 0}, ND_N_COUNT, true},
	{"min", 60, {1, 0}, ND_N_COUNT, true},	       {"h", 3600, {1, 0}, ND_N_COUNT, true},
	{"d", 86400, {1, 0}, ND_N_COUNT, true},	       {"B", 1, {0, 1}, ND_N_COUNT, true},
	{"KiB", 1024, {0, 1}, ND_N_COUNT, true},       {"MiB", 1048576, {0, 1}, ND_N_COUNT, true},
	{"GiB", 1073741824, {0, 1}, ND_N_COUNT, true}, {"kB", 1e3, {0, 1}, ND_N_COUNT, true},
	{"MB", 1e6, {0, 1}, ND_N_COUNT, true},	       {"GB", 1e9, {0, 1}, ND_N_COUNT, true},
	{"bit", 1.0 / 8, {0, 1}, ND_N_COUNT, true},    {"kbit", 1e3 / 8, {0, 1}, ND_N_COUNT, true},
	{"Mbit", 1e6 / 8, {0, 1}, ND_N_COUNT, true},   {"Gbit", 1e9 / 8, {0, 1}, ND_N_COUNT, true},
	{"%", 0.01, {0, 0}, ND_N_PERCENT, true},       {"", 1, {0, 0}, ND_N_PLAIN, true},
	{"1", 1, {0, 0}, ND_N_COUNT, false},	       {"ratio", 1, {0, 0}, ND_N_RATIO, false},
};

static const struct {
	const char *suffix;
	double seconds;
} spans[] = {{"/s", 1}, {"/min", 60}, {"/h", 3600}};

static const struct unit_row *unit_row(const char *s, size_t n)
{
	for (size_t i = 0; i < ND_ARRAY_LEN(units); i++)
		if (strlen(units[i].name) == n && memcmp(units[i].name, s, n) == 0)
			return &units[i];
	return NULL;
}

bool nd_expr_unit(const char *unit, double *factor, struct nd_dims *dims, enum nd_number_kind *kind)
{
	const struct unit_row *row;
	size_t n = strlen(unit);
	double seconds = 0; /* 0: no "per" */

	for (size_t i = 0; i < ND_ARRAY_LEN(spans) && seconds == 0; i++) {
		if (!nd_ends(unit, spans[i].suffix))
			continue;
		seconds = spans[i].seconds;
		n -= strlen(spans[i].suffix);
	}
	row = unit_row(unit, n);
	if (!row)
		return false;
	*factor = row->factor;
	*dims = row->dims;
	*kind = row->kind;
	if (seconds > 0) {
		*factor /= seconds;
		dims->time = (int8_t)(dims->time - 1);
		*kind = ND_N_COUNT;
	}
	return true;
}

/* ASCII only: the C locale's rules, whatever the process was started with. */
static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_word(char c)
{
	return is_word_start(c) || is_digit(c);
}

static const struct {
	const char *sign;
	enum nd_token_type type;
} signs[] = {
	/* longer before shorter */
	{"==", ND_TOK_EQ},	    {"!=", ND_TOK_NE},	  {"<=", ND_TOK_LE},
	{">=", ND_TOK_GE},	    {"=~", ND_TOK_MATCH}, {"!~", ND_TOK_NOT_MATCH},
	{"..", ND_TOK_RANGE},	    {"<", ND_TOK_LT},	  {">", ND_TOK_GT},
	{"+", ND_TOK_ADD},	    {"-", ND_TOK_SUB},	  {"*", ND_TOK_MUL},
	{"/", ND_TOK_DIV},	    {".", ND_TOK_DOT},	  {",", ND_TOK_COMMA},
	{"(", ND_TOK_OPEN},	    {")", ND_TOK_CLOSE},  {"[", ND_TOK_OPEN_FILTER},
	{"]", ND_TOK_CLOSE_FILTER},
};

static bool lex_sign(struct nd_lexer *lx, struct nd_token *t)
{
	const char *s = lx->s + lx->at;
	const char *help = nd_help_sign(s);

	if (help)
		return nd_expr_fail(lx->err, lx->at, "%s", help);
	for (size_t i = 0; i < ND_ARRAY_LEN(signs); i++) {
		if (!nd_starts(s, signs[i].sign))
			continue;
		t->type = signs[i].type;
		lx->at += (uint32_t)strlen(signs[i].sign);
		return true;
	}
	if ((unsigned char)*s >= 0x80)
		return nd_expr_fail(lx->err, lx->at,
				    "letters, digits and signs of ASCII only; other characters "
				    "belong into quotes");
	if ((unsigned char)*s < 0x20 || *s == 0x7f)
		return nd_expr_fail(lx->err, lx->at, "a control character (0x%02x)",
				    (unsigned char)*s);
	return nd_expr_fail(lx->err, lx->at, "'%c' means nothing here", *s);
}

static const struct {
	const char *word;
	enum nd_token_type type;
} keywords[] = {
	{"and", ND_TOK_AND}, {"or", ND_TOK_OR},	    {"not", ND_TOK_NOT},
	{"in", ND_TOK_IN},   {"true", ND_TOK_TRUE}, {"false", ND_TOK_FALSE},
};

/* The keys of sysctls may have dashes: host.sysctl.fs.file-max. Is the word at `at` one of such a path? */
static bool in_sysctl(const struct nd_lexer *lx)
{
	static const char mark[] = "sysctl.";
	size_t n = strlen(mark);
	uint32_t from = lx->at;

	while (from > 0 && (is_word(lx->s[from - 1]) || strchr(".-", lx->s[from - 1])))
		from--;
	for (uint32_t i = from; i + n <= lx->at; i++) {
		if (strncmp(lx->s + i, mark, n) == 0 && (i == from || lx->s[i - 1] == '.'))
			return true;
	}
	return false;
}

static void lex_word(struct nd_lexer *lx, struct nd_token *t, enum nd_token_type type)
{
	bool dashes = type == ND_TOK_NAME && in_sysctl(lx);
	uint32_t from = lx->at;

	while (is_word(lx->s[lx->at]) ||
	       (dashes && lx->s[lx->at] == '-' && is_word(lx->s[lx->at + 1])))
		lx->at++;
	t->type = type;
	t->text = nd_arena_strndup(lx->arena, lx->s + from, lx->at - from);
	for (size_t i = 0; type == ND_TOK_NAME && i < ND_ARRAY_LEN(keywords); i++)
		if (strcmp(t->text, keywords[i].word) == 0)
			t->type = keywords[i].type;
}

/* Length of the "/s" of a number at s, or 0: "2/min(a, b)" and "2/host.x" divide. */
static uint32_t span_length(const char *s)
{
	for (size_t i = 0; i < ND_ARRAY_LEN(spans); i++) {
		size_t n = strlen(spans[i].suffix);

		if (!nd_starts(s, spans[i].suffix) || is_word(s[n]) || s[n] == '(' || s[n] == '%')
			continue;
		if (s[n] == '.' && s[n + 1] != '.')
			continue; /* a path */
		return (uint32_t)n;
	}
	return 0;
}

static bool unknown_unit(struct nd_lexer *lx, uint32_t pos, const char *unit)
{
	const char *meant = nd_help_unit(unit);
	char shown[ND_LEX_SHOWN];

	nd_help_quote(unit, strlen(unit), shown);
	if ((unit[0] == 'e' || unit[0] == 'E') && is_digit(unit[1]))
		return nd_expr_fail(lx->err, pos, "numbers have no exponent: write the digits");
	if ((unit[0] == 'x' || unit[0] == 'X') && lx->s[pos - 1] == '0')
		return nd_expr_fail(lx->err, pos, "numbers are decimal: write the digits");
	if (meant)
		return nd_expr_fail(lx->err, pos, "%s is no unit, nearest is %s; " ND_UNITS_HELP,
				    shown, meant);
	return nd_expr_fail(lx->err, pos, "%s is no unit; " ND_UNITS_HELP, shown);
}

static bool lex_number(struct nd_lexer *lx, struct nd_token *t)
{
	const char *s = lx->s;
	uint32_t from = lx->at, unit, end;
	const struct unit_row *row;

	while (is_digit(s[lx->at]))
		lx->at++;
	if (s[lx->at] == '.' && is_digit(s[lx->at + 1]))
		for (lx->at++; is_digit(s[lx->at]);)
			lx->at++;
	if (!nd_parse_f64(nd_arena_strndup(lx->arena, s + from, lx->at - from), &t->num))
		return nd_expr_fail(lx->err, from, "the number is too large");
	unit = end = lx->at;
	while (is_word(s[end]) || s[end] == '%' || (unsigned char)s[end] >= 0x80)
		end++;
	row = unit_row(s + unit, end - unit);
	if (!row || !row->literal)
		return unknown_unit(lx, unit, nd_arena_strndup(lx->arena, s + unit, end - unit));
	end += span_length(s + end);
	t->type = ND_TOK_NUMBER;
	t->unit = nd_arena_strndup(lx->arena, s + unit, end - unit);
	lx->at = end;
	return true;
}

static bool lex_raw_text(struct nd_lexer *lx, struct nd_token *t)
{
	const char *from = lx->s + lx->at + 1;
	const char *end = strchr(from, '\'');

	if (!end)
		return nd_expr_fail(lx->err, lx->at, "a text without its closing '");
	t->type = ND_TOK_TEXT;
	t->text = nd_arena_strndup(lx->arena, from, (size_t)(end - from));
	lx->at = (uint32_t)(end + 1 - lx->s);
	return true;
}

static bool lex_text(struct nd_lexer *lx, struct nd_token *t)
{
	static const char escapes[] = "\\\"nt", values[] = "\\\"\n\t";
	const char *s = lx->s;
	uint32_t at = lx->at + 1, end = at;
	size_t n = 0;
	char *out;

	while (s[end] && s[end] != '"')
		end += s[end] == '\\' && s[end + 1] ? 2 : 1;
	if (!s[end])
		return nd_expr_fail(lx->err, lx->at, "a text without its closing \"");
	out = nd_arena_alloc(lx->arena, end - at + 1);
	for (; at < end; at++) {
		const char *e = strchr(escapes, s[at + 1]);

		if (s[at] != '\\') {
			out[n++] = s[at];
			continue;
		}
		if (!e)
			return nd_expr_fail(lx->err, at,
					    "escapes are \\\\ \\\" \\n \\t; in '…' a backslash "
					    "stands for itself");
		out[n++] = values[e - escapes];
		at++;
	}
	t->type = ND_TOK_TEXT;
	t->text = out;
	lx->at = end + 1;
	return true;
}

static bool lex_var(struct nd_lexer *lx, struct nd_token *t)
{
	if (!is_word_start(lx->s[lx->at + 1]))
		return nd_expr_fail(lx->err, lx->at, "a name must follow $ directly, as in $share");
	lx->at++;
	lex_word(lx, t, ND_TOK_VAR);
	return true;
}

bool nd_lex_next(struct nd_lexer *lx, struct nd_token *t)
{
	bool ok = true;
	char c;

	lx->at += (uint32_t)strspn(lx->s + lx->at, " \t\r\n");
	c = lx->s[lx->at];
	*t = (struct nd_token){.type = ND_TOK_END, .pos = lx->at};
	if (is_digit(c))
		ok = lex_number(lx, t);
	else if (is_word_start(c))
		lex_word(lx, t, ND_TOK_NAME);
	else if (c == '$')
		ok = lex_var(lx, t);
	else if (c == '"')
		ok = lex_text(lx, t);
	else if (c == '\'')
		ok = lex_raw_text(lx, t);
	else if (c == '.' && is_digit(lx->s[lx->at + 1]))
		ok = nd_expr_fail(lx->err, lx->at,
				  "a number starts with a digit: write 0.5, not .5");
	else if (c)
		ok = lex_sign(lx, t);
	t->end = lx->at;
	return ok;
}
