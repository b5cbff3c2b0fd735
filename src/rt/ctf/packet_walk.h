/* SPDX-License-Identifier: MIT */
/*
 * Counts the events of a packet: for evicted packets, whose events are lost, and for the counters
 * of each event. The sizes of events without strings are computed once.
 */
#ifndef RT_CTF_PACKET_WALK_H
#define RT_CTF_PACKET_WALK_H

#include <stdint.h>

#include "format/packet.h"

/* All zero at first. One thread at a time. */
struct packet_walk {
	uint16_t sizes[1u << PACKET_ID_BITS]; /* by id: size of an event in units of 8 bytes */
};

/* Returns the number of events in the packet's first `bytes`, which begin with its header. */
uint64_t waymark_packet_events(
	struct packet_walk *w, const struct packet_header *packet, uint64_t bytes);

/*
 * Returns the same, and also adds to each event's counter while counting is on (stats.h). For
 * packets that leave memory.
 */
uint64_t waymark_packet_count(
	struct packet_walk *w, const struct packet_header *packet, uint64_t bytes);

#endif
