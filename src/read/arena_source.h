/* SPDX-License-Identifier: MIT */
/* An open arena file, for arena*.c only; read/arena.h is what others see. */
#ifndef READ_ARENA_SOURCE_H
#define READ_ARENA_SOURCE_H

#include "base/vec.h"
#include "read/arena.h"

/* Sorted by (stream_instance_id, sequence), each packet once. */
struct arena_list {
	VEC(struct arena_packet) packets;
};

struct arena_source {
	int fd;
	char *path;
	const unsigned char *map;
	uint64_t bytes;
	struct arena_file header;
	uint32_t turn; /* of the trace that is wanted, which is header.traces[turn % 2] */
	struct arena_list scanned; /* what arena_source_scan() handed out */
	struct arena_list again; /* what arena_source_find() looks in: a later look than that */
	bool has_again;
};

/*
 * Whether another process records into it by now, so that what was read before this call may
 * be that one's. In a jail; packets tell by themselves.
 */
bool arena_source_is_anothers(const struct arena_source *s);

/* How many other traces have had what is in it, since the one that is wanted. */
int32_t arena_source_turns(const struct arena_source *s);

/* Reads all of `n` bytes; false when the file has fewer there. Leaves holes alone. */
bool arena_source_read(const struct arena_source *s, void *buffer, size_t n, uint64_t offset);

#endif
