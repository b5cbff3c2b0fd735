/* SPDX-License-Identifier: MIT */
/*
 * A monitor: an epoll descriptor, what it watches, and the clients. All of that is
 * accessed under the monitor's lock, which the thread that drives it holds while it works,
 * commands included. A fork and the exit of the process wait for the lock, with a deadline.
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
	struct waymark_monitor_options options; /* with strings of its own */
	struct address address;
	pthread_mutex_t lock;
	int epoll;
	int witness; /* open in the program's table: shows that the program closed none */
	uintptr_t identity; /* the witness's */
	struct watch timer; /* for server_retry_later() */
	struct watch listener;
	struct watch owner; /* the process that listens at our address, until it exits */
	struct socket_file file; /* of the listener; process 0: none */
	struct client *clients;
	unsigned int tries; /* to open an address that another process has */
	bool wants_address; /* in a fork's child: nothing listens yet */
	bool finished; /* by the exit of the process, or fork: it does nothing any more */
	pid_t process; /* that it belongs to */
	struct worker *worker; /* runs commands; NULL: the thread that drives it does */
	bool own_table; /* its descriptors are in a table of its thread's own */
	bool held; /* locked by a thread that forks */
	struct waymark_monitor *next; /* in the list of monitors.c */
};

/* A monitor with nothing open. NULL with the error. */
struct waymark_monitor *server_create(
	const struct waymark_monitor_options *options, struct waymark_error *error);

/*
 * Opens epoll; in a fork's child the timer opens the address soon. Returns 0, or -1 with
 * the error; then only server_close() and server_destroy() are legal.
 */
int server_open(struct waymark_monitor *m, struct waymark_error *error);

/* True if the descriptors still are the monitor's: a program may close all that it has. */
bool server_has_descriptors(const struct waymark_monitor *m);

/* True if no client is left and none can come. */
bool server_has_ended(const struct waymark_monitor *m);

/* Events taken from epoll at a time. */
#define SERVER_EVENTS 32

/* Handles events of epoll. */
void server_work(struct waymark_monitor *m, const struct epoll_event *events, int count);

/* Tries everything that is paused, or that the system refused, again in 200 ms. */
static inline void server_retry_later(struct waymark_monitor *m)
{
	io_timer_arm(m->timer.fd, 200);
}

/* Closes all and removes the socket: in the thread whose descriptors these are. */
void server_close(struct waymark_monitor *m);

/* Frees what is closed. */
void server_destroy(struct waymark_monitor *m);

/*
 * Makes a parent's monitor that of this process, a fork's child: it opens its own address,
 * or its parent's when that has exited. `whole`: no thread was at work in the parent.
 * Returns false where nothing is left for the child.
 */
bool server_forked(struct waymark_monitor *m, bool whole);

#endif
