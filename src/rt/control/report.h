/* SPDX-License-Identifier: MIT */
/*
 * What QEMU's functions print: errors and warnings on standard error, lists on
 * standard output; or as the program's own functions do. The threads that call those.
 */
#ifndef RT_CONTROL_REPORT_H
#define RT_CONTROL_REPORT_H

#include <waymark/control.h>
#include <waymark/host.h>

#include "base/compiler.h"

/* `option` is the argument that it is about, NULL where there is none. */
void waymark_report(
	enum waymark_severity severity, const char *option, const struct waymark_error *error);

/* The same as an error, and exits with status 1. */
NORETURN void waymark_die(const char *option, const struct waymark_error *error);

/*
 * Prints a line, given without its newline. Returns whether the program goes on after a list:
 * it does where its own function printed the line for a monitor.
 */
bool waymark_print_line(const char *line);

#endif
