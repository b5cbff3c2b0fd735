/* SPDX-License-Identifier: MIT */
/* Outputs under another name until they are whole, see output/output.h. */
#include "output/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiler.h"
#include "output/rename_to_new.h"

static bool PRINTF(2, 3) fail(struct staged *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s->error, sizeof(s->error), fmt, ap);
	va_end(ap);
	return false;
}

static bool may_go(struct staged *s)
{
	return replaceable_check(&s->old, s->path) || fail(s, "%s", s->old.error);
}

static bool in_the_way(struct staged *s)
{
	struct stat st;

	if (lstat(s->path, &st) != 0) {
		return false;
	}
	if (s->replaces) {
		return !may_go(s);
	}
	fail(s, "is there already; --replace takes it away");
	return true;
}

bool staged_begin(struct staged *s, const char *path, bool is_folder, bool replaces)
{
	mode_t mask = umask(0);

	umask(mask);
	*s = (struct staged){
		.path = path, .fd = -1, .is_folder = is_folder, .replaces = replaces
	};
	if (in_the_way(s)) {
		return false;
	}
	char *name = replaceable_name(path, "new");

	if (is_folder && mkdtemp(name) && chmod(name, 0777 & ~mask) == 0) {
		s->fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	} else if (!is_folder) {
		s->fd = mkostemp(name, O_CLOEXEC);
		if (s->fd >= 0) {
			fchmod(s->fd, 0666 & ~mask);
		}
	}
	if (s->fd < 0) {
		fail(s, "cannot be made: %s", strerror(errno));
		free(name);
		return false;
	}
	s->temporary = name;
	return true;
}

/* Moves the old one out of the way, the new one in, and then removes the old one. */
static bool exchange(struct staged *s)
{
	char *old = replaceable_name(s->path, "old");
	bool was_there = mkdtemp(old) && rmdir(old) == 0 && rename(s->path, old) == 0;

	if (rename(s->temporary, s->path) != 0) {
		fail(s, "cannot be replaced: %s", strerror(errno));
		if (was_there) {
			rename(old, s->path);
		}
		free(old);
		return false;
	}
	if (was_there && unlink(old) != 0) {
		replaceable_remove(&s->old, old);
	}
	free(old);
	return true;
}

static bool rename_new(struct staged *s)
{
	if (rename_to_new(s->temporary, s->path) == 0) {
		return true;
	}
	if (errno == EINVAL || errno == ENOSYS) { /* the file system has no such rename */
		return !in_the_way(s) && (rename(s->temporary, s->path) == 0 ||
						 fail(s, "cannot be made: %s", strerror(errno)));
	}
	return errno == EEXIST ? fail(s, "is there already; --replace takes it away")
			       : fail(s, "cannot be made: %s", strerror(errno));
}

bool staged_commit(struct staged *s)
{
	bool ok = s->replaces ? may_go(s) && exchange(s) : rename_new(s);

	if (ok) {
		free(s->temporary);
		s->temporary = NULL;
	}
	return ok;
}

void staged_fini(struct staged *s)
{
	replaceable_fini(&s->old);
	if (s->fd >= 0) {
		close(s->fd);
		s->fd = -1;
	}
	if (s->temporary) {
		if (s->is_folder) {
			replaceable_remove(&s->old, s->temporary);
		} else {
			unlink(s->temporary);
		}
		free(s->temporary);
		s->temporary = NULL;
	}
}
