/* The parts of nd_lint_fix: who finds what could be mended, and who decides whether it was. */
#ifndef ND_MEND_H
#define ND_MEND_H

#include "engine/rule/lint.h"

struct nd_mend {
	const struct nd_registry *registry;
	const struct nd_lint_library *libraries;
	uint32_t n_libraries;
	const char *path;
	uint32_t n_patches, n_tries;
	/* the file as it is now */
	struct nd_buf text;
	struct nd_arena arena; /* of yaml */
	struct nd_yaml *yaml; /* NULL: it cannot be read */
	struct nd_buf messages;
	uint32_t errors;
};
/* Bytes [from, to) are written as `by`. wrong: the message that should be gone then, or NULL if the file cannot be read.
 * True: it was mended; everything in m that spoke of the text is new. */
bool nd_mend_try(struct nd_mend *m, size_t from, size_t to, const char *by,
		 const struct nd_message *wrong);

/* Each tries what it finds, and returns true as soon as something was mended. */
bool nd_mend_keys(struct nd_mend *m);
bool nd_mend_quotes(struct nd_mend *m);
bool nd_mend_syntax(struct nd_mend *m);
bool nd_mend_names(struct nd_mend *m);

/* The byte where a line and column are; the text's length if there is no such place. */
size_t nd_mend_place(const struct nd_mend *m, uint32_t line, uint32_t column);
/* The nearest of names to s, if no other is as near; else NULL. */
const char *nd_mend_nearest(const char *s, const char *const *names, size_t n);
#endif
