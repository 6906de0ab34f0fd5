/* What to write instead: the messages for what authors type out of habit from other languages.
 *
 * Such mistakes (&&, =, 5 msec, AND) are recognised on purpose: a message that names the right
 * spelling is worth more than one that says "unexpected token". */
#include "engine/core/str.h"
#include "engine/rule/lex.h"

bool nd_expr_fail(struct nd_expr_error *e, uint32_t pos, const char *fmt, ...)
{
	va_list ap;

	e->pos = pos;
	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	return false;
}

const char *nd_help_quote(const char *s, size_t n, char out[ND_LEX_SHOWN])
{
	const size_t most = 24;
	size_t end = n > most ? most : n, at = 0;

	while (n > most && end > 1 && ((unsigned char)s[end] & 0xc0) == 0x80)
		end--; /* not inside a character */
	out[at++] = '\'';
	for (size_t i = 0; i < end; i++) {
		unsigned char c = (unsigned char)s[i];

		out[at++] = (char)(c < 0x20 || c == 0x7f ? ' ' : c);
	}
	snprintf(out + at, ND_LEX_SHOWN - at, "%s'", n > most ? "…" : "");
	return out;
}

const char *nd_lex_show(const char *s, const struct nd_token *t, char out[ND_LEX_SHOWN])
{
	return t->type == ND_TOK_END ? "the end" : nd_help_quote(s + t->pos, t->end - t->pos, out);
}

/* Units of other tools, and what they are called here. */
static const struct {
	const char *typed, *meant;
} unit_habits[] = {
	{"nsec", "ns"},	    {"usec", "us"},	{"\xc2\xb5s", "us"}, {"\xce\xbcs", "us"},
	{"msec", "ms"},	    {"msecs", "ms"},	{"sec", "s"},	     {"secs", "s"},
	{"second", "s"},    {"seconds", "s"},	{"m", "min"},	     {"mins", "min"},
	{"minute", "min"},  {"minutes", "min"}, {"hr", "h"},	     {"hour", "h"},
	{"hours", "h"},	    {"day", "d"},	{"days", "d"},	     {"byte", "B"},
	{"bytes", "B"},	    {"b", "B"},		{"k", "kB"},	     {"kb", "kB"},
	{"ki", "KiB"},	    {"kib", "KiB"},	{"m", "MB"},	     {"mb", "MB"},
	{"mi", "MiB"},	    {"mib", "MiB"},	{"g", "GB"},	     {"gb", "GB"},
	{"gi", "GiB"},	    {"gib", "GiB"},	{"bits", "bit"},     {"bps", "bit/s"},
	{"kbps", "kbit/s"}, {"mbps", "Mbit/s"}, {"gbps", "Gbit/s"},  {"pps", "/s"},
	{"hz", "/s"},	    {"pct", "%"},	{"percent", "%"},
};

static const char *const unit_names[] = {
	"ns",  "us", "ms", "s",	 "min", "h",	"d",	"B",	"KiB", "MiB",
	"GiB", "kB", "MB", "GB", "bit", "kbit", "Mbit", "Gbit", "%",
};

static bool equal_fold(const char *a, const char *b)
{
	for (; *a && *b; a++, b++) {
		char x = *a >= 'A' && *a <= 'Z' ? (char)(*a + 32) : *a;
		char y = *b >= 'A' && *b <= 'Z' ? (char)(*b + 32) : *b;

		if (x != y)
			return false;
	}
	return *a == *b;
}

const char *nd_help_unit(const char *unit)
{
	for (size_t i = 0; i < ND_ARRAY_LEN(unit_habits); i++)
		if (strcmp(unit, unit_habits[i].typed) == 0)
			return unit_habits[i].meant;
	for (size_t i = 0; i < ND_ARRAY_LEN(unit_habits); i++)
		if (equal_fold(unit, unit_habits[i].typed) &&
		    strcmp(unit_habits[i].meant, "min") != 0)
			return unit_habits[i].meant;
	for (size_t i = 0; i < ND_ARRAY_LEN(unit_names); i++)
		if (equal_fold(unit, unit_names[i]))
			return unit_names[i];
	return nd_nearest(unit, unit_names, ND_ARRAY_LEN(unit_names));
}

/* Signs of other languages, longer before shorter. */
static const struct {
	const char *sign, *help;
} wrong_signs[] = {
	{"===", "'===' is no operator: write =="},
	{"!==", "'!==' is no operator: write !="},
	{"=>", "'=>' is no operator: write >="},
	{"=<", "'=<' is no operator: write <="},
	{"<>", "'<>' is no operator: write !="},
	{"&&", "'&&' is no operator: write and"},
	{"||", "'||' is no operator: write or"},
	{"**", "'**' is no operator: multiply the value with itself"},
	{"=", "'=' does not compare: write =="},
	{"!", "'!' is no operator: write not"},
	{"&", "'&' is no operator: write and"},
	{"|", "'|' is no operator: write or (in texts it stands once, before the format)"},
	{"?", "'?' is no operator: write if(question, a, b)"},
	{":",
	 "':' means nothing here: a choice is if(question, a, b), a range a..b, an entity cpu(3)"},
	{"%", "'%' belongs directly behind a number, as in 80%"},
	{"^", "'^' is no operator: pow2(x) gives the power of two above x"},
	{"~", "'~' alone is no operator: write =~ or !~"},
	{"`", "quotes are \"…\" or '…'"},
	{";", "';' means nothing here: separate arguments with a comma"},
	{"#", "'#' means nothing in an expression"},
	{"@", "'@' stands in ids only, and an id is text: write iface(\"eth0\")"},
	{"{", "'{' means nothing in an expression; holes belong into texts"},
	{"}", "'}' means nothing in an expression; holes belong into texts"},
	{"\\", "'\\' means nothing outside of quotes"},
	{"\xe2\x80\x9c", "quotes are \"…\" or '…', not typographic ones"},
	{"\xe2\x80\x9d", "quotes are \"…\" or '…', not typographic ones"},
	{"\xe2\x80\x98", "quotes are \"…\" or '…', not typographic ones"},
	{"\xe2\x80\x99", "quotes are \"…\" or '…', not typographic ones"},
	{"\xe2\x80\xa6", "'…' is one character: write a range with two dots, a..b"},
	{"\xe2\x89\xa4", "'≤' is no operator: write <="},
	{"\xe2\x89\xa5", "'≥' is no operator: write >="},
	{"\xe2\x89\xa0", "'≠' is no operator: write !="},
	{"\xc3\x97", "'×' is no operator: write *"},
	{"\xc3\xb7", "'÷' is no operator: write /"},
	{"\xc2\xa0", "a no-break space: write a plain one"},
};

