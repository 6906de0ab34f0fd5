/* How many files a process has open, and how many it may have: a full table makes accept() and connect() fail.
 *
 * Live this is looked up for the processes that hold a listener, which sockets has found: one directory and one small
 * file each. From recordings it is read from copies of /proc/PID/limits and from lists of lsof, whose rows of one
 * process are counted:
 *
 *	Max open files            1024                 524288               files
 *
 *	COMMAND  PID USER   FD   TYPE DEVICE SIZE/OFF NODE NAME
 *	nginx    812 root    6u  IPv4  20000      0t0  TCP *:80 (LISTEN)
 */
#include "collectors/collector.h"
#include "collectors/files.h"
#include "collectors/process.h"
#include "collectors/tcp_states.h"

#include <errno.h>

#define PROCESSES_MAX 64u /* looked up live */
#define LSOF_MAX 4096u /* processes of one list */
#define LIMITS_LINE "Max open files"

enum { OPEN, LIMIT, HARD };

#define FACT(fact, text, how)                                                                      \
	{                                                                                          \
		.name = (fact), .on = ND_PROCESS, .type = ND_T_NUMBER, .unit = ND_U_COUNT,         \
		.width = ND_GAUGE, .doc = (text), .reproduce = (how)                               \
	}
const struct nd_fact_def nd_files_facts[] = {
	FACT("files.open", "files that the process has open, sockets included",
	     "ls /proc/{key}/fd | wc -l"),
	FACT("files.limit", "files that it may have open: its soft limit",
	     "grep 'open files' /proc/{key}/limits"),
	FACT("files.hard", "files to which it may raise that limit by itself",
	     "grep 'open files' /proc/{key}/limits"),
	{.name = NULL},
};

static const struct nd_read reads[] = {
	{"limits", 0, "Max open files *"},
	{"lsof", 0, "COMMAND *PID *USER *FD *TYPE *"},
	{NULL, 0},
};

/* ---- limits ---- */

/* A limit's word; there is no number for "unlimited". */
static void put_limit(struct nd_facts *f, nd_id process, const struct nd_fact_def *fact,
		      const char *word, const struct nd_input *in)
{
	uint64_t v;

	if (word && nd_parse_u64(word, 10, &v))
		nd_put_num(f, process, fact, (double)v, in);
	else if (word && strcmp(word, "unlimited") == 0)
		nd_put_absent(f, process, fact, in);
}

/* The line of open files; true if it is that. */
static bool limits_line(struct nd_facts *f, nd_id process, char *line, const struct nd_input *in)
{
	if (!nd_starts(line, LIMITS_LINE))
		return false;
	line += strlen(LIMITS_LINE);
	put_limit(f, process, &nd_files_facts[LIMIT], nd_word(&line), in);
	put_limit(f, process, &nd_files_facts[HARD], nd_word(&line), in);
	return true;
}

/* The n digits at s as a process id; 0 if they are none. */
static uint64_t pid_of(const char *s, size_t n)
{
	char digits[16];
	uint64_t pid;

	if (n == 0 || n >= sizeof(digits))
		return 0;
	memcpy(digits, s, n);
	digits[n] = '\0';
	return nd_parse_u64(digits, 10, &pid) ? pid : 0;
}

/* "proc/812/limits", "cat /proc/812/limits (x.txt:3)", "limits-812.txt"; 0 if no process is named. */
static uint64_t pid_in(const char *path)
{
	const char *at = strstr(path, "/limits"), *from = at;

	while (at && from > path && from[-1] >= '0' && from[-1] <= '9')
		from--;
	if (at && from < at)
		return pid_of(from, (size_t)(at - from));
	at = strstr(path, "limits");
	if (!at)
		return 0;
	from = at + strlen("limits");
	from += strspn(from, "-_ .");
	return pid_of(from, strspn(from, "0123456789"));
}

/* The only process that is known, if it is the only one. */
static nd_id only_process(struct nd_facts *f)
{
	uint32_t n;
	const nd_id *ids = nd_entities(f, ND_PROCESS, &n);

	return n == 1 ? ids[0] : ND_NO_ENTITY;
}

/* ---- lsof ---- */

struct held {
	uint64_t pid;
	uint32_t files;
	char comm[32];
};
struct list {
	struct held *v;
	uint32_t n, cap;
	struct nd_tcp_states states; /* of their connections */
	bool lsof; /* its header was there */
};

/* A descriptor as lsof prints it, "6u"; not "cwd", "mem", a user or a thread's id. */
static bool is_descriptor(const char *word)
{
	const size_t digits = strspn(word, "0123456789");

	return digits && word[digits] && strchr("urwW", word[digits]);
}

