/* SPDX-License-Identifier: MIT */
/*
 * Where output goes. A buffer takes whole characters until one does not fit, and nothing
 * after; it is terminated after every write.
 */
#include <string.h>

#include "brace/brace.h"

void brace_sink_buffer(struct brace_sink *s, char *buffer, size_t size)
{
	*s = (struct brace_sink){ .buffer = buffer, .size = size, .wanted = SIZE_MAX };
	if (size) {
		buffer[0] = '\0';
	}
}

void brace_sink_callback(struct brace_sink *s, brace_write_fn *write, void *context)
{
	*s = (struct brace_sink){ .write = write, .context = context, .wanted = SIZE_MAX };
}

/* How much of `text` goes into `room` bytes, less than its length, without a cut character. */
static size_t whole_characters(const char *text, size_t room)
{
	while (room && ((unsigned char)text[room] & 0xc0) == 0x80) {
		room--;
	}
	return room;
}

static void put_into_buffer(struct brace_sink *s, const char *text, size_t length)
{
	/* Once something did not fit, used stays behind length, and nothing may follow. */
	if (s->size == 0 || s->used != s->length) {
		return;
	}
	size_t room = s->size - 1 - s->used;
	size_t n = length <= room ? length : whole_characters(text, room);

	memcpy(s->buffer + s->used, text, n);
	s->used += n;
	s->buffer[s->used] = '\0';
}

void brace_put(struct brace_sink *s, const char *text, size_t length)
{
	if (length == 0) {
		return;
	}
	if (s->write) {
		s->write(s->context, text, length);
	} else {
		put_into_buffer(s, text, length);
	}
	s->length += length;
}
