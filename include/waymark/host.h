/* SPDX-License-Identifier: MIT */
/*
 * waymark/host.h - what a program does itself that the library would do: write log lines to its
 * own log, report bad options in its own way, print lists. Programs that bring
 * a log, a monitor or an error report of their own use it; no other program needs it.
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
 * Functions of the program. Those that are NULL leave the work to the library; `user` is handed
 * to each. The library does not call them in a thread that is in one of them: an event that fires
 * there, or in a signal handler that interrupts one, gets its line from the library.
 */
struct waymark_host {
	/*
	 * Fills in what a log line begins with, at most `size` bytes (256 or more) without a NUL,
	 * and returns how many. Not called once log.prefix= has chosen a prefix.
	 */
	size_t (*prefix)(char *text, size_t size, void *user);
	/*
	 * Writes one log line, whose last byte is its only newline unless a message has several
	 * lines. Returns 0; or an errno: the line is counted as lost. Not called while log.file=,
	 * or a file= that means log, names a file.
	 *
	 * This and prefix() run wherever an event fires: in several threads at once, and in signal
	 * handlers if events fire there. Then they must be async-signal-safe (write(2), no stdio).
	 */
	int (*write)(const char *line, size_t length, void *user);
	/*
	 * Reports an error or warning of the functions of trace/control.h and trace/simple.h, in
	 * the thread that called them. `option` is the argument that it is about, NULL where there
	 * is none; `text` is one line without a newline, with file and line where the fault is in
	 * an events file. Where the library would exit after an error, it does so when this
	 * returns.
	 */
	void (*report)(
		enum waymark_severity severity, const char *option, const char *text, void *user);
	/*
	 * Prints one line, given without its newline, that such a function prints on standard
	 * output: an event of a list, or that there is none; the state of a file. Returns whether
	 * the program goes on after a list, as for a monitor; if not, it exits as after
	 * `-trace help`.
	 */
	bool (*print)(const char *line, void *user);
	void *user;
	const void *reserved[3]; /* NULL */
};

/*
 * Sets the program's functions; NULL: none. `host` is borrowed until another one is set, and a
 * moment longer by a thread that prints a line meanwhile: pass a constant object. Any thread, no
 * signal handler.
 */
void waymark_set_host(const struct waymark_host *host);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
