/* SPDX-License-Identifier: MIT */
/*
 * trace/simple.h - control of the trace file under QEMU's names, for monitor commands written for
 * QEMU. The file belongs to `ctf` if the loaded objects were built with it, otherwise to `simple`;
 * without either backend these functions report an error.
 *
 * A thin layer over waymark/control.h, whose functions return errors. These report them on standard
 * error, or as waymark_set_host() says. Any thread, no signal handler.
 */
#ifndef TRACE_SIMPLE_H
#define TRACE_SIMPLE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* Prints one line on standard output, or as waymark_set_host() says: the file's name, on or off. */
void st_print_trace_file_status(void);

/* Opens or closes the file; while it is closed, events are dropped. Returns whether it was open. */
bool st_set_trace_file_enabled(bool enable);

/* Names the file and opens it; NULL means the default name. On failure nothing changes. */
void st_set_trace_file(const char *file);

/* Waits until every event that was recorded before the call is in the file. */
void st_flush_trace_buffer(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
