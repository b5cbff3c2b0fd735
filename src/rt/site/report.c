/* SPDX-License-Identifier: MIT */
/* Records the runtime's own events: see report.h. */
#include <stdarg.h>

#include <waymark/record.h>

#include "rt/event/limits.h"
#include "rt/record/recorder.h"
#include "rt/site/report.h"
#include "rt/text/backends.h"

/* The longest text in such an event. */
#define TEXT_MAX_BYTES 1024u

#define TEXTS_MAX 2u

/* The texts of a record, which follow its numbers. */
struct texts {
	const char *items[TEXTS_MAX];
	uint32_t lengths[TEXTS_MAX];
	size_t count;
};

static void add_text(struct texts *t, const char *text)
{
	t->items[t->count] = text;
	t->lengths[t->count++] = waymark_string_length(text, TEXT_MAX_BYTES);
}

static size_t room_of(const struct texts *t)
{
	size_t room = 0;

	for (size_t i = 0; i < t->count; i++) {
		room += waymark_string_room(t->lengths[i], TEXT_MAX_BYTES);
	}
	return room;
}

static void put_texts(struct waymark_record *r, const struct texts *t)
{
	for (size_t i = 0; i < t->count; i++) {
		waymark_record_string(r, t->items[i], t->lengths[i], TEXT_MAX_BYTES);
	}
}

bool waymark_report_begin(struct waymark_record *r, const struct waymark_event *event, size_t size)
{
	struct waymark_cursor *c =
		waymark_cursor_wait(WAYMARK_RECORDER_CTF, waymark_cursors[WAYMARK_RECORDER_CTF],
			size + WAYMARK_RECORD_OVERHEAD, RECORD_UNCOUNTED);

	if (!c) {
		return false;
	}
	waymark_record_header(r, c, event, waymark_clock(c));
	return true;
}

bool waymark_report_left_out(
	struct growing *g, uint64_t calls, const char *event, const char *limits)
{
	struct texts t = { 0 };
	struct waymark_record r;

	add_text(&t, event);
	add_text(&t, limits);
	if (waymark_cursors[WAYMARK_RECORDER_CTF]->busy &&
		waymark_cursors[WAYMARK_RECORDER_CTF]->packet) {
		return false;
	}
	if (!waymark_report_begin(&r, &waymark_own_left_out, sizeof(calls) + room_of(&t))) {
		return false;
	}
	/* In a signal handler it is in a packet of its own, where it does not grow. */
	g->numbers = r.cursor == waymark_cursors[WAYMARK_RECORDER_CTF]
			     ? (waymark_count *)(void *)(r.start + r.used)
			     : NULL;
	g->sequence = ((const struct packet_header *)(const void *)r.cursor->packet)->sequence;
	waymark_record_value(&r, &calls, sizeof(calls));
	put_texts(&r, &t);
	waymark_record_end(&r);
	return true;
}

static void record_texts(const struct waymark_event *event, const struct texts *t)
{
	struct waymark_record r;

	if (waymark_record_begin(&r, WAYMARK_RECORDER_CTF, event, room_of(t))) {
		put_texts(&r, t);
		waymark_record_end(&r);
	}
}

void waymark_report_trigger(const char *trigger, const char *event)
{
	struct texts t = { 0 };

	add_text(&t, event);
	add_text(&t, trigger);
	record_texts(&waymark_own_trigger, &t);
}

void waymark_report_mark(const char *text)
{
	struct texts t = { 0 };

	add_text(&t, text);
	record_texts(&waymark_own_mark, &t);
}

static void print_on(const struct text_backend_row *row, const struct waymark_event *event,
	const char *fmt, va_list args)
{
	va_list copy;

	va_copy(copy, args);
	row->backend->print(event, fmt, copy);
	va_end(copy);
}

void waymark_report_print(unsigned int on, const struct waymark_event *event, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	for (size_t i = 0; i < TEXT_BACKENDS; i++) {
		const struct text_backend_row *row = &waymark_text_backends[i];

		if (on & row->bit && row->backend->print) {
			print_on(row, event, fmt, args);
		}
	}
	va_end(args);
}
