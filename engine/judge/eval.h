/* Three-valued evaluation of checked expressions, recording what each answer rests on. */
#ifndef ND_EVAL_H
#define ND_EVAL_H

#include "engine/judge/finding.h"
#include "engine/rule/rule.h"

enum nd_vt {
	ND_R_MISSING,
	ND_R_ABSENT,
	ND_R_NUMBER,
	ND_R_BOOL,
	ND_R_TEXT,
	ND_R_HIST,
	ND_R_ENTITY,
	ND_R_SET,
	ND_R_LIST,
	ND_R_RANGE
};
/* A member of a set; why tells why it is not known which one it is. */
struct nd_item {
	nd_id id; /* or a row of a log pattern */
	enum nd_missing why;
	const char *detail;
};
struct nd_result {
	enum nd_vt t;
	enum nd_basis basis;
	enum nd_missing why;
	bool yes, cut; /* bool; a histogram bucket was prorated */
	const char *detail; /* missing */
	double num; /* number; range: its low end, infinite where open */
	union {
		double hi; /* range */
		const char *text;
		const struct nd_hist *hist;
		struct nd_item *items; /* set */
		struct nd_result *list;
	};
	nd_id id; /* entity */
	uint32_t n; /* set, list */
};

/* One thing that an answer read. */
enum nd_used_what {
	ND_USED_FACT,
	ND_USED_RELATION,
	ND_USED_KIND,
	ND_USED_LOG,
	ND_USED_TALLY,
	ND_USED_MEMBER,
	ND_USED_BUDGET,
	ND_USED_QUESTION, /* all facts are known, but not its answer */
	ND_USED_MEMO
};
struct nd_used {
	enum nd_used_what what;
	nd_id on;
	int32_t id; /* fact, relation, kind, pattern, tally */
	enum nd_accessor accessor;
	bool rows, inverse, distrusted;
	union {
		const char *key; /* MEMBER: what was looked for; QUESTION: the test */
		const struct nd_memo *
			memo; /* MEMO: all that it used; value and distrusted say the worst of it */
	};
	struct nd_result value;
};
struct nd_used_list {
	struct nd_used *v;
	uint32_t n, cap;
};

struct nd_log_row {
	double age; /* negative: unknown */
	const char *text;
	struct nd_result *groups;
};
/* Lines of one pattern of one rule. */
struct nd_log_rows {
	bool done;
	struct nd_log_row *v;
	uint32_t n;
	struct nd_status status;
};
struct nd_distrusted {
	enum nd_kind kind;
	nd_id on; /* ND_NO_ENTITY: all of the kind */
	nd_fact_id fact;
};

/* The value of an expression that names nothing of the walk: computed once a run. Each rule that uses it pays for it, so
 * that no rule's answers depend on which others are loaded. */
struct nd_memo {
	bool done, stale, doubted, unknown;
	uint64_t cost; /* visits */
	const uint64_t *payer; /* whose visits it was added to last */
	struct nd_result value;
	struct nd_used_list used;
};

/* One run of the judge over one store of facts. */
struct nd_run {
	const struct nd_rules *rules;
	struct nd_facts *f;
	struct nd_arena *arena; /* of what is kept */
	struct nd_arena *work; /* of what an evaluation makes on its way; NULL: the same */
	struct nd_arena scratch; /* work of walks that leave nothing behind */
	bool trial; /* such a walk: no texts */
	bool silent; /* and nobody asks what it used */
	struct nd_memo *memos; /* by slot */
	struct nd_view **views; /* by fact and accessor: memo.c */
	struct nd_used_list used; /* of the question that is being asked */
	struct nd_distrusted *distrusted;
	uint32_t n_distrusted, cap_distrusted;
	struct nd_log_rows *logs; /* by slot of the log pattern; NULL until one is asked */
	uint64_t *visits; /* by rule: elements that its expressions looked at */
	/* A rule's test may give the lines of a pattern by its name. */
	struct nd_log_rows *(*log_override)(void *ctx, const struct nd_log_pattern *p);
	void *override_ctx;
};

/* Where an expression is evaluated. */
struct nd_eval {
	struct nd_run *run;
	const struct nd_rule *rule;
	uint32_t rule_index;
	nd_id self;
	nd_id element; /* inside […] */
	uint32_t place, places; /* of self among all of its kind; places 0: not told */
	const nd_id *loops;
	const struct nd_item *found;
	uint32_t n_found;
	struct nd_let_memo *lets; /* by slot, for the walk; or NULL */
	struct nd_used_list *used; /* NULL: do not record */
	uint64_t *visits; /* of elements, of this rule and run */
};
struct nd_let_memo {
	bool done;
	struct nd_result value;
	struct nd_used *used;
	uint32_t n_used;
};
#define ND_MAX_VISITS 1000000u

