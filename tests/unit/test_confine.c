/* The process that touches foreign bytes: what it is refused, what it may still do, how it ends. */
#include "engine/core/confine_impl.h"
#include "tests/unit/source_fixture.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>

#if defined(__SANITIZE_ADDRESS__)
#define FILTERED 0 /* sanitizers go without the filter of system calls */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FILTERED 0
#endif
#endif
#ifndef FILTERED
#define FILTERED 1
#endif

static char target[4096]; /* a file that the child tries to write */

static void say(struct nd_buf *out, const char *what, bool done)
{
	nd_buf_printf(out, "%s%s", done ? "" : "no ", what);
	nd_buf_putc(out, '\n');
}

/* What a parser in the hands of somebody else would try first. */
static int misbehave(void *ctx, struct nd_buf *out)
{
	static char program[] = "/bin/true";
	char *const argv[] = {program, NULL}, *const env[] = {NULL};
	pid_t pid;

	(void)ctx;
	say(out, "socket", socket(AF_INET, SOCK_STREAM, 0) >= 0);
	say(out, "local socket", socket(AF_UNIX, SOCK_STREAM, 0) >= 0);
	say(out, "netlink", socket(AF_NETLINK, SOCK_RAW, 0) >= 0);
	say(out, "write a file", open(target, O_WRONLY | O_CREAT, 0600) >= 0);
	say(out, "read a file", open("/etc/passwd", O_RDONLY) >= 0);
	say(out, "remove a file", unlink(target) == 0);
	say(out, "exec", execve(program, argv, env) == 0);
	pid = fork();
	if (pid == 0)
		_exit(0);
	say(out, "fork", pid > 0);
	say(out, "kill", kill(getppid(), SIGCONT) == 0);
	say(out, "trace", ptrace(PTRACE_ATTACH, getppid(), NULL, NULL) == 0);
	say(out, "become root", setuid(0) == 0 && getuid() == 0 && FILTERED);
	say(out, "run code from data",
	    mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
		    MAP_FAILED);
	return 7;
}

static void test_refusals(void **state)
{
	struct nd_buf out = {0};
	struct nd_err e = {{0}};

	(void)state;
	if (!FILTERED)
		skip();
	put("victim", "x\n");
	assert_int_equal(chmod(in_dir("victim"), 0666), 0);
	assert_int_equal(chmod(dir, 0777), 0);
	snprintf(target, sizeof(target), "%s", in_dir("victim"));
	assert_int_equal(nd_confined(NULL, misbehave, NULL, &out, &e), 7);
	assert_string_equal(
		nd_buf_str(&out),
		"no socket\nno local socket\nno netlink\nno write a file\n"
		"no read a file\nno remove a file\nno exec\nno fork\nno kill\nno trace\n"
		"no become root\nno run code from data\n");
	assert_false(nd_is_confined());
	nd_buf_free(&out);
}

static int who(void *ctx, struct nd_buf *out)
{
	(void)ctx;
	nd_buf_printf(out, "%d %d %d", nd_is_confined(), (int)getuid(), (int)getgid());
	return 0;
}

static void test_who_it_is(void **state)
{
	const bool root = geteuid() == 0;
	struct nd_buf out = {0};
	struct nd_err e = {{0}};
	char want[64];

	(void)state;
	snprintf(want, sizeof(want), "1 %d %d", root ? NOBODY : (int)getuid(),
		 root ? NOBODY : (int)getgid());
	assert_int_equal(nd_confined(NULL, who, NULL, &out, &e), 0);
	assert_string_equal(nd_buf_str(&out), want);
	nd_buf_free(&out);
}

static int read_all(void *ctx, struct nd_buf *out)
{
	nd_buf_puts(out, each(ctx, "/proc/net/snmp", 0));
	nd_buf_puts(out, each(ctx, "/proc/net/netstat", 0));
	nd_buf_puts(out, each(ctx, "netstat -s", 0));
	nd_buf_printf(out, "%d\n", nd_confined_open(4711));
	return 0;
}

/* What only root may read is read through it, and nothing but what the walk saw. */
static void test_files_are_handed_in(void **state)
{
	struct nd_source *s;
	struct nd_buf out = {0};
	struct nd_err e = {{0}};
	char want[200];

	(void)state;
	put("snmp", "x\n");
	put("netstat", "y\n");
	put("netstat-s.txt", "");
	assert_int_equal(chmod(in_dir("snmp"), 0600), 0);
	s = nd_source_folder(dir, &e);
	assert_non_null(s);
	assert_int_equal(chmod(dir, 0700), 0);
	assert_int_equal(unlink(in_dir("netstat")), 0);
	put_link("/etc/shadow", "netstat");
	assert_int_equal(nd_confined(s, read_all, s, &out, &e), 0);
	snprintf(want, sizeof(want),
		 "snmp\nBAD netstat not-sampled (netstat: %s)\n"
		 "BAD netstat-s.txt truncated (netstat-s.txt: empty file)\n%d\n",
		 strerror(ELOOP), -ENOENT);
	assert_string_equal(nd_buf_str(&out), want);
	nd_buf_free(&out);
	nd_source_free(s);
}

static int print_much(void *ctx, struct nd_buf *out)
{
	(void)ctx;
	for (unsigned i = 0; i < 500000; i++)
		nd_buf_printf(out, "%07u\n", i);
	return 3;
}

static int crash(void *ctx, struct nd_buf *out)
{
	(void)ctx;
	(void)out;
	signal(SIGILL, SIG_DFL); /* the test framework catches it */
	signal(SIGTRAP, SIG_DFL);
	__builtin_trap();
	return 0;
}

static void test_output_and_end(void **state)
{
	struct nd_buf out = {0};
	struct nd_err e = {{0}};

	(void)state;
	nd_buf_puts(&out, "before\n");
	assert_int_equal(nd_confined(NULL, print_much, NULL, &out, &e), 3);
	assert_int_equal(out.len, 7 + 4000000);
	assert_true(nd_ends(out.s, "0499998\n0499999\n"));
	if (FILTERED) {
		assert_int_equal(nd_confined(NULL, crash, NULL, &out, &e), -ECHILD);
		assert_true(nd_starts(e.msg, "the process that reads inputs was ended by signal"));
	}
	nd_buf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_DIR(test_refusals),
		cmocka_unit_test(test_who_it_is),
		WITH_DIR(test_files_are_handed_in),
		cmocka_unit_test(test_output_and_end),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	nd_buf_free(&seen);
	return failed;
}
