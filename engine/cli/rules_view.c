/* Thresholds, facts and probes of a rule, in the words that list, show and doc share. */
#include "engine/cli/rules_view.h"

#define NAMES_MAX 256

static int unknown_rule(const struct nd_rules *rules, const char *name)
{
	const char *names[NAMES_MAX], *near;
	uint32_t n = 0;

	while (n < nd_rules_count(rules) && n < NAMES_MAX) {
		names[n] = nd_rules_name(rules, n);
		n++;
	}
	near = nd_nearest(name, names, n);
	nd_error("there is no rule '%s'%s%s", name, near ? "; nearest is " : "",
		 near ? near : "; netdoctor rules list shows all");
	return ND_EXIT_USAGE;
}

int nd_rule_named(struct nd_session *s, const struct nd_options *o, int *status)
{
	*status = nd_session_rules_trusted(s, o);
	for (uint32_t i = 0; *status == 0 && i < nd_rules_count(s->rules); i++) {
		if (strcmp(nd_rules_name(s->rules, i), o->args[0]) == 0)
			return (int)i;
	}
	if (*status == 0)
		*status = unknown_rule(s->rules, o->args[0]);
	return -1;
}

const char *nd_key_text(const struct nd_yaml *map, const char *key)
{
	const struct nd_yaml *y = map && map->type == ND_YAML_MAP ? nd_yaml_get(map, key) : NULL;

	return y && y->type == ND_YAML_TEXT ? y->text : "";
}

const char *nd_param_text(const struct nd_param *p)
{
	return p->set ? p->set : p->source->text;
}

const char *nd_param_key(const struct nd_yaml *file, const struct nd_param *p, const char *key)
{
	const struct nd_yaml *params = nd_yaml_get(file, "params");

	return params ? nd_key_text(nd_yaml_get(params, p->name), key) : "";
}

void nd_put_probes(const struct nd_reads *r, const struct nd_registry *reg, struct nd_buf *out)
{
	const char *between = "";

	for (uint32_t i = 0; i < r->n_facts; i++) {
		const char *probe = nd_registry_def(reg, r->facts[i].fact)->probe;
		const char *sep = " (";
		bool before = false;

		for (uint32_t k = 0; probe && k < i && !before; k++) {
			const char *other = nd_registry_def(reg, r->facts[k].fact)->probe;

			before = other && strcmp(other, probe) == 0;
		}
		if (!probe || before)
			continue;
		nd_buf_printf(out, "%s%s", between, probe);
		for (uint32_t k = i; k < r->n_facts; k++) {
			const struct nd_fact_def *d = nd_registry_def(reg, r->facts[k].fact);

			if (!d->probe || strcmp(d->probe, probe) != 0)
				continue;
			nd_buf_printf(out, "%s%s.%s", sep, nd_kinds[d->on].name, d->name);
			sep = ", ";
		}
		nd_buf_putc(out, ')');
		between = ", ";
	}
}

void nd_put_folded(struct nd_buf *out, const char *text)
{
	static const char blanks[] = " \t\r\n";

	for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
		size_t n = strcspn(text, blanks);

		nd_buf_put(out, text, n);
		text += n;
		if (text[strspn(text, blanks)])
			nd_buf_putc(out, ' ');
	}
}

bool nd_rule_is_from(const char *path, const char *const *dirs, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		size_t len = strlen(dirs[i]);

		if (nd_starts(path, dirs[i]) &&
		    (path[len] == '\0' || path[len] == '/' || (len && path[len - 1] == '/')))
			return true;
	}
	return n == 0;
}

bool nd_cause_first(const struct nd_rule *r, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++) {
		if (strcmp(r->causes[k].base, r->causes[i].base) == 0)
			return false;
	}
	return true;
}
