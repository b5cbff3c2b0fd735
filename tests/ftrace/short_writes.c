/* SPDX-License-Identifier: MIT */
/*
 * For LD_PRELOAD: a write accepts at most 1024 bytes, as trace_marker did before Linux 6.8.
 * HIDE_SUBBUF in the environment also hides the file that contains the kernel's limit.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PIECE 1024

__attribute__((visibility("default"))) long syscall(long number, ...)
{
	long (*next)(long number, ...);
	long a[6];
	va_list ap;

	*(void **)&next = dlsym(RTLD_NEXT, "syscall");
	va_start(ap, number);
	for (int i = 0; i < 6; i++) {
		a[i] = va_arg(ap, long);
	}
	va_end(ap);
	if (number == SYS_write && a[2] > PIECE) {
		a[2] = PIECE;
	}
	return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

__attribute__((visibility("default"))) int fstatat(
	int directory, const char *path, struct stat *st, int flags)
{
	int (*next)(int directory, const char *path, struct stat *st, int flags);

	*(void **)&next = dlsym(RTLD_NEXT, "fstatat64");
	if (getenv("HIDE_SUBBUF") && strstr(path, "/buffer_subbuf_size_kb")) {
		errno = ENOENT;
		return -1;
	}
	return next(directory, path, st, flags);
}
