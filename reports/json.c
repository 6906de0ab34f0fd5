/* The report for machines: a stable interface, described by docs/report.schema.json.
 *
 * Written by hand and not on a library, because numbers must be printed by str.c (shortest form
 * that reads back equal, whole numbers without a point) and equal findings must give equal
 * bytes. Keys are never left out: what is unknown is null. */
#include "reports/report.h"
#include "reports/view.h"

#include <math.h>

#define SCHEMA 1

struct json {
	struct nd_buf *out;
	unsigned depth;
	bool first; /* the next element is the first of its object or array */
};

/* \uXXXX, as two surrogates beyond the first 65,536. */
static void put_escaped(struct nd_buf *b, uint32_t p)
{
	if (p > 0xFFFF)
		nd_buf_printf(b, "\\u%04x\\u%04x", 0xD800 + ((p - 0x10000) >> 10),
			      0xDC00 + (p & 0x3FF));
	else
		nd_buf_printf(b, "\\u%04x", p);
}

/* Escapes more than JSON asks for: reports are also looked at in a terminal. */
static void put_string(struct json *j, const char *s)
{
	uint32_t p = 0;
	size_t n;

	nd_buf_putc(j->out, '"');
	for (; s && *s; s += n ? n : 1) {
		n = nd_view_decode(s, &p);
		if (!n)
			nd_buf_puts(j->out, ND_VIEW_REPLACEMENT);
		else if (p == '"' || p == '\\')
			nd_buf_printf(j->out, "\\%c", *s);
		else if (p == '\n' || p == '\t')
			nd_buf_puts(j->out, p == '\n' ? "\\n" : "\\t");
		else if (nd_view_deceptive(p))
			put_escaped(j->out, p);
		else
			nd_buf_put(j->out, s, n);
	}
	nd_buf_putc(j->out, '"');
}

/* Begins the next element; key is NULL within an array. */
static void element(struct json *j, const char *key)
{
	if (!j->first)
		nd_buf_putc(j->out, ',');
	if (j->depth > 0)
		nd_buf_printf(j->out, "\n%*s", (int)j->depth * 2, "");
	j->first = false;
	if (key) {
		put_string(j, key);
		nd_buf_puts(j->out, ": ");
	}
}

static void open_with(struct json *j, const char *key, char bracket)
{
	element(j, key);
	nd_buf_putc(j->out, bracket);
	j->depth++;
	j->first = true;
}

static void close_with(struct json *j, char bracket)
{
	j->depth--;
	if (!j->first)
		nd_buf_printf(j->out, "\n%*s", (int)j->depth * 2, "");
	nd_buf_putc(j->out, bracket);
	j->first = false;
}

static void object(struct json *j, const char *key)
{
	open_with(j, key, '{');
}

static void object_end(struct json *j)
{
	close_with(j, '}');
}

static void array(struct json *j, const char *key)
{
	open_with(j, key, '[');
}

static void array_end(struct json *j)
{
	close_with(j, ']');
}

static void null(struct json *j, const char *key)
{
	element(j, key);
	nd_buf_puts(j->out, "null");
}

static void text(struct json *j, const char *key, const char *s)
{
	element(j, key);
	put_string(j, s);
}

/* A text that can be unknown. */
static void text_or_null(struct json *j, const char *key, const char *s)
{
	if (nd_view_empty(s))
		null(j, key);
	else
		text(j, key, s);
}

static void number(struct json *j, const char *key, double v)
{
	if (!isfinite(v)) {
		null(j, key);
		return;
	}
	element(j, key);
	nd_print_plain(j->out, v);
}

static void boolean(struct json *j, const char *key, bool v)
{
	element(j, key);
	nd_buf_puts(j->out, v ? "true" : "false");
}

static void texts(struct json *j, const char *key, const char *const *list, uint32_t n)
{
	array(j, key);
	for (uint32_t i = 0; i < n; i++)
		text(j, NULL, list[i]);
	array_end(j);
}

static void moment(struct json *j, const char *key, int64_t epoch_s)
{
	struct nd_buf b = {0};

	if (nd_view_rfc3339(&b, epoch_s))
		text(j, key, nd_buf_str(&b));
	else
		null(j, key);
	nd_buf_free(&b);
}

/* ---- findings ---- */

static void hist(struct json *j, const struct nd_hist *h)
{
	static const struct {
		double q;
		const char *key;
	} rows[] = {{0.5, "p50"}, {0.9, "p90"}, {0.99, "p99"}, {0.999, "p999"}};
	double v = 0;

	object(j, "value");
	number(j, "samples", h ? nd_hist_count(h) : 0);
	for (size_t i = 0; i < ND_ARRAY_LEN(rows); i++)
		number(j, rows[i].key, h && nd_hist_quantile(h, rows[i].q, &v) ? v : NAN);
	array(j, "buckets");
	for (uint32_t i = 0; h && i < h->n; i++) {
		object(j, NULL);
		number(j, "lo", h->b[i].lo);
		number(j, "hi", h->b[i].hi);
		number(j, "count", h->b[i].count);
		object_end(j);
	}
	array_end(j);
	object_end(j);
}

