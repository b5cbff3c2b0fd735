/* SPDX-License-Identifier: MIT */
/*
 * Files of streams, their names and their indexes. Under the drain lock.
 *
 * While no write is under way, a file ends after a whole packet: the rest of a failed write is cut
 * off. Only the directory shows which streams have files, so it is read, by system calls because
 * the C library would allocate. An index shows viewers where each packet is, so that they need not
 * read the file. An index is either complete or absent, and never prevents writing the trace.
 */
#include <endian.h>
#include <errno.h>

#include "format/ctf_files.h"
#include "rt/ctf/io.h"
#include "rt/ctf/stream.h"
#include "rt/host/file.h"

static void put_name(struct ctf_name *t, uint64_t stream, uint32_t piece)
{
	ctf_name_string(t, CTF_STREAM);
	ctf_name_number(t, stream);
	if (piece) {
		ctf_name_string(t, "-");
		ctf_name_number(t, piece);
	}
}

static void stream_name(char name[CTF_NAME_BYTES], uint64_t stream, uint32_t piece)
{
	struct ctf_name t;

	ctf_name_init(&t, name, CTF_NAME_BYTES);
	put_name(&t, stream, piece);
}

static void index_name(char name[CTF_NAME_BYTES], uint64_t stream, uint32_t piece)
{
	struct ctf_name t;

	ctf_name_init(&t, name, CTF_NAME_BYTES);
	ctf_name_string(&t, CTF_INDEX "/");
	put_name(&t, stream, piece);
	ctf_name_string(&t, CTF_INDEX_SUFFIX);
}

struct old {
	int directory;
	uint64_t before; /* the first piece that stays */
};

static bool remove_if_old(void *data, const char *entry)
{
	const struct old *old = data;
	char name[CTF_NAME_BYTES];
	uint64_t stream;
	uint64_t piece;

	if (ctf_file_is_stream(entry, &stream, &piece) && piece < old->before) {
		index_name(name, stream, (uint32_t)piece);
		syscall(SYS_unlinkat, old->directory, name, 0);
		syscall(SYS_unlinkat, old->directory, entry, 0);
	}
	return true;
}

void waymark_ctf_remove_pieces(const struct ctf_files *f, uint32_t keep)
{
	struct old old = { -1, f->piece + 1 - keep };

	if (f->piece >= keep) {
		old.directory = waymark_ctf_open_directory(f->trace);
		directory_each(old.directory, remove_if_old, &old);
		ctf_close(old.directory);
	}
}

static void remove_index(struct ctf_file *file, int directory, uint32_t piece)
{
	char name[CTF_NAME_BYTES];

	ctf_close(file->index_fd);
	file->index_fd = -1;
	index_name(name, file->stream, piece);
	syscall(SYS_unlinkat, directory, name, 0);
}

static bool put_header(int fd)
{
	const struct ctf_index_header header = CTF_INDEX_HEADER;

	return ftruncate(fd, 0) == 0 && ctf_write_at(fd, &header, sizeof(header), 0);
}

/* Returns the end of an index's last packet in the stream file; 0 if the index is not whole. */
static uint64_t end_of(int fd, uint64_t index_bytes)
{
	struct ctf_index_record last;

	if (index_bytes < sizeof(struct ctf_index_header) + sizeof(last) ||
		(index_bytes - sizeof(struct ctf_index_header)) % sizeof(last) ||
		!ctf_read_at(fd, &last, sizeof(last), index_bytes - sizeof(last))) {
		return 0;
	}
	return be64toh(last.offset) + be64toh(last.packet_size) / 8;
}

/* True if the file has a whole packet of the stream at `at`, as far as it can be read. */
static bool has_packet(const struct ctf_file *file, int directory, uint32_t piece, uint64_t at)
{
	char name[CTF_NAME_BYTES];
	struct packet_header h;

	stream_name(name, file->stream, piece);
	int fd = ctf_open(directory, name, O_RDONLY);
	bool is_read = fd >= 0 && ctf_read_at(fd, &h, sizeof(h), at);

	ctf_close(fd);
	return fd < 0 ||
	       (is_read && h.magic == PACKET_MAGIC && h.stream_instance_id == file->stream &&
		       h.packet_size / 8 <= file->size - at);
}

/* True if the index ends where its stream file does, after a torn packet at the end is cut off. */
static bool ends_with_file(
	struct ctf_file *file, int directory, uint32_t piece, uint64_t index_bytes)
{
	uint64_t end = end_of(file->index_fd, index_bytes);

	if (end && end < file->size && !has_packet(file, directory, piece, end)) {
		ctf_cut(file, end);
	}
	return end == file->size;
}

/*
 * Opens the index of the stream file that was just opened, and whose size is known. Cuts off a torn
 * packet after the last one of the index. Removes an index that still does not end where the file
 * ends, or that cannot be written; a trace needs no index. Returns false if no descriptor is free,
 * unless this is the last try.
 */
static bool open_index(struct ctf_file *file, int directory, uint32_t piece, bool last_try)
{
	char name[CTF_NAME_BYTES];
	struct stat st;

	index_name(name, file->stream, piece);
	file->index_fd = ctf_open(directory, name, O_RDWR | (file->size ? 0 : O_CREAT));
	if (file->index_fd < 0 && ctf_no_descriptors() && !last_try) {
		return false;
	}
	if (file->index_fd < 0 || waymark_stat(file->index_fd, &st) || !S_ISREG(st.st_mode) ||
		!(file->size ? ends_with_file(file, directory, piece, (uint64_t)st.st_size)
			     : put_header(file->index_fd))) {
		remove_index(file, directory, piece);
		return true;
	}
	file->index_inode = st.st_ino;
	file->index_size = file->size ? (uint64_t)st.st_size : sizeof(struct ctf_index_header);
	return true;
}

