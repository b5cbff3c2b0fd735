/* SPDX-License-Identifier: MIT */
/*
 * A runtime that tests generated code through its interface only: all events reserve memory in one
 * packet. Of the library it has only src/rt/site/declared.c. FIRE() records an event by that, then
 * by generated code alone: both must give the same record.
 */
#ifndef TESTS_TRACETOOL_STUB_RUNTIME_H
#define TESTS_TRACETOOL_STUB_RUNTIME_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <waymark/record.h>

#include "rt/text/backends.h"
#include "rt/text/flatten.h"

#define PACKET_SIZE 131072

static union {
	char bytes[PACKET_SIZE];
	uint64_t aligned;
} packet;
static uint64_t content_size;
static struct waymark_cursor cursor;
__thread struct waymark_cursor *waymark_cursors[WAYMARK_RECORDERS]
	__attribute__((tls_model("initial-exec"))) = { &cursor, &cursor };

static struct waymark_event *const *events; /* event n has the id n + 1 */
static struct waymark_event *const *events_end;
static size_t last_room; /* that the last event requested */
static bool called; /* the last event was recorded by a call of the runtime */

void waymark_register(struct waymark_object *object)
{
	uint32_t id = 0;

	events = object->begin;
	events_end = object->end;
	for (struct waymark_event *const *e = object->begin; e < object->end; e++) {
		(*e)->id = ++id;
	}
}

void waymark_unregister(struct waymark_object *object)
{
	(void)object;
}

struct waymark_cursor *waymark_cursor_nested(enum waymark_recorder recorder, uint32_t id)
{
	(void)id;
	(void)recorder;
	return NULL;
}

/* Called by every event that finds no room: its size is seen. */
struct waymark_cursor *waymark_cursor_refill(
	enum waymark_recorder recorder, struct waymark_cursor *c, size_t size, uint32_t id)
{
	(void)id;
	(void)recorder;
	last_room = size - WAYMARK_RECORD_OVERHEAD;
	called = true;
	return c;
}

/* Only declared.c calls this, for arguments without a fixed size. */
uint32_t waymark_string_max(uint32_t max)
{
	called = true;
	return max;
}

uint64_t waymark_clock_ns(void)
{
	return 0;
}

/* Stores a tree whose text names the values that it was made of. */
void waymark_flatten_call(struct waymark_trees *t, const struct waymark_event *event,
	unsigned int placeholder, struct waymark_debug *value)
{
	t->used = (uint32_t)snprintf(
		t->room, sizeof(t->room), "<tree of %s, {%u}>", event->name, placeholder);
	value->kind = WAYMARK_DEBUG_TREE;
	value->length = t->used;
	value->as.pointer = t->room;
}

void waymark_trees_unmap(struct waymark_trees *t)
{
	(void)t;
	abort();
}

static void print_event(const struct waymark_event *event, const char *fmt, va_list args)
{
	char text[160]; /* the rest of a long line is cut */

	vsnprintf(text, sizeof(text), fmt, args);
	printf("%s%s\n", event->name, text);
}

static const struct text_backend printer = { .print = print_event };
const struct text_backend_row waymark_text_backends[TEXT_BACKENDS] = { { .bit = WAYMARK_LOG,
	.backend = &printer } };

/*
 * Begins an event, with `room` bytes for the record, for the recorder alone; without room, to see
 * how much it requests, for all backends.
 */
static void begin(size_t room)
{
	memset(packet.bytes, 0x5a, sizeof(packet.bytes));
	called = false;
	for (struct waymark_event *const *e = events; e < events_end; e++) {
		*(uint16_t *)(void *)(*e)->state = room ? STUB_RECORDER : STUB_BACKENDS;
	}
	cursor = (struct waymark_cursor){ .pos = packet.bytes,
		.packet = packet.bytes,
		.limit = room ? packet.bytes + room : NULL,
		.cycles = room ? WAYMARK_CYCLES : 0,
		.content_size = &content_size };
}

/* Generated code records the event if there is as much room as it requests, and no less. */
static bool needs_more(size_t room)
{
	last_room = called ? last_room : room - WAYMARK_RECORD_OVERHEAD;
	return called && room < sizeof(packet.bytes);
}

/* A condition that is true for the recorder alone. */
static unsigned int decided;

unsigned int waymark_decide(
	const struct waymark_event *event, unsigned int on, const uint64_t *words)
{
	(void)event;
	(void)on;
	(void)words;
	decided++;
	return STUB_RECORDER;
}

/* Does what begin() does, but the events are on under a condition. */
static void begin_if(size_t room)
{
	begin(room);
	for (struct waymark_event *const *e = events; e < events_end; e++) {
		*(uint16_t *)(void *)(*e)->state = WAYMARK_CONDITIONAL;
	}
	decided = 0;
}

static void check_decided(uint64_t size)
{
	if (decided != 1 || content_size != size) {
		printf("under a condition: decided %u times, %" PRIu64 " bits, not %" PRIu64 "\n",
			decided, content_size, size);
	}
}

#define FIRE(call)                              \
	do {                                    \
		size_t room = 0;                \
                                                \
		begin(0);                       \
		call;                           \
		print_record();                 \
		do {                            \
			begin(room += 8);       \
			call;                   \
		} while (needs_more(room));     \
		print_record();                 \
		uint64_t size = content_size;   \
		begin_if(sizeof(packet.bytes)); \
		call;                           \
		check_decided(size);            \
	} while (0)

#endif
