/* Facts: named, typed, unit-carrying measurements about entities, or the reason why there is none.
 *
 * Collectors and probes put, rules read. An entity is an interned id; a fact is a row of a const
 * table beside the parser that fills it; the store keeps one column per fact, indexed by the entity's
 * place among those of its kind. There is no default value for anything: what nobody put is missing,
 * with a reason. Everything lives as long as the store. */
#ifndef ND_FACT_H
#define ND_FACT_H

#include "engine/core/base.h"
#include "engine/core/hist.h"
#include "engine/core/str.h"

enum nd_kind {
#define ND_KIND(id, name, plural, number, doc) id,
#define ND_RELATION(id, from, name, to, many, inverse)
#include "engine/core/kinds.def"
#undef ND_KIND
#undef ND_RELATION
	ND_KINDS,
	ND_NO_KIND = ND_KINDS
};
struct nd_kind_def {
	const char *name, *plural; /* plural NULL: there is one such entity, with an empty key */
	bool number_key;
	const char *doc;
};
extern const struct nd_kind_def nd_kinds[ND_KINDS];

enum nd_relation {
#define ND_KIND(id, name, plural, number, doc)
#define ND_RELATION(id, from, name, to, many, inverse) id,
#include "engine/core/kinds.def"
#undef ND_KIND
#undef ND_RELATION
	ND_RELATIONS
};
struct nd_relation_def {
	enum nd_kind from;
	const char *name;
	enum nd_kind to;
	bool many; /* a list; else at most one */
	const char *inverse; /* always a list */
};
extern const struct nd_relation_def nd_relations[ND_RELATIONS];

/* Why a fact has no value: the closed list. Names as in reports: nd_missing_name. */
enum nd_missing {
	ND_PRESENT,
	ND_NO_PERMISSION,
	ND_NOT_ON_THIS_KERNEL,
	ND_NOT_BUILT,
	ND_NOT_SAMPLED,
	ND_TOO_FEW_SAMPLES,
	ND_TOOL_OUTPUT_ABSENT,
	ND_PARSE_ERROR,
	ND_BUDGET,
	ND_TIMED_OUT,
	ND_TRUNCATED,
	ND_COUNTER_RESET,
	ND_SINGLE_SNAPSHOT,
	ND_MIXED_SPAN,
	ND_AMBIGUOUS_SOURCE,
	ND_SILENT,
	ND_MISSINGS
};
const char *nd_missing_name(enum nd_missing m); /* "no-permission" */
bool nd_missing_from_name(const char *name, enum nd_missing *out);

enum nd_type { ND_T_NUMBER, ND_T_TEXT, ND_T_WORDS, ND_T_BOOL, ND_T_HIST };
/* How a number behaves: a gauge is true now; a sampled gauge also offers .min .mean .max .samples;
 * counters only grow, and wrap at their width. */
enum nd_width { ND_GAUGE, ND_SAMPLED, ND_COUNTER32, ND_COUNTER64 };

struct nd_fact_def {
	const char *name; /* "softnet.dropped"; rules write cpu.softnet.dropped.delta */
	enum nd_kind on;
	enum nd_type type;
	enum nd_unit unit;
	enum nd_width width; /* numbers only */
	const char *doc; /* one line, ends up in the reference */
	const char *
		reproduce; /* shell line that shows this entity's number by hand; {key} is the entity's key */
	const char
		*probe; /* the probe that gives it, or NULL: what a report names as the next step */
	double kernel_unit; /* one of the source's units in base units (1e-6 for microseconds); 0 is 1: applied to
	                        counters when they are read, and by fixes to sysctls when they are printed */
};

/* A stream of rows that is evaluated while it is read and not kept. Columns are numbers in base units. */
struct nd_column {
	const char *name;
	enum nd_unit unit;
};
struct nd_table_def {
	const char *name; /* "samples" */
	const enum nd_kind *on; /* kinds that have such rows, ends with ND_NO_KIND */
	const struct nd_column *columns;
	uint32_t n_columns;
	const char *doc;
};

