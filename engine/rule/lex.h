/* Tokens of rule expressions and help for their authors, for the lexer and the parsers only. */
#ifndef ND_LEX_H
#define ND_LEX_H

#include "engine/rule/expr.h"

enum nd_token_type {
	ND_TOK_END,
	ND_TOK_NUMBER, /* num, unit */
	ND_TOK_TEXT, /* text, escapes resolved */
	ND_TOK_VAR, /* text: name without $ */
	ND_TOK_NAME, /* text */
	/* text: the word */
	ND_TOK_AND,
	ND_TOK_OR,
	ND_TOK_NOT,
	ND_TOK_IN,
	ND_TOK_TRUE,
	ND_TOK_FALSE,
	ND_TOK_EQ,
	ND_TOK_NE,
	ND_TOK_LT,
	ND_TOK_LE,
	ND_TOK_GT,
	ND_TOK_GE,
	ND_TOK_MATCH,
	ND_TOK_NOT_MATCH,
	ND_TOK_ADD,
	ND_TOK_SUB,
	ND_TOK_MUL,
	ND_TOK_DIV,
	ND_TOK_RANGE,
	ND_TOK_DOT,
	ND_TOK_COMMA,
	ND_TOK_OPEN,
	ND_TOK_CLOSE,
	ND_TOK_OPEN_FILTER,
	ND_TOK_CLOSE_FILTER
};

struct nd_token {
	enum nd_token_type type;
	uint32_t pos, end; /* byte offsets in the expression */
	const char *text, *unit;
	double num;
};

/* Where the lexer is; a copy of it is a bookmark. */
struct nd_lexer {
	struct nd_arena *arena;
	const char *s;
	uint32_t at;
	struct nd_expr_error *err;
};

/* Reads the next token; false with *err filled. Behind the end it goes on to say ND_TOK_END. */
bool nd_lex_next(struct nd_lexer *lx, struct nd_token *t);

/* Fills *e; always false, so that `return nd_expr_fail(…)` reads well, as do the next ones. */
bool nd_expr_fail(struct nd_expr_error *e, uint32_t pos, const char *fmt, ...) ND_PRINTF(3, 4);
/* t stands where a value must stand. s is the expression. */
bool nd_help_no_value(struct nd_expr_error *e, const char *s, const struct nd_token *t);
/* t stands behind a whole expression, whose last token is of type `before`; expected there is the
 * sign `close`, or the end if that is 0. */
bool nd_help_leftover(struct nd_expr_error *e, const char *s, const struct nd_token *t,
		      enum nd_token_type before, char close);
/* What to write instead of the sign at s, or NULL if it is one of ours or of nobody. */
const char *nd_help_sign(const char *s);
/* What the author of an unknown unit may have meant, or NULL. */
const char *nd_help_unit(const char *unit);

/* n bytes in quotes, cut and made printable, for messages. Returns out. */
#define ND_LEX_SHOWN 64
const char *nd_help_quote(const char *s, size_t n, char out[ND_LEX_SHOWN]);
/* The same of a token in expression s; "the end" without quotes. */
const char *nd_lex_show(const char *s, const struct nd_token *t, char out[ND_LEX_SHOWN]);

/* A part of format strings. */
#define ND_UNITS_HELP                                                                              \
	"units are ns us ms s min h d, B KiB MiB GiB kB MB GB, bit kbit Mbit Gbit, %%, each also " \
	"with /s /min /h"
#endif
