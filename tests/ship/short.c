/* SPDX-License-Identifier: MIT */
/*
 * For LD_PRELOAD: while the file $SHORT exists, the process has no descriptor for a file whose name
 * begins with $SHORT_NAME.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* With 64-bit offsets, the symbol is openat64, as in what is tested. */
__attribute__((visibility("default"))) int openat(int directory, const char *path, int flags, ...)
{
	const char *flag = getenv("SHORT");
	const char *name = getenv("SHORT_NAME");
	va_list ap;

	va_start(ap, flags);
	mode_t mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	if (flag && name && strncmp(path, name, strlen(name)) == 0 && access(flag, F_OK) == 0) {
		errno = EMFILE;
		return -1;
	}
	return (int)syscall(SYS_openat, directory, path, flags, mode);
}
