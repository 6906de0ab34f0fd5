/* run: measure, judge, report. The exit status is the verdict. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/cli/cmd.h"
#include "engine/cli/session.h"
#include "engine/core/fact_save.h"
#include "engine/judge/judge.h"
#include "reports/report.h"

#define QUICK_S 2.0
#define FORMATS_MAX 16
#define DEFAULT_FORMAT "md" /* fits a ticket and a chat */
#define HOST_NAME_BYTES 256

/* ---- the report's form and place ---- */

static const struct nd_report *pick_format(const struct nd_options *o)
{
	const char *file = nd_opt_text(o, ND_OPT_OUTPUT), *names[FORMATS_MAX];
	const struct nd_report *by_default = NULL;
	size_t n = 0;
	int i;

	for (const struct nd_report *const *r = nd_reports; *r && n < FORMATS_MAX; r++) {
		if (!nd_opt_given(o, ND_OPT_FORMAT) && file && nd_ends(file, (*r)->suffix))
			return *r;
		if (strcmp((*r)->name, DEFAULT_FORMAT) == 0)
			by_default = *r;
		names[n++] = (*r)->name;
	}
	if (!nd_opt_given(o, ND_OPT_FORMAT))
		return by_default;
	i = nd_opt_format(o, names, n);
	return i < 0 ? NULL : nd_reports[i];
}

static bool to_stdout(const char *file)
{
	return !file || strcmp(file, "-") == 0;
}

/* Is there something at the path that must be written into rather than replaced: a fifo, /dev/stderr? */
static bool is_special(const char *file)
{
	struct stat st;

	return stat(file, &st) == 0 && !S_ISREG(st.st_mode);
}

/* Said before the measuring and not after it. */
int nd_check_place(const char *file)
{
	char dir[PATH_MAX];
	const char *slash;
	struct stat st;

	if (to_stdout(file))
		return 0;
	if (stat(file, &st) == 0 && S_ISDIR(st.st_mode)) {
		nd_error("%s: is a directory", file);
		return ND_EXIT_OWN;
	}
	slash = strrchr(file, '/');
	snprintf(dir, sizeof(dir), "%.*s", slash ? (int)(slash - file) + 1 : 1, slash ? file : ".");
	if (access(dir, W_OK) != 0 && !is_special(file)) {
		nd_error("%s: cannot write there: %s", file, strerror(errno));
		return ND_EXIT_OWN;
	}
	return 0;
}

int nd_write_file(const char *file, const struct nd_buf *report)
{
	bool direct = is_special(file);
	char temp[PATH_MAX];
	int fd, rc;

	if ((size_t)snprintf(temp, sizeof(temp), direct ? "%s" : "%s.tmp%d", file, (int)getpid()) >=
	    sizeof(temp)) {
		nd_error("%s: %s", file, strerror(ENAMETOOLONG));
		return ND_EXIT_OWN;
	}
	fd = open(temp,
		  direct ? O_WRONLY | O_CLOEXEC | O_NOCTTY
			 : O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		  0666);
	if (fd < 0) {
		nd_error("%s: %s", temp, strerror(errno));
		return ND_EXIT_OWN;
	}
	rc = nd_write_all(fd, report);
	if (close(fd) != 0 && rc == 0)
		rc = -errno;
	if (rc == 0 && !direct && rename(temp, file) != 0)
		rc = -errno;
	if (rc == 0)
		return 0;
	nd_error("%s: %s", file, strerror(-rc));
	if (!direct)
		unlink(temp);
	return ND_EXIT_OWN;
}

/* ---- what the judge cannot know: inputs that were of no use ---- */

static void add_input(struct nd_findings *r, struct nd_source_note *notes, const char *path,
		      const char *says)
{
	notes[r->n_inputs++] = (struct nd_source_note){nd_arena_strdup(&r->arena, path),
						       nd_arena_strdup(&r->arena, says)};
}

static void add_inputs(struct nd_findings *r, struct nd_source *source)
{
	bool live = nd_source_is_live(source);
	uint32_t n = 0, n_remarks = 0;
	const char *const *unused = live ? NULL : nd_source_unused(source, &n);
	const struct nd_source_remark *remarks = nd_source_remarks(source, &n_remarks);
	struct nd_source_note *notes = nd_arena_alloc(
		&r->arena, (n + n_remarks + nd_collectors_n + r->n_inputs) * sizeof(*notes));

	if (r->n_inputs)
		memcpy(notes, r->inputs, r->n_inputs * sizeof(*notes));
	r->inputs = notes;
	for (uint32_t i = 0; i < nd_collectors_n; i++) {
		const struct nd_collector_status *st = nd_collect_status(i);

		if (st->bad && st->why[0])
			add_input(r, notes, nd_collectors[i]->name, st->why);
	}
	for (uint32_t i = 0; i < n_remarks; i++) {
		if (!remarks[i].read)
			add_input(r, notes, remarks[i].path, remarks[i].says);
		else
			nd_info("%s: %s", remarks[i].path, remarks[i].says);
	}
	for (uint32_t i = 0; i < n; i++)
		add_input(r, notes, unused[i],
			  "not recognised: nothing here reads a file of that name");
}

