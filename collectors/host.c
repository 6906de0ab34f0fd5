/* The host itself: how long it is up, which kernel it runs, its tick rate, its online CPUs.
 *
 * The tick rate (CONFIG_HZ, not the USER_HZ of /proc/stat) is asked of the running kernel live: the
 * coarse clocks advance once a tick, so their resolution is TICK_NSEC. That needs neither a kernel
 * configuration file nor rights. A folder has it only in a copied configuration file. The facts
 * window and span are put by the runner, which alone knows what was measured. */
#include "collectors/host.h"

#include <errno.h>
#include <math.h>
#include <time.h>

#include "collectors/collector.h"

enum { F_UPTIME, F_WINDOW, F_SPAN, F_HZ, F_RELEASE, F_ONLINE };

static const struct nd_fact_def facts[] = {
	[F_UPTIME] = {.name = "uptime",
		      .on = ND_HOST,
		      .type = ND_T_NUMBER,
		      .unit = ND_U_SECONDS,
		      .doc = "time since boot",
		      .reproduce = "cut -d' ' -f1 /proc/uptime"},
	[F_WINDOW] = {.name = "window",
		      .on = ND_HOST,
		      .type = ND_T_NUMBER,
		      .unit = ND_U_SECONDS,
		      .doc = "time really measured, from the first moment to the last"},
	[F_SPAN] = {.name = "span",
		    .on = ND_HOST,
		    .type = ND_T_NUMBER,
		    .unit = ND_U_SECONDS,
		    .doc = "what .seen stands for: the window, or with one moment the uptime"},
	[F_HZ] = {.name = "hz",
		  .on = ND_HOST,
		  .type = ND_T_NUMBER,
		  .unit = ND_U_PER_SECOND,
		  .doc = "timer ticks per second (CONFIG_HZ)",
		  .reproduce =
			  "(zcat /proc/config.gz || cat /boot/config-$(uname -r)) 2>/dev/null | "
			  "grep ^CONFIG_HZ="},
	[F_RELEASE] = {.name = "kernel.release",
		       .on = ND_HOST,
		       .type = ND_T_TEXT,
		       .doc = "release of the running kernel",
		       .reproduce = "uname -r"},
	[F_ONLINE] = {.name = "online_cpus",
		      .on = ND_HOST,
		      .type = ND_T_TEXT,
		      .doc = "list of the CPUs that are online",
		      .reproduce = "cat /sys/devices/system/cpu/online"},
	{0},
};

#define HOST 0 /* the entity's id */

static struct nd_value host_fact(const struct nd_facts *f, unsigned fact)
{
	nd_fact_id id = nd_registry_find(nd_facts_registry(f), ND_HOST, facts[fact].name);

	return id < 0 ? (struct nd_value){0} : nd_get(f, HOST, id, ND_BARE);
}

bool nd_host_online(const struct nd_facts *f, struct nd_cpus *out)
{
	struct nd_value v = host_fact(f, F_ONLINE);

	*out = (struct nd_cpus){0};
	return v.type == ND_V_TEXT && nd_cpus_from_list(v.text, out);
}

bool nd_host_uptime(const struct nd_facts *f, double *out)
{
	struct nd_value v = host_fact(f, F_UPTIME);

	if (v.type != ND_V_NUMBER)
		return false;
	*out = v.num;
	return true;
}

/* ---- uptime ---- */

/* "3:04" or "18" and "min" or "5" and "days,": adds to *seconds. False if it is something else. */
static bool add_time(char *number, const char *unit, double *seconds)
{
	static const struct {
		const char *unit;
		double seconds;
	} units[] = {{"day", 86400}, {"min", 60}, {"sec", 1}, {"hour", 3600}, {"hr", 3600}};
	char *colon = strchr(number, ':');
	uint64_t a, b;

	if (colon) {
		*colon = '\0';
		if (!nd_parse_u64(number, 10, &a) || !nd_parse_u64(colon + 1, 10, &b) ||
		    a > 1000000 || b > 59)
			return false;
		*seconds += (double)(a * 3600 + b * 60);
		return true;
	}
	if (!unit || !nd_parse_u64(number, 10, &a) || a > 1000000)
		return false;
	for (size_t i = 0; i < ND_ARRAY_LEN(units); i++) {
		if (nd_starts(unit, units[i].unit)) {
			*seconds += (double)a * units[i].seconds;
			return true;
		}
	}
	return false;
}

/* "10:02:11 up 12 days,  3:04,  1 user,  load average: …", also the first line of top and w; -p
 * prints "up 1 day, 2 hours, 3 minutes". */
static bool parse_up(char *line, double *seconds)
{
	char *up = nd_starts(line, "up ") ? line : strstr(line, " up ");
	bool any = false;
	char *part;

	if (!up)
		return false;
	up += *up == ' ' ? 4 : 3;
	*seconds = 0;
	while ((part = nd_split(&up, ","))) {
		char *number = nd_word(&part), *unit = nd_word(&part);

		if (!number || !add_time(number, unit, seconds))
			break;
		any = true;
	}
	return any;
}

static bool take_uptime(char *line, const struct nd_input *in, struct nd_facts *f)
{
	char *at = line;
	double v, idle;

	if (!parse_up(line, &v)) { /* the file: "350735.47 234388.90" */
		char *first = nd_word(&at), *second = nd_word(&at);

		if (!first || !second || nd_word(&at) || !nd_parse_f64(first, &v) ||
		    !nd_parse_f64(second, &idle))
			return false;
	}
	nd_put_num(f, HOST, &facts[F_UPTIME], v, in);
	return true;
}

/* ---- kernel ---- */

