/* The words of the judge's enums, written once so that rules' tests, reports and JSON agree on
 * them.
 *
 * A value outside its enum is a bug; it prints as "?" so that a report still comes out. */
#include "engine/judge/finding.h"

static const char *word_of(const char *const *names, size_t n, unsigned i)
{
	return i < n ? names[i] : "?";
}

const char *nd_word_name(enum nd_word w)
{
	static const char *const names[] = {
		[ND_SUSPECTED] = "suspected", [ND_LIKELY] = "likely", [ND_CONFIRMED] = "confirmed"};

	return word_of(names, ND_ARRAY_LEN(names), (unsigned)w);
}

const char *nd_role_name(enum nd_role r)
{
	static const char *const names[] = {[ND_TRIGGER] = "trigger",
					    [ND_AMPLIFIER] = "amplifier",
					    [ND_CONSEQUENCE] = "consequence"};

	return word_of(names, ND_ARRAY_LEN(names), (unsigned)r);
}

const char *nd_answer_name(enum nd_answer a)
{
	static const char *const names[] = {
		[ND_NO] = "no", [ND_YES] = "yes", [ND_UNKNOWN] = "unknown"};

	return word_of(names, ND_ARRAY_LEN(names), (unsigned)a);
}

const char *nd_grade_name(enum nd_grade g)
{
	static const char *const names[] = {
		[ND_REQUIRES] = "requires", [ND_SUPPORTS] = "supports", [ND_DECIDES] = "decides"};

	return word_of(names, ND_ARRAY_LEN(names), (unsigned)g);
}

const char *nd_tier_name(enum nd_tier t)
{
	static const char *const names[] = {
		[ND_STOP_GAP] = "stop-gap", [ND_CURE] = "cure", [ND_LAST_RESORT] = "last-resort"};

	return word_of(names, ND_ARRAY_LEN(names), (unsigned)t);
}

const char *nd_verdict_name(enum nd_verdict v)
{
	static const char *const names[] = {[ND_HEALTHY] = "healthy",
					    [ND_CAUSES] = "causes",
					    [ND_INCONCLUSIVE] = "inconclusive"};

	return word_of(names, ND_ARRAY_LEN(names), (unsigned)v);
}
