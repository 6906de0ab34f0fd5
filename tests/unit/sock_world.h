/* A store for the tests of sockets, that keeps the last row which was streamed. */
#ifndef ND_TEST_SOCK_WORLD_H
#define ND_TEST_SOCK_WORLD_H

#include "collectors/collector.h"
#include "collectors/process.h"
#include "collectors/sock_conns.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const struct nd_fact_def netns_facts[] = {
	{"tcp.passive_opens", ND_NETNS, ND_T_NUMBER, ND_U_COUNT, ND_COUNTER64, "of the test", NULL,
	 NULL, 0},
	{0},
};

struct world {
	struct nd_registry *r;
	struct nd_facts *f;
	struct nd_socks *k;
	struct nd_input in;
	double row[64]; /* the last one */
	const struct nd_table_def *table;
	uint32_t rows;
};

static inline void on_row(void *ctx, struct nd_facts *f, nd_id on, const struct nd_table_def *t,
			  const double *columns)
{
	struct world *w = ctx;

	(void)f;
	(void)on;
	assert_true(t->n_columns <= ND_ARRAY_LEN(w->row));
	w->table = t;
	memcpy(w->row, columns, t->n_columns * sizeof(*columns));
	w->rows++;
}

/* A column of the last row. */
static inline double column(const struct world *w, const char *name)
{
	for (uint32_t i = 0; i < w->table->n_columns; i++) {
		if (strcmp(w->table->columns[i].name, name) == 0)
			return w->row[i];
	}
	fail_msg("no column %s", name);
	return NAN;
}

static inline void world_open(struct world *w)
{
	*w = (struct world){.in = {.path = "test", .netns = "host"}};
	w->r = nd_registry_new();
	nd_registry_add(w->r, nd_sock_facts);
	nd_registry_add(w->r, nd_conn_facts);
	nd_registry_add(w->r, nd_tcp_state_facts);
	nd_registry_add(w->r, nd_process_facts);
	nd_registry_add(w->r, netns_facts);
	nd_registry_add_table(w->r, &nd_sock_table);
	w->f = nd_facts_new(w->r);
	w->k = nd_socks_new("host");
	nd_facts_on_row(w->f, on_row, w);
}

static inline void world_close(struct world *w)
{
	nd_socks_free(w->k);
	nd_facts_free(w->f);
	nd_registry_free(w->r);
}

static inline struct nd_value get(struct world *w, enum nd_kind kind, const char *key,
				  const char *fact, enum nd_accessor a)
{
	nd_id id = nd_entity_find(w->f, kind, key);

	assert_true(id != ND_NO_ENTITY);
	return nd_get(w->f, id, nd_registry_find(w->r, kind, fact), a);
}

static inline void assert_num(struct nd_value v, double want)
{
	assert_int_equal(v.type, ND_V_NUMBER);
	assert_true(fabs(v.num - want) <= 1e-9 + fabs(want) * 1e-9);
}
#endif
