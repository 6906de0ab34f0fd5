/* CPU quotas as monitoring shows them: metrics of cadvisor in Prometheus' text, and docker's statistics.
 *
 * A group is named after its pod and container, or its id. docker's JSON holds the reading before as
 * well (precpu_stats); what stands first behind cpu_stats counts, in ns. Samples:
 *
 * container_cpu_cfs_throttled_periods_total{container="app",namespace="x",pod="web-1"} 1234
 * "throttling_data":{"periods":120,"throttled_periods":30,"throttled_time":4500000} */
#include "collectors/cgroup.h"

#include <math.h>

static const struct {
	const char *metric;
	enum nd_cgroup_fact fact;
	double scale; /* to the fact's unit when it is read */
} metrics[] = {
	{"container_cpu_cfs_periods_total", ND_CG_PERIODS, 1},
	{"container_cpu_cfs_throttled_periods_total", ND_CG_THROTTLED, 1},
	{"container_cpu_cfs_throttled_seconds_total", ND_CG_THROTTLED_TIME, 1e6},
	{"container_cpu_usage_seconds_total", ND_CG_USAGE, 1e6},
};

/* The value of a label, "" if it is not there. */
static void label(const char *line, const char *name, char *out, size_t size)
{
	char key[32];
	const char *at;

	out[0] = '\0';
	snprintf(key, sizeof(key), "%s=\"", name);
	for (at = line; (at = strstr(at, key)); at++) {
		if (at == line || !strchr("{,", at[-1]))
			continue; /* "container" is the end of "x_container", too */
		at += strlen(key);
		snprintf(out, size, "%.*s", (int)strcspn(at, "\""), at);
		return;
	}
}

static void group_of(const char *line, char *out, size_t size)
{
	char pod[128], container[128], id[256];

	label(line, "pod", pod, sizeof(pod));
	if (!pod[0])
		label(line, "pod_name", pod, sizeof(pod));
	label(line, "container", container, sizeof(container));
	if (!container[0])
		label(line, "container_name", container, sizeof(container));
	label(line, "id", id, sizeof(id));
	if (pod[0] || container[0])
		snprintf(out, size, "/%s%s%s", pod, pod[0] && container[0] ? "/" : "", container);
	else
		snprintf(out, size, "%s", id[0] == '/' ? id : "/");
}

/* "1.234e+06" as well as "1234". */
static bool number_of(const char *text, double *out)
{
	char *end;

	*out = strtod(text, &end);
	return end != text && (!*end || *end == ' ' || *end == '\t') && isfinite(*out) &&
	       *out >= 0 && *out < 1e15;
}

static bool take_metric(char *line, struct nd_facts *f, const struct nd_input *in)
{
	const size_t n = strcspn(line, "{ \t");
	const char *end = strrchr(line, '}');
	char group[ND_CGROUP_PATH];
	double v;

	for (size_t i = 0; i < ND_ARRAY_LEN(metrics); i++) {
		const char *value = end ? end + 1 : line + n;

		if (strlen(metrics[i].metric) != n || memcmp(metrics[i].metric, line, n) != 0)
			continue;
		value += strspn(value, " \t");
		if (!number_of(value, &v))
			return false;
		group_of(line, group, sizeof(group));
		nd_put_reading(f, nd_cgroup_entity(f, group, in), &nd_cgroup_facts[metrics[i].fact],
			       (uint64_t)llround(v * metrics[i].scale), in);
		return true;
	}
	return false;
}

/* The whole number behind "key": in the text. */
static bool json_number(const char *text, const char *key, uint64_t *out)
{
	const char *at = strstr(text, key);
	char digits[24];
	size_t n;

	if (!at)
		return false;
	at += strlen(key);
	at += strspn(at, " \t:");
	n = strspn(at, "0123456789");
	if (n == 0 || n >= sizeof(digits))
		return false;
	memcpy(digits, at, n);
	digits[n] = '\0';
	return nd_parse_u64(digits, 10, out);
}

/* docker's statistics of one container, on one line. */
static bool take_docker(const char *line, struct nd_facts *f, const struct nd_input *in)
{
	const char *cpu = strstr(line, "\"cpu_stats\""), *at;
	char path[160] = "/", *slash;
	uint64_t periods, throttled, time;
	size_t n;
	nd_id on;

	at = cpu ? strstr(cpu, "\"throttling_data\"") : NULL;
	if (!at || !json_number(at, "\"periods\"", &periods) ||
	    !json_number(at, "\"throttled_periods\"", &throttled))
		return false;
	cpu = strstr(line, "\"name\":\"");
	if (cpu) {
		cpu += strlen("\"name\":\"");
		cpu += *cpu == '/';
		n = strcspn(cpu, "\"");
		snprintf(path, sizeof(path), "/%.*s", n < 128 ? (int)n : 128, cpu);
	}
	while ((slash = strchr(path + 1, '/')))
		*slash = '-';
	on = nd_cgroup_entity(f, path, in);
	nd_put_reading(f, on, &nd_cgroup_facts[ND_CG_PERIODS], periods, in);
	nd_put_reading(f, on, &nd_cgroup_facts[ND_CG_THROTTLED], throttled, in);
	if (json_number(at, "\"throttled_time\"", &time))
		nd_put_reading(f, on, &nd_cgroup_facts[ND_CG_THROTTLED_TIME], time / 1000, in);
	return true;
}

static int parse(const struct nd_input *in, struct nd_stream *s, struct nd_facts *f,
		 struct nd_err *e)
{
	uint32_t good = 0;
	char *line;

	while ((line = nd_stream_line(s))) {
		line = nd_trim(line);
		good += take_metric(line, f, in) || take_docker(line, f, in);
	}
	if (nd_stream_error(s))
		return nd_fail(e, nd_stream_error(s), "%s: %s", in->path,
			       strerror(-nd_stream_error(s)));
	return good ? 0
		    : nd_parse_fail(in, s, e, "container_cpu_cfs_… or throttling_data", "neither");
}

static const struct nd_read reads[] = {
	{"cadvisor", 0, "container_cpu_cfs_*periods_total*[0-9]*"},
	{"docker stats", 0, "*\"cpu_stats\"*\"throttling_data\"*\"periods\"*"},
	{0},
};

const struct nd_collector nd_collector_cgroup_metrics = {
	.name = "cgroup_metrics",
	.doc = "CPU quotas, from metrics of cadvisor and docker's statistics",
	.reads = reads,
	.facts = nd_cgroup_facts,
	.entities = {ND_NO_KIND},
	.parse = parse,
};
