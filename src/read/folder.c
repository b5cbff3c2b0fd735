/* SPDX-License-Identifier: MIT */
/* Lists the native traces in a folder. merge.c, recovery and the commands call this. */
#include "read/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "format/ctf.h"

/*
 * True if an entry of the directory is a native trace. Links are not followed: they may lead out of
 * it. Sets `is_short` if that cannot be seen for want of descriptors.
 */
static bool has_trace(int directory, const char *name, bool *is_short)
{
	struct stat st;
	int fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool found = fd >= 0 && fstatat(fd, CTF_METADATA, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		     S_ISREG(st.st_mode);

	*is_short |= fd < 0 && error_is_shortage(errno);
	if (fd >= 0) {
		close(fd);
	}
	return found;
}

static int compare(const void *a, const void *b)
{
	return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

size_t folder_list(struct folder_traces *traces, struct arena *arena, const char *path)
{
	size_t before = traces->paths.count;
	DIR *folder = opendir(path);
	struct stat st;

	if (!folder) {
		traces->is_short |= error_is_shortage(errno);
		return 0;
	}
	bool is_trace = fstatat(dirfd(folder), CTF_METADATA, &st, AT_SYMLINK_NOFOLLOW) == 0;

	for (const struct dirent *e; !is_trace && (e = readdir(folder));) {
		if (e->d_name[0] != '.' && has_trace(dirfd(folder), e->d_name, &traces->is_short)) {
			vec_push(&traces->paths, arena_printf(arena, "%s/%s", path, e->d_name));
		}
	}
	closedir(folder);
	size_t count = traces->paths.count - before;

	if (count > 1) {
		qsort(&traces->paths.items[before], count, sizeof(*traces->paths.items), compare);
	}
	return count;
}
