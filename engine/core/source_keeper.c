/* A process of our own in a network namespace that has a name but no process.
 *
 * Such a namespace (`ip netns add`, a pod that is being set up) can only be read from inside, and a
 * thread that enters it still sees the old one in /proc/net. A child that enters it and sleeps makes
 * /proc/CHILD/net readable like any other; it dies with us, whatever happens (PR_SET_PDEATHSIG). */
#include "engine/core/source_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void child(int ns, int ready, pid_t parent) __attribute__((noreturn));
static void child(int ns, int ready, pid_t parent)
{
	char ok;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
		_exit(1);
	ok = setns(ns, CLONE_NEWNET) == 0;
	if (write(ready, &ok, 1) != 1 || !ok)
		_exit(1);
	close(ready);
	signal(SIGINT, SIG_IGN); /* Ctrl-C ends the measuring, not the keeper before its parent */
	for (;;)
		pause();
}

int64_t nd_keeper_start(const char *path)
{
	int ns = open(path, O_RDONLY | O_CLOEXEC), ready[2] = {-1, -1};
	pid_t parent = getpid(), pid = -1;
	char ok = 0;

	if (ns < 0)
		return -errno;
	if (pipe2(ready, O_CLOEXEC) == 0)
		pid = fork();
	if (pid == 0)
		child(ns, ready[1], parent);
	close(ns);
	if (ready[1] >= 0)
		close(ready[1]);
	if (pid > 0 && read(ready[0], &ok, 1) != 1)
		ok = 0;
	if (ready[0] >= 0)
		close(ready[0]);
	if (pid > 0 && !ok) {
		nd_keeper_end(pid);
		return -EPERM;
	}
	return pid > 0 ? pid : -EAGAIN;
}

void nd_keeper_end(int64_t pid)
{
	if (pid <= 0)
		return;
	kill((pid_t)pid, SIGKILL);
	while (waitpid((pid_t)pid, NULL, 0) < 0 && errno == EINTR)
		;
}
