/* SPDX-License-Identifier: MIT */
/* What a process left is thrown away, see recover/recover.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recover/recovery.h"

static bool discard_buffer(struct recovery *r)
{
	if (!r->buffer || !recovery_lock_buffer(r) || !r->buffer) {
		return !r->result->error[0];
	}
	r->result->changed = true;
	return unlink(buffer_source_path(r->buffer)) == 0 ||
	       recovery_fail(r->result, "cannot be removed: %s", strerror(errno));
}

/* A file of a buffer's name that is none: of what nobody has locked, nothing can be read. */
static bool discard_damaged(struct recovery *r)
{
	const char *slash = strrchr(r->path, '/');
	int fd = open(r->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	bool is_buffer = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
			 st.st_uid == geteuid() &&
			 buffer_source_is_name(slash ? slash + 1 : r->path);
	bool is_locked = is_buffer && flock(fd, LOCK_EX | LOCK_NB) == 0;

	r->result->changed = is_locked && unlink(r->path) == 0;
	if (is_buffer && !r->result->changed) {
		recovery_fail(r->result, "is damaged, and cannot be removed: %s",
			is_locked ? strerror(errno) : "a process has it open");
	}
	if (fd >= 0) {
		close(fd);
	}
	return is_buffer;
}

/* The buffer of a trace, whatever is wrong with either; the file itself is one, too. */
static bool find_discarded(struct recovery *r)
{
	struct stat st;
	int error;

	if (stat(r->path, &st) == 0 && S_ISDIR(st.st_mode)) {
		r->directory = open(r->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (r->directory < 0 || !recovery_read_metadata(r)) {
			return r->directory < 0 ? recovery_fail(r->result, "cannot be opened")
						: false;
		}
		r->buffer = buffer_source_open(r->path, r->layouts.uuid, &error);
		if (!r->buffer && error != ENOENT) {
			char text[400];

			buffer_source_explain(text, sizeof(text), r->layouts.uuid, error);
			return recovery_fail(r->result, "%s: remove that file", text);
		}
		return true;
	}
	r->buffer = buffer_source_open_path(r->path, &error);
	if (!r->buffer && error == EBADMSG && discard_damaged(r)) {
		return !r->result->error[0];
	}
	return r->buffer ||
	       recovery_fail(r->result, "is neither a trace nor what a process left%s%s",
		       error == EBADMSG ? "" : ": ", error == EBADMSG ? "" : strerror(error));
}

bool recover_discard(const char *path, struct recover_result *result)
{
	struct recovery r = { .path = path, .directory = -1, .result = result };

	*result = (struct recover_result){ 0 };
	bool ok = find_discarded(&r) && discard_buffer(&r);

	recovery_end(&r);
	return ok;
}
