/* The store: what collectors put.
 *
 * A counter keeps what its accessors need (first moment, last reading, sum and peak of the differences)
 * and no list of readings, so that many samples of many sockets stay small. */
#include "engine/core/fact_impl.h"

#include <math.h>

/* A 32-bit counter that seems to have advanced by more than half its range in one step went backwards. */
#define WRAP_LIMIT 0x80000000u
/* Two sources of one counter are seconds apart: they disagree when one is more than this times the other. */
#define DISAGREE 2.0

struct nd_cell *nd_cell_for(struct nd_facts *f, nd_id on, const struct nd_fact_def *def)
{
	nd_fact_id id = nd_registry_id(f->registry, def);
	struct nd_column_store *c;
	uint32_t slot = f->entities[on].slot;

	if (id < 0 || f->entities[on].kind != def->on) {
		fprintf(stderr, "netdoctor: bug: fact %s put on %s, declared %s\n", def->name,
			nd_entity_name(f, on), id < 0 ? "nowhere" : nd_kinds[def->on].name);
		abort();
	}
	c = &f->columns[id];
	if (slot >= c->n) {
		uint32_t n = slot + slot / 2 + 4;

		c->cells = nd_realloc(c->cells, n * sizeof(*c->cells));
		memset(&c->cells[c->n], 0, (n - c->n) * sizeof(*c->cells));
		c->n = n;
	}
	return &c->cells[slot];
}

void nd_facts_speaker(struct nd_facts *f, uint32_t order)
{
	f->speaker = order;
}

void nd_facts_default_reason(struct nd_facts *f, enum nd_missing why)
{
	f->default_why = why;
}

void nd_facts_contradict(struct nd_facts *f, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (uint32_t i = 0; i < f->n_contradictions; i++) {
		if (strcmp(f->contradictions[i], text) == 0)
			return;
	}
	ND_GROW(f->contradictions, f->n_contradictions, f->cap_contradictions);
	f->contradictions[f->n_contradictions++] = nd_arena_strdup(&f->arena, text);
}

const char *const *nd_facts_contradictions(const struct nd_facts *f, uint32_t *n)
{
	*n = f->n_contradictions;
	return f->contradictions;
}

/* Makes the cell ready for a value of this speaker. False: an earlier source of the list has it. */
static bool claim(struct nd_facts *f, struct nd_cell *c, const struct nd_input *in)
{
	if (c->state == ND_C_VALUE && c->speaker != f->speaker)
		return false;
	if (c->state != ND_C_VALUE)
		*c = (struct nd_cell){
			.state = ND_C_VALUE, .speaker = f->speaker, .first_ns = in->t_ns};
	if (!c->source || strcmp(c->source, in->path) != 0)
		c->source = nd_arena_strdup(&f->arena, in->path);
	return true;
}

/* Says so if a later source gives a number far from the one that stays. */
static void compare(struct nd_facts *f, nd_id on, const struct nd_fact_def *d, double has, double v,
		    const char *path)
{
	nd_fact_id id = nd_registry_id(f->registry, d);
	const struct nd_cell *c = nd_cell_of(f, on, id);

	if (v == has || (v > 0 && has > 0 && v <= has * DISAGREE && has <= v * DISAGREE))
		return;
	nd_facts_contradict(f, "%s.%s is %.15g in %s and %.15g in %s", nd_entity_name(f, on),
			    d->name, has, c && c->source ? c->source : "?", v, path);
}

static bool possible(struct nd_facts *f, nd_id on, const struct nd_fact_def *d, double v,
		     const struct nd_input *in)
{
	const double slack = 1.01; /* percentages of tick counts may exceed 100 % by rounding */

	if (isfinite(v) && v >= 0 && (d->unit != ND_U_PERCENT || v <= slack))
		return true;
	nd_facts_contradict(f, "%s.%s cannot be %g (%s)", nd_entity_name(f, on), d->name, v,
			    in->path);
	nd_put_missing(f, on, d, ND_PARSE_ERROR, "%s: impossible value %g", in->path, v);
	return false;
}