static void value(struct json *j, const struct nd_evidence_value *v)
{
	bool missing = v->value.type == ND_V_MISSING;
	bool unit = v->value.type == ND_V_NUMBER || v->value.type == ND_V_HIST;

	object(j, NULL);
	text(j, "fact", v->fact);
	text_or_null(j, "entity", v->entity);
	switch (v->value.type) {
	case ND_V_NUMBER: number(j, "value", v->value.num); break;
	case ND_V_BOOL: boolean(j, "value", v->value.yes); break;
	case ND_V_TEXT: text(j, "value", v->value.text); break;
	case ND_V_HIST: hist(j, v->value.hist); break;
	case ND_V_MISSING:
	case ND_V_ABSENT: null(j, "value"); break;
	}
	text_or_null(j, "unit", unit ? nd_unit_name(v->unit) : NULL);
	text(j, "basis", nd_basis_name(v->value.basis));
	boolean(j, "absent", v->value.type == ND_V_ABSENT);
	text_or_null(j, "missing", missing ? nd_missing_name(v->value.why) : NULL);
	text_or_null(j, "detail", missing ? v->value.detail : NULL);
	boolean(j, "distrusted", v->distrusted);
	text_or_null(j, "source", v->source);
	text_or_null(j, "reproduce", v->reproduce);
	object_end(j);
}

static void evidence(struct json *j, const struct nd_evidence *e)
{
	object(j, NULL);
	text_or_null(j, "ask", e->ask);
	text(j, "answer", nd_answer_name(e->answer));
	text(j, "grade", nd_grade_name(e->grade));
	text_or_null(j, "test", e->test);
	boolean(j, "stale", e->stale);
	text_or_null(j, "says", e->says);
	array(j, "values");
	for (uint32_t i = 0; i < e->n_values; i++)
		value(j, &e->values[i]);
	array_end(j);
	number(j, "more_values", e->more_values);
	object_end(j);
}

static void fix(struct json *j, const struct nd_fix *x)
{
	object(j, NULL);
	text(j, "tier", nd_tier_name(x->tier));
	text(j, "title", x->title);
	text_or_null(j, "risk", x->risk);
	text_or_null(j, "disrupts", x->disrupts);
	text_or_null(j, "run", x->run);
	text_or_null(j, "undo", x->undo);
	text_or_null(j, "persist", x->persist);
	text_or_null(j, "verify", x->verify);
	text_or_null(j, "restart", x->restart);
	text_or_null(j, "advice", x->advice);
	text_or_null(j, "missing", x->missing);
	text_or_null(j, "not_offered", x->not_offered);
	object_end(j);
}

static void accounts(struct json *j, const struct nd_finding *f)
{
	object(j, "accounts");
	number(j, "delay_s", f->delay);
	number(j, "touches", f->touches);
	number(j, "share", f->share);
	text_or_null(j, "of", f->share_of);
	number(j, "fit", f->fit);
	boolean(j, "too_small", f->too_small);
	object_end(j);
}

static void related(struct json *j, const struct nd_finding *f)
{
	array(j, "related");
	for (uint32_t i = 0; i < f->n_related; i++) {
		object(j, NULL);
		text(j, "cause", f->related[i].cause);
		text_or_null(j, "entity", f->related[i].entity);
		text_or_null(j, "how", f->related[i].how);
		object_end(j);
	}
	array_end(j);
}

static void finding(struct json *j, const struct nd_finding *f)
{
	object(j, NULL);
	text(j, "cause", f->cause);
	text(j, "rule", f->rule);
	text(j, "entity", f->entity);
	texts(j, "entities", f->entities, f->n_entities);
	text(j, "confidence", nd_word_name(f->word));
	text_or_null(j, "cap", f->cap);
	text(j, "role", nd_role_name(f->role));
	number(j, "supports", f->supports);
	text(j, "title", f->title);
	text(j, "because", f->because);
	accounts(j, f);
	array(j, "evidence");
	for (uint32_t i = 0; i < f->n_evidence; i++)
		evidence(j, &f->evidence[i]);
	array_end(j);
	array(j, "fixes");
	for (uint32_t i = 0; i < f->n_fixes; i++)
		fix(j, &f->fixes[i]);
	array_end(j);
	related(j, f);
	array(j, "similar");
	array_end(j);
	texts(j, "references", f->references, f->n_references);
	object_end(j);
}

/* ---- the rest ---- */

static void missing(struct json *j, const struct nd_missing_fact *list, uint32_t n)
{
	array(j, "missing");
	for (uint32_t i = 0; i < n; i++) {
		object(j, NULL);
		text(j, "fact", list[i].fact);
		text_or_null(j, "entity", list[i].entity);
		text(j, "reason", nd_missing_name(list[i].why));
		text_or_null(j, "detail", list[i].detail);
		text_or_null(j, "probe", list[i].probe);
		text_or_null(j, "collect", list[i].collect);
		text_or_null(j, "reproduce", list[i].reproduce);
		object_end(j);
	}
	array_end(j);
}

