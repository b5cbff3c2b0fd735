/* SPDX-License-Identifier: MIT */
/*
 * A folder of traces, one of each process that was forked before their trace had its final name
 * (waymark-ctf(5)). All readers take it for one trace. One thread.
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
 * Adds the native traces in the folder `path`, in memory of the arena. Returns how many there
 * are: 0 for a trace, for a folder without any and for what is no folder.
 */
size_t folder_list(struct folder_traces *traces, struct arena *arena, const char *path);

#endif
