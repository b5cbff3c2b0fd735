/* SPDX-License-Identifier: MIT */
/* What dead processes have left: arenas' files that nobody has mapped. Any thread, any signal
 * handler. */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt/host/open.h"
#include "rt/record/arena.h"

static bool remove_dead(const char *path, bool removes)
{
	int fd = waymark_open(path, O_RDONLY | O_NOFOLLOW, 0);

	if (fd < 0) {
		return errno == ENOENT || errno == ENOTDIR;
	}
	/* A process that records shares the lock; only one at work on what is left does not. */
	bool dead = flock(fd, LOCK_EX | LOCK_NB) == 0 || flock(fd, LOCK_SH | LOCK_NB) != 0;

	if (dead && removes) {
		syscall(SYS_unlinkat, AT_FDCWD, path, 0);
	}
	syscall(SYS_close, fd);
	return dead;
}

bool waymark_arena_remove_dead(const struct arena_place *place, bool removes)
{
	return (!waymark_arena_shared_path(place) || remove_dead(place->path, removes)) &&
	       (!waymark_arena_trace_path(place) || remove_dead(place->path, removes));
}
