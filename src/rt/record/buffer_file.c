/* SPDX-License-Identifier: MIT */
/*
 * Makes the memory of a buffer: a file under /dev/shm, or else in the trace's directory. The file
 * is created exclusively, never through a link, readable by nobody else, and named after the
 * trace's uuid. The lock on it lasts as long as the mapping, although the descriptor is closed
 * immediately: nothing that the program does to its descriptors affects the lock, and an exec or a
 * kill ends it. Also checks the files of dead processes, which are unlocked. Any thread, any signal
 * handler.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "rt/host/file.h"
#include "format/packet.h"
#include "rt/host/error.h"
#include "rt/host/line.h"
#include "rt/host/open.h"
#include "rt/record/buffer.h"
#include "rt/record/process.h"
#include "rt/record/recorder.h"

/* The smallest useful buffer. */
#define BUFFER_MIN (16 * BUFFER_UNIT)

/* A place is too small if it has less room than this and than is wanted. */
#define ROOM_MIN (UINT64_C(16) << 20)

/* For tests: another directory than /dev/shm. Set before main(). */
static const char *prefix = BUFFER_FILE_PREFIX;

__attribute__((constructor(101))) static void read_prefix(void)
{
	static char own[BUFFER_FILE_PATH_BYTES]; /* written by this constructor only */
	const char *directory = secure_getenv("WAYMARK_SHM");

	if (directory && strlen(directory) + sizeof("/waymark-") <= sizeof(own)) {
		stpcpy(stpcpy(own, directory), "/waymark-");
		prefix = own;
	}
}

static void write_hex(char *to, const uint8_t *bytes, size_t count)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < count; i++) {
		*to++ = digits[bytes[i] >> 4];
		*to++ = digits[bytes[i] & 15];
	}
	*to = '\0';
}

bool waymark_buffer_shared_path(const struct buffer_place *place)
{
	if (strlen(prefix) + 2 * sizeof(place->uuid) >= BUFFER_FILE_PATH_BYTES) {
		return false;
	}
	write_hex(stpcpy(place->path, prefix), place->uuid, sizeof(place->uuid));
	return true;
}

/* Makes the path of a buffer's file in the trace's directory, which must exist. */
static bool trace_path(const struct buffer_place *place)
{
	static const char name[] = "/" BUFFER_FILE_IN_TRACE;

	if (strlen(place->directory) + sizeof(name) > BUFFER_FILE_PATH_BYTES) {
		return false;
	}
	strcpy(stpcpy(place->path, place->directory), name);
	return true;
}

/* True if the buffer's file is in the shared folder. */
static bool is_shared(const struct buffer *b)
{
	return strncmp(b->path, prefix, strlen(prefix)) == 0;
}

const char *waymark_buffer_prefix(void)
{
	return prefix;
}

/* Relaxed: read when the buffer is made; 0: the default. */
static uint64_t wanted_bytes;

int waymark_recorder_set_buffer(uint64_t bytes, struct waymark_error *error)
{
	if (waymark_process_refuse_late("the buffer's size", error)) {
		return -1;
	}
	if (bytes < RECORDER_BUFFER_MIN || bytes > RECORDER_BUFFER_MAX) {
		return waymark_fail(error, "a buffer must have 1 MiB to 64 GiB");
	}
	__atomic_store_n(&wanted_bytes, bytes, __ATOMIC_RELAXED);
	error_clear(error);
	return 0;
}

uint64_t waymark_buffer_bytes(uint64_t otherwise)
{
	uint64_t set = __atomic_load_n(&wanted_bytes, __ATOMIC_RELAXED);

	return set ? set : otherwise;
}

uint64_t waymark_buffer_tables_bytes(uint64_t bytes)
{
	uint64_t subbufs = bytes / BUFFER_UNIT * sizeof(struct subbuf);

	return sizeof(struct buffer) + subbufs + BUFFER_STREAMS_MAX * sizeof(struct buffer_stream);
}

uint64_t waymark_buffer_file_limit(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) == 0 ? limit.rlim_cur : UINT64_MAX;
}

