/* SPDX-License-Identifier: MIT */
/*
 * The syslog backend: syslog.c formats an event, unless the rate limit withholds it;
 * syslog_socket.c sends it to the daemon. Any thread, any signal handler, except for functions
 * marked as control calls.
 */
#ifndef RT_TEXT_SYSLOG_H
#define RT_TEXT_SYSLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The socket at which daemons listen. */
#define SYSLOG_SOCKET "/dev/log"

/* Messages a second of all threads together, from 1 to 1 000 000; 0: no limit. Control calls. */
void waymark_syslog_set_rate(uint64_t rate);

/*
 * Opens the socket now, before an event does. Always returns true, because an absent daemon may
 * start later. Control calls.
 */
bool waymark_syslog_prepare(void);

/* Returns the socket's descriptor; -1 if none is open. */
int waymark_syslog_descriptor(void);

/* Sends a message of `length` bytes. Returns 0, or an errno if it was lost. May change errno. */
int waymark_syslog_send(const char *text, size_t length);

#endif
