/* SPDX-License-Identifier: MIT */
/*
 * The session of one client: bytes in, text out, without I/O. A monitor calls its clients' sessions
 * one at a time; several monitors may do so at the same time. Nothing here prints, ends the program
 * or waits, except commands that write files.
 */
#ifndef MON_SESSION_H
#define MON_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <waymark/monitor.h>

struct monitor_session;

/* Limit of a command; a longer one is an error that ends the connection. */
#define SESSION_COMMAND_MAX (1u << 20)

/*
 * Creates a session with the mode and the prompt of `options`, which must outlive it. Returns NULL
 * without memory.
 */
struct monitor_session *session_create(const struct waymark_monitor_options *options);

/* Writes the greeting. Returns 0, or -1 like session_feed(). */
int session_greet(struct monitor_session *s, FILE *out);

/*
 * Reads input as it arrives, and writes the answers to complete commands to `out`. Returns 0, or
 * -1: close the connection once `out` is sent.
 */
int session_feed(struct monitor_session *s, const char *bytes, size_t size, FILE *out);

/* True if the client holds events. The end of the session releases them. */
bool session_holds(const struct monitor_session *s);

/* Ends the session, and releases the events that the client holds. NULL is legal. */
void session_destroy(struct monitor_session *s);

#endif
