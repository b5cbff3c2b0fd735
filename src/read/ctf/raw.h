/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a native trace's records, as in format/packet.h, for programs that pass records on
 * as packets. For readers of reader_ctf whose byte order is this host's, in the thread of the
 * reader.
 */
#ifndef READ_CTF_RAW_H
#define READ_CTF_RAW_H

#include <string.h>

#include "format/packet.h"
#include "read/reader.h"

/* True if the functions below may be called. */
bool raw_is_known(const struct reader *r);

/* Returns the event's bytes, and their number. */
static inline const unsigned char *raw_bytes(const struct record *rec, size_t *size)
{
	*size = rec->payload_size + sizeof(uint64_t);
	return rec->payload - sizeof(uint64_t);
}

/* Sets the time in the bytes of an event: the lower bits of a time of any clock. */
static inline void raw_set_time(unsigned char *event, uint64_t time)
{
	uint64_t word;

	memcpy(&word, event, sizeof(word));
	word = time << PACKET_ID_BITS | (word & ((UINT64_C(1) << PACKET_ID_BITS) - 1));
	memcpy(event, &word, sizeof(word));
}

#endif
