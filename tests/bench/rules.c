/* How long a thousand rules take on a large host, measured in CPU time of this thread: wall time says as much about
 * what else runs.
 *
 * rules [TEXTS]: facts and rules come from a fixed seed. Every finding is checked against the planted faults, so
 * nothing that is timed can have been left out. With TEXTS the rules are written into that directory as well. */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "collectors/collector.h"
#include "engine/judge/judge.h"
#include "engine/judge/walk.h"
#include "tests/bench/bench.h"

#define RULES 1000u
#define RUNS 5

static uint32_t failures;

static void check(bool ok, const char *what, uint32_t i)
{
	if (ok)
		return;
	if (failures++ < 10)
		fprintf(stderr, "FAIL %s (%u)\n", what, i);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void keep_text(const char *dir, uint32_t i, const struct nd_buf *b)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/bench-%04u.yaml", dir, i);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, b->s, b->len) != (ssize_t)b->len)
		check(false, path, i);
	if (fd >= 0)
		close(fd);
}

static void add_libraries(struct nd_rules *rules, struct nd_buf *messages)
{
	for (const struct nd_rules_file *file = nd_rules_builtin; file->path; file++) {
		if (strstr(file->path, "lib/"))
			nd_rules_add_text(rules, file->path, file->text, file->len, messages);
	}
}

/* ---- timing ---- */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v)
{
	qsort(v, RUNS, sizeof(*v), by_value);
	return v[RUNS / 2] * 1e3;
}

/* name: of the only rule; NULL: they are numbered */
static struct nd_rules *load(const struct nd_registry *r, const struct nd_buf *texts, uint32_t n,
			     const char *name)
{
	struct nd_rules *rules = nd_rules_new(r);
	struct nd_buf messages = {0};

	add_libraries(rules, &messages);
	for (uint32_t i = 0; i < n; i++) {
		char path[64];

		if (name)
			snprintf(path, sizeof(path), "%s.yaml", name);
		else
			snprintf(path, sizeof(path), "bench-%04u.yaml", i);
		nd_rules_add_text(rules, path, nd_buf_str(&texts[i]), texts[i].len, &messages);
	}
	nd_rules_check(rules, &messages);
	if (messages.len) {
		fprintf(stderr, "FAIL rules do not load\n%.2000s\n", nd_buf_str(&messages));
		exit(1);
	}
	nd_buf_free(&messages);
	return rules;
}

static struct nd_findings *judge(const struct nd_rules *rules, struct nd_facts *f)
{
	struct nd_judge_about about = {.version = "bench", .source = "bench", .host_name = "bench"};

	return nd_judge(rules, f, &about);
}

static const struct nd_finding *finding_of(const struct nd_findings *r, const char *cause)
{
	for (uint32_t i = 0; i < r->n_findings; i++) {
		if (strcmp(r->findings[i].cause, cause) == 0)
			return &r->findings[i];
	}
	return NULL;
}

/* Every planted fault is found by each rule that looks low enough, on its entity; by no other rule, on no other entity. */
static void check_findings(const struct nd_findings *r)
{
	uint32_t expected = 0;

	for (uint32_t i = 0; i < RULES; i++) {
		enum nd_kind scope = bench_scope(i);
		const struct nd_finding *found;
		char cause[32], entity[32];

		snprintf(cause, sizeof(cause), "fault-%04u", i);
		snprintf(entity, sizeof(entity),
			 scope == ND_CPU     ? "cpu:%u"
			 : scope == ND_IFACE ? "iface:eth%u"
					     : "host",
			 bench_fault(i));
		found = finding_of(r, cause);
		check(!!found == bench_fires(i),
		      "a rule finds something, or does not, against its threshold", i);
		expected += bench_fires(i);
		if (!found)
			continue;
		check(strcmp(found->entity, entity) == 0, "finding on another entity", i);
		check(found->word == (bench_only_likely(i) ? ND_LIKELY : ND_CONFIRMED), "word", i);
		check(found->n_fixes == 1 && (found->fixes[0].run || found->fixes[0].advice), "fix",
		      i);
	}
	check(r->n_findings == expected, "number of findings", r->n_findings);
	check(r->n_ruled_out == RULES - expected, "number of causes that were ruled out",
	      r->n_ruled_out);
	check(r->n_open == 0 && r->n_unexamined == 0, "open or unexamined",
	      r->n_open + r->n_unexamined);
}

/* A ruled-out cause says for how many entities it was: all that came through the gate. */
static void check_ruled_out(const struct nd_findings *r)
{
	static const uint32_t entities[SHAPES] = {
		NICS + (IFACES - NICS) / 20,
		NICS,
		0,
		0,
		CPUS / 2,
		CPUS / 2,
		CPUS / 2,
		CPUS,
		CPUS,
		0,
	};

	for (uint32_t i = 0; i < r->n_ruled_out; i++) {
		const struct nd_ruled_out *o = &r->ruled_out[i];
		uint32_t rule = 0, want;

		for (const char *d = o->cause + strlen("fault-"); *d; d++)
			rule = rule * 10 + (uint32_t)(*d - '0');
		want = entities[rule % SHAPES];
		check(!want || (o->others + 3 >= want && o->others <= want + 1),
		      "entities for which it was ruled out", rule);
		check(*o->because && !strstr(o->because, "unknown"),
		      "sentence of what was ruled out", rule);
	}
}

