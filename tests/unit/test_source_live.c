/* The running host: patterns over a made-up /proc and /sys, and over the real ones. */
#include "tests/unit/source_fixture.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

static struct nd_source *made_up_host(void)
{
	char proc[100], sys[100];

	snprintf(proc, sizeof(proc), "%s/proc", dir);
	snprintf(sys, sizeof(sys), "%s/sys", dir);
	return nd_source_live(proc, sys);
}

/* each() with the times taken out. */
static const char *each_live(struct nd_source *s, const char *what, unsigned flags)
{
	static char text[4096];
	const char *p = each(s, what, flags);
	size_t n = 0;

	for (; *p && n + 1 < sizeof(text); text[n++] = *p++)
		if (nd_starts(p, " t="))
			p += 3 + strcspn(p + 3, " \n");
	text[n] = '\0';
	assert_int_equal(strstr(seen.s, "\n") && !strstr(seen.s, "BAD"),
			 strstr(seen.s, " t=") != NULL);
	return text;
}

static void test_live_patterns(void **state)
{
	struct nd_source *s;

	(void)state;
	put("proc/stat", "x\n");
	put("sys/class/net/eth10/speed", "x\n");
	put("sys/class/net/eth2/speed", "x\n");
	put("sys/class/net/bonding_masters", "x\n");
	put("sys/class/net/eth2/queues/rx-0/rps_cpus", "x\n");
	put("sys/class/net/eth2/queues/rx-11/rps_cpus", "x\n");
	put("sys/class/net/eth2/queues/tx-0/rps_cpus", "x\n");
	put("sys/class/net/eth2/statistics/.hidden", "x\n");
	s = made_up_host();
	assert_true(nd_source_is_live(s));
	assert_string_equal(nd_source_name(s), "live");
	assert_string_equal(each_live(s, "/proc/stat", 0), "/proc/stat\n");
	assert_string_equal(each_live(s, "/proc/absent", 0), "");
	assert_string_equal(each_live(s, "/proc/stat/below", 0), "");
	assert_string_equal(each_live(s, "/sys/class/net", 0), "");
	assert_string_equal(each_live(s, "netstat -s", 0), "");
	assert_string_equal(
		each_live(s, "/sys/class/net/*/speed", 0),
		"/sys/class/net/eth2/speed arg=eth2\n/sys/class/net/eth10/speed arg=eth10\n");
	assert_string_equal(each_live(s, "/sys/class/net/*/queues/rx-*/rps_cpus", 0),
			    "/sys/class/net/eth2/queues/rx-0/rps_cpus arg=eth2/0\n"
			    "/sys/class/net/eth2/queues/rx-11/rps_cpus arg=eth2/11\n");
	assert_string_equal(each_live(s, "/sys/class/net/eth2/statistics/*", 0), "");
	nd_source_free(s);
}

static void test_live_refusals(void **state)
{
	struct nd_source *s;

	(void)state;
	put("proc/net/nf_conntrack", "x\n");
	put("proc/secret/a/b", "x\n");
	assert_int_equal(chmod(in_dir("proc/net/nf_conntrack"), 0), 0);
	assert_int_equal(chmod(in_dir("proc/secret"), 0), 0);
	s = made_up_host();
	if (geteuid() == 0)
		assert_int_equal(seteuid(NOBODY), 0);
	each(s, "/proc/net/nf_conntrack", 0);
	assert_string_equal(seen.s, "BAD /proc/net/nf_conntrack no-permission "
				    "(/proc/net/nf_conntrack: Permission denied)\n");
	each(s, "/proc/secret/*/b", 0);
	assert_string_equal(seen.s,
			    "BAD /proc/secret no-permission (/proc/secret: Permission denied)\n");
	if (getuid() == 0)
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(chmod(in_dir("proc/secret"), 0755), 0);
	nd_source_free(s);
}

static void test_live_fifo_does_not_block(void **state)
{
	struct nd_source *s;

	(void)state;
	put("proc/stat", "x\n");
	assert_int_equal(mkfifo(in_dir("proc/fifo"), 0644), 0);
	s = made_up_host();
	assert_string_equal(each_live(s, "/proc/fifo", 0), "/proc/fifo\n");
	nd_source_free(s);
}

