/* One row a key, one table a section of a rule file. */
#include "engine/rule/keys.h"

#include <stddef.h>

const char *const nd_words_grade[] = {"requires", "supports", "decides", NULL};
const char *const nd_words_tier[] = {"stop-gap", "cure", "last-resort", NULL};
const char *const nd_words_cap[] = {"suspected", "likely", NULL};
const char *const nd_words_report[] = {"each", "together", NULL};
static const char *const words_word[] = {"suspected", "likely", "confirmed", NULL};
static const char *const words_role[] = {"trigger", "amplifier", "consequence", NULL};

#define PLAIN(name, type, doc)                                                                     \
	{                                                                                          \
		name, ND_KEY_##type, doc, false, NULL, NULL                                        \
	}
#define NEEDED(name, type, doc)                                                                    \
	{                                                                                          \
		name, ND_KEY_##type, doc, true, NULL, NULL                                         \
	}
#define OF(name, type, section, doc)                                                               \
	{                                                                                          \
		name, ND_KEY_##type, doc, false, &nd_section_##section, NULL                       \
	}
#define WORD(name, words, doc)                                                                     \
	{                                                                                          \
		name, ND_KEY_WORD, doc, false, NULL, words                                         \
	}
#define SECTION(section) const struct nd_section nd_section_##section = {#section, section##_keys}

static const struct nd_key rule_keys[] = {
	PLAIN("version", TEXT, "version of the rule language: 1"),
	NEEDED("rule", TEXT, "the rule's name, which is the file's name without .yaml"),
	NEEDED("title", TEXT, "what the rule is about, in one line"),
	PLAIN("about", TEXT, "prose for the reference page"),
	PLAIN("core", FLAG, "a host is only called healthy when this rule was examined"),
	OF("params", NAMED, param, "every threshold: names, each with value and origin"),
	PLAIN("let", EXPRS, "names for expressions, used as $name"),
	PLAIN("scope", KINDS, "the kind of entity that the tree walks"),
	PLAIN("when", QUESTION, "the gate: no closes the tree, unknown leaves it unexamined"),
	OF("tree", LIST, node, "the questions, from the first to the last"),
	PLAIN("branches", BRANCHES, "named lists of nodes, reached by go"),
	OF("trees", NAMED, tree, "several trees, each with its own scope"),
	OF("causes", NAMED, cause, "what the trees conclude"),
	OF("notes", NAMED, note, "what looks alarming and is harmless"),
	OF("contradictions", NAMED, contradiction, "facts that cannot both hold"),
	OF("tests", LIST, test, "facts, and what the rule must say of them"),
	OF("tally", NAMED, tally, "conditions that are counted while a streamed table is read"),
	OF("logs", NAMED, log, "patterns of kernel log lines"),
	PLAIN("references", TEXTS, "where to read more"),
	{0},
};
SECTION(rule);

static const struct nd_key library_keys[] = {
	PLAIN("version", TEXT, "version of the rule language: 1"),
	NEEDED("library", TEXT, "the library's name, which is the file's name without .yaml"),
	PLAIN("title", TEXT, "what the library is about, in one line"),
	PLAIN("about", TEXT, "prose for the reference page"),
	OF("params", NAMED, param, "thresholds of the derived facts"),
	OF("logs", NAMED, log, "patterns of kernel log lines"),
	OF("derive", NAMED, derived, "facts made of other facts, named kind.name"),
	{0},
};
SECTION(library);

static const struct nd_key settings_keys[] = {
	PLAIN("set", EXPRS, "other values for thresholds, rule.param: value"),
	PLAIN("rules", TEXTS, "directories with more rules; a relative path begins at this file"),
	{0},
};
SECTION(settings);

static const struct nd_key param_keys[] = {
	NEEDED("value", NUMBER, "a number with its unit, such as 43ms, 90/s, 5%"),
	NEEDED("origin", TEXT, "where it comes from: lab: case: kernel: standard: arith: guess:"),
	PLAIN("doc", TEXT, "what it means"),
	{0},
};
SECTION(param);

static const struct nd_key log_keys[] = {
	NEEDED("match", TEXT, "PCRE2 pattern; a group named after a kind names the entity"),
	PLAIN("doc", TEXT, "what the line means"),
	{0},
};
SECTION(log);

static const struct nd_key tally_keys[] = {
	NEEDED("over", TEXT, "the streamed table"),
	NEEDED("where", QUESTION, "the condition, over the table's columns"),
	PLAIN("doc", TEXT, "what is counted"),
	{0},
};
SECTION(tally);

