/* Do the tests inside the rules notice when a rule is changed?
 *
 *   mutate [-v] [RULE…]      -v: the fate of every mutant, and who noticed it first; RULE: only these files, by name
 *
 * The loader may refuse a mutant; else the rule's own tests run, and one of them must fail. A mutant that survives is
 * a gap in the tests, unless equivalent.txt says why no test can notice it. The tests of a rule judge that rule alone;
 * a library has none of its own, so those of all rules count. */
#include "tests/mutate/plan.h"

#include <errno.h>
#include <fcntl.h>

#include "collectors/collector.h"
#include "engine/judge/judge.h"

#define EQUIVALENT "tests/mutate/equivalent.txt"

enum fate { REFUSED, KILLED, SURVIVED, BROKEN, FATES };
static const char *const fates[] = {"refused", "killed", "survived", "no YAML"};

/* A mutant that no test can notice. */
struct equivalent {
	const char *rule, *name, *why;
	uint32_t line;
	bool seen;
};
struct suite {
	struct nd_arena arena;
	struct nd_registry *registry;
	struct equivalent *v;
	uint32_t n, cap;
	bool verbose;
	const char *const *only;
	uint32_t n_only;
	uint32_t mutants, fate[FATES], listed, passed, failed;
};

static void complain(struct suite *s, const char *fmt, ...) ND_PRINTF(2, 3);
static void complain(struct suite *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	s->failed++;
}

static bool is_library(const struct nd_rules_file *f)
{
	return nd_starts(f->path, "rules/lib/");
}

/* "rules/lib/entities.yaml" → "lib/entities". */
static const char *name_of(struct suite *s, const struct nd_rules_file *f)
{
	return nd_arena_strndup(&s->arena, f->path + strlen("rules/"),
				strlen(f->path) - strlen("rules/.yaml"));
}

/* ---- equivalent.txt: a line "RULE MUTANT", and below it, indented, why it changes nothing ---- */

static void read_line(struct suite *s, char *line, uint32_t number)
{
	struct equivalent *last = s->n ? &s->v[s->n - 1] : NULL;
	bool indented = *line == '\t' || *line == ' ';
	const char *rule;

	line = nd_trim(line);
	if (!*line || (*line == '#' && !indented))
		return;
	if (indented) {
		if (!last)
			complain(s, EQUIVALENT ":%u: a reason without a mutant", number);
		else
			last->why = "given";
		return;
	}
	if (last && !last->why)
		complain(s, EQUIVALENT ":%u: no reason is given", last->line);
	rule = nd_word(&line);
	ND_GROW(s->v, s->n, s->cap);
	s->v[s->n++] = (struct equivalent){.rule = nd_arena_strdup(&s->arena, rule),
					   .name = nd_arena_strdup(&s->arena, nd_trim(line)),
					   .line = number};
}

static void read_equivalent(struct suite *s)
{
	int fd = open(EQUIVALENT, O_RDONLY | O_CLOEXEC);
	struct nd_stream *in;
	char *line;

	if (fd < 0) {
		complain(s, EQUIVALENT ": %s", strerror(errno));
		return;
	}
	in = nd_stream_fd(fd);
	while ((line = nd_stream_line(in)))
		read_line(s, line, (uint32_t)nd_stream_lineno(in));
	nd_stream_close(in);
	if (s->n && !s->v[s->n - 1].why)
		complain(s, EQUIVALENT ":%u: no reason is given", s->v[s->n - 1].line);
}

static struct equivalent *listed(struct suite *s, const char *rule, const char *name)
{
	for (uint32_t i = 0; i < s->n; i++) {
		if (strcmp(s->v[i].rule, rule) == 0 && strcmp(s->v[i].name, name) == 0)
			return &s->v[i];
	}
	return NULL;
}

/* ---- one mutant ---- */

static void said(void *ctx, const struct nd_test_result *t)
{
	if (*t->why)
		nd_buf_printf(ctx, "%s: %s\n%s", t->name, t->why, t->trace);
}

/* The libraries, and with them the file or, if that is a library, all rules; `text` in place of the file's. */
static enum fate try(struct suite *s, const struct nd_rules_file *file, const char *text,
		     struct nd_buf *messages)
{
	struct nd_rules *rules = nd_rules_new(s->registry);
	uint32_t passed = 0, failed = 0;
	enum fate fate = SURVIVED;
	int errors = 0;

	for (const struct nd_rules_file *f = nd_rules_builtin; f->path; f++) {
		if (f != file && !is_library(f) && !is_library(file))
			continue;
		errors += nd_rules_add_text(rules, f->path, f == file ? text : f->text,
					    f == file ? strlen(text) : f->len, messages);
	}
	if (errors)
		fate = BROKEN;
	else if (nd_rules_check(rules, messages))
		fate = REFUSED;
	else
		nd_ruletest(rules, NULL, &(struct nd_test_hooks){said, NULL, messages}, &passed,
			    &failed);
	if (fate == SURVIVED && failed)
		fate = KILLED;
	nd_rules_free(rules);
	return fate;
}

