/* Other values for thresholds: from --set, and from a settings file, without touching a rule.
 *
 * Of two values for one threshold the later wins; files are read before --set is. A value that fits no threshold is
 * an error wherever it comes from: one that silently does nothing would be believed. */
#include "engine/rule/rule.h"

#include <errno.h>

static struct nd_setting *add(struct nd_rules *rules, const char *assignment)
{
	ND_GROW(rules->settings, rules->n_settings, rules->cap_settings);
	rules->settings[rules->n_settings] = (struct nd_setting){
		.assignment = nd_arena_strdup(&rules->arena, assignment), .by = "--set"};
	return &rules->settings[rules->n_settings++];
}

static bool well_formed(const char *assignment)
{
	const char *dot = strchr(assignment, '.'), *eq = strchr(assignment, '=');

	return dot && eq && dot < eq && dot != assignment && eq != dot + 1 && eq[1];
}

int nd_rules_set(struct nd_rules *rules, const char *assignment, struct nd_err *e)
{
	if (!well_formed(assignment))
		return nd_fail(e, -EINVAL,
			       "--set %s: expected rule.param=value, such as accept-queue.tiny=16",
			       assignment);
	add(rules, assignment);
	return 0;
}

/* ---- the file ---- */

static void take_values(struct nd_loader *l, const struct nd_yaml *map)
{
	for (uint32_t i = 0; map && i < map->n; i++) {
		const struct nd_yaml *value = map->items[i];
		struct nd_setting *s;
		const char *text;

		if (value->type != ND_YAML_TEXT) {
			nd_say(l, value, 0, "expected a number with its unit");
			continue;
		}
		text = nd_arena_printf(&l->rules->arena, "%s=%s", map->keys[i]->text, value->text);
		if (!well_formed(text)) {
			nd_say(l, map->keys[i], 0,
			       "expected rule.param: value, such as accept-queue.tiny: 16");
			continue;
		}
		s = add(l->rules, text);
		s->by = l->path;
		s->text = l->text;
		s->len = l->len;
		s->at = map->keys[i];
	}
}

int nd_rules_add_settings(struct nd_rules *rules, const char *path, const char *text, size_t len,
			  struct nd_settings *out, struct nd_buf *messages)
{
	struct nd_arena *a = &rules->arena;
	struct nd_loader l = {.rules = rules,
			      .path = nd_arena_strdup(a, path),
			      .text = nd_arena_strndup(a, text, len),
			      .len = len,
			      .messages = messages};
	const struct nd_yaml *y;

	*out = (struct nd_settings){0};
	if (strspn(l.text, " \t\r\n") == len)
		return 0;
	y = nd_yaml_parse(a, l.path, l.text, l.len, messages);
	if (!y)
		return 1;
	if (!nd_keys(&l, y, &nd_section_settings))
		return (int)l.errors;
	take_values(&l, nd_named_of(&l, y, "set"));
	out->rules = nd_texts_of(&l, nd_yaml_get(y, "rules"), &out->n_rules);
	return (int)l.errors;
}

/* ---- their use ---- */

const struct nd_setting *nd_rules_setting(const struct nd_rules *rules, const char *owner,
					  const char *name)
{
	const struct nd_setting *found = NULL;
	size_t a = strlen(owner), b = strlen(name);

	for (uint32_t i = 0; i < rules->n_settings; i++) {
		const char *s = rules->settings[i].assignment;

		if (strncmp(s, owner, a) == 0 && s[a] == '.' && strncmp(s + a + 1, name, b) == 0 &&
		    s[a + 1 + b] == '=')
			found = &rules->settings[i];
	}
	return found;
}

void nd_setting_wrong(struct nd_loader *l, const struct nd_setting *s, const char *fmt, ...)
{
	char text[700];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	l->errors++;
	if (s->at)
		nd_yaml_message(l->messages, s->by, s->text, s->len, s->at->offset, "error", text);
	else
		nd_buf_printf(l->messages, "%s: error: %s\n", s->by, text);
}

/* The names that a setting may have, as rule.param; borrowed from the arena. */
static const char **all_names(struct nd_rules *rules, size_t *n)
{
	size_t max = 1;
	const char **names;

	*n = 0;
	for (uint32_t i = 0; i < rules->n; i++)
		max += rules->rules[i]->n_params;
	for (uint32_t i = 0; i < rules->n_libraries; i++)
		max += rules->libraries[i]->n_params;
	names = nd_arena_alloc(&rules->arena, max * sizeof(*names));
	for (uint32_t i = 0; i < rules->n + rules->n_libraries; i++) {
		const struct nd_library *lib = i < rules->n ? NULL : rules->libraries[i - rules->n];
		const struct nd_rule *r = lib ? NULL : rules->rules[i];
		uint32_t params = lib ? lib->n_params : r->n_params;

		for (uint32_t k = 0; k < params; k++)
			names[(*n)++] =
				nd_arena_printf(&rules->arena, "%s.%s", lib ? lib->name : r->name,
						lib ? lib->params[k].name : r->params[k].name);
	}
	return names;
}

void nd_settings_check(struct nd_loader *l)
{
	const char **names;
	size_t n;

	if (l->rules->n_settings == 0)
		return;
	names = all_names(l->rules, &n);
	for (uint32_t i = 0; i < l->rules->n_settings; i++) {
		const struct nd_setting *s = &l->rules->settings[i];
		size_t len = strcspn(s->assignment, "=");
		const char *name = nd_arena_strndup(&l->rules->arena, s->assignment, len), *near;
		bool known = false;

		for (size_t k = 0; k < n && !known; k++)
			known = strcmp(names[k], name) == 0;
		if (known)
			continue;
		near = nd_nearest(name, names, n);
		nd_setting_wrong(l, s, "no rule has the parameter %s%s%s", name,
				 near ? "; nearest is " : "", near ? near : "");
	}
}
