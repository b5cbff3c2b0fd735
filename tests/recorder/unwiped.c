/* SPDX-License-Identifier: MIT */
/*
 * A kernel that wipes nothing in a fork's child. With WAYMARK_TEST_ADVICE=refused one before
 * 4.14, which does not know that advice; else qemu-user 7.2, which takes any and follows none.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int __real_madvise(void *at, size_t bytes, int advice);
int __wrap_madvise(void *at, size_t bytes, int advice);

int __wrap_madvise(void *at, size_t bytes, int advice)
{
	const char *kernel = getenv("WAYMARK_TEST_ADVICE");

	if (!kernel || strcmp(kernel, "refused") != 0) {
		return 0;
	}
	if (advice == MADV_WIPEONFORK) {
		errno = EINVAL;
		return -1;
	}
	return __real_madvise(at, bytes, advice);
}
