/* SPDX-License-Identifier: MIT */
/*
 * Sockets to a daemon of this host. Direct system calls as in open.h: no point
 * of cancellation, no signal, and no endless wait. Any thread, any signal handler.
 */
#ifndef RT_HOST_SOCKET_H
#define RT_HOST_SOCKET_H

#include <stddef.h>
#include <sys/uio.h>

/* A socket of AF_UNIX, SOCK_DGRAM or SOCK_STREAM, not inherited by exec; -1 with errno. */
int waymark_socket(int type);

/*
 * Connects it, anew if it is one for datagrams. `path` has at most 107 bytes.
 * Returns 0 or an errno; a stream whose daemon does not accept now: EAGAIN.
 */
int waymark_connect(int fd, const char *path);

/*
 * Sends the parts as one message. Returns 0 or an errno; EMSGSIZE where a stream
 * took only some of it. A daemon that takes nothing is waited for at most once
 * for a second, then not at all until it takes messages again: EAGAIN.
 */
int waymark_send(int fd, const struct iovec *parts, size_t count);

#endif
