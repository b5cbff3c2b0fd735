/* SPDX-License-Identifier: MIT */
/*
 * Finds packets that the index files of a native trace have and the stream files do not. Nothing
 * else shows that a file is gone or empty, or ends too early between two packets. Indexes are
 * optional; an index that contradicts itself or its stream is ignored. For the CTF reader and for
 * recovery. One thread.
 */
#ifndef READ_CTF_INDEX_H
#define READ_CTF_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "format/ctf.h"
#include "read/buffer.h"

/* A stream file that ends before the end its index gives. */
struct ctf_index_lost {
	char name[64]; /* of the stream file */
	bool is_gone; /* the file does not exist */
	bool is_empty; /* the file has no packet, or does not exist */
	uint64_t stream; /* its instance */
	uint64_t end; /* timestamp_end of the last missing packet */
	uint32_t packets; /* missing when the index was compared */
	VEC(uint64_t) sequences; /* packets that are still missing */
};

struct ctf_index_losses {
	VEC(struct ctf_index_lost) all; /* by name */
};

/*
 * Compares the indexes of the trace in the folder `directory` with its streams. `swap`: the trace's
 * byte order is not this host's. An unreadable index counts as absent.
 */
void ctf_index_find(struct ctf_index_losses *l, int directory, bool swap);

/* Removes packets that are in memory from the missing ones. */
void ctf_index_find_left(
	struct ctf_index_losses *l, const struct buffer_packet *left, size_t left_count);

/* Writes what a file lacks: "stream-3: is missing: ...". */
void ctf_index_word(const struct ctf_index_lost *lost, char *text, size_t size);

/*
 * Calls `visit` with each record of the index of the stream file `name`, in this host's byte order,
 * unchecked. Returns false if there is no index that can be read.
 */
bool ctf_index_visit(int directory, const char *name,
	void (*visit)(void *data, const struct ctf_index_record *record), void *data);

/* A packet in an index, and the one before it. */
struct ctf_index_place {
	struct ctf_index_record before; /* if `number` is not 0 */
	struct ctf_index_record record;
	uint64_t number; /* packets before it in the file */
};

/*
 * Finds the first packet of a stream file that ends at a time or later, or else its last one. The
 * index is unchecked. Returns false if there is none that can be read.
 */
bool ctf_index_place(
	int directory, const char *name, uint64_t ticks, struct ctf_index_place *place);

void ctf_index_fini(struct ctf_index_losses *l);

#endif
