/* What a printed histogram measures. */
#include "collectors/hist_subject.h"

#include <ctype.h>

/* Tools by their name in a file's name, or by their first line. */
static const struct tool {
	const char *name, *says;
	enum nd_hist_what what;
	double unit;
	bool shared;
} tools[] = {
	{"runqlat", "Tracing run queue latency", ND_HIST_RUNQ, 1e-6, false},
	{"runqlat", "Tracing CPU scheduler", ND_HIST_RUNQ, 1e-6, false},
	{"runqlen", "Sampling run queue length", ND_HIST_RUNQ_LENGTH, 1, false},
	{"runqlen", "Sampling run queue", ND_HIST_RUNQ_LENGTH, 1, false},
	{"funclat", "Tracing 1 functions for", ND_HIST_FUNCTION, 1e-9, false},
	{"softirqs", "Tracing soft irq event time", ND_HIST_SOFTIRQ, 1e-6, true},
	{"biolatency", "Tracing block device I/O", ND_HIST_DISK, 1e-6, false},
	{"biolatency", "Tracing block I/O", ND_HIST_DISK, 1e-6, false},
	{"hardirqs", "Tracing hard irq event time", ND_HIST_OTHER, 1e-6, true},
	{"cpudist", "Tracing on-CPU time", ND_HIST_OTHER, 1e-6, false},
	{"cpudist", "Tracing off-CPU time", ND_HIST_OTHER, 1e-6, false},
};

/* Names of softirqs, and the kernel functions that handle them. */
static const struct {
	const char *softirq, *handler;
} handlers[] = {
	{"net_rx", "net_rx_action"},	{"net_tx", "net_tx_action"},
	{"timer", "run_timer_softirq"}, {"tasklet", "tasklet_action"},
	{"hi", "tasklet_hi_action"},	{"hi_tasklet", "tasklet_hi_action"},
	{"block", "blk_done_softirq"},	{"sched", "run_rebalance_domains"},
	{"rcu", "rcu_core_si"},		{"hrtimer", "hrtimer_run_softirq"},
};

/* The first name like "tcp_v4_rcv" in s: a word with an underscore. */
static void find_symbol(const char *s, char *out, size_t size)
{
	while (*s) {
		size_t n = 0;

		while (isalnum((unsigned char)s[n]) || s[n] == '_')
			n++;
		if (n > 2 && n < size && memchr(s, '_', n)) {
			memcpy(out, s, n);
			out[n] = '\0';
			return;
		}
		s += n ? n : 1;
	}
}

void nd_hist_subject_path(struct nd_hist_subject *s, const char *path)
{
	const char *base = strrchr(path, '/');

	base = base ? base + 1 : path;
	for (size_t i = 0; i < ND_ARRAY_LEN(tools); i++) {
		const char *at = strstr(base, tools[i].name);

		if (!at)
			continue;
		s->what = tools[i].what;
		s->unit = tools[i].unit;
		s->shared = tools[i].shared;
		at += strcspn(at, "-_ .");
		at += *at ? 1 : 0;
		while (at[0] == '-' && isalpha((unsigned char)at[1]) && strchr("_ ", at[2]) &&
		       at[2])
			at += 3; /* "funclatency_-u_vfs_read": an option */
		if (s->what == ND_HIST_FUNCTION)
			find_symbol(at, s->function, sizeof(s->function));
		return;
	}
}

/* A probe at this place, as "kretprobe:vfs_read", "kretfunc:vmlinux:vfs_read", "tracepoint:sched:sched_switch". */
static void take_probe(struct nd_hist_subject *s, const char *at)
{
	static const struct {
		const char *name;
		bool returns;
	} probes[] = {
		{"kretprobe:", true}, {"kretfunc:", true},    {"fexit:", true},
		{"kprobe:", false},   {"kfunc:", false},      {"fentry:", false},
		{"kr:", true},	      {"tracepoint:", false}, {"rawtracepoint:", false},
	};
	char target[ND_SYMBOL_MAX * 2];
	size_t n = strcspn(at, " \t,{/'\"");

	if (n >= sizeof(target))
		return;
	memcpy(target, at, n);
	target[n] = '\0';
	for (size_t i = 0; i < ND_ARRAY_LEN(probes); i++) {
		if (nd_starts(at, probes[i].name) &&
		    nd_symbol_clean(target, s->probe, sizeof(s->probe))) {
			s->returns = probes[i].returns;
			s->wakeups = s->wakeups || nd_starts(s->probe, "sched_wakeup");
			return;
		}
	}
}

