/* SPDX-License-Identifier: MIT */
/*
 * A runtime that tests generated code through its interface only: events have STUB_BACKENDS on,
 * and all of them reserve memory in one packet.
 */
#ifndef TESTS_TRACETOOL_STUB_RUNTIME_H
#define TESTS_TRACETOOL_STUB_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include <waymark/record.h>

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
static size_t last_room;
static bool waited; /* the last event has requested memory */

void waymark_register(struct waymark_object *object)
{
	uint32_t id = 0;

	events = object->begin;
	for (struct waymark_event *const *e = object->begin; e < object->end; e++) {
		(*e)->id = ++id;
		*(uint16_t *)(void *)(*e)->state = STUB_BACKENDS;
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

/* The limit is NULL, so every event calls this, and its size is seen. */
struct waymark_cursor *waymark_cursor_refill(
	enum waymark_recorder recorder, struct waymark_cursor *c, size_t size, uint32_t id)
{
	(void)id;
	(void)recorder;
	last_room = size - WAYMARK_RECORD_OVERHEAD;
	waited = true;
	return c;
}

uint32_t waymark_string_max(uint32_t max)
{
	return max;
}

uint64_t waymark_clock_ns(void)
{
	return 0;
}

#endif
