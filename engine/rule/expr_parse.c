/* The grammar of rule expressions, by recursive descent.
 *
 * One function a level of precedence. The depth of the finished tree is limited too, not only
 * that of the nesting: who walks a tree by recursion then needs no limit of his own. */
#include "engine/rule/lex.h"

#define EXPR_BYTES_MAX 4096u
#define EXPR_DEPTH_MAX 64u
#define DEEP_HELP "more than %u levels deep: put a part of it into a let"

struct parser {
	struct nd_lexer lx;
	struct nd_token tok; /* the next one */
	enum nd_token_type last_type; /* of the one before it */
	uint32_t last_end;
	unsigned depth;
	struct nd_expr_error *err;
};

static struct nd_expr *parse_expr(struct parser *p);
static struct nd_expr *parse_arg(struct parser *p);

static bool advance(struct parser *p)
{
	p->last_type = p->tok.type;
	p->last_end = p->tok.end;
	return nd_lex_next(&p->lx, &p->tok);
}

static struct nd_expr *wrong(struct parser *p, uint32_t pos, const char *msg)
{
	nd_expr_fail(p->err, pos, "%s", msg);
	return NULL;
}

/* Of the next token. */
static struct nd_expr *expected(struct parser *p, const char *what, const char *help)
{
	char found[ND_LEX_SHOWN];

	nd_expr_fail(p->err, p->tok.pos, "expected %s, found %s%s", what,
		     nd_lex_show(p->lx.s, &p->tok, found), help);
	return NULL;
}

/* From pos to the last token read. */
static struct nd_expr *node(struct parser *p, enum nd_expr_op op, uint32_t pos)
{
	struct nd_expr *e = nd_arena_alloc(p->lx.arena, sizeof(*e));

	e->op = op;
	e->pos = pos;
	e->end = p->last_end;
	return e;
}

static struct nd_expr *binary(struct parser *p, enum nd_expr_op op, struct nd_expr *a,
			      struct nd_expr *b)
{
	struct nd_expr *e = node(p, op, a->pos);

	e->a = a;
	e->b = b;
	return e;
}

static bool enter(struct parser *p)
{
	if (++p->depth <= EXPR_DEPTH_MAX)
		return true;
	return nd_expr_fail(p->err, p->tok.pos, DEEP_HELP, EXPR_DEPTH_MAX);
}

/* pair: the bracket that was opened and the one that closes it. */
static bool close_bracket(struct parser *p, enum nd_token_type type, uint32_t open,
			  const char *pair)
{
	if (p->tok.type == type)
		return advance(p);
	if (p->tok.type == ND_TOK_END)
		return nd_expr_fail(p->err, open, "'%c' without its '%c'", pair[0], pair[1]);
	return nd_help_leftover(p->err, p->lx.s, &p->tok, p->last_type, pair[1]);
}

static void push_arg(struct parser *p, struct nd_expr *e, struct nd_expr *arg)
{
	if ((e->n_args & (e->n_args - 1)) == 0) { /* room is a power of two */
		size_t room = e->n_args ? 2 * (size_t)e->n_args : 1;
		struct nd_expr **args = nd_arena_alloc(p->lx.arena, room * sizeof(*args));

		if (e->n_args)
			memcpy(args, e->args, e->n_args * sizeof(*args));
		e->args = args;
	}
	e->args[e->n_args++] = arg;
}

/* The current token is the '(' behind a function's name. */
static struct nd_expr *parse_call(struct parser *p, const char *name, uint32_t pos)
{
	struct nd_expr *e = node(p, ND_E_CALL, pos), *arg;
	uint32_t open = p->tok.pos;

	e->text = name;
	if (!advance(p))
		return NULL;
	while (p->tok.type != ND_TOK_CLOSE) {
		if (p->tok.type == ND_TOK_END)
			return wrong(p, open, "'(' without its ')'");
		arg = parse_arg(p);
		if (!arg)
			return NULL;
		push_arg(p, e, arg);
		if (p->tok.type == ND_TOK_CLOSE || p->tok.type == ND_TOK_END)
			continue;
		if (p->tok.type != ND_TOK_COMMA) {
			nd_help_leftover(p->err, p->lx.s, &p->tok, p->last_type, ',');
			return NULL;
		}
		if (!advance(p))
			return NULL;
		if (p->tok.type == ND_TOK_CLOSE)
			return wrong(p, p->tok.pos, "an argument is missing behind ','");
	}
	if (!advance(p))
		return NULL;
	e->end = p->last_end;
	return e;
}

