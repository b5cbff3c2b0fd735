/* SPDX-License-Identifier: MIT */
/* An open buffer file, for buffer*.c only; read/buffer.h is what others see. */
#ifndef READ_BUFFER_SOURCE_H
#define READ_BUFFER_SOURCE_H

#include "base/vec.h"
#include "read/buffer.h"

/* Sorted by (stream_instance_id, sequence), each packet once. */
struct buffer_list {
	VEC(struct buffer_packet) packets;
};

struct buffer_source {
	int fd;
	char *path;
	const unsigned char *map;
	uint64_t bytes;
	struct buffer_file header;
	uint32_t turn; /* of the trace that is wanted, which is header.traces[turn % 2] */
	struct buffer_list scanned; /* what buffer_source_scan() handed out */
	struct buffer_list again; /* what buffer_source_find() looks in: a later look than that */
	bool has_again;
};

/*
 * Whether another process records into it by now, so that what was read before this call may
 * be that one's. In a jail; packets tell by themselves.
 */
bool buffer_source_is_anothers(const struct buffer_source *s);

/* How many other traces have had what is in it, since the one that is wanted. */
int32_t buffer_source_turns(const struct buffer_source *s);

/* Reads all of `n` bytes; false when the file has fewer there. Leaves holes alone. */
bool buffer_source_read(const struct buffer_source *s, void *buffer, size_t n, uint64_t offset);

#endif
