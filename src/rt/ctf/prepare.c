/* SPDX-License-Identifier: MIT */
/*
 * Prepares a new trace: makes its configuration from the options, checks whether it can have its
 * name, and removes an old trace of that name. Control calls only.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/ctf_files.h"
#include "rt/ctf/control.h"
#include "rt/ctf/family.h"
#include "rt/ctf/metadata.h"
#include "rt/ctf/state.h"
#include "rt/host/error.h"
#include "rt/host/path.h"
#include "rt/record/buffer.h"

/* Calls `what` for each name in the directory, until it returns false. */
static bool each_name(int dirfd, bool (*what)(int dirfd, const char *name))
{
	int copy = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
	bool ok = dir != NULL;

	for (struct dirent *e; ok && (e = readdir(dir));) {
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
			ok = what(dirfd, e->d_name);
		}
	}
	if (dir) {
		closedir(dir);
	} else if (copy >= 0) {
		close(copy);
	}
	return ok;
}

static bool check_name(int dirfd, const char *name)
{
	(void)dirfd;
	return ctf_file_is_of_trace(name);
}

static bool remove_file(int dirfd, const char *name)
{
	return unlinkat(dirfd, name, 0) == 0;
}

/*
 * Removes a file, but not the metadata, which is removed last: a directory without metadata is no
 * trace and is never replaced.
 */
static bool remove_name(int dirfd, const char *name)
{
	if (strcmp(name, CTF_METADATA) == 0) {
		return true;
	}
	if (strcmp(name, CTF_INDEX) != 0) {
		return remove_file(dirfd, name);
	}
	int index = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool ok = index >= 0 && each_name(index, remove_file);

	if (index >= 0) {
		close(index);
	}
	return ok && unlinkat(dirfd, name, AT_REMOVEDIR) == 0;
}

