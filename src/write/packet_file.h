/* SPDX-License-Identifier: MIT */
/*
 * A stream file of a native trace, written packet by packet, and its index file. The file consists
 * of whole packets, except during an append; an append that fails is undone. For the writer of
 * traces and for recover/stream_files.c. Functions return 0 or an errno. One thread a file.
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
	uint64_t end; /* bytes of whole packets */
	VEC(struct ctf_index_record) index; /* of these packets, in the host's byte order */
};

/* Bytes of a packet in a file that no process continues: its end need not be aligned. */
static inline size_t packet_padded(size_t content)
{
	return (content + PACKET_EVENT_ALIGN - 1) / PACKET_EVENT_ALIGN * PACKET_EVENT_ALIGN;
}

/* Opens a file of the folder `directory`, with flags of open(2). */
int packet_file_open(struct packet_file *f, int directory, const char *name, int flags);

/* Closes the file and forgets the index. */
int packet_file_close(struct packet_file *f);

/*
 * Appends a packet that begins with its header. `packet` has packet_padded() bytes; this fills in
 * the padding, packet_size and, if the packet is open, `end` (ticks) as its timestamp_end.
 */
int packet_file_append(struct packet_file *f, unsigned char *packet, uint64_t end);

/* Adds a packet that is in the file already, behind the others, to the index. */
void packet_file_note(struct packet_file *f, const struct packet_header *h);

/* Replaces index/<name>.idx unless it has exactly this index; sets *changed if it did. */
int packet_file_write_index(
	const struct packet_file *f, int directory, const char *name, bool *changed);

/* As pwrite(2), but writes all. */
int packet_write_all(int fd, const void *p, size_t n, uint64_t offset);

#endif
