/* SPDX-License-Identifier: MIT */
/*
 * Descriptors of the monitor: never a standard stream's number, never inherited by exec. Uses
 * direct system calls, because a thread of the monitor may have its own table of descriptors, while
 * sanitizers track descriptors by number. No call is a cancellation point. All return -1 with
 * errno. Callers hold the monitor's lock.
 */
#ifndef MON_IO_H
#define MON_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/types.h>

#include <waymark/control.h>

#include "base/compiler.h"

int io_epoll(void);
int io_epoll_control(int epoll, int operation, int fd, struct epoll_event *event);
/* Waits for events. `ms` as for epoll_wait(2): -1 waits without limit. */
int io_epoll_wait(int epoll, struct epoll_event *events, int count, int ms);

/* Create a timer that is not armed, and arm it to expire once, in `ms` milliseconds. */
int io_timer(void);
void io_timer_arm(int timer, unsigned int ms);
void io_timer_take(int timer);

/* Creates a descriptor that is always ready. */
int io_ready(void);

/* Creates a descriptor with its own inode, which identifies it; epoll's has none. */
int io_witness(void);

/* Opens a pidfd, which becomes readable when the process has exited. */
int io_process(pid_t pid);

/* Accepts a connection, non-blocking. */
int io_accept(int fd);

/* True if a socket has bytes to read, or has reached its end. */
bool io_has_input(int socket);

/* Work like read(2) and write(2), but on a socket never wait and never raise SIGPIPE. */
ssize_t io_read(int fd, bool socket, void *bytes, size_t size);
ssize_t io_write(int fd, bool socket, const void *bytes, size_t size);

/*
 * Returns another descriptor of the file of `fd`. Terminals and pipes are opened again and are
 * non-blocking, which other users of the file do not notice. Everything else is copied, and stays
 * blocking or not.
 */
int io_open_again(int fd);

int io_copy(int fd);

int io_set_nonblocking(int fd);

/* True if `fd` is a terminal with another foreground process group. */
bool io_is_background(int fd);

/* Moves a descriptor to the number `to`, and closes the file there. -1 stays -1. */
int io_move(int from, int to);

/* A descriptor that a monitor owns, and the function to call when it is ready. */
struct waymark_monitor;

struct watch {
	int fd; /* -1: not open */
	int shown; /* for epoll: `fd`, or an always-ready one for a file, which epoll refuses */
	bool socket; /* for io_read() and io_write() */
	uint32_t events; /* wanted events; 0: none, not even a hang-up */
	void (*ready)(struct waymark_monitor *m, struct watch *w);
	void *of; /* argument of `ready` */
};

/* Takes ownership of `fd`; waits for no events yet. */
static inline void watch_init(struct watch *w, int fd,
	void (*ready)(struct waymark_monitor *m, struct watch *w), void *of)
{
	*w = (struct watch){ .fd = fd, .shown = fd, .ready = ready, .of = of };
}

/* Changes the events to wait for. Returns 0, or -1 if the system lacks resources. */
int watch_set(int epoll, struct watch *w, uint32_t events);

/* Ends the wait and closes the descriptor. Legal if it is closed. */
void watch_close(int epoll, struct watch *w);

/* Closes the copy in a fork's child, while the parent continues to wait for it. */
void watch_close_copy(struct watch *w);

/* Marks it as closed without closing: its number may already be another file's. */
void watch_forget(struct watch *w);

/* ---- Errors of the monitor's public functions; for any thread ---- */

/* Sets the text, a line without control characters; `error` may be NULL. Returns -1. */
int mon_fail(struct waymark_error *error, const char *fmt, ...) PRINTF(2, 3);

#endif
