/* Names of functions as tools print them. */
#include "collectors/function.h"

#include <ctype.h>

bool nd_symbol_clean(const char *text, char *out, size_t size)
{
	const char *at = text, *colon;
	size_t n = 0;

	at += strspn(at, " \t\"`");
	if (at[0] == '[' && at[1] && at[2] == ']') /* perf: [k], [.] */
		at += 3 + strspn(at + 3, " \t");
	if (at[0] == 'b' && (at[1] == '\'' || at[1] == '"'))
		at += 2;
	colon = strrchr(at, ':');
	if (colon && !strchr(at, ' '))
		at = colon + 1;
	while (isalnum((unsigned char)at[n]) || at[n] == '_')
		n++;
	if (n == 0 || n >= size || isdigit((unsigned char)at[0]))
		return false;
	memcpy(out, at, n);
	out[n] = '\0';
	return true;
}

nd_id nd_function_entity(struct nd_facts *f, const char *symbol)
{
	return nd_entity(f, ND_FUNCTION, symbol);
}