/* "@usecs[comm] = hist(": what the map holds follows from the probe around it. */
static void take_map(struct nd_hist_subject *s, const char *map)
{
	size_t n = strcspn(map, "[ =");

	if (s->n_maps == ND_HIST_MAPS || n >= sizeof(s->maps[0].name))
		return;
	memcpy(s->maps[s->n_maps].name, map, n);
	if (s->returns) {
		s->maps[s->n_maps].what = ND_HIST_FUNCTION;
		snprintf(s->maps[s->n_maps].function, ND_SYMBOL_MAX, "%s", s->probe);
	} else if (s->wakeups && strcmp(s->probe, "sched_switch") == 0) {
		s->maps[s->n_maps].what = ND_HIST_RUNQ;
	}
	s->n_maps++;
}

/* A line of a script, which may be all of it. */
static void take_script(struct nd_hist_subject *s, const char *line)
{
	const char *map = NULL;

	for (const char *at = line; *at; at++) {
		if (at != line && isalnum((unsigned char)at[-1]))
			continue;
		if (*at == '@') {
			map = at;
		} else if (map && (nd_starts(at, "hist(") || nd_starts(at, "lhist("))) {
			take_map(s, map);
			map = NULL;
		} else if (isalpha((unsigned char)*at)) {
			take_probe(s, at);
		}
	}
}

void nd_hist_subject_line(struct nd_hist_subject *s, const char *line)
{
	static const char functions[] = " functions for \"";
	const char *at = strstr(line, functions);

	for (size_t i = 0; i < ND_ARRAY_LEN(tools); i++) {
		if (!strstr(line, tools[i].says))
			continue;
		s->what = tools[i].what;
		s->unit = tools[i].unit;
		break;
	}
	if (at) {
		s->what = ND_HIST_FUNCTION;
		s->unit = 1e-9;
		nd_symbol_clean(at + strlen(functions), s->function, sizeof(s->function));
	} else if (nd_starts(line, "Tracing ") && strstr(line, "Hit Ctrl-C to exit") &&
		   s->what == ND_HIST_FUNCTION) { /* libbpf-tools: "Tracing vfs_read.  Hit …" */
		nd_symbol_clean(line + strlen("Tracing "), s->function, sizeof(s->function));
	}
	take_script(s, line);
}

/* ---- labels ---- */

static void label_word(struct nd_hist_label *out, char *word)
{
	word = nd_trim(word);
	if (nd_parse_u64(word, 10, &out->pid))
		out->has_pid = true;
	else if (nd_starts(word, "kretprobe:") || nd_starts(word, "kprobe:") ||
		 nd_starts(word, "fexit:") || nd_starts(word, "kretfunc:"))
		nd_symbol_clean(word, out->function, sizeof(out->function));
	else if (*word)
		snprintf(out->comm, sizeof(out->comm), "%.31s", word);
}

static void is_idle(struct nd_hist_label *l)
{
	l->idle = (l->has_pid && l->pid == 0) || nd_starts(l->comm, "swapper");
}

/* "@usecs[1234, nginx]:" */
static bool map_line(char *line, struct nd_hist_label *out)
{
	size_t len = strlen(line);
	char *key = strchr(line, '['), *part;

	if (line[0] != '@' || len < 2 || line[len - 1] != ':' || strstr(line, "hist("))
		return false;
	memset(out, 0, sizeof(*out));
	snprintf(out->map, sizeof(out->map), "%.*s", (int)(len - 1 > 79 ? 79 : len - 1), line);
	if (!key || line[len - 2] != ']')
		return true;
	line[len - 2] = '\0';
	for (key++; (part = nd_split(&key, ","));)
		label_word(out, part);
	is_idle(out);
	return true;
}

