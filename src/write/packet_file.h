/* SPDX-License-Identifier: MIT */
/*
 * A stream file of a native trace, written packet by packet, and the index file
 * beside it. What is in the file is whole packets at any time but during an
 * append; one that fails is taken back. Functions return 0 or an errno; one
 * thread a file.
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
	VEC(struct ctf_index_record) index; /* of them, in host order */
};

/* What a packet takes in a file that no process goes on with: nobody needs its end aligned. */
static inline size_t packet_padded(size_t content)
{
	return (content + PACKET_EVENT_ALIGN - 1) / PACKET_EVENT_ALIGN * PACKET_EVENT_ALIGN;
}

/* Opens a file of the folder `directory`: `flags` as open(2) has them. */
int packet_file_open(struct packet_file *f, int directory, const char *name, int flags);

/* Closes it; an error of close(2) counts. */
int packet_file_close(struct packet_file *f);

/*
 * Appends a packet: its header, whose content_size says how much follows. The
 * buffer has packet_padded() bytes; the padding, packet_size and, while it is
 * still open, timestamp_end (`end`, ticks) are filled in here.
 */
int packet_file_append(struct packet_file *f, unsigned char *packet, uint64_t end);

/* Takes a packet that is in the file already, at its end, into the index. */
void packet_file_note(struct packet_file *f, const struct packet_header *h);

/* Writes index/<name>.idx anew, under a temporary name first. */
int packet_file_write_index(const struct packet_file *f, int directory, const char *name);

/* Whether the index file there says what it should. */
bool packet_file_index_is_right(const struct packet_file *f, int directory, const char *name);

/* Writes all of it. */
int packet_write_all(int fd, const void *p, size_t n, uint64_t offset);

#endif
