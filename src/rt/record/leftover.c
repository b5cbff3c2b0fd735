/* SPDX-License-Identifier: MIT */
/*
 * Opens, trims and moves one leftover: see leftover.h. For leftovers.c, which chooses them. Every
 * step leaves a state from which the next process can continue after a kill.
 */
#include <errno.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "format/ctf.h"
#include "rt/host/file.h"
#include "rt/host/open.h"
#include "rt/record/leftover.h"

#define PAGE_BYTES 4096u

/* Bytes that one call copies: the thread may have to end soon. */
#define COPY_BYTES (1u << 20)

static bool read_at(int fd, void *data, size_t size, uint64_t at)
{
	return waymark_pread(fd, data, size, at) == (long)size;
}

static bool is_movable(const struct leftover *l)
{
	const struct buffer_file *h = &l->header;
	uint64_t tables = h->first_unit * BUFFER_UNIT;

	return h->magic == BUFFER_FILE_MAGIC && buffer_file_is_known(h->version) && !h->jail.on &&
	       h->first_unit > 0 && tables <= l->size && h->streams_offset >= sizeof(*h) &&
	       h->streams_offset <= tables - BUFFER_STREAMS_MAX * sizeof(struct buffer_stream) &&
	       h->streams <= INT64_MAX &&
	       memchr(h->traces[0].directory, '\0', BUFFER_FILE_PATH_BYTES) &&
	       memchr(h->traces[1].directory, '\0', BUFFER_FILE_PATH_BYTES);
}

/*
 * Notes size and memory of the file. Returns false if the name is gone, or belongs to another file
 * now.
 */
static bool look(struct leftover *l)
{
	struct stat named;
	struct stat st;

	if (fstatat(l->folder, l->name, &named, AT_SYMLINK_NOFOLLOW) || waymark_stat(l->fd, &st) ||
		st.st_dev != named.st_dev || st.st_ino != named.st_ino) {
		return false;
	}
	l->size = (uint64_t)st.st_size;
	l->bytes = (uint64_t)st.st_blocks * LEFTOVER_BLOCK_BYTES;
	return S_ISREG(st.st_mode) && st.st_uid == geteuid();
}

/*
 * Reads the header before it tries the lock, because a process may be about to lock the file, and
 * again with the lock held, because others wrote until then.
 */
static int lock(struct leftover *l)
{
	if (!look(l) || !read_at(l->fd, &l->header, sizeof(l->header), 0) || !is_movable(l)) {
		return EBADMSG;
	}
	if (flock(l->fd, LOCK_EX | LOCK_NB)) {
		return errno;
	}
	return look(l) && read_at(l->fd, &l->header, sizeof(l->header), 0) && is_movable(l)
		       ? 0
		       : EBADMSG;
}

int waymark_leftover_open(struct leftover *l, int folder, const char *name)
{
	l->folder = folder;
	strcpy(l->name, name);
	l->fd = waymark_open_at(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK, 0);
	int why = l->fd < 0 ? errno : lock(l);

	if (why) {
		waymark_leftover_close(l);
	}
	return why;
}

void waymark_leftover_close(struct leftover *l)
{
	waymark_close(l->fd);
	l->fd = -1;
}

