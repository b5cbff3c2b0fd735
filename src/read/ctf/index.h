/* SPDX-License-Identifier: MIT */
/*
 * What the index files of a native trace know of packets that the stream files
 * do not have: a file that is gone or empty, or that ends too early between two
 * packets, cannot be told otherwise. Indexes are optional, and none is believed
 * that contradicts itself or its stream. For the CTF reader and for recovery.
 */
#ifndef READ_CTF_INDEX_H
#define READ_CTF_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "read/buffer.h"

/* A stream file that ends before its index does. */
struct ctf_index_lost {
	char name[64]; /* of the stream file */
	bool is_gone; /* there is no such file */
	bool is_empty; /* it has no packet, gone or not */
	uint64_t stream; /* its instance */
	uint64_t end; /* timestamp_end of the last packet that is missing */
	uint32_t packets; /* that are missing, when found */
	VEC(uint64_t) sequences; /* of those that are still missing */
};

struct ctf_index_losses {
	VEC(struct ctf_index_lost) all; /* by name */
};

/*
 * Looks through the indexes of the trace in the folder `directory`; `swap`: its
 * byte order is not this host's. What cannot be read counts as absent.
 */
void ctf_index_find(struct ctf_index_losses *l, int directory, bool swap);

/* Memory has these packets: they are not missing. */
void ctf_index_find_left(
	struct ctf_index_losses *l, const struct buffer_packet *left, size_t left_count);

/* Says what is missing of a file: "stream-3: is missing: ...". */
void ctf_index_word(const struct ctf_index_lost *lost, char *text, size_t size);

void ctf_index_fini(struct ctf_index_losses *l);

#endif
