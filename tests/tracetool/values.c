/* SPDX-License-Identifier: MIT */
/*
 * Calls every event of trace-events with distinctive values, and prints what the
 * runtime receives: the log line, and the record's bytes decoded by the event's
 * descriptor. This file is that runtime: the generated code is tested against its
 * interface alone. values.expected has the output.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "trace-types.h"

#include <waymark/record.h>

/* A multiple of any host's page size. */
#define PAGE 65536

#define STUB_BACKENDS (WAYMARK_LOG | WAYMARK_SIMPLE)
#define STUB_RECORDER WAYMARK_SIMPLE
#include "stub_runtime.h"

void waymark_log(const struct waymark_event *event, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	print_event(event, fmt, args);
	va_end(args);
}

static const char *align(const char *p, size_t size)
{
	return (const char *)(((uintptr_t)p + size - 1) & ~(uintptr_t)(size - 1));
}

static const char *print_string(const char *p)
{
	uint32_t length;

	p = align(p, sizeof(length));
	memcpy(&length, p, sizeof(length));
	p += sizeof(length);
	if (length == 1 && *p == '\0') {
		printf("NULL");
	} else if (length > 64) {
		bool cut = p[length - 1] == '\0';

		printf("%" PRIu32 " bytes, %sending in '%.*s'", length, cut ? "cut, " : "", 5,
			p + length - 5 - cut);
	} else {
		printf("'%.*s'", (int)length, p);
	}
	return p + length;
}

static int64_t sign_extended(uint64_t value, size_t size)
{
	unsigned int shift = (unsigned int)(8 - size) * 8;

	return (int64_t)(value << shift) >> shift;
}

/* Only for little-endian hosts; the script checks that. */
static const char *print_scalar(const struct waymark_arg *a, const char *p)
{
	uint64_t value = 0;

	p = align(p, a->size);
	memcpy(&value, p, a->size);
	if (a->kind == WAYMARK_SIGNED) {
		printf("%" PRId64, sign_extended(value, a->size));
	} else {
		printf(a->kind == WAYMARK_POINTER ? "0x%" PRIx64 : "%" PRIu64, value);
	}
	return p + a->size;
}

static const char *next_text(const char *text)
{
	return text + strlen(text) + 1;
}

static void print_record(void)
{
	const char *p = packet.bytes + sizeof(uint64_t);
	const struct waymark_event *event = events[(uint16_t)packet.aligned - 1];

	printf("  %s, %s:%" PRIu32, called ? "by a call" : "at once", event->file, event->line);
	const char *name = next_text(next_text(event->name));

	for (unsigned int i = 0; i < event->arg_count; i++) {
		const struct waymark_arg *a = &event->args[i];
		const char *type = next_text(name);

		printf(" | %s %s=", type, name);
		name = next_text(type);
		p = a->kind == WAYMARK_STRING ? print_string(p) : print_scalar(a, p);
	}
	putchar('\n');
	if (align(p, 8) != cursor.pos || content_size != (uint64_t)(p - packet.bytes) * 8) {
		printf("  the record ends elsewhere\n");
	}
	if ((size_t)(p - packet.bytes) - sizeof(uint64_t) > last_room) {
		printf("  %zu bytes of room were too few\n", last_room);
	}
}

static void *at(uintptr_t address)
{
	return (void *)address;
}

static void fire_types(void)
{
	FIRE(trace_bools(true, false));
	FIRE(trace_chars('A', -2, 200));
	FIRE(trace_shorts(-3, 65535, 32767));
	FIRE(trace_ints(-4, 4294967295u, 0xdeadbeefu, 5));
	FIRE(trace_longs(-6, 7, INT64_MIN, UINT64_MAX));
	FIRE(trace_fixed8(INT8_MIN, UINT8_MAX, -1));
	FIRE(trace_fixed16(INT16_MIN, UINT16_MAX));
	FIRE(trace_fixed32(INT32_MIN, UINT32_MAX));
	FIRE(trace_fixed64(INT64_MIN, UINT64_MAX));
	FIRE(trace_sizes(8, -9, 0x1000, -10));
	FIRE(trace_pointers(at(0x1000), NULL, at(0x2000), at(0x3000), at(0x4000)));
	FIRE(trace_strings("block", NULL));
	FIRE(trace_strings("", (char *)"odd"));
	FIRE(trace_string_pointer(NULL));
	FIRE(trace_string_pointer(at(0x1f)));
	FIRE(trace_void_only());
}

static void fire_formats(void)
{
	FIRE(trace_no_format(-1, "by name"));
	FIRE(trace_no_format_types(at(0x1000), NULL, true, 'A', 200, -3, UINT64_MAX, 8));
	FIRE(trace_stars(6, 42, 3, "abcdef"));
	FIRE(trace_flags(1, 2, 8, "abcdef"));
	FIRE(trace_literals(100));
	FIRE(trace_wide_char('B'));
	FIRE(trace_utf8(6));
	FIRE(trace_keywords(1, 2, 3, "four"));
	FIRE(trace_macros(1, 2, 3, 4));
	FIRE(trace_own(1, 2));
	FIRE(trace_locals(1, 2, "three", 4, 5, 6, 7));
	FIRE(trace_ten(1, 2, 3, 4, "five", at(6), 7, true, 9, -10));
	FIRE(trace_a_name_that_is_so_long_that_no_declaration_of_it_fits_in_a_line(1));
}

/* No byte is read beyond those that printf reads: the next page is unmapped. */
static void fire_parts(void)
{
	char *pages =
		mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED || mprotect(pages + PAGE, PAGE, PROT_NONE) != 0) {
		abort();
	}
	memcpy(pages + PAGE - 3, "end", 3);
	FIRE(trace_stars(0, 0, 3, pages + PAGE - 3));
	FIRE(trace_stars(0, 0, 0, pages + PAGE));
	FIRE(trace_flags(0, 0, 0, pages + PAGE - 3));
	FIRE(trace_stars(0, 0, 9, "short"));
	FIRE(trace_stars(0, 0, (unsigned int)-1, "all of it"));
	FIRE(trace_stars(0, 0, 2, NULL));
	munmap(pages, 2 * PAGE);
}

/* Two long strings of an event share the longest possible record. */
static void fire_long_strings(void)
{
	char *text = malloc(WAYMARK_RECORD_MAX + 1);

	if (text) {
		memset(text, 'x', WAYMARK_RECORD_MAX);
		text[WAYMARK_RECORD_MAX] = '\0';
		FIRE(trace_no_format(1, text));
		text[WAYMARK_RECORD_MAX / 4] = '\0';
		FIRE(trace_strings(text, NULL));
	}
	free(text);
}

int main(void)
{
	fire_types();
	fire_formats();
	fire_parts();
	fire_long_strings();
	trace_switched_off(1, "never seen");
	printf("off: %d, on: %d\n", TRACE_SWITCHED_OFF_ENABLED, TRACE_BOOLS_ENABLED);
	return 0;
}
