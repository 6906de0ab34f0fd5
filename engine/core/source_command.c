/* Understands the command line that somebody typed: whose output follows, where it ran, and what a
 * pipe took away from it.
 *
 * Words are cut as a shell cuts them, wrappers (sudo, watch, ip netns exec) are peeled off, and of
 * what is left only the tool, its options and its paths matter. Nothing is expanded. */
#include "engine/core/source_paste.h"

#define WORDS_MAX 48
#define DEPTH_MAX 4 /* of sh -c '… sh -c …' */

struct word {
	char *s; /* in the buffer; an operator is one of ; | & > < */
	bool op;
};
struct words {
	struct word w[WORDS_MAX];
	uint32_t n;
	char text[1024];
};

static const char *const known[] = {
	"ss",	       "netstat",     "nstat",	    "ip",
	"tc",	       "ethtool",     "conntrack",  "sysctl",
	"mpstat",      "ifconfig",    "dmesg",	    "journalctl",
	"uptime",      "top",	      "w",	    "uname",
	"cat",	       "zcat",	      "head",	    "tail",
	"less",	       "more",	      "grep",	    "egrep",
	"fgrep",       "zgrep",	      "awk",	    "sed",
	"sudo",	       "watch",	      "date",	    "sleep",
	"while",       "for",	      "ls",	    "cd",
	"echo",	       "ping",	      "traceroute", "mtr",
	"tracepath",   "tcpdump",     "tshark",	    "perf",
	"bpftrace",    "sar",	      "vmstat",	    "iostat",
	"pidstat",     "free",	      "ps",	    "htop",
	"lsof",	       "lscpu",	      "lspci",	    "lsmod",
	"modinfo",     "modprobe",    "numactl",    "numastat",
	"taskset",     "chrt",	      "iptables",   "iptables-save",
	"ip6tables",   "nft",	      "ipvsadm",    "ipset",
	"bridge",      "brctl",	      "arp",	    "route",
	"nsenter",     "docker",      "podman",	    "crictl",
	"kubectl",     "oc",	      "systemctl",  "systemd-cgtop",
	"strace",      "ltrace",      "curl",	    "wget",
	"iperf",       "iperf3",      "netperf",    "nc",
	"dig",	       "nslookup",    "hostname",   "hostnamectl",
	"timedatectl", "chronyc",     "ntpq",	    "slabtop",
	"cset",	       "tuned-adm",   "dropwatch",  "runqlat",
	"runqslower",  "funclatency", "tcpretrans", "tcpdrop",
	"tcplife",     "tcpsynbl",    "softirqs",   "hardirqs",
	"nproc",       "runqlen",     "cpudist",    "offcputime",
	"biolatency",  "turbostat",   "cpupower",   "env",
	"time",	       "timeout",     "bash",	    "sh",
	"ssh",	       "find",	      "wc",	    "mount",
	"df",	       "id",	      "whoami",	    "exit",
	"clear",       "history",     "vi",	    "vim",
	"nano",	       "service",     "ifstat",	    "nload",
	"iftop",       "nethogs",     "dstat",	    "atop",
	"lldpctl",     "devlink",     "rdma",	    "ibstat",
	"teamdctl",    "ovs-vsctl",   "ovs-appctl", "ovs-ofctl",
	"virsh",
};
/* They print nothing that is read here. */
static const char *const silent[] = {"sleep",	 "cd",	   "export", "clear", "true", ":",  "set",
				     "wait",	 "break",  "done",   "fi",    "}",    ")",  "exit",
				     "echo",	 "printf", "",	     "sync",  "then", "if", "[",
				     "modprobe", "sudo",   "unset",  "alias", "reset"};
static const char *const skipped[] = {"do",	  "then", "{",	   "(",	      "while",
				      "until",	  "time", "nohup", "command", "exec",
				      "unbuffer", "!",	  "else",  "builtin"};
static const char *const keeps[] = {"cat",    "less",  "more", "tee", "sort", "column",
				    "expand", "iconv", "tr",   "nl",  "most", "fold"};
static const char *const cuts[] = {"grep", "egrep", "fgrep", "zgrep", "rg",   "ack",
				   "head", "tail",  "sed",   "ag",    "uniq", "findstr"};
static const char *const prints[] = {"cat",  "zcat",  "head",  "tail",	"less", "more",
				     "grep", "egrep", "fgrep", "zgrep", "bat",	"view"};

#define IS_ONE_OF(list, s) is_one_of(list, ND_ARRAY_LEN(list), s)
static bool is_one_of(const char *const *list, size_t n, const char *s)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i], s) == 0)
			return true;
	return false;
}

/* ---- words ---- */

