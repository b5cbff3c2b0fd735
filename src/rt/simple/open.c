/* SPDX-License-Identifier: MIT */
/*
 * Which file the sink `simple` writes to, and opening it. A file that the user named is emptied; a
 * name that follows from a pid (the default file, a forked child's) never overwrites anything,
 * because pids are reused: `.1` and so on is appended. The same applies while a name is held
 * (hold.c). A file that was closed meanwhile is continued if it is the same file with the same
 * length, otherwise it is begun again.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <waymark/record.h>

#include "rt/host/error.h"
#include "rt/host/guard.h"
#include "rt/host/line.h"
#include "rt/host/open.h"
#include "rt/record/process.h"
#include "rt/simple/state.h"

#define NUMBERS_MAX 1000u
#define RETRY_NS UINT64_C(1000000000)

void waymark_simple_complain(struct simple_out *out, enum simple_complaint what, int error)
{
	struct process *p = waymark_process_current();
	char name[300];
	char spare[REASON_BYTES];

	__atomic_store_n(&out->error, error, __ATOMIC_RELAXED);
	if (out->complained & what) {
		return;
	}
	out->complained |= what;
	waymark_simple_name(out->config, out->pid, out->file.number, name, sizeof(name));
	waymark_notice(p, "%s: cannot %s the trace: %s; events are lost until it works again", name,
		what == SIMPLE_CANNOT_OPEN ? "open" : "write", waymark_reason(error, spare));
}

static int raw_open(const char *name, int flags)
{
	return waymark_open(name, flags | O_NONBLOCK, 0666);
}

/*
 * Returns the path of the file with that number; without a name, in the directory of the first
 * event.
 */
static const char *file_path(struct simple_out *out, uint32_t number)
{
	const struct simple_state *d = waymark_simple_current();
	struct line l;

	line_init(&l, out->path, sizeof(out->path));
	if (!simple_is_named(out->config) && d && d->directory[0] == '/') {
		waymark_line_put(&l, "%s/", d->directory);
	}
	waymark_simple_name(out->config, out->pid, number, l.data + l.len, l.size - l.len);
	return out->path;
}

/* True for a pipe or device, which cannot be replaced. */
static bool is_no_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* Opens the file by the name it has, or by the first derived name that is free. */
static int open_by_name(struct simple_out *out, bool again)
{
	const struct simple_config *config = out->config;
	bool derived = !simple_is_named(config) || config->pid != out->pid || config->held;
	int fd = -1;

	if (simple_is_shared(config)) {
		return raw_open(file_path(out, 0), O_WRONLY | O_CREAT | O_APPEND);
	}
	if (!derived || again) {
		return raw_open(file_path(out, out->file.number), O_WRONLY | (again ? 0 : O_CREAT));
	}
	if (config && config->held && config->pid == out->pid && is_no_file(file_path(out, 0))) {
		return raw_open(out->path, O_WRONLY);
	}
	for (uint32_t n = out->file.number; fd < 0 && n < NUMBERS_MAX; n++) {
		fd = raw_open(file_path(out, n), O_WRONLY | O_CREAT | O_EXCL);
		if (fd < 0 && errno != EEXIST) {
			break;
		}
		__atomic_store_n(&out->file.number, n, __ATOMIC_RELAXED);
	}
	return fd;
}

/*
 * Takes over a descriptor that was just opened. If a file was begun before, it must be the same
 * file.
 */
static void adopt(struct simple_out *out, int fd, const struct stat *st)
{
	struct simple_file *f = &out->file;
	bool prepared = out->config && out->config->empty && out->config->pid == out->pid &&
			st->st_dev == out->config->device && st->st_ino == out->config->inode &&
			st->st_size == (off_t)sizeof(struct simple_header);

	f->fd_plus_one = fd + 1;
	f->regular = S_ISREG(st->st_mode);
	f->device = st->st_dev;
	f->inode = st->st_ino;
	if (!f->begun) {
		__atomic_store_n(&f->begun, prepared, __ATOMIC_RELAXED);
		f->size = f->boundary = prepared ? (uint64_t)st->st_size : 0;
	}
	if (simple_is_shared(out->config)) {
		__atomic_store_n(&f->begun, !f->regular || st->st_size > 0, __ATOMIC_RELAXED);
		f->regular = false; /* it has records of other processes */
	}
	if (f->regular && ftruncate(fd, (off_t)(f->size + f->note)) == 0) {
		lseek(fd, (off_t)f->size, SEEK_SET);
	}
}

