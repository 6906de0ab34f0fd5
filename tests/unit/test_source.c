/* Recorded folders: what a pattern names in them; what is refused, and in which words. */
#include "tests/unit/source_fixture.h"

#include <errno.h>

static struct nd_source *folder(const char *rel)
{
	struct nd_err e = {{0}};
	struct nd_source *s = nd_source_folder(rel[0] ? in_dir(rel) : dir, &e);

	assert_string_equal(e.msg, "");
	assert_non_null(s);
	return s;
}

static void expect_each(const char *what, const char *want)
{
	struct nd_source *s = folder("");

	assert_string_equal(each(s, what, 0), want);
	nd_source_free(s);
}

static void test_moments_in_order(void **state)
{
	struct nd_source *s;

	(void)state;
	put("softnet_stat@10", "b\n");
	put("softnet_stat@0", "a\n");
	put("softnet_stat@2.5", "c\n");
	put("b/proc/net/softnet_stat@2.5", "d\n");
	put("nstat.txt@3", "x\n");
	s = folder("");
	assert_false(nd_source_is_live(s));
	assert_string_equal(nd_source_name(s), "folder");
	assert_string_equal(
		each(s, "/proc/net/softnet_stat", ND_READ_NETNS),
		"softnet_stat@0\nb/proc/net/softnet_stat@2.5 t=2.5\nsoftnet_stat@2.5 t=2.5\n"
		"softnet_stat@10 t=10\n");
	assert_string_equal(each(s, "nstat", 0), "nstat.txt@3 t=3 interval\n");
	assert_string_equal(each(s, "/proc/net/snmp", 0), "");
	assert_true(nd_source_now(s) == 10 * ND_NSEC_PER_SEC);
	nd_source_free(s);
}

static void test_sosreport(void **state)
{
	(void)state;
	put("sos-1/sos_commands/networking/netstat_-s", "x\n");
	put("sos-1/sos_commands/networking/ethtool_-S_eth0", "x\n");
	put("sos-1/sos_commands/networking/ethtool_-S_eth1.10", "x\n");
	put("sos-1/proc/sys/net/core/somaxconn", "128\n");
	put_link("sos_commands/networking/netstat_-s", "sos-1/netstat-s");
	expect_each("netstat -s", "sos-1/netstat-s\n"); /* one file under two names is one input */
	expect_each("ethtool -S *",
		    "sos-1/sos_commands/networking/ethtool_-S_eth0 arg=eth0\n"
		    "sos-1/sos_commands/networking/ethtool_-S_eth1.10 arg=eth1.10\n");
	expect_each("/proc/sys/net/core/somaxconn", "sos-1/proc/sys/net/core/somaxconn\n");
}

static void test_bad_files(void **state)
{
	(void)state;
	put("snmp", "");
	put_bytes("netstat", "a\0b\n", 4);
	put("sockstat", "refuse\n");
	assert_int_equal(mkfifo(in_dir("softirqs"), 0644), 0);
	put_link("/etc/passwd", "interrupts");
	put_link("../nd-no-such-file", "meminfo");
	expect_each("/proc/net/snmp", "BAD snmp truncated (snmp: empty file)\n");
	expect_each("/proc/net/netstat", "BAD netstat parse-error (netstat: binary data)\n");
	expect_each("/proc/net/sockstat",
		    "sockstatBAD sockstat parse-error (sockstat:1: expected sense)\n");
	expect_each("/proc/softirqs", "BAD softirqs not-sampled (softirqs: not a regular file)\n");
	expect_each("/proc/interrupts", "BAD interrupts not-sampled (interrupts: link leads out of "
					"the folder, not followed)\n");
	expect_each("/proc/meminfo", "BAD meminfo not-sampled (meminfo: link leads to nothing)\n");
}

