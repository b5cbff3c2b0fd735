/* SPDX-License-Identifier: MIT */
/*
 * Writes log lines to standard error, the program's own log, or a file. Each line first checks the
 * file's identity (file.h); a file whose descriptor the program closed is opened again. The
 * descriptor's number stays the same while the file changes (dup3), because a thread may be between
 * its check and its write.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/compiler.h"
#include "rt/host/error.h"
#include "rt/host/futex.h"
#include "rt/host/hooks.h"
#include "rt/host/file.h"
#include "rt/host/lock.h"
#include "rt/host/message.h"
#include "rt/record/process.h"
#include "rt/text/log.h"
#include "rt/host/open.h"
#include "rt/host/path.h"
#include "rt/sink/sink.h"
#include "rt/host/write.h"
#include "rt/text/loss.h"

#define TO_STDERR (-1)

/* How many times, and after how long, a line tries again while another thread changes the file. */
#define LOOKS 100
#define LOOK_NS 100000

/* Tries to write a line whose file the program keeps closing. */
#define LOOKS_AT_CLOSED 30

/* Written under the control lock, read for every line. `log_identity` belongs to `log_fd`. */
static int log_fd = TO_STDERR;
static uintptr_t log_identity;
/* Our descriptor's number, kept while lines go to standard error. Under the control lock. */
static int parked_fd = TO_STDERR;
static char *log_path; /* absolute; under the control lock */
static uint32_t log_off;
/* Only a part of the last line was written. Relaxed: lines of several threads have no order. */
static bool line_cut;

static struct once failure_reported;

static bool is_ours(int fd, struct stat *st)
{
	return identity_is(&log_identity, fd, st);
}

/*
 * O_NOCTTY: a terminal named as the log must not become the daemon's. O_NONBLOCK:
 * a FIFO without a reader must not stop the program, neither now nor later.
 */
static int open_log(const char *path)
{
	return waymark_open(path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK, 0666);
}

/* Makes `fd`, which it takes over, the file of lines. Under the lock. */
static void install(int fd)
{
	struct stat st;
	struct stat old;
	int target = parked_fd;
	bool keeps_number = target != TO_STDERR && is_ours(target, &old);

	fstat(fd, &st);
	__atomic_store_n(&log_identity, identity_of(&st), __ATOMIC_RELEASE);
	if (keeps_number && dup3(fd, target, O_CLOEXEC) == target) {
		syscall(SYS_close, fd);
		fd = target;
	}
	parked_fd = fd;
	__atomic_store_n(&log_fd, fd, __ATOMIC_RELEASE);
}

/* Opens the file again after the program closed its descriptor. Under the lock. */
static bool reopen(void)
{
	int fd = log_path && !waymark_jail_is_on() ? open_log(log_path) : -1;

	if (fd < 0) {
		return false;
	}
	parked_fd = TO_STDERR;
	install(fd);
	return true;
}

/*
 * Finds the descriptor to write to and its mode. Returns false if none is open. If the file seems
 * foreign, another thread may be changing it, so this tries again; only a holder of the lock can be
 * sure. A signal handler that interrupted the change tries in vain and loses its line.
 */
static bool find_target(int *fd, struct stat *st)
{
	for (int look = 0; look < LOOKS; look++) {
		*fd = __atomic_load_n(&log_fd, __ATOMIC_ACQUIRE);
		if (*fd == TO_STDERR) {
			*fd = STDERR_FILENO;
			return fstat(*fd, st) == 0;
		}
		if (is_ours(*fd, st)) {
			return true;
		}
		if (!waymark_trylock()) {
			futex_sleep(LOOK_NS);
			continue;
		}
		bool found = is_ours(parked_fd, st) || reopen();

		waymark_unlock();
		if (!found) {
			errno = EBADF;
			return false;
		}
	}
	errno = EBUSY;
	return false;
}

/* `where` is NULL for standard error: its failure cannot be reported there. */
static void count_lost(const char *where, int reason)
{
	waymark_loss_add(LOSS_LOG, 1);
	if (where && once(&failure_reported)) {
		char spare[REASON_BYTES];

		waymark_message("log: cannot write to %s: %s; lines are lost", where,
			waymark_reason(reason, spare));
	}
}

int waymark_log_descriptor(void)
{
	int fd = __atomic_load_n(&log_fd, __ATOMIC_ACQUIRE);

	return fd == TO_STDERR ? STDERR_FILENO : fd;
}

