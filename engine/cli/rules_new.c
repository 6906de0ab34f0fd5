/* rules new: a rule to begin with. It asks one question about one fact, so that it loads, is tested, and every
 * section is there to be copied; what it prints was loaded and tested before, whatever the fact. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/cli/rules_view.h"
#include "engine/judge/judge.h"

#define NAME_MAX_BYTES 64
#define SCHEMA "../docs/rule.schema.json"

struct draft {
	struct nd_session *s;
	const struct nd_options *o;
	const char *name, *cause;
	const struct nd_fact_def *fact;
	char path[PATH_MAX]; /* "": standard output */
	bool asks;
	struct nd_arena arena;
};

/* ---- what is asked for ---- */

/* The answer on a terminal, or what was given or stands for it. */
static const char *ask(struct draft *d, enum nd_opt opt, const char *question,
		       const char *otherwise)
{
	const char *given = nd_opt_text(d->o, opt);
	char line[512];
	size_t n;

	if (given || !d->asks)
		return given ? given : otherwise;
	fprintf(stderr, "%s [%s]: ", question, otherwise);
	fflush(stderr);
	if (!fgets(line, sizeof(line), stdin))
		return otherwise;
	n = strcspn(line, "\n");
	line[n] = '\0';
	return *nd_trim(line) ? nd_arena_strdup(&d->arena, nd_trim(line)) : otherwise;
}

static bool is_name(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-");

	return n > 0 && n < NAME_MAX_BYTES && !s[n] && s[0] != '-' && s[n - 1] != '-';
}

static const struct nd_fact_def *fact_of(const struct draft *d, enum nd_kind kind, const char *name)
{
	const struct nd_registry *r = d->s->registry;
	nd_fact_id id = nd_registry_find(r, kind, name);

	for (int a = 0; a < ND_ACCESSORS && id < 0; a++) { /* "softnet.dropped.delta" */
		const char *accessor = nd_accessor_name((enum nd_accessor)a);
		size_t n = strlen(name), m = strlen(accessor);
		char base[ND_FACT_NAME_BYTES];

		if (!m || n <= m + 1 || n >= sizeof(base) || !nd_ends(name, accessor) ||
		    name[n - m - 1] != '.')
			continue;
		snprintf(base, sizeof(base), "%.*s", (int)(n - m - 1), name);
		id = nd_registry_find(r, kind, base);
	}
	return id < 0 ? NULL : nd_registry_def(r, id);
}

/* "cpu.softnet.dropped", or without its kind: then the scope says which. */
static const struct nd_fact_def *find_fact(const struct draft *d, enum nd_kind scope,
					   const char *name)
{
	const struct nd_fact_def *found = NULL;

	for (int k = 0; k < ND_KINDS && !found; k++) {
		size_t n = strlen(nd_kinds[k].name);

		if (strncmp(name, nd_kinds[k].name, n) == 0 && name[n] == '.')
			found = fact_of(d, (enum nd_kind)k, name + n + 1);
	}
	return found || scope == ND_NO_KIND ? found : fact_of(d, scope, name);
}

static int unknown_fact(const struct draft *d, const char *name)
{
	uint32_t n = nd_registry_count(d->s->registry);
	const char **names = nd_alloc((n + 1) * sizeof(*names)), *near;
	struct nd_arena a = {0};

	for (uint32_t i = 0; i < n; i++) {
		const struct nd_fact_def *f = nd_registry_def(d->s->registry, (nd_fact_id)i);

		names[i] = nd_arena_printf(&a, "%s.%s", nd_kinds[f->on].name, f->name);
	}
	near = nd_nearest(name, names, n);
	nd_error("--fact %s: there is no such fact%s%s", name, near ? "; nearest is " : "",
		 near ? near : "; netdoctor facts list shows all");
	nd_arena_free(&a);
	free(names);
	return ND_EXIT_USAGE;
}

/* A fact of the kind that makes a good first question: a counter, else a number, else any. */
static const struct nd_fact_def *first_fact(const struct draft *d, enum nd_kind kind)
{
	const struct nd_fact_def *best = NULL;

	for (uint32_t i = 0; i < nd_registry_count(d->s->registry); i++) {
		const struct nd_fact_def *f = nd_registry_def(d->s->registry, (nd_fact_id)i);
		bool number = f->type == ND_T_NUMBER;

		if (f->on != kind)
			continue;
		if (number && f->width >= ND_COUNTER32)
			return f;
		if (!best || (number && best->type != ND_T_NUMBER))
			best = f;
	}
	return best;
}

