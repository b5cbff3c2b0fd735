/* SPDX-License-Identifier: MIT */
/*
 * Descriptors of the monitor: never in the place of a standard stream, never
 * inherited by exec. Direct system calls, because a thread of the monitor may have a
 * table of descriptors of its own, while sanitizers keep book by number: no call
 * is a point of cancellation. All return -1 with errno.
 */
#ifndef MON_IO_H
#define MON_IO_H

#include <stdbool.h>
#include <stddef.h>
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

/* A descriptor that is good for nothing, and of an inode of its own: which epoll's is not. */
int io_witness(void);

/* Readable when the process has ended. */
int io_process(pid_t pid);

/* A connection that is not blocking. */
int io_accept(int fd);

/* Whether bytes of a socket wait to be read, or its end. */
bool io_has_input(int socket);

/* As read(2) and write(2); of a socket: waits for nothing, raises no SIGPIPE. */
ssize_t io_read(int fd, bool socket, void *bytes, size_t size);
ssize_t io_write(int fd, bool socket, const void *bytes, size_t size);

/*
 * What `fd` is open for as a descriptor of its own that is not blocking. Its other
 * users' are left alone wherever the kernel lets it be opened anew: terminals and
 * pipes. Where not, their reads and writes stay as they are, and so do ours.
 */
int io_open_again(int fd);

/* A copy. */
int io_copy(int fd);

int io_set_nonblocking(int fd);

/* Whether this is the terminal of another process group, which is the one to read from it. */
bool io_is_background(int fd);

/* Takes the place `to`, whatever is there. -1 stays -1. */
int io_move(int from, int to);

#endif
