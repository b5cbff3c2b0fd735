/* SPDX-License-Identifier: MIT */
/*
 * System calls on files and directories that the C library has only as functions that allocate,
 * lock, are cancellation points, or depend on the size of its off_t. Header-only, async-signal-
 * safe, any thread; each sets errno as its system call does.
 */
#ifndef RT_HOST_FILE_H
#define RT_HOST_FILE_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "rt/host/open.h"

/* ---- Identity ---- */

/*
 * Identifies the file of a descriptor. A program may close descriptors that it did not open
 * (closefrom() of a daemon) and reuse the number for its own file. So code that keeps a descriptor
 * open checks its identity before each write: a closed one is opened anew, and a foreign file is
 * neither written to nor closed. The identity is made of the file's device and inode, in a word
 * that is loaded and stored in one piece.
 */
static inline uintptr_t identity_of(const struct stat *st)
{
	uint64_t mixed = (uint64_t)st->st_dev * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)st->st_ino;

	return (uintptr_t)(mixed ^ mixed >> 32);
}

/* Returns true if `fd` refers to the file of `*identity`. Fills `st` if `fd` is open. */
static inline bool identity_is(const uintptr_t *identity, int fd, struct stat *st)
{
	return waymark_stat(fd, st) == 0 &&
	       identity_of(st) == __atomic_load_n(identity, __ATOMIC_ACQUIRE);
}

/* ---- Directories ---- */

/* Offsets in the kernel's struct linux_dirent64. */
#define DIRECTORY_LENGTH_AT 16u
#define DIRECTORY_NAME_AT 19u

/*
 * Calls `visit` for each name in the directory except `.` and `..`, from the first one on, until
 * `visit` returns false. Returns false, with errno, if not all names were visited. Used instead of
 * readdir(3), which allocates.
 */
static inline bool directory_each(
	int directory, bool (*visit)(void *data, const char *name), void *data)
{
	char entries[512] __attribute__((aligned(8))); /* at least one entry; stacks are small */
	long length;

	lseek(directory, 0, SEEK_SET);
	while ((length = syscall(SYS_getdents64, directory, entries, sizeof(entries))) > 0) {
		uint16_t step;

		for (long at = 0; at < length; at += step) {
			const char *name = entries + at + DIRECTORY_NAME_AT;

			memcpy(&step, entries + at + DIRECTORY_LENGTH_AT, sizeof(step));
			if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
				!visit(data, name)) {
				return false;
			}
		}
	}
	return length == 0;
}

/* Renames as renameat(2), which some architectures lack. */
static inline int waymark_rename(
	int from_directory, const char *from, int to_directory, const char *to)
{
#ifdef SYS_renameat
	return (int)syscall(SYS_renameat, from_directory, from, to_directory, to);
#else
	return (int)syscall(SYS_renameat2, from_directory, from, to_directory, to, 0);
#endif
}

/* ---- Offsets of 64 bits ---- */

/*
 * On hosts with 32-bit registers a 64-bit number takes two registers, the low half first; on arm
 * the first one must be even. A wrong guess would write to the wrong place of a file, so only
 * conventions that were tested (docs/platforms.md) compile.
 */
#if __SIZEOF_LONG__ == 8
#define WIDE(x) (int64_t)(x)
#elif defined(__i386__) || (defined(__ARM_EABI__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#define WIDE(x) (long)(x), (long)((uint64_t)(x) >> 32)
#else
#error "waymark: no convention of system calls for this processor: see src/rt/host/file.h"
#endif

/* Allocates the file's first `bytes` on the disk, as fallocate(2) does. */
static inline long waymark_fallocate(int fd, uint64_t bytes)
{
	return syscall(SYS_fallocate, fd, 0, WIDE(0), WIDE(bytes));
}

/* Frees `bytes` of the file at `at`, which then read as zeros, as fallocate(2) does. */
static inline long waymark_punch(int fd, uint64_t at, uint64_t bytes)
{
	return syscall(SYS_fallocate, fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, WIDE(at),
		WIDE(bytes));
}

/* Reads as pread(2) does, by preadv, which takes the position as two words on every host. */
static inline long waymark_pread(int fd, void *bytes, size_t size, uint64_t at)
{
	struct iovec v = { bytes, size };

	return syscall(SYS_preadv, fd, &v, 1, (unsigned long)at, (unsigned long)(at >> 32));
}

/* As pwrite(2). */
static inline long waymark_pwrite(int fd, const void *bytes, size_t size, uint64_t at)
{
#if defined(__arm__)
	return syscall(SYS_pwrite64, fd, bytes, size, 0, WIDE(at));
#else
	return syscall(SYS_pwrite64, fd, bytes, size, WIDE(at));
#endif
}

/* As sendfile(2). */
static inline long waymark_sendfile(int to, int from, int64_t *at, size_t bytes)
{
#ifdef SYS_sendfile64
	return syscall(SYS_sendfile64, to, from, at, bytes);
#else
	return syscall(SYS_sendfile, to, from, at, bytes);
#endif
}

/* As fstatfs(2). */
static inline long waymark_statfs(int fd, struct statfs *fs)
{
#ifdef SYS_fstatfs64
	return syscall(SYS_fstatfs64, fd, sizeof(*fs), fs);
#else
	return syscall(SYS_fstatfs, fd, fs);
#endif
}

#endif
