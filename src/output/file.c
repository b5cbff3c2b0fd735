/* SPDX-License-Identifier: MIT */
/* Files replaced in one step, see output/file.h. */
#include "output/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/ctf_files.h"

void output_file_match_metadata(int fd, int directory)
{
	struct stat st;

	/* The owner first: chown clears bits of the mode. On failure the file stays the caller's.
	 */
	if (fstatat(directory, CTF_METADATA, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		fchown(fd, st.st_uid, st.st_gid) == 0) {
		fchmod(fd, st.st_mode & 0777);
	}
}

int output_file_begin(struct output_file *f, int directory, const char *name)
{
	const char *slash = strrchr(name, '/');
	int folder = slash ? (int)(slash + 1 - name) : 0;

	f->directory = directory;
	snprintf(f->name, sizeof(f->name), "%s", name);
	snprintf(f->temporary, sizeof(f->temporary), "%.*s.%s" CTF_FILE_NEW, folder, name,
		name + folder);
	/* A killed process may have left one. */
	if (unlinkat(directory, f->temporary, 0) != 0 && errno != ENOENT) {
		return errno;
	}
	int fd = openat(directory, f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (fd < 0) {
		return errno;
	}
	output_file_match_metadata(fd, directory);
	out_init(&f->out, fd);
	return 0;
}

int output_file_commit(struct output_file *f)
{
	int fd = f->out.fd;
	int error = out_flush(&f->out);

	if (!error && fsync(fd) != 0) {
		error = errno;
	}
	if (close(fd) != 0 && !error) {
		error = errno;
	}
	if (!error && renameat(f->directory, f->temporary, f->directory, f->name) != 0) {
		error = errno;
	}
	if (error) {
		unlinkat(f->directory, f->temporary, 0);
	}
	out_fini(&f->out);
	return error;
}
