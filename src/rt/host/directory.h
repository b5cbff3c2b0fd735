/* SPDX-License-Identifier: MIT */
/* Reads a directory by plain system calls: readdir(3) allocates. Any thread, any signal handler. */
#ifndef RT_HOST_DIRECTORY_H
#define RT_HOST_DIRECTORY_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Where the kernel's struct linux_dirent64 has its length and its name. */
#define DIRECTORY_LENGTH_AT 16u
#define DIRECTORY_NAME_AT 19u

/*
 * Calls `visit` for each name in the directory but for `.` and `..`, from the first one on, until
 * it returns false. False, with errno, where not all were visited.
 */
static inline bool directory_each(
	int directory, bool (*visit)(void *data, const char *name), void *data)
{
	char entries[512] __attribute__((aligned(8))); /* one at least: stacks are small */
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

#endif
