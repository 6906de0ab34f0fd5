/* Texts with holes: prose for people, shell text for copying. */
#include "engine/judge/walk.h"

#include <math.h>

enum nd_unit nd_type_unit(const struct nd_xtype *t)
{
	static const struct {
		struct nd_dims dims;
		enum nd_unit unit;
	} units[] = {{{1, 0}, ND_U_SECONDS},
		     {{0, 1}, ND_U_BYTES},
		     {{-1, 0}, ND_U_PER_SECOND},
		     {{-1, 1}, ND_U_BYTES_PER_SECOND}};

	for (size_t i = 0; i < ND_ARRAY_LEN(units); i++) {
		if (nd_same_dims(units[i].dims, t->dims))
			return units[i].unit;
	}
	return t->number == ND_N_PERCENT || t->number == ND_N_RATIO ? ND_U_PERCENT : ND_U_COUNT;
}

/* The reason in a sentence's words; reports that list missing facts have the exact name and detail. */
static const char *reason_words(enum nd_missing why)
{
	static const char *const words[ND_MISSINGS] = {
		[ND_NO_PERMISSION] = "no permission",
		[ND_NOT_ON_THIS_KERNEL] = "not on this kernel",
		[ND_NOT_BUILT] = "not built in",
		[ND_NOT_SAMPLED] = "not sampled",
		[ND_TOO_FEW_SAMPLES] = "too few samples",
		[ND_TOOL_OUTPUT_ABSENT] = "not recorded",
		[ND_PARSE_ERROR] = "could not be read",
		[ND_BUDGET] = "too costly",
		[ND_TIMED_OUT] = "timed out",
		[ND_TRUNCATED] = "cut short",
		[ND_COUNTER_RESET] = "the counter went backwards",
		[ND_SINGLE_SNAPSHOT] = "needs two readings",
		[ND_MIXED_SPAN] = "of different times",
		[ND_AMBIGUOUS_SOURCE] = "sources disagree",
		[ND_SILENT] = "not reported",
	};

	return words[why] ? words[why] : "no reason given";
}

static void render_items(struct nd_buf *b, const struct nd_result *r, const struct nd_run *run)
{
	for (uint32_t i = 0; i < r->n && i < 8; i++) {
		nd_buf_puts(b, i ? ", " : "");
		nd_buf_puts(b, r->items[i].why == ND_PRESENT
				       ? nd_entity_name(run->f, r->items[i].id)
				       : "unknown");
	}
	if (r->n > 8)
		nd_buf_printf(b, " and %u more", r->n - 8);
	if (r->n == 0)
		nd_buf_puts(b, "none");
}

void nd_render_value(struct nd_buf *b, const struct nd_result *r, const struct nd_xtype *t,
		     const struct nd_run *run)
{
	struct nd_xtype of = *t;

	switch (r->t) {
	case ND_R_MISSING: nd_buf_printf(b, "unknown (%s)", reason_words(r->why)); return;
	case ND_R_ABSENT: nd_buf_puts(b, "none"); return;
	case ND_R_NUMBER:
		nd_buf_puts(b, r->cut ? "≈" : "");
		nd_print_human(b, r->num, nd_type_unit(t));
		return;
	case ND_R_BOOL: nd_buf_puts(b, r->yes ? "yes" : "no"); return;
	case ND_R_TEXT: nd_buf_puts(b, r->text); return;
	case ND_R_ENTITY: nd_buf_puts(b, nd_entity_name(run->f, r->id)); return;
	case ND_R_SET: render_items(b, r, run); return;
	case ND_R_LIST:
		of.t = t->of;
		for (uint32_t i = 0; i < r->n && i < 8; i++) {
			nd_buf_puts(b, i ? ", " : "");
			nd_render_value(b, &r->list[i], &of, run);
		}
		return;
	case ND_R_HIST:
	case ND_R_RANGE: return;
	}
}

/* {expr | ms .1}: in that unit, with so many digits. */
static void render_format(struct nd_buf *b, double v, const struct nd_text_piece *p, bool shell)
{
	double scaled = p->unit ? v / p->factor : v;

	if (p->digits >= 0)
		nd_buf_printf(b, "%.*f", p->digits, scaled);
	else if (shell && fabs(scaled - round(scaled)) < 1e-9 * fmax(1, fabs(scaled)))
		nd_buf_printf(b, "%.0f", round(scaled));
	else if (shell)
		nd_print_plain(b, scaled);
	else
		nd_print_human(b, scaled, ND_U_COUNT);
	if (p->unit && !shell)
		nd_buf_printf(b, " %s", p->unit);
}

static const char *keep(struct nd_buf *b, struct nd_run *run)
{
	const char *out = nd_arena_strdup(run->arena, nd_buf_str(b));

	nd_buf_free(b);
	return out;
}

/* marked: an unknown value is one word with a mark before it. */
static void render_prose(struct nd_buf *b, const struct nd_ctext *t, struct nd_eval *e, bool marked)
{
	for (uint32_t i = 0; t && i < t->n; i++) {
		const struct nd_text_piece *p = &t->pieces[i];
		struct nd_result r;

		if (p->literal) {
			nd_buf_puts(b, p->literal);
			continue;
		}
		r = nd_eval(p->code, e);
		if (r.t == ND_R_MISSING && marked)
			nd_buf_printf(b, "%cunknown", ND_UNKNOWN_MARK);
		else if (r.t == ND_R_NUMBER && (p->unit || p->digits >= 0))
			render_format(b, r.num, p, false);
		else
			nd_render_value(b, &r, &p->code->type, e->run);
	}
}

