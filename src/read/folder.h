/* SPDX-License-Identifier: MIT */
/*
 * A folder of traces, one of each process that was forked before their trace had its final name
 * (waymark-ctf(5)). All commands read it as one trace. One thread.
 */
#ifndef READ_FOLDER_H
#define READ_FOLDER_H

#include <stddef.h>

#include "base/arena.h"
#include "base/vec.h"

struct folder_traces {
	VEC(const char *) paths; /* sorted */
};

/*
 * Adds the paths of the native traces in the folder `path`, in memory of the arena. Returns their
 * number: 0 also for a trace, and if `path` is no folder.
 */
size_t folder_list(struct folder_traces *traces, struct arena *arena, const char *path);

#endif
