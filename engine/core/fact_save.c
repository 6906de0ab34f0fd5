/* The store as text, line by line, so that another run has exactly the same facts: values with their
 * readings, reasons, relations, the kernel's log, and the streamed rows.
 *
 * Numbers are written in hexadecimal floating point, which reads back equal. Facts are written by
 * name: a later version with other facts reads what it still knows. Fields are parted by tabs; what
 * stands in a text is escaped, and first passes through the caller's filter, which may redact. */
#include "engine/core/fact_impl.h"
#include "engine/core/fact_save.h"

#define LINE_LINKS 1000

struct saver {
	const struct nd_facts *f;
	const struct nd_save_how *how;
	struct nd_buf *out;
};

static void put_escaped(struct nd_buf *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '\\' || *s == '\t' || *s == '\n' || *s == '\r')
			nd_buf_printf(out, "\\%c",
				      *s == '\t'   ? 't'
				      : *s == '\n' ? 'n'
				      : *s == '\r' ? 'r'
						   : '\\');
		else
			nd_buf_putc(out, *s);
	}
}

/* A field that may hold what the host's owner wants to keep. */
static void put_text(struct saver *v, const char *s)
{
	struct nd_buf filtered = {0};

	nd_buf_putc(v->out, '\t');
	if (!s)
		return;
	if (v->how->filter) {
		v->how->filter(v->how->ctx, s, strlen(s), &filtered);
		s = nd_buf_str(&filtered);
	}
	put_escaped(v->out, s);
	nd_buf_free(&filtered);
}

static void put_word(struct saver *v, const char *s)
{
	nd_buf_putc(v->out, '\t');
	put_escaped(v->out, s ? s : "");
}

static void put_count(struct saver *v, uint64_t n)
{
	nd_buf_printf(v->out, "\t%llu", (unsigned long long)n);
}

static void put_double(struct saver *v, double d)
{
	nd_buf_printf(v->out, "\t%a", d);
}

static void end(struct saver *v)
{
	nd_buf_putc(v->out, '\n');
}

static void put_meta(struct saver *v, const struct nd_save_meta *m)
{
	nd_buf_printf(v->out, "%s\t1", ND_SAVE_MAGIC);
	put_word(v, m->version);
	put_text(v, m->host_name);
	put_text(v, m->netns);
	put_text(v, m->netns_enter);
	nd_buf_printf(v->out, "\t%lld\t%lld\t%d", (long long)m->started_s, (long long)m->ended_s,
		      m->utc_offset_s);
	put_word(v, nd_missing_name(v->f->default_why));
	end(v);
}

static void put_entities(struct saver *v)
{
	for (uint32_t i = 0; i < v->f->n_entities; i++) {
		nd_buf_putc(v->out, 'e');
		put_word(v, nd_kinds[v->f->entities[i].kind].name);
		put_text(v, v->f->entities[i].key);
		end(v);
	}
	for (unsigned k = 0; k < ND_KINDS; k++) {
		const struct nd_kind_list *l = &v->f->kinds[k];

		nd_buf_putc(v->out, 'k');
		put_word(v, nd_kinds[k].name);
		put_count(v, l->read);
		put_word(v, nd_missing_name(l->status.why));
		put_text(v, l->status.detail);
		end(v);
	}
}

/* What a value of the fact's type holds. */
static void put_value(struct saver *v, const struct nd_fact_def *d, const struct nd_cell *c)
{
	bool counter = d->width == ND_COUNTER32 || d->width == ND_COUNTER64;

	switch (d->type) {
	case ND_T_NUMBER:
		if (c->fixed || !counter) {
			put_double(v, c->fixed ? c->x.total : c->gauge.first);
			put_double(v, c->fixed ? c->x.delta : c->gauge.last);
			put_double(v, c->fixed ? c->x.rate : c->gauge.min);
			put_double(v, c->fixed ? c->x.peak : c->gauge.max);
			put_double(v, c->fixed ? 0 : c->gauge.sum);
		} else {
			put_count(v, c->count.last);
			put_count(v, c->count.delta);
			put_double(v, c->count.peak);
		}
		break;
	case ND_T_TEXT:
	case ND_T_WORDS:
		put_text(v, c->text.first);
		put_text(v, c->text.last);
		break;
	case ND_T_BOOL:
		put_count(v, c->yes.first);
		put_count(v, c->yes.last);
		break;
	case ND_T_HIST:
		for (uint32_t i = 0; c->hist && i < c->hist->n; i++) {
			put_double(v, c->hist->b[i].lo);
			put_double(v, c->hist->b[i].hi);
			put_double(v, c->hist->b[i].count);
		}
		break;
	}
}

