/* SPDX-License-Identifier: MIT */
/*
 * The socket to the syslog daemon, opened with the first message. `current` says
 * all of it in one word: the descriptor, whether it is a stream, and which socket
 * it was. A message first asks whether the descriptor still is that socket; one
 * that the program closed is opened anew, and a foreign one is never written to
 * and never closed.
 *
 * A daemon that was restarted is found by connecting once more; a socket for
 * datagrams stays the same one then, so messages need no lock. Who must replace
 * the socket by another one takes `changing`, with all signals blocked: no
 * handler finds it held by its own thread. The number stays ours (dup3), because
 * a thread may be between its question and its message.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt/host/futex.h"
#include "rt/host/guard.h"
#include "rt/host/identity.h"
#include "rt/host/open.h"
#include "rt/host/socket.h"
#include "rt/record/process.h"
#include "rt/text/syslog.h"

/* How often a message finds another socket than the one that it began with. */
#define ATTEMPTS 8

/* How often, a millisecond apart, somebody looks whether the other one is through. */
#define LOOKS 200

/* By release, read by acquire with each message; 0: none was opened yet. */
static uint64_t current;

/* A lock: the pid of who replaces the socket; a fork's child takes over what its parent held. */
static uint32_t changing;

static uint64_t pack(int fd, bool stream, const struct stat *st)
{
	return ((uint64_t)fd + 1) << 33 | (uint64_t)stream << 32 | (uint32_t)identity_of(st);
}

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

static void change_end(void)
{
	__atomic_store_n(&changing, 0, __ATOMIC_RELEASE);
}

/* A stream that is connected; -1, and the reason, where there is none to be had. */
static int open_stream(int *error)
{
	int fd = waymark_socket(SOCK_STREAM);

	*error = fd < 0 ? errno : waymark_connect(fd, SYSLOG_SOCKET);
	if (*error && fd >= 0) {
		syscall(SYS_close, fd);
		fd = -1;
	}
	return fd;
}

/*
 * Opens a socket of the kind that the daemon listens with, which is that for
 * datagrams as long as nobody does: it is connected later.
 */
static int open_socket(bool *stream, int *error)
{
	int fd = waymark_socket(SOCK_DGRAM);

	*stream = false;
	*error = fd < 0 ? errno : waymark_connect(fd, SYSLOG_SOCKET);
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

/* Puts a new socket in the place of `old`. Returns 0 or an errno. Under `changing`. */
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
		__atomic_store_n(&current, pack(fd, stream, &st), __ATOMIC_RELEASE);
	}
	return error;
}

/* Replaces `old`, unless another thread just did. Returns 0 or an errno. */
static int replace(uint64_t old)
{
	struct guard guard;
	int error = EBUSY;

	if (waymark_jail_is_on()) {
		return EPERM; /* what was opened before is all there is */
	}

	waymark_guard_begin(&guard);
	if (change_begin()) {
		error = __atomic_load_n(&current, __ATOMIC_ACQUIRE) == old ? install(old) : 0;
		change_end();
	}
	waymark_guard_end(&guard);
	return error;
}

static int reconnect(uint64_t socket)
{
	if (waymark_jail_is_on()) {
		return EPERM;
	}
	int error = is_stream(socket) ? EPROTOTYPE : waymark_connect(fd_of(socket), SYSLOG_SOCKET);

	return error == EPROTOTYPE ? replace(socket) : error;
}

/* Nobody is at the other end, or not any more. */
static bool is_disconnected(int error)
{
	return error == ENOTCONN || error == ECONNREFUSED || error == ECONNRESET ||
	       error == EPIPE || error == EDESTADDRREQ;
}

/* In a stream a message ends with a NUL; behind half a message nothing can follow. */
static int send_to(uint64_t socket, const char *text, size_t length)
{
	struct iovec parts[] = { { (char *)text, length }, { (char *)"", 1 } };
	int error = waymark_send(fd_of(socket), parts, is_stream(socket) ? 2 : 1);

	if (error == EMSGSIZE && is_stream(socket)) {
		syscall(SYS_shutdown, fd_of(socket), SHUT_RDWR);
	}
	return error;
}

void waymark_syslog_prepare(void)
{
	uint64_t socket = __atomic_load_n(&current, __ATOMIC_ACQUIRE);

	if (!is_ours(socket)) {
		replace(socket);
	}
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