const char *nd_render(const struct nd_ctext *t, struct nd_eval *e)
{
	struct nd_buf b = {0};

	render_prose(&b, t, e, false);
	return keep(&b, e->run);
}

const char *nd_render_sentences(const struct nd_ctext *t, struct nd_eval *e)
{
	struct nd_buf b = {0}, tidy = {0};

	render_prose(&b, t, e, true);
	nd_tidy(nd_buf_str(&b), &tidy);
	nd_buf_free(&b);
	return keep(&tidy, e->run);
}

/* Several words, each of them quoted. */
static void render_words(struct nd_buf *b, const char *s)
{
	static const char blanks[] = " \t\n\v\f\r";

	for (bool first = true;; first = false) {
		struct nd_buf word = {0};
		size_t n;

		s += strspn(s, blanks);
		n = strcspn(s, blanks);
		if (n == 0)
			return;
		nd_buf_put(&word, s, n);
		nd_buf_puts(b, first ? "" : " ");
		nd_print_shell(b, nd_buf_str(&word));
		nd_buf_free(&word);
		s += n;
	}
}

static void render_word(struct nd_buf *b, const struct nd_result *r, const struct nd_text_piece *p,
			const struct nd_run *run)
{
	if (r->t == ND_R_NUMBER)
		render_format(b, r->num, p, true);
	else if (r->t == ND_R_BOOL)
		nd_buf_puts(b, r->yes ? "1" : "0");
	else if (r->t == ND_R_ENTITY)
		nd_print_shell(b, nd_entity_key(run->f, r->id));
	else if (p->code->type.t == ND_X_SAFE)
		nd_buf_puts(b, r->text);
	else if (p->code->type.t == ND_X_WORDS)
		render_words(b, r->text);
	else if (r->t == ND_R_TEXT)
		nd_print_shell(b, r->text);
}

const char *nd_render_shell(const struct nd_ctext *t, struct nd_eval *e, const char **missing)
{
	struct nd_buf b = {0};

	for (uint32_t i = 0; i < t->n; i++) {
		const struct nd_text_piece *p = &t->pieces[i];
		struct nd_result r;

		if (p->literal) {
			nd_buf_puts(&b, p->literal);
			continue;
		}
		r = nd_eval(p->code, e);
		if (r.t == ND_R_MISSING || r.t == ND_R_ABSENT || r.t == ND_R_SET ||
		    r.t == ND_R_LIST) {
			*missing = nd_arena_printf(e->run->arena, "%s is %s", p->source,
						   r.t == ND_R_MISSING	? "unknown"
						   : r.t == ND_R_ABSENT ? "none"
									: "a list");
			nd_buf_free(&b);
			return NULL;
		}
		render_word(&b, &r, p, e->run);
	}
	while (b.len && b.s[b.len - 1] == '\n')
		b.s[--b.len] = '\0';
	return keep(&b, e->run);
}

const char *nd_used_name(const struct nd_run *run, const struct nd_rule *rule,
			 const struct nd_used *u)
{
	const struct nd_fact_def *d;
	const char *acc;

	switch (u->what) {
	case ND_USED_FACT:
		d = nd_registry_def(nd_facts_registry(run->f), u->id);
		acc = nd_accessor_name(u->accessor);
		return nd_arena_printf(run->arena, "%s.%s%s%s", nd_kinds[d->on].name, d->name,
				       *acc ? "." : "", acc);
	case ND_USED_RELATION:
		return nd_arena_printf(
			run->arena, "%s.%s", nd_kinds[nd_entity_kind(run->f, u->on)].name,
			u->inverse ? nd_relations[u->id].inverse : nd_relations[u->id].name);
	case ND_USED_KIND: return nd_kinds[u->id].plural;
	case ND_USED_LOG:
		return nd_arena_printf(run->arena, "%s.log.%s",
				       nd_kinds[nd_entity_kind(run->f, u->on)].name,
				       run->rules->logs[u->id]->name);
	case ND_USED_TALLY:
		return nd_arena_printf(run->arena, "%s.tally.%s.%s",
				       nd_kinds[nd_entity_kind(run->f, u->on)].name,
				       rule->tallies[u->id].name, u->rows ? "rows" : "hits");
	case ND_USED_MEMBER:
		return nd_arena_printf(run->arena, "%s:%s", nd_kinds[u->id].name, u->key);
	case ND_USED_BUDGET: return "elements of sets";
	case ND_USED_QUESTION: return nd_arena_strdup(run->arena, u->key);
	case ND_USED_MEMO: /* taken apart before anybody asks */ break;
	}
	return "";
}

const char *nd_used_entity(const struct nd_run *run, const struct nd_used *u)
{
	if (u->what == ND_USED_KIND || u->what == ND_USED_MEMBER || u->what == ND_USED_BUDGET)
		return "host";
	return nd_entity_name(run->f, u->on);
}
