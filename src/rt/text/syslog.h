/* SPDX-License-Identifier: MIT */
/*
 * The syslog backend, in three parts:
 *
 *	syslog.c         an event as a message; what was lost and withheld
 *	syslog_rate.c    whether a message may be sent now
 *	syslog_socket.c  the way to the daemon
 *
 * Any thread, any signal handler, but for what control calls set.
 */
#ifndef RT_TEXT_SYSLOG_H
#define RT_TEXT_SYSLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where daemons listen. */
#define SYSLOG_SOCKET "/dev/log"

/* Messages a second, from 1 to 1 000 000, all threads together; control calls. */
void waymark_syslog_set_rate(uint64_t rate);

/* What was set; 0: no limit. */
uint64_t waymark_syslog_rate(void);

/* Takes one message out of what the rate allows now; false where there is none. */
bool waymark_syslog_take(void);

/* Opens the socket now, and tells its descriptor; -1: there is none. Control calls. */
void waymark_syslog_prepare(void);
int waymark_syslog_descriptor(void);

/*
 * Sends a message of `length` bytes. Returns 0 or the errno of what was lost.
 * May change errno.
 */
int waymark_syslog_send(const char *text, size_t length);

#endif
