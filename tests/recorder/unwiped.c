/* SPDX-License-Identifier: MIT */
/*
 * Simulates a kernel without MADV_WIPEONFORK: with WAYMARK_TEST_ADVICE=refused a kernel before
 * 4.14, which refuses the advice; else qemu-user 7.2, which accepts and ignores it.
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
