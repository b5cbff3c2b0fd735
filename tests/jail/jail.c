/* SPDX-License-Identifier: MIT */
/* Enters the jail: a seccomp filter, and the steps before it. Called by device.c. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <waymark/init.h>

#include "device.h"

#define FILTER_MAX 200

void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	_exit(99);
}

struct filter {
	struct sock_filter code[FILTER_MAX];
	unsigned short count;
};

static void put(struct filter *f, struct sock_filter code)
{
	if (f->count == FILTER_MAX) {
		die("the filter is too long");
	}
	f->code[f->count++] = code;
}

static void allow(struct filter *f, int number)
{
	put(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1));
	put(f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
/*
 * System calls of a sanitizer when threads begin and end. TSan also has a thread in each process,
 * including a jailed process's child, which sleeps and reads the clock.
 */
static const int sanitizer[] = { SYS_sched_getaffinity, SYS_sigaltstack, SYS_mmap, SYS_munmap,
	SYS_mprotect, SYS_madvise, SYS_sched_yield, SYS_prctl, SYS_clone3, SYS_set_robust_list,
	SYS_rseq, SYS_nanosleep, SYS_gettimeofday };
#define SANITIZER_CALLS (sizeof(sanitizer) / sizeof(sanitizer[0]))

/* The leak check at the end needs a separate process, which the jail forbids. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}
#else
static const int sanitizer[1];
#define SANITIZER_CALLS 0
#endif

static void allow_all(struct filter *f, const int *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		allow(f, numbers[i]);
	}
}

static void install(struct filter *f)
{
	struct sock_fprog program = { .len = f->count, .filter = f->code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC,
			&program)) {
		die("seccomp: %s", strerror(errno));
	}
}

void jail_close(const int *more, size_t count)
{
	static const int own[] = { SYS_exit, SYS_exit_group, SYS_rt_sigreturn };
	static struct filter f;
	size_t calls;
	const int *numbers = waymark_jail_syscalls(&calls);

	put(&f, (struct sock_filter)BPF_STMT(
			BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
	allow_all(&f, numbers, calls);
	allow_all(&f, own, sizeof(own) / sizeof(own[0]));
	allow_all(&f, more, count);
	allow_all(&f, sanitizer, SANITIZER_CALLS);
	put(&f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
	install(&f);
}

/*
 * Installs a filter that never kills: calls that open or create files fail with EPERM, or all
 * calls are allowed.
 */
static void refuse_files(bool refuses)
{
	static const int files[] = { SYS_open, SYS_openat, SYS_mkdir, SYS_mkdirat };
	static struct filter f;

	put(&f, (struct sock_filter)BPF_STMT(
			BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
	for (size_t i = 0; refuses && i < sizeof(files) / sizeof(files[0]); i++) {
		put(&f, (struct sock_filter)BPF_JUMP(
				BPF_JMP | BPF_JEQ | BPF_K, (unsigned)files[i], 0, 1));
		put(&f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
	}
	put(&f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
	install(&f);
}

static bool is_kept(const int *kept, size_t count, int fd)
{
	for (size_t i = 0; i < count; i++) {
		if (kept[i] == fd) {
			return true;
		}
	}
	return false;
}

/* Closes all descriptors but the listed ones, like a program's fork helper. */
static void close_others(bool keeps_ours)
{
	int kept[100] = { 0, 1, 2 };
	size_t count = 3;

	if (keeps_ours && waymark_push_descriptors(kept, &count, 100)) {
		die("too many descriptors: %zu", count);
	}
	for (int fd = 3; fd < 1024; fd++) {
		if (!is_kept(kept, count, fd)) {
			close(fd);
		}
	}
}

static void check(int result, const char *what)
{
	if (result < 0) {
		die("%s: %s", what, strerror(errno));
	}
}

void jail_enter(const char *word)
{
	if (strncmp(word, "chroot=", 7) == 0) {
		check(chroot(word + 7), word);
		check(chdir("/"), word);
	} else if (strncmp(word, "setuid=", 7) == 0) {
		check(setresgid(65534, 65534, 65534), word);
		check(setuid((uid_t)atoi(word + 7)), word);
	} else if (strcmp(word, "unshare") == 0) {
		check(unshare(CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS), word);
	} else if (strcmp(word, "userns") == 0) {
		check(unshare(CLONE_NEWUSER), word);
	} else if (strcmp(word, "close") == 0) {
		close_others(true);
	} else if (strcmp(word, "close-all") == 0) {
		close_others(false);
	} else if (strcmp(word, "eperm") == 0 || strcmp(word, "allow") == 0) {
		refuse_files(*word == 'e');
	} else {
		die("%s: no such step", word);
	}
}