static void judge(struct suite *s, const struct plan *p, const struct mutant *m, const char *rule)
{
	struct equivalent *e = listed(s, rule, m->name);
	struct nd_buf text = {0}, messages = {0};
	enum fate fate;

	nd_buf_put(&text, p->file->text, m->from);
	nd_buf_puts(&text, m->by);
	nd_buf_put(&text, p->file->text + m->to, p->file->len - m->to);
	fate = try(s, p->file, nd_buf_str(&text), &messages);
	s->mutants++;
	s->fate[fate]++;
	if (e)
		e->seen = true;
	if (fate == BROKEN)
		complain(s, "%s:%u: %s: the mutant is no YAML:\n%s", p->file->path, m->line,
			 m->name, nd_buf_str(&messages));
	else if (fate == SURVIVED && !e)
		complain(s, "%s:%u: %s", p->file->path, m->line, m->name);
	else if (fate != SURVIVED && e)
		complain(s, EQUIVALENT ":%u: %s %s: is %s now", e->line, rule, m->name,
			 fates[fate]);
	else
		s->passed += fate != REFUSED;
	s->listed += fate == SURVIVED && e;
	if (s->verbose)
		printf("%s: %s:%u: %s%s%.*s\n", fates[fate], p->file->path, m->line, m->name,
		       messages.len ? "\n  " : "", (int)strcspn(nd_buf_str(&messages), "\n"),
		       nd_buf_str(&messages));
	nd_buf_free(&text);
	nd_buf_free(&messages);
}

/* ---- all ---- */

static void counts(const struct suite *s, const char *what, const struct suite *since)
{
	printf("%s: %u mutants, %u refused by the loader, %u killed by tests, %u listed as equivalent, %u survived\n",
	       what, s->mutants - since->mutants, s->fate[REFUSED] - since->fate[REFUSED],
	       s->fate[KILLED] - since->fate[KILLED], s->listed - since->listed,
	       s->fate[SURVIVED] - since->fate[SURVIVED] - s->listed + since->listed);
}

static bool is_wanted(const struct suite *s, const char *rule)
{
	bool wanted = s->n_only == 0;

	for (uint32_t i = 0; i < s->n_only; i++)
		wanted = wanted || strcmp(s->only[i], rule) == 0;
	return wanted;
}

/* The file as it is must load and pass; else every mutant would look killed. */
static bool passes(struct suite *s, const struct nd_rules_file *file)
{
	struct nd_buf messages = {0};
	bool ok = try(s, file, file->text, &messages) == SURVIVED;

	if (!ok)
		complain(s, "%s: fails without any change\n%.400s", file->path,
			 nd_buf_str(&messages));
	nd_buf_free(&messages);
	return ok;
}

static void run_file(struct suite *s, const struct nd_rules_file *file)
{
	const char *rule = name_of(s, file);
	struct suite before = *s;
	struct plan p = {0};
	bool runs = is_wanted(s, rule) && passes(s, file);

	if (runs && !plan_make(&p, file))
		complain(s, "%s: is no YAML", file->path);
	for (uint32_t i = 0; i < p.n; i++)
		judge(s, &p, &p.v[i], rule);
	plan_free(&p);
	for (uint32_t i = 0; i < s->n; i++) {
		struct equivalent *e = &s->v[i];

		if (strcmp(e->rule, rule) != 0)
			continue;
		if (runs && !e->seen)
			complain(s, EQUIVALENT ":%u: %s has no mutant %s", e->line, rule, e->name);
		e->seen = true;
	}
	if (runs)
		counts(s, rule, &before);
}

int main(int argc, char **argv)
{
	struct suite s = {.verbose = argc > 1 && strcmp(argv[1], "-v") == 0}, none = {0};
	int first = s.verbose ? 2 : 1;

	s.only = (const char *const *)argv + first;
	s.n_only = (uint32_t)(argc > first ? argc - first : 0);
	s.registry = nd_registry_new();
	nd_collectors_register(s.registry);
	read_equivalent(&s);
	for (const struct nd_rules_file *f = nd_rules_builtin; f->path; f++)
		run_file(&s, f);
	for (uint32_t i = 0; i < s.n && s.n_only == 0; i++) {
		if (!s.v[i].seen)
			complain(&s, EQUIVALENT ":%u: there is no rule %s", s.v[i].line,
				 s.v[i].rule);
	}
	counts(&s, "all", &none);
	printf("%u passed, %u failed\n", s.passed, s.failed);
	nd_registry_free(s.registry);
	nd_arena_free(&s.arena);
	free(s.v);
	return s.failed != 0;
}
