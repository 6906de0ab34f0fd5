/* check: tries every collector here, for a moment, and tells what it gave and what it lacked.
 *
 * Nothing is guessed from versions or ids: a fact is there if it could be read, else its own reason is shown. */
#include <errno.h>
#include <unistd.h>

#include "engine/cli/cmd.h"
#include "engine/cli/session.h"
#include "reports/view.h"

#define WINDOW_S 0.3
#define REASONS_MAX 8
#define ROOT_HELPS " (root can)"

struct reason {
	enum nd_missing why;
	const char *detail, *probe;
	uint32_t facts;
};
struct tried {
	uint32_t have, of;
	struct reason reasons[REASONS_MAX];
	uint32_t n;
};

/* Of a fact on all entities of its kind: is there any value, else why not? */
static struct nd_value best_value(struct nd_facts *f, nd_fact_id id, const struct nd_fact_def *def)
{
	struct nd_value best = {.type = ND_V_MISSING, .why = ND_NOT_SAMPLED};
	enum nd_accessor a = ND_BARE;
	uint32_t n;
	const nd_id *ids = nd_entities(f, def->on, &n);

	while (a < ND_ACCESSORS && !nd_accessor_fits(def, a))
		a++;
	if (n == 0) {
		struct nd_status st = nd_kind_status(f, def->on);

		if (st.why == ND_PRESENT)
			return (struct nd_value){.type = ND_V_ABSENT};
		return (struct nd_value){.type = ND_V_MISSING, .why = st.why, .detail = st.detail};
	}
	for (uint32_t i = 0; i < n && best.type == ND_V_MISSING; i++) {
		struct nd_value v = nd_get(f, ids[i], id, a);

		if (i == 0 || v.type != ND_V_MISSING)
			best = v;
	}
	return best;
}

static void add_reason(struct tried *t, const struct nd_value *v, const char *probe)
{
	const char *detail = v->detail ? v->detail : "";
	uint32_t i = 0;

	while (i < t->n &&
	       !(t->reasons[i].why == v->why && strcmp(t->reasons[i].detail, detail) == 0))
		i++;
	if (i == REASONS_MAX)
		return;
	if (i == t->n)
		t->reasons[t->n++] = (struct reason){v->why, detail, probe, 0};
	t->reasons[i].facts++;
}

static struct tried try_facts(struct nd_session *s, const struct nd_collector *c)
{
	struct tried t = {0};

	for (const struct nd_fact_def *d = c->facts; d && d->name; d++) {
		nd_fact_id id = nd_registry_find(s->registry, d->on, d->name);
		struct nd_value v = best_value(s->facts, id, d);

		t.of++;
		if (v.type != ND_V_MISSING)
			t.have++;
		else
			add_reason(&t, &v, d->probe);
	}
	return t;
}

/* Reads outputs of tools only: nothing that a live host has. */
static bool is_for_folders(const struct nd_collector *c)
{
	for (const struct nd_read *r = c->reads; r && r->what; r++) {
		if (r->what[0] == '/')
			return false;
	}
	return !c->live && c->reads;
}

/* Was it refused to a user for whom root would not be? */
static bool is_refusal(const char *why)
{
	return geteuid() != 0 && (nd_ends(why, strerror(EACCES)) || nd_ends(why, strerror(EPERM)));
}

static void put_collector(struct nd_session *s, uint32_t i, struct nd_buf *out)
{
	const struct nd_collector *c = nd_collectors[i];
	const struct nd_collector_status *st = nd_collect_status(i);
	struct tried t = try_facts(s, c);

	if (c->facts)
		nd_buf_printf(out, "%-16s %3u of %3u facts  %s\n", c->name, t.have, t.of, c->doc);
	else
		nd_buf_printf(out, "%-16s %3u inputs        %s\n", c->name, st->inputs, c->doc);
	if (st->bad) {
		nd_buf_puts(out, "    failed: ");
		nd_view_clean(out, st->why, ND_CLEAN_LINE);
		nd_buf_puts(out, is_refusal(st->why) ? ROOT_HELPS "\n" : "\n");
	}
	for (uint32_t k = 0; k < t.n; k++) {
		const struct reason *r = &t.reasons[k];

		nd_buf_printf(out, "    %u missing: ", r->facts);
		nd_view_missing(out, r->why, r->detail, *r->detail ? NULL : r->probe);
		nd_buf_puts(out,
			    r->why == ND_NO_PERMISSION && geteuid() != 0 ? ROOT_HELPS "\n" : "\n");
	}
}

int nd_cmd_check(const struct nd_options *o, struct nd_buf *out)
{
	struct nd_session s;
	int status;

	nd_session_begin(&s);
	status = nd_session_open(&s, o);
	if (status == 0)
		status = nd_session_collect(&s, o, WINDOW_S);
	for (uint32_t i = 0; status == 0 && i < nd_collectors_n; i++) {
		if (!is_for_folders(nd_collectors[i]))
			put_collector(&s, i, out);
	}
	if (status == 0) {
		nd_buf_puts(out, "\nFor recorded outputs of tools only (run --from): ");
		for (uint32_t i = 0, n = 0; i < nd_collectors_n; i++) {
			if (is_for_folders(nd_collectors[i]))
				nd_buf_printf(out, "%s%s", n++ ? ", " : "", nd_collectors[i]->name);
		}
		nd_buf_putc(out, '\n');
	}
	nd_session_end(&s);
	return status;
}
