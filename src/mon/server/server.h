/* SPDX-License-Identifier: MIT */
/*
 * A monitor: an epoll descriptor, its watches and its clients. All are accessed under the monitor's
 * lock, which the driving thread holds while it works, including commands. A fork and the exit of
 * the process wait for the lock, with a deadline.
 */
#ifndef MON_SERVER_H
#define MON_SERVER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <waymark/monitor.h>

#include "mon/server/address.h"
#include "mon/server/io.h"
#include "socket/socket.h"

struct client;
struct worker;

struct waymark_monitor {
	struct waymark_monitor_options options; /* with copies of the strings */
	struct address address;
	pthread_mutex_t lock;
	int epoll;
	int witness; /* open in the program's table, to detect that the program closed all */
	uintptr_t identity; /* identity of the witness */
	struct watch timer; /* for server_retry_later() */
	struct watch listener;
	struct watch owner; /* the process that listens at our address, until it exits */
	struct socket_file file; /* socket file of the listener; process 0: none */
	struct client *clients;
	unsigned int tries; /* failed attempts to open an address that another process has */
	bool wants_address; /* in a fork's child: no listener is open yet */
	bool finished; /* by the exit of the process, or fork: it stays inactive */
	pid_t process; /* process that it belongs to */
	struct worker *worker; /* runs commands; NULL: the driving thread runs them */
	bool own_table; /* its descriptors are in its thread's own table */
	bool held; /* locked by a thread that forks */
	struct waymark_monitor *next; /* in the list of monitors.c */
};

/* Creates a monitor with nothing open. Returns NULL with the error. */
struct waymark_monitor *server_create(
	const struct waymark_monitor_options *options, struct waymark_error *error);

/*
 * Opens epoll; in a fork's child, the timer will open the address. Returns 0, or -1 with the error;
 * then only server_close() and server_destroy() are legal.
 */
int server_open(struct waymark_monitor *m, struct waymark_error *error);

/* True if the descriptors are still the monitor's: a program may close all its descriptors. */
bool server_has_descriptors(const struct waymark_monitor *m);

/* True if there is no client and none can arrive. */
bool server_has_ended(const struct waymark_monitor *m);

/* Maximum number of events taken from epoll in one call. */
#define SERVER_EVENTS 32

/* Handles events of epoll. */
void server_work(struct waymark_monitor *m, const struct epoll_event *events, int count);

/* Retries in 200 ms everything that is paused, or that the system refused. */
static inline void server_retry_later(struct waymark_monitor *m)
{
	io_timer_arm(m->timer.fd, 200);
}

/* Closes all descriptors and removes the socket. Call in the thread whose descriptors these are. */
void server_close(struct waymark_monitor *m);

/* Frees a closed monitor. */
void server_destroy(struct waymark_monitor *m);

/*
 * Converts a parent's monitor to one of this process, a fork's child: it opens its own address, or
 * its parent's after that has exited. `whole`: no thread was working on it in the parent. Returns
 * false if nothing is left for the child.
 */
bool server_forked(struct waymark_monitor *m, bool whole);

#endif
