/* SPDX-License-Identifier: MIT */
/*
 * A write whose reader is gone raises SIGPIPE, which kills a program that does
 * not expect it. MSG_NOSIGNAL exists for sockets only, so the signal is blocked
 * in this thread around the write, and taken back if it was ours. System calls
 * are made directly: a trace point is no point of cancellation.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt/host/guard.h"
#include "rt/host/write.h"

#define NOT_READY_WAIT_NS 100000000

struct pipe_guard {
	sigset_t former;
	bool pending; /* before our write: then it is not ours to take back */
};

static void guard_begin(struct pipe_guard *g)
{
	sigset_t sigpipe;
	sigset_t pending;

	sigemptyset(&sigpipe);
	sigaddset(&sigpipe, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &sigpipe, &g->former);
	sigpending(&pending);
	g->pending = sigismember(&pending, SIGPIPE) == 1;
}

static void guard_end(const struct pipe_guard *g, int result)
{
	if (result == EPIPE && !g->pending) {
		sigset_t sigpipe;

		sigemptyset(&sigpipe);
		sigaddset(&sigpipe, SIGPIPE);
		waymark_take_signal(&sigpipe);
	}
	pthread_sigmask(SIG_SETMASK, &g->former, NULL);
}

/* Waits until `fd` takes bytes. Relaxed: a hint that only shortens a wait. */
static bool wait_ready(int fd)
{
	static bool stalled;
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	/* The kernel's timespec of this call, see futex.h. */
	long wait[2] = { 0, __atomic_load_n(&stalled, __ATOMIC_RELAXED) ? 0 : NOT_READY_WAIT_NS };
	long ready = syscall(SYS_ppoll, &p, 1, wait, NULL, 0);

	if (ready < 0) {
		return errno == EINTR;
	}
	__atomic_store_n(&stalled, ready == 0, __ATOMIC_RELAXED);
	return ready > 0;
}

static int write_all(int fd, const char *data, size_t len)
{
	while (len > 0) {
		long n = syscall(SYS_write, fd, data, len);

		if (n >= 0) {
			data += n;
			len -= (size_t)n;
		} else if (errno == EAGAIN) {
			if (!wait_ready(fd)) {
				return EAGAIN;
			}
		} else if (errno != EINTR) {
			return errno;
		}
	}
	return 0;
}

int waymark_write(int fd, mode_t mode, const char *data, size_t len)
{
	if (!S_ISFIFO(mode) && !S_ISSOCK(mode)) {
		return write_all(fd, data, len);
	}
	struct pipe_guard guard;

	guard_begin(&guard);
	int result = write_all(fd, data, len);

	guard_end(&guard, result);
	return result;
}
