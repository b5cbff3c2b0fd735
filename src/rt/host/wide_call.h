/* SPDX-License-Identifier: MIT */
/*
 * System calls with numbers of 64 bits, direct ones. Where registers have 32, such a number takes
 * two: the low half first; on arm the first of them is an even one. A wrong guess would write
 * elsewhere in a file than is meant, so processors nobody has tried are refused.
 */
#ifndef RT_HOST_WIDE_CALL_H
#define RT_HOST_WIDE_CALL_H

/* What was tried, see docs/platforms.md; each other convention needs a try of its own. */
#if __SIZEOF_LONG__ == 8
#define WIDE(x) (int64_t)(x)
#elif defined(__i386__) || (defined(__ARM_EABI__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#define WIDE(x) (long)(x), (long)((uint64_t)(x) >> 32)
#else
#error "waymark: no convention of system calls for this processor: see src/rt/host/wide_call.h"
#endif

#include <fcntl.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Gives the file's first bytes room on the disk. Returns 0 or -1 with errno. Any context. */
static inline long waymark_fallocate(int fd, uint64_t bytes)
{
	return syscall(SYS_fallocate, fd, 0, WIDE(0), WIDE(bytes));
}

/* Gives back what `bytes` of the file take; they read as zeros. As fallocate(2). Any context. */
static inline long waymark_punch(int fd, uint64_t at, uint64_t bytes)
{
	return syscall(SYS_fallocate, fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, WIDE(at),
		WIDE(bytes));
}

/* As pread(2), with the two words of a position that every host has. Any context. */
static inline long waymark_pread(int fd, void *bytes, size_t size, uint64_t at)
{
	struct iovec v = { bytes, size };

	return syscall(SYS_preadv, fd, &v, 1, (unsigned long)at, (unsigned long)(at >> 32));
}

/* As pwrite(2). Any context. */
static inline long waymark_pwrite(int fd, const void *bytes, size_t size, uint64_t at)
{
#if defined(__arm__)
	return syscall(SYS_pwrite64, fd, bytes, size, 0, WIDE(at));
#else
	return syscall(SYS_pwrite64, fd, bytes, size, WIDE(at));
#endif
}

/* As sendfile(2). Any context. */
static inline long waymark_sendfile(int to, int from, int64_t *at, size_t bytes)
{
#ifdef SYS_sendfile64
	return syscall(SYS_sendfile64, to, from, at, bytes);
#else
	return syscall(SYS_sendfile, to, from, at, bytes);
#endif
}

/* As fstatfs(2). Any context. */
static inline long waymark_statfs(int fd, struct statfs *fs)
{
#ifdef SYS_fstatfs64
	return syscall(SYS_fstatfs64, fd, sizeof(*fs), fs);
#else
	return syscall(SYS_fstatfs, fd, fs);
#endif
}

#endif
