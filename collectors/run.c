/* Runs all collectors over a source: every moment of a live window, or every input of a folder.
 *
 * The moments have absolute deadlines from the start, so that slow collectors do not stretch the
 * window, and every moment is read in the order of the list. Between the moments sleep is cut into
 * slices: to look at the stop flag, and for those collectors that want to sample more often. */
#include "collectors/run.h"

#include "engine/core/fact_save.h"

#include <errno.h>
#include <math.h>
#include <time.h>

#define MOMENTS_MIN 5 /* sub-intervals of a window: a burst within one must not drown in all */
#define MOMENTS_MAX 100000
#define WINDOW_MAX_S 86400.0
#define SLICE_NS 50000000ull /* between two looks at the stop flag */
#define AGAIN_MIN_NS 1000000ull /* no collector is called more often */
#define COLLECTORS_MAX 128

static struct nd_collector_status statuses[COLLECTORS_MAX];

const struct nd_collector_status *nd_collect_status(uint32_t collector)
{
	return &statuses[collector < COLLECTORS_MAX ? collector : COLLECTORS_MAX - 1];
}

struct run {
	struct nd_source *source;
	struct nd_facts *facts;
	const struct nd_collect *opt;
	struct nd_run_entry *entries;
	uint32_t n;
	uint32_t moment;
	bool last;
	uint64_t start_ns, first_ns,
		end_ns; /* of the run; start of the first and of the last moment */
	double span; /* folder: s, longest time between two inputs of one pattern */
};

/* One pattern that is being read. */
struct reading {
	struct run *run;
	struct nd_run_entry *entry;
	uint64_t min_ns, max_ns; /* of the inputs' moments */
	bool any;
};

/* ---- time that collectors take ---- */

struct stopwatch {
	struct timespec wall, cpu;
};

static void watch_start(struct stopwatch *w)
{
	clock_gettime(CLOCK_MONOTONIC, &w->wall);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &w->cpu);
}

static double since(const struct timespec *from, clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)(now.tv_sec - from->tv_sec) + (double)(now.tv_nsec - from->tv_nsec) / 1e9;
}

static void watch_stop(const struct stopwatch *w, struct nd_collector_status *s)
{
	s->wall += since(&w->wall, CLOCK_MONOTONIC);
	s->cpu += since(&w->cpu, CLOCK_THREAD_CPUTIME_ID);
}

/* ---- one collector ---- */

enum nd_missing nd_run_reason(int rc)
{
	static const struct {
		int rc;
		enum nd_missing why;
	} reasons[] = {
		{-EACCES, ND_NO_PERMISSION},
		{-EPERM, ND_NO_PERMISSION},
		{-ENOENT, ND_NOT_ON_THIS_KERNEL},
		{-ENOSYS, ND_NOT_ON_THIS_KERNEL},
		{-ENODEV, ND_NOT_ON_THIS_KERNEL},
		{-EOPNOTSUPP, ND_NOT_ON_THIS_KERNEL},
		{-EAFNOSUPPORT, ND_NOT_ON_THIS_KERNEL},
		{-EPROTONOSUPPORT, ND_NOT_ON_THIS_KERNEL},
		{-ETIMEDOUT, ND_TIMED_OUT},
		{-EAGAIN, ND_TIMED_OUT},
	};

	for (size_t i = 0; i < ND_ARRAY_LEN(reasons); i++) {
		if (reasons[i].rc == rc)
			return reasons[i].why;
	}
	return ND_PARSE_ERROR;
}

static void failed(struct nd_run_entry *entry, enum nd_missing why, const char *detail)
{
	entry->status->bad++;
	if (entry->why != ND_PRESENT)
		return;
	entry->why = why;
	snprintf(entry->status->why, sizeof(entry->status->why), "%.255s", detail);
}

