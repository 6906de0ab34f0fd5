/* Moves the process into the network namespace of its target, before anything is read.
 *
 * The main thread moves while it is the only one, since /proc/net shows the namespace of the first thread. /sys/class/net
 * shows that of whoever mounted it, so /sys is mounted anew, in a mount namespace of our own: nobody else sees it,
 * and it goes when we do. ip-netns(8) does the same. */
#include "engine/core/source.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static int cannot(struct nd_err *e, const char *what, const char *do_what)
{
	int rc = -errno;

	return nd_fail(e, rc, "%s: %s: %s%s", what, do_what, strerror(-rc),
		       rc == -EPERM || rc == -EACCES
			       ? "; it needs root (CAP_SYS_ADMIN, CAP_SYS_PTRACE)"
			       : "");
}

/* Own mounts stay ours, and /sys shows the namespace that we are in. What is mounted below it (cgroup, tracing) is
 * bound to where it was. */
static int remount_sys(const char *what, struct nd_err *e)
{
	static const char *const below[] = {"/fs/cgroup", "/kernel/debug", "/kernel/tracing",
					    "/fs/bpf"};
	int old = open("/sys", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat before, after;
	char from[64], to[64];

	if (unshare(CLONE_NEWNS) != 0 || mount("", "/", NULL, MS_SLAVE | MS_REC, NULL) != 0) {
		if (old >= 0)
			close(old);
		return cannot(e, what, "a mount namespace of its own");
	}
	if (mount("sysfs", "/sys", "sysfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) !=
	    0) {
		if (old >= 0)
			close(old);
		return cannot(e, what, "mounting its /sys");
	}
	for (size_t i = 0; i < ND_ARRAY_LEN(below) && old >= 0; i++) {
		snprintf(from, sizeof(from), "/proc/self/fd/%d%s", old, below[i]);
		snprintf(to, sizeof(to), "/sys%s", below[i]);
		/* what is not mounted there, or may not be, is missing as it would be without us */
		if (stat(from, &before) == 0 && stat(to, &after) == 0 &&
		    before.st_dev != after.st_dev)
			(void)mount(from, to, NULL, MS_BIND, NULL);
	}
	if (old >= 0)
		close(old);
	return 0;
}

int nd_netns_enter(const char *path, struct nd_err *e)
{
	struct stat own, target;
	int fd, rc = 0;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return cannot(e, path, "no network namespace to look into");
	if (fstat(fd, &target) == 0 && stat("/proc/self/ns/net", &own) == 0 &&
	    own.st_ino == target.st_ino && own.st_dev == target.st_dev)
		goto out; /* we are in it */
	if (setns(fd, CLONE_NEWNET) != 0)
		rc = cannot(e, path,
			    errno == EINVAL ? "it is no network namespace" : "entering it");
	else
		rc = remount_sys(path, e);
out:
	close(fd);
	return rc;
}
