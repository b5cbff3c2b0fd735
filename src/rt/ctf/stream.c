/* SPDX-License-Identifier: MIT */
/*
 * Packets go to the end of their stream's file, past the page cache where the
 * file system lets them. A file holds whole packets whenever no write is under
 * way: what a failed one left is cut off. Nothing that was written is written
 * again, so that readers can follow.
 */
#include <errno.h>
#include <sys/uio.h>

#include "rt/ctf/io.h"
#include "rt/ctf/stream.h"

static void count_progress(struct ctf_files *f)
{
	__atomic_store_n(&f->progress, f->progress + 1, __ATOMIC_RELAXED);
}

bool waymark_ctf_is_ours(const struct ctf_file *file, int fd, uint64_t inode, struct stat *st)
{
	return waymark_stat(fd, st) == 0 && st->st_dev == file->device && st->st_ino == inode;
}

/* Closes what is still ours: the program may have given the numbers to files of its own. */
static void close_file(struct ctf_file *file)
{
	struct stat st;

	if (waymark_ctf_is_ours(file, file->fd, file->inode, &st)) {
		ctf_close(file->fd);
	}
	if (file->index_fd >= 0 &&
		waymark_ctf_is_ours(file, file->index_fd, file->index_inode, &st)) {
		ctf_close(file->index_fd);
	}
	*file = (struct ctf_file){ 0 };
}

void waymark_ctf_fail(struct ctf_files *f, int error)
{
	__atomic_store_n(&f->error, error, __ATOMIC_RELAXED);
}

void waymark_ctf_turn(struct ctf_files *f, struct ctf_trace *trace)
{
	f->trace = trace;
	f->turn = 0;
	f->piece = 0;
	f->piece_bytes = 0;
	f->has_events = false;
	memset(f->open, 0, sizeof(f->open));
	waymark_ctf_fail(f, 0);
}

void waymark_ctf_pause(struct ctf_files *f)
{
	for (size_t i = 0; i < CTF_FILES; i++) {
		if (f->open[i].stream) {
			close_file(&f->open[i]);
		}
	}
}

/* The stream's file, else a free place, else that of the file which was not used for longest. */
static struct ctf_file *find_place(struct ctf_files *f, uint64_t stream)
{
	struct ctf_file *oldest = &f->open[0];

	for (size_t i = 0; i < CTF_FILES; i++) {
		struct ctf_file *file = &f->open[i];

		if (file->stream == stream) {
			return file;
		}
		if (file->used < oldest->used) {
			oldest = file;
		}
	}
	return oldest;
}

/* Sets the length to that of whole packets. */
static bool cut(struct ctf_file *file, uint64_t size)
{
	file->size = size;
	return ftruncate(file->fd, (off_t)size) == 0;
}

/*
 * Whether nobody else can have put the file there: where others may write into the
 * directory, it is its owner's or ours, and has no other name.
 */
static bool is_own(const struct stat *st, int directory)
{
	struct stat parent;

	return S_ISREG(st->st_mode) && st->st_nlink == 1 &&
	       (st->st_uid == geteuid() ||
		       (waymark_stat(directory, &parent) == 0 && st->st_uid == parent.st_uid));
}

/* Takes a descriptor that was just opened. */
static bool adopt(struct ctf_file *file, int fd, int directory)
{
	struct stat st;

	if (waymark_stat(fd, &st)) {
		return false;
	}
	if (!is_own(&st, directory)) {
		errno = EEXIST;
		return false;
	}
	file->fd = fd;
	file->device = st.st_dev;
	file->inode = st.st_ino;
	file->size = (uint64_t)st.st_size;
	return file->size % PACKET_FILE_ALIGN == 0 ||
	       cut(file, file->size - file->size % PACKET_FILE_ALIGN);
}

static bool open_in(struct ctf_file *file, int directory, uint32_t piece, bool last_try)
{
	char name[CTF_NAME_BYTES];

	waymark_ctf_stream_name(name, file->stream, piece);
	int fd = ctf_open(directory, name, O_WRONLY | O_CREAT | O_DIRECT);

	if (fd < 0 && errno == EINVAL) {
		file->direct = false;
		fd = ctf_open(directory, name, O_WRONLY | O_CREAT);
	}
	if (fd >= 0 && adopt(file, fd, directory) &&
		waymark_ctf_index_open(file, directory, piece, last_try)) {
		return true;
	}
	ctf_close(fd);
	return false;
}