static const char *live_host_name(char *out, size_t size)
{
	if (gethostname(out, size) != 0)
		return "";
	out[size - 1] = '\0';
	return out;
}

static struct nd_findings *judge(struct nd_session *s)
{
	char host[HOST_NAME_BYTES];
	struct nd_judge_about about = {
		.version = ND_VERSION,
		.source = nd_source_name(s->source),
		.host_name = nd_source_is_live(s->source) ? live_host_name(host, sizeof(host)) : "",
		.netns = s->target.name,
		.netns_enter = s->target.enter,
		.started_s = s->started_s,
		.ended_s = s->ended_s,
		.utc_offset_s = s->utc_offset_s,
		.own_cpu = nd_session_cpu(s),
		.own_wall = nd_session_wall(s),
	};
	const struct nd_save_meta *m = nd_facts_meta(s->facts);
	struct nd_findings *r;

	if (m) { /* a capture: the run that made it */
		about.host_name = m->host_name;
		about.netns = m->netns;
		about.netns_enter = m->netns_enter;
		about.started_s = m->started_s;
		about.ended_s = m->ended_s;
		about.utc_offset_s = m->utc_offset_s;
	}
	r = nd_judge(s->rules, s->facts, &about);

	add_inputs(r, s->source);
	return r;
}

struct examining {
	struct nd_session *s;
	const struct nd_report *format;
};

/* Judges and renders: the exit status is the verdict. */
static int render(void *ctx, struct nd_buf *out)
{
	static const int status_of[] = {[ND_HEALTHY] = ND_EXIT_HEALTHY,
					[ND_CAUSES] = ND_EXIT_CAUSES,
					[ND_INCONCLUSIVE] = ND_EXIT_INCONCLUSIVE};
	const struct examining *x = ctx;
	struct nd_findings *r = judge(x->s);
	int status = status_of[r->verdict];

	if (x->format->write(r, out) < 0) {
		nd_error("the %s report could not be made", x->format->name);
		status = ND_EXIT_OWN;
	}
	nd_findings_free(r);
	return status;
}

static bool is_verdict(int status)
{
	return status == ND_EXIT_HEALTHY || status == ND_EXIT_CAUSES ||
	       status == ND_EXIT_INCONCLUSIVE;
}

static int examine(struct nd_session *s, const struct nd_options *o, const struct nd_report *format,
		   struct nd_buf *out)
{
	const char *file = nd_opt_text(o, ND_OPT_OUTPUT);
	struct examining x = {s, format};
	struct nd_buf report = {0};
	double window = QUICK_S;
	int status, written = 0;

	if (!nd_opt_given(o, ND_OPT_QUICK) || nd_opt_given(o, ND_OPT_DURATION))
		nd_parse_duration(nd_opt_text(o, ND_OPT_DURATION), &window);
	nd_judge_watch(s->rules, s->facts);
	status = nd_session_show(s, o, window, render, &x, &report);
	if (!is_verdict(status)) /* what there is of a report is none */
		written = status;
	else if (to_stdout(file))
		nd_buf_put(out, nd_buf_str(&report), report.len);
	else
		written = nd_write_file(file, &report);
	nd_buf_free(&report);
	return written ? written : status;
}

int nd_cmd_run(const struct nd_options *o, struct nd_buf *out)
{
	const struct nd_report *format = pick_format(o);
	struct nd_session s;
	int status;

	if (!format)
		return ND_EXIT_USAGE;
	if (nd_opt_given(o, ND_OPT_SAVE) && nd_opt_given(o, ND_OPT_FROM))
		return nd_usage_error(o->command, "--save keeps what is measured here, and --from "
						  "measures nothing");
	status = nd_check_place(nd_opt_text(o, ND_OPT_OUTPUT));
	if (status == 0)
		status = nd_check_place(nd_opt_text(o, ND_OPT_SAVE));
	if (status)
		return status;
	nd_session_begin(&s);
	status = nd_session_rules_trusted(&s, o);
	if (status == 0)
		status = nd_session_open(&s, o);
	if (status == 0)
		status = examine(&s, o, format, out);
	nd_session_end(&s);
	return status;
}
