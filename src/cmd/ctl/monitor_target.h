/* SPDX-License-Identifier: MIT */
/*
 * Which process the user means by TARGET, and the connection to its monitor. Prints
 * nothing. Any thread.
 */
#ifndef CMD_CTL_MONITOR_TARGET_H
#define CMD_CTL_MONITOR_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "cmd/ctl/monitor_client.h"

/* Room for a program's name. */
#define PROGRAM_NAME_SIZE 128

/*
 * Connects to the monitor of `target`: a number is a pid; a word with a slash is a
 * socket's path; any other is the name of a program, which only one process with a
 * monitor may have, else of a socket in the current directory, else a part of the name
 * of only one program. False with the reason and what to do in `c->error`.
 */
bool monitor_target_open(struct monitor_client *c, const char *target, int timeout_ms);

/* The name that a process was started as, without folders; "?": unknown. */
void program_name(pid_t pid, char *name, size_t size);

#endif