static const struct nd_key derived_keys[] = {
	NEEDED("value", EXPR, "what it is made of"),
	PLAIN("ask", TEXT, "its wording as a question"),
	PLAIN("doc", TEXT, "what it means"),
	{0},
};
SECTION(derived);

static const struct nd_key tree_keys[] = {
	NEEDED("scope", KINDS, "the kind of entity that the tree walks"),
	PLAIN("when", QUESTION, "the gate: no closes the tree, unknown leaves it unexamined"),
	PLAIN("let", EXPRS, "names for expressions, used as $name"),
	{"tree", ND_KEY_LIST, "the questions, from the first to the last", true, &nd_section_node,
	 NULL},
	PLAIN("branches", BRANCHES, "named lists of nodes, reached by go"),
	{0},
};
SECTION(tree);

static const struct nd_key node_keys[] = {
	PLAIN("ask", PROSE, "the question in words, put so that yes speaks for the cause"),
	PLAIN("test", QUESTION, "the question as an expression"),
	WORD("grade", nd_words_grade,
	     "requires: no rules out; decides: and yes can confirm; supports: a hint"),
	PLAIN("if_yes", BRANCH, "by default next"),
	PLAIN("if_no", BRANCH, "needed, unless the question supports"),
	PLAIN("if_unknown", BRANCH, "by default open; next if the question supports"),
	PLAIN("conclude", TEXT, "instead of a question: the cause that the walk ends with"),
	PLAIN("entity", EXPR, "beside conclude: whom the finding is about"),
	{0},
};
SECTION(node);

static const struct nd_key branch_keys[] = {
	PLAIN("rule_out", PROSE, "end; what is still reachable is ruled out, for this reason"),
	PLAIN("go", TEXT, "on to this branch, without return"),
	PLAIN("conclude", TEXT, "end with this cause"),
	OF("do", LIST, node, "these questions first"),
	WORD("cap", nd_words_cap, "the finding is no surer than this"),
	PLAIN("says", PROSE, "a sentence for the report"),
	{0},
};
SECTION(branch);

static const struct nd_key cause_keys[] = {
	PLAIN("title", PROSE, "the finding in one line"),
	PLAIN("because", PROSE, "the finding with its numbers"),
	PLAIN("like", TEXT, "copies that cause's other keys"),
	PLAIN("narrows", TEXT, "this is a special case of that cause"),
	WORD("report", nd_words_report, "one finding an entity, or one for all"),
	PLAIN("worst_by", NUMBER, "the entity with the largest speaks for all"),
	OF("accounts", SECTION, accounts, "how much of the symptom it can explain"),
	OF("refute", LIST, refute, "what speaks against it, asked on conclusion"),
	PLAIN("explains", TEXTS, "causes that are its consequences where the two meet"),
	PLAIN("amplifies", TEXTS, "causes that it makes worse where the two meet"),
	PLAIN("excludes", TEXTS, "causes that it replaces on the same entity"),
	OF("fix", LIST, fix, "what to do"),
	PLAIN("references", TEXTS, "where to read more"),
	{0},
};
SECTION(cause);

static const struct nd_key accounts_keys[] = {
	PLAIN("delay", NUMBER, "time that one affected request loses"),
	PLAIN("touches", NUMBER, "share of requests that it touches"),
	PLAIN("share", NUMBER, "a share, printed only"),
	PLAIN("of", PROSE, "of what"),
	{0},
};
SECTION(accounts);

static const struct nd_key refute_keys[] = {
	NEEDED("test", QUESTION, "yes speaks against the cause"),
	NEEDED("because", PROSE, "why, in a sentence"),
	OF("then", SECTION, then, "by default yes rules the cause out"),
	{0},
};
SECTION(refute);

static const struct nd_key then_keys[] = {
	WORD("cap", nd_words_cap, "yes only makes it less sure"),
	{0},
};
SECTION(then);

static const struct nd_key fix_keys[] = {
	NEEDED("title", PROSE, "what is done, in one line"),
	{"tier", ND_KEY_WORD, "how lasting it is", true, NULL, nd_words_tier},
	NEEDED("risk", PROSE, "low, medium or high, and what may go wrong"),
	PLAIN("disrupts", PROSE, "what is interrupted, or no; needed beside run and sysctl"),
	PLAIN("when", QUESTION, "offered only on yes"),
	PLAIN("else", PROSE, "why it is not offered; needed beside when"),
	PLAIN("run", SHELL, "the command"),
	PLAIN("undo", SHELL, "the command that takes it back; needed beside run"),
	PLAIN("verify", QUESTION,
	      "asked again to see whether it helped; needed beside run, sysctl"),
	PLAIN("sysctl", EXPRS, "sysctls and their new values, in place of run and undo"),
	PLAIN("persist", SHELL, "makes it last over a restart"),
	PLAIN("restart", PROSE, "who must be restarted for it to work"),
	PLAIN("inside", EXPR, "the network namespace in which the commands run"),
	PLAIN("advice", PROSE, "in words; printed when a value for the command is missing"),
	PLAIN("each", EXPRS, "names and sets; run, undo and persist once for each member"),
	{0},
};
SECTION(fix);

