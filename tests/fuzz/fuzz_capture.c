/* Any bytes as the facts of a capture: refused, or a store in which every value can be read. */
#include "collectors/collector.h"
#include "engine/core/fact_save.h"
#include "tests/fuzz/fuzz.h"

static const struct nd_registry *registry(void)
{
	static struct nd_registry *r;

	if (!r) {
		r = nd_registry_new();
		nd_collectors_register(r);
	}
	return r;
}

static void on_row(void *ctx, struct nd_facts *f, nd_id on, const struct nd_table_def *table,
		   const double *columns)
{
	(void)columns;
	FUZZ_CHECK(on < nd_entity_count(f) && table->n_columns);
	++*(unsigned *)ctx;
}

static void read_all(struct nd_facts *f)
{
	for (uint32_t i = 0; i < nd_registry_count(registry()); i++) {
		const struct nd_fact_def *d = nd_registry_def(registry(), (nd_fact_id)i);
		uint32_t n;
		const nd_id *ids = nd_entities(f, d->on, &n);

		for (uint32_t k = 0; k < n && k < 3; k++) {
			for (int a = 0; a < ND_ACCESSORS; a++) {
				struct nd_value v;

				if (!nd_accessor_fits(d, (enum nd_accessor)a))
					continue;
				v = nd_get(f, ids[k], (nd_fact_id)i, (enum nd_accessor)a);
				FUZZ_CHECK(v.type != ND_V_NUMBER || v.num == v.num);
				FUZZ_CHECK(v.type != ND_V_TEXT || v.text);
				FUZZ_CHECK(v.type != ND_V_HIST || v.hist);
				FUZZ_CHECK(v.type != ND_V_MISSING || v.why != ND_PRESENT);
			}
			nd_get_reproduce(f, ids[k], (nd_fact_id)i);
		}
	}
}

static void read_links(struct nd_facts *f)
{
	for (nd_id id = 0; id < nd_entity_count(f) && id < 50; id++) {
		for (int r = 0; r < ND_RELATIONS; r++) {
			struct nd_links l;

			if (nd_relations[r].from != nd_entity_kind(f, id))
				continue;
			l = nd_related(f, id, (enum nd_relation)r, false);
			for (uint32_t i = 0; i < l.n; i++)
				FUZZ_CHECK(nd_entity_kind(f, l.ids[i]) == nd_relations[r].to);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nd_facts *f = nd_facts_new(registry()), *again;
	const struct nd_save_how how = {NULL, NULL};
	struct nd_buf out = {0};
	char *text = fuzz_text(data, size);
	struct nd_err e = {""};
	unsigned rows = 0;

	nd_facts_on_row(f, on_row, &rows);
	if (nd_facts_load(f, text, size, &e) == 0) {
		read_all(f);
		read_links(f);
		nd_facts_save(f, nd_facts_meta(f), &how, &out);
		again = nd_facts_new(registry());
		FUZZ_CHECK(nd_facts_load(again, nd_buf_str(&out), out.len, &e) == 0);
		nd_facts_free(again);
		nd_buf_free(&out);
	} else {
		FUZZ_CHECK(*e.msg);
	}
	free(text);
	nd_facts_free(f);
	return 0;
}