static struct nd_expr *parse_parens(struct parser *p)
{
	uint32_t open = p->tok.pos;
	struct nd_expr *e;

	if (!advance(p))
		return NULL;
	e = parse_expr(p);
	if (!e || !close_bracket(p, ND_TOK_CLOSE, open, "()"))
		return NULL;
	e->pos = open;
	e->end = p->last_end;
	return e;
}

static struct nd_expr *parse_atom(struct parser *p)
{
	static const struct {
		enum nd_token_type type;
		enum nd_expr_op op;
		double num;
	} atoms[] = {
		{ND_TOK_NUMBER, ND_E_NUMBER, 0}, {ND_TOK_TEXT, ND_E_TEXT, 0},
		{ND_TOK_VAR, ND_E_VAR, 0},	 {ND_TOK_TRUE, ND_E_BOOL, 1},
		{ND_TOK_FALSE, ND_E_BOOL, 0},	 {ND_TOK_NAME, ND_E_NAME, 0},
	};
	struct nd_token t = p->tok;

	if (t.type == ND_TOK_OPEN)
		return parse_parens(p);
	for (size_t i = 0; i < ND_ARRAY_LEN(atoms); i++) {
		struct nd_expr *e;

		if (atoms[i].type != t.type)
			continue;
		if (!advance(p))
			return NULL;
		if (t.type == ND_TOK_NAME && p->tok.type == ND_TOK_OPEN)
			return parse_call(p, t.text, t.pos);
		e = node(p, atoms[i].op, t.pos);
		e->text = t.text;
		e->unit = t.unit;
		e->num = t.type == ND_TOK_NUMBER ? t.num : atoms[i].num;
		return e;
	}
	nd_help_no_value(p->err, p->lx.s, &p->tok);
	return NULL;
}

/* The current token is the dot. */
static struct nd_expr *parse_dot(struct parser *p, struct nd_expr *a)
{
	struct nd_expr *e;
	const char *name;

	if (a->op == ND_E_NUMBER || a->op == ND_E_TEXT || a->op == ND_E_BOOL)
		return wrong(p, p->tok.pos, "a literal has no parts: no '.' can follow it");
	if (!advance(p))
		return NULL;
	/* words like in and not are names here */
	name = p->tok.type == ND_TOK_VAR ? NULL : p->tok.text;
	if (!name || p->tok.type == ND_TOK_TEXT)
		return expected(p, "a name behind '.'", "");
	if (!advance(p))
		return NULL;
	if (p->tok.type == ND_TOK_OPEN)
		return wrong(p, p->tok.pos, "only functions are called: f(x), not x.f()");
	e = node(p, ND_E_DOT, a->pos);
	e->a = a;
	e->text = name;
	return e;
}

static struct nd_expr *parse_post(struct parser *p)
{
	struct nd_expr *e = parse_atom(p);

	while (e && (p->tok.type == ND_TOK_DOT || p->tok.type == ND_TOK_OPEN_FILTER)) {
		uint32_t open = p->tok.pos;
		struct nd_expr *condition;

		if (p->tok.type == ND_TOK_DOT) {
			e = parse_dot(p, e);
			continue;
		}
		if (!advance(p))
			return NULL;
		condition = parse_expr(p);
		if (!condition || !close_bracket(p, ND_TOK_CLOSE_FILTER, open, "[]"))
			return NULL;
		e = binary(p, ND_E_FILTER, e, condition);
	}
	return e;
}

static struct nd_expr *parse_prefix(struct parser *p, enum nd_expr_op op,
				    struct nd_expr *(*operand)(struct parser *))
{
	uint32_t pos = p->tok.pos;
	struct nd_expr *a, *e;

	if (!enter(p) || !advance(p))
		return NULL;
	a = operand(p);
	if (!a)
		return NULL;
	p->depth--;
	e = node(p, op, pos);
	e->a = a;
	return e;
}

static struct nd_expr *parse_unary(struct parser *p)
{
	return p->tok.type == ND_TOK_SUB ? parse_prefix(p, ND_E_NEG, parse_unary) : parse_post(p);
}

struct level {
	enum nd_token_type type;
	enum nd_expr_op op;
};

/* operand {sign operand} for the two signs of a level. */
static struct nd_expr *parse_chain(struct parser *p, const struct level levels[2],
				   struct nd_expr *(*operand)(struct parser *))
{
	struct nd_expr *a = operand(p), *b;

