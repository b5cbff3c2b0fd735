/* SPDX-License-Identifier: MIT */
/*
 * waymark/host.h - lets a program write log lines, report bad options and print lists itself
 * instead of the library. For programs that have their own log, monitor or error report.
 */
#ifndef WAYMARK_HOST_H
#define WAYMARK_HOST_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

enum waymark_severity { WAYMARK_SEVERITY_ERROR, WAYMARK_SEVERITY_WARNING };

/*
 * Functions of the program, each called with `user`. If a function is NULL, the library does the
 * work. The library does not call them in a thread that is inside one of them: if an event fires
 * there, or in a signal handler that interrupts it, the library writes the line itself.
 */
struct waymark_host {
	/*
	 * Writes the prefix of a log line, at most `size` bytes (256 or more) without a NUL, and
	 * returns its length. Not called if log.prefix= has chosen a prefix.
	 */
	size_t (*prefix)(char *text, size_t size, void *user);
	/*
	 * Writes one log line, whose last byte is its only newline unless a message has several
	 * lines. Returns 0; or an errno, which counts the line as lost. Not called while log.file=
	 * (or file= for log) names a file.
	 *
	 * This and prefix() run where events fire: in several threads at the same time. If events
	 * fire in signal handlers, both must be async-signal-safe (write(2), no stdio).
	 */
	int (*write)(const char *line, size_t length, void *user);
	/*
	 * Reports an error or warning of the functions of trace/control.h and trace/simple.h, in
	 * the thread that called them. `option` is the faulty argument or NULL; `text` is one line
	 * without a newline, with file and line if the fault is in an events file. If the library
	 * would exit after the error, it does so when this returns.
	 */
	void (*report)(
		enum waymark_severity severity, const char *option, const char *text, void *user);
	/*
	 * Prints one line, passed without its newline, that such a function would print on standard
	 * output: an event of a list, the message of an empty list, the state of a file. Returns
	 * true if the program continues after a list (a monitor), false if it exits, as after
	 * `-trace help`.
	 */
	bool (*print)(const char *line, void *user);
	void *user;
	const void *reserved[3]; /* NULL */
};

/*
 * Sets the program's functions; NULL removes them. `host` is borrowed until another one is set, and
 * a moment longer by a thread that is printing a line, so pass a constant object. Any thread, no
 * signal handler.
 */
void waymark_set_host(const struct waymark_host *host);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
