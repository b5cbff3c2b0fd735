/* SPDX-License-Identifier: MIT */
/*
 * Finds the process that the user means by TARGET, and connects to its monitor. Prints nothing. For
 * any thread.
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
 * Connects to the monitor of `target`. A number is a pid; a word with a slash is a socket's path.
 * Any other word is the name of a program with a monitor, else of a socket in the current
 * directory, else a part of a program's name. The name or part must fit one process only. Returns
 * false with the reason and advice in `c->error`.
 */
bool monitor_target_open(struct monitor_client *c, const char *target, int timeout_ms);

/* Writes the name that a process was started with, without folders; "?" if unknown. */
void program_name(pid_t pid, char *name, size_t size);

#endif
