/* SPDX-License-Identifier: MIT */
/*
 * New folders for tests, below the directories that tools/contained makes and removes: TMPDIR for
 * files, WAYMARK_SHM for memory; without it below /tmp and /dev/shm.
 */
#ifndef TESTS_COMMON_FOLDER_H
#define TESTS_COMMON_FOLDER_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static inline bool make_folder_below(
	const char *variable, const char *otherwise, char *path, size_t room)
{
	const char *base = getenv(variable);
	int length = snprintf(path, room, "%s/waymark-test-XXXXXX", base ? base : otherwise);

	return length < (int)room && mkdtemp(path);
}

static inline bool make_folder(char *path, size_t room)
{
	return make_folder_below("TMPDIR", "/tmp", path, room);
}

static inline bool make_memory(char *path, size_t room)
{
	return make_folder_below("WAYMARK_SHM", "/dev/shm", path, room);
}

#endif
