/* SPDX-License-Identifier: MIT */
/*
 * Which file a descriptor stands for, as one word: a program may close
 * descriptors that it does not know and use the number for a file of its own, so
 * whoever keeps one asks whether it still is his before he writes to it.
 */
#ifndef RT_HOST_IDENTITY_H
#define RT_HOST_IDENTITY_H

#include <stdint.h>
#include <sys/stat.h>

/* Made of the file's device and inode; half of it is enough to tell sockets apart. */
static inline uintptr_t file_identity(const struct stat *st)
{
	uint64_t mixed = (uint64_t)st->st_dev * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)st->st_ino;

	return (uintptr_t)(mixed ^ mixed >> 32);
}

#endif
