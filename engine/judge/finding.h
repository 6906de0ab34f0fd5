/* What the judge hands to the reports: plain data, complete, in the order it is to be printed.
 *
 * Texts are what rules and the system said, NOT escaped for any format; a report escapes every one of them.
 * Everything lives in the arena of struct nd_findings. */
#ifndef ND_FINDING_H
#define ND_FINDING_H

#include "engine/core/fact.h"

enum nd_word { ND_SUSPECTED, ND_LIKELY, ND_CONFIRMED };
enum nd_role { ND_TRIGGER, ND_AMPLIFIER, ND_CONSEQUENCE };
enum nd_answer { ND_NO, ND_YES, ND_UNKNOWN };
enum nd_grade { ND_REQUIRES, ND_SUPPORTS, ND_DECIDES };
enum nd_tier { ND_STOP_GAP, ND_CURE, ND_LAST_RESORT };
enum nd_verdict { ND_HEALTHY, ND_CAUSES, ND_INCONCLUSIVE };
const char *nd_word_name(enum nd_word w); /* "confirmed" */
const char *nd_role_name(enum nd_role r); /* "trigger" */
const char *nd_answer_name(enum nd_answer a); /* "yes" */
const char *nd_grade_name(enum nd_grade g); /* "requires" */
const char *nd_tier_name(enum nd_tier t); /* "stop-gap" */
const char *nd_verdict_name(enum nd_verdict v); /* "healthy" */

/* A fact that an answer read. */
struct nd_evidence_value {
	const char *fact; /* "cpu.softnet.dropped.delta" */
	const char *entity; /* "cpu:22" */
	struct nd_value value;
	enum nd_unit unit;
	const char *source; /* "/proc/net/softnet_stat" */
	const char *reproduce; /* shell line, or "" */
	bool distrusted; /* a contradiction speaks against it */
};
/* One question on the path to a conclusion. */
struct nd_evidence {
	const char *ask, *test;
	enum nd_answer answer;
	enum nd_grade grade;
	bool stale; /* rests on lifetime, interval or distrusted values */
	const char *says; /* the branch's own sentence, or NULL */
	const struct nd_evidence_value *values;
	uint32_t n_values; /* at most 24 are kept */
	uint32_t more_values;
};
struct nd_fix {
	enum nd_tier tier;
	const char *title, *risk;
	const char *disrupts; /* what is interrupted; NULL: nothing */
	/* Commands are complete and quoted for sh, one or more lines; NULL where there is none. When a value for them was
	 * missing they are NULL, advice is set and `missing` says which value and how to see it. */
	const char *run, *undo, *persist, *verify, *restart, *advice, *missing;
	const char *not_offered; /* why not; then only tier and title are set beside it */
};
struct nd_related {
	const char *cause, *entity;
	const char
		*how; /* "explains it", "makes it worse", "is its consequence", "told apart by …" */
};
struct nd_finding {
	const char *cause, *rule, *entity; /* "softnet-backlog-drop", "receive-path", "cpu:22" */
	const char *const
		*entities; /* all that are concerned, worst first; entities[0] is entity */
	uint32_t n_entities;
	enum nd_word word;
	enum nd_role role;
	int supports; /* yes minus no of the supports questions */
	const char *title, *because;
	const char *cap; /* why the word is no higher, in a sentence; or NULL */
	/* Accounting; NaN where unknown. delay in s, touches, share and fit as ratios. */
	double delay, touches, share, fit;
	const char *share_of;
	bool too_small; /* fit below 0.2 */
	const struct nd_evidence *evidence;
	uint32_t n_evidence;
	const struct nd_fix *fixes;
	uint32_t n_fixes;
	const struct nd_related *related;
	uint32_t n_related;
	const char *const *references;
	uint32_t n_references;
};
struct nd_ruled_out {
	const char *cause, *rule, *entity; /* the entity that came nearest */
	uint32_t others; /* further entities for which it was ruled out too */
	const char *ask, *because; /* the question and the sentence with its values */
	bool since_boot; /* rests on lifetime values */
};
struct nd_missing_fact {
	const char *fact, *entity;
	enum nd_missing why;
	const char *detail, *reproduce;
	const char *probe; /* the probe that would give it, or NULL */
	const char *collect; /* the command whose output would give it and its like, or NULL */
};
struct nd_open {
	const char *cause, *rule, *entity;
	uint32_t others;
	const char *ask; /* the question that nobody could answer */
	uint32_t yes; /* required or deciding questions before it that said yes */
	const struct nd_missing_fact *missing;
	uint32_t n_missing;
	const char *next; /* the command or probe that decides */
};
struct nd_unexamined {
	const char *rule, *tree;
	bool core;
	const char *entity; /* or NULL: the whole kind is unread */
	uint32_t others;
	const struct nd_missing_fact *missing;
	uint32_t n_missing;
};
struct nd_note {
	const char *name, *rule, *entity, *says;
	uint32_t others;
};
struct nd_source_note { /* an input that could not be used, or was recognised as something */
	const char *path, *says;
};

struct nd_findings {
	struct nd_arena arena;
	const char *version;
	enum nd_verdict verdict;
	const char *
		headline; /* line one in words, without markup: "softnet-backlog-drop on cpu:22 (confirmed)", "no cause found; 8 of 9 trees could be examined" */
	const char *source; /* "live", "folder" */
	const char *symptom; /* "seen", "not-seen", "not-measurable" */
	int64_t started_s, ended_s; /* UTC epoch of the window, 0 when unknown (a folder) */
	int32_t utc_offset_s; /* of local time, for printing both */
	double window; /* seconds; 0: a single moment */
	const char *host_name, *kernel; /* "" when unknown */
	const char *
		netns; /* the network namespace that was looked into; "": our own, or that of a folder */
	const char *
		netns_enter; /* the command for a shell in it, where the report's commands belong */
	uint32_t cpus; /* 0 when unknown */
	double uptime; /* s, NaN when unknown */
	uint32_t examined, of; /* trees */
	const struct nd_finding *findings;
	uint32_t n_findings;
	const struct nd_ruled_out *ruled_out;
	uint32_t n_ruled_out;
	const struct nd_open *open;
	uint32_t n_open;
	const struct nd_unexamined *unexamined;
	uint32_t n_unexamined;
	const struct nd_note *notes;
	uint32_t n_notes;
	const struct nd_note *contradictions;
	uint32_t n_contradictions;
	const struct nd_source_note *inputs; /* bad or unused inputs */
	uint32_t n_inputs;
	const char *next; /* the one next step, in a sentence with its command; or NULL */
	double own_cpu, own_wall; /* seconds that netdoctor itself took */
};
#endif