/* The registry: every fact that any part of the program can put, known before anything is read. */
typedef int32_t nd_fact_id; /* index into the registry; negative: none */
struct nd_registry;
struct nd_registry *nd_registry_new(void);
void nd_registry_add(
	struct nd_registry *r,
	const struct nd_fact_def *table); /* ends with name NULL; adding a table again is nothing */
/* The same; collect: the command whose output gives them, or NULL. Borrowed. */
void nd_registry_add_from(struct nd_registry *r, const struct nd_fact_def *table,
			  const char *collect);
/* What to collect for a fact, or for the entities of a kind: a command, or NULL. */
const char *nd_registry_collect(const struct nd_registry *r, nd_fact_id id);
const char *nd_registry_collect_kind(const struct nd_registry *r, enum nd_kind kind);
void nd_registry_add_table(struct nd_registry *r, const struct nd_table_def *table);
void nd_registry_free(struct nd_registry *r);
uint32_t nd_registry_count(const struct nd_registry *r);
const struct nd_fact_def *nd_registry_def(const struct nd_registry *r, nd_fact_id id);
nd_fact_id nd_registry_find(const struct nd_registry *r, enum nd_kind on,
			    const char *name); /* exact; negative: none */
uint32_t nd_registry_tables(const struct nd_registry *r);
const struct nd_table_def *nd_registry_table(const struct nd_registry *r, uint32_t i);

/* Where a value came from. Handed to a collector with each input and passed on to every put. */
struct nd_input {
	const char *path; /* file, netlink family or tool output, as a report shows it */
	uint64_t t_ns; /* the moment it was taken: monotonic clock live, the @SECONDS of a folder */
	bool interval; /* its numbers are the tool's own differences of unknown length (plain nstat) */
	bool untimed; /* taken after the last one of its kind, nobody knows how long after: no rates */
	bool filtered; /* a filter (grep, head) took lines away: what is not there is unknown, not zero */
	const char *netns; /* key of the namespace it speaks of: "host" is the target's own */
	const char *arg; /* what the * of the pattern matched, such as an interface name; or NULL */
};

/* ---- the store ---- */
typedef uint32_t nd_id; /* an entity; 0 is the host */
#define ND_NO_ENTITY UINT32_MAX
struct nd_facts;

struct nd_facts *nd_facts_new(const struct nd_registry *r); /* borrows r */
void nd_facts_free(struct nd_facts *f);
const struct nd_registry *nd_facts_registry(const struct nd_facts *f);
struct nd_arena *nd_facts_arena(struct nd_facts *f);

/* Entities. The key is copied; netns other than the target's is part of the key: "eth0@pod1". */
nd_id nd_entity(struct nd_facts *f, enum nd_kind kind, const char *key);
nd_id nd_entity_num(struct nd_facts *f, enum nd_kind kind, uint64_t key);
/* The same, with "@netns" appended unless netns is NULL or "host". */
nd_id nd_entity_in(struct nd_facts *f, enum nd_kind kind, const char *key, const char *netns);
nd_id nd_entity_find(const struct nd_facts *f, enum nd_kind kind,
		     const char *key); /* or ND_NO_ENTITY */
enum nd_kind nd_entity_kind(const struct nd_facts *f, nd_id id);
const char *nd_entity_key(const struct nd_facts *f, nd_id id);
/* "cpu:22", "host"; in the store's arena. */
const char *nd_entity_name(const struct nd_facts *f, nd_id id);
uint32_t nd_entity_count(const struct nd_facts *f);
/* All of a kind, in order of key (numbers by value); valid until the next entity is made. */
const nd_id *nd_entities(const struct nd_facts *f, enum nd_kind kind, uint32_t *n);

