/* SPDX-License-Identifier: MIT */
/*
 * How many events a packet holds, for packets that are given up and must be
 * counted, and which. The sizes of events without strings are worked out once.
 */
#ifndef RT_CTF_PACKET_WALK_H
#define RT_CTF_PACKET_WALK_H

#include <stdint.h>

#include "format/packet.h"

/* All zero at first. One thread at a time. */
struct packet_walk {
	uint16_t sizes[1u << PACKET_ID_BITS]; /* by id: of an event in units of 8 bytes */
};

/* The events among the packet's first `bytes`, which begin with its header. */
uint64_t waymark_packet_events(
	struct packet_walk *w, const struct packet_header *packet, uint64_t bytes);

/* The same; counts each event, while counting is on (stats.h). For packets that leave memory. */
uint64_t waymark_packet_count(
	struct packet_walk *w, const struct packet_header *packet, uint64_t bytes);

#endif