void nd_put_num(struct nd_facts *f, nd_id on, const struct nd_fact_def *fact, double v,
		const struct nd_input *in)
{
	struct nd_cell *c = nd_cell_for(f, on, fact);

	if (!possible(f, on, fact, v, in))
		return;
	if (!claim(f, c, in)) {
		if (!c->fixed)
			compare(f, on, fact, c->gauge.last, v, in->path);
		return;
	}
	if (c->n == 0) {
		c->gauge.first = c->gauge.min = c->gauge.max = v;
		c->gauge.sum = 0;
	}
	c->n++;
	c->gauge.last = v;
	c->gauge.min = v < c->gauge.min ? v : c->gauge.min;
	c->gauge.max = v > c->gauge.max ? v : c->gauge.max;
	c->gauge.sum += v;
	c->last_ns = in->t_ns;
}

/* The increase from a to b in the counter's own width; false when it went backwards. */
static bool increase(enum nd_width width, uint64_t a, uint64_t b, uint64_t *out)
{
	*out = b - a;
	if (b >= a)
		return true;
	if (width != ND_COUNTER32)
		return false;
	*out = (uint32_t)(b - a);
	return *out < WRAP_LIMIT;
}

void nd_put_reading(struct nd_facts *f, nd_id on, const struct nd_fact_def *fact, uint64_t count,
		    const struct nd_input *in)
{
	struct nd_cell *c = nd_cell_for(f, on, fact);
	uint64_t step;
	double seconds;

	if (!claim(f, c, in)) {
		if (!c->fixed && c->n == 1 && c->interval == in->interval)
			compare(f, on, fact, (double)c->count.last, (double)count, in->path);
		return;
	}
	if (c->n == 0) {
		c->interval = in->interval;
		c->count.peak = -1;
	} else if (in->t_ns <= c->last_ns && !in->untimed) { /* the same moment: the first stays */
		compare(f, on, fact, (double)c->count.last, (double)count, in->path);
		return;
	} else if (!increase(fact->width, c->count.last, count, &step)) {
		c->reset = true;
	} else {
		seconds = (double)(in->t_ns - c->last_ns) / 1e9;
		c->count.delta += step;
		if (!in->untimed && (double)step / seconds > c->count.peak)
			c->count.peak = (double)step / seconds;
	}
	c->untimed |= c->n > 0 && in->untimed;
	c->n++;
	c->count.last = count;
	c->last_ns = in->t_ns;
}

/* NOLINTNEXTLINE(readability-function-size): four numbers make a counter */
void nd_put_counter(struct nd_facts *f, nd_id on, nd_fact_id fact, double total, double delta,
		    double rate, double peak, const struct nd_input *in)
{
	struct nd_cell *c = nd_cell_for(f, on, nd_registry_def(f->registry, fact));

	*c = (struct nd_cell){.state = ND_C_VALUE, .speaker = f->speaker, .fixed = true, .n = 1};
	c->x.total = total;
	c->x.delta = delta;
	c->x.rate = rate;
	c->x.peak = peak;
	c->source = nd_arena_strdup(&f->arena, in->path);
}

void nd_forget(struct nd_facts *f, nd_id on, nd_fact_id fact)
{
	*nd_cell_for(f, on, nd_registry_def(f->registry, fact)) =
		(struct nd_cell){.state = ND_C_EMPTY};
}

void nd_put_bool(struct nd_facts *f, nd_id on, const struct nd_fact_def *fact, bool v,
		 const struct nd_input *in)
{
	struct nd_cell *c = nd_cell_for(f, on, fact);

	if (!claim(f, c, in))
		return;
	if (c->n++ == 0)
		c->yes.first = v;
	c->yes.last = v;
	c->last_ns = in->t_ns;
}

/* Long ones and those of crowded chains are copied each time: few entities share them. */
static const char *keep_text(struct nd_facts *f, const char *s)
{
	const size_t longest = 32;
	size_t len = strlen(s);
	uint32_t h = 2166136261u, met = 0; /* FNV-1a */
	struct nd_text **chain, *t;

	if (len > longest)
		return nd_arena_strdup(&f->arena, s);
	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)s[i]) * 16777619u;
	chain = &f->texts[h % ND_TEXT_CHAINS];
	for (t = *chain; t && met < 8; t = t->next, met++) {
		if (strcmp(t->s, s) == 0)
			return t->s;
	}
	if (t)
		return nd_arena_strdup(&f->arena, s);
	t = nd_arena_alloc(&f->arena, sizeof(*t) + len + 1);
	memcpy(t->s, s, len);
	t->next = *chain;
	*chain = t;
	return t->s;
}

