/* SPDX-License-Identifier: MIT */
/*
 * A folder of traces, one for each process that was forked before the trace had its final name
 * (waymark-ctf(5)). All commands read it as one trace. One thread.
 */
#ifndef READ_FOLDER_H
#define READ_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/vec.h"

struct folder_traces {
	VEC(const char *) paths; /* sorted */
	bool is_short; /* there was no free descriptor: some may be missing */
};

/*
 * Adds the paths of the native traces in the folder `path`, allocated in the arena. Returns their
 * number: 0 also if `path` is a trace itself or no folder.
 */
size_t folder_list(struct folder_traces *traces, struct arena *arena, const char *path);

#endif
