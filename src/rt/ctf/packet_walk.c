/* SPDX-License-Identifier: MIT */
/*
 * Walks the events of a packet by the sizes of their arguments, which an event's entry gives: see
 * packet_walk.h. Stops at an unknown event. Called by the consumer.
 */
#include <string.h>

#include "base/compiler.h"
#include "format/debug.h"
#include "rt/ctf/packet_walk.h"
#include "rt/event/registry.h"
#include "rt/record/stats.h"

/* In sizes[]: an event that has arguments of varying size, or is unknown. */
#define SIZE_VARIES UINT16_MAX

static uint64_t align(uint64_t at, uint64_t to)
{
	return (at + to - 1) & ~(to - 1);
}

/* A number of 128 bits is two of 64. */
static uint64_t align_number(uint64_t at, uint64_t size)
{
	return align(at, size > 8 ? 8 : size);
}

static bool varies(const struct waymark_entry_arg *arg)
{
	return arg->kind == WAYMARK_STRING || arg->kind >= WAYMARK_TEXT;
}

/* Returns the end of an argument that is recorded with its length. */
static uint64_t end_of_varying(const struct waymark_entry_arg *arg, const unsigned char *packet,
	uint64_t at, uint64_t bytes)
{
	uint32_t length;

	if (arg->kind == WAYMARK_DEBUG) {
		return debug_end(packet, at, bytes, false, sizeof(void *));
	}
	if (arg->kind != WAYMARK_STRING) {
		return debug_blob_end(packet, at, bytes, false);
	}
	at = align(at, sizeof(length)) + sizeof(length);
	if (at > bytes) {
		return UINT64_MAX;
	}
	memcpy(&length, packet + at - sizeof(length), sizeof(length));
	return at + length;
}

/* Returns the end of the arguments that begin at `at`; UINT64_MAX if they are invalid. */
static uint64_t end_of_args(
	const struct waymark_entry *e, const char *packet, uint64_t at, uint64_t bytes)
{
	for (unsigned int i = 0; i < e->arg_count; i++) {
		const struct waymark_entry_arg *arg = &e->args[i];

		at = varies(arg) ? end_of_varying(arg, (const unsigned char *)packet, at, bytes)
				 : align_number(at, arg->size) + arg->size;
		if (at > bytes) {
			return UINT64_MAX;
		}
	}
	return align(at, PACKET_EVENT_ALIGN);
}

static uint16_t fixed_size(const struct waymark_entry *e)
{
	for (unsigned int i = 0; i < e->arg_count; i++) {
		if (varies(&e->args[i])) {
			return SIZE_VARIES;
		}
	}
	return (uint16_t)(end_of_args(e, NULL, sizeof(uint64_t), UINT64_MAX - 1) / 8);
}

/* Returns the end of an event whose size is not in sizes[]; 0 if the event is unknown. */
static NOINLINE uint64_t find_end(
	struct packet_walk *w, const char *packet, uint64_t at, uint64_t bytes, uint16_t id)
{
	const struct waymark_entry *e = waymark_registry_entry(id);

	if (!e) {
		return 0;
	}
	if (!w->sizes[id]) {
		w->sizes[id] = fixed_size(e);
	}
	uint64_t end = end_of_args(e, packet, at + sizeof(uint64_t), bytes);

	return end == UINT64_MAX ? 0 : end;
}

/* Gives the id of the event that begins at `at`, and returns its end; 0 if the event is unknown. */
static inline uint64_t end_of_event(
	struct packet_walk *w, const char *packet, uint64_t at, uint64_t bytes, uint16_t *id)
{
	uint64_t word;

	memcpy(&word, packet + at, sizeof(word));
	*id = (uint16_t)word;
	uint16_t size = w->sizes[*id];

	return LIKELY(size && size != SIZE_VARIES) ? at + 8u * size
						   : find_end(w, packet, at, bytes, *id);
}

uint64_t waymark_packet_events(
	struct packet_walk *w, const struct packet_header *packet, uint64_t bytes)
{
	uint64_t events = 0;
	uint16_t id;

	for (uint64_t at = sizeof(*packet); at + sizeof(uint64_t) <= bytes; events++) {
		at = end_of_event(w, (const char *)packet, at, bytes, &id);
		if (!at) {
			break;
		}
	}
	return events;
}

uint64_t waymark_packet_count(
	struct packet_walk *w, const struct packet_header *packet, uint64_t bytes)
{
	struct counts_run run = { .at = sizeof(*packet) };
	uint64_t at = sizeof(*packet);
	uint64_t events = 0;

	if (!counts_are_on()) {
		return waymark_packet_events(w, packet, bytes);
	}
	for (; at + sizeof(uint64_t) <= bytes; events++) {
		uint16_t id;
		uint64_t end = end_of_event(w, (const char *)packet, at, bytes, &id);

		if (!end) {
			break;
		}
		if (UNLIKELY(id != run.id)) {
			counts_add_run(&run, id, events, at);
		}
		at = end;
	}
	counts_add_run(&run, 0, events, at);
	return events;
}
