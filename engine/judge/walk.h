/* One walk of one tree for one entity: the path taken is the evidence. */
#ifndef ND_WALK_H
#define ND_WALK_H

#include "engine/judge/eval.h"

struct nd_answered {
	const struct nd_node *node;
	enum nd_answer answer;
	bool stale, doubted; /* rests on old, on distrusted values */
	bool chose; /* a no that led on: it only chose the way */
	uint64_t could; /* causes that a yes could have led to */
	const char *says;
	struct nd_used *used;
	uint32_t n_used;
};
enum nd_fate { ND_FATE_NONE, ND_FATE_RULED_OUT, ND_FATE_OPEN };
struct nd_lost { /* a cause that was not concluded */
	enum nd_fate fate;
	uint32_t at; /* the answer that decided it; UINT32_MAX: a refutation or an exclusion */
	const char *because; /* in the rule's words, or NULL */
};
struct nd_walk {
	const struct nd_tree *tree;
	uint32_t rule_index;
	nd_id self, about;
	struct nd_item
		alone; /* about, for texts that are asked for its members before they are known */
	uint32_t place, places; /* as in struct nd_eval */
	uint32_t
		others; /* further entities with the same answers and without a finding: they have no walk of their own */
	bool gated; /* the gate said no: the tree has nothing to say here */
	bool unexamined; /* the gate is unknown */
	struct nd_used *gate;
	uint32_t n_gate;
	struct nd_answered *path;
	uint32_t n_path, cap_path;
	struct nd_lost *lost; /* by use of the tree */
	int found; /* use, or -1 */
	enum nd_word word;
	int supports;
	int cap; /* ND_NO_CAP or enum nd_word */
	const char *cap_why;
	double delay, touches, share, fit; /* NaN: unknown */
	/* set by the ranking */
	struct nd_item *members;
	uint32_t n_members;
	enum nd_role role;
	bool dropped;
	uint64_t *visits;
};

/* tree, rule_index, self and visits of w are given, and what the gate said. While run->trial is set, everything is in the run's work memory, there are no texts, and a walk that concludes stops
 * there. */
void nd_walk(struct nd_run *run, struct nd_walk *w, enum nd_answer gate);
/* An evaluation context for the finding's texts: sees its members as `found`. */
struct nd_eval nd_walk_eval(struct nd_run *run, const struct nd_walk *w);
const struct nd_use *nd_walk_use(const struct nd_walk *w);

/* ---- texts (render.c) ---- */
enum nd_unit nd_type_unit(const struct nd_xtype *t); /* for printing */
void nd_render_value(struct nd_buf *b, const struct nd_result *r, const struct nd_xtype *t,
		     const struct nd_run *run);
/* Prose in the run's arena. */
const char *nd_render(const struct nd_ctext *t, struct nd_eval *e);
/* The same for whole sentences, without the brackets and clauses in which something is unknown (tidy.c). */
const char *nd_render_sentences(const struct nd_ctext *t, struct nd_eval *e);
#define ND_UNKNOWN_MARK '\1' /* stands before what is unknown */
void nd_tidy(const char *s, struct nd_buf *out);
/* Shell text; NULL if a value is missing, then *missing says which, and *shows is the line that shows it. */
const char *nd_render_shell(const struct nd_ctext *t, struct nd_eval *e, const char **missing);
/* "cpu.softnet.dropped.delta" of a used fact, and so on. */
const char *nd_used_name(const struct nd_run *run, const struct nd_rule *rule,
			 const struct nd_used *u);
const char *nd_used_entity(const struct nd_run *run, const struct nd_used *u);
/* The same is among u[0] to u[i - 1] already. */
bool nd_used_before(const struct nd_used *u, uint32_t i);

/* ---- fixes (fix.c) ---- */
void nd_fix_print(const struct nd_fix_rule *rule, const struct nd_walk *w, struct nd_run *run,
		  struct nd_fix *out);

/* ---- assembly (rank.c, report_facts.c) ---- */
struct nd_outcome {
	struct nd_walk *walks;
	uint32_t n_walks, cap_walks;
	struct nd_walk **found; /* ranked */
	uint32_t n_found;
	struct { /* scopes that nobody could read */
		const struct nd_tree *tree;
		uint32_t rule_index;
		struct nd_status status;
	} * unread;
	uint32_t n_unread, cap_unread;
	struct nd_remark_hit {
		const struct nd_remark *remark;
		const struct nd_rule *rule;
		uint32_t rule_index;
		nd_id on;
		uint32_t others;
		const char *says;
	} * notes, *contradictions;
	uint32_t n_notes, cap_notes, n_contradictions, cap_contradictions;
};
/* Contradictions, all trees, ranking, notes. only: index of one rule, or UINT32_MAX for all. */
void nd_judge_run(struct nd_run *run, uint32_t only, struct nd_outcome *out);
void nd_outcome_free(struct nd_outcome *o);
void nd_rank(struct nd_run *run, struct nd_outcome *o);
/* Is the cause, or a narrower one of it, among the findings? */
bool nd_outcome_names(const struct nd_outcome *o, const char *cause);
#endif