static bool open_file(
	const struct ctf_files *f, struct ctf_file *file, uint64_t stream, bool last_try)
{
	struct ctf_file fresh = { .stream = stream, .index_fd = -1, .direct = true };
	int directory = waymark_ctf_open_directory(f->trace);
	bool opened = directory >= 0 && open_in(&fresh, directory, f->piece, last_try);

	ctf_close(directory);
	if (opened) {
		*file = fresh;
	}
	return opened;
}

/* Whether an open file still is the one in the directory. */
static bool is_there(const struct ctf_file *file, struct stat *st)
{
	return waymark_ctf_is_ours(file, file->fd, file->inode, st) && st->st_nlink > 0;
}

/* Has an open file end behind its last whole packet again; false, with errno, when it cannot. */
static bool settle(const struct ctf_files *f, struct ctf_file *file, const struct stat *st)
{
	uint64_t size = (uint64_t)st->st_size;

	if (size > file->size) {
		return cut(file, file->size);
	}
	if (size < file->size) { /* somebody emptied it */
		waymark_ctf_index_give_up(f, file);
		return cut(file, size - size % PACKET_FILE_ALIGN);
	}
	return true;
}

/* Opens a stream's file; others are closed for it where descriptors are short. */
static bool open_somehow(struct ctf_files *f, struct ctf_file *file, uint64_t stream)
{
	if (open_file(f, file, stream, false)) {
		return true;
	}
	if (!ctf_no_descriptors()) {
		return false;
	}
	waymark_ctf_pause(f);
	return open_file(f, file, stream, true);
}

/* The stream's file, open; NULL, with errno, when it cannot be. */
static struct ctf_file *get_file(struct ctf_files *f, uint64_t stream)
{
	struct ctf_file *file = find_place(f, stream);
	struct stat st;

	if (file->stream && (file->stream != stream || !is_there(file, &st))) {
		close_file(file);
	}
	if (!(file->stream ? settle(f, file, &st) : open_somehow(f, file, stream))) {
		return NULL;
	}
	file->used = ++f->turn;
	return file;
}

/* Begins the next piece when this one is full. */
static void rotate(struct ctf_files *f)
{
	const struct ctf_config *config = f->trace->config;

	if (!config || !config->rotate || f->piece_bytes < config->rotate) {
		return;
	}
	waymark_ctf_pause(f);
	f->piece++;
	f->piece_bytes = 0;
	if (config->keep) {
		waymark_ctf_remove_pieces(f, config->keep);
	}
}

/* Gives the packet the size that it has in a file; no stale bytes leave the process. */
static size_t finish_packet(struct packet_header *packet)
{
	size_t content = packet->content_size / 8;
	size_t size = (content + PACKET_FILE_ALIGN - 1) / PACKET_FILE_ALIGN * PACKET_FILE_ALIGN;

	memset((char *)packet + content, 0, size - content);
	packet->packet_size = size * 8;
	return size;
}

/*
 * How many packets go with one call, and what they need;
 * the one that fills the piece is the last.
 */
static size_t gather(const struct ctf_files *f, struct packet_header *const *packets, size_t count,
	uint64_t *bytes)
{
	const struct ctf_config *config = f->trace->config;
	uint64_t room = config && config->rotate ? config->rotate - f->piece_bytes : UINT64_MAX;
	size_t n = 0;

	*bytes = 0;
	while (n < count && n < CTF_GATHER && *bytes < room) {
		*bytes += finish_packet(packets[n++]);
	}
	return n;
}

/* Packets of one call: what of them goes to the file. */
struct batch {
	struct packet_header *const *packets;
	size_t count;
	uint64_t bytes;
	uint64_t evicted; /* the file's headers tell so much more as lost */
	int parts;
	struct iovec part[2 * CTF_GATHER];
};

static void add_part(struct batch *b, void *data, size_t size)
{
	b->part[b->parts].iov_base = data;
	b->part[b->parts++].iov_len = size;
}

/* Whether the file gets the packet as the arena has it, which may be another trace's first. */
static bool is_as_it_is(
	const struct ctf_files *f, const struct batch *b, const struct packet_header *packet)
{
	return !b->evicted && memcmp(packet->uuid, f->trace->uuid, sizeof(packet->uuid)) == 0;
}

