/* SPDX-License-Identifier: MIT */
/*
 * A stream file of a native trace, written packet by packet, and its index file. The file has whole
 * packets only, except during an append; a failed append is undone. For the writer of traces and
 * for recover/stream_files.c. Functions return 0 or an errno. Each file belongs to one thread.
 */
#ifndef WRITE_PACKET_FILE_H
#define WRITE_PACKET_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "format/ctf.h"
#include "format/packet.h"

struct packet_file {
	int fd;
	uint64_t end; /* size of all whole packets */
	VEC(struct ctf_index_record) index; /* index of these packets, in the host's byte order */
};

/*
 * Returns the bytes of a packet in a file that no process continues: its end need not be aligned.
 */
static inline size_t packet_padded(size_t content)
{
	return (content + PACKET_EVENT_ALIGN - 1) / PACKET_EVENT_ALIGN * PACKET_EVENT_ALIGN;
}

/* Opens a file of the folder `directory`, with flags of open(2). */
int packet_file_open(struct packet_file *f, int directory, const char *name, int flags);

/* Closes the file and frees the index. */
int packet_file_close(struct packet_file *f);

/*
 * Appends a packet that begins with its header. `packet` has packet_padded() bytes. Sets the
 * padding, packet_size and, if the packet is open, its timestamp_end to `end` (ticks).
 */
int packet_file_append(struct packet_file *f, unsigned char *packet, uint64_t end);

/* Adds a packet at the end of the file, which already has it, to the index. */
void packet_file_note(struct packet_file *f, const struct packet_header *h);

/* Replaces index/<name>.idx unless it has exactly this index; sets *changed if it did. */
int packet_file_write_index(
	const struct packet_file *f, int directory, const char *name, bool *changed);

/* Writes like pwrite(2), but always all bytes. */
int packet_write_all(int fd, const void *p, size_t n, uint64_t offset);

#endif