static void test_live_namespaces(void **state)
{
	struct nd_source *s;
	struct nd_status status;
	const struct nd_netns *ns;
	uint32_t n;

	(void)state;
	put("proc/10/net/snmp", "own\n");
	put_link("net:[100]", "proc/10/ns/net");
	put("proc/11/net/snmp", "other\n");
	put_link("net:[200]", "proc/11/ns/net");
	put("proc/12/net/snmp", "other again\n");
	put_link("net:[200]", "proc/12/ns/net");
	put_link("net:[3000]", "proc/13/ns/net"); /* has no net/snmp */
	put_link("nonsense", "proc/14/ns/net");
	put_link("10", "proc/self");
	put_link("self/net", "proc/net");
	s = made_up_host();
	ns = nd_source_netns(s, &n, &status);
	assert_int_equal(n, 3);
	assert_string_equal(ns[0].name, "host");
	assert_string_equal(ns[0].proc_net, "/proc/self/net");
	assert_string_equal(ns[1].name, "200");
	assert_non_null(strstr("/proc/11/net /proc/12/net", ns[1].proc_net));
	assert_string_equal(ns[2].name, "3000");
	assert_int_equal(status.why, ND_PRESENT);
	assert_string_equal(each_live(s, "/proc/net/snmp", 0), "/proc/net/snmp\n");
	assert_true(nd_starts(each_live(s, "/proc/net/snmp", ND_READ_NETNS),
			      "/proc/net/snmp\n/proc/1"));
	assert_true(nd_ends(seen.s, " netns=200\n"));
	/* its process has gone and the pid now belongs to another namespace */
	for (int pid = 11; pid <= 12; pid++) {
		char rel[40];

		snprintf(rel, sizeof(rel), "proc/%d/ns/net", pid);
		assert_int_equal(unlink(in_dir(rel)), 0);
		put_link("net:[999]", rel);
	}
	assert_string_equal(each_live(s, "/proc/net/snmp", ND_READ_NETNS), "/proc/net/snmp\n");
	nd_source_free(s);
}

static void test_live_too_many_namespaces(void **state)
{
	struct nd_source *s;
	struct nd_status status;
	uint32_t n;

	(void)state;
	for (int i = 1; i <= 600; i++) {
		char rel[40], target[40];

		snprintf(rel, sizeof(rel), "proc/%d/ns/net", i);
		snprintf(target, sizeof(target), "net:[%d]", 5000 + i);
		put_link(target, rel);
	}
	s = made_up_host();
	nd_source_netns(s, &n, &status);
	assert_int_equal(n, 512);
	assert_int_equal(status.why, ND_BUDGET);
	assert_string_equal(status.detail, "more than 512 network namespaces");
	nd_source_free(s);
}

static void test_live_joins(void **state)
{
	struct nd_source *s;
	char text[100], **names;

	(void)state;
	put("sys/class/net/eth10/mtu", "9000\n");
	put("sys/class/net/eth2/mtu", "1500\n");
	put_bytes("proc/7/cmdline", "a\0b\0", 4);
	put_link("../drivers/ena", "sys/class/net/eth2/driver");
	s = made_up_host();
	assert_int_equal(nd_source_text(s, "/sys/class/net/eth2/mtu", text, sizeof(text)), 0);
	assert_string_equal(text, "1500");
	assert_int_equal(nd_source_text(s, "/proc/7/cmdline", text, sizeof(text)), 0);
	assert_string_equal(text, "a b");
	assert_int_equal(nd_source_text(s, "/proc/8/cmdline", text, sizeof(text)), -ENOENT);
	assert_string_equal(text, "");
	assert_int_equal(nd_source_text(s, "/sys/class", text, sizeof(text)), -EISDIR);
	assert_int_equal(nd_source_text(s, "/sys/class", text, 0), -EINVAL);
	assert_int_equal(nd_source_link(s, "/sys/class/net/eth2/driver", text, 9), 0);
	assert_string_equal(text, "../drive");
	assert_int_equal(nd_source_link(s, "/sys/class/net/eth2/mtu", text, 9), -EINVAL);
	assert_int_equal(nd_source_names(s, "/sys/class/net", &names), 2);
	assert_string_equal(names[0], "eth2");
	assert_string_equal(names[1], "eth10");
	nd_source_names_free(names, 2);
	assert_int_equal(nd_source_names(s, "/sys/none", &names), -ENOENT);
	nd_source_names_free(NULL, 0);
	nd_source_free(s);
}

/* ---- live, on this very host ---- */

