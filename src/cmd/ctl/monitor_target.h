/* SPDX-License-Identifier: MIT */
/*
 * Which process the user means, and the socket of its monitor: by its number, its
 * name or the socket's path. Prints nothing. Any thread.
 */
#ifndef CMD_CTL_MONITOR_TARGET_H
#define CMD_CTL_MONITOR_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "socket/socket.h"

/* Room for a program's name. */
#define PROGRAM_NAME_SIZE 128

/*
 * Fills `path` (SOCKET_PATH_SIZE) with the socket of `target`: a number is a pid; what
 * has a slash is a path; anything else is a program's name, which only one process with a
 * monitor may have, else the name of a socket in this directory, else a part of the name of only
 * one. False with the reason and what to do, in SOCKET_ERROR_SIZE bytes.
 */
bool monitor_target_find(const char *target, char *path, char *error);

/* The name that a process was started as, without folders; "?" where nobody knows. */
void program_name(pid_t pid, char *name, size_t size);

#endif