/* Reads the beginning of the metadata; returns false if it is not metadata. */
static bool read_metadata(int dirfd, char *text, size_t size)
{
	int fd = openat(dirfd, CTF_METADATA, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, size - 1) : -1;

	if (fd >= 0) {
		close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
	return strncmp(text, CTF_SIGNATURE, strlen(CTF_SIGNATURE)) == 0;
}

static bool is_trace(int dirfd)
{
	char text[sizeof(CTF_SIGNATURE) + 1];

	return read_metadata(dirfd, text, sizeof(text));
}

/*
 * Finds the trace's uuid, the first one in the metadata; `text` is for the beginning of the
 * metadata.
 */
static bool find_uuid(int dirfd, uint8_t uuid[16], char text[BUFFER_FILE_PATH_BYTES])
{
	static const char key[] = "uuid = \"";
	const char *at =
		read_metadata(dirfd, text, BUFFER_FILE_PATH_BYTES) ? strstr(text, key) : NULL;
	int n = 0;

	for (at = at ? at + strlen(key) : ""; *at && n < 16; n++) {
		unsigned int byte;

		at += *at == '-';
		if (sscanf(at, "%2x", &byte) != 1 || !at[1]) {
			return false;
		}
		uuid[n] = (uint8_t)byte;
		at += 2;
	}
	return n == 16;
}

/*
 * Returns the reason why a trace must stay: a living process may record into it. `removes`: removes
 * the leftover of a dead process.
 */
static const char *why_in_use(int dirfd, const char *path, bool removes)
{
	struct buffer_place place = { .directory = path, .path = malloc(BUFFER_FILE_PATH_BYTES) };
	const char *why = NULL;

	if (!place.path) {
		why = "out of memory";
	} else if (!find_uuid(dirfd, place.uuid, place.path)) {
		why = "its metadata cannot be read";
	} else if (!waymark_buffer_remove_dead(&place, removes)) {
		why = "a process records into it";
	}
	free(place.path);
	return why;
}

static int open_member(int dirfd, const char *name)
{
	return openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* True if the name in a folder is a trace, or left over from a trace that became the folder. */
static bool check_member(int dirfd, const char *name)
{
	int member = ctf_file_is_of_trace(name) ? -1 : open_member(dirfd, name);
	bool ok = ctf_file_is_of_trace(name) ||
		  (member >= 0 && is_trace(member) && each_name(member, check_name));

	if (member >= 0) {
		close(member);
	}
	return ok;
}

static bool is_no_member(int dirfd, const char *name)
{
	(void)dirfd;
	return ctf_file_is_of_trace(name);
}

/* True if the directory has only traces and our own files, and at least one trace. */
static bool is_folder(int dirfd)
{
	return each_name(dirfd, check_member) && !each_name(dirfd, is_no_member);
}

/*
 * True if no living process records into the trace. `removes`: removes the leftover of a dead
 * process.
 */
static bool is_member_free(int dirfd, const char *name, bool removes)
{
	int member = open_member(dirfd, name);
	char path[48];

	if (member < 0) {
		return false;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", member);
	bool is_free = !why_in_use(member, path, removes);

	close(member);
	return is_free;
}

static bool is_free(int dirfd, const char *name)
{
	return ctf_file_is_of_trace(name) || is_member_free(dirfd, name, false);
}

static bool remove_trace(int dirfd)
{
	return each_name(dirfd, remove_name) && remove_file(dirfd, CTF_METADATA);
}

static bool remove_member(int dirfd, const char *name)
{
	if (ctf_file_is_of_trace(name)) {
		return remove_name(dirfd, name);
	}
	int member = open_member(dirfd, name);
	bool ok = member >= 0 && is_member_free(dirfd, name, true) && remove_trace(member);

	if (member >= 0) {
		close(member);
	}
	return ok && unlinkat(dirfd, name, AT_REMOVEDIR) == 0;
}

static int refuse(const char *path, int why, struct waymark_error *error)
{
	return waymark_fail(error, "%s: not replaced: %s", path, strerror(why));
}

/* Opens the directory if it has only a trace or traces; otherwise returns -1 with the reason. */
static int open_trace(const char *path, struct waymark_error *error)
{
	int dirfd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (dirfd < 0) {
		return refuse(path, errno, error);
	}
	errno = 0;
	if (!(is_trace(dirfd) ? each_name(dirfd, check_name) : is_folder(dirfd))) {
		int why = errno;

		close(dirfd);
		if (why == EMFILE || why == ENFILE || why == EACCES) {
			return refuse(path, why, error);
		}
		return waymark_fail(error,
			"%s: not replaced: it is not a trace, or holds other files too", path);
	}
	return dirfd;
}

/*
 * Checks that `path` is a trace that may be removed: a directory with a trace and nothing else, or
 * a folder of such traces, in a directory that can be written to. Returns 0, or -1 with the reason.
 */
static int may_replace(const char *path, struct waymark_error *error)
{
	int dirfd = open_trace(path, error);

	if (dirfd < 0) {
		return -1;
	}
	bool ok = faccessat(dirfd, ".", W_OK | X_OK, AT_EACCESS) == 0 && path_is_creatable(path);
	int why = errno;

	close(dirfd);
	return ok ? 0 : refuse(path, why, error);
}

/*
 * Removes the trace in the directory `path`, and nothing else: a directory that has no trace, or
 * anything else too, stays, and is an error. Also removes the leftover of a killed process. Returns
 * 0, or -1 with the reason.
 */
static int replace_trace(const char *path, struct waymark_error *error)
{
	int dirfd = open_trace(path, error);

	if (dirfd < 0) {
		return -1;
	}
	const char *in_use = is_trace(dirfd)		 ? why_in_use(dirfd, path, true)
			     : each_name(dirfd, is_free) ? NULL
							 : "a process records into it";

	if (in_use) {
		close(dirfd);
		return waymark_fail(error, "%s: not replaced: %s", path, in_use);
	}
	bool removed = (is_trace(dirfd) ? remove_trace(dirfd) : each_name(dirfd, remove_member)) &&
		       rmdir(path) == 0;
	int why = errno;

	close(dirfd);
	return removed ? 0 : refuse(path, why, error);
}

/* The next configuration, without its path. Relaxed: set by options, one at a time. */
static struct {
	uint64_t rotate;
	uint32_t keep;
	bool replace;
} wanted;

struct ctf_config *waymark_ctf_new_config(const char *path, size_t room)
{
	struct ctf_config *config = calloc(1, sizeof(*config) + (path ? strlen(path) : room) + 1);

	if (config) {
		config->rotate = wanted.rotate;
		config->keep = wanted.keep;
		config->pid = (uint32_t)getpid();
		strcpy(config->path, path ? path : "");
	}
	return config;
}

void waymark_ctf_set_replace(bool replace)
{
	wanted.replace = replace;
}

bool waymark_ctf_replaces(void)
{
	return wanted.replace;
}

int waymark_ctf_set_pieces(uint64_t rotate, uint32_t keep, struct waymark_error *error)
{
	const struct ctf_config *config = waymark_ctf_config();

	if (waymark_ctf_current()) {
		return waymark_fail(error, "rotate= and keep= cannot change any more: "
					   "events have been recorded");
	}
	wanted.rotate = rotate;
	wanted.keep = keep;
	struct ctf_config *fresh = waymark_ctf_new_config(config ? config->path : "", 0);

	if (!fresh) {
		return waymark_fail(error, "out of memory");
	}
	fresh->taken_over = config && config->taken_over;
	fresh->held = config && config->held;
	fresh->is_folder = config && config->is_folder;
	waymark_ctf_publish(fresh);
	return 0;
}

/* True if `st` is the directory to which this process writes now. */
static bool is_current(const struct stat *st)
{
	struct ctf_state *state = waymark_ctf_begun();
	struct guard guard;
	struct stat own;

	if (!state) {
		return false;
	}
	waymark_ctf_lock(&state->trace, &guard);
	bool found = stat(state->trace.path, &own) == 0;

	waymark_ctf_unlock(&state->trace, &guard);
	return found && own.st_dev == st->st_dev && own.st_ino == st->st_ino;
}

/* True if the directory is a held trace of this process or of its parents, or their folder. */
static bool is_held(const struct stat *st)
{
	const struct ctf_config *config = waymark_ctf_config();

	return config && config->held && (waymark_ctf_is_family(st) || is_current(st));
}

/*
 * True if a trace must not get the name `NAME.<pid>` instead, because nobody would look for it next
 * to a device, "." or "..".
 */
static bool is_no_name(const char *path, const struct stat *st)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	return S_ISCHR(st->st_mode) || S_ISBLK(st->st_mode) || !name[0] || strcmp(name, ".") == 0 ||
	       strcmp(name, "..") == 0;
}

int waymark_ctf_check_file(const char *path, bool yield, bool replace, struct waymark_error *error)
{
	struct stat st;

	if (lstat(path, &st) < 0) {
		if (errno == ENOENT && path_is_creatable(path)) {
			return 0;
		}
		return waymark_fail(error, "%s: cannot make the trace: %s", path, strerror(errno));
	}
	if (is_held(&st)) {
		return 0;
	}
	if (replace && is_current(&st)) {
		return waymark_fail(error, "%s: not replaced: this process is writing to it", path);
	}
	if (replace) {
		return may_replace(path, error);
	}
	if (yield && is_no_name(path, &st)) {
		return waymark_fail(error,
			"%s: cannot be a trace: name a directory that does not exist yet", path);
	}
	return yield ? 0
		     : waymark_fail(
			       error, "%s: exists already; remove it, or set replace=on", path);
}

int waymark_ctf_prepare(const char *path, bool yield, bool *taken, struct waymark_error *error)
{
	bool replace = waymark_ctf_replaces();
	struct stat st;

	*taken = false;
	if (waymark_ctf_check_file(path, yield, replace, error) < 0) {
		return -1;
	}
	if (lstat(path, &st) == 0 && !is_held(&st)) {
		*taken = !replace;
		return replace ? replace_trace(path, error) : 0;
	}
	return 0;
}
