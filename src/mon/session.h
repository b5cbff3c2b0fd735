/* SPDX-License-Identifier: MIT */
/*
 * One client's conversation: bytes in, answers out. There is no I/O in it but
 * what commands do. One thread at a time calls the sessions of one server.
 */
#ifndef MON_SESSION_H
#define MON_SESSION_H

#include <stddef.h>
#include <stdio.h>

#include <waymark/monitor.h>

struct session;

/* NULL without memory. The options outlive it. */
struct session *session_create(const struct waymark_monitor_options *options);

/* What a client sees first. 0, or -1: close the connection once `out` is sent. */
int session_greet(struct session *s, FILE *out);

/* Takes bytes as they come, and answers to `out`. 0: goes on; -1: as above. */
int session_feed(struct session *s, const char *bytes, size_t size, FILE *out);

/* Undoes what the client holds. NULL is legal. */
void session_destroy(struct session *s);

#endif