/* Looks like a release: "5.10.0-8-amd64"? */
static bool is_release(const char *word)
{
	return word[0] >= '1' && word[0] <= '9' && strspn(word, "0123456789.") >= 3 &&
	       strchr(word, '.') && strspn(word, "0123456789.") < 20;
}

/* "Linux version 6.1.0-18-amd64 (…", "Linux host 6.1.0-18-amd64 #1 SMP …", or the release alone. */
static bool take_release(char *line, const struct nd_input *in, struct nd_facts *f)
{
	char *word = nd_word(&line);

	if (word && strcmp(word, "Linux") == 0 && nd_word(&line))
		word = nd_word(&line);
	if (!word || !is_release(word))
		return false;
	nd_put_text(f, HOST, &facts[F_RELEASE], word, in);
	return true;
}

/* "CONFIG_HZ=250" */
static bool take_hz(char *line, const struct nd_input *in, struct nd_facts *f)
{
	static const char key[] = "CONFIG_HZ=";
	uint64_t hz;

	if (!nd_starts(line, key) || !nd_parse_u64(nd_trim(line + strlen(key)), 10, &hz) ||
	    hz == 0 || hz > 10000)
		return false;
	nd_put_num(f, HOST, &facts[F_HZ], (double)hz, in);
	return true;
}

static bool take_online(char *line, const struct nd_input *in, struct nd_facts *f)
{
	struct nd_cpus cpus;

	line = nd_trim(line);
	if (!nd_cpus_from_list(line, &cpus) || nd_cpus_count(&cpus) == 0)
		return false;
	nd_put_text(f, HOST, &facts[F_ONLINE], line, in);
	return true;
}

/* ---- inputs ---- */

static const struct {
	const char *name; /* the end or, with a dash or dot behind it, the start of the file name */
	bool (*take)(char *line, const struct nd_input *in, struct nd_facts *f);
	const char *expected;
	uint32_t lines; /* it is within so many */
} inputs[] = {
	{"uptime", take_uptime, "the time since boot", 3},
	{"top", take_uptime, NULL, 3}, /* top without its head says other things */
	{"w", take_uptime, NULL, 3},
	{"uname", take_release, "a kernel release", 3},
	{"version", take_release, "a kernel release", 1},
	{"osrelease", take_release, "a kernel release", 1},
	{"config", take_hz, NULL, 100000}, /* other things are called config, too */
	{"online", take_online, "a list of CPUs", 1},
};

static bool is_named(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	size_t n = strlen(name);

	return strncmp(base, name, n) == 0 && (!base[n] || strchr("-_ .@", base[n]));
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	for (size_t i = 0; i < ND_ARRAY_LEN(inputs); i++) {
		char *line;

		if (!is_named(in->path, inputs[i].name))
			continue;
		while (nd_stream_lineno(s) < inputs[i].lines && (line = nd_stream_line(s))) {
			if (inputs[i].take(line, in, f))
				return 0;
		}
		return inputs[i].expected ? nd_parse_fail(in, s, e, inputs[i].expected, "none") : 0;
	}
	return nd_parse_fail(in, s, e, "a name that says what it is", in->path);
}

static int live(struct nd_live *l, struct nd_facts *f, struct nd_err *e)
{
	struct timespec tick;

	if (!l->first)
		return 0;
	l->in.path = "clock_getres(CLOCK_MONOTONIC_COARSE)";
	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) != 0)
		return nd_fail(e, -errno, "%s: %s", l->in.path, strerror(errno));
	if (tick.tv_sec == 0 &&
	    tick.tv_nsec >= 100000) /* 10,000 ticks a second and more is no tick */
		nd_put_num(f, HOST, &facts[F_HZ], round(1e9 / (double)tick.tv_nsec), &l->in);
	else
		nd_put_missing(f, HOST, &facts[F_HZ], ND_NOT_ON_THIS_KERNEL,
			       "%s gives no tick; see CONFIG_HZ in the kernel's configuration",
			       l->in.path);
	return 0;
}

/* By fact, which says more than a list of all that is read here. */
static void finish(struct nd_facts *f)
{
	static const struct {
		unsigned fact;
		const char *absent;
	} sources[] = {
		{F_UPTIME, "no /proc/uptime or uptime"},
		{F_HZ, "no kernel configuration (config-*)"},
		{F_RELEASE, "no uname or /proc/version"},
		{F_ONLINE, "no /sys/devices/system/cpu/online"},
	};

	for (size_t i = 0; i < ND_ARRAY_LEN(sources); i++)
		nd_fact_missing(f, &facts[sources[i].fact], ND_TOOL_OUTPUT_ABSENT,
				"%s that can be read", sources[i].absent);
}

static const struct nd_read reads[] = {
	{"/proc/uptime", 0},
	{"uptime", 0, "*[0-9]:[0-9][0-9]* up *[0-9]*load average*"},
	{"top", 0, "top - *[0-9]:[0-9][0-9]* up *[0-9]*load average*\nTasks:*"},
	{"w", 0, "*[0-9]:[0-9][0-9]* up *[0-9]*load average*\nUSER*TTY*LOGIN@*IDLE*"},
	{"/proc/sys/kernel/osrelease", ND_READ_ONCE},
	{"uname", 0, "Linux * [2-9].[0-9]* [#][0-9]* *"},
	{"/proc/version", ND_READ_ONCE, "Linux version [2-9].[0-9]* (*@*)*"},
	{"config", 0, "CONFIG_HZ=[0-9]*"},
	{"/sys/devices/system/cpu/online", 0},
	{0},
};

const struct nd_collector nd_collector_host = {
	.name = "host",
	.doc = "uptime, kernel, tick rate, online CPUs",
	.collect = "uname -a; uptime",
	.reads = reads,
	.facts = facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
	.live = live,
	.finish = finish,
};