static void on_bad(void *ctx, const char *path, enum nd_missing why, const char *detail)
{
	struct reading *r = ctx;

	char text[256];

	/* a parser's message begins with its file and line; the source's own need not */
	if (detail && *detail && !nd_starts(detail, path))
		snprintf(text, sizeof(text), "%s: %s", path, detail);
	else
		snprintf(text, sizeof(text), "%s", detail && *detail ? detail : path);
	failed(r->entry, why, text);
}

/* The source tells on_bad of what fails here. */
static int on_input(void *ctx, const struct nd_input *in, struct nd_stream *s, struct nd_err *e)
{
	struct reading *r = ctx;
	int rc = r->entry->c->parse(in, s, r->run->facts, e);

	if (rc < 0 || nd_stream_error(s))
		return rc;
	r->entry->status->inputs++;
	r->min_ns = !r->any || in->t_ns < r->min_ns ? in->t_ns : r->min_ns;
	r->max_ns = !r->any || in->t_ns > r->max_ns ? in->t_ns : r->max_ns;
	r->any = true;
	return 0;
}

static void read_pattern(struct run *run, struct nd_run_entry *entry, const struct nd_read *what)
{
	struct reading r = {.run = run, .entry = entry};
	struct nd_bad_input bad = {on_bad, &r};
	int existed = nd_source_each(run->source, what, on_input, &r, &bad);
	double span = (double)(r.max_ns - r.min_ns) / 1e9;

	if (existed > 0)
		entry->existed += (uint32_t)existed;
	if (span > run->span)
		run->span = span;
}

static void read_all(struct run *run, struct nd_run_entry *entry)
{
	const struct nd_read *r = entry->c->reads;

	if (!entry->c->parse)
		return;
	for (; r && r->what; r++) {
		if (run->moment == 0 || !(r->flags & ND_READ_ONCE))
			read_pattern(run, entry, r);
	}
}

static void call_live(struct run *run, struct nd_run_entry *entry, bool between)
{
	struct nd_live l = {
		.source = run->source,
		.in = {.path = entry->c->name, .t_ns = nd_source_now(run->source), .netns = "host"},
		.moment = run->moment,
		.first = run->moment == 0 && !between,
		.last = run->last,
		.between = between,
		.state = &entry->state,
	};
	struct nd_err e = {{0}};
	int rc = entry->c->live(&l, run->facts, &e);
	uint64_t again_ns = l.again_ns > 0 && l.again_ns < AGAIN_MIN_NS ? AGAIN_MIN_NS : l.again_ns;

	entry->due_ns = again_ns ? nd_source_now(run->source) + again_ns : 0;
	if (rc < 0) {
		failed(entry, nd_run_reason(rc), e.msg[0] ? e.msg : strerror(-rc));
		return;
	}
	entry->calls++;
	if (!between)
		entry->status->inputs++;
}

static void one(struct run *run, uint32_t i, bool live, bool between)
{
	struct nd_run_entry *entry = &run->entries[i];
	struct stopwatch w;

	watch_start(&w);
	nd_facts_speaker(run->facts, i);
	if (!between)
		read_all(run, entry);
	if (live && entry->c->live)
		call_live(run, entry, between);
	watch_stop(&w, entry->status);
}

/* ---- a live window ---- */

static bool stopped(const struct run *run)
{
	return run->opt->stop && *run->opt->stop;
}

static void take_moment(struct run *run)
{
	run->end_ns = nd_source_now(run->source);
	if (run->moment == 0)
		run->first_ns = run->end_ns;
	for (uint32_t i = 0; i < run->n; i++)
		one(run, i, true, false);
}

/* The earliest time at which a collector wants to be called, or until. */
static uint64_t next_due(const struct run *run, uint64_t until_ns)
{
	for (uint32_t i = 0; i < run->n; i++) {
		uint64_t due_ns = run->entries[i].due_ns;

		if (due_ns && due_ns < until_ns)
			until_ns = due_ns;
	}
	return until_ns;
}

static void call_due(struct run *run)
{
	for (uint32_t i = 0; i < run->n && !stopped(run); i++) {
		uint64_t due_ns = run->entries[i].due_ns;

		if (due_ns && due_ns <= nd_source_now(run->source))
			one(run, i, true, true);
	}
}

