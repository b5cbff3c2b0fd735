/* SPDX-License-Identifier: MIT */
/*
 * The socket to the syslog daemon, opened by the first message. One word, `current`, holds its
 * whole state: the descriptor, whether it is a stream, and the socket's identity. A message first
 * checks that the descriptor still refers to that socket. If the program closed it, a new one is
 * opened; a foreign descriptor is never written to and never closed.
 *
 * After a restart of the daemon the socket is connected again. A datagram socket stays the same one
 * then, so messages need no lock. A thread that must replace the socket takes `changing`, with all
 * signals blocked, so that no signal handler finds it held by its own thread. The descriptor's
 * number stays ours (dup3), because a thread may be between its check and its message.
 *
 * System calls are made directly, as in open.h: no cancellation point, no signal, no endless wait.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "rt/host/file.h"
#include "rt/host/futex.h"
#include "rt/host/guard.h"
#include "rt/host/open.h"
#include "rt/record/process.h"
#include "rt/text/syslog.h"

#define SECOND_NS UINT64_C(1000000000)

/* How many times a message tries again because another thread has replaced the socket. */
#define ATTEMPTS 8

/*
 * How many times, a millisecond apart, a thread checks whether another one has replaced the socket.
 */
#define LOOKS 200

/* ---- The daemon ---- */

