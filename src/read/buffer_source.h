/* SPDX-License-Identifier: MIT */
/* An open buffer file. Private to buffer.c and buffer_open.c. */
#ifndef READ_BUFFER_SOURCE_H
#define READ_BUFFER_SOURCE_H

#include "base/vec.h"
#include "read/buffer.h"
#include "read/buffer_folder.h"

struct buffer_packets {
	struct buffer_packet *items; /* by (stream_instance_id, sequence), each once */
	size_t count;
	size_t capacity;
};

struct buffer_source {
	int fd;
	char *path;
	struct buffer_folder folder; /* empty if it is this process's, or the trace */
	const unsigned char *map;
	uint64_t bytes;
	struct buffer_file header;
	uint32_t turn; /* of the wanted trace, which is header.traces[turn % 2] */
	struct buffer_packets scanned; /* result of buffer_source_scan() */
	struct buffer_packets again; /* a later scan, for buffer_source_find() */
	bool has_again;
};

/*
 * True if another process of a jail already records into it, so that data read before this call may
 * be that process's. Packets need no such check: they have the trace's uuid.
 */
bool buffer_source_is_anothers(const struct buffer_source *s);

/* Reads `n` bytes; false if the file is too short. Allocates no memory for holes. */
bool buffer_source_read(const struct buffer_source *s, void *buffer, size_t n, uint64_t offset);

#endif
