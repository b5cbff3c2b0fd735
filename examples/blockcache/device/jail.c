/* SPDX-License-Identifier: MIT */
/*
 * Enters the jail: see jail.h. Each step comes only after the steps that need what it takes away.
 * Called by the device process.
 */
#include "device/jail.h"

#include <errno.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <waymark/init.h>

#define NOBODY 65534
#define CALLS_MAX 64

/* System call numbers are valid only on their own processor. */
#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__i386__)
#define ARCHITECTURE AUDIT_ARCH_I386
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__arm__)
#define ARCHITECTURE AUDIT_ARCH_ARM
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define ARCHITECTURE AUDIT_ARCH_PPC64LE
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCHITECTURE AUDIT_ARCH_RISCV64
#elif defined(__s390x__)
#define ARCHITECTURE AUDIT_ARCH_S390X
#else
#error "name this processor's AUDIT_ARCH_* of linux/audit.h here"
#endif

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Closes all descriptors but the kept ones. */
static void close_others(int *keep, size_t count)
{
	int next = 0;

	qsort(keep, count, sizeof(*keep), by_number);
	for (size_t i = 0; i < count; i++) {
		if (keep[i] > next) {
			close_range(next, keep[i] - 1, 0);
		}
		next = keep[i] + 1;
	}
	close_range(next, ~0u, 0);
}

/* Changes the root to a directory that is empty and already removed. */
static int leave_file_system(void)
{
	char path[] = "/tmp/blockcache-XXXXXX";

	if (!mkdtemp(path) || chdir(path) || rmdir(path) || chroot(".")) {
		return errno;
	}
	return 0;
}

static int drop_rights(void)
{
	if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY)) {
		return errno;
	}
	return 0;
}

/* The steps that need root. */
static int leave_as_root(void)
{
	/* Without the right to do so the jail is larger; the following steps matter more. */
	unshare(CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC);
	int error = leave_file_system();

	return error ? error : drop_rights();
}

/* Adds one comparison per call: equal numbers are allowed, others reach the next comparison. */
static size_t add_calls(struct sock_filter *filter, size_t at, const int *calls, size_t count)
{
	for (size_t i = 0; i < count && at + 3 < 2 * CALLS_MAX; i++) {
		filter[at++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)calls[i], 0, 1);
		filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	return at;
}

static int allow_only(const int *calls, size_t count)
{
	struct sock_filter filter[2 * CALLS_MAX] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	};
	size_t traced;
	const int *of_tracing = waymark_jail_syscalls(&traced);
	size_t at = add_calls(filter, 4, calls, count);

	at = add_calls(filter, at, of_tracing, traced);
	filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	struct sock_fprog program = { .len = (unsigned short)at, .filter = filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program)) {
		return errno;
	}
	return 0;
}

int jail_enter(int *keep, size_t count, const int *calls, size_t call_count)
{
	int error = geteuid() == 0 ? leave_as_root() : 0;

	close_others(keep, count);
	return error ? error : allow_only(calls, call_count);
}
