/* YAML as plain structure: every scalar is text, and each knows where it stands in the file.
 *
 * Refused, with line and column: anchors, aliases, `<<`, tags, duplicate keys, several documents; more than
 * 1 MiB, 32 levels, 20,000 nodes. The only user of yaml.h. */
#ifndef ND_YAML_H
#define ND_YAML_H

#include "engine/core/base.h"
#include "engine/core/str.h"

enum nd_yaml_type { ND_YAML_TEXT, ND_YAML_LIST, ND_YAML_MAP };
struct nd_yaml {
	enum nd_yaml_type type;
	uint32_t line,
		column; /* of its first character (a quoted scalar: the quote; a block: the | or >), from 1 */
	size_t offset; /* the same, in bytes from the start of the file */
	bool quoted, block; /* scalar styles */
	const char *text; /* TEXT */
	struct nd_yaml **items; /* LIST: members; MAP: values */
	struct nd_yaml **keys; /* MAP: keys, each a TEXT, in the order of the file */
	uint32_t n;
};
/* The document in the arena, or NULL with a message that has path:line:column, the source line and a caret. An
 * empty file is an error. */
struct nd_yaml *nd_yaml_parse(struct nd_arena *a, const char *path, const char *text, size_t len,
			      struct nd_buf *messages);
const struct nd_yaml *nd_yaml_get(const struct nd_yaml *map, const char *key); /* or NULL */

/* Appends "path:line:column: error: message\n    source line\n    ^\n"; kind is "error" or "warning". `at` is the
 * byte offset in the file. */
void nd_yaml_message(struct nd_buf *out, const char *path, const char *text, size_t len, size_t at,
		     const char *kind, const char *message);
/* The byte offset in the file of character i of a scalar's text: exact for plain and single-quoted text on one line,
 * and for folded and literal blocks (line breaks and indentation are skipped); for double quotes escapes are honoured. */
size_t nd_yaml_offset(const struct nd_yaml *scalar, const char *text, size_t len, size_t i);
#endif
