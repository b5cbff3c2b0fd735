/* SPDX-License-Identifier: MIT */
/*
 * A new trace: its configuration, which options give it, and whether it can have its name.
 * Control calls only.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rt/ctf/control.h"
#include "rt/ctf/hold.h"
#include "rt/ctf/metadata.h"
#include "rt/ctf/prepare.h"
#include "rt/ctf/replace.h"
#include "rt/ctf/state.h"
#include "rt/host/error.h"
#include "rt/host/path.h"

/* What the next configuration has besides a path. Relaxed: set by options, one at a time. */
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

/* Whether `st` is the directory that this process writes to by now. */
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

/* Whether the directory is a held trace of this process or of its parents, or their folder. */
static bool is_held(const struct stat *st)
{
	const struct ctf_config *config = waymark_ctf_config();

	return config && config->held && (waymark_ctf_is_family(st) || is_current(st));
}

/* What is there leaves no name beside it, `NAME.<pid>`, where somebody would look for a trace. */
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
		return waymark_ctf_may_replace(path, error);
	}
	if (yield && is_no_name(path, &st)) {
		return waymark_fail(error,
			"%s: cannot be a trace: name a directory that is not there yet", path);
	}
	return yield ? 0
		     : waymark_fail(error,
			       "%s: there is something of that name already; remove it, or say "
			       "replace=on",
			       path);
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
		return replace ? waymark_ctf_replace(path, error) : 0;
	}
	return 0;
}
