/* Cuts a pasted text into the outputs that it holds, each with its command, place and moment.
 *
 * What is between the outputs (source_prompt.c) ends one and names the next. Moments come from
 * `date`, from the header of watch, from clocks in prompts (a prompt is printed when the command
 * before it ends, so the clock of the next prompt is an output's moment), and from `sleep`. Where
 * nothing tells, the moment is unknown: order alone makes no rate. */
#include "engine/core/source_paste.h"

#include <math.h>

#define PARTS_MAX 2000
#define DAY_S 86400.0
#define PATH_MAX_BYTES 200
#define PENDING_LINES                                                                              \
	3 /* between a command that prose mentions and the fence that holds its output */

enum clock { NO_CLOCK, DATES, PROMPTS, SLEEPS };

struct piece {
	struct nd_part part;
	struct nd_buf text;
	struct nd_command command;
	bool bare; /* by nothing but a fence or a date: its content must tell */
	double date; /* said right before it; NaN */
	double next; /* clock of the prompt behind it; NaN */
	double slept; /* s that sleeps took since the text began */
	uint32_t made; /* the how-many-th it is */
};
struct splitter {
	struct nd_arena *arena;
	const struct nd_known *known;
	struct piece *v;
	uint32_t n, cap;
	bool open; /* the last piece takes lines */
	bool fenced, marked, blank;
	struct nd_command pending; /* named in front of a fence */
	uint32_t pending_line;
	size_t indent;
	double date, slept;
	bool dates, clocks, sleeps;
	uint32_t line;
	char host[ND_PLACE_MAX];
};

static struct piece *last(struct splitter *s)
{
	return s->n ? &s->v[s->n - 1] : NULL;
}

static void open_piece(struct splitter *s, const struct nd_command *c, const char *host)
{
	struct piece *p;

	if (s->n == PARTS_MAX) {
		s->open = false;
		return;
	}
	ND_GROW(s->v, s->n, s->cap);
	p = &s->v[s->n++];
	memset(p, 0, sizeof(*p));
	p->made = s->n;
	if (c)
		p->command = *c;
	p->bare = !c || !c->name[0];
	p->part.line = s->line;
	p->part.host = nd_arena_strdup(s->arena, host ? host : s->host);
	p->date = s->date;
	p->next = NAN;
	p->slept = s->slept;
	s->open = true;
}

static bool is_blank(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strchr(" \t\r\n", text[i]))
			return false;
	return true;
}

static bool has_text(const struct piece *p)
{
	return p->text.len && !is_blank(p->text.s, p->text.len);
}

/* ---- lines ---- */

static void at_prompt(struct splitter *s, const struct nd_marker *m)
{
	struct piece *before = last(s);

	if (!isnan(m->clock)) {
		s->clocks = true;
		if (before && isnan(before->next))
			before->next = m->clock;
	}
	if (m->host[0])
		snprintf(s->host, sizeof(s->host), "%s", m->host);
	s->indent = m->indent;
	s->date = NAN; /* it is not known how long one looked at the prompt */
	open_piece(s, &m->command, NULL);
	if (!m->command.loop && m->command.sleep_s > 0) {
		s->slept += m->command.sleep_s;
		s->sleeps = true;
	}
	s->open = m->command.name[0] || m->command.date;
	s->marked = true;
}

static void at_fence(struct splitter *s, const struct nd_marker *m)
{
	s->fenced = !s->fenced;
	s->marked = true;
	s->indent = m->indent;
	if (s->pending.name[0] && s->line - s->pending_line > PENDING_LINES)
		memset(&s->pending, 0, sizeof(s->pending));
	if (!s->pending.name[0] && s->fenced && s->open && last(s) && !has_text(last(s)))
		s->pending = last(s)->command; /* a prompt in front of the fence */
	if (s->fenced)
		open_piece(s, &s->pending, NULL);
	else
		s->open = false;
	memset(&s->pending, 0, sizeof(s->pending));
}

static void at_watch(struct splitter *s, const struct nd_marker *m)
{
	if (!isnan(m->clock)) {
		s->date = m->clock;
		s->dates = true;
	}
	open_piece(s, &m->command, NULL);
	s->marked = true;
}

/* A date by itself ends a repeated output and begins the next one. */
static void at_date(struct splitter *s, double date)
{
	struct piece *p = last(s);

	s->date = date;
	s->dates = s->marked = true;
	if (!p || !s->open) {
		open_piece(s, NULL, NULL);
	} else if (!has_text(p)) {
		p->date = date;
	} else {
		struct nd_command again = p->command;

		open_piece(s, &again, NULL);
	}
}