/* Creates a socket that is not inherited by exec; returns -1 with errno on failure. */
static int create(int type)
{
	return waymark_above_standard(
		(int)syscall(SYS_socket, AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

/*
 * Connects to the daemon; a datagram socket may be connected again. Returns 0 or an errno; EAGAIN
 * if the daemon of a stream socket does not accept now.
 */
static int connect_to_daemon(int fd)
{
	const struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = SYSLOG_SOCKET };

	return syscall(SYS_connect, fd, &address, sizeof(address)) == 0 ? 0 : errno;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

/* Waits until the socket takes a message. Returns false at `deadline`, or if the socket failed. */
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

/* The daemon took nothing for a second. Relaxed: a hint that only shortens a wait. */
static bool stalled;

/*
 * Sends the parts as one message. Returns 0 or an errno; EMSGSIZE if a stream took only a part. If
 * the daemon's queue is full, waits once, for at most a second; then returns EAGAIN without a wait
 * until the daemon takes messages again.
 */
static int send_parts(int fd, const struct iovec *parts, size_t count)
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
		bool was_stalled = __atomic_load_n(&stalled, __ATOMIC_RELAXED);

		if (sent >= 0) {
			if (was_stalled) {
				__atomic_store_n(&stalled, false, __ATOMIC_RELAXED);
			}
			return (size_t)sent == whole ? 0 : EMSGSIZE;
		}
		if (error == EINTR) {
			continue;
		}
		if (error != EAGAIN) {
			return error;
		}
		if (!deadline) {
			deadline = now_ns() + (was_stalled ? 0 : SECOND_NS);
		}
		if (!wait_ready(fd, deadline)) {
			__atomic_store_n(&stalled, true, __ATOMIC_RELAXED);
			return EAGAIN;
		}
	}
}

/* ---- The socket in use ---- */

/* Stored by release, loaded by acquire for each message; 0: none was opened yet. */
static uint64_t current; /* (descriptor + 1) << 33 | is a stream << 32 | identity */

/*
 * A lock: the pid of the process that replaces the socket. A fork's child takes over the lock of
 * its parent.
 */
static uint32_t changing;

static int fd_of(uint64_t socket)
{
	return (int)(socket >> 33) - 1;
}

static bool is_stream(uint64_t socket)
{
	return socket >> 32 & 1;
}

static bool is_ours(uint64_t socket)
{
	struct stat st;

	return socket && waymark_stat(fd_of(socket), &st) == 0 && S_ISSOCK(st.st_mode) &&
	       (uint32_t)identity_of(&st) == (uint32_t)socket;
}

static bool change_begin(void)
{
	uint32_t mine = (uint32_t)getpid();

	for (int look = 0; look < LOOKS; look++) {
		uint32_t holder = 0;

		if (__atomic_compare_exchange_n(
			    &changing, &holder, mine, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
			return true;
		}
		if (holder != mine && __atomic_compare_exchange_n(&changing, &holder, mine, false,
					      __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
			return true;
		}
		futex_sleep(1000000);
	}
	return false;
}

/* Returns a connected stream; -1 with the reason on failure. */
static int open_stream(int *error)
{
	int fd = create(SOCK_STREAM);

	*error = fd < 0 ? errno : connect_to_daemon(fd);
	if (*error && fd >= 0) {
		syscall(SYS_close, fd);
		fd = -1;
	}
	return fd;
}

/*
 * Opens a socket of the kind on which the daemon listens. While no daemon listens, opens a datagram
 * socket, which is connected later.
 */
static int open_socket(bool *stream, int *error)
{
	int fd = create(SOCK_DGRAM);

	*stream = false;
	*error = fd < 0 ? errno : connect_to_daemon(fd);
	if (*error != EPROTOTYPE) {
		return fd;
	}
	int other = open_stream(error);

	if (other < 0) {
		return fd;
	}
	syscall(SYS_close, fd);
	*stream = true;
	return other;
}

/* Replaces `old` by a new socket. Returns 0 or an errno. Under `changing`. */
static int install(uint64_t old)
{
	struct stat st;
	bool stream;
	int error;
	int fd = open_socket(&stream, &error);

	if (fd < 0) {
		return error;
	}
	if (is_ours(old) && syscall(SYS_dup3, fd, fd_of(old), O_CLOEXEC) >= 0) {
		syscall(SYS_close, fd);
		fd = fd_of(old);
	}
	if (waymark_stat(fd, &st) == 0) {
		uint64_t socket = ((uint64_t)fd + 1) << 33 | (uint64_t)stream << 32 |
				  (uint32_t)identity_of(&st);

		__atomic_store_n(&current, socket, __ATOMIC_RELEASE);
	}
	return error;
}

/* Replaces `old`, unless another thread just did. Returns 0 or an errno. */
static int replace(uint64_t old)
{
	struct guard guard;
	int error = EBUSY;

	if (waymark_jail_is_on()) {
		return EPERM; /* nothing can be opened in a jail */
	}
	waymark_guard_begin(&guard);
	if (change_begin()) {
		error = __atomic_load_n(&current, __ATOMIC_ACQUIRE) == old ? install(old) : 0;
		__atomic_store_n(&changing, 0, __ATOMIC_RELEASE);
	}
	waymark_guard_end(&guard);
	return error;
}

static int reconnect(uint64_t socket)
{
	if (waymark_jail_is_on()) {
		return EPERM;
	}
	int error = is_stream(socket) ? EPROTOTYPE : connect_to_daemon(fd_of(socket));

	return error == EPROTOTYPE ? replace(socket) : error;
}

/* True if no daemon is at the other end, or none any more. */
static bool is_disconnected(int error)
{
	return error == ENOTCONN || error == ECONNREFUSED || error == ECONNRESET ||
	       error == EPIPE || error == EDESTADDRREQ;
}

/* Sends a message, on a stream with a NUL at its end. Nothing may follow half a message. */
static int send_to(uint64_t socket, const char *text, size_t length)
{
	struct iovec parts[] = { { (char *)text, length }, { (char *)"", 1 } };
	int error = send_parts(fd_of(socket), parts, is_stream(socket) ? 2 : 1);

	if (error == EMSGSIZE && is_stream(socket)) {
		syscall(SYS_shutdown, fd_of(socket), SHUT_RDWR);
	}
	return error;
}

bool waymark_syslog_prepare(void)
{
	uint64_t socket = __atomic_load_n(&current, __ATOMIC_ACQUIRE);

	if (!is_ours(socket)) {
		replace(socket);
	}
	return true;
}

int waymark_syslog_descriptor(void)
{
	return fd_of(__atomic_load_n(&current, __ATOMIC_ACQUIRE));
}

int waymark_syslog_send(const char *text, size_t length)
{
	int error = EBUSY;

	for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
		uint64_t socket = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
		bool ours = is_ours(socket);

		error = ours ? send_to(socket, text, length) : ENOTCONN;
		if (!is_disconnected(error)) {
			return error;
		}
		int why = ours ? reconnect(socket) : replace(socket);

		if (why) {
			return why;
		}
	}
	return error;
}