/* The row of a process, made when it is new; rows of one process follow each other. NULL: too many. */
static struct held *held_by(struct list *l, uint64_t pid, const char *comm)
{
	if (l->n && l->v[l->n - 1].pid == pid)
		return &l->v[l->n - 1];
	if (l->n >= LSOF_MAX)
		return NULL;
	ND_GROW(l->v, l->n, l->cap);
	l->v[l->n] = (struct held){.pid = pid};
	snprintf(l->v[l->n].comm, sizeof(l->v->comm), "%s", comm);
	return &l->v[l->n++];
}

/* "… TCP 10.0.0.1:80->192.0.2.9:4711 (CLOSE_WAIT)": the last word, if it is a state. */
static void count_state(struct list *l, char *line)
{
	enum nd_tcp_state state;
	const char *word, *last = NULL;

	while ((word = nd_word(&line)))
		last = word;
	if (!last || *last != '(')
		return;
	state = nd_tcp_state_named(last, strlen(last));
	l->states.n[state]++;
	l->states.seen[state] = true;
}

/* "nginx 812 root 6u IPv4 …"; with a thread's id in front of the user in some releases. */
static void lsof_line(struct list *l, char *line)
{
	const char *comm = nd_word(&line), *pid = nd_word(&line), *word;
	struct held *h;
	uint64_t v;

	if (!pid || !nd_parse_u64(pid, 10, &v))
		return;
	for (int column = 0; column < 3 && (word = nd_word(&line)); column++) {
		if (!is_descriptor(word))
			continue;
		h = held_by(l, v, comm);
		if (h) {
			h->files++;
			count_state(l, line);
		}
		return;
	}
}

static void put_list(const struct list *l, struct nd_facts *f, const struct nd_input *in)
{
	for (uint32_t i = 0; i < l->n; i++) {
		const nd_id id = nd_entity_num(f, ND_PROCESS, l->v[i].pid);

		nd_put_text(f, id, &nd_process_facts[ND_P_COMM], l->v[i].comm, in);
		nd_put_num(f, id, &nd_files_facts[OPEN], l->v[i].files, in);
	}
	nd_tcp_states_put(f, &l->states, in);
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	const uint64_t pid = pid_in(in->path);
	const nd_id process = pid ? nd_entity_num(f, ND_PROCESS, pid) : only_process(f);
	struct list l = {.n = 0};
	char *line;
	int rc;

	while ((line = nd_stream_line(s))) {
		line = nd_trim(line);
		if (process != ND_NO_ENTITY && limits_line(f, process, line, in))
			continue;
		if (nd_starts(line, "COMMAND"))
			l.lsof = true;
		else if (l.lsof)
			lsof_line(&l, line);
	}
	put_list(&l, f, in);
	free(l.v);
	rc = nd_stream_error(s);
	return rc ? nd_fail(e, rc, "%s: %s", in->path, strerror(-rc)) : 0;
}

/* ---- live ---- */

static void look_at(struct nd_live *l, struct nd_facts *f, nd_id process)
{
	const char *pid = nd_entity_key(f, process);
	char path[80], text[4096], **names, *rest = text, *line;
	struct nd_input in = l->in;
	int n, rc;

	in.path = path;
	snprintf(path, sizeof(path), "/proc/%.20s/fd", pid);
	n = nd_source_names(l->source, path, &names);
	if (n >= 0) {
		nd_put_num(f, process, &nd_files_facts[OPEN], n, &in);
		nd_source_names_free(names, n);
	} else {
		nd_put_missing(f, process, &nd_files_facts[OPEN],
			       n == -EACCES || n == -EPERM ? ND_NO_PERMISSION : ND_NOT_SAMPLED,
			       "%s: %s", path, strerror(-n));
	}
	snprintf(path, sizeof(path), "/proc/%.20s/limits", pid);
	rc = nd_source_text(l->source, path, text, sizeof(text));
	while (rc == 0 && (line = nd_split(&rest, "\n")))
		if (limits_line(f, process, line, &in))
			return;
	nd_put_missing(f, process, &nd_files_facts[LIMIT],
		       rc == -EACCES || rc == -EPERM ? ND_NO_PERMISSION : ND_NOT_SAMPLED, "%s: %s",
		       path, rc ? strerror(-rc) : "no line of open files");
}

static int live(struct nd_live *l, struct nd_facts *f, struct nd_err *e)
{
	nd_id some[PROCESSES_MAX];
	uint32_t n, have = 0;
	const nd_id *ids = nd_entities(f, ND_PROCESS, &n);

	(void)e;
	if (!l->last || l->between)
		return 0;
	for (uint32_t i = 0; i < n && have < PROCESSES_MAX; i++)
		if (nd_related(f, ids[i], ND_LISTENER_PROCESSES, true).n)
			some[have++] = ids[i];
	for (uint32_t i = 0; i < have; i++)
		look_at(l, f, some[i]);
	return 0;
}

const struct nd_collector nd_collector_files = {
	.name = "files",
	.doc = "open files of the processes that listen, and how many they may have",
	.collect = "sysctl fs.file-nr",
	.reads = reads,
	.facts = nd_files_facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
	.live = live,
};
