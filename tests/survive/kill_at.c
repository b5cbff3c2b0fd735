/* SPDX-License-Identifier: MIT */
/* For LD_PRELOAD: the process is killed right behind the n'th change it makes to files. */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ARGS 6

typedef long system_call(long number, ...);

/* The library calls the kernel by this function alone where a kill may leave something. */
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

/* Only changes of threads of that name count; NULL: all do. */
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

long syscall(long number, ...)
{
	long args[ARGS];
	va_list ap;

	va_start(ap, number);
	for (int i = 0; i < ARGS; i++) {
		args[i] = va_arg(ap, long);
	}
	va_end(ap);
	long result = real()(number, args[0], args[1], args[2], args[3], args[4], args[5]);

	if (result >= 0 && is_change(number, args) && is_last()) {
		kill(getpid(), SIGKILL);
	}
	return result;
}