static void test_this_host(void **state)
{
	struct nd_source *s = nd_source_live("/proc", "/sys");
	uint64_t before = nd_source_now(s);
	const struct nd_netns *ns;
	uint32_t n;

	(void)state;
	assert_string_equal(each_live(s, "/proc/net/snmp", 0), "/proc/net/snmp\n");
	assert_string_equal(each_live(s, "/sys/class/net/lo/mtu", 0), "/sys/class/net/lo/mtu\n");
	assert_non_null(
		strstr(each_live(s, "/sys/class/net/*/mtu", 0), "/sys/class/net/lo/mtu arg=lo\n"));
	ns = nd_source_netns(s, &n, NULL);
	assert_true(n >= 1);
	assert_string_equal(ns[0].name, "host");
	assert_true(nd_source_now(s) > before);
	assert_null(nd_source_unused(s, &n));
	assert_int_equal(n, 0);
	nd_source_free(s);
}

/* In mount and process namespaces of its own with an empty /run: one named network namespace with a
 * process in it, one without, and a left-over name. Returns 0 if all is seen as it should be,
 * CANNOT if this user may not. */
#define CANNOT 77

static bool is_named(const struct nd_netns *ns, uint32_t n, const char *name, bool peopled)
{
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(ns[i].name, name) == 0 && (ns[i].proc_net != NULL) == peopled)
			return true;
	return false;
}

static int make_named_namespaces(void)
{
	static const char *const names[] = {"/run/netns/red", "/run/netns/blue", "/run/netns/old"};

	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("nd-test", "/run", "tmpfs", 0, NULL) ||
	    mount("nd-test", "/proc", "proc", 0, NULL) || mkdir("/run/netns", 0755) ||
	    unshare(CLONE_NEWNET))
		return CANNOT;
	for (int i = 0; i < 3; i++) {
		close(open(names[i], O_CREAT | O_WRONLY | O_CLOEXEC, 0444));
		if (i < 2 && mount("/proc/self/ns/net", names[i], NULL, MS_BIND, NULL))
			return CANNOT;
		if (i == 1 &&
		    fork() == 0) /* stays in blue; ends with this process, which is its init */
			for (;;)
				pause();
		if (i < 2 && unshare(CLONE_NEWNET)) /* nobody is left in red: a keeper will be */
			return CANNOT;
	}
	return 0;
}

static int processes(void)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	int n = 0;

	while (d && (e = readdir(d)))
		n += e->d_name[0] >= '1' && e->d_name[0] <= '9';
	if (d)
		closedir(d);
	return n;
}

static int check_named_namespaces(void)
{
	struct nd_source *s;
	struct nd_status status;
	const struct nd_netns *ns;
	uint32_t n;
	int failed = make_named_namespaces();

	if (failed)
		return failed;
	s = nd_source_live("/proc", "/sys");
	ns = nd_source_netns(s, &n, &status);
	failed |= n != 3;
	failed |= !is_named(ns, n, "red", true) << 1;
	failed |= !is_named(ns, n, "blue", true) << 2;
	failed |= (status.why != ND_PRESENT) << 3;
	each(s, "/proc/net/snmp", ND_READ_NETNS);
	failed |= !strstr(seen.s, " netns=blue\n") << 4;
	failed |= !strstr(seen.s, " netns=red\n") << 5;
	nd_source_free(s);
	nd_buf_free(&seen);
	failed |= (processes() != 2) << 6; /* ourselves and the one in blue: the keeper has ended */
	return failed;
}

/* Runs the check as the first process of its own process namespace. */
static int run_as_init(void)
{
	int status;
	pid_t pid;

	if (unshare(CLONE_NEWNS | CLONE_NEWPID))
		return CANNOT;
	pid = fork();
	if (pid == 0)
		_exit(check_named_namespaces());
	if (pid < 0)
		return CANNOT;
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 64;
}

static void test_named_namespaces(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (pid == 0)
		_exit(run_as_init());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == CANNOT) {
		print_message("needs the right to make namespaces\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_DIR(test_live_patterns),
		WITH_DIR(test_live_refusals),
		WITH_DIR(test_live_fifo_does_not_block),
		WITH_DIR(test_live_namespaces),
		WITH_DIR(test_live_too_many_namespaces),
		WITH_DIR(test_live_joins),
		cmocka_unit_test(test_this_host),
		cmocka_unit_test(test_named_namespaces),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	nd_buf_free(&seen);
	return failed;
}
