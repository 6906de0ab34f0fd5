/* Who watches this host: packet sockets, BPF programs, ftrace, tracers of processes.
 *
 * Read only, and only what costs nothing to look at: /sys/kernel/tracing is read where it is mounted,
 * since a look below debugfs would mount it. The kernel counts the run time of BPF programs only
 * while kernel.bpf_stats_enabled is 1; otherwise the numbers stand still and are not taken for zero.
 *
 *	42: kprobe  name trace_in  tag 1a2b3c4d5e6f7a8b  gpl run_time_ns 812345 run_cnt 901
 *	sk               RefCnt Type Proto  Iface R Rmem   User   Inode			/proc/net/packet
 *	ffff8ce2a4b5c800 3      3    0003   2     1 0      0      31337 */
#include "collectors/collector.h"
#include "collectors/snmp.h"

#include <errno.h>
#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PROGRAMS_MAX 4096
#define TRACING "/sys/kernel/tracing/"
#define STATS "/proc/sys/kernel/bpf_stats_enabled"

enum fact {
	PACKET,
	PROGRAMS,
	RUN_TIME,
	RUNS,
	COSTLIEST,
	TRACER,
	TRACING_ON,
	EVENTS,
	TRACED,
	FACTS
};

static const struct nd_fact_def facts[FACTS + 1] = {
	[PACKET] = {.name = "packet.sockets",
		    .on = ND_NETNS,
		    .type = ND_T_NUMBER,
		    .unit = ND_U_COUNT,
		    .width = ND_GAUGE,
		    .doc = "packet sockets that see every protocol, as a capture opens",
		    .reproduce = "awk '$4 == \"0003\" && $6 == 1' /proc/net/packet | wc -l"},
	[PROGRAMS] = {.name = "bpf.programs",
		      .on = ND_HOST,
		      .type = ND_T_NUMBER,
		      .unit = ND_U_COUNT,
		      .width = ND_GAUGE,
		      .doc = "BPF programs that are loaded",
		      .reproduce = "bpftool prog show | grep -c '^[0-9]'"},
	[RUN_TIME] = {.name = "bpf.run_time",
		      .on = ND_HOST,
		      .type = ND_T_NUMBER,
		      .unit = ND_U_SECONDS,
		      .width = ND_COUNTER64,
		      .kernel_unit = 1e-9,
		      .doc = "time spent in all BPF programs, counted while bpf_stats_enabled is 1",
		      .reproduce = "bpftool prog show | grep -o 'run_time_ns [0-9]*'"},
	[RUNS] = {.name = "bpf.runs",
		  .on = ND_HOST,
		  .type = ND_T_NUMBER,
		  .unit = ND_U_COUNT,
		  .width = ND_COUNTER64,
		  .doc = "runs of all BPF programs, counted while bpf_stats_enabled is 1",
		  .reproduce = "bpftool prog show | grep -o 'run_cnt [0-9]*'"},
	[COSTLIEST] = {.name = "bpf.costliest",
		       .on = ND_HOST,
		       .type = ND_T_TEXT,
		       .doc = "the BPF program that took most time, by id and name",
		       .reproduce = "bpftool prog show"},
	[TRACER] = {.name = "ftrace.tracer",
		    .on = ND_HOST,
		    .type = ND_T_TEXT,
		    .doc = "tracer of ftrace; nop: none",
		    .reproduce = "cat " TRACING "current_tracer"},
	[TRACING_ON] = {.name = "ftrace.on",
			.on = ND_HOST,
			.type = ND_T_NUMBER,
			.unit = ND_U_COUNT,
			.width = ND_GAUGE,
			.doc = "1: ftrace writes into its buffer",
			.reproduce = "cat " TRACING "tracing_on"},
	[EVENTS] = {.name = "ftrace.events",
		    .on = ND_HOST,
		    .type = ND_T_NUMBER,
		    .unit = ND_U_COUNT,
		    .width = ND_GAUGE,
		    .doc = "trace events that ftrace records",
		    .reproduce = "wc -l < " TRACING "set_event"},
	[TRACED] = {.name = "traced_by",
		    .on = ND_PROCESS,
		    .type = ND_T_NUMBER,
		    .unit = ND_U_NONE,
		    .width = ND_GAUGE,
		    .doc = "process that traces it with ptrace (strace, a debugger); 0: none",
		    .reproduce = "grep TracerPid /proc/{key}/status"},
	{.name = NULL},
};

/* ---- BPF programs ---- */