bool nd_hist_label_line(char *line, struct nd_hist_label *out)
{
	static const char *const names[] = {"pid", "tid", "comm", "softirq", "function", "func"};
	size_t i = 0;
	char *at, *key;

	line = nd_trim(line);
	if (map_line(line, out))
		return true;
	at = line;
	if (!strpbrk(line, "=:") || strlen(line) > 200)
		return false;
	while (i < ND_ARRAY_LEN(names) && !(strncasecmp(line, names[i], strlen(names[i])) == 0 &&
					    strchr(" \t=:", line[strlen(names[i])])))
		i++;
	if (i == ND_ARRAY_LEN(names))
		return false;
	key = nd_split(&at, " \t=:");
	at += strspn(at, " \t=:");
	memset(out, 0, sizeof(*out));
	if (key[0] == 'p' || key[0] == 't' || key[0] == 'P' || key[0] == 'T') {
		char *number = nd_word(&at);

		out->has_pid = number && nd_parse_u64(number, 10, &out->pid);
		snprintf(out->comm, sizeof(out->comm), "%.31s", at ? nd_trim(at) : "");
	} else if (key[0] == 'c' || key[0] == 'C') {
		snprintf(out->comm, sizeof(out->comm), "%.31s", at);
	} else if (key[0] == 's' || key[0] == 'S') {
		snprintf(out->comm, sizeof(out->comm), "%.31s", at);
		out->what = ND_HIST_SOFTIRQ;
	} else {
		nd_symbol_clean(at, out->function, sizeof(out->function));
	}
	is_idle(out);
	return true;
}

/* ---- together ---- */

/* "@runq_us": what the name of a map alone tells. */
static void from_map_name(struct nd_hist_label *l, double *scale)
{
	char name[80], *unit;

	snprintf(name, sizeof(name), "%s", l->map + 1);
	name[strcspn(name, "[")] = '\0';
	unit = strrchr(name, '_');
	if (*scale <= 0)
		*scale = nd_time_unit(unit ? unit + 1 : name);
	if (l->what != ND_HIST_UNKNOWN || *scale <= 0)
		return;
	if (strstr(name, "runq") || strstr(name, "run_q"))
		l->what = ND_HIST_RUNQ;
}

static void from_script(const struct nd_hist_subject *s, struct nd_hist_label *l)
{
	size_t n = strcspn(l->map, "[");

	for (uint32_t i = 0; i < s->n_maps; i++) {
		if (strncmp(s->maps[i].name, l->map, n) != 0 || s->maps[i].name[n])
			continue;
		l->what = s->maps[i].what;
		snprintf(l->function, sizeof(l->function), "%s", s->maps[i].function);
	}
}

void nd_hist_resolve(const struct nd_hist_subject *s, struct nd_hist_label *label, double *scale)
{
	if (label->map[0]) {
		if (label->what == ND_HIST_UNKNOWN && !label->function[0])
			from_script(s, label);
		from_map_name(label, scale);
	}
	if (label->what == ND_HIST_UNKNOWN)
		label->what = label->function[0] ? ND_HIST_FUNCTION : s->what;
	if (label->what == ND_HIST_SOFTIRQ) {
		for (size_t i = 0; i < ND_ARRAY_LEN(handlers); i++)
			if (strcasecmp(handlers[i].softirq, label->comm) == 0)
				snprintf(label->function, sizeof(label->function), "%s",
					 handlers[i].handler);
		label->what = ND_HIST_FUNCTION;
		label->comm[0] = '\0';
	}
	if (label->what == ND_HIST_FUNCTION) {
		if (!label->function[0])
			snprintf(label->function, sizeof(label->function), "%s", s->function);
		if (!label->function[0])
			label->what = ND_HIST_UNKNOWN;
	}
	if (*scale <= 0 && label->what == s->what)
		*scale = s->unit;
}
