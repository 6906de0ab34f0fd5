/* YAML files as a tree of texts, lists and maps, from libyaml's events.
 *
 * The tree is built from events, not from libyaml's documents: only events show anchors, tags and
 * duplicate keys, all of which are refused, and each limit is checked before memory is spent.
 * Places are counted by ourselves, because libyaml takes U+2028 for a line break, which no editor
 * does. */
#include "engine/rule/yaml.h"

#include <yaml.h>

#define BYTES_MAX 1048576u
#define LEVELS_MAX 32u
#define NODES_MAX 20000u

static const char bom[] = "\xef\xbb\xbf";

/* A list or map that is not complete yet. */
struct frame {
	struct nd_yaml *node;
	struct nd_yaml **items, **keys; /* on the heap until the node ends */
	uint32_t n, items_cap, keys_cap;
	struct nd_yaml *key; /* of the value that comes next */
};

struct loader {
	yaml_parser_t parser;
	struct nd_arena *arena;
	const char *path, *text;
	size_t len, first; /* first: behind the byte order mark */
	struct nd_buf *messages;
	struct frame frames[LEVELS_MAX];
	uint32_t depth, nodes, documents;
	struct nd_yaml *root;
	/* the place that was asked for last: bytes, and characters from `first` on */
	size_t at, chars;
	uint32_t line, column;
};