struct programs {
	uint32_t n;
	uint64_t time_ns, runs, most;
	bool counted; /* one of them had a run time */
	char costliest[64];
};

static void take_program(struct programs *p, uint64_t id, const char *name, uint64_t time_ns,
			 uint64_t runs)
{
	p->n++;
	p->time_ns += time_ns;
	p->runs += runs;
	p->counted |= runs > 0;
	if (time_ns > p->most) {
		p->most = time_ns;
		snprintf(p->costliest, sizeof(p->costliest), "%llu (%.30s)", (unsigned long long)id,
			 *name ? name : "no name");
	}
}

static void put_programs(struct nd_facts *f, const struct programs *p, const struct nd_input *in)
{
	const nd_id host = nd_entity(f, ND_HOST, "");

	nd_put_num(f, host, &facts[PROGRAMS], p->n, in);
	for (int i = RUN_TIME; !p->counted && i <= COSTLIEST; i++)
		nd_put_missing(f, host, &facts[i], ND_NOT_SAMPLED,
			       "kernel.bpf_stats_enabled is 0: no run time is counted");
	if (!p->counted)
		return;
	nd_put_reading(f, host, &facts[RUN_TIME], p->time_ns, in);
	nd_put_reading(f, host, &facts[RUNS], p->runs, in);
	if (*p->costliest)
		nd_put_text(f, host, &facts[COSTLIEST], p->costliest, in);
}

/* "42: kprobe  name trace_in  tag …  gpl run_time_ns 812345 run_cnt 901" */
static bool read_program(struct programs *p, char *line)
{
	char *word = nd_word(&line), name[32] = "";
	size_t n = word ? strlen(word) : 0;
	uint64_t id, time_ns = 0, runs = 0;

	if (n < 2 || word[n - 1] != ':')
		return false;
	word[n - 1] = '\0';
	if (!nd_parse_u64(word, 10, &id) || !strstr(line, " tag ") || !nd_word(&line))
		return false;
	while ((word = nd_word(&line))) {
		if (strcmp(word, "name") == 0 && (word = nd_word(&line)))
			snprintf(name, sizeof(name), "%.30s", word);
		else if (word && strcmp(word, "run_time_ns") == 0 && (word = nd_word(&line)))
			nd_parse_u64(word, 10, &time_ns);
		else if (word && strcmp(word, "run_cnt") == 0 && (word = nd_word(&line)))
			nd_parse_u64(word, 10, &runs);
		if (!word)
			break;
	}
	take_program(p, id, name, time_ns, runs);
	return true;
}

static int bpf(int cmd, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static void live_program(struct programs *p, uint32_t id)
{
	struct bpf_prog_info info = {0};
	union bpf_attr attr = {.prog_id = id};
	char name[sizeof(info.name) + 1] = "";
	const int fd = bpf(BPF_PROG_GET_FD_BY_ID, &attr);

	if (fd < 0)
		return;
	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info_len = sizeof(info);
	attr.info.info = (uint64_t)(uintptr_t)&info;
	if (bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) == 0) {
		memcpy(name, info.name, sizeof(info.name));
		take_program(p, id, name, info.run_time_ns, info.run_cnt);
	}
	close(fd);
}

static void live_programs(struct nd_live *l, struct nd_facts *f)
{
	struct programs p = {.n = 0};
	char enabled[16] = "";
	uint32_t id = 0;

	for (int i = 0; i < PROGRAMS_MAX; i++) {
		union bpf_attr attr = {.start_id = id};

		if (bpf(BPF_PROG_GET_NEXT_ID, &attr) != 0) {
			if (errno == ENOENT)
				break;
			nd_fact_missing(f, &facts[PROGRAMS],
					errno == EPERM ? ND_NO_PERMISSION : ND_NOT_ON_THIS_KERNEL,
					"bpf: %s", strerror(errno));
			return;
		}
		id = attr.next_id;
		live_program(&p, id);
	}
	if (nd_source_text(l->source, STATS, enabled, sizeof(enabled)) >= 0 && *enabled == '0')
		p.counted = false;
	l->in.path = "bpf(2)";
	put_programs(f, &p, &l->in);
}

/* ---- texts ---- */

static bool read_packet(char *line, uint32_t *n)
{
	char *w[9];

	for (int i = 0; i < 9; i++)
		if (!(w[i] = nd_word(&line)))
			return false;
	*n += strcmp(w[3], "0003") == 0 && strcmp(w[5], "1") == 0;
	return true;
}