static int choose_fact(struct draft *d)
{
	const char *given = nd_opt_text(d->o, ND_OPT_FACT), *scope, *name;
	const struct nd_fact_def *known = given ? find_fact(d, ND_NO_KIND, given) : NULL;
	char full[ND_FACT_NAME_BYTES];
	enum nd_kind kind;

	scope = known && !nd_opt_given(d->o, ND_OPT_SCOPE)
			? nd_kinds[known->on].name
			: ask(d, ND_OPT_SCOPE, "What does the rule look at, one by one?", "iface");
	kind = nd_kind_by_name(scope, false);
	if (kind == ND_NO_KIND)
		return nd_usage_error(d->o->command,
				      "--scope %s: no kind of entity of this name; rules look at "
				      "host, netns, cpu, iface, queue, listener, peer, …",
				      scope);
	known = first_fact(d, kind);
	if (!known)
		return nd_usage_error(d->o->command, "--scope %s: there is no fact about a %s yet",
				      scope, scope);
	name = ask(d, ND_OPT_FACT, "Which fact does it ask about first?",
		   nd_fact_name(known, full));
	d->fact = find_fact(d, kind, name);
	if (!d->fact)
		return unknown_fact(d, name);
	if (d->fact->on != kind)
		return nd_usage_error(d->o->command, "--fact %s belongs to a %s, not to a %s", name,
				      nd_kinds[d->fact->on].name, scope);
	return 0;
}

/* ---- what the question compares ---- */

struct sample { /* a threshold, and a value on either side of it */
	const char *threshold, *above, *below;
};
static struct sample sample_of(enum nd_unit u)
{
	static const struct sample of[] = {
		[ND_U_NONE] = {"10", "50", "2"},
		[ND_U_COUNT] = {"10", "50", "2"},
		[ND_U_SECONDS] = {"10ms", "50ms", "2ms"},
		[ND_U_BYTES] = {"10MB", "50MB", "2MB"},
		[ND_U_PERCENT] = {"10%", "50%", "2%"},
		[ND_U_PER_SECOND] = {"10/s", "50/s", "2/s"},
		[ND_U_BYTES_PER_SECOND] = {"10MB/s", "50MB/s", "2MB/s"},
		[ND_U_BITS_PER_SECOND] = {"10Mbit/s", "50Mbit/s", "2Mbit/s"},
	};

	return of[u];
}

/* The question about the fact, and what a test gives for yes and for no. */
struct question {
	char test[600], value[400], given[400], ask[600];
	struct sample sample;
	bool compares; /* needs the threshold */
};

static void question_of(const struct nd_fact_def *f, struct question *q)
{
	char name[ND_FACT_NAME_BYTES];
	bool counter = f->type == ND_T_NUMBER && f->width >= ND_COUNTER32;

	nd_fact_name(f, name);
	q->sample = sample_of(counter ? nd_accessor_unit(f, ND_RATE) : f->unit);
	q->compares = f->type == ND_T_NUMBER || f->type == ND_T_HIST;
	snprintf(q->value, sizeof(q->value),
		 f->type == ND_T_HIST ? "p99(%s)"
		 : counter	      ? "%s.rate"
				      : "%s",
		 name);
	snprintf(q->given, sizeof(q->given), counter ? "%s.rate" : "%s", f->name);
	if (q->compares) {
		snprintf(q->test, sizeof(q->test), "%s > $threshold", q->value);
		snprintf(q->ask, sizeof(q->ask), "Is %s larger than is good?", q->value);
	} else if (f->type == ND_T_BOOL) {
		q->sample = (struct sample){"", "yes", "no"};
		snprintf(q->test, sizeof(q->test), "%s", name);
		snprintf(q->ask, sizeof(q->ask), "Is %s true?", name);
	} else {
		q->sample = (struct sample){"", "bad", "good"};
		snprintf(q->test, sizeof(q->test),
			 f->type == ND_T_WORDS ? "%s =~ 'bad'" : "%s == \"bad\"", name);
		snprintf(q->ask, sizeof(q->ask), "Is %s what it should not be?", name);
	}
}

static const char *entity_of(enum nd_kind kind)
{
	static const char *const keys[ND_KINDS] = {
		[ND_NETNS] = "pod1",
		[ND_IFACE] = "eth0",
		[ND_QUEUE] = "eth0/rx-0",
		[ND_QDISC] = "eth0/8001",
		[ND_NEIGH] = "arp_cache",
		[ND_LISTENER] = "tcp/0.0.0.0:443",
		[ND_PEER] = "192.0.2.7:5432",
		[ND_SOCKET] = "udp/0.0.0.0:53",
		[ND_CGROUP] = "/system.slice/app",
		[ND_FUNCTION] = "tcp_sendmsg",
	};

	return keys[kind] ? keys[kind] : "1";
}

