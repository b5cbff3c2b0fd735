/* SPDX-License-Identifier: MIT */
/*
 * Descriptors of the monitor: never a standard stream's number, never inherited by
 * exec. Direct system calls, because a thread of the monitor may have a table of
 * descriptors of its own, while sanitizers keep book by number; no call is a point of
 * cancellation. All return -1 with errno. Under the monitor's lock.
 */
#ifndef MON_IO_H
#define MON_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/types.h>

int io_epoll(void);
int io_epoll_control(int epoll, int operation, int fd, struct epoll_event *event);
/* `ms` as of epoll_wait(2): -1 waits for ever. */
int io_epoll_wait(int epoll, struct epoll_event *events, int count, int ms);

/* A timer that is not armed, and one that expires once, in `ms` milliseconds. */
int io_timer(void);
void io_timer_arm(int timer, unsigned int ms);
void io_timer_take(int timer);

/* A descriptor that is always ready. */
int io_ready(void);

/* A descriptor with an inode of its own, which epoll's has not, to recognize it by. */
int io_witness(void);

/* A pidfd: readable when the process has exited. */
int io_process(pid_t pid);

/* An accepted connection, non-blocking. */
int io_accept(int fd);

/* True if a socket has bytes to read, or its end. */
bool io_has_input(int socket);

/* As read(2) and write(2); of a socket: waits for nothing, raises no SIGPIPE. */
ssize_t io_read(int fd, bool socket, void *bytes, size_t size);
ssize_t io_write(int fd, bool socket, const void *bytes, size_t size);

/*
 * Another descriptor of the file of `fd`. Terminals and pipes are opened anew and are
 * non-blocking, which other users of the file do not notice; all else is a copy, as
 * blocking as it was.
 */
int io_open_again(int fd);

int io_copy(int fd);

int io_set_nonblocking(int fd);

/* True if `fd` is a terminal whose foreground process group is another one. */
bool io_is_background(int fd);

/* Gives a descriptor the number `to`, and closes what had it. -1 stays -1. */
int io_move(int from, int to);

/* A descriptor that a monitor owns, and what to call when it is ready. */
struct waymark_monitor;

struct watch {
	int fd; /* -1: not open */
	int shown; /* to epoll: `fd`, or one that is always ready for a file, which epoll refuses */
	bool socket; /* for io_read() and io_write() */
	uint32_t events; /* to wait for; 0: none, not even a hang-up */
	void (*ready)(struct waymark_monitor *m, struct watch *w);
	void *of; /* the owner's */
};

/* Takes `fd` over; waits for nothing yet. */
static inline void watch_init(struct watch *w, int fd,
	void (*ready)(struct waymark_monitor *m, struct watch *w), void *of)
{
	*w = (struct watch){ .fd = fd, .shown = fd, .ready = ready, .of = of };
}

/* Waits for these events from now on. Returns 0, or -1: the system is short of something. */
int watch_set(int epoll, struct watch *w, uint32_t events);

/* Ends the wait and closes it. Legal for a closed one. */
void watch_close(int epoll, struct watch *w);

/* Closes a fork child's copy, whose parent goes on to wait for it. */
void watch_close_copy(struct watch *w);

/* Marks it closed: its number is another file's by now. */
void watch_forget(struct watch *w);

#endif
