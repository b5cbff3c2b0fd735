/* SPDX-License-Identifier: MIT */
/* Files replaced as one step, see output/file.h. */
#include "output/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/ctf.h"

void replace_like_metadata(int fd, int directory)
{
	struct stat st;
	bool known = fstatat(directory, CTF_METADATA, &st, AT_SYMLINK_NOFOLLOW) == 0;

	/* The owner first: chown takes bits of the mode away. Failures leave the caller's. */
	if (known && fchown(fd, st.st_uid, st.st_gid) == 0) {
		known = fchmod(fd, st.st_mode & 0777) == 0;
	}
}

int replace_begin(struct replace *r, int directory, const char *name)
{
	const char *base = strrchr(name, '/');
	int folder = base ? (int)(base + 1 - name) : 0;

	r->directory = directory;
	snprintf(r->name, sizeof(r->name), "%s", name);
	snprintf(r->temporary, sizeof(r->temporary), "%.*s.%s" REPLACE_SUFFIX, folder, name,
		name + folder);
	/* What a killed run left; whoever replaces holds the trace's lock. */
	if (unlinkat(directory, r->temporary, 0) != 0 && errno != ENOENT) {
		return errno;
	}
	int fd = openat(directory, r->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (fd < 0) {
		return errno;
	}
	replace_like_metadata(fd, directory);
	out_init(&r->out, fd);
	return 0;
}

int replace_end(struct replace *r)
{
	int fd = r->out.fd;
	int error = out_flush(&r->out);

	if (!error && fsync(fd) != 0) {
		error = errno;
	}
	if (close(fd) != 0 && !error) {
		error = errno;
	}
	if (!error && renameat(r->directory, r->temporary, r->directory, r->name) != 0) {
		error = errno;
	}
	if (error) {
		unlinkat(r->directory, r->temporary, 0);
	}
	out_fini(&r->out);
	return error;
}