struct nd_result nd_eval(const struct nd_code *c, struct nd_eval *e);
/* The answer of a question when nobody wants to know why. */
enum nd_answer nd_ask_quickly(const struct nd_code *c, struct nd_eval *e);
/* The answer of a question; absent answers no. */
enum nd_answer nd_ask(const struct nd_code *c, struct nd_eval *e, struct nd_result *out);
bool nd_used_stale(const struct nd_used *u);
bool nd_used_unknown(const struct nd_used *u);

/* The parts (eval.c, eval_path.c, eval_func.c, eval_number.c, eval_text.c, memo.c). */
struct nd_result nd_eval_memo(const struct nd_code *c, struct nd_eval *e);
struct nd_result nd_eval_plain(const struct nd_code *c, struct nd_eval *e); /* not from memory */
void nd_run_free(struct nd_run *run); /* what is not in its arena */
void nd_run_forget(struct nd_run *run); /* all memos */
/* A copy in the run's arena, with what the memos used. */
struct nd_used *nd_used_keep(struct nd_run *run, const struct nd_used_list *l, uint32_t *n);
static inline void *nd_work(const struct nd_eval *e, size_t size)
{
	return nd_arena_alloc(e->run->work ? e->run->work : e->run->arena, size);
}
struct nd_result nd_missing_result(enum nd_missing why, const char *detail);
struct nd_result nd_absent_result(void);
struct nd_result nd_number_result(double v, enum nd_basis b);
struct nd_result nd_bool_result(bool yes);
bool nd_basis_mix(enum nd_basis a, enum nd_basis b, enum nd_basis *out); /* false: mixed-span */
struct nd_result nd_eval_fact(const struct nd_code *c, nd_id on,
			      struct nd_eval *e); /* the fact of this entity */
struct nd_result nd_eval_path(const struct nd_code *c, struct nd_eval *e);
struct nd_result nd_eval_call(const struct nd_code *c, struct nd_eval *e);
struct nd_result nd_eval_set(const struct nd_code *set, bool of_age, struct nd_eval *e);
struct nd_result nd_f_aggregate(const struct nd_code *c, struct nd_eval *e);
struct nd_result nd_f_ratio(const struct nd_code *c, struct nd_eval *e);
struct nd_result nd_f_share(const struct nd_code *c, struct nd_eval *e);
struct nd_result nd_f_fraction(const struct nd_code *c, struct nd_eval *e);
struct nd_result nd_f_mode(const struct nd_code *c, struct nd_eval *e);
struct nd_result nd_f_number(const struct nd_code *c, struct nd_eval *e);
struct nd_result nd_f_cpus(const struct nd_code *c, struct nd_eval *e);
struct nd_result nd_f_names(const struct nd_code *c, struct nd_eval *e);
/* Like nd_eval, with the member set. */
struct nd_result nd_eval_member(const struct nd_code *c, nd_id member, struct nd_eval *e);
bool nd_visit(struct nd_eval *e); /* false: budget; then the result is nd_out_of_budget */
struct nd_result nd_out_of_budget(struct nd_eval *e);
/* Is id a known member? s begins as zeros and belongs to this set, which may only grow. */
struct nd_id_set {
	uint64_t *words;
	uint32_t n_words, seen;
};
bool nd_id_set_has(struct nd_id_set *s, const struct nd_result *set, nd_id id, struct nd_eval *e);
void nd_use(struct nd_eval *e, const struct nd_used *u);
void nd_use_room(struct nd_eval *e, uint32_t n); /* n more are to come */
void nd_used_cut(struct nd_used_list *l, uint32_t from, uint32_t to); /* removes [from, to) */
bool nd_used_clean(const struct nd_used_list *l, uint32_t from); /* nothing stale from there on */
struct nd_log_rows *nd_log_rows_of(struct nd_run *run, uint32_t slot);

/* Tallies: counted while rows are streamed, read by slot. */
bool nd_tally_get(const struct nd_facts *f, uint32_t slot, nd_id on, double *hits, double *rows);
void nd_tally_put(struct nd_facts *f, const struct nd_rules *rules, uint32_t slot, nd_id on,
		  double hits, double rows);
/* A row's condition; used by the tallies. */
struct nd_result nd_eval_row(const struct nd_code *where, const double *columns);
#endif
