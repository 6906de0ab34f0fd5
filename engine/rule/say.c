/* What the loader's parts share: messages with a place, typed access to YAML, compiled texts. */
#include "engine/rule/rule.h"

#define SHOWN_MAX 100u /* mistakes: each costs a look through the file */

void nd_say(struct nd_loader *l, const struct nd_yaml *at, uint32_t i, const char *fmt, ...)
{
	char msg[1024] = "more mistakes follow: they are shown when those above are mended";
	va_list ap;
	size_t where;

	if (l->errors++ > SHOWN_MAX)
		return;
	where = at->type == ND_YAML_TEXT ? nd_yaml_offset(at, l->text, l->len, i) : at->offset;
	va_start(ap, fmt);
	if (l->errors <= SHOWN_MAX)
		vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	nd_yaml_message(l->messages, l->path, l->text, l->len, where, "error", msg);
}

bool nd_keys(struct nd_loader *l, const struct nd_yaml *at, const struct nd_section *section)
{
	const struct nd_yaml *key, *value;
	const char *near;
	uint32_t i = 0;

	if (at->type != ND_YAML_MAP) {
		nd_say(l, at, 0, "expected keys and values here, such as \"%s: …\"",
		       section->keys[0].name);
		return false;
	}
	while ((key = nd_unknown_key(at, section, &i, &near))) {
		value = at->items[i - 1];
		if (strpbrk(key->text, ")$.") && value->type == ND_YAML_TEXT && !*value->text)
			nd_say(l, key, 0,
			       "a comma inside { } ended the value before this: put the expression in quotes or on a line of its own");
		else
			nd_say(l, key, 0, "unknown key \"%s\"%s%s", key->text,
			       near ? "; nearest is " : "", near ? near : "");
	}
	return true;
}

const struct nd_yaml *nd_named_of(struct nd_loader *l, const struct nd_yaml *map, const char *key)
{
	const struct nd_yaml *y = nd_yaml_get(map, key);

	if (y && y->type != ND_YAML_MAP)
		nd_say(l, y, 0, "%s: names, and what belongs to each", key);
	return y && y->type == ND_YAML_MAP ? y : NULL;
}

const char *nd_text_of(struct nd_loader *l, const struct nd_yaml *map, const char *key, bool needed)
{
	const struct nd_yaml *y = nd_yaml_get(map, key);

	if (!y) {
		if (needed)
			nd_say(l, map, 0, "%s is missing", key);
		return NULL;
	}
	if (y->type != ND_YAML_TEXT) {
		nd_say(l, y, 0, "%s must be text", key);
		return NULL;
	}
	return y->text;
}

const char **nd_texts_of(struct nd_loader *l, const struct nd_yaml *y, uint32_t *n)
{
	uint32_t count = y ? (y->type == ND_YAML_LIST ? y->n : 1) : 0;
	const char **out = nd_arena_alloc(&l->rules->arena, (count + 1) * sizeof(*out));

	*n = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct nd_yaml *one = y->type == ND_YAML_LIST ? y->items[i] : y;

		if (one->type == ND_YAML_TEXT)
			out[(*n)++] = one->text;
		else
			nd_say(l, one, 0, "expected text");
	}
	return out;
}

int nd_word_of(struct nd_loader *l, const struct nd_yaml *y, const char *const *words)
{
	struct nd_buf all = {0};
	int found = -1;

	for (int i = 0; words[i]; i++) {
		if (y->type == ND_YAML_TEXT && strcmp(y->text, words[i]) == 0)
			found = i;
		nd_buf_printf(&all, "%s%s", i ? ", " : "", words[i]);
	}
	if (found < 0)
		nd_say(l, y, 0, "expected one of %s", nd_buf_str(&all));
	nd_buf_free(&all);
	return found;
}

struct nd_code *nd_code_of(struct nd_loader *l, const struct nd_yaml *y, const struct nd_scope *s)
{
	struct nd_expr_error e = {0};
	struct nd_code *c;

	if (y->type != ND_YAML_TEXT) {
		nd_say(l, y, 0, "expected an expression");
		return NULL;
	}
	c = nd_compile(y->text, s, false, &e);
	if (!c)
		nd_say(l, y, e.pos, "%s", e.msg);
	return c;
}

static struct nd_code *typed(struct nd_loader *l, const struct nd_yaml *y, const struct nd_scope *s,
			     enum nd_xt want, const char *what)
{
	struct nd_code *c = nd_code_of(l, y, s);
	char name[64];

