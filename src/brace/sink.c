/* SPDX-License-Identifier: MIT */
/*
 * The lowest layer of rendering: all output is written here, with the indentation of formatters. A
 * buffer accepts whole characters until one does not fit, and nothing after that. It ends with a
 * NUL after every write.
 */
#include <string.h>

#include "brace/internal.h"

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

static void put_into_buffer(struct brace_sink *s, const char *text, size_t length)
{
	/* After a text that did not fit, `used` is less than `length`, and nothing may follow. */
	if (s->size == 0 || s->used != s->length) {
		return;
	}
	size_t room = s->size - 1 - s->used;
	size_t n = length <= room ? length : utf8_whole(text, room);

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

/* Writes a line. In {:#?} each line begins with four spaces for each level. */
static void put_line(struct waymark_formatter *f, const char *text, size_t length)
{
	for (unsigned int i = 0; f->line_begins && i < f->depth; i++) {
		brace_put(f->sink, "    ", 4);
	}
	brace_put(f->sink, text, length);
	f->line_begins = text[length - 1] == '\n';
}

void brace_put_text(struct waymark_formatter *f, const char *text, size_t length)
{
	if (f->depth == 0) {
		brace_put(f->sink, text, length);
		return;
	}
	while (length) {
		const char *end = memchr(text, '\n', length);
		size_t n = end ? (size_t)(end - text) + 1 : length;

		put_line(f, text, n);
		text += n;
		length -= n;
	}
}
