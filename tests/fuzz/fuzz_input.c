/* Any bytes as an input of any collector that reads text.
 *
 * The first byte names the pattern by its hash, so that an input in the corpus stays with its parser when others come
 * and go; patterns that share a byte all get it. The second byte chooses what the pattern's * stood for. The rest is the
 * text; byte 0x1e begins another reading of it, a second later, for what only two moments show. */
#include "collectors/collector.h"
#include "tests/fuzz/fuzz.h"

#define SEPARATOR 0x1e
#define MOMENTS_MAX 4

static const char *const args[] = {"eth0", "0",		"44",	     "lo",
				   "rx-0", "bond0.100", "eth0/rx-0", "4294967295"};

static uint8_t hash(const char *what)
{
	uint8_t h = 0;

	for (; *what; what++)
		h = (uint8_t)(h * 31 + (unsigned char)*what);
	return h;
}

static const struct nd_registry *registry(void)
{
	static struct nd_registry *r;

	if (!r) {
		r = nd_registry_new();
		nd_collectors_register(r);
	}
	return r;
}

static void feed(const struct nd_collector *c, const struct nd_input *in, const uint8_t *data,
		 size_t size, struct nd_facts *f)
{
	char *text = nd_alloc(size ? size : 1);
	struct nd_stream *s;
	struct nd_err e = {""};
	int rc;

	if (size)
		memcpy(text, data, size);
	s = nd_stream_mem(text, size);
	rc = c->parse(in, s, f, &e);
	FUZZ_CHECK(rc <= 0);
	FUZZ_CHECK(rc == 0 || *e.msg);
	nd_stream_close(s);
	free(text);
}

static void feed_all(uint32_t collector, const struct nd_read *r, const uint8_t *data, size_t size,
		     struct nd_facts *f)
{
	struct nd_input in = {.path = r->what, .netns = "host"};

	in.arg = strchr(r->what, '*') ? args[data[1] % ND_ARRAY_LEN(args)] : NULL;
	in.interval = data[1] & 0x80;
	nd_facts_speaker(f, collector);
	data += 2;
	size -= 2;
	for (unsigned moment = 0; moment < MOMENTS_MAX; moment++) {
		const uint8_t *end = size ? memchr(data, SEPARATOR, size) : NULL;
		size_t n = end ? (size_t)(end - data) : size;

		in.t_ns = (moment + 1) * ND_NSEC_PER_SEC;
		feed(nd_collectors[collector], &in, data, n, f);
		if (!end)
			break;
		data += n + 1;
		size -= n + 1;
	}
}

/* Every value can be read and shown. */
static void read_all(struct nd_facts *f)
{
	const struct nd_registry *r = nd_facts_registry(f);

	for (uint32_t i = 0; i < nd_registry_count(r); i++) {
		const struct nd_fact_def *d = nd_registry_def(r, (nd_fact_id)i);
		uint32_t n;
		const nd_id *ids = nd_entities(f, d->on, &n);

		for (uint32_t k = 0; k < n && k < 2; k++) {
			for (int a = 0; a < ND_ACCESSORS; a++) {
				if (!nd_accessor_fits(d, (enum nd_accessor)a))
					continue;
				struct nd_value v =
					nd_get(f, ids[k], (nd_fact_id)i, (enum nd_accessor)a);

				FUZZ_CHECK(v.type != ND_V_NUMBER || v.num == v.num);
				FUZZ_CHECK(v.type != ND_V_MISSING || v.why != ND_PRESENT);
			}
			nd_get_reproduce(f, ids[k], (nd_fact_id)i);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nd_facts *f = NULL;

	if (size < 2)
		return 0;
	for (uint32_t i = 0; i < nd_collectors_n; i++) {
		const struct nd_collector *c = nd_collectors[i];

		for (const struct nd_read *r = c->reads; c->parse && r && r->what; r++) {
			if (hash(r->what) != data[0])
				continue;
			if (!f)
				f = nd_facts_new(registry());
			feed_all(i, r, data, size, f);
		}
	}
	if (!f)
		return 0;
	for (uint32_t i = 0; i < nd_collectors_n; i++) {
		if (nd_collectors[i]->finish)
			nd_collectors[i]->finish(f);
	}
	read_all(f);
	nd_facts_free(f);
	return 0;
}