/* "/sys/class/net/eth0/speed:10000", as grep over several files prints. */
static bool take_inline(struct splitter *s, const char *line, size_t n)
{
	const char *colon = memchr(line, ':', n < PATH_MAX_BYTES ? n : PATH_MAX_BYTES);
	struct nd_command c = {.options = true};
	struct piece *p = last(s);

	if (!colon || colon == line + n - 1 ||
	    (memcmp(line, "/proc/", 6) != 0 && memcmp(line, "/sys/", 5) != 0))
		return false;
	for (const char *q = line; q < colon; q++)
		if (*q == ' ' || *q == '\t')
			return false;
	snprintf(c.name, sizeof(c.name), "%.*s", (int)(colon - line), line);
	if (!p || !s->open || strcmp(p->command.name, c.name) != 0) {
		c.filtered = p && p->command.filtered;
		open_piece(s, &c, NULL);
	}
	s->marked = true;
	if (s->open) {
		nd_buf_put(&last(s)->text, colon + 1, (size_t)(line + n - colon - 1));
		nd_buf_putc(&last(s)->text, '\n');
	}
	return true;
}

static void add_line(struct splitter *s, const char *line, size_t n, bool ended)
{
	size_t skip = 0;

	if (!s->n && !s->open)
		open_piece(s, NULL, NULL);
	if (!s->open)
		return;
	while (skip < s->indent && skip < n && line[skip] == ' ')
		skip++;
	nd_buf_put(&last(s)->text, line + skip, n - skip);
	if (ended)
		nd_buf_putc(&last(s)->text, '\n');
}

static void take_line(struct splitter *s, const char *line, size_t n, bool ended)
{
	struct nd_marker m;
	double date;

	nd_mark_of(s->known, line, n, s->blank || s->line == 1, &m);
	switch (m.kind) {
	case ND_MARK_PROMPT: at_prompt(s, &m); break;
	case ND_MARK_FENCE: at_fence(s, &m); break;
	case ND_MARK_WATCH: at_watch(s, &m); break;
	case ND_MARK_MENTION:
		s->pending = m.command;
		s->pending_line = s->line;
		break;
	case ND_MARK_BANNER:
		s->indent = m.indent;
		s->pending = m.command;
		s->pending_line = s->line;
		s->marked = true;
		s->date = isnan(s->date) || (last(s) && has_text(last(s))) ? NAN : s->date;
		open_piece(s, &m.command, NULL);
		break;
	case ND_MARK_NONE:
		if (nd_date_of(line, n, &date))
			at_date(s, date);
		else if (n < 13 || *line != '/' || !take_inline(s, line, n))
			add_line(s, line, n, ended);
		break;
	}
	s->blank = is_blank(line, n) || m.kind == ND_MARK_FENCE;
}

/* ---- repeated outputs without anything between them ---- */

/* The same line but for its digits? */
static bool same_shape(const char *a, size_t an, const char *b, size_t bn)
{
	size_t i = 0, k = 0;

	while (i < an && k < bn) {
		size_t da = 0, db = 0;

		while (i + da < an && a[i + da] >= '0' && a[i + da] <= '9')
			da++;
		while (k + db < bn && b[k + db] >= '0' && b[k + db] <= '9')
			db++;
		if (!da != !db || (!da && a[i] != b[k]))
			return false;
		i += da ? da : 1;
		k += db ? db : 1;
	}
	return i == an && k == bn;
}

static size_t line_at(const char *text, size_t len, size_t at)
{
	const char *end = memchr(text + at, '\n', len - at);

	return end ? (size_t)(end - text) - at : len - at;
}

/* Where the first line of the text comes again, behind at least two lines of another shape; 0: nowhere. */
static size_t next_round(const char *text, size_t len, size_t from)
{
	size_t first = line_at(text, len, from), at = from + first + 1, lines = 0;

	for (; at < len; lines++) {
		size_t n = line_at(text, len, at);

		if (same_shape(text + from, first, text + at, n))
			return lines ? at : 0;
		at += n + 1;
	}
	return 0;
}

/* Rounds whose first lines look like their second ones cannot be told apart, and a loop over names prints the outputs of
 * several things. */
