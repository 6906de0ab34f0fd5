/* What could not be asked for want of data: by what would have to be collected, not by rule.
 *
 * One pasted file leaves most trees without an input. Each is no news by itself; that `nstat -az` would let twelve of
 * them speak is. */
#include "reports/page.h"
#include "reports/view.h"

#define GROUPS_MAX 24
#define NAMES_MAX 12

/* One tree that was not examined, or one cause of which nothing is known. */
struct want {
	const char *name; /* of the rule, of the cause */
	const char *command; /* that would give it; or NULL, and */
	struct nd_buf reason;
	uint32_t group; /* index of the first with that label */
};

bool nd_page_unasked(const struct nd_open *x)
{
	for (uint32_t i = 0; i < x->n_missing; i++) {
		enum nd_missing why = x->missing[i].why;

		if (why != ND_TOOL_OUTPUT_ABSENT && why != ND_NO_PERMISSION &&
		    why != ND_NOT_SAMPLED && why != ND_NOT_BUILT && why != ND_NOT_ON_THIS_KERNEL)
			return false;
	}
	return x->yes == 0 && x->n_missing > 0;
}

static void put_reason(struct nd_buf *b, const struct nd_missing_fact *m)
{
	if (!m)
		nd_buf_puts(b, "nobody knows what is missing");
	else if (!nd_view_empty(m->probe))
		nd_buf_printf(b, "needs the %s probe", m->probe);
	else if (m->detail && nd_starts(m->detail, "needs the "))
		nd_buf_puts(b, m->detail);
	else
		nd_view_missing(b, m->why, m->detail, NULL);
}

static void add(struct want *v, uint32_t *n, const char *name, const struct nd_missing_fact *m,
		uint32_t n_missing)
{
	struct want *w = &v[*n];

	m = n_missing ? m : NULL;
	*w = (struct want){.name = name ? name : "?", .group = *n};
	if (m && m->why == ND_TOOL_OUTPUT_ABSENT && !nd_view_empty(m->collect))
		w->command = m->collect; /* a file that is not there is wanted by its command */
	else
		put_reason(&w->reason, m);
	for (uint32_t i = 0; i < *n && w->group == *n; i++) {
		if (nd_page_same(v[i].command, w->command) &&
		    strcmp(nd_buf_str(&v[i].reason), nd_buf_str(&w->reason)) == 0)
			w->group = v[i].group;
	}
	(*n)++;
}

static bool named_before(const struct want *v, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++) {
		if (v[k].group == v[i].group && strcmp(v[k].name, v[i].name) == 0)
			return true;
	}
	return false;
}

/* "`nstat -az`: for conntrack, retransmissions and 3 more" */
static void put_group(struct nd_pen *p, const struct want *v, uint32_t n, uint32_t group)
{
	uint32_t names = 0;

	if (v[group].command)
		nd_pen_code(p, v[group].command);
	else
		nd_pen_say(p, nd_buf_str(&v[group].reason));
	nd_pen_say(p, ": for ");
	for (uint32_t i = group; i < n; i++) {
		if (v[i].group != group || named_before(v, i) || names++ >= NAMES_MAX)
			continue;
		nd_pen_say(p, names > 1 ? ", " : "");
		nd_page_entity(p, v[i].name);
	}
	if (names > NAMES_MAX)
		nd_pen_sayf(p, " and %u more", names - NAMES_MAX);
	nd_pen_item(p, 0);
}

void nd_wanted_write(struct nd_pen *p, const struct nd_findings *r)
{
	struct want *v = nd_alloc((r->n_open + r->n_unexamined + 1) * sizeof(*v));
	uint32_t n = 0, groups = 0, told = 0;

	for (uint32_t i = 0; i < r->n_open; i++) {
		if (nd_page_unasked(&r->open[i]))
			add(v, &n, r->open[i].cause, r->open[i].missing, r->open[i].n_missing);
	}
	for (uint32_t i = 0; i < r->n_unexamined; i++)
		add(v, &n, r->unexamined[i].rule, r->unexamined[i].missing,
		    r->unexamined[i].n_missing);
	for (uint32_t i = 0; i < n; i++)
		groups += v[i].group == i;
	if (groups) {
		nd_page_section(p, "Not examined");
		nd_pen_say(p, "What is missing, and what it would tell of:");
		nd_pen_paragraph(p);
	}
	for (uint32_t i = 0; i < n && told < nd_page_shown(groups, GROUPS_MAX); i++) {
		if (v[i].group != i)
			continue;
		put_group(p, v, n, i);
		told++;
	}
	nd_page_rest(p, groups, GROUPS_MAX, 0);
	for (uint32_t i = 0; i < n; i++)
		nd_buf_free(&v[i].reason);
	free(v);
}
