/* SPDX-License-Identifier: MIT */
/*
 * The monitor itself: an epoll descriptor, what it watches, and the clients.
 * All of that is touched in the monitor's turn only, the lock that whoever
 * drives it holds while it is at work, commands included. Whoever comes between
 * (a fork, the end of the process) waits for the turn, but not for ever.
 */
#ifndef MON_SERVER_H
#define MON_SERVER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <waymark/monitor.h>

#include "mon/server/place.h"
#include "mon/server/watch.h"
#include "socket/socket.h"

struct client;
struct epoll_event;
struct worker;

struct waymark_monitor {
	struct waymark_monitor_options options; /* with strings of its own */
	struct place place;
	pthread_mutex_t turn;
	int epoll;
	int witness; /* where the table is the program's: says whether they all still are ours */
	uintptr_t identity; /* the witness's */
	struct watch timer; /* calls again what waits for better times, see server_call_later() */
	struct watch listener;
	struct watch owner; /* the process that listens in our place, until it ends */
	struct socket_file file; /* of the listener; process 0: none */
	struct client *clients;
	unsigned int tries; /* to get a place that another process has */
	bool wants_place; /* nobody listens yet: in a fork's child */
	bool finished; /* by the end of the process, or fork: nothing is done any more */
	pid_t process; /* whose it is */
	struct worker *worker; /* carries commands out; NULL: the thread that drives it */
	bool own_table; /* its descriptors are of no table of the program's */
	bool held; /* by a thread that forks: the turn, too */
	struct waymark_monitor *next; /* in fork.c's list */
};

/* A monitor with nothing open. NULL with the error. */
struct waymark_monitor *server_create(
	const struct waymark_monitor_options *options, struct waymark_error *error);

/*
 * Opens what it is to be reached by. Returns 0, or -1 with the error;
 * then only server_destroy().
 */
int server_open(struct waymark_monitor *m, struct waymark_error *error);

/* Whether the program has left it its descriptors; else others may be in their places. */
bool server_has_descriptors(const struct waymark_monitor *m);

/* Whether there is nobody left to talk to, now and later. In its turn. */
bool server_has_ended(const struct waymark_monitor *m);

/* How many events are taken at a time. */
#define SERVER_EVENTS 32

/* Does what these events ask for. In its turn. */
void server_work(struct waymark_monitor *m, const struct epoll_event *events, int count);

/* Has everything that is paused tried again in a moment. In its turn. */
void server_call_later(struct waymark_monitor *m);

/* Ends the conversations, without a word. In its turn. */
void server_end_clients(struct waymark_monitor *m);

/* Closes all and removes the socket: in the thread whose descriptors these are. In its turn. */
void server_close(struct waymark_monitor *m);

/* Frees what is closed. */
void server_destroy(struct waymark_monitor *m);

/*
 * Makes a parent's monitor one of this process, a fork's child: it is reached at
 * its own place, or at its parent's when that has ended. `whole`: the parent was
 * caught between two turns. Returns false where nothing is left for the child.
 */
bool server_forked(struct waymark_monitor *m, bool whole);

#endif
