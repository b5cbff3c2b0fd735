/* SPDX-License-Identifier: MIT */
/*
 * The files of streams, which append.c writes: open files, their indexes and their names. Only for
 * src/rt/ctf, under the drain lock.
 */
#ifndef RT_CTF_STREAM_H
#define RT_CTF_STREAM_H

#include <sys/stat.h>
#include <unistd.h>

#include "rt/ctf/ctf.h"
#include "rt/host/open.h"

/* The longest name of a stream file or, with its folder, of its index. */
#define CTF_NAME_BYTES 64u

/* Returns the stream's open file; NULL, with errno, if it cannot be opened. */
struct ctf_file *waymark_ctf_get_file(struct ctf_files *f, uint64_t stream);

/* Cuts the file to `size`, the length of its whole packets. */
static inline bool ctf_cut(struct ctf_file *file, uint64_t size)
{
	file->size = size;
	return ftruncate(file->fd, (off_t)size) == 0;
}

/*
 * Returns true if a packet is written past the page cache: it fills half of the smallest
 * sub-buffer.
 */
static inline bool ctf_is_large(const struct packet_header *packet)
{
	return packet->content_size / 8 >= BUFFER_UNIT / 2;
}

/*
 * Returns the size of a packet in a file that ends at `at`: its content rounded up to a multiple of
 * 8 or, for a large packet, so that the file's end is aligned for writes past the page cache.
 */
static inline uint64_t ctf_packet_bytes(const struct packet_header *packet, uint64_t at)
{
	uint64_t align = ctf_is_large(packet) ? PACKET_FILE_ALIGN : PACKET_EVENT_ALIGN;
	uint64_t end = at + packet->content_size / 8 + align - 1;

	return end / align * align - at;
}

/* Adds packets that were written after the file's size so far, which is not updated yet. */
void waymark_ctf_index_add(struct ctf_files *f, struct ctf_file *file,
	struct packet_header *const *packets, size_t count, uint64_t evicted);

/* Removes the pieces that are older than the newest `keep`. */
void waymark_ctf_remove_pieces(const struct ctf_files *f, uint32_t keep);

/*
 * Returns true if the descriptor still refers to that file: the program may have closed a
 * descriptor that had to be shared.
 */
static inline bool ctf_is_ours(const struct ctf_file *file, int fd, uint64_t inode, struct stat *st)
{
	return waymark_stat(fd, st) == 0 && st->st_dev == file->device && st->st_ino == inode;
}

#endif
