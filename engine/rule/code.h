/* Checked expressions: every name resolved, every unit known. What the judge evaluates.
 *
 * The parser's tree (expr.h) says what was written; the checker turns it into this, once per tree and
 * kind of walked entity, because the same words mean different facts for a service and for a peer. */
#ifndef ND_CODE_H
#define ND_CODE_H

#include "engine/core/fact.h"
#include "engine/rule/expr.h"

enum nd_xt {
	ND_X_NUMBER,
	ND_X_BOOL,
	ND_X_TEXT,
	ND_X_WORDS, /* text that the shell sees as several words */
	ND_X_SAFE, /* CPU lists and masks: text that is safe within quotes */
	ND_X_ENTITY,
	ND_X_SET,
	ND_X_LIST, /* of .of */
	ND_X_HIST,
	ND_X_RANGE,
};
struct nd_xtype {
	enum nd_xt t;
	enum nd_xt of; /* LIST */
	struct nd_dims dims; /* numbers, lists of them, histograms, ranges */
	enum nd_number_kind number;
	bool literal, zero; /* written as a number; is it 0 */
	double value; /* literals */
	enum nd_kind kind; /* ENTITY, SET; ND_NO_KIND: lines of log pattern .log */
	int log;
};

enum nd_op {
	ND_O_NUMBER, /* num */
	ND_O_TEXT, /* text */
	ND_O_BOOL, /* num */
	ND_O_LET, /* let */
	ND_O_LOOP, /* index: the fix's loop variable */
	ND_O_THIS, /* the walked entity */
	ND_O_ELEMENT, /* the member that a filter or function looks at */
	ND_O_ABOUT, /* the finding's entity */
	ND_O_FOUND, /* the set of them */
	ND_O_ONE, /* kind: host, symptom */
	ND_O_ALL, /* kind: all of it */
	ND_O_BY_KEY, /* kind, a: the entity with that key */
	ND_O_FACT, /* a, fact, accessor */
	ND_O_RELATION, /* a, relation, inverse */
	ND_O_KEY, /* a */
	ND_O_TALLY, /* a, index, rows: hits or rows */
	ND_O_LOG, /* a, index: lines of a pattern that speak of a */
	ND_O_COLUMN, /* a, index: -1 age, -2 text, else a group of the pattern */
	ND_O_ROW, /* index: column of the streamed row */
	ND_O_DERIVED, /* a, derived */
	ND_O_FILTER, /* a[b] */
	ND_O_CALL, /* func(args) */
	ND_O_NEG,
	ND_O_NOT,
	ND_O_AND,
	ND_O_OR,
	ND_O_COMPARE, /* index: an nd_expr_op */
	ND_O_MATCH, /* a, pattern; rows: negated */
	ND_O_IN, /* a in b; rows: negated */
	ND_O_IN_LIST, /* a in args; rows: negated */
	ND_O_RANGE, /* a..b */
	ND_O_ARITH, /* index: an nd_expr_op */
};

struct nd_func;
struct nd_pattern;
struct nd_let;
struct nd_derived;
struct nd_code {
	enum nd_op op;
	struct nd_xtype type;
	uint32_t pos;
	struct nd_code *a, *b;
	struct nd_code **args;
	uint32_t n_args;
	int index;
	bool rows;
	bool of_age; /* FILTER and functions: the condition bounds the age of log lines */
	double num;
	const char *text;
	enum nd_kind kind;
	nd_fact_id fact;
	enum nd_accessor accessor;
	enum nd_relation relation;
	bool inverse;
	const struct nd_func *func;
	struct nd_pattern *pattern;
	struct nd_let *let;
	struct nd_derived *derived;
	/* set when the whole expression is checked */
	uint8_t needs; /* ND_NEEDS_*: what of the walk its value depends on */
	bool many; /* looks at more than a few entities */
	uint32_t memo; /* slot + 1 of the run's memory; 0: computed each time */
	uint32_t
		weight; /* operations, with its lets and derived facts written out; more than ND_WEIGHT_MAX is refused */
};
enum {
	ND_NEEDS_THIS = 1,
	ND_NEEDS_ELEMENT = 2,
	ND_NEEDS_LOOP = 4,
	ND_NEEDS_FOUND = 8,
	ND_NEEDS_ROW = 16,
	ND_NEEDS_LOG = 32
};

/* Lets and derived facts that need each other one behind the other: each is walked inside the one before it, so that
 * their number bounds the stack. */
#define ND_CHAIN_MAX 64u
#define ND_CHAIN_HELP "more than 64 lets and derived facts that need each other in a chain"

#define ND_WEIGHT_MAX 10000u
#define ND_WEIGHT_HELP "more than 10,000 operations when its lets and derived facts are written out"

/* A named sub-expression of a tree. */
struct nd_yaml;
struct nd_let {
	const char *name;
	const struct nd_yaml *source;
	struct nd_code *code;
	bool checking, failed;
	uint32_t chain; /* see ND_CHAIN_MAX */
	uint32_t slot; /* of the walk's memory */
};
/* A fact that a library derives from others. */
struct nd_library;
struct nd_derived {
	enum nd_kind on;
	const char *name;
	const struct nd_yaml *source;
	const char *ask, *doc;
	struct nd_library *library;
	struct nd_code *code;
	bool checking, failed;
	uint32_t chain;
};
struct nd_param {
	const char *name;
	const struct nd_yaml *source; /* of the value */
	const char *set, *set_by; /* the text instead, and who says so; or NULL */
	struct nd_code *code;
};
struct nd_log_pattern {
	const char *name;
	struct nd_pattern *pattern;
	const char **groups;
	enum nd_kind *group_kinds; /* ND_NO_KIND: plain text */
	uint32_t n_groups;
	uint32_t slot; /* among all log patterns: nd_rules.logs */
};
struct nd_tally {
	const char *name;
	const struct nd_table_def *table;
	struct nd_code *where;
	uint32_t slot; /* among all tallies of all rules */
};

