/* Any bytes as a rule file's YAML: a tree whose places all lie in the file, or a message with a place. */
#include "engine/rule/yaml.h"
#include "tests/fuzz/fuzz.h"

static const char path[] = "fuzz.yaml";

struct file {
	const char *text;
	size_t len;
	uint32_t nodes;
};

/* Blanks can come from folded lines; everything else stands in the file as it is in the text, or is an escape. */
static bool exact(char c)
{
	return c != ' ' && c != '\n';
}

/* Every place that a message could name. */
static void check_places(const struct nd_yaml *scalar, const struct file *f)
{
	const size_t n = strlen(scalar->text), step = n / 16 + 1;
	struct nd_buf message = {0};

	for (size_t i = 0; i <= n + 1; i += step) {
		size_t at = nd_yaml_offset(scalar, f->text, f->len, i);

		FUZZ_CHECK(at >= scalar->offset && at <= f->len);
		if (i < n && exact(scalar->text[i]) && f->text[at] != '\\')
			FUZZ_CHECK(at < f->len && f->text[at] == scalar->text[i]);
	}
	if (f->nodes < 200)
		nd_yaml_message(&message, path, f->text, f->len,
				nd_yaml_offset(scalar, f->text, f->len, n / 2), "error", "here");
	nd_buf_free(&message);
}

static void walk(const struct nd_yaml *y, struct file *f, unsigned depth)
{
	f->nodes++;
	FUZZ_CHECK(depth <= 33);
	FUZZ_CHECK(y->line >= 1 && y->column >= 1);
	FUZZ_CHECK(y->offset <= f->len);
	if (y->type == ND_YAML_TEXT) {
		FUZZ_CHECK(y->text && y->n == 0);
		check_places(y, f);
	}
	for (uint32_t i = 0; i < y->n; i++) {
		if (y->type == ND_YAML_MAP) {
			FUZZ_CHECK(y->keys[i]->type == ND_YAML_TEXT);
			FUZZ_CHECK(nd_yaml_get(y, y->keys[i]->text) == y->items[i]);
			walk(y->keys[i], f, depth + 1);
		}
		walk(y->items[i], f, depth + 1);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nd_arena arena = {0};
	struct nd_buf messages = {0};
	char *text = fuzz_text(data, size);
	struct file f = {.text = text, .len = size};
	const struct nd_yaml *root = nd_yaml_parse(&arena, path, text, size, &messages);

	FUZZ_CHECK(!root == (messages.len > 0));
	if (root)
		walk(root, &f, 1);
	else
		FUZZ_CHECK(nd_starts(messages.s, "fuzz.yaml:") && strstr(messages.s, ": error: "));
	nd_buf_free(&messages);
	nd_arena_free(&arena);
	free(text);
	return 0;
}
