/* SPDX-License-Identifier: MIT */
/*
 * System calls with numbers of 64 bits, direct ones. Where registers have 32, such a number takes
 * two, in the order of its bytes in memory; on arm the first of them is an even one.
 */
#ifndef RT_HOST_WIDE_CALL_H
#define RT_HOST_WIDE_CALL_H

#include <stdint.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#if __SIZEOF_LONG__ == 8 || defined(__x86_64__)
#define WIDE(x) (int64_t)(x)
#elif __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define WIDE(x) (long)((uint64_t)(x) >> 32), (long)(x)
#else
#define WIDE(x) (long)(x), (long)((uint64_t)(x) >> 32)
#endif

/* Gives the file's first bytes room on the disk. Returns 0 or -1 with errno. Any context. */
static inline long waymark_fallocate(int fd, uint64_t bytes)
{
	return syscall(SYS_fallocate, fd, 0, WIDE(0), WIDE(bytes));
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
