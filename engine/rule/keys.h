/* The keys of rule files as data: the loader refuses what is not here, the schema for editors is printed from it. */
#ifndef ND_KEYS_H
#define ND_KEYS_H

#include "engine/rule/yaml.h"

#include <stdbool.h>

enum nd_key_type {
	ND_KEY_TEXT, /* plain text */
	ND_KEY_PROSE, /* text with {holes} */
	ND_KEY_SHELL, /* shell text with {holes} */
	ND_KEY_QUESTION, /* an expression that answers yes, no or unknown */
	ND_KEY_NUMBER, /* an expression that gives a number */
	ND_KEY_EXPR, /* any expression */
	ND_KEY_EXPRS, /* names and expressions */
	ND_KEY_NAMED, /* names and sections: of */
	ND_KEY_LIST, /* a list of sections: of */
	ND_KEY_SECTION, /* of */
	ND_KEY_TEXTS, /* a text or a list of texts */
	ND_KEY_WORD, /* one of words */
	ND_KEY_KIND, /* a kind of entity */
	ND_KEY_KINDS, /* one or a list of them */
	ND_KEY_FLAG, /* yes or no */
	ND_KEY_BRANCHES, /* names and lists of nodes */
	ND_KEY_BRANCH, /* next, open, a list of nodes, or what a branch says */
	ND_KEY_GIVEN, /* entities and their facts */
	ND_KEY_EXPECT, /* none, clear, or a section: of */
	ND_KEY_ROWS, /* a list of variations: given and expect in one */
};
struct nd_section;
struct nd_key {
	const char *name;
	enum nd_key_type type;
	const char *doc; /* one line */
	bool needed; /* the file is wrong without it, whatever else it says */
	const struct nd_section *of;
	const char *const *words; /* ends with NULL */
};
struct nd_section {
	const char *name; /* of its definition in the schema */
	const struct nd_key *keys; /* ends with name NULL */
};

extern const struct nd_section nd_section_rule, nd_section_library, nd_section_settings,
	nd_section_param, nd_section_log, nd_section_tally, nd_section_derived, nd_section_tree,
	nd_section_node, nd_section_branch, nd_section_cause, nd_section_accounts,
	nd_section_refute, nd_section_then, nd_section_fix, nd_section_note,
	nd_section_contradiction, nd_section_test, nd_section_expect;

/* Each in the order of the enum of the same name. */
extern const char *const nd_words_grade[], *const nd_words_tier[], *const nd_words_cap[],
									   *const nd_words_report[];

#define ND_KEYS_MAX 64 /* of a section */
/* The next key of a map that the section does not know: *i begins at 0, *near is the nearest right name or NULL.
 * NULL: there is none any more. */
const struct nd_yaml *nd_unknown_key(const struct nd_yaml *map, const struct nd_section *section,
				     uint32_t *i, const char **near);
#endif