const char *nd_help_sign(const char *s)
{
	if ((s[0] == '=' && (s[1] == '=' || s[1] == '~') && s[2] != '=') ||
	    (s[0] == '!' && (s[1] == '=' || s[1] == '~') && s[2] != '='))
		return NULL; /* == =~ != !~ */
	for (size_t i = 0; i < ND_ARRAY_LEN(wrong_signs); i++)
		if (nd_starts(s, wrong_signs[i].sign))
			return wrong_signs[i].help;
	return NULL;
}

/* A token where a value must stand. */
static const struct {
	enum nd_token_type type;
	const char *help;
} no_values[] = {
	{ND_TOK_NOT, "'not' and what it negates need ( ) here"},
	{ND_TOK_OPEN_FILTER,
	 "'[' filters a set that stands before it; a list stands in ( ), behind 'in'"},
	{ND_TOK_RANGE, "a range stands behind 'in' or is a whole argument"},
	{ND_TOK_ADD, "'+' needs a value before it"},
};

/* A token where an operator, the end or a closing bracket must stand. */
static const struct {
	enum nd_token_type type;
	const char *at_end, *in_brackets;
} leftovers[] = {
	{ND_TOK_RANGE, "a range stands behind 'in' or is a whole argument",
	 "a range stands behind 'in', without ( ), or is a whole argument"},
	{ND_TOK_CLOSE, "')' without its '('", "')' without its '('"},
	{ND_TOK_CLOSE_FILTER, "']' without its '['", "']' without its '['"},
	{ND_TOK_COMMA, "a comma separates the arguments of a function; here is nothing to separate",
	 "a comma separates the arguments of a function or texts in quotes, as in x in (\"a\", "
	 "\"b\")"},
	{ND_TOK_OPEN, "only functions are called, and a function is a single name",
	 "only functions are called, and a function is a single name"},
};

static const struct {
	const char *word, *help;
} words[] = {
	{"and", "write and"},
	{"or", "write or"},
	{"not", "write not"},
	{"in", "write in"},
	{"is", "write =="},
	{"eq", "write =="},
	{"ne", "write !="},
	{"gt", "write >"},
	{"lt", "write <"},
	{"ge", "write >="},
	{"le", "write <="},
	{"matches", "write =~"},
	{"between", "write in a..b"},
	{"if", "write if(question, a, b)"},
	{"then", "write if(question, a, b)"},
	{"else", "write if(question, a, b)"},
	{"contains", "write member in set, or =~ for text"},
};

bool nd_help_no_value(struct nd_expr_error *e, const char *s, const struct nd_token *t)
{
	char buf[ND_LEX_SHOWN];

	for (size_t i = 0; i < ND_ARRAY_LEN(no_values); i++)
		if (no_values[i].type == t->type)
			return nd_expr_fail(e, t->pos, "%s", no_values[i].help);
	return nd_expr_fail(e, t->pos, "expected a value, found %s", nd_lex_show(s, t, buf));
}

static bool help_unit_apart(struct nd_expr_error *e, const struct nd_token *t)
{
	for (size_t i = 0; i < ND_ARRAY_LEN(unit_names); i++)
		if (strcmp(t->text, unit_names[i]) == 0)
			return nd_expr_fail(e, t->pos,
					    "the unit stands directly behind the digits, as in 5%s",
					    t->text);
	return true;
}

bool nd_help_leftover(struct nd_expr_error *e, const char *s, const struct nd_token *t,
		      enum nd_token_type before, char close)
{
	char buf[ND_LEX_SHOWN];

	if (t->type == ND_TOK_NAME && before == ND_TOK_NUMBER && !help_unit_apart(e, t))
		return false;
	for (size_t i = 0; i < ND_ARRAY_LEN(leftovers); i++)
		if (leftovers[i].type == t->type)
			return nd_expr_fail(e, t->pos, "%s",
					    close ? leftovers[i].in_brackets : leftovers[i].at_end);
	for (size_t i = 0; t->type == ND_TOK_NAME && i < ND_ARRAY_LEN(words); i++)
		if (equal_fold(t->text, words[i].word))
			return nd_expr_fail(e, t->pos, "'%s' is no operator: %s", t->text,
					    words[i].help);
	nd_lex_show(s, t, buf);
	if (close)
		return nd_expr_fail(e, t->pos, "expected '%c' or an operator, found %s", close,
				    buf);
	return nd_expr_fail(e, t->pos, "expected an operator, found %s", buf);
}
