/* What the user points at: a network namespace by name, or that of a process. */
#include "engine/cli/target.h"

#include <sys/stat.h>
#include <unistd.h>

#include "engine/cli/cmd.h"

/* The file of the namespace, and the command that gives a shell in it. 0, or the status to exit with after a message. */
static int by_name(const struct nd_options *o, const char *name, struct nd_target *t, char *path,
		   size_t size)
{
	struct stat st;

	if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return nd_usage_error(
			o->command,
			"--netns '%s': expected a name as ip netns list has it, or a path", name);
	snprintf(t->name, sizeof(t->name), "%s", name);
	if (strchr(name, '/')) {
		snprintf(path, size, "%s", name);
		snprintf(t->enter, sizeof(t->enter), "nsenter --net=%s", name);
	} else {
		snprintf(path, size, "/run/netns/%s", name);
		snprintf(t->enter, sizeof(t->enter), "ip netns exec %s sh", name);
	}
	if (stat(path, &st) == 0)
		return 0;
	nd_error(
		"--netns %s: %s is not there: ip netns list shows the names; for a container, --pid "
		"of one of its processes",
		name, path);
	return ND_EXIT_INPUT;
}

static int by_pid(const struct nd_options *o, const char *text, struct nd_target *t, char *path,
		  size_t size)
{
	struct stat st;
	uint64_t pid;

	if (!nd_parse_u64(text, 10, &pid) || pid == 0 || pid > INT32_MAX)
		return nd_usage_error(o->command, "--pid '%s': expected the number of a process",
				      text);
	snprintf(t->name, sizeof(t->name), "of process %s", text);
	snprintf(t->enter, sizeof(t->enter), "nsenter -t %s -n", text);
	snprintf(path, size, "/proc/%s", text);
	if (stat(path, &st) != 0) {
		nd_error("--pid %s: there is no such process", text);
		return ND_EXIT_INPUT;
	}
	snprintf(path, size, "/proc/%s/ns/net", text);
	return 0;
}

int nd_target_enter(const struct nd_options *o, struct nd_target *t)
{
	const char *name = nd_opt_text(o, ND_OPT_NETNS), *pid = nd_opt_text(o, ND_OPT_PID);
	struct nd_err e;
	char path[4096];
	int status;

	*t = (struct nd_target){0};
	if (!name && !pid)
		return 0;
	if (name && pid)
		return nd_usage_error(o->command,
				      "--netns and --pid both name a namespace: give one");
	if (nd_opt_given(o, ND_OPT_FROM) || nd_opt_given(o, ND_OPT_PCAP))
		return nd_usage_error(o->command,
				      "--netns and --pid are for this host, not for --from");
	status = name ? by_name(o, name, t, path, sizeof(path))
		      : by_pid(o, pid, t, path, sizeof(path));
	if (status)
		return status;
	if (nd_netns_enter(path, &e) < 0) {
		nd_error("%s", e.msg);
		return ND_EXIT_INPUT;
	}
	return 0;
}