static void punch(struct leftover *l, uint64_t from, uint64_t to)
{
	from = (from + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	if (from < to) {
		waymark_punch(l->fd, from, to - from);
	}
}

/* Finds the first packet from *at on that readers would find; returns false if there is none. */
static bool next_packet(struct leftover *l, uint64_t *at)
{
	while (*at < l->size) {
		off_t data = lseek(l->fd, (off_t)*at, SEEK_DATA);

		if (data < 0) {
			return false;
		}
		*at = ((uint64_t)data + BUFFER_UNIT - 1) / BUFFER_UNIT * BUFFER_UNIT;
		if (*at < l->size && read_at(l->fd, &l->packet, sizeof(l->packet), *at) &&
			packet_is_in_buffer(&l->packet, l->header.uuid, l->size - *at)) {
			return true;
		}
		*at += BUFFER_UNIT;
	}
	return false;
}

/*
 * Keeps the parts of the tables that others read: the header, and the counters of existing streams.
 */
static void trim_tables(struct leftover *l)
{
	const struct buffer_file *h = &l->header;

	punch(l, sizeof(*h), h->streams_offset / PAGE_BYTES * PAGE_BYTES);
	if (h->streams < BUFFER_STREAMS_MAX) {
		punch(l, h->streams_offset + h->streams * sizeof(struct buffer_stream),
			h->first_unit * BUFFER_UNIT);
	}
}

void waymark_leftover_trim(struct leftover *l)
{
	uint64_t end = l->header.first_unit * BUFFER_UNIT; /* of the last packet */
	uint64_t kept = end; /* memory before it belongs to a packet or was given back */

	if (l->size != l->header.bytes) {
		return; /* trimmed before, because cutting the file is the last step */
	}
	trim_tables(l);
	for (uint64_t at = end; next_packet(l, &at); at = end) {
		punch(l, kept, at);
		kept = at + l->packet.content_size / 8;
		end = at +
		      (l->packet.packet_size / 8 + BUFFER_UNIT - 1) / BUFFER_UNIT * BUFFER_UNIT;
		end = end < l->size ? end : l->size;
	}
	punch(l, kept, end);
	if (end < l->size && ftruncate(l->fd, (off_t)end)) {
		return; /* the next process tries again */
	}
	look(l);
}

/* True if the metadata in the directory is of that trace. */
static bool is_of_trace(struct leftover *l, int directory, const uint8_t uuid[16])
{
	static const char key[] = "uuid = \"";
	static const char digits[] = "0123456789abcdef";
	int fd = waymark_open_at(directory, CTF_METADATA, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	long n = fd >= 0 ? waymark_pread(fd, l->metadata, sizeof(l->metadata) - 1, 0) : -1;

	waymark_close(fd);
	l->metadata[n > 0 ? n : 0] = '\0';
	const char *at = strncmp(l->metadata, CTF_SIGNATURE, strlen(CTF_SIGNATURE)) == 0
				 ? strstr(l->metadata, key)
				 : NULL;

	at = at ? at + strlen(key) : "";
	for (int i = 0; i < 16; i++) {
		at += *at == '-';
		if (at[0] != digits[uuid[i] >> 4] || at[1] != digits[uuid[i] & 15]) {
			return false;
		}
		at += 2;
	}
	return true;
}

/*
 * Opens the trace's directory. Returns -1, with errno, if there is none or it belongs to another
 * user.
 */
static int open_trace(struct leftover *l, const struct buffer_trace *t)
{
	int directory = waymark_open(t->directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	struct stat st;

	if (directory >= 0 && (waymark_stat(directory, &st) || st.st_uid != geteuid() ||
				      !is_of_trace(l, directory, t->uuid))) {
		waymark_close(directory);
		errno = ENOENT;
		return -1;
	}
	return directory;
}

/* True if the file has the name of that trace. */
static bool is_named(const struct leftover *l, const struct buffer_trace *t)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = strrchr(l->name, '-') + 1;

	for (int i = 0; i < 16; i++) {
		if (at[2 * i] != digits[t->uuid[i] >> 4] ||
			at[2 * i + 1] != digits[t->uuid[i] & 15]) {
			return false;
		}
	}
	return true;
}

/*
 * Opens the trace that matches the file's name: the current one, the next one of an unfinished
 * turn, or the first one by another path. If the process could not rename the file, opens the
 * current one. Returns -1 with errno on failure.
 */
static int find_trace(struct leftover *l)
{
	const struct buffer_trace *now = &l->header.traces[l->header.turn % 2];
	const struct buffer_trace *other = &l->header.traces[(l->header.turn + 1) % 2];
	int directory = -1;

	if (is_named(l, now) || !is_named(l, other)) {
		directory = open_trace(l, now);
	}
	return directory < 0 && is_named(l, other) ? open_trace(l, other) : directory;
}

/* Copies all but holes. Returns 0 or an errno. */
static int copy(struct leftover *l, int to)
{
	for (uint64_t at = 0; at < l->size;) {
		int64_t from = lseek(l->fd, (off_t)at, SEEK_DATA);
		int64_t end = from < 0 ? from : lseek(l->fd, (off_t)from, SEEK_HOLE);

		if (end < 0) {
			break;
		}
		size_t bytes = (size_t)(end - from < COPY_BYTES ? end - from : COPY_BYTES);

		if (lseek(to, (off_t)from, SEEK_SET) < 0) {
			return errno;
		}
		long n = waymark_sendfile(to, l->fd, &from, bytes);

		if (n <= 0) {
			return n ? errno : EIO;
		}
		at = (uint64_t)from;
	}
	return ftruncate(to, (off_t)l->size) ? errno : 0;
}

/*
 * Returns 0 if an earlier process was killed between copying and removing; ENOENT if the trace has
 * no memory, EEXIST if it has other memory.
 */
static int look_at_moved(struct leftover *l, int directory)
{
	int fd = waymark_open_at(
		directory, BUFFER_FILE_IN_TRACE, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	int why = fd < 0 ? errno : 0;

	if (fd >= 0 && (!read_at(fd, &l->other, sizeof(l->other), 0) ||
			       memcmp(&l->other, &l->header, sizeof(l->other)) != 0)) {
		why = EEXIST;
	}
	waymark_close(fd);
	return why;
}

/*
 * True if the copy leaves as much room on the disk as it takes, because living processes need some.
 */
static bool has_room(const struct leftover *l, int directory)
{
	struct statfs fs;

	return waymark_statfs(directory, &fs) || fs.f_blocks == 0 /* without a limit */ ||
	       l->bytes <= (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize / 2;
}

/* Makes the copy, and names it when it is complete. Returns 0 or an errno. */
static int move_into(struct leftover *l, int directory)
{
	if (!has_room(l, directory)) {
		return ENOSPC;
	}
	/*
	 * If the file exists, a killed process left it, because every process that moves it holds
	 * this lock.
	 */
	if (syscall(SYS_unlinkat, directory, BUFFER_FILE_MOVING, 0) && errno != ENOENT) {
		return errno;
	}
	int fd = waymark_open_at(
		directory, BUFFER_FILE_MOVING, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
	int why = fd < 0 ? errno : copy(l, fd);

	if (fd >= 0 && syscall(SYS_close, fd) && !why) {
		why = errno; /* NFS reports a full disk only now */
	}
	if (!why &&
		waymark_rename(directory, BUFFER_FILE_MOVING, directory, BUFFER_FILE_IN_TRACE)) {
		why = errno;
	}
	if (fd >= 0 && why) {
		syscall(SYS_unlinkat, directory, BUFFER_FILE_MOVING, 0);
	}
	return why;
}

int waymark_leftover_move(struct leftover *l)
{
	int directory = find_trace(l);

	if (directory < 0) {
		return errno;
	}
	int why = look_at_moved(l, directory);

	if (why == ENOENT) {
		why = move_into(l, directory);
	}
	if (!why && syscall(SYS_unlinkat, l->folder, l->name, 0)) {
		why = errno;
	}
	waymark_close(directory);
	return why;
}
