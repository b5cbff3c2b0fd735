/* SPDX-License-Identifier: MIT */
/*
 * Writes of the log, of messages and of `simple`. A write to a pipe without a reader raises
 * SIGPIPE, one beyond the limit of file sizes SIGXFSZ; both kill a program that does not expect
 * them. MSG_NOSIGNAL exists for sockets only, so this thread blocks the signals around the write,
 * and removes those that the write raised. Makes system calls directly, so that a trace point is no
 * cancellation point.
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

struct write_guard {
	sigset_t former;
	sigset_t pending; /* pending before our write: to be kept */
};

static void guard_begin(struct write_guard *g)
{
	sigset_t raised;

	sigemptyset(&raised);
	sigaddset(&raised, SIGPIPE);
	sigaddset(&raised, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &raised, &g->former);
	sigemptyset(&g->pending);
	/* If neither was blocked, neither can be pending for this thread. */
	if (sigismember(&g->former, SIGPIPE) || sigismember(&g->former, SIGXFSZ)) {
		sigpending(&g->pending);
	}
}

static void guard_end(const struct write_guard *g, int error)
{
	int raised = error == EPIPE ? SIGPIPE : error == EFBIG ? SIGXFSZ : 0;
	sigset_t mine;

	if (raised && !sigismember(&g->pending, raised)) {
		sigemptyset(&mine);
		sigaddset(&mine, raised);
		waymark_take_signal(&mine);
	}
	pthread_sigmask(SIG_SETMASK, &g->former, NULL);
}

int waymark_wait_writable(int fd, long ns)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	long wait[2] = { 0, ns }; /* the kernel's timespec of this call, see futex.h */

	return (int)syscall(SYS_ppoll, &p, 1, wait, NULL, 0);
}

/* Waits until `fd` takes bytes. `stalled` is relaxed: a hint that only shortens a wait. */
static bool wait_ready(int fd)
{
	static bool stalled;
	bool was_stalled = __atomic_load_n(&stalled, __ATOMIC_RELAXED);
	int ready = waymark_wait_writable(fd, was_stalled ? 0 : NOT_READY_WAIT_NS);

	if (ready < 0) {
		return errno == EINTR;
	}
	__atomic_store_n(&stalled, ready == 0, __ATOMIC_RELAXED);
	return ready > 0;
}

static int write_all(int fd, const char *data, size_t len, size_t *done)
{
	for (*done = 0; *done < len;) {
		long n = syscall(SYS_write, fd, data + *done, len - *done);

		if (n > 0) {
			*done += (size_t)n;
		} else if (n == 0) {
			return EIO; /* retrying might never end */
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

int waymark_write(int fd, mode_t mode, const char *data, size_t len, size_t *done)
{
	if (!S_ISFIFO(mode) && !S_ISSOCK(mode) && !S_ISREG(mode)) {
		return write_all(fd, data, len, done);
	}
	struct write_guard guard;

	guard_begin(&guard);
	int result = write_all(fd, data, len, done);

	guard_end(&guard, result);
	return result;
}
