/* SPDX-License-Identifier: MIT */
/*
 * The index of a stream file: it tells viewers where each packet is without
 * their reading the file. An index is either complete or not there at all, and
 * never a reason why a trace cannot be written.
 */
#include <endian.h>

#include "rt/ctf/io.h"
#include "rt/ctf/stream.h"
#include "rt/host/file.h"

static void remove_index(struct ctf_file *file, int directory, uint32_t piece)
{
	char name[CTF_NAME_BYTES];

	ctf_close(file->index_fd);
	file->index_fd = -1;
	waymark_ctf_index_name(name, file->stream, piece);
	syscall(SYS_unlinkat, directory, name, 0);
}

static bool put_header(int fd)
{
	const struct ctf_index_header header = CTF_INDEX_HEADER;

	return ftruncate(fd, 0) == 0 && ctf_write_at(fd, &header, sizeof(header), 0);
}

/* Where the last packet of an index ends in its stream file; 0: it is no whole index. */
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

/* Whether a packet of the stream is whole in its file at `at`, as far as that can be read. */
static bool has_packet(const struct ctf_file *file, int directory, uint32_t piece, uint64_t at)
{
	char name[CTF_NAME_BYTES];
	struct packet_header h;

	waymark_ctf_stream_name(name, file->stream, piece);
	int fd = ctf_open(directory, name, O_RDONLY);
	bool is_read = fd >= 0 && ctf_read_at(fd, &h, sizeof(h), at);

	ctf_close(fd);
	return fd < 0 ||
	       (is_read && h.magic == PACKET_MAGIC && h.stream_instance_id == file->stream &&
		       h.packet_size / 8 <= file->size - at);
}

/* Whether the index ends where its file does, once a torn packet behind it is cut off. */
static bool ends_with_file(
	struct ctf_file *file, int directory, uint32_t piece, uint64_t index_bytes)
{
	uint64_t end = end_of(file->index_fd, index_bytes);

	if (end && end < file->size && !has_packet(file, directory, piece, end)) {
		ctf_cut(file, end);
	}
	return end == file->size;
}

bool waymark_ctf_index_open(struct ctf_file *file, int directory, uint32_t piece, bool last_try)
{
	char name[CTF_NAME_BYTES];
	struct stat st;

	waymark_ctf_index_name(name, file->stream, piece);
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

void waymark_ctf_index_give_up(const struct ctf_files *f, struct ctf_file *file)
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
		file->index_fd = -1; /* whose it is now, closes it */
	}
	if (file->index_fd < 0 || (uint64_t)st.st_size != file->index_size ||
		waymark_pwrite(file->index_fd, f->records, bytes, file->index_size) !=
			(long)bytes) {
		waymark_ctf_index_give_up(f, file);
		return;
	}
	file->index_size += bytes;
}
