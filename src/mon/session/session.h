/* SPDX-License-Identifier: MIT */
/*
 * One client's conversation: bytes in, text out, no I/O of its own. The server
 * calls the sessions of all clients one at a time; different servers may do so at
 * the same time. Nothing here prints, ends the program or waits, but for commands
 * that write files.
 */
#ifndef MON_SESSION_H
#define MON_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <waymark/monitor.h>

struct session;

/* What a client may send at most as one command; more is an error that ends the connection. */
#define SESSION_COMMAND_MAX (1u << 20)

/*
 * For one client, in the mode and with the prompt of `options`, which outlive it. NULL:
 * no memory.
 */
struct session *session_create(const struct waymark_monitor_options *options);

/* Writes what a client sees first. 0, or -1 as session_feed(). */
int session_greet(struct session *s, FILE *out);

/*
 * Takes bytes as they come, answers to `out` what is complete. Returns 0, or -1: the
 * connection is to be closed once `out` is sent.
 */
int session_feed(struct session *s, const char *bytes, size_t size, FILE *out);

/* Whether the client holds something that the end of its conversation undoes. */
bool session_holds(const struct session *s);

/* Ends it, and undoes what the client holds. NULL is allowed. */
void session_destroy(struct session *s);

#endif
