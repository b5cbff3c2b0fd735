/* SPDX-License-Identifier: MIT */
/* Headers of packets, see read/ctf/packet.h. */
#include "read/ctf/packet.h"

#include <string.h>

#include "read/bytes.h"

void ctf_packet_load(struct packet_header *h, const unsigned char *bytes, bool swap)
{
	memcpy(h, bytes, sizeof(*h));
	if (!swap) {
		return;
	}
	uint32_t *const words[] = { &h->magic, &h->stream_id, &h->cpu_id, &h->tid };
	uint64_t *const longs[] = { &h->stream_instance_id, &h->timestamp_begin, &h->timestamp_end,
		&h->content_size, &h->packet_size, &h->sequence, &h->events_discarded };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		*words[i] = __builtin_bswap32(*words[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(longs); i++) {
		*longs[i] = __builtin_bswap64(*longs[i]);
	}
}

const char *ctf_packet_fault(
	const struct packet_header *h, const struct ctf_trace *t, uint64_t instance)
{
	const struct {
		bool is_wrong;
		const char *what;
	} checks[] = {
		{ h->magic != PACKET_MAGIC, "not a packet: its magic number is missing" },
		{ memcmp(h->uuid, t->uuid, sizeof(h->uuid)) != 0,
			"a packet of another trace: its uuid differs" },
		{ h->stream_id != 0, "its class of streams is not known" },
		{ h->stream_instance_id != instance, "a packet of another stream" },
		{ h->packet_size % 8 || h->packet_size > 8 * (uint64_t)PACKET_FILE_BYTES_MAX ||
				h->packet_size < 8 * sizeof(*h),
			"its size is impossible" },
		{ h->content_size % 8 || h->content_size > h->packet_size ||
				h->content_size < 8 * sizeof(*h),
			"the size of its content is impossible" },
		{ h->timestamp_begin > h->timestamp_end, "it ends before it begins" },
		{ h->timestamp_begin > t->last_ticks, "its time is impossible" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(checks); i++) {
		if (checks[i].is_wrong) {
			return checks[i].what;
		}
	}
	return NULL;
}

bool ctf_packet_begins(const unsigned char *bytes, size_t left, const struct ctf_trace *t)
{
	const size_t head = sizeof(uint32_t) + sizeof(t->uuid);

	return left >= head && load32(bytes, t->swap) == PACKET_MAGIC &&
	       memcmp(bytes + sizeof(uint32_t), t->uuid, sizeof(t->uuid)) == 0;
}
