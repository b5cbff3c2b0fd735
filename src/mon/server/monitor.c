/* SPDX-License-Identifier: MIT */
/*
 * The public functions of waymark/monitor.h. Each runs under a guard (rt/host/guard.h), since the
 * program calls it in its own threads.
 */
#include <errno.h>
#include <unistd.h>

#include "mon/server/monitors.h"
#include "mon/server/server.h"
#include "rt/host/guard.h"

static void clear(struct waymark_error *error)
{
	if (error) {
		error->text[0] = '\0';
	}
}

/* Closes a given descriptor, of which the monitor has a copy. */
static void close_given(int fd)
{
	if (fd >= 0) {
		close(fd);
	}
}

static struct waymark_monitor *open_driven(
	const struct waymark_monitor_options *options, struct waymark_error *error)
{
	struct waymark_monitor *m = server_create(options, error);

	if (!m) {
		return NULL;
	}
	if (monitors_open(m, error)) {
		server_close(m);
		server_destroy(m);
		return NULL;
	}
	close_given(m->address.fd);
	monitors_add(m);
	return m;
}

struct waymark_monitor *waymark_monitor_open(
	const struct waymark_monitor_options *options, struct waymark_error *error)
{
	struct guard guard;

	clear(error);
	waymark_guard_begin(&guard);
	struct waymark_monitor *m = open_driven(options, error);

	waymark_guard_end(&guard);
	return m;
}

int waymark_monitor_get_fd(const struct waymark_monitor *monitor)
{
	return monitor->epoll;
}

static int work_once(struct waymark_monitor *m)
{
	struct epoll_event events[SERVER_EVENTS];
	int count;

	if (m->finished || !server_has_descriptors(m)) {
		return -1;
	}
	count = io_epoll_wait(m->epoll, events, SERVER_EVENTS, 0);
	if (count < 0) {
		return errno == EINTR ? 0 : -1;
	}
	server_work(m, events, count);
	return server_has_ended(m) ? -1 : 0;
}

int waymark_monitor_dispatch(struct waymark_monitor *monitor)
{
	struct guard guard;

	if (monitor->process != getpid()) {
		return -1; /* a child without fork handlers: its parent may have held the lock */
	}
	waymark_guard_begin(&guard);
	monitors_yield_to_forks();
	pthread_mutex_lock(&monitor->lock);
	int result = work_once(monitor);

	pthread_mutex_unlock(&monitor->lock);
	waymark_guard_end(&guard);
	return result;
}

void waymark_monitor_close(struct waymark_monitor *monitor)
{
	struct guard guard;

	if (!monitor) {
		return;
	}
	waymark_guard_begin(&guard);
	if (monitors_remove(monitor)) {
		server_close(monitor);
		server_destroy(monitor);
	}
	waymark_guard_end(&guard);
}

static int start(const struct waymark_monitor_options *options, struct waymark_error *error)
{
	struct waymark_monitor *m = server_create(options, error);
	int given = m ? m->address.fd : -1;

	if (!m) {
		return -1;
	}
	if (monitors_start(m, error)) {
		server_destroy(m);
		return -1;
	}
	close_given(given); /* the monitor may already have ended */
	return 0;
}

int waymark_monitor_start(
	const struct waymark_monitor_options *options, struct waymark_error *error)
{
	struct guard guard;

	clear(error);
	waymark_guard_begin(&guard);
	int result = start(options, error);

	waymark_guard_end(&guard);
	return result;
}