static uint64_t visits_of(const struct nd_rules *rules, struct nd_facts *f)
{
	struct nd_arena arena = {0};
	struct nd_run run = {.rules = rules, .f = f, .arena = &arena};
	struct nd_outcome o = {0};
	uint64_t visits = 0;

	nd_judge_run(&run, UINT32_MAX, &o);
	for (uint32_t i = 0; run.visits && i < nd_rules_count(rules); i++)
		visits += run.visits[i];
	nd_outcome_free(&o);
	nd_run_free(&run);
	nd_arena_free(&arena);
	return visits;
}

static void thousand_rules(struct world *w, const char *dir)
{
	static struct nd_buf texts[RULES];
	double loads[RUNS], evals[RUNS];
	struct nd_rules *rules = NULL;
	struct nd_findings *r = NULL;
	size_t bytes = 0;

	for (uint32_t i = 0; i < RULES; i++) {
		bench_write_rule(w, i, &texts[i]);
		bytes += texts[i].len;
		if (dir)
			keep_text(dir, i, &texts[i]);
	}
	for (int run = 0; run < RUNS; run++) {
		double start = now();

		nd_rules_free(rules);
		start = now();
		rules = load(w->r, texts, RULES, NULL);
		loads[run] = now() - start;
	}
	for (int run = 0; run < RUNS; run++) {
		double start;

		nd_findings_free(r);
		start = now();
		r = judge(rules, w->f);
		evals[run] = now() - start;
	}
	check_findings(r);
	check_ruled_out(r);
	printf("rules %u\nrule_kib %zu\nentities %u\nload_ms %.0f\neval_ms %.0f\nfindings %u\nruled_out %u\nvisits %llu\n",
	       RULES, bytes / 1024, nd_entity_count(w->f), median(loads), median(evals),
	       r->n_findings, r->n_ruled_out, (unsigned long long)visits_of(rules, w->f));
	nd_findings_free(r);
	nd_rules_free(rules);
	for (uint32_t i = 0; i < RULES; i++)
		nd_buf_free(&texts[i]);
}

/* ---- the rule of accept queues over many listeners ---- */

static void many_listeners(struct world *w)
{
	struct nd_buf text = {0};
	double evals[RUNS];
	struct nd_rules *rules;
	struct nd_findings *r = NULL;

	for (const struct nd_rules_file *file = nd_rules_builtin; file->path; file++) {
		if (nd_ends(file->path, "accept-queue.yaml"))
			nd_buf_put(&text, file->text, file->len);
	}
	bench_fill_listeners(w);
	rules = load(w->r, &text, 1, "accept-queue");
	for (int run = 0; run < RUNS; run++) {
		double start;

		nd_findings_free(r);
		start = now();
		r = judge(rules, w->f);
		evals[run] = now() - start;
	}
	check(r->n_findings == 1 &&
		      strcmp(r->findings[0].entity, "listener:tcp/10.0.77.1:1077") == 0,
	      "listener that overflows", r->n_findings);
	printf("listeners %u\nlisteners_ms %.0f\n", LISTENERS, median(evals));
	nd_findings_free(r);
	nd_rules_free(rules);
	nd_buf_free(&text);
}

/* ---- a rule that is quadratic by itself ---- */

static void quadratic_rule(struct world *w)
{
	static const char rule[] =
		"version: 1\nrule: quadratic\ntitle: t\nscope: iface\ntree:\n"
		"  - ask: Is another one larger?\n    test: any(ifaces, rx.packets.delta > this.rx.packets.delta + 100000000)\n"
		"    if_no: {rule_out: none is}\n  - conclude: larger\n"
		"causes:\n  larger:\n    title: t\n    because: b\n";
	struct nd_buf text = {0};
	struct nd_rules *rules;
	struct nd_findings *r;
	double start;

	nd_buf_puts(&text, rule);
	rules = load(w->r, &text, 1, "quadratic");
	start = now();
	r = judge(rules, w->f);
	printf("quadratic_ms %.0f\n", (now() - start) * 1e3);
	check(r->n_findings == 0 && r->n_open == 1 && r->open[0].n_missing > 0 &&
		      r->open[0].missing[0].why == ND_BUDGET,
	      "a rule out of budget says so", r->n_open);
	nd_findings_free(r);
	nd_rules_free(rules);
	nd_buf_free(&text);
}

int main(int argc, char **argv)
{
	static struct world w = {.random = 88172645463325252ull};
	struct rusage use;

	w.r = nd_registry_new();
	nd_collectors_register(w.r);
	w.f = nd_facts_new(w.r);
	nd_facts_default_reason(w.f, ND_SILENT);
	bench_fill(&w);
	thousand_rules(&w, argc > 1 ? argv[1] : NULL);
	quadratic_rule(&w);
	many_listeners(&w);
	getrusage(RUSAGE_SELF, &use);
	printf("peak_mib %ld\n", use.ru_maxrss / 1024);
	nd_facts_free(w.f);
	nd_registry_free(w.r);
	return failures ? 1 : 0;
}
