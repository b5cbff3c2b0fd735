/* SPDX-License-Identifier: MIT */
/* See packet_walk.h. */
#include <string.h>

#include "rt/event/registry.h"
#include "rt/sink/packet_walk.h"

/* What sizes[] says of an event that has strings, or that nobody knows. */
#define SIZE_VARIES UINT16_MAX

static uint64_t align(uint64_t at, uint64_t to)
{
	return (at + to - 1) & ~(to - 1);
}

/* Where the arguments end that begin at `at`; UINT64_MAX where they cannot. */
static uint64_t end_of_args(
	const struct waymark_entry *e, const char *packet, uint64_t at, uint64_t bytes)
{
	for (unsigned int i = 0; i < e->arg_count; i++) {
		const struct waymark_arg *arg = &e->args[i];
		bool is_string = arg->kind == WAYMARK_STRING;
		uint32_t length = 0;

		at = align(at, is_string ? sizeof(length) : arg->size) +
		     (is_string ? sizeof(length) : arg->size);
		if (at > bytes) {
			return UINT64_MAX;
		}
		if (is_string) {
			memcpy(&length, packet + at - sizeof(length), sizeof(length));
		}
		at += length;
	}
	return align(at, PACKET_EVENT_ALIGN);
}

static uint16_t fixed_size(const struct waymark_entry *e)
{
	for (unsigned int i = 0; i < e->arg_count; i++) {
		if (e->args[i].kind == WAYMARK_STRING) {
			return SIZE_VARIES;
		}
	}
	return (uint16_t)(end_of_args(e, NULL, sizeof(uint64_t), UINT64_MAX - 1) / 8);
}

uint64_t waymark_packet_events(
	struct packet_walk *w, const struct packet_header *packet, uint64_t bytes)
{
	const char *begin = (const char *)packet;
	uint64_t events = 0;

	for (uint64_t at = sizeof(*packet); at + sizeof(uint64_t) <= bytes; events++) {
		uint16_t id;
		uint64_t word;

		memcpy(&word, begin + at, sizeof(word));
		id = (uint16_t)word;
		if (w->sizes[id] && w->sizes[id] != SIZE_VARIES) {
			at += 8u * w->sizes[id];
			continue;
		}
		const struct waymark_entry *e = waymark_registry_entry(id);

		if (!e) {
			break;
		}
		w->sizes[id] = fixed_size(e);
		at = end_of_args(e, begin, at + sizeof(word), bytes);
	}
	return events;
}