static void put_cell(struct saver *v, nd_id on, const struct nd_fact_def *d,
		     const struct nd_cell *c)
{
	static const char *const states[] = {
		[ND_C_VALUE] = "value", [ND_C_ABSENT] = "absent", [ND_C_MISSING] = "missing"};

	nd_buf_putc(v->out, 'v');
	put_count(v, on);
	put_word(v, d->name);
	put_word(v, states[c->state]);
	put_text(v, c->source);
	put_count(v, c->speaker);
	if (c->state == ND_C_MISSING) {
		put_word(v, nd_missing_name(c->why));
		put_text(v, c->detail);
	} else if (c->state == ND_C_VALUE) {
		put_count(v, c->n);
		put_count(v, c->first_ns);
		put_count(v, c->last_ns);
		put_count(v, c->interval | c->reset << 1 | c->untimed << 2 | c->fixed << 3);
		put_value(v, d, c);
	}
	end(v);
}

static void put_columns(struct saver *v)
{
	for (uint32_t i = 0; i < nd_registry_count(v->f->registry); i++) {
		const struct nd_column_store *c = &v->f->columns[i];

		if (c->explained) {
			nd_buf_putc(v->out, 'x');
			put_word(v, nd_kinds[c->def->on].name);
			put_word(v, c->def->name);
			put_word(v, nd_missing_name(c->why));
			put_text(v, c->detail);
			end(v);
		}
		for (uint32_t slot = 0; slot < c->n && slot < v->f->kinds[c->def->on].n; slot++)
			if (c->cells[slot].state != ND_C_EMPTY)
				put_cell(v, v->f->kinds[c->def->on].ids[slot], c->def,
					 &c->cells[slot]);
	}
}

static void put_links_of(struct saver *v, unsigned rel, bool inverse)
{
	const struct nd_link_column *c = &v->f->links[rel][inverse];
	enum nd_kind kind = inverse ? nd_relations[rel].to : nd_relations[rel].from;

	for (uint32_t slot = 0; slot < c->n && slot < v->f->kinds[kind].n; slot++) {
		const struct nd_link_list *l = &c->lists[slot];

		if (l->state == ND_L_UNSET)
			continue;
		nd_buf_putc(v->out, 'l');
		put_count(v, v->f->kinds[kind].ids[slot]);
		nd_buf_printf(v->out, "\t%s.%s", nd_kinds[nd_relations[rel].from].name,
			      nd_relations[rel].name);
		put_count(v, inverse);
		put_word(v, nd_missing_name(l->state == ND_L_MISSING ? l->why : ND_PRESENT));
		put_text(v, l->state == ND_L_MISSING ? l->detail : "");
		for (uint32_t i = 0; l->state == ND_L_KNOWN && i < l->n; i++) {
			if (i && i % LINE_LINKS == 0) { /* lines have a greatest length */
				nd_buf_printf(v->out, "\nL\t%u\t%s.%s\t%d\tpresent\t",
					      v->f->kinds[kind].ids[slot],
					      nd_kinds[nd_relations[rel].from].name,
					      nd_relations[rel].name, inverse);
			}
			put_count(v, l->ids[i]);
		}
		end(v);
	}
}

static void put_rest(struct saver *v)
{
	const struct nd_facts *f = v->f;

	for (uint32_t i = 0; i < f->n_log; i++) {
		nd_buf_putc(v->out, 'g');
		put_double(v, f->log[i].age);
		put_text(v, f->log[i].text);
		end(v);
	}
	nd_buf_putc(v->out, 'G');
	put_count(v, f->log_read);
	put_word(v, nd_missing_name(f->log_status.why));
	put_text(v, f->log_status.detail);
	end(v);
	for (uint32_t i = 0; i < f->n_contradictions; i++) {
		nd_buf_putc(v->out, 'c');
		put_text(v, f->contradictions[i]);
		end(v);
	}
}

void nd_facts_save(const struct nd_facts *f, const struct nd_save_meta *meta,
		   const struct nd_save_how *how, struct nd_buf *out)
{
	struct saver v = {f, how, out};

	put_meta(&v, meta);
	put_entities(&v);
	put_columns(&v);
	for (unsigned rel = 0; rel < ND_RELATIONS; rel++) {
		put_links_of(&v, rel, false);
		put_links_of(&v, rel, true);
	}
	put_rest(&v);
	for (uint32_t i = 0; i < meta->n_statuses; i++) {
		const struct nd_save_status *s = &meta->statuses[i];

		nd_buf_putc(out, 's');
		put_word(&v, s->name);
		put_count(&v, s->inputs);
		put_count(&v, s->bad);
		put_text(&v, s->why);
		end(&v);
	}
}

void nd_save_row(struct nd_buf *out, nd_id on, const struct nd_table_def *table,
		 const double *columns)
{
	nd_buf_printf(out, "r\t%u\t%s", on, table->name);
	for (uint32_t i = 0; i < table->n_columns; i++)
		nd_buf_printf(out, "\t%a", columns[i]);
	nd_buf_putc(out, '\n');
}
