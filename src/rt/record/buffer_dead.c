/* SPDX-License-Identifier: MIT */
/* What dead processes have left: buffers' files that nobody has mapped. Any thread, any signal
 * handler. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "format/packet.h"
#include "rt/host/open.h"
#include "rt/record/buffer.h"

static bool read_at(int fd, void *data, size_t size, uint64_t at)
{
	struct iovec v = { data, size };

	return syscall(SYS_preadv, fd, &v, 1, (unsigned long)at, (unsigned long)(at >> 32)) ==
	       (long)size;
}

/* The begin of struct buffer_file, which is long. */
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

/* Packets that are written have no magic any more. Holes are not looked at. */
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
	/* A process that records shares the lock; only one at work on what is left does not. */
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
	       (!waymark_buffer_trace_path(place) || remove_dead(place->path, removes));
}
