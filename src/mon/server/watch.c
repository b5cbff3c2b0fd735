/* SPDX-License-Identifier: MIT */
/* See watch.h. */
#include <errno.h>
#include <stddef.h>

#include "mon/server/io.h"
#include "mon/server/watch.h"
#include "rt/host/open.h"

/* Others may have it open as well, so that closing alone would not end the watch. */
static void end(int epoll, struct watch *w)
{
	if (w->events) {
		io_epoll_control(epoll, EPOLL_CTL_DEL, w->shown, NULL);
	}
	w->events = 0;
}

static int show(int epoll, struct watch *w, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = w };

	if (w->events) {
		return io_epoll_control(epoll, EPOLL_CTL_MOD, w->shown, &event);
	}
	if (io_epoll_control(epoll, EPOLL_CTL_ADD, w->shown, &event) == 0) {
		return 0;
	}
	if (errno != EPERM || w->shown != w->fd) {
		return -1;
	}
	w->shown = io_ready();
	if (w->shown < 0) {
		w->shown = w->fd;
		return -1;
	}
	return io_epoll_control(epoll, EPOLL_CTL_ADD, w->shown, &event);
}

int watch_set(int epoll, struct watch *w, uint32_t events)
{
	if (w->fd < 0 || w->events == events) {
		return 0;
	}
	if (events == 0) {
		end(epoll, w);
		return 0;
	}
	if (show(epoll, w, events)) {
		return -1;
	}
	w->events = events;
	return 0;
}

void watch_close(int epoll, struct watch *w)
{
	if (w->fd >= 0) {
		end(epoll, w);
		watch_forget(w);
	}
}

void watch_forget(struct watch *w)
{
	if (w->fd < 0) {
		return;
	}
	if (w->shown != w->fd) {
		waymark_close(w->shown);
	}
	waymark_close(w->fd);
	w->fd = w->shown = -1;
	w->events = 0;
}