/* Sleeps a slice, but not beyond until. A signal ends it early. */
static void sleep_until(uint64_t now_ns, uint64_t until_ns)
{
	uint64_t to_ns = until_ns - now_ns > SLICE_NS ? now_ns + SLICE_NS : until_ns;
	struct timespec t = {.tv_sec = (time_t)(to_ns / ND_NSEC_PER_SEC),
			     .tv_nsec = (long)(to_ns % ND_NSEC_PER_SEC)};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static void progress(const struct run *run, double window)
{
	double elapsed = (double)(nd_source_now(run->source) - run->start_ns) / 1e9;

	if (run->opt->progress)
		run->opt->progress(run->opt->progress_ctx, elapsed < window ? elapsed : window,
				   window);
}

/* False when it was stopped. */
static bool wait_until(struct run *run, uint64_t deadline_ns, double window)
{
	uint64_t now_ns;

	while (!stopped(run) && (now_ns = nd_source_now(run->source)) < deadline_ns) {
		uint64_t due_ns = next_due(run, deadline_ns);

		progress(run, window);
		if (due_ns > now_ns)
			sleep_until(now_ns, due_ns);
		else
			call_due(run);
	}
	return !stopped(run);
}

static void run_live(struct run *run)
{
	double window = run->opt->window > 0 ? run->opt->window : 0;
	uint32_t moments;

	if (window > WINDOW_MAX_S)
		window = WINDOW_MAX_S;
	moments = window > 0 ? (uint32_t)lround(window) : 0;
	if (window > 0 && moments < MOMENTS_MIN)
		moments = MOMENTS_MIN;
	if (moments > MOMENTS_MAX)
		moments = MOMENTS_MAX;
	run->start_ns = nd_source_now(run->source);
	for (uint32_t k = 0; !run->last; k++) {
		double offset = moments ? window * k / moments : 0;
		bool on = wait_until(run, run->start_ns + (uint64_t)(offset * 1e9), window);

		run->moment = k;
		run->last = !on || k >= moments;
		take_moment(run);
	}
	progress(run, window);
}

/* ---- the end ---- */

/* A fact of the host that only the runner can know; lists without the host collector do not have
 * it. */
static const struct nd_fact_def *host_fact(const struct nd_facts *f, const char *name,
					   nd_fact_id *id)
{
	*id = nd_registry_find(nd_facts_registry(f), ND_HOST, name);
	return *id < 0 ? NULL : nd_registry_def(nd_facts_registry(f), *id);
}

static void put_window(struct run *run, bool live)
{
	double window = live ? (double)(run->end_ns - run->first_ns) / 1e9 : run->span;
	struct nd_input in = {.path = live ? "the clock" : "the inputs' names", .netns = "host"};
	nd_fact_id window_id, span_id, uptime_id;
	const struct nd_fact_def *window_fact = host_fact(run->facts, "window", &window_id);
	const struct nd_fact_def *span_fact = host_fact(run->facts, "span", &span_id);
	const struct nd_fact_def *uptime_fact = host_fact(run->facts, "uptime", &uptime_id);
	const nd_id host = 0;
	struct nd_value uptime;

	if (!window_fact || !span_fact || !uptime_fact)
		return;
	nd_facts_speaker(run->facts, run->n);
	if (window > 0)
		nd_put_num(run->facts, host, window_fact, window, &in);
	else
		nd_put_missing(run->facts, host, window_fact, ND_SINGLE_SNAPSHOT,
			       "there was one moment");
	uptime = nd_get(run->facts, host, uptime_id, ND_BARE);
	if (window > 0) {
		nd_put_num(run->facts, host, span_fact, window, &in);
	} else if (uptime.type == ND_V_NUMBER) {
		in.path = nd_get_source(run->facts, host, uptime_id);
		nd_put_num(run->facts, host, span_fact, uptime.num, &in);
	} else {
		nd_put_missing(run->facts, host, span_fact, ND_TOOL_OUTPUT_ABSENT,
			       "one moment, and no uptime to say how long the totals took");
	}
}

static void finish(struct run *run, bool live)
{
	for (uint32_t i = 0; i < run->n; i++) {
		struct nd_run_entry *entry = &run->entries[i];
		struct stopwatch w;

		watch_start(&w);
		nd_facts_speaker(run->facts, i);
		if (entry->c->finish)
			entry->c->finish(run->facts);
		if (entry->c->end)
			entry->c->end(entry->state);
		watch_stop(&w, entry->status);
	}
	put_window(run, live);
	nd_run_explain(run->entries, run->n, run->facts, live);
}

static void prepare(struct nd_source *s, const struct nd_collector *const *list, uint32_t n)
{
	const struct nd_read **reads = nd_alloc((n + 1) * sizeof(*reads));
	uint32_t k = 0;

	for (uint32_t i = 0; i < n; i++)
		if (list[i]->parse && list[i]->reads)
			reads[k++] = list[i]->reads;
	nd_source_prepare(s, reads, k);
	free(reads);
}

/* A capture: what it says is all there is. Returns the number of inputs, or a negative errno. */
static int load(const struct nd_collector *const *list, uint32_t n, struct nd_facts *f,
		const char *text, size_t len, struct nd_err *e)
{
	const struct nd_save_meta *m;
	int rc = nd_facts_load(f, text, len, e), inputs = 1;

	if (rc < 0)
		return rc;
	m = nd_facts_meta(f);
	for (uint32_t i = 0; i < m->n_statuses; i++) {
		for (uint32_t k = 0; k < n; k++) {
			if (strcmp(m->statuses[i].name, list[k]->name) != 0)
				continue;
			statuses[k].inputs = m->statuses[i].inputs;
			statuses[k].bad = m->statuses[i].bad;
			snprintf(statuses[k].why, sizeof(statuses[k].why), "%.255s",
				 m->statuses[i].why);
		}
	}
	return inputs;
}

int nd_collect_list(const struct nd_collector *const *list, uint32_t n, struct nd_source *s,
		    struct nd_facts *f, const struct nd_collect *opt, struct nd_err *e)
{
	struct run run = {.source = s, .facts = f, .opt = opt, .n = n};
	bool live = nd_source_is_live(s);
	const char *text;
	size_t len;
	int inputs = 0;

	if (n > COLLECTORS_MAX)
		return nd_fail(e, -E2BIG, "%u collectors, at most %u", n, COLLECTORS_MAX);
	memset(statuses, 0, sizeof(statuses));
	run.entries = nd_alloc((n + 1) * sizeof(*run.entries));
	for (uint32_t i = 0; i < n; i++)
		run.entries[i] = (struct nd_run_entry){.c = list[i], .status = &statuses[i]};
	if (!live)
		prepare(s, list, n);
	if (!live && nd_source_capture(s, &text, &len)) {
		free(run.entries);
		return load(list, n, f, text, len, e);
	}
	if (live)
		run_live(&run);
	else
		for (uint32_t i = 0; i < n; i++)
			one(&run, i, false, false);
	finish(&run, live);
	for (uint32_t i = 0; i < n && inputs < INT32_MAX / 2; i++)
		inputs += (int)statuses[i].inputs;
	free(run.entries);
	return inputs;
}

int nd_collect(struct nd_source *s, struct nd_facts *f, const struct nd_collect *opt,
	       struct nd_err *e)
{
	return nd_collect_list(nd_collectors, nd_collectors_n, s, f, opt, e);
}

int nd_parse_fail(const struct nd_input *in, const struct nd_stream *s, struct nd_err *e,
		  const char *expected, const char *found)
{
	return nd_fail(e, -EINVAL, "%s:%llu: expected %s, found '%.60s'", in->path,
		       (unsigned long long)nd_stream_lineno(s), expected, found);
}