static void test_no_permission(void **state)
{
	struct nd_source *s;

	(void)state;
	put("snmp", "x\n");
	assert_int_equal(chmod(in_dir("snmp"), 0), 0);
	s = folder("");
	if (geteuid() == 0)
		assert_int_equal(seteuid(NOBODY), 0);
	each(s, "/proc/net/snmp", 0);
	if (getuid() == 0)
		assert_int_equal(seteuid(0), 0);
	assert_string_equal(seen.s, "BAD snmp no-permission (snmp: Permission denied)\n");
	nd_source_free(s);
}

static void test_swapped_file_is_not_opened(void **state)
{
	struct nd_source *s;

	(void)state;
	put("snmp", "x\n");
	s = folder("");
	assert_int_equal(unlink(in_dir("snmp")), 0);
	put_link("/etc/passwd", "snmp");
	assert_int_equal(nd_starts(each(s, "/proc/net/snmp", 0), "BAD snmp not-sampled"), true);
	nd_source_free(s);
}

static void test_hard_links_are_moments(void **state)
{
	char first[4096];

	(void)state;
	put("softnet_stat@0", "a\n");
	snprintf(first, sizeof(first), "%s", in_dir("softnet_stat@0"));
	assert_int_equal(link(first, in_dir("softnet_stat@5")), 0);
	put_link("softnet_stat@0", "softnet_stat"); /* the same moment again: not handed out */
	expect_each("/proc/net/softnet_stat", "softnet_stat\nsoftnet_stat@5 t=5\n");
}

static void test_linked_folders(void **state)
{
	(void)state;
	put("sys/devices/pci0/net/eth0/speed", "10000\n");
	put_link("../../devices/pci0/net/eth0", "sys/class/net/eth0");
	put_link("../../../../class/net", "sys/devices/pci0/net/eth0/loop");
	put_link("/etc", "sys/class/net/evil");
	put("proc/self/net/snmp", "x\n");
	put_link("self/net", "proc/net");
	expect_each("/sys/class/net/*/speed", "sys/class/net/eth0/speed arg=eth0\n");
	expect_each("/proc/net/snmp", "proc/net/snmp\n");
}

static void test_unused(void **state)
{
	struct nd_source *s;
	const char *const *names;
	uint32_t n;

	(void)state;
	put("snmp", "x\n");
	put("notes.md", "x\n");
	put("a/what", "x\n");
	put("a/expect.yaml", "x\n");
	put("expect.yaml", "x\n");
	put("netstat", "");
	s = folder("");
	each(s, "/proc/net/snmp", 0);
	each(s, "/proc/net/netstat", 0); /* reported as empty is not unused */
	names = nd_source_unused(s, &n);
	assert_int_equal(n, 2);
	assert_string_equal(names[0], "a/what");
	assert_string_equal(names[1], "notes.md");
	nd_source_free(s);
}

static void test_single_files(void **state)
{
	struct nd_err e = {{0}};
	struct nd_source *s;

	(void)state;
	put("netstat-s.txt", "x\n");
	put("t/sys/class/net/eth7/speed", "x\n");
	put("more/softnet_stat@4", "x\n");
	s = folder("netstat-s.txt");
	assert_string_equal(each(s, "netstat -s", 0), "netstat-s.txt\n");
	assert_int_equal(nd_source_folder_add(s, in_dir("t/sys/class/net/eth7/speed"), &e), 0);
	assert_string_equal(each(s, "/sys/class/net/*/speed", 0), "speed arg=eth7\n");
	assert_int_equal(nd_source_folder_add(s, in_dir("more"), &e), 0);
	assert_string_equal(each(s, "/proc/net/softnet_stat", 0), "softnet_stat@4 t=4\n");
	assert_int_equal(nd_source_folder_add(s, in_dir("absent"), &e), -ENOENT);
	assert_true(nd_ends(e.msg, "/absent: No such file or directory"));
	nd_source_free(s);
	assert_null(nd_source_folder(in_dir("absent"), &e));
}