/* ---- the file ---- */

static void put_head(const struct draft *d, const struct question *q, struct nd_buf *out)
{
	const char *kind = nd_kinds[d->fact->on].name;
	char schema[PATH_MAX + sizeof(SCHEMA)];
	const char *slash = strrchr(d->path, '/');

	snprintf(schema, sizeof(schema), "%.*s" SCHEMA, slash ? (int)(slash - d->path) + 1 : 0,
		 d->path);
	if (*d->path && access(schema, R_OK) == 0)
		nd_buf_puts(out, "# yaml-language-server: $schema=" SCHEMA "\n");
	else
		nd_buf_puts(
			out,
			"# For completion while typing: netdoctor rules schema > rule.schema.json, and here\n"
			"# yaml-language-server: $schema=rule.schema.json\n");
	nd_buf_printf(
		out,
		"version: 1\nrule: %s\ntitle: %s, in one line\n"
		"# about: prose for the reference page\n"
		"# core: yes        # no host is called healthy unless this rule was examined\n",
		d->name, d->cause);
	if (q->compares)
		nd_buf_printf(
			out,
			"params:            # every number of a question, and where it comes from\n"
			"  threshold:\n    value: %s\n"
			"    origin: \"guess: to be measured\"   # lab: case: kernel: standard: arith: guess:\n",
			q->sample.threshold);
	nd_buf_printf(
		out,
		"# let: {name: expression}   # used as $name\n"
		"scope: %s%*s# the tree is walked once for each\n"
		"# when: …          # the gate: no closes the tree, unknown leaves it unexamined\n",
		kind, (int)(strlen(kind) < 11 ? 12 - strlen(kind) : 1), "");
}

static void put_tree(const struct draft *d, const struct question *q, struct nd_buf *out)
{
	nd_buf_printf(
		out,
		"tree:              # questions as an expert asks them, cheap ones first; yes speaks for the cause\n"
		"  - ask: %s\n"
		"    # %s\n"
		"    test: %s\n"
		"    # requires (default): no rules the cause out; decides: yes is a direct measurement; supports: a hint\n"
		"    grade: decides\n"
		"    # next, open, or {rule_out: …}, {go: BRANCH}, {conclude: CAUSE}, a list of nodes\n"
		"    if_no: {rule_out: \"%s is {%s}\"}\n"
		"    # if_unknown: open             # the default: without the fact the cause stays open\n"
		"  - conclude: %s\n",
		q->ask, d->fact->doc ? d->fact->doc : "", q->test, q->value, q->value, d->cause);
	nd_buf_printf(
		out,
		"causes:\n  %s:\n"
		"    title: \"%s on {%s}\"\n"
		"    because: \"%s of {%s} is {%s}.\"\n"
		"    # explains: [causes that are consequences of this one]\n"
		"    # refute: [{test: …, because: …}]\n"
		"    fix:\n"
		"      - title: What to do, in one line\n"
		"        tier: stop-gap             # or cure, last-resort\n"
		"        risk: \"low: what may go wrong\"\n"
		"        advice: \"In words; or run with undo, or sysctl, each with disrupts and verify.\"\n"
		"references: []\n",
		d->cause, d->cause, nd_kinds[d->fact->on].name, q->value,
		nd_kinds[d->fact->on].name, q->value);
}

static void put_given(const struct draft *d, const struct question *q, const char *value,
		      struct nd_buf *out)
{
	enum nd_kind kind = d->fact->on;

	nd_buf_printf(out, "      %s%s%s: {", nd_kinds[kind].name, nd_kinds[kind].plural ? ":" : "",
		      nd_kinds[kind].plural ? entity_of(kind) : "");
	if (!value)
		nd_buf_printf(out, "%s: {missing: no-permission}}\n", d->fact->name);
	else if (d->fact->type == ND_T_HIST)
		nd_buf_printf(out, "%s: {%s..%s: 1000}}\n", q->given, value, value);
	else
		nd_buf_printf(out, "%s: %s}\n", q->given, value);
}

