/* Reads back what fact_save.c wrote. The text is foreign: every number, name and index is checked. */
#include "engine/core/fact_impl.h"
#include "engine/core/fact_save.h"

#include <errno.h>
#include <math.h>

#define FIELDS_MAX 4096
#define NO_ID UINT32_MAX

struct loader {
	struct nd_facts *f;
	struct nd_save_meta *meta;
	nd_id *ids; /* of the text's entities; NO_ID: of a kind that is not known */
	uint32_t n_ids, cap_ids;
	uint32_t cap_statuses;
	char *field[FIELDS_MAX];
	uint32_t n;
	bool more; /* the line goes on with the list of the one before */
};

/* ---- fields ---- */

static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (*s == '\\' && s[1]) {
			s++;
			*to++ = *s == 't' ? '\t' : *s == 'n' ? '\n' : *s == 'r' ? '\r' : *s;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

static bool cut_fields(struct loader *l, char *line)
{
	for (l->n = 0; line; l->n++) {
		char *tab = strchr(line, '\t');

		if (l->n == FIELDS_MAX)
			return false;
		if (tab)
			*tab++ = '\0';
		unescape(line);
		l->field[l->n] = line;
		line = tab;
	}
	return true;
}

static bool number(const char *s, double *out)
{
	char *end;

	errno = 0;
	*out = strtod(s, &end);
	return *s && !*end && !isinf(*out);
}

static bool count(const struct loader *l, uint32_t i, uint64_t *out)
{
	return i < l->n && nd_parse_u64(l->field[i], 10, out);
}

static bool missing(const struct loader *l, uint32_t i, enum nd_missing *out)
{
	if (i < l->n && strcmp(l->field[i], nd_missing_name(ND_PRESENT)) == 0) {
		*out = ND_PRESENT;
		return true;
	}
	return i < l->n && nd_missing_from_name(l->field[i], out);
}

static const char *text(struct loader *l, uint32_t i)
{
	return nd_arena_strdup(&l->f->arena, i < l->n ? l->field[i] : "");
}

/* The entity that a field names by its number; NO_ID: of a kind that is not known here. */
static bool entity(const struct loader *l, uint32_t i, nd_id *out)
{
	uint64_t n;

	if (!count(l, i, &n) || n >= l->n_ids)
		return false;
	*out = l->ids[n];
	return true;
}

static bool kind(const struct loader *l, uint32_t i, enum nd_kind *out)
{
	for (unsigned k = 0; i < l->n && k < ND_KINDS; k++) {
		if (strcmp(nd_kinds[k].name, l->field[i]) == 0) {
			*out = (enum nd_kind)k;
			return true;
		}
	}
	return false;
}

/* ---- lines: each returns false if the line cannot be ---- */

static bool load_entity(struct loader *l)
{
	enum nd_kind k;

	if (l->n != 3)
		return false;
	ND_GROW(l->ids, l->n_ids, l->cap_ids);
	l->ids[l->n_ids++] = kind(l, 1, &k) ? nd_entity(l->f, k, l->field[2]) : NO_ID;
	return true;
}

static bool load_kind(struct loader *l)
{
	enum nd_missing why;
	enum nd_kind k;
	uint64_t read;

	if (l->n != 5 || !count(l, 2, &read) || !missing(l, 3, &why))
		return false;
	if (!kind(l, 1, &k))
		return true;
	l->f->kinds[k].read = read != 0;
	l->f->kinds[k].status = (struct nd_status){why, text(l, 4)};
	return true;
}

static bool load_column(struct loader *l)
{
	enum nd_missing why;
	enum nd_kind k;
	nd_fact_id id;

	if (l->n != 5 || !missing(l, 3, &why) || why == ND_PRESENT)
		return false;
	id = kind(l, 1, &k) ? nd_registry_find(l->f->registry, k, l->field[2]) : -1;
	if (id < 0)
		return true;
	l->f->columns[id].explained = true;
	l->f->columns[id].why = why;
	l->f->columns[id].detail = text(l, 4);
	return true;
}

static bool load_hist(struct loader *l, uint32_t at, struct nd_cell *c)
{
	struct nd_hist *h = nd_arena_alloc(&l->f->arena, sizeof(*h));

	if ((l->n - at) % 3 != 0)
		return false;
	h->n = (l->n - at) / 3;
	h->b = nd_arena_alloc(&l->f->arena, (h->n + 1) * sizeof(*h->b));
	for (uint32_t i = 0; i < h->n; i++) {
		struct nd_bucket *b = &h->b[i];
		char **f = &l->field[at + 3 * i];

		if (!number(f[0], &b->lo) || !number(f[1], &b->hi) || !number(f[2], &b->count) ||
		    !(b->lo < b->hi) || !(b->count >= 0) || (i && b->lo < h->b[i - 1].hi))
			return false;
	}
	c->hist = h;
	return true;
}

static bool load_number(struct loader *l, uint32_t at, bool counter, struct nd_cell *c)
{
	double v[5];

	if (counter && !c->fixed) {
		c->count.peak = NAN;
		return l->n == at + 3 && count(l, at, &c->count.last) &&
		       count(l, at + 1, &c->count.delta) &&
		       number(l->field[at + 2], &c->count.peak) && !isnan(c->count.peak);
	}
	for (uint32_t i = 0; i < 5; i++)
		if (l->n != at + 5 || !number(l->field[at + i], &v[i]) ||
		    (!c->fixed && isnan(v[i])))
			return false;
	if (c->fixed) {
		c->x.total = v[0];
		c->x.delta = v[1];
		c->x.rate = v[2];
		c->x.peak = v[3];
	} else {
		c->gauge.first = v[0];
		c->gauge.last = v[1];
		c->gauge.min = v[2];
		c->gauge.max = v[3];
		c->gauge.sum = v[4];
	}
	return true;
}

static bool load_value(struct loader *l, const struct nd_fact_def *d, struct nd_cell *c)
{
	const uint32_t at = 10;
	const bool counter =
		d->type == ND_T_NUMBER && (d->width == ND_COUNTER32 || d->width == ND_COUNTER64);
	uint64_t n, flags, a, b;

	if (!count(l, 6, &n) || n == 0 || n > UINT32_MAX || !count(l, 7, &c->first_ns) ||
	    !count(l, 8, &c->last_ns) || !count(l, 9, &flags))
		return false;
	c->n = (uint32_t)n;
	c->interval = flags & 1;
	c->reset = flags & 2;
	c->untimed = flags & 4;
	c->fixed = flags & 8;
	if (counter && !c->fixed && c->n > 1 && !c->untimed && c->last_ns <= c->first_ns)
		return false; /* a rate would be a division by zero */
	switch (d->type) {
	case ND_T_NUMBER: return load_number(l, at, counter, c);
	case ND_T_TEXT:
	case ND_T_WORDS:
		c->text.first = text(l, at);
		c->text.last = text(l, at + 1);
		return l->n == at + 2;
	case ND_T_BOOL:
		if (l->n != at + 2 || !count(l, at, &a) || !count(l, at + 1, &b))
			return false;
		c->yes.first = a != 0;
		c->yes.last = b != 0;
		return true;
	case ND_T_HIST: return load_hist(l, at, c);
	}
	return false;
}

static bool load_cell(struct loader *l)
{
	const struct nd_fact_def *d;
	struct nd_cell c = {.state = ND_C_EMPTY};
	uint64_t speaker;
	nd_fact_id id;
	nd_id on;

	if (l->n < 6 || !entity(l, 1, &on) || !count(l, 5, &speaker))
		return false;
	id = on == NO_ID ? -1
			 : nd_registry_find(l->f->registry, nd_entity_kind(l->f, on), l->field[2]);
	if (id < 0)
		return true;
	d = nd_registry_def(l->f->registry, id);
	c.source = text(l, 4);
	c.speaker = (uint32_t)speaker;
	if (strcmp(l->field[3], "absent") == 0) {
		c.state = ND_C_ABSENT;
	} else if (strcmp(l->field[3], "missing") == 0) {
		c.state = ND_C_MISSING;
		c.detail = text(l, 7);
		if (l->n != 8 || !missing(l, 6, &c.why) || c.why == ND_PRESENT)
			return false;
	} else {
		c.state = ND_C_VALUE;
		if (!load_value(l, d, &c))
			return false;
	}
	*nd_cell_for(l->f, on, d) = c;
	return true;
}

/* "listener.netns": several kinds have a relation of that name. */
static bool is_relation(unsigned rel, const char *name)
{
	const char *from = nd_kinds[nd_relations[rel].from].name;
	size_t n = strlen(from);

	return strncmp(name, from, n) == 0 && name[n] == '.' &&
	       strcmp(name + n + 1, nd_relations[rel].name) == 0;
}

static bool load_link(struct loader *l)
{
	struct nd_link_list *list;
	enum nd_missing why;
	uint64_t inverse;
	unsigned rel = 0;
	nd_id on, to;

	if (l->n < 6 || !entity(l, 1, &on) || !count(l, 3, &inverse) || inverse > 1 ||
	    !missing(l, 4, &why))
		return false;
	while (on != NO_ID && rel < ND_RELATIONS &&
	       (!is_relation(rel, l->field[2]) ||
		(inverse ? nd_relations[rel].to : nd_relations[rel].from) !=
			nd_entity_kind(l->f, on)))
		rel++;
	if (on == NO_ID || rel == ND_RELATIONS)
		return true;
	list = nd_links_for(l->f, on, (enum nd_relation)rel, inverse);
	if (!l->more)
		list->n = 0;
	l->more = false;
	list->state = why == ND_PRESENT ? ND_L_KNOWN : ND_L_MISSING;
	list->why = why;
	list->detail = text(l, 5);
	for (uint32_t i = 6; i < l->n; i++) {
		if (!entity(l, i, &to))
			return false;
		if (to == NO_ID || nd_entity_kind(l->f, to) != (inverse ? nd_relations[rel].from
									: nd_relations[rel].to))
			continue;
		ND_GROW(list->ids, list->n, list->cap);
		list->ids[list->n++] = to;
	}
	return true;
}

/* More ends of the relation in the line before. */
static bool load_more_links(struct loader *l)
{
	l->more = true;
	return load_link(l);
}

static bool load_log(struct loader *l)
{
	const struct nd_input in = {.path = "log"};
	double age;

	if (l->n != 3 || !number(l->field[1], &age) || isnan(age))
		return false;
	nd_put_log(l->f, age, l->field[2], &in);
	return true;
}

static bool load_log_status(struct loader *l)
{
	enum nd_missing why;
	uint64_t read;

	if (l->n != 4 || !count(l, 1, &read) || !missing(l, 2, &why))
		return false;
	l->f->log_read = read != 0;
	l->f->log_status = (struct nd_status){why, text(l, 3)};
	return true;
}

static bool load_contradiction(struct loader *l)
{
	if (l->n != 2)
		return false;
	nd_facts_contradict(l->f, "%s", l->field[1]);
	return true;
}

static bool load_status(struct loader *l)
{
	struct nd_save_meta *m = l->meta;
	struct nd_save_status *more;
	uint64_t inputs, bad;

	if (l->n != 5 || !count(l, 2, &inputs) || !count(l, 3, &bad))
		return false;
	if (m->n_statuses == l->cap_statuses) {
		l->cap_statuses = l->cap_statuses * 2 + 16;
		more = nd_arena_alloc(&l->f->arena, l->cap_statuses * sizeof(*more));
		if (m->n_statuses)
			memcpy(more, m->statuses, m->n_statuses * sizeof(*more));
		m->statuses = more;
	}
	m->statuses[m->n_statuses++] =
		(struct nd_save_status){text(l, 1), text(l, 4), (uint32_t)inputs, (uint32_t)bad};
	return true;
}

static bool load_row(struct loader *l)
{
	const struct nd_table_def *t = NULL;
	double columns[64];
	nd_id on;

	if (l->n < 3 || !entity(l, 1, &on))
		return false;
	for (uint32_t i = 0; i < nd_registry_tables(l->f->registry); i++)
		if (strcmp(nd_registry_table(l->f->registry, i)->name, l->field[2]) == 0)
			t = nd_registry_table(l->f->registry, i);
	if (!t || on == NO_ID)
		return true;
	if (t->n_columns != l->n - 3 || t->n_columns > ND_ARRAY_LEN(columns))
		return false;
	for (uint32_t i = 0; i < t->n_columns; i++)
		if (!number(l->field[3 + i], &columns[i]))
			return false;
	nd_put_row(l->f, on, t, columns);
	return true;
}

static bool load_meta(struct loader *l)
{
	struct nd_save_meta *m = l->meta;
	int64_t offset;

	if (l->n != 10 || strcmp(l->field[0], ND_SAVE_MAGIC) != 0 || strcmp(l->field[1], "1") != 0)
		return false;
	m->version = text(l, 2);
	m->host_name = text(l, 3);
	m->netns = text(l, 4);
	m->netns_enter = text(l, 5);
	if (!nd_parse_i64(l->field[6], &m->started_s) || !nd_parse_i64(l->field[7], &m->ended_s) ||
	    !nd_parse_i64(l->field[8], &offset) || offset < -86400 || offset > 86400)
		return false;
	m->utc_offset_s = (int32_t)offset;
	return missing(l, 9, &l->f->default_why) && l->f->default_why != ND_PRESENT;
}

static bool load_line(struct loader *l)
{
	static const struct {
		char letter;
		bool (*load)(struct loader *l);
	} lines[] = {{'e', load_entity},     {'k', load_kind},	    {'x', load_column},
		     {'v', load_cell},	     {'l', load_link},	    {'g', load_log},
		     {'L', load_more_links}, {'s', load_status},    {'c', load_contradiction},
		     {'r', load_row},	     {'G', load_log_status}};

	for (size_t i = 0; i < ND_ARRAY_LEN(lines); i++)
		if (l->field[0][0] == lines[i].letter && !l->field[0][1])
			return lines[i].load(l);
	return true; /* of a later version */
}

const struct nd_save_meta *nd_facts_meta(const struct nd_facts *f)
{
	return f->meta;
}

int nd_facts_load(struct nd_facts *f, const char *bytes, size_t len, struct nd_err *e)
{
	struct loader *l = nd_alloc(sizeof(*l));
	struct nd_stream *s = nd_stream_mem(bytes, len);
	char *line;
	int rc = 0;

	l->f = f;
	l->meta = f->meta = nd_arena_alloc(&f->arena, sizeof(*f->meta));
	while (rc == 0 && (line = nd_stream_line(s))) {
		bool first = nd_stream_lineno(s) == 1;

		if (nd_stream_unended(s) || nd_stream_cut(s) || !cut_fields(l, line) ||
		    !(first ? load_meta(l) : load_line(l)))
			rc = nd_fail(e, -EINVAL, "line %llu of the capture's facts is damaged%s",
				     (unsigned long long)nd_stream_lineno(s),
				     first ? ", or of another version" : "");
	}
	nd_stream_close(s);
	free(l->ids);
	free(l);
	return rc;
}
