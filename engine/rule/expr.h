/*
 * The syntax of rule expressions: tree, parser, units, and texts with holes.
 *
 * The parser knows nothing about facts: it turns text into a tree, and the
 * checker gives the tree types. Everything lives in the caller's arena, so
 * there is nothing to free. Positions are byte offsets into the expression's
 * text, which lets the loader point a caret into the rule file.
 */
#ifndef ND_EXPR_H
#define ND_EXPR_H
#include "engine/core/base.h"

enum nd_expr_op {
	ND_E_NUMBER, /* num: the literal as written; unit: its text ("ms", "%/s", "" for none) */
	ND_E_TEXT, /* text */
	ND_E_BOOL, /* num 0 or 1 */
	ND_E_VAR, /* text: name without $ */
	ND_E_NAME, /* text */
	ND_E_DOT, /* a.text */
	ND_E_FILTER, /* a[b] */
	ND_E_CALL, /* text(args…) */
	ND_E_NEG,
	ND_E_NOT, /* a */
	ND_E_AND,
	ND_E_OR, /* a, b */
	ND_E_EQ,
	ND_E_NE,
	ND_E_LT,
	ND_E_LE,
	ND_E_GT,
	ND_E_GE, /* a, b */
	/* a =~ text; pattern is compiled by the checker. b: the literal itself, for its place */
	ND_E_MATCH,
	ND_E_NOT_MATCH,
	ND_E_IN, /* a in b (b a range or a set) */
	ND_E_IN_LIST, /* a in (args…: ND_E_TEXT each) */
	ND_E_NOT_IN,
	ND_E_NOT_IN_LIST,
	ND_E_RANGE, /* a..b; either may be NULL, not both */
	ND_E_ADD,
	ND_E_SUB,
	ND_E_MUL,
	ND_E_DIV /* a, b */
};

struct nd_expr {
	enum nd_expr_op op;
	uint32_t pos, end; /* character offsets of it in the expression text, with its ( ) */
	const char *text, *unit;
	double num;
	struct nd_expr *a, *b;
	struct nd_expr **args;
	uint32_t n_args;
	void *note; /* the checker's */
};

/* Where and what is wrong in an expression. */
struct nd_expr_error {
	uint32_t pos;
	char msg[512];
};

/* NULL with *e filled on error. 4 KiB and depth 64 at most. Top level may be a range only if allow_range. */
struct nd_expr *nd_expr_parse(struct nd_arena *a, const char *text, bool allow_range,
			      struct nd_expr_error *e);

/* Unit text to factor and dimensions: value_in_base_units = num * factor. time and data are exponents. false: unknown unit. */
enum nd_number_kind {
	ND_N_PLAIN /* literal without unit: fits counts; 0 fits all */,
	ND_N_COUNT,
	ND_N_PERCENT,
	ND_N_RATIO,
	ND_N_SEEN
};
struct nd_dims {
	int8_t time, data;
};
bool nd_expr_unit(const char *unit, double *factor, struct nd_dims *dims,
		  enum nd_number_kind *kind);

/* Text with holes: "CPU {cpu} at {$share | %}". Parts alternate in order. */
struct nd_text_part {
	const char *literal; /* or NULL: then expr */
	struct nd_expr *expr;
	const char *source; /* the expression's text */
	const char *format_unit; /* after |, or NULL: "ms", "%", "Mbit/s" */
	int format_digits; /* from ".1", or -1 */
	uint32_t pos; /* of the brace or literal in the text */
};
struct nd_text {
	struct nd_text_part *parts;
	uint32_t n;
};

/* {{ and }} are braces; pos in errors is in the whole text */
bool nd_text_parse(struct nd_arena *a, const char *text, struct nd_text *out,
		   struct nd_expr_error *e);
#endif