static void put_tests(const struct draft *d, const struct question *q, struct nd_buf *out)
{
	enum nd_kind kind = d->fact->on;

	nd_buf_puts(
		out,
		"tests:             # what is not given is unknown\n  - name: the cause is found\n    given:\n");
	put_given(d, q, q->sample.above, out);
	nd_buf_printf(out, "    expect: {cause: %s, entity: \"%s%s%s\", word: confirmed}\n",
		      d->cause, nd_kinds[kind].name, nd_kinds[kind].plural ? ":" : "",
		      nd_kinds[kind].plural ? entity_of(kind) : "");
	nd_buf_puts(out, "  - name: busy, but healthy\n    given:\n");
	put_given(d, q, q->sample.below, out);
	nd_buf_puts(out, "    expect: clear\n  - name: the deciding fact is missing\n    given:\n");
	put_given(d, q, NULL, out);
	nd_buf_printf(out, "    expect: {open: %s}\n", d->cause);
}

static void say_failure(void *ctx, const struct nd_test_result *t)
{
	if (*t->why)
		nd_buf_printf(ctx, "%s: %s\n%s", t->name, t->why, t->trace);
}

/* Loads and tests it as an author would. */
static bool passes(const struct draft *d, const struct nd_buf *text)
{
	struct nd_rules *rules = nd_rules_new(d->s->registry);
	struct nd_buf says = {0};
	const struct nd_test_hooks hooks = {say_failure, NULL, &says};
	uint32_t passed = 0, failed = 0;
	char path[NAME_MAX_BYTES + 8];
	int errors;

	snprintf(path, sizeof(path), "%s.yaml", d->name);
	errors = nd_rules_add_text(rules, path, nd_buf_str(text), text->len, &says);
	errors += nd_rules_check(rules, &says);
	if (errors == 0)
		nd_ruletest(rules, NULL, &hooks, &passed, &failed);
	if (errors || failed || !passed)
		nd_error("the rule that was made is wrong:\n%s%s", nd_buf_str(&says),
			 nd_buf_str(text));
	nd_buf_free(&says);
	nd_rules_free(rules);
	return errors == 0 && failed == 0 && passed > 0;
}

/* ---- */

static int choose_path(struct draft *d)
{
	const char *file = nd_opt_text(d->o, ND_OPT_OUTPUT), *base;
	char want[NAME_MAX_BYTES + 8];
	struct stat st;
	bool dir;

	if (!file || strcmp(file, "-") == 0)
		return 0;
	snprintf(want, sizeof(want), "%s.yaml", d->name);
	dir = stat(file, &st) == 0 && S_ISDIR(st.st_mode);
	if ((size_t)snprintf(d->path, sizeof(d->path), dir ? "%s/%s" : "%s", file, want) >=
	    sizeof(d->path))
		return nd_usage_error(d->o->command, "-o: the name is too long");
	base = strrchr(d->path, '/');
	if (strcmp(base ? base + 1 : d->path, want) != 0)
		return nd_usage_error(d->o->command, "-o %s: the file of rule %s is called %s",
				      file, d->name, want);
	if (access(d->path, F_OK) == 0) {
		nd_error("%s: is there already", d->path);
		return ND_EXIT_USAGE;
	}
	return 0;
}

static int make(struct draft *d, struct nd_buf *out)
{
	struct nd_buf text = {0};
	struct question q = {0};
	int status;

	question_of(d->fact, &q);
	put_head(d, &q, &text);
	put_tree(d, &q, &text);
	put_tests(d, &q, &text);
	status = passes(d, &text) ? 0 : ND_EXIT_OWN;
	if (status == 0 && *d->path)
		status = nd_write_file(d->path, &text);
	else if (status == 0)
		nd_buf_put(out, nd_buf_str(&text), text.len);
	if (status == 0 && *d->path)
		nd_warn("%s is written; next: netdoctor rules test %s", d->path, d->path);
	nd_buf_free(&text);
	return status;
}

int nd_cmd_rules_new(const struct nd_options *o, struct nd_buf *out)
{
	struct nd_session s;
	struct draft d = {.s = &s, .o = o, .name = o->args[0]};
	int status;

	if (!is_name(d.name))
		return nd_usage_error(o->command,
				      "'%s': a rule's name has small letters, digits and dashes",
				      d.name);
	d.asks = !nd_opt_given(o, ND_OPT_BATCH) && isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
	nd_session_begin(&s);
	status = choose_path(&d);
	if (status == 0)
		status = choose_fact(&d);
	if (status == 0) {
		d.cause = ask(&d, ND_OPT_CAUSE, "Which cause does it conclude?", d.name);
		if (!is_name(d.cause))
			status = nd_usage_error(o->command,
						"--cause %s: small letters, digits and dashes",
						d.cause);
	}
	if (status == 0)
		status = make(&d, out);
	nd_arena_free(&d.arena);
	nd_session_end(&s);
	return status;
}