static void fill_record(struct ctf_index_record *r, const struct packet_header *packet,
	uint64_t offset, uint64_t evicted)
{
	*r = (struct ctf_index_record){
		.offset = htobe64(offset),
		.packet_size = htobe64(8 * ctf_packet_bytes(packet, offset)),
		.content_size = htobe64(packet->content_size),
		.timestamp_begin = htobe64(packet->timestamp_begin),
		.timestamp_end = htobe64(packet->timestamp_end),
		.events_discarded = htobe64(packet->events_discarded + evicted),
		.stream_id = htobe64(packet->stream_id),
		.stream_instance_id = htobe64(packet->stream_instance_id),
		.sequence = htobe64(packet->sequence),
	};
}

/* Removes the index, because it is no longer right. */
static void give_up_index(const struct ctf_files *f, struct ctf_file *file)
{
	int directory = waymark_ctf_open_directory(f->trace);

	if (directory >= 0) {
		remove_index(file, directory, f->piece);
		ctf_close(directory);
	}
	ctf_close(file->index_fd);
	file->index_fd = -1;
}

void waymark_ctf_index_add(struct ctf_files *f, struct ctf_file *file,
	struct packet_header *const *packets, size_t count, uint64_t evicted)
{
	size_t bytes = count * sizeof(f->records[0]);
	uint64_t offset = file->size;
	struct stat st;

	if (file->index_fd < 0) {
		return;
	}
	for (size_t i = 0; i < count; i++) {
		fill_record(&f->records[i], packets[i], offset, evicted);
		offset += ctf_packet_bytes(packets[i], offset);
	}
	if (!ctf_is_ours(file, file->index_fd, file->index_inode, &st)) {
		file->index_fd = -1; /* not ours any more, so not closed */
	}
	if (file->index_fd < 0 || (uint64_t)st.st_size != file->index_size ||
		waymark_pwrite(file->index_fd, f->records, bytes, file->index_size) !=
			(long)bytes) {
		give_up_index(f, file);
		return;
	}
	file->index_size += bytes;
}

/*
 * Closes descriptors that are still ours: the program may have given the numbers to files of its
 * own.
 */
static void close_file(struct ctf_file *file)
{
	struct stat st;

	if (ctf_is_ours(file, file->fd, file->inode, &st)) {
		ctf_close(file->fd);
	}
	if (file->index_fd >= 0 && ctf_is_ours(file, file->index_fd, file->index_inode, &st)) {
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

/*
 * Returns the place of the stream's file; otherwise a free place, or that of the least recently
 * used file.
 */
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

/* Cuts the file to a length that packets can have. */
static bool cut_odd(struct ctf_file *file, uint64_t size)
{
	uint64_t odd = size % PACKET_EVENT_ALIGN;

	file->size = size - odd;
	return odd == 0 || ctf_cut(file, file->size);
}

/*
 * True if no other user can have created the file: if others may write into the directory, the file
 * must belong to the directory's owner or to us, and must have no other name.
 */
static bool is_own(const struct stat *st, int directory)
{
	struct stat parent;

	return S_ISREG(st->st_mode) && st->st_nlink == 1 &&
	       (st->st_uid == geteuid() ||
		       (waymark_stat(directory, &parent) == 0 && st->st_uid == parent.st_uid));
}

/* Takes over a descriptor that was just opened. */
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
	return cut_odd(file, (uint64_t)st.st_size);
}

static bool open_in(struct ctf_file *file, int directory, uint32_t piece, bool last_try)
{
	char name[CTF_NAME_BYTES];

	stream_name(name, file->stream, piece);
	int fd = ctf_open(directory, name, O_WRONLY | O_CREAT);

	if (fd >= 0 && adopt(file, fd, directory) && open_index(file, directory, piece, last_try)) {
		return true;
	}
	ctf_close(fd);
	return false;
}

static bool open_file(
	const struct ctf_files *f, struct ctf_file *file, uint64_t stream, bool last_try)
{
	struct ctf_file fresh = { .stream = stream, .index_fd = -1 };
	int directory = waymark_ctf_open_directory(f->trace);
	bool opened = directory >= 0 && open_in(&fresh, directory, f->piece, last_try);

	ctf_close(directory);
	if (opened) {
		*file = fresh;
	}
	return opened;
}

/* Cuts an open file to its whole packets; returns false, with errno, if that fails. */
static bool settle(const struct ctf_files *f, struct ctf_file *file, const struct stat *st)
{
	uint64_t size = (uint64_t)st->st_size;

	if (size > file->size) {
		return ctf_cut(file, file->size);
	}
	if (size < file->size) { /* another process emptied it */
		give_up_index(f, file);
		return cut_odd(file, size);
	}
	return true;
}

/* Opens a stream's file; closes others if descriptors are short. */
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

struct ctf_file *waymark_ctf_get_file(struct ctf_files *f, uint64_t stream)
{
	struct ctf_file *file = find_place(f, stream);
	struct stat st;

	/*
	 * Close the file if it belongs to another stream, or is no longer the file in the
	 * directory.
	 */
	if (file->stream &&
		(file->stream != stream || !ctf_is_ours(file, file->fd, file->inode, &st) ||
			st.st_nlink == 0)) {
		close_file(file);
	}
	if (!(file->stream ? settle(f, file, &st) : open_somehow(f, file, stream))) {
		return NULL;
	}
	file->used = ++f->turn;
	return file;
}