static const struct nd_key note_keys[] = {
	PLAIN("scope", KIND, "the kind of entity that is asked; by default host"),
	NEEDED("test", QUESTION, "printed on yes"),
	NEEDED("says", PROSE, "the note"),
	PLAIN("instead_of", TEXTS, "causes that a reader might suspect"),
	{0},
};
SECTION(note);

static const struct nd_key contradiction_keys[] = {
	PLAIN("scope", KIND, "the kind of entity that is asked; by default host"),
	NEEDED("test", QUESTION, "on yes two facts cannot both hold"),
	NEEDED("says", PROSE, "what is wrong"),
	PLAIN("distrust", TEXTS, "facts (kind.name) that count less from then on"),
	{0},
};
SECTION(contradiction);

static const struct nd_key test_keys[] = {
	NEEDED("name", TEXT, "what is tested, in words"),
	PLAIN("given", GIVEN, "entities and their facts; what is not given is unknown"),
	PLAIN("like", TEXT, "begin with the facts of that test"),
	PLAIN("case", TEXT, "a folder of recorded outputs"),
	PLAIN("window", TEXT, "length of the window; by default 10s"),
	PLAIN("rows", ROWS, "variations, each with its own expect"),
	OF("expect", EXPECT, expect, "none, clear, or what must be found"),
	{0},
};
SECTION(test);

static const struct nd_key expect_keys[] = {
	PLAIN("cause", TEXT, "must come first, or none; narrower causes count"),
	PLAIN("entity", TEXT, "whom the finding is about, kind:key"),
	PLAIN("found", TEXTS, "all entities of the finding, worst first"),
	WORD("word", words_word, "how sure it is"),
	WORD("at_least", words_word, "at least so sure"),
	WORD("at_most", words_word, "at most so sure"),
	PLAIN("supports", TEXT, "yes minus no of the supports questions"),
	WORD("role", words_role, "the finding's role"),
	PLAIN("open", TEXTS, "causes that stay open, or none"),
	PLAIN("unexamined", TEXTS, "causes whose tree is not examined, or none"),
	PLAIN("ruled_out", TEXTS, "causes that are ruled out"),
	PLAIN("not", TEXTS, "causes that are not found"),
	PLAIN("consequences", TEXTS, "exactly these findings are consequences"),
	PLAIN("amplifiers", TEXTS, "exactly these findings are amplifiers"),
	PLAIN("notes", TEXTS, "exactly these notes are printed"),
	PLAIN("contradictions", TEXTS, "exactly these contradictions are found"),
	PLAIN("fixes", TEXTS, "titles of fixes that are offered"),
	PLAIN("not_offered", TEXTS, "titles of fixes that are not offered"),
	PLAIN("prints", TEXTS, "parts of the commands that are printed"),
	PLAIN("says", TEXT, "pattern in title or because"),
	PLAIN("delay", TEXT, "the accounted delay, a number or a range"),
	PLAIN("touches", TEXT, "the accounted share of requests, a number or a range"),
	PLAIN("share", TEXT, "the printed share, a number or a range"),
	PLAIN("fit", TEXT, "how much of the symptom it explains, a number or a range"),
	{0},
};
SECTION(expect);

const struct nd_yaml *nd_unknown_key(const struct nd_yaml *map, const struct nd_section *section,
				     uint32_t *i, const char **near)
{
	const char *names[ND_KEYS_MAX];
	size_t n = 0;

	for (const struct nd_key *k = section->keys; k->name && n < ND_ARRAY_LEN(names); k++)
		names[n++] = k->name;
	while (map && map->type == ND_YAML_MAP && *i < map->n) {
		const struct nd_yaml *key = map->keys[(*i)++];
		size_t k = 0;

		while (k < n && strcmp(names[k], key->text) != 0)
			k++;
		if (k < n)
			continue;
		*near = nd_nearest(key->text, names, n);
		return key;
	}
	return NULL;
}