void nd_put_text(struct nd_facts *f, nd_id on, const struct nd_fact_def *fact, const char *v,
		 const struct nd_input *in)
{
	struct nd_cell *c = nd_cell_for(f, on, fact);

	if (!claim(f, c, in))
		return;
	if (!c->text.last || strcmp(c->text.last, v) != 0)
		c->text.last = keep_text(f, v);
	if (c->n++ == 0)
		c->text.first = c->text.last;
	c->last_ns = in->t_ns;
}

void nd_put_hist(struct nd_facts *f, nd_id on, const struct nd_fact_def *fact,
		 const struct nd_hist *h, const struct nd_input *in)
{
	struct nd_cell *c = nd_cell_for(f, on, fact);
	struct nd_hist *copy;

	if (!claim(f, c, in))
		return;
	copy = nd_arena_alloc(&f->arena, sizeof(*copy));
	copy->n = h->n;
	copy->b = nd_arena_alloc(&f->arena, (h->n + 1) * sizeof(*h->b));
	memcpy(copy->b, h->b, h->n * sizeof(*h->b));
	c->hist = copy;
	c->n++;
	c->last_ns = in->t_ns;
}

void nd_put_absent(struct nd_facts *f, nd_id on, const struct nd_fact_def *fact,
		   const struct nd_input *in)
{
	struct nd_cell *c = nd_cell_for(f, on, fact);

	if (c->state == ND_C_VALUE)
		return;
	*c = (struct nd_cell){.state = ND_C_ABSENT, .speaker = f->speaker};
	c->source = nd_arena_strdup(&f->arena, in->path);
}

void nd_put_missing(struct nd_facts *f, nd_id on, const struct nd_fact_def *fact,
		    enum nd_missing why, const char *fmt, ...)
{
	struct nd_cell *c = nd_cell_for(f, on, fact);
	char text[512];
	va_list ap;

	if (c->state == ND_C_VALUE || c->state == ND_C_ABSENT)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	*c = (struct nd_cell){.state = ND_C_MISSING, .speaker = f->speaker, .why = why};
	c->detail = nd_arena_strdup(&f->arena, text);
}

void nd_fact_missing(struct nd_facts *f, const struct nd_fact_def *fact, enum nd_missing why,
		     const char *fmt, ...)
{
	nd_fact_id id = nd_registry_id(f->registry, fact);
	struct nd_column_store *c = &f->columns[id];
	char text[512];
	va_list ap;

	/* A failure says more than "there was no such output", which says more than nothing. */
	if (id < 0 || (c->explained && c->why != ND_SILENT && c->why != ND_TOOL_OUTPUT_ABSENT))
		return;
	if (c->explained && (why == ND_SILENT || why == ND_TOOL_OUTPUT_ABSENT))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	c->explained = true;
	c->why = why;
	c->detail = nd_arena_strdup(&f->arena, text);
}

void nd_put_log(struct nd_facts *f, double age, const char *text, const struct nd_input *in)
{
	(void)in;
	ND_GROW(f->log, f->n_log, f->cap_log);
	f->log[f->n_log++] = (struct nd_log_line){age, nd_arena_strdup(&f->arena, text)};
	f->log_read = true;
}

void nd_log_read(struct nd_facts *f)
{
	f->log_read = true;
}

void nd_log_missing(struct nd_facts *f, enum nd_missing why, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	f->log_status = (struct nd_status){why, nd_arena_strdup(&f->arena, text)};
}

const struct nd_log_line *nd_log(const struct nd_facts *f, uint32_t *n, struct nd_status *status)
{
	*n = f->n_log;
	*status = f->log_read ? (struct nd_status){ND_PRESENT, ""} : f->log_status;
	return f->log;
}

void nd_facts_on_row(struct nd_facts *f, nd_row_sink *sink, void *ctx)
{
	f->sink = sink;
	f->sink_ctx = ctx;
}

void *nd_facts_row_ctx(const struct nd_facts *f)
{
	return f->sink_ctx;
}

void nd_facts_record_rows(struct nd_facts *f, nd_row_sink *sink, void *ctx)
{
	f->recorder = sink;
	f->recorder_ctx = ctx;
}

bool nd_rows_wanted(const struct nd_facts *f)
{
	return f->sink || f->recorder;
}

void nd_put_row(struct nd_facts *f, nd_id on, const struct nd_table_def *table,
		const double *columns)
{
	if (f->sink)
		f->sink(f->sink_ctx, f, on, table, columns);
	if (f->recorder)
		f->recorder(f->recorder_ctx, f, on, table, columns);
}
