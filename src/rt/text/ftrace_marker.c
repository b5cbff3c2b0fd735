/* SPDX-License-Identifier: MIT */
/*
 * The open marker, and writes to it. The descriptor is changed only by compare-and-exchange, from a
 * number that is not ours to one that is. We never reuse one of our numbers for another file, so
 * our changes cannot make a thread that is between its check and its write hit a foreign file.
 */
#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <waymark/record.h>

#include "base/compiler.h"
#include "rt/host/error.h"
#include "rt/host/file.h"
#include "rt/host/message.h"
#include "rt/record/process.h"
#include "rt/text/ftrace_marker.h"
#include "rt/text/loss.h"

#define NONE (-1)

/* How often an event tries again while other threads open the marker and the program closes it. */
#define LOOKS 16

/* Time until an event tries again to open the marker. */
#define RETRY_NS UINT64_C(1000000000)

/* A shorter write does not change `piece_max`, because so little would hold no event. */
#define PIECE_MIN 64u

/*
 * By release and acquire. `identity` is the same for every descriptor that was opened for the
 * marker.
 */
static int marker_fd = NONE;
static uintptr_t identity;

/* Relaxed: the most bytes of a line, and when to try again. */
static uint32_t piece_max;
static waymark_count retry_ns;
static bool begun;

bool waymark_ftrace_has_begun(void)
{
	return __atomic_load_n(&begun, __ATOMIC_RELAXED);
}

/* Opens the marker to replace `former`, unless another thread was faster. */
static bool open_anew(int former)
{
	size_t max = 0;
	struct stat st;
	int fd = waymark_jail_is_on() ? NONE : waymark_ftrace_open(&max);

	if (fd < 0) {
		return false;
	}
	waymark_stat(fd, &st); /* does not fail: the descriptor is open */
	__atomic_store_n(&piece_max, (uint32_t)max, __ATOMIC_RELAXED);
	__atomic_store_n(&identity, identity_of(&st), __ATOMIC_RELEASE);
	if (!__atomic_compare_exchange_n(
		    &marker_fd, &former, fd, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
		syscall(SYS_close, fd);
	}
	return true;
}

/* The slow path, if no marker of ours is open. */
static COLD bool look_for_marker(int *fd)
{
	struct stat st;

	__atomic_store_n(&begun, true, __ATOMIC_RELAXED);
	for (int look = 0; look < LOOKS; look++) {
		uint64_t retry = __atomic_load_n(&retry_ns, __ATOMIC_RELAXED);

		if (retry && waymark_clock_ns() < retry) {
			return false;
		}
		*fd = __atomic_load_n(&marker_fd, __ATOMIC_ACQUIRE);
		if (*fd != NONE && identity_is(&identity, *fd, &st)) {
			__atomic_store_n(&retry_ns, 0, __ATOMIC_RELAXED);
			return true;
		}
		if (!open_anew(*fd)) {
			__atomic_store_n(
				&retry_ns, waymark_clock_ns() + RETRY_NS, __ATOMIC_RELAXED);
		}
	}
	return false;
}

bool waymark_ftrace_prepare(void)
{
	int fd;

	return look_for_marker(&fd);
}

int waymark_ftrace_descriptor(void)
{
	return __atomic_load_n(&marker_fd, __ATOMIC_ACQUIRE);
}

bool waymark_ftrace_marker(struct ftrace_marker *m)
{
	struct stat st;

	m->fd = __atomic_load_n(&marker_fd, __ATOMIC_ACQUIRE);
	if (UNLIKELY(m->fd == NONE || !identity_is(&identity, m->fd, &st)) &&
		!look_for_marker(&m->fd)) {
		waymark_loss_add(LOSS_FTRACE, 1);
		return false;
	}
	m->max = __atomic_load_n(&piece_max, __ATOMIC_RELAXED);
	return true;
}

/* The kernel copies the line into its buffer and never waits. */
static long write_piece(int fd, const char *line, size_t len)
{
	long n;

	do {
		n = syscall(SYS_write, fd, line, len);
	} while (n < 0 && errno == EINTR);
	return n;
}

/*
 * Call if the kernel took less than `piece_max`: makes later lines shorter, and marks the cut of
 * this one.
 */
static COLD void note_cut(int fd, long taken)
{
	static const char note[] = "waymark: the event before was cut here ...\n";

	if (taken >= (long)PIECE_MIN) {
		__atomic_store_n(&piece_max, (uint32_t)taken, __ATOMIC_RELAXED);
	}
	write_piece(fd, note, sizeof(note) - 1);
}

static COLD void lose(int error)
{
	char spare[REASON_BYTES];

	waymark_loss_add(LOSS_FTRACE, 1);
	if (error == EBADF || error == EINVAL) {
		if (waymark_ftrace_may_report(FTRACE_OFF)) {
			waymark_message("ftrace: the kernel's tracing is off, events are lost: "
					"write 1 to tracing_on (and to options/markers)");
		}
	} else if (waymark_ftrace_may_report(FTRACE_ERROR)) {
		waymark_message("ftrace: cannot write to trace_marker: %s; events are lost",
			waymark_reason(error, spare));
	}
}

void waymark_ftrace_write(const struct ftrace_marker *m, const char *line, size_t len)
{
	long n = write_piece(m->fd, line, len);
	int error = n < 0 ? errno : 0;
	struct stat st;
	int fd = m->fd;

	/* EBADF means that tracing is off, or that the program has just closed it. */
	if (UNLIKELY(error == EBADF) && !identity_is(&identity, fd, &st) && look_for_marker(&fd)) {
		n = write_piece(fd, line, len);
		error = n < 0 ? errno : 0;
	}
	if (UNLIKELY(error)) {
		lose(error);
	} else if (UNLIKELY((size_t)n < len)) {
		note_cut(fd, n);
	}
}