/* Copies one word from *s to *to, without its quotes. */
static void copy_word(const char **s, const char *end, char **to, const char *room)
{
	char quote = '\0';

	for (; *s < end; (*s)++) {
		char c = **s;

		if (quote ? c == quote : c == '\'' || c == '"') {
			quote = quote ? '\0' : c;
			continue;
		}
		if (!quote && strchr(" \t;|&<>\r\n", c))
			break;
		if (*to < room)
			*(*to)++ = c;
	}
	if (*to < room)
		*(*to)++ = '\0';
	else
		(*to)[-1] = '\0';
}

static void cut_words(const char *s, size_t len, struct words *out)
{
	const char *const end = s + len;
	char *to = out->text, *const room = out->text + sizeof(out->text);

	for (out->n = 0; out->n < WORDS_MAX && to + 2 < room;) {
		while (s < end && strchr(" \t\r\n", *s))
			s++;
		if (s == end || !*s)
			return;
		out->w[out->n++] = (struct word){to, strchr(";|&<>", *s) != NULL};
		if (out->w[out->n - 1].op) {
			*to++ = *s;
			*to++ = '\0';
			/* "||" and "&&" part commands as ";" does */
			if (s + 1 < end && s[1] == *s && *s != ';')
				out->w[out->n - 1].s[0] = ';', s++;
			s++;
		} else {
			copy_word(&s, end, &to, room);
		}
	}
}

/* ---- one pipeline ---- */

struct line {
	struct nd_command *c;
	unsigned depth;
	uint32_t outputs; /* commands that print something */
};

static void read_line(struct line *l, const char *text, size_t len);

static void read_joined(struct line *l, struct word *w, uint32_t n)
{
	struct nd_buf b = {0};

	for (uint32_t i = 0; i < n; i++)
		nd_buf_printf(&b, "%s%s", i ? " " : "", w[i].s);
	if (l->depth < DEPTH_MAX) {
		l->depth++;
		read_line(l, nd_buf_str(&b), b.len);
		l->depth--;
	}
	nd_buf_free(&b);
}

static void set_place(struct nd_command *c, const char *prefix, const char *name)
{
	char text[ND_PLACE_MAX];

	snprintf(text, sizeof(text), "%s%.48s", prefix, name);
	snprintf(c->netns, sizeof(c->netns), "%s", text);
}

/* Options in front, those in `with` (letters) taking a value. Returns how many words. */
static uint32_t count_options(const struct word *w, uint32_t n, const char *with)
{
	uint32_t i = 0;

	while (i < n && w[i].s[0] == '-' && w[i].s[1]) {
		bool value = w[i].s[1] != '-' && !w[i].s[2] && strchr(with, w[i].s[1]);

		if (strcmp(w[i].s, "--") == 0)
			return i + 1;
		i += value && i + 1 < n ? 2 : 1;
	}
	return i;
}

/* "exec [OPTIONS] NAME [OPTIONS] [--] COMMAND" behind docker or kubectl: where COMMAND begins. */
static uint32_t peel_exec(struct nd_command *c, const struct word *w, uint32_t n)
{
	uint32_t i = 1;

	while (i < n && strcmp(w[i].s, "exec") != 0)
		i++;
	if (i == n)
		return 0;
	i++;
	i += count_options(w + i, n - i, "nucew");
	if (i >= n)
		return 0;
	set_place(c, "", w[i++].s);
	i += count_options(w + i, n - i, "nc");
	return i;
}

static uint32_t peel_nsenter(struct nd_command *c, const struct word *w, uint32_t n)
{
	uint32_t i = 1;
	bool net = false;

	for (; i < n && w[i].s[0] == '-'; i++) {
		if (strcmp(w[i].s, "--") == 0)
			return i + 1;
		net = net || nd_starts(w[i].s, "-n") || nd_starts(w[i].s, "--net") ||
		      strcmp(w[i].s, "-a") == 0;
		if ((strcmp(w[i].s, "-t") == 0 || strcmp(w[i].s, "--target") == 0) && i + 1 < n)
			set_place(c, "pid-", w[++i].s);
	}
	if (!net)
		c->netns[0] = '\0';
	return i;
}

/* Words in front that only say how or where the command runs. Returns how many; *joined: what is left is a text to be
 * read anew. */