static int parse_packet(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f)
{
	uint32_t n = 0;
	char *line;

	while ((line = nd_stream_line(s)))
		read_packet(line, &n);
	nd_put_num(f, nd_entity(f, ND_NETNS, in->netns), &facts[PACKET], n, in);
	return nd_stream_error(s);
}

static int parse_ftrace(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f)
{
	const nd_id host = nd_entity(f, ND_HOST, "");
	char *line = nd_stream_line(s);
	uint32_t n = 0;
	uint64_t v;

	if (strstr(in->path, "current_tracer") && line)
		nd_put_text(f, host, &facts[TRACER], nd_trim(line), in);
	else if (strstr(in->path, "tracing_on") && line && nd_parse_u64(nd_trim(line), 10, &v))
		nd_put_num(f, host, &facts[TRACING_ON], (double)v, in);
	else if (strstr(in->path, "set_event")) {
		for (; line; line = nd_stream_line(s))
			n += *nd_trim(line) != '\0' && *line != '#';
		nd_put_num(f, host, &facts[EVENTS], n, in);
	}
	return nd_stream_error(s);
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	const char *slash = strrchr(in->path, '/');
	const char *base = slash ? slash + 1 : in->path;
	struct programs p = {.n = 0};
	char *line;

	if (strstr(in->path, "current_tracer") || strstr(in->path, "tracing_on") ||
	    strstr(in->path, "set_event"))
		return parse_ftrace(in, s, f);
	if (nd_starts(base, "packet"))
		return parse_packet(in, s, f);
	while ((line = nd_stream_line(s)))
		read_program(&p, line);
	if (nd_stream_error(s))
		return nd_fail(e, nd_stream_error(s), "%s: %s", in->path,
			       strerror(-nd_stream_error(s)));
	if (p.n == 0)
		return nd_parse_fail(in, s, e, "'42: kprobe name … tag …'", "none");
	put_programs(f, &p, in);
	return 0;
}

/* ---- processes ---- */

static void put_traced(struct nd_live *l, struct nd_facts *f)
{
	char path[64], text[2048], *at;
	uint32_t n;
	const nd_id *all = nd_entities(f, ND_PROCESS, &n);

	for (uint32_t i = 0; i < n; i++) {
		uint64_t v;

		snprintf(path, sizeof(path), "/proc/%.20s/status", nd_entity_key(f, all[i]));
		if (nd_source_text(l->source, path, text, sizeof(text)) < 0)
			continue;
		at = strstr(text, "TracerPid:");
		if (!at)
			continue;
		at += strlen("TracerPid:");
		at[strcspn(at, "\n")] = '\0';
		l->in.path = "/proc/PID/status";
		if (nd_parse_u64(nd_trim(at), 10, &v))
			nd_put_num(f, all[i], &facts[TRACED], (double)v, &l->in);
	}
}

/* Where tracefs is not mounted nobody traces by way of it; a tracer may still use a mount of its own. */
static void say_unmounted(struct nd_live *l, struct nd_facts *f)
{
	char text[64];

	if (nd_source_text(l->source, TRACING "current_tracer", text, sizeof(text)) != -ENOENT)
		return;
	for (int i = TRACER; i <= EVENTS; i++)
		nd_fact_missing(f, &facts[i], ND_NOT_ON_THIS_KERNEL,
				"tracefs is not mounted at /sys/kernel/tracing");
}

static int live(struct nd_live *l, struct nd_facts *f, struct nd_err *e)
{
	(void)e;
	if (l->between)
		return 0;
	if (l->first) {
		say_unmounted(l, f);
		nd_netns_unread(l, f, facts, "no process through which it can be read");
	}
	if (l->first || l->last)
		live_programs(l, f);
	if (l->last)
		put_traced(l, f);
	return 0;
}

static const struct nd_read reads[] = {
	{"/proc/net/packet", ND_READ_NETNS | ND_READ_ONCE},
	{TRACING "current_tracer", ND_READ_ONCE},
	{TRACING "tracing_on", ND_READ_ONCE},
	{TRACING "set_event", ND_READ_ONCE},
	{"bpftool prog", 0, "[0-9]*: * tag * gpl*\n*loaded_at * uid *"},
	{NULL, 0, NULL},
};

const struct nd_collector nd_collector_observers = {
	.name = "observers",
	.doc = "who watches this host: packet sockets, BPF programs, ftrace, tracers",
	.reads = reads,
	.facts = facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
	.live = live,
};
