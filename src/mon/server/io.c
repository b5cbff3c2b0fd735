/* SPDX-License-Identifier: MIT */
/*
 * System calls on the monitor's descriptors, and the events that epoll waits for. A file, which
 * epoll refuses, counts as always ready.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/escape.h"
#include "mon/server/io.h"
#include "rt/host/open.h"
#include "socket/socket.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

int io_epoll(void)
{
	return waymark_above_standard((int)syscall(SYS_epoll_create1, EPOLL_CLOEXEC));
}

int io_epoll_control(int epoll, int operation, int fd, struct epoll_event *event)
{
	return (int)syscall(SYS_epoll_ctl, epoll, operation, fd, event);
}

int io_epoll_wait(int epoll, struct epoll_event *events, int count, int ms)
{
	return (int)syscall(SYS_epoll_pwait, epoll, events, count, ms, NULL, 0);
}

int io_timer(void)
{
	return waymark_above_standard(
		(int)syscall(SYS_timerfd_create, CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
}

void io_timer_arm(int timer, unsigned int ms)
{
	/*
	 * In the kernel's timespecs, as the C library's may have a 64-bit time_t: no interval, the
	 * time.
	 */
	const long when[4] = { 0, 0, ms / 1000, (long)(ms % 1000) * 1000000 };

	syscall(SYS_timerfd_settime, timer, 0, when, NULL);
}

void io_timer_take(int timer)
{
	uint64_t count;

	io_read(timer, false, &count, sizeof(count));
}

int io_ready(void)
{
	return waymark_above_standard((int)syscall(SYS_eventfd2, 1, EFD_CLOEXEC | EFD_NONBLOCK));
}

int io_witness(void)
{
	return waymark_above_standard(
		(int)syscall(SYS_socket, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
}

int io_process(pid_t pid)
{
	return waymark_above_standard((int)syscall(SYS_pidfd_open, pid, 0));
}

int io_accept(int fd)
{
	return waymark_above_standard(
		(int)syscall(SYS_accept4, fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

bool io_has_input(int socket)
{
	char byte;

	return syscall(SYS_recvfrom, socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT, NULL, NULL) >= 0;
}

ssize_t io_read(int fd, bool socket, void *bytes, size_t size)
{
	if (socket) {
		return syscall(SYS_recvfrom, fd, bytes, size, MSG_DONTWAIT, NULL, NULL);
	}
	return syscall(SYS_read, fd, bytes, size);
}

ssize_t io_write(int fd, bool socket, const void *bytes, size_t size)
{
	if (socket) {
		return syscall(SYS_sendto, fd, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL, NULL, 0);
	}
	return syscall(SYS_write, fd, bytes, size);
}

int io_copy(int fd)
{
	return fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

/*
 * True for a pipe or a terminal. Opening a pseudo-terminal's master again would make another one.
 */
static bool may_open_again(int fd)
{
	struct stat st;
	int number;

	if (waymark_stat(fd, &st)) {
		return false;
	}
	return S_ISFIFO(st.st_mode) ||
	       (S_ISCHR(st.st_mode) && syscall(SYS_ioctl, fd, TIOCGPTN, &number) < 0);
}

int io_open_again(int fd)
{
	int flags = fcntl(fd, F_GETFL);
	int again = -1;
	char path[64];

	if (flags < 0) {
		return -1;
	}
	if (may_open_again(fd)) {
		snprintf(path, sizeof(path), "/proc/thread-self/fd/%d", fd);
		again = (int)syscall(SYS_openat, AT_FDCWD, path,
			(flags & O_ACCMODE) | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0);
	}
	return again >= 0 ? waymark_above_standard(again) : io_copy(fd);
}

int io_set_nonblocking(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags < 0 ? -1 : fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

bool io_is_background(int fd)
{
	pid_t group = 0;

	return syscall(SYS_ioctl, fd, TIOCGPGRP, &group) == 0 && group > 0 && group != getpgrp();
}

int io_move(int from, int to)
{
	if (from < 0 || from == to) {
		return from;
	}
	int moved = (int)syscall(SYS_dup3, from, to, O_CLOEXEC);

	waymark_close(from);
	return moved;
}

/*
 * Ends the wait explicitly, as closing the descriptor does not if another process has the file
 * open.
 */
static void end_wait(int epoll, struct watch *w)
{
	if (w->events) {
		io_epoll_control(epoll, EPOLL_CTL_DEL, w->shown, NULL);
	}
	w->events = 0;
}

static int start_wait(int epoll, struct watch *w, uint32_t events)
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
		end_wait(epoll, w);
		return 0;
	}
	if (start_wait(epoll, w, events)) {
		return -1;
	}
	w->events = events;
	return 0;
}

void watch_close(int epoll, struct watch *w)
{
	if (w->fd >= 0) {
		end_wait(epoll, w);
		watch_close_copy(w);
	}
}

void watch_close_copy(struct watch *w)
{
	if (w->fd >= 0 && w->shown != w->fd) {
		waymark_close(w->shown);
	}
	if (w->fd >= 0) {
		waymark_close(w->fd);
	}
	watch_forget(w);
}

void watch_forget(struct watch *w)
{
	w->fd = w->shown = -1;
	w->events = 0;
}

/* ---- Errors: one line that fits into struct waymark_error ---- */

/* A text that is too long loses its middle: a path is at its start, the reason at its end. */
#define BEGINNING 300
#define LEFT_OUT "[...]"

int mon_fail(struct waymark_error *error, const char *fmt, ...)
{
	const size_t size = sizeof(error->text);
	const size_t end = size - 1 - BEGINNING - strlen(LEFT_OUT);
	char whole[SOCKET_ERROR_SIZE];
	va_list ap;

	if (!error) {
		return -1;
	}
	va_start(ap, fmt);
	vsnprintf(whole, sizeof(whole), fmt, ap);
	va_end(ap);
	if (strlen(whole) < size) {
		strcpy(error->text, whole);
	} else {
		snprintf(error->text, size, "%.*s" LEFT_OUT "%s", BEGINNING, whole,
			whole + strlen(whole) - end);
	}
	for (char *p = error->text; *p; p++) {
		*p = escape_needed((unsigned char)*p) ? '?' : *p;
	}
	return -1;
}