static bool fail(struct loader *l, size_t at, const char *fmt, ...) ND_PRINTF(3, 4);
static bool fail(struct loader *l, size_t at, const char *fmt, ...)
{
	char message[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	nd_yaml_message(l->messages, l->path, l->text, l->len, at, "error", message);
	return false;
}

static size_t next_char(const struct loader *l, size_t at)
{
	for (at++; at < l->len && ((unsigned char)l->text[at] & 0xc0) == 0x80;)
		at++;
	return at;
}

/* Moves the loader's place to the character that libyaml counts as `index`; places mostly go
 * forward. */
static size_t go_to(struct loader *l, size_t index)
{
	if (index < l->chars || l->line == 0) {
		l->at = l->first;
		l->chars = 0;
		l->line = l->column = 1;
	}
	for (; l->chars < index && l->at < l->len; l->chars++) {
		l->column++;
		if (l->text[l->at] == '\n') {
			l->line++;
			l->column = 1;
		}
		l->at = next_char(l, l->at);
	}
	return l->at;
}

static const struct {
	const char *problem, *help;
} syntax_help[] = {
	{"mapping values are not allowed in this context",
	 "a ': ' inside a value without quotes, or a key that is indented wrongly"},
	{"found character that cannot start any token",
	 "a value cannot start with this character: put it in quotes; indent with spaces, not "
	 "tabs"},
	{"found a tab character where an indentation space is expected",
	 "indent with spaces, not tabs"},
	{"found a tab character that violates indentation", "indent with spaces, not tabs"},
	{"did not find expected ',' or '}'",
	 "a value inside { } that needs quotes, or a '}' too few"},
	{"did not find expected ',' or ']'",
	 "a value inside [ ] that needs quotes, or a ']' too few"},
	{"did not find expected key",
	 "a key that is indented unlike the others, or a quote that ends early"},
	{"could not find expected ':'",
	 "a key without ': ', or text that continues at the wrong indentation"},
	{"found unexpected end of stream", "quotes or a bracket that nothing closes"},
	{"found unknown escape character",
	 "inside \"…\" a backslash is written \\\\; '…' needs no escapes"},
	{"control characters are not allowed", "a control character"},
};

static bool syntax_error(struct loader *l)
{
	const yaml_parser_t *p = &l->parser;
	const char *problem = p->problem ? p->problem : "no YAML", *help = NULL;
	char context[160] = "";
	size_t at, index = p->problem_mark.index;

	if (p->error == YAML_READER_ERROR)
		return fail(l, l->first + p->problem_offset, "%s", problem);
	if (p->context) {
		go_to(l, p->context_mark.index);
		snprintf(context, sizeof(context), ", %s that starts in line %u", p->context,
			 l->line);
	}
	for (size_t i = 0; i < ND_ARRAY_LEN(syntax_help); i++)
		if (strcmp(problem, syntax_help[i].problem) == 0)
			help = syntax_help[i].help;
	at = go_to(l, index);
	if (at == l->len) /* shown behind the last word */
		while (at > l->first && strchr(" \t\r\n", l->text[at - 1]))
			at--;
	return fail(l, at, "%s%s%s%s", problem, context, help ? ": " : "", help ? help : "");
}

static struct nd_yaml *node_new(struct loader *l, enum nd_yaml_type type, const yaml_mark_t *mark)
{
	struct nd_yaml *y = nd_arena_alloc(l->arena, sizeof(*y));

	y->type = type;
	y->offset = go_to(l, mark->index);
	y->line = l->line;
	y->column = l->column;
	return y;
}

/* Puts a node where it belongs: a root, a key, a value or a member. */
static bool attach(struct loader *l, struct nd_yaml *y)
{
	struct frame *f = l->depth ? &l->frames[l->depth - 1] : NULL;

	if (++l->nodes > NODES_MAX)
		return fail(l, y->offset, "more than %u nodes", NODES_MAX);
	if (!f) {
		l->root = y;
		return true;
	}
	if (f->node->type == ND_YAML_MAP && !f->key) {
		if (y->type != ND_YAML_TEXT)
			return fail(l, y->offset, "a key must be text, this is a %s",
				    y->type == ND_YAML_LIST ? "list" : "map");
		if (!y->quoted && strcmp(y->text, "<<") == 0)
			return fail(l, y->offset,
				    "'<<' is refused: write the keys out, or use like:");
		f->key = y;
		return true;
	}
	ND_GROW(f->items, f->n, f->items_cap);
	f->items[f->n] = y;
	if (f->node->type == ND_YAML_MAP) {
		ND_GROW(f->keys, f->n, f->keys_cap);
		f->keys[f->n] = f->key;
		f->key = NULL;
	}
	f->n++;
	return true;
}

static bool refuse(struct loader *l, const yaml_mark_t *mark, const void *anchor, const void *tag)
{
	size_t at = go_to(l, mark->index);

	if (anchor)
		return fail(l, at, "anchors are refused: write the value out, or use like:");
	if (tag)
		return fail(l, at, "tags are refused: every value is text");
	return true;
}

static bool on_scalar(struct loader *l, const yaml_event_t *ev)
{
	const char *value = (const char *)ev->data.scalar.value;
	yaml_scalar_style_t style = ev->data.scalar.style;
	struct nd_yaml *y;

	if (!refuse(l, &ev->start_mark, ev->data.scalar.anchor, ev->data.scalar.tag))
		return false;
	y = node_new(l, ND_YAML_TEXT, &ev->start_mark);
	y->quoted = style == YAML_SINGLE_QUOTED_SCALAR_STYLE ||
		    style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
	y->block = style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE;
	if (strnlen(value, ev->data.scalar.length) != ev->data.scalar.length)
		return fail(l, y->offset, "a text with the character 0");
	y->text = nd_arena_strndup(l->arena, value, ev->data.scalar.length);
	return attach(l, y);
}

static bool on_start(struct loader *l, const yaml_event_t *ev, enum nd_yaml_type type)
{
	const bool list = type == ND_YAML_LIST;
	struct nd_yaml *y;

	if (!refuse(l, &ev->start_mark,
		    list ? ev->data.sequence_start.anchor : ev->data.mapping_start.anchor,
		    list ? ev->data.sequence_start.tag : ev->data.mapping_start.tag))
		return false;
	y = node_new(l, type, &ev->start_mark);
	if (!attach(l, y))
		return false;
	if (l->depth == LEVELS_MAX)
		return fail(l, y->offset, "more than %u levels deep", LEVELS_MAX);
	l->frames[l->depth++] = (struct frame){.node = y};
	return true;
}

static int by_text_and_place(const void *a, const void *b)
{
	const struct nd_yaml *x = *(struct nd_yaml *const *)a, *y = *(struct nd_yaml *const *)b;
	int c = strcmp(x->text, y->text);

	return c ? c : (x->offset > y->offset) - (x->offset < y->offset);
}

static bool check_keys(struct loader *l, const struct nd_yaml *map)
{
	const struct nd_yaml *first = NULL, *second = NULL;
	struct nd_yaml **keys;

	if (map->n < 2 || !map->keys)
		return true;
	keys = nd_alloc(map->n * sizeof(*keys));
	memcpy(keys, map->keys, map->n * sizeof(*keys));
	qsort(keys, map->n, sizeof(*keys), by_text_and_place);
	for (uint32_t i = 1; i < map->n; i++) {
		if (strcmp(keys[i - 1]->text, keys[i]->text) != 0)
			continue;
		if (second && second->offset < keys[i]->offset)
			continue;
		first = keys[i - 1];
		second = keys[i];
	}
	free(keys);
	return !second || fail(l, second->offset, "second key '%.80s', the first is in line %u",
			       second->text, first->line);
}

static struct nd_yaml **into_arena(struct loader *l, struct nd_yaml **list, uint32_t n)
{
	struct nd_yaml **copy;

	if (n == 0)
		return NULL;
	copy = nd_arena_alloc(l->arena, n * sizeof(*copy));
	memcpy(copy, list, n * sizeof(*copy));
	return copy;
}

static bool on_end(struct loader *l)
{
	struct frame *f = &l->frames[--l->depth];
	struct nd_yaml *y = f->node;

	y->n = f->n;
	y->items = into_arena(l, f->items, f->n);
	y->keys = f->keys ? into_arena(l, f->keys, f->n) : NULL;
	free(f->items);
	free(f->keys);
	return y->type != ND_YAML_MAP || check_keys(l, y);
}

static bool on_document(struct loader *l, const yaml_event_t *ev)
{
	const yaml_tag_directive_t *tags = ev->data.document_start.tag_directives.start;
	size_t at = go_to(l, ev->start_mark.index);

	if (tags != ev->data.document_start.tag_directives.end)
		return fail(l, at, "tags are refused: every value is text");
	if (++l->documents > 1)
		return fail(l, at, "a second document: a file holds one");
	return true;
}

static bool on_event(struct loader *l, const yaml_event_t *ev)
{
	switch (ev->type) {
	case YAML_SCALAR_EVENT: return on_scalar(l, ev);
	case YAML_SEQUENCE_START_EVENT: return on_start(l, ev, ND_YAML_LIST);
	case YAML_MAPPING_START_EVENT: return on_start(l, ev, ND_YAML_MAP);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT: return on_end(l);
	case YAML_DOCUMENT_START_EVENT: return on_document(l, ev);
	case YAML_ALIAS_EVENT:
		return fail(l, go_to(l, ev->start_mark.index),
			    "aliases are refused: write the value out, or in quotes if it begins "
			    "with *");
	case YAML_NO_EVENT:
	case YAML_STREAM_START_EVENT:
	case YAML_STREAM_END_EVENT:
	case YAML_DOCUMENT_END_EVENT: break;
	}
	return true;
}

static bool load(struct loader *l)
{
	bool ok = true, done = false;

	while (ok && !done) {
		yaml_event_t ev;

		if (!yaml_parser_parse(&l->parser, &ev))
			return syntax_error(l);
		done = ev.type == YAML_STREAM_END_EVENT;
		ok = on_event(l, &ev);
		yaml_event_delete(&ev);
	}
	if (!ok)
		return false;
	if (!l->root || (l->root->type == ND_YAML_TEXT && !l->root->quoted && !*l->root->text))
		return fail(l, l->first, "the file is empty");
	return true;
}

/* libyaml ends lines at these, where no editor shows one. */
static bool check_breaks(struct loader *l)
{
	static const char *const breaks[][2] = {
		{"\xc2\x85", "U+0085"}, {"\xe2\x80\xa8", "U+2028"}, {"\xe2\x80\xa9", "U+2029"}};

	for (size_t i = 0; i < ND_ARRAY_LEN(breaks); i++) {
		const char *hit = memmem(l->text, l->len, breaks[i][0], strlen(breaks[i][0]));

		if (hit)
			return fail(l, (size_t)(hit - l->text),
				    "an invisible line break (%s): remove it", breaks[i][1]);
	}
	return true;
}

struct nd_yaml *nd_yaml_parse(struct nd_arena *a, const char *path, const char *text, size_t len,
			      struct nd_buf *messages)
{
	struct loader l = {
		.arena = a, .path = path, .text = text, .len = len, .messages = messages};
	bool ok;

	if (len > BYTES_MAX) {
		fail(&l, 0, "%zu bytes: a file has %u at most", len, BYTES_MAX);
		return NULL;
	}
	if (!check_breaks(&l))
		return NULL;
	if (len >= sizeof(bom) - 1 && memcmp(text, bom, sizeof(bom) - 1) == 0)
		l.first = sizeof(bom) - 1;
	if (!yaml_parser_initialize(&l.parser)) {
		fail(&l, 0, "out of memory");
		return NULL;
	}
	yaml_parser_set_encoding(&l.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&l.parser, (const unsigned char *)text + l.first,
				     len - l.first);
	ok = load(&l);
	yaml_parser_delete(&l.parser);
	while (l.depth > 0) {
		l.depth--;
		free(l.frames[l.depth].items);
		free(l.frames[l.depth].keys);
	}
	return ok ? l.root : NULL;
}

const struct nd_yaml *nd_yaml_get(const struct nd_yaml *map, const char *key)
{
	for (uint32_t i = 0; map && map->type == ND_YAML_MAP && i < map->n; i++)
		if (strcmp(map->keys[i]->text, key) == 0)
			return map->items[i];
	return NULL;
}
