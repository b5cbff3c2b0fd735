/* SPDX-License-Identifier: MIT */
/*
 * The one definition of a packet's bytes: what a thread records into, and what
 * a stream file of the native trace is made of (a fixed profile of CTF 1.8).
 * A packet is valid up to its content_size at every moment, because that is
 * stored last, with release order, for each event.
 *
 * An event is one 8-byte word { 48 bits clock, 16 bits id }, then its arguments
 * in declaration order and natural alignment; a string is a u32 length and its
 * bytes. Events begin at multiples of 8. Sizes are in bits, as CTF has them.
 */
#ifndef FORMAT_PACKET_H
#define FORMAT_PACKET_H

#include <stdint.h>

#define PACKET_MAGIC UINT32_C(0xc1fc1fc1)
#define PACKET_EVENT_ALIGN 8u
#define PACKET_CLOCK_BITS 48
#define PACKET_CLOCK_MASK ((UINT64_C(1) << PACKET_CLOCK_BITS) - 1)
#define PACKET_ID_BITS 16

/* timestamp_end of a packet that is still written to. */
#define PACKET_OPEN (UINT64_MAX >> 1)

/* The length word of a string argument that was NULL; no bytes follow. */
#define PACKET_NULL_STRING UINT32_MAX

struct packet_header {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t stream_id;
	uint64_t stream_instance_id;
	/* packet.context */
	uint64_t timestamp_begin;
	uint64_t timestamp_end;
	uint64_t content_size;
	uint64_t packet_size;
	uint64_t sequence;
	uint64_t events_discarded; /* running count of this stream */
	uint32_t cpu_id;
	uint32_t tid;
};

#endif
