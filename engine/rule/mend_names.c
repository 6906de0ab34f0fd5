/* Names in expressions: facts, relations, accessors, functions, thresholds, by the messages about them. */
#include "engine/rule/mend.h"
#include "engine/rule/func.h"

#define WORD_BYTES 256

/* Names to choose from. */
struct choice {
	const char **v;
	size_t n, cap;
};

static void add(struct choice *c, const char *name)
{
	if (!name)
		return;
	ND_GROW(c->v, c->n, c->cap);
	c->v[c->n++] = name;
}

static void add_facts(struct choice *c, const struct nd_mend *m, enum nd_kind kind)
{
	for (uint32_t i = 0; i < nd_registry_count(m->registry); i++) {
		const struct nd_fact_def *d = nd_registry_def(m->registry, (nd_fact_id)i);

		if (d->on == kind)
			add(c, d->name);
	}
	add(c, "key");
	for (unsigned i = 0; i < ND_RELATIONS; i++) {
		if (nd_relations[i].from == kind)
			add(c, nd_relations[i].name);
		if (nd_relations[i].to == kind)
			add(c, nd_relations[i].inverse);
	}
}

static void add_kinds(struct choice *c)
{
	for (unsigned k = 0; k < ND_KINDS; k++) {
		add(c, nd_kinds[k].name);
		add(c, nd_kinds[k].plural);
	}
}

static void add_accessors(struct choice *c)
{
	for (unsigned a = ND_BARE + 1; a < ND_ACCESSORS; a++)
		add(c, nd_accessor_name((enum nd_accessor)a));
}

static void add_keys(struct choice *c, const struct nd_yaml *map)
{
	for (uint32_t i = 0; map && map->type == ND_YAML_MAP && i < map->n; i++)
		add(c, map->keys[i]->text);
}

static void add_variables(struct choice *c, const struct nd_yaml *file)
{
	const struct nd_yaml *trees = nd_yaml_get(file, "trees");

	add_keys(c, nd_yaml_get(file, "params"));
	add_keys(c, nd_yaml_get(file, "let"));
	for (uint32_t i = 0; trees && trees->type == ND_YAML_MAP && i < trees->n; i++)
		add_keys(c, nd_yaml_get(trees->items[i], "let"));
}

/* What is between two texts in a message: "no function \"" and "\"". */
static bool between(const struct nd_message *m, const char *before, const char *behind,
		    char out[WORD_BYTES])
{
	const char *from = memmem(m->text, m->text_len, before, strlen(before)), *to;
	size_t left;

	if (!from)
		return false;
	from += strlen(before);
	left = m->text_len - (size_t)(from - m->text);
	to = memmem(from, left, behind, strlen(behind));
	if (!to || to == from || (size_t)(to - from) >= WORD_BYTES)
		return false;
	memcpy(out, from, (size_t)(to - from));
	out[to - from] = '\0';
	return true;
}

/* Does the message begin with a word, and with this behind it? The word is then in out. */
static bool begins(const struct nd_message *m, const char *behind, char out[WORD_BYTES])
{
	const char *to = memmem(m->text, m->text_len, behind, strlen(behind));

	if (!to || to == m->text || (size_t)(to - m->text) >= WORD_BYTES)
		return false;
	memcpy(out, m->text, (size_t)(to - m->text));
	out[to - m->text] = '\0';
	return !strchr(out, ' ');
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* The word at a place is written as its nearest name. */
static bool replace(struct nd_mend *m, size_t at, const char *word, struct choice *c,
		    const struct nd_message *wrong)
{
	const char *near = nd_mend_nearest(word, c->v, c->n);
	size_t n = strlen(word);
	bool ok = near && at + n <= m->text.len && memcmp(m->text.s + at, word, n) == 0 &&
		  !is_word(m->text.s[at + n]) && nd_mend_try(m, at, at + n, near, wrong);

	free(c->v);
	return ok;
}

/* "cpu.softnet.dropped is a counter": an accessor behind it that is none. The message stands at a part of the name. */
static bool accessor_of_counter(struct nd_mend *m, size_t at, const char *name,
				const struct nd_message *wrong)
{
	const char *fact = strchr(name, '.'), *s = m->text.s;
	struct choice c = {0};
	char word[WORD_BYTES];
	size_t n = 0, from = at;

	if (!fact)
		return false;
	fact++;
	while (from > 0 && (is_word(s[from - 1]) || s[from - 1] == '.'))
		from--;
	for (; from <= at && strncmp(s + from, fact, strlen(fact)) != 0;)
		from++;
	from += strlen(fact);
	if (from > m->text.len || from <= at || s[from] != '.')
		return false;
	for (from++; n + 1 < sizeof(word) && is_word(s[from + n]); n++)
		word[n] = s[from + n];
	word[n] = '\0';
	add_accessors(&c);
	return replace(m, from, word, &c, wrong);
}

static bool mend_one(struct nd_mend *m, const struct nd_message *wrong)
{
	size_t at = nd_mend_place(m, wrong->line, wrong->column);
	struct choice c = {0};
	char word[WORD_BYTES], kind[WORD_BYTES];

	at += m->text.s[at] == '.' || m->text.s[at] == '$';
	if (begins(wrong, " has no fact or relation \"", kind) &&
	    between(wrong, " has no fact or relation \"", "\"", word)) {
		enum nd_kind k = nd_kind_by_name(kind, false);

		if (k == ND_NO_KIND)
			return false;
		add_facts(&c, m, k);
	} else if (between(wrong, "unknown name \"", "\"", word)) {
		add_kinds(&c);
	} else if (between(wrong, "no function \"", "\"", word)) {
		for (unsigned i = 0; i < ND_FUNCS; i++)
			add(&c, nd_funcs[i].name);
	} else if (between(wrong, "no $", " here", word)) {
		add_variables(&c, m->yaml);
	} else if (between(wrong, "nothing can follow here: \".", "\"", word)) {
		add_accessors(&c);
	} else {
		return begins(wrong, " is a counter: ", word) &&
		       accessor_of_counter(m, at, word, wrong);
	}
	return replace(m, at, word, &c, wrong);
}

bool nd_mend_names(struct nd_mend *m)
{
	const char *at = nd_buf_str(&m->messages);
	struct nd_message wrong;

	while (m->yaml && nd_message_next(&at, &wrong)) {
		/* what is in front of it may be new: then the messages are */
		if (wrong.line && wrong.path_len == strlen(m->path) &&
		    memcmp(wrong.path, m->path, wrong.path_len) == 0 && mend_one(m, &wrong))
			return true;
	}
	return false;
}