/* Returns the size of the file: `bytes`, or less if the limit or most of the free space is less. */
static uint64_t limit_bytes(int fd, uint64_t bytes)
{
	struct statfs fs;
	uint64_t limit = waymark_buffer_file_limit();

	bytes = limit < bytes ? limit : bytes;
	if (waymark_statfs(fd, &fs) == 0 && fs.f_blocks > 0) {
		uint64_t room = (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize;

		bytes = room - room / 8 < bytes ? room - room / 8 : bytes;
	}
	return bytes & ~(BUFFER_UNIT - 1);
}

/*
 * Maps addresses without access, so that mlockall(MCL_FUTURE) makes only those resident that become
 * accessible later. RLIMIT_MEMLOCK counts addresses all the same; if it refuses them, a short range
 * that is not locked can still be extended.
 */
static void *map_addresses(uint64_t bytes, int flags, int fd)
{
	void *p = mmap(NULL, bytes, PROT_NONE, flags, fd, 0);

	if (p != MAP_FAILED || errno != EAGAIN) {
		return p;
	}
	void *unit = mmap(NULL, BUFFER_UNIT, PROT_NONE, flags, fd, 0);

	if (unit == MAP_FAILED) {
		return unit;
	}
	p = munlock(unit, BUFFER_UNIT) ? MAP_FAILED
				       : mremap(unit, BUFFER_UNIT, bytes, MREMAP_MAYMOVE);
	if (p == MAP_FAILED) {
		int why = errno;

		munmap(unit, BUFFER_UNIT);
		errno = why;
	}
	return p;
}

static uint32_t first_unit(uint64_t bytes, uint64_t text_bytes)
{
	return (uint32_t)((waymark_buffer_tables_bytes(bytes) + text_bytes + BUFFER_UNIT - 1) /
			  BUFFER_UNIT);
}

/*
 * Reserves addresses; if address space is short (RLIMIT_AS, 32 bits), halves the size until it
 * fits. Makes the header and the tables accessible.
 */
static void *reserve(uint64_t *bytes, int flags, int fd)
{
	while (*bytes > SIZE_MAX / 2) {
		*bytes /= 2;
	}
	for (; *bytes >= BUFFER_MIN; *bytes /= 2) {
		*bytes &= ~(BUFFER_UNIT - 1);
		void *p = map_addresses(*bytes, flags, fd);

		if (p == MAP_FAILED) {
			continue;
		}
		if (mprotect(p, first_unit(*bytes, 0) * BUFFER_UNIT, PROT_READ | PROT_WRITE) == 0) {
			return p;
		}
		munmap(p, *bytes);
	}
	return NULL;
}

/*
 * Maps the open file, and allocates the memory of its tables; returns NULL with errno on failure.
 */
static struct buffer *map_file(int fd, uint64_t *bytes)
{
	uint64_t wanted = *bytes;

	*bytes = limit_bytes(fd, wanted);
	if (*bytes < wanted && *bytes < ROOM_MIN) {
		errno = waymark_buffer_file_limit() < ROOM_MIN ? EFBIG : ENOSPC;
		return NULL;
	}
	if (ftruncate(fd, (off_t)*bytes) < 0 ||
		waymark_fallocate(fd, waymark_buffer_tables_bytes(*bytes)) < 0 ||
		flock(fd, LOCK_SH | LOCK_NB) < 0) {
		return NULL;
	}
	return reserve(bytes, MAP_SHARED, fd);
}

static void note_trace(struct buffer_trace *t, const struct buffer_place *place)
{
	memcpy(t->uuid, place->uuid, sizeof(t->uuid));
	t->directory[0] = '\0';
	if (place->directory) {
		strncpy(t->directory, place->directory, sizeof(t->directory) - 1);
	}
}

void waymark_buffer_begin_file(
	struct buffer *b, const struct buffer_place *place, uint64_t bytes, uint32_t pid)
{
	struct buffer_file *f = &b->file;
	struct clock_pair now = waymark_clock_pair();

	f->version = BUFFER_FILE_VERSION;
	f->pid = pid;
	f->bytes = bytes;
	f->first_unit = first_unit(bytes, place->text_bytes);
	f->streams_offset = waymark_buffer_tables_bytes(bytes) -
			    BUFFER_STREAMS_MAX * sizeof(struct buffer_stream);
	waymark_buffer_set_clock(b, now);
	f->begin = f->now;
	memcpy(f->uuid, place->uuid, sizeof(f->uuid));
	note_trace(&f->traces[0], place);
	note_trace(&f->traces[1], place); /* there is no other trace yet */
	b->units = (uint32_t)(bytes / BUFFER_UNIT);
	b->first_bytes = waymark_buffer_first_bytes();
	b->bump = b->begun.seen = f->first_unit;
	__atomic_store_n(&f->magic, BUFFER_FILE_MAGIC, __ATOMIC_RELEASE);
}

int waymark_buffer_open_nameless(char *path)
{
	char *slash = strrchr(path, '/');
	char *end = slash && slash > path ? slash : path + 1;
	char first = *end;

	*end = '\0';
	int fd = waymark_open(path, O_RDWR | O_TMPFILE, 0600);

	*end = first;
	return fd;
}

bool waymark_buffer_give_name(int fd, const char *path)
{
	char link[48];
	struct line l;

	line_init(&l, link, sizeof(link));
	waymark_line_put(&l, "/proc/thread-self/fd/%d", fd);
	return syscall(SYS_linkat, AT_FDCWD, link, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
}

/*
 * Makes a buffer in the open file; returns NULL, with errno, on failure. The caller closes the
 * file.
 */
static struct buffer *create_in(
	int fd, const struct buffer_place *place, uint64_t bytes, uint32_t pid)
{
	struct buffer *b = fd >= 0 ? map_file(fd, &bytes) : NULL;

	if (b) {
		b->is_file = true;
		waymark_buffer_begin_file(b, place, bytes, pid);
	}
	return b;
}

static struct buffer *create_nameless(
	const struct buffer_place *place, uint64_t bytes, uint32_t pid)
{
	int fd = waymark_buffer_open_nameless(place->path);
	struct buffer *b = create_in(fd, place, bytes, pid);

	if (b && !waymark_buffer_give_name(fd, place->path)) {
		munmap(b, b->file.bytes);
		b = NULL;
	}
	if (fd >= 0) {
		syscall(SYS_close, fd);
	}
	return b;
}

/* Used if the system has no nameless files, or no /proc. */
static struct buffer *create_named(const struct buffer_place *place, uint64_t bytes, uint32_t pid)
{
	int fd = waymark_open(place->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
	struct buffer *b = create_in(fd, place, bytes, pid);
	int why = errno;

	if (fd >= 0) {
		syscall(SYS_close, fd);
	}
	if (fd >= 0 && !b) {
		syscall(SYS_unlinkat, AT_FDCWD, place->path, 0);
	}
	errno = why;
	return b;
}

/* Makes a buffer in a file at `place->path`. */
static struct buffer *create_file(const struct buffer_place *place, uint64_t bytes, uint32_t pid)
{
	struct buffer *b = create_nameless(place, bytes, pid);

	if (!b) {
		b = create_named(place, bytes, pid);
	}
	if (b) {
		strcpy(b->path, place->path);
	}
	return b;
}

struct buffer *waymark_buffer_create(
	uint64_t bytes, const struct buffer_place *place, uint32_t pid, int *why)
{
	struct buffer *b = NULL;

	*why = 0;
	if (place->path) {
		errno = ENAMETOOLONG;
		b = !place->in_trace && waymark_buffer_shared_path(place)
			    ? create_file(place, bytes, pid)
			    : NULL;
		if (!b && place->directory && trace_path(place)) {
			b = create_file(place, bytes, pid);
		}
		*why = b ? 0 : errno;
	}
	if (!b) {
		b = reserve(&bytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
		if (b) {
			waymark_buffer_begin_file(b, place, bytes, pid);
		}
	}
	return b;
}

void waymark_buffer_unlink(struct buffer *b)
{
	if (b->is_file) {
		syscall(SYS_unlinkat, AT_FDCWD, b->path, 0);
	}
}

void waymark_buffer_set_directory(struct buffer *b, const char *directory)
{
	struct buffer_place place = { .directory = directory };

	memcpy(place.uuid, b->file.traces[buffer_now(b)].uuid, sizeof(place.uuid));
	note_trace(&b->file.traces[buffer_now(b)], &place);
	if (b->is_file && !is_shared(b)) {
		place.path = b->path;
		trace_path(&place);
	}
}

/* Gives the file the name that belongs to the place; returns 0 or an errno. */
static int move(struct buffer *b, const struct buffer_place *place)
{
	if (!(is_shared(b) ? waymark_buffer_shared_path(place) : trace_path(place))) {
		return ENAMETOOLONG;
	}
	if (waymark_rename(AT_FDCWD, b->path, AT_FDCWD, place->path) != 0) {
		return errno;
	}
	strcpy(b->path, place->path);
	return 0;
}

int waymark_buffer_turn(struct buffer *b, const struct buffer_place *place)
{
	struct buffer_trace *former = &b->file.traces[buffer_now(b)];

	note_trace(&b->file.traces[buffer_next(b)], place);
	__atomic_signal_fence(__ATOMIC_SEQ_CST); /* a kill finds what came before the rename */
	int why = b->is_file ? move(b, place) : 0;

	if (why) { /* under its old name it must not be taken for the former trace's */
		memcpy(former->uuid, place->uuid, sizeof(former->uuid));
	}
	__atomic_store_n(&b->file.turn, b->file.turn + 1, __ATOMIC_RELEASE);
	return is_shared(b) ? 0 : why;
}

void waymark_buffer_destroy(struct buffer *b, bool unlink)
{
	if (unlink) {
		waymark_buffer_unlink(b);
	}
	munmap(b, b->file.bytes);
}

static bool read_at(int fd, void *data, size_t size, uint64_t at)
{
	struct iovec v = { data, size };

	return syscall(SYS_preadv, fd, &v, 1, (unsigned long)at, (unsigned long)(at >> 32)) ==
	       (long)size;
}

/* The beginning of struct buffer_file, which is long as a whole. */
struct head {
	uint64_t magic;
	uint32_t version;
	uint32_t first_unit;
	uint64_t bytes;
	uint8_t uuid[16];
	uint32_t pid;
	uint32_t closed;
	uint64_t streams;
	uint64_t streams_offset;
};

_Static_assert(
	offsetof(struct head, streams_offset) == offsetof(struct buffer_file, streams_offset),
	"the begin of struct buffer_file");

static bool has_losses(int fd, const struct head *h)
{
	bool lost = h->streams > BUFFER_STREAMS_MAX;

	for (uint64_t i = 0; !lost && i < h->streams; i++) {
		struct buffer_stream s;

		lost = !read_at(fd, &s, sizeof(s), h->streams_offset + i * sizeof(s)) || s.lost;
	}
	return lost;
}

/* True if the file has packets. Written packets have no magic any more; holes are skipped. */
static bool has_packets(int fd, const struct head *h)
{
	uint64_t at = h->first_unit * BUFFER_UNIT;
	off_t data;

	while (at < h->bytes && (data = lseek(fd, (off_t)at, SEEK_DATA)) >= 0) {
		uint32_t magic;

		at = (uint64_t)data & ~(BUFFER_UNIT - 1);
		if (!read_at(fd, &magic, sizeof(magic), at) || magic == PACKET_MAGIC) {
			return true;
		}
		at += BUFFER_UNIT;
	}
	return false;
}

static bool is_empty(int fd)
{
	struct head h;

	return read_at(fd, &h, sizeof(h), 0) && h.magic == BUFFER_FILE_MAGIC &&
	       h.version == BUFFER_FILE_VERSION && !has_losses(fd, &h) && !has_packets(fd, &h);
}

int waymark_buffer_open_dead(const struct buffer_place *place)
{
	if (!waymark_buffer_shared_path(place)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	int fd = waymark_open(place->path, O_RDWR | O_NOFOLLOW, 0);

	if (fd < 0 || (flock(fd, LOCK_EX | LOCK_NB) == 0 && is_empty(fd))) {
		return fd;
	}
	syscall(SYS_close, fd);
	errno = EBUSY;
	return -1;
}

static bool remove_dead(const char *path, bool removes)
{
	int fd = waymark_open(path, O_RDONLY | O_NOFOLLOW, 0);

	if (fd < 0) {
		return errno == ENOENT || errno == ENOTDIR;
	}
	/*
	 * A process that records holds a shared lock; one that works on a leftover holds an
	 * exclusive one.
	 */
	bool dead = flock(fd, LOCK_EX | LOCK_NB) == 0 || flock(fd, LOCK_SH | LOCK_NB) != 0;

	if (dead && removes) {
		syscall(SYS_unlinkat, AT_FDCWD, path, 0);
	}
	syscall(SYS_close, fd);
	return dead;
}

bool waymark_buffer_remove_dead(const struct buffer_place *place, bool removes)
{
	return (!waymark_buffer_shared_path(place) || remove_dead(place->path, removes)) &&
	       (!trace_path(place) || remove_dead(place->path, removes));
}
