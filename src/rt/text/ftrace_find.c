/* SPDX-License-Identifier: MIT */
/*
 * Finds and opens the kernel's trace_marker: where tracefs is mounted, then in the tracing/ of each
 * debugfs, then in /sys/kernel/tracing, where kernels since 4.1 have it. The first that can be
 * opened is used; nothing is ever created. Also has the messages about the marker.
 *
 * Never changes tracing_on: kernel tracing that was switched off stays off.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt/host/error.h"
#include "rt/host/line.h"
#include "rt/host/message.h"
#include "rt/host/open.h"
#include "rt/text/ftrace.h"
#include "rt/text/ftrace_marker.h"

/* ---- /proc/mounts ---- */

#define TYPE_MAX 16
#define END (-1)

/*
 * Where file systems are mounted. A line of /proc/mounts is `source path type options ...`; in the
 * fields a backslash and three octal digits stand for a blank, backslash or newline. Lines may have
 * any length, so they are read in pieces, and only one path is kept.
 */
struct mounts {
	int fd; /* -1: there is no /proc, so no mount is found */
	size_t at; /* in `bytes` */
	size_t length;
	char bytes[1024];
	char path[PATH_MAX]; /* found by mounts_next() */
};

static int next_byte(struct mounts *m)
{
	if (m->at == m->length) {
		long n = 0;

		do {
			n = m->fd < 0 ? 0 : syscall(SYS_read, m->fd, m->bytes, sizeof(m->bytes));
		} while (n < 0 && errno == EINTR);
		if (n <= 0) {
			return END;
		}
		m->at = 0;
		m->length = (size_t)n;
	}
	return (unsigned char)m->bytes[m->at++];
}

/* The byte of an escape whose backslash has been read. */
static int next_escaped(struct mounts *m)
{
	int value = 0;

	for (int i = 0; i < 3; i++) {
		int digit = next_byte(m);

		if (digit < '0' || digit > '7') {
			return END;
		}
		value = value * 8 + (digit - '0');
	}
	return value;
}

/* Reads a field into `to`, or "" if it is too long; returns the byte after it. */
static int next_field(struct mounts *m, char *to, size_t size)
{
	size_t length = 0;
	int byte;

	while ((byte = next_byte(m)) != END && byte != ' ' && byte != '\n') {
		int shown = byte == '\\' ? next_escaped(m) : byte;

		if (length < size) {
			to[length] = (char)shown;
		}
		length++;
	}
	to[length < size ? length : 0] = '\0';
	return byte;
}

/*
 * Puts the path of the next file system of that type into `path`; returns false if there is none.
 */
static bool mounts_next(struct mounts *m, const char *type)
{
	char found[TYPE_MAX];
	char skipped[1];

	for (;;) {
		int behind = next_field(m, skipped, sizeof(skipped));

		behind = behind == ' ' ? next_field(m, m->path, sizeof(m->path)) : behind;
		behind = behind == ' ' ? next_field(m, found, sizeof(found)) : behind;
		bool hit = behind == ' ' && *m->path && strcmp(found, type) == 0;

		while (behind != '\n' && behind != END) {
			behind = next_byte(m);
		}
		if (hit || behind == END) {
			return hit;
		}
	}
}

/* ---- The marker ---- */

/* Bytes of a line, including its newline, that kernels before 6.8 accept. */
#define PIECE_OLD 1024u
/* Later kernels accept a sub-buffer of 4 KiB less 42 bytes of their own. */
#define PIECE_NEW 4054u

static const char default_place[] = "/sys/kernel/tracing";

/* The state of a search, which is too large for the stack. */
struct finder {
	struct mounts mounts;
	char directory[PATH_MAX];
	char path[PATH_MAX];
	/* The error to report: the first other than ENOENT, else the first. */
	int error;
	char place[PATH_MAX];
	char wrong[PATH_MAX];
};

/* By release and acquire; written before the first event. */
static char instance[NAME_MAX + 1];
static bool instance_given;

/* Bit n: trouble n of enum ftrace_trouble. Relaxed: it orders no other memory. */
static uint32_t reported;

bool waymark_ftrace_is_instance(const char *name)
{
	return *name && strlen(name) <= NAME_MAX && !strchr(name, '/') && strcmp(name, ".") != 0 &&
	       strcmp(name, "..") != 0;
}

