/* SPDX-License-Identifier: MIT */
/*
 * Calls every event of golden/values.toml with distinctive values, and prints what the runtime
 * receives: the place of the call, the values of its message, and the record's bytes decoded by
 * the event's descriptor. This file is that runtime: the generated code is tested against its
 * interface alone. braces.expected has the output.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "trace-values.h"

#include <waymark/record.h>

#define STUB_BACKENDS (WAYMARK_LOG | WAYMARK_SYSLOG | WAYMARK_CTF)
#define STUB_RECORDER WAYMARK_CTF
#include "stub_runtime.h"

static void print_text(const char *text, uint32_t size, uint32_t length)
{
	if (size == UINT32_MAX) {
		printf("NULL");
	} else if (length > 64) {
		printf("%" PRIu32 " of %" PRIu32 " bytes", length, size);
	} else {
		printf("'%.*s'", (int)length, text);
	}
}

static void print_value(const struct waymark_debug *v)
{
	printf(" %u:", v->kind);
	switch (v->kind) {
	case WAYMARK_DEBUG_STRING:
	case WAYMARK_DEBUG_BYTES:
		print_text(v->as.pointer, v->as.pointer ? v->length : UINT32_MAX, v->length);
		break;
	case WAYMARK_DEBUG_F32:
		printf("%g", (double)v->as.f32);
		break;
	case WAYMARK_DEBUG_F64:
		printf("%g", v->as.f64);
		break;
	case WAYMARK_DEBUG_OBJECT:
		printf("%s", (const char *)v->as.call.object);
		break;
	default:
		printf("%" PRIx64 ",%" PRIx64, v->as.wide.high, v->as.wide.low);
	}
}

static const char *next_text(const char *text)
{
	return text + strlen(text) + 1;
}

static void print_message(const struct waymark_event *event, const struct waymark_message *m)
{
	const char *name = m->file ? strrchr(m->file, '/') : "";

	printf("%s \"%s\"", event->name, next_text(event->name));
	printf(" at %s:%d", name && *name ? name + 1 : m->file ? m->file : "-", m->line > 0);
	for (uint32_t i = 0; i < m->count; i++) {
		print_value(&m->values[i]);
	}
	putchar('\n');
}

void waymark_log_message(const struct waymark_event *event, const struct waymark_message *m)
{
	print_message(event, m);
}

void waymark_syslog_message(const struct waymark_event *event, const struct waymark_message *m)
{
	print_message(event, m);
}

/* The read position in the record. */
static const char *at;

static uint64_t take(size_t size)
{
	uint64_t value = 0;

	at = (const char *)(((uintptr_t)at + size - 1) & ~(uintptr_t)(size - 1));
	memcpy(&value, at, size);
	at += size;
	return value;
}

static void take_counted(void)
{
	uint32_t size = (uint32_t)take(sizeof(size));
	uint32_t length = (uint32_t)take(sizeof(length));

	print_text(at, size, length);
	at += length;
}

/* Prints the record's form of a `{:?}` value; docs/ctf.md has the widths. */
static void take_debug(void)
{
	static const uint8_t widths[] = { 1, 2, 4, 8, 1, 2, 4, 8, 16, 16, 4, 8, 1, 4,
		sizeof(void *) };
	unsigned int kind = (unsigned int)take(1);

	printf("%u:", kind);
	if (kind >= sizeof(widths)) {
		take_counted();
	} else if (widths[kind] == 16) {
		uint64_t low = take(8);

		printf("%" PRIx64 ",%" PRIx64, take(8), low);
	} else {
		printf("%" PRIx64, take(widths[kind]));
	}
}

static void take_string(void)
{
	uint32_t length = (uint32_t)take(sizeof(length));

	print_text(at, length, length);
	at += length;
}

static void print_field(const struct waymark_arg *a, const char *name)
{
	printf(" | %s %s=", next_text(name), name);
	if (a->kind == WAYMARK_STRING) {
		take_string();
	} else if (a->kind == WAYMARK_TEXT || a->kind == WAYMARK_BYTES) {
		take_counted();
	} else if (a->kind == WAYMARK_DEBUG) {
		take_debug();
	} else if (a->size == 16) {
		uint64_t low = take(8);

		printf("%" PRIx64 ",%" PRIx64, take(8), low);
	} else {
		printf("%u:%" PRIx64, a->kind, take(a->size));
	}
}

static void print_record(void)
{
	const struct waymark_event *event = events[(uint16_t)packet.aligned - 1];

	at = packet.bytes + sizeof(uint64_t);
	printf("  %s", called ? "by a call" : "at once");
	const char *name = next_text(next_text(event->name));

	for (unsigned int i = 0; i < event->arg_count; i++) {
		print_field(&event->args[i], name);
		name = next_text(next_text(name));
	}
	putchar('\n');
	if (content_size != (uint64_t)(at - packet.bytes) * 8) {
		printf("  the record ends elsewhere\n");
	}
	if ((size_t)(at - packet.bytes) - sizeof(uint64_t) > last_room) {
		printf("  %zu bytes of room were too few\n", last_room);
	}
}

static void render(struct waymark_formatter *f, const void *object)
{
	(void)f;
	(void)object;
	abort(); /* the stand-ins above know better */
}

static int calls;

static int count(void)
{
	return ++calls;
}

static void fire_states(void)
{
	static char longest[40000];
	static const char object[] = "an object";
	const struct waymark_debug values[] = {
		waymark_debug((uint8_t)0xfe),
		waymark_debug((short)-2),
		waymark_debug(-3),
		waymark_debug(UINT64_MAX),
		waymark_debug_wide(WAYMARK_DEBUG_I128, 1, 2),
		waymark_debug(1.5f),
		waymark_debug(-2.25),
		waymark_debug('c'),
		waymark_debug_bool(true),
		waymark_debug("text"),
		waymark_debug_string(NULL),
		waymark_debug_text(longest, sizeof(longest)),
		waymark_debug_bytes(NULL, 3),
		waymark_debug_pointer((const void *)(uintptr_t)0x1234),
		waymark_debug_object(render, object),
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		FIRE(trace_state(values[i], 7, waymark_debug("end")));
	}
	FIRE(trace_state(waymark_debug(1), 7, waymark_debug_object(render, object)));
}

int main(void)
{
	static char longest[40000];

	memset(longest, 'x', sizeof(longest));
	FIRE(trace_numbers(255, -2, 0xfffffff0, INT64_MIN, 5, -6, true, 3));
	FIRE(trace_floats(1.5f, -0.0));
	FIRE(trace_wide(waymark_u128_of(1, 2), waymark_i128_of(UINT64_MAX, UINT64_MAX - 1)));
	FIRE(trace_texts("name", "\1\2", 2, "counted, and more", 7, "/path"));
	FIRE(trace_texts(NULL, NULL, 2, NULL, 7, ""));
	FIRE(trace_texts("", longest, sizeof(longest), longest, sizeof(longest), ""));
	fire_states();
	FIRE(trace_empty());
	FIRE(trace_clash("x", 1, 2));
	FIRE(trace_empty_at(1));
	trace_off("x", (size_t)count(), 1);
	trace_off_state(waymark_debug(count()), "x", 1);
	printf("%d made for an event that is disabled\n", calls);
	*events[4]->state = 0;
	trace_state(waymark_debug(count()), 1, waymark_debug(2));
	printf("%d made for events that are off\n", calls);
	return 0;
}