	while (a && (p->tok.type == levels[0].type || p->tok.type == levels[1].type)) {
		enum nd_expr_op op = levels[p->tok.type == levels[1].type].op;

		if (!advance(p))
			return NULL;
		b = operand(p);
		a = b ? binary(p, op, a, b) : NULL;
	}
	return a;
}

static struct nd_expr *parse_term(struct parser *p)
{
	static const struct level levels[2] = {{ND_TOK_MUL, ND_E_MUL}, {ND_TOK_DIV, ND_E_DIV}};

	return parse_chain(p, levels, parse_unary);
}

static struct nd_expr *parse_sum(struct parser *p)
{
	static const struct level levels[2] = {{ND_TOK_ADD, ND_E_ADD}, {ND_TOK_SUB, ND_E_SUB}};

	return parse_chain(p, levels, parse_term);
}

/* The current token is the '..' behind a, which may be NULL. */
static struct nd_expr *parse_range(struct parser *p, struct nd_expr *a)
{
	static const enum nd_token_type ends[] = {ND_TOK_END,	       ND_TOK_COMMA, ND_TOK_CLOSE,
						  ND_TOK_CLOSE_FILTER, ND_TOK_AND,   ND_TOK_OR};
	uint32_t pos = a ? a->pos : p->tok.pos;
	struct nd_expr *b = NULL, *e;
	bool open = false;

	if (!advance(p))
		return NULL;
	for (size_t i = 0; i < ND_ARRAY_LEN(ends); i++)
		open = open || p->tok.type == ends[i];
	if (open && !a)
		return wrong(p, pos, "a range needs one end at least: a.., ..b or a..b");
	if (!open) {
		b = parse_sum(p);
		if (!b)
			return NULL;
	}
	e = node(p, ND_E_RANGE, pos);
	e->a = a;
	e->b = b;
	return e;
}

static struct nd_expr *parse_arg(struct parser *p)
{
	struct nd_expr *a = NULL;

	if (p->tok.type != ND_TOK_RANGE) {
		a = parse_expr(p);
		if (!a || p->tok.type != ND_TOK_RANGE)
			return a;
		if (a->op >= ND_E_NOT && a->op <= ND_E_RANGE)
			return wrong(p, p->tok.pos, "a question cannot be the end of a range");
	}
	return parse_range(p, a);
}

/* Behind 'in' stands ( TEXT: a list of texts. */
static struct nd_expr *parse_list(struct parser *p, enum nd_expr_op op, struct nd_expr *a)
{
	uint32_t open = p->tok.pos;
	struct nd_expr *e = binary(p, op, a, NULL), *item;
	bool more = true;

	while (more) {
		if (!advance(p))
			return NULL;
		if (p->tok.type == ND_TOK_END)
			break;
		if (p->tok.type != ND_TOK_TEXT)
			return wrong(p, p->tok.pos, "a list behind 'in' holds quoted texts");
		item = parse_atom(p);
		if (!item)
			return NULL;
		push_arg(p, e, item);
		more = p->tok.type == ND_TOK_COMMA;
	}
	if (!close_bracket(p, ND_TOK_CLOSE, open, "()"))
		return NULL;
	e->end = p->last_end;
	return e;
}

/* The current token is 'in' or the 'not' before it. */
static struct nd_expr *parse_in(struct parser *p, struct nd_expr *a)
{
	bool negated = p->tok.type == ND_TOK_NOT;
	struct nd_lexer ahead;
	struct nd_token next;
	struct nd_expr *b;

	if (negated && !advance(p))
		return NULL;
	if (p->tok.type != ND_TOK_IN)
		return expected(p, "'in' behind 'not'", "; for questions write and not");
	if (!advance(p))
		return NULL;
	ahead = p->lx;
	if (p->tok.type == ND_TOK_OPEN) {
		if (!nd_lex_next(&ahead, &next))
			return NULL;
		if (next.type == ND_TOK_TEXT)
			return parse_list(p, negated ? ND_E_NOT_IN_LIST : ND_E_IN_LIST, a);
	}
	b = p->tok.type == ND_TOK_RANGE ? parse_range(p, NULL) : parse_sum(p);
	if (b && p->tok.type == ND_TOK_RANGE && b->op != ND_E_RANGE)
		b = parse_range(p, b);
	return b ? binary(p, negated ? ND_E_NOT_IN : ND_E_IN, a, b) : NULL;
}

static struct nd_expr *parse_match(struct parser *p, enum nd_expr_op op, struct nd_expr *a)
{
	struct nd_expr *e, *pattern;