	if (c && c->type.t != want) {
		nd_say(l, y, 0, "expected %s, this is %s", what,
		       nd_xtype_name(&c->type, name, sizeof(name)));
		return NULL;
	}
	return c;
}

struct nd_code *nd_question_of(struct nd_loader *l, const struct nd_yaml *y,
			       const struct nd_scope *s)
{
	return typed(l, y, s, ND_X_BOOL, "a question (yes or no)");
}

struct nd_code *nd_number_of(struct nd_loader *l, const struct nd_yaml *y, const struct nd_scope *s)
{
	return typed(l, y, s, ND_X_NUMBER, "a number");
}

/* Inside the author's own quotes only what cannot end them may stand. */
static bool safe_in_quotes(const struct nd_code *c)
{
	return c->type.t == ND_X_NUMBER || c->type.t == ND_X_SAFE;
}

static char quote_after(const char *literal, char quote)
{
	for (; *literal; literal++) {
		if (*literal == '\\' && quote != '\'' && literal[1])
			literal++; /* what it takes the meaning from */
		else if (quote)
			quote = *literal == quote ? '\0' : quote;
		else if (*literal == '"' || *literal == '\'')
			quote = *literal;
	}
	return quote;
}

static bool piece(struct nd_loader *l, const struct nd_yaml *y, const struct nd_text_part *p,
		  const struct nd_scope *s, struct nd_text_piece *out)
{
	struct nd_expr_error e = {0};
	struct nd_dims dims;
	enum nd_number_kind kind;

	*out = (struct nd_text_piece){.literal = p->literal,
				      .source = p->source,
				      .unit = p->format_unit,
				      .factor = 1,
				      .digits = p->format_digits};
	if (p->literal)
		return true;
	out->code = nd_check(p->expr, s, &e);
	if (!out->code) {
		/* the expression begins behind the brace and its blanks */
		e.pos += (uint32_t)strspn(y->text + p->pos + 1, " \t\r\n");
		nd_say(l, y, p->pos + 1 + e.pos, "%s", e.msg);
		return false;
	}
	nd_code_finish(out->code, s);
	if (out->code->weight > ND_WEIGHT_MAX) {
		nd_say(l, y, p->pos, ND_WEIGHT_HELP);
		return false;
	}
	if ((out->code->type.t == ND_X_ENTITY || out->code->type.t == ND_X_SET) &&
	    out->code->type.kind == ND_NO_KIND) {
		nd_say(l, y, p->pos, "a log line has no name: print its text, age or a group");
		return false;
	}
	if (out->code->type.t == ND_X_HIST || out->code->type.t == ND_X_RANGE) {
		nd_say(l, y, p->pos, "a histogram cannot be printed: print its p50, p99 or count");
		return false;
	}
	if (p->format_unit &&
	    (!nd_expr_unit(p->format_unit, &out->factor, &dims, &kind) ||
	     out->code->type.t != ND_X_NUMBER || !nd_same_dims(dims, out->code->type.dims))) {
		nd_say(l, y, p->pos, "%s does not fit this number", p->format_unit);
		return false;
	}
	return true;
}

struct nd_ctext *nd_ctext_of(struct nd_loader *l, const struct nd_yaml *y, const struct nd_scope *s,
			     bool shell)
{
	struct nd_ctext *out = nd_arena_alloc(&l->rules->arena, sizeof(*out));
	struct nd_expr_error e = {0};
	struct nd_text t;
	char quote = '\0';

	if (!y || y->type != ND_YAML_TEXT) {
		if (y)
			nd_say(l, y, 0, "expected text");
		return NULL;
	}
	if (!nd_text_parse(&l->rules->arena, y->text, &t, &e)) {
		nd_say(l, y, e.pos, "%s", e.msg);
		return NULL;
	}
	out->pieces = nd_arena_alloc(&l->rules->arena, (t.n + 1) * sizeof(*out->pieces));
	for (uint32_t i = 0; i < t.n; i++) {
		struct nd_text_piece *p = &out->pieces[out->n++];

		if (!piece(l, y, &t.parts[i], s, p))
			return NULL;
		if (!shell)
			continue;
		if (p->literal)
			quote = quote_after(p->literal, quote);
		else if (quote && !safe_in_quotes(p->code))
			nd_say(l, y, t.parts[i].pos,
			       "inside quotes only numbers, CPU lists and masks may be filled in");
	}
	return out;
}