/* Was a kind read at all? Empty and unread are different answers. A kind with entities counts as read. */
void nd_kind_read(struct nd_facts *f, enum nd_kind kind);
/* None, or not all of its entities could be read. Kept only while the kind is not read; with entities
 * present the set has one unknown member more. */
void nd_kind_missing(struct nd_facts *f, enum nd_kind kind, enum nd_missing why, const char *fmt,
		     ...) ND_PRINTF(4, 5);
struct nd_status {
	enum nd_missing why; /* ND_PRESENT: known and complete */
	const char *detail;
};
struct nd_status nd_kind_status(const struct nd_facts *f, enum nd_kind kind);

/* Putting. A second reading of a counter makes a window. What another collector has put first stays
 * ("the order of the list wins"); a gross disagreement becomes a contradiction. */
void nd_put_num(struct nd_facts *f, nd_id on, const struct nd_fact_def *fact, double v,
		const struct nd_input *in);
void nd_put_reading(struct nd_facts *f, nd_id on, const struct nd_fact_def *fact, uint64_t count,
		    const struct nd_input *in);
void nd_put_bool(struct nd_facts *f, nd_id on, const struct nd_fact_def *fact, bool v,
		 const struct nd_input *in);
void nd_put_text(struct nd_facts *f, nd_id on, const struct nd_fact_def *fact, const char *v,
		 const struct nd_input *in);
void nd_put_hist(struct nd_facts *f, nd_id on, const struct nd_fact_def *fact,
		 const struct nd_hist *h, const struct nd_input *in);
void nd_put_absent(struct nd_facts *f, nd_id on, const struct nd_fact_def *fact,
		   const struct nd_input *in);
/* Never replaces a value. */
void nd_put_missing(struct nd_facts *f, nd_id on, const struct nd_fact_def *fact,
		    enum nd_missing why, const char *fmt, ...) ND_PRINTF(5, 6);
/* The reason for every entity that has nothing of its own: said once per fact by whoever failed to read it. */
void nd_fact_missing(struct nd_facts *f, const struct nd_fact_def *fact, enum nd_missing why,
		     const char *fmt, ...) ND_PRINTF(4, 5);
/* What a fact that nobody put and nobody explained is missing for: ND_NOT_SAMPLED unless said otherwise. */
void nd_facts_default_reason(struct nd_facts *f, enum nd_missing why);
/* Takes back what was put: a rule's test overrides single facts of another. */
void nd_forget(struct nd_facts *f, nd_id on, nd_fact_id fact);
/* Test facts and replay: a counter with exactly these; NaN leaves one unset. Seconds, events. */
void nd_put_counter(struct nd_facts *f, nd_id on, nd_fact_id fact, double total, double delta,
		    double rate, double peak, const struct nd_input *in);

void nd_relate(struct nd_facts *f, nd_id from, enum nd_relation rel, nd_id to);
void nd_relate_none(struct nd_facts *f, nd_id from,
		    enum nd_relation rel); /* known: there is none */
void nd_relate_missing(struct nd_facts *f, nd_id from, enum nd_relation rel, enum nd_missing why,
		       const char *fmt, ...) ND_PRINTF(5, 6);
/* The same for the inverse side: "netns.listeners" of this netns. */
void nd_relate_none_inverse(struct nd_facts *f, nd_id to, enum nd_relation rel);
void nd_relate_missing_inverse(struct nd_facts *f, nd_id to, enum nd_relation rel,
			       enum nd_missing why, const char *fmt, ...) ND_PRINTF(5, 6);

/* One side of a relation as exactly these, whatever the other side says; NULL and 0 for none. */
void nd_links_set(struct nd_facts *f, nd_id on, enum nd_relation rel, bool inverse,
		  const nd_id *ids, uint32_t n);

/* Kernel log lines. age is in seconds before the end of the window; negative: the line had no time. */
void nd_put_log(struct nd_facts *f, double age, const char *text, const struct nd_input *in);
void nd_log_read(struct nd_facts *f); /* known, even if no line came */
void nd_log_missing(struct nd_facts *f, enum nd_missing why, const char *fmt, ...) ND_PRINTF(3, 4);