static bool is_mixed(const struct piece *p)
{
	size_t first, second;

	if (!has_text(p) || !p->command.name[0])
		return false;
	if (strchr(p->command.name, '$'))
		return true;
	first = line_at(p->text.s, p->text.len, 0);
	if (!p->command.loop || p->command.watch || !isnan(p->date) || first + 1 >= p->text.len)
		return false;
	second = line_at(p->text.s, p->text.len, first + 1);
	return same_shape(p->text.s, first, p->text.s + first + 1, second);
}

/* A loop's outputs follow each other directly: cut where the first line comes again. */
static void cut_rounds(struct splitter *s, uint32_t i)
{
	const struct nd_command command = s->v[i].command; /* the array moves when it grows */
	double step = s->v[i].command.sleep_s;
	const char *text;
	size_t len, from = 0, to;

	s->v[i].part.mixed = is_mixed(&s->v[i]);
	if (s->v[i].part.mixed || !s->v[i].command.loop || s->v[i].command.changed ||
	    !has_text(&s->v[i]))
		return;
	text = s->v[i].text.s;
	len = s->v[i].text.len;
	to = next_round(text, len, from);
	for (uint32_t round = 0; to && s->n < PARTS_MAX; round++) {
		struct piece *p;
		size_t end;

		from = to;
		to = next_round(text, len, from);
		end = to ? to : len;
		open_piece(s, &command, s->v[i].part.host);
		p = last(s);
		if (!p)
			return;
		p->part.line = s->v[i].part.line;
		p->date =
			isnan(s->v[i].date) || step <= 0 ? NAN : s->v[i].date + step * (round + 1);
		p->slept = s->v[i].slept + step * (round + 1);
		s->sleeps |= step > 0;
		nd_buf_put(&p->text, text + from, end - from);
		if (round == 0)
			s->v[i].text.len = from; /* what is behind is still there to be copied */
	}
}

/* ---- moments ---- */

static enum clock clock_of(const struct splitter *s)
{
	return s->dates ? DATES : s->clocks ? PROMPTS : s->sleeps ? SLEEPS : NO_CLOCK;
}

static void set_times(struct splitter *s)
{
	enum clock clock = clock_of(s);
	double before = -1, day = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		struct piece *p = &s->v[i];
		double t = clock == DATES     ? p->date
			   : clock == PROMPTS ? p->next
			   : clock == SLEEPS  ? p->slept
					      : NAN;

		if (clock == PROMPTS && !isnan(t)) {
			if (t + day < before) /* midnight */
				day += DAY_S;
			t += day;
			before = t;
		}
		p->part.t = t;
	}
}

/* ---- the whole ---- */

/* Rounds of a loop were made last, and belong where the loop is. */
static int by_place(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	if (x->part.line != y->part.line)
		return x->part.line < y->part.line ? -1 : 1;
	return x->made < y->made ? -1 : 1;
}

static void publish_one(struct splitter *s, struct piece *p, struct nd_parts *out)
{
	p->part.name = nd_arena_strdup(s->arena, p->command.name);
	p->part.netns = nd_arena_strdup(s->arena, p->command.netns);
	p->part.text = nd_arena_copy(s->arena, p->text.s, p->text.len);
	p->part.len = p->text.len;
	p->part.filtered = p->command.filtered;
	p->part.changed = p->command.changed;
	ND_GROW(out->v, out->n, out->cap);
	out->v[out->n++] = p->part;
}

static void publish(struct splitter *s, struct nd_parts *out)
{
	for (uint32_t i = 0; i < s->n; i++) {
		if (has_text(&s->v[i]))
			publish_one(s, &s->v[i], out);
		nd_buf_free(&s->v[i].text);
	}
	out->marked = s->marked;
	out->absolute = s->dates || s->clocks;
	free(s->v);
}

void nd_split_text(struct nd_arena *a, const struct nd_known *k, const char *text, size_t len,
		   struct nd_parts *out)
{
	struct splitter s = {.arena = a, .known = k, .date = NAN, .blank = true};
	size_t at = 0;

	memset(out, 0, sizeof(*out));
	while (at < len) {
		size_t n = line_at(text, len, at);

		s.line++;
		take_line(&s, text + at, n, at + n < len);
		at += n + 1;
	}
	for (uint32_t i = 0, n = s.n; i < n; i++)
		cut_rounds(&s, i);
	if (s.n > 1)
		qsort(s.v, s.n, sizeof(*s.v), by_place);
	set_times(&s);
	publish(&s, out);
}
