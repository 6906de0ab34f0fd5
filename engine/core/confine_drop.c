/* Gives up all rights of this process for good: another user, no capabilities, and a filter that
 * lets only those system calls through that reading, computing and writing to open descriptors need.
 *
 * The filter is written here rather than taken from a library: it is a list of some forty numbers,
 * and a static binary stays one. A call that is not on it fails with EPERM instead of killing the
 * process, so that a C library that tries something harmless and new is not a crash on the host of
 * somebody who is on call. */
#include "engine/core/confine_impl.h"

#include <errno.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOBODY 65534
#define CAPS_MAX 64
#define CPU_MAX_S 600
#define MEMORY_MAX (4ull << 30)

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCH AUDIT_ARCH_RISCV64
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define ARCH AUDIT_ARCH_PPC64LE
#elif defined(__s390x__)
#define ARCH AUDIT_ARCH_S390X
#endif

#ifdef ARCH
static const int allowed[] = {
	/* bytes of open descriptors; recvmsg receives more of them from the parent */
	__NR_read,
	__NR_write,
	__NR_readv,
	__NR_writev,
	__NR_pread64,
	__NR_lseek,
	__NR_close,
	__NR_fstat,
	__NR_recvmsg,
	__NR_newfstatat, /* what fstat is to newer C libraries */
	/* memory */
	__NR_brk,
	__NR_munmap,
	__NR_mremap,
	__NR_madvise,
	/* time and itself */
	__NR_clock_gettime,
	__NR_clock_getres,
	__NR_clock_nanosleep,
	__NR_nanosleep,
	__NR_gettimeofday,
	__NR_getrusage,
	__NR_times,
	__NR_sysinfo,
	__NR_uname,
	__NR_getpid,
	__NR_gettid,
	__NR_getppid,
	__NR_getuid,
	__NR_geteuid,
	__NR_getgid,
	__NR_getegid,
	__NR_getrandom,
	__NR_sched_yield,
	__NR_sched_getaffinity,
	__NR_futex,
	/* signals and the end */
	__NR_rt_sigaction,
	__NR_rt_sigprocmask,
	__NR_rt_sigreturn,
	__NR_sigaltstack,
	__NR_restart_syscall,
	__NR_exit,
	__NR_exit_group,
};

#define FILTER_MAX (2 * ND_ARRAY_LEN(allowed) + 32)

/* Appends "if the call is nr: allow it". */
static size_t put_allow(struct sock_filter *f, size_t n, uint32_t nr)
{
	f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	return n;
}

/* mmap and mprotect: no memory that can be executed. */
static size_t put_no_exec(struct sock_filter *f, size_t n, uint32_t nr)
{
	const uint32_t prot = offsetof(struct seccomp_data, args) + 2 * sizeof(uint64_t) +
			      (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0);

	f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 4);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, prot);
	f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	return n;
}

static int set_filter(void)
{
	struct sock_filter f[FILTER_MAX];
	struct sock_fprog program = {.filter = f};
	size_t n = 0;

	f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					      offsetof(struct seccomp_data, arch));
	f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					      offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < ND_ARRAY_LEN(allowed); i++)
		n = put_allow(f, n, (uint32_t)allowed[i]);
	n = put_no_exec(f, n, __NR_mmap);
	n = put_no_exec(f, n, __NR_mprotect);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	program.len = (unsigned short)n;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 ? 0 : -errno;
}
#else
static int set_filter(void)
{
	return -ENOSYS;
}
#endif

static void drop_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[2] = {{0}};

	(void)syscall(SYS_capset, &header, none);
}

static void set_limits(void)
{
	const struct rlimit none = {0, 0}, cpu = {CPU_MAX_S, CPU_MAX_S},
			    memory = {MEMORY_MAX, MEMORY_MAX};

	(void)setrlimit(RLIMIT_CORE, &none);
	(void)setrlimit(RLIMIT_CPU, &cpu);
	if (!SANITIZED) /* they reserve terabytes of addresses */
		(void)setrlimit(RLIMIT_AS, &memory);
}

/* In a container whose user namespace has no such user the old one stays, without capabilities. */
static void become_nobody(void)
{
	if (geteuid() != 0)
		return;
	for (unsigned long cap = 0; cap < CAPS_MAX; cap++)
		(void)prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
	(void)prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0);
	if (setgroups(0, NULL) != 0 || setresgid(NOBODY, NOBODY, NOBODY) != 0 ||
	    setresuid(NOBODY, NOBODY, NOBODY) != 0)
		nd_info("there is no user to become: only capabilities are given up");
}

int nd_confine_drop(void)
{
	int rc;

	set_limits();
	become_nobody();
	drop_capabilities();
	if (!SANITIZED)
		(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -errno;
	if (SANITIZED) /* at the end they trace the process, to look for leaks */
		return 0;
	rc = set_filter();
	if (rc)
		nd_info("no filter of system calls: %s", strerror(-rc));
	return 0;
}