static uint32_t peel(struct nd_command *c, const struct word *w, uint32_t n, bool *joined)
{
	const char *first = w[0].s;
	uint64_t ignored;

	*joined = false;
	if (IS_ONE_OF(skipped, first)) {
		c->loop |= strcmp(first, "while") == 0 || strcmp(first, "until") == 0 ||
			   strcmp(first, "do") == 0;
		return 1;
	}
	if (strchr(first, '=') && first[0] != '=' && first[0] != '-' && first[0] != '/' &&
	    strcspn(first, "=.") == strcspn(first, "="))
		return 1; /* LC_ALL=C */
	if (strcmp(first, "sudo") == 0 || strcmp(first, "nice") == 0 ||
	    strcmp(first, "ionice") == 0 || strcmp(first, "stdbuf") == 0 ||
	    strcmp(first, "env") == 0)
		return 1 + count_options(w + 1, n - 1, "ugncpoe");
	if (strcmp(first, "timeout") == 0)
		return 2 + count_options(w + 1, n - 1, "ks");
	if (strcmp(first, "nsenter") == 0)
		return peel_nsenter(c, w, n);
	if (strcmp(first, "ip") == 0 && n > 4 && strcmp(w[1].s, "netns") == 0 &&
	    strncmp(w[2].s, "exec", 4) == 0) {
		set_place(c, "", w[3].s);
		return 4;
	}
	if (strcmp(first, "docker") == 0 || strcmp(first, "podman") == 0 ||
	    strcmp(first, "crictl") == 0 || strcmp(first, "kubectl") == 0 ||
	    strcmp(first, "oc") == 0)
		return peel_exec(c, w, n);
	if (strcmp(first, "watch") == 0) {
		*joined = c->loop = c->watch = true;
		for (uint32_t i = 1; i < n && w[i].s[0] == '-'; i++) {
			const char *v =
				strcmp(w[i].s, "-n") == 0 && i + 1 < n ? w[i + 1].s : w[i].s + 2;

			if (nd_starts(w[i].s, "-n"))
				(void)nd_parse_f64(v, &c->sleep_s);
		}
		return 1 + count_options(w + 1, n - 1, "n");
	}
	if ((strcmp(first, "sh") == 0 || strcmp(first, "bash") == 0) && n > 2 &&
	    nd_ends(w[1].s, "c") && w[1].s[0] == '-') {
		*joined = true;
		return 2;
	}
	if (strcmp(first, "ssh") == 0 && n > 2) {
		*joined = true;
		return 2 + count_options(w + 1, n - 1, "piloFJ");
	}
	(void)ignored;
	return 0;
}

static bool is_tree_path(const char *s)
{
	return nd_starts(s, "/proc/") || nd_starts(s, "/sys/");
}

/* cat, head, grep …: the first path, or what looks like a file. */
static void name_file(struct nd_command *c, const struct word *w, uint32_t n)
{
	bool grep = strstr(w[0].s, "grep") != NULL, pattern = !grep;

	c->filtered |= grep || strcmp(w[0].s, "head") == 0 || strcmp(w[0].s, "tail") == 0;
	for (uint32_t i = 1; i < n; i++) {
		if (w[i].s[0] == '-' || w[i].s[0] == '+') {
			c->filtered &= strcmp(w[i].s, "+1") != 0;
			pattern |= strcmp(w[i].s, "-e") == 0 && i + 1 < n;
			continue;
		}
		if (!pattern || (strspn(w[i].s, "+0123456789") == strlen(w[i].s))) {
			if (grep && strcmp(w[i].s, ".") == 0) /* all lines */
				c->filtered = false;
			pattern = true;
			continue;
		}
		if (!c->name[0])
			snprintf(c->name, sizeof(c->name), "%s", w[i].s);
		c->options |= is_tree_path(w[i].s);
	}
}

/* `sysctl -a`, `sysctl NAME…` print "key = value"; `sysctl -n NAME` prints a value alone. */
static void name_sysctl(struct nd_command *c, const struct word *w, uint32_t n)
{
	bool all = false, bare = false;
	const char *key = NULL;

	for (uint32_t i = 1; i < n; i++) {
		all |= w[i].s[0] == '-' && w[i].s[1] != '-' && strpbrk(w[i].s, "aA");
		bare |= w[i].s[0] == '-' && w[i].s[1] != '-' && strchr(w[i].s, 'n');
		if (w[i].s[0] != '-')
			key = w[i].s;
	}
	c->options = all || key;
	if (!bare || !key) {
		c->filtered |= !all;
		snprintf(c->name, sizeof(c->name), "sysctl -a");
		return;
	}
	snprintf(c->name, sizeof(c->name), "/proc/sys/%s", key);
	for (char *p = c->name + strlen("/proc/sys/"); *p; p++)
		*p = *p == '.' ? '/' : *p;
}