bool waymark_log_is_on(void)
{
	return !__atomic_load_n(&log_off, __ATOMIC_RELAXED);
}

/* Ends a line that was cut before it writes the next one. */
static int write_line(int fd, mode_t mode, const char *line, size_t len)
{
	size_t done;
	int failure = 0;

	if (UNLIKELY(__atomic_load_n(&line_cut, __ATOMIC_RELAXED))) {
		failure = waymark_write(fd, mode, "\n", 1, &done);
		__atomic_store_n(&line_cut, failure != 0, __ATOMIC_RELAXED);
	}
	if (failure) {
		return failure;
	}
	failure = waymark_write(fd, mode, line, len, &done);
	if (UNLIKELY(failure && done > 0)) {
		__atomic_store_n(&line_cut, true, __ATOMIC_RELAXED);
	}
	return failure;
}

static bool is_stderr(void)
{
	return __atomic_load_n(&log_fd, __ATOMIC_RELAXED) == TO_STDERR;
}

/* Passes a line for standard error to the program's own log, if it has one. */
static bool write_to_host(const char *line, size_t len)
{
	const struct waymark_host *host = is_stderr() ? waymark_hooks_enter() : NULL;
	bool takes = host && host->write;
	int failure = takes ? host->write(line, len, host->user) : 0;

	if (host) {
		waymark_hooks_leave();
	}
	if (failure) {
		count_lost("the program's log", failure);
	}
	return takes;
}

/* Opens a file that was closed between check and write again, and writes to it. */
static void write_to_file(const char *line, size_t len)
{
	struct stat st;
	int fd;
	int failure = EBADF;
	bool found = true;

	for (int look = 0; found && failure == EBADF && look < LOOKS_AT_CLOSED; look++) {
		found = find_target(&fd, &st);
		failure = found ? write_line(fd, st.st_mode, line, len) : errno;
	}
	if (failure) {
		count_lost(is_stderr() ? NULL : "the file", failure);
	}
}

void waymark_log_write(const char *line, size_t len)
{
	if (!write_to_host(line, len)) {
		write_to_file(line, len);
	}
}

/* Keeps the number, for /dev/null, because a thread may be about to write to it. */
static void park(void)
{
	struct stat st;
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (parked_fd != TO_STDERR && is_ours(parked_fd, &st) && fd >= 0) {
		dup3(fd, parked_fd, O_CLOEXEC);
		fstat(parked_fd, &st);
		__atomic_store_n(&log_identity, identity_of(&st), __ATOMIC_RELEASE);
	}
	if (fd >= 0) {
		close(fd);
	}
}

static void use_stderr(void)
{
	waymark_lock();
	char *old = log_path;

	log_path = NULL;
	__atomic_store_n(&log_fd, TO_STDERR, __ATOMIC_RELEASE);
	park();
	waymark_unlock();
	free(old);
}

static int log_set_file(const char *path, bool yield, struct waymark_error *error)
{
	(void)yield;
	if (!path) {
		use_stderr();
		return 0;
	}
	char *whole = path_absolute(path);
	int fd = whole ? open_log(whole) : -1;

	if (fd < 0) {
		waymark_fail(error, "%s: %s", path, strerror(whole ? errno : ENOMEM));
		free(whole);
		return -1;
	}
	waymark_lock();
	char *old = log_path;

	log_path = whole;
	install(fd);
	waymark_unlock();
	free(old);
	once_more(&failure_reported);
	return 0;
}

static int log_set_on(bool on, bool *was_on, struct waymark_error *error)
{
	bool was_off = __atomic_exchange_n(&log_off, !on, __ATOMIC_RELAXED);

	(void)error;
	if (was_on) {
		*was_on = !was_off;
	}
	return 0;
}

static int log_flush(void)
{
	return 0;
}

static void log_describe(struct waymark_output *output)
{
	waymark_lock();
	snprintf(output->path, sizeof(output->path), "%s", log_path ? log_path : "");
	waymark_unlock();
	output->on = waymark_log_is_on();
	output->begun = output->path[0];
}

const struct waymark_sink waymark_sink_log = {
	.backend = WAYMARK_LOG,
	.name = "log",
	.check_file = waymark_sink_check_plain,
	.set_file = log_set_file,
	.set_on = log_set_on,
	.flush = log_flush,
	.title = "Log",
	.describe = log_describe,
};