/* Rows of a streamed table; a NaN column is unknown. Nobody may want them: then they need not be made. */
bool nd_rows_wanted(const struct nd_facts *f);
void nd_put_row(struct nd_facts *f, nd_id on, const struct nd_table_def *table,
		const double *columns);
typedef void nd_row_sink(void *ctx, struct nd_facts *f, nd_id on, const struct nd_table_def *table,
			 const double *columns);
void nd_facts_on_row(struct nd_facts *f, nd_row_sink *sink, void *ctx);
/* Sees the rows as well, for a capture; they are wanted then. NULL ends that. */
void nd_facts_record_rows(struct nd_facts *f, nd_row_sink *sink, void *ctx);
void *nd_facts_row_ctx(const struct nd_facts *f); /* what was given there, or NULL */

/* Which collector speaks now (its place in the list); decides between two sources of one fact. */
void nd_facts_speaker(struct nd_facts *f, uint32_t order);
/* Something that cannot be true was seen: printed in a section of its own. */
void nd_facts_contradict(struct nd_facts *f, const char *fmt, ...) ND_PRINTF(2, 3);
const char *const *nd_facts_contradictions(const struct nd_facts *f, uint32_t *n);

/* ---- reading ---- */
/* What a number stands on. Constants have none. */
enum nd_basis { ND_B_NONE, ND_B_STATE, ND_B_WINDOW, ND_B_INTERVAL, ND_B_LIFETIME };
const char *nd_basis_name(enum nd_basis b);

enum nd_vtype { ND_V_MISSING, ND_V_ABSENT, ND_V_NUMBER, ND_V_BOOL, ND_V_TEXT, ND_V_HIST };
struct nd_value {
	enum nd_vtype type;
	enum nd_basis basis;
	enum nd_missing why; /* ND_V_MISSING */
	const char *detail; /* ND_V_MISSING: one line, or "" */
	union {
		double num; /* base units */
		bool yes;
		const char *text;
		const struct nd_hist *hist;
	};
};
enum nd_accessor {
	ND_BARE,
	ND_TOTAL,
	ND_DELTA,
	ND_RATE,
	ND_PEAK,
	ND_SEEN,
	ND_FIRST,
	ND_CHANGE,
	ND_MIN,
	ND_MEAN,
	ND_MAX,
	ND_SAMPLES,
	ND_ACCESSORS
};
const char *nd_accessor_name(enum nd_accessor a); /* "delta"; "" for ND_BARE */
/* Does a fact of this shape offer it? */
bool nd_accessor_fits(const struct nd_fact_def *d, enum nd_accessor a);
/* Unit of the accessed number: .rate of a count is per second, .samples a count. */
enum nd_unit nd_accessor_unit(const struct nd_fact_def *d, enum nd_accessor a);

struct nd_value nd_get(const struct nd_facts *f, nd_id on, nd_fact_id fact, enum nd_accessor a);
/* Source path as shown, or "" ; the shell line with its {key} filled in, or "". */
const char *nd_get_source(const struct nd_facts *f, nd_id on, nd_fact_id fact);
const char *nd_get_reproduce(struct nd_facts *f, nd_id on, nd_fact_id fact);

/* A relation seen from one end. inverse: read nd_relations[rel].inverse of `on`. */
struct nd_links {
	const nd_id *ids;
	uint32_t n;
	enum nd_missing why; /* ND_PRESENT: the list is known (n may be 0: absent) */
	const char *detail;
};
struct nd_links nd_related(const struct nd_facts *f, nd_id on, enum nd_relation rel, bool inverse);

struct nd_log_line {
	double age; /* s; negative: unknown */
	const char *text;
};
/* Lines in order of arrival; status tells whether the log was read. */
const struct nd_log_line *nd_log(const struct nd_facts *f, uint32_t *n, struct nd_status *status);
#endif
