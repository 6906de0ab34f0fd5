/* Feeds texts to the collectors of interfaces, and asks what they put on one. */
#ifndef ND_TEST_IFACE_INPUT_H
#define ND_TEST_IFACE_INPUT_H

#include "collectors/ethtool.h"
#include "collectors/netdev.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

extern const struct nd_collector nd_collector_queue; /* ethtool knows of queues, too */

struct store {
	struct nd_registry *r;
	struct nd_facts *f;
	struct nd_err e;
};

static inline struct store store_new(void)
{
	struct store s = {.r = nd_registry_new()};

	nd_registry_add(s.r, nd_netdev_facts);
	nd_registry_add(s.r, nd_ethtool_facts);
	nd_registry_add(s.r, nd_collector_queue.facts);
	s.f = nd_facts_new(s.r);
	return s;
}

static inline void store_free(struct store *s)
{
	nd_facts_free(s->f);
	nd_registry_free(s->r);
}

/* n bytes of text, taken at t seconds; arg is what the file's name says of the interface, or NULL.
 */
static inline int feed(struct store *s, const struct nd_collector *c, const char *path,
		       const char *arg, const char *text, size_t n, double t)
{
	struct nd_input in = {
		.path = path, .t_ns = (uint64_t)(t * 1e9), .netns = "host", .arg = arg};
	struct nd_stream *stream = nd_stream_mem(text, n);
	int rc;

	s->e.msg[0] = '\0';
	rc = c->parse(&in, stream, s->f, &s->e);
	nd_stream_close(stream);
	return rc;
}

