/* The message for a name that no fact and no relation has, with the nearest right one. */
#include "engine/rule/code.h"

static bool is_accessor(const char *word)
{
	for (unsigned a = ND_BARE + 1; a < ND_ACCESSORS; a++) {
		if (strcmp(word, nd_accessor_name((enum nd_accessor)a)) == 0)
			return true;
	}
	return false;
}

/* All that may follow an entity of the kind. */
static uint32_t names_of(const struct nd_registry *r, enum nd_kind kind, const char **names)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < nd_registry_count(r); i++) {
		if (nd_registry_def(r, (nd_fact_id)i)->on == kind)
			names[count++] = nd_registry_def(r, (nd_fact_id)i)->name;
	}
	for (unsigned i = 0; i < ND_RELATIONS; i++) {
		if (nd_relations[i].from == kind)
			names[count++] = nd_relations[i].name;
		if (nd_relations[i].to == kind)
			names[count++] = nd_relations[i].inverse;
	}
	return count;
}

const char *nd_nearest_fact(const struct nd_registry *r, enum nd_kind kind, const char *wanted)
{
	const char **names = nd_alloc((nd_registry_count(r) + 2 * ND_RELATIONS) * sizeof(*names));
	const char *near = nd_nearest(wanted, names, names_of(r, kind, names));

	free(names);
	return near;
}

void *nd_check_unknown(enum nd_kind kind, const char *const *path, uint32_t n, uint32_t pos,
		       const struct nd_scope *s, struct nd_expr_error *e)
{
	char wanted[512] = "";
	const char *near;
	size_t len = 0;

	if (n > 1 && is_accessor(path[n - 1]))
		n--; /* the fact is what is wrong, not its accessor */
	for (uint32_t i = 0; i < n && len < sizeof(wanted); i++)
		len += (size_t)snprintf(wanted + len, sizeof(wanted) - len, "%s%s", i ? "." : "",
					path[i]);
	near = nd_nearest_fact(nd_rules_registry(s->rules), kind, wanted);
	return nd_check_fail(e, pos, "%s has no fact or relation \"%s\"%s%s", nd_kinds[kind].name,
			     wanted, near ? "; nearest is " : "", near ? near : "");
}
