/* collect: measure now, judge elsewhere; and what run --save keeps beside its report. */
#include <sys/stat.h>
#include <unistd.h>

#include "engine/cli/cmd.h"
#include "engine/cli/session.h"
#include "engine/core/bundle.h"

#define HOST_NAME_BYTES 256
#define STATUSES_MAX 128
#define ENDING ".nd.tar.gz"

/* How each collector fared, for the list of inputs that were of no use. */
static uint32_t list_statuses(struct nd_save_status *out)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < nd_collectors_n && n < STATUSES_MAX; i++) {
		const struct nd_collector_status *st = nd_collect_status(i);

		out[n++] = (struct nd_save_status){nd_collectors[i]->name, st->why, st->inputs,
						   st->bad};
	}
	return n;
}

int nd_session_save(struct nd_session *s, const char *file)
{
	char host[HOST_NAME_BYTES] = "";
	struct nd_save_status statuses[STATUSES_MAX];
	struct nd_save_meta meta = {
		.version = ND_VERSION,
		.host_name = host,
		.netns = s->target.name,
		.netns_enter = s->target.enter,
		.started_s = s->started_s,
		.ended_s = s->ended_s,
		.utc_offset_s = s->utc_offset_s,
		.statuses = statuses,
		.n_statuses = list_statuses(statuses),
	};
	struct nd_buf out = {0};
	struct nd_err e = {{0}};
	mode_t mask;
	int status = ND_EXIT_OWN;

	if (gethostname(host, sizeof(host) - 1) != 0)
		host[0] = '\0';
	if (nd_bundle_end(s->bundle, &meta, &out, &e) != 0) {
		nd_error("%s", e.msg);
	} else {
		mask = umask(077); /* it holds addresses and names */
		status = nd_write_file(file, &out);
		umask(mask);
	}
	nd_buf_free(&out);
	return status;
}

int nd_cmd_collect(const struct nd_options *o, struct nd_buf *out)
{
	const char *file = nd_opt_text(o, ND_OPT_OUTPUT);
	struct nd_session s;
	double window = 0;
	int status;

	if (!file)
		return nd_usage_error(
			o->command, "-o FILE is missing: where to keep it, such as host%s", ENDING);
	status = nd_check_place(file);
	if (status)
		return status;
	nd_parse_duration(nd_opt_text(o, ND_OPT_DURATION), &window);
	nd_session_begin(&s);
	status = nd_session_open(&s, o);
	if (status == 0) {
		s.bundle = nd_bundle_begin(s.source, s.facts, nd_opt_given(o, ND_OPT_REDACT));
		status = nd_session_collect(&s, o, window);
	}
	if (status == 0)
		status = nd_session_save(&s, file);
	if (status == 0)
		nd_buf_printf(out, "kept in %s; judge it with: netdoctor run --from %s\n", file,
			      file);
	nd_session_end(&s);
	return status;
}
