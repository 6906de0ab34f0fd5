/* Numbers as people read them, numbers as machines read them, and words as sh reads them.
 *
 * Every report prints floats here and nowhere else, so that equal facts give equal bytes. Rounding
 * is done by printf in decimal: 999.6 us is then 1 ms and never "1000 us". */
#include "engine/core/str.h"

#include <math.h>

#define DIGITS 3 /* significant ones, for people */
#define TEXT_MAX 400 /* the longest double: 309 digits, or 0. and 324 decimals */
#define NEAR_INTEGER 1e-9 /* 0.07 * 100 is meant to be 7 */
#define EXACT_BELOW 1e15 /* integers are printed in full below this */
#define WRITTEN_OUT 1e24 /* nothing real is larger; then an exponent reads better */
#define DECIMALS_MAX 12
#define PRINTS_AS_ZERO 5e-12 /* in the smallest unit: two of three digits still fit */

struct scale {
	double factor; /* base units in one of these */
	const char *name;
};

/* Largest first; a factor of 0 ends the table. */
static const struct scale seconds[] = {
	{86400, " d"}, {3600, " h"},  {60, " min"},  {1, " s"},
	{1e-3, " ms"}, {1e-6, " us"}, {1e-9, " ns"}, {0, NULL},
};
static const struct scale bytes[] = {
	{1099511627776.0, " TiB"},
	{1073741824.0, " GiB"},
	{1048576.0, " MiB"},
	{1024, " KiB"},
	{1, " B"},
	{0, NULL},
};
static const struct scale bytes_per_second[] = {
	{1099511627776.0, " TiB/s"},
	{1073741824.0, " GiB/s"},
	{1048576.0, " MiB/s"},
	{1024, " KiB/s"},
	{1, " B/s"},
	{0, NULL},
};
static const struct scale bits_per_second[] = {
	{1.25e11, " Tbit/s"}, {1.25e8, " Gbit/s"}, {1.25e5, " Mbit/s"},
	{125, " kbit/s"},     {0.125, " bit/s"},   {0, NULL},
};
static const struct scale percent[] = {{0.01, " %"}, {0, NULL}};
static const struct scale per_second[] = {{1, "/s"}, {0, NULL}};
static const struct scale plain[] = {{1, ""}, {0, NULL}};

static const struct {
	const char *name; /* as in JSON */
	const struct scale *scale;
	const char *zero; /* what follows a 0 */
} units[] = {
	[ND_U_NONE] = {"1", plain, ""},
	[ND_U_COUNT] = {"1", plain, ""},
	[ND_U_SECONDS] = {"s", seconds, " s"},
	[ND_U_BYTES] = {"B", bytes, " B"},
	[ND_U_PERCENT] = {"%", percent, " %"},
	[ND_U_PER_SECOND] = {"/s", per_second, "/s"},
	[ND_U_BYTES_PER_SECOND] = {"B/s", bytes_per_second, " B/s"},
	[ND_U_BITS_PER_SECOND] = {"bit/s", bits_per_second, " bit/s"},
};

const char *nd_unit_name(enum nd_unit u)
{
	return (unsigned)u < ND_ARRAY_LEN(units) ? units[u].name : "1";
}

/* v >= 0 rounded to three digits; *exponent is that of its first digit. */
static double rounded(double v, int *exponent)
{
	char text[32];
	uint64_t e = 0;
	const char *at;

	snprintf(text, sizeof(text), "%.*e", DIGITS - 1, v);
	at = strchr(text, 'e');
	if (at && nd_parse_u64(at + 2, 10, &e))
		*exponent = at[1] == '-' ? -(int)e : (int)e;
	return strtod(text, NULL);
}

/* Puts commas into the whole part of a decimal and takes the zeros off the end of its decimals. */
static void put_decimal(struct nd_buf *b, const char *text, bool separators)
{
	size_t whole = strcspn(text, ".");
	size_t n = strlen(text);

	if (text[whole] == '.') {
		while (text[n - 1] == '0')
			n--;
		if (text[n - 1] == '.')
			n--;
	}
	for (size_t i = 0; i < n; i++) {
		if (separators && i > 0 && i < whole && (whole - i) % 3 == 0)
			nd_buf_putc(b, ',');
		nd_buf_putc(b, text[i]);
	}
}