static void coverage(struct json *j, const struct nd_findings *r)
{
	object(j, "coverage");
	number(j, "examined", r->examined);
	number(j, "of", r->of);
	array(j, "unexamined");
	for (uint32_t i = 0; i < r->n_unexamined; i++) {
		const struct nd_unexamined *x = &r->unexamined[i];

		object(j, NULL);
		text(j, "rule", x->rule);
		text_or_null(j, "tree", x->tree);
		boolean(j, "core", x->core);
		text_or_null(j, "entity", x->entity);
		number(j, "others", x->others);
		missing(j, x->missing, x->n_missing);
		object_end(j);
	}
	array_end(j);
	object_end(j);
}

static void ruled_out(struct json *j, const struct nd_findings *r)
{
	array(j, "ruled_out");
	for (uint32_t i = 0; i < r->n_ruled_out; i++) {
		const struct nd_ruled_out *x = &r->ruled_out[i];

		object(j, NULL);
		text(j, "cause", x->cause);
		text(j, "rule", x->rule);
		text_or_null(j, "entity", x->entity);
		number(j, "others", x->others);
		text_or_null(j, "ask", x->ask);
		text_or_null(j, "because", x->because);
		boolean(j, "since_boot", x->since_boot);
		object_end(j);
	}
	array_end(j);
}

static void open_causes(struct json *j, const struct nd_findings *r)
{
	array(j, "open");
	for (uint32_t i = 0; i < r->n_open; i++) {
		const struct nd_open *x = &r->open[i];

		object(j, NULL);
		text(j, "cause", x->cause);
		text(j, "rule", x->rule);
		text_or_null(j, "entity", x->entity);
		number(j, "others", x->others);
		text_or_null(j, "ask", x->ask);
		missing(j, x->missing, x->n_missing);
		text_or_null(j, "next", x->next);
		object_end(j);
	}
	array_end(j);
}

static void notes(struct json *j, const char *key, const struct nd_note *list, uint32_t n)
{
	array(j, key);
	for (uint32_t i = 0; i < n; i++) {
		object(j, NULL);
		text(j, "name", list[i].name);
		text_or_null(j, "rule", list[i].rule);
		text_or_null(j, "entity", list[i].entity);
		number(j, "others", list[i].others);
		text(j, "says", list[i].says);
		object_end(j);
	}
	array_end(j);
}

static void about(struct json *j, const struct nd_findings *r)
{
	struct nd_buf headline = {0};

	nd_view_headline(&headline, r);
	number(j, "schema", SCHEMA);
	text(j, "version", r->version);
	text(j, "verdict", nd_verdict_name(r->verdict));
	text(j, "headline", nd_buf_str(&headline));
	text_or_null(j, "next", r->next);
	text_or_null(j, "symptom", r->symptom);
	moment(j, "started", r->started_s);
	moment(j, "ended", r->ended_s);
	number(j, "utc_offset_s", r->utc_offset_s);
	number(j, "window_s", r->window);
	text_or_null(j, "source", r->source);
	object(j, "host");
	text_or_null(j, "name", r->host_name);
	text_or_null(j, "kernel", r->kernel);
	text_or_null(j, "netns", r->netns);
	number(j, "cpus", r->cpus ? (double)r->cpus : (double)NAN);
	number(j, "uptime_s", r->uptime);
	object_end(j);
	nd_buf_free(&headline);
}

static int write_json(const struct nd_findings *r, struct nd_buf *out)
{
	struct json j = {.out = out, .first = true};

	object(&j, NULL);
	about(&j, r);
	coverage(&j, r);
	array(&j, "findings");
	for (uint32_t i = 0; i < r->n_findings; i++)
		finding(&j, &r->findings[i]);
	array_end(&j);
	ruled_out(&j, r);
	open_causes(&j, r);
	notes(&j, "notes", r->notes, r->n_notes);
	notes(&j, "contradictions", r->contradictions, r->n_contradictions);
	array(&j, "inputs");
	for (uint32_t i = 0; i < r->n_inputs; i++) {
		object(&j, NULL);
		text(&j, "path", r->inputs[i].path);
		text(&j, "says", r->inputs[i].says);
		object_end(&j);
	}
	array_end(&j);
	array(&j, "probes");
	array_end(&j);
	object(&j, "cost");
	number(&j, "cpu_s", r->own_cpu);
	number(&j, "wall_s", r->own_wall);
	object_end(&j);
	object_end(&j);
	nd_buf_putc(out, '\n');
	return 0;
}

const struct nd_report nd_report_json = {
	.name = "json",
	.suffix = ".json",
	.doc = "for machines; docs/report.schema.json describes it",
	.write = write_json,
};
