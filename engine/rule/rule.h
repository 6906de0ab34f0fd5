/* A loaded rule: its trees, causes, fixes, notes and contradictions, compiled and checked.
 *
 * Causes are compiled once per tree that concludes them (struct nd_use), since their texts speak of
 * that tree's walked entity. Everything lives in the arena of struct nd_rules. */
#ifndef ND_RULE_H
#define ND_RULE_H

#include "engine/rule/code.h"
#include "engine/rule/keys.h"
#include "engine/rule/rules.h"
#include "engine/rule/yaml.h"

#define ND_MAX_USES 64 /* causes of one tree: a set of them is a mask */

/* Prose or shell text with holes. */
struct nd_text_piece {
	const char *literal; /* or NULL: then code */
	struct nd_code *code;
	const char *source;
	const char *unit; /* of the format, or NULL */
	double factor; /* of that unit */
	int digits; /* -1: as it comes */
};
struct nd_ctext {
	struct nd_text_piece *pieces;
	uint32_t n;
};

enum nd_way { ND_WAY_NEXT, ND_WAY_OPEN, ND_WAY_LIST, ND_WAY_GO, ND_WAY_CONCLUDE, ND_WAY_RULE_OUT };
#define ND_NO_CAP (-1)
struct nd_nodes;
struct nd_branch {
	enum nd_way way;
	struct nd_nodes *list; /* LIST, GO */
	const char *go;
	uint32_t use; /* CONCLUDE */
	struct nd_ctext *because, *says;
	int cap; /* 0 suspected, 1 likely, as enum nd_word; ND_NO_CAP */
};
struct nd_node {
	bool conclusion;
	uint32_t use; /* conclusion */
	struct nd_code *entity;
	struct nd_ctext *ask;
	struct nd_code *test;
	const char *test_text;
	int grade; /* as enum nd_grade: 0 requires, 1 supports, 2 decides */
	struct nd_branch branch[3]; /* by answer: 0 no, 1 yes, 2 unknown */
	const struct nd_yaml *yaml;
};
struct nd_nodes {
	struct nd_node *v;
	uint32_t n;
	const char *name; /* of a branch, or NULL */
	bool used;
	bool entered, left; /* by the search for circles */
	bool ends; /* every way through it ends */
	bool settled; /* ends and reach are known */
	uint64_t reach; /* causes that can be concluded from its first node on */
	const struct nd_yaml *yaml;
};

struct nd_refute {
	struct nd_code *test;
	struct nd_ctext *because;
	int cap; /* ND_NO_CAP: rules it out */
};
struct nd_sysctl_step {
	struct nd_ctext *key;
	struct nd_code *value;
	const char *value_text;
};
struct nd_fix_rule {
	int tier; /* as enum nd_tier */
	struct nd_ctext *title, *risk, *disrupts, *other, *run, *undo, *persist, *restart, *advice;
	struct nd_code *when, *verify, *inside;
	const char *verify_text;
	struct nd_sysctl_step *sysctls;
	uint32_t n_sysctls;
	const char **loop_names;
	enum nd_kind *loop_kinds;
	struct nd_code **loop_sets;
	const char **loop_texts;
	uint32_t n_loops;
};
struct nd_cause {
	const char *name; /* "listen-overflow", or "listen-overflow@netns" for one kind of scope */
	const char *base; /* without @kind */
	const char *variant; /* "netns", or NULL */
	const struct nd_yaml *yaml;
	const struct nd_yaml *like; /* the map whose keys it takes over, or NULL */
	const char *narrows;
	bool concluded;
};
/* A cause as one tree concludes it. */
struct nd_use {
	const char *name; /* base name */
	const struct nd_cause *cause;
	enum nd_kind about_kind;
	bool together;
	struct nd_ctext *title, *because, *share_of;
	struct nd_code *delay, *touches, *share, *worst_by;
	struct nd_refute *refutes;
	uint32_t n_refutes;
	struct nd_fix_rule *fixes;
	uint32_t n_fixes;
	const char **explains, **amplifies, **excludes, **references;
	uint32_t n_explains, n_amplifies, n_excludes, n_references;
};
struct nd_tree {
	const char *name; /* "main" for the only tree of a file */
	struct nd_rule *rule;
	enum nd_kind scope;
	struct nd_code *when;
	const char *when_text;
	struct nd_let *lets;
	uint32_t n_lets;
	struct nd_nodes nodes;
	struct nd_nodes *branches;
	uint32_t n_branches;
	struct nd_use *uses;
	uint32_t n_uses, cap_uses;
	const struct nd_yaml *yaml;
};
/* A note or a contradiction. */
struct nd_remark {
	const char *name;
	enum nd_kind scope;
	struct nd_let *lets;
	uint32_t n_lets;
	struct nd_code *test;
	struct nd_ctext *says;
	const char **instead_of;
	uint32_t n_instead_of;
	struct {
		enum nd_kind kind;
		nd_fact_id fact;
	} * distrust;
	uint32_t n_distrust;
};
struct nd_rule {
	const char *name, *path, *title, *about, *text;
	size_t len;
	bool core, builtin;
	const struct nd_yaml *yaml;
	struct nd_param *params;
	uint32_t n_params;
	struct nd_log_pattern *logs;
	uint32_t n_logs;
	struct nd_tally *tallies;
	uint32_t n_tallies;
	struct nd_cause *causes;
	uint32_t n_causes;
	struct nd_tree *trees;
	uint32_t n_trees;
	struct nd_remark *notes, *contradictions;
	uint32_t n_notes, n_contradictions;
	const char **references;
	uint32_t n_references;
};
struct nd_library {
	const char *name, *path, *text;
	size_t len;
	const struct nd_yaml *yaml;
	struct nd_param *params;
	uint32_t n_params;
	struct nd_derived *derived;
	uint32_t n_derived;
	struct nd_log_pattern *logs;
	uint32_t n_logs;
};
/* Another value for a threshold. */
struct nd_setting {
	const char *assignment; /* rule.param=value */
	const char *by; /* "--set", or the path of the file */
	const char *text; /* the file's */
	size_t len;
	const struct nd_yaml *at; /* NULL: --set */
};
struct nd_rules {
	const struct nd_registry *registry;
	struct nd_arena arena;
	struct nd_rule **rules;
	uint32_t n, cap;
	struct nd_library **libraries;
	uint32_t n_libraries, cap_libraries;
	struct nd_pattern **patterns;
	uint32_t n_patterns, cap_patterns;
	const struct nd_log_pattern **logs; /* by slot: of all rules and libraries */
	uint32_t n_logs, cap_logs;
	struct nd_setting *settings; /* in the order given: the later wins */
	uint32_t n_settings, cap_settings;
	uint32_t n_tallies;
	struct nd_memo_key {
		const struct nd_code *code;
		uint32_t hash, next; /* of its chain, + 1 */
	} * memos; /* what a run remembers, by slot */
	uint32_t n_memos, cap_memos;
	uint32_t memo_chains[1024]; /* slot + 1 */
	struct nd_loader *loader; /* while nd_rules_check runs */
};