/* A number >= 0: whole ones in full, others with three digits. */
static void put_number(struct nd_buf *b, double v, bool separators)
{
	char text[TEXT_MAX];
	double whole = round(v);
	int exponent = 0;
	int decimals = 0;

	if (v >= WRITTEN_OUT) {
		nd_buf_printf(b, "%.3g", v);
		return;
	}
	if (v >= EXACT_BELOW || fabs(v - whole) > NEAR_INTEGER * v) {
		v = rounded(v, &exponent);
		decimals = DIGITS - 1 - exponent;
		decimals = decimals < 0 ? 0 : decimals > DECIMALS_MAX ? DECIMALS_MAX : decimals;
	}
	snprintf(text, sizeof(text), "%.*f", decimals, v);
	put_decimal(b, text, separators);
}

void nd_print_human(struct nd_buf *b, double v, enum nd_unit u)
{
	const struct scale *s = (unsigned)u < ND_ARRAY_LEN(units) ? units[u].scale : plain;
	int unused = 0;

	if (isnan(v)) {
		nd_buf_puts(b, "unknown");
		return;
	}
	if (isinf(v)) {
		nd_buf_puts(b, v < 0 ? "-infinite" : "infinite");
		return;
	}
	while (s[1].name && rounded(fabs(v) / s->factor, &unused) < 1)
		s++;
	if (fabs(v) / s->factor < PRINTS_AS_ZERO) {
		nd_buf_putc(b, '0');
		nd_buf_puts(b, (unsigned)u < ND_ARRAY_LEN(units) ? units[u].zero : "");
		return;
	}
	if (v < 0)
		nd_buf_putc(b, '-');
	put_number(b, fabs(v) / s->factor, u != ND_U_NONE);
	nd_buf_puts(b, s->name);
}

/* Writes the digits of a shortest "%e" text as a plain decimal: d.ddde±xx. */
static void put_without_exponent(struct nd_buf *b, const char *text)
{
	char digits[32];
	size_t n = 0;
	const char *p = text;
	uint64_t e = 0;
	bool small;

	for (; *p && *p != 'e'; p++)
		if (*p != '.' && n < sizeof(digits))
			digits[n++] = *p;
	small = *p && p[1] == '-';
	if (*p)
		(void)nd_parse_u64(p + 2, 10, &e);
	if (small) { /* 0.00ddd */
		nd_buf_puts(b, "0.");
		for (uint64_t i = 1; i < e; i++)
			nd_buf_putc(b, '0');
		nd_buf_put(b, digits, n);
		return;
	}
	for (size_t i = 0; i <= e || i < n; i++) {
		if (i == e + 1)
			nd_buf_putc(b, '.');
		nd_buf_put(b, i < n ? &digits[i] : "0", 1);
	}
}

void nd_print_plain(struct nd_buf *b, double v)
{
	char text[64];

	if (isnan(v) || isinf(v)) { /* as Prometheus writes them; JSON has no such numbers */
		nd_buf_puts(b, isnan(v) ? "NaN" : v > 0 ? "+Inf" : "-Inf");
		return;
	}
	if (v < 0)
		nd_buf_putc(b, '-');
	v = fabs(v);
	if (v < 9007199254740992.0 && v == floor(v)) { /* 2^53: every digit of an integer is real */
		nd_buf_printf(b, "%.0f", v);
		return;
	}
	for (int digits = 0; digits < 17; digits++) {
		snprintf(text, sizeof(text), "%.*e", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	put_without_exponent(b, text);
}

void nd_print_shell(struct nd_buf *b, const char *s)
{
	static const char harmless[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				       "0123456789_@%+=:,./-";

	if (*s && !s[strspn(s, harmless)]) {
		nd_buf_puts(b, s);
		return;
	}
	nd_buf_putc(b, '\'');
	for (; *s; s++) {
		if (*s == '\'')
			nd_buf_puts(b, "'\\''");
		else
			nd_buf_putc(b, *s);
	}
	nd_buf_putc(b, '\'');
}
