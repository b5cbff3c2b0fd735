/* SPDX-License-Identifier: MIT */
/* See thread.h. */
#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "mon/server/fail.h"
#include "mon/server/io.h"
#include "mon/server/monitors.h"
#include "mon/server/server.h"
#include "mon/server/thread.h"
#include "mon/server/worker.h"
#include "rt/host/open.h"
#include "rt/host/thread.h"

/* What who starts it tells the thread, and what that answers. */
struct start {
	struct waymark_monitor *m;
	struct waymark_error *error;
	sem_t through;
	int result;
};

/*
 * Closes what the thread was given, and covers the places of the standard streams:
 * nothing that is written to one by mistake may reach a client.
 */
static void settle(int low, int high)
{
	waymark_close(low);
	waymark_close(high);
	for (int fd = 0; fd <= STDERR_FILENO; fd++) {
		if (!KEEPS_STDERR || fd != STDERR_FILENO) {
			io_move(io_ready(), fd);
		}
	}
}

/* Opens all that the monitor has, in a table of the thread's own. */
static int open_all(struct waymark_monitor *m, struct waymark_error *error)
{
	bool stdio = m->place.kind == PLACE_STDIO;
	int low = stdio ? STDIN_FILENO : m->place.fd;
	int high = stdio ? STDOUT_FILENO : -1;

	prctl(PR_SET_NAME, "wm-monitor");
	if (waymark_own_descriptors(low, high)) {
		return mon_fail(error,
			"a monitor's thread cannot have descriptors of its own: %s; "
			"drive it by waymark_monitor_dispatch()",
			strerrordesc_np(errno));
	}
	if (server_open(m, error)) {
		server_close(m);
		return -1;
	}
	settle(low, high);
	return 0;
}

/* One round; returns false when it was the last. */
static bool go_round(struct waymark_monitor *m)
{
	struct epoll_event events[SERVER_EVENTS];
	int count = io_epoll_wait(m->epoll, events, SERVER_EVENTS, -1);

	if (count < 0 && errno != EINTR) {
		return false;
	}
	monitors_let_pass();
	pthread_mutex_lock(&m->turn);
	if (!m->finished) {
		server_work(m, events, count > 0 ? count : 0);
	}
	bool goes_on = !server_has_ended(m);

	pthread_mutex_unlock(&m->turn);
	return goes_on;
}

/* One that the end of the process has finished stays as it is. */
static void drive(struct waymark_monitor *m)
{
	while (go_round(m)) {
	}
	if (monitors_remove(m)) {
		server_close(m);
		worker_destroy(m->worker);
		server_destroy(m);
	}
}

static void *begin(void *arg)
{
	struct start *start = arg;
	struct waymark_monitor *m = start->m;

	start->result = open_all(m, start->error);
	bool opened = start->result == 0;

	if (opened) {
		monitors_add(m);
	}
	sem_post(&start->through);
	if (opened) {
		drive(m);
	}
	return NULL;
}

static void *begin_again(void *arg)
{
	struct waymark_monitor *m = arg;

	if (open_all(m, NULL) == 0) {
		drive(m);
	}
	return NULL;
}

static int cannot_start(int why, struct waymark_error *error)
{
	return mon_fail(error, "cannot start a thread of the monitor: %s", strerrordesc_np(why));
}

/* Returns 0, an errno, or -1: the thread has said why. */
static int start_talking(struct waymark_monitor *m, struct waymark_error *error)
{
	struct start start = { .m = m, .error = error, .result = -1 };
	pthread_t thread;
	int why;

	sem_init(&start.through, 0, 0);
	why = worker_thread(&thread, begin, &start);
	if (why) {
		return why;
	}
	while (sem_wait(&start.through)) {
	}
	if (start.result) {
		pthread_join(thread, NULL);
	} else {
		pthread_detach(thread);
	}
	return start.result;
}

int thread_start(struct waymark_monitor *m, struct waymark_error *error)
{
	int why;

	m->own_table = true;
	m->worker = worker_create();
	if (!m->worker) {
		return cannot_start(errno, error);
	}
	why = start_talking(m, error);
	if (why == 0) {
		return 0;
	}
	worker_destroy(m->worker);
	m->worker = NULL;
	return why > 0 ? cannot_start(why, error) : -1;
}

int thread_start_again(struct waymark_monitor *m)
{
	pthread_t thread;

	m->worker = worker_create();
	if (!m->worker || worker_thread(&thread, begin_again, m)) {
		return -1;
	}
	pthread_detach(thread);
	return 0;
}
