/* Opens a source and reads it, with a progress line, and a first Ctrl-C that only ends the measuring. */
#include "engine/cli/session.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "engine/cli/cmd.h"
#include "engine/core/bundle.h"
#include "engine/core/confine.h"
#include "engine/judge/judge.h"

static volatile int stop; /* set by the first Ctrl-C */

static void on_interrupt(int sig)
{
	(void)sig;
	if (stop)
		_exit(ND_EXIT_ABORT);
	stop = 1;
}

static uint64_t monotonic_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * ND_NSEC_PER_SEC + (uint64_t)t.tv_nsec;
}

static double seconds_of(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double process_cpu(void)
{
	struct rusage u;

	if (getrusage(RUSAGE_SELF, &u) != 0)
		return 0;
	return seconds_of(u.ru_utime) + seconds_of(u.ru_stime);
}

static int64_t epoch_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec;
}

void nd_session_begin(struct nd_session *s)
{
	*s = (struct nd_session){.begun_ns = monotonic_ns(), .begun_cpu = process_cpu()};
	s->registry = nd_registry_new();
	nd_collectors_register(s->registry);
}

void nd_session_end(struct nd_session *s)
{
	nd_bundle_free(s->bundle);
	if (s->facts)
		nd_facts_free(s->facts);
	if (s->source)
		nd_source_free(s->source);
	nd_rules_free(s->rules);
	nd_registry_free(s->registry);
}

/* Adds what --from or --pcap names to the source, which the first one makes. */
static int add_recorded(struct nd_session *s, const struct nd_options *o, enum nd_opt opt)
{
	struct nd_err e;
	const char *path;
	uint32_t i = 0;

	while ((path = nd_opt_next(o, opt, &i))) {
		int rc = 0;

		if (s->source)
			rc = nd_source_folder_add(s->source, path, &e);
		else
			s->source = nd_source_folder(path, &e);
		if (!s->source || rc < 0) {
			nd_error("--%s %s", nd_opt_rows[opt].name, e.msg);
			return ND_EXIT_INPUT;
		}
	}
	return 0;
}

int nd_session_open(struct nd_session *s, const struct nd_options *o)
{
	int status;

	s->facts = nd_facts_new(s->registry);
	status = nd_target_enter(o, &s->target);
	if (status)
		return status;
	if (!nd_opt_given(o, ND_OPT_FROM) && !nd_opt_given(o, ND_OPT_PCAP)) {
		s->source = nd_source_live("/proc", "/sys");
		return 0;
	}
	status = add_recorded(s, o, ND_OPT_FROM);
	return status ? status : add_recorded(s, o, ND_OPT_PCAP);
}

int nd_session_read_case(void *ctx, const char *path, struct nd_facts *f, struct nd_err *e)
{
	const struct nd_collect how = {0};
	struct nd_source *s = nd_source_folder(path, e);
	int n;

	(void)ctx;
	if (!s)
		return -ENOENT;
	n = nd_collect(s, f, &how, e);
	nd_source_free(s);
	return n == 0 ? nd_fail(e, -ENODATA, "%s: no output that can be read", path) : n;
}

const struct nd_test_hooks nd_case_hooks = {NULL, nd_session_read_case, NULL};

/* ---- measuring ---- */

static bool shows_progress(const struct nd_session *s, const struct nd_options *o)
{
	const char *term = getenv("TERM");

	return nd_source_is_live(s->source) && isatty(STDERR_FILENO) && term &&
	       strcmp(term, "dumb") != 0 && !nd_opt_given(o, ND_OPT_QUIET) &&
	       !nd_opt_given(o, ND_OPT_NO_PROGRESS);
}

static void progress(void *ctx, double elapsed, double window)
{
	(void)ctx;
	fprintf(stderr, "\r\033[Kmeasuring: %.1f of %.1f s; Ctrl-C reports what there is",
		elapsed < window ? elapsed : window, window);
	fflush(stderr);
}