void waymark_ftrace_set_instance(const char *name)
{
	if (waymark_ftrace_is_instance(name)) {
		strcpy(instance, name);
		__atomic_store_n(&instance_given, true, __ATOMIC_RELEASE);
	}
}

/* Joins two parts of a path; returns false if it is too long. */
static bool join(char to[PATH_MAX], const char *directory, const char *name)
{
	struct line l;

	line_init(&l, to, PATH_MAX);
	waymark_line_put(&l, "%s/%s", directory, name);
	return !l.cut;
}

/* Makes the path of the chosen buffer's directory in the tracefs at `place`. */
static bool make_directory(struct finder *f, const char *place)
{
	if (!__atomic_load_n(&instance_given, __ATOMIC_ACQUIRE)) {
		strcpy(f->directory, place);
		return true;
	}
	return join(f->path, place, "instances") && join(f->directory, f->path, instance);
}

/* Returns the most bytes of a line. Kernels that cut at PIECE_OLD do not have this file. */
static size_t piece_of(struct finder *f)
{
	struct stat st;

	return join(f->path, f->directory, "buffer_subbuf_size_kb") &&
			       fstatat(AT_FDCWD, f->path, &st, 0) == 0
		       ? PIECE_NEW
		       : PIECE_OLD;
}

static int try_place(struct finder *f, const char *place, size_t *max)
{
	if (!make_directory(f, place) || !join(f->path, f->directory, "trace_marker")) {
		return -1;
	}
	int fd = waymark_open(f->path, O_WRONLY, 0);

	if (fd >= 0) {
		*max = piece_of(f);
	} else if (f->error == 0 || (f->error == ENOENT && errno != ENOENT)) {
		f->error = errno;
		strcpy(f->place, place);
		strcpy(f->wrong, f->directory);
	}
	return fd;
}

/* Tries all file systems of a type; if `subdirectory` is not NULL, below that directory of each. */
static int try_mounts(struct finder *f, const char *type, const char *subdirectory, size_t *max)
{
	int fd = -1;

	f->mounts.fd = waymark_open("/proc/mounts", O_RDONLY, 0);
	f->mounts.at = f->mounts.length = 0;
	while (fd < 0 && mounts_next(&f->mounts, type)) {
		char *place = f->mounts.path;

		if (subdirectory) {
			if (!join(f->path, place, subdirectory)) {
				continue;
			}
			strcpy(place, f->path);
		}
		fd = try_place(f, place, max);
	}
	waymark_close(f->mounts.fd);
	return fd;
}

bool waymark_ftrace_may_report(enum ftrace_trouble trouble)
{
	uint32_t bit = 1u << trouble;

	return !(__atomic_fetch_or(&reported, bit, __ATOMIC_RELAXED) & bit);
}

static void report(struct finder *f)
{
	char spare[REASON_BYTES];
	struct stat st;

	if (!waymark_ftrace_may_report(FTRACE_NO_MARKER)) {
		return;
	}
	if (f->error == EACCES || f->error == EPERM) {
		waymark_message("ftrace: %s/trace_marker: %s, events are lost: be root, or in "
				"GROUP after 'mount -o remount,gid=GROUP,mode=750 %s'",
			f->wrong, waymark_reason(f->error, spare), f->place);
	} else if (f->error != ENOENT) {
		waymark_message("ftrace: %s/trace_marker: %s, events are lost", f->wrong,
			waymark_reason(f->error, spare));
	} else if (join(f->path, f->place, "instances") &&
		   fstatat(AT_FDCWD, f->path, &st, 0) == 0) {
		waymark_message("ftrace: there is no instance '%s', events are lost: mkdir %s",
			instance, f->wrong);
	} else {
		waymark_message("ftrace: there is no tracefs, events are lost: "
				"mount -t tracefs tracefs %s",
			default_place);
	}
}

static int find(struct finder *f, size_t *max)
{
	int fd = try_mounts(f, "tracefs", NULL, max);

	fd = fd < 0 ? try_mounts(f, "debugfs", "tracing", max) : fd;
	fd = fd < 0 ? try_place(f, default_place, max) : fd;
	if (fd < 0) {
		report(f);
	}
	return fd;
}

int waymark_ftrace_open(size_t *max)
{
	struct finder *f =
		mmap(NULL, sizeof(*f), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (f == MAP_FAILED) {
		return -1;
	}
	int fd = find(f, max);

	munmap(f, sizeof(*f));
	return fd;
}
