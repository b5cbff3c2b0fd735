/* SPDX-License-Identifier: MIT */
/*
 * waymark/monitor.h - others may ask this program about its tracing, and change it.
 *
 * A monitor answers the commands of waymark-monitor(7) on a socket, a descriptor
 * or standard input and output. It lives in libwaymark-monitor, which programs
 * that start none need not link. Nothing here prints, exits, aborts or lets a
 * signal happen. A call is no point of cancellation; no signal handler may make it.
 *
 * One that listens answers up to 256 clients at a time, of this process's
 * user and of root; one that is idle makes room for a new one. A child of fork()
 * gets a monitor of its own: with the default path or a path with %d at once, with
 * another path as soon as the process that listens there has ended, so that a daemon
 * keeps its socket. "stdio" and "fd:N" stay with the process that had them. Nothing
 * is inherited by exec.
 */
#ifndef WAYMARK_MONITOR_H
#define WAYMARK_MONITOR_H

#include <waymark/control.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* What is spoken. */
enum waymark_monitor_mode {
	WAYMARK_MONITOR_QMP, /* JSON, for programs */
	WAYMARK_MONITOR_HMP, /* lines, for people */
	WAYMARK_MONITOR_STRATOVIRT, /* StratoVirt's JSON; the state of an event: true, false */
	WAYMARK_MONITOR_STRATOVIRT_2023 /* the same, the state "enabled" or "disabled" */
};

/* What is 0 or NULL has its default. Strings are copied. */
struct waymark_monitor_options {
	/*
	 * "on" or NULL: a socket <pid>.sock in this user's directory of sockets.
	 * "stdio": standard input and output, which stay open.
	 * "fd:N": a stream socket that listens or is connected, or a terminal, open
	 * for reading and writing. It is the monitor's from the moment of success.
	 * Else the path of a socket, in which %d is the process id.
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

/* A monitor that the program drives itself, a thread at a time. */
struct waymark_monitor;

/*
 * Opens a monitor for the program's own event loop. `options` may be NULL.
 * Returns NULL with the reason in `error`, which may be NULL. Any thread.
 */
struct waymark_monitor *waymark_monitor_open(
	const struct waymark_monitor_options *options, struct waymark_error *error);

/*
 * A descriptor to poll for reading, the same as long as the monitor is open: it
 * is readable when there is something to do. It is not to be read or closed.
 */
int waymark_monitor_get_fd(const struct waymark_monitor *monitor);

/*
 * Does what is to do, and waits for nothing but the commands themselves. Returns
 * 0, or -1: the only client, of "stdio" or of a descriptor, has gone; nothing is left
 * to do but waymark_monitor_close(). Where the program has closed all of its
 * descriptors, as daemons do, it is -1 as well.
 */
int waymark_monitor_dispatch(struct waymark_monitor *monitor);

/* Ends its conversations, which undoes what clients hold, and removes its socket. NULL is legal. */
void waymark_monitor_close(struct waymark_monitor *monitor);

/*
 * Starts a monitor with threads of its own, until the process ends: a program may
 * close all descriptors, change its user, fork. The threads block all signals.
 * Returns 0 when it can be reached, or -1 with the reason. Any thread.
 */
int waymark_monitor_start(
	const struct waymark_monitor_options *options, struct waymark_error *error);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