static void name_tool(struct nd_command *c, const struct word *w, uint32_t n)
{
	const char *base = strrchr(w[0].s, '/');
	struct nd_buf b = {0};

	base = base ? base + 1 : w[0].s; /* /usr/sbin/ss */
	if (strcmp(base, "sysctl") == 0) {
		name_sysctl(c, w, n);
		return;
	}
	if (IS_ONE_OF(prints, base) && n > 1) {
		name_file(c, w, n);
		return;
	}
	nd_buf_puts(&b, base);
	for (uint32_t i = 1; i < n; i++) {
		if ((strcmp(base, "ip") == 0 || strcmp(base, "tc") == 0) && i + 1 < n &&
		    (strcmp(w[i].s, "-n") == 0 || nd_starts(w[i].s, "-net"))) {
			set_place(c, "", w[++i].s);
			continue;
		}
		c->options |= w[i].s[0] == '-' && w[i].s[1];
		nd_buf_printf(&b, " %s", w[i].s);
	}
	snprintf(c->name, sizeof(c->name), "%s", nd_buf_str(&b));
	nd_buf_free(&b);
}

/* What stands behind pipes: words of one command. */
static void filter_by(struct nd_command *c, const struct word *w, uint32_t n)
{
	bool counts = false;

	if (n == 0)
		return;
	while (n > 1 && strcmp(w[0].s, "sudo") == 0) {
		w++;
		n--;
	}
	for (uint32_t i = 1; i < n; i++)
		counts |= w[i].s[0] == '-' && w[i].s[1] != '-' && strchr(w[i].s, 'c') &&
			  strstr(w[0].s, "grep");
	if (counts || (!IS_ONE_OF(keeps, w[0].s) && !IS_ONE_OF(cuts, w[0].s)))
		c->changed = true;
	else
		c->filtered |= IS_ONE_OF(cuts, w[0].s);
}

/* The command in front of a pipe. */
static void read_main(struct line *l, struct word *w, uint32_t n)
{
	struct nd_command one = {.sleep_s = 0}, *c = l->c;
	bool joined = false;
	uint32_t k;

	while (n && (k = peel(c, w, n, &joined))) {
		k = k > n ? n : k;
		w += k;
		n -= k;
		if (joined) {
			c->known = true;
			read_joined(l, w, n);
			return;
		}
	}
	if (n == 0 || w[0].s[0] == '#')
		return;
	if (strcmp(w[0].s, "sleep") == 0 && n > 1) {
		double s = 0;

		w[1].s[strspn(w[1].s, "0123456789.")] = '\0';
		if (nd_parse_f64(w[1].s, &s))
			c->sleep_s += s;
	}
	if (strcmp(w[0].s, "for") == 0)
		c->loop = true;
	one.known = IS_ONE_OF(known, strrchr(w[0].s, '/') ? strrchr(w[0].s, '/') + 1 : w[0].s);
	c->known |= one.known;
	if (strcmp(w[0].s, "date") == 0) {
		c->date = true;
		return;
	}
	if (strcmp(w[0].s, "for") == 0 || IS_ONE_OF(silent, w[0].s))
		return;
	name_tool(&one, w, n);
	if (one.netns[0])
		snprintf(c->netns, sizeof(c->netns), "%s", one.netns);
	c->options |= one.options;
	c->filtered |= one.filtered;
	if (l->outputs++ == 0)
		snprintf(c->name, sizeof(c->name), "%s", one.name);
	else if (strcmp(c->name, one.name) == 0)
		c->loop = true;
	else
		c->changed = true;
}

static void read_line(struct line *l, const char *text, size_t len)
{
	struct words *words = nd_alloc(sizeof(*words));
	bool piped = false, redirected = false;

	cut_words(text, len, words);
	for (uint32_t i = 0; i <= words->n;) {
		uint32_t n = 0;

		while (i + n < words->n && !words->w[i + n].op)
			n++;
		if (redirected && n > 0 && !piped) {
			/* the file's name; what follows still belongs to the command */
		} else if (piped) {
			filter_by(l->c, words->w + i, n);
		} else if (n) {
			/* "2>" leaves a digit behind */
			uint32_t keep = n;

			if (i + n < words->n && words->w[i + n].s[0] == '>' && n > 1 &&
			    strspn(words->w[i + n - 1].s, "0123456789") ==
				    strlen(words->w[i + n - 1].s))
				keep--;
			read_main(l, words->w + i, keep);
		}
		i += n;
		if (i >= words->n)
			break;
		piped = words->w[i].s[0] == '|';
		redirected = words->w[i].s[0] == '>' || words->w[i].s[0] == '<' ||
			     (redirected && words->w[i].s[0] == '&');
		i++;
	}
	free(words);
}

void nd_command_of(const char *text, size_t len, struct nd_command *out)
{
	struct line l = {.c = out};

	memset(out, 0, sizeof(*out));
	read_line(&l, text, len);
}
