/* SPDX-License-Identifier: MIT */
/*
 * The one definition of a packet's bytes: threads record into packets, and stream files of the
 * native trace consist of them (a fixed profile of CTF 1.8, waymark-ctf(5)). A packet is valid up
 * to its content_size at every moment, because each event stores content_size last, with release
 * order.
 *
 * An event is one 8-byte word { 48 bits clock, 16 bits id }, then its arguments in declaration
 * order and natural alignment; a string is a u32 length and its bytes. Events begin at multiples of
 * 8; the content ends with the last event's last byte, before the padding. Sizes are in bits, as in
 * CTF.
 *
 * C strings contain no NUL, so a NUL as the last byte is a mark:
 *
 *	length 0                     ""
 *	length 1, "\0"               NULL
 *	length n, "begin of...\0"    cut: the program's was longer
 */
#ifndef FORMAT_PACKET_H
#define FORMAT_PACKET_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define PACKET_MAGIC UINT32_C(0xc1fc1fc1)
#define PACKET_EVENT_ALIGN 8u
#define PACKET_CLOCK_BITS 48
#define PACKET_CLOCK_MASK ((UINT64_C(1) << PACKET_CLOCK_BITS) - 1)
#define PACKET_ID_BITS 16

/* timestamp_end of a packet that is still recorded into. */
#define PACKET_OPEN (UINT64_MAX >> 1)

/* The longest packet in memory. */
#define PACKET_BYTES_MAX (UINT32_C(1) << 20)

/*
 * Packets of a file are consecutive, each at a multiple of PACKET_EVENT_ALIGN. A large packet may
 * be padded so that the file's end is a multiple of this, for O_DIRECT.
 */
#define PACKET_FILE_ALIGN UINT32_C(4096)
#define PACKET_FILE_BYTES_MAX (PACKET_BYTES_MAX + PACKET_FILE_ALIGN)

struct packet_header {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t stream_id; /* 0: the only class of streams */
	uint64_t stream_instance_id; /* from 1 */
	/* packet.context */
	uint64_t timestamp_begin; /* ticks of the trace's clock, 64 bits */
	uint64_t timestamp_end;
	uint64_t content_size; /* bits, including the header */
	uint64_t packet_size; /* bits, including the unused rest */
	uint64_t sequence; /* in the stream, from 1; continues if another thread takes it over */
	uint64_t events_discarded; /* running count of the stream */
	uint32_t cpu_id; /* 0 */
	uint32_t tid;
};

/*
 * True for the header of a packet of the buffer with that uuid, `room` bytes before the buffer's
 * end.
 */
static inline bool packet_is_in_buffer(
	const struct packet_header *h, const uint8_t uuid[16], uint64_t room)
{
	return h->magic == PACKET_MAGIC && memcmp(h->uuid, uuid, sizeof(h->uuid)) == 0 &&
	       h->stream_id == 0 && h->stream_instance_id > 0 && h->sequence > 0 &&
	       h->packet_size % 8 == 0 && h->content_size % 8 == 0 &&
	       h->content_size / 8 >= sizeof(*h) && h->content_size <= h->packet_size &&
	       h->packet_size / 8 <= PACKET_BYTES_MAX && h->packet_size / 8 <= room;
}

#endif