/* ---- the loader's parts ---- */
struct nd_loader;
/* What is set for owner.name, or NULL. */
const struct nd_setting *nd_rules_setting(const struct nd_rules *rules, const char *owner,
					  const char *name);
void nd_setting_wrong(struct nd_loader *l, const struct nd_setting *s, const char *fmt, ...)
	ND_PRINTF(3, 4);
void nd_settings_check(struct nd_loader *l); /* each names a threshold that there is */
struct nd_loader {
	struct nd_rules *rules;
	struct nd_rule *rule; /* being compiled; NULL for a library */
	const char *path, *text; /* of the file that messages speak of */
	size_t len;
	struct nd_buf *messages;
	uint32_t errors;
	uint32_t
		inside; /* lets and derived facts that are being compiled, each needed by the one before */
	uint32_t chain; /* the longest chain that the innermost of them stands on */
};
/* Appends an error at character i of a scalar (0 for maps and lists); counts it. */
void nd_say(struct nd_loader *l, const struct nd_yaml *at, uint32_t i, const char *fmt, ...)
	ND_PRINTF(4, 5);
/* Unknown keys, with the nearest right one. False if at is no map (said). */
bool nd_keys(struct nd_loader *l, const struct nd_yaml *at, const struct nd_section *section);
/* A key whose value is names, each with a section of its own; NULL if it is not there, or is something else (said). */
const struct nd_yaml *nd_named_of(struct nd_loader *l, const struct nd_yaml *map, const char *key);
const char *nd_text_of(struct nd_loader *l, const struct nd_yaml *map, const char *key,
		       bool needed); /* or NULL */
/* A text or a list of texts as an array in the arena. */
const char **nd_texts_of(struct nd_loader *l, const struct nd_yaml *y, uint32_t *n);
struct nd_code *nd_code_of(struct nd_loader *l, const struct nd_yaml *y,
			   const struct nd_scope *s); /* or NULL, said */
struct nd_code *nd_question_of(struct nd_loader *l, const struct nd_yaml *y,
			       const struct nd_scope *s);
struct nd_code *nd_number_of(struct nd_loader *l, const struct nd_yaml *y,
			     const struct nd_scope *s);
struct nd_ctext *nd_ctext_of(struct nd_loader *l, const struct nd_yaml *y, const struct nd_scope *s,
			     bool shell);
/* Index of a word in a list ending with NULL, or -1 with a message. */
int nd_word_of(struct nd_loader *l, const struct nd_yaml *y, const char *const *words);

struct nd_scope nd_scope_of(struct nd_loader *l, enum nd_kind kind, struct nd_let *lets,
			    uint32_t n_lets);
void nd_load_params(struct nd_loader *l, const struct nd_yaml *map, struct nd_param **out,
		    uint32_t *n, const char *owner);
void nd_load_lets(struct nd_loader *l, const struct nd_yaml *file, const struct nd_yaml *tree,
		  struct nd_let **out, uint32_t *n);
void nd_load_causes(struct nd_loader *l, struct nd_rule *r);
void nd_load_tree(struct nd_loader *l, struct nd_rule *r, const struct nd_yaml *y, const char *name,
		  enum nd_kind scope);
void nd_load_use(struct nd_loader *l, struct nd_tree *t, struct nd_use *u,
		 const struct nd_scope *s);
void nd_load_fix(struct nd_loader *l, const struct nd_yaml *y, const struct nd_scope *s,
		 struct nd_fix_rule *out);
void nd_load_remarks(struct nd_loader *l, struct nd_rule *r, const char *section);
void nd_rules_load_rule(struct nd_loader *l, struct nd_rule *r);
void nd_rules_load_library(struct nd_loader *l, struct nd_library *lib);
/* Key of a cause: its own, or that of the cause it is like. */
const struct nd_yaml *nd_cause_key(const struct nd_cause *c, const char *key);
/* Which causes can still be concluded from node i of a list on, without what comes behind the list; *ends: every way
 * through it ends. */
uint64_t nd_reach(const struct nd_nodes *list, uint32_t i, bool *ends);
uint64_t nd_branch_reach(const struct nd_branch *b, bool *ends);
bool nd_list_ends(const struct nd_nodes *list); /* every way through it ends the walk */
/* Says what is wrong with the shape; fills in reach and ends of all lists. */
void nd_check_shape(struct nd_loader *l, struct nd_tree *t);
#endif
