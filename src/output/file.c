/* SPDX-License-Identifier: MIT */
/* Replaces files in one step, see output/file.h. */
#include "output/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "format/ctf_files.h"

void output_file_match_metadata(int fd, int directory)
{
	struct stat st;

	/*
	 * Sets the owner first, as chown clears bits of the mode. On failure the file stays the
	 * caller's.
	 */
	if (fstatat(directory, CTF_METADATA, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		fchown(fd, st.st_uid, st.st_gid) == 0) {
		fchmod(fd, st.st_mode & 0777);
	}
}

static bool has_content(int directory, const char *name, const struct out *content)
{
	int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0) {
		return false;
	}
	char *now = xcalloc(1, content->len + 1);
	bool same = read(fd, now, content->len + 1) == (ssize_t)content->len &&
		    memcmp(now, content->data, content->len) == 0;

	free(now);
	close(fd);
	return same;
}

int output_file_write(int directory, const char *name, struct out *content, bool *changed)
{
	const char *slash = strrchr(name, '/');
	int folder = slash ? (int)(slash + 1 - name) : 0;
	char temporary[320];

	if (has_content(directory, name, content)) {
		return 0;
	}
	snprintf(temporary, sizeof(temporary), "%.*s.%s" CTF_FILE_NEW, folder, name, name + folder);
	/* A killed process may have left a file. */
	if (unlinkat(directory, temporary, 0) != 0 && errno != ENOENT) {
		return errno;
	}
	int fd = openat(directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (fd < 0) {
		return errno;
	}
	output_file_match_metadata(fd, directory);
	content->fd = fd;
	int error = out_flush(content);

	if (!error && fsync(fd) != 0) {
		error = errno;
	}
	if (close(fd) != 0 && !error) {
		error = errno;
	}
	if (!error && renameat(directory, temporary, directory, name) != 0) {
		error = errno;
	}
	if (error) {
		unlinkat(directory, temporary, 0);
		return error;
	}
	*changed = true;
	return 0;
}
