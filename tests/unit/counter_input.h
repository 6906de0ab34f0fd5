/* Feeds texts and recorded files to one collector's parser, and asks the store what came of it. */
#ifndef ND_TEST_COUNTER_INPUT_H
#define ND_TEST_COUNTER_INPUT_H

#include "collectors/collector.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

struct store {
	struct nd_registry *r;
	struct nd_facts *f;
	struct nd_err e;
};

/* A store that knows the facts of one table, or two. */
static inline struct store store_new(const struct nd_fact_def *a, const struct nd_fact_def *b)
{
	struct store s = {.r = nd_registry_new()};

	nd_registry_add(s.r, a);
	if (b)
		nd_registry_add(s.r, b);
	s.f = nd_facts_new(s.r);
	return s;
}

static inline void store_free(struct store *s)
{
	nd_facts_free(s->f);
	nd_registry_free(s->r);
}

/* n bytes of text as an input taken at t seconds. */
static inline int feed(struct store *s, const struct nd_collector *c, const char *path,
		       const char *text, size_t n, double t)
{
	struct nd_input in = {.path = path, .t_ns = (uint64_t)(t * 1e9), .netns = "host"};
	struct nd_stream *stream = nd_stream_mem(text, n);
	int rc = c->parse(&in, stream, s->f, &s->e);

	nd_stream_close(stream);
	return rc;
}

static inline int feed_text(struct store *s, const struct nd_collector *c, const char *path,
			    const char *text)
{
	return feed(s, c, path, text, strlen(text), 0);
}

/* A recorded file, whole; free it. */
static inline char *slurp(const char *path, size_t *len)
{
	const size_t size = 65536;
	char *text = nd_alloc(size);
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	*len = fread(text, 1, size - 1, file);
	assert_true(feof(file));
	fclose(file);
	return text;
}

static inline int feed_file(struct store *s, const struct nd_collector *c, const char *path)
{
	size_t len;
	char *text = slurp(path, &len);
	int rc = feed(s, c, path, text, len, 0);

	free(text);
	return rc;
}

static inline struct nd_value ask(const struct store *s, const char *name, enum nd_accessor a)
{
	nd_fact_id id = nd_registry_find(s->r, ND_NETNS, name);
	enum nd_kind kind = ND_NETNS;
	nd_id on;

	if (id < 0) {
		kind = ND_HOST;
		id = nd_registry_find(s->r, ND_HOST, name);
	}
	if (id < 0)
		fail_msg("no fact %s", name);
	on = nd_entity_find(s->f, kind, kind == ND_HOST ? "" : "host");
	if (on == ND_NO_ENTITY) /* then what is said of all of them */
		on = nd_entity(s->f, kind, "nothing was put on it");
	return nd_get(s->f, on, id, a);
}

static inline enum nd_accessor plain(const struct store *s, const char *name)
{
	nd_fact_id id = nd_registry_find(s->r, ND_NETNS, name);
	const struct nd_fact_def *d;

	if (id < 0)
		id = nd_registry_find(s->r, ND_HOST, name);
	d = id < 0 ? NULL : nd_registry_def(s->r, id);
	return d && d->width == ND_COUNTER64 ? ND_SEEN : ND_BARE;
}

static inline void expect_num(const struct store *s, const char *name, double want)
{
	struct nd_value v = ask(s, name, plain(s, name));

	if (v.type != ND_V_NUMBER)
		fail_msg("%s is missing (%s: %s), expected %.15g", name, nd_missing_name(v.why),
			 v.detail, want);
	if (v.num != want)
		fail_msg("%s is %.15g, expected %.15g", name, v.num, want);
}

static inline void expect_missing(const struct store *s, const char *name, enum nd_missing why)
{
	struct nd_value v = ask(s, name, plain(s, name));

	if (v.type != ND_V_MISSING)
		fail_msg("%s has a value or is absent, expected missing", name);
	if (v.why != why)
		fail_msg("%s: %s (%s), expected %s", name, nd_missing_name(v.why), v.detail,
			 nd_missing_name(why));
}

static inline void expect_text(const struct store *s, const char *name, const char *want)
{
	struct nd_value v = ask(s, name, ND_BARE);

	assert_int_equal(v.type, ND_V_TEXT);
	assert_string_equal(v.text, want);
}

/* No number of the one store is another in the other: what was cut may be missing, never wrong. */
static inline void expect_no_other_numbers(const struct store *part, const struct store *whole,
					   const struct nd_fact_def *facts, size_t at)
{
	for (; facts->name; facts++) {
		struct nd_value p, w;

		if (facts->type != ND_T_NUMBER)
			continue;
		p = ask(part, facts->name, plain(part, facts->name));
		w = ask(whole, facts->name, plain(whole, facts->name));
		if (p.type == ND_V_NUMBER && (w.type != ND_V_NUMBER || p.num != w.num))
			fail_msg("cut at %zu: %s is %.15g", at, facts->name, p.num);
	}
}

/* Cuts a recorded file at every step-th byte. Ends of lines are left out if `lines`, where a
 * missing line cannot be seen. */
static inline void cut_everywhere(const struct nd_collector *c, const struct nd_fact_def *facts,
				  const struct nd_fact_def *more, const char *path, size_t step,
				  bool lines)
{
	size_t len;
	char *text = slurp(path, &len);
	struct store whole = store_new(facts, more);

	assert_int_equal(feed(&whole, c, path, text, len, 0), 0);
	for (size_t n = 0; n < len; n += step) {
		struct store part = store_new(facts, more);

		while (lines && n && (text[n - 1] == '\n' || text[n] == '\n'))
			n++;
		feed(&part, c, path, text, n, 0);
		expect_no_other_numbers(&part, &whole, facts, n);
		store_free(&part);
	}
	store_free(&whole);
	free(text);
}

/* Overwrites bytes of a recorded file in many ways; the sanitizers and the parser's own bounds are
 * the test, and that an error comes with a message. */
static inline void garble(const struct nd_collector *c, const struct nd_fact_def *facts,
			  const struct nd_fact_def *more, const char *path)
{
	static const char bytes[] = "\0\n\t :=0-9zf%\xff";
	uint64_t x = 88172645463325252ull; /* xorshift64 */
	size_t len;
	char *text = slurp(path, &len);

	for (int round = 0; round < 300; round++) {
		struct store s = store_new(facts, more);

		for (int i = 0; i < 8; i++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			text[x % len] = bytes[(x >> 32) % (sizeof(bytes) - 1)];
		}
		if (feed(&s, c, path, text, len, 0))
			assert_true(strlen(s.e.msg) > 0);
		store_free(&s);
	}
	free(text);
}

#endif