static inline int feed_text(struct store *s, const struct nd_collector *c, const char *path,
			    const char *arg, const char *text)
{
	return feed(s, c, path, arg, text, strlen(text), 0);
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

static inline int feed_file(struct store *s, const struct nd_collector *c, const char *path,
			    const char *arg)
{
	size_t len;
	char *text = slurp(path, &len);
	int rc = feed(s, c, path, arg, text, len, 0);

	free(text);
	return rc;
}

static inline struct nd_value ask(const struct store *s, const char *iface, const char *fact,
				  enum nd_accessor a)
{
	nd_fact_id id = nd_registry_find(s->r, ND_IFACE, fact);
	nd_id on = nd_entity_find(s->f, ND_IFACE, iface);

	if (id < 0 || on == ND_NO_ENTITY)
		fail_msg("no %s of %s", fact, iface);
	return nd_get(s->f, on, id, a);
}

static inline struct nd_value ask_total(const struct store *s, const char *iface, const char *fact)
{
	nd_fact_id id = nd_registry_find(s->r, ND_IFACE, fact);

	if (id < 0)
		fail_msg("no fact %s", fact);
	return ask(s, iface, fact,
		   nd_registry_def(s->r, id)->width == ND_COUNTER64 ? ND_TOTAL : ND_BARE);
}

static inline void expect_num(const struct store *s, const char *iface, const char *fact,
			      double want)
{
	struct nd_value v = ask_total(s, iface, fact);

	if (v.type != ND_V_NUMBER)
		fail_msg("%s.%s has no number (%s: %s), expected %.15g", iface, fact,
			 v.type == ND_V_MISSING ? nd_missing_name(v.why) : "absent or text",
			 v.type == ND_V_MISSING ? v.detail : "", want);
	if (fabs(v.num - want) > 1e-9 * fabs(want))
		fail_msg("%s.%s is %.15g, expected %.15g", iface, fact, v.num, want);
}

static inline void expect_text(const struct store *s, const char *iface, const char *fact,
			       const char *want)
{
	struct nd_value v = ask_total(s, iface, fact);

	if (v.type != ND_V_TEXT || strcmp(v.text, want) != 0)
		fail_msg("%s.%s is %s, expected %s", iface, fact,
			 v.type == ND_V_TEXT ? v.text : "no text", want);
}

/* Missing with this reason; words of its detail, or NULL. */
static inline void expect_missing(const struct store *s, const char *iface, const char *fact,
				  enum nd_missing why, const char *words)
{
	struct nd_value v = ask_total(s, iface, fact);

	if (v.type != ND_V_MISSING || v.why != why)
		fail_msg("%s.%s: expected %s, found %s", iface, fact, nd_missing_name(why),
			 v.type == ND_V_MISSING ? nd_missing_name(v.why) : "a value");
	if (words && !strstr(v.detail, words))
		fail_msg("%s.%s: '%s' does not say '%s'", iface, fact, v.detail, words);
}

/* Nobody said anything of it. */
static inline void expect_unsaid(const struct store *s, const char *iface, const char *fact)
{
	struct nd_value v = ask_total(s, iface, fact);

	if (v.type != ND_V_MISSING || v.detail[0])
		fail_msg("%s.%s was put", iface, fact);
}

/* The key of the interface's master, "" for none, NULL when it is not known. */
static inline const char *master_of(const struct store *s, const char *iface)
{
	struct nd_links l =
		nd_related(s->f, nd_entity_find(s->f, ND_IFACE, iface), ND_IFACE_MASTER, false);

	if (l.why != ND_PRESENT)
		return NULL;
	return l.n ? nd_entity_key(s->f, l.ids[0]) : "";
}

/* No number that the part has is another in the whole: what was cut may be missing, never wrong. */
static inline void expect_no_other_numbers(const struct store *part, const struct store *whole,
					   size_t at)
{
	uint32_t n;
	const nd_id *ids = nd_entities(part->f, ND_IFACE, &n);

	for (uint32_t i = 0; i < n; i++) {
		const char *key = nd_entity_key(part->f, ids[i]);

		if (nd_entity_find(whole->f, ND_IFACE, key) == ND_NO_ENTITY)
			continue; /* a name that was cut */
		for (nd_fact_id k = 0; k < (nd_fact_id)nd_registry_count(part->r); k++) {
			const char *name = nd_registry_def(part->r, k)->name;
			struct nd_value p, w;

			if (nd_registry_def(part->r, k)->on != ND_IFACE)
				continue;
			p = ask_total(part, key, name);
			w = ask_total(whole, key, name);
			if (p.type == ND_V_NUMBER && (w.type != ND_V_NUMBER || p.num != w.num))
				fail_msg("cut at %zu: %s.%s is %.15g", at, key, name, p.num);
		}
	}
}

/* Cuts the text behind each byte. */
static inline void cut_everywhere(const struct nd_collector *c, const char *path, const char *arg,
				  const char *text, size_t len)
{
	struct store whole = store_new();

	assert_int_equal(feed(&whole, c, path, arg, text, len, 0), 0);
	for (size_t n = 0; n < len; n++) {
		struct store part = store_new();

		if (feed(&part, c, path, arg, text, n, 0))
			assert_true(strlen(part.e.msg) > 0);
		expect_no_other_numbers(&part, &whole, n);
		store_free(&part);
	}
	store_free(&whole);
}

/* Overwrites bytes in many ways; bounds, sanitizers and a message with each error are the test. */
static inline void garble(const struct nd_collector *c, const char *path, const char *arg,
			  const char *text, size_t len)
{
	static const char bytes[] = "\0\n\t :=|@<>0-9zf%\xff";
	uint64_t x = 88172645463325252ull; /* xorshift64 */
	char *copy = nd_alloc(len);

	for (int round = 0; round < 400; round++) {
		struct store s = store_new();

		if (round % 20 == 0)
			memcpy(copy, text, len);
		for (int i = 0; i < 8; i++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			copy[x % len] = bytes[(x >> 32) % (sizeof(bytes) - 1)];
		}
		if (feed(&s, c, path, arg, copy, len, 0))
			assert_true(strlen(s.e.msg) > 0);
		store_free(&s);
	}
	free(copy);
}

#endif