	if (!advance(p))
		return NULL;
	if (p->tok.type != ND_TOK_TEXT)
		return expected(p, "a pattern in quotes",
				"; patterns are compiled when the rule is loaded");
	pattern = parse_atom(p);
	if (!pattern)
		return NULL;
	e = binary(p, op, a, pattern);
	e->text = pattern->text;
	return e;
}

static struct nd_expr *parse_cmp(struct parser *p)
{
	static const enum nd_expr_op ops[] = {
		[ND_TOK_EQ] = ND_E_EQ,	     [ND_TOK_NE] = ND_E_NE,
		[ND_TOK_LT] = ND_E_LT,	     [ND_TOK_LE] = ND_E_LE,
		[ND_TOK_GT] = ND_E_GT,	     [ND_TOK_GE] = ND_E_GE,
		[ND_TOK_MATCH] = ND_E_MATCH, [ND_TOK_NOT_MATCH] = ND_E_NOT_MATCH,
	};
	struct nd_expr *a = parse_sum(p), *b;
	enum nd_token_type type = p->tok.type;

	if (!a)
		return NULL;
	if (type == ND_TOK_NOT || type == ND_TOK_IN) {
		a = parse_in(p, a);
	} else if (type == ND_TOK_MATCH || type == ND_TOK_NOT_MATCH) {
		a = parse_match(p, ops[type], a);
	} else if (type >= ND_TOK_EQ && type <= ND_TOK_GE) {
		if (!advance(p))
			return NULL;
		b = parse_sum(p);
		a = b ? binary(p, ops[type], a, b) : NULL;
	} else {
		return a;
	}
	type = p->tok.type;
	if (a && ((type >= ND_TOK_EQ && type <= ND_TOK_NOT_MATCH) || type == ND_TOK_IN))
		return wrong(p, p->tok.pos, "comparisons do not chain: write a < b and b < c");
	return a;
}

static struct nd_expr *parse_not(struct parser *p)
{
	return p->tok.type == ND_TOK_NOT ? parse_prefix(p, ND_E_NOT, parse_not) : parse_cmp(p);
}

static struct nd_expr *parse_and(struct parser *p)
{
	static const struct level levels[2] = {{ND_TOK_AND, ND_E_AND}, {ND_TOK_AND, ND_E_AND}};

	return parse_chain(p, levels, parse_not);
}

static struct nd_expr *parse_expr(struct parser *p)
{
	static const struct level levels[2] = {{ND_TOK_OR, ND_E_OR}, {ND_TOK_OR, ND_E_OR}};
	struct nd_expr *e;

	if (!enter(p))
		return NULL;
	e = parse_chain(p, levels, parse_and);
	p->depth--;
	return e;
}

/* The first node that is deeper than allowed, or NULL. */
static const struct nd_expr *too_deep(const struct nd_expr *e, unsigned level)
{
	const struct nd_expr *deep = NULL;

	if (!e)
		return NULL;
	if (level > EXPR_DEPTH_MAX)
		return e;
	deep = too_deep(e->a, level + 1);
	if (!deep)
		deep = too_deep(e->b, level + 1);
	for (uint32_t i = 0; !deep && i < e->n_args; i++)
		deep = too_deep(e->args[i], level + 1);
	return deep;
}

struct nd_expr *nd_expr_parse(struct nd_arena *a, const char *text, bool allow_range,
			      struct nd_expr_error *e)
{
	struct parser p = {.lx = {.arena = a, .s = text, .err = e}, .err = e};
	const struct nd_expr *deep;
	struct nd_expr *root;

	if (strnlen(text, EXPR_BYTES_MAX + 1) > EXPR_BYTES_MAX) {
		nd_expr_fail(e, EXPR_BYTES_MAX, "longer than %u bytes: put a part of it into a let",
			     EXPR_BYTES_MAX);
		return NULL;
	}
	if (!advance(&p))
		return NULL;
	if (p.tok.type == ND_TOK_END) {
		nd_expr_fail(e, 0, "an empty expression");
		return NULL;
	}
	root = allow_range ? parse_arg(&p) : parse_expr(&p);
	if (!root)
		return NULL;
	if (p.tok.type != ND_TOK_END) {
		nd_help_leftover(e, text, &p.tok, p.last_type, 0);
		return NULL;
	}
	deep = too_deep(root, 1);
	if (deep) {
		nd_expr_fail(e, deep->pos, DEEP_HELP, EXPR_DEPTH_MAX);
		return NULL;
	}
	return root;
}
