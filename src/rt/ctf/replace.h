/* SPDX-License-Identifier: MIT */
/* Removing an old trace whose place a new one is to take. */
#ifndef RT_CTF_REPLACE_H
#define RT_CTF_REPLACE_H

#include <waymark/control.h>

/*
 * Whether there is a trace at `path` that may be removed: a directory with a
 * trace and nothing beside it, or a folder of such traces, in a directory that can be written
 * to. Returns 0, or -1 with the reason.
 */
int waymark_ctf_may_replace(const char *path, struct waymark_error *error);

/*
 * Removes the trace in the directory `path`, and nothing else: a directory that
 * holds no trace, or anything beside it, stays, and is an error. What a killed
 * process left of it in memory goes, too. Returns 0, or -1 with the reason.
 */
int waymark_ctf_replace(const char *path, struct waymark_error *error);

#endif