/* The packets as they are; or, where those do not tell the truth, with copies of their heads. */
static void make_parts(struct ctf_files *f, struct batch *b)
{
	b->parts = 0;
	for (size_t i = 0; i < b->count; i++) {
		char *packet = (char *)b->packets[i];
		size_t size = b->packets[i]->packet_size / 8;
		struct packet_header *head = (void *)f->pages[i];

		if (is_as_it_is(f, b, b->packets[i])) {
			add_part(b, packet, size);
			continue;
		}
		memcpy(f->pages[i], packet, PACKET_FILE_ALIGN);
		memcpy(head->uuid, f->trace->uuid, sizeof(head->uuid));
		head->events_discarded += b->evicted;
		add_part(b, head, PACKET_FILE_ALIGN);
		if (size > PACKET_FILE_ALIGN) {
			add_part(b, packet + PACKET_FILE_ALIGN, size - PACKET_FILE_ALIGN);
		}
	}
}

/* The first `done` bytes of what is left are in the file. */
static void drop_parts(struct batch *b, size_t done)
{
	int first = 0;

	while (first < b->parts && done >= b->part[first].iov_len) {
		done -= b->part[first++].iov_len;
	}
	b->parts -= first;
	memmove(b->part, b->part + first, (size_t)b->parts * sizeof(b->part[0]));
	if (b->parts) {
		b->part[0].iov_base = (char *)b->part[0].iov_base + done;
		b->part[0].iov_len -= done;
	}
}

/* Alignment that this file system does not like: the page cache takes anything. */
static bool stop_direct(struct ctf_file *file)
{
	if (!file->direct) {
		return false;
	}
	file->direct = false;
	return fcntl(file->fd, F_SETFL, fcntl(file->fd, F_GETFL) & ~O_DIRECT) == 0;
}

/* Writes packets behind the file's end; returns how many bytes it took, less with errno. */
static uint64_t write_parts(struct ctf_files *f, struct ctf_file *file, struct batch *b)
{
	uint64_t done = 0;

	make_parts(f, b);
	while (b->parts > 0) {
		uint64_t at = file->size + done;
		long taken = syscall(SYS_pwritev, file->fd, b->part, b->parts, (unsigned long)at,
			(unsigned long)(at >> 32));

		count_progress(f);
		if (taken > 0) {
			done += (uint64_t)taken;
			drop_parts(b, (size_t)taken);
		} else if (taken == 0) {
			errno = EIO;
			break;
		} else if (errno != EINTR && !(errno == EINVAL && stop_direct(file))) {
			break;
		}
	}
	return done;
}

/* Writes packets that go with one call; returns how many were written whole, less with errno. */
static size_t write_batch(struct ctf_files *f, struct ctf_file *file, struct batch *b)
{
	uint64_t taken = write_parts(f, file, b);
	int why = errno;
	uint64_t whole = 0;
	size_t n = 0;

	while (n < b->count && whole + b->packets[n]->packet_size / 8 <= taken) {
		whole += b->packets[n++]->packet_size / 8;
	}
	file->size += whole;
	f->piece_bytes += whole;
	if (taken < b->bytes) {
		cut(file, file->size);
	}
	if (n) {
		f->has_events = true;
		waymark_ctf_index_add(f, file, b->packets, n, b->evicted);
	}
	errno = why;
	return n;
}

size_t waymark_ctf_write(
	struct ctf_files *f, struct packet_header *const *packets, size_t count, uint64_t evicted)
{
	size_t done = 0;
	int error = 0;

	while (done < count && !error) {
		rotate(f);
		/* Now: nobody has the packets but us, so all of their events have their ids. */
		struct ctf_file *file = waymark_ctf_declare(f->trace)
						? get_file(f, packets[done]->stream_instance_id)
						: NULL;
		struct batch b = { .packets = packets + done, .evicted = evicted };

		count_progress(f);
		if (!file) {
			error = errno;
			break;
		}
		b.count = gather(f, b.packets, count - done, &b.bytes);
		size_t written = write_batch(f, file, &b);

		error = written < b.count ? errno : 0;
		done += written;
	}
	waymark_ctf_fail(f, error);
	return done;
}
