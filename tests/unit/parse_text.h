/* For tests of parsers: text in, facts out, without a source. */
#ifndef ND_PARSE_TEXT_H
#define ND_PARSE_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "collectors/collector.h"

struct world {
	struct nd_registry *registry;
	struct nd_facts *facts;
	struct nd_err err;
};

/* collectors ends with NULL. */
static inline void world_open(struct world *w, const struct nd_collector *const *collectors)
{
	*w = (struct world){.registry = nd_registry_new()};
	for (; *collectors; collectors++) {
		if ((*collectors)->facts)
			nd_registry_add(w->registry, (*collectors)->facts);
	}
	w->facts = nd_facts_new(w->registry);
}

static inline void world_close(struct world *w)
{
	nd_facts_free(w->facts);
	nd_registry_free(w->registry);
}

static inline int feed_arg(struct world *w, const struct nd_collector *c, const char *path,
			   const char *arg, double seconds, const char *text)
{
	struct nd_input in = {
		.path = path, .t_ns = (uint64_t)(seconds * 1e9), .netns = "host", .arg = arg};
	struct nd_stream *s = nd_stream_mem(text, strlen(text));
	int rc;

	w->err.msg[0] = '\0';
	rc = c->parse(&in, s, w->facts, &w->err);
	nd_stream_close(s);
	return rc;
}

static inline int feed(struct world *w, const struct nd_collector *c, const char *path,
		       double seconds, const char *text)
{
	return feed_arg(w, c, path, NULL, seconds, text);
}

static inline struct nd_value value(const struct world *w, enum nd_kind kind, const char *key,
				    const char *fact, enum nd_accessor a)
{
	nd_id id = nd_entity_find(w->facts, kind, key);
	nd_fact_id f = nd_registry_find(w->registry, kind, fact);

	assert_true(f >= 0);
	assert_true(id != ND_NO_ENTITY);
	return nd_get(w->facts, id, f, a);
}

static inline void assert_number(const struct world *w, enum nd_kind kind, const char *key,
				 const char *fact, enum nd_accessor a, double expected)
{
	struct nd_value v = value(w, kind, key, fact, a);

	if (v.type != ND_V_NUMBER)
		fail_msg("%s.%s: missing %s: %s", key, fact, nd_missing_name(v.why), v.detail);
	if (v.num < expected - 1e-9 * (1 + expected) || v.num > expected + 1e-9 * (1 + expected))
		fail_msg("%s.%s: %.15g, expected %.15g", key, fact, v.num, expected);
}

static inline void assert_text(const struct world *w, enum nd_kind kind, const char *key,
			       const char *fact, const char *expected)
{
	struct nd_value v = value(w, kind, key, fact, ND_BARE);

	assert_int_equal(v.type, ND_V_TEXT);
	assert_string_equal(v.text, expected);
}

static inline void assert_missing(const struct world *w, enum nd_kind kind, const char *key,
				  const char *fact, enum nd_accessor a, enum nd_missing why)
{
	struct nd_value v = value(w, kind, key, fact, a);

	assert_int_equal(v.type, ND_V_MISSING);
	assert_string_equal(nd_missing_name(v.why), nd_missing_name(why));
}

static inline uint32_t count(const struct world *w, enum nd_kind kind)
{
	uint32_t n;

	nd_entities(w->facts, kind, &n);
	return n;
}

/* Feeds every prefix of the text, and the text with each byte spoilt: nothing may crash or hang. */
static inline void torture(const struct nd_collector *const *list, const struct nd_collector *c,
			   const char *path, const char *arg, const char *text)
{
	static const char spoilers[] = {'\n', ' ', '-', '9', ':', '\xff'};
	size_t len = strlen(text);
	char *copy = nd_strdup(text);
	struct world w;

	for (size_t n = 0; n <= len; n++) {
		world_open(&w, list);
		memcpy(copy, text, len);
		copy[n] = '\0';
		feed_arg(&w, c, path, arg, 1, copy);
		for (size_t i = 0; i < sizeof(spoilers) && n < len; i++) {
			memcpy(copy, text, len);
			copy[n] = spoilers[i];
			feed_arg(&w, c, path, arg, 2 + (double)i, copy);
		}
		if (c->finish)
			c->finish(w.facts);
		world_close(&w);
	}
	free(copy);
}
#endif
