/* SPDX-License-Identifier: MIT */
/*
 * The session of one client: bytes in, text out, no I/O of its own. A monitor calls the
 * sessions of its clients one at a time; several monitors may do so at the same time.
 * Nothing here prints, ends the program or waits, except commands that write files.
 */
#ifndef MON_SESSION_H
#define MON_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <waymark/monitor.h>

struct monitor_session;

/* Bytes of the longest command; more is an error that ends the connection. */
#define SESSION_COMMAND_MAX (1u << 20)

/* A session with the mode and the prompt of `options`, which outlive it. NULL: no memory. */
struct monitor_session *session_create(const struct waymark_monitor_options *options);

/* Writes the greeting. Returns 0, or -1 as session_feed(). */
int session_greet(struct monitor_session *s, FILE *out);

/*
 * Takes input as it arrives, and answers complete commands to `out`. Returns 0, or -1: close
 * the connection once `out` is sent.
 */
int session_feed(struct monitor_session *s, const char *bytes, size_t size, FILE *out);

/* True if the client holds events, which the end of the session releases. */
bool session_holds(const struct monitor_session *s);

/* Ends it, and releases what the client holds. NULL is legal. */
void session_destroy(struct monitor_session *s);

#endif
