/* Facts and rules in, findings out. Pure: no I/O, no clock. */
#ifndef ND_JUDGE_H
#define ND_JUDGE_H

#include "engine/judge/finding.h"
#include "engine/rule/rules.h"

/* Counts the rules' tallies while rows are streamed; call before collecting. The tallies belong to f. */
void nd_judge_watch(const struct nd_rules *rules, struct nd_facts *f);

/* What only the caller knows; copied into the findings. Members as in struct nd_findings. */
struct nd_judge_about {
	const char *version, *source, *host_name, *netns, *netns_enter;
	int64_t started_s, ended_s;
	int32_t utc_offset_s;
	double own_cpu, own_wall;
};
/* Never NULL. Free with nd_findings_free. */
struct nd_findings *nd_judge(const struct nd_rules *rules, struct nd_facts *f,
			     const struct nd_judge_about *about);
void nd_findings_free(struct nd_findings *r);

/* ---- the tests inside the rule files ---- */
/* One test, or one row of it, that was run. The texts live until `each` returns. */
struct nd_test_result {
	const char *rule, *name, *path;
	uint32_t line;
	const char *why; /* what was not as expected; "" if it passed */
	const char *
		trace; /* of a failed one: the way the trees took and where it parted, as lines; or "" */
};
struct nd_test_hooks {
	void (*each)(void *ctx, const struct nd_test_result *t); /* or NULL */
	/* Reads what a test's `case:` names into f; path is relative to the current directory. 0, or a negative errno
	 * with e filled. NULL: tests with a case fail. */
	int (*read_case)(void *ctx, const char *path, struct nd_facts *f, struct nd_err *e);
	void *ctx;
};
/* Counts are added to *passed and *failed. only: the name of one rule, or NULL for all; h may be NULL. */
void nd_ruletest(struct nd_rules *rules, const char *only, const struct nd_test_hooks *h,
		 uint32_t *passed, uint32_t *failed);

/* ---- what the tests of a rule reach ---- */
struct nd_cover_branch {
	const char *tree, *ask; /* of the rules */
	uint32_t line;
	bool gate;
	enum nd_answer answer;
	uint32_t times; /* how often the tests give this answer */
};
struct nd_cover_cause {
	const char *cause;
	bool concluded; /* a test finds it */
	bool quiet; /* a test asks, and rules it out */
	bool open; /* a test lacks a fact for it */
};
struct nd_yaml;
struct nd_cover {
	struct nd_cover_branch *branches; /* three for each gate and question */
	const struct nd_yaml **at; /* of each: where it stands */
	uint32_t n_branches, cap_branches;
	struct nd_cover_cause *causes;
	uint32_t n_causes, cap_causes;
	uint32_t passed, failed; /* tests */
	bool found_nothing; /* a test rules causes out, and finds none */
};
/* Runs the tests of rule number `rule`. Never NULL; free with nd_cover_free, before the rules. */
struct nd_cover *nd_ruletest_cover(struct nd_rules *rules, uint32_t rule,
				   const struct nd_test_hooks *h);
void nd_cover_free(struct nd_cover *c);
/* Runs the tests of rule number `rule`, and appends what they leave out: causes that none concludes or leaves open, a
 * host where nothing is found. Messages as those of loading. */
void nd_lint_tests(struct nd_rules *rules, uint32_t rule, const struct nd_test_hooks *h,
		   struct nd_buf *messages);

/* ---- one cause on every entity ---- */
enum nd_why_end {
	ND_WHY_FOUND,
	ND_WHY_OPEN,
	ND_WHY_RULED_OUT,
	ND_WHY_UNEXAMINED,
	ND_WHY_GATED,
	ND_WHY_ENDS
};
struct nd_why_walk {
	const char *rule, *tree; /* tree "main": the only one of the file */
	const char *entity; /* that was walked */
	enum nd_why_end end;
	const struct nd_evidence *gate; /* NULL: the tree has none; ask is "" */
	const char *gate_names; /* as names */
	const struct nd_evidence *path; /* all that was asked, in order */
	const char *const *names; /* of each: "$share = 12 %, $most = 5%", or "" */
	uint32_t n_path;
	/* FOUND */
	enum nd_word word;
	enum nd_role role;
	const char *about, *title, *because;
	const char *cap; /* why the word is no higher, or NULL */
	/* RULED_OUT, OPEN */
	uint32_t
		left; /* the answer that decided it, in path; UINT32_MAX: a refutation or another finding */
	const char *left_because; /* in the rule's words, or NULL */
	const char *instead; /* the cause that the walk concluded, or NULL */
};
struct nd_why {
	struct nd_arena arena;
	bool known; /* some rule concludes this cause */
	const struct nd_why_walk
		*walks; /* worst first: found (surest first), open, ruled out (nearest first), … */
	uint32_t n_walks;
	uint32_t ended[ND_WHY_ENDS]; /* all walks, also those beyond max */
	struct { /* trees whose entities nobody could read */
		const char *rule, *tree, *detail;
		enum nd_kind kind;
		enum nd_missing why;
	} unread[16];
	uint32_t n_unread;
};
/* Judges all rules, then shows the cause on at most max entities. Never NULL; free with nd_why_free. The values of histograms
 * belong to f. */
struct nd_why *nd_why(const struct nd_rules *rules, struct nd_facts *f, const char *cause,
		      uint32_t max);
void nd_why_free(struct nd_why *w);
#endif
