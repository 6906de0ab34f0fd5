/* Mistakes that a rule which loads can still hold, and the patches that mend what is mechanical.
 *
 * Messages are text in one fixed format, whoever writes them; what wants them as data reads them back. */
#ifndef ND_LINT_H
#define ND_LINT_H

#include "engine/rule/rule.h"

/* One message of nd_yaml_message, in the text that it was read from. */
struct nd_message {
	const char *path, *text; /* neither ends with a 0 */
	size_t path_len, text_len;
	uint32_t line, column; /* 0: it speaks of no place */
	bool error; /* else a warning */
	const char
		*source; /* the source line and the caret, as they are shown; "" without a place */
	size_t source_len;
	const char *all; /* all of it */
	size_t all_len;
};
/* Takes the next message from *at and moves it on; false at the end. Lines that are no message are skipped. */
bool nd_message_next(const char **at, struct nd_message *out);

/* Is a file meant? Others are not looked at. */
typedef bool nd_lint_wanted(void *ctx, const char *path);
/* What can be said without running anything, of the rules and libraries that are wanted; they must have been loaded
 * without an error. */
void nd_lint_rules(const struct nd_rules *rules, nd_lint_wanted *wanted, void *ctx,
		   struct nd_buf *messages);

/* Mends the file's text: keys, facts and accessors that are misspelt and have one nearest name, expressions that need
 * quotes inside { }, blanks at ends of lines, tabs that indent. Each patch is kept only if the file then has fewer
 * mistakes, or, where only blanks change, the same meaning. `libraries` is what the file may use: derived facts.
 * Returns the number of patches. */
struct nd_lint_library {
	const char *path, *text;
	size_t len;
};
uint32_t nd_lint_fix(const struct nd_registry *registry, const struct nd_lint_library *libraries,
		     uint32_t n, const char *path, struct nd_buf *text);

/* ---- the parts ---- */
#define ND_LINT_SHOWN 100u /* messages of a file */
struct nd_lint {
	const struct nd_rules *rules;
	const struct nd_rule *rule; /* NULL for a library */
	const struct nd_library *library;
	const char *path, *text;
	size_t len;
	struct nd_buf *messages;
	uint32_t n_said;
	struct { /* so that nothing is said twice of trees with several scopes */
		size_t at;
		const char *fmt;
	} said[ND_LINT_SHOWN];
	uint8_t *seen; /* lets of the tree by slot: 1 as a part of a question, 2 of a comparison */
};
struct nd_lint nd_lint_of_rule(const struct nd_rules *rules, const struct nd_rule *r,
			       struct nd_buf *messages);
void nd_lint_error(struct nd_lint *l, const struct nd_yaml *at, uint32_t i, const char *fmt, ...)
	ND_PRINTF(4, 5);
void nd_lint_warn(struct nd_lint *l, const struct nd_yaml *at, uint32_t i, const char *fmt, ...)
	ND_PRINTF(4, 5);
void nd_lint_warn_byte(struct nd_lint *l, size_t at, const char *fmt, ...) ND_PRINTF(3, 4);
/* Of a map: the key, or the map itself without it. */
const struct nd_yaml *nd_lint_key(const struct nd_yaml *map, const char *key);

/* What a question may not hold, nor the lets it is made of. notes: `.total` may stand here. */
void nd_lint_question(struct nd_lint *l, const struct nd_code *c, const struct nd_yaml *at,
		      bool notes);
/* Does it hold nothing but constants? */
bool nd_lint_constant(const struct nd_code *c);
/* Keys of tests, which loading does not look at. Returns how many are wrong. */
uint32_t nd_lint_test_keys(struct nd_lint *l);
void nd_lint_tree(struct nd_lint *l, const struct nd_tree *t);
void nd_lint_causes(const struct nd_rules *rules, nd_lint_wanted *wanted, void *ctx,
		    struct nd_buf *messages);
#endif