static void test_depth_and_hidden(void **state)
{
	(void)state;
	put("1/2/3/4/5/6/7/8/9/10/11/12/snmp", "x\n");
	put("1/2/3/4/5/6/7/8/9/10/11/12/13/sockstat", "x\n");
	put(".git/netstat", "x\n");
	nd_log_level = ND_LOG_QUIET;
	expect_each("/proc/net/snmp", "1/2/3/4/5/6/7/8/9/10/11/12/snmp\n");
	expect_each("/proc/net/sockstat", "");
	expect_each("/proc/net/netstat", "");
	nd_log_level = ND_LOG_WARN;
}

static void test_joins_in_folder(void **state)
{
	struct nd_source *s;
	char text[100], **names;

	(void)state;
	put("h/sys/devices/pci0/net/eth0/speed@0", "1000\n");
	put("h/sys/devices/pci0/net/eth0/mtu", "1500\n");
	put("h/sys/class/net/lo/mtu", "65536\n");
	put_link("../../devices/pci0/net/eth0", "h/sys/class/net/eth0");
	put_link("../../../bus/drivers/ixgbe", "h/sys/devices/pci0/net/eth0/driver");
	put_link("/etc", "h/sys/out");
	put("h/proc/sys/net/core/somaxconn@0", "128\n");
	put("h/proc/sys/net/core/somaxconn@9", "4096\n");
	s = folder("");
	assert_int_equal(nd_source_text(s, "/proc/sys/net/core/somaxconn", text, sizeof(text)), 0);
	assert_string_equal(text, "4096"); /* the latest moment */
	assert_int_equal(nd_source_text(s, "/sys/class/net/eth0/mtu", text, sizeof(text)), 0);
	assert_string_equal(text, "1500");
	assert_int_equal(nd_source_text(s, "/sys/class/net/eth0/mtu", text, 3), 0);
	assert_string_equal(text, "15");
	assert_int_equal(nd_source_text(s, "/sys/class/net/eth9/mtu", text, sizeof(text)), -ENOENT);
	assert_int_equal(nd_source_text(s, "/sys/out/passwd", text, sizeof(text)), -ENOENT);
	assert_int_equal(nd_source_text(s, "/sys/../../../../../etc/passwd", text, sizeof(text)),
			 -ENOENT);
	assert_string_equal(text, "");
	assert_int_equal(nd_source_link(s, "/sys/class/net/eth0/driver", text, sizeof(text)), 0);
	assert_string_equal(text, "../../../bus/drivers/ixgbe");
	assert_int_equal(nd_source_link(s, "/sys/class/net/eth9/driver", text, sizeof(text)),
			 -ENOENT);
	assert_int_equal(nd_source_names(s, "/sys/class/net", &names), 2);
	assert_string_equal(names[0], "eth0");
	assert_string_equal(names[1], "lo");
	nd_source_names_free(names, 2);
	assert_int_equal(nd_source_names(s, "/sys/out", &names), -ENOENT);
	assert_int_equal(nd_source_names(s, "/etc", &names), -ENOENT);
	nd_source_free(s);
	s = folder("h/sys"); /* the copy itself */
	assert_int_equal(nd_source_names(s, "/sys/class/net", &names), 2);
	nd_source_names_free(names, 2);
	nd_source_free(s);
}

static void test_folder_has_one_namespace(void **state)
{
	struct nd_source *s = folder("");
	struct nd_status status;
	uint32_t n;

	(void)state;
	assert_string_equal(nd_source_netns(s, &n, &status)[0].name, "host");
	assert_int_equal(n, 1);
	assert_int_not_equal(status.why, ND_PRESENT);
	nd_source_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_DIR(test_moments_in_order),
		WITH_DIR(test_sosreport),
		WITH_DIR(test_bad_files),
		WITH_DIR(test_no_permission),
		WITH_DIR(test_swapped_file_is_not_opened),
		WITH_DIR(test_hard_links_are_moments),
		WITH_DIR(test_linked_folders),
		WITH_DIR(test_unused),
		WITH_DIR(test_single_files),
		WITH_DIR(test_depth_and_hidden),
		WITH_DIR(test_joins_in_folder),
		WITH_DIR(test_folder_has_one_namespace),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	nd_buf_free(&seen);
	return failed;
}