void waymark_simple_share_file(struct simple_out *out)
{
	if (out->file.fd_plus_one) {
		int fd = simple_fd(out);

		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_APPEND);
		out->file.regular = false;
	}
}

bool waymark_simple_continue(struct simple_out *out)
{
	struct simple_file *f = &out->file;
	struct stat st;
	int fd = open_by_name(out, true);

	if (fd < 0) {
		return false;
	}
	if (waymark_stat(fd, &st) || st.st_dev != f->device || st.st_ino != f->inode ||
		(f->regular && (uint64_t)st.st_size != f->size + f->note)) {
		syscall(SYS_close, fd);
		return false;
	}
	adopt(out, fd, &st);
	return true;
}

int waymark_simple_open_again(struct simple_out *out)
{
	struct stat st;
	int fd = raw_open(file_path(out, out->file.number), O_RDONLY);

	if (fd >= 0 && (waymark_stat(fd, &st) || st.st_dev != out->file.device ||
			       st.st_ino != out->file.inode)) {
		syscall(SYS_close, fd);
		fd = -1;
	}
	return fd;
}

void waymark_simple_forget(struct simple_out *out)
{
	__atomic_store_n(&out->file.begun, false, __ATOMIC_RELAXED);
	out->file.size = out->file.boundary = 0;
	out->file.note = 0;
	out->generation++;
}

bool waymark_simple_open(struct simple_out *out)
{
	bool fresh = !out->file.begun;
	struct stat st;

	if (!fresh && waymark_simple_continue(out)) {
		return true;
	}
	if (!fresh) {
		waymark_simple_forget(out);
	}
	uint64_t now = waymark_clock_ns();

	if (now < out->retry_ns) {
		return false;
	}
	int fd = open_by_name(out, false);

	if (fd < 0 || waymark_stat(fd, &st)) {
		out->retry_ns = now + RETRY_NS;
		waymark_simple_complain(out, SIMPLE_CANNOT_OPEN, errno);
		return false;
	}
	adopt(out, fd, &st);
	return fresh;
}

/* Empties the file; raises no signal. */
static bool begin_file(int fd)
{
	struct simple_header h = { SIMPLE_HEADER_ID, SIMPLE_MAGIC, SIMPLE_VERSION };
	struct guard guard;

	waymark_guard_begin(&guard);
	bool ok = ftruncate(fd, 0) == 0 && syscall(SYS_write, fd, &h, sizeof(h)) == sizeof(h);
	int why = errno;

	waymark_guard_end(&guard);
	errno = why;
	return ok;
}

int waymark_simple_prepare(struct simple_config *config, struct waymark_error *error)
{
	struct stat st;

	if (stat(config->path, &st) == 0 && S_ISFIFO(st.st_mode)) {
		return 0; /* opening it would end its reader's wait */
	}
	int fd = raw_open(config->path, O_WRONLY | O_CREAT);

	if (fd < 0 || waymark_stat(fd, &st)) {
		int why = errno;

		if (fd >= 0) {
			syscall(SYS_close, fd);
		}
		return waymark_fail(
			error, "%s: cannot open the trace file: %s", config->path, strerror(why));
	}
	if (S_ISREG(st.st_mode)) {
		config->device = st.st_dev;
		config->inode = st.st_ino;
		config->empty = begin_file(fd);
	}
	int why = errno;

	syscall(SYS_close, fd);
	if (S_ISREG(st.st_mode) && !config->empty) {
		return waymark_fail(
			error, "%s: cannot write the trace file: %s", config->path, strerror(why));
	}
	return 0;
}