/* Names that an expression may use. */
struct nd_rules;
struct nd_scope {
	struct nd_rules *rules;
	struct nd_arena *arena;
	const struct nd_param *params;
	uint32_t n_params;
	struct nd_let *lets;
	uint32_t n_lets;
	const struct nd_log_pattern *logs; /* the file's own; then come those of the libraries */
	uint32_t n_logs;
	const struct nd_tally *tallies;
	uint32_t n_tallies;
	enum nd_kind this_kind; /* ND_NO_KIND: no walked entity */
	enum nd_kind about_kind; /* of `about` and `found`; ND_NO_KIND: as this_kind */
	const char *const *loop_names;
	const enum nd_kind *loop_kinds;
	uint32_t n_loops;
	const struct nd_table_def *row; /* names are columns of this table */
	/* set by the checker while it is inside […] and set functions */
	bool in_element;
	enum nd_kind element;
	int element_log;
	bool in_let;
};

/* NULL with *e filled. */
struct nd_code *nd_check(const struct nd_expr *x, const struct nd_scope *s,
			 struct nd_expr_error *e);
/* Parses and checks; allow_range as in nd_expr_parse. */
struct nd_code *nd_compile(const char *text, const struct nd_scope *s, bool allow_range,
			   struct nd_expr_error *e);

/* Fills in needs, many and memo of a checked expression (needs.c). */
void nd_code_finish(struct nd_code *c, const struct nd_scope *s);

/* The checker's parts (check.c, check_path.c, func.c). */
struct nd_code *nd_code_new(const struct nd_scope *s, enum nd_op op, uint32_t pos,
			    struct nd_xtype type);
struct nd_code *nd_check_path(const struct nd_expr *x, const struct nd_scope *s,
			      struct nd_expr_error *e);
struct nd_code *nd_check_call(const struct nd_expr *x, const struct nd_scope *s,
			      struct nd_expr_error *e);
struct nd_code *nd_check_element(const struct nd_expr *x, const struct nd_scope *s,
				 struct nd_xtype set, struct nd_expr_error *e);
void *nd_check_fail(struct nd_expr_error *e, uint32_t pos, const char *fmt, ...) ND_PRINTF(3, 4);
const char *nd_xtype_name(const struct nd_xtype *t, char *out,
			  size_t size); /* "a time", "a set of cpu" */
bool nd_same_dims(struct nd_dims a, struct nd_dims b);
/* Dimensions of a * b (sign 1) or a / b (sign -1); false with *e filled if no number has so many. */
bool nd_combine_dims(struct nd_dims a, struct nd_dims b, int sign, struct nd_dims *out,
		     uint32_t pos, struct nd_expr_error *e);
bool nd_same_unit(const struct nd_xtype *a, const struct nd_xtype *b); /* a bare 0 fits all */
bool nd_same_type(const struct nd_xtype *a, const struct nd_xtype *b);
/* "cannot WHAT a time and a count"; NULL. */
void *nd_check_mismatch(struct nd_expr_error *e, uint32_t pos, const char *what,
			const struct nd_code *a, const struct nd_code *b);
bool nd_numbers_fit(const struct nd_code *a, const struct nd_code *b, uint32_t pos,
		    struct nd_expr_error *e); /* to be compared */
/* Of c's sides a and b. */
bool nd_sum_type(struct nd_code *c, uint32_t pos, struct nd_expr_error *e);
bool nd_product_type(struct nd_code *c, uint32_t pos, struct nd_expr_error *e);
enum nd_kind nd_kind_by_name(const char *name, bool plural); /* ND_NO_KIND if there is none */
/* The fact or relation of the kind that is spelt most like it, or NULL. */
const char *nd_nearest_fact(const struct nd_registry *r, enum nd_kind kind, const char *wanted);
/* Fails with the nearest name that an entity of the kind has; path: the n names that were written. */
void *nd_check_unknown(enum nd_kind kind, const char *const *path, uint32_t n, uint32_t pos,
		       const struct nd_scope *s, struct nd_expr_error *e);
bool nd_mentions_age(const struct nd_expr *x);
void nd_unit_dims(enum nd_unit u, struct nd_dims *dims, enum nd_number_kind *kind);

/* Derived facts of the libraries. */
struct nd_derived *nd_rules_derived(const struct nd_rules *rules, enum nd_kind on,
				    const char *name);
/* A library's log pattern of this name, or NULL; and the pattern of a slot. */
const struct nd_log_pattern *nd_rules_library_log(const struct nd_rules *rules, const char *name);
const struct nd_log_pattern *nd_rules_log(const struct nd_rules *rules, uint32_t slot);
/* What is being compiled stands on a chain of n; false: it is too long. */
bool nd_rules_chain(struct nd_rules *rules, uint32_t n);
struct nd_code *nd_rules_compile_derived(struct nd_rules *rules, struct nd_derived *d,
					 struct nd_expr_error *e);
const struct nd_registry *nd_rules_registry(const struct nd_rules *rules);
/* Compiles a let's source; on error the message is said at the let itself, and e too. */
struct nd_code *nd_rules_compile_let(struct nd_let *l, const struct nd_scope *s,
				     struct nd_expr_error *e);
void nd_rules_keep_pattern(struct nd_rules *rules,
			   struct nd_pattern *p); /* frees it with the rules */
#endif
