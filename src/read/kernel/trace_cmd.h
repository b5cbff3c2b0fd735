/* SPDX-License-Identifier: MIT */
/*
 * Files of trace-cmd record, through `trace-cmd report`: the format has several versions, two
 * compressions and the layout of the kernel that recorded, and trace-cmd keeps up with them.
 * One thread a child.
 */
#ifndef READ_KERNEL_TRACE_CMD_H
#define READ_KERNEL_TRACE_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "read/reader.h"

/* What such a file begins with. */
#define TRACE_CMD_MAGIC "\x17\x08\x44tracing"
#define TRACE_CMD_MAGIC_BYTES (sizeof(TRACE_CMD_MAGIC) - 1)

/*
 * Begins to read the file that `fd`, which stays the caller's, is open on. Returns where its
 * text comes from; -1: it cannot be read so, for the reason in `error`.
 */
int trace_cmd_open(pid_t *child, int fd, struct read_error *error);

/*
 * Waits for the end of the child, unless it is 0; call it when the text has ended, or its
 * descriptor is closed. False, with the reason in `error`: that was not all of the file.
 */
bool trace_cmd_close(pid_t *child, struct read_error *error);

#endif
