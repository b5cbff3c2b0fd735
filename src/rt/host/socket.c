/* SPDX-License-Identifier: MIT */
/* See socket.h. */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "rt/host/open.h"
#include "rt/host/socket.h"

#define SECOND_NS UINT64_C(1000000000)
#define PATIENCE_NS SECOND_NS

int waymark_socket(int type)
{
	return waymark_above_standard(
		(int)syscall(SYS_socket, AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

int waymark_connect(int fd, const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
	return syscall(SYS_connect, fd, &address, sizeof(address)) == 0 ? 0 : errno;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

/* Waits until the socket takes a message; false where it does not before `deadline`. */
static bool wait_ready(int fd, uint64_t deadline)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	uint64_t now = now_ns();
	uint64_t left = deadline > now ? deadline - now : 0;
	/* The kernel's timespec of this call, see futex.h. */
	long wait[2] = { (long)(left / SECOND_NS), (long)(left % SECOND_NS) };
	long ready = syscall(SYS_ppoll, &p, 1, wait, NULL, 0);

	return ready > 0 || (ready < 0 && errno == EINTR && left);
}

/* Relaxed: a hint that only shortens a wait. */
static bool stalled;

/* The deadline of a message that finds the daemon's queue full. */
static uint64_t deadline_from_now(void)
{
	return now_ns() + (__atomic_load_n(&stalled, __ATOMIC_RELAXED) ? 0 : PATIENCE_NS);
}

static void note_stalled(bool is)
{
	if (__atomic_load_n(&stalled, __ATOMIC_RELAXED) != is) {
		__atomic_store_n(&stalled, is, __ATOMIC_RELAXED);
	}
}

int waymark_send(int fd, const struct iovec *parts, size_t count)
{
	struct msghdr message = { .msg_iov = (struct iovec *)parts, .msg_iovlen = count };
	uint64_t deadline = 0;
	size_t whole = 0;

	for (size_t i = 0; i < count; i++) {
		whole += parts[i].iov_len;
	}
	for (;;) {
		long sent = syscall(SYS_sendmsg, fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
		int error = errno;

		if (sent >= 0) {
			note_stalled(false);
			return (size_t)sent == whole ? 0 : EMSGSIZE;
		}
		if (error == EAGAIN) {
			deadline = deadline ? deadline : deadline_from_now();
			if (!wait_ready(fd, deadline)) {
				note_stalled(true);
				return EAGAIN;
			}
		} else if (error != EINTR) {
			return error;
		}
	}
}
