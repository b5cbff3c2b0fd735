/* SPDX-License-Identifier: MIT */
/*
 * waymark/monitor.h - lets other processes query and change this program's tracing.
 *
 * A monitor answers the commands of waymark-monitor(7) on a socket, a descriptor or standard input
 * and output. It is in libwaymark-monitor, which a program without one need not link. No function
 * here prints, exits, aborts or raises a signal. Calls are no cancellation points. No signal
 * handler may call them.
 *
 * A listening monitor answers up to 256 clients at a time, of this process's user and of root; an
 * idle client is closed to make room for a new one. A child of fork() gets its own monitor:
 * immediately if the path is the default or has a %d, otherwise as soon as the process that listens
 * there has ended, so that a daemon keeps its socket. "stdio" and "fd:N" stay with their process.
 * Nothing is inherited by exec.
 */
#ifndef WAYMARK_MONITOR_H
#define WAYMARK_MONITOR_H

#include <waymark/control.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* The protocol. */
enum waymark_monitor_mode {
	WAYMARK_MONITOR_QMP, /* JSON, for programs */
	WAYMARK_MONITOR_HMP, /* lines, for people */
	WAYMARK_MONITOR_STRATOVIRT, /* StratoVirt's JSON; the state of an event: true, false */
	WAYMARK_MONITOR_STRATOVIRT_2023 /* the same, with "enabled" or "disabled" */
};

/* A field of 0 or NULL means its default. Strings are copied. */
struct waymark_monitor_options {
	/*
	 * Where it listens. "on" or NULL: a socket <pid>.sock in this user's directory of sockets.
	 * "stdio": standard input and output, which stay open. "fd:N": a stream socket that listens
	 * or is connected, or a terminal, open for reading and writing. After success the monitor
	 * owns it. Otherwise the path of a socket, in which %d is the process id.
	 */
	const char *where;
	enum waymark_monitor_mode mode;
	const char *prompt; /* of WAYMARK_MONITOR_HMP; NULL: "(waymark) " */
	/*
	 * Not 0: this monitor, in the default place, ends when the process starts another
	 * one there. For tools that run a program and add a monitor to it.
	 */
	long yields;
	const void *reserved[4]; /* NULL */
};

/* A monitor in the program's own event loop; used by one thread at a time. */
struct waymark_monitor;

/*
 * Opens a monitor for the program's own event loop. `options` may be NULL.
 * Returns NULL with the reason in `error`, which may be NULL. Any thread.
 */
struct waymark_monitor *waymark_monitor_open(
	const struct waymark_monitor_options *options, struct waymark_error *error);

/*
 * Returns a descriptor to poll for reading, which stays the same while the monitor is open. It is
 * readable when waymark_monitor_dispatch() has work. Do not read or close it.
 */
int waymark_monitor_get_fd(const struct waymark_monitor *monitor);

/*
 * Does the pending work. Waits only for the commands themselves. Returns 0, or -1: the only client
 * ("stdio" or a descriptor) has closed, or the program has closed all of its descriptors, as
 * daemons do; call waymark_monitor_close().
 */
int waymark_monitor_dispatch(struct waymark_monitor *monitor);

/*
 * Closes the monitor: ends its sessions, which undoes their holds, and removes its socket. NULL is
 * allowed.
 */
void waymark_monitor_close(struct waymark_monitor *monitor);

/*
 * Starts a monitor with its own threads, which runs until the process ends: the program may close
 * all descriptors, change its user, and fork. The threads block all signals. Returns 0 once clients
 * can connect, or -1 with the reason. Any thread.
 */
int waymark_monitor_start(
	const struct waymark_monitor_options *options, struct waymark_error *error);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
