/* SPDX-License-Identifier: MIT */
/* Connecting once, to see who is there. */
#ifndef SOCKET_PROBE_H
#define SOCKET_PROBE_H

#include "socket/target.h"

/*
 * Whether somebody listens, full queue or not. Returns 0; ECONNREFUSED when the
 * socket is stale; else an errno: it cannot be told.
 */
int socket_probe(const struct target *t);

/*
 * Removes what has the name of the target, under the lock of its directory, if
 * it is a stale socket of ours. Returns 0 where the name is free now, or -1 with
 * the error: what is there.
 */
int socket_remove_stale(const struct target *t, const struct fail *f);

#endif
