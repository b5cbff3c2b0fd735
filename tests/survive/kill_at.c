/* SPDX-License-Identifier: MIT */
/*
 * For LD_PRELOAD: kills the process directly after its VICTIM_KILL_AT'th change of a file. If that
 * change is a write of packets and VICTIM_TEAR is set, only VICTIM_TEAR bytes are written.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define ARGS 6

typedef long system_call(long number, ...);

/* Wherever a kill may leave something, the library calls the kernel only by this function. */
static system_call *real(void)
{
	static system_call *found;

	if (!found) {
		void *p = dlsym(RTLD_NEXT, "syscall");

		memcpy(&found, &p, sizeof(found));
	}
	return found;
}

static bool is_change(long number, const long *args)
{
	switch (number) {
	case SYS_openat:
		return args[2] & O_CREAT;
	case SYS_fallocate:
	case SYS_linkat:
	case SYS_mkdirat:
	case SYS_pwrite64:
	case SYS_pwritev:
	case SYS_renameat:
	case SYS_renameat2:
	case SYS_unlinkat:
	case SYS_write:
		return true;
#ifdef SYS_sendfile64
	case SYS_sendfile64:
		return true;
#else
	case SYS_sendfile:
		return true;
#endif
	default:
		return false;
	}
}

/* Returns true if this thread's changes count: its name is `wanted`, or `wanted` is NULL. */
static bool is_wanted_thread(const char *wanted)
{
	char name[16];

	return !wanted || (prctl(PR_GET_NAME, name) == 0 && strcmp(name, wanted) == 0);
}

static bool is_last(void)
{
	static long done;
	const char *wanted = getenv("VICTIM_KILL_AT");

	return wanted && is_wanted_thread(getenv("VICTIM_KILL_THREAD")) &&
	       __atomic_add_fetch(&done, 1, __ATOMIC_RELAXED) == atol(wanted);
}

/* Writes only the first bytes, like a kill between two pages. */
static void tear(const long *args)
{
	const struct iovec *parts = (const struct iovec *)args[1];
	size_t left = strtoul(getenv("VICTIM_TEAR"), NULL, 10);
	long at = args[3];

	for (long i = 0; i < args[2] && left > 0; i++) {
		struct iovec part = parts[i];

		part.iov_len = part.iov_len < left ? part.iov_len : left;
		if (real()(SYS_pwritev, args[0], &part, 1, at, args[4]) != (long)part.iov_len) {
			abort();
		}
		left -= part.iov_len;
		at += (long)part.iov_len;
	}
}

long syscall(long number, ...)
{
	long args[ARGS];
	va_list ap;

	va_start(ap, number);
	for (int i = 0; i < ARGS; i++) {
		args[i] = va_arg(ap, long);
	}
	va_end(ap);
	if (number == SYS_pwritev && getenv("VICTIM_TEAR")) {
		if (is_last()) {
			tear(args);
			kill(getpid(), SIGKILL);
		}
		return real()(number, args[0], args[1], args[2], args[3], args[4]);
	}
	long result = real()(number, args[0], args[1], args[2], args[3], args[4], args[5]);

	if (result >= 0 && is_change(number, args) && is_last()) {
		kill(getpid(), SIGKILL);
	}
	return result;
}
