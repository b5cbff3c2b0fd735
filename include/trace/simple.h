/* SPDX-License-Identifier: MIT */
/*
 * trace/simple.h - the trace file under the names that QEMU gave it, for monitor commands that
 * were written for QEMU's. The file is that of `ctf` where the loaded objects were built with it,
 * else that of `simple`; where they have neither, these functions report that.
 *
 * A thin layer over waymark/control.h, whose functions return errors. These report them on
 * standard error, or as waymark_set_host() says. Any thread, no signal handler.
 */
#ifndef TRACE_SIMPLE_H
#define TRACE_SIMPLE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* Prints one line on standard output, or as waymark_set_host() says: the name, on or off. */
void st_print_trace_file_status(void);

/* Opens or closes the file; closed, events go nowhere. Returns whether it was open. */
bool st_set_trace_file_enabled(bool enable);

/* Names the file, and opens it; NULL: the default name. A name that is refused changes nothing. */
void st_set_trace_file(const char *file);

/* Waits until every event that was recorded before the call is in the file. */
void st_flush_trace_buffer(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