static int nothing_read(const struct nd_session *s, const struct nd_options *o)
{
	struct nd_buf paths = {0};
	const char *path;
	uint32_t i = 0;

	if (nd_source_is_live(s->source)) {
		nd_error("no input could be read: is /proc mounted?");
		return ND_EXIT_INPUT;
	}
	while ((path = nd_opt_next(o, ND_OPT_FROM, &i)))
		nd_buf_printf(&paths, "%s%s", paths.len ? ", " : "", path);
	for (i = 0; (path = nd_opt_next(o, ND_OPT_PCAP, &i));)
		nd_buf_printf(&paths, "%s%s", paths.len ? ", " : "", path);
	nd_error(
		"no input could be read in %s: expected a copied /proc and /sys, a sosreport, packet captures, or outputs "
		"that their file's name, the prompt above them or a heading tells, such as netstat-s.txt, ss-tin.txt, "
		"softnet_stat",
		nd_buf_str(&paths));
	nd_buf_free(&paths);
	return ND_EXIT_INPUT;
}

int nd_session_collect(struct nd_session *s, const struct nd_options *o, double window)
{
	struct sigaction catch = {.sa_handler = on_interrupt}, before;
	struct nd_collect how = {.window = window, .stop = &stop};
	bool live = nd_source_is_live(s->source), shown = shows_progress(s, o);
	time_t now = (time_t)epoch_s();
	struct nd_err e;
	struct tm local;
	int rc;

	if (shown)
		how.progress = progress;
	s->started_s = live ? (int64_t)now : 0;
	if (localtime_r(&now, &local))
		s->utc_offset_s = (int32_t)local.tm_gmtoff;
	sigemptyset(&catch.sa_mask);
	sigaction(SIGINT, NULL, &before);
	if (before.sa_handler != SIG_IGN) /* nohup and background jobs stay as they are */
		sigaction(SIGINT, &catch, NULL);
	rc = nd_collect(s->source, s->facts, &how, &e);
	s->ended_s = live ? epoch_s() : 0;
	if (shown)
		fputs("\r\033[K", stderr);
	if (rc < 0) {
		nd_error("%s", e.msg);
		return live ? ND_EXIT_OWN : ND_EXIT_INPUT;
	}
	return rc == 0 ? nothing_read(s, o) : 0;
}

struct showing {
	struct nd_session *s;
	const struct nd_options *o;
	double window, used_cpu; /* s; used: by the process that this one came from */
	int (*show)(void *ctx, struct nd_buf *out);
	void *ctx;
};

static int confined(void *ctx, struct nd_buf *out)
{
	struct showing *w = ctx;
	int status = 0;

	w->s->begun_cpu = process_cpu() - w->used_cpu;
	if (!nd_source_is_live(w->s->source))
		status = nd_session_collect(w->s, w->o, w->window);
	return status ? status : w->show(w->ctx, out);
}

int nd_session_show(struct nd_session *s, const struct nd_options *o, double window,
		    int (*show)(void *ctx, struct nd_buf *out), void *ctx, struct nd_buf *out)
{
	struct showing w = {s, o, window, 0, show, ctx};
	const char *save = nd_opt_text(o, ND_OPT_SAVE);
	struct nd_err e = {{0}};
	int status = 0;

	if (save && nd_source_is_live(s->source))
		s->bundle = nd_bundle_begin(s->source, s->facts, nd_opt_given(o, ND_OPT_REDACT));
	if (nd_source_is_live(s->source))
		status = nd_session_collect(s, o, window);
	if (status == 0 && s->bundle)
		status = nd_session_save(s, save);
	if (status)
		return status;
	w.used_cpu = nd_session_cpu(s);
	status = nd_confined(s->source, confined, &w, out, &e);
	if (status >= 0)
		return status;
	nd_error("%s", e.msg);
	return ND_EXIT_OWN;
}

double nd_session_wall(const struct nd_session *s)
{
	return (double)(monotonic_ns() - s->begun_ns) / 1e9;
}

double nd_session_cpu(const struct nd_session *s)
{
	return process_cpu() - s->begun_cpu;
}

int nd_write_all(int fd, const struct nd_buf *b)
{
	size_t done = 0;

	while (done < b->len) {
		ssize_t n = write(fd, b->s + done, b->len - done);

		if (n < 0 && errno != EINTR)
			return -errno;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}
